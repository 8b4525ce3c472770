/* SPDX-License-Identifier: BSD-3-Clause */
/* Pieces of work: each is done once, by a thread of those allowed, and is done when the call returns. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "os/pieces.h"

#define PIECES 5000

struct counting {
	struct os_pieces pieces;
	size_t threads;
	unsigned done[PIECES];			 /* by piece; plain: no two threads have the same piece */
	size_t of_thread[OS_PIECES_THREADS_MAX]; /* plain: pieces of a thread run one after the other */
	size_t last_of[OS_PIECES_THREADS_MAX];	 /* piece + 1 */
	_Atomic size_t disordered, out_of_range;
};

static void count(struct os_pieces *self, size_t piece, size_t thread)
{
	struct counting *counting = (struct counting *)self;
	if (thread >= counting->threads) {
		atomic_fetch_add(&counting->out_of_range, 1);
		return;
	}
	if (piece < counting->last_of[thread])
		atomic_fetch_add(&counting->disordered, 1);
	counting->last_of[thread] = piece + 1;
	counting->done[piece]++;
	counting->of_thread[thread]++;
}

static void run_and_check(size_t length, size_t threads)
{
	struct counting *counting = memory_zalloc(sizeof(*counting));
	counting->pieces.run = count;
	counting->threads = threads < OS_PIECES_THREADS_MAX ? threads : OS_PIECES_THREADS_MAX;
	for (unsigned round = 1; round <= 3; round++) { /* it may be used again */
		for (size_t i = 0; i < OS_PIECES_THREADS_MAX; i++)
			counting->last_of[i] = 0;
		os_pieces_run(&counting->pieces, length, threads);
		for (size_t i = 0; i < PIECES; i++)
			assert_int_equal(counting->done[i], i < length ? round : 0);
	}
	size_t sum = 0;
	for (size_t i = 0; i < OS_PIECES_THREADS_MAX; i++)
		sum += counting->of_thread[i];
	assert_int_equal(sum, 3 * length);
	assert_int_equal(atomic_load(&counting->out_of_range), 0);
	assert_int_equal(atomic_load(&counting->disordered), 0);
	if (threads == 1)
		assert_int_equal(counting->of_thread[0], 3 * length);
	memory_free(counting);
}

static void every_piece_is_done_once(void **state)
{
	(void)state;
	run_and_check(0, 4);
	run_and_check(1, 4);
	run_and_check(3, 8);
	run_and_check(PIECES, 1);
	run_and_check(PIECES, 2);
	run_and_check(PIECES, 7);
	run_and_check(PIECES, 1000);
}

/* Where no thread can be made (here for want of room for its stack), the caller does all. */
static void the_caller_does_all_without_threads(void **state)
{
	(void)state;
	pthread_attr_t usual, huge;
	assert_int_equal(pthread_getattr_default_np(&usual), 0);
	assert_int_equal(pthread_getattr_default_np(&huge), 0);
	assert_int_equal(pthread_attr_setstacksize(&huge, (size_t)1 << 50), 0);
	assert_int_equal(pthread_setattr_default_np(&huge), 0);
	struct counting *counting = memory_zalloc(sizeof(*counting));
	counting->pieces.run = count;
	counting->threads = 1;
	os_pieces_run(&counting->pieces, PIECES, 7);
	assert_int_equal(pthread_setattr_default_np(&usual), 0);
	assert_int_equal(counting->of_thread[0], PIECES);
	assert_int_equal(atomic_load(&counting->out_of_range), 0);
	memory_free(counting);
	pthread_attr_destroy(&usual);
	pthread_attr_destroy(&huge);
}

/* As many are there at the same time as there are pieces, if as many threads are allowed. */
struct meeting {
	struct os_pieces pieces;
	_Atomic size_t here;
	size_t wanted;
};

static void meet(struct os_pieces *self, size_t piece, size_t thread)
{
	(void)piece, (void)thread;
	struct meeting *meeting = (struct meeting *)self;
	atomic_fetch_add(&meeting->here, 1);
	while (atomic_load(&meeting->here) < meeting->wanted)
		;
}

static void pieces_run_at_the_same_time(void **state)
{
	(void)state;
	struct meeting meeting = {.pieces = {.run = meet}, .wanted = 3};
	os_pieces_run(&meeting.pieces, 3, 3);
	assert_int_equal(atomic_load(&meeting.here), 3);
}

static void there_is_a_processor(void **state)
{
	(void)state;
	assert_true(os_processors() >= 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_piece_is_done_once),
		cmocka_unit_test(the_caller_does_all_without_threads),
		cmocka_unit_test(pieces_run_at_the_same_time),
		cmocka_unit_test(there_is_a_processor),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
