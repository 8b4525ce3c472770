/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * A whole server in the process, without sockets: schema, store, job threads and sessions, driven by one
 * thread as a worker would.
 *
 *     harness_init(&h, &(struct harness_options){0});
 *     struct peer *peer = harness_connect(&h);
 *     peer_hello(peer, true);
 *     char *reply = peer_call(peer, "<get/>");
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "journal/journal.h"
#include "netconf/framing.h"
#include "netconf/session.h"

#define HELLO_1_0                                                                                            \
	"<hello xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\"><capabilities><capability>"                \
	"urn:ietf:params:netconf:base:1.0</capability></capabilities></hello>"
#define HELLO_1_1                                                                                            \
	"<hello xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\"><capabilities><capability>"                \
	"urn:ietf:params:netconf:base:1.1</capability></capabilities></hello>"

struct harness_options {
	bool perf_test; /* the module of shared/yang/perf-test instead of tests/scenario's */
	bool standard; /* tests/scenario's with those that the server implements itself, and more of their own
			*/
	bool startup;  /* a startup datastore */
	const struct netconf_limits *limits; /* NULL: the defaults */
	struct journal *journal;	     /* with durability full; NULL: none */
	bool tells_others; /* sessions are told that no other worker is at work, so that jobs may help */
};

struct harness {
	struct schema *schema;
	struct check_plan *plan;
	struct tree_reclaimer *reclaimer;
	struct store *store;
	struct os_pool *pool;
	struct netconf_server *server;
	bool startup, tells_others;
	struct peer *peers;
	pthread_mutex_t lock;
	pthread_cond_t woken;
	_Atomic unsigned asked; /* how often sessions asked who else is at work */
	unsigned wakes;		/* since the last turn; under `lock` */
};

/* One session and its client. */
struct peer {
	struct peer *next;
	struct harness *harness;
	struct netconf_session *session; /* NULL: closed by the server, or dropped */
	uint32_t id;
	struct buffer to_server, from_server;
	struct framing replies;
	struct buffer message;		  /* the present one, incomplete */
	bool chunked;			  /* how we write */
	bool deaf;			  /* takes no output */
	bool ending;			  /* the end of input is to be told when to_server is empty */
	unsigned ids;			  /* message-ids used */
	size_t output_slice, input_slice; /* bytes a call; 0: any */
};

/* False where the shared module is not there. */
bool harness_init(struct harness *harness, const struct harness_options *options);
void harness_fini(struct harness *harness);
/* Another worker of the same server, for another thread; end it before the first one. */
void harness_worker_init(struct harness *worker, const struct harness *harness);
void harness_worker_fini(struct harness *worker);
/* Directory of tests/scenario, and of the shared perf-test module. */
const char *harness_scenario_dir(void);
/* Runs all sessions until nothing is left to do but what other threads must finish; waits for a wake up to
 * `wait_ms` where nothing at all could be done. True where something was done. */
bool harness_turn(struct harness *harness, unsigned wait_ms);

struct peer *harness_connect(struct harness *harness); /* NULL: refused */
void peer_drop(struct peer *peer); /* frees the session; the peer stays until harness_fini */
void peer_send_bytes(struct peer *peer, struct bytes bytes);
void peer_send(struct peer *peer, const char *message);	      /* framed */
void peer_send_rpc(struct peer *peer, const char *operation); /* in an rpc with the next message-id */
/* The next message, terminated, on the heap; NULL: the session was closed, or nothing came for 10 s. */
char *peer_receive(struct peer *peer);
char *peer_call(struct peer *peer, const char *operation);
void peer_hello(struct peer *peer, bool base_1_1); /* both ways */
/* Calls and checks that the reply contains the text. */
void peer_expect(struct peer *peer, const char *operation, const char *text);
/* True where the server closes the session within 10 s. */
bool peer_is_closed(struct peer *peer);
