/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random edits: one to four changes, each at a node of the datastore that a random walk ends at, put together
 * in one tree as a client would write them. Content that is made has its keys and mostly what is mandatory,
 * so that valid edits are frequent, and little else, so that data stays small.
 *
 * An edit is a tree of items, one an element; it is cut down by taking items out.
 */
#include "soak.h"

#include <string.h>

#include "base/buffer.h"
#include "tree/cursor.h"

enum { CHANGES_MAX = 4, CONTENT_MAX = 40 /* items of one change */, CONTENT_DEPTH = 6 };

static struct soak_item *add_item(struct soak *soak, struct soak_item *parent, const struct schema_node *node)
{
	struct soak_item *item = arena_zalloc(soak->round, sizeof(*item)), **last = &parent->children;
	item->node = node;
	item->parent = parent;
	while (*last)
		last = &(*last)->next;
	*last = item;
	return item;
}

static void drop_last_item(struct soak_item *parent)
{
	struct soak_item **last = &parent->children;
	while ((*last)->next)
		last = &(*last)->next;
	*last = NULL;
}

/* ---- new content */

struct filling {
	struct soak *soak;
	unsigned left; /* items that may still be made */
};

static void fill(struct filling *filling, struct soak_item *item, unsigned depth);

/* Whether valid data must have the child: it, or for a non-presence container something below it. */
static bool demands(struct soak *soak, const struct schema_node *child)
{
	signed char *known = &soak->demands[child->id];
	if (*known)
		return *known > 0;
	bool result = child->mandatory || child->min_elements > 0;
	if (child->kind == SCHEMA_CONTAINER && !child->presence) {
		for (uint16_t i = 0; i < child->child_count && !result; i++) {
			const struct schema_node *below = child->children[i];
			result = below->config && !below->in_case && demands(soak, below);
		}
		for (size_t i = 0; i < child->choice_count; i++)
			result |= child->choices[i]->mandatory && !child->choices[i]->outer;
	}
	*known = result ? 1 : -1;
	return result;
}

/* How likely a child is part of new content, in per cent. */
static unsigned likelihood(struct soak *soak, const struct schema_node *child, unsigned depth)
{
	if (child->is_key)
		return 100;
	if (demands(soak, child))
		return child->when_count > 0 ? 75 : 95;
	if (child->kind == SCHEMA_ANYDATA || child->kind == SCHEMA_ANYXML)
		return 0;
	unsigned base = 220 / (child->parent->child_count + 2u);
	return depth >= CONTENT_DEPTH ? 0 : base > 60 ? 60 : base;
}

/* The case of each choice that content is made of; SIZE_MAX: none. */
static size_t *choose_cases(struct soak *soak, const struct schema_node *node)
{
	size_t *chosen = arena_alloc(soak->round, (node->choice_count + 1) * sizeof(*chosen));
	for (size_t i = 0; i < node->choice_count; i++) {
		const struct schema_choice *choice = node->choices[i];
		bool some = choice->case_count > 0 && soak_chance(soak, choice->mandatory ? 95 : 50);
		chosen[i] = some ? soak_pick(soak, (unsigned)choice->case_count) : SIZE_MAX;
	}
	return chosen;
}

static bool is_chosen(const struct schema_node *child, const size_t *chosen)
{
	const struct schema_node *parent = child->parent;
	for (const struct schema_case *c = child->in_case; c; c = c->choice->outer) {
		for (size_t i = 0; i < parent->choice_count; i++) {
			if (parent->choices[i] == c->choice && chosen[i] != c->index)
				return false;
		}
	}
	return true;
}

static bool has_value(const struct schema_node *node)
{
	return node->kind == SCHEMA_LEAF || node->kind == SCHEMA_LEAF_LIST;
}

/* Adds an item with all that makes it complete; NULL where a value could not be found. */
static struct soak_item *add_filled(struct filling *filling, struct soak_item *parent,
				    const struct schema_node *node, unsigned depth)
{
	struct soak_item *item = add_item(filling->soak, parent, node);
	if (filling->left > 0)
		filling->left--;
	if (has_value(node)) {
		item->value = soak_value(filling->soak, node);
		if (!item->value) {
			drop_last_item(parent);
			return NULL;
		}
		return item;
	}
	fill(filling, item, depth);
	unsigned keys = 0;
	for (const struct soak_item *child = item->children; child; child = child->next)
		keys += child->node->is_key;
	if (keys < node->key_count) {
		drop_last_item(parent);
		return NULL;
	}
	return item;
}

static bool same_value(const struct soak_item *a, const struct soak_item *b)
{
	return a->value && b->value && strcmp(a->value, b->value) == 0;
}

/* Whether both are the same instance. */
static bool same_instance(const struct soak_item *a, const struct soak_item *b)
{
	if (a->node != b->node)
		return false;
	if (a->node->kind == SCHEMA_LEAF_LIST)
		return same_value(a, b);
	if (a->node->kind != SCHEMA_LIST)
		return true;
	const struct soak_item *key_a = a->children, *key_b = b->children;
	for (uint16_t i = 0; i < a->node->key_count; i++, key_a = key_a->next, key_b = key_b->next) {
		if (!key_a || !key_b || !same_value(key_a, key_b))
			return false;
	}
	return true;
}

/* The last child, unless it stands there before. */
static void drop_double(struct soak_item *parent)
{
	struct soak_item *last = parent->children;
	while (last && last->next)
		last = last->next;
	for (struct soak_item *item = parent->children; item && item != last; item = item->next) {
		if (same_instance(item, last)) {
			drop_last_item(parent);
			return;
		}
	}
}

static void fill(struct filling *filling, struct soak_item *item, unsigned depth)
{
	struct soak *soak = filling->soak;
	const struct schema_node *node = item->node;
	const size_t *chosen = choose_cases(soak, node);
	bool every_case = soak_chance(soak, 1);
	for (uint16_t i = 0; i < node->child_count; i++) {
		const struct schema_node *child = node->children[i];
		if (!child->config || (!every_case && !is_chosen(child, chosen)))
			continue;
		unsigned chance = likelihood(soak, child, depth);
		if (chance < 90 && (filling->left == 0 || (child->when_count > 0 && soak_chance(soak, 40))))
			continue;
		if (child->in_case && chance > 0 && chance < 60)
			chance = 60;
		if (!soak_chance(soak, chance))
			continue;
		bool multiple = child->kind == SCHEMA_LIST || child->kind == SCHEMA_LEAF_LIST;
		unsigned count = child->min_elements > 0 ? child->min_elements : 1;
		count += multiple && soak_chance(soak, 30);
		while (count-- > 0) {
			if (add_filled(filling, item, child, depth + 1))
				drop_double(item);
		}
	}
}

/* ---- where to change */

static struct soak_item *find_double(struct soak_item *parent, const struct soak_item *like)
{
	for (struct soak_item *item = parent->children; item; item = item->next) {
		if (item != like && same_instance(item, like))
			return item;
	}
	return NULL;
}

/* The item of a position below its parent's, made where it is not there. */
static struct soak_item *item_of(struct soak *soak, struct soak_item *parent,
				 const struct tree_position *position)
{
	struct soak_item *item = add_item(soak, parent, position->schema);
	if (position->schema->type)
		item->value = arena_strdup(soak->round, value_bytes(&position->value));
	for (uint16_t i = 0; i < position->schema->key_count; i++) {
		struct soak_item *key = add_item(soak, item, position->schema->children[i]);
		key->value = arena_strdup(soak->round, value_bytes(&position->record->slots[i].value));
	}
	struct soak_item *found = find_double(parent, item);
	if (found)
		drop_last_item(parent);
	return found ? found : item;
}

/* A child of the position that is stored; false: there is none. */
static bool choose_child(struct soak *soak, const struct tree_position *parent, bool record_only,
			 struct tree_position *chosen)
{
	struct tree_cursor cursor;
	struct tree_position child;
	unsigned seen = 0;
	tree_cursor_init(&cursor, soak->schema, parent, TREE_EXPLICIT);
	while (tree_cursor_next(&cursor, &child)) {
		bool is_record = child.schema->kind == SCHEMA_CONTAINER || child.schema->kind == SCHEMA_LIST;
		if (child.schema->is_key || (record_only && !is_record))
			continue;
		if (soak_pick(soak, ++seen) == 0)
			*chosen = child;
	}
	return seen > 0;
}

static const struct schema_node *choose_schema_child(struct soak *soak, const struct schema_node *node)
{
	const struct schema_node *chosen = NULL;
	unsigned seen = 0;
	for (uint16_t i = 0; i < node->child_count; i++) {
		const struct schema_node *child = node->children[i];
		bool is_any = child->kind == SCHEMA_ANYDATA || child->kind == SCHEMA_ANYXML;
		if (child->config && !child->is_key && !is_any && soak_pick(soak, ++seen) == 0)
			chosen = child;
	}
	return chosen;
}

static bool has_operation(const struct soak_item *item)
{
	for (; item; item = item->parent) {
		if (item->operation != EDIT_UNSPECIFIED)
			return true;
	}
	return false;
}

static void remove_child(struct soak *soak, struct soak_item *item, const struct tree_position *position)
{
	struct tree_position child;
	if (!choose_child(soak, position, false, &child))
		return;
	struct soak_item *target = item_of(soak, item, &child);
	if (target->operation != EDIT_UNSPECIFIED)
		return;
	target->operation = soak_chance(soak, 50) ? EDIT_DELETE : EDIT_REMOVE;
	if (target->node->kind == SCHEMA_CONTAINER)
		target->children = NULL;
}

static void set_insert(struct soak *soak, struct soak_item *item)
{
	if (item->node->user_ordered && soak_chance(soak, 50))
		item->insert = soak_chance(soak, 50) ? EDIT_INSERT_FIRST : EDIT_INSERT_LAST;
}

static void make_child(struct soak *soak, struct soak_item *item)
{
	static const enum edit_operation operations[] = {EDIT_MERGE, EDIT_UNSPECIFIED, EDIT_UNSPECIFIED,
							 EDIT_REPLACE, EDIT_CREATE};
	const struct schema_node *node = choose_schema_child(soak, item->node);
	struct filling filling = {soak, CONTENT_MAX};
	struct soak_item *made = node ? add_filled(&filling, item, node, 1) : NULL;
	if (!made)
		return;
	if (find_double(item, made)) {
		drop_last_item(item);
		return;
	}
	made->operation = operations[soak_pick(soak, 5)];
	set_insert(soak, made);
}

/* New content in place of a child that is there. */
static void change_child(struct soak *soak, struct soak_item *item, const struct tree_position *position)
{
	struct tree_position child;
	if (!choose_child(soak, position, false, &child))
		return;
	bool is_any = child.schema->kind == SCHEMA_ANYDATA || child.schema->kind == SCHEMA_ANYXML;
	if (is_any || child.schema->kind == SCHEMA_LEAF_LIST)
		return;
	struct soak_item *target = item_of(soak, item, &child);
	uint16_t keys = 0;
	for (const struct soak_item *part = target->children; part; part = part->next)
		keys++;
	if (target->operation != EDIT_UNSPECIFIED || keys > child.schema->key_count)
		return;
	if (has_value(child.schema)) {
		const char *value = soak_value(soak, child.schema);
		target->value = value ? value : target->value;
		return;
	}
	target->operation = soak_chance(soak, 50) ? EDIT_REPLACE : EDIT_UNSPECIFIED;
	struct soak_item *rest = target->children;
	target->children = NULL;
	struct filling filling = {soak, CONTENT_MAX};
	fill(&filling, target, 1);
	/* The keys are those of the entry. */
	struct soak_item *made = target->children, *last = rest;
	for (uint16_t i = 0; i < child.schema->key_count && made; i++)
		made = made->next;
	while (last && last->next)
		last = last->next;
	if (last)
		last->next = made;
	target->children = rest ? rest : made;
	set_insert(soak, target);
}

static void change_somewhere(struct soak *soak, struct soak_item *item, const struct tree_position *position)
{
	struct tree_position child;
	unsigned descend = position->schema->kind == SCHEMA_ROOT ? 90 : 70;
	if (soak_chance(soak, descend) && choose_child(soak, position, true, &child)) {
		struct soak_item *below = item_of(soak, item, &child);
		if (!has_operation(below))
			change_somewhere(soak, below, &child);
		return;
	}
	unsigned kind = soak_pick(soak, 10);
	if (kind < 3)
		remove_child(soak, item, position);
	else if (kind < 7)
		make_child(soak, item);
	else
		change_child(soak, item, position);
}

/* ---- what others refer to */

/* Items for the position and all above it. */
static struct soak_item *items_to(struct soak *soak, struct soak_item *top,
				  const struct tree_position *position)
{
	if (!position->parent)
		return top;
	struct soak_item *parent = items_to(soak, top, position->parent);
	return has_operation(parent) ? parent : item_of(soak, parent, position);
}

static bool has_key(const struct tree_position *entry, const char *text)
{
	for (uint16_t i = 0; i < entry->schema->key_count; i++) {
		if (bytes_equal(value_bytes(&entry->record->slots[i].value), bytes_of(text)))
			return true;
	}
	return false;
}

/* Deletes the entry with such a key that the countdown ends at; counts those before it. */
static void remove_keyed(struct soak *soak, struct soak_item *top, const struct tree_position *parent,
			 const char *text, int *countdown)
{
	struct tree_cursor cursor;
	struct tree_position child;
	tree_cursor_init(&cursor, soak->schema, parent, TREE_EXPLICIT);
	while (*countdown >= 0 && tree_cursor_next(&cursor, &child)) {
		bool is_list = child.schema->kind == SCHEMA_LIST;
		if (is_list && has_key(&child, text) && (*countdown)-- == 0) {
			struct soak_item *item = items_to(soak, top, &child);
			if (!has_operation(item))
				item->operation = EDIT_DELETE;
			return;
		}
		if (is_list || child.schema->kind == SCHEMA_CONTAINER)
			remove_keyed(soak, top, &child, text, countdown);
	}
}

/* An entry whose key is a value that is somewhere: what leafrefs refer to, mostly. */
static void remove_referenced(struct soak *soak, struct soak_item *top, const struct tree_position *root)
{
	if (soak->values.length == 0)
		return;
	const struct soak_word *word =
		vector_at(&soak->values, soak_pick(soak, (unsigned)soak->values.length));
	int countdown = (int)soak_pick(soak, 2);
	remove_keyed(soak, top, root, word->text, &countdown);
}

/* Containers and entries on the way to nothing. */
static void prune(struct soak_item *item)
{
	struct soak_item **at = &item->children;
	while (*at) {
		struct soak_item *child = *at;
		prune(child);
		bool only_keys = true;
		for (const struct soak_item *part = child->children; part; part = part->next)
			only_keys &= part->node->is_key;
		if (!has_value(child->node) && only_keys && !has_operation(child) && !child->node->presence &&
		    child->node->kind != SCHEMA_LIST)
			*at = child->next;
		else
			at = &child->next;
	}
}

struct soak_item *soak_edit(struct soak *soak)
{
	struct soak_item *top = arena_zalloc(soak->round, sizeof(*top));
	top->node = soak->schema->root;
	struct tree_position root = tree_position_root(soak->schema, soak->root);
	for (unsigned count = 1 + soak_pick(soak, CHANGES_MAX); count > 0; count--) {
		if (soak_chance(soak, 15))
			remove_referenced(soak, top, &root);
		else
			change_somewhere(soak, top, &root);
	}
	prune(top);
	return top;
}

struct soak_item *soak_content(struct soak *soak)
{
	struct soak_item *top = arena_zalloc(soak->round, sizeof(*top));
	top->node = soak->schema->root;
	struct filling filling = {soak, CONTENT_MAX};
	fill(&filling, top, CONTENT_DEPTH);
	return top;
}

/* ---- as XML */

static void put(struct buffer *out, const char *text)
{
	(void)!buffer_append(out, bytes_of(text));
}

static void put_text(struct buffer *out, const char *text)
{
	for (; *text; text++) {
		const char c[2] = {*text, '\0'};
		put(out, *text == '<' ? "&lt;" : *text == '&' ? "&amp;" : c);
	}
}

/* Declares the modules that canonical values use as prefixes. */
void soak_put_prefixes(const struct soak *soak, struct buffer *out, const char *value)
{
	const struct schema_module *declared[16];
	size_t count = 0;
	for (const char *colon = strchr(value, ':'); colon && count < 16; colon = strchr(colon + 1, ':')) {
		const char *start = colon;
		while (start > value && strchr("/[ '\"(", start[-1]) == NULL)
			start--;
		struct bytes name = {start, (size_t)(colon - start)};
		const struct schema_module *module = schema_module_find(soak->schema, name);
		bool known = module == NULL;
		for (size_t i = 0; i < count; i++)
			known |= declared[i] == module;
		if (known)
			continue;
		declared[count++] = module;
		(void)!buffer_printf(out, " xmlns:%s=\"%s\"", module->name, module->ns);
	}
}

static void put_item(const struct soak *soak, struct buffer *out, const struct soak_item *item)
{
	static const char *const operations[] = {"",	   "merge",  "replace", "create",
						 "delete", "remove", "none"};
	static const char *const inserts[] = {"", "first", "last", "before", "after"};
	put(out, "<");
	put(out, item->node->name);
	if (item->parent->node->module != item->node->module)
		(void)!buffer_printf(out, " xmlns=\"%s\"", item->node->module->ns);
	if (item->operation != EDIT_UNSPECIFIED)
		(void)!buffer_printf(out, " nc:operation=\"%s\"", operations[item->operation]);
	if (item->insert != EDIT_INSERT_UNSPECIFIED)
		(void)!buffer_printf(out, " yang:insert=\"%s\"", inserts[item->insert]);
	const char *value = item->value ? soak_value_xml(item->node, item->value, soak->round) : "";
	soak_put_prefixes(soak, out, value);
	put(out, ">");
	put_text(out, value);
	for (const struct soak_item *child = item->children; child; child = child->next)
		put_item(soak, out, child);
	put(out, "</");
	put(out, item->node->name);
	put(out, ">");
}

const char *soak_edit_xml(const struct soak *soak, const struct soak_item *top, struct arena *arena)
{
	struct buffer out;
	buffer_init(&out, SIZE_MAX);
	put(&out, "<config xmlns:nc=\"urn:ietf:params:xml:ns:netconf:base:1.0\" "
		  "xmlns:yang=\"urn:ietf:params:xml:ns:yang:1\">");
	for (const struct soak_item *item = top->children; item; item = item->next)
		put_item(soak, &out, item);
	put(&out, "</config>");
	const char *copy = arena_strdup(arena, buffer_get(&out));
	buffer_fini(&out);
	return copy;
}
