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

#define RUNS_MAX 8

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

int report_command(int argc, char **argv)
{
	struct pages pages;
	if (!parse(argc, argv, &pages)) {
		say("report takes up to %d results and --html or --markdown; see yare-bench --help",
		    RUNS_MAX);
		return 2;
	}
	struct measured_run runs[RUNS_MAX];
	struct arena *arena = arena_new();
	size_t count = 0;
	enum status status = ST_OK;
	for (int i = optind; i < argc && status == ST_OK; i++, count++)
		status = results_read(argv[i], arena, &runs[count].environment, &runs[count].results);
	if (status == ST_OK && pages.html != NULL)
		status = write_html(pages.html, runs, count);
	if (status == ST_OK && pages.markdown != NULL)
		status = report_markdown(pages.markdown, pages.plots, runs, count);
	for (size_t i = 0; i < count; i++)
		results_fini(&runs[i].results);
	arena_free(arena);
	return status == ST_OK ? 0 : 1;
}
