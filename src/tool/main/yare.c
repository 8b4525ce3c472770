/* SPDX-License-Identifier: BSD-3-Clause */
/* yare: the operator's tool. The first argument names what it does. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tool/command.h"

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
};

static const struct command commands[] = {
	{"check", command_check, "verify a data directory"},
	{"export", command_export, "a version of a data directory as instance data"},
	{"import", command_import, "a data directory from a file"},
	{"explain", command_explain, "what the constraints of YANG modules cost"},
	{"journal", command_journal, "who changed what in a data directory"},
	{"recover", command_recover, "make a damaged data directory one that works"},
};

static void print_help(FILE *out)
{
	fprintf(out, "Usage: yare COMMAND [OPTION]...\n\n");
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		fprintf(out, "  %-12s %s\n", commands[i].name, commands[i].help);
	fprintf(out, "\nyare COMMAND --help tells more.\n");
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(commands[i].name, name) == 0)
			return commands[i].run(argc - 1, argv + 1);
	}
	if (strcmp(name, "--version") == 0) {
		printf("yare %s\n", YARE_VERSION);
		return 0;
	}
	bool is_help = strcmp(name, "--help") == 0;
	if (name[0] != '\0' && !is_help)
		fprintf(stderr, "yare: '%s' is no command\n\n", name);
	print_help(is_help ? stdout : stderr);
	return is_help ? 0 : 2;
}
