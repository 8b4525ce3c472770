/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of functions: what the parser checks calls against and evaluation calls. One row a function; the
 * implementations are in functions_*.c by the kind of thing that they work on.
 */
#include "xpath/functions.h"

#define ANY SIZE_MAX

static const struct xpath_function functions[] = {
	{.name = "last", .type = XPATH_NUMBER, .uses_position = true, .uses_last = true, .call = xpath__last},
	{.name = "position", .type = XPATH_NUMBER, .uses_position = true, .call = xpath__position},
	{"count", 1, 1, XPATH_NUMBER, .takes_nodes = true, .call = xpath__count},
	{"id", 1, 1, XPATH_NODE_SET, .call = xpath__id},
	{"local-name", 0, 1, XPATH_STRING, .takes_nodes = true, .or_context = true,
	 .call = xpath__local_name},
	{"namespace-uri", 0, 1, XPATH_STRING, .takes_nodes = true, .or_context = true,
	 .call = xpath__namespace_uri},
	{"name", 0, 1, XPATH_STRING, .takes_nodes = true, .or_context = true, .call = xpath__name},
	{"string", 0, 1, XPATH_STRING, .or_context = true, .call = xpath__string},
	{"concat", 2, ANY, XPATH_STRING, .call = xpath__concat},
	{"starts-with", 2, 2, XPATH_BOOLEAN, .call = xpath__starts_with},
	{"contains", 2, 2, XPATH_BOOLEAN, .call = xpath__contains},
	{"substring-before", 2, 2, XPATH_STRING, .call = xpath__substring_before},
	{"substring-after", 2, 2, XPATH_STRING, .call = xpath__substring_after},
	{"substring", 2, 3, XPATH_STRING, .call = xpath__substring},
	{"string-length", 0, 1, XPATH_NUMBER, .or_context = true, .call = xpath__string_length},
	{"normalize-space", 0, 1, XPATH_STRING, .or_context = true, .call = xpath__normalize_space},
	{"translate", 3, 3, XPATH_STRING, .call = xpath__translate},
	{"boolean", 1, 1, XPATH_BOOLEAN, .call = xpath__boolean},
	{"not", 1, 1, XPATH_BOOLEAN, .call = xpath__not},
	{"true", 0, 0, XPATH_BOOLEAN, .call = xpath__true},
	{"false", 0, 0, XPATH_BOOLEAN, .call = xpath__false},
	{"lang", 1, 1, XPATH_BOOLEAN, .uses_context = true, .call = xpath__lang},
	{"number", 0, 1, XPATH_NUMBER, .or_context = true, .call = xpath__number},
	{"sum", 1, 1, XPATH_NUMBER, .takes_nodes = true, .call = xpath__sum},
	{"floor", 1, 1, XPATH_NUMBER, .call = xpath__floor},
	{"ceiling", 1, 1, XPATH_NUMBER, .call = xpath__ceiling},
	{"round", 1, 1, XPATH_NUMBER, .call = xpath__round},
	{"current", 0, 0, XPATH_NODE_SET, .call = xpath__current},
	{"deref", 1, 1, XPATH_NODE_SET, .takes_nodes = true, .call = xpath__deref},
	{"derived-from", 2, 2, XPATH_BOOLEAN, .takes_nodes = true, .call = xpath__derived_from},
	{"derived-from-or-self", 2, 2, XPATH_BOOLEAN, .takes_nodes = true,
	 .call = xpath__derived_from_or_self},
	{"enum-value", 1, 1, XPATH_NUMBER, .takes_nodes = true, .call = xpath__enum_value},
	{"bit-is-set", 2, 2, XPATH_BOOLEAN, .takes_nodes = true, .call = xpath__bit_is_set},
	{"re-match", 2, 2, XPATH_BOOLEAN, .call = xpath__re_match},
};

const struct xpath_function *xpath__function_find(struct bytes name)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (bytes_equal(name, bytes_of(functions[i].name)))
			return &functions[i];
	}
	return NULL;
}
