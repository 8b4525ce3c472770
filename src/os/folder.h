/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * The files below one folder, named by paths from outside: no path leaves the folder. A path is walked one
 * name at a time, and no name is followed where it is a link; empty names and those that begin with a dot are
 * refused, and so is whatever is no regular file at its end.
 *
 *     status = os_folder_open("/var/lib/exports", &folder);
 *     status = os_folder_create(folder, "a/b.xml", &file);       // a temporary file beside it
 *     status = os_folder_write(file, bytes);
 *     status = os_folder_commit(file);                           // synced, and then under its name
 *
 * Fails: ST_ABSENT, there is none; ST_REJECTED, the path is refused; ST_LIMIT, the disk is full; ST_IO.
 * Threads: a folder may be used by many, a file by one.
 */
#include <stddef.h>
#include "base/bytes.h"
#include "base/status.h"

struct os_folder;
struct os_folder_file;

enum status os_folder_open(const char *path, struct os_folder **folder) MUST_USE;
void os_folder_close(struct os_folder *folder); /* NULL is allowed */

/* For reading. */
enum status os_folder_find(struct os_folder *folder, const char *path, struct os_folder_file **file) MUST_USE;
/* The next bytes; `got` is 0 at the end. */
enum status os_folder_read(struct os_folder_file *file, char *data, size_t size, size_t *got) MUST_USE;
/* For writing; nothing is there under the path's name before the commit. Folders on the way are not made. */
enum status os_folder_create(struct os_folder *folder, const char *path,
			     struct os_folder_file **file) MUST_USE;
enum status os_folder_write(struct os_folder_file *file, struct bytes bytes) MUST_USE;
/* Synced, renamed, the folder synced: the file is whole or not there. Frees `file` in any case. */
enum status os_folder_commit(struct os_folder_file *file) MUST_USE;
/* Of a file that was read, or is not wanted. NULL is allowed. */
void os_folder_end(struct os_folder_file *file);
enum status os_folder_remove(struct os_folder *folder, const char *path) MUST_USE;
