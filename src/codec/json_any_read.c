/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * JSON events to XML text, as they come. A level is an object or array that is open; it knows the element
 * that its content is in, or, for an array, the elements that its items become. A name that came waits in
 * `pending` for its value.
 *
 * Members of an object are remembered with the object's number, so that a second one of the same name is
 * found, and so that annotations find their elements (json_any_notes.c); what that takes counts against a
 * limit of the same size as the text's.
 */
#include "codec/json_any_internal.h"

#include <libxml/uri.h>

#include "base/assert.h"
#include "base/memory.h"
#include "base/text.h"
#include "codec/xml_encoder.h"

#define NAME_COST ((size_t)64) /* bytes that a remembered name takes beside itself */

/* Namespaces that are not to be declared (Namespaces in XML 3). */
#define NS_XML "http://www.w3.org/XML/1998/namespace"
#define NS_XMLNS "http://www.w3.org/2000/xmlns/"

enum status json_any__reject(struct json_any *any, enum diag_tag tag, const char *message, struct bytes name)
{
	any->rejected = true;
	any->error = (struct json_any_error){tag, message, name};
	return ST_REJECTED;
}

static enum status reject_form(struct json_any *any, const char *message)
{
	struct bytes name = any->pending.name;
	return json_any__reject(any, DIAG_BAD_ELEMENT, message, name.size > 0 ? name : any->node->name_bytes);
}

static struct level *last(const struct json_any *any)
{
	return any->levels.length > 0 ? vector_at(&any->levels, any->levels.length - 1) : NULL;
}

static enum status put(struct json_any *any, const char *text)
{
	return buffer_append(&any->out, bytes_of(text));
}

/* The namespace that an element without xmlns would have; data NULL: unknown. */
static struct bytes namespace_in_scope(const struct json_any *any)
{
	for (size_t i = any->levels.length; i > 0; i--) {
		const struct level *level = vector_at(&any->levels, i - 1);
		if (!level->is_array && level->element.name.size > 0)
			return level->element.ns;
	}
	return (struct bytes){0};
}

/* The element that was begun last is in the text: a place of its member, where it has one. */
static enum status add_place(struct json_any *any, struct any_member *member, struct any_place **place)
{
	enum status status = json_any__charge(any, sizeof(**place));
	if (status != ST_OK)
		return status;
	*place = arena_zalloc(any->arena, sizeof(**place));
	(*place)->offset = buffer_size(&any->out);
	for (size_t i = any->levels.length; i > 0 && !(*place)->parent; i--)
		(*place)->parent = ((const struct level *)vector_at(&any->levels, i - 1))->place;
	if (member->last_place)
		member->last_place->next = *place;
	else
		member->places = *place;
	member->last_place = *place;
	return ST_OK;
}

/* "<name", with its namespace. */
static enum status put_tag(struct json_any *any, struct element_name element)
{
	struct bytes scope = namespace_in_scope(any);
	enum status status = put(any, any->tag_open ? "><" : "<");
	any->tag_open = false;
	if (status == ST_OK)
		status = buffer_append(&any->out, element.name);
	if (status != ST_OK || (scope.data && bytes_equal(scope, element.ns)))
		return status;
	status = put(any, " xmlns=\"");
	if (status == ST_OK)
		status = xml_escape(&any->out, element.ns, true);
	return status == ST_OK ? put(any, "\"") : status;
}

static enum status put_end(struct json_any *any, struct element_name element)
{
	enum status status = put(any, "</");
	if (status == ST_OK)
		status = buffer_append(&any->out, element.name);
	return status == ST_OK ? put(any, ">") : status;
}

/* The element that a value that comes now is in, and its member; name.size 0: none. Uses up a pending name.
 */
static struct element_name next_element(struct json_any *any, struct any_member **member)
{
	const struct level *level = last(any);
	bool is_item = level && level->is_array;
	struct element_name element = is_item ? level->element : any->pending;
	*member = is_item ? level->member : any->pending_member;
	any->pending = (struct element_name){0};
	any->pending_member = NULL;
	return element;
}

static enum status put_scalar(struct json_any *any, struct bytes text)
{
	struct any_member *member;
	struct any_place *place;
	struct element_name element = next_element(any, &member);
	if (element.name.size == 0)
		return xml_escape(&any->out, text, false);
	enum status status = put_tag(any, element);
	if (status == ST_OK)
		status = add_place(any, member, &place);
	if (status == ST_OK)
		status = json_any__note_used(any, place, text);
	if (status != ST_OK)
		return status;
	if (text.size == 0)
		return put(any, "/>");
	status = put(any, ">");
	if (status == ST_OK)
		status = xml_escape(&any->out, text, false);
	return status == ST_OK ? put_end(any, element) : status;
}

bool json_any__is_identifier(struct bytes name)
{
	for (size_t i = 0; i < name.size; i++) {
		char c = name.data[i];
		bool starts = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
		if (!starts && (i == 0 || !((c >= '0' && c <= '9') || c == '-' || c == '.')))
			return false;
	}
	return name.size > 0;
}

struct bytes json_any__keep(struct json_any *any, struct bytes text)
{
	return (struct bytes){arena_strdup(any->arena, text), text.size};
}

struct bytes json_any__namespace(struct json_any *any, struct bytes prefix)
{
	const struct schema_module *module = schema_module_find(any->schema, prefix);
	if (module && module->implemented)
		return bytes_of(module->ns);
	struct bytes ns = json_any__keep(any, prefix);
	if (bytes_equal(ns, bytes_of(NS_XML)) || bytes_equal(ns, bytes_of(NS_XMLNS)))
		return (struct bytes){0};
	xmlURIPtr uri = xmlParseURI(ns.data);
	xmlFreeURI(uri);
	return uri || ns.size == 0 ? ns : (struct bytes){0};
}

enum status json_any__charge(struct json_any *any, size_t size)
{
	if (size > any->size_left)
		return ST_LIMIT;
	any->size_left -= size;
	return ST_OK;
}

/* Both forms of a name, with and without the parent's module, are the same one. */
enum status json_any__member(struct json_any *any, struct element_name element, struct any_member **member)
{
	uint64_t object = last(any)->number;
	size_t size = sizeof(object) + element.ns.size + 1 + element.name.size;
	enum status status = json_any__charge(any, 2 * size + sizeof(**member) + NAME_COST);
	if (status != ST_OK)
		return status;
	char *key = arena_alloc(any->arena, size);
	memcpy(key, &object, sizeof(object));
	memcpy(key + sizeof(object), element.ns.data, element.ns.size);
	key[sizeof(object) + element.ns.size] = '\0';
	memcpy(key + size - element.name.size, element.name.data, element.name.size);
	*member = hash_table_find(any->members, (struct bytes){key, size});
	if (*member)
		return ST_OK;
	*member = arena_zalloc(any->arena, sizeof(**member));
	(*member)->name = element.name;
	hash_table_put(any->members, (struct bytes){key, size}, *member);
	return ST_OK;
}

enum status json_any__read_name(struct json_any *any, struct bytes text, struct element_name *element)
{
	const char *colon = text.size > 0 ? memrchr(text.data, ':', text.size) : NULL;
	size_t prefix_size = colon ? (size_t)(colon - text.data) : 0;
	size_t skipped = colon ? prefix_size + 1 : 0;
	struct bytes name = {text.data + skipped, text.size - skipped};
	if (!json_any__is_identifier(name))
		return json_any__reject(any, DIAG_BAD_ELEMENT, "The member's name is not an identifier.",
					text);
	struct bytes scope = namespace_in_scope(any);
	enum status status = json_any__charge(any, 2 * text.size);
	if (status != ST_OK)
		return status;
	element->name = json_any__keep(any, name);
	if (colon)
		element->ns = json_any__namespace(any, (struct bytes){text.data, prefix_size});
	else
		element->ns = scope.data ? scope : bytes_of(any->node->module->ns);
	if (element->ns.data)
		return ST_OK;
	return json_any__reject(any, DIAG_UNKNOWN_NAMESPACE,
				"The member's name has neither a module nor a namespace.", text);
}

static enum status take_name(struct json_any *any, struct bytes text)
{
	if (text.size > 0 && text.data[0] == '@')
		return json_any__notes_begin(any, text);
	enum status status = json_any__read_name(any, text, &any->pending);
	if (status == ST_OK)
		status = json_any__member(any, any->pending, &any->pending_member);
	if (status != ST_OK)
		return status;
	if (any->pending_member->has_value)
		return json_any__reject(any, DIAG_BAD_ELEMENT, "The member is there twice.", text);
	any->pending_member->has_value = true;
	return ST_OK;
}

static struct level *push(struct json_any *any, struct element_name element)
{
	struct level *level = vector_push(&any->levels);
	level->element = element;
	return level;
}

static enum status start_object(struct json_any *any)
{
	struct any_member *member;
	struct any_place *place = NULL;
	struct element_name element = next_element(any, &member);
	bool has_tag = element.name.size > 0;
	enum status status = has_tag ? put_tag(any, element) : ST_OK;
	if (status == ST_OK && has_tag)
		status = add_place(any, member, &place);
	any->tag_open = has_tag;
	struct level *level = push(any, element);
	level->number = any->objects++;
	level->place = place;
	return status;
}

static enum status end_object(struct json_any *any)
{
	struct element_name element = last(any)->element;
	bool is_empty = any->tag_open;
	enum status status = json_any__notes_settle(any);
	if (status != ST_OK)
		return status;
	any->tag_open = false;
	vector_pop(&any->levels);
	if (is_empty)
		return put(any, "/>");
	return element.name.size > 0 ? put_end(any, element) : ST_OK;
}

static enum status start_array(struct json_any *any)
{
	const struct level *outer = last(any);
	bool is_only_null = outer ? outer->is_array : any->pending.name.size == 0;
	if (outer && outer->is_only_null)
		return reject_form(any, "An array in an array cannot be stored.");
	struct any_member *member;
	struct level *level = push(any, next_element(any, &member));
	level->is_array = true;
	level->member = member;
	level->is_only_null = is_only_null;
	return ST_OK;
}

/* An array within another, or one that is the whole value, can only be [null]; the latter is also empty. */
static enum status check_item(struct json_any *any, enum json_event event)
{
	struct level *level = last(any);
	if (!level || !level->is_only_null)
		return ST_OK;
	bool is_whole = any->levels.length == 1;
	bool is_good = event == JSON_ARRAY_END ? level->has_item || is_whole
					       : event == JSON_NULL && !level->has_item;
	level->has_item = true;
	if (is_good)
		return ST_OK;
	return reject_form(any, is_whole ? "An array without a name cannot be stored."
					 : "An array in an array cannot be stored.");
}

static enum status take(struct json_any *any, enum json_event event, struct bytes text)
{
	enum status status = check_item(any, event);
	if (status != ST_OK)
		return status;
	if (any->levels.length == 0 && any->node->kind == SCHEMA_ANYDATA && event != JSON_OBJECT_START)
		return reject_form(any, "The content of anydata must be an object.");
	switch (event) {
	case JSON_OBJECT_START:
		return start_object(any);
	case JSON_OBJECT_END:
		return end_object(any);
	case JSON_ARRAY_START:
		return start_array(any);
	case JSON_ARRAY_END:
		vector_pop(&any->levels);
		return ST_OK;
	case JSON_NAME:
		return take_name(any, text);
	case JSON_STRING:
	case JSON_NUMBER:
		return put_scalar(any, text);
	case JSON_TRUE:
		return put_scalar(any, bytes_of("true"));
	case JSON_FALSE:
		return put_scalar(any, bytes_of("false"));
	case JSON_NULL:
		break;
	}
	return put_scalar(any, bytes_of(""));
}

struct json_any *json_any_new(const struct schema *schema, const struct schema_node *node, size_t size_limit)
{
	struct json_any *any = memory_zalloc(sizeof(*any));
	any->schema = schema;
	any->node = node;
	any->size_left = size_limit;
	any->size_limit = size_limit < TEXT_SIZE_MAX ? size_limit : TEXT_SIZE_MAX;
	any->arena = arena_new();
	any->members = hash_table_new();
	vector_init(&any->levels, sizeof(struct level));
	vector_init(&any->marked, sizeof(struct any_place *));
	buffer_init(&any->out, any->size_limit);
	return any;
}

void json_any_free(struct json_any *any)
{
	if (!any)
		return;
	hash_table_free(any->members);
	vector_fini(&any->levels);
	vector_fini(&any->marked);
	buffer_fini(&any->out);
	arena_free(any->arena);
	memory_free(any);
}

enum status json_any_event(struct json_any *any, enum json_event event, struct bytes text)
{
	ASSERT(!any->done);
	if (event == JSON_OBJECT_START || event == JSON_ARRAY_START)
		any->depth++;
	if (event == JSON_OBJECT_END || event == JSON_ARRAY_END)
		any->depth--;
	any->done = any->depth == 0;
	if (any->rejected)
		return ST_OK;
	enum status status = any->notes_state != NOTES_NONE ? json_any__notes_event(any, event, text)
							    : take(any, event, text);
	return status == ST_OK && any->done && !any->rejected ? json_any__notes_apply(any) : status;
}

size_t json_any_depth(const struct json_any *any)
{
	return any->depth;
}

bool json_any_is_done(const struct json_any *any)
{
	return any->done;
}

struct json_any_error json_any_error(const struct json_any *any)
{
	return any->error;
}

struct text *json_any_finish(struct json_any *any)
{
	ASSERT(any->done && !any->rejected);
	return text_new(buffer_get(&any->out), 0);
}
