/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads: from the filter parameter to a pinned root and an evaluated filter.
 *
 * Filters are compiled when they are read by, and not before: a session may have many requests queued, but
 * reads one at a time. An XPath filter is looked up on the worker where it selects by keys alone; one that
 * visits lists is work for a job thread, and has limits, since anybody may send it. What it may take is
 * bounded by steps, nodes and bytes; at a limit the read is refused, naming it, never cut short.
 */
#include "netconf/read.h"

#include "check/implicit.h"
#include "netconf/filter_xpath.h"
#include "netconf/state.h"
#include "netconf/txid.h"
#include "store/plan.h"

static const struct xml_attribute *find_attribute(const struct element *element, const char *name)
{
	for (size_t i = 0; i < element->attribute_count; i++) {
		const struct xml_attribute *attribute = &element->attributes[i];
		bool ours = attribute->ns.size == 0 || bytes_equal(attribute->ns, bytes_of(NETCONF_NS));
		if (ours && bytes_equal(attribute->name, bytes_of(name)))
			return attribute;
	}
	return NULL;
}

static void refuse_attribute(struct netconf_request *request, const char *attribute, enum diag_tag tag,
			     const char *message)
{
	struct diag *diag = netconf__param_refuse(request, "filter", tag, message);
	diag_add_info(&request->diags, diag, "bad-attribute", attribute);
}

static void read_select(struct netconf_request *request, const struct element *filter)
{
	const struct xml_attribute *select = find_attribute(filter, "select");
	if (select == NULL) {
		refuse_attribute(request, "select", DIAG_MISSING_ATTRIBUTE,
				 "An XPath filter needs the attribute \"select\".");
		return;
	}
	if (filter->children != NULL || element_text_trimmed(filter).size > 0) {
		netconf__param_refuse(request, "filter", DIAG_BAD_ELEMENT, "An XPath filter has no content.");
		return;
	}
	request->filter_element = filter;
	request->filter_select = select->value;
	request->filter_is_xpath = true;
}

void netconf__read_filter(struct netconf_request *request, const struct netconf_param *param)
{
	const struct element *filter = param->element;
	if (filter == NULL)
		return;
	const struct xml_attribute *type = find_attribute(filter, "type");
	if (type == NULL || bytes_equal(type->value, bytes_of("subtree")))
		request->filter_element = filter;
	else if (bytes_equal(type->value, bytes_of("xpath")))
		read_select(request, filter);
	else
		refuse_attribute(request, "type", DIAG_BAD_ATTRIBUTE, "There is no such filter type.");
}

void netconf__read_with_defaults(struct netconf_request *request, const struct netconf_param *param)
{
	static const char *const names[] = {"explicit", "report-all", "report-all-tagged", "trim"};
	static const enum codec_defaults defaults[] = {CODEC_EXPLICIT, CODEC_REPORT_ALL, CODEC_REPORT_ALL,
						       CODEC_TRIM, CODEC_EXPLICIT};
	request->view.defaults = request->link->server->limits.basic_defaults;
	if (param->element == NULL)
		return;
	size_t choice = netconf__param_choice(request, param, names, 4);
	request->view.defaults = defaults[choice];
	request->view.tags_defaults = choice == 2;
}

/* The name of the parameter that the filter came in. */
static const char *filter_param(const struct netconf_request *request)
{
	return arena_strdup(request->arena, request->filter_element->name);
}

static void refuse_filter(struct netconf_request *request, enum diag_tag tag, const char *message)
{
	netconf__param_refuse(request, filter_param(request), tag, message);
}

/* One share of so many. */
static struct netconf__filter_limits limits_of(const struct netconf_request *request, unsigned share)
{
	const struct netconf_limits *all = &request->link->server->limits;
	return (struct netconf__filter_limits){
		.steps = all->filter_steps / share,
		.nodes = all->filter_nodes / share,
		.memory = all->filter_memory / share,
		.alternatives = all->filter_alternatives,
		.elements = all->filter_elements,
		.any = all->filter_any,
		.search = store_search_xpath(request->link->server->search),
		.time_ms = all->filter_time_ms,
		.interrupt = &request->link->interrupt,
	};
}

enum status netconf__read_compile(struct netconf_request *request, struct netconf_filter **filter)
{
	const struct schema *schema = request->link->server->schema;
	const char *message;
	if (request->filter_element == NULL || *filter != NULL)
		return ST_OK;
	if (request->filter_is_xpath) {
		if (netconf__filter_new_xpath(schema, request->filter_element, request->filter_select,
					      request->arena, &message, filter) == ST_OK)
			return ST_OK;
		refuse_filter(request, DIAG_INVALID_VALUE, message);
	} else {
		struct netconf__filter_limits limits = limits_of(request, 1);
		if (netconf__filter_new(schema, request->filter_element, &limits, request->arena, filter) ==
		    ST_OK)
			return ST_OK;
		refuse_filter(request, DIAG_TOO_BIG, "The filter has too many alternatives or elements.");
	}
	return ST_REJECTED;
}

enum status netconf__read_begin(struct netconf_request *request, enum store_wait wait)
{
	enum status status = netconf__read_compile(request, &request->filter);
	if (status != ST_OK)
		return status;
	bool is_work =
		(request->filter != NULL && request->filter->is_work) || netconf__txid_read_is_work(request);
	if (wait == STORE_NO_WAIT && is_work)
		return ST_BUSY;
	netconf__txid_read_pin(request);
	if (request->filter == NULL || request->filter->search == NULL)
		return ST_OK;
	status = request->filter->search(request->filter, request->root,
					 store_search_xpath(request->link->server->search), wait);
	if (status != ST_OK)
		netconf__read_drop(request);
	return status;
}

void netconf__read_drop(struct netconf_request *request)
{
	struct netconf_server *server = request->link->server;
	check_implicit_free(request->implicit);
	request->implicit = NULL;
	tree_record_unref(request->root, server->schema->root, server->reclaimer);
	request->root = NULL;
}

static void refuse_limit(struct netconf_request *request, const struct netconf_filter *filter)
{
	refuse_filter(request, DIAG_RESOURCE_DENIED,
		      arena_printf(request->arena, "The filter is more than this server does for one (%s).",
				   filter->limit));
}

/* As far as the filter (NULL: none) can select it. */
static void graft_state(struct netconf_request *request, const struct netconf_filter *filter)
{
	struct netconf_server *server = request->link->server;
	const struct tree_record *running = request->root;
	request->root = netconf__state_graft(server, running, filter, request->arena);
	tree_record_unref(running, server->schema->root, server->reclaimer);
}

enum status netconf__read_add_state(struct netconf_request *request, enum store_wait wait)
{
	struct netconf_server *server = request->link->server;
	request->reads_state = true;
	if (!netconf__state_is_wanted(server->state, request->filter))
		return ST_OK;
	if (wait == STORE_NO_WAIT && netconf__state_is_work(server, request->filter)) {
		netconf__read_drop(request);
		return ST_BUSY;
	}
	graft_state(request, request->filter);
	return ST_OK;
}

/* The view of request->root. */
static void begin_view(struct netconf_request *request)
{
	if (request->view.defaults != CODEC_REPORT_ALL)
		return;
	request->implicit = check_implicit_new(store_plan(request->link->server->store), request->root);
	request->view.implicit = check_implicit_get(request->implicit);
}

enum status netconf__read_evaluate(struct netconf_request *request, struct netconf_filter *filter,
				   const struct tree_record *root, const struct codec_view *view,
				   unsigned share)
{
	struct netconf__filter_limits limits = limits_of(request, share);
	enum status status = netconf__filter_evaluate(filter, root, view, &limits);
	if (status == ST_OK)
		return ST_OK;
	if (status == ST_LIMIT)
		refuse_limit(request, filter);
	else
		refuse_filter(request, DIAG_INVALID_VALUE, "The value of the expression is no node-set.");
	return ST_REJECTED;
}

static enum status evaluate(struct netconf_request *request)
{
	enum status status =
		netconf__read_evaluate(request, request->filter, request->root, &request->view, 1);
	if (status != ST_OK)
		netconf__read_drop(request);
	return status;
}

enum status netconf__read_end(struct netconf_request *request)
{
	begin_view(request);
	if (request->filter == NULL)
		return ST_OK;
	enum status status = evaluate(request);
	if (status != ST_OK || !request->filter->selects_all || !request->reads_state)
		return status;
	/* All of the root, and not only what the expression reads of the state. */
	netconf__read_drop(request);
	netconf__txid_read_pin(request);
	graft_state(request, NULL);
	begin_view(request);
	return ST_OK;
}

enum status netconf__read_run(struct netconf_request *request, enum store_wait wait)
{
	enum status status = netconf__read_begin(request, wait);
	return status == ST_OK ? netconf__read_end(request) : status;
}
