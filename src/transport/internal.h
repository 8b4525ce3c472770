/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * What the files of this folder share: the insides of a worker, the two base structures (a connection, which
 * a worker lists and can end; a service, which is all that the connections of one listener have in common),
 * and listeners.
 *
 *     listener (first worker) --accept--> worker in turn --service->start--> connection --> pipe --> netconf
 * session
 */
#include <pthread.h>
#include <stdatomic.h>
#include "os/socket.h"
#include "transport/transport.h"

#define TRANSPORT_TURN_SIZE ((size_t)64 * 1024) /* bytes that one session may move in a turn, each way */
#define NS_PER_MS ((uint64_t)1000000)

/* Embedded in each kind of connection; belongs to its worker's thread. */
struct transport_connection {
	struct transport_worker *worker;
	struct transport_connection *next, *previous;
	/* The server ends: closes what has nothing to say any more, now or when it has said it. May free. */
	void (*stop)(struct transport_connection *connection);
	/* Closes and frees at once. */
	void (*drop)(struct transport_connection *connection);
};

struct transport_worker {
	struct transport_workers *workers;
	struct os_loop *loop;
	pthread_t thread;
	size_t index;
	struct transport_connection *first;
	char *scratch; /* TRANSPORT_TURN_SIZE bytes, for whoever has the turn */
	struct os_loop_rest rest;
	struct netconf_server *server; /* of its sessions; NULL: there was none yet */
	_Atomic uint64_t commit_ns;    /* when one of them committed last, monotonic */
	bool stopping;
	struct os_timer grace;
	uint64_t grace_end_ns;
};

struct transport_workers {
	size_t count;
	size_t turn; /* the first worker's: who gets the next connection */
	struct transport_worker workers[];
};

void transport__connection_add(struct transport_connection *connection, struct transport_worker *worker);
/* Ends the worker where it is stopping and this was its last one. */
void transport__connection_remove(struct transport_connection *connection);

/* Runs `run(arg)` on the worker's thread and waits for it. Not from a worker. */
void transport__worker_call(struct transport_worker *worker, void (*run)(void *arg), void *arg);

/* How many other workers are at work. */
unsigned transport__worker_others(const struct transport_worker *worker);

/* A session of the worker has committed. */
void transport__worker_note_commit(struct transport_worker *worker);

/* Shared by a listener and its connections, on all workers. */
struct transport_service {
	_Atomic uint32_t refs;
	struct netconf_server *server;
	/* A new connection, on the worker's thread. Takes the fd. */
	void (*start)(struct transport_service *service, struct transport_worker *worker, int fd,
		      const char peer[OS_ADDRESS_SIZE]);
	/* NULL, or: false to refuse one before it costs anything. On the first worker. */
	bool (*admit)(struct transport_service *service, const char peer[OS_ADDRESS_SIZE]);
	void (*free)(struct transport_service *service);
};

struct transport_service *transport__service_ref(struct transport_service *service);
void transport__service_unref(struct transport_service *service);

/* Accepts on `fd`. Takes the fd, the service's reference and `path` (a file to remove at the end; may be
 * NULL). */
enum status transport__listener_new(struct transport_workers *workers, struct transport_service *service,
				    int fd, char *path, struct transport_listener **listener) MUST_USE;

/* At most one line a second: true where this one may be written. */
struct transport_log_gate {
	_Atomic uint64_t next_ns;
};
bool transport__log_gate(struct transport_log_gate *gate);
