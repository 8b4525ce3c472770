/* SPDX-License-Identifier: BSD-3-Clause */
/* Idle sessions cost the runner a descriptor and some memory each; nothing here ever polls them. */
#include "idle_sessions.h"

#include <sys/resource.h>

#include "base/memory.h"
#include "say.h"

static void raise_descriptor_limit(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

enum status idle_sessions_open(struct run *run, const struct server *server, unsigned count,
			       struct idle_sessions *sessions)
{
	raise_descriptor_limit();
	struct idle_sessions made = {.clients = memory_zalloc((count + 1) * sizeof(struct client *))};
	enum status status = ST_OK;
	while (made.count < count && status == ST_OK) {
		status = run_connect(run, server, run_default_transport(run), &made.clients[made.count]);
		if (status == ST_OK)
			made.count++;
		say_progress("%u of %u sessions", made.count, count);
	}
	say_progress("%s", "");
	if (status != ST_OK) {
		idle_sessions_close(&made);
		return status;
	}
	*sessions = made;
	return ST_OK;
}

void idle_sessions_close(struct idle_sessions *sessions)
{
	for (unsigned i = 0; i < sessions->count; i++)
		client_close(sessions->clients[i]);
	memory_free(sessions->clients);
	*sessions = (struct idle_sessions){0};
}
