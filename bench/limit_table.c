/* SPDX-License-Identifier: BSD-3-Clause */
/* The limits, and the search for the rows that they are about. Rows of a peer are not judged. */
#include "limit_table.h"

#include <inttypes.h>
#include <string.h>

#include "say.h"

static const struct limit limits[] = {
	{"perf-test/provision", "p50", LIMIT_RATIO, 1.3, 1000, "full", false},
	{"perf-test/provision", "p50", LIMIT_RATIO, 1.5, 1000, "relaxed", false},
	{"perf-test/provision", "last 1000 over first 1000", LIMIT_VALUE, 1.2, 2000, "none", false},
	{"perf-test/pipeline", "over those not synced", LIMIT_LEAST, 0.6, 10000, NULL, false},
	{"perf-test/pipeline", "commits a sync", LIMIT_LEAST, 16, 10000, NULL, false},
	{"perf-test/sessions", "over one at a time", LIMIT_LEAST, 2.5, 10000, NULL, false},
	{"perf-test/sessions", "commits a sync", LIMIT_LEAST, 3.5, 10000, NULL, false},
	{"perf-test/snapshot", "p99 beside it", LIMIT_RATIO, 3, 1000000, NULL, false},
	{"perf-test/ready", "start to ready", LIMIT_RATIO, 3, 1000000, NULL, false},
	{"perf-test/replay", "start to ready", LIMIT_RATIO, 20, 1000000, NULL, false},
	{"perf-test/complex", "elapsed, SSH", LIMIT_RATIO, 4, 10000, "full", false},
	{"perf-test/restore", "elapsed, SSH", LIMIT_RATIO, 4, 10000, "full", false},
	{"perf-test/memory", "resident an entry", LIMIT_VALUE, 100, 1000000, NULL, false},
	{"perf-test/boot", "elapsed", LIMIT_RATIO, 3, 1000000, NULL, false},
	{"perf-test/boot", "server CPU beyond an empty boot", LIMIT_RATIO, 3, 100000, NULL, false},
	{"perf-test/boot-vlan", "server CPU beyond an empty boot", LIMIT_RATIO, 7, 4000, NULL, false},
	{"perf-test/boot-vlan", "beyond an empty boot", LIMIT_VALUE, 0.02, 4000, NULL, true},
	{"perf-test/beside-readers", "p99", LIMIT_VALUE, 10000, 10000, "full", true},
	{"controller/store", "elapsed", LIMIT_RATIO, 5, 100, "full", false},
	{"controller/replace-same", "elapsed over that of the store", LIMIT_VALUE, 1, 100, NULL, false},
	{"controller/update", "elapsed", LIMIT_RATIO, 5, 1000, "full", false},
	{"controller/read", "rate, UNIX socket", LIMIT_LEAST, 150, 100, NULL, true},
	{"controller/read", "rate over that of bulk", LIMIT_LEAST, 0.6, 1000, NULL, false},
	{"controller/read-top", "p50, growth", LIMIT_VALUE, 1.2, 100, NULL, false},
	{"controller/compare", "p50, growth", LIMIT_VALUE, 1.2, 1000, NULL, false},
	{"controller/delete-lists", "elapsed over that of storing", LIMIT_VALUE, 1, 300, NULL, false},
	{"controller/query-leaf", "elapsed", LIMIT_RATIO, 1, 1000, NULL, false},
	{"controller/query-deep-leaf", "elapsed", LIMIT_RATIO, 1, 1000, NULL, false},
	{"controller/query-ancestor", "elapsed", LIMIT_RATIO, 1, 1000, NULL, false},
	{"controller/query-anywhere", "elapsed", LIMIT_RATIO, 1, 1000, NULL, false},
	{"directory/import", "elapsed", LIMIT_RATIO, 5, 1000, "full", false},
	{"directory/export", "rate over that of bulk", LIMIT_LEAST, 0.6, 10000, NULL, false},
	{"directory/modify-8", "rate over that of the fewest sessions", LIMIT_LEAST, 2.5, 1000, "full",
	 false},
	{"directory/search-key", "p50", LIMIT_RATIO, 1.4, 100, NULL, false},
	{"directory/search-key", "p50, growth", LIMIT_VALUE, 1.2, 1000, NULL, false},
	{"directory/search-leaf", "p50 over that of a search by key", LIMIT_VALUE, 2, 1000, NULL, false},
	{"peers/provision", "netconfd over yared", LIMIT_LEAST, 200, 5000, "relaxed", false},
	{"peers/provision", "netconfd over yared", LIMIT_LEAST, 30, 5000, "full", false},
};

/* For those who read that one is missed. */
static const struct {
	const char *scenario, *reason;
} reasons[] = {
	{"perf-test/provision", "a commit is parsed, applied, checked and recorded on the way between two "
				"system calls of the transport"},
	{"perf-test/sessions",
	 "writers share the cores with their clients, and a sync is as fast as a round trip"},
	{"perf-test/restore", "new memory is faulted in page by page, and a parse makes none"},
	{"controller/store", "a device has some 200 elements, most of them leafs of a few bytes, which a "
			     "parse without events passes over"},
	{"controller/read",
	 "what is encoded is encrypted as well, and both take turns where a core is not free"},
	{"directory/import", "three unique statements and four references a user, with indexes whose keys "
			     "arrive in another order"},
	{"directory/export",
	 "what is encoded is encrypted as well, and both take turns where a core is not free"},
	{"directory/modify-8", "eight writers share the cores with their clients"},
	{"directory/search-key",
	 "the request is parsed, a filter made of it, and a user of 25 nodes written"},
};

const char *limit_reason(const struct limit *limit)
{
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (strcmp(reasons[i].scenario, limit->scenario) == 0)
			return reasons[i].reason;
	return NULL;
}

#define LIMIT_COUNT (sizeof(limits) / sizeof(limits[0]))

static bool is_about(const struct limit *limit, const struct environment *environment,
		     const struct result_row *row)
{
	return row->server == NULL && row->key.n >= limit->from_n &&
	       strcmp(row->key.scenario, limit->scenario) == 0 &&
	       strcmp(row->key.metric, limit->metric) == 0 &&
	       (limit->durability == NULL || strcmp(limit->durability, environment->durability) == 0);
}

static bool judge(const struct limit *limit, const struct results *results, const struct result_row *row,
		  struct limit_verdict *verdict)
{
	double measured = limit->kind == LIMIT_RATIO ? result_ratio(results, row) : result_value(row);
	if (measured <= 0 && limit->kind != LIMIT_VALUE)
		return false;
	*verdict = (struct limit_verdict){.limit = limit,
					  .n = row->key.n,
					  .measured = measured,
					  .excess = limit->kind == LIMIT_LEAST ? limit->bound / measured
									       : measured / limit->bound};
	return true;
}

bool limits_judge(const struct environment *environment, const struct results *results, size_t index,
		  struct limit_verdict *verdict)
{
	for (size_t i = 0; i < LIMIT_COUNT; i++)
		for (size_t j = 0; j < results->rows.length; j++) {
			const struct result_row *row = vector_at(&results->rows, j);
			if (is_about(&limits[i], environment, row) &&
			    judge(&limits[i], results, row, verdict) && index-- == 0)
				return true;
		}
	return false;
}

unsigned limits_exceeded(const struct environment *environment, const struct results *results, double factor)
{
	struct limit_verdict verdict;
	unsigned count = 0;
	for (size_t i = 0; limits_judge(environment, results, i, &verdict); i++) {
		if (verdict.limit->is_absolute || verdict.excess <= factor)
			continue;
		say("%s, N = %" PRIu64 ", %s: %.2f, beyond %g times the limit of %g", verdict.limit->scenario,
		    verdict.n, verdict.limit->metric, verdict.measured, factor, verdict.limit->bound);
		count++;
	}
	return count;
}
