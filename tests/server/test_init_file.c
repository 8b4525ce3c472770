/* SPDX-License-Identifier: BSD-3-Clause */
/* Initial configurations: what is read, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/log.h"
#include "schema/load.h"
#include "server/init_file.h"
#include "tree/map.h"

#define ENTRY(name)                                                                                          \
	"<top-container xmlns='http://netconfcentral.org/ns/perf-test'><local-list><name>" name              \
	"</name><type>x</type></local-list></top-container>"
#define LEAF "<local-leafref-leaf xmlns='http://netconfcentral.org/ns/perf-test'>a</local-leafref-leaf>"

static struct schema *schema;

static int load_schema(void **state)
{
	static const char *const dirs[] = {"bench/yang"};
	static const struct schema_module_request module = {.name = "perf-test"};
	struct schema_source source = {
		.search_dirs = dirs, .search_dir_count = 1, .modules = &module, .module_count = 1};
	struct arena *arena = arena_new();
	struct diag_list diags;
	(void)state;
	diag_list_init(&diags, arena, 10);
	log_set_level(LOG_LEVEL_ERROR);
	enum status status = schema_load(&source, &diags, &schema);
	arena_free(arena);
	return status == ST_OK ? 0 : -1;
}

static int free_schema(void **state)
{
	(void)state;
	schema_unref(schema);
	return 0;
}

/* Top-level nodes that loading `text` gives; -1: refused. */
static int load(const char *text)
{
	char path[] = "/tmp/yare-init-XXXXXX";
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	struct arena *arena = arena_new();
	struct diag_list diags;
	struct tree_record *root;
	diag_list_init(&diags, arena, 10);
	int found = -1;
	if (init_file_load(schema, path, &diags, &root) == ST_OK) {
		found = root->length;
		tree_record_unref(root, schema->root, NULL);
	}
	arena_free(arena);
	unlink(path);
	return found;
}

static void test_taken(void **state)
{
	(void)state;
	assert_int_equal(load(""), 0);
	assert_int_equal(load(" \n"), 0);
	assert_int_equal(load(ENTRY("a")), 1);
	assert_int_equal(load(ENTRY("a") "\n" LEAF), 2);
	assert_int_equal(load("<?xml version='1.0' encoding='UTF-8'?>\n" ENTRY("a")), 1);
	assert_int_equal(load("<config>" ENTRY("a") LEAF "</config>"), 2);
	assert_int_equal(
		load("<config xmlns='urn:ietf:params:xml:ns:netconf:base:1.0'>" ENTRY("a") "</config>\n"), 1);
	assert_int_equal(load("<?xml version='1.0'?><data>" ENTRY("a") "</data>"), 1);
	assert_int_equal(load("<config/>"), 0);
}

static void test_refused(void **state)
{
	(void)state;
	static const char *const texts[] = {
		"<config/><config/>",
		"<data/>" LEAF,
		LEAF "<config/>",
		"<config>" LEAF "</config><data/>",
		"foo",
		LEAF "foo",
		"<config>foo</config>",
		"<config/>foo",
		"<?xml version='1.0' encoding='ISO-8859-1'?>" LEAF,
		"<?xml version='1.0'?><?xml version='1.0'?>" LEAF,
		"<?xml version='1.0'",
		"</init>",
		"</init><init>",
		"<unknown/>",
		"<config><config/></config>",
		"<!DOCTYPE a><config/>",
		LEAF LEAF,
	};
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (load(texts[i]) != -1)
			fail_msg("taken: %s", texts[i]);
}

static void test_absent(void **state)
{
	(void)state;
	struct arena *arena = arena_new();
	struct diag_list diags;
	struct tree_record *root;
	diag_list_init(&diags, arena, 10);
	assert_int_not_equal(init_file_load(schema, "/nonexistent/file", &diags, &root), ST_OK);
	arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_taken),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_absent),
	};
	return cmocka_run_group_tests(tests, load_schema, free_schema);
}
