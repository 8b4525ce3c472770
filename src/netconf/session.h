/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * One NETCONF session (RFC 6241), fed with bytes by a transport and giving bytes to it. It knows no sockets.
 *
 *     session = netconf_session_new(server, &peer);            // the server's hello is output at once
 *     netconf_session_input(session, data, size);              // takes what it can take now
 *     bytes = netconf_session_peek(session);                   // what the client should get next
 *     netconf_session_take(session, n);                        // so much of it was sent
 *
 * All calls come from one thread, the worker; only the session itself uses other threads (jobs, the sync
 * thread) and calls peer->wake from them (also from the worker's own calls) when netconf_session_peek or
 * _input is worth calling again. No call does more than about 64 KiB or 1 ms of work; netconf_session_wants
 * says what is open.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "netconf/server.h"

struct netconf_session;

struct netconf_peer {
	const char *user;	 /* authenticated name; copied */
	const char *address;	 /* "127.0.0.1:5555" or "unix"; copied */
	const char *transport;	 /* "ssh" or "unix"; static */
	void (*wake)(void *arg); /* any thread; must only post to the worker */
	/* How many other threads of the transport are at work. NULL: not known, then no thread is taken for
	 * what this one can do. */
	unsigned (*others_at_work)(void *arg);
	void *arg;
};

enum netconf_want {
	NETCONF_WANT_INPUT = 1,	 /* would take input now */
	NETCONF_WANT_OUTPUT = 2, /* has output to be taken */
	NETCONF_WANT_RUN =
		4, /* has more work to do now: call netconf_session_run after other sessions had their turn */
	NETCONF_WANT_SHUT =
		16, /* has nothing more to say, but reads on: tell the client that nothing comes */
	NETCONF_WANT_CLOSE =
		8, /* is over and all its output was taken: close the connection, free the session */
};

/* Gives a session, or NULL where the server is full or shutting down (close the connection). */
struct netconf_session *netconf_session_new(struct netconf_server *server, const struct netconf_peer *peer);
/* Also in mid-request. The session's running jobs end on their own. No wake is called after this returned.
 * Releases its locks. */
void netconf_session_free(struct netconf_session *session);

/* Takes up to `size` bytes, returns how many (0: not now; call again after wake). */
size_t netconf_session_input(struct netconf_session *session, const char *data, size_t size);
/* The peer will send no more: the session closes after what is in flight was answered. */
void netconf_session_input_end(struct netconf_session *session);
/* The output that is there. Valid until the next call. */
struct bytes netconf_session_peek(const struct netconf_session *session);
/* Its first `size` bytes are taken. Needs size > 0. */
void netconf_session_take(struct netconf_session *session, size_t size);
/* Whether there is more of the reply that the output ends with, for netconf_session_run to produce. */
bool netconf_session_streams(const struct netconf_session *session);
void netconf_session_run(struct netconf_session *session);
/* The end of the transport's turn: nothing more comes for now. Until then no sync begins for what was
 * executed. Where the thread is idle, it may be made in this call; then answers may be there. It may also be
 * left to netconf_server_rest. Gives whether there was something to sync. */
enum netconf_thread { NETCONF_THREAD_BUSY, NETCONF_THREAD_IDLE };
bool netconf_session_rest(struct netconf_session *session, enum netconf_thread thread);
unsigned netconf_session_wants(const struct netconf_session *session); /* enum netconf_want, or-ed */
/* Monotonic ns at which netconf_session_expire must be called; UINT64_MAX: none. Changes with every call
 * above. */
uint64_t netconf_session_deadline(const struct netconf_session *session);
/* Closes the session where a timeout has passed (hello, idle, stalled reader). */
void netconf_session_expire(struct netconf_session *session, uint64_t now_ns);
uint32_t netconf_session_id(const struct netconf_session *session); /* never 0 */
