/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Instance-identifiers (RFC 7950 9.13, ABNF in section 14): read step by step along the schema, each key's
 * value by the key's own type, so that a value that itself holds prefixes is translated too.
 *
 *     /p:a/p:b[p:k='v'][p:l="w"]/p:c     a list's keys, in any order
 *     /p:a/p:d[.='v']                    a leaf-list's value
 *     /p:a/p:e[3]                        a position, in state data only
 *
 * Blanks may stand between all tokens, as libyang has it; the ABNF has them in predicates only.
 *
 * The canonical text is that of JSON (RFC 7951 6.11): module names, only where they differ from the step
 * before; keys in schema order without prefix; single quotes unless the value has one. So two texts name the
 * same node exactly if they are equal. Existence of the node is not judged here.
 */
#include "base/buffer.h"
#include "schema/type_parse.h"

#define CANONICAL_SIZE_MAX (1u << 20) /* bytes */
#define POSITION_DIGITS_MAX 19	      /* of a number that fits in 64 bits */

struct path_parse {
	struct type_parse *parse;
	struct bytes lexical; /* the whole, for messages */
	struct bytes rest;
	const struct schema_module *module; /* of the step before; NULL at the start */
	struct buffer canonical;
	bool for_xml; /* a prefix on each name */
};

static enum status refuse_path(struct path_parse *path, const char *why)
{
	return type_refuse(path->parse, NULL, NULL, "Invalid instance-identifier value \"%.*s\": %s.",
			   EXCERPT(path->lexical), why);
}

static void skip(struct path_parse *path, size_t size)
{
	path->rest = (struct bytes){path->rest.data + size, path->rest.size - size};
}

static void skip_blanks(struct path_parse *path)
{
	while (path->rest.size > 0 && memchr(" \t\r\n", path->rest.data[0], 4) != NULL)
		skip(path, 1);
}

static bool next_is(struct path_parse *path, char c)
{
	if (path->rest.size == 0 || path->rest.data[0] != c)
		return false;
	skip(path, 1);
	return true;
}

static bool is_name_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
	       c == '-' || c == '.';
}

static struct bytes read_name(struct path_parse *path)
{
	size_t size = 0;
	while (size < path->rest.size && is_name_byte(path->rest.data[size]))
		size++;
	struct bytes name = {path->rest.data, size};
	skip(path, size);
	return name;
}

/* "prefix:name"; without prefix the module of the step before, where that is allowed. */
static enum status read_node_name(struct path_parse *path, const struct schema_module **module,
				  struct bytes *name)
{
	*name = read_name(path);
	if (name->size > 0 && next_is(path, ':')) {
		*module = type_prefix_module(path->parse, *name);
		if (*module == NULL)
			return refuse_path(path, "unknown prefix");
		*name = read_name(path);
	} else {
		bool inherit = path->parse->prefixes != NULL && path->parse->prefixes->inherit;
		*module = inherit ? path->module : NULL;
		if (*module == NULL)
			return refuse_path(path, "a name without prefix");
	}
	return name->size == 0 ? refuse_path(path, "a name is missing") : ST_OK;
}

/* blanks "=" blanks quoted blanks "]" */
static enum status read_quoted(struct path_parse *path, struct bytes *content)
{
	skip_blanks(path);
	if (!next_is(path, '='))
		return refuse_path(path, "\"=\" is missing in a predicate");
	skip_blanks(path);
	char quote = path->rest.size > 0 ? path->rest.data[0] : '\0';
	if (quote != '\'' && quote != '"')
		return refuse_path(path, "a predicate's value is not quoted");
	skip(path, 1);
	const char *end = path->rest.size == 0 ? NULL : memchr(path->rest.data, quote, path->rest.size);
	if (end == NULL)
		return refuse_path(path, "a quote is not closed");
	*content = (struct bytes){path->rest.data, (size_t)(end - path->rest.data)};
	skip(path, content->size + 1);
	skip_blanks(path);
	return next_is(path, ']') ? ST_OK : refuse_path(path, "\"]\" is missing");
}

static enum status append(struct path_parse *path, struct bytes text)
{
	return buffer_append(&path->canonical, text) == ST_OK ? ST_OK : refuse_path(path, "it is too long");
}

static enum status append_text(struct path_parse *path, const char *text)
{
	return append(path, bytes_of(text));
}

static enum status append_prefix(struct path_parse *path, const struct schema_module *module)
{
	enum status status = append_text(path, module->name);
	return status == ST_OK ? append_text(path, ":") : status;
}

static enum status read_path(struct path_parse *path);

/* A key's value; where it is an instance-identifier, in the form for XML as well. */
static enum status append_content(struct path_parse *path, const struct value *value)
{
	struct bytes text = value_bytes(value);
	const struct text *shared = value_shared_text(*value);
	if (!path->for_xml || shared == NULL || (shared->flags & TEXT_QNAME) == 0 || text.data[0] != '/')
		return append(path, text);
	struct path_parse inner = {.parse = path->parse, .lexical = text, .rest = text, .for_xml = true};
	buffer_init(&inner.canonical, CANONICAL_SIZE_MAX);
	/* An XPath value is none, and stays as it is. */
	enum status status = append(path, read_path(&inner) == ST_OK ? buffer_get(&inner.canonical) : text);
	buffer_fini(&inner.canonical);
	return status;
}

/* "[name='value']"; key NULL: "[.='value']" */
static enum status append_predicate(struct path_parse *path, const struct schema_node *key,
				    struct value value)
{
	struct bytes text = value_bytes(&value);
	const char *quote = text.size > 0 && memchr(text.data, '\'', text.size) != NULL ? "\"" : "'";
	enum status status = append_text(path, "[");
	if (status == ST_OK && key != NULL && path->for_xml)
		status = append_prefix(path, key->module);
	if (status == ST_OK)
		status = append_text(path, key != NULL ? key->name : ".");
	if (status == ST_OK)
		status = append_text(path, "=");
	if (status == ST_OK)
		status = append_text(path, quote);
	if (status == ST_OK)
		status = append_content(path, &value);
	if (status == ST_OK)
		status = append_text(path, quote);
	return status == ST_OK ? append_text(path, "]") : status;
}

/* One "[key='value']" of a list's entry into values[slot of the key]. */
static enum status read_key(struct path_parse *path, const struct schema_node *list, struct value *values)
{
	skip_blanks(path);
	const struct schema_module *module;
	struct bytes name, content;
	enum status status = read_node_name(path, &module, &name);
	if (status != ST_OK)
		return status;
	const struct schema_node *key = schema_child_find(&path->parse->schema->public, list, module, name);
	if (key == NULL || !key->is_key)
		return refuse_path(path, "a predicate is not for a key");
	status = read_quoted(path, &content);
	if (status != ST_OK)
		return status;
	if (!value_is_none(values[key->slot]))
		return refuse_path(path, "a key occurs twice");
	return type_parse_any(path->parse, key->type, content, &values[key->slot]);
}

static enum status read_keys(struct path_parse *path, const struct schema_node *list)
{
	struct value *values = arena_zalloc(path->parse->arena, list->key_count * sizeof(*values));
	enum status status = read_key(path, list, values);
	skip_blanks(path);
	while (status == ST_OK && next_is(path, '[')) {
		status = read_key(path, list, values);
		skip_blanks(path);
	}
	for (size_t i = 0; i < list->key_count; i++) {
		if (status == ST_OK)
			status = value_is_none(values[i])
					 ? refuse_path(path, "a key is missing")
					 : append_predicate(path, list->children[i], values[i]);
		value_unref(values[i]);
	}
	return status;
}

static enum status read_leaf_list_value(struct path_parse *path, const struct schema_node *leaf_list)
{
	struct bytes content;
	struct value value;
	skip_blanks(path);
	if (!next_is(path, '.'))
		return refuse_path(path, "a leaf-list's predicate must be for its value");
	enum status status = read_quoted(path, &content);
	if (status == ST_OK)
		status = type_parse_any(path->parse, leaf_list->type, content, &value);
	if (status != ST_OK)
		return status;
	status = append_predicate(path, NULL, value);
	value_unref(value);
	return status;
}

static bool next_is_digit(const struct path_parse *path)
{
	return path->rest.size > 0 && path->rest.data[0] >= '0' && path->rest.data[0] <= '9';
}

static enum status read_position(struct path_parse *path, const struct schema_node *node)
{
	if (node->config)
		return refuse_path(path, "a position is for state data only");
	size_t size = 0;
	while (size < path->rest.size && path->rest.data[size] >= '0' && path->rest.data[size] <= '9')
		size++;
	struct bytes digits = {path->rest.data, size};
	while (digits.size > 0 && digits.data[0] == '0')
		digits = (struct bytes){digits.data + 1, digits.size - 1};
	if (digits.size == 0 || digits.size > POSITION_DIGITS_MAX)
		return refuse_path(path, "a position is out of bounds");
	skip(path, size);
	skip_blanks(path);
	if (!next_is(path, ']'))
		return refuse_path(path, "\"]\" is missing");
	enum status status = append_text(path, "[");
	if (status == ST_OK)
		status = append(path, digits);
	return status == ST_OK ? append_text(path, "]") : status;
}

static enum status read_predicates(struct path_parse *path, const struct schema_node *node)
{
	bool many = node->kind == SCHEMA_LIST || node->kind == SCHEMA_LEAF_LIST;
	skip_blanks(path);
	if (!next_is(path, '['))
		return many ? refuse_path(path, "a list's entry without predicate") : ST_OK;
	if (!many)
		return refuse_path(path, "a predicate for what is no list");
	skip_blanks(path);
	if (next_is_digit(path))
		return read_position(path, node);
	if (node->kind == SCHEMA_LEAF_LIST)
		return read_leaf_list_value(path, node);
	return node->key_count > 0 ? read_keys(path, node) : refuse_path(path, "the list has no keys");
}

static enum status read_step(struct path_parse *path, const struct schema_node **node)
{
	const struct schema_module *module;
	struct bytes name;
	if (!next_is(path, '/'))
		return refuse_path(path, "\"/\" is expected");
	skip_blanks(path);
	enum status status = read_node_name(path, &module, &name);
	if (status != ST_OK)
		return status;
	const struct schema_node *child =
		schema_child_find(&path->parse->schema->public, *node, module, name);
	if (child == NULL)
		return refuse_path(path, "no such node in the schema");
	status = append_text(path, "/");
	if (status == ST_OK && (path->for_xml || module != path->module))
		status = append_prefix(path, module);
	if (status == ST_OK)
		status = append(path, name);
	path->module = module;
	*node = child;
	if (status == ST_OK)
		status = read_predicates(path, child);
	skip_blanks(path);
	return status;
}

static enum status read_path(struct path_parse *path)
{
	const struct schema_node *node = path->parse->schema->public.root;
	enum status status = read_step(path, &node);
	while (status == ST_OK && path->rest.size > 0)
		status = read_step(path, &node);
	return status;
}

enum status type_parse_instance(struct type_parse *parse, struct bytes lexical, struct value *value)
{
	struct path_parse path = {.parse = parse, .lexical = lexical, .rest = type_trim(lexical)};
	buffer_init(&path.canonical, CANONICAL_SIZE_MAX);
	enum status status = read_path(&path);
	if (status == ST_OK)
		*value = value_new(buffer_get(&path.canonical), TEXT_QNAME);
	buffer_fini(&path.canonical);
	return status;
}

/* Whether it is written as in canonical form; an XPath value may look like an instance and be written
 * otherwise. */
static bool is_canonical(struct type_parse *parse, struct bytes text)
{
	struct value value;
	if (type_parse_instance(parse, text, &value) != ST_OK)
		return false;
	bool is_same = bytes_equal(value_bytes(&value), text);
	value_unref(value);
	return is_same;
}

enum status schema_instance_for_xml(const struct schema *schema, struct bytes text, struct buffer *out)
{
	struct schema_prefixes_canonical prefixes = schema_prefixes_canonical(schema, NULL);
	struct arena *arena = arena_new();
	struct type_parse parse = {schema__private(schema), &prefixes.base, arena, NULL};
	struct path_parse path = {.parse = &parse, .lexical = text, .rest = text, .for_xml = true};
	buffer_init(&path.canonical, CANONICAL_SIZE_MAX);
	enum status status = is_canonical(&parse, text) ? read_path(&path) : ST_REJECTED;
	if (status == ST_OK)
		status = buffer_append(out, buffer_get(&path.canonical));
	buffer_fini(&path.canonical);
	arena_free(arena);
	return status;
}
