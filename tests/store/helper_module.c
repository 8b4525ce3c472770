/* SPDX-License-Identifier: BSD-3-Clause */
#include "store/helper_module.h"
#include <stdio.h>
#include <stdlib.h>
#include "schema/fingerprint.h"

void module_use(struct disk_bench *bench, const char *name, const char *text)
{
	check_plan_free(bench->plan);
	schema_unref(bench->schema);
	bench->schema = helper_text_schema(name, text);
	assert_int_equal(check_plan_new(bench->schema, &bench->diags, &bench->plan), ST_OK);
	bench->store_options.schema = bench->schema;
	bench->store_options.plan = bench->plan;
	schema_fingerprint(bench->schema, bench->journal_options.fingerprint);
}

const struct schema_node *module_node(const struct schema_node *parent, const char *name)
{
	const struct schema_node *found = schema_child_find_any(parent, bytes_of(name), NULL);
	assert_non_null(found);
	return found;
}
