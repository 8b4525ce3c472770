/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * A large reply, made ahead of its client by job threads while the session's worker encrypts and sends what
 * was made before. The session offers each reply that it is in the middle of; one that is taken is gone on
 * with here:
 *
 *     netconf__producer_begin(request, &output);
 *     while (request->producer != NULL && !netconf__producer_write(request->producer, &output.out))
 *             ... send what is there; where netconf__producer_is_ready says no, wait for the wake ...
 *     netconf__producer_stop(request->producer);                            // also in the middle
 *
 * All calls are the worker's. A job holds a reference to the request, so that it may outlive the session.
 */
#include <stdbool.h>

#include "netconf/reply.h"

struct netconf_producer;

/* Buffers that are full or being filled, at most. */
#define NETCONF_PRODUCER_MAX 16
/* Bytes of one, about. */
#define NETCONF_PRODUCER_SIZE ((size_t)96 * 1024)
/* Less of what was taken may be left, for the next buffer to go behind it. */
#define NETCONF_PRODUCER_REST ((size_t)16 * 1024)

/* Sets request->producer where the reply has proved large, and a processor has nothing to do. Then it takes
 * over what `output` holds back of a character. Needs a reply that was begun and is not complete. */
void netconf__producer_begin(struct netconf_request *request, struct netconf_output *output);
/* NULL is allowed. With the request's last reference. */
void netconf__producer_free(struct netconf_producer *producer);
/* Puts the next buffer, if there is one, behind what `out` holds, less than NETCONF_PRODUCER_REST. Makes it
 * here where none is ready and no job is at it. True where the reply is complete. */
bool netconf__producer_write(struct netconf_producer *producer, struct buffer *out);
/* Whether that would do something. If not, the session will be woken. */
bool netconf__producer_is_ready(struct netconf_producer *producer);
/* Nothing is taken any more: a job that is at it ends soon. NULL is allowed. */
void netconf__producer_stop(struct netconf_producer *producer);
