/* SPDX-License-Identifier: BSD-3-Clause */
/* Peers take turns with yared, repetition by repetition, over the same SSH client with the same cipher. */
#include "peers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "os/clock.h"
#include "os/file.h"
#include "say.h"

#define SHELL_LINE 4096

/* The first line of what the script prints into `output` (may be NULL). */
static bool call_script(const char *script, const char *command, char *output, size_t size)
{
	char line[SHELL_LINE], rest[256];
	if (strchr(script, '\'') != NULL)
		return false;
	snprintf(line, sizeof(line), "'%s' %s", script, command);
	FILE *pipe = popen(line, "re");
	if (pipe == NULL)
		return false;
	if (output != NULL && fgets(output, (int)size, pipe) != NULL)
		output[strcspn(output, "\n")] = '\0';
	while (fgets(rest, sizeof(rest), pipe) != NULL)
		if (output == NULL)
			fputs(rest, stderr);
	return pclose(pipe) == 0;
}

struct search {
	struct run *run;
	struct peers *peers;
};

static void take_script(const char *name, void *arg)
{
	struct search *search = arg;
	struct run *run = search->run;
	const char *script = run_text(run, "%s/%s", run->options->peers_dir, name);
	if (name[0] == '.' || search->peers->count == PEERS_MAX || access(script, X_OK) != 0)
		return;
	if (run->options->install_peers && !call_script(script, "install", NULL, 0))
		say("%s: cannot be installed", name);
	if (!call_script(script, "check", NULL, 0)) {
		say("%s: not installed; see --install", name);
		return;
	}
	struct peer *peer = &search->peers->list[search->peers->count++];
	*peer = (struct peer){.name = run_text(run, "%s", name), .script = script};
	if (!call_script(script, "version", peer->version, sizeof(peer->version)))
		snprintf(peer->version, sizeof(peer->version), "%s", name);
}

enum status peers_find(struct run *run, struct peers *peers)
{
	struct search search = {run, peers};
	struct os_fs *fs = os_fs_real();
	*peers = (struct peers){0};
	if (fs->list(fs, run->options->peers_dir, take_script, &search) != ST_OK)
		return say_failed("cannot read %s", run->options->peers_dir);
	if (peers->count == 0)
		return say_failed("no peer is installed");
	size_t size = 0, room = sizeof(run->environment.peers);
	for (size_t i = 0; i < peers->count && size < room; i++)
		size += (size_t)snprintf(run->environment.peers + size, room - size, "%s%s",
					 i > 0 ? ", " : "", peers->list[i].version);
	return ST_OK;
}

void peers_measure(struct run *run, struct peer *peer, const char *scenario, scenario_fn *measure, uint64_t n)
{
	bool is_slow = peer->slow_scenario != NULL && strcmp(peer->slow_scenario, scenario) == 0;
	if (is_slow && n > peer->slow_n) {
		say("%s, %s, N = %" PRIu64 " left out: see --peer-limit", peer->name, scenario, n);
		return;
	}
	run->peer = peer->script;
	run->results.server = peer->name;
	uint64_t begin_ns = os_clock_monotonic_ns();
	enum status status = measure(run, n);
	uint64_t elapsed_s = (os_clock_monotonic_ns() - begin_ns) / 1000000000;
	run->peer = NULL;
	run->results.server = NULL;
	if (status != ST_OK)
		say("%s, %s, N = %" PRIu64 ": failed (%s)", peer->name, scenario, n, status_name(status));
	if (status != ST_OK || elapsed_s > run->options->peer_limit_s) {
		peer->slow_scenario = run_text(run, "%s", scenario);
		peer->slow_n = n;
	}
}

static const struct {
	const char *scenario, *metric, *row;
} compared[] = {
	{"perf-test/provision", "elapsed", "peers/provision"},
	{"perf-test/complex", "elapsed, SSH", "peers/complex"},
	{"perf-test/restore", "elapsed, SSH", "peers/restore"},
};

static void compare_size(struct run *run, const struct peer *peer, size_t index, uint64_t n)
{
	struct result_key key = {compared[index].scenario, n, compared[index].metric};
	const struct result_row *own = results_find(&run->results, key);
	run->results.server = peer->name;
	const struct result_row *other = results_find(&run->results, key);
	run->results.server = NULL;
	if (own == NULL || other == NULL)
		return;
	double ratio = result_value(other) / result_value(own);
	run_add(run, compared[index].row, n,
		(struct run_metric){run_text(run, "%s over yared", peer->name), "x", NULL}, ratio);
}

void peers_compare(struct run *run, const struct peers *peers)
{
	for (size_t i = 0; i < peers->count; i++)
		for (size_t j = 0; j < sizeof(compared) / sizeof(compared[0]); j++)
			for (size_t k = 0; k < run->size_count; k++)
				compare_size(run, &peers->list[i], j, run->sizes[k]);
}
