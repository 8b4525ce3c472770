/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What the parts of the change codec share: change_record.c (encode), change_record_apply.c (decode),
 * change_record_names.c (dictionary). */
#include "base/vector.h"
#include "codec/change_record.h"
#include "schema/type.h"

/* The low bits of the number that begins an item; the rest is the number of its node's name. 0 as a whole:
 * the end of what is below the present node. */
#define CODEC__CREATED 1u  /* new content in full */
#define CODEC__DELETED 2u  /* old content in full */
#define CODEC__MODIFIED 3u /* old and new value, or changes below */
#define CODEC__ACTION 3u   /* mask */
#define CODEC__PLACED 4u   /* places in a user-ordered list follow the keys */
#define CODEC__ACTION_BITS 3

/* Kinds as written; never renumber. */
enum {
	CODEC__CONTAINER = 1,
	CODEC__LIST = 2,
	CODEC__LEAF = 3,
	CODEC__LEAF_LIST = 4,
	CODEC__ANYDATA = 5,
	CODEC__ANYXML = 6,
	CODEC__ANNOTATION = 7, /* below the root, whatever it is used on */
};

/* Of a dictionary that is read. */
#define CODEC__NAMES_MAX (1u << 20)
#define CODEC__KEYS_MAX 1024u
#define CODEC__DEPTH_MAX 1024u

#define CODEC__RECENT 4 /* values of an enumeration or identityref remembered for each name */

/* One name: a schema node as the bytes know it. Number 0 is the root. */
struct codec__name {
	const struct schema_node *node;		    /* NULL: the schema has no such node */
	const struct schema_annotation *annotation; /* of that kind; NULL: the schema has none */
	uint32_t parent;
	uint8_t kind;
	uint16_t depth; /* of the root: 0 */
	uint32_t key_count;
	char *text;			    /* "/module:a/b", for messages where node is NULL; owned */
	struct value recent[CODEC__RECENT]; /* owned */
	unsigned recent_next;
};

/* Encoding change sets: what of the dictionary would be left if blocks were lost. */
struct codec__repeats {
	size_t twice;	      /* names up to this number are defined in two blocks at least */
	uint64_t since;	      /* bytes of blocks since one defined all names */
	uint64_t definitions; /* bytes that all definitions have, about */
};

struct change_dictionary {
	const struct schema *schema;
	unsigned threads;		       /* decoding: most at a time */
	struct vector names;		       /* struct codec__name */
	uint32_t *numbers;		       /* by schema id: the number of its name; 0: none yet */
	uint32_t *annotation_numbers;	       /* the same by the index of the annotation */
	struct buffer defined;		       /* encoding: the definitions of the present block */
	struct buffer body;		       /* encoding: its items */
	bool begun;			       /* encoding: the items of the next block are in `body` */
	size_t begun_length;		       /* then the names that there were before, */
	size_t begun_known;		       /* those that its head does not define, */
	size_t begun_defined;		       /* and bytes of the head */
	bool forgotten;			       /* encoding: no block that is still of use defines any name */
	size_t written;			       /* encoding trees: names that the blocks so far define */
	struct codec__repeats repeats, before; /* before the last block, to take that back */
	struct arena *arena;		       /* decoding: of one call */
	bool strict, lenient;
	uint64_t left_out;
	void (*changes)(void *arg, const struct schema_node *node); /* NULL: nobody watches */
	void *changes_arg;
};

static inline struct codec__name *codec__name_at(const struct change_dictionary *dictionary, size_t number)
{
	return vector_at(&dictionary->names, number);
}

uint32_t codec__name_add(struct change_dictionary *dictionary, const struct schema_node *node);
/* Encoding: the number of a node's name, made if it has none yet. */
static inline uint32_t codec__name_number(struct change_dictionary *dictionary,
					  const struct schema_node *node)
{
	uint32_t number = dictionary->numbers[node->id];
	return number != 0 ? number : codec__name_add(dictionary, node);
}
uint32_t codec__annotation_number(struct change_dictionary *dictionary,
				  const struct schema_annotation *annotation);
/* Encoding: appends the definition of a name that the schema has to dictionary->defined. */
void codec__name_put(struct change_dictionary *dictionary, size_t number);
/* Decoding: reads the definition of a number off the front of `in`; known ones are passed over. */
enum status codec__name_define(struct change_dictionary *dictionary, uint64_t number,
			       struct bytes *in) MUST_USE;
/* Room at the end of a buffer without a limit: the storage that it has, where that is enough. */
static inline char *codec__room(struct buffer *out, size_t size)
{
	return out->capacity - out->end >= size ? out->data + out->end : buffer_reserve(out, size);
}

/* Writes a number; gives where it ends. */
static inline char *codec__write_number(char *at, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		*at++ = (char)(number | 0x80);
	*at++ = (char)number;
	return at;
}

#define CODEC__NUMBER_MAX 10 /* bytes */

void codec__put_number(struct buffer *out, uint64_t number);
void codec__put_bytes(struct buffer *out, struct bytes bytes);
/* Take it off the front of `in`; false where `in` does not begin with one. */
bool codec__get_number(struct bytes *in, uint64_t *number);
bool codec__get_bytes(struct bytes *in, struct bytes *bytes);

/* ---- reading items (change_record_apply.c) ---- */

struct codec__runs; /* of one call; NULL in a reader: one thread reads all */

struct codec__reader {
	struct change_dictionary *dictionary;
	struct bytes in;
	enum change_direction direction;
	struct tree_builder *builder;
	enum status (*next)(void *arg, struct bytes *block); /* NULL: one block */
	void *next_arg;
	struct diag_list *diags;
	bool rejected;
	struct codec__runs *runs;
};

/* Says that a name, or a value of it, has no place in the schema, or counts it (lenient). */
void codec__reject(struct codec__reader *reader, uint32_t number, struct bytes value, const char *why);
/* The value of these bytes. Fails: ST_REJECTED, which was said. */
enum status codec__parse_typed(struct codec__reader *reader, uint32_t number,
			       const struct schema_module *local, const struct schema_type *type,
			       struct bytes bytes, struct value *value) MUST_USE;
/* *head: its lowest bit is TEXT_QNAME. */
bool codec__read_value_bytes(struct codec__reader *reader, uint64_t *head, struct bytes *bytes) MUST_USE;
/* `number`: the name that the value is of, for a key that of its list. Gives a value only where `build`. */
enum status codec__read_value(struct codec__reader *reader, uint32_t number, const struct schema_node *node,
			      bool build, struct value *value) MUST_USE;
/* The definitions at the front of a block. */
enum status codec__read_definitions(struct codec__reader *reader) MUST_USE;
/* Builds items below the instance that the builder stands in, until the bytes end behind one; `parent`: the
 * number of that instance's name. */
enum status codec__read_items(struct codec__reader *reader, uint32_t parent) MUST_USE;
/* Decoding: another one of the same names, for another thread. */
struct change_dictionary *codec__dictionary_copy(const struct change_dictionary *dictionary);

/* ---- long runs of entries (change_record_runs.c) ---- */

struct codec__runs {
	struct buffer bytes; /* of blocks that follow each other: what is left of them */
	struct bytes quiet;  /* looked through before, and found to have too little */
	bool is_off;	     /* something was out of order */
	enum status status;  /* of the next block */
};

void codec__runs_init(struct codec__runs *runs);
void codec__runs_fini(struct codec__runs *runs);
/* Builds the entries of one list that come next, as far as that is worth several threads. */
enum status codec__runs_take(struct codec__reader *reader, uint32_t parent) MUST_USE;
