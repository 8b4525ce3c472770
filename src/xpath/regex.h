/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Regular expressions of XML Schema (part 2, appendix F), matched by PCRE2: the whole string must match.
 * Immutable once compiled; any number of threads may match.
 */
#include "base/arena.h"
#include "base/status.h"

struct xpath_regex;

/* In the arena. Fails: ST_REJECTED (wrong, or uses what is not supported: class subtraction, most Unicode
 * blocks); then *message says why, in the arena or static. */
enum status xpath__regex_compile(struct bytes pattern, struct arena *arena, const struct xpath_regex **regex,
				 const char **message) MUST_USE;
/* Fails: ST_LIMIT: more than `most` backtracking points (about 10 ns each). */
enum status xpath__regex_match(const struct xpath_regex *regex, struct bytes text, uint32_t most,
			       bool *matches) MUST_USE;
