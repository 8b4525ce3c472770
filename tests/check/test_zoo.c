/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The zoo of the shared inputs: documents that are valid, and ones that break one constraint, with the error
 * that the RFCs ask for. Those that break a type, or a kind that this engine does not check, are for others.
 * Each document is also checked as a change from the valid ones, which must find the same; but what a valid
 * one has already goes in silence where its `when` becomes false.
 */
#include "helper_model.h"
#include "helper_oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const modules[] = {"zoo-types", "constraints-zoo", "zoo-more", "zoo-deviations", NULL};

/* Kinds that are not checked here: two cases at once is for `edit`. */
static const char *const others[] = {"bad-element", "invalid-value"};

/* The prefixes of the expected paths and the module names of ours. */
static const char *const prefixes[][2] = {{"z:", "constraints-zoo:"}, {"zm:", "zoo-more:"}};

enum { VALID_MAX = 64 };

static struct model model;
static struct oracle *oracle;
static char folder[1024];
static struct tree_record *valid[VALID_MAX];
static size_t valid_count;

static char *read_file(const char *name)
{
	char path[2048];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	char *text = NULL;
	size_t size = 0;
	assert_true(getdelim(&text, &size, '\0', file) >= 0);
	fclose(file);
	return text;
}

/* Calls `visit` for each configuration with all features. */
static void each_document(const char *kind, void (*visit)(const char *file))
{
	char *index = read_file("INDEX.tsv"), *rest = NULL;
	for (char *line = strtok_r(index, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *fields = NULL, *row_kind = strtok_r(line, "\t", &fields);
		char *file = strtok_r(NULL, "\t", &fields), *type = strtok_r(NULL, "\t", &fields);
		char *features = strtok_r(NULL, "\t", &fields);
		if (strcmp(row_kind, kind) == 0 && strcmp(type, "config") == 0 &&
		    strcmp(features, "all") == 0)
			visit(file);
	}
	free(index);
}

static struct tree_record *read_tree(const char *file)
{
	char *xml = read_file(file);
	struct tree_record *root = oracle_tree(oracle, model.schema, xml);
	free(xml);
	return root;
}

static void check_valid(const char *file)
{
	struct tree_record *root = read_tree(file);
	if (!root)
		fail_msg("%s does not parse", file);
	char *faults = model_check(&model, NULL, root);
	if (*faults)
		fail_msg("%s: %s", file, faults);
	free(faults);
	assert_true(valid_count < VALID_MAX);
	valid[valid_count++] = root;
}

static void test_valid(void **state)
{
	(void)state;
	each_document("valid", check_valid);
	print_message("%zu valid documents\n", valid_count);
	assert_true(valid_count > 10);
	for (size_t i = 0; i < valid_count; i++) {
		for (size_t j = 0; j < valid_count; j++) {
			char *faults = model_check(&model, valid[i], valid[j]);
			assert_string_equal(faults, "");
			free(faults);
		}
	}
}

/* NULL where there is none. */
static char *find_field(const char **text, const char *name)
{
	const char *at = strstr(*text, name);
	if (!at)
		return NULL;
	at += strlen(name);
	*text = at;
	return strndup(at, strcspn(at, "\n"));
}

static char *expected_field(const char *text, const char *name)
{
	char *field = find_field(&text, name);
	assert_non_null(field);
	return field;
}

static char *with_module_names(const char *path)
{
	char *out = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&out, &size);
	while (*path) {
		bool replaced = false;
		for (size_t i = 0; i < 2 && !replaced; i++) {
			size_t length = strlen(prefixes[i][0]);
			if (strncmp(path, prefixes[i][0], length) != 0)
				continue;
			fputs(prefixes[i][1], file);
			path += length;
			replaced = true;
		}
		if (replaced)
			continue;
		bool in_name = *path != '/' && *path != '[';
		fputc(*path++, file);
		while (in_name && *path && *path != '/' && *path != '[')
			fputc(*path++, file);
	}
	fclose(file);
	return out;
}

static bool is_for_others(const char *file, const char *tag, const char *app_tag)
{
	if (strstr(file, "state-in-config")) /* is not let into a configuration */
		return true;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		if (strcmp(tag, others[i]) == 0 || strcmp(app_tag, others[i]) == 0)
			return true;
	}
	return false;
}

static void expect_same_as_change(const struct tree_record *root, const char *tag, const char *faults)
{
	for (size_t i = 0; i < valid_count; i++) {
		char *change = model_check(&model, valid[i], root);
		bool is_gone = *change == '\0' && strcmp(tag, "unknown-element") == 0;
		if (!is_gone)
			assert_string_equal(change, faults);
		free(change);
	}
}

static size_t invalid_count;

static void expect_text(const char *file, const char *faults, const char *wanted)
{
	if (!strstr(faults, wanted))
		fail_msg("%s: wanted %s, got:\n%s", file, wanted, faults);
}

static void expect_path(const char *file, const char *text, const char *tag, const char *app_tag,
			const char *faults)
{
	char *path = expected_field(text, "error-path: "), *own_path = with_module_names(path);
	char wanted[1024];
	snprintf(wanted, sizeof(wanted), "%s %s %s ", tag, app_tag, own_path);
	expect_text(file, faults, wanted);
	free(own_path);
	free(path);
}

static void expect_non_unique(const char *file, const char *text, const char *faults)
{
	size_t count = 0;
	for (char *path; (path = find_field(&text, "\nnon-unique: ")); count++) {
		char *own_path = with_module_names(path), wanted[1024];
		snprintf(wanted, sizeof(wanted), "operation-failed data-not-unique ");
		expect_text(file, faults, wanted);
		snprintf(wanted, sizeof(wanted), " <non-unique>%s", own_path);
		expect_text(file, faults, wanted);
		free(own_path);
		free(path);
	}
	assert_int_equal(count, 2);
}

static void check_invalid(const char *file)
{
	char name[256];
	snprintf(name, sizeof(name), "%.*s.expect", (int)(strlen(file) - 4), file);
	char *text = read_file(name);
	char *tag = expected_field(text, "error-tag: "), *app_tag = expected_field(text, "error-app-tag: ");
	struct tree_record *root = is_for_others(file, tag, app_tag) ? NULL : read_tree(file);
	if (root) {
		char *faults = model_check(&model, NULL, root);
		if (strcmp(app_tag, "data-not-unique") == 0)
			expect_non_unique(file, text, faults);
		else
			expect_path(file, text, tag, app_tag, faults);
		expect_same_as_change(root, tag, faults);
		invalid_count++;
		free(faults);
		model_drop(&model, root);
	}
	free(app_tag);
	free(tag);
	free(text);
}

static void test_invalid(void **state)
{
	(void)state;
	each_document("invalid", check_invalid);
	print_message("%zu invalid documents\n", invalid_count);
	assert_true(invalid_count > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_valid),
		cmocka_unit_test(test_invalid),
	};
	const char *dir = model_shared("workloads/zoo");
	if (!dir)
		return 0;
	snprintf(folder, sizeof(folder), "%s", dir);
	dir = model_shared("yang/zoo");
	model_init_set(&model, dir, modules, MODEL_IMPORTS_AS_NEEDED);
	oracle = oracle_new_set(dir, modules, MODEL_IMPORTS_AS_NEEDED);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	for (size_t i = 0; i < valid_count; i++)
		model_drop(&model, valid[i]);
	oracle_free(oracle);
	model_fini(&model);
	return failed;
}
