/* SPDX-License-Identifier: BSD-3-Clause */
/* What is sent at once is as much as there is room for: a client that writes each request by itself measures
 * its own system calls. */
#include "committers.h"

#include <pthread.h>

#include "base/memory.h"
#include "os/clock.h"
#include "say.h"

/* One session's part. */
struct part {
	struct committers *committers;
	struct client *client;
	uint64_t first, count;
	struct buffer request, framed;
	pthread_t thread;
	bool started;
	enum status status;
};

enum status committers_open(struct run *run, const struct server *server, struct committers_shape shape,
			    struct committers *committers)
{
	*committers = (struct committers){.run = run, .shape = shape, .next = 1};
	committers->clients = memory_zalloc(shape.sessions * sizeof(struct client *));
	enum status status = ST_OK;
	for (unsigned i = 0; i < shape.sessions && status == ST_OK; i++)
		status = run_connect(run, server, run_default_transport(run), &committers->clients[i]);
	return status;
}

void committers_close(struct committers *committers)
{
	for (unsigned i = 0; committers->clients != NULL && i < committers->shape.sessions; i++)
		client_close(committers->clients[i]);
	memory_free(committers->clients);
	committers->clients = NULL;
}

static enum status send_some(struct part *part, uint64_t from, uint64_t count)
{
	buffer_clear(&part->framed, SIZE_MAX);
	for (uint64_t i = 0; i < count; i++) {
		buffer_clear(&part->request, SIZE_MAX);
		perf_test_edit(&part->request, from + i, PERF_TEST_ENTRIES,
			       (struct perf_test_range){part->committers->run->options->seed, from + i, 1});
		client_frame(part->client, &part->framed, buffer_get(&part->request));
	}
	return client_send(part->client, buffer_get(&part->framed));
}

/* One at least. */
static enum status receive_some(struct part *part, uint64_t *received, uint64_t sent)
{
	enum status status = ST_OK;
	do {
		struct client_reply reply = {0};
		status = client_receive(part->client, &reply);
		if (status == ST_OK && reply.is_error) {
			client_say_error(&reply);
			status = ST_REJECTED;
		}
		*received += status == ST_OK;
	} while (status == ST_OK && *received < sent && client_has_input(part->client));
	return status;
}

static void *run_part(void *arg)
{
	struct part *part = arg;
	uint64_t sent = 0, received = 0;
	while (received < part->count && part->status == ST_OK) {
		uint64_t room = part->committers->shape.pipeline - (sent - received);
		uint64_t count = part->count - sent < room ? part->count - sent : room;
		if (count > 0)
			part->status = send_some(part, part->first + sent, count);
		sent += count;
		if (part->status == ST_OK)
			part->status = receive_some(part, &received, sent);
	}
	return NULL;
}

static enum status start_part(struct part *part)
{
	buffer_init(&part->request, SIZE_MAX);
	buffer_init(&part->framed, SIZE_MAX);
	part->started = pthread_create(&part->thread, NULL, run_part, part) == 0;
	return part->started ? ST_OK : say_failed("cannot start a thread");
}

static enum status end_part(struct part *part)
{
	if (part->started)
		pthread_join(part->thread, NULL);
	buffer_fini(&part->request);
	buffer_fini(&part->framed);
	return part->status;
}

enum status committers_run(struct committers *committers, uint64_t count, uint64_t *elapsed_ns)
{
	unsigned length = committers->shape.sessions;
	struct part *parts = memory_zalloc(length * sizeof(*parts));
	uint64_t begin_ns = os_clock_monotonic_ns();
	enum status status = ST_OK;
	for (unsigned i = 0; i < length; i++) {
		uint64_t share = count / length + (i < count % length);
		parts[i] = (struct part){.committers = committers,
					 .client = committers->clients[i],
					 .first = committers->next,
					 .count = share};
		committers->next += share;
		if (status == ST_OK)
			status = start_part(&parts[i]);
	}
	for (unsigned i = 0; i < length; i++) {
		enum status ended = end_part(&parts[i]);
		status = status == ST_OK ? ended : status;
	}
	*elapsed_ns += os_clock_monotonic_ns() - begin_ns;
	memory_free(parts);
	return status;
}
