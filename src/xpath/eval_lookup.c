/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lookups: an entry by its keys, where predicates give them all (compile_lookup.c), and a leaf-list's value
 * by its text. The keys' values are computed once, before any entry is looked at, as they do not depend on
 * it.
 *
 * `=` in a predicate compares texts (or numbers), the map compares values, so a key's text is made into a
 * value of the key's type first. If no value of the type has that text, no entry is meant. A value that holds
 * a long text borrows it: from the node that it comes from, or through an uncounted text in the arena.
 *
 * One of the keys may be given by several nodes ([k = ../leaf-list]): one search each, in document order of
 * the entries found. Several such keys at once are left to the walk over all entries.
 */
#include "xpath/walk.h"

#include <math.h>
#include <stdio.h>

#include "schema/type.h"
#include "xpath/compile.h"
#include "xpath/functions.h"

#define KEYS_LOCAL 8			 /* more keys go to the arena */
#define INTEGER_EXACT 9007199254740992.0 /* 2^53: up to it a double is one integer */

/* A value with this text whose memory is the arena's. */
static struct value arena_value(struct arena *arena, struct bytes text, uint32_t flags)
{
	if (flags == 0 && text.size <= VALUE_INLINE_MAX)
		return value_new(text, 0);
	struct text *shared = arena_alloc(arena, sizeof(*shared) + text.size);
	atomic_init(&shared->refs, TEXT_IMMORTAL);
	shared->size = (uint32_t)text.size & TEXT_SIZE_MAX;
	shared->flags = flags & 3;
	if (text.size > 0)
		memcpy(shared->data, text.data, text.size);
	return (struct value){(uint64_t)(uintptr_t)shared};
}

/* "0", or digits without a leading zero, with a sign where the type has one; in the range of the type. */
static bool is_integer(struct bytes text, enum schema_base base)
{
	static const uint64_t most[] = {INT8_MAX,  INT16_MAX,  INT32_MAX,  INT64_MAX,
					UINT8_MAX, UINT16_MAX, UINT32_MAX, UINT64_MAX};
	bool negative = text.size > 0 && text.data[0] == '-';
	size_t start = negative ? 1 : 0, digits = text.size - start;
	uint64_t limit = most[base - BASE_INT8];
	if (negative && base >= BASE_UINT8)
		return false;
	if (negative)
		limit++;
	if (digits == 0 || digits > 20 || (text.data[start] == '0' && (digits > 1 || negative)))
		return false;
	uint64_t number = 0;
	for (size_t i = start; i < text.size; i++) {
		unsigned digit = (unsigned char)text.data[i] - '0';
		if (digit > 9 || number > (limit - digit) / 10)
			return false;
		number = number * 10 + digit;
	}
	return true;
}

/* By the type's own parser; only what is canonical already can equal a stored text. */
static bool parse_value(struct xpath_eval *eval, const struct schema_type *type, struct bytes text,
			struct value *value)
{
	struct schema_type_error error;
	struct value parsed;
	if (schema_type_parse(eval->schema, type, text, NULL, eval->arena, &parsed, &error) != ST_OK)
		return false;
	bool same = bytes_equal(value_bytes(&parsed), text);
	value_unref(parsed);
	if (same)
		*value = arena_value(eval->arena, text, 0);
	return same;
}

/* False: no value of the leaf's type has this text. */
static bool key_value(struct xpath_eval *eval, const struct xpath_key *key, struct bytes text,
		      struct value *value)
{
	switch (key->form) {
	case KEY_TEXT:
		break;
	case KEY_QNAME:
		*value = arena_value(eval->arena, text, TEXT_QNAME);
		return true;
	case KEY_INTEGER:
		if (!is_integer(text, schema_type_base(schema_type_real(key->leaf->type))))
			return false;
		break;
	case KEY_OTHER:
		return parse_value(eval, key->leaf->type, text, value);
	}
	*value = arena_value(eval->arena, text, 0);
	return true;
}

/* The same from a node, whose value is borrowed where it serves as it is. */
static enum status node_key_value(struct xpath_eval *eval, const struct xpath_key *key,
				  const struct tree_position *node, struct value *value, bool *possible)
{
	bool is_leaf = node->schema->kind == SCHEMA_LEAF || node->schema->kind == SCHEMA_LEAF_LIST;
	if (is_leaf && !value_is_none(node->value) &&
	    (key->form == KEY_TEXT ||
	     schema_type_real(node->schema->type) == schema_type_real(key->leaf->type))) {
		*value = node->value;
		*possible = true;
		return ST_OK;
	}
	struct bytes text;
	enum status status = xpath__text(eval, node, &text);
	if (status == ST_OK)
		*possible = text.size <= TEXT_SIZE_MAX && key_value(eval, key, text, value);
	return status;
}

/* A number equals an integer key only if it is one. */
static bool number_key_value(struct xpath_eval *eval, const struct xpath_key *key, double number,
			     struct value *value)
{
	if (!(fabs(number) < INTEGER_EXACT) || number != floor(number))
		return false;
	char text[24];
	int size = snprintf(text, sizeof(text), "%lld", (long long)number);
	return key_value(eval, key, (struct bytes){text, (size_t)size}, value);
}

/* The values of the keys under way. */
struct lookup_state {
	struct value *values;
	bool possible; /* no key's text rules out all entries */
	bool several;  /* key `several_index` has several values, those of `nodes` */
	size_t several_index;
	struct xpath_nodes nodes;
	bool undecided; /* two keys have several values */
};

static enum status resolve_nodes(struct xpath_eval *eval, const struct xpath_key *key, size_t index,
				 struct lookup_state *state)
{
	struct xpath_context context = {eval->current, 1, 1};
	struct xpath_nodes nodes;
	enum status status = xpath__nodes(eval, key->value, &context, &nodes);
	if (status != ST_OK)
		return status;
	if (nodes.length == 1)
		return node_key_value(eval, key, nodes.items[0], &state->values[index], &state->possible);
	if (nodes.length == 0) {
		state->possible = false;
		return ST_OK;
	}
	state->undecided = state->several;
	state->several = true;
	state->several_index = index;
	state->nodes = nodes;
	return ST_OK;
}

static bool is_current(const struct xpath_node *node)
{
	return node->op == XPATH_CALL && node->call.function->call == xpath__current;
}

static enum status resolve_key(struct xpath_eval *eval, const struct xpath_key *key, size_t index,
			       const struct bytes *wanted, struct lookup_state *state)
{
	struct value *value = &state->values[index];
	struct xpath_context context = {eval->current, 1, 1};
	if (key->canonical.data != NULL)
		state->possible = key_value(eval, key, key->canonical, value);
	else if (key->value == NULL)
		state->possible = key_value(eval, key, *wanted, value);
	else if (key->value->op == XPATH_LITERAL)
		state->possible = key_value(eval, key, key->value->literal, value);
	else if (is_current(key->value))
		return node_key_value(eval, key, eval->current, value, &state->possible);
	else if (key->value->type == XPATH_NODE_SET)
		return resolve_nodes(eval, key, index, state);
	else if (key->value->type == XPATH_NUMBER) {
		double number = 0;
		enum status status = xpath__number_of(eval, key->value, &context, &number);
		state->possible = status == ST_OK && number_key_value(eval, key, number, value);
		return status;
	} else {
		struct bytes text = {0};
		enum status status = xpath__string_of(eval, key->value, &context, &text);
		state->possible =
			status == ST_OK && text.size <= TEXT_SIZE_MAX && key_value(eval, key, text, value);
		return status;
	}
	return ST_OK;
}

static enum status visit_entry(struct xpath_eval *eval, const struct xpath_lookup *lookup,
			       const struct tree_position *parent, const struct value *values,
			       struct xpath_visitor *visitor)
{
	struct tree_position entry;
	enum status status = xpath__charge(eval, 1);
	if (status != ST_OK || !tree_position_find_entry(parent, lookup->list, values, &entry))
		return status;
	return visitor->visit(visitor, &entry, FRAME_FRESH);
}

/* One search for each of the nodes that give one key; entries must come in document order and once each. */
static enum status visit_several(struct xpath_eval *eval, const struct xpath_lookup *lookup,
				 const struct tree_position *parent, struct lookup_state *state,
				 struct xpath_visitor *visitor)
{
	const struct xpath_key *key = &lookup->keys[state->several_index];
	struct xpath_nodes found = {0};
	for (size_t i = 0; i < state->nodes.length; i++) {
		struct tree_position entry;
		bool possible = false;
		enum status status = node_key_value(eval, key, state->nodes.items[i],
						    &state->values[state->several_index], &possible);
		if (status == ST_OK)
			status = xpath__charge(eval, 1);
		if (status != ST_OK)
			return status;
		if (!possible || !tree_position_find_entry(parent, lookup->list, state->values, &entry))
			continue;
		struct tree_position *kept = arena_alloc(eval->arena, sizeof(*kept));
		*kept = entry;
		status = xpath__nodes_add(eval, &found, kept);
		if (status != ST_OK)
			return status;
	}
	enum status status = xpath__nodes_sort(eval, &found);
	for (size_t i = 0; status == ST_OK && !visitor->stop && i < found.length; i++)
		status = visitor->visit(visitor, found.items[i], FRAME_KEPT);
	return status;
}

enum status xpath__lookup_visit(struct xpath_eval *eval, const struct xpath_lookup *lookup,
				const struct tree_position *parent, const struct bytes *wanted,
				struct xpath_visitor *visitor, bool *done)
{
	struct value local[KEYS_LOCAL];
	size_t length = lookup->list->key_count;
	struct lookup_state state = {.values = local, .possible = true};
	*done = false;
	if (parent->schema != lookup->list->parent)
		return ST_OK;
	if (length > KEYS_LOCAL)
		state.values = arena_alloc(eval->arena, length * sizeof(*state.values));
	for (size_t i = 0; i < length; i++) {
		enum status status = resolve_key(eval, &lookup->keys[i], i, wanted, &state);
		if (status != ST_OK)
			return status;
		if (!state.possible)
			break;
	}
	*done = !state.possible || !state.undecided;
	if (!state.possible || state.undecided)
		return ST_OK;
	if (state.several)
		return visit_several(eval, lookup, parent, &state, visitor);
	return visit_entry(eval, lookup, parent, state.values, visitor);
}

enum status xpath__lookup_value(struct xpath_eval *eval, const struct schema_node *leaf_list,
				const struct tree_position *parent, struct bytes text,
				struct xpath_visitor *visitor, bool *done)
{
	*done = false;
	if (parent->schema != leaf_list->parent || !leaf_list->config || parent->record == NULL)
		return ST_OK;
	const union tree_slot *slot = tree_record_find(parent->record, leaf_list);
	if (slot == NULL)
		return ST_OK;
	*done = true;
	struct xpath_key key = {.leaf = leaf_list, .form = xpath__key_form(leaf_list->type)};
	struct value value;
	if (text.size > TEXT_SIZE_MAX || !key_value(eval, &key, text, &value))
		return ST_OK;
	enum status status = xpath__charge(eval, 1);
	const union tree_item *item = status == ST_OK ? tree_map_find(slot->map, leaf_list, &value) : NULL;
	if (item == NULL)
		return status;
	struct tree_position position = {.parent = parent, .schema = leaf_list, .value = item->value};
	return visitor->visit(visitor, &position, FRAME_FRESH);
}
