/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is kept of a damaged data directory: the state's snapshot, and the run of records around it. Two ways:
 *
 *     the run begins with a segment's header       its segments stay as they are; the last one, where
 * something is behind its records, is copied up to there it begins behind damage, or a record in it   its
 * records go into new segments, numbered behind all others is not sound, or there is none
 *
 * A record that goes over keeps its version, its head and its changes. The first of a segment gets all
 * definitions of names that are known of its old one, so that a segment still is readable by itself.
 */
#include "store/salvage.h"
#include "base/memory.h"
#include "store/history_internal.h"

struct carrying {
	const struct store_inspection *inspection;
	struct journal_salvage *salvage;
	struct change_names *names;
	uint64_t segment;  /* that the names are of */
	bool has_begun;	   /* a segment for the records of that one */
	struct buffer out; /* a payload that was made anew */
};

/* ---- files that stay ---- */

static void keep_snapshots(const struct journal_view *view, const struct store_inspection *inspection,
			   const struct journal_view_state *state, struct journal_salvage *salvage)
{
	for (size_t i = 0; i < journal_view_snapshot_count(view); i++) {
		const struct journal_view_snapshot *told = journal_view_snapshot_at(view, i);
		bool leads_on = told->version + 1 >= inspection->sound_first &&
				told->version <= inspection->sound_version;
		if (told->is_whole && (told->version == state->snapshot || leads_on))
			journal_salvage_keep(salvage, told->name);
	}
}

static enum status keep_segments(const struct journal_view *view, const struct journal_view_state *state,
				 struct journal_salvage *salvage)
{
	size_t end = state->first_segment + state->segment_count;
	for (size_t i = state->first_segment; i < end; i++) {
		const struct journal_view_segment *told = journal_view_segment_at(view, i);
		if (i + 1 == end && told->has_more)
			return journal_salvage_copy(salvage, told->name, told->end);
		journal_salvage_keep(salvage, told->name);
	}
	return ST_OK;
}

/* ---- records that go over ---- */

/* The payload with the definitions of all names so far. */
static enum status complete(struct carrying *c, const struct journal_record *record, struct bytes block)
{
	buffer_clear(&c->out, (size_t)1 << 20);
	const char *payload = record->payload.data, *behind = block.data + block.size;
	struct bytes head = {payload, (size_t)(block.data - payload)},
		     rest = {behind, (size_t)(payload + record->payload.size - behind)};
	enum status status = buffer_append(&c->out, head);
	if (status == ST_OK)
		status = change_text_complete(c->names, block, &c->out);
	return status == ST_OK ? buffer_append(&c->out, rest) : status;
}

static enum status carry(struct carrying *c, const struct journal_record *record, struct bytes block)
{
	if (c->has_begun)
		return journal_salvage_append(c->salvage, record->version, record->payload);
	c->has_begun = true;
	enum status status = complete(c, record, block);
	if (status == ST_OK)
		status = journal_salvage_begin(c->salvage, record->fingerprint);
	return status == ST_OK ? journal_salvage_append(c->salvage, record->version, buffer_get(&c->out))
			       : status;
}

static enum status carry_record(void *arg, const struct journal_record *record)
{
	struct carrying *c = arg;
	struct bytes block;
	if (record->location.segment != c->segment) {
		change_names_reset(c->names);
		c->has_begun = false;
	}
	c->segment = record->location.segment;
	struct store_version *info = store_inspect_record(record, &block);
	bool is_sound = info != NULL;
	store_inspect_free(info);
	bool is_kept = !record->names_only && record->version >= c->inspection->sound_first &&
		       record->version <= c->inspection->sound_version;
	enum status status = is_kept && is_sound ? carry(c, record, block) : ST_OK;
	/* Its names, for those behind it; what is kept was found sound before. */
	if (is_sound && change_text_record(c->names, block, NULL, NULL) == ST_IO)
		status = ST_IO;
	return status;
}

static enum status make_segments(const struct journal_view *view, const struct store_inspection *inspection,
				 struct journal_salvage *salvage)
{
	struct journal_salvage_start start = {.first_version = inspection->sound_first};
	bool is_none = inspection->sound_first > inspection->sound_version;
	if (is_none)
		start.first_version = inspection->sound_version + 1;
	journal_view_beyond(view, &start.number, &start.position, &start.directory);
	journal_salvage_start(salvage, &start);
	struct carrying c = {.inspection = inspection, .salvage = salvage, .names = change_names_new()};
	buffer_init(&c.out, SIZE_MAX);
	enum status status = is_none ? journal_salvage_begin(salvage, inspection->fingerprint)
				     : journal_view_replay(view, carry_record, &c);
	buffer_fini(&c.out);
	change_names_free(c.names);
	return status == ST_OK ? journal_salvage_finish(salvage) : status;
}

enum status store_salvage_prepare(const struct journal_view *view, const struct store_inspection *inspection,
				  struct journal_salvage *salvage)
{
	struct journal_view_state state;
	if (!journal_view_state(view, &state))
		return ST_CORRUPT;
	keep_snapshots(view, inspection, &state, salvage);
	if (inspection->loses_labels)
		journal_salvage_drop(salvage, HISTORY_FILE);
	bool as_it_is = state.as_it_is && inspection->sound_first == state.first_version &&
			inspection->sound_version == state.version;
	return as_it_is ? keep_segments(view, &state, salvage) : make_segments(view, inspection, salvage);
}
