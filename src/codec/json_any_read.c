/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * JSON events to XML text, as they come. A level is an object or array that is open; it knows the element
 * that its content is in, or, for an array, the elements that its items become. A name that came waits in
 * `pending` for its value.
 *
 * Names of an object are remembered with the object's number, so that a second one of the same is found; what
 * that takes counts against the limit as the text does.
 */
#include "codec/json_any.h"

#include <libxml/uri.h>

#include "base/assert.h"
#include "base/hash_table.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/vector.h"
#include "codec/qname.h"
#include "codec/xml_encoder.h"

#define NAME_COST ((size_t)64)	/* bytes that a remembered name takes beside itself */
#define USED_PREFIXES_SIZE 4096 /* bytes at the front of a value that are looked through for prefixes */
#define PREFIXES_MAX 64		/* declared for one value */

/* Namespaces that are not to be declared (Namespaces in XML 3). */
#define NS_XML "http://www.w3.org/XML/1998/namespace"
#define NS_XMLNS "http://www.w3.org/2000/xmlns/"

/* An element's name; both texts are in the arena. */
struct element_name {
	struct bytes ns, name;
};

struct level {
	bool is_array;
	bool is_only_null;	     /* an array that must be [null] */
	bool has_item;		     /* of such an array */
	struct element_name element; /* name.size 0: none, the node itself */
	uint64_t number;	     /* of an object, for `names` */
};

struct json_any {
	const struct schema *schema;
	const struct schema_node *node;
	size_t size_left; /* of names */
	struct arena *arena;
	struct buffer out;
	struct vector levels;
	struct element_name pending;
	struct hash_table *names;
	uint64_t objects; /* that came */
	bool tag_open;	  /* the last start tag lacks its end, since nothing may follow in the element */
	unsigned depth;	  /* open structures, also of what is ignored */
	bool done, rejected;
	struct json_any_error error;
};

static enum status reject(struct json_any *any, enum diag_tag tag, const char *message, struct bytes name)
{
	any->rejected = true;
	any->error = (struct json_any_error){tag, message, name};
	return ST_REJECTED;
}

static enum status reject_form(struct json_any *any, const char *message)
{
	struct bytes name = any->pending.name;
	return reject(any, DIAG_BAD_ELEMENT, message, name.size > 0 ? name : any->node->name_bytes);
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

static bool is_noted(const struct schema_module **modules, size_t count, const struct schema_module *module)
{
	for (size_t i = 0; i < count; i++) {
		if (modules[i] == module)
			return true;
	}
	return false;
}

/* Declares the modules whose names the value seems to use as prefixes. */
static enum status put_prefixes(struct json_any *any, struct bytes text)
{
	const struct schema_module *modules[PREFIXES_MAX];
	const struct schema_module *module;
	size_t count = 0, at = 0;
	enum status status = ST_OK;
	if (text.size > USED_PREFIXES_SIZE)
		text.size = USED_PREFIXES_SIZE;
	while (status == ST_OK && count < PREFIXES_MAX &&
	       codec__qname_next(any->schema, text, &at, &module)) {
		if (is_noted(modules, count, module))
			continue;
		modules[count++] = module;
		status = put(any, " xmlns:");
		if (status == ST_OK)
			status = put(any, module->name);
		if (status == ST_OK)
			status = put(any, "=\"");
		if (status == ST_OK)
			status = xml_escape(&any->out, bytes_of(module->ns), true);
		if (status == ST_OK)
			status = put(any, "\"");
	}
	return status;
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

/* The element that a value that comes now is in; name.size 0: none. Uses up a pending name. */
static struct element_name next_element(struct json_any *any)
{
	const struct level *level = last(any);
	struct element_name element = level && level->is_array ? level->element : any->pending;
	any->pending = (struct element_name){0};
	return element;
}

static enum status put_scalar(struct json_any *any, struct bytes text)
{
	struct element_name element = next_element(any);
	if (element.name.size == 0)
		return xml_escape(&any->out, text, false);
	enum status status = put_tag(any, element);
	if (status == ST_OK)
		status = put_prefixes(any, text);
	if (status != ST_OK)
		return status;
	if (text.size == 0)
		return put(any, "/>");
	status = put(any, ">");
	if (status == ST_OK)
		status = xml_escape(&any->out, text, false);
	return status == ST_OK ? put_end(any, element) : status;
}

static bool is_identifier(struct bytes name)
{
	for (size_t i = 0; i < name.size; i++) {
		char c = name.data[i];
		bool starts = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
		if (!starts && (i == 0 || !((c >= '0' && c <= '9') || c == '-' || c == '.')))
			return false;
	}
	return name.size > 0;
}

static struct bytes keep(struct json_any *any, struct bytes text)
{
	return (struct bytes){arena_strdup(any->arena, text), text.size};
}

/* The namespace that the part before the last colon means; data NULL: none that XML can declare. */
static struct bytes namespace_of(struct json_any *any, struct bytes prefix)
{
	const struct schema_module *module = schema_module_find(any->schema, prefix);
	if (module && module->implemented)
		return bytes_of(module->ns);
	struct bytes ns = keep(any, prefix);
	if (bytes_equal(ns, bytes_of(NS_XML)) || bytes_equal(ns, bytes_of(NS_XMLNS)))
		return (struct bytes){0};
	xmlURIPtr uri = xmlParseURI(ns.data);
	xmlFreeURI(uri);
	return uri || ns.size == 0 ? ns : (struct bytes){0};
}

/* Both forms of a name, with and without the parent's module, are the same one. */
static bool is_new_name(struct json_any *any, uint64_t object, struct element_name element)
{
	size_t size = sizeof(object) + element.ns.size + 1 + element.name.size;
	char *key = arena_alloc(any->arena, size);
	memcpy(key, &object, sizeof(object));
	memcpy(key + sizeof(object), element.ns.data, element.ns.size);
	key[sizeof(object) + element.ns.size] = '\0';
	memcpy(key + size - element.name.size, element.name.data, element.name.size);
	return hash_table_put(any->names, (struct bytes){key, size}, any) == NULL;
}

static enum status take_name(struct json_any *any, struct bytes text)
{
	if (text.size > 0 && text.data[0] == '@')
		return reject(any, DIAG_UNKNOWN_ATTRIBUTE, "Annotations are not supported.", text);
	const char *colon = text.size > 0 ? memrchr(text.data, ':', text.size) : NULL;
	size_t prefix_size = colon ? (size_t)(colon - text.data) : 0;
	size_t skipped = colon ? prefix_size + 1 : 0;
	struct bytes name = {text.data + skipped, text.size - skipped};
	if (!is_identifier(name))
		return reject(any, DIAG_BAD_ELEMENT, "The member's name is not an identifier.", text);
	struct bytes scope = namespace_in_scope(any);
	if (2 * text.size + NAME_COST > any->size_left)
		return ST_LIMIT;
	any->pending.name = keep(any, name);
	if (colon)
		any->pending.ns = namespace_of(any, (struct bytes){text.data, prefix_size});
	else
		any->pending.ns = scope.data ? scope : bytes_of(any->node->module->ns);
	if (!any->pending.ns.data)
		return reject(any, DIAG_UNKNOWN_NAMESPACE,
			      "The member's name has neither a module nor a namespace.", text);
	size_t cost = 2 * (text.size + any->pending.ns.size) + NAME_COST;
	any->size_left -= cost < any->size_left ? cost : any->size_left;
	if (!is_new_name(any, last(any)->number, any->pending))
		return reject(any, DIAG_BAD_ELEMENT, "The member is there twice.", text);
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
	struct element_name element = next_element(any);
	enum status status = element.name.size > 0 ? put_tag(any, element) : ST_OK;
	any->tag_open = element.name.size > 0;
	push(any, element)->number = any->objects++;
	return status;
}

static enum status end_object(struct json_any *any)
{
	struct element_name element = last(any)->element;
	bool is_empty = any->tag_open;
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
	struct level *level = push(any, next_element(any));
	level->is_array = true;
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
	any->arena = arena_new();
	any->names = hash_table_new();
	vector_init(&any->levels, sizeof(struct level));
	buffer_init(&any->out, size_limit < TEXT_SIZE_MAX ? size_limit : TEXT_SIZE_MAX);
	return any;
}

void json_any_free(struct json_any *any)
{
	if (!any)
		return;
	hash_table_free(any->names);
	vector_fini(&any->levels);
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
	return any->rejected ? ST_OK : take(any, event, text);
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
