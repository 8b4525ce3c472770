/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages from results that were kept: runs under several durabilities become one report. */
#include "report_command.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "report_pages.h"
#include "results_read.h"
#include "say.h"

#define RUNS_MAX 16

enum option_id { OPT_HTML = 1, OPT_MARKDOWN, OPT_PLOTS };

struct pages {
	const char *html, *markdown, *plots;
};

static bool parse(int argc, char **argv, struct pages *pages)
{
	static const struct option longs[] = {
		{"html", 1, NULL, OPT_HTML},
		{"markdown", 1, NULL, OPT_MARKDOWN},
		{"plots", 1, NULL, OPT_PLOTS},
		{0},
	};
	*pages = (struct pages){.plots = "plots"};
	optind = 1;
	for (int id; (id = getopt_long(argc, argv, "", longs, NULL)) != -1;) {
		if (id == '?')
			return false;
		*(id == OPT_HTML       ? &pages->html
		  : id == OPT_MARKDOWN ? &pages->markdown
				       : &pages->plots) = optarg;
	}
	return optind < argc && argc - optind <= RUNS_MAX && (pages->html != NULL || pages->markdown != NULL);
}

static enum status write_html(const char *path, const struct measured_run *runs, size_t count)
{
	FILE *file = fopen(path, "we");
	if (file != NULL)
		report_html(file, runs, count);
	return file != NULL && fclose(file) == 0 ? ST_OK : say_failed("cannot write %s", path);
}

struct reports {
	struct measured_run runs[RUNS_MAX];
	size_t count;
};

static bool is_alike(const struct environment *a, const struct environment *b)
{
	return strcmp(a->durability, b->durability) == 0 && strcmp(a->transport, b->transport) == 0 &&
	       strcmp(a->server, b->server) == 0;
}

/* Rows that both have get the samples of both. */
static void merge(struct measured_run *into, const struct measured_run *from)
{
	for (size_t i = 0; i < from->results.rows.length; i++) {
		const struct result_row *row = vector_at(&from->results.rows, i);
		into->results.server = row->server;
		for (size_t j = 0; j < row->samples.length; j++)
			results_add(&into->results, row->key, row->unit,
				    *(double *)vector_at(&row->samples, j), row->floor);
	}
	into->results.server = NULL;
	if (into->environment.peers[0] == '\0')
		memcpy(into->environment.peers, from->environment.peers, sizeof(into->environment.peers));
}

/* Parts of one run, as several files, become one. */
static enum status read_run(const char *path, struct arena *arena, struct reports *reports)
{
	struct measured_run *run = &reports->runs[reports->count];
	enum status status = results_read(path, arena, &run->environment, &run->results);
	size_t like = 0;
	while (like < reports->count && !is_alike(&reports->runs[like].environment, &run->environment))
		like++;
	if (status == ST_OK && like == reports->count) {
		reports->count++;
		return ST_OK;
	}
	if (status == ST_OK)
		merge(&reports->runs[like], run);
	results_fini(&run->results);
	return status;
}

int report_command(int argc, char **argv)
{
	struct pages pages;
	if (!parse(argc, argv, &pages)) {
		say("report takes up to %d results and --html or --markdown; see yare-bench --help",
		    RUNS_MAX);
		return 2;
	}
	struct reports reports = {.count = 0};
	struct arena *arena = arena_new();
	enum status status = ST_OK;
	for (int i = optind; i < argc && status == ST_OK; i++)
		status = read_run(argv[i], arena, &reports);
	if (status == ST_OK && pages.html != NULL)
		status = write_html(pages.html, reports.runs, reports.count);
	if (status == ST_OK && pages.markdown != NULL)
		status = report_markdown(pages.markdown, pages.plots, reports.runs, reports.count);
	for (size_t i = 0; i < reports.count; i++)
		results_fini(&reports.runs[i].results);
	arena_free(arena);
	return status == ST_OK ? 0 : 1;
}
