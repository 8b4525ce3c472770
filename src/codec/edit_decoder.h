/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Decodes the content of <config> into an edit tree while it arrives: forward the reader's events between the
 * start and end tags of <config> to it. It resolves names against the schema, parses values, reads
 * nc:operation and yang:insert/key/value, and checks what can be seen locally: unknown elements and
 * namespaces, config false nodes, missing or doubled keys, a leaf or container given twice, text where none
 * may be, unknown or bad attributes (RFC 7950 8.3.1). Errors go to `diags` (the path as seen so far, keys
 * included); decoding goes on after an error where that makes sense, skipping the element, so that several
 * errors are reported.
 *
 *     struct edit_decoder *decoder = edit_decoder_new(schema, reader, &options, diags);
 *     status = edit_decoder_start(decoder, start); // and _text, _end, from the reader's handlers
 *     status = edit_decoder_finish(decoder, &tree);
 *     edit_decoder_free(decoder);
 */
#include "base/diag.h"
#include "codec/xml_reader.h"
#include "edit/edit_tree.h"
#include "edit/prepare.h"

struct edit_decoder;

/* What is decoded. */
enum edit_content {
	EDIT_CONTENT_CONFIG, /* the content of <config> */
	/* An operation's element, RFC 7950 7.14.2: the tree's top has it as its one child, the input below.
	 */
	EDIT_CONTENT_RPC,
	/* The content of <action>, RFC 7950 7.15.2: containers and list entries with their keys on the way
	 * down to the action, and its input below. That there is one action shows in edit/input.h. */
	EDIT_CONTENT_ACTION,
	/* What an operation gave, RFC 7950 7.14.4: the tree's top is `output`. */
	EDIT_CONTENT_OUTPUT,
};

struct edit_decoder_options {
	enum edit_content content;
	const struct schema_node *output; /* of an operation, where that is the content */
	size_t memory_limit;		  /* bytes of the edit tree, values included */
	bool takes_txids; /* attributes txid:etag and txid:last-modified are conditions; else they are not
			     expected */
};

/* Borrows all arguments but the options. `reader` is the one whose events are forwarded (for prefixes in
 * values); one document a decoder. */
struct edit_decoder *edit_decoder_new(const struct schema *schema, const struct xml_reader *reader,
				      const struct edit_decoder_options *options, struct diag_list *diags);
/* With an unfinished tree. NULL is allowed. */
void edit_decoder_free(struct edit_decoder *decoder);
/* Fails: ST_LIMIT only (too-big was added to diags); what is wrong with the content shows in
 * edit_decoder_finish. After that the decoder only takes edit_decoder_free. */
enum status edit_decoder_start(struct edit_decoder *decoder, const struct xml_start *start) MUST_USE;
enum status edit_decoder_text(struct edit_decoder *decoder, struct bytes text) MUST_USE;
enum status edit_decoder_end(struct edit_decoder *decoder) MUST_USE;
/* Whether it is a txid:etag or txid:last-modified. */
bool edit_decoder_is_txid(const struct xml_attribute *attribute);
/* One of <config> itself, before its first element. */
void edit_decoder_expect(struct edit_decoder *decoder, const struct xml_attribute *attribute);
/* The tree that is being made, which edit_decoder_finish gives. */
const struct edit_tree *edit_decoder_tree(const struct edit_decoder *decoder);
/* How far the tree is complete. False: something was reported, and it never will be. */
bool edit_decoder_mark(const struct edit_decoder *decoder, struct edit_mark *mark);
/* Gives the tree. Needs as many ends as starts. Fails: ST_REJECTED where anything was added to diags. */
enum status edit_decoder_finish(struct edit_decoder *decoder, struct edit_tree **tree) MUST_USE;
