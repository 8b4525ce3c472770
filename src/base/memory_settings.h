/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* How the C library's heap behaves, for a program as a whole. */

/* What is freed goes back to the system early, whatever sizes come. Left alone, the C library keeps ever more
 * the larger what was freed is. Before threads are started. */
void memory_return_early(void);
/* What was freed since the last time goes back to the system now, also from between what is in use. For after
 * something large: cost: some milliseconds for each 100 MB that the heap ever had; other threads' allocations
 * may wait meanwhile. */
void memory_return_now(void);
