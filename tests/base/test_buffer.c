/* SPDX-License-Identifier: BSD-3-Clause */
/* The byte queue: limits to the byte, wrap to the front, and a random run against a plain model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/buffer.h"
#include "base/memory.h"

static void appends_and_consumes(void **state)
{
	(void)state;
	struct buffer buffer;
	buffer_init(&buffer, SIZE_MAX);
	assert_int_equal(buffer_size(&buffer), 0);
	assert_int_equal(buffer_get(&buffer).size, 0);
	assert_int_equal(buffer_append(&buffer, (struct bytes){NULL, 0}), ST_OK);
	assert_int_equal(buffer_append(&buffer, bytes_of("hello ")), ST_OK);
	assert_int_equal(buffer_printf(&buffer, "%s-%d", "world", 7), ST_OK);
	assert_true(bytes_equal(buffer_get(&buffer), bytes_of("hello world-7")));
	buffer_consume(&buffer, 6);
	assert_true(bytes_equal(buffer_get(&buffer), bytes_of("world-7")));
	assert_int_equal(buffer_append(&buffer, bytes_of("!?")), ST_OK);
	buffer_cut(&buffer, 2);
	assert_true(bytes_equal(buffer_get(&buffer), bytes_of("world-7")));
	buffer_consume(&buffer, 7);
	assert_int_equal(buffer.start, 0); /* the storage starts afresh */
	assert_int_equal(buffer.end, 0);
	buffer_fini(&buffer);
}

static void limit_holds_to_the_byte(void **state)
{
	(void)state;
	struct buffer buffer;
	buffer_init(&buffer, 10);
	assert_int_equal(buffer_append(&buffer, bytes_of("12345678901")), ST_LIMIT);
	assert_int_equal(buffer_size(&buffer), 0);
	assert_int_equal(buffer_append(&buffer, bytes_of("123456")), ST_OK);
	assert_int_equal(buffer_printf(&buffer, "%d", 78901), ST_LIMIT);
	assert_int_equal(buffer_printf(&buffer, "%d", 7890), ST_OK);
	assert_int_equal(buffer_append(&buffer, bytes_of("x")), ST_LIMIT);
	assert_null(buffer_reserve(&buffer, 1));
	assert_null(buffer_reserve(&buffer, SIZE_MAX));
	assert_true(bytes_equal(buffer_get(&buffer), bytes_of("1234567890")));
	buffer_consume(&buffer, 4); /* what is read counts no more */
	assert_int_equal(buffer_append(&buffer, bytes_of("abcd")), ST_OK);
	assert_true(bytes_equal(buffer_get(&buffer), bytes_of("567890abcd")));
	buffer_fini(&buffer);
}

static void reserve_and_commit(void **state)
{
	(void)state;
	struct buffer buffer;
	buffer_init(&buffer, 100000);
	char *room = buffer_reserve(&buffer, 5000);
	memset(room, 'x', 5000);
	buffer_commit(&buffer, 3);
	assert_true(bytes_equal(buffer_get(&buffer), bytes_of("xxx")));
	assert_non_null(buffer_reserve(&buffer, 0));
	buffer_clear(&buffer, 1000);
	assert_int_equal(buffer_size(&buffer), 0);
	assert_true(buffer.capacity <= 1000);
	assert_int_equal(buffer_append(&buffer, bytes_of("again")), ST_OK);
	assert_int_equal(buffer_room(&buffer), buffer.capacity - 5);
	/* Little in much room, and more room: what is there stays. */
	assert_non_null(buffer_reserve(&buffer, buffer_room(&buffer) + 1));
	assert_true(bytes_equal(buffer_get(&buffer), bytes_of("again")));
	buffer_clear(&buffer, 0);
	assert_null(buffer.data);
	buffer_fini(&buffer);
}

/* A slow consumer: the storage stays within a small multiple of what is unread. */
static void storage_stays_bounded(void **state)
{
	(void)state;
	struct buffer buffer;
	buffer_init(&buffer, SIZE_MAX);
	char chunk[100] = {0};
	for (int i = 0; i < 10; i++)
		assert_int_equal(buffer_append(&buffer, (struct bytes){chunk, 100}), ST_OK);
	for (int i = 0; i < 100000; i++) {
		assert_int_equal(buffer_append(&buffer, (struct bytes){chunk, 100}), ST_OK);
		buffer_consume(&buffer, 100);
	}
	assert_true(buffer.capacity <= 8192);
	buffer_fini(&buffer);
}

static void behaves_as_a_plain_queue(void **state)
{
	(void)state;
	const char *given = getenv("YARE_SEED");
	unsigned seed = given ? (unsigned)strtoul(given, NULL, 0) : 20260131;
	printf("seed %u\n", seed);
	srandom(seed);
	struct buffer buffer;
	buffer_init(&buffer, 3000);
	unsigned char written = 0, expected = 0; /* bytes count up, so that the order shows */
	size_t unread = 0;
	for (int step = 0; step < 20000; step++) {
		size_t size = (size_t)random() % 700;
		if (random() % 2) {
			char *room = buffer_reserve(&buffer, size);
			assert_int_equal(room == NULL, unread + size > 3000);
			if (!room)
				continue;
			for (size_t i = 0; i < size; i++)
				room[i] = (char)written++;
			buffer_commit(&buffer, size);
			unread += size;
		} else {
			struct bytes bytes = buffer_get(&buffer);
			assert_int_equal(bytes.size, unread);
			size = size < unread ? size : unread;
			for (size_t i = 0; i < size; i++)
				assert_int_equal((unsigned char)bytes.data[i], expected++);
			buffer_consume(&buffer, size);
			unread -= size;
		}
	}
	buffer_fini(&buffer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(appends_and_consumes),	    cmocka_unit_test(limit_holds_to_the_byte),
		cmocka_unit_test(reserve_and_commit),	    cmocka_unit_test(storage_stays_bounded),
		cmocka_unit_test(behaves_as_a_plain_queue),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
