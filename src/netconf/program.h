/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Programs as handlers (handler.h) of operations that modules define (RFC 7950 7.14, 7.15):
 *
 *     programs = netconf_programs_new(server, &limits);
 *     netconf_programs_add(programs, "example:reset=/usr/lib/example/reset");
 *     ...
 *     netconf_programs_free(programs); // when no session is left
 *
 * A program reads the operation as XML, as the client sent it inside <rpc> or <action>, with defaults in use,
 * from its standard input; what it writes to its standard output, the elements of the output one after the
 * other, is the reply. An exit code other than 0 is operation-failed, and what it wrote to its standard error
 * the message. docs/operations.md has what else it may rely on.
 */
#include "netconf/server.h"

struct netconf_programs;

struct netconf_program_limits {
	uint64_t timeout_ms; /* of one run; 0: none */
	size_t output_size;  /* bytes of what one writes */
	unsigned at_once;    /* runs at a time; more wait */
};

/* Fails: ST_LIMIT (no threads). */
enum status netconf_programs_new(struct netconf_server *server, const struct netconf_program_limits *limits,
				 struct netconf_programs **programs) MUST_USE;
/* "MODULE:RPC=PATH", or "MODULE:CONTAINER/LIST/ACTION=PATH". Before the first session. Fails: ST_REJECTED,
 * logged: it is not of this form, there is no such operation, it is built in, or there is no program at the
 * path. */
enum status netconf_programs_add(struct netconf_programs *programs, const char *text) MUST_USE;
/* Ends those that run, which is what the sessions that are gone do as well. NULL is allowed. Needs: no
 * session. */
void netconf_programs_free(struct netconf_programs *programs);
