/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A version rebuilt with a schema, from a view of a directory. Forwards it is what recovery does (recover.c):
 * a snapshot, then records, into one builder. Backwards, for versions that are older than all snapshots: the
 * records are read as they come, those behind the wanted version are kept, with the names of their segments,
 * and undone from the last to the first.
 */
#include "store/inspect.h"
#include "base/memory.h"
#include "schema/fingerprint.h"
#include "store/internal.h"

/* A record that is to be undone. */
struct kept {
	size_t names;	    /* index */
	size_t start, size; /* of its block in the buffer */
};

struct rebuilding {
	const struct schema *schema;
	const struct journal_view *view;
	uint64_t version;  /* wanted */
	uint64_t snapshot; /* that it begins with */
	unsigned char fingerprint[SCHEMA_FINGERPRINT_SIZE];
	struct store_rebuilt *rebuilt;
	struct tree_builder *builder;
	struct diag_list *diags;
	struct vector names; /* struct change_dictionary *, owned, of the segments so far; only the last one
				going forwards */
	uint64_t segment;    /* that the last of them is of */
	struct vector kept;  /* struct kept; going backwards */
	struct buffer blocks;
};

static void set_schema(struct rebuilding *r, struct change_dictionary *names,
		       const unsigned char *fingerprint)
{
	bool same = memcmp(fingerprint, r->fingerprint, SCHEMA_FINGERPRINT_SIZE) == 0;
	change_dictionary_set_strict(names, !same);
	r->rebuilt->same_schema = r->rebuilt->same_schema && same;
}

static void set_info(struct rebuilding *r, struct store_version *info)
{
	store__info_free(r->rebuilt->info);
	r->rebuilt->info = info;
}

/* ---- the snapshot ---- */

static enum status next_block(void *arg, struct bytes *block)
{
	enum status status = journal_snapshot_next(arg, block);
	return status == ST_ABSENT ? ST_CORRUPT : status;
}

static enum status load_snapshot(struct rebuilding *r)
{
	struct journal_snapshot_reader *reader;
	struct journal_snapshot snapshot;
	enum status status = journal_view_load(r->view, r->snapshot, &reader, &snapshot);
	if (status != ST_OK)
		return status;
	struct change_dictionary *names = change_dictionary_new(r->schema);
	set_schema(r, names, snapshot.fingerprint);
	if (r->snapshot == r->version)
		set_info(r, store_inspect_snapshot(&snapshot));
	status = change_tree_decode(names, r->builder, next_block, reader, r->diags);
	change_dictionary_free(names);
	return status;
}

/* ---- records ---- */

static struct change_dictionary *names_of(struct rebuilding *r, const struct journal_record *record)
{
	bool is_same = r->names.length > 0 && record->location.segment == r->segment;
	r->segment = record->location.segment;
	if (r->names.length == 0 || (!is_same && r->kept.length > 0))
		*(struct change_dictionary **)vector_push(&r->names) = change_dictionary_new(r->schema);
	struct change_dictionary *names =
		*(struct change_dictionary **)vector_at(&r->names, r->names.length - 1);
	if (!is_same)
		change_dictionary_reset(names);
	return names;
}

static enum status keep(struct rebuilding *r, struct bytes block)
{
	*(struct kept *)vector_push(&r->kept) =
		(struct kept){r->names.length - 1, buffer_size(&r->blocks), block.size};
	return buffer_append(&r->blocks, block);
}

static enum status take_record(void *arg, const struct journal_record *record)
{
	struct rebuilding *r = arg;
	struct bytes block;
	struct change_dictionary *names = names_of(r, record);
	struct store_version *info = store_inspect_record(record, &block);
	bool counts = !record->names_only;
	if (info == NULL)
		return counts ? ST_CORRUPT : ST_OK;
	bool forwards = counts && record->version > r->snapshot && record->version <= r->version;
	bool backwards = counts && record->version <= r->snapshot && record->version > r->version;
	if (forwards || backwards)
		set_schema(r, names, record->fingerprint);
	if (counts && record->version == r->version)
		set_info(r, info);
	else
		store_inspect_free(info);
	if (forwards)
		return change_record_apply(names, block, CHANGE_REDO, r->builder, r->diags);
	if (counts && record->version > r->version && !backwards)
		return ST_OK;
	enum status status = change_record_define(names, block);
	/* Some of these may be lost; whoever needs them will say so. */
	if (record->names_only)
		return ST_OK;
	return status == ST_OK && backwards ? keep(r, block) : status;
}

static enum status undo(struct rebuilding *r)
{
	enum status status = ST_OK;
	const char *blocks = buffer_get(&r->blocks).data;
	for (size_t i = r->kept.length; i > 0 && status == ST_OK; i--) {
		const struct kept *kept = vector_at(&r->kept, i - 1);
		struct change_dictionary *names =
			*(struct change_dictionary **)vector_at(&r->names, kept->names);
		struct bytes block = {blocks + kept->start, kept->size};
		status = change_record_apply(names, block, CHANGE_UNDO, r->builder, r->diags);
	}
	return status;
}

static enum status rebuild(struct rebuilding *r, bool needs_records)
{
	struct tree_record *empty = tree_record_new();
	r->builder = tree_builder_new(r->schema, empty, NULL);
	tree_record_unref(empty, r->schema->root, NULL);
	r->rebuilt->same_schema = true;
	enum status status = load_snapshot(r);
	if (status == ST_OK && needs_records)
		status = journal_view_replay(r->view, take_record, r);
	if (status == ST_OK)
		status = undo(r);
	if (status == ST_OK)
		r->rebuilt->root = tree_builder_finish(r->builder);
	else
		tree_builder_abort(r->builder);
	return status;
}

/* The newest whole snapshot up to the version that the run reaches or that is the version, else the oldest
 * one behind it, to be undone from. False: there is no way. */
static bool choose_snapshot(struct rebuilding *r, const struct journal_view_state *state, bool *needs_records)
{
	size_t count = journal_view_snapshot_count(r->view);
	bool is_found = false;
	for (size_t i = 0; i < count; i++) {
		const struct journal_view_snapshot *told = journal_view_snapshot_at(r->view, i);
		uint64_t from = told->version < r->version ? told->version : r->version;
		bool in_run = from + 1 >= state->first_version && told->version <= state->version &&
			      r->version <= state->version;
		if (!told->is_whole || (told->version != r->version && !in_run))
			continue;
		if (is_found && told->version > r->version)
			break;
		is_found = true;
		r->snapshot = told->version;
		*needs_records = in_run;
	}
	return is_found;
}

static void rebuilding_fini(struct rebuilding *r)
{
	for (size_t i = 0; i < r->names.length; i++)
		change_dictionary_free(*(struct change_dictionary **)vector_at(&r->names, i));
	vector_fini(&r->names);
	vector_fini(&r->kept);
	buffer_fini(&r->blocks);
}

enum status store_rebuild(const struct schema *schema, const struct journal_view *view, uint64_t version,
			  struct diag_list *diags, struct store_rebuilt *rebuilt)
{
	struct journal_view_state state;
	struct store_rebuilt made = {0};
	struct rebuilding r = {
		.schema = schema, .view = view, .version = version, .rebuilt = &made, .diags = diags};
	bool needs_records = false;
	if (!journal_view_state(view, &state) || !choose_snapshot(&r, &state, &needs_records))
		return ST_ABSENT;
	_Static_assert(JOURNAL_FINGERPRINT_SIZE == SCHEMA_FINGERPRINT_SIZE, "the journal keeps it whole");
	schema_fingerprint(schema, r.fingerprint);
	vector_init(&r.names, sizeof(struct change_dictionary *));
	vector_init(&r.kept, sizeof(struct kept));
	buffer_init(&r.blocks, SIZE_MAX);
	enum status status = rebuild(&r, needs_records);
	if (status == ST_OK)
		*rebuilt = made;
	else
		store__info_free(made.info);
	rebuilding_fini(&r);
	return status;
}

void store_rebuilt_fini(struct store_rebuilt *rebuilt, const struct schema *schema)
{
	if (rebuilt->root != NULL)
		tree_record_unref(rebuilt->root, schema->root, NULL);
	store__info_free(rebuilt->info);
	*rebuilt = (struct store_rebuilt){0};
}
