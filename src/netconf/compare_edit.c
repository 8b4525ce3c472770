/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One edit of the patch: an operation, where, and the values of both sides.
 *
 *   in the target only      create; insert in a user-ordered list      value
 *   in the source only      delete; remove of a node in a case         source-value
 *   in both, another value  replace (leafs and anydata)                value, source-value
 *   in both, another place  move                                       source-value
 *
 * A node of another case may have been created by then, which takes this one away (RFC 7950 7.9): so it is
 * removed and not deleted. RFC 9144 4 makes no difference between the two.
 *
 * "where" and "point" are those of RFC 8072 2.5: each item inserted or moved goes behind the one that is
 * before it in the target, which is there by then, since edits come in the order of the target.
 *
 * A target is a path from the datastore's root, as in RFC 8040 3.5.3: all of a key but unreserved characters
 * is percent-encoded. An entry without keys has no name of its own, and is named by its list alone.
 *
 * An edit of which the filter picks nothing is no edit. That shows when its first node is encoded, so its
 * beginning waits for that.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/assert.h"
#include "netconf/compare_internal.h"
#include "netconf/write.h"

#define STEP_NODES 64	  /* visited by the encoder in one step */
#define SCRATCH_KEEP 4096 /* bytes */

/* ---- targets ---- */

static bool is_unreserved(char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
	       byte == '-' || byte == '.' || byte == '_' || byte == '~';
}

/* RFC 3986 2.1 */
static void put_encoded(struct buffer *out, struct bytes text)
{
	for (size_t i = 0; i < text.size; i++) {
		char code[4];
		if (is_unreserved(text.data[i])) {
			netconf__put_bytes(out, (struct bytes){text.data + i, 1});
			continue;
		}
		snprintf(code, sizeof(code), "%%%02X", (unsigned)(unsigned char)text.data[i]);
		netconf__put_bytes(out, (struct bytes){code, 3});
	}
}

static void put_step(struct buffer *out, const struct tree_position *position)
{
	const struct schema_node *node = position->schema;
	netconf__put(out, "/");
	if (node->parent->kind == SCHEMA_ROOT || node->parent->module != node->module) {
		netconf__put(out, node->module->name);
		netconf__put(out, ":");
	}
	netconf__put_bytes(out, node->name_bytes);
	if (node->kind == SCHEMA_LEAF_LIST) {
		netconf__put(out, "=");
		put_encoded(out, value_bytes(&position->value));
	}
	for (size_t i = 0; node->kind == SCHEMA_LIST && i < node->key_count; i++) {
		netconf__put(out, i == 0 ? "=" : ",");
		put_encoded(out, value_bytes(&position->record->slots[i].value));
	}
}

void compare__path_add(struct netconf_compare *compare, const struct tree_position *position)
{
	put_step(&compare->path, position);
}

static void put_element(struct buffer *out, const char *name, struct bytes text)
{
	netconf__put(out, "<");
	netconf__put(out, name);
	netconf__put(out, ">");
	netconf__put_escaped(out, text, false);
	netconf__put(out, "</");
	netconf__put(out, name);
	netconf__put(out, ">");
}

/* ---- the edit's head ---- */

static const char *operation_name(const struct compare_edit *edit)
{
	switch (edit->operation) {
	case EDIT_CREATES:
		return "create";
	case EDIT_DELETES:
		return edit->found[COMPARE_OLD].position.schema->in_case != NULL ? "remove" : "delete";
	case EDIT_REPLACES:
		return "replace";
	case EDIT_INSERTS:
		return "insert";
	case EDIT_MOVES:
		return "move";
	}
	return "";
}

void compare__patch_begin(struct netconf_compare *compare, struct buffer *out)
{
	netconf__put(out, "<differences xmlns=\"");
	netconf__put(out, compare->input.ns);
	netconf__put(out, "\"><yang-patch>");
	put_element(out, "patch-id", bytes_of(compare->input.patch_id));
}

/* The point: a sibling of the target, whose path it borrows. */
static void put_place(struct netconf_compare *compare, struct buffer *out)
{
	const struct compare_edit *edit = &compare->edit;
	struct bytes parent = buffer_get(&compare->path);
	if (edit->has_point) {
		netconf__put(out, "<point>");
		netconf__put_escaped(out, (struct bytes){parent.data, edit->path_size}, false);
		put_step(out, &edit->point);
		netconf__put(out, "</point>");
	}
	netconf__put(out, edit->has_point ? "<where>after</where>" : "<where>first</where>");
}

static void put_head(struct netconf_compare *compare, struct buffer *out)
{
	const struct compare_edit *edit = &compare->edit;
	char id[24];
	if (compare->edit_count++ == 0)
		compare__patch_begin(compare, out);
	snprintf(id, sizeof(id), "%zu", compare->edit_count);
	netconf__put(out, "<edit>");
	put_element(out, "edit-id", bytes_of(id));
	put_element(out, "operation", bytes_of(operation_name(edit)));
	put_element(out, "target", buffer_get(&compare->path));
	if (edit->operation == EDIT_INSERTS || edit->operation == EDIT_MOVES)
		put_place(compare, out);
}

/* ---- values ---- */

static bool has_part(enum compare_operation operation, unsigned part)
{
	bool in_new = operation == EDIT_CREATES || operation == EDIT_INSERTS || operation == EDIT_REPLACES;
	bool in_old = operation == EDIT_DELETES || operation == EDIT_MOVES || operation == EDIT_REPLACES;
	return part == COMPARE_NEW ? in_new : in_old;
}

static void begin_part(struct netconf_compare *compare, unsigned side)
{
	struct compare_edit *edit = &compare->edit;
	const struct netconf_compare_input *input = &compare->input;
	const struct compare_found *parent = &compare->top->sides[side];
	struct codec_part part = {
		.position = &edit->found[side].position,
		.selector =
			input->filters[side] != NULL ? netconf__filter_selector(input->filters[side]) : NULL,
		.parent_state = parent->state,
		.whole = edit->found[side].whole,
	};
	edit->part = side;
	edit->encoder = xml_encoder_new_part(input->schema, &part, input->reclaimer);
	if (!codec_view_is_plain(&input->views[side]))
		xml_encoder_set_view(edit->encoder, &input->views[side]);
}

void compare__edit_begin(struct netconf_compare *compare, enum compare_operation operation,
			 const struct compare_found found[COMPARE_SIDES], const struct tree_position *point)
{
	struct compare_edit *edit = &compare->edit;
	*edit = (struct compare_edit){.active = true,
				      .operation = operation,
				      .path_size = buffer_size(&compare->path),
				      .has_point = point != NULL};
	edit->found[COMPARE_OLD] = found[COMPARE_OLD];
	edit->found[COMPARE_NEW] = found[COMPARE_NEW];
	if (point != NULL)
		edit->point = *point;
	unsigned first = has_part(operation, COMPARE_NEW) ? COMPARE_NEW : COMPARE_OLD;
	compare__path_add(compare, &edit->found[first].position);
	begin_part(compare, first);
}

static void end_edit(struct netconf_compare *compare)
{
	compare->edit.active = false;
	buffer_cut(&compare->path, buffer_size(&compare->path) - compare->edit.path_size);
}

/* Nothing of the item is presented: it is no one's predecessor either. */
static void drop_edit(struct netconf_compare *compare)
{
	struct compare_list *list = &compare->top->list;
	if (compare->edit.operation == EDIT_INSERTS) {
		list->last = list->earlier;
		list->has_last = list->has_earlier;
	}
	end_edit(compare);
}

static const char *part_name(unsigned part)
{
	return part == COMPARE_NEW ? "value" : "source-value";
}

static void put_part_tag(struct buffer *out, const char *start, unsigned part)
{
	netconf__put(out, start);
	netconf__put(out, part_name(part));
	netconf__put(out, ">");
}

static void end_part(struct netconf_compare *compare, struct buffer *out)
{
	struct compare_edit *edit = &compare->edit;
	bool replaces = edit->operation == EDIT_REPLACES && edit->part == COMPARE_NEW;
	put_part_tag(out, "</", edit->part);
	if (replaces) {
		begin_part(compare, COMPARE_OLD);
		put_part_tag(out, "<", COMPARE_OLD);
		return;
	}
	netconf__put(out, "</edit>");
	end_edit(compare);
}

/* The first bytes of the first value, if there are any: then all that is before them. */
static void begin_output(struct netconf_compare *compare, struct buffer *out)
{
	put_head(compare, out);
	put_part_tag(out, "<", compare->edit.part);
	netconf__put_bytes(out, buffer_get(&compare->scratch));
	buffer_clear(&compare->scratch, SCRATCH_KEEP);
	compare->edit.begun = true;
}

void compare__edit_step(struct netconf_compare *compare, struct buffer *out, size_t size)
{
	struct compare_edit *edit = &compare->edit;
	struct buffer *to = edit->begun ? out : &compare->scratch;
	bool done = false;
	enum status status = xml_encoder_run(edit->encoder, to, edit->begun ? size : 1, STEP_NODES, &done);
	ASSERT(status == ST_OK);
	if (!edit->begun && buffer_size(&compare->scratch) > 0)
		begin_output(compare, out);
	if (!done)
		return;
	xml_encoder_free(edit->encoder);
	edit->encoder = NULL;
	if (edit->begun)
		end_part(compare, out);
	else
		drop_edit(compare);
}
