/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Models and trees as text; see helper_model.h. Modules are written to a folder of their own for the time of
 * loading.
 */
#include "helper_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check/settle.h"
#include "schema/load.h"
#include "schema/type.h"

static void load(struct model *model, const char *dir, const char *const *names, enum model_imports imports)
{
	static const char *const all = "*";
	struct schema_module_request requests[MODEL_MODULES_MAX];
	size_t count = 0;
	for (; names[count]; count++)
		requests[count] = (struct schema_module_request){
			.name = names[count], .features = &all, .feature_count = 1};
	struct schema_source source = {.search_dirs = &dir,
				       .search_dir_count = 1,
				       .modules = requests,
				       .module_count = count,
				       .implement_imports = imports == MODEL_IMPORTS_IMPLEMENTED};
	struct arena *arena = arena_new();
	struct diag_list diags;
	diag_list_init(&diags, arena, 10);
	*model = (struct model){.limit = 1000,
				.options = {.steps = 100000000, .max_nodes = 1000000, .verify = true}};
	enum status status = schema_load(&source, &diags, &model->schema);
	if (status == ST_OK)
		status = check_plan_new(model->schema, &diags, &model->plan);
	for (const struct diag *diag = diags.first; diag; diag = diag->next)
		print_message("%s\n", diag->message ? diag->message : "?");
	assert_int_equal(status, ST_OK);
	arena_free(arena);
}

void model_init(struct model *model, const char *name, const char *yang)
{
	char dir[] = "/tmp/check-model-XXXXXX";
	assert_non_null(mkdtemp(dir));
	char path[256];
	snprintf(path, sizeof(path), "%s/%s.yang", dir, name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(yang, file);
	fclose(file);
	const char *names[] = {name, NULL};
	load(model, dir, names, MODEL_IMPORTS_AS_NEEDED);
	unlink(path);
	rmdir(dir);
}

const char *model_shared(const char *folder)
{
	static char path[1024];
	const char *shared = getenv("YARE_SHARED"), *source = getenv("YARE_SOURCE");
	if (shared)
		snprintf(path, sizeof(path), "%s/%s", shared, folder);
	else
		snprintf(path, sizeof(path), "%s/../shared/%s", source ? source : ".", folder);
	if (access(path, R_OK) == 0)
		return path;
	print_message("skipped: no %s\n", path);
	return NULL;
}

void model_init_set(struct model *model, const char *dir, const char *const *names,
		    enum model_imports imports)
{
	load(model, dir, names, imports);
}

bool model_init_perf_test(struct model *model)
{
	static const char *const names[] = {"perf-test", NULL};
	const char *dir = model_shared("yang/perf-test");
	if (dir)
		load(model, dir, names, MODEL_IMPORTS_AS_NEEDED);
	return dir != NULL;
}

void model_fini(struct model *model)
{
	check_plan_free(model->plan);
	schema_unref(model->schema);
}

/* ---- Edits. */

struct segment {
	struct bytes name;
	char mark; /* '[', '=', '+', '!' or 0 */
	struct bytes text;
};

static struct segment next_segment(const char **at)
{
	size_t name = strcspn(*at, "/[=+!");
	struct segment segment = {.name = {*at, name}};
	const char *p = *at + name;
	if (*p == '\0' || *p == '/') {
		*at = *p ? p + 1 : p;
		return segment;
	}
	segment.mark = *p++;
	size_t size = segment.mark == '[' ? strcspn(p, "]") : strlen(p);
	segment.text = (struct bytes){p, size};
	p += size;
	if (segment.mark == '[')
		p++;
	*at = *p == '/' ? p + 1 : p;
	return segment;
}

static struct value parse_value(const struct schema *schema, const struct schema_node *node,
				struct bytes text)
{
	struct arena *arena = arena_new();
	struct schema_type_error error = {.message = NULL};
	struct value value = VALUE_NONE;
	struct schema_prefixes_canonical prefixes = schema_prefixes_canonical(schema, node->module);
	enum status status =
		schema_type_parse(schema, node->type, text, &prefixes.base, arena, &value, &error);
	if (status != ST_OK)
		print_message("%s: '%.*s': %s\n", node->name, (int)text.size, text.data, error.message);
	assert_int_equal(status, ST_OK);
	arena_free(arena);
	return value;
}

static size_t parse_keys(const struct schema *schema, const struct schema_node *list, struct bytes text,
			 struct value *keys)
{
	size_t count = 0;
	while (count < list->key_count) {
		const char *comma = memchr(text.data, ',', text.size);
		size_t size = comma ? (size_t)(comma - text.data) : text.size;
		keys[count] = parse_value(schema, list->children[count], (struct bytes){text.data, size});
		count++;
		if (!comma)
			break;
		text = (struct bytes){comma + 1, text.size - size - 1};
	}
	assert_int_equal(count, list->key_count);
	return count;
}

static void clear_case(struct tree_builder *builder, const struct schema_node *parent,
		       const struct schema_case *c)
{
	for (size_t i = 0; i < c->slot_count; i++)
		tree_builder_remove(builder, parent->children[c->slots[i]]);
}

void model_clear_cases(struct tree_builder *builder, const struct schema_node *child)
{
	for (const struct schema_case *c = child->in_case; c; c = c->choice->outer) {
		for (size_t i = 0; i < c->choice->case_count; i++) {
			if (&c->choice->cases[i] != c)
				clear_case(builder, child->parent, &c->choice->cases[i]);
		}
	}
}

static bool edit_last(struct model *model, struct tree_builder *builder, const struct schema_node *node,
		      const struct segment *segment, bool removing)
{
	if (removing && segment->mark == 0) {
		tree_builder_remove(builder, node);
		return true;
	}
	if (segment->mark != '=' && segment->mark != '+')
		return false;
	struct value value = parse_value(model->schema, node, segment->text);
	if (removing)
		tree_builder_remove_value(builder, node, value);
	else if (segment->mark == '=')
		tree_builder_set_leaf(builder, node, value);
	else
		tree_builder_add_value(builder, node, value);
	value_unref(value);
	return true;
}

/* Enters a container or entry; false where a removal has nothing more to do. */
static bool edit_enter(struct model *model, struct tree_builder *builder, const struct schema_node *node,
		       const struct segment *segment, bool removing, bool last)
{
	if (segment->mark != '[') {
		if (removing)
			return tree_builder_enter_existing(builder, node);
		tree_builder_enter(builder, node);
		if (segment->mark == '!' || node->presence)
			tree_builder_make(builder);
		return true;
	}
	struct value keys[8];
	size_t count = parse_keys(model->schema, node, segment->text, keys);
	bool made, entered = !(removing && last);
	if (removing && last)
		tree_builder_remove_entry(builder, node, keys);
	else if (removing)
		entered = tree_builder_enter_existing_entry(builder, node, keys);
	else
		tree_builder_enter_entry(builder, node, keys, &made);
	for (size_t i = 0; i < count; i++)
		value_unref(keys[i]);
	return entered;
}

static void edit_line(struct model *model, struct tree_builder *builder, const char *line)
{
	bool removing = *line == '-';
	line += removing;
	size_t entered = 0;
	const struct schema_node *parent = model->schema->root;
	while (*line) {
		struct segment segment = next_segment(&line);
		const struct schema_node *node = schema_child_find_any(parent, segment.name, NULL);
		if (!node)
			print_message("no node %.*s\n", (int)segment.name.size, segment.name.data);
		assert_non_null(node);
		bool last = *line == '\0';
		if (!removing)
			model_clear_cases(builder, node);
		if (last && edit_last(model, builder, node, &segment, removing))
			break;
		if (!edit_enter(model, builder, node, &segment, removing, last))
			break;
		entered++;
		parent = node;
	}
	while (entered-- > 0)
		tree_builder_leave(builder);
}

struct tree_record *model_edit(struct model *model, const struct tree_record *base, const char *edit)
{
	struct tree_record *empty = base ? NULL : tree_record_new();
	struct tree_builder *builder = tree_builder_new(model->schema, base ? base : empty, NULL);
	char *copy = strdup(edit), *rest = NULL;
	for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		edit_line(model, builder, line);
	free(copy);
	struct tree_record *root = tree_builder_finish(builder);
	if (empty)
		model_drop(model, empty);
	return root;
}

void model_drop(struct model *model, const struct tree_record *root)
{
	tree_record_unref(root, model->schema->root, NULL);
}

/* ---- Checks. */

static char *format(const struct diag_list *diags)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	for (const struct diag *diag = diags->first; diag; diag = diag->next) {
		fprintf(out, "%s %s %s %s", diag_tag_name(diag->tag), diag->app_tag ? diag->app_tag : "-",
			diag->path ? diag->path : "-", diag->message);
		for (const struct diag_info *info = diag->infos; info; info = info->next)
			fprintf(out, " <%s>%s", info->name, info->value);
		fputc('\n', out);
	}
	if (diags->dropped > 0)
		fprintf(out, "%zu more\n", diags->dropped);
	fclose(out);
	return text;
}

static char *settle(struct model *model, const struct check_options *options, const struct tree_record *old,
		    struct tree_record **root)
{
	struct arena *arena = arena_new();
	struct diag_list diags;
	diag_list_init(&diags, arena, model->limit);
	enum status status = check_settle(model->plan, options, old, root, &diags);
	assert_int_equal(status, diags.length + diags.dropped > 0 ? ST_REJECTED : ST_OK);
	char *text = format(&diags);
	arena_free(arena);
	return text;
}

/* What was made from a change is what is made in full. */
static void expect_full_index(struct model *model, const struct check_index *index,
			      const struct tree_record *root)
{
	struct check_index *full = check_index_new(model->plan, root);
	assert_true(check_index_equal(index, full));
	check_index_unref(full, NULL);
}

/* Of a root that is settled and need not be valid, forward and back. */
static void expect_followed(struct model *model, const struct tree_record *old,
			    const struct check_index *index, const struct tree_record *root)
{
	struct check_index *followed = check_index_follow(model->plan, old, index, root, NULL);
	struct check_index *back = check_index_follow(model->plan, root, followed, old, NULL);
	expect_full_index(model, followed, root);
	assert_true(check_index_equal(index, back));
	check_index_unref(followed, NULL);
	check_index_unref(back, NULL);
}

char *model_settle(struct model *model, const struct tree_record *old, struct tree_record **root)
{
	struct tree_record *empty = old ? NULL : tree_record_new();
	struct tree_record *again = tree_record_ref(*root);
	struct check_options indexed = model->options, plain = model->options;
	indexed.index = old ? check_index_new(model->plan, old) : NULL;
	plain.counters = NULL;
	plain.tally = NULL;
	char *text = settle(model, &indexed, old ? old : empty, root);
	char *text_again = settle(model, &plain, old ? old : empty, &again);
	assert_string_equal(text, text_again);
	assert_true(*text != '\0' || tree_record_equal(model->schema->root, *root, again));
	if (old && *text == '\0')
		expect_followed(model, old, indexed.index, *root);
	check_index_unref(indexed.index, NULL);
	free(text_again);
	model_drop(model, again);
	if (empty)
		model_drop(model, empty);
	return text;
}

/* The answer without how many more there are, where there are more: the search for them may end early. */
static void cut_more(char *text)
{
	size_t end = strlen(text);
	if (end > 6 && strcmp(text + end - 6, " more\n") == 0) {
		for (end -= 6; end > 0 && text[end - 1] != '\n';)
			end--;
		strcpy(text + end, "more");
	}
}

/* On several threads, which share the smallest list, the answer is the same. */
static void expect_same_on_threads(struct model *model, const struct tree_change_set *changes,
				   const struct check_options *alone, const struct check_index *alone_index,
				   const char *alone_text)
{
	struct arena *arena = arena_new();
	struct check_index *index = NULL;
	struct check_counters counters = {0};
	struct check_options options = *alone;
	options.threads = (struct check_threads){.count = 3, .least = 1};
	options.counters = &counters;
	options.new_index = &index;
	options.tally = NULL;
	struct diag_list diags;
	diag_list_init(&diags, arena, model->limit);
	enum status status = check_changes(model->plan, changes, &options, &diags);
	char *text = format(&diags), *wanted = strdup(alone_text);
	cut_more(text);
	cut_more(wanted);
	assert_string_equal(text, wanted);
	assert_int_equal(status, *wanted == '\0' ? ST_OK : ST_REJECTED);
	assert_true(check_index_equal(index, alone_index));
	if (options.full && counters.whens == 0 && diags.dropped == 0)
		assert_memory_equal(&counters, alone->counters, sizeof(counters));
	check_index_unref(index, NULL);
	free(wanted);
	free(text);
	arena_free(arena);
}

static char *check_settled(struct model *model, const struct tree_record *old, const struct tree_record *new)
{
	struct arena *arena = arena_new();
	struct tree_change_set changes;
	struct tree_record *empty = tree_record_new();
	tree_diff(model->schema, old ? old : empty, new, arena, &changes);
	struct check_options options = model->options;
	options.full = old == NULL;
	struct check_index *old_index = old ? check_index_new(model->plan, old) : NULL;
	struct check_index *kept_index = old ? check_index_new(model->plan, old) : NULL;
	struct check_index *new_index = NULL;
	options.index = old_index;
	options.new_index = &new_index;
	model->counters = (struct check_counters){0};
	options.counters = &model->counters;
	struct diag_list diags;
	diag_list_init(&diags, arena, model->limit);
	enum status status = check_changes(model->plan, &changes, &options, &diags);
	assert_int_equal(status, diags.length + diags.dropped > 0 ? ST_REJECTED : ST_OK);
	if (status == ST_OK)
		expect_full_index(model, new_index, new);
	char *text = format(&diags);
	expect_same_on_threads(model, &changes, &options, new_index, text);
	assert_true(check_index_equal(old_index, kept_index));
	check_index_unref(new_index, NULL);
	check_index_unref(old_index, NULL);
	check_index_unref(kept_index, NULL);
	arena_free(arena);
	model_drop(model, empty);
	return text;
}

char *model_check(struct model *model, const struct tree_record *old, const struct tree_record *new)
{
	struct tree_record *root = tree_record_ref(new);
	char *text = model_settle(model, old, &root);
	if (*text == '\0') {
		free(text);
		text = check_settled(model, old, root);
	}
	model_drop(model, root);
	return text;
}

void model_expect(struct model *model, const char *base, const char *edit, const char *faults)
{
	struct tree_record *old = model_edit(model, NULL, base);
	char *text = model_check(model, NULL, old);
	assert_string_equal(text, "");
	free(text);
	struct tree_record *new = model_edit(model, old, edit);
	text = model_check(model, NULL, new);
	assert_string_equal(text, faults);
	free(text);
	text = model_check(model, old, new);
	assert_string_equal(text, faults);
	free(text);
	model_drop(model, new);
	model_drop(model, old);
}

static void append_line(const char *line, void *arg)
{
	fprintf(arg, "%s\n", line);
}

char *model_describe(struct model *model)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	check_plan_describe(model->plan, append_line, out);
	fclose(out);
	return text;
}
