/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opening and closing the store, and edit-config as a proposal. The pipeline is in proposal.c, the two heads
 * in publish.c, the candidate in candidate.c, locks in locks.c,
 * confirmed commits in confirmed.c, the startup datastore in startup.c.
 */
#include "store/store.h"
#include "base/log.h"
#include "base/memory.h"
#include "check/named.h"
#include "check/settle.h"
#include "edit/continue.h"
#include "store/internal.h"
#include "store/recover.h"

bool store__acquire(pthread_mutex_t *mutex, enum store_wait wait)
{
	if (wait == STORE_NO_WAIT)
		return pthread_mutex_trylock(mutex) == 0;
	pthread_mutex_lock(mutex);
	return true;
}

/* The full check of what the store is opened with: everything in it is due. Gives its indexes where it is
 * valid. */
static bool initial_is_valid(const struct store_options *options, const struct tree_record *root,
			     struct check_index **index, struct diag_list *diags)
{
	struct arena *arena = arena_new();
	struct tree_record *empty = tree_record_new();
	struct tree_change_set changes;
	tree_diff(options->schema, empty, root, arena, &changes);
	struct check_options check = options->check;
	check.full = true;
	check.new_index = index;
	struct tree_record *settled = tree_record_ref(root); /* a valid root is settled already */
	enum status status = check_settle(options->plan, &check, empty, &settled, diags);
	if (status == ST_OK)
		status = check_changes(options->plan, &changes, &check, diags);
	tree_record_unref(settled, options->schema->root, NULL);
	tree_record_unref(empty, options->schema->root, NULL);
	arena_free(arena);
	if (status != ST_OK)
		log_warning("the configuration is not valid as it is: every change is checked in full until "
			    "one is valid");
	return status == ST_OK;
}

/* Version 1, or the one that was recovered; its names for the records to come are taken over. */
static struct store_version *first_version(struct store *store, struct diag_list *diags)
{
	static const struct store_actor server = {0, "", NULL};
	const struct store_options *options = &store->options;
	struct store_recovery *recovery = options->recovery;
	const struct tree_record *root = recovery != NULL ? recovery->root : options->initial_root;
	root = root != NULL ? tree_record_ref(root) : tree_record_new();
	bool is_known_valid = recovery != NULL && recovery->info->valid;
	struct check_index *index =
		is_known_valid ? check_index_make(options->plan, root, &options->check.threads) : NULL;
	bool valid = is_known_valid || initial_is_valid(options, root, &index, diags);
	struct store_version *version = store__version_new(1, root, &server, valid);
	version->index = index;
	version->txids = store__txids_begin(store, version);
	if (recovery == NULL) {
		store->names = change_dictionary_new(options->schema);
		if (options->separate_startup)
			version->startup = (struct store_startup){STORE_STARTUP_KEPT, tree_record_ref(root)};
		return version;
	}
	version->startup = *store__startup_ref(&recovery->startup);
	const struct store_version *info = recovery->info;
	version->id = info->id;
	version->time_ns = info->time_ns;
	version->session_id = info->session_id;
	version->change_count = info->change_count;
	version->fallback = info->fallback;
	version->startup_change = info->startup_change;
	memcpy(version->user, info->user, sizeof(version->user));
	memcpy(version->address, info->address, sizeof(version->address));
	version->comment = info->comment != NULL ? memory_strdup(info->comment) : NULL;
	version->label = info->label != NULL ? memory_strdup(info->label) : NULL;
	store->names = recovery->names;
	store->names_segment = recovery->names_segment;
	recovery->names = NULL;
	return version;
}

enum status store_open(const struct store_options *options, struct diag_list *diags, struct store **store)
{
	struct store *made = memory_zalloc(sizeof(*made));
	made->options = *options;
	made->options.schema = schema_ref(options->schema);
	pthread_mutex_init(&made->snapshot_writer, NULL);
	pthread_mutex_init(&made->candidate_writer, NULL);
	store__writer_init(made);
	pthread_mutex_init(&made->state, NULL);
	pthread_mutex_init(&made->partial_mutex, NULL);
	pthread_cond_init(&made->appended, NULL);
	pthread_cond_init(&made->snapshot_wanted, NULL);
	pthread_cond_init(&made->confirmed_changed, NULL);
	buffer_init(&made->record.head, SIZE_MAX);
	buffer_init(&made->record.end, SIZE_MAX);
	made->tip = first_version(made, diags);
	made->published = made->tip;
	made->durable = made->sync_wanted = made->tip->id;
	store__version_ref(made->published);
	store__history_init(made);
	if (store__sync_start(made) != ST_OK || store__startup_boot(made) != ST_OK ||
	    store__confirmed_start(made) != ST_OK || store__startup_adopt(made) != ST_OK ||
	    store__startup_settle(made) != ST_OK || store__snapshot_start(made) != ST_OK) {
		store_close(made);
		return ST_IO;
	}
	*store = made;
	return ST_OK;
}

void store_close(struct store *store)
{
	store__confirmed_stop(store);
	store__snapshot_stop(store);
	store__sync_stop(store);
	store__candidate_set(store, NULL);
	store__history_fini(store);
	store__partial_fini(store);
	store__version_unref(store, store->tip);
	store__version_unref(store, store->published);
	store__conditions_drop(store);
	vector_fini(&store->epochs);
	change_dictionary_free(store->names);
	buffer_fini(&store->record.head);
	buffer_fini(&store->record.end);
	pthread_cond_destroy(&store->confirmed_changed);
	pthread_cond_destroy(&store->snapshot_wanted);
	pthread_cond_destroy(&store->appended);
	pthread_mutex_destroy(&store->snapshot_writer);
	pthread_mutex_destroy(&store->partial_mutex);
	pthread_mutex_destroy(&store->state);
	store__writer_fini(store);
	pthread_mutex_destroy(&store->candidate_writer);
	schema_unref(store->options.schema);
	memory_free(store);
}

void store_add_observer(struct store *store, struct store_observer *observer)
{
	struct store_observer **link = &store->observers;
	while (*link != NULL)
		link = &(*link)->next;
	observer->next = NULL;
	*link = observer;
}

const struct tree_record *store_pin_root(struct store *store, enum store_datastore datastore)
{
	if (datastore == STORE_CANDIDATE)
		return store__candidate_pin(store);
	pthread_mutex_lock(&store->state);
	const struct tree_record *root = store->published->root;
	if (datastore == STORE_STARTUP)
		root = store->published->startup.root;
	root = root != NULL ? tree_record_ref(root) : tree_record_new();
	pthread_mutex_unlock(&store->state);
	return root;
}

struct settler {
	struct edit_settler settler;
	enum edit_operation default_operation;
	struct store *store;
	const struct store_call *call;
	const struct store_version *running;
	struct store__index_of *known; /* of the base, or of what the edits so far have made */
};

static enum status settle(struct edit_settler *self, const struct tree_record *base,
			  struct tree_record **root, struct diag_list *diags)
{
	const struct settler *settler = (const struct settler *)self;
	return store__settle(settler->store, settler->call, settler->running, base, settler->known, root,
			     diags);
}

static enum status check_edit_named(struct edit_settler *self, const struct edit_node *top,
				    const struct tree_record *applied, const struct tree_record *settled,
				    struct diag_list *diags)
{
	const struct settler *settler = (const struct settler *)self;
	const struct store_options *options = &settler->store->options;
	struct check_options check = options->check;
	check.interrupt = settler->call->interrupt;
	struct check_named_edit named = {top, settler->default_operation};
	return check_named(options->plan, &check, &named, applied, settled, diags);
}

enum status store__edit_apply(struct store *store, const struct store_call *call,
			      const struct store_version *running, const struct tree_record *base,
			      const struct store__edit *edit, struct tree_record **root)
{
	const struct schema *schema = store->options.schema;
	if (!edit_is_taken_apart(edit->options))
		return edit_apply(schema, base, edit->tree, edit->options, call->diags, root);
	struct store__index_of own = {0};
	bool is_candidate = base != running->root;
	struct settler settler = {{settle, check_edit_named},
				  edit->options->default_operation,
				  store,
				  call,
				  running,
				  is_candidate ? &store->candidate_index : &own};
	enum status status = edit_apply_continue(schema, base, edit->tree, edit->options, &settler.settler,
						 call->diags, root);
	store__index_forget(store, &own);
	return status;
}

struct edit_source {
	struct store__source source;
	const struct store_call *call;
	struct store__edit edit;
};

static enum status edit_make(const struct store__source *self, struct store *store,
			     const struct tree_record *tip_root, struct diag_list *diags,
			     const struct tree_record **root)
{
	const struct edit_source *edit = (const struct edit_source *)self;
	struct store_version *tip = store__tip(store);
	struct tree_record *made;
	enum status status = store__edit_apply(store, edit->call, tip, tip_root, &edit->edit, &made);
	(void)diags; /* the call's */
	store__version_unref(store, tip);
	if (status == ST_OK)
		*root = made;
	return status;
}

enum status store_edit(struct store *store, enum store_datastore target, const struct store_call *call,
		       const struct edit_tree *edit, const struct edit_options *options,
		       struct store_answer *answer)
{
	*answer = (struct store_answer){0};
	if (target == STORE_CANDIDATE)
		return store__candidate_edit(store, call, edit, options, answer);
	struct edit_source source = {{.purpose = STORE__CHANGE, .make = edit_make}, call, {edit, options}};
	source.source.edit = &source.edit;
	return store__propose(store, call, &source.source, answer);
}
