/* SPDX-License-Identifier: BSD-3-Clause */
/* State data and the hello: what scenarios cannot compare or count. */
#include "helper_server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "netconf/sessions.h"
#include "netconf/state.h"
#include "schema/load.h"

#define MONITORING "xmlns=\"urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring\""
#define LIBRARY "xmlns=\"urn:ietf:params:xml:ns:yang:ietf-yang-library\""
#define SESSIONS 150 /* more than a worker lists itself */

static int count_of(const char *text, const char *word)
{
	int count = 0;
	for (; (text = strstr(text, word)) != NULL; text += strlen(word))
		count++;
	return count;
}

static bool contains(const char *text, const char *word)
{
	return strstr(text, word) != NULL;
}

/* What stands between the two, on the heap. */
static char *between(const char *text, const char *before, const char *after)
{
	const char *start = strstr(text, before);
	assert_non_null(start);
	start += strlen(before);
	const char *end = strstr(start, after);
	assert_non_null(end);
	char *found = memory_strdup(start);
	found[end - start] = '\0';
	return found;
}

static void test_hello_and_library(void **state)
{
	(void)state;
	struct harness h;
	assert_true(harness_init(&h, &(struct harness_options){.standard = true}));
	struct peer *peer = harness_connect(&h);
	char *hello = peer_receive(peer);
	assert_true(contains(hello,
			     "<capability>urn:ietf:params:xml:ns:netconf:base:1.0?module=ietf-netconf&amp;"
			     "revision=2011-06-01&amp;features=writable-running,candidate,"
			     "confirmed-commit,rollback-on-error,validate,xpath</capability>"));
	assert_true(contains(hello, "?module=ietf-netconf-monitoring&amp;revision=2010-10-04</capability>"));
	/* Modules of YANG 1.1 and those that are only imported are left to the library (RFC 7950 5.6.4). */
	assert_false(contains(hello, "module=ietf-yang-library"));
	assert_false(contains(hello, "module=example-library"));
	assert_false(contains(hello, "module=example-types"));
	assert_false(contains(hello, "module=ietf-inet-types"));
	char *id = between(hello, "yang-library:1.1?revision=2019-01-04&amp;content-id=", "</capability>");
	char *set_id =
		between(hello, "yang-library:1.0?revision=2019-01-04&amp;module-set-id=", "</capability>");
	char last[128];
	snprintf(last, sizeof(last), "content-id=%s</capability></capabilities>", id);
	assert_true(contains(hello, last));
	assert_string_equal(id, set_id);

	peer_send(peer, HELLO_1_0);
	char *data =
		peer_call(peer, "<get><filter><yang-library " LIBRARY "><content-id/></yang-library>"
				"<modules-state " LIBRARY "><module-set-id/></modules-state></filter></get>");
	char *data_id = between(data, "<content-id>", "</content-id>");
	char *data_set_id = between(data, "<module-set-id>", "</module-set-id>");
	assert_string_equal(id, data_id);
	assert_string_equal(id, data_set_id);
	/* RFC 6022 2.1.1: the state has the same list. */
	char *reply = peer_call(peer, "<get><filter><netconf-state " MONITORING
				      "><capabilities/></netconf-state></filter></get>");
	char *announced = between(hello, "<capabilities>", "</capabilities>");
	char *listed = between(reply, "<capabilities>", "</capabilities>");
	assert_string_equal(announced, listed);
	memory_free(reply);
	memory_free(announced);
	memory_free(listed);
	memory_free(hello);
	memory_free(id);
	memory_free(set_id);
	memory_free(data);
	memory_free(data_id);
	memory_free(data_set_id);
	harness_fini(&h);
}

static void test_hello_all_modules(void **state)
{
	(void)state;
	struct harness h;
	struct netconf_limits limits;
	netconf_limits_default(&limits);
	limits.hello_all_modules = true;
	assert_true(harness_init(&h, &(struct harness_options){.standard = true, .limits = &limits}));
	char *hello = peer_receive(harness_connect(&h));
	assert_true(contains(hello,
			     "<capability>urn:yare:example-library?module=example-library&amp;"
			     "revision=2024-02-02&amp;features=lending&amp;deviations=example-deviation"
			     "</capability>"));
	assert_true(contains(hello, "module=ietf-yang-library&amp;revision=2019-01-04</capability>"));
	assert_false(contains(hello, "module=example-types"));
	memory_free(hello);
	harness_fini(&h);
}

static const char *content_id(struct arena *arena, const struct schema_module_request *modules, size_t count)
{
	const char *dir = harness_scenario_dir();
	struct schema_source source = {
		.search_dirs = &dir, .search_dir_count = 1, .modules = modules, .module_count = count};
	struct diag_list diags;
	diag_list_init(&diags, arena, 10);
	struct schema *schema;
	assert_int_equal(schema_load(&source, &diags, &schema), ST_OK);
	const char *id = netconf__library_content_id(schema, arena);
	schema_unref(schema);
	return id;
}

static void test_content_id(void **state)
{
	(void)state;
	struct arena *arena = arena_new();
	static const char *const lending = "lending";
	struct schema_module_request some[] = {{.name = "example"}, {.name = "example-library"}};
	struct schema_module_request turned[] = {some[1], some[0]};
	struct schema_module_request lends[] = {some[0], some[1]};
	struct schema_module_request deviated[] = {some[0], some[1], {.name = "example-deviation"}};
	lends[1].features = &lending;
	lends[1].feature_count = 1;
	const char *id = content_id(arena, some, 2);
	assert_string_equal(id, content_id(arena, some, 2));
	assert_string_equal(id, content_id(arena, turned, 2));
	assert_string_not_equal(id, content_id(arena, some, 1));
	assert_string_not_equal(id, content_id(arena, lends, 2));
	assert_string_not_equal(id, content_id(arena, deviated, 3));
	arena_free(arena);
}

/* A filter that can select no state leaves running's root as it is; others share all that does not change. */
static void test_graft(void **state)
{
	(void)state;
	struct harness h;
	assert_true(harness_init(&h, &(struct harness_options){.standard = true}));
	const struct netconf_state *own = h.server->state;
	struct arena *arena = arena_new();
	const struct tree_record *running = store_pin_root(h.store, STORE_RUNNING);
	const struct tree_record *root = netconf__state_graft(h.server, running, NULL, arena);
	const struct schema_node *tops[] = {own->library, own->modules, own->monitoring};
	for (size_t i = 0; i < 3; i++) {
		const union tree_slot *built = tree_record_find(own->root, tops[i]);
		const union tree_slot *given = tree_record_find(root, tops[i]);
		assert_non_null(built);
		assert_non_null(given);
		assert_true((built->word == given->word) == (tops[i] != own->monitoring));
		assert_null(tree_record_find(running, tops[i]));
	}
	assert_true(netconf__state_is_wanted(own, NULL));
	tree_record_unref(root, h.schema->root, h.reclaimer);
	tree_record_unref(running, h.schema->root, h.reclaimer);
	arena_free(arena);
	harness_fini(&h);
}

static void test_many_sessions(void **state)
{
	(void)state;
	struct harness h;
	assert_true(harness_init(&h, &(struct harness_options){.standard = true}));
	struct peer *peer = NULL;
	for (int i = 0; i < SESSIONS; i++) {
		peer = harness_connect(&h);
		peer_hello(peer, true);
	}
	char *data = peer_call(peer, "<get><filter><netconf-state " MONITORING
				     "><sessions/></netconf-state></filter></get>");
	assert_int_equal(count_of(data, "<session>"), SESSIONS);
	memory_free(data);
	peer_expect(peer, "<get><filter/></get>", "<data></data>");
	harness_fini(&h);
}

/* A user name comes from the client: it must not make a reply that nobody can read. */
static void test_hostile_user(void **state)
{
	(void)state;
	struct harness h;
	assert_true(harness_init(&h, &(struct harness_options){.standard = true}));
	struct peer *peer = harness_connect(&h);
	peer_hello(peer, true);
	struct netconf_peer odd = {.user = "a\x01<\xff\xc3\xa4&\xed\xa0\x80",
				   .address = "[2001:db8::1]:99",
				   .transport = "ssh",
				   .wake = NULL};
	struct netconf_session *session = netconf_session_new(h.server, &odd);
	static const char hello[] = HELLO_1_0 "]]>]]>";
	netconf_session_input(session, hello, sizeof(hello) - 1);
	char *data = peer_call(peer, "<get><filter><netconf-state " MONITORING
				     "><sessions/></netconf-state></filter></get>");
	assert_true(contains(
		data,
		"<username>a?&lt;\?\xc3\xa4&amp;\?\?\?</username><source-host>2001:db8::1</source-host>"));
	assert_true(contains(data, ">ietf-netconf-monitoring:netconf-ssh</transport>"));
	memory_free(data);
	netconf_session_free(session);
	harness_fini(&h);
}

/* A text much larger than a piece comes whole, whatever is taken at a time. */
static void test_large_schema(void **state)
{
	(void)state;
	struct harness h;
	assert_true(harness_init(&h, &(struct harness_options){.standard = true}));
	struct buffer text, expected;
	buffer_init(&text, SIZE_MAX);
	buffer_init(&expected, SIZE_MAX);
	assert_int_equal(buffer_append(&expected, bytes_of(">")), ST_OK);
	for (int i = 0; i < 100000; i++) {
		assert_int_equal(buffer_append(&text, bytes_of("<a&\xe2\x82\xac>\n")), ST_OK);
		assert_int_equal(buffer_append(&expected, bytes_of("&lt;a&amp;\xe2\x82\xac&gt;\n")), ST_OK);
	}
	assert_int_equal(buffer_append(&expected, (struct bytes){"</data></rpc-reply>", 20}), ST_OK);
	*(struct netconf_file *)vector_push(&h.server->state->files) =
		(struct netconf_file){"large", "", "urn:large", buffer_get(&text)};
	struct peer *peer = harness_connect(&h);
	peer_hello(peer, true);
	peer->output_slice = 1000;
	char *data =
		peer_call(peer, "<get-schema " MONITORING "><identifier>large</identifier></get-schema>");
	assert_true(contains(data, buffer_get(&expected).data));
	memory_free(data);
	buffer_fini(&text);
	buffer_fini(&expected);
	harness_fini(&h);
}

/* What XML does not have is replaced, all else is the text as it is. */
static void test_readable(void **state)
{
	(void)state;
	static const struct {
		const char *from, *to;
	} cases[] = {
		{"", ""},
		{"plain \t\r\n text", "plain \t\r\n text"},
		{"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"},
		{"\x01\x1f\x0b", "\?\?\?"},
		{"\xc0\x80\xe0\x80\x80\xf0\x80\x80\x80", "\?\?\?\?\?\?\?\?\?"},
		{"\xed\xa0\x80|\xef\xbf\xbe|\xf4\x90\x80\x80", "\?\?\?|\?\?\?|\?\?\?\?"},
		{"a\xc3", "a?"},
		{"\xe2\x82", "\?\?"},
		{"\xe2\x82z", "\?\?z"},
	};
	struct arena *arena = arena_new();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes from = bytes_of(cases[i].from);
		struct bytes to = netconf__files_readable(from, arena);
		assert_true(bytes_equal(to, bytes_of(cases[i].to)));
		if (strcmp(cases[i].from, cases[i].to) == 0)
			assert_ptr_equal(to.data, from.data);
	}
	arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hello_and_library), cmocka_unit_test(test_hello_all_modules),
		cmocka_unit_test(test_content_id),	  cmocka_unit_test(test_graft),
		cmocka_unit_test(test_many_sessions),	  cmocka_unit_test(test_hostile_user),
		cmocka_unit_test(test_large_schema),	  cmocka_unit_test(test_readable),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
