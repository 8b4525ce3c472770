/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every operation on every kind of node, present and absent: tables of (tree, edit, what comes of it). A row
 * that is refused names tag and path of each error; the base must be the same afterwards in any case.
 */
#include "helper_edit.h"
#include "helper_fixture.h"

#include <string.h>

struct row {
	const char *base;
	enum edit_operation default_operation;
	const char *edit;
	const char *result; /* NULL: refused */
	const char *errors;
};

SCHEMA_OF_ALL_TESTS(helper_schema())

static void run_row(const struct row *row)
{
	struct arena *arena = arena_new();
	struct tree_record *base = helper_tree(schema, row->base);
	const char *base_before = helper_dump(schema, base, arena);
	struct edit_tree *edit = helper_parse(schema, row->edit);
	struct helper_result result = helper_apply(schema, base, edit, row->default_operation, arena);
	const char *dump = result.root ? helper_dump(schema, result.root, arena) : NULL;
	bool as_wanted = (row->result != NULL) == (dump != NULL) &&
			 (!dump || strcmp(dump, row->result) == 0) &&
			 strcmp(result.errors, row->errors ? row->errors : "") == 0;
	if (!as_wanted)
		fail_msg("base {%s}\nedit {%s}\nwant %s\n     %s\ngot  %s\n     %s", row->base, row->edit,
			 row->result, row->errors, dump, result.errors);
	assert_string_equal(helper_dump(schema, base, arena), base_before);
	/* What changed nothing is the same root; not so what was made and deleted again, or moved and back.
	 */
	if (dump && strcmp(dump, base_before) == 0 && !strstr(row->edit, "@delete") &&
	    !strstr(row->edit, "!first"))
		assert_ptr_equal(result.root, base);
	if (result.root)
		helper_unref(schema, result.root);
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

static void test_leaf(void **state)
{
	(void)state;
	static const struct row rows[] = {
		{"", EDIT_MERGE, "top{a=1}", "top{a=1}", NULL},
		{"top{a=1}", EDIT_MERGE, "top{a=2}", "top{a=2}", NULL},
		{"top{a=1}", EDIT_MERGE, "top{a=1}", "top{a=1}", NULL},
		{"top{a=1}", EDIT_MERGE, "top{d=9}", "top{a=1 d=9}", NULL},
		{"", EDIT_MERGE, "top{a=1@replace}", "top{a=1}", NULL},
		{"top{a=1 d=2}", EDIT_MERGE, "top{a=2@replace}", "top{a=2 d=2}", NULL},
		{"", EDIT_MERGE, "top{a=1@create}", "top{a=1}", NULL},
		{"top{a=1}", EDIT_MERGE, "top{a=1@create}", NULL, "data-exists /top/a"},
		{"top{a=1}", EDIT_MERGE, "top{a@delete}", "", NULL},
		{"top{a=1 d=2}", EDIT_MERGE, "top{a=other@delete}", "top{d=2}", NULL},
		{"", EDIT_MERGE, "top{a@delete}", NULL, "data-missing /top/a"},
		{"top{a=1}", EDIT_MERGE, "top{a@remove}", "", NULL},
		{"", EDIT_MERGE, "top{a@remove}", "", NULL},
		{"top{a=1}", EDIT_NONE, "top{a=2 d=3}", "top{a=1}", NULL},
		{"", EDIT_NONE, "top{a=1@create}", "top{a=1}", NULL},
		{"", EDIT_MERGE, "top{flag=}", "top{flag=}", NULL},
		{"top{flag=}", EDIT_MERGE, "top{flag@delete}", "", NULL},
		{"", EDIT_MERGE, "tleaf=x@create", "tleaf=x", NULL},
		{"tleaf=x", EDIT_MERGE, "tleaf=y@create", NULL, "data-exists /tleaf"},
		{"tleaf=x", EDIT_NONE, "tleaf@delete", "", NULL},
		{"", EDIT_MERGE, "top{a}", NULL, "invalid-value /top/a"},
	};
	RUN(rows);
}

/* A default in use is not explicit data (RFC 6243 2.3.3): create over it is right, a delete of it is not. */
static void test_default(void **state)
{
	(void)state;
	static const struct row rows[] = {
		{"", EDIT_MERGE, "top{d=7@create}", "top{d=7}", NULL},
		{"", EDIT_MERGE, "top{d=8@create}", "top{d=8}", NULL},
		{"top{d=7}", EDIT_MERGE, "top{d=7@create}", NULL, "data-exists /top/d"},
		{"top{d=7}", EDIT_MERGE, "top{d@delete}", "", NULL},
		{"top{a=1}", EDIT_MERGE, "top{d@delete}", NULL, "data-missing /top/d"},
		{"tl[1]", EDIT_MERGE, "tl[1]{opt@delete}", NULL, "data-missing /tl[id='1']/opt"},
	};
	RUN(rows);
}

static void test_leaf_list(void **state)
{
	(void)state;
	static const struct row rows[] = {
		{"", EDIT_MERGE, "top{ll=b ll=a}", "top{ll=a ll=b}", NULL},
		{"top{ll=a}", EDIT_MERGE, "top{ll=a ll=b}", "top{ll=a ll=b}", NULL},
		{"top{ll=a}", EDIT_MERGE, "top{ll=b@replace}", "top{ll=a ll=b}", NULL},
		{"", EDIT_MERGE, "top{ll=a@create}", "top{ll=a}", NULL},
		{"top{ll=a}", EDIT_MERGE, "top{ll=a@create ll=b@create}", NULL, "data-exists /top/ll[.='a']"},
		{"top{ll=a ll=b}", EDIT_MERGE, "top{ll=a@delete}", "top{ll=b}", NULL},
		{"top{ll=a}", EDIT_MERGE, "top{ll=a@delete}", "", NULL},
		{"top{ll=a}", EDIT_MERGE, "top{ll=b@delete}", NULL, "data-missing /top/ll[.='b']"},
		{"top{ll=a}", EDIT_MERGE, "top{ll=b@remove}", "top{ll=a}", NULL},
		{"top{ll=a}", EDIT_NONE, "top{ll=b}", "top{ll=a}", NULL},
		{"tll=10 tll=9", EDIT_MERGE, "tll=100", "tll=9 tll=10 tll=100", NULL},
		{"", EDIT_MERGE, "top{ll=a!first}", NULL, "unknown-attribute /top/ll[.='a']"},
		{"", EDIT_MERGE, "top{ll@delete}", NULL, "invalid-value /top/ll"},
		{"", EDIT_MERGE, "top{ll=a@create ll=a@create}", NULL, "data-exists /top/ll[.='a']"},
		{"", EDIT_MERGE, "top{ll=a@create ll=a@delete}", "", NULL},
	};
	RUN(rows);
}

/* yang:insert (RFC 7950 7.7.9): one after the other, relative to what is there by then. */
static void test_ordered_values(void **state)
{
	(void)state;
	static const struct row rows[] = {
		{"", EDIT_MERGE, "top{ul=c ul=a ul=b}", "top{ul=c ul=a ul=b}", NULL},
		{"top{ul=c ul=a}", EDIT_MERGE, "top{ul=b ul=c}", "top{ul=c ul=a ul=b}", NULL},
		{"top{ul=c ul=a}", EDIT_MERGE, "top{ul=b!first}", "top{ul=b ul=c ul=a}", NULL},
		{"top{ul=c ul=a}", EDIT_MERGE, "top{ul=a!first ul=c!first}", "top{ul=c ul=a}", NULL},
		{"top{ul=c ul=a}", EDIT_REPLACE, "top{ul=a ul=c}", "top{ul=a ul=c}", NULL},
		{"top{ul=c ul=a}", EDIT_MERGE, "top{ul=c@replace!last}", "top{ul=a ul=c}", NULL},
		{"top{ul=c ul=a}", EDIT_MERGE, "top{ul=b@create!before=a}", "top{ul=c ul=b ul=a}", NULL},
		{"top{ul=c ul=a}", EDIT_MERGE, "top{ul=b!after=c}", "top{ul=c ul=b ul=a}", NULL},
		{"top{ul=a ul=b}", EDIT_MERGE, "top{ul=a!before=b}", "top{ul=a ul=b}", NULL},
		{"top{ul=1 ul=2 ul=3}", EDIT_MERGE, "top{ul=1!after=3 ul=0!before=1}",
		 "top{ul=2 ul=3 ul=0 ul=1}", NULL},
		{"top{ul=a}", EDIT_MERGE, "top{ul=a@create!first}", NULL, "data-exists /top/ul[.='a']"},
		{"top{ul=a}", EDIT_MERGE, "top{ul=b!after=x}", NULL,
		 "bad-attribute /top/ul[.='b'] missing-instance"},
		{"", EDIT_MERGE, "top{ul=b!after=c ul=c}", NULL,
		 "bad-attribute /top/ul[.='b'] missing-instance"},
		{"top{ul=a}", EDIT_MERGE, "top{ul=b!after=b}", NULL, "bad-attribute /top/ul[.='b']"},
		{"top{ul=a}", EDIT_MERGE, "top{ul=a!after=a}", NULL, "bad-attribute /top/ul[.='a']"},
		{"top{ul=a}", EDIT_MERGE, "top{ul=a!after}", NULL, "bad-attribute /top/ul[.='a']"},
		{"top{ul=a}", EDIT_MERGE, "top{ul=a@delete!first}", NULL, "bad-attribute /top/ul[.='a']"},
		{"top{ul=a}", EDIT_NONE, "top{ul=a!first}", NULL, "bad-attribute /top/ul[.='a']"},
		{"top{ul=a ul=b}", EDIT_MERGE, "top{ul=a@remove ul=a}", "top{ul=b ul=a}", NULL},
	};
	RUN(rows);
}

/* The same for entries (RFC 7950 7.8.6), and what a replace of all of them means. */
static void test_ordered_entries(void **state)
{
	(void)state;
	static const struct row rows[] = {
		{"top{ue[b]{v=1} ue[a]{}}", EDIT_MERGE, "top{ue[b]{v=2} ue[c]}",
		 "top{ue[b]{v=2} ue[a]{} ue[c]{}}", NULL},
		{"top{ue[b]{v=1} ue[a]{}}", EDIT_MERGE, "top{ue[b]!after=a{v=2}}", "top{ue[a]{} ue[b]{v=2}}",
		 NULL},
		{"top{ue[b]{v=1} ue[a]{}}", EDIT_MERGE, "top{ue[b]@replace!last{}}", "top{ue[a]{} ue[b]{}}",
		 NULL},
		{"top{ue[b]{v=1} ue[a]{}}", EDIT_MERGE, "top{ue[b]@replace{}}", "top{ue[b]{} ue[a]{}}", NULL},
		{"top{ue[b]{v=1} ue[a]{}}", EDIT_MERGE, "top{ue[c]@create!first{ul=2 ul=1}}",
		 "top{ue[c]{ul=2 ul=1} ue[b]{v=1} ue[a]{}}", NULL},
		{"top{ue[a]{us[1,x]{} us[2,y]{}}}", EDIT_MERGE, "top{ue[a]{us[3,z]!before=2,y{s=1}}}",
		 "top{ue[a]{us[1,x]{} us[3,z]{s=1} us[2,y]{}}}", NULL},
		{"top{ue[a]{us[1,x]{} us[2,y]{}}}", EDIT_MERGE, "top{ue[a]{us[3,z]!before=2,x{s=1}}}", NULL,
		 "bad-attribute /top/ue[k='a']/us[x='3'][y='z'] missing-instance"},
		{"top{ue[b]{v=1} ue[a]{}}", EDIT_MERGE, "top@replace{ue[a] ue[c] ue[b]{v=1}}",
		 "top{ue[a]{} ue[c]{} ue[b]{v=1}}", NULL},
		{"top{ue[b]{} ue[a]{} ue[c]{}}", EDIT_MERGE, "top@replace{ue[c] ue[b]!first ue[a]!after=b}",
		 "top{ue[b]{} ue[a]{} ue[c]{}}", NULL},
		{"top{ue[b]{} ue[a]{}}", EDIT_MERGE, "top@replace{ue[b]!after=a ue[a]}", NULL,
		 "bad-attribute /top/ue[k='b'] missing-instance"},
		{"top{ue[b]{} ue[a]{} ue[c]{}}", EDIT_MERGE, "top@replace{ue[c] ue[c]@remove ue[a] ue[b]}",
		 "top{ue[a]{} ue[b]{}}", NULL},
		{"top{e[x]{ebu=b ebu=a}}", EDIT_MERGE, "top{e[x]@replace{ebu=a ebu=b}}",
		 "top{e[x]{ebu=a ebu=b}}", NULL},
		{"top{ue[a]{}}", EDIT_NONE, "top{ue[a]!first{v=1@create}}", NULL,
		 "bad-attribute /top/ue[k='a']"},
	};
	RUN(rows);
}

static void test_any(void **state)
{
	(void)state;
	static const struct row rows[] = {
		{"", EDIT_MERGE, "top{ad=x ax=t}", "top{ad=x ax=t}", NULL},
		{"top{ad=x}", EDIT_MERGE, "top{ad=y}", "top{ad=y}", NULL},
		{"top{ad=x}", EDIT_MERGE, "top{ad=x}", "top{ad=x}", NULL},
		{"top{ad=x}", EDIT_MERGE, "top{ad=y@replace}", "top{ad=y}", NULL},
		{"", EDIT_MERGE, "top{ad=x@create}", "top{ad=x}", NULL},
		{"top{ad=x}", EDIT_MERGE, "top{ad=y@create}", NULL, "data-exists /top/ad"},
		{"top{ad=x ax=y}", EDIT_MERGE, "top{ad@delete ax@remove}", "", NULL},
		{"", EDIT_MERGE, "top{ax@delete}", NULL, "data-missing /top/ax"},
		{"", EDIT_MERGE, "top{ax@remove}", "", NULL},
		{"top{ad=x}", EDIT_NONE, "top{ad=y}", "top{ad=x}", NULL},
		{"", EDIT_MERGE, "top{ad}", NULL, "invalid-value /top/ad"},
	};
	RUN(rows);
}

static void test_entry(void **state)
{
	(void)state;
	static const struct row rows[] = {
		{"", EDIT_MERGE, "top{e[k]}", "top{e[k]{}}", NULL},
		{"", EDIT_MERGE, "top{e[k]{v=1}}", "top{e[k]{v=1}}", NULL},
		{"top{e[k]{v=1}}", EDIT_MERGE, "top{e[k]{w=2}}", "top{e[k]{v=1 w=2}}", NULL},
		{"top{e[k]{v=1}}", EDIT_MERGE, "top{e[k]}", "top{e[k]{v=1}}", NULL},
		{"top{e[b]}", EDIT_MERGE, "top{e[c] e[a]}", "top{e[a]{} e[b]{} e[c]{}}", NULL},
		{"tl[9]", EDIT_MERGE, "tl[10]{val=x} tl[8]", "tl[8]{} tl[9]{} tl[10]{val=x}", NULL},
		{"top{e[k]{sub[1,a]{s=x}}}", EDIT_MERGE, "top{e[k]{sub[1,b] sub[-1,z]}}",
		 "top{e[k]{sub[-1,z]{} sub[1,a]{s=x} sub[1,b]{}}}", NULL},
		/* replace: unnamed content of the entry goes, other entries stay */
		{"top{e[j]{v=1} e[k]{v=1 w=2 el=a el=b}}", EDIT_MERGE, "top{e[k]@replace{v=3 el=b}}",
		 "top{e[j]{v=1} e[k]{v=3 el=b}}", NULL},
		{"", EDIT_MERGE, "top{e[k]@replace{v=3}}", "top{e[k]{v=3}}", NULL},
		{"top{e[k]{v=1}}", EDIT_MERGE, "top{e[k]@replace}", "top{e[k]{}}", NULL},
		{"top{e[k]{sub[1,a]{s=x} sub[2,a] sub[3,a]}}", EDIT_MERGE,
		 "top{e[k]@replace{sub[3,a]{s=y} sub[1,a] sub[4,a]}}",
		 "top{e[k]{sub[1,a]{} sub[3,a]{s=y} sub[4,a]{}}}", NULL},
		{"top{e[k]{sub[1,a]{s=x} sub[2,a] v=1}}", EDIT_MERGE, "top{e[k]@replace{sub[5,a] v=1}}",
		 "top{e[k]{v=1 sub[5,a]{}}}", NULL},
		{"", EDIT_MERGE, "top{e[k]@create{v=1}}", "top{e[k]{v=1}}", NULL},
		{"top{e[k]}", EDIT_MERGE, "top{e[k]@create{v=1}}", NULL, "data-exists /top/e[k='k']"},
		{"top{e[k]{sub[1,a]}}", EDIT_MERGE, "top{e[k]{sub[1,a]@create}}", NULL,
		 "data-exists /top/e[k='k']/sub[x='1'][y='a']"},
		{"top{e[j] e[k]{v=1}}", EDIT_MERGE, "top{e[k]@delete}", "top{e[j]{}}", NULL},
		{"top{e[k]{v=1}}", EDIT_MERGE, "top{e[k]@delete}", "", NULL},
		{"top{e[j]}", EDIT_MERGE, "top{e[k]@delete}", NULL, "data-missing /top/e[k='k']"},
		{"", EDIT_MERGE, "top{e[k]{sub[1,a]@delete}}", NULL,
		 "data-missing /top/e[k='k']/sub[x='1'][y='a']"},
		{"top{e[j]}", EDIT_MERGE, "top{e[k]@remove}", "top{e[j]{}}", NULL},
		{"", EDIT_MERGE, "top{e[k]@remove}", "", NULL},
		{"top{e[k]{v=1}}", EDIT_NONE, "top{e[k]{v=2}}", "top{e[k]{v=1}}", NULL},
		{"top{e[k]{v=1}}", EDIT_NONE, "top{e[k]{v=2@merge}}", "top{e[k]{v=2}}", NULL},
		{"top{e[j]}", EDIT_NONE, "top{e[k]}", NULL, "data-missing /top/e[k='k']"},
		{"", EDIT_NONE, "top{e[k]{v=1@create}}", NULL, "data-missing /top/e[k='k']"},
		{"", EDIT_NONE, "top{e[k]@create{v=1}}", "top{e[k]{v=1}}", NULL},
		{"top{e[k]}", EDIT_NONE, "top{e[k]{sub[1,a]@create}}", "top{e[k]{sub[1,a]{}}}", NULL},
		{"", EDIT_MERGE, "tl[1]!first", NULL, "unknown-attribute /tl[id='1']"},
		/* below a delete nothing is looked at */
		{"top{e[k]{v=1}}", EDIT_MERGE, "top{e[k]@delete{k@delete v=2@create w@delete}}", "", NULL},
	};
	RUN(rows);
}

static void test_key(void **state)
{
	(void)state;
	static const struct row rows[] = {
		{"top{e[k]}", EDIT_MERGE, "top{e[k]{k@delete}}", NULL, "bad-element /top/e[k='k']/k"},
		{"top{e[k]}", EDIT_MERGE, "top{e[k]{k@remove}}", NULL, "bad-element /top/e[k='k']/k"},
		{"top{e[k]}", EDIT_NONE, "top{e[k]{k@remove}}", NULL, "bad-element /top/e[k='k']/k"},
		{"", EDIT_MERGE, "top{e[k]{k@remove}}", NULL, "bad-element /top/e[k='k']/k"},
		{"top{e[k]}", EDIT_MERGE, "top{e[k]{k@create}}", NULL, "data-exists /top/e[k='k']/k"},
		{"", EDIT_MERGE, "top{e[k]{k@create}}", "top{e[k]{}}", NULL},
		{"", EDIT_MERGE, "top{e[k]@create{k@create}}", "top{e[k]{}}", NULL},
		/* a key without a value, as a deletion may have it */
		{"tl[1]", EDIT_MERGE, "tl{id@delete}", NULL, "bad-element /tl"},
		{"tl[1]", EDIT_REPLACE, "tl{id@delete}", NULL, "bad-element /tl"},
		{"tl[1]", EDIT_MERGE, "tl@delete{id}", NULL, "bad-element /tl"},
		{"top{e[k]{v=1}}", EDIT_MERGE, "top{e[k]{k@replace}}", "top{e[k]{v=1}}", NULL},
		{"top{e[k]{v=1}}", EDIT_MERGE, "top{e[k]{k@merge}}", "top{e[k]{v=1}}", NULL},
	};
	RUN(rows);
}

static void test_presence_container(void **state)
{
	(void)state;
	static const struct row rows[] = {
		{"", EDIT_MERGE, "top{pc}", "top{pc{}}", NULL},
		{"", EDIT_MERGE, "other{empty-presence}", "other{empty-presence{}}", NULL},
		{"top{pc{p=1}}", EDIT_MERGE, "top{pc}", "top{pc{p=1}}", NULL},
		{"top{pc{p=1}}", EDIT_MERGE, "top{pc{q=2}}", "top{pc{p=1 q=2}}", NULL},
		{"top{pc{p=1}}", EDIT_MERGE, "top{pc@replace{q=2}}", "top{pc{q=2}}", NULL},
		{"top{pc{p=1}}", EDIT_MERGE, "top{pc@replace}", "top{pc{}}", NULL},
		{"", EDIT_MERGE, "top{pc@replace}", "top{pc{}}", NULL},
		{"", EDIT_MERGE, "top{pc@create{p=1}}", "top{pc{p=1}}", NULL},
		{"top{pc}", EDIT_MERGE, "top{pc@create}", NULL, "data-exists /top/pc"},
		{"top{pc{p=1}}", EDIT_MERGE, "top{pc@delete}", "", NULL},
		{"top{pc}", EDIT_MERGE, "top{pc@delete}", "", NULL},
		{"", EDIT_MERGE, "top{pc@delete}", NULL, "data-missing /top/pc"},
		{"", EDIT_MERGE, "top{pc@remove}", "", NULL},
		{"top{pc}", EDIT_MERGE, "top{pc@remove}", "", NULL},
		{"top{pc{p=1}}", EDIT_MERGE, "top{pc{p@delete}}", "top{pc{}}", NULL},
		{"", EDIT_NONE, "top{pc}", NULL, "data-missing /top/pc"},
		{"", EDIT_NONE, "top{pc{p=1@create}}", NULL, "data-missing /top/pc"},
		{"top{pc}", EDIT_NONE, "top{pc{p=1@create}}", "top{pc{p=1}}", NULL},
		{"top{pc}", EDIT_NONE, "top{pc{p=1}}", "top{pc{}}", NULL},
	};
	RUN(rows);
}

static void test_non_presence_container(void **state)
{
	(void)state;
	static const struct row rows[] = {
		{"", EDIT_MERGE, "top{np}", "", NULL},
		{"", EDIT_MERGE, "top{np{x=1}}", "top{np{x=1}}", NULL},
		{"top{np{x=1}}", EDIT_MERGE, "top{np{y=2}}", "top{np{x=1 y=2}}", NULL},
		{"top{np{x=1 deep{z=1}}}", EDIT_MERGE, "top{np@replace{y=2}}", "top{np{y=2}}", NULL},
		{"top{np{x=1 deep{z=1 zl=1 zl=2}}}", EDIT_MERGE, "top{np@replace{deep{zl=2}}}",
		 "top{np{deep{zl=2}}}", NULL},
		{"top{a=1 np{x=1}}", EDIT_MERGE, "top{np@replace}", "top{a=1}", NULL},
		{"", EDIT_MERGE, "top{np@create}", "", NULL},
		{"", EDIT_MERGE, "top{np@create{x=1 deep{z=1}}}", "top{np{x=1 deep{z=1}}}", NULL},
		{"top{np{x=1}}", EDIT_MERGE, "top{np@create}", NULL, "data-exists /top/np"},
		{"top{np{deep{z=1}}}", EDIT_MERGE, "top{np@create{x=1}}", NULL, "data-exists /top/np"},
		{"top{np{x=1}}", EDIT_MERGE, "top{np{deep@create{z=1}}}", "top{np{x=1 deep{z=1}}}", NULL},
		{"top{np{x=1}}", EDIT_MERGE, "top{np@delete}", "", NULL},
		{"top{np{deep{z=1}} a=1}", EDIT_MERGE, "top{np@delete}", "top{a=1}", NULL},
		{"", EDIT_MERGE, "top{np@delete}", NULL, "data-missing /top/np"},
		{"top{np{x=1}}", EDIT_MERGE, "top{np{deep@delete}}", NULL, "data-missing /top/np/deep"},
		{"", EDIT_MERGE, "top@delete", NULL, "data-missing /top"},
		{"", EDIT_MERGE, "top@remove", "", NULL},
		{"top{np{x=1}}", EDIT_NONE, "top@remove", "", NULL},
		{"", EDIT_NONE, "top{np{deep}}", "", NULL},
		{"", EDIT_NONE, "top{np{deep{z=1}}}", "", NULL},
		{"", EDIT_NONE, "top{np{deep{z=1@create}}}", "top{np{deep{z=1}}}", NULL},
		{"", EDIT_NONE, "top{np{deep{z=1@delete}}}", NULL, "data-missing /top/np/deep/z"},
		/* what a deletion empties is gone, up to the top */
		{"top{np{deep{z=1}}}", EDIT_MERGE, "top{np{deep{z@delete}}}", "", NULL},
		{"top{np{x=1 deep{z=1}}}", EDIT_MERGE, "top{np{deep{z@delete}}}", "top{np{x=1}}", NULL},
	};
	RUN(rows);
}

static void test_default_operation_replace(void **state)
{
	(void)state;
	static const struct row rows[] = {
		{"top{a=1} tleaf=x other{o=1}", EDIT_REPLACE, "", "", NULL},
		{"top{a=1} tleaf=x other{o=1}", EDIT_REPLACE, "top{d=2}", "top{d=2}", NULL},
		{"top{a=1 e[k]{v=1 w=2} e[j]} tl[1]", EDIT_REPLACE, "top{e[k]{v=1}} tll=4",
		 "tll=4 top{e[k]{v=1}}", NULL},
		{"tl[1]{val=a} tl[2]{val=b} tl[3]", EDIT_REPLACE, "tl[3] tl[1]{val=a}",
		 "tl[1]{val=a} tl[3]{}", NULL},
		{"tll=1 tll=2 tll=3", EDIT_REPLACE, "tll=2", "tll=2", NULL},
		{"tll=1 tll=2 tll=3", EDIT_REPLACE, "tll=4", "tll=4", NULL},
		{"top{a=1 np{x=1 y=2} e[k]{v=1 n{m=1}}} tl[1]{val=a} other{o=1}", EDIT_REPLACE,
		 "top{a=1 np{x=1 y=2} e[k]{v=1 n{m=1}}} tl[1]{val=a} other{o=1}",
		 "tl[1]{val=a} top{a=1 np{x=1 y=2} e[k]{v=1 n{m=1}}} other{o=1}", NULL},
		/* operations inside act on what is there, and name it */
		{"top{a=1 np{x=1 y=2}} tleaf=x", EDIT_REPLACE, "top{np@merge{x=3}}", "top{np{x=3 y=2}}",
		 NULL},
		{"top{a=1 d=2} tleaf=x", EDIT_REPLACE, "top{a@delete d=3}", "top{d=3}", NULL},
		{"top{a=1}", EDIT_REPLACE, "top{a=2@create}", NULL, "data-exists /top/a"},
		{"top{a=1}", EDIT_REPLACE, "top{e[k]@delete}", NULL, "data-missing /top/e[k='k']"},
		{"top{e[j] e[k]}", EDIT_REPLACE, "top{e[k]@delete}", "", NULL},
		{"", EDIT_REPLACE, "top{pc}", "top{pc{}}", NULL},
		{"", EDIT_MERGE, "", "", NULL},
		{"tleaf=x", EDIT_NONE, "", "tleaf=x", NULL},
	};
	RUN(rows);
}

static void test_inheritance(void **state)
{
	(void)state;
	static const struct row rows[] = {
		{"top{e[k]{v=1}}", EDIT_MERGE, "top@create{a=1}", NULL, "data-exists /top"},
		{"top{a=1}", EDIT_NONE, "top@merge{a=2 np{x=1}}", "top{a=2 np{x=1}}", NULL},
		{"top{a=1 d=2}", EDIT_NONE, "top@replace{a=2 np{x=1}}", "top{a=2 np{x=1}}", NULL},
		{"", EDIT_NONE, "top@create{e[k]{v=1} pc{p=1} ll=a}", "top{ll=a pc{p=1} e[k]{v=1}}", NULL},
		{"", EDIT_MERGE, "top@create{e[k] e[k]}", NULL, "data-exists /top/e[k='k']"},
		{"top{a=1}", EDIT_MERGE, "top@create{a=2} tleaf=y@delete tll=7@delete", NULL,
		 "data-exists /top\ndata-missing /tleaf\ndata-missing /tll[.='7']"},
		{"top{e[k]{v=1 w=2}}", EDIT_NONE, "top{e[k]@replace{w=3@merge}}", "top{e[k]{w=3}}", NULL},
		{"top{a=1}", EDIT_MERGE, "top{a@delete d@delete ll=x@create ll=x@create e[q]@delete}", NULL,
		 "data-missing /top/d\ndata-exists /top/ll[.='x']\ndata-missing /top/e[k='q']"},
	};
	RUN(rows);
}

static void test_twice(void **state)
{
	(void)state;
	static const struct row rows[] = {
		/* entries and values: one after the other */
		{"", EDIT_MERGE, "top{e[k]{v=1} e[k]{w=2}}", "top{e[k]{v=1 w=2}}", NULL},
		{"", EDIT_MERGE, "top{e[k]@create{v=1} e[k]@replace{w=2}}", "top{e[k]{w=2}}", NULL},
		{"top{e[k]{v=1}}", EDIT_MERGE, "top{e[k]@delete e[k]@create{w=2}}", "top{e[k]{w=2}}", NULL},
		{"", EDIT_MERGE, "top{e[k]{v=1} e[k]@delete}", "", NULL},
		{"", EDIT_MERGE, "top{e[k]@create e[k]@create}", NULL, "data-exists /top/e[k='k']"},
		/* containers: taken together */
		{"", EDIT_MERGE, "top{np{x=1}} tleaf=t top{np{y=2}}", "tleaf=t top{np{x=1 y=2}}", NULL},
		{"top{a=1}", EDIT_REPLACE, "top{np{x=1}} top{np{y=2}}", "top{np{x=1 y=2}}", NULL},
		{"top{np{x=9 deep{z=1}}}", EDIT_MERGE, "top{np@replace{x=1} np@replace{y=2}}",
		 "top{np{x=1 y=2}}", NULL},
		{"", EDIT_MERGE, "top{np@create{x=1} np@create{y=2}}", "top{np{x=1 y=2}}", NULL},
		{"", EDIT_MERGE, "top{pc@create{p=1} pc@create{q=2}}", "top{pc{p=1 q=2}}", NULL},
		{"top{np{x=1}}", EDIT_MERGE, "top{np@delete np@delete}", "", NULL},
		{"top{np{x=1}}", EDIT_MERGE, "top{np@delete np@create{y=2}}", NULL, "bad-element /top/np"},
		{"", EDIT_MERGE, "ch{o1=1} ch{t1=2}", NULL, "bad-element /ch/t1"},
		{"top{e[k]{n{m=1 nn{o=1}}}}", EDIT_MERGE, "top{e[k]@replace{n{m=2} v=1 n{nn{o=1}}}}",
		 "top{e[k]{v=1 n{m=2 nn{o=1}}}}", NULL},
	};
	RUN(rows);
}

static void test_cases(void **state)
{
	(void)state;
	static const struct row rows[] = {
		{"ch{o1=1 ol=a on{ox=1} outside=z r=1}", EDIT_MERGE, "ch{t1=2}", "ch{t1=2 outside=z r=1}",
		 NULL},
		{"ch{o1=1 na1=1 outside=z}", EDIT_MERGE, "ch{three{h=1}}", "ch{three{h=1} outside=z}", NULL},
		{"ch{t1=1}", EDIT_MERGE, "ch{na1=1}", "ch{na1=1}", NULL},
		{"ch{o1=1 na1=1 na2=2}", EDIT_MERGE, "ch{nbl[k]}", "ch{o1=1 nbl[k]{}}", NULL},
		{"ch{o1=1 nbl[k] nbl[j]}", EDIT_MERGE, "ch{nc=1}", "ch{o1=1 nc=1}", NULL},
		{"ch{o1=1 nbl[k] nbl[j]}", EDIT_MERGE, "ch{tp}", "ch{tp{}}", NULL},
		{"ch{tp{tx=1} t1=5}", EDIT_MERGE, "ch{ol=a}", "ch{ol=a}", NULL},
		{"ch{o1=1}", EDIT_MERGE, "ch{o1=2 ol=b}", "ch{o1=2 ol=b}", NULL},
		{"ch{r=1}", EDIT_MERGE, "ch{s=1@create}", "ch{s=1}", NULL},
		{"ch{r=1}", EDIT_NONE, "ch{s=1}", "ch{r=1}", NULL},
		{"tca=1 tleaf=1", EDIT_MERGE, "tcb[k]{b=1}", "tleaf=1 tcb[k]{b=1}", NULL},
		{"tcb[k]{b=1} tcb[j]", EDIT_MERGE, "tca=2", "tca=2", NULL},
		{"top{e[k]{ea=1 v=1}}", EDIT_MERGE, "top{e[k]{ebl=x ebl=y}}", "top{e[k]{v=1 ebl=x ebl=y}}",
		 NULL},
		{"top{e[k]{ea=1}}", EDIT_MERGE, "top{e[k]{ecn{ecl=1}}}", "top{e[k]{ecn{ecl=1}}}", NULL},
		/* two cases in one request */
		{"", EDIT_MERGE, "ch{o1=1 t1=2}", NULL, "bad-element /ch/t1"},
		{"", EDIT_MERGE, "ch{na1=1 nc=2}", NULL, "bad-element /ch/nc"},
		{"", EDIT_MERGE, "ch{nc=1 three{h=1}}", NULL, "bad-element /ch/three"},
		{"", EDIT_MERGE, "ch{r=1 s=1}", NULL, "bad-element /ch/s"},
		{"", EDIT_MERGE, "tca=1 tcb[k]", NULL, "bad-element /tcb[k='k']"},
		{"", EDIT_MERGE, "ch{r=1 o1=1}", "ch{o1=1 r=1}", NULL},
		{"", EDIT_MERGE, "ch{o1=1 na1=1 na2=2 on{ox=1}}", "ch{o1=1 on{ox=1} na1=1 na2=2}", NULL},
		{"", EDIT_REPLACE, "ch{o1=1 t1=2}", NULL, "bad-element /ch/t1"},
		/* the old case deleted beside the new one, in any order and at any depth */
		{"ch{r=1}", EDIT_MERGE, "ch{r@delete s=1@create}", "ch{s=1}", NULL},
		{"ch{r=1}", EDIT_MERGE, "ch{s=1@create r@delete}", "ch{s=1}", NULL},
		{"ch{r=1}", EDIT_MERGE, "ch{s=1 r@remove}", "ch{s=1}", NULL},
		{"ch{s=1}", EDIT_MERGE, "ch{s=1 r@remove}", "ch{s=1}", NULL},
		{"ch{s=1}", EDIT_MERGE, "ch{s=1 r@delete}", NULL, "data-missing /ch/r"},
		{"ch{o1=1 on{ox=1}}", EDIT_MERGE, "ch{t1=1 on{ox@delete}}", "ch{t1=1}", NULL},
		{"ch{three{h=1 in{hi=1}}}", EDIT_MERGE, "ch{o1=1 three{in{hi@delete}}}", "ch{o1=1}", NULL},
		{"ch{nbl[k] nbl[j]}", EDIT_MERGE, "ch{nc=1 nbl[k]@delete}", "ch{nc=1}", NULL},
		{"ch{o1=1}", EDIT_NONE, "ch{three{h=1@create} o1@delete}", "ch{three{h=1}}", NULL},
		{"ch{o1=1}", EDIT_REPLACE, "ch{o1@delete three{h=1}}", "ch{three{h=1}}", NULL},
		/* an empty non-presence container chooses its case when it is named for itself */
		{"ch{o1=1}", EDIT_MERGE, "ch{three}", "ch{three{}}", NULL},
		{"ch{three}", EDIT_MERGE, "ch{three}", "ch{three{}}", NULL},
		{"ch{three}", EDIT_MERGE, "ch{three@create}", "ch{three{}}", NULL},
		{"ch{three}", EDIT_MERGE, "ch{three@delete}", "", NULL},
		{"ch{three}", EDIT_MERGE, "ch{o1=1}", "ch{o1=1}", NULL},
		{"ch{o1=1}", EDIT_NONE, "ch{three}", "ch{o1=1}", NULL},
		{"ch{o1=1}", EDIT_MERGE, "ch{three{h@remove}}", "ch{o1=1}", NULL},
	};
	RUN(rows);
}

static void test_paths_of_keys(void **state)
{
	(void)state;
	static const struct row rows[] = {
		{"", EDIT_NONE, "other{ol[it's]@delete}", NULL,
		 "data-missing /edit-other:other/edit-other:ol[edit-other:name=\"it's\"]"},
		{"other{ol[n]{in{deep[5]}}}", EDIT_MERGE, "other{ol[n]{in{deep[5]@create{t=1}}}}", NULL,
		 "data-exists /edit-other:other/edit-other:ol[edit-other:name='n']/edit-other:in/"
		 "edit-other:deep[edit-other:id='5']"},
	};
	RUN(rows);
}

/* A list of errors that is full ends the walk: a request of many faults costs no more than one of a few. */
static void test_error_limit(void **state)
{
	(void)state;
	struct arena *arena = arena_new();
	struct tree_record *base = tree_record_new();
	struct edit_tree *edit = edit_tree_new(schema);
	const struct schema_node *leaf_list = schema_child_find_any(schema->root, bytes_of("tll"), NULL);
	for (int i = 0; i < 1000; i++) {
		struct edit_node *node = edit_tree_add(edit, edit->top, leaf_list);
		node->value = value_new(bytes_of(arena_printf(arena, "%d", i)), 0);
		node->operation = EDIT_DELETE;
	}
	struct helper_result result = helper_apply(schema, base, edit, EDIT_MERGE, arena);
	assert_null(result.root);
	assert_int_equal(result.error_count, 64);
	assert_int_equal(result.dropped, 0);
	edit_tree_free(edit);
	helper_unref(schema, base);
	arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_leaf),
		cmocka_unit_test(test_default),
		cmocka_unit_test(test_leaf_list),
		cmocka_unit_test(test_ordered_values),
		cmocka_unit_test(test_ordered_entries),
		cmocka_unit_test(test_any),
		cmocka_unit_test(test_entry),
		cmocka_unit_test(test_key),
		cmocka_unit_test(test_presence_container),
		cmocka_unit_test(test_non_presence_container),
		cmocka_unit_test(test_default_operation_replace),
		cmocka_unit_test(test_inheritance),
		cmocka_unit_test(test_twice),
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_paths_of_keys),
		cmocka_unit_test(test_error_limit),
	};
	return cmocka_run_group_tests(tests, load_schema, unload_schema);
}
