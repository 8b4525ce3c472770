/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of a change. report.c writes one row a line, with its members in one order, and this file reads
 * just that: it is no JSON parser, and a file that another program has written anew is refused.
 *
 * Most figures are better when smaller; a rate is not. Counts and sizes (units "" and "MB") say what was done
 * rather than how well, so they are not judged, nor are maxima and p99.9: one pause of the machine makes
 * them.
 */
#include "compare.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/vector.h"
#include "say.h"

#define LINE_SIZE ((size_t)64 * 1024)
#define NAME_SIZE 96

struct compared_row {
	char scenario[NAME_SIZE], metric[NAME_SIZE], unit[16];
	uint64_t n;
	double value, ratio; /* ratio 0: no floor */
};

/* The member's text or number behind `"name": `; false where it is not there. */
static bool read_text(const char *line, const char *name, char *text, size_t size)
{
	char key[32];
	snprintf(key, sizeof(key), "\"%s\": \"", name);
	const char *begin = strstr(line, key);
	if (begin == NULL)
		return false;
	begin += strlen(key);
	size_t length = strcspn(begin, "\"");
	if (length >= size || begin[length] != '"')
		return false;
	memcpy(text, begin, length);
	text[length] = '\0';
	return true;
}

static bool read_number(const char *line, const char *name, double *number)
{
	char key[32];
	snprintf(key, sizeof(key), "\"%s\": ", name);
	const char *begin = strstr(line, key);
	return begin != NULL && sscanf(begin + strlen(key), "%lf", number) == 1;
}

static bool read_row(const char *line, struct compared_row *row)
{
	double n;
	if (!read_text(line, "scenario", row->scenario, sizeof(row->scenario)) ||
	    !read_text(line, "metric", row->metric, sizeof(row->metric)) ||
	    !read_text(line, "unit", row->unit, sizeof(row->unit)) || !read_number(line, "n", &n) ||
	    !read_number(line, "value", &row->value))
		return false;
	row->n = (uint64_t)n;
	if (!read_number(line, "ratio", &row->ratio))
		row->ratio = 0;
	return true;
}

static enum status read_file(const char *path, struct vector *rows)
{
	FILE *file = fopen(path, "re");
	if (file == NULL)
		return say_failed("cannot read %s", path);
	char line[LINE_SIZE];
	bool is_ours = false;
	while (fgets(line, sizeof(line), file) != NULL) {
		struct compared_row row;
		is_ours = is_ours || strcmp(line, "  \"format\": 1,\n") == 0;
		if (read_row(line, &row))
			*(struct compared_row *)vector_push(rows) = row;
	}
	fclose(file);
	return is_ours ? ST_OK : say_failed("%s is not a result of yare-bench", path);
}

static const struct compared_row *find(const struct vector *rows, const struct compared_row *like)
{
	for (size_t i = 0; i < rows->length; i++) {
		const struct compared_row *row = vector_at(rows, i);
		if (row->n == like->n && strcmp(row->scenario, like->scenario) == 0 &&
		    strcmp(row->metric, like->metric) == 0)
			return row;
	}
	return NULL;
}

static bool ends_with(const char *text, const char *end)
{
	size_t size = strlen(text), end_size = strlen(end);
	return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

static bool is_judged(const struct compared_row *row)
{
	if (row->unit[0] == '\0' || strcmp(row->unit, "MB") == 0)
		return false;
	if (strncmp(row->metric, "floor ", 6) == 0 || strncmp(row->metric, "ssh-echo", 8) == 0)
		return false;
	return !ends_with(row->metric, "max") && !ends_with(row->metric, "p99.9") &&
	       strncmp(row->metric, "max ", 4) != 0 && strcmp(row->metric, "sync") != 0;
}

/* By how many % b is worse than a; below 0: better. */
static double worsening(const struct compared_row *row, double a, double b)
{
	double change = (b - a) / a * 100;
	return ends_with(row->unit, "/s") ? -change : change;
}

static void compare_row(FILE *out, const struct compared_row *a, const struct compared_row *b, double noise,
			struct compare_outcome *outcome)
{
	bool by_ratio = a->ratio > 0 && b->ratio > 0;
	double before = by_ratio ? a->ratio : a->value, after = by_ratio ? b->ratio : b->value;
	if (before <= 0)
		return;
	double worse = worsening(a, before, after);
	outcome->compared++;
	outcome->worse += worse > noise;
	fprintf(out, "%-24s %8" PRIu64 "  %-34s %12.5g %12.5g %-8s %+7.1f %%%s\n", a->scenario, a->n,
		a->metric, before, after, by_ratio ? "x floor" : a->unit, (after - before) / before * 100,
		worse > noise	 ? "  worse"
		: worse < -noise ? "  better"
				 : "");
}

enum status compare_files(FILE *out, const char *a, const char *b, double noise,
			  struct compare_outcome *outcome)
{
	struct vector before, after;
	vector_init(&before, sizeof(struct compared_row));
	vector_init(&after, sizeof(struct compared_row));
	*outcome = (struct compare_outcome){0};
	enum status status = read_file(a, &before);
	if (status == ST_OK)
		status = read_file(b, &after);
	for (size_t i = 0; i < before.length && status == ST_OK; i++) {
		const struct compared_row *row = vector_at(&before, i), *other = find(&after, row);
		if (other != NULL && is_judged(row))
			compare_row(out, row, other, noise, outcome);
	}
	vector_fini(&after);
	vector_fini(&before);
	return status;
}
