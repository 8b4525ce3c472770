/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading a leafref's path (path-arg of RFC 7950 section 14) for what an expression's analysis does not say:
 * where it leads, and which keys of the lists on the way its predicates compare with leafs of the reader.
 *
 *     /t[k = current()/../x]/s/i        target i; bounds: t's k with x
 *     ../../s[i = current()/../j]/v     ancestor: where the last ".." ends
 *
 * The expression itself was compiled already, so this only has to follow what is right. Whatever has another
 * form makes the result incomplete, not wrong.
 */
#include "check/plan.h"

#include <string.h>

#define BLANKS " \t\r\n"

struct reading {
	const struct schema *schema;
	const struct schema_xpath *path;
	const struct schema_node *leaf; /* the reader */
	const char *at;
};

static void skip(struct reading *reading, const char *set)
{
	reading->at += strspn(reading->at, set);
}

static struct bytes read_token(struct reading *reading)
{
	skip(reading, BLANKS "/");
	size_t size = strcspn(reading->at, BLANKS "/[]=");
	struct bytes token = {reading->at, size};
	reading->at += size;
	return token;
}

static const struct schema_node *child_named(const struct reading *reading, const struct schema_node *node,
					     struct bytes name)
{
	const char *colon = name.size > 0 ? memchr(name.data, ':', name.size) : NULL;
	struct bytes prefix = {name.data, colon ? (size_t)(colon - name.data) : 0};
	if (colon)
		name = (struct bytes){colon + 1, name.size - prefix.size - 1};
	const struct schema_module *module = schema_xpath_prefix(reading->schema, reading->path, prefix);
	return module ? schema_child_find(reading->schema, node, module, name) : NULL;
}

/* One step; NULL where it leads nowhere. */
static const struct schema_node *follow(const struct reading *reading, const struct schema_node *node,
					struct bytes name)
{
	if (bytes_equal(name, bytes_of("..")))
		return node->parent;
	if (bytes_equal(name, bytes_of(".")) || bytes_equal(name, bytes_of("current()")))
		return node;
	return child_named(reading, node, name);
}

/* "current()/../x" up to the "]"; NULL: something else. */
static const struct schema_node *read_reader_leaf(struct reading *reading)
{
	const struct schema_node *node = NULL;
	skip(reading, BLANKS);
	if (strncmp(reading->at, "current()", strlen("current()")) == 0)
		node = reading->leaf;
	while (node) {
		struct bytes token = read_token(reading);
		if (token.size == 0)
			break;
		node = follow(reading, node, token);
	}
	skip(reading, BLANKS);
	return node && *reading->at == ']' && node->kind == SCHEMA_LEAF ? node : NULL;
}

static bool read_bound(struct reading *reading, const struct schema_node *list, struct check__bound *bound)
{
	const struct schema_node *key = child_named(reading, list, read_token(reading));
	skip(reading, BLANKS);
	if (!key || !key->is_key || *reading->at != '=')
		return false;
	reading->at++;
	*bound = (struct check__bound){list, key->slot, read_reader_leaf(reading)};
	return bound->leaf != NULL;
}

/* To behind the "]" of a predicate that `start` is inside of. */
static void skip_predicate(struct reading *reading, const char *start)
{
	char quote = 0;
	const char *p = start;
	for (; *p && (quote || *p != ']'); p++) {
		if (quote == *p)
			quote = 0;
		else if (!quote && (*p == '\'' || *p == '"'))
			quote = *p;
	}
	reading->at = *p ? p + 1 : p;
}

static void read_predicates(struct reading *reading, const struct schema_node *node, struct arena *arena,
			    struct check__path *result)
{
	for (skip(reading, BLANKS); *reading->at == '['; skip(reading, BLANKS)) {
		const char *start = ++reading->at;
		struct check__bound bound;
		if (node && read_bound(reading, node, &bound)) {
			struct check__bound *bounds =
				arena_alloc(arena, (result->bound_count + 1) * sizeof(*bounds));
			if (result->bound_count > 0)
				memcpy(bounds, result->bounds, result->bound_count * sizeof(*bounds));
			bounds[result->bound_count++] = bound;
			result->bounds = bounds;
		} else {
			result->complete = false;
		}
		skip_predicate(reading, start);
	}
}

struct check__path check__path_parse(const struct schema *schema, struct arena *arena,
				     const struct schema_xpath *path, const struct schema_node *leaf)
{
	struct reading reading = {.schema = schema, .path = path, .leaf = leaf, .at = path->expression};
	struct check__path result = {.complete = true};
	skip(&reading, BLANKS);
	const struct schema_node *node = *reading.at == '/' ? schema->root : leaf;
	result.ancestor = node;
	while (node) {
		struct bytes token = read_token(&reading);
		if (token.size == 0)
			break;
		node = follow(&reading, node, token);
		if (node && check__is_above_or_at(node, result.ancestor))
			result.ancestor = node;
		read_predicates(&reading, node, arena, &result);
	}
	if (node && (node->kind == SCHEMA_LEAF || node->kind == SCHEMA_LEAF_LIST))
		result.target = node;
	return result;
}
