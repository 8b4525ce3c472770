/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * anydata and anyxml between JSON and XML. The tree keeps their content as XML (tree/any.h), so JSON is
 * converted when it comes and again when it goes.
 *
 *     JSON                         XML
 *     "name": {...}                <name>...</name>, in the parent's namespace; at the top in that of the
 *                                  anydata node's module
 *     "P:name"                     P is the name of an implemented module: its namespace; else P itself is
 * the namespace; no P (":name"): none "name": [a, b]               one element for each item; an empty array:
 * nothing "text", 1, true              the text; "P:x" with a module's name declares it as a prefix null,
 * [null], ""             an element without content
 *     "@", "@name"                 attributes (RFC 7952): of the object's element, of the element of that
 * name; an array is about the items in turn. A name is "P:annotation", P as above; none: an attribute without
 * namespace. (Annotations of the node itself are the decoder's and encoder's business.)
 *
 * What XML says and JSON cannot: where an element is of a node that the schema has (at its place below the
 * top of the schema), its value has the form of its type, and lists are arrays. Of others, true, false and
 * integers of up to 15 digits are written as such, no content as [null], all else as strings; elements of the
 * same name in the same parent become one array, where the first of them stands. Content that is mixed with
 * text, or larger than 16 MiB, is written as a string that holds the XML.
 *
 * What JSON says and XML cannot is refused: arrays in arrays but [null], arrays without a name, names that
 * are not identifiers (RFC 7950 6.2).
 */
#include "base/buffer.h"
#include "base/diag.h"
#include "codec/json_reader.h"
#include "schema/schema.h"

struct json_any;

/* Reads the value of `node`, an anydata or anyxml node. `size_limit`: bytes of the XML, and of what else is
 * remembered. */
struct json_any *json_any_new(const struct schema *schema, const struct schema_node *node, size_t size_limit);
void json_any_free(struct json_any *any); /* NULL is allowed */
/* An event of the value. Fails: ST_LIMIT; ST_REJECTED for what has no form in XML (json_any_error tells).
 * Once rejected, all further events up to the end of the value are to be given, and ignored. */
enum status json_any_event(struct json_any *any, enum json_event event, struct bytes text) MUST_USE;
/* Objects and arrays that are open. */
size_t json_any_depth(const struct json_any *any);
/* The value is complete. */
bool json_any_is_done(const struct json_any *any);
/* What was refused; `name`: of the member, valid during the event. */
struct json_any_error {
	enum diag_tag tag;
	const char *message;
	struct bytes name;
};
struct json_any_error json_any_error(const struct json_any *any);
/* The XML (one reference). Needs a value that is complete and was not rejected. */
struct text *json_any_finish(struct json_any *any);

/* Appends the content of the node, XML as the tree has it, as JSON; false: as a string that holds the XML,
 * which is not read back as what it was. Cost: memory of many times the XML. */
bool json_any_write(const struct schema *schema, const struct schema_node *node, struct bytes xml,
		    struct buffer *out);
