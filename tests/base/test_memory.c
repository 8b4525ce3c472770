/* SPDX-License-Identifier: BSD-3-Clause */
/* Heap, arenas and byte runs: alignment, growth, accounting, reuse after a reset, order and hashes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "base/status.h"

static void heap_gives_memory_of_any_size(void **state)
{
	(void)state;
	void *nothing = memory_alloc(0);
	assert_non_null(nothing);
	memory_free(nothing);
	unsigned char *zero = memory_zalloc(100);
	for (size_t i = 0; i < 100; i++)
		assert_int_equal(zero[i], 0);
	memory_free(zero);
	int *numbers = memory_resize(NULL, 4, sizeof(int));
	numbers[3] = 7;
	numbers = memory_resize(numbers, 4000, sizeof(int));
	assert_int_equal(numbers[3], 7);
	memory_free(numbers);
	char *copy = memory_strdup("text");
	assert_string_equal(copy, "text");
	memory_free(copy);
	memory_free(NULL);
}

static void arena_allocations_are_aligned_and_apart(void **state)
{
	(void)state;
	struct arena *arena = arena_new();
	unsigned char *all[3000];
	for (size_t i = 0; i < 3000; i++) {
		all[i] = arena_alloc(arena, i % 97 + 1);
		assert_int_equal((uintptr_t)all[i] % 8, 0);
		memset(all[i], (int)(i & 0xff), i % 97 + 1);
	}
	for (size_t i = 0; i < 3000; i++)
		for (size_t at = 0; at < i % 97 + 1; at++)
			assert_int_equal(all[i][at], i & 0xff);
	arena_free(arena);
	arena_free(NULL);
}

static void arena_blocks_grow(void **state)
{
	(void)state;
	struct arena *arena = arena_new();
	arena_alloc(arena, 1);
	size_t first = arena_size(arena);
	assert_in_range(first, 1024, 8192);
	for (size_t total = 0; total < 8u << 20; total += 1000)
		arena_alloc(arena, 1000);
	/* At most one block of the largest size is not full, and a little is lost at the ends of blocks. */
	assert_in_range(arena_size(arena), 8u << 20, 10u << 20);
	arena_reset(arena);
	assert_int_equal(arena_size(arena), first);
	arena_alloc(arena, 1);
	assert_int_equal(arena_size(arena), first);
	arena_free(arena);
}

/* Limits go by the size, so it follows what was allocated closely, also where blocks are pages. */
static void large_arenas_are_made_of_pages(void **state)
{
	(void)state;
	struct arena *arena = arena_new();
	size_t allocated = 0;
	for (size_t i = 0; i < 40000; i++, allocated += 1000) {
		char *memory = arena_zalloc(arena, 1000);
		assert_true(memory[0] == 0 && memory[999] == 0);
		memset(memory, 1, 1000);
		size_t slack = allocated < (8u << 20) ? (size_t)2 << 20 : (size_t)4 << 20;
		assert_in_range(arena_size(arena), allocated, allocated + allocated / 50 + slack);
	}
	arena_reset(arena);
	assert_in_range(arena_size(arena), 1, 8192);
	memset(arena_alloc(arena, 1000), 2, 1000);
	arena_free(arena);
}

static void arena_takes_large_requests_without_waste(void **state)
{
	(void)state;
	struct arena *arena = arena_new();
	char *small = arena_alloc(arena, 8);
	memset(arena_alloc(arena, 5000000), 1, 5000000);
	char *next = arena_alloc(arena, 8);
	assert_in_range(next - small, 8, 32); /* still from the first block */
	assert_in_range(arena_size(arena), 5000000, 5010000);
	arena_reset(arena);
	assert_in_range(arena_size(arena), 1, 8192);
	arena_free(arena);

	arena = arena_new(); /* a large request as the first one */
	memset(arena_alloc(arena, 100000), 1, 100000);
	memset(arena_zalloc(arena, 10), 2, 10);
	arena_reset(arena);
	memset(arena_alloc(arena, 200000), 1, 200000);
	arena_free(arena);
}

static void arena_makes_strings(void **state)
{
	(void)state;
	struct arena *arena = arena_new();
	assert_string_equal(arena_strdup(arena, (struct bytes){"abcdef", 3}), "abc");
	assert_string_equal(arena_strdup(arena, (struct bytes){NULL, 0}), "");
	assert_string_equal(arena_printf(arena, "/%s[%d]", "entry", 42), "/entry[42]");
	char *wide = arena_printf(arena, "%5000d", 1);
	assert_int_equal(strlen(wide), 5000);
	arena_free(arena);
}

static void bytes_are_ordered(void **state)
{
	(void)state;
	assert_true(bytes_compare(bytes_of("a"), bytes_of("b")) < 0);
	assert_true(bytes_compare(bytes_of("b"), bytes_of("a")) > 0);
	assert_true(bytes_compare(bytes_of("a"), bytes_of("ab")) < 0);
	assert_true(bytes_compare(bytes_of("\xff"), bytes_of("a")) > 0);
	assert_int_equal(bytes_compare((struct bytes){NULL, 0}, bytes_of("")), 0);
	assert_true(bytes_equal((struct bytes){NULL, 0}, bytes_of("")));
	assert_false(bytes_equal(bytes_of("ab"), bytes_of("aa")));
}

static void hashes_differ_by_content_size_and_seed(void **state)
{
	(void)state;
	static const char zeros[64];
	unsigned long long seen[65];
	for (size_t size = 0; size <= 64; size++) {
		seen[size] = bytes_hash((struct bytes){zeros, size}, 1);
		for (size_t other = 0; other < size; other++)
			assert_true(seen[other] != seen[size]);
		assert_true(bytes_hash((struct bytes){zeros, size}, 2) != seen[size]);
	}
	/* Numbered keys spread: 4096 of them over 4096 buckets fill about 63 % in theory. */
	static unsigned char used[4096];
	size_t filled = 0;
	for (int i = 0; i < 4096; i++) {
		char key[32];
		snprintf(key, sizeof(key), "entry-%d", i);
		size_t bucket = bytes_hash(bytes_of(key), 7) % 4096;
		filled += !used[bucket];
		used[bucket] = 1;
	}
	assert_in_range(filled, 2400, 2800);
}

static void statuses_have_names(void **state)
{
	(void)state;
	assert_string_equal(status_name(ST_OK), "ok");
	assert_string_equal(status_name(ST_ABSENT), "absent");
	assert_string_equal(status_name((enum status)99), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heap_gives_memory_of_any_size),
		cmocka_unit_test(arena_allocations_are_aligned_and_apart),
		cmocka_unit_test(arena_blocks_grow),
		cmocka_unit_test(large_arenas_are_made_of_pages),
		cmocka_unit_test(arena_takes_large_requests_without_waste),
		cmocka_unit_test(arena_makes_strings),
		cmocka_unit_test(bytes_are_ordered),
		cmocka_unit_test(hashes_differ_by_content_size_and_seed),
		cmocka_unit_test(statuses_have_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
