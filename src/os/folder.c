/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files below one folder. The walk opens each folder on the way with O_NOFOLLOW relative to the one before,
 * so a link that somebody puts there, at whatever moment, is never followed, and the descriptor that is
 * reached is where the file is opened, made or removed. A FIFO or device at the end would hang or act: it is
 * opened without blocking and refused by its kind.
 *
 *     folder/a/b.xml      name "b.xml" in the folder "a"
 *     folder/a/.b.xml.N   while it is written; N: process and number
 */
#include "os/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

#define NAME_MAX_SIZE 200 /* bytes of one name, so that the temporary one has room */
#define TEMPORARY_SIZE (NAME_MAX_SIZE + 48)

struct os_folder {
	int fd;
	_Atomic uint64_t serial; /* of temporary names */
};

struct os_folder_file {
	int parent; /* the folder that the name is in; -1: the file is only read */
	int fd;
	char name[NAME_MAX_SIZE + 1];
	char temporary[TEMPORARY_SIZE];
};

static enum status status_of_errno(void)
{
	switch (errno) {
	case ENOENT:
		return ST_ABSENT;
	case ELOOP:
	case ENOTDIR:
	case EISDIR:
	case ENXIO:
		return ST_REJECTED;
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

enum status os_folder_open(const char *path, struct os_folder **folder)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return status_of_errno();
	*folder = memory_zalloc(sizeof(**folder));
	(*folder)->fd = fd;
	return ST_OK;
}

void os_folder_close(struct os_folder *folder)
{
	if (folder == NULL)
		return;
	close(folder->fd);
	memory_free(folder);
}

/* The next name of the path; false where it is none that may be. */
static bool take_name(const char **path, char name[NAME_MAX_SIZE + 1])
{
	size_t size = strcspn(*path, "/");
	if (size == 0 || size > NAME_MAX_SIZE || **path == '.')
		return false;
	memcpy(name, *path, size);
	name[size] = '\0';
	*path += size;
	return true;
}

/* The folder that the path's last name is in, as a descriptor of the caller's. */
static enum status walk(const struct os_folder *folder, const char *path, char name[NAME_MAX_SIZE + 1],
			int *parent)
{
	if (!take_name(&path, name))
		return ST_REJECTED;
	int at = openat(folder->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	while (at >= 0 && *path == '/') {
		path++;
		int next = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		int error = errno;
		close(at);
		errno = error;
		at = next;
		if (at >= 0 && !take_name(&path, name)) {
			close(at);
			return ST_REJECTED;
		}
	}
	if (at < 0)
		return status_of_errno();
	*parent = at;
	return ST_OK;
}

static struct os_folder_file *new_file(int parent, int fd, const char *name)
{
	struct os_folder_file *file = memory_zalloc(sizeof(*file));
	file->parent = parent;
	file->fd = fd;
	memcpy(file->name, name, strlen(name) + 1);
	return file;
}

static bool is_regular(int fd)
{
	struct stat info;
	return fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
}

enum status os_folder_find(struct os_folder *folder, const char *path, struct os_folder_file **file)
{
	char name[NAME_MAX_SIZE + 1];
	int parent;
	enum status status = walk(folder, path, name, &parent);
	if (status != ST_OK)
		return status;
	int fd = openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		status = status_of_errno();
	close(parent);
	if (fd >= 0 && !is_regular(fd)) {
		close(fd);
		return ST_REJECTED;
	}
	if (status == ST_OK)
		*file = new_file(-1, fd, name);
	return status;
}

enum status os_folder_read(struct os_folder_file *file, char *data, size_t size, size_t *got)
{
	ssize_t count;
	do
		count = read(file->fd, data, size);
	while (count < 0 && errno == EINTR);
	if (count < 0)
		return status_of_errno();
	*got = (size_t)count;
	return ST_OK;
}

/* Something that is no file is not replaced. */
static enum status check_replaceable(int parent, const char *name)
{
	struct stat info;
	if (fstatat(parent, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? ST_OK : status_of_errno();
	return S_ISREG(info.st_mode) ? ST_OK : ST_REJECTED;
}

enum status os_folder_create(struct os_folder *folder, const char *path, struct os_folder_file **file)
{
	char name[NAME_MAX_SIZE + 1], temporary[TEMPORARY_SIZE];
	int parent, fd = -1;
	enum status status = walk(folder, path, name, &parent);
	if (status != ST_OK)
		return status;
	snprintf(temporary, sizeof(temporary), ".%s.%ld-%" PRIu64, name, (long)getpid(),
		 atomic_fetch_add(&folder->serial, 1));
	status = check_replaceable(parent, name);
	if (status == ST_OK)
		fd = openat(parent, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (status == ST_OK && fd < 0)
		status = status_of_errno();
	if (status != ST_OK) {
		close(parent);
		return status;
	}
	*file = new_file(parent, fd, name);
	memcpy((*file)->temporary, temporary, strlen(temporary) + 1);
	return ST_OK;
}

enum status os_folder_write(struct os_folder_file *file, struct bytes bytes)
{
	while (bytes.size > 0) {
		ssize_t count = write(file->fd, bytes.data, bytes.size);
		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return status_of_errno();
		bytes.data += count;
		bytes.size -= (size_t)count;
	}
	return ST_OK;
}

static void free_file(struct os_folder_file *file)
{
	close(file->fd);
	if (file->parent >= 0)
		close(file->parent);
	memory_free(file);
}

enum status os_folder_commit(struct os_folder_file *file)
{
	enum status status = ST_OK;
	if (fsync(file->fd) != 0 || renameat(file->parent, file->temporary, file->parent, file->name) != 0) {
		status = status_of_errno();
		os_folder_end(file);
		return status;
	}
	if (fsync(file->parent) != 0)
		status = status_of_errno();
	free_file(file);
	return status;
}

void os_folder_end(struct os_folder_file *file)
{
	if (file == NULL)
		return;
	if (file->parent >= 0)
		unlinkat(file->parent, file->temporary, 0);
	free_file(file);
}

enum status os_folder_remove(struct os_folder *folder, const char *path)
{
	char name[NAME_MAX_SIZE + 1];
	int parent;
	enum status status = walk(folder, path, name, &parent);
	if (status != ST_OK)
		return status;
	struct stat info;
	if (fstatat(parent, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
		status = status_of_errno();
	else if (!S_ISREG(info.st_mode))
		status = ST_REJECTED;
	else if (unlinkat(parent, name, 0) != 0 || fsync(parent) != 0)
		status = status_of_errno();
	close(parent);
	return status;
}
