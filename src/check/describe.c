/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A plan as text, a line a constraint:
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
	/* A must's index is one of keys that it selects. */
	return worst == CHECK__INDEX && constraint->kind == CHECK__MUST ? "keyed" : reach_name(worst);
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

static void append_readers(struct buffer *line, const struct check__constraint *constraint)
{
	const char *separator = ": ";
	for (const struct check__readers *readers = constraint->readers; readers; readers = readers->next) {
		append(line, separator);
		separator = "; ";
		if (readers->nodes.length == 0)
			append(line, "any node ");
		for (uint32_t i = 0; i < readers->nodes.length; i++) {
			append_node(line, readers->nodes.items[i]);
			append(line, " ");
		}
		append(line, reach_name(readers->reach));
		append(line, readers->by_value ? " by value from " : " from ");
		append_node(line, readers->ancestor);
	}
}

static void describe(struct buffer *line, const struct check__constraint *constraint)
{
	if (constraint->child) {
		append_node(line, constraint->child);
	} else {
		append_node(line, constraint->context);
		if (constraint->choice) {
			append(line, " choice ");
			append(line, constraint->choice->name);
		}
	}
	append(line, " ");
	append(line, kind_name(constraint));
	append(line, " ");
	append(line, class_name(constraint));
	append_readers(line, constraint);
	if (constraint->many)
		append(line, "; reads a list");
}

void check_plan_describe(const struct check_plan *plan, void (*line)(const char *text, void *arg), void *arg)
{
	struct buffer text;
	buffer_init(&text, SIZE_MAX);
	for (uint32_t i = 0; i < plan->constraints.length; i++) {
		/* All ways to the readers of a `when` are in the other plan. */
		const struct check__constraint *constraint = plan->constraints.items[i];
		if (constraint->kind == CHECK__WHEN && plan->settle)
			constraint = check__settle_constraint(plan, constraint);
		describe(&text, constraint);
		(void)!buffer_append(&text, (struct bytes){"", 1});
		line(buffer_get(&text).data, arg);
		buffer_clear(&text, SIZE_MAX);
	}
	buffer_fini(&text);
}
