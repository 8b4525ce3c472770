/* SPDX-License-Identifier: BSD-3-Clause */
/* Job threads: order, jobs that free or submit themselves, the end of a pool; and the generators. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/memory.h"
#include "os/pool.h"
#include "os/random.h"

#define JOBS 2000

struct counted_job {
	struct os_job job;
	int number;
	int *next; /* only with one thread */
	atomic_int *done;
	struct os_pool *pool;
};

static void run_in_order(struct os_job *job)
{
	struct counted_job *counted = (struct counted_job *)job;
	assert_int_equal(counted->number, *counted->next);
	++*counted->next;
	memory_free(counted);
}

static void one_thread_runs_jobs_in_order(void **state)
{
	(void)state;
	struct os_pool *pool;
	assert_int_equal(os_pool_new(1, &pool), ST_OK);
	int next = 0;
	for (int i = 0; i < JOBS; i++) {
		struct counted_job *job = memory_zalloc(sizeof(*job));
		*job = (struct counted_job){.job = {.run = run_in_order}, .number = i, .next = &next};
		os_pool_submit(pool, &job->job);
	}
	os_pool_free(pool); /* waits */
	assert_int_equal(next, JOBS);
}

static void run_and_submit(struct os_job *job)
{
	struct counted_job *counted = (struct counted_job *)job;
	atomic_fetch_add(counted->done, 1);
	if (--counted->number > 0)
		os_pool_submit(counted->pool, job);
}

static void jobs_may_submit_themselves_while_the_pool_ends(void **state)
{
	(void)state;
	struct os_pool *pool;
	assert_int_equal(os_pool_new(4, &pool), ST_OK);
	atomic_int done = 0;
	static struct counted_job jobs[100];
	for (int i = 0; i < 100; i++) {
		jobs[i] = (struct counted_job){
			.job = {.run = run_and_submit}, .number = 20, .done = &done, .pool = pool};
		os_pool_submit(pool, &jobs[i].job);
	}
	os_pool_free(pool);
	assert_int_equal(done, 2000);
}

static void idle_pools_end(void **state)
{
	(void)state;
	struct os_pool *pool;
	assert_int_equal(os_pool_new(3, &pool), ST_OK);
	os_pool_free(pool);
	os_pool_free(NULL);
}

static void random_bytes_differ(void **state)
{
	(void)state;
	unsigned char a[600], b[600];
	os_random_bytes(a, sizeof(a));
	os_random_bytes(b, sizeof(b));
	assert_memory_not_equal(a, b, sizeof(a));
	assert_memory_not_equal(a, a + 300, 300);
	os_random_bytes(NULL, 0);
}

static void seeded_numbers_repeat(void **state)
{
	(void)state;
	/* The first two of splitmix64 from seed 0, as published. */
	uint64_t seed = 0;
	assert_true(os_random_next(&seed) == 0xe220a8397b1dcdafull);
	assert_true(os_random_next(&seed) == 0x6e789e6aa1b965f4ull);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_thread_runs_jobs_in_order),
		cmocka_unit_test(jobs_may_submit_themselves_while_the_pool_ends),
		cmocka_unit_test(idle_pools_end),
		cmocka_unit_test(random_bytes_differ),
		cmocka_unit_test(seeded_numbers_repeat),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
