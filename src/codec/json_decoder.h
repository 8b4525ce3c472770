/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Decodes configuration in JSON (RFC 7951) into an edit tree while it arrives: the document is one object
 * whose members are top-level nodes. All operations are left unspecified. What edit_decoder.h checks of XML
 * is checked here, and besides the form that each type has in JSON. A member of the parent's module may have
 * its module's name too. Numbers may be written in any way that gives an integer. Annotations (RFC 7952)
 * that the schema has not are refused, each by name; those of a node may come before the node.
 *
 *     struct json_decoder *decoder = json_decoder_new(schema, &options, diags);
 *     while (more) status = json_decoder_feed(decoder, bytes);
 *     status = json_decoder_finish(decoder, &tree);
 *     json_decoder_free(decoder);
 *
 * In a union, a value's form chooses among the members (RFC 7951 6.10), so "17" is refused where only an int8
 * takes it. What is stored is text, as from XML: a string that an earlier numeric member would take is that
 * number from then on.
 */
#include "base/diag.h"
#include "edit/edit_tree.h"

struct json_decoder;

struct json_decoder_options {
	size_t memory_limit; /* bytes of the edit tree, values included */
	size_t text_limit;   /* bytes of one string, e.g. 64 MiB */
	unsigned depth;	     /* objects and arrays, e.g. 256 */
};

/* Borrows all arguments but the options. One document a decoder. */
struct json_decoder *json_decoder_new(const struct schema *schema, const struct json_decoder_options *options,
				      struct diag_list *diags);
/* With an unfinished tree. NULL is allowed. */
void json_decoder_free(struct json_decoder *decoder);
/* Fails: ST_REJECTED (not JSON; malformed-message was added to diags), ST_LIMIT (too-big likewise). After
 * that the decoder only takes json_decoder_free. What is wrong with the content shows in json_decoder_finish.
 */
enum status json_decoder_feed(struct json_decoder *decoder, struct bytes bytes) MUST_USE;
/* Gives the tree. Fails: as json_decoder_feed; ST_REJECTED where anything was added to diags. */
enum status json_decoder_finish(struct json_decoder *decoder, struct edit_tree **tree) MUST_USE;
