/* SPDX-License-Identifier: BSD-3-Clause */
/* A subtree filter that names thousands of entries by their keys, and the limits of filters. */
#include "helper_server.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

#define ENTRIES 24000
#define EVERY 2 /* of which are asked for */
#define NS "urn:yare:example:operations"

static void append(struct buffer *text, const char *format, unsigned number)
{
	assert_int_equal(buffer_printf(text, format, number), ST_OK);
}

static void end(struct buffer *text, const char *last)
{
	append(text, last, 0);
	assert_int_equal(buffer_append(text, (struct bytes){"", 1}), ST_OK);
}

static void fill(struct peer *peer)
{
	struct buffer edit;
	buffer_init(&edit, SIZE_MAX);
	append(&edit, "<edit-config><target><candidate/></target><config>", 0);
	for (unsigned i = 0; i < ENTRIES; i++)
		append(&edit, "<server xmlns=\"" NS "\"><name>dev-%05u</name><weight>1</weight></server>", i);
	end(&edit, "</config></edit-config>");
	peer_expect(peer, buffer_get(&edit).data, "<ok/>");
	buffer_fini(&edit);
}

/* Every second entry, and as many that are not there. */
static char *many_keys(void)
{
	struct buffer filter;
	buffer_init(&filter, SIZE_MAX);
	append(&filter, "<get-config><source><candidate/></source><filter>", 0);
	for (unsigned i = 0; i < ENTRIES; i += EVERY)
		append(&filter, "<server xmlns=\"" NS "\"><name>dev-%05u</name></server>", i);
	end(&filter, "</filter></get-config>");
	char *text = memory_strdup(buffer_get(&filter).data);
	buffer_fini(&filter);
	return text;
}

static size_t count_of(const char *text, const char *word)
{
	size_t count = 0;
	for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word))
		count++;
	return count;
}

static void entries_by_their_keys(void **state)
{
	(void)state;
	struct harness h;
	assert_true(harness_init(&h, &(struct harness_options){.standard = true}));
	struct peer *peer = harness_connect(&h);
	peer_hello(peer, true);
	fill(peer);
	char *filter = many_keys();
	char *reply = peer_call(peer, filter);
	assert_int_equal(count_of(reply, "<server "), ENTRIES / EVERY);
	assert_non_null(strstr(reply, "<name>dev-00000</name>"));
	assert_null(strstr(reply, "<name>dev-00001</name>"));
	assert_non_null(strstr(reply, "<name>dev-23998</name>"));
	memory_free(reply);
	memory_free(filter);
	harness_fini(&h);
}

static void refused_with(const struct netconf_limits *limits)
{
	struct harness h;
	assert_true(harness_init(&h, &(struct harness_options){.standard = true, .limits = limits}));
	struct peer *peer = harness_connect(&h);
	peer_hello(peer, true);
	char *filter = many_keys();
	peer_expect(peer, filter, "<error-tag>too-big</error-tag>");
	memory_free(filter);
	peer_expect(peer, "<get/>", "<data>");
	harness_fini(&h);
}

static void limits_refuse(void **state)
{
	(void)state;
	struct netconf_limits limits;
	netconf_limits_default(&limits);
	limits.filter_elements = 1000;
	refused_with(&limits);
	netconf_limits_default(&limits);
	limits.parameters = (size_t)1 << 20;
	refused_with(&limits);
}

static void alternatives_are_limited(void **state)
{
	(void)state;
	static const char filter[] =
		"<get-config><source><running/></source><filter>"
		"<server xmlns=\"" NS "\"><weight>1</weight></server>"
		"<server xmlns=\"" NS "\"><weight>2</weight></server>"
		"<server xmlns=\"" NS "\"><weight>3</weight></server></filter></get-config>";
	for (unsigned most = 2; most <= 3; most++) {
		struct netconf_limits limits;
		struct harness h;
		netconf_limits_default(&limits);
		limits.filter_alternatives = most;
		assert_true(harness_init(&h, &(struct harness_options){.standard = true, .limits = &limits}));
		struct peer *peer = harness_connect(&h);
		peer_hello(peer, true);
		peer_expect(peer, filter, most == 2 ? "<error-tag>too-big</error-tag>" : "<data>");
		harness_fini(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_by_their_keys),
		cmocka_unit_test(limits_refuse),
		cmocka_unit_test(alternatives_are_limited),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
