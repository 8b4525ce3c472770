/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An edit as a client would send it: values with the names of modules as prefixes, each declared on the
 * element.
 */
#include "soak_edits.h"

#include <string.h>

#include "base/buffer.h"
#include "codec/xml_encoder.h"
#include "schema/type.h"

static bool may_be_instance(const struct schema_type *type)
{
	bool is_instance = schema_type_base(type) == BASE_INSTANCE_IDENTIFIER;
	for (size_t i = 0; i < schema_type_member_count(type); i++)
		is_instance |= may_be_instance(schema_type_real(schema_type_member(type, i)));
	return is_instance;
}

/* In XML each name of an instance-identifier has a prefix (RFC 7950 9.13.2); in the canonical form a module's
 * name stands where it changes only. */
static const char *with_all_prefixes(const char *value, struct arena *arena)
{
	const char *out = "", *module = "";
	char quote = '\0';
	for (const char *at = value; *at; at++) {
		out = arena_printf(arena, "%s%c", out, *at);
		if (quote || *at == '\'' || *at == '"') {
			quote = !quote ? *at : *at == quote ? '\0' : quote;
			continue;
		}
		bool begins = (*at == '/' || *at == '[') && at[1] != '.' && !(at[1] >= '0' && at[1] <= '9');
		size_t size = strcspn(at + 1, "/[=:");
		if (begins && at[1 + size] == ':')
			module = arena_strdup(arena, (struct bytes){at + 1, size});
		else if (begins)
			out = arena_printf(arena, "%s%s:", out, module);
	}
	return out;
}

static const char *lexical(const struct schema_node *node, const char *value, struct arena *arena)
{
	bool is_path = value && node->type && value[0] == '/' && strchr(value, ':') &&
		       may_be_instance(schema_type_real(node->type));
	return is_path ? with_all_prefixes(value, arena) : value;
}

static const char *anchor_text(const struct soak *soak, const struct model_element *element)
{
	const struct schema_node *node = element->node;
	if (node->kind == SCHEMA_LEAF_LIST)
		return lexical(node, element->anchor[0], soak->round);
	const char *text = "";
	for (uint16_t i = 0; i < node->key_count; i++) {
		const struct schema_node *key = node->children[i];
		const char *value = lexical(key, element->anchor[i], soak->round);
		char quote = strchr(value, '\'') ? '"' : '\'';
		text = arena_printf(soak->round, "%s[%s:%s=%c%s%c]", text, key->module->name, key->name,
				    quote, value, quote);
	}
	return text;
}

static void put_attributes(const struct soak *soak, struct buffer *out, const struct model_element *element,
			   const char *value)
{
	static const char *const operations[] = {"",	   "merge",  "replace", "create",
						 "delete", "remove", "none"};
	static const char *const inserts[] = {"", "first", "last", "before", "after"};
	const char *anchor = element->anchor ? anchor_text(soak, element) : NULL;
	if (element->operation != MODEL_INHERIT)
		(void)!buffer_printf(out, " nc:operation=\"%s\"", operations[element->operation]);
	if (element->insert != MODEL_ANYWHERE)
		(void)!buffer_printf(out, " yang:insert=\"%s\"", inserts[element->insert]);
	soak_put_prefixes(soak, out, arena_printf(soak->round, "%s %s", value, anchor ? anchor : ""));
	if (!anchor)
		return;
	(void)!buffer_printf(out, " yang:%s=\"", element->node->kind == SCHEMA_LIST ? "key" : "value");
	(void)!xml_escape(out, bytes_of(anchor), true);
	(void)!buffer_printf(out, "\"");
}

static void put_element(const struct soak *soak, struct buffer *out, const struct model_element *element,
			const struct schema_node *parent)
{
	const struct schema_node *node = element->node;
	bool is_any = node->kind == SCHEMA_ANYDATA || node->kind == SCHEMA_ANYXML;
	const char *value = element->value && !is_any ? lexical(node, element->value, soak->round) : "";
	(void)!buffer_printf(out, "<%s", node->name);
	if (parent->module != node->module)
		(void)!buffer_printf(out, " xmlns=\"%s\"", node->module->ns);
	put_attributes(soak, out, element, value);
	(void)!buffer_printf(out, ">");
	if (is_any && element->value)
		(void)!buffer_printf(out, "%s", element->value);
	(void)!xml_escape(out, bytes_of(value), false);
	for (const struct model_element *child = element->children; child; child = child->next)
		put_element(soak, out, child, node);
	(void)!buffer_printf(out, "</%s>", node->name);
}

const char *episode_xml(const struct soak *soak, const struct model_element *edit)
{
	struct buffer out;
	buffer_init(&out, SIZE_MAX);
	(void)!buffer_printf(&out, "<config xmlns:nc=\"urn:ietf:params:xml:ns:netconf:base:1.0\" "
				   "xmlns:yang=\"urn:ietf:params:xml:ns:yang:1\">");
	for (const struct model_element *child = edit->children; child; child = child->next)
		put_element(soak, &out, child, edit->node);
	(void)!buffer_printf(&out, "</config>");
	const char *copy = arena_strdup(soak->round, buffer_get(&out));
	buffer_fini(&out);
	return copy;
}
