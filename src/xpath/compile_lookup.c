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

/* The key that a relative path of one child step names; SIZE_MAX: none. */
static size_t key_of_step(const struct xpath_step *step, const struct schema_node *list)
{
	if (step == NULL || step->axis != AXIS_CHILD || step->test != TEST_NAME || step->predicates != NULL ||
	    step->next != NULL)
		return SIZE_MAX;
	for (size_t i = 0; i < list->key_count; i++) {
		const struct schema_node *key = list->children[i];
		if (bytes_equal(key->name_bytes, step->name) &&
		    (step->module == NULL || step->module == key->module))
			return i;
	}
	return SIZE_MAX;
}

static bool is_dot(const struct xpath_step *step)
{
	return step != NULL && step->axis == AXIS_SELF && step->test == TEST_NODE && step->predicates == NULL;
}

static size_t key_of_path(const struct xpath_node *node, const struct schema_node *list)
{
	if (node->op != XPATH_PATH || node->path.absolute || node->operands != NULL)
		return SIZE_MAX;
	const struct xpath_step *step = node->path.steps;
	while (is_dot(step))
		step = step->next;
	return key_of_step(step, list);
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
	size_t index = key_of_path(path, maker->list);
	if (index == SIZE_MAX || maker->given[index] || !is_usable(value, &maker->keys[index]))
		return false;
	struct xpath_key *key = &maker->keys[index];
	enum schema_base base = schema_type_base(schema_type_real(key->leaf->type));
	if (value->op == XPATH_LITERAL && base == BASE_UNION)
		return false; /* it might name an identity or not */
	if (value->op == XPATH_LITERAL && base == BASE_IDENTITYREF)
		key->canonical = xpath__identity_literal(maker->scope, value->literal, maker->arena);
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

void xpath__lookup_make(const struct xpath_scope *scope, struct arena *arena, struct xpath_step *step)
{
	const struct schema_node *list = step->target;
	if (step->axis != AXIS_CHILD || list->kind != SCHEMA_LIST || list->key_count == 0 ||
	    (step->predicates != NULL && !step->streamed_numbers))
		return;
	if (step->predicates != NULL)
		step->lookup = make(scope, arena, step, SIZE_MAX);
	size_t wanted = key_of_step(step->next, list);
	if (step->lookup != NULL || wanted == SIZE_MAX)
		return;
	for (const struct xpath_predicate *p = step->predicates; p != NULL; p = p->next) {
		if (p->positional) /* it counts entries that the text would leave out */
			return;
	}
	step->wanted = make(scope, arena, step, wanted);
}
