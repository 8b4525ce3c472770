/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Real models with the generated data of the shared inputs: what the generators make is valid, and from it
 * the incremental check of random removals, and of what a `when` removes along, finds what the full check
 * finds.
 *
 * YARE_SEED repeats a run.
 */
#include "helper_model.h"
#include "helper_oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 150 };

struct workload {
	const char *folder, *command;
	const char *modules[MODEL_MODULES_MAX];
	enum model_imports imports;
};

static uint64_t first_seed, seed;
static struct model model;

static unsigned pick(unsigned count)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned)((seed >> 16) % count);
}

/* The generator's output; NULL where it cannot run. To be freed. */
static char *generate(const char *arguments)
{
	const char *dir = model_shared("workloads");
	if (!dir)
		return NULL;
	char command[2048];
	snprintf(command, sizeof(command), "python3 %s/%s", dir, arguments);
	FILE *pipe = popen(command, "r");
	assert_non_null(pipe);
	char *text = NULL;
	size_t size = 0;
	ssize_t length = getdelim(&text, &size, '\0', pipe);
	if (pclose(pipe) == 0 && length > 0)
		return text;
	free(text);
	return NULL;
}

static bool remove_below(struct tree_builder *builder, const struct tree_position *parent);

static bool remove_child(struct tree_builder *builder, const struct tree_position *child)
{
	const struct schema_node *node = child->schema;
	bool goes_down = (node->kind == SCHEMA_CONTAINER || node->kind == SCHEMA_LIST) && pick(5) > 0;
	if (node->kind == SCHEMA_LEAF_LIST)
		return tree_builder_remove_value(builder, node, child->value);
	if (node->kind == SCHEMA_LIST && !goes_down)
		return tree_builder_remove_entry(builder, node, &child->record->slots[0].value);
	if (!goes_down)
		return !node->is_key && tree_builder_remove(builder, node);
	if (node->kind == SCHEMA_CONTAINER)
		assert_true(tree_builder_enter_existing(builder, node));
	else
		assert_true(tree_builder_enter_existing_entry(builder, node, &child->record->slots[0].value));
	bool removed = remove_below(builder, child);
	tree_builder_leave(builder);
	return removed;
}

/* Removes something below the position, which is a borrow of another root that is equal so far. */
static bool remove_below(struct tree_builder *builder, const struct tree_position *parent)
{
	struct tree_cursor cursor;
	struct tree_position child, chosen = {.parent = NULL};
	unsigned seen = 0;
	tree_cursor_init(&cursor, model.schema, parent, TREE_EXPLICIT);
	while (tree_cursor_next(&cursor, &child)) {
		if (pick(++seen) == 0)
			chosen = child;
	}
	return seen > 0 && remove_child(builder, &chosen);
}

static struct tree_record *remove_some(const struct tree_record *base)
{
	struct tree_record *root = tree_record_ref(base);
	for (unsigned i = 1 + pick(3); i > 0; i--) {
		struct tree_position position = tree_position_root(model.schema, root);
		struct tree_builder *builder = tree_builder_new(model.schema, root, NULL);
		remove_below(builder, &position);
		struct tree_record *next = tree_builder_finish(builder);
		model_drop(&model, root);
		root = next;
	}
	return root;
}

static void expect_same(const struct tree_record *old, const struct tree_record *new, const char *full)
{
	char *faults = model_check(&model, old, new);
	assert_string_equal(faults, full);
	free(faults);
}

static void run_rounds(const struct tree_record *base)
{
	unsigned invalid = 0;
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct tree_record *root = remove_some(base);
		char *settled = model_settle(&model, base, &root);
		assert_string_equal(settled, "");
		free(settled);
		char *full = model_check(&model, NULL, root);
		invalid += *full != '\0';
		expect_same(base, root, full);
		if (*full == '\0') /* and back, from less to more */
			expect_same(root, base, "");
		free(full);
		model_drop(&model, root);
	}
	print_message("%u of %u removals were refused\n", invalid, (unsigned)ROUNDS);
}

static void run(const struct workload *workload)
{
	char folder[256];
	snprintf(folder, sizeof(folder), "yang/%s", workload->folder);
	seed = first_seed;
	char *xml = generate(workload->command);
	if (!xml)
		skip();
	const char *dir = model_shared(folder);
	model_init_set(&model, dir, workload->modules, workload->imports);
	struct oracle *oracle = oracle_new_set(dir, workload->modules, workload->imports);
	struct tree_record *base = oracle_tree(oracle, model.schema, xml);
	assert_non_null(base);
	expect_same(NULL, base, "");
	run_rounds(base);
	model_drop(&model, base);
	oracle_free(oracle);
	model_fini(&model);
	free(xml);
}

static void test_directory(void **state)
{
	(void)state;
	run(&(struct workload){.folder = "directory",
			       .command = "directory.py --n 60 --units 5 --group-size 10",
			       .modules = {"directory"}});
}

static void test_openroadm(void **state)
{
	(void)state;
	run(&(struct workload){.folder = "openroadm-cps",
			       .command = "openroadm.py --n 2 --shape full",
			       .modules = {"org-openroadm-interfaces", "openroadm-devices-inventory-v2"}});
}

static void test_openconfig(void **state)
{
	(void)state;
	run(&(struct workload){.folder = "openconfig",
			       .command = "openconfig.py --n 20 --neighbors 10 --vlans 3",
			       .modules = {"iana-if-type", "openconfig-interfaces", "openconfig-if-ethernet",
					   "openconfig-if-ip", "openconfig-vlan",
					   "openconfig-network-instance", "openconfig-routing-policy",
					   "openconfig-bgp-policy"},
			       .imports = MODEL_IMPORTS_IMPLEMENTED});
}

static void test_ex_vlan(void **state)
{
	(void)state;
	run(&(struct workload){.folder = "ex-vlan",
			       .command = "ietf_interfaces_vlan.py --n 20 --per-base 5",
			       .modules = {"iana-if-type", "ex-vlan"}});
}

static void test_perf_test(void **state)
{
	(void)state;
	run(&(struct workload){.folder = "perf-test",
			       .command = "perftest.py --set complex --n 50 --leaf",
			       .modules = {"perf-test"}});
}

int main(void)
{
	const char *given = getenv("YARE_SEED");
	first_seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL) * 2654435761u + 1;
	print_message("YARE_SEED=%llu\n", (unsigned long long)first_seed);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_directory),  cmocka_unit_test(test_openroadm),
		cmocka_unit_test(test_openconfig), cmocka_unit_test(test_ex_vlan),
		cmocka_unit_test(test_perf_test),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
