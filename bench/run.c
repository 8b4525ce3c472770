/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What all scenarios share: servers, connections, edits, checks of what a server holds afterwards. A figure
 * of a server that did not do the work is worthless, so scenarios count entries after they have measured.
 */
#include "run.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "generate.h"
#include "os/clock.h"
#include "say.h"
#include "stats.h"
#include "warm.h"

#define LINEARITY_BASE 5000
#define EDIT_MEMORY 6 /* bytes that an edit takes at most for one of its document, more or less */

/* Written by the signal handler alone; the reason why this file has state. */
static volatile sig_atomic_t interrupts;

static void on_interrupt(int number)
{
	(void)number;
	interrupts = 1;
}

bool run_interrupted(void)
{
	return interrupts != 0;
}

static void catch_interrupts(void)
{
	/* The second one ends the program at once; servers die with it, and their files go (home.c). */
	struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)(SA_RESTART | SA_RESETHAND)};
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static enum status start_echo(struct run *run)
{
	struct target target = {
		.user = "bench", .key = run->home->client_key, .ciphers = run->options->ciphers};
	return echo_start(run->home->host_key, &target, &run->echo);
}

enum status run_begin(struct run *run, const struct options *options)
{
	*run = (struct run){.options = options};
	results_init(&run->results);
	run->texts = arena_new();
	environment_record(&run->environment, options->spawns ? options->yared : NULL, options->target_text);
	run->environment.durability = options->spawns ? options->durability : "unknown";
	run->environment.transport = options->over_unix ? "unix" : "ssh";
	run->environment.seed = options->seed;
	snprintf(run->environment.cipher, sizeof(run->environment.cipher), "none");
	catch_interrupts();
	enum status status = home_new(&run->home);
	return status == ST_OK ? start_echo(run) : status;
}

void run_end(struct run *run)
{
	echo_end(run->echo);
	home_free(run->home);
	results_fini(&run->results);
	arena_free(run->texts);
}

enum run_transport run_default_transport(const struct run *run)
{
	return run->options->over_unix ? RUN_UNIX : RUN_SSH;
}

enum status run_connect(struct run *run, const struct server *server, enum run_transport transport,
			struct client **client)
{
	const struct target *target = transport == RUN_SSH ? &server->ssh : &server->unix_socket;
	enum status status = client_open(target, run->options->timeout_ms, client);
	if (status == ST_OK && transport == RUN_SSH)
		snprintf(run->environment.cipher, sizeof(run->environment.cipher), "%s",
			 client_cipher(*client));
	return status;
}

enum status run_request(struct client *client, struct bytes request, struct client_reply *reply,
			uint64_t *elapsed_ns)
{
	struct buffer framed;
	buffer_init(&framed, SIZE_MAX);
	client_frame(client, &framed, request);
	uint64_t begin_ns = os_clock_monotonic_ns();
	enum status status = client_call(client, buffer_get(&framed), reply);
	*elapsed_ns = os_clock_monotonic_ns() - begin_ns;
	buffer_fini(&framed);
	if (status == ST_REJECTED)
		client_say_error(reply);
	return status;
}

enum status run_edit(const struct server *server, struct client *client, struct bytes document,
		     struct run_cost *cost)
{
	warm_memory(document.size * EDIT_MEMORY);
	struct client_reply reply = {0};
	uint64_t elapsed_ns, written = server_written(server);
	uint64_t cpu_ns = server->pid > 0 ? process_cpu_ns(server->pid) : 0;
	enum status status = run_request(client, document, &reply, &elapsed_ns);
	if (cost != NULL)
		*cost = (struct run_cost){
			.elapsed_ns = elapsed_ns,
			.written = server_written(server) - written,
			.cpu_ns = server->pid > 0 ? process_cpu_settled_ns(server->pid) - cpu_ns : 0,
		};
	else if (server->pid > 0)
		process_rest(server->pid);
	return status;
}

enum status run_load(struct run *run, const struct server *server, struct client *client,
		     enum perf_test_what what, struct perf_test_range range)
{
	struct buffer document;
	buffer_init(&document, SIZE_MAX);
	range.seed = run->options->seed;
	perf_test_edit(&document, 1, what, range);
	enum status status = run_edit(server, client, buffer_get(&document), NULL);
	buffer_fini(&document);
	return status;
}

enum status run_get_all(struct client *client, struct client_reply *reply)
{
	struct buffer request;
	uint64_t elapsed_ns;
	buffer_init(&request, SIZE_MAX);
	generate_get_config(&request, 2);
	enum status status = run_request(client, buffer_get(&request), reply, &elapsed_ns);
	buffer_fini(&request);
	return status;
}

const char *run_text(struct run *run, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	const char *text = arena_vprintf(run->texts, format, args);
	va_end(args);
	return text;
}

bool run_is_synced(const struct run *run)
{
	return strcmp(run->environment.durability, "full") == 0;
}

void run_add(struct run *run, const char *scenario, uint64_t n, struct run_metric metric, double value)
{
	results_add(&run->results, (struct result_key){scenario, n, metric.name}, metric.unit, value,
		    metric.floor);
}

/* A start tag without attributes or prefix is counted, too; so once or twice each. */
static enum status verify_count(struct client *client, const char *element, uint64_t expected)
{
	struct scan counter;
	scan_init(&counter, element);
	struct client_reply reply = {.counter = &counter};
	enum status status = run_get_all(client, &reply);
	if (status != ST_OK)
		return status;
	if (counter.count == expected || counter.count == 2 * expected)
		return ST_OK;
	say("the server has not the %llu elements %s that it confirmed", (unsigned long long)expected,
	    element);
	return ST_CORRUPT;
}

enum status run_verify(struct client *client, uint64_t entries, uint64_t members)
{
	enum status status = verify_count(client, "local-list>", entries);
	return status == ST_OK ? verify_count(client, "local-leafref-members>", members) : status;
}

/* All entries go with their container; members each by its key, which is known of those that this program
 * made. */
static enum status remove_perf_test(struct run *run, const struct server *server, struct client *client)
{
	struct scan counter;
	scan_init(&counter, "local-leafref-members>");
	struct client_reply reply = {.counter = &counter};
	enum status status = run_get_all(client, &reply);
	if (status == ST_OK && counter.count > 0)
		status = run_load(run, server, client, PERF_TEST_REMOVE_MEMBERS,
				  (struct perf_test_range){.first = 1, .count = counter.count});
	if (status == ST_OK)
		status = run_load(run, server, client, PERF_TEST_REMOVE_ENTRIES, (struct perf_test_range){0});
	return status;
}

static enum status remove_data(struct run *run, const struct server *server, struct client *client)
{
	if (run->suite->remove == NULL)
		return remove_perf_test(run, server, client);
	struct buffer document;
	buffer_init(&document, SIZE_MAX);
	generate_edit_begin(&document, 1);
	generate_put(&document, run->suite->remove);
	generate_edit_end(&document);
	enum status status = run_edit(server, client, buffer_get(&document), NULL);
	buffer_fini(&document);
	return status;
}

/* Removes what is there of the suite; says what a target lacks. */
static enum status clear_target(struct run *run, const struct server *server, struct client *client)
{
	if (!client_writes_running(client))
		return say_failed("%s does not let clients write running (:writable-running)",
				  run->options->target_text);
	enum status status = remove_data(run, server, client);
	if (status != ST_REJECTED)
		return status;
	const char *modules = "";
	for (size_t i = 0; run->suite->modules[i] != NULL; i++)
		modules = run_text(run, "%s %s", modules, run->suite->modules[i]);
	say("%s needs the modules of %s, which this user may write:%s", run->options->target_text,
	    run->suite->name, modules);
	return status;
}

static enum status use_target(struct run *run, struct server **server)
{
	enum status status = server_attach(&run->options->target, server);
	if (status != ST_OK)
		return status;
	struct client *client;
	status = run_connect(run, *server, run_default_transport(run), &client);
	if (status == ST_OK) {
		status = clear_target(run, *server, client);
		client_close(client);
	}
	if (status != ST_OK)
		server_end(*server);
	return status;
}

struct server_settings run_settings(const struct run *run, unsigned sessions)
{
	const struct options *options = run->options;
	struct server_settings settings = {
		.program = options->yared,
		.peer = run->peer,
		.more = run->suite->more,
		.yang_dir = run->suite->folder != NULL ? run->models : options->yang_dir,
		.durability = options->durability,
		.ciphers = options->ciphers,
		.sessions = sessions,
	};
	memcpy(settings.modules, run->suite->modules, sizeof(settings.modules));
	return settings;
}

enum status run_server(struct run *run, unsigned sessions, struct server **server)
{
	if (!run->options->spawns)
		return use_target(run, server);
	struct server_settings settings = run_settings(run, sessions);
	return server_start(run->home, &settings, server);
}

enum status run_on_server(struct run *run, unsigned sessions, run_measure_fn *measure, uint64_t n)
{
	struct server *server;
	enum status status = run_server(run, sessions, &server);
	if (status != ST_OK)
		return status;
	struct client *client = NULL;
	status = run_connect(run, server, run_default_transport(run), &client);
	if (status == ST_OK)
		status = measure(run, server, client, n);
	client_close(client);
	server_end(server);
	return status;
}

struct latency_names {
	const char *p50, *p90, *p99, *p999, *max, *mean;
};

#define LATENCY_NAMES(prefix)                                                                                \
	{                                                                                                    \
		prefix "p50", prefix "p90", prefix "p99", prefix "p99.9", prefix "max", prefix "mean"        \
	}

static const struct latency_names latency_names[] = {
	[RUN_LATENCY_PLAIN] = LATENCY_NAMES(""),
	[RUN_LATENCY_ECHO] = LATENCY_NAMES("ssh-echo "),
	[RUN_LATENCY_IDLE] = LATENCY_NAMES("idle sessions "),
	[RUN_LATENCY_BEFORE] = LATENCY_NAMES("read before "),
	[RUN_LATENCY_DURING] = LATENCY_NAMES("read during "),
	[RUN_LATENCY_SNAPSHOT] = LATENCY_NAMES("beside it "),
	[RUN_LATENCY_ALONE] = LATENCY_NAMES("without readers "),
};

void run_add_latencies(struct run *run, const char *scenario, uint64_t n, enum run_latency kind,
		       const struct stats *stats, const char *floor)
{
	struct stats_summary summary = stats_summarize(stats);
	const struct latency_names *names = &latency_names[kind];
	const struct {
		const char *name;
		double value_ns;
	} rows[] = {{names->p50, summary.p50},	 {names->p90, summary.p90}, {names->p99, summary.p99},
		    {names->p999, summary.p999}, {names->max, summary.max}, {names->mean, summary.mean}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		results_add(&run->results, (struct result_key){scenario, n, rows[i].name}, "us",
			    rows[i].value_ns / 1e3, i == 0 ? floor : NULL);
}

void run_add_linearity(struct run *run, const char *scenario, const char *metric, const char *name)
{
	const struct result_row *base =
		results_find(&run->results, (struct result_key){scenario, LINEARITY_BASE, metric});
	for (size_t i = 0; i < run->size_count && base == NULL; i++)
		base = results_find(&run->results, (struct result_key){scenario, run->sizes[i], metric});
	if (base == NULL)
		return;
	double value = result_value(base);
	uint64_t base_n = base->key.n;
	scenario = base->key.scenario; /* a literal, which a row may keep */
	for (size_t i = 0; i < run->size_count; i++) {
		uint64_t n = run->sizes[i];
		const struct result_row *row =
			results_find(&run->results, (struct result_key){scenario, n, metric});
		if (row != NULL && n > base_n && value > 0)
			results_add(&run->results, (struct result_key){scenario, n, name}, "x",
				    result_value(row) / value, NULL);
	}
}

void run_add_growth(struct run *run, const char *scenario)
{
	double base = 0;
	for (size_t i = 0; i < run->size_count; i++) {
		struct result_key key = {scenario, run->sizes[i], "p50"};
		const struct result_row *row = results_find(&run->results, key);
		double ratio = row != NULL ? result_ratio(&run->results, row) : 0;
		if (ratio > 0 && base > 0)
			run_add(run, scenario, key.n, (struct run_metric){"p50, growth", "x", NULL},
				ratio / base);
		else if (base <= 0)
			base = ratio;
	}
}
