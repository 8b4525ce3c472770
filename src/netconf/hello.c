/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hello: the capabilities that are honestly there, and the client's choice.
 *
 * Clients act on what is announced, so a capability is in the list only when all of it works. Modules are
 * listed as RFC 7950 5.6.4 says: those of YANG version 1 by a capability each; those of YANG 1.1 are left to
 * the YANG library.
 *
 * The framing: base:1.1 of both sides means chunked framing from the first message after the hellos (RFC
 * 6242 4.1).
 */
#include "netconf/hello.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/assert.h"
#include "base/memory.h"
#include "codec/xml_encoder.h"
#include "netconf/nmda.h"
#include "netconf/state.h"
#include "netconf/txid.h"
#include "netconf/write.h"

#define BASE_1_0 "urn:ietf:params:netconf:base:1.0"
#define BASE_1_1 "urn:ietf:params:netconf:base:1.1"

#define CAPABILITY "urn:ietf:params:netconf:capability:"

static const char *const protocol_capabilities[] = {
	BASE_1_0,
	BASE_1_1,
	CAPABILITY "writable-running:1.0",
	CAPABILITY "candidate:1.0",
	CAPABILITY "confirmed-commit:1.1",
	CAPABILITY "rollback-on-error:1.0",
	CAPABILITY "validate:1.1",
	CAPABILITY "xpath:1.0",
};

static void add(struct netconf_state *state, const char *capability)
{
	*(const char **)vector_push(&state->capabilities) = capability;
}

/* ns?module=NAME&revision=REV&features=A,B&deviations=C */
static void add_module(struct netconf_state *state, const struct schema_module *module)
{
	struct arena *arena = state->arena;
	const char *uri = arena_printf(arena, "%s?module=%s", module->ns, module->name);
	if (module->revision != NULL)
		uri = arena_printf(arena, "%s&revision=%s", uri, module->revision);
	for (size_t i = 0; i < module->feature_count; i++)
		uri = arena_printf(arena, "%s%s%s", uri, i == 0 ? "&features=" : ",", module->features[i]);
	for (size_t i = 0; i < module->deviated_by_count; i++)
		uri = arena_printf(arena, "%s%s%s", uri, i == 0 ? "&deviations=" : ",",
				   module->deviated_by[i]->name);
	add(state, uri);
}

/* RFC 6243 4.3 */
static void add_with_defaults(struct netconf_state *state, enum codec_defaults basic)
{
	static const char *const uris[] = {
		[CODEC_EXPLICIT] = CAPABILITY "with-defaults:1.0?basic-mode=explicit&also-supported="
					      "report-all,report-all-tagged,trim",
		[CODEC_REPORT_ALL] = CAPABILITY "with-defaults:1.0?basic-mode=report-all&also-supported="
						"report-all-tagged,trim,explicit",
		[CODEC_TRIM] = CAPABILITY "with-defaults:1.0?basic-mode=trim&also-supported="
					  "report-all,report-all-tagged,explicit",
	};
	add(state, uris[basic]);
}

/* RFC 6241 8.8.3 */
static void add_url(struct netconf_state *state, const struct netconf_state_options *options)
{
	if (options->has_urls)
		add(state, CAPABILITY "url:1.0?scheme=file");
}

/* RFC 5717 2.3 */
static void add_partial_lock(struct netconf_state *state)
{
	const struct schema_module *module =
		schema_module_find(state->schema, bytes_of("ietf-netconf-partial-lock"));
	if (module != NULL && module->implemented)
		add(state, CAPABILITY "partial-lock:1.0");
}

/* The operations of RFC 8526 are in the YANG library; that operational takes with-defaults is said here. */
static void add_nmda(struct netconf_state *state)
{
	const struct schema_module *module = schema_module_find(state->schema, bytes_of(NETCONF_NMDA_MODULE));
	if (module != NULL && module->implemented)
		add(state, CAPABILITY "with-operational-defaults:1.0");
}

static void add_txid(struct netconf_state *state)
{
	if (netconf__txid_is_served(state->schema))
		add(state, NETCONF_TXID_CAPABILITY);
}

/* RFC 7950 5.6.4 and RFC 8526 2: both name the one revision that is implemented, which has both trees.
 * Clients take the last one that they know, so the newer form is last. */
static void add_library(struct netconf_state *state)
{
	if (state->modules != NULL)
		add(state,
		    arena_printf(state->arena, CAPABILITY "yang-library:1.0?revision=%s&module-set-id=%s",
				 state->modules->module->revision, state->content_id));
	if (state->library != NULL)
		add(state, arena_printf(state->arena, CAPABILITY "yang-library:1.1?revision=%s&content-id=%s",
					state->library->module->revision, state->content_id));
}

void netconf__hello_capabilities(struct netconf_state *state, const struct netconf_state_options *options)
{
	const struct schema *schema = state->schema;
	for (size_t i = 0; i < sizeof(protocol_capabilities) / sizeof(protocol_capabilities[0]); i++)
		add(state, protocol_capabilities[i]);
	if (state->has_startup)
		add(state, CAPABILITY "startup:1.0");
	add_with_defaults(state, options->basic_defaults);
	for (size_t i = 0; i < schema->module_count; i++)
		if (schema->modules[i].implemented &&
		    (options->hello_all_modules || !schema->modules[i].yang_1_1))
			add_module(state, &schema->modules[i]);
	add_url(state, options);
	add_partial_lock(state);
	add_nmda(state);
	add_txid(state);
	add_library(state);
}

char *netconf__hello_text(const struct netconf_state *state)
{
	struct buffer out;
	buffer_init(&out, SIZE_MAX);
	netconf__put(&out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?><hello xmlns=\"" NETCONF_NS
			   "\"><capabilities>");
	for (size_t i = 0; i < state->capabilities.length; i++) {
		netconf__put(&out, "<capability>");
		netconf__put_escaped(&out, bytes_of(*(const char **)vector_at(&state->capabilities, i)),
				     false);
		netconf__put(&out, "</capability>");
	}
	netconf__put(&out, "</capabilities><session-id>");
	netconf__put_bytes(&out, (struct bytes){"", 1}); /* the terminator */
	char *text = memory_strdup(buffer_get(&out).data);
	buffer_fini(&out);
	return text;
}

void netconf__hello_write(struct buffer *out, const char *hello_text, uint32_t session_id)
{
	char id[16];
	snprintf(id, sizeof(id), "%" PRIu32, session_id);
	netconf__put(out, hello_text);
	netconf__put(out, id);
	netconf__put(out, "</session-id></hello>");
	framing_write_end(FRAMING_END_OF_MESSAGE, out);
}

static enum status refuse(const char **why, const char *text)
{
	*why = text;
	return ST_REJECTED;
}

enum status netconf__hello_read(const struct element *root, enum framing_mode *mode, const char **why)
{
	if (!bytes_equal(root->ns, bytes_of(NETCONF_NS)) || !bytes_equal(root->name, bytes_of("hello")))
		return refuse(why, "the first message is not hello");
	if (element_find(root, NETCONF_NS, "session-id", NULL) != NULL)
		return refuse(why, "the client's hello has a session-id");
	const struct element *list = element_find(root, NETCONF_NS, "capabilities", NULL);
	if (list == NULL)
		return refuse(why, "the client's hello has no capabilities");
	bool base_1_0 = false, base_1_1 = false;
	const struct element *capability = NULL;
	while ((capability = element_find(list, NETCONF_NS, "capability", capability)) != NULL) {
		struct bytes uri = element_text_trimmed(capability);
		base_1_0 |= bytes_equal(uri, bytes_of(BASE_1_0));
		base_1_1 |= bytes_equal(uri, bytes_of(BASE_1_1));
	}
	if (!base_1_0 && !base_1_1)
		return refuse(why, "no base capability in common");
	*mode = base_1_1 ? FRAMING_CHUNKED : FRAMING_END_OF_MESSAGE;
	return ST_OK;
}
