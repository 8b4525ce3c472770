/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The startup datastore of a version, rebuilt from a view of a directory. It is what the last version up to
 * then made of it: nothing, what running was in that version, or running with a block of changes. A snapshot
 * says the whole of it, too. So the last such version is looked for, running is rebuilt there (rebuild.c),
 * and the block is applied. Before the first snapshot that is kept, where no record tells, one behind it does
 * if nothing between changed startup.
 */
#include "base/memory.h"
#include "schema/fingerprint.h"
#include "store/inspect.h"
#include "store/internal.h"

/* What startup is from a version on. */
struct origin {
	uint64_t version; /* 0: not known */
	enum store_startup_change change;
	unsigned char fingerprint[JOURNAL_FINGERPRINT_SIZE];
	struct buffer block; /* REPLACED */
};

struct looking {
	const struct journal_view *view;
	struct journal_view_state state;
	uint64_t version; /* whose startup is wanted */
	uint64_t next;	  /* the first behind it that changed it; UINT64_MAX: none */
	struct origin origin;
};

static enum status set_origin(struct looking *l, uint64_t version, enum store_startup_change change,
			      const unsigned char *fingerprint, struct bytes block)
{
	l->origin.version = version;
	l->origin.change = change == STORE_STARTUP_UNCHANGED ? STORE_STARTUP_GIVEN_UP : change;
	memcpy(l->origin.fingerprint, fingerprint, JOURNAL_FINGERPRINT_SIZE);
	buffer_clear(&l->origin.block, 4096);
	return buffer_append(&l->origin.block, block);
}

static enum status take_record(void *arg, const struct journal_record *record)
{
	struct looking *l = arg;
	struct bytes block, startup;
	if (record->names_only || record->version < l->origin.version)
		return ST_OK;
	struct store_version *info = store_inspect_record_startup(record, &block, &startup);
	if (info == NULL)
		return ST_CORRUPT;
	enum store_startup_change change = info->startup_change;
	store_inspect_free(info);
	if (change == STORE_STARTUP_UNCHANGED)
		return ST_OK;
	if (record->version <= l->version)
		return set_origin(l, record->version, change, record->fingerprint, startup);
	l->next = record->version < l->next ? record->version : l->next;
	return ST_OK;
}

static enum status take_snapshot(struct looking *l, uint64_t version)
{
	struct journal_snapshot_reader *reader;
	struct journal_snapshot snapshot;
	struct bytes block = {NULL, 0};
	enum status status = journal_view_load(l->view, version, &reader, &snapshot);
	if (status != ST_OK)
		return status;
	struct store_version *info = store_inspect_snapshot(&snapshot);
	if (info == NULL)
		return ST_CORRUPT;
	enum store_startup_change change = info->startup_change;
	store_inspect_free(info);
	struct buffer last;
	buffer_init(&last, SIZE_MAX);
	/* The last one makes it. */
	while (change == STORE_STARTUP_REPLACED && status == ST_OK) {
		status = journal_snapshot_next(reader, &block);
		if (status == ST_OK) {
			buffer_clear(&last, 4096);
			status = buffer_append(&last, block);
		}
	}
	if (status == ST_OK || status == ST_ABSENT)
		status = set_origin(l, version, change, snapshot.fingerprint, buffer_get(&last));
	buffer_fini(&last);
	return status;
}

/* The last whole one up to the version from which records lead on, or the version's own. */
static enum status look_before(struct looking *l)
{
	uint64_t found = 0;
	for (size_t i = 0; i < journal_view_snapshot_count(l->view); i++) {
		const struct journal_view_snapshot *told = journal_view_snapshot_at(l->view, i);
		bool leads_on = told->version + 1 >= l->state.first_version && l->version <= l->state.version;
		if (told->is_whole && told->version <= l->version &&
		    (told->version == l->version || leads_on))
			found = told->version;
	}
	return found > 0 ? take_snapshot(l, found) : ST_OK;
}

/* The first whole one behind the version, if startup is the same there. */
static enum status look_behind(struct looking *l)
{
	bool is_in_run = l->version + 1 >= l->state.first_version && l->version <= l->state.version;
	for (size_t i = 0; is_in_run && i < journal_view_snapshot_count(l->view); i++) {
		const struct journal_view_snapshot *told = journal_view_snapshot_at(l->view, i);
		if (told->is_whole && told->version > l->version)
			return told->version < l->next ? take_snapshot(l, told->version) : ST_ABSENT;
	}
	return ST_ABSENT;
}

static enum status find_origin(struct looking *l)
{
	enum status status = look_before(l);
	if (status == ST_OK && l->origin.version != l->version)
		status = journal_view_replay(l->view, take_record, l);
	if (status == ST_OK && l->origin.version == 0)
		status = look_behind(l);
	return status;
}

static enum status apply(const struct schema *schema, const struct origin *origin, struct diag_list *diags,
			 struct store_rebuilt *rebuilt)
{
	unsigned char fingerprint[SCHEMA_FINGERPRINT_SIZE];
	schema_fingerprint(schema, fingerprint);
	bool same = memcmp(fingerprint, origin->fingerprint, SCHEMA_FINGERPRINT_SIZE) == 0;
	struct change_dictionary *names = change_dictionary_new(schema);
	struct tree_builder *builder = tree_builder_new(schema, rebuilt->root, NULL);
	change_dictionary_set_strict(names, !same);
	rebuilt->same_schema = rebuilt->same_schema && same;
	enum status status =
		change_record_apply(names, buffer_get(&origin->block), CHANGE_REDO, builder, diags);
	change_dictionary_free(names);
	if (status != ST_OK) {
		tree_builder_abort(builder);
		return status;
	}
	tree_record_unref(rebuilt->root, schema->root, NULL);
	rebuilt->root = tree_builder_finish(builder);
	return ST_OK;
}

static enum status rebuild(const struct schema *schema, const struct looking *l, struct diag_list *diags,
			   struct store_rebuilt *rebuilt)
{
	struct store_rebuilt made = {0};
	enum status status = store_rebuild(schema, l->view, l->origin.version, diags, &made);
	if (status == ST_OK && l->origin.change == STORE_STARTUP_REPLACED)
		status = apply(schema, &l->origin, diags, &made);
	if (status == ST_OK)
		*rebuilt = made;
	else
		store_rebuilt_fini(&made, schema);
	return status;
}

enum status store_rebuild_startup(const struct schema *schema, const struct journal_view *view,
				  uint64_t version, struct diag_list *diags, enum store_startup_kind *kind,
				  struct store_rebuilt *rebuilt)
{
	struct looking l = {.view = view, .version = version, .next = UINT64_MAX};
	if (!journal_view_state(view, &l.state))
		return ST_ABSENT;
	buffer_init(&l.origin.block, SIZE_MAX);
	enum status status = find_origin(&l);
	if (status == ST_OK && l.origin.change == STORE_STARTUP_GIVEN_UP)
		*kind = STORE_STARTUP_OFF;
	else if (status == ST_OK && l.origin.change == STORE_STARTUP_REMOVED)
		*kind = STORE_STARTUP_DELETED;
	else if (status == ST_OK && (status = rebuild(schema, &l, diags, rebuilt)) == ST_OK)
		*kind = STORE_STARTUP_KEPT;
	buffer_fini(&l.origin.block);
	return status;
}
