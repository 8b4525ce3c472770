/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The journal in memory. It follows the order of calls that journal.h promises and asserts it, so that a
 * store which appends without a reservation, or goes on after a failed sync, is found out here.
 */
#include "journal/journal_memory.h"
#include <pthread.h>
#include <stdbool.h>
#include "base/assert.h"
#include "base/memory.h"
#include "base/vector.h"

struct entry {
	uint64_t version;
	char *data;
	size_t size;
};

struct journal_memory {
	struct journal journal;
	pthread_mutex_t mutex;
	pthread_cond_t released; /* held became false */
	struct vector entries;	 /* struct entry */
	size_t reserved;	 /* bytes; SIZE_MAX: nothing reserved */
	uint64_t syncs;
	bool held, failed;
	unsigned fail_reserve, fail_sync; /* calls until one fails; 0: none */
	enum status reserve_status;
};

static struct journal_memory *of(struct journal *journal)
{
	return (struct journal_memory *)journal;
}

/* Counts a fault down; true when it is due now. */
static bool fault_due(unsigned *calls)
{
	return *calls > 0 && --*calls == 0;
}

static enum status memory_reserve(struct journal *journal, size_t size, uint64_t *segment)
{
	*segment = 1;
	struct journal_memory *memory = of(journal);
	pthread_mutex_lock(&memory->mutex);
	bool fails = fault_due(&memory->fail_reserve);
	memory->reserved = fails ? SIZE_MAX : size;
	enum status status = fails ? memory->reserve_status : ST_OK;
	if (memory->failed) {
		memory->reserved = SIZE_MAX;
		status = ST_IO;
	}
	pthread_mutex_unlock(&memory->mutex);
	return status;
}

static void memory_append(struct journal *journal, uint64_t version, struct journal_payload record)
{
	struct journal_memory *memory = of(journal);
	size_t size = journal_payload_size(record), at = 0;
	pthread_mutex_lock(&memory->mutex);
	ASSERT(memory->reserved != SIZE_MAX && size <= memory->reserved);
	if (memory->failed) {
		pthread_mutex_unlock(&memory->mutex);
		return;
	}
	memory->reserved = SIZE_MAX;
	struct entry *entry = vector_push(&memory->entries);
	*entry = (struct entry){version, memory_alloc(size + 1), size};
	for (size_t i = 0; i < record.count; at += record.pieces[i++].size)
		if (record.pieces[i].size > 0)
			memcpy(entry->data + at, record.pieces[i].data, record.pieces[i].size);
	pthread_mutex_unlock(&memory->mutex);
}

static enum status memory_sync(struct journal *journal, uint64_t *version)
{
	struct journal_memory *memory = of(journal);
	pthread_mutex_lock(&memory->mutex);
	ASSERT(!memory->failed);
	size_t length = memory->entries.length;
	while (memory->held)
		pthread_cond_wait(&memory->released, &memory->mutex);
	memory->failed = fault_due(&memory->fail_sync);
	if (!memory->failed) {
		memory->syncs++;
		if (length > 0)
			*version = ((struct entry *)vector_at(&memory->entries, length - 1))->version;
	}
	enum status status = memory->failed ? ST_IO : ST_OK;
	pthread_mutex_unlock(&memory->mutex);
	return status;
}

static void memory_close(struct journal *journal)
{
	struct journal_memory *memory = of(journal);
	for (size_t i = 0; i < memory->entries.length; i++)
		memory_free(((struct entry *)vector_at(&memory->entries, i))->data);
	vector_fini(&memory->entries);
	pthread_cond_destroy(&memory->released);
	pthread_mutex_destroy(&memory->mutex);
	memory_free(memory);
}

struct journal *journal_memory_new(void)
{
	static const struct journal_ops ops = {memory_reserve, memory_append, memory_sync, memory_close};
	struct journal_memory *memory = memory_zalloc(sizeof(*memory));
	memory->journal.ops = &ops;
	memory->reserved = SIZE_MAX;
	pthread_mutex_init(&memory->mutex, NULL);
	pthread_cond_init(&memory->released, NULL);
	vector_init(&memory->entries, sizeof(struct entry));
	return &memory->journal;
}

size_t journal_memory_length(struct journal *journal)
{
	struct journal_memory *memory = of(journal);
	pthread_mutex_lock(&memory->mutex);
	size_t length = memory->entries.length;
	pthread_mutex_unlock(&memory->mutex);
	return length;
}

struct bytes journal_memory_record(struct journal *journal, size_t index, uint64_t *version)
{
	struct journal_memory *memory = of(journal);
	pthread_mutex_lock(&memory->mutex);
	const struct entry *entry = vector_at(&memory->entries, index);
	struct bytes record = {entry->data, entry->size};
	*version = entry->version;
	pthread_mutex_unlock(&memory->mutex);
	return record;
}

uint64_t journal_memory_syncs(struct journal *journal)
{
	struct journal_memory *memory = of(journal);
	pthread_mutex_lock(&memory->mutex);
	uint64_t syncs = memory->syncs;
	pthread_mutex_unlock(&memory->mutex);
	return syncs;
}

void journal_memory_hold_syncs(struct journal *journal, int held)
{
	struct journal_memory *memory = of(journal);
	pthread_mutex_lock(&memory->mutex);
	memory->held = held != 0;
	pthread_cond_broadcast(&memory->released);
	pthread_mutex_unlock(&memory->mutex);
}

void journal_memory_fail_reserve(struct journal *journal, unsigned n, enum status status)
{
	struct journal_memory *memory = of(journal);
	pthread_mutex_lock(&memory->mutex);
	memory->fail_reserve = n;
	memory->reserve_status = status;
	pthread_mutex_unlock(&memory->mutex);
}

void journal_memory_fail_sync(struct journal *journal, unsigned n)
{
	struct journal_memory *memory = of(journal);
	pthread_mutex_lock(&memory->mutex);
	memory->fail_sync = n;
	pthread_mutex_unlock(&memory->mutex);
}
