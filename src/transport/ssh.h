/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * The SSH transport's own structures.
 *
 *     ssh_service (a listener's: host key, authorized keys, limits)
 *         ssh_connection (a TCP connection: an ssh_session of libssh, driven by the worker's epoll)
 *             ssh_channel_serving (a channel; with a pipe once it is a netconf subsystem)
 */
#define LIBSSH_LEGACY_0_4 /* keeps out legacy.h, which has a buffer_get of its own */
#include <libssh/callbacks.h>
#include <libssh/libssh.h>
#include <libssh/server.h>
#include "base/buffer.h"
#include "transport/internal.h"
#include "transport/pipe.h"

struct transport_auth;
struct transport_ssh_connection;

struct transport_ssh_service {
	struct transport_service base;
	size_t bind_count;
	ssh_bind *binds; /* one a worker: libssh's are for one thread */
	struct transport_auth *auth;
	uint64_t auth_timeout_ms;
	unsigned keepalive_s;
	struct transport_ssh_limits limits;
	_Atomic unsigned unauthenticated; /* connections that are not logged in */
	struct transport_log_gate full_gate, denied_gate;
};

enum transport_channel_state {
	TRANSPORT_CHANNEL_OPEN,	   /* no subsystem was asked for */
	TRANSPORT_CHANNEL_SERVING, /* a netconf session */
	TRANSPORT_CHANNEL_CLOSING, /* end of file and close are to be sent, or were; waits for the client's
				      close */
};

struct transport_channel {
	struct transport_channel *next;
	struct transport_ssh_connection *connection;
	enum transport_channel_state state;
	ssh_channel ssh;
	struct ssh_channel_callbacks_struct callbacks;
	struct transport_pipe *pipe; /* when SERVING */
	size_t unread;		     /* bytes in libssh's buffer of the channel */
	struct buffer backlog;	     /* bytes taken out of it, and not read by the pipe yet */
	bool ended;		     /* the client sent end of file */
	bool closed_by_client, closed_by_us;
};

struct transport_ssh_connection {
	struct transport_connection base;
	struct transport_ssh_service *service;
	struct os_watch watch; /* of a duplicate of the socket: libssh closes its own when it likes */
	struct os_timer timer; /* for a netconf channel to open; later: to end without one */
	ssh_session session;
	ssh_event event;
	struct ssh_server_callbacks_struct callbacks;
	struct ssh_counter_struct socket_counter, packet_counter;
	struct transport_channel *channels;
	char *user;	   /* NULL: not authenticated */
	unsigned failures; /* of authentication */
	bool served;	   /* had a netconf channel */
	bool idle;	   /* has none now, and the timer runs */
	bool again;	   /* bytes came in while the channels had their turn */
	bool doomed;	   /* to be dropped at the end of the turn */
	char peer[OS_ADDRESS_SIZE];
};

/* Reads the file for the first time. Fails: ST_IO, ST_LIMIT (too large), logged. */
enum status transport__auth_new(const char *path, const char *user, struct transport_auth **auth) MUST_USE;
void transport__auth_free(struct transport_auth *auth);
/* Whether `key` may log in as `user`; any thread. Reads the file again where it was changed. */
bool transport__auth_allows(struct transport_auth *auth, const char *user, ssh_key key);

/* A service's `start`. */
void transport__ssh_connection_start(struct transport_service *service, struct transport_worker *worker,
				     int fd, const char peer[OS_ADDRESS_SIZE]);
/* Whether libssh still has bytes that the socket did not take; then nothing more may be written. */
bool transport__ssh_connection_blocked(const struct transport_ssh_connection *connection);
void transport__ssh_connection_turn(void *connection);

/* Called by libssh for a channel-open; NULL refuses. */
ssh_channel transport__channel_open(struct transport_ssh_connection *connection);
/* A turn of the channel. False: it is gone, and was freed; the caller has unlinked it. */
bool transport__channel_turn(struct transport_channel *channel);
/* Frees it; libssh keeps its half until the connection ends. */
void transport__channel_free(struct transport_channel *channel);
