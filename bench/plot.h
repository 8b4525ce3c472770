/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * A line plot on two logarithmic axes, as SVG that stands alone.
 *
 *     struct plot plot;
 *     plot_init(&plot, "Restore", "entries", "s");
 *     struct plot_series *series = plot_series_add(&plot, "yared", PLOT_OWN);
 *     plot_point_add(series, 1000, 0.02);
 *     plot_svg(&plot, file);
 *     plot_fini(&plot);
 */
#include <stdio.h>
#include "base/vector.h"

/* How a line is drawn: what was measured here, a peer that was, and what others published. */
enum plot_style { PLOT_OWN, PLOT_PEER, PLOT_PUBLISHED };

struct plot_point {
	double x, y;
};

struct plot_series {
	const char *label;
	enum plot_style style;
	struct vector points; /* struct plot_point, by ascending x */
};

struct plot {
	const char *title, *x_label, *y_label;
	struct vector series; /* struct plot_series */
};

/* All texts are borrowed. */
void plot_init(struct plot *plot, const char *title, const char *x_label, const char *y_label);
void plot_fini(struct plot *plot);
/* Valid until the next one is added. */
struct plot_series *plot_series_add(struct plot *plot, const char *label, enum plot_style style);
/* Values that a logarithm has none for are left out. */
void plot_point_add(struct plot_series *series, double x, double y);
/* False where there is nothing to draw; nothing is written then. */
int plot_svg(const struct plot *plot, FILE *out);
