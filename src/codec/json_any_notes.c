/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Annotations within anydata and anyxml (RFC 7952 5.2): "@" in an object is about its element, "@name" beside
 * "name" about that one, with an array about each of its items in turn. They become attributes.
 *
 * The events of an "@" member's value end up as notes of the member that it is about, which may not have come
 * yet. When the object ends all of its members are known: then each note goes to its element's place. The
 * text is put together once, at the end, with the places that have notes in order.
 *
 * Invariant: the notes of a member are in ascending order of their index, as its places are.
 */
#include "codec/json_any_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "schema/qname.h"
#include "codec/xml_encoder.h"

#define USED_PREFIXES_SIZE 4096 /* bytes at the front of a value that are looked through for prefixes */
#define NOTES_MAX 64		/* of one element */

#define NS_XML "http://www.w3.org/XML/1998/namespace"

static void mark(struct json_any *any, struct any_place *place)
{
	if (!place->is_marked)
		*(struct any_place **)vector_push(&any->marked) = place;
	place->is_marked = true;
}

enum status json_any__note_used(struct json_any *any, struct any_place *place, struct bytes text)
{
	const struct schema_module *module;
	struct any_used **end = &place->used;
	size_t at = 0;
	if (text.size > USED_PREFIXES_SIZE)
		text.size = USED_PREFIXES_SIZE;
	while (schema_qname_next(any->schema, text, &at, &module)) {
		enum status status = json_any__charge(any, sizeof(**end) + sizeof(struct any_place *));
		if (status != ST_OK)
			return status;
		*end = arena_alloc(any->arena, sizeof(**end));
		**end = (struct any_used){module, NULL};
		end = &(*end)->next;
		mark(any, place);
	}
	return ST_OK;
}

/* ---- reading */

static struct level *object_of(const struct json_any *any)
{
	return vector_at(&any->levels, any->levels.length - 1);
}

static enum status reject_form(struct json_any *any, const char *message)
{
	struct bytes name = any->notes_member ? any->notes_member->name : any->node->name_bytes;
	return json_any__reject(any, DIAG_BAD_ELEMENT, message, name);
}

enum status json_any__notes_begin(struct json_any *any, struct bytes text)
{
	struct level *object = object_of(any);
	struct bytes name = {text.data + 1, text.size - 1};
	any->notes_state = NOTES_VALUE;
	any->notes_member = NULL;
	any->notes_array = false;
	any->notes_index = 0;
	any->notes_place = object->place;
	if (name.size == 0) {
		bool is_twice = object->has_notes;
		object->has_notes = true;
		return is_twice ? reject_form(any, "The member is there twice.") : ST_OK;
	}
	struct element_name element;
	enum status status = json_any__read_name(any, name, &element);
	if (status == ST_OK)
		status = json_any__member(any, element, &any->notes_member);
	if (status != ST_OK)
		return status;
	struct any_member *member = any->notes_member;
	if (member->has_notes)
		return json_any__reject(any, DIAG_BAD_ELEMENT, "The member is there twice.", text);
	member->has_notes = true;
	member->next_noted = object->noted;
	object->noted = member;
	return ST_OK;
}

/* The name of an annotation: with a module's name or a namespace before it. */
static enum status take_name(struct json_any *any, struct bytes text)
{
	const char *colon = text.size > 0 ? memrchr(text.data, ':', text.size) : NULL;
	struct bytes prefix = {text.data, colon ? (size_t)(colon - text.data) : 0};
	size_t skipped = colon ? prefix.size + 1 : 0;
	struct bytes name = {text.data + skipped, text.size - skipped};
	enum status status = json_any__charge(any, 2 * text.size);
	if (status != ST_OK)
		return status;
	bool is_xml = bytes_equal(prefix, bytes_of(NS_XML));
	any->notes_name.name = json_any__keep(any, name);
	any->notes_name.ns = is_xml ? bytes_of(NS_XML) : bytes_of("");
	if (prefix.size > 0 && !is_xml)
		any->notes_name.ns = json_any__namespace(any, prefix);
	bool declares = prefix.size == 0 && bytes_equal(name, bytes_of("xmlns"));
	if (!json_any__is_identifier(name) || !any->notes_name.ns.data || declares)
		return json_any__reject(any, DIAG_UNKNOWN_ATTRIBUTE,
					"The annotation's name is no name with a module or namespace.", text);
	any->notes_state = NOTES_SCALAR;
	return ST_OK;
}

static bool is_same_name(const struct element_name *a, const struct element_name *b)
{
	return bytes_equal(a->ns, b->ns) && bytes_equal(a->name, b->name);
}

/* The note is one of the element's. */
static enum status give(struct json_any *any, struct any_place *place, struct any_note *note)
{
	size_t count = 0;
	struct any_note **end = &place->notes;
	for (; *end; end = &(*end)->next, count++) {
		if (is_same_name(&(*end)->name, &note->name))
			return json_any__reject(any, DIAG_BAD_ATTRIBUTE, "The annotation is there twice.",
						note->name.name);
	}
	if (count >= NOTES_MAX)
		return json_any__reject(any, DIAG_BAD_ATTRIBUTE, "An element has too many annotations.",
					note->name.name);
	mark(any, place);
	note->next = NULL;
	*end = note;
	return ST_OK;
}

static enum status take_value(struct json_any *any, struct bytes text)
{
	struct any_note *note;
	enum status status = json_any__charge(any, text.size + sizeof(*note) + sizeof(struct any_place *));
	if (status != ST_OK)
		return status;
	note = arena_zalloc(any->arena, sizeof(*note));
	*note = (struct any_note){
		.index = any->notes_index, .name = any->notes_name, .value = json_any__keep(any, text)};
	any->notes_state = NOTES_OBJECT;
	struct any_member *member = any->notes_member;
	if (!member)
		return any->notes_place ? give(any, any->notes_place, note)
					: reject_form(any, "Annotations of the node are not content of it.");
	if (member->last_note)
		member->last_note->next = note;
	else
		member->notes = note;
	member->last_note = note;
	return ST_OK;
}

static enum status take_scalar(struct json_any *any, enum json_event event, struct bytes text)
{
	switch (event) {
	case JSON_STRING:
	case JSON_NUMBER:
		return take_value(any, text);
	case JSON_TRUE:
		return take_value(any, bytes_of("true"));
	case JSON_FALSE:
		return take_value(any, bytes_of("false"));
	case JSON_ARRAY_START:
		any->notes_state = NOTES_NULL;
		return ST_OK;
	case JSON_NULL:
	case JSON_NAME:
	case JSON_OBJECT_START:
	case JSON_OBJECT_END:
	case JSON_ARRAY_END:
		break;
	}
	return reject_form(any, "The value of an annotation is none that a leaf has.");
}

/* The value of the "@" member or, where that is an array, an item of it. */
static enum status take_object(struct json_any *any, enum json_event event)
{
	bool may_be_array = any->notes_state == NOTES_VALUE && any->notes_member;
	if (event == JSON_OBJECT_START) {
		any->notes_state = NOTES_OBJECT;
		return ST_OK;
	}
	if (event == JSON_ARRAY_START && may_be_array) {
		any->notes_array = true;
		any->notes_state = NOTES_ITEMS;
		return ST_OK;
	}
	if (event == JSON_NULL && any->notes_state == NOTES_ITEMS) {
		any->notes_index++;
		return ST_OK;
	}
	if (event == JSON_ARRAY_END) {
		any->notes_state = NOTES_NONE;
		return ST_OK;
	}
	return reject_form(any, "Annotations are an object, or an array of objects and nulls.");
}

enum status json_any__notes_event(struct json_any *any, enum json_event event, struct bytes text)
{
	switch (any->notes_state) {
	case NOTES_VALUE:
	case NOTES_ITEMS:
		return take_object(any, event);
	case NOTES_OBJECT:
		if (event == JSON_NAME)
			return take_name(any, text);
		any->notes_index++;
		any->notes_state = any->notes_array ? NOTES_ITEMS : NOTES_NONE;
		return ST_OK;
	case NOTES_SCALAR:
		return take_scalar(any, event, text);
	case NOTES_NULL:
		any->notes_state = NOTES_END;
		return event == JSON_NULL ? ST_OK : take_scalar(any, JSON_NULL, text);
	case NOTES_END:
		return event == JSON_ARRAY_END ? take_value(any, bytes_of(""))
					       : take_scalar(any, JSON_NULL, text);
	case NOTES_NONE:
		break;
	}
	ASSERT(!"events come while an \"@\" member is open");
	return ST_OK;
}

/* ---- to the elements */

static enum status settle_member(struct json_any *any, struct any_member *member)
{
	struct any_place *place = member->places;
	size_t index = 0;
	for (struct any_note *note = member->notes, *next; note; note = next) {
		next = note->next;
		for (; place && index < note->index; index++)
			place = place->next;
		if (!place)
			return json_any__reject(any, DIAG_UNKNOWN_ATTRIBUTE,
						"The annotation is of an element that is not there.",
						member->name);
		enum status status = give(any, place, note);
		if (status != ST_OK)
			return status;
	}
	return ST_OK;
}

enum status json_any__notes_settle(struct json_any *any)
{
	for (struct any_member *member = object_of(any)->noted; member; member = member->next_noted) {
		enum status status = settle_member(any, member);
		if (status != ST_OK)
			return status;
	}
	return ST_OK;
}

/* ---- the text */

static enum status put(struct buffer *out, const char *text)
{
	return buffer_append(out, bytes_of(text));
}

/* The namespace of the prefix at the place; data NULL: it has none. */
static struct bytes find_binding(const struct any_place *place, const char *prefix)
{
	for (; place; place = place->parent) {
		for (const struct any_binding *binding = place->bindings; binding; binding = binding->next) {
			if (strcmp(binding->prefix, prefix) == 0)
				return binding->ns;
		}
	}
	return (struct bytes){0};
}

/* Unless the prefix has that meaning already. */
static enum status declare(struct json_any *any, struct any_place *place, const char *prefix, struct bytes ns,
			   struct buffer *out)
{
	struct bytes known = find_binding(place, prefix);
	if (known.data && bytes_equal(known, ns))
		return ST_OK;
	struct any_binding *binding = arena_alloc(any->arena, sizeof(*binding));
	*binding = (struct any_binding){prefix, ns, place->bindings};
	place->bindings = binding;
	enum status status = buffer_printf(out, " xmlns:%s=\"", prefix);
	if (status == ST_OK)
		status = xml_escape(out, ns, true);
	return status == ST_OK ? put(out, "\"") : status;
}

static enum status declare_module(struct json_any *any, struct any_place *place,
				  const struct schema_module *module, struct buffer *out)
{
	return declare(any, place, module->name, bytes_of(module->ns), out);
}

/* A prefix that no module has, for the n-th note of an element. */
static const char *own_prefix(struct json_any *any, size_t n)
{
	char *prefix;
	for (n *= NOTES_MAX;; n++) {
		prefix = arena_printf(any->arena, "n%zu", n);
		if (!schema_module_find(any->schema, bytes_of(prefix)))
			return prefix;
	}
}

/* Of the annotation's name, and what its value uses. */
static enum status declare_for_note(struct json_any *any, struct any_place *place, struct any_note *note,
				    size_t n, struct buffer *out)
{
	const struct schema_module *module = schema_module_find_ns(any->schema, note->name.ns);
	bool is_xml = bytes_equal(note->name.ns, bytes_of(NS_XML));
	enum status status = ST_OK;
	note->prefix = is_xml			 ? "xml"
		       : note->name.ns.size == 0 ? ""
		       : module			 ? module->name
						 : own_prefix(any, n);
	if (*note->prefix && !is_xml)
		status = declare(any, place, note->prefix, note->name.ns, out);
	struct bytes text = note->value;
	size_t at = 0;
	text.size = text.size > USED_PREFIXES_SIZE ? USED_PREFIXES_SIZE : text.size;
	while (status == ST_OK && schema_qname_next(any->schema, text, &at, &module))
		status = declare_module(any, place, module, out);
	return status;
}

static enum status put_note(const struct any_note *note, struct buffer *out)
{
	enum status status = buffer_printf(out, " %s%s%.*s=\"", note->prefix, *note->prefix ? ":" : "",
					   (int)note->name.name.size, note->name.name.data);
	if (status == ST_OK)
		status = xml_escape(out, note->value, true);
	return status == ST_OK ? put(out, "\"") : status;
}

/* As any_writer has it: declarations before attributes. */
static enum status put_place(struct json_any *any, struct any_place *place, struct buffer *out)
{
	enum status status = ST_OK;
	size_t n = 0;
	for (struct any_note *note = place->notes; status == ST_OK && note; note = note->next)
		status = declare_for_note(any, place, note, n++, out);
	for (const struct any_used *used = place->used; status == ST_OK && used; used = used->next)
		status = declare_module(any, place, used->module, out);
	for (const struct any_note *note = place->notes; status == ST_OK && note; note = note->next)
		status = put_note(note, out);
	return status;
}

static int compare_places(const void *left, const void *right)
{
	const struct any_place *a = *(struct any_place *const *)left, *b = *(struct any_place *const *)right;
	return (a->offset > b->offset) - (a->offset < b->offset);
}

enum status json_any__notes_apply(struct json_any *any)
{
	if (any->marked.length == 0)
		return ST_OK;
	qsort(any->marked.data, any->marked.length, sizeof(struct any_place *), compare_places);
	struct buffer out;
	buffer_init(&out, any->size_limit);
	struct bytes rest = buffer_get(&any->out);
	enum status status = ST_OK;
	size_t done = 0;
	for (size_t i = 0; status == ST_OK && i < any->marked.length; i++) {
		struct any_place *place = *(struct any_place **)vector_at(&any->marked, i);
		size_t size = place->offset - done;
		status = buffer_append(&out, (struct bytes){rest.data, size});
		rest = (struct bytes){rest.data + size, rest.size - size};
		done = place->offset;
		if (status == ST_OK)
			status = put_place(any, place, &out);
	}
	if (status == ST_OK)
		status = buffer_append(&out, rest);
	buffer_fini(&any->out);
	any->out = out;
	return status;
}
