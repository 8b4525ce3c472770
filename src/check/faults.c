/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The violations of a check, on the way to the caller's diagnostics. They are found in the order of the walk
 * and, after it, of the fans, but reported in document order: so each is kept as the constraint and a copy of
 * the position, and the list is sorted at the end. The caller takes a limited number; with
 * some thousand more the list is sorted and cut, so that a million violations cost no more memory than that.
 *
 * What is missing, or counted, stands where it would stand in the document: among the children of the parent,
 * by schema order, before instances of the same node. Tags and paths are those of RFC 7950 section 15.
 */
#include "check/run.h"

#include <stdlib.h>

#define YANG_NS "urn:ietf:params:xml:ns:yang:1"
#define SPARE 4096 /* faults kept beyond those wanted, before the list is cut */

struct fault {
	const struct check__constraint *constraint;
	/* Of the context instance, in the arena; of a `when`, that of the node it governs. */
	const struct tree_position *position;
	const struct tree_position *other; /* unique: of the first entry that has the values; else NULL */
	const struct schema_xpath *broken; /* when: the one that is false; else NULL */
};

void check__faults_init(struct check__faults *faults, size_t keep)
{
	*faults = (struct check__faults){.keep = keep};
	vector_init(&faults->items, sizeof(struct fault));
}

void check__faults_fini(struct check__faults *faults)
{
	vector_fini(&faults->items);
	arena_free(faults->arena);
}

bool check__faults_any(const struct check__faults *faults)
{
	return faults->items.length > 0 || faults->dropped > 0;
}

/* The child that the fault is about; NULL: the context instance itself. */
static const struct schema_node *child_of(const struct fault *fault)
{
	const struct check__constraint *constraint = fault->constraint;
	if (constraint->kind == CHECK__WHEN)
		return NULL;
	if (!constraint->choice)
		return constraint->child;
	const struct schema_choice *choice = constraint->choice;
	for (size_t i = 0; i < choice->case_count; i++) {
		if (choice->cases[i].slot_count > 0)
			return choice->parent->children[choice->cases[i].slots[0]];
	}
	return NULL;
}

static size_t depth_of(const struct tree_position *position)
{
	return position->schema->depth;
}

/* The ancestor-or-self of the position that is a child of an instance at `depth`. */
static const struct tree_position *child_at(const struct tree_position *position, size_t depth)
{
	while (depth_of(position) > depth + 1)
		position = position->parent;
	return position;
}

/* <0 where a missing child of `parent` is before `position`, a descendant of parent. */
static int compare_child(const struct tree_position *parent, const struct schema_node *child,
			 const struct tree_position *position)
{
	return child->slot <= child_at(position, depth_of(parent))->schema->slot ? -1 : 1;
}

static bool is_below(const struct tree_position *position, const struct tree_position *above)
{
	if (depth_of(position) <= depth_of(above))
		return false;
	return tree_position_same(child_at(position, depth_of(above))->parent, above);
}

static int compare_same_position(const struct fault *a, const struct fault *b)
{
	const struct schema_node *x = child_of(a), *y = child_of(b);
	int order = (x ? x->slot + 1 : 0) - (y ? y->slot + 1 : 0);
	if (order != 0)
		return order;
	return a->constraint->id < b->constraint->id ? -1 : a->constraint->id > b->constraint->id;
}

static int compare_faults(const void *left, const void *right)
{
	const struct fault *a = left, *b = right;
	const struct schema_node *x = child_of(a), *y = child_of(b);
	if (x && is_below(b->position, a->position))
		return compare_child(a->position, x, b->position);
	if (y && is_below(a->position, b->position))
		return -compare_child(b->position, y, a->position);
	int order = tree_position_compare(a->position, b->position);
	return order != 0 ? order : compare_same_position(a, b);
}

static void sort(struct check__faults *faults)
{
	if (faults->items.length > 1)
		qsort(faults->items.data, faults->items.length, sizeof(struct fault), compare_faults);
}

/* Keeps the first ones only. */
static void cut(struct check__faults *faults)
{
	sort(faults);
	struct arena *arena = arena_new();
	while (faults->items.length > faults->keep) {
		vector_pop(&faults->items);
		faults->dropped++;
	}
	for (size_t i = 0; i < faults->items.length; i++) {
		struct fault *fault = vector_at(&faults->items, i);
		fault->position = tree_position_dup(fault->position, arena);
		fault->other = fault->other ? tree_position_dup(fault->other, arena) : NULL;
	}
	arena_free(faults->arena);
	faults->arena = arena;
}

static void add(struct check__faults *faults, const struct fault *added)
{
	if (faults->keep == 0) {
		faults->dropped++;
		return;
	}
	if (!faults->arena)
		faults->arena = arena_new();
	struct fault *fault = vector_push(&faults->items);
	*fault = *added;
	fault->position = tree_position_dup(fault->position, faults->arena);
	fault->other = fault->other ? tree_position_dup(fault->other, faults->arena) : NULL;
	if (faults->items.length >= SPARE && faults->items.length - SPARE >= faults->keep)
		cut(faults);
}

void check__faults_add(struct check__faults *faults, const struct check__constraint *constraint,
		       const struct tree_position *position, const struct tree_position *other)
{
	add(faults, &(struct fault){.constraint = constraint, .position = position, .other = other});
}

void check__faults_add_when(struct check__faults *faults, const struct check__constraint *when,
			    const struct tree_position *position, const struct schema_xpath *broken)
{
	add(faults, &(struct fault){.constraint = when, .position = position, .broken = broken});
}

void check__faults_take(struct check__faults *faults, struct check__faults *others)
{
	for (size_t i = 0; i < others->items.length; i++)
		add(faults, vector_at(&others->items, i));
	faults->dropped += others->dropped;
	vector_clear(&others->items);
	others->dropped = 0;
}

/* RFC 7950 8.3.2 */
static void report_when(const struct fault *fault, struct diag_list *diags)
{
	struct diag *diag = diag_add(diags, DIAG_APPLICATION, DIAG_UNKNOWN_ELEMENT,
				     "When condition \"%s\" not satisfied.", fault->broken->expression);
	tree_position_set_diag(fault->position, diags, diag);
	diag_add_info(diags, diag, "bad-element", fault->position->schema->name);
}

static void report_must(const struct fault *fault, struct diag_list *diags)
{
	const struct schema_xpath *must = fault->constraint->xpath;
	struct diag *diag = NULL;
	if (must->error_message)
		diag = diag_add(diags, DIAG_APPLICATION, DIAG_OPERATION_FAILED, "%s", must->error_message);
	else
		diag = diag_add(diags, DIAG_APPLICATION, DIAG_OPERATION_FAILED,
				"Must condition \"%s\" not satisfied.", must->expression);
	diag_set_app_tag(diags, diag, must->error_app_tag ? must->error_app_tag : "must-violation");
	tree_position_set_diag(fault->position, diags, diag);
}

static void report_reference(const struct fault *fault, struct diag_list *diags)
{
	const struct check__constraint *constraint = fault->constraint;
	struct bytes text = value_bytes(&fault->position->value);
	struct diag *diag = NULL;
	if (constraint->member_count == 1 && constraint->members[0].is_instance)
		diag = diag_add(diags, DIAG_APPLICATION, DIAG_DATA_MISSING,
				"Invalid instance-identifier \"%.*s\" value - required instance not found.",
				(int)text.size, text.data);
	else if (constraint->member_count == 1)
		diag = diag_add(
			diags, DIAG_APPLICATION, DIAG_DATA_MISSING,
			"Invalid leafref value \"%.*s\" - no target instance \"%s\" with the same value.",
			(int)text.size, text.data, constraint->members[0].path->expression);
	else
		diag = diag_add(diags, DIAG_APPLICATION, DIAG_DATA_MISSING,
				"Invalid value \"%.*s\" - no member of the union accepts it.", (int)text.size,
				text.data);
	diag_set_app_tag(diags, diag, "instance-required");
	tree_position_set_diag(fault->position, diags, diag);
}

/* The paths of the leafs, below the list, with blanks between. */
static const char *unique_names(const struct schema_unique *unique, const struct schema_node *list,
				struct arena *arena)
{
	const char *names = "";
	for (size_t i = 0; i < unique->leaf_count; i++) {
		const char *name = unique->leafs[i]->name;
		for (const struct schema_node *node = unique->leafs[i]->parent; node != list;
		     node = node->parent)
			name = arena_printf(arena, "%s/%s", node->name, name);
		names = arena_printf(arena, "%s%s%s", names, i > 0 ? " " : "", name);
	}
	return names;
}

/* RFC 7950 15.1: non-unique, once for each leaf, stored or not. */
static void add_non_unique(const struct tree_position *entry, const struct schema_node *leaf,
			   struct diag_list *diags, struct diag *diag)
{
	const struct schema_node *nodes[UINT8_MAX];
	struct tree_position way[UINT8_MAX];
	size_t length = 0;
	for (const struct schema_node *node = leaf; node != entry->schema && length < UINT8_MAX;
	     node = node->parent)
		nodes[length++] = node;
	const struct tree_position *position = entry;
	for (size_t i = 0; i < length; i++) {
		way[i] = (struct tree_position){.parent = position, .schema = nodes[length - 1 - i]};
		position = &way[i];
	}
	diag_add_info(diags, diag, "non-unique", tree_position_path(position, diags->arena));
	diag->last_info->ns = YANG_NS;
	diag->last_info->is_path = true;
	for (size_t i = 0; i < length; i++)
		diag_add_prefix(diags, diag, nodes[i]->module->name, nodes[i]->module->ns);
}

static void report_unique(const struct fault *fault, struct diag_list *diags)
{
	const struct schema_unique *unique = fault->constraint->unique;
	struct arena *arena = diags->arena;
	struct diag *diag =
		diag_add(diags, DIAG_APPLICATION, DIAG_OPERATION_FAILED,
			 "Unique data leaf(s) \"%s\" not satisfied in \"%s\" and \"%s\".",
			 unique_names(unique, fault->constraint->context, arena),
			 tree_position_path(fault->other, arena), tree_position_path(fault->position, arena));
	diag_set_app_tag(diags, diag, unique->error_app_tag ? unique->error_app_tag : "data-not-unique");
	tree_position_set_diag(fault->position, diags, diag);
	for (size_t i = 0; i < unique->leaf_count; i++)
		add_non_unique(fault->other, unique->leafs[i], diags, diag);
	for (size_t i = 0; i < unique->leaf_count; i++)
		add_non_unique(fault->position, unique->leafs[i], diags, diag);
}

static void report_count(const struct fault *fault, struct diag_list *diags, bool few)
{
	const struct schema_node *child = fault->constraint->child;
	struct diag *diag = diag_add(diags, DIAG_APPLICATION, DIAG_OPERATION_FAILED,
				     "Too %s \"%s\" instances.", few ? "few" : "many", child->name);
	diag_set_app_tag(diags, diag, few ? "too-few-elements" : "too-many-elements");
	tree_position_set_diag_child(fault->position, child, diags, diag);
}

/* Of an operation it is a parameter (RFC 6241 Appendix A; RFC 7950 7.14.2). */
static void report_missing_input(const struct fault *fault, struct diag_list *diags)
{
	const struct schema_node *child = fault->constraint->child;
	struct diag *diag = diag_add(diags, DIAG_APPLICATION, DIAG_MISSING_ELEMENT,
				     "The parameter \"%s\" is missing.", child->name);
	tree_position_set_diag_child(fault->position, child, diags, diag);
	diag_add_info(diags, diag, "bad-element", child->name);
}

static void report_missing(const struct fault *fault, struct diag_list *diags)
{
	const struct schema_node *child = fault->constraint->child;
	if (fault->constraint->is_of_operation) {
		report_missing_input(fault, diags);
		return;
	}
	struct diag *diag = diag_add(diags, DIAG_APPLICATION, DIAG_DATA_MISSING,
				     "Mandatory node \"%s\" instance does not exist.", child->name);
	tree_position_set_diag_child(fault->position, child, diags, diag);
}

static void report_choice(const struct fault *fault, struct diag_list *diags)
{
	const char *name = fault->constraint->choice->name;
	struct diag *diag = diag_add(diags, DIAG_APPLICATION, DIAG_DATA_MISSING,
				     "Mandatory choice \"%s\" data do not exist.", name);
	diag_set_app_tag(diags, diag, "missing-choice");
	tree_position_set_diag(fault->position, diags, diag);
	diag_add_info(diags, diag, "missing-choice", name);
	diag->last_info->ns = YANG_NS;
}

void check__faults_report(struct check__faults *faults, struct diag_list *diags)
{
	sort(faults);
	for (size_t i = 0; i < faults->items.length; i++) {
		const struct fault *fault = vector_at(&faults->items, i);
		switch (fault->constraint->kind) {
		case CHECK__MUST:
			report_must(fault, diags);
			break;
		case CHECK__REFERENCE:
			report_reference(fault, diags);
			break;
		case CHECK__UNIQUE:
			report_unique(fault, diags);
			break;
		case CHECK__MIN_ELEMENTS:
		case CHECK__MAX_ELEMENTS:
			report_count(fault, diags, fault->constraint->kind == CHECK__MIN_ELEMENTS);
			break;
		case CHECK__MANDATORY:
			report_missing(fault, diags);
			break;
		case CHECK__MANDATORY_CHOICE:
			report_choice(fault, diags);
			break;
		case CHECK__WHEN:
			report_when(fault, diags);
			break;
		}
	}
	diags->dropped += faults->dropped;
}
