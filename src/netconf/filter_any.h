/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Subtree filters in the content of anydata and anyxml (RFC 6241 section 6), where no schema says what is
 * there: elements are compared by namespace and name, texts as they are without blanks around, attributes by
 * namespace, name and value.
 */
#include "codec/element.h"
#include "tree/any.h"

struct filter_any;

enum filter_any_part {
	FILTER_ANY_NOTHING,
	FILTER_ANY_PART,
	FILTER_ANY_WHOLE,
};

/* What the filter's element says of the content of the node that it names; copied into the arena. */
struct filter_any *netconf__filter_any_new(struct arena *arena, const struct element *element);
/* What all of the filters together select of the content; with FILTER_ANY_PART *part is that (a reference).
 * Content of more than `most` bytes, and such that a filter takes too much work on, is selected whole. Cost:
 * O(content). */
enum filter_any_part netconf__filter_any_select(const struct filter_any *const *filters, size_t count,
						const struct tree_any *any, size_t most,
						struct tree_any **part);
