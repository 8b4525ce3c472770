/* SPDX-License-Identifier: BSD-3-Clause */
/* Comparing XML; see helper_xml_match.h. */
#include "helper_xml_match.h"

#include <stdio.h>
#include <string.h>

#include "codec/element.h"

#define XML_NS "http://www.w3.org/XML/1998/namespace"
#define BASE_NS "urn:ietf:params:xml:ns:netconf:base:1.0"

static struct element *parse(struct arena *arena, struct bytes text, const char *which)
{
	static const struct xml_reader_limits limits = {
		.depth = 300, .text_size = 1 << 26, .attributes = 300};
	struct element_builder builder;
	element_builder_init(&builder, arena, (size_t)1 << 30);
	struct xml_reader *reader = xml_reader_new(&element_builder_handlers, &builder, &limits);
	enum status status = xml_reader_feed(reader, text);
	if (status == ST_OK)
		status = xml_reader_finish(reader);
	if (status != ST_OK)
		printf("what is %s is not well-formed: %s\n", which, xml_reader_error(reader));
	xml_reader_free(reader);
	return status == ST_OK ? builder.root : NULL;
}

static bool is_star(struct bytes text)
{
	return bytes_equal(text, bytes_of("*"));
}

static bool is_language(const struct xml_attribute *attribute)
{
	return bytes_equal(attribute->ns, bytes_of(XML_NS)) && bytes_equal(attribute->name, bytes_of("lang"));
}

static const struct xml_attribute *find_attribute(const struct element *element,
						  const struct xml_attribute *like)
{
	for (size_t i = 0; i < element->attribute_count; i++)
		if (bytes_equal(element->attributes[i].ns, like->ns) &&
		    bytes_equal(element->attributes[i].name, like->name))
			return &element->attributes[i];
	return NULL;
}

/* Every attribute of `a` is in `b`, with the same value; xml:lang does not count. */
static bool attributes_in(const struct element *a, const struct element *b)
{
	for (size_t i = 0; i < a->attribute_count; i++) {
		const struct xml_attribute *x = &a->attributes[i], *y = find_attribute(b, x);
		if (is_language(x))
			continue;
		if (y == NULL ||
		    (!is_star(x->value) && !is_star(y->value) && !bytes_equal(x->value, y->value)))
			return false;
	}
	return true;
}

static bool is_declared_on(const struct element *element, struct bytes prefix)
{
	for (size_t i = 0; i < element->namespace_count; i++)
		if (bytes_equal(element->namespaces[i].prefix, prefix))
			return true;
	printf("the prefix %.*s of an error-path is not declared on it\n", (int)prefix.size, prefix.data);
	return false;
}

/* Behaviour case 126: whatever the prefixes are, each of an <error-path> is declared on the element. */
static bool prefixes_declared(const struct element *path)
{
	size_t start = 0; /* of the name at `i` */
	char quote = '\0';
	for (size_t i = 0; i < path->text.size; i++) {
		char byte = path->text.data[i];
		if (quote != '\0') {
			quote = byte == quote ? '\0' : quote;
			start = i + 1;
		} else if (byte == ':') {
			if (!is_declared_on(path, (struct bytes){path->text.data + start, i - start}))
				return false;
			start = i + 1;
		} else if (strchr("/[]=. \"'", byte) != NULL) {
			quote = byte == '\'' || byte == '"' ? byte : '\0';
			start = i + 1;
		}
	}
	return true;
}

static bool is_error_path(const struct element *element)
{
	return bytes_equal(element->ns, bytes_of(BASE_NS)) &&
	       bytes_equal(element->name, bytes_of("error-path"));
}

/* That of all error-paths of a message. */
static bool error_paths_declared(const struct element *element)
{
	if (is_error_path(element) && !prefixes_declared(element))
		return false;
	for (const struct element *child = element->children; child != NULL; child = child->next)
		if (!error_paths_declared(child))
			return false;
	return true;
}

static bool elements_match(const struct element *actual, const struct element *expected);

static bool children_match(const struct element *actual, const struct element *expected, bool gaps)
{
	const struct element *a = actual->children;
	for (const struct element *e = expected->children; e != NULL; e = e->next) {
		while (gaps && a != NULL && !elements_match(a, e))
			a = a->next;
		if (a == NULL || !elements_match(a, e))
			return false;
		a = a->next;
	}
	return gaps || a == NULL;
}

static bool elements_match(const struct element *actual, const struct element *expected)
{
	if (!bytes_equal(actual->ns, expected->ns) || !bytes_equal(actual->name, expected->name) ||
	    !attributes_in(actual, expected) || !attributes_in(expected, actual))
		return false;
	bool star = is_star(element_text_trimmed(expected));
	if (star && expected->children == NULL)
		return true;
	if (!star && !bytes_equal(element_text_trimmed(actual), element_text_trimmed(expected)))
		return false;
	return children_match(actual, expected, star);
}

bool xml_matches(struct bytes actual, struct bytes expected)
{
	struct arena *arena = arena_new();
	const struct element *a = parse(arena, actual, "there"), *e = parse(arena, expected, "expected");
	bool match = a != NULL && e != NULL && elements_match(a, e) && error_paths_declared(a);
	arena_free(arena);
	return match;
}
