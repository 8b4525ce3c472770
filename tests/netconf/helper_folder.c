/* SPDX-License-Identifier: BSD-3-Clause */
/* A folder of a test's own below /tmp. */
#include "helper_folder.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_SIZE 1024

char *folder_make(void)
{
	char *dir = strdup("/tmp/yare-folder-XXXXXX");
	if (mkdtemp(dir) == NULL) {
		perror(dir);
		exit(2);
	}
	return dir;
}

/* The path, with the folders on the way. */
static void make_path(char path[PATH_SIZE], const char *dir, const char *name)
{
	snprintf(path, PATH_SIZE, "%s/%s", dir, name);
	for (char *slash = strchr(path + strlen(dir) + 1, '/'); slash != NULL;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
}

bool folder_write(const char *dir, const char *name, const char *text)
{
	char path[PATH_SIZE];
	make_path(path, dir, name);
	FILE *file = fopen(path, "w");
	if (file == NULL)
		return false;
	fputs(text, file);
	return fclose(file) == 0;
}

bool folder_link(const char *dir, const char *name, const char *target)
{
	char path[PATH_SIZE];
	make_path(path, dir, name);
	return symlink(target, path) == 0;
}

char *folder_read(const char *dir, const char *name)
{
	char path[PATH_SIZE];
	make_path(path, dir, name);
	FILE *file = fopen(path, "r");
	if (file == NULL)
		return NULL;
	size_t room = 65536;
	char *text = malloc(room);
	text[fread(text, 1, room - 1, file)] = '\0';
	fclose(file);
	return text;
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
	(void)info;
	(void)kind;
	(void)walk;
	return remove(path);
}

void folder_remove(char *dir)
{
	if (dir != NULL)
		nftw(dir, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
	free(dir);
}
