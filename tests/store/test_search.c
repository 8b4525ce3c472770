/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Searches find what looking at all entries finds, in the same order: on random versions, newer and older
 * ones in turn, and by several threads at once. Indexes go where the limits are reached.
 */
#include "tree/helper_tree.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "store/search.h"
#include "xpath/xpath.h"

static const char module[] =
	"module m { yang-version 1.1; namespace urn:m; prefix m; identity base; identity v1 { base base; }"
	" container c { list e { key k; leaf k { type int32; } leaf s { type string; }"
	"   leaf n { type uint8; } leaf-list l { type string; } leaf d { type string; default v1; }"
	"   leaf i { type identityref { base base; } } leaf o { type boolean; }"
	"   list sub { key k; leaf k { type string; } leaf s { type string; } } }"
	"  list u { key k; ordered-by user; leaf k { type int32; } leaf s { type string; } } } }";

/* # is a value. */
static const char *const expressions[] = {
	"/c/e[s='#']",
	"/c/e['#'=s]",
	"/c/e[./s='#']",
	"/c/e[m:s='#']",
	"/c/e[l='#']",
	"/c/e[l='#']/l",
	"/c/e[n='7']",
	"/c/e[n='07']",
	"/c/e[n=7]",
	"/c/e[o='true']",
	"/c/e[d='#']",
	"/c/e[i='v1']",
	"/c/e[s='']",
	"/c/e[s!='#']",
	"/c/e[not(s='#')]",
	"/c/e[s='#' and n='7']",
	"/c/e[s='#' or n='7']",
	"/c/e[n>'7' and l='#']",
	"/c/e[k>30][s='#']",
	"/c/e[s='#'][2]",
	"/c/e[2][s='#']",
	"/c/e[s='#'][last()]",
	"/c/e[s='#'][position()<3]/k",
	"/c/e[s='#'][l='#']",
	"/c/e[s='#']/sub[s='#']",
	"/c/e[sub/s='#']",
	"/c/u[s='#']",
	"/c/u[s='#'][1]/s",
	"/c/u[s='#']/../e[s='#']",
	"/c/e[s='#'] | /c/u[s='#'] | /c/e[l='#']",
	"//e[s='#']",
	"/c/e[s=/c/u[s='#']/s]",
	"/c/e[k='5'][s='#']",
	"/c[e[s='#']]/u[k<5]",
};

enum {
	EXPRESSIONS = sizeof(expressions) / sizeof(expressions[0]),
	VALUES = 60,
	ENTRIES = 1200,
	WINDOW = 6,
	ROUNDS = 60,
	THREADS = 4,
	THREAD_ROUNDS = 25,
};

static struct schema *schema;
static const struct schema_node *container, *list, *user;

static struct value random_value(struct helper_random *random)
{
	char text[64];
	/* Some are beyond what a value holds inside itself. */
	unsigned number = (unsigned)helper_random_below(random, VALUES);
	snprintf(text, sizeof(text), number % 3 == 0 ? "v%u with a longer text" : "v%u", number);
	return helper_value(text);
}

static void set(struct tree_builder *builder, const struct schema_node *leaf, struct value value)
{
	tree_builder_set_leaf(builder, leaf, value);
	value_unref(value);
}

static void add(struct tree_builder *builder, const struct schema_node *leaf_list, struct value value)
{
	tree_builder_add_value(builder, leaf_list, value);
	value_unref(value);
}

static const struct schema_node *child(const struct schema_node *parent, const char *name)
{
	for (uint16_t i = 0; i < parent->child_count; i++) {
		if (strcmp(parent->children[i]->name, name) == 0)
			return parent->children[i];
	}
	fail();
	return NULL;
}

static void change_sub(struct tree_builder *builder, struct helper_random *random)
{
	const struct schema_node *sub = child(list, "sub");
	struct value key = random_value(random);
	bool made;
	tree_builder_enter_entry(builder, sub, &key, &made);
	value_unref(key);
	set(builder, child(sub, "s"), random_value(random));
	tree_builder_leave(builder);
}

/* Something of the entry. */
static void change_entry(struct tree_builder *builder, struct helper_random *random)
{
	switch (helper_random_below(random, 8)) {
	case 0:
		set(builder, child(list, "n"), helper_number((int64_t)helper_random_below(random, 20)));
		break;
	case 1:
		add(builder, child(list, "l"), random_value(random));
		break;
	case 2:
		set(builder, child(list, "d"), random_value(random));
		break;
	case 3:
		set(builder, child(list, "o"), helper_value("true"));
		break;
	case 4:
		tree_builder_remove(builder, child(list, "l"));
		tree_builder_remove(builder, child(list, "s"));
		break;
	case 5:
		change_sub(builder, random);
		break;
	default:
		set(builder, child(list, "s"), random_value(random));
		break;
	}
}

static void change_user_ordered(struct tree_builder *builder, struct helper_random *random)
{
	struct value key = helper_number((int64_t)helper_random_below(random, ENTRIES / 4));
	struct tree_insert first = {.where = TREE_FIRST};
	bool made;
	if (helper_random_below(random, 4) == 0)
		tree_builder_remove_entry(builder, user, &key);
	else if (helper_random_below(random, 3) == 0)
		tree_builder_insert_entry(builder, user, &key, &first);
	else {
		tree_builder_enter_entry(builder, user, &key, &made);
		set(builder, child(user, "s"), random_value(random));
		tree_builder_leave(builder);
	}
	value_unref(key);
}

static struct tree_record *change(const struct tree_record *base, struct helper_random *random, size_t count)
{
	struct tree_builder *builder = tree_builder_new(schema, base, NULL);
	tree_builder_enter(builder, container);
	for (size_t i = 0; i < count; i++) {
		struct value key = helper_number((int64_t)helper_random_below(random, ENTRIES));
		bool made;
		change_user_ordered(builder, random);
		if (helper_random_below(random, 10) == 0) {
			tree_builder_remove_entry(builder, list, &key);
		} else {
			tree_builder_enter_entry(builder, list, &key, &made);
			change_entry(builder, random);
			tree_builder_leave(builder);
		}
		value_unref(key);
	}
	tree_builder_leave(builder);
	return tree_builder_finish(builder);
}

/* All entries there, with an `s`. */
static struct tree_record *make(struct helper_random *random)
{
	struct tree_record *empty = tree_record_new();
	struct tree_record *changed = change(empty, random, (size_t)ENTRIES * 2);
	struct tree_builder *builder = tree_builder_new(schema, changed, NULL);
	tree_builder_enter(builder, container);
	for (int64_t i = 0; i < ENTRIES; i++) {
		struct value key = helper_number(i);
		bool made;
		tree_builder_enter_entry(builder, list, &key, &made);
		value_unref(key);
		set(builder, child(list, "s"), random_value(random));
		tree_builder_leave(builder);
	}
	tree_builder_leave(builder);
	struct tree_record *root = tree_builder_finish(builder);
	tree_record_unref(empty, schema->root, NULL);
	tree_record_unref(changed, schema->root, NULL);
	return root;
}

static const struct schema_module *resolve(void *arg, struct bytes prefix)
{
	(void)arg;
	return prefix.size == 0 ? NULL : schema_module_find(schema, bytes_of("m"));
}

static enum status evaluate(const char *text, const struct tree_record *root, struct arena *arena,
			    const struct xpath_env *with, struct xpath_value *value)
{
	struct xpath_scope scope = {.schema = schema, .context = schema->root, .resolve = resolve};
	struct xpath_error error;
	const struct xpath_expr *expr;
	assert_int_equal(xpath_compile(&scope, bytes_of(text), arena, &error, &expr), ST_OK);
	struct tree_position *top = arena_alloc(arena, sizeof(*top));
	*top = tree_position_root(schema, root);
	struct xpath_limits limits = {.steps = 100000000, .max_nodes = 10000000};
	struct xpath_env env = *with;
	if (env.limits == NULL)
		env.limits = &limits;
	env.schema = schema;
	env.root = root;
	env.arena = arena;
	env.view = TREE_WITH_DEFAULTS;
	return xpath_eval(expr, &env, top, value);
}

static void check_same(const char *text, const struct tree_record *root, struct store_search *search)
{
	struct arena *arena = arena_new();
	struct xpath_value found, all;
	struct xpath_env by_index = {.search = store_search_xpath(search)}, by_scan = {0};
	assert_int_equal(evaluate(text, root, arena, &by_index, &found), ST_OK);
	assert_int_equal(evaluate(text, root, arena, &by_scan, &all), ST_OK);
	assert_int_equal(found.type, XPATH_NODE_SET);
	if (found.length != all.length)
		fail_msg("%s: %zu nodes, not %zu", text, found.length, all.length);
	for (size_t i = 0; i < all.length; i++) {
		if (!tree_position_same(found.nodes[i], all.nodes[i]))
			fail_msg("%s: node %zu is %s, not %s", text, i,
				 tree_position_path(found.nodes[i], arena),
				 tree_position_path(all.nodes[i], arena));
	}
	arena_free(arena);
}

/* An expression with one value in all its places. */
static void check_random(struct helper_random *random, const struct tree_record *root,
			 struct store_search *search)
{
	const char *from = expressions[helper_random_below(random, EXPRESSIONS)];
	struct value value = random_value(random);
	struct bytes bytes = value_bytes(&value);
	char text[512];
	size_t size = 0;
	for (; *from != '\0'; from++) {
		if (*from != '#') {
			text[size++] = *from;
			continue;
		}
		memcpy(text + size, bytes.data, bytes.size);
		size += bytes.size;
	}
	text[size] = '\0';
	value_unref(value);
	check_same(text, root, search);
}

static struct store_search *new_search(unsigned indexes, size_t memory, uint64_t entries)
{
	struct store_search_limits limits = {.indexes = indexes, .memory = memory, .entries = entries};
	return store_search_new(&limits, NULL);
}

static struct store_search_counters counters_of(struct store_search *search)
{
	struct store_search_counters counters;
	store_search_counters(search, &counters);
	return counters;
}

static void test_equal_to_scan(void **state)
{
	(void)state;
	struct helper_random random = helper_random_init("equal to scan");
	struct store_search *search = new_search(8, SIZE_MAX, 1);
	struct tree_record *roots[WINDOW];
	for (size_t i = 0; i < WINDOW; i++)
		roots[i] = i == 0 ? make(&random) : change(roots[i - 1], &random, 3);
	for (size_t i = 0; i < ROUNDS; i++) {
		size_t to = helper_random_below(&random, WINDOW), from = helper_random_below(&random, WINDOW);
		size_t count = helper_random_below(&random, 30) == 0 ? ENTRIES : 1 + i % 5;
		struct tree_record *changed = change(roots[from], &random, count);
		tree_record_unref(roots[to], schema->root, NULL);
		roots[to] = changed;
		check_random(&random, roots[helper_random_below(&random, WINDOW)], search);
		check_random(&random, roots[to], search);
	}
	struct store_search_counters counters = counters_of(search);
	assert_true(counters.made > 0 && counters.moved > 0 && counters.found > 0);
	for (size_t i = 0; i < WINDOW; i++)
		tree_record_unref(roots[i], schema->root, NULL);
	store_search_free(search);
}

/* Asked on one version twice, the second time nothing is made; on the next one, the index moves. */
static void test_index_is_kept(void **state)
{
	(void)state;
	struct helper_random random = helper_random_init("kept");
	struct store_search *search = new_search(8, SIZE_MAX, 1);
	struct tree_record *root = make(&random), *changed = change(root, &random, 2);
	check_same("/c/e[s='v1']", root, search);
	check_same("/c/e[s='v2']", root, search);
	check_same("/c/e[s='v2']", changed, search);
	check_same("/c/e[s='v2']", root, search);
	struct store_search_counters counters = counters_of(search);
	assert_int_equal(counters.made, 1);
	assert_int_equal(counters.found, 1);
	assert_int_equal(counters.moved, 2);
	assert_int_equal(counters.indexes, 1);
	tree_record_unref(root, schema->root, NULL);
	tree_record_unref(changed, schema->root, NULL);
	store_search_free(search);
}

/* Keys, defaults, identities and numbers are no matter of an index. */
static void test_not_asked(void **state)
{
	(void)state;
	struct helper_random random = helper_random_init("not asked");
	struct store_search *search = new_search(8, SIZE_MAX, 1);
	struct tree_record *root = make(&random);
	static const char *const others[] = {"/c/e[k='1']",	"/c/e[d='v1']",	   "/c/e[i='v1']",
					     "/c/e[n=7]",	"/c/e[2][s='v1']", "/c/e[s!='v1']",
					     "/c/e/sub[s='v1']"};
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		check_same(others[i], root, search);
	assert_int_equal(counters_of(search).made, 0);
	tree_record_unref(root, schema->root, NULL);
	store_search_free(search);
}

static void test_limits(void **state)
{
	(void)state;
	struct helper_random random = helper_random_init("limits");
	struct tree_record *root = make(&random);
	static const char *const asked[] = {"/c/e[s='v1']", "/c/e[l='v1']", "/c/e[n='7']"};
	/* Two of three are kept: each time the one that is asked for went last. */
	struct store_search *search = new_search(2, SIZE_MAX, 1);
	for (size_t i = 0; i < 6; i++)
		check_same(asked[i % 3], root, search);
	assert_int_equal(counters_of(search).indexes, 2);
	assert_int_equal(counters_of(search).made, 6);
	check_same(asked[1], root, search);
	check_same(asked[0], root, search);
	check_same(asked[1], root, search);
	assert_int_equal(counters_of(search).made, 7);
	size_t both = counters_of(search).memory;
	store_search_free(search);
	/* Memory for less than both. */
	search = new_search(8, both - 1, 1);
	check_same(asked[1], root, search);
	check_same(asked[0], root, search);
	assert_int_equal(counters_of(search).indexes, 1);
	check_same(asked[0], root, search);
	assert_int_equal(counters_of(search).found, 1);
	store_search_free(search);
	/* Small lists, memory for none of it, no indexes. */
	const struct store_search_limits none[] = {
		{8, SIZE_MAX, ENTRIES + 1}, {8, 16 * 100, 1}, {0, SIZE_MAX, 1}};
	for (size_t i = 0; i < 3; i++) {
		search = store_search_new(&none[i], NULL);
		check_same(asked[0], root, search);
		assert_int_equal(counters_of(search).made, 0);
		store_search_free(search);
	}
	tree_record_unref(root, schema->root, NULL);
}

/* What is found on the way counts for no limit that looking at all entries does not reach. */
static void test_takes_no_more(void **state)
{
	(void)state;
	struct helper_random random = helper_random_init("takes no more");
	struct store_search *search = new_search(8, SIZE_MAX, 1);
	struct tree_record *root = make(&random);
	struct arena *arena = arena_new();
	struct xpath_limits limits = {.steps = 100000000, .max_nodes = 1};
	struct xpath_env env = {.limits = &limits, .memory = 1 << 20, .search = store_search_xpath(search)};
	struct xpath_value value;
	assert_int_equal(evaluate("/c/e[s='v1'][1]", root, arena, &env, &value), ST_OK);
	assert_int_equal(evaluate("/c/e[s='v1']", root, arena, &env, &value), ST_LIMIT);
	assert_int_equal(evaluate("/c/u[/c/e[s='v1']/k=-1]", root, arena, &env, &value), ST_OK);
	assert_int_equal(counters_of(search).made, 1);
	arena_free(arena);
	tree_record_unref(root, schema->root, NULL);
	store_search_free(search);
}

/* ---- Threads. ---- */

struct shared {
	struct tree_record *roots[WINDOW];
	struct store_search *search;
	uint64_t seed;
};

static void *ask(void *arg)
{
	struct shared *shared = arg;
	struct helper_random random = {__atomic_add_fetch(&shared->seed, 1, __ATOMIC_RELAXED)};
	for (size_t i = 0; i < THREAD_ROUNDS; i++)
		check_random(&random, shared->roots[helper_random_below(&random, WINDOW)], shared->search);
	return NULL;
}

/* With fewer indexes than are asked for, so that they come and go. */
static void test_threads(void **state)
{
	(void)state;
	struct helper_random random = helper_random_init("threads");
	struct shared shared = {.search = new_search(2, SIZE_MAX, 1), .seed = helper_random_next(&random)};
	for (size_t i = 0; i < WINDOW; i++)
		shared.roots[i] = i == 0 ? make(&random) : change(shared.roots[i - 1], &random, 5);
	pthread_t threads[THREADS];
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, ask, &shared), 0);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (size_t i = 0; i < WINDOW; i++)
		tree_record_unref(shared.roots[i], schema->root, NULL);
	store_search_free(shared.search);
}

int main(void)
{
	schema = helper_schema("m", module);
	container = helper_node(schema, "c");
	list = helper_node(schema, "c/e");
	user = helper_node(schema, "c/u");
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_to_scan), cmocka_unit_test(test_index_is_kept),
		cmocka_unit_test(test_not_asked),     cmocka_unit_test(test_limits),
		cmocka_unit_test(test_takes_no_more), cmocka_unit_test(test_threads),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	schema_unref(schema);
	return failed;
}
