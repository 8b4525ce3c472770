/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replies: <ok/>, <rpc-error>s, or <data> encoded from the pinned root piece by piece, as the client takes
 * it, so that a reply of any size needs the memory of a piece. Each piece is one chunk (RFC 6242) that ends
 * at a character boundary.
 *
 * The attributes of <rpc> come back as they were (RFC 6241 4.1). The reply is in the default namespace,
 * unless the client's <rpc> gave the default namespace another meaning, which has to come back as well: then
 * <rpc-reply> has the client's prefix and its children declare the namespace themselves.
 */
#include "netconf/reply.h"

#include "netconf/filter.h"
#include "netconf/rpc_error.h"
#include "netconf/txid.h"
#include "netconf/write.h"

#define PIECE_NODES 2000 /* visited by the encoder for one piece: well below 1 ms */
#define XMLNS " xmlns=\"" NETCONF_NS "\""

void netconf__output_init(struct netconf_output *output)
{
	output->mode = FRAMING_END_OF_MESSAGE;
	output->cut_size = 0;
	buffer_init(&output->out, SIZE_MAX);
}

void netconf__output_fini(struct netconf_output *output)
{
	buffer_fini(&output->out);
}

static bool declares_itself(const struct netconf_request *request)
{
	return request->reply_prefix.size > 0;
}

static void put_start(struct buffer *out, const struct netconf_request *request)
{
	if (declares_itself(request)) {
		netconf__put(out, "<");
		netconf__put_bytes(out, request->reply_prefix);
		netconf__put(out, ":rpc-reply");
	} else {
		netconf__put(out, "<rpc-reply" XMLNS);
	}
	netconf__put_bytes(out, request->reply_attributes);
	netconf__put(out, ">");
}

static void put_end(struct buffer *out, const struct netconf_request *request)
{
	if (declares_itself(request)) {
		netconf__put(out, "</");
		netconf__put_bytes(out, request->reply_prefix);
		netconf__put(out, ":rpc-reply>");
	} else {
		netconf__put(out, "</rpc-reply>");
	}
}

/* The next piece of a module's text. Bytes are passed on as they are, so it may be cut anywhere. */
static bool put_text(struct buffer *out, struct netconf_request *request)
{
	struct bytes piece = request->text;
	if (piece.size > NETCONF_PIECE_SIZE)
		piece.size = NETCONF_PIECE_SIZE;
	netconf__put_escaped(out, piece, false);
	request->text.data += piece.size;
	request->text.size -= piece.size;
	return request->text.size == 0;
}

/* The next piece of the data, until `out` has so many bytes; true at the end. */
static bool put_data(struct buffer *out, struct netconf_request *request, size_t size)
{
	if (request->has_text)
		return put_text(out, request);
	if (request->encoder == NULL)
		return true;
	bool done = false;
	enum status status = xml_encoder_run(request->encoder, out, size, PIECE_NODES, &done);
	ASSERT(status == ST_OK);
	return done;
}

static void begin_data(struct buffer *out, struct netconf_request *request)
{
	struct netconf_server *server = request->link->server;
	const struct netconf_filter *filter = request->filter;
	if (request->root_schema != NULL) {
		request->encoder = xml_encoder_new_at(server->schema, request->root_schema, request->root,
						      server->reclaimer);
		return;
	}
	if (request->operation->ns != NULL) {
		netconf__put(out, "<data xmlns=\"");
		netconf__put(out, request->operation->ns);
		netconf__put(out, "\"");
	} else {
		netconf__put(out, declares_itself(request) ? "<data" XMLNS : "<data");
	}
	netconf__txid_put_root(out, request);
	netconf__put(out, ">");
	if (request->has_text)
		return;
	if ((filter != NULL && netconf__filter_is_empty(filter)) || netconf__txid_prunes_all(request))
		return;
	request->encoder =
		xml_encoder_new(server->schema, request->root,
				filter == NULL ? NULL : netconf__filter_selector(filter), server->reclaimer);
	if (!codec_view_is_plain(&request->view))
		xml_encoder_set_view(request->encoder, &request->view);
}

static void put_ok(struct buffer *out, const struct netconf_request *request)
{
	netconf__put(out, declares_itself(request) ? "<ok" XMLNS : "<ok");
	const struct schema *schema = request->link->server->schema;
	if (request->etag != NULL || request->last_modified != NULL)
		netconf__txid_put_ns(out, schema);
	if (request->etag != NULL)
		netconf__txid_put(out, schema, STORE_TXID_ETAG, request->etag);
	if (request->last_modified != NULL)
		netconf__txid_put(out, schema, STORE_TXID_LAST_MODIFIED, request->last_modified);
	netconf__put(out, "/>");
}

/* <ok/> stands for itself alone (RFC 7950 7.14.4). */
static void begin_result(struct buffer *out, struct netconf_request *request, bool reads)
{
	netconf__put_bytes(out, request->body);
	if (reads)
		begin_data(out, request);
	else if (request->body.size == 0)
		put_ok(out, request);
}

/* The content of the next piece; true at the end of the reply. */
static bool put_piece(struct buffer *out, struct netconf_request *request)
{
	size_t size = buffer_size(out) + NETCONF_PIECE_SIZE;
	bool refused = netconf__request_refused(request);
	bool streams = !refused && request->stream != NULL;
	bool reads = !refused && !streams && (request->root != NULL || request->has_text);
	if (!request->reply_begun) {
		request->reply_begun = true;
		put_start(out, request);
		if (refused)
			netconf__rpc_errors_write(out, &request->diags, declares_itself(request));
		else if (!streams)
			begin_result(out, request, reads);
	}
	if (streams && !request->stream->write(request->stream, out, size, PIECE_NODES))
		return false;
	if (reads && !put_data(out, request, size))
		return false;
	if (reads && request->root_schema == NULL)
		netconf__put(out, "</data>");
	put_end(out, request);
	return true;
}

/* Takes the beginning of a character off the end of the piece, for the next one. */
static void cut_character(struct netconf_output *output, struct bytes piece)
{
	output->cut_size = piece.size - framing_whole_characters(piece);
	memcpy(output->cut, piece.data + piece.size - output->cut_size, output->cut_size);
	buffer_cut(&output->out, output->cut_size);
}

bool netconf__reply_write(struct netconf_output *output, struct netconf_request *request)
{
	struct buffer *out = &output->out;
	size_t mark = framing_begin(output->mode, out);
	netconf__put_bytes(out, (struct bytes){output->cut, output->cut_size});
	output->cut_size = 0;
	bool complete = put_piece(out, request);
	struct bytes piece = framing_piece(output->mode, out, mark);
	if (!complete && piece.size > 0)
		cut_character(output, piece);
	framing_end(output->mode, out, mark);
	if (complete)
		framing_write_end(output->mode, out);
	return complete;
}
