/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The content is read twice: into a tree of elements, in which the filters mark what they select, and again
 * as events, of which those of marked elements are written. Elements are numbered as they begin, so that both
 * readings mean the same ones.
 *
 *     content     <a><n>1</n><m/></a><a><n>2</n><m/></a>
 *     filter      <a><n>2</n><m/></a>
 *     marks       a: -   n: -  m: -   a: ENTER  n: WHOLE  m: WHOLE
 *
 * An instance is selected by a filter element if each of the content matches in that is fulfilled by a child
 * of the instance (6.2.5); then what is in it is selected whole, where there is nothing else in the filter
 * element, or else as far as the filter's other elements select it, and what was matched.
 */
#include "netconf/filter_any.h"

#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "codec/any_writer.h"
#include "codec/xml_reader.h"

#define DEPTH_MAX 1024 /* of content, which came through readers with smaller limits */
#define ATTRIBUTES_MAX 65536
#define STEPS_MAX 1000000 /* elements of filters that are held against elements of one content */

/* An element of a filter. */
struct filter_any {
	struct filter_any *next, *children;
	struct bytes ns, name; /* ns.size 0: any namespace (6.2.1) */
	struct bytes text;     /* without blanks around; size 0: none */
	const struct xml_attribute *attributes;
	size_t attribute_count;
};

static struct bytes keep(struct arena *arena, struct bytes bytes)
{
	return (struct bytes){arena_strdup(arena, bytes), bytes.size};
}

static const struct xml_attribute *keep_attributes(struct arena *arena, const struct element *element)
{
	struct xml_attribute *kept = arena_alloc(arena, element->attribute_count * sizeof(*kept));
	for (size_t i = 0; i < element->attribute_count; i++)
		kept[i] = (struct xml_attribute){.ns = keep(arena, element->attributes[i].ns),
						 .name = keep(arena, element->attributes[i].name),
						 .value = keep(arena, element->attributes[i].value)};
	return kept;
}

/* Depth: that of the filter. */
static struct filter_any *copy(struct arena *arena, const struct element *element)
{
	struct filter_any *filter = arena_zalloc(arena, sizeof(*filter));
	filter->ns = keep(arena, element->ns);
	filter->name = keep(arena, element->name);
	if (element->children == NULL)
		filter->text = keep(arena, element_text_trimmed(element));
	filter->attributes = keep_attributes(arena, element);
	filter->attribute_count = element->attribute_count;
	struct filter_any **last = &filter->children;
	for (const struct element *child = element->children; child != NULL; child = child->next) {
		*last = copy(arena, child);
		last = &(*last)->next;
	}
	return filter;
}

struct filter_any *netconf__filter_any_new(struct arena *arena, const struct element *element)
{
	return copy(arena, element);
}

/* ---- Marks. ---- */

enum mark { MARK_NONE, MARK_ENTER, MARK_WHOLE };

/* An element of the content, in the order of the document. */
struct item {
	struct element element; /* first */
	struct item *next, *children, *last_child, *parent;
	size_t text_capacity;
	enum mark mark;
};

static void mark(struct item *item, enum mark mark)
{
	if (item->mark < mark)
		item->mark = mark;
}

static bool has_attribute(const struct item *item, const struct xml_attribute *wanted)
{
	for (size_t i = 0; i < item->element.attribute_count; i++) {
		const struct xml_attribute *attribute = &item->element.attributes[i];
		if (bytes_equal(attribute->ns, wanted->ns) && bytes_equal(attribute->name, wanted->name) &&
		    bytes_equal(attribute->value, wanted->value))
			return true;
	}
	return false;
}

/* Comparisons are what is multiplied: so many elements of a filter with so many of the content. */
struct selecting {
	uint64_t steps; /* left; 0: it is given up */
};

/* By name and attributes. */
static bool is_named(struct selecting *selecting, const struct filter_any *filter, const struct item *item)
{
	if (selecting->steps == 0)
		return false;
	selecting->steps--;
	if (!bytes_equal(filter->name, item->element.name) ||
	    (filter->ns.size > 0 && !bytes_equal(filter->ns, item->element.ns)))
		return false;
	for (size_t i = 0; i < filter->attribute_count; i++)
		if (!has_attribute(item, &filter->attributes[i]))
			return false;
	return true;
}

static bool is_match(const struct filter_any *filter)
{
	return filter->text.size > 0;
}

static bool fulfils(struct selecting *selecting, const struct filter_any *match, const struct item *item)
{
	selecting->steps -= selecting->steps > 0;
	return item->children == NULL && is_named(selecting, match, item) &&
	       bytes_equal(element_text_trimmed(&item->element), match->text);
}

/* Each content match is fulfilled by one of the items; *only: there is nothing else in the filter. */
static bool matches(struct selecting *selecting, const struct filter_any *filter, const struct item *items,
		    bool *only)
{
	*only = filter->children != NULL;
	for (const struct filter_any *match = filter->children; match != NULL; match = match->next) {
		if (!is_match(match)) {
			*only = false;
			continue;
		}
		const struct item *item = items;
		while (item != NULL && selecting->steps > 0 && !fulfils(selecting, match, item))
			item = item->next;
		if (item == NULL || selecting->steps == 0)
			return false;
	}
	return true;
}

static bool select_in(struct selecting *selecting, const struct filter_any *filter, struct item *items,
		      bool *whole);

/* Whether the filter's element, which names the item, selects something of it. Depth: that of the filter. */
static bool select_item(struct selecting *selecting, const struct filter_any *filter, struct item *item)
{
	bool whole = filter->children == NULL;
	if (is_match(filter)) {
		if (!fulfils(selecting, filter, item))
			return false;
	} else if (!whole && !select_in(selecting, filter, item->children, &whole)) {
		return false;
	}
	mark(item, whole ? MARK_WHOLE : MARK_ENTER);
	return true;
}

/* Of the items, which are what is in an instance that the filter names; *whole: all of it. */
static bool select_in(struct selecting *selecting, const struct filter_any *filter, struct item *items,
		      bool *whole)
{
	bool any = false;
	if (!matches(selecting, filter, items, whole))
		return false;
	if (*whole)
		return true;
	for (const struct filter_any *child = filter->children; child != NULL; child = child->next)
		for (struct item *item = items; item != NULL && selecting->steps > 0; item = item->next)
			any |= is_named(selecting, child, item) && select_item(selecting, child, item);
	return any;
}

/* ---- Reading. ---- */

struct reading {
	struct arena *arena;
	struct item *top; /* around the content */
	struct item *current;
	struct item **items; /* in the order of the document, `top` first */
	size_t length, capacity;
	/* The second time. */
	size_t next;
	size_t skipped, whole; /* open elements in one that is not written, or is written whole */
	struct any_writer *writer;
	unsigned depth;
};

static enum status read_start(void *arg, const struct xml_start *start)
{
	struct reading *reading = arg;
	struct item *item = arena_zalloc(reading->arena, sizeof(*item));
	item->element.ns = keep(reading->arena, start->ns);
	item->element.name = keep(reading->arena, start->name);
	item->element.attributes = (struct xml_attribute *)start->attributes;
	item->element.attribute_count = start->attribute_count;
	item->element.attributes = (struct xml_attribute *)keep_attributes(reading->arena, &item->element);
	item->parent = reading->current;
	if (item->parent == NULL)
		reading->top = item;
	else if (item->parent->last_child == NULL)
		item->parent->children = item;
	else
		item->parent->last_child->next = item;
	if (item->parent != NULL)
		item->parent->last_child = item;
	reading->current = item;
	if (reading->length == reading->capacity) {
		reading->capacity = reading->capacity == 0 ? 16 : 2 * reading->capacity;
		reading->items = memory_resize(reading->items, reading->capacity, sizeof(*reading->items));
	}
	reading->items[reading->length++] = item;
	return ST_OK;
}

static enum status read_end(void *arg)
{
	struct reading *reading = arg;
	reading->current = reading->current->parent;
	return ST_OK;
}

static enum status read_text(void *arg, struct bytes text)
{
	struct reading *reading = arg;
	struct item *item = reading->current;
	struct bytes *own = &item->element.text;
	if (own->size + text.size > item->text_capacity) {
		item->text_capacity = 2 * (own->size + text.size);
		char *grown = arena_alloc(reading->arena, item->text_capacity);
		if (own->size > 0)
			memcpy(grown, own->data, own->size);
		own->data = grown;
	}
	memcpy((char *)own->data + own->size, text.data, text.size);
	own->size += text.size;
	return ST_OK;
}

static enum status write_start(void *arg, const struct xml_start *start)
{
	struct reading *reading = arg;
	const struct item *item = reading->items[reading->next++];
	if (reading->depth++ == 0)
		return ST_OK; /* what is around the content */
	if (reading->skipped > 0 || (reading->whole == 0 && item->mark == MARK_NONE)) {
		reading->skipped++;
		return ST_OK;
	}
	if (reading->whole > 0 || item->mark == MARK_WHOLE)
		reading->whole++;
	return any_writer_start(reading->writer, start);
}

static enum status write_end(void *arg)
{
	struct reading *reading = arg;
	if (--reading->depth == 0)
		return ST_OK;
	if (reading->skipped > 0) {
		reading->skipped--;
		return ST_OK;
	}
	if (reading->whole > 0)
		reading->whole--;
	return any_writer_end(reading->writer);
}

/* Of an element that is not written whole its text is not selected. */
static enum status write_text(void *arg, struct bytes text)
{
	struct reading *reading = arg;
	return reading->whole > 0 ? any_writer_text(reading->writer, text) : ST_OK;
}

static enum status feed(struct xml_reader *reader, const struct tree_any *any)
{
	enum status status = xml_reader_feed(reader, bytes_of("<any>"));
	if (status == ST_OK)
		status = xml_reader_feed(reader, text_bytes(any->xml));
	if (status == ST_OK)
		status = xml_reader_feed(reader, bytes_of("</any>"));
	return status == ST_OK ? xml_reader_finish(reader) : status;
}

static enum status read_content(struct reading *reading, const struct tree_any *any,
				const struct xml_reader_limits *limits)
{
	static const struct xml_handlers handlers = {.start = read_start, .end = read_end, .text = read_text};
	struct xml_reader *reader = xml_reader_new(&handlers, reading, limits);
	enum status status = feed(reader, any);
	xml_reader_free(reader);
	return status;
}

static struct tree_any *write_part(struct reading *reading, const struct tree_any *any,
				   const struct xml_reader_limits *limits)
{
	static const struct xml_handlers handlers = {
		.start = write_start, .end = write_end, .text = write_text};
	struct xml_reader *reader = xml_reader_new(&handlers, reading, limits);
	struct text *text = NULL;
	reading->writer = any_writer_new(reader, SIZE_MAX);
	enum status status = feed(reader, any);
	if (status == ST_OK)
		status = any_writer_finish(reading->writer, &text);
	any_writer_free(reading->writer);
	xml_reader_free(reader);
	return status == ST_OK ? tree_any_new(text) : NULL;
}

enum filter_any_part netconf__filter_any_select(const struct filter_any *const *filters, size_t count,
						const struct tree_any *any, size_t most,
						struct tree_any **part)
{
	struct xml_reader_limits limits = {DEPTH_MAX, SIZE_MAX, ATTRIBUTES_MAX};
	if (text_bytes(any->xml).size > most)
		return FILTER_ANY_WHOLE;
	struct reading reading = {.arena = arena_new()};
	/* It was read before, so that it cannot fail; what did is not kept back. */
	enum filter_any_part selected = FILTER_ANY_WHOLE;
	if (read_content(&reading, any, &limits) == ST_OK) {
		selected = FILTER_ANY_NOTHING;
		struct selecting selecting = {STEPS_MAX};
		for (size_t i = 0; i < count && selected != FILTER_ANY_WHOLE; i++) {
			bool whole = false;
			if (select_in(&selecting, filters[i], reading.top->children, &whole))
				selected = whole ? FILTER_ANY_WHOLE : FILTER_ANY_PART;
		}
		if (selecting.steps == 0)
			selected = FILTER_ANY_WHOLE;
	}
	if (selected == FILTER_ANY_PART)
		*part = write_part(&reading, any, &limits);
	if (selected == FILTER_ANY_PART && *part == NULL)
		selected = FILTER_ANY_WHOLE;
	memory_free(reading.items);
	arena_free(reading.arena);
	return selected;
}
