/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Where and with what was measured: recorded with every result. */
#include <stdint.h>

struct environment {
	char time[32]; /* UTC, RFC 3339 */
	char cpu[128], kernel[256];
	long cpus;
	double load_before, load_after; /* of one minute */
	char server[128];		/* what the measured program calls itself, or the target */
	char peers[512];		/* their versions; empty: none */
	const char *libssh, *libyang, *libxml2;
	char cipher[64];
	const char *durability, *transport;
	uint64_t seed;
};

/* `program`: asked for its version; NULL: the target is not ours and named by `target`. */
void environment_record(struct environment *environment, const char *program, const char *target);
double environment_load(void);
