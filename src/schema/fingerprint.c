/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fingerprint of a schema (fingerprint.h): two 64-bit hashes with different seeds, each the sum of those
 * of the modules, so that the order of loading does not count. It tells apart what an operator changes; it is
 * no defence against one who wants two schemas to look alike.
 */
#include "schema/fingerprint.h"

/* Raise it when a check becomes stricter: then what is stored is checked again at the next start. */
#define CHECK_VERSION "checks 1"

#define SEED_LOW 0x79617265u
#define SEED_HIGH 0x66707274u

static uint64_t hash_text(const char *text, uint64_t seed)
{
	return bytes_hash(text != NULL ? bytes_of(text) : (struct bytes){NULL, 0}, seed);
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
	return bytes_hash((struct bytes){(const char *)&sum, sizeof(sum)}, hash);
}

static uint64_t hash_schema(const struct schema *schema, uint64_t seed)
{
	uint64_t sum = hash_text(CHECK_VERSION, seed);
	for (size_t i = 0; i < schema->module_count; i++)
		sum += hash_module(&schema->modules[i], seed);
	return sum;
}

void schema_fingerprint(const struct schema *schema, unsigned char fingerprint[SCHEMA_FINGERPRINT_SIZE])
{
	uint64_t low = hash_schema(schema, SEED_LOW), high = hash_schema(schema, SEED_HIGH);
	for (unsigned i = 0; i < 8; i++) {
		fingerprint[i] = (unsigned char)(low >> (8 * i));
		fingerprint[8 + i] = (unsigned char)(high >> (8 * i));
	}
}
