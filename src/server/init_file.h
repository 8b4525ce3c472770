/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The configuration that a server without one of its own starts with. */
#include "base/diag.h"
#include "schema/schema.h"
#include "tree/record.h"

/*
 * Reads an XML file: top-level data nodes, bare or inside one <config> or <data> element of any namespace.
 * Gives a root. Fails: ST_IO (cannot be read, logged), ST_REJECTED (not XML, or not data of the schema; said
 * in diags or the log).
 */
enum status init_file_load(const struct schema *schema, const char *path, struct diag_list *diags,
			   struct tree_record **root) MUST_USE;
