/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Long values are written in pieces, a piece a step of an encoder, so that a reply grows evenly. */
#include "base/bytes.h"

#define CODEC_PIECE_SIZE ((size_t)8 * 1024) /* bytes of a piece at most, before escaping */

/* Takes the first piece, which does not end within a character, off the text. */
struct bytes codec__take_piece(struct bytes *text);
