/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The head of a journal record and of a snapshot: who made a version, when, and why (docs/format/journal.md).
 *
 *     time 8    session 4    flags 1    changes 8    [fallback 8]    user    address    comment    [label]
 *
 * Numbers are little-endian; the texts have their size before them in 2 bytes. Behind it come, in a record,
 * the changes (codec/change_record.h); where the version gave startup content of its own, that follows, as
 * the changes from running to it, and its size in 4 bytes.
 */
#include <string.h>
#include "base/assert.h"
#include "base/little_endian.h"
#include "base/memory.h"
#include "store/internal.h"

#define FLAG_VALID 1u
#define FLAG_PENDING 2u	   /* a confirmed commit: fallback is there */
#define FLAG_LABEL 4u	   /* label is there */
#define FLAG_SET_ASIDE 64u /* bits 3 to 5 are startup_change */
#define STARTUP_SHIFT 3	   /* of enum store_startup_change, 3 bits */
#define STARTUP_MASK 7u
#define FIXED_SIZE 21u /* bytes before fallback and the texts */
#define FALLBACK_SIZE 8u
#define STARTUP_SIZE 4u /* bytes of the size of its block */

static void put_text(struct buffer *out, const char *text)
{
	size_t size = text != NULL ? strlen(text) : 0;
	little_endian_append(out, size, 2);
	enum status status = buffer_append(out, (struct bytes){text, size});
	ASSERT(status == ST_OK); /* the buffer has no limit */
}

static unsigned flags_of(const struct store_version *version)
{
	return (version->valid ? FLAG_VALID : 0) | (version->fallback != 0 ? FLAG_PENDING : 0) |
	       (version->label != NULL ? FLAG_LABEL : 0) | (version->set_aside ? FLAG_SET_ASIDE : 0);
}

void store__record_put_head(const struct store_version *version, enum store_startup_change startup,
			    struct buffer *out)
{
	little_endian_append(out, version->time_ns, 8);
	little_endian_append(out, version->session_id, 4);
	little_endian_append(out, flags_of(version) | (unsigned)startup << STARTUP_SHIFT, 1);
	little_endian_append(out, version->change_count, 8);
	if (version->fallback != 0)
		little_endian_append(out, version->fallback, 8);
	put_text(out, version->user);
	put_text(out, version->address);
	put_text(out, version->comment);
	if (version->label != NULL)
		put_text(out, version->label);
}

static uint64_t take_number(struct bytes *in, unsigned size)
{
	uint64_t number = little_endian_get(in->data, size);
	*in = (struct bytes){in->data + size, in->size - size};
	return number;
}

static bool take_text(struct bytes *in, size_t most, struct bytes *text)
{
	if (in->size < 2)
		return false;
	size_t size = take_number(in, 2);
	if (size > in->size || size > most)
		return false;
	*text = (struct bytes){in->data, size};
	*in = (struct bytes){in->data + size, in->size - size};
	return true;
}

static void copy_text(char *to, struct bytes text)
{
	if (text.size > 0)
		memcpy(to, text.data, text.size);
	to[text.size] = '\0';
}

/* NULL where it is empty. */
static char *dup_text(struct bytes text)
{
	if (text.size == 0)
		return NULL;
	char *copy = memory_alloc(text.size + 1);
	copy_text(copy, text);
	return copy;
}

/* The numbers; false where they are not whole. */
static bool take_numbers(struct bytes *in, struct store_version *version, unsigned *flags)
{
	if (in->size < FIXED_SIZE)
		return false;
	version->time_ns = take_number(in, 8);
	version->session_id = (uint32_t)take_number(in, 4);
	*flags = (unsigned)take_number(in, 1);
	version->valid = *flags & FLAG_VALID;
	version->set_aside = *flags & FLAG_SET_ASIDE;
	version->startup_change = (enum store_startup_change)(*flags >> STARTUP_SHIFT & STARTUP_MASK);
	if (version->startup_change > STORE_STARTUP_REPLACED)
		return false;
	version->change_count = take_number(in, 8);
	if (!(*flags & FLAG_PENDING))
		return true;
	if (in->size < FALLBACK_SIZE)
		return false;
	version->fallback = take_number(in, FALLBACK_SIZE);
	return true;
}

struct store_version *store__record_take_head(uint64_t id, struct bytes *in)
{
	struct store_version *version = memory_zalloc(sizeof(*version));
	struct bytes user, address, comment, label = {NULL, 0};
	unsigned flags;
	atomic_init(&version->refs, 1);
	version->id = id;
	if (!take_numbers(in, version, &flags) || !take_text(in, sizeof(version->user) - 1, &user) ||
	    !take_text(in, sizeof(version->address) - 1, &address) ||
	    !take_text(in, STORE_COMMENT_MAX, &comment) ||
	    ((flags & FLAG_LABEL) && !take_text(in, STORE_LABEL_MAX, &label))) {
		store__info_free(version);
		return NULL;
	}
	copy_text(version->user, user);
	copy_text(version->address, address);
	version->comment = dup_text(comment);
	version->label = dup_text(label);
	return version;
}

void store__record_put_size(size_t size, struct buffer *out)
{
	little_endian_append(out, size, STARTUP_SIZE);
}

bool store__record_take_startup(const struct store_version *info, struct bytes *payload,
				struct bytes *startup)
{
	*startup = (struct bytes){NULL, 0};
	if (info->startup_change != STORE_STARTUP_REPLACED)
		return true;
	if (payload->size < STARTUP_SIZE)
		return false;
	struct bytes last = {payload->data + payload->size - STARTUP_SIZE, STARTUP_SIZE};
	size_t size = take_number(&last, STARTUP_SIZE), left = payload->size - STARTUP_SIZE;
	if (size > left)
		return false;
	*startup = (struct bytes){payload->data + left - size, size};
	*payload = (struct bytes){payload->data, left - size};
	return true;
}

struct store_version *store__info_copy(const struct store_version *version)
{
	struct store_version *copy = memory_zalloc(sizeof(*copy));
	atomic_init(&copy->refs, 1);
	copy->id = version->id;
	copy->time_ns = version->time_ns;
	copy->session_id = version->session_id;
	copy->change_count = version->change_count;
	copy->fallback = version->fallback;
	copy->valid = version->valid;
	copy->startup_change = version->startup_change;
	copy->set_aside = version->set_aside;
	copy->location = version->location;
	memcpy(copy->user, version->user, sizeof(copy->user));
	memcpy(copy->address, version->address, sizeof(copy->address));
	copy->comment = version->comment != NULL ? memory_strdup(version->comment) : NULL;
	copy->label = version->label != NULL ? memory_strdup(version->label) : NULL;
	return copy;
}

void store__info_free(struct store_version *version)
{
	if (version == NULL)
		return;
	memory_free(version->comment);
	memory_free(version->label);
	memory_free(version);
}
