/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * The command line of a command of yare, by a table: parsing and --help.
 *
 *     static const struct tool_option table[] = {
 *             {"json", NULL, TOOL_FLAG, offsetof(struct options, json), "print JSON"},
 *     };
 *     static const struct tool_usage usage = {"check", "DIR", 1, "Verifies ...", table, 1};
 *     int code = tool_options_parse(&usage, argc, argv, &options, options.arguments, &options.schema, arena);
 *     if (code >= 0)
 *             return code;
 */
#include "base/arena.h"
#include "check/check.h"
#include "server/options.h"

#define TOOL_DONE 0
#define TOOL_FAILED 1 /* damaged, refused */
#define TOOL_USAGE 2  /* wrong arguments, or something cannot be read, written or locked */

enum tool_option_kind {
	TOOL_FLAG,   /* bool */
	TOOL_TEXT,   /* const char * */
	TOOL_NUMBER, /* uint64_t */
	TOOL_SCHEMA, /* --yang-dir, --module */
};

struct tool_option {
	const char *name, *argument; /* argument NULL: it takes none */
	enum tool_option_kind kind;
	size_t offset; /* in the command's struct */
	const char *help;
};

struct tool_usage {
	const char *command, *arguments; /* "DIR FILE" */
	unsigned argument_count;
	const char *summary;
	const struct tool_option *options;
	size_t option_count;
};

/* Modules as yared is told them, with the same names; the others that it implements come by themselves. */
#define TOOL_SCHEMA_OPTIONS                                                                                  \
	{"yang-dir", "DIR", TOOL_SCHEMA, 0, "where YANG modules are searched; repeatable, as for yared"},    \
	{                                                                                                    \
		"module", "NAME[:FEATURE,...]", TOOL_SCHEMA, 0,                                              \
			"a module that yared implements, with its features; repeatable"                      \
	}

/*
 * Fills in `fields` (what the offsets are of), the arguments and the schema (NULL: the command has no such
 * options). Memory is the arena's. Gives -1, or the code to exit with: --help was printed, or what is wrong
 * on standard error.
 */
int tool_options_parse(const struct tool_usage *usage, int argc, char **argv, void *fields,
		       const char **arguments, struct server_options *schema, struct arena *arena);

/* Says on standard error what is wrong. Gives TOOL_USAGE. */
int tool_complain(const char *format, ...) PRINTF_LIKE(1, 2);
