/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SSH connections: one libssh session each, driven by the worker's epoll.
 *
 *     socket ready, or a session of the connection woke up, or a timer
 *         receive    ssh_event_dopoll of this connection alone: reads, decrypts, answers what is SSH's own,
 * and calls back; until the socket is empty, at most one turn's bytes channels   a turn for each: bytes into
 * its netconf session and out of it (ssh_channel.c, pipe.c) settle     what epoll is to wait for; whether the
 * connection is to end
 *
 * A small request costs four system calls: epoll_wait, poll and recv in libssh, send. That needs some care:
 * libssh sends at once only after it has seen POLLOUT, which it asks for together with POLLIN; so each turn
 * begins with dopoll, also one that only writes. Epoll waits for EPOLLOUT only while libssh has bytes left
 * (SSH_WRITE_PENDING); until they are gone nothing more is written, so that a client which never reads costs
 * one packet's memory.
 *
 * libssh closes the socket itself, in the middle of dopoll. Epoll therefore watches a duplicate, which is
 * ours: its registration cannot be lost, nor its number be somebody else's.
 *
 * Limits before login: time (auth_timeout_ms until a netconf channel is open), failures, bytes, and the
 * number of such connections (ssh_listener.c). Key exchange and signatures cost the worker a few ms of its
 * time.
 */
#include "transport/ssh.h"

#include "base/assert.h"
#include "base/log.h"
#include "base/memory.h"
#include "os/clock.h"

#include <fcntl.h>
#include <sys/epoll.h>

#define READ_SIZE 4096 /* bytes that libssh reads at most in one dopoll */
#define READS_A_TURN (TRANSPORT_TURN_SIZE / READ_SIZE)
#define ROUNDS_A_TURN 4
#define IDLE_NS (3000 * NS_PER_MS) /* without any channel but closing ones, after there was one */
#define KEEPALIVE_INTERVAL_S 10
#define KEEPALIVE_COUNT 3

static void end_unauthenticated(struct transport_ssh_connection *connection)
{
	atomic_fetch_sub(&connection->service->unauthenticated, 1);
}

static void free_connection(struct transport_ssh_connection *connection)
{
	struct transport_channel *next;
	for (struct transport_channel *channel = connection->channels; channel != NULL; channel = next) {
		next = channel->next;
		transport__channel_free(channel);
	}
	os_timer_cancel(&connection->timer);
	int fd = connection->watch.fd;
	os_loop_remove(&connection->watch);
	ssh_event_free(connection->event);
	ssh_free(connection->session); /* closes its socket */
	os_close(fd);
	if (connection->user == NULL)
		end_unauthenticated(connection);
	memory_free(connection->user);
	transport__service_unref(&connection->service->base);
	transport__connection_remove(&connection->base);
	memory_free(connection);
}

/* A failed attempt to log in. */
static void count_failure(struct transport_ssh_connection *connection, const char *user)
{
	if (++connection->failures < connection->service->limits.login_attempts)
		return;
	connection->doomed = true;
	if (transport__log_gate(&connection->service->denied_gate))
		log_info("%s refused: too many failed logins, the last one as '%s'", connection->peer, user);
}

static int on_pubkey(ssh_session session, const char *user, struct ssh_key_struct *key, char state, void *arg)
{
	(void)session;
	struct transport_ssh_connection *connection = arg;
	bool asks = state == SSH_PUBLICKEY_STATE_NONE; /* whether it should sign with this key */
	if ((!asks && state != SSH_PUBLICKEY_STATE_VALID) || connection->user != NULL || connection->doomed ||
	    user == NULL || user[0] == '\0' ||
	    !transport__auth_allows(connection->service->auth, user, key)) {
		count_failure(connection, user != NULL ? user : "");
		return SSH_AUTH_DENIED;
	}
	if (!asks) {
		connection->user = memory_strdup(user);
		end_unauthenticated(connection);
	}
	return SSH_AUTH_SUCCESS;
}

/* OpenSSH's client asks with this which methods there are; that is no failure. */
static int on_none(ssh_session session, const char *user, void *arg)
{
	(void)session;
	(void)user;
	(void)arg;
	return SSH_AUTH_DENIED;
}

static int on_password(ssh_session session, const char *user, const char *password, void *arg)
{
	(void)session;
	(void)password;
	count_failure(arg, user);
	return SSH_AUTH_DENIED;
}

/* Without this one libssh would ask the system's GSSAPI mechanisms, for clients that nobody knows. */
static ssh_string on_gssapi(ssh_session session, const char *user, int count, ssh_string *oids, void *arg)
{
	(void)session;
	(void)count;
	(void)oids;
	count_failure(arg, user);
	return NULL;
}

static ssh_channel on_channel_open(ssh_session session, void *arg)
{
	(void)session;
	return transport__channel_open(arg);
}

bool transport__ssh_connection_blocked(const struct transport_ssh_connection *connection)
{
	return (ssh_get_status(connection->session) & SSH_WRITE_PENDING) != 0;
}

static bool is_broken(const struct transport_ssh_connection *connection)
{
	return connection->doomed || ssh_get_fd(connection->session) == SSH_INVALID_SOCKET ||
	       (ssh_get_status(connection->session) & (SSH_CLOSED | SSH_CLOSED_ERROR)) != 0;
}

static void receive(struct transport_ssh_connection *connection)
{
	for (size_t i = 0; i < READS_A_TURN && !is_broken(connection); i++) {
		uint64_t before = connection->socket_counter.in_bytes;
		ssh_event_dopoll(connection->event, 0);
		if (connection->socket_counter.in_bytes - before < READ_SIZE)
			break;
	}
	if (connection->user == NULL &&
	    connection->socket_counter.in_bytes > connection->service->limits.login_size)
		connection->doomed = true;
}

static void run_channels(struct transport_ssh_connection *connection)
{
	struct transport_channel *channel = connection->channels, *next;
	struct transport_channel *kept = NULL;
	/* A channel that the client opens meanwhile, while libssh polls in a write, comes to the head of the
	 * list. */
	connection->channels = NULL;
	for (; channel != NULL; channel = next) {
		next = channel->next;
		if (!transport__channel_turn(channel))
			continue;
		channel->next = kept;
		kept = channel;
	}
	struct transport_channel **end = &connection->channels;
	while (*end != NULL)
		end = &(*end)->next;
	*end = kept;
}

static bool has_live_channel(const struct transport_ssh_connection *connection)
{
	for (struct transport_channel *channel = connection->channels; channel != NULL;
	     channel = channel->next) {
		if (channel->state != TRANSPORT_CHANNEL_CLOSING)
			return true;
	}
	return false;
}

/* Whether nothing is left to do here but to wait for the client, which the end of the server does not. */
static bool can_stop(const struct transport_ssh_connection *connection)
{
	for (struct transport_channel *channel = connection->channels; channel != NULL;
	     channel = channel->next) {
		if (channel->state == TRANSPORT_CHANNEL_SERVING ||
		    (channel->state == TRANSPORT_CHANNEL_CLOSING && !channel->closed_by_us))
			return false;
	}
	return !transport__ssh_connection_blocked(connection);
}

/* What to wait for. Frees the connection where it is at its end. */
static void settle(struct transport_ssh_connection *connection)
{
	struct os_loop *loop = connection->base.worker->loop;
	if (is_broken(connection) || (connection->base.worker->stopping && can_stop(connection))) {
		free_connection(connection);
		return;
	}
	bool writes = connection->again || transport__ssh_connection_blocked(connection);
	os_loop_change(&connection->watch, EPOLLIN | (writes ? EPOLLOUT : 0u));
	bool idle = connection->served && !has_live_channel(connection);
	if (idle && !connection->idle)
		os_timer_set(loop, &connection->timer, os_clock_monotonic_ns() + IDLE_NS);
	else if (!idle && connection->idle)
		os_timer_cancel(&connection->timer);
	connection->idle = idle;
}

void transport__ssh_connection_turn(void *arg)
{
	struct transport_ssh_connection *connection = arg;
	receive(connection);
	connection->again = true;
	for (int i = 0; i < ROUNDS_A_TURN && connection->again && !is_broken(connection); i++) {
		uint64_t before = connection->socket_counter.in_bytes;
		run_channels(connection);
		connection->again = connection->socket_counter.in_bytes != before;
	}
	settle(connection);
}

static void on_ready(struct os_watch *watch, uint32_t events)
{
	(void)events;
	transport__ssh_connection_turn((char *)watch - offsetof(struct transport_ssh_connection, watch));
}

static void on_timer(struct os_timer *timer)
{
	struct transport_ssh_connection *connection =
		(struct transport_ssh_connection *)((char *)timer -
						    offsetof(struct transport_ssh_connection, timer));
	log_debug("%s dropped: %s", connection->peer,
		  connection->served ? "no channel" : "no session in time");
	free_connection(connection);
}

static void drop(struct transport_connection *connection)
{
	free_connection((struct transport_ssh_connection *)connection);
}

static void stop(struct transport_connection *connection)
{
	transport__ssh_connection_turn(connection);
}

static void set_callbacks(struct transport_ssh_connection *connection)
{
	connection->callbacks = (struct ssh_server_callbacks_struct){
		.userdata = connection,
		.auth_pubkey_function = on_pubkey,
		.auth_none_function = on_none,
		.auth_password_function = on_password,
		.gssapi_select_oid_function = on_gssapi,
		.channel_open_request_session_function = on_channel_open,
	};
	ssh_callbacks_init(&connection->callbacks);
	ssh_set_server_callbacks(connection->session, &connection->callbacks);
	ssh_set_auth_methods(connection->session, SSH_AUTH_METHOD_PUBLICKEY);
	ssh_set_counters(connection->session, &connection->socket_counter, &connection->packet_counter);
}

/* Gives the socket to libssh and sends the banner. Takes the fd in any case. */
static bool begin(struct transport_ssh_connection *connection, int fd)
{
	ssh_session session = connection->session = ssh_new();
	connection->event = ssh_event_new();
	if (session == NULL || connection->event == NULL) {
		os_close(fd);
		return false;
	}
	ssh_set_blocking(session, 0);
	ssh_options_set(session, SSH_OPTIONS_COMPRESSION, "none");
	ssh_bind bind = connection->service->binds[connection->base.worker->index];
	if (ssh_bind_accept_fd(bind, session, fd) != SSH_OK) {
		if (ssh_get_fd(session) != fd)
			os_close(fd);
		return false;
	}
	set_callbacks(connection);
	if (ssh_handle_key_exchange(session) == SSH_ERROR)
		return false;
	return ssh_event_add_session(connection->event, session) == SSH_OK;
}

static void on_no_descriptor(struct transport_ssh_connection *connection)
{
	if (transport__log_gate(&connection->service->full_gate))
		log_warning("%s refused: out of file descriptors", connection->peer);
}

void transport__ssh_connection_start(struct transport_service *service, struct transport_worker *worker,
				     int fd, const char peer[OS_ADDRESS_SIZE])
{
	struct transport_ssh_connection *connection = memory_zalloc(sizeof(*connection));
	connection->base.stop = stop;
	connection->base.drop = drop;
	connection->service = (struct transport_ssh_service *)transport__service_ref(service);
	connection->watch.on_ready = on_ready;
	memcpy(connection->peer, peer, OS_ADDRESS_SIZE);
	os_timer_init(&connection->timer, on_timer);
	transport__connection_add(&connection->base, worker);
	os_socket_tune(fd, connection->service->keepalive_s, KEEPALIVE_INTERVAL_S, KEEPALIVE_COUNT);
	connection->watch.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (connection->watch.fd < 0) {
		on_no_descriptor(connection);
		os_close(fd);
		free_connection(connection);
		return;
	}
	if (!begin(connection, fd) ||
	    os_loop_add(worker->loop, &connection->watch, connection->watch.fd, EPOLLIN) != ST_OK) {
		free_connection(connection);
		return;
	}
	os_timer_set(worker->loop, &connection->timer,
		     os_clock_after_ms(os_clock_monotonic_ns(), connection->service->auth_timeout_ms));
	settle(connection);
}
