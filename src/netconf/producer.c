/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Between the encoder and the transport of a large reply: a ring of full buffers.
 *
 *     job, or worker --fill--> [made] --push--> [full ... full] --take--> session's output --> client
 *                                ^                                              |
 *                                +------------------ [spare] <------------------+
 *
 * Who fills holds `turn`, which stands for the request as a whole: the encoder, the filter, the arena. A job
 * fills until the ring is full, and ends: a client that does not read keeps no thread. The worker submits it
 * again when half of the ring is taken, so that the two meet every few hundred KiB. A worker that finds the
 * ring empty and nobody at it fills a buffer itself: a reply waits for no pool that has other work, and
 * without any job goes on as fast as ever.
 *
 * `waiting` is set by a worker that found nothing; whoever holds `turn` then wakes its session, at the latest
 * when it lets go of `turn`. It is set before the worker tries for `turn`, so one of the two sees the other.
 *
 * `queued`: a job was submitted and has not decided to end. It decides under `lock`, so that a ring that was
 * found full is either seen to be half empty by the job, or by the worker.
 *
 * Buffers have room in front for the rest of the one before: a packet of a few bytes costs what a large one
 * does.
 */
#include "netconf/producer.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "os/clock.h"

#define LARGE_SIZE ((size_t)128 * 1024) /* bytes of a reply before jobs go on with it */
#define FILL_NS 1000000			/* what was made in this time is given, however little */
#define WAKE_LENGTH 2			/* buffers for which it is worth waking the worker */

enum got { GOT_NOTHING, GOT_SOME, GOT_LAST };

struct netconf_producer {
	struct netconf_request *request;
	struct os_job job;
	pthread_mutex_t turn;	    /* over the request's encoding, and `made` */
	struct netconf_output made; /* what is being filled */
	bool complete;		    /* the reply's end was made */
	_Atomic bool stopped;
	pthread_mutex_t lock; /* over all below */
	size_t size;	      /* of the ring */
	struct buffer full[NETCONF_PRODUCER_MAX];
	size_t first, length;
	bool last; /* the last one of the ring is the reply's end */
	struct buffer spare[NETCONF_PRODUCER_MAX + 1];
	size_t spare_length;
	bool queued, waiting;
};

void netconf__producer_free(struct netconf_producer *producer)
{
	if (producer == NULL)
		return;
	for (size_t i = 0; i < producer->length; i++)
		buffer_fini(&producer->full[(producer->first + i) % producer->size]);
	for (size_t i = 0; i < producer->spare_length; i++)
		buffer_fini(&producer->spare[i]);
	buffer_fini(&producer->made.out);
	pthread_mutex_destroy(&producer->turn);
	pthread_mutex_destroy(&producer->lock);
	memory_free(producer);
}

/* With `turn`. The next piece of the reply, behind the room for a rest. */
static void make_piece(struct netconf_producer *producer)
{
	struct buffer *out = &producer->made.out;
	if (buffer_size(out) == 0) {
		char *room = buffer_reserve(out, NETCONF_PRODUCER_REST + NETCONF_PRODUCER_SIZE);
		ASSERT(room != NULL);
		buffer_commit(out, NETCONF_PRODUCER_REST);
	}
	producer->complete = netconf__reply_write(&producer->made, producer->request);
}

/* With `turn`. A buffer, as far as it comes in its time. */
static void fill(struct netconf_producer *producer)
{
	const struct buffer *out = &producer->made.out;
	uint64_t end_ns = os_clock_monotonic_ns() + FILL_NS;
	do {
		make_piece(producer);
	} while (!producer->complete && buffer_size(out) < NETCONF_PRODUCER_REST + NETCONF_PRODUCER_SIZE &&
		 !atomic_load_explicit(&producer->stopped, memory_order_relaxed) &&
		 os_clock_monotonic_ns() < end_ns);
}

/* With `turn`. Gives whether the worker is to be woken. */
static bool push(struct netconf_producer *producer)
{
	struct buffer *out = &producer->made.out;
	if (buffer_size(out) == NETCONF_PRODUCER_REST)
		return false; /* nothing was made yet */
	buffer_consume(out, NETCONF_PRODUCER_REST);
	pthread_mutex_lock(&producer->lock);
	ASSERT(producer->length < producer->size);
	producer->full[(producer->first + producer->length++) % producer->size] = *out;
	producer->last = producer->complete;
	if (producer->spare_length > 0)
		*out = producer->spare[--producer->spare_length];
	else
		buffer_init(out, SIZE_MAX);
	bool wakes = producer->waiting && (producer->length >= WAKE_LENGTH || producer->last);
	producer->waiting = producer->waiting && !wakes;
	pthread_mutex_unlock(&producer->lock);
	return wakes;
}

/* Whether the job has something to do; if not, it is none any more. */
static bool goes_on(struct netconf_producer *producer)
{
	pthread_mutex_lock(&producer->lock);
	bool more = !producer->complete && producer->length < producer->size &&
		    !atomic_load_explicit(&producer->stopped, memory_order_relaxed);
	producer->queued = more;
	pthread_mutex_unlock(&producer->lock);
	return more;
}

static bool end_waiting(struct netconf_producer *producer)
{
	pthread_mutex_lock(&producer->lock);
	bool waited = producer->waiting;
	producer->waiting = false;
	pthread_mutex_unlock(&producer->lock);
	return waited;
}

static void run_job(struct os_job *job)
{
	struct netconf_producer *producer =
		(struct netconf_producer *)((char *)job - offsetof(struct netconf_producer, job));
	struct netconf_request *request = producer->request;
	pthread_mutex_lock(&producer->turn);
	while (goes_on(producer)) {
		fill(producer);
		if (push(producer))
			netconf__link_wake(request->link);
	}
	pthread_mutex_unlock(&producer->turn);
	if (end_waiting(producer))
		netconf__link_wake(request->link);
	netconf__request_unref(request);
}

void netconf__producer_stop(struct netconf_producer *producer)
{
	if (producer != NULL)
		atomic_store_explicit(&producer->stopped, true, memory_order_relaxed);
}

bool netconf__producer_is_ready(struct netconf_producer *producer)
{
	pthread_mutex_lock(&producer->lock);
	bool ready = producer->length > 0 || !producer->waiting;
	pthread_mutex_unlock(&producer->lock);
	return ready;
}

/* Puts the bytes into the room in front of what is unread. */
static void prepend(struct buffer *buffer, struct bytes bytes)
{
	ASSERT(bytes.size <= buffer->start);
	if (bytes.size == 0)
		return;
	buffer->start -= bytes.size;
	memcpy(buffer->data + buffer->start, bytes.data, bytes.size);
}

/* The first full one, in place of `out`, whose rest goes before it. GOT_NOTHING: there is none. */
static enum got pop(struct netconf_producer *producer, struct buffer *out)
{
	pthread_mutex_lock(&producer->lock);
	producer->waiting = producer->length == 0;
	if (producer->length == 0) {
		pthread_mutex_unlock(&producer->lock);
		return GOT_NOTHING;
	}
	struct buffer taken = producer->full[producer->first];
	producer->first = (producer->first + 1) % producer->size;
	producer->length--;
	prepend(&taken, buffer_get(out));
	buffer_clear(out, SIZE_MAX);
	producer->spare[producer->spare_length++] = *out;
	*out = taken;
	bool last = producer->last && producer->length == 0;
	pthread_mutex_unlock(&producer->lock);
	return last ? GOT_LAST : GOT_SOME;
}

/* The same; made here where there is none and no job is at it. */
static enum got take(struct netconf_producer *producer, struct buffer *out)
{
	enum got got = pop(producer, out);
	if (got != GOT_NOTHING || pthread_mutex_trylock(&producer->turn) != 0)
		return got;
	got = pop(producer, out); /* a job was quicker */
	if (got == GOT_NOTHING) {
		fill(producer);
		(void)push(producer);
		got = pop(producer, out);
	}
	pthread_mutex_unlock(&producer->turn);
	if (got == GOT_NOTHING) /* in its time; there is more to do here */
		(void)end_waiting(producer);
	return got;
}

/*
 * Whether a processor has nothing to do, as far as this server knows. Each large reply is taken for one that
 * keeps a processor at work, though its client may be what it waits for: the clients of several use theirs
 * up, and a writer beside them would wait for its turn behind one more thread.
 */
static bool core_is_free(const struct netconf_link *link)
{
	struct netconf_server *server = link->server;
	if (link->others_at_work == NULL || server->limits.cores <= 1)
		return false;
	size_t workers = 1 + link->others_at_work(link->others_arg);
	size_t replies = atomic_load_explicit(&server->large_replies, memory_order_relaxed);
	size_t at_work = workers > replies ? workers : replies;
	return at_work + os_pool_load(server->pool) < server->limits.cores;
}

static void submit(struct netconf_producer *producer)
{
	struct netconf_request *request = producer->request;
	atomic_fetch_add_explicit(&request->refs, 1, memory_order_relaxed);
	producer->job.run = run_job;
	os_pool_submit(request->link->server->pool, &producer->job);
}

/* A job, where it would find enough to do. */
static void submit_if_due(struct netconf_producer *producer)
{
	bool is_free = core_is_free(producer->request->link);
	pthread_mutex_lock(&producer->lock);
	bool due = is_free && !producer->queued && !producer->last && producer->length <= producer->size / 2;
	producer->queued = producer->queued || due;
	pthread_mutex_unlock(&producer->lock);
	if (due)
		submit(producer);
}

bool netconf__producer_write(struct netconf_producer *producer, struct buffer *out)
{
	ASSERT(buffer_size(out) < NETCONF_PRODUCER_REST);
	if (take(producer, out) == GOT_LAST)
		return true;
	submit_if_due(producer);
	return false;
}

void netconf__producer_begin(struct netconf_request *request, struct netconf_output *output)
{
	struct netconf_server *server = request->link->server;
	size_t buffers = server->limits.reply_ahead / NETCONF_PRODUCER_SIZE;
	if (request->reply_size < LARGE_SIZE || buffers < 2)
		return;
	if (!request->is_counted)
		atomic_fetch_add_explicit(&server->large_replies, 1, memory_order_relaxed);
	request->is_counted = true;
	if (!core_is_free(request->link))
		return;
	struct netconf_producer *producer = memory_zalloc(sizeof(*producer));
	producer->request = request;
	producer->size = buffers < NETCONF_PRODUCER_MAX ? buffers : NETCONF_PRODUCER_MAX;
	producer->made = *output;
	output->cut_size = 0;
	buffer_init(&producer->made.out, SIZE_MAX);
	pthread_mutex_init(&producer->turn, NULL);
	pthread_mutex_init(&producer->lock, NULL);
	request->producer = producer;
	submit_if_due(producer);
}
