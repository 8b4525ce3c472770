/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs the files of tests/scenario against yared: each file gets a server of its own on a UNIX socket, with
 * the options that its `limit` lines stand for. What the runner in the process cannot show
 * (tests/netconf/test_scenarios.c) is here: the workers and job threads as they are, partial reads and
 * writes, and the options themselves.
 *
 * Usage: scenario_runner YARED [BEGINNING-OF-A-FILE-NAME]...
 */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "helper_folder.h"
#include "helper_scenario.h"
#include "yared.h"

#define SESSIONS 64
#define DROP_MS 2000 /* most, until the server has seen that a client is gone */

/* The connections of one scenario. */
struct link {
	struct links *links;
	int fd;	     /* 0: free */
	bool closed; /* by the server */
};

struct links {
	const struct yared *yared;
	struct link all[SESSIONS];
};

static struct link *find_free(struct links *links)
{
	for (size_t i = 0; i < SESSIONS; i++)
		if (links->all[i].fd == 0)
			return &links->all[i];
	return NULL;
}

static void *connect_socket(void *arg)
{
	struct links *links = arg;
	struct link *link = find_free(links);
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", links->yared->socket);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || link == NULL || connect(fd, (const struct sockaddr *)&address, sizeof(address)) != 0) {
		close(fd);
		return NULL;
	}
	*link = (struct link){.links = links, .fd = fd};
	return link;
}

static void send_bytes(void *connection, struct bytes bytes)
{
	struct link *link = connection;
	while (bytes.size > 0) {
		ssize_t size = send(link->fd, bytes.data, bytes.size, MSG_NOSIGNAL);
		if (size < 0 && errno == EINTR)
			continue;
		if (size <= 0)
			return; /* what the server says is what counts */
		bytes.data += size;
		bytes.size -= (size_t)size;
	}
}

static bool receive(void *connection, struct buffer *into, unsigned wait_ms)
{
	struct link *link = connection;
	struct pollfd ready = {.fd = link->fd, .events = POLLIN};
	if (link->closed)
		return false;
	if (poll(&ready, 1, (int)wait_ms) <= 0)
		return true;
	char *room = buffer_reserve(into, 65536);
	ssize_t size = recv(link->fd, room, 65536, 0);
	link->closed = size <= 0;
	if (size > 0)
		buffer_commit(into, (size_t)size);
	return size > 0;
}

static void end_input(void *connection)
{
	shutdown(((struct link *)connection)->fd, SHUT_WR);
}

/* The client is gone once the server has closed its end as well: what the scenario does next comes after. */
static void drop(void *connection)
{
	struct link *link = connection;
	size_t before = yared_descriptors(link->links->yared);
	bool open = !link->closed;
	close(link->fd);
	link->fd = 0;
	for (int ms = 0; open && ms < DROP_MS && yared_descriptors(link->links->yared) >= before; ms++)
		nanosleep(&(struct timespec){0, 1000000L}, NULL);
}

static const char *user_name(void)
{
	const struct passwd *user = getpwuid(getuid());
	return user != NULL ? user->pw_name : "";
}

static void add_options(struct yared *yared, const char *dir, const struct scenario *scenario)
{
	static const char *const modules[] = {"example:*", "example-more"}, *const standard[] = {
										    "example-library:lending",
										    "example-deviation",
										    "example-defaults",
										    "example-data",
"example-validation",

										    "example-operations"};
	yared_add(yared, "--yang-dir");
	yared_add(yared, dir);
	yared_add(yared, "--durability");
	yared_add(yared, "none");
	yared_add(yared, "--verify");
	size_t some = sizeof(modules) / sizeof(modules[0]), more = sizeof(standard) / sizeof(standard[0]);
	for (size_t i = 0; i < some + (scenario_is_standard(scenario) ? more : 0); i++) {
		yared_add(yared, "--module");
		yared_add(yared, i < some ? modules[i] : standard[i - some]);
	}
	if (scenario_has_startup(scenario)) {
		yared_add(yared, "--startup");
		yared_add(yared, "separate");
	}
	const char *argument;
	for (size_t i = 0; (argument = scenario_option(scenario, i)) != NULL; i++)
		yared_add(yared, argument);
	if (!scenario_has_limit(scenario, "admin")) {
		yared_add(yared, "--admin");
		yared_add(yared, user_name());
	}
}

static bool run_file(const char *program, const char *dir, const char *name)
{
	char path[1024];
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	struct scenario *scenario = scenario_load(path);
	if (scenario == NULL)
		return false;
	if (scenario_needs_handlers(scenario)) {
		printf("none   %s: in the process alone\n", name);
		scenario_free(scenario);
		return true;
	}
	struct yared yared;
	yared_init(&yared, program);
	add_options(&yared, dir, scenario);
	char *dir_of_factory = scenario_factory(scenario) != NULL ? folder_make() : NULL;
	char factory[1024];
	if (dir_of_factory != NULL) {
		folder_write(dir_of_factory, "default.xml", scenario_factory(scenario));
		snprintf(factory, sizeof(factory), "%s/default.xml", dir_of_factory);
		yared_add(&yared, "--factory-default");
		yared_add(&yared, factory);
	}
	if (scenario_basic_mode(scenario) != NULL) {
		yared_add(&yared, "--with-defaults-basic");
		yared_add(&yared, scenario_basic_mode(scenario));
	}
	char *dir_of_urls = scenario_has_urls(scenario) ? folder_make() : NULL;
	if (dir_of_urls != NULL) {
		yared_add(&yared, "--url-dir");
		yared_add(&yared, dir_of_urls);
	}
	bool good = yared_start(&yared);
	if (good) {
		struct links *links = memory_zalloc(sizeof(*links));
		links->yared = &yared;
		struct scenario_transport transport = {connect_socket, send_bytes, receive,	end_input,
						       drop,	       links,	   user_name(), dir_of_urls};
		good = scenario_run(scenario, &transport);
		for (size_t i = 0; i < SESSIONS; i++)
			if (links->all[i].fd > 0)
				close(links->all[i].fd);
		memory_free(links);
		good &= yared_stop(&yared);
	}
	yared_fini(&yared);
	folder_remove(dir_of_urls);
	folder_remove(dir_of_factory);
	scenario_free(scenario);
	printf("%s %s\n", good ? "ok    " : "FAILED", name);
	return good;
}

static int is_scenario(const struct dirent *entry)
{
	size_t size = strlen(entry->d_name);
	return size > 4 && strcmp(entry->d_name + size - 4, ".scn") == 0;
}

static bool is_wanted(const char *name, char *const *wanted)
{
	bool any = *wanted == NULL;
	for (; !any && *wanted != NULL; wanted++)
		any = strncmp(name, *wanted, strlen(*wanted)) == 0;
	return any;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: scenario_runner YARED [BEGINNING-OF-A-FILE-NAME]...\n");
		return 2;
	}
	const char *source = getenv("YARE_SOURCE");
	char dir[512];
	snprintf(dir, sizeof(dir), "%s/tests/scenario", source != NULL ? source : ".");
	struct dirent **entries;
	int count = scandir(dir, &entries, is_scenario, alphasort), run = 0, failed = 0;
	for (int i = 0; i < count; i++) {
		if (is_wanted(entries[i]->d_name, argv + 2)) {
			run++;
			failed += !run_file(argv[1], dir, entries[i]->d_name);
		}
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	printf("%d scenarios, %d failed\n", run, failed);
	return run == 0 || failed > 0;
}
