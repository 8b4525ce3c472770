/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * One run: what all scenarios share. A scenario measures one size once; the runner calls it for each size and
 * repetition.
 */
#include <limits.h>
#include <stdbool.h>
#include "client.h"
#include "environment.h"
#include "floor.h"
#include "generate_perf_test.h"
#include "options.h"
#include "process.h"
#include "progress.h"
#include "results.h"
#include "spawn.h"
#include "stats.h"

/* Other servers that are measured beside (peers.h). */
#define PEERS_MAX 8

struct peer {
	const char *name, *script;
	char version[64];
	/* The scenario and size at which it took longer than --peer-limit; larger ones are left out. */
	const char *slow_scenario;
	uint64_t slow_n;
};

struct peers {
	struct peer list[PEERS_MAX];
	size_t count;
};

/* What a server of a suite is started with, and how its data is taken away from one that runs already. */
struct suite {
	const char *name;
	const char *folder; /* below --models; NULL: --yang-dir */
	const char *modules[SERVER_MODULES_MAX + 1];
	const char *remove; /* content of an edit's <config> that removes everything; NULL: known to run.c */
	const char *const *more; /* further arguments of yared, up to a NULL; NULL: none */
	uint64_t sizes[6];	 /* where --sizes gives none; up to the first 0 */
};

struct run {
	const struct options *options;
	const struct suite *suite; /* of the scenario that runs */
	const char *peer;	   /* script of the server that is measured now; NULL: yared or the target */
	const uint64_t *sizes;	   /* of that scenario */
	size_t size_count;
	char models[PATH_MAX]; /* where the suite's modules are */
	struct peers peers;    /* none but with the command peers */
	struct progress progress;
	struct home *home;
	struct echo *echo;
	struct results results;
	struct arena *texts; /* names of rows that are no literals */
	struct environment environment;
};

enum run_transport { RUN_SSH, RUN_UNIX };

/* One repetition at one size. Fails: what failed has been said; the run goes on with the next. */
typedef enum status scenario_fn(struct run *run, uint64_t n);

scenario_fn scenario_provision, scenario_complex, scenario_restore, scenario_memory, scenario_bulk_read,
	scenario_read_latency, scenario_read_key, scenario_keepalive, scenario_idle, scenario_refuse,
	scenario_boot, scenario_boot_vlan, scenario_beside_readers;
scenario_fn scenario_pipeline, scenario_sessions, scenario_snapshot, scenario_replay, scenario_ready;
scenario_fn scenario_controller_edit, scenario_controller_read, scenario_controller_query,
	scenario_controller_delete, scenario_controller_lists, scenario_controller_compare;
scenario_fn scenario_directory_import, scenario_directory_export, scenario_directory_modify,
	scenario_directory_search, scenario_directory_search_leaf, scenario_directory_group_commit;
scenario_fn scenario_constraints_commit;

/* Home and echo server. What fails is said. */
enum status run_begin(struct run *run, const struct options *options) MUST_USE;
void run_end(struct run *run);
/* From the first SIGINT on; what was measured until then is reported. */
bool run_interrupted(void);

/* The settings that the options say, of a server for that many sessions. */
struct server_settings run_settings(const struct run *run, unsigned sessions);
/* A server without data: a new one, or the target, whose perf-test data is removed; `sessions` will be
 * connected at a time. */
enum status run_server(struct run *run, unsigned sessions, struct server **server) MUST_USE;
/* The transport that --transport or the target names. */
enum run_transport run_default_transport(const struct run *run);
enum status run_connect(struct run *run, const struct server *server, enum run_transport transport,
			struct client **client) MUST_USE;

/* Such a server with one client of the default transport, and what is measured of them. */
typedef enum status run_measure_fn(struct run *run, const struct server *server, struct client *client,
				   uint64_t n);
enum status run_on_server(struct run *run, unsigned sessions, run_measure_fn *measure, uint64_t n) MUST_USE;

struct run_cost {
	uint64_t elapsed_ns; /* first byte sent to last byte received */
	uint64_t cpu_ns;     /* of the server, until it rests again; 0: not ours */
	uint64_t written;    /* bytes sent to storage meanwhile; 0: unknown */
};

/* One edit. Takes the document without framing; its framing is not timed. Fails with ST_REJECTED (said) where
 * the server refuses. `cost` NULL: what follows is measured, so waits until the server rests. */
enum status run_edit(const struct server *server, struct client *client, struct bytes document,
		     struct run_cost *cost) MUST_USE;
/* The same for a generated one. */
enum status run_load(struct run *run, const struct server *server, struct client *client,
		     enum perf_test_what what, struct perf_test_range range) MUST_USE;
/* Reads everything. The reply's inputs are the caller's. */
enum status run_get_all(struct client *client, struct client_reply *reply) MUST_USE;
/* Says and fails with ST_CORRUPT unless the server holds n entries, and as many members. */
enum status run_verify(struct client *client, uint64_t entries, uint64_t members) MUST_USE;

/* One request without framing, timed, as run_edit(). */
enum status run_request(struct client *client, struct bytes request, struct client_reply *reply,
			uint64_t *elapsed_ns) MUST_USE;
/* Whether the server syncs before it answers. */
bool run_is_synced(const struct run *run);

/* A name that lives as long as the run. */
const char *run_text(struct run *run, const char *format, ...) PRINTF_LIKE(2, 3);

struct run_metric {
	const char *name, *unit;
	const char *floor; /* metric of the same scenario and size; NULL: none */
};

/* A sample of a row. */
void run_add(struct run *run, const char *scenario, uint64_t n, struct run_metric metric, double value);

/* A row per percentile of what `prefix` names: a literal among those in run.c. */
enum run_latency {
	RUN_LATENCY_PLAIN,
	RUN_LATENCY_ECHO,
	RUN_LATENCY_IDLE,
	RUN_LATENCY_BEFORE,
	RUN_LATENCY_DURING,
	RUN_LATENCY_ALONE,
	RUN_LATENCY_SNAPSHOT
};
struct stats;
/* `floor`: the metric that is the floor of the median; NULL: none. */
void run_add_latencies(struct run *run, const char *scenario, uint64_t n, enum run_latency kind,
		       const struct stats *stats, const char *floor);
/* After all sizes: each value over that of N = 5,000 (or the smallest size) as a row of its own. `metric` is
 * one an entry; `name` is the row's. */
void run_add_linearity(struct run *run, const char *scenario, const char *metric, const char *name);
/* The same of the median latency over its floor, against that of the smallest size. `scenario`: a literal. */
void run_add_growth(struct run *run, const char *scenario);
