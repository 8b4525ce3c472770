/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The configuration that a server without one of its own starts with. */
#include "base/diag.h"
#include "schema/schema.h"
#include "tree/record.h"

enum init_file_format { INIT_FILE_ANY /* as the file begins */, INIT_FILE_XML, INIT_FILE_JSON };

/*
 * Reads a file: XML, top-level data nodes, bare or inside one <config> or <data> element of any namespace;
 * JSON (RFC 7951), one object; or YANG instance data (RFC 9195) in either. Gives a root. Fails: ST_IO (cannot
 * be read, logged), ST_REJECTED (not XML or JSON, or not data of the schema; said in diags or the log).
 */
enum status init_file_load_as(const struct schema *schema, const char *path, enum init_file_format format,
			      struct diag_list *diags, struct tree_record **root) MUST_USE;
/* The same of any format. */
enum status init_file_load(const struct schema *schema, const char *path, struct diag_list *diags,
			   struct tree_record **root) MUST_USE;
