/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of `yare explain --counters`:
 *
 *     evaluated   time/us  us each  class    constraint
 *          1000      2510     2.51  keyed    /perf-test:local-leafref-members must
 *                                            ../name = ...
 *
 * What the server says is trusted to be its model's: a leaf that is missing counts as empty or zero.
 */
#include "tool/explain_counters.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"

#define BASE_NS "urn:ietf:params:xml:ns:netconf:base:1.0"
#define NS "urn:yare:constraints"

struct row {
	const struct element *element;
	uint64_t evaluated, time_ns;
};

static const char *leaf(const struct element *parent, const char *name, struct arena *arena)
{
	const struct element *child = element_find(parent, NS, name, NULL);
	return child != NULL ? arena_strdup(arena, element_text_trimmed(child)) : "";
}

static uint64_t number(const struct element *parent, const char *name, struct arena *arena)
{
	return strtoull(leaf(parent, name, arena), NULL, 10);
}

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? 1 : -1;
	if (x->evaluated != y->evaluated)
		return x->evaluated < y->evaluated ? 1 : -1;
	return 0;
}

static void put_expressions(const struct element *constraint, struct arena *arena, struct buffer *out)
{
	struct element *expression = NULL;
	while ((expression = element_find(constraint, NS, "expression", expression)) != NULL) {
		const char *text = arena_strdup(arena, element_text_trimmed(expression));
		(void)!buffer_printf(out, "%41s", "");
		/* On one line: modules break long ones. */
		for (bool blank = false; *text != '\0'; text++) {
			bool is_blank = *text == ' ' || *text == '\n' || *text == '\t' || *text == '\r';
			if (!is_blank || !blank)
				(void)!buffer_append(out, (struct bytes){is_blank ? " " : text, 1});
			blank = is_blank;
		}
		(void)!buffer_append(out, bytes_of("\n"));
	}
}

static void put_row(const struct row *row, bool timed, struct arena *arena, struct buffer *out)
{
	const struct element *element = row->element;
	const char *choice = leaf(element, "choice", arena);
	(void)!buffer_printf(out, "%10" PRIu64, row->evaluated);
	if (timed)
		(void)!buffer_printf(out, " %10.0f %8.2f", (double)row->time_ns / 1e3,
				     (double)row->time_ns / 1e3 / (double)row->evaluated);
	else
		(void)!buffer_printf(out, " %10s %8s", "-", "-");
	(void)!buffer_printf(out, "  %-8s %s%s%s %s\n", leaf(element, "class", arena),
			     leaf(element, "node", arena), *choice != '\0' ? " choice " : "", choice,
			     leaf(element, "kind", arena));
	put_expressions(element, arena, out);
}

/* NULL: not there. */
static const struct element *find_constraints(const struct element *reply)
{
	const struct element *data = element_find(reply, BASE_NS, "data", NULL);
	return data != NULL ? element_find(data, NS, "constraints", NULL) : NULL;
}

enum status explain_counters(const struct element *reply, const char *only_class, struct arena *arena,
			     struct buffer *out)
{
	const struct element *constraints = find_constraints(reply);
	if (constraints == NULL)
		return ST_REJECTED;
	struct vector rows;
	vector_init(&rows, sizeof(struct row));
	struct element *constraint = NULL;
	while ((constraint = element_find(constraints, NS, "constraint", constraint)) != NULL) {
		if (only_class != NULL && strcmp(leaf(constraint, "class", arena), only_class) != 0)
			continue;
		struct row row = {constraint, number(constraint, "evaluated", arena),
				  number(constraint, "time", arena)};
		if (row.evaluated > 0)
			*(struct row *)vector_push(&rows) = row;
	}
	if (rows.length > 0)
		qsort(vector_at(&rows, 0), rows.length, sizeof(struct row), compare_rows);
	(void)!buffer_printf(out, "%10s %10s %8s  %-8s %s\n", "evaluated", "time/us", "us each", "class",
			     "constraint");
	bool timed = strcmp(leaf(constraints, "timed", arena), "true") == 0;
	for (size_t i = 0; i < rows.length; i++)
		put_row(vector_at(&rows, i), timed, arena, out);
	vector_fini(&rows);
	return ST_OK;
}
