/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Misfits: what a data directory has that the present schema has no place for, after it was written under
 * another one. Found by names, as the state at the end has them: what was deleted meanwhile is none.
 *
 *     status = store__misfits_find(schema, journal, &misfits);
 *     ... misfits.running.length, store__misfits_each
 *     status = store__misfits_write(journal, version, &misfits)          instance data, aside
 *     store__misfits_fini(&misfits);
 */
#include "base/vector.h"
#include "journal/journal_disk.h"
#include "schema/schema.h"

struct store__misfit {
	const char *path;  /* as in codec/change_text.h; owned */
	const char *value; /* NULL: a container or list entry; owned */
};

struct store__misfits {
	struct vector running, startup; /* struct store__misfit, by path */
};

/* Reads the newest snapshot and all records once more. While a confirmed commit is pending, `running` is what
 * a start goes back to. Fails: ST_CORRUPT, ST_IO. */
enum status store__misfits_find(const struct schema *schema, struct journal *journal,
				struct store__misfits *misfits) MUST_USE;
void store__misfits_fini(struct store__misfits *misfits);

#define STORE__QUARANTINE_NAME_SIZE 64 /* bytes */
/* misfit_file.c: the name of the file of a version. */
void store__quarantine_name(uint64_t version, const char *datastore, char name[STORE__QUARANTINE_NAME_SIZE]);
/* Writes misfits of a datastore as instance data (RFC 9195), durably. Fails: ST_LIMIT, ST_IO. */
enum status store__quarantine_write(struct journal *journal, uint64_t version, const char *datastore,
				    const struct vector *misfits) MUST_USE;
