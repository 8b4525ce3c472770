/* SPDX-License-Identifier: BSD-3-Clause */
/* A needle is counted once wherever the pieces are cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scan.h"

static uint64_t count_in_pieces(const char *text, const char *needle, size_t piece_size)
{
	struct scan scan;
	scan_init(&scan, needle);
	for (size_t size = strlen(text), at = 0; at < size; at += piece_size)
		scan_add(&scan, (struct bytes){text + at, size - at < piece_size ? size - at : piece_size});
	return scan.count;
}

static void test_any_cut(void **state)
{
	(void)state;
	const char *text = "rpc-error><rpc-errorrpc-error></rpc-error></rpc-erro>rpc-error>";
	for (size_t size = 1; size <= strlen(text); size++)
		assert_int_equal(count_in_pieces(text, "rpc-error>", size), 4);
}

static void test_any_two_cuts(void **state)
{
	(void)state;
	const char *text = "abcxabcabxcabc";
	size_t length = strlen(text);
	for (size_t first = 0; first <= length; first++) {
		for (size_t second = first; second <= length; second++) {
			struct scan scan;
			scan_init(&scan, "abc");
			scan_add(&scan, (struct bytes){text, first});
			scan_add(&scan, (struct bytes){text + first, second - first});
			scan_add(&scan, (struct bytes){text + second, length - second});
			assert_int_equal(scan.count, 3);
		}
	}
}

static void test_nothing(void **state)
{
	(void)state;
	assert_int_equal(count_in_pieces("", "ab", 1), 0);
	assert_int_equal(count_in_pieces("acacb", "ab", 2), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_cut),
		cmocka_unit_test(test_any_two_cuts),
		cmocka_unit_test(test_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
