/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every shared set of models loads, and its arrays are consistent: what must hold of any schema. The largest
 * sets are slow under sanitizers and need YARE_SLOW=1.
 */
#include "helper_schema.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/memory.h"

#define MODULES_MAX 256

static bool is_submodule(const char *folder, const char *file)
{
	char path[768], start[2048];
	snprintf(path, sizeof(path), "%s/%s", folder, file);
	FILE *in = fopen(path, "r");
	assert_non_null(in);
	size_t size = fread(start, 1, sizeof(start) - 1, in);
	fclose(in);
	start[size] = '\0';
	return strncmp(start, "submodule ", 10) == 0 || strstr(start, "\nsubmodule ") != NULL;
}

/* All modules of a folder with all features, as "name@revision:*"; `first` before the others. */
static size_t list_modules(const char *folder, const char *first, char **modules)
{
	struct dirent **files;
	int file_count = scandir(folder, &files, NULL, alphasort);
	assert_true(file_count > 0);
	size_t count = first != NULL ? 1 : 0;
	for (int i = 0; i < file_count; i++) {
		const char *name = files[i]->d_name;
		size_t size = strlen(name);
		if (size > 5 && strcmp(name + size - 5, ".yang") == 0 && !is_submodule(folder, name)) {
			char *module = memory_alloc(size + 3);
			snprintf(module, size + 3, "%.*s:*", (int)(size - 5), name);
			if (first != NULL && strncmp(name, first, strlen(first)) == 0)
				modules[0] = module;
			else
				modules[count++] = module;
		}
		free(files[i]);
	}
	free(files);
	modules[count] = NULL;
	return count;
}

static void check_choice(const struct schema_node *parent, const struct schema_choice *choice)
{
	assert_ptr_equal(choice->parent, parent);
	for (size_t i = 0; i < choice->case_count; i++) {
		const struct schema_case *c = &choice->cases[i];
		assert_ptr_equal(c->choice, choice);
		assert_int_equal(c->index, i);
		for (size_t k = 0; k < c->slot_count; k++) {
			assert_true(c->slots[k] < parent->child_count);
			const struct schema_case *inner = parent->children[c->slots[k]]->in_case;
			while (inner != c) {
				assert_non_null(inner);
				inner = inner->choice->outer;
			}
		}
	}
}

static void check_xpath(const struct schema *schema, const struct schema_xpath *xpath)
{
	assert_non_null(xpath->expression);
	assert_non_null(xpath->context);
	assert_non_null(schema_xpath_prefix(schema, xpath, bytes_of("")));
}

static void check_node(const struct schema *schema, const struct schema_node *node)
{
	for (size_t i = 0; i < node->child_count; i++) {
		const struct schema_node *child = node->children[i];
		assert_ptr_equal(child->parent, node);
		assert_int_equal(child->slot, i);
		assert_int_equal(child->depth, node->depth + 1);
		assert_true(child->id > node->id);
		assert_int_equal(child->is_key, i < node->key_count);
		assert_ptr_equal(schema_child_find(schema, node, child->module, child->name_bytes), child);
	}
	for (size_t i = 0; i < node->choice_count; i++)
		check_choice(node, node->choices[i]);
	for (size_t i = 0; i < node->must_count; i++) {
		check_xpath(schema, &node->musts[i]);
		assert_ptr_equal(node->musts[i].context, node);
	}
	for (size_t i = 0; i < node->when_count; i++) {
		check_xpath(schema, &node->whens[i]);
		bool own = node->whens[i].context == node;
		assert_true(own || node->whens[i].context == node->parent ||
			    (node->parent == NULL && node->whens[i].context == schema->root));
		assert_int_equal(node->whens[i].context_is_parent, !own);
	}
	for (size_t i = 0; i < node->unique_count; i++)
		for (size_t k = 0; k < node->uniques[i].leaf_count; k++)
			assert_non_null(node->uniques[i].leafs[k]->type);
	bool has_type = node->kind == SCHEMA_LEAF || node->kind == SCHEMA_LEAF_LIST;
	assert_int_equal(node->type != NULL, has_type);
	if (node->kind == SCHEMA_LIST && node->config)
		assert_true(node->key_count > 0);
}

static void check_schema(const struct schema *schema)
{
	for (size_t i = 0; i < schema->node_count; i++) {
		assert_int_equal(schema->nodes[i]->id, i);
		check_node(schema, schema->nodes[i]);
	}
	for (size_t i = 0; i < schema->rpc_count; i++) {
		const struct schema_node *rpc = schema->rpcs[i];
		assert_null(rpc->parent);
		assert_int_equal(rpc->kind, SCHEMA_RPC);
		assert_int_equal(rpc->output->kind, SCHEMA_OUTPUT);
		assert_ptr_equal(schema_rpc_find(schema, rpc->module, rpc->name_bytes), rpc);
	}
	for (size_t i = 0; i < schema->notification_count; i++)
		assert_ptr_equal(schema_notification_find(schema, schema->root,
							  schema->notifications[i]->module,
							  schema->notifications[i]->name_bytes),
				 schema->notifications[i]);
}

static double now_s(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void load_modules(const char *folder, const char *const *modules)
{
	double start = now_s();
	struct schema *schema = helper_load(folder, modules, false);
	double loaded = now_s();
	check_schema(schema);
	print_message("%s: %zu nodes, %zu modules, loaded in %.2f s\n", folder, schema->node_count,
		      schema->module_count, loaded - start);
	schema_unref(schema);
}

static void load_set(const char *set, const char *first)
{
	char folder[512];
	snprintf(folder, sizeof(folder), "%s", helper_shared(set));
	char *modules[MODULES_MAX];
	size_t count = list_modules(folder, first, modules);
	load_modules(folder, (const char *const *)modules);
	for (size_t i = 0; i < count; i++)
		memory_free(modules[i]);
}

static void need_slow(void)
{
	if (getenv("YARE_SLOW") == NULL)
		skip();
}

static void test_small_sets(void **state)
{
	(void)state;
	load_set("yang/perf-test", NULL);
	load_set("yang/ex-vlan", NULL);
	load_set("yang/directory", NULL);
}

static void test_zoo(void **state)
{
	(void)state;
	const char *modules[] = {"zoo-types:*", "constraints-zoo:*", "zoo-more:*", "zoo-deviations", NULL};
	load_modules(helper_shared("yang/zoo"), modules);
}

static void test_openroadm_cps(void **state)
{
	(void)state;
	const char *modules[] = {"org-openroadm-interfaces:*", "openroadm-devices-inventory-v2:*", NULL};
	load_modules(helper_shared("yang/openroadm-cps"), modules);
}

static void test_ietf(void **state)
{
	(void)state;
	load_set("yang/ietf", "ietf-tls-common@");
}

static void test_openroadm(void **state)
{
	(void)state;
	need_slow();
	load_set("yang/openroadm", NULL);
}

static void test_openconfig(void **state)
{
	(void)state;
	need_slow();
	load_set("yang/openconfig", NULL);
}

static void test_junos(void **state)
{
	(void)state;
	need_slow();
	load_set("yang/junos", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small_sets),    cmocka_unit_test(test_zoo),
		cmocka_unit_test(test_openroadm_cps), cmocka_unit_test(test_ietf),
		cmocka_unit_test(test_openroadm),     cmocka_unit_test(test_openconfig),
		cmocka_unit_test(test_junos),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
