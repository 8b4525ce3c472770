/* SPDX-License-Identifier: BSD-3-Clause */
/* Files below one folder: names that leave it, links, kinds of files, and files that are whole or not there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/folder.h"

struct fixture {
	char path[64];
	struct os_folder *folder;
};

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	strcpy(fixture->path, "/tmp/yare-folder-XXXXXX");
	assert_non_null(mkdtemp(fixture->path));
	assert_int_equal(chdir(fixture->path), 0);
	assert_int_equal(mkdir("in", 0700), 0);
	assert_int_equal(mkdir("in/sub", 0700), 0);
	assert_int_equal(os_folder_open("in", &fixture->folder), ST_OK);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	char command[128];
	os_folder_close(fixture->folder);
	assert_int_equal(chdir("/"), 0);
	snprintf(command, sizeof(command), "rm -r %s", fixture->path);
	assert_int_equal(system(command), 0);
	free(fixture);
	return 0;
}

static enum status write_whole(struct os_folder *folder, const char *path, const char *text)
{
	struct os_folder_file *file;
	enum status status = os_folder_create(folder, path, &file);
	if (status != ST_OK)
		return status;
	assert_int_equal(os_folder_write(file, bytes_of(text)), ST_OK);
	return os_folder_commit(file);
}

static enum status read_whole(struct os_folder *folder, const char *path, char out[64])
{
	struct os_folder_file *file;
	enum status status = os_folder_find(folder, path, &file);
	size_t got = 0;
	if (status != ST_OK)
		return status;
	assert_int_equal(os_folder_read(file, out, 63, &got), ST_OK);
	out[got] = '\0';
	os_folder_end(file);
	return ST_OK;
}

static size_t count_entries(const char *path)
{
	size_t count = 0;
	DIR *dir = opendir(path);
	assert_non_null(dir);
	for (const struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir))
		count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	closedir(dir);
	return count;
}

static void whole_or_not_there(void **state)
{
	struct os_folder *folder = ((struct fixture *)*state)->folder;
	struct os_folder_file *file;
	char text[64];
	assert_int_equal(read_whole(folder, "sub/a", text), ST_ABSENT);
	assert_int_equal(os_folder_create(folder, "sub/a", &file), ST_OK);
	assert_int_equal(os_folder_write(file, bytes_of("one")), ST_OK);
	assert_int_equal(read_whole(folder, "sub/a", text), ST_ABSENT);
	os_folder_end(file);
	assert_int_equal(count_entries("in/sub"), 0);
	assert_int_equal(write_whole(folder, "sub/a", "one"), ST_OK);
	assert_int_equal(write_whole(folder, "sub/a", "two"), ST_OK);
	assert_int_equal(read_whole(folder, "sub/a", text), ST_OK);
	assert_string_equal(text, "two");
	assert_int_equal(count_entries("in/sub"), 1);
	assert_int_equal(os_folder_remove(folder, "sub/a"), ST_OK);
	assert_int_equal(os_folder_remove(folder, "sub/a"), ST_ABSENT);
}

static void expect_refused(struct os_folder *folder, const char *path)
{
	struct os_folder_file *file;
	assert_int_not_equal(os_folder_find(folder, path, &file), ST_OK);
	assert_int_not_equal(os_folder_create(folder, path, &file), ST_OK);
	assert_int_not_equal(os_folder_remove(folder, path), ST_OK);
}

static void names_do_not_leave(void **state)
{
	struct os_folder *folder = ((struct fixture *)*state)->folder;
	static const char *const names[] = {"",		"/",   "/in/sub/x", "../x", "..", ".",
					    "sub/../x", "./x", "sub//x",    "sub/", ".x", "x/y"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		expect_refused(folder, names[i]);
	char name[300];
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	expect_refused(folder, name);
	assert_int_equal(count_entries("."), 1);
}

static void links_are_not_followed(void **state)
{
	struct os_folder *folder = ((struct fixture *)*state)->folder;
	assert_int_equal(mkdir("out", 0700), 0);
	assert_int_equal(symlink("../out", "in/up"), 0);
	assert_int_equal(symlink("../out/file", "in/file"), 0);
	assert_int_equal(symlink("sub", "in/same"), 0);
	int fd = open("out/file", O_CREAT | O_WRONLY, 0600);
	assert_true(fd >= 0);
	close(fd);
	expect_refused(folder, "up/file");
	expect_refused(folder, "file");
	expect_refused(folder, "same/x");
	assert_int_equal(access("out/file", F_OK), 0);
	assert_int_equal(count_entries("out"), 1);
}

static void only_files(void **state)
{
	struct os_folder *folder = ((struct fixture *)*state)->folder;
	assert_int_equal(mkfifo("in/fifo", 0600), 0);
	expect_refused(folder, "fifo");
	expect_refused(folder, "sub");
	assert_int_equal(count_entries("in"), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(whole_or_not_there, set_up, tear_down),
		cmocka_unit_test_setup_teardown(names_do_not_leave, set_up, tear_down),
		cmocka_unit_test_setup_teardown(links_are_not_followed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(only_files, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
