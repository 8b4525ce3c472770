/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finding misfits (misfit.h). Recovery builds the tree of what fits and only counts what does not; where that
 * is anything, this goes through snapshot and records a second time, by the names that are stored, and keeps
 * a table of what does not fit and is there:
 *
 *     created, or changed to a value that does not fit     into the table
 *     deleted, or changed to one that fits                 out of it
 *
 * Annotations have a place of their own (misfit_notes.h). So a value that was wrong for some versions only is
 * no misfit, and the table is as large as what is wrong. A version that says that misfits were set aside
 * before it (proposal.c) empties the table. Startup and the version that a confirmed commit goes back to have
 * tables of their own, copied when they part from running.
 */
#include "store/misfit.h"
#include <stdlib.h>
#include <string.h>
#include "base/hash_table.h"
#include "base/memory.h"
#include "codec/change_text.h"
#include "schema/type.h"
#include "store/internal.h"
#include "store/misfit_notes.h"

#define KEYS_MAX 64

struct table {
	struct hash_table *entries; /* path -> struct store__misfit, owned; no annotations */
	struct store__notes *notes;
};

struct finding {
	const struct schema *schema;
	struct journal *journal;
	struct arena *arena; /* of one value */
	struct table running, startup, fallback;
	struct table *table; /* that is changed by the visits */
	bool has_fallback;
	struct change_names *names;
	uint64_t segment, snapshot;
	char *deleted; /* path of the instance whose content is told next, as it was; NULL: none */
	size_t deleted_size;
};

/* ---- tables ---- */

static void free_misfit(struct store__misfit *misfit)
{
	if (misfit == NULL)
		return;
	memory_free((char *)misfit->path);
	memory_free((char *)misfit->value);
	memory_free(misfit);
}

static void free_visited(struct bytes key, void *value, void *arg)
{
	(void)key;
	(void)arg;
	free_misfit(value);
}

static void table_clear(struct table *table)
{
	hash_table_each(table->entries, free_visited, NULL);
	hash_table_free(table->entries);
	table->entries = hash_table_new();
	store__notes_clear(table->notes);
}

static char *dup_bytes(struct bytes bytes)
{
	char *text = memory_zalloc(bytes.size + 1);
	if (bytes.size > 0)
		memcpy(text, bytes.data, bytes.size);
	return text;
}

static void table_put(struct table *table, struct bytes path, const struct bytes *value)
{
	struct store__misfit *misfit = memory_zalloc(sizeof(*misfit));
	misfit->path = dup_bytes(path);
	misfit->value = value != NULL ? dup_bytes(*value) : NULL;
	free_misfit(hash_table_put(table->entries, path, misfit));
}

static void table_remove(struct table *table, struct bytes path)
{
	if (hash_table_length(table->entries) > 0)
		free_misfit(hash_table_remove(table->entries, path));
}

static void copy_visited(struct bytes key, void *value, void *arg)
{
	const struct store__misfit *misfit = value;
	struct bytes text = misfit->value != NULL ? bytes_of(misfit->value) : (struct bytes){NULL, 0};
	table_put(arg, key, misfit->value != NULL ? &text : NULL);
}

static void table_copy(struct table *to, const struct table *from)
{
	table_clear(to);
	hash_table_each(from->entries, copy_visited, to);
	store__notes_copy(to->notes, from->notes);
}

/* ---- what fits ---- */

/* One step of a path: a name, and the values in its brackets. */
struct step {
	struct bytes module, name; /* module: empty where it is the parent's */
	size_t count;
	struct bytes keys[KEYS_MAX], values[KEYS_MAX]; /* values: in the arena */
	bool is_annotation;
};

/* The text in quotes at the front of `in`, its doubled quotes single. */
static bool take_quoted(struct arena *arena, struct bytes *in, struct bytes *value)
{
	if (in->size == 0)
		return false;
	char quote = in->data[0], *out = arena_alloc(arena, in->size);
	size_t size = 0, i = 1;
	for (; i < in->size; i++) {
		if (in->data[i] == quote && (i + 1 == in->size || in->data[i + 1] != quote))
			break;
		i += in->data[i] == quote;
		out[size++] = in->data[i];
	}
	if (i == in->size)
		return false;
	*value = (struct bytes){out, size};
	*in = (struct bytes){in->data + i + 1, in->size - i - 1};
	return true;
}

static struct bytes take_until(struct bytes *in, const char *ends)
{
	size_t size = 0;
	while (size < in->size && strchr(ends, in->data[size]) == NULL)
		size++;
	struct bytes taken = {in->data, size};
	*in = (struct bytes){in->data + size, in->size - size};
	return taken;
}

static void skip(struct bytes *in, size_t size)
{
	*in = (struct bytes){in->data + size, in->size - size};
}

/* The step at the front of `in`, which begins with '/'. False: it is none. */
static bool take_step(struct arena *arena, struct bytes *in, struct step *step)
{
	step->count = 0;
	skip(in, 1);
	step->is_annotation = in->size > 0 && in->data[0] == '@';
	if (step->is_annotation)
		skip(in, 1);
	step->name = take_until(in, "/[:");
	step->module = (struct bytes){NULL, 0};
	if (in->size > 0 && in->data[0] == ':') {
		skip(in, 1);
		step->module = step->name;
		step->name = take_until(in, "/[");
	}
	while (in->size > 0 && in->data[0] == '[') {
		if (step->count == KEYS_MAX)
			return false;
		skip(in, 1);
		step->keys[step->count] = take_until(in, "=");
		if (in->size == 0)
			return false;
		skip(in, 1);
		if (!take_quoted(arena, in, &step->values[step->count]) || in->size == 0)
			return false;
		skip(in, 1);
		step->count++;
	}
	return true;
}

/* `stays`: the value names an instance, and names it in the same way (change_record_apply.c says why). */
static bool type_fits(struct finding *f, const struct schema_type *type, const struct schema_module *local,
		      struct bytes bytes, bool stays)
{
	struct schema_prefixes_canonical prefixes = schema_prefixes_canonical(f->schema, local);
	struct schema_type_error error = {0};
	struct value value;
	prefixes.base.inherit = true;
	if (schema_type_parse(f->schema, type, bytes, &prefixes.base, f->arena, &value, &error) != ST_OK)
		return false;
	bool fits = !stays || bytes_equal(value_bytes(&value), bytes);
	value_unref(value);
	return fits;
}

static bool keys_fit(struct finding *f, const struct schema_node *list, const struct step *step)
{
	if (step->count != list->key_count)
		return false;
	for (size_t i = 0; i < step->count; i++) {
		const struct schema_node *key = list->children[i];
		if (!bytes_equal(step->keys[i], key->name_bytes) ||
		    !type_fits(f, key->type, key->module, step->values[i], true))
			return false;
	}
	return true;
}

/* Whether the step can be of the node; `value`: that of a leaf (NULL: it goes on, or has none), and its kind.
 */
static bool step_fits(struct finding *f, const struct schema_node *node, const struct step *step,
		      const struct bytes *value, enum change_text_kind kind)
{
	switch (node->kind) {
	case SCHEMA_CONTAINER:
		return step->count == 0 && value == NULL;
	case SCHEMA_LIST:
		return step->count > 0 && value == NULL && keys_fit(f, node, step);
	case SCHEMA_LEAF:
		return step->count == 0 && value != NULL && kind == CHANGE_TEXT_LEAF &&
		       type_fits(f, node->type, node->module, *value, false);
	case SCHEMA_LEAF_LIST:
		return step->count == 1 && bytes_equal(step->keys[0], bytes_of(".")) &&
		       type_fits(f, node->type, node->module, step->values[0], true);
	case SCHEMA_ANYDATA:
		return step->count == 0 && value != NULL && kind == CHANGE_TEXT_ANYDATA;
	case SCHEMA_ANYXML:
		return step->count == 0 && value != NULL && kind == CHANGE_TEXT_ANYXML;
	case SCHEMA_ROOT:
	case SCHEMA_RPC:
	case SCHEMA_ACTION:
	case SCHEMA_OUTPUT:
	case SCHEMA_NOTIFICATION:
		break;
	}
	return false;
}

static bool annotation_fits(struct finding *f, const struct step *step, struct bytes value)
{
	const struct schema_module *module = schema_module_find(f->schema, step->module);
	const struct schema_annotation *annotation =
		module != NULL ? schema_annotation_find(f->schema, module, step->name) : NULL;
	return annotation != NULL && type_fits(f, annotation->type, annotation->module, value, false);
}

/* What an annotation is of has its own visit, and is not judged again for the value that is not here. */
static bool is_holder(const struct schema_node *node, struct bytes rest)
{
	return rest.size > 1 && rest.data[1] == '@' && node->kind != SCHEMA_CONTAINER &&
	       node->kind != SCHEMA_LIST;
}

static bool fits(struct finding *f, const struct change_text *change, const struct bytes *value)
{
	struct bytes path = change->path;
	const struct schema_node *node = f->schema->root;
	struct step step;
	while (path.size > 0) {
		if (!take_step(f->arena, &path, &step))
			return false;
		if (step.is_annotation)
			return value != NULL && annotation_fits(f, &step, *value);
		const struct schema_module *module =
			step.module.size == 0 ? node->module : schema_module_find(f->schema, step.module);
		node = module != NULL ? schema_child_find(f->schema, node, module, step.name) : NULL;
		if (node == NULL || !node->config)
			return false;
		if (!is_holder(node, path) &&
		    !step_fits(f, node, &step, path.size == 0 ? value : NULL, change->kind))
			return false;
	}
	return true;
}

/* ---- visits ---- */

static bool is_below(const struct finding *f, struct bytes path)
{
	return f->deleted != NULL && path.size > f->deleted_size && path.data[f->deleted_size] == '/' &&
	       memcmp(path.data, f->deleted, f->deleted_size) == 0;
}

/* Content of what is deleted is told as if it was created. */
static bool is_deletion(struct finding *f, const struct change_text *change)
{
	if (is_below(f, change->path))
		return true;
	memory_free(f->deleted);
	f->deleted = NULL;
	bool deleted = change->action == CHANGE_TEXT_DELETED;
	if (deleted && !change->has_value) {
		f->deleted = dup_bytes(change->path);
		f->deleted_size = change->path.size;
	}
	return deleted;
}

static bool is_misfit(const struct table *table, struct bytes path)
{
	return hash_table_find(table->entries, path) != NULL;
}

static void note_node(struct finding *f, const struct change_text *change, const struct bytes *value,
		      bool removes)
{
	bool fitting = removes || fits(f, change, value);
	if (removes || change->action == CHANGE_TEXT_CREATED)
		store__notes_holder_gone(f->table->notes, change->path);
	else if (fitting && is_misfit(f->table, change->path))
		store__notes_holder_back(f->table->notes, change->path);
	if (fitting)
		table_remove(f->table, change->path);
	else
		table_put(f->table, change->path, value);
}

static enum status visit(void *arg, const struct change_text *change)
{
	struct finding *f = arg;
	if (change->moved)
		return ST_OK;
	bool removes = is_deletion(f, change);
	const struct bytes *value = change->has_value ? &change->new_value : NULL;
	if (change->kind == CHANGE_TEXT_ANNOTATION)
		store__notes_told(f->table->notes, change->path, removes ? NULL : value,
				  removes || fits(f, change, value));
	else
		note_node(f, change, value, removes);
	arena_reset(f->arena);
	return ST_OK;
}

static void end_visits(struct finding *f)
{
	memory_free(f->deleted);
	f->deleted = NULL;
}

/* ---- snapshot and records ---- */

static enum status note_startup(struct finding *f, enum store_startup_change change, struct bytes block)
{
	if (change == STORE_STARTUP_UNCHANGED)
		return ST_OK;
	table_clear(&f->startup);
	if (change == STORE_STARTUP_GIVEN_UP || change == STORE_STARTUP_REMOVED)
		return ST_OK;
	table_copy(&f->startup, &f->running);
	if (change == STORE_STARTUP_IS_RUNNING)
		return ST_OK;
	struct change_names *names = change_names_new();
	f->table = &f->startup;
	enum status status = change_text_record(names, block, visit, f);
	end_visits(f);
	change_names_free(names);
	return status;
}

static enum status next_block(void *arg, struct bytes *block)
{
	enum status status = journal_snapshot_next(arg, block);
	return status == ST_ABSENT ? ST_CORRUPT : status;
}

static enum status read_snapshot(struct finding *f)
{
	struct journal_snapshot_reader *reader;
	struct journal_snapshot snapshot;
	struct bytes block = {NULL, 0};
	enum status status = journal_disk_load(f->journal, &reader, &snapshot);
	if (status != ST_OK)
		return status;
	struct bytes head = snapshot.head;
	struct store_version *info = store__record_take_head(snapshot.version, &head);
	f->snapshot = snapshot.version;
	f->table = &f->running;
	struct change_names *names = change_names_new();
	status = info == NULL ? ST_CORRUPT : change_text_tree(names, next_block, reader, visit, f);
	end_visits(f);
	if (status == ST_OK && info->startup_change == STORE_STARTUP_REPLACED)
		status = next_block(reader, &block);
	if (status == ST_OK)
		status = note_startup(f, info->startup_change, block);
	change_names_free(names);
	store__info_free(info);
	journal_snapshot_reader_free(reader);
	return status;
}

/* Before the changes of the version. */
static void begin_version(struct finding *f, const struct store_version *info)
{
	if (info->fallback != 0 && !f->has_fallback)
		table_copy(&f->fallback, &f->running);
	f->has_fallback = info->fallback != 0;
	if (!info->set_aside)
		return;
	table_clear(&f->running);
	table_clear(&f->startup);
	table_clear(&f->fallback);
}

static enum status read_version(struct finding *f, const struct store_version *info, struct bytes block)
{
	struct bytes startup;
	if (!store__record_take_startup(info, &block, &startup))
		return ST_CORRUPT;
	if (info->id <= f->snapshot)
		return change_text_record(f->names, block, NULL, NULL);
	begin_version(f, info);
	f->table = &f->running;
	enum status status = change_text_record(f->names, block, visit, f);
	end_visits(f);
	return status == ST_OK ? note_startup(f, info->startup_change, startup) : status;
}

static enum status read_record(void *arg, const struct journal_record *record)
{
	struct finding *f = arg;
	struct bytes block = record->payload;
	if (record->location.segment != f->segment)
		change_names_reset(f->names);
	f->segment = record->location.segment;
	struct store_version *info = store__record_take_head(record->version, &block);
	enum status status = info == NULL ? ST_CORRUPT : read_version(f, info, block);
	store__info_free(info);
	return status;
}

/* ---- the result ---- */

static void take_visited(struct bytes key, void *value, void *arg)
{
	(void)key;
	struct store__misfit *misfit = value;
	*(struct store__misfit *)vector_push(arg) = *misfit;
	memory_free(misfit);
}

/* What ends a name comes before what goes on in one, so that all that is below a node follows it. */
static unsigned rank_of(char c)
{
	if (c == '\0')
		return 0;
	if (c == '/')
		return 1;
	return c == '[' ? 2 : 3u + (unsigned char)c;
}

static int compare(const void *left, const void *right)
{
	const char *a = ((const struct store__misfit *)left)->path,
		   *b = ((const struct store__misfit *)right)->path;
	for (; *a == *b && *a != '\0'; a++, b++)
		;
	return (rank_of(*a) > rank_of(*b)) - (rank_of(*a) < rank_of(*b));
}

struct taking {
	const struct table *table;
	struct vector *misfits;
};

static bool is_taken(void *arg, struct bytes path)
{
	return is_misfit(((const struct taking *)arg)->table, path);
}

static void take_note(void *arg, struct bytes path, struct bytes value)
{
	struct store__misfit *misfit = vector_push(((struct taking *)arg)->misfits);
	*misfit = (struct store__misfit){dup_bytes(path), dup_bytes(value)};
}

/* Moves what the table has. */
static void take_table(struct table *table, struct vector *misfits)
{
	struct taking taking = {table, misfits};
	vector_init(misfits, sizeof(struct store__misfit));
	store__notes_each_misfit(table->notes, is_taken, take_note, &taking);
	hash_table_each(table->entries, take_visited, misfits);
	hash_table_free(table->entries);
	table->entries = hash_table_new();
	if (misfits->length > 1)
		qsort(misfits->data, misfits->length, sizeof(struct store__misfit), compare);
}

enum status store__misfits_find(const struct schema *schema, struct journal *journal,
				struct store__misfits *misfits)
{
	struct finding f = {.schema = schema, .journal = journal, .arena = arena_new()};
	struct table *tables[] = {&f.running, &f.startup, &f.fallback};
	for (size_t i = 0; i < 3; i++)
		*tables[i] = (struct table){hash_table_new(), store__notes_new()};
	f.names = change_names_new();
	enum status status = read_snapshot(&f);
	if (status == ST_OK)
		status = journal_disk_replay(journal, read_record, &f);
	take_table(f.has_fallback ? &f.fallback : &f.running, &misfits->running);
	take_table(&f.startup, &misfits->startup);
	change_names_free(f.names);
	for (size_t i = 0; i < 3; i++) {
		table_clear(tables[i]);
		hash_table_free(tables[i]->entries);
		store__notes_free(tables[i]->notes);
	}
	arena_free(f.arena);
	return status;
}

static void fini(struct vector *misfits)
{
	for (size_t i = 0; i < misfits->length; i++) {
		struct store__misfit *misfit = vector_at(misfits, i);
		memory_free((char *)misfit->path);
		memory_free((char *)misfit->value);
	}
	vector_fini(misfits);
}

void store__misfits_fini(struct store__misfits *misfits)
{
	fini(&misfits->running);
	fini(&misfits->startup);
}
