/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include <stddef.h>
#include <stdint.h>
/* Fills `data` from the kernel's generator; aborts where there is none. */
void os_random_bytes(void *data, size_t size);
/* A small seeded generator (splitmix64) for tests and benchmarks: the same seed gives the same numbers. */
uint64_t os_random_next(uint64_t *state);
