/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What the tests of change records share: the blocks of a tree. */
#include "base/buffer.h"
#include "base/vector.h"
#include "schema/schema.h"

#include "helper_text_schema.h"

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
