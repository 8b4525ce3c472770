/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files as sources and targets (RFC 6241 8.8). Reading streams the file through the reader and the edit
 * decoder, as a <config> that comes over the wire, with the same limits; writing streams an encoder into a
 * temporary file, which takes the place of the old one when it is synced.
 *
 *     file:/a/b.xml   file:///a/b.xml   file://localhost/a/b.xml        -> a/b.xml
 *
 * A path has no empty name and none that begins with a dot, written plainly or as %XX, and there is no query
 * or fragment.
 */
#include "netconf/url.h"

#include "check/implicit.h"
#include "codec/edit_decoder.h"
#include "netconf/message.h"
#include "os/folder.h"
#include "store/plan.h"

#define PIECE_SIZE ((size_t)64 * 1024) /* read or written at a time */
#define PIECE_NODES 10000

/* ---- URLs. ---- */

static bool take(struct bytes *text, const char *prefix)
{
	size_t size = strlen(prefix);
	if (text->size < size || memcmp(text->data, prefix, size) != 0)
		return false;
	text->data += size;
	text->size -= size;
	return true;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 'a' ^ 'A';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The next character of the path; '\0': it is wrong. */
static char take_character(struct bytes *text)
{
	char c = text->data[0];
	if (c != '%') {
		text->data++;
		text->size--;
		return c == '?' || c == '#' ? '\0' : c;
	}
	int high = text->size >= 3 ? hex_digit(text->data[1]) : -1;
	int low = text->size >= 3 ? hex_digit(text->data[2]) : -1;
	text->data += 3;
	text->size -= text->size >= 3 ? 3 : text->size;
	return high < 0 || low < 0 ? '\0' : (char)(high * 16 + low);
}

/* NULL: the text is no such URL. */
static const char *parse(struct bytes text, struct arena *arena)
{
	if (!take(&text, "file:"))
		return NULL;
	if (take(&text, "//"))
		take(&text, "localhost");
	if (!take(&text, "/") || text.size == 0)
		return NULL;
	char *path = arena_alloc(arena, text.size + 1);
	size_t size = 0;
	bool begins = true; /* a name */
	while (text.size > 0) {
		char c = take_character(&text);
		if (c == '\0' || (begins && (c == '/' || c == '.')))
			return NULL;
		path[size++] = c;
		begins = c == '/';
	}
	path[size] = '\0';
	return begins ? NULL : path;
}

bool netconf__url_is_served(const struct netconf_request *request)
{
	return request->link->server->limits.url_folder != NULL;
}

const char *netconf__url_path(struct netconf_request *request, const char *param, const struct element *url)
{
	const char *path = parse(element_text_trimmed(url), request->arena);
	if (path == NULL)
		netconf__param_refuse(request, param, DIAG_INVALID_VALUE,
				      "This server takes URLs of the form file:///NAME, in which no name "
				      "begins with a dot.");
	return path;
}

bool netconf__url_param(struct netconf_request *request, const struct netconf_param *param, const char **path)
{
	const struct element *child = param->element != NULL ? param->element->children : NULL;
	if (child == NULL || child->next != NULL || !netconf__url_is_served(request) ||
	    !bytes_equal(child->ns, bytes_of(NETCONF_NS)) || !bytes_equal(child->name, bytes_of("url")))
		return false;
	netconf__param_plain(request, param, child);
	*path = netconf__url_path(request, param->name, child);
	return true;
}

/* ---- What goes wrong with a file. ---- */

static enum status refuse(struct netconf_request *request, enum diag_tag tag, const char *message)
{
	diag_add(&request->diags, DIAG_APPLICATION, tag, "%s", message);
	return ST_REJECTED;
}

static enum status refuse_file(struct netconf_request *request, enum status status)
{
	if (status == ST_LIMIT)
		return refuse(request, DIAG_RESOURCE_DENIED, "There is no room for the file.");
	if (status == ST_ABSENT)
		return refuse(request, DIAG_OPERATION_FAILED, "There is no such file.");
	if (status == ST_REJECTED)
		return refuse(request, DIAG_OPERATION_FAILED, "The URL does not lead to a file.");
	return refuse(request, DIAG_OPERATION_FAILED, "The file cannot be read or written.");
}

/* ---- Reading. ---- */

struct loader {
	struct edit_decoder *decoder;
	unsigned depth;
	const char *problem; /* NULL: none but the reader's */
};

static enum status on_start(void *arg, const struct xml_start *start)
{
	struct loader *loader = arg;
	if (++loader->depth > 1)
		return edit_decoder_start(loader->decoder, start);
	if (bytes_equal(start->ns, bytes_of(NETCONF_NS)) && bytes_equal(start->name, bytes_of("config")) &&
	    start->attribute_count == 0)
		return ST_OK;
	loader->problem = "The document element of the file is not <config>.";
	return ST_REJECTED;
}

static enum status on_end(void *arg)
{
	struct loader *loader = arg;
	return loader->depth-- > 1 ? edit_decoder_end(loader->decoder) : ST_OK;
}

static enum status on_text(void *arg, struct bytes text)
{
	return edit_decoder_text(((struct loader *)arg)->decoder, text);
}

static enum status feed(struct netconf_request *request, struct os_folder_file *file,
			struct xml_reader *reader)
{
	size_t left = request->link->server->limits.request_size, got = 1;
	char *piece = arena_alloc(request->arena, PIECE_SIZE);
	enum status status = ST_OK;
	while (status == ST_OK && got > 0) {
		if (os_folder_read(file, piece, PIECE_SIZE, &got) != ST_OK)
			return refuse_file(request, ST_IO);
		if (got > left)
			return refuse(request, DIAG_TOO_BIG, "The file is larger than a request may be.");
		left -= got;
		if (got > 0)
			status = xml_reader_feed(reader, (struct bytes){piece, got});
	}
	return status == ST_OK ? xml_reader_finish(reader) : status;
}

static enum status decode(struct netconf_request *request, struct os_folder_file *file)
{
	static const struct xml_handlers handlers = {on_start, on_end, on_text};
	const struct netconf_server *server = request->link->server;
	struct xml_reader_limits limits = netconf__reader_limits(&server->limits);
	struct edit_decoder_options options = {
		.memory_limit = server->limits.request_size * NETCONF_EDIT_MEMORY_FACTOR,
	};
	struct loader loader = {0};
	struct xml_reader *reader = xml_reader_new(&handlers, &loader, &limits);
	loader.decoder = edit_decoder_new(server->schema, reader, &options, &request->diags);
	enum status status = feed(request, file, reader);
	if (status == ST_OK)
		status = edit_decoder_finish(loader.decoder, &request->edit);
	if (status != ST_OK && !netconf__request_refused(request))
		refuse(request, DIAG_OPERATION_FAILED,
		       loader.problem != NULL ? loader.problem
					      : arena_printf(request->arena, "The file is not XML: %s",
							     xml_reader_error(reader)));
	edit_decoder_free(loader.decoder);
	xml_reader_free(reader);
	return status == ST_OK ? ST_OK : ST_REJECTED;
}

enum status netconf__url_read(struct netconf_request *request)
{
	struct os_folder_file *file;
	enum status status = os_folder_find(request->link->server->limits.url_folder, request->url, &file);
	if (status != ST_OK)
		return refuse_file(request, status);
	status = decode(request, file);
	os_folder_end(file);
	return status;
}

/* ---- Writing. ---- */

static enum status write_root(struct xml_encoder *encoder, struct os_folder_file *file)
{
	struct buffer piece;
	buffer_init(&piece, SIZE_MAX);
	enum status status = os_folder_write(file, bytes_of("<config xmlns=\"" NETCONF_NS "\">"));
	bool done = false;
	while (status == ST_OK && !done) {
		status = xml_encoder_run(encoder, &piece, PIECE_SIZE, PIECE_NODES, &done);
		if (status == ST_OK)
			status = os_folder_write(file, buffer_get(&piece));
		buffer_clear(&piece, PIECE_SIZE);
	}
	buffer_fini(&piece);
	return status == ST_OK ? os_folder_write(file, bytes_of("</config>\n")) : status;
}

static enum status write_file(struct netconf_request *request, const struct tree_record *root,
			      struct os_folder_file *file)
{
	struct netconf_server *server = request->link->server;
	struct check_implicit *implicit = check_implicit_new(store_plan(server->store), root);
	struct codec_view view = request->view;
	struct xml_encoder *encoder = xml_encoder_new(server->schema, root, NULL, server->reclaimer);
	view.implicit = check_implicit_get(implicit);
	if (!codec_view_is_plain(&view))
		xml_encoder_set_view(encoder, &view);
	enum status status = write_root(encoder, file);
	xml_encoder_free(encoder);
	check_implicit_free(implicit);
	if (status == ST_OK)
		return os_folder_commit(file);
	os_folder_end(file);
	return status;
}

enum status netconf__url_write(struct netconf_request *request, const struct tree_record *root)
{
	struct os_folder_file *file;
	enum status status =
		os_folder_create(request->link->server->limits.url_folder, request->target_url, &file);
	if (status == ST_OK)
		status = write_file(request, root, file);
	return status == ST_OK ? ST_OK : refuse_file(request, status);
}

enum status netconf__url_remove(struct netconf_request *request, const char *path)
{
	enum status status = os_folder_remove(request->link->server->limits.url_folder, path);
	return status == ST_OK ? ST_OK : refuse_file(request, status);
}
