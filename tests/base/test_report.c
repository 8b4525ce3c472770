/* SPDX-License-Identifier: BSD-3-Clause */
/* What people read: log lines (captured from a pipe) and diagnostics; and that ASSERT ends the process. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/assert.h"
#include "base/diag.h"
#include "base/log.h"
#include "base/memory.h"

/* Standard error goes to a pipe between capture_begin and capture_end. */
struct capture {
	int saved, read_fd;
};

static struct capture capture_begin(void)
{
	int fds[2];
	assert_int_equal(pipe(fds), 0);
	struct capture capture = {.saved = dup(2), .read_fd = fds[0]};
	dup2(fds[1], 2);
	close(fds[1]);
	return capture;
}

static size_t capture_end(struct capture capture, char *text, size_t size)
{
	dup2(capture.saved, 2);
	close(capture.saved);
	size_t length = 0;
	for (ssize_t got; (got = read(capture.read_fd, text + length, size - 1 - length)) > 0;)
		length += (size_t)got;
	close(capture.read_fd);
	text[length] = '\0';
	return length;
}

static void log_line_has_time_level_and_text(void **state)
{
	(void)state;
	char text[8192];
	struct capture capture = capture_begin();
	errno = ENOENT;
	log_warning("disk %s is %d%% full", "a", 93);
	int after = errno;
	log_debug("unseen");
	capture_end(capture, text, sizeof(text));
	assert_int_equal(after, ENOENT);
	int year, month, day, hour, minute, second, ms, end = 0;
	assert_int_equal(sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d.%3dZ warning disk a is 93%% full%n", &year,
				&month, &day, &hour, &minute, &second, &ms, &end),
			 7);
	assert_string_equal(text + end, "\n");
}

static void log_escapes_what_steers_terminals(void **state)
{
	(void)state;
	char text[8192];
	struct capture capture = capture_begin();
	log_error("user a\nb\x1b[2J\x7f \xc2\x9b \xc3\xa9");
	capture_end(capture, text, sizeof(text));
	const char *begin = strstr(text, "error ");
	assert_non_null(begin);
	assert_string_equal(begin, "error user a\\x0ab\\x1b[2J\\x7f \xc2\\x9b \xc3\xa9\n");
}

static void log_cuts_long_lines(void **state)
{
	(void)state;
	char text[16384], *longest = memory_alloc(10001);
	memset(longest, '\n', 10000);
	longest[10000] = '\0';
	struct capture capture = capture_begin();
	log_error("%s", longest);
	size_t size = capture_end(capture, text, sizeof(text));
	memory_free(longest);
	assert_in_range(size, 4080, 4096);
	assert_string_equal(text + size - 4, "...\n");
}

static void log_levels_are_named(void **state)
{
	(void)state;
	enum log_level level = LOG_LEVEL_INFO;
	assert_int_equal(log_level_parse("debug", &level), ST_OK);
	assert_int_equal(level, LOG_LEVEL_DEBUG);
	assert_int_equal(log_level_parse("loud", &level), ST_REJECTED);
	assert_int_equal(level, LOG_LEVEL_DEBUG);
	assert_false(log_enabled(LOG_LEVEL_DEBUG));
	log_set_level(level);
	assert_true(log_enabled(LOG_LEVEL_DEBUG));
	log_set_level(LOG_LEVEL_INFO);
}

static void diagnostics_bound_what_they_quote(void **state)
{
	(void)state;
	struct arena *arena = arena_new();
	struct diag_list list;
	diag_list_init(&list, arena, 10);
	size_t size = 200000;
	char *value = memory_alloc(size + 1);
	memset(value, 'x', size);
	value[size] = '\0';
	/* At 4,092 bytes a character of two begins, of which only one would be left. */
	memcpy(value + 4092 - 1, "\xc3\xa9", 2);
	struct diag *cut = diag_add(&list, DIAG_APPLICATION, DIAG_INVALID_VALUE, "%s", value);
	assert_int_equal(strlen(cut->message), 4091 + 3);
	assert_string_equal(cut->message + 4091, "...");
	/* Paths are whole, but there are fewer of them. */
	for (int i = 0; i < 10; i++) {
		struct diag *diag = diag_add(&list, DIAG_APPLICATION, DIAG_DATA_MISSING, "Entry %d", i);
		diag_set_path(&list, diag, value);
	}
	assert_int_equal(list.length, 3);
	assert_int_equal(list.limit, 3);
	assert_int_equal(list.dropped, 8);
	assert_string_equal(list.last->message, "Entry 1");
	assert_int_equal(strlen(list.last->path), size);
	memory_free(value);
	arena_free(arena);
}

static void diagnostics_keep_order_and_detail(void **state)
{
	(void)state;
	struct arena *arena = arena_new();
	struct diag_list list;
	diag_list_init(&list, arena, 10);
	struct diag *first =
		diag_add(&list, DIAG_APPLICATION, DIAG_DATA_EXISTS, "Entry %d exists already.", 7);
	struct diag *second = diag_add(&list, DIAG_PROTOCOL, DIAG_BAD_ELEMENT, NULL);
	char path[] = "/a:b";
	diag_set_path(&list, first, path);
	path[1] = 'x'; /* it was copied */
	diag_set_app_tag(&list, first, "data-not-unique");
	diag_add_prefix(&list, first, "a", "urn:a");
	diag_add_prefix(&list, first, "b", "urn:b");
	diag_add_prefix(&list, first, "a", "urn:a");
	diag_add_info(&list, second, "bad-element", "foo");
	diag_add_info(&list, second, "ok-element", "bar");
	assert_int_equal(list.length, 2);
	assert_ptr_equal(list.first, first);
	assert_ptr_equal(first->next, second);
	assert_ptr_equal(list.last, second);
	assert_string_equal(first->message, "Entry 7 exists already.");
	assert_null(second->message);
	assert_string_equal(first->path, "/a:b");
	assert_string_equal(first->app_tag, "data-not-unique");
	assert_string_equal(first->prefixes->prefix, "a");
	assert_string_equal(first->prefixes->next->ns, "urn:b");
	assert_null(first->prefixes->next->next);
	assert_string_equal(second->infos->value, "foo");
	assert_ptr_equal(second->infos->next, second->last_info);
	assert_string_equal(second->last_info->name, "ok-element");
	assert_string_equal(diag_tag_name(second->tag), "bad-element");
	assert_string_equal(diag_type_name(first->type), "application");
	arena_free(arena);
}

static void diagnostics_past_the_limit_take_no_memory(void **state)
{
	(void)state;
	struct arena *arena = arena_new();
	struct diag_list list;
	diag_list_init(&list, arena, 2);
	size_t after_first = 0;
	for (int i = 0; i < 100000; i++) {
		struct diag *diag = diag_add(&list, DIAG_RPC, DIAG_INVALID_VALUE, "number %d", i);
		assert_non_null(diag);
		diag_set_path(&list, diag, "/somewhere");
		diag_set_app_tag(&list, diag, "tag");
		diag_add_prefix(&list, diag, "p", "urn:p");
		diag_add_info(&list, diag, "bad-element", "x");
		diag->last_info->is_path = true;
		if (i == 10)
			after_first = arena_size(arena);
	}
	assert_int_equal(list.length, 2);
	assert_int_equal(list.dropped, 99998);
	assert_string_equal(list.last->message, "number 1");
	assert_null(list.last->next);
	assert_int_equal(arena_size(arena), after_first);
	arena_free(arena);
}

static void tags_have_names(void **state)
{
	(void)state;
	for (int tag = DIAG_IN_USE; tag <= DIAG_MALFORMED_MESSAGE; tag++)
		assert_non_null(diag_tag_name((enum diag_tag)tag));
	assert_string_equal(diag_tag_name(DIAG_MALFORMED_MESSAGE), "malformed-message");
	assert_string_equal(diag_type_name(DIAG_TRANSPORT), "transport");
}

static void assert_aborts(void **state)
{
	(void)state;
	char text[8192];
	struct capture capture = capture_begin();
	pid_t child = fork();
	if (child == 0) {
		signal(SIGABRT, SIG_DFL);
		ASSERT(1 + 1 == 3);
		_exit(0);
	}
	int status;
	waitpid(child, &status, 0);
	capture_end(capture, text, sizeof(text));
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	assert_non_null(strstr(text, "test_report.c:"));
	assert_non_null(strstr(text, "1 + 1 == 3"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(log_line_has_time_level_and_text),
		cmocka_unit_test(log_escapes_what_steers_terminals),
		cmocka_unit_test(log_cuts_long_lines),
		cmocka_unit_test(log_levels_are_named),
		cmocka_unit_test(diagnostics_keep_order_and_detail),
		cmocka_unit_test(diagnostics_bound_what_they_quote),
		cmocka_unit_test(diagnostics_past_the_limit_take_no_memory),
		cmocka_unit_test(tags_have_names),
		cmocka_unit_test(assert_aborts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
