/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pipeline, sessions: how well commits share syncs. The same load goes, block by block in turn, to a server
 * at full durability and to one that writes its journal but does not sync it; a third one, at full durability
 * too, gets commits from one session one at a time. How many syncs there were is in the server's log.
 */
#include "creations.h"

#define BLOCKS 20
#define PIPELINE 64 /* requests outstanding, unless --pipeline says how many */

enum { FULL, NONE, SINGLE, SIDES };

struct side {
	struct server *server;
	struct creations creations;
	uint64_t elapsed_ns;
};

static enum status open_side(struct run *run, struct side *side, const char *durability,
			     struct crowd_shape shape)
{
	struct server_settings settings = run_settings(run, shape.sessions);
	settings.durability = durability;
	enum status status = server_start(run->home, &settings, &side->server);
	return status == ST_OK ? creations_open(&side->creations, run, side->server, shape) : status;
}

static enum status open_sides(struct run *run, struct crowd_shape shape, struct side sides[SIDES])
{
	enum status status = open_side(run, &sides[FULL], "full", shape);
	if (status == ST_OK)
		status = open_side(run, &sides[NONE], "none", shape);
	if (status == ST_OK)
		status = open_side(run, &sides[SINGLE], "full", (struct crowd_shape){1, 1});
	return status;
}

static enum status run_block(struct side sides[SIDES], uint64_t count)
{
	enum status status = ST_OK;
	for (size_t i = 0; i < SIDES && status == ST_OK; i++) {
		/* As long as the others, more or less. */
		uint64_t share = i == SINGLE ? count / 8 + 1 : count;
		status = creations_run(&sides[i].creations, share, &sides[i].elapsed_ns);
	}
	return status;
}

static double rate(const struct side *side)
{
	return side->elapsed_ns > 0 ? (double)side->creations.count * 1e9 / (double)side->elapsed_ns : 0;
}

static void add(struct run *run, struct result_key key, const char *unit, double value, const char *floor)
{
	results_add(&run->results, key, unit, value, floor);
}

static void report(struct run *run, const char *scenario, uint64_t n, const struct side sides[SIDES],
		   double a_sync)
{
	add(run, (struct result_key){scenario, n, "commits, none"}, "/s", rate(&sides[NONE]), NULL);
	add(run, (struct result_key){scenario, n, "commits, one at a time"}, "/s", rate(&sides[SINGLE]),
	    NULL);
	add(run, (struct result_key){scenario, n, "commits"}, "/s", rate(&sides[FULL]), "commits, none");
	add(run, (struct result_key){scenario, n, "over those not synced"}, "x",
	    rate(&sides[FULL]) / rate(&sides[NONE]), NULL);
	add(run, (struct result_key){scenario, n, "over one at a time"}, "x",
	    rate(&sides[FULL]) / rate(&sides[SINGLE]), NULL);
	add(run, (struct result_key){scenario, n, "commits a sync"}, "", a_sync, NULL);
}

static enum status measure(struct run *run, const char *scenario, struct crowd_shape shape, uint64_t n)
{
	struct side sides[SIDES] = {0};
	enum status status = open_sides(run, shape, sides);
	uint64_t block = n / BLOCKS > 0 ? n / BLOCKS : 1;
	for (uint64_t done = 0; done < n && status == ST_OK && !run_interrupted(); done += block)
		status = run_block(sides, n - done < block ? n - done : block);
	for (size_t i = 0; i < SIDES && status == ST_OK; i++)
		status = creations_verify(&sides[i].creations);
	for (size_t i = 0; i < SIDES; i++)
		creations_close(&sides[i].creations);
	if (status == ST_OK && !run_interrupted()) {
		server_stop(sides[FULL].server);
		report(run, scenario, n, sides, server_commits_a_sync(sides[FULL].server));
	}
	for (size_t i = 0; i < SIDES; i++)
		server_end(sides[i].server);
	return status;
}

enum status scenario_pipeline(struct run *run, uint64_t n)
{
	unsigned pipeline = run->options->pipeline > 1 ? run->options->pipeline : PIPELINE;
	return measure(run, "perf-test/pipeline", (struct crowd_shape){1, pipeline}, n);
}

enum status scenario_sessions(struct run *run, uint64_t n)
{
	const struct options *options = run->options;
	unsigned sessions = options->sessions[options->session_count - 1];
	return measure(run, "perf-test/sessions", (struct crowd_shape){sessions, options->pipeline}, n);
}
