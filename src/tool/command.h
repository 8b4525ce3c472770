/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The commands of the program yare. Each takes its own arguments (argv[0]: its name) and gives the exit code:
 * 0 done, 1 failed, 2 wrong arguments. */

int command_explain(int argc, char **argv);
