/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * constraints/commit: one small edit for each kind of constraint, as a client sees it, beside 1,000 nodes and
 * beside N. Two servers take turns with every edit, so that what else happens on the machine meets both; what
 * an edit changed is taken back by another one, which is not timed. Each edit takes another entry.
 */
#include "constraint_rows.h"
#include "run.h"
#include "say.h"
#include "os/clock.h"
#include "stats.h"

#define SCENARIO "constraints/commit"
#define SMALL_NODES 1000
#define EDITS 300 /* a row and server */

struct side {
	struct server *server;
	struct client *client;
	unsigned rounds;
	struct stats stats; /* of the present row */
};

static void put_edit(struct buffer *out, const char *form, unsigned number)
{
	static const char head[] = "<rpc message-id=\"1\" xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\" "
				   "xmlns:nc=\"urn:ietf:params:xml:ns:netconf:base:1.0\"><edit-config><"
				   "target><running/></target><config>";
	if (buffer_append(out, bytes_of(head)) != ST_OK)
		return;
	constraint_rows_put(out, form, number);
	(void)!buffer_append(out, bytes_of("</config></edit-config></rpc>"));
}

static enum status load(struct side *side)
{
	static const char head[] = "<rpc message-id=\"1\" xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\">"
				   "<edit-config><target><running/></target><config>";
	struct buffer document;
	buffer_init(&document, SIZE_MAX);
	enum status status = buffer_append(&document, bytes_of(head));
	constraint_rows_data(&document, side->rounds);
	if (status == ST_OK)
		status = buffer_append(&document, bytes_of("</config></edit-config></rpc>"));
	if (status == ST_OK)
		status = run_edit(side->server, side->client, buffer_get(&document), NULL);
	buffer_fini(&document);
	return status;
}

static enum status open_side(struct run *run, struct side *side, uint64_t nodes)
{
	side->rounds = nodes < CONSTRAINT_ROUND_NODES ? 1 : (unsigned)(nodes / CONSTRAINT_ROUND_NODES);
	stats_init(&side->stats);
	enum status status = run_server(run, 1, &side->server);
	if (status == ST_OK)
		status = run_connect(run, side->server, run_default_transport(run), &side->client);
	return status == ST_OK ? load(side) : status;
}

static void close_side(struct side *side)
{
	client_close(side->client);
	server_end(side->server);
	stats_fini(&side->stats);
}

/* The edit must be answered as its row says. */
static enum status send_edit(struct side *side, const char *form, bool refused, unsigned number,
			     uint64_t *elapsed_ns)
{
	struct buffer request;
	buffer_init(&request, SIZE_MAX);
	put_edit(&request, form, number);
	struct buffer framed;
	buffer_init(&framed, SIZE_MAX);
	client_frame(side->client, &framed, buffer_get(&request));
	struct client_reply reply = {0};
	uint64_t begin_ns = os_clock_monotonic_ns();
	enum status status = client_call(side->client, buffer_get(&framed), &reply);
	*elapsed_ns = os_clock_monotonic_ns() - begin_ns;
	if (status == ST_OK && refused)
		say("an edit that breaks a constraint was accepted");
	else if (status == ST_REJECTED && !refused)
		client_say_error(&reply);
	buffer_fini(&request);
	buffer_fini(&framed);
	return status == (refused ? ST_REJECTED : ST_OK) ? ST_OK : ST_CORRUPT;
}

static enum status measure_edit(struct side *side, const struct constraint_row *row, unsigned i)
{
	unsigned number = (unsigned)((uint64_t)i * 2654435761u % side->rounds);
	uint64_t elapsed_ns, unused;
	enum status status = send_edit(side, row->edit, row->undo == NULL, number, &elapsed_ns);
	if (status == ST_OK)
		stats_add(&side->stats, elapsed_ns);
	return status == ST_OK && row->undo != NULL ? send_edit(side, row->undo, false, number, &unused)
						    : status;
}

static double take_median_us(struct side *side)
{
	double us = stats_summarize(&side->stats).p50 / 1e3;
	stats_fini(&side->stats);
	stats_init(&side->stats);
	return us;
}

static enum status measure_row(struct run *run, struct side sides[2], const struct constraint_row *row,
			       uint64_t n)
{
	enum status status = ST_OK;
	for (unsigned i = 0; i < EDITS && status == ST_OK; i++) {
		/* Who comes second finds the machine as the first has left it. */
		status = measure_edit(&sides[i % 2], row, i);
		if (status == ST_OK)
			status = measure_edit(&sides[1 - i % 2], row, i);
	}
	if (status != ST_OK || run_interrupted())
		return status;
	const char *small = run_text(run, "%s, %u nodes", row->name, SMALL_NODES);
	run_add(run, SCENARIO, n, (struct run_metric){small, "us", NULL}, take_median_us(&sides[0]));
	run_add(run, SCENARIO, n, (struct run_metric){run_text(run, "%s, N nodes", row->name), "us", small},
		take_median_us(&sides[1]));
	return ST_OK;
}

enum status scenario_constraints_commit(struct run *run, uint64_t n)
{
	struct side sides[2] = {0};
	enum status status = open_side(run, &sides[0], SMALL_NODES);
	if (status == ST_OK)
		status = open_side(run, &sides[1], n);
	for (size_t i = 0; i < CONSTRAINT_ROWS && status == ST_OK && !run_interrupted(); i++)
		status = measure_row(run, sides, &constraint_rows[i], n);
	close_side(&sides[0]);
	close_side(&sides[1]);
	return status;
}
