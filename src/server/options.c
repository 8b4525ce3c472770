/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The command line of yared. One table holds every option with its help text; numbers and sizes go straight
 * into the field that the table names, so that no limit is without an option and no option without a help
 * line.
 */
#include "server/options.h"
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/assert.h"
#include "base/text.h"
#include "os/pieces.h"
#include "store/partial.h"

#define SEGMENT_MIN 4096u /* bytes */

enum kind { KIND_TEXT, KIND_UNSIGNED, KIND_U64, KIND_SIZE, KIND_FLAG, KIND_OTHER };

struct option_entry {
	const char *name;
	const char *argument; /* NULL: takes none */
	enum kind kind;
	size_t offset; /* in struct server_options */
	const char *help;
};

#define AT(member) offsetof(struct server_options, member)

static const struct option_entry entries[] = {
	{"yang-dir", "DIR", KIND_OTHER, 0, "where YANG modules are searched; repeatable, searched in order"},
	{"module", "NAME[:FEATURE,...]", KIND_OTHER, 0,
	 "a module to implement, with its features (* for all); repeatable"},
	{"listen", "ADDR:PORT", KIND_TEXT, AT(listen), "SSH; port 0 picks a free one (default: no SSH)"},
	{"listen-unix", "PATH", KIND_TEXT, AT(listen_unix), "UNIX socket, mode 0600 (default: none)"},
	{"host-key", "FILE", KIND_TEXT, AT(host_key), "private key of the SSH server"},
	{"authorized-keys", "FILE", KIND_TEXT, AT(authorized_keys), "public keys that may log in"},
	{"user", "NAME", KIND_TEXT, AT(user), "the only user name that may log in over SSH (default: any)"},
	{"admin", "NAME", KIND_OTHER, 0,
	 "a user who may call kill-session, delete-config, factory-reset; repeatable (default: nobody)"},
	{"handler", "MODULE:OPERATION=PROGRAM", KIND_OTHER, 0,
	 "what performs an rpc or action (MODULE:LIST/ACTION) of a module; repeatable"},
	{"handler-timeout", "MS", KIND_U64, AT(handler_limits.timeout_ms),
	 "for one run of such a program; 0: none (default: 30000)"},
	{"handler-output", "BYTES", KIND_SIZE, AT(handler_limits.output_size),
	 "that it may write (default: 16777216)"},
	{"handlers-at-once", "N", KIND_UNSIGNED, AT(handler_limits.at_once),
	 "such programs that run at a time; more wait (default: 8)"},
	{"factory-default", "FILE", KIND_TEXT, AT(factory_default),
	 "XML configuration that factory-reset sets back to (default: none)"},
	{"url-dir", "DIR", KIND_TEXT, AT(url_dir), "files that clients name as file:///NAME (default: none)"},
	{"data-dir", "DIR", KIND_TEXT, AT(data_dir),
	 "where the configuration is kept; made if absent; needed unless durability is none"},
	{"init-file", "FILE", KIND_TEXT, AT(init_file),
	 "configuration that an empty data directory begins with: XML, JSON or instance data"},
	{"durability", "full|relaxed|none", KIND_OTHER, 0,
	 "full: synced before the answer (default); relaxed: soon after; none: some time"},
	{"startup", "running|separate", KIND_OTHER, 0,
	 "what a start begins with: running as it was (default), or a startup datastore"},
	{"on-schema-mismatch", "refuse|quarantine", KIND_OTHER, 0,
	 "data that the modules have no place for any more: no start (default), or set aside in a file"},
	{"segment-size", "BYTES", KIND_U64, AT(segment_size), "of the journal's files (default: 16777216)"},
	{"snapshot-growth", "BYTES", KIND_U64, AT(snapshot_growth),
	 "least growth of the journal between snapshots (default: 67108864)"},
	{"snapshot-pace", "BYTES", KIND_U64, AT(snapshot_pace),
	 "a second at most; 0: no limit (default: 33554432)"},
	{"snapshots", "N", KIND_UNSIGNED, AT(snapshots), "kept (default: 2)"},
	{"history", "N", KIND_UNSIGNED, AT(history), "versions kept (default: 100)"},
	{"history-memory", "BYTES", KIND_U64, AT(history_memory),
	 "for old versions held in memory (default: 268435456)"},
	{"reply-ahead", "BYTES", KIND_SIZE, AT(limits.reply_ahead),
	 "of a large reply that job threads make while it is sent; 0: none (default: 393216)"},
	{"log-level", "LEVEL", KIND_OTHER, 0, "error, warning, info or debug (default: info)"},
	{"workers", "N", KIND_UNSIGNED, AT(workers), "threads that serve connections (default: 2)"},
	{"job-threads", "N", KIND_UNSIGNED, AT(job_threads), "threads for large requests (default: 2)"},
	{"max-sessions", "N", KIND_UNSIGNED, AT(limits.sessions), "sessions at a time (default: 1024)"},
	{"max-request", "BYTES", KIND_SIZE, AT(limits.request_size), "one message (default: 1073741824)"},
	{"max-in-flight", "BYTES", KIND_SIZE, AT(limits.in_flight),
	 "all requests together (default: 2147483648)"},
	{"max-depth", "N", KIND_UNSIGNED, AT(limits.depth), "nested XML elements (default: 256)"},
	{"max-value", "BYTES", KIND_SIZE, AT(limits.value_size), "one value (default: 16777216)"},
	{"max-attributes", "N", KIND_UNSIGNED, AT(limits.attributes), "of one XML element (default: 256)"},
	{"max-envelope", "BYTES", KIND_SIZE, AT(limits.envelope_size),
	 "attributes of an rpc, which come back (default: 65536)"},
	{"max-hello", "BYTES", KIND_SIZE, AT(limits.hello_size), "a client's hello (default: 262144)"},
	{"max-errors", "N", KIND_UNSIGNED, AT(limits.errors), "rpc-errors in one reply (default: 32)"},
	{"max-pipeline", "N", KIND_UNSIGNED, AT(limits.pipeline),
	 "requests read ahead of a session (default: 64)"},
	{"inline-size", "BYTES", KIND_SIZE, AT(limits.inline_size),
	 "larger requests run as jobs (default: 65536)"},
	{"ahead-size", "BYTES", KIND_SIZE, AT(limits.ahead_size),
	 "larger edits are prepared while they arrive (default: 262144, on one processor 0: none)"},
	{"check-steps", "N", KIND_U64, AT(check_steps), "XPath steps of one check (default: 1000000000)"},
	{"check-threads", "N", KIND_UNSIGNED, AT(check_threads),
	 "at most, for a large change (default: as many as processors)"},
	{"start-threads", "N", KIND_UNSIGNED, AT(start_threads),
	 "that read a large journal or snapshot (default: as many as processors)"},
	{"check-nodes", "N", KIND_U64, AT(check_nodes), "nodes of one XPath node-set (default: 10000000)"},
	{"max-partial-nodes", "N", KIND_SIZE, AT(partial_nodes),
	 "that all partial locks together may hold (default: 100000)"},
	{"max-filter-time", "MS", KIND_U64, AT(limits.filter_time_ms),
	 "processor time of one XPath filter (default: 1000; 0: no limit)"},
	{"max-filter-steps", "N", KIND_U64, AT(limits.filter_steps),
	 "steps of one XPath filter (default: 50000000)"},
	{"max-filter-nodes", "N", KIND_U64, AT(limits.filter_nodes),
	 "nodes that an XPath filter selects (default: 100000)"},
	{"max-filter-memory", "BYTES", KIND_SIZE, AT(limits.filter_memory),
	 "memory of an XPath filter (default: 5242880)"},
	{"max-filter-alternatives", "N", KIND_UNSIGNED, AT(limits.filter_alternatives),
	 "alternatives of a subtree filter that do not name all keys (default: 64)"},
	{"max-filter-elements", "N", KIND_UNSIGNED, AT(limits.filter_elements),
	 "elements of a subtree filter (default: 65536)"},
	{"max-filter-anydata", "BYTES", KIND_SIZE, AT(limits.filter_any),
	 "of anydata that a subtree filter looks into; larger one is selected whole (default: 1048576)"},
	{"max-search-indexes", "N", KIND_UNSIGNED, AT(limits.search.indexes),
	 "indexes for searches by leafs that are no keys; 0: none (default: 8)"},
	{"max-search-memory", "BYTES", KIND_SIZE, AT(limits.search.memory),
	 "memory of these indexes (default: 67108864)"},
	{"min-search-entries", "N", KIND_U64, AT(limits.search.entries),
	 "entries of a list for it to have such an index (default: 1000)"},
	{"max-parameters", "BYTES", KIND_SIZE, AT(limits.parameters),
	 "memory of a request's parameters, its filter among them (default: 8388608)"},
	{"with-defaults-basic", "explicit|report-all|trim", KIND_OTHER, 0,
	 "how defaults are seen where a client does not say (default: explicit)"},
	{"verify", NULL, KIND_FLAG, AT(verify),
	 "for tests: check every change in full too, and stop where that gives another answer"},
	{"time-constraints", NULL, KIND_FLAG, AT(time_constraints),
	 "measure how long each constraint takes, for `yare explain --counters`"},
	{"auth-timeout", "MS", KIND_U64, AT(auth_timeout_ms),
	 "from connect to netconf subsystem (default: 60000)"},
	{"max-unauthenticated", "N", KIND_UNSIGNED, AT(ssh_limits.unauthenticated),
	 "SSH connections that are not logged in (default: 64)"},
	{"max-login-attempts", "N", KIND_UNSIGNED, AT(ssh_limits.login_attempts),
	 "that fail, of an SSH connection (default: 6)"},
	{"max-login-size", "BYTES", KIND_U64, AT(ssh_limits.login_size),
	 "from an SSH client before it is logged in (default: 262144)"},
	{"max-channels", "N", KIND_UNSIGNED, AT(ssh_limits.channels), "of an SSH connection (default: 16)"},
	{"hello-timeout", "MS", KIND_U64, AT(limits.hello_timeout_ms),
	 "for the client's hello; 0: none (default: 60000)"},
	{"idle-timeout", "MS", KIND_U64, AT(limits.idle_timeout_ms),
	 "without a request; 0: none (default: 0)"},
	{"stall-timeout", "MS", KIND_U64, AT(limits.stall_timeout_ms),
	 "a client that does not read, or stops in mid-request; 0: none (default: 60000)"},
	{"linger-time", "MS", KIND_U64, AT(limits.linger_ms),
	 "for the client of a session that ended over what it sent to read why; 0: none (default: 10000)"},
	{"linger-size", "BYTES", KIND_SIZE, AT(limits.linger_size),
	 "that it may still send meanwhile (default: 268435456)"},
	{"grace", "MS", KIND_U64, AT(grace_ms), "at SIGTERM, for requests in flight (default: 5000)"},
	{"keepalive", "S", KIND_UNSIGNED, AT(keepalive_s), "TCP keepalive; 0: off (default: 60)"},
	{"hello-all-modules", NULL, KIND_FLAG, AT(limits.hello_all_modules),
	 "list modules of YANG 1.1 in the hello too, for clients without YANG library"},
	{"help", NULL, KIND_OTHER, 0, "print this and exit"},
	{"version", NULL, KIND_OTHER, 0, "print the version and exit"},
};

#define ENTRY_COUNT (sizeof(entries) / sizeof(entries[0]))

static void print_help(void)
{
	printf("Usage: yared --data-dir DIR --module NAME[:FEATURE,...]... WHERE [OPTION]...\n"
	       "       WHERE: --listen-unix PATH, or --listen ADDR:PORT --host-key FILE --authorized-keys "
	       "FILE\n"
	       "A YANG configuration datastore that speaks NETCONF.\n\n");
	for (size_t i = 0; i < ENTRY_COUNT; i++) {
		char left[64];
		snprintf(left, sizeof(left), "--%s%s%s", entries[i].name,
			 entries[i].argument != NULL ? " " : "",
			 entries[i].argument != NULL ? entries[i].argument : "");
		printf("  %-32s %s\n", left, entries[i].help);
	}
}

static bool parse_u64(const char *text, uint64_t most, uint64_t *number)
{
	char *end;
	errno = 0;
	unsigned long long parsed = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || parsed > most)
		return false;
	*number = parsed;
	return true;
}

static bool set_number(struct server_options *options, const struct option_entry *entry, const char *text)
{
	void *field = (char *)options + entry->offset;
	uint64_t number;
	if (!parse_u64(text, entry->kind == KIND_UNSIGNED ? UINT_MAX : UINT64_MAX, &number))
		return false;
	if (entry->kind == KIND_UNSIGNED)
		*(unsigned *)field = (unsigned)number;
	else if (entry->kind == KIND_SIZE)
		*(size_t *)field = number;
	else
		*(uint64_t *)field = number;
	return true;
}

struct schema_module_request server_options_module(const char *text, struct arena *arena)
{
	struct schema_module_request request = {0};
	const char *colon = strchr(text, ':');
	if (colon == NULL) {
		request.name = text;
		return request;
	}
	request.name = arena_strdup(arena, (struct bytes){text, (size_t)(colon - text)});
	size_t most = strlen(colon);
	const char **features = arena_alloc(arena, most * sizeof(*features));
	char *list = arena_strdup(arena, bytes_of(colon + 1)), *rest;
	for (char *feature = strtok_r(list, ",", &rest); feature != NULL;
	     feature = strtok_r(NULL, ",", &rest))
		features[request.feature_count++] = feature;
	request.features = features;
	return request;
}

/* Which of the names the text is; false where it is none. */
static bool parse_name(const char *text, const char *const *names, unsigned count, unsigned *index)
{
	for (*index = 0; *index < count; ++*index)
		if (strcmp(text, names[*index]) == 0)
			return true;
	return false;
}

static bool parse_durability(const char *text, enum store_durability *durability)
{
	static const char *const names[] = {
		[STORE_FULL] = "full", [STORE_RELAXED] = "relaxed", [STORE_NONE] = "none"};
	unsigned index;
	bool known = parse_name(text, names, 3, &index);
	*durability = (enum store_durability)index;
	return known;
}

static bool parse_basic(const char *text, enum codec_defaults *basic)
{
	static const char *const names[] = {
		[CODEC_EXPLICIT] = "explicit", [CODEC_REPORT_ALL] = "report-all", [CODEC_TRIM] = "trim"};
	unsigned index;
	bool known = parse_name(text, names, 3, &index);
	*basic = (enum codec_defaults)index;
	return known;
}

static bool parse_startup(const char *text, bool *separate)
{
	*separate = strcmp(text, "separate") == 0;
	return *separate || strcmp(text, "running") == 0;
}

static bool parse_mismatch(const char *text, enum store_mismatch *mismatch)
{
	bool quarantine = strcmp(text, "quarantine") == 0;
	*mismatch = quarantine ? STORE_QUARANTINE : STORE_REFUSE;
	return quarantine || strcmp(text, "refuse") == 0;
}

static bool set_other(struct server_options *options, const char *name, const char *text, struct arena *arena)
{
	if (strcmp(name, "yang-dir") == 0) {
		options->yang_dirs[options->yang_dir_count++] = text;
		return true;
	}
	if (strcmp(name, "module") == 0) {
		options->modules[options->module_count++] = server_options_module(text, arena);
		return true;
	}
	if (strcmp(name, "admin") == 0) {
		options->admins[options->limits.admin_count++] = text;
		return true;
	}
	if (strcmp(name, "handler") == 0) {
		options->handlers[options->handler_count++] = text;
		return true;
	}
	if (strcmp(name, "startup") == 0)
		return parse_startup(text, &options->separate_startup);
	if (strcmp(name, "on-schema-mismatch") == 0)
		return parse_mismatch(text, &options->mismatch);
	if (strcmp(name, "durability") == 0)
		return parse_durability(text, &options->durability);
	if (strcmp(name, "with-defaults-basic") == 0)
		return parse_basic(text, &options->limits.basic_defaults);
	return log_level_parse(text, &options->log_level) == ST_OK;
}

static bool set_option(struct server_options *options, const struct option_entry *entry, const char *text,
		       struct arena *arena)
{
	switch (entry->kind) {
	case KIND_TEXT:
		*(const char **)((char *)options + entry->offset) = text;
		return true;
	case KIND_UNSIGNED:
	case KIND_U64:
	case KIND_SIZE:
		return set_number(options, entry, text);
	case KIND_FLAG: /* takes no text */
		return false;
	case KIND_OTHER:
		return set_other(options, entry->name, text, arena);
	}
	return false;
}

static void set_defaults(struct server_options *options, int argc, struct arena *arena)
{
	*options = (struct server_options){
		.log_level = LOG_LEVEL_INFO,
		.durability = STORE_FULL,
		.workers = 2,
		.job_threads = 2,
		.keepalive_s = 60,
		.auth_timeout_ms = 60000,
		.grace_ms = 5000,
		.segment_size = 16u << 20,
		.snapshot_growth = 64u << 20,
		.snapshot_pace = 32u << 20,
		.snapshots = 2,
		.history = 100,
		.history_memory = 256u << 20,
		.check_steps = 1000000000,
		.check_nodes = 10000000,
		.check_threads = (unsigned)os_processors(),
		.start_threads = (unsigned)os_processors(),
		.partial_nodes = STORE_PARTIAL_NODES,
		.handler_limits = {.timeout_ms = 30000, .output_size = 16u << 20, .at_once = 8},
	};
	options->ssh_limits = transport_ssh_limits_default();
	netconf_limits_default(&options->limits);
	options->yang_dirs = arena_zalloc(arena, (size_t)argc * sizeof(*options->yang_dirs));
	options->modules = arena_zalloc(arena, (size_t)argc * sizeof(*options->modules));
	options->admins = arena_zalloc(arena, (size_t)argc * sizeof(*options->admins));
	options->limits.admins = options->admins;
	options->handlers = arena_zalloc(arena, (size_t)argc * sizeof(*options->handlers));
}

static bool usage(const char *problem)
{
	fprintf(stderr, "yared: %s; see yared --help\n", problem);
	return false;
}

/* The name of an option that is 0 where nothing could be served with that; NULL: none. */
static const char *find_zero(const struct server_options *options)
{
	const struct netconf_limits *limits = &options->limits;
	const struct {
		const char *name;
		uint64_t number;
	} members[] = {
		{"workers", options->workers},
		{"job-threads", options->job_threads},
		{"snapshots", options->snapshots},
		{"history", options->history},
		{"check-steps", options->check_steps},
		{"check-nodes", options->check_nodes},
		{"check-threads", options->check_threads},
		{"start-threads", options->start_threads},
		{"auth-timeout", options->auth_timeout_ms},
		{"max-sessions", limits->sessions},
		{"max-request", limits->request_size},
		{"max-in-flight", limits->in_flight},
		{"max-depth", limits->depth},
		{"max-value", limits->value_size},
		{"max-partial-nodes", options->partial_nodes},
		{"max-attributes", limits->attributes},
		{"max-envelope", limits->envelope_size},
		{"max-hello", limits->hello_size},
		{"max-unauthenticated", options->ssh_limits.unauthenticated},
		{"max-login-attempts", options->ssh_limits.login_attempts},
		{"max-login-size", options->ssh_limits.login_size},
		{"max-channels", options->ssh_limits.channels},
		{"max-errors", limits->errors},
		{"max-pipeline", limits->pipeline},
		{"max-filter-steps", limits->filter_steps},
		{"max-filter-nodes", limits->filter_nodes},
		{"max-filter-memory", limits->filter_memory},
		{"max-filter-alternatives", limits->filter_alternatives},
		{"max-filter-elements", limits->filter_elements},
		{"max-parameters", limits->parameters},
		{"handlers-at-once", options->handler_limits.at_once},
	};
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		if (members[i].number == 0)
			return members[i].name;
	return NULL;
}

/* What can be seen to be wrong before anything is started. */
static bool complete(const struct server_options *options)
{
	if (options->module_count == 0)
		return usage("no --module");
	if (options->listen == NULL && options->listen_unix == NULL)
		return usage("neither --listen nor --listen-unix");
	if (options->listen != NULL && (options->host_key == NULL || options->authorized_keys == NULL))
		return usage("--listen needs --host-key and --authorized-keys");
	if (options->data_dir == NULL && options->durability != STORE_NONE)
		return usage("no --data-dir; for a configuration in memory only say --durability none");
	if (options->segment_size < SEGMENT_MIN)
		return usage("--segment-size is less than 4096");
	if (options->limits.value_size > TEXT_SIZE_MAX)
		return usage("--max-value is more than 1073741823");
	const char *zero = find_zero(options);
	if (zero != NULL)
		fprintf(stderr, "yared: --%s must be greater than 0\n", zero);
	return zero == NULL;
}

enum server_options_result server_options_parse(struct server_options *options, int argc, char **argv,
						struct arena *arena)
{
	struct option longs[ENTRY_COUNT + 1] = {0};
	for (size_t i = 0; i < ENTRY_COUNT; i++)
		longs[i] = (struct option){entries[i].name, entries[i].argument != NULL, NULL, 0};
	set_defaults(options, argc, arena);
	optind = 1;
	int found, index = 0;
	while ((found = getopt_long(argc, argv, "", longs, &index)) == 0) {
		const struct option_entry *entry = &entries[index];
		if (entry->kind == KIND_FLAG) {
			*(bool *)((char *)options + entry->offset) = true;
			continue;
		}
		if (entry->argument == NULL) {
			if (strcmp(entry->name, "help") == 0)
				print_help();
			else
				printf("yared %s\n", YARE_VERSION);
			return SERVER_OPTIONS_EXIT;
		}
		if (!set_option(options, entry, optarg, arena)) {
			fprintf(stderr, "yared: --%s does not take '%s'; see yared --help\n", entry->name,
				optarg);
			return SERVER_OPTIONS_USAGE;
		}
	}
	if (found != -1)
		return SERVER_OPTIONS_USAGE; /* getopt_long has said what */
	if (optind < argc) {
		fprintf(stderr, "yared: '%s' is no option; see yared --help\n", argv[optind]);
		return SERVER_OPTIONS_USAGE;
	}
	return complete(options) ? SERVER_OPTIONS_RUN : SERVER_OPTIONS_USAGE;
}
