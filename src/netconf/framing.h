/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Framing (RFC 6242): where a message begins and ends in the bytes of a session. Nothing is buffered: content
 * is given as pieces of the input.
 *
 *     struct bytes input = {data, size}, content;
 *     while ((event = framing_next(&framing, &input, &content)) != FRAMING_NEED_MORE) ...
 */
#include <stdint.h>

#include "base/buffer.h"
#include "base/bytes.h"

enum framing_mode {
	FRAMING_END_OF_MESSAGE, /* RFC 6242 4.3: the message, then ]]>]]> */
	FRAMING_CHUNKED,	/* RFC 6242 4.2 */
};

enum framing_event {
	FRAMING_NEED_MORE, /* the input is used up */
	FRAMING_CONTENT,   /* a piece of the message, not empty */
	FRAMING_END,	   /* the message is complete */
	FRAMING_BROKEN,	   /* not the framing; the session must end */
};

struct framing {
	enum framing_mode mode;
	/* private */
	uint8_t state;	  /* chunked: enum chunk_state */
	uint8_t matched;  /* end of message: bytes of the delimiter seen and held back */
	bool has_content; /* chunked: the message has a chunk */
	uint32_t left;	  /* chunked: the size read so far, then the bytes of the chunk still to come */
};

void framing_init(struct framing *framing, enum framing_mode mode);
/* Takes from the front of `input`. *content is written with FRAMING_CONTENT; it lies in the input or is
 * static. */
enum framing_event framing_next(struct framing *framing, struct bytes *input, struct bytes *content);

/* Appends the content as a piece of a message (nothing for an empty one). Needs an output buffer without
 * limit. */
void framing_write(enum framing_mode mode, struct buffer *out, struct bytes content);
void framing_write_end(enum framing_mode mode, struct buffer *out);
/* The same for a piece that is made where it will be: what is appended between these two calls is its
 * content. Nothing may be consumed in between. Gives the mark for the second call. */
size_t framing_begin(enum framing_mode mode, struct buffer *out);
void framing_end(enum framing_mode mode, struct buffer *out, size_t mark);
/* The content so far. */
struct bytes framing_piece(enum framing_mode mode, const struct buffer *out, size_t mark);
/* The size of the content without an incomplete UTF-8 character at its end: where a chunk may be cut. */
size_t framing_whole_characters(struct bytes content);
