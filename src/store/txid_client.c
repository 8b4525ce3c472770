/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transaction ids as texts: those that the server gives, and what a client's text says of what it knows.
 *
 * A client that names an id of the server's, of whatever node, has seen the configuration as it was with that
 * version. So it knows every node that has changed no later. Whether an id ever was one of the server's is
 * told by its epoch; a time by the list of versions, beyond which it is only known where it is exactly that
 * of the node. Texts are opaque: another form of the same number or time is none of them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "store/history_internal.h"
#include "store/txid_internal.h"

void store_txid_text(struct store_txid txid, char text[STORE_TXID_SIZE])
{
	snprintf(text, STORE_TXID_SIZE, "%016" PRIx64 "-%" PRIu64, txid.epoch, txid.version);
}

void store_txid_time_text(struct store_txid txid, char text[STORE_TXID_SIZE])
{
	time_t seconds = (time_t)(txid.time_us / 1000000);
	struct tm parts;
	gmtime_r(&seconds, &parts);
	size_t size = strftime(text, STORE_TXID_SIZE, "%Y-%m-%dT%H:%M:%S", &parts);
	snprintf(text + size, STORE_TXID_SIZE - size, ".%06uZ", (unsigned)(txid.time_us % 1000000));
}

static bool take_digits(struct bytes *text, unsigned base, size_t most, uint64_t *number)
{
	static const char digits[] = "0123456789abcdef";
	size_t size = 0;
	*number = 0;
	for (; size < text->size && size < most; size++) {
		const char *digit = memchr(digits, text->data[size], base);
		if (digit == NULL)
			break;
		*number = *number * base + (uint64_t)(digit - digits);
	}
	text->data += size;
	text->size -= size;
	return size > 0;
}

static bool take_byte(struct bytes *text, char byte)
{
	if (text->size == 0 || text->data[0] != byte)
		return false;
	text->data++;
	text->size--;
	return true;
}

static bool parse_etag(struct bytes text, struct store_txid *txid)
{
	return take_digits(&text, 16, 16, &txid->epoch) && take_byte(&text, '-') &&
	       take_digits(&text, 10, 19, &txid->version) && text.size == 0;
}

static bool parse_time(struct bytes text, struct store_txid *txid)
{
	static const char separators[] = "--T::.Z";
	uint64_t parts[7];
	for (size_t i = 0; i < 7; i++)
		if (!take_digits(&text, 10,
				 i == 0	  ? 4
				 : i == 6 ? 6
					  : 2,
				 &parts[i]) ||
		    !take_byte(&text, separators[i]))
			return false;
	struct tm tm = {.tm_year = (int)parts[0] - 1900,
			.tm_mon = (int)parts[1] - 1,
			.tm_mday = (int)parts[2],
			.tm_hour = (int)parts[3],
			.tm_min = (int)parts[4],
			.tm_sec = (int)parts[5]};
	time_t seconds = timegm(&tm);
	if (text.size > 0 || seconds < 0)
		return false;
	txid->time_us = (uint64_t)seconds * 1000000 + parts[6];
	return true;
}

/* Whether a version that is listed is of this time. */
static bool is_listed(struct store *store, uint64_t time_us)
{
	struct store__history *history = &store->history;
	pthread_mutex_lock(&history->mutex);
	size_t low = 0, high = store__past_length(history);
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (store__past_at(history, middle)->info->time_ns / 1000 < time_us)
			low = middle + 1;
		else
			high = middle;
	}
	bool listed = low < store__past_length(history) &&
		      store__past_at(history, low)->info->time_ns / 1000 == time_us;
	pthread_mutex_unlock(&history->mutex);
	return listed;
}

void store_txid_client_init(struct store_txid_client *client, struct store *store,
			    enum store_txid_mechanism mechanism, struct bytes text)
{
	char again[STORE_TXID_SIZE];
	struct store_txid txid = {0};
	*client = (struct store_txid_client){.mechanism = mechanism};
	bool is_time = mechanism == STORE_TXID_LAST_MODIFIED;
	if (is_time ? !parse_time(text, &txid) : !parse_etag(text, &txid))
		return;
	if (is_time)
		store_txid_time_text(txid, again);
	else
		store_txid_text(txid, again);
	if (!bytes_equal(text, bytes_of(again)))
		return;
	client->txid = txid;
	client->is_ours = is_time ? is_listed(store, txid.time_us)
				  : txid.epoch != 0 && store__is_published(store, txid.version) &&
					    store__txid_epoch(store, txid.version) == txid.epoch;
}

bool store_txid_client_knows(const struct store_txid_client *client, struct store_txid server)
{
	if (client->mechanism == STORE_TXID_LAST_MODIFIED)
		return client->txid.time_us != 0 &&
		       (client->txid.time_us == server.time_us ||
			(client->is_ours && client->txid.time_us > server.time_us));
	if (client->txid.version == 0)
		return false;
	return (client->txid.version == server.version && client->txid.epoch == server.epoch) ||
	       (client->is_ours && client->txid.version > server.version);
}
