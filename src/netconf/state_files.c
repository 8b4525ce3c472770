/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file map. The texts are those that the schema was compiled from (schema keeps them); nothing is read or
 * parsed again. What YANG allows and XML does not (control characters in a comment, a file that is no UTF-8
 * where libyang does not look) would make a reply that no client can read: such bytes become '?' in a copy.
 */
#include "netconf/state_files.h"

#include "base/arena.h"

/* The size of the character at `at`, or 0 where there is none that XML has. */
static size_t character_size(struct bytes text, size_t at)
{
	const unsigned char *c = (const unsigned char *)text.data + at;
	size_t left = text.size - at;
	if (*c < 0x80)
		return *c >= ' ' || *c == '\n' || *c == '\r' || *c == '\t';
	size_t size = *c >= 0xf0 ? 4 : *c >= 0xe0 ? 3 : 2;
	if (*c < 0xc2 || *c > 0xf4 || left < size)
		return 0;
	for (size_t i = 1; i < size; i++)
		if ((c[i] & 0xc0) != 0x80)
			return 0;
	bool overlong = (*c == 0xe0 && c[1] < 0xa0) || (*c == 0xf0 && c[1] < 0x90);
	bool surrogate = *c == 0xed && c[1] >= 0xa0;
	bool beyond = *c == 0xf4 && c[1] >= 0x90;
	bool none = *c == 0xef && c[1] == 0xbf && c[2] >= 0xbe; /* U+FFFE, U+FFFF */
	return overlong || surrogate || beyond || none ? 0 : size;
}

/* The first byte at or after `at` that is part of no character; the size where there is none. */
static size_t find_bad(struct bytes text, size_t at)
{
	size_t size;
	while (at < text.size && (size = character_size(text, at)) > 0)
		at += size;
	return at;
}

static void add(struct vector *files, struct arena *arena, const char *name, const char *revision,
		const char *ns, struct bytes text)
{
	struct bytes version = bytes_of(revision != NULL ? revision : "");
	if (text.data == NULL || netconf__files_find(files, bytes_of(name), &version, NULL) != NULL)
		return;
	*(struct netconf_file *)vector_push(files) =
		(struct netconf_file){name, version.data, ns, netconf__files_readable(text, arena)};
}

struct bytes netconf__files_readable(struct bytes text, struct arena *arena)
{
	size_t at = find_bad(text, 0);
	if (at == text.size)
		return text;
	char *copy = arena_strdup(arena, text);
	for (; at < text.size; at = find_bad(text, at + 1))
		copy[at] = '?';
	return (struct bytes){copy, text.size};
}

void netconf__files_init(struct vector *files, const struct schema *schema, struct arena *arena)
{
	vector_init(files, sizeof(struct netconf_file));
	for (size_t i = 0; i < schema->module_count; i++) {
		const struct schema_module *module = &schema->modules[i];
		add(files, arena, module->name, module->revision, module->ns, module->source);
		for (size_t j = 0; j < module->submodule_count; j++) {
			const struct schema_submodule *submodule = &module->submodules[j];
			add(files, arena, submodule->name, submodule->revision, module->ns,
			    submodule->source);
		}
	}
}

const struct netconf_file *netconf__files_find(const struct vector *files, struct bytes name,
					       const struct bytes *revision, const struct netconf_file *after)
{
	size_t first = after == NULL ? 0 : (size_t)(after - (const struct netconf_file *)files->data) + 1;
	for (size_t i = first; i < files->length; i++) {
		const struct netconf_file *file = vector_at(files, i);
		if (bytes_equal(bytes_of(file->name), name) &&
		    (revision == NULL || bytes_equal(bytes_of(file->revision), *revision)))
			return file;
	}
	return NULL;
}
