/* SPDX-License-Identifier: BSD-3-Clause */
/* The reader: events of odd documents cut at every byte, what is refused, limits, and linear time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>

#include "base/memory.h"
#include "codec/helper_events.h"

#define MIB ((size_t)1 << 20)

static const struct xml_reader_limits LIMITS = {.depth = 256, .text_size = 64 * MIB, .attributes = 64};

struct expectation {
	const char *document;
	const char *events;
};

static const struct expectation GOOD[] = {
	{"<a/>", "<{}a></>"},
	{" \r\n\t<a/>\n", "<{}a></>"},
	{"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<a>x</a>", "<{}a>x</>"},
	{"\n<?xml version='1.0' encoding='utf-8'?><a>x</a>", "<{}a>x</>"},
	{"<a xmlns='urn:1'><b xmlns=''/><p:c xmlns:p='urn:2' p:d='e'/></a>",
	 "<{urn:1}a xmlns:='urn:1'><{}b xmlns:=''></><{urn:2}c xmlns:p='urn:2' {urn:2}d='e'></></>"},
	{"<a b='&lt;&amp;&#65;&quot;&#10;'>&lt;&gt;&amp;&apos;&quot;&#x263A;</a>",
	 "<{}a {}b='<&A\"\n'><>&'\"\u263a</>"},
	{"<a>1\r\n2\r3</a>", "<{}a>1\n2\n3</>"},
	{"<a>&#13;</a>", "<{}a>\r</>"},
	{"<a><![CDATA[<b>&amp;]]]]><![CDATA[>]]]></a>", "<{}a><b>&amp;]]>]</>"},
	{"<a><![CDATA[]]>x<![CDATA[]]]]></a>", "<{}a>x]]</>"},
	{"<a><![CDATA[\u00e4\u20ac\U0001f600]]></a>", "<{}a>\u00e4\u20ac\U0001f600</>"},
	{"<!-- <![CDATA[ --><a>\u00e4<!-- ]]> <b> & -->\U0001f600</a><!-- end -->",
	 "<{}a>\u00e4\U0001f600</>"},
	{"<a><!----><b c='!'>!<!-- - -->!</b></a>", "<{}a><{}b {}c='!'>!!</></>"},
	{"<a x='>'> ]] > <b\n y = \"'\" /> </a >", "<{}a {}x='>'> ]] > <{}b {}y='''></> </>"},
	{"<a xml:lang='en'/>", "<{}a {http://www.w3.org/XML/1998/namespace}lang='en'></>"},
};

static void test_events_cut_at_every_byte(void **state)
{
	(void)state;
	struct event_log log;
	event_log_init(&log, &LIMITS);
	for (size_t i = 0; i < sizeof(GOOD) / sizeof(GOOD[0]); i++) {
		struct bytes document = bytes_of(GOOD[i].document);
		for (size_t step = 1; step <= document.size; step++) {
			enum status status = event_log_parse(&log, document, step);
			if (status)
				fail_msg("document %zu: %s", i, xml_reader_error(log.reader));
			assert_string_equal(event_log_text(&log), GOOD[i].events);
		}
	}
	event_log_fini(&log);
}

/* The same documents behind a comment that moves each of their bytes over the end of the reader's slice. */
static void test_events_at_the_end_of_a_slice(void **state)
{
	(void)state;
	struct event_log log;
	event_log_init(&log, &LIMITS);
	size_t slice = 16 * 1024;
	char *document = memory_alloc(2 * slice);
	for (size_t i = 0; i < sizeof(GOOD) / sizeof(GOOD[0]); i++) {
		size_t size = strlen(GOOD[i].document);
		if (strstr(GOOD[i].document, "<?xml"))
			continue;
		for (size_t cut = 0; cut <= size; cut++) {
			size_t lead = slice - cut;
			memset(document, '-', lead);
			for (size_t at = 5; at < lead - 5; at++)
				document[at] = 'c';
			memcpy(document, "<!-- ", 5);
			memcpy(document + lead - 5, "c -->", 5);
			memcpy(document + lead, GOOD[i].document, size);
			assert_int_equal(event_log_parse(&log, (struct bytes){document, lead + size}, 4000),
					 ST_OK);
			assert_string_equal(event_log_text(&log), GOOD[i].events);
		}
	}
	memory_free(document);
	event_log_fini(&log);
}

static const char *const BAD[] = {
	"",
	" ",
	"<",
	"a",
	"<a>",
	"<a></b>",
	"<a/><b/>",
	"<a/>x",
	"<a><b></a></b>",
	"<a b='1' b='2'/>",
	"<a xmlns:p='u' xmlns:q='u' p:b='1' q:b='2'/>",
	"<a b=1/>",
	"<p:a/>",
	"<a p:b='1'/>",
	"<a xmlns:p=''/>",
	"<a>&b;</a>",
	"<a>&amp</a>",
	"<a>&#0;</a>",
	"<a>&#x1F;</a>",
	"<a>&#xD800;</a>",
	"<a>\x01</a>",
	"<a>\x7f\x80</a>",
	"<a>\xc0\xaf</a>",
	"<a>\xed\xa0\x80</a>",
	"<a>\xef\xbf\xbf</a>",
	"<a>\xf4\x90\x80\x80</a>",
	"<a>\xc3</a>",
	"<a b='\xff'/>",
	"<a><![CDATA[\x02]]></a>",
	"<a><![CDATA[\xc3]]></a>",
	"<a><![CDATA[ ]]</a>",
	"<a>]]></a>",
	"<a><!-- -- --></a>",
	"<a><!-- ",
	"<![CDATA[a]]><a/>",
	"<a/><![CDATA[a]]>",
	"<!DOCTYPE a><a/>",
	"<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>",
	"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
	"<a><!ELEMENT b ANY></a>",
	"<a><?pi x?></a>",
	"<?pi?><a/>",
	"<a/><?pi?>",
	"<a><?xml version='1.0'?></a>",
	"\xef\xbb\xbf<a/>",
	"\xff\xfe<\0a\0/\0>\0",
	"<?xml version='1.0' encoding='ISO-8859-1'?><a/>",
	"<?xml version='1.0' encoding='US-ASCII'?><a/>",
	"<?xml version='1.0' encoding='UTF-16'?><a/>",
	"<?xml version='1.0' encoding='nonsense'?><a/>",
};

static void test_refused_cut_at_every_byte(void **state)
{
	(void)state;
	struct event_log log;
	event_log_init(&log, &LIMITS);
	for (size_t i = 0; i < sizeof(BAD) / sizeof(BAD[0]); i++) {
		struct bytes document = bytes_of(BAD[i]);
		for (size_t step = 1; step <= document.size + 1; step++) {
			enum status status = event_log_parse(&log, document, step);
			if (status != ST_REJECTED)
				fail_msg("document %zu (%s) step %zu: %s", i, BAD[i], step,
					 status_name(status));
			if (strncmp(xml_reader_error(log.reader), "line ", 5) != 0)
				fail_msg("document %zu: error text '%s'", i, xml_reader_error(log.reader));
		}
		/* The reader works again afterwards. */
		assert_int_equal(event_log_parse(&log, bytes_of("<a>ok</a>"), 3), ST_OK);
		assert_string_equal(event_log_text(&log), "<{}a>ok</>");
	}
	struct bytes utf16 = {"<\0a\0/\0>\0", 8};
	assert_int_equal(event_log_parse(&log, utf16, 8), ST_REJECTED);
	event_log_fini(&log);
}

static void test_error_names_line(void **state)
{
	(void)state;
	struct event_log log;
	event_log_init(&log, &LIMITS);
	assert_int_equal(event_log_parse(&log, bytes_of("<a>\n\n</b>"), 100), ST_REJECTED);
	assert_string_equal(xml_reader_error(log.reader),
			    "line 3: Opening and ending tag mismatch: a line 1 and b");
	event_log_fini(&log);
}

/* An error text that quotes the document is cut, but not within a character. */
static void test_error_is_clean(void **state)
{
	(void)state;
	struct event_log log;
	event_log_init(&log, &LIMITS);
	for (size_t lead = 1; lead < 8; lead++) {
		char document[2000];
		memset(document, 'a', sizeof(document));
		memcpy(document, "<a>&", 4);
		for (size_t at = 4 + lead; at + 4 < 1000; at += 3)
			memcpy(document + at, "\u3042", 3);
		strcpy(document + 1000 + lead, ";</a>");
		assert_int_equal(event_log_parse(&log, bytes_of(document), 100), ST_REJECTED);
		const char *error = xml_reader_error(log.reader);
		size_t size = strlen(error);
		assert_true(size > 200);
		while (size > 0 && (unsigned char)error[size - 1] >= 0x80)
			size--;
		assert_int_equal(strlen(error + size) % 3, 0);
	}
	event_log_fini(&log);
}

static void test_entity_bomb(void **state)
{
	(void)state;
	static const char BOMB[] =
		"<?xml version='1.0'?><!DOCTYPE l [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>"
		"<!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;'><!ENTITY d '&c;&c;&c;&c;&c;&c;&c;&c;'>]><l>&d;&d;</l>";
	struct event_log log;
	event_log_init(&log, &LIMITS);
	for (size_t step = 1; step < 40; step++) {
		assert_int_equal(event_log_parse(&log, bytes_of(BOMB), step), ST_REJECTED);
		assert_int_equal(log.starts + log.texts, 0);
	}
	event_log_fini(&log);
}

static char *repeat(const char *head, const char *piece, size_t count, const char *tail, size_t *size)
{
	size_t head_size = strlen(head);
	size_t piece_size = strlen(piece);
	size_t tail_size = strlen(tail);
	*size = head_size + piece_size * count + tail_size;
	char *text = memory_alloc(*size + 1);
	memcpy(text, head, head_size);
	for (size_t i = 0; i < count; i++)
		memcpy(text + head_size + i * piece_size, piece, piece_size);
	memcpy(text + head_size + piece_size * count, tail, tail_size + 1);
	return text;
}

static void test_depth_bomb(void **state)
{
	(void)state;
	struct event_log log;
	event_log_init(&log, &LIMITS);
	size_t size;
	char *bomb = repeat("", "<a>", 1000000, "", &size);
	assert_int_equal(event_log_parse(&log, (struct bytes){bomb, size}, 65536), ST_LIMIT);
	assert_int_equal(log.starts, 256);
	assert_string_equal(xml_reader_error(log.reader), "line 1: elements are nested too deep");
	memory_free(bomb);
	event_log_fini(&log);
}

static void test_limits(void **state)
{
	(void)state;
	struct xml_reader_limits limits = {.depth = 2, .text_size = 10, .attributes = 2};
	struct event_log log;
	event_log_init(&log, &limits);
	assert_int_equal(event_log_parse(&log, bytes_of("<a><b/></a>"), 1), ST_OK);
	assert_int_equal(event_log_parse(&log, bytes_of("<a><b><c/></b></a>"), 1), ST_LIMIT);
	assert_int_equal(event_log_parse(&log, bytes_of("<a>1234567890<b/>1234567890</a>"), 1), ST_OK);
	assert_int_equal(event_log_parse(&log, bytes_of("<a>12345678901<b/></a>"), 1), ST_LIMIT);
	assert_int_equal(event_log_parse(&log, bytes_of("<a>12345<![CDATA[67890]]>1</a>"), 1), ST_LIMIT);
	assert_int_equal(event_log_parse(&log, bytes_of("<a b='1234567890' c=''/>"), 1), ST_OK);
	assert_int_equal(event_log_parse(&log, bytes_of("<a b='12345678901'/>"), 1), ST_LIMIT);
	assert_int_equal(event_log_parse(&log, bytes_of("<a b='' c='' d=''/>"), 1), ST_LIMIT);
	assert_int_equal(event_log_parse(&log, bytes_of("<a xmlns:b='b' xmlns:c='c' xmlns:d='d'/>"), 1),
			 ST_LIMIT);
	event_log_fini(&log);
}

static double seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

struct big {
	const char *name, *head, *piece, *tail;
	size_t step;
	enum status status;
	size_t text_size; /* that must come, where the status is ST_OK; SIZE_MAX: all pieces */
};

#define BIG_SIZE (10 * MIB)

/* 10 MiB each: linear time means well under a second without sanitizers. */
static const struct big BIGS[] = {
	{"text by 1", "<a>", "0123456789abcdef", "</a>", 1, ST_OK, SIZE_MAX},
	{"text by 64", "<a>", "0123456789abcdef", "</a>", 64, ST_OK, SIZE_MAX},
	{"text by 64 KiB", "<a>", "\u00e4\u20ac\U0001f600x", "</a>", 65536, ST_OK, SIZE_MAX},
	{"text of lines", "<a>", "0123456789abcde\n", "</a>", 4096, ST_OK, SIZE_MAX},
	{"text of >", "<a>", ">>>>", "</a>", 64, ST_OK, SIZE_MAX},
	{"cdata by 64", "<a><![CDATA[", "0123456789abcdef", "]]></a>", 64, ST_OK, SIZE_MAX},
	{"cdata of ]", "<a><![CDATA[", "]]]] ]\u00e4", "]]></a>", 1000, ST_OK, SIZE_MAX},
	{"cdata sections", "<a>", "<![CDATA[]]>", "</a>", 1000, ST_OK, 0},
	{"comments", "<a>", "<!-- -->", "</a>", 1000, ST_OK, 0},
	{"references", "<a>", "&amp;", "</a>", 1000, ST_OK, BIG_SIZE / 5},
	{"empty elements", "<a>", "<b/>", "</a>", 64, ST_OK, 0},
	{"exclamation marks", "<a>", "!!!!", "</a>", 64, ST_OK, SIZE_MAX},
	{"blanks before", "", " ", "<a/>", 64, ST_OK, 0},
	{"blanks after", "<a/>", "\n", "", 64, ST_OK, 0},
	{"attribute value", "<a b='", "0123456789abcdef", "'/>", 64, ST_LIMIT, 0},
	{"attributes", "<a", " a:b=''", "/>", 64, ST_LIMIT, 0},
	{"namespaces", "<a", " xmlns:b=''", "/>", 64, ST_LIMIT, 0},
	{"blanks in a tag", "<a", " ", "/>", 1, ST_LIMIT, 0},
	{"name", "<", "abcd", "/>", 64, ST_LIMIT, 0},
	{"comment", "<!--", "0123456789abcdef", "--><a/>", 64, ST_LIMIT, 0},
	{"reference", "<a>&", "abcd", ";</a>", 64, ST_LIMIT, 0},
	{"instruction", "<?a ", "abcd", "?><a/>", 64, ST_LIMIT, 0},
	{"declaration", "<?xml ", "    ", "?><a/>", 64, ST_LIMIT, 0},
	{"end tag", "<a></a", "    ", ">", 64, ST_LIMIT, 0},
};

static void test_linear_time(void **state)
{
	(void)state;
	struct event_log log;
	event_log_init(&log, &LIMITS);
	log.quiet = true;
	for (size_t i = 0; i < sizeof(BIGS) / sizeof(BIGS[0]); i++) {
		const struct big *big = &BIGS[i];
		size_t count = BIG_SIZE / strlen(big->piece);
		size_t size;
		char *text = repeat(big->head, big->piece, count, big->tail, &size);
		double begin = seconds();
		enum status status = event_log_parse(&log, (struct bytes){text, size}, big->step);
		double spent = seconds() - begin;
		print_message("%-20s %.3f s, %s\n", big->name, spent, xml_reader_error(log.reader));
		assert_int_equal(status, big->status);
		if (status == ST_OK)
			assert_int_equal(log.text_size, big->text_size == SIZE_MAX
								? count * strlen(big->piece)
								: big->text_size);
		assert_true(spent < 10);
		memory_free(text);
	}
	event_log_fini(&log);
}

/* Names that are never seen again must not pile up over a session, nor without bound in one document. */
static void test_names_do_not_pile_up(void **state)
{
	(void)state;
	struct event_log log;
	event_log_init(&log, &LIMITS);
	log.quiet = true;
	size_t name_size = 20000;
	char *document = memory_alloc(name_size + 100);
	size_t size = 0;
	for (unsigned i = 0; i < 300; i++) {
		memset(document, 'a', name_size);
		snprintf(document, 20, "<a%08x", i);
		document[strlen(document)] = 'a';
		memcpy(document + name_size, "/>", 3);
		size = name_size + 2;
		assert_int_equal(event_log_parse(&log, (struct bytes){document, size}, 65536), ST_OK);
	}
	event_log_clear(&log);
	enum status status = xml_reader_feed(log.reader, bytes_of("<a>"));
	for (unsigned i = 0; i < 2000 && status == ST_OK; i++) {
		snprintf(document, 20, "<a%08x", i);
		document[strlen(document)] = 'a';
		status = xml_reader_feed(log.reader, (struct bytes){document, size});
	}
	assert_int_equal(status, ST_LIMIT);
	assert_true(log.starts > 50 && log.starts < 1000);
	memory_free(document);
	event_log_fini(&log);
}

static void test_handler_stops(void **state)
{
	(void)state;
	struct event_log log;
	event_log_init(&log, &LIMITS);
	log.fail_at_depth = 2;
	log.fail_status = ST_BUSY;
	assert_int_equal(event_log_parse(&log, bytes_of("<a>x<b/><c/></a>"), 100), ST_BUSY);
	assert_string_equal(event_log_text(&log), "<{}a>x");
	assert_string_equal(xml_reader_error(log.reader), "");
	log.fail_at_depth = 0;
	assert_int_equal(event_log_parse(&log, bytes_of("<a/>"), 100), ST_OK);
	event_log_fini(&log);
}

static struct xml_reader *resolving_reader;
static char resolved[1000];

static void note_scope(void)
{
	static const char *const PREFIXES[] = {"", "p", "q", "xml", "nowhere"};
	for (size_t i = 0; i < 5; i++) {
		struct bytes uri = xml_reader_resolve(resolving_reader, bytes_of(PREFIXES[i]));
		size_t length = strlen(resolved);
		snprintf(resolved + length, sizeof(resolved) - length, "%s=%.*s ", PREFIXES[i],
			 uri.data ? (int)uri.size : 1, uri.data ? uri.data : "-");
	}
}

static enum status scope_start(void *arg, const struct xml_start *start)
{
	(void)arg;
	(void)start;
	return ST_OK;
}

static enum status scope_end(void *arg)
{
	(void)arg;
	note_scope();
	return ST_OK;
}

static enum status scope_text(void *arg, struct bytes text)
{
	(void)arg;
	(void)text;
	note_scope();
	return ST_OK;
}

static void test_resolve(void **state)
{
	(void)state;
	static const struct xml_handlers HANDLERS = {scope_start, scope_end, scope_text};
	resolving_reader = xml_reader_new(&HANDLERS, NULL, &LIMITS);
	static const char DOCUMENT[] =
		"<a xmlns='u1' xmlns:p='u2'><b xmlns='' xmlns:p='u3' xmlns:q='u4'>t</b>"
		"<c xmlns:q='u5'/></a>";
	for (int round = 0; round < 3; round++) {
		resolved[0] = '\0';
		assert_int_equal(xml_reader_feed(resolving_reader, bytes_of(DOCUMENT)), ST_OK);
		assert_int_equal(xml_reader_finish(resolving_reader), ST_OK);
		assert_string_equal(resolved,
				    "=- p=u3 q=u4 xml=http://www.w3.org/XML/1998/namespace nowhere=- "
				    "=- p=u3 q=u4 xml=http://www.w3.org/XML/1998/namespace nowhere=- "
				    "=u1 p=u2 q=u5 xml=http://www.w3.org/XML/1998/namespace nowhere=- "
				    "=u1 p=u2 q=- xml=http://www.w3.org/XML/1998/namespace nowhere=- ");
		xml_reader_reset(resolving_reader);
	}
	xml_reader_free(resolving_reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events_cut_at_every_byte),
		cmocka_unit_test(test_events_at_the_end_of_a_slice),
		cmocka_unit_test(test_refused_cut_at_every_byte),
		cmocka_unit_test(test_error_names_line),
		cmocka_unit_test(test_error_is_clean),
		cmocka_unit_test(test_entity_bomb),
		cmocka_unit_test(test_depth_bomb),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_linear_time),
		cmocka_unit_test(test_names_do_not_pile_up),
		cmocka_unit_test(test_handler_stops),
		cmocka_unit_test(test_resolve),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
