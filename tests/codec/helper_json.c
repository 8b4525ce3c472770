/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/helper_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/assert.h"
#include "codec/json_decoder.h"
#include "codec/json_encoder.h"
#include "codec/json_reader.h"
#include "codec/json_value.h"
#include "codec/xml_encoder.h"

void helper_json_decode(struct decoding *decoding, const struct schema *schema, struct bytes document,
			const struct decode_options *options)
{
	*decoding = (struct decoding){.arena = arena_new()};
	diag_list_init(&decoding->diags, decoding->arena, options->diag_limit);
	struct json_decoder_options decoder_options = {
		.memory_limit = options->memory_limit, .text_limit = (size_t)1 << 28, .depth = 64};
	struct json_decoder *decoder = json_decoder_new(schema, &decoder_options, &decoding->diags);
	size_t step = options->step > 0 ? options->step : document.size + 1;
	for (size_t at = 0; at < document.size && decoding->status == ST_OK; at += step) {
		size_t size = document.size - at < step ? document.size - at : step;
		/* A copy, so that reading beyond it shows. */
		char *piece = malloc(size);
		memcpy(piece, document.data + at, size);
		decoding->status = json_decoder_feed(decoder, (struct bytes){piece, size});
		free(piece);
	}
	if (decoding->status == ST_OK)
		decoding->status = json_decoder_finish(decoder, &decoding->tree);
	json_decoder_free(decoder);
}

void helper_json_encode(struct schema *schema, const struct tree_record *root, unsigned indent,
			struct buffer *out)
{
	struct json_encoder *encoder = json_encoder_new(schema, root, NULL, NULL, indent);
	bool done = false;
	ASSERT(json_encoder_run(encoder, out, SIZE_MAX, SIZE_MAX, &done) == ST_OK && done);
	json_encoder_free(encoder);
}

void helper_xml_encode(struct schema *schema, const struct tree_record *root, struct buffer *out)
{
	struct xml_encoder *encoder = xml_encoder_new(schema, root, NULL, NULL);
	bool done = false;
	ASSERT(xml_encoder_run(encoder, out, SIZE_MAX, SIZE_MAX, &done) == ST_OK && done);
	xml_encoder_free(encoder);
}

struct normal {
	struct buffer *out;
	bool wants_comma;
};

static void put(struct normal *normal, const char *text)
{
	ASSERT(buffer_append(normal->out, bytes_of(text)) == ST_OK);
}

static void put_word(struct normal *normal, enum json_event event, struct bytes text)
{
	static const char *const WORDS[] = {
		[JSON_OBJECT_START] = "{", [JSON_ARRAY_START] = "[", [JSON_OBJECT_END] = "}",
		[JSON_ARRAY_END] = "]",	   [JSON_TRUE] = "true",     [JSON_FALSE] = "false",
		[JSON_NULL] = "null",
	};
	if (event == JSON_NUMBER)
		ASSERT(buffer_append(normal->out, text) == ST_OK);
	else if (event == JSON_STRING || event == JSON_NAME)
		ASSERT(codec__json_put(normal->out, JSON_FORM_STRING, text) == ST_OK);
	else
		put(normal, WORDS[event]);
}

static enum status on_event(void *arg, enum json_event event, struct bytes text)
{
	struct normal *normal = arg;
	bool is_end = event == JSON_OBJECT_END || event == JSON_ARRAY_END;
	if (normal->wants_comma && !is_end)
		put(normal, ",");
	put_word(normal, event, text);
	if (event == JSON_NAME)
		put(normal, ":");
	normal->wants_comma = event != JSON_NAME && event != JSON_OBJECT_START && event != JSON_ARRAY_START;
	return ST_OK;
}

enum status helper_json_normal(struct bytes document, struct buffer *out)
{
	struct normal normal = {.out = out};
	struct json_reader_limits limits = {.depth = 1000, .text_size = SIZE_MAX};
	struct json_reader *reader = json_reader_new(on_event, &normal, &limits);
	enum status status = json_reader_feed(reader, document);
	if (status == ST_OK)
		status = json_reader_finish(reader);
	json_reader_free(reader);
	return status;
}

bool helper_has_yanglint(void)
{
	return system("yanglint --version >/dev/null 2>&1") == 0;
}

void helper_yanglint(const char *arguments, struct bytes document, struct buffer *out)
{
	char path[] = "/tmp/yare-test-XXXXXX.xml";
	int file = mkstemps(path, 4);
	ASSERT(file >= 0);
	ASSERT(write(file, document.data, document.size) == (ssize_t)document.size);
	close(file);
	struct arena *arena = arena_new();
	FILE *output = popen(arena_printf(arena, "yanglint %s %s 2>/dev/null", arguments, path), "r");
	ASSERT(output);
	for (;;) {
		char *room = buffer_reserve(out, 65536);
		size_t got = fread(room, 1, 65536, output);
		if (got == 0)
			break;
		buffer_commit(out, got);
	}
	pclose(output);
	unlink(path);
	arena_free(arena);
}

const char *helper_shared_file(const char *file, struct arena *arena)
{
	const char *dir = getenv("YARE_SHARED");
	const char *source = getenv("YARE_SOURCE");
	return dir ? arena_printf(arena, "%s/%s", dir, file)
		   : arena_printf(arena, "%s/../shared/%s", source ? source : ".", file);
}
