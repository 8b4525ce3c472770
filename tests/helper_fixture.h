/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * What a test program has whose tests share one schema: the variable `schema`, and what cmocka is given to
 * load it before the first test and to give it back after the last.
 *
 *     SCHEMA_OF_ALL_TESTS(helper_schema())
 *     ...
 *     return cmocka_run_group_tests(tests, load_schema, unload_schema);
 */
#include "schema/schema.h"

#define SCHEMA_OF_ALL_TESTS(load)                                                                            \
	static struct schema *schema;                                                                        \
	static int load_schema(void **state)                                                                 \
	{                                                                                                    \
		(void)state;                                                                                 \
		schema = load;                                                                               \
		return 0;                                                                                    \
	}                                                                                                    \
	static int unload_schema(void **state)                                                               \
	{                                                                                                    \
		(void)state;                                                                                 \
		schema_unref(schema);                                                                        \
		return 0;                                                                                    \
	}
