/* SPDX-License-Identifier: BSD-3-Clause */
#include "helper_workers.h"

#include <stdio.h>
#include <stdlib.h>

uint64_t workers_seed(uint64_t otherwise)
{
	const char *given = getenv("YARE_SEED");
	uint64_t seed = given != NULL ? strtoull(given, NULL, 0) : otherwise;
	print_message("YARE_SEED=%llu\n", (unsigned long long)seed);
	return seed;
}

uint32_t workers_below(uint64_t *random, uint32_t bound)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*random >> 33) % bound;
}

static void *run(void *arg)
{
	struct worker *worker = arg;
	worker->work(worker);
	return NULL;
}

unsigned workers_run(struct harness *harness, uint64_t seed, void (*work)(struct worker *worker))
{
	_Atomic uint32_t ids[WORKERS] = {0};
	struct worker workers[WORKERS];
	unsigned answers = 0;
	for (int i = 0; i < WORKERS; i++) {
		workers[i] =
			(struct worker){.random = seed + (uint64_t)i, .ids = ids, .index = i, .work = work};
		harness_worker_init(&workers[i].harness, harness);
		assert_int_equal(pthread_create(&workers[i].thread, NULL, run, &workers[i]), 0);
	}
	for (int i = 0; i < WORKERS; i++) {
		pthread_join(workers[i].thread, NULL);
		harness_worker_fini(&workers[i].harness);
		answers += workers[i].answers;
	}
	return answers;
}

void workers_kill_text(struct worker *worker, char text[static 128])
{
	uint32_t victim = atomic_load(&worker->ids[workers_below(&worker->random, WORKERS)]);
	snprintf(text, 128, "<kill-session><session-id>%u</session-id></kill-session>", victim);
}
