/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/helper_change.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <stdio.h>

#include "schema/load.h"

struct schema *helper_load_text(const char *name, const char *text, const char *dir_name)
{
	struct arena *arena = arena_new();
	struct diag_list diags;
	diag_list_init(&diags, arena, 10);
	char dir[64], path[160];
	snprintf(dir, sizeof(dir), "/tmp/yare-%s-XXXXXX", dir_name);
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/%s.yang", dir, name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	const char *dirs[] = {dir};
	struct schema_module_request module = {.name = name};
	struct schema_source source = {
		.search_dirs = dirs, .search_dir_count = 1, .modules = &module, .module_count = 1};
	struct schema *schema = NULL;
	assert_int_equal(schema_load(&source, &diags, &schema), ST_OK);
	remove(path);
	remove(dir);
	arena_free(arena);
	return schema;
}

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
