/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Encodes a tree as JSON (RFC 7951), in steps, as xml_encoder.h does as XML: each call appends to a buffer
 * until that holds about `size` bytes or the work budget is used up. The bytes are the same however the calls
 * are cut, and no call ends within a UTF-8 character.
 *
 *     struct json_encoder *encoder = json_encoder_new(schema, root, NULL, reclaimer, 0);
 *     buffer_init(&out, 65536 + JSON_ENCODER_ROOM);
 *     do {
 *             status = json_encoder_run(encoder, &out, 65536, 10000, &done);
 *             ... send and consume out ...
 *     } while (status == ST_OK && !done);
 *     json_encoder_free(encoder);
 *
 * Form: one object; module names on members at top level and where the parent is of another module, and on
 * all identities; of escapes only those that JSON wants. Implicit nodes are not written. Annotations as in
 * RFC 7952 5.2: "@" first in its object, "@name" behind what it is of. anydata and anyxml as json_any.h says.
 */
#include "base/buffer.h"
#include "codec/select.h"

/* Bytes that a run may append beyond its `size`. */
#define JSON_ENCODER_ROOM ((size_t)256 * 1024)
#define JSON_INDENT_MAX 16 /* blanks a level */

struct json_encoder;

/* Refs the root and the schema. Borrows the selector (NULL: all) and the reclaimer. `indent`: blanks a level,
 * each member and array item on a line of its own and a line break at the end, but the content of anydata
 * on one line; 0: no blanks at all. Needs indent <= JSON_INDENT_MAX. */
struct json_encoder *json_encoder_new(struct schema *schema, const struct tree_record *root,
				      const struct codec_selector *selector, struct tree_reclaimer *reclaimer,
				      unsigned indent);
void json_encoder_free(struct json_encoder *encoder); /* NULL is allowed */
/* Of the anydata and anyxml written so far, those whose content JSON has no form for (json_any.h): what is
 * read back is refused, or other data. */
size_t json_encoder_formless(const struct json_encoder *encoder);
/* Appends until buffer_size(out) >= size or `budget` nodes were visited; *done when all is written. Never
 * appends more than JSON_ENCODER_ROOM beyond `size`. Fails: ST_LIMIT where the buffer's limit is below size +
 * JSON_ENCODER_ROOM and was reached; then the encoder only takes json_encoder_free. */
enum status json_encoder_run(struct json_encoder *encoder, struct buffer *out, size_t size, size_t budget,
			     bool *done) MUST_USE;
