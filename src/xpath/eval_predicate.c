/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Predicates (XPath 1.0 section 2.4): a number is compared with the position, anything else is a boolean.
 * Most are judged as candidates come by (eval_path.c counts positions); those that use last() need all
 * candidates first.
 */
#include "xpath/walk.h"

enum status xpath__predicate_holds(struct xpath_eval *eval, const struct xpath_predicate *predicate,
				   const struct xpath_context *context, bool *holds)
{
	if (!predicate->positional || predicate->expr->type != XPATH_NUMBER)
		return xpath__boolean_of(eval, predicate->expr, context, holds);
	double number;
	enum status status = xpath__number_of(eval, predicate->expr, context, &number);
	if (status == ST_OK)
		*holds = number == (double)context->position;
	return status;
}

static enum status filter(struct xpath_eval *eval, const struct xpath_predicate *predicate,
			  struct xpath_nodes *nodes)
{
	size_t kept = 0;
	for (size_t i = 0; i < nodes->length; i++) {
		struct xpath_context context = {nodes->items[i], i + 1, nodes->length};
		bool holds;
		enum status status = xpath__predicate_holds(eval, predicate, &context, &holds);
		if (status != ST_OK)
			return status;
		if (holds)
			nodes->items[kept++] = nodes->items[i];
	}
	nodes->length = kept;
	return ST_OK;
}

enum status xpath__predicates_filter(struct xpath_eval *eval, const struct xpath_predicate *predicates,
				     struct xpath_nodes *nodes)
{
	enum status status = ST_OK;
	for (; status == ST_OK && predicates != NULL; predicates = predicates->next)
		status = filter(eval, predicates, nodes);
	return status;
}
