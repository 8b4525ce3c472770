/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The commands of the program yare. Each takes its own arguments (argv[0]: its name) and gives the exit code:
 * 0 done, 1 failed, 2 wrong arguments; for data directories see tool/options.h. */

int command_check(int argc, char **argv);
int command_explain(int argc, char **argv);
int command_export(int argc, char **argv);
int command_import(int argc, char **argv);
int command_journal(int argc, char **argv);
int command_recover(int argc, char **argv);
