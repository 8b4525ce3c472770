/* SPDX-License-Identifier: BSD-3-Clause */
/* Metadata annotations (RFC 7952) in the compiled schema. */
#include "helper_schema.h"

static const char module_text[] = "module noted {"
				  "  yang-version 1.1; namespace \"urn:noted\"; prefix n;"
				  "  import ietf-yang-metadata { prefix md; }"
				  "  include noted-sub;"
				  "  typedef level { type uint8 { range \"1..9\"; } }"
				  "  identity kind; identity big { base kind; }"
				  "  md:annotation level { type level; description \"how much\"; }"
				  "  md:annotation kind { type identityref { base kind; } }"
				  "  md:annotation note { type string; }"
				  "  md:annotation pointer { type leafref { path \"/n:a\"; } }"
				  "  leaf a { type string; }"
				  "}";

static const char submodule_text[] = "submodule noted-sub {"
				     "  yang-version 1.1; belongs-to noted { prefix n; }"
				     "  import ietf-yang-metadata { prefix md; }"
				     "  md:annotation seen { type boolean; }"
				     "}";

static const char importer_text[] = "module importer {"
				    "  yang-version 1.1; namespace \"urn:importer\"; prefix i;"
				    "  import noted { prefix n; }"
				    "  leaf b { type string; }"
				    "}";

static bool accepts(const struct schema *schema, const struct schema_annotation *annotation, const char *text)
{
	struct schema_prefixes_canonical prefixes = schema_prefixes_canonical(schema, annotation->module);
	struct arena *arena = arena_new();
	struct value value;
	struct schema_type_error error;
	enum status status = schema_type_parse(schema, annotation->type, bytes_of(text), &prefixes.base,
					       arena, &value, &error);
	if (status == ST_OK)
		value_unref(value);
	arena_free(arena);
	return status == ST_OK;
}

static void test_annotations(void **state)
{
	(void)state;
	helper_write_module("noted-sub", submodule_text);
	struct schema *schema = helper_load_text("noted", module_text);
	const struct schema_module *module = schema_module_find(schema, bytes_of("noted"));
	const char *names[] = {"level", "kind", "note", "seen"};
	assert_int_equal(schema->annotation_count, 4); /* the one with the leafref is not among them */
	for (size_t i = 0; i < 4; i++) {
		const struct schema_annotation *found =
			schema_annotation_find(schema, module, bytes_of(names[i]));
		assert_non_null(found);
		assert_string_equal(found->name, names[i]);
		assert_ptr_equal(found->module, module);
		assert_ptr_equal(found, &schema->annotations[found->index]);
	}
	assert_null(schema_annotation_find(schema, module, bytes_of("a")));
	const struct schema_annotation *level = schema_annotation_find(schema, module, bytes_of("level"));
	assert_int_equal(schema_type_base(level->type), BASE_UINT8);
	assert_true(accepts(schema, level, "9"));
	assert_false(accepts(schema, level, "10"));
	const struct schema_annotation *kind = schema_annotation_find(schema, module, bytes_of("kind"));
	assert_true(accepts(schema, kind, "noted:big"));
	assert_false(accepts(schema, kind, "noted:small"));
	schema_unref(schema);
	helper_remove_modules();
}

/* Those of modules that are only imported, of libyang's own modules and of the protocol are none. */
static void test_not_implemented(void **state)
{
	(void)state;
	helper_write_module("noted-sub", submodule_text);
	helper_write_module("noted", module_text);
	struct schema *schema = helper_load_text("importer", importer_text);
	assert_int_equal(schema->annotation_count, 0);
	schema_unref(schema);
	helper_remove_modules();
}

static void test_origin(void **state)
{
	(void)state;
	const char *modules[] = {"ietf-origin", "ietf-netconf", "ietf-netconf-with-defaults", NULL};
	struct schema *schema = helper_load(helper_shared("yang/ietf"), modules, false);
	const struct schema_module *module = schema_module_find(schema, bytes_of("ietf-origin"));
	assert_int_equal(schema->annotation_count, 1);
	assert_ptr_equal(schema_annotation_find(schema, module, bytes_of("origin")), schema->annotations);
	schema_unref(schema);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_annotations),
		cmocka_unit_test(test_not_implemented),
		cmocka_unit_test(test_origin),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
