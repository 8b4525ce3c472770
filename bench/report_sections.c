/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two answers that a reader of many tables would have to collect: which limits are missed, and how much
 * faster others are or are not. Limits are judged one run after the other (limit_table.c), with all sizes of
 * a limit in a row. Others' figures are seconds of the whole work, so figures of theirs that are rates are
 * left to the plots.
 */
#include "report_sections.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "limit_table.h"

static const char *what_of(const struct limit *limit)
{
	return limit->kind == LIMIT_RATIO ? ", over its floor" : "";
}

/* The sizes at which the limit of verdict `from` is missed, with the figures, or is met. Gives their number.
 */
static unsigned put_sizes(FILE *out, const struct measured_run *run, size_t from, bool missed)
{
	struct limit_verdict first, verdict;
	unsigned count = 0;
	if (!limits_judge(&run->environment, &run->results, from, &first))
		return 0;
	for (size_t i = from; limits_judge(&run->environment, &run->results, i, &verdict); i++) {
		if (verdict.limit != first.limit)
			break;
		if ((verdict.excess > 1) != missed)
			continue;
		fputs(count++ > 0 ? ", " : missed ? "" : "; met at ", out);
		if (missed)
			fprintf(out, "%.4g at %" PRIu64, verdict.measured, verdict.n);
		else
			fprintf(out, "%" PRIu64, verdict.n);
	}
	return count;
}

/* A line on the limit of verdict `from`, the first one of that limit. */
static void put_miss(FILE *out, const struct measured_run *run, size_t from, const struct limit *limit)
{
	const char *reason = limit_reason(limit);
	fprintf(out, "- **%s**, %s%s, durability %s: ", limit->scenario, limit->metric, what_of(limit),
		run->environment.durability);
	put_sizes(out, run, from, true);
	fprintf(out, "; the goal is %s %g", limit->kind == LIMIT_LEAST ? "at least" : "at most",
		limit->bound);
	put_sizes(out, run, from, false);
	fprintf(out, "%s%s.\n", reason != NULL ? ". Why: " : "", reason != NULL ? reason : "");
}

static unsigned put_misses_of(FILE *out, const struct measured_run *run)
{
	struct limit_verdict verdict;
	const struct limit *limit = NULL;
	size_t from = 0;
	unsigned count = 0;
	bool is_told = false;
	for (size_t i = 0; limits_judge(&run->environment, &run->results, i, &verdict); i++) {
		if (verdict.limit != limit) {
			limit = verdict.limit;
			from = i;
			is_told = false;
		}
		if (verdict.excess > 1 && !is_told) {
			put_miss(out, run, from, limit);
			is_told = true;
			count++;
		}
	}
	return count;
}

void report_misses(FILE *out, const struct measured_run *runs, size_t count)
{
	unsigned misses = 0;
	fputs("\n## Where Yare is not at its goal\n\n", out);
	for (size_t i = 0; i < count; i++)
		misses += put_misses_of(out, &runs[i]);
	if (misses == 0)
		fputs("Every limit of the table above is met.\n", out);
}

/* Of the server, NULL for the run's own; 0: not measured. */
static double value_of(const struct measured_run *run, struct result_key key, const char *server)
{
	for (size_t i = 0; i < run->results.rows.length; i++) {
		const struct result_row *row = vector_at(&run->results.rows, i);
		if (row->key.n == key.n && strcmp(row->key.scenario, key.scenario) == 0 &&
		    strcmp(row->key.metric, key.metric) == 0 &&
		    strcmp(row->server != NULL ? row->server : "", server != NULL ? server : "") == 0)
			return result_value(row);
	}
	return 0;
}

static double published_of(const struct published *published, uint64_t n)
{
	for (size_t i = 0; i < PUBLISHED_POINTS && published->points[i].x > 0; i++)
		if (published->points[i].x == (double)n)
			return published->points[i].y;
	return 0;
}

static void put_other(FILE *out, double seconds, double times)
{
	if (seconds > 0)
		fprintf(out, seconds >= 1000 ? " %.0f (%.0f x)" : " %.4g (%.0f x)", seconds, times);
	fputs(" |", out);
}

/* A peer is held against the yared that took turns with it, which shared its machine's load. */
static void put_peer(FILE *out, const struct measured_run *run, struct result_key key, const char *peer)
{
	char scenario[64], metric[64];
	snprintf(scenario, sizeof(scenario), "peers%s", strchr(key.scenario, '/'));
	snprintf(metric, sizeof(metric), "%s over yared", peer);
	put_other(out, value_of(run, key, peer),
		  value_of(run, (struct result_key){scenario, key.n, metric}, NULL));
}

#define PEERS_SHOWN 4

struct others {
	const struct published *published;
	size_t published_count;
	const char *peers[PEERS_SHOWN];
	size_t peer_count;
};

static void find_peers(struct others *others, const struct measured_run *runs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < runs[i].results.rows.length; j++) {
			const struct result_row *row = vector_at(&runs[i].results.rows, j);
			bool is_known = row->server == NULL || strcmp(row->server, RESULTS_BESIDE) == 0 ||
					others->peer_count == PEERS_SHOWN;
			for (size_t k = 0; k < others->peer_count && !is_known; k++)
				is_known = strcmp(others->peers[k], row->server) == 0;
			if (!is_known)
				others->peers[others->peer_count++] = row->server;
		}
}

static bool has_other(const struct others *others, const struct measured_run *run, struct result_key key)
{
	for (size_t i = 0; i < others->published_count; i++)
		if (published_of(&others->published[i], key.n) > 0)
			return true;
	for (size_t i = 0; i < others->peer_count; i++)
		if (value_of(run, key, others->peers[i]) > 0)
			return true;
	return false;
}

static void put_line(FILE *out, const struct others *others, const struct measured_run *run,
		     struct result_key key)
{
	double own = value_of(run, key, NULL);
	own = own > 0 ? own : value_of(run, key, RESULTS_BESIDE);
	if (own <= 0 || !has_other(others, run, key))
		return;
	fprintf(out, "| %" PRIu64 " | %s | %.4g |", key.n, run->environment.durability, own);
	for (size_t i = 0; i < others->peer_count; i++)
		put_peer(out, run, key, others->peers[i]);
	for (size_t i = 0; i < others->published_count; i++) {
		double seconds = published_of(&others->published[i], key.n);
		put_other(out, seconds, seconds / own);
	}
	fputs("\n", out);
}

/* The least size above n that the run has of the key. */
static bool next_size(const struct measured_run *run, struct result_key *key)
{
	uint64_t next = UINT64_MAX;
	for (size_t i = 0; i < run->results.rows.length; i++) {
		const struct result_row *row = vector_at(&run->results.rows, i);
		if (strcmp(row->key.scenario, key->scenario) == 0 && row->key.n > key->n && row->key.n < next)
			next = row->key.n;
	}
	key->n = next;
	return next != UINT64_MAX;
}

static void put_comparison(FILE *out, struct others *others, size_t figure, const struct measured_run *runs,
			   size_t count)
{
	fprintf(out, "\n%s: seconds\n\n| N | durability | yared |", figures_title(figure));
	for (size_t i = 0; i < others->peer_count; i++)
		fprintf(out, " %s, measured |", others->peers[i]);
	for (size_t i = 0; i < others->published_count; i++)
		fprintf(out, " %s |", others->published[i].label);
	fputs("\n| ---: | --- | ---: |", out);
	for (size_t i = 0; i < others->peer_count + others->published_count; i++)
		fputs(" ---: |", out);
	fputs("\n", out);
	for (size_t i = 0; i < count; i++)
		for (struct result_key key = figures_key(figure); next_size(&runs[i], &key);)
			put_line(out, others, &runs[i], key);
}

void report_others(FILE *out, const struct measured_run *runs, size_t count)
{
	struct others others = {0};
	find_peers(&others, runs, count);
	fputs("\n## Beside others\n\nIn brackets: how many times as long as yared. Published figures are "
	      "from other "
	      "machines, and include connecting.\nPeers were measured here, in turns with a yared whose time "
	      "the brackets are of.\n",
	      out);
	for (size_t i = 0; i < figures_count(); i++) {
		others.published = figures_published(i);
		for (others.published_count = 0; others.published_count < PUBLISHED_MAX &&
						 others.published[others.published_count].label != NULL;)
			others.published_count++;
		if (figures_are_seconds(i) && others.published_count > 0)
			put_comparison(out, &others, i, runs, count);
	}
}
