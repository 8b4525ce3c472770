/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What commands print: texts that come from data must not reach a terminal, or JSON, as they are. */
#include <stdint.h>
#include <stdio.h>
#include "base/bytes.h"

/* In double quotes, with the escapes of JSON; bytes that are not UTF-8 as U+FFFD. */
void print_quoted(FILE *out, struct bytes text);
/* The same without quotes, and with none of " and \ escaped: for people. */
void print_plain(FILE *out, struct bytes text);
#define PRINT_TIME_SIZE 40 /* bytes, the end included */
/* "2026-11-30T13:45:39.123456789Z" (RFC 3339). */
const char *print_time(uint64_t time_ns, char text[PRINT_TIME_SIZE]);
