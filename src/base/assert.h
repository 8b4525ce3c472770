/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * ASSERT(condition) stays on in every build: it prints file, line and condition to standard error and
 * aborts. It states what only a bug can break; input from outside is never asserted.
 */
_Noreturn void assert_failed(const char *file, int line, const char *condition);

#define ASSERT(condition) ((condition) ? (void)0 : assert_failed(__FILE__, __LINE__, #condition))
