/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Annotations while misfits are looked for (misfit_notes.h). Records do not tell of an annotation again when
 * its leaf gets another value, and need not when the leaf goes; so all of them are kept here, a list for each
 * node that has any, and it is known at the end which of them the recovered tree has lost along with their
 * nodes.
 */
#include "store/misfit_notes.h"
#include <string.h>
#include "base/assert.h"
#include "base/hash_table.h"
#include "base/memory.h"

struct note {
	struct note *next;
	bool fits; /* by itself, and its holder did ever since */
	struct bytes path, value;
	char bytes[]; /* of both */
};

struct store__notes {
	struct hash_table *holders; /* path -> struct note, the first of a list, owned */
};

static void free_list(struct bytes holder, void *first, void *arg)
{
	(void)holder;
	(void)arg;
	for (struct note *note = first, *next; note != NULL; note = next) {
		next = note->next;
		memory_free(note);
	}
}

struct store__notes *store__notes_new(void)
{
	struct store__notes *notes = memory_zalloc(sizeof(*notes));
	notes->holders = hash_table_new();
	return notes;
}

void store__notes_clear(struct store__notes *notes)
{
	hash_table_each(notes->holders, free_list, NULL);
	hash_table_free(notes->holders);
	notes->holders = hash_table_new();
}

void store__notes_free(struct store__notes *notes)
{
	hash_table_each(notes->holders, free_list, NULL);
	hash_table_free(notes->holders);
	memory_free(notes);
}

static struct note *make_note(struct bytes path, struct bytes value, bool fits)
{
	struct note *note = memory_alloc(sizeof(*note) + path.size + value.size);
	*note = (struct note){.fits = fits,
			      .path = {note->bytes, path.size},
			      .value = {note->bytes + path.size, value.size}};
	memcpy(note->bytes, path.data, path.size);
	if (value.size > 0)
		memcpy(note->bytes + path.size, value.data, value.size);
	return note;
}

/* Sets or takes away the list of a holder. */
static void put_list(struct store__notes *notes, struct bytes holder, struct note *first)
{
	if (first != NULL)
		hash_table_put(notes->holders, holder, first);
	else
		hash_table_remove(notes->holders, holder);
}

static void copy_list(struct bytes holder, void *first, void *arg)
{
	struct note *copies = NULL;
	for (const struct note *note = first; note != NULL; note = note->next) {
		struct note *copy = make_note(note->path, note->value, note->fits);
		copy->next = copies;
		copies = copy;
	}
	put_list(arg, holder, copies);
}

void store__notes_copy(struct store__notes *to, const struct store__notes *from)
{
	store__notes_clear(to);
	hash_table_each(from->holders, copy_list, to);
}

/* What an annotation is of: its path but for the last step, which has no "/@" in its names. */
static struct bytes holder_of(struct bytes path)
{
	size_t size = path.size;
	while (size > 2 && memcmp(path.data + size - 2, "/@", 2) != 0)
		size--;
	ASSERT(size > 2);
	return (struct bytes){path.data, size - 2};
}

void store__notes_told(struct store__notes *notes, struct bytes path, const struct bytes *value, bool fits)
{
	struct bytes holder = holder_of(path);
	struct note *first = hash_table_find(notes->holders, holder), **place = &first;
	while (*place != NULL && !bytes_equal((*place)->path, path))
		place = &(*place)->next;
	struct note *known = *place;
	if (known != NULL)
		*place = known->next;
	memory_free(known);
	if (value != NULL) {
		struct note *note = make_note(path, *value, fits);
		note->next = first;
		first = note;
	}
	put_list(notes, holder, first);
}

void store__notes_holder_gone(struct store__notes *notes, struct bytes holder)
{
	if (hash_table_length(notes->holders) > 0)
		free_list(holder, hash_table_remove(notes->holders, holder), NULL);
}

void store__notes_holder_back(struct store__notes *notes, struct bytes holder)
{
	for (struct note *note = hash_table_find(notes->holders, holder); note != NULL; note = note->next)
		note->fits = false;
}

struct telling {
	bool (*is_misfit)(void *arg, struct bytes holder);
	void (*visit)(void *arg, struct bytes path, struct bytes value);
	void *arg;
};

static void tell_list(struct bytes holder, void *first, void *arg)
{
	const struct telling *telling = arg;
	bool all = telling->is_misfit(telling->arg, holder);
	for (const struct note *note = first; note != NULL; note = note->next) {
		if (all || !note->fits)
			telling->visit(telling->arg, note->path, note->value);
	}
}

void store__notes_each_misfit(const struct store__notes *notes,
			      bool (*is_misfit)(void *arg, struct bytes holder),
			      void (*visit)(void *arg, struct bytes path, struct bytes value), void *arg)
{
	struct telling telling = {is_misfit, visit, arg};
	hash_table_each(notes->holders, tell_list, &telling);
}
