/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of `yare explain --summary`: constraints counted by kind and class. */
#include "tool/explain.h"

#include <string.h>

#include "base/vector.h"

static const char *const classes[] = {"local", "fan-out", "keyed", "counted", "indexed", "scan"};
enum { CLASS_COUNT = sizeof(classes) / sizeof(classes[0]), SCAN = CLASS_COUNT - 1 };

struct row {
	const char *kind;
	size_t counts[CLASS_COUNT];
};

static size_t class_index(const char *class)
{
	size_t index = 0;
	while (index < SCAN && strcmp(classes[index], class) != 0)
		index++;
	return index;
}

static struct row *row_of(struct vector *rows, const char *kind)
{
	for (size_t i = 0; i < rows->length; i++) {
		struct row *row = vector_at(rows, i);
		if (strcmp(row->kind, kind) == 0)
			return row;
	}
	struct row *row = vector_push(rows);
	row->kind = kind;
	return row;
}

static void count(const struct check_explanation *explanation, void *arg)
{
	row_of(arg, explanation->kind)->counts[class_index(explanation->class)]++;
}

static void add(struct row *sum, const struct row *row)
{
	for (size_t i = 0; i < CLASS_COUNT; i++)
		sum->counts[i] += row->counts[i];
}

static void put_row(struct buffer *out, const char *title, const struct row *row)
{
	size_t total = 0;
	for (size_t i = 0; i < CLASS_COUNT; i++)
		total += row->counts[i];
	(void)!buffer_printf(out, "| %s | %s | %zu |", title, row->kind, total);
	for (size_t i = 0; i < CLASS_COUNT; i++)
		(void)!buffer_printf(out, " %zu |", row->counts[i]);
	double share = total == 0 ? 100.0 : 100.0 * (double)(total - row->counts[SCAN]) / (double)total;
	(void)!buffer_printf(out, " %.1f |\n", share);
}

static bool is_expression(const char *kind)
{
	return strcmp(kind, "must") == 0 || strcmp(kind, "when") == 0 || strcmp(kind, "leafref") == 0;
}

void explain_summary(const struct check_plan *plan, const char *title, struct buffer *out)
{
	struct vector rows;
	vector_init(&rows, sizeof(struct row));
	check_plan_each(plan, count, &rows);
	struct row expressions = {.kind = "must, when, leafref"}, all = {.kind = "all"};
	(void)!buffer_printf(out, "| modules | kind | constraints |");
	for (size_t i = 0; i < CLASS_COUNT; i++)
		(void)!buffer_printf(out, " %s |", classes[i]);
	(void)!buffer_printf(out, " not scan, %% |\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|\n");
	for (size_t i = 0; i < rows.length; i++) {
		const struct row *row = vector_at(&rows, i);
		put_row(out, title, row);
		add(&all, row);
		if (is_expression(row->kind))
			add(&expressions, row);
	}
	put_row(out, title, &expressions);
	put_row(out, title, &all);
	vector_fini(&rows);
}
