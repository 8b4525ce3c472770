/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A walk on several threads. What makes it possible: the trees, the indexes and the plan are only read, and
 * whatever an instance makes due is found from it and the frames above. So the entries of one list can be
 * walked in any order and by anybody. Each thread does that with a run of its own, whose memory, faults,
 * counters and gathered tuples nobody else touches; when all entries are walked the run that waited takes it
 * all:
 *
 *     tuples      in the order of the pieces, which is that of one thread
 *     faults      all; they are sorted in the end, so that who found one does not show
 *     touched     constraints of the frames above that a part has made due
 *     fans, flips each ancestor once
 *     counters    summed up
 *
 * Shared while parts run is the table of what was judged once, in shards with a lock each: a reader of two
 * changes that are walked by two threads is judged by one of them. What was in the table before is read only.
 *
 * Work limits hold for all together: a part begins a piece with what the others have left, and what a piece
 * took is counted when it ends. Beyond the limit all stop and what they found is thrown away, since it is up
 * to chance which constraint met it: the caller checks again, alone. A walk that was interrupted ends as it
 * would have, by the constraint that was told so.
 *
 * Serials of frames: a part's are above those of the frames that it shares, and those that come after it are
 * above all parts'.
 */
#include "check/split.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/memory.h"
#include "os/pieces.h"

enum {
	LEAST = 4096,	   /* instances worth a thread: as many take it about 0.4 ms, and 30 us to start */
	ENTRIES_LEAST = 8, /* fewer entries cannot be dealt out evenly: what is below them may be */
	PIECES = 32,	   /* a thread, so that none waits long for the last one */
	CHANGES = 32,	   /* of a piece */
	SHARDS = 64,
};

struct shard {
	pthread_mutex_t lock;
	struct hash_table *table; /* NULL: none */
};

struct check__split {
	struct check__run *parts[OS_PIECES_THREADS_MAX]; /* by thread; NULL: not needed so far */
	bool is_split; /* in this phase; the tables of `shards` go on where the whole's ends */
	struct shard shards[SHARDS];
	struct vector firsts; /* struct tree_change *: of the pieces of a list that changed */

	uint64_t steps;	       /* left when the present list was begun */
	_Atomic uint64_t used; /* of them */
	_Atomic bool is_stopped;

	const struct tree_record *index_base; /* what the tuples go from and come to; NULL: not split */
	struct check__gathering **first,
		**last; /* by index id: what was gathered, in order; linked by next */
};

/* One list that is walked. */
struct work {
	struct os_pieces pieces;
	struct check__run *whole;
	const struct check__frame *frame;
	const struct check__entries *entries; /* NULL: changes */
	size_t threads;
	uint64_t count;			    /* entries */
	const struct tree_change *end;	    /* of the changes */
	struct check__gathering **gathered; /* by piece */
};

bool check__is_split(const struct check__run *run)
{
	return run->split && run->split->is_split;
}

bool check__split_goes_on(const struct check__run *run)
{
	return run->status == ST_OK && !atomic_load_explicit(&run->split->is_stopped, memory_order_relaxed);
}

/* ---- What was judged once. ---- */

/* Any part of a key may be what differs. */
static struct shard *shard_of(struct check__split *split, struct bytes key)
{
	uint64_t sum = key.size;
	size_t at = 0;
	for (; at + sizeof(uint64_t) <= key.size; at += sizeof(uint64_t)) {
		uint64_t word;
		memcpy(&word, key.data + at, sizeof(word));
		sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
		sum ^= sum >> 32;
	}
	for (; at < key.size; at++)
		sum = (sum ^ (unsigned char)key.data[at]) * 0x9e3779b97f4a7c15u;
	return &split->shards[(sum >> 32) % SHARDS];
}

static bool was_done_before(const struct check__run *run, struct bytes key)
{
	const struct check__run *whole = run->whole ? run->whole : run;
	return whole->done && hash_table_find(whole->done, key);
}

bool check__split_done_add(struct check__run *run, struct bytes key)
{
	static const char present;
	if (was_done_before(run, key))
		return false;
	struct shard *shard = shard_of(run->split, key);
	pthread_mutex_lock(&shard->lock);
	if (!shard->table)
		shard->table = hash_table_new();
	bool is_added = hash_table_put(shard->table, key, (void *)&present) == NULL;
	pthread_mutex_unlock(&shard->lock);
	return is_added;
}

bool check__split_done_has(struct check__run *run, struct bytes key)
{
	if (was_done_before(run, key))
		return true;
	struct shard *shard = shard_of(run->split, key);
	pthread_mutex_lock(&shard->lock);
	bool has = shard->table && hash_table_find(shard->table, key);
	pthread_mutex_unlock(&shard->lock);
	return has;
}

/* ---- One piece. ---- */

static struct check__run *part_of(struct check__run *whole, size_t thread)
{
	struct check__run **part = &whole->split->parts[thread];
	if (!*part) {
		*part = memory_alloc(sizeof(**part));
		check__run_init_part(*part, whole);
		if (whole->tally) {
			(*part)->tally = check_tally_new(whole->plan);
			check_tally_set_timing((*part)->tally, check_tally_timing(whole->tally));
		}
	}
	return *part;
}

static void begin_piece(struct check__run *part, const struct check__run *whole)
{
	const struct check__split *split = whole->split;
	uint64_t used = atomic_load_explicit(&split->used, memory_order_relaxed);
	part->phase = whole->phase;
	part->full = whole->full;
	part->is_watching = whole->is_watching;
	part->old_index = whole->old_index;
	part->new_index = whole->new_index;
	part->serial = part->serial > whole->serial ? part->serial : whole->serial;
	part->limits.steps = used < split->steps ? split->steps - used : 0;
}

/* Gives what was gathered. */
static struct check__gathering *end_piece(struct check__run *part, uint64_t steps)
{
	struct check__split *split = part->split;
	uint64_t took = steps - part->limits.steps;
	uint64_t before = atomic_fetch_add_explicit(&split->used, took, memory_order_relaxed);
	if (part->status != ST_OK || before + took > split->steps)
		atomic_store_explicit(&split->is_stopped, true, memory_order_relaxed);
	struct check__gathering *gathered = part->gatherings;
	for (struct check__gathering *each = gathered; each; each = each->next)
		part->gathering_of[each->index->id] = NULL;
	part->gatherings = NULL;
	return gathered;
}

static void walk_piece(struct os_pieces *self, size_t piece, size_t thread)
{
	struct work *work = (struct work *)self;
	struct check__run *whole = work->whole;
	struct check__split *split = whole->split;
	if (atomic_load_explicit(&split->is_stopped, memory_order_relaxed))
		return;
	struct check__run *part = part_of(whole, thread);
	begin_piece(part, whole);
	uint64_t steps = part->limits.steps;
	if (work->entries) {
		uint64_t pieces = work->pieces.length;
		check__walk_entries(part, work->entries, work->count * piece / pieces,
				    work->count * (piece + 1) / pieces);
	} else {
		struct tree_change *const *firsts = split->firsts.data;
		bool is_last = piece + 1 == split->firsts.length;
		check__walk_changes(part, work->frame, firsts[piece],
				    is_last ? work->end : firsts[piece + 1]);
	}
	work->gathered[piece] = end_piece(part, steps);
}

/* ---- All of them. ---- */

static void begin(struct check__run *run)
{
	if (!run->split) {
		struct check__split *split = memory_zalloc(sizeof(*split));
		size_t indexes = run->plan->indexes.length;
		for (size_t i = 0; i < SHARDS; i++)
			pthread_mutex_init(&split->shards[i].lock, NULL);
		vector_init(&split->firsts, sizeof(struct tree_change *));
		split->first = arena_zalloc(run->arena, indexes * sizeof(struct check__gathering *));
		split->last = arena_zalloc(run->arena, indexes * sizeof(struct check__gathering *));
		run->split = split;
	}
	struct check__split *split = run->split;
	split->is_split = true;
	split->steps = run->limits.steps;
	atomic_store_explicit(&split->used, 0, memory_order_relaxed);
	if (run->builder) {
		split->index_base = tree_builder_finish(run->builder);
		run->builder = NULL;
	}
}

/* Puts what was gathered behind what there is of the same indexes. */
static void line_up(struct check__split *split, struct check__gathering *gathered)
{
	while (gathered) {
		struct check__gathering *each = gathered;
		uint32_t id = each->index->id;
		gathered = each->next;
		each->next = NULL;
		if (split->last[id])
			split->last[id]->next = each;
		else
			split->first[id] = each;
		split->last[id] = each;
	}
}

static void line_up_own(struct check__run *run)
{
	for (struct check__gathering *each = run->gatherings; each; each = each->next)
		run->gathering_of[each->index->id] = NULL;
	line_up(run->split, run->gatherings);
	run->gatherings = NULL;
}

/* The constraints of frames above the parts' own that these have made due. */
static void take_touched(struct check__run *run, const struct check__run *part, uint64_t serial)
{
	for (uint32_t i = 0; i < run->plan->constraints.length; i++) {
		if (part->touched[i] != 0 && part->touched[i] <= serial)
			run->touched[i] = part->touched[i];
	}
}

static void take(struct check__run *run, struct check__run *part, uint64_t serial)
{
	take_touched(run, part, serial);
	check__counters_add(&run->counters, &part->counters);
	part->counters = (struct check_counters){0};
	check__faults_take(&run->faults, &part->faults);
	check__fire_take(run, part);
	run->serial = part->serial > run->serial ? part->serial : run->serial;
}

/* What the parts found is of no use. Who was interrupted says so; else all begins anew. */
static void stop(struct check__run *run)
{
	for (size_t i = 0; i < OS_PIECES_THREADS_MAX; i++) {
		const struct check__run *part = run->split->parts[i];
		if (!part || !part->refused)
			continue;
		run->limits.stop = XPATH_INTERRUPTED;
		check__refuse_limit(run, part->refused, part->refused_at);
	}
	run->status = ST_LIMIT;
}

bool check__split_refuse(struct check__run *run, const struct check__constraint *constraint,
			 const struct tree_position *position)
{
	bool is_interrupted = run->limits.stop == XPATH_INTERRUPTED;
	if (run->whole && is_interrupted) {
		run->refused = constraint;
		run->refused_at = position ? tree_position_dup(position, run->arena) : NULL;
	}
	return run->whole || !is_interrupted;
}

bool check__split_stands(const struct check__run *run)
{
	return !run->split || run->status == ST_OK || run->limits.stop == XPATH_INTERRUPTED;
}

static void work_on(struct check__run *run, struct work *work, size_t pieces)
{
	struct check__split *split = run->split;
	work->whole = run;
	work->pieces.run = walk_piece;
	work->gathered = memory_zalloc(pieces * sizeof(struct check__gathering *));
	line_up_own(run);
	os_pieces_run(&work->pieces, pieces, work->threads);
	for (size_t i = 0; i < pieces; i++)
		line_up(split, work->gathered[i]);
	memory_free(work->gathered);
	uint64_t serial = run->serial;
	for (size_t i = 0; i < OS_PIECES_THREADS_MAX; i++) {
		if (split->parts[i])
			take(run, split->parts[i], serial);
	}
	uint64_t used = atomic_load_explicit(&split->used, memory_order_relaxed);
	run->limits.steps = used < split->steps ? split->steps - used : 0;
	if (atomic_load_explicit(&split->is_stopped, memory_order_relaxed))
		stop(run);
}

/* ---- What is worth it. ---- */

static uint64_t least_of(const struct check__run *run)
{
	return run->threads.least > 0 ? run->threads.least : LEAST;
}

/* Each is to have something worth it to do; 0: there is not enough for another one. */
static size_t threads_for(const struct check__run *run, uint64_t weight)
{
	uint64_t worth = weight / least_of(run);
	if (worth == 0)
		return 0;
	return worth < run->threads.count ? worth + 1 : run->threads.count;
}

/* Where less than usual is worth it, so is a shorter list. */
static uint64_t at_most(const struct check__run *run, uint64_t most)
{
	return least_of(run) < most ? least_of(run) : most;
}

bool check__split_entries(struct check__run *run, const struct check__frame *frame,
			  const struct schema_node *child, bool in_new)
{
	const struct tree_record *record = in_new ? frame->new->record : frame->old->record;
	const union tree_slot *slot = record ? tree_record_find(record, child) : NULL;
	uint64_t count = slot ? tree_map_count(slot->map) : 0;
	if (count == 0 || count < at_most(run, ENTRIES_LEAST))
		return false;
	size_t threads = threads_for(run, check__weigh_entries(run, child, slot->map));
	if (threads == 0)
		return false;
	struct check__entries entries = {.frame = frame, .child = child, .map = slot->map, .in_new = in_new};
	struct work work = {.frame = frame, .entries = &entries, .threads = threads, .count = count};
	uint64_t pieces = (uint64_t)threads * PIECES;
	begin(run);
	work_on(run, &work, pieces < count ? pieces : count);
	return true;
}

/* Puts down where the pieces begin. Gives the first change that is of another list. */
static const struct tree_change *cut(struct check__run *run, const struct tree_change *change)
{
	struct vector *firsts = &run->split->firsts;
	uint64_t share = at_most(run, CHANGES);
	const struct schema_node *list = change->schema;
	vector_clear(firsts);
	for (size_t i = 0; change && change->schema == list; i++, change = change->next) {
		if (i % share == 0)
			*(const struct tree_change **)vector_push(firsts) = change;
	}
	return change;
}

/* For the changes of one list. */
static size_t threads_for_changes(const struct check__run *run, const struct tree_change *change)
{
	const struct schema_node *list = change->schema;
	const struct tree_change *last = change;
	for (uint64_t i = 1; last && i < at_most(run, ENTRIES_LEAST); i++)
		last = last->next;
	if (!last || last->schema != list)
		return 0;
	uint64_t enough = least_of(run) * run->threads.count, weight = 0;
	for (; change && change->schema == list && weight < enough; change = change->next)
		weight += check__weigh_change(run, change, enough - weight);
	return threads_for(run, weight);
}

bool check__split_changes(struct check__run *run, const struct check__frame *frame,
			  const struct tree_change *change)
{
	size_t threads = check__is_multiple(change->schema) ? threads_for_changes(run, change) : 0;
	if (threads == 0)
		return false;
	begin(run);
	struct work work = {.frame = frame, .threads = threads};
	work.end = cut(run, change);
	work_on(run, &work, run->split->firsts.length);
	return true;
}

/* ---- Putting in what was gathered. ---- */

struct put {
	struct os_pieces pieces;
	struct check__run *run;
	struct check__gathering **each;	 /* by piece: the first of one index */
	const struct tree_record **made; /* by piece: all indexes, that one with its tuples */
};

static void put_piece(struct os_pieces *self, size_t piece, size_t thread)
{
	(void)thread;
	const struct put *put = (const struct put *)self;
	struct check__run *run = put->run;
	struct check__gathering *first = put->each[piece];
	for (struct check__gathering *more = first->next; more; more = more->next) {
		tree_bulk_join(&first->go, &more->go);
		tree_bulk_join(&first->come, &more->come);
		tree_bulk_fini(&more->go);
		tree_bulk_fini(&more->come);
	}
	struct tree_builder *builder =
		tree_builder_new(run->plan->index_schema, run->split->index_base, run->reclaimer);
	check__gathering_put(run, first, builder);
	put->made[piece] = tree_builder_finish(builder);
}

/* All indexes, each from that which was made for it. */
static const struct tree_record *bring_together(const struct put *put, size_t length)
{
	const struct check__run *run = put->run;
	const struct schema *schema = run->plan->index_schema;
	struct tree_builder *builder = tree_builder_new(schema, run->split->index_base, run->reclaimer);
	for (size_t i = 0; i < length; i++) {
		const struct schema_node *list = put->each[i]->index->list;
		const union tree_slot *slot = tree_record_find(put->made[i], list);
		if (slot)
			tree_builder_graft(builder, list, slot);
		else
			tree_builder_remove(builder, list);
		tree_record_unref(put->made[i], schema->root, run->reclaimer);
	}
	tree_record_unref(run->split->index_base, schema->root, run->reclaimer);
	run->split->index_base = NULL;
	return tree_builder_finish(builder);
}

const struct tree_record *check__split_put(struct check__run *run)
{
	struct check__split *split = run->split;
	size_t indexes = run->plan->indexes.length, length = 0;
	line_up_own(run);
	struct put put = {.pieces = {.run = put_piece}, .run = run};
	put.each = memory_alloc(indexes * sizeof(*put.each));
	put.made = memory_alloc(indexes * sizeof(*put.made));
	for (size_t i = 0; i < indexes; i++) {
		if (split->first[i])
			put.each[length++] = split->first[i];
		split->first[i] = split->last[i] = NULL;
	}
	os_pieces_run(&put.pieces, length, run->threads.count);
	const struct tree_record *index = bring_together(&put, length);
	memory_free(put.each);
	memory_free(put.made);
	return index;
}

/* ---- The end. ---- */

void check__split_reset(struct check__run *run)
{
	if (!run->split)
		return;
	run->split->is_split = false;
	for (size_t i = 0; i < SHARDS; i++) {
		hash_table_free(run->split->shards[i].table);
		run->split->shards[i].table = NULL;
	}
}

void check__split_fini(struct check__run *run)
{
	struct check__split *split = run->split;
	if (!split)
		return;
	check__split_reset(run);
	for (size_t i = 0; i < OS_PIECES_THREADS_MAX; i++) {
		struct check__run *part = split->parts[i];
		if (!part)
			continue;
		if (part->tally)
			check__tally_add(run->tally, part->tally);
		check_tally_free(part->tally);
		check__run_fini(part);
		memory_free(part);
	}
	for (size_t i = 0; i < SHARDS; i++)
		pthread_mutex_destroy(&split->shards[i].lock);
	vector_fini(&split->firsts);
	memory_free(split);
	run->split = NULL;
}
