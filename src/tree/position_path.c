/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Printing positions as instance-identifiers (RFC 7950 9.13) with module names as prefixes, for error-path.
 * Every step has its prefix, every key a predicate. XPath 1.0 has no escapes in literals, so a value with
 * both kinds of quotes becomes concat('a"b', "'", 'c'). An entry of a list without keys is named by its
 * position. Keys and leaf-list values with names in them have the form that they have in XML, and their
 * prefixes are declared with those of the steps.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "schema/qname.h"
#include "tree/internal.h"
#include "tree/position.h"

/* A growing string; a grown one leaves its predecessor behind in the arena. */
struct path_writer {
	struct arena *arena;
	char *data;
	size_t size, capacity; /* bytes */
};

static void write_bytes(struct path_writer *writer, struct bytes bytes)
{
	if (bytes.size >= writer->capacity - writer->size) {
		size_t capacity = writer->capacity * 2 + bytes.size + 64;
		char *data = arena_alloc(writer->arena, capacity);
		if (writer->size > 0)
			memcpy(data, writer->data, writer->size);
		writer->data = data;
		writer->capacity = capacity;
	}
	if (bytes.size > 0)
		memcpy(writer->data + writer->size, bytes.data, bytes.size);
	writer->size += bytes.size;
}

static void write_text(struct path_writer *writer, const char *text)
{
	write_bytes(writer, bytes_of(text));
}

static void write_name(struct path_writer *writer, const struct schema_node *node)
{
	write_text(writer, node->module->name);
	write_text(writer, ":");
	write_bytes(writer, node->name_bytes);
}

static bool has_byte(struct bytes bytes, char byte)
{
	return bytes.size > 0 && memchr(bytes.data, byte, bytes.size) != NULL;
}

/* A literal in concat(): runs without ' in single quotes, each run of ' in double quotes. */
static void write_concat(struct path_writer *writer, struct bytes value)
{
	write_text(writer, "concat(");
	for (size_t start = 0, end; start < value.size; start = end) {
		bool is_quote = value.data[start] == '\'';
		for (end = start + 1; end < value.size && (value.data[end] == '\'') == is_quote; end++)
			;
		write_text(writer, start > 0 ? ", " : "");
		write_text(writer, is_quote ? "\"" : "'");
		write_bytes(writer, (struct bytes){value.data + start, end - start});
		write_text(writer, is_quote ? "\"" : "'");
	}
	write_text(writer, ")");
}

static void write_literal(struct path_writer *writer, struct bytes value)
{
	bool has_single = has_byte(value, '\'');
	if (has_single && has_byte(value, '"')) {
		write_concat(writer, value);
		return;
	}
	const char *quote = has_single ? "\"" : "'";
	write_text(writer, quote);
	write_bytes(writer, value);
	write_text(writer, quote);
}

static bool has_names(struct value value)
{
	const struct text *text = value_shared_text(value);
	return text != NULL && (text->flags & TEXT_QNAME) != 0;
}

static void write_value(struct path_writer *writer, const struct schema_node *leaf, struct value value)
{
	if (!has_names(value)) {
		write_literal(writer, value_bytes(&value));
		return;
	}
	struct buffer expanded;
	buffer_init(&expanded, SIZE_MAX);
	if (schema_qname_expand(leaf->module->schema, &expanded, value_bytes(&value)) == ST_OK)
		write_literal(writer, buffer_get(&expanded));
	buffer_fini(&expanded);
}

static void write_keys(struct path_writer *writer, const struct tree_position *position)
{
	const struct schema_node *list = position->schema;
	if (list->key_count == 0 && position->index > 0) {
		char text[16];
		snprintf(text, sizeof(text), "[%" PRIu32 "]", position->index);
		write_text(writer, text);
	}
	for (size_t i = 0; i < list->key_count; i++) {
		write_text(writer, "[");
		write_name(writer, list->children[i]);
		write_text(writer, "=");
		write_value(writer, list->children[i], position->record->slots[i].value);
		write_text(writer, "]");
	}
}

static void write_step(struct path_writer *writer, const struct tree_position *position)
{
	write_text(writer, "/");
	write_name(writer, position->schema);
	if (position->schema->kind == SCHEMA_LIST) {
		write_keys(writer, position);
	} else if (position->schema->kind == SCHEMA_LEAF_LIST) {
		write_text(writer, "[.=");
		write_value(writer, position->schema, position->value);
		write_text(writer, "]");
	}
}

static bool is_root(const struct tree_position *position)
{
	return position == NULL || position->schema->kind == SCHEMA_ROOT;
}

/* All steps from the root on; the root itself is none. */
static void write_position(struct path_writer *writer, const struct tree_position *position)
{
	size_t length = 0;
	for (const struct tree_position *at = position; !is_root(at); at = at->parent)
		length++;
	const struct tree_position **steps = arena_alloc(writer->arena, (length + 1) * sizeof(*steps));
	size_t left = length;
	for (const struct tree_position *at = position; left > 0; at = at->parent)
		steps[--left] = at;
	for (size_t i = 0; i < length; i++)
		write_step(writer, steps[i]);
}

static const char *finish(struct path_writer *writer)
{
	if (writer->size == 0)
		write_text(writer, "/");
	write_bytes(writer, (struct bytes){"", 1});
	return writer->data;
}

const char *tree_position_path(const struct tree_position *position, struct arena *arena)
{
	struct path_writer writer = {.arena = arena};
	write_position(&writer, position);
	return finish(&writer);
}

const char *tree_value_literal(const struct schema_node *leaf, struct value value, struct arena *arena)
{
	struct path_writer writer = {.arena = arena};
	write_value(&writer, leaf, value);
	return finish(&writer);
}

static void add_prefix(struct diag_list *list, struct diag *diag, const struct schema_node *node)
{
	diag_add_prefix(list, diag, node->module->name, node->module->ns);
}

static void add_value_prefixes(const struct schema_node *leaf, struct value value, struct diag_list *list,
			       struct diag *diag)
{
	if (has_names(value))
		schema_qname_declare(leaf->module->schema, value_bytes(&value), list, diag);
}

static void add_prefixes(const struct tree_position *position, struct diag_list *list, struct diag *diag)
{
	for (; !is_root(position); position = position->parent) {
		const struct schema_node *node = position->schema;
		add_prefix(list, diag, node);
		if (node->kind == SCHEMA_LEAF_LIST)
			add_value_prefixes(node, position->value, list, diag);
		for (size_t i = 0; node->kind == SCHEMA_LIST && i < node->key_count; i++) {
			add_prefix(list, diag, node->children[i]);
			add_value_prefixes(node->children[i], position->record->slots[i].value, list, diag);
		}
	}
}

void tree_position_set_diag(const struct tree_position *position, struct diag_list *list, struct diag *diag)
{
	diag_set_path(list, diag, tree_position_path(position, list->arena));
	add_prefixes(position, list, diag);
}

void tree_position_set_diag_child(const struct tree_position *position, const struct schema_node *child,
				  struct diag_list *list, struct diag *diag)
{
	struct path_writer writer = {.arena = list->arena};
	write_position(&writer, position);
	write_text(&writer, "/");
	write_name(&writer, child);
	diag_set_path(list, diag, finish(&writer));
	add_prefixes(position, list, diag);
	add_prefix(list, diag, child);
}
