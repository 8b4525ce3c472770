/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * An event loop: epoll, timers and posted calls, run by one thread (a worker). Everything but
 * os_loop_post and os_loop_stop is for the loop's own thread (or before os_loop_run).
 *
 *     static void on_ready(struct os_watch *watch, uint32_t events);
 *     struct os_watch watch = {.on_ready = on_ready};
 *     os_loop_add(loop, &watch, fd, EPOLLIN);
 *
 * A callback may remove its own or any other watch or timer; callbacks of removed ones are never called.
 * Remove a watch before its fd is closed.
 */
#include <stdbool.h>
#include <stdint.h>
#include "base/status.h"

struct os_loop;

struct os_watch {
	void (*on_ready)(struct os_watch *watch, uint32_t events); /* EPOLLIN, EPOLLOUT, EPOLLHUP, EPOLLERR */
	int fd;
	uint32_t events;
	/* private */
	struct os_loop *loop;
};

struct os_timer {
	void (*on_time)(struct os_timer *timer);
	/* private */
	uint64_t due_ns;
	struct os_loop *loop;
	uint32_t heap_index; /* UINT32_MAX: not armed */
};

/* A call posted from any thread. The caller owns it and must not post it again before it ran. */
struct os_post {
	void (*run)(struct os_post *post);
	/* private */
	struct os_post *next;
};

/* Asked before the loop waits, on its thread. */
struct os_loop_rest {
	/* Gives for how many ns it may wait before it asks again; UINT64_MAX: for ever, 0: only look what is ready.
	 * `quiet`: nothing was when it last looked. It may post to the loop. */
	uint64_t (*on_rest)(struct os_loop_rest *rest, bool quiet);
};

enum status os_loop_new(struct os_loop **loop) MUST_USE;
void os_loop_free(struct os_loop *loop);
/* Runs until os_loop_stop. Posted calls that are pending at stop, and those that they post, are run first. */
void os_loop_run(struct os_loop *loop);
void os_loop_stop(struct os_loop *loop); /* any thread */

enum status os_loop_add(struct os_loop *loop, struct os_watch *watch, int fd, uint32_t events) MUST_USE;
/* Changes the events of an added watch; free when they are the same. */
void os_loop_change(struct os_watch *watch, uint32_t events);
void os_loop_remove(struct os_watch *watch); /* does not close the fd */

void os_timer_init(struct os_timer *timer, void (*on_time)(struct os_timer *));
/* Arms or re-arms: on_time is called once, at or after `due_ns` of os_clock_monotonic_ns. */
void os_timer_set(struct os_loop *loop, struct os_timer *timer, uint64_t due_ns);
void os_timer_cancel(struct os_timer *timer);

/* Whether more than the present callback is due already: other events of this turn, posted calls. A call that
 * comes later is not known of. */
bool os_loop_is_busy(struct os_loop *loop);
void os_loop_set_rest(struct os_loop *loop, struct os_loop_rest *rest); /* borrowed; before os_loop_run */
/* Whether the loop's thread is at work, or has events to take up. Any thread; it may be otherwise a moment later. */
bool os_loop_is_at_work(struct os_loop *loop);
/* Runs `post` on the loop's thread, soon: after the events of the present turn. Wakes it up. Any thread. */
void os_loop_post(struct os_loop *loop, struct os_post *post);
