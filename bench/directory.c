/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The directory suite, as the tool of a directory server measures itself: the first measurement is dropped,
 * the mean and the mean without outliers of the others are given (as rows besides the median that every row
 * is).
 *
 *     import    everything in one edit, on an empty server each time
 *     export    everything in one get-config
 *     modify    one leaf of a random user a request, by 1, 4, 8 sessions
 *     search    a random user by his key, by 1, 4, 8 sessions; by a leaf that is no key
 */
#include "base/memory.h"
#include "crowd.h"
#include "generate.h"
#include "generate_directory.h"
#include "say.h"

#define MEASUREMENTS 6 /* the first is dropped */
#define LARGE 100000   /* users from which on fewer are made of what takes long */
#define MEASUREMENTS_LARGE 3
#define MODIFICATIONS 500 /* a session and measurement */
#define KEY_SEARCHES 4000 /* of one session, against ssh-echo */
#define SEARCHES 1000	  /* a session and measurement */
#define LEAF_SEARCHES 20

struct work {
	struct operation operation;
	struct directory directory;
	struct server *server;
	uint64_t round; /* tells the values of one measurement from those of the next */
	unsigned sessions;
};

/* What is done on a server that holds everything. */
struct plan {
	enum status (*measure)(struct work *work); /* NULL: the import itself is measured */
	unsigned sessions;
};

static unsigned measurements(const struct work *work)
{
	return work->directory.users >= LARGE ? MEASUREMENTS_LARGE : MEASUREMENTS;
}

static void add(const struct work *work, const char *scenario, struct run_metric metric, double value)
{
	run_add(work->operation.run, scenario, work->operation.n, metric, value);
}

static void make_modification(struct buffer *out, uint64_t i, void *arg)
{
	const struct work *work = arg;
	uint64_t number = work->round + i;
	directory_modify(out, i + 1, directory_pick(work->directory, number), number);
}

static void make_key_search(struct buffer *out, uint64_t i, void *arg)
{
	const struct work *work = arg;
	directory_search_key(out, i + 1, directory_pick(work->directory, work->round + i));
}

static void make_leaf_search(struct buffer *out, uint64_t i, void *arg)
{
	const struct work *work = arg;
	directory_search_mail(out, i + 1, work->directory, directory_pick(work->directory, work->round + i));
}

static enum status import(struct work *work, bool timed)
{
	struct buffer document;
	buffer_init(&document, SIZE_MAX);
	directory_import(&document, 1, work->directory);
	work->operation.scenario = "directory/import";
	enum status status =
		timed ? operation_edit(&work->operation, buffer_get(&document))
		      : run_edit(work->server, work->operation.client, buffer_get(&document), NULL);
	buffer_fini(&document);
	return status;
}

/* All lineups are connected at a time. */
static unsigned session_sum(const struct options *options)
{
	unsigned sum = 1;
	for (size_t i = 0; i < options->session_count; i++)
		sum += options->sessions[i];
	return sum;
}

/* On a new server with everything. */
static enum status on_server(struct run *run, uint64_t n, struct plan plan)
{
	struct work work = {.directory = {run->options->seed, n},
			    .sessions = plan.sessions,
			    .operation = {.run = run,
					  .n = n,
					  .items = n,
					  .rate = "users a second",
					  .transport = run_default_transport(run)}};
	struct client *client = NULL;
	enum status status = run_server(run, session_sum(run->options), &work.server);
	if (status != ST_OK)
		return status;
	status = run_connect(run, work.server, work.operation.transport, &client);
	work.operation.server = work.server;
	work.operation.client = client;
	if (status == ST_OK)
		status = import(&work, plan.measure == NULL);
	if (status == ST_OK && plan.measure != NULL)
		status = plan.measure(&work);
	client_close(client);
	server_end(work.server);
	return status;
}

static enum status measure_nothing(struct work *work)
{
	(void)work;
	return ST_OK;
}

enum status scenario_directory_import(struct run *run, uint64_t n)
{
	unsigned count = n >= LARGE ? MEASUREMENTS_LARGE : MEASUREMENTS;
	enum status status = ST_OK;
	for (unsigned i = 0; i < count && status == ST_OK && !run_interrupted(); i++)
		status = on_server(run, n, (struct plan){i > 0 ? NULL : measure_nothing, 0});
	return status;
}

static enum status measure_export(struct work *work)
{
	struct scan counter;
	scan_init(&counter, "<uid>");
	struct client_reply reply = {.counter = &counter};
	struct buffer request;
	buffer_init(&request, SIZE_MAX);
	generate_get_config(&request, 1);
	work->operation.scenario = "directory/export";
	enum status status = run_get_all(work->operation.client, &reply);
	if (status == ST_OK && counter.count != work->directory.users)
		status = say_failed("the export has %llu users", (unsigned long long)counter.count);
	reply = (struct client_reply){0};
	if (status == ST_OK)
		status = operation_read(&work->operation, buffer_get(&request), measurements(work) - 1,
					&reply);
	buffer_fini(&request);
	return status;
}

enum status scenario_directory_export(struct run *run, uint64_t n)
{
	return on_server(run, n, (struct plan){measure_export, 0});
}

/* `kind` with each number of sessions that --sessions names, as rows of the scenario "kind-SESSIONS". */
struct kind {
	const char *name, *rate;
	operation_make_fn *make;
	uint64_t count; /* a session and measurement */
};

struct lineup {
	struct crowd crowd;
	struct crowd_figures figures;
	const char *scenario;
};

static enum status measure_once(struct work *work, const struct kind *kind, struct lineup *lineup,
				bool counts)
{
	const struct crowd_work requests = {kind->make, work, lineup->crowd.count * kind->count};
	enum status status = crowd_work(&lineup->crowd, &requests, &lineup->figures);
	work->round += requests.count;
	if (!counts)
		vector_clear(&lineup->figures.latencies.samples);
	else if (status == ST_OK)
		add(work, lineup->scenario, (struct run_metric){kind->rate, "1/s", NULL},
		    (double)lineup->figures.operations * 1e9 / (double)lineup->figures.elapsed_ns);
	return status;
}

static void report_kind(struct work *work, const struct kind *kind, const struct lineup *lineups,
			size_t count)
{
	struct run *run = work->operation.run;
	uint64_t n = work->operation.n;
	double base = 0;
	for (size_t i = 0; i < count; i++) {
		const struct result_row *row =
			results_find(&run->results, (struct result_key){lineups[i].scenario, n, kind->rate});
		double rate = row != NULL ? result_value(row) : 0;
		base = i == 0 ? rate : base;
		run_add_latencies(run, lineups[i].scenario, n, RUN_LATENCY_PLAIN,
				  &lineups[i].figures.latencies, NULL);
		if (i > 0 && base > 0)
			add(work, lineups[i].scenario,
			    (struct run_metric){"rate over that of the fewest sessions", "x", NULL},
			    rate / base);
	}
}

/* Numbers of sessions take turns, so that what else happens on the machine meets all of them. */
static enum status measure_kind(struct work *work, const struct kind *kind)
{
	struct run *run = work->operation.run;
	const struct options *options = run->options;
	struct lineup *lineups = memory_zalloc(options->session_count * sizeof(*lineups));
	enum status status = ST_OK;
	for (size_t i = 0; i < options->session_count && status == ST_OK; i++) {
		lineups[i].scenario = run_text(run, "%s-%u", kind->name, options->sessions[i]);
		stats_init(&lineups[i].figures.latencies);
		status = crowd_open(&lineups[i].crowd, run, work->server,
				    (struct crowd_shape){options->sessions[i], options->pipeline});
	}
	for (unsigned round = 0; round < MEASUREMENTS && !run_interrupted(); round++)
		for (size_t i = 0; i < options->session_count && status == ST_OK; i++)
			status = measure_once(work, kind, &lineups[i], round > 0);
	if (status == ST_OK && !run_interrupted())
		report_kind(work, kind, lineups, options->session_count);
	for (size_t i = 0; i < options->session_count; i++) {
		crowd_close(&lineups[i].crowd);
		stats_fini(&lineups[i].figures.latencies);
	}
	memory_free(lineups);
	return status;
}

static enum status measure_modify(struct work *work)
{
	static const struct kind kind = {"directory/modify", "modifications a second", make_modification,
					 MODIFICATIONS};
	return measure_kind(work, &kind);
}

enum status scenario_directory_modify(struct run *run, uint64_t n)
{
	return on_server(run, n, (struct plan){measure_modify, 0});
}

static enum status search_by_key(struct work *work, const char *scenario)
{
	struct operation operation = work->operation;
	struct operation_small small = {.make = make_key_search, .arg = work, .count = KEY_SEARCHES};
	operation.scenario = scenario;
	operation.items = 0;
	enum status status = operation_small(&operation, &small);
	work->round += KEY_SEARCHES;
	return status;
}

/* The first one may build an index for those after it, so that it is a row of its own. */
static enum status measure_search_leaf(struct work *work)
{
	struct operation operation = work->operation;
	struct operation_small small = {.make = make_leaf_search, .arg = work, .count = LEAF_SEARCHES};
	struct results *results = &operation.run->results;
	const char *scenario = operation.scenario = "directory/search-leaf";
	struct client_reply reply = {0};
	struct buffer request;
	uint64_t elapsed_ns, n = operation.n;
	enum status status = search_by_key(work, "directory/search-leaf-key");
	operation.items = 0;
	buffer_init(&request, SIZE_MAX);
	make_leaf_search(&request, 0, work);
	if (status == ST_OK)
		status = run_request(operation.client, buffer_get(&request), &reply, &elapsed_ns);
	buffer_fini(&request);
	work->round++;
	if (status == ST_OK)
		status = operation_small(&operation, &small);
	if (status != ST_OK || run_interrupted())
		return status;
	double leaf = result_value(results_find(results, (struct result_key){scenario, n, "p50"}));
	double key = result_value(
		results_find(results, (struct result_key){"directory/search-leaf-key", n, "p50"}));
	add(work, scenario, (struct run_metric){"first", "us", NULL}, (double)elapsed_ns / 1e3);
	add(work, scenario, (struct run_metric){"p50 over that of a search by key", "x", NULL}, leaf / key);
	return ST_OK;
}

enum status scenario_directory_search_leaf(struct run *run, uint64_t n)
{
	return on_server(run, n, (struct plan){measure_search_leaf, 0});
}

static enum status measure_search(struct work *work)
{
	static const struct kind kind = {"directory/search", "searches a second", make_key_search, SEARCHES};
	enum status status = search_by_key(work, "directory/search-key");
	return status == ST_OK ? measure_kind(work, &kind) : status;
}

enum status scenario_directory_search(struct run *run, uint64_t n)
{
	return on_server(run, n, (struct plan){measure_search, 0});
}

/* Commits that one sync covers: a server for each number of sessions, since it tells the figure of all its
 * life. */
static enum status count_commits(struct work *work)
{
	struct run *run = work->operation.run;
	unsigned sessions = work->sessions;
	struct lineup lineup = {.scenario = run_text(run, "directory/group-commit-%u", sessions)};
	const struct kind kind = {NULL, "modifications a second", make_modification, MODIFICATIONS};
	stats_init(&lineup.figures.latencies);
	enum status status = crowd_open(&lineup.crowd, run, work->server,
					(struct crowd_shape){sessions, run->options->pipeline});
	if (status == ST_OK)
		status = measure_once(work, &kind, &lineup, true);
	crowd_close(&lineup.crowd);
	stats_fini(&lineup.figures.latencies);
	if (status != ST_OK)
		return status;
	server_stop(work->server);
	double commits = server_commits_a_sync(work->server);
	if (commits > 0)
		add(work, lineup.scenario, (struct run_metric){"commits a sync", "", NULL}, commits);
	return ST_OK;
}

enum status scenario_directory_group_commit(struct run *run, uint64_t n)
{
	enum status status = ST_OK;
	for (size_t i = 0; i < run->options->session_count && status == ST_OK && !run_interrupted(); i++)
		status = on_server(run, n, (struct plan){count_commits, run->options->sessions[i]});
	return status;
}
