/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits without an option (docs/operations.md), at their edges: what is just allowed, and what one more is
 * answered. */
#include "helper_server.h"

#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"

#define EX "urn:yare:example?a&amp;b"
#define DENIED "<error-tag>resource-denied</error-tag>"

static struct peer *begin(struct harness *harness)
{
	assert_true(harness_init(harness, &(struct harness_options){.standard = true}));
	struct peer *peer = harness_connect(harness);
	peer_hello(peer, true);
	return peer;
}

static void put(struct buffer *out, const char *format, unsigned number)
{
	char text[256];
	snprintf(text, sizeof(text), format, number);
	assert_int_equal(buffer_append(out, bytes_of(text)), ST_OK);
}

/* An edit with elements of the numbers first to last; the reply must have the text. */
static void edit(struct peer *peer, const char *datastore, const char *format, const unsigned numbers[2],
		 const char *text)
{
	struct buffer request;
	buffer_init(&request, SIZE_MAX);
	assert_int_equal(buffer_printf(&request,
				       "<edit-config xmlns:txid=\"urn:ietf:params:xml:ns:netconf:txid:1.0\" "
				       "xmlns:m=\"urn:yare:example-more\" xmlns:e=\"" EX
				       "\"><target><%s/></target><config>",
				       datastore),
			 ST_OK);
	for (unsigned i = numbers[0]; i <= numbers[1]; i++)
		put(&request, format, i);
	put(&request, "</config></edit-config>", 0);
	assert_int_equal(buffer_append(&request, (struct bytes){"", 1}), ST_OK);
	peer_expect(peer, buffer_get(&request).data, text);
	buffer_fini(&request);
}

/* Conditions that the candidate keeps: 4096. The last one of a node counts, and is none more. */
static void conditions(void **state)
{
	static const char *const each = "<e:numbered txid:etag=\"?\"><e:id>%u</e:id></e:numbered>";
	(void)state;
	struct harness harness;
	struct peer *peer = begin(&harness);
	edit(peer, "candidate", each, (const unsigned[2]){1, 4096}, "<ok/>");
	edit(peer, "candidate", each, (const unsigned[2]){4096, 4096}, "<ok/>");
	edit(peer, "candidate", each, (const unsigned[2]){4097, 4097}, DENIED);
	peer_expect(peer, "<discard-changes/>", "<ok/>");
	edit(peer, "candidate", each, (const unsigned[2]){4097, 4097}, "<ok/>");
	edit(peer, "candidate", each, (const unsigned[2]){1, 4096}, DENIED);
	harness_fini(&harness);
}

/* Annotations of the children of one node: 16384. Another value for one of them is none more. */
static void annotations(void **state)
{
	(void)state;
	struct harness harness;
	struct peer *peer = begin(&harness);
	edit(peer, "running", "<e:word m:colour=\"red\">w%u</e:word>", (const unsigned[2]){1, 16384},
	     "<ok/>");
	edit(peer, "running", "<e:word m:colour=\"red\">w%u</e:word>", (const unsigned[2]){16385, 16385},
	     DENIED);
	edit(peer, "running", "<e:word m:remark=\"r\">w%u</e:word>", (const unsigned[2]){7, 7}, DENIED);
	edit(peer, "running", "<e:word m:colour=\"blue\">w%u</e:word>", (const unsigned[2]){7, 7}, "<ok/>");
	edit(peer, "running", "<e:word>w%u</e:word>", (const unsigned[2]){16385, 16385}, "<ok/>");
	harness_fini(&harness);
}

/* An expression of so many bytes. */
static void filter(struct peer *peer, size_t size, const char *text)
{
	static const char start[] =
		"<get-data xmlns=\"urn:ietf:params:xml:ns:yang:ietf-netconf-nmda\" "
		"xmlns:ds=\"urn:ietf:params:xml:ns:yang:ietf-datastores\"><datastore>ds:running"
		"</datastore><xpath-filter xmlns:e=\"" EX "\">";
	struct buffer request;
	buffer_init(&request, SIZE_MAX);
	assert_int_equal(buffer_append(&request, bytes_of(start)), ST_OK);
	assert_int_equal(buffer_printf(&request, "/e:word%*s", (int)(size - 7), "[1]"), ST_OK);
	assert_int_equal(buffer_append(&request, bytes_of("</xpath-filter></get-data>")), ST_OK);
	assert_int_equal(buffer_append(&request, (struct bytes){"", 1}), ST_OK);
	peer_expect(peer, buffer_get(&request).data, text);
	buffer_fini(&request);
}

/* An XPath expression: 1 MiB. */
static void expressions(void **state)
{
	(void)state;
	struct harness harness;
	struct peer *peer = begin(&harness);
	edit(peer, "running", "<e:word>w%u</e:word>", (const unsigned[2]){1, 2}, "<ok/>");
	filter(peer, 1 << 20, ">w1<");
	filter(peer, (1 << 20) + 1, "<error-tag>invalid-value</error-tag>");
	filter(peer, (1 << 20) + 1, "the expression is too long");
	harness_fini(&harness);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conditions),
		cmocka_unit_test(annotations),
		cmocka_unit_test(expressions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
