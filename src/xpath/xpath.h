/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * YANG XPath 1.0 (W3C XPath 1.0 with RFC 7950 section 6.4 and 10): compile an expression against the schema,
 * then evaluate it over a root, implicit nodes included.
 *
 *     struct xpath_scope scope = {.schema = schema, .context = node, .resolve = resolve_prefix, .arg = must};
 *     xpath_compile(&scope, bytes_of(text), arena, &error, &expr);
 *     struct xpath_env env = {.schema = schema, .root = root, .arena = scratch, .limits = &limits};
 *     xpath_eval(expr, &env, position, &result);
 *
 * Compiled expressions are immutable and may be evaluated by many threads at once. Names are resolved at
 * compile time; predicates on all keys of a list ([name = current()], [name = ../x], literals) become map
 * lookups.
 *
 * The steps of the limit bound time and memory: a step is a node visited or an operator evaluated, and costs
 * at most about 100 bytes of the arena. A text node, in a node-set that text() or node() made, is a position
 * whose parent is the leaf's position and has the same schema node.
 */
#include <stdbool.h>
#include "base/arena.h"
#include "tree/cursor.h"

struct xpath_expr;

struct xpath_scope {
	const struct schema *schema;
	/* The schema node of the context node; NULL: unknown (filters: the root). */
	const struct schema_node *context;
	/* The module of a prefix (size 0: no prefix). NULL for an empty prefix: a name without prefix is in
	 * any module; NULL for another prefix: an error. */
	const struct schema_module *(*resolve)(void *arg, struct bytes prefix);
	void *arg;
	/* NULL, or the rpc, action, output or notification that the expression is in: it is a child of the
	 * root, or of the node that has it, beside the data there (RFC 7950 6.4.1). */
	const struct schema_node *operation;
	/* Of identities without prefix in literals (schema_xpath_module); NULL: that of names without prefix.
	 */
	const struct schema_module *identities;
};

struct xpath_error {
	char message[256];
	size_t offset; /* byte in the expression */
};

/* Gives an expression that lives in `arena`. Fails: ST_REJECTED (syntax, unknown prefix or function, wrong
 * number of arguments, nested too deep (limit 100)) with *error filled. */
enum status xpath_compile(const struct xpath_scope *scope, struct bytes text, struct arena *arena,
			  struct xpath_error *error, const struct xpath_expr **expr) MUST_USE;

/* Whoever wants evaluations under way to end. */
struct xpath_interrupt {
	bool (*is_due)(struct xpath_interrupt *self); /* any thread; asked often */
};

/*
 * What an evaluation may take. Steps bound it the same on any machine, but what a step takes differs much with
 * what it does; so the time of the thread is looked at every some thousand steps, too.
 */
struct xpath_limits {
	uint64_t steps;			   /* nodes visited, most; counts down */
	uint64_t max_nodes;		   /* most nodes of one node-set */
	uint64_t due_ns;		   /* of os_clock_thread_ns; 0: no limit */
	struct xpath_interrupt *interrupt; /* NULL: nobody */
	enum xpath_stop { XPATH_GOES_ON, XPATH_OUT_OF_TIME, XPATH_INTERRUPTED } stop; /* why, where it is not steps */
};

/* Which implicit nodes there are: one whose `when` is false is not (RFC 7950 6.4.1, 7.21.5). */
struct xpath_implicit {
	/* Asked of nodes that are implicit and governed by a `when`, all above them being there. The node is
	 * valid during the call only. Fails: ST_LIMIT. */
	enum status (*exists)(struct xpath_implicit *self, const struct tree_position *node, bool *exists);
};

/* Entries that may be those wanted, in no order. Who asked frees `records`. */
struct xpath_found {
	const struct tree_record **records;
	size_t length;
};

/* Who knows which entries of a list have a value, so that not all have to be looked at. */
struct xpath_search {
	/* Of the list in `parent` (an instance of list->parent) all entries of which the leaf (or one of the
	 * leaf-list) has this text, explicitly, each once; others may be among them. Asked of configuration
	 * without defaults. False: look at all. Any thread. */
	bool (*find)(struct xpath_search *self, const struct tree_record *parent,
		     const struct schema_node *leaf, struct bytes text, struct xpath_found *found);
	/* The same where that is a look-up that finds at most `most`. */
	enum xpath_looked_up {
		XPATH_LOOKED_UP,      /* `found` */
		XPATH_LOOKED_UP_NONE, /* there is no answer: look at all */
		XPATH_LOOKED_UP_WORK, /* that is what find() is for */
	} (*look_up)(struct xpath_search *self, const struct tree_record *parent,
		     const struct schema_node *leaf, struct bytes text, size_t most,
		     struct xpath_found *found);
};

/* Whether a search can be asked for the leaf or leaf-list: it is no key, but of the entries of a list of
 * which there is one, and what is stored of it is all that there is, compared as text. */
bool xpath_is_searchable(const struct schema_node *leaf);

struct xpath_env {
	const struct schema *schema;
	const struct tree_record *root;
	/* Of the scope's operation, its parent within the data; NULL: there is none. */
	const struct tree_position *operation;
	const struct tree_position *current; /* current(); NULL: the context node of xpath_eval */
	struct arena *arena;		     /* scratch: node-sets and strings of results live here */
	struct xpath_limits *limits;
	size_t memory;			 /* bytes that the arena may grow to, about; 0: no limit */
	enum tree_view view;		 /* TREE_WITH_DEFAULTS for constraints */
	struct xpath_implicit *implicit; /* NULL: every `when` of an implicit node is taken for true */
	struct xpath_search *search;	 /* NULL: there is none */
};

enum xpath_type { XPATH_NODE_SET, XPATH_STRING, XPATH_NUMBER, XPATH_BOOLEAN };

struct xpath_value {
	enum xpath_type type;
	const struct tree_position **nodes; /* in document order, no doubles */
	size_t length;
	const struct schema *schema; /* node-set: with the view, what string values are read by */
	enum tree_view view;
	struct xpath_implicit *implicit;
	struct bytes string;
	double number;
	bool boolean;
};

/* `context` is a position in env->root; a node-set is valid as long as it and the arena. Fails: ST_LIMIT. */
enum status xpath_eval(const struct xpath_expr *expr, const struct xpath_env *env,
		       const struct tree_position *context, struct xpath_value *value) MUST_USE;
/* boolean(expr), without building more of a node-set than its first node where that suffices. */
enum status xpath_eval_boolean(const struct xpath_expr *expr, const struct xpath_env *env,
			       const struct tree_position *context, bool *value) MUST_USE;
/* For leafref: is there a node selected by `expr` whose text equals `text`? Uses map lookups where the last
 * step is a list's only key or a leaf-list. Path expressions only. */
enum status xpath_eval_exists(const struct xpath_expr *expr, const struct xpath_env *env,
			      const struct tree_position *context, struct bytes text, bool *exists) MUST_USE;
/* Conversions of XPath 1.0 section 4. */
bool xpath_value_boolean(const struct xpath_value *value);
struct bytes xpath_value_string(const struct xpath_value *value, struct arena *arena);
double xpath_value_number(const struct xpath_value *value, struct arena *arena);
