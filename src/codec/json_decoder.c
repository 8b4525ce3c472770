/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The JSON decoder takes the reader's events and makes the edit tree (edit_assemble.c), one node an object,
 * value or array item. What comes next is told by `place`, and `child` is the node whose value it is:
 *
 *     DOCUMENT   "{" -> OBJECT
 *     OBJECT     a name -> MEMBER; "}" -> what the object was in: OBJECT, LIST or END
 *     MEMBER     container: "{" -> OBJECT; list: "[" -> LIST; leaf-list: "[" -> LEAF_LIST;
 *                leaf: a scalar -> OBJECT, "[" -> EMPTY
 *     LIST       "{" -> OBJECT; "]" -> OBJECT
 *     LEAF_LIST  a scalar -> LEAF_LIST; "[" -> EMPTY; "]" -> OBJECT
 *     EMPTY      null -> EMPTY_END, "]" -> OBJECT or LEAF_LIST
 *
 * A value that is wrong is reported and skipped with all that is in it: `skip` counts what is open of it, and
 * `place` is what comes after it. Within anydata the events go to a json_any, within metadata to a
 * json_metadata.
 *
 * Invariant: the assembler's open nodes are the objects that are open, skipped ones and anydata aside.
 */
#include "codec/json_decoder.h"

#include "base/assert.h"
#include "base/memory.h"
#include "codec/edit_assemble.h"
#include "codec/json_any.h"
#include "codec/json_metadata.h"
#include "codec/json_value.h"

enum place {
	PLACE_DOCUMENT,	 /* the document's object */
	PLACE_OBJECT,	 /* members of the open node */
	PLACE_MEMBER,	 /* the value of `child` */
	PLACE_LIST,	 /* entries of `child` */
	PLACE_LEAF_LIST, /* values of `child` */
	PLACE_EMPTY,	 /* the null in [null] */
	PLACE_EMPTY_END, /* and its end */
	PLACE_END,
};

struct json_decoder {
	struct edit_assembler assembler;
	struct schema_prefixes_canonical prefixes; /* those of the leaf that is being read */
	struct json_reader *reader;
	enum place place;
	const struct schema_node *child;
	bool skip_value; /* the next value is skipped, or one is being skipped */
	size_t skip;	 /* structures that are open in it */
	struct json_metadata metadata;
	struct json_any *any;
};

static struct diag *report(struct json_decoder *decoder, enum diag_tag tag, const struct schema_node *child,
			   struct bytes name, const char *message)
{
	return codec__edit_report(&decoder->assembler, tag, child, name, message);
}

static bool is_start(enum json_event event)
{
	return event == JSON_OBJECT_START || event == JSON_ARRAY_START;
}

static bool is_end(enum json_event event)
{
	return event == JSON_OBJECT_END || event == JSON_ARRAY_END;
}

/* Skips the value that this event is or begins. */
static enum status skip_from(struct json_decoder *decoder, enum json_event event)
{
	decoder->skip = is_start(event) ? 1 : 0;
	decoder->skip_value = decoder->skip > 0;
	return ST_OK;
}

static enum status skip_event(struct json_decoder *decoder, enum json_event event)
{
	if (is_start(event))
		decoder->skip++;
	if (is_end(event))
		decoder->skip--;
	decoder->skip_value = decoder->skip > 0;
	return ST_OK;
}

static enum status refuse_value(struct json_decoder *decoder, enum json_event event, const char *message)
{
	report(decoder, DIAG_BAD_ELEMENT, decoder->child, decoder->child->name_bytes, message);
	return skip_from(decoder, event);
}

/* The configuration node of a member of the open node; NULL where there is none, which was reported. */
static const struct schema_node *find_child(struct json_decoder *decoder, struct bytes text)
{
	struct edit_assembler *assembler = &decoder->assembler;
	const struct schema_node *parent = codec__edit_top(assembler)->node->schema;
	const char *colon = text.size > 0 ? memchr(text.data, ':', text.size) : NULL;
	if (!colon && parent->kind == SCHEMA_ROOT) {
		report(decoder, DIAG_UNKNOWN_ELEMENT, NULL, text,
		       "The name of a member at top level must have its module's name before it.");
		return NULL;
	}
	if (!colon)
		return codec__edit_find_child(assembler, parent->module, text);
	struct bytes prefix = {text.data, (size_t)(colon - text.data)};
	struct bytes name = {colon + 1, text.size - prefix.size - 1};
	const struct schema_module *module = schema_module_find(assembler->schema, prefix);
	if (module && module->implemented)
		return codec__edit_find_child(assembler, module, name);
	codec__edit_report_namespace(assembler, name, prefix);
	return NULL;
}

/* "@name" goes with the member of that name, "@" with the open node. */
static enum status begin_metadata(struct json_decoder *decoder, struct bytes name)
{
	const struct schema_node *child = NULL;
	if (name.size > 1)
		child = find_child(decoder, (struct bytes){name.data + 1, name.size - 1});
	decoder->skip_value = name.size > 1 && !child;
	if (!decoder->skip_value)
		codec__json_metadata_begin(&decoder->metadata, child);
	return ST_OK;
}

static enum status begin_member(struct json_decoder *decoder, struct bytes name)
{
	if (name.size > 0 && name.data[0] == '@')
		return begin_metadata(decoder, name);
	const struct schema_node *child = find_child(decoder, name);
	if (child && !codec__edit_mark_seen(&decoder->assembler, child)) {
		report(decoder, DIAG_BAD_ELEMENT, child, child->name_bytes, "The member is there twice.");
		child = NULL;
	}
	decoder->child = child;
	decoder->skip_value = child == NULL;
	decoder->place = child ? PLACE_MEMBER : PLACE_OBJECT;
	return ST_OK;
}

static enum status end_object(struct json_decoder *decoder)
{
	const struct schema_node *node = codec__edit_top(&decoder->assembler)->node->schema;
	codec__json_metadata_resolve(&decoder->metadata);
	if (node->kind == SCHEMA_ROOT) {
		decoder->place = PLACE_END;
		return ST_OK;
	}
	decoder->child = node;
	decoder->place = node->kind == SCHEMA_LIST ? PLACE_LIST : PLACE_OBJECT;
	return codec__edit_close(&decoder->assembler);
}

static enum status open_object(struct json_decoder *decoder)
{
	codec__edit_open(&decoder->assembler, decoder->child);
	decoder->place = PLACE_OBJECT;
	return codec__edit_check_memory(&decoder->assembler);
}

/* What comes after a value of a leaf or leaf-list. */
static enum place after_leaf(const struct json_decoder *decoder)
{
	return decoder->child->kind == SCHEMA_LEAF_LIST ? PLACE_LEAF_LIST : PLACE_OBJECT;
}

static void report_form(struct json_decoder *decoder, const struct schema_type *type)
{
	static const char *const MESSAGES[] = {
		[JSON_FORM_STRING] = "A value of the type is a string.",
		[JSON_FORM_NUMBER] = "A value of the type is a number.",
		[JSON_FORM_BOOLEAN] = "A value of the type is true or false.",
		[JSON_FORM_EMPTY] = "A value of the type is [null].",
	};
	bool is_union = schema_type_member_count(schema_type_real(type)) > 0;
	report(decoder, DIAG_INVALID_VALUE, NULL, (struct bytes){0},
	       is_union ? "No member of the union takes the value in this form."
			: MESSAGES[codec__json_first_form(type)]);
}

static enum status take_leaf(struct json_decoder *decoder, enum json_form form, struct bytes text)
{
	const struct schema_node *leaf = decoder->child;
	struct edit_assembler *assembler = &decoder->assembler;
	char integer[JSON_INTEGER_MAX];
	size_t size = form == JSON_FORM_NUMBER ? codec__json_integer(text, integer) : 0;
	if (size > 0)
		text = (struct bytes){integer, size};
	decoder->place = after_leaf(decoder);
	decoder->prefixes.local = leaf->module;
	codec__edit_open(assembler, leaf);
	if (codec__json_accepts(assembler->schema, leaf->type, &decoder->prefixes.base, form, text,
				assembler->scratch))
		codec__edit_parse_value(assembler, text);
	else
		report_form(decoder, leaf->type);
	return codec__edit_close(assembler);
}

/* A value of a leaf or leaf-list, or its beginning. */
static enum status begin_leaf(struct json_decoder *decoder, enum json_event event, struct bytes text)
{
	enum json_form form;
	decoder->place = after_leaf(decoder);
	if (codec__json_scalar(event, &text, &form))
		return take_leaf(decoder, form, text);
	if (event == JSON_ARRAY_START && codec__json_may_have(decoder->child->type, JSON_FORM_EMPTY)) {
		decoder->place = PLACE_EMPTY;
		return ST_OK;
	}
	return refuse_value(decoder, event, "The value must be a string, number, true, false or [null].");
}

/* In the array of [null]. */
static enum status take_empty(struct json_decoder *decoder, enum json_event event)
{
	if (decoder->place == PLACE_EMPTY && event == JSON_NULL) {
		decoder->place = PLACE_EMPTY_END;
		return ST_OK;
	}
	if (decoder->place == PLACE_EMPTY_END && event == JSON_ARRAY_END)
		return take_leaf(decoder, JSON_FORM_EMPTY, bytes_of(""));
	decoder->place = after_leaf(decoder);
	enum status status = refuse_value(decoder, event, "An array as a value must be [null].");
	if (event != JSON_ARRAY_END) {
		decoder->skip++; /* the array is open too */
		decoder->skip_value = true;
	}
	return status;
}

static enum status any_event(struct json_decoder *decoder, enum json_event event, struct bytes text)
{
	struct edit_assembler *assembler = &decoder->assembler;
	if (event == JSON_NAME && bytes_equal(text, bytes_of("@")) &&
	    decoder->child->kind == SCHEMA_ANYDATA && json_any_depth(decoder->any) == 1) {
		codec__json_metadata_begin(&decoder->metadata, NULL);
		return ST_OK;
	}
	enum status status = json_any_event(decoder->any, event, text);
	if (status == ST_LIMIT)
		return codec__edit_too_big(assembler);
	if (status == ST_REJECTED) {
		struct json_any_error error = json_any_error(decoder->any);
		if (error.tag == DIAG_UNKNOWN_ATTRIBUTE || error.tag == DIAG_BAD_ATTRIBUTE)
			codec__edit_report_attribute(assembler, error.tag, NULL, error.name, error.message);
		else
			report(decoder, error.tag, NULL, error.name, error.message);
		codec__edit_top(assembler)->broken = true;
	}
	if (!json_any_is_done(decoder->any))
		return ST_OK;
	if (!codec__edit_top(assembler)->broken)
		codec__edit_set_any(assembler, json_any_finish(decoder->any));
	json_any_free(decoder->any);
	decoder->any = NULL;
	return codec__edit_close(assembler);
}

static enum status begin_any(struct json_decoder *decoder, enum json_event event, struct bytes text)
{
	struct edit_assembler *assembler = &decoder->assembler;
	decoder->place = PLACE_OBJECT;
	codec__edit_open(assembler, decoder->child);
	decoder->any = json_any_new(assembler->schema, decoder->child, codec__edit_memory_left(assembler));
	return any_event(decoder, event, text);
}

static enum status take_member(struct json_decoder *decoder, enum json_event event, struct bytes text)
{
	decoder->place = PLACE_OBJECT;
	switch (decoder->child->kind) {
	case SCHEMA_CONTAINER:
		if (event == JSON_OBJECT_START)
			return open_object(decoder);
		return refuse_value(decoder, event, "The value must be an object.");
	case SCHEMA_LIST:
	case SCHEMA_LEAF_LIST:
		if (event != JSON_ARRAY_START)
			return refuse_value(decoder, event, "The value must be an array.");
		decoder->place = decoder->child->kind == SCHEMA_LIST ? PLACE_LIST : PLACE_LEAF_LIST;
		return ST_OK;
	case SCHEMA_LEAF:
		return begin_leaf(decoder, event, text);
	case SCHEMA_ANYDATA:
	case SCHEMA_ANYXML:
		return begin_any(decoder, event, text);
	case SCHEMA_ROOT:
	case SCHEMA_RPC:
	case SCHEMA_ACTION:
	case SCHEMA_OUTPUT:
	case SCHEMA_NOTIFICATION:
		break;
	}
	ASSERT(!"a member is a data node");
	return ST_REJECTED;
}

static enum status take_item(struct json_decoder *decoder, enum json_event event, struct bytes text)
{
	if (event == JSON_ARRAY_END) {
		decoder->place = PLACE_OBJECT;
		return ST_OK;
	}
	if (decoder->place == PLACE_LEAF_LIST)
		return begin_leaf(decoder, event, text);
	if (event == JSON_OBJECT_START)
		return open_object(decoder);
	return refuse_value(decoder, event, "An entry of a list must be an object.");
}

static enum status on_event(void *arg, enum json_event event, struct bytes text)
{
	struct json_decoder *decoder = arg;
	if (codec__json_metadata_is_open(&decoder->metadata) || decoder->metadata.skip > 0)
		return codec__json_metadata_event(&decoder->metadata, event, text);
	if (decoder->any)
		return any_event(decoder, event, text);
	if (decoder->skip_value)
		return skip_event(decoder, event);
	switch (decoder->place) {
	case PLACE_DOCUMENT:
		if (event != JSON_OBJECT_START)
			break;
		decoder->place = PLACE_OBJECT;
		return ST_OK;
	case PLACE_OBJECT:
		return event == JSON_NAME ? begin_member(decoder, text) : end_object(decoder);
	case PLACE_MEMBER:
		return take_member(decoder, event, text);
	case PLACE_LIST:
	case PLACE_LEAF_LIST:
		return take_item(decoder, event, text);
	case PLACE_EMPTY:
	case PLACE_EMPTY_END:
		return take_empty(decoder, event);
	case PLACE_END:
		break;
	}
	decoder->place = PLACE_END;
	report(decoder, DIAG_BAD_ELEMENT, NULL, (struct bytes){0}, "The document must be an object.");
	return skip_from(decoder, event);
}

/* Reports what the reader itself refused. */
static enum status check_reader(struct json_decoder *decoder, enum status status)
{
	const char *error = json_reader_error(decoder->reader);
	if (status == ST_OK || *error == '\0')
		return status;
	decoder->assembler.failed = true;
	enum diag_tag tag = status == ST_LIMIT ? DIAG_TOO_BIG : DIAG_MALFORMED_MESSAGE;
	diag_add(decoder->assembler.diags, DIAG_RPC, tag, "Not valid JSON: %s.", error);
	return status;
}

struct json_decoder *json_decoder_new(const struct schema *schema, const struct json_decoder_options *options,
				      struct diag_list *diags)
{
	struct json_decoder *decoder = memory_zalloc(sizeof(*decoder));
	struct json_reader_limits limits = {.depth = options->depth, .text_size = options->text_limit};
	if (limits.text_size > TEXT_SIZE_MAX)
		limits.text_size = TEXT_SIZE_MAX;
	decoder->prefixes = schema_prefixes_canonical(schema, NULL);
	decoder->prefixes.base.budget = &decoder->assembler.budget;
	codec__edit_init(&decoder->assembler, schema, &decoder->prefixes.base, options->memory_limit, diags);
	codec__json_metadata_init(&decoder->metadata, &decoder->assembler, &decoder->prefixes);
	decoder->reader = json_reader_new(on_event, decoder, &limits);
	return decoder;
}

void json_decoder_free(struct json_decoder *decoder)
{
	if (!decoder)
		return;
	json_reader_free(decoder->reader);
	json_any_free(decoder->any);
	codec__json_metadata_fini(&decoder->metadata);
	codec__edit_fini(&decoder->assembler);
	memory_free(decoder);
}

enum status json_decoder_feed(struct json_decoder *decoder, struct bytes bytes)
{
	return check_reader(decoder, json_reader_feed(decoder->reader, bytes));
}

enum status json_decoder_finish(struct json_decoder *decoder, struct edit_tree **tree)
{
	enum status status = check_reader(decoder, json_reader_finish(decoder->reader));
	return status == ST_OK ? codec__edit_finish(&decoder->assembler, tree) : status;
}
