/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cuts long values into pieces for the encoders of XML and JSON. Values are valid UTF-8, so at most three
 * bytes in a row continue a character, and going back over them finds where it begins.
 */
#include "codec/piece.h"

struct bytes codec__take_piece(struct bytes *text)
{
	struct bytes piece = *text;
	if (piece.size > CODEC_PIECE_SIZE) {
		piece.size = CODEC_PIECE_SIZE;
		while (piece.size > CODEC_PIECE_SIZE - 4 &&
		       ((unsigned char)text->data[piece.size] & 0xc0) == 0x80)
			piece.size--;
	}
	text->data += piece.size;
	text->size -= piece.size;
	return piece;
}
