/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sockets as the transports need them. Addresses are text in and text out ("127.0.0.1:830", "[::1]:830");
 * what errno says becomes a status here and goes no further. Who makes a UNIX socket fears two things: that
 * others connect before the mode is set, and that a file left by a killed server blocks the next one. A
 * socket that is bound but does not listen yet refuses connections, so the mode is set between bind and
 * listen; a file is only replaced when it is a socket that refuses us. Two servers that start at once on one
 * path are kept apart by the lock of their data directory, not here.
 */
#include "os/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/log.h"
#include "base/memory.h"

#define HOST_SIZE 256		/* bytes, the longest host name and its terminator */
#define PASSWD_SIZE (64u << 10) /* bytes for one entry of the user database */

static enum status status_of_errno(void)
{
	switch (errno) {
	case EMFILE:
	case ENFILE:
	case ENOBUFS:
	case ENOMEM:
		return ST_LIMIT;
	case EADDRINUSE:
		return ST_BUSY;
	default:
		return ST_IO;
	}
}

/* Closes the fd, keeps errno. */
static enum status fail(int fd)
{
	enum status status = status_of_errno();
	os_close(fd);
	return status;
}

/* The log gets what errno says of a failure of the world; who called says what it was about. */
static enum status tell(enum status status, const char *address)
{
	if (status == ST_IO || status == ST_LIMIT)
		log_warning("%s: %s", address, strerror(errno));
	return status;
}

/* getaddrinfo takes the lower 16 bits of whatever number it is given. */
static bool is_port(const char *text)
{
	unsigned long port = 0;
	const char *c = text;
	for (; *c >= '0' && *c <= '9' && port <= UINT16_MAX; c++)
		port = port * 10 + (unsigned long)(*c - '0');
	return c > text && *c == '\0' && port <= UINT16_MAX;
}

/* Splits "host:port" or "[host]:port". Fails with ST_REJECTED. */
static enum status split_address(const char *address, char host[HOST_SIZE], const char **port)
{
	const char *colon = strrchr(address, ':');
	if (!colon)
		return ST_REJECTED;
	const char *begin = address, *end = colon;
	if (*begin == '[') {
		if (end == begin || end[-1] != ']')
			return ST_REJECTED;
		begin++;
		end--;
	} else if (memchr(begin, ':', (size_t)(end - begin))) {
		return ST_REJECTED; /* an IPv6 address without brackets: which colon is it? */
	}
	size_t size = (size_t)(end - begin);
	if (size == 0 || size >= HOST_SIZE || !is_port(colon + 1))
		return ST_REJECTED;
	memcpy(host, begin, size);
	host[size] = '\0';
	*port = colon + 1;
	return ST_OK;
}

static enum status resolve(const char *address, struct addrinfo **result)
{
	char host[HOST_SIZE];
	const char *port;
	enum status status = split_address(address, host, &port);
	if (status != ST_OK)
		return status;
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
	int error = getaddrinfo(host, port, &hints, result);
	if (error == EAI_NONAME || error == EAI_SERVICE)
		return ST_REJECTED;
	return error == 0 ? ST_OK : ST_IO;
}

static void print_address(const struct sockaddr_storage *address, socklen_t size, char text[OS_ADDRESS_SIZE])
{
	if (address->ss_family == AF_UNIX) {
		strcpy(text, "unix");
		return;
	}
	char host[OS_ADDRESS_SIZE - 16], port[8];
	int error = getnameinfo((const struct sockaddr *)address, size, host, sizeof(host), port,
				sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV);
	if (error)
		strcpy(text, "unknown");
	else
		snprintf(text, OS_ADDRESS_SIZE, address->ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host,
			 port);
}

static enum status listen_on(const struct addrinfo *info, int backlog, int *fd)
{
	int one = 1;
	int made = socket(info->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (made < 0)
		return status_of_errno();
	setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	/* Each address listens for its own family, whatever the system's default is. */
	if (info->ai_family == AF_INET6)
		setsockopt(made, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof(one));
	if (bind(made, info->ai_addr, info->ai_addrlen) != 0 || listen(made, backlog) != 0)
		return fail(made);
	*fd = made;
	return ST_OK;
}

enum status os_listen_tcp(const char *address, int backlog, int *fd, char bound[OS_ADDRESS_SIZE])
{
	struct addrinfo *infos;
	enum status status = resolve(address, &infos);
	if (status != ST_OK)
		return status;
	int made = -1;
	for (struct addrinfo *info = infos; info; info = info->ai_next) {
		status = listen_on(info, backlog, &made);
		if (status == ST_OK)
			break;
	}
	(void)tell(status, address);
	freeaddrinfo(infos);
	if (status != ST_OK)
		return status;
	struct sockaddr_storage name;
	socklen_t size = sizeof(name);
	if (getsockname(made, (struct sockaddr *)&name, &size) != 0)
		return fail(made);
	print_address(&name, size, bound);
	*fd = made;
	return ST_OK;
}

static enum status unix_address(const char *path, struct sockaddr_un *address)
{
	size_t size = strlen(path);
	if (size == 0 || size >= sizeof(address->sun_path))
		return ST_REJECTED;
	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	memcpy(address->sun_path, path, size);
	return ST_OK;
}

/* Whether the path is a socket that nobody listens on. A full backlog (EAGAIN) is somebody. */
static bool is_stale(const struct sockaddr_un *address)
{
	struct stat stat;
	if (lstat(address->sun_path, &stat) != 0 || !S_ISSOCK(stat.st_mode))
		return false;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	bool stale =
		connect(fd, (const struct sockaddr *)address, sizeof(*address)) != 0 && errno == ECONNREFUSED;
	os_close(fd);
	return stale;
}

enum status os_listen_unix(const char *path, unsigned mode, int backlog, int *fd)
{
	struct sockaddr_un address;
	enum status status = unix_address(path, &address);
	if (status != ST_OK)
		return status;
	int made = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (made < 0)
		return status_of_errno();
	const struct sockaddr *name = (const struct sockaddr *)&address;
	int failed = bind(made, name, sizeof(address));
	if (failed && errno == EADDRINUSE) {
		if (is_stale(&address) && unlink(path) == 0)
			failed = bind(made, name, sizeof(address));
		else
			errno = EADDRINUSE;
	}
	if (failed)
		return tell(fail(made), path);
	if (chmod(path, mode) != 0 || listen(made, backlog) != 0) {
		status = fail(made);
		unlink(path);
		return status;
	}
	*fd = made;
	return ST_OK;
}

enum status os_accept(int listen_fd, int *fd, char peer[OS_ADDRESS_SIZE])
{
	struct sockaddr_storage address;
	for (;;) {
		socklen_t size = sizeof(address);
		int accepted =
			accept4(listen_fd, (struct sockaddr *)&address, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (accepted >= 0) {
			print_address(&address, size, peer);
			*fd = accepted;
			return ST_OK;
		}
		switch (errno) {
		case EINTR:
		case ECONNABORTED: /* and errors of the connection, which Linux reports here: accept(2) */
		case EPROTO:
		case ENETDOWN:
		case ENOPROTOOPT:
		case EHOSTDOWN:
		case ENONET:
		case EHOSTUNREACH:
		case ENETUNREACH:
			continue;
		case EAGAIN:
			return ST_BUSY;
		default:
			return status_of_errno();
		}
	}
}

/* Connects a blocking socket and makes it non-blocking. Takes the fd. */
static enum status connect_to(int made, const struct sockaddr *address, socklen_t size, int *fd)
{
	int failed = connect(made, address, size);
	if (failed && errno == EINTR) { /* it goes on in the background: wait for its end */
		struct pollfd wait = {.fd = made, .events = POLLOUT};
		while (poll(&wait, 1, -1) < 0 && errno == EINTR)
			continue;
		int error = 0;
		socklen_t error_size = sizeof(error);
		getsockopt(made, SOL_SOCKET, SO_ERROR, &error, &error_size);
		errno = error;
		failed = error != 0;
	}
	if (failed || fcntl(made, F_SETFL, O_NONBLOCK) != 0)
		return fail(made);
	*fd = made;
	return ST_OK;
}

enum status os_connect_tcp(const char *address, int *fd)
{
	struct addrinfo *infos;
	enum status status = resolve(address, &infos);
	if (status != ST_OK)
		return status;
	for (struct addrinfo *info = infos; info; info = info->ai_next) {
		int made = socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
		status = made < 0 ? status_of_errno() : connect_to(made, info->ai_addr, info->ai_addrlen, fd);
		if (status == ST_OK)
			break;
	}
	freeaddrinfo(infos);
	return status;
}

enum status os_connect_unix(const char *path, int *fd)
{
	struct sockaddr_un address;
	enum status status = unix_address(path, &address);
	if (status != ST_OK)
		return status;
	int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (made < 0)
		return status_of_errno();
	return connect_to(made, (const struct sockaddr *)&address, sizeof(address), fd);
}

/* Gives the size of what should have been printed, as snprintf; -1: the user database failed. */
static int print_user(uid_t uid, char *user, size_t size)
{
	char *storage = memory_alloc(PASSWD_SIZE);
	struct passwd entry, *found = NULL;
	int error = getpwuid_r(uid, &entry, storage, PASSWD_SIZE, &found);
	int printed = -1;
	if (found)
		printed = snprintf(user, size, "%s", found->pw_name);
	else if (error == 0 || error == ENOENT || error == ESRCH)
		printed = snprintf(user, size, "uid:%lu", (unsigned long)uid);
	memory_free(storage);
	return printed;
}

enum status os_peer_user(int fd, char *user, size_t size)
{
	struct ucred peer;
	socklen_t peer_size = sizeof(peer);
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &peer_size) != 0)
		return ST_IO;
	if (peer.uid == (uid_t)-1) /* not a UNIX socket, or not connected */
		return ST_IO;
	int printed = print_user(peer.uid, user, size);
	if (printed < 0)
		return ST_IO;
	return (size_t)printed < size ? ST_OK : ST_LIMIT;
}

/* The result of a read or write as socket.h has it. EINTR is the caller's. */
static long transferred(ssize_t size)
{
	if (size >= 0)
		return size;
	return errno == EAGAIN || errno == EWOULDBLOCK ? -1 : -2;
}

long os_socket_read(int fd, char *data, size_t size)
{
	ASSERT(size > 0); /* 0 would look like the end of the stream */
	ssize_t got;
	do
		got = recv(fd, data, size, 0);
	while (got < 0 && errno == EINTR);
	return transferred(got);
}

long os_socket_write(int fd, const char *data, size_t size)
{
	ssize_t sent;
	do
		sent = send(fd, data, size, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return transferred(sent);
}

void os_socket_shut(int fd)
{
	shutdown(fd, SHUT_WR);
}

void os_socket_tune(int fd, unsigned idle_s, unsigned interval_s, unsigned count)
{
	/* Failures are ignored: the calls fail on UNIX sockets, which need none of this. */
	int one = 1, idle = (int)idle_s, interval = (int)interval_s, probes = (int)count;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (idle_s == 0)
		return;
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof(one));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof(interval));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof(probes));
}

void os_close(int fd)
{
	if (fd >= 0)
		close(fd); /* on Linux the fd is gone whatever close returns; never retry */
}
