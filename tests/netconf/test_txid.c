/* SPDX-License-Identifier: BSD-3-Clause */
/* Transaction ids (draft-ietf-netconf-transaction-id-11) by a client that keeps the etags that it reads. */
#include "helper_server.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

#define TXID " xmlns:txid=\"urn:ietf:params:xml:ns:netconf:txid:1.0\""
#define MODULE "urn:ietf:params:xml:ns:yang:ietf-netconf-txid"
#define EX "urn:yare:example?a&amp;b"
#define ETAG_SIZE 64

struct fixture {
	struct harness harness;
	struct peer *peer;
};

static void begin(struct fixture *fixture)
{
	assert_true(harness_init(&fixture->harness, &(struct harness_options){.standard = true}));
	fixture->peer = harness_connect(&fixture->harness);
	peer_hello(fixture->peer, true);
}

/* The value of the first etag behind `at` in the text. */
static void take_etag(const char *text, const char *at, char etag[ETAG_SIZE])
{
	const char *found = strstr(text, at);
	assert_non_null(found);
	found = strstr(found, "txid:etag=\"");
	assert_non_null(found);
	found += strlen("txid:etag=\"");
	size_t size = strcspn(found, "\"");
	assert_true(size < ETAG_SIZE);
	memcpy(etag, found, size);
	etag[size] = '\0';
}

/* Etags of the datastore, of top and of plain. */
struct etags {
	char data[ETAG_SIZE], top[ETAG_SIZE], plain[ETAG_SIZE];
};

static void read_etags(struct peer *peer, const char *datastore, struct etags *etags)
{
	char request[256];
	snprintf(request, sizeof(request),
		 "<get-config" TXID " txid:etag=\"?\"><source><%s/></source></get-config>", datastore);
	char *reply = peer_call(peer, request);
	take_etag(reply, "<data", etags->data);
	take_etag(reply, "<top", etags->top);
	take_etag(reply, "<plain", etags->plain);
	memory_free(reply);
}

static void expect(struct peer *peer, const char *text, const char *format, ...)
{
	char request[2048];
	va_list args;
	va_start(args, format);
	vsnprintf(request, sizeof(request), format, args);
	va_end(args);
	peer_expect(peer, request, text);
}

static void edit(struct peer *peer, const char *datastore, const char *config)
{
	expect(peer, "<ok/>", "<edit-config><target><%s/></target><config>%s</config></edit-config>",
	       datastore, config);
}

static void fill(struct peer *peer)
{
	edit(peer, "running",
	     "<top xmlns=\"" EX "\"><note>n</note></top><plain xmlns=\"" EX "\"><value>v</value></plain>");
}

/* An id moves with its node and the datastore, and with nothing else. */
static void moves_with_what_changes(void **state)
{
	(void)state;
	struct fixture f;
	struct etags first, second, third;
	begin(&f);
	fill(f.peer);
	read_etags(f.peer, "running", &first);
	assert_string_equal(first.data, first.top);
	edit(f.peer, "running", "<plain xmlns=\"" EX "\"><value>w</value></plain>");
	read_etags(f.peer, "running", &second);
	assert_string_equal(second.top, first.top);
	assert_string_not_equal(second.plain, first.plain);
	assert_string_equal(second.data, second.plain);
	/* Nothing changes; then an annotation does, which is no data. */
	edit(f.peer, "running", "<plain xmlns=\"" EX "\"><value>w</value></plain>");
	edit(f.peer, "running",
	     "<plain xmlns=\"" EX
	     "\"><value xmlns:m=\"urn:yare:example-more\" m:colour=\"red\">w</value></plain>");
	read_etags(f.peer, "running", &third);
	assert_string_equal(third.data, second.data);
	assert_string_equal(third.plain, second.plain);
	harness_fini(&f.harness);
}

/* No attribute is sent unasked; what is asked for in part is answered in part. */
static void answers_what_is_asked(void **state)
{
	(void)state;
	struct fixture f;
	begin(&f);
	fill(f.peer);
	char *reply = peer_call(f.peer, "<get-config><source><running/></source></get-config>");
	assert_null(strstr(reply, "etag"));
	memory_free(reply);
	reply = peer_call(f.peer, "<get-config" TXID "><source><running/></source><filter><top xmlns=\"" EX
				  "\" txid:etag=\"?\"/><plain xmlns=\"" EX "\"/></filter></get-config>");
	assert_non_null(strstr(reply,
			       "<top xmlns=\"" EX
			       "\" xmlns:txid=\"urn:ietf:params:xml:ns:netconf:txid:1.0\" txid:etag=\""));
	assert_non_null(strstr(reply, "<data><top"));
	assert_non_null(strstr(reply, "<plain xmlns=\"" EX "\"><value>v</value></plain>"));
	memory_free(reply);
	reply = peer_call(f.peer,
			  "<get-data xmlns=\"urn:ietf:params:xml:ns:yang:ietf-netconf-nmda\" "
			  "xmlns:ds=\"urn:ietf:params:xml:ns:yang:ietf-datastores\"" TXID
			  "><datastore>ds:operational</datastore><xpath-filter txid:etag=\"?\" xmlns:e=\"" EX
			  "\">/e:plain</xpath-filter></get-data>");
	assert_non_null(strstr(reply, "<plain xmlns=\"" EX "\" xmlns:txid"));
	memory_free(reply);
	harness_fini(&f.harness);
}

/* What the client knows is not sent again. */
static void prunes_what_is_known(void **state)
{
	(void)state;
	struct fixture f;
	struct etags first, second;
	begin(&f);
	fill(f.peer);
	read_etags(f.peer, "running", &first);
	edit(f.peer, "running", "<plain xmlns=\"" EX "\"><value>w</value></plain>");
	read_etags(f.peer, "running", &second);
	expect(f.peer, "<data xmlns:txid=\"urn:ietf:params:xml:ns:netconf:txid:1.0\" txid:etag=\"=\"></data>",
	       "<get-config" TXID " txid:etag=\"%s\"><source><running/></source></get-config>", second.data);
	expect(f.peer, "txid:etag=\"=\"/><plain",
	       "<get-config" TXID " txid:etag=\"%s\"><source><running/></source></get-config>", first.data);
	expect(f.peer, "<value>w</value>",
	       "<get-config" TXID " txid:etag=\"%s\"><source><running/></source></get-config>", first.data);
	/* An element with content inside, and a later id than the node's. */
	expect(f.peer, "txid:etag=\"=\"/></data>",
	       "<get-config" TXID "><source><running/></source><filter><top xmlns=\"" EX
	       "\" txid:etag=\"%s\"><note "
	       "txid:etag=\"%s\"/></top></filter></get-config>",
	       second.data, second.data);
	/* No id of this server: everything comes. */
	expect(f.peer, "<note>n</note>",
	       "<get-config" TXID "><source><running/></source><filter><top xmlns=\"" EX "\" "
	       "txid:etag=\"00000000000000aa-9\"/></filter></get-config>");
	harness_fini(&f.harness);
}

#define MISMATCH "<error-type>protocol</error-type><error-tag>operation-failed</error-tag>"

static void edits_on_condition(void **state)
{
	(void)state;
	struct fixture f;
	struct etags first, second;
	char text[512], ok[ETAG_SIZE];
	begin(&f);
	fill(f.peer);
	read_etags(f.peer, "running", &first);
	/* With the present id, and the new one is asked for. */
	snprintf(text, sizeof(text),
		 "<edit-config><target><running/></target><with-etag xmlns=\"" MODULE
		 "\">true</with-etag><config" TXID "><plain xmlns=\"" EX
		 "\" txid:etag=\"%s\"><value>w</value></plain></config></edit-config>",
		 first.plain);
	char *reply = peer_call(f.peer, text);
	take_etag(reply, "<ok", ok);
	memory_free(reply);
	read_etags(f.peer, "running", &second);
	assert_string_equal(ok, second.data);
	/* Again: it is another one by now. */
	reply = peer_call(f.peer, text);
	assert_non_null(strstr(reply, MISMATCH));
	snprintf(text, sizeof(text),
		 "<error-info><txid-value-mismatch-error-info xmlns=\"" MODULE
		 "\"><mismatch-path xmlns:example=\"" EX
		 "\">/example:plain</mismatch-path><mismatch-etag-value>%s</mismatch-etag-value>"
		 "</txid-value-mismatch-error-info></error-info>",
		 second.plain);
	assert_non_null(strstr(reply, text));
	memory_free(reply);
	/* Another node was not changed since; the datastore was. */
	expect(f.peer, "<ok/>",
	       "<edit-config><target><running/></target><config" TXID "><top xmlns=\"" EX
	       "\" txid:etag=\"%s\"><note>o</note></top></config></edit-config>",
	       first.top);
	expect(f.peer, "<mismatch-path>/</mismatch-path>",
	       "<edit-config><target><running/></target><config" TXID " txid:etag=\"%s\"><top xmlns=\"" EX
	       "\"><note>p</note></top></config></edit-config>",
	       second.data);
	/* A node deep inside inherits the id of its top; no id fits "?". */
	expect(f.peer, "/example:top/example:item[example:name='a']</mismatch-path>",
	       "<edit-config><target><running/></target><config" TXID "><top xmlns=\"" EX
	       "\"><item txid:etag=\"?\"><name>a</name><kind>k</kind></item></top></config></edit-config>");
	expect(f.peer, "<note>o</note>", "<get-config><source><running/></source></get-config>");
	harness_fini(&f.harness);
}

static void commits_on_condition(void **state)
{
	(void)state;
	struct fixture f;
	struct etags first, second, candidate;
	begin(&f);
	fill(f.peer);
	read_etags(f.peer, "running", &first);
	expect(f.peer, "<ok/>",
	       "<edit-config><target><candidate/></target><config" TXID "><plain xmlns=\"" EX
	       "\" txid:etag=\"%s\"><value>w</value></plain></config></edit-config>",
	       first.plain);
	/* What is as in running has its ids. */
	read_etags(f.peer, "candidate", &candidate);
	assert_string_equal(candidate.data, "!");
	assert_string_equal(candidate.plain, "!");
	assert_string_equal(candidate.top, first.top);
	edit(f.peer, "running", "<plain xmlns=\"" EX "\"><value>x</value></plain>");
	expect(f.peer, "<mismatch-path xmlns:example=\"" EX "\">/example:plain</mismatch-path>", "<commit/>");
	/* Said again with the present id: the last one counts. */
	read_etags(f.peer, "running", &second);
	expect(f.peer, "<ok/>",
	       "<edit-config><target><candidate/></target><config" TXID "><plain xmlns=\"" EX
	       "\" txid:etag=\"%s\"><value>y</value></plain></config></edit-config>",
	       second.plain);
	expect(f.peer, "txid:etag=\"", "<commit><with-etag xmlns=\"" MODULE "\">true</with-etag></commit>");
	/* It was for that commit alone; discard takes it away as well. */
	expect(f.peer, "<ok/>",
	       "<edit-config><target><candidate/></target><config" TXID "><plain xmlns=\"" EX
	       "\" txid:etag=\"?\"><value>z</value></plain></config></edit-config>");
	expect(f.peer, "<ok/>", "<discard-changes/>");
	edit(f.peer, "candidate", "<plain xmlns=\"" EX "\"><value>z</value></plain>");
	expect(f.peer, "<ok/>", "<commit/>");
	read_etags(f.peer, "candidate", &candidate);
	read_etags(f.peer, "running", &second);
	assert_string_equal(candidate.data, second.data);
	harness_fini(&f.harness);
}

static void refuses_what_is_wrong(void **state)
{
	(void)state;
	struct fixture f;
	begin(&f);
	expect(f.peer, "<error-tag>invalid-value</error-tag>",
	       "<commit><with-etag xmlns=\"" MODULE "\">yes</with-etag></commit>");
	expect(f.peer, "<bad-element>with-etag</bad-element>",
	       "<commit><with-etag xmlns=\"" MODULE "\">true</with-etag><with-etag xmlns=\"" MODULE
	       "\">true</with-etag></commit>");
	expect(f.peer, "<error-tag>unknown-element</error-tag>",
	       "<commit><with-etag>true</with-etag></commit>");
	expect(f.peer, "<error-tag>unknown-namespace</error-tag>",
	       "<commit><with-last-modified xmlns=\"" MODULE "\">true</with-last-modified></commit>");
	expect(f.peer, "<error-tag>unknown-attribute</error-tag>",
	       "<edit-config><target><running/></target><config" TXID "><plain xmlns=\"" EX
	       "\" txid:last-modified=\"?\"/></config></edit-config>");
	harness_fini(&f.harness);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(moves_with_what_changes), cmocka_unit_test(answers_what_is_asked),
		cmocka_unit_test(prunes_what_is_known),	   cmocka_unit_test(edits_on_condition),
		cmocka_unit_test(commits_on_condition),	   cmocka_unit_test(refuses_what_is_wrong),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
