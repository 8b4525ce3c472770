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

#define RUNS_MAX 32

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
	bool has_alone[RUNS_MAX]; /* was measured without peers, at least in part */
	size_t count;
};

static bool is_alike(const struct environment *a, const struct environment *b)
{
	return strcmp(a->durability, b->durability) == 0 && strcmp(a->transport, b->transport) == 0 &&
	       strcmp(a->server, b->server) == 0;
}

/* A run beside peers takes long and has its own time and load, which its figures are to be read with. */
static void add_peers(struct environment *into, const struct environment *from)
{
	char *peers = into->peers;
	size_t room = sizeof(into->peers), length = strlen(peers);
	snprintf(peers + length, room - length, "%s%s (%s, load %.2f to %.2f)", length > 0 ? ", " : "",
		 from->peers, from->time, from->load_before, from->load_after);
}

/* Whose row it becomes: yared's own beside a peer stand for the ratio to the peer. A peer that keeps the
 * machine busy makes them worse than those that were measured alone, so they are kept apart from these. */
static const char *server_of(const struct result_row *row, bool is_beside, bool has_alone)
{
	bool is_own = row->server == NULL && strncmp(row->key.scenario, "peers/", 6) != 0;
	return is_own && is_beside && has_alone ? RESULTS_BESIDE : row->server;
}

/* Rows that both have get the samples of both, but those beside a peer: the first ones count. */
static void merge(struct measured_run *into, const struct measured_run *from, bool has_alone)
{
	bool is_beside = from->environment.peers[0] != '\0';
	for (size_t i = 0; i < from->results.rows.length; i++) {
		const struct result_row *row = vector_at(&from->results.rows, i);
		into->results.server = server_of(row, is_beside, has_alone);
		if (is_beside && row->server == NULL && results_find(&into->results, row->key) != NULL)
			continue;
		for (size_t j = 0; j < row->samples.length; j++)
			results_add(&into->results, row->key, row->unit,
				    *(double *)vector_at(&row->samples, j), row->floor);
	}
	into->results.server = NULL;
	if (is_beside)
		add_peers(&into->environment, &from->environment);
}

/* Parts of one run, as several files, become one. */
static void add_run(struct reports *reports, const struct measured_run *run)
{
	for (size_t i = 0; i < reports->count; i++)
		if (is_alike(&reports->runs[i].environment, &run->environment)) {
			merge(&reports->runs[i], run, reports->has_alone[i]);
			return;
		}
	reports->has_alone[reports->count] = run->environment.peers[0] == '\0';
	struct measured_run *added = &reports->runs[reports->count++];
	*added = (struct measured_run){.environment = run->environment};
	added->environment.peers[0] = '\0';
	results_init(&added->results);
	merge(added, run, false);
}

/* Those that were measured alone come first. */
static enum status read_runs(char **paths, size_t count, struct arena *arena, struct reports *reports)
{
	struct measured_run read[RUNS_MAX];
	size_t done = 0;
	enum status status = ST_OK;
	for (; done < count && status == ST_OK; done++)
		status = results_read(paths[done], arena, &read[done].environment, &read[done].results);
	for (unsigned beside = 0; beside < 2 && status == ST_OK; beside++)
		for (size_t i = 0; i < count; i++)
			if ((read[i].environment.peers[0] != '\0') == (beside != 0))
				add_run(reports, &read[i]);
	for (size_t i = 0; i < done; i++)
		results_fini(&read[i].results);
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
	enum status status = read_runs(argv + optind, (size_t)(argc - optind), arena, &reports);
	if (status == ST_OK && pages.html != NULL)
		status = write_html(pages.html, reports.runs, reports.count);
	if (status == ST_OK && pages.markdown != NULL)
		status = report_markdown(pages.markdown, pages.plots, reports.runs, reports.count);
	for (size_t i = 0; i < reports.count; i++)
		results_fini(&reports.runs[i].results);
	arena_free(arena);
	return status == ST_OK ? 0 : 1;
}
