/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Snapshot files: the whole of one version, so that recovery need not begin at the first record ever. What is
 * in them is the store's (codec/change_record.h); here they are a head and blocks.
 *
 *     header    0 magic 8      8 format 4     12 size of the header 4    16 version 8     24 fingerprint 16
 *              40 directory 8  48 first segment 8             56 zero 20
 *              76 checksum of the bytes before 4
 *     block     0 checksum 4    4 size 4       8 bytes; the first block is the head
 *     end       a block of size 0
 *
 * A block's checksum goes on from that of the block before, the first from the header's: what is missing or
 * exchanged is seen. A snapshot is written under a temporary name and gets its own when it and the journal up
 * to its version are durable; so one with a name is whole, and none is newer than the journal.
 *
 * When a new one is in place, the oldest beyond the number to keep goes, and then the segments whose records
 * neither the oldest kept snapshot nor the history needs.
 */
#include <inttypes.h>
#include <stdio.h>
#include "base/log.h"
#include "base/memory.h"
#include "journal/crc32c.h"
#include "journal/internal.h"

#define BLOCK_HEAD 8u	      /* bytes */
#define SYNC_EVERY (4u << 20) /* bytes: so that the last sync finds little left, and commits' syncs too */

static const char magic[8] = "YARESNP\n";

/* ---- writing ---- */

struct journal_snapshot_writer {
	struct journal_disk *disk;
	struct os_file *file;
	uint64_t version;
	uint64_t offset, synced;
	uint32_t checksum;
	struct buffer block;
};

static void writer_free(struct journal_snapshot_writer *writer)
{
	writer->disk->fs->close(writer->file);
	buffer_fini(&writer->block);
	memory_free(writer);
}

void journal_snapshot_abort(struct journal_snapshot_writer *writer)
{
	char path[JOURNAL__PATH_SIZE];
	struct journal_disk *disk = writer->disk;
	writer_free(writer);
	journal__path(disk, "snapshot.tmp", path);
	if (disk->fs->unlink(disk->fs, path) != ST_OK)
		log_debug("%s: left over", path);
}

static uint32_t block_checksum(uint32_t before, const char *head, struct bytes block)
{
	return crc32c(crc32c(before, (struct bytes){head + 4, 4}), block);
}

static enum status write_block(struct journal_snapshot_writer *writer, struct bytes block)
{
	struct os_fs *fs = writer->disk->fs;
	buffer_clear(&writer->block, (size_t)1 << 20);
	char *head = buffer_reserve(&writer->block, BLOCK_HEAD + block.size);
	journal__put_u32(head + 4, (uint32_t)block.size);
	writer->checksum = block_checksum(writer->checksum, head, block);
	journal__put_u32(head, writer->checksum);
	if (block.size > 0)
		memcpy(head + BLOCK_HEAD, block.data, block.size);
	buffer_commit(&writer->block, BLOCK_HEAD + block.size);
	enum status status = fs->write(writer->file, writer->offset, buffer_get(&writer->block));
	writer->offset += BLOCK_HEAD + block.size;
	if (status == ST_OK && writer->offset - writer->synced > SYNC_EVERY) {
		writer->synced = writer->offset;
		status = fs->sync(writer->file);
	}
	return status;
}

static enum status write_header(struct journal_snapshot_writer *writer)
{
	char out[JOURNAL__HEADER_SIZE] = {0};
	memcpy(out, magic, sizeof(magic));
	journal__put_u32(out + 8, JOURNAL__FORMAT);
	journal__put_u32(out + 12, JOURNAL__HEADER_SIZE);
	journal__put_u64(out + 16, writer->version);
	memcpy(out + 24, writer->disk->options.fingerprint, JOURNAL_FINGERPRINT_SIZE);
	journal__put_u64(out + 40, writer->disk->directory);
	pthread_mutex_lock(&writer->disk->mutex);
	journal__put_u64(out + 48, journal__segment_at(writer->disk, 0)->header.number);
	pthread_mutex_unlock(&writer->disk->mutex);
	writer->checksum = crc32c(0, (struct bytes){out, 76});
	journal__put_u32(out + 76, writer->checksum);
	writer->offset = sizeof(out);
	return writer->disk->fs->write(writer->file, 0, (struct bytes){out, sizeof(out)});
}

enum status journal_snapshot_begin(struct journal *journal, uint64_t version, struct bytes head,
				   struct journal_snapshot_writer **writer)
{
	struct journal_disk *disk = journal__of(journal);
	char path[JOURNAL__PATH_SIZE];
	struct os_file *file;
	journal__path(disk, "snapshot.tmp", path);
	enum status status = disk->fs->open(disk->fs, path, OS_OPEN_CREATE, &file);
	if (status != ST_OK)
		return status;
	struct journal_snapshot_writer *made = memory_zalloc(sizeof(*made));
	made->disk = disk;
	made->file = file;
	made->version = version;
	buffer_init(&made->block, SIZE_MAX);
	pthread_mutex_lock(&disk->mutex);
	disk->appended_since = 0;
	pthread_mutex_unlock(&disk->mutex);
	status = disk->fs->truncate(file, 0);
	if (status == ST_OK)
		status = write_header(made);
	if (status == ST_OK)
		status = write_block(made, head);
	if (status == ST_OK)
		*writer = made;
	else
		journal_snapshot_abort(made);
	return status;
}

enum status journal_snapshot_write(struct journal_snapshot_writer *writer, struct bytes block)
{
	return block.size > 0 ? write_block(writer, block) : ST_OK;
}

/* ---- retiring ---- */

/* True where the file is gone. */
static bool remove_file(struct journal_disk *disk, const char *path)
{
	enum status status = disk->fs->unlink(disk->fs, path);
	if (status == ST_OK)
		log_info("%s: retired", path);
	else
		log_warning("%s: cannot be removed: %s", path, status_name(status));
	return status == ST_OK;
}

static void remove_first(struct journal_disk *disk, struct vector *vector)
{
	pthread_mutex_lock(&disk->mutex);
	memmove(vector->data, (char *)vector->data + vector->element_size,
		(vector->length - 1) * vector->element_size);
	vector_pop(vector);
	pthread_mutex_unlock(&disk->mutex);
}

/* The oldest snapshot if there are too many; 0: none. */
static uint64_t superfluous_snapshot(struct journal_disk *disk)
{
	pthread_mutex_lock(&disk->mutex);
	bool too_many = disk->snapshots.length > disk->options.snapshot_count;
	uint64_t version = too_many ? *(uint64_t *)vector_at(&disk->snapshots, 0) : 0;
	pthread_mutex_unlock(&disk->mutex);
	return version;
}

/* The first segment if nothing needs it; 0: none. It is durable as a whole if it has no open file. The
 * history is counted from what is durable: a crash may take the versions after that. */
static uint64_t superfluous_segment(struct journal_disk *disk)
{
	uint64_t number = 0;
	pthread_mutex_lock(&disk->mutex);
	const struct journal__segment *first = journal__segment_at(disk, 0);
	uint64_t oldest = *(uint64_t *)vector_at(&disk->snapshots, 0);
	if (disk->segments.length > 1 && first->file == NULL && first->last_version <= oldest &&
	    first->last_version + disk->options.history <= disk->durable_version)
		number = first->header.number;
	pthread_mutex_unlock(&disk->mutex);
	return number;
}

/*
 * Snapshots go for good before segments do: none may be left whose records are gone. Segments go from the
 * first one on and each for good before the next, so that they never have a gap; what cannot be removed is
 * tried again after the next snapshot.
 */
static void retire(struct journal_disk *disk)
{
	char path[JOURNAL__PATH_SIZE];
	for (uint64_t version; (version = superfluous_snapshot(disk)) != 0;) {
		journal__snapshot_path(disk, version, path);
		if (!remove_file(disk, path))
			return;
		remove_first(disk, &disk->snapshots);
	}
	bool durable = disk->fs->sync_dir(disk->fs, disk->dir) == ST_OK;
	for (uint64_t number; durable && (number = superfluous_segment(disk)) != 0;) {
		journal__segment_path(disk, number, path);
		if (!remove_file(disk, path))
			return;
		remove_first(disk, &disk->segments);
		durable = disk->fs->sync_dir(disk->fs, disk->dir) == ST_OK;
	}
}

static enum status put_in_place(struct journal_snapshot_writer *writer)
{
	struct journal_disk *disk = writer->disk;
	char temporary[JOURNAL__PATH_SIZE], path[JOURNAL__PATH_SIZE];
	journal__path(disk, "snapshot.tmp", temporary);
	journal__snapshot_path(disk, writer->version, path);
	enum status status = write_block(writer, (struct bytes){NULL, 0});
	if (status == ST_OK)
		status = disk->fs->sync(writer->file);
	if (status == ST_OK)
		status = journal__sync_to(disk, writer->version);
	if (status == ST_OK)
		status = disk->fs->rename(disk->fs, temporary, path);
	return status == ST_OK ? disk->fs->sync_dir(disk->fs, disk->dir) : status;
}

enum status journal_snapshot_finish(struct journal_snapshot_writer *writer)
{
	struct journal_disk *disk = writer->disk;
	enum status status = put_in_place(writer);
	if (status != ST_OK) {
		journal_snapshot_abort(writer);
		return status;
	}
	pthread_mutex_lock(&disk->mutex);
	size_t length = disk->snapshots.length;
	uint64_t newest = length > 0 ? *(uint64_t *)vector_at(&disk->snapshots, length - 1) : 0;
	if (newest != writer->version)
		*(uint64_t *)vector_push(&disk->snapshots) = writer->version;
	disk->snapshot_size = writer->offset;
	pthread_mutex_unlock(&disk->mutex);
	writer_free(writer);
	retire(disk);
	return ST_OK;
}

/* ---- reading ---- */

struct journal_snapshot_reader {
	struct journal__scan scan;
	char path[JOURNAL__PATH_SIZE];
	uint64_t offset;
	uint32_t checksum;
	uint64_t first_segment; /* segments before it were retired when it was written */
	uint64_t directory;
	uint64_t body; /* offset of the first block behind the head */
	uint32_t body_checksum;
	struct journal__fault *fault; /* NULL: faults are logged */
	struct buffer head;
};

static enum status damaged(const struct journal_snapshot_reader *reader, const char *what)
{
	if (reader->fault != NULL)
		*reader->fault = (struct journal__fault){reader->offset, what};
	else
		log_error("%s: damaged at offset %" PRIu64 ": %s", reader->path, reader->offset, what);
	return ST_CORRUPT;
}

static enum status too_new(const struct journal_snapshot_reader *reader, uint32_t format)
{
	if (reader->fault != NULL)
		*reader->fault =
			(struct journal__fault){8, "it is of a newer format than this version reads"};
	else
		log_error("%s: is of format %" PRIu32 ", this version reads up to %u", reader->path, format,
			  JOURNAL__FORMAT);
	return ST_LIMIT;
}

static enum status read_header(struct journal_snapshot_reader *reader, uint64_t directory, uint64_t version,
			       struct journal_snapshot *snapshot)
{
	struct bytes in;
	enum status status = journal__scan_bytes(&reader->scan, 0, JOURNAL__HEADER_SIZE, &in);
	if (status != ST_OK)
		return status;
	bool is_ours = in.size >= 12 && memcmp(in.data, magic, sizeof(magic)) == 0;
	if (is_ours && journal__get_u32(in.data + 8) > JOURNAL__FORMAT)
		return too_new(reader, journal__get_u32(in.data + 8));
	reader->checksum = in.size < JOURNAL__HEADER_SIZE ? 0 : journal__get_u32(in.data + 76);
	if (!is_ours || in.size < JOURNAL__HEADER_SIZE ||
	    reader->checksum != crc32c(0, (struct bytes){in.data, 76}))
		return damaged(reader, "no whole header");
	reader->directory = journal__get_u64(in.data + 40);
	if (journal__get_u64(in.data + 16) != version || (directory != 0 && reader->directory != directory))
		return damaged(reader, "it is of another version or directory");
	reader->first_segment = journal__get_u64(in.data + 48);
	snapshot->version = version;
	memcpy(snapshot->fingerprint, in.data + 24, JOURNAL_FINGERPRINT_SIZE);
	reader->offset = JOURNAL__HEADER_SIZE;
	return ST_OK;
}

enum status journal_snapshot_next(struct journal_snapshot_reader *reader, struct bytes *block)
{
	struct bytes in;
	enum status status = journal__scan_bytes(&reader->scan, reader->offset, BLOCK_HEAD, &in);
	if (status != ST_OK)
		return status;
	if (in.size < BLOCK_HEAD)
		return damaged(reader, "it ends too early");
	size_t size = journal__get_u32(in.data + 4);
	if (size > reader->scan.size - reader->offset - BLOCK_HEAD)
		return damaged(reader, "it ends too early");
	bool has_hole;
	status = journal__scan_hole(&reader->scan, reader->offset, BLOCK_HEAD + size, &has_hole);
	if (status == ST_OK && has_hole)
		return damaged(reader, "a block has a hole");
	if (status == ST_OK)
		status = journal__scan_bytes(&reader->scan, reader->offset, BLOCK_HEAD + size, &in);
	if (status != ST_OK)
		return status;
	if (in.size < BLOCK_HEAD + size)
		return damaged(reader, "it ends too early");
	*block = (struct bytes){in.data + BLOCK_HEAD, size};
	reader->checksum = block_checksum(reader->checksum, in.data, *block);
	if (journal__get_u32(in.data) != reader->checksum)
		return damaged(reader, "the checksum of a block is wrong");
	reader->offset += BLOCK_HEAD + size;
	return size > 0 ? ST_OK : ST_ABSENT;
}

enum status journal__snapshot_open(struct os_fs *fs, const char *path, uint64_t directory, uint64_t version,
				   struct journal__fault *fault, struct journal_snapshot_reader **reader,
				   struct journal_snapshot *snapshot)
{
	struct journal_snapshot_reader *made = memory_zalloc(sizeof(*made));
	buffer_init(&made->head, SIZE_MAX);
	snprintf(made->path, sizeof(made->path), "%s", path);
	made->fault = fault;
	enum status status = journal__scan_open(fs, made->path, &made->scan);
	if (status != ST_OK && fault == NULL)
		log_error("%s: cannot be read: %s", made->path, status_name(status));
	if (status == ST_OK)
		status = read_header(made, directory, version, snapshot);
	struct bytes head;
	if (status == ST_OK) {
		status = journal_snapshot_next(made, &head);
		if (status == ST_ABSENT)
			status = damaged(made, "it has no head");
	}
	if (status == ST_OK)
		status = buffer_append(&made->head, head);
	if (status != ST_OK) {
		journal_snapshot_reader_free(made);
		return status;
	}
	made->body = made->offset;
	made->body_checksum = made->checksum;
	snapshot->head = buffer_get(&made->head);
	*reader = made;
	return ST_OK;
}

static enum status reader_open(struct journal_disk *disk, uint64_t version,
			       struct journal_snapshot_reader **reader, struct journal_snapshot *snapshot)
{
	char path[JOURNAL__PATH_SIZE];
	journal__snapshot_path(disk, version, path);
	return journal__snapshot_open(disk->fs, path, disk->directory, version, NULL, reader, snapshot);
}

uint64_t journal__snapshot_first_segment(const struct journal_snapshot_reader *reader)
{
	return reader->first_segment;
}

uint64_t journal__snapshot_directory(const struct journal_snapshot_reader *reader)
{
	return reader->directory;
}

uint64_t journal__snapshot_size(const struct journal_snapshot_reader *reader)
{
	return reader->scan.size;
}

void journal__snapshot_rewind(struct journal_snapshot_reader *reader)
{
	reader->offset = reader->body;
	reader->checksum = reader->body_checksum;
}

void journal_snapshot_reader_free(struct journal_snapshot_reader *reader)
{
	if (reader == NULL)
		return;
	journal__scan_close(&reader->scan);
	buffer_fini(&reader->head);
	memory_free(reader);
}

enum status journal__snapshot_check(struct journal_disk *disk, uint64_t version, uint64_t *first_segment)
{
	struct journal_snapshot_reader *reader;
	struct journal_snapshot snapshot;
	enum status status = reader_open(disk, version, &reader, &snapshot);
	if (status != ST_OK)
		return status;
	struct bytes block;
	while ((status = journal_snapshot_next(reader, &block)) == ST_OK)
		;
	disk->snapshot_size = reader->offset;
	*first_segment = reader->first_segment;
	journal_snapshot_reader_free(reader);
	return status == ST_ABSENT ? ST_OK : status;
}

enum status journal_disk_load(struct journal *journal, struct journal_snapshot_reader **reader,
			      struct journal_snapshot *snapshot)
{
	struct journal_disk *disk = journal__of(journal);
	uint64_t newest = *(uint64_t *)vector_at(&disk->snapshots, disk->snapshots.length - 1);
	return reader_open(disk, newest, reader, snapshot);
}
