/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Types: from a lexical value to the canonical one, and orders. Verdicts and canonical texts are libyang's;
 * its type plugins read bits, binary, decimal64 and the derived types that it knows (dates, addresses,
 * xpath1.0), all others take a direct path without its locks. Patterns are matched with a limit of steps and
 * memory.
 *
 * Where RFC 7950 and libyang 2.1.30 differ, the RFC holds: an identityref derives from all bases of its type
 * (9.10.2); in an instance-identifier a position has digits only and a predicate's value is quoted (section
 * 14).
 *
 * A union is resolved by value space alone, first member that accepts (RFC 7950 9.12); existence of a
 * leafref's target is not judged here but by `check`, over all members. After a leafref that requires its
 * target, a member that finds names with prefixes in the value goes first.
 */
#include "base/buffer.h"
#include "base/diag.h"
#include "schema/schema.h"

enum schema_base {
	BASE_BINARY,
	BASE_BITS,
	BASE_BOOLEAN,
	BASE_DECIMAL64,
	BASE_EMPTY,
	BASE_ENUMERATION,
	BASE_IDENTITYREF,
	BASE_INSTANCE_IDENTIFIER,
	BASE_LEAFREF,
	BASE_STRING,
	BASE_UNION,
	BASE_INT8,
	BASE_INT16,
	BASE_INT32,
	BASE_INT64,
	BASE_UINT8,
	BASE_UINT16,
	BASE_UINT32,
	BASE_UINT64,
};

/*
 * What the values of one request may take together to match patterns, beyond the few steps that a match takes
 * as a rule: each value has a limit of its own, but a request may have very many values. Without steps left,
 * a value that needs more than those few is refused.
 */
#define SCHEMA_TYPE_BUDGET_STEPS 8000000 /* of PCRE2's matcher: some tenth of a second */

struct schema_type_budget {
	uint64_t steps;	   /* left */
	uint64_t refusals; /* matches given up for want of steps */
};

/* How the text of a value is read: what a prefix means where it stands, in whose request it is. */
struct schema_prefixes {
	/* The module of a prefix ("" or size 0: the default namespace); NULL where there is none. */
	const struct schema_module *(*resolve)(const struct schema_prefixes *self, struct bytes prefix);
	/* A name without prefix in an instance-identifier is of the module of the step before, as in JSON and
	 * canonical values (RFC 7951 6.11); false: such a name is refused, as XML wants it (RFC 7950 9.13.2).
	 */
	bool inherit;
	struct schema_type_budget *budget; /* of the request; NULL: none */
};

/*
 * Prefixes are module names, as in canonical values: to read back what schema_type_parse gave.
 *
 *     struct schema_prefixes_canonical prefixes = schema_prefixes_canonical(schema, node->module);
 *     status = schema_type_parse(schema, type, text, &prefixes.base, arena, &value, &error);
 */
struct schema_prefixes_canonical {
	struct schema_prefixes base;
	const struct schema *schema;
	const struct schema_module *local; /* of identities without prefix (RFC 7951 6.8); NULL: refused */
};
struct schema_prefixes_canonical schema_prefixes_canonical(const struct schema *schema,
							   const struct schema_module *local);

/* The built-in type. BASE_LEAFREF for leafrefs; see schema_type_real. */
enum schema_base schema_type_base(const struct schema_type *type);
/* For a leafref the type of its final target, else the type itself. */
const struct schema_type *schema_type_real(const struct schema_type *type);
/* Members of a union in order (nested unions flattened); 0 for other types. */
size_t schema_type_member_count(const struct schema_type *type);
const struct schema_type *schema_type_member(const struct schema_type *type, size_t index);
/* The leafref's path as an expression (context: the leaf); NULL for others. */
const struct schema_xpath *schema_type_leafref_path(const struct schema_type *type);
bool schema_type_require_instance(const struct schema_type *type); /* leafref, instance-identifier */
/* Kinds of values with names of modules in them; SCHEMA_NAMES_KINDS bits, and one for all other values. */
#define SCHEMA_NAMES_IDENTITY 1u
#define SCHEMA_NAMES_INSTANCE 2u
#define SCHEMA_NAMES_XPATH 4u /* xpath1.0, node-instance-identifier */
#define SCHEMA_NAMES_KINDS 3
#define SCHEMA_NAMES_NONE 8u
/* Those that the type, or a member of it, has. */
unsigned schema_type_names(const struct schema_type *type);
/* True where the type, or a member of it, is or may resolve to a leafref or instance-identifier with
 * require-instance. */
bool schema_type_has_reference(const struct schema_type *type);

/*
 * Parses a lexical value as found in XML: blanks around are dropped for numbers, bits and
 * instance-identifier, kept for strings, refused for others (as libyang does). Gives a value that the caller
 * owns. `prefixes` may be NULL where none can occur. `message`/`app_tag` are set on refusal (in the arena of
 * `diags`, or static): Fails: ST_REJECTED with *error filled: the type's own error-message and error-app-tag
 * where the schema has them.
 */
struct schema_type_error {
	const char *message;
	const char *app_tag; /* NULL: none */
};
enum status schema_type_parse(const struct schema *schema, const struct schema_type *type,
			      struct bytes lexical, const struct schema_prefixes *prefixes,
			      struct arena *arena, struct value *value,
			      struct schema_type_error *error) MUST_USE;

/*
 * Forms of canonical values with TEXT_QNAME: identityref "module:name"; instance-identifier as in JSON,
 * "/module:a/b[key='v']", a module's name where it differs from the step before, keys in schema order and
 * without prefix; xpath1.0 and node-instance-identifier: every prefix replaced by its module's name.
 */
/* Appends a canonical instance-identifier as XML has it (RFC 7950 9.13.2): each name with its module's name
 * as prefix, those in keys that are instance-identifiers themselves too. Fails: ST_REJECTED, it is none, is
 * not in canonical form or becomes too long; ST_LIMIT. Cost: O(size). */
enum status schema_instance_for_xml(const struct schema *schema, struct bytes text,
				    struct buffer *out) MUST_USE;
/*
 * The sort key of a canonical value: bytes whose memcmp order is the order of the type (numbers numerically,
 * everything else by bytes). Appended to out[0 .. size); returns the bytes needed (may exceed size; then out
 * holds the first `size` of them). Self-delimiting, so keys of several leafs may be concatenated.
 */
size_t schema_type_sort_key(const struct schema_type *type, struct value value, uint8_t *out, size_t size);
/* <0, 0, >0 in that same order. */
int schema_type_compare(const struct schema_type *type, struct value a, struct value b);

/* identityref values (also as text): is `value` derived from the identity "module:name", or the same where
 * `or_self`. */
bool schema_identity_derived(const struct schema *schema, struct bytes value, struct bytes base,
			     bool or_self);
/* enum: its assigned number; false where the type is no enumeration or has no such name. */
bool schema_enum_number(const struct schema_type *type, struct value value, int32_t *number);
