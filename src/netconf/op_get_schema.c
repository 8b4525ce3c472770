/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * get-schema (RFC 6022 3.1): the text of a module or submodule, from the file map. The text is the schema's;
 * reply.c escapes it piece by piece while the client takes it.
 */
#include "netconf/operation.h"
#include "netconf/state.h"

#define MONITORING_NS "urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring"

/* An identityref: "yang", by whatever prefix. Without one the default namespace is meant, or the module where
 * a client forgot to declare it. */
static bool is_yang(const struct element *format)
{
	struct bytes name = element_text_trimmed(format), prefix = {NULL, 0};
	const char *colon = memchr(name.data, ':', name.size);
	if (name.size > 0 && colon != NULL) {
		prefix = (struct bytes){name.data, (size_t)(colon - name.data)};
		name = (struct bytes){colon + 1, name.size - prefix.size - 1};
		if (!bytes_equal(element_resolve(format, prefix), bytes_of(MONITORING_NS)))
			return false;
	}
	return bytes_equal(name, bytes_of("yang"));
}

static void not_unique(struct netconf_request *request)
{
	struct diag *diag = diag_add(&request->diags, DIAG_APPLICATION, DIAG_OPERATION_FAILED,
				     "There are several revisions of this module: name one.");
	diag_set_app_tag(&request->diags, diag, "data-not-unique");
}

static void find(struct netconf_request *request, const struct element *identifier,
		 const struct element *version)
{
	const struct vector *files = &request->link->server->state->files;
	struct bytes name = element_text_trimmed(identifier), revision;
	if (version != NULL)
		revision = element_text_trimmed(version);
	const struct netconf_file *file =
		netconf__files_find(files, name, version != NULL ? &revision : NULL, NULL);
	if (file == NULL && netconf__files_find(files, name, NULL, NULL) != NULL) {
		netconf__param_refuse(request, "version", DIAG_INVALID_VALUE,
				      "There is no such revision of this module.");
	} else if (file == NULL) {
		netconf__param_refuse(request, "identifier", DIAG_INVALID_VALUE, "There is no such module.");
	} else if (version == NULL && netconf__files_find(files, name, NULL, file) != NULL) {
		not_unique(request);
	} else {
		request->text = file->text;
		request->has_text = true;
	}
}

static void prepare(struct netconf_request *request)
{
	if (request->link->server->state->monitoring == NULL) {
		diag_add(&request->diags, DIAG_PROTOCOL, DIAG_OPERATION_NOT_SUPPORTED,
			 "This server does not implement ietf-netconf-monitoring.");
		return;
	}
	enum { IDENTIFIER, VERSION, FORMAT, COUNT };
	struct netconf_param params[COUNT] = {
		[IDENTIFIER] = {.name = "identifier", .mandatory = true},
		[VERSION] = {.name = "version"},
		[FORMAT] = {.name = "format"},
	};
	netconf__params_read(request, params, COUNT);
	if (params[FORMAT].element != NULL && !is_yang(params[FORMAT].element))
		netconf__param_refuse(request, "format", DIAG_INVALID_VALUE,
				      "Modules are served as YANG only.");
	if (!netconf__request_refused(request))
		find(request, params[IDENTIFIER].element, params[VERSION].element);
}

static enum status run(struct netconf_request *request, enum store_wait wait)
{
	(void)request;
	(void)wait;
	return ST_OK;
}

const struct netconf_operation netconf__op_get_schema = {
	.name = "get-schema",
	.ns = MONITORING_NS,
	.prefix = "ncm",
	.kind = OPERATION_READS,
	.prepare = prepare,
	.run = run,
};
