/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dependency analysis: the reads of known expressions, and the property that makes incremental checks right:
 * whenever a change of one node changes what an expression gives for some reader, then some changed node is a
 * read whose relation leads to that reader. The property is tried on random trees of a small model; YARE_SEED
 * repeats a run.
 */
#include "helper_xpath.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tree/diff.h"

static const char module_text[] =
	"module m { yang-version 1.1; namespace \"urn:m\"; prefix m;\n"
	"  container top {\n"
	"    list l { key k; leaf k { type string; } leaf v { type string; } leaf d { type string; default "
	"x; }\n"
	"      container np { leaf e { type string; default y; } leaf plain { type string; } }\n"
	"      list s { key \"x y\"; leaf x { type string; } leaf y { type string; } leaf z { type string; "
	"}\n"
	"        leaf zd { type string; default q; } leaf sref { type leafref { path \"../../../l/k\"; } } "
	"}\n"
	"      leaf-list ll { type string; } leaf lref { type leafref { path \"/m:top/m:l/m:k\"; } }\n"
	"    }\n"
	"    list o { key k; leaf k { type string; } leaf v { type string; } leaf w { type uint8; } }\n"
	"    leaf a { type string; } leaf b { type string; default a; }\n"
	"    leaf ref { type leafref { path \"../l/k\"; } }\n"
	"    leaf ref2 { type leafref { path \"../l[k = current()/../ref]/s/y\"; } }\n"
	"    container p { presence \"x\"; leaf i { type string; default z; } leaf j { type string; } }\n"
	"    choice ch { default c1; case c1 { leaf ca { type string; default one; } container cn { leaf cd "
	"{ type string; default n; } } }\n"
	"      case c2 { leaf cb { type string; } } case c3 { container c3c { leaf x3 { type string; } } } "
	"}\n"
	"  }\n"
	"  list m { key name; leaf name { type leafref { path \"/m:top/m:l/m:k\"; } } leaf t { type string; "
	"} }\n"
	"}\n";

static struct xpath_fixture f;

static int set_up(void **state)
{
	(void)state;
	const struct xpath_module_text modules[] = {{"m", module_text}};
	fixture_init(&f, modules, 1);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fixture_fini(&f);
	return 0;
}

/* ---- known expressions ---- */

static const char *short_path(const struct schema_node *node)
{
	if (node->parent == NULL)
		return "/";
	const char *parent = node->parent->parent == NULL ? "" : short_path(node->parent);
	return arena_printf(f.arena, "%s/%s", parent, node->name);
}

/* "keyed /top/l/v under / by /m/name|'constant'; ..." */
static const char *describe(const struct xpath_read *reads)
{
	const char *text = "";
	for (const struct xpath_read *r = reads; r != NULL; r = r->next) {
		text = arena_printf(f.arena, "%s%s%s %s under %s", text, r == reads ? "" : "; ",
				    xpath_relation_name(r->relation), short_path(r->node),
				    short_path(r->ancestor));
		for (size_t i = 0; r->list != NULL && i < r->list->key_count; i++) {
			const struct xpath_selector *s = &r->selectors[i];
			text = s->leaf != NULL ? arena_printf(f.arena, "%s by %s", text, short_path(s->leaf))
					       : arena_printf(f.arena, "%s by '%.*s'", text,
							      (int)s->constant.size, s->constant.data);
		}
		text = arena_printf(f.arena, "%s%s%s", text, r->many ? " many" : "",
				    r->subtree ? " subtree" : "");
	}
	return text;
}

static const struct {
	const char *context, *expression, *reads;
} known_reads[] = {
	{"m/name", "/m:top/m:l[m:k = current()]/m:v = 'l2vlan'",
	 "local /m/name under /m/name; keyed /top/l under / by /m/name; keyed /top/l/k under / by "
	 "/m/name; "
	 "keyed /top/l/v under / by /m/name"},
	{"m/name", "/top/l[k = current()/../t]/v",
	 "local /m/name under /m/name; local /m/t under /m; keyed /top/l under / by /m/t; keyed "
	 "/top/l/k under / by "
	 "/m/t; keyed /top/l/v under / by /m/t"},
	{"m/name", "../t", "local /m/t under /m"},
	{"top/a", "../b = 'x'", "local /top/b under /top"},
	{"top/a", "count(../l)", "local /top/l under /top"},
	{"top/a", "../l", "local /top/l under /top"},
	{"top/a", "not(../l[v])", "local /top/l under /top many; local /top/l/v under /top many"},
	{"top/a", "../l/s", "local /top/l/s under /top many"},
	{"top/a", "../ref = ../l", "local /top/l under /top many subtree; local /top/ref under /top"},
	{"top/l/v", "count(../../o)", "fan-out /top/o under /top"},
	{"top/l/v", "../ll = current()", "local /top/l/v under /top/l/v; local /top/l/ll under /top/l"},
	{"top/l/v", "../ll != current()", "local /top/l/v under /top/l/v; local /top/l/ll under /top/l many"},
	{"m/name", "/top/l[k = current()]/s/z = 'x'",
	 "local /m/name under /m/name; keyed /top/l under / by /m/name; keyed /top/l/k under / by "
	 "/m/name; keyed /top/l/s/z under / by /m/name many"},
	{"m/name", "count(/top/l[k = current()]/s) > 1",
	 "local /m/name under /m/name; keyed /top/l under / by /m/name; keyed /top/l/k under / by "
	 "/m/name; keyed /top/l/s under / by /m/name"},
	{"top/l/v", "../d", "local /top/l/d under /top/l"},
	{"top/l/v", "../../a", "fan-out /top/a under /top"},
	{"top/l/v", "/top/a", "fan-out /top/a under /"},
	{"top/l/v", "/m/t", "scan /m/t under / many"},
	{"top/l/v", "../../o[k = current()/../np/plain]/v",
	 "local /top/l/v under /top/l/v; local /top/l/np/plain under /top/l; keyed /top/o under /top "
	 "by "
	 "/top/l/np/plain; keyed /top/o/k under /top by /top/l/np/plain; keyed /top/o/v under /top "
	 "by "
	 "/top/l/np/plain"},
	{"m/name", "/top/l[k = current()]/s[x = 'c'][y = current()/../t]/z",
	 "local /m/name under /m/name; keyed /top/l under / by /m/name; keyed /top/l/k under / by "
	 "/m/name; local "
	 "/m/t under /m; keyed /top/l/s under / by 'c' by /m/t; keyed /top/l/s/x under / by 'c' by "
	 "/m/t; keyed "
	 "/top/l/s/y under / by 'c' by /m/t; keyed /top/l/s/z under / by 'c' by /m/t"},
	{"m/name", "/top/l[k = 'c']/v",
	 "fan-out /top/l under / by 'c'; fan-out /top/l/k under / by 'c'; fan-out /top/l/v under / "
	 "by 'c'"},
	{"m/name", "deref(.)/../v",
	 "local /m/name under /m/name; keyed /top/l/k under / by /m/name; keyed /top/l/v under / by "
	 "/m/name"},
	{"m/name", "/top/l/k = current()", "local /m/name under /m/name; keyed /top/l/k under / by /m/name"},
	{"m/name", "//z", "scan /top/l/s/z under / many"},
	{"top", "string(l)", "local /top/l under /top many subtree"},
	{"top", "nothing", ""},
	{"top", "true()", ""},
	{"top/a", "following::*", "scan / under / many subtree"},
	{"m/name", "/top/l[v = current()]",
	 "scan /top/l under / many; local /m/name under /m/name; scan /top/l/v under / many"},
};

static void known(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(known_reads) / sizeof(known_reads[0]); i++) {
		const struct xpath_expr *expr = fixture_compile(&f, fixture_node(&f, known_reads[i].context),
								known_reads[i].expression, NULL);
		assert_non_null(expr);
		const char *reads = describe(xpath_reads(expr));
		if (strcmp(reads, known_reads[i].reads) != 0)
			print_message("%s:\n  %s\nnot\n  %s\n", known_reads[i].expression, reads,
				      known_reads[i].reads);
		assert_string_equal(reads, known_reads[i].reads);
	}
}

/* ---- the property ---- */

static const char *const lines[] = {
	"top/l[a]",
	"top/l[b]",
	"top/l[c]",
	"top/l[a]/v = a",
	"top/l[a]/v = b",
	"top/l[b]/v = b",
	"top/l[b]/v = 1",
	"top/l[c]/v = x",
	"top/l[a]/d = a",
	"top/l[b]/d = c",
	"top/l[a]/np/e = a",
	"top/l[b]/np/plain = b",
	"top/l[b]/np/e = y",
	"top/l[a]/np/plain = c",
	"top/l[a]/s[a][b]",
	"top/l[a]/s[a][b]/z = a",
	"top/l[a]/s[b][b]/z = 2",
	"top/l[b]/s[a][b]/z = c",
	"top/l[b]/s[a][a]/zd = w",
	"top/l[b]/s[c][b]/sref = a",
	"top/l[a]/s[a][b]/sref = b",
	"top/l[a]/ll = a",
	"top/l[a]/ll = b",
	"top/l[b]/ll = c",
	"top/l[a]/lref = b",
	"top/l[b]/lref = a",
	"top/l[b]/lref = c",
	"top/o[a]",
	"top/o[b]/v = a",
	"top/o[b]/v = x",
	"top/o[c]/w = 7",
	"top/o[a]/w = 3",
	"top/o[a]/v = b",
	"top/a = a",
	"top/a = b",
	"top/b = b",
	"top/ref = a",
	"top/ref = b",
	"top/ref2 = b",
	"top/p",
	"top/p/i = a",
	"top/p/j = b",
	"top/ca = a",
	"top/cb = b",
	"top/cn/cd = c",
	"top/c3c/x3 = a",
	"m[a]",
	"m[b]",
	"m[c]/t = a",
	"m[a]/t = b",
	"m[b]/t = a",
	"m[a]/t = c",
};

static const char *const removals[] = {"-top",
				       "-top/l",
				       "-top/l[a]",
				       "-top/l[b]",
				       "-top/l[a]/s",
				       "-top/l[a]/np",
				       "-top/o",
				       "-top/p",
				       "-top/l[a]/s[a][b]",
				       "-top/cn",
				       "-m",
				       "-m[a]",
				       "-top/l[b]/np/e",
				       "-top/a",
				       "-top/b",
				       "-top/l[a]/v",
				       "-top/l[a]/ll = a",
				       "-top/o[b]",
				       "-top/c3c",
				       "-top/ca",
				       "-top/l[a]/d",
				       "-top/ref",
				       "-top/l[b]/s[a][a]/zd",
				       "-m[a]/t"};

struct subject {
	const char *context, *expression;
	const struct xpath_expr *expr;
	const struct schema_node *schema;
};

static struct subject subjects[] = {
	{.context = "m/name", .expression = "/top/l[k = current()]/v = 'b'"},
	{.context = "m/name", .expression = "/top/l[k = current()]/d = 'x'"},
	{.context = "m/name", .expression = "/top/l[k = current()]/np/e = 'y'"},
	{.context = "m/name", .expression = "string(/top/l[k = current()]/np)"},
	{.context = "m/name", .expression = "/top/l[k = current()/../t]/s[x = current()][y = 'b']/z"},
	{.context = "m/name", .expression = "/top/l[k = current()][v = 'b' or d = 'c']"},
	{.context = "m/name", .expression = "/top/l[v = current()]/k"},
	{.context = "m/name", .expression = "/top/l[k = /top/ref]/v"},
	{.context = "m/name", .expression = "/top/l[k = /top/l/ll]/v"},
	{.context = "m/name", .expression = "deref(.)/../v"},
	{.context = "m/name", .expression = "deref(.)/../lref"},
	{.context = "m/name", .expression = "deref(deref(.)/../lref)/../v"},
	{.context = "m/name", .expression = "deref(.)/../np/e"},
	{.context = "m/name", .expression = "count(/top/l) > count(/m)"},
	{.context = "m/name", .expression = "//zd"},
	{.context = "m/name", .expression = "//e = 'y'"},
	{.context = "m/name", .expression = "//*[. = current()]"},
	{.context = "m/name", .expression = "string(/)"},
	{.context = "m/name", .expression = "/top/l/k = current()"},
	{.context = "m/name", .expression = "/top/l/k != current()"},
	{.context = "m/name", .expression = "/top/l[s/z = 'a']/k = current()/../t"},
	{.context = "m/name", .expression = "following::*[1]"},
	{.context = "m/name", .expression = "preceding::k"},
	{.context = "m/name", .expression = "../preceding-sibling::m[1]/t"},
	{.context = "m/name", .expression = "/top/l[2]/v"},
	{.context = "m/name", .expression = "/top/l[last()]/k"},
	{.context = "m", .expression = "/top/o[k = current()/name]/w + 1"},
	{.context = "m", .expression = "t/text()"},
	{.context = "m", .expression = "string(current())"},
	{.context = "m", .expression = "(current())[. = 'ac'] = 'ac'"},
	{.context = "m", .expression = "t/text()/../../name"},
	{.context = "m", .expression = "/top[a = current()/t]/b"},
	{.context = "top/l", .expression = "s/z"},
	{.context = "top/l", .expression = "count(s)"},
	{.context = "top/l", .expression = "s[x = current()/v][y = current()/k]/zd"},
	{.context = "top/l", .expression = "../l[k = current()/v]/v"},
	{.context = "top/l", .expression = "../o[k = current()/v]/v = ../a"},
	{.context = "top/l", .expression = "following-sibling::l/v"},
	{.context = "top/l", .expression = "preceding-sibling::l[1]/s/x"},
	{.context = "top/l", .expression = "following-sibling::o"},
	{.context = "top/l", .expression = "../p/i"},
	{.context = "top/l", .expression = "../p"},
	{.context = "top/l", .expression = "../ca = 'one'"},
	{.context = "top/l", .expression = "../cn"},
	{.context = "top/l", .expression = "../cn/cd"},
	{.context = "top/l", .expression = "../cb or ../c3c"},
	{.context = "top/l", .expression = "np/.."},
	{.context = "top/l", .expression = "s/.."},
	{.context = "top/l", .expression = "boolean(s/../../o)"},
	{.context = "top/l", .expression = "string(.)"},
	{.context = "top/l", .expression = "descendant::*[1]"},
	{.context = "top/l", .expression = "ll = ../l/ll"},
	{.context = "top/l", .expression = "sum(../o/w)"},
	{.context = "top/l", .expression = "concat(../a, ../b, v)"},
	{.context = "top/l", .expression = "../*[name() = 'm:a' or . = current()/v]"},
	{.context = "top/l/v", .expression = ". = ../../o/v"},
	{.context = "top/l/v", .expression = "../../l[k = current()]/np/plain"},
	{.context = "top/l/v", .expression = "../../l[k != current()/../k]/v = ."},
	{.context = "top/l/v", .expression = "ancestor::top/a"},
	{.context = "top/l/v", .expression = "ancestor::*[2]/b"},
	{.context = "top/l/v", .expression = "deref(../lref)/../s/zd"},
	{.context = "top/l/v", .expression = "deref(../lref)/../../a"},
	{.context = "top/l/lref", .expression = "deref(.)/../ll"},
	{.context = "top/l/s", .expression = "../v = ../../a"},
	{.context = "top/l/s", .expression = "../s[x = current()/y]/z"},
	{.context = "top/l/s", .expression = "../../o[k = current()/x]/w"},
	{.context = "top/l/s", .expression = "deref(sref)/../d"},
	{.context = "top/l/s", .expression = "../../l[k = current()/../v]/s[x = 'a' and y = current()/y]/z"},
	{.context = "top/l/s", .expression = "../../../m[name = current()/x]/t"},
	{.context = "top/l/s", .expression = "(../s | ../../o)[2]"},
	{.context = "top/l/s", .expression = "(../../l[k = current()/x] | ../../o[k = current()/y])/v"},
	{.context = "top", .expression = "l[k = current()/ref]/v"},
	{.context = "top", .expression = "ref2 and deref(ref2)/../z"},
	{.context = "top", .expression = "l/s[y = current()/../m/name]/z"},
	{.context = "top", .expression = "not(ca) and cb"},
	{.context = "top/a", .expression = "../b = . or ../p"},
	{.context = "top/a", .expression = "/m[name = current()]/t"},
	{.context = "top/a", .expression = "../l[s[x = current()][y = 'b']/z]/k"},
	{.context = "top/a", .expression = "../ref[. = ../l/k]"},
	{.context = "top/a", .expression = "position() = last() and ../o[position() = 2]/v"},
};

#define SUBJECTS (sizeof(subjects) / sizeof(subjects[0]))

static uint64_t random_state;

static unsigned random_below(unsigned limit)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(random_state >> 33) % limit;
}

/* One version of the tree under test. */
struct version {
	struct tree_record *root;
	struct tree_position position;
};

static void version_set(struct version *version, struct tree_record *root)
{
	version->root = root;
	version->position = tree_position_root(f.schema, root);
}

static struct xpath_value eval(const struct version *version, const struct xpath_expr *expr,
			       const struct tree_position *context, struct arena *arena)
{
	struct xpath_limits limits = {.steps = 1000000, .max_nodes = 10000};
	struct xpath_env env = {.schema = f.schema,
				.root = version->root,
				.arena = arena,
				.limits = &limits,
				.view = TREE_WITH_DEFAULTS};
	struct xpath_value value;
	assert_int_equal(xpath_eval(expr, &env, context, &value), ST_OK);
	return value;
}

static bool equal_results(const struct xpath_value *a, const struct xpath_value *b, struct arena *arena)
{
	if (a->type != XPATH_NODE_SET)
		return bytes_equal(xpath_value_string(a, arena), xpath_value_string(b, arena));
	if (a->length != b->length)
		return false;
	for (size_t i = 0; i < a->length; i++) {
		if (!tree_position_same(a->nodes[i], b->nodes[i]))
			return false;
		const struct tree_position *x = a->nodes[i], *y = b->nodes[i];
		if (x->schema->kind == SCHEMA_LEAF && !value_equal(x->value, y->value))
			return false;
	}
	return true;
}

static void collect(const struct tree_position *node, const struct schema_node *schema,
		    struct xpath_value *found, enum tree_view view, struct arena *arena)
{
	if (schema == NULL || node->schema == schema)
		found->nodes[found->length++] = node;
	assert_true(found->length < 1000);
	if (node->schema->kind == SCHEMA_LEAF || node->schema->kind == SCHEMA_LEAF_LIST)
		return;
	struct tree_cursor cursor;
	struct tree_position child;
	tree_cursor_init(&cursor, f.schema, node, view);
	while (tree_cursor_next(&cursor, &child)) {
		struct tree_position *kept = arena_alloc(arena, sizeof(*kept));
		*kept = child;
		collect(kept, schema, found, view, arena);
	}
}

static struct xpath_value instances(const struct version *version, const struct schema_node *schema,
				    enum tree_view view, struct arena *arena)
{
	struct xpath_value found = {.nodes = arena_alloc(arena, 1000 * sizeof(*found.nodes))};
	collect(&version->position, schema, &found, view, arena);
	return found;
}

static const struct tree_position *find_same(const struct xpath_value *set, const struct tree_position *node)
{
	for (size_t i = 0; i < set->length; i++) {
		if (tree_position_same(set->nodes[i], node))
			return set->nodes[i];
	}
	return NULL;
}

static const struct tree_position *ancestor_of(const struct tree_position *node,
					       const struct schema_node *schema)
{
	while (node != NULL && node->schema != schema)
		node = node->parent;
	return node;
}

static bool share_ancestor(const struct tree_position *a, const struct tree_position *b,
			   const struct schema_node *schema)
{
	a = ancestor_of(a, schema);
	b = ancestor_of(b, schema);
	return a != NULL && b != NULL && tree_position_same(a, b);
}

/* The leaf that a selector names, from a reader; false: it is not there. */
static bool selector_value(const struct tree_position *reader, const struct schema_node *leaf,
			   struct tree_position *found)
{
	if (reader->schema == leaf) {
		*found = *reader;
		return true;
	}
	const struct tree_position *up = reader;
	const struct schema_node *down[16];
	size_t depth = 0;
	for (const struct schema_node *n = leaf; (up = ancestor_of(reader, n)) == NULL; n = n->parent)
		down[depth++] = n;
	static struct tree_position frames[16];
	while (depth-- > 0) {
		if (!tree_position_find_child(up, down[depth], TREE_WITH_DEFAULTS, &frames[depth]))
			return false;
		up = &frames[depth];
	}
	*found = *up;
	return true;
}

static bool keys_match(const struct xpath_read *read, const struct tree_position *changed,
		       const struct tree_position *reader)
{
	const struct tree_position *entry = ancestor_of(changed, read->list);
	if (entry == NULL)
		return false;
	for (size_t i = 0; i < read->list->key_count; i++) {
		struct tree_position selector, key;
		assert_true(tree_position_find_child(entry, read->list->children[i], TREE_EXPLICIT, &key));
		struct bytes wanted = read->selectors[i].constant;
		if (read->selectors[i].leaf != NULL) {
			if (!selector_value(reader, read->selectors[i].leaf, &selector))
				return false;
			wanted = value_bytes(&selector.value);
		}
		if (!bytes_equal(wanted, value_bytes(&key.value)))
			return false;
	}
	return true;
}

static bool leads_to(const struct xpath_read *read, const struct tree_position *changed,
		     const struct tree_position *reader)
{
	bool is_read =
		changed->schema == read->node || (read->subtree && ancestor_of(changed, read->node) != NULL);
	if (!is_read)
		return false;
	switch (read->relation) {
	case XPATH_SCAN:
		return true;
	case XPATH_LOCAL:
	case XPATH_FAN_OUT:
		return share_ancestor(changed, reader, read->ancestor) &&
		       (read->list == NULL || keys_match(read, changed, reader));
	case XPATH_KEYED:
		return share_ancestor(changed, reader, read->ancestor) && keys_match(read, changed, reader);
	}
	return false;
}

/* The stored nodes of one version that are not, or not so, in the other. */
static struct xpath_value changed_nodes(const struct version *version, const struct version *other,
					struct arena *arena)
{
	struct xpath_value mine = instances(version, NULL, TREE_EXPLICIT, arena);
	struct xpath_value others = instances(other, NULL, TREE_EXPLICIT, arena);
	size_t kept = 0;
	for (size_t i = 0; i < mine.length; i++) {
		const struct tree_position *node = mine.nodes[i], *same = find_same(&others, node);
		if (same == NULL ||
		    (node->schema->kind == SCHEMA_LEAF && !value_equal(node->value, same->value)))
			mine.nodes[kept++] = node;
	}
	mine.length = kept;
	return mine;
}

static bool is_found(const struct xpath_expr *expr, const struct xpath_value *changed,
		     const struct tree_position *reader)
{
	for (const struct xpath_read *read = xpath_reads(expr); read != NULL; read = read->next) {
		for (size_t i = 0; i < changed->length; i++) {
			if (leads_to(read, changed->nodes[i], reader))
				return true;
		}
	}
	return false;
}

static size_t differences;

static void check_subject(const struct subject *subject, const struct version *before,
			  const struct version *after, const char *change, struct arena *arena)
{
	struct xpath_value old_readers = instances(before, subject->schema, TREE_WITH_DEFAULTS, arena);
	struct xpath_value new_readers = instances(after, subject->schema, TREE_WITH_DEFAULTS, arena);
	struct xpath_value gone = changed_nodes(before, after, arena),
			   come = changed_nodes(after, before, arena);
	for (size_t i = 0; i < new_readers.length; i++) {
		const struct tree_position *reader = new_readers.nodes[i],
					   *old = find_same(&old_readers, reader);
		if (old == NULL)
			continue;
		struct xpath_value was = eval(before, subject->expr, old, arena);
		struct xpath_value is = eval(after, subject->expr, reader, arena);
		if (equal_results(&was, &is, arena))
			continue;
		differences++;
		bool found = is_found(subject->expr, &gone, reader) || is_found(subject->expr, &come, reader);
		if (!found)
			print_message("%s at %s, change %s\n  reads %s\n", subject->expression,
				      tree_position_path(reader, arena), change,
				      describe(xpath_reads(subject->expr)));
		assert_true(found);
	}
}

static void try_change(const struct version *before, const char *change, const struct subject *tried,
		       size_t count)
{
	struct version after;
	version_set(&after, fixture_edit(&f, before->root, change));
	if (after.root != before->root) {
		struct arena *arena = arena_new();
		for (size_t i = 0; i < count; i++) {
			check_subject(&tried[i], before, &after, change, arena);
			arena_reset(arena);
		}
		arena_free(arena);
	}
	tree_record_unref(after.root, f.schema->root, NULL);
}

static void seed(void)
{
	const char *given = getenv("YARE_SEED");
	random_state = given != NULL ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
	print_message("YARE_SEED=%llu\n", (unsigned long long)random_state);
	differences = 0;
}

static int rounds(int usual)
{
	const char *given = getenv("YARE_ROUNDS");
	return given != NULL ? atoi(given) : usual;
}

/* Every change of one random tree. */
static void try_tree(const struct subject *tried, size_t count)
{
	const char *text = "";
	for (size_t j = 0; j < sizeof(lines) / sizeof(lines[0]); j++) {
		if (random_below(2) == 0)
			text = arena_printf(f.arena, "%s%s\n", text, lines[j]);
	}
	fixture_tree(&f, text);
	struct version before;
	version_set(&before, f.root);
	for (size_t j = 0; j < sizeof(lines) / sizeof(lines[0]); j++)
		try_change(&before, lines[j], tried, count);
	for (size_t j = 0; j < sizeof(removals) / sizeof(removals[0]); j++)
		try_change(&before, removals[j], tried, count);
}

static void compile_subject(struct subject *subject)
{
	subject->schema = fixture_node(&f, subject->context);
	subject->expr = fixture_compile(&f, subject->schema, subject->expression, NULL);
	if (subject->expr == NULL)
		print_message("%s\n", subject->expression);
	assert_non_null(subject->expr);
}

static void chosen_expressions(void **state)
{
	(void)state;
	seed();
	for (size_t i = 0; i < SUBJECTS; i++)
		compile_subject(&subjects[i]);
	for (int i = rounds(2); i > 0; i--)
		try_tree(subjects, SUBJECTS);
	assert_true(differences > 0);
	print_message("%zu changed results\n", differences);
}

/* ---- random expressions ---- */

struct phrase {
	char data[4096];
	size_t size;
};

static void put(struct phrase *text, const char *part)
{
	size_t size = strlen(part);
	assert_true(text->size + size < sizeof(text->data));
	memcpy(text->data + text->size, part, size + 1);
	text->size += size;
}

#define PICK(...)                                                                                            \
	((const char *const[]){                                                                              \
		__VA_ARGS__})[random_below(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))]

static void put_nodes(struct phrase *text, unsigned depth);

static void put_value(struct phrase *text, unsigned depth)
{
	if (depth == 0 || random_below(4) == 0)
		put(text, PICK("'a'", "'b'", "'c'", "1", "current()", "current()/../k", "current()/../v",
			       "'x'", "2"));
	else
		put_nodes(text, depth - 1);
}

static void put_condition(struct phrase *text, unsigned depth)
{
	switch (random_below(9)) {
	case 0:
		put(text, PICK("1", "2", "last()", "position() > 1"));
		return;
	case 1:
		put(text, "not(");
		put_nodes(text, depth);
		put(text, ")");
		return;
	case 2:
		put(text, "count(");
		put_nodes(text, depth);
		put(text, ") > 1");
		return;
	case 3:
		put(text, PICK("k", "x", "y", "name", "."));
		put(text, " = ");
		put_value(text, depth);
		put(text, " and ");
		put(text, PICK("y", "v", "z", "k", "t"));
		put(text, " = ");
		put_value(text, depth);
		return;
	case 4:
		put_nodes(text, depth);
		return;
	case 5:
		put_nodes(text, depth);
		put(text, PICK(" != ", " < ", " >= "));
		put_value(text, depth);
		return;
	default:
		put(text, PICK("k", "x", "y", "name", "v", "z", "t", ".", "m:k"));
		put(text, " = ");
		put_value(text, depth);
	}
}

static void put_predicates(struct phrase *text, unsigned depth)
{
	bool allowed =
		text->size > 0 && strchr("./", text->data[text->size - 1]) == NULL; /* not after . .. / */
	while (allowed && depth > 0 && random_below(5) < 2) {
		put(text, "[");
		put_condition(text, depth - 1);
		put(text, "]");
	}
}

static void put_steps(struct phrase *text, unsigned depth)
{
	while (random_below(5) < 2) {
		put(text, random_below(6) == 0 ? "//" : "/");
		put(text, PICK("k", "v", "d", "np", "e", "s", "z", "zd", "..", "..", "*", "l", "o", "p", "i",
			       "ca", "cn", "cd", "ll", "following-sibling::*", "preceding-sibling::l",
			       "ancestor::*", "self::l", "text()", "node()"));
		put_predicates(text, depth);
	}
}

static void put_nodes(struct phrase *text, unsigned depth)
{
	unsigned kind = random_below(12);
	if (depth > 0 && kind == 0) {
		put(text, "deref(");
		put(text, PICK(".", "../lref", "lref", "sref", "/top/ref", "/top/ref2", "../ref",
			       "/top/l/lref", "//sref", "/m/name"));
		put(text, ")");
	} else if (depth > 0 && kind == 1) {
		put(text, "(");
		put_nodes(text, depth - 1);
		put(text, " | ");
		put_nodes(text, depth - 1);
		put(text, ")");
	} else {
		put(text, PICK("/top/l", "/top/l", "/top/o", "/m", "../l", "../../l", "../v", "../k", ".",
			       "..", "s", "k", "v", "/top", "/top/l/s", "../s", "../../o", "/top/ca",
			       "/top/cn", "/top/p", "//s", "//v", "/top/l/np", "np", "../..", "/top/b",
			       "current()", "/top/l/k", "ll", "/top/*", "following::v", "preceding::k"));
	}
	put_predicates(text, depth);
	put_steps(text, depth);
}

static void put_expression(struct phrase *text)
{
	switch (random_below(6)) {
	case 0:
		put(text, PICK("string(", "count(", "sum(", "local-name("));
		put_nodes(text, 1);
		put(text, ")");
		return;
	case 1:
		put_nodes(text, 2);
		put(text, PICK(" = ", " = ", " != ", " < "));
		put_nodes(text, 2);
		return;
	default:
		put_nodes(text, 2);
	}
}

#define RANDOM_SUBJECTS 60

static void random_expressions(void **state)
{
	(void)state;
	seed();
	for (int i = rounds(2); i > 0; i--) {
		struct subject tried[RANDOM_SUBJECTS];
		for (size_t j = 0; j < RANDOM_SUBJECTS; j++) {
			struct phrase text = {.size = 0};
			put_expression(&text);
			tried[j].context = PICK("m/name", "m", "top", "top/a", "top/l", "top/l/v", "top/l/s",
						"top/l/np/e", "top/l/lref", "top/o", "top/p/i", "top/cn/cd");
			tried[j].expression = arena_strdup(f.arena, (struct bytes){text.data, text.size});
			compile_subject(&tried[j]);
		}
		try_tree(tried, RANDOM_SUBJECTS);
	}
	assert_true(differences > 0);
	print_message("%zu changed results\n", differences);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(known), cmocka_unit_test(chosen_expressions),
					   cmocka_unit_test(random_expressions)};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
