/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Comparisons of large trees: ten differences among many nodes cost what they cost among a few; an order that
 * differs everywhere still comes as a right patch. YARE_COMPARE_ENTRIES sets how many entries the large tree
 * has.
 */
#include <libxml/parser.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "netconf/compare.h"
#include "os/clock.h"
#include "patch.h"
#include "schema/load.h"
#include "tree/builder.h"

#define SMALL 1000u
#define LARGE 20000u
#define DIFFERENCES 10u
#define FACTOR 3      /* of nodes looked at, which are levels of search trees; the edits cost the same */
#define ORDERED 4400u /* more than are moved as few times as possible */
#define PIECE ((size_t)16 * 1024)
#define MEMORY_MAX ((size_t)1 << 20)

static struct schema *load(void)
{
	char dir[1024];
	const char *source = getenv("YARE_SOURCE");
	snprintf(dir, sizeof(dir), "%s/tests/compare/yang", source ? source : ".");
	const char *dirs[] = {dir};
	static const struct schema_module_request module = {.name = "order-test"};
	struct schema_source request = {
		.search_dirs = dirs, .search_dir_count = 1, .modules = &module, .module_count = 1};
	struct arena *arena = arena_new();
	struct diag_list diags;
	struct schema *schema;
	diag_list_init(&diags, arena, 1);
	assert_int_equal(schema_load(&request, &diags, &schema), ST_OK);
	arena_free(arena);
	return schema;
}

static const struct schema_node *child_of(const struct schema_node *parent, const char *name)
{
	return schema_child_find_any(parent, bytes_of(name), NULL);
}

static struct value number(uint64_t n)
{
	char text[24];
	snprintf(text, sizeof(text), "%llu", (unsigned long long)n);
	return value_new(bytes_of(text), 0);
}

/* Entries of `list` 0 .. count - 1, those of `from` too, with this text. */
static struct tree_record *fill(const struct schema *schema, const struct tree_record *from, const char *list,
				uint64_t count, uint64_t step, const char *text)
{
	const struct schema_node *top = schema->root->children[0], *entry = child_of(top, list);
	struct tree_builder *builder = tree_builder_new(schema, from, NULL);
	struct value content = value_new(bytes_of(text), 0);
	tree_builder_enter(builder, top);
	for (uint64_t i = 0; i < count; i += step) {
		struct value key = number(i);
		bool made;
		tree_builder_enter_entry(builder, entry, &key, &made);
		tree_builder_set_leaf(builder, entry->children[1], content);
		tree_builder_leave(builder);
		value_unref(key);
	}
	value_unref(content);
	tree_builder_leave(builder);
	return tree_builder_finish(builder);
}

static struct netconf_stream *begin(struct schema *schema, const struct tree_record *a,
				    const struct tree_record *b)
{
	struct netconf_compare_input input = {
		.schema = schema,
		.ns = NETCONF_COMPARE_NS,
		.patch_id = "test",
		.roots = {tree_record_ref(a), tree_record_ref(b)},
	};
	return netconf__compare_new(&input);
}

static void write_all(struct netconf_stream *stream, struct buffer *out)
{
	for (bool done = false; !done;)
		done = stream->write(stream, out, buffer_size(out) + PIECE, 2000);
}

/* What DIFFERENCES cost among so many entries: nodes looked at, and the best time of some. */
static size_t cost_among(struct schema *schema, const char *list, uint64_t count, uint64_t *best_ns)
{
	struct tree_record *empty = tree_record_new();
	struct tree_record *a = fill(schema, empty, list, count, 1, "a long text that is shared");
	struct tree_record *b = fill(schema, a, list, count, count / DIFFERENCES, "another text");
	size_t visited = 0;
	*best_ns = UINT64_MAX;
	for (unsigned i = 0; i < 20; i++) {
		struct buffer out;
		buffer_init(&out, SIZE_MAX);
		uint64_t began_ns = os_clock_monotonic_ns();
		struct netconf_stream *stream = begin(schema, a, b);
		write_all(stream, &out);
		uint64_t took_ns = os_clock_monotonic_ns() - began_ns;
		visited = netconf__compare_visited(stream);
		stream->free(stream);
		buffer_fini(&out);
		*best_ns = took_ns < *best_ns ? took_ns : *best_ns;
	}
	tree_record_unref(empty, schema->root, NULL);
	tree_record_unref(a, schema->root, NULL);
	tree_record_unref(b, schema->root, NULL);
	return visited;
}

static void costs_the_difference(void **state)
{
	(void)state;
	static const char *const lists[] = {"plain", "entry"};
	const char *given = getenv("YARE_COMPARE_ENTRIES");
	uint64_t large = given ? strtoull(given, NULL, 0) : LARGE;
	struct schema *schema = load();
	for (size_t i = 0; i < 2; i++) {
		uint64_t small_ns, large_ns;
		size_t among_small = cost_among(schema, lists[i], SMALL, &small_ns);
		size_t among_large = cost_among(schema, lists[i], large, &large_ns);
		print_message(
			"%s: %u differences among %u: %zu nodes, %.1f us; among %llu: %zu nodes, %.1f us; "
			"time x %.2f\n",
			lists[i], DIFFERENCES, SMALL, among_small, (double)small_ns / 1e3,
			(unsigned long long)large, among_large, (double)large_ns / 1e3,
			(double)large_ns / (double)small_ns);
		assert_true(among_large <= FACTOR * among_small);
	}
	schema_unref(schema);
}

/* Bytes of heap in use; a sanitizer has its own heap, and says nothing. */
static size_t heap_size(void)
{
	return mallinfo2().uordblks;
}

/* However much differs, the comparison holds one edit of it. */
static void holds_little(void **state)
{
	(void)state;
	const char *given = getenv("YARE_COMPARE_ENTRIES");
	uint64_t count = given ? strtoull(given, NULL, 0) : LARGE;
	struct schema *schema = load();
	struct tree_record *empty = tree_record_new();
	struct tree_record *a = fill(schema, empty, "plain", count, 1, "a long text that is shared");
	struct tree_record *b = fill(schema, a, "plain", count, 1, "another text");
	struct buffer piece;
	buffer_init(&piece, SIZE_MAX);
	size_t before = heap_size(), most = 0, written = 0;
	struct netconf_stream *stream = begin(schema, a, b);
	for (bool done = false; !done; buffer_clear(&piece, PIECE)) {
		done = stream->write(stream, &piece, PIECE, 2000);
		written += buffer_size(&piece);
		most = heap_size() > most ? heap_size() : most;
	}
	stream->free(stream);
	buffer_fini(&piece);
	print_message("%zu bytes of reply, %zu bytes of heap\n", written, most - before);
	assert_true(written > count * 100);
	assert_true(most - before < MEMORY_MAX);
	tree_record_unref(empty, schema->root, NULL);
	tree_record_unref(a, schema->root, NULL);
	tree_record_unref(b, schema->root, NULL);
	schema_unref(schema);
}

/* ---- orders ---- */

static struct tree_record *ordered(const struct schema *schema, uint64_t count, bool reversed,
				   uint64_t left_out)
{
	const struct schema_node *top = schema->root->children[0], *values = child_of(top, "value");
	struct tree_record *empty = tree_record_new();
	struct tree_builder *builder = tree_builder_new(schema, empty, NULL);
	tree_builder_enter(builder, top);
	for (uint64_t i = 0; i < count; i++) {
		if (i % 17 == left_out)
			continue;
		struct value value = number(reversed ? count - i : i);
		tree_builder_add_value(builder, values, value);
		value_unref(value);
	}
	tree_builder_leave(builder);
	tree_record_unref(empty, schema->root, NULL);
	return tree_builder_finish(builder);
}

static xmlDoc *document_of(struct schema *schema, const struct tree_record *root)
{
	struct buffer out;
	buffer_init(&out, SIZE_MAX);
	struct xml_encoder *encoder = xml_encoder_new(schema, root, NULL, NULL);
	assert_int_equal(buffer_append(&out, bytes_of("<config>")), ST_OK);
	bool done = false;
	while (!done)
		assert_int_equal(xml_encoder_run(encoder, &out, SIZE_MAX / 2, 10000, &done), ST_OK);
	assert_int_equal(buffer_append(&out, bytes_of("</config>")), ST_OK);
	xml_encoder_free(encoder);
	struct bytes text = buffer_get(&out);
	xmlDoc *document = xmlReadMemory(text.data, (int)text.size, NULL, NULL, XML_PARSE_HUGE);
	buffer_fini(&out);
	return document;
}

static void another_order_everywhere(void **state)
{
	(void)state;
	struct schema *schema = load();
	struct arena *arena = arena_new();
	struct tree_record *a = ordered(schema, ORDERED, false, 3), *b = ordered(schema, ORDERED, true, 5);
	struct netconf_stream *stream = begin(schema, a, b);
	struct buffer out;
	buffer_init(&out, SIZE_MAX);
	write_all(stream, &out);
	stream->free(stream);
	struct bytes text = buffer_get(&out);
	xmlDoc *reply = xmlReadMemory(text.data, (int)text.size, NULL, NULL, XML_PARSE_HUGE);
	xmlDoc *source = document_of(schema, a), *target = document_of(schema, b);
	assert_null(patch_apply(schema, source, reply, arena));
	assert_string_equal(patch_normal_form(schema, source, arena),
			    patch_normal_form(schema, target, arena));
	xmlFreeDoc(source);
	xmlFreeDoc(target);
	xmlFreeDoc(reply);
	buffer_fini(&out);
	tree_record_unref(a, schema->root, NULL);
	tree_record_unref(b, schema->root, NULL);
	arena_free(arena);
	schema_unref(schema);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(costs_the_difference),
		cmocka_unit_test(holds_little),
		cmocka_unit_test(another_order_everywhere),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	xmlCleanupParser();
	return failed;
}
