/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Our side: the way of an edit-config from XML to the verdict, by the functions that the server calls. The
 * full check sees the new root as if there had been nothing before.
 */
#include "soak.h"

#include <string.h>

#include "base/buffer.h"
#include "check/settle.h"
#include "codec/edit_decoder.h"
#include "codec/xml_encoder.h"
#include "edit/apply.h"
#include "edit/prepare.h"
#include "tree/cursor.h"

enum { DIAGS_MAX = 10000, STEPS_MAX = 100000000, NODES_MAX = 1000000 };

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
	/* Blanks around top-level elements are no content. */
	return feeding->depth == 1 ? ST_OK : edit_decoder_text(feeding->decoder, text);
}

/* Feeds the document; with `prepare` in parts of random sizes, after each of which that goes on. */
static enum status feed(struct soak *soak, struct feeding *feeding, struct xml_reader *reader,
			struct bytes xml, struct edit_prepare *prepare)
{
	enum status status = ST_OK;
	bool has_hint = prepare && soak_pick(soak, 4) == 0; /* with one, little is prepared in vain */
	while (status == ST_OK && xml.size > 0) {
		size_t size = prepare ? 1 + soak_pick(soak, 200) : xml.size;
		if (size > xml.size)
			size = xml.size;
		status = xml_reader_feed(reader, (struct bytes){xml.data, size});
		xml = (struct bytes){xml.data + size, xml.size - size};
		struct edit_mark mark;
		if (prepare && status == ST_OK && edit_decoder_mark(feeding->decoder, &mark))
			edit_prepare_take(prepare, &mark, has_hint ? soak->root : NULL);
	}
	return status;
}

static enum status decode(struct soak *soak, const char *xml, bool prepares, struct diag_list *diags,
			  struct edit_tree **tree)
{
	static const struct xml_handlers handlers = {on_start, on_end, on_text};
	static const struct xml_reader_limits limits = {
		.depth = 256, .text_size = (size_t)1 << 28, .attributes = 64};
	static const struct edit_decoder_options options = {.memory_limit = (size_t)1 << 30};
	struct feeding feeding = {0};
	struct xml_reader *reader = xml_reader_new(&handlers, &feeding, &limits);
	feeding.decoder = edit_decoder_new(soak->schema, reader, &options, diags);
	struct edit_prepare *prepare = NULL;
	if (prepares)
		prepare = edit_prepare_new(soak->schema, edit_decoder_tree(feeding.decoder), NULL);
	enum status status = feed(soak, &feeding, reader, bytes_of(xml), prepare);
	if (status == ST_OK)
		status = xml_reader_finish(reader);
	bool is_read = status == ST_OK;
	if (is_read)
		status = edit_decoder_finish(feeding.decoder, tree);
	if (prepares && status == ST_OK)
		(*tree)->prepared = edit_prepare_finish(prepare);
	else
		edit_prepare_free(prepare);
	if (!is_read && diags->length == 0)
		diag_add(diags, DIAG_RPC, DIAG_MALFORMED_MESSAGE, "%s", xml_reader_error(reader));
	edit_decoder_free(feeding.decoder);
	xml_reader_free(reader);
	return status;
}

enum status soak_decode(struct soak *soak, const char *xml, struct diag_list *diags, struct edit_tree **tree)
{
	return decode(soak, xml, false, diags, tree);
}

enum status soak_decode_prepared(struct soak *soak, const char *xml, struct diag_list *diags,
				 struct edit_tree **tree)
{
	return decode(soak, xml, true, diags, tree);
}

const char *soak_diags(const struct diag_list *diags, struct arena *arena)
{
	const char *text = "";
	for (const struct diag *diag = diags->first; diag; diag = diag->next) {
		text = arena_printf(arena, "%s%s %s %s %s", text, diag_tag_name(diag->tag),
				    diag->app_tag ? diag->app_tag : "-", diag->path ? diag->path : "-",
				    diag->message ? diag->message : "-");
		for (const struct diag_info *info = diag->infos; info; info = info->next)
			text = arena_printf(arena, "%s <%s>%s", text, info->name, info->value);
		text = arena_printf(arena, "%s\n", text);
	}
	return text;
}

/* *new_index: those of the new root, where it is valid. The incremental check is one of several threads,
 * which share the smallest list; the full check, that it is compared with, is of one. */
static const char *check(struct soak *soak, const struct tree_record *old, const struct tree_record *new,
			 struct diag_list *diags, struct check_index **new_index)
{
	struct check_options options = {.steps = STEPS_MAX,
					.max_nodes = NODES_MAX,
					.full = old == NULL,
					.index = old == soak->root ? soak->index : NULL,
					.threads = {.count = old != NULL ? 3 : 1, .least = 1},
					.new_index = new_index};
	struct tree_change_set changes;
	struct tree_record *empty = tree_record_new();
	diag_list_init(diags, soak->round, DIAGS_MAX);
	tree_diff(soak->schema, old ? old : empty, new, soak->round, &changes);
	enum status status = check_changes(soak->plan, &changes, &options, diags);
	soak_drop(soak, empty);
	const char *text = soak_diags(diags, soak->round);
	return status == ST_OK ? "" : *text ? text : status_name(status);
}

static enum status apply(struct soak *soak, const struct tree_record *base, const char *edit_xml,
			 struct soak_result *result)
{
	static const struct edit_options options = {.default_operation = EDIT_MERGE};
	struct edit_tree *edit = NULL;
	result->stage = SOAK_DECODE;
	if (soak_decode(soak, edit_xml, &result->diags, &edit) != ST_OK)
		return ST_REJECTED;
	result->stage = SOAK_APPLY;
	enum status status = edit_apply(soak->schema, base, edit, &options, &result->diags, &result->applied);
	edit_tree_free(edit);
	return status;
}

static enum status settle_once(struct soak *soak, const struct tree_record *base, bool full,
			       struct tree_record *applied, struct diag_list *diags,
			       struct tree_record **settled)
{
	struct check_options options = {.steps = STEPS_MAX,
					.max_nodes = NODES_MAX,
					.full = full,
					.index = base == soak->root ? soak->index : NULL};
	struct tree_record *root = tree_record_ref(applied);
	enum status status = check_settle(soak->plan, &options, base, &root, diags);
	if (status == ST_OK)
		*settled = root;
	else
		soak_drop(soak, root);
	return status;
}

/* Settles from the base and as if nothing were known of it; both must come to the same. */
static enum status settle(struct soak *soak, const struct tree_record *base, bool base_valid,
			  struct soak_result *result)
{
	result->stage = SOAK_SETTLE;
	struct tree_record *full_root = NULL;
	struct diag_list diags;
	diag_list_init(&diags, soak->round, DIAGS_MAX);
	enum status full = settle_once(soak, base, true, result->applied, &diags, &full_root);
	enum status status = full;
	if (base_valid)
		status = settle_once(soak, base, false, result->applied, &result->diags, &result->settled);
	result->settle_differs =
		status != full ||
		(base_valid && full == ST_OK && !soak_same(soak, full_root, result->settled)) ||
		(base_valid &&
		 strcmp(soak_diags(&diags, soak->round), soak_diags(&result->diags, soak->round)) != 0);
	if (base_valid) {
		soak_drop(soak, full_root);
		return status;
	}
	result->settled = full_root;
	result->diags = diags;
	return full;
}

bool soak_settle(struct soak *soak, const struct tree_record *base, struct soak_result *result)
{
	diag_list_init(&result->diags, soak->round, DIAGS_MAX);
	return settle_once(soak, base, true, result->applied, &result->diags, &result->settled) == ST_OK;
}

void soak_run(struct soak *soak, const struct tree_record *base, bool base_valid, const char *edit_xml,
	      struct soak_result *result)
{
	*result = (struct soak_result){.stage = SOAK_DECODE};
	diag_list_init(&result->diags, soak->round, DIAGS_MAX);
	if (apply(soak, base, edit_xml, result) != ST_OK || settle(soak, base, base_valid, result) != ST_OK)
		return;
	result->stage = SOAK_CHECK;
	soak_check(soak, base_valid ? base : NULL, result);
}

void soak_check(struct soak *soak, const struct tree_record *base, struct soak_result *result)
{
	struct diag_list diags;
	struct check_index *handed_on = NULL, *anew = NULL;
	result->incremental = base ? check(soak, base, result->settled, &diags, &handed_on) : NULL;
	result->full = check(soak, NULL, result->settled, &result->diags, &anew);
	bool both = handed_on && anew;
	result->index_differs = both ? !check_index_equal(handed_on, anew) : base && handed_on != anew;
	check_index_unref(result->index, NULL);
	result->index = base ? handed_on : anew;
	check_index_unref(base ? anew : handed_on, NULL);
}

void soak_result_fini(struct soak *soak, struct soak_result *result)
{
	soak_drop(soak, result->applied);
	soak_drop(soak, result->settled);
	check_index_unref(result->index, NULL);
}

void soak_drop(struct soak *soak, const struct tree_record *root)
{
	if (root)
		tree_record_unref(root, soak->schema->root, NULL);
}

struct tree_record *soak_load(struct soak *soak, const char *xml)
{
	struct tree_record *empty = tree_record_new();
	struct soak_result result = {.stage = SOAK_DECODE};
	diag_list_init(&result.diags, soak->round, DIAGS_MAX);
	enum status status = apply(soak, empty, xml, &result);
	soak_drop(soak, empty);
	return status == ST_OK ? result.applied : NULL;
}

const char *soak_xml(struct soak *soak, const struct tree_record *root)
{
	struct xml_encoder *encoder = xml_encoder_new(soak->schema, root, NULL, NULL);
	struct buffer out;
	buffer_init(&out, SIZE_MAX);
	bool done = false;
	while (!done && xml_encoder_run(encoder, &out, SIZE_MAX / 2, SIZE_MAX / 2, &done) == ST_OK)
		continue;
	const char *copy = arena_strdup(soak->round, buffer_get(&out));
	buffer_fini(&out);
	xml_encoder_free(encoder);
	return copy;
}

/* Appends the text of what is stored; an empty non-presence container is nothing (RFC 7950 7.5.1). */
static void put_content(struct soak *soak, struct buffer *out, const struct tree_position *parent)
{
	struct tree_cursor cursor;
	struct tree_position child;
	tree_cursor_init(&cursor, soak->schema, parent, TREE_EXPLICIT);
	while (tree_cursor_next(&cursor, &child)) {
		const struct schema_node *node = child.schema;
		bool is_record = node->kind == SCHEMA_CONTAINER || node->kind == SCHEMA_LIST;
		(void)!buffer_printf(out, "<%s:%s>", node->module->name, node->name);
		size_t before = buffer_size(out);
		if (is_record)
			put_content(soak, out, &child);
		else if (node->type)
			(void)!buffer_append(out, value_bytes(&child.value));
		if (node->kind == SCHEMA_CONTAINER && !node->presence && buffer_size(out) == before)
			buffer_cut(out, strlen(node->module->name) + strlen(node->name) + 3);
		else
			(void)!buffer_append(out, bytes_of("</>"));
	}
}

bool soak_same(struct soak *soak, const struct tree_record *a, const struct tree_record *b)
{
	struct buffer texts[2];
	const struct tree_record *roots[2] = {a, b};
	for (size_t i = 0; i < 2; i++) {
		struct tree_position root = tree_position_root(soak->schema, roots[i]);
		buffer_init(&texts[i], SIZE_MAX);
		put_content(soak, &texts[i], &root);
	}
	bool same = bytes_equal(buffer_get(&texts[0]), buffer_get(&texts[1]));
	buffer_fini(&texts[0]);
	buffer_fini(&texts[1]);
	return same;
}
