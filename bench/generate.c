/* SPDX-License-Identifier: BSD-3-Clause */
/* Envelopes and text. A buffer without a limit takes everything, so nothing here can fail. */
#include "generate.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/assert.h"

#define PRINTED_MAX 2048 /* bytes of one generate_printf() */

void generate_put(struct buffer *out, const char *text)
{
	enum status status = buffer_append(out, bytes_of(text));
	ASSERT(status == ST_OK);
}

void generate_printf(struct buffer *out, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	char *room = buffer_reserve(out, PRINTED_MAX);
	ASSERT(room != NULL);
	int size = vsnprintf(room, PRINTED_MAX, format, args);
	va_end(args);
	ASSERT(size >= 0 && size < PRINTED_MAX);
	buffer_commit(out, (size_t)size);
}

void generate_rpc_begin(struct buffer *out, uint64_t message_id)
{
	generate_printf(out, "<rpc xmlns=\"" NETCONF_NS "\" message-id=\"%07" PRIu64 "\">", message_id);
}

void generate_rpc_end(struct buffer *out)
{
	generate_put(out, "</rpc>");
}

void generate_edit_of(struct buffer *out, uint64_t message_id, const char *datastore)
{
	generate_rpc_begin(out, message_id);
	generate_printf(out, "<edit-config><target><%s/></target><config>", datastore);
}

void generate_edit_begin(struct buffer *out, uint64_t message_id)
{
	generate_edit_of(out, message_id, "running");
}

void generate_edit_end(struct buffer *out)
{
	generate_put(out, "</config></edit-config></rpc>");
}

void generate_get_config(struct buffer *out, uint64_t message_id)
{
	generate_rpc_begin(out, message_id);
	generate_put(out, "<get-config><source><running/></source></get-config></rpc>");
}

void generate_get_subtree(struct buffer *out, uint64_t message_id, const char *filter)
{
	generate_rpc_begin(out, message_id);
	generate_put(out, "<get-config><source><running/></source><filter type=\"subtree\">");
	generate_put(out, filter);
	generate_put(out, "</filter></get-config></rpc>");
}

void generate_get_xpath(struct buffer *out, uint64_t message_id, const char *namespaces, const char *xpath)
{
	generate_rpc_begin(out, message_id);
	generate_printf(out,
			"<get-config><source><running/></source><filter type=\"xpath\"%s select=\"%s\"/>"
			"</get-config></rpc>",
			namespaces, xpath);
}

uint64_t generate_mix(uint64_t seed, uint64_t i, uint64_t k)
{
	uint64_t z = seed * 0x9E3779B97F4A7C15 + i * 0xD1342543DE82EF95 + k * 0xA0761D6478BD642F +
		     0x632BE59BD9B4E019;
	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
	return z ^ (z >> 31);
}
