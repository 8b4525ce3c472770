/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What the parts of the view share: view.c (opening, calls), view_scan.c (reading, runs), view_judge.c
 * (findings). */
#include "journal/internal.h"
#include "journal/view.h"

/* Whole frames that follow each other in one segment. */
struct journal__fragment {
	size_t segment;			      /* index */
	uint64_t start, end;		      /* offsets */
	uint32_t checksum;		      /* of the last one, or of the segment's header */
	uint64_t first_version, last_version; /* first_version - 1: there is no change in it */
	uint64_t durable;		      /* the highest durable end that it names, its header included */
	bool from_header;
	bool joins; /* it goes on from the fragment before it */
};

struct journal__view_file {
	struct journal_view_segment told; /* first, as it is handed out */
	struct journal__scan scan;	  /* its file stays open */
	struct journal__header header;
	enum status header_status; /* ST_OK, ST_CORRUPT, ST_LIMIT */
	uint64_t rest; /* offset behind its last whole record, where bytes follow that are not zero; 0: none
			  do */
	bool gave_up;  /* not all of it was searched */
};

struct journal__view_shot {
	struct journal_view_snapshot told; /* first */
	struct journal__fault fault;
	enum status status;
	uint64_t first_segment, directory;
	struct journal_snapshot_reader
		*reader; /* at its first block, until it is taken; keeps the file open */
	struct journal_snapshot head;
};

struct journal_view {
	struct os_fs *fs;
	char *dir;
	struct vector findings;	 /* struct journal_finding */
	struct vector segments;	 /* struct journal__view_file */
	struct vector snapshots; /* struct journal__view_shot */
	struct vector fragments; /* struct journal__fragment, in the order of files and offsets */
	uint64_t directory;
	uint64_t durable; /* the highest durable end that anything proves */
	size_t temporaries;
	enum status listed; /* what kept an entry of the directory from being looked at */
	bool is_new;
	/* The state: */
	bool has_state;
	uint64_t snapshot, version;
	size_t first_fragment, fragment_count; /* of its run */
};

static inline struct journal__view_file *journal__view_segment(const struct journal_view *view, size_t index)
{
	return vector_at(&view->segments, index);
}

static inline struct journal__view_shot *journal__view_shot(const struct journal_view *view, size_t index)
{
	return vector_at(&view->snapshots, index);
}

static inline struct journal__fragment *journal__view_fragment(const struct journal_view *view, size_t index)
{
	return vector_at(&view->fragments, index);
}

/* view_scan.c: reads all segments into fragments, all snapshots to their ends. */
enum status journal__view_scan(struct journal_view *view) MUST_USE;
/* view_judge.c: what that means. */
void journal__view_judge(struct journal_view *view);
/* Chooses the state from the snapshots that are whole. */
void journal__view_find_state(struct journal_view *view);
