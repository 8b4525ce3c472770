/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The reader stands between the framing of a session, which hands it bytes as they arrive, and the decoders,
 * which take events. libxml2 does the work, by its push parser or, for a document that is whole before its
 * parsing begins, as most requests are, by its pull parser over memory, which costs a seventh less. Both give
 * the same events and refuse the same documents; the reasons are always those of the push parser. This file
 * keeps libxml2 away from the places where it is slow or generous:
 *
 *   - Each call of xmlParseChunk costs a scan back over what is unparsed, so bytes are gathered into
 *     slices of SLICE_SIZE. A slice never ends within a UTF-8 character.
 *   - A CDATA section that is cut by the end of a chunk is handed out 300 bytes a call, each with a search
 *     through all of the rest: quadratic. So a lexer follows the input just far enough to know CDATA sections
 *     and comments, and closes and reopens a section at the end of a slice ("]]><![CDATA[").
 *   - The checks for doubled attributes and namespaces of a start tag are quadratic, and tags, comments and
 *     references are buffered until they are whole. So what is unparsed after a slice is bounded by
 *     XML_READER_TOKEN_MAX, and attributes by the limits.
 *   - Names are interned for the life of the parser's dictionary. It has a limit, and a parser whose
 *     dictionary has grown is replaced by a new one at the reset.
 *
 * Invariants: `failure` once set stays until the reset, and no handler is called while it is set. libxml2's
 * own limits are off (XML_PARSE_HUGE); ours apply in the event functions. XML_PARSE_NOENT is on, although
 * there are no entities to expand, since without it the parser hands out "&#38;" for "&amp;" in attribute
 * values.
 */
#include "codec/xml_reader.h"

#include <stdio.h>

#include <libxml/parser.h>
#include <libxml/parserInternals.h>

#include "base/assert.h"
#include "base/memory.h"

#define SLICE_SIZE ((size_t)16 * 1024)	     /* bytes a call of xmlParseChunk */
#define DICTIONARY_KEEP ((size_t)256 * 1024) /* bytes; a larger one does not survive a reset */
#define DICTIONARY_MAX ((size_t)4 << 20) /* bytes of names in one document; libxml2 rounds up to 4 times */
#define NAMESPACES_MAX 512		 /* declarations in scope; lookups in libxml2 are linear */
#define ERROR_SIZE 256			 /* bytes of the error text */

#define CDATA_START "<![CDATA["
#define CDATA_START_SIZE (sizeof(CDATA_START) - 1)
#define CDATA_SPLIT "]]><![CDATA["

enum lexer_state { LEXER_PLAIN, LEXER_COMMENT, LEXER_CDATA };

struct xml_reader {
	const struct xml_handlers *handlers;
	void *arg;
	struct xml_reader_limits limits;
	xmlParserCtxtPtr parser;
	bool begun;	     /* something that is no blank was seen: the rest is for the parser */
	enum status failure; /* ST_OK: none so far */
	unsigned depth;	     /* open elements */
	size_t run_size;     /* bytes of the present run of text */
	struct bytes ns;     /* of the element before, in the parser's dictionary */
	enum lexer_state lexer;
	size_t pending_size;		  /* bytes in `pending` */
	struct xml_attribute *attributes; /* limits.attributes elements each */
	struct xml_namespace *namespaces;
	char error[ERROR_SIZE];
	char pending[SLICE_SIZE + 1]; /* input that was not given to the parser yet; room for a terminator */
};

/* libxml2 wants one initialisation before threads use it. */
__attribute__((constructor)) static void library_init(void)
{
	xmlInitParser();
}

static struct bytes bytes_of_xml(const xmlChar *text)
{
	return (struct bytes){(const char *)text, text ? strlen((const char *)text) : 0};
}

/* The size without a UTF-8 character at the end that is not complete. */
static size_t trim_character(const char *data, size_t size)
{
	size_t back = 0;
	while (back < 3 && back < size && ((unsigned char)data[size - back - 1] & 0xc0) == 0x80)
		back++;
	if (back == size)
		return size;
	unsigned char lead = (unsigned char)data[size - back - 1];
	size_t want = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
	return want > back + 1 ? size - back - 1 : size;
}

/* The text goes into a reply, so it must be clean: names of the document may be cut in it. */
static void set_error(struct xml_reader *reader, int line, struct bytes message)
{
	int size = snprintf(reader->error, sizeof(reader->error), "line %d: %.*s", line, (int)message.size,
			    message.data);
	size_t kept = (size_t)size < sizeof(reader->error) ? (size_t)size : sizeof(reader->error) - 1;
	reader->error[trim_character(reader->error, kept)] = '\0';
	for (char *at = reader->error; *at; at++) {
		if ((unsigned char)*at < ' ')
			*at = ' ';
	}
}

/* Sets the first failure; later ones are consequences. */
static void fail(struct xml_reader *reader, enum status status, const char *message)
{
	if (reader->failure)
		return;
	reader->failure = status;
	int line = reader->parser->input ? reader->parser->input->line : 1; /* no input: nothing is parsed */
	set_error(reader, line, bytes_of(message));
}

/* Fails from within an event: the parser must not go on. */
static void stop(struct xml_reader *reader, enum status status, const char *message)
{
	fail(reader, status, message);
	xmlStopParser(reader->parser);
}

static void stop_by_handler(struct xml_reader *reader, enum status status)
{
	if (status == ST_OK || reader->failure)
		return;
	reader->failure = status;
	reader->error[0] = '\0';
	xmlStopParser(reader->parser);
}

/* Errors that libxml2 itself goes on after (an undeclared prefix) stop it at the next event. */
static bool is_stopped(struct xml_reader *reader)
{
	if (!reader->failure)
		return false;
	xmlStopParser(reader->parser);
	return true;
}

static void on_error(void *arg, xmlErrorPtr error)
{
	struct xml_reader *reader = arg;
	if (error->level < XML_ERR_ERROR || reader->failure)
		return;
	reader->failure = error->code == XML_ERR_NO_MEMORY ? ST_LIMIT : ST_REJECTED;
	const char *message = error->message ? error->message : "not well-formed";
	set_error(reader, error->line, (struct bytes){message, strcspn(message, "\n")});
}

static void on_start_document(void *arg)
{
	struct xml_reader *reader = arg;
	const xmlChar *encoding = reader->parser->encoding;
	if (!encoding && reader->parser->input)
		encoding = reader->parser->input->encoding;
	if (encoding && xmlStrcasecmp(encoding, BAD_CAST "UTF-8") != 0)
		stop(reader, ST_REJECTED, "the encoding must be UTF-8");
}

static void on_document_type(void *arg, const xmlChar *name, const xmlChar *external_id,
			     const xmlChar *system_id)
{
	(void)name;
	(void)external_id;
	(void)system_id;
	stop(arg, ST_REJECTED, "a document type declaration is not allowed");
}

static void on_entity(void *arg, const xmlChar *name, int type, const xmlChar *public_id,
		      const xmlChar *system_id, xmlChar *content)
{
	(void)name;
	(void)type;
	(void)public_id;
	(void)system_id;
	(void)content;
	stop(arg, ST_REJECTED, "an entity declaration is not allowed");
}

static void on_instruction(void *arg, const xmlChar *target, const xmlChar *data)
{
	(void)target;
	(void)data;
	stop(arg, ST_REJECTED, "a processing instruction is not allowed");
}

static void on_text(void *arg, const xmlChar *text, int size)
{
	struct xml_reader *reader = arg;
	if (is_stopped(reader) || size <= 0)
		return;
	reader->run_size += (size_t)size;
	if (reader->run_size > reader->limits.text_size) {
		stop(reader, ST_LIMIT, "a text is too long");
		return;
	}
	stop_by_handler(reader, reader->handlers->text(reader->arg,
						       (struct bytes){(const char *)text, (size_t)size}));
}

/* What a start tag may hold. */
static bool is_within_limits(struct xml_reader *reader, int namespace_count, int attribute_count)
{
	if (reader->depth >= reader->limits.depth) {
		stop(reader, ST_LIMIT, "elements are nested too deep");
		return false;
	}
	if ((unsigned)attribute_count > reader->limits.attributes ||
	    (unsigned)namespace_count > reader->limits.attributes) {
		stop(reader, ST_LIMIT, "an element has too many attributes");
		return false;
	}
	if (reader->parser->nsNr > 2 * NAMESPACES_MAX) {
		stop(reader, ST_LIMIT, "too many namespaces are declared");
		return false;
	}
	return true;
}

/* libxml2 gives attributes as arrays of 5: name, prefix, URI, value, end of value. */
static bool convert_attributes(struct xml_reader *reader, int count, const xmlChar **attributes)
{
	for (int i = 0; i < count; i++, attributes += 5) {
		size_t size = (size_t)(attributes[4] - attributes[3]);
		if (size > reader->limits.text_size) {
			stop(reader, ST_LIMIT, "an attribute value is too long");
			return false;
		}
		reader->attributes[i] = (struct xml_attribute){
			.name = bytes_of_xml(attributes[0]),
			.prefix = bytes_of_xml(attributes[1]),
			.ns = bytes_of_xml(attributes[2]),
			.value = {(const char *)attributes[3], size},
		};
	}
	return true;
}

/* Mostly that of the element before; it is interned, so the same one is in the same place. */
static struct bytes namespace_of(struct xml_reader *reader, const xmlChar *ns)
{
	if (!ns || (const char *)ns != reader->ns.data)
		reader->ns = bytes_of_xml(ns);
	return reader->ns;
}

static void on_start(void *arg, const xmlChar *name, const xmlChar *prefix, const xmlChar *ns,
		     int namespace_count, const xmlChar **namespaces, int attribute_count, int default_count,
		     const xmlChar **attributes)
{
	struct xml_reader *reader = arg;
	(void)default_count;
	if (is_stopped(reader) || !is_within_limits(reader, namespace_count, attribute_count) ||
	    !convert_attributes(reader, attribute_count, attributes))
		return;
	for (int i = 0; i < namespace_count; i++)
		reader->namespaces[i] = (struct xml_namespace){bytes_of_xml(namespaces[2 * i]),
							       bytes_of_xml(namespaces[2 * i + 1])};
	reader->run_size = 0;
	reader->depth++;
	struct xml_start start = {
		.prefix = bytes_of_xml(prefix),
		.ns = namespace_of(reader, ns),
		.name = bytes_of_xml(name),
		.attributes = reader->attributes,
		.attribute_count = (size_t)attribute_count,
		.namespaces = reader->namespaces,
		.namespace_count = (size_t)namespace_count,
		.depth = reader->depth,
	};
	stop_by_handler(reader, reader->handlers->start(reader->arg, &start));
}

static void on_end(void *arg, const xmlChar *name, const xmlChar *prefix, const xmlChar *ns)
{
	struct xml_reader *reader = arg;
	(void)name;
	(void)prefix;
	(void)ns;
	if (is_stopped(reader))
		return;
	reader->run_size = 0;
	reader->depth--;
	stop_by_handler(reader, reader->handlers->end(reader->arg));
}

static xmlParserCtxtPtr parser_new(struct xml_reader *reader)
{
	/* ignorableWhitespace equal to characters spares the parser a test of each text. */
	xmlSAXHandler sax = {
		.initialized = XML_SAX2_MAGIC,
		.startDocument = on_start_document,
		.startElementNs = on_start,
		.endElementNs = on_end,
		.characters = on_text,
		.ignorableWhitespace = on_text,
		.cdataBlock = on_text,
		.processingInstruction = on_instruction,
		.internalSubset = on_document_type,
		.externalSubset = on_document_type,
		.entityDecl = on_entity,
		.serror = on_error,
	};
	xmlParserCtxtPtr parser = xmlCreatePushParserCtxt(&sax, reader, NULL, 0, NULL);
	ASSERT(parser);
	xmlCtxtUseOptions(parser, XML_PARSE_NONET | XML_PARSE_NOENT | XML_PARSE_HUGE);
	xmlDictSetLimit(parser->dict, DICTIONARY_MAX);
	xmlCtxtReset(parser); /* no input: the first document tells whether it is pushed or pulled */
	return parser;
}

static void parse(struct xml_reader *reader, const char *data, size_t size, bool terminate)
{
	if (reader->failure || (size == 0 && !terminate))
		return;
	if (!reader->parser->input) {
		int failed = xmlCtxtResetPush(reader->parser, NULL, 0, NULL, NULL);
		ASSERT(!failed);
	}
	int code = xmlParseChunk(reader->parser, data, (int)size, terminate);
	if (reader->failure)
		return;
	if (code != XML_ERR_OK && !reader->parser->wellFormed)
		fail(reader, ST_REJECTED, "not well-formed");
	const xmlParserInput *input = reader->parser->input;
	if (input && (size_t)(input->end - input->cur) > XML_READER_TOKEN_MAX)
		fail(reader, ST_LIMIT, "a tag, comment or reference is too long");
}

/* Each lexer function gives the parser what is safe of data[0 .. size) and returns how much that was; the
 * rest must come again with more behind it. */
static size_t lex_cdata(struct xml_reader *reader, const char *data, size_t size)
{
	const char *end = memmem(data, size, "]]>", 3);
	if (end) {
		reader->lexer = LEXER_PLAIN;
		size_t used = (size_t)(end - data) + 3;
		parse(reader, data, used, false);
		return used;
	}
	size_t used = size;
	while (used > 0 && size - used < 2 && data[used - 1] == ']')
		used--;
	used = trim_character(data, used);
	if (used == 0)
		return 0;
	parse(reader, data, used, false);
	parse(reader, CDATA_SPLIT, sizeof(CDATA_SPLIT) - 1, false);
	return used;
}

static size_t lex_comment(struct xml_reader *reader, const char *data, size_t size)
{
	const char *end = memmem(data, size, "-->", 3);
	size_t used = 0;
	if (end) {
		reader->lexer = LEXER_PLAIN;
		used = (size_t)(end - data) + 3;
	} else if (size > 2) {
		used = trim_character(data, size - 2);
	}
	parse(reader, data, used, false);
	return used;
}

/* The first "<!" of data; NULL where there is none. */
static const char *find_markup(const char *data, size_t size)
{
	const char *end = data + size;
	for (const char *at = data; at < end; at++) {
		at = memchr(at, '!', (size_t)(end - at));
		if (!at)
			return NULL;
		if (at > data && at[-1] == '<')
			return at - 1;
	}
	return NULL;
}

/* At "<!": enters a comment or section, if it is one. Returns the bytes of its start that are to be parsed.
 */
static size_t lex_markup(struct xml_reader *reader, const char *data, size_t size)
{
	if (size >= 4 && memcmp(data, "<!--", 4) == 0) {
		reader->lexer = LEXER_COMMENT;
		return 4;
	}
	if (size >= CDATA_START_SIZE && memcmp(data, CDATA_START, CDATA_START_SIZE) == 0) {
		reader->lexer = LEXER_CDATA;
		return CDATA_START_SIZE;
	}
	size_t prefix = size < CDATA_START_SIZE ? size : CDATA_START_SIZE;
	if (memcmp(data, "<!-", size < 3 ? size : 3) == 0 || memcmp(data, CDATA_START, prefix) == 0)
		return 0;
	fail(reader, ST_REJECTED, "a declaration is not allowed");
	return 0;
}

static size_t lex_plain(struct xml_reader *reader, const char *data, size_t size)
{
	const char *markup = find_markup(data, size);
	size_t used;
	if (markup) {
		used = (size_t)(markup - data);
		used += lex_markup(reader, markup, size - used);
	} else {
		used = trim_character(data, size);
		if (used > 0 && data[used - 1] == '<')
			used--;
	}
	parse(reader, data, used, false);
	return used;
}

/* Blanks before the document, and its first two bytes: they tell another encoding. */
static size_t begin(struct xml_reader *reader, const char *data, size_t size)
{
	size_t blank = 0;
	while (blank < size && memchr(" \t\r\n", data[blank], 4))
		blank++;
	if (size - blank < 2)
		return blank;
	reader->begun = true;
	if (data[blank] != '<' || data[blank + 1] == '\0')
		fail(reader, ST_REJECTED,
		     "the document must begin with \"<\", in UTF-8 without a byte order mark");
	return blank;
}

/* Gives the parser what it can of data[0 .. size); returns how much that was. */
static size_t lex(struct xml_reader *reader, const char *data, size_t size)
{
	size_t used = reader->begun ? 0 : begin(reader, data, size);
	if (!reader->begun)
		return used;
	while (used < size && !reader->failure) {
		size_t step = 0;
		switch (reader->lexer) {
		case LEXER_PLAIN:
			step = lex_plain(reader, data + used, size - used);
			break;
		case LEXER_COMMENT:
			step = lex_comment(reader, data + used, size - used);
			break;
		case LEXER_CDATA:
			step = lex_cdata(reader, data + used, size - used);
			break;
		}
		if (step == 0)
			break;
		used += step;
	}
	return used;
}

/* Lexes what is pending and moves the rest, a few bytes, to the front. */
static void lex_pending(struct xml_reader *reader)
{
	size_t used = lex(reader, reader->pending, reader->pending_size);
	reader->pending_size -= used;
	memmove(reader->pending, reader->pending + used, reader->pending_size);
}

/* Gives the push parser all that is pending: the end of the document. */
static void push_rest(struct xml_reader *reader)
{
	lex_pending(reader);
	/* What the lexer held back was the beginning of something that does not come any more. */
	parse(reader, reader->pending, reader->pending_size, false);
	parse(reader, NULL, 0, true);
}

static enum status ignore_start(void *arg, const struct xml_start *start)
{
	(void)arg;
	(void)start;
	return ST_OK;
}

static enum status ignore_end(void *arg)
{
	(void)arg;
	return ST_OK;
}

static enum status ignore_text(void *arg, struct bytes text)
{
	(void)arg;
	(void)text;
	return ST_OK;
}

/* The pull parser words some errors otherwise ("Premature end" is "Extra content" in the other), and what a
 * client is told must not depend on the size of its message: so the reason is asked of a push parser. */
static void reword_failure(struct xml_reader *reader)
{
	static const struct xml_handlers IGNORE = {ignore_start, ignore_end, ignore_text};
	struct xml_reader *second = xml_reader_new(&IGNORE, NULL, &reader->limits);
	memcpy(second->pending, reader->pending, reader->pending_size);
	second->pending_size = reader->pending_size;
	push_rest(second);
	if (second->failure) {
		reader->failure = second->failure;
		memcpy(reader->error, second->error, sizeof(reader->error));
	}
	xml_reader_free(second);
}

/* Parses data[0 .. size), a whole document with a NUL behind it, which stays in place. */
static void pull(struct xml_reader *reader, const char *data, size_t size)
{
	xmlParserCtxtPtr parser = reader->parser;
	xmlParserInputBufferPtr buffer =
		xmlParserInputBufferCreateStatic(data, (int)size, XML_CHAR_ENCODING_NONE);
	ASSERT(buffer);
	xmlParserInputPtr input = xmlNewIOInputStream(parser, buffer, XML_CHAR_ENCODING_NONE);
	ASSERT(input);
	int place = inputPush(parser, input);
	ASSERT(place == 0);
	/* There is nothing to read ahead. A parser that does not know tries before each token that is less
	 * than 250 bytes from the end, and that is a third of the work. */
	parser->progressive = 1;
	xmlParseDocument(parser);
	if (!parser->wellFormed)
		fail(reader, ST_REJECTED, "not well-formed");
	/* A failure without a text is a handler's. */
	if (reader->failure && reader->error[0] != '\0')
		reword_failure(reader);
}

/* Pulls the document if it is whole in `pending` and has nothing that only the lexer may judge ("<!"). The
 * pull parser takes a NUL for the end, so there must be none. False: nothing was done. */
static bool pull_pending(struct xml_reader *reader)
{
	size_t size = reader->pending_size;
	if (reader->begun || find_markup(reader->pending, size) || memchr(reader->pending, '\0', size))
		return false;
	size_t blank = begin(reader, reader->pending, size);
	reader->pending[size] = '\0';
	if (reader->begun && !reader->failure)
		pull(reader, reader->pending + blank, size - blank);
	return reader->begun;
}

struct xml_reader *xml_reader_new(const struct xml_handlers *handlers, void *arg,
				  const struct xml_reader_limits *limits)
{
	struct xml_reader *reader = memory_alloc(sizeof(*reader));
	/* All but `pending`, which is not read before it is written. */
	memset(reader, 0, offsetof(struct xml_reader, pending));
	reader->handlers = handlers;
	reader->arg = arg;
	reader->limits = *limits;
	reader->attributes = memory_zalloc((limits->attributes + 1) * sizeof(*reader->attributes));
	reader->namespaces = memory_zalloc((limits->attributes + 1) * sizeof(*reader->namespaces));
	reader->parser = parser_new(reader);
	return reader;
}

void xml_reader_free(struct xml_reader *reader)
{
	if (!reader)
		return;
	xmlFreeParserCtxt(reader->parser);
	memory_free(reader->attributes);
	memory_free(reader->namespaces);
	memory_free(reader);
}

enum status xml_reader_feed(struct xml_reader *reader, struct bytes bytes)
{
	ASSERT(!reader->failure);
	while (bytes.size > 0 && !reader->failure) {
		size_t take = SLICE_SIZE - reader->pending_size;
		if (take > bytes.size)
			take = bytes.size;
		memcpy(reader->pending + reader->pending_size, bytes.data, take);
		reader->pending_size += take;
		bytes.data += take;
		bytes.size -= take;
		if (reader->pending_size == SLICE_SIZE)
			lex_pending(reader);
	}
	return reader->failure;
}

enum status xml_reader_finish(struct xml_reader *reader)
{
	ASSERT(!reader->failure);
	if (!pull_pending(reader))
		push_rest(reader);
	return reader->failure;
}

void xml_reader_reset(struct xml_reader *reader)
{
	/* A parser that stopped in the middle is not trusted with another document. */
	if (reader->failure || reader->depth > 0 || xmlDictGetUsage(reader->parser->dict) > DICTIONARY_KEEP) {
		xmlFreeParserCtxt(reader->parser);
		reader->parser = parser_new(reader);
		reader->ns = (struct bytes){0};
	} else {
		xmlCtxtReset(reader->parser);
	}
	reader->begun = false;
	reader->failure = ST_OK;
	reader->depth = 0;
	reader->run_size = 0;
	reader->lexer = LEXER_PLAIN;
	reader->pending_size = 0;
	reader->error[0] = '\0';
}

const char *xml_reader_error(const struct xml_reader *reader)
{
	return reader->error;
}

/* The latest declaration of an interned prefix (NULL: the default namespace); empty where there is none. */
static struct bytes find_namespace(const xmlParserCtxt *parser, const xmlChar *prefix)
{
	/* Prefixes are interned, so those in scope compare by pointer. */
	for (int i = parser->nsNr - 2; i >= 0; i -= 2) {
		if (parser->nsTab[i] != prefix)
			continue;
		struct bytes uri = bytes_of_xml(parser->nsTab[i + 1]);
		return uri.size > 0 ? uri : (struct bytes){0};
	}
	return (struct bytes){0};
}

struct bytes xml_reader_resolve(const struct xml_reader *reader, struct bytes prefix)
{
	if (prefix.size == 0)
		return find_namespace(reader->parser, NULL);
	struct bytes uri = {0};
	if (bytes_equal(prefix, bytes_of("xml")))
		return bytes_of((const char *)XML_XML_NAMESPACE);
	return xml_reader_resolve_interned(reader, &prefix, &uri) ? uri : (struct bytes){0};
}

bool xml_reader_resolve_interned(const struct xml_reader *reader, struct bytes *prefix, struct bytes *uri)
{
	if (prefix->size > XML_READER_TOKEN_MAX)
		return false;
	const xmlChar *key =
		xmlDictExists(reader->parser->dict, (const xmlChar *)prefix->data, (int)prefix->size);
	struct bytes found = key ? find_namespace(reader->parser, key) : (struct bytes){0};
	if (!found.data)
		return false;
	prefix->data = (const char *)key;
	*uri = found;
	return true;
}
