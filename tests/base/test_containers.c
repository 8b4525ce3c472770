/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors and hash tables; the latter also in a random run against an array. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/hash_table.h"
#include "base/memory.h"
#include "base/vector.h"

static void vector_grows_and_shrinks(void **state)
{
	(void)state;
	struct vector vector;
	vector_init(&vector, sizeof(long));
	for (long i = 0; i < 1000; i++) {
		long *element = vector_push(&vector);
		assert_int_equal(*element, 0);
		*element = i;
	}
	vector_pop(&vector);
	assert_int_equal(vector.length, 999);
	for (size_t i = 0; i < 999; i++)
		assert_int_equal(*(long *)vector_at(&vector, i), i);
	assert_int_equal(*(long *)vector_push(&vector), 0); /* zeroed though it was used before */
	vector_clear(&vector);
	assert_int_equal(vector.length, 0);
	vector_fini(&vector);
	vector_fini(&vector);
}

static void vector_takes_others(void **state)
{
	(void)state;
	struct vector vector, others;
	vector_init(&vector, sizeof(long));
	vector_init(&others, sizeof(long));
	vector_append(&vector, &others);
	assert_int_equal(vector.length, 0);
	for (long i = 0; i < 3; i++)
		*(long *)vector_push(&vector) = i;
	for (long i = 3; i < 100; i++)
		*(long *)vector_push(&others) = i;
	vector_append(&vector, &others);
	vector_append(&others, &vector);
	assert_int_equal(vector.length, 100);
	for (long i = 0; i < 100; i++)
		assert_int_equal(*(long *)vector_at(&vector, (size_t)i), i);
	assert_int_equal(others.length, 197);
	assert_int_equal(*(long *)vector_at(&others, 97), 0);
	vector_fini(&vector);
	vector_fini(&others);
}

static void table_takes_any_key(void **state)
{
	(void)state;
	int a, b;
	struct hash_table *table = hash_table_new();
	assert_null(hash_table_find(table, bytes_of("x")));
	assert_null(hash_table_remove(table, bytes_of("x")));
	assert_null(hash_table_put(table, (struct bytes){NULL, 0}, &a));
	assert_null(hash_table_put(table, (struct bytes){"a\0b", 3}, &b));
	assert_ptr_equal(hash_table_find(table, bytes_of("")), &a);
	assert_ptr_equal(hash_table_find(table, (struct bytes){"a\0b", 3}), &b);
	assert_null(hash_table_find(table, (struct bytes){"a\0c", 3}));
	assert_ptr_equal(hash_table_put(table, bytes_of(""), &b), &a);
	assert_int_equal(hash_table_length(table), 2);
	assert_ptr_equal(hash_table_remove(table, bytes_of("")), &b);
	assert_null(hash_table_find(table, bytes_of("")));
	assert_int_equal(hash_table_length(table), 1);
	hash_table_free(table);
	hash_table_free(NULL);
}

#define KEYS 500

static void count_visit(struct bytes key, void *value, void *arg)
{
	size_t *visits = arg;
	size_t index = (size_t)((char *)value - (char *)arg) / sizeof(size_t);
	char name[32];
	snprintf(name, sizeof(name), "key-%zu", index);
	assert_true(bytes_equal(key, bytes_of(name)));
	visits[index]++;
}

static void table_behaves_as_an_array(void **state)
{
	(void)state;
	const char *given = getenv("YARE_SEED");
	unsigned seed = given ? (unsigned)strtoul(given, NULL, 0) : 20260131;
	printf("seed %u\n", seed);
	srandom(seed);
	hash_table_set_seed(seed);
	struct hash_table *table = hash_table_new();
	static size_t visits[KEYS];
	static bool present[KEYS];
	size_t length = 0;
	for (int step = 0; step < 100000; step++) {
		/* Phases of growth and of decline, so that the table is often almost empty or full. */
		size_t index = (size_t)random() % KEYS;
		char name[32];
		snprintf(name, sizeof(name), "key-%zu", index);
		void *expected = present[index] ? &visits[index] : NULL;
		if (random() % 10 < (step / 10000 % 2 ? 8 : 3)) {
			assert_ptr_equal(hash_table_remove(table, bytes_of(name)), expected);
			length -= present[index];
			present[index] = false;
		} else {
			assert_ptr_equal(hash_table_put(table, bytes_of(name), &visits[index]), expected);
			length += !present[index];
			present[index] = true;
		}
		assert_int_equal(hash_table_length(table), length);
		index = (size_t)random() % KEYS;
		snprintf(name, sizeof(name), "key-%zu", index);
		assert_ptr_equal(hash_table_find(table, bytes_of(name)),
				 present[index] ? &visits[index] : NULL);
	}
	hash_table_each(table, count_visit, visits);
	for (size_t i = 0; i < KEYS; i++)
		assert_int_equal(visits[i], present[i]);
	hash_table_free(table);
}

static void seed_may_change_between_tables(void **state)
{
	(void)state;
	int value;
	struct hash_table *old = hash_table_new();
	hash_table_put(old, bytes_of("k"), &value);
	hash_table_set_seed(12345);
	struct hash_table *new = hash_table_new();
	hash_table_put(new, bytes_of("k"), &value);
	assert_ptr_equal(hash_table_find(old, bytes_of("k")), &value);
	assert_ptr_equal(hash_table_find(new, bytes_of("k")), &value);
	hash_table_free(old);
	hash_table_free(new);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vector_grows_and_shrinks),
		cmocka_unit_test(vector_takes_others),
		cmocka_unit_test(table_takes_any_key),
		cmocka_unit_test(table_behaves_as_an_array),
		cmocka_unit_test(seed_may_change_between_tables),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
