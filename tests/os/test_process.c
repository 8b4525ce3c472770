/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs: what they get and give, each way in which they end, and that nothing of them is left. */
#include "os/process.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "os/clock.h"

struct source {
	size_t size; /* bytes of input that are left */
	bool stopped;
	unsigned questions; /* answered before it is */
};

static size_t give(void *arg, char *data, size_t size)
{
	struct source *source = arg;
	size_t taken = source->size < size ? source->size : size;
	memset(data, 'x', taken);
	source->size -= taken;
	return taken;
}

static bool is_stopped(void *arg)
{
	struct source *source = arg;
	return source->stopped && source->questions-- == 0;
}

struct outcome {
	enum os_process_end end;
	int code;
	char output[256], errors[64];
	size_t size; /* of the whole output */
	double seconds;
};

/* Runs a shell's command. */
static struct outcome run(const char *command, struct source *source, uint64_t timeout_ms)
{
	const char *const argv[] = {"/bin/sh", "-c", command, NULL}, *const more[] = {"ALPHA=beta", "HOME=x",
										      NULL};
	struct os_process_options options = {.argv = argv,
					     .environment = more,
					     .timeout_ms = timeout_ms,
					     .output_limit = 1000000,
					     .error_limit = 5,
					     .input = give,
					     .stopped = is_stopped,
					     .arg = source};
	struct buffer output, errors;
	buffer_init(&output, SIZE_MAX);
	buffer_init(&errors, SIZE_MAX);
	struct outcome outcome = {0};
	uint64_t begun = os_clock_monotonic_ns();
	outcome.end = os_process_run(&options, &output, &errors, &outcome.code);
	outcome.seconds = (double)(os_clock_monotonic_ns() - begun) / 1e9;
	outcome.size = buffer_size(&output);
	snprintf(outcome.output, sizeof(outcome.output), "%.*s", (int)outcome.size, buffer_get(&output).data);
	snprintf(outcome.errors, sizeof(outcome.errors), "%.*s", (int)buffer_size(&errors),
		 buffer_get(&errors).data);
	buffer_fini(&output);
	buffer_fini(&errors);
	return outcome;
}

static int descriptors(void)
{
	int count = 0;
	DIR *dir = opendir("/proc/self/fd");
	while (readdir(dir) != NULL)
		count++;
	closedir(dir);
	return count;
}

static void test_ends(void **state)
{
	(void)state;
	int before = descriptors();
	struct source source = {.size = 0};
	struct outcome outcome = run("echo $ALPHA $HOME; echo 1234567 >&2; exit 3", &source, 10000);
	assert_int_equal(outcome.end, OS_PROCESS_EXITED);
	assert_int_equal(outcome.code, 3);
	assert_string_equal(outcome.output, "beta x\n");
	assert_string_equal(outcome.errors, "12345");
	outcome = run("kill -USR1 $$", &source, 10000);
	assert_int_equal(outcome.end, OS_PROCESS_SIGNALLED);
	assert_int_equal(outcome.code, SIGUSR1);
	outcome = run("yes", &source, 10000);
	assert_int_equal(outcome.end, OS_PROCESS_TOO_MUCH);
	outcome = run("sleep 60", &source, 200);
	assert_int_equal(outcome.end, OS_PROCESS_TIMED_OUT);
	source = (struct source){.stopped = true, .questions = 2};
	outcome = run("sleep 60", &source, 0);
	assert_int_equal(outcome.end, OS_PROCESS_STOPPED);
	assert_true(outcome.seconds < 20);
	assert_int_equal(descriptors(), before);
}

/* Large both ways; a program that does not read; one that leaves somebody behind who holds the pipes. */
static void test_pipes(void **state)
{
	(void)state;
	struct source source = {.size = 900000};
	struct outcome outcome = run("cat", &source, 20000);
	assert_int_equal(outcome.end, OS_PROCESS_EXITED);
	assert_int_equal(outcome.size, 900000);
	source.size = 900000;
	outcome = run("echo done", &source, 20000);
	assert_int_equal(outcome.end, OS_PROCESS_EXITED);
	assert_string_equal(outcome.output, "done\n");
	source.size = 0;
	outcome = run("sleep 60 & echo $!", &source, 20000);
	assert_int_equal(outcome.end, OS_PROCESS_EXITED);
	assert_true(outcome.seconds < 15);
	pid_t left = (pid_t)atoi(outcome.output);
	for (int i = 0; i < 200 && kill(left, 0) == 0; i++) {
		char path[64], line[256] = "";
		snprintf(path, sizeof(path), "/proc/%d/stat", left);
		FILE *file = fopen(path, "r");
		if (file != NULL && fgets(line, sizeof(line), file) != NULL && strstr(line, ") Z") != NULL)
			i = 200; /* dead, and not collected by its new parent yet */
		if (file != NULL)
			fclose(file);
		usleep(10000);
		assert_int_not_equal(i, 199);
	}
}

/* Signals that a server blocks or ignores are as usual. */
static void test_signals(void **state)
{
	(void)state;
	sigset_t set, old;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	struct source source = {.size = 0};
	struct outcome outcome = run("kill -TERM $$; sleep 5", &source, 20000);
	assert_int_equal(outcome.end, OS_PROCESS_SIGNALLED);
	assert_int_equal(outcome.code, SIGTERM);
	outcome = run("(yes; echo $? >&2) | head -c 1 >/dev/null", &source, 20000);
	assert_string_equal(outcome.errors, "141\n");
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static void test_not_there(void **state)
{
	(void)state;
	const char *const argv[] = {"/no/such/program", NULL}, *const none[] = {NULL};
	struct source source = {.size = 0};
	struct os_process_options options = {
		.argv = argv, .environment = none, .input = give, .stopped = is_stopped, .arg = &source};
	struct buffer output;
	buffer_init(&output, SIZE_MAX);
	int code = 0;
	assert_int_equal(os_process_run(&options, &output, &output, &code), OS_PROCESS_NOT_STARTED);
	assert_int_equal(code, ENOENT);
	assert_false(os_process_can_run(argv[0]));
	assert_true(os_process_can_run("/bin/sh"));
	buffer_fini(&output);
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_pipes),
		cmocka_unit_test(test_signals),
		cmocka_unit_test(test_not_there),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
