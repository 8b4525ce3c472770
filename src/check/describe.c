/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a plan says of each constraint, for people; and the same as text, a line a constraint:
 *
 *     NODE KIND CLASS[: TRIGGER... REACH [by value] from ANCESTOR; ...]
 *
 * The class is that of the dearest way to the readers, and scan also where one evaluation goes through a list
 * ("reads a list"). A scan goes through all instances of the constraint's node below the ancestor for one
 * change: what an operator wants to know before the datastore is large.
 */
#include "check/when.h"

#include "base/buffer.h"

static const char *reach_name(enum check__reach reach)
{
	static const char *const names[] = {
		[CHECK__LOCAL] = "local",     [CHECK__LOOKUP] = "keyed", [CHECK__INDEX] = "indexed",
		[CHECK__FAN_OUT] = "fan-out", [CHECK__SCAN] = "scan",
	};
	return names[reach];
}

/* A value index that stands for the target's list, or for all tuples. */
static bool has_index(const struct check__constraint *constraint)
{
	for (size_t i = 0; i < constraint->member_count; i++) {
		if (constraint->members[i].targets || constraint->members[i].is_instance)
			return true;
	}
	return constraint->index != NULL;
}

static const char *class_name(const struct check__constraint *constraint)
{
	enum check__reach worst = CHECK__LOCAL;
	for (const struct check__readers *readers = constraint->readers; readers; readers = readers->next) {
		if (readers->reach > worst)
			worst = readers->reach;
	}
	if (constraint->kind == CHECK__MIN_ELEMENTS || constraint->kind == CHECK__MAX_ELEMENTS)
		return "counted";
	if (worst == CHECK__SCAN || constraint->many)
		return "scan";
	if (has_index(constraint))
		return "indexed";
	/* The index of a must or when is one of keys that it selects. */
	return worst == CHECK__INDEX && constraint->kind != CHECK__REFERENCE ? "keyed" : reach_name(worst);
}

static const char *kind_name(const struct check__constraint *constraint)
{
	bool is_instance = constraint->member_count == 1 && constraint->members[0].is_instance;
	return is_instance ? "instance-identifier" : check__kind_name(constraint->kind);
}

static void append(struct buffer *line, const char *text)
{
	/* The buffer has no limit. */
	(void)!buffer_append(line, bytes_of(text));
}

static void append_node(struct buffer *line, const struct schema_node *node)
{
	char path[1024];
	if (!node->parent) {
		append(line, "/");
		return;
	}
	schema_node_path(node, path, sizeof(path));
	append(line, path);
}

static void append_triggers(struct buffer *line, const struct check_explanation *explanation)
{
	const char *separator = ": ";
	const struct check_trigger *trigger = explanation->triggers;
	for (; trigger; trigger = trigger->next) {
		append(line, separator);
		separator = "; ";
		if (trigger->node_count == 0)
			append(line, "any node ");
		for (size_t i = 0; i < trigger->node_count; i++) {
			append_node(line, trigger->nodes[i]);
			append(line, " ");
		}
		append(line, trigger->reach);
		append(line, trigger->by_value ? " by value from " : " from ");
		append_node(line, trigger->ancestor);
	}
}

static void describe(struct buffer *line, const struct check_explanation *explanation)
{
	append_node(line, explanation->node);
	if (explanation->choice) {
		append(line, " choice ");
		append(line, explanation->choice);
	}
	append(line, " ");
	append(line, explanation->kind);
	append(line, " ");
	append(line, explanation->class);
	append_triggers(line, explanation);
	if (explanation->reads_list)
		append(line, "; reads a list");
}

/* ---- explanations ---- */

static const struct check_trigger *explain_readers(const struct check__constraint *constraint,
						   struct arena *arena)
{
	const struct check_trigger *first = NULL, **last = &first;
	for (const struct check__readers *readers = constraint->readers; readers; readers = readers->next) {
		struct check_trigger *trigger = arena_alloc(arena, sizeof(*trigger));
		*trigger = (struct check_trigger){
			.nodes = (const struct schema_node *const *)readers->nodes.items,
			.node_count = readers->nodes.length,
			.reach = reach_name(readers->reach),
			.by_value = readers->by_value,
			.ancestor = readers->ancestor,
		};
		*last = trigger;
		last = &trigger->next;
	}
	return first;
}

struct expressions {
	const char **texts;
	const struct xpath_expr **compiled;
	size_t count;
};

static void add_expression(struct expressions *all, const struct schema_xpath *xpath,
			   const struct xpath_expr *expr)
{
	if (!expr)
		return;
	all->texts[all->count] = xpath->expression;
	all->compiled[all->count++] = expr;
}

static void explain_expressions(const struct check__constraint *constraint, struct arena *arena,
				struct check_explanation *explanation)
{
	size_t most = constraint->member_count + constraint->when_count + 1;
	struct expressions all = {.texts = arena_alloc(arena, most * sizeof(*all.texts)),
				  .compiled = arena_alloc(arena, most * sizeof(*all.compiled))};
	add_expression(&all, constraint->xpath, constraint->expr);
	for (size_t i = 0; i < constraint->member_count; i++)
		add_expression(&all, constraint->members[i].path, constraint->members[i].expr);
	for (size_t i = 0; i < constraint->when_count; i++)
		add_expression(&all, constraint->whens[i].xpath, constraint->whens[i].expr);
	explanation->expressions = all.texts;
	explanation->compiled = all.compiled;
	explanation->expression_count = all.count;
}

void check_plan_each(const struct check_plan *plan,
		     void (*visit)(const struct check_explanation *explanation, void *arg), void *arg)
{
	struct arena *arena = arena_new();
	for (uint32_t i = 0; i < plan->constraints.length; i++) {
		const struct check__constraint *constraint = plan->constraints.items[i];
		struct check_explanation explanation = {
			.id = constraint->id,
			.node = constraint->child ? constraint->child : constraint->context,
			.choice = constraint->choice ? constraint->choice->name : NULL,
			.kind = kind_name(constraint),
			.class = class_name(constraint),
			.triggers = explain_readers(constraint, arena),
			.reads_list = constraint->many,
		};
		explain_expressions(constraint, arena, &explanation);
		visit(&explanation, arg);
		arena_reset(arena);
	}
	arena_free(arena);
}

struct lines {
	void (*line)(const char *text, void *arg);
	void *arg;
	struct buffer text;
};

static void add_line(const struct check_explanation *explanation, void *arg)
{
	struct lines *lines = arg;
	describe(&lines->text, explanation);
	(void)!buffer_append(&lines->text, (struct bytes){"", 1});
	lines->line(buffer_get(&lines->text).data, lines->arg);
	buffer_clear(&lines->text, SIZE_MAX);
}

void check_plan_describe(const struct check_plan *plan, void (*line)(const char *text, void *arg), void *arg)
{
	struct lines lines = {.line = line, .arg = arg};
	buffer_init(&lines.text, SIZE_MAX);
	check_plan_each(plan, add_line, &lines);
	buffer_fini(&lines.text);
}
