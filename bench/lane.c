/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests are made and framed outside of the time that is measured: it is from the first byte sent to the
 * last byte of the reply. */
#include "lane.h"

#include "os/clock.h"

void lane_init(struct lane *lane, struct client *client)
{
	*lane = (struct lane){.client = client};
	stats_init(&lane->stats);
	buffer_init(&lane->request, SIZE_MAX);
	buffer_init(&lane->framed, SIZE_MAX);
}

void lane_fini(struct lane *lane)
{
	stats_fini(&lane->stats);
	buffer_fini(&lane->request);
	buffer_fini(&lane->framed);
}

static enum status create_entry(struct run *run, struct lane *lane, uint64_t number)
{
	buffer_clear(&lane->request, SIZE_MAX);
	buffer_clear(&lane->framed, SIZE_MAX);
	perf_test_edit(&lane->request, number, PERF_TEST_ENTRIES,
		       (struct perf_test_range){run->options->seed, number, 1});
	client_frame(lane->client, &lane->framed, buffer_get(&lane->request));
	struct client_reply reply = {0};
	uint64_t begin_ns = os_clock_monotonic_ns();
	enum status status = client_call(lane->client, buffer_get(&lane->framed), &reply);
	stats_add(&lane->stats, os_clock_monotonic_ns() - begin_ns);
	lane->reply_size = reply.wire_size;
	if (status == ST_REJECTED)
		client_say_error(&reply);
	return status;
}

enum status lane_provision(struct run *run, struct lane *lane, uint64_t first, uint64_t count)
{
	enum status status = ST_OK;
	for (uint64_t i = 0; i < count && status == ST_OK; i++)
		status = create_entry(run, lane, first + i);
	return status;
}

enum status lanes_provision(struct run *run, struct lane *lanes, size_t lane_count, uint64_t n,
			    struct small_floor *floor)
{
	enum status status = ST_OK;
	for (uint64_t done = 0; done < n && status == ST_OK && !run_interrupted();) {
		uint64_t count = n - done < LANE_BLOCK ? n - done : LANE_BLOCK;
		for (size_t i = 0; i < lane_count && status == ST_OK; i++)
			status = lane_provision(run, &lanes[i], done + 1, count);
		if (status == ST_OK && floor != NULL)
			status = small_floor_block(floor, buffer_get(&lanes[0].framed), lanes[0].reply_size,
						   count);
		done += count;
		progress_update(&run->progress, done, n);
	}
	return status;
}
