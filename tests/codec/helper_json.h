/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* JSON for tests: decoded to edit trees, encoded from trees, put into one form, and what yanglint makes of
 * it.
 */
#include "base/buffer.h"
#include "codec/helper_decode.h"
#include "tree/record.h"

/* As helper_decode, from JSON; `error` stays empty. */
void helper_json_decode(struct decoding *decoding, const struct schema *schema, struct bytes document,
			const struct decode_options *options);
/* All of the tree, appended. */
void helper_json_encode(struct schema *schema, const struct tree_record *root, unsigned indent,
			struct buffer *out);
void helper_xml_encode(struct schema *schema, const struct tree_record *root, struct buffer *out);
/* The document without blanks and with the least escapes, so that equal documents are equal texts. Fails
 * where it is no JSON. */
enum status helper_json_normal(struct bytes document, struct buffer *out);
/* Whether yanglint can be run. */
bool helper_has_yanglint(void);
/* What "yanglint ARGUMENTS FILE" prints with a file of that content; nothing where it fails. */
void helper_yanglint(const char *arguments, struct bytes document, struct buffer *out);
/* A path of the shared inputs, in the arena. */
const char *helper_shared_file(const char *file, struct arena *arena);
