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
/* True where the value of the leaf is an instance-identifier, whose form in XML differs from the canonical
 * one. */
bool codec__qname_is_instance_identifier(const struct schema_type *type, struct bytes text);
/* Appends a canonical instance-identifier with a prefix on each name (RFC 7950 9.13.2). Fails: ST_LIMIT. */
enum status codec__qname_expand(struct buffer *out, struct bytes text) MUST_USE;
