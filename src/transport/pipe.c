/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pipes (see pipe.h): the loop that feeds a session and takes its output.
 *
 *     client --read--> [rest] --input--> session --output--> [unsent] --write--> client
 *
 * `rest` holds what the session did not take, `unsent` what the client's side did not; both are empty most of
 * the time, and at most one turn's bytes: nothing is read while there is a rest, no output is produced while
 * there is something unsent. So backpressure reaches both the client (its socket or SSH window fills) and the
 * session, which itself notices a client that takes nothing for too long.
 *
 * Wake-ups. A session calls wake() from any thread. A wake from the worker inside of the pipe's own turn just
 * lets the turn go on; all others post. `posted` says that a post is under way, so that there is never a
 * second one, and a pipe that is freed meanwhile stays in memory (without a session, `owner` not to be used)
 * until the post ran.
 *
 * Timers. A session's deadline changes with nearly every call, but mostly to later: the timer is left alone
 * while it is armed for an earlier time, and looks at the deadline when it fires. An idle session costs
 * nothing.
 */
#include "transport/pipe.h"

#include "base/assert.h"
#include "base/buffer.h"
#include "base/memory.h"
#include "os/clock.h"

#define TURN_NS NS_PER_MS
/* Less than this of a large reply is sent with what comes next: small packets cost what large ones do. */
#define PIECE_SIZE ((size_t)16 * 1024)
#define LINGER_NS (5000 * NS_PER_MS) /* for the last bytes of a session that is over */

struct transport_pipe {
	struct transport_worker *worker;
	const struct transport_pipe_ops *ops;
	void *owner;
	struct netconf_session *session; /* NULL: not begun, or freed */
	struct buffer rest, unsent;
	bool input_ended, broken;
	bool shut;     /* the client was told that no more comes */
	bool running;  /* in transport__pipe_run */
	bool again;    /* woken while running */
	bool may_work; /* other sessions had their turn since the last netconf_session_run */
	bool freed;
	_Atomic bool posted;
	struct os_post post;
	struct os_timer timer;
	uint64_t timer_ns;  /* when the timer fires; UINT64_MAX: not armed */
	uint64_t linger_ns; /* when to give up; UINT64_MAX: the session is not over */
};

static void post(struct transport_pipe *pipe)
{
	if (!atomic_exchange(&pipe->posted, true))
		os_loop_post(pipe->worker->loop, &pipe->post);
}

static void on_wake(void *arg)
{
	struct transport_pipe *pipe = arg;
	if (pthread_equal(pthread_self(), pipe->worker->thread) && pipe->running)
		pipe->again = true;
	else
		post(pipe);
}

static void on_post(struct os_post *posted)
{
	struct transport_pipe *pipe =
		(struct transport_pipe *)((char *)posted - offsetof(struct transport_pipe, post));
	atomic_store(&pipe->posted, false);
	if (pipe->freed) {
		memory_free(pipe);
		return;
	}
	pipe->may_work = true;
	pipe->ops->turn(pipe->owner);
}

static unsigned on_others_at_work(void *arg)
{
	return transport__worker_others(((struct transport_pipe *)arg)->worker);
}

static uint64_t deadline(const struct transport_pipe *pipe)
{
	uint64_t session_ns = netconf_session_deadline(pipe->session);
	return session_ns < pipe->linger_ns ? session_ns : pipe->linger_ns;
}

static void arm_timer(struct transport_pipe *pipe)
{
	uint64_t due_ns = deadline(pipe);
	if (due_ns >= pipe->timer_ns)
		return;
	pipe->timer_ns = due_ns;
	os_timer_set(pipe->worker->loop, &pipe->timer, due_ns);
}

static void on_timer(struct os_timer *timer)
{
	struct transport_pipe *pipe =
		(struct transport_pipe *)((char *)timer - offsetof(struct transport_pipe, timer));
	uint64_t now = os_clock_monotonic_ns();
	pipe->timer_ns = UINT64_MAX;
	if (netconf_session_deadline(pipe->session) <= now)
		netconf_session_expire(pipe->session, now);
	if (pipe->linger_ns <= now)
		pipe->broken = true;
	pipe->ops->turn(pipe->owner);
}

struct transport_pipe *transport__pipe_new(struct transport_worker *worker,
					   const struct transport_pipe_ops *ops, void *owner)
{
	struct transport_pipe *pipe = memory_zalloc(sizeof(*pipe));
	pipe->worker = worker;
	pipe->ops = ops;
	pipe->owner = owner;
	pipe->post.run = on_post;
	pipe->timer_ns = pipe->linger_ns = UINT64_MAX;
	buffer_init(&pipe->rest, TRANSPORT_TURN_SIZE);
	buffer_init(&pipe->unsent, TRANSPORT_TURN_SIZE);
	os_timer_init(&pipe->timer, on_timer);
	return pipe;
}

enum status transport__pipe_open(struct transport_pipe *pipe, struct netconf_server *server,
				 const struct transport_pipe_peer *peer)
{
	struct netconf_peer netconf_peer = {
		.user = peer->user,
		.address = peer->address,
		.transport = peer->transport,
		.wake = on_wake,
		.others_at_work = on_others_at_work,
		.arg = pipe,
	};
	pipe->session = netconf_session_new(server, &netconf_peer);
	pipe->worker->server = server;
	if (pipe->session == NULL)
		return ST_BUSY;
	arm_timer(pipe);
	return ST_OK;
}

void transport__pipe_free(struct transport_pipe *pipe)
{
	if (pipe == NULL)
		return;
	ASSERT(!pipe->running);
	os_timer_cancel(&pipe->timer);
	if (pipe->session != NULL)
		netconf_session_free(pipe->session); /* no wake comes after this */
	buffer_fini(&pipe->rest);
	buffer_fini(&pipe->unsent);
	pipe->freed = true;
	if (!atomic_load(&pipe->posted))
		memory_free(pipe);
}

static void keep(struct buffer *buffer, const char *data, size_t size)
{
	enum status status = buffer_append(buffer, (struct bytes){data, size});
	ASSERT(status == ST_OK); /* it was empty, and `size` is at most one turn's */
}

/* What the client's side did not take before. False where it blocks. */
static bool send_unsent(struct transport_pipe *pipe, size_t *moved)
{
	while (buffer_size(&pipe->unsent) > 0) {
		struct bytes bytes = buffer_get(&pipe->unsent);
		size_t room = pipe->ops->room(pipe->owner);
		if (room == 0)
			return false;
		long sent = pipe->ops->write(pipe->owner, bytes.data, bytes.size < room ? bytes.size : room);
		if (sent <= 0) {
			pipe->broken = sent < 0;
			return false;
		}
		buffer_consume(&pipe->unsent, (size_t)sent);
		*moved += (size_t)sent;
	}
	buffer_clear(&pipe->unsent, 0);
	return true;
}

/* From the session to the client, without a copy where its side takes all. Gives how many bytes. */
static size_t send_some(struct transport_pipe *pipe)
{
	size_t moved = 0;
	if (!send_unsent(pipe, &moved) || !(netconf_session_wants(pipe->session) & NETCONF_WANT_OUTPUT))
		return moved;
	struct bytes ready = netconf_session_peek(pipe->session);
	if (ready.size < PIECE_SIZE && netconf_session_streams(pipe->session))
		return moved;
	size_t room = pipe->ops->room(pipe->owner);
	if (room == 0)
		return moved;
	size_t size = ready.size < room ? ready.size : room;
	long sent = pipe->ops->write(pipe->owner, ready.data, size);
	if (sent < 0) {
		pipe->broken = true;
		return moved;
	}
	if ((size_t)sent < size)
		keep(&pipe->unsent, ready.data + sent, size - (size_t)sent);
	netconf_session_take(pipe->session, size);
	return moved + size;
}

static size_t take_rest(struct transport_pipe *pipe)
{
	struct bytes rest = buffer_get(&pipe->rest);
	size_t taken = netconf_session_input(pipe->session, rest.data, rest.size);
	buffer_consume(&pipe->rest, taken);
	if (buffer_size(&pipe->rest) == 0)
		buffer_clear(&pipe->rest, 0);
	return taken;
}

/* From the client to the session. Gives how many bytes. */
static size_t receive_some(struct transport_pipe *pipe)
{
	if (!(netconf_session_wants(pipe->session) & NETCONF_WANT_INPUT) || pipe->broken)
		return 0;
	if (buffer_size(&pipe->rest) > 0)
		return take_rest(pipe);
	if (pipe->input_ended)
		return 0;
	char *scratch = pipe->worker->scratch;
	long got = pipe->ops->read(pipe->owner, scratch, TRANSPORT_TURN_SIZE);
	if (got > 0) {
		size_t taken = netconf_session_input(pipe->session, scratch, (size_t)got);
		if (taken < (size_t)got)
			keep(&pipe->rest, scratch + taken, (size_t)got - taken);
		return (size_t)got;
	}
	if (got == TRANSPORT_END) {
		pipe->input_ended = true;
		netconf_session_input_end(pipe->session);
		pipe->again = true; /* its last answers */
	} else if (got == TRANSPORT_BROKEN) {
		pipe->broken = true;
	}
	return 0;
}

/* Moves bytes until nothing moves any more. False: the turn was too short. */
static bool move(struct transport_pipe *pipe)
{
	uint64_t end_ns = os_clock_monotonic_ns() + TURN_NS;
	size_t received = 0, sent = 0;
	for (;;) {
		pipe->again = false;
		size_t in = receive_some(pipe);
		size_t out = pipe->broken ? 0 : send_some(pipe);
		received += in;
		sent += out;
		if (pipe->broken || (in == 0 && out == 0 && !pipe->again))
			return true;
		if (received >= TRANSPORT_TURN_SIZE || sent >= TRANSPORT_TURN_SIZE ||
		    os_clock_monotonic_ns() >= end_ns)
			return false;
	}
}

/* The end of a turn. True where that has brought answers. */
static bool rest(struct transport_pipe *pipe)
{
	pipe->again = false;
	bool busy = os_loop_is_busy(pipe->worker->loop);
	if (netconf_session_rest(pipe->session, busy ? NETCONF_THREAD_BUSY : NETCONF_THREAD_IDLE))
		transport__worker_note_commit(pipe->worker);
	return pipe->again;
}

/* Sends them, and takes what has come meanwhile. As move(). */
static bool answer(struct transport_pipe *pipe)
{
	netconf_session_run(pipe->session);
	bool done = move(pipe);
	if (netconf_session_rest(pipe->session, NETCONF_THREAD_BUSY))
		transport__worker_note_commit(pipe->worker);
	return done;
}

/* A session that is over and reads on: its client learns that it has all. */
static void shut(struct transport_pipe *pipe)
{
	if (pipe->shut || buffer_size(&pipe->unsent) > 0)
		return;
	pipe->shut = true;
	pipe->ops->shut(pipe->owner);
}

void transport__pipe_run(struct transport_pipe *pipe)
{
	if (pipe->broken)
		return;
	pipe->running = true;
	if (pipe->may_work && (netconf_session_wants(pipe->session) & NETCONF_WANT_RUN))
		netconf_session_run(pipe->session);
	pipe->may_work = false;
	bool done = move(pipe);
	if (rest(pipe))
		done = answer(pipe);
	pipe->running = false;
	if (pipe->broken)
		return;
	unsigned wants = netconf_session_wants(pipe->session);
	if (!done || (wants & NETCONF_WANT_RUN))
		post(pipe);
	if (wants & NETCONF_WANT_SHUT)
		shut(pipe);
	if ((wants & NETCONF_WANT_CLOSE) && buffer_size(&pipe->unsent) > 0 && pipe->linger_ns == UINT64_MAX)
		pipe->linger_ns = os_clock_monotonic_ns() + LINGER_NS;
	arm_timer(pipe);
}

unsigned transport__pipe_state(const struct transport_pipe *pipe)
{
	if (pipe->broken)
		return TRANSPORT_PIPE_BROKEN;
	bool unsent = buffer_size(&pipe->unsent) > 0;
	unsigned wants = netconf_session_wants(pipe->session), state = 0;
	if ((wants & NETCONF_WANT_CLOSE) && !unsent)
		return TRANSPORT_PIPE_OVER;
	if ((wants & NETCONF_WANT_INPUT) && !pipe->input_ended && buffer_size(&pipe->rest) == 0)
		state |= TRANSPORT_PIPE_READ;
	if (unsent || (wants & NETCONF_WANT_OUTPUT))
		state |= TRANSPORT_PIPE_WRITE;
	return state;
}

bool transport__pipe_input_ended(const struct transport_pipe *pipe)
{
	return pipe->input_ended;
}
