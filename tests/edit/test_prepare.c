/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Edits that are prepared node by node: after each one a mark says how far the tree is complete. Applied to
 * any base, the outcome is that of the same edit without; and what may be prepared is, and what may not, is
 * given up.
 */
#include "helper_edit.h"

#include <string.h>

#include "edit/prepare.h"
#include "tree/builder.h"

static struct schema *schema;

static void take(struct edit_prepare *prepare, struct edit_mark *mark, const struct tree_record *there)
{
	if (mark->depth < EDIT_MARK_DEPTH)
		edit_prepare_take(prepare, mark, there);
}

/* A mark within and behind each child. */
static void take_below(struct edit_prepare *prepare, struct edit_mark *mark, const struct edit_node *node,
		       const struct tree_record *there)
{
	assert_true(mark->depth < EDIT_MARK_DEPTH);
	mark->open[mark->depth++] = node;
	mark->last = NULL;
	for (const struct edit_node *child = node->children; child; child = child->next) {
		take_below(prepare, mark, child, there);
		mark->last = child;
		take(prepare, mark, there);
	}
	mark->depth--;
}

/* Prepares and gives whether something came of it. */
static bool prepare(struct edit_tree *tree, const struct tree_record *there)
{
	struct edit_prepare *prepare = edit_prepare_new(schema, tree, NULL);
	struct edit_mark mark = {0};
	take_below(prepare, &mark, tree->top, there);
	tree->prepared = edit_prepare_finish(prepare);
	return tree->prepared;
}

static void expect_same(const char *base, const char *text, enum edit_operation default_operation,
			bool is_prepared, bool has_hint)
{
	struct arena *arena = arena_new();
	struct tree_record *root = helper_tree(schema, base);
	struct edit_tree *plain = helper_parse(schema, text), *edit = helper_parse(schema, text);
	if (prepare(edit, has_hint ? root : NULL) != is_prepared)
		fail_msg("\"%s\" is %sprepared", text, is_prepared ? "not " : "");
	struct helper_result want = helper_apply(schema, root, plain, default_operation, arena);
	struct helper_result got = helper_apply(schema, root, edit, default_operation, arena);
	assert_string_equal(got.errors, want.errors);
	if (want.root) {
		assert_string_equal(helper_dump(schema, got.root, arena),
				    helper_dump(schema, want.root, arena));
		assert_true(tree_record_equal(schema->root, got.root, want.root));
		helper_unref(schema, got.root);
		helper_unref(schema, want.root);
	}
	edit_tree_free(plain);
	edit_tree_free(edit);
	helper_unref(schema, root);
	arena_free(arena);
}

static void expect_same_on_all(const char *text, bool is_prepared)
{
	static const char *const bases[] = {"",
					    "top{}",
					    "top{ a=1 }",
					    "top{ e[k1]{ v=1 } }",
					    "top{ a=7 e[k2]{ v=5 sub[7,b] } e[k9] np{ x=1 } pc{} ll=x }",
					    "top{ ue[k3] ue[k1]{ us[1,a] } ul=c ul=a } ch{ t1=x } tca=x",
					    "top{ e[k1]{ eb1=x } e[k2]{ ea=y } } ch{ o1=y s=x }"};
	static const enum edit_operation operations[] = {EDIT_MERGE, EDIT_REPLACE, EDIT_NONE};
	for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++) {
		for (size_t j = 0; j < sizeof(operations) / sizeof(operations[0]); j++)
			expect_same(bases[i], text, operations[j], is_prepared, false);
	}
}

static void what_is_created_is_prepared(void **state)
{
	(void)state;
	expect_same_on_all("", true);
	expect_same_on_all("top{ a=1 e[k1]{ v=3 sub[7,b] sub[8,c] } e[k2]{ v=4 } e[k3] }", true);
	expect_same_on_all("top{ e[k3]{ v=1 } e[k1]{ v=2 } e[k2]{ sub[1,a] } ll=x ll=y np{ x=2 } pc{} }",
			   true);
	expect_same_on_all("top@create{ e[k1]{ v=3 } e[k2] }", true);
	expect_same_on_all("top@replace{ e[k1]{ v=3 } e[k2]{ sub[7,b] } }", true);
	expect_same_on_all("top{ e[k1]@create{ v=3 } e[k2]@replace{ v=3 } e[k4]@merge{ v=1 } }", true);
	expect_same_on_all("top{ ue[k2]{ v=1 us[2,a] us[1,a] } ue[k1] ue[k3] ul=b ul=a }", true);
	expect_same_on_all("top{ e[k1]{ ea=x } e[k2]{ eb1=x ebl=y } } ch{ o1=x on{ ox=y } r=z }", true);
	expect_same_on_all("top{ e[k1]#note=x{ v=3 } e[k2]{ v=4 } a=3#rank=4 }", true);
}

static void what_takes_away_is_not(void **state)
{
	(void)state;
	expect_same_on_all("top{ e[k1]{ v=3 } e[k2]@remove }", false);
	expect_same_on_all("top{ e[k1]{ v=3 } e[k2]@delete }", false);
	expect_same_on_all("top{ a@delete e[k1]{ v=3 } }", false);
	expect_same_on_all("top{ e[k1]{ v@remove } }", false);
	expect_same_on_all("top@remove", false);
}

/* Also an operation of its own further down, which may be about what another element made. */
static void what_depends_on_the_order_is_not(void **state)
{
	(void)state;
	expect_same_on_all("top{ e[k1]{ v=3 } e[k1]{ sub[7,b] } }", false);
	expect_same_on_all("top{ e[k1]{ ea=x eb1=x } }", false);
	expect_same_on_all("top{ ue[k2]!first ue[k1] }", false);
	expect_same_on_all("tcb[k1]{ b=x }", false);
	expect_same_on_all("top{ e[k1]{ v=3 } e[k1]@create }", false);
	expect_same_on_all("top{ e[k1]{ v=3@create } }", false);
	expect_same_on_all("top{ e[k1]{ sub[7,b]@create } }", false);
}

static void what_is_there_by_the_hint_is_not(void **state)
{
	(void)state;
	expect_same("top{ e[k1] e[k2] }", "top{ e[k1]{ v=3 } e[k2]{ v=4 } }", EDIT_MERGE, false, true);
	expect_same("top{ e[k5] }", "top{ e[k1]{ v=3 } e[k2]{ v=4 } }", EDIT_MERGE, true, true);
	expect_same("top{ a=1 }", "top{ e[k1]{ v=3 } e[k2]{ v=4 } }", EDIT_MERGE, true, true);
	expect_same("top{ e[k1] }", "top{ e[k1]{ v=3 sub[7,b] sub[8,b] } }", EDIT_MERGE, true, true);
	expect_same("top{ e[k1]{ sub[7,b] } }", "top{ e[k1]{ sub[7,b] sub[8,b] } }", EDIT_MERGE, false, true);
	expect_same("top{ e[k1]{ n{ m=x } } }", "top{ e[k1]{ n{ nn{ o=x } } } }", EDIT_MERGE, true, true);
	expect_same("top{ ue[k1] }", "top{ ue[k1]{ us[1,a] us[2,a] } ue[k2] }", EDIT_MERGE, true, true);
}

static void what_is_the_same_stays(void **state)
{
	(void)state;
	static const char text[] =
		"top{ e[k1]{ v=3 sub[7,b]{ s=x } n{ m=y } } e[k2]{ v=4 el=p el=q ea=r } ue[k3]{ us[1,a] } }";
	expect_same(text, text, EDIT_MERGE, true, true);
	expect_same(text, text, EDIT_REPLACE, true, true);
	expect_same(text, text, EDIT_NONE, true, true);
	expect_same(text, "top@replace{ e[k1]{ v=3 sub[7,b]{ s=x } n{ m=y } } e[k2]{ v=4 el=p ea=r } }",
		    EDIT_MERGE, true, false);
	expect_same(text, "top{ e[k1]@create{ v=3 sub[7,b]{ s=x } n{ m=y } } }", EDIT_MERGE, true, true);
	expect_same(text, "top{ e[k1]{ v=3 sub[7,b]{ s=other } n{ m=y } } }", EDIT_MERGE, false, true);
	expect_same(text, "top{ e[k1]#note=x{ v=3 sub[7,b]{ s=x } n{ m=y } } }", EDIT_MERGE, true, true);
}

/* What nobody has changed is not copied: the prepared entry itself is in the new root. */
static void whole_lists_are_attached(void **state)
{
	(void)state;
	struct arena *arena = arena_new();
	struct tree_record *empty = tree_record_new();
	struct edit_tree *edit = helper_parse(schema, "top{ e[k1]{ v=3 } e[k2]{ v=4 } }");
	assert_true(prepare(edit, empty));
	struct helper_result got = helper_apply(schema, empty, edit, EDIT_MERGE, arena);
	const struct schema_node *top = edit->top->children->schema;
	assert_ptr_equal(tree_record_find(got.root, top)->record,
			 tree_record_find(edit->prepared, top)->record);
	helper_unref(schema, got.root);
	helper_unref(schema, empty);
	edit_tree_free(edit);
	arena_free(arena);
}

static void a_stop_gives_up(void **state)
{
	(void)state;
	struct edit_tree *edit = helper_parse(schema, "top{ e[k1]{ v=3 } }");
	struct edit_prepare *prepare = edit_prepare_new(schema, edit, NULL);
	edit_prepare_stop(prepare);
	assert_null(edit_prepare_finish(prepare));
	edit_tree_free(edit);
}

static int set_up(void **state)
{
	(void)state;
	schema = helper_schema();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	schema_unref(schema);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_created_is_prepared),
		cmocka_unit_test(what_takes_away_is_not),
		cmocka_unit_test(what_depends_on_the_order_is_not),
		cmocka_unit_test(what_is_there_by_the_hint_is_not),
		cmocka_unit_test(what_is_the_same_stays),
		cmocka_unit_test(whole_lists_are_attached),
		cmocka_unit_test(a_stop_gives_up),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
