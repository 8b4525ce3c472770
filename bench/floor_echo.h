/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What the floors share that go through the echo server. */
#include "floor.h"

#define ECHO_HEADER_SIZE 16 /* bytes of struct echo_header, which begins each request */

/* As the machine has them. */
struct echo_header {
	uint64_t request_size; /* bytes, this header included */
	uint64_t reply_size;
};

struct link *echo__link(struct echo *echo);
/* Reads exactly `size` bytes and drops them. */
enum status echo__discard(struct echo *echo, uint64_t size) MUST_USE;
