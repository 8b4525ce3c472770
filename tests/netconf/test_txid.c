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
	assert_non_null(strstr(reply, "<data" TXID "><top xmlns=\"" EX "\" txid:etag=\""));
	assert_non_null(strstr(reply, "<plain xmlns=\"" EX "\"><value>v</value></plain>"));
	memory_free(reply);
	reply = peer_call(f.peer,
			  "<get-data xmlns=\"urn:ietf:params:xml:ns:yang:ietf-netconf-nmda\" "
			  "xmlns:ds=\"urn:ietf:params:xml:ns:yang:ietf-datastores\"" TXID
			  "><datastore>ds:operational</datastore><xpath-filter txid:etag=\"?\" xmlns:e=\"" EX
			  "\">/e:plain</xpath-filter></get-data>");
	assert_non_null(strstr(reply, "<plain xmlns=\"" EX "\" txid:etag=\""));
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

/* Going back from a confirmed commit is a change like any other: what it took back has a new id, neither that
 * of before nor that of the commit, and all else keeps its own. */
static void goes_back_to_new_ids(void **state)
{
	static const char *const ways[] = {"<cancel-commit/>", NULL}; /* NULL: the session ends */
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct fixture f;
		struct etags first, second, third;
		begin(&f);
		fill(f.peer);
		edit(f.peer, "running", "<plain xmlns=\"" EX "\"><value>w</value></plain>");
		read_etags(f.peer, "running", &first);
		struct peer *other = harness_connect(&f.harness);
		peer_hello(other, true);
		edit(other, "candidate", "<plain xmlns=\"" EX "\"><value>x</value></plain>");
		expect(other, "<ok/>", "<commit><confirmed/></commit>");
		read_etags(f.peer, "running", &second);
		assert_string_equal(second.top, first.top);
		assert_string_not_equal(second.plain, first.plain);
		if (ways[i] != NULL)
			expect(other, "<ok/>", ways[i]);
		else
			expect(other, "<ok/>", "<close-session/>");
		expect(f.peer, "<value>w</value>", "<get-config><source><running/></source></get-config>");
		read_etags(f.peer, "running", &third);
		assert_string_equal(third.top, first.top);
		assert_string_not_equal(third.plain, first.plain);
		assert_string_not_equal(third.plain, second.plain);
		assert_string_equal(third.plain, third.data);
		/* Neither who knew it before nor who saw the commit is told that it knows. */
		expect(f.peer, "<value>w</value>",
		       "<get-config" TXID " txid:etag=\"%s\"><source><running/></source></get-config>",
		       first.data);
		expect(f.peer, MISMATCH,
		       "<edit-config><target><running/></target><config" TXID "><plain xmlns=\"" EX
		       "\" txid:etag=\"%s\"><value>y</value></plain></config></edit-config>",
		       second.plain);
		harness_fini(&f.harness);
	}
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
	expect(f.peer, "<error-tag>invalid-value</error-tag>",
	       "<commit><with-last-modified xmlns=\"" MODULE "\">yes</with-last-modified></commit>");
	expect(f.peer, "<error-tag>unknown-attribute</error-tag>",
	       "<edit-config><target><running/></target><config" TXID "><plain xmlns=\"" EX
	       "\" txid:modified=\"?\"/></config></edit-config>");
	harness_fini(&f.harness);
}

#define ITEMS                                                                                                \
	"<top xmlns=\"" EX "\"><item><name>a</name><kind>k</kind><detail><first>1</first></detail></item>"   \
	"<item><name>b</name><kind>k</kind><detail><first>2</first></detail></item><note>n</note></top>"

/* Etags of the datastore, of top, of items a and b, and of the details in them. */
struct inner {
	char data[ETAG_SIZE], top[ETAG_SIZE], a[ETAG_SIZE], b[ETAG_SIZE], in_a[ETAG_SIZE], in_b[ETAG_SIZE];
};

static void read_inner(struct peer *peer, const char *datastore, struct inner *inner)
{
	char request[256];
	snprintf(request, sizeof(request),
		 "<get-config" TXID " txid:etag=\"?\"><source><%s/></source></get-config>", datastore);
	*inner = (struct inner){{0}, {0}, {0}, {0}, {0}, {0}};
	char *reply = peer_call(peer, request);
	const char *items = strstr(reply, "<item");
	assert_non_null(items);
	take_etag(reply, "<data", inner->data);
	take_etag(reply, "<top", inner->top);
	take_etag(items, "<item", inner->a);
	take_etag(items, "<detail", inner->in_a);
	items = strstr(items, "</item>");
	take_etag(items, "<item", inner->b);
	take_etag(items, "<detail", inner->in_b);
	memory_free(reply);
}

static void begin_inner(struct fixture *fixture)
{
	begin(fixture);
	edit(fixture->peer, "running", ITEMS);
	edit(fixture->peer, "running", "<plain xmlns=\"" EX "\"><value>v</value></plain>");
}

/* A change moves the ids of what is around it, and no others. */
static void moves_inside(void **state)
{
	(void)state;
	struct fixture f;
	struct inner first, second, third;
	begin_inner(&f);
	read_inner(f.peer, "running", &first);
	assert_string_equal(first.top, first.a);
	assert_string_equal(first.top, first.in_a);
	assert_string_not_equal(first.top, first.data);
	edit(f.peer, "running",
	     "<top xmlns=\"" EX "\"><item><name>b</name><detail><second>s</second></detail></item></top>");
	read_inner(f.peer, "running", &second);
	assert_string_equal(second.a, first.a);
	assert_string_equal(second.in_a, first.in_a);
	assert_string_not_equal(second.in_b, first.in_b);
	assert_string_equal(second.in_b, second.b);
	assert_string_equal(second.in_b, second.top);
	assert_string_equal(second.in_b, second.data);
	/* A leaf of the entry is none of its container; a replace of the same changes nothing. */
	edit(f.peer, "running", "<top xmlns=\"" EX "\"><item><name>a</name><size>3</size></item></top>");
	edit(f.peer, "running",
	     "<top xmlns=\"" EX "\" xmlns:nc=\"urn:ietf:params:xml:ns:netconf:base:1.0\">"
	     "<item nc:operation=\"replace\"><name>b</name><kind>k</kind>"
	     "<detail><first>2</first><second>s</second></detail></item></top>");
	read_inner(f.peer, "running", &third);
	assert_string_not_equal(third.a, second.a);
	assert_string_equal(third.in_a, first.in_a);
	assert_string_equal(third.b, second.b);
	assert_string_equal(third.in_b, second.in_b);
	assert_string_equal(third.data, third.a);
	harness_fini(&f.harness);
}

#define READ "<get-config" TXID "><source><running/></source><filter>%s</filter></get-config>"
#define TOP "<top xmlns=\"" EX "\""

/* The reply to a filter, formatted. */
static char *read_filter(struct peer *peer, const char *format, ...)
{
	char filter[1024], request[2048];
	va_list args;
	va_start(args, format);
	vsnprintf(filter, sizeof(filter), format, args);
	va_end(args);
	snprintf(request, sizeof(request), READ, filter);
	return peer_call(peer, request);
}

static void expect_in(char *reply, const char *text)
{
	if (strstr(reply, text) == NULL)
		fail_msg("%s\nis not in\n%s", text, reply);
	memory_free(reply);
}

static void prunes_inside(void **state)
{
	(void)state;
	struct fixture f;
	struct inner first, second;
	char text[512];
	begin_inner(&f);
	read_inner(f.peer, "running", &first);
	edit(f.peer, "running",
	     "<top xmlns=\"" EX "\"><item><name>b</name><detail><second>s</second></detail></item></top>");
	read_inner(f.peer, "running", &second);
	/* Keys are written, and nothing else of what is known; what says nothing comes as ever. */
	expect_in(read_filter(f.peer, TOP "><item txid:etag=\"%s\"><name>a</name></item></top>", first.a),
		  "<data" TXID "><top xmlns=\"" EX
		  "\"><item txid:etag=\"=\"><name>a</name></item></top></data>");
	expect_in(read_filter(f.peer,
			      TOP "><item txid:etag=\"%s\"><name>a</name></item><item><name>b</name>"
				  "<detail txid:etag=\"%s\"/></item></top>",
			      first.a, second.in_b),
		  "<item txid:etag=\"=\"><name>a</name></item><item><name>b</name>"
		  "<detail txid:etag=\"=\"/></item></top></data>");
	/* The draft's out-of-band change: the id is inherited, and only what is newer is sent. */
	snprintf(text, sizeof(text),
		 "\" txid:etag=\"%s\"><item txid:etag=\"=\"><name>a</name></item><item txid:etag=\"%s\">"
		 "<name>b</name><kind>k</kind><detail txid:etag=\"%s\"><first>2</first>"
		 "<second>s</second></detail></item><note>n</note></top>",
		 second.top, second.b, second.in_b);
	expect_in(read_filter(f.peer, TOP " txid:etag=\"%s\"/>", first.data), text);
	/* What is said closer counts. */
	snprintf(text, sizeof(text), "<item txid:etag=\"%s\"><name>a</name><kind>k</kind>", second.a);
	expect_in(read_filter(f.peer,
			      TOP
			      " txid:etag=\"%s\"><item/><item txid:etag=\"?\"><name>a</name></item></top>",
			      first.data),
		  text);
	/* A leaf has the id of the closest versioned node. */
	expect_in(read_filter(f.peer,
			      TOP
			      "><item><name>a</name><detail><first txid:etag=\"%s\"/></detail></item></top>",
			      first.in_a),
		  "<item><name>a</name><detail><first txid:etag=\"=\"/></detail></item>");
	expect_in(read_filter(f.peer,
			      TOP
			      "><item><name>b</name><detail><first txid:etag=\"%s\"/></detail></item></top>",
			      first.in_b),
		  "<item><name>b</name><detail><first>2</first></detail></item>");
	/* Content match; a key of another form of the same name; an entry that is not there. */
	expect_in(read_filter(f.peer,
			      TOP "><item txid:etag=\"%s\"><kind>k</kind><name> a </name></item>"
				  "<item txid:etag=\"%s\"><name>c</name></item></top>",
			      first.a, first.a),
		  "<data" TXID "><top xmlns=\"" EX
		  "\"><item txid:etag=\"=\"><name>a</name></item></top></data>");
	/* Two elements of one entry: known only if both say so. */
	expect_in(read_filter(f.peer,
			      TOP "><item txid:etag=\"%s\"><name>a</name></item><item txid:etag=\"?\">"
				  "<name>a</name></item></top>",
			      first.a),
		  "<kind>k</kind>");
	harness_fini(&f.harness);
}

/* Many entries, each with what is known of it: as many as are known come as keys alone. */
static void prunes_many(void **state)
{
	(void)state;
	struct fixture f;
	struct inner first;
	char *big = memory_alloc(1 << 20), *at = big;
	begin_inner(&f);
	at += sprintf(at, "<edit-config><target><running/></target><config><top xmlns=\"" EX "\">");
	for (unsigned i = 0; i < 1000; i++)
		at += sprintf(at, "<item><name>n%u</name><kind>k</kind></item>", i);
	sprintf(at, "</top></config></edit-config>");
	peer_expect(f.peer, big, "<ok/>");
	read_inner(f.peer, "running", &first);
	edit(f.peer, "running", TOP "><item><name>n77</name><size>3</size></item></top>");
	at = big +
	     sprintf(big, "<get-config" TXID "><source><running/></source><filter><top xmlns=\"" EX "\">");
	for (unsigned i = 0; i < 1000; i++)
		at += sprintf(at, "<item txid:etag=\"%s\"><name>n%u</name></item>", first.top, i);
	sprintf(at, "</top></filter></get-config>");
	char *reply = peer_call(f.peer, big);
	size_t known = 0;
	for (const char *found = reply; (found = strstr(found, "<item txid:etag=\"=\">")) != NULL; found++)
		known++;
	assert_int_equal(known, 999);
	assert_non_null(strstr(reply, "<name>n77</name><kind>k</kind><size>3</size>"));
	memory_free(reply);
	memory_free(big);
	harness_fini(&f.harness);
}

#define EDIT "<edit-config><target><%s/></target><config" TXID ">" TOP ">%s</top></config></edit-config>"

static void edit_if(struct peer *peer, const char *answer, const char *datastore, const char *format, ...)
{
	char content[1024];
	va_list args;
	va_start(args, format);
	vsnprintf(content, sizeof(content), format, args);
	va_end(args);
	expect(peer, answer, EDIT, datastore, content);
}

static void edits_inside_on_condition(void **state)
{
	(void)state;
	struct fixture f;
	struct inner first, second;
	char text[512];
	begin_inner(&f);
	read_inner(f.peer, "running", &first);
	edit(f.peer, "running", TOP "><item><name>b</name><detail><second>s</second></detail></item></top>");
	read_inner(f.peer, "running", &second);
	/* Only what is around a change has another id; the error tells that of the node. */
	edit_if(f.peer, "<ok/>", "running", "<item txid:etag=\"%s\"><name>a</name><size>1</size></item>",
		first.a);
	snprintf(text, sizeof(text),
		 "/example:top/example:item[example:name='b']/example:detail</mismatch-path>"
		 "<mismatch-etag-value>%s</mismatch-etag-value>",
		 second.in_b);
	edit_if(f.peer, text, "running",
		"<item><name>b</name><detail txid:etag=\"%s\"><first>3</first></detail></item>", first.in_b);
	/* A leaf stands for the container that it is in; a later id of the server's is as good. */
	edit_if(f.peer, "operation-failed", "running",
		"<item><name>b</name><detail><first txid:etag=\"%s\">3</first></detail></item>", first.in_b);
	edit_if(f.peer, "<ok/>", "running",
		"<item><name>a</name><detail><first txid:etag=\"%s\">3</first></detail></item>", second.data);
	/* What is not there has the id of what would hold it. */
	edit_if(f.peer, "operation-failed", "running",
		"<item txid:etag=\"%s\"><name>c</name><kind>k</kind></item>", first.top);
	read_inner(f.peer, "running", &second);
	edit_if(f.peer, "<ok/>", "running", "<item txid:etag=\"%s\"><name>c</name><kind>k</kind></item>",
		second.top);
	/* Deleting on condition. */
	edit_if(f.peer, "operation-failed", "running",
		"<item xmlns:nc=\"urn:ietf:params:xml:ns:netconf:base:1.0\" nc:operation=\"delete\" "
		"txid:etag=\"%s\"><name>a</name></item>",
		first.a);
	edit_if(f.peer, "<ok/>", "running",
		"<item xmlns:nc=\"urn:ietf:params:xml:ns:netconf:base:1.0\" nc:operation=\"delete\" "
		"txid:etag=\"%s\"><name>a</name></item>",
		second.a);
	harness_fini(&f.harness);
}

static void commits_inside_on_condition(void **state)
{
	(void)state;
	struct fixture f;
	struct inner first, candidate, second;
	begin_inner(&f);
	read_inner(f.peer, "running", &first);
	edit_if(f.peer, "<ok/>", "candidate", "<item txid:etag=\"%s\"><name>a</name><size>1</size></item>",
		first.a);
	/* Only what differs is unknown. */
	read_inner(f.peer, "candidate", &candidate);
	assert_string_equal(candidate.data, "!");
	assert_string_equal(candidate.top, "!");
	assert_string_equal(candidate.a, "!");
	assert_string_equal(candidate.in_a, first.in_a);
	assert_string_equal(candidate.b, first.b);
	/* Others change another entry, then this one. */
	edit(f.peer, "running", TOP "><item><name>b</name><size>2</size></item></top>");
	edit_if(f.peer, "<ok/>", "candidate", "<item><name>b</name><size>2</size></item>");
	expect(f.peer, "<ok/>", "<commit/>");
	read_inner(f.peer, "running", &second);
	edit_if(f.peer, "<ok/>", "candidate", "<item txid:etag=\"%s\"><name>a</name><size>3</size></item>",
		second.a);
	edit(f.peer, "running", TOP "><item><name>a</name><size>4</size></item></top>");
	expect(f.peer, "/example:top/example:item[example:name='a']</mismatch-path>", "<commit/>");
	expect(f.peer, "<ok/>", "<discard-changes/>");
	/* There and back: as in running, also where it was made anew. */
	read_inner(f.peer, "running", &first);
	edit(f.peer, "candidate", TOP "><item><name>a</name><size>5</size></item></top>");
	edit(f.peer, "candidate", TOP "><item><name>a</name><size>4</size></item></top>");
	edit(f.peer, "candidate",
	     TOP " xmlns:nc=\"urn:ietf:params:xml:ns:netconf:base:1.0\"><item nc:operation=\"delete\">"
		 "<name>b</name></item></top>");
	edit(f.peer, "candidate",
	     TOP "><item><name>b</name><kind>k</kind><size>2</size><detail><first>2</first></detail></item>"
		 "</top>");
	read_inner(f.peer, "candidate", &candidate);
	assert_memory_equal(&candidate, &first, sizeof(first));
	expect(f.peer, "<ok/>", "<commit/>");
	read_inner(f.peer, "running", &second);
	assert_memory_equal(&second, &first, sizeof(first));
	harness_fini(&f.harness);
}

/* The value of the first last-modified behind `at`. */
static void take_time(const char *text, const char *at, char time[ETAG_SIZE])
{
	const char *found = strstr(text, at);
	assert_non_null(found);
	assert_int_equal(sscanf(found, "%*[^\"]\"%*[^\"]\" txid:last-modified=\"%63[^\"]", time), 1);
}

#define TIMES "<get-config" TXID " txid:last-modified=\"%s\"><source><running/></source></get-config>"

static void times_are_ids_as_well(void **state)
{
	(void)state;
	struct fixture f;
	char data[ETAG_SIZE], top[ETAG_SIZE], plain[ETAG_SIZE], text[512];
	begin_inner(&f);
	snprintf(text, sizeof(text), TIMES, "?");
	char *reply = peer_call(f.peer, text);
	take_time(reply, "<data", data);
	take_time(reply, "<top", top);
	take_time(reply, "<plain", plain);
	assert_int_equal(strlen(data), strlen("2022-04-01T12:34:56.123456Z"));
	assert_string_equal(data, plain);
	assert_true(strcmp(top, plain) < 0);
	assert_null(strstr(reply, "<item txid"));
	memory_free(reply);
	/* Known: by the time itself, by a later one of the server's; not by any other. */
	expect(f.peer, "txid:last-modified=\"=\"></data>", TIMES, data);
	edit(f.peer, "running", "<plain xmlns=\"" EX "\"><value>w</value></plain>");
	expect(f.peer, "<top xmlns=\"" EX "\" txid:last-modified=\"=\"/><plain", TIMES, data);
	expect(f.peer, "<value>w</value>", TIMES, data);
	expect(f.peer, "<note>n</note>", TIMES, "2999-01-01T00:00:00.000000Z");
	/* An inner node has the time of its top. */
	expect_in(
		read_filter(f.peer, TOP "><item txid:last-modified=\"%s\"><name>a</name></item></top>", top),
		"<item txid:last-modified=\"=\"><name>a</name></item></top>");
	edit_if(f.peer, "<ok/>", "running", "<item txid:last-modified=\"%s\"><name>a</name></item>", top);
	edit_if(f.peer, "<ok/>", "running", "<note txid:last-modified=\"%s\">m</note>", top);
	edit_if(f.peer, "<mismatch-last-modified-value>2", "running",
		"<note txid:last-modified=\"%s\">l</note>", top);
	expect(f.peer, "<ok xmlns:txid=\"urn:ietf:params:xml:ns:netconf:txid:1.0\" txid:last-modified=\"2",
	       "<edit-config><target><running/></target><with-last-modified xmlns=\"" MODULE
	       "\">true</with-last-modified><config>" TOP "><note>k</note></top></config></edit-config>");
	edit(f.peer, "candidate", TOP "><note>j</note></top>");
	expect(f.peer, "txid:last-modified=\"!\"><item>",
	       "<get-config" TXID "><source><candidate/></source><filter>" TOP
	       " txid:last-modified=\"?\"/></filter></get-config>");
	expect(f.peer, "txid:etag=\"",
	       "<commit><with-last-modified xmlns=\"" MODULE
	       "\">true</with-last-modified><with-etag xmlns=\"" MODULE "\">true</with-etag></commit>");
	harness_fini(&f.harness);
}

/* Each condition of a request holds: two of one node, those of a key that comes late, and what is behind
 * them. */
static void every_condition_holds(void **state)
{
	(void)state;
	static const char *const datastores[] = {"running", "candidate"};
	static const char old[] = "2001-01-01T00:00:00.000000Z";
	struct fixture f;
	struct inner ids;
	char time[ETAG_SIZE], text[512];
	begin_inner(&f);
	read_inner(f.peer, "running", &ids);
	snprintf(text, sizeof(text), TIMES, "?");
	char *reply = peer_call(f.peer, text);
	take_time(reply, "<data", time);
	memory_free(reply);
	for (size_t i = 0; i < 2; i++) {
		const char *datastore = datastores[i];
		const char *at_edit = i == 0 ? "operation-failed" : "<ok/>";
		const char *at_commit = i == 0 ? "<ok/>" : "operation-failed";
		for (size_t k = 0; k < 6; k++) {
			const char *etag = k % 2 == 0 ? ids.data : "none", *then = k % 2 == 0 ? old : time;
			if (k < 2)
				edit_if(f.peer, at_edit, datastore,
					"<note txid:etag=\"%s\" txid:last-modified=\"%s\">x</note>", etag,
					then);
			else if (k < 4)
				edit_if(f.peer, at_edit, datastore,
					"<note txid:last-modified=\"%s\" txid:etag=\"%s\">x</note>", then,
					etag);
			else
				edit_if(f.peer, at_edit, datastore,
					"<item><size txid:etag=\"%s\">9</size><name "
					"txid:etag=\"%s\">a</name></item>",
					k == 4 ? ids.data : "none", k == 4 ? "none" : ids.data);
			expect(f.peer, at_commit, "<commit/>");
			expect(f.peer, "<ok/>", "<discard-changes/>");
		}
		edit_if(f.peer, at_edit, datastore,
			"<note txid:etag=\"%s\" txid:last-modified=\"%s\">x</note>"
			"<item txid:etag=\"none\"><name>a</name><size>9</size></item>",
			ids.data, time);
		expect(f.peer, at_commit, "<commit/>");
		expect(f.peer, "<ok/>", "<discard-changes/>");
	}
	edit_if(f.peer, "<ok/>", "running",
		"<note txid:etag=\"%s\" txid:last-modified=\"%s\">x</note>"
		"<item><size txid:etag=\"%s\">9</size><name txid:etag=\"%s\">a</name></item>",
		ids.data, time, ids.data, ids.data);
	harness_fini(&f.harness);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(moves_with_what_changes),
		cmocka_unit_test(answers_what_is_asked),
		cmocka_unit_test(prunes_what_is_known),
		cmocka_unit_test(edits_on_condition),
		cmocka_unit_test(commits_on_condition),
		cmocka_unit_test(goes_back_to_new_ids),
		cmocka_unit_test(refuses_what_is_wrong),
		cmocka_unit_test(moves_inside),
		cmocka_unit_test(prunes_inside),
		cmocka_unit_test(prunes_many),
		cmocka_unit_test(edits_inside_on_condition),
		cmocka_unit_test(commits_inside_on_condition),
		cmocka_unit_test(times_are_ids_as_well),
		cmocka_unit_test(every_condition_holds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
