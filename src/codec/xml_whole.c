/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Most of a large reply are elements about which there is nothing to ask: no filter below some node, no view,
 * no annotation, no prefix in a value. This is the loop for these. It works on the frames of the walk
 * (walk_frame.h), so it may begin at any frame and stop at any node; what it does not know is left to the
 * steps of xml_encoder.c, one node at a time, which then return here.
 *
 * What an element costs is what memory must be touched: its slot, its text, the two tags (schema.h), the
 * output. Room for what an element may take at most is reserved for a whole run beforehand, so nothing is
 * checked while one is written; tags and texts are copied in blocks that may write beyond their end, where
 * the next element will be. A text is searched for characters to be escaped while it is copied, 8 or 16 bytes
 * at a time, and written again byte by byte where there is one.
 *
 * Records and texts lie anywhere in memory: those of the entry after this one are fetched into the cache
 * while this one is written.
 */
#include "codec/xml_whole.h"

#include "base/xml_escape.h"
#include "codec/walk_frame.h"
#include "tree/annotation.h"

#define TEXT_MAX 256		     /* bytes of a value that is written here */
#define RUN_SIZE ((size_t)64 * 1024) /* bytes for which room is reserved at once */
#define SHORT_RUN ((size_t)1024)     /* bytes of a run that takes what room there is */
#define AHEAD_SLOTS 6		     /* slots of the next entry whose texts are fetched */

struct run {
	struct select_walk *walk;
	char *at, *stop; /* where the next byte goes; where no further element begins */
	size_t budget;
};

/* 16 bytes as one, and all bytes of a word alike. */
typedef unsigned char block __attribute__((vector_size(16)));
typedef uint64_t halves __attribute__((vector_size(16)));
#define BYTES(byte) (UINT64_C(0x0101010101010101) * (byte))

static inline uint64_t load_word(const char *from)
{
	uint64_t word;
	memcpy(&word, from, sizeof(word));
	return word;
}

static inline uint64_t zero_bytes(uint64_t word)
{
	return (word - BYTES(1)) & ~word & BYTES(0x80);
}

/* Whether one of the bytes is & or < or > or CR. < and > differ in the bit 0x02 alone. */
static inline bool is_special_word(uint64_t word)
{
	return (zero_bytes(word ^ BYTES('&')) | zero_bytes((word | BYTES(2)) ^ BYTES('>')) |
		zero_bytes(word ^ BYTES('\r'))) != 0;
}

static inline halves special_bytes(block bytes)
{
	return (halves)((bytes == '&') | ((bytes | 2) == '>') | (bytes == '\r'));
}

/* Copies at least 8 bytes; false where one of them is special. */
static inline bool copy_text(char *to, const char *from, size_t size)
{
	if (size < sizeof(block)) {
		uint64_t first = load_word(from), last = load_word(from + size - sizeof(last));
		memcpy(to, &first, sizeof(first));
		memcpy(to + size - sizeof(last), &last, sizeof(last));
		return !is_special_word(first) && !is_special_word(last);
	}
	halves special = {0, 0};
	block bytes;
	for (size_t at = 0; at < size - sizeof(block); at += sizeof(block)) {
		memcpy(&bytes, from + at, sizeof(bytes));
		memcpy(to + at, &bytes, sizeof(bytes));
		special |= special_bytes(bytes);
	}
	memcpy(&bytes, from + size - sizeof(block), sizeof(bytes));
	memcpy(to + size - sizeof(block), &bytes, sizeof(bytes));
	special |= special_bytes(bytes);
	return (special[0] | special[1]) == 0;
}

static inline char *put_tag(char *to, struct bytes tag)
{
	memcpy(to, tag.data, SCHEMA_TAG_PADDING);
	if (tag.size > SCHEMA_TAG_PADDING)
		memcpy(to + SCHEMA_TAG_PADDING, tag.data + SCHEMA_TAG_PADDING, tag.size - SCHEMA_TAG_PADDING);
	return to + tag.size;
}

/* An element without content. */
static inline char *put_empty(char *to, const struct schema_node *node)
{
	to = put_tag(to, node->start_tag);
	to[-1] = '/';
	*to++ = '>';
	return to;
}

static char *put_text(char *to, const struct schema_node *node, struct bytes text)
{
	if (text.size == 0)
		return put_empty(to, node);
	to = put_tag(to, node->start_tag);
	if (text.size >= sizeof(uint64_t) && copy_text(to, text.data, text.size))
		to += text.size;
	else
		to = xml_escape_content(to, text);
	return put_tag(to, node->end_tag);
}

/* A leaf or leaf-list value. False: not here. */
static inline bool put_value(struct run *run, const struct schema_node *node, const struct value *value)
{
	const struct text *text = value_shared_text(*value);
	if (text != NULL) {
		if (text->size > TEXT_MAX || (text->flags & TEXT_QNAME))
			return false;
		run->at = put_text(run->at, node, text_bytes(text));
		return true;
	}
	/* An inline value is 7 bytes, those beyond its size 0. */
	struct bytes inlined = value_bytes(value);
	uint64_t word = value->word >> 8;
	if (inlined.size == 0 || is_special_word(word)) {
		run->at = put_text(run->at, node, inlined);
		return true;
	}
	char *to = put_tag(run->at, node->start_tag);
	memcpy(to, &word, sizeof(word));
	run->at = put_tag(to + inlined.size, node->end_tag);
	return true;
}

/* A container or list entry: all of it where it is empty, else its start tag. False: not here. */
static inline bool put_record(struct run *run, struct walk_frame *frame, const struct schema_node *node,
			      const struct tree_record *record)
{
	if (tree_record_annotated(record))
		return false;
	if (record->length == 0) {
		run->at = put_empty(run->at, node);
		return true;
	}
	run->at = put_tag(run->at, node->start_tag);
	struct walk_frame *inner = codec__walk_push(run->walk, node);
	inner->plain = true;
	inner->position =
		(struct tree_position){.parent = &frame->position, .schema = node, .record = record};
	return true;
}

/* What a record points to: texts, and the nodes below. */
static inline void fetch_content(const struct tree_record *record)
{
	for (unsigned i = 0; i < record->length && i < AHEAD_SLOTS; i++) {
		if ((record->slots[i].word & 1) == 0)
			__builtin_prefetch(record->slots[i].any);
	}
}

/* The first entries of the lists in an entry. */
static inline void fetch_entries(const struct schema_node *list, const struct tree_record *record)
{
	const uint16_t *indexes = tree_record_indexes(record);
	for (unsigned i = list->key_count; i < record->length && i < AHEAD_SLOTS; i++) {
		if (list->children[indexes[i]]->kind == SCHEMA_LIST)
			tree_map_fetch(record->slots[i].map);
	}
}

/* What will be read soon, each step while one more entry is written: an entry, what it points to, and what
 * that points to. */
static inline void fetch_ahead(const struct schema_node *list, const union tree_item *item, uint32_t run)
{
	if (run > 3)
		__builtin_prefetch(item[3].record);
	if (run > 2)
		fetch_content(item[2].record);
	if (run > 1)
		fetch_entries(list, item[1].record);
}

static inline void pass_item(struct walk_frame *frame)
{
	frame->item = tree_map_next_of_run(&frame->iter, frame->item, &frame->run);
	frame->index++;
	if (frame->item == NULL)
		frame->list = NULL;
}

static bool put_entry(struct run *run, struct walk_frame *frame)
{
	const struct schema_node *list = frame->list;
	fetch_ahead(list, frame->item, frame->run);
	if (!put_record(run, frame, list, frame->item->record))
		return false;
	if (run->walk->top != frame)
		run->walk->top->position.index = frame->index + 1;
	pass_item(frame);
	run->budget--;
	return true;
}

static bool put_leaf_list(struct run *run, struct walk_frame *frame)
{
	const struct schema_node *list = frame->list;
	while (frame->list != NULL && run->at < run->stop && run->budget > 0) {
		if (!put_value(run, list, &frame->item->value))
			return false;
		pass_item(frame);
		run->budget--;
	}
	return true;
}

static void begin_list(struct walk_frame *frame, const struct schema_node *list, const struct tree_map *map)
{
	frame->list = list;
	frame->map = map;
	frame->entry_count = 0;
	frame->index = 0;
	frame->item = tree_map_first(&frame->iter, map, list);
	frame->run = tree_map_run(&frame->iter);
	if (list->kind != SCHEMA_LIST)
		return;
	for (uint32_t i = 1; i < frame->run && i < 3; i++)
		__builtin_prefetch(frame->item[i].record);
}

/* The child at frame->next, or its beginning. False: not here. */
static inline bool put_child(struct run *run, struct walk_frame *frame, const struct schema_node *child,
			     const union tree_slot *slot)
{
	switch (child->kind) {
	case SCHEMA_LEAF:
		return put_value(run, child, &slot->value);
	case SCHEMA_CONTAINER:
		return put_record(run, frame, child, slot->record);
	case SCHEMA_LIST:
	case SCHEMA_LEAF_LIST:
		begin_list(frame, child, slot->map);
		return true;
	case SCHEMA_ANYDATA:
	case SCHEMA_ANYXML:
	case SCHEMA_ROOT:
	case SCHEMA_RPC:
	case SCHEMA_ACTION:
	case SCHEMA_OUTPUT:
	case SCHEMA_NOTIFICATION:
		break;
	}
	return false;
}

/* Children up to the first list, or container with content. */
static bool put_children(struct run *run, struct walk_frame *frame)
{
	const struct tree_record *record = frame->position.record;
	const uint16_t *indexes = tree_record_indexes(record);
	const struct schema_node **children = frame->position.schema->children;
	while (frame->next < record->length && run->at < run->stop && run->budget > 0) {
		uint16_t next = frame->next;
		if (!put_child(run, frame, children[indexes[next]], &record->slots[next]))
			return false;
		frame->next = (uint16_t)(next + 1);
		run->budget--;
		if (frame->list != NULL || run->walk->top != frame)
			break;
	}
	return true;
}

/* Nothing below the frame is to be decided but by the nodes themselves. What a frame once is it stays. */
static bool is_plain(struct walk_frame *frame)
{
	if (!frame->plain)
		frame->plain = frame->whole && frame->report == REPORT_DONE && !frame->in_implicit &&
			       frame->end_slot == frame->position.schema->child_count &&
			       !tree_record_annotated(frame->position.record);
	return frame->plain;
}

/* False: not here. */
static bool step(struct run *run)
{
	struct walk_frame *frame = run->walk->top;
	if (frame->list != NULL && frame->item == NULL)
		frame->list = NULL; /* the last item was left to a step of the encoder */
	if (frame->list != NULL)
		return frame->list->kind == SCHEMA_LIST ? put_entry(run, frame) : put_leaf_list(run, frame);
	if (frame->next < frame->position.record->length)
		return put_children(run, frame);
	if (frame->outer == NULL)
		return false; /* the end of it all */
	run->at = put_tag(run->at, frame->position.schema->end_tag);
	run->walk->top = frame->outer;
	run->budget--;
	return frame->outer->plain || is_plain(frame->outer);
}

size_t codec__xml_run_whole(struct select_walk *walk, struct buffer *out, size_t size, size_t budget)
{
	/* Above what a filter selects, which is asked for each node. */
	if (walk->top != NULL && !walk->top->whole)
		return budget;
	size_t have = buffer_size(out);
	if (walk->view || walk->pending || walk->opening || walk->begins_within || !walk->top ||
	    !is_plain(walk->top) || have >= size)
		return budget;
	size_t room = size - have < RUN_SIZE ? size - have : RUN_SIZE;
	/* Of the last element, and what blocks write beyond it. */
	size_t beyond = 2 * walk->schema->tag_size + XML_ESCAPED_MAX * TEXT_MAX + SCHEMA_TAG_PADDING;
	/* A small reply is not worth larger storage, which costs more than the reply. */
	size_t there = buffer_room(out);
	if (there >= SHORT_RUN + beyond && there - beyond < room)
		room = there - beyond;
	char *start = buffer_reserve(out, room + beyond);
	if (start == NULL)
		return budget;
	struct run run = {.walk = walk, .at = start, .stop = start + room, .budget = budget};
	while (run.at < run.stop && run.budget > 0 && step(&run))
		;
	buffer_commit(out, (size_t)(run.at - start));
	return run.budget;
}
