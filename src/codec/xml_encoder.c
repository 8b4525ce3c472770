/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The encoder writes what a reply carries, node by node as the walk gives them (select_walk.c). A value that
 * is too long for one step is left in `rest` and comes first in the next. A node with annotations (RFC 7952)
 * is left in `tag` while they are written, each a step or more; then comes what follows a start tag. What is
 * written whole, as it is stored, mostly goes a shorter way (xml_whole.c); each step here is for one node
 * that this one leaves.
 *
 * Invariant: what was appended is the document up to a point between two steps, so it does not depend on how
 * the calls are cut.
 */
#include "codec/xml_encoder.h"

#include "base/memory.h"
#include "base/vector.h"
#include "codec/piece.h"
#include "codec/select_walk.h"
#include "codec/xml_whole.h"
#include "schema/qname.h"
#include "tree/annotation.h"

#define NS_DEFAULT "urn:ietf:params:xml:ns:netconf:default:1.0"
#define NS_ORIGIN "urn:ietf:params:xml:ns:yang:ietf-origin"
#define SHORT_SIZE 256 /* bytes of a value that is written at once with its tags */

struct xml_encoder {
	struct schema *schema;
	const struct tree_record *root; /* NULL: a part of a tree that is borrowed */
	const struct schema_node *top;	/* of the root */
	struct tree_reclaimer *reclaimer;
	struct select_walk walk;
	bool outermost;		       /* the next start tag is the first one of a part */
	const struct codec_view *view; /* NULL: as explicit */
	const char *default_prefix, *origin_prefix;
	bool done;
	struct bytes rest;		     /* of the value that is being written */
	const struct schema_node *rest_node; /* whose end tag follows; NULL: no value is being written */
	bool rest_is_xml;		     /* written as it is */
	struct vector declared;		     /* modules whose prefixes the present start tag declares */
	struct {
		struct tree_position position;
		bool opens; /* the node has children */
		const struct tree_annotation *notes;
		size_t count; /* left; 0: no start tag is being written */
		struct bytes rest;
		bool begun; /* the first one: `rest` is what is left of its value */
	} tag;
	struct buffer expanded; /* a value with all prefixes */
};

static bool declares_namespace(const struct xml_encoder *encoder, const struct schema_node *node)
{
	const struct schema_node *parent = node->parent;
	return encoder->outermost || parent->kind == SCHEMA_ROOT || parent->kind == SCHEMA_OUTPUT ||
	       parent->module != node->module;
}

static enum status put(struct buffer *out, const char *text)
{
	return buffer_append(out, bytes_of(text));
}

static char *copy(char *to, struct bytes from)
{
	memcpy(to, from.data, from.size);
	return to + from.size;
}

/* A tag without attributes, or the part of one up to them: most of a reply, so it is one call. */
static enum status put_name(struct buffer *out, struct bytes before, const struct schema_node *node,
			    struct bytes behind)
{
	size_t size = before.size + node->name_bytes.size + behind.size;
	char *at = buffer_reserve(out, size);
	if (!at)
		return ST_LIMIT;
	copy(copy(copy(at, before), node->name_bytes), behind);
	buffer_commit(out, size);
	return ST_OK;
}

/* "<name", with its namespace where that is not the parent's. */
static enum status put_tag(struct xml_encoder *encoder, struct buffer *out, const struct schema_node *node)
{
	bool declares = declares_namespace(encoder, node);
	encoder->outermost = false;
	enum status status = put_name(out, (struct bytes){"<", 1}, node, (struct bytes){"", 0});
	if (status != ST_OK || !declares)
		return status;
	status = put(out, " xmlns=\"");
	if (status == ST_OK)
		status = xml_escape(out, bytes_of(node->module->ns), true);
	return status == ST_OK ? put(out, "\"") : status;
}

static enum status put_end(struct buffer *out, const struct schema_node *node)
{
	return put_name(out, (struct bytes){"</", 2}, node, (struct bytes){">", 1});
}

/* Notes the module as declared on the leaf; false where it was already. */
static bool note_declared(struct vector *declared, const struct schema_module *module)
{
	for (size_t i = 0; i < declared->length; i++) {
		if (*(const struct schema_module **)vector_at(declared, i) == module)
			return false;
	}
	*(const struct schema_module **)vector_push(declared) = module;
	return true;
}

static enum status put_prefix(struct buffer *out, const struct schema_module *module)
{
	enum status status = put(out, " xmlns:");
	if (status == ST_OK)
		status = put(out, module->name);
	if (status == ST_OK)
		status = put(out, "=\"");
	if (status == ST_OK)
		status = xml_escape(out, bytes_of(module->ns), true);
	return status == ST_OK ? put(out, "\"") : status;
}

static enum status put_prefixes(struct xml_encoder *encoder, struct buffer *out, struct bytes text)
{
	const struct schema_module *module;
	enum status status = ST_OK;
	size_t at = 0;
	while (status == ST_OK && schema_qname_next(encoder->schema, text, &at, &module)) {
		if (note_declared(&encoder->declared, module))
			status = put_prefix(out, module);
	}
	return status;
}

/* Begins a value whose start tag lacks its ">". */
static enum status put_rest(struct xml_encoder *encoder, struct buffer *out, const struct schema_node *node,
			    struct bytes content, bool is_xml)
{
	if (content.size == 0)
		return put(out, "/>");
	encoder->rest = content;
	encoder->rest_node = node;
	encoder->rest_is_xml = is_xml;
	return put(out, ">");
}

/* Goes on with a value. */
static enum status step_rest(struct xml_encoder *encoder, struct buffer *out)
{
	struct bytes piece = codec__take_piece(&encoder->rest);
	enum status status = encoder->rest_is_xml ? buffer_append(out, piece) : xml_escape(out, piece, false);
	if (status != ST_OK || encoder->rest.size > 0)
		return status;
	status = put_end(out, encoder->rest_node);
	encoder->rest_node = NULL;
	return status;
}

/* The common case: a short value, of the parent's module, without prefixes. False where there is no room for
 * the worst that it may become, which does not mean that there is none for what it becomes. */
static bool put_short_leaf(struct buffer *out, const struct schema_node *node, struct bytes text)
{
	size_t worst = 2 * node->name_bytes.size + 5 + XML_ESCAPED_MAX * text.size;
	char *start = buffer_reserve(out, worst);
	if (!start)
		return false;
	char *at = start;
	*at++ = '<';
	at = copy(at, node->name_bytes);
	if (text.size == 0) {
		at = copy(at, (struct bytes){"/>", 2});
		buffer_commit(out, (size_t)(at - start));
		return true;
	}
	*at++ = '>';
	at = xml_escape_content(at, text);
	at = copy(at, (struct bytes){"</", 2});
	at = copy(at, node->name_bytes);
	*at++ = '>';
	buffer_commit(out, (size_t)(at - start));
	return true;
}

static bool has_names(const struct value *value)
{
	const struct text *text = value_shared_text(*value);
	return text && (text->flags & TEXT_QNAME);
}

/* Declares the prefixes in a value, and gives the text that it has in XML. */
static enum status prepare_value(struct xml_encoder *encoder, struct buffer *out, const struct value *value,
				 struct bytes *content)
{
	*content = value_bytes(value);
	if (!has_names(value))
		return ST_OK;
	enum status status = put_prefixes(encoder, out, *content);
	if (status != ST_OK)
		return status;
	buffer_clear(&encoder->expanded, 0);
	status = schema_qname_expand(encoder->schema, &encoder->expanded, *content);
	*content = buffer_get(&encoder->expanded);
	return status;
}

/* What follows the name and the annotations in a leaf's start tag. */
static enum status put_value(struct xml_encoder *encoder, struct buffer *out, const struct schema_node *node,
			     const struct value *value)
{
	struct bytes content;
	enum status status = prepare_value(encoder, out, value, &content);
	if (status == ST_OK)
		status = put_rest(encoder, out, node, content, false);
	/* An inline value may lie in what this step leaves behind, and is short: it does not wait. */
	if (status == ST_OK && !value_shared_text(*value) && encoder->rest_node)
		status = step_rest(encoder, out);
	return status;
}

/* What follows the name and the annotations in a start tag. */
static enum status finish_tag(struct xml_encoder *encoder, struct buffer *out,
			      const struct tree_position *position, bool opens)
{
	const struct schema_node *node = position->schema;
	if (codec_view_prunes(encoder->view, position) && !opens)
		return put(out, "/>");
	if (node->kind == SCHEMA_LEAF || node->kind == SCHEMA_LEAF_LIST)
		return put_value(encoder, out, node, &position->value);
	if (node->kind == SCHEMA_ANYDATA || node->kind == SCHEMA_ANYXML)
		return put_rest(encoder, out, node, text_bytes(position->any->xml), true);
	return put(out, opens ? ">" : "/>");
}

/* ` xmlns:prefix="..." prefix:name="value"` */
static enum status put_mark(struct buffer *out, const char *prefix, const char *ns, const char *name_value)
{
	const char *const pieces[] = {" xmlns:", prefix, "=\"", ns, "\" ", prefix, ":", name_value};
	enum status status = ST_OK;
	for (size_t i = 0; status == ST_OK && i < sizeof(pieces) / sizeof(pieces[0]); i++)
		status = put(out, pieces[i]);
	return status;
}

static bool is_marked_default(const struct xml_encoder *encoder, const struct tree_position *position)
{
	return encoder->view && encoder->view->tags_defaults && position->implicit &&
	       position->schema->kind != SCHEMA_CONTAINER;
}

/* Its origin is not that of its parent (RFC 8342 5.3.4). */
static bool is_marked_origin(const struct xml_encoder *encoder, const struct tree_position *position)
{
	if (!encoder->view || !encoder->view->origins || !position->schema->config)
		return false;
	return encoder->outermost || position->parent->parent == NULL ||
	       (position->implicit && !position->parent->implicit);
}

static enum status put_origin(struct xml_encoder *encoder, struct buffer *out, bool is_default)
{
	enum status status = put_mark(out, encoder->origin_prefix, NS_ORIGIN, "origin=\"");
	if (status == ST_OK)
		status = put(out, encoder->origin_prefix);
	return status == ST_OK ? put(out, is_default ? ":default\"" : ":intended\"") : status;
}

static enum status put_txid(const struct xml_encoder *encoder, struct buffer *out, const char *txid)
{
	const struct codec_txids *txids = encoder->view->txids;
	const char *const pieces[] = {" ", txids->prefix, ":", txids->name, "=\"", txid, "\""};
	enum status status = ST_OK;
	for (size_t i = 0; status == ST_OK && i < sizeof(pieces) / sizeof(pieces[0]); i++)
		status = put(out, pieces[i]);
	return status;
}

/* A node, or its start tag. */
static enum status begin_node(struct xml_encoder *encoder, struct buffer *out,
			      const struct tree_position *position, bool opens)
{
	const struct schema_node *node = position->schema;
	bool is_leaf = node->kind == SCHEMA_LEAF || node->kind == SCHEMA_LEAF_LIST;
	const struct tree_annotation *notes =
		position->implicit ? NULL : tree_position_annotations(position, &encoder->tag.count);
	bool marks_default = is_marked_default(encoder, position);
	bool marks_origin = is_marked_origin(encoder, position);
	bool pruned;
	const char *txid = codec_view_txid(encoder->view, position, &pruned);
	bool is_bare = !notes && !txid && !pruned && !marks_default && !marks_origin &&
		       !declares_namespace(encoder, node);
	if (is_bare && is_leaf && !has_names(&position->value)) {
		struct bytes content = value_bytes(&position->value);
		if (content.size <= SHORT_SIZE && put_short_leaf(out, node, content))
			return ST_OK;
	}
	if (is_bare && opens)
		return put_name(out, (struct bytes){"<", 1}, node, (struct bytes){">", 1});
	vector_clear(&encoder->declared);
	enum status status = put_tag(encoder, out, node);
	if (status == ST_OK && marks_default)
		status = put_mark(out, encoder->default_prefix, NS_DEFAULT, "default=\"true\"");
	if (status == ST_OK && marks_origin)
		status = put_origin(encoder, out, position->implicit);
	if (status == ST_OK && txid)
		status = put_txid(encoder, out, txid);
	if (!notes)
		return status == ST_OK ? finish_tag(encoder, out, position, opens) : status;
	encoder->tag.position = *position;
	encoder->tag.opens = opens;
	encoder->tag.notes = notes;
	encoder->tag.begun = false;
	return status;
}

/* ` xmlns:module="..." module:name="`, with the prefixes of the value. */
static enum status begin_note(struct xml_encoder *encoder, struct buffer *out,
			      const struct tree_annotation *note)
{
	const struct schema_module *module = note->schema->module;
	enum status status = note_declared(&encoder->declared, module) ? put_prefix(out, module) : ST_OK;
	if (status == ST_OK)
		status = prepare_value(encoder, out, &note->value, &encoder->tag.rest);
	if (status == ST_OK)
		status = put(out, " ");
	if (status == ST_OK)
		status = put(out, module->name);
	if (status == ST_OK)
		status = put(out, ":");
	if (status == ST_OK)
		status = buffer_append(out, note->schema->name_bytes);
	encoder->tag.begun = true;
	return status == ST_OK ? put(out, "=\"") : status;
}

/* A piece of the annotations. */
static enum status step_tag(struct xml_encoder *encoder, struct buffer *out)
{
	enum status status = ST_OK;
	if (!encoder->tag.begun)
		status = begin_note(encoder, out, encoder->tag.notes);
	if (status == ST_OK)
		status = xml_escape(out, codec__take_piece(&encoder->tag.rest), true);
	if (status != ST_OK || encoder->tag.rest.size > 0)
		return status;
	encoder->tag.begun = false;
	encoder->tag.notes++;
	encoder->tag.count--;
	status = put(out, "\"");
	if (status != ST_OK || encoder->tag.count > 0)
		return status;
	return finish_tag(encoder, out, &encoder->tag.position, encoder->tag.opens);
}

/* One node, or the end of one. */
static enum status step(struct xml_encoder *encoder, struct buffer *out)
{
	if (encoder->rest_node)
		return step_rest(encoder, out);
	if (encoder->tag.count > 0)
		return step_tag(encoder, out);
	struct tree_position position;
	switch (codec__walk_next(&encoder->walk, &position)) {
	case WALK_NOTHING:
		return ST_OK;
	case WALK_OPEN:
		return begin_node(encoder, out, &position, true);
	case WALK_NODE:
		return begin_node(encoder, out, &position, false);
	case WALK_CLOSE:
		return put_end(out, position.schema);
	case WALK_END:
		encoder->done = true;
	}
	return ST_OK;
}

static struct xml_encoder *new_encoder(struct schema *schema, struct tree_reclaimer *reclaimer)
{
	struct xml_encoder *encoder = memory_zalloc(sizeof(*encoder));
	encoder->schema = schema_ref(schema);
	encoder->reclaimer = reclaimer;
	buffer_init(&encoder->expanded, SIZE_MAX);
	vector_init(&encoder->declared, sizeof(struct schema_module *));
	return encoder;
}

static struct xml_encoder *make_encoder(struct schema *schema, const struct tree_position *root,
					const struct codec_selector *selector,
					struct tree_reclaimer *reclaimer)
{
	struct xml_encoder *encoder = new_encoder(schema, reclaimer);
	encoder->root = tree_record_ref(root->record);
	encoder->top = root->schema;
	codec__walk_init_at(&encoder->walk, schema, root, selector);
	return encoder;
}

struct xml_encoder *xml_encoder_new(struct schema *schema, const struct tree_record *root,
				    const struct codec_selector *selector, struct tree_reclaimer *reclaimer)
{
	struct tree_position position = tree_position_root(schema, root);
	return make_encoder(schema, &position, selector, reclaimer);
}

struct xml_encoder *xml_encoder_new_at(struct schema *schema, const struct schema_node *top,
				       const struct tree_record *root, struct tree_reclaimer *reclaimer)
{
	struct tree_position position = {.schema = top, .record = root};
	return make_encoder(schema, &position, NULL, reclaimer);
}

struct xml_encoder *xml_encoder_new_part(struct schema *schema, const struct codec_part *part,
					 struct tree_reclaimer *reclaimer)
{
	struct xml_encoder *encoder = new_encoder(schema, reclaimer);
	encoder->outermost = true;
	codec__walk_init_part(&encoder->walk, schema, part);
	return encoder;
}

/* Prefixes of values are names of modules; an element has each prefix once. */
static const char *free_prefix(const struct schema *schema, const char *prefix, const char *other)
{
	return schema_module_find(schema, bytes_of(prefix)) ? other : prefix;
}

void xml_encoder_set_view(struct xml_encoder *encoder, const struct codec_view *view)
{
	encoder->view = view;
	encoder->default_prefix = free_prefix(encoder->schema, "wd", "wd.default");
	encoder->origin_prefix = free_prefix(encoder->schema, "or", "or.origin");
	codec__walk_set_view(&encoder->walk, view);
}

void xml_encoder_free(struct xml_encoder *encoder)
{
	if (!encoder)
		return;
	codec__walk_fini(&encoder->walk);
	buffer_fini(&encoder->expanded);
	vector_fini(&encoder->declared);
	if (encoder->root)
		tree_record_unref(encoder->root, encoder->top, encoder->reclaimer);
	schema_unref(encoder->schema);
	memory_free(encoder);
}

enum status xml_encoder_run(struct xml_encoder *encoder, struct buffer *out, size_t size, size_t budget,
			    bool *done)
{
	enum status status = ST_OK;
	while (budget > 0 && !encoder->done && buffer_size(out) < size && status == ST_OK) {
		size_t before = budget;
		if (!encoder->view && !encoder->rest_node && encoder->tag.count == 0)
			budget = codec__xml_run_whole(&encoder->walk, out, size, budget);
		if (budget == before) {
			status = step(encoder, out);
			budget--;
		}
	}
	if (status == ST_OK)
		*done = encoder->done;
	return status;
}
