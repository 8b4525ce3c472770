/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handlers that are programs. A call goes on a thread of the programs' own pool, which bounds how many run at
 * a time and keeps them out of everybody else's way:
 *
 *     position of the operation --encoder--> standard input    standard output --decoder--> record --> output
 *
 * The input is encoded piece by piece as the program takes it. Its output is kept, within its limit, until
 * the program has ended well; then it is decoded as a request's content is, so that all that can be wrong
 * with it is found, and the caller validates it (op_invoke.c). Nothing of a program that failed is used but
 * its message.
 */
#include "netconf/program.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/log.h"
#include "base/memory.h"
#include "check/implicit.h"
#include "codec/edit_decoder.h"
#include "codec/xml_encoding.h"
#include "edit/input.h"
#include "netconf/handlers.h"
#include "netconf/message.h"
#include "netconf/write.h"
#include "os/process.h"
#include "store/plan.h"

#define PIECE_SIZE ((size_t)16 * 1024)
#define PIECE_NODES 2000
#define ERROR_SIZE ((size_t)4096) /* bytes kept of what a program writes to its standard error */

struct program {
	struct program *next;
	struct netconf_programs *programs;
	char *path;
	char *operation; /* "MODULE:NAME" */
};

struct netconf_programs {
	struct netconf_server *server;
	struct netconf_program_limits limits;
	struct os_pool *pool;
	struct program *first;
	_Atomic bool ending;
};

/* One run of a program. */
struct run {
	const struct netconf_call *call;
	const struct program *program;
	struct buffer head, tail; /* around the input: the operation, and the way to an action's instance */
	struct buffer piece;	  /* encoded, and not given yet */
	struct xml_encoder *encoder;
	bool encoded;
};

/* ---- The input. ---- */

/* A copy of the input in which defaults in use are as if they had been sent. */
struct copying {
	const struct schema *schema;
	struct tree_builder *builder;
	struct xpath_implicit *implicit;
};

static void copy_children(const struct copying *copying, const struct tree_position *from);

/* Depth: that of the input. */
static void copy(const struct copying *copying, const struct tree_position *from)
{
	struct tree_builder *builder = copying->builder;
	const struct schema_node *schema = from->schema;
	bool made;
	if (schema->kind == SCHEMA_LEAF) {
		if (!schema->is_key)
			tree_builder_set_leaf(builder, schema, from->value);
		return;
	}
	if (schema->kind == SCHEMA_LEAF_LIST) {
		tree_builder_add_value(builder, schema, from->value);
		return;
	}
	if (schema->kind == SCHEMA_ANYDATA || schema->kind == SCHEMA_ANYXML) {
		tree_builder_set_any(builder, schema, (struct tree_any *)from->any);
		return;
	}
	if (schema->kind == SCHEMA_CONTAINER)
		tree_builder_enter(builder, schema);
	else if (schema->key_count > 0)
		tree_builder_enter_entry(builder, schema, &from->record->slots[0].value, &made);
	else
		tree_builder_append_entry(builder, schema);
	if (schema->kind == SCHEMA_CONTAINER && !from->implicit)
		tree_builder_make(builder);
	copy_children(copying, from);
	tree_builder_leave(builder);
}

static void copy_children(const struct copying *copying, const struct tree_position *from)
{
	struct tree_cursor cursor;
	struct tree_position child;
	tree_cursor_init(&cursor, copying->schema, from, TREE_WITH_DEFAULTS);
	while (tree_cursor_next(&cursor, &child)) {
		bool there = true;
		if (child.implicit && child.schema->when_count > 0 &&
		    copying->implicit->exists(copying->implicit, &child, &there) != ST_OK)
			there = false;
		if (there)
			copy(copying, &child);
	}
}

static struct tree_record *complete_input(const struct netconf_call *call)
{
	struct netconf_server *server = call->server;
	struct check_implicit *implicit = check_implicit_new(store_plan(server->store), call->root);
	check_implicit_set_operation(implicit, call->input);
	struct tree_record *empty = tree_record_new();
	struct copying copying = {
		.schema = server->schema,
		.builder = tree_builder_new_at(server->schema, call->operation, empty, server->reclaimer),
		.implicit = check_implicit_get(implicit),
	};
	tree_record_unref(empty, call->operation, NULL);
	copy_children(&copying, call->input);
	check_implicit_free(implicit);
	return tree_builder_finish(copying.builder);
}

static void put_start(struct buffer *out, const struct schema_node *node)
{
	netconf__put(out, "<");
	netconf__put(out, node->name);
	netconf__put(out, " xmlns=\"");
	netconf__put_escaped(out, bytes_of(node->module->ns), true);
	netconf__put(out, "\">");
}

static void put_end(struct buffer *out, const struct schema_node *node)
{
	netconf__put(out, "</");
	netconf__put(out, node->name);
	netconf__put(out, ">");
}

static void put_keys(struct run *run, const struct tree_position *entry)
{
	for (uint16_t i = 0; i < entry->schema->key_count; i++) {
		struct tree_position key;
		if (!tree_position_find_child(entry, entry->schema->children[i], TREE_EXPLICIT, &key))
			continue;
		struct codec_part part = {.position = &key, .whole = true};
		struct xml_encoder *encoder =
			xml_encoder_new_part(run->call->server->schema, &part, run->call->server->reclaimer);
		bool done = false;
		while (!done) {
			enum status status = xml_encoder_run(encoder, &run->head, SIZE_MAX - XML_ENCODER_ROOM,
							     PIECE_NODES, &done);
			ASSERT(status == ST_OK);
		}
		xml_encoder_free(encoder);
	}
}

/* From the top down. Depth: that of the schema. */
static void put_way(struct run *run, const struct tree_position *position)
{
	if (position->parent == NULL)
		return;
	put_way(run, position->parent);
	put_start(&run->head, position->schema);
	if (position->schema->kind == SCHEMA_LIST)
		put_keys(run, position);
}

static void begin_input(struct run *run)
{
	const struct netconf_call *call = run->call;
	struct netconf_server *server = call->server;
	put_way(run, call->input);
	for (const struct tree_position *up = call->input; up->parent != NULL; up = up->parent)
		put_end(&run->tail, up->schema);
	struct tree_record *input = complete_input(call);
	run->encoder = xml_encoder_new_at(server->schema, call->operation, input, server->reclaimer);
	tree_record_unref(input, call->operation, server->reclaimer);
}

static size_t take(struct buffer *buffer, char *data, size_t size)
{
	struct bytes bytes = buffer_get(buffer);
	size_t taken = bytes.size < size ? bytes.size : size;
	if (taken > 0)
		memcpy(data, bytes.data, taken);
	buffer_consume(buffer, taken);
	return taken;
}

static size_t give_input(void *arg, char *data, size_t size)
{
	struct run *run = arg;
	size_t taken = take(&run->head, data, size);
	while (taken == 0 && buffer_size(&run->piece) == 0 && !run->encoded) {
		enum status status =
			xml_encoder_run(run->encoder, &run->piece, PIECE_SIZE, PIECE_NODES, &run->encoded);
		ASSERT(status == ST_OK);
	}
	if (taken == 0)
		taken = take(&run->piece, data, size);
	return taken > 0 ? taken : take(&run->tail, data, size);
}

static bool is_stopped(void *arg)
{
	const struct run *run = arg;
	return atomic_load_explicit(&run->program->programs->ending, memory_order_relaxed) ||
	       !netconf_call_is_wanted(run->call);
}

/* ---- The output. ---- */

struct decoding {
	struct edit_decoder *decoder;
	unsigned depth;
};

static enum status on_start(void *arg, const struct xml_start *start)
{
	struct decoding *decoding = arg;
	return ++decoding->depth == 1 ? ST_OK : edit_decoder_start(decoding->decoder, start);
}

static enum status on_end(void *arg)
{
	struct decoding *decoding = arg;
	return --decoding->depth == 0 ? ST_OK : edit_decoder_end(decoding->decoder);
}

static enum status on_text(void *arg, struct bytes text)
{
	struct decoding *decoding = arg;
	return edit_decoder_text(decoding->decoder, text);
}

/* Within an element of the operation's namespace, so that several elements are a document, and those
 * without a namespace are in it. */
static enum status read_output(const struct netconf_call *call, struct xml_reader *reader, struct bytes text)
{
	struct buffer start;
	buffer_init(&start, SIZE_MAX);
	put_start(&start, call->operation);
	enum status status = xml_reader_feed(reader, buffer_get(&start));
	buffer_clear(&start, 0);
	put_end(&start, call->operation);
	if (status == ST_OK)
		status = xml_reader_feed(reader, text);
	if (status == ST_OK)
		status = xml_reader_feed(reader, buffer_get(&start));
	buffer_fini(&start);
	return status == ST_OK ? xml_reader_finish(reader) : status;
}

static enum status decode(const struct netconf_call *call, struct bytes text, struct diag_list *diags,
			  struct edit_tree **tree)
{
	static const struct xml_handlers handlers = {.start = on_start, .end = on_end, .text = on_text};
	const struct netconf_limits *server_limits = &call->server->limits;
	struct xml_reader_limits limits = netconf__reader_limits(server_limits);
	struct edit_decoder_options options = {
		.content = EDIT_CONTENT_OUTPUT,
		.output = call->operation->output,
		.memory_limit = server_limits->request_size * NETCONF_EDIT_MEMORY_FACTOR,
	};
	struct decoding decoding = {.depth = 0};
	struct xml_reader *reader = xml_reader_new(&handlers, &decoding, &limits);
	decoding.decoder = edit_decoder_new(call->server->schema, reader, &options, diags);
	enum status status = read_output(call, reader, text);
	if (status != ST_OK && diags->length == 0)
		diag_add(diags, DIAG_APPLICATION, DIAG_OPERATION_FAILED, "%s", xml_reader_error(reader));
	else if (status == ST_OK)
		status = edit_decoder_finish(decoding.decoder, tree);
	edit_decoder_free(decoding.decoder);
	xml_reader_free(reader);
	return status;
}

/* In the encoding that it declares. */
static enum status decode_any(const struct netconf_call *call, struct bytes text, struct diag_list *diags,
			      struct edit_tree **tree)
{
	struct buffer space;
	struct xml_utf8 as;
	buffer_init(&space, SIZE_MAX);
	enum status status = xml_as_utf8(text, &space, &as);
	if (status == ST_OK)
		status = decode(call, as.text, diags, tree);
	else
		diag_add(diags, DIAG_APPLICATION, DIAG_OPERATION_FAILED, "%s", as.why);
	buffer_fini(&space);
	return status;
}

/* What the program wrote becomes the call's output. */
static enum status give_output(const struct run *run, struct bytes text)
{
	const struct netconf_call *call = run->call;
	struct arena *arena = arena_new();
	struct diag_list wrong;
	struct edit_tree *tree = NULL;
	diag_list_init(&wrong, arena, 1);
	enum status status = decode_any(call, text, &wrong, &tree);
	if (status == ST_OK)
		status = edit_input_build(call->output, tree->top, &wrong);
	if (status != ST_OK) {
		log_error("the output of %s is not valid: %s: %s", run->program->path,
			  wrong.first->path != NULL ? wrong.first->path : "", wrong.first->message);
		diag_add(call->diags, DIAG_APPLICATION, DIAG_OPERATION_FAILED,
			 "What the operation gave is not valid.");
		status = ST_REJECTED;
	}
	edit_tree_free(tree);
	arena_free(arena);
	return status;
}

/* ---- The run. ---- */

/* What a program wrote, on one line, without what cannot be in XML. */
static const char *printable(char *text)
{
	size_t size = strlen(text);
	while (size > 0 && strchr(" \t\r\n", text[size - 1]) != NULL)
		text[--size] = '\0';
	for (char *c = text; *c != '\0'; c++)
		if (*c < ' ' || *c > '~')
			*c = *c == '\n' ? ' ' : '?';
	return text;
}

static enum status refuse(const struct run *run, const char *why, const char *said)
{
	log_warning("%s, for %s of session %u: %s%s%s", run->program->path, run->program->operation,
		    run->call->actor->session_id, why, said[0] != '\0' ? " " : "", said);
	diag_add(run->call->diags, DIAG_APPLICATION, DIAG_OPERATION_FAILED, "%s",
		 said[0] != '\0' ? said : why);
	return ST_REJECTED;
}

static enum status judge(const struct run *run, enum os_process_end end, int code, struct bytes output,
			 const char *said)
{
	char why[128];
	switch (end) {
	case OS_PROCESS_EXITED:
		if (code == 0)
			return give_output(run, output);
		snprintf(why, sizeof(why), "The operation failed with exit code %d.", code);
		return refuse(run, why, said);
	case OS_PROCESS_SIGNALLED:
		snprintf(why, sizeof(why), "The operation was ended by signal %d.", code);
		return refuse(run, why, said);
	case OS_PROCESS_TIMED_OUT:
		return refuse(run, "The operation took more time than it may.", "");
	case OS_PROCESS_TOO_MUCH:
		return refuse(run, "The operation gave more than it may.", "");
	case OS_PROCESS_STOPPED:
		return refuse(run, "The session or the server ended.", "");
	case OS_PROCESS_NOT_STARTED:
		return refuse(run, "The operation could not be started.", strerror(code));
	}
	return ST_REJECTED;
}

#define ENVIRONMENT_LENGTH 6

static void make_environment(const struct run *run, struct arena *arena,
			     const char *environment[ENVIRONMENT_LENGTH])
{
	const struct store_actor *actor = run->call->actor;
	environment[0] = arena_printf(arena, "YARE_USER=%s", actor->user);
	environment[1] = arena_printf(arena, "YARE_SESSION_ID=%u", actor->session_id);
	environment[2] = arena_printf(arena, "YARE_ADDRESS=%s", actor->address != NULL ? actor->address : "");
	environment[3] = arena_printf(arena, "YARE_TRANSPORT=%s", run->call->transport);
	environment[4] = arena_printf(arena, "YARE_OPERATION=%s", run->program->operation);
	environment[5] = NULL;
}

static enum status start(struct run *run)
{
	const struct netconf_program_limits *limits = &run->program->programs->limits;
	struct arena *arena = arena_new();
	const char *environment[ENVIRONMENT_LENGTH], *const argv[] = {run->program->path, NULL};
	make_environment(run, arena, environment);
	struct os_process_options options = {
		.argv = argv,
		.environment = environment,
		.timeout_ms = limits->timeout_ms,
		.output_limit = limits->output_size,
		.error_limit = ERROR_SIZE,
		.input = give_input,
		.stopped = is_stopped,
		.arg = run,
	};
	struct buffer output, errors;
	buffer_init(&output, SIZE_MAX);
	buffer_init(&errors, SIZE_MAX);
	int code = 0;
	enum os_process_end end = os_process_run(&options, &output, &errors, &code);
	char *said = arena_strdup(arena, buffer_get(&errors));
	enum status status = judge(run, end, code, buffer_get(&output), printable(said));
	buffer_fini(&errors);
	buffer_fini(&output);
	arena_free(arena);
	return status;
}

static enum status call_program(const struct netconf_call *call, void *arg)
{
	struct run run = {.call = call, .program = arg};
	buffer_init(&run.head, SIZE_MAX);
	buffer_init(&run.piece, SIZE_MAX);
	buffer_init(&run.tail, SIZE_MAX);
	begin_input(&run);
	enum status status = start(&run);
	xml_encoder_free(run.encoder);
	buffer_fini(&run.tail);
	buffer_fini(&run.piece);
	buffer_fini(&run.head);
	return status;
}

/* ---- The table. ---- */

enum status netconf_programs_new(struct netconf_server *server, const struct netconf_program_limits *limits,
				 struct netconf_programs **programs)
{
	struct os_pool *pool;
	enum status status = os_pool_new(limits->at_once, &pool);
	if (status != ST_OK)
		return status;
	*programs = memory_zalloc(sizeof(**programs));
	**programs = (struct netconf_programs){.server = server, .limits = *limits, .pool = pool};
	return ST_OK;
}

enum status netconf_programs_add(struct netconf_programs *programs, const char *text)
{
	const char *equals = strchr(text, '='), *colon = strchr(text, ':');
	if (equals == NULL || colon == NULL || colon > equals || equals[1] != '/') {
		log_error("%s: a handler is MODULE:OPERATION=/PATH/OF/PROGRAM", text);
		return ST_REJECTED;
	}
	if (!os_process_can_run(equals + 1)) {
		log_error("%s: there is no program that may be run", equals + 1);
		return ST_REJECTED;
	}
	struct program *program = memory_zalloc(sizeof(*program));
	*program = (struct program){.next = programs->first,
				    .programs = programs,
				    .path = memory_strdup(equals + 1),
				    .operation = memory_strdup(text)};
	programs->first = program;
	program->operation[equals - text] = '\0';
	char *module = memory_strdup(text);
	module[colon - text] = '\0';
	const char *name = program->operation + (colon - text) + 1;
	bool added = netconf_server_handle_slowly(programs->server, module, name, call_program, program,
						  programs->pool);
	memory_free(module);
	if (!added)
		log_error("%s: no loaded module has such an operation, or it is built in",
			  program->operation);
	return added ? ST_OK : ST_REJECTED;
}

void netconf_programs_free(struct netconf_programs *programs)
{
	if (programs == NULL)
		return;
	atomic_store(&programs->ending, true);
	os_pool_free(programs->pool);
	struct program *next;
	for (struct program *program = programs->first; program != NULL; program = next) {
		next = program->next;
		memory_free(program->path);
		memory_free(program->operation);
		memory_free(program);
	}
	memory_free(programs);
}
