/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libyang's version is that of the build: only the server's schema layer may use the library itself, and it
 * is built with the runner.
 */
#include "environment.h"

#include <libssh/libssh.h>
#include <libxml/parser.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static void read_cpu(char *model, size_t size)
{
	char line[256];
	snprintf(model, size, "unknown");
	FILE *file = fopen("/proc/cpuinfo", "re");
	if (file == NULL)
		return;
	while (fgets(line, sizeof(line), file) != NULL) {
		const char *colon = strchr(line, ':');
		if (strncmp(line, "model name", 10) != 0 || colon == NULL)
			continue;
		snprintf(model, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
		break;
	}
	fclose(file);
}

static void read_version(const char *program, char *version, size_t size)
{
	char command[4096];
	snprintf(version, size, "unknown");
	if (strchr(program, '\'') != NULL)
		return;
	snprintf(command, sizeof(command), "'%s' --version", program);
	FILE *pipe = popen(command, "re");
	if (pipe == NULL)
		return;
	if (fgets(version, (int)size, pipe) != NULL)
		version[strcspn(version, "\n")] = '\0';
	pclose(pipe);
}

double environment_load(void)
{
	double load;
	return getloadavg(&load, 1) == 1 ? load : 0;
}

void environment_record(struct environment *environment, const char *program, const char *target)
{
	time_t now = time(NULL);
	struct tm utc;
	strftime(environment->time, sizeof(environment->time), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
	read_cpu(environment->cpu, sizeof(environment->cpu));
	struct utsname name;
	uname(&name);
	snprintf(environment->kernel, sizeof(environment->kernel), "%s %s %s", name.sysname, name.release,
		 name.machine);
	environment->cpus = sysconf(_SC_NPROCESSORS_ONLN);
	environment->load_before = environment_load();
	environment->libssh = ssh_version(0);
	environment->libxml2 = LIBXML_DOTTED_VERSION;
	environment->libyang = YARE_BENCH_LIBYANG_VERSION;
	if (program != NULL)
		read_version(program, environment->server, sizeof(environment->server));
	else
		snprintf(environment->server, sizeof(environment->server), "%s", target);
}
