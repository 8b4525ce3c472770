/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Appending to output buffers, which have no limit of their own: what bounds them is that producing stops in
 * time. */
#include "base/assert.h"
#include "base/buffer.h"
#include "codec/xml_encoder.h"

static inline void netconf__put_bytes(struct buffer *out, struct bytes bytes)
{
	enum status status = buffer_append(out, bytes);
	ASSERT(status == ST_OK);
}

static inline void netconf__put(struct buffer *out, const char *text)
{
	netconf__put_bytes(out, bytes_of(text));
}

static inline void netconf__put_escaped(struct buffer *out, struct bytes text, bool attribute)
{
	enum status status = xml_escape(out, text, attribute);
	ASSERT(status == ST_OK);
}
