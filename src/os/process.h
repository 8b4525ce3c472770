/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Running another program to its end: started without a shell, in a process group of its own, fed and heard
 * through pipes, within limits of time and size.
 *
 *     struct os_process_options options = {.argv = argv, .timeout_ms = 30000, .output_limit = 1 << 20, ...};
 *     enum os_process_end end = os_process_run(&options, &out, &errors, &code);
 *
 * The call blocks until the program has ended; whatever of its group is left then is killed.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buffer.h"

struct os_process_options {
	const char *const *argv; /* argv[0] is the program's path; ends with NULL */
	/* "NAME=VALUE", before what this process has; ends with NULL */
	const char *const *environment;
	uint64_t timeout_ms; /* 0: none */
	size_t output_limit; /* bytes of its standard output */
	size_t error_limit;  /* bytes kept of its standard error; the rest is thrown away */
	/* The next bytes of its standard input; 0: there are no more. */
	size_t (*input)(void *arg, char *data, size_t size);
	bool (*stopped)(void *arg); /* asked now and then: whether nobody waits for it any more */
	void *arg;
};

enum os_process_end {
	OS_PROCESS_EXITED,	/* with `code` */
	OS_PROCESS_SIGNALLED,	/* `code`: by which signal */
	OS_PROCESS_TIMED_OUT,	/* and was killed, as where */
	OS_PROCESS_TOO_MUCH,	/* it wrote more than output_limit, */
	OS_PROCESS_STOPPED,	/* or nobody waited any more */
	OS_PROCESS_NOT_STARTED, /* `code`: errno */
};

/* Appends to `output` and `errors`, whose own limits must allow for it. Any thread. */
enum os_process_end os_process_run(const struct os_process_options *options, struct buffer *output,
				   struct buffer *errors, int *code);
/* Whether there is a program at the path that may be run. */
bool os_process_can_run(const char *path);
