/* SPDX-License-Identifier: BSD-3-Clause */
/* Realistic data of real models: decoded, built, written, read back, and the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "codec/helper_build.h"
#include "codec/helper_decode.h"
#include "codec/xml_encoder.h"

struct set {
	const char *dir;
	const char *modules[8];
	size_t module_count;
	enum helper_imports imports;
	const char *generator, *arguments;
};

static const struct set SETS[] = {
	{"yang/perf-test",
	 {"perf-test"},
	 1,
	 IMPORTS_ONLY,
	 "perftest.py",
	 "--set complex --n 300 --leaf --wrap config"},
	{"yang/ex-vlan",
	 {"iana-if-type", "ex-vlan"},
	 2,
	 IMPORTS_ONLY,
	 "ietf_interfaces_vlan.py",
	 "--n 100 --wrap config"},
	{"yang/directory", {"directory"}, 1, IMPORTS_ONLY, "directory.py", "--n 200 --wrap config"},
	{"yang/openroadm-cps",
	 {"org-openroadm-interfaces", "openroadm-devices-inventory-v2"},
	 2,
	 IMPORTS_ONLY,
	 "openroadm.py",
	 "--n 20 --vary --wrap config"},
	{"yang/openconfig",
	 {"iana-if-type", "openconfig-interfaces", "openconfig-if-ethernet", "openconfig-if-ip",
	  "openconfig-vlan", "openconfig-network-instance", "openconfig-routing-policy",
	  "openconfig-bgp-policy"},
	 8,
	 IMPORTS_IMPLEMENTED,
	 "openconfig.py",
	 "--n 40 --wrap config"},
};

static struct tree_record *build(const struct schema *schema, struct bytes document)
{
	struct decode_options options = {.memory_limit = 1 << 26, .diag_limit = 5, .step = 5000};
	struct decoding decoding;
	helper_decode(&decoding, schema, document, &options);
	if (decoding.status)
		fail_msg("%s%s", decoding.error, helper_diag_text(&decoding.diags, decoding.arena));
	struct tree_record *root = helper_build(schema, decoding.tree);
	helper_decode_fini(&decoding);
	return root;
}

static void check_round_trip(struct schema *schema, const struct tree_record *root)
{
	struct xml_encoder *encoder = xml_encoder_new(schema, root, NULL, NULL);
	struct buffer out;
	buffer_init(&out, SIZE_MAX);
	bool done;
	assert_int_equal(buffer_append(&out, bytes_of("<data>")), ST_OK);
	assert_int_equal(xml_encoder_run(encoder, &out, SIZE_MAX, SIZE_MAX, &done), ST_OK);
	assert_int_equal(buffer_append(&out, bytes_of("</data>")), ST_OK);
	xml_encoder_free(encoder);
	struct tree_record *again = build(schema, buffer_get(&out));
	assert_true(tree_record_equal(schema->root, root, again));
	tree_record_unref(again, schema->root, NULL);
	buffer_fini(&out);
}

static void test_round_trips(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(SETS) / sizeof(SETS[0]); i++) {
		struct schema *schema = helper_shared_schema(SETS[i].dir, SETS[i].modules,
							     SETS[i].module_count, SETS[i].imports);
		if (!schema) {
			print_message("skipped: the shared inputs are absent\n");
			skip();
		}
		size_t size;
		char *document = helper_run_generator(SETS[i].generator, SETS[i].arguments, &size);
		assert_true(size > 1000);
		struct tree_record *root = build(schema, (struct bytes){document, size});
		check_round_trip(schema, root);
		print_message("%s: %zu bytes\n", SETS[i].dir, size);
		tree_record_unref(root, schema->root, NULL);
		memory_free(document);
		schema_unref(schema);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trips)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
