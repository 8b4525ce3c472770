/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random subtree filters against a naive evaluation of RFC 6241 section 6 over the XML of the whole
 * datastore; filters that are large, or made to be expensive.
 */
#include "helper_server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "codec/element.h"

#define NS "urn:yare:example?a&amp;b"
#define ROUNDS 3000

/* ---- XML as elements. */

static struct element *parse(struct arena *arena, const char *text)
{
	static const struct xml_reader_limits limits = {
		.depth = 300, .text_size = 1 << 26, .attributes = 300};
	struct element_builder builder;
	element_builder_init(&builder, arena, (size_t)1 << 30);
	struct xml_reader *reader = xml_reader_new(&element_builder_handlers, &builder, &limits);
	enum status status = xml_reader_feed(reader, bytes_of(text));
	if (status == ST_OK)
		status = xml_reader_finish(reader);
	assert_int_equal(status, ST_OK);
	xml_reader_free(reader);
	return builder.root;
}

/* ---- The naive evaluation: marks what is selected. A mark is the element's `attributes` pointer, as data
 * has none. */

static struct xml_attribute marked;

static void mark(struct element *data)
{
	data->attributes = &marked;
}

static void mark_whole(struct element *data)
{
	mark(data);
	for (struct element *child = data->children; child != NULL; child = child->next)
		mark_whole(child);
}

static bool named(const struct element *element, const char *names)
{
	char name[64];
	snprintf(name, sizeof(name), " %.*s ", (int)element->name.size, element->name.data);
	return strstr(names, name) != NULL;
}

static bool is_leaf(const struct element *data)
{
	return !named(data, " top item detail part mode plain numbered other ");
}

static bool is_key(const struct element *data)
{
	return (named(data->parent, " item ") && named(data, " name ")) ||
	       (named(data->parent, " numbered ") && named(data, " id ")) ||
	       (named(data->parent, " part ") && named(data, " a b "));
}

static bool same_name(const struct element *data, const struct element *filter)
{
	return bytes_equal(data->name, filter->name) &&
	       (filter->ns.size == 0 || bytes_equal(data->ns, filter->ns));
}

static bool has_text(const struct element *filter)
{
	return filter->children == NULL && element_text_trimmed(filter).size > 0;
}

static bool apply(struct element *data, const struct element *filter);

/* Every content match among the filter's children is fulfilled. */
static bool matches(const struct element *data, const struct element *filter)
{
	for (const struct element *f = filter->children; f != NULL; f = f->next) {
		bool found = !has_text(f);
		for (const struct element *child = data->children; child != NULL && !found;
		     child = child->next)
			found = f->attribute_count == 0 && is_leaf(child) && same_name(child, f) &&
				bytes_equal(child->text, element_text_trimmed(f));
		if (!found)
			return false;
	}
	return true;
}

static bool apply_inside(struct element *data, const struct element *filter)
{
	bool any = false, only_matches = true;
	if (!matches(data, filter))
		return false;
	for (const struct element *f = filter->children; f != NULL; f = f->next)
		only_matches &= has_text(f);
	if (only_matches) {
		mark_whole(data);
		return true;
	}
	for (struct element *child = data->children; child != NULL; child = child->next)
		for (const struct element *f = filter->children; f != NULL; f = f->next)
			any |= apply(child, f);
	for (struct element *child = data->children; any && child != NULL; child = child->next)
		if (is_key(child))
			mark(child);
	if (any)
		mark(data);
	return any;
}

static bool apply(struct element *data, const struct element *filter)
{
	if (filter->attribute_count > 0 || !same_name(data, filter))
		return false;
	if (!is_leaf(data) && filter->children != NULL)
		return apply_inside(data, filter);
	if (filter->children != NULL || (!is_leaf(data) && has_text(filter)))
		return false;
	if (has_text(filter) && !bytes_equal(data->text, element_text_trimmed(filter)))
		return false;
	mark_whole(data);
	return true;
}

/* The marked part of `data` is exactly `reply`. */
static bool same(const struct element *data, const struct element *reply)
{
	const struct element *r = reply->children;
	if (!bytes_equal(data->name, reply->name) || !bytes_equal(data->ns, reply->ns) ||
	    !bytes_equal(data->text, reply->text))
		return false;
	for (const struct element *child = data->children; child != NULL; child = child->next) {
		if (child->attributes != &marked)
			continue;
		if (r == NULL || !same(child, r))
			return false;
		r = r->next;
	}
	return r == NULL;
}

/* ---- Random filters. */

static uint64_t seed;

static uint32_t below(uint32_t bound)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % bound;
}

struct model {
	const char *name, *ns;
	const char *values; /* of a leaf, by blanks */
	const struct model *children;
	int count;
};

#define EX "urn:yare:example?a&amp;b"
#define MORE "urn:yare:example-more"

static const struct model detail[] = {{"first", EX, "1 2", NULL, 0}, {"second", EX, "1 2", NULL, 0}};
static const struct model part[] = {
	{"a", EX, "p q", NULL, 0}, {"b", EX, "1 2 x", NULL, 0}, {"value", EX, "v w", NULL, 0}};
static const struct model item[] = {
	{"name", EX, "a b c z", NULL, 0}, {"name", EX, "a b c z", NULL, 0}, {"kind", EX, "x y", NULL, 0},
	{"size", EX, "1 2 bad", NULL, 0}, {"tag", EX, "t u", NULL, 0},	    {"detail", EX, NULL, detail, 2},
	{"part", EX, NULL, part, 3},
};
static const struct model top[] = {
	{"item", EX, NULL, item, 7},  {"item", EX, NULL, item, 7},    {"item", EX, NULL, item, 7},
	{"note", EX, "n m", NULL, 0}, {"note", MORE, "n m", NULL, 0},
};
static const struct model other[] = {{"note", MORE, "n m", NULL, 0}};
static const struct model numbered[] = {{"id", EX, "1 2 3", NULL, 0}, {"text", EX, "s t", NULL, 0}};
static const struct model all[] = {
	{"top", EX, NULL, top, 5},    {"top", EX, NULL, top, 5},       {"numbered", EX, NULL, numbered, 2},
	{"word", EX, "v w", NULL, 0}, {"other", MORE, NULL, other, 1},
};

static void put(struct buffer *out, const char *text)
{
	assert_int_equal(buffer_append(out, bytes_of(text)), ST_OK);
}

static void put_value(struct buffer *out, const char *values)
{
	char copy[64], *at = copy;
	snprintf(copy, sizeof(copy), "%s", values);
	uint32_t count = 1;
	for (const char *c = values; *c != '\0'; c++)
		count += *c == ' ';
	for (uint32_t skip = below(count); skip > 0; skip--)
		at = strchr(at, ' ') + 1;
	at[strcspn(at, " ")] = '\0';
	put(out, at);
}

static void put_filter(struct buffer *out, const struct model *models, int count, int most)
{
	for (uint32_t elements = below((uint32_t)most + 1); elements > 0; elements--) {
		const struct model *model = &models[below((uint32_t)count)];
		uint32_t chance = below(20);
		put(out, "<");
		put(out, model->name);
		put(out, " xmlns=\"");
		put(out, chance == 0 ? "" : chance == 1 ? "urn:nowhere" : model->ns);
		put(out, chance == 2 ? "\" colour=\"red\">" : "\">");
		if (model->children != NULL && below(6) > 0)
			put_filter(out, model->children, model->count, 3);
		else if (model->values != NULL && below(2) == 0)
			put_value(out, model->values);
		put(out, "</");
		put(out, model->name);
		put(out, ">");
	}
}

static void put_data(struct buffer *out)
{
	put(out, "<top xmlns=\"" EX "\">");
	for (const char *name = "abcd"; *name != '\0'; name++) {
		assert_int_equal(buffer_printf(out, "<item><name>%c</name><kind>%s</kind>", *name,
					       below(2) ? "x" : "y"),
				 ST_OK);
		if (below(2))
			assert_int_equal(buffer_printf(out, "<size>%u</size>", below(2) + 1), ST_OK);
		if (below(2))
			put(out, "<tag>t</tag>");
		if (below(2))
			put(out, "<tag>u</tag>");
		if (below(2))
			assert_int_equal(
				buffer_printf(out, "<detail><first>%u</first></detail>", below(2) + 1),
				ST_OK);
		for (int i = 1; i <= 2; i++)
			if (below(2))
				assert_int_equal(
					buffer_printf(out, "<part><a>%s</a><b>%d</b><value>%s</value></part>",
						      below(2) ? "p" : "q", i, below(2) ? "v" : "w"),
					ST_OK);
		put(out, "</item>");
	}
	put(out, "<note>n</note><note xmlns=\"" MORE "\">m</note></top>");
	put(out, "<numbered xmlns=\"" EX "\"><id>1</id><text>s</text></numbered><numbered xmlns=\"" EX
		 "\"><id>2</id></numbered>");
	put(out, "<word xmlns=\"" EX "\">v</word><other xmlns=\"" MORE "\"><note>n</note></other>");
}

static void check_filter(struct peer *peer, const char *content)
{
	struct arena *arena = arena_new();
	char *whole = peer_call(peer, "<get/>");
	struct element *data = parse(arena, whole)->children;
	char *operation = arena_printf(arena, "<get><filter>%s</filter></get>", content);
	char *answer = peer_call(peer, operation);
	struct element *reply = parse(arena, answer)->children;
	struct element *filter = parse(arena, arena_printf(arena, "<filter>%s</filter>", content));
	for (struct element *child = data->children; child != NULL; child = child->next)
		for (struct element *f = filter->children; f != NULL; f = f->next)
			apply(child, f);
	if (!same(data, reply))
		fail_msg("filter %s\ngot %s\nof %s", content, answer, whole);
	memory_free(whole);
	memory_free(answer);
	arena_free(arena);
}

static void test_random_filters(void **state)
{
	(void)state;
	const char *given = getenv("YARE_SEED");
	seed = given != NULL ? strtoull(given, NULL, 0) : 6241;
	print_message("YARE_SEED=%llu\n", (unsigned long long)seed);
	struct harness h;
	assert_true(harness_init(&h, &(struct harness_options){0}));
	struct peer *peer = harness_connect(&h);
	peer_hello(peer, true);
	struct buffer text;
	buffer_init(&text, SIZE_MAX);
	for (int round = 0; round < ROUNDS; round++) {
		if (round % 100 == 0) {
			buffer_clear(&text, 4096);
			put(&text, "<edit-config><target><running/></target><default-operation>replace</"
				   "default-operation>"
				   "<config>");
			put_data(&text);
			assert_int_equal(buffer_append(&text, (struct bytes){"</config></edit-config>", 24}),
					 ST_OK);
			peer_expect(peer, buffer_get(&text).data, "<ok/>");
		}
		buffer_clear(&text, 4096);
		put_filter(&text, all, 5, 4);
		assert_int_equal(buffer_append(&text, (struct bytes){"", 1}), ST_OK);
		check_filter(peer, buffer_get(&text).data);
	}
	buffer_fini(&text);
	harness_fini(&h);
}

/* Fills a get with `count` times the element, which is printed with its number twice. */
static char *large_filter(const char *element, int count)
{
	struct buffer text;
	buffer_init(&text, SIZE_MAX);
	put(&text, "<get><filter><top xmlns=\"" EX "\">");
	for (int i = 0; i < count; i++) {
		char one[256];
		/* The formats are this file's own. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(one, sizeof(one), element, i, i);
#pragma GCC diagnostic pop
		put(&text, one);
	}
	assert_int_equal(buffer_append(&text, (struct bytes){"</top></filter></get>", 22}), ST_OK);
	char *copy = memory_strdup(buffer_get(&text).data);
	buffer_fini(&text);
	return copy;
}

static void test_large_filters(void **state)
{
	(void)state;
	struct harness h;
	assert_true(harness_init(&h, &(struct harness_options){0}));
	struct peer *peer = harness_connect(&h);
	peer_hello(peer, true);
	peer_expect(peer,
		    "<edit-config><target><running/></target><config><top xmlns=\"" EX
		    "\"><item><name>7</name>"
		    "<kind>x</kind></item></top></config></edit-config>",
		    "<ok/>");
	/* Many keys are looked up; many alternatives that must be tried for each entry are refused, as is
	 * what is too large. */
	const struct {
		const char *element, *answer;
		int count;
	} cases[] = {
		{"<item><name>%d</name></item>", "<name>7</name>", 1500},
		{"<item><name>7</name><kind/></item>", "<kind>x</kind>", 50},
		{"<item><name>7</name><kind/></item>", "too-big", 70},
		{"<item><kind>%d</kind></item>", "<data></data>", 60},
		{"<item><kind>%d</kind></item>", "too-big", 70},
		{"<item><kind/></item>", "<kind>x</kind>", 1500},
		{"<item><name>%d</name><kind>%d</kind></item>", "too-big", 20000},
		{"<item><tag>%d</tag></item>", "<data></data>", 30},
		{"<item><name>%d</name><detail/></item>", "<name>7</name>", 1000},
		{"<item><detail><first>%d</first></detail></item>", "<data></data>", 60},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *filter = large_filter(cases[i].element, cases[i].count);
		peer_expect(peer, filter, cases[i].answer);
		memory_free(filter);
	}
	harness_fini(&h);
}

/* Values that reach the limit of their pattern, one by one, are one too many together. */
static void test_slow_patterns(void **state)
{
	(void)state;
	struct harness h;
	assert_true(harness_init(&h, &(struct harness_options){.standard = true}));
	struct peer *peer = harness_connect(&h);
	peer_hello(peer, true);
	static const struct {
		int count;
		const char *answer;
	} cases[] = {{1, "<data></data>"}, {60, "too-big"}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buffer text;
		buffer_init(&text, SIZE_MAX);
		put(&text, "<get><filter>");
		for (int j = 0; j < cases[i].count; j++)
			put(&text, "<slow xmlns=\"urn:yare:example-validation\">"
				   "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa<"
				   "/slow>");
		assert_int_equal(buffer_append(&text, (struct bytes){"</filter></get>", 16}), ST_OK);
		peer_expect(peer, buffer_get(&text).data, cases[i].answer);
		buffer_fini(&text);
	}
	harness_fini(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_filters),
		cmocka_unit_test(test_large_filters),
		cmocka_unit_test(test_slow_patterns),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
