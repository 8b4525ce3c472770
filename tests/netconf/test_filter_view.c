/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All views of one datastore, with and without an XPath filter: the document is the same however the encoder
 * is cut, and no view changes what the next one gives.
 */
#include "helper_server.h"

#include <string.h>

#include "base/memory.h"
#include "check/implicit.h"
#include "netconf/filter_xpath.h"

#define EDIT                                                                                                 \
	"<edit-config><target><running/></target><config><interfaces xmlns=\"urn:yare:example-defaults\">"   \
	"<interface><name>a</name><mtu>1500</mtu></interface><interface><name>b</name><kind>tunnel</kind>"   \
	"<timers><hold>3</hold></timers><flag>up</flag></interface></interfaces></config></edit-config>"

static const char *const selects[] = {
	NULL,
	"/",
	"/interfaces/interface/mtu",
	"/interfaces/interface/name",
	"/interfaces/interface[kind]/timers",
	"//hello | //interface[2]/flag | /system/domain",
};

struct run {
	struct harness *harness;
	const struct tree_record *root;
	struct codec_view view;
	struct netconf_filter *filter; /* NULL: none */
};

/* The document, made in steps of at most so many nodes; in `out`. */
static void encode(const struct run *run, size_t budget, struct buffer *out)
{
	bool done = run->filter != NULL && netconf__filter_is_empty(run->filter);
	struct xml_encoder *encoder = xml_encoder_new(
		run->harness->schema, run->root,
		run->filter != NULL ? netconf__filter_selector(run->filter) : NULL, run->harness->reclaimer);
	xml_encoder_set_view(encoder, &run->view);
	while (!done)
		assert_int_equal(xml_encoder_run(encoder, out, SIZE_MAX, budget, &done), ST_OK);
	xml_encoder_free(encoder);
}

static void compare_cuts(struct run *run, const char *select)
{
	struct arena *arena = arena_new();
	struct element none = {0};
	const char *message;
	struct netconf__filter_limits limits = {.steps = 10000, .nodes = 1000, .memory = 1 << 20};
	if (select != NULL) {
		assert_int_equal(netconf__filter_new_xpath(run->harness->schema, &none, bytes_of(select),
							   arena, &message, &run->filter),
				 ST_OK);
		assert_int_equal(netconf__filter_evaluate(run->filter, run->root, &run->view, &limits),
				 ST_OK);
	}
	struct buffer whole, cut;
	buffer_init(&whole, SIZE_MAX);
	buffer_init(&cut, SIZE_MAX);
	encode(run, SIZE_MAX, &whole);
	encode(run, 1, &cut);
	assert_true(bytes_equal(buffer_get(&whole), buffer_get(&cut)));
	buffer_fini(&whole);
	buffer_fini(&cut);
	netconf__filter_free(run->filter);
	run->filter = NULL;
	arena_free(arena);
}

static void test_views(void **state)
{
	(void)state;
	struct harness h;
	assert_true(harness_init(&h, &(struct harness_options){.standard = true}));
	struct peer *peer = harness_connect(&h);
	peer_hello(peer, true);
	peer_expect(peer, EDIT, "<ok/>");
	struct run run = {.harness = &h, .root = store_pin_root(h.store, STORE_RUNNING)};
	struct check_implicit *implicit = check_implicit_new(h.plan, run.root);
	/* Each digit of the number chooses one part of the view. */
	for (unsigned number = 0; number < 3u * 3 * 4 * 4 * 4; number++) {
		run.view = (struct codec_view){
			.defaults = (enum codec_defaults)(number % 3),
			.content = (enum codec_content)(number / 3 % 3),
			.hidden_origins = number / 9 % 4,
			.max_depth = number / 36 % 4,
			.tags_defaults = number / 144 % 2 != 0,
			.origins = number / 288 != 0,
			.implicit = check_implicit_get(implicit),
		};
		for (size_t i = 0; i < sizeof(selects) / sizeof(selects[0]); i++)
			compare_cuts(&run, selects[i]);
	}
	check_implicit_free(implicit);
	tree_record_unref(run.root, h.schema->root, h.reclaimer);
	harness_fini(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_views)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
