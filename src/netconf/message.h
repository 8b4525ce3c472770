/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * From the content of one message, as it arrives, to a request (or a hello): one netconf_message a session,
 * used for one message after the other.
 */
#include "codec/edit_decoder.h"
#include "codec/element.h"
#include "codec/xml_reader.h"
#include "netconf/request.h"

enum netconf_message_kind { MESSAGE_HELLO, MESSAGE_RPC };

struct netconf_message {
	struct xml_reader *reader;
	/* The present message. */
	struct netconf_request *request; /* borrowed; NULL: none is being read */
	enum netconf_message_kind kind;
	bool begun;	   /* something that is no blank has come */
	bool used;	   /* the reader is to be reset before it reads again */
	bool not_rpc;	   /* the document element is another one */
	unsigned depth;	   /* open elements */
	unsigned skipping; /* content of the element at this depth is ignored; 0: nothing is */
	unsigned operations;
	bool config_seen; /* edit-config has a <config> */
	struct element_builder builder;
	struct edit_decoder *decoder; /* within <config>, and until it is finished */
	struct buffer scratch;
};

/* Of all XML that comes from outside. */
struct xml_reader_limits netconf__reader_limits(const struct netconf_limits *limits);
void netconf__message_init(struct netconf_message *message, const struct netconf_limits *limits);
void netconf__message_fini(struct netconf_message *message);
/* The next message goes into `request`; of a hello it becomes the parameters. */
void netconf__message_begin(struct netconf_message *message, enum netconf_message_kind kind,
			    struct netconf_request *request);
/* Fails: ST_REJECTED (not well-formed, or no rpc) or ST_LIMIT; netconf__message_error says why. What is wrong
 * within a well-formed rpc is in the request's diags. */
enum status netconf__message_feed(struct netconf_message *message, struct bytes content) MUST_USE;
/* The message is complete; the same failures. Needs `begun`. Leaves work for netconf__message_tidy. */
enum status netconf__message_finish(struct netconf_message *message) MUST_USE;
const char *netconf__message_error(const struct netconf_message *message);
/* Makes the parser ready for the next message, which else netconf__message_begin does. */
void netconf__message_tidy(struct netconf_message *message);
/* Forgets the present message, also in its middle. */
void netconf__message_reset(struct netconf_message *message);
