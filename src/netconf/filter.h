/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Filters of reads: subtree filters (RFC 6241 section 6) and XPath filters (8.9), compiled against the schema
 * and then asked by the encoder which nodes to write. An XPath filter has to be evaluated on the root first.
 *
 *     netconf__filter_new(schema, element, &limits, arena, &filter);
 *     netconf__filter_evaluate(filter, root, &view, &limits);
 *     encoder = xml_encoder_new(schema, root, netconf__filter_selector(filter), reclaimer);
 */
#include "codec/element.h"
#include "codec/xml_encoder.h"
#include "codec/view.h"
#include "store/store.h"

struct xpath_search;

struct netconf__filter_limits {
	uint64_t steps, nodes;		   /* XPath */
	size_t memory;			   /* bytes; XPath */
	unsigned alternatives, elements;   /* subtree */
	size_t any;			   /* bytes of anydata that is looked into; subtree */
	struct xpath_search *search;	   /* no limit; XPath; NULL: there is none */
	uint64_t time_ms;		   /* of the thread; XPath; 0: no limit */
	struct xpath_interrupt *interrupt; /* NULL: nobody */
};

struct netconf_filter {
	struct codec_selector selector;
	const struct codec_view *view; /* `seen`; NULL: as explicit */
	struct codec_view seen;	       /* what content matches see: the view without what it hides */
	bool looks_ahead;	       /* for who judges without a walk, which knows what CODEC_TRY is */
	bool is_empty;		       /* nothing of this schema can be selected */
	/* NULL: there is nothing to do. */
	enum status (*evaluate)(struct netconf_filter *self, const struct tree_record *root,
				const struct netconf__filter_limits *limits);
	/* Finds which entries can be selected at all, on a root of the same configuration as the one that the
	 * encoder will read. NULL: there is nothing to search for. Fails: ST_BUSY, with STORE_NO_WAIT: call
	 * it from a job. */
	enum status (*search)(struct netconf_filter *self, const struct tree_record *root,
			      struct xpath_search *search, enum store_wait wait);
	/* Whether anything below a top-level node can be selected, or is read in order to know. */
	bool (*reads_top)(const struct netconf_filter *self, const struct schema_node *node);
	bool selects_all; /* after the evaluation: the root, so that nothing is left to judge */
	/* Which limit was reached. */
	const char *limit;
	/* The evaluation is more than some lookups. */
	bool is_work;
	void (*free)(struct netconf_filter *self);
};

/* Compiles the content of <filter>, which is not needed afterwards. The result is in the request's arena, and
 * is to be freed before that, for what is not. Fails: ST_LIMIT, more alternatives or elements than the limits
 * allow. */
enum status netconf__filter_new(const struct schema *schema, const struct element *filter,
				const struct netconf__filter_limits *limits, struct arena *arena,
				struct netconf_filter **compiled) MUST_USE;
void netconf__filter_free(struct netconf_filter *filter); /* NULL is allowed */
/* On the root that the encoder will read, in the view that it will present (borrowed; NULL: as explicit).
 * Fails: ST_LIMIT; ST_REJECTED, an XPath filter whose value is no node-set. */
enum status netconf__filter_evaluate(struct netconf_filter *filter, const struct tree_record *root,
				     const struct codec_view *view,
				     const struct netconf__filter_limits *limits) MUST_USE;
/* True where nothing of this schema can be selected: the reply is empty. */
bool netconf__filter_is_empty(const struct netconf_filter *filter);
bool netconf__filter_reads_top(const struct netconf_filter *filter, const struct schema_node *node);
/* Borrowed. */
const struct codec_selector *netconf__filter_selector(const struct netconf_filter *filter);
