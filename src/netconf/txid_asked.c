/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The elements of a filter that say what the client knows. They are looked at beside the compiled filter,
 * which joins elements that select the same, and only where there are any. Elements without an attribute on
 * them or below are left out.
 *
 * Of a list, elements with all keys are sorted, so that as many of them as there are entries cost no more
 * than a search each. A value that is none of the leaf's type fits no instance.
 */
#include "netconf/txid_asked.h"

#include <stdlib.h>

#include "netconf/filter_tree.h"
#include "netconf/txid.h"
#include "schema/type.h"

struct element_prefixes {
	struct schema_prefixes prefixes;
	const struct schema *schema;
	const struct element *element;
};

static bool is_txid(const struct xml_attribute *attribute, const char *name)
{
	return bytes_equal(attribute->ns, bytes_of(NETCONF_TXID_ATTRIBUTE_NS)) &&
	       bytes_equal(attribute->name, bytes_of(name));
}

bool netconf__txid_find(const struct element *element, enum store_txid_mechanism mechanism,
			struct bytes *text)
{
	const char *name = netconf__txid_attribute(mechanism);
	for (size_t i = 0; i < element->attribute_count; i++)
		if (is_txid(&element->attributes[i], name)) {
			*text = element->attributes[i].value;
			return true;
		}
	return false;
}

bool netconf__txid_uses(const struct element *element, enum store_txid_mechanism mechanism)
{
	struct bytes text;
	bool uses = netconf__txid_find(element, mechanism, &text);
	for (const struct element *child = element->children; child != NULL && !uses; child = child->next)
		uses = netconf__txid_uses(child, mechanism);
	return uses;
}

void netconf__txid_strip(struct element *element)
{
	size_t left = 0;
	for (size_t i = 0; i < element->attribute_count; i++)
		if (!is_txid(&element->attributes[i], "etag") &&
		    !is_txid(&element->attributes[i], "last-modified"))
			element->attributes[left++] = element->attributes[i];
	element->attribute_count = left;
	for (struct element *child = element->children; child != NULL; child = child->next)
		netconf__txid_strip(child);
}

static const struct schema_module *resolve(const struct schema_prefixes *self, struct bytes prefix)
{
	const struct element_prefixes *at = (const struct element_prefixes *)self;
	struct bytes uri = element_resolve(at->element, prefix);
	return uri.size == 0 ? NULL : schema_module_find_ns(at->schema, uri);
}

static bool parse(struct txid_asking *asking, const struct schema_node *leaf, const struct element *element,
		  struct bytes text, struct value *value)
{
	struct element_prefixes at = {
		{.resolve = resolve, .budget = &asking->budget}, asking->schema, element};
	struct schema_type_error error;
	if (schema_type_parse(asking->schema, leaf->type, text, &at.prefixes, asking->arena, value, &error) !=
	    ST_OK)
		return false;
	*(struct value *)vector_push(&asking->values) = *value;
	return true;
}

static struct txid_match *make_match(struct txid_asking *asking, const struct schema_node *leaf,
				     const struct element *element)
{
	struct txid_match *match = arena_zalloc(asking->arena, sizeof(*match));
	struct bytes trimmed = element_text_trimmed(element);
	match->leaf = leaf;
	match->count = parse(asking, leaf, element, trimmed, &match->values[0]);
	if (trimmed.size < element->text.size)
		match->count += parse(asking, leaf, element, element->text, &match->values[match->count]);
	return match;
}

static bool is_leaf(const struct schema_node *schema)
{
	return schema->kind == SCHEMA_LEAF || schema->kind == SCHEMA_LEAF_LIST;
}

static bool is_match(const struct schema_node *schema, const struct element *element)
{
	return is_leaf(schema) && element->children == NULL && element_text_trimmed(element).size > 0;
}

/* The schema node that an element names, after `after`; several only for xmlns="". */
static const struct schema_node *name_of(const struct txid_asking *asking, const struct schema_node *parent,
					 const struct element *element, const struct schema_node *after)
{
	if (element->ns.size == 0)
		return schema_child_find_any(parent, element->name, after);
	const struct schema_module *module =
		after == NULL ? schema_module_find_ns(asking->schema, element->ns) : NULL;
	return module != NULL ? schema_child_find(asking->schema, parent, module, element->name) : NULL;
}

/* The keys where all of them are among the matches, with one value each. */
static const struct value *take_keys(struct txid_asking *asking, const struct txid_asked *asked)
{
	const struct schema_node *list = asked->schema;
	if (list->kind != SCHEMA_LIST || list->key_count == 0)
		return NULL;
	struct value *keys = arena_zalloc(asking->arena, list->key_count * sizeof(*keys));
	size_t count = 0;
	for (const struct txid_match *match = asked->matches; match != NULL; match = match->next) {
		if (!match->leaf->is_key || match->count != 1 || !value_is_none(keys[match->leaf->slot]))
			continue;
		keys[match->leaf->slot] = match->values[0];
		count++;
	}
	return count == list->key_count ? keys : NULL;
}

static int compare_exact(const void *left, const void *right)
{
	const struct txid_asked *a = *(struct txid_asked *const *)left,
				*b = *(struct txid_asked *const *)right;
	if (a->schema != b->schema)
		return a->schema->slot < b->schema->slot ? -1 : 1;
	return netconf__filter_compare_keys(a->schema, a->keys, b->keys);
}

/* Puts the children that have keys aside, sorted. */
static void sort_exact(struct txid_asking *asking, struct txid_asked *asked)
{
	size_t count = 0;
	for (struct txid_asked *child = asked->open; child != NULL; child = child->next) {
		sort_exact(asking, child);
		count += child->keys != NULL;
	}
	if (count == 0)
		return;
	asked->exact = arena_alloc(asking->arena, count * sizeof(struct txid_asked *));
	for (struct txid_asked **link = &asked->open; *link != NULL;) {
		if ((*link)->keys == NULL) {
			link = &(*link)->next;
			continue;
		}
		asked->exact[asked->exact_count++] = *link;
		*link = (*link)->next;
	}
	qsort(asked->exact, count, sizeof(struct txid_asked *), compare_exact);
}

static void build(struct txid_asking *asking, const struct element *element, struct txid_asked *asked);

/* The matches of an element for one schema node. */
static const struct txid_match *make_matches(struct txid_asking *asking, const struct schema_node *schema,
					     const struct element *element)
{
	struct txid_match *first = NULL;
	if (is_match(schema, element))
		first = make_match(asking, schema, element);
	for (const struct element *child = element->children; child != NULL; child = child->next) {
		const struct schema_node *leaf = NULL;
		while ((leaf = name_of(asking, schema, child, leaf)) != NULL) {
			if (!is_match(leaf, child))
				continue;
			struct txid_match *match = make_match(asking, leaf, child);
			match->next = first;
			first = match;
		}
	}
	return first;
}

/* An element stands for all instances; so does another one, which says something else. */
static void join(struct txid_asked *asked, const struct bytes *text)
{
	if (text == NULL)
		return;
	if (asked->has_client && !bytes_equal(asked->text, *text))
		asked->text = bytes_of(""); /* whatever is true, nothing is left out */
	else
		asked->text = *text;
	asked->has_client = true;
}

/* What one element says of one schema node. */
static void add(struct txid_asking *asking, struct txid_asked *parent, const struct schema_node *schema,
		const struct element *element)
{
	struct bytes found;
	const struct bytes *text = netconf__txid_find(element, asking->mechanism, &found) ? &found : NULL;
	const struct txid_match *matches = make_matches(asking, schema, element);
	struct txid_asked *asked = matches == NULL ? parent->open : NULL;
	while (asked != NULL && (asked->schema != schema || asked->matches != NULL))
		asked = asked->next;
	if (asked == NULL) {
		asked = arena_zalloc(asking->arena, sizeof(*asked));
		asked->schema = schema;
		asked->matches = matches;
		asked->keys = take_keys(asking, asked);
		asked->next = parent->open;
		parent->open = asked;
		asking->tried += matches != NULL && asked->keys == NULL;
	}
	join(asked, text);
	build(asking, element, asked);
}

static void build(struct txid_asking *asking, const struct element *element, struct txid_asked *asked)
{
	for (const struct element *child = element->children; child != NULL; child = child->next) {
		const struct schema_node *schema = NULL;
		if (!netconf__txid_uses(child, asking->mechanism))
			continue;
		while ((schema = name_of(asking, asked->schema, child, schema)) != NULL &&
		       asking->tried <= asking->tried_max)
			add(asking, asked, schema, child);
	}
}

bool netconf__txid_asked_build(struct txid_asking *asking, const struct element *filter,
			       struct txid_asked *root)
{
	root->schema = asking->schema->root;
	build(asking, filter, root);
	sort_exact(asking, root);
	return asking->tried <= asking->tried_max;
}

void netconf__txid_asked_refresh(struct txid_asked *asked, struct store *store,
				 enum store_txid_mechanism mechanism)
{
	if (asked->has_client)
		store_txid_client_init(&asked->client, store, mechanism, asked->text);
	for (size_t i = 0; i < asked->exact_count; i++)
		netconf__txid_asked_refresh(asked->exact[i], store, mechanism);
	for (struct txid_asked *child = asked->open; child != NULL; child = child->next)
		netconf__txid_asked_refresh(child, store, mechanism);
}

/* ---- instances ---- */

static bool has_value(const struct txid_match *match, struct value value)
{
	for (size_t i = 0; i < match->count; i++)
		if (value_equal(match->values[i], value))
			return true;
	return false;
}

static bool has_leaf(const struct tree_position *position, const struct txid_match *match)
{
	struct tree_position leaf;
	if (match->leaf == position->schema)
		return has_value(match, position->value);
	if (match->leaf->kind == SCHEMA_LEAF)
		return tree_position_find_child(position, match->leaf, TREE_WITH_DEFAULTS, &leaf) &&
		       has_value(match, leaf.value);
	const union tree_slot *slot =
		position->record != NULL ? tree_record_find(position->record, match->leaf) : NULL;
	for (size_t i = 0; slot != NULL && i < match->count; i++)
		if (tree_map_find(slot->map, match->leaf, &match->values[i]) != NULL)
			return true;
	return false;
}

static bool fits(const struct txid_asked *asked, const struct tree_position *position)
{
	for (const struct txid_match *match = asked->matches; match != NULL; match = match->next)
		if (!(match->leaf->is_key && asked->keys != NULL) && !has_leaf(position, match))
			return false;
	return true;
}

static int compare_entry(const struct txid_asked *asked, const struct tree_position *entry)
{
	if (asked->schema != entry->schema)
		return asked->schema->slot < entry->schema->slot ? -1 : 1;
	for (size_t i = 0; i < entry->schema->key_count; i++) {
		int order = schema_type_compare(entry->schema->children[i]->type, asked->keys[i],
						entry->record->slots[i].value);
		if (order != 0)
			return order;
	}
	return 0;
}

bool netconf__txid_asked_names(const struct txid_asked *asked, const struct schema_node *schema)
{
	for (const struct txid_asked *child = asked->open; child != NULL; child = child->next)
		if (child->schema == schema)
			return true;
	return false;
}

void netconf__txid_asked_find(const struct txid_asked *asked, const struct tree_position *position,
			      void (*found)(void *arg, const struct txid_asked *child), void *arg)
{
	size_t low = 0, high = position->schema->kind == SCHEMA_LIST ? asked->exact_count : 0;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (compare_entry(asked->exact[middle], position) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < asked->exact_count && position->schema->kind == SCHEMA_LIST &&
	       compare_entry(asked->exact[low], position) == 0;
	     low++)
		if (fits(asked->exact[low], position))
			found(arg, asked->exact[low]);
	for (const struct txid_asked *child = asked->open; child != NULL; child = child->next)
		if (child->schema == position->schema && fits(child, position))
			found(arg, child);
}
