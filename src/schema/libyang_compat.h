/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * libyang's headers, and everything that differs between its major versions 2 (2.1.30 and later) and 3. Other
 * files of this folder include this one and never libyang itself.
 */
#include <libyang/libyang.h>
#include <libyang/plugins_exts.h>
#include <libyang/plugins_types.h>
#include <libyang/version.h>

#if LY_VERSION_MAJOR != 2 && LY_VERSION_MAJOR != 3
#error "libyang 2 (2.1.30 and later) or libyang 3 is needed"
#endif

/* Where an error of libyang lies: a schema path, or a line as text in `line_text`. NULL: unknown. */
static inline const char *compat_error_place(const struct ly_err_item *item, char *line_text, size_t size)
{
#if LY_VERSION_MAJOR == 2
	(void)line_text;
	(void)size;
	return item->path; /* "/module:node" or "Line number 7." */
#else
	if (item->schema_path != NULL)
		return item->schema_path;
	if (item->line == 0)
		return item->data_path;
	snprintf(line_text, size, "Line number %llu.", (unsigned long long)item->line);
	return line_text;
#endif
}

/* The plugin that stores and prints values of a type. */
static inline const struct lyplg_type *compat_type_plugin(const struct lysc_type *type)
{
	return type->plugin;
}

/* The type of an md:annotation; NULL: unknown. */
static inline const struct lysc_type *compat_annotation_type(const struct lysc_ext_instance *extension)
{
	const void *type = NULL;
	if (lyplg_ext_get_storage(extension, LY_STMT_TYPE, sizeof(type), &type) != LY_SUCCESS)
		return NULL;
	return type;
}

/* The options of a context in which only our import callback finds modules, and nothing compiles before all
 * is read. */
static inline uint16_t compat_context_options(bool implement_imports)
{
	uint16_t options = LY_CTX_NO_YANGLIBRARY | LY_CTX_DISABLE_SEARCHDIR_CWD | LY_CTX_EXPLICIT_COMPILE |
			   LY_CTX_REF_IMPLEMENTED;
	return implement_imports ? options | LY_CTX_ALL_IMPLEMENTED : options;
}

static inline bool compat_is_yang_1_1(const struct lys_module *module)
{
	return module->parsed != NULL && module->parsed->version == LYS_VERSION_1_1;
}
