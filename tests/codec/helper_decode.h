/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Loads the test modules and decodes documents whose document element stands for <config>. */
#include "codec/edit_decoder.h"
#include "schema/load.h"

struct schema *helper_schema(void); /* codec-test and its companions */
enum helper_imports { IMPORTS_ONLY, IMPORTS_IMPLEMENTED };

/* Modules of a folder of the shared inputs; NULL: the folder is absent. */
struct schema *helper_shared_schema(const char *dir, const char *const *modules, size_t count,
				    enum helper_imports imports);
/* What a generator of the shared inputs prints; the caller frees it. */
char *helper_run_generator(const char *program, const char *arguments, size_t *size);

struct decoding {
	struct arena *arena;
	struct diag_list diags;
	struct edit_tree *tree; /* NULL where the status is not ST_OK */
	char error[256];	/* of the reader */
	enum status status;	/* of the first of reader and decoder that fails */
};

struct decode_options {
	size_t step; /* bytes a feed; 0: all at once */
	size_t memory_limit;
	size_t diag_limit;
};

void helper_decode(struct decoding *decoding, const struct schema *schema, struct bytes document,
		   const struct decode_options *options);
void helper_decode_fini(struct decoding *decoding);
/* The edit tree as one line, e.g. "top(entry[merge](first=a second=1))"; in the arena. */
const char *helper_edit_text(const struct edit_tree *tree, struct arena *arena);
/* The diagnostics, a line each: "tag path=.. app-tag=.. info=value .. prefix>ns; message"; in the arena. */
const char *helper_diag_text(const struct diag_list *diags, struct arena *arena);
