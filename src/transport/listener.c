/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Listeners: accepting sockets on the first worker. An accepted connection is handed over to the workers in
 * turn, where its service starts it. The handover carries a reference to the service, not to the listener,
 * which may be closed before the other worker comes to it.
 *
 * When the process is out of descriptors, accepting pauses: the socket stays readable, so going on would be a
 * busy loop. What waits in the backlog is accepted afterwards.
 */
#include "base/log.h"
#include "base/memory.h"
#include "os/clock.h"
#include "os/file.h"
#include "transport/internal.h"

#include <sys/epoll.h>

#define ACCEPTS_A_TURN 16
#define PAUSE_NS (100 * NS_PER_MS) /* when there are no descriptors */

struct transport_listener {
	struct os_watch watch;
	struct os_timer pause;
	struct transport_workers *workers;
	struct transport_service *service;
	char *path; /* removed at the end; NULL: none */
	struct transport_log_gate limit_gate;
	enum status added;
};

struct handover {
	struct os_post post;
	struct transport_service *service;
	struct transport_worker *worker;
	int fd;
	char peer[OS_ADDRESS_SIZE];
};

static void start_connection(struct transport_worker *worker, struct transport_service *service, int fd,
			     const char peer[OS_ADDRESS_SIZE])
{
	if (worker->stopping)
		os_close(fd);
	else
		service->start(service, worker, fd, peer);
}

static void take_over(struct os_post *post)
{
	struct handover *handover = (struct handover *)post;
	start_connection(handover->worker, handover->service, handover->fd, handover->peer);
	transport__service_unref(handover->service);
	memory_free(handover);
}

static void hand_over(struct transport_listener *listener, int fd, const char peer[OS_ADDRESS_SIZE])
{
	struct transport_workers *workers = listener->workers;
	struct transport_worker *worker = &workers->workers[workers->turn++ % workers->count];
	if (worker->index == 0) {
		start_connection(worker, listener->service, fd, peer);
		return;
	}
	struct handover *handover = memory_zalloc(sizeof(*handover));
	handover->post.run = take_over;
	handover->service = transport__service_ref(listener->service);
	handover->worker = worker;
	handover->fd = fd;
	memcpy(handover->peer, peer, OS_ADDRESS_SIZE);
	os_loop_post(worker->loop, &handover->post);
}

static void on_pause_over(struct os_timer *timer)
{
	struct transport_listener *listener =
		(struct transport_listener *)((char *)timer - offsetof(struct transport_listener, pause));
	os_loop_change(&listener->watch, EPOLLIN);
}

static void pause_accepting(struct transport_listener *listener, enum status status)
{
	if (transport__log_gate(&listener->limit_gate))
		log_warning("cannot accept connections: %s",
			    status == ST_LIMIT ? "out of file descriptors or memory" : status_name(status));
	os_loop_change(&listener->watch, 0);
	os_timer_set(listener->workers->workers[0].loop, &listener->pause,
		     os_clock_monotonic_ns() + PAUSE_NS);
}

static void on_connect(struct os_watch *watch, uint32_t events)
{
	(void)events;
	struct transport_listener *listener = (struct transport_listener *)watch;
	struct transport_service *service = listener->service;
	for (int i = 0; i < ACCEPTS_A_TURN; i++) {
		int fd;
		char peer[OS_ADDRESS_SIZE];
		enum status status = os_accept(watch->fd, &fd, peer);
		if (status == ST_BUSY)
			return;
		if (status != ST_OK) {
			pause_accepting(listener, status);
			return;
		}
		if (service->admit != NULL && !service->admit(service, peer))
			os_close(fd);
		else
			hand_over(listener, fd, peer);
	}
}

static void begin_accepting(void *arg)
{
	struct transport_listener *listener = arg;
	listener->added = os_loop_add(listener->workers->workers[0].loop, &listener->watch,
				      listener->watch.fd, EPOLLIN);
}

static void end_accepting(void *arg)
{
	struct transport_listener *listener = arg;
	os_timer_cancel(&listener->pause);
	os_loop_remove(&listener->watch);
}

static void free_listener(struct transport_listener *listener)
{
	os_close(listener->watch.fd);
	if (listener->path != NULL && os_fs_real()->unlink(os_fs_real(), listener->path) != ST_OK)
		log_warning("cannot remove %s", listener->path);
	memory_free(listener->path);
	transport__service_unref(listener->service);
	memory_free(listener);
}

enum status transport__listener_new(struct transport_workers *workers, struct transport_service *service,
				    int fd, char *path, struct transport_listener **listener)
{
	struct transport_listener *made = memory_zalloc(sizeof(*made));
	made->watch.on_ready = on_connect;
	made->watch.fd = fd;
	made->workers = workers;
	made->service = service;
	made->path = path;
	os_timer_init(&made->pause, on_pause_over);
	transport__worker_call(&workers->workers[0], begin_accepting, made);
	enum status status = made->added;
	if (status != ST_OK) {
		free_listener(made);
		return status;
	}
	*listener = made;
	return ST_OK;
}

void transport_listener_close(struct transport_listener *listener)
{
	transport__worker_call(&listener->workers->workers[0], end_accepting, listener);
	free_listener(listener);
}
