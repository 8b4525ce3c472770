/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * yare-bench: commands, and the table of suites and scenarios. Scenario by scenario, size by size, repetition
 * by repetition; what fails is said and left out of the results, and the program ends with 1 then.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "compare.h"
#include "report.h"
#include "run.h"
#include "say.h"

#define SUITE "perf-test"

struct scenario {
	const char *name; /* with the suite; also that of its results */
	scenario_fn *run;
	enum {
		BY_NAME = 1, /* not part of the suite as a whole */
		SPAWNS = 2,  /* needs servers of its own */
	} flags;
	uint64_t most;	    /* largest size; 0: any */
	uint64_t only;	    /* the one size; 0: --sizes */
	const char *metric; /* whose growth with N is reported; NULL: none */
	const char *help;
};

#define CPU_AN_ENTRY "server CPU an entry, UNIX socket"
#define CPU_GROWTH "server CPU an entry, growth"

static const struct scenario scenarios[] = {
	{SUITE "/provision", scenario_provision, 0, 0, 0, NULL,
	 "N transactions of one entry, one request at a time, against ssh-echo"},
	{SUITE "/complex", scenario_complex, 0, 100000, 0, CPU_AN_ENTRY,
	 "N members with leafref and must in one edit, N entries loaded before"},
	{SUITE "/restore", scenario_restore, 0, 0, 0, CPU_AN_ENTRY, "N entries in one edit"},
	{SUITE "/memory", scenario_memory, SPAWNS, 0, 0, NULL,
	 "bytes an entry after a restore, and at its peak"},
	{SUITE "/bulk-read", scenario_bulk_read, 0, 0, 0, NULL,
	 "get-config of N entries: rate, and the server's memory, also with a slow reader"},
	{SUITE "/read-latency", scenario_read_latency, 0, 0, 0, NULL,
	 "reads of one entry every 2 ms during a restore of N"},
	{SUITE "/refuse", scenario_refuse, 0, 0, 100001, NULL,
	 "100,001 members: too-many-elements, and nothing changed"},
	{SUITE "/idle", scenario_idle, BY_NAME | SPAWNS, 0, 0, NULL,
	 "provision with 1,000 idle sessions and without; only when named"},
};

#define SCENARIO_COUNT (sizeof(scenarios) / sizeof(scenarios[0]))

static void list(void)
{
	printf("%s\n", SUITE);
	for (size_t i = 0; i < SCENARIO_COUNT; i++)
		printf("  %-24s %s\n", scenarios[i].name, scenarios[i].help);
}

static bool is_chosen(const struct options *options, const struct scenario *scenario)
{
	for (size_t i = 0; i < options->scenario_count; i++) {
		if (strcmp(options->scenarios[i], scenario->name) == 0)
			return true;
		if (strcmp(options->scenarios[i], SUITE) == 0 && !(scenario->flags & BY_NAME))
			return true;
	}
	return false;
}

static bool are_known(const struct options *options)
{
	for (size_t i = 0; i < options->scenario_count; i++) {
		bool known = strcmp(options->scenarios[i], SUITE) == 0;
		for (size_t j = 0; j < SCENARIO_COUNT; j++)
			known = known || strcmp(options->scenarios[i], scenarios[j].name) == 0;
		if (!known) {
			say("no suite or scenario '%s'; yare-bench list names them", options->scenarios[i]);
			return false;
		}
	}
	return true;
}

static bool run_size(struct run *run, const struct scenario *scenario, uint64_t n)
{
	for (unsigned i = 0; i < run->options->repeat && !run_interrupted(); i++) {
		say_progress("%s, N = %" PRIu64 ", repetition %u", scenario->name, n, i + 1);
		enum status status = scenario->run(run, n);
		if (status == ST_OK)
			continue;
		say("%s, N = %" PRIu64 ": failed (%s)", scenario->name, n, status_name(status));
		return false;
	}
	return true;
}

static bool run_scenario(struct run *run, const struct scenario *scenario)
{
	const struct options *options = run->options;
	if ((scenario->flags & SPAWNS) && !options->spawns) {
		say("%s left out: it needs --target spawn", scenario->name);
		return true;
	}
	if (scenario->only != 0)
		return run_size(run, scenario, scenario->only);
	bool good = true;
	for (size_t i = 0; i < options->size_count && !run_interrupted(); i++) {
		if (scenario->most != 0 && options->sizes[i] > scenario->most)
			say("%s, N = %" PRIu64 " left out: the module allows %" PRIu64, scenario->name,
			    options->sizes[i], scenario->most);
		else
			good = run_size(run, scenario, options->sizes[i]) && good;
	}
	if (scenario->metric != NULL)
		run_add_linearity(run, scenario->name, scenario->metric, CPU_GROWTH);
	return good;
}

static bool write_file(const char *path, const struct run *run, bool as_json)
{
	FILE *file = fopen(path, "we");
	if (file == NULL) {
		say("cannot write %s", path);
		return false;
	}
	if (as_json)
		report_json(file, &run->environment, &run->results);
	else
		report_csv(file, &run->results);
	if (fclose(file) == 0)
		return true;
	say("cannot write %s", path);
	return false;
}

static bool report(struct run *run)
{
	const struct options *options = run->options;
	say_progress("%s", "");
	run->environment.load_after = environment_load();
	report_table(stdout, &run->environment, &run->results);
	bool good = options->json == NULL || write_file(options->json, run, true);
	return (options->csv == NULL || write_file(options->csv, run, false)) && good;
}

/* What has failed has been said; what has not is reported all the same. */
static bool run_chosen(struct run *run)
{
	bool good = true;
	for (size_t i = 0; i < SCENARIO_COUNT && !run_interrupted(); i++)
		if (is_chosen(run->options, &scenarios[i]))
			good = run_scenario(run, &scenarios[i]) && good;
	return good;
}

static int run_command(int argc, char **argv)
{
	struct arena *arena = arena_new();
	struct options options;
	enum options_result result = options_parse(&options, argc, argv, arena);
	bool good = result == OPTIONS_EXIT;
	if (result == OPTIONS_RUN && !are_known(&options))
		result = OPTIONS_USAGE;
	if (result == OPTIONS_RUN) {
		struct run run;
		good = run_begin(&run, &options) == ST_OK;
		if (good) {
			good = run_chosen(&run);
			good = report(&run) && good;
		}
		run_end(&run);
	}
	arena_free(arena);
	return result == OPTIONS_USAGE ? 2 : good ? 0 : 1;
}

/* compare A B [--noise PCT] */
static int compare_command(int argc, char **argv)
{
	double noise = 10;
	char rest;
	bool has_noise = argc == 5 && strcmp(argv[3], "--noise") == 0;
	if ((argc != 3 && !has_noise) || (has_noise && sscanf(argv[4], "%lf%c", &noise, &rest) != 1) ||
	    noise < 0) {
		say("compare takes two files and --noise PCT; see yare-bench --help");
		return 2;
	}
	struct compare_outcome outcome;
	if (compare_files(stdout, argv[1], argv[2], noise, &outcome) != ST_OK)
		return 1;
	printf("%u rows compared, %u worse by more than %g %%\n", outcome.compared, outcome.worse, noise);
	return outcome.worse > 0 ? 1 : 0;
}

int main(int argc, char **argv)
{
	const char *command = argc > 1 ? argv[1] : "";
	if (strcmp(command, "run") == 0)
		return run_command(argc - 1, argv + 1);
	if (strcmp(command, "compare") == 0)
		return compare_command(argc - 1, argv + 1);
	if (strcmp(command, "list") == 0) {
		list();
		return 0;
	}
	if (strcmp(command, "--help") == 0) {
		options_print_help();
		return 0;
	}
	if (strcmp(command, "--version") == 0) {
		printf("yare-bench %s\n", YARE_VERSION);
		return 0;
	}
	say("'%s' is no command; see yare-bench --help", command);
	return 2;
}
