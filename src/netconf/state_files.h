/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The map of the schema's files: every module and submodule whose text get-schema can return. */
#include "base/vector.h"
#include "schema/schema.h"

struct netconf_file {
	const char *name;
	const char *revision; /* "": none */
	const char *ns;	      /* a submodule: its module's */
	struct bytes text;    /* the schema's, or the arena's; only characters that XML has */
};

/* The text, or a copy in the arena in which what XML does not have is '?'. */
struct bytes netconf__files_readable(struct bytes text, struct arena *arena);
/* Fills a vector of struct netconf_file: each name and revision once, in the order of the modules. */
void netconf__files_init(struct vector *files, const struct schema *schema, struct arena *arena);
/* Of that name (and revision; NULL: any), after `after` or the first one; NULL: no more. O(files) */
const struct netconf_file *netconf__files_find(const struct vector *files, struct bytes name,
					       const struct bytes *revision,
					       const struct netconf_file *after);
