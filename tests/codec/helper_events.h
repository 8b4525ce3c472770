/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* Records a reader's events as text, for comparison: "<{ns}name a='v'>", "text", "</>". */
#include "base/buffer.h"
#include "codec/xml_reader.h"

struct event_log {
	struct buffer out;
	struct xml_reader *reader;
	size_t texts;		/* text events */
	unsigned fail_at_depth; /* a start at this depth answers `fail_status`; 0: never */
	enum status fail_status;
	bool quiet; /* only count */
	size_t starts, ends, text_size;
};

void event_log_init(struct event_log *log, const struct xml_reader_limits *limits);
void event_log_fini(struct event_log *log);
void event_log_clear(struct event_log *log);
/* Feeds in pieces of `step` bytes, finishes. */
enum status event_log_parse(struct event_log *log, struct bytes document, size_t step);
/* What was recorded, terminated. */
const char *event_log_text(struct event_log *log);
