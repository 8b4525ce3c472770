/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Randomness: the kernel's for secrets (getrandom waits at early boot until the pool is ready, and a kernel
 * without it is none that we run on), and splitmix64 (Steele, Lea, Flood 2014) for tests that must repeat.
 */
#include "os/random.h"

#include <errno.h>
#include <sys/random.h>

#include "base/assert.h"

void os_random_bytes(void *data, size_t size)
{
	char *at = data;
	while (size > 0) {
		ssize_t got = getrandom(at, size, 0);
		if (got < 0 && errno == EINTR)
			continue;
		ASSERT(got > 0);
		at += got;
		size -= (size_t)got;
	}
}

uint64_t os_random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}
