/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Searches of filters: indexes of large lists by the values of leafs that are no keys, made when a filter
 * asks for one and kept for the next. They belong to no version and no commit knows of them; each is moved to
 * the version that is asked for.
 *
 *     struct store_search *search = store_search_new(&limits, reclaimer);
 *     struct xpath_env env = {..., .search = store_search_xpath(search)};
 *
 * Any thread. An index holds the list as it was last asked for until it is asked again or goes.
 */
#include "xpath/xpath.h"

struct tree_reclaimer;
struct store_search;

struct store_search_limits {
	unsigned indexes; /* most that are kept, up to 256; 0: none is made */
	size_t memory;	  /* bytes of all of them */
	uint64_t entries; /* of a list, for it to have one */
};

struct store_search *store_search_new(const struct store_search_limits *limits,
				      struct tree_reclaimer *reclaimer);
void store_search_free(struct store_search *search); /* NULL is allowed */
/* Borrowed. */
struct xpath_search *store_search_xpath(struct store_search *search);

struct store_search_counters {
	uint64_t found;	 /* answers by an index as it was */
	uint64_t moved;	 /* by one that was moved to another version first */
	uint64_t made;	 /* by one that was made */
	uint64_t passed; /* questions without an answer */
	size_t indexes, memory;
};

void store_search_counters(struct store_search *search, struct store_search_counters *counters);
