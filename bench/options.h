/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The command line of yare-bench. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "link.h"

struct options {
	const char **scenarios; /* "SUITE" or "SUITE/NAME", as given; at least one */
	size_t scenario_count;
	const uint64_t *sizes; /* ascending; NULL: the suite's */
	size_t size_count;
	unsigned repeat;
	bool over_unix;	      /* --transport unix */
	bool spawns;	      /* --target spawn */
	struct target target; /* where it does not spawn */
	const char *target_text;
	const char *key, *password_file, *ciphers, *durability;
	unsigned idle_sessions;
	bool idle_sessions_given;
	uint64_t seed;
	int timeout_ms;
	const unsigned *sessions; /* at a time, of what is measured with several; at least one */
	size_t session_count;
	unsigned pipeline; /* requests in flight a session */
	bool with_peers;   /* the command is peers */
	bool install_peers;
	unsigned peer_limit_s; /* a peer that took longer is not measured at larger sizes */
	const char *peers_dir;
	const char *yared, *yang_dir;
	const char *models;	       /* folder of the folders with the other suites' modules */
	const char *json, *csv, *html; /* files; NULL: none */
	double gate;		       /* a ratio so many times its limit is a failure; 0: none */
};

enum options_result { OPTIONS_RUN, OPTIONS_EXIT, OPTIONS_USAGE };

/* Parses what follows the command "run" or "peers". Texts are borrowed from argv or the arena. Problems are
 * said. */
enum options_result options_parse(struct options *options, int argc, char **argv, struct arena *arena);
void options_print_help(void);
