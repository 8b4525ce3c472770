/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of every built-in type: valid and invalid ones, canonical forms, blanks, error messages. */
#include "helper_schema.h"
#include "helper_values.h"

#include <pthread.h>
#include <stdio.h>

#include "base/memory.h"

static struct schema *schema;

static int load_values(void **state)
{
	(void)state;
	helper_write_module("other", OTHER);
	helper_write_module("imported", IMPORTED);
	const char *folder = helper_write_module("values", VALUES);
	const char *modules[] = {"other", "values", NULL};
	schema = helper_load(folder, modules, false);
	return 0;
}

static int unload_values(void **state)
{
	(void)state;
	schema_unref(schema);
	helper_remove_modules();
	return 0;
}

struct example {
	const char *leaf, *lexical, *canonical; /* NULL: refused */
};

#define MAP "v=values other=other o=other i=imported values=values =values"

static void check(const struct example *examples, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char path[64];
		snprintf(path, sizeof(path), "values:%s", examples[i].leaf);
		const char *canonical = helper_canonical(schema, path, examples[i].lexical, MAP);
		const char *expected = examples[i].canonical;
		if ((canonical == NULL) != (expected == NULL) ||
		    (expected != NULL && strcmp(canonical, expected) != 0))
			fail_msg("%s \"%s\": \"%s\", expected \"%s\" (%s)", examples[i].leaf,
				 examples[i].lexical, canonical != NULL ? canonical : "refused",
				 expected != NULL ? expected : "refused",
				 helper_error.message != NULL ? helper_error.message : "");
	}
}

#define CHECK(examples) check(examples, sizeof(examples) / sizeof(examples[0]))

static const struct example integers[] = {
	{"i8", "0", "0"},
	{"i8", "-128", "-128"},
	{"i8", "127", "127"},
	{"i8", "128", NULL},
	{"i8", "-129", NULL},
	{"i8", "017", "17"},
	{"i8", "+1", "1"},
	{"i8", "-0", "0"},
	{"i8", "-007", "-7"},
	{"i8", "0x1f", NULL},
	{"i8", "", NULL},
	{"i8", " ", NULL},
	{"i8", "-", NULL},
	{"i8", "+", NULL},
	{"i8", "--1", NULL},
	{"i8", "+-1", NULL},
	{"i8", "1 2", NULL},
	{"i8", " \t\r\n5 \n", "5"},
	{"i8", "1.0", NULL},
	{"i8", "1e1", NULL},
	{"i8", "\xd9\xa1", NULL},
	{"i8", "00000000000000000000000000000000000001", "1"},
	{"i16", "-32768", "-32768"},
	{"i16", "32768", NULL},
	{"i32", "-2147483648", "-2147483648"},
	{"i32", "2147483648", NULL},
	{"i64", "-9223372036854775808", "-9223372036854775808"},
	{"i64", "-9223372036854775809", NULL},
	{"i64", "9223372036854775807", "9223372036854775807"},
	{"i64", "9223372036854775808", NULL},
	{"u8", "255", "255"},
	{"u8", "256", NULL},
	{"u8", "-1", NULL},
	{"u8", "-0", "0"},
	{"u16", "65535", "65535"},
	{"u16", "65536", NULL},
	{"u32", "4294967295", "4294967295"},
	{"u32", "4294967296", NULL},
	{"u64", "18446744073709551615", "18446744073709551615"},
	{"u64", "18446744073709551616", NULL},
	{"u64", "99999999999999999999999999", NULL},
	{"ranged", "-5", "-5"},
	{"ranged", "-2", NULL},
	{"ranged", "0", NULL},
	{"ranged", "4", "4"},
	{"ranged", "5", NULL},
	{"plain", "1", NULL},
	{"plain", "02", "2"},
	{"top", "18446744073709551615", "18446744073709551615"},
	{"top", "18446744073709551614", NULL},
};

static void test_integers(void **state)
{
	(void)state;
	CHECK(integers);
	assert_null(helper_canonical(schema, "values:ranged", "0", NULL));
	assert_string_equal(helper_error.message, "Not that.");
	assert_string_equal(helper_error.app_tag, "not-that");
	assert_null(helper_canonical(schema, "values:ranged", "1000",
				     NULL)); /* no int8: not the range's message */
	assert_string_not_equal(helper_error.message, "Not that.");
	assert_null(helper_error.app_tag);
	assert_null(helper_canonical(schema, "values:plain", "1", NULL));
	assert_null(helper_error.app_tag);
}

static void test_decimal64(void **state)
{
	(void)state;
	static const struct example examples[] = {
		{"d1", "1", "1.0"},
		{"d1", "-0.5", "-0.5"},
		{"d1", " 1.50 ", "1.5"},
		{"d1", " 1.5\n", "1.5"},
		{"d1", "01.5", "1.5"},
		{"d1", "+1.5", "1.5"},
		{"d1", "1.", NULL},
		{"d1", ".5", NULL},
		{"d1", "", NULL},
		{"d1", "1.55", NULL},
		{"d1", "a", NULL},
		{"d1", "1.5.5", NULL},
		{"d1", "922337203685477580.7", "922337203685477580.7"},
		{"d1", "922337203685477580.8", NULL},
		{"d18", "9.223372036854775807", "9.223372036854775807"},
		{"d18", "9.3", NULL},
		{"d18", "0.000000000000000001", "0.000000000000000001"},
		{"d18", "-0.0", "0.0"},
		{"dr", "2.25", "2.25"},
		{"dr", "2.26", NULL},
		{"dr", "-1.50", "-1.5"},
	};
	CHECK(examples);
	assert_null(helper_canonical(schema, "values:dr", "9", NULL));
	assert_string_equal(helper_error.message, "Bad money.");
	assert_string_equal(helper_error.app_tag, "money");
}

static void test_boolean_empty_enumeration_bits_binary(void **state)
{
	(void)state;
	static const struct example examples[] = {
		{"bool", "true", "true"},
		{"bool", "false", "false"},
		{"bool", "True", NULL},
		{"bool", "1", NULL},
		{"bool", " true", NULL},
		{"bool", "", NULL},
		{"none", "", ""},
		{"none", " ", NULL},
		{"none", "x", NULL},
		{"enum", "a", "a"},
		{"enum", " a", NULL},
		{"enum", "a ", NULL},
		{"enum", "", NULL},
		{"enum", "with space", "with space"},
		{"enum", "longer-than-seven", "longer-than-seven"},
		{"enum", "longer-than-seve", NULL},
		{"enum", "70", NULL},
		{"bits", "one zero", "zero one"},
		{"bits", " ten\n one ", "one ten"},
		{"bits", "", ""},
		{"bits", "one one", NULL},
		{"bits", "two", NULL},
		{"bits", "one,zero", NULL},
		{"bin", "", ""},
		{"bin", "AAEC", "AAEC"},
		{"bin", "AAE=", "AAE="},
		{"bin", "AAE", NULL},
		{"bin", " AAEC", NULL},
		{"bin", "A=EC", NULL},
		{"bin", "AA*C", NULL},
		{"bin4", "AAECAw==", "AAECAw=="},
		{"bin4", "AAEC", NULL},
	};
	CHECK(examples);
	int32_t number;
	struct value value = value_new(bytes_of("longer-than-seven"), 0);
	assert_true(schema_enum_number(helper_node(schema, "values:enum")->type, value, &number));
	assert_int_equal(number, 70);
	value_unref(value);
}

static void test_strings(void **state)
{
	(void)state;
	static const struct example examples[] = {
		{"str", "", ""},
		{"str", " \tx\n ", " \tx\n "},
		{"str", "\xc3\xa4", "\xc3\xa4"},
		{"len", "\xc3\xa4\xc3\xb6", "\xc3\xa4\xc3\xb6"},
		{"len", "a", NULL},
		{"len", "abc", "abc"},
		{"len", "abcd", NULL},
		{"len", "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac",
		 "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac"},
		{"pat", "abc", "abc"},
		{"pat", "abC", NULL},
		{"pat", "", NULL},
		{"pat", "xyz", NULL},
		{"pat", "abc\n", NULL},
		{"slow", "aab", "aab"},
	};
	CHECK(examples);
	assert_null(helper_canonical(schema, "values:len", "abcd", NULL));
	assert_string_equal(helper_error.message, "Bad length.");
	assert_string_equal(helper_error.app_tag, "len");
	assert_null(helper_canonical(schema, "values:pat", "ABC", NULL));
	assert_string_equal(helper_error.message, "Lower.");
	assert_string_equal(helper_error.app_tag, "lower");
	assert_null(helper_canonical(schema, "values:pat", "xyz", NULL));
	assert_string_equal(helper_error.message, "Value \"xyz\" must not match the pattern \"x.*\".");
}

/* Exponential on a backtracking matcher: refused after a bounded number of steps. */
static void test_hostile_pattern(void **state)
{
	(void)state;
	char hostile[64];
	memset(hostile, 'a', sizeof(hostile) - 1);
	hostile[sizeof(hostile) - 1] = '\0';
	assert_null(helper_canonical(schema, "values:slow", hostile, NULL));
	assert_non_null(strstr(helper_error.message, "too much work"));
	assert_non_null(strstr(helper_error.message, "(a|aa)+[bc]"));
	/* A large value that matches in one pass is no attack. */
	enum { LARGE = 300000 };
	char *large = memory_alloc(LARGE);
	for (size_t i = 0; i < LARGE; i++)
		large[i] = i % 3 == 2 ? ':' : 'a';
	struct arena *arena = arena_new();
	struct value value;
	struct schema_type_error error;
	assert_int_equal(schema_type_parse(schema, helper_node(schema, "values:many")->type,
					   (struct bytes){large, LARGE}, NULL, arena, &value, &error),
			 ST_OK);
	value_unref(value);
	memory_free(large);
	arena_free(arena);
}

static void test_identityref(void **state)
{
	(void)state;
	static const struct example examples[] = {
		{"ident", "v:bread", "values:bread"},
		{"ident", "bread", "values:bread"},
		{"ident", "o:soup", "other:soup"},
		{"ident", "other:soup", "other:soup"},
		{"ident", "soup", NULL},
		{"ident", "o:food", NULL},
		{"ident", "i:stew", NULL},
		{"ident", "v:hidden", NULL},
		{"ident", "x:bread", NULL},
		{"ident", " v:bread", NULL},
		{"ident", "v:bread ", NULL},
		{"ident", ":bread", NULL},
		{"ident", "v:", NULL},
		{"ident", "", NULL},
		{"ident", "v:v:bread", NULL},
		{"ident", "v:free", NULL},
		{"two", "v:both", "values:both"},
		{"two", "v:bread", NULL},
	};
	CHECK(examples);
	assert_null(helper_canonical(schema, "values:ident", "bread", "v=values"));
	struct arena *arena = arena_new();
	struct schema_type_error error;
	struct value a, b;
	struct helper_prefixes prefixes = helper_prefixes(schema, MAP);
	const struct schema_type *type = helper_node(schema, "values:ident")->type;
	assert_int_equal(
		schema_type_parse(schema, type, bytes_of("bread"), &prefixes.base, arena, &a, &error), ST_OK);
	assert_int_equal(
		schema_type_parse(schema, type, bytes_of("v:bread"), &prefixes.base, arena, &b, &error),
		ST_OK);
	assert_int_equal(a.word, b.word); /* one text for all */
	assert_int_equal(value_shared_text(a)->flags, TEXT_QNAME);
	assert_int_equal(schema_type_parse(schema, type, bytes_of("v:bread"), NULL, arena, &b, &error),
			 ST_REJECTED);
	struct schema_prefixes_canonical canonical = schema_prefixes_canonical(schema, NULL);
	assert_int_equal(schema_type_parse(schema, type, value_bytes(&a), &canonical.base, arena, &b, &error),
			 ST_OK);
	assert_int_equal(a.word, b.word);
	assert_int_equal(
		schema_type_parse(schema, type, bytes_of("bread"), &canonical.base, arena, &b, &error),
		ST_REJECTED);
	arena_free(arena);
}

static void test_instance_identifier(void **state)
{
	(void)state;
	static const struct example examples[] = {
		{"inst", "/v:box", "/values:box"},
		{"inst", " /v:box/v:a\n", "/values:box/a"},
		{"inst", "/o:plate/v:mine", "/other:plate/values:mine"},
		{"inst", "/v:list[v:nr='01'][v:name=\"it's\"][v:kind='o:soup']/v:inner",
		 "/values:list[nr='1'][name=\"it's\"][kind='other:soup']/inner"},
		{"inst", "/v:list[v:kind='bread'] [v:nr='1'][v:name='x']",
		 "/values:list[nr='1'][name='x'][kind='values:bread']"},
		{"inst", "/v:list[ v:kind = 'bread' ][v:name='x'][v:nr=' 1 ']",
		 "/values:list[nr='1'][name='x'][kind='values:bread']"},
		{"inst", "/v:list[v:nr='1'][v:name='x']", NULL},
		{"inst", "/v:list", NULL},
		{"inst", "/v:list[v:nr='1'][v:nr='1'][v:name='x'][v:kind='bread']", NULL},
		{"inst", "/v:list[v:nr='x'][v:name='x'][v:kind='bread']", NULL},
		{"inst", "/v:list[v:inner='x']", NULL},
		{"inst", "/v:list[1]", NULL},
		{"inst", "/v:box/v:ll[.='+7']", "/values:box/ll[.='7']"},
		{"inst", "/v:box/v:ll", NULL},
		{"inst", "/v:box/v:ll[1]", NULL},
		{"inst", "/v:box/v:sl[3]", "/values:box/sl[3]"},
		{"inst", "/v:box/v:state[12]/v:s", "/values:box/state[12]/s"},
		{"inst", "/v:box/v:state[0]", NULL},
		{"inst", "/v:box/v:state[v:s='x']", NULL},
		{"inst", "/v:box[1]", NULL},
		{"inst", "/box", NULL},
		{"inst", "/v:box/a", NULL},
		{"inst", "/v:box/:a", NULL},
		{"inst", "/:box", NULL},
		{"inst", "/v:box/v:sl[003]", "/values:box/sl[3]"},
		{"inst", "/v:box/v:sl[3.]", NULL},
		{"inst", "/v:box/v:sl[99999999999999999999]", NULL},
		{"inst", "/x:box", NULL},
		{"inst", "/v:nothing", NULL},
		{"inst", "", NULL},
		{"inst", "/", NULL},
		{"inst", "v:box", NULL},
		{"inst", "/v:box/", NULL},
		{"inst", "/v:box//v:a", NULL},
		{"inst", "/v:box/v:ll[.='7'", NULL},
		{"inst", "/v:box/v:ll[.='7", NULL},
		{"inst", "/v:box/v:ll[.=7]", NULL},
		{"inst", "/v:box/v:ll[", NULL},
		{"inst", "/v:list[", NULL},
		{"inst", "/v:", NULL},
		{"inst", "/v:box[", NULL},
		{"inst", "/v:box/v:sl[9", NULL},
		{"inst", "/v:box/v:any/v:x", NULL},
	};
	CHECK(examples);
}

static void test_leafref_and_union(void **state)
{
	(void)state;
	static const struct example examples[] = {
		{"ref", "+5", "5"},
		{"ref2", " 5 ", "5"},
		{"ref", "500", NULL},
		{"uni", "007", "7"},
		{"uni", "auto", "auto"},
		{"uni", " auto", NULL},
		{"uni", "v:bread", "values:bread"},
		{"uni", "true", "true"},
		{"uni", "ABC", "ABC"},
		{"uni", "300", "300.0"},
		{"uni", "abc", NULL},
		{"uni", "", NULL},
		{"order", "17", "17"},
		{"order", "007", "7"},
		{"order", "7", "7"},
		{"order", " 7 ", "7"},
		{"order", "o:soup", "o:soup"},
	};
	CHECK(examples);
	/* A name without flags stays verbatim, one of the identity member has them. */
	const struct schema_type *type = helper_node(schema, "values:uni")->type;
	assert_int_equal(schema_type_member_count(type), 6);
	assert_true(schema_type_has_reference(type));
}

static void test_derived_types(void **state)
{
	(void)state;
	static const struct example examples[] = {
		{"date", "2026-02-31", NULL},
		{"date", "2026-01-02T03:04:05-00:00", "2026-01-02T03:04:05-00:00"},
		{"mac", "00:11:22:33:44:5", NULL},
		{"ip", "010.0.0.1", NULL},
		{"ip", "10.0.0.1", "10.0.0.1"},
		{"v6", "2001:DB8::0:1", "2001:db8::1"},
		{"v6", "2001:db8:::1", NULL},
		{"net", "10.1.2.3/8", "10.0.0.0/8"},
		{"xp", "/v:box/o:plate[v:mine='o:soup']",
		 "/values:box/other:plate[values:mine='other:soup']"},
		{"xp", "child::v:box", "child::values:box"},
		{"xp", "/x:box", NULL},
		{"xp", "x:box", NULL},
		{"xp", "/v:box[v:a='x:y']", "/values:box[a='x:y']"},
		{"xp", "/v:box[", NULL},
	};
	CHECK(examples);
}

static void test_defaults(void **state)
{
	(void)state;
	const struct schema_node *hex = helper_node(schema, "values:hex");
	assert_true(bytes_equal(value_bytes(&hex->defaults[0]), bytes_of("31")));
	const struct schema_node *idents = helper_node(schema, "values:idents");
	assert_int_equal(idents->default_count, 2);
	assert_true(bytes_equal(value_bytes(&idents->defaults[0]), bytes_of("values:bread")));
	assert_true(bytes_equal(value_bytes(&idents->defaults[1]), bytes_of("other:soup")));
	assert_int_equal(value_shared_text(idents->defaults[1])->flags, TEXT_QNAME);
	const struct schema_node *insts = helper_node(schema, "values:insts");
	assert_true(bytes_equal(value_bytes(&insts->defaults[0]),
				bytes_of("/values:list[nr='1'][name='x'][kind='values:bread']")));
}

/* Values are read by all workers at once; libyang's dictionary is behind many types. */
static void *read_values(void *arg)
{
	static const char *const values[][2] = {
		{"values:bits", "ten one"},	{"values:d1", "1.5"},
		{"values:bin", "AAECAw=="},	{"values:date", "2026-01-02T03:04:05Z"},
		{"values:ip", "10.0.0.1"},	{"values:xp", "/v:box[v:a='1']"},
		{"values:uni", "values:bread"}, {"values:inst", "/v:box/v:ll[.='1']"},
	};
	struct arena *arena = arena_new();
	struct helper_prefixes prefixes = helper_prefixes(schema, MAP);
	size_t failures = 0;
	for (int round = 0; round < 2000; round++) {
		size_t i = (size_t)round % (sizeof(values) / sizeof(values[0]));
		struct value value;
		struct schema_type_error error;
		const struct schema_node *node = helper_node(schema, values[i][0]);
		if (schema_type_parse(schema, node->type, bytes_of(values[i][1]), &prefixes.base, arena,
				      &value, &error) == ST_OK)
			value_unref(value);
		else
			failures++;
		failures += schema_type_parse(schema, node->type, bytes_of("\x01"), &prefixes.base, arena,
					      &value, &error) == ST_OK;
		arena_reset(arena);
	}
	arena_free(arena);
	*(size_t *)arg = failures;
	return NULL;
}

static void test_threads(void **state)
{
	(void)state;
	enum { THREADS = 4 };
	pthread_t threads[THREADS];
	size_t failures[THREADS];
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, read_values, &failures[i]), 0);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(failures[i], 0);
	}
}

/* A value with prefixes may grow by its modules' names, and libyang's work on it is not linear. */
static void test_large_values(void **state)
{
	(void)state;
	enum { LARGE = 70000 };
	char *large = memory_alloc(LARGE + 1);
	memset(large, '1', LARGE);
	large[LARGE] = '\0';
	assert_null(helper_canonical(schema, "values:xp", large, NULL));
	assert_null(helper_canonical(schema, "values:i8", large, NULL));
	assert_true(strlen(helper_error.message) < 200);
	assert_null(helper_canonical(schema, "values:bits", large, NULL));
	assert_null(helper_canonical(schema, "values:d1", large, NULL));
	assert_null(helper_canonical(schema, "values:bin4", large, NULL));
	assert_true(strlen(helper_error.message) < 600);
	large[0] = '/';
	assert_null(helper_canonical(schema, "values:inst", large, NULL));
	memory_free(large);
}

/* What stands in memory behind the text is none of the value. */
static void test_text_without_end(void **state)
{
	(void)state;
	static const char *const leafs[][3] = {
		{"values:date", "2024-01-01T00:00:00+00:00", "812345"},
		{"values:date", "2024-01-01T00:00:00.5Z", "99"},
		{"values:d1", "1.5", "7"},
		{"values:bits", "one", "s"},
	};
	struct arena *arena = arena_new();
	for (size_t i = 0; i < sizeof(leafs) / sizeof(leafs[0]); i++) {
		const struct schema_node *node = helper_node(schema, leafs[i][0]);
		struct bytes text = bytes_of(leafs[i][1]);
		struct bytes longer = bytes_of(arena_printf(arena, "%s%s", leafs[i][1], leafs[i][2]));
		struct value a, b;
		struct schema_type_error error;
		assert_int_equal(schema_type_parse(schema, node->type, text, NULL, arena, &a, &error), ST_OK);
		assert_int_equal(schema_type_parse(schema, node->type, (struct bytes){longer.data, text.size},
						   NULL, arena, &b, &error),
				 ST_OK);
		assert_true(value_equal(a, b));
		value_unref(a);
		value_unref(b);
	}
	arena_free(arena);
}

/* libyang's plugin goes another way in a leaf of this module, whose type other leafs share. */
static void test_xpath_in_schema_mount(void **state)
{
	(void)state;
	const char *modules[] = {"ietf-yang-schema-mount", "other", "values", NULL};
	struct schema *mount = helper_load(helper_write_module("other", OTHER), modules, false);
	assert_string_equal(helper_canonical(mount, "values:xp", "/o:plate", "o=other"), "/other:plate");
	schema_unref(mount);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integers),
		cmocka_unit_test(test_decimal64),
		cmocka_unit_test(test_boolean_empty_enumeration_bits_binary),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_hostile_pattern),
		cmocka_unit_test(test_identityref),
		cmocka_unit_test(test_instance_identifier),
		cmocka_unit_test(test_leafref_and_union),
		cmocka_unit_test(test_derived_types),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_large_values),
		cmocka_unit_test(test_text_without_end),
		cmocka_unit_test(test_xpath_in_schema_mount),
	};
	return cmocka_run_group_tests(tests, load_values, unload_values);
}
