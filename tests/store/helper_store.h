/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* A store over the perf-test module, and one-line edits for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "journal/journal_memory.h"
#include "schema/load.h"
#include "store/store.h"

struct fixture {
	struct schema *schema;
	struct check_plan *plan;
	struct tree_reclaimer *reclaimer;
	struct journal *journal; /* NULL: none */
	struct store *store;
	struct arena *arena;
	struct diag_list diags; /* of the last call */
};

void fixture_open(struct fixture *f, enum store_durability durability, struct journal *journal);
void fixture_close(struct fixture *f);

/* One edit: +NAME=TYPE creates an entry, -NAME deletes one, ?NAME creates a member that references it;
 * default-operation merge. Several, separated by blanks, are one request. */
struct edit_tree *fixture_edit(struct fixture *f, const char *text);
/* Runs an edit as a session; the answer of the last call is kept in *answer (may be NULL). */
enum status fixture_run(struct fixture *f, enum store_datastore target, uint32_t session_id, const char *text,
			struct store_answer *answer);
struct store_call fixture_call(struct fixture *f, const struct store_actor *actor);
/* The type of an entry in a datastore as readers see it ("" where it is absent); in the arena. */
const char *fixture_type(struct fixture *f, enum store_datastore datastore, const char *name);
