/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cuts a failing case down: one item of the edit after the other is taken out, one node of the base after the
 * other, as long as the same kind of difference stays; until nothing more can go. A base that was valid stays
 * valid (to both sides).
 */
#include "soak.h"

#include <stdio.h>
#include <string.h>

#include "tree/cursor.h"

struct shrinking {
	struct soak *soak;
	struct tree_record *base; /* own reference */
	bool base_valid;
	struct soak_item *edit;
	const char *what;
	bool changed;
};

static bool still_fails(struct shrinking *s, const struct tree_record *base)
{
	struct soak_result result;
	const char *what = "", *xml = soak_edit_xml(s->soak, s->edit, s->soak->round);
	enum soak_outcome outcome = soak_compare(s->soak, base, s->base_valid, xml, &result, &what);
	soak_result_fini(s->soak, &result);
	return outcome == SOAK_DIFFERENT && strcmp(what, s->what) == 0;
}

/* ---- the edit */

static void shrink_items(struct shrinking *s, struct soak_item *parent)
{
	struct soak_item **at = &parent->children;
	while (*at) {
		struct soak_item *item = *at;
		bool can_go = !item->node->is_key;
		if (can_go) {
			*at = item->next;
			if (still_fails(s, s->base)) {
				s->changed = true;
				continue;
			}
			*at = item;
		}
		shrink_items(s, item);
		at = &item->next;
	}
}

/* ---- the base */

static bool is_valid_base(struct shrinking *s, const struct tree_record *base)
{
	if (!s->base_valid)
		return true;
	struct soak_result result;
	struct soak_verdict verdict;
	soak_run(s->soak, base, false, "<config/>", &result);
	bool valid = result.stage == SOAK_CHECK && *result.full == '\0';
	soak_result_fini(s->soak, &result);
	if (valid)
		soak_oracle(s->soak, soak_xml(s->soak, base), &verdict);
	return valid && verdict.valid && verdict.removed == 0;
}

static bool remove_from_base(struct shrinking *s, const struct tree_position *position)
{
	struct tree_builder *builder = tree_builder_new(s->soak->schema, s->base, NULL);
	soak_remove(builder, position);
	struct tree_record *smaller = tree_builder_finish(builder);
	if (smaller != s->base && is_valid_base(s, smaller) && still_fails(s, smaller)) {
		soak_drop(s->soak, s->base);
		s->base = smaller;
		s->changed = true;
		return true;
	}
	soak_drop(s->soak, smaller);
	return false;
}

/* Tries all nodes below; true where one went: then positions are no longer good. */
static bool shrink_below(struct shrinking *s, const struct tree_position *parent)
{
	struct tree_cursor cursor;
	struct tree_position child;
	tree_cursor_init(&cursor, s->soak->schema, parent, TREE_EXPLICIT);
	while (tree_cursor_next(&cursor, &child)) {
		if (!child.schema->is_key && remove_from_base(s, &child))
			return true;
		bool is_record = child.schema->kind == SCHEMA_CONTAINER || child.schema->kind == SCHEMA_LIST;
		if (is_record && shrink_below(s, &child))
			return true;
	}
	return false;
}

static void shrink_base(struct shrinking *s)
{
	bool again = true;
	while (again) {
		struct tree_record *held = tree_record_ref(s->base);
		struct tree_position root = tree_position_root(s->soak->schema, held);
		again = shrink_below(s, &root);
		soak_drop(s->soak, held);
	}
}

/* What libyang leaves, as it reads to us. */
static void print_theirs(struct soak *soak, const struct soak_verdict *verdict)
{
	const char *xml = arena_printf(soak->round, "<config>%s</config>", verdict->xml);
	struct tree_record *root = soak_load(soak, xml);
	printf("libyang's data: %s\nread by us: %s\n", verdict->xml,
	       root ? soak_xml(soak, root) : "it does not decode");
	soak_drop(soak, root);
}

static void print_case(struct shrinking *s)
{
	struct soak_result result;
	const char *what = "", *xml = soak_edit_xml(s->soak, s->edit, s->soak->round);
	soak_compare(s->soak, s->base, s->base_valid, xml, &result, &what);
	printf("---- set %s: %s\n", s->soak->set->name, what);
	printf("base%s: %s\nedit: %s\n", s->base_valid ? "" : " (invalid)", soak_xml(s->soak, s->base), xml);
	if (result.settled)
		printf("result: %s\n", soak_xml(s->soak, result.settled));
	struct soak_verdict verdict = {.message = "", .app_tag = "", .path = "", .whens = ""};
	if (result.applied)
		soak_oracle(s->soak, soak_xml(s->soak, result.applied), &verdict);
	printf("incremental:\n%sfull:\n%s", result.incremental ? result.incremental : "(not run)\n",
	       result.full ? result.full : soak_diags(&result.diags, s->soak->round));
	printf("libyang: %s (app-tag %s) %s\n", verdict.valid ? "valid" : verdict.message, verdict.app_tag,
	       verdict.path);
	if (verdict.removed > 0)
		printf("removed by when:\n%s", verdict.whens);
	if (verdict.valid)
		print_theirs(s->soak, &verdict);
	fflush(stdout);
	soak_result_fini(s->soak, &result);
}

void soak_shrink(struct soak *soak, const struct tree_record *base, bool base_valid, struct soak_item *edit,
		 const char *what)
{
	struct shrinking s = {.soak = soak,
			      .base = tree_record_ref(base),
			      .base_valid = base_valid,
			      .edit = edit,
			      .what = what,
			      .changed = true};
	while (s.changed) {
		s.changed = false;
		shrink_items(&s, edit);
		shrink_base(&s);
	}
	print_case(&s);
	soak_drop(soak, s.base);
}
