/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random trees over real models: the patch that compare writes, applied to the source, gives the target. The
 * two are an edit or some apart, or have nothing to do with each other; each is seen as it is stored, or with
 * its defaults in use, as operational is.
 *
 *     compare [--rounds N] [--sets NAME,...]        YARE_SEED: as printed
 */
#include <libxml/parser.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../soak/soak.h"
#include "base/memory.h"
#include "codec/xml_encoder.h"
#include "netconf/compare.h"
#include "patch.h"

enum { EDITS_MAX = 8, PIECE = 700, CONTEXT = 200 };

/* One side of a comparison. */
struct side {
	struct tree_record *root;
	bool with_defaults;
};

static struct check_implicit *set_view(struct soak *soak, const struct side *side, struct codec_view *view)
{
	*view = (struct codec_view){.defaults = side->with_defaults ? CODEC_REPORT_ALL : CODEC_EXPLICIT};
	if (!side->with_defaults)
		return NULL;
	struct check_implicit *implicit = check_implicit_new(soak->plan, side->root);
	view->implicit = check_implicit_get(implicit);
	return implicit;
}

static xmlDoc *parse(const char *xml)
{
	return xmlReadMemory(xml, (int)strlen(xml), NULL, NULL, XML_PARSE_HUGE);
}

/* What the side shows, as a document. */
static xmlDoc *document_of(struct soak *soak, const struct side *side)
{
	struct codec_view view;
	struct check_implicit *implicit = set_view(soak, side, &view);
	struct xml_encoder *encoder = xml_encoder_new(soak->schema, side->root, NULL, NULL);
	xml_encoder_set_view(encoder, &view);
	struct buffer out;
	buffer_init(&out, SIZE_MAX);
	(void)!buffer_append(&out, bytes_of("<config>"));
	bool done = false;
	while (!done && xml_encoder_run(encoder, &out, SIZE_MAX / 2, SIZE_MAX / 2, &done) == ST_OK)
		continue;
	(void)!buffer_append(&out, (struct bytes){"</config>", 10});
	xml_encoder_free(encoder);
	check_implicit_free(implicit);
	xmlDoc *document = parse(buffer_get(&out).data);
	buffer_fini(&out);
	return document;
}

/* The reply, made in small pieces; its text in soak->round. */
static const char *compare(struct soak *soak, const struct side sides[2])
{
	struct netconf_compare_input input = {
		.schema = soak->schema, .ns = NETCONF_COMPARE_NS, .patch_id = "test"};
	for (unsigned i = 0; i < 2; i++) {
		input.roots[i] = tree_record_ref(sides[i].root);
		input.implicit[i] = set_view(soak, &sides[i], &input.views[i]);
	}
	struct netconf_stream *stream = netconf__compare_new(&input);
	struct buffer all;
	buffer_init(&all, SIZE_MAX);
	bool done = false;
	while (!done) {
		struct buffer piece;
		buffer_init(&piece, SIZE_MAX);
		done = stream->write(stream, &piece, PIECE, 50);
		(void)!buffer_append(&all, buffer_get(&piece));
		buffer_fini(&piece);
	}
	stream->free(stream);
	const char *text = arena_strdup(soak->round, buffer_get(&all));
	buffer_fini(&all);
	return text;
}

/* NULL, or what is wrong. */
static const char *check(struct soak *soak, const struct side sides[2])
{
	const char *reply_text = compare(soak, sides);
	xmlDoc *source = document_of(soak, &sides[0]), *target = document_of(soak, &sides[1]);
	xmlDoc *reply = parse(reply_text);
	const char *wrong = reply ? patch_apply(soak->schema, source, reply, soak->round)
				  : "the reply is not well-formed";
	const char *is = patch_normal_form(soak->schema, source, soak->round);
	const char *should = patch_normal_form(soak->schema, target, soak->round);
	if (!wrong && strcmp(is, should) != 0) {
		size_t same = 0;
		while (is[same] == should[same])
			same++;
		same -= same < CONTEXT ? same : CONTEXT;
		wrong = arena_printf(soak->round,
				     "the patched source is not the target:\n%.*s\n--- and not\n%.*s",
				     3 * CONTEXT, is + same, 3 * CONTEXT, should + same);
	}
	if (wrong)
		printf("--- source\n%s\n--- target\n%s\n--- reply\n%s\n", soak_xml(soak, sides[0].root),
		       soak_xml(soak, sides[1].root), reply_text);
	xmlFreeDoc(source);
	xmlFreeDoc(target);
	xmlFreeDoc(reply);
	return wrong;
}

/* ---- roots ---- */

static struct tree_record *begin(struct soak *soak)
{
	const char *xml = soak_document(soak);
	struct tree_record *root = xml ? soak_load(soak, xml) : NULL;
	if (root)
		return root;
	root = tree_record_new();
	soak_drop(soak, soak->root);
	soak->root = tree_record_ref(root);
	soak_gather(soak);
	struct tree_record *filled = soak_load(soak, soak_edit_xml(soak, soak_content(soak), soak->round));
	if (!filled)
		return root;
	soak_drop(soak, root);
	return filled;
}

/* The root after some edits, valid or not. */
static struct tree_record *edited(struct soak *soak, const struct tree_record *from)
{
	struct tree_record *root = tree_record_ref(from);
	for (unsigned left = 1 + soak_pick(soak, EDITS_MAX); left > 0; left--) {
		soak_drop(soak, soak->root);
		soak->root = tree_record_ref(root);
		soak_gather(soak);
		struct soak_result result;
		soak_run(soak, root, false, soak_edit_xml(soak, soak_edit(soak), soak->round), &result);
		struct tree_record *next = result.settled ? result.settled : result.applied;
		if (next) {
			soak_drop(soak, root);
			root = tree_record_ref(next);
		}
		soak_result_fini(soak, &result);
	}
	return root;
}

static bool run_round(struct soak *soak, unsigned long round, struct tree_record **base)
{
	arena_reset(soak->round);
	if (!*base || soak_chance(soak, 5)) {
		soak_drop(soak, *base);
		*base = begin(soak);
	}
	struct tree_record *other = soak_chance(soak, 10) ? begin(soak) : edited(soak, *base);
	unsigned views = soak_pick(soak, 4);
	struct side sides[2] = {{*base, views == 1 || views == 3}, {other, views >= 2}};
	const char *wrong = check(soak, sides);
	if (wrong)
		printf("%s, round %lu, views %u: %s\n", soak->set->name, round, views, wrong);
	soak_drop(soak, *base);
	*base = other;
	return wrong == NULL;
}

static bool run_set(const struct soak_set *set, uint64_t seed, unsigned long rounds)
{
	struct soak soak;
	struct tree_record *base = NULL;
	bool good = true;
	soak_open(&soak, set, seed);
	for (unsigned long i = 0; good && i < rounds; i++)
		good = run_round(&soak, i, &base);
	printf("%-14s %s\n", set->name, good ? "good" : "WRONG");
	soak_drop(&soak, base);
	soak_close(&soak);
	return good;
}

static bool is_wanted(const char *sets, const char *name)
{
	size_t size = strlen(name);
	for (const char *at = sets ? sets : ""; *at; at += strcspn(at, ","), at += *at == ',')
		if (strcspn(at, ",") == size && strncmp(at, name, size) == 0)
			return true;
	return !sets;
}

int main(int argc, char **argv)
{
	unsigned long rounds = 100;
	const char *sets = NULL, *given = getenv("YARE_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
	for (int i = 1; i + 1 < argc; i += 2) {
		if (strcmp(argv[i], "--rounds") == 0)
			rounds = strtoul(argv[i + 1], NULL, 0);
		else if (strcmp(argv[i], "--sets") == 0)
			sets = argv[i + 1];
	}
	setenv("TZ", "UTC", 1);
	printf("YARE_SEED=%llu\n", (unsigned long long)seed);
	struct arena *arena = arena_new();
	bool absent = soak_shared("yang", arena) == NULL, good = true;
	arena_free(arena);
	if (absent)
		printf("skipped: the shared inputs are absent\n");
	for (size_t i = 0; !absent && i < soak_set_count; i++)
		if (is_wanted(sets, soak_sets[i].name))
			good &= run_set(&soak_sets[i], seed, rounds);
	xmlCleanupParser();
	return !good;
}
