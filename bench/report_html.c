/* SPDX-License-Identifier: BSD-3-Clause */
/* The plots are SVG within the page, so that nothing is loaded from elsewhere and no script runs. */
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "limit_table.h"
#include "report_pages.h"

static const char head[] =
	"<!DOCTYPE html>\n<html lang=\"en\"><head><meta "
	"charset=\"utf-8\"><title>yare-bench</title>\n<style>\n"
	"body{font:14px sans-serif;margin:2em auto;max-width:70em;color:#222}\n"
	"table{border-collapse:collapse;margin:.5em 0 1.5em}th,td{padding:.15em .8em;text-align:left;"
	"border-bottom:1px solid #ddd}\ntd.n{text-align:right;font-variant-numeric:tabular-nums}\n"
	".missed{color:#b00020;font-weight:bold}h3{margin-bottom:.2em}\n</style></head><body>\n"
	"<h1>yare-bench</h1>\n";

static void put_text(FILE *out, const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == '<')
			fputs("&lt;", out);
		else if (*text == '&')
			fputs("&amp;", out);
		else
			fputc(*text, out);
	}
}

static void put_member(FILE *out, const char *name, const char *value)
{
	if (value[0] == '\0')
		return;
	fprintf(out, "<tr><th>%s</th><td>", name);
	put_text(out, value);
	fputs("</td></tr>\n", out);
}

static void put_environment(FILE *out, const struct environment *environment)
{
	fputs("<table>\n", out);
	put_member(out, "time", environment->time);
	put_member(out, "server", environment->server);
	put_member(out, "beside", environment->peers);
	put_member(out, "CPU", environment->cpu);
	put_member(out, "kernel", environment->kernel);
	put_member(out, "cipher", environment->cipher);
	put_member(out, "durability", environment->durability);
	put_member(out, "transport", environment->transport);
	put_member(out, "libssh", environment->libssh);
	put_member(out, "libyang", environment->libyang);
	put_member(out, "libxml2", environment->libxml2);
	fprintf(out, "<tr><th>CPUs, load, seed</th><td>%ld, %.2f to %.2f, %" PRIu64 "</td></tr>\n</table>\n",
		environment->cpus, environment->load_before, environment->load_after, environment->seed);
}

static void put_limits(FILE *out, const struct measured_run *run)
{
	struct limit_verdict verdict;
	size_t i = 0;
	for (; limits_judge(&run->environment, &run->results, i, &verdict); i++) {
		const struct limit *limit = verdict.limit;
		if (i == 0)
			fputs("<h3>Limits</h3>\n<table><tr><th>scenario</th><th>N</th><th>metric</th>"
			      "<th>measured</th><th>limit</th><th></th></tr>\n",
			      out);
		fprintf(out,
			"<tr><td>%s</td><td class=\"n\">%" PRIu64 "</td><td>%s%s</td>"
			"<td class=\"n\">%.4g</td><td>%s %g</td><td%s</td></tr>\n",
			limit->scenario, verdict.n, limit->metric,
			limit->kind == LIMIT_RATIO ? ", over its floor" : "", verdict.measured,
			limit->kind == LIMIT_LEAST ? "at least" : "at most", limit->bound,
			verdict.excess > 1 ? " class=\"missed\">missed" : ">met");
	}
	if (i > 0)
		fputs("</table>\n", out);
}

static void put_row(FILE *out, const struct results *results, const struct result_row *row)
{
	double ratio = result_ratio(results, row);
	fprintf(out, "<tr><td>");
	put_text(out, row->key.metric);
	fprintf(out, "</td><td class=\"n\">%.5g</td><td>%s</td>", result_value(row), row->unit);
	fprintf(out, "<td class=\"n\">%.5g</td><td class=\"n\">%.5g</td><td class=\"n\">%zu</td><td>",
		result_mean(row, false), result_mean(row, true), row->samples.length);
	if (ratio > 0)
		fprintf(out, "%.2f x %s", ratio, row->floor);
	fputs("</td></tr>\n", out);
}

static void put_group(FILE *out, const struct results *results, size_t index)
{
	const struct result_row *first = vector_at(&results->rows, index);
	fprintf(out, "<h3>%s, N = %" PRIu64 "%s%s</h3>\n", first->key.scenario, first->key.n,
		first->server != NULL ? ", " : "", first->server != NULL ? first->server : "");
	fputs("<table><tr><th>metric</th><th>median</th><th>unit</th><th>mean</th>"
	      "<th>mean without outliers</th><th>samples</th><th>over its floor</th></tr>\n",
	      out);
	for (size_t i = index; i < results->rows.length; i++) {
		const struct result_row *row = vector_at(&results->rows, i);
		if (result_rows_belong(first, row))
			put_row(out, results, row);
	}
	fputs("</table>\n", out);
}

void report_html(FILE *out, const struct measured_run *runs, size_t count)
{
	struct arena *arena = arena_new();
	fputs(head, out);
	for (size_t i = 0; i < count; i++) {
		fprintf(out, "<h2>Durability %s</h2>\n", runs[i].environment.durability);
		put_environment(out, &runs[i].environment);
		put_limits(out, &runs[i]);
	}
	fputs("<h2>Plots</h2>\n", out);
	for (size_t i = 0; i < figures_count(); i++) {
		struct plot plot;
		if (figures_make(i, runs, count, arena, &plot))
			plot_svg(&plot, out);
		plot_fini(&plot);
	}
	for (size_t i = 0; i < count; i++) {
		const struct results *results = &runs[i].results;
		fprintf(out, "<h2>Tables: durability %s</h2>\n", runs[i].environment.durability);
		for (size_t j = 0; j < results->rows.length; j++)
			if (result_begins_group(results, j))
				put_group(out, results, j);
	}
	fputs("</body></html>\n", out);
	arena_free(arena);
}
