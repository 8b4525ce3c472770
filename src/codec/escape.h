/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Escaping into memory of the caller, for short values on the encoder's way; others use xml_escape. */
#include "base/bytes.h"

#define CODEC_ESCAPED_MAX 6 /* bytes that one may become */

/* Writes the text as content, at most CODEC_ESCAPED_MAX * text.size bytes; returns the end of what it wrote.
 */
char *codec__escape_content(char *to, struct bytes text);
