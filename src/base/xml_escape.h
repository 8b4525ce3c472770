/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Text as content or attribute value of XML. */
#include <stdbool.h>

#include "base/buffer.h"

#define XML_ESCAPED_MAX 6 /* bytes that one may become */

/* Appends text with the characters escaped that need it in content, or also those in attribute values; CR as
 * &#13; so that it survives. Fails: ST_LIMIT, part of it may be appended. */
enum status xml_escape(struct buffer *out, struct bytes text, bool attribute) MUST_USE;
/* Writes the text as content into memory of the caller, at most XML_ESCAPED_MAX * text.size bytes; returns
 * the end of what it wrote. */
char *xml_escape_content(char *to, struct bytes text);
