/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Text -> AST: syntax only; names stay text. */
#include "xpath/ast.h"

/* Fails: ST_REJECTED with *error filled. The AST borrows `text`. */
enum status xpath__parse(struct bytes text, struct arena *arena, struct xpath_error *error,
			 struct xpath_node **root) MUST_USE;
/* Writes the message (formatted) and the offset; returns ST_REJECTED. */
enum status xpath__error_set(struct xpath_error *error, size_t offset, const char *format, ...)
	PRINTF_LIKE(3, 4);
