/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared strings: contents, flags, counts, and counting from several threads (run it under TSan, too). */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/text.h"

#define THREADS 4
#define ROUNDS 20000

static void keeps_bytes_and_flags(void **state)
{
	(void)state;
	struct text *text = text_new((struct bytes){"a\0b", 3}, TEXT_QNAME);
	assert_true(bytes_equal(text_bytes(text), (struct bytes){"a\0b", 3}));
	assert_int_equal(text->flags, TEXT_QNAME);
	assert_ptr_equal(text_ref(text), text);
	assert_int_equal(atomic_load(&text->refs), 2);
	text_unref(text);
	assert_int_equal(atomic_load(&text->refs), 1);
	text_unref(text);
	struct text *empty = text_new((struct bytes){NULL, 0}, 0);
	assert_int_equal(text_bytes(empty).size, 0);
	text_unref(empty);
	text_unref(NULL);
}

static void immortal_texts_are_not_counted(void **state)
{
	(void)state;
	struct text *text = text_new_immortal(bytes_of("up"), 0);
	for (int i = 0; i < 3; i++)
		text_unref(text_ref(text));
	text_unref(text);
	assert_int_equal(atomic_load(&text->refs), TEXT_IMMORTAL);
	assert_true(bytes_equal(text_bytes(text), bytes_of("up")));
	text_free_immortal(text);
}

static void *share(void *arg)
{
	struct text *text = arg;
	for (int i = 0; i < ROUNDS; i++) {
		text_ref(text);
		if (text_bytes(text).size != 6)
			return NULL;
		text_unref(text);
	}
	text_unref(text); /* the reference that this thread was given; the last one frees */
	return arg;
}

static void threads_share_a_text(void **state)
{
	(void)state;
	struct text *text = text_new(bytes_of("shared"), 0);
	pthread_t threads[THREADS];
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, share, text_ref(text)), 0);
	text_unref(text);
	for (int i = 0; i < THREADS; i++) {
		void *result;
		pthread_join(threads[i], &result);
		assert_non_null(result);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_bytes_and_flags),
		cmocka_unit_test(immortal_texts_are_not_counted),
		cmocka_unit_test(threads_share_a_text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
