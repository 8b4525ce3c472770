/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The client's side of a session. After the hellos the server sends nothing but replies, one for each request
 * in order; the client reads as much as is there, and what follows a reply's end stays in `input`.
 *
 * An error is the first or the last element of a reply (RFC 6241 4.3), so only these are looked at: to search
 * hundreds of megabytes for one would take a tenth of the client's time.
 */
#include "client.h"

#include "base/assert.h"
#include "base/memory.h"
#include "say.h"

#define READ_SIZE ((size_t)64 * 1024)
#define CHUNK_SIZE ((size_t)64 * 1024)
#define ERROR_TAG "rpc-error>"
#define BASE_1_1 "urn:ietf:params:netconf:base:1.1"
#define WRITABLE_RUNNING ":writable-running:1.0"

static const char hello[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
			    "<hello xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\"><capabilities>"
			    "<capability>urn:ietf:params:netconf:base:1.0</capability>"
			    "<capability>" BASE_1_1 "</capability></capabilities></hello>";

struct client {
	struct link *link;
	int timeout_ms;
	bool writes_running;
	struct framing framing;
	struct bytes input; /* what is unread of `storage` */
	char storage[READ_SIZE];
};

static enum status refill(struct client *client)
{
	long got = link_read(client->link, client->storage, sizeof(client->storage), client->timeout_ms);
	if (got > 0) {
		client->input = (struct bytes){client->storage, (size_t)got};
		return ST_OK;
	}
	return say_failed("%s", got == 0    ? "the server closed the session"
				: got == -2 ? "no reply in time"
					    : "the connection broke");
}

/* The last CLIENT_TAIL_SIZE bytes of what has come. */
static void keep_tail(struct client_reply *reply, struct bytes content)
{
	if (content.size >= CLIENT_TAIL_SIZE) {
		memcpy(reply->tail, content.data + content.size - CLIENT_TAIL_SIZE, CLIENT_TAIL_SIZE);
		reply->tail_size = CLIENT_TAIL_SIZE;
		return;
	}
	size_t room = CLIENT_TAIL_SIZE - content.size;
	size_t kept = reply->tail_size < room ? reply->tail_size : room;
	memmove(reply->tail, reply->tail + reply->tail_size - kept, kept);
	memcpy(reply->tail + kept, content.data, content.size);
	reply->tail_size = kept + content.size;
}

static bool has_error(const char *data, size_t size)
{
	return memmem(data, size, ERROR_TAG, sizeof(ERROR_TAG) - 1) != NULL;
}

static void take_content(struct client_reply *reply, struct bytes content)
{
	keep_tail(reply, content);
	for (struct scan *counter = reply->counter; counter != NULL; counter = counter->next)
		scan_add(counter, content);
	size_t room = sizeof(reply->head) - reply->head_size;
	size_t kept = content.size < room ? content.size : room;
	memcpy(reply->head + reply->head_size, content.data, kept);
	reply->head_size += kept;
	reply->size += content.size;
}

enum status client_receive(struct client *client, struct client_reply *reply)
{
	for (;;) {
		if (client->input.size == 0) {
			if (reply->pace != NULL)
				reply->pace(reply->pace_arg, reply->size);
			enum status status = refill(client);
			if (status != ST_OK)
				return status;
		}
		size_t before = client->input.size;
		struct bytes content;
		enum framing_event event = framing_next(&client->framing, &client->input, &content);
		reply->wire_size += before - client->input.size;
		if (event == FRAMING_BROKEN)
			return say_failed("the server's framing is broken");
		if (event == FRAMING_CONTENT)
			take_content(reply, content);
		if (event == FRAMING_END)
			break;
	}
	reply->is_error =
		has_error(reply->head, reply->head_size) || has_error(reply->tail, reply->tail_size);
	return ST_OK;
}

bool client_is_ready(struct client *client)
{
	return client->input.size > 0 || client->link->ops->has_input(client->link);
}

int client_fd(const struct client *client)
{
	return client->link->fd;
}

enum status client_send(struct client *client, struct bytes framed)
{
	if (link_write(client->link, framed) == ST_OK)
		return ST_OK;
	return say_failed("cannot send the request: the connection broke");
}

enum status client_call(struct client *client, struct bytes framed, struct client_reply *reply)
{
	enum status status = client_send(client, framed);
	if (status == ST_OK)
		status = client_receive(client, reply);
	if (status == ST_OK && reply->is_error)
		return ST_REJECTED;
	return status;
}

void client_say_error(const struct client_reply *reply)
{
	say("the server answered: %.*s", (int)reply->head_size, reply->head);
}

void client_frame(const struct client *client, struct buffer *out, struct bytes request)
{
	while (request.size > 0) {
		struct bytes piece = {request.data, request.size < CHUNK_SIZE ? request.size : CHUNK_SIZE};
		if (piece.size < request.size)
			piece.size = framing_whole_characters(piece);
		framing_write(client->framing.mode, out, piece);
		request.data += piece.size;
		request.size -= piece.size;
	}
	framing_write_end(client->framing.mode, out);
}

static enum status exchange_hello(struct client *client)
{
	struct buffer out;
	buffer_init(&out, SIZE_MAX);
	client_frame(client, &out, bytes_of(hello));
	enum status status = client_send(client, buffer_get(&out));
	buffer_fini(&out);
	struct scan base_1_1, writable;
	scan_init(&base_1_1, BASE_1_1);
	scan_init(&writable, WRITABLE_RUNNING);
	base_1_1.next = &writable;
	struct client_reply reply = {.counter = &base_1_1};
	if (status == ST_OK)
		status = client_receive(client, &reply);
	if (status == ST_OK && base_1_1.count > 0)
		framing_init(&client->framing, FRAMING_CHUNKED);
	client->writes_running = writable.count > 0;
	return status;
}

enum status client_open(const struct target *target, int timeout_ms, struct client **client)
{
	struct client *made = memory_zalloc(sizeof(*made));
	made->timeout_ms = timeout_ms;
	framing_init(&made->framing, FRAMING_END_OF_MESSAGE);
	enum status status = link_open(target, &made->link);
	if (status == ST_OK)
		status = exchange_hello(made);
	if (status != ST_OK) {
		client_close(made);
		return status;
	}
	*client = made;
	return ST_OK;
}

void client_close(struct client *client)
{
	if (client == NULL)
		return;
	link_close(client->link);
	memory_free(client);
}

const char *client_cipher(const struct client *client)
{
	return client->link->cipher;
}

bool client_writes_running(const struct client *client)
{
	return client->writes_running;
}
