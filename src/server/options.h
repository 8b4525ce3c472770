/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The command line of yared, parsed. Strings are borrowed from argv. */
#include <stddef.h>
#include "base/arena.h"
#include "base/log.h"
#include "netconf/program.h"
#include "netconf/server.h"
#include "schema/load.h"
#include "store/recover.h"
#include "transport/transport.h"

struct server_options {
	const char **yang_dirs;
	size_t yang_dir_count;
	struct schema_module_request *modules;
	size_t module_count;
	const char *listen;	 /* "ADDR:PORT"; NULL: no SSH */
	const char *listen_unix; /* path; NULL: none */
	const char *host_key;
	const char *authorized_keys;
	const char *user; /* NULL: any */
	const char *init_file;
	const char *factory_default; /* file; NULL: none */
	const char *url_dir;	     /* NULL: no :url */
	const char *data_dir;	     /* NULL: the configuration is in memory only */
	enum store_durability durability;
	enum log_level log_level;
	unsigned workers;     /* event loop threads */
	unsigned job_threads; /* for long work */
	unsigned keepalive_s; /* TCP keepalive; 0: off */
	uint64_t auth_timeout_ms;
	struct transport_ssh_limits ssh_limits;
	uint64_t grace_ms; /* at SIGTERM, for what is in flight */
	uint64_t check_steps, check_nodes;
	unsigned check_threads, start_threads;
	size_t partial_nodes;  /* of all partial locks */
	bool verify;	       /* every check in full too */
	bool separate_startup; /* RFC 6241 8.7 */
	enum store_mismatch mismatch;
	bool time_constraints;	  /* measure each evaluation */
	uint64_t segment_size;	  /* of the journal, bytes */
	uint64_t snapshot_growth; /* bytes */
	uint64_t snapshot_pace;	  /* bytes a second */
	unsigned snapshots;	  /* kept */
	unsigned history;	  /* versions */
	uint64_t history_memory;  /* bytes */
	const char **admins;	  /* limits.admins */
	const char **handlers;	  /* "MODULE:OPERATION=PATH" */
	size_t handler_count;
	struct netconf_program_limits handler_limits;
	struct netconf_limits limits;
};

enum server_options_result {
	SERVER_OPTIONS_RUN,
	SERVER_OPTIONS_EXIT,  /* --help or --version was printed */
	SERVER_OPTIONS_USAGE, /* wrong: said on standard error */
};

/* Memory of the options is the arena's. */
enum server_options_result server_options_parse(struct server_options *options, int argc, char **argv,
						struct arena *arena);
/* "NAME:a,b" as a request of the module with features a and b. Memory is the arena's; borrows `text`. */
struct schema_module_request server_options_module(const char *text, struct arena *arena);
