/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random edits over real models: the incremental verdict, the full verdict and libyang's verdict are the
 * same, and so is the final data. The first difference of a set is cut down and printed, then the set begins
 * anew.
 *
 *     constraints [--seconds N] [--edits N] [--seed S] [--sets NAME,...] [--keep-going]
 *
 * --edits: of each set; --seconds: of all together, shared equally. Edits count that came as far as libyang.
 */
#include "soak.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	REPAIRS_MAX = 10,
	EDITS_A_DOCUMENT = 400,
	FIRST_TRIES = 300,
	XML_MAX = 60000 /* bytes of a document that begins anew */
};

struct options {
	double seconds; /* 0: no limit */
	unsigned long edits;
	uint64_t seed;
	const char *sets;     /* NULL: all */
	unsigned differences; /* of a set, before it ends */
};

struct tally {
	unsigned long compared, valid, refused, excepted, skipped, different;
	unsigned long by_stage[SOAK_CHECK + 1];
};

/* ---- one edit */

/* Our settled root against what libyang leaves. */
static bool same_data(struct soak *soak, const struct soak_result *result, const struct soak_verdict *verdict)
{
	const char *ours = arena_printf(soak->round, "<config>%s</config>", soak_xml(soak, result->settled));
	const char *theirs = arena_printf(soak->round, "<config>%s</config>", verdict->xml);
	struct tree_record *a = soak_load(soak, ours), *b = soak_load(soak, theirs);
	bool same = a && b && soak_same(soak, a, b);
	soak_drop(soak, a);
	soak_drop(soak, b);
	return same;
}

static const char *judge(struct soak *soak, const struct soak_result *result,
			 const struct soak_verdict *verdict)
{
	/* Another error may keep libyang from looking at a `when` in a later module. */
	if (result->stage == SOAK_SETTLE && !verdict->valid)
		return NULL;
	if (result->stage == SOAK_SETTLE)
		return soak_whens_named(soak, &result->diags, verdict)
			       ? NULL
			       : "settle refuses what no when of libyang's removes";
	bool ours_valid = *result->full == '\0';
	if (ours_valid != verdict->valid)
		return ours_valid ? "only libyang refuses" : "only we refuse";
	if (ours_valid)
		return same_data(soak, result, verdict) ? NULL : "final data differ";
	return soak_named(soak, &result->diags, verdict) ? NULL : "libyang's error is not among ours";
}

static const char *compare_verdicts(struct soak *soak, const struct soak_result *result,
				    const struct tree_record *root, bool *excepted)
{
	if (result->incremental && strcmp(result->incremental, result->full) != 0)
		return "incremental and full verdict differ";
	if (result->index_differs)
		return "indexes handed on and made anew differ";
	struct soak_verdict verdict;
	soak_oracle(soak, soak_xml(soak, root), &verdict);
	const char *what = judge(soak, result, &verdict);
	*excepted = what && soak_exception(soak, result, &verdict);
	return what;
}

/* From one root to the next: without what we name, and settled. False where nothing can go. */
static bool repair(struct soak *soak, struct soak_result *step)
{
	struct tree_record *rest = soak_without_named(soak, step->settled, &step->diags);
	if (!rest)
		return false;
	struct tree_record *before = step->settled;
	soak_drop(soak, step->applied);
	step->applied = rest;
	step->settled = NULL;
	bool settled = soak_settle(soak, before, step);
	soak_drop(soak, before);
	return settled;
}

/* Takes out what we name, step by step, until all is valid: libyang must agree at each step. */
static const char *compare_rest(struct soak *soak, const struct tree_record *base,
				const struct soak_result *result, bool *excepted)
{
	bool unsettled = result->stage == SOAK_SETTLE;
	struct soak_result step = {.stage = SOAK_CHECK,
				   .settled = tree_record_ref(unsettled ? result->applied : result->settled),
				   .diags = result->diags,
				   .full = unsettled ? "unsettled" : result->full};
	const char *what = NULL;
	for (unsigned i = 0; i < REPAIRS_MAX && *step.full && !what && repair(soak, &step); i++) {
		soak_check(soak, base, &step);
		what = compare_verdicts(soak, &step, step.applied, excepted);
	}
	soak_result_fini(soak, &step);
	return what ? arena_printf(soak->round, "%s, what we name removed", what) : NULL;
}

enum soak_outcome soak_compare(struct soak *soak, const struct tree_record *base, bool base_valid,
			       const char *edit_xml, struct soak_result *result, const char **what)
{
	soak_run(soak, base, base_valid, edit_xml, result);
	*what = NULL;
	if (result->stage < SOAK_SETTLE)
		return SOAK_SKIPPED;
	if (result->settle_differs) {
		*what = "incremental and full settle differ";
		return SOAK_DIFFERENT;
	}
	bool excepted = false;
	*what = compare_verdicts(soak, result, result->applied, &excepted);
	if (!*what && (result->stage == SOAK_SETTLE || *result->full))
		*what = compare_rest(soak, base_valid ? base : NULL, result, &excepted);
	if (!*what)
		return SOAK_SAME;
	return excepted ? SOAK_EXCEPTED : SOAK_DIFFERENT;
}

/* ---- one set */

static void set_index(struct soak *soak, const struct check_index *index)
{
	struct check_index *own = index ? check_index_ref(index) : NULL;
	check_index_unref(soak->index, NULL);
	soak->index = own;
}

/* What the full check says of the root; soak->valid tells whether it is nothing. */
static const char *set_valid(struct soak *soak, const struct tree_record *root)
{
	set_index(soak, NULL);
	struct soak_result result;
	soak_run(soak, root, false, "<config/>", &result);
	soak->valid = result.stage == SOAK_CHECK && *result.full == '\0';
	set_index(soak, result.index);
	const char *text = result.full ? result.full : soak_diags(&result.diags, soak->round);
	soak_result_fini(soak, &result);
	return text;
}

/* A root from nothing: its document, else content made at random. */
static struct tree_record *first_root(struct soak *soak)
{
	const char *xml = soak_document(soak);
	struct tree_record *root = xml ? soak_load(soak, xml) : tree_record_new();
	if (xml || *set_valid(soak, root) == '\0')
		return root;
	soak_drop(soak, soak->root);
	soak->root = root;
	soak_gather(soak);
	return soak_load(soak, soak_edit_xml(soak, soak_content(soak), soak->round));
}

static void start_over(struct soak *soak)
{
	for (unsigned tries = 0; tries < FIRST_TRIES; tries++) {
		arena_reset(soak->round);
		struct tree_record *root = first_root(soak);
		if (!root)
			continue;
		soak_drop(soak, soak->root);
		soak->root = root;
		if (*set_valid(soak, root) == '\0')
			return;
	}
	if (!soak->root) {
		fprintf(stderr, "soak: %s: no document loads\n", soak->set->name);
		exit(2);
	}
	printf("soak: %s begins with invalid data:\n%s", soak->set->name, set_valid(soak, soak->root));
}

static void take(struct soak *soak, struct soak_result *result)
{
	bool valid = *result->full == '\0';
	/* From an invalid root any other is welcome, that is how sets without documents begin. */
	if (!valid && soak->valid)
		return;
	soak_drop(soak, soak->root);
	soak->root = tree_record_ref(result->settled);
	soak->valid = valid;
	set_index(soak, result->index);
}

static void count(struct tally *tally, enum soak_outcome outcome, const struct soak_result *result)
{
	tally->by_stage[result->stage]++;
	tally->compared += outcome == SOAK_SAME || outcome == SOAK_EXCEPTED;
	tally->excepted += outcome == SOAK_EXCEPTED;
	tally->skipped += outcome == SOAK_SKIPPED;
	tally->different += outcome == SOAK_DIFFERENT;
	if (outcome == SOAK_SAME && result->stage == SOAK_CHECK && *result->full == '\0')
		tally->valid++;
	else if (outcome == SOAK_SAME)
		tally->refused++;
}

static void run_edit(struct soak *soak, struct tally *tally)
{
	arena_reset(soak->round);
	soak_gather(soak);
	uint64_t state = soak->random;
	struct soak_item *edit = soak_edit(soak);
	const char *xml = soak_edit_xml(soak, edit, soak->round), *what;
	struct soak_result result;
	enum soak_outcome outcome = soak_compare(soak, soak->root, soak->valid, xml, &result, &what);
	count(tally, outcome, &result);
	if (outcome == SOAK_SAME && result.stage == SOAK_CHECK)
		take(soak, &result);
	if (outcome == SOAK_DIFFERENT) {
		printf("soak: %s: difference at state %llu\n", soak->set->name, (unsigned long long)state);
		soak_shrink(soak, soak->root, soak->valid, edit, what);
	}
	soak_result_fini(soak, &result);
}

static double now_s(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void run_set(const struct options *options, const struct soak_set *set, double seconds,
		    struct tally *tally)
{
	struct soak soak;
	double start = now_s();
	soak_open(&soak, set, options->seed);
	double loaded = now_s();
	for (unsigned long i = 0; tally->compared < options->edits; i++) {
		bool grown = strlen(soak.root ? soak_xml(&soak, soak.root) : "") > XML_MAX;
		if (i % EDITS_A_DOCUMENT == 0 || grown || tally->different >= options->differences) {
			if (tally->different >= options->differences)
				break;
			start_over(&soak);
		}
		run_edit(&soak, tally);
		if (seconds > 0 && now_s() - loaded > seconds)
			break;
	}
	printf("%-14s %7lu compared: %lu valid, %lu refused, %lu exceptions; %lu skipped (%lu decode, %lu "
	       "apply); %lu "
	       "different; load %.1f s, %.2f ms an edit\n",
	       set->name, tally->compared, tally->valid, tally->refused, tally->excepted, tally->skipped,
	       tally->by_stage[SOAK_DECODE], tally->by_stage[SOAK_APPLY], tally->different, loaded - start,
	       (now_s() - loaded) * 1e3 / (double)(tally->compared + tally->skipped + 1));
	fflush(stdout);
	soak_close(&soak);
}

static void usage(void)
{
	fprintf(stderr, "usage: constraints [--seconds N] [--edits N] [--seed S] [--sets NAME,...] "
			"[--differences N]\n");
	exit(2);
}

static struct options parse(int argc, char **argv)
{
	static const struct option entries[] = {
		{"seconds", required_argument, NULL, 's'},     {"edits", required_argument, NULL, 'e'},
		{"seed", required_argument, NULL, 'r'},	       {"sets", required_argument, NULL, 'n'},
		{"differences", required_argument, NULL, 'd'}, {NULL, 0, NULL, 0}};
	const char *given = getenv("YARE_SEED");
	struct options options = {.edits = 0,
				  .seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL),
				  .differences = 1};
	for (int c; (c = getopt_long(argc, argv, "", entries, NULL)) != -1;) {
		if (c == 's')
			options.seconds = strtod(optarg, NULL);
		else if (c == 'e')
			options.edits = strtoul(optarg, NULL, 0);
		else if (c == 'r')
			options.seed = strtoull(optarg, NULL, 0);
		else if (c == 'n')
			options.sets = optarg;
		else if (c == 'd')
			options.differences = (unsigned)strtoul(optarg, NULL, 0);
		else
			usage();
	}
	if (options.edits == 0)
		options.edits = options.seconds > 0 ? (unsigned long)-1 : 1000;
	return options;
}

int main(int argc, char **argv)
{
	struct options options = parse(argc, argv);
	if (!soak_sets_are_known(options.sets))
		return 2;
	/* As in the server: values of date-and-time name an offset, which libyang makes the host's. */
	setenv("TZ", "UTC", 1);
	struct arena *arena = arena_new();
	unsigned wanted = 0;
	unsigned long compared = 0, different = 0;
	for (size_t i = 0; i < soak_set_count; i++)
		wanted += soak_set_is_named(options.sets, soak_sets[i].name);
	printf("YARE_SEED=%llu\n", (unsigned long long)options.seed);
	if (!soak_shared("yang", arena)) {
		printf("skipped: the shared inputs are absent\n");
		wanted = 0;
	}
	for (size_t i = 0; wanted > 0 && i < soak_set_count; i++) {
		struct tally tally = {0};
		if (!soak_set_is_named(options.sets, soak_sets[i].name))
			continue;
		run_set(&options, &soak_sets[i], options.seconds / wanted, &tally);
		compared += tally.compared;
		different += tally.different;
	}
	arena_free(arena);
	printf("%lu edits without a difference, %lu with one\n", compared, different);
	return different > 0;
}
