/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Starts and ends one yared. Its standard error goes to a file, whose line "ready" says that the socket is
 * there, and which is searched for complaints at the end. It is ended by pid, and killed where 20 s are not
 * enough.
 */
#include "yared.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"

#define PATIENCE_MS 20000
#define POLL_MS 5

extern char **environ;

void yared_init(struct yared *yared, const char *program)
{
	*yared = (struct yared){.pid = -1};
	strcpy(yared->dir, "/tmp/yare-scenario-XXXXXX");
	if (mkdtemp(yared->dir) == NULL) {
		perror(yared->dir);
		exit(2);
	}
	snprintf(yared->socket, sizeof(yared->socket), "%s/socket", yared->dir);
	snprintf(yared->log, sizeof(yared->log), "%s/log", yared->dir);
	yared_add(yared, program);
	yared_add(yared, "--listen-unix");
	yared_add(yared, yared->socket);
}

void yared_add(struct yared *yared, const char *argument)
{
	if (yared->argument_count + 1 >= YARED_ARGUMENTS) {
		fprintf(stderr, "too many arguments for yared\n");
		exit(2);
	}
	yared->arguments[yared->argument_count++] = memory_strdup(argument);
}

static void pause_a_little(void)
{
	nanosleep(&(struct timespec){0, POLL_MS * 1000000L}, NULL);
}

static void print_log(const struct yared *yared)
{
	FILE *log = fopen(yared->log, "r");
	char line[1024];
	while (log != NULL && fgets(line, sizeof(line), log) != NULL)
		fputs(line, stdout);
	if (log != NULL)
		fclose(log);
}

static bool log_has(const struct yared *yared, const char *const *words)
{
	FILE *log = fopen(yared->log, "r");
	char line[1024];
	bool found = false;
	while (!found && log != NULL && fgets(line, sizeof(line), log) != NULL)
		for (const char *const *word = words; *word != NULL; word++)
			found |= strstr(line, *word) != NULL;
	if (log != NULL)
		fclose(log);
	return found;
}

static bool is_ready(const struct yared *yared)
{
	static const char *const ready[] = {" info ready ", NULL};
	return log_has(yared, ready);
}

bool yared_start(struct yared *yared)
{
	posix_spawn_file_actions_t actions;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 2, yared->log, O_CREAT | O_WRONLY | O_TRUNC, 0600);
	yared->arguments[yared->argument_count] = NULL;
	int error = posix_spawn(&yared->pid, yared->arguments[0], &actions, NULL, yared->arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (error != 0) {
		printf("%s: %s\n", yared->arguments[0], strerror(error));
		yared->pid = -1;
		return false;
	}
	for (unsigned waited = 0; waited < PATIENCE_MS; waited += POLL_MS) {
		if (is_ready(yared))
			return true;
		if (waitpid(yared->pid, NULL, WNOHANG) == yared->pid) {
			yared->pid = -1;
			break;
		}
		pause_a_little();
	}
	printf("yared did not start:\n");
	print_log(yared);
	return false;
}

size_t yared_descriptors(const struct yared *yared)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/fd", (int)yared->pid);
	DIR *dir = opendir(path);
	size_t count = 0;
	while (dir != NULL && readdir(dir) != NULL)
		count++;
	if (dir != NULL)
		closedir(dir);
	return count;
}

/* Its exit status as wait() gives it; -1: killed here. */
static int wait_for_end(struct yared *yared)
{
	int status;
	for (unsigned waited = 0; waited < PATIENCE_MS; waited += POLL_MS) {
		if (waitpid(yared->pid, &status, WNOHANG) == yared->pid)
			return status;
		pause_a_little();
	}
	kill(yared->pid, SIGKILL);
	waitpid(yared->pid, &status, 0);
	return -1;
}

bool yared_stop(struct yared *yared)
{
	static const char *const complaints[] = {"Sanitizer", "runtime error:", "assertion", NULL};
	if (yared->pid < 0)
		return false;
	kill(yared->pid, SIGTERM);
	int status = wait_for_end(yared);
	yared->pid = -1;
	bool good = status == 0 && !log_has(yared, complaints);
	if (!good) {
		printf("yared ended with status 0x%x:\n", (unsigned)status);
		print_log(yared);
	}
	return good;
}

void yared_fini(struct yared *yared)
{
	if (yared->pid >= 0) {
		kill(yared->pid, SIGKILL);
		waitpid(yared->pid, NULL, 0);
	}
	for (size_t i = 0; i < yared->argument_count; i++)
		memory_free(yared->arguments[i]);
	unlink(yared->socket);
	unlink(yared->log);
	rmdir(yared->dir);
}
