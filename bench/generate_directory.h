/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Requests of the directory workload: a population of users in units and groups. User i, unit and group
 * depend on the seed and their numbers alone; what refers to others stays within the population.
 */
#include <stdint.h>
#include "base/buffer.h"

#define DIRECTORY_NS "urn:example:directory"
#define DIRECTORY_NAMESPACES " xmlns:dir=\"" DIRECTORY_NS "\""

struct directory {
	uint64_t seed, users;
};

/* Appends an edit-config of running with everything. Needs a buffer without limit. */
void directory_import(struct buffer *out, uint64_t message_id, struct directory directory);
/* Appends an edit-config of running: another room for user `user`; `round` tells the values apart. */
void directory_modify(struct buffer *out, uint64_t message_id, uint64_t user, uint64_t round);
/* Append a get-config of one user: by the key (a subtree filter), or by the mail address (an XPath filter),
 * which is no key. */
void directory_search_key(struct buffer *out, uint64_t message_id, uint64_t user);
void directory_search_mail(struct buffer *out, uint64_t message_id, struct directory directory,
			   uint64_t user);
/* A user who is as good as random, the i-th of his kind. */
uint64_t directory_pick(struct directory directory, uint64_t i);
