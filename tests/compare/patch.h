/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * A YANG patch (RFC 8072) applied to a document, by nothing but names and texts: an oracle for what compare
 * writes. Documents are <config> elements; values with names in them have modules as prefixes, as our encoder
 * writes them.
 */
#include <libxml/tree.h>

#include "base/arena.h"
#include "schema/schema.h"

/* Applies the reply's edits in turn to the document. Gives NULL, or what is wrong (in the arena): an edit
 * that does not fit, or a source-value that is not there. */
const char *patch_apply(const struct schema *schema, xmlDoc *document, const xmlDoc *reply,
			struct arena *arena);
/* The document's data as text: system-ordered items sorted, non-presence containers without content and all
 * attributes left out. */
const char *patch_normal_form(const struct schema *schema, const xmlDoc *document, struct arena *arena);
