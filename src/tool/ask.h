/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * One question to a running server over its UNIX socket: hello, an operation, its reply.
 */
#include "codec/element.h"

/*
 * Takes: the socket's path; the operation as XML, with its namespaces. Gives: the rpc-reply, in the arena.
 * Fails, with a line in *problem (in the arena): ST_IO (no server there, it closed the session, or it was
 * silent for 30 s), ST_REJECTED (what came is not NETCONF), ST_LIMIT (a reply of more than 64 MiB).
 */
enum status ask_server(const char *path, const char *operation, struct arena *arena, struct element **reply,
		       const char **problem) MUST_USE;
