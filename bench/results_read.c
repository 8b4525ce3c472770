/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report.c writes one row a line, with its members in one order, and this file reads just that: it is no JSON
 * parser, and a file that another program has written anew is refused.
 */
#include "results_read.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "say.h"

#define KEY_SIZE 48
#define TEXT_SIZE 512

/* What stands behind `"name": `; NULL where it is not there. */
static const char *find_member(const char *line, const char *name)
{
	char key[KEY_SIZE];
	snprintf(key, sizeof(key), "\"%s\": ", name);
	const char *begin = strstr(line, key);
	return begin != NULL ? begin + strlen(key) : NULL;
}

/* An unescaped copy of a member's text; NULL where it is not there. */
static const char *read_text(const char *line, const char *name, struct arena *arena)
{
	const char *from = find_member(line, name);
	char text[TEXT_SIZE];
	size_t size = 0;
	if (from == NULL || *from != '"')
		return NULL;
	for (from++; *from != '"' && *from != '\0' && size < sizeof(text); from++) {
		from += *from == '\\' && from[1] != '\0';
		text[size++] = *from;
	}
	return arena_strdup(arena, (struct bytes){text, size});
}

static double read_number(const char *line, const char *name)
{
	const char *from = find_member(line, name);
	return from != NULL ? strtod(from, NULL) : 0;
}

static void read_row(const char *line, struct arena *arena, struct results *results)
{
	struct result_key key = {read_text(line, "scenario", arena), (uint64_t)read_number(line, "n"),
				 read_text(line, "metric", arena)};
	const char *unit = read_text(line, "unit", arena), *samples = find_member(line, "samples");
	if (key.scenario == NULL || key.metric == NULL || unit == NULL || samples == NULL)
		return;
	results->server = read_text(line, "server", arena);
	const char *floor = read_text(line, "floor", arena);
	for (char *end; *samples == '[' || *samples == ','; samples = end) {
		double value = strtod(samples + 1, &end);
		if (end == samples + 1)
			break;
		results_add(results, key, unit, value, floor);
	}
	results->server = NULL;
}

static void copy_text(const char *line, const char *name, char *text, size_t size, struct arena *arena)
{
	const char *read = read_text(line, name, arena);
	if (read != NULL)
		snprintf(text, size, "%s", read);
}

static void keep_text(const char *line, const char *name, const char **text, struct arena *arena)
{
	const char *read = read_text(line, name, arena);
	if (read != NULL)
		*text = read;
}

/* A line outside of the rows; it has one member, or some numbers. */
static void read_environment(const char *line, struct arena *arena, struct environment *environment)
{
#define COPY(member, name) copy_text(line, name, environment->member, sizeof(environment->member), arena)
	COPY(time, "time");
	COPY(server, "server");
	COPY(peers, "peers");
	COPY(cpu, "cpu");
	COPY(kernel, "kernel");
	COPY(cipher, "cipher");
#undef COPY
	keep_text(line, "libssh", &environment->libssh, arena);
	keep_text(line, "libyang", &environment->libyang, arena);
	keep_text(line, "libxml2", &environment->libxml2, arena);
	keep_text(line, "durability", &environment->durability, arena);
	keep_text(line, "transport", &environment->transport, arena);
	if (find_member(line, "cpus") != NULL)
		environment->cpus = (long)read_number(line, "cpus");
	if (find_member(line, "load_before") != NULL)
		environment->load_before = read_number(line, "load_before");
	if (find_member(line, "load_after") != NULL)
		environment->load_after = read_number(line, "load_after");
	if (find_member(line, "seed") != NULL)
		environment->seed = (uint64_t)read_number(line, "seed");
}

enum status results_read(const char *path, struct arena *arena, struct environment *environment,
			 struct results *results)
{
	results_init(results);
	*environment = (struct environment){
		.libssh = "", .libyang = "", .libxml2 = "", .durability = "unknown", .transport = "unknown"};
	FILE *file = fopen(path, "re");
	if (file == NULL)
		return say_failed("cannot read %s", path);
	char *line = NULL;
	size_t room = 0;
	bool is_ours = false;
	for (size_t number = 1; getline(&line, &room, file) > 0; number++) {
		is_ours = is_ours || (number == 2 && strcmp(line, "  \"format\": 1,\n") == 0);
		if (find_member(line, "scenario") != NULL)
			read_row(line, arena, results);
		else
			read_environment(line, arena, environment);
	}
	free(line);
	fclose(file);
	return is_ours ? ST_OK : say_failed("%s is not a result of yare-bench", path);
}
