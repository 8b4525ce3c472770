/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* A store over a module that a test has as text. */
#include "store/helper_disk.h"

#include "helper_text_schema.h"

/* The closed bench has it from now on. */
void module_use(struct disk_bench *bench, const char *name, const char *text);
const struct schema_node *module_node(const struct schema_node *parent, const char *name);
