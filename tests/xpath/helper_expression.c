/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A grammar of XPath 1.0, walked at random. Every production that takes a node-set is given one, so that
 * nearly all expressions are well typed; names and keys are of the module below, so that many select
 * something. Left out is what YANG's data tree has not: variables, the namespace axis, attributes with
 * values.
 */
#include "helper_expression.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH(array) ((unsigned)(sizeof(array) / sizeof((array)[0])))

const char expression_module[] =
	"module m { yang-version 1.1; namespace \"urn:m\"; prefix m;\n"
	"  container top {\n"
	"    list l { key k; leaf k { type string; } leaf v { type string; }\n"
	"      leaf d { type string; default x; }\n"
	"      container np { leaf e { type string; default y; } leaf plain { type string; } }\n"
	"      list s { key \"x y\"; leaf x { type string; } leaf y { type uint8; } leaf z { type string; } "
	"}\n"
	"      leaf-list ll { type string; } }\n"
	"    list o { key k; leaf k { type int8; } leaf v { type string; } leaf w { type int8; } }\n"
	"    list u { ordered-by user; key k; leaf k { type string; } leaf v { type string; } }\n"
	"    leaf a { type string; } leaf b { type string; default a; }\n"
	"    leaf dec { type decimal64 { fraction-digits 2; } }\n"
	"    leaf-list nums { type int16; default 4; default 2; }\n"
	"    leaf-list own { ordered-by user; type string; }\n"
	"    container p { presence \"x\"; leaf i { type string; default z; } leaf j { type string; } }\n"
	"    choice ch { default c1;\n"
	"      case c1 { leaf ca { type string; default one; }\n"
	"        container cn { leaf cd { type string; default n; } } }\n"
	"      case c2 { leaf cb { type string; } } }\n"
	"    list m { key name; leaf name { type string; } leaf t { type string; } } }\n"
	"  list outer { key k; leaf k { type string; } leaf v { type string; } }\n"
	"}\n";

static const char *const names[] = {"top", "l",	 "k",  "v",  "d",  "np", "e", "plain", "s",    "x",    "y",
				    "z",   "ll", "o",  "w",  "u",  "a",	 "b", "dec",   "nums", "own",  "p",
				    "i",   "j",	 "ca", "cn", "cd", "cb", "m", "name",  "t",    "outer"};
static const char *const paths[] = {"/m:top/m:l",
				    "/m:top/m:l/m:k",
				    "/m:top/m:l/m:s",
				    "/m:top/m:o",
				    "/m:top/m:m",
				    "m:k",
				    "m:v",
				    "../m:k",
				    "../m:v",
				    "m:s/m:x",
				    "..//m:k",
				    "//m:s",
				    "//m:v",
				    "/m:top/m:nums",
				    "/m:top/m:l/m:s/m:y",
				    "m:l",
				    "m:o",
				    "m:top",
				    "../..",
				    "/m:top/m:m/m:name",
				    "m:np",
				    "m:d",
				    "//m:z",
				    "/m:outer",
				    "//m:own",
				    "/m:top/m:u",
				    "//m:dec",
				    "m:np/m:e"};
static const char *const axes[] = {"child",
				   "parent",
				   "self",
				   "descendant",
				   "descendant-or-self",
				   "ancestor",
				   "ancestor-or-self",
				   "following-sibling",
				   "preceding-sibling",
				   "following",
				   "preceding",
				   "attribute"};
static const char *const literals[] = {"a",
				       "b",
				       "",
				       "1",
				       "x y",
				       "2",
				       "ab",
				       " 7 ",
				       "-1",
				       "1.50",
				       "\xc3\xa9"
				       "a",

				       ".5",
				       "+1",
				       "NaN"};
static const char *const numbers[] = {"0", "1", "2", "3", "4", "-1", "1.5", ".5", "2.", "10", "0.25"};

unsigned expression_pick(struct expression_random *random, unsigned count)
{
	random->state ^= random->state << 13;
	random->state ^= random->state >> 7;
	random->state ^= random->state << 17;
	return (unsigned)((random->state >> 16) % count);
}

static unsigned pick(struct expression *e, unsigned count)
{
	return expression_pick(e->random, count);
}

__attribute__((format(printf, 2, 3))) static void put(struct expression *e, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int size = vsnprintf(e->text + e->size, sizeof(e->text) - e->size, format, args);
	va_end(args);
	if ((size_t)size >= sizeof(e->text) - e->size)
		e->full = 1;
	else
		e->size += (size_t)size;
}

#define PUT_ONE_OF(e, array) put(e, "%s", (array)[pick(e, LENGTH(array))])

static void put_nodes(struct expression *e, int depth);
static void put_string(struct expression *e, int depth);
static void put_number(struct expression *e, int depth);
static void put_boolean(struct expression *e, int depth);

static void put_any(struct expression *e, int depth)
{
	switch (pick(e, 4)) {
	case 0:
		put_nodes(e, depth);
		break;
	case 1:
		put_boolean(e, depth);
		break;
	case 2:
		put_number(e, depth);
		break;
	default:
		put_string(e, depth);
	}
}

static void put_operation(struct expression *e, const char *const *operators, unsigned count, int depth)
{
	put(e, "(");
	put_any(e, depth);
	put(e, " %s ", operators[pick(e, count)]);
	put_any(e, depth);
	put(e, ")");
}

static void put_test(struct expression *e)
{
	static const char *const tests[] = {"*", "*", "m:*", "node()", "node()", "text()", "comment()"};
	if (pick(e, 3) > 0)
		put(e, "m:%s", names[pick(e, LENGTH(names))]);
	else
		PUT_ONE_OF(e, tests);
}

static void put_key_predicate(struct expression *e, int depth)
{
	static const char *const keys[] = {"k", "x", "y", "name"};
	put(e, "m:%s = ", keys[pick(e, LENGTH(keys))]);
	if (pick(e, 2))
		put(e, "'%s'", literals[pick(e, LENGTH(literals))]);
	else
		put_any(e, depth);
}

static void put_predicate(struct expression *e, int depth)
{
	static const char *const comparisons[] = {"=", ">", "<", "!="};
	put(e, "[");
	switch (pick(e, 8)) {
	case 0:
		put(e, "%u", 1 + pick(e, 3));
		break;
	case 1:
		put(e, "last()");
		break;
	case 2:
		put(e, "position() %s %u", comparisons[pick(e, 4)], 1 + pick(e, 3));
		break;
	case 3:
		put_number(e, depth);
		break;
	case 4:
		put_key_predicate(e, depth);
		break;
	default:
		put_any(e, depth);
	}
	put(e, "]");
}

static void put_step(struct expression *e, int depth)
{
	unsigned kind = pick(e, 20);
	bool after_slashes = e->size >= 2 && strncmp(e->text + e->size - 2, "//", 2) == 0;
	if (kind == 0 && after_slashes) /* libxml2 gets it wrong, see test_libxml2.c */
		kind = 1;
	if (kind < 3) { /* abbreviated steps take no predicates */
		put(e, kind == 0 ? "." : "..");
		return;
	}
	if (kind >= 14)
		put(e, "%s::", axes[pick(e, LENGTH(axes))]);
	put_test(e);
	while (depth > 0 && pick(e, 3) == 0)
		put_predicate(e, depth - 1);
}

static void put_separator(struct expression *e)
{
	put(e, "%s", pick(e, 5) ? "/" : "//");
}

/* A path that mostly fits the module. */
static void put_fitting_path(struct expression *e, int depth)
{
	PUT_ONE_OF(e, paths);
	char last = e->text[e->size - 1];
	while (last != '.' && depth > 0 && pick(e, 2) == 0)
		put_predicate(e, depth - 1);
	while (pick(e, 3) == 0) {
		put_separator(e);
		put_step(e, depth);
	}
}

static void put_random_path(struct expression *e, int depth)
{
	if (pick(e, 2))
		put_separator(e);
	put_step(e, depth);
	while (pick(e, 2)) {
		put_separator(e);
		put_step(e, depth);
	}
}

static void put_union(struct expression *e, int depth)
{
	put(e, "(");
	put_nodes(e, depth);
	put(e, " | ");
	put_nodes(e, depth);
	put(e, ")");
	while (pick(e, 3) == 0)
		put_predicate(e, depth);
	if (pick(e, 4) == 0) {
		put(e, "/");
		put_step(e, depth);
	}
}

static void put_nodes(struct expression *e, int depth)
{
	unsigned kind = pick(e, 10);
	if (depth > 0 && kind == 0) {
		put_union(e, depth - 1);
	} else if (depth > 0 && kind == 1) {
		put(e, "(");
		put_nodes(e, depth - 1);
		put(e, ")");
		put_predicate(e, depth - 1);
	} else if (kind < 7) {
		put_fitting_path(e, depth);
	} else {
		put_random_path(e, depth);
	}
}

/* NAME(nodes) */
static void put_node_call(struct expression *e, const char *name, int depth)
{
	put(e, "%s(", name);
	put_nodes(e, depth);
	put(e, ")");
}

static void put_any_call(struct expression *e, const char *name, int depth)
{
	put(e, "%s(", name);
	put_any(e, depth);
	put(e, ")");
}

/* NAME(any, string) */
static void put_text_call(struct expression *e, const char *name, int depth)
{
	put(e, "%s(", name);
	put_any(e, depth);
	put(e, ",");
	put_string(e, depth);
	put(e, ")");
}

static void put_substring(struct expression *e, int depth)
{
	put(e, "substring(");
	put_any(e, depth);
	put(e, ",");
	put_number(e, depth);
	if (pick(e, 2)) {
		put(e, ",");
		put_number(e, depth);
	}
	put(e, ")");
}

static void put_translate(struct expression *e, int depth)
{
	static const char *const maps[] = {"'ab','x'", "'a','bcd'", "'aba','123'", "'\xc3\xa9','e'",
					   "'','a'"};
	put(e, "translate(");
	put_any(e, depth);
	put(e, ",%s)", maps[pick(e, LENGTH(maps))]);
}

static void put_string(struct expression *e, int depth)
{
	if (depth <= 0 || pick(e, 3) == 0) {
		put(e, "'%s'", literals[pick(e, LENGTH(literals))]);
		return;
	}
	switch (pick(e, 11)) {
	case 0:
		put_any_call(e, "string", depth - 1);
		break;
	case 1:
		put_text_call(e, "concat", depth - 1);
		break;
	case 2:
		put_substring(e, depth - 1);
		break;
	case 3:
		put_any_call(e, "normalize-space", depth - 1);
		break;
	case 4:
		put_node_call(e, "local-name", depth - 1);
		break;
	case 5:
		put_translate(e, depth - 1);
		break;
	case 6:
		put_text_call(e, pick(e, 2) ? "substring-after" : "substring-before", depth - 1);
		break;
	case 7:
		put_node_call(e, "namespace-uri", depth - 1);
		break;
	case 8:
		put(e, pick(e, 2) ? "normalize-space()" : "local-name()");
		break;
	case 9:
		put_node_call(e, "string", depth - 1);
		break;
	default:
		put(e, "string()");
	}
}

static void put_number(struct expression *e, int depth)
{
	static const char *const operators[] = {"+", "-", "*", "mod"};
	/* Quotients that need few digits, see test_libxml2.c. */
	static const char *const divisions[] = {" div 2)", " div 4)", " div 0)", " div -1)"};
	static const char *const roundings[] = {"floor", "ceiling", "round"};
	if (depth <= 0 || pick(e, 3) == 0) {
		PUT_ONE_OF(e, numbers);
		return;
	}
	switch (pick(e, 11)) {
	case 0:
		put_node_call(e, "count", depth - 1);
		break;
	case 1:
		put_node_call(e, "sum", depth - 1);
		break;
	case 2:
		put_any_call(e, "number", depth - 1);
		break;
	case 3:
		put_any_call(e, "string-length", depth - 1);
		break;
	case 4:
	case 5:
		put_operation(e, operators, LENGTH(operators), depth - 1);
		break;
	case 6:
		put(e, pick(e, 2) ? "(-" : "(");
		put_number(e, depth - 1);
		PUT_ONE_OF(e, divisions);
		break;
	case 7:
		put(e, "%s(", roundings[pick(e, LENGTH(roundings))]);
		put_number(e, depth - 1);
		put(e, " div 2)");
		break;
	case 8:
		put(e, pick(e, 2) ? "number()" : "last()");
		break;
	case 9:
		put_any_call(e, "-", depth - 1);
		break;
	default:
		put(e, "position()");
	}
}

static void put_boolean(struct expression *e, int depth)
{
	static const char *const junctions[] = {"and", "or"};
	static const char *const comparisons[] = {"=", "=", "!=", "<", "<=", ">", ">="};
	if (depth <= 0) {
		put(e, pick(e, 2) ? "true()" : "false()");
		return;
	}
	switch (pick(e, 10)) {
	case 0:
		put_any_call(e, "not", depth - 1);
		break;
	case 1:
		put_any_call(e, "boolean", depth - 1);
		break;
	case 2:
		put_operation(e, junctions, LENGTH(junctions), depth - 1);
		break;
	case 3:
		put_text_call(e, pick(e, 2) ? "contains" : "starts-with", depth - 1);
		break;
	case 4:
		put(e, "lang('en')");
		break;
	default:
		put_operation(e, comparisons, LENGTH(comparisons), depth - 1);
	}
}

void expression_make(struct expression *expression, int depth)
{
	expression->size = 0;
	expression->full = 0;
	if (pick(expression, 2))
		put_nodes(expression, depth);
	else
		put_any(expression, depth);
}

/* ---- documents ---- */

/* In a line % stands for a value, # for a number. */
static const char *const lines[] = {
	"top/l[%]",
	"top/l[%]/v = %",
	"top/l[%]/d = %",
	"top/l[%]/np/e = %",
	"top/l[%]/np/plain = %",
	"top/l[%]/s[%][#]",
	"top/l[%]/s[%][#]/z = %",
	"top/l[%]/ll = %",
	"top/o[#]",
	"top/o[#]/v = %",
	"top/o[#]/w = #",
	"top/u[%]",
	"top/u[%]/v = %",
	"top/a = %",
	"top/b = %",
	"top/dec = #.5",
	"top/nums = #",
	"top/own = %",
	"top/p",
	"top/p/i = %",
	"top/p/j = %",
	"top/ca = %",
	"top/cb = %",
	"top/cn/cd = %",
	"top/m[%]",
	"top/m[%]/t = %",
	"outer[%]",
	"outer[%]/v = %",
};
static const char *const values[] = {"a", "b", "c", "1", "2", "10", "x", "ab", "\xc3\xa9"};

static void put_line(FILE *out, struct expression_random *random, const char *line)
{
	for (; *line; line++) {
		if (*line == '%')
			fputs(values[expression_pick(random, LENGTH(values))], out);
		else if (*line == '#')
			fprintf(out, "%u", expression_pick(random, 12));
		else
			fputc(*line, out);
	}
	fputc('\n', out);
}

char *expression_document(struct expression_random *random)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	/* The cases c1 and c2 exclude each other. */
	const char *left_out = expression_pick(random, 2) ? "top/cb" : "top/c[an]";
	bool only_top = expression_pick(random, 2);
	for (unsigned count = expression_pick(random, 80); count > 0; count--) {
		const char *line = lines[expression_pick(random, LENGTH(lines))];
		if (strncmp(line, "top/c", 5) == 0 && strchr(left_out + 5, line[5]) != NULL)
			continue;
		if (only_top && line[0] == 'o')
			continue;
		put_line(out, random, line);
	}
	fclose(out);
	return text;
}
