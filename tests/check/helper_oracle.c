/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libyang as the oracle; see helper_oracle.h.
 */
#include "helper_oracle.h"

#include <libyang/libyang.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tree/cursor.h"

struct oracle {
	struct ly_ctx *ctx;
};

struct oracle *oracle_new(const char *yang)
{
	struct oracle *oracle = memory_zalloc(sizeof(*oracle));
	assert_int_equal(ly_ctx_new(NULL, 0, &oracle->ctx), LY_SUCCESS);
	assert_int_equal(lys_parse_mem(oracle->ctx, yang, LYS_IN_YANG, NULL), LY_SUCCESS);
	return oracle;
}

struct oracle *oracle_new_from(const char *dir, const char *name)
{
	struct oracle *oracle = memory_zalloc(sizeof(*oracle));
	assert_int_equal(ly_ctx_new(dir, 0, &oracle->ctx), LY_SUCCESS);
	assert_non_null(ly_ctx_load_module(oracle->ctx, name, NULL, NULL));
	return oracle;
}

void oracle_free(struct oracle *oracle)
{
	ly_ctx_destroy(oracle->ctx);
	memory_free(oracle);
}

static void print_text(FILE *out, struct bytes text)
{
	for (size_t i = 0; i < text.size; i++) {
		char c = text.data[i];
		if (c == '<' || c == '&')
			fputs(c == '<' ? "&lt;" : "&amp;", out);
		else
			fputc(c, out);
	}
}

static void print_children(FILE *out, const struct schema *schema, const struct tree_position *parent)
{
	struct tree_cursor cursor;
	struct tree_position child;
	tree_cursor_init(&cursor, schema, parent, TREE_EXPLICIT);
	while (tree_cursor_next(&cursor, &child)) {
		fprintf(out, "<%s xmlns=\"%s\">", child.schema->name, child.schema->module->ns);
		if (child.schema->kind == SCHEMA_LEAF || child.schema->kind == SCHEMA_LEAF_LIST)
			print_text(out, value_bytes(&child.value));
		else
			print_children(out, schema, &child);
		fprintf(out, "</%s>", child.schema->name);
	}
}

char *oracle_xml(const struct schema *schema, const struct tree_record *root)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct tree_position position = tree_position_root(schema, root);
	print_children(out, schema, &position);
	fclose(out);
	return text;
}

/* The last name of a path of libyang: "Data location "/m:a/b[k='1']/c", line number 1." -> c */
static char *last_name(const char *path)
{
	const char *name = "";
	size_t size = 0;
	char quote = 0;
	const char *p = path ? strchr(path, '/') : NULL;
	for (; p && *p && (quote || *p != '"'); p++) {
		if (*p == '\'')
			quote = quote ? 0 : *p;
		if (!quote && *p == '/') {
			name = p + 1;
			size = strcspn(name, "[/\"");
		}
	}
	const char *colon = memchr(name, ':', size);
	if (colon) {
		size -= (size_t)(colon + 1 - name);
		name = colon + 1;
	}
	return strndup(name, size);
}

bool oracle_check(struct oracle *oracle, const struct schema *schema, const struct tree_record *root,
		  char **app_tag, char **node)
{
	char *xml = oracle_xml(schema, root);
	struct lyd_node *tree = NULL;
	uint32_t options = ly_log_options(LY_LOSTORE);
	LY_ERR error =
		lyd_parse_data_mem(oracle->ctx, xml, LYD_XML, LYD_PARSE_STRICT, LYD_VALIDATE_NO_STATE, &tree);
	ly_log_options(options);
	if (error != LY_SUCCESS) {
		const struct ly_err_item *item = ly_err_first(oracle->ctx);
		*app_tag = strdup(item && item->apptag ? item->apptag : "-");
		*node = last_name(item ? item->path : NULL);
		ly_err_clean(oracle->ctx, NULL);
	}
	lyd_free_all(tree);
	free(xml);
	return error == LY_SUCCESS;
}
