/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many entries and many referrers: what it costs to add one more referrer of an entry that very many refer
 * to, against the second one, and to delete one referenced entry among very many.
 */
#include "engine.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/buffer.h"
#include "stats.h"

#define RUNS 101
#define HUB_MAX 2.0 /* times the cost of the second referrer */

static const char yang[] =
	"module yare-hub { yang-version 1.1; namespace urn:yare-hub; prefix y;\n"
	" list target { key k; leaf k { type string; } leaf v { type string; } }\n"
	" list referrer { key k; leaf k { type string; }\n"
	"  leaf t { type leafref { path /target/k; } } leaf v { type leafref { path /target/v; } } } }\n";

/* ---- The datastore: each of `targets` has one referrer, or the first one has all but itself. ---- */

enum shape { SHAPE_EVEN, SHAPE_HUB };

static void put(struct buffer *out, const char *form, unsigned name, unsigned to)
{
	char text[256];
	int size = snprintf(text, sizeof(text), form, name, to, to);
	if (buffer_append(out, (struct bytes){text, (size_t)size}) != ST_OK)
		fprintf(stderr, "no memory\n");
}

static const char target_xml[] = "<target xmlns='urn:yare-hub'><k>%07u</k><v>v%07u</v></target>";
static const char referrer_xml[] =
	"<referrer xmlns='urn:yare-hub'><k>%07u</k><t>%07u</t><v>v%07u</v></referrer>";

static const char delete_xml[] = "<target xmlns='urn:yare-hub' nc:operation='delete'><k>%07u</k></target>";

static void build(struct engine *engine, unsigned targets, unsigned referrers, enum shape shape)
{
	engine_open_text(engine, "yare-hub", yang);
	struct buffer xml;
	buffer_init(&xml, SIZE_MAX);
	for (unsigned i = 0; i < targets; i++)
		put(&xml, target_xml, i, i);
	for (unsigned i = 0; i < referrers; i++)
		put(&xml, referrer_xml, i, shape == SHAPE_HUB ? 0 : i);
	struct engine_measure measure;
	engine_propose(engine, buffer_get(&xml), ENGINE_KEEP, &measure);
	printf("%u targets, %u referrers%s: decode %.0f ms, apply %.0f ms, check %.0f ms\n", targets,
	       referrers, shape == SHAPE_HUB ? " of one" : "", (double)measure.decode_ns / 1e6,
	       (double)measure.apply_ns / 1e6, (double)measure.check_ns / 1e6);
	buffer_fini(&xml);
}

static double measure_edit(struct engine *engine, const char *form, unsigned stride, unsigned to)
{
	struct stats stats;
	stats_init(&stats);
	struct buffer xml;
	buffer_init(&xml, SIZE_MAX);
	struct engine_measure measure = {0};
	for (unsigned i = 0; i < RUNS; i++) {
		buffer_clear(&xml, SIZE_MAX);
		if (stride > 0)
			put(&xml, form, i * stride, to);
		else
			put(&xml, form, 9000000 + i, to);
		engine_propose(engine, buffer_get(&xml), ENGINE_DROP, &measure);
		stats_add(&stats, engine_work_ns(&measure));
	}
	double us = stats_summarize(&stats).p50 / 1e3;
	printf("  %.1f us (apply %.1f, settle %.1f, diff %.1f, check %.1f), %" PRIu64
	       " evaluated, %zu errors\n",
	       us, (double)measure.apply_ns / 1e3, (double)measure.settle_ns / 1e3,
	       (double)measure.diff_ns / 1e3, (double)measure.check_ns / 1e3,
	       engine_evaluations(&measure.counters), measure.errors);
	buffer_fini(&xml);
	stats_fini(&stats);
	return us;
}

bool engine_hub(unsigned entries)
{
	struct engine engine;
	build(&engine, entries, 1, SHAPE_HUB);
	printf("the second referrer, the list having one:\n");
	double alone = measure_edit(&engine, referrer_xml, 0, 0);
	engine_close(&engine);
	build(&engine, entries, entries, SHAPE_EVEN);
	printf("the second referrer, the list having one for each target:\n");
	double second = measure_edit(&engine, referrer_xml, 0, 0);
	printf("a referenced entry deleted:\n");
	double many = measure_edit(&engine, delete_xml, entries / RUNS, 0);
	engine_close(&engine);

	build(&engine, entries, entries, SHAPE_HUB);
	printf("one more referrer:\n");
	double more = measure_edit(&engine, referrer_xml, 0, 0);
	bool good = more <= HUB_MAX * alone;
	printf("ratio to the second of a list of one %.2f%s, of a list as long %.2f\n", more / alone,
	       good ? "" : "  MISSED", more / second);
	printf("the entry with all referrers deleted:\n");
	double all = measure_edit(
		&engine, "<target xmlns='urn:yare-hub' nc:operation='delete'><k>0000000</k></target>", 0, 0);
	engine_close(&engine);

	build(&engine, 1000, 1000, SHAPE_EVEN);
	printf("a referenced entry deleted:\n");
	double few = measure_edit(&engine, delete_xml, 1000 / RUNS, 0);
	engine_close(&engine);
	printf("ratio %.2f; with all referrers %.2f\n", many / few, all / few);
	return good;
}
