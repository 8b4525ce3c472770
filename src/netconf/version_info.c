/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Versions in requests and replies; see version_info.h. One place says which leafs a version has, for the
 * state data (state_history.c) and for the operations' replies (op_history.c).
 *
 * Comments and labels are limited in characters, as the module says, so that what the store keeps (bytes) is
 * never cut within one.
 */
#include "netconf/version_info.h"

#include <inttypes.h>

#include "netconf/state_build.h"
#include "netconf/state_files.h"
#include "store/history.h"

#define COMMENT_LENGTH_MAX 1024 /* characters */
#define LABEL_LENGTH_MAX 128
#define UTF8_MAX 4 /* bytes of a character */

_Static_assert(COMMENT_LENGTH_MAX *UTF8_MAX <= STORE_COMMENT_MAX, "comments are kept whole");
_Static_assert(LABEL_LENGTH_MAX *UTF8_MAX <= STORE_LABEL_MAX, "labels are kept whole");

static const char *const startup_names[] = {
	[STORE_STARTUP_GIVEN_UP] = "given-up",
	[STORE_STARTUP_REMOVED] = "deleted",
	[STORE_STARTUP_IS_RUNNING] = "copied",
	[STORE_STARTUP_REPLACED] = "replaced",
};

/* Clients choose it; no rule says that it is text. */
static const char *readable(const char *text, struct arena *arena)
{
	return arena_strdup(arena, netconf__files_readable(bytes_of(text), arena));
}

static const char *number(uint64_t value, struct arena *arena)
{
	return arena_printf(arena, "%" PRIu64, value);
}

void netconf__version_each_leaf(const struct store_version *info, struct arena *arena,
				void (*put)(void *arg, const char *leaf, const char *text), void *arg)
{
	char time[STATE__TIME_SIZE];
	state__time_text(info->time_ns, time);
	if (info->time_ns != 0)
		put(arg, "time", arena_strdup(arena, bytes_of(time)));
	if (info->user[0] != '\0')
		put(arg, "user", readable(info->user, arena));
	if (info->session_id != 0)
		put(arg, "session-id", number(info->session_id, arena));
	if (info->address[0] != '\0')
		put(arg, "client-address", readable(info->address, arena));
	if (info->comment != NULL)
		put(arg, "comment", readable(info->comment, arena));
	if (info->label != NULL)
		put(arg, "label", readable(info->label, arena));
	put(arg, "changes", number(info->change_count, arena));
	if (info->fallback != 0)
		put(arg, "fallback", number(info->fallback, arena));
	if (info->startup_change != STORE_STARTUP_UNCHANGED)
		put(arg, "startup", startup_names[info->startup_change]);
}

bool netconf__history_is_served(struct netconf_request *request)
{
	const struct schema *schema = request->link->server->schema;
	const struct schema_module *module = schema_module_find(schema, bytes_of(NETCONF_HISTORY_MODULE));
	if (module != NULL && module->implemented)
		return true;
	netconf__param_refuse(request, NULL, DIAG_OPERATION_NOT_SUPPORTED,
			      "The module of this operation is not served.");
	return false;
}

static size_t characters(struct bytes text)
{
	size_t count = 0;
	for (size_t i = 0; i < text.size; i++)
		count += (text.data[i] & 0xc0) != 0x80;
	return count;
}

static const char *read_text(struct netconf_request *request, const struct netconf_param *param, size_t most)
{
	if (param->element == NULL)
		return NULL;
	struct bytes text = param->element->text;
	if (text.size > 0 && characters(text) <= most)
		return arena_strdup(request->arena, text);
	netconf__param_refuse(request, param->name, DIAG_INVALID_VALUE,
			      arena_printf(request->arena, "It has from 1 to %zu characters.", most));
	return NULL;
}

void netconf__version_name_read(struct netconf_request *request, const struct netconf_param *version,
				const struct netconf_param *label)
{
	if (version->element != NULL)
		request->version.id = netconf__param_number(request, version, UINT64_MAX);
	request->version.label = read_text(request, label, LABEL_LENGTH_MAX);
	if (version->element == NULL && label->element == NULL)
		netconf__param_refuse(request, version->name, DIAG_MISSING_ELEMENT, "No version is named.");
	if (version->element != NULL && label->element != NULL)
		netconf__param_refuse(request, label->name, DIAG_BAD_ELEMENT,
				      "A version is named by its number or by its label.");
}

uint64_t netconf__version_find(struct netconf_request *request)
{
	if (request->version.label == NULL)
		return request->version.id;
	uint64_t id = store_history_labelled(request->link->server->store, request->version.label);
	if (id == 0)
		diag_add(&request->diags, DIAG_APPLICATION, DIAG_DATA_MISSING,
			 "The history has no version that is labelled \"%s\".", request->version.label);
	return id;
}

void netconf__change_info_read(struct netconf_request *request, const struct netconf_param *comment,
			       const struct netconf_param *label)
{
	request->comment = read_text(request, comment, COMMENT_LENGTH_MAX);
	request->label = read_text(request, label, LABEL_LENGTH_MAX);
}

void netconf__change_info_of_running(struct netconf_request *request, const struct netconf_param *comment,
				     const struct netconf_param *label)
{
	const struct netconf_param *params[] = {comment, label};
	netconf__change_info_read(request, comment, label);
	for (size_t i = 0; i < 2; i++)
		if (params[i]->element != NULL && request->datastore == STORE_CANDIDATE)
			netconf__param_refuse(request, params[i]->name, DIAG_UNKNOWN_ELEMENT,
					      "A change of the candidate makes no version.");
}
