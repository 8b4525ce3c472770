/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Evaluating one constraint on one instance of the new tree. A violation is put down as a fault; reaching a
 * limit stops the check with a refusal that names the constraint, so that no tree ever passes for being too
 * large to check.
 */
#include "check/index.h"
#include "check/split.h"

#include "schema/type.h"

static const char *statement_of(const struct check__constraint *constraint)
{
	if (constraint->kind == CHECK__MUST)
		return constraint->xpath->expression;
	if (constraint->kind == CHECK__WHEN)
		return constraint->whens[0].xpath->expression;
	for (size_t i = 0; i < constraint->member_count; i++) {
		if (constraint->members[i].path)
			return constraint->members[i].path->expression;
	}
	return "";
}

void check__refuse_limit(struct check__run *run, const struct check__constraint *constraint,
			 const struct tree_position *position)
{
	if (run->status != ST_OK)
		return;
	run->status = ST_LIMIT;
	if (run->split && check__split_refuse(run, constraint, position))
		return;
	char node[1024];
	bool is_child = constraint->kind == CHECK__WHEN &&
			constraint->child; /* a when is the node's that it governs */
	schema_node_path(is_child ? constraint->child : constraint->context, node, sizeof(node));
	const char *why = run->limits.stop == XPATH_INTERRUPTED ? "was ended with the session"
								: "takes more work than the limit allows";
	struct diag *diag =
		diag_add(run->diags, DIAG_APPLICATION, DIAG_RESOURCE_DENIED, "Checking %s \"%s\" of %s %s.",
			 check__kind_name(constraint->kind), statement_of(constraint), node, why);
	if (position)
		tree_position_set_diag(position, run->diags, diag);
}

bool check__tick(struct check__run *run, const struct check__constraint *constraint,
		 const struct tree_position *position)
{
	if (run->limits.steps == 0) {
		check__refuse_limit(run, constraint, position);
		return false;
	}
	run->limits.steps--;
	return true;
}

static struct xpath_env make_env(struct check__run *run)
{
	return (struct xpath_env){.schema = run->schema,
				  .root = run->new_root,
				  .arena = run->scratch,
				  .limits = &run->limits,
				  .operation = run->operation,
				  .view = TREE_WITH_DEFAULTS,
				  .implicit = &run->new_view.implicit};
}

static enum status judge_must(struct check__run *run, const struct check__constraint *constraint,
			      const struct tree_position *position, bool *holds)
{
	struct xpath_env env = make_env(run);
	run->counters.musts++;
	return xpath_eval_boolean(constraint->expr, &env, position, holds);
}

/* Whether the type of a union's member accepts the text, references aside. */
static bool member_accepts(struct check__run *run, const struct schema_type *type,
			   const struct tree_position *position)
{
	struct schema_prefixes_canonical prefixes =
		schema_prefixes_canonical(run->schema, position->schema->module);
	struct schema_type_error error;
	struct value value;
	if (schema_type_parse(run->schema, type, value_bytes(&position->value), &prefixes.base, run->scratch,
			      &value, &error) != ST_OK)
		return false;
	value_unref(value);
	return true;
}

/* Whether the index of the target's values has the text where the path leads to from here. */
static bool target_exists(struct check__run *run, const struct check__member *member,
			  const struct tree_position *position)
{
	const struct check__index *index = member->targets;
	const struct tree_position *above = position;
	while (above->schema != member->parsed.ancestor)
		above = above->parent;
	size_t prefix = index->leaf_count;
	run->columns[0] = position->value;
	prefix += check__keys_of(above, run->columns + prefix);
	for (size_t i = 0; i < member->bound_count; i++) {
		if (!check__related_value(run, position, member->sources[i], &run->columns[prefix++]))
			return false;
	}
	struct check__range range;
	check__range_init(&range, run->plan, index, run->new_index, run->columns, prefix);
	return check__range_next(&range) != NULL;
}

/* What is stored of a container that is found from the position by going down; NULL: nothing. */
static const struct tree_record *record_below(const struct tree_position *above,
					      const struct schema_node *container)
{
	if (container == above->schema)
		return above->record;
	const struct tree_record *parent = record_below(above, container->parent);
	const union tree_slot *slot = parent ? tree_record_find(parent, container) : NULL;
	return slot ? slot->record : NULL;
}

/* Whether the list that the path leads to has an entry with that key. The value may be of another type than
 * the key, in a union: so what is found is compared. */
static bool entry_exists(const struct check__member *member, const struct tree_position *position)
{
	const struct schema_node *list = member->keyed;
	const struct tree_position *above = position;
	while (above->schema != member->parsed.ancestor)
		above = above->parent;
	const struct tree_record *record = record_below(above, list->parent);
	const union tree_slot *slot = record ? tree_record_find(record, list) : NULL;
	const union tree_item *item = slot ? tree_map_find(slot->map, list, &position->value) : NULL;
	return item && value_equal(item->record->slots[0].value, position->value);
}

/* One step of work, as it is where the path is evaluated. */
static enum status judge_keyed(struct check__run *run, const struct check__constraint *constraint,
			       const struct check__member *member, const struct tree_position *position,
			       bool *accepts)
{
	if (!check__tick(run, constraint, position))
		return ST_LIMIT;
	*accepts = entry_exists(member, position);
	return ST_OK;
}

static enum status judge_member(struct check__run *run, const struct check__constraint *constraint,
				const struct check__member *member, const struct tree_position *position,
				bool *accepts)
{
	if (member->keyed)
		return judge_keyed(run, constraint, member, position, accepts);
	struct xpath_env env = make_env(run);
	struct bytes text = value_bytes(&position->value);
	if (member->is_instance)
		*accepts = check__instance_exists(run, text);
	else if (member->targets)
		*accepts = target_exists(run, member, position);
	else if (member->expr)
		return xpath_eval_exists(member->expr, &env, position, text, accepts);
	else
		*accepts = member_accepts(run, member->type, position);
	return ST_OK;
}

/* Valid if any member accepts the value; one that is a reference does if the target exists (RFC
 * 7950 9.9, 9.12, 9.13). */
static enum status judge_reference(struct check__run *run, const struct check__constraint *constraint,
				   const struct tree_position *position, bool *holds)
{
	bool accepts = false;
	enum status status = ST_OK;
	run->counters.leafrefs++;
	for (size_t i = 0; i < constraint->member_count && !accepts && status == ST_OK; i++)
		status = judge_member(run, constraint, &constraint->members[i], position, &accepts);
	*holds = accepts;
	return status;
}

/* Two entries with the same values violate the constraint at all of them but the first, and are so judged
 * once, whichever of them led here. */
static void add_same(struct check__run *run, const struct check__constraint *constraint,
		     struct check__range *range, const struct tree_record *first)
{
	struct tree_position root = tree_position_root(run->schema, run->new_root);
	const struct tree_position *other =
		check__index_anchor(run, constraint->index, first, &root, run->old_way);
	if (!check__done_add(run, constraint, other))
		return;
	const struct tree_record *tuple;
	size_t violated = 0;
	while (violated++ <= run->faults.keep && (tuple = check__range_next(range))) {
		const struct tree_position *entry =
			check__index_anchor(run, constraint->index, tuple, &root, run->new_way);
		check__faults_add(&run->faults, constraint, entry, other);
	}
}

static void judge_unique(struct check__run *run, const struct check__constraint *constraint,
			 const struct tree_position *entry)
{
	const struct check__index *index = constraint->index;
	run->counters.uniques++;
	if (run->distinct[index->id])
		return;
	if (!check__index_tuple(run, index, entry, run->columns))
		return; /* RFC 7950 7.8.3: only where all leafs exist */
	size_t own_keys = constraint->context->key_count;
	struct check__range range;
	check__range_init(&range, run->plan, index, run->new_index, run->columns,
			  (size_t)index->leaf_count + index->key_count - own_keys);
	const struct tree_record *first = check__range_next(&range);
	if (range.item)
		add_same(run, constraint, &range, first);
}

static bool choice_is_set(const struct tree_position *parent, const struct schema_choice *choice)
{
	if (!parent->record)
		return false;
	for (size_t i = 0; i < choice->case_count; i++) {
		const struct schema_case *c = &choice->cases[i];
		for (size_t j = 0; j < c->slot_count; j++) {
			if (tree_record_find(parent->record, parent->schema->children[c->slots[j]]))
				return true;
		}
	}
	return false;
}

static bool structure_holds(struct check__run *run, const struct check__constraint *constraint,
			    const struct tree_position *parent)
{
	const struct schema_node *child = constraint->child;
	if (constraint->in_case && !tree_case_in_use(parent, constraint->in_case))
		return true;
	switch (constraint->kind) {
	case CHECK__MIN_ELEMENTS:
		run->counters.counts++;
		return tree_position_count(parent, child) >= child->min_elements;
	case CHECK__MAX_ELEMENTS:
		run->counters.counts++;
		return tree_position_count(parent, child) <= child->max_elements;
	case CHECK__MANDATORY:
		run->counters.mandatories++;
		return parent->record && tree_record_find(parent->record, child);
	case CHECK__MANDATORY_CHOICE:
		run->counters.mandatories++;
		return choice_is_set(parent, constraint->choice);
	case CHECK__UNIQUE: /* adds its faults itself */
		judge_unique(run, constraint, parent);
		return true;
	case CHECK__MUST:
	case CHECK__REFERENCE:
	case CHECK__WHEN:
		break;
	}
	return true;
}

/* What is missing is not missed while a `when` forbids it. */
static enum status judge_structural(struct check__run *run, const struct check__constraint *constraint,
				    const struct tree_position *parent, bool *holds)
{
	*holds = structure_holds(run, constraint, parent);
	if (*holds || !constraint->when)
		return ST_OK;
	bool is_due = true;
	enum status status = check__view_judge(&run->new_view, constraint->when, parent, &is_due, NULL);
	*holds = !is_due;
	return status;
}

/* Nothing is wrong by itself where a `when` is false: what it governs is to be seen to. */
static void judge_when(struct check__run *run, const struct check__constraint *when,
		       const struct tree_position *parent)
{
	if (run->settler)
		check__settle_judge(run, when, parent);
	else
		check__flip_add(run, when, parent);
}

static enum status evaluate(struct check__run *run, const struct check__constraint *constraint,
			    const struct tree_position *position, bool *holds)
{
	uint64_t began_ns = check__tally_begin(run->tally);
	enum status status;
	if (constraint->kind == CHECK__MUST)
		status = judge_must(run, constraint, position, holds);
	else if (constraint->kind == CHECK__REFERENCE)
		status = judge_reference(run, constraint, position, holds);
	else
		status = judge_structural(run, constraint, position, holds);
	check__tally_end(run->tally, constraint->tally_id, began_ns);
	return status;
}

bool check__judge(struct check__run *run, const struct check__constraint *constraint,
		  const struct tree_position *position)
{
	bool holds = true;
	enum status status = ST_OK;
	if (constraint->kind == CHECK__WHEN) /* counted where the view evaluates it */
		judge_when(run, constraint, position);
	else
		status = evaluate(run, constraint, position, &holds);
	if (status != ST_OK)
		check__refuse_limit(run, constraint, position);
	else if (!holds)
		check__faults_add(&run->faults, constraint, position, NULL);
	if (arena_size(run->scratch) > 0)
		arena_reset(run->scratch);
	return holds;
}
