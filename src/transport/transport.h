/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Listeners: SSH (libssh, RFC 6242) and UNIX socket. Each accepted connection becomes one or more netconf
 * sessions.
 *
 * SSH: public key authentication only, against an authorized_keys file (re-read when it changed), for any
 * user name or the one given; one ssh_event a connection driven by the worker's epoll; only `subsystem
 * netconf` is served, several channels on a connection are separate sessions; everything else (shell, exec,
 * pty, forwarding) is refused. UNIX: the socket is mode 0600; the user is the peer's (SO_PEERCRED).
 */
#include "netconf/server.h"
#include "os/socket.h"
#include "transport/worker.h"

struct transport_ssh_limits {
	unsigned unauthenticated; /* connections that are not logged in, at a time; more are refused; 64 */
	unsigned login_attempts;  /* that fail, of a connection; 6, as OpenSSH */
	uint64_t login_size;	  /* bytes that a client may send before it is logged in; 256 KiB */
	unsigned channels;	  /* of a connection, those that the client has not closed included; 16 */
};

struct transport_ssh_limits transport_ssh_limits_default(void);

struct transport_ssh_options {
	const char *address;	     /* "127.0.0.1:830" */
	const char *host_key;	     /* file, OpenSSH or PEM private key */
	const char *authorized_keys; /* file */
	const char *user;	     /* only this user name may log in; NULL: any */
	uint64_t auth_timeout_ms;    /* from accept to an open netconf channel; 60,000 */
	unsigned keepalive_s;	     /* TCP keepalive; 0: off */
	struct transport_ssh_limits limits;
};

struct transport_listener;

/* `bound` gets the real address. Fails: ST_IO, ST_REJECTED (bad key file), logged. */
enum status transport_listen_ssh(struct transport_workers *workers, struct netconf_server *server,
				 const struct transport_ssh_options *options,
				 struct transport_listener **listener, char bound[OS_ADDRESS_SIZE]) MUST_USE;
enum status transport_listen_unix(struct transport_workers *workers, struct netconf_server *server,
				  const char *path, struct transport_listener **listener) MUST_USE;
/* Stops accepting. Connections go on. */
void transport_listener_close(struct transport_listener *listener);
