/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * continue-on-error: which edits a request has, which of them are left out, what refuses all. The settler
 * here has one `when`: top/d is allowed while top/a is "on".
 */
#include "helper_edit.h"

#include <stdio.h>
#include <string.h>

#include "edit/continue.h"
#include "os/clock.h"
#include "tree/builder.h"
#include "helper_fixture.h"

struct row {
	const char *base;
	enum edit_operation default_operation;
	const char *edit;
	const char *result; /* NULL: refused */
	const char *errors; /* tags */
};

SCHEMA_OF_ALL_TESTS(helper_schema())
static bool settling_fails;

static bool allows_d(const struct tree_record *root)
{
	struct arena *arena = arena_new();
	bool allowed = strstr(helper_dump(schema, root, arena), "a=on") != NULL;
	arena_free(arena);
	return allowed;
}

static const struct schema_node *find(const struct schema_node *parent, const char *name)
{
	for (size_t i = 0; i < parent->child_count; i++) {
		if (strcmp(parent->children[i]->name, name) == 0)
			return parent->children[i];
	}
	fail_msg("no %s", name);
	return NULL;
}

static bool has_d(const struct tree_record *root)
{
	const struct schema_node *top = find(schema->root, "top");
	const union tree_slot *slot = tree_record_find(root, top);
	return slot != NULL && tree_record_find(slot->record, find(top, "d")) != NULL;
}

static void remove_d(struct tree_record **root)
{
	const struct schema_node *top = find(schema->root, "top");
	struct tree_builder *builder = tree_builder_new(schema, *root, NULL);
	tree_builder_enter(builder, top);
	tree_builder_remove(builder, find(top, "d"));
	tree_builder_leave(builder);
	struct tree_record *made = tree_builder_finish(builder);
	helper_unref(schema, *root);
	*root = made;
}

static enum status settle(struct edit_settler *self, const struct tree_record *base,
			  struct tree_record **root, struct diag_list *diags)
{
	(void)self;
	if (settling_fails)
		diag_add(diags, DIAG_APPLICATION, DIAG_RESOURCE_DENIED, NULL);
	if (settling_fails || !has_d(*root) || allows_d(*root))
		return settling_fails ? ST_REJECTED : ST_OK;
	bool is_old = has_d(base);
	remove_d(root);
	if (!is_old)
		diag_add(diags, DIAG_APPLICATION, DIAG_UNKNOWN_ELEMENT, "d");
	return is_old ? ST_OK : ST_REJECTED;
}

static enum status check_named(struct edit_settler *self, const struct edit_node *top,
			       const struct tree_record *applied, const struct tree_record *settled,
			       struct diag_list *diags)
{
	(void)self;
	if (!has_d(applied) || has_d(settled) || top->children->schema != find(schema->root, "top"))
		return ST_OK;
	for (const struct edit_node *node = top->children->children; node != NULL; node = node->next) {
		bool is_named = strcmp(node->schema->name, "d") == 0 && node->operation != EDIT_DELETE;
		if (is_named)
			diag_add(diags, DIAG_APPLICATION, DIAG_UNKNOWN_ELEMENT, "d");
		if (is_named)
			return ST_REJECTED;
	}
	return ST_OK;
}

static const char *tags(const struct diag_list *diags, struct arena *arena)
{
	const char *text = "";
	for (const struct diag *diag = diags->first; diag != NULL; diag = diag->next)
		text = arena_printf(arena, "%s%s%s", text, diag == diags->first ? "" : " ",
				    diag_tag_name(diag->tag));
	return text;
}

static void run_row(const struct row *row)
{
	struct arena *arena = arena_new();
	struct diag_list diags;
	diag_list_init(&diags, arena, 10);
	struct tree_record *base = helper_tree(schema, row->base), *root = NULL;
	const char *base_before = helper_dump(schema, base, arena);
	struct edit_tree *edit = helper_parse(schema, row->edit);
	struct edit_options options = {.default_operation = row->default_operation,
				       .continue_on_error = true};
	struct edit_settler settler = {settle, check_named};
	enum status status = edit_apply_continue(schema, base, edit, &options, &settler, &diags, &root);
	const char *dump = status == ST_OK ? helper_dump(schema, root, arena) : NULL;
	bool as_wanted = (row->result != NULL) == (dump != NULL) &&
			 (dump == NULL || strcmp(dump, row->result) == 0) &&
			 strcmp(tags(&diags, arena), row->errors) == 0;
	if (!as_wanted)
		fail_msg("base {%s}\nedit {%s}\nwant %s\n     %s\ngot  %s\n     %s", row->base, row->edit,
			 row->result, row->errors, dump, tags(&diags, arena));
	assert_string_equal(helper_dump(schema, base, arena), base_before);
	if (status == ST_OK)
		helper_unref(schema, root);
	edit_tree_free(edit);
	helper_unref(schema, base);
	arena_free(arena);
}

static void run_rows(const struct row *rows, size_t length)
{
	for (size_t i = 0; i < length; i++)
		run_row(&rows[i]);
}

#define RUN(rows) run_rows(rows, sizeof(rows) / sizeof((rows)[0]))

static void test_what_is_left_out(void **state)
{
	(void)state;
	static const struct row rows[] = {
		{"", EDIT_MERGE, "top{ll=x@create ll=y@delete ll=z@create}", "top{ll=x ll=z}",
		 "data-missing"},
		{"top{ll=x}", EDIT_MERGE, "top{ll=x@create ll=y@create}", "top{ll=x ll=y}", "data-exists"},
		{"top{ll=x}", EDIT_MERGE, "top{ll=x@create ll=y@delete}", "top{ll=x}",
		 "data-exists data-missing"},
		{"", EDIT_MERGE, "top{ul=x ul=y@create!after=q ul=z@create}", "top{ul=x ul=z}",
		 "bad-attribute"},
		/* Each edit sees those before it. */
		{"", EDIT_MERGE, "top{ll=x@create ll=x@delete ll=x@delete}", "", "data-missing"},
		{"", EDIT_MERGE, "", "", ""},
		/* The way to an edit; what stands beside it. */
		{"", EDIT_MERGE, "top{a=1 ue[k]{v=2@create ul=3@delete} ll=x}", "top{a=1 ll=x ue[k]{v=2}}",
		 "data-missing"},
		{"top{ue[k]}", EDIT_NONE, "top{ue[k]{v=2@create} ue[q]{v=2@create} ll=x@create}",
		 "top{ll=x ue[k]{v=2}}", "data-missing"},
		/* The whole element fails. */
		{"top{ue[k]{v=1}}", EDIT_MERGE, "top{ue[k]@create{v=2} ll=x@create}", "top{ll=x ue[k]{v=1}}",
		 "data-exists"},
		/* <config> has an operation. */
		{"top{a=1}", EDIT_REPLACE, "top{ll=x ll=y@delete}", NULL, "data-missing"},
	};
	RUN(rows);
}

static void test_what_refuses_all(void **state)
{
	(void)state;
	static const struct row rows[] = {
		{"", EDIT_MERGE, "top{ll=x@create ue[k]{k@delete} ll=y@create}", NULL, "bad-element"},
	};
	RUN(rows);
	settling_fails = true;
	static const struct row unsettled[] = {
		{"", EDIT_MERGE, "top{ll=x@create}", NULL, "resource-denied"},
	};
	RUN(unsettled);
	settling_fails = false;
}

static void test_whens(void **state)
{
	(void)state;
	static const struct row rows[] = {
		/* True in the end. */
		{"", EDIT_MERGE, "top{d=5@create a=on@create}", "top{a=on d=5}", ""},
		{"", EDIT_MERGE, "top{ll=x@create d=5@create ll=y@create}", "top{ll=x ll=y}",
		 "unknown-element"},
		/* Who is stopped at first comes again after the others. */
		{"top{a=off}", EDIT_MERGE, "top{d=5@create ll=x@create a=on@replace a@delete}", "top{ll=x}",
		 "unknown-element"},
		/* Named with the value that it has, before and after the edit that forbids it. */
		{"top{a=on d=5}", EDIT_MERGE, "top{d=5@merge a=off@replace}", "top{a=off}",
		 "unknown-element"},
		{"top{a=on d=5}", EDIT_MERGE, "top{a=off@replace d=5@replace ll=x@create}", "top{a=off ll=x}",
		 "unknown-element"},
		/* Changed, and forbidden by a later edit; not named. */
		{"top{a=on d=5}", EDIT_MERGE, "top{d=6@replace a=off@replace}", "top{a=off}",
		 "unknown-element"},
		{"top{a=on d=5}", EDIT_MERGE, "top{ll=x@create a=off@replace}", "top{a=off ll=x}", ""},
		/* The edit that forbids it is left out as well, for another reason or for the same. */
		{"top{a=on d=5}", EDIT_MERGE, "top{d=6@merge a=off@create}", "top{a=on d=6}", "data-exists"},
	};
	RUN(rows);
}

/* Taking apart is no more than a walk: a request of many edits takes its time for each. */
static void test_many(void **state)
{
	(void)state;
	struct buffer text;
	buffer_init(&text, SIZE_MAX);
	enum status status = buffer_printf(&text, "top{");
	for (unsigned i = 0; i < 20000; i++)
		status |= buffer_printf(&text, " ll=v%u@create", i % 19999);
	status |= buffer_append(&text, (struct bytes){"}", 2});
	assert_int_equal(status, ST_OK);
	struct arena *arena = arena_new();
	struct diag_list diags;
	diag_list_init(&diags, arena, 10);
	struct tree_record *base = helper_tree(schema, ""), *root = NULL;
	struct edit_tree *edit = helper_parse(schema, buffer_get(&text).data);
	struct edit_options options = {.default_operation = EDIT_MERGE, .continue_on_error = true};
	struct edit_settler settler = {settle, check_named};
	uint64_t start_ns = os_clock_monotonic_ns();
	status = edit_apply_continue(schema, base, edit, &options, &settler, &diags, &root);
	assert_int_equal(status, ST_OK);
	assert_int_equal(diags.length, 1);
	printf("%llu us\n", (unsigned long long)(os_clock_monotonic_ns() - start_ns) / 1000);
	helper_unref(schema, root);
	helper_unref(schema, base);
	edit_tree_free(edit);
	arena_free(arena);
	buffer_fini(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_left_out),
		cmocka_unit_test(test_what_refuses_all),
		cmocka_unit_test(test_whens),
		cmocka_unit_test(test_many),
	};
	return cmocka_run_group_tests(tests, load_schema, unload_schema);
}
