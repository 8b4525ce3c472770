/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The parts of compiling, for the files of this folder: resolve.c, trace.c, trace_step.c, compile_lookup.c,
 * analyse.c. */
#include "xpath/ast.h"

/* ---- resolve.c: names, flags and rewriting; no schema tree yet ---- */

/* `plain`: deref() is refused. Fails: ST_REJECTED (unknown prefix, wrong pattern). */
enum status xpath__resolve(const struct xpath_scope *scope, struct arena *arena, struct xpath_error *error,
			   bool plain, struct xpath_node *root) MUST_USE;

/* ---- literal.c: literals that stand for values with names in them ---- */

/* NULL: the prefix is not declared. */
const struct schema_module *xpath__prefix_module(const struct xpath_scope *scope, struct bytes prefix);
/* "module:name" of a literal that names an identity in the scope's prefixes; data NULL: it names none. */
struct bytes xpath__identity_literal(const struct xpath_scope *scope, struct bytes literal,
				     struct arena *arena);
/* Adds the forms that the literal has as a value of the type. */
void xpath__literal_add(const struct xpath_scope *scope, struct bytes literal, const struct schema_type *type,
			struct arena *arena, struct xpath_literal *forms);
/* Whether a value of the type (NULL: it is no leaf), whose canonical form is `text`, is what the literal
 * stands for. */
bool xpath__literal_equals(const struct xpath_literal *forms, struct bytes literal,
			   const struct schema_type *type, struct bytes text);
/* The only text that a key of the type can have where it equals the literal; data NULL: the literal itself.
 * False: there are several. */
bool xpath__literal_key(const struct xpath_scope *scope, struct bytes literal, const struct schema_type *type,
			struct arena *arena, struct bytes *canonical);

/* ---- traces: what is known of the nodes that an expression reaches, without data ---- */

/* An entry that the reader selects on the way. */
struct xpath_keyed {
	const struct xpath_keyed *outer; /* another one above its list; NULL: none */
	const struct schema_node *list;
	const struct xpath_selector *selectors;
	bool varies; /* some selector is a leaf */
};

/*
 * Nodes of one schema node, related to the reader (the context node of the whole expression): to reach them
 * the expression went up from the reader to an instance of `ancestor`, at most, and down from there.
 */
struct xpath_trace {
	const struct schema_node *node;
	bool text; /* its text node */
	const struct schema_node *ancestor;
	const struct xpath_keyed *keyed; /* innermost selected entry on the way down; NULL: none */
	bool single;			 /* no list entered on the way down: at most one node */
	bool many;	 /* any number of nodes: some list on the way is not entered by its keys */
	bool many_above; /* the same of the way down to the last list or leaf-list, that one not yet entered
			  */
};

struct xpath_traces {
	struct xpath_trace *items;
	size_t length, capacity;
	bool unknown; /* anything */
};

#define XPATH_TRACES_MAX 256 /* more are `unknown` */
#define XPATH_TRACE_WORK                                                                                     \
	2000000 /* schema nodes looked at for one expression, then everything is `unknown`                   \
		 */

struct xpath_read_list {
	struct arena *arena;
	const struct schema *schema;
	const struct schema_node *context; /* of the expression; NULL: unknown */
	struct xpath_read *first, *last;
	size_t length;
	bool everything;
};

struct xpath_tracer {
	const struct xpath_scope *scope;
	struct arena *arena;
	struct xpath_traces current; /* what current() is */
	struct xpath_read_list *reads;
	bool annotate; /* write what is found into the AST (false: it has it already) */
	uint64_t work;
	uint32_t serial, *serials;				   /* of this run; the last one given */
	const struct schema_type *named_types[SCHEMA_NAMES_KINDS]; /* by kind; NULL: no leaf has such */
	bool has_named_types;
};

/* What an operand is used for: that it exists, or also its string value. */
enum xpath_use { USE_EXISTENCE, USE_VALUE };

/* Traces an expression in the context; `result` may be NULL. `wanted`: only nodes whose text is that of this
 * leaf matter. */
void xpath__trace(struct xpath_tracer *tracer, struct xpath_node *node, const struct xpath_traces *context,
		  enum xpath_use use, const struct xpath_trace *wanted, struct xpath_traces *result);
void xpath__traces_add(struct xpath_tracer *tracer, struct xpath_traces *traces,
		       const struct xpath_trace *trace);
/* At most one instance of `node` below an instance of `ancestor`, which is above it or the same: no list is
 * on the way. */
bool xpath__single_below(const struct schema_node *node, const struct schema_node *ancestor);
/* The same nodes' parents. False: it has none. */
bool xpath__trace_up(const struct schema *schema, struct xpath_trace *trace);
/* trace_step.c: one step from all of `from`, without its predicates. */
void xpath__trace_axis(struct xpath_tracer *tracer, const struct xpath_step *step,
		       const struct xpath_traces *from, struct xpath_traces *to);

/* ---- compile_lookup.c ---- */

/* Makes step->lookup and step->wanted where the predicates allow. Needs step->target. */
void xpath__lookup_make(const struct xpath_scope *scope, struct arena *arena, struct xpath_step *step);
enum xpath_key_form xpath__key_form(const struct schema_type *type);

/* ---- analyse.c: reads and relations ---- */

/* READ_SUBTREE: with everything below the node. */
enum xpath_extent { READ_NODE, READ_SUBTREE };

void xpath__read_add(struct xpath_read_list *list, const struct xpath_trace *trace, enum xpath_extent extent);
void xpath__read_everything(struct xpath_read_list *list);

/* ---- compile.c ---- */

/* Without analysis, and without deref(). */
enum status xpath__compile_plain(const struct xpath_scope *scope, struct bytes text, struct arena *arena,
				 struct xpath_error *error, const struct xpath_expr **expr) MUST_USE;
/* The path of a leafref, with the leaf as context. False where it does not compile. */
bool xpath__deref_compile(const struct schema *schema, const struct schema_node *leaf,
			  const struct schema_type *type, struct arena *arena,
			  struct xpath_deref **deref) MUST_USE;
