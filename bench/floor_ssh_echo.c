/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The echo server, a child process that serves one connection at a time with blocking libssh calls and
 * nothing else, and the client's side of it.
 *
 *     client: request_size, reply_size (8 bytes each), request_size - 16 bytes
 *     server: reply_size bytes
 *
 * It lets in whoever connects: it listens on loopback, on a port that the kernel picks, and reveals nothing.
 */
#include "floor_echo.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <libssh/callbacks.h>
#include <libssh/libssh.h>
#include <libssh/server.h>

#include "base/assert.h"
#include "base/memory.h"
#include "os/clock.h"
#include "os/socket.h"
#include "say.h"

#define IO_SIZE ((size_t)64 * 1024)
#define TIMEOUT_MS 60000

struct echo {
	pid_t pid;
	struct link *link;
	char scratch[IO_SIZE];
};

/* The server's side. */

struct connection {
	ssh_session session;
	ssh_channel channel;
	bool is_netconf;
	struct ssh_channel_callbacks_struct channel_callbacks;
	char scratch[IO_SIZE];
};

static int on_pubkey(ssh_session session, const char *user, struct ssh_key_struct *key, char state, void *arg)
{
	(void)session;
	(void)user;
	(void)key;
	(void)state;
	(void)arg;
	return SSH_AUTH_SUCCESS;
}

static int on_subsystem(ssh_session session, ssh_channel channel, const char *subsystem, void *arg)
{
	(void)session;
	(void)channel;
	(void)subsystem;
	((struct connection *)arg)->is_netconf = true;
	return 0;
}

static ssh_channel on_channel(ssh_session session, void *arg)
{
	struct connection *connection = arg;
	connection->channel = ssh_channel_new(session);
	ssh_set_channel_callbacks(connection->channel, &connection->channel_callbacks);
	return connection->channel;
}

static bool read_exactly(struct connection *connection, char *data, size_t size)
{
	while (size > 0) {
		int got = ssh_channel_read(connection->channel, data, (uint32_t)size, 0);
		if (got <= 0)
			return false;
		data += got;
		size -= (size_t)got;
	}
	return true;
}

static bool answer(struct connection *connection)
{
	struct echo_header header;
	if (!read_exactly(connection, (char *)&header, sizeof(header)) ||
	    header.request_size < sizeof(header))
		return false;
	for (uint64_t left = header.request_size - sizeof(header); left > 0;) {
		int got = ssh_channel_read(connection->channel, connection->scratch,
					   (uint32_t)(left < IO_SIZE ? left : IO_SIZE), 0);
		if (got <= 0)
			return false;
		left -= (uint64_t)got;
	}
	for (uint64_t left = header.reply_size; left > 0;) {
		int sent = ssh_channel_write(connection->channel, connection->scratch,
					     (uint32_t)(left < IO_SIZE ? left : IO_SIZE));
		if (sent <= 0)
			return false;
		left -= (uint64_t)sent;
	}
	return true;
}

static void serve(struct connection *connection)
{
	struct ssh_server_callbacks_struct callbacks = {
		.userdata = connection,
		.auth_pubkey_function = on_pubkey,
		.channel_open_request_session_function = on_channel,
	};
	connection->channel_callbacks = (struct ssh_channel_callbacks_struct){
		.userdata = connection,
		.channel_subsystem_request_function = on_subsystem,
	};
	ssh_callbacks_init(&callbacks);
	ssh_callbacks_init(&connection->channel_callbacks);
	ssh_set_server_callbacks(connection->session, &callbacks);
	ssh_set_auth_methods(connection->session, SSH_AUTH_METHOD_PUBLICKEY);
	ssh_event event = ssh_event_new();
	if (ssh_handle_key_exchange(connection->session) != SSH_OK ||
	    ssh_event_add_session(event, connection->session) != SSH_OK)
		return;
	while (!connection->is_netconf)
		if (ssh_event_dopoll(event, TIMEOUT_MS) != SSH_OK)
			return;
	ssh_event_remove_session(event, connection->session);
	ssh_event_free(event);
	while (answer(connection))
		;
}

/* One connection is all that is ever made. */
static void run_server(int listen_fd, const char *host_key)
{
	int no_delay = 1;
	bool process_config = false;
	ssh_init();
	ssh_bind bind = ssh_bind_new();
	struct connection *connection = memory_zalloc(sizeof(*connection));
	connection->session = ssh_new();
	ssh_bind_options_set(bind, SSH_BIND_OPTIONS_PROCESS_CONFIG, &process_config);
	if (ssh_bind_options_set(bind, SSH_BIND_OPTIONS_HOSTKEY, host_key) != SSH_OK)
		return;
	ssh_bind_set_fd(bind, listen_fd);
	ssh_options_set(connection->session, SSH_OPTIONS_NODELAY, &no_delay);
	if (ssh_bind_accept(bind, connection->session) != SSH_OK)
		return;
	os_socket_tune(ssh_get_fd(connection->session), 60, 10, 3);
	serve(connection);
}

/* The client's side. */

static enum status connect_echo(struct echo *echo, const struct target *like, const char *address)
{
	struct target target = *like;
	target.kind = TARGET_SSH;
	target.host = "127.0.0.1";
	target.port = (unsigned)strtoul(strrchr(address, ':') + 1, NULL, 10);
	return link_open(&target, &echo->link);
}

static pid_t fork_server(int listen_fd, const char *host_key)
{
	pid_t parent = getpid(), pid = fork();
	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0); /* an interrupt from the terminal is for the runner alone */
	if (getppid() == parent)
		run_server(listen_fd, host_key);
	_exit(0);
}

enum status echo_start(const char *host_key, const struct target *target, struct echo **echo)
{
	int fd;
	char address[OS_ADDRESS_SIZE];
	if (os_listen_tcp("127.0.0.1:0", 1, &fd, address) != ST_OK)
		return say_failed("cannot listen on loopback");
	int flags = fcntl(fd, F_GETFL);
	fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
	struct echo *made = memory_zalloc(sizeof(*made));
	made->pid = fork_server(fd, host_key);
	os_close(fd);
	enum status status = made->pid > 0 ? connect_echo(made, target, address) : ST_IO;
	if (status != ST_OK) {
		echo_end(made);
		return say_failed("the echo server did not start");
	}
	*echo = made;
	return ST_OK;
}

void echo_end(struct echo *echo)
{
	if (echo == NULL)
		return;
	link_close(echo->link);
	if (echo->pid > 0) {
		kill(echo->pid, SIGKILL);
		waitpid(echo->pid, NULL, 0);
	}
	memory_free(echo);
}

struct link *echo__link(struct echo *echo)
{
	return echo->link;
}

enum status echo__discard(struct echo *echo, uint64_t size)
{
	while (size > 0) {
		long got = link_read(echo->link, echo->scratch, size < IO_SIZE ? size : IO_SIZE, TIMEOUT_MS);
		if (got <= 0)
			return say_failed("the echo server does not answer");
		size -= (uint64_t)got;
	}
	return ST_OK;
}

enum status echo_round(struct echo *echo, struct bytes request, uint64_t reply_size, uint64_t *elapsed_ns)
{
	ASSERT(request.size >= ECHO_HEADER_SIZE && request.size <= IO_SIZE);
	struct echo_header header = {request.size, reply_size};
	char copy[4096], *data = request.size <= sizeof(copy) ? copy : echo->scratch;
	memcpy(data, request.data, request.size);
	memcpy(data, &header, sizeof(header));
	uint64_t begin_ns = os_clock_monotonic_ns();
	enum status status = link_write(echo->link, (struct bytes){data, request.size});
	if (status != ST_OK)
		return say_failed("the echo server has gone");
	status = echo__discard(echo, reply_size);
	if (status == ST_OK)
		*elapsed_ns = os_clock_monotonic_ns() - begin_ns;
	return status;
}
