/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Building state data by name: a thin layer over the tree's builder for the server's own state, where the
 * names are those of a standard module.
 *
 *     struct state_builder build;
 *     state__begin(&build, schema, module, base, reclaimer);
 *     if (state__enter(&build, "statistics")) {
 *             state__leaf(&build, "in-sessions", "4");
 *             state__leave(&build);
 *     }
 *     root = state__finish(&build);
 *
 * A node that the schema does not have (it was deviated away) is left out: _enter and _entry say false then
 * and must not be followed by _leave. Texts are canonical values, or NULL: nothing is set.
 */
#include "tree/builder.h"

struct state_builder {
	const struct schema *schema;
	const struct schema_module *module; /* of all names */
	struct tree_builder *builder;
};

void state__begin(struct state_builder *build, const struct schema_module *module,
		  const struct schema *schema, const struct tree_record *base,
		  struct tree_reclaimer *reclaimer);
/* The same for the output of an operation; `top` is the schema node of `base`. */
void state__begin_at(struct state_builder *build, const struct schema_module *module,
		     const struct schema *schema, const struct schema_node *top,
		     const struct tree_record *base);
struct tree_record *state__finish(struct state_builder *build);
bool state__enter(struct state_builder *build, const char *container);
/* A container with presence, also where nothing will be below it. */
bool state__enter_made(struct state_builder *build, const char *container);
/* An entry with these texts as keys. `qname`: index of a key that is an identity's name; -1: none. */
bool state__entry(struct state_builder *build, const char *list, const char *const *keys, int qname);
void state__leave(struct state_builder *build);
void state__leaf(struct state_builder *build, const char *leaf, const char *text);
void state__number(struct state_builder *build, const char *leaf, uint64_t number);
/* The value is the name of an identity, "module:name"; left out where there is no such module. */
void state__identity(struct state_builder *build, const char *leaf, const char *name);
/* One more value of a leaf-list. */
void state__value(struct state_builder *build, const char *leaf_list, const char *text);
/* The canonical form of a date-and-time for the zone UTC. */
#define STATE__TIME_SIZE 40 /* bytes */
void state__time_text(uint64_t wall_ns, char text[STATE__TIME_SIZE]);
/* One more value of a leaf-list of paths: as tree_position_path has it, with concat() too. */
void state__path(struct state_builder *build, const char *leaf_list, const char *path);
/* The same of instance-identifiers; left out where it is none. */
void state__instance(struct state_builder *build, const char *leaf_list, const char *path);
/* A date-and-time, in its canonical form for the zone UTC: "2026-11-30T10:00:00+00:00". */
void state__time(struct state_builder *build, const char *leaf, uint64_t wall_ns);
