/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Readers beside a writer, for the thread sanitizer. The writer makes version after version with a builder
 * and publishes each under a short lock; readers pin a version, read all of it, and drop it, often as its
 * last owner. In version n every entry and the counter say n or less, and the number of entries follows from
 * n, so a reader that sees a half-made change notices.
 */
#include "helper_tree.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static const char module[] =
	"module m { yang-version 1.1; namespace urn:m; prefix m; leaf version { type int32; }"
	" container c { list e { key k; leaf k { type int32; } leaf x { type string; } }"
	"  leaf-list u { type string; ordered-by user; } } }";

enum { READERS = 3, VERSIONS = 2000, STEP = 5, WINDOW = 200 };

static struct schema *schema;
static const struct schema_node *counter, *container, *list, *text_leaf, *user;
static struct tree_reclaimer *reclaimer;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct tree_record *published;
static atomic_bool done;

static struct tree_record *pin(void)
{
	pthread_mutex_lock(&lock);
	struct tree_record *root = tree_record_ref(published);
	pthread_mutex_unlock(&lock);
	return root;
}

static void publish(struct tree_record *root)
{
	pthread_mutex_lock(&lock);
	struct tree_record *old = published;
	published = root;
	pthread_mutex_unlock(&lock);
	tree_record_unref(old, schema->root, reclaimer);
}

static int number_of(struct value value)
{
	struct bytes bytes = value_bytes(&value);
	char text[16] = "";
	memcpy(text, bytes.data, bytes.size < sizeof(text) - 1 ? bytes.size : sizeof(text) - 1);
	return atoi(text);
}

struct reader {
	bool good;
	int reads;
};

/* Which text a number has in the user-ordered leaf-list: one that is a shared object. */
static struct value user_value(int number)
{
	char text[32];
	snprintf(text, sizeof(text), "a long text %d", number);
	return helper_value(text);
}

/* The leaf-list has the numbers [from, to) from the last to the first, and its index finds them. */
static bool check_user_order(const struct tree_position *parent, int from, int to)
{
	const struct tree_map *map = tree_record_find(parent->record, user)->map;
	struct tree_map_iter iter;
	const union tree_item *item = tree_map_first(&iter, map, user);
	bool good = true;
	for (int i = to; good && i-- > from; item = tree_map_next(&iter)) {
		struct value value = user_value(i);
		good = item != NULL && value_equal(item->value, value) &&
		       tree_map_find(map, user, &value) != NULL;
		value_unref(value);
	}
	return good && item == NULL;
}

/* Returns whether the root is what its version number says. */
static bool check_root(const struct tree_record *root)
{
	struct tree_position position = tree_position_root(schema, root), below, entry, leaf;
	tree_position_find_child(&position, counter, TREE_EXPLICIT, &leaf);
	int version = number_of(leaf.value), next = version * STEP - WINDOW;
	struct tree_cursor cursor;
	tree_position_find_child(&position, container, TREE_WITH_DEFAULTS, &below);
	next = next < 0 ? 0 : next;
	if (!check_user_order(&below, next, version * STEP))
		return false;
	tree_cursor_init_child(&cursor, schema, &below, list, TREE_WITH_DEFAULTS);
	for (; tree_cursor_next(&cursor, &entry); next++) {
		if (number_of(entry.record->slots[0].value) != next ||
		    !tree_position_find_child(&entry, text_leaf, TREE_EXPLICIT, &leaf))
			return false;
	}
	return next == version * STEP;
}

static void *read_versions(void *arg)
{
	struct reader *reader = arg;
	while (!atomic_load(&done)) {
		struct tree_record *root = pin();
		reader->good = reader->good && check_root(root);
		reader->reads++;
		tree_record_unref(root, schema->root, reclaimer);
		tree_reclaimer_run(reclaimer, 10000);
	}
	return NULL;
}

static void make_version(int version)
{
	struct tree_builder *builder = tree_builder_new(schema, published, reclaimer);
	struct value number = helper_number(version), text = helper_value("a text that every entry shares");
	tree_builder_set_leaf(builder, counter, number);
	tree_builder_enter(builder, container);
	for (int i = (version - 1) * STEP; i < version * STEP; i++) {
		struct value key = helper_number(i), old_key = helper_number(i - WINDOW);
		bool made;
		tree_builder_enter_entry(builder, list, &key, &made);
		tree_builder_set_leaf(builder, text_leaf, text);
		tree_builder_leave(builder);
		struct value value = user_value(i), old_value = user_value(i - WINDOW);
		tree_builder_insert_value(builder, user, value, &(struct tree_insert){.where = TREE_FIRST});
		if (i >= WINDOW) {
			tree_builder_remove_entry(builder, list, &old_key);
			tree_builder_remove_value(builder, user, old_value);
		}
		value_unref(value);
		value_unref(old_value);
	}
	value_unref(text);
	publish(tree_builder_finish(builder));
}

static void readers_beside_a_writer(void **state)
{
	(void)state;
	schema = helper_schema("m", module);
	counter = helper_node(schema, "version");
	container = helper_node(schema, "c");
	list = helper_node(schema, "c/e");
	text_leaf = helper_node(schema, "c/e/x");
	user = helper_node(schema, "c/u");
	reclaimer = tree_reclaimer_new(NULL, NULL);
	published = tree_record_new();
	make_version(1);
	pthread_t threads[READERS];
	struct reader readers[READERS];
	for (int i = 0; i < READERS; i++) {
		readers[i] = (struct reader){.good = true};
		assert_int_equal(pthread_create(&threads[i], NULL, read_versions, &readers[i]), 0);
	}
	for (int version = 2; version <= VERSIONS; version++)
		make_version(version);
	atomic_store(&done, true);
	for (int i = 0; i < READERS; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
		assert_true(readers[i].good);
		print_message("reader %d: %d reads\n", i, readers[i].reads);
	}
	assert_true(check_root(published));
	helper_check(schema->root, published);
	tree_record_unref(published, schema->root, reclaimer);
	tree_reclaimer_free(reclaimer);
	schema_unref(schema);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(readers_beside_a_writer),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
