/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Published figures are those of the articles and pages that the workloads come from; seconds of the
 * perf-test ones include about half a second of connecting. A directory server's are ranges over all sizes,
 * so the best is a line.
 */
#include "figures.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

#define LINES_MAX 4

struct line {
	const char *scenario, *metric;
	const char *label; /* behind the server's name; NULL: nothing */
};

static const struct figure {
	const char *name, *title, *x_label, *y_label;
	struct line lines[LINES_MAX];
	struct published published[PUBLISHED_MAX];
} figures[] = {
	{"provision",
	 "Provision: N transactions of one entry",
	 "entries",
	 "seconds",
	 {{"perf-test/provision", "elapsed", NULL}},
	 {{"YumaPro, published",
	   {{100, 0.55}, {1000, 1.82}, {5000, 19.17}, {10000, 72.48}, {25000, 487.12}, {50000, 2024.83}}},
	  {"Netopeer2, published",
	   {{100, 0.96}, {1000, 8.23}, {5000, 125.6}, {10000, 452.3}, {25000, 2952}, {50000, 12831}}},
	  {"Netopeer2 2.7, elsewhere", {{1000, 2.8}, {5000, 35}}},
	  {"Yuma123, published", {{100, 0.61}, {1000, 5.06}, {5000, 578.3}, {10000, 4750}, {25000, 80461}}}}},
	{"complex",
	 "Complex: N references checked in one transaction",
	 "entries",
	 "seconds",
	 {{"perf-test/complex", "elapsed, SSH", NULL}},
	 {{"YumaPro, published",
	   {{100, 0.53}, {1000, 0.58}, {5000, 0.61}, {10000, 0.8}, {25000, 1.25}, {50000, 2.3}}},
	  {"Netopeer2 2.7, elsewhere", {{10000, 5.2}, {50000, 183}}},
	  {"Yuma123, published",
	   {{100, 0.59}, {1000, 15.47}, {5000, 2295}, {10000, 17876}, {25000, 297137}}}}},
	{"restore",
	 "Restore: N entries in one transaction",
	 "entries",
	 "seconds",
	 {{"perf-test/restore", "elapsed, SSH", NULL}},
	 {{"YumaPro, published",
	   {{100, 0.58}, {1000, 0.54}, {5000, 0.62}, {10000, 0.74}, {25000, 1.13}, {50000, 1.71}}},
	  {"Netopeer2, published",
	   {{100, 0.56}, {1000, 0.65}, {5000, 0.73}, {10000, 0.95}, {25000, 1.68}, {50000, 2.76}}},
	  {"Netopeer2 2.7, elsewhere", {{50000, 2.0}}},
	  {"Yuma123, published", {{100, 0.59}, {1000, 0.66}, {5000, 1.7}, {10000, 5.14}, {25000, 22.94}}}}},
	{"boot",
	 "Boot: start to ready with N entries",
	 "entries",
	 "seconds",
	 {{"perf-test/boot", "elapsed", NULL},
	  {"perf-test/boot", "floor parse", ": SAX parse of the same data"}},
	 {{0}}},
	{"controller-write",
	 "Controller: edits of N devices in one request",
	 "devices",
	 "containers and list entries a second",
	 {{"controller/store", "nodes a second", ": store"},
	  {"controller/replace-same", "nodes a second", ": equal replace"},
	  {"controller/update", "nodes a second", ": update of two leaves of each"}},
	 {{"ONAP CPS store, published", {{1000, 3100}}}, {"ONAP CPS replace, published", {{1000, 625}}}}},
	{"controller-read",
	 "Controller: reads of N devices",
	 "devices",
	 "containers and list entries a second",
	 {{"controller/read", "nodes a second", ": all"},
	  {"controller/read-filter", "nodes a second", ": up to 1,000 by a filter"}},
	 {{"ONAP CPS, published", {{3000, 100000}}}}},
	{"controller-query",
	 "Controller: XPath queries over N devices",
	 "devices",
	 "seconds",
	 {{"controller/query-leaf", "elapsed", ": by a leaf"},
	  {"controller/query-deep-leaf", "elapsed", ": by a leaf further down"},
	  {"controller/query-anywhere", "elapsed", ": by //"},
	  {"controller/query-leaf", "floor parse", ": SAX parse of what is searched"}},
	 {{0}}},
	{"directory-bulk",
	 "Directory: import and export of N users",
	 "users",
	 "users a second",
	 {{"directory/import", "users a second", ": import"},
	  {"directory/export", "users a second", ": export"}},
	 {{"389 DS, best import", {{100, 5586}, {1000000, 5586}}},
	  {"389 DS, best export", {{100, 10350}, {1000000, 10350}}}}},
	{"directory-modify",
	 "Directory: modifications with N users",
	 "users",
	 "modifications a second",
	 {{"directory/modify-1", "modifications a second", ": 1 session"},
	  {"directory/modify-4", "modifications a second", ": 4 sessions"},
	  {"directory/modify-8", "modifications a second", ": 8 sessions"}},
	 {{"389 DS, best of 1", {{100, 250}, {1000000, 250}}},
	  {"389 DS, best of 4 and 8", {{100, 73}, {1000000, 73}}}}},
	{"directory-search",
	 "Directory: searches by key with N users",
	 "users",
	 "searches a second",
	 {{"directory/search-1", "searches a second", ": 1 session"},
	  {"directory/search-4", "searches a second", ": 4 sessions"},
	  {"directory/search-8", "searches a second", ": 8 sessions"}},
	 {{"389 DS, best of 1", {{100, 7000}, {1000000, 7000}}},
	  {"389 DS, best of 8", {{100, 11900}, {1000000, 11900}}}}},
	{"directory-latency",
	 "Directory: one search with N users",
	 "users",
	 "microseconds (median)",
	 {{"directory/search-key", "p50", ": by key"},
	  {"directory/search-leaf", "p50", ": by another leaf"},
	  {"directory/search-key", "ssh-echo p50", ": ssh-echo"}},
	 {{0}}},
};

size_t figures_count(void)
{
	return sizeof(figures) / sizeof(figures[0]);
}

const char *figures_name(size_t index)
{
	return figures[index].name;
}

const char *figures_title(size_t index)
{
	return figures[index].title;
}

bool figures_are_seconds(size_t index)
{
	return strcmp(figures[index].y_label, "seconds") == 0;
}

struct result_key figures_key(size_t index)
{
	return (struct result_key){figures[index].lines[0].scenario, 0, figures[index].lines[0].metric};
}

const struct published *figures_published(size_t index)
{
	return figures[index].published;
}

static int compare_points(const void *left, const void *right)
{
	const struct plot_point *a = left, *b = right;
	return (a->x > b->x) - (a->x < b->x);
}

static bool is_peer_before(const struct results *results, size_t index)
{
	const struct result_row *row = vector_at(&results->rows, index);
	for (size_t i = 0; i < index; i++) {
		const struct result_row *other = vector_at(&results->rows, i);
		if (other->server != NULL && strcmp(other->server, row->server) == 0)
			return true;
	}
	return false;
}

/* A line of one server of one run. */
static void add_line(struct plot *plot, const struct line *line, const struct results *results,
		     const char *server, const char *label)
{
	struct plot_series *series = plot_series_add(plot, label, server != NULL ? PLOT_PEER : PLOT_OWN);
	for (size_t i = 0; i < results->rows.length; i++) {
		const struct result_row *row = vector_at(&results->rows, i);
		if (strcmp(row->key.scenario, line->scenario) == 0 &&
		    strcmp(row->key.metric, line->metric) == 0 &&
		    strcmp(row->server != NULL ? row->server : "", server != NULL ? server : "") == 0)
			plot_point_add(series, (double)row->key.n, result_value(row));
	}
	if (series->points.length > 0)
		qsort(series->points.data, series->points.length, sizeof(struct plot_point), compare_points);
}

/* Runs are told apart by their durability, which is what runs of one report differ in. */
static void add_run(struct plot *plot, const struct line *line, const struct measured_run *run, bool is_only,
		    struct arena *arena)
{
	const struct environment *environment = &run->environment;
	const char *behind = line->label != NULL ? line->label : "";
	const char *label = is_only ? arena_printf(arena, "yared%s", behind)
				    : arena_printf(arena, "yared, %s%s", environment->durability, behind);
	add_line(plot, line, &run->results, NULL, label);
	for (size_t i = 0; i < run->results.rows.length; i++) {
		const struct result_row *row = vector_at(&run->results.rows, i);
		if (row->server != NULL && strcmp(row->server, RESULTS_BESIDE) != 0 &&
		    !is_peer_before(&run->results, i))
			add_line(plot, line, &run->results, row->server,
				 arena_printf(arena, "%s, measured%s", row->server, behind));
	}
}

static bool has_points(const struct plot *plot)
{
	for (size_t i = 0; i < plot->series.length; i++)
		if (((const struct plot_series *)vector_at(&plot->series, i))->points.length > 0)
			return true;
	return false;
}

int figures_make(size_t index, const struct measured_run *runs, size_t run_count, struct arena *arena,
		 struct plot *plot)
{
	const struct figure *figure = &figures[index];
	plot_init(plot, figure->title, figure->x_label, figure->y_label);
	for (size_t i = 0; i < LINES_MAX && figure->lines[i].scenario != NULL; i++)
		for (size_t j = 0; j < run_count; j++)
			add_run(plot, &figure->lines[i], &runs[j], run_count == 1, arena);
	if (!has_points(plot))
		return 0;
	for (size_t i = 0; i < PUBLISHED_MAX && figure->published[i].label != NULL; i++) {
		const struct published *published = &figure->published[i];
		struct plot_series *series = plot_series_add(plot, published->label, PLOT_PUBLISHED);
		for (size_t j = 0; j < PUBLISHED_POINTS && published->points[j].x > 0; j++)
			plot_point_add(series, published->points[j].x, published->points[j].y);
	}
	return 1;
}
