/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parameters of operations. A parameter that is not acted on is refused, never ignored: a client that asks
 * for a dry run must not get a change. Names of capabilities that are not announced get
 * operation-not-supported, everything else that is unknown gets the tag of RFC 6241 Appendix A for it.
 */
#include "netconf/op_params.h"

#include <inttypes.h>
#include <string.h>

#include "netconf/nmda.h"
#include "netconf/txid.h"
#include "netconf/version_info.h"

/* Parameters that other modules add to operations of the base namespace. */
static const struct foreign {
	const char *name, *prefix, *ns;
	bool nmda; /* to those of RFC 8526 as well */
} foreign_params[] = {
	{"with-defaults", "ncwd", NETCONF_WITH_DEFAULTS_NS, false},
	{"comment", NETCONF_HISTORY_PREFIX, NETCONF_HISTORY_NS, true},
	{"label", NETCONF_HISTORY_PREFIX, NETCONF_HISTORY_NS, true},
	{"with-etag", NETCONF_TXID_PREFIX, NETCONF_TXID_NS, true},
	{"with-last-modified", NETCONF_TXID_PREFIX, NETCONF_TXID_NS, true},
};

/* NULL where the parameter is in the operation's own namespace. */
static const struct foreign *find_foreign(const struct netconf_request *request, const char *param)
{
	const char *ns = request->operation->ns;
	bool is_base = ns == NULL, is_nmda = ns != NULL && strcmp(ns, NETCONF_NMDA_NS) == 0;
	for (size_t i = 0; i < sizeof(foreign_params) / sizeof(foreign_params[0]); i++) {
		const struct foreign *foreign = &foreign_params[i];
		bool is_here = is_base || (is_nmda && foreign->nmda);
		if (is_here && param != NULL && strcmp(param, foreign->name) == 0)
			return foreign;
	}
	return NULL;
}

struct diag *netconf__param_refuse(struct netconf_request *request, const char *param, enum diag_tag tag,
				   const char *message)
{
	struct diag_list *diags = &request->diags;
	struct diag *diag = diag_add(diags, DIAG_PROTOCOL, tag, "%s", message);
	const struct netconf_operation *operation = request->operation;
	const char *prefix = operation->ns != NULL ? operation->prefix : "nc";
	const struct foreign *foreign = find_foreign(request, param);
	const char *path = arena_printf(request->arena, "/nc:rpc/%s:%s", prefix, operation->name);
	if (param != NULL)
		path = arena_printf(request->arena, "%s/%s:%s", path, foreign ? foreign->prefix : prefix,
				    param);
	diag_set_path(diags, diag, path);
	diag_add_prefix(diags, diag, "nc", NETCONF_NS);
	if (operation->ns != NULL)
		diag_add_prefix(diags, diag, operation->prefix, operation->ns);
	if (foreign != NULL)
		diag_add_prefix(diags, diag, foreign->prefix, foreign->ns);
	diag_add_info(diags, diag, "bad-element", param == NULL ? request->operation->name : param);
	return diag;
}

/* Says of one that has the right name what its namespace is. */
static void refuse_unknown(struct netconf_request *request, const struct element *child,
			   const struct netconf_param *params, size_t count)
{
	const char *name = arena_strdup(request->arena, child->name);
	const char *ns = netconf__operation_ns(request->operation);
	bool base = bytes_equal(child->ns, bytes_of(ns));
	const char *message =
		arena_printf(request->arena, "\"%s\" is no parameter of %s.", name, request->operation->name);
	for (size_t i = 0; i < count; i++) {
		const struct foreign *foreign = find_foreign(request, params[i].name);
		if (strcmp(name, params[i].name) == 0)
			message = arena_printf(request->arena, "The namespace of \"%s\" is \"%s\".", name,
					       foreign != NULL ? foreign->ns : ns);
	}
	struct diag *diag = netconf__param_refuse(
		request, NULL, base ? DIAG_UNKNOWN_ELEMENT : DIAG_UNKNOWN_NAMESPACE, message);
	diag->infos->value = name;
	if (!base)
		diag_add_info(&request->diags, diag, "bad-namespace",
			      arena_strdup(request->arena, child->ns));
}

static struct netconf_param *find(const struct netconf_request *request, struct netconf_param *params,
				  size_t count, const struct element *child)
{
	for (size_t i = 0; i < count; i++) {
		if (!bytes_equal(child->name, bytes_of(params[i].name)))
			continue;
		const struct foreign *foreign = find_foreign(request, params[i].name);
		const char *ns = foreign != NULL ? foreign->ns : netconf__operation_ns(request->operation);
		if (bytes_equal(child->ns, bytes_of(ns)))
			return &params[i];
	}
	return NULL;
}

/* `param` NULL: the operation's own element. */
static void refuse_attributes(struct netconf_request *request, const char *param,
			      const struct element *element)
{
	for (size_t i = 0; i < element->attribute_count; i++) {
		const struct xml_attribute *attribute = &element->attributes[i];
		if (attribute->ns.size > 0 && !bytes_equal(attribute->ns, bytes_of(NETCONF_NS)))
			continue;
		struct diag *diag = netconf__param_refuse(request, param, DIAG_UNKNOWN_ATTRIBUTE,
							  "The attribute is not expected here.");
		diag_add_info(&request->diags, diag, "bad-attribute",
			      arena_strdup(request->arena, attribute->name));
	}
}

void netconf__params_attributes(struct netconf_request *request)
{
	refuse_attributes(request, NULL, request->parameters);
}

static void refuse_text(struct netconf_request *request, const char *param, const struct element *element)
{
	if (element_text_trimmed(element).size > 0)
		netconf__param_refuse(request, param, DIAG_BAD_ELEMENT,
				      "The element holds text, but must not.");
}

static void refuse_elements(struct netconf_request *request, const char *param, const struct element *element)
{
	const struct element *child = element->children;
	if (child == NULL)
		return;
	struct diag *diag =
		netconf__param_refuse(request, param, DIAG_UNKNOWN_ELEMENT, "The element holds no elements.");
	diag->infos->value = arena_strdup(request->arena, child->name);
}

void netconf__param_plain(struct netconf_request *request, const struct netconf_param *param,
			  const struct element *element)
{
	refuse_attributes(request, param->name, element);
	refuse_elements(request, param->name, element);
}

static void check_content(struct netconf_request *request, const struct netconf_param *param,
			  const struct element *element)
{
	switch (param->content) {
	case NETCONF_PARAM_TEXT:
		netconf__param_plain(request, param, element);
		return;
	case NETCONF_PARAM_EMPTY:
		refuse_attributes(request, param->name, element);
		refuse_text(request, param->name, element);
		refuse_elements(request, param->name, element);
		return;
	case NETCONF_PARAM_ELEMENTS:
		refuse_attributes(request, param->name, element);
		refuse_text(request, param->name, element);
		return;
	case NETCONF_PARAM_ANY:
		return;
	}
}

void netconf__params_read(struct netconf_request *request, struct netconf_param *params, size_t count)
{
	netconf__params_attributes(request);
	refuse_text(request, NULL, request->parameters);
	for (struct element *child = request->parameters->children; child != NULL; child = child->next) {
		struct netconf_param *param = find(request, params, count, child);
		if (param == NULL)
			refuse_unknown(request, child, params, count);
		else if (param->element != NULL && param->repeats)
			check_content(request, param, child);
		else if (param->element != NULL)
			netconf__param_refuse(request, param->name, DIAG_BAD_ELEMENT,
					      "The parameter is given twice.");
		else if (param->unsupported)
			netconf__param_refuse(request, param->name, DIAG_OPERATION_NOT_SUPPORTED,
					      "The parameter is not supported.");
		else
			param->element = child;
	}
	for (size_t i = 0; i < count; i++) {
		if (params[i].element != NULL)
			check_content(request, &params[i], params[i].element);
		else if (params[i].mandatory)
			netconf__param_refuse(request, params[i].name, DIAG_MISSING_ELEMENT,
					      "The parameter is missing.");
	}
}

static bool is_nmda_served(const struct netconf_request *request)
{
	const struct schema_module *module =
		schema_module_find(request->link->server->schema, bytes_of(NETCONF_NMDA_MODULE));
	return module != NULL && module->implemented;
}

static bool has_startup(const struct netconf_request *request, const struct netconf_param *param)
{
	return param->startup && netconf__startup_is_served(request);
}

static bool may_be_used(const struct netconf_request *request, const struct netconf_param *param)
{
	return request->datastore != STORE_STARTUP || has_startup(request, param);
}

void netconf__param_datastore(struct netconf_request *request, const struct netconf_param *param)
{
	if (param->element == NULL)
		return;
	const struct element *child = param->element->children;
	bool by_identity = param->nmda && child != NULL &&
			   bytes_equal(child->ns, bytes_of(NETCONF_NMDA_NS)) &&
			   bytes_equal(child->name, bytes_of("datastore")) && is_nmda_served(request);
	if (child != NULL) {
		refuse_attributes(request, param->name, child);
		if (!by_identity)
			refuse_text(request, param->name, child);
		refuse_elements(request, param->name, child);
	}
	bool known = child != NULL && bytes_equal(child->ns, bytes_of(NETCONF_NS));
	if (child == NULL) {
		netconf__param_refuse(request, param->name, DIAG_MISSING_ELEMENT, "No datastore is named.");
	} else if (child->next != NULL) {
		netconf__param_refuse(request, param->name, DIAG_BAD_ELEMENT,
				      "More than one datastore is named.");
	} else if (by_identity && netconf__nmda_datastore(child, &request->datastore) &&
		   may_be_used(request, param)) {
		return;
	} else if (known && bytes_equal(child->name, bytes_of("running"))) {
		request->datastore = STORE_RUNNING;
	} else if (known && bytes_equal(child->name, bytes_of("candidate"))) {
		request->datastore = STORE_CANDIDATE;
	} else if (known && has_startup(request, param) && bytes_equal(child->name, bytes_of("startup"))) {
		request->datastore = STORE_STARTUP;
	} else {
		const char *name = arena_strdup(request->arena, child->name);
		struct diag *diag = netconf__param_refuse(
			request, param->name, DIAG_INVALID_VALUE,
			arena_printf(request->arena,
				     "There is no datastore \"%s\" that this operation can use.", name));
		diag->infos->value = name;
	}
}

uint64_t netconf__param_number(struct netconf_request *request, const struct netconf_param *param,
			       uint64_t most)
{
	struct bytes text = element_text_trimmed(param->element);
	uint64_t number = 0;
	bool good = text.size > 0;
	for (size_t i = 0; good && i < text.size; i++) {
		uint64_t digit = (uint64_t)(text.data[i] - '0');
		good = text.data[i] >= '0' && text.data[i] <= '9' && digit <= most &&
		       number <= (most - digit) / 10;
		number = number * 10 + digit;
	}
	if (good && number > 0)
		return number;
	netconf__param_refuse(request, param->name, DIAG_INVALID_VALUE,
			      arena_printf(request->arena, "It is a number from 1 to %" PRIu64 ".", most));
	return 0;
}

size_t netconf__param_choice(struct netconf_request *request, const struct netconf_param *param,
			     const char *const *names, size_t count)
{
	struct bytes text = element_text_trimmed(param->element);
	for (size_t i = 0; i < count; i++)
		if (bytes_equal(text, bytes_of(names[i])))
			return i;
	const char *value = arena_strdup(request->arena, text);
	netconf__param_refuse(request, param->name, DIAG_INVALID_VALUE,
			      arena_printf(request->arena, "\"%s\" is no value of %s.", value, param->name));
	return count;
}
