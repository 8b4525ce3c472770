/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file `txids` of a data directory: the transaction ids of one version, and the epochs.
 *
 *     magic 8 "YARETXI\n"    format 4    checksum 4 of all that follows
 *     version 8    id of the datastore
 *     epochs 4     each: epoch 8    first version 8
 *     nodes 4      each: id    size 2    name "module:node"
 *     fingerprint 16 of the schema and its order    runs: the rest, the ids of inner nodes (txid_stamps.c)
 *                                                         (format 2)
 *     id: epoch 8    version 8    time of the version 8, microseconds since 1970 (format 2)
 *
 * docs/format/journal.md has it for other readers. Numbers are little-endian. Nodes have names, so that a
 * changed schema finds its own. The file is written as a whole before each snapshot, of the version that the
 * snapshot will have: so whatever a start finds, the file is of that version or a later one, and all records
 * of later versions are there.
 */
#include <string.h>

#include "base/assert.h"
#include "base/little_endian.h"
#include "base/log.h"
#include "base/memory.h"
#include "journal/crc32c.h"
#include "schema/fingerprint.h"
#include "store/txid_internal.h"

#define FILE_NAME "txids"
#define FILE_LIMIT ((size_t)1 << 32) /* bytes that are read */
#define FORMAT 2u
#define HEAD_SIZE 16u /* bytes */

static const char magic[8] = {'Y', 'A', 'R', 'E', 'T', 'X', 'I', '\n'};

static void put_txid(struct buffer *out, struct store_txid txid)
{
	little_endian_append(out, txid.epoch, 8);
	little_endian_append(out, txid.version, 8);
	little_endian_append(out, txid.time_us, 8);
}

static void put_text(struct buffer *out, const char *text)
{
	enum status status = buffer_append(out, bytes_of(text));
	ASSERT(status == ST_OK); /* the buffer has no limit */
}

static void put_nodes(struct buffer *out, const struct schema *schema, const struct store_txids *txids)
{
	little_endian_append(out, txids->count, 4);
	for (size_t i = 0; i < txids->count; i++) {
		const struct schema_node *node = schema->root->children[i];
		put_txid(out, txids->tops[i]);
		little_endian_append(out, strlen(node->module->name) + 1 + node->name_bytes.size, 2);
		put_text(out, node->module->name);
		put_text(out, ":");
		put_text(out, node->name);
	}
}

static void put_all(struct buffer *out, const struct store__txid_file *file)
{
	char *head = buffer_reserve(out, HEAD_SIZE);
	memset(head, 0, HEAD_SIZE);
	memcpy(head, magic, sizeof(magic));
	head[8] = FORMAT;
	buffer_commit(out, HEAD_SIZE);
	little_endian_append(out, file->version, 8);
	put_txid(out, file->txids->datastore);
	little_endian_append(out, file->epochs->length, 4);
	for (size_t i = 0; i < file->epochs->length; i++) {
		const struct store__epoch *epoch = vector_at(file->epochs, i);
		little_endian_append(out, epoch->epoch, 8);
		little_endian_append(out, epoch->first, 8);
	}
	put_nodes(out, file->schema, file->txids);
	schema_fingerprint_ordered(file->schema,
				   (unsigned char *)buffer_reserve(out, SCHEMA_FINGERPRINT_SIZE));
	buffer_commit(out, SCHEMA_FINGERPRINT_SIZE);
	if (file->runs.size == 0)
		store__stamps_encode(file->schema, file->root, out);
	else if (buffer_append(out, file->runs) != ST_OK)
		ASSERT(!"the buffer has no limit");
	struct bytes content = buffer_get(out);
	uint32_t checksum = crc32c(0, (struct bytes){content.data + HEAD_SIZE, content.size - HEAD_SIZE});
	little_endian_put((char *)content.data + 12, checksum, 4);
}

enum status store__txid_file_write(struct journal *journal, const struct store__txid_file *file)
{
	struct buffer out;
	buffer_init(&out, SIZE_MAX);
	put_all(&out, file);
	enum status status = journal_disk_put_file(journal, FILE_NAME, buffer_get(&out));
	buffer_fini(&out);
	if (status != ST_OK)
		log_error("%s: cannot be written: %s", FILE_NAME, status_name(status));
	return status;
}

/* ---- reading ---- */

static bool take_number(struct bytes *in, unsigned size, uint64_t *number)
{
	if (in->size < size)
		return false;
	*number = little_endian_get(in->data, size);
	*in = (struct bytes){in->data + size, in->size - size};
	return true;
}

static bool take_txid(struct bytes *in, uint64_t format, struct store_txid *txid)
{
	txid->time_us = 0;
	return take_number(in, 8, &txid->epoch) && take_number(in, 8, &txid->version) &&
	       (format == 1 || take_number(in, 8, &txid->time_us));
}

static bool take_epochs(struct bytes *in, struct vector *epochs)
{
	uint64_t count, last = 0;
	if (!take_number(in, 4, &count))
		return false;
	for (; count > 0; count--) {
		struct store__epoch entry;
		if (!take_number(in, 8, &entry.epoch) || !take_number(in, 8, &entry.first) ||
		    entry.epoch == 0 || entry.first <= last)
			return false;
		last = entry.first;
		*(struct store__epoch *)vector_push(epochs) = entry;
	}
	return true;
}

/* The node at top level of the name "module:node"; NULL: the schema has none. */
static const struct schema_node *find_node(const struct schema *schema, struct bytes name)
{
	const char *colon = memchr(name.data, ':', name.size);
	if (colon == NULL)
		return NULL;
	struct bytes module_name = {name.data, (size_t)(colon - name.data)};
	const struct schema_module *module = schema_module_find(schema, module_name);
	struct bytes rest = {colon + 1, name.size - module_name.size - 1};
	return module != NULL ? schema_child_find(schema, schema->root, module, rest) : NULL;
}

static bool take_nodes(struct bytes *in, uint64_t format, struct store__txid_state *state)
{
	uint64_t count, size;
	if (!take_number(in, 4, &count))
		return false;
	for (; count > 0; count--) {
		struct store_txid txid;
		if (!take_txid(in, format, &txid) || !take_number(in, 2, &size) || size > in->size)
			return false;
		const struct schema_node *node = find_node(state->schema, (struct bytes){in->data, size});
		if (node != NULL)
			state->txids->tops[node->slot] = txid;
		*in = (struct bytes){in->data + size, in->size - size};
	}
	return true;
}

/* Runs that were written under another schema, or another order of its nodes, are of no use. */
static bool take_runs(struct bytes *in, struct store__txid_state *state)
{
	unsigned char fingerprint[SCHEMA_FINGERPRINT_SIZE];
	if (in->size < SCHEMA_FINGERPRINT_SIZE)
		return false;
	schema_fingerprint_ordered(state->schema, fingerprint);
	state->has_runs = memcmp(in->data, fingerprint, SCHEMA_FINGERPRINT_SIZE) == 0;
	in->data += SCHEMA_FINGERPRINT_SIZE;
	in->size -= SCHEMA_FINGERPRINT_SIZE;
	return !state->has_runs || buffer_append(&state->runs, *in) == ST_OK;
}

static enum status decode(struct bytes in, struct store__txid_state *state)
{
	uint64_t format, checksum;
	if (in.size < HEAD_SIZE || memcmp(in.data, magic, sizeof(magic)) != 0)
		return ST_CORRUPT;
	in = (struct bytes){in.data + sizeof(magic), in.size - sizeof(magic)};
	if (!take_number(&in, 4, &format) || !take_number(&in, 4, &checksum))
		return ST_CORRUPT;
	if (format > FORMAT)
		return ST_LIMIT;
	bool good = crc32c(0, in) == checksum && take_number(&in, 8, &state->version) &&
		    take_txid(&in, format, &state->txids->datastore) && take_epochs(&in, &state->epochs) &&
		    take_nodes(&in, format, state) && (format == 1 ? in.size == 0 : take_runs(&in, state));
	return good ? ST_OK : ST_CORRUPT;
}

enum status store__txid_file_read(struct journal *journal, struct store__txid_state *state)
{
	struct buffer content;
	buffer_init(&content, SIZE_MAX);
	enum status status = journal_disk_get_file(journal, FILE_NAME, FILE_LIMIT, &content);
	if (status == ST_OK)
		status = decode(buffer_get(&content), state);
	buffer_fini(&content);
	if (status == ST_OK)
		return ST_OK;
	if (status != ST_ABSENT)
		log_warning("%s: cannot be read: %s; transaction ids begin anew", FILE_NAME,
			    status_name(status));
	const struct schema *schema = state->schema;
	store__txid_state_fini(state);
	store__txid_state_init(state, schema);
	return status;
}
