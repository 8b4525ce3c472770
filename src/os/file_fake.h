/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * A file system in memory for tests: counts operations, fails the n-th of a kind, cuts the power.
 *
 *     struct os_fs *fs = os_fs_fake_new();
 *     os_fs_fake_fail(fs, OS_FS_SYNC, 3, ST_IO);      the third sync from now fails
 *     ... work ...
 *     os_fs_fake_power_cut(fs, seed);                 everything fails from here on
 *     os_fs_fake_power_on(fs);                        recover from what is left
 *
 * All directories exist from the start. Threads as in file.h.
 */
#include "os/file.h"

enum os_fs_kind {
	OS_FS_OPEN,
	OS_FS_READ,
	OS_FS_WRITE,
	OS_FS_SYNC,
	OS_FS_PREALLOCATE,
	OS_FS_TRUNCATE,
	OS_FS_RENAME,
	OS_FS_UNLINK,
	OS_FS_SYNC_DIR,
	OS_FS_MAKE_DIR,
	OS_FS_LIST,
	OS_FS_KINDS, /* how many there are */
};

struct os_fs *os_fs_fake_new(void);
/* Needs all its files closed. */
void os_fs_fake_free(struct os_fs *fs);
/* Operations of a kind so far, failed ones included. */
uint64_t os_fs_fake_count(struct os_fs *fs, enum os_fs_kind kind);
/* Lets the `nth` operation of the kind from now on (1: the next) fail with ST_IO or ST_LIMIT; once. A failing
 * write writes half. 0 takes the order back. */
void os_fs_fake_fail(struct os_fs *fs, enum os_fs_kind kind, uint64_t nth, enum status status);
/* Whether the failure that was ordered has not happened yet. */
bool os_fs_fake_fail_pending(struct os_fs *fs, enum os_fs_kind kind);
/* From now on `hook` is called before each operation, outside of any lock, so that it may block or cut the
 * power. Set it before threads use the fs. NULL: none. */
void os_fs_fake_set_hook(struct os_fs *fs, void (*hook)(enum os_fs_kind kind, void *arg), void *arg);
/*
 * Everything not synced is lost. With seed 0 all of it; else what a disk may do: of the unsynced writes any
 * sectors of 512 bytes survive, and a first part of the unsynced changes of directories. Every operation
 * fails with ST_IO until power is on again; files that were open by then fail ever after (close them), their
 * locks are gone.
 */
void os_fs_fake_power_cut(struct os_fs *fs, uint64_t seed);
void os_fs_fake_power_on(struct os_fs *fs);
/* Flips the bits of `mask` in one byte of a file, as a bad disk does. Needs the file, of that size at least.
 */
void os_fs_fake_corrupt(struct os_fs *fs, const char *path, uint64_t offset, unsigned char mask);
