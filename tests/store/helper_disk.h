/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* A store over the perf-test module and a journal on a fake disk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "os/file_fake.h"
#include "schema/load.h"
#include "store/internal.h"
#include "store/recover.h"

struct disk_bench {
	struct schema *schema;
	struct check_plan *plan;
	struct tree_reclaimer *reclaimer;
	struct os_fs *fs;
	struct arena *arena;
	struct diag_list diags;
	struct journal_disk_options journal_options;
	enum store_mismatch mismatch;
	unsigned start_threads;		    /* 0: one */
	struct store_options store_options; /* journal and recovery are set by disk_open */
	struct journal *journal;	    /* these three: NULL while closed */
	struct store *store;
	struct store_recovery *recovery; /* its names went to the store */
};

void disk_bench_init(struct disk_bench *bench);
void disk_bench_fini(struct disk_bench *bench);
/* Opens everything, or nothing. */
enum status disk_open(struct disk_bench *bench);
void disk_close(struct disk_bench *bench, bool seal);
/* A root like `base`, but for the type of the entry "nNUMBER", which it is created with if it is absent.
 * NULL: the entry is deleted. One reference. */
struct tree_record *disk_change(struct disk_bench *bench, const struct tree_record *base, unsigned number,
				const char *type);
/* Proposes a root as running. */
enum status disk_propose(struct disk_bench *bench, const struct tree_record *root, const char *comment);
/* disk_change of the tip, proposed. */
enum status disk_put(struct disk_bench *bench, unsigned number, const char *type);
bool disk_equal(struct disk_bench *bench, const struct tree_record *a, const struct tree_record *b);
void disk_unref(struct disk_bench *bench, const struct tree_record *root);
