/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Versions of running, and how readers get one. A reader pins: it takes the state mutex for a load and an
 * increment, so a published version cannot be released between the two. Nothing that takes long is done under
 * that mutex, so neither readers nor the writer wait for each other.
 *
 * A version owns one reference of its root. The last unpin drops that, and the reclaimer gets what no other
 * root shares.
 */
#include "store/internal.h"
#include <string.h>
#include "base/assert.h"
#include "base/memory.h"
#include "os/clock.h"

/* Cut where it is longer; `field` is zero. */
static void put_text(char *field, size_t size, const char *text)
{
	if (text != NULL)
		memcpy(field, text, strnlen(text, size - 1));
}

struct store_version *store__version_new(uint64_t id, const struct tree_record *root,
					 const struct store_actor *actor, bool valid)
{
	struct store_version *version = memory_zalloc(sizeof(*version));
	atomic_init(&version->refs, 1);
	version->id = id;
	version->root = root;
	version->time_ns = os_clock_wall_ns();
	version->session_id = actor->session_id;
	put_text(version->user, sizeof(version->user), actor->user);
	put_text(version->address, sizeof(version->address), actor->address);
	version->valid = valid;
	return version;
}

void store__version_ref(struct store_version *version)
{
	atomic_fetch_add_explicit(&version->refs, 1, memory_order_relaxed);
}

void store__version_unref(struct store *store, const struct store_version *version)
{
	struct store_version *own = (struct store_version *)version;
	if (atomic_fetch_sub_explicit(&own->refs, 1, memory_order_acq_rel) != 1)
		return;
	tree_record_unref(own->root, store->options.schema->root, store->options.reclaimer);
	store__startup_unref(store, &own->startup);
	check_index_unref(own->index, store->options.reclaimer);
	store__txids_unref(own->txids);
	memory_free(own->comment);
	memory_free(own->label);
	memory_free(own);
}

struct store_version *store__tip(struct store *store)
{
	pthread_mutex_lock(&store->state);
	struct store_version *tip = store->tip;
	store__version_ref(tip);
	pthread_mutex_unlock(&store->state);
	return tip;
}

bool store__is_published(struct store *store, uint64_t version)
{
	pthread_mutex_lock(&store->state);
	bool published = store->published->id >= version;
	pthread_mutex_unlock(&store->state);
	return published;
}

const struct store_version *store_pin(struct store *store)
{
	pthread_mutex_lock(&store->state);
	struct store_version *version = store->published;
	store__version_ref(version);
	pthread_mutex_unlock(&store->state);
	return version;
}

void store_unpin(struct store *store, const struct store_version *version)
{
	store__version_unref(store, version);
}
