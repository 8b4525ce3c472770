/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* yare-bench report A.json... [--html FILE] [--markdown FILE [--plots DIR]]: the program's exit status. */
int report_command(int argc, char **argv);
