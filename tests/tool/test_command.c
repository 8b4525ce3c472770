/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments of `yare explain`: what is wrong with them is exit code 2, modules that do not load 1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tool/command.h"

static char dir[] = "/tmp/yare-command-XXXXXX";

static void write_file(const char *name, const char *text)
{
	char path[128];
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void remove_file(const char *name)
{
	char path[128];
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	unlink(path);
}

static int make_folder(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(dir));
	write_file("a.yang",
		   "/* first */ // line\nmodule a { yang-version 1.1; namespace urn:a; prefix a;\n"
		   " include a-part; feature f; leaf x { if-feature f; type string; must '.'; } }\n");
	write_file("a-part@2024-01-01.yang",
		   "\nsubmodule a-part { yang-version 1.1; belongs-to a { prefix a; }\n"
		   " revision 2024-01-01; }\n");
	write_file("b@2024-01-01.yang", "module b { namespace urn:b; prefix b; revision 2024-01-01; }\n");
	write_file("notes.txt", "module c\n");
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	remove_file("a.yang");
	remove_file("a-part@2024-01-01.yang");
	remove_file("b@2024-01-01.yang");
	remove_file("notes.txt");
	return rmdir(dir);
}

#define RUN(...) run((char *[]){"explain", __VA_ARGS__, NULL})

static int run(char **argv)
{
	int argc = 0;
	while (argv[argc] != NULL)
		argc++;
	return command_explain(argc, argv);
}

static void test_good(void **state)
{
	(void)state;
	assert_int_equal(RUN("--yang-dir", dir, "--module", "a:f"), 0);
	assert_int_equal(RUN("--yang-dir", dir, "--module", "a:*", "--module", "b", "--summary"), 0);
	assert_int_equal(RUN("--yang-dir", dir, "--all-modules", "--summary", "--title", "all"), 0);
	assert_int_equal(RUN("--yang-dir", dir, "--module", "a", "--all-modules", "--class", "scan"), 0);
	assert_int_equal(RUN("--help"), 0);
}

static void test_wrong_arguments(void **state)
{
	(void)state;
	assert_int_equal(RUN("--yang-dir", dir), 2);
	assert_int_equal(RUN("--all-modules"), 2);
	assert_int_equal(RUN("--no-such-option"), 2);
	assert_int_equal(RUN("--yang-dir", dir, "--module", "a", "--class", "no-such-class"), 2);
	assert_int_equal(RUN("--yang-dir", dir, "--module", "a", "b"), 2);
}

static void test_what_does_not_load(void **state)
{
	(void)state;
	assert_int_equal(RUN("--yang-dir", dir, "--module", "no-such-module"), 1);
	assert_int_equal(RUN("--yang-dir", dir, "--module", "a:no-such-feature"), 1);
	assert_int_equal(RUN("--yang-dir", "/no/such/folder", "--all-modules"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_wrong_arguments),
		cmocka_unit_test(test_what_does_not_load),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
