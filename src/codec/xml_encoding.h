/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * XML that is whole, in whatever encoding it declares, as UTF-8 text that can stand within a document.
 *
 *     struct buffer space;
 *     struct xml_utf8 as;
 *     buffer_init(&space, SIZE_MAX);
 *     if (xml_as_utf8(text, &space, &as) == ST_OK) xml_reader_feed(reader, as.text);
 *     else log_error("%s", as.why);
 */
#include "base/buffer.h"

/* Bytes of an XML declaration (XML 1.0 2.8) at the beginning; 0: there is none. */
size_t xml_declaration_size(struct bytes text);

struct xml_utf8 {
	struct bytes text; /* without byte order mark and declaration; in what was given, or in the space */
	char why[128];	   /* where it failed: what is wrong */
};

/* The encoding is that of a byte order mark, of the declaration, or else UTF-8 (XML 1.0 4.3.3, appendix F);
 * of those that libxml2 knows. Whether the text is valid UTF-8 where nothing is converted is the reader's to
 * say. Fails: ST_REJECTED, an encoding that is not known or not the one that is declared, text that is not
 * in it, a declaration that is none. Cost: nothing but for other encodings. */
enum status xml_as_utf8(struct bytes text, struct buffer *space, struct xml_utf8 *as) MUST_USE;
