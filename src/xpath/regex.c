/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * XSD regular expressions as PCRE2 patterns. The languages differ in what is special:
 *
 *   XSD                      PCRE2
 *   implicit anchors         PCRE2_ANCHORED | PCRE2_ENDANCHORED
 *   ^ $ are literals         escaped
 *   .                        [^\n\r]
 *   ( )                      (?: )
 *   \i \c                    the classes of XML name characters
 *   \d \w \s                 by Unicode categories, as XSD defines them
 *   \p{L} \p{Lu} ...         the same; \p{IsBlock} of a few blocks as ranges
 *   *? ++ (? and the like    refused: in PCRE2 they would mean something
 *   [a-z-[aeiou]]            refused: there is no class subtraction
 *
 * Everything else is copied character by character, ASCII punctuation always escaped, so that nothing that
 * XSD does not know can reach PCRE2 as syntax. A match has a limit on backtracking, depth and memory, as
 * patterns may be a client's.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "xpath/regex.h"

#include "base/memory.h"
#include "xpath/utf8.h"

#define HEAP_LIMIT 16384  /* KiB of a match */
#define PATTERN_MAX 65536 /* bytes */
#define GROUPS_MAX 250	  /* nested */
#define EXPANSION_MAX 160 /* bytes that one byte of a pattern becomes, at most */

struct xpath_regex {
	pcre2_code *code;
};

/* Inside a character class. NameStartChar and NameChar of XML 1.0, fifth edition. */
#define NAME_START                                                                                           \
	":A-Z_a-z\\x{c0}-\\x{d6}\\x{d8}-\\x{f6}\\x{f8}-\\x{2ff}\\x{370}-\\x{37d}\\x{37f}-\\x{1fff}"          \
	"\\x{200c}-\\x{200d}\\x{2070}-\\x{218f}\\x{2c00}-\\x{2fef}\\x{3001}-\\x{d7ff}\\x{f900}-\\x{fdcf}"    \
	"\\x{fdf0}-\\x{fffd}\\x{10000}-\\x{effff}"
#define NAME_CHAR NAME_START "\\-.0-9\\x{b7}\\x{300}-\\x{36f}\\x{203f}-\\x{2040}"

_Static_assert(sizeof("[^" NAME_CHAR "]") <= 2 * EXPANSION_MAX, "an escape has two bytes");

/* Of a character class. */
enum place { OUTSIDE, IN_CLASS };

struct translator {
	struct bytes in;
	size_t at; /* byte of in */
	char *out;
	size_t size;
	unsigned groups;
	const char *message;
};

static enum status refuse(struct translator *t, const char *message)
{
	t->message = message;
	return ST_REJECTED;
}

static char peek(const struct translator *t)
{
	return t->at < t->in.size ? t->in.data[t->at] : '\0';
}

static void put(struct translator *t, const char *text)
{
	size_t size = strlen(text);
	memcpy(t->out + t->size, text, size);
	t->size += size;
}

/* One character as a literal. */
static void put_literal(struct translator *t)
{
	size_t size = xpath__character_size(t->in, t->at);
	char c = t->in.data[t->at];
	bool alphanumeric = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
	if (size == 1 && !alphanumeric && c > ' ' && c < 0x7f)
		t->out[t->size++] = '\\';
	memcpy(t->out + t->size, t->in.data + t->at, size);
	t->size += size;
	t->at += size;
}

/* The content of the class that a multi-character escape means, and its complement; NULL: no such escape. */
static const char *class_of(char c)
{
	switch (c) {
	case 's':
		return " \\t\\n\\r";
	case 'S':
		return "\\x{0}-\\x{8}\\x{b}\\x{c}\\x{e}-\\x{1f}\\x{21}-\\x{10ffff}";
	case 'd':
		return "\\p{Nd}";
	case 'D':
		return "\\P{Nd}";
	case 'w':
		return "\\p{L}\\p{M}\\p{N}\\p{S}";
	case 'W':
		return "\\p{P}\\p{Z}\\p{C}";
	case 'i':
		return NAME_START;
	case 'c':
		return NAME_CHAR;
	default:
		return NULL;
	}
}

static enum status translate_block(struct translator *t, struct bytes name, bool negated, enum place place)
{
	static const struct {
		const char *name, *range;
	} blocks[] = {
		{"IsBasicLatin", "\\x{0}-\\x{7f}"},
		{"IsLatin-1Supplement", "\\x{80}-\\x{ff}"},
		{"IsLatinExtended-A", "\\x{100}-\\x{17f}"},
		{"IsLatinExtended-B", "\\x{180}-\\x{24f}"},
		{"IsGreek", "\\x{370}-\\x{3ff}"},
		{"IsCyrillic", "\\x{400}-\\x{4ff}"},
		{"IsHebrew", "\\x{590}-\\x{5ff}"},
		{"IsArabic", "\\x{600}-\\x{6ff}"},
		{"IsGeneralPunctuation", "\\x{2000}-\\x{206f}"},
	};
	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		if (!bytes_equal(name, bytes_of(blocks[i].name)))
			continue;
		if (negated && place == IN_CLASS)
			return refuse(t, "a complement of a block inside a character class is not supported");
		put(t, place == IN_CLASS ? "" : negated ? "[^" : "[");
		put(t, blocks[i].range);
		put(t, place == IN_CLASS ? "" : "]");
		return ST_OK;
	}
	return refuse(t, "unknown or unsupported Unicode block");
}

static bool is_category(struct bytes name)
{
	static const char *const categories[] = {"L",  "Lu", "Ll", "Lt", "Lm", "Lo", "M",  "Mn", "Mc",
						 "Me", "N",  "Nd", "Nl", "No", "P",  "Pc", "Pd", "Ps",
						 "Pe", "Pi", "Pf", "Po", "Z",  "Zs", "Zl", "Zp", "S",
						 "Sm", "Sc", "Sk", "So", "C",  "Cc", "Cf", "Co", "Cn"};
	for (size_t i = 0; i < sizeof(categories) / sizeof(categories[0]); i++) {
		if (bytes_equal(name, bytes_of(categories[i])))
			return true;
	}
	return false;
}

/* \p{...} or \P{...}, at the brace. */
static enum status translate_property(struct translator *t, bool negated, enum place place)
{
	const char *end = peek(t) == '{' ? memchr(t->in.data + t->at, '}', t->in.size - t->at) : NULL;
	if (end == NULL)
		return refuse(t, "a category escape needs braces");
	struct bytes name = {t->in.data + t->at + 1, (size_t)(end - t->in.data) - t->at - 1};
	t->at = (size_t)(end - t->in.data) + 1;
	if (name.size > 2)
		return translate_block(t, name, negated, place);
	if (!is_category(name))
		return refuse(t, "unknown Unicode category");
	put(t, negated ? "\\P{" : "\\p{");
	memcpy(t->out + t->size, name.data, name.size);
	t->size += name.size;
	put(t, "}");
	return ST_OK;
}

/* At the character after the backslash. *single: it stood for one character (that may begin a range). */
static enum status translate_escape(struct translator *t, enum place place, bool *single)
{
	char c = peek(t);
	*single = false;
	if (c == 'p' || c == 'P') {
		t->at++;
		return translate_property(t, c == 'P', place);
	}
	const char *class = class_of(c);
	if (class != NULL) {
		put(t, place == IN_CLASS ? "" : "[");
		put(t, class);
		put(t, place == IN_CLASS ? "" : "]");
		t->at++;
		return ST_OK;
	}
	if (c == 'I' || c == 'C') {
		if (place == IN_CLASS)
			return refuse(t, "\\I and \\C inside a character class are not supported");
		put(t, c == 'I' ? "[^" NAME_START "]" : "[^" NAME_CHAR "]");
		t->at++;
		return ST_OK;
	}
	*single = true;
	if (c == 'n' || c == 'r' || c == 't') {
		char escape[] = {'\\', c, '\0'};
		put(t, escape);
		t->at++;
		return ST_OK;
	}
	bool alphanumeric = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
	if (t->at >= t->in.size || alphanumeric)
		return refuse(t, "unknown escape");
	put_literal(t);
	return ST_OK;
}

/* One character or escape of a class. */
static enum status translate_class_atom(struct translator *t, bool *single)
{
	char c = peek(t);
	if (t->at >= t->in.size)
		return refuse(t, "unterminated character class");
	if (c == '[')
		return refuse(t, "'[' inside a character class, or class subtraction, is not supported");
	if (c == '\\') {
		t->at++;
		return translate_escape(t, IN_CLASS, single);
	}
	*single = true;
	put_literal(t);
	return ST_OK;
}

static bool at_range(const struct translator *t)
{
	return peek(t) == '-' && t->at + 1 < t->in.size && t->in.data[t->at + 1] != ']';
}

/* After the opening bracket. */
static enum status translate_class(struct translator *t)
{
	put(t, "[");
	if (peek(t) == '^') {
		put(t, "^");
		t->at++;
	}
	if (peek(t) == ']')
		return refuse(t, "empty character class");
	while (peek(t) != ']') {
		bool single;
		enum status status = translate_class_atom(t, &single);
		if (status == ST_OK && single && at_range(t) && t->in.data[t->at + 1] != '[') {
			put(t, "-");
			t->at++;
			status = translate_class_atom(t, &single);
			if (status == ST_OK && !single)
				return refuse(t, "a range ends with a class");
		}
		if (status != ST_OK)
			return status;
	}
	put(t, "]");
	t->at++;
	return ST_OK;
}

/* {n} {n,} {n,m}, at the brace. */
static enum status translate_count(struct translator *t)
{
	size_t start = t->at, digits = 0, commas = 0;
	for (t->at++; t->at < t->in.size && peek(t) != '}'; t->at++) {
		if (peek(t) == ',' && digits > 0 && commas == 0)
			commas++;
		else if (peek(t) >= '0' && peek(t) <= '9')
			digits++;
		else
			return refuse(t, "wrong quantifier");
	}
	if (t->at >= t->in.size || digits == 0 || t->at - start > 16)
		return refuse(t, "wrong quantifier");
	t->at++;
	memcpy(t->out + t->size, t->in.data + start, t->at - start);
	t->size += t->at - start;
	return ST_OK;
}

static bool is_quantifier(char c)
{
	return c == '?' || c == '*' || c == '+' || c == '{';
}

/* ? * + {...} after an atom, at most one. */
static enum status translate_quantifier(struct translator *t)
{
	char c = peek(t);
	if (!is_quantifier(c))
		return ST_OK;
	enum status status = ST_OK;
	if (c == '{') {
		status = translate_count(t);
	} else {
		t->out[t->size++] = c;
		t->at++;
	}
	if (status == ST_OK && is_quantifier(peek(t)))
		return refuse(t, "a quantifier follows a quantifier");
	return status;
}

static enum status translate_atom(struct translator *t)
{
	char c = peek(t);
	bool single;
	switch (c) {
	case '.':
		t->at++;
		put(t, "[^\\n\\r]");
		return ST_OK;
	case '[':
		t->at++;
		return translate_class(t);
	case '\\':
		t->at++;
		return translate_escape(t, OUTSIDE, &single);
	case ']':
	case '}':
		return refuse(t, "unbalanced bracket");
	case '?':
	case '*':
	case '+':
	case '{':
		return refuse(t, "nothing to repeat");
	default:
		put_literal(t);
		return ST_OK;
	}
}

static enum status translate_next(struct translator *t)
{
	char c = peek(t);
	if (c == '|') {
		put(t, "|");
		t->at++;
		return ST_OK;
	}
	if (c == '(') {
		if (++t->groups > GROUPS_MAX)
			return refuse(t, "nested too deep");
		put(t, "(?:");
		t->at++;
		return ST_OK;
	}
	if (c == ')') {
		if (t->groups-- == 0)
			return refuse(t, "unbalanced parenthesis");
		put(t, ")");
		t->at++;
		return translate_quantifier(t);
	}
	enum status status = translate_atom(t);
	return status != ST_OK ? status : translate_quantifier(t);
}

static enum status translate(struct translator *t)
{
	enum status status = ST_OK;
	put(t, "(?:");
	while (status == ST_OK && t->at < t->in.size)
		status = translate_next(t);
	if (status == ST_OK && t->groups > 0)
		return refuse(t, "unbalanced parenthesis");
	put(t, ")");
	return status;
}

/* The code lives in the caller's arena and is never freed by itself. */
static void *allocate_in_arena(size_t size, void *arena)
{
	return arena_alloc(arena, size);
}

static void free_in_arena(void *memory, void *arena)
{
	(void)memory, (void)arena;
}

static void *allocate_on_heap(size_t size, void *arg)
{
	(void)arg;
	return memory_alloc(size);
}

static void free_on_heap(void *memory, void *arg)
{
	(void)arg;
	memory_free(memory);
}

enum status xpath__regex_compile(struct bytes pattern, struct arena *arena, const struct xpath_regex **regex,
				 const char **message)
{
	*message = "the pattern is too long";
	if (pattern.size > PATTERN_MAX)
		return ST_REJECTED;
	struct arena *scratch = arena_new();
	struct translator t = {.in = pattern,
			       .out = arena_alloc(scratch, (pattern.size + 1) * EXPANSION_MAX)};
	enum status status = translate(&t);
	*message = t.message;
	if (status == ST_OK) {
		pcre2_general_context *general =
			pcre2_general_context_create(allocate_in_arena, free_in_arena, arena);
		pcre2_compile_context *context = pcre2_compile_context_create(general);
		int error;
		PCRE2_SIZE offset;
		pcre2_code *code = pcre2_compile((PCRE2_SPTR)t.out, t.size,
						 PCRE2_UTF | PCRE2_ANCHORED | PCRE2_ENDANCHORED |
							 PCRE2_DOLLAR_ENDONLY | PCRE2_NO_AUTO_CAPTURE,
						 &error, &offset, context);
		struct xpath_regex *made = arena_alloc(arena, sizeof(*made));
		made->code = code;
		*regex = made;
		if (code == NULL) {
			char *text = arena_zalloc(arena, 128);
			pcre2_get_error_message(error, (PCRE2_UCHAR *)text, 127);
			*message = text;
			status = ST_REJECTED;
		}
	}
	arena_free(scratch);
	return status;
}

enum status xpath__regex_match(const struct xpath_regex *regex, struct bytes text, uint32_t most,
			       bool *matches)
{
	pcre2_general_context *general = pcre2_general_context_create(allocate_on_heap, free_on_heap, NULL);
	pcre2_match_context *context = pcre2_match_context_create(general);
	pcre2_match_data *data = pcre2_match_data_create(1, general);
	pcre2_set_match_limit(context, most);
	pcre2_set_heap_limit(context, HEAP_LIMIT);
	int result = pcre2_match(regex->code, (PCRE2_SPTR)(text.size > 0 ? text.data : ""), text.size, 0, 0,
				 data, context);
	pcre2_match_data_free(data);
	pcre2_match_context_free(context);
	pcre2_general_context_free(general);
	if (result == PCRE2_ERROR_MATCHLIMIT || result == PCRE2_ERROR_DEPTHLIMIT ||
	    result == PCRE2_ERROR_HEAPLIMIT)
		return ST_LIMIT;
	*matches = result >= 0;
	return ST_OK;
}
