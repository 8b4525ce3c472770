/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Encodes a tree as XML, in steps: each call appends to a buffer until that holds about `size` bytes or the
 * work budget is used up, so that a reply of any size is produced as the client takes it, from a pinned root,
 * in bounded memory. The bytes are the same however the calls are cut, and no call ends within a UTF-8
 * character.
 *
 *     struct xml_encoder *encoder = xml_encoder_new(schema, root, NULL, reclaimer);
 *     buffer_init(&out, 65536 + XML_ENCODER_ROOM);
 *     do {
 *             status = xml_encoder_run(encoder, &out, 65536, 10000, &done);
 *             ... send and consume out ...
 *     } while (status == ST_OK && !done);
 *     xml_encoder_free(encoder);
 *
 * Form: no blanks between elements; nodes without content as empty tags; xmlns declared on each element whose
 * module is not its parent's, top-level elements always; module names as prefixes in values (TEXT_QNAME),
 * declared on the leaf. Annotations are attributes with their module's name as prefix. Implicit nodes are
 * written where a view says so; without one they are not (RFC 6243 explicit mode).
 *
 * A selector decides which nodes are written (filters); NULL writes everything.
 */
#include "base/buffer.h"
#include "base/xml_escape.h"
#include "codec/select.h"
#include "codec/view.h"

/* Bytes that a run may append beyond its `size`: a piece of a long value, or a whole start tag. */
#define XML_ENCODER_ROOM ((size_t)256 * 1024)

struct xml_encoder;

/* Refs the root and the schema. Borrows the selector and the reclaimer. */
struct xml_encoder *xml_encoder_new(struct schema *schema, const struct tree_record *root,
				    const struct codec_selector *selector, struct tree_reclaimer *reclaimer);
/* The same for the output of an operation: `top` is the root's schema node. */
struct xml_encoder *xml_encoder_new_at(struct schema *schema, const struct schema_node *top,
				       const struct tree_record *root, struct tree_reclaimer *reclaimer);
/* Of one instance alone, which declares its namespace and says its origin whatever is around it. Borrows all
 * that the part names. */
struct xml_encoder *xml_encoder_new_part(struct schema *schema, const struct codec_part *part,
					 struct tree_reclaimer *reclaimer);
/* Before the first run. Borrows the view. */
void xml_encoder_set_view(struct xml_encoder *encoder, const struct codec_view *view);
void xml_encoder_free(struct xml_encoder *encoder); /* NULL is allowed */
/* Appends until buffer_size(out) >= size or `budget` nodes were visited; *done when all is written. Never
 * appends more than XML_ENCODER_ROOM beyond `size`. Fails: ST_LIMIT where the buffer's limit is below size +
 * XML_ENCODER_ROOM and was reached; then the encoder only takes xml_encoder_free. */
enum status xml_encoder_run(struct xml_encoder *encoder, struct buffer *out, size_t size, size_t budget,
			    bool *done) MUST_USE;
