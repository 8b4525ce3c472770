/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The <hello> messages (RFC 6241 8.1): ours, and what the client's says. */
#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "codec/element.h"
#include "netconf/framing.h"

struct netconf_state;
struct netconf_state_options;

/* Fills state->capabilities. Needs the rest of the state but its tree. */
void netconf__hello_capabilities(struct netconf_state *state, const struct netconf_state_options *options);
/* The server's hello up to the session-id, on the heap. */
char *netconf__hello_text(const struct netconf_state *state);
/* Appends the whole message, framed. */
void netconf__hello_write(struct buffer *out, const char *hello_text, uint32_t session_id);
/* Gives the framing of all that follows. Fails: ST_REJECTED, the session must end: *why says why. */
enum status netconf__hello_read(const struct element *root, enum framing_mode *mode,
				const char **why) MUST_USE;
