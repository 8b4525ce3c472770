/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* A yared of a test's own, on a UNIX socket in a folder of its own. */
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define YARED_ARGUMENTS 80

struct yared {
	char dir[64], socket[96], log[96];
	pid_t pid;
	char *arguments[YARED_ARGUMENTS];
	size_t argument_count;
};

void yared_init(struct yared *yared, const char *program);
/* One more argument of its command line; copied. */
void yared_add(struct yared *yared, const char *argument);
/* False where it does not become ready within 20 s; its log is printed. */
bool yared_start(struct yared *yared);
/* How many files and sockets it has open. */
size_t yared_descriptors(const struct yared *yared);
/* Ends it by SIGTERM. False where it did not exit with 0, or its log has a complaint of a sanitizer or an
 * assertion; the log is printed then. */
bool yared_stop(struct yared *yared);
/* Frees and removes the folder. */
void yared_fini(struct yared *yared);
