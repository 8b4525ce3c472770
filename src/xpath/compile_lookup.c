/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds predicates that together name one entry of a list, such as
 *
 *     list[k1 = current()/../x and k2 = 'a'][other > 5]
 *
 * and makes a lookup of them. Usable are conjuncts `key = value` (either way round) of predicates before any
 * that counts positions, where the value does not depend on the candidate entry. Their order does not matter,
 * since such predicates are independent filters; the conjuncts that are no keys, and the predicates after
 * them, judge the entry found.
 *
 * A path that ends with a key, .../list[k1 = x]/k2, gives a second lookup (step->wanted) for when the text of
 * its result is given: leafrefs, deref() and comparisons.
 *
 * Where there is no lookup, a conjunct `leaf = 'text'` on a child that is no key is noted (step->sought): a
 * search may know the entries that have the value. Only where equality is that of the stored text, in lists
 * of which there is one, and without default values, which are not stored.
 */
#include "schema/type.h"
#include "xpath/compile.h"

enum xpath_key_form xpath__key_form(const struct schema_type *type)
{
	switch (schema_type_base(schema_type_real(type))) {
	case BASE_INT8:
	case BASE_INT16:
	case BASE_INT32:
	case BASE_INT64:
	case BASE_UINT8:
	case BASE_UINT16:
	case BASE_UINT32:
	case BASE_UINT64:
		return KEY_INTEGER;
	case BASE_IDENTITYREF:
	case BASE_INSTANCE_IDENTIFIER:
		return KEY_QNAME;
	case BASE_DECIMAL64:
		return KEY_OTHER;
	case BASE_BINARY:
	case BASE_BITS:
	case BASE_BOOLEAN:
	case BASE_EMPTY:
	case BASE_ENUMERATION:
	case BASE_LEAFREF:
	case BASE_STRING:
	case BASE_UNION:
		return KEY_TEXT;
	}
	return KEY_OTHER;
}

/* The only step of a path: a name without predicates. */
static bool is_name(const struct xpath_step *step)
{
	return step != NULL && step->axis == AXIS_CHILD && step->test == TEST_NAME &&
	       step->predicates == NULL && step->next == NULL;
}

static bool names(const struct xpath_step *step, const struct schema_node *child)
{
	return bytes_equal(child->name_bytes, step->name) &&
	       (step->module == NULL || step->module == child->module);
}

/* The key that a relative path of one child step names; SIZE_MAX: none. */
static size_t key_of_step(const struct xpath_step *step, const struct schema_node *list)
{
	for (size_t i = 0; is_name(step) && i < list->key_count; i++) {
		if (names(step, list->children[i]))
			return i;
	}
	return SIZE_MAX;
}

static bool is_dot(const struct xpath_step *step)
{
	return step != NULL && step->axis == AXIS_SELF && step->test == TEST_NODE && step->predicates == NULL;
}

/* The steps of a relative path; NULL: it is none. */
static const struct xpath_step *steps_of(const struct xpath_node *node)
{
	if (node->op != XPATH_PATH || node->path.absolute || node->operands != NULL)
		return NULL;
	const struct xpath_step *step = node->path.steps;
	while (is_dot(step))
		step = step->next;
	return step;
}

static bool is_usable(const struct xpath_node *value, struct xpath_key *key)
{
	if (!value->free || value->type == XPATH_BOOLEAN)
		return false;
	/* Several texts may be one number, except for canonical integers. */
	return value->type != XPATH_NUMBER || key->form == KEY_INTEGER;
}

struct maker {
	const struct xpath_scope *scope;
	struct arena *arena;
	const struct schema_node *list;
	struct xpath_key *keys;
	bool *given; /* each key */
	size_t missing;
	struct xpath_predicate *rest, **last;
};

static bool take_key(struct maker *maker, const struct xpath_node *path, const struct xpath_node *value)
{
	size_t index = key_of_step(steps_of(path), maker->list);
	if (index == SIZE_MAX || maker->given[index] || !is_usable(value, &maker->keys[index]))
		return false;
	struct xpath_key *key = &maker->keys[index];
	if (value->op == XPATH_LITERAL &&
	    !xpath__literal_key(maker->scope, value->literal, key->leaf->type, maker->arena, &key->canonical))
		return false;
	key->value = value;
	maker->given[index] = true;
	maker->missing--;
	return true;
}

static void add_rest(struct maker *maker, const struct xpath_predicate *from, struct xpath_node *expr)
{
	struct xpath_predicate *predicate = arena_zalloc(maker->arena, sizeof(*predicate));
	if (from != NULL)
		*predicate = *from;
	predicate->expr = expr;
	predicate->next = NULL;
	*maker->last = predicate;
	maker->last = &predicate->next;
}

static void take_conjuncts(struct maker *maker, struct xpath_node *expr)
{
	if (expr->op == XPATH_AND) {
		for (struct xpath_node *operand = expr->operands; operand != NULL; operand = operand->next)
			take_conjuncts(maker, operand);
		return;
	}
	if (expr->op == XPATH_EQUAL && (take_key(maker, expr->operands, expr->operands->next) ||
					take_key(maker, expr->operands->next, expr->operands)))
		return;
	add_rest(maker, NULL, expr);
}

/* `wanted`: this key is given by the text that is looked for; SIZE_MAX: none is. NULL where some key is
 * missing. */
static struct xpath_lookup *make(const struct xpath_scope *scope, struct arena *arena,
				 const struct xpath_step *step, size_t wanted)
{
	const struct schema_node *list = step->target;
	struct maker maker = {.scope = scope, .arena = arena, .list = list, .missing = list->key_count};
	maker.last = &maker.rest;
	maker.keys = arena_zalloc(arena, list->key_count * sizeof(*maker.keys));
	maker.given = arena_zalloc(arena, list->key_count);
	for (size_t i = 0; i < list->key_count; i++) {
		maker.keys[i].leaf = list->children[i];
		maker.keys[i].form = xpath__key_form(list->children[i]->type);
	}
	if (wanted != SIZE_MAX) {
		maker.given[wanted] = true;
		maker.missing--;
	}
	const struct xpath_predicate *predicate = step->predicates;
	for (; predicate != NULL && maker.missing > 0; predicate = predicate->next) {
		if (predicate->positional)
			return NULL;
		take_conjuncts(&maker, predicate->expr);
	}
	for (; predicate != NULL; predicate = predicate->next)
		add_rest(&maker, predicate, predicate->expr);
	if (maker.missing > 0)
		return NULL;
	struct xpath_lookup *lookup = arena_alloc(arena, sizeof(*lookup));
	*lookup = (struct xpath_lookup){list, maker.keys, maker.rest};
	return lookup;
}

/* ---- Searches. ---- */

static bool has_plain_text(const struct schema_node *leaf)
{
	if ((leaf->kind != SCHEMA_LEAF && leaf->kind != SCHEMA_LEAF_LIST) || leaf->is_key || !leaf->config ||
	    leaf->default_count > 0)
		return false;
	switch (schema_type_base(schema_type_real(leaf->type))) {
	case BASE_EMPTY:
	case BASE_IDENTITYREF:
	case BASE_INSTANCE_IDENTIFIER:
	case BASE_LEAFREF:
	case BASE_UNION:
		return false;
	default: /* what is compared as its canonical text */
		return true;
	}
}

/* The only child that a path names; NULL: there is none, or several. */
static const struct schema_node *child_of(const struct xpath_step *step, const struct schema_node *list)
{
	const struct schema_node *found = NULL;
	for (size_t i = 0; is_name(step) && i < list->child_count; i++) {
		if (!names(step, list->children[i]))
			continue;
		if (found != NULL)
			return NULL;
		found = list->children[i];
	}
	return found;
}

static bool take_sought(const struct xpath_node *path, const struct xpath_node *value,
			const struct schema_node *list, struct xpath_sought *sought)
{
	if (value->op != XPATH_LITERAL)
		return false;
	const struct schema_node *leaf = child_of(steps_of(path), list);
	if (leaf == NULL || !has_plain_text(leaf))
		return false;
	*sought = (struct xpath_sought){leaf, value->literal};
	return true;
}

static bool find_sought(const struct xpath_node *expr, const struct schema_node *list,
			struct xpath_sought *sought)
{
	if (expr->op == XPATH_AND) {
		for (const struct xpath_node *operand = expr->operands; operand != NULL;
		     operand = operand->next) {
			if (find_sought(operand, list, sought))
				return true;
		}
		return false;
	}
	return expr->op == XPATH_EQUAL && (take_sought(expr->operands, expr->operands->next, list, sought) ||
					   take_sought(expr->operands->next, expr->operands, list, sought));
}

/* There is at most one of it in a datastore. */
static bool is_alone(const struct schema_node *list)
{
	const struct schema_node *node = list->parent;
	while (node != NULL && node->kind == SCHEMA_CONTAINER)
		node = node->parent;
	return list->config && node != NULL && node->kind == SCHEMA_ROOT;
}

bool xpath_is_searchable(const struct schema_node *leaf)
{
	const struct schema_node *list = leaf->parent;
	return list != NULL && list->kind == SCHEMA_LIST && list->key_count > 0 && has_plain_text(leaf) &&
	       is_alone(list);
}

static void make_sought(struct arena *arena, struct xpath_step *step)
{
	struct xpath_sought sought;
	if (!is_alone(step->target))
		return;
	for (const struct xpath_predicate *p = step->predicates; p != NULL && !p->positional; p = p->next) {
		if (!find_sought(p->expr, step->target, &sought))
			continue;
		struct xpath_sought *kept = arena_alloc(arena, sizeof(*kept));
		*kept = sought;
		step->sought = kept;
		return;
	}
}

void xpath__lookup_make(const struct xpath_scope *scope, struct arena *arena, struct xpath_step *step)
{
	const struct schema_node *list = step->target;
	if (step->axis != AXIS_CHILD || list->kind != SCHEMA_LIST || list->key_count == 0 ||
	    (step->predicates != NULL && !step->streamed_numbers))
		return;
	if (step->predicates != NULL)
		step->lookup = make(scope, arena, step, SIZE_MAX);
	if (step->lookup == NULL)
		make_sought(arena, step);
	size_t wanted = key_of_step(step->next, list);
	if (step->lookup != NULL || wanted == SIZE_MAX)
		return;
	for (const struct xpath_predicate *p = step->predicates; p != NULL; p = p->next) {
		if (p->positional) /* it counts entries that the text would leave out */
			return;
	}
	step->wanted = make(scope, arena, step, wanted);
}
