/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A client for one request. It says base:1.0, so that both directions are framed by ]]>]]> from the first
 * byte on (RFC 6242 4.3), writes its hello and the request at once, and reads two messages: the server's
 * hello, which it skips, and the reply, which becomes elements. All of it is driven by one event loop, which
 * a timer ends.
 */
#include "tool/ask.h"

#include <string.h>
#include <sys/epoll.h>

#include "base/buffer.h"
#include "netconf/framing.h"
#include "os/clock.h"
#include "os/loop.h"
#include "os/socket.h"

#define REPLY_MAX ((size_t)64 << 20)
#define PATIENCE_NS (30 * 1000000000ull)
#define READ_SIZE 65536
#define BASE_NS "urn:ietf:params:xml:ns:netconf:base:1.0"

struct question {
	struct os_watch watch; /* first: the callbacks get it */
	struct os_timer timer;
	struct os_loop *loop;
	struct buffer out, in;
	struct framing framing;
	unsigned messages; /* complete ones; the second is the reply */
	enum status status;
	const char *problem;
};

static void finish(struct question *question, enum status status, const char *problem)
{
	question->status = status;
	question->problem = problem;
	os_loop_stop(question->loop);
}

static void on_time(struct os_timer *timer)
{
	struct question *question = (struct question *)((char *)timer - offsetof(struct question, timer));
	finish(question, ST_IO, "the server does not answer");
}

static void send_more(struct question *question)
{
	struct bytes left = buffer_get(&question->out);
	long sent = left.size > 0 ? os_socket_write(question->watch.fd, left.data, left.size) : 0;
	if (sent == -2)
		return finish(question, ST_IO, "the server has closed the session");
	if (sent > 0)
		buffer_consume(&question->out, (size_t)sent);
	if (buffer_size(&question->out) == 0)
		os_loop_change(&question->watch, EPOLLIN);
}

/* Keeps what belongs to the reply. */
static void take(struct question *question, struct bytes input)
{
	struct bytes content;
	enum framing_event event;
	while ((event = framing_next(&question->framing, &input, &content)) != FRAMING_NEED_MORE) {
		if (event == FRAMING_BROKEN)
			return finish(question, ST_REJECTED, "what the server says is not NETCONF");
		if (event == FRAMING_END && ++question->messages == 2)
			return finish(question, ST_OK, NULL);
		if (event == FRAMING_CONTENT && question->messages == 1 &&
		    buffer_append(&question->in, content) != ST_OK)
			return finish(question, ST_LIMIT, "the reply is too large");
	}
}

static void on_ready(struct os_watch *watch, uint32_t events)
{
	struct question *question = (struct question *)watch;
	char data[READ_SIZE];
	if ((events & EPOLLOUT) != 0)
		send_more(question);
	if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) == 0)
		return;
	long size = os_socket_read(watch->fd, data, sizeof(data));
	if (size == 0 || size == -2)
		finish(question, ST_IO, "the server has closed the session");
	else if (size > 0)
		take(question, (struct bytes){data, (size_t)size});
}

static enum status converse(struct question *question, int fd)
{
	enum status status = os_loop_new(&question->loop);
	if (status != ST_OK)
		return status;
	question->watch.on_ready = on_ready;
	os_timer_init(&question->timer, on_time);
	os_timer_set(question->loop, &question->timer, os_clock_monotonic_ns() + PATIENCE_NS);
	status = os_loop_add(question->loop, &question->watch, fd, EPOLLIN | EPOLLOUT);
	if (status == ST_OK) {
		os_loop_run(question->loop);
		os_loop_remove(&question->watch);
		status = question->status;
	}
	os_timer_cancel(&question->timer);
	os_loop_free(question->loop);
	return status;
}

static enum status read_reply(struct bytes text, struct arena *arena, struct element **reply)
{
	const struct xml_reader_limits limits = {.depth = 256, .text_size = REPLY_MAX, .attributes = 64};
	struct element_builder builder;
	element_builder_init(&builder, arena, 16 * REPLY_MAX);
	struct xml_reader *reader = xml_reader_new(&element_builder_handlers, &builder, &limits);
	enum status status = xml_reader_feed(reader, text);
	if (status == ST_OK)
		status = xml_reader_finish(reader);
	xml_reader_free(reader);
	*reply = builder.root;
	return status;
}

enum status ask_server(const char *path, const char *operation, struct arena *arena, struct element **reply,
		       const char **problem)
{
	struct question question = {.status = ST_IO};
	int fd;
	*problem = "no server listens there";
	enum status status = os_connect_unix(path, &fd);
	if (status != ST_OK)
		return ST_IO;
	framing_init(&question.framing, FRAMING_END_OF_MESSAGE);
	buffer_init(&question.out, SIZE_MAX);
	buffer_init(&question.in, REPLY_MAX);
	status = buffer_printf(&question.out,
			       "<hello xmlns=\"" BASE_NS "\"><capabilities><capability>"
			       "urn:ietf:params:netconf:base:1.0</capability></capabilities></hello>]]>]]>"
			       "<rpc xmlns=\"" BASE_NS "\" message-id=\"1\">%s</rpc>]]>]]>",
			       operation);
	if (status == ST_OK)
		status = converse(&question, fd);
	*problem = question.problem != NULL ? question.problem : "out of descriptors or memory";
	if (status == ST_OK) {
		status = read_reply(buffer_get(&question.in), arena, reply);
		*problem = "what the server says is not NETCONF";
	}
	os_close(fd);
	buffer_fini(&question.out);
	buffer_fini(&question.in);
	return status;
}
