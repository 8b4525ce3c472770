/* SPDX-License-Identifier: BSD-3-Clause */
/* See patch.h. */
#include "patch.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"

enum { STEP_KEYS_MAX = 16 };

struct applying {
	const struct schema *schema;
	struct arena *arena;
	xmlNode *config;
};

/* ---- normal form ---- */

static bool is_element(const xmlNode *node)
{
	return node->type == XML_ELEMENT_NODE;
}

static const struct schema_node *schema_of(const struct schema *schema, const struct schema_node *parent,
					   const xmlNode *node)
{
	const struct schema_module *module =
		node->ns ? schema_module_find_ns(schema, bytes_of((const char *)node->ns->href)) : NULL;
	return module ? schema_child_find(schema, parent, module, bytes_of((const char *)node->name)) : NULL;
}

static const char *text_of(const xmlNode *node, struct arena *arena)
{
	xmlChar *content = xmlNodeGetContent(node);
	const char *text = arena_strdup(arena, bytes_of((const char *)content));
	xmlFree(content);
	return text;
}

static const char *node_form(const struct schema *schema, const struct schema_node *node,
			     const xmlNode *element, struct arena *arena);

struct item {
	const struct schema_node *node;
	const char *form;
	size_t order;
};

static int compare_items(const void *left, const void *right)
{
	const struct item *a = left, *b = right;
	if (a->node != b->node)
		return a->node->slot < b->node->slot ? -1 : 1;
	if (a->node->user_ordered)
		return a->order < b->order ? -1 : 1;
	return strcmp(a->form, b->form);
}

static const char *children_form(const struct schema *schema, const struct schema_node *parent,
				 const xmlNode *element, struct arena *arena)
{
	size_t count = 0;
	for (const xmlNode *child = element->children; child; child = child->next)
		count += is_element(child);
	struct item *items = arena_alloc(arena, (count + 1) * sizeof(*items));
	size_t length = 0;
	for (const xmlNode *child = element->children; child; child = child->next) {
		if (!is_element(child))
			continue;
		const struct schema_node *node = schema_of(schema, parent, child);
		const char *form = node ? node_form(schema, node, child, arena) : NULL;
		if (form)
			items[length++] = (struct item){node, form, length};
	}
	qsort(items, length, sizeof(*items), compare_items);
	struct buffer out;
	buffer_init(&out, SIZE_MAX);
	for (size_t i = 0; i < length; i++)
		(void)!buffer_append(&out, bytes_of(items[i].form));
	const char *form = arena_strdup(arena, buffer_get(&out));
	buffer_fini(&out);
	return form;
}

/* NULL: it is nothing. */
static const char *node_form(const struct schema *schema, const struct schema_node *node,
			     const xmlNode *element, struct arena *arena)
{
	bool is_record = node->kind == SCHEMA_CONTAINER || node->kind == SCHEMA_LIST;
	const char *inner = is_record ? children_form(schema, node, element, arena) : text_of(element, arena);
	if (node->kind == SCHEMA_CONTAINER && !node->presence && *inner == '\0')
		return NULL;
	return arena_printf(arena, "<%s:%s>%s</>\n", node->module->name, node->name, inner);
}

const char *patch_normal_form(const struct schema *schema, const xmlDoc *document, struct arena *arena)
{
	return children_form(schema, schema->root, xmlDocGetRootElement(document), arena);
}

/* ---- targets (RFC 8040 3.5.3) ---- */

struct step {
	const struct schema_node *node;
	const char *keys[STEP_KEYS_MAX]; /* a leaf-list's value */
	size_t key_count;
};

static const char *decode(const char *text, size_t size, struct arena *arena)
{
	char *out = arena_alloc(arena, size + 1), *at = out;
	for (size_t i = 0; i < size; i++) {
		char code[3] = {0};
		if (text[i] != '%') {
			*at++ = text[i];
			continue;
		}
		memcpy(code, text + i + 1, 2);
		*at++ = (char)strtoul(code, NULL, 16);
		i += 2;
	}
	*at = '\0';
	return out;
}

/* The step at *path, which moves behind it; false where it names nothing. */
static bool take_step(struct applying *a, const struct schema_node *parent, const char **path,
		      struct step *step)
{
	const char *at = *path + 1;
	size_t size = strcspn(at, "/"), name_size = strcspn(at, "/=");
	const char *colon = memchr(at, ':', name_size);
	const struct schema_module *module = parent->module;
	*step = (struct step){.node = NULL};
	if (**path != '/')
		return false;
	if (colon)
		module = schema_module_find(a->schema, (struct bytes){at, (size_t)(colon - at)});
	const char *name = colon ? colon + 1 : at;
	if (module)
		step->node = schema_child_find(a->schema, parent, module,
					       (struct bytes){name, name_size - (size_t)(name - at)});
	*path = at + size;
	const char *end = at + size;
	for (at += name_size; at < end; at += 1 + strcspn(at + 1, ",/"))
		step->keys[step->key_count++] = decode(at + 1, strcspn(at + 1, ",/"), a->arena);
	return step->node != NULL;
}

static bool is_text(struct applying *a, const xmlNode *element, const char *text)
{
	const xmlNode *content = element->children;
	if (content && content->type == XML_TEXT_NODE && !content->next)
		return strcmp((const char *)content->content, text) == 0;
	return strcmp(text_of(element, a->arena), text) == 0;
}

static bool has_keys(struct applying *a, const struct step *step, const xmlNode *element)
{
	if (step->node->kind == SCHEMA_LEAF_LIST)
		return step->key_count == 1 && is_text(a, element, step->keys[0]);
	if (step->node->kind != SCHEMA_LIST || step->key_count == 0)
		return step->key_count == 0;
	for (size_t i = 0; i < step->node->key_count; i++) {
		const xmlNode *key = element->children;
		while (key &&
		       (!is_element(key) || schema_of(a->schema, step->node, key) != step->node->children[i]))
			key = key->next;
		if (!key || i >= step->key_count || !is_text(a, key, step->keys[i]))
			return false;
	}
	return true;
}

static xmlNode *find_step(struct applying *a, xmlNode *parent, const struct step *step)
{
	for (xmlNode *child = parent->children; child; child = child->next)
		if (is_element(child) && schema_of(a->schema, step->node->parent, child) == step->node &&
		    has_keys(a, step, child))
			return child;
	return NULL;
}

/* The target's parent, containers without presence made on the way, and the target itself. */
static const char *find_target(struct applying *a, const char *path, xmlNode **parent, xmlNode **target,
			       const struct schema_node **node)
{
	struct step step;
	xmlNode *at = a->config;
	const struct schema_node *schema = a->schema->root;
	for (const char *rest = path;;) {
		if (!take_step(a, schema, &rest, &step))
			return "names nothing of the schema";
		xmlNode *found = find_step(a, at, &step);
		*node = schema = step.node;
		*parent = at;
		*target = found;
		if (*rest == '\0')
			return NULL;
		if (!found && (schema->kind != SCHEMA_CONTAINER || schema->presence))
			return "is below a node that is not there";
		if (!found) {
			found = xmlNewChild(at, NULL, (const xmlChar *)schema->name, NULL);
			xmlSetNs(found, xmlNewNs(found, (const xmlChar *)schema->module->ns, NULL));
		}
		at = found;
	}
}

/* ---- edits ---- */

static xmlNode *child_named(const xmlNode *parent, const char *name)
{
	for (xmlNode *child = parent->children; child; child = child->next)
		if (is_element(child) && strcmp((const char *)child->name, name) == 0)
			return child;
	return NULL;
}

static xmlNode *only_child(const xmlNode *parent)
{
	xmlNode *child = parent ? xmlFirstElementChild((xmlNode *)parent) : NULL;
	return child && !xmlNextElementSibling(child) ? child : NULL;
}

struct edit {
	const char *operation, *target, *point, *where;
	xmlNode *value, *source; /* what is in the two, NULL: they are not there */
	bool has_value, has_source;
};

static const char *leaf(struct applying *a, const xmlNode *edit, const char *name)
{
	const xmlNode *child = child_named(edit, name);
	return child ? text_of(child, a->arena) : NULL;
}

static void read_edit(struct applying *a, const xmlNode *element, struct edit *edit)
{
	const xmlNode *value = child_named(element, "value"), *source = child_named(element, "source-value");
	*edit = (struct edit){
		.operation = leaf(a, element, "operation"),
		.target = leaf(a, element, "target"),
		.point = leaf(a, element, "point"),
		.where = leaf(a, element, "where"),
		.value = only_child(value),
		.source = only_child(source),
		.has_value = value != NULL,
		.has_source = source != NULL,
	};
}

static bool is_one_of(const char *text, const char *a, const char *b)
{
	return strcmp(text, a) == 0 || strcmp(text, b) == 0;
}

/* RFC 8072 2.5 and RFC 9144: which leafs go with which operation. */
static const char *check_form(const struct edit *edit)
{
	if (!edit->operation || !edit->target)
		return "has no operation or no target";
	bool creates = is_one_of(edit->operation, "create", "insert");
	bool deletes = is_one_of(edit->operation, "delete", "remove");
	bool replaces = strcmp(edit->operation, "replace") == 0, moves = strcmp(edit->operation, "move") == 0;
	if (!creates && !deletes && !replaces && !moves)
		return "has an operation that compare does not use";
	if (edit->has_value != (creates || replaces) || (edit->has_value && !edit->value))
		return "has a value or has none, wrongly";
	if (edit->has_source != (deletes || replaces || moves) || (edit->has_source && !edit->source))
		return "has a source value or has none, wrongly";
	bool places = moves || strcmp(edit->operation, "insert") == 0;
	if (places != (edit->where != NULL))
		return "has a place or has none, wrongly";
	bool is_after = edit->where && strcmp(edit->where, "after") == 0;
	return is_after != (edit->point != NULL) ? "has a point or has none, wrongly" : NULL;
}

static const char *place(struct applying *a, const struct edit *edit, xmlNode *parent, xmlNode *node,
			 const struct schema_node *schema)
{
	if (edit->point) {
		xmlNode *point_parent, *point;
		const struct schema_node *point_schema;
		const char *wrong = find_target(a, edit->point, &point_parent, &point, &point_schema);
		if (wrong || !point || point_parent != parent || point_schema != schema)
			return "has a point that is not there";
		xmlAddNextSibling(point, node);
		return NULL;
	}
	xmlNode *first = parent->children;
	while (first && (!is_element(first) || schema_of(a->schema, schema->parent, first) != schema))
		first = first->next;
	if (first && first != node)
		xmlAddPrevSibling(first, node);
	else if (!first)
		xmlAddChild(parent, node);
	return NULL;
}

static const char *check_source(struct applying *a, const struct edit *edit, const xmlNode *target,
				const struct schema_node *node)
{
	const char *said = node_form(a->schema, node, edit->source, a->arena);
	const char *is = node_form(a->schema, node, target, a->arena);
	return strcmp(said ? said : "", is ? is : "") == 0 ? NULL : "has another source value than there is";
}

static const char *apply_edit(struct applying *a, const struct edit *edit)
{
	xmlNode *parent, *target;
	const struct schema_node *node;
	const char *wrong = check_form(edit);
	if (!wrong)
		wrong = find_target(a, edit->target, &parent, &target, &node);
	if (wrong)
		return wrong;
	bool creates = is_one_of(edit->operation, "create", "insert");
	if (!creates && !target)
		return strcmp(edit->operation, "remove") == 0 ? NULL : "is of a node that is not there";
	if (creates && target && node_form(a->schema, node, target, a->arena))
		return "makes what is there";
	if (edit->has_source)
		wrong = check_source(a, edit, target, node);
	if (wrong)
		return wrong;
	if (strcmp(edit->operation, "move") == 0) {
		xmlUnlinkNode(target);
		return place(a, edit, parent, target, node);
	}
	xmlNode *made = edit->value ? xmlDocCopyNode(edit->value, a->config->doc, 1) : NULL;
	if (made && edit->where)
		wrong = place(a, edit, parent, made, node);
	else if (made)
		xmlAddChild(parent, made);
	if (target) {
		xmlUnlinkNode(target);
		xmlFreeNode(target);
	}
	return wrong;
}

const char *patch_apply(const struct schema *schema, xmlDoc *document, const xmlDoc *reply,
			struct arena *arena)
{
	struct applying a = {schema, arena, xmlDocGetRootElement(document)};
	const xmlNode *differences = xmlDocGetRootElement(reply);
	const xmlNode *patch = child_named(differences, "yang-patch");
	if (!patch || !child_named(patch, "patch-id"))
		return "the reply is no patch";
	for (const xmlNode *child = patch->children; child; child = child->next) {
		if (strcmp((const char *)child->name, "edit") != 0)
			continue;
		struct edit edit;
		read_edit(&a, child, &edit);
		const char *wrong = apply_edit(&a, &edit);
		if (wrong)
			return arena_printf(arena, "edit %s of %s %s", leaf(&a, child, "edit-id"),
					    edit.target, wrong);
	}
	return NULL;
}
