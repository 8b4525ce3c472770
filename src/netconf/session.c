/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A session: bytes in, requests executed in order, replies out in order.
 *
 *     input -> framing -> message -> [ queue of requests ] -> reply -> framing -> output
 *                                       first ... next ... last
 *                                       (answered)  (still to be executed)
 *
 *     HELLO --------> OPEN --------> CLOSING --------> CLOSED
 *       |               |                                 ^
 *       +---------------+---------------------------------+
 *
 *   from      to        on
 *   HELLO     OPEN      the client's hello
 *   HELLO     CLOSED    a bad hello, the end of input, shutdown
 *   OPEN      CLOSING   close-session, the end of input, shutdown
 *   OPEN      CLOSING   a message that is not well-formed or too large, broken framing
 *   CLOSING   CLOSED    the queue is empty
 *   any       CLOSED    killed, a timeout: output that was not taken is dropped
 *
 * A session that ends over what it could not read lingers in CLOSED (limits.linger_ms, linger_size): a client
 * that is still writing would otherwise meet a reset before it reads why.
 *
 *   state     input                          requests                      output
 *   HELLO     the client's hello             none                          the server's hello
 *   OPEN      taken while there is room      executed and answered         replies
 *   CLOSING   discarded (so that the peer    those that were queued are    replies
 *             reads the last reply)          executed and answered
 *   CLOSED    discarded while it lingers     none                          what is left of it, then the
 *                                                                          transport sends its end
 *
 * Execution: strictly in order and one at a time. A change runs when all before it were executed (their
 * answers may still wait for the disk); a read when all before it were answered, so that it sees the
 * session's own changes. Small requests run here, without waiting for a lock; large ones, and those that met
 * a held lock, on a job thread. What is executed in one turn of the transport shares a sync, which is asked
 * for at its end. Answers that come meanwhile are sent before the session goes on: the client has its next
 * requests ready by the time that these are executed.
 *
 * What an answer does not need is done when it is on its way, at the end of the turn: a client that
 * waits for one answer at a time sends its next request meanwhile.
 *
 * Invariants: `next` is NULL or the first request that was not executed, all before it were; `running` is the
 * one a job may be working on, directly before `next`. In CLOSED the queue is empty and the store has been
 * told (sessions.c). Input stops when the queue is full, when the client does not take its output, or when
 * all sessions' requests together are too large; output is produced only up to limits.output_high. So a
 * session's memory is bounded by limits, whatever the client does (an edit takes up to 4 times its size on
 * the wire: message.c).
 */
#include "netconf/session.h"

#include "base/assert.h"
#include "base/log.h"
#include "base/memory.h"
#include "netconf/hello.h"
#include "netconf/message.h"
#include "netconf/producer.h"
#include "netconf/reply.h"
#include "os/clock.h"

#define SLICE_SIZE ((size_t)64 * 1024)	  /* bytes taken or produced in a call */
#define SLICE_NS 1000000		  /* of one call */
#define STEPS_UNTIMED 2			  /* of a call: executing and answering one request */
#define SPARE_MAX 2			  /* requests kept for use again */
#define ANSWERED_SIZE ((size_t)16 * 1024) /* bytes that an answered request may hold on to for a while */
#define OUTPUT_KEEP ((size_t)8 * 1024)	  /* bytes that an idle session's output buffer keeps */

enum session_state { SESSION_HELLO, SESSION_OPEN, SESSION_CLOSING, SESSION_CLOSED };

struct netconf_session {
	struct netconf_server *server;
	struct netconf_link *link;
	enum session_state state;
	struct framing framing;
	struct netconf_message message;
	struct netconf_request *reading; /* its message is not complete; NULL: between messages */
	struct netconf_request *first, *last, *next, *running;
	unsigned length;			  /* of the queue */
	struct netconf_request *spare, *answered; /* the latter is still to be released; NULL: none */
	unsigned spare_count;
	struct netconf_output output;
	bool closed_by_client; /* close-session */
	bool lingers;	       /* ends, or has ended, though the client may be in the middle of a message */
	size_t discarded;      /* bytes that came after the end */
	uint64_t closed_ns;    /* when it became CLOSED */
	bool unsynced; /* something was executed whose answer waits for a sync that nobody has asked for */
	bool late;     /* in this call an answer was written that had to wait */
	uint64_t created_ns, active_ns, input_ns,
		taken_ns;    /* the last three: the last rpc, input, output taken */
	uint64_t waiting_ns; /* since when a request in the middle has to wait for room; 0: it does not */
	uint64_t allowed_ns; /* when a client that is silent in mid-request was last found to be in nobody's
				way */
};

static struct netconf_request *take_spare(struct netconf_session *session)
{
	struct netconf_request *request = session->spare;
	if (request == NULL)
		return netconf__request_new(session->link);
	session->spare = request->next;
	session->spare_count--;
	request->next = NULL;
	return request;
}

/* The session's reference goes. */
static void drop_request(struct netconf_session *session, struct netconf_request *request)
{
	if (netconf__request_state(request) == REQUEST_ANSWERED) /* else it may be a job's */
		netconf__producer_stop(request->producer);
	if (!netconf__request_recycle(request))
		return;
	if (session->spare_count == SPARE_MAX || session->state == SESSION_CLOSED) {
		netconf__request_unref(request);
		return;
	}
	request->next = session->spare;
	session->spare = request;
	session->spare_count++;
}

static void drop_answered(struct netconf_session *session)
{
	if (session->answered != NULL)
		drop_request(session, session->answered);
	session->answered = NULL;
}

/* Its reply is complete: what it holds is released when that is on its way; much of it at once, since others
 * may wait for the room. */
static void put_away(struct netconf_session *session, struct netconf_request *request)
{
	drop_answered(session);
	if (request->accounted > ANSWERED_SIZE || request->producer != NULL)
		drop_request(session, request);
	else
		session->answered = request;
}

static void drop_reading(struct netconf_session *session)
{
	if (session->reading == NULL)
		return;
	netconf__message_reset(&session->message);
	drop_request(session, session->reading);
	session->reading = NULL;
	netconf__in_flight_yield(session->link);
}

static struct netconf_request *unlink_first(struct netconf_session *session)
{
	struct netconf_request *request = session->first;
	session->first = request->next;
	if (session->first == NULL)
		session->last = NULL;
	if (session->next == request)
		session->next = request->next;
	if (session->running == request)
		session->running = NULL;
	session->length--;
	return request;
}

/* Drops the requests that were not executed. */
static void drop_unexecuted(struct netconf_session *session)
{
	struct netconf_request *kept = NULL;
	for (struct netconf_request *r = session->first; r != session->next; r = r->next)
		kept = r;
	struct netconf_request *request = session->next;
	while (request != NULL) {
		struct netconf_request *following = request->next;
		drop_request(session, request);
		session->length--;
		request = following;
	}
	session->next = NULL;
	session->last = kept;
	if (kept != NULL)
		kept->next = NULL;
	else
		session->first = NULL;
}

static void close_now(struct netconf_session *session)
{
	if (session->state == SESSION_CLOSED)
		return;
	session->state = SESSION_CLOSED;
	session->closed_ns = os_clock_monotonic_ns();
	atomic_store_explicit(&session->link->open, false, memory_order_relaxed);
	drop_reading(session);
	drop_answered(session);
	while (session->first != NULL)
		drop_request(session, unlink_first(session));
	if (!session->closed_by_client)
		atomic_fetch_add(&session->server->counters.dropped_sessions, 1);
	netconf__link_over(session->link);
}

/* Without the output that the client did not take. */
static void abandon(struct netconf_session *session)
{
	close_now(session);
	session->lingers = false;
	buffer_clear(&session->output.out, 0);
}

static void begin_closing(struct netconf_session *session)
{
	if (session->state != SESSION_OPEN)
		return;
	session->state = SESSION_CLOSING;
	drop_reading(session);
}

static void bad_hello(struct netconf_session *session, const char *why)
{
	log_info("session %u: %s", netconf_session_id(session), why);
	atomic_fetch_add(&session->server->counters.in_bad_hellos, 1);
	close_now(session);
}

static void enqueue(struct netconf_session *session, struct netconf_request *request)
{
	netconf__request_set_state(request, REQUEST_QUEUED);
	if (session->last != NULL)
		session->last->next = request;
	else
		session->first = request;
	session->last = request;
	if (session->next == NULL)
		session->next = request;
	session->length++;
	session->active_ns = session->input_ns;
	netconf__in_flight_yield(session->link);
}

static void count(_Atomic uint64_t *counter)
{
	atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

static void count_rpc(struct netconf_session *session, bool bad)
{
	struct netconf_atomic_counters *all = &session->server->counters, *own = &session->link->counters;
	count(bad ? &all->in_bad_rpcs : &all->in_rpcs);
	count(bad ? &own->in_bad_rpcs : &own->in_rpcs);
}

/* A parser's report may quote what is no UTF-8, or no XML. */
static const char *printable(struct arena *arena, const char *text)
{
	char *copy = arena_strdup(arena, bytes_of(text));
	for (char *c = copy; *c != '\0'; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	return copy;
}

/* The message that is being read cannot be answered but by this error, after which the session ends. */
static void fail(struct netconf_session *session, enum diag_tag tag, const char *why)
{
	if (session->state == SESSION_HELLO) {
		bad_hello(session, why);
		return;
	}
	struct netconf_request *request = session->reading;
	diag_list_init(&request->diags, request->arena, session->server->limits.errors);
	const char *reason = printable(request->arena, why);
	log_info("session %u: ends after a message that cannot be read: %.200s", netconf_session_id(session),
		 reason);
	diag_add(&request->diags, DIAG_RPC, tag, "%s", reason);
	request->ends_session = true;
	netconf__message_reset(&session->message);
	session->reading = NULL;
	/* Nothing of the message is kept, though the client may be slow to read why. */
	netconf__in_flight_remove(session->link, request->accounted);
	request->accounted = 0;
	enqueue(session, request);
	count_rpc(session, true);
	session->state = SESSION_CLOSING;
	session->lingers = session->server->limits.linger_ms != 0;
}

static void fail_message(struct netconf_session *session, enum status status)
{
	/* malformed-message is of base:1.1 (RFC 6241 Appendix A). */
	bool old = session->framing.mode == FRAMING_END_OF_MESSAGE;
	enum diag_tag malformed = old ? DIAG_OPERATION_FAILED : DIAG_MALFORMED_MESSAGE;
	fail(session, status == ST_LIMIT ? DIAG_TOO_BIG : malformed,
	     netconf__message_error(&session->message));
}

static void begin_message(struct netconf_session *session)
{
	session->reading = take_spare(session);
	netconf__message_begin(&session->message,
			       session->state == SESSION_HELLO ? MESSAGE_HELLO : MESSAGE_RPC,
			       session->reading);
}

static void take_content(struct netconf_session *session, struct bytes content)
{
	if (session->reading == NULL)
		begin_message(session);
	struct netconf_request *request = session->reading;
	request->size += content.size;
	if (request->size > (session->state == SESSION_HELLO ? session->server->limits.hello_size
							     : session->server->limits.request_size)) {
		fail(session, DIAG_TOO_BIG, "The message is larger than this server reads.");
		return;
	}
	request->accounted += content.size;
	netconf__in_flight_add(session->link, content.size);
	enum status status = netconf__message_feed(&session->message, content);
	if (status != ST_OK)
		fail_message(session, status);
}

static void end_hello(struct netconf_session *session)
{
	enum framing_mode mode;
	const char *why;
	if (netconf__hello_read(session->reading->parameters, &mode, &why) != ST_OK) {
		bad_hello(session, why);
		return;
	}
	drop_reading(session);
	framing_init(&session->framing, mode);
	session->output.mode = mode;
	session->state = SESSION_OPEN;
	atomic_store_explicit(&session->link->open, true, memory_order_release);
	session->active_ns = session->input_ns;
}

static void end_rpc(struct netconf_session *session)
{
	struct netconf_request *request = session->reading;
	session->reading = NULL;
	count_rpc(session, netconf__request_refused(request) && request->diags.first->type == DIAG_RPC);
	if (!netconf__request_refused(request))
		netconf__request_prepare(request);
	/* Parameters take more in memory than on the wire; many such requests may be queued. */
	size_t size = arena_size(request->arena);
	request->accounted += size;
	netconf__in_flight_add(session->link, size);
	enqueue(session, request);
}

static void take_end(struct netconf_session *session)
{
	if (session->reading == NULL || !session->message.begun) {
		/* Nothing but blanks: there are clients that end a message twice. In chunks it cannot be a
		 * slip. */
		if (session->framing.mode == FRAMING_END_OF_MESSAGE)
			drop_reading(session);
		else
			fail(session, DIAG_MALFORMED_MESSAGE, "The message is empty.");
		return;
	}
	enum status status = netconf__message_finish(&session->message);
	if (status != ST_OK)
		fail_message(session, status);
	else if (session->state == SESSION_HELLO)
		end_hello(session);
	else
		end_rpc(session);
}

static bool has_job(const struct netconf_session *session)
{
	return session->running != NULL && netconf__request_state(session->running) == REQUEST_RUNNING;
}

/* True where `next` may be executed now. */
static bool can_start(const struct netconf_session *session)
{
	const struct netconf_request *request = session->next;
	if (request == NULL || has_job(session))
		return false;
	return netconf__request_refused(request) || request->operation->kind != OPERATION_READS ||
	       request == session->first;
}

static void execute(struct netconf_session *session, struct netconf_request *request)
{
	bool large = request->size >= session->server->limits.inline_size;
	if (large && request->operation->kind == OPERATION_CHANGES) {
		session->running = request;
		netconf__request_submit(request);
	} else if (netconf__request_execute(request, STORE_NO_WAIT) == ST_BUSY) {
		session->running = request;
		netconf__request_submit(request);
	} else if (request->answer.after != 0) {
		session->unsynced = true;
	}
}

static bool start_next(struct netconf_session *session)
{
	if (!can_start(session))
		return false;
	struct netconf_request *request = session->next;
	session->next = request->next;
	session->running = NULL;
	if (netconf__request_refused(request)) {
		netconf__request_set_state(request, REQUEST_ANSWERED);
		return true;
	}
	bool closes = request->operation->kind == OPERATION_CLOSES;
	execute(session, request);
	if (closes) {
		session->closed_by_client = true;
		drop_unexecuted(session);
		begin_closing(session);
	}
	return true;
}

/* Whether the first request has a reply to be written. */
static bool has_reply(const struct netconf_session *session)
{
	return session->first != NULL && session->first != session->next &&
	       netconf__request_state(session->first) == REQUEST_ANSWERED;
}

static bool can_write(const struct netconf_session *session)
{
	if (!has_reply(session))
		return false;
	size_t size = buffer_size(&session->output.out);
	struct netconf_producer *producer = session->first->producer;
	if (producer != NULL)
		return size < NETCONF_PRODUCER_REST && netconf__producer_is_ready(producer);
	return size < session->server->limits.output_high;
}

static void count_errors(struct netconf_session *session, const struct netconf_request *request)
{
	if (request->reply_begun || !netconf__request_refused(request))
		return;
	count(&session->server->counters.out_rpc_errors);
	count(&session->link->counters.out_rpc_errors);
}

/* The next part of the reply. True at its end. */
static bool write_part(struct netconf_session *session, struct netconf_request *request)
{
	if (request->producer != NULL)
		return netconf__producer_write(request->producer, &session->output.out);
	size_t before = buffer_size(&session->output.out);
	if (netconf__reply_write(&session->output, request))
		return true;
	request->reply_size += buffer_size(&session->output.out) - before;
	netconf__producer_begin(request, &session->output);
	return false;
}

static bool write_first(struct netconf_session *session)
{
	if (!can_write(session))
		return false;
	struct netconf_request *request = session->first;
	count_errors(session, request);
	if (buffer_size(&session->output.out) == 0)
		session->taken_ns = os_clock_monotonic_ns();
	if (!write_part(session, request))
		return true;
	bool ends_session = request->ends_session;
	session->late = session->late || request->answer.after != 0;
	if (session->server->limits.idle_timeout_ms != 0)
		session->active_ns = os_clock_monotonic_ns();
	put_away(session, unlink_first(session));
	if (ends_session)
		close_now(session);
	return true;
}

/* Executes and answers what can be, for the rest of the slice. */
static void advance(struct netconf_session *session, uint64_t end_ns)
{
	size_t limit = buffer_size(&session->output.out) + SLICE_SIZE;
	unsigned steps = 0;
	while (session->state != SESSION_CLOSED && buffer_size(&session->output.out) < limit) {
		if (steps >= STEPS_UNTIMED && os_clock_monotonic_ns() >= end_ns)
			break;
		if (!write_first(session) && !start_next(session))
			break;
		steps++;
	}
	if (session->state == SESSION_CLOSING && session->first == NULL)
		close_now(session);
}

/* What other threads have asked for. */
static void see_flags(struct netconf_session *session)
{
	if (session->state == SESSION_CLOSED)
		return;
	if (atomic_load_explicit(&session->link->killed, memory_order_acquire)) {
		log_info("session %u: killed", netconf_session_id(session));
		abandon(session);
	} else if (atomic_load_explicit(&session->link->shutdown, memory_order_acquire)) {
		if (session->state == SESSION_HELLO)
			close_now(session);
		begin_closing(session);
	}
}

static bool has_room(const struct netconf_session *session)
{
	const struct netconf_limits *limits = &session->server->limits;
	return (session->state == SESSION_HELLO || session->state == SESSION_OPEN) &&
	       session->length < limits->pipeline && buffer_size(&session->output.out) < limits->output_high;
}

struct netconf_session *netconf_session_new(struct netconf_server *server, const struct netconf_peer *peer)
{
	struct netconf_link *link = netconf__link_new(server, peer);
	if (link == NULL)
		return NULL;
	struct netconf_session *session = memory_zalloc(sizeof(*session));
	session->server = server;
	session->link = link;
	session->created_ns = session->taken_ns = session->input_ns = os_clock_monotonic_ns();
	framing_init(&session->framing, FRAMING_END_OF_MESSAGE);
	netconf__message_init(&session->message, &server->limits);
	netconf__output_init(&session->output);
	netconf__hello_write(&session->output.out, server->hello, link->id);
	atomic_fetch_add(&server->counters.in_sessions, 1);
	log_info("session %u: %s from %s over %s", link->id, peer->user, peer->address, peer->transport);
	return session;
}

void netconf_session_free(struct netconf_session *session)
{
	if (session == NULL)
		return;
	(void)netconf_session_rest(session, NETCONF_THREAD_BUSY);
	close_now(session);
	while (session->spare != NULL)
		netconf__request_unref(take_spare(session));
	netconf__message_fini(&session->message);
	netconf__output_fini(&session->output);
	netconf__link_detach(session->link);
	memory_free(session);
}

/*
 * True for a hello, and for the beginning of a request before which nothing is in the queue: these are read
 * even where all requests together are too large. So only those wait for room who send much, and what the
 * others take is bounded by the number of sessions.
 */
static bool is_small(const struct netconf_session *session)
{
	return session->state == SESSION_HELLO ||
	       (session->first == NULL &&
		(session->reading == NULL || session->reading->size < session->server->limits.inline_size));
}

/* Blanks between messages are none. */
static bool in_message(const struct netconf_session *session)
{
	return session->reading != NULL && session->message.begun;
}

static bool admit(struct netconf_session *session)
{
	bool admitted = true;
	if (is_small(session))
		netconf__in_flight_pass(session->link);
	else
		admitted = netconf__in_flight_admit(session->link);
	if (admitted || !in_message(session))
		session->waiting_ns = 0;
	else if (session->waiting_ns == 0)
		session->waiting_ns = session->input_ns;
	return admitted;
}

static void take_event(struct netconf_session *session, enum framing_event event, struct bytes content)
{
	switch (event) {
	case FRAMING_CONTENT:
		take_content(session, content);
		return;
	case FRAMING_END:
		take_end(session);
		return;
	case FRAMING_BROKEN:
		/* RFC 6242 4.2: the session must be terminated. What came before is still answered. */
		log_info("session %u: broken framing", netconf_session_id(session));
		session->lingers = session->state == SESSION_OPEN && session->server->limits.linger_ms != 0;
		begin_closing(session);
		return;
	case FRAMING_NEED_MORE:
		return;
	}
}

/*
 * A hello ends with the delimiter, whatever comes after it (RFC 6242 4.1); one in chunks would never end.
 * ncclient 0.6 sends such a one where it has read our hello before it sent its own, and then waits for
 * answers.
 */
static bool is_hello_in_chunks(const struct netconf_session *session, const char *data, size_t size)
{
	return session->state == SESSION_HELLO && session->reading == NULL && size >= 2 && data[0] == '\n' &&
	       data[1] == '#';
}

size_t netconf_session_input(struct netconf_session *session, const char *data, size_t size)
{
	see_flags(session);
	session->input_ns = os_clock_monotonic_ns();
	if (is_hello_in_chunks(session, data, size))
		bad_hello(session, "the client's hello is in chunks");
	uint64_t end_ns = session->input_ns + SLICE_NS;
	size_t offered = size < SLICE_SIZE ? size : SLICE_SIZE;
	struct bytes input = {data, offered}, content = {NULL, 0};
	bool in_time = true;
	while (input.size > 0 && in_time && has_room(session) && admit(session)) {
		enum framing_event event = framing_next(&session->framing, &input, &content);
		take_event(session, event, content);
		if (event == FRAMING_END) {
			advance(session, end_ns);
			in_time = !session->late && (input.size == 0 || os_clock_monotonic_ns() < end_ns);
		}
	}
	session->late = false;
	/* Blanks between messages are no reason to hold the overdraft. */
	if (!in_message(session))
		netconf__in_flight_yield(session->link);
	advance(session, end_ns);
	if (session->state != SESSION_CLOSING && session->state != SESSION_CLOSED)
		return offered - input.size;
	session->discarded += size - (offered - input.size);
	return size;
}

void netconf_session_input_end(struct netconf_session *session)
{
	session->lingers = false;
	see_flags(session);
	if (session->state == SESSION_HELLO)
		bad_hello(session, "the client left before its hello");
	begin_closing(session);
	advance(session, os_clock_monotonic_ns() + SLICE_NS);
}

struct bytes netconf_session_peek(const struct netconf_session *session)
{
	return buffer_get(&session->output.out);
}

void netconf_session_take(struct netconf_session *session, size_t size)
{
	struct buffer *buffer = &session->output.out;
	buffer_consume(buffer, size);
	session->taken_ns = os_clock_monotonic_ns();
	if (buffer_size(buffer) == 0 && session->first == NULL)
		buffer_clear(buffer, OUTPUT_KEEP);
}

bool netconf_session_streams(const struct netconf_session *session)
{
	return (can_write(session) && session->first->reply_begun) ||
	       (has_reply(session) && session->first->producer != NULL);
}

void netconf_session_run(struct netconf_session *session)
{
	see_flags(session);
	advance(session, os_clock_monotonic_ns() + SLICE_NS);
}

bool netconf_session_rest(struct netconf_session *session, enum netconf_thread thread)
{
	if (!session->unsynced) { /* nobody waits: what was left for this moment */
		drop_answered(session);
		if (session->reading == NULL)
			netconf__message_tidy(&session->message);
		return false;
	}
	session->unsynced = false;
	bool idle = thread == NETCONF_THREAD_IDLE && session->length == 1;
	store_sync_turn(session->server->store, idle ? STORE_TURN_IDLE : STORE_TURN_BUSY);
	return true;
}

/* Whether what still comes is worth being read and thrown away. */
static bool may_linger(const struct netconf_session *session)
{
	return session->lingers && session->discarded < session->server->limits.linger_size &&
	       !atomic_load_explicit(&session->link->shutdown, memory_order_relaxed);
}

static unsigned wants_when_closed(const struct netconf_session *session)
{
	bool has_output = buffer_size(&session->output.out) > 0;
	if (may_linger(session))
		return NETCONF_WANT_INPUT | (has_output ? NETCONF_WANT_OUTPUT : NETCONF_WANT_SHUT);
	return has_output ? NETCONF_WANT_OUTPUT : NETCONF_WANT_CLOSE;
}

unsigned netconf_session_wants(const struct netconf_session *session)
{
	if (session->state == SESSION_CLOSED)
		return wants_when_closed(session);
	unsigned wants = buffer_size(&session->output.out) > 0 ? NETCONF_WANT_OUTPUT : 0;
	bool paused =
		atomic_load_explicit(&session->link->paused, memory_order_relaxed) && !is_small(session);
	bool discards =
		session->state == SESSION_CLOSING && session->discarded < session->server->limits.linger_size;
	if (discards || (has_room(session) && !paused))
		wants |= NETCONF_WANT_INPUT;
	bool told = atomic_load_explicit(&session->link->killed, memory_order_relaxed) ||
		    (session->state != SESSION_CLOSING &&
		     atomic_load_explicit(&session->link->shutdown, memory_order_relaxed));
	bool over = session->state == SESSION_CLOSING && session->first == NULL;
	if (told || over || can_write(session) || can_start(session))
		wants |= NETCONF_WANT_RUN;
	return wants;
}

static void earlier(uint64_t *deadline, bool applies, uint64_t from_ns, uint64_t timeout_ms)
{
	if (!applies || timeout_ms == 0)
		return;
	uint64_t due = os_clock_after_ms(from_ns, timeout_ms);
	if (due < *deadline)
		*deadline = due;
}

/* Whether the client has taken no output for too long. */
static bool output_is_due(const struct netconf_session *session, uint64_t now_ns)
{
	uint64_t deadline = UINT64_MAX;
	earlier(&deadline, buffer_size(&session->output.out) > 0, session->taken_ns,
		session->server->limits.stall_timeout_ms);
	return deadline <= now_ns;
}

uint64_t netconf_session_deadline(const struct netconf_session *session)
{
	const struct netconf_limits *limits = &session->server->limits;
	bool idle = session->state == SESSION_OPEN && session->first == NULL && !in_message(session);
	bool reading = session->state == SESSION_OPEN && in_message(session);
	bool waiting = reading && session->waiting_ns != 0;
	/* Who is silent in mid-request, or may even read past the limit, must not hold up the others for
	 * ever. */
	uint64_t heard_ns = session->input_ns > session->allowed_ns ? session->input_ns : session->allowed_ns;
	uint64_t deadline = UINT64_MAX;
	earlier(&deadline, session->state == SESSION_HELLO, session->created_ns, limits->hello_timeout_ms);
	earlier(&deadline, idle, session->active_ns, limits->idle_timeout_ms);
	earlier(&deadline, waiting, session->waiting_ns, limits->stall_timeout_ms);
	earlier(&deadline, reading && !waiting, heard_ns, limits->stall_timeout_ms);
	earlier(&deadline, buffer_size(&session->output.out) > 0, session->taken_ns,
		limits->stall_timeout_ms);
	earlier(&deadline, session->state == SESSION_CLOSED && session->lingers, session->closed_ns,
		limits->linger_ms);
	return deadline;
}

void netconf_session_expire(struct netconf_session *session, uint64_t now_ns)
{
	if (now_ns < netconf_session_deadline(session))
		return;
	if (session->state == SESSION_CLOSED && !output_is_due(session, now_ns)) {
		session->lingers = false; /* what it has not taken yet may go on */
		return;
	}
	if (session->state == SESSION_HELLO) {
		bad_hello(session, "no hello in time");
	} else if (output_is_due(session, now_ns) || !in_message(session)) {
		log_info("session %u: timeout", netconf_session_id(session));
	} else if (session->waiting_ns != 0) {
		fail(session, DIAG_RESOURCE_DENIED, "Too many large requests are being received.");
		return;
	} else if (!has_room(session) || !netconf__in_flight_full(session->server)) {
		session->allowed_ns = now_ns;
		return;
	} else {
		log_info("session %u: silent in mid-request, where others wait", netconf_session_id(session));
	}
	abandon(session);
}

uint32_t netconf_session_id(const struct netconf_session *session)
{
	return session->link->id;
}
