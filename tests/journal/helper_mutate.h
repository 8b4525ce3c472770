/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* A data directory in memory, and random damage to it. */
#include "base/buffer.h"
#include "base/vector.h"
#include "os/file.h"

struct mutate_file {
	char *name;
	struct buffer content;
};

struct mutate_dir {
	struct vector files; /* struct mutate_file */
};

/* All files of a directory but its lock. */
void mutate_read(struct mutate_dir *dir, struct os_fs *fs, const char *path);
void mutate_copy(struct mutate_dir *to, const struct mutate_dir *from);
void mutate_write(const struct mutate_dir *dir, struct os_fs *fs, const char *path);
void mutate_free(struct mutate_dir *dir);
struct mutate_file *mutate_find(struct mutate_dir *dir, const char *name); /* NULL: there is none */
void mutate_add(struct mutate_dir *dir, const char *name, struct bytes content);
/* One to three faults; each a pure function of *random. */
void mutate_damage(struct mutate_dir *dir, uint64_t *random);
uint64_t mutate_random(uint64_t *state, uint64_t below);
/* YARE_SEED, or one that is printed. */
uint64_t mutate_seed(void);
/* YARE_RUNS, or `runs`. */
unsigned mutate_runs(unsigned runs);
