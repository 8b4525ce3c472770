/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * One change for each kind of constraint and way to its readers, and the data that it is made in (module
 * yare-engine of bench/yang).
 */
#include "base/buffer.h"

#define CONSTRAINT_ROWS 17
#define CONSTRAINT_ROUND_NODES 31 /* in the data of one round */

struct constraint_row {
	const char *name;
	/* Contents of <config>; in them "#" stands for the number of a round, "@" for that of its group; the
	 * prefix nc is not declared. */
	const char *edit;
	const char *undo; /* NULL: the edit is refused */
};

extern const struct constraint_row constraint_rows[CONSTRAINT_ROWS];

/* Appends with the numbers filled in. */
void constraint_rows_put(struct buffer *out, const char *form, unsigned number);
/* Appends the data of rounds 0 .. rounds - 1. */
void constraint_rows_data(struct buffer *out, unsigned rounds);
