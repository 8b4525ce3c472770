/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Work limits: an evaluation that reaches one refuses the change and names the constraint, whatever kind it
 * is and whoever evaluates it, the check or settle. It never passes.
 */
#include "helper_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRIES = 40 };

static const char *const yang =
	"module m { yang-version 1.1; namespace urn:m; prefix m;\n"
	" list l { key k; leaf k { type uint8; } leaf v { type string; } }\n"
	" leaf steps { type string; must 'count(/l[v = \"x\"]) < 100'; }\n"
	" leaf nodes { type string; must 'count(/l/v | /l/k) < 100'; }\n"
	" leaf reference { type leafref { path '/l/k'; } }\n"
	" leaf governed { when 'count(/l[v = \"x\"]) < 100'; type string; }\n"
	" leaf implied { when 'count(/l[v = \"x\"]) < 99'; type string; default d; }\n"
	"}\n";

static struct model model;

static struct tree_record *with_entries(void)
{
	char edit[ENTRIES * 32] = "";
	for (size_t i = 0, at = 0; i < ENTRIES; i++)
		at += (size_t)snprintf(edit + at, sizeof(edit) - at, "l[%zu]/v=x\n", i);
	return model_edit(&model, NULL, edit);
}

static void expect_refused(char *text, const char *kind, const char *node)
{
	char start[64], of[64];
	snprintf(start, sizeof(start), "Checking %s \"", kind);
	snprintf(of, sizeof(of), " of %s takes more work than the limit allows.", node);
	if (!strstr(text, start) || !strstr(text, of) || strncmp(text, "resource-denied", 15) != 0)
		fail_msg("not refused by %s of %s: %s", kind, node, text);
	free(text);
}

static void refused(const char *edit, const char *kind, const char *node)
{
	struct tree_record *base = with_entries();
	struct tree_record *root = model_edit(&model, base, edit);
	expect_refused(model_check(&model, base, root), kind, node);
	model_drop(&model, root);
	model_drop(&model, base);
}

static void test_steps(void **state)
{
	(void)state;
	model_init(&model, "m", yang);
	model.options.steps = ENTRIES / 2;
	refused("steps=a", "must", "/m:steps");
	model.options.steps = 0;
	refused("reference=3", "leafref", "/m:reference");
	model_fini(&model);
}

static void test_nodes(void **state)
{
	(void)state;
	model_init(&model, "m", yang);
	model.options.max_nodes = ENTRIES;
	refused("nodes=a", "must", "/m:nodes");
	model.options.max_nodes = 3 * ENTRIES;
	struct tree_record *base = with_entries();
	struct tree_record *root = model_edit(&model, base, "nodes=a");
	char *text = model_check(&model, base, root);
	assert_string_equal(text, "");
	free(text);
	model_drop(&model, root);
	model_drop(&model, base);
	model_fini(&model);
}

static void test_settle(void **state)
{
	(void)state;
	model_init(&model, "m", yang);
	struct tree_record *base = with_entries();
	struct tree_record *root = model_edit(&model, base, "governed=a");
	model.options.steps = ENTRIES / 2;
	expect_refused(model_settle(&model, base, &root), "when", "/m:governed");
	model_drop(&model, root);
	model_drop(&model, base);
	model_fini(&model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_nodes),
		cmocka_unit_test(test_settle),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
