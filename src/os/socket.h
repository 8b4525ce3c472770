/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Sockets: listening, accepting, addresses, peer credentials. All fds are non-blocking and close-on-exec.
 * Unless a function says otherwise it fails with ST_REJECTED for an address or path that is none, ST_BUSY for
 * one that is in use, ST_LIMIT when out of descriptors or memory, ST_IO for all else.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/status.h"

#define OS_ADDRESS_SIZE 128 /* bytes, with terminator, of a printed address */

/* Listens on "127.0.0.1:830", "[::1]:0", "localhost:0". `bound` gets the real address, e.g.
 * "127.0.0.1:40123". */
enum status os_listen_tcp(const char *address, int backlog, int *fd, char bound[OS_ADDRESS_SIZE]) MUST_USE;
/* Listens on a UNIX stream socket with the given mode (0600). A stale socket file that nobody listens on is
 * replaced; ST_BUSY where somebody does. */
enum status os_listen_unix(const char *path, unsigned mode, int backlog, int *fd) MUST_USE;
/* ST_BUSY: nothing to accept now; ST_LIMIT: out of descriptors; ST_IO: else. `peer` gets "127.0.0.1:5555" or
 * "unix". */
enum status os_accept(int listen_fd, int *fd, char peer[OS_ADDRESS_SIZE]) MUST_USE;
enum status os_connect_tcp(const char *address, int *fd) MUST_USE; /* blocking connect */
enum status os_connect_unix(const char *path, int *fd) MUST_USE;
/* The user name (or "uid:N" where it has none) of a UNIX socket's peer, by SO_PEERCRED. */
enum status os_peer_user(int fd, char *user, size_t size) MUST_USE;
/* >0: bytes; 0: end of stream (read) ; -1: would block; -2: failed. Never raises SIGPIPE. */
long os_socket_read(int fd, char *data, size_t size);
long os_socket_write(int fd, const char *data, size_t size);
/* The peer reads an end of stream after what was written; reading goes on. */
void os_socket_shut(int fd);
/* TCP_NODELAY and keepalive: idle_s before the first probe, then interval_s, count probes; idle_s 0: no
 * keepalive. */
void os_socket_tune(int fd, unsigned idle_s, unsigned interval_s, unsigned count);
void os_close(int fd);
