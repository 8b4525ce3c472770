/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Servers to measure: private ones, each started on a temporary folder with keys of its own and ended after
 * the measurement, so that every measurement begins with an empty datastore; or one that runs already.
 *
 *     struct home *home;
 *     status = home_new(&home);
 *     status = server_start(home, &options, &server);
 *     status = client_open(&server->ssh, ...);
 *     server_end(server);
 *     home_free(home);
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "link.h"

#define HOME_PATH_SIZE 256
#define SERVER_USER_SIZE 64

/* A temporary folder with the keys of this run. */
struct home {
	char folder[HOME_PATH_SIZE];
	char host_key[HOME_PATH_SIZE], client_key[HOME_PATH_SIZE], authorized_keys[HOME_PATH_SIZE];
	unsigned servers; /* started so far; names their files */
	pid_t keeper;	  /* removes the folder where the run is killed */
	int alive;	  /* closed when the run ends; -1: no keeper */
};

#define SERVER_MODULES_MAX 4

struct server_settings {
	const char *program; /* path of yared */
	const char *peer;    /* path of a script that starts another server instead (peers/); NULL: none */
	const char *yang_dir;
	const char *modules[SERVER_MODULES_MAX + 1]; /* up to the first NULL */
	const char *durability;
	const char *ciphers;	 /* the client's preference */
	unsigned sessions;	 /* that will be connected at a time */
	const char *const *more; /* further arguments, up to a NULL; NULL: none */
};

struct server {
	pid_t pid;		     /* 0: not ours, so that neither its memory nor its CPU time is known */
	pid_t child;		     /* what is to be ended: the same, or a peer's script */
	char user[SERVER_USER_SIZE]; /* of a peer */
	bool has_ssh, has_unix;
	struct target ssh, unix_socket;
	struct server_settings settings;
	char log[HOME_PATH_SIZE], socket[HOME_PATH_SIZE], data[HOME_PATH_SIZE];
};

/* What fails is said. */
enum status home_new(struct home **home) MUST_USE;
void home_free(struct home *home);  /* removes the folder; NULL is allowed */
void home_remove(const char *path); /* a folder, or nothing */

/* Starts a server and waits until it says that it is ready. What fails is said, with the end of its log. */
enum status server_start(struct home *home, const struct server_settings *settings,
			 struct server **server) MUST_USE;
/* A server that runs already. Gives one without pid; its target is borrowed. */
enum status server_attach(const struct target *target, struct server **server) MUST_USE;
/* SIGTERM, and SIGKILL where it does not end. Says so where it did not end well. Its data is removed. NULL is
 * allowed. */
void server_end(struct server *server);
/* Ends the process, as server_end() does, but keeps the rest. */
void server_stop(struct server *server);
/* How many commits one sync made durable on average; 0 where the server, which must have ended, did not say.
 */
double server_commits_a_sync(const struct server *server);
/* Ends the process and starts another one on the same data; gives the time from its start until it said that
 * it is ready. Connections are gone. */
enum status server_restart(struct home *home, struct server *server, uint64_t *elapsed_ns) MUST_USE;
bool server_has_logged(const struct server *server, const char *text);
/* Waits for that; false: not in time. */
bool server_await_log(const struct server *server, const char *text);
/* Bytes that the process has sent to storage so far; 0 where unknown. */
uint64_t server_written(const struct server *server);
