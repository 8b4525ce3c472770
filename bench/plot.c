/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Axes reach from the decade below the least value to the one above the largest. Measured lines are solid and
 * have markers; published ones are dashed. The legend is at the right, in the order of the series.
 */
#include "plot.h"

#include <math.h>
#include <stdbool.h>

#define WIDTH 860
#define HEIGHT 420
#define LEFT 70
#define RIGHT 260 /* room of the legend */
#define TOP 36
#define BOTTOM 48
#define MARKER 3.5
#define LEGEND_STEP 20

struct axis {
	int low, high;	   /* decades */
	double from, size; /* where it is drawn; size below 0: upwards */
};

static const char *const colours[] = {"#0b5fa5", "#c0392b", "#1e8449", "#7d3c98", "#b9770e",
				      "#117a8b", "#7f8c8d", "#d35400", "#2c3e50", "#a93226"};

void plot_init(struct plot *plot, const char *title, const char *x_label, const char *y_label)
{
	*plot = (struct plot){.title = title, .x_label = x_label, .y_label = y_label};
	vector_init(&plot->series, sizeof(struct plot_series));
}

void plot_fini(struct plot *plot)
{
	for (size_t i = 0; i < plot->series.length; i++)
		vector_fini(&((struct plot_series *)vector_at(&plot->series, i))->points);
	vector_fini(&plot->series);
}

struct plot_series *plot_series_add(struct plot *plot, const char *label, enum plot_style style)
{
	struct plot_series *series = vector_push(&plot->series);
	*series = (struct plot_series){.label = label, .style = style};
	vector_init(&series->points, sizeof(struct plot_point));
	return series;
}

void plot_point_add(struct plot_series *series, double x, double y)
{
	if (x > 0 && y > 0)
		*(struct plot_point *)vector_push(&series->points) = (struct plot_point){x, y};
}

static void widen(struct axis *axis, double value, bool *any)
{
	int low = (int)floor(log10(value) + 1e-9), high = (int)ceil(log10(value) - 1e-9);
	high = high > low ? high : low + 1;
	axis->low = *any && axis->low < low ? axis->low : low;
	axis->high = *any && axis->high > high ? axis->high : high;
}

static bool find_axes(const struct plot *plot, struct axis *x, struct axis *y)
{
	bool any = false;
	*x = (struct axis){.from = LEFT, .size = WIDTH - LEFT - RIGHT};
	*y = (struct axis){.from = HEIGHT - BOTTOM, .size = -(HEIGHT - BOTTOM - TOP)};
	for (size_t i = 0; i < plot->series.length; i++) {
		const struct plot_series *series = vector_at(&plot->series, i);
		for (size_t j = 0; j < series->points.length; j++) {
			const struct plot_point *point = vector_at(&series->points, j);
			widen(x, point->x, &any);
			widen(y, point->y, &any);
			any = true;
		}
	}
	return any;
}

static double place(const struct axis *axis, double value)
{
	return axis->from + axis->size * (log10(value) - axis->low) / (axis->high - axis->low);
}

static void put_text(FILE *out, const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == '<' || *text == '&')
			fputs(*text == '<' ? "&lt;" : "&amp;", out);
		else
			fputc(*text, out);
	}
}

static void put_label(FILE *out, double x, double y, const char *anchor, const char *text)
{
	fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
	put_text(out, text);
	fputs("</text>\n", out);
}

static void format_decade(int decade, char *text, size_t size)
{
	static const char *const suffixes[] = {"", "k", "M", "G"};
	if (decade < 0)
		snprintf(text, size, "%g", pow(10, decade));
	else if (decade < 12)
		snprintf(text, size, "%g%s", pow(10, decade % 3), suffixes[decade / 3]);
	else
		snprintf(text, size, "1e%d", decade);
}

static void draw_grid(FILE *out, const struct axis *x, const struct axis *y)
{
	char text[32];
	double right = x->from + x->size, top = y->from + y->size;
	for (int decade = x->low; decade <= x->high; decade++) {
		double at = place(x, pow(10, decade));
		format_decade(decade, text, sizeof(text));
		fprintf(out, "<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", at,
			y->from, at, top);
		put_label(out, at, y->from + 16, "middle", text);
	}
	for (int decade = y->low; decade <= y->high; decade++) {
		double at = place(y, pow(10, decade));
		format_decade(decade, text, sizeof(text));
		fprintf(out, "<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
			x->from, at, right, at);
		put_label(out, x->from - 6, at + 4, "end", text);
	}
}

static void draw_line(FILE *out, const struct plot_series *series, const struct axis *x, const struct axis *y,
		      const char *colour)
{
	fprintf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"%d\"%s points=\"", colour,
		series->style == PLOT_OWN ? 3 : 2,
		series->style == PLOT_PUBLISHED ? " stroke-dasharray=\"6 4\"" : "");
	for (size_t i = 0; i < series->points.length; i++) {
		const struct plot_point *point = vector_at(&series->points, i);
		fprintf(out, "%s%.1f,%.1f", i > 0 ? " " : "", place(x, point->x), place(y, point->y));
	}
	fputs("\"/>\n", out);
	for (size_t i = 0; i < series->points.length; i++) {
		const struct plot_point *point = vector_at(&series->points, i);
		fprintf(out,
			"<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\"><title>%g: "
			"%.4g</title></circle>\n",
			place(x, point->x), place(y, point->y), MARKER, colour, point->x, point->y);
	}
}

static void draw_series(FILE *out, const struct plot *plot, const struct axis *x, const struct axis *y)
{
	double legend = TOP + 8;
	size_t drawn = 0;
	for (size_t i = 0; i < plot->series.length; i++) {
		const struct plot_series *series = vector_at(&plot->series, i);
		if (series->points.length == 0)
			continue;
		const char *colour = colours[drawn++ % (sizeof(colours) / sizeof(colours[0]))];
		draw_line(out, series, x, y, colour);
		fprintf(out,
			"<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"%s\" "
			"stroke-width=\"%d\"%s/>\n",
			WIDTH - RIGHT + 12, legend - 4, WIDTH - RIGHT + 36, legend - 4, colour,
			series->style == PLOT_OWN ? 3 : 2,
			series->style == PLOT_PUBLISHED ? " stroke-dasharray=\"6 4\"" : "");
		put_label(out, WIDTH - RIGHT + 42, legend, "start", series->label);
		legend += LEGEND_STEP;
	}
}

int plot_svg(const struct plot *plot, FILE *out)
{
	struct axis x, y;
	if (!find_axes(plot, &x, &y))
		return 0;
	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
		"font-family=\"sans-serif\" font-size=\"12\">\n"
		"<style>.grid{stroke:#ddd;stroke-width:1}</style>\n"
		"<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n<g font-size=\"15\">",
		WIDTH, HEIGHT, WIDTH, HEIGHT, WIDTH, HEIGHT);
	put_label(out, LEFT, 22, "start", plot->title);
	fputs("</g>\n", out);
	draw_grid(out, &x, &y);
	draw_series(out, plot, &x, &y);
	put_label(out, LEFT + x.size / 2, HEIGHT - 12, "middle", plot->x_label);
	fprintf(out, "<g transform=\"translate(16 %d) rotate(-90)\">", (TOP + HEIGHT - BOTTOM) / 2);
	put_label(out, 0, 0, "middle", plot->y_label);
	fputs("</g>\n</svg>\n", out);
	return 1;
}
