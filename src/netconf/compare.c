/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The walk over two trees, side by side, in document order, that can stop after any node: a frame for each
 * container or entry that is in both and may differ below. What both trees share is skipped whole where both
 * sides present it alike: so versions of one datastore are compared at the cost of their difference.
 *
 *     frame of the roots -> frame of a container -> frame of a list entry -> ...      (top)
 *
 * Each side is seen through its view (operational has defaults in use) and its filter. The filter says which
 * parts are compared (RFC 9144 4): what it selects on one side is looked at on both, so that an edit is right
 * for all of the source. They present shared
 * nodes alike where the view and what is selected are the same; a view with defaults may show more of what is
 * shared, and then only what can have defaults is entered.
 *
 * What is only in one is an edit, and so is a leaf of another value (compare_edit.c); the walk goes on when
 * the edit is written. Annotations are no data (RFC 7952): an instance that differs in them alone is no
 * difference.
 *
 * State is only in one side, or the same in both, so sequences (map.h) are never compared item by item.
 *
 * Invariants: frames do not move, since positions point into them, and are as many as the schema is deep. The
 * path is that of the top frame, while an edit is written that of the edit.
 */
#include "netconf/compare.h"

#include "base/assert.h"
#include "base/memory.h"
#include "netconf/compare_internal.h"
#include "netconf/write.h"

#define STEP_NODES 64 /* visited by the encoder in one step */

/* ---- what is presented ---- */

void compare__judge(struct netconf_compare *compare, const struct compare_frame *frame, unsigned side,
		    struct compare_found *found)
{
	const struct compare_found *parent = &frame->sides[side];
	found->exists = codec_view_shows(&compare->input.views[side], &found->position);
	found->there = found->whole = found->exists && parent->whole;
	found->follows = false;
	found->state = NULL;
	if (!found->exists || parent->whole || parent->follows)
		return;
	const struct codec_selector *selector = netconf__filter_selector(compare->input.filters[side]);
	enum codec_select select = selector->judge(selector, parent->state, &found->position, &found->state);
	found->there = select != CODEC_SKIP;
	found->whole = select == CODEC_WHOLE;
}

static void follow(struct compare_found *found, const struct compare_found *leader)
{
	if (found->there || !found->exists || !leader->there)
		return;
	found->there = true;
	found->whole = leader->whole;
	found->follows = !leader->whole;
}

void compare__settle(struct compare_found found[COMPARE_SIDES])
{
	struct compare_found *a = &found[COMPARE_OLD], *b = &found[COMPARE_NEW];
	follow(a, b);
	follow(b, a);
	if (a->there && b->there && a->whole != b->whole)
		a->whole = b->whole = true;
}

bool compare__is_alike(const struct netconf_compare *compare, const struct compare_found *old_one,
		       const struct compare_found *new_one)
{
	if ((old_one->whole && new_one->whole) || old_one->follows || new_one->follows)
		return true;
	return compare->same_filter && old_one->whole == new_one->whole && old_one->state == new_one->state;
}

bool compare__shows_more(const struct netconf_compare *compare, const struct schema_node *node)
{
	return compare->defaults_below != NULL && compare->defaults_below[node->id];
}

/* Fills in which nodes can have defaults in use below them, or are such. */
static bool mark_defaults(struct netconf_compare *compare, const struct schema_node *node)
{
	bool any = node->config && node->default_count > 0 &&
		   (node->kind == SCHEMA_LEAF || node->kind == SCHEMA_LEAF_LIST);
	for (size_t i = 0; i < node->child_count; i++)
		any |= mark_defaults(compare, node->children[i]);
	compare->defaults_below[node->id] = any;
	return any;
}

/* ---- frames ---- */

static void push(struct netconf_compare *compare, const struct compare_found found[COMPARE_SIDES])
{
	struct compare_frame *outer = compare->top;
	struct compare_frame *frame = outer != NULL ? outer->inner : compare->bottom;
	if (frame == NULL) {
		frame = memory_zalloc(sizeof(*frame));
		frame->outer = outer;
		if (outer != NULL)
			outer->inner = frame;
		else
			compare->bottom = frame;
	}
	frame->sides[COMPARE_OLD] = found[COMPARE_OLD];
	frame->sides[COMPARE_NEW] = found[COMPARE_NEW];
	frame->next[COMPARE_OLD] = frame->next[COMPARE_NEW] = 0;
	frame->slot = 0;
	frame->path_size = buffer_size(&compare->path);
	frame->list.node = NULL;
	compare->top = frame;
	if (outer != NULL)
		compare__path_add(compare, &found[COMPARE_NEW].position);
}

static void pop(struct netconf_compare *compare)
{
	struct compare_frame *frame = compare->top;
	buffer_cut(&compare->path, buffer_size(&compare->path) - frame->path_size);
	compare->top = frame->outer;
}

/* The next child that a side stores, or that may be implicit; NULL: there is none. */
static const struct schema_node *next_child(struct netconf_compare *compare, struct compare_frame *frame)
{
	const struct schema_node *schema = frame->sides[COMPARE_OLD].position.schema;
	uint32_t slots[COMPARE_SIDES], slot = UINT32_MAX;
	for (unsigned side = 0; side < COMPARE_SIDES; side++) {
		const struct tree_record *record = frame->sides[side].position.record;
		bool more = record != NULL && frame->next[side] < record->length;
		slots[side] = more ? tree_record_indexes(record)[frame->next[side]] : UINT32_MAX;
		slot = slots[side] < slot ? slots[side] : slot;
	}
	if (compare->has_defaults)
		slot = frame->slot < schema->child_count ? frame->slot++ : UINT32_MAX;
	for (unsigned side = 0; side < COMPARE_SIDES; side++)
		frame->next[side] += slots[side] == slot && slot != UINT32_MAX;
	return slot == UINT32_MAX ? NULL : schema->children[slot];
}

/* A leaf, container or anydata of one side. */
static void find_child(struct netconf_compare *compare, const struct compare_frame *frame, unsigned side,
		       const struct schema_node *child, struct compare_found *found)
{
	const struct compare_found *parent = &frame->sides[side];
	*found = (struct compare_found){.there = false};
	if (tree_position_find_child(&parent->position, child, codec_view_tree(&compare->input.views[side]),
				     &found->position))
		compare__judge(compare, frame, side, found);
}

/* ---- comparing ---- */

static bool same_content(const struct compare_found found[COMPARE_SIDES])
{
	const struct tree_position *a = &found[COMPARE_OLD].position, *b = &found[COMPARE_NEW].position;
	switch (a->schema->kind) {
	case SCHEMA_LEAF:
	case SCHEMA_LEAF_LIST:
		return value_equal(a->value, b->value);
	case SCHEMA_ANYDATA:
	case SCHEMA_ANYXML:
		return a->any == b->any || bytes_equal(text_bytes(a->any->xml), text_bytes(b->any->xml));
	case SCHEMA_ROOT:
	case SCHEMA_CONTAINER:
	case SCHEMA_LIST:
	case SCHEMA_RPC:
	case SCHEMA_ACTION:
	case SCHEMA_OUTPUT:
	case SCHEMA_NOTIFICATION:
		break;
	}
	return false;
}

static bool has_children(const struct schema_node *node)
{
	return node->kind == SCHEMA_CONTAINER || node->kind == SCHEMA_LIST || node->kind == SCHEMA_ROOT;
}

/* A container or entry that is in both. */
static void enter(struct netconf_compare *compare, const struct compare_found found[COMPARE_SIDES])
{
	const struct compare_found *a = &found[COMPARE_OLD], *b = &found[COMPARE_NEW];
	bool shared = a->position.record == b->position.record && compare__is_alike(compare, a, b);
	if (!shared || compare__shows_more(compare, a->position.schema))
		push(compare, found);
}

void compare__pair(struct netconf_compare *compare, const struct compare_found found[COMPARE_SIDES])
{
	bool in_old = found[COMPARE_OLD].there, in_new = found[COMPARE_NEW].there;
	if (in_old && !in_new)
		compare__edit_begin(compare, EDIT_DELETES, found, NULL);
	else if (in_new && !in_old)
		compare__edit_begin(compare, EDIT_CREATES, found, NULL);
	else if (in_old && has_children(found[COMPARE_OLD].position.schema))
		enter(compare, found);
	else if (in_old && !same_content(found))
		compare__edit_begin(compare, EDIT_REPLACES, found, NULL);
}

static void compare_child(struct netconf_compare *compare, struct compare_frame *frame,
			  const struct schema_node *child)
{
	struct compare_found found[COMPARE_SIDES];
	if (child->is_key)
		return;
	if (child->kind == SCHEMA_LIST || child->kind == SCHEMA_LEAF_LIST) {
		compare__list_begin(compare, frame, child);
		return;
	}
	find_child(compare, frame, COMPARE_OLD, child, &found[COMPARE_OLD]);
	find_child(compare, frame, COMPARE_NEW, child, &found[COMPARE_NEW]);
	compare__settle(found);
	compare__pair(compare, found);
}

static void step(struct netconf_compare *compare, struct buffer *out, size_t size)
{
	struct compare_frame *frame = compare->top;
	compare->visited++;
	if (compare->edit.active) {
		compare__edit_step(compare, out, size);
		return;
	}
	if (frame->list.node != NULL) {
		compare__list_step(compare, frame);
		return;
	}
	const struct schema_node *child = next_child(compare, frame);
	if (child == NULL)
		pop(compare);
	else
		compare_child(compare, frame, child);
}

/* ---- the end ---- */

static void begin_matching(struct netconf_compare *compare, unsigned side)
{
	const struct netconf_compare_input *input = &compare->input;
	compare->matching_side = side;
	compare->matching = xml_encoder_new(input->schema, input->roots[side],
					    netconf__filter_selector(input->filters[side]), input->reclaimer);
	if (!codec_view_is_plain(&input->views[side]))
		xml_encoder_set_view(compare->matching, &input->views[side]);
}

static bool end_matching(struct netconf_compare *compare, struct buffer *out, bool matched)
{
	if (matched) {
		compare__patch_begin(compare, out);
		netconf__put(out, "</yang-patch></differences>");
		return true;
	}
	netconf__put(out, "<no-matches xmlns=\"");
	netconf__put(out, compare->input.ns);
	netconf__put(out, "\"/>");
	return true;
}

/* Nothing differs: whether the filter selects anything at all. True when that is known and said. */
static bool step_matching(struct netconf_compare *compare, struct buffer *out)
{
	bool done = false;
	const struct netconf_compare_input *input = &compare->input;
	if (input->filters[0] == NULL)
		return end_matching(compare, out, true);
	if (compare->matching == NULL && (input->filters[0]->is_empty && input->filters[1]->is_empty))
		return end_matching(compare, out, false);
	if (compare->matching == NULL)
		begin_matching(compare, COMPARE_OLD);
	enum status status = xml_encoder_run(compare->matching, &compare->scratch, 1, STEP_NODES, &done);
	ASSERT(status == ST_OK);
	compare->visited++;
	bool matched = buffer_size(&compare->scratch) > 0;
	if (!matched && !done)
		return false;
	xml_encoder_free(compare->matching);
	compare->matching = NULL;
	if (matched || compare->matching_side == COMPARE_NEW)
		return end_matching(compare, out, matched);
	begin_matching(compare, COMPARE_NEW);
	return false;
}

static bool write_stream(struct netconf_stream *stream, struct buffer *out, size_t size, size_t budget)
{
	struct netconf_compare *compare = (struct netconf_compare *)stream;
	size_t steps = budget;
	for (; compare->top != NULL && steps > 0 && buffer_size(out) < size; steps--) {
		steps -= compare->edit.active && steps > STEP_NODES ? STEP_NODES : 0;
		step(compare, out, size);
	}
	if (compare->top != NULL)
		return false;
	if (compare->edit_count > 0) {
		netconf__put(out, "</yang-patch></differences>");
		return true;
	}
	for (steps = budget / STEP_NODES + 1; steps > 0; steps--)
		if (step_matching(compare, out))
			return true;
	return false;
}

static void free_frames(struct netconf_compare *compare)
{
	struct compare_frame *inner;
	for (struct compare_frame *frame = compare->bottom; frame != NULL; frame = inner) {
		inner = frame->inner;
		compare__list_fini(&frame->list);
		memory_free(frame);
	}
}

static void free_stream(struct netconf_stream *stream)
{
	struct netconf_compare *compare = (struct netconf_compare *)stream;
	struct netconf_compare_input *input = &compare->input;
	xml_encoder_free(compare->edit.encoder);
	xml_encoder_free(compare->matching);
	free_frames(compare);
	netconf__filter_free(input->filters[0]);
	if (!compare->same_filter)
		netconf__filter_free(input->filters[1]);
	for (unsigned side = 0; side < COMPARE_SIDES; side++) {
		check_implicit_free(input->implicit[side]);
		tree_record_unref(input->roots[side], input->schema->root, input->reclaimer);
	}
	memory_free((char *)(uintptr_t)input->patch_id);
	memory_free(compare->defaults_below);
	buffer_fini(&compare->path);
	buffer_fini(&compare->scratch);
	memory_free(compare);
}

/* ---- the beginning ---- */

static void begin(struct netconf_compare *compare)
{
	const struct netconf_compare_input *input = &compare->input;
	struct compare_found found[COMPARE_SIDES];
	for (unsigned side = 0; side < COMPARE_SIDES; side++) {
		const struct netconf_filter *filter = input->filters[side];
		found[side] = (struct compare_found){
			.exists = true,
			.there = true,
			.whole = filter == NULL,
			.state = filter != NULL ? netconf__filter_selector(filter)->root_state : NULL,
			.position = tree_position_root(input->schema, input->roots[side]),
		};
	}
	/* An empty filter has no state at all. */
	bool selects =
		input->filters[0] == NULL || !(input->filters[0]->is_empty && input->filters[1]->is_empty);
	if (selects)
		enter(compare, found);
}

struct netconf_stream *netconf__compare_new(const struct netconf_compare_input *input)
{
	struct netconf_compare *compare = memory_zalloc(sizeof(*compare));
	compare->stream = (struct netconf_stream){.write = write_stream, .free = free_stream};
	compare->input = *input;
	compare->input.patch_id = memory_strdup(input->patch_id);
	compare->same_filter = input->filters[0] == input->filters[1];
	for (unsigned side = 0; side < COMPARE_SIDES; side++)
		compare->has_defaults |= codec_view_tree(&input->views[side]) == TREE_WITH_DEFAULTS;
	/* Of one tree in one view all is the same; else a `when` may tell apart even what is shared. */
	bool same =
		input->roots[0] == input->roots[1] && input->views[0].defaults == input->views[1].defaults;
	if (compare->has_defaults && !same) {
		compare->defaults_below = memory_zalloc(input->schema->node_count * sizeof(bool));
		mark_defaults(compare, input->schema->root);
	}
	buffer_init(&compare->path, SIZE_MAX);
	buffer_init(&compare->scratch, SIZE_MAX);
	begin(compare);
	return &compare->stream;
}

size_t netconf__compare_visited(const struct netconf_stream *stream)
{
	return ((const struct netconf_compare *)stream)->visited;
}
