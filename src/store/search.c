/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The indexes of filters, as many as the limits allow; the one that was not asked for longest goes first.
 *
 * The lock is held for searches alone. An index that has to be made or moved is marked busy and worked on
 * without the lock; who asks for it meanwhile looks at all entries, as without an index. So no reader waits
 * for another one's work, and a commit, which knows nothing of indexes, for none.
 *
 *     absent --make--> busy --> ready --other version--> busy --> ready
 *                                 '--evicted--> absent
 *
 * Where more than a share of the list has the value, looking at all entries is no slower than sorting them.
 */
#include "store/search.h"

#include <pthread.h>

#include "base/memory.h"
#include "store/value_index.h"

#define FOUND_SHARE 8 /* the part of a list that an answer may be */
#define FOUND_MIN 64
#define FOUND_MAX 65536 /* and no more: they take memory beside the filter's */
#define INDEXES_MAX 256

struct slot {
	struct store__value_index *index; /* NULL: the slot is free */
	const struct schema_node *leaf;
	uint64_t last_used;
	size_t memory; /* when it was last ready */
	bool busy;     /* its index is some thread's */
};

struct store_search {
	struct xpath_search base; /* first */
	struct store_search_limits limits;
	struct tree_reclaimer *reclaimer;
	pthread_mutex_t lock; /* over all below, but for the indexes of busy slots */
	struct slot *slots;   /* limits.indexes */
	uint64_t uses;
	struct store_search_counters counters; /* the first four */
};

/* One question. */
struct question {
	const struct tree_record *parent;
	const struct tree_map *map;
	const struct schema_node *leaf;
	struct bytes text;
	size_t limit;
};

static bool answer(const struct slot *slot, const struct question *question, struct xpath_found *found)
{
	return store__value_index_find(slot->index, question->text, question->limit, found);
}

static struct slot *find_slot(struct store_search *search, const struct schema_node *leaf)
{
	for (unsigned i = 0; i < search->limits.indexes; i++) {
		struct slot *slot = &search->slots[i];
		if (slot->index != NULL && slot->leaf == leaf)
			return slot;
	}
	return NULL;
}

static struct slot *oldest_ready(struct store_search *search)
{
	struct slot *oldest = NULL;
	for (unsigned i = 0; i < search->limits.indexes; i++) {
		struct slot *slot = &search->slots[i];
		if (slot->index != NULL && !slot->busy &&
		    (oldest == NULL || slot->last_used < oldest->last_used))
			oldest = slot;
	}
	return oldest;
}

static struct store__value_index *empty_slot(struct slot *slot)
{
	struct store__value_index *index = slot->index;
	*slot = (struct slot){0};
	return index;
}

/* A slot for a new index, whose place *evicted may have had; NULL: all are busy. */
static struct slot *take_slot(struct store_search *search, const struct schema_node *leaf,
			      struct store__value_index **evicted)
{
	struct slot *slot = NULL;
	for (unsigned i = 0; i < search->limits.indexes && slot == NULL; i++) {
		if (search->slots[i].index == NULL)
			slot = &search->slots[i];
	}
	if (slot == NULL)
		slot = oldest_ready(search);
	if (slot == NULL)
		return NULL;
	*evicted = empty_slot(slot);
	slot->index = store__value_index_new(leaf->parent, leaf);
	slot->leaf = leaf;
	return slot;
}

static size_t memory_of(const struct store_search *search)
{
	size_t memory = 0;
	for (unsigned i = 0; i < search->limits.indexes; i++)
		memory += search->slots[i].memory;
	return memory;
}

/* An index to free; NULL: there is room for those that are left. */
static struct store__value_index *take_surplus(struct store_search *search)
{
	struct store__value_index *surplus = NULL;
	pthread_mutex_lock(&search->lock);
	struct slot *slot = memory_of(search) > search->limits.memory ? oldest_ready(search) : NULL;
	if (slot != NULL)
		surplus = empty_slot(slot);
	pthread_mutex_unlock(&search->lock);
	return surplus;
}

/* Brings the busy slot to the version, answers, and gives the slot back. */
static bool work(struct store_search *search, struct slot *slot, const struct question *question,
		 struct xpath_found *found)
{
	store__value_index_move(slot->index, question->parent, search->reclaimer);
	bool answered = answer(slot, question, found);
	pthread_mutex_lock(&search->lock);
	slot->busy = false;
	slot->memory = store__value_index_memory(slot->index);
	pthread_mutex_unlock(&search->lock);
	struct store__value_index *surplus;
	while ((surplus = take_surplus(search)) != NULL)
		store__value_index_free(surplus, search->reclaimer);
	return answered;
}

/* The slot of the leaf, made busy unless it can answer as it is; NULL: there is none to be had. */
static struct slot *claim(struct store_search *search, const struct question *question,
			  struct store__value_index **evicted)
{
	struct slot *slot = find_slot(search, question->leaf);
	if (slot != NULL && slot->busy)
		slot = NULL;
	else if (slot == NULL) {
		slot = take_slot(search, question->leaf, evicted);
		search->counters.made += slot != NULL;
	} else if (store__value_index_is_at(slot->index, question->map)) {
		search->counters.found++;
		slot->last_used = ++search->uses;
		return slot;
	} else
		search->counters.moved++;
	search->counters.passed += slot == NULL;
	if (slot != NULL) {
		slot->busy = true;
		slot->last_used = ++search->uses;
	}
	return slot;
}

/* False: the list is none that has an index. */
static bool ask(const struct store_search *search, const struct tree_record *parent,
		const struct schema_node *leaf, struct bytes text, struct question *question)
{
	const union tree_slot *content = tree_record_find(parent, leaf->parent);
	uint64_t count = content != NULL ? tree_map_count(content->map) : 0;
	if (count < search->limits.entries || count > search->limits.memory / STORE_VALUE_INDEX_ENTRY ||
	    content == NULL || search->limits.indexes == 0)
		return false;
	size_t share = count / FOUND_SHARE + FOUND_MIN;
	*question =
		(struct question){parent, content->map, leaf, text, share < FOUND_MAX ? share : FOUND_MAX};
	return true;
}

static enum xpath_looked_up look_up(struct xpath_search *self, const struct tree_record *parent,
				    const struct schema_node *leaf, struct bytes text, size_t most,
				    struct xpath_found *found)
{
	struct store_search *search = (struct store_search *)self;
	struct question question;
	if (!ask(search, parent, leaf, text, &question))
		return XPATH_LOOKED_UP_NONE;
	bool is_share = question.limit <= most;
	question.limit = is_share ? question.limit : most;
	enum xpath_looked_up result = XPATH_LOOKED_UP_WORK;
	pthread_mutex_lock(&search->lock);
	struct slot *slot = find_slot(search, leaf);
	if (slot != NULL && !slot->busy && store__value_index_is_at(slot->index, question.map)) {
		search->counters.found++;
		slot->last_used = ++search->uses;
		if (answer(slot, &question, found))
			result = XPATH_LOOKED_UP;
		else if (is_share)
			result = XPATH_LOOKED_UP_NONE;
	}
	pthread_mutex_unlock(&search->lock);
	return result;
}

static bool find(struct xpath_search *self, const struct tree_record *parent, const struct schema_node *leaf,
		 struct bytes text, struct xpath_found *found)
{
	struct store_search *search = (struct store_search *)self;
	struct question question;
	if (!ask(search, parent, leaf, text, &question))
		return false;
	struct store__value_index *evicted = NULL;
	bool answered = false;
	pthread_mutex_lock(&search->lock);
	struct slot *slot = claim(search, &question, &evicted);
	bool is_busy = slot != NULL && slot->busy;
	if (slot != NULL && !is_busy)
		answered = answer(slot, &question, found);
	pthread_mutex_unlock(&search->lock);
	store__value_index_free(evicted, search->reclaimer);
	return is_busy ? work(search, slot, &question, found) : answered;
}

struct store_search *store_search_new(const struct store_search_limits *limits,
				      struct tree_reclaimer *reclaimer)
{
	struct store_search *search = memory_zalloc(sizeof(*search));
	search->base.find = find;
	search->base.look_up = look_up;
	search->limits = *limits;
	if (limits->indexes > INDEXES_MAX)
		search->limits.indexes = INDEXES_MAX;
	search->reclaimer = reclaimer;
	search->slots = memory_zalloc((search->limits.indexes + (size_t)1) * sizeof(*search->slots));
	pthread_mutex_init(&search->lock, NULL);
	return search;
}

void store_search_free(struct store_search *search)
{
	if (search == NULL)
		return;
	for (unsigned i = 0; i < search->limits.indexes; i++)
		store__value_index_free(search->slots[i].index, search->reclaimer);
	pthread_mutex_destroy(&search->lock);
	memory_free(search->slots);
	memory_free(search);
}

struct xpath_search *store_search_xpath(struct store_search *search)
{
	return &search->base;
}

void store_search_counters(struct store_search *search, struct store_search_counters *counters)
{
	pthread_mutex_lock(&search->lock);
	*counters = search->counters;
	counters->indexes = 0;
	for (unsigned i = 0; i < search->limits.indexes; i++)
		counters->indexes += search->slots[i].index != NULL;
	counters->memory = memory_of(search);
	pthread_mutex_unlock(&search->lock);
}
