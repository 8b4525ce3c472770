/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * A pipe moves bytes between a client and a netconf session: what UNIX sockets and SSH channels have in
 * common. Its owner says by a table of functions how bytes come and go, and gives it turns:
 *
 *     pipe = transport__pipe_new(worker, &ops, owner);
 *     if (transport__pipe_open(pipe, server, &who) != ST_OK) ...         // the server takes no session now
 *     transport__pipe_run(pipe);              // whenever bytes may move: socket ready, and when ops->turn is
 * called state = transport__pipe_state(pipe);    // what to wait for
 *
 * The pipe calls ops->turn, on the worker's thread and never inside of another call, when the session has
 * become ready to move bytes; the owner then does what it does when its socket is ready.
 */
#include "netconf/session.h"
#include "transport/internal.h"

enum {
	TRANSPORT_NONE = 0,    /* no bytes now */
	TRANSPORT_END = -1,    /* none will come any more */
	TRANSPORT_BROKEN = -2, /* the client is gone */
};

struct transport_pipe_ops {
	/* Bytes from the client into `data`: how many, or one of the above. Never called after TRANSPORT_END.
	 */
	long (*read)(void *owner, char *data, size_t size);
	/* How many bytes the client's side would take now; 0: it blocks. */
	size_t (*room)(void *owner);
	/* How many bytes were taken, or TRANSPORT_BROKEN. */
	long (*write)(void *owner, const char *data, size_t size);
	/* Tells the client that no more comes; it may still be read from. Once, after all was written. */
	void (*shut)(void *owner);
	void (*turn)(void *owner);
};

enum transport_pipe_state {
	TRANSPORT_PIPE_READ = 1,   /* would take bytes of the client */
	TRANSPORT_PIPE_WRITE = 2,  /* has bytes for the client */
	TRANSPORT_PIPE_OVER = 4,   /* the session is over and all was sent: close */
	TRANSPORT_PIPE_BROKEN = 8, /* the client is gone, or does not take what is left: drop */
};

struct transport_pipe_peer {
	const char *user, *address;
	const char *transport; /* static */
};

struct transport_pipe;

struct transport_pipe *transport__pipe_new(struct transport_worker *worker,
					   const struct transport_pipe_ops *ops, void *owner);
/* Begins the session. Fails: ST_BUSY (too many sessions, or the server ends). */
enum status transport__pipe_open(struct transport_pipe *pipe, struct netconf_server *server,
				 const struct transport_pipe_peer *peer) MUST_USE;
/* Ends the session. NULL is allowed. Needs: not inside of transport__pipe_run. */
void transport__pipe_free(struct transport_pipe *pipe);

/* One turn: at most TRANSPORT_TURN_SIZE bytes each way, or about 1 ms. Asks for another one itself where
 * needed. */
void transport__pipe_run(struct transport_pipe *pipe);
unsigned transport__pipe_state(const struct transport_pipe *pipe); /* enum transport_pipe_state, or-ed */
/* Whether the client has said that it sends no more. */
bool transport__pipe_input_ended(const struct transport_pipe *pipe);
