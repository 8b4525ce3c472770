/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The event loop of a worker thread. One turn:
 *
 *     rest        asks whether it may wait (os_loop_rest)
 *     wait        epoll_wait, until an event, a posted call or the earliest timer
 *     dispatch    watches of the batch that epoll gave
 *     expire      timers that are due, earliest first, at most as many as there were
 *     posts       calls posted by any thread, in their order
 *
 * Callbacks change the loop under our hands, so nothing is remembered over one: a removed watch is struck
 * from the rest of the batch, which also makes it safe to free it, or to add another one at the same address;
 * the timer heap is read afresh each time. A timer that arms itself anew in the past starves nobody: the
 * bound on expired timers lets the sockets have their turn, and a deadline counts as no earlier than the time
 * of the present turn, which lets other timers have theirs.
 *
 * Posts are a list under a mutex; the poster that finds it empty writes to an eventfd, still under the mutex,
 * so that once a post has run its poster no longer needs the loop, and whoever waited for it may free the
 * loop. The loop's own thread writes nothing: it sees them before it waits.
 */
#include "os/loop.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/memory.h"
#include "os/clock.h"

#define BATCH 64	     /* events a turn */
#define NOT_ARMED UINT32_MAX /* heap_index */
#define NS_PER_MS 1000000u
#define WAIT_MAX_MS 3600000u /* so that a timeout fits an int */

struct os_loop {
	int epoll_fd;
	int event_fd; /* readable: a call was posted or a stop requested */
	struct epoll_event batch[BATCH];
	int batch_at, batch_length; /* events at [batch_at .. batch_length) are to be dispatched */
	bool running_posts;	    /* more of them than the one that runs */
	struct os_loop_rest *rest;  /* NULL: nobody is asked */
	bool quiet;		    /* the last wait ended without an event */
	_Atomic bool at_work;	    /* not waiting */
	_Atomic(pthread_t) runner;
	_Atomic bool has_runner;

	struct os_timer **heap; /* binary heap, earliest first; heap[i]->heap_index == i */
	size_t heap_length, heap_capacity;
	uint64_t turn_ns; /* monotonic time at which timers were last looked at */

	pthread_mutex_t lock; /* over all below */
	struct os_post *first_post, *last_post;
	bool stopping;
};

static bool is_earlier(const struct os_timer *a, const struct os_timer *b)
{
	return a->due_ns < b->due_ns;
}

static void heap_place(struct os_loop *loop, size_t at, struct os_timer *timer)
{
	loop->heap[at] = timer;
	timer->heap_index = (uint32_t)at;
}

/* Moves the timer at `at` to where it belongs, towards the root. Gives its place. */
static size_t heap_up(struct os_loop *loop, size_t at)
{
	struct os_timer *timer = loop->heap[at];
	while (at > 0 && is_earlier(timer, loop->heap[(at - 1) / 2])) {
		heap_place(loop, at, loop->heap[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	heap_place(loop, at, timer);
	return at;
}

static void heap_down(struct os_loop *loop, size_t at)
{
	struct os_timer *timer = loop->heap[at];
	for (;;) {
		size_t child = at * 2 + 1;
		if (child >= loop->heap_length)
			break;
		if (child + 1 < loop->heap_length && is_earlier(loop->heap[child + 1], loop->heap[child]))
			child++;
		if (!is_earlier(loop->heap[child], timer))
			break;
		heap_place(loop, at, loop->heap[child]);
		at = child;
	}
	heap_place(loop, at, timer);
}

/* Milliseconds to wait for the earliest timer, rounded up so that it is due then; -1: no timer. */
static int wait_ms(const struct os_loop *loop)
{
	if (loop->heap_length == 0)
		return -1;
	uint64_t now = os_clock_monotonic_ns(), due = loop->heap[0]->due_ns;
	if (due <= now)
		return 0;
	uint64_t ms = (due - now - 1) / NS_PER_MS + 1;
	return ms < WAIT_MAX_MS ? (int)ms : (int)WAIT_MAX_MS;
}

static void dispatch(struct os_loop *loop)
{
	while (loop->batch_at < loop->batch_length) {
		struct epoll_event event = loop->batch[loop->batch_at++];
		struct os_watch *watch = event.data.ptr;
		if (!watch)
			continue;
		/* The watch may have changed its events since epoll looked. */
		uint32_t wanted = event.events & (watch->events | EPOLLHUP | EPOLLERR);
		if (wanted)
			watch->on_ready(watch, wanted);
	}
}

static void expire(struct os_loop *loop)
{
	if (loop->heap_length == 0)
		return;
	loop->turn_ns = os_clock_monotonic_ns();
	for (size_t most = loop->heap_length; most > 0; most--) {
		if (loop->heap_length == 0 || loop->heap[0]->due_ns > loop->turn_ns)
			return;
		struct os_timer *timer = loop->heap[0];
		os_timer_cancel(timer);
		timer->on_time(timer);
	}
}

/* Runs what is posted now. Gives whether there was something. */
static bool run_posts(struct os_loop *loop)
{
	pthread_mutex_lock(&loop->lock);
	struct os_post *post = loop->first_post;
	loop->first_post = loop->last_post = NULL;
	pthread_mutex_unlock(&loop->lock);
	bool any = post != NULL;
	for (struct os_post *next; post; post = next) {
		next = post->next;
		loop->running_posts = next != NULL;
		post->run(post);
	}
	return any;
}

/* Whether a stop was requested; takes the request. */
static bool take_stop(struct os_loop *loop)
{
	pthread_mutex_lock(&loop->lock);
	bool stopping = loop->stopping;
	loop->stopping = false;
	pthread_mutex_unlock(&loop->lock);
	return stopping;
}

/* Needs loop->lock. */
static void wake_up(struct os_loop *loop)
{
	uint64_t one = 1;
	ssize_t written = write(loop->event_fd, &one, sizeof(one));
	ASSERT(written == sizeof(one) || errno == EAGAIN); /* a full counter is readable as well */
}

/* Makes the eventfd unreadable again. It is in epoll with the loop itself as data, see wait_events. */
static void drain_event_fd(struct os_loop *loop)
{
	uint64_t count;
	ssize_t got = read(loop->event_fd, &count, sizeof(count));
	ASSERT(got == sizeof(count) || errno == EAGAIN || errno == EINTR);
}

static bool is_runner(struct os_loop *loop)
{
	return atomic_load_explicit(&loop->has_runner, memory_order_relaxed) &&
	       pthread_equal(atomic_load_explicit(&loop->runner, memory_order_relaxed), pthread_self());
}

static bool has_posts(struct os_loop *loop)
{
	pthread_mutex_lock(&loop->lock);
	bool any = loop->first_post != NULL;
	pthread_mutex_unlock(&loop->lock);
	return any;
}

/* epoll_wait, for less than a millisecond. */
static int wait_shortly(struct os_loop *loop, uint64_t most_ns)
{
	struct timespec timeout = {.tv_nsec = (long)most_ns};
	int length = epoll_pwait2(loop->epoll_fd, loop->batch, BATCH, &timeout, NULL);
	/* A kernel before 5.11 only looks, and is asked again. */
	return length < 0 && errno == ENOSYS ? epoll_wait(loop->epoll_fd, loop->batch, BATCH, 0) : length;
}

static int wait_for_some(struct os_loop *loop)
{
	uint64_t most_ns = loop->rest != NULL ? loop->rest->on_rest(loop->rest, loop->quiet) : UINT64_MAX;
	atomic_store_explicit(&loop->at_work, false, memory_order_relaxed);
	if (most_ns == 0 || has_posts(loop))
		return epoll_wait(loop->epoll_fd, loop->batch, BATCH, 0);
	int ms = wait_ms(loop);
	if (most_ns < NS_PER_MS && ms != 0)
		return wait_shortly(loop, most_ns);
	if (most_ns / NS_PER_MS < WAIT_MAX_MS && (ms < 0 || most_ns / NS_PER_MS < (uint64_t)ms))
		ms = (int)(most_ns / NS_PER_MS);
	return epoll_wait(loop->epoll_fd, loop->batch, BATCH, ms);
}

static void wait_events(struct os_loop *loop)
{
	int length = wait_for_some(loop);
	ASSERT(length >= 0 || errno == EINTR);
	atomic_store_explicit(&loop->at_work, true, memory_order_relaxed);
	loop->quiet = length <= 0;
	loop->batch_at = 0;
	loop->batch_length = length > 0 ? length : 0;
	for (int i = 0; i < loop->batch_length; i++) {
		if (loop->batch[i].data.ptr != loop)
			continue;
		loop->batch[i].data.ptr = NULL;
		drain_event_fd(loop);
	}
}

enum status os_loop_new(struct os_loop **loop)
{
	struct os_loop *made = memory_zalloc(sizeof(*made));
	pthread_mutex_init(&made->lock, NULL);
	made->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	made->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = made};
	if (made->epoll_fd < 0 || made->event_fd < 0 ||
	    epoll_ctl(made->epoll_fd, EPOLL_CTL_ADD, made->event_fd, &event) != 0) {
		os_loop_free(made);
		return ST_LIMIT;
	}
	*loop = made;
	return ST_OK;
}

void os_loop_free(struct os_loop *loop)
{
	if (!loop)
		return;
	while (loop->heap_length > 0)
		os_timer_cancel(loop->heap[0]);
	memory_free(loop->heap);
	if (loop->epoll_fd >= 0)
		close(loop->epoll_fd);
	if (loop->event_fd >= 0)
		close(loop->event_fd);
	pthread_mutex_destroy(&loop->lock);
	memory_free(loop);
}

void os_loop_run(struct os_loop *loop)
{
	atomic_store(&loop->runner, pthread_self());
	atomic_store(&loop->has_runner, true);
	while (!take_stop(loop)) {
		wait_events(loop);
		dispatch(loop);
		expire(loop);
		run_posts(loop);
	}
	while (run_posts(loop))
		continue;
	atomic_store(&loop->has_runner, false);
}

void os_loop_stop(struct os_loop *loop)
{
	pthread_mutex_lock(&loop->lock);
	loop->stopping = true;
	wake_up(loop);
	pthread_mutex_unlock(&loop->lock);
}

enum status os_loop_add(struct os_loop *loop, struct os_watch *watch, int fd, uint32_t events)
{
	ASSERT(!watch->loop && watch->on_ready);
	struct epoll_event event = {.events = events, .data.ptr = watch};
	if (epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, fd, &event) != 0)
		return errno == ENOSPC || errno == ENOMEM ? ST_LIMIT : ST_IO;
	watch->fd = fd;
	watch->events = events;
	watch->loop = loop;
	return ST_OK;
}

void os_loop_change(struct os_watch *watch, uint32_t events)
{
	ASSERT(watch->loop);
	if (watch->events == events)
		return;
	struct epoll_event event = {.events = events, .data.ptr = watch};
	int failed = epoll_ctl(watch->loop->epoll_fd, EPOLL_CTL_MOD, watch->fd, &event);
	ASSERT(!failed); /* only a closed or foreign fd makes it fail */
	watch->events = events;
}

void os_loop_remove(struct os_watch *watch)
{
	struct os_loop *loop = watch->loop;
	if (!loop)
		return;
	int failed = epoll_ctl(loop->epoll_fd, EPOLL_CTL_DEL, watch->fd, NULL);
	ASSERT(!failed); /* the fd must still be open, else its number may be somebody else's */
	for (int i = loop->batch_at; i < loop->batch_length; i++) {
		if (loop->batch[i].data.ptr == watch)
			loop->batch[i].data.ptr = NULL;
	}
	watch->loop = NULL;
}

void os_timer_init(struct os_timer *timer, void (*on_time)(struct os_timer *))
{
	*timer = (struct os_timer){.on_time = on_time, .heap_index = NOT_ARMED};
}

void os_timer_set(struct os_loop *loop, struct os_timer *timer, uint64_t due_ns)
{
	ASSERT(timer->on_time);
	os_timer_cancel(timer);
	if (loop->heap_length == loop->heap_capacity) {
		loop->heap_capacity = loop->heap_capacity ? loop->heap_capacity * 2 : 16;
		loop->heap = memory_resize(loop->heap, loop->heap_capacity, sizeof(struct os_timer *));
	}
	timer->loop = loop;
	timer->due_ns = due_ns > loop->turn_ns ? due_ns : loop->turn_ns;
	loop->heap[loop->heap_length] = timer;
	heap_up(loop, loop->heap_length++);
}

void os_timer_cancel(struct os_timer *timer)
{
	struct os_loop *loop = timer->loop;
	if (!loop)
		return;
	size_t at = timer->heap_index;
	ASSERT(at < loop->heap_length && loop->heap[at] == timer);
	timer->loop = NULL;
	timer->heap_index = NOT_ARMED;
	struct os_timer *last = loop->heap[--loop->heap_length];
	if (last == timer)
		return;
	loop->heap[at] = last;
	heap_down(loop, heap_up(loop, at));
}

bool os_loop_is_busy(struct os_loop *loop)
{
	pthread_mutex_lock(&loop->lock);
	bool busy = loop->batch_at < loop->batch_length || loop->first_post != NULL || loop->running_posts;
	pthread_mutex_unlock(&loop->lock);
	return busy;
}

void os_loop_set_rest(struct os_loop *loop, struct os_loop_rest *rest)
{
	ASSERT(rest->on_rest);
	loop->rest = rest;
}

bool os_loop_is_at_work(struct os_loop *loop)
{
	if (atomic_load_explicit(&loop->at_work, memory_order_relaxed))
		return true;
	struct pollfd events = {.fd = loop->epoll_fd, .events = POLLIN};
	return poll(&events, 1, 0) > 0;
}

void os_loop_post(struct os_loop *loop, struct os_post *post)
{
	ASSERT(post->run);
	pthread_mutex_lock(&loop->lock);
	post->next = NULL;
	if (loop->last_post) {
		loop->last_post->next = post;
	} else {
		loop->first_post = post;
		if (!is_runner(loop))
			wake_up(loop);
	}
	loop->last_post = post;
	pthread_mutex_unlock(&loop->lock);
}
