/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One row, one line, in each format. Values are medians over the repetitions; the JSON has the samples, too.
 * No name or unit needs escaping; what comes from the system (CPU model, target) does.
 */
#include "report.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "limit_table.h"

#define MEAN_SAMPLES 5

/* Four significant digits, without an exponent; whole numbers as such. */
static void print_value(FILE *out, double value)
{
	double size = fabs(value);
	int digits = size >= 1000 || value == trunc(value) ? 0
		     : size >= 100			   ? 1
		     : size >= 10			   ? 2
		     : size >= 1			   ? 3
		     : size >= 0.01			   ? 4
							   : 6;
	fprintf(out, "%12.*f", digits, value);
}

static void print_environment(FILE *out, const struct environment *environment)
{
	fprintf(out, "%s  %s\n", environment->time, environment->server);
	fprintf(out, "%s, %ld CPUs, %s, load %.2f to %.2f\n", environment->cpu, environment->cpus,
		environment->kernel, environment->load_before, environment->load_after);
	if (environment->peers[0] != '\0')
		fprintf(out, "beside %s\n", environment->peers);
	fprintf(out,
		"libssh %s, libyang %s, libxml2 %s, cipher %s, transport %s, durability %s, seed %" PRIu64
		"\n",
		environment->libssh, environment->libyang, environment->libxml2, environment->cipher,
		environment->transport, environment->durability, environment->seed);
}

/* Means where there are samples enough for them to differ from the median. */
static void print_row(FILE *out, const struct results *results, const struct result_row *row)
{
	fprintf(out, "  %-38s", row->key.metric);
	print_value(out, result_value(row));
	double ratio = result_ratio(results, row);
	if (ratio > 0)
		fprintf(out, " %-8s %8.2f x %s", row->unit, ratio, row->floor);
	else
		fprintf(out, " %s", row->unit);
	if (row->samples.length >= MEAN_SAMPLES && strncmp(row->key.metric, "floor ", 6) != 0)
		fprintf(out, "  (mean %.5g, without outliers %.5g)", result_mean(row, false),
			result_mean(row, true));
	fputc('\n', out);
}

static void print_verdicts(FILE *out, const struct environment *environment, const struct results *results)
{
	struct limit_verdict verdict;
	for (size_t i = 0; limits_judge(environment, results, i, &verdict); i++) {
		const struct limit *limit = verdict.limit;
		if (i == 0)
			fprintf(out, "\nLimits\n");
		fprintf(out, "  %-28s %8" PRIu64 "  %-38s %10.4g  %s %g%s\n", limit->scenario, verdict.n,
			limit->metric, verdict.measured, limit->kind == LIMIT_LEAST ? "at least" : "at most",
			limit->bound, verdict.excess > 1 ? "  missed" : "");
	}
}

void report_table(FILE *out, const struct environment *environment, const struct results *results)
{
	print_environment(out, environment);
	for (size_t i = 0; i < results->rows.length; i++) {
		const struct result_row *first = vector_at(&results->rows, i);
		if (!result_begins_group(results, i))
			continue;
		fprintf(out, "\n%s, N = %" PRIu64 "%s%s\n", first->key.scenario, first->key.n,
			first->server != NULL ? ", " : "", first->server != NULL ? first->server : "");
		for (size_t j = i; j < results->rows.length; j++) {
			const struct result_row *row = vector_at(&results->rows, j);
			if (result_rows_belong(first, row))
				print_row(out, results, row);
		}
	}
	print_verdicts(out, environment, results);
}

static void json_text(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text != '\0'; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', out);
		if ((unsigned char)*text >= ' ')
			fputc(*text, out);
	}
	fputc('"', out);
}

static void json_member(FILE *out, const char *name, const char *text)
{
	fprintf(out, "  \"%s\": ", name);
	json_text(out, text);
	fputs(",\n", out);
}

static void json_row(FILE *out, const struct results *results, const struct result_row *row)
{
	fprintf(out,
		"    {\"scenario\": \"%s\", \"n\": %" PRIu64
		", \"metric\": \"%s\", \"unit\": \"%s\", \"value\": %.9g",
		row->key.scenario, row->key.n, row->key.metric, row->unit, result_value(row));
	double ratio = result_ratio(results, row);
	if (ratio > 0)
		fprintf(out, ", \"floor\": \"%s\", \"ratio\": %.6g", row->floor, ratio);
	if (row->server != NULL) {
		fputs(", \"server\": ", out);
		json_text(out, row->server);
	}
	fprintf(out, ", \"mean\": %.9g, \"mean_without_outliers\": %.9g, \"samples\": [",
		result_mean(row, false), result_mean(row, true));
	for (size_t i = 0; i < row->samples.length; i++)
		fprintf(out, "%s%.9g", i > 0 ? ", " : "", *(double *)vector_at(&row->samples, i));
	fputs("]}", out);
}

void report_json(FILE *out, const struct environment *environment, const struct results *results)
{
	fputs("{\n  \"format\": 1,\n", out);
	json_member(out, "time", environment->time);
	json_member(out, "server", environment->server);
	json_member(out, "peers", environment->peers);
	json_member(out, "cpu", environment->cpu);
	json_member(out, "kernel", environment->kernel);
	json_member(out, "libssh", environment->libssh);
	json_member(out, "libyang", environment->libyang);
	json_member(out, "libxml2", environment->libxml2);
	json_member(out, "cipher", environment->cipher);
	json_member(out, "transport", environment->transport);
	json_member(out, "durability", environment->durability);
	fprintf(out,
		"  \"cpus\": %ld,\n  \"load_before\": %.2f,\n  \"load_after\": %.2f,\n  \"seed\": %" PRIu64
		",\n",
		environment->cpus, environment->load_before, environment->load_after, environment->seed);
	fputs("  \"results\": [", out);
	for (size_t i = 0; i < results->rows.length; i++) {
		fputs(i > 0 ? ",\n" : "\n", out);
		json_row(out, results, vector_at(&results->rows, i));
	}
	fputs("\n  ]\n}\n", out);
}

void report_csv(FILE *out, const struct results *results)
{
	fputs("scenario,n,metric,unit,value,floor,ratio,mean,mean_without_outliers,samples,server\n", out);
	for (size_t i = 0; i < results->rows.length; i++) {
		const struct result_row *row = vector_at(&results->rows, i);
		double ratio = result_ratio(results, row);
		fprintf(out, "%s,%" PRIu64 ",\"%s\",%s,%.9g,", row->key.scenario, row->key.n, row->key.metric,
			row->unit, result_value(row));
		if (ratio > 0)
			fprintf(out, "\"%s\",%.6g", row->floor, ratio);
		else
			fputc(',', out);
		fprintf(out, ",%.9g,%.9g,%zu,%s\n", result_mean(row, false), result_mean(row, true),
			row->samples.length, row->server != NULL ? row->server : "");
	}
}
