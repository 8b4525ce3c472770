/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Identities in parameters (RFC 7950 9.10.3): a prefix that is declared at the element, or none, which is the
 * default namespace there.
 */
#include "netconf/nmda.h"

struct bytes netconf__identity_name(const struct element *element, const char *ns)
{
	struct bytes text = element_text_trimmed(element), prefix = {text.data, 0};
	const char *colon = memchr(text.data, ':', text.size);
	struct bytes name = text;
	if (colon != NULL) {
		prefix.size = (size_t)(colon - text.data);
		name = (struct bytes){colon + 1, text.size - prefix.size - 1};
	}
	bool ours = bytes_equal(element_resolve(element, prefix), bytes_of(ns));
	return ours ? name : (struct bytes){NULL, 0};
}

bool netconf__module_is_served(struct netconf_request *request, const char *name)
{
	const struct schema *schema = request->link->server->schema;
	const struct schema_module *module = schema_module_find(schema, bytes_of(name));
	if (module != NULL && module->implemented)
		return true;
	netconf__param_refuse(request, NULL, DIAG_OPERATION_NOT_SUPPORTED,
			      "The module of this operation is not served.");
	return false;
}

bool netconf__nmda_is_served(struct netconf_request *request)
{
	return netconf__module_is_served(request, NETCONF_NMDA_MODULE);
}

bool netconf__startup_is_served(const struct netconf_request *request)
{
	return store_startup_kind(request->link->server->store) != STORE_STARTUP_OFF;
}

bool netconf__nmda_datastore(const struct element *element, enum store_datastore *datastore)
{
	struct bytes name = netconf__identity_name(element, NETCONF_DATASTORES_NS);
	if (bytes_equal(name, bytes_of("running")))
		*datastore = STORE_RUNNING;
	else if (bytes_equal(name, bytes_of("candidate")))
		*datastore = STORE_CANDIDATE;
	else if (bytes_equal(name, bytes_of("startup")))
		*datastore = STORE_STARTUP;
	else
		return false;
	return true;
}

void netconf__nmda_filters(struct netconf_request *request, const struct netconf_param *subtree,
			   const struct netconf_param *xpath)
{
	if (subtree->element != NULL && xpath->element != NULL) {
		netconf__param_refuse(request, xpath->name, DIAG_BAD_ELEMENT,
				      "There is one filter, by subtree or by XPath.");
		return;
	}
	request->filter_element = subtree->element;
	if (xpath->element == NULL)
		return;
	request->filter_element = xpath->element;
	request->filter_select = element_text_trimmed(xpath->element);
	request->filter_is_xpath = true;
}
