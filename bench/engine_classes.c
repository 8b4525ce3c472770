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

#include "base/buffer.h"
#include "stats.h"

#define RUNS 101
#define GROWTH_MAX 10.0
#define NODES_A_ROUND 31 /* in what build() makes of one number */
#define MEMBERS 8	 /* of a group */

static const char yang[] =
	"module yare-engine { yang-version 1.1; namespace urn:yare-engine; prefix y;\n"
	" list local { key k; leaf k { type string; } leaf a { type uint32; } leaf b { type uint32; }\n"
	"  must 'a <= b'; }\n"
	" list group { key k; leaf k { type string; } leaf limit { type uint32; }\n"
	"  list member { key k; leaf k { type string; } leaf v { type uint32; must '. <= ../../limit'; } } "
	"}\n"
	" list target { key k; unique u; leaf k { type string; } leaf u { type string; } leaf v { type "
	"string; }\n"
	" }\n"
	" list reader { key k; leaf k { type string; } leaf id { type string; }\n"
	"  must 'not(/target[k = current()/id]/v = \"bad\")'; }\n"
	" list referrer { key k; leaf k { type string; } leaf t { type leafref { path /target/k; } }\n"
	"  leaf u { type leafref { path /target/u; } }\n"
	"  leaf v { type leafref { path '/target[k = current()/../t]/v'; } } }\n"
	" list conditional { key k; leaf k { type string; } leaf type { type string; }\n"
	"  leaf x { when '../type = \"a\"'; type string; } }\n"
	" list strict { key k; min-elements 1; max-elements 100000000; leaf k { type string; }\n"
	"  leaf m { type string; mandatory true; } }\n"
	" list pointer { key k; leaf k { type string; } leaf i { type instance-identifier; } }\n"
	" leaf most { type uint32; must 'count(/target) <= .'; }\n"
	"}\n";

/* "#" stands for a number of seven digits, the same in all places. */
static const char round_xml[] =
	"<local xmlns='urn:yare-engine'><k>#</k><a>1</a><b>2</b></local>"
	"<target xmlns='urn:yare-engine'><k>#</k><u>u#</u><v>v#</v></target>"
	"<reader xmlns='urn:yare-engine'><k>#</k><id>#</id></reader>"
	"<referrer xmlns='urn:yare-engine'><k>#</k><t>#</t><u>u#</u><v>v#</v></referrer>"
	"<conditional xmlns='urn:yare-engine'><k>#</k><type>a</type><x>x</x></conditional>"
	"<strict xmlns='urn:yare-engine'><k>#</k><m>m</m></strict>"
	"<pointer xmlns='urn:yare-engine' "
	"xmlns:y='urn:yare-engine'><k>#</k><i>/y:target[y:k='#']</i></pointer>";
static const char group_xml[] =
	"<group xmlns='urn:yare-engine'><k>#</k><limit>5</limit>"
	"<member><k>1</k><v>1</v></member><member><k>2</k><v>1</v></member><member><k>3</k><v>1</v></member>"
	"<member><k>4</k><v>1</v></member><member><k>5</k><v>1</v></member><member><k>6</k><v>1</v></member>"
	"<member><k>7</k><v>1</v></member><member><k>8</k><v>1</v></member></group>";

struct row {
	const char *name, *edit;
};

static const struct row rows[] = {
	{"must, local", "<local xmlns='urn:yare-engine'><k>#</k><a>2</a></local>"},
	{"must, local, refused", "<local xmlns='urn:yare-engine'><k>#</k><a>3</a></local>"},
	{"must, fan-out to 8", "<group xmlns='urn:yare-engine'><k>@</k><limit>6</limit></group>"},
	{"must, keyed", "<target xmlns='urn:yare-engine'><k>#</k><u>other</u></target>"},
	{"must, keyed, refused", "<target xmlns='urn:yare-engine'><k>#</k><v>bad</v></target>"},
	{"must, counted", "<target xmlns='urn:yare-engine'><k>new#</k></target>"},
	{"leafref, to a key", "<referrer xmlns='urn:yare-engine'><k>new#</k><t>#</t></referrer>"},
	{"leafref, to a value", "<referrer xmlns='urn:yare-engine'><k>new#</k><u>u#</u></referrer>"},
	{"leafref, by another", "<referrer xmlns='urn:yare-engine'><k>new#</k><t>#</t><v>v#</v></referrer>"},
	{"leafref, target deleted",
	 "<target xmlns='urn:yare-engine' nc:operation='delete'><k>#</k></target>"},
	{"unique", "<target xmlns='urn:yare-engine'><k>new#</k><u>new</u></target>"},
	{"unique, refused", "<target xmlns='urn:yare-engine'><k>new#</k><u>u#</u></target>"},
	{"instance-identifier", "<pointer xmlns='urn:yare-engine' xmlns:y='urn:yare-engine'><k>new#</k>"
				"<i>/y:target[y:k='#']/y:v</i></pointer>"},
	{"when, true", "<conditional xmlns='urn:yare-engine'><k>#</k><x>y</x></conditional>"},
	{"when, turns false", "<conditional xmlns='urn:yare-engine'><k>#</k><type>b</type></conditional>"},
	{"mandatory, max-elements", "<strict xmlns='urn:yare-engine'><k>new#</k><m>m</m></strict>"},
	{"mandatory, refused", "<strict xmlns='urn:yare-engine'><k>new#</k></strict>"},
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

struct figure {
	double us, evaluations, steps;
	size_t errors;
};

static void put(struct buffer *out, const char *form, unsigned number)
{
	for (; *form; form++) {
		char digits[16];
		unsigned shown = *form == '@' ? number / MEMBERS : number;
		snprintf(digits, sizeof(digits), "%07u", shown);
		bool is_number = *form == '#' || *form == '@';
		struct bytes piece = is_number ? bytes_of(digits) : (struct bytes){form, 1};
		if (buffer_append(out, piece) != ST_OK)
			return;
	}
}

static void build(struct engine *engine, unsigned rounds)
{
	struct buffer xml;
	buffer_init(&xml, SIZE_MAX);
	for (unsigned i = 0; i < rounds; i++) {
		put(&xml, round_xml, i);
		if (i % MEMBERS == 0)
			put(&xml, group_xml, i / MEMBERS);
	}
	put(&xml, "<most xmlns='urn:yare-engine'>100000000</most>", 0);
	struct engine_measure measure;
	engine_propose(engine, buffer_get(&xml), ENGINE_KEEP, &measure);
	printf("%u rounds, some %u nodes: check in full %.1f ms, index %.1f bytes a node\n", rounds,
	       rounds * NODES_A_ROUND, (double)measure.check_ns / 1e6,
	       (double)check_index_memory(engine->index) / (rounds * NODES_A_ROUND));
	buffer_fini(&xml);
}

static struct figure measure_row(struct engine *engine, const struct row *row, unsigned rounds)
{
	struct stats stats;
	stats_init(&stats);
	struct engine_measure measure = {0};
	struct buffer xml;
	buffer_init(&xml, SIZE_MAX);
	for (unsigned i = 0; i < RUNS; i++) {
		buffer_clear(&xml, SIZE_MAX);
		put(&xml, row->edit, (unsigned)((uint64_t)i * 2654435761u % rounds));
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
	struct figure figures[2][ROWS];
	for (size_t size = 0; size < 2; size++) {
		struct engine engine;
		engine_open_text(&engine, "yare-engine", yang);
		unsigned rounds = nodes[size] / NODES_A_ROUND;
		build(&engine, rounds);
		for (size_t i = 0; i < ROWS; i++)
			figures[size][i] = measure_row(&engine, &rows[i], rounds);
		engine_close(&engine);
	}
	bool good = true;
	printf("%-26s %6s %12s %12s %10s %10s %6s\n", "", "errors", "evaluations", "steps", "us small",
	       "us large", "ratio");
	for (size_t i = 0; i < ROWS; i++) {
		const struct figure *small = &figures[0][i], *large = &figures[1][i];
		bool within = large->us <= GROWTH_MAX * small->us && large->evaluations == small->evaluations;
		good &= within;
		printf("%-26s %6zu %5.0f %6.0f %5.0f %6.0f %10.1f %10.1f %6.2f%s\n", rows[i].name,
		       large->errors, small->evaluations, large->evaluations, small->steps, large->steps,
		       small->us, large->us, large->us / small->us, within ? "" : "  MISSED");
	}
	return good;
}
