/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Searches: of a list's entries those that may pass the predicates, by the value of a leaf that is no key.
 * The evaluation is given who knows them (xpath_search) and asks where the compiler found a predicate that
 * says what to ask for (step->sought). What is found takes the place of the axis: all predicates judge it, in
 * document order, so that the answer is that of looking at all entries. As there, no node-set is made and
 * nothing left in the arena: what is found takes memory of the heap until it was judged.
 */
#include "xpath/walk.h"

#include <stdlib.h>

#include "base/memory.h"

static int compare_entries(const void *a, const void *b)
{
	return tree_position_compare(a, b);
}

static struct tree_position *entries_of(const struct xpath_found *found, const struct schema_node *list,
					const struct tree_position *parent)
{
	struct tree_position *entries = memory_zalloc((found->length + 1) * sizeof(*entries));
	for (size_t i = 0; i < found->length; i++) {
		entries[i].parent = parent;
		entries[i].schema = list;
		entries[i].record = found->records[i];
	}
	qsort(entries, found->length, sizeof(*entries), compare_entries);
	return entries;
}

enum status xpath__search_visit(struct xpath_eval *eval, const struct xpath_step *step,
				const struct tree_position *parent, struct xpath_visitor *visitor, bool *done)
{
	const struct xpath_sought *sought = step->sought;
	struct xpath_found found;
	*done = false;
	if (eval->search == NULL || parent->schema != step->target->parent || parent->record == NULL)
		return ST_OK;
	if (!eval->search->find(eval->search, parent->record, sought->leaf, sought->text, &found))
		return ST_OK;
	*done = true;
	struct tree_position *entries = entries_of(&found, step->target, parent);
	enum status status = xpath__charge(eval, found.length);
	for (size_t i = 0; status == ST_OK && !visitor->stop && i < found.length; i++)
		status = visitor->visit(visitor, &entries[i], FRAME_FRESH);
	memory_free(entries);
	memory_free(found.records);
	return status;
}
