/* SPDX-License-Identifier: BSD-3-Clause */
/* Values in a word, and sort keys: their order against numbers computed another way. */
#include "helper_schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ORDER                                                                                                \
	"module order {namespace urn:order; prefix o; yang-version 1.1; leaf i64 {type int64;} leaf u64 "    \
	"{type uint64;}"                                                                                     \
	"  leaf dec {type decimal64 {fraction-digits 6;}} leaf str {type string;} leaf bool {type boolean;}" \
	"  leaf ref {type leafref {path /i64;}} leaf uni {type union {type int8; type string;}}}"

static struct schema *schema;
static uint64_t random_state;

static uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state * 0x2545f4914f6cdd1dull;
}

static int load_order(void **state)
{
	(void)state;
	const char *seed = getenv("YARE_SEED");
	random_state = seed != NULL ? strtoull(seed, NULL, 10) : (uint64_t)time(NULL) << 20 | 1;
	print_message("YARE_SEED=%llu\n", (unsigned long long)random_state);
	schema = helper_load_text("order", ORDER);
	return 0;
}

static int unload_order(void **state)
{
	(void)state;
	schema_unref(schema);
	helper_remove_modules();
	return 0;
}

static void test_words(void **state)
{
	(void)state;
	assert_true(value_is_none(VALUE_NONE));
	struct value empty = value_new((struct bytes){NULL, 0}, 0);
	assert_false(value_is_none(empty));
	assert_int_equal(value_bytes(&empty).size, 0);
	assert_null(value_shared_text(empty));
	static const char text[] = "abcdefghij";
	for (size_t size = 0; size <= 10; size++) {
		struct bytes bytes = {text, size};
		struct value a = value_new(bytes, 0), b = value_new(bytes, 0);
		assert_true(bytes_equal(value_bytes(&a), bytes));
		assert_true(value_equal(a, b));
		assert_int_equal(value_shared_text(a) == NULL, size <= VALUE_INLINE_MAX);
		assert_int_equal(a.word == b.word, size <= VALUE_INLINE_MAX);
		assert_false(value_equal(a, VALUE_NONE));
		struct value other = value_new((struct bytes){text + 1, 9}, 0);
		assert_false(value_equal(a, other));
		value_unref(other);
		assert_int_equal(value_ref(a).word, a.word);
		value_unref(a);
		value_unref(a);
		value_unref(b);
	}
	struct value flagged = value_new((struct bytes){text, 2}, TEXT_QNAME);
	assert_non_null(value_shared_text(flagged));
	struct value shared = value_of_text(text_ref(value_shared_text(flagged)));
	assert_int_equal(shared.word, flagged.word);
	value_unref(shared);
	value_unref(flagged);
	struct value made = value_of_text(text_new((struct bytes){text, 7}, 0));
	assert_null(value_shared_text(made));
	value_unref(VALUE_NONE);
}

static int sign(int order)
{
	return (order > 0) - (order < 0);
}

/* The order of values of the leaf, checked in all the ways that there are. */
static int order_of(const char *leaf, const char *a, const char *b)
{
	const struct schema_type *type = helper_node(schema, leaf)->type;
	struct value x = value_new(bytes_of(a), 0), y = value_new(bytes_of(b), 0);
	uint8_t x_key[128], y_key[128];
	size_t x_size = schema_type_sort_key(type, x, x_key, sizeof(x_key));
	size_t y_size = schema_type_sort_key(type, y, y_key, sizeof(y_key));
	assert_true(x_size < sizeof(x_key) && y_size < sizeof(y_key));
	int order =
		bytes_compare((struct bytes){(char *)x_key, x_size}, (struct bytes){(char *)y_key, y_size});
	assert_int_equal(sign(schema_type_compare(type, x, y)), sign(order));
	/* Self-delimiting: no key is the beginning of another, so that what follows never decides. */
	size_t common = x_size < y_size ? x_size : y_size;
	assert_int_equal(memcmp(x_key, y_key, common) == 0, order == 0);
	/* With less room the beginning is written and the same size told. */
	uint8_t small[128];
	memset(small, 0xee, sizeof(small));
	size_t room = (size_t)(next_random() % (x_size + 1));
	assert_int_equal(schema_type_sort_key(type, x, small, room), x_size);
	assert_memory_equal(small, x_key, room);
	assert_int_equal(small[room], 0xee);
	value_unref(x);
	value_unref(y);
	return sign(order);
}

/* Numbers of all magnitudes, and pairs that are close. */
static int64_t random_integer(int64_t near)
{
	switch (next_random() % 4) {
	case 0:
		return (int64_t)next_random() >> next_random() % 64;
	case 1:
		return (int64_t)((uint64_t)near + next_random() % 3 - 1);
	case 2:
		return (int64_t)(next_random() % 2001) - 1000;
	default:
		return (int64_t)((uint64_t)near * 10);
	}
}

static void test_integer_order(void **state)
{
	(void)state;
	int64_t a = 0;
	for (int i = 0; i < 20000; i++) {
		int64_t b = random_integer(a);
		char x[32], y[32];
		snprintf(x, sizeof(x), "%lld", (long long)a);
		snprintf(y, sizeof(y), "%lld", (long long)b);
		assert_int_equal(order_of("order:i64", x, y), (a > b) - (a < b));
		assert_int_equal(order_of("order:ref", x, y), (a > b) - (a < b));
		uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
		snprintf(x, sizeof(x), "%llu", (unsigned long long)ua);
		snprintf(y, sizeof(y), "%llu", (unsigned long long)ub);
		assert_int_equal(order_of("order:u64", x, y), (ua > ub) - (ua < ub));
		a = b;
	}
	assert_int_equal(order_of("order:i64", "-9223372036854775808", "9223372036854775807"), -1);
	assert_int_equal(order_of("order:u64", "18446744073709551615", "9"), 1);
}

/* Canonical text of millionths: no trailing zeros but one digit after the point. */
static void print_decimal(int64_t millionths, char *out, size_t size)
{
	uint64_t magnitude = millionths < 0 ? -(uint64_t)millionths : (uint64_t)millionths;
	int length = snprintf(out, size, "%s%llu.%06llu", millionths < 0 ? "-" : "",
			      (unsigned long long)(magnitude / 1000000),
			      (unsigned long long)(magnitude % 1000000));
	while (out[length - 1] == '0' && out[length - 2] != '.')
		out[--length] = '\0';
}

static void test_decimal_order(void **state)
{
	(void)state;
	int64_t a = 0;
	for (int i = 0; i < 20000; i++) {
		int64_t b = random_integer(a);
		char x[32], y[32];
		print_decimal(a, x, sizeof(x));
		print_decimal(b, y, sizeof(y));
		if (i < 200)
			assert_string_equal(helper_canonical(schema, "order:dec", x, NULL), x);
		assert_int_equal(order_of("order:dec", x, y), (a > b) - (a < b));
		a = b;
	}
}

static void test_text_order(void **state)
{
	(void)state;
	for (int i = 0; i < 20000; i++) {
		char x[16], y[16];
		size_t x_size = (size_t)(next_random() % 12), y_size = (size_t)(next_random() % 12);
		for (size_t k = 0; k < 12; k++) {
			x[k] = (char)(1 + next_random() % 3 + (next_random() % 2) * 126);
			y[k] = next_random() % 8 != 0 ? x[k] : (char)(1 + next_random() % 255);
		}
		x[x_size] = y[y_size] = '\0';
		int expected = sign(bytes_compare(bytes_of(x), bytes_of(y)));
		assert_int_equal(order_of("order:str", x, y), expected);
		assert_int_equal(order_of("order:uni", x, y), expected);
	}
	assert_int_equal(order_of("order:uni", "10", "9"), -1); /* a union: by bytes */
	assert_int_equal(order_of("order:bool", "false", "true"), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_integer_order),
		cmocka_unit_test(test_decimal_order),
		cmocka_unit_test(test_text_order),
	};
	return cmocka_run_group_tests(tests, load_order, unload_order);
}
