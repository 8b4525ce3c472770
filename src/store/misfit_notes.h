/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * The annotations (RFC 7952) of a datastore while misfits are looked for, by what they are of: one that fits
 * by itself is a misfit yet where its leaf or value is one, or was one and has a fitting value again since.
 *
 *     store__notes_told(notes, path, value, fits)      set, as the visit says; value NULL: deleted
 *     store__notes_holder_gone(notes, path)            the node was deleted or created: it has none
 *     store__notes_holder_back(notes, path)            the node was a misfit up to now
 *     store__notes_each_misfit(notes, is_misfit, visit, arg)
 *
 * Paths are those of codec/change_text.h. One thread.
 */
#include <stdbool.h>
#include "base/bytes.h"

struct store__notes;

struct store__notes *store__notes_new(void);
void store__notes_free(struct store__notes *notes);
void store__notes_clear(struct store__notes *notes);
void store__notes_copy(struct store__notes *to, const struct store__notes *from);
void store__notes_told(struct store__notes *notes, struct bytes path, const struct bytes *value, bool fits);
void store__notes_holder_gone(struct store__notes *notes, struct bytes holder);
void store__notes_holder_back(struct store__notes *notes, struct bytes holder);
void store__notes_each_misfit(const struct store__notes *notes,
			      bool (*is_misfit)(void *arg, struct bytes holder),
			      void (*visit)(void *arg, struct bytes path, struct bytes value), void *arg);
