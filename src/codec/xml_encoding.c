/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The encoding of XML that is whole before it is read: what handler programs write. XML 1.0 4.3.3 and
 * appendix F: the first bytes tell the width of characters, a mark or "<?" in it; where they are those of
 * ASCII, the declaration tells the rest. libxml2's converters do the work; its parsers would, too, but want a
 * document with one root, which this is not.
 *
 *     bytes --first bytes--> 16 or 32 bits: convert, then the declaration must agree
 *                        \-> 8 bits: the declaration; convert what is not UTF-8
 *
 * What comes over the wire is UTF-8 by RFC 6241 3 and does not come here.
 */
#include "codec/xml_encoding.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <libxml/encoding.h>

#define NAME_SIZE_MAX 40
#define UTF8_MARK "\xef\xbb\xbf"

size_t xml_declaration_size(struct bytes text)
{
	bool begins = text.size > 5 && memcmp(text.data, "<?xml", 5) == 0 &&
		      memchr(" \t\r\n", text.data[5], 4) != NULL;
	const char *end = begins ? memmem(text.data, text.size, "?>", 2) : NULL;
	return end == NULL ? 0 : (size_t)(end + 2 - text.data);
}

static struct bytes after(struct bytes text, size_t size)
{
	return (struct bytes){text.data + size, text.size - size};
}

static bool skip_blanks(struct bytes *text)
{
	size_t size = 0;
	while (size < text->size && memchr(" \t\r\n", text->data[size], 4) != NULL)
		size++;
	*text = after(*text, size);
	return size > 0;
}

static bool skip_char(struct bytes *text, char c)
{
	if (text->size == 0 || text->data[0] != c)
		return false;
	*text = after(*text, 1);
	return true;
}

/* ` name="value"`; left as it is where it is another name. False: broken. */
static bool read_field(struct bytes *text, const char *name, struct bytes *value)
{
	struct bytes rest = *text;
	size_t size = strlen(name);
	*value = (struct bytes){0};
	if (!skip_blanks(&rest) || rest.size < size || memcmp(rest.data, name, size) != 0)
		return true;
	rest = after(rest, size);
	skip_blanks(&rest);
	if (!skip_char(&rest, '='))
		return false;
	skip_blanks(&rest);
	char quote = rest.size > 0 ? rest.data[0] : '\0';
	const char *end = quote == '"' || quote == '\'' ? memchr(rest.data + 1, quote, rest.size - 1) : NULL;
	if (end == NULL)
		return false;
	*value = (struct bytes){rest.data + 1, (size_t)(end - rest.data) - 1};
	*text = after(rest, value->size + 2);
	return true;
}

/* XML 1.0 2.8: version, then encoding and standalone, which may be missing. */
static enum status read_declaration(struct bytes text, struct xml_utf8 *as, struct bytes *encoding)
{
	struct bytes rest = {text.data + 5, text.size - 7}, version, alone;
	bool good = read_field(&rest, "version", &version) && version.size > 0 &&
		    read_field(&rest, "encoding", encoding) && read_field(&rest, "standalone", &alone);
	skip_blanks(&rest);
	if (good && rest.size == 0 && encoding->size < NAME_SIZE_MAX)
		return ST_OK;
	snprintf(as->why, sizeof(as->why), "the XML declaration is not valid");
	return ST_REJECTED;
}

/* libxml2 would write to standard error. */
static void ignore_error(void *arg, xmlErrorPtr error)
{
	(void)arg;
	(void)error;
}

/* A call makes room for two bytes each, and a character may take three: so it is called as long as it makes
 * something. It stops before an incomplete character. */
static bool convert_all(xmlCharEncodingHandler *handler, xmlBufferPtr in, xmlBufferPtr out)
{
	int size = 1;
	xmlSetStructuredErrorFunc(NULL, ignore_error); /* of this thread */
	while (size > 0 && xmlBufferLength(in) > 0)
		size = xmlCharEncInFunc(handler, out, in);
	xmlSetStructuredErrorFunc(NULL, NULL);
	return size >= 0 && xmlBufferLength(in) == 0;
}

static enum status convert(struct bytes text, xmlCharEncodingHandler *handler, const char *name,
			   struct buffer *space, struct xml_utf8 *as)
{
	if (text.size == 0) /* libxml2 makes no buffer of that */
		return ST_OK;
	xmlBufferPtr in = xmlBufferCreateStatic((void *)text.data, text.size), out = xmlBufferCreate();
	enum status status = convert_all(handler, in, out) ? ST_OK : ST_REJECTED;
	if (status != ST_OK)
		snprintf(as->why, sizeof(as->why), "the text is not in its encoding, %s", name);
	else
		status = buffer_append(space, (struct bytes){(const char *)xmlBufferContent(out),
							     (size_t)xmlBufferLength(out)});
	xmlBufferFree(in);
	xmlBufferFree(out);
	return status;
}

static enum status convert_as(struct bytes text, const char *name, struct buffer *space, struct xml_utf8 *as)
{
	xmlCharEncodingHandler *handler = xmlFindCharEncodingHandler(name);
	if (handler == NULL) {
		snprintf(as->why, sizeof(as->why), "the encoding '%s' is not known", name);
		return ST_REJECTED;
	}
	enum status status = convert(text, handler, name, space, as);
	xmlCharEncCloseFunc(handler);
	return status;
}

/* What the first bytes say; NULL: characters begin as those of ASCII. */
static const char *wide_encoding(struct bytes text)
{
	switch (xmlDetectCharEncoding((const unsigned char *)text.data, text.size < 4 ? (int)text.size : 4)) {
	case XML_CHAR_ENCODING_UTF16LE:
		return "UTF-16LE";
	case XML_CHAR_ENCODING_UTF16BE:
		return "UTF-16BE";
	case XML_CHAR_ENCODING_UCS4LE:
		return "UTF-32LE";
	case XML_CHAR_ENCODING_UCS4BE:
		return "UTF-32BE";
	default: /* many more, which are not of that kind */
		return NULL;
	}
}

static enum status refuse_mismatch(struct xml_utf8 *as, const char *declared, const char *found)
{
	snprintf(as->why, sizeof(as->why), "the declared encoding is '%s', but the text is %s", declared,
		 found);
	return ST_REJECTED;
}

static bool is_wide_name(const char *name)
{
	return strncasecmp(name, "UTF-16", 6) == 0 || strncasecmp(name, "UTF-32", 6) == 0 ||
	       strncasecmp(name, "ISO-10646-UCS-", 14) == 0;
}

enum status xml_as_utf8(struct bytes text, struct buffer *space, struct xml_utf8 *as)
{
	const char *wide = wide_encoding(text);
	*as = (struct xml_utf8){0};
	if (wide != NULL) {
		enum status status = convert_as(text, wide, space, as);
		if (status != ST_OK)
			return status;
		text = buffer_get(space);
	}
	bool marked = text.size >= 3 && memcmp(text.data, UTF8_MARK, 3) == 0;
	as->text = marked ? after(text, 3) : text;
	size_t size = xml_declaration_size(as->text);
	if (size == 0)
		return ST_OK;
	struct bytes encoding;
	enum status status = read_declaration((struct bytes){as->text.data, size}, as, &encoding);
	if (status != ST_OK)
		return status;
	as->text = after(as->text, size);
	char name[NAME_SIZE_MAX] = "UTF-8";
	if (encoding.size > 0)
		snprintf(name, sizeof(name), "%.*s", (int)encoding.size, encoding.data);
	if (wide != NULL && encoding.size > 0 && !is_wide_name(name))
		return refuse_mismatch(as, name, wide);
	if (wide == NULL && is_wide_name(name))
		return refuse_mismatch(as, name, "in 8 bits");
	if (wide != NULL || strcasecmp(name, "UTF-8") == 0)
		return ST_OK;
	if (marked)
		return refuse_mismatch(as, name, "UTF-8");
	status = convert_as(as->text, name, space, as);
	as->text = buffer_get(space);
	return status;
}
