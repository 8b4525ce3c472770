/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Transaction ids in requests and replies (draft-ietf-netconf-transaction-id-11): attributes txid:etag and
 * txid:last-modified in reads and edits, the parameters with-etag and with-last-modified. docs/txid.md has
 * what a client sees.
 */
#include "netconf/op_params.h"
#include "store/txid.h"

#define NETCONF_TXID_NS "urn:ietf:params:xml:ns:yang:ietf-netconf-txid"
#define NETCONF_TXID_PREFIX "txid"
#define NETCONF_TXID_ATTRIBUTE_NS "urn:ietf:params:xml:ns:netconf:txid:1.0"
#define NETCONF_TXID_MODULE "ietf-netconf-txid"
#define NETCONF_TXID_CAPABILITY "urn:ietf:params:netconf:capability:txid:etag:1.0"

bool netconf__txid_is_served(const struct schema *schema);

/* The name of the attribute, and the prefix that it has in replies. */
const char *netconf__txid_attribute(enum store_txid_mechanism mechanism);
const char *netconf__txid_prefix(const struct schema *schema);
/* ` xmlns:txid="..."`, and ` txid:etag="text"` behind it. */
void netconf__txid_put_ns(struct buffer *out, const struct schema *schema);
void netconf__txid_put(struct buffer *out, const struct schema *schema, enum store_txid_mechanism mechanism,
		       const char *text);

/* txid_read.c: of get-config and get-data. */
/* When the parameters were read: takes the ids off the operation and its filter. */
void netconf__txid_read_prepare(struct netconf_request *request);
void netconf__txid_read_free(struct netconf_request *request);
/* The candidate differs so much that what of it does is work for a job thread. */
bool netconf__txid_read_is_work(const struct netconf_request *request);
/* Pins request->root, and makes the view say the ids that the request asked for. */
void netconf__txid_read_pin(struct netconf_request *request);
/* For the <data> element: the prefix, and an id where it was asked for. */
void netconf__txid_put_root(struct buffer *out, const struct netconf_request *request);
/* Nothing below <data> is to be written: the client knows it. */
bool netconf__txid_prunes_all(const struct netconf_request *request);

/* txid_edit.c: of edit-config, edit-data and commit. */
void netconf__txid_with_read(struct netconf_request *request, const struct netconf_param *with_etag,
			     const struct netconf_param *with_last_modified);
/* What the ids in <config> say; NULL: nothing. In the request's arena. */
const struct store_condition *netconf__txid_conditions(struct netconf_request *request);
/* The operation succeeded: notes the ids for <ok>, where it was asked for. */
void netconf__txid_note(struct netconf_request *request);
