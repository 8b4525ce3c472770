/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finding the data in a JSON instance data file without reading it twice: the text is walked by its brackets
 * and strings alone, down to the one member that is wanted, and what that has is decoded like any other
 * document. The walk trusts nothing: what is not JSON gives the text as it is, or a part of it that the
 * decoder refuses.
 */
#include "server/instance_json.h"

static bool is_blank(char character)
{
	return character == ' ' || character == '\t' || character == '\r' || character == '\n';
}

static void skip_blanks(struct bytes *in)
{
	while (in->size > 0 && is_blank(in->data[0]))
		*in = (struct bytes){in->data + 1, in->size - 1};
}

static void skip(struct bytes *in, size_t size)
{
	size = size < in->size ? size : in->size;
	*in = (struct bytes){in->data + size, in->size - size};
}

/* A string off the front, quotes included; its text as written. */
static struct bytes take_string(struct bytes *in)
{
	size_t end = 1;
	while (end < in->size && in->data[end] != '"')
		end += in->data[end] == '\\' ? 2 : 1;
	size_t size = end < in->size ? end : in->size;
	struct bytes text = {in->data + 1, size > 0 ? size - 1 : 0};
	skip(in, end + 1);
	return text;
}

/* A value off the front. */
static struct bytes take_value(struct bytes *in)
{
	struct bytes start = *in;
	size_t depth = 0;
	do {
		char first = in->size > 0 ? in->data[0] : '\0';
		if (depth == 0 && (first == ',' || first == '}' || first == ']'))
			break;
		if (first == '"') {
			take_string(in);
			continue;
		}
		depth += first == '{' || first == '[';
		depth -= depth > 0 && (first == '}' || first == ']');
		skip(in, 1);
		if (depth == 0 && (first == '}' || first == ']'))
			break;
	} while (in->size > 0);
	return (struct bytes){start.data, start.size - in->size};
}

/* The value of the object's member of either name. */
static bool find_member(struct bytes object, const char *name, const char *other, struct bytes *value)
{
	skip_blanks(&object);
	if (object.size == 0 || object.data[0] != '{')
		return false;
	skip(&object, 1);
	for (;;) {
		skip_blanks(&object);
		if (object.size == 0 || object.data[0] != '"')
			return false;
		struct bytes found = take_string(&object);
		skip_blanks(&object);
		skip(&object, 1); /* : */
		skip_blanks(&object);
		*value = take_value(&object);
		if (bytes_equal(found, bytes_of(name)) || bytes_equal(found, bytes_of(other)))
			return true;
		skip_blanks(&object);
		skip(&object, 1); /* , */
	}
}

bool instance_json_is_json(struct bytes text)
{
	skip_blanks(&text);
	return text.size > 0 && text.data[0] == '{';
}

struct bytes instance_json_content(struct bytes text)
{
	static const char set[] = "ietf-yang-instance-data:instance-data-set";
	struct bytes value, content;
	if (!find_member(text, set, set, &value))
		return text;
	bool has = find_member(value, "content-data", "ietf-yang-instance-data:content-data", &content);
	return has ? content : bytes_of("{}");
}
