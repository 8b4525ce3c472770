/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs every file of tests/scenario, each against a server of its own in the process. YARE_SCENARIO names one
 * to run alone.
 */
#include "helper_folder.h"
#include "helper_scenario.h"
#include "helper_server.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *connect_peer(void *arg)
{
	return harness_connect(arg);
}

static void send_bytes(void *connection, struct bytes bytes)
{
	peer_send_bytes(connection, bytes);
}

static bool receive(void *connection, struct buffer *into, unsigned wait_ms)
{
	struct peer *peer = connection;
	while (buffer_size(&peer->from_server) == 0 && peer->session != NULL &&
	       harness_turn(peer->harness, wait_ms))
		;
	struct bytes ready = buffer_get(&peer->from_server);
	assert_int_equal(buffer_append(into, ready), ST_OK);
	buffer_consume(&peer->from_server, ready.size);
	return ready.size > 0 || peer->session != NULL;
}

static void end_input(void *connection)
{
	((struct peer *)connection)->ending = true;
}

static void drop(void *connection)
{
	struct peer *peer = connection;
	/* What was sent has arrived, as on a socket. */
	while (harness_turn(peer->harness, 0))
		;
	peer_drop(peer);
}

static void run_file(const char *path)
{
	struct scenario *scenario = scenario_load(path);
	assert_non_null(scenario);
	if (scenario_factory(scenario) != NULL) {
		scenario_free(scenario);
		skip();
	}
	struct netconf_limits limits;
	netconf_limits_default(&limits);
	scenario_limits(scenario, &limits);
	if (scenario_basic_mode(scenario) != NULL)
		limits.basic_defaults =
			strcmp(scenario_basic_mode(scenario), "trim") == 0 ? CODEC_TRIM : CODEC_REPORT_ALL;
	char *dir = scenario_has_urls(scenario) ? folder_make() : NULL;
	if (dir != NULL)
		assert_int_equal(os_folder_open(dir, &limits.url_folder), ST_OK);
	struct harness h;
	assert_true(harness_init(&h, &(struct harness_options){.limits = &limits,
							       .standard = scenario_is_standard(scenario),
							       .startup = scenario_has_startup(scenario)}));
	struct scenario_transport transport = {connect_peer, send_bytes, receive,  end_input,
					       drop,	     &h,	 "tester", dir};
	bool good = scenario_run(scenario, &transport);
	harness_fini(&h);
	os_folder_close(limits.url_folder);
	folder_remove(dir);
	scenario_free(scenario);
	if (!good)
		fail_msg("%s", path);
}

static void run_scenario(void **state)
{
	run_file(*state);
}

static int is_scenario(const struct dirent *entry)
{
	size_t size = strlen(entry->d_name);
	const char *only = getenv("YARE_SCENARIO");
	return size > 4 && strcmp(entry->d_name + size - 4, ".scn") == 0 &&
	       (only == NULL || strncmp(entry->d_name, only, strlen(only)) == 0);
}

int main(void)
{
	struct dirent **entries;
	int count = scandir(harness_scenario_dir(), &entries, is_scenario, alphasort);
	if (count <= 0) {
		fprintf(stderr, "no scenarios in %s\n", harness_scenario_dir());
		return 1;
	}
	struct CMUnitTest *tests = calloc((size_t)count, sizeof(*tests));
	for (int i = 0; i < count; i++) {
		char *path = malloc(strlen(harness_scenario_dir()) + strlen(entries[i]->d_name) + 2);
		sprintf(path, "%s/%s", harness_scenario_dir(), entries[i]->d_name);
		tests[i] = (struct CMUnitTest){
			.name = strrchr(path, '/') + 1, .test_func = run_scenario, .initial_state = path};
		free(entries[i]);
	}
	free(entries);
	int failed = _cmocka_run_group_tests("scenarios", tests, (size_t)count, NULL, NULL);
	for (int i = 0; i < count; i++)
		free(tests[i].initial_state);
	free(tests);
	return failed;
}
