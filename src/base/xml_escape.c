/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Escaping in XML. Runs without a special character are appended as a whole; a table tells the characters
 * that end a run. In content CR is written as a reference, since a parser turns a plain one into LF; in
 * attribute values TAB and LF too, which it would turn into blanks. ">" is always escaped, so "]]>" needs no
 * thought.
 */
#include "base/xml_escape.h"

enum escape { PLAIN, AMPERSAND, LESS, GREATER, CARRIAGE_RETURN, QUOTE, TABULATOR, LINE_FEED };

/* Those from QUOTE on are special in attribute values only. */
static const unsigned char ESCAPES[256] = {
	['&'] = AMPERSAND, ['<'] = LESS,       ['>'] = GREATER,	   ['\r'] = CARRIAGE_RETURN,
	['"'] = QUOTE,	   ['\t'] = TABULATOR, ['\n'] = LINE_FEED,
};

static const struct bytes REFERENCES[] = {
	[PLAIN] = {"", 0},	   [AMPERSAND] = {"&amp;", 5},	     [LESS] = {"&lt;", 4},
	[GREATER] = {"&gt;", 4},   [CARRIAGE_RETURN] = {"&#13;", 5}, [QUOTE] = {"&quot;", 6},
	[TABULATOR] = {"&#9;", 4}, [LINE_FEED] = {"&#10;", 5},
};

enum status xml_escape(struct buffer *out, struct bytes text, bool attribute)
{
	unsigned char last = attribute ? LINE_FEED : CARRIAGE_RETURN;
	size_t start = 0;
	for (size_t at = 0; at < text.size; at++) {
		unsigned char escape = ESCAPES[(unsigned char)text.data[at]];
		if (escape == PLAIN || escape > last)
			continue;
		enum status status = buffer_append(out, (struct bytes){text.data + start, at - start});
		if (status == ST_OK)
			status = buffer_append(out, REFERENCES[escape]);
		if (status != ST_OK)
			return status;
		start = at + 1;
	}
	return buffer_append(out, (struct bytes){text.data + start, text.size - start});
}

char *xml_escape_content(char *to, struct bytes text)
{
	for (size_t at = 0; at < text.size; at++) {
		unsigned char escape = ESCAPES[(unsigned char)text.data[at]];
		if (escape == PLAIN || escape > CARRIAGE_RETURN) {
			*to++ = text.data[at];
			continue;
		}
		memcpy(to, REFERENCES[escape].data, REFERENCES[escape].size);
		to += REFERENCES[escape].size;
	}
	return to;
}
