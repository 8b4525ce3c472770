/* SPDX-License-Identifier: BSD-3-Clause */
/* A link over a UNIX stream socket, which does not block: NETCONF framing on the bare stream. */
#include <poll.h>

#include "base/memory.h"
#include "link.h"
#include "os/socket.h"
#include "say.h"

static long read_unix(struct link *link, char *data, size_t size, int timeout_ms)
{
	for (;;) {
		long got = os_socket_read(link->fd, data, size);
		if (got >= 0)
			return got;
		if (got == -2)
			return -1;
		struct pollfd wait = {.fd = link->fd, .events = POLLIN};
		if (poll(&wait, 1, timeout_ms) == 0)
			return -2;
	}
}

static enum status write_unix(struct link *link, struct bytes bytes)
{
	while (bytes.size > 0) {
		long sent = os_socket_write(link->fd, bytes.data, bytes.size);
		if (sent == -2)
			return ST_IO;
		if (sent < 0) {
			struct pollfd wait = {.fd = link->fd, .events = POLLOUT};
			poll(&wait, 1, -1);
			continue;
		}
		bytes.data += sent;
		bytes.size -= (size_t)sent;
	}
	return ST_OK;
}

static void close_unix(struct link *link)
{
	os_close(link->fd);
	memory_free(link);
}

/* Nothing is kept here. */
static bool has_input_unix(struct link *link)
{
	(void)link;
	return false;
}

static const struct link_ops ops = {
	.read = read_unix, .write = write_unix, .has_input = has_input_unix, .close = close_unix};

enum status link_open_unix(const struct target *target, struct link **link)
{
	int fd;
	if (os_connect_unix(target->path, &fd) != ST_OK)
		return say_failed("cannot connect to %s", target->path);
	*link = memory_alloc(sizeof(**link));
	**link = (struct link){.ops = &ops, .fd = fd, .cipher = "none"};
	return ST_OK;
}
