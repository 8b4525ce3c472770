/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An edit as a client would send it: values with the names of modules as prefixes, each declared on the
 * element.
 */
#include "soak_edits.h"

#include <string.h>

#include "base/buffer.h"
#include "codec/xml_encoder.h"

static const char *lexical(const struct soak *soak, const struct schema_node *node, const char *value)
{
	return value && node->type ? soak_value_xml(node, value, soak->round) : value;
}

static const char *anchor_text(const struct soak *soak, const struct model_element *element)
{
	const struct schema_node *node = element->node;
	if (node->kind == SCHEMA_LEAF_LIST)
		return lexical(soak, node, element->anchor[0]);
	const char *text = "";
	for (uint16_t i = 0; i < node->key_count; i++) {
		const struct schema_node *key = node->children[i];
		const char *value = lexical(soak, key, element->anchor[i]);
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
	const char *value = element->value && !is_any ? lexical(soak, node, element->value) : "";
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
