/* SPDX-License-Identifier: BSD-3-Clause */
/* A new scenario is a function that measures one size once, and a line here. */
#include "suites.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "peers.h"
#include "say.h"

static const struct suite perf_test = {
	.name = "perf-test", .modules = {"perf-test"}, .sizes = {100, 1000, 5000, 50000}};
static const struct suite vlan = {
	.name = "perf-test", .folder = "ex-vlan", .modules = {"iana-if-type", "ex-vlan"}};
/* `//` selects all degrees of all devices before it looks at a leaf of each: more than a filter may by
 * default. */
static const char *const large_filters[] = {"--max-filter-memory", "1073741824", "--max-filter-nodes",
					    "10000000", NULL};
static const struct suite controller = {
	.name = "controller",
	.folder = "openroadm-cps",
	.more = large_filters,
	.modules = {"org-openroadm-interfaces", "openroadm-devices-inventory-v2"},
	.remove = "<openroadm-devices xmlns=\"http://com/fujitsu/openroadm/devices/v2\" "
		  "xmlns:nc=\"urn:ietf:params:xml:ns:netconf:base:1.0\" nc:operation=\"remove\"/>",
	.sizes = {1, 10, 100, 1000}};

static const struct suite directory = {
	.name = "directory",
	.folder = "directory",
	.modules = {"directory"},
	.remove = "<directory xmlns=\"urn:example:directory\" "
		  "xmlns:nc=\"urn:ietf:params:xml:ns:netconf:base:1.0\" nc:operation=\"remove\"/>",
	.sizes = {100, 1000, 10000}};

static const struct suite constraints = {
	.name = "constraints", .modules = {"yare-engine"}, .sizes = {1000000}};

struct scenario {
	const struct suite *suite;
	const char *name; /* behind the suite's */
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
#define NAME_SIZE 64

static const struct scenario scenarios[] = {
	{&perf_test, "provision", scenario_provision, 0, 0, 0, NULL,
	 "N transactions of one entry, one request at a time, against ssh-echo"},
	{&perf_test, "complex", scenario_complex, 0, 100000, 0, CPU_AN_ENTRY,
	 "N members with leafref and must in one edit, N entries loaded before"},
	{&perf_test, "restore", scenario_restore, 0, 0, 0, CPU_AN_ENTRY, "N entries in one edit"},
	{&perf_test, "memory", scenario_memory, SPAWNS, 0, 0, NULL,
	 "bytes an entry after a restore, and at its peak"},
	{&perf_test, "bulk-read", scenario_bulk_read, 0, 0, 0, NULL,
	 "get-config of N entries: rate, and the server's memory, also with a slow reader"},
	{&perf_test, "read-latency", scenario_read_latency, 0, 0, 0, NULL,
	 "reads of one entry every 2 ms during a restore of N"},
	{&perf_test, "read-key", scenario_read_key, 0, 0, 0, NULL,
	 "get-config of one entry of N by its key, against ssh-echo"},
	{&perf_test, "keepalive", scenario_keepalive, 0, 0, 0, NULL,
	 "get with an empty filter, against ssh-echo"},
	{&perf_test, "refuse", scenario_refuse, 0, 0, 100001, NULL,
	 "100,001 members: too-many-elements, and nothing changed"},
	{&perf_test, "boot", scenario_boot, SPAWNS, 0, 0, NULL, "start to ready with N entries"},
	{&vlan, "boot-vlan", scenario_boot_vlan, SPAWNS, 0, 4000, NULL,
	 "start to ready with 4,000 VLAN interfaces"},
	{&perf_test, "beside-readers", scenario_beside_readers, 0, 0, 0, NULL,
	 "writes of one entry beside four readers of N"},
	{&perf_test, "idle", scenario_idle, BY_NAME | SPAWNS, 0, 0, NULL,
	 "provision with 1,000 idle sessions and without; only when named"},
	{&perf_test, "pipeline", scenario_pipeline, BY_NAME | SPAWNS, 0, 0, NULL,
	 "N commits, 64 outstanding: synced, not synced, and one at a time; only when named"},
	{&perf_test, "sessions", scenario_sessions, BY_NAME | SPAWNS, 0, 0, NULL,
	 "N commits of 8 sessions: synced, not synced, and of one; only when named"},
	{&perf_test, "snapshot", scenario_snapshot, BY_NAME | SPAWNS, 0, 0, NULL,
	 "commits beside a snapshot of N entries; only when named"},
	{&perf_test, "ready", scenario_ready, BY_NAME | SPAWNS, 0, 0, NULL,
	 "start to ready from a snapshot of N entries; only when named"},
	{&perf_test, "replay", scenario_replay, BY_NAME | SPAWNS, 0, 0, NULL,
	 "start to ready from a journal of N small commits alone; only when named"},
	{&controller, "edit", scenario_controller_edit, 0, 0, 0, NULL,
	 "store, equal replace, update of two leaves of each, replace of N devices"},
	{&controller, "read", scenario_controller_read, 0, 0, 0, NULL,
	 "read of all, of the top alone, of 1,000 by a filter, of what is not there"},
	{&controller, "query", scenario_controller_query, 0, 0, 0, NULL,
	 "XPath filters: by a leaf, by its ancestor, by //"},
	{&controller, "delete", scenario_controller_delete, 0, 0, 0, NULL,
	 "deletion of 300 devices, one by one and at once; removal of what is gone"},
	{&controller, "lists", scenario_controller_lists, 0, 0, 0, NULL,
	 "deletion of 300 containers, and of 300 lists of 100 entries"},
	{&controller, "compare", scenario_controller_compare, 0, 0, 0, NULL,
	 "running against a candidate where 10 devices differ, and where all do"},
	{&directory, "import", scenario_directory_import, 0, 0, 0, NULL, "N users in one edit"},
	{&directory, "export", scenario_directory_export, 0, 0, 0, NULL, "get-config of N users"},
	{&directory, "modify", scenario_directory_modify, 0, 0, 0, NULL,
	 "one leaf of a random user a request, by 1, 4, 8 sessions"},
	{&directory, "search", scenario_directory_search, 0, 0, 0, NULL,
	 "a random user by key, by one session against ssh-echo and by 1, 4, 8"},
	{&directory, "search-leaf", scenario_directory_search_leaf, 0, 0, 0, NULL,
	 "a random user by a leaf that is no key, against a search by key"},
	{&directory, "group-commit", scenario_directory_group_commit, SPAWNS, 0, 1000, NULL,
	 "commits that one sync covers, with 1, 4, 8 sessions"},
	{&constraints, "commit", scenario_constraints_commit, SPAWNS, 0, 0, NULL,
	 "one small edit for each kind of constraint, beside 1,000 nodes and beside N"},
};

/* What the results of a scenario are named, behind the suite, where it is not as the scenario; # stands for a
 * number. */
static const struct {
	const char *scenario, *rows;
} row_names[] = {
	{"controller/edit", "store replace-same update replace"},
	{"controller/read", "read read-filter read-top read-missing"},
	{"controller/query", "query-leaf query-deep-leaf query-ancestor query-anywhere"},
	{"controller/delete", "delete-each remove-missing delete"},
	{"controller/lists", "delete-containers store-lists delete-lists"},
	{"controller/compare", "compare compare-all"},
	{"directory/modify", "modify-#"},
	{"directory/search", "search-key search-#"},
	{"directory/search-leaf", "search-leaf-key search-leaf"},
	{"directory/group-commit", "group-commit-#"},
};

#define SCENARIO_COUNT (sizeof(scenarios) / sizeof(scenarios[0]))

static const char *full_name(const struct scenario *scenario, char *name)
{
	snprintf(name, NAME_SIZE, "%s/%s", scenario->suite->name, scenario->name);
	return name;
}

/* Their names with spaces between them; NULL: its own name. */
static const char *rows_of(const struct scenario *scenario)
{
	const char *name = full_name(scenario, (char[NAME_SIZE]){0});
	for (size_t i = 0; i < sizeof(row_names) / sizeof(row_names[0]); i++)
		if (strcmp(name, row_names[i].scenario) == 0)
			return row_names[i].rows;
	return NULL;
}

/* Rows whose median is to be the same multiple of its floor at all sizes. */
static const struct {
	const char *scenario, *row;
} flat[] = {
	{"controller/read", "controller/read-top"},
	{"controller/compare", "controller/compare"},
	{"directory/search", "directory/search-key"},
};

static void print_sizes(const struct suite *suite)
{
	for (size_t i = 0; i < sizeof(suite->sizes) / sizeof(suite->sizes[0]) && suite->sizes[i] != 0; i++)
		printf("%s%" PRIu64, i > 0 ? "," : "  --sizes ", suite->sizes[i]);
	printf("\n");
}

void suites_list(void)
{
	char name[NAME_SIZE];
	for (size_t i = 0; i < SCENARIO_COUNT; i++) {
		const struct scenario *scenario = &scenarios[i];
		if (i == 0 || strcmp(scenario->suite->name, scenarios[i - 1].suite->name) != 0) {
			printf("%s", scenario->suite->name);
			print_sizes(scenario->suite);
		}
		printf("  %-24s %s\n", full_name(scenario, name), scenario->help);
		if (rows_of(scenario) != NULL)
			printf("  %-24s rows: %s\n", "", rows_of(scenario));
	}
	printf("router\n  not available yet: it needs notifications\n");
}

/* Whether the text is the word of that size, where # stands for a number. */
static bool is_word(const char *text, const char *word, size_t size)
{
	for (; size > 0; word++, size--) {
		size_t digits = *word == '#' ? strspn(text, "0123456789") : *text == *word;
		if (digits == 0)
			return false;
		text += digits;
	}
	return *text == '\0';
}

static bool is_row(const char *text, const struct scenario *scenario)
{
	for (const char *word = rows_of(scenario); word != NULL && *word != '\0';) {
		size_t size = strcspn(word, " ");
		if (is_word(text, word, size))
			return true;
		word += size + strspn(word + size, " ");
	}
	return false;
}

/* What a text on the command line names. */
enum named { NAMED_NOT, NAMED_SUITE, NAMED_SCENARIO, NAMED_ROW };

static enum named what_is_named(const char *text, const struct scenario *scenario)
{
	size_t size = strlen(scenario->suite->name);
	if (strncmp(text, scenario->suite->name, size) != 0)
		return NAMED_NOT;
	if (text[size] == '\0')
		return NAMED_SUITE;
	if (text[size] != '/')
		return NAMED_NOT;
	if (strcmp(text + size + 1, scenario->name) == 0)
		return NAMED_SCENARIO;
	return is_row(text + size + 1, scenario) ? NAMED_ROW : NAMED_NOT;
}

static bool is_chosen(const struct options *options, const struct scenario *scenario)
{
	for (size_t i = 0; i < options->scenario_count; i++) {
		enum named named = what_is_named(options->scenarios[i], scenario);
		if (named > NAMED_SUITE || (named == NAMED_SUITE && !(scenario->flags & BY_NAME)))
			return true;
	}
	return false;
}

/* Says why there is nothing of that name, with what there is instead. */
static void say_unknown(const char *text)
{
	const char *slash = strchr(text, '/');
	size_t size = slash != NULL ? (size_t)(slash - text) : strlen(text);
	char has[512] = "";
	for (size_t i = 0, length = 0; i < SCENARIO_COUNT && length < sizeof(has); i++)
		if (is_word(scenarios[i].suite->name, text, size))
			length += (size_t)snprintf(has + length, sizeof(has) - length, "%s%s",
						   length > 0 ? ", " : "", scenarios[i].name);
	if (has[0] != '\0')
		say("no scenario '%s'; that suite has %s", text, has);
	else if (strncmp(text, "peers/", size + 1) == 0)
		say("'%s' is a row of yare-bench peers perf-test%s", text, slash);
	else if (is_word("router", text, size))
		say("router is not available yet: it needs notifications");
	else
		say("no suite or scenario '%s'; yare-bench list names them", text);
}

bool suites_are_known(const struct options *options)
{
	for (size_t i = 0; i < options->scenario_count; i++) {
		const char *text = options->scenarios[i];
		enum named named = NAMED_NOT;
		size_t at = 0;
		for (; at < SCENARIO_COUNT && named < NAMED_SCENARIO; at++) {
			enum named here = what_is_named(text, &scenarios[at]);
			named = here != NAMED_NOT ? here : named;
		}
		if (named == NAMED_NOT) {
			say_unknown(text);
			return false;
		}
		if (named == NAMED_ROW)
			say("%s is measured with all of %s", text,
			    full_name(&scenarios[at - 1], (char[NAME_SIZE]){0}));
	}
	return true;
}

static void use_sizes(struct run *run, const struct suite *suite)
{
	const struct options *options = run->options;
	run->suite = suite;
	run->sizes = options->sizes != NULL ? options->sizes : suite->sizes;
	run->size_count = options->size_count;
	while (options->sizes == NULL && run->size_count < sizeof(suite->sizes) / sizeof(suite->sizes[0]) &&
	       suite->sizes[run->size_count] != 0)
		run->size_count++;
}

/* For the time left: what a server's start costs, and what each entry does. */
static double weight_of(uint64_t n)
{
	return 2000 + (double)n;
}

static bool run_size(struct run *run, const struct scenario *scenario, uint64_t n)
{
	const char *name = full_name(scenario, (char[NAME_SIZE]){0});
	for (unsigned i = 0; i < run->options->repeat && !run_interrupted(); i++) {
		progress_step(&run->progress, name, n, weight_of(n));
		enum status status = scenario->run(run, n);
		if (status != ST_OK) {
			say("%s, N = %" PRIu64 ": failed (%s)", name, n, status_name(status));
			return false;
		}
		for (size_t j = 0; j < run->peers.count && !run_interrupted(); j++)
			peers_measure(run, &run->peers.list[j], name, scenario->run, n);
	}
	return true;
}

static bool run_sizes(struct run *run, const struct scenario *scenario)
{
	if (scenario->only != 0)
		return run_size(run, scenario, scenario->only);
	bool good = true;
	for (size_t i = 0; i < run->size_count && !run_interrupted(); i++) {
		if (scenario->most != 0 && run->sizes[i] > scenario->most)
			say("%s/%s, N = %" PRIu64 " left out: the module allows %" PRIu64,
			    scenario->suite->name, scenario->name, run->sizes[i], scenario->most);
		else
			good = run_size(run, scenario, run->sizes[i]) && good;
	}
	return good;
}

/* The modules and sizes of the scenario's suite; false (said) where the modules are not there. */
static bool use_suite(struct run *run, const struct scenario *scenario)
{
	const struct options *options = run->options;
	const struct suite *suite = scenario->suite;
	use_sizes(run, suite);
	if (suite->folder == NULL)
		return true;
	snprintf(run->models, sizeof(run->models), "%s/%s", options->models, suite->folder);
	if (!options->spawns || access(run->models, R_OK) == 0)
		return true;
	say("%s/%s left out: it needs the modules in %s; say where with --models", suite->name,
	    scenario->name, run->models);
	return false;
}

static bool run_scenario(struct run *run, const struct scenario *scenario)
{
	if ((scenario->flags & SPAWNS) && !run->options->spawns) {
		say("%s/%s left out: it needs --target spawn", scenario->suite->name, scenario->name);
		return true;
	}
	if (!use_suite(run, scenario))
		return false;
	bool good = run_sizes(run, scenario);
	const char *name = full_name(scenario, (char[NAME_SIZE]){0});
	if (scenario->metric != NULL)
		run_add_linearity(run, name, scenario->metric, CPU_GROWTH);
	for (size_t i = 0; i < sizeof(flat) / sizeof(flat[0]); i++)
		if (strcmp(name, flat[i].scenario) == 0)
			run_add_growth(run, flat[i].row);
	return good;
}

static double weight_of_all(struct run *run)
{
	double weight = 0;
	for (size_t i = 0; i < SCENARIO_COUNT; i++) {
		if (!is_chosen(run->options, &scenarios[i]))
			continue;
		use_sizes(run, scenarios[i].suite);
		for (size_t j = 0; j < run->size_count && scenarios[i].only == 0; j++)
			weight += weight_of(run->sizes[j]);
		if (scenarios[i].only != 0)
			weight += weight_of(scenarios[i].only);
	}
	return weight * run->options->repeat;
}

bool suites_run(struct run *run)
{
	progress_begin(&run->progress, weight_of_all(run));
	if (run->options->with_peers && peers_find(run, &run->peers) != ST_OK)
		return false;
	bool good = true;
	for (size_t i = 0; i < SCENARIO_COUNT && !run_interrupted(); i++)
		if (is_chosen(run->options, &scenarios[i]))
			good = run_scenario(run, &scenarios[i]) && good;
	progress_end(&run->progress);
	if (run->peers.count > 0)
		peers_compare(run, &run->peers);
	return good;
}
