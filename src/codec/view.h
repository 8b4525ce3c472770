/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * A view: how an encoder presents a tree beside what a selector picks: defaults (RFC 6243), origins (RFC 8342
 * 5.3.4) and how deep it goes (RFC 8526 3.1.1).
 *
 * Implicit nodes are those of configuration: defaults in use, and the non-presence containers around them.
 * Nothing is implied of state data, which is what somebody reports.
 */
#include "tree/cursor.h"
#include "xpath/xpath.h"

enum codec_defaults {
	CODEC_EXPLICIT,	  /* what is stored */
	CODEC_REPORT_ALL, /* also defaults in use */
	CODEC_TRIM,	  /* what is stored, but no leaf that has its default value */
};

/* Which nodes (RFC 8526 3.1.1); of the others what is around them, keys included. */
enum codec_content { CODEC_ALL, CODEC_CONFIG, CODEC_STATE };

/* Origins of configuration: what is stored, and what is implicit. */
#define CODEC_ORIGIN_INTENDED 1u
#define CODEC_ORIGIN_DEFAULT 2u

/* Transaction ids of nodes, as attributes (XML). */
struct codec_txids {
	const char *prefix, *name; /* of the attribute; the prefix is declared around what is written */
	/* What a node's attribute says; NULL: it has none. *pruned: the reader knows the node: its keys are
	 * written, and no other content. Valid until the next call. */
	const char *(*of)(struct codec_txids *self, const struct tree_position *node, bool *pruned);
};

struct codec_view {
	enum codec_defaults defaults;
	bool tags_defaults; /* implicit leafs are written with wd:default="true" (XML) */
	bool origins;	    /* or:origin on configuration, where it is not its parent's (XML) */
	enum codec_content content;
	unsigned hidden_origins;   /* configuration of these is not presented */
	struct codec_txids *txids; /* NULL: none */
	unsigned max_depth;	   /* levels of what is selected, itself the first one, keys apart; 0: all */
	/* Which implicit nodes under a `when` are there; NULL: all. A limit there means that one is not. */
	struct xpath_implicit *implicit;
};

/* The same as no view at all, which costs nothing for each node. */
static inline bool codec_view_is_plain(const struct codec_view *view)
{
	return view->defaults == CODEC_EXPLICIT && view->content == CODEC_ALL && view->hidden_origins == 0 &&
	       view->max_depth == 0 && !view->tags_defaults && !view->origins && view->txids == NULL;
}

static inline const char *codec_view_txid(const struct codec_view *view, const struct tree_position *node,
					  bool *pruned)
{
	*pruned = false;
	return view != NULL && view->txids != NULL ? view->txids->of(view->txids, node, pruned) : NULL;
}

static inline bool codec_view_prunes(const struct codec_view *view, const struct tree_position *node)
{
	bool pruned;
	(void)codec_view_txid(view, node, &pruned);
	return pruned;
}

/* Whether a node that is stored, or that a cursor with defaults gave, is presented. `view` NULL: as explicit.
 */
bool codec_view_shows(const struct codec_view *view, const struct tree_position *node);
/* Whether a node that is shown is only there for what is in it, and for nothing else. */
bool codec_view_shows_as_frame(const struct codec_view *view, const struct tree_position *node);
/* The values of a leaf-list that is stored are its defaults. O(defaults) */
bool codec_view_is_default(const struct schema_node *leaf_list, const struct tree_map *map);

/* How cursors see what the view presents. */
static inline enum tree_view codec_view_tree(const struct codec_view *view)
{
	return view != NULL && view->defaults == CODEC_REPORT_ALL ? TREE_WITH_DEFAULTS : TREE_EXPLICIT;
}
