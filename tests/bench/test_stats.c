/* SPDX-License-Identifier: BSD-3-Clause */
/* Quantiles, medians, means of either end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "results.h"
#include "stats.h"

static void test_quantile_is_nearest_rank(void **state)
{
	(void)state;
	uint64_t values[] = {15, 20, 35, 40, 50};
	assert_int_equal(stats_quantile(values, 5, 0), 15);
	assert_int_equal(stats_quantile(values, 5, 50), 15);
	assert_int_equal(stats_quantile(values, 5, 300), 20);
	assert_int_equal(stats_quantile(values, 5, 400), 20);
	assert_int_equal(stats_quantile(values, 5, 500), 35);
	assert_int_equal(stats_quantile(values, 5, 1000), 50);
	assert_int_equal(stats_quantile(values, 1, 999), 15);
}

static void test_median(void **state)
{
	(void)state;
	double odd[] = {9, 1, 5}, even[] = {4, 1, 3, 2};
	assert_true(stats_median(odd, 3) == 5);
	assert_true(stats_median(even, 4) == 2.5);
	assert_true(stats_median(odd, 0) == 0);
}

static void test_summary_of_nothing(void **state)
{
	(void)state;
	struct stats stats;
	stats_init(&stats);
	struct stats_summary summary = stats_summarize(&stats);
	assert_int_equal(summary.count, 0);
	assert_true(summary.p50 == 0 && summary.mean == 0 && summary.last == 0);
	stats_fini(&stats);
}

static void test_summary(void **state)
{
	(void)state;
	struct stats stats;
	stats_init(&stats);
	/* Descending, so that the order of measuring and that of size differ: 10000, 9999, ..., 1. */
	for (uint64_t i = 10000; i >= 1; i--)
		stats_add(&stats, i);
	struct stats_summary summary = stats_summarize(&stats);
	assert_int_equal(summary.count, 10000);
	assert_true(summary.p50 == 5000 && summary.p90 == 9000 && summary.p99 == 9900);
	assert_true(summary.p999 == 9990 && summary.max == 10000);
	assert_true(summary.mean == 5000.5 && summary.sum == 50005000);
	assert_true(summary.first == 9500.5 && summary.last == 500.5);
	stats_fini(&stats);
}

static void test_ends_of_few_samples_are_halves(void **state)
{
	(void)state;
	struct stats stats;
	stats_init(&stats);
	for (uint64_t i = 1; i <= 4; i++)
		stats_add(&stats, i * 10);
	struct stats_summary summary = stats_summarize(&stats);
	assert_true(summary.first == 15 && summary.last == 35);
	stats_fini(&stats);
}

static void test_ratio_is_of_medians(void **state)
{
	(void)state;
	struct results results;
	results_init(&results);
	struct result_key value = {"s", 10, "value"}, floor = {"s", 10, "floor"}, other = {"s", 20, "value"};
	double values[] = {6, 8, 100}, floors[] = {2, 1, 50};
	for (size_t i = 0; i < 3; i++) {
		results_add(&results, value, "s", values[i], "floor");
		results_add(&results, floor, "s", floors[i], NULL);
	}
	results_add(&results, other, "s", 1, "floor");
	assert_int_equal(results.rows.length, 3);
	assert_true(result_value(results_find(&results, value)) == 8);
	assert_true(result_ratio(&results, results_find(&results, value)) == 4);
	assert_true(result_ratio(&results, results_find(&results, floor)) == 0);
	assert_true(result_ratio(&results, results_find(&results, other)) == 0);
	assert_null(results_find(&results, (struct result_key){"t", 10, "value"}));
	results_fini(&results);
}

static void test_mean_without_outliers(void **state)
{
	(void)state;
	struct results results;
	results_init(&results);
	struct result_key key = {"s", 10, "value"}, single = {"s", 10, "single"};
	double values[] = {11, 10, 12, 10, 12, 1000};
	for (size_t i = 0; i < 6; i++)
		results_add(&results, key, "s", values[i], NULL);
	results_add(&results, single, "s", 7, NULL);
	assert_true(result_mean(results_find(&results, key), true) == 11);
	assert_true(result_mean(results_find(&results, key), false) == 1055.0 / 6);
	assert_true(result_mean(results_find(&results, single), true) == 7);
	results_fini(&results);
}

/* The floor of a peer's figure is that of the peer. */
static void test_servers_are_apart(void **state)
{
	(void)state;
	struct results results;
	results_init(&results);
	struct result_key value = {"s", 10, "value"}, floor = {"s", 10, "floor"};
	results_add(&results, value, "s", 6, "floor");
	results_add(&results, floor, "s", 2, NULL);
	results.server = "peer";
	results_add(&results, value, "s", 60, "floor");
	results_add(&results, floor, "s", 4, NULL);
	assert_true(result_ratio(&results, results_find(&results, value)) == 15);
	results.server = NULL;
	assert_true(result_ratio(&results, results_find(&results, value)) == 3);
	results_fini(&results);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quantile_is_nearest_rank),
		cmocka_unit_test(test_median),
		cmocka_unit_test(test_summary_of_nothing),
		cmocka_unit_test(test_summary),
		cmocka_unit_test(test_ends_of_few_samples_are_halves),
		cmocka_unit_test(test_ratio_is_of_medians),
		cmocka_unit_test(test_mean_without_outliers),
		cmocka_unit_test(test_servers_are_apart),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
