/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Log lines. A line is put together on the stack and leaves with one write(2), which makes it whole among the
 * lines of other threads and processes as long as it is at most PIPE_BUF bytes; longer texts are cut and end
 * in
 * "...". Parts of a text may come from a client (a user name, a path), so control characters, those of C1 in
 * UTF-8 included, are written as \xNN: nobody forges a line or steers a terminal. A log that cannot be
 * written is not an error of the caller; errno is kept, so that logging between a call and its error is
 * harmless.
 */
#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LINE_MAX 4096 /* bytes, PIPE_BUF of Linux */
#define TAIL 4	      /* bytes kept for "..." and the line end */

static const char *const level_names[] = {"error", "warning", "info", "debug"};
#define LEVELS (sizeof(level_names) / sizeof(level_names[0]))

static _Atomic int max_level = LOG_LEVEL_INFO;

static size_t put_time(char line[LINE_MAX], enum log_level level)
{
	struct timespec now;
	struct tm tm;
	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &tm);
	size_t size = strftime(line, LINE_MAX, "%Y-%m-%dT%H:%M:%S", &tm);
	int more = snprintf(line + size, LINE_MAX - size, ".%03ldZ %s ", now.tv_nsec / 1000000,
			    level_names[level]);
	return size + (size_t)more;
}

/* Whether the byte after `previous` must not reach a terminal. */
static bool is_control(unsigned char previous, unsigned char byte)
{
	return byte < 0x20 || byte == 0x7f || (previous == 0xc2 && byte >= 0x80 && byte <= 0x9f);
}

/* Appends the text, escaped. Gives the new size of the line, which always leaves TAIL bytes. */
static size_t put_text(char line[LINE_MAX], size_t size, const char *text)
{
	static const char hex[] = "0123456789abcdef";
	unsigned char previous = 0;
	for (; *text; text++) {
		unsigned char byte = (unsigned char)*text;
		bool escape = is_control(previous, byte);
		if (size + (escape ? 4 : 1) > LINE_MAX - TAIL) {
			memcpy(line + size, "...", 3);
			return size + 3;
		}
		if (escape) {
			memcpy(line + size, (char[]){'\\', 'x', hex[byte >> 4], hex[byte & 15]}, 4);
			size += 4;
		} else {
			line[size++] = (char)byte;
		}
		previous = byte;
	}
	return size;
}

void log_set_level(enum log_level level)
{
	atomic_store_explicit(&max_level, (int)level, memory_order_relaxed);
}

bool log_enabled(enum log_level level)
{
	return (int)level <= atomic_load_explicit(&max_level, memory_order_relaxed);
}

enum status log_level_parse(const char *name, enum log_level *level)
{
	for (size_t i = 0; i < LEVELS; i++) {
		if (strcmp(name, level_names[i]) == 0) {
			*level = (enum log_level)i;
			return ST_OK;
		}
	}
	return ST_REJECTED;
}

void log_write(enum log_level level, const char *format, ...)
{
	if (!log_enabled(level))
		return;
	int saved = errno;
	char text[LINE_MAX], line[LINE_MAX];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	size_t size = put_text(line, put_time(line, level), text);
	line[size++] = '\n';
	ssize_t ignored = write(STDERR_FILENO, line, size);
	(void)ignored;
	errno = saved;
}
