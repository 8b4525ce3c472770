/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * State data by name; see state_build.h. Values are made from canonical texts and go to the tree's builder as
 * borrows, so each is dropped here after it was set.
 */
#include "netconf/state_build.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/assert.h"
#include "schema/type.h"

#define KEYS_MAX 4
#define NS_PER_S 1000000000

/* The child of that name and kind at the present position; NULL where the schema has none. */
static const struct schema_node *find(const struct state_builder *build, const char *name,
				      enum schema_kind kind)
{
	const struct schema_node *parent = tree_builder_position(build->builder)->schema;
	const struct schema_node *node =
		schema_child_find(build->schema, parent, build->module, bytes_of(name));
	return node != NULL && node->kind == kind ? node : NULL;
}

void state__begin(struct state_builder *build, const struct schema_module *module,
		  const struct schema *schema, const struct tree_record *base,
		  struct tree_reclaimer *reclaimer)
{
	*build = (struct state_builder){schema, module, tree_builder_new(schema, base, reclaimer)};
}

void state__begin_at(struct state_builder *build, const struct schema_module *module,
		     const struct schema *schema, const struct schema_node *top,
		     const struct tree_record *base)
{
	*build = (struct state_builder){schema, module, tree_builder_new_at(schema, top, base, NULL)};
}

struct tree_record *state__finish(struct state_builder *build)
{
	return tree_builder_finish(build->builder);
}

bool state__enter(struct state_builder *build, const char *container)
{
	const struct schema_node *node = find(build, container, SCHEMA_CONTAINER);
	if (node != NULL)
		tree_builder_enter(build->builder, node);
	return node != NULL;
}

bool state__enter_made(struct state_builder *build, const char *container)
{
	if (!state__enter(build, container))
		return false;
	tree_builder_make(build->builder);
	return true;
}

bool state__entry(struct state_builder *build, const char *list, const char *const *keys, int qname)
{
	const struct schema_node *node = find(build, list, SCHEMA_LIST);
	if (node == NULL)
		return false;
	ASSERT(node->key_count > 0 && node->key_count <= KEYS_MAX);
	struct value values[KEYS_MAX];
	for (int i = 0; i < node->key_count; i++)
		values[i] = value_new(bytes_of(keys[i]), i == qname ? TEXT_QNAME : 0);
	bool made;
	tree_builder_enter_entry(build->builder, node, values, &made);
	for (int i = 0; i < node->key_count; i++)
		value_unref(values[i]);
	return true;
}

void state__leave(struct state_builder *build)
{
	tree_builder_leave(build->builder);
}

static void set(struct state_builder *build, const char *name, struct value value)
{
	const struct schema_node *leaf = find(build, name, SCHEMA_LEAF);
	if (leaf != NULL)
		tree_builder_set_leaf(build->builder, leaf, value);
	value_unref(value);
}

void state__leaf(struct state_builder *build, const char *leaf, const char *text)
{
	if (text != NULL)
		set(build, leaf, value_new(bytes_of(text), 0));
}

void state__number(struct state_builder *build, const char *leaf, uint64_t number)
{
	char text[32];
	snprintf(text, sizeof(text), "%" PRIu64, number);
	state__leaf(build, leaf, text);
}

void state__identity(struct state_builder *build, const char *leaf, const char *name)
{
	struct bytes module = {name, (size_t)(strchr(name, ':') - name)};
	if (schema_module_find(build->schema, module) != NULL)
		set(build, leaf, value_new(bytes_of(name), TEXT_QNAME));
}

static void add_value(struct state_builder *build, const char *leaf_list, const char *text, unsigned flags)
{
	const struct schema_node *node = find(build, leaf_list, SCHEMA_LEAF_LIST);
	if (node == NULL)
		return;
	struct value value = value_new(bytes_of(text), flags);
	tree_builder_add_value(build->builder, node, value);
	value_unref(value);
}

void state__value(struct state_builder *build, const char *leaf_list, const char *text)
{
	add_value(build, leaf_list, text, 0);
}

void state__path(struct state_builder *build, const char *leaf_list, const char *path)
{
	add_value(build, leaf_list, path, TEXT_QNAME);
}

void state__instance(struct state_builder *build, const char *leaf_list, const char *path)
{
	const struct schema_node *node = find(build, leaf_list, SCHEMA_LEAF_LIST);
	if (node == NULL)
		return;
	struct arena *arena = arena_new();
	struct schema_prefixes_canonical prefixes = schema_prefixes_canonical(build->schema, node->module);
	struct schema_type_error error;
	struct value value;
	if (schema_type_parse(build->schema, node->type, bytes_of(path), &prefixes.base, arena, &value,
			      &error) == ST_OK) {
		tree_builder_add_value(build->builder, node, value);
		value_unref(value);
	}
	arena_free(arena);
}

void state__time_text(uint64_t wall_ns, char text[STATE__TIME_SIZE])
{
	time_t seconds = (time_t)(wall_ns / NS_PER_S);
	struct tm parts;
	gmtime_r(&seconds, &parts);
	size_t size = strftime(text, STATE__TIME_SIZE, "%Y-%m-%dT%H:%M:%S+00:00", &parts);
	ASSERT(size > 0);
}

void state__time(struct state_builder *build, const char *leaf, uint64_t wall_ns)
{
	char text[STATE__TIME_SIZE];
	state__time_text(wall_ns, text);
	state__leaf(build, leaf, text);
}
