/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Floors: the least that a measured thing could cost here and now. They are measured in the same run,
 * interleaved with what they are held against, since ratios survive a noisy machine and seconds do not.
 */
#include <stdint.h>
#include "link.h"

/*
 * An SSH server in a process of its own that does nothing: told N and M, it reads N bytes and answers M. The
 * client drives it through the same link, key type and cipher as the measured server.
 */
struct echo;

/* `host_key`: private key file; `target` gives user, key and ciphers. What fails is said. */
enum status echo_start(const char *host_key, const struct target *target, struct echo **echo) MUST_USE;
void echo_end(struct echo *echo); /* NULL is allowed */
/* ssh-echo: the time of one round trip with a request like `request` (16 bytes at least) and that many bytes
 * back. */
enum status echo_round(struct echo *echo, struct bytes request, uint64_t reply_size,
		       uint64_t *elapsed_ns) MUST_USE;

/* bulk: the time of `size` bytes one way, to the echo server or from it, with a small answer. */
enum status floor_bulk_send(struct echo *echo, uint64_t size, uint64_t *elapsed_ns) MUST_USE;
enum status floor_bulk_receive(struct echo *echo, uint64_t size, uint64_t *elapsed_ns) MUST_USE;
/* parse: a SAX2 push parse, 64 KiB at a time, with callbacks that do nothing; its time and its CPU time,
 * which differ where others use the machine. */
enum status floor_parse(struct bytes document, uint64_t *elapsed_ns, uint64_t *cpu_ns) MUST_USE;
/* sync: the median time of appending `size` bytes and fdatasync to a file in `folder`: the faster of a
 * growing and a preallocated one. */
enum status floor_sync(const char *folder, uint64_t size, uint64_t *elapsed_ns) MUST_USE;
/* The same in turns with something else: which file is faster is found at the beginning. */
struct sync_floor;
enum status sync_floor_begin(const char *folder, uint64_t size, struct sync_floor **floor) MUST_USE;
void sync_floor_end(struct sync_floor *floor); /* NULL is allowed */
enum status sync_floor_measure(struct sync_floor *floor, unsigned rounds) MUST_USE;
uint64_t sync_floor_median_ns(const struct sync_floor *floor);
