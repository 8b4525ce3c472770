/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sort keys: what the items of a map are ordered by. The key of an entry is the concatenation of the sort
 * keys of its key leafs, each self-delimiting, so byte order is the order of the tuples, and no key is the
 * beginning of another one. A search encodes its key once; keys of items are encoded when a comparison needs
 * them, into the caller's stack unless they are long.
 */
#include <string.h>

#include "schema/type.h"
#include "tree/internal.h"

static void append(struct tree__key *key, const struct schema_type *type, struct value value)
{
	size_t room = key->capacity - key->size;
	size_t size = schema_type_sort_key(type, value, key->data + key->size, room);
	if (size > room) {
		bool is_local = key->data == key->local;
		key->capacity = key->size + size + TREE__KEY_LOCAL;
		key->data = memory_resize(is_local ? NULL : key->data, key->capacity, 1);
		if (is_local)
			memcpy(key->data, key->local, key->size);
		size_t again = schema_type_sort_key(type, value, key->data + key->size, size);
		ASSERT(again == size);
	}
	key->size += size;
}

static void init(struct tree__key *key)
{
	key->data = key->local;
	key->size = 0;
	key->capacity = TREE__KEY_LOCAL;
}

void tree__key_of_values(struct tree__key *key, const struct schema_node *node, const struct value *values)
{
	init(key);
	if (node->kind == SCHEMA_LEAF_LIST) {
		append(key, node->type, values[0]);
		return;
	}
	for (size_t i = 0; i < node->key_count; i++)
		append(key, node->children[i]->type, values[i]);
}

void tree__key_of_item(struct tree__key *key, const struct schema_node *node, const union tree_item *item)
{
	init(key);
	if (node->kind == SCHEMA_LEAF_LIST) {
		append(key, node->type, item->value);
		return;
	}
	for (size_t i = 0; i < node->key_count; i++)
		append(key, node->children[i]->type, item->record->slots[i].value);
}

void tree__key_of_label(struct tree__key *key, uint64_t label)
{
	init(key);
	for (size_t i = 0; i < sizeof(label); i++)
		key->local[i] = (uint8_t)(label >> (56 - 8 * i));
	key->size = sizeof(label);
	key->label = label;
}

void tree__key_fini(struct tree__key *key)
{
	if (key->data != key->local)
		memory_free(key->data);
}

static uint64_t load_word(const uint8_t *data)
{
	uint64_t word;
	memcpy(&word, data, sizeof(word));
	return word;
}

size_t tree__key_common(const struct tree__key *a, const struct tree__key *b)
{
	size_t size = a->size < b->size ? a->size : b->size;
	size_t i = 0;
	while (i + sizeof(uint64_t) <= size && load_word(a->data + i) == load_word(b->data + i))
		i += sizeof(uint64_t);
	while (i < size && a->data[i] == b->data[i])
		i++;
	return i;
}

int tree__key_compare(const struct tree__key *a, const struct tree__key *b)
{
	int order = memcmp(a->data, b->data, a->size < b->size ? a->size : b->size);
	return order != 0 ? order : (a->size > b->size) - (a->size < b->size);
}

uint32_t tree__key_digest(const struct tree__key *key, size_t offset)
{
	uint8_t bytes[sizeof(uint32_t)] = {0};
	if (offset + sizeof(bytes) <= key->size) {
		memcpy(bytes, key->data + offset, sizeof(bytes));
	} else if (offset < key->size) {
		size_t left = key->size - offset;
		memcpy(bytes, key->data + offset, left < sizeof(bytes) ? left : sizeof(bytes));
	}
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

int tree__record_compare_keys(const struct schema_node *list, const struct tree_record *a,
			      const struct tree_record *b)
{
	for (size_t i = 0; a != b && i < list->key_count; i++) {
		struct value left = a->slots[i].value, right = b->slots[i].value;
		int order = left.word == right.word
				    ? 0
				    : schema_type_compare(list->children[i]->type, left, right);
		if (order != 0)
			return order;
	}
	return 0;
}

int tree__item_compare(const struct schema_node *node, const union tree_item *a, const union tree_item *b)
{
	if (a->word == b->word)
		return 0;
	if (node->kind == SCHEMA_LIST)
		return tree__record_compare_keys(node, a->record, b->record);
	return schema_type_compare(node->type, a->value, b->value);
}
