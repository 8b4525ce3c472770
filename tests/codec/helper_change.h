/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What the tests of change records share: schemas from text, and the blocks of a tree. */
#include "base/buffer.h"
#include "base/vector.h"
#include "schema/schema.h"

/* Compiles one module, given as text; `dir_name` is for the name of the folder that it is put in. */
struct schema *helper_load_text(const char *name, const char *text, const char *dir_name);

struct helper_blocks {
	struct buffer all;
	struct vector sizes;
	size_t at, next;
};

void helper_blocks_init(struct helper_blocks *blocks);
void helper_blocks_fini(struct helper_blocks *blocks);
/* For change_tree_encode and change_tree_decode. `arg` is the blocks. */
enum status helper_keep_block(void *arg, struct bytes block);
enum status helper_give_block(void *arg, struct bytes *block);
