/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A document that is whole in the reader's slice is pulled, another is pushed: the same events, statuses and
 * reasons must come of both. Blanks before a document that nearly fill a slice are skipped, but make the
 * reader push what comes behind them; so each document is read both ways. They are made of pieces that are
 * nearly right, and damaged.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>

#include "codec/helper_build.h"
#include "codec/helper_events.h"

#define SLICE ((size_t)16 * 1024) /* of the reader */
#define ROUNDS 2000
#define DOCUMENT_MAX 2000 /* bytes */

static const struct xml_reader_limits WIDE = {.depth = 256, .text_size = 1 << 20, .attributes = 64};
static const struct xml_reader_limits NARROW = {.depth = 4, .text_size = 12, .attributes = 2};

/* Well-formed ones, of what requests have and what the two parsers have code of their own for. */
static const char *const DOCUMENTS[] = {
	"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rpc xmlns=\"urn:r\" message-id=\"1\"><get><filter "
	"type='subtree'/></get></rpc>",
	"<rpc xmlns='urn:r' xmlns:n='urn:n' n:id='1'>\n <config>\n  <c xmlns='urn:c'><e n:operation='delete'>"
	"<k>1</k>\r\n<v>a&lt;b&#x263a;</v></e></c>\n </config>\n</rpc>\n",
	"<a>\u00e4\u20ac\U0001f600<b/> ]] &amp;&#13;<c x='&quot;\n>'></c ></a> ",
	"<p:a xmlns:p='urn:p'><p:b xmlns:p='urn:q' p:c='1'/><p:b xmlns=''>t</p:b></p:a>",
	"<a>1<b>2<c>3<d>4</d>5</c>6</b>7</a>",
	"<a>\n\n\n<b>\r\r</b>\r\n<c\n\n d='e'\n/></a>",
};

/* Without "<!": that is pushed either way. */
static const char *const PIECES[] = {
	"<",
	">",
	"/",
	"</a>",
	"<b>",
	"</b>",
	"<b/>",
	"&",
	"&lt;",
	"&amp",
	"&#0;",
	"&nothing;",
	"&#xd800;",
	";",
	"<?pi x?>",
	"<?xml",
	"?>",
	"]]>",
	"<q:b/>",
	" q:x='1'",
	" xmlns:q=''",
	" x='1'",
	" x='2'",
	" xmlns=''",
	" xmlns='rel ative'",
	" xmlns:xml='u'",
	" xmlns:p='urn:p'",
	"'",
	"\"",
	"=",
	"\n",
	"\r\n",
	" ",
	"\t",
	"\x01",
	"\x7f",
	"\xc3",
	"\xff",
	"\xed\xa0\x80",
	"\xef\xbf\xbf",
	"\xef\xbb\xbf",
	"\u20ac",
	"text",
	"x y",
	":",
	"-",
	"<1/>",
	"<a:b:c/>",
	"encoding='UTF-16'",
	"ISO-8859-1",

	"xml:lang='en'",
	" xml:space='x'",
};

struct pair {
	struct event_log pulled, pushed;
	size_t good, refused, limited, stopped;
};

static void replace(char *document, size_t *size, size_t at, size_t gone, struct bytes piece)
{
	if (*size - gone + piece.size > DOCUMENT_MAX)
		return;
	memmove(document + at + piece.size, document + at + gone, *size - at - gone);
	memcpy(document + at, piece.data, piece.size);
	*size = *size - gone + piece.size;
}

static size_t make_document(char *document, uint64_t *seed)
{
	const char *base = DOCUMENTS[helper_random(seed, sizeof(DOCUMENTS) / sizeof(DOCUMENTS[0]))];
	size_t size = strlen(base);
	memcpy(document, base, size);
	for (unsigned left = helper_random(seed, 4); left > 0 && size > 0; left--) {
		size_t at = helper_random(seed, (uint32_t)size);
		const char *piece = PIECES[helper_random(seed, sizeof(PIECES) / sizeof(PIECES[0]))];
		switch (helper_random(seed, 8)) {
		case 0:
			size = at; /* the end does not come */
			break;
		case 1:
			replace(document, &size, at, 1, (struct bytes){"", 0});
			break;
		case 2:
			replace(document, &size, at, 1, (struct bytes){"", 1}); /* a NUL */
			break;
		case 3:
			replace(document, &size, size, 0, bytes_of(piece)); /* behind the end */
			break;
		default:
			replace(document, &size, at, 0, bytes_of(piece));
			break;
		}
	}
	return size;
}

/* The same behind blanks, of which all but its first two bytes are in another slice. */
static enum status parse_pushed(struct event_log *log, struct bytes document)
{
	static char text[SLICE + DOCUMENT_MAX];
	size_t lead = SLICE - 2;
	memset(text, ' ', lead);
	memcpy(text + lead, document.data, document.size);
	return event_log_parse(log, (struct bytes){text, lead + document.size}, SLICE);
}

static void compare(struct pair *pair, struct bytes document)
{
	enum status pulled = event_log_parse(&pair->pulled, document, document.size + 1);
	enum status pushed = parse_pushed(&pair->pushed, document);
	const char *reason = xml_reader_error(pair->pulled.reader);
	if (pulled != pushed || strcmp(reason, xml_reader_error(pair->pushed.reader)) != 0)
		fail_msg("%.*s\npulled: %s, %s\npushed: %s, %s", (int)document.size, document.data,
			 status_name(pulled), reason, status_name(pushed),
			 xml_reader_error(pair->pushed.reader));
	/* The push parser keeps a last byte of text to itself where the document ends too early. */
	const char *events = event_log_text(&pair->pulled);
	const char *expected = event_log_text(&pair->pushed);
	size_t compared = pulled == ST_REJECTED ? strlen(expected) : SIZE_MAX;
	if (strncmp(events, expected, compared) != 0)
		fail_msg("%.*s\npulled: %s\npushed: %s", (int)document.size, document.data, events, expected);
	pair->good += pulled == ST_OK;
	pair->refused += pulled == ST_REJECTED;
	pair->limited += pulled == ST_LIMIT;
	pair->stopped += pulled == ST_BUSY;
}

static void compare_rounds(const struct xml_reader_limits *limits, unsigned fail_at_depth, struct pair *pair)
{
	const char *text = getenv("YARE_SEED");
	uint64_t seed = text ? strtoull(text, NULL, 10) : (uint64_t)time(NULL);
	print_message("YARE_SEED=%llu\n", (unsigned long long)seed);
	event_log_init(&pair->pulled, limits);
	event_log_init(&pair->pushed, limits);
	pair->pulled.fail_at_depth = pair->pushed.fail_at_depth = fail_at_depth;
	pair->pulled.fail_status = pair->pushed.fail_status = ST_BUSY;
	for (int round = 0; round < ROUNDS; round++) {
		char document[DOCUMENT_MAX];
		size_t size = make_document(document, &seed);
		compare(pair, (struct bytes){document, size});
	}
	event_log_fini(&pair->pulled);
	event_log_fini(&pair->pushed);
	print_message("good %zu, refused %zu, over limits %zu, stopped %zu\n", pair->good, pair->refused,
		      pair->limited, pair->stopped);
}

static void test_same_events_and_reasons(void **state)
{
	(void)state;
	struct pair pair = {0};
	compare_rounds(&WIDE, 0, &pair);
	assert_true(pair.good > ROUNDS / 5);
	assert_true(pair.refused > ROUNDS / 5);
}

static void test_same_limits(void **state)
{
	(void)state;
	struct pair pair = {0};
	compare_rounds(&NARROW, 0, &pair);
	assert_true(pair.good > ROUNDS / 20);
	assert_true(pair.limited > ROUNDS / 20);
}

static void test_same_stops_by_handlers(void **state)
{
	(void)state;
	struct pair pair = {0};
	compare_rounds(&WIDE, 3, &pair);
	assert_true(pair.stopped > ROUNDS / 5);
}

/* The texts that a client gets, which the pull parser would word otherwise. */
static void test_reasons(void **state)
{
	(void)state;
	static const char *const REASONS[][2] = {
		{"<a>\n<b>", "line 2: Extra content at the end of the document"},
		{"<a>", "line 1: Extra content at the end of the document"},
	};
	struct event_log log;
	event_log_init(&log, &WIDE);
	for (size_t i = 0; i < sizeof(REASONS) / sizeof(REASONS[0]); i++) {
		assert_int_equal(event_log_parse(&log, bytes_of(REASONS[i][0]), 100), ST_REJECTED);
		assert_string_equal(xml_reader_error(log.reader), REASONS[i][1]);
	}
	event_log_fini(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_events_and_reasons),
		cmocka_unit_test(test_same_limits),
		cmocka_unit_test(test_same_stops_by_handlers),
		cmocka_unit_test(test_reasons),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
