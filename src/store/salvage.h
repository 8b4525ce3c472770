/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * From what can be proven of a damaged data directory to one that a server starts with (journal/salvage.h
 * moves the files). No schema is needed: records are carried over as they are, and where the segment that
 * they were in has to be made anew, with the names that were defined in it before.
 *
 *     status = store_salvage_prepare(view, &inspection, salvage);
 *     status = journal_salvage_commit(salvage);
 */
#include "journal/salvage.h"
#include "store/inspect.h"

/* Says to `salvage` which files are kept, and makes those that are not there. Needs inspection->version != 0.
 * Fails: ST_IO, ST_LIMIT. */
enum status store_salvage_prepare(const struct journal_view *view, const struct store_inspection *inspection,
				  struct journal_salvage *salvage) MUST_USE;
