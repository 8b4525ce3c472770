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
#include "netconf/request.h"
#include "netconf/write.h"

#define BASE_1_0 "urn:ietf:params:netconf:base:1.0"
#define BASE_1_1 "urn:ietf:params:netconf:base:1.1"

static const char *const capabilities[] = {
	BASE_1_0,
	BASE_1_1,
	"urn:ietf:params:netconf:capability:writable-running:1.0",
	"urn:ietf:params:netconf:capability:candidate:1.0",
	"urn:ietf:params:netconf:capability:rollback-on-error:1.0",
};

/* ns?module=NAME&revision=REV&features=A,B */
static void write_module(struct buffer *out, const struct schema_module *module)
{
	netconf__put(out, "<capability>");
	netconf__put_escaped(out, bytes_of(module->ns), false);
	netconf__put(out, "?module=");
	netconf__put_escaped(out, bytes_of(module->name), false);
	if (module->revision != NULL) {
		netconf__put(out, "&amp;revision=");
		netconf__put_escaped(out, bytes_of(module->revision), false);
	}
	for (size_t i = 0; i < module->feature_count; i++) {
		netconf__put(out, i == 0 ? "&amp;features=" : ",");
		netconf__put_escaped(out, bytes_of(module->features[i]), false);
	}
	netconf__put(out, "</capability>");
}

char *netconf__hello_text(const struct schema *schema)
{
	struct buffer out;
	buffer_init(&out, SIZE_MAX);
	netconf__put(&out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?><hello xmlns=\"" NETCONF_NS
			   "\"><capabilities>");
	for (size_t i = 0; i < sizeof(capabilities) / sizeof(capabilities[0]); i++) {
		netconf__put(&out, "<capability>");
		netconf__put(&out, capabilities[i]);
		netconf__put(&out, "</capability>");
	}
	for (size_t i = 0; i < schema->module_count; i++)
		if (schema->modules[i].implemented && !schema->modules[i].yang_1_1)
			write_module(&out, &schema->modules[i]);
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
