/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Diagnostics: why a request was refused. Layers add records to a list that the caller owns; `netconf`
 * turns each into one <rpc-error> (RFC 6241 4.3, Appendix A). All strings live in the list's arena.
 *
 *     diag_add(list, DIAG_APPLICATION, DIAG_DATA_EXISTS, "Entry exists already.", &d);
 *     diag_set_path(d, ...);
 */
#include <stdbool.h>
#include <stddef.h>
#include "base/arena.h"
#include "base/status.h"

enum diag_type { DIAG_TRANSPORT, DIAG_RPC, DIAG_PROTOCOL, DIAG_APPLICATION };

enum diag_tag {
	DIAG_IN_USE,
	DIAG_INVALID_VALUE,
	DIAG_TOO_BIG,
	DIAG_MISSING_ATTRIBUTE,
	DIAG_BAD_ATTRIBUTE,
	DIAG_UNKNOWN_ATTRIBUTE,
	DIAG_MISSING_ELEMENT,
	DIAG_BAD_ELEMENT,
	DIAG_UNKNOWN_ELEMENT,
	DIAG_UNKNOWN_NAMESPACE,
	DIAG_ACCESS_DENIED,
	DIAG_LOCK_DENIED,
	DIAG_RESOURCE_DENIED,
	DIAG_ROLLBACK_FAILED,
	DIAG_DATA_EXISTS,
	DIAG_DATA_MISSING,
	DIAG_OPERATION_NOT_SUPPORTED,
	DIAG_OPERATION_FAILED,
	DIAG_MALFORMED_MESSAGE,
};

/* One element of <error-info>. */
struct diag_info {
	struct diag_info *next;
	const char *name;	   /* element name, e.g. "bad-element" */
	const char *ns;		   /* its namespace URI; NULL: the NETCONF base namespace */
	const char *value;	   /* its text */
	struct diag_info *members; /* elements in it, in place of a value */
	bool is_path; /* the value uses the record's path prefixes, declare them (RFC 7950 15.1) */
};

/* A prefix used in `path` or in an info that is a path. */
struct diag_prefix {
	struct diag_prefix *next;
	const char *prefix;
	const char *ns;
};

struct diag {
	struct diag *next;
	enum diag_type type;
	enum diag_tag tag;
	const char *app_tag; /* NULL: none */
	const char *path;    /* NULL: none */
	const char *message; /* NULL: none; English */
	struct diag_prefix *prefixes;
	struct diag_info *infos, *last_info; /* in the order they were added */
};

struct diag_list {
	struct arena *arena; /* borrowed */
	struct diag *first, *last;
	size_t length; /* records kept */
	size_t limit;  /* most records kept; further ones only count in `dropped`. Falls to `length` when the
			* texts are too large together */
	size_t dropped;
	size_t text_size;   /* private: bytes of all texts */
	struct diag *spare; /* private: what diag_add hands out past the limit */
};

void diag_list_init(struct diag_list *list, struct arena *arena, size_t limit);
/* Adds a record and returns it for further detail; the message is formatted (format NULL: none), and cut
 * where it is longer than 4 KiB. Never NULL: past the limit a spare record is given, which takes no memory
 * and is in no list. */
struct diag *diag_add(struct diag_list *list, enum diag_type type, enum diag_tag tag, const char *format, ...)
	PRINTF_LIKE(4, 5);
void diag_set_app_tag(struct diag_list *list, struct diag *diag, const char *app_tag);
void diag_set_path(struct diag_list *list, struct diag *diag, const char *path);
/* Declares a prefix; the first declaration of one stays. Use module names, which unlike prefixes are unique.
 */
void diag_add_prefix(struct diag_list *list, struct diag *diag, const char *prefix, const char *ns);
void diag_add_info(struct diag_list *list, struct diag *diag, const char *name, const char *value);
/* An info of elements instead of a text; `ns` as in the info. */
struct diag_info *diag_add_info_group(struct diag_list *list, struct diag *diag, const char *name,
				      const char *ns);
void diag_add_info_member(struct diag_list *list, struct diag_info *group, const char *name,
			  const char *value, bool is_path);
const char *diag_tag_name(enum diag_tag tag);	 /* "in-use" */
const char *diag_type_name(enum diag_type type); /* "application" */
