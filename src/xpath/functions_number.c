/* SPDX-License-Identifier: BSD-3-Clause */
/* Boolean and number functions (XPath 1.0 sections 4.3, 4.4). Arithmetic is IEEE 754, with NaN and
 * infinities. */
#include <math.h>

#include "xpath/functions.h"
#include "xpath/walk.h"

enum status xpath__boolean(struct xpath_eval *eval, const struct xpath_node *call,
			   const struct xpath_context *context, struct xpath_value *value)
{
	return xpath__boolean_of(eval, call->operands, context, &value->boolean);
}

enum status xpath__not(struct xpath_eval *eval, const struct xpath_node *call,
		       const struct xpath_context *context, struct xpath_value *value)
{
	enum status status = xpath__boolean_of(eval, call->operands, context, &value->boolean);
	if (status == ST_OK)
		value->boolean = !value->boolean;
	return status;
}

enum status xpath__true(struct xpath_eval *eval, const struct xpath_node *call,
			const struct xpath_context *context, struct xpath_value *value)
{
	(void)eval, (void)call, (void)context;
	value->boolean = true;
	return ST_OK;
}

enum status xpath__false(struct xpath_eval *eval, const struct xpath_node *call,
			 const struct xpath_context *context, struct xpath_value *value)
{
	(void)eval, (void)call, (void)context;
	value->boolean = false;
	return ST_OK;
}

/* YANG data has no xml:lang attributes. */
enum status xpath__lang(struct xpath_eval *eval, const struct xpath_node *call,
			const struct xpath_context *context, struct xpath_value *value)
{
	return xpath__false(eval, call, context, value);
}

enum status xpath__number(struct xpath_eval *eval, const struct xpath_node *call,
			  const struct xpath_context *context, struct xpath_value *value)
{
	if (call->operands != NULL)
		return xpath__number_of(eval, call->operands, context, &value->number);
	struct bytes text;
	enum status status = xpath__text(eval, context->node, &text);
	if (status == ST_OK)
		value->number = xpath__number_parse(text);
	return status;
}

static enum status sum_sink(struct xpath_walk *walk, const struct tree_position *node)
{
	struct bytes text;
	enum status status = xpath__passing_text(walk->eval, node, &text);
	if (status == ST_OK)
		status = xpath__charge_bytes(walk->eval, text.size);
	if (status == ST_OK)
		*(double *)walk->arg += xpath__number_parse(text);
	return status;
}

enum status xpath__sum(struct xpath_eval *eval, const struct xpath_node *call,
		       const struct xpath_context *context, struct xpath_value *value)
{
	double sum = 0;
	struct xpath_walk walk = {.eval = eval, .sink = sum_sink, .arg = &sum};
	/* In document order, since rounding depends on the order. */
	enum status status = xpath__walk(&walk, call->operands, context, DOCUMENT_ORDER);
	value->number = sum;
	return status;
}

enum status xpath__floor(struct xpath_eval *eval, const struct xpath_node *call,
			 const struct xpath_context *context, struct xpath_value *value)
{
	enum status status = xpath__number_of(eval, call->operands, context, &value->number);
	if (status == ST_OK)
		value->number = floor(value->number);
	return status;
}

enum status xpath__ceiling(struct xpath_eval *eval, const struct xpath_node *call,
			   const struct xpath_context *context, struct xpath_value *value)
{
	enum status status = xpath__number_of(eval, call->operands, context, &value->number);
	if (status == ST_OK)
		value->number = ceil(value->number);
	return status;
}

enum status xpath__round(struct xpath_eval *eval, const struct xpath_node *call,
			 const struct xpath_context *context, struct xpath_value *value)
{
	enum status status = xpath__number_of(eval, call->operands, context, &value->number);
	if (status == ST_OK)
		value->number = xpath__round_number(value->number);
	return status;
}
