/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Time. Deadlines and durations use the monotonic clock; wall time is only for what people read. */
#include <stdint.h>

/* Nanoseconds of CLOCK_MONOTONIC. */
uint64_t os_clock_monotonic_ns(void);
/* Nanoseconds that the calling thread has run. Enters the kernel: some 200 ns. */
uint64_t os_clock_thread_ns(void);
/* Nanoseconds since 1970-01-01T00:00:00Z. */
uint64_t os_clock_wall_ns(void);
/* The moment `ms` after `from_ns`; UINT64_MAX where that is beyond all time, as a timeout of "never" may be.
 */
uint64_t os_clock_after_ms(uint64_t from_ns, uint64_t ms);
/* Lets the thread rest for that long, or less where a signal comes. */
void os_clock_sleep_ms(unsigned ms);
