/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Values with names in them (TEXT_QNAME, schema/type.h): which modules they name, and the form that they have
 * in XML.
 */
#include "base/buffer.h"
#include "base/diag.h"
#include "schema/schema.h"

/*
 * The modules whose names stand as prefixes in a text: writes the next one at or after *at, moves *at behind
 * it and returns true; false at the end. The same one may come several times. In quotes too, where a key's
 * value or what an XPath function takes may be a name; a module that only seems to be named there does no
 * harm.
 */
bool schema_qname_next(const struct schema *schema, struct bytes text, size_t *at,
		       const struct schema_module **module);
/* Declares the modules that a text names on a diagnostic whose path, or a value in it, the text is. */
void schema_qname_declare(const struct schema *schema, struct bytes text, struct diag_list *list,
			  struct diag *diag);
/* Appends a canonical value with a prefix on each name of a node (RFC 7950 9.13.2; XPath values likewise): a
 * name without one has that of the step before it in its path, in a predicate that of the step; in quotes
 * only the names of an instance-identifier that is the key of another. Fails: ST_LIMIT. */
enum status schema_qname_expand(const struct schema *schema, struct buffer *out, struct bytes text) MUST_USE;
