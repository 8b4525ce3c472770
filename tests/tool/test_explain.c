/* SPDX-License-Identifier: BSD-3-Clause */
/* What `yare explain` prints of a small module with a constraint of each class. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schema/load.h"
#include "tool/explain.h"

static const char module[] =
	"module shop { yang-version 1.1; namespace 'urn:shop'; prefix s;\n"
	" list item { key name; leaf name { type string; } leaf price { type uint8; mandatory true; }\n"
	"  leaf sale { type uint8; must '. < ../price'; } }\n"
	" list order { key number; max-elements 9; leaf number { type uint8; }\n"
	"  leaf item { type leafref { path '/item/name'; } }\n"
	"  leaf gift { type string; must '/item[name = current()]/price < 5'; }\n"
	"  leaf limit { type uint8; must '. > sum(/item/price)'; } } }\n";

static struct schema *schema;
static struct check_plan *plan;

static int load(void **state)
{
	(void)state;
	char dir[] = "/tmp/yare-explain-XXXXXX", path[64];
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/shop.yang", dir);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(module, file);
	fclose(file);
	const char *dirs[] = {dir};
	struct schema_module_request request = {.name = "shop"};
	struct schema_source source = {
		.search_dirs = dirs, .search_dir_count = 1, .modules = &request, .module_count = 1};
	struct arena *arena = arena_new();
	struct diag_list diags;
	diag_list_init(&diags, arena, 10);
	assert_int_equal(schema_load(&source, &diags, &schema), ST_OK);
	assert_int_equal(check_plan_new(schema, &diags, &plan), ST_OK);
	arena_free(arena);
	unlink(path);
	rmdir(dir);
	return 0;
}

static int unload(void **state)
{
	(void)state;
	check_plan_free(plan);
	schema_unref(schema);
	return 0;
}

/* The buffer's text, terminated; to be freed by buffer_fini. */
static const char *text_of(struct buffer *out)
{
	assert_int_equal(buffer_append(out, (struct bytes){"", 1}), ST_OK);
	return buffer_get(out).data;
}

static void expect(const char *text, const char *part)
{
	if (strstr(text, part) == NULL)
		fail_msg("not in the text: %s\n%s", part, text);
}

static void test_constraints(void **state)
{
	(void)state;
	struct buffer out;
	buffer_init(&out, SIZE_MAX);
	explain_constraints(plan, NULL, &out);
	const char *text = text_of(&out);
	expect(text, "/shop:item/sale must, local\n    expression: . < ../price\n");
	expect(text, "/shop:order/item leafref, indexed\n    expression: /item/name\n");
	expect(text, "/shop:order/gift must, keyed\n");
	expect(text, "/shop:item/price mandatory, local\n");
	expect(text, "/shop:order max-elements, counted\n");
	expect(text, "/shop:order/limit must, scan\n");
	expect(text, "    scan since: one evaluation goes through a list");
	buffer_fini(&out);
}

static void test_one_class(void **state)
{
	(void)state;
	struct buffer out;
	buffer_init(&out, SIZE_MAX);
	explain_constraints(plan, "scan", &out);
	const char *text = text_of(&out);
	expect(text, "/shop:order/limit must, scan\n");
	assert_null(strstr(text, "local\n"));
	buffer_fini(&out);
}

static void test_summary(void **state)
{
	(void)state;
	struct buffer out;
	buffer_init(&out, SIZE_MAX);
	explain_summary(plan, "shop", &out);
	const char *text = text_of(&out);
	expect(text, "| shop | must | 3 | 1 | 0 | 1 | 0 | 0 | 1 | 66.7 |\n");
	expect(text, "| shop | must, when, leafref | 4 | 1 | 0 | 1 | 0 | 1 | 1 | 75.0 |\n");
	expect(text, "| shop | all | 6 |");
	buffer_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_constraints),
		cmocka_unit_test(test_one_class),
		cmocka_unit_test(test_summary),
	};
	return cmocka_run_group_tests(tests, load, unload);
}
