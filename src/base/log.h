/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * The log: one line a call to standard error, "2026-01-31T12:00:00.123Z level text", written with one
 * write(2) so that lines of threads do not mix. Control characters of the text are escaped. This is the
 * only module besides `server` with writable file-scope state (the level).
 */
#include <stdbool.h>
#include "base/status.h"

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARNING, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

void log_set_level(enum log_level level);
bool log_enabled(enum log_level level);
/* Parses "error", "warning", "info", "debug"; ST_REJECTED for anything else. */
enum status log_level_parse(const char *name, enum log_level *level) MUST_USE;
void log_write(enum log_level level, const char *format, ...) PRINTF_LIKE(2, 3);

#define log_error(...) log_write(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warning(...) log_write(LOG_LEVEL_WARNING, __VA_ARGS__)
#define log_info(...) log_write(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...) (log_enabled(LOG_LEVEL_DEBUG) ? log_write(LOG_LEVEL_DEBUG, __VA_ARGS__) : (void)0)
