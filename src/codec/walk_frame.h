/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The frames of a walk (select_walk.c), for what goes through whole subtrees on its own (xml_whole.c). */
#include <limits.h>

#include "codec/select_walk.h"

/* Whether a frame was reported, and what its end means if it was not. */
enum walk_report {
	REPORT_DONE,
	REPORT_IF_FILLED,	    /* not at all */
	REPORT_IF_FILLED_WITH_KEYS, /* not at all; its keys were passed over */
	REPORT_AS_NODE,		    /* a node without children */
};

struct walk_frame {
	struct walk_frame *outer; /* NULL: the root's */
	struct walk_frame *inner; /* left from before, to be used again */
	struct tree_position position;
	const void *state; /* the selector's, unless `whole` */
	bool whole;
	bool plain;	  /* known to xml_whole.c as one of its own */
	bool opened;	  /* while the pending frames are reported: WALK_OPEN was given */
	bool in_implicit; /* `implicit` is being visited */
	enum walk_report report;
	unsigned levels;		/* whole: that may still be written below */
	uint16_t keys;			/* while the pending frames are reported: so many keys were given */
	uint16_t next;			/* index of the next child in the record */
	uint16_t slot;			/* view with defaults: of the next child in the schema */
	uint16_t end_slot;		/* children from here on are not written */
	const struct schema_node *list; /* list or leaf-list that is being visited; NULL: none */
	const struct tree_map *map;
	const union tree_item *item;	 /* the next one of all; NULL: the end */
	uint32_t index;			 /* of `item`, from 0 on */
	uint32_t run;			 /* items from `item` on that are an array; 0: not known */
	size_t entry_index, entry_count; /* where only known ones can be selected; entry_count 0: all */
	struct tree_map_iter iter;	 /* at `item` */
	struct tree_cursor implicit;
};

/* Adds a frame at the end of the list. */
struct walk_frame *codec__walk_frame_new(struct select_walk *walk);

/* A new top; its position is the caller's to set, and `state` unless `whole`. */
static inline struct walk_frame *codec__walk_push(struct select_walk *walk, const struct schema_node *schema)
{
	struct walk_frame *frame = walk->top ? walk->top->inner : walk->bottom;
	if (!frame)
		frame = codec__walk_frame_new(walk);
	frame->whole = true;
	frame->plain = false;
	frame->report = REPORT_DONE;
	frame->opened = false;
	frame->in_implicit = false;
	frame->levels = UINT_MAX;
	frame->keys = 0;
	frame->next = 0;
	frame->slot = 0;
	frame->end_slot = schema->child_count;
	frame->list = NULL;
	walk->top = frame;
	return frame;
}
