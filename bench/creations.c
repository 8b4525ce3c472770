/* SPDX-License-Identifier: BSD-3-Clause */
#include "creations.h"

#include "generate_perf_test.h"

/* Requests that are made beforehand at a time: some 10 MB. */
#define BATCH 20000

static void make(struct buffer *out, uint64_t i, void *arg)
{
	const struct creations *creations = arg;
	uint64_t entry = creations->count + i + 1;
	perf_test_edit(out, entry, PERF_TEST_ENTRIES,
		       (struct perf_test_range){creations->crowd.run->options->seed, entry, 1});
}

enum status creations_open(struct creations *creations, struct run *run, const struct server *server,
			   struct crowd_shape shape)
{
	creations->count = 0;
	return crowd_open(&creations->crowd, run, server, shape);
}

void creations_close(struct creations *creations)
{
	crowd_close(&creations->crowd);
}

enum status creations_run(struct creations *creations, uint64_t count, uint64_t *elapsed_ns)
{
	struct crowd_figures figures;
	enum status status = ST_OK;
	stats_init(&figures.latencies);
	for (uint64_t done = 0; done < count && status == ST_OK && !run_interrupted();) {
		uint64_t batch = count - done < BATCH ? count - done : BATCH;
		const struct crowd_work work = {make, creations, batch};
		status = crowd_work(&creations->crowd, &work, &figures);
		*elapsed_ns += figures.elapsed_ns;
		creations->count += batch;
		done += batch;
	}
	stats_fini(&figures.latencies);
	return status;
}

enum status creations_verify(const struct creations *creations)
{
	return run_verify(crowd_client(&creations->crowd), creations->count, 0);
}
