/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names without prefix in an expression of a grouping: nodes are of the module that uses it (RFC 7950 6.4.1),
 * identities of the module that defines it (7.13).
 */
#include "helper_xpath.h"

static const struct xpath_module_text modules[] = {
	{"user", "module user { yang-version 1.1; namespace urn:user; prefix u; import types { prefix t; }\n"
		 " container box { uses t:things; } }\n"},
	{"types",
	 "module types { yang-version 1.1; namespace urn:types; prefix t;\n"
	 " identity kind; identity special { base kind; } identity plain { base kind; }\n"
	 " grouping things { leaf kind { type identityref { base kind; } }\n"
	 "  leaf same { type string; must \"../kind = 'special'\"; }\n"
	 "  leaf derived { type string; must \"derived-from(../kind, 'kind')\"; }\n"
	 "  leaf computed { type string; must \"derived-from-or-self(../kind, string(.))\"; } } }\n"},
};

static struct xpath_fixture fixture;

static const struct schema_module *resolve(void *arg, struct bytes prefix)
{
	return schema_xpath_prefix(fixture.schema, arg, prefix);
}

static bool must_holds(const char *leaf)
{
	const struct schema_node *node = fixture_node(&fixture, leaf);
	const struct schema_xpath *must = &node->musts[0];
	struct xpath_scope scope = {.schema = fixture.schema,
				    .context = node,
				    .resolve = resolve,
				    .arg = (void *)(uintptr_t)must,
				    .identities = schema_xpath_module(must)};
	struct xpath_error error;
	const struct xpath_expr *expr;
	assert_int_equal(xpath_compile(&scope, bytes_of(must->expression), fixture.arena, &error, &expr),
			 ST_OK);
	struct xpath_limits limits = {.steps = 10000, .max_nodes = 1000};
	struct xpath_env env = {.schema = fixture.schema,
				.root = fixture.root,
				.arena = fixture.arena,
				.limits = &limits,
				.view = TREE_WITH_DEFAULTS};
	const char *path = arena_printf(fixture.arena, "/box/%s", node->name);
	bool result;
	assert_int_equal(xpath_eval_boolean(expr, &env, fixture_find(&fixture, path), &result), ST_OK);
	return result;
}

static void test_scopes(void **state)
{
	(void)state;
	fixture_init(&fixture, modules, 2);
	fixture_tree(&fixture, "box/kind = types:special\nbox/same = x\nbox/derived = x\n"
			       "box/computed = special\n");
	assert_true(must_holds("box/same"));
	assert_true(must_holds("box/derived"));
	assert_true(must_holds("box/computed"));
	fixture_tree(&fixture, "box/kind = types:plain\nbox/same = x\nbox/computed = special\n");
	assert_false(must_holds("box/same"));
	assert_false(must_holds("box/computed"));
	fixture_fini(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_scopes)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
