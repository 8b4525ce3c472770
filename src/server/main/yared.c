/* SPDX-License-Identifier: BSD-3-Clause */
/* yared: the server's main. */
#include "base/memory_settings.h"
#include "server/options.h"
#include "server/server.h"

int main(int argc, char **argv)
{
	memory_return_early();
	struct arena *arena = arena_new();
	struct server_options options;
	enum server_options_result result = server_options_parse(&options, argc, argv, arena);
	int code = result == SERVER_OPTIONS_USAGE ? 2 : 0;
	if (result == SERVER_OPTIONS_RUN)
		code = server_run(&options);
	arena_free(arena);
	return code;
}
