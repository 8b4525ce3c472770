/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * One measured operation against one server and its floor, as rows of a scenario: a large edit, a large read,
 * or many small requests one after the other.
 */
#include "run.h"

struct operation {
	struct run *run;
	const struct server *server;
	struct client *client;
	enum run_transport transport; /* of the client */
	const char *scenario;	      /* of the rows: a literal */
	uint64_t n;		      /* size, as in the rows */
	uint64_t items;		      /* that the operation touches: for the rate; 0: no rate */
	const char *rate;	      /* its metric, as "nodes a second" */
};

/* An edit against bulk + parse + sync. A refusal by the server fails (said). */
enum status operation_edit(const struct operation *operation, struct bytes document) MUST_USE;
/* A read, `rounds` times in turns with its floor. `reply`: the last one's; its counter is the caller's. */
enum status operation_read(const struct operation *operation, struct bytes request, unsigned rounds,
			   struct client_reply *reply) MUST_USE;

/* Appends request i to an empty buffer. */
typedef void operation_make_fn(struct buffer *out, uint64_t i, void *arg);

/* Requests 0 .. count - 1, in blocks that take turns with round trips of the same size. With `allows_errors`
 * a reply with an rpc-error is as good as another one. */
struct operation_small {
	operation_make_fn *make;
	void *arg;
	uint64_t count;
	bool allows_errors;
	bool commits; /* each of them, so that a sync is part of the floor */
};
enum status operation_small(const struct operation *operation, const struct operation_small *small) MUST_USE;
