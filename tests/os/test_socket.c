/* SPDX-License-Identifier: BSD-3-Clause */
/* Sockets: listening on TCP and UNIX addresses, stale files, modes, peers, exhausted descriptors. */
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pwd.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "os/socket.h"

static char directory[] = "/tmp/yare-test-socket-XXXXXX";
static char socket_path[64];

static int make_directory(void **state)
{
	(void)state;
	if (!mkdtemp(directory))
		return -1;
	snprintf(socket_path, sizeof(socket_path), "%s/socket", directory);
	return 0;
}

static int remove_directory(void **state)
{
	(void)state;
	unlink(socket_path);
	return rmdir(directory);
}

static void wait_readable(int fd)
{
	struct pollfd wait = {.fd = fd, .events = POLLIN};
	assert_int_equal(poll(&wait, 1, 5000), 1);
}

static void assert_fd_flags(int fd)
{
	assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
}

/* Connects, accepts, and sends a word each way. */
static void talk(int listen_fd, int client_fd, const char *peer_prefix)
{
	int server_fd;
	char peer[OS_ADDRESS_SIZE], data[16];
	wait_readable(listen_fd);
	assert_int_equal(os_accept(listen_fd, &server_fd, peer), ST_OK);
	assert_memory_equal(peer, peer_prefix, strlen(peer_prefix));
	assert_fd_flags(server_fd);
	assert_fd_flags(client_fd);
	os_socket_tune(server_fd, 30, 10, 3);
	assert_int_equal(os_socket_read(server_fd, data, sizeof(data)), -1);
	assert_int_equal(os_socket_write(client_fd, "ping", 4), 4);
	wait_readable(server_fd);
	assert_int_equal(os_socket_read(server_fd, data, sizeof(data)), 4);
	os_close(client_fd);
	wait_readable(server_fd);
	assert_int_equal(os_socket_read(server_fd, data, sizeof(data)), 0);
	/* The peer is gone: the first write may still be taken, a later one fails, without SIGPIPE. */
	long sent = 0;
	for (int i = 0; i < 100 && sent >= 0; i++) {
		sent = os_socket_write(server_fd, "pong", 4);
		usleep(1000);
	}
	assert_int_equal(sent, -2);
	os_close(server_fd);
}

/* A minimal system has no /etc/hosts. */
static bool knows_localhost(void)
{
	struct addrinfo *found;
	if (getaddrinfo("localhost", NULL, NULL, &found) != 0)
		return false;
	freeaddrinfo(found);
	return true;
}

static void tcp_on_a_free_port(void **state)
{
	(void)state;
	static const char *const prefixes[][2] = {
		{"127.0.0.1:0", "127.0.0.1:"}, {"[::1]:0", "[::1]:"}, {"localhost:0", ""}};
	for (size_t i = 0; i < 3; i++) {
		int listen_fd, client_fd, other_fd;
		char bound[OS_ADDRESS_SIZE], peer[OS_ADDRESS_SIZE];
		enum status status = os_listen_tcp(prefixes[i][0], 16, &listen_fd, bound);
		if (i == 1 && status == ST_IO) {
			print_message("no IPv6 here, skipped\n");
			continue;
		}
		if (i == 2 && !knows_localhost()) {
			print_message("no name localhost here, skipped\n");
			continue;
		}
		assert_int_equal(status, ST_OK);
		assert_memory_equal(bound, prefixes[i][1], strlen(prefixes[i][1]));
		assert_true(atoi(strrchr(bound, ':') + 1) > 0);
		assert_fd_flags(listen_fd);
		assert_int_equal(os_accept(listen_fd, &client_fd, peer), ST_BUSY);
		assert_int_equal(os_listen_tcp(bound, 16, &other_fd, peer), ST_BUSY);
		assert_int_equal(os_connect_tcp(bound, &client_fd), ST_OK);
		talk(listen_fd, client_fd, prefixes[i][1]);
		os_close(listen_fd);
		assert_int_equal(os_connect_tcp(bound, &client_fd), ST_IO);
	}
}

static void bad_addresses_are_rejected(void **state)
{
	(void)state;
	static const char *const bad[] = {"",
					  "127.0.0.1",
					  ":830",
					  "127.0.0.1:",
					  "::1:830",
					  "[::1:830",
					  "[]:830",
					  "]:830",
					  "[:830",
					  "127.0.0.1:ssh",
					  "[::1]830",
					  "127.0.0.1:65536",
					  "127.0.0.1:99999999999999999999",
					  "127.0.0.1:-1",
					  "127.0.0.1:+1",
					  "127.0.0.1: 1",
					  "127.0.0.1:1x"};
	char bound[OS_ADDRESS_SIZE];
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		int fd;
		assert_int_equal(os_listen_tcp(bad[i], 1, &fd, bound), ST_REJECTED);
		assert_int_equal(os_connect_tcp(bad[i], &fd), ST_REJECTED);
	}
	char path[300];
	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	int fd;
	assert_int_equal(os_listen_unix(path, 0600, 1, &fd), ST_REJECTED);
	assert_int_equal(os_listen_unix("", 0600, 1, &fd), ST_REJECTED);
	assert_int_equal(os_connect_unix(path, &fd), ST_REJECTED);
}

static void unix_socket_has_its_mode_and_knows_its_peer(void **state)
{
	(void)state;
	int listen_fd, client_fd;
	mode_t mask = umask(0027); /* neither widens nor narrows what was asked for */
	assert_int_equal(os_listen_unix(socket_path, 0666, 16, &listen_fd), ST_OK);
	umask(mask);
	struct stat stat;
	assert_int_equal(lstat(socket_path, &stat), 0);
	assert_int_equal(stat.st_mode & 07777, 0666);
	assert_int_equal(os_connect_unix(socket_path, &client_fd), ST_OK);

	char user[64], expected[64], tiny[2];
	struct passwd *entry = getpwuid(geteuid());
	if (entry)
		snprintf(expected, sizeof(expected), "%s", entry->pw_name);
	else
		snprintf(expected, sizeof(expected), "uid:%u", geteuid());
	assert_int_equal(os_peer_user(client_fd, user, sizeof(user)), ST_OK);
	assert_string_equal(user, expected);
	assert_int_equal(os_peer_user(client_fd, tiny, sizeof(tiny)), ST_LIMIT);
	talk(listen_fd, client_fd, "unix");
	os_close(listen_fd);
}

static void tcp_socket_has_no_peer_user(void **state)
{
	(void)state;
	int listen_fd, client_fd;
	char bound[OS_ADDRESS_SIZE], user[64];
	assert_int_equal(os_listen_tcp("127.0.0.1:0", 1, &listen_fd, bound), ST_OK);
	assert_int_equal(os_connect_tcp(bound, &client_fd), ST_OK);
	assert_int_equal(os_peer_user(client_fd, user, sizeof(user)), ST_IO);
	os_close(client_fd);
	os_close(listen_fd);
	os_close(-1);
}

static void stale_socket_is_replaced_and_a_live_one_is_not(void **state)
{
	(void)state;
	int listen_fd, other_fd, client_fd;
	struct stat stat;
	assert_int_equal(os_listen_unix(socket_path, 0600, 1, &listen_fd), ST_OK);
	assert_int_equal(os_listen_unix(socket_path, 0600, 1, &other_fd), ST_BUSY);
	assert_int_equal(os_connect_unix(socket_path, &client_fd), ST_OK); /* it was left alone */
	os_close(client_fd);
	os_close(listen_fd); /* the file stays, as after SIGKILL */
	assert_int_equal(os_listen_unix(socket_path, 0600, 1, &listen_fd), ST_OK);
	assert_int_equal(lstat(socket_path, &stat), 0);
	assert_int_equal(stat.st_mode & 07777, 0600);
	os_close(listen_fd);
	unlink(socket_path);
}

static void other_files_are_not_replaced(void **state)
{
	(void)state;
	int fd = open(socket_path, O_CREAT | O_WRONLY, 0600);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(os_listen_unix(socket_path, 0600, 1, &fd), ST_BUSY);
	assert_int_equal(access(socket_path, F_OK), 0);
	unlink(socket_path);
	assert_int_equal(os_listen_unix("/nonexistent/socket", 0600, 1, &fd), ST_IO);
	assert_int_equal(os_connect_unix(socket_path, &fd), ST_IO);
}

static void accept_tells_when_out_of_descriptors(void **state)
{
	(void)state;
	int listen_fd, client_fd, server_fd;
	char peer[OS_ADDRESS_SIZE];
	assert_int_equal(os_listen_unix(socket_path, 0600, 16, &listen_fd), ST_OK);
	assert_int_equal(os_connect_unix(socket_path, &client_fd), ST_OK);
	struct rlimit limit, tight;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	tight = (struct rlimit){.rlim_cur = (rlim_t)client_fd, .rlim_max = limit.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &tight), 0);
	enum status status = os_accept(listen_fd, &server_fd, peer);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(status, ST_LIMIT);
	talk(listen_fd, client_fd, "unix"); /* the connection was not lost */
	os_close(listen_fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tcp_on_a_free_port),
		cmocka_unit_test(bad_addresses_are_rejected),
		cmocka_unit_test(unix_socket_has_its_mode_and_knows_its_peer),
		cmocka_unit_test(tcp_socket_has_no_peer_user),
		cmocka_unit_test(stale_socket_is_replaced_and_a_live_one_is_not),
		cmocka_unit_test(other_files_are_not_replaced),
		cmocka_unit_test(accept_tells_when_out_of_descriptors),
	};
	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
