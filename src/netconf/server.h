/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * What the sessions of one server share: schema, store, job threads, limits, the table of sessions,
 * statistics.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "codec/view.h"
#include "os/folder.h"
#include "os/pool.h"
#include "schema/schema.h"
#include "store/search.h"
#include "store/store.h"

struct netconf_limits {
	size_t request_size;  /* bytes of one message; 1 GiB */
	unsigned depth;	      /* XML elements; 256 */
	size_t value_size;    /* bytes of one value, or of one attribute's; 16 MiB, at most TEXT_SIZE_MAX */
	unsigned attributes;  /* of one element, and its declarations of namespaces; 256 */
	size_t envelope_size; /* bytes of the attributes and declarations of <rpc>, which come back; 64 KiB */
	size_t hello_size;    /* bytes of a client's hello; 256 KiB */
	size_t in_flight;     /* bytes of all requests being read or run, together; 2 GiB */
	size_t inline_size;   /* requests below this run on their worker; 64 KiB */
	size_t ahead_size; /* edits from this on are prepared while they arrive (ahead.h); 0: none; 256 KiB */
	size_t output_high; /* bytes of produced and not yet taken output at which producing stops; 256 KiB */
	size_t reply_ahead; /* bytes of a large reply that jobs make ahead of the client; 0: none; 384 KiB */
	unsigned sessions;  /* 1,024 */
	unsigned errors;    /* rpc-errors of one reply; 32 */
	uint64_t hello_timeout_ms; /* 0: none; default 60,000 */
	uint64_t idle_timeout_ms;  /* 0: none; default 0 (no rpc for so long; locks keep it from no one) */
	uint64_t stall_timeout_ms; /* a client that takes none of its output for so long is dropped; 60,000 */
	/* A session that ends over a message that it cannot read reads on, and throws away, for so long and
	 * so many bytes, so that its client comes to read why. 10,000 (0: closes at once), 256 MiB */
	uint64_t linger_ms;
	size_t linger_size;
	/* XPath filters, each: nodes visited, nodes selected, bytes to evaluate it (to answer by it takes up
	 * to 1.8 times that again). 50,000,000, 100,000, 5 MiB */
	uint64_t filter_steps, filter_nodes;
	uint64_t filter_time_ms; /* of the thread that evaluates; 0: no limit */
	size_t filter_memory;
	/* Subtree filters: alternatives without all keys of their list, which each instance is held against
	 * (64); elements, times the nodes that each may name (65,536) */
	unsigned filter_alternatives, filter_elements;
	size_t filter_any; /* bytes of anydata that they look into, else it is selected whole; 1 MiB */
	struct store_search_limits search; /* 8 indexes, 64 MiB, lists from 1,000 entries on */
	size_t parameters; /* bytes of memory of an operation's parameters, filters among them; 8 MiB */
	unsigned pipeline; /* requests of a session that are read and not answered; 64 */
	size_t cores;	   /* No limit: processors that this process may use */
	/* No limit: the hello lists modules of YANG 1.1 as well, for clients that read no YANG library; false
	 */
	bool hello_all_modules;
	/* No limit: the basic mode of RFC 6243; explicit (the default), report-all or trim */
	enum codec_defaults basic_defaults;
	/* No limit: where files of the :url capability are; borrowed. NULL: it is not there. */
	struct os_folder *url_folder;
	/* No limit: the factory-default datastore (RFC 8808); borrowed. NULL: there is none. */
	const struct tree_record *factory_root;
	/* No limit: users who may do what takes something away from others (kill-session, delete-config);
	 * borrowed. */
	const char *const *admins;
	size_t admin_count;
};

void netconf_limits_default(struct netconf_limits *limits);

struct netconf_server;

/* Borrows store, schema and pool. */
struct netconf_server *netconf_server_new(struct schema *schema, struct store *store,
					  struct tree_reclaimer *reclaimer, struct os_pool *pool,
					  const struct netconf_limits *limits);
/* No session may be left. */
void netconf_server_free(struct netconf_server *server);
/* From now on sessions answer what is in flight and then close; new ones are closed at once. Any thread. */
void netconf_server_shutdown(struct netconf_server *server);
/* Before a thread that runs sessions waits: makes the sync that they left, or gives for how many ns to wait
 * first; as store_sync_at_rest. netconf_server_rests: there is none. */
bool netconf_server_rests(struct netconf_server *server);
/* The thread waits next, and there is none: store_tidy. */
void netconf_server_tidy(struct netconf_server *server);
void netconf_server_leave(
	struct netconf_server *server); /* the thread ends: what they left is made elsewhere */
uint64_t netconf_server_rest(struct netconf_server *server, enum store_company company);
size_t netconf_server_session_count(struct netconf_server *server);

/* The statistics of RFC 6022 3.2, since the server's start (a session's: since its own). */
struct netconf_counters {
	uint64_t in_bad_hellos;	   /* sessions ended for a hello that was wrong or never came */
	uint64_t in_sessions;	   /* sessions started, those of in_bad_hellos included */
	uint64_t dropped_sessions; /* ended by something else than close-session */
	uint64_t in_rpcs;	   /* correct rpc messages */
	uint64_t in_bad_rpcs;	   /* messages that were expected to be an rpc and were not a correct one */
	uint64_t out_rpc_errors;   /* replies with an rpc-error */
	uint64_t out_notifications;
};

/* Any thread; the numbers are each right, not all of one moment. */
void netconf_server_counters(struct netconf_server *server, struct netconf_counters *counters);
