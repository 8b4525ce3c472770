/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows are few (some hundreds), so they are searched one by one. */
#include "results.h"

#include <string.h>

#include "base/memory.h"
#include "stats.h"

void results_init(struct results *results)
{
	*results = (struct results){0};
	vector_init(&results->rows, sizeof(struct result_row));
}

void results_fini(struct results *results)
{
	for (size_t i = 0; i < results->rows.length; i++)
		vector_fini(&((struct result_row *)vector_at(&results->rows, i))->samples);
	vector_fini(&results->rows);
}

static bool is_same_server(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static struct result_row *find(const struct results *results, struct result_key key, const char *server)
{
	for (size_t i = 0; i < results->rows.length; i++) {
		struct result_row *row = vector_at(&results->rows, i);
		if (row->key.n == key.n && strcmp(row->key.scenario, key.scenario) == 0 &&
		    strcmp(row->key.metric, key.metric) == 0 && is_same_server(row->server, server))
			return row;
	}
	return NULL;
}

void results_add(struct results *results, struct result_key key, const char *unit, double value,
		 const char *floor)
{
	struct result_row *row = find(results, key, results->server);
	if (row == NULL) {
		row = vector_push(&results->rows);
		*row = (struct result_row){
			.key = key, .unit = unit, .floor = floor, .server = results->server};
		vector_init(&row->samples, sizeof(double));
	}
	*(double *)vector_push(&row->samples) = value;
}

const struct result_row *results_find(const struct results *results, struct result_key key)
{
	return find(results, key, results->server);
}

double result_value(const struct result_row *row)
{
	size_t size = row->samples.length * sizeof(double);
	double *copy = memory_alloc(size);
	memcpy(copy, row->samples.data, size);
	double median = stats_median(copy, row->samples.length);
	memory_free(copy);
	return median;
}

double result_mean(const struct result_row *row, bool trimmed)
{
	size_t length = row->samples.length;
	double *sorted = memory_alloc(length * sizeof(double)), sum = 0;
	memcpy(sorted, row->samples.data, length * sizeof(double));
	(void)stats_median(sorted, length);
	double low = sorted[length / 4], high = sorted[length - 1 - length / 4], reach = (high - low) * 1.5;
	size_t count = 0;
	for (size_t i = 0; i < length; i++) {
		if (trimmed && (sorted[i] < low - reach || sorted[i] > high + reach))
			continue;
		sum += sorted[i];
		count++;
	}
	memory_free(sorted);
	return sum / (double)count;
}

double result_ratio(const struct results *results, const struct result_row *row)
{
	if (row->floor == NULL)
		return 0;
	struct result_key key = row->key;
	key.metric = row->floor;
	const struct result_row *floor = find(results, key, row->server);
	double value = floor != NULL ? result_value(floor) : 0;
	return value > 0 ? result_value(row) / value : 0;
}

bool result_rows_belong(const struct result_row *a, const struct result_row *b)
{
	return a->key.n == b->key.n && strcmp(a->key.scenario, b->key.scenario) == 0 &&
	       is_same_server(a->server, b->server);
}

bool result_begins_group(const struct results *results, size_t index)
{
	const struct result_row *row = vector_at(&results->rows, index);
	for (size_t i = 0; i < index; i++)
		if (result_rows_belong(vector_at(&results->rows, i), row))
			return false;
	return true;
}
