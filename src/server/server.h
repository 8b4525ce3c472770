/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The server: everything wired together, from the options to the end by signal. */
#include "server/options.h"

/* Runs until SIGTERM or SIGINT; gives the exit code of the process: 0, or 1 where it could not start
 * (logged). */
int server_run(const struct server_options *options);
