/* SPDX-License-Identifier: BSD-3-Clause */
/* The clocks. No call can fail with a valid clock id; but for a thread's own they do not enter the kernel (vDSO). */
#include "os/clock.h"

#include <time.h>

static uint64_t read_clock(clockid_t id)
{
	struct timespec now;
	clock_gettime(id, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t os_clock_monotonic_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

uint64_t os_clock_thread_ns(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t os_clock_wall_ns(void)
{
	return read_clock(CLOCK_REALTIME);
}

uint64_t os_clock_after_ms(uint64_t from_ns, uint64_t ms)
{
	uint64_t duration_ns, at_ns;
	if (__builtin_mul_overflow(ms, 1000000u, &duration_ns) ||
	    __builtin_add_overflow(from_ns, duration_ns, &at_ns))
		return UINT64_MAX;
	return at_ns;
}

void os_clock_sleep_ms(unsigned ms)
{
	struct timespec time = {ms / 1000, (long)(ms % 1000) * 1000000};
	nanosleep(&time, NULL);
}
