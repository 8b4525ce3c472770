/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files in memory that behave as badly as POSIX allows. There are two of everything, what a running process
 * sees and what would be found after a power cut, and a list of changes from the second to the first:
 *
 *     inode   live content   durable content   pending writes and truncations, in order
 *     fs      live names     durable names     pending links, renames and unlinks, in order
 *
 * A sync applies the pending changes to the durable side. A failed sync forgets them: the process still sees
 * its data, but no later sync makes it durable (as Linux does, which marks pages clean when writing them
 * failed). A power cut applies what chance picks of them and makes the live side a copy of the durable one.
 * Syncing a file does not make its name durable, only sync_dir does. Inodes live until the fs is freed.
 */
#include "os/file_fake.h"

#include <pthread.h>

#include "base/assert.h"
#include "base/memory.h"
#include "base/vector.h"
#include "os/random.h"

#define SECTOR 512u /* bytes that a disk writes wholly or not at all */

struct content {
	char *data;
	size_t size, capacity; /* bytes */
};

/* A pending change of a file: a write, or where data is NULL a change of its size to `offset`. */
struct change {
	char *data; /* owned */
	size_t offset, size;
};

struct inode {
	struct content live, durable;
	struct vector pending; /* struct change */
	struct fake_file *lock_holder;
};

struct name {
	char *path; /* owned */
	struct inode *inode;
};

/* A pending change of a directory: `from` loses its inode (NULL: a new file), `to` gets it (NULL: unlinked).
 */
struct move {
	char *from, *to; /* owned */
	struct inode *inode;
};

struct order {
	uint64_t count;	  /* operations so far */
	uint64_t fail_at; /* the count at which one fails; 0: none */
	enum status status;
};

struct fake {
	struct os_fs base;
	pthread_mutex_t lock;
	struct vector inodes;	     /* struct inode * */
	struct vector live, durable; /* struct name */
	struct vector moves;	     /* struct move */
	struct order orders[OS_FS_KINDS];
	bool power_off;
	uint64_t boot; /* counts power cuts */
	void (*hook)(enum os_fs_kind kind, void *arg);
	void *hook_arg;
};

struct fake_file {
	struct os_file base;
	struct inode *inode;
	bool writable;
	uint64_t boot; /* of the fs when it was opened */
};

static struct fake *fake_of(struct os_fs *fs)
{
	return (struct fake *)fs;
}

/* ---- content ---- */

static void content_resize(struct content *content, size_t size)
{
	if (size > content->capacity) {
		content->capacity = size * 2;
		content->data = memory_resize(content->data, content->capacity, 1);
	}
	if (size > content->size)
		memset(content->data + content->size, 0, size - content->size);
	content->size = size;
}

static void content_apply(struct content *content, const struct change *change)
{
	if (!change->data) {
		content_resize(content, change->offset);
		return;
	}
	if (change->offset + change->size > content->size)
		content_resize(content, change->offset + change->size);
	memcpy(content->data + change->offset, change->data, change->size);
}

/* Applies a write sector by sector, each or not, as a disk may do that loses power. */
static void content_apply_torn(struct content *content, const struct change *change, uint64_t *random)
{
	if (!change->data) {
		if (os_random_next(random) & 1)
			content_apply(content, change);
		return;
	}
	for (size_t at = 0, size; at < change->size; at += size) {
		size = SECTOR - (change->offset + at) % SECTOR;
		if (size > change->size - at)
			size = change->size - at;
		struct change part = {change->data + at, change->offset + at, size};
		if (os_random_next(random) & 1)
			content_apply(content, &part);
	}
}

static void inode_change(struct inode *inode, size_t offset, const char *data, size_t size)
{
	struct change *change = vector_push(&inode->pending);
	*change = (struct change){.offset = offset, .size = size};
	if (data)
		change->data = memcpy(memory_alloc(size), data, size);
	content_apply(&inode->live, change);
}

static void inode_forget_pending(struct inode *inode)
{
	for (size_t i = 0; i < inode->pending.length; i++)
		memory_free(((struct change *)vector_at(&inode->pending, i))->data);
	vector_clear(&inode->pending);
}

static void inode_sync(struct inode *inode)
{
	for (size_t i = 0; i < inode->pending.length; i++)
		content_apply(&inode->durable, vector_at(&inode->pending, i));
	inode_forget_pending(inode);
}

static void inode_cut(struct inode *inode, uint64_t *random)
{
	for (size_t i = 0; random && i < inode->pending.length; i++)
		content_apply_torn(&inode->durable, vector_at(&inode->pending, i), random);
	inode_forget_pending(inode);
	content_resize(&inode->live, inode->durable.size);
	if (inode->durable.size > 0)
		memcpy(inode->live.data, inode->durable.data, inode->durable.size);
	inode->lock_holder = NULL;
}

static void inode_free(struct inode *inode)
{
	inode_forget_pending(inode);
	vector_fini(&inode->pending);
	memory_free(inode->live.data);
	memory_free(inode->durable.data);
	memory_free(inode);
}

/* ---- names ---- */

static struct name *find_name(const struct vector *names, const char *path)
{
	for (size_t i = 0; i < names->length; i++) {
		struct name *name = vector_at(names, i);
		if (strcmp(name->path, path) == 0)
			return name;
	}
	return NULL;
}

static void set_name(struct vector *names, const char *path, struct inode *inode)
{
	struct name *name = find_name(names, path);
	if (!name) {
		name = vector_push(names);
		name->path = memory_strdup(path);
	}
	name->inode = inode;
}

static void remove_name(struct vector *names, const char *path)
{
	struct name *name = find_name(names, path);
	if (!name)
		return;
	memory_free(name->path);
	*name = *(struct name *)vector_at(names, names->length - 1);
	vector_pop(names);
}

static void clear_names(struct vector *names)
{
	for (size_t i = 0; i < names->length; i++)
		memory_free(((struct name *)vector_at(names, i))->path);
	vector_clear(names);
}

/* The rest of the path if it names something directly in the directory, else NULL. */
static const char *name_in(const char *dir, const char *path)
{
	size_t size = strlen(dir);
	if (strcmp(dir, ".") == 0 && !strchr(path, '/'))
		return path;
	if (strncmp(dir, path, size) != 0 || path[size] != '/' || strchr(path + size + 1, '/'))
		return NULL;
	return path + size + 1;
}

static void move_apply(struct vector *names, const struct move *move)
{
	if (move->from)
		remove_name(names, move->from);
	if (move->to)
		set_name(names, move->to, move->inode);
}

static void move_free(struct move *move)
{
	memory_free(move->from);
	memory_free(move->to);
}

static void change_names(struct fake *fake, const char *from, const char *to, struct inode *inode)
{
	struct move *move = vector_push(&fake->moves);
	move->from = from ? memory_strdup(from) : NULL;
	move->to = to ? memory_strdup(to) : NULL;
	move->inode = inode;
	move_apply(&fake->live, move);
}

/* Drops the pending changes of a directory; those that are to be durable are applied first. */
static void settle_moves(struct fake *fake, const char *dir, bool durable)
{
	size_t kept = 0;
	for (size_t i = 0; i < fake->moves.length; i++) {
		struct move *move = vector_at(&fake->moves, i);
		if (!name_in(dir, move->to ? move->to : move->from)) {
			*(struct move *)vector_at(&fake->moves, kept++) = *move;
			continue;
		}
		if (durable)
			move_apply(&fake->durable, move);
		move_free(move);
	}
	fake->moves.length = kept;
}

/* ---- operations ---- */

/* Begins an operation: hook, count, ordered failure. Leaves the fs locked, whatever it gives. */
static enum status begin(struct fake *fake, enum os_fs_kind kind)
{
	if (fake->hook)
		fake->hook(kind, fake->hook_arg);
	pthread_mutex_lock(&fake->lock);
	struct order *order = &fake->orders[kind];
	order->count++;
	if (fake->power_off)
		return ST_IO;
	if (order->fail_at == 0 || order->fail_at != order->count)
		return ST_OK;
	order->fail_at = 0;
	return order->status;
}

static enum status end(struct fake *fake, enum status status)
{
	pthread_mutex_unlock(&fake->lock);
	return status;
}

/* Whether the file outlived a power cut. */
static bool is_dead(const struct fake_file *file)
{
	return fake_of(file->base.fs)->power_off || file->boot != fake_of(file->base.fs)->boot;
}

/* begin() of an operation on an open file. */
static enum status begin_file(struct fake_file *file, enum os_fs_kind kind)
{
	enum status status = begin(fake_of(file->base.fs), kind);
	return is_dead(file) ? ST_IO : status;
}

static enum status find_inode(struct fake *fake, const char *path, enum os_open_mode mode,
			      struct inode **inode)
{
	struct name *name = find_name(&fake->live, path);
	if (name && mode == OS_OPEN_NEW)
		return ST_BUSY;
	if (!name && (mode == OS_OPEN_READ || mode == OS_OPEN_UPDATE))
		return ST_ABSENT;
	if (name) {
		*inode = name->inode;
		return ST_OK;
	}
	*inode = memory_zalloc(sizeof(**inode));
	vector_init(&(*inode)->pending, sizeof(struct change));
	*(struct inode **)vector_push(&fake->inodes) = *inode;
	change_names(fake, NULL, path, *inode);
	return ST_OK;
}

static enum status fake_open(struct os_fs *fs, const char *path, enum os_open_mode mode,
			     struct os_file **file)
{
	struct fake *fake = fake_of(fs);
	struct inode *inode;
	enum status status = begin(fake, OS_FS_OPEN);
	if (status == ST_OK)
		status = find_inode(fake, path, mode, &inode);
	if (status != ST_OK)
		return end(fake, status);
	struct fake_file *made = memory_alloc(sizeof(*made));
	*made = (struct fake_file){{fs}, inode, mode != OS_OPEN_READ, fake->boot};
	*file = &made->base;
	return end(fake, ST_OK);
}

static void fake_close(struct os_file *file)
{
	if (!file)
		return;
	struct fake_file *fake_file = (struct fake_file *)file;
	struct fake *fake = fake_of(file->fs);
	pthread_mutex_lock(&fake->lock);
	if (fake_file->inode->lock_holder == fake_file)
		fake_file->inode->lock_holder = NULL;
	pthread_mutex_unlock(&fake->lock);
	memory_free(fake_file);
}

static enum status fake_read(struct os_file *file, uint64_t offset, char *data, size_t size, size_t *got)
{
	struct fake_file *fake_file = (struct fake_file *)file;
	const struct content *live = &fake_file->inode->live;
	enum status status = begin_file(fake_file, OS_FS_READ);
	if (status != ST_OK)
		return end(fake_of(file->fs), status);
	size_t left = offset < live->size ? live->size - offset : 0;
	*got = size < left ? size : left;
	if (*got > 0)
		memcpy(data, live->data + offset, *got);
	return end(fake_of(file->fs), ST_OK);
}

static enum status fake_write(struct os_file *file, uint64_t offset, struct bytes bytes)
{
	struct fake_file *fake_file = (struct fake_file *)file;
	enum status status = begin_file(fake_file, OS_FS_WRITE);
	if (!fake_file->writable)
		status = ST_IO;
	size_t size = status == ST_OK ? bytes.size : bytes.size / 2;
	if (size > 0 && fake_file->writable && !is_dead(fake_file))
		inode_change(fake_file->inode, offset, bytes.data, size);
	return end(fake_of(file->fs), status);
}

static enum status fake_sync(struct os_file *file)
{
	struct fake_file *fake_file = (struct fake_file *)file;
	enum status status = begin_file(fake_file, OS_FS_SYNC);
	if (status == ST_OK)
		inode_sync(fake_file->inode);
	else if (!is_dead(fake_file))
		inode_forget_pending(fake_file->inode);
	return end(fake_of(file->fs), status);
}

/* Between the two a hook may cut the power. */
static enum status fake_write_durably(struct os_file *file, uint64_t offset, struct bytes bytes)
{
	ASSERT(offset % OS_BLOCK_SIZE == 0 && bytes.size % OS_BLOCK_SIZE == 0);
	ASSERT((uintptr_t)bytes.data % OS_BLOCK_SIZE == 0);
	enum status status = fake_write(file, offset, bytes);
	return status == ST_OK ? fake_sync(file) : status;
}

static enum status resize(struct os_file *file, enum os_fs_kind kind, uint64_t size)
{
	struct fake_file *fake_file = (struct fake_file *)file;
	enum status status = begin_file(fake_file, kind);
	if (status == ST_OK && !fake_file->writable)
		status = ST_IO;
	size_t live_size = fake_file->inode->live.size;
	if (status == ST_OK && (kind == OS_FS_TRUNCATE ? size != live_size : size > live_size))
		inode_change(fake_file->inode, size, NULL, 0);
	return end(fake_of(file->fs), status);
}

static enum status fake_preallocate(struct os_file *file, uint64_t size)
{
	return resize(file, OS_FS_PREALLOCATE, size);
}

static enum status fake_truncate(struct os_file *file, uint64_t size)
{
	return resize(file, OS_FS_TRUNCATE, size);
}

static enum status fake_size(struct os_file *file, uint64_t *size)
{
	struct fake_file *fake_file = (struct fake_file *)file;
	struct fake *fake = fake_of(file->fs);
	pthread_mutex_lock(&fake->lock);
	if (is_dead(fake_file))
		return end(fake, ST_IO);
	*size = fake_file->inode->live.size;
	return end(fake, ST_OK);
}

#define HOLE_SIZE 512u /* bytes of a block that is a hole where all are zero */

static bool is_hole(const struct content *content, size_t block)
{
	size_t end = block + HOLE_SIZE < content->size ? block + HOLE_SIZE : content->size;
	while (block < end && content->data[block] == 0)
		block++;
	return block == end;
}

static enum status fake_find_data(struct os_file *file, uint64_t offset, uint64_t *start, uint64_t *stop)
{
	struct fake_file *fake_file = (struct fake_file *)file;
	struct fake *fake = fake_of(file->fs);
	const struct content *live = &fake_file->inode->live;
	pthread_mutex_lock(&fake->lock);
	if (is_dead(fake_file))
		return end(fake, ST_IO);
	size_t at = offset < live->size ? offset / HOLE_SIZE * HOLE_SIZE : live->size;
	while (at < live->size && is_hole(live, at))
		at += HOLE_SIZE;
	size_t behind = at;
	while (behind < live->size && !is_hole(live, behind))
		behind += HOLE_SIZE;
	*start = at < offset ? offset : at < live->size ? at : live->size;
	*stop = behind < live->size ? behind : live->size;
	if (*start > *stop)
		*start = *stop;
	return end(fake, ST_OK);
}

static enum status fake_lock(struct os_file *file)
{
	struct fake_file *fake_file = (struct fake_file *)file;
	struct fake *fake = fake_of(file->fs);
	pthread_mutex_lock(&fake->lock);
	if (is_dead(fake_file))
		return end(fake, ST_IO);
	struct fake_file **holder = &fake_file->inode->lock_holder;
	if (*holder && *holder != fake_file)
		return end(fake, ST_BUSY);
	*holder = fake_file;
	return end(fake, ST_OK);
}

static enum status fake_rename(struct os_fs *fs, const char *from, const char *to)
{
	struct fake *fake = fake_of(fs);
	enum status status = begin(fake, OS_FS_RENAME);
	if (status != ST_OK)
		return end(fake, status);
	struct name *name = find_name(&fake->live, from);
	if (!name)
		return end(fake, ST_ABSENT);
	change_names(fake, from, to, name->inode);
	return end(fake, ST_OK);
}

static enum status fake_unlink(struct os_fs *fs, const char *path)
{
	struct fake *fake = fake_of(fs);
	enum status status = begin(fake, OS_FS_UNLINK);
	if (status != ST_OK)
		return end(fake, status);
	if (!find_name(&fake->live, path))
		return end(fake, ST_ABSENT);
	change_names(fake, path, NULL, NULL);
	return end(fake, ST_OK);
}

static enum status fake_kind(struct os_fs *fs, const char *path, enum os_kind *kind)
{
	struct fake *fake = fake_of(fs);
	pthread_mutex_lock(&fake->lock);
	if (fake->power_off)
		return end(fake, ST_IO);
	bool is_file = find_name(&fake->live, path) != NULL, is_folder = false;
	for (size_t i = 0; i < fake->live.length; i++)
		is_folder =
			is_folder || name_in(path, ((struct name *)vector_at(&fake->live, i))->path) != NULL;
	*kind = is_file ? OS_KIND_FILE : OS_KIND_FOLDER;
	return end(fake, is_file || is_folder ? ST_OK : ST_ABSENT);
}

static enum status fake_sync_dir(struct os_fs *fs, const char *path)
{
	struct fake *fake = fake_of(fs);
	enum status status = begin(fake, OS_FS_SYNC_DIR);
	if (!fake->power_off)
		settle_moves(fake, path, status == ST_OK);
	return end(fake, status);
}

static enum status fake_make_dir(struct os_fs *fs, const char *path)
{
	(void)path;
	enum status status = begin(fake_of(fs), OS_FS_MAKE_DIR);
	return end(fake_of(fs), status);
}

static enum status fake_list(struct os_fs *fs, const char *path, void (*visit)(const char *name, void *arg),
			     void *arg)
{
	struct fake *fake = fake_of(fs);
	enum status status = begin(fake, OS_FS_LIST);
	if (status != ST_OK)
		return end(fake, status);
	struct vector found; /* copies: `visit` runs unlocked and may call back */
	vector_init(&found, sizeof(char *));
	for (size_t i = 0; i < fake->live.length; i++) {
		const char *name = name_in(path, ((struct name *)vector_at(&fake->live, i))->path);
		if (name)
			*(char **)vector_push(&found) = memory_strdup(name);
	}
	end(fake, ST_OK);
	for (size_t i = 0; i < found.length; i++) {
		char *name = *(char **)vector_at(&found, i);
		visit(name, arg);
		memory_free(name);
	}
	vector_fini(&found);
	return ST_OK;
}

struct os_fs *os_fs_fake_new(void)
{
	struct fake *fake = memory_alloc(sizeof(*fake));
	*fake = (struct fake){.base = {
				      .open = fake_open,
				      .close = fake_close,
				      .read = fake_read,
				      .write = fake_write,
				      .sync = fake_sync,
				      .write_durably = fake_write_durably,
				      .preallocate = fake_preallocate,
				      .truncate = fake_truncate,
				      .size = fake_size,
				      .find_data = fake_find_data,
				      .lock = fake_lock,
				      .rename = fake_rename,
				      .unlink = fake_unlink,
				      .kind = fake_kind,
				      .sync_dir = fake_sync_dir,
				      .make_dir = fake_make_dir,
				      .list = fake_list,
			      }};
	pthread_mutex_init(&fake->lock, NULL);
	vector_init(&fake->inodes, sizeof(struct inode *));
	vector_init(&fake->live, sizeof(struct name));
	vector_init(&fake->durable, sizeof(struct name));
	vector_init(&fake->moves, sizeof(struct move));
	return &fake->base;
}

void os_fs_fake_free(struct os_fs *fs)
{
	if (!fs)
		return;
	struct fake *fake = fake_of(fs);
	for (size_t i = 0; i < fake->inodes.length; i++)
		inode_free(*(struct inode **)vector_at(&fake->inodes, i));
	for (size_t i = 0; i < fake->moves.length; i++)
		move_free(vector_at(&fake->moves, i));
	clear_names(&fake->live);
	clear_names(&fake->durable);
	vector_fini(&fake->inodes);
	vector_fini(&fake->moves);
	vector_fini(&fake->live);
	vector_fini(&fake->durable);
	pthread_mutex_destroy(&fake->lock);
	memory_free(fake);
}

uint64_t os_fs_fake_count(struct os_fs *fs, enum os_fs_kind kind)
{
	struct fake *fake = fake_of(fs);
	pthread_mutex_lock(&fake->lock);
	uint64_t count = fake->orders[kind].count;
	pthread_mutex_unlock(&fake->lock);
	return count;
}

void os_fs_fake_fail(struct os_fs *fs, enum os_fs_kind kind, uint64_t nth, enum status status)
{
	struct fake *fake = fake_of(fs);
	pthread_mutex_lock(&fake->lock);
	struct order *order = &fake->orders[kind];
	order->fail_at = nth ? order->count + nth : 0;
	order->status = status;
	pthread_mutex_unlock(&fake->lock);
}

bool os_fs_fake_fail_pending(struct os_fs *fs, enum os_fs_kind kind)
{
	struct fake *fake = fake_of(fs);
	pthread_mutex_lock(&fake->lock);
	bool pending = fake->orders[kind].fail_at != 0;
	pthread_mutex_unlock(&fake->lock);
	return pending;
}

void os_fs_fake_set_hook(struct os_fs *fs, void (*hook)(enum os_fs_kind kind, void *arg), void *arg)
{
	fake_of(fs)->hook = hook;
	fake_of(fs)->hook_arg = arg;
}

void os_fs_fake_power_cut(struct os_fs *fs, uint64_t seed)
{
	struct fake *fake = fake_of(fs);
	uint64_t *random = seed ? &seed : NULL;
	pthread_mutex_lock(&fake->lock);
	bool settling = random != NULL;
	for (size_t i = 0; i < fake->moves.length; i++) {
		struct move *move = vector_at(&fake->moves, i);
		settling = settling && os_random_next(random) % 4 != 0;
		if (settling)
			move_apply(&fake->durable, move);
		move_free(move);
	}
	vector_clear(&fake->moves);
	for (size_t i = 0; i < fake->inodes.length; i++)
		inode_cut(*(struct inode **)vector_at(&fake->inodes, i), random);
	clear_names(&fake->live);
	for (size_t i = 0; i < fake->durable.length; i++) {
		const struct name *name = vector_at(&fake->durable, i);
		set_name(&fake->live, name->path, name->inode);
	}
	fake->power_off = true;
	fake->boot++;
	pthread_mutex_unlock(&fake->lock);
}

void os_fs_fake_power_on(struct os_fs *fs)
{
	struct fake *fake = fake_of(fs);
	pthread_mutex_lock(&fake->lock);
	fake->power_off = false;
	pthread_mutex_unlock(&fake->lock);
}

void os_fs_fake_corrupt(struct os_fs *fs, const char *path, uint64_t offset, unsigned char mask)
{
	struct fake *fake = fake_of(fs);
	pthread_mutex_lock(&fake->lock);
	struct name *name = find_name(&fake->live, path);
	ASSERT(name && offset < name->inode->live.size);
	name->inode->live.data[offset] ^= (char)mask;
	if (offset < name->inode->durable.size)
		name->inode->durable.data[offset] ^= (char)mask;
	pthread_mutex_unlock(&fake->lock);
}
