/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading the initial configuration: the file goes through the same reader and decoder as a request's
 * <config>, and is applied to the empty datastore as a merge, so it means what the same edit-config would.
 * The file is read in pieces; only the edit tree is ever in memory.
 */
#include "server/init_file.h"
#include "base/log.h"
#include "codec/edit_decoder.h"
#include "edit/apply.h"
#include "os/file.h"

#define DEPTH_MAX 256
#define TEXT_MAX (64u << 20) /* bytes of one value */
#define ATTRIBUTES_MAX 64

struct loader {
	struct edit_decoder *decoder;
	unsigned envelope; /* depth of the elements around the data: 1, or 2 with <config> or <data> */
	unsigned depth;
};

/* The file's bytes are wrapped in one element, so that several top-level nodes are a document. */
static const char prologue[] = "<init>", epilogue[] = "</init>";

static bool is_envelope(const struct xml_start *start)
{
	return bytes_equal(start->name, bytes_of("config")) || bytes_equal(start->name, bytes_of("data"));
}

static enum status on_start(void *arg, const struct xml_start *start)
{
	struct loader *loader = arg;
	loader->depth++;
	if (loader->depth == 1)
		return ST_OK;
	if (loader->depth == 2 && loader->envelope == 1 && is_envelope(start)) {
		loader->envelope = 2;
		return ST_OK;
	}
	return edit_decoder_start(loader->decoder, start);
}

static enum status on_end(void *arg)
{
	struct loader *loader = arg;
	bool inside = loader->depth > loader->envelope;
	loader->depth--;
	return inside ? edit_decoder_end(loader->decoder) : ST_OK;
}

static enum status on_text(void *arg, struct bytes text)
{
	struct loader *loader = arg;
	return loader->depth > loader->envelope ? edit_decoder_text(loader->decoder, text) : ST_OK;
}

/* An XML declaration may only stand at the very beginning, so it is dropped before the wrapping element. */
static struct bytes without_declaration(struct bytes text)
{
	static const char blanks[] = " \t\r\n";
	while (text.size > 0 && strchr(blanks, text.data[0]) != NULL) {
		text.data++;
		text.size--;
	}
	const char *end = text.size > 5 && memcmp(text.data, "<?xml", 5) == 0
				  ? memmem(text.data, text.size, "?>", 2)
				  : NULL;
	if (end == NULL)
		return text;
	return (struct bytes){end + 2, text.size - (size_t)(end + 2 - text.data)};
}

static enum status read_all(struct xml_reader *reader, struct bytes text)
{
	enum status status = xml_reader_feed(reader, bytes_of(prologue));
	if (status == ST_OK)
		status = xml_reader_feed(reader, without_declaration(text));
	if (status == ST_OK)
		status = xml_reader_feed(reader, bytes_of(epilogue));
	return status == ST_OK ? xml_reader_finish(reader) : status;
}

static enum status decode(const struct schema *schema, const char *path, struct bytes text,
			  struct diag_list *diags, struct edit_tree **edit)
{
	static const struct xml_handlers handlers = {on_start, on_end, on_text};
	static const struct xml_reader_limits limits = {DEPTH_MAX, TEXT_MAX, ATTRIBUTES_MAX};
	static const struct edit_decoder_options options = {SIZE_MAX};
	struct loader loader = {.envelope = 1};
	struct xml_reader *reader = xml_reader_new(&handlers, &loader, &limits);
	loader.decoder = edit_decoder_new(schema, reader, &options, diags);
	enum status status = read_all(reader, text);
	if (status != ST_OK && diags->length == 0)
		log_error("%s: %s", path, xml_reader_error(reader));
	if (status == ST_OK)
		status = edit_decoder_finish(loader.decoder, edit);
	edit_decoder_free(loader.decoder);
	xml_reader_free(reader);
	return status;
}

enum status init_file_load(const struct schema *schema, const char *path, struct diag_list *diags,
			   struct tree_record **root)
{
	static const struct edit_options options = {.default_operation = EDIT_MERGE};
	struct buffer text;
	buffer_init(&text, SIZE_MAX);
	struct edit_tree *edit = NULL;
	enum status status = os_path_read(path, SIZE_MAX, &text);
	if (status == ST_OK)
		status = decode(schema, path, buffer_get(&text), diags, &edit);
	else
		log_error("%s: cannot be read", path);
	buffer_fini(&text);
	if (status != ST_OK)
		return status;
	struct tree_record *empty = tree_record_new();
	status = edit_apply(schema, empty, edit, &options, diags, root);
	tree_record_unref(empty, schema->root, NULL);
	edit_tree_free(edit);
	return status;
}
