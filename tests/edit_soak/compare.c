/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One edit on both sides: written as XML, decoded and applied by edit_apply on the root; applied by the model
 * on its items. The verdicts, the errors and the data must be the same.
 */
#include "soak_edits.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "edit/apply.h"
#include "edit/settle.h"
#include "tree/cursor.h"

enum { DIAGS_MAX = 1000 };

static void read_children(const struct soak *soak, const struct tree_position *parent,
			  struct model_item *item, struct arena *arena)
{
	struct model_item **end = &item->children;
	struct tree_cursor cursor;
	struct tree_position child;
	tree_cursor_init(&cursor, soak->schema, parent, TREE_EXPLICIT);
	while (tree_cursor_next(&cursor, &child)) {
		struct model_item *below = arena_zalloc(arena, sizeof(*below));
		*end = below;
		end = &below->next;
		below->node = child.schema;
		if (child.schema->type)
			below->value = arena_strdup(arena, value_bytes(&child.value));
		else if (child.schema->kind == SCHEMA_CONTAINER || child.schema->kind == SCHEMA_LIST)
			read_children(soak, &child, below, arena);
		else
			below->value = arena_strdup(arena, text_bytes(child.any->xml));
	}
}

struct model_item *episode_read(const struct soak *soak, const struct tree_record *root, struct arena *arena)
{
	struct model_item *item = arena_zalloc(arena, sizeof(*item));
	item->node = soak->schema->root;
	struct tree_position top = tree_position_root(soak->schema, root);
	read_children(soak, &top, item, arena);
	return item;
}

struct outcome {
	struct tree_record *root; /* NULL: refused */
	const char *errors;	  /* as the model writes them */
	const char *text;	  /* of all diagnostics */
};

typedef enum status decode_function(struct soak *soak, const char *xml, struct diag_list *diags,
				    struct edit_tree **tree);

static struct outcome apply(struct soak *soak, const char *xml, enum model_operation default_operation,
			    decode_function *decode)
{
	static const enum edit_operation operations[] = {
		[MODEL_MERGE] = EDIT_MERGE, [MODEL_REPLACE] = EDIT_REPLACE, [MODEL_NONE] = EDIT_NONE};
	struct edit_options options = {.default_operation = operations[default_operation]};
	struct outcome outcome = {.errors = ""};
	struct edit_tree *edit = NULL;
	struct diag_list diags;
	diag_list_init(&diags, soak->round, DIAGS_MAX);
	enum status status = decode(soak, xml, &diags, &edit);
	if (status == ST_OK) {
		status = edit_apply(soak->schema, soak->root, edit, &options, &diags, &outcome.root);
		edit_tree_free(edit);
	}
	for (const struct diag *diag = diags.first; diag; diag = diag->next)
		outcome.errors = arena_printf(soak->round, "%s%s %s\n", outcome.errors,
					      diag_tag_name(diag->tag), diag->path ? diag->path : "");
	outcome.text = status == ST_OK ? "" : soak_diags(&diags, soak->round);
	return outcome;
}

static int compare_texts(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* The lines in order. */
static const char *sorted(const char *lines, struct arena *arena)
{
	struct vector texts;
	vector_init(&texts, sizeof(const char *));
	for (const char *line = lines; *line; line += strcspn(line, "\n") + 1)
		*(const char **)vector_push(&texts) =
			arena_strdup(arena, (struct bytes){line, strcspn(line, "\n")});
	if (texts.length > 1)
		qsort(texts.data, texts.length, sizeof(const char *), compare_texts);
	const char *out = "";
	for (size_t i = 0; i < texts.length; i++)
		out = arena_printf(arena, "%s%s\n", out, *(const char **)vector_at(&texts, i));
	vector_fini(&texts);
	return out;
}

/* What edit_apply gives is settled already: of each choice one case is left. */
static bool is_settled(struct soak *soak, struct tree_record *root)
{
	struct tree_record *settled = tree_record_ref(root);
	struct diag_list diags;
	diag_list_init(&diags, soak->round, DIAGS_MAX);
	bool same = edit_settle(soak->schema, soak->root, &settled, NULL, &diags) == ST_OK && settled == root;
	soak_drop(soak, settled);
	return same;
}

static void take(struct episode *episode, struct tree_record *root)
{
	struct soak *soak = episode->soak;
	soak_drop(soak, soak->root);
	soak->root = root;
	arena_reset(episode->now_arena);
	episode->now = episode_read(soak, root, episode->now_arena);
}

static const char *compare_data(struct episode *episode, const struct model_item *want,
				struct tree_record *root)
{
	struct arena *round = episode->soak->round;
	const char *ours = model_text(episode_read(episode->soak, root, round), round);
	const char *theirs = model_text(want, round);
	if (strcmp(ours, theirs) != 0)
		return arena_printf(round, "data differ\nmodel: %s\nyare:  %s", theirs, ours);
	return is_settled(episode->soak, root) ? NULL : "the new root is not settled";
}

/* What was prepared while it was decoded makes no difference. */
static const char *compare_prepared(struct episode *episode, const char *xml,
				    enum model_operation default_operation, const struct outcome *want)
{
	struct soak *soak = episode->soak;
	struct outcome got = apply(soak, xml, default_operation, soak_decode_prepared);
	if (strcmp(got.text, want->text) != 0)
		return arena_printf(soak->round, "prepared, errors differ\nwithout:\n%swith:\n%s", want->text,
				    got.text);
	if (!got.root)
		return NULL;
	bool same = tree_record_equal(soak->schema->root, got.root, want->root) && is_settled(soak, got.root);
	const char *theirs = model_text(episode_read(soak, got.root, soak->round), soak->round);
	soak_drop(soak, got.root);
	return same ? NULL : arena_printf(soak->round, "prepared, data differ\nwith: %s", theirs);
}

const char *episode_compare(struct episode *episode, const struct model_element *edit,
			    enum model_operation default_operation, bool *accepted)
{
	struct soak *soak = episode->soak;
	struct model_result want = model_apply(episode->now, edit, default_operation, soak->round);
	const char *xml = episode_xml(soak, edit);
	struct outcome got = apply(soak, xml, default_operation, soak_decode);
	*accepted = got.root != NULL;
	const char *before = model_text(episode_read(soak, soak->root, soak->round), soak->round);
	if (strcmp(before, model_text(episode->now, soak->round)) != 0)
		return "the old root changed";
	if (strcmp(sorted(want.errors, soak->round), sorted(got.errors, soak->round)) != 0)
		return arena_printf(soak->round, "errors differ\nmodel:\n%syare:\n%s", want.errors, got.text);
	const char *what = compare_prepared(episode, xml, default_operation, &got);
	if (!got.root)
		return what;
	if (!what)
		what = compare_data(episode, want.root, got.root);
	if (what)
		soak_drop(soak, got.root);
	else
		take(episode, got.root);
	return what;
}
