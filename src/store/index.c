/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Value indexes of roots that are no versions: a version has those of its root, but the candidate, once it
 * was edited, and what continue-on-error has made of running so far, have none. A `when` that finds its
 * readers by one needs them at the next edit. Most edits need none, so they are made only when they are asked
 * for: from those of running first, and after that from those that were made last, at the cost of what was
 * edited since.
 */
#include "store/internal.h"

static void keep(const struct store *store, struct store__index_of *known, const struct tree_record *root,
		 const struct check_index *index)
{
	tree_record_ref(root);
	store__index_forget(store, known);
	*known = (struct store__index_of){root, index};
}

static const struct check_index *get(struct check_index_source *self)
{
	const struct store__index_source *source = (const struct store__index_source *)self;
	struct store__index_of *known = source->known;
	const struct store_options *options = &source->store->options;
	if (known->root == NULL)
		keep(source->store, known, source->running->root, check_index_ref(source->running->index));
	if (known->root != source->base)
		keep(source->store, known, source->base,
		     check_index_follow(options->plan, known->root, known->index, source->base,
					options->reclaimer));
	return known->index;
}

struct store__index_source store__index_source(const struct store *store, const struct store_version *running,
					       const struct tree_record *base, struct store__index_of *known)
{
	return (struct store__index_source){{get}, store, running, base, known};
}

void store__index_forget(const struct store *store, struct store__index_of *known)
{
	const struct store_options *options = &store->options;
	check_index_unref(known->index, options->reclaimer);
	if (known->root != NULL)
		tree_record_unref(known->root, options->schema->root, options->reclaimer);
	*known = (struct store__index_of){0};
}
