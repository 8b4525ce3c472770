/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fingerprint of a schema (fingerprint.h): two 64-bit hashes with different seeds, each the sum of those
 * of the modules that count, so that the order of loading does not. It tells apart what an operator changes;
 * it is no defence against one who wants two schemas to look alike.
 *
 * What counts is what may change how stored data is read or judged, and that is configuration:
 *
 *     modules with configuration nodes of their own, or annotations
 *     modules with an identity that is a value of one of these nodes' types
 *     whatever one of those imports (types, groupings, features, what its expressions name), and
 *       what deviates one of them; and so on
 *
 * Rpcs, notifications and state count no more than what else a module holds that counts. But the type
 * instance-identifier may name state, so then its nodes count; and a type with prefixes in its values
 * (xpath1.0) may name any module, so then all names do.
 */
#include "schema/fingerprint.h"

#include "base/memory.h"
#include "schema/internal.h"

/* Raise it when a check becomes stricter: then what is stored is checked again at the next start. */
#define CHECK_VERSION "checks 2"

#define SEED_LOW 0x79617265u
#define SEED_HIGH 0x66707274u

/* ---- What counts. ---- */

struct counting {
	const struct schema__private *schema;
	bool *modules;			      /* those that count, by index */
	bool *bases;			      /* identities that a configuration node's type derives from */
	const struct schema_module **pending; /* count, and were not looked into yet */
	size_t pending_count;
	bool state; /* so do nodes of state */
	bool names; /* so do names of all modules */
};

static void count_module(struct counting *c, const struct schema_module *module)
{
	if (c->modules[module->index])
		return;
	c->modules[module->index] = true;
	c->pending[c->pending_count++] = module;
}

/* Depth: of unions and leafrefs, which compiled types have flat. */
static void count_type(struct counting *c, const struct schema_type *type)
{
	type = schema_type_real(type);
	c->names = c->names || type->qnames;
	c->state = c->state || type->base == BASE_INSTANCE_IDENTIFIER;
	for (size_t i = 0; i < type->identity_base_count; i++)
		c->bases[type->identity_bases[i]] = true;
	for (size_t i = 0; i < type->member_count; i++)
		count_type(c, type->members[i]);
}

static void count_nodes(struct counting *c)
{
	const struct schema *schema = &c->schema->public;
	for (size_t i = 0; i < schema->node_count; i++) {
		const struct schema_node *node = schema->nodes[i];
		if (!node->config || node->kind == SCHEMA_ROOT)
			continue;
		count_module(c, node->module);
		if (node->type != NULL)
			count_type(c, node->type);
	}
	for (size_t i = 0; i < schema->annotation_count; i++) {
		count_module(c, schema->annotations[i].module);
		count_type(c, schema->annotations[i].type);
	}
}

static void count_identities(struct counting *c)
{
	for (size_t i = 0; i < c->schema->identity_count; i++) {
		const struct schema__identity *identity = &c->schema->identities[i];
		for (size_t k = 0; k < identity->ancestor_count; k++)
			if (c->bases[identity->ancestors[k]])
				count_module(c, identity->module);
	}
}

/* What those that count rest on. */
static void count_rest(struct counting *c)
{
	while (c->pending_count > 0) {
		const struct schema_module *module = c->pending[--c->pending_count];
		for (size_t i = 0; i < module->import_count; i++)
			count_module(c, module->imports[i]);
		for (size_t i = 0; i < module->deviated_by_count; i++)
			count_module(c, module->deviated_by[i]);
	}
}

static void counting_init(struct counting *c, const struct schema *schema)
{
	*c = (struct counting){.schema = schema__private(schema)};
	c->modules = memory_zalloc(schema->module_count * sizeof(*c->modules));
	c->bases = memory_zalloc((c->schema->identity_count + 1) * sizeof(*c->bases));
	c->pending = memory_alloc(schema->module_count * sizeof(const struct schema_module *));
	count_nodes(c);
	count_identities(c);
	count_rest(c);
}

static void counting_fini(struct counting *c)
{
	memory_free(c->modules);
	memory_free(c->bases);
	memory_free(c->pending);
}

/* ---- Hashes. ---- */

static uint64_t hash_text(const char *text, uint64_t seed)
{
	return bytes_hash(text != NULL ? bytes_of(text) : (struct bytes){NULL, 0}, seed);
}

static uint64_t hash_number(uint64_t number, uint64_t seed)
{
	return bytes_hash((struct bytes){(const char *)&number, sizeof(number)}, seed);
}

static uint64_t hash_module(const struct schema_module *module, uint64_t seed)
{
	uint64_t hash = hash_text(module->name, seed);
	hash = hash_text(module->revision, hash);
	hash = hash_text(module->implemented ? "implemented" : "imported", hash);
	hash = bytes_hash(module->source, hash);
	uint64_t sum = 0;
	for (size_t i = 0; i < module->feature_count; i++)
		sum += hash_text(module->features[i], seed);
	for (size_t i = 0; i < module->submodule_count; i++)
		sum += bytes_hash(module->submodules[i].source,
				  hash_text(module->submodules[i].name, seed + 1));
	return hash_number(sum, hash);
}

/* What an instance-identifier says of it. */
static uint64_t hash_node(const struct schema_node *node, uint64_t seed)
{
	uint64_t hash = hash_text(node->module->name, seed);
	hash = hash_text(node->name, hash);
	hash = hash_number((uint64_t)node->kind << 1 | node->is_key, hash);
	hash = hash_number(node->type != NULL ? (uint64_t)schema_type_real(node->type)->base : 0, hash);
	return node->parent != NULL && node->parent->kind != SCHEMA_ROOT ? hash_node(node->parent, hash)
									 : hash;
}

static bool is_state(const struct schema_node *node)
{
	if (node->config)
		return false;
	while (node->parent != NULL)
		node = node->parent;
	return node->kind == SCHEMA_ROOT;
}

static uint64_t hash_schema(const struct schema *schema, const struct counting *c, uint64_t seed)
{
	uint64_t sum = hash_text(CHECK_VERSION, seed);
	for (size_t i = 0; i < schema->module_count; i++) {
		const struct schema_module *module = &schema->modules[i];
		if (c->modules[i])
			sum += hash_module(module, seed);
		else if (c->names)
			sum += hash_text(module->name, seed);
	}
	for (size_t i = 0; c->state && i < schema->node_count; i++)
		if (is_state(schema->nodes[i]))
			sum += hash_node(schema->nodes[i], seed);
	return sum;
}

/* Depth: that of the schema. */
static uint64_t hash_order(const struct schema_node *node, uint64_t hash)
{
	for (size_t i = 0; i < node->child_count; i++) {
		const struct schema_node *child = node->children[i];
		if (!child->config)
			continue;
		hash = hash_text(child->module->name, hash);
		hash = hash_order(child, hash_text(child->name, hash));
	}
	return hash_number(0, hash);
}

static void make(const struct schema *schema, bool ordered,
		 unsigned char fingerprint[SCHEMA_FINGERPRINT_SIZE])
{
	struct counting c;
	counting_init(&c, schema);
	uint64_t low = hash_schema(schema, &c, SEED_LOW), high = hash_schema(schema, &c, SEED_HIGH);
	counting_fini(&c);
	if (ordered) {
		low = hash_order(schema->root, low);
		high = hash_order(schema->root, high);
	}
	for (unsigned i = 0; i < 8; i++) {
		fingerprint[i] = (unsigned char)(low >> (8 * i));
		fingerprint[8 + i] = (unsigned char)(high >> (8 * i));
	}
}

void schema_fingerprint(const struct schema *schema, unsigned char fingerprint[SCHEMA_FINGERPRINT_SIZE])
{
	make(schema, false, fingerprint);
}

void schema_fingerprint_ordered(const struct schema *schema,
				unsigned char fingerprint[SCHEMA_FINGERPRINT_SIZE])
{
	make(schema, true, fingerprint);
}
