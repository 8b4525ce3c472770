/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* A folder of a test's own, for files that a server reads and writes. */
#include <stdbool.h>

char *folder_make(void); /* its path, on the heap */
bool folder_write(const char *dir, const char *name, const char *text);
bool folder_link(const char *dir, const char *name, const char *target);
char *folder_read(const char *dir, const char *name); /* on the heap; NULL: there is none */
void folder_remove(char *dir); /* with all that is in it; frees `dir`; NULL is allowed */
