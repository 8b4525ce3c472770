/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A session's requests are made and framed before the barrier that all sessions and the runner meet at; from
 * there on it only sends, receives and looks at the clock. A request's latency is from before its first byte
 * is sent to after its reply's last, so that with a pipeline it includes the wait behind those before it.
 */
#include "crowd.h"

#include <pthread.h>

#include "base/assert.h"
#include "base/memory.h"
#include "os/clock.h"

struct crowd_session {
	struct client *client;
	pthread_t thread;
	pthread_barrier_t *start;
	unsigned depth;	       /* requests in flight */
	struct buffer framed;  /* all requests, one after the other */
	struct vector offsets; /* size_t: where each begins in it, and the end */
	uint64_t *begin_ns;    /* of each request */
	struct stats latencies;
	uint64_t end_ns;
	enum status status;
};

static struct bytes request_at(const struct crowd_session *session, size_t i)
{
	size_t begin = *(size_t *)vector_at(&session->offsets, i);
	size_t end = *(size_t *)vector_at(&session->offsets, i + 1);
	return (struct bytes){buffer_get(&session->framed).data + begin, end - begin};
}

static enum status send_request(struct crowd_session *session, size_t i)
{
	session->begin_ns[i] = os_clock_monotonic_ns();
	return client_send(session->client, request_at(session, i));
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

static void *work(void *arg)
{
	struct crowd_session *session = arg;
	size_t count = session->offsets.length - 1, sent = 0;
	enum status status = ST_OK;
	pthread_barrier_wait(session->start);
	for (size_t received = 0; received < count && status == ST_OK; received++) {
		while (sent < count && sent < received + session->depth && status == ST_OK)
			status = send_request(session, sent++);
		if (status == ST_OK)
			status = receive_reply(session, received);
	}
	session->end_ns = os_clock_monotonic_ns();
	session->status = status;
	return NULL;
}

enum status crowd_open(struct crowd *crowd, struct run *run, const struct server *server, unsigned count)
{
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
		session->depth = run->options->pipeline;
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

static void prepare(struct crowd_session *session, const struct crowd_work *work, uint64_t first)
{
	struct buffer request;
	buffer_init(&request, SIZE_MAX);
	buffer_clear(&session->framed, SIZE_MAX);
	vector_clear(&session->offsets);
	vector_clear(&session->latencies.samples);
	*(size_t *)vector_push(&session->offsets) = 0;
	for (uint64_t i = 0; i < work->count; i++) {
		buffer_clear(&request, SIZE_MAX);
		work->make(&request, first + i, work->arg);
		client_frame(session->client, &session->framed, buffer_get(&request));
		*(size_t *)vector_push(&session->offsets) = buffer_size(&session->framed);
	}
	session->begin_ns = memory_resize(session->begin_ns, work->count, sizeof(*session->begin_ns));
	buffer_fini(&request);
}

static void gather(const struct crowd_session *session, struct stats *latencies)
{
	const uint64_t *samples = session->latencies.samples.data;
	for (size_t i = 0; i < session->latencies.samples.length; i++)
		stats_add(latencies, samples[i]);
}

/* All threads exist before the first may begin; where one cannot be made, the program is of no use. */
static void start_all(struct crowd *crowd, pthread_barrier_t *start)
{
	for (unsigned i = 0; i < crowd->count; i++) {
		crowd->sessions[i].start = start;
		int error = pthread_create(&crowd->sessions[i].thread, NULL, work, &crowd->sessions[i]);
		ASSERT(error == 0);
	}
}

enum status crowd_work(struct crowd *crowd, const struct crowd_work *work, struct crowd_figures *figures)
{
	pthread_barrier_t start;
	pthread_barrier_init(&start, NULL, crowd->count + 1);
	for (unsigned i = 0; i < crowd->count; i++)
		prepare(&crowd->sessions[i], work, i * work->count);
	start_all(crowd, &start);
	uint64_t begin_ns = os_clock_monotonic_ns(), end_ns = begin_ns;
	pthread_barrier_wait(&start);
	enum status status = ST_OK;
	for (unsigned i = 0; i < crowd->count; i++) {
		struct crowd_session *session = &crowd->sessions[i];
		pthread_join(session->thread, NULL);
		end_ns = session->end_ns > end_ns ? session->end_ns : end_ns;
		status = status == ST_OK ? session->status : status;
		gather(session, &figures->latencies);
	}
	pthread_barrier_destroy(&start);
	figures->operations = crowd->count * work->count;
	figures->elapsed_ns = end_ns - begin_ns;
	return status;
}
