/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Runs text scenarios (tests/scenario/README.md) over any transport. */
#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "netconf/server.h"

/* How the runner reaches a server. A connection is the transport's own; it stays valid until the scenario has
 * ended. */
struct scenario_transport {
	void *(*connect)(void *arg); /* NULL: refused */
	void (*send)(void *connection, struct bytes bytes);
	/* Appends what has come, waiting up to `wait_ms` where nothing has; false where the server has closed
	 * and all was given. */
	bool (*receive)(void *connection, struct buffer *into, unsigned wait_ms);
	void (*end)(void *connection);	/* sends no more */
	void (*drop)(void *connection); /* goes away without a word */
	void *arg;
	const char *user;    /* of all sessions */
	const char *url_dir; /* of the server, where the scenario has urls */
};

struct scenario;

/* NULL: not readable, or not a scenario; the reason is printed. */
struct scenario *scenario_load(const char *path);
void scenario_free(struct scenario *scenario);
/* Sets what the scenario's `limit` lines say. */
void scenario_limits(const struct scenario *scenario, struct netconf_limits *limits);
bool scenario_has_limit(const struct scenario *scenario, const char *name);
/* The index-th word of the options of yared that the `limit` lines stand for; NULL beyond the last. */
const char *scenario_option(const struct scenario *scenario, size_t index);
/* Whether it wants the modules that the server itself implements. */
bool scenario_is_standard(const struct scenario *scenario);
/* Whether the server has a startup datastore. */
bool scenario_has_startup(const struct scenario *scenario);
/* Whether it wants handlers that only a test has: no program can run it. */
bool scenario_needs_handlers(const struct scenario *scenario);
/* The factory default, XML; NULL: the server has none. */
const char *scenario_factory(const struct scenario *scenario);
/* The basic mode of RFC 6243; NULL: explicit. */
const char *scenario_basic_mode(const struct scenario *scenario);
/* Whether the server has :url, in a folder of the run. */
bool scenario_has_urls(const struct scenario *scenario);
/* Prints what is not as expected, with the line. */
bool scenario_run(const struct scenario *scenario, const struct scenario_transport *transport);
