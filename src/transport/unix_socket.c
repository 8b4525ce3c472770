/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The UNIX socket transport: the session's bytes are the socket's bytes. Who may connect is decided by the
 * mode of the socket file; who did is asked of the kernel.
 *
 * The socket is watched level-triggered for just what the pipe waits for. A client that is gone for good
 * shows as EPOLLHUP, which cannot be switched off: the connection is dropped as soon as there is nothing left
 * to read, so that the loop does not spin on it while a job of the session runs.
 */
#include "base/log.h"
#include "base/memory.h"
#include "transport/internal.h"
#include "transport/pipe.h"

#include <sys/epoll.h>

#define BACKLOG 512
#define SOCKET_MODE 0600
#define USER_SIZE 256

struct unix_service {
	struct transport_service base;
	struct transport_log_gate refused_gate;
};

struct unix_connection {
	struct transport_connection base;
	struct os_watch watch;
	struct transport_pipe *pipe;
	struct transport_service *service;
	bool readable; /* no: the last read took all there was; until epoll says otherwise */
	bool blocked;  /* the socket took less than it was given; until epoll says otherwise */
	bool hung_up;
};

static void free_connection(struct unix_connection *connection)
{
	transport__pipe_free(connection->pipe);
	int fd = connection->watch.fd;
	os_loop_remove(&connection->watch);
	os_close(fd);
	transport__service_unref(connection->service);
	transport__connection_remove(&connection->base);
	memory_free(connection);
}

static long read_socket(void *owner, char *data, size_t size)
{
	struct unix_connection *connection = owner;
	if (!connection->readable)
		return TRANSPORT_NONE;
	long got = os_socket_read(connection->watch.fd, data, size);
	connection->readable = got == (long)size;
	if (got > 0)
		return got;
	if (got == 0)
		return TRANSPORT_END;
	return got == -1 ? TRANSPORT_NONE : TRANSPORT_BROKEN;
}

static size_t socket_room(void *owner)
{
	const struct unix_connection *connection = owner;
	return connection->blocked ? 0 : TRANSPORT_TURN_SIZE;
}

static long write_socket(void *owner, const char *data, size_t size)
{
	struct unix_connection *connection = owner;
	long sent = os_socket_write(connection->watch.fd, data, size);
	if (sent == -2)
		return TRANSPORT_BROKEN;
	if (sent < 0)
		sent = 0;
	connection->blocked = (size_t)sent < size;
	return sent;
}

static void shut_socket(void *owner)
{
	const struct unix_connection *connection = owner;
	os_socket_shut(connection->watch.fd);
}

static void turn(void *owner)
{
	struct unix_connection *connection = owner;
	transport__pipe_run(connection->pipe);
	unsigned state = transport__pipe_state(connection->pipe);
	bool reads = (state & TRANSPORT_PIPE_READ) != 0;
	if ((state & (TRANSPORT_PIPE_OVER | TRANSPORT_PIPE_BROKEN)) || (connection->hung_up && !reads)) {
		free_connection(connection);
		return;
	}
	os_loop_change(&connection->watch, (reads ? EPOLLIN : 0u) | (connection->blocked ? EPOLLOUT : 0u));
}

static void on_ready(struct os_watch *watch, uint32_t events)
{
	struct unix_connection *connection =
		(struct unix_connection *)((char *)watch - offsetof(struct unix_connection, watch));
	if (events & (EPOLLHUP | EPOLLERR))
		connection->hung_up = true;
	if (events & (EPOLLIN | EPOLLHUP | EPOLLERR))
		connection->readable = true;
	if (events & (EPOLLOUT | EPOLLHUP | EPOLLERR))
		connection->blocked = false;
	turn(connection);
}

static void drop(struct transport_connection *connection)
{
	free_connection((struct unix_connection *)connection);
}

static void stop(struct transport_connection *connection)
{
	turn(connection);
}

static const struct transport_pipe_ops ops = {
	.read = read_socket,
	.room = socket_room,
	.write = write_socket,
	.shut = shut_socket,
	.turn = turn,
};

static void start(struct transport_service *service, struct transport_worker *worker, int fd,
		  const char peer[OS_ADDRESS_SIZE])
{
	char user[USER_SIZE];
	enum status status = os_peer_user(fd, user, sizeof(user));
	if (status != ST_OK) { /* as when there is no descriptor left to read the user database with */
		if (transport__log_gate(&((struct unix_service *)service)->refused_gate))
			log_warning("a UNIX connection was refused: its user cannot be determined: %s",
				    status_name(status));
		os_close(fd);
		return;
	}
	struct unix_connection *connection = memory_zalloc(sizeof(*connection));
	connection->base.stop = stop;
	connection->base.drop = drop;
	connection->watch.on_ready = on_ready;
	connection->watch.fd = fd;
	connection->service = transport__service_ref(service);
	connection->pipe = transport__pipe_new(worker, &ops, connection);
	transport__connection_add(&connection->base, worker);
	struct transport_pipe_peer who = {.user = user, .address = peer, .transport = "unix"};
	if (transport__pipe_open(connection->pipe, service->server, &who) != ST_OK ||
	    os_loop_add(worker->loop, &connection->watch, fd, EPOLLIN) != ST_OK) {
		free_connection(connection);
		return;
	}
	turn(connection); /* the hello */
}

static void free_service(struct transport_service *service)
{
	memory_free(service);
}

enum status transport_listen_unix(struct transport_workers *workers, struct netconf_server *server,
				  const char *path, struct transport_listener **listener)
{
	int fd;
	enum status status = os_listen_unix(path, SOCKET_MODE, BACKLOG, &fd);
	if (status != ST_OK) {
		log_error("cannot listen on %s: %s", path,
			  status == ST_REJECTED ? "the path is too long"
			  : status == ST_BUSY	? "another server listens there, or it is no socket"
						: status_name(status));
		return status;
	}
	struct unix_service *service = memory_zalloc(sizeof(*service));
	service->base =
		(struct transport_service){.refs = 1, .server = server, .start = start, .free = free_service};
	return transport__listener_new(workers, &service->base, fd, memory_strdup(path), listener);
}
