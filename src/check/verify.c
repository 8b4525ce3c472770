/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The second opinion: whatever an incremental check said of a change set, the full check of the new root must
 * say too. That is what the engine promises, and a server that runs with it (--verify) stops at the first
 * change for which it does not hold, with both answers in the log, rather than keep a configuration that may
 * be invalid.
 *
 * Compared are the verdict, the violations one by one, and the value indexes. Where there are more violations
 * than the caller's list takes, which of them are in it is up to the order of the search; then only that
 * there are more is compared. A check that ended at its work limit is not compared at all: the full one has
 * none.
 */
#include "base/assert.h"
#include "base/log.h"
#include "check/run.h"

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_infos(const struct diag_info *a, const struct diag_info *b)
{
	for (; a && b; a = a->next, b = b->next) {
		if (!same_text(a->name, b->name) || !same_text(a->ns, b->ns) ||
		    !same_text(a->value, b->value))
			return false;
	}
	return a == b;
}

static bool same_diags(const struct diag *a, const struct diag *b)
{
	for (; a && b; a = a->next, b = b->next) {
		if (a->type != b->type || a->tag != b->tag || !same_text(a->app_tag, b->app_tag) ||
		    !same_text(a->path, b->path) || !same_text(a->message, b->message) ||
		    !same_infos(a->infos, b->infos))
			return false;
	}
	return a == b;
}

static void log_answer(const char *name, bool valid, const struct diag *first, size_t dropped)
{
	log_error("%s check: %s", name, valid ? "valid" : "refused");
	for (const struct diag *diag = first; diag; diag = diag->next)
		log_error("%s check: %s %s %s: %s", name, diag_tag_name(diag->tag),
			  diag->app_tag ? diag->app_tag : "-", diag->path ? diag->path : "-",
			  diag->message ? diag->message : "-");
	if (dropped > 0)
		log_error("%s check: and more", name);
}

void check__verify(const struct check_plan *plan, const struct tree_change_set *changes, bool valid,
		   const struct diag_list *diags, const struct diag_list *before,
		   const struct check_index *index)
{
	struct arena *arena = arena_new();
	struct diag_list again;
	diag_list_init(&again, arena, before->limit > before->length ? before->limit - before->length : 0);
	struct check_index *full_index = NULL;
	struct check_options options = {
		.steps = UINT64_MAX, .max_nodes = UINT64_MAX, .full = true, .new_index = &full_index};
	bool full_valid = check_changes(plan, changes, &options, &again) == ST_OK;

	const struct diag *first = before->last ? before->last->next : diags->first;
	size_t dropped = diags->dropped - before->dropped;
	bool has_more = dropped > 0 && again.dropped > 0;
	bool verdicts_agree = full_valid == valid &&
			      (has_more || (dropped == again.dropped && same_diags(first, again.first)));
	if (!verdicts_agree) {
		log_answer("incremental", valid, first, dropped);
		log_answer("full", full_valid, again.first, again.dropped);
	}
	ASSERT(verdicts_agree);
	bool indexes_agree = !valid || check_index_equal(index, full_index);
	ASSERT(indexes_agree);
	check_index_unref(full_index, NULL);
	arena_free(arena);
}
