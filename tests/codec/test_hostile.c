/* SPDX-License-Identifier: BSD-3-Clause */
/* Damaged requests: documents with random bytes and pieces changed, in random steps, must be decoded or
 * refused, with diagnostics or an error text, and nothing else may happen. What is decoded can be written and
 * read back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "codec/helper_build.h"
#include "codec/helper_decode.h"
#include "codec/xml_encoder.h"

#define ROUNDS 4000
#define SLOW_VALUES 10000
#ifdef __SANITIZE_ADDRESS__
#define SLOW_SECONDS 3
#else
#define SLOW_SECONDS 1
#endif

static const char DOCUMENT[] =
	"<config xmlns='urn:ietf:params:xml:ns:netconf:base:1.0' "
	"xmlns:nc='urn:ietf:params:xml:ns:netconf:base:1.0' "
	"xmlns:yang='urn:ietf:params:xml:ns:yang:1' xmlns:c='urn:yare:codec-test'><!-- x -->"
	"<top xmlns='urn:yare:codec-test' "
	"nc:operation='merge'><entry><text>a&lt;&#13;</text><second>1</second>"
	"<first>f</first><pet>c:cat</pet><where>/c:top/c:name</where><mixed>17</mixed><box><width>1.5</"
	"width></box>"
	"<inner><name>n</name></inner><tag>t</tag></entry><line yang:insert='after' "
	"yang:key=\"[c:name='x']\">"
	"<name><![CDATA[y]]]]></name><kind nc:operation='delete'/></line><data><c:x xmlns:d='u' "
	"d:a='c:b'>c:y</c:x></data>"
	"<mess> m <![CDATA[<>]]></mess></top><c:word>w</c:word></config>";

static const char *const PIECES[] = {
	"<",
	">",
	"</",
	"/>",
	"&",
	"&amp;",
	"'",
	"\"",
	"]]>",
	"<![CDATA[",
	"<!--",
	"-->",
	"<?x?>",
	"xmlns=''",
	"xmlns:c='u'",
	"c:",
	":",
	"\xff",
	"\u00e4",
	" ",
	"<name>",
	"</name>",
	"<c:top>",
	"</c:top>",
	"nc:operation='create'",
	"<entry>",
	"</entry>",
	"<first>g</first>",
	"yang:insert='first'",
	"[c:name='z']",
	"\r",
	"<!DOCTYPE x>",
};

/* Well-formed on their own. */
static const char *const WHOLES[] = {
	"x",
	" ",
	"&#13;",
	"<name/>",
	"<name>&amp;</name>",
	"<c:top/>",
	"<c:word>\u00e4</c:word>",
	"<step>s</step>",
	"<entry><second>7</second><first>g</first></entry>",
	"<first>g</first>",
	"<box/>",
	"<number>5</number>",
	"<line yang:insert='first'><name>z</name></line>",
	"<x xmlns='urn:x'/>",
	"<data/>",
	"<!-- y -->",
	"<inner xmlns='urn:yare:codec-test'><name>q</name></inner>",
	"<![CDATA[]]>",
	"<tag>c:cat</tag>",
	"<pet xmlns:c='urn:x'>c:cat</pet>",
	"<name nc:operation='remove'/>",
};

struct change {
	size_t at, removed;
	const char *added;
};

static struct change random_change(const char *document, size_t size, uint64_t *seed)
{
	struct change change = {.at = helper_random(seed, (uint32_t)size)};
	if (helper_random(seed, 4) == 0) {
		change.added = PIECES[helper_random(seed, sizeof(PIECES) / sizeof(PIECES[0]))];
		change.removed = helper_random(seed, 12);
		if (change.removed > size - change.at)
			change.removed = size - change.at;
		return change;
	}
	while (change.at > 0 && document[change.at - 1] != '>')
		change.at--;
	change.added = WHOLES[helper_random(seed, sizeof(WHOLES) / sizeof(WHOLES[0]))];
	return change;
}

static size_t damage(char *document, size_t size, size_t capacity, uint64_t *seed)
{
	for (uint32_t i = helper_random(seed, 3) + 1; i > 0; i--) {
		struct change change = random_change(document, size, seed);
		size_t added = strlen(change.added);
		if (size - change.removed + added > capacity)
			continue;
		memmove(document + change.at + added, document + change.at + change.removed,
			size - change.at - change.removed);
		memcpy(document + change.at, change.added, added);
		size = size - change.removed + added;
	}
	return size;
}

static struct tree_record *build(const struct schema *schema, struct bytes document)
{
	struct decode_options options = {.memory_limit = 1 << 20, .diag_limit = 5};
	struct decoding decoding;
	helper_decode(&decoding, schema, document, &options);
	assert_int_equal(decoding.status, ST_OK);
	struct tree_record *root = helper_build(schema, decoding.tree);
	helper_decode_fini(&decoding);
	return root;
}

static void check_round_trip(struct schema *schema, const struct edit_tree *edit)
{
	struct tree_record *root = helper_build(schema, edit);
	struct xml_encoder *encoder = xml_encoder_new(schema, root, NULL, NULL);
	struct buffer out;
	buffer_init(&out, SIZE_MAX);
	bool done;
	assert_int_equal(buffer_append(&out, bytes_of("<data>")), ST_OK);
	assert_int_equal(xml_encoder_run(encoder, &out, SIZE_MAX, SIZE_MAX, &done), ST_OK);
	assert_int_equal(buffer_append(&out, bytes_of("</data>")), ST_OK);
	xml_encoder_free(encoder);
	struct tree_record *again = build(schema, buffer_get(&out));
	assert_true(tree_record_equal(schema->root, root, again));
	tree_record_unref(root, schema->root, NULL);
	tree_record_unref(again, schema->root, NULL);
	buffer_fini(&out);
}

static void test_damaged_requests(void **state)
{
	(void)state;
	const char *text = getenv("YARE_SEED");
	uint64_t seed = text ? strtoull(text, NULL, 10) : (uint64_t)time(NULL);
	print_message("YARE_SEED=%llu\n", (unsigned long long)seed);
	struct schema *schema = helper_schema();
	size_t accepted = 0, rejected = 0, malformed = 0;
	for (int round = 0; round < ROUNDS; round++) {
		char document[2 * sizeof(DOCUMENT)];
		memcpy(document, DOCUMENT, sizeof(DOCUMENT) - 1);
		size_t size = damage(document, sizeof(DOCUMENT) - 1, sizeof(document), &seed);
		struct decode_options options = {
			.memory_limit = 1 << 16, .diag_limit = 5, .step = helper_random(&seed, 100)};
		struct decoding decoding;
		helper_decode(&decoding, schema, (struct bytes){document, size}, &options);
		if (decoding.status == ST_OK) {
			assert_int_equal(decoding.diags.length, 0);
			check_round_trip(schema, decoding.tree);
			accepted++;
		} else {
			assert_int_equal(decoding.status, ST_REJECTED);
			assert_true((decoding.diags.length > 0) || decoding.error[0] != '\0');
			*(decoding.error[0] ? &malformed : &rejected) += 1;
		}
		helper_decode_fini(&decoding);
	}
	print_message("%zu accepted, %zu rejected, %zu malformed\n", accepted, rejected, malformed);
	assert_true(accepted > 0 && rejected > 0 && malformed > 0);
	schema_unref(schema);
}

static void put_values(struct buffer *out, const char *element, const char *begin, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		char text[256];
		int size = snprintf(text, sizeof(text), "<%s xmlns='urn:yare:codec-test'>%s%u</%s>", element,
				    begin, i, element);
		assert_int_equal(buffer_append(out, (struct bytes){text, (size_t)size}), ST_OK);
	}
}

/* Decodes <config> with values of both leaf-lists; gives the diagnostics. */
static const char *decode_values(struct decoding *decoding, struct schema *schema, const char *begin,
				 unsigned slow, unsigned slow_or_any)
{
	struct decode_options options = {.memory_limit = 1 << 24, .diag_limit = SLOW_VALUES + 1};
	struct buffer document;
	buffer_init(&document, SIZE_MAX);
	assert_int_equal(buffer_append(&document, bytes_of("<config>")), ST_OK);
	put_values(&document, "slow", begin, slow);
	put_values(&document, "slow-or-any", begin, slow_or_any);
	assert_int_equal(buffer_append(&document, bytes_of("</config>")), ST_OK);
	helper_decode(decoding, schema, buffer_get(&document), &options);
	buffer_fini(&document);
	return helper_diag_text(&decoding->diags, decoding->arena);
}

/* Each value reaches the limit of its pattern; all together they may not take longer than a second. */
static void test_many_slow_values(void **state)
{
	(void)state;
	static const char hostile[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
	struct schema *schema = helper_schema();
	struct decoding decoding;
	clock_t began = clock();
	const char *diags = decode_values(&decoding, schema, hostile, SLOW_VALUES, 0);
	double seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
	print_message("%.3f s of CPU time\n", seconds);
	assert_int_equal(decoding.status, ST_REJECTED);
	assert_int_equal(decoding.diags.length + decoding.diags.dropped, SLOW_VALUES);
	assert_non_null(strstr(diags, "too much work to match the pattern"));
	assert_true(seconds < SLOW_SECONDS);
	helper_decode_fini(&decoding);

	/* One such value may be of the next member of a union; with an empty budget nobody knows. */
	decode_values(&decoding, schema, hostile, 0, 1);
	assert_int_equal(decoding.status, ST_OK);
	helper_decode_fini(&decoding);
	diags = decode_values(&decoding, schema, hostile, 0, SLOW_VALUES);
	assert_int_equal(decoding.status, ST_REJECTED);
	assert_non_null(strstr(diags, "The values of the request take too much work to match patterns."));
	helper_decode_fini(&decoding);

	/* Values that match at once have no part in this. */
	decode_values(&decoding, schema, "x", 0, SLOW_VALUES);
	assert_int_equal(decoding.status, ST_OK);
	helper_decode_fini(&decoding);
	schema_unref(schema);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_damaged_requests),
		cmocka_unit_test(test_many_slow_values),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
