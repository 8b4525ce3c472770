/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Our reading of values against libyang's: random changes of valid values must be accepted or refused alike,
 * with the same canonical text. Values are in JSON form, where prefixes are module names, as libyang's own
 * check wants them. Left out: identityrefs with several bases (libyang accepts any base); what libyang
 * accepts because it reads an instance-identifier as XPath, such as the numbers in "[3.]" and "[.=7]"; and
 * ":bread" for "bread".
 */
#include "helper_schema.h"
#include "helper_values.h"

#include <libyang/libyang.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static struct schema *schema;
static struct ly_ctx *oracle;
static uint64_t random_state;

static size_t below(size_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (size_t)((random_state * 0x2545f4914f6cdd1dull) >> 32) % limit;
}

static int load_both(void **state)
{
	(void)state;
	const char *seed = getenv("YARE_SEED");
	random_state = seed != NULL ? strtoull(seed, NULL, 10) : (uint64_t)time(NULL) << 20 | 1;
	print_message("YARE_SEED=%llu\n", (unsigned long long)random_state);
	helper_write_module("other", OTHER);
	helper_write_module("imported", IMPORTED);
	const char *folder = helper_write_module("values", VALUES);
	const char *modules[] = {"other", "values", NULL};
	schema = helper_load(folder, modules, false);
	assert_int_equal(ly_ctx_new(folder, LY_CTX_NO_YANGLIBRARY, &oracle), LY_SUCCESS);
	assert_non_null(ly_ctx_load_module(oracle, "values", NULL, NULL));
	helper_remove_modules();
	return 0;
}

static int unload_both(void **state)
{
	(void)state;
	schema_unref(schema);
	ly_ctx_destroy(oracle);
	return 0;
}

static const struct {
	const char *leaf, *values[6];
} seeds[] = {
	{"i8", {"0", "-128", "+17", " 007 "}},
	{"i16", {"-32768", "32767", "-0"}},
	{"i32", {"2147483647", "-2147483648"}},
	{"i64", {"9223372036854775807", "-9223372036854775808"}},
	{"u8", {"255", "007", "-0"}},
	{"u64", {"18446744073709551615", "0"}},
	{"ranged", {"-5", "-3", "1", "4"}},
	{"top", {"18446744073709551615"}},
	{"d1", {"1.5", "-0.5", "922337203685477580.7", " 10 "}},
	{"d18", {"9.223372036854775807", "-0.000000000000000001"}},
	{"dr", {"2.25", "-1.5", "0.10"}},
	{"bool", {"true", "false"}},
	{"none", {"", " "}},
	{"str", {"", "abc", "\xc3\xa4"}},
	{"len", {"ab", "abcde", "\xc3\xa4\xc3\xb6"}},
	{"pat", {"abc", "xa"}},
	{"enum", {"a", "with space", "longer-than-seven"}},
	{"bits", {"one zero ten", " ten\none", ""}},
	{"bin", {"AAECAw==", "AAE=", "AAEC"}},
	{"bin4", {"AAECAw=="}},
	{"ident", {"values:bread", "other:soup", "bread", "values:hidden", "imported:stew", "other:food"}},
	{"inst",
	 {"/values:box/a", "/values:list[nr='1'][name=\"it's\"][kind='other:soup']/inner",
	  "/values:box/ll[.='7']", "/other:plate/values:mine", " / values:box"}},
	{"ref", {"+5", "127"}},
	{"uni", {"7", "auto", "values:bread", "true", "ABC", "1.5"}},
	{"order", {"ab", "17", " 7 "}},
	{"date", {"2026-01-02T03:04:05Z", "2026-01-02T03:04:05.123+01:00", "2026-12-31T23:59:59-00:00"}},
	{"mac", {"00:11:22:AA:bb:cc"}},
	{"ip", {"10.0.0.1", "2001:DB8::1", "fe80::1%eth0"}},
	{"v6", {"::1", "2001:db8:0:0:0:0:0:1"}},
	{"net", {"10.1.2.3/8", "192.168.0.0/16"}},
};

/* Changes the text a little: most of what is refused is close to what is not. It stays UTF-8, as the decoder
 * sees to. */
static void mutate(char *text, size_t size)
{
	static const char alphabet[] = "0123456789+-.:/[]'\"= \t\nabcdeflortuxABCTZ*%_@";
	for (size_t changes = below(4); changes > 0; changes--) {
		size_t length = strlen(text), at = below(length + 1);
		char c = alphabet[below(sizeof(alphabet) - 1)];
		switch (below(3)) {
		case 0:
			if (length + 2 < size && (text[at] & 0xc0) != 0x80) {
				memmove(text + at + 1, text + at, length - at + 1);
				text[at] = c;
			}
			break;
		case 1:
			if (at < length && (text[at] & 0x80) == 0)
				memmove(text + at, text + at + 1, length - at);
			break;
		default:
			if (at < length && (text[at] & 0x80) == 0)
				text[at] = c;
		}
	}
}

static void compare(const char *leaf, const char *text)
{
	char path[64];
	snprintf(path, sizeof(path), "/values:%s", leaf);
	const struct lysc_node *lysc = lys_find_path(oracle, NULL, path, 0);
	const char *theirs = NULL;
	uint32_t silent = 0;
	ly_temp_log_options(&silent);
	LY_ERR result = lyd_value_validate(oracle, lysc, text, strlen(text), NULL, NULL, &theirs);
	ly_temp_log_options(NULL);
	bool accepted = result == LY_SUCCESS || result == LY_EINCOMPLETE;

	struct arena *arena = arena_new();
	const struct schema_node *node = helper_node(schema, path + 1);
	struct schema_prefixes_canonical prefixes = schema_prefixes_canonical(schema, node->module);
	struct schema_type_error error = {NULL, NULL};
	struct value value = VALUE_NONE;
	enum status status =
		schema_type_parse(schema, node->type, bytes_of(text), &prefixes.base, arena, &value, &error);
	struct bytes ours = value_bytes(&value);
	if ((status == ST_OK) != accepted || (accepted && !bytes_equal(ours, bytes_of(theirs))))
		fail_msg("%s \"%s\": libyang \"%s\", we \"%.*s\" (%s)", leaf, text,
			 accepted ? theirs : "refused", (int)ours.size, status == ST_OK ? ours.data : "",
			 status == ST_OK ? "" : error.message);
	value_unref(value);
	lydict_remove(oracle, accepted ? theirs : NULL);
	arena_free(arena);
}

static bool is_left_out(const char *text)
{
	const char *number = strstr(text, "[.=");
	return text[0] == ':' || (number != NULL && number[3] != '\'');
}

static void test_random_values(void **state)
{
	(void)state;
	for (int i = 0; i < 60000; i++) {
		size_t leaf = below(sizeof(seeds) / sizeof(seeds[0])), count = 1;
		while (count < 6 && seeds[leaf].values[count] != NULL)
			count++;
		char text[128];
		snprintf(text, sizeof(text), "%s", seeds[leaf].values[below(count)]);
		mutate(text, sizeof(text));
		if (!is_left_out(text))
			compare(seeds[leaf].leaf, text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_values),
	};
	return cmocka_run_group_tests(tests, load_both, unload_both);
}
