/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines for the person at the terminal. Progress is a line that is written over, so every other line clears
 * it first; both are silent towards anything but a terminal. */
#include "say.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static void write_line(const char *format, va_list args)
{
	say_progress("%s", "");
	fputs("yare-bench: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
}

void say(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	write_line(format, args);
	va_end(args);
}

enum status say_failed(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	write_line(format, args);
	va_end(args);
	return ST_IO;
}

void say_progress(const char *format, ...)
{
	if (!isatty(STDERR_FILENO))
		return;
	va_list args;
	va_start(args, format);
	fputs("\r\033[K", stderr);
	vfprintf(stderr, format, args);
	va_end(args);
	fflush(stderr);
}
