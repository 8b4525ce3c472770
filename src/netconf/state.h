/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * State data: what the server says of itself in reply to <get> (RFC 6022, 8525), and what the hello says.
 *
 * Most of it never changes while a schema is loaded: that is built once, as a tree, and shared by all
 * replies. What does change (sessions, locks, counters) is added when a reply needs it.
 */
#include "base/vector.h"
#include "netconf/filter.h"
#include "netconf/state_files.h"
#include "tree/record.h"

struct netconf_server;

struct netconf_state {
	struct schema *schema;	    /* borrowed */
	struct arena *arena;	    /* capabilities, content_id, texts of files */
	const char *content_id;	    /* of the YANG library; also its module-set-id */
	struct vector capabilities; /* const char * */
	struct vector files;	    /* struct netconf_file */
	struct tree_record *root;   /* the unchanging part: children of the datastore's root */
	/* The subtrees; NULL where the schema has not the module. */
	const struct schema_node *library, *modules, *monitoring, *constraints, *history;
	bool has_startup;  /* the datastore */
	uint64_t start_ns; /* wall clock */
};

struct netconf_state_options {
	enum codec_defaults basic_defaults;
	bool has_urls;		/* :url is there */
	bool hello_all_modules; /* modules of YANG 1.1 are listed as well */
	bool has_startup;	/* the datastore */
};

/* Borrows the schema. */
struct netconf_state *netconf__state_new(struct schema *schema, const struct netconf_state_options *options);
void netconf__state_free(struct netconf_state *state);
/* Whether the filter (NULL: none) can select any of it. Cost: that of looking at its top nodes. */
bool netconf__state_is_wanted(const struct netconf_state *state, const struct netconf_filter *filter);
/* A root with the running's content and of the state what the filter can select; one reference. Cost:
 * O(top-level nodes), and O(sessions), O(versions) where these are among it. `arena` for scratch. */
const struct tree_record *netconf__state_graft(struct netconf_server *server,
					       const struct tree_record *running,
					       const struct netconf_filter *filter, struct arena *arena);

/* Whether that is more than a worker should do itself. */
bool netconf__state_is_work(struct netconf_server *server, const struct netconf_filter *filter);

/* state_library.c: a stable hash over names, revisions, features, deviations and texts of all modules. */
const char *netconf__library_content_id(const struct schema *schema, struct arena *arena);
/* The trees of RFC 8525 and of RFC 7895. Takes the reference of `root` and gives one. */
struct tree_record *netconf__library_build(const struct netconf_state *state, struct tree_record *root);
/* state_monitoring.c: what does not change of netconf-state. Takes and gives a reference. */
struct tree_record *netconf__monitoring_build(const struct netconf_state *state, struct tree_record *root);
/* The rest of it. Takes and gives a reference. */
struct tree_record *netconf__monitoring_complete(struct netconf_server *server, struct tree_record *root,
						 struct arena *arena);
/* state_constraints.c: what was evaluated how often. Takes and gives a reference. */
struct tree_record *netconf__constraints_complete(struct netconf_server *server, struct tree_record *root,
						  struct arena *arena);
/* state_history.c: adds the history (yare-history). Takes and gives a reference. */
struct tree_record *netconf__history_complete(struct netconf_server *server, struct tree_record *root,
					      struct arena *arena);
