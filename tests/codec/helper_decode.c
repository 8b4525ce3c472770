/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/helper_decode.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/buffer.h"

#define MODULES_MAX 16

struct feeding {
	struct edit_decoder *decoder;
	size_t depth;
};

static enum status on_start(void *arg, const struct xml_start *start)
{
	struct feeding *feeding = arg;
	return feeding->depth++ == 0 ? ST_OK : edit_decoder_start(feeding->decoder, start);
}

static enum status on_end(void *arg)
{
	struct feeding *feeding = arg;
	return --feeding->depth == 0 ? ST_OK : edit_decoder_end(feeding->decoder);
}

static enum status on_text(void *arg, struct bytes text)
{
	struct feeding *feeding = arg;
	return edit_decoder_text(feeding->decoder, text);
}

static const struct xml_handlers HANDLERS = {on_start, on_end, on_text};

static struct schema *load(const char *dir, const char *const *modules, size_t count,
			   enum helper_imports imports)
{
	struct arena *arena = arena_new();
	struct diag_list diags;
	diag_list_init(&diags, arena, 10);
	struct schema_module_request requests[MODULES_MAX] = {0};
	static const char *const ALL_FEATURES[] = {"*"};
	ASSERT(count <= MODULES_MAX);
	for (size_t i = 0; i < count; i++) {
		requests[i].name = modules[i];
		requests[i].features = ALL_FEATURES;
		requests[i].feature_count = 1;
	}
	struct schema_source source = {.search_dirs = &dir,
				       .search_dir_count = 1,
				       .modules = requests,
				       .module_count = count,
				       .implement_imports = imports == IMPORTS_IMPLEMENTED};
	struct schema *schema = NULL;
	if (schema_load(&source, &diags, &schema) != ST_OK) {
		fprintf(stderr, "%s\n", helper_diag_text(&diags, arena));
		abort();
	}
	arena_free(arena);
	return schema;
}

static const char *source_dir(void)
{
	const char *dir = getenv("YARE_SOURCE");
	return dir ? dir : ".";
}

struct schema *helper_schema(void)
{
	static const char *const MODULES[] = {"codec-test", "codec-test-more", "codec-test-types"};
	struct arena *arena = arena_new();
	const char *dir = arena_printf(arena, "%s/tests/codec/yang", source_dir());
	struct schema *schema = load(dir, MODULES, 3, IMPORTS_ONLY);
	arena_free(arena);
	return schema;
}

static const char *shared_path(const char *file, struct arena *arena)
{
	const char *dir = getenv("YARE_SHARED");
	return dir ? arena_printf(arena, "%s/%s", dir, file)
		   : arena_printf(arena, "%s/../shared/%s", source_dir(), file);
}

struct schema *helper_shared_schema(const char *dir, const char *const *modules, size_t count,
				    enum helper_imports imports)
{
	struct arena *arena = arena_new();
	const char *path = shared_path(dir, arena);
	struct schema *schema = access(path, R_OK) == 0 ? load(path, modules, count, imports) : NULL;
	arena_free(arena);
	return schema;
}

char *helper_run_generator(const char *program, const char *arguments, size_t *size)
{
	struct arena *arena = arena_new();
	const char *path = shared_path("workloads", arena);
	FILE *output =
		popen(arena_printf(arena, "python3 %s/%s %s 2>/dev/null", path, program, arguments), "r");
	arena_free(arena);
	struct buffer text;
	buffer_init(&text, SIZE_MAX);
	for (;;) {
		char *room = buffer_reserve(&text, 65536);
		size_t got = output ? fread(room, 1, 65536, output) : 0;
		if (got == 0)
			break;
		buffer_commit(&text, got);
	}
	if (output)
		pclose(output);
	*size = buffer_size(&text);
	return text.data;
}

static enum status feed(struct xml_reader *reader, struct bytes document, size_t step)
{
	if (step == 0)
		step = document.size;
	enum status status = ST_OK;
	for (size_t at = 0; at < document.size && status == ST_OK; at += step) {
		size_t size = document.size - at < step ? document.size - at : step;
		status = xml_reader_feed(reader, (struct bytes){document.data + at, size});
	}
	return status == ST_OK ? xml_reader_finish(reader) : status;
}

void helper_decode(struct decoding *decoding, const struct schema *schema, struct bytes document,
		   const struct decode_options *options)
{
	static const struct xml_reader_limits LIMITS = {.depth = 256, .text_size = 1 << 28, .attributes = 64};
	*decoding = (struct decoding){.arena = arena_new()};
	diag_list_init(&decoding->diags, decoding->arena, options->diag_limit);
	struct edit_decoder_options decoder_options = {.memory_limit = options->memory_limit};
	struct feeding feeding = {0};
	struct xml_reader *reader = xml_reader_new(&HANDLERS, &feeding, &LIMITS);
	feeding.decoder = edit_decoder_new(schema, reader, &decoder_options, &decoding->diags);
	decoding->status = feed(reader, document, options->step);
	snprintf(decoding->error, sizeof(decoding->error), "%s", xml_reader_error(reader));
	if (decoding->status == ST_OK)
		decoding->status = edit_decoder_finish(feeding.decoder, &decoding->tree);
	edit_decoder_free(feeding.decoder);
	xml_reader_free(reader);
}

void helper_decode_fini(struct decoding *decoding)
{
	edit_tree_free(decoding->tree);
	arena_free(decoding->arena);
}

static void put(struct buffer *out, const char *text)
{
	ASSERT(buffer_append(out, bytes_of(text)) == ST_OK);
}

static void put_value(struct buffer *out, const char *before, const struct value *value, const char *after)
{
	put(out, before);
	ASSERT(buffer_append(out, value_bytes(value)) == ST_OK);
	put(out, after);
}

static void put_insert(struct buffer *out, const struct edit_node *node)
{
	static const char *const NAMES[] = {"", "{first}", "{last}", "{before", "{after"};
	put(out, NAMES[node->insert]);
	if (!node->insert_keys)
		return;
	size_t count = node->schema->kind == SCHEMA_LIST ? node->schema->key_count : 1;
	for (size_t i = 0; i < count; i++)
		put_value(out, " ", &node->insert_keys[i], "");
	put(out, "}");
}

static void put_node(struct buffer *out, const struct edit_node *node)
{
	static const char *const OPERATIONS[] = {"",	     "[merge]",	 "[replace]", "[create]",
						 "[delete]", "[remove]", "[none]"};
	if (node->schema->kind != SCHEMA_ROOT)
		put(out, node->schema->name);
	put(out, OPERATIONS[node->operation]);
	put_insert(out, node);
	if (node->has_value)
		put_value(out, "=", &node->value, "");
	if (node->any) {
		put(out, "=");
		ASSERT(buffer_append(out, text_bytes(node->any->xml)) == ST_OK);
	}
	for (const struct edit_annotation *at = node->annotations; at; at = at->next) {
		put(out, "#");
		put(out, at->schema->name);
		put_value(out, "=", &at->value, "");
	}
	if (!node->children)
		return;
	put(out, "(");
	for (const struct edit_node *child = node->children; child; child = child->next) {
		put_node(out, child);
		put(out, child->next ? " " : ")");
	}
}

static const char *take(struct buffer *out, struct arena *arena)
{
	const char *text = arena_strdup(arena, buffer_get(out));
	buffer_fini(out);
	return text;
}

const char *helper_edit_text(const struct edit_tree *tree, struct arena *arena)
{
	struct buffer out;
	buffer_init(&out, SIZE_MAX);
	put_node(&out, tree->top);
	return take(&out, arena);
}

static void put_pair(struct buffer *out, const char *name, const char *value)
{
	if (!value)
		return;
	put(out, " ");
	put(out, name);
	put(out, "=");
	put(out, value);
}

const char *helper_diag_text(const struct diag_list *diags, struct arena *arena)
{
	struct buffer out;
	buffer_init(&out, SIZE_MAX);
	for (const struct diag *diag = diags->first; diag; diag = diag->next) {
		put(&out, diag_tag_name(diag->tag));
		put_pair(&out, "path", diag->path);
		put_pair(&out, "app-tag", diag->app_tag);
		for (const struct diag_info *info = diag->infos; info; info = info->next)
			put_pair(&out, info->name, info->value);
		for (const struct diag_prefix *prefix = diag->prefixes; prefix; prefix = prefix->next)
			put_pair(&out, prefix->prefix, prefix->ns);
		put(&out, "; ");
		put(&out, diag->message ? diag->message : "");
		put(&out, "\n");
	}
	return take(&out, arena);
}
