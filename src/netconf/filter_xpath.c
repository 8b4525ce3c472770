/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * XPath filters (RFC 6241 8.9): the expression is evaluated on the pinned root, with the root as context; the
 * reply has the nodes of the node-set, each with all below it, with its ancestors and their keys, and none
 * twice.
 *
 *     node-set, in document order          picks
 *       /top/item[a]/size                    (root) - top - item[a] - size      (whole)
 *       /top/item[b]                                      \ item[b]             (whole)
 *
 * The picks are the positions of the node-set and of their ancestors as a tree. The encoder goes by them: of
 * a container the children that have picks, of a list with keys straight to the entries. State at an
 * instance: its pick.
 *
 * Where the path ends with names alone (xpath/tail.h), only what is before them is evaluated, and the encoder
 * goes by the names: so a list is selected whole, or a leaf of all its entries, without a node-set of it.
 *
 * The memory is bounded by the limits of the evaluation, nodes and bytes of arena: the picks are not more
 * than the positions that the evaluation made.
 */
#include "netconf/filter_xpath.h"

#include "base/assert.h"
#include "base/memory.h"
#include "base/vector.h"
#include "os/clock.h"
#include "xpath/depend.h"
#include "xpath/tail.h"

struct pick {
	const struct tree_position *position;
	struct pick *parent;
	struct pick *next;	/* while the tree is made: the last one made before this one */
	struct pick **children; /* in document order, so those of one schema node together */
	uint32_t child_count;
	bool whole;
	const struct schema_node *const *tail; /* below it, what these names find; NULL: what the picks are */
};

struct xpath_filter {
	struct netconf_filter base; /* first */
	const struct schema *schema;
	struct arena *arena;
	const struct xpath_expr *expr;
	struct xpath_tail split; /* tail NULL: all is evaluated */
	struct pick *tails;	 /* the states within the tail: [i] is that below an instance of tail[i] */
	struct pick *root;	 /* after the evaluation */
	const struct pick *hint; /* the one that the encoder is expected to ask for next */
};

const struct schema_module *netconf__scope_resolve(void *arg, struct bytes prefix)
{
	const struct netconf__scope *scope = arg;
	if (prefix.size == 0)
		return NULL;
	struct bytes uri = element_resolve(scope->element, prefix);
	return uri.size == 0 ? NULL : schema_module_find_ns(scope->schema, uri);
}

/* ---- From the node-set to picks. */

struct making {
	struct arena *arena;
	struct pick *root, *last, *made;
};

static struct pick *add_pick(struct making *making, struct pick *parent, const struct tree_position *position)
{
	struct pick *pick = arena_zalloc(making->arena, sizeof(*pick));
	pick->position = position;
	pick->parent = parent;
	pick->next = making->made;
	making->made = pick;
	if (parent != NULL)
		parent->child_count++;
	return pick;
}

static size_t depth_of(const struct tree_position *position)
{
	size_t depth = 0;
	for (; position->parent != NULL; position = position->parent)
		depth++;
	return depth;
}

/* The pick of the position, made where it is not there; NULL: it is below one that is whole. As positions
 * come in document order, one that is there is the last one made or one above it. */
static struct pick *pick_of(struct making *making, const struct tree_position *position)
{
	if (position->parent == NULL)
		return making->root->whole ? NULL : making->root;
	struct pick *parent = pick_of(making, position->parent);
	if (parent == NULL)
		return NULL;
	struct pick *last = making->last;
	size_t depth = depth_of(position);
	while (last != making->root && depth_of(last->position) > depth)
		last = last->parent;
	if (last->parent == parent &&
	    (last->position == position || tree_position_same(last->position, position)))
		return last->whole ? NULL : last;
	making->last = add_pick(making, parent, position);
	return making->last;
}

/* Children of each pick as an array; they were made in document order. */
static void link_picks(struct making *making)
{
	for (struct pick *pick = making->made; pick != NULL; pick = pick->next)
		if (pick->child_count > 0)
			pick->children =
				arena_alloc(making->arena, pick->child_count * sizeof(struct pick *));
	/* From the last one made to the first: each array is filled from its end. */
	for (struct pick *pick = making->made; pick != NULL; pick = pick->next) {
		if (pick->parent == NULL)
			continue;
		pick->parent->children[--pick->parent->child_count] = pick;
	}
}

/* The counts again, which link_picks used up. */
static void count_picks(struct making *making)
{
	for (struct pick *pick = making->made; pick != NULL; pick = pick->next)
		if (pick->parent != NULL)
			pick->parent->child_count++;
}

static void make_picks(struct xpath_filter *filter, const struct tree_position *root,
		       const struct xpath_value *value)
{
	struct making making = {.arena = filter->arena};
	making.root = making.last = add_pick(&making, NULL, root);
	for (size_t i = 0; i < value->length; i++) {
		const struct tree_position *node = value->nodes[i];
		/* A text node: its leaf. */
		if (node->parent != NULL && node->parent->schema == node->schema)
			node = node->parent;
		struct pick *pick = pick_of(&making, node);
		if (pick == NULL)
			continue;
		pick->tail = filter->split.tail;
		pick->whole = pick->tail == NULL;
	}
	link_picks(&making);
	count_picks(&making);
	filter->root = making.root;
}

/* ---- The selector. */

/* The picks of one schema node among the children of a pick. */
static struct pick **find_picks(const struct pick *pick, const struct schema_node *schema, size_t *count)
{
	size_t low = 0, high = pick->child_count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (pick->children[middle]->position->schema->slot < schema->slot)
			low = middle + 1;
		else
			high = middle;
	}
	size_t first = low;
	for (high = pick->child_count; low < high;) {
		size_t middle = (low + high) / 2;
		if (pick->children[middle]->position->schema->slot <= schema->slot)
			low = middle + 1;
		else
			high = middle;
	}
	*count = low - first;
	return pick->children + first;
}

static bool is_of(const struct pick *pick, const struct tree_position *child)
{
	const struct tree_position *position = pick->position;
	switch (child->schema->kind) {
	case SCHEMA_LEAF_LIST:
		return value_equal(position->value, child->value) &&
		       (!tree_node_is_sequence(child->schema) || position->index == 0 || child->index == 0 ||
			position->index == child->index);
	case SCHEMA_LIST:
		return position->record == child->record &&
		       (!tree_node_is_sequence(child->schema) || position->index == 0 || child->index == 0 ||
			position->index == child->index);
	case SCHEMA_ROOT:
	case SCHEMA_CONTAINER:
	case SCHEMA_LEAF:
	case SCHEMA_ANYDATA:
	case SCHEMA_ANYXML:
	case SCHEMA_RPC:
	case SCHEMA_ACTION:
	case SCHEMA_OUTPUT:
	case SCHEMA_NOTIFICATION:
		break;
	}
	return true;
}

/* Whether it is a key that the tail ends with: then the entry is there for it. */
static bool ends_with_key(const struct schema_node *const *tail)
{
	return tail != NULL && tail[0] != NULL && tail[0]->is_key;
}

static enum codec_select judge_by_name(const struct xpath_filter *filter, const struct pick *parent,
				       const struct schema_node *child, const void **child_state)
{
	if (child != parent->tail[0])
		return CODEC_SKIP;
	if (parent->tail[1] == NULL)
		return CODEC_WHOLE;
	const struct pick *state = &filter->tails[parent->tail - filter->split.tail];
	*child_state = state;
	return ends_with_key(state->tail) ? CODEC_ENTER : CODEC_TRY;
}

/* The encoder asks in document order, so the one after the last one found is looked at first. */
static const struct pick *find_pick(struct xpath_filter *filter, const struct pick *pick,
				    const struct tree_position *child)
{
	size_t count;
	struct pick **picks = find_picks(pick, child->schema, &count);
	if (filter->hint != NULL && filter->hint->parent == pick &&
	    filter->hint->position->schema == child->schema && is_of(filter->hint, child))
		return filter->hint;
	for (size_t i = 0; i < count; i++)
		if (is_of(picks[i], child))
			return picks[i];
	return NULL;
}

static enum codec_select judge(const struct codec_selector *selector, const void *state,
			       const struct tree_position *child, const void **child_state)
{
	/* The selector is the first member of a filter of which only the encoder's thread knows. */
	struct xpath_filter *filter = (struct xpath_filter *)(uintptr_t)selector;
	const struct pick *parent = state;
	if (parent->whole)
		return CODEC_WHOLE;
	if (child->schema->is_key)
		return CODEC_WHOLE;
	if (parent->tail != NULL)
		return judge_by_name(filter, parent, child->schema, child_state);
	const struct pick *pick = find_pick(filter, parent, child);
	if (pick == NULL)
		return CODEC_SKIP;
	if (pick->whole)
		return CODEC_WHOLE;
	*child_state = pick;
	return filter->split.tail != NULL && !ends_with_key(pick->tail) ? CODEC_TRY : CODEC_ENTER;
}

static bool wants(const struct codec_selector *selector, const void *state, const struct schema_node *child)
{
	(void)selector;
	const struct pick *pick = state;
	size_t count;
	if (pick->whole || child->is_key)
		return true;
	if (pick->tail != NULL)
		return child == pick->tail[0];
	find_picks(pick, child, &count);
	return count > 0;
}

static size_t entries(const struct codec_selector *selector, const void *state,
		      const struct schema_node *list, size_t index, const struct value **keys)
{
	struct xpath_filter *filter = (struct xpath_filter *)(uintptr_t)selector;
	const struct pick *pick = state;
	size_t count;
	if (pick->whole || pick->tail != NULL || tree_node_is_sequence(list))
		return 0;
	struct pick **picks = find_picks(pick, list, &count);
	if (index < count) {
		const struct tree_position *position = picks[index]->position;
		filter->hint = picks[index];
		*keys = list->kind == SCHEMA_LIST ? &position->record->slots[0].value : &position->value;
	}
	return count;
}

/* ---- The filter. */

struct xpath_limits netconf__xpath_limits(const struct netconf__filter_limits *limits)
{
	struct xpath_limits own = {
		.steps = limits->steps, .max_nodes = limits->nodes, .interrupt = limits->interrupt};
	if (limits->time_ms > 0)
		own.due_ns = os_clock_after_ms(os_clock_thread_ns(), limits->time_ms);
	return own;
}

const char *netconf__xpath_limit_name(const struct xpath_limits *left, bool is_memory)
{
	switch (left->stop) {
	case XPATH_OUT_OF_TIME:
		return "max-filter-time";
	case XPATH_INTERRUPTED:
		return "the session or the server is ending";
	case XPATH_GOES_ON:
		break;
	}
	if (left->steps == 0)
		return "max-filter-steps";
	return is_memory ? "max-filter-memory" : "max-filter-nodes";
}

static enum status evaluate(struct netconf_filter *self, const struct tree_record *root,
			    const struct netconf__filter_limits *limits)
{
	struct xpath_filter *filter = (struct xpath_filter *)self;
	struct tree_position *top = arena_alloc(filter->arena, sizeof(*top));
	*top = tree_position_root(filter->schema, root);
	struct xpath_limits left = netconf__xpath_limits(limits);
	struct xpath_env env = {
		.schema = filter->schema,
		.root = root,
		.arena = filter->arena,
		.limits = &left,
		.memory = limits->memory,
		.view = codec_view_tree(self->view),
		.implicit = self->view == NULL ? NULL : self->view->implicit,
		.search = limits->search,
	};
	struct xpath_value value;
	enum status status =
		xpath_eval(filter->split.tail != NULL ? filter->split.head : filter->expr, &env, top, &value);
	if (status != ST_OK) {
		bool is_memory = arena_size(filter->arena) > limits->memory;
		self->limit = netconf__xpath_limit_name(&left, is_memory);
		return status;
	}
	if (value.type != XPATH_NODE_SET)
		return ST_REJECTED;
	make_picks(filter, top, &value);
	self->selector.root_state = filter->root;
	self->is_empty = value.length == 0;
	self->selects_all = filter->root->whole;
	return ST_OK;
}

static bool reads_top(const struct netconf_filter *self, const struct schema_node *node)
{
	const struct xpath_filter *filter = (const struct xpath_filter *)self;
	for (const struct xpath_read *read = xpath_reads(filter->expr); read != NULL; read = read->next) {
		const struct schema_node *top = read->node;
		while (top->parent != NULL && top->parent->kind != SCHEMA_ROOT)
			top = top->parent;
		if (top == node || top->kind == SCHEMA_ROOT)
			return true;
	}
	return false;
}

static bool is_work(const struct xpath_expr *expr)
{
	for (const struct xpath_read *read = xpath_reads(expr); read != NULL; read = read->next)
		if (read->many)
			return true;
	return false;
}

static void make_tails(struct xpath_filter *filter)
{
	const struct schema_node *const *tail = filter->split.tail;
	size_t length = 0;
	while (tail[length] != NULL)
		length++;
	filter->tails = arena_zalloc(filter->arena, length * sizeof(struct pick));
	for (size_t i = 0; i < length; i++)
		filter->tails[i].tail = tail + i + 1;
	filter->base.is_work = !filter->split.is_lookup;
}

static void free_filter(struct netconf_filter *self)
{
	struct xpath_filter *filter = (struct xpath_filter *)self;
	arena_free(filter->arena);
	memory_free(filter);
}

enum status netconf__filter_new_xpath(const struct schema *schema, const struct element *element,
				      struct bytes select, struct arena *arena, const char **message,
				      struct netconf_filter **compiled)
{
	struct xpath_filter *filter = memory_zalloc(sizeof(*filter));
	filter->base = (struct netconf_filter){
		.selector = {.judge = judge, .wants = wants, .entries = entries},
		.evaluate = evaluate,
		.reads_top = reads_top,
		.free = free_filter,
	};
	filter->schema = schema;
	filter->arena = arena_new();
	struct netconf__scope prefixes = {schema, element};
	struct xpath_scope scope = {.schema = schema,
				    .context = schema->root,
				    .resolve = netconf__scope_resolve,
				    .arg = &prefixes};
	struct xpath_error error;
	enum status status = xpath_compile(&scope, select, filter->arena, &error, &filter->expr);
	if (status != ST_OK) {
		*message = arena_strdup(arena, bytes_of(error.message));
		free_filter(&filter->base);
		return status;
	}
	filter->base.is_work = is_work(filter->expr);
	if (xpath_tail_split(filter->expr, filter->arena, &filter->split))
		make_tails(filter);
	*compiled = &filter->base;
	return ST_OK;
}
