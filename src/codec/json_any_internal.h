/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Private to the two halves of json_any's reading: json_any_read.c, which writes elements as they come, and
 * json_any_notes.c, which keeps what "@" members say until their elements are known.
 *
 * An annotation may come before its element or long after it, so each element leaves its place in the text,
 * and attributes are put in there at the end, all in one pass. So are declarations of prefixes, since an
 * element around may turn out to have made them.
 */
#include "base/arena.h"
#include "base/hash_table.h"
#include "base/vector.h"
#include "codec/json_any.h"

/* An element's name; both texts are in the arena. */
struct element_name {
	struct bytes ns, name;
};

/* A prefix that an element declares. */
struct any_binding {
	const char *prefix;
	struct bytes ns;
	struct any_binding *next;
};

/* A module whose name a value seems to use as a prefix. */
struct any_used {
	const struct schema_module *module;
	struct any_used *next;
};

/* An attribute to be: of the item with that index, while it waits at its member. */
struct any_note {
	size_t index;
	struct element_name name;
	struct bytes value;
	const char *prefix; /* of the name; made at the end */
	struct any_note *next;
};

/* An element that was written: where in the text its declarations and further attributes go. */
struct any_place {
	size_t offset;
	const struct any_place *parent; /* of the element around it; NULL: none */
	struct any_used *used;		/* by its content */
	struct any_note *notes;		/* given to it */
	struct any_binding *bindings;	/* made at the end */
	struct any_place *next;		/* of the same member */
	bool is_marked;			/* in json_any.marked */
};

/* A member of an object, the name of one or several elements. */
struct any_member {
	bool has_value, has_notes; /* which of the two came */
	struct any_place *places, *last_place;
	struct any_note *notes, *last_note; /* by index, as they came */
	struct bytes name;
	struct any_member *next_noted; /* in the same object */
};

/* What is expected of the value of an "@" member. */
enum any_notes_state {
	NOTES_NONE, /* not in one */
	NOTES_VALUE,
	NOTES_ITEMS,  /* within an array */
	NOTES_OBJECT, /* within an object, a name or its end */
	NOTES_SCALAR, /* the value of an annotation */
	NOTES_NULL,   /* the null of [null] */
	NOTES_END,    /* the end of [null] */
};

struct level {
	bool is_array;
	bool is_only_null;	     /* an array that must be [null] */
	bool has_item;		     /* of such an array */
	struct element_name element; /* name.size 0: none, the node itself */
	struct any_member *member;   /* an array's */
	struct any_place *place;     /* of the element */
	struct any_member *noted;    /* an object's members with notes */
	bool has_notes;		     /* "@" came */
	uint64_t number;	     /* of an object, for `members` */
};

struct json_any {
	const struct schema *schema;
	const struct schema_node *node;
	size_t size_limit; /* of the XML */
	size_t size_left;  /* of what is remembered */
	struct arena *arena;
	struct buffer out;
	struct vector levels;
	struct element_name pending;
	struct any_member *pending_member; /* NULL: none is pending */
	struct hash_table *members;	   /* struct any_member *, by object and name */
	struct vector marked;		   /* struct any_place *: those with `used` or `notes` */
	uint64_t objects;		   /* that came */
	bool tag_open;	/* the last start tag lacks its end, since nothing may follow in the element */
	unsigned depth; /* open structures, also of what is ignored */
	bool done, rejected;
	struct json_any_error error;

	enum any_notes_state notes_state;
	struct any_member *notes_member; /* NULL: of the object itself */
	struct any_place *notes_place;	 /* of that object */
	bool notes_array;		 /* "@name" has an array */
	size_t notes_index;
	struct element_name notes_name; /* that waits for its value */
};

/* Bytes remembered. Fails: ST_LIMIT. */
enum status json_any__charge(struct json_any *any, size_t size) MUST_USE;
enum status json_any__reject(struct json_any *any, enum diag_tag tag, const char *message,
			     struct bytes name) MUST_USE;
struct bytes json_any__keep(struct json_any *any, struct bytes text);
bool json_any__is_identifier(struct bytes name);
/* The namespace that the part before the last colon means; data NULL: none that XML can declare. */
struct bytes json_any__namespace(struct json_any *any, struct bytes prefix);
/* The member of that name in the innermost object; made where it did not come before. Fails: ST_LIMIT. */
enum status json_any__member(struct json_any *any, struct element_name element,
			     struct any_member **member) MUST_USE;
/* The name of a member in the innermost object, taken apart. Fails: as json_any_event. */
enum status json_any__read_name(struct json_any *any, struct bytes text,
				struct element_name *element) MUST_USE;

/* ---- json_any_notes.c */
/* The element's content is this text, which may use prefixes. Fails: ST_LIMIT. */
enum status json_any__note_used(struct json_any *any, struct any_place *place, struct bytes text) MUST_USE;
/* The name of an "@" member. */
enum status json_any__notes_begin(struct json_any *any, struct bytes text) MUST_USE;
/* An event while notes_state is not NOTES_NONE. */
enum status json_any__notes_event(struct json_any *any, enum json_event event, struct bytes text) MUST_USE;
/* The innermost object ends: its members' notes go to their elements. */
enum status json_any__notes_settle(struct json_any *any) MUST_USE;
/* All is there: puts declarations and attributes into the text. Fails: ST_LIMIT. */
enum status json_any__notes_apply(struct json_any *any) MUST_USE;
