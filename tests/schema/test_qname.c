/* SPDX-License-Identifier: BSD-3-Clause */
/* Canonical values with names, in the form that they have in XML. The forms of XPath values are libyang's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "schema/qname.h"

static void assert_expands(const char *canonical, const char *expected)
{
	struct buffer out;
	buffer_init(&out, SIZE_MAX);
	assert_int_equal(schema_qname_expand(NULL, &out, bytes_of(canonical)), ST_OK);
	struct bytes got = buffer_get(&out);
	if (!bytes_equal(got, bytes_of(expected)))
		fail_msg("%s gives %.*s and not %s", canonical, (int)got.size, got.data, expected);
	buffer_fini(&out);
}

static void test_identities_and_instances(void **state)
{
	(void)state;
	assert_expands("m:and", "m:and");
	assert_expands("/m:a/b", "/m:a/m:b");
	assert_expands("/m:a/b[k='x:y']/n:c/d", "/m:a/m:b[m:k='x:y']/n:c/n:d");
	assert_expands("/m:a/b[k='1'][l=\"'\"]/c", "/m:a/m:b[m:k='1'][m:l=\"'\"]/m:c");
	assert_expands("/m:a[.='x']", "/m:a[.='x']");
	assert_expands("/m:a[3]/b", "/m:a[3]/m:b");
}

static void test_xpath(void **state)
{
	(void)state;
	assert_expands("/x:c[b='1']/b | b | /x:c/b and //x:p[.=\"x:c\"]",
		       "/x:c[x:b='1']/x:b | b | /x:c/x:b and //x:p[.=\"x:c\"]");
	assert_expands("/x:c[b and d or y:e/f]/b", "/x:c[x:b and x:d or y:e/y:f]/x:b");
	assert_expands("/x:c[y:b/d]/e", "/x:c[y:b/y:d]/x:e");
	assert_expands("/x:c[y:b[d]/d]/e", "/x:c[y:b[y:d]/y:d]/x:e");
	assert_expands("count(/x:c/b) - count(/x:d/e)", "count(/x:c/x:b) - count(/x:d/x:e)");
	assert_expands("/x:c/b -/x:d/e", "/x:c/x:b -/x:d/x:e");
	assert_expands("/x:c/child::b/node()/text()", "/x:c/child::x:b/node()/text()");
	assert_expands("/x:c/div div mod", "/x:c/x:div div mod");
	assert_expands("/x:c/*/b", "/x:c/*/x:b");
	assert_expands("../b", "../b");
	assert_expands("-1 + 2.5 * 3", "-1 + 2.5 * 3");
}

/* What is no expression is copied with no harm. */
static void test_odd(void **state)
{
	(void)state;
	assert_expands("", "");
	assert_expands("x:", "x:");
	assert_expands("]]]'", "]]]'");
	assert_expands("[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[a",
		       "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[a");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_identities_and_instances),
		cmocka_unit_test(test_xpath),
		cmocka_unit_test(test_odd),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
