/* SPDX-License-Identifier: BSD-3-Clause */
#include "journal/helper_mutate.h"
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "base/memory.h"
#include "journal/crc32c.h"
#include "journal/internal.h"

uint64_t mutate_random(uint64_t *state, uint64_t below)
{
	*state += 0x9e3779b97f4a7c15u;
	uint64_t x = *state;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return (x ^ (x >> 31)) % below;
}

uint64_t mutate_seed(void)
{
	const char *text = getenv("YARE_SEED");
	uint64_t seed = text != NULL ? strtoull(text, NULL, 10) : (uint64_t)time(NULL);
	print_message("YARE_SEED=%" PRIu64 "\n", seed);
	return seed;
}

unsigned mutate_runs(unsigned runs)
{
	const char *text = getenv("YARE_RUNS");
	return text != NULL ? (unsigned)strtoul(text, NULL, 10) : runs;
}

struct reading {
	struct mutate_dir *dir;
	struct os_fs *fs;
	const char *path;
};

static struct mutate_file *add_file(struct mutate_dir *dir, const char *name)
{
	struct mutate_file *file = vector_push(&dir->files);
	file->name = memory_strdup(name);
	buffer_init(&file->content, SIZE_MAX);
	return file;
}

static void read_file(const char *name, void *arg)
{
	struct reading *reading = arg;
	if (strcmp(name, "lock") != 0)
		add_file(reading->dir, name);
}

void mutate_read(struct mutate_dir *dir, struct os_fs *fs, const char *path)
{
	struct reading reading = {dir, fs, path};
	char full[256];
	vector_init(&dir->files, sizeof(struct mutate_file));
	assert_int_equal(fs->list(fs, path, read_file, &reading), ST_OK);
	for (size_t i = 0; i < dir->files.length; i++) {
		struct mutate_file *file = vector_at(&dir->files, i);
		snprintf(full, sizeof(full), "%s/%s", path, file->name);
		assert_int_equal(os_fs_read_whole(fs, full, SIZE_MAX, &file->content), ST_OK);
	}
}

void mutate_copy(struct mutate_dir *to, const struct mutate_dir *from)
{
	vector_init(&to->files, sizeof(struct mutate_file));
	for (size_t i = 0; i < from->files.length; i++) {
		const struct mutate_file *file = vector_at(&from->files, i);
		struct mutate_file *copy = add_file(to, file->name);
		assert_int_equal(buffer_append(&copy->content, buffer_get(&file->content)), ST_OK);
	}
}

void mutate_write(const struct mutate_dir *dir, struct os_fs *fs, const char *path)
{
	char full[256];
	for (size_t i = 0; i < dir->files.length; i++) {
		const struct mutate_file *file = vector_at(&dir->files, i);
		struct os_file *open;
		snprintf(full, sizeof(full), "%s/%s", path, file->name);
		assert_int_equal(fs->open(fs, full, OS_OPEN_CREATE, &open), ST_OK);
		if (buffer_size(&file->content) > 0)
			assert_int_equal(fs->write(open, 0, buffer_get(&file->content)), ST_OK);
		assert_int_equal(fs->sync(open), ST_OK);
		fs->close(open);
	}
	assert_int_equal(fs->sync_dir(fs, path), ST_OK);
}

static void free_file(struct mutate_file *file)
{
	memory_free(file->name);
	buffer_fini(&file->content);
}

void mutate_free(struct mutate_dir *dir)
{
	for (size_t i = 0; i < dir->files.length; i++)
		free_file(vector_at(&dir->files, i));
	vector_fini(&dir->files);
}

struct mutate_file *mutate_find(struct mutate_dir *dir, const char *name)
{
	for (size_t i = 0; i < dir->files.length; i++) {
		struct mutate_file *file = vector_at(&dir->files, i);
		if (strcmp(file->name, name) == 0)
			return file;
	}
	return NULL;
}

void mutate_add(struct mutate_dir *dir, const char *name, struct bytes content)
{
	struct mutate_file *file = add_file(dir, name);
	assert_int_equal(buffer_append(&file->content, content), ST_OK);
}

/* ---- faults ---- */

static char *bytes_at(struct mutate_file *file, uint64_t *random, size_t *left)
{
	size_t size = buffer_size(&file->content);
	size_t at = size > 0 ? mutate_random(random, size) : 0;
	*left = size - at;
	return file->content.data + file->content.start + at;
}

static void spoil_range(struct mutate_file *file, uint64_t *random, bool zeros)
{
	size_t left;
	char *at = bytes_at(file, random, &left);
	size_t size = left > 0 ? 1 + mutate_random(random, left < 64 ? left : 64) : 0;
	for (size_t i = 0; i < size; i++)
		at[i] = zeros ? 0 : (char)mutate_random(random, 256);
}

static void flip_bit(struct mutate_file *file, uint64_t *random)
{
	size_t left;
	char *at = bytes_at(file, random, &left);
	if (left > 0)
		*at = (char)(*at ^ (1 << mutate_random(random, 8)));
}

static void resize(struct mutate_file *file, uint64_t *random)
{
	size_t size = buffer_size(&file->content);
	if (mutate_random(random, 2) == 0 && size > 0) {
		buffer_cut(&file->content, mutate_random(random, size) + 1);
		return;
	}
	for (uint64_t more = mutate_random(random, 40); more > 0; more--) {
		char byte = (char)mutate_random(random, 256);
		assert_int_equal(buffer_append(&file->content, (struct bytes){&byte, 1}), ST_OK);
	}
}

/* A field of the header with a checksum that fits, as a forger would. */
static void forge_header(struct mutate_file *file, uint64_t *random)
{
	if (buffer_size(&file->content) < JOURNAL__HEADER_SIZE)
		return;
	char *header = file->content.data + file->content.start;
	header[8 + mutate_random(random, 68)] ^= (char)(1 << mutate_random(random, 8));
	journal__put_u32(header + 76, crc32c(0, (struct bytes){header, 76}));
}

/* Numbers that end in the wrong place make readers read too much. */
static void forge_size(struct mutate_file *file, uint64_t *random)
{
	static const uint32_t sizes[] = {0, 1, 28, 0x7fffffff, 0x80000000, 0xffffffff};
	size_t left;
	char *at = bytes_at(file, random, &left);
	if (left >= 4)
		journal__put_u32(at, sizes[mutate_random(random, sizeof(sizes) / sizeof(sizes[0]))]);
}

static void mix_files(struct mutate_dir *dir, size_t index, uint64_t *random)
{
	size_t other = mutate_random(random, dir->files.length);
	struct mutate_file *file = vector_at(&dir->files, index), *from = vector_at(&dir->files, other);
	if (other == index)
		return;
	buffer_clear(&file->content, 0);
	assert_int_equal(buffer_append(&file->content, buffer_get(&from->content)), ST_OK);
}

static void remove_file(struct mutate_dir *dir, size_t index)
{
	free_file(vector_at(&dir->files, index));
	struct mutate_file *last = vector_at(&dir->files, dir->files.length - 1);
	*(struct mutate_file *)vector_at(&dir->files, index) = *last;
	vector_pop(&dir->files);
}

static void rename_file(struct mutate_dir *dir, size_t index, uint64_t *random)
{
	static const char *const names[] = {"journal.00000007",
					    "journal.000000002",
					    "snapshot.tmp",
					    "notes",
					    "snapshot.00000000000000000099",
					    "snapshot.00000020"};
	const char *name = names[mutate_random(random, sizeof(names) / sizeof(names[0]))];
	for (size_t i = 0; i < dir->files.length; i++) {
		if (strcmp(((struct mutate_file *)vector_at(&dir->files, i))->name, name) == 0)
			return;
	}
	struct mutate_file *file = vector_at(&dir->files, index);
	memory_free(file->name);
	file->name = memory_strdup(name);
}

static void damage(struct mutate_dir *dir, uint64_t *random)
{
	size_t index = mutate_random(random, dir->files.length);
	struct mutate_file *file = vector_at(&dir->files, index);
	switch (mutate_random(random, 12)) {
	case 0:
		remove_file(dir, index);
		return;
	case 1:
		mix_files(dir, index, random);
		return;
	case 2:
		rename_file(dir, index, random);
		return;
	case 3:
		forge_header(file, random);
		return;
	case 4:
		forge_size(file, random);
		return;
	case 5:
	case 6:
		resize(file, random);
		return;
	case 7:
	case 8:
		spoil_range(file, random, mutate_random(random, 2) == 0);
		return;
	default:
		flip_bit(file, random);
		return;
	}
}

void mutate_damage(struct mutate_dir *dir, uint64_t *random)
{
	for (uint64_t faults = 1 + mutate_random(random, 3); faults > 0 && dir->files.length > 0; faults--)
		damage(dir, random);
}
