/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random values. What constraints look at is whether values meet: so most values are such as the datastore
 * has already, or as expressions compare with; ranges give their ends; and all sets of choices are small.
 * libyang's compiled types tell what a type allows; our schema has the last word.
 */
#include "soak.h"

#include <inttypes.h>
#include <string.h>

#include "tree/cursor.h"

enum { TRIES = 12 };

unsigned soak_pick(struct soak *soak, unsigned count)
{
	soak->random ^= soak->random << 13;
	soak->random ^= soak->random >> 7;
	soak->random ^= soak->random << 17;
	return (unsigned)((soak->random >> 16) % count);
}

bool soak_chance(struct soak *soak, unsigned percentage)
{
	return soak_pick(soak, 100) < percentage;
}

const struct lysc_node *soak_twin(struct soak *soak, const struct schema_node *node)
{
	if (!soak->twins[node->id]) {
		char path[4096];
		schema_node_path(node, path, sizeof(path));
		soak->twins[node->id] = lys_find_path(soak->ly, NULL, path, 0);
	}
	return soak->twins[node->id];
}

/* ---- what is there */

static void gather(struct soak *soak, const struct tree_position *parent)
{
	struct tree_cursor cursor;
	struct tree_position child;
	tree_cursor_init(&cursor, soak->schema, parent, TREE_EXPLICIT);
	while (tree_cursor_next(&cursor, &child)) {
		bool has_value = child.schema->type != NULL;
		if (has_value) {
			struct soak_word *word = vector_push(&soak->values);
			word->name = child.schema->name;
			word->text = arena_strdup(soak->round, value_bytes(&child.value));
		} else if (child.schema->kind == SCHEMA_CONTAINER || child.schema->kind == SCHEMA_LIST) {
			gather(soak, &child);
		}
	}
}

void soak_gather(struct soak *soak)
{
	vector_clear(&soak->values);
	struct tree_position root = tree_position_root(soak->schema, soak->root);
	gather(soak, &root);
}

/* A value of a leaf with that name; NULL: none. */
static const char *value_named(struct soak *soak, const char *name, size_t size)
{
	const char *chosen = NULL;
	unsigned seen = 0;
	for (size_t i = 0; i < soak->values.length; i++) {
		const struct soak_word *word = vector_at(&soak->values, i);
		if (strncmp(word->name, name, size) == 0 && word->name[size] == '\0' &&
		    soak_pick(soak, ++seen) == 0)
			chosen = word->text;
	}
	return chosen;
}

static const char *word_of(struct soak *soak, const struct vector *words)
{
	if (words->length == 0)
		return NULL;
	const struct soak_word *word = vector_at(words, soak_pick(soak, (unsigned)words->length));
	return word->text;
}

/* ---- by type */

static const char *value_of_type(struct soak *soak, const struct schema_node *leaf,
				 const struct lysc_type *type);

static const char *number_of(struct soak *soak, const struct lysc_type *type, bool is_signed)
{
	const struct lysc_range *range = ((const struct lysc_type_num *)type)->range;
	const char *format_signed = "%" PRId64, *format = "%" PRIu64;
	uint64_t small = soak_pick(soak, 4);
	if (!range || LY_ARRAY_COUNT(range->parts) == 0)
		return arena_printf(soak->round, "%" PRIu64, soak_chance(soak, 90) ? small : 127 - small);
	const struct lysc_range_part *part =
		&range->parts[soak_pick(soak, (unsigned)LY_ARRAY_COUNT(range->parts))];
	bool high = soak_chance(soak, 25);
	if (is_signed)
		return arena_printf(soak->round, format_signed,
				    high ? part->max_64 - (int64_t)small % 2 : part->min_64 + (int64_t)small);
	return arena_printf(soak->round, format, high ? part->max_u64 - small % 2 : part->min_u64 + small);
}

static const char *decimal_of(struct soak *soak, const struct lysc_type_dec *type)
{
	uint64_t scale = 1;
	for (uint8_t i = 0; i < type->fraction_digits; i++)
		scale *= 10;
	if (!type->range || LY_ARRAY_COUNT(type->range->parts) == 0)
		return arena_printf(soak->round, "%u.%u", soak_pick(soak, 3), soak_pick(soak, 10));
	const struct lysc_range_part *part =
		&type->range->parts[soak_pick(soak, (unsigned)LY_ARRAY_COUNT(type->range->parts))];
	int64_t value = soak_chance(soak, 25) ? part->max_64 : part->min_64 + soak_pick(soak, 3);
	uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	return arena_printf(soak->round, "%s%" PRIu64 ".%0*" PRIu64, value < 0 ? "-" : "", magnitude / scale,
			    type->fraction_digits, magnitude % scale);
}

static const char *bits_of(struct soak *soak, const struct lysc_type_bits *type)
{
	const char *text = "";
	for (LY_ARRAY_COUNT_TYPE i = 0; i < LY_ARRAY_COUNT(type->bits); i++) {
		if (soak_chance(soak, 40))
			text = arena_printf(soak->round, "%s%s%s", text, *text ? " " : "",
					    type->bits[i].name);
	}
	return text;
}

/* An identity below one of the bases. */
static const char *identity_of(struct soak *soak, const struct lysc_type_identityref *type)
{
	const struct lysc_ident *base = type->bases[soak_pick(soak, (unsigned)LY_ARRAY_COUNT(type->bases))];
	do {
		unsigned count = (unsigned)LY_ARRAY_COUNT(base->derived);
		if (count == 0)
			break;
		base = base->derived[soak_pick(soak, count)];
	} while (soak_chance(soak, 40));
	return arena_printf(soak->round, "%s:%s", base->module->name, base->name);
}

/* Values of leafs of the name that the path ends with; of the constraint's true target, nearly always. */
static const char *target_of(struct soak *soak, const struct lysc_type_leafref *type)
{
	const char *path = lyxp_get_expr(type->path), *name = strrchr(path, '/');
	name = name ? name + 1 : path;
	const char *colon = strchr(name, ':');
	name = colon ? colon + 1 : name;
	return value_named(soak, name, strcspn(name, " []"));
}

/* The canonical path of a node that is there, or of one of its leafs. */
static const char *instance_of(struct soak *soak)
{
	const char *path = "";
	struct tree_position positions[32];
	positions[0] = tree_position_root(soak->schema, soak->root);
	for (unsigned depth = 0; depth < 31; depth++) {
		struct tree_position *parent = &positions[depth], *next = &positions[depth + 1], child;
		struct tree_cursor cursor;
		unsigned seen = 0;
		tree_cursor_init(&cursor, soak->schema, parent, TREE_EXPLICIT);
		while (tree_cursor_next(&cursor, &child)) {
			if (soak_pick(soak, ++seen) == 0)
				*next = child;
		}
		if (seen == 0)
			break;
		path = arena_printf(soak->round, "%s/%s:%s", path, next->schema->module->name,
				    next->schema->name);
		for (size_t i = 0; i < next->schema->key_count; i++) {
			struct bytes key = value_bytes(&next->record->slots[i].value);
			char quote = key.size > 0 && memchr(key.data, '\'', key.size) ? '"' : '\'';
			path = arena_printf(soak->round, "%s[%s:%s=%c%.*s%c]", path,
					    next->schema->module->name, next->schema->children[i]->name,
					    quote, (int)key.size, key.data, quote);
		}
		if (next->schema->kind == SCHEMA_LEAF_LIST) {
			struct bytes value = value_bytes(&next->value);
			path = arena_printf(soak->round, "%s[.='%.*s']", path, (int)value.size, value.data);
		}
		bool goes_on = next->schema->kind == SCHEMA_CONTAINER || next->schema->kind == SCHEMA_LIST;
		if (!goes_on || soak_chance(soak, 30))
			break;
	}
	return path;
}

static const char *string_of(struct soak *soak)
{
	static const char *const words[] = {
		"a",
		"b",
		"c",
		"1",
		"2",
		"10",
		"",
		"ab",
		"x y",
		"eth0",
		"10.0.0.1",
		"10.0.0.0/8",
		"2001:db8::1",
		"2001:db8::/32",
		"00:11:22:33:44:55",
		"2024-01-01T00:00:00Z",
		"example.com",
		"1.2.3",
		"1:1",
		"65000:1",
		"100/1",
		"urn:a",
		"1/0/1",
		"49.0001",
		"00:00",
		"0000.0000.0001",
		"10.0",
		"aa",
		"abcdefgh",
		"0x01",
		"12:34",
		"0102",
		"a@b",
		"/a",
		"12",
		"49.0001.0000.0000.0001.00",
	};
	return words[soak_pick(soak, sizeof(words) / sizeof(words[0]))];
}

static const char *value_of_type(struct soak *soak, const struct schema_node *leaf,
				 const struct lysc_type *type)
{
	static const char *const binaries[] = {"", "AA==", "AAEC", "YWJj"};
	const struct lysc_type_enum *enums = (const struct lysc_type_enum *)type;
	const struct lysc_type_union *members = (const struct lysc_type_union *)type;
	switch (type->basetype) {
	case LY_TYPE_BINARY:
		return binaries[soak_pick(soak, 4)];
	case LY_TYPE_UINT8:
	case LY_TYPE_UINT16:
	case LY_TYPE_UINT32:
	case LY_TYPE_UINT64:
		return number_of(soak, type, false);
	case LY_TYPE_INT8:
	case LY_TYPE_INT16:
	case LY_TYPE_INT32:
	case LY_TYPE_INT64:
		return number_of(soak, type, true);
	case LY_TYPE_BITS:
		return bits_of(soak, (const struct lysc_type_bits *)type);
	case LY_TYPE_BOOL:
		return soak_pick(soak, 2) ? "true" : "false";
	case LY_TYPE_DEC64:
		return decimal_of(soak, (const struct lysc_type_dec *)type);
	case LY_TYPE_EMPTY:
		return "";
	case LY_TYPE_ENUM:
		return enums->enums[soak_pick(soak, (unsigned)LY_ARRAY_COUNT(enums->enums))].name;
	case LY_TYPE_IDENT:
		return identity_of(soak, (const struct lysc_type_identityref *)type);
	case LY_TYPE_INST:
		return instance_of(soak);
	case LY_TYPE_LEAFREF: {
		const char *target = soak_chance(soak, 90)
					     ? target_of(soak, (const struct lysc_type_leafref *)type)
					     : NULL;
		return target ? target
			      : value_of_type(soak, leaf, ((const struct lysc_type_leafref *)type)->realtype);
	}
	case LY_TYPE_UNION:
		return value_of_type(
			soak, leaf,
			members->types[soak_pick(soak, (unsigned)LY_ARRAY_COUNT(members->types))]);
	case LY_TYPE_STRING:
	case LY_TYPE_UNKNOWN:
		break;
	}
	return string_of(soak);
}

static const char *candidate(struct soak *soak, const struct schema_node *leaf, const struct lysc_type *type)
{
	bool is_string = type->basetype == LY_TYPE_STRING || type->basetype == LY_TYPE_UNION;
	if (is_string && soak_chance(soak, 40)) {
		const char *word = value_named(soak, leaf->name, strlen(leaf->name));
		if (word)
			return word;
	}
	if (leaf->default_count > 0 && soak_chance(soak, 10))
		return arena_strdup(
			soak->round,
			value_bytes(&leaf->defaults[soak_pick(soak, (unsigned)leaf->default_count)]));
	if (soak_chance(soak, 15))
		return word_of(soak, soak_chance(soak, 50) ? &soak->literals : &soak->values);
	return value_of_type(soak, leaf, type);
}

/* The canonical form in soak->round; NULL where our schema refuses it. */
static const char *canonical(struct soak *soak, const struct schema_node *leaf, const char *text)
{
	struct schema_prefixes_canonical prefixes = schema_prefixes_canonical(soak->schema, leaf->module);
	struct schema_type_error error;
	struct value value;
	if (schema_type_parse(soak->schema, leaf->type, bytes_of(text), &prefixes.base, soak->round, &value,
			      &error) != ST_OK)
		return NULL;
	const char *copy = arena_strdup(soak->round, value_bytes(&value));
	value_unref(value);
	return copy;
}

const char *soak_value(struct soak *soak, const struct schema_node *leaf)
{
	const struct lysc_node *twin = soak_twin(soak, leaf);
	const struct lysc_type *type = twin ? ((const struct lysc_node_leaf *)twin)->type : NULL;
	for (unsigned i = 0; type && i < TRIES; i++) {
		const char *text = candidate(soak, leaf, type);
		text = text ? canonical(soak, leaf, text) : NULL;
		if (!text)
			continue;
		struct soak_word *word = vector_push(&soak->values);
		*word = (struct soak_word){leaf->name, text};
		return text;
	}
	return NULL;
}
