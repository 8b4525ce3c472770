/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * What is in the records and snapshots of a data directory that is only looked at (journal/view.h): whether
 * it is sound, without any schema, and versions of the configuration rebuilt from it, with one.
 *
 *     status = journal_view_open(fs, "data", JOURNAL_VIEW_LIVE, &view);
 *     status = store_inspect(view, &inspection);                    adds to the findings of the view
 *     status = store_rebuild(schema, view, version, diags, &rebuilt);
 *     ... rebuilt.root
 *     store_rebuilt_fini(&rebuilt, schema);
 */
#include "base/diag.h"
#include "codec/change_text.h"
#include "journal/view.h"
#include "schema/schema.h"
#include "store/store.h"

struct store_inspection {
	bool loses_labels; /* the file of labels is damaged */
	uint64_t version;  /* the newest; 0: no state can be proven */
	/* A confirmed commit is pending there: a start goes back to this version (RFC 6241 8.4.1). 0: none
	 * is. */
	uint64_t fallback;
	uint64_t records;	/* that were read */
	uint64_t sound_first;	/* of the state's run, records from this version on... */
	uint64_t sound_version; /* ... to this one lead on from its snapshot, content and all */
	unsigned char
		fingerprint[JOURNAL_FINGERPRINT_SIZE]; /* of the schema that the newest was written under */
};

/* Reads all of the state's snapshots and records, and adds what is wrong with them to the findings. Fails:
 * ST_IO. */
enum status store_inspect(struct journal_view *view, struct store_inspection *inspection) MUST_USE;

/* A version without root and index; owned by the caller, for store_version_info_free. NULL: it is not a
 * record of this format. `block` gets the changes behind the head. */
struct store_version *store_inspect_record(const struct journal_record *record, struct bytes *block);
/* The same; `startup` gets the block that makes startup of running (docs/format/journal.md), empty where
 * there is none. */
struct store_version *store_inspect_record_startup(const struct journal_record *record, struct bytes *block,
						   struct bytes *startup);
struct store_version *store_inspect_snapshot(const struct journal_snapshot *snapshot);
void store_inspect_free(struct store_version *info); /* NULL is allowed */

/* Labels that were given to versions after their records were written. */
struct store_labels;
/* Fails: ST_CORRUPT, ST_LIMIT (of a newer format), ST_IO. */
enum status store_labels_read(const struct journal_view *view, struct store_labels **labels) MUST_USE;
void store_labels_free(struct store_labels *labels); /* NULL is allowed */
/* The label of a version; NULL: it has none. `labels` NULL: that of its record. */
const char *store_label_of(const struct store_labels *labels, const struct store_version *info);

struct store_rebuilt {
	struct tree_record *root;   /* one reference */
	struct store_version *info; /* who made it; NULL: its record is not there any more */
	bool same_schema;	    /* all of it was written under the schema that it was rebuilt with */
};

/*
 * A version from the nearest snapshot before it and the records behind that, or backwards from one after it.
 * Fails: ST_ABSENT (the directory does not have it), ST_REJECTED (the schema has no place for something in
 * it: diags), ST_CORRUPT, ST_IO. Cost: the size of a snapshot and of the records between.
 */
enum status store_rebuild(const struct schema *schema, const struct journal_view *view, uint64_t version,
			  struct diag_list *diags, struct store_rebuilt *rebuilt) MUST_USE;
/* The startup datastore as it was in a version; `rebuilt` is set where *kind is KEPT, its info is that of the
 * version that made it so. Fails: as store_rebuild. */
enum status store_rebuild_startup(const struct schema *schema, const struct journal_view *view,
				  uint64_t version, struct diag_list *diags, enum store_startup_kind *kind,
				  struct store_rebuilt *rebuilt) MUST_USE;
void store_rebuilt_fini(struct store_rebuilt *rebuilt, const struct schema *schema);
