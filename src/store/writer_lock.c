/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The writer lock: one proposal at a time. Threads that serve other sessions too (STORE_NO_WAIT) must not be
 * held up by a large change, but another such thread's small one ends before a thread of jobs could begin:
 *
 *     held by          STORE_NO_WAIT             STORE_WAIT
 *     STORE_NO_WAIT    waits, BRIEF_NS at most   waits
 *     STORE_WAIT       does not wait             waits
 *
 * Handing a request to a job thread and its answer back costs four changes of thread, and its commit asks for
 * a sync at once. Going to sleep and being woken costs two, and takes about as long as the small change: so
 * where there is another processor that it runs on, the wait begins with looking again and again.
 */
#include "os/clock.h"
#include "os/pieces.h"
#include "store/internal.h"

#define BRIEF_NS (1000 * 1000ull) /* as long as a session may work at a time */
#define SPIN_NS (20 * 1000ull)	  /* twice what a small change takes */
#define PAUSES 8		  /* between two looks */

static void cpu_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static bool is_brief(const struct store__writer_lock *lock)
{
	return atomic_load_explicit(&lock->is_brief, memory_order_relaxed);
}

/* The holder is running on another processor, most likely. */
static bool acquire_spinning(struct store__writer_lock *lock)
{
	uint64_t until_ns = os_clock_monotonic_ns() + SPIN_NS;
	do {
		for (unsigned i = 0; i < PAUSES; i++)
			cpu_pause();
		if (!atomic_load_explicit(&lock->is_held, memory_order_relaxed) &&
		    pthread_mutex_trylock(&lock->mutex) == 0)
			return true;
	} while (is_brief(lock) && os_clock_monotonic_ns() < until_ns);
	return false;
}

static bool acquire_soon(struct store__writer_lock *lock)
{
	if (lock->may_spin && acquire_spinning(lock))
		return true;
	if (!is_brief(lock))
		return false;
	/* The wall clock, as TSan does not know the call for the other. Where it is set meanwhile, the wait
	 * ends early, or when the holder is done. */
	uint64_t until_ns = os_clock_wall_ns() + BRIEF_NS;
	struct timespec until = {(time_t)(until_ns / 1000000000), (long)(until_ns % 1000000000)};
	return pthread_mutex_timedlock(&lock->mutex, &until) == 0;
}

bool store__writer_acquire(struct store *store, enum store_wait wait)
{
	struct store__writer_lock *lock = &store->writer;
	if (wait == STORE_WAIT)
		pthread_mutex_lock(&lock->mutex);
	else if (pthread_mutex_trylock(&lock->mutex) != 0 && !(is_brief(lock) && acquire_soon(lock)))
		return false;
	atomic_store_explicit(&lock->is_held, true, memory_order_relaxed);
	atomic_store_explicit(&lock->is_brief, wait == STORE_NO_WAIT, memory_order_relaxed);
	return true;
}

void store__writer_release(struct store *store)
{
	atomic_store_explicit(&store->writer.is_held, false, memory_order_relaxed);
	pthread_mutex_unlock(&store->writer.mutex);
}

void store__writer_init(struct store *store)
{
	pthread_mutex_init(&store->writer.mutex, NULL);
	atomic_init(&store->writer.is_held, false);
	atomic_init(&store->writer.is_brief, false);
	store->writer.may_spin = os_processors() > 1;
}

void store__writer_fini(struct store *store)
{
	pthread_mutex_destroy(&store->writer.mutex);
}
