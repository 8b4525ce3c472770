/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Segments as bytes. Numbers are little-endian; docs/format/journal.md has it for other readers.
 *
 *     header    0 magic 8      8 format 4     12 size of the header 4    16 number 8      24 base 8
 *              32 first version 8             40 durable end 8           48 fingerprint 16
 *              64 directory 8                 72 previous checksum 4     76 checksum of the bytes before 4
 *     frame     0 checksum of all that follows 4    4 size of the payload 4    8 kind 1    9 version 8
 *              17 durable end 8                    25 previous checksum 4     29 payload
 *
 * A frame's checksum is over a chain: it covers the checksum of the frame before, so a whole frame in the
 * wrong place does not pass for the next one.
 */
#include <inttypes.h>
#include "base/little_endian.h"
#include "base/log.h"
#include "journal/crc32c.h"
#include "journal/internal.h"

#define WINDOW ((size_t)1 << 20) /* bytes */
#define HOLE_ALLOWED 65536u	 /* bytes at the end, the largest block of a file system */

static const char magic[8] = "YAREJNL\n";

void journal__put_u32(char *out, uint32_t number)
{
	little_endian_put(out, number, 4);
}

void journal__put_u64(char *out, uint64_t number)
{
	little_endian_put(out, number, 8);
}

uint32_t journal__get_u32(const char *in)
{
	return (uint32_t)little_endian_get(in, 4);
}

uint64_t journal__get_u64(const char *in)
{
	return little_endian_get(in, 8);
}

void journal__header_encode(struct journal__header *header, char out[JOURNAL__HEADER_SIZE])
{
	header->format = JOURNAL__FORMAT;
	memcpy(out, magic, sizeof(magic));
	journal__put_u32(out + 8, header->format);
	journal__put_u32(out + 12, JOURNAL__HEADER_SIZE);
	journal__put_u64(out + 16, header->number);
	journal__put_u64(out + 24, header->base);
	journal__put_u64(out + 32, header->first_version);
	journal__put_u64(out + 40, header->durable);
	memcpy(out + 48, header->fingerprint, JOURNAL_FINGERPRINT_SIZE);
	journal__put_u64(out + 64, header->directory);
	journal__put_u32(out + 72, header->previous);
	header->checksum = crc32c(0, (struct bytes){out, 76});
	journal__put_u32(out + 76, header->checksum);
}

enum status journal__header_parse(struct bytes in, struct journal__header *header)
{
	bool is_ours = in.size >= 12 && memcmp(in.data, magic, sizeof(magic)) == 0;
	if (is_ours && journal__get_u32(in.data + 8) > JOURNAL__FORMAT)
		return ST_LIMIT;
	if (!is_ours || in.size < JOURNAL__HEADER_SIZE ||
	    journal__get_u32(in.data + 76) != crc32c(0, (struct bytes){in.data, 76}))
		return ST_CORRUPT;
	*header = (struct journal__header){
		.format = journal__get_u32(in.data + 8),
		.number = journal__get_u64(in.data + 16),
		.base = journal__get_u64(in.data + 24),
		.first_version = journal__get_u64(in.data + 32),
		.durable = journal__get_u64(in.data + 40),
		.directory = journal__get_u64(in.data + 64),
		.previous = journal__get_u32(in.data + 72),
		.checksum = journal__get_u32(in.data + 76),
	};
	memcpy(header->fingerprint, in.data + 48, JOURNAL_FINGERPRINT_SIZE);
	return ST_OK;
}

enum status journal__header_decode(const char *path, struct bytes in, struct journal__header *header)
{
	enum status status = journal__header_parse(in, header);
	if (status == ST_LIMIT)
		log_error("%s: is of format %" PRIu32 ", this version reads up to %u", path,
			  journal__get_u32(in.data + 8), JOURNAL__FORMAT);
	else if (status != ST_OK)
		log_error("%s: damaged at offset 0: no whole header", path);
	return status == ST_OK ? ST_OK : ST_CORRUPT;
}

size_t journal_payload_size(struct journal_payload record)
{
	size_t size = 0;
	for (size_t i = 0; i < record.count; i++)
		size += record.pieces[i].size;
	return size;
}

uint32_t journal__frame_encode(const struct journal__frame *frame, struct journal_payload payload,
			       char out[JOURNAL__FRAME_SIZE])
{
	journal__put_u32(out + 4, (uint32_t)journal_payload_size(payload));
	out[8] = (char)frame->kind;
	journal__put_u64(out + 9, frame->version);
	journal__put_u64(out + 17, frame->durable);
	journal__put_u32(out + 25, frame->previous);
	uint32_t checksum = crc32c(0, (struct bytes){out + 4, JOURNAL__FRAME_SIZE - 4});
	for (size_t i = 0; i < payload.count; i++)
		checksum = crc32c(checksum, payload.pieces[i]);
	journal__put_u32(out, checksum);
	return checksum;
}

enum status journal__scan_open(struct os_fs *fs, const char *path, struct journal__scan *scan)
{
	*scan = (struct journal__scan){0};
	enum status status = fs->open(fs, path, OS_OPEN_READ, &scan->file);
	if (status == ST_OK)
		status = fs->size(scan->file, &scan->size);
	buffer_init(&scan->window, SIZE_MAX);
	if (status != ST_OK)
		journal__scan_close(scan);
	return status;
}

void journal__scan_close(struct journal__scan *scan)
{
	if (scan->file != NULL)
		scan->file->fs->close(scan->file);
	scan->file = NULL;
	buffer_fini(&scan->window);
}

enum status journal__scan_bytes(struct journal__scan *scan, uint64_t offset, size_t size, struct bytes *bytes)
{
	size_t held = buffer_size(&scan->window);
	uint64_t left = offset < scan->size ? scan->size - offset : 0;
	size = size < left ? size : (size_t)left;
	if (offset < scan->start || offset + size > scan->start + held) {
		size_t wanted = size > WINDOW ? size : WINDOW;
		wanted = wanted < left ? wanted : (size_t)left;
		buffer_clear(&scan->window, wanted);
		char *room = buffer_reserve(&scan->window, wanted);
		enum status status = scan->file->fs->read(scan->file, offset, room, wanted, &wanted);
		if (status != ST_OK)
			return status;
		buffer_commit(&scan->window, wanted);
		scan->start = offset;
		size = size < wanted ? size : wanted;
	}
	*bytes = (struct bytes){NULL, size};
	if (size > 0)
		bytes->data = buffer_get(&scan->window).data + (offset - scan->start);
	return ST_OK;
}

/* What can be told without the payload; keeps a search for frames from reading it all for each byte. */
static bool is_plausible(const struct journal__scan *scan, uint64_t offset,
			 const struct journal__frame *frame)
{
	return (frame->kind == JOURNAL__CHANGE || frame->kind == JOURNAL__SEAL) && frame->version > 0 &&
	       frame->payload.size <= JOURNAL__RECORD_MAX &&
	       frame->payload.size <= scan->size - offset - JOURNAL__FRAME_SIZE;
}

enum status journal__scan_frame(struct journal__scan *scan, uint64_t offset, struct journal__frame *frame)
{
	struct bytes in;
	enum status status = journal__scan_bytes(scan, offset, JOURNAL__FRAME_SIZE, &in);
	if (status != ST_OK)
		return status;
	if (in.size < JOURNAL__FRAME_SIZE)
		return ST_ABSENT;
	*frame = (struct journal__frame){
		.offset = offset,
		.kind = (enum journal__kind)in.data[8],
		.version = journal__get_u64(in.data + 9),
		.durable = journal__get_u64(in.data + 17),
		.previous = journal__get_u32(in.data + 25),
		.checksum = journal__get_u32(in.data),
		.payload.size = journal__get_u32(in.data + 4),
	};
	if (!is_plausible(scan, offset, frame))
		return ST_ABSENT;
	size_t size = JOURNAL__FRAME_SIZE + frame->payload.size;
	bool has_hole;
	status = journal__scan_hole(scan, offset, size, &has_hole);
	if (status == ST_OK && has_hole)
		return ST_ABSENT;
	if (status == ST_OK)
		status = journal__scan_bytes(scan, offset, size, &in);
	if (status != ST_OK)
		return status;
	if (in.size < size || crc32c(0, (struct bytes){in.data + 4, size - 4}) != frame->checksum)
		return ST_ABSENT;
	frame->payload.data = in.data + JOURNAL__FRAME_SIZE;
	frame->end = offset + size;
	return ST_OK;
}

enum status journal__scan_hole(struct journal__scan *scan, uint64_t offset, uint64_t size, bool *is_there)
{
	uint64_t start, end;
	*is_there = false;
	if (size <= WINDOW)
		return ST_OK;
	enum status status = scan->file->fs->find_data(scan->file, offset, &start, &end);
	if (status == ST_OK)
		*is_there = start > offset || end + HOLE_ALLOWED < offset + size;
	return status;
}

enum status journal__scan_zeros(struct journal__scan *scan, uint64_t *offset)
{
	while (*offset < scan->size) {
		struct bytes bytes;
		enum status status = journal__scan_bytes(scan, *offset, 65536, &bytes);
		if (status != ST_OK)
			return status;
		for (size_t i = 0; i < bytes.size; i++) {
			if (bytes.data[i] != 0) {
				*offset += i;
				return ST_OK;
			}
		}
		if (bytes.size == 0)
			break;
		uint64_t data, end, behind = *offset + bytes.size;
		status = scan->file->fs->find_data(scan->file, behind, &data, &end);
		if (status != ST_OK)
			return status;
		/* A file that grows has more by now than when it was opened. */
		*offset = data < scan->size ? data : scan->size;
	}
	return ST_OK;
}
