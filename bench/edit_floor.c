/* SPDX-License-Identifier: BSD-3-Clause */
/* How much a journal wrote is told by the kernel in pages and may include a snapshot, so that a record counts
 * as at least a small one and at most as long as the document; a small one has room for old values. */
#include "edit_floor.h"

#include "warm.h"

#define RECORD_LEAST 256
#define RECORD_SMALL ((uint64_t)1024 * 1024)
#define RECORD_COPIES 12 /* that the sync floor leaves in the page cache, more or less, if they are large */
#define METRIC_SYNCED "floor bulk + parse + sync"
#define METRIC_UNSYNCED "floor bulk + parse"

enum status edit_floor_measure(struct edit_floor *floor, struct run *run, struct bytes document)
{
	enum status status = ST_OK;
	floor->document_size = document.size;
	for (unsigned i = 0; i < EDIT_FLOOR_ROUNDS && floor->count < EDIT_FLOOR_MOST && status == ST_OK;
	     i++) {
		uint64_t parse_ns, cpu_ns, bulk_ns;
		status = floor_parse(document, &parse_ns, &cpu_ns);
		if (status == ST_OK)
			status = floor_bulk_send(run->echo, document.size, &bulk_ns);
		if (status != ST_OK)
			break;
		floor->rounds[floor->count].parse_ns = parse_ns;
		floor->rounds[floor->count].parse_cpu_ns = cpu_ns;
		floor->rounds[floor->count++].bulk_ns = bulk_ns;
	}
	return status;
}

const char *edit_floor_metric(const struct run *run)
{
	return run_is_synced(run) ? METRIC_SYNCED : METRIC_UNSYNCED;
}

static uint64_t record_size(const struct edit_floor *floor, uint64_t written)
{
	uint64_t most = floor->document_size > RECORD_SMALL ? floor->document_size : RECORD_SMALL;
	uint64_t size = written < most ? written : most;
	return size > RECORD_LEAST ? size : RECORD_LEAST;
}

enum status edit_floor_report(const struct edit_floor *floor, struct run *run, const char *scenario,
			      uint64_t n, uint64_t written)
{
	uint64_t sync_ns = 0;
	if (run_is_synced(run)) {
		uint64_t size = record_size(floor, written);
		warm_memory(size * RECORD_COPIES);
		enum status status = floor_sync(run->home->folder, size, &sync_ns);
		if (status != ST_OK)
			return status;
		run_add(run, scenario, n, (struct run_metric){"floor sync", "s", NULL},
			(double)sync_ns / 1e9);
		run_add(run, scenario, n, (struct run_metric){"record", "MB", NULL}, (double)size / 1e6);
	}
	for (unsigned i = 0; i < floor->count; i++) {
		double parse_s = (double)floor->rounds[i].parse_ns / 1e9;
		double bulk_s = (double)floor->rounds[i].bulk_ns / 1e9;
		run_add(run, scenario, n, (struct run_metric){"floor parse", "s", NULL}, parse_s);
		run_add(run, scenario, n, (struct run_metric){"floor parse, CPU", "s", NULL},
			(double)floor->rounds[i].parse_cpu_ns / 1e9);
		run_add(run, scenario, n, (struct run_metric){"floor bulk", "s", NULL}, bulk_s);
		run_add(run, scenario, n, (struct run_metric){edit_floor_metric(run), "s", NULL},
			parse_s + bulk_s + (double)sync_ns / 1e9);
	}
	return ST_OK;
}
