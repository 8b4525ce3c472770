/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way of a message from bytes to a request.
 *
 *     depth 1   <rpc a="..">       envelope: its attributes and declarations are kept for the reply
 *     depth 2     <edit-config>    operation: looked up; exactly one
 *     depth 3       <target/>      parameters: collected in an element tree of at most limits.parameters
 * bytes depth 2     rpc, <action>    known by the schema alone: the whole of it goes to the decoder as well
 *     depth 3, 4    <config>       its content goes to the edit decoder as it comes and is never kept as XML
 *
 * What is wrong in the envelope or the parameters is a diagnostic, and the message is read to its end; a
 * message that is not well-formed, or no rpc at all, is a failure, and the session ends (session.c).
 *
 * Invariant: the decoder exists from the start of <config> to its end; the request owns the tree that it
 * gave.
 */
#include "netconf/message.h"

#include "base/assert.h"
#include "netconf/ahead.h"
#include "netconf/txid.h"
#include "netconf/write.h"

#define SCRATCH_KEEP ((size_t)64 * 1024) /* bytes that the buffer of an envelope keeps */
#define HELLO_FACTOR 4			 /* bytes of memory that one of a hello may take */

static bool is_base(struct bytes ns)
{
	return bytes_equal(ns, bytes_of(NETCONF_NS));
}

static void skip_from(struct netconf_message *message, unsigned depth)
{
	if (message->skipping == 0)
		message->skipping = depth;
}

/* The element builder reached its limit: the rest of the operation is read and not kept. */
static void too_big(struct netconf_message *message)
{
	diag_add(&message->request->diags, DIAG_PROTOCOL, DIAG_TOO_BIG,
		 "The parameters of the operation are larger than this server reads.");
	skip_from(message, 1);
}

/* The edit tree reached its limit (the decoder has said so). */
static void give_up_config(struct netconf_message *message)
{
	ASSERT(netconf__request_refused(message->request));
	netconf__ahead_drop(message->request);
	edit_decoder_free(message->decoder);
	message->decoder = NULL;
	skip_from(message, 1);
}

static void put_attribute(struct buffer *out, struct bytes prefix, struct bytes name, struct bytes value)
{
	netconf__put(out, " ");
	netconf__put_bytes(out, prefix);
	if (prefix.size > 0 && name.size > 0)
		netconf__put(out, ":");
	netconf__put_bytes(out, name);
	netconf__put(out, "=\"");
	netconf__put_escaped(out, value, true);
	netconf__put(out, "\"");
}

/* The declarations of <rpc>, for the reply. Where the default namespace is another than the base one, the
 * reply's elements have the prefix that <rpc> has. */
static void keep_namespaces(struct netconf_message *message, const struct xml_start *start)
{
	struct netconf_request *request = message->request;
	for (size_t i = 0; i < start->namespace_count; i++) {
		const struct xml_namespace *ns = &start->namespaces[i];
		if (ns->prefix.size > 0) {
			put_attribute(&message->scratch, bytes_of("xmlns"), ns->prefix, ns->uri);
		} else if (!is_base(ns->uri)) {
			put_attribute(&message->scratch, bytes_of("xmlns"), (struct bytes){NULL, 0}, ns->uri);
			request->reply_prefix.data = arena_strdup(request->arena, start->prefix);
			request->reply_prefix.size = start->prefix.size;
		}
	}
}

static void check_message_id(struct netconf_request *request, const struct xml_start *start)
{
	for (size_t i = 0; i < start->attribute_count; i++)
		if (start->attributes[i].ns.size == 0 &&
		    bytes_equal(start->attributes[i].name, bytes_of("message-id")))
			return;
	struct diag *diag =
		diag_add(&request->diags, DIAG_RPC, DIAG_MISSING_ATTRIBUTE, "The rpc has no message-id.");
	diag_add_info(&request->diags, diag, "bad-attribute", "message-id");
	diag_add_info(&request->diags, diag, "bad-element", "rpc");
}

static enum status start_envelope(struct netconf_message *message, const struct xml_start *start)
{
	struct netconf_request *request = message->request;
	if (!is_base(start->ns) || !bytes_equal(start->name, bytes_of("rpc"))) {
		message->not_rpc = true;
		return ST_REJECTED;
	}
	struct buffer *scratch = &message->scratch;
	size_t most = request->link->server->limits.envelope_size;
	buffer_clear(scratch, most < SCRATCH_KEEP ? most : SCRATCH_KEEP);
	keep_namespaces(message, start);
	for (size_t i = 0; i < start->attribute_count; i++)
		put_attribute(scratch, start->attributes[i].prefix, start->attributes[i].name,
			      start->attributes[i].value);
	if (buffer_size(scratch) > most)
		return ST_LIMIT;
	request->reply_attributes.data = arena_strdup(request->arena, buffer_get(scratch));
	request->reply_attributes.size = buffer_size(scratch);
	check_message_id(request, start);
	element_builder_init(&message->builder, request->arena, request->link->server->limits.parameters);
	if (element_builder_start(&message->builder, start) != ST_OK)
		too_big(message);
	return ST_OK;
}

static void start_decoder(struct netconf_message *message, enum edit_content content)
{
	const struct netconf_server *server = message->request->link->server;
	struct edit_decoder_options options = {
		.content = content,
		.memory_limit = server->limits.request_size * NETCONF_EDIT_MEMORY_FACTOR,
		.takes_txids = message->request->operation->config == CONFIG_PARAMETER &&
			       netconf__txid_is_served(server->schema),
	};
	message->decoder =
		edit_decoder_new(server->schema, message->reader, &options, &message->request->diags);
}

static char *name_of(struct netconf_request *request, const struct xml_start *start)
{
	return arena_strdup(request->arena, start->name);
}

/* A forgotten namespace is the commonest reason. */
static void refuse_unknown(struct netconf_request *request, const struct xml_start *start)
{
	const char *name = name_of(request, start);
	if (start->ns.size == 0)
		diag_add(&request->diags, DIAG_PROTOCOL, DIAG_OPERATION_NOT_SUPPORTED,
			 "The operation \"%s\" is not supported: it is in no namespace.", name);
	else
		diag_add(&request->diags, DIAG_PROTOCOL, DIAG_OPERATION_NOT_SUPPORTED,
			 "The operation \"%s\" is not supported.", name);
}

static void start_operation(struct netconf_message *message, const struct xml_start *start)
{
	struct netconf_request *request = message->request;
	if (message->operations++ > 0) {
		const char *name = name_of(request, start);
		struct diag *diag = diag_add(&request->diags, DIAG_RPC, DIAG_BAD_ELEMENT,
					     "An rpc has one operation; \"%s\" is a second one.", name);
		diag_add_info(&request->diags, diag, "bad-element", name);
		skip_from(message, start->depth);
		return;
	}
	request->operation = netconf__operation_find(request->link->server->schema, start->ns, start->name);
	if (request->operation == NULL) {
		refuse_unknown(request, start);
		skip_from(message, start->depth);
	} else if (netconf__request_refused(request)) {
		skip_from(message, start->depth);
	} else if (request->operation->config == CONFIG_IS_RPC) {
		start_decoder(message, EDIT_CONTENT_RPC);
		if (edit_decoder_start(message->decoder, start) != ST_OK)
			give_up_config(message);
	} else if (element_builder_start(&message->builder, start) != ST_OK) {
		too_big(message);
	} else {
		request->parameters = message->builder.current;
		if (request->operation->config == CONFIG_IS_ACTION)
			start_decoder(message, EDIT_CONTENT_ACTION);
	}
}

/* Attributes steer edits below <config>, not <config> itself; one that lost its prefix is no other. */
static void check_config_attributes(struct netconf_request *request, const struct xml_start *start)
{
	const struct netconf_operation *operation = request->operation;
	const char *prefix = operation->ns != NULL ? operation->prefix : "nc";
	for (size_t i = 0; i < start->attribute_count; i++) {
		if (start->attributes[i].ns.size > 0 && !is_base(start->attributes[i].ns))
			continue;
		struct diag *diag = diag_add(&request->diags, DIAG_PROTOCOL, DIAG_UNKNOWN_ATTRIBUTE,
					     "config takes no such attribute.");
		diag_set_path(&request->diags, diag,
			      arena_printf(request->arena, "/nc:rpc/%s:%s%s/%s:config", prefix,
					   operation->name, start->depth == 4 ? "/nc:source" : "", prefix));
		diag_add_prefix(&request->diags, diag, "nc", NETCONF_NS);
		if (operation->ns != NULL)
			diag_add_prefix(&request->diags, diag, prefix, operation->ns);
		diag_add_info(&request->diags, diag, "bad-attribute",
			      arena_strdup(request->arena, start->attributes[i].name));
		diag_add_info(&request->diags, diag, "bad-element", "config");
	}
}

static void start_config(struct netconf_message *message, const struct xml_start *start)
{
	struct netconf_request *request = message->request;
	/* The parameter is known to be there (and a second one is found) by its empty element in the tree. */
	if (element_builder_start(&message->builder, start) != ST_OK) {
		too_big(message);
		return;
	}
	if (message->config_seen) {
		skip_from(message, start->depth);
		return;
	}
	message->config_seen = true;
	check_config_attributes(request, start);
	start_decoder(message, EDIT_CONTENT_CONFIG);
	bool takes_txids = request->operation->config == CONFIG_PARAMETER &&
			   netconf__txid_is_served(request->link->server->schema);
	for (size_t i = 0; takes_txids && i < start->attribute_count; i++)
		if (edit_decoder_is_txid(&start->attributes[i]))
			edit_decoder_expect(message->decoder, &start->attributes[i]);
}

/* Of the element whose content is decoded; 0: the operation has none. */
static unsigned config_depth(const struct netconf_message *message)
{
	switch (message->request->operation->config) {
	case CONFIG_NOWHERE:
		return 0;
	case CONFIG_PARAMETER:
		return 3;
	case CONFIG_IN_SOURCE:
		return 4;
	case CONFIG_IS_RPC:
		return 1;
	case CONFIG_IS_ACTION:
		return 2;
	}
	return 0;
}

static bool is_config(const struct netconf_message *message, const struct xml_start *start)
{
	const struct element *parent = message->builder.current;
	struct bytes ns =
		bytes_of(start->depth == 3 ? netconf__operation_ns(message->request->operation) : NETCONF_NS);
	if (start->depth != config_depth(message) || !bytes_equal(start->ns, ns) ||
	    !bytes_equal(start->name, bytes_of("config")))
		return false;
	return start->depth == 3 || (is_base(parent->ns) && bytes_equal(parent->name, bytes_of("source")));
}

static enum status start_rpc(struct netconf_message *message, const struct xml_start *start)
{
	if (start->depth == 1)
		return start_envelope(message, start);
	for (size_t i = 0; i < start->attribute_count; i++)
		message->request->has_txids |=
			bytes_equal(start->attributes[i].ns, bytes_of(NETCONF_TXID_ATTRIBUTE_NS));
	if (message->skipping != 0 && start->depth > message->skipping)
		return ST_OK;
	if (start->depth == 2) {
		start_operation(message, start);
	} else if (message->decoder != NULL) {
		if (edit_decoder_start(message->decoder, start) != ST_OK)
			give_up_config(message);
	} else if (is_config(message, start)) {
		start_config(message, start);
	} else if (element_builder_start(&message->builder, start) != ST_OK) {
		too_big(message);
	}
	return ST_OK;
}

static enum status on_start(void *arg, const struct xml_start *start)
{
	struct netconf_message *message = arg;
	message->depth = start->depth;
	if (message->kind == MESSAGE_RPC)
		return start_rpc(message, start);
	return element_builder_start(&message->builder, start);
}

static enum status on_text(void *arg, struct bytes text)
{
	struct netconf_message *message = arg;
	if (message->kind == MESSAGE_HELLO)
		return element_builder_text(&message->builder, text);
	if (message->skipping != 0)
		return ST_OK;
	if (message->decoder != NULL) {
		if (edit_decoder_text(message->decoder, text) != ST_OK)
			give_up_config(message);
	} else if (message->builder.current != NULL &&
		   element_builder_text(&message->builder, text) != ST_OK) {
		too_big(message);
	}
	return ST_OK;
}

/* The decoder's diagnostics are the request's. */
static void end_config(struct netconf_message *message)
{
	struct edit_tree *tree = NULL;
	enum status status = edit_decoder_finish(message->decoder, &tree);
	if (status != ST_OK)
		netconf__ahead_drop(message->request);
	ASSERT(status == ST_OK || netconf__request_refused(message->request));
	edit_decoder_free(message->decoder);
	message->decoder = NULL;
	message->request->edit = tree;
	element_builder_end(&message->builder);
}

static enum status on_end(void *arg)
{
	struct netconf_message *message = arg;
	unsigned depth = message->depth--;
	if (message->kind == MESSAGE_HELLO) {
		element_builder_end(&message->builder);
		return ST_OK;
	}
	if (message->skipping != 0 && depth > message->skipping)
		return ST_OK;
	bool was_skipped = message->skipping == depth;
	if (was_skipped)
		message->skipping = 0;
	if (was_skipped && depth == 2 && message->decoder != NULL)
		return ST_OK; /* a second operation */
	if (message->decoder != NULL && depth > config_depth(message)) {
		if (edit_decoder_end(message->decoder) != ST_OK)
			give_up_config(message);
	} else if (message->decoder != NULL) {
		end_config(message);
	} else if (message->builder.current != NULL && !(was_skipped && depth <= 2)) {
		element_builder_end(&message->builder);
	}
	return ST_OK;
}

static const struct xml_handlers handlers = {.start = on_start, .end = on_end, .text = on_text};

struct xml_reader_limits netconf__reader_limits(const struct netconf_limits *limits)
{
	return (struct xml_reader_limits){
		.depth = limits->depth,
		.text_size = limits->value_size,
		.attributes = limits->attributes,
	};
}

void netconf__message_init(struct netconf_message *message, const struct netconf_limits *limits)
{
	struct xml_reader_limits reader_limits = netconf__reader_limits(limits);
	*message = (struct netconf_message){0};
	message->reader = xml_reader_new(&handlers, message, &reader_limits);
	buffer_init(&message->scratch, SIZE_MAX);
}

void netconf__message_fini(struct netconf_message *message)
{
	netconf__message_reset(message);
	xml_reader_free(message->reader);
	buffer_fini(&message->scratch);
}

void netconf__message_begin(struct netconf_message *message, enum netconf_message_kind kind,
			    struct netconf_request *request)
{
	ASSERT(message->request == NULL);
	netconf__message_tidy(message);
	message->kind = kind;
	message->request = request;
	message->begun = message->not_rpc = message->config_seen = false;
	message->depth = message->skipping = message->operations = 0;
	const struct netconf_limits *limits = &request->link->server->limits;
	element_builder_init(&message->builder, request->arena,
			     kind == MESSAGE_HELLO ? HELLO_FACTOR * limits->hello_size : limits->parameters);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

enum status netconf__message_feed(struct netconf_message *message, struct bytes content)
{
	/* An XML declaration must be first, but clients put a line end after the delimiter of the message
	 * before. */
	while (!message->begun && content.size > 0 && is_blank(content.data[0])) {
		content.data++;
		content.size--;
	}
	if (content.size == 0)
		return ST_OK;
	message->begun = true;
	enum status status = xml_reader_feed(message->reader, content);
	if (status == ST_OK && message->decoder != NULL &&
	    message->request->operation->config == CONFIG_PARAMETER)
		netconf__ahead_go_on(message->request, message->decoder);
	return status;
}

static void check_operation(struct netconf_message *message)
{
	struct diag_list *diags = &message->request->diags;
	if (message->operations > 0 || diags->first != NULL)
		return;
	struct diag *diag = diag_add(diags, DIAG_RPC, DIAG_MISSING_ELEMENT, "The rpc has no operation.");
	diag_set_path(diags, diag, "/nc:rpc");
	diag_add_prefix(diags, diag, "nc", NETCONF_NS);
	diag_add_info(diags, diag, "bad-element", "rpc");
}

static void drop_decoder(struct netconf_message *message)
{
	if (message->decoder != NULL) {
		netconf__ahead_drop(message->request);
		edit_decoder_free(message->decoder);
	}
	message->decoder = NULL;
}

enum status netconf__message_finish(struct netconf_message *message)
{
	ASSERT(message->begun);
	enum status status = xml_reader_finish(message->reader);
	if (status != ST_OK)
		return status;
	if (message->kind == MESSAGE_HELLO)
		message->request->parameters = message->builder.root;
	else
		check_operation(message);
	drop_decoder(message);
	message->request = NULL;
	message->begun = false;
	message->used = true;
	return ST_OK;
}

const char *netconf__message_error(const struct netconf_message *message)
{
	if (message->not_rpc)
		return "the document element is not rpc of " NETCONF_NS;
	return xml_reader_error(message->reader);
}

void netconf__message_tidy(struct netconf_message *message)
{
	if (message->used)
		xml_reader_reset(message->reader);
	message->used = false;
}

void netconf__message_reset(struct netconf_message *message)
{
	drop_decoder(message);
	message->request = NULL;
	message->used |= message->begun;
	message->begun = false;
	netconf__message_tidy(message);
}
