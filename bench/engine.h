/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * The engine without a server: a schema, a configuration in memory, and proposals whose parts are timed, as
 * the store's pipeline has them: apply, settle, diff, check.
 *
 *     struct engine engine;
 *     engine_open(&engine, &source);
 *     engine_propose(&engine, xml, ENGINE_KEEP, &measure);
 *     engine_close(&engine);
 *
 * What fails is said on standard error and ends the program: a benchmark has nothing to go on with.
 */
#include "base/bytes.h"
#include "check/check.h"
#include "schema/load.h"

struct engine {
	struct schema *schema;
	struct check_plan *plan;
	struct tree_record *root;
	struct check_index *index;
};

struct engine_measure {
	uint64_t decode_ns, apply_ns, settle_ns, diff_ns, check_ns;
	struct check_counters counters;
	size_t errors; /* 0: valid */
};

enum engine_keep { ENGINE_KEEP, ENGINE_DROP };

void engine_open(struct engine *engine, const struct schema_source *source);
void engine_close(struct engine *engine);
/* The content of one <config>, merged. ENGINE_KEEP: must be valid, and becomes the configuration. */
void engine_propose(struct engine *engine, struct bytes xml, enum engine_keep keep,
		    struct engine_measure *measure);
/* All but the decoding. */
uint64_t engine_work_ns(const struct engine_measure *measure);
uint64_t engine_evaluations(const struct check_counters *counters);

/* engine_classes.c: one change for each kind of constraint, at two sizes. False: a number of it was missed.
 */
bool engine_classes(void);
/* engine_hub.c: many referrers. */
bool engine_hub(unsigned entries);
/* A module given as text, into a folder of its own for the time of loading. */
void engine_open_text(struct engine *engine, const char *name, const char *yang);
