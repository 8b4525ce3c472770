/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * yare-bench-engine: what the constraints cost, without a server, a session or a disk around them.
 *
 *     classes                          one change for each kind of constraint, at 1,000 and 1,000,000 nodes
 *     hub [ENTRIES]                    one more referrer of an entry, and deletion of a referenced entry
 *     load DIR MODULE[,...] FILE...    decodes, applies and checks the files one after the other
 *
 * A module set that ends with ",+" implements all its imports too. Times are of the monotonic clock, the
 * median of several runs where a row is one change. The exit code is 1 where a row is over its bound.
 */
#include "engine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "os/file.h"

#define MODULES_MAX 64
#define HUB_ENTRIES 1000000

static int usage(void)
{
	fprintf(stderr,
		"usage: yare-bench-engine classes | hub [ENTRIES] | load DIR MODULE[,...][,+] FILE...\n");
	return 2;
}

static void print_load(const char *path, size_t size, const struct engine_measure *measure)
{
	printf("%s: %zu bytes, decode %.1f ms, apply %.1f ms, settle %.1f ms, diff %.1f ms, check %.1f ms\n",
	       path, size, (double)measure->decode_ns / 1e6, (double)measure->apply_ns / 1e6,
	       (double)measure->settle_ns / 1e6, (double)measure->diff_ns / 1e6,
	       (double)measure->check_ns / 1e6);
	const struct check_counters *counters = &measure->counters;
	printf("  musts %" PRIu64 ", leafrefs %" PRIu64 ", uniques %" PRIu64 ", counts %" PRIu64
	       ", mandatories %" PRIu64 ", whens %" PRIu64 ", steps %" PRIu64 "; total %.1f ms\n",
	       counters->musts, counters->leafrefs, counters->uniques, counters->counts,
	       counters->mandatories, counters->whens, counters->steps,
	       (double)(measure->decode_ns + engine_work_ns(measure)) / 1e6);
}

static int load(char **arguments, int count)
{
	static const char *const all = "*";
	const char *dir = arguments[0];
	struct schema_module_request modules[MODULES_MAX];
	struct schema_source source = {.search_dirs = &dir, .search_dir_count = 1, .modules = modules};
	char *rest = NULL;
	for (char *name = strtok_r(arguments[1], ",", &rest); name && source.module_count < MODULES_MAX;
	     name = strtok_r(NULL, ",", &rest)) {
		if (strcmp(name, "+") == 0)
			source.implement_imports = true;
		else
			modules[source.module_count++] = (struct schema_module_request){
				.name = name, .features = &all, .feature_count = 1};
	}
	struct engine engine;
	engine_open(&engine, &source);
	for (int i = 2; i < count; i++) {
		struct buffer text;
		buffer_init(&text, SIZE_MAX);
		if (os_path_read(arguments[i], SIZE_MAX, &text) != ST_OK) {
			fprintf(stderr, "%s: cannot be read\n", arguments[i]);
			return 1;
		}
		struct engine_measure measure;
		engine_propose(&engine, buffer_get(&text), ENGINE_KEEP, &measure);
		print_load(arguments[i], buffer_size(&text), &measure);
		buffer_fini(&text);
	}
	engine_close(&engine);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "classes") == 0)
		return engine_classes() ? 0 : 1;
	if (argc >= 2 && argc <= 3 && strcmp(argv[1], "hub") == 0)
		return engine_hub(argc == 3 ? (unsigned)strtoul(argv[2], NULL, 10) : HUB_ENTRIES) ? 0 : 1;
	if (argc >= 5 && strcmp(argv[1], "load") == 0)
		return load(argv + 2, argc - 2);
	return usage();
}
