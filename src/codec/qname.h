/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Values with names in them (TEXT_QNAME, schema/type.h): which modules they name, and the form that they have
 * in XML.
 */
#include "base/buffer.h"
#include "schema/schema.h"

/*
 * The modules whose names stand as prefixes in a text, outside of quotes: writes the next one at or after
 * *at, moves *at behind it and returns true; false at the end. The same one may come several times.
 */
bool codec__qname_next(const struct schema *schema, struct bytes text, size_t *at,
		       const struct schema_module **module);
/* Appends a canonical value with a prefix on each name of a node (RFC 7950 9.13.2; XPath values likewise): a name
 * without one has that of the step before it in its path, in a predicate that of the step. Fails: ST_LIMIT. */
enum status codec__qname_expand(struct buffer *out, struct bytes text) MUST_USE;
