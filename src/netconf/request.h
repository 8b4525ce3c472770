/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * A request: one <rpc> from its first byte to the last byte of its reply. It is a slot of its session's
 * queue; replies are given in the order of the queue, requests are executed in that order.
 *
 *             message complete          large, or the lock is held
 *     READING ---------------> QUEUED -----------------------------> RUNNING
 *                               | |                                     |
 *           refused, or nothing | | executed here,                      | executed
 *           to wait for         | | the disk is behind                  v
 *                               | +---------------------------------> WAITING
 *                               v                                       |
 *                            ANSWERED <---------------------------------+ version published
 *
 *  state     who owns the request        what is known
 *  READING   worker (message.c)          the parts that have arrived
 *  QUEUED    worker                      operation, parameters, edit tree; diags where something is wrong
 *  RUNNING   a job thread                -
 *  WAITING   the sync thread, a victim   it was executed, the answer may not be given yet
 *  ANSWERED  worker                      the outcome: diags, or root to read, or ok
 *
 * Only the owner touches anything but refs and state; its change and the reading of it
 * are what hands the rest over.
 */
#include <stdatomic.h>

#include "base/arena.h"
#include "base/diag.h"
#include "codec/edit_decoder.h"
#include "codec/element.h"
#include "codec/xml_encoder.h"
#include "netconf/sessions.h"
#include "os/pool.h"
#include "store/confirmed.h"
#include "store/store.h"

/* An edit tree may take so many times limits.request_size. */
#define NETCONF_EDIT_MEMORY_FACTOR 4

#define NETCONF_NS "urn:ietf:params:xml:ns:netconf:base:1.0"

enum netconf_request_state {
	REQUEST_READING,
	REQUEST_QUEUED,
	REQUEST_RUNNING,
	REQUEST_WAITING,
	REQUEST_ANSWERED
};

/* A version of the history, by its number or by its label (version_info.h). */
struct netconf__version_name {
	uint64_t id;	   /* 0: by label */
	const char *label; /* NULL: by id */
};

/* test-option of edit-config (RFC 6241 7.2). On running constraints hold in any case. */
enum netconf_test {
	TEST_DEFAULT, /* not given: on the candidate as SET (RFC 7950 8.3.3) */
	TEST_THEN_SET,
	TEST_SET,
	TEST_ONLY
};

struct comparison;
struct netconf_ahead;
struct netconf_producer;
struct netconf_txid_read;
struct netconf_filter;
struct netconf_operation;

/* The content of a reply that an operation makes itself, while the client takes it. */
struct netconf_stream {
	/* Appends until buffer_size(out) >= size or about `budget` nodes were visited; true at the end. */
	bool (*write)(struct netconf_stream *self, struct buffer *out, size_t size, size_t budget);
	void (*free)(struct netconf_stream *self);
};

struct netconf_request {
	struct netconf_request *next;	     /* in the session's queue, or among its spare ones */
	struct netconf_request *next_waiter; /* for the end of a session */
	_Atomic uint32_t refs;
	_Atomic uint32_t state; /* enum netconf_request_state */
	struct netconf_link *link;
	struct arena *arena; /* everything below that is not counted */
	struct diag_list diags;
	size_t size;	   /* bytes of the message */
	size_t accounted;  /* of them in server->in_flight */
	bool ends_session; /* the session closes after the reply */
	bool no_reply;	   /* nothing is said to the peer (it is not one that would understand) */

	/* The envelope, for the reply: ` message-id="1" xmlns:x="..."`, and the prefix of the reply's
	 * elements where the client gave the default namespace another meaning. */
	struct bytes reply_attributes, reply_prefix;

	const struct netconf_operation *operation; /* NULL: not known (diags tell) */
	struct element *parameters;	/* the operation's element, without the content of <config> */
	struct edit_tree *edit;		/* edit-config: of <config> */
	struct netconf_ahead *ahead;	/* what is prepared of it (ahead.h); NULL: nothing is */
	enum store_datastore datastore; /* target or source */
	struct edit_options edit_options;
	const char *url,
		*target_url;   /* paths of files (url.h): the content, or copy-config's target; NULL: none */
	bool source_is_config; /* copy-config, validate: `edit` is the source */
	enum store_datastore source;   /* copy-config; validate has it in `datastore` */
	enum netconf_test test;	       /* edit-config */
	struct store_confirm confirm;  /* commit; cancel-commit has its persist_id */
	uint32_t victim_id;	       /* kill-session */
	struct comparison *comparison; /* compare: what is compared (op_compare.c) */
	uint32_t lock_id;	       /* partial-unlock */
	bool has_txids;		       /* attributes of transaction ids are somewhere below <rpc> */
	struct netconf_txid_read
		*txid_read; /* of a read: the ids that it asks for (txid_read.c); NULL: none */
	bool wants_etag, wants_last_modified; /* with-etag, with-last-modified */
	const char *etag, *last_modified;     /* of <ok>; NULL: none */
	const struct element *filter_element; /* of a read; NULL: everything */
	bool filter_is_xpath;
	struct bytes filter_select;	 /* XPath: the expression */
	struct codec_view view;		 /* of a read */
	bool reads_state;		 /* beside the datastore's content */
	bool is_factory;		 /* get-data, validate: the datastore is factory-default */
	bool is_operational;		 /* get-data: the datastore is running with more */
	struct check_implicit *implicit; /* view.implicit is of it; NULL: none */

	/* Execution and outcome. */
	_Atomic bool quiet;	 /* the worker will look at the state itself: no wake */
	bool answered_elsewhere; /* who holds a reference will call netconf__request_answer */
	struct store_answer answer;
	struct store_waiter waiter;
	struct os_job job;
	struct os_pool *pool;		       /* that runs it as a job; NULL: the server's */
	const struct tree_record *root;	       /* to be read; a reference */
	const struct schema_node *root_schema; /* of `root`: NULL, data; else an operation's output */
	struct netconf_filter *filter;	       /* compiled filter_element */
	struct bytes text;		       /* get-schema: still to be written; borrowed of the schema */
	bool has_text;			       /* the reply is this text */
	struct bytes body; /* XML of an operation's own output: stands in place of <ok/>, before <data> */
	struct netconf__version_name version; /* yare-history: what the operation is about */
	uint64_t count;			      /* list-versions */
	bool with_data;			      /* show-version */
	const char *comment, *label;	      /* of the version that the operation makes; NULL: none */
	struct netconf_stream *stream;	      /* output that is made while the client takes it; NULL: none */
	struct xml_encoder *encoder;	      /* the reply in progress */
	bool reply_begun;
	bool is_counted;   /* in server->large_replies */
	size_t reply_size; /* bytes of it that its session has made */
	struct netconf_producer
		*producer; /* who makes the rest; NULL: the session; the worker's when ANSWERED */
};

/* What netconf knows of an operation. */
struct netconf_operation {
	const char *name;
	enum netconf_operation_kind {
		OPERATION_CHANGES, /* runs when all before it were executed */
		OPERATION_READS,   /* runs when all before it were answered; pins a root */
		OPERATION_CLOSES,  /* as a change; nothing after it is executed */
	} kind;
	const char *ns;	    /* NULL: the base namespace */
	const char *prefix; /* for paths, with `ns` */
	/* What the edit decoder reads of it while it arrives. */
	enum netconf_config_place {
		CONFIG_NOWHERE,
		CONFIG_PARAMETER, /* <edit-config><config> */
		CONFIG_IN_SOURCE, /* <copy-config><source><config> */
		CONFIG_IS_RPC,	  /* the operation itself, by its schema (op_invoke.c) */
		CONFIG_IS_ACTION, /* the content of <action> */
	} config;
	bool admins_only; /* RFC 8341 3.4.4: others are not told what is wrong with their parameters */
	/* Reads and checks the parameters when the message is complete. What is wrong is added to the
	 * request's diags. */
	void (*prepare)(struct netconf_request *request);
	/* Executes. Fails: ST_BUSY, only with STORE_NO_WAIT: nothing happened, call it again from a job; else
	 * as the diags tell. */
	enum status (*run)(struct netconf_request *request, enum store_wait wait);
};

struct netconf_request *netconf__request_new(struct netconf_link *link);
void netconf__request_unref(struct netconf_request *request);
/* Drops one reference; true where it was the last one: the request is as new then, in state READING, and the
 * caller's. */
bool netconf__request_recycle(struct netconf_request *request);
enum netconf_request_state netconf__request_state(const struct netconf_request *request);
void netconf__request_set_state(struct netconf_request *request, enum netconf_request_state state);
static inline bool netconf__request_refused(const struct netconf_request *request)
{
	return request->diags.first != NULL;
}
/* The schema node of request->root. */
static inline const struct schema_node *netconf__request_root_schema(const struct netconf_request *request)
{
	return request->root_schema != NULL ? request->root_schema : request->link->server->schema->root;
}
/* `prepare` of the operation, where the user may call that; else access-denied is added to the diags. */
void netconf__request_prepare(struct netconf_request *request);
/* Runs the operation and takes the request to WAITING or ANSWERED. Fails: ST_BUSY, with STORE_NO_WAIT. */
enum status netconf__request_execute(struct netconf_request *request, enum store_wait wait);
/* The same on a job thread. Takes the state to RUNNING and a reference for as long as it needs one. */
void netconf__request_submit(struct netconf_request *request);
/* From an operation's run: the answer comes when the session of `link` has ended. False where it has already.
 */
bool netconf__request_await_end(struct netconf_request *request, struct netconf_link *link, bool kill);
/* WAITING -> ANSWERED, and wakes the session. Any thread. */
void netconf__request_answer(struct netconf_request *request);

/* dispatch.c */
const char *netconf__operation_ns(const struct netconf_operation *operation);
/* Built-in ones come before those of the schema. NULL where there is no such operation. */
const struct netconf_operation *netconf__operation_find(const struct schema *schema, struct bytes ns,
							struct bytes name);
