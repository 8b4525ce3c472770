/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wiring. Parts are started from the bottom up and stopped from the top down:
 *
 *     schema, plan -> reclaim thread -> journal -> initial root -> store -> job threads -> netconf ->
 *     workers -> listeners
 *
 * `struct server` holds what has been started; stop() takes any prefix of it, so that a start which fails
 * half way and a normal end are the same code. The main thread does nothing but wait for a signal: SIGTERM
 * and SIGINT are blocked in all threads and taken by sigwait.
 */
#include "server/server.h"
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include "base/hash_table.h"
#include "check/counters.h"
#include "os/random.h"
#include "server/init_file.h"
#include "server/reclaim_thread.h"
#include "schema/fingerprint.h"
#include "store/recover.h"
#include "server/yang_path.h"
#include "transport/transport.h"

#define DIAGS_MAX 32

struct server {
	const struct server_options *options;
	struct arena *arena; /* of diags */
	struct diag_list diags;
	struct schema *schema;
	struct check_plan *plan;
	struct check_tally *tally;
	struct reclaim_thread *reclaim;
	struct journal *journal;	 /* NULL: in memory only */
	struct store_recovery *recovery; /* what it held; until the store is open */
	struct store *store;
	struct os_pool *pool;
	struct tree_record *factory;  /* NULL: no factory default */
	struct os_folder *url_folder; /* NULL: no :url */
	struct netconf_server *netconf;
	struct netconf_programs *programs; /* NULL: no --handler */
	struct transport_workers *workers;
	struct transport_listener *ssh, *unix_socket;
	char ssh_bound[OS_ADDRESS_SIZE];
};

static void log_diags(const struct diag_list *diags, enum log_level level)
{
	for (const struct diag *diag = diags->first; diag != NULL; diag = diag->next)
		log_write(level, "%s: %s%s%s", diag_tag_name(diag->tag),
			  diag->message != NULL ? diag->message : "", diag->path != NULL ? " at " : "",
			  diag->path != NULL ? diag->path : "");
	if (diags->dropped > 0)
		log_write(level, "and %zu more", diags->dropped);
}

static enum status load_schema(struct server *server)
{
	struct schema_source source;
	yang_path_source(server->options, server->arena, &source);
	enum status status = schema_load(&source, &server->diags, &server->schema);
	if (status == ST_OK)
		status = check_plan_new(server->schema, &server->diags, &server->plan);
	if (status != ST_OK)
		return status;
	server->tally = check_tally_new(server->plan);
	check_tally_set_timing(server->tally,
			       server->options->time_constraints ? CHECK_TIMED : CHECK_UNTIMED);
	return ST_OK;
}

static enum status open_journal(struct server *server)
{
	const struct server_options *options = server->options;
	struct journal_disk_options disk = {
		.fs = os_fs_real(),
		.dir = options->data_dir,
		.segment_size = options->segment_size,
		.snapshot_count = options->snapshots,
		.history = options->history,
		.write_at_append = options->durability != STORE_FULL,
	};
	_Static_assert(JOURNAL_FINGERPRINT_SIZE == SCHEMA_FINGERPRINT_SIZE, "the journal keeps it whole");
	schema_fingerprint(server->schema, disk.fingerprint);
	return journal_disk_open(&disk, &server->journal);
}

/* The configuration to begin with; NULL: none was named, or there is one already. */
static enum status load_initial(struct server *server, struct tree_record **root)
{
	const char *file = server->options->init_file;
	if (file == NULL)
		return ST_OK;
	if (server->journal != NULL && !journal_disk_is_new(server->journal)) {
		log_info("%s is not read: %s has a configuration", file, server->options->data_dir);
		return ST_OK;
	}
	return init_file_load(server->schema, file, &server->diags, root);
}

static enum status recover(struct server *server, const struct tree_record *initial_root)
{
	const struct server_options *options = server->options;
	if (server->journal == NULL)
		return ST_OK;
	struct store_recover_options recover_options = {
		.schema = server->schema,
		.journal = server->journal,
		.history = options->history,
		.history_memory = options->history_memory,
		.initial_root = initial_root,
		.mismatch = options->mismatch,
		.threads = options->start_threads,
	};
	enum status status = store_recover(&recover_options, &server->diags, &server->recovery);
	if (status == ST_OK)
		log_info("data directory %s: %s version %" PRIu64, options->data_dir,
			 server->recovery->is_new ? "new," : "recovered", server->recovery->info->id);
	return status;
}

/* After startup was deleted a start begins with what a new directory does. */
static enum status load_factory(struct server *server, struct tree_record **root)
{
	const struct server_options *options = server->options;
	bool is_needed = options->separate_startup && server->recovery != NULL &&
			 server->recovery->startup.kind == STORE_STARTUP_DELETED;
	if (!is_needed || *root != NULL || options->init_file == NULL)
		return ST_OK;
	return init_file_load(server->schema, options->init_file, &server->diags, root);
}

static enum status open_store(struct server *server)
{
	const struct server_options *options = server->options;
	struct tree_record *root = NULL;
	enum status status = options->data_dir != NULL ? open_journal(server) : ST_OK;
	if (status == ST_OK)
		status = load_initial(server, &root);
	if (status == ST_OK)
		status = recover(server, root);
	if (status == ST_OK)
		status = load_factory(server, &root);
	struct store_options store_options = {
		.schema = server->schema,
		.plan = server->plan,
		.journal = server->journal,
		.durability = options->durability,
		.check = {.steps = options->check_steps,
			  .max_nodes = options->check_nodes,
			  .tally = server->tally,
			  .threads = {.count = options->check_threads},
			  .verify = options->verify},
		.reclaimer = reclaim_thread_reclaimer(server->reclaim),
		.initial_root = root,
		.recovery = server->recovery,
		.snapshot_growth = options->snapshot_growth,
		.snapshot_pace = options->snapshot_pace,
		.history_length = options->history,
		.history_memory = options->history_memory,
		.partial_nodes = options->partial_nodes,
		.separate_startup = options->separate_startup,
	};
	if (status == ST_OK)
		status = store_open(&store_options, &server->diags, &server->store);
	if (root != NULL)
		tree_record_unref(root, server->schema->root, store_options.reclaimer);
	store_recovery_free(server->recovery);
	server->recovery = NULL;
	if (status == ST_OK)
		log_diags(&server->diags, LOG_LEVEL_WARNING);
	return status;
}

/* A clean end is sealed, so that damage to what is there can be told from a tail. */
static void close_journal(struct journal *journal)
{
	if (journal_disk_seal(journal) != ST_OK)
		log_error("the journal could not be sealed");
	journal->ops->close(journal);
}

/* What factory-reset sets back to has to be valid by itself. */
static enum status load_factory_default(struct server *server)
{
	const char *file = server->options->factory_default;
	if (file == NULL)
		return ST_OK;
	enum status status = init_file_load(server->schema, file, &server->diags, &server->factory);
	if (status == ST_OK)
		status = store_validate(server->store, &(struct store_call){.diags = &server->diags},
					server->factory);
	if (status != ST_OK)
		log_error("%s: no factory default", file);
	return status;
}

static enum status start_netconf(struct server *server)
{
	const struct server_options *options = server->options;
	enum status status = load_factory_default(server);
	if (status != ST_OK)
		return status;
	struct netconf_limits limits = options->limits;
	if (options->url_dir != NULL && os_folder_open(options->url_dir, &server->url_folder) != ST_OK) {
		log_error("%s: cannot be opened as a folder", options->url_dir);
		return ST_IO;
	}
	limits.url_folder = server->url_folder;
	limits.factory_root = server->factory;
	server->netconf =
		netconf_server_new(server->schema, server->store, reclaim_thread_reclaimer(server->reclaim),
				   server->pool, &limits);
	return ST_OK;
}

static enum status add_handlers(struct server *server)
{
	const struct server_options *options = server->options;
	if (options->handler_count == 0)
		return ST_OK;
	enum status status =
		netconf_programs_new(server->netconf, &options->handler_limits, &server->programs);
	for (size_t i = 0; i < options->handler_count && status == ST_OK; i++)
		status = netconf_programs_add(server->programs, options->handlers[i]);
	return status;
}

static enum status start_listeners(struct server *server)
{
	const struct server_options *options = server->options;
	enum status status = ST_OK;
	if (options->listen != NULL) {
		struct transport_ssh_options ssh = {
			.address = options->listen,
			.host_key = options->host_key,
			.authorized_keys = options->authorized_keys,
			.user = options->user,
			.auth_timeout_ms = options->auth_timeout_ms,
			.keepalive_s = options->keepalive_s,
			.limits = options->ssh_limits,
		};
		status = transport_listen_ssh(server->workers, server->netconf, &ssh, &server->ssh,
					      server->ssh_bound);
	}
	if (status == ST_OK && options->listen_unix != NULL)
		status = transport_listen_unix(server->workers, server->netconf, options->listen_unix,
					       &server->unix_socket);
	return status;
}

static enum status start(struct server *server)
{
	const struct server_options *options = server->options;
	enum status status = load_schema(server);
	if (status == ST_OK)
		status = reclaim_thread_start(&server->reclaim);
	if (status == ST_OK)
		status = open_store(server);
	if (status == ST_OK)
		status = os_pool_new(options->job_threads, &server->pool);
	if (status != ST_OK)
		return status;
	status = start_netconf(server);
	if (status == ST_OK)
		status = add_handlers(server);
	if (status != ST_OK)
		return status;
	status = transport_workers_start(options->workers, &server->workers);
	return status == ST_OK ? start_listeners(server) : status;
}

static void stop(struct server *server)
{
	if (server->ssh != NULL)
		transport_listener_close(server->ssh);
	if (server->unix_socket != NULL)
		transport_listener_close(server->unix_socket);
	if (server->netconf != NULL)
		netconf_server_shutdown(server->netconf);
	if (server->workers != NULL)
		transport_workers_stop(server->workers, server->options->grace_ms);
	netconf_programs_free(server->programs);
	if (server->pool != NULL)
		os_pool_free(server->pool);
	if (server->netconf != NULL)
		netconf_server_free(server->netconf);
	os_folder_close(server->url_folder);
	if (server->factory != NULL)
		tree_record_unref(server->factory, server->schema->root,
				  reclaim_thread_reclaimer(server->reclaim));
	if (server->store != NULL)
		store_close(server->store);
	if (server->journal != NULL && server->store != NULL)
		close_journal(server->journal);
	else if (server->journal != NULL)
		server->journal->ops->close(server->journal);
	if (server->reclaim != NULL)
		reclaim_thread_stop(server->reclaim);
	check_tally_free(server->tally);
	if (server->plan != NULL)
		check_plan_free(server->plan);
	if (server->schema != NULL)
		schema_unref(server->schema);
}

static void say_ready(const struct server *server)
{
	log_warning("there is no access control: whoever may connect may read and change everything");
	if (server->journal == NULL)
		log_warning("the configuration is in memory only and ends with this process");
	else if (server->options->durability != STORE_FULL)
		log_warning(
			"durability is not full: changes that were acknowledged last may be lost in a crash");
	log_info("ready%s%s%s%s", server->ssh != NULL ? " ssh " : "", server->ssh_bound,
		 server->unix_socket != NULL ? " unix " : "",
		 server->unix_socket != NULL ? server->options->listen_unix : "");
}

/* Sessions need descriptors: as many as the system lets us have. */
static void raise_descriptor_limit(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
		log_warning("the limit of open files stays as it is");
}

static void block_signals(sigset_t *signals)
{
	sigemptyset(signals);
	sigaddset(signals, SIGTERM);
	sigaddset(signals, SIGINT);
	pthread_sigmask(SIG_BLOCK, signals, NULL);
	signal(SIGPIPE, SIG_IGN);
}

int server_run(const struct server_options *options)
{
	sigset_t signals;
	block_signals(&signals);
	/* The canonical form of date-and-time names an offset (RFC 6991 3): it must not move with the host's
	 * zone. */
	setenv("TZ", "UTC", 1);
	raise_descriptor_limit();
	log_set_level(options->log_level);
	uint64_t seed;
	os_random_bytes(&seed, sizeof(seed));
	hash_table_set_seed(seed);

	struct server server = {.options = options, .arena = arena_new()};
	diag_list_init(&server.diags, server.arena, DIAGS_MAX);
	enum status status = start(&server);
	if (status == ST_OK) {
		int received;
		say_ready(&server);
		sigwait(&signals, &received);
		log_info("ending: signal %d", received);
	} else {
		log_diags(&server.diags, LOG_LEVEL_ERROR);
		log_error("could not start: %s", status_name(status));
	}
	stop(&server);
	arena_free(server.arena);
	return status == ST_OK ? 0 : 1;
}
