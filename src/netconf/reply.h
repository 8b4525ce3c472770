/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* From answered requests to framed bytes, in pieces. */
#include "base/buffer.h"
#include "netconf/framing.h"
#include "netconf/request.h"

struct netconf_output {
	enum framing_mode mode;
	struct buffer out; /* framed, for the peer to take */
	char cut[4];	   /* the beginning of a character that the last piece was not to end in, */
	size_t cut_size;   /* so many bytes */
};

void netconf__output_init(struct netconf_output *output);
void netconf__output_fini(struct netconf_output *output);
/* Appends the next piece of the reply, of about NETCONF_PIECE_SIZE at most; true where it is complete. Needs
 * an answered request. */
bool netconf__reply_write(struct netconf_output *output, struct netconf_request *request);

#define NETCONF_PIECE_SIZE ((size_t)16 * 1024) /* bytes */
