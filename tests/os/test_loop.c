/* SPDX-License-Identifier: BSD-3-Clause */
/* The event loop: timers in order, posts from threads, and callbacks that take the loop apart. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/memory.h"
#include "os/clock.h"
#include "os/loop.h"
#include "os/random.h"

#define MS 1000000u /* ns */
#define PAIRS 8
#define TIMERS 300
#define THREADS 4
#define POSTS 5000 /* a thread */

static struct os_loop *new_loop(void)
{
	struct os_loop *loop;
	assert_int_equal(os_loop_new(&loop), ST_OK);
	return loop;
}

/* A pair of connected sockets, one of them watched. */
struct pair {
	struct os_watch watch; /* first, so that a watch is its pair */
	struct os_loop *loop;
	int other_fd;
	int calls;
	struct pair *all; /* PAIRS of them */
};

static void pair_open(struct pair *pair, struct os_loop *loop, void (*on_ready)(struct os_watch *, uint32_t))
{
	int fds[2];
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
	*pair = (struct pair){.watch = {.on_ready = on_ready}, .loop = loop, .other_fd = fds[1]};
	assert_int_equal(os_loop_add(loop, &pair->watch, fds[0], EPOLLIN), ST_OK);
}

static void pair_close(struct pair *pair)
{
	os_loop_remove(&pair->watch);
	close(pair->watch.fd);
	close(pair->other_fd);
}

static void pair_poke(struct pair *pair)
{
	assert_int_equal(write(pair->other_fd, "x", 1), 1);
}

struct stop_timer {
	struct os_timer timer;
	struct os_loop *loop;
};

static void on_stop(struct os_timer *timer)
{
	os_loop_stop(((struct stop_timer *)timer)->loop);
}

static void run_for(struct os_loop *loop, unsigned ms)
{
	struct stop_timer stop = {.loop = loop};
	os_timer_init(&stop.timer, on_stop);
	os_timer_set(loop, &stop.timer, os_clock_monotonic_ns() + ms * MS);
	os_loop_run(loop);
}

static void on_read(struct os_watch *watch, uint32_t events)
{
	struct pair *pair = (struct pair *)watch;
	char byte;
	assert_true(events & EPOLLIN);
	assert_int_equal(read(watch->fd, &byte, 1), 1);
	pair->calls++;
}

static void watches_are_called_until_removed(void **state)
{
	(void)state;
	struct os_loop *loop = new_loop();
	struct pair pair;
	pair_open(&pair, loop, on_read);
	run_for(loop, 5);
	assert_int_equal(pair.calls, 0);
	pair_poke(&pair);
	run_for(loop, 5);
	assert_int_equal(pair.calls, 1);
	os_loop_change(&pair.watch, 0); /* deaf, but still there */
	pair_poke(&pair);
	run_for(loop, 5);
	assert_int_equal(pair.calls, 1);
	os_loop_change(&pair.watch, EPOLLIN);
	os_loop_change(&pair.watch, EPOLLIN);
	run_for(loop, 5);
	assert_int_equal(pair.calls, 2);
	os_loop_remove(&pair.watch);
	os_loop_remove(&pair.watch);
	pair_poke(&pair);
	run_for(loop, 5);
	assert_int_equal(pair.calls, 2);
	assert_int_equal(os_loop_add(loop, &pair.watch, pair.watch.fd, EPOLLIN), ST_OK);
	run_for(loop, 5);
	assert_int_equal(pair.calls, 3);
	pair_close(&pair);
	os_loop_free(loop);
}

/* The first that is called closes all others, which are ready in the same batch, and overwrites them. */
static void on_read_close_others(struct os_watch *watch, uint32_t events)
{
	struct pair *pair = (struct pair *)watch;
	on_read(watch, events);
	for (struct pair *other = pair->all; other < pair->all + PAIRS; other++) {
		if (other == pair)
			continue;
		pair_close(other);
		memset(&other->watch, 0xee, sizeof(other->watch));
	}
	pair_close(pair);
	os_loop_stop(pair->loop);
}

static void removed_watches_are_not_called(void **state)
{
	(void)state;
	struct os_loop *loop = new_loop();
	struct pair pairs[PAIRS];
	for (int i = 0; i < PAIRS; i++) {
		pair_open(&pairs[i], loop, on_read_close_others);
		pairs[i].all = pairs;
		pair_poke(&pairs[i]);
	}
	os_loop_run(loop);
	int calls = 0;
	for (int i = 0; i < PAIRS; i++)
		calls += pairs[i].calls;
	assert_int_equal(calls, 1);
	os_loop_free(loop);
}

/* Removes its neighbour and adds an idle one at the same address: the stale event must not reach that. */
static void on_read_replace_other(struct os_watch *watch, uint32_t events)
{
	struct pair *pair = (struct pair *)watch, *all = pair->all;
	struct pair *other = pair == &all[0] ? &all[1] : &all[0];
	on_read(watch, events);
	pair_close(other);
	pair_open(other, pair->loop, on_read_replace_other);
	other->all = all;
	pair_close(pair);
	*pair = (struct pair){.calls = 1};
}

static void reused_watches_get_no_stale_events(void **state)
{
	(void)state;
	struct os_loop *loop = new_loop();
	struct pair pairs[2];
	for (int i = 0; i < 2; i++) {
		pair_open(&pairs[i], loop, on_read_replace_other);
		pairs[i].all = pairs;
		pair_poke(&pairs[i]);
	}
	run_for(loop, 5);
	assert_int_equal(pairs[0].calls + pairs[1].calls, 1);
	pair_close(pairs[0].calls ? &pairs[1] : &pairs[0]);
	os_loop_free(loop);
}

/* The first that is called makes the other deaf; the event that epoll has for it already is dropped. */
static void on_read_deafen_other(struct os_watch *watch, uint32_t events)
{
	struct pair *pair = (struct pair *)watch, *all = pair->all;
	on_read(watch, events);
	os_loop_change(pair == &all[0] ? &all[1].watch : &all[0].watch, 0);
}

static void changed_events_hold_at_once(void **state)
{
	(void)state;
	struct os_loop *loop = new_loop();
	struct pair pairs[2];
	for (int i = 0; i < 2; i++) {
		pair_open(&pairs[i], loop, on_read_deafen_other);
		pairs[i].all = pairs;
		pair_poke(&pairs[i]);
	}
	run_for(loop, 5);
	assert_int_equal(pairs[0].calls + pairs[1].calls, 1);
	pair_close(&pairs[0]);
	pair_close(&pairs[1]);
	os_loop_free(loop);
}

static void add_reports_failures(void **state)
{
	(void)state;
	struct os_loop *loop = new_loop();
	struct os_watch watch = {.on_ready = on_read};
	assert_int_equal(os_loop_add(loop, &watch, -1, EPOLLIN), ST_IO);
	assert_null(watch.loop);
	os_loop_free(loop);
	os_loop_free(NULL);
}

struct ordered_timer {
	struct os_timer timer;
	uint64_t due_ns;
	struct ordered_run *run;
};

struct ordered_run {
	uint64_t last_due_ns;
	int fired;
	struct ordered_timer timers[TIMERS];
	uint64_t random;
};

static void on_ordered(struct os_timer *timer)
{
	struct ordered_timer *ordered = (struct ordered_timer *)timer;
	struct ordered_run *run = ordered->run;
	assert_true(os_clock_monotonic_ns() >= ordered->due_ns);
	assert_true(ordered->due_ns >= run->last_due_ns);
	run->last_due_ns = ordered->due_ns;
	ordered->due_ns = 0; /* not armed, for the model below */
	run->fired++;
	struct ordered_timer *other = &run->timers[os_random_next(&run->random) % TIMERS];
	if (other->due_ns) {
		os_timer_cancel(&other->timer);
		os_timer_cancel(&other->timer);
		other->due_ns = 0;
	}
}

static void timers_fire_once_and_in_order(void **state)
{
	(void)state;
	const char *given = getenv("YARE_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : 20260131;
	printf("seed %llu\n", (unsigned long long)seed);
	struct os_loop *loop = new_loop();
	struct ordered_run *run = memory_zalloc(sizeof(*run));
	run->random = seed;
	uint64_t now = os_clock_monotonic_ns();
	for (int i = 0; i < TIMERS * 3; i++) { /* the later rounds re-arm and cancel */
		struct ordered_timer *ordered = &run->timers[i % TIMERS];
		if (i < TIMERS)
			os_timer_init(&ordered->timer, on_ordered);
		ordered->run = run;
		ordered->due_ns = now + os_random_next(&run->random) % (30 * MS);
		os_timer_set(loop, &ordered->timer, ordered->due_ns);
		if (i % 5 == 4) {
			os_timer_cancel(&ordered->timer);
			ordered->due_ns = 0;
		}
	}
	run_for(loop, 60);
	assert_in_range(run->fired, TIMERS / 4, TIMERS);
	for (int i = 0; i < TIMERS; i++)
		assert_int_equal(run->timers[i].due_ns, 0);
	memory_free(run);
	os_loop_free(loop);
}

/* A timer that arms itself in the past, beside a socket and a stop that must still get their turn. */
struct greedy_timer {
	struct os_timer timer;
	struct os_loop *loop;
	int fired;
};

static void on_greedy(struct os_timer *timer)
{
	struct greedy_timer *greedy = (struct greedy_timer *)timer;
	greedy->fired++;
	os_timer_set(greedy->loop, timer, 0);
}

static void timers_in_the_past_starve_nobody(void **state)
{
	(void)state;
	struct os_loop *loop = new_loop();
	struct greedy_timer greedy = {.loop = loop};
	os_timer_init(&greedy.timer, on_greedy);
	os_timer_set(loop, &greedy.timer, 0);
	struct pair pair;
	pair_open(&pair, loop, on_read);
	pair_poke(&pair);
	run_for(loop, 5);
	assert_int_equal(pair.calls, 1);
	assert_true(greedy.fired > 1);
	pair_close(&pair);
	os_timer_cancel(&greedy.timer);
	os_loop_free(loop);
}

static void freeing_the_loop_disarms_timers(void **state)
{
	(void)state;
	struct os_loop *loop = new_loop();
	struct os_timer timer;
	os_timer_init(&timer, on_stop);
	os_timer_set(loop, &timer, UINT64_MAX);
	os_loop_free(loop);
	os_timer_cancel(&timer);
	assert_int_equal(timer.heap_index, UINT32_MAX);
}

struct poster {
	struct os_loop *loop;
	struct counted_post *posts;
	struct poster *all;
	int next; /* number of the post that must run next */
	pthread_t thread;
};

struct counted_post {
	struct os_post post;
	struct poster *poster;
	int number;
};

static void on_counted(struct os_post *post)
{
	struct counted_post *counted = (struct counted_post *)post;
	struct poster *poster = counted->poster;
	assert_int_equal(counted->number, poster->next); /* posts of one thread keep their order */
	poster->next++;
	int done = 0;
	for (int i = 0; i < THREADS; i++)
		done += poster->all[i].next == POSTS;
	if (done == THREADS)
		os_loop_stop(poster->loop);
}

static void *post_all(void *arg)
{
	struct poster *poster = arg;
	for (int i = 0; i < POSTS; i++)
		os_loop_post(poster->loop, &poster->posts[i].post);
	return NULL;
}

static void posts_of_threads_run_in_their_order(void **state)
{
	(void)state;
	struct os_loop *loop = new_loop();
	struct poster posters[THREADS];
	for (int t = 0; t < THREADS; t++) {
		posters[t] = (struct poster){.loop = loop, .all = posters};
		posters[t].posts = memory_zalloc(POSTS * sizeof(struct counted_post));
		for (int i = 0; i < POSTS; i++)
			posters[t].posts[i] = (struct counted_post){{.run = on_counted}, &posters[t], i};
	}
	for (int t = 0; t < THREADS; t++)
		assert_int_equal(pthread_create(&posters[t].thread, NULL, post_all, &posters[t]), 0);
	os_loop_run(loop);
	for (int t = 0; t < THREADS; t++) {
		pthread_join(posters[t].thread, NULL);
		assert_int_equal(posters[t].next, POSTS);
		memory_free(posters[t].posts);
	}
	os_loop_free(loop);
}

/* A post that posts itself again a few times, after having been posted before the loop was stopped. */
struct chain {
	struct os_post post;
	struct os_loop *loop;
	int left;
};

static void on_chain(struct os_post *post)
{
	struct chain *chain = (struct chain *)post;
	if (--chain->left > 0)
		os_loop_post(chain->loop, post);
}

static void pending_posts_run_at_stop(void **state)
{
	(void)state;
	struct os_loop *loop = new_loop();
	struct chain chain = {.post = {.run = on_chain}, .loop = loop, .left = 3};
	os_loop_stop(loop);
	os_loop_post(loop, &chain.post);
	os_loop_run(loop);
	assert_int_equal(chain.left, 0);
	run_for(loop, 1); /* a loop that was stopped can run again */
	os_loop_free(loop);
}

struct resting {
	struct os_loop_rest rest;
	struct os_loop *loop;
	struct os_post post;
	unsigned asked, quiet_asked, posts;
	uint64_t waited_ns;
};

static void on_rest_post(struct os_post *post)
{
	struct resting *resting = (struct resting *)((char *)post - offsetof(struct resting, post));
	resting->posts++;
}

/* Looks once, waits shortly, posts, then stops. */
static uint64_t on_rest(struct os_loop_rest *rest, bool quiet)
{
	struct resting *resting = (struct resting *)rest;
	resting->quiet_asked += quiet;
	switch (resting->asked++) {
	case 0:
		return 0;
	case 1:
		resting->waited_ns = os_clock_monotonic_ns();
		return 300000;
	case 2:
		resting->waited_ns = os_clock_monotonic_ns() - resting->waited_ns;
		os_loop_post(resting->loop, &resting->post);
		return UINT64_MAX;
	default:
		os_loop_stop(resting->loop);
		return UINT64_MAX;
	}
}

static void rest_is_asked_before_each_wait(void **state)
{
	(void)state;
	struct resting resting = {.rest.on_rest = on_rest, .post.run = on_rest_post, .loop = new_loop()};
	os_loop_set_rest(resting.loop, &resting.rest);
	os_loop_run(resting.loop); /* would never end if it waited with something posted */
	assert_int_equal(resting.asked, 4);
	assert_int_equal(resting.quiet_asked, 3); /* not the first time: it had not looked */
	assert_int_equal(resting.posts, 1);
	assert_true(resting.waited_ns >= 250000);
	os_loop_free(resting.loop);
}

static void work_is_seen_from_outside(void **state)
{
	(void)state;
	struct os_loop *loop = new_loop();
	struct pair pair;
	pair_open(&pair, loop, on_read);
	assert_false(os_loop_is_at_work(loop));
	pair_poke(&pair);
	assert_true(os_loop_is_at_work(loop));
	pair_close(&pair);
	assert_false(os_loop_is_at_work(loop));
	os_loop_free(loop);
}

static void clocks_move_on(void **state)
{
	(void)state;
	uint64_t before = os_clock_monotonic_ns();
	assert_true(os_clock_monotonic_ns() >= before);
	assert_true(os_clock_wall_ns() > 1700000000ull * 1000000000u);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(watches_are_called_until_removed),
		cmocka_unit_test(removed_watches_are_not_called),
		cmocka_unit_test(reused_watches_get_no_stale_events),
		cmocka_unit_test(changed_events_hold_at_once),
		cmocka_unit_test(add_reports_failures),
		cmocka_unit_test(timers_fire_once_and_in_order),
		cmocka_unit_test(timers_in_the_past_starve_nobody),
		cmocka_unit_test(freeing_the_loop_disarms_timers),
		cmocka_unit_test(posts_of_threads_run_in_their_order),
		cmocka_unit_test(pending_posts_run_at_stop),
		cmocka_unit_test(rest_is_asked_before_each_wait),
		cmocka_unit_test(work_is_seen_from_outside),
		cmocka_unit_test(clocks_move_on),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
