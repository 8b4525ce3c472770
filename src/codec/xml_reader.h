/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * A streaming, namespace-aware XML reader: bytes are pushed in as they come, events come out. Over libxml2's
 * SAX2 parsers. DOCTYPE and entity declarations are refused, as are processing instructions, other
 * encodings than UTF-8 (a BOM too), and depth beyond the limit. Nothing of the document is kept.
 *
 *     struct xml_reader *reader = xml_reader_new(&handlers, arg, &limits);
 *     while (more) status = xml_reader_feed(reader, bytes);
 *     status = xml_reader_finish(reader);
 *     xml_reader_reset(reader); // ready for the next document
 *
 * Small pieces are gathered, so events may come late, but at the latest from xml_reader_finish. Blanks before
 * the document are skipped (clients put line breaks between messages). One thread at a time.
 */
#include <stdbool.h>
#include "base/bytes.h"
#include "base/status.h"

/* Bytes of one start tag, comment or reference that are accepted at least. Longer ones fail with ST_LIMIT. */
#define XML_READER_TOKEN_MAX ((size_t)64 * 1024)

struct xml_reader;

/* Strings are valid during the event only, but for names and namespaces (below). */
struct xml_attribute {
	struct bytes prefix; /* as written; size 0: none */
	struct bytes ns;     /* size 0: none */
	struct bytes name;
	struct bytes value;
};

struct xml_namespace {
	struct bytes prefix; /* size 0: the default namespace */
	struct bytes uri;    /* size 0: undeclared (xmlns="") */
};

/* `prefix`, `ns` and `name` here and in attributes and namespaces are valid until the reader is reset or
 * freed, and within one document equal ones have equal pointers (NULL where there is none). */
struct xml_start {
	struct bytes prefix;
	struct bytes ns; /* size 0: in no namespace */
	struct bytes name;
	const struct xml_attribute *attributes;
	size_t attribute_count;
	const struct xml_namespace *namespaces; /* declared on this element */
	size_t namespace_count;
	unsigned depth; /* the document element: 1 */
};

/* A handler that returns not ST_OK stops the reader: xml_reader_feed returns that status. */
struct xml_handlers {
	enum status (*start)(void *arg, const struct xml_start *start);
	enum status (*end)(void *arg);
	enum status (*text)(void *arg, struct bytes text); /* may come in pieces; CDATA too */
};

struct xml_reader_limits {
	unsigned depth;	     /* elements, e.g. 256 */
	size_t text_size;    /* bytes of one run of text or one attribute value */
	unsigned attributes; /* of one element; also of namespace declarations of one element */
};

/* Borrows `handlers` and `arg`; copies `limits`. */
struct xml_reader *xml_reader_new(const struct xml_handlers *handlers, void *arg,
				  const struct xml_reader_limits *limits);
void xml_reader_free(struct xml_reader *reader); /* NULL is allowed */
/* Fails: ST_REJECTED (not well-formed or refused; xml_reader_error tells), ST_LIMIT, or a handler's status.
 * After a failure the reader only takes xml_reader_reset or xml_reader_free. */
enum status xml_reader_feed(struct xml_reader *reader, struct bytes bytes) MUST_USE;
/* The document must be complete. Fails: as xml_reader_feed. */
enum status xml_reader_finish(struct xml_reader *reader) MUST_USE;
/* Ready for another document; keeps its memory, except what hostile names made of it. */
void xml_reader_reset(struct xml_reader *reader);
/* "line 3: ..." after ST_REJECTED or ST_LIMIT of the reader itself; empty where a handler failed. Valid until
 * the reset. */
const char *xml_reader_error(const struct xml_reader *reader);
/* The URI that a prefix (size 0: default) means where the reader stands, also within end(); data NULL: not
 * declared. Valid until the reset. */
struct bytes xml_reader_resolve(const struct xml_reader *reader, struct bytes prefix);
/* The same for a prefix (size > 0) that is not the reader's string: false where it is not declared; else
 * *prefix becomes the reader's, so that both are valid until the reset. */
bool xml_reader_resolve_interned(const struct xml_reader *reader, struct bytes *prefix, struct bytes *uri);
