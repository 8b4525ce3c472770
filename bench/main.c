/* SPDX-License-Identifier: BSD-3-Clause */
/* yare-bench: its commands. What fails is said and left out of the results, and the program ends with 1 then.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "compare.h"
#include "limit_table.h"
#include "report.h"
#include "report_command.h"
#include "report_pages.h"
#include "run.h"
#include "say.h"
#include "suites.h"

#define EXIT_INTERRUPTED 130 /* as a shell tells of SIGINT */

enum format { FORMAT_JSON, FORMAT_CSV, FORMAT_HTML };

static void write_results(FILE *file, const struct run *run, enum format format)
{
	const struct measured_run measured = {run->environment, run->results};
	switch (format) {
	case FORMAT_JSON:
		report_json(file, &run->environment, &run->results);
		break;
	case FORMAT_CSV:
		report_csv(file, &run->results);
		break;
	case FORMAT_HTML:
		report_html(file, &measured, 1);
		break;
	}
}

/* `path` NULL: not wanted. */
static bool write_file(const char *path, const struct run *run, enum format format)
{
	if (path == NULL)
		return true;
	FILE *file = fopen(path, "we");
	if (file != NULL)
		write_results(file, run, format);
	if (file != NULL && fclose(file) == 0)
		return true;
	say("cannot write %s", path);
	return false;
}

/* Before hours are spent on what goes into them. */
static bool can_write(const char *path)
{
	FILE *file = path != NULL ? fopen(path, "ae") : NULL;
	if (file != NULL && fclose(file) == 0)
		return true;
	if (path != NULL)
		say("cannot write %s", path);
	return path == NULL;
}

static bool report(struct run *run)
{
	const struct options *options = run->options;
	say_progress("%s", "");
	run->environment.load_after = environment_load();
	report_table(stdout, &run->environment, &run->results);
	bool good = write_file(options->json, run, FORMAT_JSON);
	good = write_file(options->csv, run, FORMAT_CSV) && good;
	return write_file(options->html, run, FORMAT_HTML) && good;
}

/* The exit status. */
static int measure(const struct options *options)
{
	struct run run;
	bool good = run_begin(&run, options) == ST_OK;
	if (good) {
		good = suites_run(&run);
		good = report(&run) && good;
		good = (options->gate == 0 ||
			limits_exceeded(&run.environment, &run.results, options->gate) == 0) &&
		       good;
	}
	run_end(&run);
	if (run_interrupted())
		say("interrupted: the results are of what was complete by then");
	return run_interrupted() ? EXIT_INTERRUPTED : good ? 0 : 1;
}

static int run_command(int argc, char **argv)
{
	struct arena *arena = arena_new();
	struct options options;
	enum options_result result = options_parse(&options, argc, argv, arena);
	if (result == OPTIONS_RUN && !suites_are_known(&options))
		result = OPTIONS_USAGE;
	int code = result == OPTIONS_USAGE ? 2 : 0;
	if (result == OPTIONS_RUN)
		code = can_write(options.json) && can_write(options.csv) && can_write(options.html)
			       ? measure(&options)
			       : 1;
	arena_free(arena);
	return code;
}

/* A B and, anywhere, --noise PCT. */
static bool parse_compare(int argc, char **argv, double *noise)
{
	static const struct option longs[] = {{"noise", 1, NULL, 'n'}, {0}};
	char own_name[] = "yare-bench";
	argv[0] = own_name;
	for (int id; (id = getopt_long(argc, argv, "", longs, NULL)) != -1;)
		if (id != 'n' || sscanf(optarg, "%lf%c", noise, &(char){0}) != 1 || !(*noise >= 0))
			return false;
	return argc - optind == 2;
}

static int compare_command(int argc, char **argv)
{
	double noise = 10;
	if (!parse_compare(argc, argv, &noise)) {
		say("compare takes two files and --noise PCT, a number; see yare-bench --help");
		return 2;
	}
	struct compare_outcome outcome;
	if (compare_files(stdout, argv[optind], argv[optind + 1], noise, &outcome) != ST_OK)
		return 1;
	if (outcome.compared == 0) {
		say("the two results have nothing in common");
		return 1;
	}
	printf("%u rows compared, %u worse by more than %g %%\n", outcome.compared, outcome.worse, noise);
	return outcome.worse > 0 ? 1 : 0;
}

int main(int argc, char **argv)
{
	const char *command = argc > 1 ? argv[1] : "";
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--help") == 0) {
			options_print_help();
			return 0;
		}
	if (strcmp(command, "run") == 0 || strcmp(command, "peers") == 0)
		return run_command(argc - 1, argv + 1);
	if (strcmp(command, "compare") == 0)
		return compare_command(argc - 1, argv + 1);
	if (strcmp(command, "report") == 0)
		return report_command(argc - 1, argv + 1);
	if (strcmp(command, "list") == 0 && argc == 2) {
		suites_list();
		return 0;
	}
	if (strcmp(command, "--version") == 0) {
		printf("yare-bench %s\n", YARE_VERSION);
		return 0;
	}
	if (strcmp(command, "list") == 0)
		say("list takes nothing; see yare-bench --help");
	else if (command[0] == '\0')
		say("no command; see yare-bench --help");
	else
		say("'%s' is no command; see yare-bench --help", command);
	return 2;
}
