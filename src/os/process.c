/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs: posix_spawn, three pipes, and a loop around poll until the program is gone.
 *
 *     [input] --pipe--> standard input      standard output --pipe--> [output]      pidfd: it has ended
 *                                           standard error  --pipe--> [errors]
 *
 * The program leads a process group. That group is killed when the run is over, however it ended, and before
 * its leader is waited for: until then no other group can have its number. What the program wrote before it
 * ended is in the pipes then, and is read to the end of what is there, not to the end of the pipes, which
 * somebody that it started may hold open.
 *
 * Signals that this process blocks or ignores (server.c) are as usual in the program.
 */
#include "os/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "os/clock.h"

#define TICK_MS 100 /* between questions whether it is still wanted */
#define PIECE_SIZE ((size_t)16 * 1024)
#define NS_PER_MS UINT64_C(1000000)

extern char **environ;

enum { INPUT, OUTPUT, ERRORS, PIPES };

struct run {
	const struct os_process_options *options;
	struct buffer *output, *errors;
	int ours[PIPES]; /* our ends; -1: closed */
	int pidfd;
	pid_t pid;
	uint64_t end_ns; /* UINT64_MAX: no limit */
	char piece[PIECE_SIZE];
	size_t piece_at, piece_size; /* what of the input was not taken yet */
};

bool os_process_can_run(const char *path)
{
	return access(path, X_OK) == 0;
}

static void close_pipe(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* theirs[i] becomes the program's descriptor i. */
static bool open_pipes(struct run *run, int theirs[PIPES])
{
	for (int i = 0; i < PIPES; i++)
		run->ours[i] = theirs[i] = -1;
	for (int i = 0; i < PIPES; i++) {
		int ends[2];
		if (pipe2(ends, O_CLOEXEC) != 0)
			return false;
		run->ours[i] = ends[i == INPUT ? 1 : 0];
		theirs[i] = ends[i == INPUT ? 0 : 1];
		fcntl(run->ours[i], F_SETFL, O_NONBLOCK);
	}
	return true;
}

static bool sets(const char *const *more, const char *variable)
{
	size_t size = strcspn(variable, "=") + 1;
	while (*more != NULL && strncmp(*more, variable, size) != 0)
		more++;
	return *more != NULL;
}

/* Each name once: which of two counts differs from program to program. */
static char **make_environment(const char *const *more)
{
	size_t length = 0, before = 0;
	while (more[before] != NULL)
		before++;
	while (environ[length] != NULL)
		length++;
	char **all = memory_alloc((before + length + 1) * sizeof(*all));
	memcpy(all, more, before * sizeof(*all));
	for (char **variable = environ; *variable != NULL; variable++)
		if (!sets(more, *variable))
			all[before++] = *variable;
	all[before] = NULL;
	return all;
}

static int spawn(struct run *run, const int theirs[PIPES])
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, usual;
	sigemptyset(&none);
	sigemptyset(&usual);
	sigaddset(&usual, SIGPIPE);
	sigaddset(&usual, SIGTERM);
	sigaddset(&usual, SIGINT);
	posix_spawn_file_actions_init(&actions);
	for (int i = 0; i < PIPES; i++)
		posix_spawn_file_actions_adddup2(&actions, theirs[i], i);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &usual);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setflags(&attributes,
				 POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	char **environment = make_environment(run->options->environment);
	char *const *argv = (char *const *)run->options->argv;
	int error = posix_spawn(&run->pid, argv[0], &actions, &attributes, argv, environment);
	memory_free(environment);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

/* What the pipe takes of the input. */
static void feed(struct run *run)
{
	int *fd = &run->ours[INPUT];
	while (*fd >= 0) {
		if (run->piece_at == run->piece_size) {
			run->piece_at = 0;
			run->piece_size = run->options->input(run->options->arg, run->piece, PIECE_SIZE);
		}
		if (run->piece_size == 0) {
			close_pipe(fd);
			return;
		}
		long sent = write(*fd, run->piece + run->piece_at, run->piece_size - run->piece_at);
		if (sent < 0 && errno == EAGAIN)
			return;
		if (sent < 0 && errno != EINTR)
			close_pipe(fd); /* it does not read on */
		else if (sent > 0)
			run->piece_at += (size_t)sent;
	}
}

/* All that is there; true at the limit. What does not fit is thrown away. */
static bool hear(int *fd, struct buffer *into, size_t limit)
{
	char piece[PIECE_SIZE];
	while (*fd >= 0) {
		long got = read(*fd, piece, sizeof(piece));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno == EAGAIN)
			return false;
		if (got <= 0) {
			close_pipe(fd);
			return false;
		}
		size_t room = limit - buffer_size(into);
		size_t size = (size_t)got < room ? (size_t)got : room;
		if (buffer_append(into, (struct bytes){piece, size}) != ST_OK || size < (size_t)got)
			return true;
	}
	return false;
}

static int wait_ms(const struct run *run)
{
	uint64_t now = os_clock_monotonic_ns();
	if (run->end_ns <= now)
		return 0;
	uint64_t left_ms = (run->end_ns - now) / NS_PER_MS + 1;
	return left_ms < TICK_MS ? (int)left_ms : TICK_MS;
}

/* Until the program has ended by itself, or has to. */
static enum os_process_end attend(struct run *run)
{
	const struct os_process_options *options = run->options;
	for (;;) {
		struct pollfd fds[] = {{run->ours[INPUT], POLLOUT, 0},
				       {run->ours[OUTPUT], POLLIN, 0},
				       {run->ours[ERRORS], POLLIN, 0},
				       {run->pidfd, POLLIN, 0}};
		poll(fds, 4, wait_ms(run));
		if (fds[INPUT].revents != 0)
			feed(run);
		if (hear(&run->ours[OUTPUT], run->output, options->output_limit))
			return OS_PROCESS_TOO_MUCH;
		hear(&run->ours[ERRORS], run->errors, options->error_limit);
		if (fds[PIPES].revents != 0) {
			bool too_much = hear(&run->ours[OUTPUT], run->output, options->output_limit);
			hear(&run->ours[ERRORS], run->errors, options->error_limit);
			return too_much ? OS_PROCESS_TOO_MUCH : OS_PROCESS_EXITED;
		}
		if (options->stopped(options->arg))
			return OS_PROCESS_STOPPED;
		if (os_clock_monotonic_ns() >= run->end_ns)
			return OS_PROCESS_TIMED_OUT;
	}
}

static enum os_process_end finish(struct run *run, enum os_process_end end, int *code)
{
	int status;
	kill(-run->pid, SIGKILL);
	while (waitpid(run->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (end != OS_PROCESS_EXITED)
		return end;
	*code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
	return WIFSIGNALED(status) ? OS_PROCESS_SIGNALLED : OS_PROCESS_EXITED;
}

enum os_process_end os_process_run(const struct os_process_options *options, struct buffer *output,
				   struct buffer *errors, int *code)
{
	struct run *run = memory_zalloc(sizeof(*run));
	run->options = options;
	run->output = output;
	run->errors = errors;
	run->end_ns = options->timeout_ms == 0
			      ? UINT64_MAX
			      : os_clock_after_ms(os_clock_monotonic_ns(), options->timeout_ms);
	int theirs[PIPES];
	int error = open_pipes(run, theirs) ? spawn(run, theirs) : errno;
	for (int i = 0; i < PIPES; i++)
		close_pipe(&theirs[i]);
	enum os_process_end end = OS_PROCESS_NOT_STARTED;
	*code = error;
	if (error == 0) {
		run->pidfd = (int)syscall(SYS_pidfd_open, run->pid, 0);
		end = run->pidfd >= 0 ? attend(run) : OS_PROCESS_STOPPED;
		end = finish(run, end, code);
		close_pipe(&run->pidfd);
	}
	for (int i = 0; i < PIPES; i++)
		close_pipe(&run->ours[i]);
	memory_free(run);
	return end;
}
