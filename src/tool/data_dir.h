/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* What the commands about data directories share. */
#include <stdio.h>
#include "check/check.h"
#include "schema/load.h"
#include "store/inspect.h"
#include "tool/options.h"

/* Opens a view and looks into it. Gives -1, or the code to exit with; said on standard error. */
int data_dir_open(const char *dir, enum journal_view_mode mode, struct journal_view **view,
		  struct store_inspection *inspection);

struct data_dir_schema {
	struct schema *schema;
	struct check_plan *plan;
};
/* The modules that yared would load. Gives -1, or the code to exit with; said on standard error. */
int data_dir_schema_load(const struct server_options *options, struct data_dir_schema *schema);
void data_dir_schema_free(struct data_dir_schema *schema); /* of zeros is allowed */

/* The limits that yared has by default. */
struct check_options data_dir_check_options(void);
/* All constraints of a root, with the limits that yared has by default. */
enum status data_dir_validate(const struct data_dir_schema *schema, const struct tree_record *root,
			      struct diag_list *diags) MUST_USE;
/* A line each on standard error, as an rpc-error has it: tag, app-tag, path, message. */
void data_dir_print_diags(const struct diag_list *diags);

/* "damage", "tail", ... */
const char *data_dir_severity(enum journal_severity severity);
/* The finding that decides the verdict; NULL: there is no damage and nothing of a newer format. */
const struct journal_finding *data_dir_damage(const struct journal_view *view);
/* "DIR/FILE: damage at offset N: what" */
void data_dir_print_finding(FILE *out, const char *dir, const struct journal_finding *finding);
/* What the version did to the startup datastore; NULL: nothing. */
const char *data_dir_startup(const struct store_version *info);
/* A line of `yare journal`. */
void data_dir_print_version(const struct store_version *info, const char *label);
/* The exit code that the findings mean. */
int data_dir_code(const struct journal_view *view);
