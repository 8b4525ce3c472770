/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * The differential test of constraints, in parts:
 *
 *     sets.c         the sets of YANG modules and the data that they begin with
 *     values.c       random values of a type, such as constraints care for
 *     edits.c        random edits, as trees that can be cut down and written as XML
 *     engine.c       our engine: an edit on a root -> a new root, and the two verdicts on it
 *     oracle.c       libyang's verdict and final data
 *     repair.c       a root without what our violations name
 *     constraints.c  the loop: compares all three
 *     shrink.c       cuts a failing case down and prints it
 */
#include <libyang/libyang.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vector.h"
#include "check/check.h"
#include "edit/edit_tree.h"
#include "schema/load.h"
#include "schema/type.h"
#include "tree/builder.h"

#define SOAK_MODULES_MAX 16

struct soak_set {
	const char *name;		       /* the folder, too */
	const char *modules[SOAK_MODULES_MAX]; /* none: all of the folder */
	const char *first;		       /* of all, goes first; NULL: none */
	bool implement_imports;
	const char *const
		*generators;   /* commands of the workloads' folder, %u: a seed; NULL: the set has none */
	const char *documents; /* folder of valid documents; NULL: none */
};

extern const struct soak_set soak_sets[];
extern const size_t soak_set_count;
/* Whether the name is among those of the list, "NAME,..."; NULL: all are. */
bool soak_set_is_named(const char *names, const char *name);
/* Whether all names of the list are those of sets; prints which there are where not. */
bool soak_sets_are_known(const char *names);

/* A literal of an expression, or a value of the datastore. */
struct soak_word {
	const char *name; /* the leaf that has it; NULL: none */
	const char *text;
};

struct soak {
	const struct soak_set *set;
	struct arena *arena; /* of the set */
	struct schema *schema;
	struct check_plan *plan;
	struct ly_ctx *ly;
	const struct lysc_node **twins; /* by schema id: libyang's node, NULL: not looked for yet */
	signed char *demands;		/* by schema id, of edits.c: 0 not known, 1 yes, -1 no */
	struct vector literals;		/* struct soak_word of the set */

	uint64_t random; /* state, never 0 */
	struct tree_record *root;
	bool valid;		   /* the root is */
	struct check_index *index; /* of the root, as checks handed it on; NULL: not valid, or none needed */
	struct arena *round;	   /* of one edit */
	struct vector values;	   /* struct soak_word: what the root has, and what the edit added */
};

/* ---- sets.c */
/* A file or folder of the shared inputs, in the arena; NULL where it is absent. */
const char *soak_shared(const char *path, struct arena *arena);
/* Loads the set on both sides; exits with a message where that fails. */
void soak_open(struct soak *soak, const struct soak_set *set, uint64_t seed);
void soak_close(struct soak *soak);
/* A document to begin with, in soak->round; NULL: begin with nothing. */
const char *soak_document(struct soak *soak);

/* ---- values.c */
unsigned soak_pick(struct soak *soak, unsigned count);	  /* 0 .. count - 1 */
bool soak_chance(struct soak *soak, unsigned percentage); /* true that often */
const struct lysc_node *soak_twin(struct soak *soak, const struct schema_node *node);
/* A canonical value that our schema accepts, in soak->round; NULL: none was found. */
const char *soak_value(struct soak *soak, const struct schema_node *leaf);
/* Gathers the values of the root. */
void soak_gather(struct soak *soak);

/* ---- names.c */
/* A canonical value as XML has it, with module names as prefixes; the value itself, or in the arena. */
const char *soak_value_xml(const struct schema_node *leaf, const char *value, struct arena *arena);

/* ---- edits.c */
struct soak_item {
	const struct schema_node *node; /* the top: SCHEMA_ROOT */
	const char *value;		/* canonical; leaf, leaf-list */
	enum edit_operation operation;
	enum edit_insert insert; /* FIRST, LAST or none */
	struct soak_item *parent, *next, *children;
};
struct soak_item *soak_edit(struct soak *soak);
struct soak_item *soak_content(struct soak *soak); /* something for an empty datastore */
struct buffer;
/* Declares the modules that a canonical value uses as prefixes, as attributes of an element. */
void soak_put_prefixes(const struct soak *soak, struct buffer *out, const char *value);
/* XML, with <config> around, in the arena. */
const char *soak_edit_xml(const struct soak *soak, const struct soak_item *top, struct arena *arena);

/* ---- engine.c */
enum soak_stage { SOAK_DECODE, SOAK_APPLY, SOAK_SETTLE, SOAK_CHECK };
struct soak_result {
	enum soak_stage stage;	     /* that refused, or CHECK */
	struct tree_record *applied; /* before settle; NULL where decode or apply refused */
	struct tree_record *settled; /* NULL where settle or a stage before it refused */
	bool settle_differs;	     /* between the base known and not */
	struct diag_list diags;	     /* of the stage; CHECK: of the full check */
	const char *incremental;     /* text of the incremental check's; NULL: not run (base invalid) */
	const char *full;
	struct check_index *index; /* of the settled root, where it is valid; NULL: none needed */
	bool index_differs;	   /* between handed on and made anew */
};
/* <config> as an edit tree, which the caller frees. Fails: as the decoder, with diagnostics. */
enum status soak_decode(struct soak *soak, const char *xml, struct diag_list *diags, struct edit_tree **tree);
/* The same in parts, and prepared meanwhile as far as that goes (edit/prepare.h). */
enum status soak_decode_prepared(struct soak *soak, const char *xml, struct diag_list *diags,
				 struct edit_tree **tree);
/* Memory of the result is soak->round's, but for the roots: soak_result_fini. */
void soak_run(struct soak *soak, const struct tree_record *base, bool base_valid, const char *edit_xml,
	      struct soak_result *result);
/* Settles result->applied, all whens being due; false where that is refused. */
bool soak_settle(struct soak *soak, const struct tree_record *base, struct soak_result *result);
/* The checks of result->settled; base NULL: only the full one. */
void soak_check(struct soak *soak, const struct tree_record *base, struct soak_result *result);
void soak_result_fini(struct soak *soak, struct soak_result *result);
/* Diagnostics as lines. */
const char *soak_diags(const struct diag_list *diags, struct arena *arena);
/* A root made of a whole document <config>...; NULL where it does not decode. */
struct tree_record *soak_load(struct soak *soak, const char *xml);
const char *soak_xml(struct soak *soak, const struct tree_record *root); /* without <config>; in round */
void soak_drop(struct soak *soak, const struct tree_record *root);
/* But for empty non-presence containers. */
bool soak_same(struct soak *soak, const struct tree_record *a, const struct tree_record *b);

/* ---- oracle.c */
struct soak_verdict {
	bool valid;
	const char *message, *app_tag, *path; /* of libyang's error, in soak->round; never NULL */
	size_t removed;			      /* nodes whose `when` is false */
	const char *whens;		      /* their paths, a line each */
	const char *xml;		      /* valid: what is left, without <config> */
};
/* Validates; nodes whose `when` is false are removed first, as long as there are such. */
void soak_oracle(struct soak *soak, const char *xml, struct soak_verdict *verdict);
/* Whether our violations hold libyang's. */
bool soak_named(struct soak *soak, const struct diag_list *diags, const struct soak_verdict *verdict);
/* Whether all that settle refuses is, or is below, what libyang's whens removed. */
bool soak_whens_named(struct soak *soak, const struct diag_list *diags, const struct soak_verdict *verdict);
/* Why a difference is libyang's (a section of an RFC), or NULL. */
const char *soak_exception(struct soak *soak, const struct soak_result *result,
			   const struct soak_verdict *verdict);

/* ---- repair.c */
/* A new root (one reference) without what the violations name; NULL: nothing of it can go. */
struct tree_record *soak_without_named(struct soak *soak, const struct tree_record *root,
				       const struct diag_list *diags);
/* Removes one node, from the builder's root down; false where it is not there. */
bool soak_remove(struct tree_builder *builder, const struct tree_position *position);

/* ---- constraints.c */
enum soak_outcome { SOAK_SAME, SOAK_SKIPPED, SOAK_EXCEPTED, SOAK_DIFFERENT };
/* Runs the edit on the base everywhere. *what (in round): the kind of difference; *result: to be finished. */
enum soak_outcome soak_compare(struct soak *soak, const struct tree_record *base, bool base_valid,
			       const char *edit_xml, struct soak_result *result, const char **what);

/* ---- shrink.c: prints a small case that still has the difference. */
void soak_shrink(struct soak *soak, const struct tree_record *base, bool base_valid, struct soak_item *edit,
		 const char *what);
