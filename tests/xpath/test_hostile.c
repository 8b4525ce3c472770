/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whatever text comes as an expression is compiled or refused, and evaluating it ends within its limits:
 * soups of tokens and damaged expressions, under sanitizers. YARE_SEED repeats a run.
 */
#include "helper_xpath.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char module_text[] =
	"module m { yang-version 1.1; namespace \"urn:m\"; prefix m; identity i; identity j { base i; }\n"
	"  container c { list l { key \"a b\"; leaf a { type string; } leaf b { type uint8; } leaf t { type "
	"identityref { base i; } }\n"
	"    list l2 { key k; leaf k { type decimal64 { fraction-digits 1; } } leaf-list v { type string; "
	"default x; } } }\n"
	"    leaf r { type leafref { path \"../l/a\"; } } leaf ii { type instance-identifier { "
	"require-instance false; } }\n"
	"    leaf u { type union { type leafref { path \"../l/b\"; } type instance-identifier { "
	"require-instance false; } type bits { bit q; } } }\n"
	"    anydata any; leaf e { type enumeration { enum one; enum two; } } container p { presence x; leaf "
	"d { type string; default y; } } } }\n";

static const char *const tokens[] = {
	"/",
	"//",
	"/",
	".",
	"..",
	"*",
	"@",
	"(",
	")",
	"[",
	"]",
	"[",
	"]",
	",",
	"|",
	"+",
	"-",
	"=",
	"!=",
	"<",
	"<=",
	">",
	">=",
	" and ",
	" or ",
	" div ",
	" mod ",
	"::",
	":",
	"'a'",
	"''",
	"\"b\"",
	"1",
	"0",
	"-1",
	"1.5",
	".5",
	"m:",
	"m:*",
	"c",
	"l",
	"a",
	"b",
	"t",
	"l2",
	"k",
	"v",
	"r",
	"u",
	"ii",
	"any",
	"e",
	"p",
	"d",
	"current()",
	"last()",
	"position()",
	"count(",
	"sum(",
	"deref(",
	"string(",
	"number(",
	"not(",
	"concat(",
	"substring(",
	"translate(",
	"re-match(",
	"derived-from-or-self(",
	"enum-value(",
	"bit-is-set(",
	"name(",
	"boolean(",
	"ancestor::",
	"ancestor-or-self::",
	"descendant::",
	"descendant-or-self::",
	"following::",
	"preceding::",
	"following-sibling::",
	"preceding-sibling::",
	"self::",
	"parent::",
	"attribute::",
	"node()",
	"text()",
	"comment()",
	"id('x')",
	"lang('x')",
	"$",
	"\\",
	"\xff",
	" ",
};

static const char *const valid[] = {
	"/c/l[a = current()/../r][b = 1]/t = 'm:j'",
	"deref(/c/r)/../l2[k = '1.5']/v",
	"count(//v) > sum(/c/l/b) + 1",
	"re-match(/c/r, '[a-z]{1,3}(x|y)*') or not(/c/p/d)",
	"(/c/l | //l2)[last()]/ancestor::*[2]",
	"string(/c/l[2]/preceding-sibling::l[1]) != concat('a', substring('abc', 2, 1))",
	"deref(/c/ii)/.. | deref(/c/u)",
	"translate(normalize-space(/), 'ab', 'x')",
	"/c/l/following::node()[position() mod 2 = 1]/text()",
	"//l2[k = //k]/v[. = 'x']",
};

static struct xpath_fixture f;
static uint64_t random_state;

static unsigned random_below(size_t limit)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)((random_state >> 33) % limit);
}

static int set_up(void **state)
{
	(void)state;
	const struct xpath_module_text modules[] = {{"m", module_text}};
	fixture_init(&f, modules, 1);
	fixture_tree(&f, "c/l[x][1]/t = j\nc/l[x][2]/l2[1.5]/v = y\nc/l[y][1]/l2[2]\nc/r = x\nc/ii = "
			 "/m:c/m:l[m:a='x'][m:b='1']/m:t\n"
			 "c/u = /m:c/m:p\nc/e = two\nc/p\n");
	const char *given = getenv("YARE_SEED");
	random_state = given != NULL ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
	print_message("YARE_SEED=%llu\n", (unsigned long long)random_state);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fixture_fini(&f);
	return 0;
}

static const struct schema_module *resolve(void *arg, struct bytes prefix)
{
	(void)arg;
	return prefix.size == 0 || bytes_equal(prefix, bytes_of("m")) ? f.module : NULL;
}

/* True if it compiles. */
static bool try(struct bytes text, struct arena *arena)
{
	const struct schema_node *contexts[] = {f.schema->root, fixture_node(&f, "c/r"), NULL};
	struct tree_position c, r;
	assert_true(
		tree_position_find_child(&f.root_position, fixture_node(&f, "c"), TREE_WITH_DEFAULTS, &c));
	assert_true(tree_position_find_child(&c, fixture_node(&f, "c/r"), TREE_WITH_DEFAULTS, &r));
	unsigned which = random_below(3);
	struct xpath_scope scope = {.schema = f.schema, .context = contexts[which], .resolve = resolve};
	const struct xpath_expr *expr;
	struct xpath_error error = {0};
	if (xpath_compile(&scope, text, arena, &error, &expr) != ST_OK) {
		assert_true(error.message[0] != '\0' && error.offset <= text.size);
		return false;
	}
	struct xpath_limits limits = {.steps = 20000, .max_nodes = 1000};
	struct xpath_env env = {.schema = f.schema,
				.root = f.root,
				.arena = arena,
				.limits = &limits,
				.view = TREE_WITH_DEFAULTS};
	const struct tree_position *context = which == 1 ? &r : &f.root_position;
	struct xpath_value value;
	bool boolean;
	enum status status = xpath_eval(expr, &env, context, &value);
	assert_true(status == ST_OK || status == ST_LIMIT);
	if (status != ST_OK)
		return true;
	xpath_value_string(&value, arena);
	limits.steps = 1000000;
	assert_int_equal(xpath_eval_boolean(expr, &env, context, &boolean), ST_OK);
	assert_int_equal(boolean, xpath_value_boolean(&value));
	return true;
}

static void soups(void **state)
{
	(void)state;
	struct arena *arena = arena_new();
	size_t compiled = 0;
	for (int i = 0; i < 60000; i++) {
		char text[512] = "";
		for (unsigned n = random_below(10) + 1; n > 0; n--)
			strcat(text, tokens[random_below(sizeof(tokens) / sizeof(tokens[0]))]);
		compiled += try(bytes_of(text), arena);
		arena_reset(arena);
	}
	print_message("%zu of 60000 soups are expressions\n", compiled);
	assert_true(compiled > 0);
	arena_free(arena);
}

static void damaged(void **state)
{
	(void)state;
	struct arena *arena = arena_new();
	for (int i = 0; i < 20000; i++) {
		char text[512];
		strcpy(text, valid[random_below(sizeof(valid) / sizeof(valid[0]))]);
		for (unsigned n = random_below(4); n > 0; n--) {
			size_t size = strlen(text), at = random_below(size), from = random_below(size);
			const char *token = tokens[random_below(sizeof(tokens) / sizeof(tokens[0]))];
			switch (random_below(4)) {
			case 0:
				text[at] = text[from];
				break;
			case 1:
				text[at] = (char)(1 + random_below(255));
				break;
			case 2:
				memmove(text + at, text + at + 1, size - at);
				break;
			default:
				if (size + strlen(token) + 1 < sizeof(text)) {
					memmove(text + at + strlen(token), text + at, size - at + 1);
					memcpy(text + at, token, strlen(token));
				}
			}
			if (text[0] == '\0')
				break;
		}
		try(bytes_of(text), arena);
		arena_reset(arena);
	}
	arena_free(arena);
}

/* Undamaged they compile, and give no limit. */
static void undamaged(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(valid) / sizeof(valid[0]); i++)
		assert_true(try(bytes_of(valid[i]), f.arena));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(undamaged), cmocka_unit_test(soups),
					   cmocka_unit_test(damaged)};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
