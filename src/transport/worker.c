/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Workers. Each is a thread that runs an event loop and owns the connections that were given to it; nothing
 * of a connection is ever touched by another thread but through os_loop_post.
 *
 * The end: the server has told its sessions to answer what is in flight and to close
 * (netconf_server_shutdown), so a worker only has to let its connections see that, and waits until the last
 * one is gone or the grace time is over, then drops the rest. Connections that are handed over while a worker
 * is stopping are ended at once.
 *
 *     RUNNING --stop posted--> STOPPING --no connection left, or grace over--> loop stopped, thread ends
 *
 * os_loop_run still runs all posts after a stop, so that a pipe which a session woke in its last moment is
 * freed by its own post (pipe.c).
 */
#include "transport/worker.h"

#include "base/assert.h"
#include "base/log.h"
#include "base/memory.h"
#include "os/clock.h"
#include "transport/internal.h"

#define LOG_GATE_NS (1000 * NS_PER_MS)
#define COMPANION_NS NS_PER_MS

struct call {
	struct os_post post;
	void (*run)(void *arg);
	void *arg;
	pthread_mutex_t lock;
	pthread_cond_t done_cond;
	bool done;
};

static void run_call(struct os_post *post)
{
	struct call *call = (struct call *)post;
	call->run(call->arg);
	pthread_mutex_lock(&call->lock);
	call->done = true;
	pthread_cond_signal(&call->done_cond);
	pthread_mutex_unlock(&call->lock);
}

void transport__worker_call(struct transport_worker *worker, void (*run)(void *arg), void *arg)
{
	struct call call = {.post = {.run = run_call}, .run = run, .arg = arg};
	pthread_mutex_init(&call.lock, NULL);
	pthread_cond_init(&call.done_cond, NULL);
	os_loop_post(worker->loop, &call.post);
	pthread_mutex_lock(&call.lock);
	while (!call.done)
		pthread_cond_wait(&call.done_cond, &call.lock);
	pthread_mutex_unlock(&call.lock);
	pthread_cond_destroy(&call.done_cond);
	pthread_mutex_destroy(&call.lock);
}

void transport__connection_add(struct transport_connection *connection, struct transport_worker *worker)
{
	connection->worker = worker;
	connection->previous = NULL;
	connection->next = worker->first;
	if (worker->first != NULL)
		worker->first->previous = connection;
	worker->first = connection;
}

void transport__connection_remove(struct transport_connection *connection)
{
	struct transport_worker *worker = connection->worker;
	if (connection->previous != NULL)
		connection->previous->next = connection->next;
	else
		worker->first = connection->next;
	if (connection->next != NULL)
		connection->next->previous = connection->previous;
	if (worker->stopping && worker->first == NULL)
		os_loop_stop(worker->loop);
}

static void on_grace_over(struct os_timer *timer)
{
	struct transport_worker *worker =
		(struct transport_worker *)((char *)timer - offsetof(struct transport_worker, grace));
	size_t dropped = 0;
	for (; worker->first != NULL; dropped++)
		worker->first->drop(worker->first);
	log_warning("%zu connections dropped at the end of the grace time", dropped);
}

static void begin_stop(void *arg)
{
	struct transport_worker *worker = arg;
	worker->stopping = true;
	if (worker->first == NULL) {
		os_loop_stop(worker->loop);
		return;
	}
	os_timer_set(worker->loop, &worker->grace, worker->grace_end_ns);
	struct transport_connection *next;
	for (struct transport_connection *connection = worker->first; connection != NULL; connection = next) {
		next = connection->next;
		connection->stop(connection);
	}
}

void transport__worker_note_commit(struct transport_worker *worker)
{
	atomic_store_explicit(&worker->commit_ns, os_clock_monotonic_ns(), memory_order_relaxed);
}

/* Whether another worker is likely to commit soon: it did a moment ago, and has something to do. */
static bool has_companions(const struct transport_worker *worker)
{
	struct transport_workers *workers = worker->workers;
	uint64_t now_ns = os_clock_monotonic_ns();
	for (size_t i = 0; i < workers->count; i++) {
		struct transport_worker *other = &workers->workers[i];
		uint64_t commit_ns = atomic_load_explicit(&other->commit_ns, memory_order_relaxed);
		if (other != worker && commit_ns + COMPANION_NS > now_ns && os_loop_is_at_work(other->loop))
			return true;
	}
	return false;
}

unsigned transport__worker_others(const struct transport_worker *worker)
{
	struct transport_workers *workers = worker->workers;
	unsigned count = 0;
	for (size_t i = 0; i < workers->count; i++)
		count += i != worker->index && os_loop_is_at_work(workers->workers[i].loop);
	return count;
}

/* The sync that sessions left is made when nothing else is to be done. */
static uint64_t on_rest(struct os_loop_rest *rest, bool quiet)
{
	struct transport_worker *worker =
		(struct transport_worker *)((char *)rest - offsetof(struct transport_worker, rest));
	if (worker->server == NULL)
		return UINT64_MAX;
	if (netconf_server_rests(worker->server)) {
		netconf_server_tidy(worker->server);
		return UINT64_MAX;
	}
	bool company = !quiet || has_companions(worker);
	uint64_t wait_ns = netconf_server_rest(worker->server, company ? STORE_COMPANIONS : STORE_NOBODY);
	return quiet || wait_ns == UINT64_MAX ? wait_ns : 0;
}

static void *run_worker(void *arg)
{
	struct transport_worker *worker = arg;
	os_loop_run(worker->loop);
	if (worker->server != NULL)
		netconf_server_leave(worker->server);
	return NULL;
}

static enum status start_worker(struct transport_worker *worker)
{
	enum status status = os_loop_new(&worker->loop);
	if (status != ST_OK)
		return status;
	worker->scratch = memory_alloc(TRANSPORT_TURN_SIZE);
	os_timer_init(&worker->grace, on_grace_over);
	worker->rest.on_rest = on_rest;
	os_loop_set_rest(worker->loop, &worker->rest);
	if (pthread_create(&worker->thread, NULL, run_worker, worker) == 0)
		return ST_OK;
	os_loop_free(worker->loop);
	memory_free(worker->scratch);
	return ST_LIMIT;
}

enum status transport_workers_start(size_t count, struct transport_workers **workers)
{
	ASSERT(count > 0);
	struct transport_workers *made =
		memory_zalloc(sizeof(*made) + count * sizeof(struct transport_worker));
	for (; made->count < count; made->count++) {
		struct transport_worker *worker = &made->workers[made->count];
		worker->workers = made;
		worker->index = made->count;
		enum status status = start_worker(worker);
		if (status != ST_OK) {
			log_error("cannot start worker %zu", made->count);
			transport_workers_stop(made, 0);
			return status;
		}
	}
	*workers = made;
	return ST_OK;
}

void transport_workers_stop(struct transport_workers *workers, uint64_t grace_ms)
{
	uint64_t grace_end_ns = os_clock_after_ms(os_clock_monotonic_ns(), grace_ms);
	for (size_t i = 0; i < workers->count; i++) {
		workers->workers[i].grace_end_ns = grace_end_ns;
		transport__worker_call(&workers->workers[i], begin_stop, &workers->workers[i]);
	}
	for (size_t i = 0; i < workers->count; i++)
		pthread_join(workers->workers[i].thread, NULL);
	/* Not before: they look at each other's loops. */
	for (size_t i = 0; i < workers->count; i++) {
		struct transport_worker *worker = &workers->workers[i];
		ASSERT(worker->first == NULL);
		os_loop_free(worker->loop);
		memory_free(worker->scratch);
	}
	memory_free(workers);
}

struct transport_service *transport__service_ref(struct transport_service *service)
{
	atomic_fetch_add_explicit(&service->refs, 1, memory_order_relaxed);
	return service;
}

void transport__service_unref(struct transport_service *service)
{
	if (atomic_fetch_sub_explicit(&service->refs, 1, memory_order_acq_rel) == 1)
		service->free(service);
}

bool transport__log_gate(struct transport_log_gate *gate)
{
	uint64_t now = os_clock_monotonic_ns();
	uint64_t next = atomic_load_explicit(&gate->next_ns, memory_order_relaxed);
	return now >= next && atomic_compare_exchange_strong(&gate->next_ns, &next, now + LOG_GATE_NS);
}
