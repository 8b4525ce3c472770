/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * RFC 6242 framing in both directions.
 *
 * End-of-message: the delimiter ]]>]]> may be cut anywhere by the transport. Bytes that match its beginning
 * are held back as a number only (`matched`); when the match fails, what turned out to be content is given as
 * a piece of the constant itself. The table of borders is that of Knuth, Morris, Pratt, so no byte is looked
 * at twice.
 *
 * Chunked:  1*(LF "#" size LF data) LF "##" LF, size 1..4294967295 without leading zeros
 *
 *     LF --\n--> HASH --#--> FIRST --1-9--> SIZE --\n--> DATA --size bytes--> LF
 *                              |              ^digit
 *                              +--# (only after a chunk)--> END --\n--> LF, message complete
 *
 * Anything else is FRAMING_BROKEN, a state that is never left: where the next message begins is unknown from
 * there on.
 *
 * Written chunks end at a character boundary, since there are clients that decode UTF-8 chunk by chunk.
 */
#include "netconf/framing.h"

#include "base/assert.h"

#define DELIMITER "]]>]]>"
#define DELIMITER_SIZE 6

/* borders[n]: the longest proper prefix of the first n bytes of the delimiter that also ends them. */
static const uint8_t borders[DELIMITER_SIZE] = {0, 0, 1, 0, 1, 2};

enum chunk_state { CHUNK_LF, CHUNK_HASH, CHUNK_FIRST, CHUNK_SIZE, CHUNK_DATA, CHUNK_END, CHUNK_BROKEN };

static void skip(struct bytes *input, size_t size)
{
	input->data += size;
	input->size -= size;
}

static enum framing_event take(struct bytes *input, size_t size, struct bytes *content)
{
	*content = (struct bytes){input->data, size};
	skip(input, size);
	return FRAMING_CONTENT;
}

static enum framing_event next_delimited(struct framing *framing, struct bytes *input, struct bytes *content)
{
	while (input->size > 0) {
		if (framing->matched == 0) {
			const char *bracket = memchr(input->data, DELIMITER[0], input->size);
			size_t plain = bracket == NULL ? input->size : (size_t)(bracket - input->data);
			if (plain > 0)
				return take(input, plain, content);
		}
		if (input->data[0] == DELIMITER[framing->matched]) {
			skip(input, 1);
			if (++framing->matched < DELIMITER_SIZE)
				continue;
			framing->matched = 0;
			return FRAMING_END;
		}
		uint8_t keep = borders[framing->matched];
		*content = (struct bytes){DELIMITER, (size_t)framing->matched - keep};
		framing->matched = keep;
		return FRAMING_CONTENT;
	}
	return FRAMING_NEED_MORE;
}

/* A further digit of the size; false where it is too large. */
static bool add_digit(struct framing *framing, char digit)
{
	uint64_t size = (uint64_t)framing->left * 10 + (uint64_t)(digit - '0');
	framing->left = (uint32_t)size;
	return size <= UINT32_MAX;
}

/* The state after `c` in a chunk's header or in the end of chunks. */
static enum chunk_state header_byte(struct framing *framing, char c)
{
	switch ((enum chunk_state)framing->state) {
	case CHUNK_LF:
		return c == '\n' ? CHUNK_HASH : CHUNK_BROKEN;
	case CHUNK_HASH:
		return c == '#' ? CHUNK_FIRST : CHUNK_BROKEN;
	case CHUNK_FIRST:
		if (c == '#' && framing->has_content)
			return CHUNK_END;
		framing->left = 0;
		return c >= '1' && c <= '9' && add_digit(framing, c) ? CHUNK_SIZE : CHUNK_BROKEN;
	case CHUNK_SIZE:
		if (c == '\n')
			return CHUNK_DATA;
		return c >= '0' && c <= '9' && add_digit(framing, c) ? CHUNK_SIZE : CHUNK_BROKEN;
	case CHUNK_END:
		return c == '\n' ? CHUNK_LF : CHUNK_BROKEN;
	case CHUNK_DATA:
	case CHUNK_BROKEN:
		break;
	}
	return CHUNK_BROKEN;
}

static enum framing_event next_chunked(struct framing *framing, struct bytes *input, struct bytes *content)
{
	while (input->size > 0 && framing->state != CHUNK_BROKEN) {
		if (framing->state == CHUNK_DATA) {
			size_t size = framing->left < input->size ? framing->left : input->size;
			framing->left -= (uint32_t)size;
			framing->has_content = true;
			if (framing->left == 0)
				framing->state = CHUNK_LF;
			return take(input, size, content);
		}
		bool ending = framing->state == CHUNK_END;
		framing->state = (uint8_t)header_byte(framing, input->data[0]);
		skip(input, 1);
		if (ending && framing->state == CHUNK_LF) {
			framing->has_content = false;
			return FRAMING_END;
		}
	}
	return framing->state == CHUNK_BROKEN ? FRAMING_BROKEN : FRAMING_NEED_MORE;
}

void framing_init(struct framing *framing, enum framing_mode mode)
{
	*framing = (struct framing){.mode = mode, .state = CHUNK_LF};
}

enum framing_event framing_next(struct framing *framing, struct bytes *input, struct bytes *content)
{
	if (framing->mode == FRAMING_CHUNKED)
		return next_chunked(framing, input, content);
	return next_delimited(framing, input, content);
}

static void append(struct buffer *out, struct bytes bytes)
{
	enum status status = buffer_append(out, bytes);
	ASSERT(status == ST_OK);
}

#define HEADER_MAX 13 /* LF "#" 10 digits LF */
#define HEADER_ROOM 8 /* what most pieces of a large reply need: 5 digits */

/* By hand, since each small reply has one. Gives its size. */
static size_t make_header(char header[HEADER_MAX], size_t size)
{
	ASSERT(size > 0 && size <= UINT32_MAX);
	char digits[10];
	size_t count = 0, at = 0;
	for (; size > 0; size /= 10)
		digits[count++] = (char)('0' + size % 10);
	header[at++] = '\n';
	header[at++] = '#';
	while (count > 0)
		header[at++] = digits[--count];
	header[at++] = '\n';
	return at;
}

void framing_write(enum framing_mode mode, struct buffer *out, struct bytes content)
{
	if (content.size == 0)
		return;
	if (mode == FRAMING_CHUNKED) {
		char header[HEADER_MAX];
		append(out, (struct bytes){header, make_header(header, content.size)});
	}
	append(out, content);
}

size_t framing_begin(enum framing_mode mode, struct buffer *out)
{
	size_t mark = buffer_size(out);
	if (mode == FRAMING_CHUNKED)
		append(out, (struct bytes){"        ", HEADER_ROOM});
	return mark;
}

struct bytes framing_piece(enum framing_mode mode, const struct buffer *out, size_t mark)
{
	struct bytes piece = buffer_get(out);
	mark += mode == FRAMING_CHUNKED ? HEADER_ROOM : 0;
	return (struct bytes){piece.data + mark, piece.size - mark};
}

void framing_end(enum framing_mode mode, struct buffer *out, size_t mark)
{
	if (mode != FRAMING_CHUNKED)
		return;
	size_t size = framing_piece(mode, out, mark).size;
	if (size == 0) {
		buffer_cut(out, HEADER_ROOM);
		return;
	}
	char header[HEADER_MAX];
	size_t header_size = make_header(header, size);
	if (header_size > HEADER_ROOM)
		append(out, (struct bytes){header, header_size - HEADER_ROOM}); /* room alone */
	char *at = (char *)buffer_get(out).data + mark;
	if (header_size != HEADER_ROOM)
		memmove(at + header_size, at + HEADER_ROOM, size);
	memcpy(at, header, header_size);
	if (header_size < HEADER_ROOM)
		buffer_cut(out, HEADER_ROOM - header_size);
}

void framing_write_end(enum framing_mode mode, struct buffer *out)
{
	append(out, bytes_of(mode == FRAMING_CHUNKED ? "\n##\n" : DELIMITER));
}

/* Bytes of the character that begins with `lead`; 1 for what is no lead byte. */
static size_t character_size(unsigned char lead)
{
	if (lead >= 0xf0)
		return 4;
	if (lead >= 0xe0)
		return 3;
	return lead >= 0xc0 ? 2 : 1;
}

size_t framing_whole_characters(struct bytes content)
{
	size_t back = 1;
	while (back < 4 && back < content.size &&
	       ((unsigned char)content.data[content.size - back] & 0xc0) == 0x80)
		back++;
	if (back > content.size)
		return content.size;
	size_t lead = content.size - back;
	return character_size((unsigned char)content.data[lead]) > back ? lead : content.size;
}
