/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * A NETCONF client that is no bottleneck: requests are framed beforehand, replies are never kept, and
 * looked at for an <rpc-error> where they begin and end.
 *
 *     struct client *client;
 *     status = client_open(&target, timeout_ms, &client);
 *     client_frame(client, &framed, request);                  // untimed
 *     status = client_call(client, buffer_get(&framed), &reply); // timed
 */
#include <stdbool.h>
#include <stdint.h>
#include "base/buffer.h"
#include "link.h"
#include "netconf/framing.h"
#include "scan.h"

#define CLIENT_HEAD_SIZE 1024
#define CLIENT_TAIL_SIZE ((size_t)256)

struct client;

/* What came back. The members of the first group are the caller's, all zero for none. */
struct client_reply {
	struct scan *counter; /* counts in the content, and those behind it */
	/* Called before each read with the content's size so far: a reader that takes its time. */
	void (*pace)(void *arg, uint64_t size);
	void *pace_arg;

	uint64_t size;	    /* bytes of content */
	uint64_t wire_size; /* and with framing */
	bool is_error;	    /* has an <rpc-error> */
	size_t head_size;
	char head[CLIENT_HEAD_SIZE]; /* the content's beginning, not terminated */
	size_t tail_size;
	char tail[CLIENT_TAIL_SIZE]; /* its end */
};

/* Connects and exchanges hellos; uses base:1.1 where the server has it. What fails is said. `timeout_ms`: how
 * long a reply may keep silent. */
enum status client_open(const struct target *target, int timeout_ms, struct client **client) MUST_USE;
void client_close(struct client *client); /* NULL is allowed; without close-session */
const char *client_cipher(const struct client *client);
/* Whether the server lets clients write running itself (RFC 6241, section 8.2). */
bool client_writes_running(const struct client *client);

/* Appends the request as it goes over the wire. Needs a buffer without limit. */
void client_frame(const struct client *client, struct buffer *out, struct bytes request);
enum status client_send(struct client *client, struct bytes framed) MUST_USE;
/* Reads one reply to its end. Fails (said): the connection or its framing is broken, or the server silent. */
enum status client_receive(struct client *client, struct client_reply *reply) MUST_USE;
/* Whether something of the next reply has come. */
bool client_is_ready(struct client *client);
/* Readable when more has come; what has been read already it does not show. */
int client_fd(const struct client *client);
/* Both. Fails also, with ST_REJECTED (not said), where the reply is an error. */
enum status client_call(struct client *client, struct bytes framed, struct client_reply *reply) MUST_USE;
/* Says what the server answered. */
void client_say_error(const struct client_reply *reply);
