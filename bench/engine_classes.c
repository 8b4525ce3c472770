/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One change for each kind of constraint and way to its readers, in a small and in a large datastore of the
 * same shape: as many evaluations in both, and the work at most GROWTH_MAX times as long. Each run takes
 * another entry, so that the large datastore is not measured in the cache.
 */
#include "engine.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "constraint_rows.h"
#include "stats.h"

#define RUNS 101
#define GROWTH_MAX 10.0

struct figure {
	double us, evaluations, steps;
	size_t errors;
};

static void build(struct engine *engine, unsigned rounds)
{
	struct buffer xml;
	buffer_init(&xml, SIZE_MAX);
	constraint_rows_data(&xml, rounds);
	struct engine_measure measure;
	engine_propose(engine, buffer_get(&xml), ENGINE_KEEP, &measure);
	printf("%u rounds, some %u nodes: check in full %.1f ms, index %.1f bytes a node\n", rounds,
	       rounds * CONSTRAINT_ROUND_NODES, (double)measure.check_ns / 1e6,
	       (double)check_index_memory(engine->index) / (rounds * CONSTRAINT_ROUND_NODES));
	buffer_fini(&xml);
}

static struct figure measure_row(struct engine *engine, const struct constraint_row *row, unsigned rounds)
{
	struct stats stats;
	stats_init(&stats);
	struct engine_measure measure = {0};
	struct buffer xml;
	buffer_init(&xml, SIZE_MAX);
	for (unsigned i = 0; i < RUNS; i++) {
		buffer_clear(&xml, SIZE_MAX);
		constraint_rows_put(&xml, row->edit, (unsigned)((uint64_t)i * 2654435761u % rounds));
		engine_propose(engine, buffer_get(&xml), ENGINE_DROP, &measure);
		stats_add(&stats, engine_work_ns(&measure));
	}
	struct figure figure = {.us = stats_summarize(&stats).p50 / 1e3,
				.evaluations = (double)engine_evaluations(&measure.counters),
				.steps = (double)measure.counters.steps,
				.errors = measure.errors};
	buffer_fini(&xml);
	stats_fini(&stats);
	return figure;
}

bool engine_classes(void)
{
	static const unsigned nodes[2] = {1000, 1000000};
	struct figure figures[2][CONSTRAINT_ROWS];
	for (size_t size = 0; size < 2; size++) {
		struct engine engine;
		static const char *const dir = YARE_BENCH_YANG_DIR;
		struct schema_module_request module = {.name = "yare-engine"};
		engine_open(&engine, &(struct schema_source){.search_dirs = (const char *const *)&dir,
							     .search_dir_count = 1,
							     .modules = &module,
							     .module_count = 1});
		unsigned rounds = nodes[size] / CONSTRAINT_ROUND_NODES;
		build(&engine, rounds);
		for (size_t i = 0; i < CONSTRAINT_ROWS; i++)
			figures[size][i] = measure_row(&engine, &constraint_rows[i], rounds);
		engine_close(&engine);
	}
	bool good = true;
	printf("%-26s %6s %12s %12s %10s %10s %6s\n", "", "errors", "evaluations", "steps", "us small",
	       "us large", "ratio");
	for (size_t i = 0; i < CONSTRAINT_ROWS; i++) {
		const struct figure *small = &figures[0][i], *large = &figures[1][i];
		bool within = large->us <= GROWTH_MAX * small->us && large->evaluations == small->evaluations;
		good &= within;
		printf("%-26s %6zu %5.0f %6.0f %5.0f %6.0f %10.1f %10.1f %6.2f%s\n", constraint_rows[i].name,
		       large->errors, small->evaluations, large->evaluations, small->steps, large->steps,
		       small->us, large->us, large->us / small->us, within ? "" : "  MISSED");
	}
	return good;
}
