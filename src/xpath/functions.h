/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The core function library (XPath 1.0 section 4) and YANG's functions (RFC 7950 section 10). */
#include "xpath/eval.h"

struct xpath_function {
	const char *name;
	size_t min_args, max_args;
	enum xpath_type type; /* of the result */
	bool takes_nodes;     /* the first argument, if given, must be a node-set */
	bool uses_context;    /* always depends on the context node */
	bool or_context;      /* without arguments it takes the context node */
	bool uses_position, uses_last;
	enum status (*call)(struct xpath_eval *eval, const struct xpath_node *call,
			    const struct xpath_context *context, struct xpath_value *value);
};

/* NULL where unknown. */
const struct xpath_function *xpath__function_find(struct bytes name);

typedef enum status xpath_function_call(struct xpath_eval *eval, const struct xpath_node *call,
					const struct xpath_context *context, struct xpath_value *value);

/* functions_node.c */
xpath_function_call xpath__last, xpath__position, xpath__count, xpath__id, xpath__local_name,
	xpath__namespace_uri, xpath__name;
/* functions_string.c */
xpath_function_call xpath__string, xpath__concat, xpath__starts_with, xpath__contains,
	xpath__substring_before, xpath__substring_after, xpath__substring, xpath__string_length,
	xpath__normalize_space, xpath__translate;
/* functions_number.c: numbers and booleans */
xpath_function_call xpath__boolean, xpath__not, xpath__true, xpath__false, xpath__lang, xpath__number,
	xpath__sum, xpath__floor, xpath__ceiling, xpath__round;
/* To the nearest integer, halves up (XPath 1.0 section 4.4). */
double xpath__round_number(double number);
/* functions_yang.c */
xpath_function_call xpath__current, xpath__deref, xpath__derived_from, xpath__derived_from_or_self,
	xpath__enum_value, xpath__bit_is_set, xpath__re_match;
