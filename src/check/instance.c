/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Instance-identifiers with require-instance (RFC 7950 9.13): from the canonical text to the node, for
 * whether it exists, and back, for who names a node that has gone.
 *
 * The canonical form is that of schema/type.h: a module's name where it differs from the step before, keys in
 * schema order, without prefix, in single quotes unless the value has one. So the texts of a node and of
 * everything below it begin alike, and an index of them, ordered as text, has them side by side.
 *
 * A text that is no such path (a union may have taken it as something else) names nothing.
 */
#include "check/run.h"

#include <string.h>

#define QUOTED_MAX 2 /* kinds of quotes */

struct reading {
	const struct schema *schema;
	struct bytes rest;
	const struct schema_module *module; /* of the step before; NULL at the start */
};

static void skip(struct reading *reading, size_t size)
{
	reading->rest = (struct bytes){reading->rest.data + size, reading->rest.size - size};
}

static bool next_is(struct reading *reading, char c)
{
	if (reading->rest.size == 0 || reading->rest.data[0] != c)
		return false;
	skip(reading, 1);
	return true;
}

static struct bytes read_until(struct reading *reading, const char *ends)
{
	size_t size = 0;
	while (size < reading->rest.size && !strchr(ends, reading->rest.data[size]))
		size++;
	struct bytes token = {reading->rest.data, size};
	skip(reading, size);
	return token;
}

/* "[name='value']" */
static bool read_predicate(struct reading *reading, const char *name, struct bytes *text)
{
	if (!next_is(reading, '[') || !bytes_equal(read_until(reading, "="), bytes_of(name)) ||
	    !next_is(reading, '=') || reading->rest.size == 0)
		return false;
	const char quote[QUOTED_MAX] = {reading->rest.data[0], '\0'};
	if (quote[0] != '\'' && quote[0] != '"')
		return false;
	skip(reading, 1);
	*text = read_until(reading, quote);
	return next_is(reading, quote[0]) && next_is(reading, ']');
}

static const struct schema_node *read_name(struct reading *reading, const struct schema_node *parent)
{
	if (!next_is(reading, '/'))
		return NULL;
	struct bytes name = read_until(reading, "/[:");
	if (next_is(reading, ':')) {
		reading->module = schema_module_find(reading->schema, name);
		name = read_until(reading, "/[");
	}
	return reading->module ? schema_child_find(reading->schema, parent, reading->module, name) : NULL;
}

static bool find_entry(struct check__run *run, struct reading *reading, const struct tree_position *parent,
		       const struct schema_node *list, struct tree_position *entry)
{
	size_t length = 0;
	bool found = list->key_count > 0;
	for (; found && length < list->key_count; length++) {
		struct bytes text;
		found = read_predicate(reading, list->children[length]->name, &text);
		run->keys[length] = found ? value_new(text, 0) : VALUE_NONE;
	}
	found = found && parent->record && tree_position_find_entry(parent, list, run->keys, entry);
	while (length > 0)
		value_unref(run->keys[--length]);
	return found;
}

static bool find_value(struct check__run *run, struct reading *reading, const struct tree_position *parent,
		       const struct schema_node *leaf_list, struct tree_position *position)
{
	struct bytes text;
	if (!read_predicate(reading, ".", &text))
		return false;
	struct tree_position sample = {.schema = leaf_list, .value = value_new(text, 0)};
	bool found = check__find_same(run, parent, &sample, position);
	value_unref(sample.value);
	return found;
}

bool check__instance_exists(struct check__run *run, struct bytes text)
{
	struct reading reading = {.schema = run->schema, .rest = text};
	struct tree_position root = tree_position_root(run->schema, run->new_root);
	const struct tree_position *position = &root;
	struct tree_position *next = run->instance_way;
	while (reading.rest.size > 0) {
		const struct schema_node *child = read_name(&reading, position->schema);
		bool found = child && child->config;
		if (found && child->kind == SCHEMA_LIST)
			found = find_entry(run, &reading, position, child, next);
		else if (found && child->kind == SCHEMA_LEAF_LIST)
			found = find_value(run, &reading, position, child, next);
		else
			found = found && check__find_child(run, position, child, next);
		if (!found)
			return false;
		position = next++;
	}
	return position != &root;
}

/* ---- Back. ---- */

static enum status append_predicate(struct buffer *text, const char *name, struct value value)
{
	struct bytes content = value_bytes(&value);
	bool has_quote = content.size > 0 && memchr(content.data, '\'', content.size);
	const struct bytes quote = bytes_of(has_quote ? "\"" : "'");
	const struct bytes parts[] = {bytes_of("["), bytes_of(name), bytes_of("="), quote,
				      content,	     quote,	     bytes_of("]")};
	enum status status = ST_OK;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts) && status == ST_OK; i++)
		status = buffer_append(text, parts[i]);
	return status;
}

static enum status append_name(struct buffer *text, const struct schema_node *node)
{
	enum status status = buffer_append(text, bytes_of("/"));
	if (status == ST_OK && node->module != node->parent->module) {
		status = buffer_append(text, bytes_of(node->module->name));
		if (status == ST_OK)
			status = buffer_append(text, bytes_of(":"));
	}
	return status == ST_OK ? buffer_append(text, node->name_bytes) : status;
}

enum status check__instance_text(const struct tree_position *position, struct buffer *text)
{
	const struct schema_node *node = position->schema;
	if (!node->parent)
		return ST_OK;
	enum status status = check__instance_text(position->parent, text);
	if (status == ST_OK)
		status = append_name(text, node);
	if (node->kind == SCHEMA_LEAF_LIST && status == ST_OK)
		status = append_predicate(text, ".", position->value);
	for (size_t i = 0; node->kind == SCHEMA_LIST && i < node->key_count && status == ST_OK; i++)
		status = append_predicate(text, node->children[i]->name, position->record->slots[i].value);
	return status;
}
