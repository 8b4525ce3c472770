/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Which modules the server loads besides those it is told to, and where all of them are looked for.
 *
 *     struct schema_source source;
 *     yang_path_source(&options, arena, &source);
 *     status = schema_load(&source, diags, &schema);
 */
#include "server/options.h"

/*
 * Gives what schema_load needs; memory is the arena's, strings are borrowed from the options.
 *
 * Folders, in this order: those of the options; where packages install originals; the bundled ones. So an
 * original wins over our restatement, and what the user names wins over both.
 *
 * Modules: those of the options, then the standard ones that the server itself implements, with the features
 * that it has; such a module is loaded once, and our features hold, also where the options name it too.
 */
void yang_path_source(const struct server_options *options, struct arena *arena,
		      struct schema_source *source);
