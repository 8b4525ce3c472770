/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Files, as the journal needs them, behind a table of functions: os_fs_real() is the kernel's,
 * os_fs_fake_new() lives in memory, fails on demand and loses what was not synced when its power is cut.
 *
 *     struct os_file *file;
 *     status = fs->open(fs, "data/journal.1", OS_OPEN_NEW, &file);
 *     status = fs->write(file, 0, bytes);
 *     status = fs->sync(file);
 *     fs->close(file);
 *     status = fs->sync_dir(fs, "data");
 *
 * Every call fails with ST_ABSENT for a path that does not exist, ST_LIMIT when the disk is full (or a quota
 * or a limit of size is reached), ST_IO for all else; other statuses are named below. After a failed sync
 * nothing that the file had unsynced may be relied on, and a later sync that succeeds says nothing about it.
 *
 * Different threads may use one os_fs and one os_file (write and sync of the journal), but not open or close
 * a file that another one uses.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buffer.h"
#include "base/bytes.h"
#include "base/status.h"

struct os_fs;

#define OS_BLOCK_SIZE ((size_t)4096) /* bytes */

struct os_file {
	struct os_fs *fs; /* where it was opened; what follows belongs to the implementation */
};

enum os_open_mode {
	OS_OPEN_READ,	/* must exist; no writing */
	OS_OPEN_UPDATE, /* must exist; reading and writing */
	OS_OPEN_CREATE, /* as UPDATE, made empty (mode 0600) where absent */
	OS_OPEN_NEW,	/* made empty; ST_BUSY where it exists */
};

enum os_kind {
	OS_KIND_FILE,	/* also by a symbolic link */
	OS_KIND_FOLDER, /* not by a link */
	OS_KIND_OTHER	/* a pipe, a device, a link that leads nowhere or to a folder */
};

struct os_fs {
	enum status (*open)(struct os_fs *fs, const char *path, enum os_open_mode mode,
			    struct os_file **file) MUST_USE;
	void (*close)(struct os_file *file); /* NULL is allowed; gives up a lock */
	/* Reads up to `size` bytes; `got` is less only at the end of the file. */
	enum status (*read)(struct os_file *file, uint64_t offset, char *data, size_t size,
			    size_t *got) MUST_USE;
	/* Writes all bytes. A failed write may have written some of them. */
	enum status (*write)(struct os_file *file, uint64_t offset, struct bytes bytes) MUST_USE;
	enum status (*sync)(struct os_file *file) MUST_USE; /* fdatasync: content and size */
	/* Writes all bytes, which are durable when it returns: a write and a sync of these in one, past the
	 * system's cache where it can be. Needs data, offset and size to be multiples of OS_BLOCK_SIZE, and
	 * from then on no read or write of this open file by other means. Fails as write or sync. */
	enum status (*write_durably)(struct os_file *file, uint64_t offset, struct bytes bytes) MUST_USE;
	/* Makes the file at least `size` bytes long, new ones zero, with room on the disk for all of them. */
	enum status (*preallocate)(struct os_file *file, uint64_t size) MUST_USE;
	enum status (*truncate)(struct os_file *file, uint64_t size) MUST_USE;
	enum status (*size)(struct os_file *file, uint64_t *size) MUST_USE;
	/* The first bytes from `offset` on that are not in a hole: from *start up to *end; both the size of
	 * the file where there are none. What is in a hole reads as zero. A file system that knows of no
	 * holes has none. */
	enum status (*find_data)(struct os_file *file, uint64_t offset, uint64_t *start,
				 uint64_t *end) MUST_USE;
	/* An exclusive lock against other processes and other open files, until closed. ST_BUSY: held. */
	enum status (*lock)(struct os_file *file) MUST_USE;

	/* Both paths in one directory; replaces what `to` named. Durable after sync_dir, as are open and
	 * unlink. */
	enum status (*rename)(struct os_fs *fs, const char *from, const char *to) MUST_USE;
	enum status (*unlink)(struct os_fs *fs, const char *path) MUST_USE;
	enum status (*kind)(struct os_fs *fs, const char *path, enum os_kind *kind) MUST_USE;
	enum status (*sync_dir)(struct os_fs *fs, const char *path) MUST_USE;
	enum status (*make_dir)(struct os_fs *fs,
				const char *path) MUST_USE; /* mode 0700; ST_OK where it exists */
	/* Calls `visit` with the name of each entry but "." and "..", in no order. */
	enum status (*list)(struct os_fs *fs, const char *path, void (*visit)(const char *name, void *arg),
			    void *arg) MUST_USE;
};

/* The kernel's. Shared, never freed. */
struct os_fs *os_fs_real(void);

/* Appends the whole file to the buffer. ST_LIMIT: it has more than `limit` bytes, or the buffer no room. */
enum status os_fs_read_whole(struct os_fs *fs, const char *path, size_t limit,
			     struct buffer *buffer) MUST_USE;
/* The same for a small file of the host: a key, a configuration. */
enum status os_path_read(const char *path, size_t limit, struct buffer *buffer) MUST_USE;
