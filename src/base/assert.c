/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The end of a process that found a bug in itself. Standard error is used directly and not through the log,
 * since the log itself may be what is broken.
 */
#include "base/assert.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void assert_failed(const char *file, int line, const char *condition)
{
	fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
	abort();
}
