/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SSH channels. Each that asks for the subsystem "netconf" is a NETCONF session (RFC 6242); shell, exec, pty,
 * environment and forwarding have no callback, which makes libssh refuse them.
 *
 *     OPEN --subsystem netconf--> SERVING --session over--> CLOSING --close sent and received--> freed
 *       |                            |                                                             ^
 *       +----------------------------+--------------- closed by the client -----------------------+
 *
 * libssh's callbacks come in the middle of its own work (also while we write, since it polls there): they
 * only note what has happened, and everything is done in the channel's turn.
 *
 * Incoming bytes stay in libssh's buffer of the channel until the session takes them, so that the SSH window
 * is the client's backpressure. libssh opens the whole window again with each read, however little it took:
 * so what is there is always read as a whole, into `backlog` where it is more than the pipe asks for. That
 * bounds a channel to two windows. libssh does not hold a client to its window; we do (UNREAD_MAX).
 *
 * A channel that we have closed keeps its callbacks until the client has closed it, too: libssh would collect
 * what still comes, without a bound.
 */
#include "transport/ssh.h"

#include "base/assert.h"
#include "base/log.h"
#include "base/memory.h"

#define PACKET_SIZE ((size_t)32000)	     /* payload that fits every client's packet and window */
#define PACKET_SIZE_MIN 256		     /* that a client may declare */
#define UNREAD_MAX ((size_t)2 * 1024 * 1024) /* above what libssh's windows add up to: 1,920,000 bytes */

static int on_data(ssh_session session, ssh_channel ssh, void *data, uint32_t size, int is_stderr, void *arg)
{
	(void)session;
	(void)ssh;
	(void)data;
	struct transport_channel *channel = arg;
	if (is_stderr || channel->state != TRANSPORT_CHANNEL_SERVING)
		return (int)size; /* discarded */
	channel->unread = size;	  /* all that is in the buffer, not just what came */
	if (channel->unread > UNREAD_MAX)
		channel->connection->doomed = true;
	return 0;
}

static void on_eof(ssh_session session, ssh_channel ssh, void *arg)
{
	(void)session;
	(void)ssh;
	((struct transport_channel *)arg)->ended = true;
}

static void on_close(ssh_session session, ssh_channel ssh, void *arg)
{
	(void)session;
	(void)ssh;
	((struct transport_channel *)arg)->closed_by_client = true;
}

static long read_channel(void *owner, char *data, size_t size)
{
	struct transport_channel *channel = owner;
	if (buffer_size(&channel->backlog) == 0 && channel->unread > 0) {
		size_t unread = channel->unread;
		char *into = unread <= size ? data : buffer_reserve(&channel->backlog, unread);
		int got = ssh_channel_read(channel->ssh, into, (uint32_t)unread, 0);
		channel->unread = 0;
		if (got != (int)unread)
			return TRANSPORT_BROKEN;
		if (into == data)
			return got;
		buffer_commit(&channel->backlog, unread);
	}
	struct bytes backlog = buffer_get(&channel->backlog);
	if (backlog.size == 0)
		return channel->ended ? TRANSPORT_END : TRANSPORT_NONE;
	size_t taken = backlog.size < size ? backlog.size : size;
	memcpy(data, backlog.data, taken);
	buffer_consume(&channel->backlog, taken);
	if (taken == backlog.size)
		buffer_clear(&channel->backlog, 0);
	return (long)taken;
}

static size_t channel_room(void *owner)
{
	struct transport_channel *channel = owner;
	if (channel->closed_by_client || transport__ssh_connection_blocked(channel->connection))
		return 0;
	size_t window = ssh_channel_window_size(channel->ssh);
	return window < PACKET_SIZE ? window : PACKET_SIZE;
}

static long write_channel(void *owner, const char *data, size_t size)
{
	struct transport_channel *channel = owner;
	int sent = ssh_channel_write(channel->ssh, data, (uint32_t)size);
	return sent < 0 ? TRANSPORT_BROKEN : sent; /* 0 while keys are exchanged anew */
}

static void shut_channel(void *owner)
{
	ssh_channel_send_eof(((struct transport_channel *)owner)->ssh);
}

static void give_turn(void *owner)
{
	transport__ssh_connection_turn(((struct transport_channel *)owner)->connection);
}

static const struct transport_pipe_ops ops = {
	.read = read_channel,
	.room = channel_room,
	.write = write_channel,
	.shut = shut_channel,
	.turn = give_turn,
};

/*
 * Whether the packet size that the client declared can be used. libssh 0.10's ssh_channel_write loops for
 * ever where it is 10, is very slow just above, and has no function that tells it. So this looks at the
 * channel itself, whose first members have been these in all versions from 0.5 to 0.11, and believes them
 * only where all that can be checked is right. RFC 4253 6.1 wants 32,768 of everyone.
 */
static bool packet_size_is_usable(ssh_channel ssh)
{
	struct {
		ssh_session session;
		uint32_t local_channel, local_window;
		int local_eof;
		uint32_t local_packet, remote_channel, remote_window;
		int remote_eof;
		uint32_t remote_packet;
	} head;
	memcpy(&head, ssh, sizeof(head));
	bool known = head.session == ssh_channel_get_session(ssh) && head.local_eof == 0 &&
		     head.local_packet == 35000 && head.remote_window == ssh_channel_window_size(ssh);
	return !known || head.remote_packet >= PACKET_SIZE_MIN;
}

static int on_subsystem(ssh_session session, ssh_channel ssh, const char *subsystem, void *arg)
{
	(void)session;
	struct transport_channel *channel = arg;
	struct transport_ssh_connection *connection = channel->connection;
	if (channel->state != TRANSPORT_CHANNEL_OPEN || strcmp(subsystem, "netconf") != 0)
		return 1;
	if (!packet_size_is_usable(ssh)) {
		log_info("%s refused: its SSH packets are too small", connection->peer);
		return 1;
	}
	struct transport_pipe *pipe = transport__pipe_new(connection->base.worker, &ops, channel);
	struct transport_pipe_peer who = {
		.user = connection->user, .address = connection->peer, .transport = "ssh"};
	if (transport__pipe_open(pipe, connection->service->base.server, &who) != ST_OK) {
		transport__pipe_free(pipe);
		return 1;
	}
	channel->pipe = pipe;
	channel->state = TRANSPORT_CHANNEL_SERVING;
	connection->served = true;
	os_timer_cancel(&connection->timer);
	return 0;
}

ssh_channel transport__channel_open(struct transport_ssh_connection *connection)
{
	unsigned count = 0;
	for (struct transport_channel *other = connection->channels; other != NULL; other = other->next)
		count++;
	if (count >= connection->service->limits.channels || connection->base.worker->stopping)
		return NULL;
	ssh_channel ssh = ssh_channel_new(connection->session);
	if (ssh == NULL)
		return NULL;
	struct transport_channel *channel = memory_zalloc(sizeof(*channel));
	channel->connection = connection;
	channel->ssh = ssh;
	buffer_init(&channel->backlog, UNREAD_MAX);
	channel->callbacks = (struct ssh_channel_callbacks_struct){
		.userdata = channel,
		.channel_data_function = on_data,
		.channel_eof_function = on_eof,
		.channel_close_function = on_close,
		.channel_subsystem_request_function = on_subsystem,
	};
	ssh_callbacks_init(&channel->callbacks);
	ssh_set_channel_callbacks(ssh, &channel->callbacks);
	channel->next = connection->channels;
	connection->channels = channel;
	return ssh;
}

static void begin_closing(struct transport_channel *channel)
{
	transport__pipe_free(channel->pipe);
	channel->pipe = NULL;
	channel->state = TRANSPORT_CHANNEL_CLOSING;
	buffer_clear(&channel->backlog, 0);
	if (!channel->closed_by_client)
		ssh_channel_request_send_exit_status(channel->ssh, 0);
}

static void serve(struct transport_channel *channel)
{
	transport__pipe_run(channel->pipe);
	unsigned state = transport__pipe_state(channel->pipe);
	if (state & (TRANSPORT_PIPE_OVER | TRANSPORT_PIPE_BROKEN))
		begin_closing(channel);
}

bool transport__channel_turn(struct transport_channel *channel)
{
	if (channel->state == TRANSPORT_CHANNEL_SERVING)
		serve(channel);
	if (channel->closed_by_client && channel->state != TRANSPORT_CHANNEL_CLOSING)
		begin_closing(channel);
	/* End of file and close; SSH_AGAIN: one of them is still to be sent. */
	if (channel->state == TRANSPORT_CHANNEL_CLOSING && !channel->closed_by_us &&
	    !transport__ssh_connection_blocked(channel->connection))
		channel->closed_by_us = ssh_channel_close(channel->ssh) != SSH_AGAIN;
	if (!channel->closed_by_client || !channel->closed_by_us)
		return true;
	transport__channel_free(channel);
	return false;
}

void transport__channel_free(struct transport_channel *channel)
{
	transport__pipe_free(channel->pipe);
	ssh_remove_channel_callbacks(channel->ssh, &channel->callbacks);
	ssh_channel_free(channel->ssh);
	buffer_fini(&channel->backlog);
	memory_free(channel);
}
