/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading the initial configuration: the file goes through the same reader and decoder as a request's
 * <config>, and is applied to the empty datastore as a merge, so it means what the same edit-config would.
 * The file is in memory as a whole while it is decoded, and so is its edit tree until it is applied.
 */
#include "server/init_file.h"
#include "base/log.h"
#include "codec/edit_decoder.h"
#include "codec/json_decoder.h"
#include "codec/xml_encoding.h"
#include "edit/apply.h"
#include "os/file.h"
#include "server/instance_json.h"

#define DEPTH_MAX 256
#define TEXT_MAX (64u << 20) /* bytes of one value */
#define ATTRIBUTES_MAX 64

struct loader {
	const struct schema *schema;
	struct edit_decoder *decoder;
	const char *problem; /* why on_start or on_text refused; NULL: they did not */
	unsigned envelope; /* depth of the elements around the data: 1, 2 with <config> or <data>, 3 in a set
			    */
	bool is_set;	   /* it is instance data, an <instance-data-set> */
	bool skips;	   /* what is around the content-data of a set */
	unsigned depth;
	bool any; /* an element stood at the top already */
};

/* The file's bytes are wrapped in one element, so that several top-level nodes are a document. */
static const char prologue[] = "<init>", epilogue[] = "</init>";

static const char blanks[] = " \t\r\n";

/* <config> or <data> of any namespace, unless that is a node of the schema itself. */
static bool is_envelope(const struct loader *loader, const struct xml_start *start)
{
	if (!bytes_equal(start->name, bytes_of("config")) && !bytes_equal(start->name, bytes_of("data")))
		return false;
	const struct schema *schema = loader->schema;
	const struct schema_module *module = schema_module_find_ns(schema, start->ns);
	return module == NULL || schema_child_find(schema, schema->root, module, start->name) == NULL;
}

static bool is_instance_data(const struct xml_start *start, const char *name)
{
	return bytes_equal(start->name, bytes_of(name)) && bytes_equal(start->ns, bytes_of(INSTANCE_DATA_NS));
}

static enum status refuse(struct loader *loader, const char *problem)
{
	loader->problem = problem;
	return ST_REJECTED;
}

static enum status on_start(void *arg, const struct xml_start *start)
{
	struct loader *loader = arg;
	loader->depth++;
	if (loader->depth == 1)
		return ST_OK;
	if (loader->depth == 2) {
		bool first = !loader->any;
		loader->any = true;
		if (loader->envelope > 1)
			return refuse(loader, "an element beside the one around the configuration");
		if (first && is_instance_data(start, "instance-data-set")) {
			loader->envelope = 3;
			loader->is_set = loader->skips = true;
			return ST_OK;
		}
		if (first && is_envelope(loader, start)) {
			loader->envelope = 2;
			return ST_OK;
		}
	}
	if (loader->is_set && loader->depth == 3) {
		loader->skips = !is_instance_data(start, "content-data");
		return ST_OK;
	}
	if (loader->skips)
		return ST_OK;
	return edit_decoder_start(loader->decoder, start);
}

static enum status on_end(void *arg)
{
	struct loader *loader = arg;
	bool inside = loader->depth > loader->envelope && !loader->skips;
	loader->skips = loader->skips || (loader->is_set && loader->depth <= 3);
	loader->depth--;
	return inside ? edit_decoder_end(loader->decoder) : ST_OK;
}

static enum status on_text(void *arg, struct bytes text)
{
	struct loader *loader = arg;
	if (loader->skips && loader->depth > 2)
		return ST_OK;
	if (loader->depth > loader->envelope)
		return edit_decoder_text(loader->decoder, text);
	for (size_t i = 0; i < text.size; i++)
		if (strchr(blanks, text.data[i]) == NULL || text.data[i] == '\0')
			return refuse(loader, "text where only elements may be");
	return ST_OK;
}

/* A declaration may only stand at the very beginning, so it is read as a document of its own (which refuses
 * encodings other than UTF-8) and not again before the wrapping element. */
static enum status read_declaration(struct loader *loader, struct xml_reader *reader,
				    struct bytes declaration)
{
	if (declaration.size == 0)
		return ST_OK;
	enum status status = xml_reader_feed(reader, declaration);
	if (status == ST_OK)
		status = xml_reader_feed(reader, bytes_of("<init/>"));
	if (status == ST_OK)
		status = xml_reader_finish(reader);
	if (status == ST_OK)
		xml_reader_reset(reader);
	loader->depth = 0;
	return status;
}

static enum status read_all(struct loader *loader, struct xml_reader *reader, struct bytes text)
{
	size_t size = xml_declaration_size(text);
	enum status status = read_declaration(loader, reader, (struct bytes){text.data, size});
	if (status == ST_OK)
		status = xml_reader_feed(reader, bytes_of(prologue));
	if (status == ST_OK)
		status = xml_reader_feed(reader, (struct bytes){text.data + size, text.size - size});
	if (status == ST_OK)
		status = xml_reader_feed(reader, bytes_of(epilogue));
	return status == ST_OK ? xml_reader_finish(reader) : status;
}

static enum status decode_json(const struct schema *schema, struct bytes text, struct diag_list *diags,
			       struct edit_tree **edit)
{
	static const struct json_decoder_options options = {SIZE_MAX, TEXT_MAX, DEPTH_MAX};
	struct json_decoder *decoder = json_decoder_new(schema, &options, diags);
	enum status status = json_decoder_feed(decoder, instance_json_content(text));
	if (status == ST_OK)
		status = json_decoder_finish(decoder, edit);
	json_decoder_free(decoder);
	return status;
}

static enum status decode_xml(const struct schema *schema, const char *path, struct bytes text,
			      struct diag_list *diags, struct edit_tree **edit)
{
	static const struct xml_handlers handlers = {on_start, on_end, on_text};
	static const struct xml_reader_limits limits = {DEPTH_MAX, TEXT_MAX, ATTRIBUTES_MAX};
	static const struct edit_decoder_options options = {.memory_limit = SIZE_MAX};
	struct loader loader = {.schema = schema, .envelope = 1};
	struct xml_reader *reader = xml_reader_new(&handlers, &loader, &limits);
	loader.decoder = edit_decoder_new(schema, reader, &options, diags);
	enum status status = read_all(&loader, reader, text);
	if (status != ST_OK && diags->length == 0)
		log_error("%s: %s", path, loader.problem != NULL ? loader.problem : xml_reader_error(reader));
	if (status == ST_OK)
		status = edit_decoder_finish(loader.decoder, edit);
	edit_decoder_free(loader.decoder);
	xml_reader_free(reader);
	return status;
}

enum status init_file_load(const struct schema *schema, const char *path, struct diag_list *diags,
			   struct tree_record **root)
{
	return init_file_load_as(schema, path, INIT_FILE_ANY, diags, root);
}

enum status init_file_load_as(const struct schema *schema, const char *path, enum init_file_format format,
			      struct diag_list *diags, struct tree_record **root)
{
	static const struct edit_options options = {.default_operation = EDIT_MERGE};
	struct buffer text;
	buffer_init(&text, SIZE_MAX);
	struct edit_tree *edit = NULL;
	enum status status = os_path_read(path, SIZE_MAX, &text);
	bool is_json = format == INIT_FILE_JSON ||
		       (format == INIT_FILE_ANY && instance_json_is_json(buffer_get(&text)));
	if (status == ST_OK && is_json)
		status = decode_json(schema, buffer_get(&text), diags, &edit);
	else if (status == ST_OK)
		status = decode_xml(schema, path, buffer_get(&text), diags, &edit);
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
