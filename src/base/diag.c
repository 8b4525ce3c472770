/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists of diagnostics. A request over a million entries may have a million faults, so a list keeps the first
 * `limit` and counts the rest; callers need not care, since diag_add always hands out a record to fill in.
 * Nor may the texts grow without bound: each of them may quote a value of megabytes. Messages are cut, for
 * they are for people; paths and infos are not, for programs follow them, but once all texts together are too
 * large, the list is full.
 * All strings are copied into the arena of the request. Tags and types carry the names of RFC 6241 appendix
 * A.
 */
#include "base/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"

#define MESSAGE_SIZE 4096	      /* bytes of a message, its terminator included */
#define TEXT_MAX ((size_t)256 * 1024) /* bytes of all texts of a list, above which it is full */
#define CUT "..."

static void count_text(struct diag_list *list, size_t size)
{
	list->text_size += size;
	if (list->text_size > TEXT_MAX && list->limit > list->length)
		list->limit = list->length;
}

static char *copy(struct diag_list *list, const char *text)
{
	if (!text)
		return NULL;
	struct bytes bytes = bytes_of(text);
	count_text(list, bytes.size);
	return arena_strdup(list->arena, bytes);
}

/* Marks the end of a text that was cut after `size` bytes, not within a character. */
static void mark_cut(char *text, size_t size)
{
	size_t end = size - strlen(CUT);
	while (end > 0 && ((unsigned char)text[end] & 0xc0) == 0x80)
		end--;
	strcpy(text + end, CUT);
}

static char *print_message(struct diag_list *list, const char *format, va_list args)
{
	char text[MESSAGE_SIZE];
	int size = vsnprintf(text, sizeof(text), format, args);
	ASSERT(size >= 0);
	if ((size_t)size >= sizeof(text))
		mark_cut(text, sizeof(text) - 1);
	return copy(list, text);
}

static struct diag *take_spare(struct diag_list *list, enum diag_type type, enum diag_tag tag)
{
	if (!list->spare)
		list->spare = arena_zalloc(list->arena, sizeof(*list->spare));
	list->spare->type = type;
	list->spare->tag = tag;
	return list->spare;
}

void diag_list_init(struct diag_list *list, struct arena *arena, size_t limit)
{
	*list = (struct diag_list){.arena = arena, .limit = limit};
}

struct diag *diag_add(struct diag_list *list, enum diag_type type, enum diag_tag tag, const char *format, ...)
{
	if (list->length >= list->limit) {
		list->dropped++;
		return take_spare(list, type, tag);
	}
	struct diag *diag = arena_zalloc(list->arena, sizeof(*diag));
	diag->type = type;
	diag->tag = tag;
	if (list->last)
		list->last->next = diag;
	else
		list->first = diag;
	list->last = diag;
	list->length++;
	if (format) {
		va_list args;
		va_start(args, format);
		diag->message = print_message(list, format, args);
		va_end(args);
	}
	return diag;
}

void diag_set_app_tag(struct diag_list *list, struct diag *diag, const char *app_tag)
{
	if (diag != list->spare)
		diag->app_tag = copy(list, app_tag);
}

void diag_set_path(struct diag_list *list, struct diag *diag, const char *path)
{
	if (diag != list->spare)
		diag->path = copy(list, path);
}

void diag_add_prefix(struct diag_list *list, struct diag *diag, const char *prefix, const char *ns)
{
	if (diag == list->spare)
		return;
	struct diag_prefix **end = &diag->prefixes;
	for (; *end; end = &(*end)->next) {
		if (strcmp((*end)->prefix, prefix) == 0)
			return;
	}
	*end = arena_zalloc(list->arena, sizeof(**end));
	(*end)->prefix = copy(list, prefix);
	(*end)->ns = copy(list, ns);
}

void diag_add_info(struct diag_list *list, struct diag *diag, const char *name, const char *value)
{
	/* Callers go on to fill in last_info, so the spare record has one, too: always the same. */
	if (diag == list->spare && diag->last_info)
		return;
	struct diag_info *info = arena_zalloc(list->arena, sizeof(*info));
	info->name = copy(list, name);
	info->value = copy(list, value);
	if (diag->last_info)
		diag->last_info->next = info;
	else
		diag->infos = info;
	diag->last_info = info;
}

struct diag_info *diag_add_info_group(struct diag_list *list, struct diag *diag, const char *name,
				      const char *ns)
{
	diag_add_info(list, diag, name, "");
	diag->last_info->ns = copy(list, ns);
	diag->last_info->members = NULL;
	return diag->last_info;
}

void diag_add_info_member(struct diag_list *list, struct diag_info *group, const char *name,
			  const char *value, bool is_path)
{
	struct diag_info **end = &group->members;
	while (*end)
		end = &(*end)->next;
	*end = arena_zalloc(list->arena, sizeof(**end));
	(*end)->name = copy(list, name);
	(*end)->ns = group->ns;
	(*end)->value = copy(list, value);
	(*end)->is_path = is_path;
}

const char *diag_tag_name(enum diag_tag tag)
{
	static const char *const names[] = {
		[DIAG_IN_USE] = "in-use",
		[DIAG_INVALID_VALUE] = "invalid-value",
		[DIAG_TOO_BIG] = "too-big",
		[DIAG_MISSING_ATTRIBUTE] = "missing-attribute",
		[DIAG_BAD_ATTRIBUTE] = "bad-attribute",
		[DIAG_UNKNOWN_ATTRIBUTE] = "unknown-attribute",
		[DIAG_MISSING_ELEMENT] = "missing-element",
		[DIAG_BAD_ELEMENT] = "bad-element",
		[DIAG_UNKNOWN_ELEMENT] = "unknown-element",
		[DIAG_UNKNOWN_NAMESPACE] = "unknown-namespace",
		[DIAG_ACCESS_DENIED] = "access-denied",
		[DIAG_LOCK_DENIED] = "lock-denied",
		[DIAG_RESOURCE_DENIED] = "resource-denied",
		[DIAG_ROLLBACK_FAILED] = "rollback-failed",
		[DIAG_DATA_EXISTS] = "data-exists",
		[DIAG_DATA_MISSING] = "data-missing",
		[DIAG_OPERATION_NOT_SUPPORTED] = "operation-not-supported",
		[DIAG_OPERATION_FAILED] = "operation-failed",
		[DIAG_MALFORMED_MESSAGE] = "malformed-message",
	};
	ASSERT((size_t)tag < sizeof(names) / sizeof(names[0]));
	return names[tag];
}

const char *diag_type_name(enum diag_type type)
{
	static const char *const names[] = {
		[DIAG_TRANSPORT] = "transport",
		[DIAG_RPC] = "rpc",
		[DIAG_PROTOCOL] = "protocol",
		[DIAG_APPLICATION] = "application",
	};
	ASSERT((size_t)type < sizeof(names) / sizeof(names[0]));
	return names[type];
}
