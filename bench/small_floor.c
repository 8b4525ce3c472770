/* SPDX-License-Identifier: BSD-3-Clause */
/* Echo and syncs are measured one after the other, since a commit has them one after the other, too. */
#include "small_floor.h"

#define RECORD_SIZE 256 /* bytes of a journal record of one entry */
#define SYNCS 10	/* a block */

enum status small_floor_begin(struct small_floor *floor, struct run *run, bool commits)
{
	*floor = (struct small_floor){.run = run};
	stats_init(&floor->echo);
	return commits && run_is_synced(run) ? sync_floor_begin(run->home->folder, RECORD_SIZE, &floor->sync)
					     : ST_OK;
}

void small_floor_end(struct small_floor *floor)
{
	stats_fini(&floor->echo);
	sync_floor_end(floor->sync);
}

enum status small_floor_block(struct small_floor *floor, struct bytes framed, uint64_t reply_size,
			      uint64_t count)
{
	enum status status = ST_OK;
	for (uint64_t i = 0; i < count && status == ST_OK; i++) {
		uint64_t elapsed_ns;
		status = echo_round(floor->run->echo, framed, reply_size, &elapsed_ns);
		if (status == ST_OK)
			stats_add(&floor->echo, elapsed_ns);
	}
	return status == ST_OK && floor->sync != NULL ? sync_floor_measure(floor->sync, SYNCS) : status;
}

void small_floor_report(struct small_floor *floor, const char *scenario, uint64_t n, const char **metric)
{
	struct run *run = floor->run;
	*metric = NULL;
	if (floor->echo.samples.length == 0)
		return;
	run_add_latencies(run, scenario, n, RUN_LATENCY_ECHO, &floor->echo, NULL);
	*metric = "ssh-echo p50";
	if (floor->sync == NULL)
		return;
	double sync_us = (double)sync_floor_median_ns(floor->sync) / 1e3;
	*metric = "ssh-echo + sync";
	run_add(run, scenario, n, (struct run_metric){"sync", "us", NULL}, sync_us);
	run_add(run, scenario, n, (struct run_metric){*metric, "us", NULL},
		stats_summarize(&floor->echo).p50 / 1e3 + sync_us);
}
