/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The encoder's short way through what is written whole, as it is stored. */
#include "base/buffer.h"
#include "codec/select_walk.h"

/*
 * Goes on with a walk without a view as long as nothing is to be decided: containers, lists and short values
 * without annotations. Appends the same bytes as the steps of the encoder would, and leaves the walk where
 * they would, before the first node that wants one of them. Stops at buffer_size(out) >= size, or after
 * `budget` nodes; gives what is left of that. Does nothing where the buffer has no room.
 */
size_t codec__xml_run_whole(struct select_walk *walk, struct buffer *out, size_t size, size_t budget);
