/* SPDX-License-Identifier: BSD-3-Clause */
/* A proposal, part by part; see engine.h. */
#include "engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "check/settle.h"
#include "codec/edit_decoder.h"
#include "edit/apply.h"
#include "os/clock.h"

#define ERRORS_MAX 32

/* ---- Decoding: everything is within one element, which the decoder does not see. ---- */

struct loader {
	struct edit_decoder *decoder;
	unsigned depth;
};

static enum status on_start(void *arg, const struct xml_start *start)
{
	struct loader *loader = arg;
	return loader->depth++ > 0 ? edit_decoder_start(loader->decoder, start) : ST_OK;
}

static enum status on_end(void *arg)
{
	struct loader *loader = arg;
	return --loader->depth > 0 ? edit_decoder_end(loader->decoder) : ST_OK;
}

static enum status on_text(void *arg, struct bytes text)
{
	struct loader *loader = arg;
	return loader->depth > 1 ? edit_decoder_text(loader->decoder, text) : ST_OK;
}

static _Noreturn void fail(const char *what, const struct diag_list *diags)
{
	fprintf(stderr, "yare-bench-engine: %s\n", what);
	for (const struct diag *diag = diags->first; diag; diag = diag->next)
		fprintf(stderr, "  %s %s\n", diag->path ? diag->path : "",
			diag->message ? diag->message : "");
	exit(1);
}

static struct edit_tree *decode(const struct engine *engine, struct bytes xml, struct diag_list *diags)
{
	static const struct xml_handlers handlers = {on_start, on_end, on_text};
	static const struct xml_reader_limits limits = {256, 1u << 20, 64};
	static const struct edit_decoder_options options = {.memory_limit = SIZE_MAX};
	struct loader loader = {.depth = 0};
	struct xml_reader *reader = xml_reader_new(&handlers, &loader, &limits);
	loader.decoder = edit_decoder_new(engine->schema, reader, &options, diags);
	struct edit_tree *edit = NULL;
	bool decoded =
		xml_reader_feed(reader,
				bytes_of("<x xmlns:nc=\"urn:ietf:params:xml:ns:netconf:base:1.0\">")) ==
			ST_OK &&
		xml_reader_feed(reader, xml) == ST_OK && xml_reader_feed(reader, bytes_of("</x>")) == ST_OK &&
		xml_reader_finish(reader) == ST_OK && edit_decoder_finish(loader.decoder, &edit) == ST_OK;
	if (!decoded)
		fail(*xml_reader_error(reader) ? xml_reader_error(reader) : "an edit is not decoded", diags);
	edit_decoder_free(loader.decoder);
	xml_reader_free(reader);
	return edit;
}

/* ---- The pipeline. ---- */

/* The time since *from_ns, which becomes now. */
static uint64_t lap(uint64_t *from_ns)
{
	uint64_t now = os_clock_monotonic_ns(), elapsed = now - *from_ns;
	*from_ns = now;
	return elapsed;
}

void engine_propose(struct engine *engine, struct bytes xml, enum engine_keep keep,
		    struct engine_measure *measure)
{
	static const struct edit_options edit_options = {.default_operation = EDIT_MERGE};
	struct arena *arena = arena_new();
	struct diag_list diags;
	diag_list_init(&diags, arena, ERRORS_MAX);
	*measure = (struct engine_measure){.errors = 0};
	uint64_t clock = os_clock_monotonic_ns();
	struct edit_tree *edit = decode(engine, xml, &diags);
	measure->decode_ns = lap(&clock);
	struct tree_record *root = NULL;
	if (edit_apply(engine->schema, engine->root, edit, &edit_options, &diags, &root) != ST_OK)
		fail("an edit is not applied", &diags);
	measure->apply_ns = lap(&clock);
	struct check_index *index = NULL;
	struct check_options options = {.steps = UINT64_MAX,
					.max_nodes = UINT64_MAX,
					.index = engine->index,
					.new_index = &index,
					.counters = &measure->counters};
	if (check_settle(engine->plan, &options, engine->root, &root, &diags) != ST_OK)
		fail("an edit is not settled", &diags);
	measure->settle_ns = lap(&clock);
	struct tree_change_set changes;
	tree_diff(engine->schema, engine->root, root, arena, &changes);
	measure->diff_ns = lap(&clock);
	enum status status = check_changes(engine->plan, &changes, &options, &diags);
	measure->check_ns = lap(&clock);
	measure->errors = diags.length + diags.dropped;
	if (keep == ENGINE_KEEP && status != ST_OK)
		fail("the configuration is refused", &diags);
	struct tree_record *dropped = root;
	struct check_index *dropped_index = index;
	if (keep == ENGINE_KEEP) {
		dropped = engine->root;
		dropped_index = engine->index;
		engine->root = root;
		engine->index = index;
	}
	tree_record_unref(dropped, engine->schema->root, NULL);
	check_index_unref(dropped_index, NULL);
	edit_tree_free(edit);
	arena_free(arena);
}

uint64_t engine_work_ns(const struct engine_measure *measure)
{
	return measure->apply_ns + measure->settle_ns + measure->diff_ns + measure->check_ns;
}

uint64_t engine_evaluations(const struct check_counters *counters)
{
	return counters->musts + counters->leafrefs + counters->uniques + counters->counts +
	       counters->mandatories + counters->whens;
}

void engine_open(struct engine *engine, const struct schema_source *source)
{
	struct arena *arena = arena_new();
	struct diag_list diags;
	diag_list_init(&diags, arena, ERRORS_MAX);
	*engine = (struct engine){.root = tree_record_new()};
	if (schema_load(source, &diags, &engine->schema) != ST_OK ||
	    check_plan_new(engine->schema, &diags, &engine->plan) != ST_OK)
		fail("a module is not loaded", &diags);
	arena_free(arena);
}

void engine_open_text(struct engine *engine, const char *name, const char *yang)
{
	char dir[] = "/tmp/yare-bench-engine-XXXXXX", path[128];
	FILE *file = NULL;
	if (mkdtemp(dir)) {
		snprintf(path, sizeof(path), "%s/%s.yang", dir, name);
		file = fopen(path, "w");
	}
	if (!file || fputs(yang, file) == EOF || fclose(file) == EOF) {
		perror(dir);
		exit(1);
	}
	const char *search = dir;
	struct schema_module_request module = {.name = name};
	struct schema_source source = {
		.search_dirs = &search, .search_dir_count = 1, .modules = &module, .module_count = 1};
	engine_open(engine, &source);
	unlink(path);
	rmdir(dir);
}

void engine_close(struct engine *engine)
{
	tree_record_unref(engine->root, engine->schema->root, NULL);
	check_index_unref(engine->index, NULL);
	check_plan_free(engine->plan);
	schema_unref(engine->schema);
}
