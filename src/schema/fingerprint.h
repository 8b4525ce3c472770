/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * The fingerprint of a schema: the same for the same module texts, features and set of implemented modules,
 * in whatever order they were loaded, and the same version of the checks. What was found valid under one
 * fingerprint need not be checked again under the same.
 */
#include "schema/schema.h"

#define SCHEMA_FINGERPRINT_SIZE 16 /* bytes */

void schema_fingerprint(const struct schema *schema, unsigned char fingerprint[SCHEMA_FINGERPRINT_SIZE]);
