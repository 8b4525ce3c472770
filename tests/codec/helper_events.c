/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/helper_events.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/assert.h"

static void put(struct event_log *log, const char *format, ...) PRINTF_LIKE(2, 3);

static void put(struct event_log *log, const char *format, ...)
{
	char text[4096];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	ASSERT(buffer_append(&log->out, bytes_of(text)) == ST_OK);
}

static enum status on_start(void *arg, const struct xml_start *start)
{
	struct event_log *log = arg;
	log->starts++;
	if (start->depth == log->fail_at_depth)
		return log->fail_status;
	if (log->quiet)
		return ST_OK;
	put(log, "<{%.*s}%.*s", (int)start->ns.size, start->ns.data, (int)start->name.size, start->name.data);
	for (size_t i = 0; i < start->namespace_count; i++) {
		const struct xml_namespace *ns = &start->namespaces[i];
		put(log, " xmlns:%.*s='%.*s'", (int)ns->prefix.size, ns->prefix.data, (int)ns->uri.size,
		    ns->uri.data);
	}
	for (size_t i = 0; i < start->attribute_count; i++) {
		const struct xml_attribute *a = &start->attributes[i];
		put(log, " {%.*s}%.*s='%.*s'", (int)a->ns.size, a->ns.data, (int)a->name.size, a->name.data,
		    (int)a->value.size, a->value.data);
	}
	put(log, ">");
	return ST_OK;
}

static enum status on_end(void *arg)
{
	struct event_log *log = arg;
	log->ends++;
	if (!log->quiet)
		put(log, "</>");
	return ST_OK;
}

static enum status on_text(void *arg, struct bytes text)
{
	struct event_log *log = arg;
	log->texts++;
	log->text_size += text.size;
	if (!log->quiet)
		ASSERT(buffer_append(&log->out, text) == ST_OK);
	return ST_OK;
}

static const struct xml_handlers HANDLERS = {on_start, on_end, on_text};

void event_log_init(struct event_log *log, const struct xml_reader_limits *limits)
{
	*log = (struct event_log){0};
	buffer_init(&log->out, SIZE_MAX);
	log->reader = xml_reader_new(&HANDLERS, log, limits);
}

void event_log_fini(struct event_log *log)
{
	xml_reader_free(log->reader);
	buffer_fini(&log->out);
}

void event_log_clear(struct event_log *log)
{
	xml_reader_reset(log->reader);
	buffer_clear(&log->out, 0);
	log->texts = log->starts = log->ends = log->text_size = 0;
}

/* Of small documents a copy of its own size, so that a sanitizer sees reads beyond the piece. */
static enum status feed_piece(struct event_log *log, const char *data, size_t size)
{
	if (log->quiet)
		return xml_reader_feed(log->reader, (struct bytes){data, size});
	char *piece = malloc(size);
	memcpy(piece, data, size);
	enum status status = xml_reader_feed(log->reader, (struct bytes){piece, size});
	free(piece);
	return status;
}

enum status event_log_parse(struct event_log *log, struct bytes document, size_t step)
{
	event_log_clear(log);
	for (size_t at = 0; at < document.size; at += step) {
		size_t size = document.size - at < step ? document.size - at : step;
		enum status status = feed_piece(log, document.data + at, size);
		if (status)
			return status;
	}
	return xml_reader_finish(log->reader);
}

const char *event_log_text(struct event_log *log)
{
	ASSERT(buffer_append(&log->out, (struct bytes){"", 1}) == ST_OK);
	return buffer_get(&log->out).data;
}
