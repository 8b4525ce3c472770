/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The edit decoder takes the events of <config>'s content and makes the edit tree, one node an element, at
 * the speed at which they come: a request of a million entries is decoded while it is received and is never
 * kept as text.
 *
 *     start   name -> schema node (a cache by the reader's interned strings, else the schema's
 *             hash), node opened, attributes read
 *     text    gathered for a leaf; elsewhere blanks are dropped and anything else is an error
 *     end     leaf: text -> value; node closed
 *
 * An element that is wrong is reported and skipped with all that is in it. Within anydata the events go to an
 * any_writer. The tree itself and what is checked of it are edit_assemble.c's.
 */
#include "codec/edit_decode.h"

#include "base/assert.h"
#include "base/memory.h"

#define TEXT_KEEP ((size_t)64 * 1024) /* bytes of the leaf's text buffer that stay */

static const struct schema_module *resolve(const struct schema_prefixes *self, struct bytes prefix)
{
	const struct edit_prefixes *prefixes = (const struct edit_prefixes *)self;
	struct bytes uri = xml_reader_resolve(prefixes->reader, prefix);
	return uri.data ? schema_module_find_ns(prefixes->schema, uri) : NULL;
}

/* NULL while there is no cache. */
static struct name_entry *name_entry(struct edit_decoder *decoder, const struct schema_node *parent,
				     const struct xml_start *start)
{
	if (!decoder->names && decoder->names_seen++ < NAME_CACHE_AFTER)
		return NULL;
	if (!decoder->names)
		decoder->names = memory_zalloc(NAME_CACHE_LENGTH * sizeof(*decoder->names));
	uint64_t hash = (uint64_t)(uintptr_t)start->name.data ^ ((uint64_t)parent->id << 20) ^
			(uint64_t)(uintptr_t)start->ns.data << 7;
	hash *= 0x9e3779b97f4a7c15ull;
	return &decoder->names[hash >> 32 & (NAME_CACHE_LENGTH - 1)];
}

static const struct schema_module *find_module(struct edit_decoder *decoder, struct bytes ns)
{
	if (ns.data == NULL || ns.data != decoder->ns) {
		decoder->module = schema_module_find_ns(decoder->assembler.schema, ns);
		decoder->ns = ns.data;
	}
	return decoder->module;
}

/* The configuration node that an element is; NULL where there is none, which was reported. */
static const struct schema_node *find_child(struct edit_decoder *decoder, const struct schema_node *parent,
					    const struct xml_start *start)
{
	struct name_entry *entry = name_entry(decoder, parent, start);
	if (entry && entry->parent == parent && entry->name == start->name.data &&
	    entry->ns == start->ns.data)
		return entry->child;
	const struct schema_module *module = find_module(decoder, start->ns);
	if (!module) {
		codec__edit_report_namespace(&decoder->assembler, start->name, start->ns);
		return NULL;
	}
	const struct schema_node *child = codec__edit_find_child(&decoder->assembler, module, start->name);
	if (child && entry)
		*entry = (struct name_entry){parent, start->ns.data, start->name.data, child};
	return child;
}

/* An element that is no part of anydata and not skipped. */
static enum status start_node(struct edit_decoder *decoder, const struct xml_start *start)
{
	struct edit_assembler *assembler = &decoder->assembler;
	struct edit_frame *parent = codec__edit_top(assembler);
	if (codec__edit_is_leaf(parent->node->schema)) {
		parent->broken = true;
		decoder->skip = 1;
		codec__edit_report(assembler, DIAG_UNKNOWN_ELEMENT, NULL, start->name,
				   "A leaf holds no elements.");
		return ST_OK;
	}
	const struct schema_node *child = find_child(decoder, parent->node->schema, start);
	if (child && !codec__edit_may_repeat(child) && !codec__edit_mark_seen(assembler, child)) {
		codec__edit_report(assembler, DIAG_BAD_ELEMENT, child, start->name,
				   "The element is there twice.");
		child = NULL;
	}
	if (!child) {
		decoder->skip = 1;
		return ST_OK;
	}
	codec__edit_open(assembler, child);
	if (start->attribute_count > 0 && assembler->content == EDIT_CONTENT_CONFIG)
		codec__edit_attributes(decoder, start);
	else if (start->attribute_count > 0)
		codec__operation_attributes(assembler, start);
	if (codec__edit_is_any(child))
		decoder->any = any_writer_new(decoder->reader, codec__edit_memory_left(assembler));
	return codec__edit_check_memory(assembler);
}

static bool is_blank(struct bytes text)
{
	for (size_t i = 0; i < text.size; i++) {
		char c = text.data[i];
		if (c != ' ' && c != '\n' && c != '\t' && c != '\r')
			return false;
	}
	return true;
}

/* Text where the schema has none: in a container, list entry, anydata or <config>. */
static void refuse_text(struct edit_assembler *assembler, struct bytes text)
{
	struct edit_frame *frame = codec__edit_top(assembler);
	if (frame->broken || is_blank(text))
		return;
	frame->broken = true;
	static const char *const tops[] = {[EDIT_CONTENT_CONFIG] = "config",
					   [EDIT_CONTENT_RPC] = "rpc",
					   [EDIT_CONTENT_ACTION] = "action",
					   [EDIT_CONTENT_OUTPUT] = "output"};
	struct bytes name =
		assembler->depth == 1 ? bytes_of(tops[assembler->content]) : frame->node->schema->name_bytes;
	codec__edit_report(assembler, DIAG_BAD_ELEMENT, NULL, name, "The element holds text, but must not.");
}

/* What is marked as a default (RFC 6243 4.5.2) has its default value, and becomes the default: it is not set
 * afterwards, however it is written. */
static void end_default(struct edit_decoder *decoder, struct edit_frame *frame)
{
	const struct schema_node *leaf = frame->node->schema;
	bool equal = false;
	for (size_t i = 0; i < leaf->default_count; i++)
		equal = equal || value_equal(frame->node->value, leaf->defaults[i]);
	if (!equal) {
		codec__edit_report(&decoder->assembler, DIAG_INVALID_VALUE, NULL, (struct bytes){0},
				   "The value is marked as the default, but is another one.");
		return;
	}
	if (frame->deleting)
		return;
	frame->node->operation = EDIT_REMOVE;
	decoder->assembler.tree->has_operation = true;
}

static void end_leaf(struct edit_decoder *decoder)
{
	struct edit_frame *frame = codec__edit_top(&decoder->assembler);
	const struct schema_node *leaf = frame->node->schema;
	struct bytes text = buffer_get(&decoder->text);
	bool valueless = frame->deleting && leaf->kind == SCHEMA_LEAF && !leaf->is_key && is_blank(text);
	if (!frame->broken && !valueless)
		codec__edit_parse_value(&decoder->assembler, text);
	if (decoder->is_default && !frame->broken && !valueless && !value_is_none(frame->node->value))
		end_default(decoder, frame);
	decoder->is_default = false;
	buffer_clear(&decoder->text, TEXT_KEEP);
}

static enum status end_any(struct edit_decoder *decoder)
{
	struct text *text;
	enum status status = any_writer_finish(decoder->any, &text);
	any_writer_free(decoder->any);
	decoder->any = NULL;
	if (status != ST_OK)
		return codec__edit_too_big(&decoder->assembler);
	codec__edit_set_any(&decoder->assembler, text);
	return ST_OK;
}

struct edit_decoder *edit_decoder_new(const struct schema *schema, const struct xml_reader *reader,
				      const struct edit_decoder_options *options, struct diag_list *diags)
{
	struct edit_decoder *decoder = memory_zalloc(sizeof(*decoder));
	decoder->reader = reader;
	struct schema_type_budget *budget = &decoder->assembler.budget;
	decoder->prefixes = (struct edit_prefixes){{.resolve = resolve, .budget = budget}, schema, reader};
	codec__edit_init(&decoder->assembler, schema, &decoder->prefixes.base, options->memory_limit, diags);
	decoder->assembler.content = options->content;
	if (options->content == EDIT_CONTENT_OUTPUT)
		decoder->assembler.tree->top->schema = options->output;
	decoder->takes_txids = options->takes_txids;
	buffer_init(&decoder->text,
		    options->memory_limit < TEXT_SIZE_MAX ? options->memory_limit : TEXT_SIZE_MAX);
	return decoder;
}

void edit_decoder_expect(struct edit_decoder *decoder, const struct xml_attribute *attribute)
{
	struct edit_tree *tree = decoder->assembler.tree;
	edit_tree_expect(tree, tree->top, attribute->name, attribute->value);
}

void edit_decoder_free(struct edit_decoder *decoder)
{
	if (!decoder)
		return;
	any_writer_free(decoder->any);
	buffer_fini(&decoder->text);
	codec__edit_fini(&decoder->assembler);
	memory_free(decoder->names);
	memory_free(decoder);
}

enum status edit_decoder_start(struct edit_decoder *decoder, const struct xml_start *start)
{
	if (decoder->skip > 0) {
		decoder->skip++;
		return ST_OK;
	}
	if (decoder->any && any_writer_start(decoder->any, start) != ST_OK)
		return codec__edit_too_big(&decoder->assembler);
	return decoder->any ? ST_OK : start_node(decoder, start);
}

enum status edit_decoder_text(struct edit_decoder *decoder, struct bytes text)
{
	if (decoder->skip > 0)
		return ST_OK;
	const struct schema_node *schema = codec__edit_top(&decoder->assembler)->node->schema;
	enum status status = ST_OK;
	if (codec__edit_is_leaf(schema))
		status = buffer_append(&decoder->text, text);
	else if (decoder->any && (schema->kind == SCHEMA_ANYXML || any_writer_depth(decoder->any) > 0))
		status = any_writer_text(decoder->any, text);
	else
		refuse_text(&decoder->assembler, text);
	return status == ST_OK ? ST_OK : codec__edit_too_big(&decoder->assembler);
}

enum status edit_decoder_end(struct edit_decoder *decoder)
{
	if (decoder->skip > 0) {
		decoder->skip--;
		return ST_OK;
	}
	enum status status = ST_OK;
	if (decoder->any && any_writer_depth(decoder->any) > 0) {
		status = any_writer_end(decoder->any);
		return status == ST_OK ? ST_OK : codec__edit_too_big(&decoder->assembler);
	}
	if (decoder->any)
		status = end_any(decoder);
	else if (codec__edit_is_leaf(codec__edit_top(&decoder->assembler)->node->schema))
		end_leaf(decoder);
	return status == ST_OK ? codec__edit_close(&decoder->assembler) : status;
}

const struct edit_tree *edit_decoder_tree(const struct edit_decoder *decoder)
{
	return decoder->assembler.tree;
}

bool edit_decoder_mark(const struct edit_decoder *decoder, struct edit_mark *mark)
{
	const struct edit_assembler *assembler = &decoder->assembler;
	*mark = (struct edit_mark){.depth = assembler->depth};
	if (mark->depth > EDIT_MARK_DEPTH)
		mark->depth = EDIT_MARK_DEPTH;
	for (size_t i = 0; i < mark->depth; i++)
		mark->open[i] = assembler->frames[i].node;
	if (mark->depth == assembler->depth)
		mark->last = mark->open[mark->depth - 1]->last_child;
	return !assembler->failed;
}

enum status edit_decoder_finish(struct edit_decoder *decoder, struct edit_tree **tree)
{
	ASSERT(decoder->skip == 0);
	return codec__edit_finish(&decoder->assembler, tree);
}
