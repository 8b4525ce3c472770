/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The YANG library, twice: the tree of RFC 8525 (one module set, one schema, and the datastores that have it)
 * and the flat list of RFC 7895 that older clients read. Both say the same of every module.
 *
 * The content-id names the whole: a change of any module, feature, deviation or text gives another one, and
 * the order in which modules were loaded does not.
 */
#include <inttypes.h>

#include "netconf/nmda.h"
#include "netconf/state.h"
#include "netconf/state_build.h"

#define SET_NAME "complete"

static uint64_t hash_text(uint64_t hash, struct bytes text)
{
	uint64_t size = text.size;
	hash = bytes_hash((struct bytes){(const char *)&size, sizeof(size)}, hash);
	return bytes_hash(text, hash);
}

static uint64_t hash_name(uint64_t hash, const char *name)
{
	return hash_text(hash, bytes_of(name != NULL ? name : ""));
}

static uint64_t hash_module(const struct schema_module *module)
{
	uint64_t hash = hash_name(module->implemented, module->name);
	hash = hash_name(hash, module->revision);
	hash = hash_text(hash, module->source);
	for (size_t i = 0; i < module->feature_count; i++)
		hash = hash_name(hash, module->features[i]);
	for (size_t i = 0; i < module->deviated_by_count; i++)
		hash = hash_name(hash, module->deviated_by[i]->name);
	for (size_t i = 0; i < module->submodule_count; i++) {
		hash = hash_name(hash, module->submodules[i].name);
		hash = hash_name(hash, module->submodules[i].revision);
		hash = hash_text(hash, module->submodules[i].source);
	}
	return hash;
}

const char *netconf__library_content_id(const struct schema *schema, struct arena *arena)
{
	uint64_t hash = schema->module_count;
	for (size_t i = 0; i < schema->module_count; i++)
		hash += hash_module(&schema->modules[i]);
	return arena_printf(arena, "%016" PRIx64, hash);
}

static const char *revision_or_empty(const char *revision)
{
	return revision != NULL ? revision : "";
}

/* ---- RFC 8525 */

static void add_submodules(struct state_builder *build, const struct schema_module *module)
{
	for (size_t i = 0; i < module->submodule_count; i++) {
		const struct schema_submodule *submodule = &module->submodules[i];
		if (!state__entry(build, "submodule", &submodule->name, -1))
			continue;
		state__leaf(build, "revision", submodule->revision);
		state__leave(build);
	}
}

static void add_implemented(struct state_builder *build, const struct schema_module *module)
{
	if (!state__entry(build, "module", &module->name, -1))
		return;
	state__leaf(build, "revision", module->revision);
	state__leaf(build, "namespace", module->ns);
	add_submodules(build, module);
	for (size_t i = 0; i < module->feature_count; i++)
		state__value(build, "feature", module->features[i]);
	for (size_t i = 0; i < module->deviated_by_count; i++)
		state__value(build, "deviation", module->deviated_by[i]->name);
	state__leave(build);
}

static void add_imported(struct state_builder *build, const struct schema_module *module)
{
	const char *keys[] = {module->name, revision_or_empty(module->revision)};
	if (!state__entry(build, "import-only-module", keys, -1))
		return;
	state__leaf(build, "namespace", module->ns);
	add_submodules(build, module);
	state__leave(build);
}

static void add_module_set(struct state_builder *build, const struct schema *schema)
{
	static const char *const name = SET_NAME;
	if (!state__entry(build, "module-set", &name, -1))
		return;
	for (size_t i = 0; i < schema->module_count; i++) {
		if (schema->modules[i].implemented)
			add_implemented(build, &schema->modules[i]);
		else
			add_imported(build, &schema->modules[i]);
	}
	state__leave(build);
}

#define STARTUP 2 /* index in datastores */

static void build_library(struct state_builder *build, const struct netconf_state *state)
{
	/* The last two can only be read by RFC 8526. */
	static const char *const datastores[] = {"ietf-datastores:running", "ietf-datastores:candidate",
						 "ietf-datastores:startup", "ietf-datastores:intended",
						 "ietf-datastores:operational"};
	static const char *const name = SET_NAME;
	const struct schema_module *nmda = schema_module_find(state->schema, bytes_of(NETCONF_NMDA_MODULE));
	size_t count = nmda != NULL && nmda->implemented ? 5 : 3;
	if (!state__enter(build, "yang-library"))
		return;
	add_module_set(build, state->schema);
	if (state__entry(build, "schema", &name, -1)) {
		state__value(build, "module-set", SET_NAME);
		state__leave(build);
	}
	for (size_t i = 0; i < count; i++) {
		if (i == STARTUP && !state->has_startup)
			continue;
		if (!state__entry(build, "datastore", &datastores[i], 0))
			continue;
		state__leaf(build, "schema", SET_NAME);
		state__leave(build);
	}
	state__leaf(build, "content-id", state->content_id);
	state__leave(build);
}

/* ---- RFC 7895 */

static void add_old_submodules(struct state_builder *build, const struct schema_module *module)
{
	for (size_t i = 0; i < module->submodule_count; i++) {
		const char *keys[] = {module->submodules[i].name,
				      revision_or_empty(module->submodules[i].revision)};
		if (state__entry(build, "submodule", keys, -1))
			state__leave(build);
	}
}

static void add_old_module(struct state_builder *build, const struct schema_module *module)
{
	const char *keys[] = {module->name, revision_or_empty(module->revision)};
	if (!state__entry(build, "module", keys, -1))
		return;
	state__leaf(build, "namespace", module->ns);
	for (size_t i = 0; i < module->feature_count; i++)
		state__value(build, "feature", module->features[i]);
	for (size_t i = 0; i < module->deviated_by_count; i++) {
		const struct schema_module *deviation = module->deviated_by[i];
		const char *names[] = {deviation->name, revision_or_empty(deviation->revision)};
		if (state__entry(build, "deviation", names, -1))
			state__leave(build);
	}
	state__leaf(build, "conformance-type", module->implemented ? "implement" : "import");
	add_old_submodules(build, module);
	state__leave(build);
}

static void build_modules(struct state_builder *build, const struct netconf_state *state)
{
	if (!state__enter(build, "modules-state"))
		return;
	state__leaf(build, "module-set-id", state->content_id);
	for (size_t i = 0; i < state->schema->module_count; i++)
		add_old_module(build, &state->schema->modules[i]);
	state__leave(build);
}

struct tree_record *netconf__library_build(const struct netconf_state *state, struct tree_record *root)
{
	const struct schema_node *any = state->library != NULL ? state->library : state->modules;
	if (any == NULL)
		return root;
	struct state_builder build;
	state__begin(&build, any->module, state->schema, root, NULL);
	tree_record_unref(root, state->schema->root, NULL);
	if (state->library != NULL)
		build_library(&build, state);
	if (state->modules != NULL)
		build_modules(&build, state);
	return state__finish(&build);
}
