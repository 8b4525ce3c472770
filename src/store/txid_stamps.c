/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ids of inner nodes over a restart. A container or list entry has its id as the stamp of its record
 * (tree/stamp.h): the number of a version; the epochs tell the rest. In memory that is four bytes a record,
 * which mostly fit into what malloc would leave unused. On disk stamps are runs of equal ones in document
 * order, so what a few transactions made takes a few bytes, and the worst is some bytes a record:
 *
 *     run: number of records, version; both 7 bits a byte, the lowest first, the top bit says that more
 * follow
 *
 * They fit the tree of one version under one schema. Where that is not what a start has, the stamps are not
 * known; then each gets the id of what it is in, which is never older than its own.
 */
#include "base/assert.h"
#include "store/txid_internal.h"
#include "tree/stamp.h"

/* ---- writing ---- */

struct writing {
	struct buffer *out;
	uint64_t count;
	uint32_t stamp;
};

static void put_number(struct buffer *out, uint64_t number)
{
	char bytes[10];
	size_t size = 0;
	for (; number >= 128; number >>= 7)
		bytes[size++] = (char)(number | 128);
	bytes[size++] = (char)number;
	enum status status = buffer_append(out, (struct bytes){bytes, size});
	ASSERT(status == ST_OK); /* the buffer has no limit */
}

static void put_run(struct writing *writing)
{
	if (writing->count == 0)
		return;
	put_number(writing->out, writing->count);
	put_number(writing->out, writing->stamp);
	writing->count = 0;
}

static void write_one(void *arg, const struct tree_record *record)
{
	struct writing *writing = arg;
	uint32_t stamp = tree_record_stamp_get(record);
	if (stamp != writing->stamp)
		put_run(writing);
	writing->stamp = stamp;
	writing->count++;
}

void store__stamps_encode(const struct schema *schema, const struct tree_record *root, struct buffer *out)
{
	struct writing writing = {.out = out};
	tree_stamp_walk(schema->root, root, write_one, &writing);
	put_run(&writing);
}

/* ---- reading ---- */

struct reading {
	struct bytes in;
	uint64_t left; /* of the run */
	uint64_t stamp;
	bool bad;
};

static bool take_number(struct bytes *in, uint64_t *number)
{
	*number = 0;
	for (unsigned shift = 0; in->size > 0 && shift < 64; shift += 7) {
		unsigned char byte = (unsigned char)in->data[0];
		in->data++;
		in->size--;
		*number |= (uint64_t)(byte & 127) << shift;
		if (byte < 128)
			return true;
	}
	return false;
}

static void read_one(void *arg, const struct tree_record *record)
{
	struct reading *reading = arg;
	if (reading->left == 0 && !reading->bad)
		reading->bad = !take_number(&reading->in, &reading->left) ||
			       !take_number(&reading->in, &reading->stamp) || reading->left == 0 ||
			       reading->stamp > TREE_STAMP_LATE;
	if (reading->bad)
		return;
	reading->left--;
	tree_record_stamp_set(record, (uint32_t)reading->stamp);
}

static void forget_one(void *arg, const struct tree_record *record)
{
	(void)arg;
	tree_record_stamp_set(record, 0);
}

void store__stamps_forget(const struct schema *schema, const struct tree_record *root)
{
	tree_stamp_walk(schema->root, root, forget_one, NULL);
}

bool store__stamps_apply(const struct schema *schema, const struct tree_record *root, struct bytes runs)
{
	struct reading reading = {.in = runs};
	tree_stamp_walk(schema->root, root, read_one, &reading);
	if (!reading.bad && reading.left == 0 && reading.in.size == 0)
		return true;
	store__stamps_forget(schema, root);
	return false;
}

/* ---- what is not known ---- */

static void fill_map(const struct schema_node *list, const struct tree_map *map, uint32_t above,
		     uint32_t last);

/* A record whose stamp is not known has changed no later than the one it is in. */
static void fill(const struct schema_node *schema, const struct tree_record *record, uint32_t above,
		 uint32_t last)
{
	uint32_t stamp = tree_record_stamp_get(record);
	if (stamp == 0 || stamp > last)
		tree_record_stamp_set(record, stamp = above);
	for (size_t i = 0; i < record->length; i++) {
		const struct schema_node *child = schema->children[tree_record_indexes(record)[i]];
		if (!child->config)
			continue;
		if (child->kind == SCHEMA_CONTAINER)
			fill(child, record->slots[i].record, stamp, last);
		else if (child->kind == SCHEMA_LIST)
			fill_map(child, record->slots[i].map, stamp, last);
	}
}

static void fill_map(const struct schema_node *list, const struct tree_map *map, uint32_t above,
		     uint32_t last)
{
	struct tree_map_iter iter;
	const union tree_item *item = tree_map_first(&iter, map, list);
	for (; item != NULL; item = tree_map_next(&iter))
		fill(list, item->record, above, last);
}

void store__stamps_fill(const struct schema *schema, const struct tree_record *root,
			const struct store_txids *txids, uint64_t version, uint64_t least)
{
	uint32_t last = tree_stamp_of(version);
	uint64_t datastore = txids->datastore.version;
	tree_record_stamp_set(root, tree_stamp_of(datastore > least ? datastore : least));
	for (size_t i = 0; i < root->length; i++) {
		const struct schema_node *child = schema->root->children[tree_record_indexes(root)[i]];
		uint64_t top = store_txid_of(txids, child).version;
		uint32_t above = tree_stamp_of(top > least ? top : least);
		if (child->kind == SCHEMA_CONTAINER)
			fill(child, root->slots[i].record, above, last);
		else if (child->kind == SCHEMA_LIST)
			fill_map(child, root->slots[i].map, above, last);
	}
}
