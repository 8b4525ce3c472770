/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The content of anydata and anyxml: a counted wrapper around the canonical XML text. It is a node of its
 * own, not a value, so that later forms (parsed content, JSON) can join the text without a change of records.
 */
#include "tree/any.h"

#include "tree/internal.h"

struct tree_any *tree_any_new(struct text *xml)
{
	struct tree_any *any = memory_alloc(sizeof(*any));
	atomic_init(&any->refs, 1);
	any->xml = xml;
	return any;
}

struct tree_any *tree_any_ref(struct tree_any *any)
{
	tree__refs_take(&any->refs);
	return any;
}

void tree_any_unref(struct tree_any *any)
{
	if (any == NULL || !tree__refs_drop(&any->refs))
		return;
	text_unref(any->xml);
	memory_free(any);
}

bool tree_any_equal(const struct tree_any *a, const struct tree_any *b)
{
	return a == b || a->xml == b->xml || bytes_equal(text_bytes(a->xml), text_bytes(b->xml));
}
