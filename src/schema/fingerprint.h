/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * The fingerprint of a schema: the same for the same module texts, features and set of implemented modules,
 * as far as they say anything of configuration, in whatever order they were loaded, and the same version of
 * the checks. What was found valid under one fingerprint need not be checked again under the same.
 */
#include "schema/schema.h"

#define SCHEMA_FINGERPRINT_SIZE 16 /* bytes */

void schema_fingerprint(const struct schema *schema, unsigned char fingerprint[SCHEMA_FINGERPRINT_SIZE]);
/* The same, and besides of the order that configuration nodes have, which is that of loading where modules
 * meet: at the top, and where several augment. For what counts nodes in document order. */
void schema_fingerprint_ordered(const struct schema *schema,
				unsigned char fingerprint[SCHEMA_FINGERPRINT_SIZE]);
