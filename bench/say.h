/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What the person at the terminal is told; results go elsewhere (report.h). */
#include "base/status.h"

/* A line "yare-bench: ..." to standard error. */
void say(const char *format, ...) PRINTF_LIKE(1, 2);
/* The same, and ST_IO, so that a failure of the world is one line where it is found. */
enum status say_failed(const char *format, ...) PRINTF_LIKE(1, 2) MUST_USE;
/* One line that the next one replaces; nothing where standard error is no terminal. "" clears it. */
void say_progress(const char *format, ...) PRINTF_LIKE(1, 2);
