/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The history as state data (yare-history). Versions are read a page at a time: the history's mutex is what a
 * commit takes to be listed, and is not held for as long as a long history takes.
 */
#include "netconf/sessions.h"
#include "netconf/state.h"
#include "netconf/state_build.h"
#include "netconf/version_info.h"
#include "store/history.h"

#define PAGE 64 /* versions */

struct page {
	struct state_builder *build;
	struct arena *arena;
	uint64_t before; /* of the next page */
	unsigned length;
};

static void put_leaf(void *arg, const char *leaf, const char *text)
{
	state__leaf(arg, leaf, text);
}

static bool add_version(void *arg, const struct store_version *info)
{
	struct page *page = arg;
	const char *id = arena_printf(page->arena, "%llu", (unsigned long long)info->id);
	page->before = info->id;
	if (state__entry(page->build, "version", &id, -1)) {
		netconf__version_each_leaf(info, page->arena, put_leaf, page->build);
		state__leave(page->build);
	}
	return ++page->length < PAGE;
}

struct tree_record *netconf__history_complete(struct netconf_server *server, struct tree_record *root,
					      struct arena *arena)
{
	struct state_builder build;
	struct page page = {.build = &build, .arena = arena, .before = UINT64_MAX, .length = PAGE};
	state__begin(&build, server->state->history->module, server->schema, root, server->reclaimer);
	tree_record_unref(root, server->schema->root, server->reclaimer);
	if (state__enter(&build, "history")) {
		while (page.length == PAGE) {
			page.length = 0;
			store_history_each_before(server->store, page.before, add_version, &page);
		}
		state__leave(&build);
	}
	return state__finish(&build);
}
