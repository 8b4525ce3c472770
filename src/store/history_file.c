/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file `history` of a data directory: what is told of versions and stands in no record. Labels that were
 * given or taken away after the commit, and when version 1 was made, which has no record.
 *
 *     magic 8 "YAREHST\n"    format 4    checksum 4 of all that follows
 *     entry:   version 8    time 8    flags 1 (bit 0: the label is as here)    size 2    label
 *
 * docs/format/journal.md has it for other readers. Numbers are little-endian. The time is that of the
 * version: with durability relaxed or none a version may be lost in a crash, and the next one of its number
 * must not have its label. The file is written as a whole for each label that is given, and read at a start.
 */
#include "store/history_internal.h"
#include "base/assert.h"
#include "base/little_endian.h"
#include "base/log.h"
#include "base/memory.h"
#include "journal/crc32c.h"

#define FORMAT 1u
#define HEAD_SIZE 16u  /* bytes */
#define ENTRY_SIZE 19u /* bytes before the label */
#define FLAG_RELABELLED 1u

static const char magic[8] = {'Y', 'A', 'R', 'E', 'H', 'S', 'T', '\n'};

static void put_entry(struct buffer *out, const struct store__told *told)
{
	size_t size = told->label != NULL ? strlen(told->label) : 0;
	little_endian_append(out, told->version, 8);
	little_endian_append(out, told->time_ns, 8);
	little_endian_append(out, told->relabelled ? FLAG_RELABELLED : 0, 1);
	little_endian_append(out, size, 2);
	enum status status = buffer_append(out, (struct bytes){told->label, size});
	ASSERT(status == ST_OK); /* the buffer has no limit */
}

enum status store__history_file_write(struct journal *journal, const struct vector *told)
{
	struct buffer out;
	buffer_init(&out, SIZE_MAX);
	char *head = buffer_reserve(&out, HEAD_SIZE);
	memset(head, 0, HEAD_SIZE);
	memcpy(head, magic, sizeof(magic));
	head[8] = FORMAT;
	buffer_commit(&out, HEAD_SIZE);
	for (size_t i = 0; i < told->length; i++)
		put_entry(&out, vector_at(told, i));
	struct bytes content = buffer_get(&out);
	uint32_t checksum = crc32c(0, (struct bytes){content.data + HEAD_SIZE, content.size - HEAD_SIZE});
	little_endian_put((char *)content.data + 12, checksum, 4);
	enum status status = journal_disk_put_file(journal, HISTORY_FILE, content);
	buffer_fini(&out);
	if (status != ST_OK)
		log_error("%s: cannot be written: %s", HISTORY_FILE, status_name(status));
	return status;
}

/* One entry off the front of `in`; false where it is not whole. */
static bool take_entry(struct bytes *in, struct store__told *told)
{
	if (in->size < ENTRY_SIZE)
		return false;
	size_t size = little_endian_get(in->data + 17, 2);
	if (in->size - ENTRY_SIZE < size || size > STORE_LABEL_MAX)
		return false;
	*told = (struct store__told){
		.version = little_endian_get(in->data, 8),
		.time_ns = little_endian_get(in->data + 8, 8),
		.relabelled = in->data[16] & FLAG_RELABELLED,
	};
	if (size > 0) {
		char *label = memory_zalloc(size + 1);
		memcpy(label, in->data + ENTRY_SIZE, size);
		told->label = label;
	}
	*in = (struct bytes){in->data + ENTRY_SIZE + size, in->size - ENTRY_SIZE - size};
	return true;
}

enum status store__history_file_decode(struct bytes in, struct vector *told)
{
	if (in.size < HEAD_SIZE || memcmp(in.data, magic, sizeof(magic)) != 0)
		return ST_CORRUPT;
	if (little_endian_get(in.data + 8, 4) > FORMAT)
		return ST_LIMIT;
	struct bytes rest = {in.data + HEAD_SIZE, in.size - HEAD_SIZE};
	if (little_endian_get(in.data + 12, 4) != crc32c(0, rest))
		return ST_CORRUPT;
	while (rest.size > 0) {
		struct store__told entry;
		if (!take_entry(&rest, &entry))
			return ST_CORRUPT;
		*(struct store__told *)vector_push(told) = entry;
	}
	return ST_OK;
}

enum status store__history_file_read(struct journal *journal, struct vector *told)
{
	struct buffer content;
	buffer_init(&content, SIZE_MAX);
	enum status status = journal_disk_get_file(journal, HISTORY_FILE, HISTORY_FILE_LIMIT, &content);
	if (status == ST_OK)
		status = store__history_file_decode(buffer_get(&content), told);
	else if (status == ST_ABSENT)
		status = ST_OK;
	buffer_fini(&content);
	if (status != ST_OK)
		log_error("%s: %s: the labels in it are not known", HISTORY_FILE, status_name(status));
	return status;
}

void store__told_fini(struct vector *told)
{
	for (size_t i = 0; i < told->length; i++)
		memory_free((char *)((struct store__told *)vector_at(told, i))->label);
	vector_fini(told);
}
