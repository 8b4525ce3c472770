/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The quarantine file: misfits as instance data in JSON (RFC 9195, RFC 7951). What is known of them are the
 * names and the canonical values, so each value is a string, whatever its type was; XML of anydata likewise.
 *
 * Misfits come sorted by path, all below a node behind it (misfit.c), so that members and entries are runs of
 * them: one pass, with the place in the paths that is reached.
 *
 *     /m:top/item[id='1']/gone         "m:top": {"item": [{"id": "1", "gone": "x"}]}
 *            ^at
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/assert.h"
#include "base/log.h"
#include "codec/json_value.h"
#include "os/clock.h"
#include "store/misfit.h"
#include <time.h>

#define TIME_SIZE 40 /* bytes */

struct writing {
	const struct vector *misfits;
	struct buffer out;
};

/* Misfits from `first` to before `end`, whose paths are the same before `at`. */
struct run {
	size_t first, end, at;
};

static const struct store__misfit *misfit_at(const struct writing *w, size_t index)
{
	return vector_at(w->misfits, index);
}

static const char *rest_of(const struct writing *w, size_t index, size_t at)
{
	return misfit_at(w, index)->path + at;
}

static void put(struct writing *w, const char *text)
{
	enum status status = buffer_append(&w->out, bytes_of(text));
	ASSERT(status == ST_OK); /* the buffer has no limit */
}

static void put_string(struct writing *w, const char *before, struct bytes text)
{
	put(w, "\"");
	put(w, before);
	enum status status = codec__json_escape(&w->out, text);
	ASSERT(status == ST_OK);
	put(w, "\"");
}

static void put_name(struct writing *w, const char *before, struct bytes name, bool *comma)
{
	put(w, *comma ? ",\n" : "\n");
	*comma = true;
	put_string(w, before, name);
	put(w, ": ");
}

/* The size of what is before an end of `ends`, or of the text. */
static size_t size_until(const char *text, const char *ends)
{
	return strcspn(text, ends);
}

/* Puts what is in quotes at the front of `text`; gives what follows it. */
static const char *put_quoted(struct writing *w, const char *text)
{
	char quote = *text++;
	put(w, "\"");
	for (; *text != '\0' && (*text != quote || text[1] == quote); text++) {
		text += *text == quote;
		enum status status = codec__json_escape(&w->out, (struct bytes){text, 1});
		ASSERT(status == ST_OK);
	}
	put(w, "\"");
	return *text != '\0' ? text + 1 : text;
}

/* The size of the brackets at the front of `text`. */
static size_t brackets_size(const char *text)
{
	const char *in = text;
	while (*in == '[') {
		in += size_until(in, "=");
		char quote = in[0] != '\0' ? in[1] : '\0';
		for (in += quote != '\0' ? 2 : 0; *in != '\0' && (*in != quote || in[1] == quote); in++)
			in += *in == quote;
		in += *in != '\0' && in[1] != '\0' ? 2 : strlen(in);
	}
	return (size_t)(in - text);
}

/* The run that begins at `first` and has the next `size` bytes in common. */
static struct run sub_run(const struct writing *w, struct run run, size_t first, size_t size)
{
	struct run sub = {first, first + 1, run.at + size};
	const char *start = rest_of(w, first, run.at);
	for (; sub.end < run.end; sub.end++) {
		const char *other = rest_of(w, sub.end, run.at);
		if (strncmp(start, other, size) != 0 || strchr("/[", other[size]) == NULL)
			break; /* strchr finds the end of the text, too */
	}
	return sub;
}

static void put_members(struct writing *w, struct run run, bool *comma);

/* {"module:annotation": "value", ...} of paths that go on with /@ */
static void put_annotations(struct writing *w, struct run run)
{
	bool comma = false;
	put(w, "{");
	for (size_t i = run.first; i < run.end; i++) {
		const char *name = rest_of(w, i, run.at) + 2, *value = misfit_at(w, i)->value;
		put_name(w, "", bytes_of(name), &comma);
		put_string(w, "", bytes_of(value != NULL ? value : ""));
	}
	put(w, "}");
}

static bool is_annotation(const struct writing *w, size_t index, size_t at)
{
	return strncmp(rest_of(w, index, at), "/@", 2) == 0;
}

/* The first of the run that goes on. */
static struct run inner(const struct writing *w, struct run run)
{
	run.first += *rest_of(w, run.first, run.at) == '\0';
	return run;
}

static void put_leaf_list(struct writing *w, struct run list, bool notes)
{
	const char *separator = "";
	put(w, "[");
	for (size_t i = list.first; i < list.end;) {
		const char *text = rest_of(w, i, list.at);
		struct run value = sub_run(w, list, i, brackets_size(text));
		put(w, separator);
		separator = ", ";
		struct run below = inner(w, value);
		if (!notes)
			put_quoted(w, text + 3); /* behind [.= */
		else if (below.first < below.end)
			put_annotations(w, below);
		else
			put(w, "null");
		i = value.end;
	}
	put(w, "]");
}

/* The keys in the brackets, then what is below. */
static void put_entry(struct writing *w, const char *text, struct run entry)
{
	bool comma = false;
	put(w, "{");
	while (*text == '[') {
		size_t size = size_until(text, "=");
		put_name(w, "", (struct bytes){text + 1, size - 1}, &comma);
		text = put_quoted(w, text + size + 1);
		text += *text == ']';
	}
	put_members(w, inner(w, entry), &comma);
	put(w, "}");
}

static void put_list(struct writing *w, struct run list)
{
	bool comma = false;
	put(w, "[");
	for (size_t i = list.first; i < list.end;) {
		const char *text = rest_of(w, i, list.at);
		struct run entry = sub_run(w, list, i, brackets_size(text));
		put(w, comma ? ",\n" : "\n");
		comma = true;
		put_entry(w, text, entry);
		i = entry.end;
	}
	put(w, "]");
}

/* A leaf, and what is noted of it. */
static void put_leaf(struct writing *w, struct bytes name, struct run node, bool *comma)
{
	struct run below = inner(w, node);
	const char *value = misfit_at(w, node.first)->value;
	if (below.first != node.first) {
		put_name(w, "", name, comma);
		put_string(w, "", bytes_of(value));
	}
	if (below.first == below.end)
		return;
	put_name(w, "@", name, comma);
	put_annotations(w, below);
}

static void put_node(struct writing *w, struct bytes name, struct run node, bool *comma)
{
	const char *text = rest_of(w, node.first, node.at);
	bool has_value = *text == '\0' && misfit_at(w, node.first)->value != NULL;
	if (strncmp(text, "[.=", 3) == 0) {
		bool notes = false;
		for (size_t i = node.first; i < node.end; i++) {
			const char *other = rest_of(w, i, node.at);
			notes |= other[brackets_size(other)] == '/';
		}
		put_name(w, "", name, comma);
		put_leaf_list(w, node, false);
		if (!notes)
			return;
		put_name(w, "@", name, comma);
		put_leaf_list(w, node, true);
	} else if (*text == '[') {
		put_name(w, "", name, comma);
		put_list(w, node);
	} else if (has_value || is_annotation(w, node.end - 1, node.at)) {
		put_leaf(w, name, node, comma);
	} else {
		bool inner_comma = false;
		put_name(w, "", name, comma);
		put(w, "{");
		put_members(w, inner(w, node), &inner_comma);
		put(w, "}");
	}
}

static void put_members(struct writing *w, struct run run, bool *comma)
{
	for (size_t i = run.first; i < run.end;) {
		const char *text = rest_of(w, i, run.at);
		if (is_annotation(w, i, run.at)) {
			struct run notes = {i, i, run.at};
			while (notes.end < run.end && is_annotation(w, notes.end, run.at))
				notes.end++;
			put_name(w, "@", bytes_of(""), comma);
			put_annotations(w, notes);
			i = notes.end;
			continue;
		}
		size_t size = 1 + size_until(text + 1, "/[");
		struct run node = sub_run(w, run, i, size);
		put_node(w, (struct bytes){text + 1, size - 1}, node, comma);
		i = node.end;
	}
}

static void put_time(struct writing *w)
{
	time_t seconds = (time_t)(os_clock_wall_ns() / 1000000000);
	struct tm parts;
	char text[TIME_SIZE];
	gmtime_r(&seconds, &parts);
	size_t size = strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
	put_string(w, "", (struct bytes){text, size});
}

void store__quarantine_name(uint64_t version, const char *datastore, char name[STORE__QUARANTINE_NAME_SIZE])
{
	snprintf(name, STORE__QUARANTINE_NAME_SIZE, "quarantine.%" PRIu64 ".%s.json", version, datastore);
}

enum status store__quarantine_write(struct journal *journal, uint64_t version, const char *datastore,
				    const struct vector *misfits)
{
	struct writing w = {.misfits = misfits};
	char name[STORE__QUARANTINE_NAME_SIZE];
	bool comma = false;
	store__quarantine_name(version, datastore, name);
	buffer_init(&w.out, SIZE_MAX);
	put(&w, "{\"ietf-yang-instance-data:instance-data-set\": {\n\"name\": ");
	put_string(&w, "", bytes_of(name));
	put(&w, ",\n\"description\": [\"What a schema had no place for; all values are strings.\"],\n"
		"\"timestamp\": ");
	put_time(&w);
	put(&w, ",\n\"content-data\": {");
	put_members(&w, (struct run){0, misfits->length, 0}, &comma);
	put(&w, "}\n}}\n");
	enum status status = journal_disk_put_file(journal, name, buffer_get(&w.out));
	buffer_fini(&w.out);
	if (status != ST_OK)
		log_error("%s: cannot be written: %s", name, status_name(status));
	return status;
}
