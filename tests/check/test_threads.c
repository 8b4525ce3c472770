/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A check on several threads gives what one thread gives: verdict, violations in their order, indexes, and
 * how often each constraint was evaluated; also where it comes to a work limit, and when it is interrupted.
 * (Small lists in parts are tried by every other test of this folder, helper_model.c.) Random; YARE_SEED
 * repeats a run.
 */
#include "helper_model.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check/counters.h"
#include "helper_random.h"

enum { USERS = 600, ROUNDS = 6, THREADS = 4 };

static const char *const yang =
	"module m { yang-version 1.1; namespace urn:m; prefix m;\n"
	" leaf limit { type uint32; default 100; }\n"
	" leaf most { type uint32; must '. >= count(/user)'; }\n"
	" list user { key name; unique uid; leaf name { type string; }\n"
	"  leaf uid { type uint32; mandatory true; }\n"
	"  leaf manager { type leafref { path /user/name; } }\n"
	"  leaf quota { type uint32; must '. <= /limit' { error-message 'Too much.'; } }\n"
	"  leaf shell { when '../quota > 0'; type string; default sh; }\n"
	"  must 'not(shell) or quota > 0';\n"
	"  leaf-list tag { type string; max-elements 2; }\n"
	"  list mail { key box; min-elements 1; leaf box { type string; }\n"
	"   leaf owner { type leafref { path /user/name; } must '. = ../../name'; } } }\n"
	"}\n";

struct fixture {
	struct model model;
	struct tree_record *base, *changed, *empty;
};

static struct fixture fixture;
static struct random chance;

/* One check, and what came of it. */
struct answer {
	char *text;
	struct check_index *index;
	struct check_counters counters;
	struct check_tally *tally;
};

static char *text_of(const struct diag_list *diags)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	for (const struct diag *diag = diags->first; diag; diag = diag->next)
		fprintf(out, "%s %s %s %s\n", diag_tag_name(diag->tag), diag->app_tag ? diag->app_tag : "-",
			diag->path ? diag->path : "-", diag->message);
	fprintf(out, "%s", diags->dropped > 0 ? "more" : "");
	fclose(out);
	return text;
}

static struct answer check(const struct check_options *given, const struct tree_record *old,
			   const struct tree_record *root, unsigned threads)
{
	struct model *model = &fixture.model;
	struct arena *arena = arena_new();
	struct diag_list diags;
	diag_list_init(&diags, arena, model->limit);
	struct tree_change_set changes;
	tree_diff(model->schema, old, root, arena, &changes);
	struct answer answer = {.tally = check_tally_new(model->plan)};
	struct check_options options = *given;
	options.index = check_index_new(model->plan, old);
	options.new_index = &answer.index;
	options.counters = &answer.counters;
	options.tally = answer.tally;
	options.threads = (struct check_threads){.count = threads, .least = 100};
	enum status status = check_changes(model->plan, &changes, &options, &diags);
	answer.text = text_of(&diags);
	assert_int_equal(status, *answer.text == '\0' ? ST_OK : ST_REJECTED);
	check_index_unref(options.index, NULL);
	arena_free(arena);
	return answer;
}

static void drop(struct answer *answer)
{
	check_index_unref(answer->index, NULL);
	check_tally_free(answer->tally);
	free(answer->text);
}

/* A `when` is remembered by each thread for itself, so it may be evaluated more often. */
static void expect_same_counts(const struct answer *a, const struct answer *b)
{
	struct check_counters x = a->counters, y = b->counters;
	assert_true(y.whens >= x.whens);
	x.whens = y.whens = 0;
	x.steps = y.steps = 0;
	assert_memory_equal(&x, &y, sizeof(x));
	uint64_t all[2] = {0};
	for (uint32_t i = 0; i < check_tally_length(a->tally); i++) {
		all[0] += check_tally_get(a->tally, i).evaluated;
		all[1] += check_tally_get(b->tally, i).evaluated;
	}
	assert_int_equal(all[0] - a->counters.whens, all[1] - b->counters.whens);
}

/* Gives the answer, to be freed. */
static char *expect_same(const struct check_options *options, const struct tree_record *old,
			 const struct tree_record *root)
{
	struct answer alone = check(options, old, root, 1);
	for (unsigned threads = 2; threads <= THREADS; threads += 2) {
		struct answer together = check(options, old, root, threads);
		assert_string_equal(alone.text, together.text);
		assert_true(check_index_equal(alone.index, together.index));
		if (options->steps == fixture.model.options.steps) /* else both attempts were counted */
			expect_same_counts(&alone, &together);
		drop(&together);
	}
	char *text = strdup(alone.text);
	drop(&alone);
	return text;
}

/* ---- Trees. ---- */

static void print_user(FILE *out, unsigned i, unsigned at)
{
	fprintf(out, "user[u%u]/uid=%u\nuser[u%u]/quota=%u\nuser[u%u]/mail[a%u]/owner=u%u\n", i, i, i,
		i % 100, i, i, i);
	if (i % 3 == 0)
		fprintf(out, "user[u%u]/manager=u%u\n", i, at);
	if (i % 7 == 0)
		fprintf(out, "user[u%u]/tag+x%u\n", i, i % 5);
}

static struct tree_record *make_base(void)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	for (unsigned i = 0; i < USERS; i++)
		print_user(out, i, random_pick(&chance, USERS));
	fprintf(out, "most=%u\n", USERS + 10);
	fclose(out);
	struct tree_record *root = model_edit(&fixture.model, NULL, text);
	free(text);
	return root;
}

/* A change of many users; `faults` of them in some way that may be wrong. */
static void print_change(FILE *out, bool faulty)
{
	unsigned i = random_pick(&chance, USERS), other = random_pick(&chance, USERS);
	if (!faulty) {
		fprintf(out, "user[u%u]/quota=%u\nuser[u%u]/manager=u%u\n", i, other % 100, i, other);
		return;
	}
	switch (random_pick(&chance, 9)) {
	case 0:
		fprintf(out, "user[u%u]/quota=%u\n", i, 90 + other % 20);
		break;
	case 1:
		fprintf(out, "user[u%u]/uid=%u\n", i, other);
		break;
	case 2:
		fprintf(out, "user[u%u]/manager=nobody%u\n", i, i);
		break;
	case 3:
		fprintf(out, "-user[u%u]\n", i);
		break;
	case 4:
		fprintf(out, "user[u%u]/mail[b]/owner=u%u\n", i, other);
		break;
	case 5:
		fprintf(out, "user[new%u]/manager=u%u\n", i, other);
		break;
	case 6:
		fprintf(out, "user[u%u]/tag+y%u\nuser[u%u]/tag+z\nuser[u%u]/tag+t\n", i, i % 3, i, i);
		break;
	case 7:
		fprintf(out, "limit=%u\n", other % 120);
		break;
	default:
		fprintf(out, "most=%u\n", USERS - 5 + other % 10);
		break;
	}
}

static struct tree_record *make_changed(unsigned changes, unsigned faults)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	for (unsigned i = 0; i < changes; i++)
		print_change(out, i >= changes - faults);
	fclose(out);
	struct tree_record *root = model_edit(&fixture.model, fixture.base, text);
	free(text);
	return root;
}

static void set_up(void)
{
	model_init(&fixture.model, "m", yang);
	fixture.base = make_base();
	fixture.empty = tree_record_new();
}

static void tear_down(void)
{
	model_drop(&fixture.model, fixture.base);
	model_drop(&fixture.model, fixture.empty);
	model_fini(&fixture.model);
}

/* ---- Tests. ---- */

static void threads_agree(void **state)
{
	(void)state;
	set_up();
	struct model *model = &fixture.model;
	char *text = expect_same(&model->options, fixture.empty, fixture.base);
	assert_string_equal(text, "");
	free(text);
	size_t refused = 0;
	for (unsigned round = 0; round < ROUNDS; round++) {
		static const size_t limits[] = {1, 5, 10000};
		model->limit = limits[round % 3];
		struct tree_record *root = make_changed(USERS / 2, round == 0 ? 0 : 1u << round);
		text = expect_same(&model->options, fixture.base, root);
		refused += *text != '\0';
		free(text);
		free(expect_same(&model->options, fixture.empty, root));
		free(expect_same(&model->options, root, fixture.base));
		free(expect_same(&model->options, root, fixture.empty));
		model_drop(model, root);
	}
	assert_true(refused > 0 && refused < ROUNDS);
	tear_down();
}

/* Whatever the limit is, the same constraint of the same user is refused, or none. */
static void a_work_limit_names_the_same(void **state)
{
	(void)state;
	set_up();
	struct check_options options = fixture.model.options;
	struct tree_record *root = make_changed(USERS, 3);
	const struct tree_record *olds[] = {fixture.empty, fixture.base};
	for (size_t i = 0; i < 2; i++) {
		struct answer all = check(&fixture.model.options, olds[i], root, 1);
		size_t limited = 0;
		for (unsigned tenth = 0; tenth <= 10; tenth += 2) {
			options.steps = all.counters.steps * tenth / 10 + tenth % 3;
			char *text = expect_same(&options, olds[i], root);
			limited += strstr(text, "more work than") != NULL;
			free(text);
		}
		assert_true(limited > 0 && limited < 6);
		drop(&all);
	}
	model_drop(&fixture.model, root);
	tear_down();
}

/* Due from the n-th time on that anybody asks. */
struct ending {
	struct xpath_interrupt interrupt;
	_Atomic uint64_t left;
};

static bool is_due(struct xpath_interrupt *self)
{
	struct ending *ending = (struct ending *)self;
	uint64_t left = atomic_load(&ending->left);
	while (left > 0 && !atomic_compare_exchange_weak(&ending->left, &left, left - 1))
		;
	return left == 0;
}

static void an_interrupt_ends_all(void **state)
{
	(void)state;
	set_up();
	struct tree_record *root = make_changed(USERS, 0);
	size_t ended = 0;
	for (uint64_t asked = 0; asked < 6; asked++) {
		struct ending ending = {.interrupt = {is_due}};
		atomic_init(&ending.left, asked);
		struct check_options options = fixture.model.options;
		options.interrupt = &ending.interrupt;
		struct answer answer = check(&options, fixture.empty, root, THREADS);
		assert_true(*answer.text == '\0' || strstr(answer.text, "was ended with the session"));
		assert_true(*answer.text == '\0' || strncmp(answer.text, "resource-denied", 15) == 0);
		ended += *answer.text != '\0';
		drop(&answer);
	}
	assert_true(ended > 0);
	model_drop(&fixture.model, root);
	tear_down();
}

int main(void)
{
	const char *given = getenv("YARE_SEED");
	chance.seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
	print_message("YARE_SEED=%llu\n", (unsigned long long)chance.seed);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_agree),
		cmocka_unit_test(a_work_limit_names_the_same),
		cmocka_unit_test(an_interrupt_ends_all),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
