/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Roots with several cases of a choice, which edit_apply never makes: put together by the builder, settled
 * against a base.
 */
#include "helper_edit.h"

#include <string.h>

#include "edit/settle.h"
#include "tree/builder.h"
#include "helper_fixture.h"

SCHEMA_OF_ALL_TESTS(helper_schema())

static void build_below(struct tree_builder *builder, const struct edit_node *parent)
{
	for (const struct edit_node *node = parent->children; node; node = node->next) {
		const struct schema_node *child = node->schema;
		if (child->is_key)
			continue;
		if (child->kind == SCHEMA_LEAF) {
			tree_builder_set_leaf(builder, child, node->value);
		} else if (child->kind == SCHEMA_LEAF_LIST) {
			tree_builder_add_value(builder, child, node->value);
		} else {
			bool made;
			if (child->kind == SCHEMA_LIST)
				tree_builder_enter_entry(builder, child, &node->children->value, &made);
			else
				tree_builder_enter(builder, child);
			build_below(builder, node);
			tree_builder_leave(builder);
		}
	}
}

/* `base` with what the text says put in, cases or not. */
static struct tree_record *build(const struct tree_record *base, const char *text)
{
	struct edit_tree *edit = helper_parse(schema, text);
	struct tree_builder *builder = tree_builder_new(schema, base, NULL);
	build_below(builder, edit->top);
	struct tree_record *root = tree_builder_finish(builder);
	edit_tree_free(edit);
	return root;
}

static const char *settle(const struct tree_record *base, struct tree_record **root, struct arena *arena)
{
	struct diag_list diags;
	diag_list_init(&diags, arena, 1);
	assert_int_equal(edit_settle(schema, base, root, NULL, &diags), ST_OK);
	return helper_dump(schema, *root, arena);
}

struct row {
	const char *base, *added, *result;
};

static const struct row rows[] = {
	/* nothing to settle */
	{"", "", ""},
	{"", "top{a=1} ch{r=1}", "top{a=1} ch{r=1}"},
	{"ch{o1=1}", "ch{ol=a na1=1}", "ch{o1=1 ol=a na1=1}"},
	/* the new case stays */
	{"ch{r=1}", "ch{s=1}", "ch{s=1}"},
	{"ch{s=1}", "ch{r=1}", "ch{r=1}"},
	{"ch{o1=1 ol=a nbl[k]} tleaf=t", "ch{t1=2}", "tleaf=t ch{t1=2}"},
	{"ch{t1=2 tp{tx=1}}", "ch{na1=1}", "ch{na1=1}"},
	{"ch{o1=1 na1=1}", "ch{nbl[k]{l=1} nbl[j]}", "ch{o1=1 nbl[j]{} nbl[k]{l=1}}"},
	{"tca=1", "tcb[k]{b=1}", "tcb[k]{b=1}"},
	{"tcb[j] tcb[k]", "tca=1", "tca=1"},
	{"top{e[j]{ea=1} e[k]{ea=1 v=2}}", "top{e[k]{ebl=x}}", "top{e[j]{ea=1} e[k]{v=2 ebl=x}}"},
	/* several are new: the first in the schema stays */
	{"", "ch{t1=1 o1=1 three{h=1}}", "ch{o1=1}"},
	{"", "ch{nc=1 na2=1 nbl[k]}", "ch{na2=1}"},
	{"", "ch{nc=1 na2=1 t1=1}", "ch{na2=1}"},
	{"ch{t1=1}", "ch{nc=1 na2=1 three{in{hi=1}}}", "ch{na2=1}"},
	{"", "top{e[a]{ebl=x ecn{ecl=1}} e[b]{ecn{ecl=1}} e[c]{ea=1 eb1=1}}",
	 "top{e[a]{ebl=x} e[b]{ecn{ecl=1}} e[c]{ea=1}}"},
	{"other{o=1}", "tca=1 tcb[k] ch{r=1 s=1} other{o=2}", "tca=1 ch{r=1} other{o=2}"},
};

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct arena *arena = arena_new();
		struct tree_record *base = helper_tree(schema, rows[i].base);
		struct tree_record *root = build(base, rows[i].added);
		const struct tree_record *before = root;
		const char *proposed = helper_dump(schema, root, arena);
		const char *dump = settle(base, &root, arena);
		if (strcmp(dump, rows[i].result) != 0)
			fail_msg("base {%s} added {%s}\nwant %s\ngot  %s", rows[i].base, rows[i].added,
				 rows[i].result, dump);
		if (strcmp(dump, proposed) == 0)
			assert_ptr_equal(root, before);
		helper_unref(schema, root);
		helper_unref(schema, base);
		arena_free(arena);
	}
}

/* What did not change is not looked at: a contest that the base has already stays. */
static void test_unchanged_is_left_alone(void **state)
{
	(void)state;
	struct arena *arena = arena_new();
	struct tree_record *empty = tree_record_new();
	struct tree_record *base = build(empty, "ch{r=1 s=1} top{e[k]{ea=1 eb1=1} e[j]}");
	struct tree_record *root = build(base, "top{e[j]{v=1}} tleaf=x");
	assert_string_equal(settle(base, &root, arena),
			    "tleaf=x top{e[j]{v=1} e[k]{ea=1 eb1=1}} ch{r=1 s=1}");
	helper_unref(schema, root);
	/* And when it is looked at and none is new, the first in the schema stays. */
	root = build(base, "top{e[k]{v=1}} ch{outside=o}");
	assert_string_equal(settle(base, &root, arena), "top{e[j]{} e[k]{v=1 ea=1}} ch{outside=o r=1}");
	helper_unref(schema, root);
	helper_unref(schema, base);
	helper_unref(schema, empty);
	arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_unchanged_is_left_alone),
	};
	return cmocka_run_group_tests(tests, load_schema, unload_schema);
}
