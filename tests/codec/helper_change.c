/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/helper_change.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <stdio.h>

void helper_blocks_init(struct helper_blocks *blocks)
{
	*blocks = (struct helper_blocks){0};
	buffer_init(&blocks->all, SIZE_MAX);
	vector_init(&blocks->sizes, sizeof(size_t));
}

void helper_blocks_fini(struct helper_blocks *blocks)
{
	buffer_fini(&blocks->all);
	vector_fini(&blocks->sizes);
}

enum status helper_keep_block(void *arg, struct bytes block)
{
	struct helper_blocks *blocks = arg;
	*(size_t *)vector_push(&blocks->sizes) = block.size;
	return buffer_append(&blocks->all, block);
}

enum status helper_give_block(void *arg, struct bytes *block)
{
	struct helper_blocks *blocks = arg;
	if (blocks->next == blocks->sizes.length)
		return ST_CORRUPT;
	size_t size = *(size_t *)vector_at(&blocks->sizes, blocks->next++);
	*block = (struct bytes){buffer_get(&blocks->all).data + blocks->at, size};
	blocks->at += size;
	return ST_OK;
}
