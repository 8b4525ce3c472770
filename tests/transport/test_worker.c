/* SPDX-License-Identifier: BSD-3-Clause */
/* Workers and listeners with a service that only counts: handing over, running out of descriptors, the end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/memory.h"
#include "os/clock.h"
#include "transport/internal.h"

#define WORKERS 3

struct counting_service {
	struct transport_service base;
	_Atomic unsigned started[WORKERS], dropped, stopped, freed;
	bool refuse;
	bool lingers; /* its connections go only when they are dropped */
};

struct counted {
	struct transport_connection base;
	struct counting_service *service;
	struct os_watch watch;
};

static void free_counted(struct counted *counted)
{
	int fd = counted->watch.fd;
	os_loop_remove(&counted->watch);
	os_close(fd);
	transport__service_unref(&counted->service->base);
	transport__connection_remove(&counted->base);
	memory_free(counted);
}

static void drop(struct transport_connection *connection)
{
	struct counted *counted = (struct counted *)connection;
	counted->service->dropped++;
	free_counted(counted);
}

static void stop(struct transport_connection *connection)
{
	struct counted *counted = (struct counted *)connection;
	counted->service->stopped++;
	if (!counted->service->lingers)
		free_counted(counted);
}

static void on_ready(struct os_watch *watch, uint32_t events)
{
	(void)events;
	free_counted((struct counted *)((char *)watch - offsetof(struct counted, watch)));
}

static void start(struct transport_service *base, struct transport_worker *worker, int fd,
		  const char peer[OS_ADDRESS_SIZE])
{
	struct counting_service *service = (struct counting_service *)base;
	assert_true(pthread_equal(worker->thread, pthread_self()));
	assert_int_equal(strncmp(peer, "127.0.0.1:", 10), 0);
	struct counted *counted = memory_zalloc(sizeof(*counted));
	counted->base.stop = stop;
	counted->base.drop = drop;
	counted->service = service;
	counted->watch.on_ready = on_ready;
	transport__service_ref(base);
	transport__connection_add(&counted->base, worker);
	assert_int_equal(os_loop_add(worker->loop, &counted->watch, fd, EPOLLIN), ST_OK);
	service->started[worker->index]++;
	assert_int_equal(os_socket_write(fd, "x", 1), 1);
}

static bool admit(struct transport_service *base, const char peer[OS_ADDRESS_SIZE])
{
	(void)peer;
	return !((struct counting_service *)base)->refuse;
}

static void mark_freed(struct transport_service *base)
{
	((struct counting_service *)base)->freed++;
}

struct fixture {
	struct transport_workers *workers;
	struct transport_listener *listener;
	struct counting_service service;
	char bound[OS_ADDRESS_SIZE];
};

static int set_up(void **state)
{
	struct fixture *fixture = memory_zalloc(sizeof(*fixture));
	fixture->service.base =
		(struct transport_service){.refs = 1, .start = start, .admit = admit, .free = mark_freed};
	assert_int_equal(transport_workers_start(WORKERS, &fixture->workers), ST_OK);
	int fd;
	assert_int_equal(os_listen_tcp("127.0.0.1:0", 64, &fd, fixture->bound), ST_OK);
	assert_int_equal(transport__listener_new(fixture->workers, &fixture->service.base, fd, NULL,
						 &fixture->listener),
			 ST_OK);
	*state = fixture;
	return 0;
}

/* Ends all; gives how long that took. */
static uint64_t end(struct fixture *fixture, uint64_t grace_ms)
{
	uint64_t began_ns = os_clock_monotonic_ns();
	transport_listener_close(fixture->listener);
	transport_workers_stop(fixture->workers, grace_ms);
	assert_int_equal(fixture->service.freed, 1);
	return (os_clock_monotonic_ns() - began_ns) / NS_PER_MS;
}

static int connect_to(const struct fixture *fixture)
{
	int fd;
	assert_int_equal(os_connect_tcp(fixture->bound, &fd), ST_OK);
	return fd;
}

/* Waits for what the server sends at the start: 1, or 0 where it closes. */
static long answer(int fd)
{
	char byte;
	long got;
	while ((got = os_socket_read(fd, &byte, 1)) == -1)
		usleep(1000);
	return got == -2 ? 0 : got;
}

static void hands_over_in_turn(void **state)
{
	struct fixture *fixture = *state;
	int fds[WORKERS * 10];
	for (size_t i = 0; i < WORKERS * 10; i++)
		fds[i] = connect_to(fixture);
	for (size_t i = 0; i < WORKERS * 10; i++)
		assert_int_equal(answer(fds[i]), 1);
	for (size_t i = 0; i < WORKERS; i++)
		assert_int_equal(fixture->service.started[i], 10);
	assert_true(end(fixture, 5000) < 2000);
	assert_int_equal(fixture->service.stopped, WORKERS * 10);
	assert_int_equal(fixture->service.dropped, 0);
	for (size_t i = 0; i < WORKERS * 10; i++)
		os_close(fds[i]);
}

static void refuses(void **state)
{
	struct fixture *fixture = *state;
	fixture->service.refuse = true;
	int fd = connect_to(fixture);
	assert_int_equal(answer(fd), 0);
	os_close(fd);
	end(fixture, 0);
}

static void closes_a_listener_while_connections_come(void **state)
{
	struct fixture *fixture = *state;
	int fds[50];
	for (size_t i = 0; i < 50; i++)
		fds[i] = connect_to(fixture);
	end(fixture, 5000);
	for (size_t i = 0; i < 50; i++) {
		answer(fds[i]);
		os_close(fds[i]);
	}
}

static void drops_what_outlives_the_grace_time(void **state)
{
	struct fixture *fixture = *state;
	fixture->service.lingers = true;
	int fds[4];
	for (size_t i = 0; i < 4; i++) {
		fds[i] = connect_to(fixture);
		assert_int_equal(answer(fds[i]), 1);
	}
	uint64_t took_ms = end(fixture, 200);
	assert_in_range(took_ms, 190, 2000);
	assert_int_equal(fixture->service.dropped, 4);
	for (size_t i = 0; i < 4; i++)
		os_close(fds[i]);
}

static void ends_when_the_last_one_goes_by_itself(void **state)
{
	struct fixture *fixture = *state;
	fixture->service.lingers = true;
	int fd = connect_to(fixture);
	assert_int_equal(answer(fd), 1);
	os_close(fd); /* its connection becomes readable */
	assert_true(end(fixture, 60000) < 10000);
	assert_int_equal(fixture->service.dropped, 0);
}

/* The lowest descriptor that is free is the next one; with a limit there, accept fails. */
static void pauses_without_descriptors(void **state)
{
	struct fixture *fixture = *state;
	struct rlimit limit, low;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	int fd = connect_to(fixture), second = connect_to(fixture);
	assert_int_equal(answer(fd), 1);
	assert_int_equal(answer(second), 1);
	int third = connect_to(fixture);
	assert_int_equal(answer(third), 1);
	low = limit;
	int next = dup(0); /* for the client's end of the next connection; none is left for the server's */
	low.rlim_cur = (rlim_t)next + 1;
	close(next);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	int waiting = connect_to(fixture);
	usleep(300000);
	char byte;
	assert_int_equal(os_socket_read(waiting, &byte, 1), -1); /* neither accepted nor closed */
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(answer(waiting), 1);
	end(fixture, 5000);
	os_close(fd);
	os_close(second);
	os_close(third);
	os_close(waiting);
}

static int tear_down(void **state)
{
	memory_free(*state);
	return 0;
}

static void starts_and_ends_without_connections(void **state)
{
	(void)state;
	struct transport_workers *workers;
	assert_int_equal(transport_workers_start(1, &workers), ST_OK);
	transport_workers_stop(workers, 0);
}

static void says_one_line_a_second(void **state)
{
	(void)state;
	struct transport_log_gate gate = {0};
	assert_true(transport__log_gate(&gate));
	for (int i = 0; i < 100; i++)
		assert_false(transport__log_gate(&gate));
	atomic_store(&gate.next_ns, os_clock_monotonic_ns());
	assert_true(transport__log_gate(&gate));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(starts_and_ends_without_connections),
		cmocka_unit_test(says_one_line_a_second),
		cmocka_unit_test_setup_teardown(hands_over_in_turn, set_up, tear_down),
		cmocka_unit_test_setup_teardown(refuses, set_up, tear_down),
		cmocka_unit_test_setup_teardown(closes_a_listener_while_connections_come, set_up, tear_down),
		cmocka_unit_test_setup_teardown(drops_what_outlives_the_grace_time, set_up, tear_down),
		cmocka_unit_test_setup_teardown(ends_when_the_last_one_goes_by_itself, set_up, tear_down),
		cmocka_unit_test_setup_teardown(pauses_without_descriptors, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
