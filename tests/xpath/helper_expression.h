/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Random XPath expressions and documents over one module, for comparisons with another evaluator. The same
 * seed gives the same texts.
 */
#include <stddef.h>
#include <stdint.h>

#define EXPRESSION_SIZE ((size_t)4096) /* bytes; longer ones are cut: look at `full` */

struct expression_random {
	uint64_t state; /* never 0 */
};

/* 0 .. count - 1. */
unsigned expression_pick(struct expression_random *random, unsigned count);

/* The module "m" of the expressions and documents (prefix m). */
extern const char expression_module[];

struct expression {
	struct expression_random *random;
	char text[EXPRESSION_SIZE];
	size_t size;
	int full; /* the text did not fit */
};

/* Fills `text` with an expression of any type, or (half of the time) a path; calls, operators and predicates
 * nest at most `depth` deep. */
void expression_make(struct expression *expression, int depth);
/* The lines of a random document, for fixture_tree; to be freed. */
char *expression_document(struct expression_random *random);
