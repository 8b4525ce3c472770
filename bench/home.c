/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The temporary folder of a run: keys, sockets, logs and data of its servers. It goes with the run, also
 * where that is killed: a process of its own, the keeper, waits for the other end of a pipe to close, which
 * the kernel does for whoever cannot, and then removes the folder. A run that ends by itself tells the keeper
 * so with a byte.
 */
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "keys.h"
#include "say.h"
#include "spawn.h"

#define TREE_FILES 16 /* open at a time while a folder is walked */
#define KEEPER_ROUNDS 50
#define KEEPER_STEP_US 100000

static int remove_entry(const char *path, const struct stat *stat, int kind, struct FTW *where)
{
	(void)stat;
	(void)kind;
	(void)where;
	return remove(path);
}

static bool remove_tree(const char *path)
{
	return access(path, F_OK) != 0 || nftw(path, remove_entry, TREE_FILES, FTW_DEPTH | FTW_PHYS) == 0;
}

void home_remove(const char *path)
{
	if (!remove_tree(path))
		say("cannot remove %s", path);
}

/* Servers die with the run, but may still write while they do. */
static void clean_up(const char *folder)
{
	for (unsigned i = 0; i < KEEPER_ROUNDS && access(folder, F_OK) == 0; i++) {
		usleep(KEEPER_STEP_US);
		(void)remove_tree(folder);
	}
}

/* In the child; holds none of the run's files. */
static void keep(const char *folder, int alive)
{
	char byte;
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	setsid();
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	for (int i = 0; i < 3 && nothing >= 0; i++)
		dup2(nothing, i);
	if (read(alive, &byte, 1) == 0)
		clean_up(folder);
}

/* Without one a run works as well. */
static void start_keeper(struct home *home)
{
	int ends[2];
	home->alive = -1;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return;
	home->keeper = fork();
	if (home->keeper == 0) {
		close(ends[1]);
		keep(home->folder, ends[0]);
		_exit(0);
	}
	close(ends[0]);
	home->alive = ends[1];
}

static void end_keeper(struct home *home)
{
	if (home->alive < 0)
		return;
	(void)!write(home->alive, "", 1);
	close(home->alive);
	if (home->keeper > 0)
		waitpid(home->keeper, NULL, 0);
}

enum status home_new(struct home **home)
{
	const char *root = getenv("TMPDIR");
	struct home *made = memory_zalloc(sizeof(*made));
	/* The path of a UNIX socket has room for 108 bytes. */
	int size = snprintf(made->folder, 80, "%s/yare-bench-XXXXXX", root != NULL ? root : "/tmp");
	if (size >= 80 || mkdtemp(made->folder) == NULL) {
		memory_free(made);
		return say_failed("cannot make a folder in %s", root != NULL ? root : "/tmp");
	}
	start_keeper(made);
	snprintf(made->host_key, HOME_PATH_SIZE, "%.100s/host-key", made->folder);
	snprintf(made->client_key, HOME_PATH_SIZE, "%.100s/client-key", made->folder);
	snprintf(made->authorized_keys, HOME_PATH_SIZE, "%.100s/authorized-keys", made->folder);
	if (!keys_make(made->host_key, NULL) || !keys_make(made->client_key, made->authorized_keys)) {
		home_free(made);
		return say_failed("cannot make SSH keys");
	}
	*home = made;
	return ST_OK;
}

void home_free(struct home *home)
{
	if (home == NULL)
		return;
	home_remove(home->folder);
	end_keeper(home);
	memory_free(home);
}
