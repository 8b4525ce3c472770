/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A private server's life: fork, exec with its log into a file of the home folder, wait for the line
 *
 *     2026-01-31T12:00:00.123Z info ready ssh 127.0.0.1:40123 unix /tmp/yare-bench-x/1.sock
 *
 * in it, measure, SIGTERM. A server dies with the runner (PR_SET_PDEATHSIG) and is in a process group of its
 * own, so that an interrupt from the terminal ends the measurement first.
 */
#include "spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "os/clock.h"
#include "os/file.h"
#include "process.h"
#include "say.h"

#define READY_TIMEOUT_NS ((uint64_t)300000000000)
#define END_TIMEOUT_NS ((uint64_t)30000000000)
#define POLL_US 500
#define ARGUMENTS_MAX 32
#define LOG_MAX ((size_t)16 * 1024 * 1024)
#define LOG_SHOWN 2000 /* bytes of a log's end */

static size_t yared_arguments(const struct home *home, const struct server *server, const char *sessions,
			      const char **arguments)
{
	const struct server_settings *settings = &server->settings;
	const char *const fixed[] = {settings->program,
				     "--yang-dir",
				     settings->yang_dir,
				     "--durability",
				     settings->durability,
				     "--data-dir",
				     server->data,
				     "--listen",
				     "127.0.0.1:0",
				     "--listen-unix",
				     server->socket,
				     "--host-key",
				     home->host_key,
				     "--authorized-keys",
				     home->authorized_keys,
				     "--max-sessions",
				     sessions};
	size_t count = sizeof(fixed) / sizeof(fixed[0]);
	memcpy(arguments, fixed, sizeof(fixed));
	for (size_t i = 0; settings->modules[i] != NULL; i++) {
		arguments[count++] = "--module";
		arguments[count++] = settings->modules[i];
	}
	for (size_t i = 0; settings->more != NULL && settings->more[i] != NULL && count < ARGUMENTS_MAX - 1;
	     i++)
		arguments[count++] = settings->more[i];
	return count;
}

static size_t peer_arguments(const struct home *home, const struct server *server, const char **arguments)
{
	const struct server_settings *settings = &server->settings;
	const char *const fixed[] = {settings->peer, "start", server->data, home->authorized_keys,
				     settings->yang_dir};
	size_t count = sizeof(fixed) / sizeof(fixed[0]);
	memcpy(arguments, fixed, sizeof(fixed));
	for (size_t i = 0; settings->modules[i] != NULL; i++)
		arguments[count++] = settings->modules[i];
	return count;
}

/* In the child. */
static void execute(const struct home *home, const struct server *server)
{
	const char *arguments[ARGUMENTS_MAX];
	char sessions[16];
	snprintf(sessions, sizeof(sessions), "%u", server->settings.sessions + 24);
	size_t count = server->settings.peer != NULL ? peer_arguments(home, server, arguments)
						     : yared_arguments(home, server, sessions, arguments);
	arguments[count] = NULL;
	int log = open(server->log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (log < 0 || nothing < 0 || dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0 || dup2(log, 2) < 0)
		return;
	execv(arguments[0], (char *const *)arguments);
	fprintf(stderr, "cannot run %s: %s\n", arguments[0], strerror(errno));
}

static pid_t fork_server(const struct home *home, const struct server *server)
{
	pid_t parent = getpid(), pid = fork();
	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0);
	if (getppid() == parent)
		execute(home, server);
	_exit(127);
}

/* The log so far, terminated. The caller owns the buffer. */
static const char *read_log(const struct server *server, struct buffer *buffer)
{
	buffer_init(buffer, LOG_MAX + 1);
	if (os_path_read(server->log, LOG_MAX, buffer) != ST_OK)
		buffer_clear(buffer, 0);
	if (buffer_append(buffer, (struct bytes){"", 1}) != ST_OK)
		return "";
	return buffer_get(buffer).data;
}

static void say_log(const struct server *server)
{
	struct buffer buffer;
	const char *text = read_log(server, &buffer);
	size_t size = strlen(text);
	say("the server's log:\n%s", size > LOG_SHOWN ? text + size - LOG_SHOWN : text);
	buffer_fini(&buffer);
}

/* What follows the address in the ready line; only a peer names a user and a process. */
static void take_ready(struct server *server, const char *text)
{
	int pid;
	server->ssh.port = (unsigned)strtoul(text, NULL, 10);
	if (server->settings.peer == NULL ||
	    sscanf(text, "%*u user %63s pid %d", server->user, &pid) != 2) /* SERVER_USER_SIZE - 1 */
		return;
	server->ssh.user = server->user;
	server->pid = pid;
}

/* Whether the ready line is complete; then the port is known. */
static bool find_ready(struct server *server)
{
	struct buffer buffer;
	const char *text = read_log(server, &buffer);
	const char *ready = strstr(text, " ready ssh ");
	const char *colon = ready != NULL ? strchr(ready + strlen(" ready ssh "), ':') : NULL;
	bool complete = colon != NULL && strchr(colon, '\n') != NULL;
	if (complete)
		take_ready(server, colon + 1);
	buffer_fini(&buffer);
	return complete && server->ssh.port != 0;
}

static enum status wait_ready(struct server *server)
{
	uint64_t end_ns = os_clock_monotonic_ns() + READY_TIMEOUT_NS;
	while (!find_ready(server)) {
		int result;
		if (waitpid(server->child, &result, WNOHANG) == server->child) {
			server->pid = server->child = 0;
			say_log(server);
			return say_failed("the server did not start");
		}
		if (os_clock_monotonic_ns() > end_ns) {
			say_log(server);
			return say_failed("the server did not become ready");
		}
		usleep(POLL_US);
	}
	return ST_OK;
}

static void set_targets(struct home *home, struct server *server)
{
	unsigned number = ++home->servers;
	snprintf(server->log, HOME_PATH_SIZE, "%.100s/%u.log", home->folder, number);
	snprintf(server->socket, HOME_PATH_SIZE, "%.100s/%u.sock", home->folder, number);
	server->has_ssh = true;
	server->has_unix = server->settings.peer == NULL;
	server->ssh = (struct target){.kind = TARGET_SSH,
				      .host = "127.0.0.1",
				      .user = "bench",
				      .key = home->client_key,
				      .ciphers = server->settings.ciphers};
	server->unix_socket = (struct target){.kind = TARGET_UNIX, .path = server->socket};
}

static enum status launch(struct home *home, struct server *server)
{
	set_targets(home, server);
	server->pid = server->child = fork_server(home, server);
	return server->child > 0 ? wait_ready(server) : say_failed("cannot fork");
}

enum status server_start(struct home *home, const struct server_settings *settings, struct server **server)
{
	struct server *made = memory_zalloc(sizeof(*made));
	made->settings = *settings;
	snprintf(made->data, HOME_PATH_SIZE, "%.100s/%u.data", home->folder, home->servers + 1);
	enum status status = launch(home, made);
	if (status != ST_OK) {
		server_end(made);
		return status;
	}
	*server = made;
	return ST_OK;
}

enum status server_attach(const struct target *target, struct server **server)
{
	struct server *made = memory_zalloc(sizeof(*made));
	made->has_ssh = target->kind == TARGET_SSH;
	made->has_unix = !made->has_ssh;
	*(made->has_ssh ? &made->ssh : &made->unix_socket) = *target;
	*server = made;
	return ST_OK;
}

/* True where the process has ended by itself in time. */
static bool wait_end(pid_t pid, int *result)
{
	uint64_t end_ns = os_clock_monotonic_ns() + END_TIMEOUT_NS;
	while (os_clock_monotonic_ns() < end_ns) {
		if (waitpid(pid, result, WNOHANG) == pid)
			return true;
		usleep(POLL_US);
	}
	return false;
}

bool server_has_logged(const struct server *server, const char *text)
{
	struct buffer buffer;
	bool found = strstr(read_log(server, &buffer), text) != NULL;
	buffer_fini(&buffer);
	return found;
}

bool server_await_log(const struct server *server, const char *text)
{
	uint64_t end_ns = os_clock_monotonic_ns() + READY_TIMEOUT_NS;
	while (!server_has_logged(server, text)) {
		if (os_clock_monotonic_ns() > end_ns)
			return false;
		usleep(POLL_US);
	}
	return true;
}

void server_stop(struct server *server)
{
	if (server->child <= 0)
		return;
	int result = 0;
	kill(server->child, SIGTERM);
	if (!wait_end(server->child, &result)) {
		say("the server does not end; killed");
		kill(server->child, SIGKILL);
		waitpid(server->child, &result, 0);
	} else if (result != 0) {
		say("the server ended with %s %d", WIFSIGNALED(result) ? "signal" : "exit code",
		    WIFSIGNALED(result) ? WTERMSIG(result) : WEXITSTATUS(result));
		say_log(server);
	}
	server->pid = server->child = 0;
}

void server_end(struct server *server)
{
	if (server == NULL)
		return;
	server_stop(server);
	if (server->data[0] != '\0')
		home_remove(server->data);
	memory_free(server);
}

enum status server_restart(struct home *home, struct server *server, uint64_t *elapsed_ns)
{
	server_stop(server);
	uint64_t begin_ns = os_clock_monotonic_ns();
	enum status status = launch(home, server);
	*elapsed_ns = os_clock_monotonic_ns() - begin_ns;
	return status;
}

double server_commits_a_sync(const struct server *server)
{
	struct buffer buffer;
	double commits = 0, syncs = 0;
	const char *line = strstr(read_log(server, &buffer), " journal: ");
	if (line != NULL && sscanf(line, " journal: %lf versions in %lf syncs", &commits, &syncs) != 2)
		commits = 0;
	buffer_fini(&buffer);
	return syncs > 0 ? commits / syncs : 0;
}

uint64_t server_written(const struct server *server)
{
	return server->pid > 0 ? process_written(server->pid) : 0;
}
