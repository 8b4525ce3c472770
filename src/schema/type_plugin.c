/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Values that libyang's type plugins read: bits, binary, decimal64, and strings of derived types that libyang
 * knows (dates, addresses, XPath). A plugin stores the value in a struct lyd_value and prints the canonical
 * text from it; only that text is kept.
 *
 * Types whose values hold prefixes get a table of them: what the request's namespaces say of each "name:" in
 * the text. The plugin then prints module names. Plugins report through their error item; whatever libyang
 * logs besides is switched off for this thread meanwhile.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "schema/type_parse.h"

#define QNAMES_SIZE_MAX (64u << 10) /* bytes of a value with prefixes */
#define MESSAGE_SIZE_MAX 512	    /* bytes of a message of libyang */

/* libyang's sized array: the count stands before the first element. */
struct prefix_table {
	LY_ARRAY_COUNT_TYPE count;
	struct lysc_prefix prefixes[];
};

static bool is_name_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
	       c == '-' || c == '.' || (c & 0x80) != 0;
}

/* False where the prefix is not declared. */
static bool add_prefix(struct type_parse *parse, struct prefix_table *table, struct bytes prefix)
{
	const struct schema_module *module = type_prefix_module(parse, prefix);
	if (module == NULL)
		return false;
	for (size_t i = 0; i < table->count; i++) {
		const char *known = table->prefixes[i].prefix;
		if (prefix.size == 0 ? known == NULL : known != NULL && bytes_equal(bytes_of(known), prefix))
			return true;
	}
	struct lysc_prefix *entry = &table->prefixes[table->count++];
	entry->prefix = prefix.size == 0 ? NULL : arena_strdup(parse->arena, prefix);
	entry->mod = ly_ctx_get_module(parse->schema->context, module->name, module->revision);
	return true;
}

/* Every name before a colon is a prefix, or, in a literal, may be one; names of axes ("child::") are skipped.
 * NULL: a prefix is not declared; *unknown is it. */
static struct prefix_table *prefixes_of(struct type_parse *parse, struct bytes text, struct bytes *unknown)
{
	size_t colons = 0;
	for (size_t i = 0; i < text.size; i++)
		colons += text.data[i] == ':';
	struct prefix_table *table =
		arena_zalloc(parse->arena, sizeof(*table) + (colons + 1) * sizeof(struct lysc_prefix));
	add_prefix(parse, table, (struct bytes){NULL, 0});
	char quote = 0;
	for (size_t i = 0; i < text.size; i++) {
		if (quote ? text.data[i] == quote : text.data[i] == '\'' || text.data[i] == '"')
			quote = quote ? 0 : text.data[i];
		if (text.data[i] != ':')
			continue;
		if (i + 1 < text.size && text.data[i + 1] == ':') {
			i++;
			continue;
		}
		size_t start = i;
		while (start > 0 && is_name_byte(text.data[start - 1]))
			start--;
		*unknown = (struct bytes){text.data + start, i - start};
		if (start < i && !add_prefix(parse, table, *unknown) && !quote)
			return NULL;
	}
	return table;
}

static enum status refuse(struct type_parse *parse, struct ly_err_item *item, struct bytes lexical)
{
	const char *message = NULL, *app_tag = NULL;
	if (item != NULL && item->msg != NULL && parse->error != NULL) {
		/* libyang quotes the whole value. */
		struct bytes text = bytes_of(item->msg);
		message = arena_strdup(parse->arena, type_cut(text, MESSAGE_SIZE_MAX));
		app_tag = item->apptag == NULL ? NULL : arena_strdup(parse->arena, bytes_of(item->apptag));
	}
	ly_err_free(item);
	return type_refuse(parse, message, app_tag, "Invalid value \"%.*s\".", EXCERPT(lexical));
}

static enum status take_canonical(struct type_parse *parse, const struct schema_type *type,
				  const struct lyd_value *stored, struct value *value)
{
	struct bytes canonical = bytes_of(lyd_value_get_canonical(parse->schema->context, stored));
	if (canonical.size > TEXT_SIZE_MAX)
		return type_refuse(parse, NULL, NULL, "The value is larger than %u bytes.", TEXT_SIZE_MAX);
	*value = value_new(canonical, type->qnames ? TEXT_QNAME : 0);
	return ST_OK;
}

enum status type_parse_by_plugin(struct type_parse *parse, const struct schema_type *type,
				 struct bytes lexical, struct value *value)
{
	const struct ly_ctx *context = parse->schema->context;
	LY_VALUE_FORMAT format = LY_VALUE_JSON;
	void *prefix_data = NULL;
	if (type->qnames) {
		if (lexical.size > QNAMES_SIZE_MAX)
			return type_refuse(parse, NULL, NULL, "The value is larger than %u bytes.",
					   QNAMES_SIZE_MAX);
		format = LY_VALUE_SCHEMA_RESOLVED;
		struct bytes unknown;
		struct prefix_table *table = prefixes_of(parse, lexical, &unknown);
		if (table == NULL)
			return type_refuse(parse, NULL, NULL, "The prefix \"%.*s\" is not declared.",
					   EXCERPT(unknown));
		prefix_data = table->prefixes;
	}
	uint32_t silent = 0;
	ly_temp_log_options(&silent);
	struct lyd_value stored;
	struct ly_err_item *item = NULL;
	/* Some plugins read numbers with strtol() and go on behind the end of the text. */
	const char *text = arena_strdup(parse->arena, lexical);
	const struct lyplg_type *plugin = compat_type_plugin(type->lysc);
	/* Of an XPath in a leaf of ietf-yang-schema-mount the plugin keeps the prefixes as they are. Leafs
	 * share types, so that it must not be told a leaf. */
	const struct lysc_node *leaf = plugin->store == lyplg_type_store_xpath10 ? NULL : type->lysc_node;
	LY_ERR result = plugin->store(context, type->lysc, text, lexical.size, 0, format, prefix_data,
				      LYD_HINT_DATA, leaf, &stored, NULL, &item);
	enum status status;
	if (result == LY_SUCCESS || result == LY_EINCOMPLETE) {
		status = take_canonical(parse, type, &stored, value);
		compat_type_plugin(stored.realtype)->free(context, &stored);
	} else {
		status = refuse(parse, item, lexical);
	}
	ly_temp_log_options(NULL);
	return status;
}
