/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/helper_build.h"

#include <stdio.h>

#include "base/assert.h"
#include "schema/type.h"

static void build_children(struct tree_builder *builder, const struct edit_node *parent);

static void annotate(struct tree_builder *builder, const struct edit_node *from, struct tree_annotated node)
{
	for (const struct edit_annotation *at = from->annotations; at; at = at->next)
		tree_builder_annotate(builder, node, at->schema, at->value);
}

static void build_entry(struct tree_builder *builder, const struct edit_node *node)
{
	struct value keys[8];
	const struct edit_node *key = node->children;
	for (uint16_t i = 0; i < node->schema->key_count; i++, key = key->next)
		keys[i] = key->value;
	bool made;
	tree_builder_enter_entry(builder, node->schema, keys, &made);
	annotate(builder, node, (struct tree_annotated){0});
	build_children(builder, node);
	tree_builder_leave(builder);
}

static void build_node(struct tree_builder *builder, const struct edit_node *node)
{
	switch (node->schema->kind) {
	case SCHEMA_CONTAINER:
		tree_builder_enter(builder, node->schema);
		tree_builder_make(builder);
		annotate(builder, node, (struct tree_annotated){0});
		build_children(builder, node);
		tree_builder_leave(builder);
		break;
	case SCHEMA_LIST:
		build_entry(builder, node);
		break;
	case SCHEMA_LEAF:
		if (!node->schema->is_key && !value_is_none(node->value))
			tree_builder_set_leaf(builder, node->schema, node->value);
		annotate(builder, node, (struct tree_annotated){.child = node->schema});
		break;
	case SCHEMA_LEAF_LIST:
		tree_builder_add_value(builder, node->schema, node->value);
		annotate(builder, node, (struct tree_annotated){node->schema, node->value});
		break;
	case SCHEMA_ANYDATA:
	case SCHEMA_ANYXML:
		tree_builder_set_any(builder, node->schema, node->any);
		annotate(builder, node, (struct tree_annotated){.child = node->schema});
		break;
	case SCHEMA_ROOT:
	case SCHEMA_RPC:
	case SCHEMA_ACTION:
	case SCHEMA_OUTPUT:
	case SCHEMA_NOTIFICATION:
		ASSERT(!"no data node");
	}
}

static void build_children(struct tree_builder *builder, const struct edit_node *parent)
{
	for (const struct edit_node *node = parent->children; node; node = node->next)
		build_node(builder, node);
}

struct tree_record *helper_build(const struct schema *schema, const struct edit_tree *edit)
{
	struct tree_record *empty = tree_record_new();
	struct tree_builder *builder = tree_builder_new(schema, empty, NULL);
	tree_record_unref(empty, schema->root, NULL);
	build_children(builder, edit->top);
	return tree_builder_finish(builder);
}

uint32_t helper_random(uint64_t *seed, uint32_t limit)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(*seed >> 33) % limit;
}

struct growing {
	const struct schema *schema;
	struct tree_builder *builder;
	uint64_t seed;
	struct arena *arena;
};

static const struct schema_node *child(const struct growing *growing, const char *name)
{
	const struct schema_node *parent = tree_builder_position(growing->builder)->schema;
	const struct schema_node *node = schema_child_find_any(parent, bytes_of(name), NULL);
	ASSERT(node);
	return node;
}

static struct bytes random_text(struct growing *growing)
{
	static const char *const PIECES[] = {"&",	   "<",	       ">",	 "\"",	   "'",
					     "\r",	   "\n",       "\t",	 " ",	   "]]>",
					     "&amp;",	   "a",	       "ab:cd",	 "\u00e4", "\u20ac",
					     "\U0001f600", "\xc2\x85", "\u2028", "c:x",	   "codec-test:cat",
					     "0123456789"};
	uint32_t count = helper_random(&growing->seed, 10);
	if (helper_random(&growing->seed, 100) == 0)
		count = 5000;
	char *text = arena_alloc(growing->arena, (size_t)count * 16 + 1);
	size_t size = 0;
	for (uint32_t i = 0; i < count; i++) {
		const char *piece = PIECES[helper_random(&growing->seed, sizeof(PIECES) / sizeof(PIECES[0]))];
		memcpy(text + size, piece, strlen(piece));
		size += strlen(piece);
	}
	return (struct bytes){text, size};
}

static struct value parse(struct growing *growing, const struct schema_type *type,
			  const struct schema_module *module, struct bytes canonical)
{
	struct schema_prefixes_canonical prefixes = schema_prefixes_canonical(growing->schema, module);
	prefixes.base.inherit = true;
	struct schema_type_error error;
	struct value value;
	enum status status = schema_type_parse(growing->schema, type, canonical, &prefixes.base,
					       growing->arena, &value, &error);
	ASSERT(status == ST_OK);
	return value;
}

/* Some of the annotations, once in eight times. */
static void maybe_annotate(struct growing *growing, struct tree_annotated node)
{
	static const char *const PETS[] = {"codec-test:cat", "codec-test-more:dog"};
	while (helper_random(&growing->seed, 8) == 0) {
		uint32_t index = helper_random(&growing->seed, (uint32_t)growing->schema->annotation_count);
		const struct schema_annotation *annotation = &growing->schema->annotations[index];
		struct bytes text = bytes_of("");
		if (strcmp(annotation->name, "note") == 0)
			text = random_text(growing);
		else if (strcmp(annotation->name, "level") == 0)
			text = bytes_of(
				arena_printf(growing->arena, "%u", helper_random(&growing->seed, 256)));
		else if (strcmp(annotation->name, "animal") == 0)
			text = bytes_of(PETS[helper_random(&growing->seed, 2)]);
		else if (strcmp(annotation->name, "place") == 0)
			text = bytes_of(
				"/codec-test:top/entry[first='a b:c'][second='2']/codec-test-more:extra");
		struct value value = parse(growing, annotation->type, annotation->module, text);
		tree_builder_annotate(growing->builder, node, annotation, value);
		value_unref(value);
	}
}

/* Sets the leaf in one of three cases. */
static void maybe_set(struct growing *growing, const char *name, struct bytes canonical)
{
	if (helper_random(&growing->seed, 3) != 0)
		return;
	const struct schema_node *node = child(growing, name);
	struct value value = parse(growing, node->type, node->module, canonical);
	struct tree_annotated annotated = {.child = node};
	if (node->kind == SCHEMA_LEAF) {
		tree_builder_set_leaf(growing->builder, node, value);
	} else {
		tree_builder_add_value(growing->builder, node, value);
		annotated.item = value;
	}
	maybe_annotate(growing, annotated);
	value_unref(value);
}

static void enter_entry(struct growing *growing, const char *name, const struct bytes *texts, size_t count)
{
	struct value keys[2];
	const struct schema_node *list = child(growing, name);
	ASSERT(list->key_count == count);
	struct schema_prefixes_canonical prefixes = schema_prefixes_canonical(growing->schema, list->module);
	for (size_t i = 0; i < count; i++) {
		struct schema_type_error error;
		enum status status = schema_type_parse(growing->schema, list->children[i]->type, texts[i],
						       &prefixes.base, growing->arena, &keys[i], &error);
		ASSERT(status == ST_OK);
	}
	bool made;
	tree_builder_enter_entry(growing->builder, list, keys, &made);
	for (size_t i = 0; i < count; i++)
		value_unref(keys[i]);
	maybe_annotate(growing, (struct tree_annotated){0});
	maybe_annotate(growing, (struct tree_annotated){.child = list->children[0]});
}

static struct bytes random_number(struct growing *growing, uint32_t limit)
{
	return bytes_of(arena_printf(growing->arena, "%u", helper_random(&growing->seed, limit)));
}

static void grow_entry(struct growing *growing)
{
	static const char *const PETS[] = {"codec-test:cat", "codec-test-more:dog"};
	static const char *const MIXED[] = {"codec-test:cat", "codec-test-more:dog", "17", "x:y", ""};
	static const char *const WHERES[] = {
		"/codec-test:top/name",
		"/codec-test:top/codec-test-more:deep/name",
		"/codec-test:top/entry[first='a b:c'][second='2']/codec-test-more:extra",
		"/codec-test:top/step[.='x']",
		"/codec-test-more:word",
	};
	struct bytes keys[2] = {random_text(growing), random_number(growing, 200)};
	enter_entry(growing, "entry", keys, 2);
	maybe_set(growing, "text", random_text(growing));
	maybe_set(growing, "number", bytes_of("17"));
	maybe_set(growing, "flag", bytes_of("true"));
	maybe_set(growing, "nothing", bytes_of(""));
	maybe_set(growing, "color", bytes_of("a-very-long-color-name"));
	maybe_set(growing, "pet", bytes_of(PETS[helper_random(&growing->seed, 2)]));
	maybe_set(growing, "mixed", bytes_of(MIXED[helper_random(&growing->seed, 5)]));
	const char *where = WHERES[helper_random(&growing->seed, 5)];
	maybe_set(growing, "where", bytes_of(where));
	maybe_set(growing, "extra", random_number(growing, 1000000));
	for (uint32_t i = helper_random(&growing->seed, 5); i > 0; i--)
		maybe_set(growing, "tag", random_text(growing));
	if (helper_random(&growing->seed, 2) == 0) {
		tree_builder_enter(growing->builder, child(growing, "box"));
		tree_builder_make(growing->builder);
		maybe_annotate(growing, (struct tree_annotated){0});
		maybe_set(growing, "width", bytes_of("-1.5"));
		tree_builder_leave(growing->builder);
	}
	for (uint32_t i = helper_random(&growing->seed, 4); i > 0; i--) {
		struct bytes name = random_text(growing);
		enter_entry(growing, "inner", &name, 1);
		maybe_set(growing, "value", random_text(growing));
		tree_builder_leave(growing->builder);
	}
	tree_builder_leave(growing->builder);
}

static void grow_any(struct growing *growing)
{
	static const char *const CONTENTS[] = {
		"", "<x xmlns=\"urn:x\">&lt;&#13;</x>",
		"<y:x xmlns:y=\"urn:y\" y:a=\"&quot;&#10;\"><z xmlns=\"\"/></y:x>"};
	struct bytes xml = bytes_of(CONTENTS[helper_random(&growing->seed, 3)]);
	struct tree_any *any = tree_any_new(text_new(xml, 0));
	const struct schema_node *node = child(growing, helper_random(&growing->seed, 2) ? "data" : "mess");
	tree_builder_set_any(growing->builder, node, any);
	maybe_annotate(growing, (struct tree_annotated){.child = node});
	tree_any_unref(any);
}

static void grow_top(struct growing *growing)
{
	for (uint32_t i = helper_random(&growing->seed, 30); i > 0; i--)
		grow_entry(growing);
	for (uint32_t i = helper_random(&growing->seed, 5); i > 0; i--) {
		struct bytes keys[2] = {bytes_of("codec-test-more:dog"), random_number(growing, 10)};
		enter_entry(growing, "pair", keys, 2);
		tree_builder_leave(growing->builder);
	}
	for (uint32_t i = helper_random(&growing->seed, 5); i > 0; i--)
		maybe_set(growing, "step", random_text(growing));
	maybe_set(growing, "name", random_text(growing));
	maybe_set(growing, "extra", random_text(growing));
	grow_any(growing);
	if (helper_random(&growing->seed, 2) == 0) {
		tree_builder_enter(growing->builder, child(growing, "deep"));
		maybe_set(growing, "name", random_text(growing));
		tree_builder_leave(growing->builder);
	}
}

struct tree_record *helper_build_random(const struct schema *schema, uint64_t seed)
{
	struct tree_record *empty = tree_record_new();
	struct growing growing = {.schema = schema, .seed = seed, .arena = arena_new()};
	growing.builder = tree_builder_new(schema, empty, NULL);
	tree_record_unref(empty, schema->root, NULL);
	if (helper_random(&growing.seed, 10) != 0) {
		tree_builder_enter(growing.builder, child(&growing, "top"));
		grow_top(&growing);
		tree_builder_leave(growing.builder);
	}
	for (uint32_t i = helper_random(&growing.seed, 5); i > 0; i--)
		maybe_set(&growing, "word", random_text(&growing));
	struct tree_record *root = tree_builder_finish(growing.builder);
	arena_free(growing.arena);
	return root;
}

bool helper_ends_whole(struct bytes text)
{
	size_t back = 0;
	while (back < text.size && back < 4 &&
	       ((unsigned char)text.data[text.size - back - 1] & 0xc0) == 0x80)
		back++;
	if (back == text.size)
		return back == 0;
	unsigned char lead = (unsigned char)text.data[text.size - back - 1];
	return back == (lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc0 ? 1 : 0);
}
