/* SPDX-License-Identifier: BSD-3-Clause */
/* The parse floor: libxml2's SAX2 push parser over a document in memory. */
#include "floor.h"

#include <libxml/parser.h>
#include <time.h>

#include "os/clock.h"
#include "say.h"

#define PIECE_SIZE ((size_t)64 * 1024)

static void on_start(void *arg, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri,
		     int namespace_count, const xmlChar **namespaces, int attribute_count, int default_count,
		     const xmlChar **attributes)
{
	(void)arg;
	(void)name;
	(void)prefix;
	(void)uri;
	(void)namespace_count;
	(void)namespaces;
	(void)attribute_count;
	(void)default_count;
	(void)attributes;
}

static void on_end(void *arg, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
	(void)arg;
	(void)name;
	(void)prefix;
	(void)uri;
}

static void on_text(void *arg, const xmlChar *text, int size)
{
	(void)arg;
	(void)text;
	(void)size;
}

static uint64_t thread_cpu_ns(void)
{
	struct timespec time;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

enum status floor_parse(struct bytes document, uint64_t *elapsed_ns, uint64_t *cpu_ns)
{
	xmlSAXHandler handler = {
		.initialized = XML_SAX2_MAGIC,
		.startElementNs = on_start,
		.endElementNs = on_end,
		.characters = on_text,
	};
	uint64_t begin_ns = os_clock_monotonic_ns(), cpu_begin_ns = thread_cpu_ns();
	xmlParserCtxtPtr parser = xmlCreatePushParserCtxt(&handler, NULL, NULL, 0, NULL);
	if (parser == NULL)
		return say_failed("libxml2 gives no parser");
	xmlCtxtUseOptions(parser, XML_PARSE_HUGE);
	int error = 0;
	while (document.size > 0 && error == 0) {
		size_t size = document.size < PIECE_SIZE ? document.size : PIECE_SIZE;
		error = xmlParseChunk(parser, document.data, (int)size, size == document.size);
		document.data += size;
		document.size -= size;
	}
	uint64_t elapsed = os_clock_monotonic_ns() - begin_ns, cpu = thread_cpu_ns() - cpu_begin_ns;
	xmlFreeParserCtxt(parser);
	if (error != 0)
		return say_failed("the document of the parse floor is not well-formed");
	*elapsed_ns = elapsed;
	*cpu_ns = cpu;
	return ST_OK;
}
