/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel's files. Positions are explicit (pread, pwrite), so a file has no state but its descriptor, and
 * one thread may sync what another one appends to. Short transfers and signals are dealt with here; errno
 * becomes a status here. A failed fdatasync is never tried again, see file.h.
 *
 * What is written durably goes to the disk from where it is (O_DIRECT), which spares the page cache, its
 * locks and its bookkeeping: a fifth of the processor time of a small write and its sync. Where the file
 * system does not have that, it is a write and a sync.
 */
#include "os/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"

#define READ_CHUNK ((size_t)64 << 10) /* bytes */

/* How to write durably. */
enum directness {
	DIRECTNESS_UNKNOWN,
	DIRECTNESS_DIRECT, /* the descriptor has O_DIRECT */
	DIRECTNESS_CACHED, /* it cannot have it */
};

struct real_file {
	struct os_file base;
	int fd;
	enum directness directness;
};

static int fd_of(struct os_file *file)
{
	return ((struct real_file *)file)->fd;
}

static enum status status_of(int error)
{
	switch (error) {
	case 0:
		return ST_OK;
	case ENOENT:
		return ST_ABSENT;
	case EEXIST:
	case EWOULDBLOCK:
		return ST_BUSY;
	case ENOSPC:
	case EDQUOT:
	case EFBIG:
	case EMFILE:
	case ENFILE:
	case ENOMEM:
		return ST_LIMIT;
	default:
		return ST_IO;
	}
}

/* The status; the log gets the reason, which the status is too coarse for, where it is one of the world's.
 * `path`: NULL where it is not at hand. */
static enum status failed(const char *what, const char *path)
{
	int error = errno;
	enum status status = status_of(error);
	if (status == ST_IO || status == ST_LIMIT)
		log_warning("%s%s%s: %s", path != NULL ? path : "", path != NULL ? ": " : "", what,
			    strerror(error));
	return status;
}

static enum status status_of_call(int result, const char *what, const char *path)
{
	return result < 0 ? failed(what, path) : ST_OK;
}

static enum status real_open(struct os_fs *fs, const char *path, enum os_open_mode mode,
			     struct os_file **file)
{
	static const int flags[] = {
		[OS_OPEN_READ] = O_RDONLY | O_NONBLOCK | O_NOCTTY, /* a pipe in a file's place: no waiting */
		[OS_OPEN_UPDATE] = O_RDWR,
		[OS_OPEN_CREATE] = O_RDWR | O_CREAT,
		[OS_OPEN_NEW] = O_RDWR | O_CREAT | O_EXCL,
	};
	int fd = open(path, flags[mode] | O_CLOEXEC, 0600);
	if (fd < 0)
		return failed("cannot be opened", path);
	struct real_file *made = memory_alloc(sizeof(*made));
	*made = (struct real_file){.base = {.fs = fs}, .fd = fd};
	*file = &made->base;
	return ST_OK;
}

static void real_close(struct os_file *file)
{
	if (!file)
		return;
	close(fd_of(file));
	memory_free(file);
}

static enum status real_read(struct os_file *file, uint64_t offset, char *data, size_t size, size_t *got)
{
	size_t done = 0;
	while (done < size) {
		ssize_t part = pread(fd_of(file), data + done, size - done, (off_t)(offset + done));
		if (part < 0 && errno == EINTR)
			continue;
		if (part < 0)
			return failed("a read failed", NULL);
		if (part == 0)
			break;
		done += (size_t)part;
	}
	*got = done;
	return ST_OK;
}

static enum status real_write(struct os_file *file, uint64_t offset, struct bytes bytes)
{
	for (size_t done = 0; done < bytes.size;) {
		ssize_t part =
			pwrite(fd_of(file), bytes.data + done, bytes.size - done, (off_t)(offset + done));
		if (part < 0 && errno != EINTR)
			return failed("a write failed", NULL);
		done += part < 0 ? 0 : (size_t)part;
	}
	return ST_OK;
}

static enum status real_sync(struct os_file *file)
{
	return status_of_call(fdatasync(fd_of(file)), "a sync failed", NULL);
}

/* Whether the descriptor is set so now. */
static bool set_direct(int fd, bool direct)
{
	int flags = fcntl(fd, F_GETFL);
	return flags >= 0 && fcntl(fd, F_SETFL, direct ? flags | O_DIRECT : flags & ~O_DIRECT) == 0;
}

/* Writes from bytes on; *done says how much was. False: it is not possible directly, or failed; see errno. */
static bool write_direct(int fd, uint64_t offset, struct bytes bytes, size_t *done)
{
	while (*done < bytes.size) {
		struct iovec rest = {(char *)bytes.data + *done, bytes.size - *done};
		ssize_t part = pwritev2(fd, &rest, 1, (off_t)(offset + *done), RWF_DSYNC);
		if (part < 0 && errno != EINTR)
			return false;
		*done += part < 0 ? 0 : (size_t)part;
	}
	return true;
}

static enum status real_write_durably(struct os_file *file, uint64_t offset, struct bytes bytes)
{
	struct real_file *real = (struct real_file *)file;
	size_t done = 0;
	if (real->directness == DIRECTNESS_UNKNOWN)
		real->directness = set_direct(real->fd, true) ? DIRECTNESS_DIRECT : DIRECTNESS_CACHED;
	if (real->directness == DIRECTNESS_DIRECT) {
		if (write_direct(real->fd, offset, bytes, &done))
			return ST_OK;
		/* These say that it is not done so here, nothing of the disk. */
		if (errno != EINVAL && errno != EOPNOTSUPP && errno != ENOSYS)
			return failed("a write or its sync failed", NULL);
		if (!set_direct(real->fd, false))
			return failed("a file cannot be written", NULL);
		real->directness = DIRECTNESS_CACHED;
	}
	enum status status =
		real_write(file, offset + done, (struct bytes){bytes.data + done, bytes.size - done});
	return status == ST_OK ? real_sync(file) : status;
}

static enum status real_preallocate(struct os_file *file, uint64_t size)
{
	if (size == 0)
		return ST_OK;
	int error;
	do
		error = posix_fallocate(fd_of(file), 0, (off_t)size);
	while (error == EINTR);
	errno = error;
	return status_of_call(error != 0 ? -1 : 0, "no room for a file", NULL);
}

static enum status real_truncate(struct os_file *file, uint64_t size)
{
	return status_of_call(ftruncate(fd_of(file), (off_t)size), "a file cannot be truncated", NULL);
}

static enum status real_size(struct os_file *file, uint64_t *size)
{
	struct stat stat;
	if (fstat(fd_of(file), &stat) != 0)
		return status_of(errno);
	*size = (uint64_t)stat.st_size;
	return ST_OK;
}

static enum status real_find_data(struct os_file *file, uint64_t offset, uint64_t *start, uint64_t *end)
{
	uint64_t size;
	enum status status = real_size(file, &size);
	if (status != ST_OK)
		return status;
	*start = *end = size;
	if (offset >= size)
		return ST_OK;
	off_t data = lseek(fd_of(file), (off_t)offset, SEEK_DATA);
	if (data < 0 && errno == ENXIO)
		return ST_OK;
	/* Not all file systems can tell. */
	*start = data >= 0 ? (uint64_t)data : offset;
	off_t hole = data >= 0 ? lseek(fd_of(file), data, SEEK_HOLE) : -1;
	*end = hole >= 0 ? (uint64_t)hole : size;
	return ST_OK;
}

static enum status real_lock(struct os_file *file)
{
	return status_of_call(flock(fd_of(file), LOCK_EX | LOCK_NB), "a file cannot be locked", NULL);
}

static enum status real_rename(struct os_fs *fs, const char *from, const char *to)
{
	(void)fs;
	return status_of_call(rename(from, to), "cannot be renamed", from);
}

static enum status real_unlink(struct os_fs *fs, const char *path)
{
	(void)fs;
	return status_of_call(unlink(path), "cannot be removed", path);
}

static enum status real_kind(struct os_fs *fs, const char *path, enum os_kind *kind)
{
	(void)fs;
	struct stat found;
	if (lstat(path, &found) != 0)
		return failed("cannot be looked at", path);
	bool is_link = S_ISLNK(found.st_mode);
	bool is_file = is_link ? stat(path, &found) == 0 && S_ISREG(found.st_mode) : S_ISREG(found.st_mode);
	*kind = is_file ? OS_KIND_FILE : !is_link && S_ISDIR(found.st_mode) ? OS_KIND_FOLDER : OS_KIND_OTHER;
	return ST_OK;
}

static enum status real_sync_dir(struct os_fs *fs, const char *path)
{
	(void)fs;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return failed("cannot be opened", path);
	enum status status = status_of_call(fsync(fd), "cannot be synced", path);
	close(fd);
	return status;
}

static enum status real_make_dir(struct os_fs *fs, const char *path)
{
	(void)fs;
	struct stat stat_of;
	if (mkdir(path, 0700) == 0)
		return ST_OK;
	if (errno != EEXIST)
		return failed("cannot be made", path);
	return stat(path, &stat_of) == 0 && S_ISDIR(stat_of.st_mode) ? ST_OK : ST_IO;
}

static enum status real_list(struct os_fs *fs, const char *path, void (*visit)(const char *name, void *arg),
			     void *arg)
{
	(void)fs;
	DIR *dir = opendir(path);
	if (!dir)
		return status_of(errno);
	errno = 0;
	for (struct dirent *entry = readdir(dir); entry; errno = 0, entry = readdir(dir)) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			visit(entry->d_name, arg);
	}
	enum status status = status_of(errno);
	closedir(dir);
	return status;
}

struct os_fs *os_fs_real(void)
{
	/* Never written; not const only because every os_fs is passed as one that may be. */
	static struct os_fs real = {
		.open = real_open,
		.close = real_close,
		.read = real_read,
		.write = real_write,
		.sync = real_sync,
		.write_durably = real_write_durably,
		.preallocate = real_preallocate,
		.truncate = real_truncate,
		.size = real_size,
		.find_data = real_find_data,
		.lock = real_lock,
		.rename = real_rename,
		.unlink = real_unlink,
		.kind = real_kind,
		.sync_dir = real_sync_dir,
		.make_dir = real_make_dir,
		.list = real_list,
	};
	return &real;
}

enum status os_fs_read_whole(struct os_fs *fs, const char *path, size_t limit, struct buffer *buffer)
{
	struct os_file *file;
	enum status status = fs->open(fs, path, OS_OPEN_READ, &file);
	if (status != ST_OK)
		return status;
	size_t total = 0, got = READ_CHUNK;
	while (status == ST_OK && got == READ_CHUNK) {
		char chunk[READ_CHUNK];
		status = fs->read(file, total, chunk, READ_CHUNK, &got);
		if (status == ST_OK && got > limit - total)
			status = ST_LIMIT;
		if (status == ST_OK)
			status = buffer_append(buffer, (struct bytes){chunk, got});
		if (status == ST_OK)
			total += got;
	}
	if (status != ST_OK)
		buffer_cut(buffer, total);
	fs->close(file);
	return status;
}

enum status os_path_read(const char *path, size_t limit, struct buffer *buffer)
{
	return os_fs_read_whole(os_fs_real(), path, limit, buffer);
}
