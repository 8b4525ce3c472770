/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Printing what somebody else wrote: values, names of users, comments. Control characters could drive a
 * terminal, those of C1 too, and journals may be damaged, so nothing but whole UTF-8 characters is passed
 * through.
 */
#include "tool/print.h"
#include <inttypes.h>
#include <stdbool.h>
#include <time.h>

/* Bytes of the character that begins there; 0: none does. */
static size_t character_size(struct bytes text, size_t at)
{
	unsigned char first = (unsigned char)text.data[at];
	size_t size = first < 0x80   ? 1
		      : first < 0xc2 ? 0
		      : first < 0xe0 ? 2
		      : first < 0xf0 ? 3
		      : first < 0xf5 ? 4
				     : 0;
	if (size > text.size - at)
		return 0;
	for (size_t i = 1; i < size; i++) {
		if (((unsigned char)text.data[at + i] & 0xc0) != 0x80)
			return 0;
	}
	unsigned char second = size > 2 ? (unsigned char)text.data[at + 1] : 0xa0;
	bool is_overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
	bool is_no_character = (first == 0xed && second > 0x9f) || (first == 0xf4 && second > 0x8f);
	return is_overlong || is_no_character ? 0 : size;
}

static void print_character(FILE *out, const char *at, size_t size, bool is_quoted)
{
	unsigned char first = (unsigned char)at[0];
	bool is_c1 = size == 2 && first == 0xc2 && (unsigned char)at[1] < 0xa0;
	if (size == 0)
		fputs("\xef\xbf\xbd", out);
	else if (size == 1 && first == '\n')
		fputs("\\n", out);
	else if (size == 1 && first == '\t')
		fputs("\\t", out);
	else if (size == 1 && (first < 0x20 || first == 0x7f))
		fprintf(out, "\\u%04x", first);
	else if (is_c1)
		fprintf(out, "\\u%04x", (unsigned char)at[1]);
	else if (size == 1 && is_quoted && (first == '"' || first == '\\'))
		fprintf(out, "\\%c", first);
	else
		fwrite(at, 1, size, out);
}

static void print_text(FILE *out, struct bytes text, bool is_quoted)
{
	for (size_t at = 0; at < text.size;) {
		size_t size = character_size(text, at);
		print_character(out, text.data + at, size, is_quoted);
		at += size > 0 ? size : 1;
	}
}

void print_quoted(FILE *out, struct bytes text)
{
	fputc('"', out);
	print_text(out, text, true);
	fputc('"', out);
}

void print_plain(FILE *out, struct bytes text)
{
	print_text(out, text, false);
}

const char *print_time(uint64_t time_ns, char text[PRINT_TIME_SIZE])
{
	time_t seconds = (time_t)(time_ns / 1000000000);
	struct tm parts;
	gmtime_r(&seconds, &parts);
	size_t size = strftime(text, PRINT_TIME_SIZE, "%Y-%m-%dT%H:%M:%S", &parts);
	snprintf(text + size, PRINT_TIME_SIZE - size, ".%09" PRIu64 "Z", time_ns % 1000000000);
	return text;
}
