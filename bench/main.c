/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * yare-bench: commands, and the table of suites and scenarios. Scenario by scenario, size by size, repetition
 * by repetition; what fails is said and left out of the results, and the program ends with 1 then.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report.h"
#include "run.h"
#include "say.h"

#define SUITE "perf-test"

struct scenario {
	const char *name;
	scenario_fn *run;
	uint64_t most;	    /* largest size; 0: any */
	uint64_t only;	    /* the one size; 0: --sizes */
	bool by_name;	    /* not part of the suite as a whole */
	const char *metric; /* whose growth with N is reported; NULL: none */
	const char *growth; /* the row that reports it */
	const char *help;
};

static const struct scenario scenarios[] = {
	{"provision", scenario_provision, 0, 0, false, NULL, NULL,
	 "N transactions of one entry, one request at a time, against ssh-echo"},
	{"complex", scenario_complex, 100000, 0, false, "server CPU an entry, UNIX socket",
	 "server CPU an entry, growth",
	 "N members with leafref and must in one edit, N entries loaded before"},
	{"restore", scenario_restore, 0, 0, false, "server CPU an entry, UNIX socket",
	 "server CPU an entry, growth", "N entries in one edit"},
	{"memory", scenario_memory, 0, 0, false, NULL, NULL,
	 "bytes an entry after a restore, and at its peak"},
	{"bulk-read", scenario_bulk_read, 0, 0, false, NULL, NULL,
	 "get-config of N entries: rate, and the server's memory, also with a slow reader"},
	{"read-latency", scenario_read_latency, 0, 0, false, NULL, NULL,
	 "reads of one entry every 2 ms during a restore of N"},
	{"refuse", scenario_refuse, 0, 100001, false, NULL, NULL,
	 "100,001 members: too-many-elements, and nothing changed"},
	{"idle", scenario_idle, 0, 0, true, NULL, NULL,
	 "provision with 1,000 idle sessions and without; only when named"},
};

#define SCENARIO_COUNT (sizeof(scenarios) / sizeof(scenarios[0]))

static void list(void)
{
	printf("%s\n", SUITE);
	for (size_t i = 0; i < SCENARIO_COUNT; i++)
		printf("  %s/%-14s %s\n", SUITE, scenarios[i].name, scenarios[i].help);
}

static bool is_named(const char *text, const struct scenario *scenario)
{
	size_t size = strlen(SUITE);
	return strncmp(text, SUITE, size) == 0 && text[size] == '/' &&
	       strcmp(text + size + 1, scenario->name) == 0;
}

static bool is_chosen(const struct options *options, const struct scenario *scenario)
{
	for (size_t i = 0; i < options->scenario_count; i++) {
		if (is_named(options->scenarios[i], scenario))
			return true;
		if (strcmp(options->scenarios[i], SUITE) == 0 && !scenario->by_name)
			return true;
	}
	return false;
}

static bool are_known(const struct options *options)
{
	for (size_t i = 0; i < options->scenario_count; i++) {
		bool known = strcmp(options->scenarios[i], SUITE) == 0;
		for (size_t j = 0; j < SCENARIO_COUNT; j++)
			known = known || is_named(options->scenarios[i], &scenarios[j]);
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
		if (scenario->run(run, n) == ST_OK)
			continue;
		say("%s/%s, N = %" PRIu64 ": failed", SUITE, scenario->name, n);
		return false;
	}
	return true;
}

static bool run_scenario(struct run *run, const struct scenario *scenario)
{
	const struct options *options = run->options;
	if (scenario->only != 0)
		return run_size(run, scenario, scenario->only);
	bool good = true;
	for (size_t i = 0; i < options->size_count; i++) {
		if (scenario->most != 0 && options->sizes[i] > scenario->most)
			say("%s/%s: N = %" PRIu64 " left out, the module allows %" PRIu64, SUITE,
			    scenario->name, options->sizes[i], scenario->most);
		else
			good = run_size(run, scenario, options->sizes[i]) && good;
	}
	if (scenario->metric != NULL)
		run_add_linearity(run, scenario->name, scenario->metric, scenario->growth);
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

static int run_command(int argc, char **argv)
{
	struct arena *arena = arena_new();
	struct options options;
	enum options_result result = options_parse(&options, argc, argv, arena);
	bool good = result == OPTIONS_EXIT;
	if (result == OPTIONS_RUN && are_known(&options)) {
		struct run run;
		good = run_begin(&run, &options) == ST_OK;
		for (size_t i = 0; i < SCENARIO_COUNT && run.echo != NULL && !run_interrupted(); i++)
			if (is_chosen(&options, &scenarios[i]))
				good = run_scenario(&run, &scenarios[i]) && good;
		good = report(&run) && good;
		run_end(&run);
	} else if (result == OPTIONS_RUN) {
		result = OPTIONS_USAGE;
	}
	arena_free(arena);
	return result == OPTIONS_USAGE ? 2 : good ? 0 : 1;
}

int main(int argc, char **argv)
{
	const char *command = argc > 1 ? argv[1] : "";
	if (strcmp(command, "run") == 0)
		return run_command(argc - 1, argv + 1);
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
