/* SPDX-License-Identifier: BSD-3-Clause */
/* The line is said only to a terminal (say.h); elsewhere this costs a look at the clock. */
#include "progress.h"

#include <inttypes.h>
#include <stdio.h>

#include "os/clock.h"
#include "say.h"

#define BAR 24 /* characters */

static void draw(const struct progress *progress, double part, const char *what)
{
	static const char marks[] = "########################", dots[] = "........................";
	double done = (progress->done + progress->step * part) / progress->total;
	double gone_s = (double)(os_clock_monotonic_ns() - progress->begin_ns) / 1e9;
	int filled = (int)(done * BAR);
	filled = filled > BAR ? BAR : filled;
	if (done < 0.01) {
		say_progress("[%.*s%.*s] %s%s", filled, marks, BAR - filled, dots, progress->name, what);
		return;
	}
	unsigned left_s = (unsigned)(gone_s / done * (1 - done));
	say_progress("[%.*s%.*s] %3.0f %%  %s%s, %u:%02u left", filled, marks, BAR - filled, dots, done * 100,
		     progress->name, what, left_s / 60, left_s % 60);
}

void progress_begin(struct progress *progress, double total)
{
	*progress = (struct progress){.begin_ns = os_clock_monotonic_ns(), .total = total > 0 ? total : 1};
}

void progress_step(struct progress *progress, const char *name, uint64_t n, double weight)
{
	progress->done += progress->step;
	progress->step = weight;
	progress->step_begin_ns = os_clock_monotonic_ns();
	snprintf(progress->name, sizeof(progress->name), "%s, N = %" PRIu64, name, n);
	draw(progress, 0, "");
}

void progress_update(const struct progress *progress, uint64_t operations, uint64_t all)
{
	char what[96];
	double gone_s = (double)(os_clock_monotonic_ns() - progress->step_begin_ns) / 1e9;
	snprintf(what, sizeof(what), ": %" PRIu64 " of %" PRIu64 ", %.0f/s", operations, all,
		 gone_s > 0 ? (double)operations / gone_s : 0);
	draw(progress, all > 0 ? (double)operations / (double)all : 0, what);
}

void progress_end(struct progress *progress)
{
	progress->done += progress->step;
	progress->step = 0;
	say_progress("%s", "");
}
