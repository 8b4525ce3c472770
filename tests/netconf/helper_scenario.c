/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The scenario runner. A file is read into steps (parse_*), which are run one after the other (do_*). The
 * language is described in tests/scenario/README.md.
 */
#include "helper_scenario.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/vector.h"
#include "helper_folder.h"
#include "helper_xml_match.h"
#include "netconf/framing.h"

#define BASE_NS "urn:ietf:params:xml:ns:netconf:base:1.0"
#define PATIENCE_MS 10000
#define SILENCE_MS 50
#define SESSIONS_MAX 16

enum verb {
	VERB_OPEN,
	VERB_CONNECT,
	VERB_FRAMING,
	VERB_SEND,
	VERB_MESSAGE,
	VERB_BYTES,
	VERB_EXPECT,
	VERB_END,
	VERB_DROP,
	VERB_LIMIT,
	VERB_STANDARD,
	VERB_STARTUP,
	VERB_HANDLERS,
	VERB_FACTORY,
	VERB_BASIC_MODE,
	VERB_URL_DIR,
	VERB_FILE,
	VERB_LINK,
	VERB_EXPECT_FILE,
	VERB_WAIT,
	VERB_REPEAT,
	VERB_DONE,
	VERB_COUNT
};

static const char *const verb_names[VERB_COUNT] = {
	"open", "connect", "framing",	  "send",    "message",	 "bytes",   "expect",	  "end",
	"drop", "limit",   "standard",	  "startup", "handlers", "factory", "basic-mode", "url-dir",
	"file", "link",	   "expect-file", "wait",    "repeat",	 "done",
};

struct step {
	unsigned line;
	const char *session; /* NULL: limit, standard, startup, handlers, wait, repeat, done */
	enum verb verb;
	const char *argument; /* the rest of the line, or the body; "" where there is none */
};

struct scenario {
	struct arena *arena;
	const char *path;
	struct vector steps; /* struct step */
};

/* A session of a run. */
struct client {
	const char *name;
	void *connection;
	struct buffer input, message;
	struct framing framing; /* of what we read */
	enum framing_mode mode; /* of what we write */
	unsigned message_id;	/* of the last rpc sent */
	unsigned expected_id;	/* of the last reply expected */
	char session_id[16];
};

struct run {
	const struct scenario *scenario;
	const struct scenario_transport *transport;
	struct arena *arena;
	struct client clients[SESSIONS_MAX];
	size_t client_count;
	const struct step *step;
};

/* ---- Reading the file. */

static char *read_file(const char *path)
{
	FILE *file = fopen(path, "r");
	if (file == NULL) {
		printf("%s: not readable\n", path);
		return NULL;
	}
	struct buffer buffer;
	buffer_init(&buffer, SIZE_MAX);
	size_t size;
	do {
		char *room = buffer_reserve(&buffer, 65536);
		size = fread(room, 1, 65536, file);
		buffer_commit(&buffer, size);
	} while (size > 0);
	fclose(file);
	char *room = buffer_reserve(&buffer, 1);
	*room = '\0';
	buffer_commit(&buffer, 1);
	char *text = memory_strdup(buffer_get(&buffer).data);
	buffer_fini(&buffer);
	return text;
}

/* Cuts the next line off; NULL at the end. */
static char *take_line(char **text)
{
	if (**text == '\0')
		return NULL;
	char *line = *text, *end = strchr(line, '\n');
	*text = end == NULL ? line + strlen(line) : end + 1;
	if (end != NULL)
		*end = '\0';
	return line;
}

static char *take_word(char **line)
{
	char *word = *line + strspn(*line, " \t");
	char *end = word + strcspn(word, " \t");
	*line = end + strspn(end, " \t");
	if (*end != '\0')
		*end = '\0';
	return word;
}

static bool find_verb(const char *word, enum verb *verb)
{
	for (int i = 0; i < VERB_COUNT; i++) {
		if (strcmp(word, verb_names[i]) != 0)
			continue;
		*verb = (enum verb)i;
		return true;
	}
	return false;
}

/* The lines up to >>> */
static const char *take_body(struct scenario *scenario, char **text, unsigned *line_number)
{
	struct buffer body;
	buffer_init(&body, SIZE_MAX);
	char *line;
	bool ended = false;
	while (!ended && (line = take_line(text)) != NULL) {
		++*line_number;
		ended = strcmp(line, ">>>") == 0;
		if (!ended && buffer_printf(&body, "%s\n", line) != ST_OK)
			abort();
	}
	const char *copy = arena_strdup(scenario->arena, buffer_get(&body));
	buffer_fini(&body);
	return ended ? copy : NULL;
}

static bool parse_line(struct scenario *scenario, char *line, char **text, unsigned *line_number)
{
	struct step step = {.line = *line_number};
	char *word = take_word(&line);
	if (*word == '\0' || *word == '#')
		return true;
	bool alone = find_verb(word, &step.verb);
	if (!alone) {
		step.session = arena_strdup(scenario->arena, bytes_of(word));
		word = take_word(&line);
	}
	if (!alone && !find_verb(word, &step.verb))
		return false;
	if (alone != (step.verb >= VERB_LIMIT))
		return false;
	step.argument = strcmp(line, "<<<") == 0 ? take_body(scenario, text, line_number)
						 : arena_strdup(scenario->arena, bytes_of(line));
	if (step.argument == NULL)
		return false;
	*(struct step *)vector_push(&scenario->steps) = step;
	return true;
}

struct scenario *scenario_load(const char *path)
{
	char *file = read_file(path);
	if (file == NULL)
		return NULL;
	struct scenario *scenario = memory_zalloc(sizeof(*scenario));
	scenario->arena = arena_new();
	scenario->path = arena_strdup(scenario->arena, bytes_of(path));
	vector_init(&scenario->steps, sizeof(struct step));
	char *rest = file, *line;
	unsigned line_number = 0;
	bool good = true;
	while (good && (line = take_line(&rest)) != NULL) {
		unsigned first = ++line_number;
		good = parse_line(scenario, line, &rest, &line_number);
		if (!good)
			printf("%s:%u: not understood\n", path, first);
	}
	memory_free(file);
	if (good)
		return scenario;
	scenario_free(scenario);
	return NULL;
}

void scenario_free(struct scenario *scenario)
{
	vector_fini(&scenario->steps);
	arena_free(scenario->arena);
	memory_free(scenario);
}

static const struct step *step_at(const struct scenario *scenario, size_t index)
{
	return vector_at(&scenario->steps, index);
}

/* What may stand in a `limit` line, and the option of yared that sets the same. */
static const struct limit {
	const char *name;
	size_t offset; /* in struct netconf_limits; of the type that `size` tells */
	size_t size;
	const char *option;
} known_limits[] = {
#define LIMIT(name, member, option)                                                                          \
	{                                                                                                    \
		name, offsetof(struct netconf_limits, member),                                               \
			sizeof(((struct netconf_limits *)NULL)->member), option                              \
	}
	LIMIT("request-size", request_size, "--max-request"),
	LIMIT("depth", depth, "--max-depth"),
	LIMIT("inline-size", inline_size, "--inline-size"),
	LIMIT("errors", errors, "--max-errors"),
	LIMIT("sessions", sessions, "--max-sessions"),
	LIMIT("hello-timeout-ms", hello_timeout_ms, "--hello-timeout"),
	LIMIT("filter-steps", filter_steps, "--max-filter-steps"),
	LIMIT("filter-nodes", filter_nodes, "--max-filter-nodes"),
	LIMIT("search-entries", search.entries, "--min-search-entries"),
	LIMIT("hello-all-modules", hello_all_modules, "--hello-all-modules"),
	{"admin", 0, 0, NULL},
#undef LIMIT
};

/* The next `limit` line from *index on, which moves beyond it; NULL: none. */
static const struct limit *next_limit(const struct scenario *scenario, size_t *index, uint64_t *value)
{
	while (*index < scenario->steps.length) {
		const struct step *step = step_at(scenario, (*index)++);
		char name[32];
		unsigned long long number;
		if (step->verb != VERB_LIMIT)
			continue;
		if (sscanf(step->argument, "%31s %llu", name, &number) == 2) {
			*value = number;
			for (size_t i = 0; i < sizeof(known_limits) / sizeof(known_limits[0]); i++)
				if (strcmp(name, known_limits[i].name) == 0)
					return &known_limits[i];
		}
		printf("%s:%u: no such limit\n", scenario->path, step->line);
	}
	return NULL;
}

static void set_limit(struct netconf_limits *limits, const struct limit *limit, uint64_t value)
{
	static const char *const nobody[] = {""};
	char *field = (char *)limits + limit->offset;
	if (limit->option == NULL)
		limits->admins = nobody;
	else if (limit->size == sizeof(uint64_t))
		memcpy(field, &value, sizeof(value));
	else if (limit->size == sizeof(unsigned))
		memcpy(field, &(unsigned){(unsigned)value}, sizeof(unsigned));
	else
		*(bool *)field = value != 0;
}

void scenario_limits(const struct scenario *scenario, struct netconf_limits *limits)
{
	const struct limit *limit;
	size_t index = 0;
	uint64_t value;
	while ((limit = next_limit(scenario, &index, &value)) != NULL)
		set_limit(limits, limit, value);
}

bool scenario_has_limit(const struct scenario *scenario, const char *name)
{
	const struct limit *limit;
	size_t index = 0;
	uint64_t value;
	while ((limit = next_limit(scenario, &index, &value)) != NULL)
		if (strcmp(limit->name, name) == 0)
			return true;
	return false;
}

const char *scenario_option(const struct scenario *scenario, size_t index)
{
	const struct limit *limit;
	size_t step = 0;
	uint64_t value;
	while ((limit = next_limit(scenario, &step, &value)) != NULL) {
		if (limit->option == NULL)
			continue;
		size_t words = limit->size == sizeof(bool) ? 1 : 2;
		if (index == 0)
			return limit->option;
		if (index < words)
			return arena_printf(scenario->arena, "%llu", (unsigned long long)value);
		index -= words;
	}
	return NULL;
}

static bool has_step(const struct scenario *scenario, enum verb verb)
{
	for (size_t i = 0; i < scenario->steps.length; i++)
		if (step_at(scenario, i)->verb == verb)
			return true;
	return false;
}

bool scenario_is_standard(const struct scenario *scenario)
{
	return has_step(scenario, VERB_STANDARD) || scenario_needs_handlers(scenario) ||
	       scenario_has_startup(scenario);
}

bool scenario_has_startup(const struct scenario *scenario)
{
	return has_step(scenario, VERB_STARTUP);
}

bool scenario_needs_handlers(const struct scenario *scenario)
{
	return has_step(scenario, VERB_HANDLERS);
}

static const char *argument_of(const struct scenario *scenario, enum verb verb)
{
	for (size_t i = 0; i < scenario->steps.length; i++)
		if (step_at(scenario, i)->verb == verb)
			return step_at(scenario, i)->argument;
	return NULL;
}

const char *scenario_factory(const struct scenario *scenario)
{
	return argument_of(scenario, VERB_FACTORY);
}

const char *scenario_basic_mode(const struct scenario *scenario)
{
	return argument_of(scenario, VERB_BASIC_MODE);
}

bool scenario_has_urls(const struct scenario *scenario)
{
	return has_step(scenario, VERB_URL_DIR);
}

/* ---- Running. */

static bool complain(const struct run *run, const char *what)
{
	printf("%s:%u: %s\n", run->scenario->path, run->step->line, what);
	return false;
}

static struct client *find_client(struct run *run, const char *name)
{
	for (size_t i = 0; i < run->client_count; i++)
		if (strcmp(run->clients[i].name, name) == 0)
			return &run->clients[i];
	return NULL;
}

static const char *variable(struct run *run, const char *name)
{
	const struct client *client = find_client(run, name);
	if (strcmp(name, "USER") == 0)
		return run->transport->user;
	return client != NULL ? client->session_id : "?";
}

/* "$S1" becomes the session-id of S1, "$USER" the name of the user. */
static const char *expand(struct run *run, const char *text)
{
	struct buffer out;
	buffer_init(&out, SIZE_MAX);
	enum status status = ST_OK;
	while (*text != '\0') {
		size_t plain = strcspn(text, "$");
		status |= buffer_append(&out, (struct bytes){text, plain});
		text += plain;
		if (*text != '$')
			break;
		size_t size = strspn(text + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
		const char *name = arena_strdup(run->arena, (struct bytes){text + 1, size});
		status |= buffer_append(&out, bytes_of(variable(run, name)));
		text += 1 + size;
	}
	const char *copy = arena_strdup(run->arena, buffer_get(&out));
	buffer_fini(&out);
	if (status != ST_OK)
		abort();
	return copy;
}

static void client_reset(struct client *client)
{
	buffer_fini(&client->input);
	buffer_fini(&client->message);
	buffer_init(&client->input, SIZE_MAX);
	buffer_init(&client->message, SIZE_MAX);
	framing_init(&client->framing, FRAMING_END_OF_MESSAGE);
	client->mode = FRAMING_END_OF_MESSAGE;
	client->message_id = client->expected_id = 0;
}

/* The next message, terminated; NULL: closed, broken, or nothing came in time (*closed tells). */
static const char *receive(struct run *run, struct client *client, unsigned wait_ms, bool *closed)
{
	*closed = false;
	for (;;) {
		struct bytes input = buffer_get(&client->input), content;
		size_t before = input.size;
		enum framing_event event;
		while ((event = framing_next(&client->framing, &input, &content)) == FRAMING_CONTENT)
			if (buffer_append(&client->message, content) != ST_OK)
				abort();
		buffer_consume(&client->input, before - input.size);
		if (event == FRAMING_END) {
			const char *message = arena_strdup(run->arena, buffer_get(&client->message));
			buffer_clear(&client->message, 4096);
			return message;
		}
		size_t had = buffer_size(&client->input);
		if (event == FRAMING_BROKEN)
			return NULL;
		*closed = !run->transport->receive(client->connection, &client->input, wait_ms);
		if (*closed || buffer_size(&client->input) == had)
			return NULL;
	}
}

static void send_message(struct run *run, struct client *client, const char *text)
{
	struct buffer out;
	buffer_init(&out, SIZE_MAX);
	framing_write(client->mode, &out, bytes_of(text));
	framing_write_end(client->mode, &out);
	run->transport->send(client->connection, buffer_get(&out));
	buffer_fini(&out);
}

static bool do_connect(struct run *run, struct client *client)
{
	client_reset(client);
	client->connection = run->transport->connect(run->transport->arg);
	if (client->connection == NULL)
		return complain(run, "refused");
	bool closed;
	const char *hello = receive(run, client, PATIENCE_MS, &closed);
	const char *id = hello != NULL ? strstr(hello, "<session-id>") : NULL;
	if (id == NULL)
		return complain(run, "no hello from the server");
	sscanf(id, "<session-id>%15[0-9]", client->session_id);
	return true;
}

static void set_framing(struct client *client, bool chunked)
{
	client->mode = chunked ? FRAMING_CHUNKED : FRAMING_END_OF_MESSAGE;
	framing_init(&client->framing, client->mode);
}

static bool do_open(struct run *run, struct client *client)
{
	if (!do_connect(run, client))
		return false;
	bool old = strcmp(run->step->argument, "1.0") == 0;
	const char *hello =
		arena_printf(run->arena,
			     "<hello xmlns=\"" BASE_NS "\"><capabilities><capability>"
			     "urn:ietf:params:netconf:base:%s</capability></capabilities></hello>",
			     old ? "1.0" : "1.1");
	send_message(run, client, hello);
	set_framing(client, !old);
	return true;
}

static const char *skip_blanks(const char *text)
{
	return text + strspn(text, " \t\n");
}

static bool do_send(struct run *run, struct client *client)
{
	const char *text = skip_blanks(expand(run, run->step->argument));
	client->message_id++;
	if (strncmp(text, "<rpc", 4) != 0)
		text = arena_printf(run->arena, "<rpc message-id=\"%u\" xmlns=\"" BASE_NS "\">%s</rpc>",
				    client->message_id, text);
	send_message(run, client, text);
	return true;
}

/* \n, \\, \xNN and the rest as it is. */
static struct bytes unescape(struct arena *arena, const char *text)
{
	char *out = arena_alloc(arena, strlen(text) + 1);
	size_t size = 0;
	for (; *text != '\0'; text++) {
		if (*text != '\\') {
			out[size++] = *text;
		} else if (text[1] == 'x') {
			const char digits[3] = {text[2], text[3], '\0'};
			out[size++] = (char)strtoul(digits, NULL, 16);
			text += 3;
		} else {
			out[size++] = *++text == 'n' ? '\n' : *text;
		}
	}
	return (struct bytes){out, size};
}

static bool compare(struct run *run, const char *actual, const char *expected)
{
	if (xml_matches(bytes_of(actual), bytes_of(expected)))
		return true;
	complain(run, "not as expected");
	printf("  got      %s\n  expected %s\n", actual, expected);
	return false;
}

/* The whole reply that a short form stands for. */
static const char *expected_reply(struct run *run, const struct client *client, const char *text)
{
	const char *content = text;
	if (strcmp(text, "ok") == 0)
		content = "<ok/>";
	else if (strncmp(text, "error ", 6) == 0)
		content = arena_printf(run->arena, "<rpc-error>*<error-tag>%s</error-tag></rpc-error>",
				       text + 6);
	else if (strncmp(text, "<rpc-reply", 10) == 0 || strncmp(text, "<nc:", 4) == 0 ||
		 strncmp(text, "<hello", 6) == 0)
		return text;
	return arena_printf(run->arena, "<rpc-reply message-id=\"%u\" xmlns=\"" BASE_NS "\">%s</rpc-reply>",
			    client->expected_id, content);
}

static bool do_expect(struct run *run, struct client *client)
{
	const char *text = skip_blanks(expand(run, run->step->argument));
	bool closing = strcmp(text, "closed") == 0, nothing = strcmp(text, "nothing") == 0, closed;
	const char *message = receive(run, client, nothing ? SILENCE_MS : PATIENCE_MS, &closed);
	if (closing || nothing) {
		if (message != NULL)
			printf("  got %s\n", message);
		return message == NULL && closed == closing ? true : complain(run, "not as expected");
	}
	if (client->expected_id < client->message_id)
		client->expected_id++;
	if (message == NULL)
		return complain(run, closed ? "closed by the server" : "no message");
	return compare(run, message, expected_reply(run, client, text));
}

static bool do_session_step(struct run *run)
{
	const struct step *step = run->step;
	struct client *client = find_client(run, step->session);
	if (client == NULL && run->client_count < SESSIONS_MAX) {
		client = &run->clients[run->client_count++];
		client->name = step->session;
	}
	if (client == NULL ||
	    (client->connection == NULL && step->verb != VERB_OPEN && step->verb != VERB_CONNECT))
		return complain(run, "no such session");
	switch (step->verb) {
	case VERB_OPEN:
		return do_open(run, client);
	case VERB_CONNECT:
		return do_connect(run, client);
	case VERB_FRAMING:
		set_framing(client, strcmp(step->argument, "chunked") == 0);
		return true;
	case VERB_SEND:
		return do_send(run, client);
	case VERB_MESSAGE:
		client->message_id += strstr(step->argument, "message-id") != NULL;
		send_message(run, client, expand(run, step->argument));
		return true;
	case VERB_BYTES:
		run->transport->send(client->connection, unescape(run->arena, step->argument));
		return true;
	case VERB_EXPECT:
		return do_expect(run, client);
	case VERB_END:
		run->transport->end(client->connection);
		return true;
	case VERB_DROP:
		run->transport->drop(client->connection);
		client->connection = NULL;
		return true;
	case VERB_LIMIT:
	case VERB_STANDARD:
	case VERB_STARTUP:
	case VERB_HANDLERS:
	case VERB_FACTORY:
	case VERB_BASIC_MODE:
	case VERB_URL_DIR:
	case VERB_FILE:
	case VERB_LINK:
	case VERB_EXPECT_FILE:
	case VERB_WAIT:
	case VERB_REPEAT:
	case VERB_DONE:
	case VERB_COUNT:
		break;
	}
	return complain(run, "not understood");
}

static void do_wait(const char *argument)
{
	long ms = strtol(argument, NULL, 10);
	nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

/* NAME and the rest of the line. */
static bool do_file_step(const struct run *run)
{
	const char *argument = run->step->argument, *dir = run->transport->url_dir;
	size_t size = strcspn(argument, " \n");
	const char *text = argument + size + (argument[size] != '\0');
	const char *name = arena_strdup(run->arena, (struct bytes){argument, size});
	if (run->step->verb == VERB_FILE)
		return folder_write(dir, name, text);
	if (run->step->verb == VERB_LINK)
		return folder_link(dir, name, text);
	char *content = folder_read(dir, name);
	size_t length = content != NULL ? strlen(content) : 0;
	if (length > 0 && content[length - 1] == '\n')
		content[length - 1] = '\0';
	bool same = content == NULL ? strcmp(text, "none") == 0 : strcmp(content, text) == 0;
	if (!same)
		printf("%s:%u: the file has %s\n", run->scenario->path, run->step->line,
		       content != NULL ? content : "no name");
	free(content);
	return same;
}

static bool is_setting(enum verb verb)
{
	return verb == VERB_LIMIT || verb == VERB_STANDARD || verb == VERB_HANDLERS || verb == VERB_FACTORY ||
	       verb == VERB_BASIC_MODE || verb == VERB_STARTUP || verb == VERB_URL_DIR;
}

static bool run_steps(struct run *run, size_t *index)
{
	const struct scenario *scenario = run->scenario;
	bool good = true;
	for (; good && *index < scenario->steps.length; ++*index) {
		run->step = step_at(scenario, *index);
		if (run->step->verb == VERB_DONE)
			return true;
		if (is_setting(run->step->verb))
			continue;
		if (run->step->verb > VERB_URL_DIR && run->step->verb < VERB_WAIT) {
			good = do_file_step(run);
			continue;
		}
		if (run->step->verb == VERB_WAIT) {
			do_wait(run->step->argument);
			continue;
		}
		if (run->step->verb != VERB_REPEAT) {
			good = do_session_step(run);
			continue;
		}
		size_t first = *index + 1;
		for (long left = strtol(run->step->argument, NULL, 10); good && left > 0; left--) {
			*index = first;
			good = run_steps(run, index);
		}
	}
	return good;
}

bool scenario_run(const struct scenario *scenario, const struct scenario_transport *transport)
{
	struct run *run = memory_zalloc(sizeof(*run));
	run->scenario = scenario;
	run->transport = transport;
	run->arena = arena_new();
	for (size_t i = 0; i < SESSIONS_MAX; i++)
		client_reset(&run->clients[i]);
	size_t index = 0;
	bool good = run_steps(run, &index);
	for (size_t i = 0; i < SESSIONS_MAX; i++) {
		buffer_fini(&run->clients[i].input);
		buffer_fini(&run->clients[i].message);
	}
	arena_free(run->arena);
	memory_free(run);
	return good;
}
