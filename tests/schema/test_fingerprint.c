/* SPDX-License-Identifier: BSD-3-Clause */
/* Which changes of the modules change the fingerprint: those that may change how stored data is read or
 * judged. */
#include "schema/fingerprint.h"

#include <stdio.h>

#include "helper_schema.h"

#define HEAD(name) "module " name " { yang-version 1.1; namespace \"urn:" name "\"; prefix p; "

static void write_modules(void)
{
	static const char *const modules[][2] = {
		{"kinds", "identity kind; identity other; feature fast; typedef short { type string; }"},
		{"conf", "import kinds { prefix k; } container conf { leaf a { type k:short; } "
			 "leaf kind { type identityref { base k:kind; } } "
			 "leaf b { if-feature k:fast; type string; } }"},
		{"calls", "feature loud; rpc call { input { leaf a { type string; } "
			  "leaf kind { type identityref { base other; } } } } identity other;"},
		{"calls2", "import calls { prefix c; } rpc call2; identity mine { base c:other; }"},
		{"states", "container states { config false; leaf a { type string; } }"},
		{"values", "import kinds { prefix k; } identity big { base k:kind; }"},
		{"others", "import kinds { prefix k; } identity big { base k:other; }"},
		{"deviates",
		 "import conf { prefix c; } deviation /c:conf/c:a { deviate add { default x; } }"},
		{"deviates2",
		 "import calls { prefix c; } deviation /c:call/c:input/c:a { deviate add { default x; } }"},
		{"augments", "import conf { prefix c; } augment /c:conf { leaf c { type string; } }"},
		{"notes", "import ietf-yang-metadata { prefix md; } md:annotation note { type string; }"},
		{"points", "leaf to { type instance-identifier { require-instance false; } }"},
		{"asks", "import ietf-yang-types { prefix y; } leaf what { type y:xpath1.0; }"},
	};
	for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
		char text[1024];
		snprintf(text, sizeof(text),
			 "module %s { yang-version 1.1; namespace \"urn:%s\"; prefix p; %s }", modules[i][0],
			 modules[i][0], modules[i][1]);
		helper_write_module(modules[i][0], text);
	}
}

struct print {
	unsigned char bytes[SCHEMA_FINGERPRINT_SIZE];
};

/* Of modules with blanks between them. */
static struct print print_of(const char *names)
{
	char text[256];
	const char *modules[8] = {NULL};
	size_t count = 0;
	snprintf(text, sizeof(text), "%s", names);
	for (char *name = strtok(text, " "); name != NULL; name = strtok(NULL, " "))
		modules[count++] = name;
	struct print print;
	struct schema *schema = helper_load(helper_write_module("empty", HEAD("empty") "}"), modules, false);
	schema_fingerprint(schema, print.bytes);
	schema_unref(schema);
	return print;
}

static void assert_same(const char *a, const char *b, bool same)
{
	struct print first = print_of(a), second = print_of(b);
	if ((memcmp(&first, &second, sizeof(first)) == 0) != same)
		fail_msg("\"%s\" and \"%s\" are %s", a, b, same ? "not the same" : "the same");
}

static void test_what_counts(void **state)
{
	(void)state;
	static const struct {
		const char *a, *b;
		bool same;
	} pairs[] = {
		{"conf calls", "calls conf", true},
		{"conf", "conf calls", true},
		{"conf calls", "conf calls:loud", true},
		{"conf calls", "conf calls calls2 deviates2", true},
		{"conf", "conf states", true},
		{"conf", "conf others", true},
		{"conf", "conf values", false},
		{"conf kinds", "conf kinds:fast", false},
		{"conf", "conf deviates", false},
		{"conf", "conf augments", false},
		{"conf", "conf notes", false},
		{"conf", "conf points", false},
		{"conf points", "conf points calls:loud", true},
		{"conf points", "conf points states", false},
		{"conf asks calls", "conf asks calls:loud", true},
		{"conf asks", "conf asks calls", false},
	};
	write_modules();
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		assert_same(pairs[i].a, pairs[i].b, pairs[i].same);
	helper_remove_modules();
}

/* What another module's text rests on counts with its text, the rest without. */
static void test_texts(void **state)
{
	(void)state;
	write_modules();
	struct print before = print_of("conf calls states");
	helper_write_module("calls", HEAD("calls") "rpc other; }");
	helper_write_module("states", HEAD("states") "container states { config false; } }");
	struct print after = print_of("conf calls states");
	assert_memory_equal(&before, &after, sizeof(before));
	helper_write_module(
		"kinds",
		HEAD("kinds") "identity kind; feature fast; typedef short { type string { length 1; } } }");
	after = print_of("conf calls states");
	assert_memory_not_equal(&before, &after, sizeof(before));
	helper_remove_modules();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_counts),
		cmocka_unit_test(test_texts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
