/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * <rpc-error> from diagnostics: type, tag, severity, app-tag, path, message, info, in the order of RFC
 * 6241 4.3.
 *
 * Prefixes of the path are declared on <error-path>, and on an info that is a path on the info. Texts from
 * the outside (values in messages, names) are escaped; characters that XML does not have cannot be in them,
 * since the reader refuses these. How many errors there are is limited where they are added
 * (netconf_limits.errors); the last one says how many are missing.
 */
#include "netconf/rpc_error.h"

#include <stdio.h>
#include <string.h>

#include "netconf/request.h"
#include "netconf/write.h"

static void put_element(struct buffer *out, const char *name, const char *text)
{
	netconf__put(out, "<");
	netconf__put(out, name);
	netconf__put(out, ">");
	netconf__put_escaped(out, bytes_of(text), false);
	netconf__put(out, "</");
	netconf__put(out, name);
	netconf__put(out, ">");
}

static void put_prefixes(struct buffer *out, const struct diag *diag)
{
	for (const struct diag_prefix *prefix = diag->prefixes; prefix != NULL; prefix = prefix->next) {
		netconf__put(out, " xmlns:");
		netconf__put(out, prefix->prefix);
		netconf__put(out, "=\"");
		netconf__put_escaped(out, bytes_of(prefix->ns), true);
		netconf__put(out, "\"");
	}
}

static void put_path(struct buffer *out, const struct diag *diag)
{
	netconf__put(out, "<error-path");
	put_prefixes(out, diag);
	netconf__put(out, ">");
	netconf__put_escaped(out, bytes_of(diag->path), false);
	netconf__put(out, "</error-path>");
}

/* `outer_ns`: the namespace that is the default one around it. */
static void put_info(struct buffer *out, const struct diag *diag, const struct diag_info *info,
		     const char *outer_ns)
{
	netconf__put(out, "<");
	netconf__put(out, info->name);
	if (info->ns != NULL && (outer_ns == NULL || strcmp(info->ns, outer_ns) != 0)) {
		netconf__put(out, " xmlns=\"");
		netconf__put_escaped(out, bytes_of(info->ns), true);
		netconf__put(out, "\"");
	}
	if (info->is_path)
		put_prefixes(out, diag);
	netconf__put(out, ">");
	netconf__put_escaped(out, bytes_of(info->value), false);
	for (const struct diag_info *member = info->members; member != NULL; member = member->next)
		put_info(out, diag, member, info->ns);
	netconf__put(out, "</");
	netconf__put(out, info->name);
	netconf__put(out, ">");
}

static void put_message(struct buffer *out, const struct diag *diag, size_t dropped)
{
	if (diag->message == NULL && dropped == 0)
		return;
	netconf__put(out, "<error-message xml:lang=\"en\">");
	if (diag->message != NULL)
		netconf__put_escaped(out, bytes_of(diag->message), false);
	if (dropped > 0) {
		char more[64];
		snprintf(more, sizeof(more), " (%zu more errors are not shown.)", dropped);
		netconf__put(out, more);
	}
	netconf__put(out, "</error-message>");
}

static void put_error(struct buffer *out, const struct diag *diag, size_t dropped, bool xmlns)
{
	netconf__put(out, xmlns ? "<rpc-error xmlns=\"" NETCONF_NS "\">" : "<rpc-error>");
	put_element(out, "error-type", diag_type_name(diag->type));
	put_element(out, "error-tag", diag_tag_name(diag->tag));
	netconf__put(out, "<error-severity>error</error-severity>");
	if (diag->app_tag != NULL)
		put_element(out, "error-app-tag", diag->app_tag);
	if (diag->path != NULL)
		put_path(out, diag);
	put_message(out, diag, dropped);
	if (diag->infos != NULL) {
		netconf__put(out, "<error-info>");
		for (const struct diag_info *info = diag->infos; info != NULL; info = info->next)
			put_info(out, diag, info, NULL);
		netconf__put(out, "</error-info>");
	}
	netconf__put(out, "</rpc-error>");
}

void netconf__rpc_errors_write(struct buffer *out, const struct diag_list *diags, bool xmlns)
{
	for (const struct diag *diag = diags->first; diag != NULL; diag = diag->next)
		put_error(out, diag, diag->next == NULL ? diags->dropped : 0, xmlns);
}
