/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Options of the commands. getopt_long does the work, so options and arguments may come in any order; its
 * value of an option is the option's place in the command's table.
 */
#include "tool/options.h"
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HELP_OPTION 1000
#define FIRST_OPTION 1001

int tool_complain(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	fputs("yare: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	return TOOL_USAGE;
}

static void print_help(const struct tool_usage *usage)
{
	printf("Usage: yare %s %s [OPTION]...\n%s\n\n", usage->command, usage->arguments, usage->summary);
	for (size_t i = 0; i < usage->option_count; i++) {
		const struct tool_option *option = &usage->options[i];
		char left[64];
		snprintf(left, sizeof(left), "--%s%s%s", option->name, option->argument != NULL ? " " : "",
			 option->argument != NULL ? option->argument : "");
		printf("  %-30s %s\n", left, option->help);
	}
	printf("  %-30s %s\n", "--help", "print this and exit");
}

static bool set_number(const char *text, uint64_t *number)
{
	char *end;
	errno = 0;
	unsigned long long parsed = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0)
		return false;
	*number = parsed;
	return true;
}

static bool set_option(const struct tool_option *option, void *fields, struct server_options *schema,
		       struct arena *arena)
{
	void *field = (char *)fields + option->offset;
	switch (option->kind) {
	case TOOL_FLAG:
		*(bool *)field = true;
		return true;
	case TOOL_TEXT:
		*(const char **)field = optarg;
		return true;
	case TOOL_NUMBER:
		return set_number(optarg, field);
	case TOOL_SCHEMA:
		if (strcmp(option->name, "yang-dir") == 0)
			schema->yang_dirs[schema->yang_dir_count++] = optarg;
		else
			schema->modules[schema->module_count++] = server_options_module(optarg, arena);
		return true;
	}
	return false;
}

static const struct option *long_options(const struct tool_usage *usage, struct arena *arena)
{
	struct option *longs = arena_zalloc(arena, (usage->option_count + 2) * sizeof(*longs));
	for (size_t i = 0; i < usage->option_count; i++) {
		const struct tool_option *option = &usage->options[i];
		longs[i] = (struct option){option->name,
					   option->argument != NULL ? required_argument : no_argument, NULL,
					   FIRST_OPTION + (int)i};
	}
	longs[usage->option_count] = (struct option){"help", no_argument, NULL, HELP_OPTION};
	return longs;
}

int tool_options_parse(const struct tool_usage *usage, int argc, char **argv, void *fields,
		       const char **arguments, struct server_options *schema, struct arena *arena)
{
	if (schema != NULL) {
		schema->yang_dirs = arena_zalloc(arena, (size_t)argc * sizeof(*schema->yang_dirs));
		schema->modules = arena_zalloc(arena, (size_t)argc * sizeof(*schema->modules));
	}
	const struct option *longs = long_options(usage, arena);
	optind = 0; /* begin anew: there may have been another command line */
	for (int found; (found = getopt_long(argc, argv, "", longs, NULL)) != -1;) {
		if (found == HELP_OPTION) {
			print_help(usage);
			return TOOL_DONE;
		}
		if (found < FIRST_OPTION)
			return TOOL_USAGE; /* getopt_long has said what */
		const struct tool_option *option = &usage->options[found - FIRST_OPTION];
		if (!set_option(option, fields, schema, arena))
			return tool_complain("--%s: not a number: %s", option->name, optarg);
	}
	if ((unsigned)(argc - optind) != usage->argument_count)
		return tool_complain("%s wants %s; see yare %s --help", usage->command, usage->arguments,
				     usage->command);
	for (unsigned i = 0; i < usage->argument_count; i++)
		arguments[i] = argv[optind + (int)i];
	return -1;
}
