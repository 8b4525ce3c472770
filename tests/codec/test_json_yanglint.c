/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Against yanglint: data of real models, written by us as XML, is given to it; what it prints as JSON must be
 * what we write as JSON, and must be read back as the same tree. It gets our XML rather than the original
 * since it keeps the order of system-ordered lists as it finds it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/memory.h"
#include "codec/helper_build.h"
#include "codec/helper_json.h"
#include "os/random.h"

#define ZOO "yang/zoo"

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
	 "--set complex --n 100 --leaf --wrap config"},
	{"yang/ex-vlan",
	 {"iana-if-type", "ex-vlan"},
	 2,
	 IMPORTS_ONLY,
	 "ietf_interfaces_vlan.py",
	 "--n 50 --wrap config"},
	{"yang/directory", {"directory"}, 1, IMPORTS_ONLY, "directory.py", "--n 100 --wrap config"},
	{"yang/openroadm-cps",
	 {"org-openroadm-interfaces", "openroadm-devices-inventory-v2"},
	 2,
	 IMPORTS_ONLY,
	 "openroadm.py",
	 "--n 10 --vary --wrap config"},
	{"yang/openconfig",
	 {"iana-if-type", "openconfig-interfaces", "openconfig-if-ethernet", "openconfig-if-ip",
	  "openconfig-vlan", "openconfig-network-instance", "openconfig-routing-policy",
	  "openconfig-bgp-policy"},
	 8,
	 IMPORTS_IMPLEMENTED,
	 "openconfig.py",
	 "--n 20 --wrap config"},
};

static const struct set ZOO_SET = {
	ZOO, {"zoo-types", "constraints-zoo", "zoo-more", "zoo-deviations"}, 4, IMPORTS_ONLY, NULL, NULL};

/* Configurations with all features. */
static const char *const ZOO_DOCUMENTS[] = {
	"01-park-minimal",	 "02-park-full",	"04-types-empty",	"05-union-int",
	"06-union-bits",	 "08-union-empty",	"09-ticketing-flat",	"10-ticketing-tiered",
	"12-ticketing-auction",	 "13-when-uses",	"14-when-case",		"16-when-chain",
	"17-leafref-to-default", "18-dangling-allowed", "20-interleaved-lists", "21-night",
};

static const struct decode_options OPTIONS = {.memory_limit = 1 << 26, .diag_limit = 5, .step = 5000};

static struct tree_record *build(const struct schema *schema, struct decoding *decoding)
{
	if (decoding->status != ST_OK)
		fail_msg("%s%s", decoding->error, helper_diag_text(&decoding->diags, decoding->arena));
	struct tree_record *root = helper_build(schema, decoding->tree);
	helper_decode_fini(decoding);
	return root;
}

/* Takes out empty containers without presence, which yanglint does not print. */
static void remove_empty(struct edit_node *parent)
{
	struct edit_node *last = NULL;
	for (struct edit_node *node = parent->children; node; node = node->next) {
		remove_empty(node);
		bool is_empty =
			node->schema->kind == SCHEMA_CONTAINER && !node->schema->presence && !node->children;
		if (!is_empty)
			last = node;
		else if (last)
			last->next = node->next;
		else
			parent->children = node->next;
	}
	parent->last_child = last;
}

static struct tree_record *from_xml(const struct schema *schema, struct bytes document)
{
	struct decoding decoding;
	helper_decode(&decoding, schema, document, &OPTIONS);
	if (decoding.tree)
		remove_empty(decoding.tree->top);
	return build(schema, &decoding);
}

static struct tree_record *from_json(const struct schema *schema, struct bytes document)
{
	struct decoding decoding;
	helper_json_decode(&decoding, schema, document, &OPTIONS);
	return build(schema, &decoding);
}

/* yanglint's arguments for the set; without a folder, for the test modules. */
static const char *yanglint_arguments(const struct set *set, const char *format, struct arena *arena)
{
	const char *source = getenv("YARE_SOURCE");
	const char *own = arena_printf(arena, "%s/tests/codec/yang", source ? source : ".");
	const char *dir = set->dir ? helper_shared_file(set->dir, arena) : own;
	const char *text = arena_printf(arena, "-t config -f %s %s -p %s", format,
					set->imports == IMPORTS_IMPLEMENTED ? "-ii" : "", dir);
	if (!set->dir)
		text = arena_printf(arena, "%s -p %s/../../../yang", text, own);
	for (size_t i = 0; i < set->module_count; i++)
		text = arena_printf(arena, "%s %s/%s%s.yang", text, dir, set->modules[i],
				    set->dir ? "@*" : "");
	return text;
}

/* yanglint's print of our XML is read back as the same tree, annotations included. */
static void compare_xml(struct schema *schema, const struct set *set, const struct tree_record *root)
{
	struct arena *arena = arena_new();
	struct buffer ours, document;
	buffer_init(&ours, SIZE_MAX);
	buffer_init(&document, SIZE_MAX);
	helper_xml_encode(schema, root, &ours);
	assert_int_equal(buffer_append(&document, bytes_of("<config>")), ST_OK);
	helper_yanglint(yanglint_arguments(set, "xml", arena), buffer_get(&ours), &document);
	assert_int_equal(buffer_append(&document, bytes_of("</config>")), ST_OK);
	struct tree_record *again = from_xml(schema, buffer_get(&document));
	assert_true(tree_record_equal(schema->root, root, again));
	tree_record_unref(again, schema->root, NULL);
	buffer_fini(&ours);
	buffer_fini(&document);
	arena_free(arena);
}

/* Where they begin to differ is shown. */
static void check_equal(const char *ours, const char *theirs)
{
	size_t at = 0;
	while (ours[at] && ours[at] == theirs[at])
		at++;
	size_t from = at > 80 ? at - 80 : 0;
	if (ours[at] != theirs[at])
		fail_msg("ours   ...%.160s\ntheirs ...%.160s", ours + from, theirs + from);
}

static void compare(struct schema *schema, const struct set *set, const struct tree_record *root)
{
	struct arena *arena = arena_new();
	struct buffer xml, printed, theirs, ours;
	buffer_init(&xml, SIZE_MAX);
	buffer_init(&printed, SIZE_MAX);
	buffer_init(&theirs, SIZE_MAX);
	buffer_init(&ours, SIZE_MAX);
	helper_xml_encode(schema, root, &xml);
	helper_yanglint(yanglint_arguments(set, "json", arena), buffer_get(&xml), &printed);
	if (buffer_size(&xml) == 0) /* yanglint prints nothing for no data */
		assert_int_equal(buffer_append(&printed, bytes_of("{}")), ST_OK);
	if (helper_json_normal(buffer_get(&printed), &theirs) != ST_OK)
		fail_msg("yanglint fails: %.*s", (int)buffer_size(&xml), buffer_get(&xml).data);
	struct tree_record *again = from_json(schema, buffer_get(&printed));
	assert_true(tree_record_equal(schema->root, root, again));
	tree_record_unref(again, schema->root, NULL);
	helper_json_encode(schema, root, 0, &ours);
	assert_int_equal(buffer_append(&theirs, (struct bytes){"", 1}), ST_OK);
	assert_int_equal(buffer_append(&ours, (struct bytes){"", 1}), ST_OK);
	check_equal(buffer_get(&ours).data, buffer_get(&theirs).data);
	print_message("%s: %zu bytes\n", set->dir ? set->dir : "the test modules", buffer_size(&ours));
	buffer_fini(&xml);
	buffer_fini(&printed);
	buffer_fini(&theirs);
	buffer_fini(&ours);
	arena_free(arena);
}

static struct schema *load(const struct set *set)
{
	if (!helper_has_yanglint()) {
		print_message("skipped: there is no yanglint\n");
		skip();
	}
	struct schema *schema = helper_shared_schema(set->dir, set->modules, set->module_count, set->imports);
	if (!schema) {
		print_message("skipped: the shared inputs are absent\n");
		skip();
	}
	return schema;
}

static void test_sets(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(SETS) / sizeof(SETS[0]); i++) {
		struct schema *schema = load(&SETS[i]);
		size_t size;
		char *document = helper_run_generator(SETS[i].generator, SETS[i].arguments, &size);
		assert_true(size > 1000);
		struct tree_record *root = from_xml(schema, (struct bytes){document, size});
		compare(schema, &SETS[i], root);
		tree_record_unref(root, schema->root, NULL);
		memory_free(document);
		schema_unref(schema);
	}
}

static void read_file(const char *path, struct buffer *out)
{
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	char *room = buffer_reserve(out, 65536);
	buffer_commit(out, fread(room, 1, 65536, file));
	fclose(file);
}

static void test_zoo(void **state)
{
	(void)state;
	struct schema *schema = load(&ZOO_SET);
	for (size_t i = 0; i < sizeof(ZOO_DOCUMENTS) / sizeof(ZOO_DOCUMENTS[0]); i++) {
		struct arena *arena = arena_new();
		struct buffer document;
		buffer_init(&document, SIZE_MAX);
		const char *file = arena_printf(arena, "workloads/zoo/valid/%s.xml", ZOO_DOCUMENTS[i]);
		assert_int_equal(buffer_append(&document, bytes_of("<config>")), ST_OK);
		read_file(helper_shared_file(file, arena), &document);
		assert_int_equal(buffer_append(&document, bytes_of("</config>")), ST_OK);
		struct tree_record *root = from_xml(schema, buffer_get(&document));
		print_message("%s\n", ZOO_DOCUMENTS[i]);
		compare(schema, &ZOO_SET, root);
		tree_record_unref(root, schema->root, NULL);
		buffer_fini(&document);
		arena_free(arena);
	}
	schema_unref(schema);
}

/* ---- annotations (RFC 7952) of all kinds of nodes */

static const struct set OWN_SET = {
	NULL, {"codec-test", "codec-test-types", "codec-test-more"}, 3, IMPORTS_ONLY, NULL, NULL};

#define ANNOTATED_ROUNDS 12

static void put(struct buffer *out, const char *text)
{
	assert_int_equal(buffer_append(out, bytes_of(text)), ST_OK);
}

struct noting {
	uint64_t seed;
	size_t kinds;	/* of annotations */
	bool has_names; /* in values */
};

/* "<name", with annotations more often than not. */
static void put_start(struct buffer *out, const char *name, struct noting *noting)
{
	static const char *const annotations[] = {
		" c:note='a &lt;&quot;&amp;&#233; b'", " c:level='255'", " c:done=''", " c:animal='c:cat'",
		" c:place='/c:top/c:entry[c:first=\"a\"][c:second=\"1\"]/c:text'"};
	assert_int_equal(buffer_printf(out, "<c:%s", name), ST_OK);
	for (size_t i = 0; i < noting->kinds; i++) {
		if (os_random_next(&noting->seed) % 3 == 0)
			put(out, annotations[i]);
	}
	put(out, ">");
}

static void put_leaf(struct buffer *out, const char *name, const char *value, struct noting *noting)
{
	put_start(out, name, noting);
	assert_int_equal(buffer_printf(out, "%s</c:%s>", value, name), ST_OK);
}

static void put_entry(struct buffer *out, const char *second, struct noting *noting)
{
	put_start(out, "entry", noting);
	put_leaf(out, "first", "a", noting);
	put_leaf(out, "second", second, noting);
	put_leaf(out, "nothing", "", noting);
	if (noting->has_names)
		put_leaf(out, "pet", "c:cat", noting);
	put_leaf(out, "mixed", "17", noting);
	for (uint64_t count = os_random_next(&noting->seed) % 4; count > 0; count--)
		put_leaf(out, "tag", count == 1 ? "x" : count == 2 ? "y" : "z", noting);
	put_start(out, "box", noting);
	put_leaf(out, "width", "1.5", noting);
	put(out, "</c:box></c:entry>");
}

static void test_annotated(void **state)
{
	(void)state;
	if (!helper_has_yanglint()) {
		print_message("skipped: there is no yanglint\n");
		skip();
	}
	const char *given = getenv("YARE_SEED");
	struct noting noting;
	os_random_bytes(&noting.seed, sizeof(noting.seed));
	noting.seed = given ? strtoull(given, NULL, 0) : noting.seed;
	print_message("YARE_SEED=%llu\n", (unsigned long long)noting.seed);
	struct schema *schema = helper_schema();
	for (int round = 0; round < ANNOTATED_ROUNDS; round++) {
		struct buffer document;
		buffer_init(&document, SIZE_MAX);
		put(&document, "<config xmlns:c='urn:yare:codec-test'>");
		noting.has_names = round % 2 == 0;
		noting.kinds = noting.has_names ? 5 : 3;
		put_start(&document, "top", &noting);
		put_entry(&document, "1", &noting);
		put_entry(&document, "2", &noting);
		put_leaf(&document, "step", "b", &noting);
		put_leaf(&document, "step", "a", &noting);
		put_leaf(&document, "name", "n", &noting);
		put(&document, "</c:top></config>");
		struct tree_record *root = from_xml(schema, buffer_get(&document));
		compare(schema, &OWN_SET, root);
		/* Where two values of an element use a prefix, yanglint's XML may declare it twice. */
		if (!noting.has_names)
			compare_xml(schema, &OWN_SET, root);
		tree_record_unref(root, schema->root, NULL);
		buffer_fini(&document);
	}
	schema_unref(schema);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_sets), cmocka_unit_test(test_zoo),
					   cmocka_unit_test(test_annotated)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
