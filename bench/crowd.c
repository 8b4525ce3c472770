/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sessions are driven by half as many threads as there are processors, but one at least: a thread for each
 * would cost two changes of thread a request, which in a small request is a third of the client's time, and
 * is the server's to use where they share processors. A thread that drives one session waits in its read, as
 * a client of a single session does; one that drives several, in a poll of them all.
 *
 *     poll -> for each that is readable: receive a reply, send the next request -> poll
 *
 * Requests are made and framed before the barrier that all threads and the runner meet at; from there on they
 * only send, receive and look at the clock. A request's latency is from before its first byte is sent to
 * after its reply's last, so that with a pipeline it includes the wait behind those before it.
 */
#include "crowd.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>

#include "base/assert.h"
#include "base/memory.h"
#include "os/clock.h"
#include "os/pieces.h"
#include "say.h"

struct crowd_session {
	struct client *client;
	unsigned depth;	       /* requests in flight */
	struct buffer framed;  /* all requests, one after the other */
	struct vector offsets; /* size_t: where each begins in it, and the end */
	uint64_t *begin_ns;    /* of each request */
	size_t sent, received;
	struct stats latencies;
	uint64_t end_ns;
	enum status status;
};

/* A thread, and the sessions that it drives. */
struct crew {
	pthread_t thread;
	pthread_barrier_t *start;
	struct crowd_session *sessions;
	struct pollfd *waits; /* of each; of those that have ended, nothing is waited for */
	unsigned count, working;
	int timeout_ms;
};

static struct bytes requests_between(const struct crowd_session *session, size_t first, size_t end)
{
	size_t from = *(size_t *)vector_at(&session->offsets, first);
	size_t to = *(size_t *)vector_at(&session->offsets, end);
	return (struct bytes){buffer_get(&session->framed).data + from, to - from};
}

static enum status receive_reply(struct crowd_session *session, size_t i)
{
	struct client_reply reply = {0};
	enum status status = client_receive(session->client, &reply);
	stats_add(&session->latencies, os_clock_monotonic_ns() - session->begin_ns[i]);
	if (status == ST_OK && reply.is_error) {
		client_say_error(&reply);
		return ST_REJECTED;
	}
	return status;
}

static size_t request_count(const struct crowd_session *session)
{
	return session->offsets.length - 1;
}

static bool has_ended(const struct crowd_session *session)
{
	return session->received == request_count(session) || session->status != ST_OK;
}

/* As much as there is room for, at once: a client that writes each request by itself measures its own system
 * calls. */
static void send_more(struct crowd_session *session)
{
	size_t first = session->sent, end = session->received + session->depth;
	end = end < request_count(session) ? end : request_count(session);
	if (first == end || session->status != ST_OK)
		return;
	uint64_t now_ns = os_clock_monotonic_ns();
	for (size_t i = first; i < end; i++)
		session->begin_ns[i] = now_ns;
	session->sent = end;
	session->status = client_send(session->client, requests_between(session, first, end));
}

/* One reply, and those that came with it. */
static void take_turn(struct crowd_session *session)
{
	do {
		session->status = receive_reply(session, session->received++);
	} while (session->status == ST_OK && session->received < session->sent &&
		 client_is_ready(session->client));
	send_more(session);
}

static void end_session(struct crew *crew, unsigned i)
{
	crew->sessions[i].end_ns = os_clock_monotonic_ns();
	crew->waits[i].fd = -1;
	crew->working--;
}

/* Of several sessions; a single one is waited for by its read. */
static bool wait_for_input(struct crew *crew)
{
	if (crew->count == 1) {
		crew->waits[0].revents = POLLIN;
		return true;
	}
	int ready;
	do {
		ready = poll(crew->waits, crew->count, crew->timeout_ms);
	} while (ready < 0 && errno == EINTR);
	if (ready > 0)
		return true;
	say("no reply in time");
	for (unsigned i = 0; i < crew->count; i++)
		if (!has_ended(&crew->sessions[i]))
			crew->sessions[i].status = ST_IO;
	return false;
}

static void *work(void *arg)
{
	struct crew *crew = arg;
	pthread_barrier_wait(crew->start);
	for (unsigned i = 0; i < crew->count; i++) {
		send_more(&crew->sessions[i]);
		if (has_ended(&crew->sessions[i]))
			end_session(crew, i);
	}
	while (crew->working > 0 && wait_for_input(crew))
		for (unsigned i = 0; i < crew->count; i++) {
			if (crew->waits[i].fd < 0 || crew->waits[i].revents == 0)
				continue;
			take_turn(&crew->sessions[i]);
			if (has_ended(&crew->sessions[i]))
				end_session(crew, i);
		}
	return NULL;
}

enum status crowd_open(struct crowd *crowd, struct run *run, const struct server *server,
		       struct crowd_shape shape)
{
	unsigned count = shape.sessions;
	*crowd = (struct crowd){.run = run,
				.transport = run_default_transport(run),
				.sessions = memory_zalloc(count * sizeof(struct crowd_session)),
				.count = count};
	enum status status = ST_OK;
	for (unsigned i = 0; i < count && status == ST_OK; i++) {
		struct crowd_session *session = &crowd->sessions[i];
		buffer_init(&session->framed, SIZE_MAX);
		vector_init(&session->offsets, sizeof(size_t));
		stats_init(&session->latencies);
		session->depth = shape.pipeline;
		status = run_connect(run, server, crowd->transport, &session->client);
	}
	if (status != ST_OK)
		crowd_close(crowd);
	return status;
}

void crowd_close(struct crowd *crowd)
{
	for (unsigned i = 0; i < crowd->count; i++) {
		struct crowd_session *session = &crowd->sessions[i];
		client_close(session->client);
		buffer_fini(&session->framed);
		vector_fini(&session->offsets);
		stats_fini(&session->latencies);
		memory_free(session->begin_ns);
	}
	memory_free(crowd->sessions);
	*crowd = (struct crowd){0};
}

struct client *crowd_client(const struct crowd *crowd)
{
	return crowd->sessions[0].client;
}

static void prepare(struct crowd_session *session, const struct crowd_work *work, uint64_t first,
		    uint64_t count)
{
	struct buffer request;
	buffer_init(&request, SIZE_MAX);
	buffer_clear(&session->framed, SIZE_MAX);
	vector_clear(&session->offsets);
	vector_clear(&session->latencies.samples);
	session->sent = session->received = 0;
	session->status = ST_OK;
	*(size_t *)vector_push(&session->offsets) = 0;
	for (uint64_t i = 0; i < count; i++) {
		buffer_clear(&request, SIZE_MAX);
		work->make(&request, first + i, work->arg);
		client_frame(session->client, &session->framed, buffer_get(&request));
		*(size_t *)vector_push(&session->offsets) = buffer_size(&session->framed);
	}
	session->begin_ns = memory_resize(session->begin_ns, count, sizeof(*session->begin_ns));
	buffer_fini(&request);
}

static void gather(const struct crowd_session *session, struct stats *latencies)
{
	const uint64_t *samples = session->latencies.samples.data;
	for (size_t i = 0; i < session->latencies.samples.length; i++)
		stats_add(latencies, samples[i]);
}

static void crew_init(struct crew *crew, const struct crowd *crowd, unsigned first, unsigned end)
{
	*crew = (struct crew){.sessions = &crowd->sessions[first],
			      .count = end - first,
			      .working = end - first,
			      .timeout_ms = crowd->run->options->timeout_ms};
	crew->waits = memory_zalloc(crew->count * sizeof(struct pollfd));
	for (unsigned i = 0; i < crew->count; i++)
		crew->waits[i] = (struct pollfd){.fd = client_fd(crew->sessions[i].client), .events = POLLIN};
}

/* All threads exist before the first may begin; where one cannot be made, the program is of no use. */
static void start_all(struct crew *crews, unsigned count, pthread_barrier_t *start)
{
	for (unsigned i = 0; i < count; i++) {
		crews[i].start = start;
		int error = pthread_create(&crews[i].thread, NULL, work, &crews[i]);
		ASSERT(error == 0);
	}
}

/* Gives only the time. */
static void run_crews(struct crew *crews, unsigned count, struct crowd_figures *figures)
{
	pthread_barrier_t start;
	pthread_barrier_init(&start, NULL, count + 1);
	start_all(crews, count, &start);
	uint64_t begin_ns = os_clock_monotonic_ns(), end_ns = begin_ns;
	pthread_barrier_wait(&start);
	for (unsigned i = 0; i < count; i++) {
		pthread_join(crews[i].thread, NULL);
		for (unsigned k = 0; k < crews[i].count; k++)
			if (crews[i].sessions[k].end_ns > end_ns)
				end_ns = crews[i].sessions[k].end_ns;
		memory_free(crews[i].waits);
	}
	pthread_barrier_destroy(&start);
	figures->elapsed_ns = end_ns - begin_ns;
}

enum status crowd_work(struct crowd *crowd, const struct crowd_work *work, struct crowd_figures *figures)
{
	unsigned half = (unsigned)(os_processors() / 2),
		 crew_count = half < crowd->count ? half : crowd->count;
	crew_count = crew_count > 0 ? crew_count : 1;
	struct crew *crews = memory_zalloc(crew_count * sizeof(struct crew));
	for (uint64_t i = 0, first = 0; i < crowd->count; i++) {
		uint64_t share = work->count / crowd->count + (i < work->count % crowd->count);
		prepare(&crowd->sessions[i], work, first, share);
		first += share;
	}
	for (unsigned i = 0; i < crew_count; i++)
		crew_init(&crews[i], crowd, crowd->count * i / crew_count,
			  crowd->count * (i + 1) / crew_count);
	run_crews(crews, crew_count, figures);
	memory_free(crews);
	enum status status = ST_OK;
	for (unsigned i = 0; i < crowd->count; i++) {
		status = status == ST_OK ? crowd->sessions[i].status : status;
		gather(&crowd->sessions[i], &figures->latencies);
	}
	figures->operations = work->count;
	return status;
}
