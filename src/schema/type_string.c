/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Restrictions of strings. Patterns are those that libyang compiled, matched here with a limit: a pattern
 * with nested repetitions takes exponential time on a hostile value, and libyang sets no limit of its own. A
 * value that reaches the limit is refused, and the message names the pattern.
 *
 * Many such values in one request would still take long, so requests have a budget too. PCRE2 does not tell
 * how many steps a match took, only that it reached its limit: so the limit begins low, free of charge, and
 * each time that it is reached and raised, the whole of it is taken from the budget.
 *
 * Patterns are made into machine code when the schema is compiled, where PCRE2 can do so. It counts steps of
 * its own, fewer, so it has the first limit only: what does not come to an end with it is matched from the
 * start as said above, and machine code never refuses a value.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/memory.h"
#include "schema/type_parse.h"

/* Steps of PCRE2's matcher for one value and pattern; a plain value takes a few for each of its characters.
 */
#define PATTERN_STEPS 200000
#define PATTERN_STEPS_PER_BYTE                                                                               \
	16 /* more of them for values so large that one pass takes more than PATTERN_STEPS */
/* With a budget: the first limit, with so many more for each byte, and how it grows. */
#define PATTERN_STEPS_FREE 500
#define PATTERN_STEPS_FREE_PER_BYTE 8
#define PATTERN_STEPS_GROWTH 8
/* The matcher's memory for one value: it remembers each step that it may have to take back. */
#define PATTERN_HEAP_MIN ((size_t)16 << 20)  /* bytes */
#define PATTERN_HEAP_MAX ((size_t)256 << 20) /* bytes */
#define PATTERN_HEAP_PER_BYTE ((size_t)512)

/* PCRE2's memory for one value, on the stack: what it takes for every match without looking whether that is
 * needed, some 20 KiB, and would give back at once. What is more comes from the heap. */
#define POOL_SIZE ((size_t)24 << 10) /* bytes */
#define POOL_ALIGN 16		     /* bytes */

struct pool {
	size_t used;
	_Alignas(POOL_ALIGN) char data[POOL_SIZE];
};

static void *pool_take(PCRE2_SIZE size, void *arg)
{
	struct pool *pool = arg;
	if (size > POOL_SIZE - pool->used)
		return memory_alloc(size);
	void *taken = pool->data + pool->used;
	size_t left = POOL_SIZE - pool->used, whole = (size + POOL_ALIGN - 1) / POOL_ALIGN * POOL_ALIGN;
	pool->used += whole < left ? whole : left;
	return taken;
}

static void pool_give(void *block, void *arg)
{
	const struct pool *pool = arg;
	bool is_inside = (char *)block >= pool->data && (char *)block < pool->data + POOL_SIZE;
	if (!is_inside)
		memory_free(block);
}

static size_t character_count(struct bytes text)
{
	size_t count = 0;
	for (size_t i = 0; i < text.size; i++)
		count += ((unsigned char)text.data[i] & 0xc0) != 0x80;
	return count;
}

static enum status check_length(struct type_parse *parse, const struct lysc_range *length, struct bytes text)
{
	if (length == NULL)
		return ST_OK;
	size_t count = character_count(text);
	for (size_t i = 0; i < LY_ARRAY_COUNT(length->parts); i++)
		if (count >= length->parts[i].min_u64 && count <= length->parts[i].max_u64)
			return ST_OK;
	return type_refuse(parse, length->emsg, length->eapptag,
			   "Length %zu of value \"%.*s\" is not one that is allowed.", count, EXCERPT(text));
}

static uint32_t step_limit(struct bytes text)
{
	size_t steps = text.size > PATTERN_STEPS / PATTERN_STEPS_PER_BYTE ? text.size * PATTERN_STEPS_PER_BYTE
									  : PATTERN_STEPS;
	return steps > UINT32_MAX ? UINT32_MAX : (uint32_t)steps;
}

static uint32_t heap_limit_kib(struct bytes text)
{
	size_t size = text.size > PATTERN_HEAP_MAX / PATTERN_HEAP_PER_BYTE
			      ? PATTERN_HEAP_MAX
			      : text.size * PATTERN_HEAP_PER_BYTE;
	return (uint32_t)((size < PATTERN_HEAP_MIN ? PATTERN_HEAP_MIN : size) >> 10);
}

static bool take_steps(struct schema_type_budget *budget, uint32_t steps)
{
	if (budget->steps < steps) {
		budget->refusals++;
		return false;
	}
	budget->steps -= steps;
	return true;
}

/* PCRE2 runs machine code only where a match has no options; libyang gives them to the pattern itself. */
static bool is_whole(const struct lysc_pattern *pattern)
{
	uint32_t options = 0, both = PCRE2_ANCHORED | PCRE2_ENDANCHORED;
	return pcre2_pattern_info(pattern->code, PCRE2_INFO_ALLOPTIONS, &options) == 0 &&
	       (options & both) == both;
}

void type_prepare_string(const struct schema_type *type)
{
	const struct lysc_type_str *string = (const struct lysc_type_str *)type->lysc;
	for (size_t i = 0; i < LY_ARRAY_COUNT(string->patterns); i++)
		if (is_whole(string->patterns[i]))
			(void)pcre2_jit_compile(string->patterns[i]->code, PCRE2_JIT_COMPLETE);
}

/* By machine code; what is neither a match nor none tells nothing, also where there is no code. */
static int match_fast(const struct lysc_pattern *pattern, pcre2_match_context *limits, pcre2_match_data *data,
		      struct bytes text)
{
	size_t size = 0;
	if (pcre2_pattern_info(pattern->code, PCRE2_INFO_JITSIZE, &size) != 0 || size == 0)
		return PCRE2_ERROR_MATCHLIMIT;
	pcre2_set_match_limit(limits, PATTERN_STEPS_FREE);
	return pcre2_match(pattern->code, (PCRE2_SPTR)(text.data == NULL ? "" : text.data), text.size, 0, 0,
			   data, limits);
}

static int match(const struct type_parse *parse, const struct lysc_pattern *pattern,
		 pcre2_match_context *limits, pcre2_match_data *data, struct bytes text)
{
	struct schema_type_budget *budget = parse->prefixes == NULL ? NULL : parse->prefixes->budget;
	int fast = match_fast(pattern, limits, data, text);
	if (fast >= 0 || fast == PCRE2_ERROR_NOMATCH)
		return fast;
	uint32_t most = step_limit(text);
	uint64_t first = budget == NULL ? most : PATTERN_STEPS_FREE + text.size * PATTERN_STEPS_FREE_PER_BYTE;
	for (uint64_t steps = first;; steps *= PATTERN_STEPS_GROWTH) {
		uint32_t limit = steps < most ? (uint32_t)steps : most;
		if (steps > first && !take_steps(budget, limit))
			return PCRE2_ERROR_MATCHLIMIT;
		pcre2_set_match_limit(limits, limit);
		int found = pcre2_match(pattern->code, (PCRE2_SPTR)(text.data == NULL ? "" : text.data),
					text.size, 0, PCRE2_ANCHORED | PCRE2_ENDANCHORED | PCRE2_NO_JIT, data,
					limits);
		if (found != PCRE2_ERROR_MATCHLIMIT || limit == most)
			return found;
	}
}

static enum status check_pattern(struct type_parse *parse, const struct lysc_pattern *pattern,
				 pcre2_match_context *limits, pcre2_match_data *data, struct bytes text)
{
	int found = match(parse, pattern, limits, data, text);
	if (found < 0 && found != PCRE2_ERROR_NOMATCH)
		return type_refuse(parse, NULL, NULL,
				   "Value \"%.*s\" takes too much work to match the pattern \"%s\".",
				   EXCERPT(text), pattern->expr);
	if ((found == PCRE2_ERROR_NOMATCH) == (pattern->inverted != 0))
		return ST_OK;
	return type_refuse(parse, pattern->emsg, pattern->eapptag, "Value \"%.*s\" %s the pattern \"%s\".",
			   EXCERPT(text), pattern->inverted ? "must not match" : "does not match",
			   pattern->expr);
}

static enum status check_patterns(struct type_parse *parse, struct lysc_pattern **patterns, struct bytes text)
{
	struct pool pool;
	pool.used = 0;
	pcre2_general_context *memory = pcre2_general_context_create(pool_take, pool_give, &pool);
	pcre2_match_context *limits = pcre2_match_context_create(memory);
	pcre2_set_heap_limit(limits, heap_limit_kib(text));
	pcre2_match_data *data = pcre2_match_data_create(1, memory);
	enum status status = ST_OK;
	for (size_t i = 0; i < LY_ARRAY_COUNT(patterns) && status == ST_OK; i++)
		status = check_pattern(parse, patterns[i], limits, data, text);
	pcre2_match_data_free(data);
	pcre2_match_context_free(limits);
	pcre2_general_context_free(memory);
	return status;
}

enum status type_check_string(struct type_parse *parse, const struct schema_type *type, struct bytes text)
{
	const struct lysc_type_str *string = (const struct lysc_type_str *)type->lysc;
	enum status status = check_length(parse, string->length, text);
	if (status == ST_OK && LY_ARRAY_COUNT(string->patterns) > 0)
		status = check_patterns(parse, string->patterns, text);
	return status;
}
