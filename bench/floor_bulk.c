/* SPDX-License-Identifier: BSD-3-Clause */
/* One-way transfers through the echo server, in the pieces that the client writes a document in. */
#include "floor_echo.h"

#include "os/clock.h"
#include "say.h"

#define PIECE_SIZE ((size_t)64 * 1024)
#define ANSWER_SIZE 256 /* bytes: what an <ok/> takes */

enum status floor_bulk_send(struct echo *echo, uint64_t size, uint64_t *elapsed_ns)
{
	char piece[PIECE_SIZE] = {0};
	uint64_t left = size > ECHO_HEADER_SIZE ? size : ECHO_HEADER_SIZE;
	struct echo_header header = {left, ANSWER_SIZE};
	memcpy(piece, &header, sizeof(header));
	uint64_t begin_ns = os_clock_monotonic_ns();
	while (left > 0) {
		size_t part = left < PIECE_SIZE ? left : PIECE_SIZE;
		enum status status = link_write(echo__link(echo), (struct bytes){piece, part});
		if (status != ST_OK)
			return say_failed("the echo server has gone");
		left -= part;
	}
	enum status status = echo__discard(echo, ANSWER_SIZE);
	if (status == ST_OK)
		*elapsed_ns = os_clock_monotonic_ns() - begin_ns;
	return status;
}

enum status floor_bulk_receive(struct echo *echo, uint64_t size, uint64_t *elapsed_ns)
{
	struct echo_header header = {ECHO_HEADER_SIZE, size};
	uint64_t begin_ns = os_clock_monotonic_ns();
	enum status status =
		link_write(echo__link(echo), (struct bytes){(const char *)&header, sizeof(header)});
	if (status != ST_OK)
		return say_failed("the echo server has gone");
	status = echo__discard(echo, size);
	if (status == ST_OK)
		*elapsed_ns = os_clock_monotonic_ns() - begin_ns;
	return status;
}
