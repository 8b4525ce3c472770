/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Canonical values in the form that they have in XML: each name of an instance-identifier has a prefix (RFC
 * 7950 9.13.2), where the canonical form names a module only where it changes, and keys without. What is in
 * quotes is the value of a key or of a leaf-list, and its own type tells whether it has names. Naive, and
 * without src/schema's own scanner, so that the two can be compared.
 */
#include "soak.h"

#include <string.h>

#include "schema/type.h"

struct reading {
	const struct schema *schema;
	struct arena *arena;
	const char *at;			/* what is left */
	const char *out;		/* what was written */
	const struct schema_node *node; /* of the last step */
};

static bool may_be_instance(const struct schema_type *type)
{
	bool is_instance = schema_type_base(type) == BASE_INSTANCE_IDENTIFIER;
	for (size_t i = 0; i < schema_type_member_count(type); i++)
		is_instance |= may_be_instance(schema_type_real(schema_type_member(type, i)));
	return is_instance;
}

static struct bytes take(struct reading *reading, const char *ends)
{
	struct bytes taken = {reading->at, strcspn(reading->at, ends)};
	reading->at += taken.size;
	return taken;
}

/* "/module:name", "/name" */
static bool read_step(struct reading *reading)
{
	reading->at++;
	struct bytes name = take(reading, ":/[");
	const struct schema_module *module = reading->node->module;
	if (*reading->at == ':') {
		module = schema_module_find(reading->schema, name);
		reading->at++;
		name = take(reading, "/[");
	}
	reading->node = module ? schema_child_find(reading->schema, reading->node, module, name) : NULL;
	if (!reading->node)
		return false;
	reading->out =
		arena_printf(reading->arena, "%s/%s:%s", reading->out, module->name, reading->node->name);
	return true;
}

/* "[name='value']", "[.='value']", "[1]" */
static bool read_predicate(struct reading *reading)
{
	reading->at++;
	struct bytes name = take(reading, "=]");
	if (*reading->at == '\0')
		return false;
	if (*reading->at++ == ']') {
		reading->out =
			arena_printf(reading->arena, "%s[%.*s]", reading->out, (int)name.size, name.data);
		return true;
	}
	const struct schema_node *node = reading->node;
	bool is_itself = bytes_equal(name, bytes_of("."));
	const struct schema_node *leaf =
		is_itself ? node : schema_child_find(reading->schema, node, node->module, name);
	const char quote[2] = {*reading->at, '\0'};
	if (!leaf || !leaf->type || quote[0] == '\0')
		return false;
	reading->at++;
	struct bytes value = take(reading, quote);
	if (reading->at[0] != quote[0] || reading->at[1] != ']')
		return false;
	reading->at += 2;
	const char *written = soak_value_xml(leaf, arena_strdup(reading->arena, value), reading->arena);
	const char *key =
		is_itself ? "." : arena_printf(reading->arena, "%s:%s", leaf->module->name, leaf->name);
	reading->out =
		arena_printf(reading->arena, "%s[%s=%s%s%s]", reading->out, key, quote, written, quote);
	return true;
}

const char *soak_value_xml(const struct schema_node *leaf, const char *value, struct arena *arena)
{
	const struct schema *schema = leaf->module->schema;
	if (value[0] != '/' || !may_be_instance(schema_type_real(leaf->type)))
		return value;
	struct reading reading = {
		.schema = schema, .arena = arena, .at = value, .out = "", .node = schema->root};
	while (*reading.at == '/' || *reading.at == '[') {
		if (*reading.at == '/' ? !read_step(&reading) : !read_predicate(&reading))
			return value;
	}
	return *reading.at ? value : reading.out;
}
