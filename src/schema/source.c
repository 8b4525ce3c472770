/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Module files: where they are and what is in them. libyang's own search takes the newest revision in any
 * folder; ours goes by the order of the folders, so that what was found on the host wins over what is
 * bundled. Therefore every module, also an import, comes through the callback schema__source_import().
 *
 * Submodules do not: libyang 2.1.30 loses extension instances of a submodule that a submodule includes, and
 * crashes on them, where the text comes from a callback. libyang finds those by its own search, which we only
 * follow; it matters where two folders hold different revisions of one submodule, included without a date.
 *
 * A file is read whole and kept as long as the schema: get-schema must serve the text that was compiled, not
 * what the file has become since.
 */
#include <stdlib.h>

#include "base/buffer.h"
#include "schema/internal.h"

#define READ_STEP_SIZE (64u << 10) /* bytes */

/* libyang tells no file's size and refuses to read past its end: shorter and shorter steps find it. */
static struct bytes read_file(struct arena *arena, const char *path)
{
	struct ly_in *in = NULL;
	if (ly_in_new_filepath(path, 0, &in) != LY_SUCCESS)
		return (struct bytes){NULL, 0};
	struct buffer content;
	buffer_init(&content, SIZE_MAX);
	for (size_t step = READ_STEP_SIZE; step > 0;) {
		if (ly_in_read(in, buffer_reserve(&content, step), step) == LY_SUCCESS)
			buffer_commit(&content, step);
		else
			step /= 2;
	}
	ly_in_free(in, 0);
	struct bytes read = buffer_get(&content);
	if (read.size > 0 && read.data[read.size - 1] == '\0')
		read.size--; /* libyang counts the terminator that it maps after a file */
	struct bytes text = {arena_strdup(arena, read), read.size};
	buffer_fini(&content);
	return text;
}

static bool has_revision(const char *path, const char *revision)
{
	const char *at = strrchr(path, '@');
	return at != NULL && strncmp(at + 1, revision, strlen(revision)) == 0;
}

/* The first folder's file of that name; `exact`: only one whose file name has the revision. */
static char *search(const struct schema_source *request, const char *name, const char *revision, bool exact)
{
	for (size_t i = 0; i < request->search_dir_count; i++) {
		const char *folder[] = {request->search_dirs[i], NULL};
		char *path = NULL;
		LYS_INFORMAT format;
		if (lys_search_localfile(folder, 0, name, revision, &path, &format) != LY_SUCCESS ||
		    path == NULL)
			continue;
		if (format == LYS_IN_YANG && (!exact || has_revision(path, revision)))
			return path;
		free(path);
	}
	return NULL;
}

static const struct schema__source *add_file(struct schema__sources *sources, const char *name,
					     const char *revision, char *path)
{
	if (path == NULL) {
		*(const char **)vector_push(&sources->missing) =
			revision != NULL ? arena_printf(sources->arena, "%s@%s", name, revision)
					 : arena_strdup(sources->arena, bytes_of(name));
		return NULL;
	}
	struct schema__source *source = vector_push(&sources->files);
	source->name = bytes_of(arena_strdup(sources->arena, bytes_of(name)));
	source->path = arena_strdup(sources->arena, bytes_of(path));
	source->revision = revision != NULL ? arena_strdup(sources->arena, bytes_of(revision)) : NULL;
	source->text = read_file(sources->arena, path);
	free(path);
	return source;
}

static const struct schema__source *read_module(struct schema__sources *sources, const char *name,
						const char *revision)
{
	char *path = revision != NULL ? search(sources->request, name, revision, true) : NULL;
	if (path == NULL)
		path = search(sources->request, name, revision, false);
	return add_file(sources, name, revision, path);
}

/* The file that libyang will take for a submodule. */
static void read_submodule(struct schema__sources *sources, const char *name, const char *revision)
{
	char *path = NULL;
	LYS_INFORMAT format;
	if (lys_search_localfile(ly_ctx_get_searchdirs(sources->context), 0, name, revision, &path,
				 &format) != LY_SUCCESS)
		path = NULL;
	add_file(sources, name, revision, path);
}

LY_ERR schema__source_import(const char *module, const char *revision, const char *submodule,
			     const char *submodule_revision, void *sources, LYS_INFORMAT *format,
			     const char **text, ly_module_imp_data_free_clb *free_text)
{
	if (submodule != NULL) {
		read_submodule(sources, submodule, submodule_revision);
		return LY_ENOTFOUND;
	}
	const struct schema__source *source = read_module(sources, module, revision);
	if (source == NULL || source->text.size == 0)
		return LY_ENOTFOUND;
	*format = LYS_IN_YANG;
	*text = source->text.data;
	*free_text = NULL;
	return LY_SUCCESS;
}

const struct schema__source *schema__source_find(const struct schema__sources *sources, const char *name,
						 const char *revision)
{
	const struct schema__source *any = NULL;
	for (size_t i = 0; i < sources->files.length; i++) {
		const struct schema__source *file = vector_at(&sources->files, i);
		if (!bytes_equal(file->name, bytes_of(name)))
			continue;
		bool same = revision != NULL &&
			    ((file->revision != NULL && strcmp(file->revision, revision) == 0) ||
			     has_revision(file->path, revision));
		if (same)
			return file;
		if (any == NULL)
			any = file;
	}
	return any;
}
