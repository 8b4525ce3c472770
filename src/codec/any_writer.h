/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Writes reader events back as XML that stands on its own: the content of an anydata or anyxml node, which is
 * kept as text. Every prefix of a name is declared within it, as is each that a text or attribute value seems
 * to use. Elements without content are written as empty tags, references and CDATA as escaped text; comments
 * are gone.
 */
#include "base/text.h"
#include "codec/xml_reader.h"

struct any_writer;

/* Borrows the reader. `size_limit`: of the text. */
struct any_writer *any_writer_new(const struct xml_reader *reader, size_t size_limit);
void any_writer_free(struct any_writer *writer); /* NULL is allowed */
/* Each fails: ST_LIMIT. */
enum status any_writer_start(struct any_writer *writer, const struct xml_start *start) MUST_USE;
enum status any_writer_text(struct any_writer *writer, struct bytes text) MUST_USE;
/* The end of an element that any_writer_start began. */
enum status any_writer_end(struct any_writer *writer) MUST_USE;
/* Open elements. */
size_t any_writer_depth(const struct any_writer *writer);
/* The text (one reference). */
enum status any_writer_finish(struct any_writer *writer, struct text **text) MUST_USE;
