/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libyang's side: XML is parsed without validation, then validated whole. libyang stops at its first error. A
 * `when` that is false is an error to it where the node has just been parsed; such nodes are removed and it
 * is asked again, which is what a datastore does with them (RFC 7950 8.2.1), so that what is left at the end
 * is comparable with our settled root.
 *
 * Errors are compared by path: module names and the kind of quotes are dropped from ours and theirs.
 */
#include "soak.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tree/cursor.h"

enum { WHENS_MAX = 1000 };

/* What is between the quotes after the first `"/` of libyang's path; those of keys are behind `=`. */
static const char *data_path(struct soak *soak, const char *path)
{
	const char *start = path ? strchr(path, '/') : NULL;
	if (!start)
		return "";
	const char *p = start;
	for (char quote = 0; *p && (quote || *p != '"' || p[-1] == '='); p++) {
		if (quote ? *p == quote : *p == '\'' || *p == '"')
			quote = quote ? 0 : *p;
	}
	return arena_strdup(soak->round, (struct bytes){start, (size_t)(p - start)});
}

/* The path without module names, those in keys too, which may be paths in one or the other form; quotes all
 * the same. */
static char *plain_path(struct soak *soak, const char *path)
{
	char *out = arena_zalloc(soak->round, strlen(path) + 1), *name = out, *end = out;
	for (const char *p = path; *p; p++) {
		if (*p == ':') {
			end = name;
			continue;
		}
		*end++ = *p == '"' ? '\'' : *p;
		if (strchr("/[='\"", *p))
			name = end;
	}
	*end = '\0';
	return out;
}

static void take_error(struct soak *soak, struct soak_verdict *verdict)
{
	const struct ly_err_item *item = ly_err_first(soak->ly);
	while (item && item->level != LY_LLERR)
		item = item->next;
	verdict->valid = false;
	verdict->message = arena_strdup(soak->round, bytes_of(item && item->msg ? item->msg : "?"));
	verdict->app_tag = arena_strdup(soak->round, bytes_of(item && item->apptag ? item->apptag : "-"));
	verdict->path = arena_strdup(soak->round, bytes_of(item && item->path ? item->path : ""));
}

static bool is_when(const struct soak_verdict *verdict)
{
	return strncmp(verdict->message, "When condition", 14) == 0;
}

/* Removes the node that the error names; false where it is not found. */
static bool remove_named(struct soak *soak, struct lyd_node **tree, struct soak_verdict *verdict)
{
	struct lyd_node *node = NULL;
	const char *path = data_path(soak, verdict->path);
	if (!*tree || lyd_find_path(*tree, path, 0, &node) != LY_SUCCESS || !node)
		return false;
	if (*tree == node)
		*tree = node->next;
	lyd_free_tree(node);
	verdict->whens = arena_printf(soak->round, "%s%s\n", verdict->whens, plain_path(soak, path));
	return true;
}

static void print(struct soak *soak, const struct lyd_node *tree, struct soak_verdict *verdict)
{
	char *text = NULL;
	lyd_print_mem(&text, tree, LYD_XML, LYD_PRINT_WITHSIBLINGS | LYD_PRINT_SHRINK);
	verdict->xml = arena_strdup(soak->round, bytes_of(text ? text : ""));
	free(text);
}

static void validate(struct soak *soak, struct lyd_node **tree, struct soak_verdict *verdict)
{
	while (verdict->removed < WHENS_MAX) {
		ly_err_clean(soak->ly, NULL);
		if (lyd_validate_all(tree, soak->ly, LYD_VALIDATE_NO_STATE, NULL) == LY_SUCCESS) {
			verdict->valid = true;
			print(soak, *tree, verdict);
			return;
		}
		take_error(soak, verdict);
		if (!is_when(verdict) || !remove_named(soak, tree, verdict))
			return;
		verdict->removed++;
	}
}

void soak_oracle(struct soak *soak, const char *xml, struct soak_verdict *verdict)
{
	*verdict = (struct soak_verdict){.message = "", .app_tag = "-", .path = "", .whens = ""};
	struct lyd_node *tree = NULL;
	ly_err_clean(soak->ly, NULL);
	if (lyd_parse_data_mem(soak->ly, xml, LYD_XML, LYD_PARSE_ONLY | LYD_PARSE_STRICT, 0, &tree) !=
	    LY_SUCCESS)
		take_error(soak, verdict);
	else
		validate(soak, &tree, verdict);
	lyd_free_all(tree);
	ly_err_clean(soak->ly, NULL);
}

/* ---- comparing errors */

/* The name that the path ends with. */
static const char *last_name(struct soak *soak, const char *path)
{
	const char *name = path;
	char quote = 0;
	for (const char *p = path; *p; p++) {
		if (quote ? *p == quote : *p == '\'' || *p == '"')
			quote = quote ? 0 : *p;
		else if (!quote && *p == '/')
			name = p + 1;
	}
	return arena_strdup(soak->round, (struct bytes){name, strcspn(name, "[")});
}

/* The name in quotes in a message: Mandatory node "x" instance does not exist. */
static const char *named_in(struct soak *soak, const char *message)
{
	const char *start = strchr(message, '"');
	if (!start)
		return "";
	return arena_strdup(soak->round, (struct bytes){start + 1, strcspn(start + 1, "\"")});
}

static bool has_prefix(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool named_by(struct soak *soak, const struct diag *diag, const struct soak_verdict *verdict)
{
	const char *ours = plain_path(soak, diag->path ? diag->path : "");
	const char *theirs = plain_path(soak, data_path(soak, verdict->path));
	const char *app_tag = diag->app_tag ? diag->app_tag : "-";
	bool same_tag = strcmp(verdict->app_tag, "-") == 0 || strcmp(verdict->app_tag, app_tag) == 0;
	if (has_prefix(verdict->message, "Mandatory node \"") || has_prefix(verdict->message, "Too few \"") ||
	    has_prefix(verdict->message, "Too many \""))
		return same_tag && strcmp(last_name(soak, ours), named_in(soak, verdict->message)) == 0;
	if (has_prefix(verdict->message, "Mandatory choice"))
		return strcmp(app_tag, "missing-choice") == 0;
	if (has_prefix(verdict->message, "Unique data leaf"))
		return strcmp(app_tag, "data-not-unique") == 0;
	/* A key with both kinds of quotes is concat() in ours; libyang's path cannot be read then. */
	return same_tag && (strcmp(ours, theirs) == 0 || strstr(ours, "concat("));
}

bool soak_named(struct soak *soak, const struct diag_list *diags, const struct soak_verdict *verdict)
{
	for (const struct diag *diag = diags->first; diag; diag = diag->next) {
		if (named_by(soak, diag, verdict))
			return true;
	}
	return false;
}

static bool is_below_removed(const char *path, const char *whens)
{
	for (const char *line = whens; *line; line += strcspn(line, "\n") + 1) {
		size_t size = strcspn(line, "\n");
		if (strncmp(path, line, size) == 0 && (path[size] == '\0' || path[size] == '/'))
			return true;
	}
	return false;
}

bool soak_whens_named(struct soak *soak, const struct diag_list *diags, const struct soak_verdict *verdict)
{
	for (const struct diag *diag = diags->first; diag; diag = diag->next) {
		const char *path = plain_path(soak, diag->path ? diag->path : "");
		if (!is_below_removed(path, verdict->whens))
			return false;
	}
	return true;
}

/* Whether an empty non-presence container is stored that stands for its case. */
static bool has_empty_case(struct soak *soak, const struct tree_position *parent)
{
	struct tree_cursor cursor;
	struct tree_position child;
	tree_cursor_init(&cursor, soak->schema, parent, TREE_EXPLICIT);
	while (tree_cursor_next(&cursor, &child)) {
		const struct schema_node *node = child.schema;
		bool is_record = node->kind == SCHEMA_CONTAINER || node->kind == SCHEMA_LIST;
		if (!is_record)
			continue;
		bool is_empty =
			node->kind == SCHEMA_CONTAINER && !node->presence && child.record->length == 0;
		if ((is_empty && node->in_case) || has_empty_case(soak, &child))
			return true;
	}
	return false;
}

const char *soak_exception(struct soak *soak, const struct soak_result *result,
			   const struct soak_verdict *verdict)
{
	(void)verdict;
	struct tree_position root = tree_position_root(soak->schema, result->applied);
	if (has_empty_case(soak, &root))
		return "RFC 7950 7.9: a container named in a request chooses its case for us also where it "
		       "is "
		       "empty and without presence; libyang drops it";
	return NULL;
}
