/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Random edits over any model, and libyang's verdict on what comes out.
 */
#include "helper_model.h"
#include "helper_oracle.h"

struct random {
	uint64_t seed; /* of the next number; not 0 */
	struct model *model;
	struct oracle *oracle;
	bool empty_containers; /* some non-presence containers are stored with nothing in them */
};

/* One of 0 .. count - 1. */
unsigned random_pick(struct random *random, unsigned count);
/* A new root (one reference), some edits away. */
struct tree_record *random_edit(struct random *random, const struct tree_record *base);
/* libyang finds the root as valid as `full` says, the faults of a full check; its first error is one of them
 * (app-tag; of the node it names, or on a child of that). */
void random_compare_oracle(struct random *random, const struct tree_record *root, const char *full);
