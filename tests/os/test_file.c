/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files: one set of tests that the kernel's files and the fake ones must both pass, then what only the fake
 * does: failing the n-th operation and losing power.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/memory.h"
#include "os/file.h"
#include "os/file_fake.h"

/* The file system under test and a directory in it. */
struct place {
	struct os_fs *fs;
	char dir[64];
	char path[4][96]; /* of files a, b, c, d in the directory */
};

static int place_init(void **state, struct os_fs *fs, const char *dir)
{
	struct place *place = memory_zalloc(sizeof(*place));
	place->fs = fs;
	snprintf(place->dir, sizeof(place->dir), "%s", dir);
	for (int i = 0; i < 4; i++)
		snprintf(place->path[i], sizeof(place->path[i]), "%s/%c", dir, 'a' + i);
	*state = place;
	return 0;
}

static int real_begin(void **state)
{
	char dir[] = "/tmp/yare-test-file-XXXXXX";
	return mkdtemp(dir) ? place_init(state, os_fs_real(), dir) : -1;
}

static int real_end(void **state)
{
	struct place *place = *state;
	for (int i = 0; i < 4; i++)
		unlink(place->path[i]);
	int failed = rmdir(place->dir);
	memory_free(place);
	return failed;
}

static int fake_begin(void **state)
{
	return place_init(state, os_fs_fake_new(), "data");
}

static int fake_end(void **state)
{
	struct place *place = *state;
	os_fs_fake_free(place->fs);
	memory_free(place);
	return 0;
}

static struct os_file *open_file(struct os_fs *fs, const char *path, enum os_open_mode mode)
{
	struct os_file *file;
	assert_int_equal(fs->open(fs, path, mode, &file), ST_OK);
	assert_ptr_equal(file->fs, fs);
	return file;
}

static void write_text(struct os_file *file, uint64_t offset, const char *text)
{
	assert_int_equal(file->fs->write(file, offset, bytes_of(text)), ST_OK);
}

static void assert_content(struct os_fs *fs, const char *path, const char *expected)
{
	struct buffer buffer;
	buffer_init(&buffer, SIZE_MAX);
	assert_int_equal(os_fs_read_whole(fs, path, 1000, &buffer), ST_OK);
	assert_int_equal(buffer_size(&buffer), strlen(expected));
	assert_true(bytes_equal(buffer_get(&buffer), bytes_of(expected)));
	buffer_fini(&buffer);
}

static void modes_of_opening(void **state)
{
	struct place *place = *state;
	struct os_fs *fs = place->fs;
	struct os_file *file;
	assert_int_equal(fs->open(fs, place->path[0], OS_OPEN_READ, &file), ST_ABSENT);
	assert_int_equal(fs->open(fs, place->path[0], OS_OPEN_UPDATE, &file), ST_ABSENT);
	file = open_file(fs, place->path[0], OS_OPEN_NEW);
	write_text(file, 0, "hello");
	fs->close(file);
	assert_int_equal(fs->open(fs, place->path[0], OS_OPEN_NEW, &file), ST_BUSY);
	file = open_file(fs, place->path[0], OS_OPEN_CREATE);
	write_text(file, 5, " world");
	fs->close(file);
	fs->close(open_file(fs, place->path[1], OS_OPEN_CREATE));
	file = open_file(fs, place->path[0], OS_OPEN_UPDATE);
	write_text(file, 0, "J");
	fs->close(file);
	file = open_file(fs, place->path[0], OS_OPEN_READ);
	assert_int_equal(fs->write(file, 0, bytes_of("x")), ST_IO);
	fs->close(file);
	fs->close(NULL);
	assert_content(fs, place->path[0], "Jello world");
	assert_content(fs, place->path[1], "");
}

static void reads_and_sizes(void **state)
{
	struct place *place = *state;
	struct os_fs *fs = place->fs;
	struct os_file *file = open_file(fs, place->path[0], OS_OPEN_NEW);
	uint64_t size;
	size_t got;
	char data[10];
	write_text(file, 4, "abc"); /* a hole before it */
	assert_int_equal(fs->size(file, &size), ST_OK);
	assert_int_equal(size, 7);
	assert_int_equal(fs->read(file, 3, data, 2, &got), ST_OK);
	assert_int_equal(got, 2);
	assert_memory_equal(data, "\0a", 2);
	assert_int_equal(fs->read(file, 5, data, sizeof(data), &got), ST_OK);
	assert_int_equal(got, 2);
	assert_int_equal(fs->read(file, 100, data, sizeof(data), &got), ST_OK);
	assert_int_equal(got, 0);
	assert_int_equal(fs->preallocate(file, 0), ST_OK);
	assert_int_equal(fs->preallocate(file, 5000), ST_OK);
	assert_int_equal(fs->preallocate(file, 100), ST_OK); /* never shrinks */
	assert_int_equal(fs->size(file, &size), ST_OK);
	assert_int_equal(size, 5000);
	assert_int_equal(fs->read(file, 4, data, 4, &got), ST_OK);
	assert_memory_equal(data, "abc\0", 4);
	assert_int_equal(fs->truncate(file, 5), ST_OK);
	assert_int_equal(fs->truncate(file, 6), ST_OK);
	assert_int_equal(fs->read(file, 4, data, sizeof(data), &got), ST_OK);
	assert_int_equal(got, 2);
	assert_memory_equal(data, "a\0", 2);
	assert_int_equal(fs->sync(file), ST_OK);
	fs->close(file);
}

/* Whatever the file system knows of holes: nothing that was written is in one, and it comes to an end. */
static void holes_have_no_data(void **state)
{
	struct place *place = *state;
	struct os_fs *fs = place->fs;
	struct os_file *file = open_file(fs, place->path[0], OS_OPEN_NEW);
	static const uint64_t written[] = {10, 70000, 3000000};
	uint64_t start, end, offset = 0;
	assert_int_equal(fs->find_data(file, 0, &start, &end), ST_OK);
	assert_true(start == 0 && end == 0); /* it is empty */
	for (unsigned i = 0; i < 3; i++)
		write_text(file, written[i], "x");
	assert_int_equal(fs->truncate(file, 4000000), ST_OK);
	for (unsigned i = 0; i < 3; i++) {
		while (offset <= written[i]) {
			assert_int_equal(fs->find_data(file, offset, &start, &end), ST_OK);
			assert_true(start <= written[i] && start >= offset && end > start);
			offset = end;
		}
	}
	while (offset < 4000000) {
		assert_int_equal(fs->find_data(file, offset, &start, &end), ST_OK);
		assert_true(end > offset);
		offset = end;
	}
	assert_int_equal(offset, 4000000);
	assert_int_equal(fs->find_data(file, 4000000, &start, &end), ST_OK);
	assert_true(start == 4000000 && end == 4000000);
	fs->close(file);
}

static void durable_writes(void **state)
{
	struct place *place = *state;
	struct os_fs *fs = place->fs;
	struct os_file *file = open_file(fs, place->path[0], OS_OPEN_NEW);
	char *memory = memory_zalloc(3 * OS_BLOCK_SIZE), content[2 * OS_BLOCK_SIZE + 1];
	char *block = memory + (OS_BLOCK_SIZE - (uintptr_t)memory % OS_BLOCK_SIZE);
	size_t got;
	assert_int_equal(fs->preallocate(file, 2 * OS_BLOCK_SIZE), ST_OK);
	write_text(file, 0, "before");
	memset(block, 'a', OS_BLOCK_SIZE);
	assert_int_equal(fs->write_durably(file, OS_BLOCK_SIZE, (struct bytes){block, OS_BLOCK_SIZE}), ST_OK);
	memset(block, 'b', OS_BLOCK_SIZE / 2); /* the same block again */
	assert_int_equal(fs->write_durably(file, OS_BLOCK_SIZE, (struct bytes){block, OS_BLOCK_SIZE}), ST_OK);
	fs->close(file);
	file = open_file(fs, place->path[0], OS_OPEN_READ);
	assert_int_equal(fs->read(file, 0, content, sizeof(content), &got), ST_OK);
	assert_int_equal(got, 2 * OS_BLOCK_SIZE);
	assert_memory_equal(content, "before", 7);
	assert_memory_equal(content + OS_BLOCK_SIZE, block, OS_BLOCK_SIZE);
	fs->close(file);
	file = open_file(fs, place->path[0], OS_OPEN_READ);
	assert_int_equal(fs->write_durably(file, 0, (struct bytes){block, OS_BLOCK_SIZE}), ST_IO);
	fs->close(file);
	memory_free(memory);
}

/* Nothing of a durable write is lost, nor is one that failed ever found. */
static void durable_writes_outlive_a_power_cut(void **state)
{
	struct place *place = *state;
	struct os_fs *fs = place->fs;
	char *memory = memory_zalloc(2 * OS_BLOCK_SIZE);
	char *block = memory + (OS_BLOCK_SIZE - (uintptr_t)memory % OS_BLOCK_SIZE);
	struct os_file *file = open_file(fs, place->path[0], OS_OPEN_NEW);
	assert_int_equal(fs->sync_dir(fs, place->dir), ST_OK);
	memcpy(block, "kept", 4);
	assert_int_equal(fs->write_durably(file, 0, (struct bytes){block, OS_BLOCK_SIZE}), ST_OK);
	memcpy(block, "lost", 4);
	os_fs_fake_fail(fs, OS_FS_SYNC, 1, ST_IO);
	assert_int_equal(fs->write_durably(file, 0, (struct bytes){block, OS_BLOCK_SIZE}), ST_IO);
	os_fs_fake_power_cut(fs, 0);
	fs->close(file);
	os_fs_fake_power_on(fs);
	char content[4];
	size_t got;
	file = open_file(fs, place->path[0], OS_OPEN_READ);
	assert_int_equal(fs->read(file, 0, content, 4, &got), ST_OK);
	assert_memory_equal(content, "kept", 4);
	fs->close(file);
	memory_free(memory);
}

static void whole_files_have_limits(void **state)
{
	struct place *place = *state;
	struct os_fs *fs = place->fs;
	struct buffer buffer;
	buffer_init(&buffer, 200000);
	assert_int_equal(buffer_append(&buffer, bytes_of("before")), ST_OK);
	assert_int_equal(os_fs_read_whole(fs, place->path[0], 100, &buffer), ST_ABSENT);
	struct os_file *file = open_file(fs, place->path[0], OS_OPEN_NEW);
	char *large = memory_zalloc(150000);
	memset(large, 'x', 150000);
	assert_int_equal(fs->write(file, 0, (struct bytes){large, 150000}), ST_OK);
	memory_free(large);
	fs->close(file);
	assert_int_equal(os_fs_read_whole(fs, place->path[0], 149999, &buffer), ST_LIMIT);
	assert_int_equal(buffer_size(&buffer), 6); /* as it was */
	assert_int_equal(os_fs_read_whole(fs, place->path[0], 150000, &buffer), ST_OK);
	assert_int_equal(buffer_size(&buffer), 150006);
	assert_int_equal(os_fs_read_whole(fs, place->path[0], SIZE_MAX, &buffer),
			 ST_LIMIT); /* the buffer's */
	assert_int_equal(buffer_size(&buffer), 150006);
	buffer_fini(&buffer);
}

static void collect_name(const char *name, void *arg)
{
	char *names = arg;
	assert_int_equal(strlen(name), 1);
	names[name[0] - 'a']++;
}

static void directories(void **state)
{
	struct place *place = *state;
	struct os_fs *fs = place->fs;
	char names[4] = {0};
	assert_int_equal(fs->make_dir(fs, place->dir), ST_OK); /* exists */
	for (int i = 0; i < 3; i++) {
		struct os_file *file = open_file(fs, place->path[i], OS_OPEN_NEW);
		write_text(file, 0, (char[]){(char)('0' + i), '\0'});
		fs->close(file);
	}
	assert_int_equal(fs->rename(fs, place->path[0], place->path[1]), ST_OK); /* replaces */
	assert_int_equal(fs->rename(fs, place->path[0], place->path[1]), ST_ABSENT);
	assert_int_equal(fs->rename(fs, place->path[2], place->path[3]), ST_OK);
	assert_int_equal(fs->unlink(fs, place->path[2]), ST_ABSENT);
	assert_int_equal(fs->list(fs, place->dir, collect_name, names), ST_OK);
	assert_memory_equal(names, "\0\1\0\1", 4);
	assert_content(fs, place->path[1], "0");
	assert_content(fs, place->path[3], "2");
	assert_int_equal(fs->unlink(fs, place->path[1]), ST_OK);
	memset(names, 0, sizeof(names));
	assert_int_equal(fs->list(fs, place->dir, collect_name, names), ST_OK);
	assert_memory_equal(names, "\0\0\0\1", 4);
	assert_int_equal(fs->sync_dir(fs, place->dir), ST_OK);
}

static void locks_exclude(void **state)
{
	struct place *place = *state;
	struct os_fs *fs = place->fs;
	struct os_file *one = open_file(fs, place->path[0], OS_OPEN_CREATE);
	struct os_file *two = open_file(fs, place->path[0], OS_OPEN_CREATE);
	assert_int_equal(fs->lock(one), ST_OK);
	assert_int_equal(fs->lock(one), ST_OK);
	assert_int_equal(fs->lock(two), ST_BUSY);
	fs->close(one);
	assert_int_equal(fs->lock(two), ST_OK);
	fs->close(two);
}

/* Nobody writes into it: whoever waited for that would wait for ever. */
static void real_pipe_does_not_wait(void **state)
{
	struct place *place = *state;
	struct os_file *file = NULL;
	char byte;
	size_t got = 0;
	assert_int_equal(mkfifo(place->path[0], 0600), 0);
	alarm(10);
	assert_int_equal(place->fs->open(place->fs, place->path[0], OS_OPEN_READ, &file), ST_OK);
	assert_int_equal(place->fs->read(file, 0, &byte, 1, &got), ST_IO);
	alarm(0);
	place->fs->close(file);
}

static void real_files_are_private(void **state)
{
	struct place *place = *state;
	struct os_fs *fs = place->fs;
	struct stat stat_of;
	fs->close(open_file(fs, place->path[0], OS_OPEN_CREATE));
	assert_int_equal(stat(place->path[0], &stat_of), 0);
	assert_int_equal(stat_of.st_mode & 0777, 0600);
	assert_int_equal(fs->make_dir(fs, place->path[1]), ST_OK);
	assert_int_equal(stat(place->path[1], &stat_of), 0);
	assert_int_equal(stat_of.st_mode & 0777, 0700);
	assert_int_equal(rmdir(place->path[1]), 0);
	assert_int_equal(fs->make_dir(fs, place->path[0]), ST_IO); /* a file is in the way */
	assert_int_equal(fs->sync_dir(fs, place->path[1]), ST_ABSENT);
	assert_int_equal(fs->list(fs, place->path[1], collect_name, NULL), ST_ABSENT);
	struct buffer buffer;
	buffer_init(&buffer, SIZE_MAX);
	assert_int_equal(os_path_read(place->dir, 100, &buffer), ST_IO);	  /* a directory */
	assert_int_equal(os_path_read("/proc/self/stat", 10000, &buffer), ST_OK); /* claims to be empty */
	assert_true(buffer_size(&buffer) > 10);
	buffer_fini(&buffer);
}

/* ---- the fake's own ---- */

static void nth_operation_fails_once(void **state)
{
	struct place *place = *state;
	struct os_fs *fs = place->fs;
	struct os_file *file = open_file(fs, place->path[0], OS_OPEN_NEW);
	os_fs_fake_fail(fs, OS_FS_WRITE, 2, ST_LIMIT);
	write_text(file, 0, "abcd");
	assert_true(os_fs_fake_fail_pending(fs, OS_FS_WRITE));
	assert_int_equal(fs->write(file, 4, bytes_of("efgh")), ST_LIMIT);
	assert_false(os_fs_fake_fail_pending(fs, OS_FS_WRITE));
	assert_content(fs, place->path[0], "abcdef"); /* half of it was written */
	write_text(file, 4, "EFGH");
	assert_content(fs, place->path[0], "abcdEFGH");
	assert_int_equal(os_fs_fake_count(fs, OS_FS_WRITE), 3);
	os_fs_fake_fail(fs, OS_FS_SYNC, 1, ST_IO);
	os_fs_fake_fail(fs, OS_FS_SYNC, 0, ST_IO);
	assert_int_equal(fs->sync(file), ST_OK);
	static const enum os_fs_kind kinds[] = {OS_FS_READ, OS_FS_PREALLOCATE, OS_FS_TRUNCATE, OS_FS_SYNC};
	for (size_t i = 0; i < 4; i++)
		os_fs_fake_fail(fs, kinds[i], 1, ST_IO);
	size_t got;
	char byte;
	assert_int_equal(fs->read(file, 0, &byte, 1, &got), ST_IO);
	assert_int_equal(fs->preallocate(file, 100), ST_IO);
	assert_int_equal(fs->truncate(file, 1), ST_IO);
	assert_int_equal(fs->sync(file), ST_IO);
	fs->close(file);
	assert_content(fs, place->path[0], "abcdEFGH");
	static const enum os_fs_kind path_kinds[] = {OS_FS_OPEN,     OS_FS_RENAME,   OS_FS_UNLINK,
						     OS_FS_SYNC_DIR, OS_FS_MAKE_DIR, OS_FS_LIST};
	for (size_t i = 0; i < 6; i++)
		os_fs_fake_fail(fs, path_kinds[i], 1, ST_IO);
	assert_int_equal(fs->open(fs, place->path[1], OS_OPEN_NEW, &file), ST_IO);
	assert_int_equal(fs->rename(fs, place->path[0], place->path[1]), ST_IO);
	assert_int_equal(fs->unlink(fs, place->path[0]), ST_IO);
	assert_int_equal(fs->sync_dir(fs, place->dir), ST_IO);
	assert_int_equal(fs->make_dir(fs, place->dir), ST_IO);
	assert_int_equal(fs->list(fs, place->dir, collect_name, NULL), ST_IO);
	assert_content(fs, place->path[0], "abcdEFGH"); /* nothing happened */
}

static void cut(struct os_fs *fs, uint64_t seed)
{
	os_fs_fake_power_cut(fs, seed);
	os_fs_fake_power_on(fs);
}

static void power_cut_loses_what_was_not_synced(void **state)
{
	struct place *place = *state;
	struct os_fs *fs = place->fs;
	struct os_file *file = open_file(fs, place->path[0], OS_OPEN_NEW);
	write_text(file, 0, "synced");
	assert_int_equal(fs->sync(file), ST_OK);
	assert_int_equal(fs->sync_dir(fs, place->dir), ST_OK);
	write_text(file, 0, "SYNCED and more");
	assert_int_equal(fs->lock(file), ST_OK);
	fs->close(open_file(fs, place->path[1], OS_OPEN_NEW));
	os_fs_fake_power_cut(fs, 0);
	struct os_file *other;
	assert_int_equal(fs->open(fs, place->path[0], OS_OPEN_READ, &other), ST_IO);
	assert_int_equal(fs->unlink(fs, place->path[0]), ST_IO);
	assert_int_equal(fs->sync_dir(fs, place->dir), ST_IO);
	os_fs_fake_power_on(fs);
	uint64_t size;
	assert_int_equal(fs->write(file, 0, bytes_of("late")), ST_IO); /* the old process is dead */
	assert_int_equal(fs->sync(file), ST_IO);
	assert_int_equal(fs->size(file, &size), ST_IO);
	assert_int_equal(fs->lock(file), ST_IO);
	assert_content(fs, place->path[0], "synced");
	assert_int_equal(fs->open(fs, place->path[1], OS_OPEN_READ, &other), ST_ABSENT);
	other = open_file(fs, place->path[0], OS_OPEN_UPDATE);
	assert_int_equal(fs->lock(other), ST_OK);
	fs->close(file); /* does not take the lock of the new one along */
	file = open_file(fs, place->path[0], OS_OPEN_UPDATE);
	assert_int_equal(fs->lock(file), ST_BUSY);
	fs->close(file);
	fs->close(other);
}

static void names_are_durable_only_with_their_directory(void **state)
{
	struct place *place = *state;
	struct os_fs *fs = place->fs;
	struct os_file *file = open_file(fs, place->path[0], OS_OPEN_NEW);
	write_text(file, 0, "old");
	assert_int_equal(fs->sync(file), ST_OK);
	assert_int_equal(fs->sync_dir(fs, place->dir), ST_OK);
	fs->close(file);
	file = open_file(fs, place->path[1], OS_OPEN_NEW);
	write_text(file, 0, "new");
	assert_int_equal(fs->sync(file), ST_OK);
	fs->close(file);
	assert_int_equal(fs->rename(fs, place->path[1], place->path[0]), ST_OK);
	assert_content(fs, place->path[0], "new");
	assert_int_equal(fs->sync_dir(fs, "elsewhere"), ST_OK);
	cut(fs, 0);
	assert_content(fs, place->path[0], "old");

	file = open_file(fs, place->path[1], OS_OPEN_NEW);
	write_text(file, 0, "unsynced");
	fs->close(file);
	assert_int_equal(fs->rename(fs, place->path[1], place->path[0]), ST_OK);
	assert_int_equal(fs->sync_dir(fs, place->dir), ST_OK);
	cut(fs, 0);
	assert_content(fs, place->path[0], ""); /* the classic: renamed before synced */
	assert_int_equal(fs->unlink(fs, place->path[0]), ST_OK);
	cut(fs, 0);
	assert_content(fs, place->path[0], ""); /* the unlink was lost */
}

static void failed_sync_loses_data_that_a_later_one_does_not_bring_back(void **state)
{
	struct place *place = *state;
	struct os_fs *fs = place->fs;
	struct os_file *file = open_file(fs, place->path[0], OS_OPEN_NEW);
	write_text(file, 0, "one ");
	assert_int_equal(fs->sync(file), ST_OK);
	assert_int_equal(fs->sync_dir(fs, place->dir), ST_OK);
	write_text(file, 0, "two ");
	os_fs_fake_fail(fs, OS_FS_SYNC, 1, ST_IO);
	assert_int_equal(fs->sync(file), ST_IO);
	assert_content(fs, place->path[0], "two ");
	write_text(file, 4, "three");
	assert_int_equal(fs->sync(file), ST_OK);
	fs->close(file);
	cut(fs, 0);
	assert_content(fs, place->path[0], "one three");
}

/* Over many seeds: each of two sectors survives in some cuts and not in others, never in part. */
static void power_cut_tears_writes_at_sectors(void **state)
{
	struct place *place = *state;
	struct os_fs *fs = place->fs;
	int seen[2][2] = {{0}};
	char data[1024];
	for (uint64_t seed = 1; seed <= 64; seed++) {
		struct os_file *file = open_file(fs, place->path[0], OS_OPEN_CREATE);
		memset(data, 'o', sizeof(data));
		assert_int_equal(fs->write(file, 0, (struct bytes){data, sizeof(data)}), ST_OK);
		assert_int_equal(fs->sync(file), ST_OK);
		assert_int_equal(fs->sync_dir(fs, place->dir), ST_OK);
		memset(data, 'n', sizeof(data));
		assert_int_equal(fs->write(file, 0, (struct bytes){data, sizeof(data)}), ST_OK);
		fs->close(file);
		cut(fs, seed);
		size_t got;
		file = open_file(fs, place->path[0], OS_OPEN_READ);
		assert_int_equal(fs->read(file, 0, data, sizeof(data), &got), ST_OK);
		fs->close(file);
		for (size_t i = 0; i < 1024; i++)
			assert_int_equal(data[i], data[i / 512 * 512]);
		seen[data[0] == 'n'][data[512] == 'n']++;
	}
	assert_true(seen[0][0] && seen[0][1] && seen[1][0] && seen[1][1]);
}

static void cut_at_third_write(enum os_fs_kind kind, void *arg)
{
	struct os_fs *fs = arg;
	if (kind == OS_FS_WRITE && os_fs_fake_count(fs, OS_FS_WRITE) == 2)
		os_fs_fake_power_cut(fs, 0);
}

static void hook_may_cut_the_power(void **state)
{
	struct place *place = *state;
	struct os_fs *fs = place->fs;
	os_fs_fake_set_hook(fs, cut_at_third_write, fs);
	struct os_file *file = open_file(fs, place->path[0], OS_OPEN_NEW);
	assert_int_equal(fs->sync_dir(fs, place->dir), ST_OK);
	write_text(file, 0, "1");
	write_text(file, 1, "2");
	assert_int_equal(fs->sync(file), ST_OK);
	assert_int_equal(fs->write(file, 2, bytes_of("3")), ST_IO);
	fs->close(file);
	os_fs_fake_set_hook(fs, NULL, NULL);
	os_fs_fake_power_on(fs);
	assert_content(fs, place->path[0], "12");
	os_fs_fake_corrupt(fs, place->path[0], 1, 0x01);
	assert_content(fs, place->path[0], "13");
}

#define BOTH(test)                                                                                           \
	{#test " (real)", test, real_begin, real_end, NULL},                                                 \
	{                                                                                                    \
#test " (fake)", test, fake_begin, fake_end, NULL                                            \
	}
#define FAKE(test) cmocka_unit_test_setup_teardown(test, fake_begin, fake_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH(modes_of_opening),
		BOTH(reads_and_sizes),
		BOTH(holes_have_no_data),
		BOTH(durable_writes),
		BOTH(whole_files_have_limits),
		BOTH(directories),
		BOTH(locks_exclude),
		cmocka_unit_test_setup_teardown(real_files_are_private, real_begin, real_end),
		cmocka_unit_test_setup_teardown(real_pipe_does_not_wait, real_begin, real_end),
		FAKE(nth_operation_fails_once),
		FAKE(power_cut_loses_what_was_not_synced),
		FAKE(durable_writes_outlive_a_power_cut),
		FAKE(names_are_durable_only_with_their_directory),
		FAKE(failed_sync_loses_data_that_a_later_one_does_not_bring_back),
		FAKE(power_cut_tears_writes_at_sectors),
		FAKE(hook_may_cut_the_power),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
