/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random edits over the shared sets: what edit_apply makes of them and what a naive model does. Episodes of
 * some edits begin with nothing or with a document of the set. The first difference is printed with the data
 * before, the edit and what each side says, and ends the program with 1.
 *
 *     soak_edits [--edits N] [--seed S] [--sets NAME,...]
 *
 * --edits: of all sets together, shared equally.
 */
#include "soak_edits.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	EPISODE_EDITS = 80,
	DOCUMENT_EACH = 6, /* an episode of so many begins with a document */
	ITEMS_MAX = 1500,  /* data that grew beyond this begins anew */
};

struct options {
	unsigned long edits;
	uint64_t seed;
	const char *sets; /* NULL: all */
};

struct tally {
	unsigned long edits, accepted;
};

static void begin(struct episode *episode, bool with_document)
{
	struct soak *soak = episode->soak;
	arena_reset(soak->round);
	arena_reset(episode->arena);
	arena_reset(episode->now_arena);
	episode->values = arena_zalloc(episode->arena, soak->schema->node_count * sizeof(*episode->values));
	episode->salt = soak_pick(soak, UINT32_MAX);
	const char *document = with_document ? soak_document(soak) : NULL;
	struct tree_record *root = document ? soak_load(soak, document) : NULL;
	soak_drop(soak, soak->root);
	soak->root = root ? root : tree_record_new();
	episode->now = episode_read(soak, soak->root, episode->now_arena);
}

static bool run_edit(struct episode *episode, struct tally *tally)
{
	static const enum model_operation operations[] = {MODEL_MERGE, MODEL_MERGE,  MODEL_MERGE,
							  MODEL_MERGE, MODEL_MERGE,  MODEL_NONE,
							  MODEL_NONE,  MODEL_REPLACE};
	struct soak *soak = episode->soak;
	arena_reset(soak->round);
	vector_clear(&soak->values);
	uint64_t state = soak->random;
	enum model_operation default_operation = operations[soak_pick(soak, 8)];
	struct model_element *edit = episode_edit(episode);
	bool accepted;
	const char *before = model_text(episode->now, soak->round);
	const char *what = episode_compare(episode, edit, default_operation, &accepted);
	tally->edits++;
	tally->accepted += accepted;
	if (what)
		printf("%s: a difference at state %llu\nbefore: %s\ndefault-operation %d\nedit: %s\n%s\n",
		       soak->set->name, (unsigned long long)state, before, (int)default_operation,
		       episode_xml(soak, edit), what);
	return !what;
}

static bool run_set(const struct soak_set *set, uint64_t seed, unsigned long edits, struct tally *tally)
{
	struct soak soak;
	soak_open(&soak, set, seed);
	struct episode episode = {.soak = &soak, .arena = arena_new(), .now_arena = arena_new()};
	bool same = true;
	for (unsigned long i = 0; same && i < edits; i++) {
		if (i % EPISODE_EDITS == 0 || model_size(episode.now) > ITEMS_MAX)
			begin(&episode, i / EPISODE_EDITS % DOCUMENT_EACH == 1);
		same = run_edit(&episode, tally);
	}
	printf("%-14s %7lu edits, %lu accepted\n", set->name, tally->edits, tally->accepted);
	fflush(stdout);
	arena_free(episode.arena);
	arena_free(episode.now_arena);
	soak_close(&soak);
	return same;
}

static struct options parse(int argc, char **argv)
{
	static const struct option entries[] = {{"edits", required_argument, NULL, 'e'},
						{"seed", required_argument, NULL, 'r'},
						{"sets", required_argument, NULL, 'n'},
						{NULL, 0, NULL, 0}};
	const char *given = getenv("YARE_SEED");
	struct options options = {.edits = 5000,
				  .seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL)};
	for (int c; (c = getopt_long(argc, argv, "", entries, NULL)) != -1;) {
		if (c == 'e')
			options.edits = strtoul(optarg, NULL, 0);
		else if (c == 'r')
			options.seed = strtoull(optarg, NULL, 0);
		else if (c == 'n')
			options.sets = optarg;
		else
			exit(2);
	}
	return options;
}

int main(int argc, char **argv)
{
	struct options options = parse(argc, argv);
	if (!soak_sets_are_known(options.sets))
		return 2;
	setenv("TZ", "UTC", 1); /* as in the server */
	struct arena *arena = arena_new();
	unsigned long wanted = 0, edits = 0;
	bool same = true, is_there = soak_shared("yang", arena) != NULL;
	arena_free(arena);
	printf("YARE_SEED=%llu\n%s", (unsigned long long)options.seed,
	       is_there ? "" : "skipped: the shared inputs are absent\n");
	for (size_t i = 0; i < soak_set_count; i++)
		wanted += soak_set_is_named(options.sets, soak_sets[i].name);
	for (size_t i = 0; is_there && same && i < soak_set_count; i++) {
		struct tally tally = {0};
		if (!soak_set_is_named(options.sets, soak_sets[i].name))
			continue;
		same = run_set(&soak_sets[i], options.seed, (options.edits + wanted - 1) / wanted, &tally);
		edits += tally.edits;
	}
	printf("%lu edits, %s\n", edits, same ? "no difference" : "a difference in the last");
	return same ? 0 : 1;
}
