/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * A streaming JSON reader (RFC 8259, strict): bytes are pushed in as they come, events come out. Nothing of
 * the document is kept but the token that is being read. Refused: text that is not UTF-8, a byte order mark,
 * surrogates without their other half, and characters that XML does not have (2.2; U+0000 is
 * one), since data must have a form there too. Duplicate names are the caller's business.
 *
 *     struct json_reader *reader = json_reader_new(on_event, arg, &limits);
 *     while (more) status = json_reader_feed(reader, bytes);
 *     status = json_reader_finish(reader);
 *     json_reader_free(reader);
 *
 * One document a reader, one thread at a time.
 */
#include "base/bytes.h"
#include "base/status.h"

enum json_event {
	JSON_OBJECT_START,
	JSON_OBJECT_END,
	JSON_ARRAY_START,
	JSON_ARRAY_END,
	JSON_NAME,   /* of the member whose value follows; its text, escapes resolved */
	JSON_STRING, /* its text, escapes resolved */
	JSON_NUMBER, /* as written */
	JSON_TRUE,
	JSON_FALSE,
	JSON_NULL,
};

/* `text` is that of names, strings and numbers, valid during the event. A handler that returns not ST_OK
 * stops the reader: json_reader_feed returns that status. */
typedef enum status json_handler(void *arg, enum json_event event, struct bytes text);

struct json_reader_limits {
	unsigned depth;	  /* objects and arrays, e.g. 256 */
	size_t text_size; /* bytes of one string, name or number */
};

struct json_reader;

/* Borrows `arg`; copies `limits`. */
struct json_reader *json_reader_new(json_handler *handler, void *arg,
				    const struct json_reader_limits *limits);
void json_reader_free(struct json_reader *reader); /* NULL is allowed */
/* Fails: ST_REJECTED (json_reader_error tells), ST_LIMIT (likewise), or the handler's status. After a failure
 * the reader only takes json_reader_free. */
enum status json_reader_feed(struct json_reader *reader, struct bytes bytes) MUST_USE;
/* The document must be complete. Fails: as json_reader_feed. */
enum status json_reader_finish(struct json_reader *reader) MUST_USE;
/* "line 3: ..." after a failure of the reader itself; empty where the handler failed. */
const char *json_reader_error(const struct json_reader *reader);
/* Objects and arrays that are open. */
unsigned json_reader_depth(const struct json_reader *reader);
