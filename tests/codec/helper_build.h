/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Trees for the encoder: from edit trees, by nothing but the builder, and at random. */
#include "edit/edit_tree.h"
#include "tree/builder.h"

/* The tree that the edit tree describes, operations not looked at. One reference. */
struct tree_record *helper_build(const struct schema *schema, const struct edit_tree *edit);
/* A tree of the test modules with odd texts, the same for the same seed. */
struct tree_record *helper_build_random(const struct schema *schema, uint64_t seed);
/* A number of the sequence that *seed stands at. */
uint32_t helper_random(uint64_t *seed, uint32_t limit);
/* Whether the last character of the text is whole. */
bool helper_ends_whole(struct bytes text);
