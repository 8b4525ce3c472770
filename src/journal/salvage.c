/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Salvage, in steps that can be repeated (salvage.h):
 *
 *     1  new files as NAME.tmp, synced
 *     2  `recovering`, synced: the folder's name, and the name of each new file that replaces none
 *     3  what is not kept is renamed into the folder, both directories synced
 *     4  NAME.tmp gets its name, directory synced
 *     5  `recovering` goes
 *
 * A crash before 2 leaves temporary files. Between 2 and 5 the originals are in the directory or in the
 * folder, and new files are named in `recovering`: taking back is to remove those, and to move all that is in
 * the folder back.
 */
#include "journal/salvage.h"
#include <inttypes.h>
#include <stdio.h>
#include "base/assert.h"
#include "base/log.h"
#include "base/memory.h"
#include "journal/internal.h"

#define ASIDE_SIZE 32 /* bytes of the folder's name */
#define MARKER_MAX ((size_t)1 << 20)
#define CHUNK ((size_t)1 << 20)

struct journal_salvage {
	struct os_fs *fs;
	char *dir;
	struct os_file *lock;
	char aside[ASIDE_SIZE];
	struct vector made;    /* char *, owned: final names of new files */
	struct vector kept;    /* char *, owned */
	struct vector dropped; /* char *, owned: of others than journals and snapshots */
	struct vector moved;   /* char *, owned: what is set aside */
	/* The segment that is made: */
	struct os_file *file;
	struct journal__header header;
	uint64_t end, last_version;
	uint32_t checksum;
};

static void path_of(const struct journal_salvage *salvage, const char *folder, const char *name,
		    char path[JOURNAL__PATH_SIZE])
{
	int size = snprintf(path, JOURNAL__PATH_SIZE, "%s%s%s/%s", salvage->dir, folder[0] != '\0' ? "/" : "",
			    folder, name);
	ASSERT(size > 0 && (size_t)size < JOURNAL__PATH_SIZE);
}

/* ---- lists of names ---- */

static void add_name(struct vector *names, const char *name)
{
	*(char **)vector_push(names) = memory_strdup(name);
}

static const char *name_at(const struct vector *names, size_t index)
{
	return *(char **)vector_at(names, index);
}

static bool has_name(const struct vector *names, const char *name)
{
	for (size_t i = 0; i < names->length; i++) {
		if (strcmp(name_at(names, i), name) == 0)
			return true;
	}
	return false;
}

static void names_fini(struct vector *names)
{
	for (size_t i = 0; i < names->length; i++)
		memory_free(*(char **)vector_at(names, i));
	vector_fini(names);
}

static void list_name(const char *name, void *arg)
{
	add_name(arg, name);
}

/* The names in a folder of the directory; "": the directory itself. One that is not there is empty. */
static enum status list_folder(const struct journal_salvage *salvage, const char *folder,
			       struct vector *names)
{
	char path[JOURNAL__PATH_SIZE];
	vector_init(names, sizeof(char *));
	snprintf(path, sizeof(path), "%s%s%s", salvage->dir, folder[0] != '\0' ? "/" : "", folder);
	enum status status = salvage->fs->list(salvage->fs, path, list_name, names);
	return status == ST_ABSENT ? ST_OK : status;
}

/* ---- taking back ---- */

static enum status move_back(struct journal_salvage *salvage, const char *folder)
{
	struct vector names;
	char from[JOURNAL__PATH_SIZE], to[JOURNAL__PATH_SIZE];
	enum status status = list_folder(salvage, folder, &names);
	for (size_t i = 0; i < names.length && status == ST_OK; i++) {
		path_of(salvage, folder, name_at(&names, i), from);
		path_of(salvage, "", name_at(&names, i), to);
		status = salvage->fs->rename(salvage->fs, from, to);
	}
	names_fini(&names);
	return status;
}

static enum status remove_file(struct journal_salvage *salvage, const char *name)
{
	char path[JOURNAL__PATH_SIZE];
	path_of(salvage, "", name, path);
	enum status status = salvage->fs->unlink(salvage->fs, path);
	return status == ST_ABSENT ? ST_OK : status;
}

/* Lines: "aside FOLDER" first, then "new NAME". */
static enum status take_back(struct journal_salvage *salvage, char *text)
{
	char *rest, *line = strtok_r(text, "\n", &rest), *folder;
	if (line == NULL || strncmp(line, "aside set-aside.", 16) != 0 || strchr(line, '/') != NULL)
		return ST_CORRUPT;
	folder = line + 6;
	enum status status = ST_OK;
	while ((line = strtok_r(NULL, "\n", &rest)) != NULL && status == ST_OK) {
		if (strncmp(line, "new ", 4) != 0 || strchr(line, '/') != NULL)
			return ST_CORRUPT;
		status = remove_file(salvage, line + 4);
	}
	if (status == ST_OK)
		status = move_back(salvage, folder);
	if (status == ST_OK)
		status = salvage->fs->sync_dir(salvage->fs, salvage->dir);
	if (status == ST_OK)
		status = remove_file(salvage, JOURNAL__RECOVERING);
	return status == ST_OK ? salvage->fs->sync_dir(salvage->fs, salvage->dir) : status;
}

static enum status finish_earlier(struct journal_salvage *salvage)
{
	char path[JOURNAL__PATH_SIZE];
	struct buffer text;
	path_of(salvage, "", JOURNAL__RECOVERING, path);
	buffer_init(&text, SIZE_MAX);
	enum status status = os_fs_read_whole(salvage->fs, path, MARKER_MAX, &text);
	bool is_there = status == ST_OK;
	if (is_there)
		status = buffer_append(&text, (struct bytes){"", 1});
	if (is_there && status == ST_OK)
		status = take_back(salvage, text.data + text.start);
	buffer_fini(&text);
	if (is_there && status == ST_OK)
		log_info("%s: an earlier recovery that did not come to its end was taken back", salvage->dir);
	else if (is_there)
		log_error("%s: an earlier recovery cannot be taken back: %s", path, status_name(status));
	return status == ST_ABSENT ? ST_OK : status;
}

/* ---- opening ---- */

static enum status lock(struct journal_salvage *salvage)
{
	char path[JOURNAL__PATH_SIZE];
	struct journal__entry entry;
	path_of(salvage, "", "lock", path);
	enum status status = journal__entry_look(salvage->fs, salvage->dir, "lock", &entry);
	if (status == ST_OK && entry.fault[0] != '\0') {
		log_error("%s: %s", path, entry.fault);
		return ST_CORRUPT;
	}
	status = salvage->fs->open(salvage->fs, path, OS_OPEN_CREATE, &salvage->lock);
	if (status == ST_OK)
		status = salvage->fs->lock(salvage->lock);
	if (status != ST_OK && status != ST_BUSY)
		log_error("%s: cannot be locked: %s", path, status_name(status));
	return status;
}

static enum status choose_aside(struct journal_salvage *salvage)
{
	enum status status = ST_OK;
	size_t length = 1;
	for (unsigned number = 1; status == ST_OK && length > 0; number++) {
		struct vector names;
		snprintf(salvage->aside, sizeof(salvage->aside), "set-aside.%u", number);
		status = list_folder(salvage, salvage->aside, &names);
		length = names.length;
		names_fini(&names);
	}
	return status;
}

enum status journal_salvage_open(struct os_fs *fs, const char *dir, struct journal_salvage **salvage)
{
	if (strlen(dir) > JOURNAL__PATH_SIZE - 128)
		return ST_LIMIT;
	struct journal_salvage *made = memory_zalloc(sizeof(*made));
	made->fs = fs;
	made->dir = memory_strdup(dir);
	vector_init(&made->made, sizeof(char *));
	vector_init(&made->kept, sizeof(char *));
	vector_init(&made->moved, sizeof(char *));
	vector_init(&made->dropped, sizeof(char *));
	enum status status = lock(made);
	if (status == ST_OK)
		status = finish_earlier(made);
	if (status == ST_OK)
		status = choose_aside(made);
	if (status == ST_OK)
		*salvage = made;
	else
		journal_salvage_close(made);
	return status;
}

static void temporary_name(const char *name, char temporary[JOURNAL__PATH_SIZE])
{
	snprintf(temporary, JOURNAL__PATH_SIZE, "%s.tmp", name);
}

void journal_salvage_close(struct journal_salvage *salvage)
{
	if (salvage == NULL)
		return;
	salvage->fs->close(salvage->file);
	for (size_t i = 0; i < salvage->made.length; i++) {
		char temporary[JOURNAL__PATH_SIZE];
		temporary_name(name_at(&salvage->made, i), temporary);
		if (remove_file(salvage, temporary) != ST_OK)
			log_debug("%s: left over", temporary);
	}
	salvage->fs->close(salvage->lock);
	names_fini(&salvage->made);
	names_fini(&salvage->kept);
	names_fini(&salvage->moved);
	names_fini(&salvage->dropped);
	memory_free(salvage->dir);
	memory_free(salvage);
}

/* ---- what there is to be ---- */

void journal_salvage_keep(struct journal_salvage *salvage, const char *name)
{
	add_name(&salvage->kept, name);
}

void journal_salvage_drop(struct journal_salvage *salvage, const char *name)
{
	add_name(&salvage->dropped, name);
}

static enum status make_file(struct journal_salvage *salvage, const char *name, struct os_file **file)
{
	char temporary[JOURNAL__PATH_SIZE], path[JOURNAL__PATH_SIZE];
	temporary_name(name, temporary);
	path_of(salvage, "", temporary, path);
	enum status status = salvage->fs->open(salvage->fs, path, OS_OPEN_CREATE, file);
	if (status != ST_OK)
		return status;
	add_name(&salvage->made, name);
	return salvage->fs->truncate(*file, 0);
}

static enum status copy_bytes(struct os_file *from, struct os_file *to, uint64_t size)
{
	char *chunk = memory_alloc(CHUNK);
	enum status status = ST_OK;
	for (uint64_t offset = 0; offset < size && status == ST_OK;) {
		size_t got, wanted = size - offset < CHUNK ? (size_t)(size - offset) : CHUNK;
		status = from->fs->read(from, offset, chunk, wanted, &got);
		if (status == ST_OK && got < wanted)
			status = ST_IO;
		if (status == ST_OK)
			status = to->fs->write(to, offset, (struct bytes){chunk, got});
		offset += wanted;
	}
	memory_free(chunk);
	return status == ST_OK ? to->fs->sync(to) : status;
}

enum status journal_salvage_copy(struct journal_salvage *salvage, const char *name, uint64_t size)
{
	char path[JOURNAL__PATH_SIZE];
	struct os_file *from = NULL, *to = NULL;
	path_of(salvage, "", name, path);
	enum status status = salvage->fs->open(salvage->fs, path, OS_OPEN_READ, &from);
	if (status == ST_OK)
		status = make_file(salvage, name, &to);
	if (status == ST_OK)
		status = copy_bytes(from, to, size);
	salvage->fs->close(from);
	salvage->fs->close(to);
	return status;
}

/* ---- segments made anew ---- */

void journal_salvage_start(struct journal_salvage *salvage, const struct journal_salvage_start *start)
{
	salvage->header = (struct journal__header){.number = start->number - 1,
						   .base = start->position,
						   .directory = start->directory,
						   .first_version = start->first_version};
	salvage->last_version = start->first_version - 1;
}

static enum status close_segment(struct journal_salvage *salvage)
{
	if (salvage->file == NULL)
		return ST_OK;
	enum status status = salvage->fs->sync(salvage->file);
	salvage->fs->close(salvage->file);
	salvage->file = NULL;
	return status;
}

enum status journal_salvage_begin(struct journal_salvage *salvage,
				  const unsigned char fingerprint[JOURNAL_FINGERPRINT_SIZE])
{
	char name[64], bytes[JOURNAL__HEADER_SIZE];
	struct journal__header *header = &salvage->header;
	enum status status = close_segment(salvage);
	if (status != ST_OK)
		return status;
	header->number++;
	header->base += salvage->end;
	header->durable = header->base;
	header->first_version = salvage->last_version + 1;
	header->previous = salvage->checksum;
	memcpy(header->fingerprint, fingerprint, JOURNAL_FINGERPRINT_SIZE);
	journal__header_encode(header, bytes);
	snprintf(name, sizeof(name), "journal.%08" PRIu64, header->number);
	status = make_file(salvage, name, &salvage->file);
	salvage->end = JOURNAL__HEADER_SIZE;
	salvage->checksum = header->checksum;
	return status == ST_OK ? salvage->fs->write(salvage->file, 0, (struct bytes){bytes, sizeof(bytes)})
			       : status;
}

static enum status write_frame(struct journal_salvage *salvage, struct journal__frame *frame)
{
	char head[JOURNAL__FRAME_SIZE];
	frame->previous = salvage->checksum;
	salvage->checksum = journal__frame_encode(frame, (struct journal_payload){&frame->payload, 1}, head);
	enum status status =
		salvage->fs->write(salvage->file, salvage->end, (struct bytes){head, sizeof(head)});
	if (status == ST_OK && frame->payload.size > 0)
		status = salvage->fs->write(salvage->file, salvage->end + sizeof(head), frame->payload);
	salvage->end += sizeof(head) + frame->payload.size;
	salvage->last_version = frame->version;
	return status;
}

enum status journal_salvage_append(struct journal_salvage *salvage, uint64_t version, struct bytes payload)
{
	struct journal__frame frame = {.kind = JOURNAL__CHANGE,
				       .version = version,
				       .durable = salvage->header.base,
				       .payload = payload};
	return write_frame(salvage, &frame);
}

enum status journal_salvage_finish(struct journal_salvage *salvage)
{
	if (salvage->file == NULL)
		return ST_OK;
	struct journal__frame frame = {.kind = JOURNAL__SEAL,
				       .version = salvage->last_version,
				       .durable = salvage->header.base + salvage->end};
	enum status status = salvage->fs->sync(salvage->file);
	if (status == ST_OK)
		status = write_frame(salvage, &frame);
	return status == ST_OK ? close_segment(salvage) : status;
}

/* ---- making it so ---- */

const char *journal_salvage_aside(const struct journal_salvage *salvage)
{
	return salvage->aside;
}

/* Journals, snapshots and temporary files that are not kept, but not what was made here. */
static bool is_moved(const struct journal_salvage *salvage, const char *name)
{
	struct journal__entry entry;
	if (journal__entry_look(salvage->fs, salvage->dir, name, &entry) != ST_OK)
		return false;
	switch (entry.name) {
	case JOURNAL__NAME_SEGMENT:
	case JOURNAL__NAME_SNAPSHOT:
		return !has_name(&salvage->kept, name);
	case JOURNAL__NAME_TEMPORARY: {
		char final[JOURNAL__PATH_SIZE];
		snprintf(final, sizeof(final), "%.*s", (int)(strlen(name) - 4), name);
		/* The marker's own is written over. */
		return strcmp(final, JOURNAL__RECOVERING) != 0 && !has_name(&salvage->made, final);
	}
	case JOURNAL__NAME_ATTACHMENT:
		return has_name(&salvage->dropped, name) || entry.fault[0] != '\0';
	case JOURNAL__NAME_LOCK:
	case JOURNAL__NAME_RECOVERING:
	case JOURNAL__NAME_OTHER:
		return false;
	}
	return false;
}

static enum status choose_moved(const struct journal_salvage *salvage, struct vector *moved)
{
	struct vector names;
	enum status status = list_folder(salvage, "", &names);
	for (size_t i = 0; i < names.length; i++) {
		if (is_moved(salvage, name_at(&names, i)))
			add_name(moved, name_at(&names, i));
	}
	names_fini(&names);
	return status;
}

void journal_salvage_each_aside(const struct journal_salvage *salvage,
				void (*visit)(const char *name, void *arg), void *arg)
{
	struct vector moved;
	vector_init(&moved, sizeof(char *));
	const struct vector *names = salvage->moved.length > 0 ? &salvage->moved : &moved;
	if (names == &moved && choose_moved(salvage, &moved) != ST_OK)
		log_debug("%s: cannot be listed", salvage->dir);
	for (size_t i = 0; i < names->length; i++)
		visit(name_at(names, i), arg);
	names_fini(&moved);
}

static enum status write_marker(struct journal_salvage *salvage)
{
	char path[JOURNAL__PATH_SIZE], temporary[JOURNAL__PATH_SIZE];
	struct os_file *file;
	struct buffer text;
	buffer_init(&text, SIZE_MAX);
	enum status status = buffer_printf(&text, "aside %s\n", salvage->aside);
	for (size_t i = 0; i < salvage->made.length && status == ST_OK; i++)
		/* In the place of an original, that is moved back over it. */
		if (!has_name(&salvage->moved, name_at(&salvage->made, i)))
			status = buffer_printf(&text, "new %s\n", name_at(&salvage->made, i));
	path_of(salvage, "", JOURNAL__RECOVERING, path);
	path_of(salvage, "", JOURNAL__RECOVERING ".tmp", temporary);
	if (status == ST_OK)
		status = salvage->fs->open(salvage->fs, temporary, OS_OPEN_CREATE, &file);
	if (status == ST_OK) {
		status = salvage->fs->truncate(file, 0);
		if (status == ST_OK)
			status = salvage->fs->write(file, 0, buffer_get(&text));
		if (status == ST_OK)
			status = salvage->fs->sync(file);
		salvage->fs->close(file);
	}
	buffer_fini(&text);
	if (status == ST_OK)
		status = salvage->fs->rename(salvage->fs, temporary, path);
	return status == ST_OK ? salvage->fs->sync_dir(salvage->fs, salvage->dir) : status;
}

static enum status move_aside(struct journal_salvage *salvage)
{
	char folder[JOURNAL__PATH_SIZE], from[JOURNAL__PATH_SIZE], to[JOURNAL__PATH_SIZE];
	snprintf(folder, sizeof(folder), "%s/%s", salvage->dir, salvage->aside);
	enum status status = salvage->fs->make_dir(salvage->fs, folder);
	for (size_t i = 0; i < salvage->moved.length && status == ST_OK; i++) {
		path_of(salvage, "", name_at(&salvage->moved, i), from);
		path_of(salvage, salvage->aside, name_at(&salvage->moved, i), to);
		status = salvage->fs->rename(salvage->fs, from, to);
	}
	if (status == ST_OK)
		status = salvage->fs->sync_dir(salvage->fs, folder);
	return status == ST_OK ? salvage->fs->sync_dir(salvage->fs, salvage->dir) : status;
}

static enum status name_made(struct journal_salvage *salvage)
{
	enum status status = ST_OK;
	for (size_t i = 0; i < salvage->made.length && status == ST_OK; i++) {
		char temporary[JOURNAL__PATH_SIZE], from[JOURNAL__PATH_SIZE], to[JOURNAL__PATH_SIZE];
		temporary_name(name_at(&salvage->made, i), temporary);
		path_of(salvage, "", temporary, from);
		path_of(salvage, "", name_at(&salvage->made, i), to);
		status = salvage->fs->rename(salvage->fs, from, to);
	}
	return status == ST_OK ? salvage->fs->sync_dir(salvage->fs, salvage->dir) : status;
}

enum status journal_salvage_commit(struct journal_salvage *salvage)
{
	enum status status = choose_moved(salvage, &salvage->moved);
	if (status == ST_OK)
		status = write_marker(salvage);
	if (status == ST_OK)
		status = move_aside(salvage);
	if (status == ST_OK)
		status = name_made(salvage);
	if (status == ST_OK)
		status = remove_file(salvage, JOURNAL__RECOVERING);
	return status == ST_OK ? salvage->fs->sync_dir(salvage->fs, salvage->dir) : status;
}
