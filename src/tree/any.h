/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The content of an anydata or anyxml node: a namespace-complete XML fragment (it declares every prefix that
 * it uses), shared, immutable. */
#include <stdbool.h>
#include "base/text.h"

struct tree_any {
	_Atomic uint32_t refs;
	struct text *xml; /* the inner XML, canonical as `codec` made it */
};

struct tree_any *tree_any_new(struct text *xml); /* Takes the text */
struct tree_any *tree_any_ref(struct tree_any *any);
void tree_any_unref(struct tree_any *any);
bool tree_any_equal(const struct tree_any *a, const struct tree_any *b); /* the same bytes */
