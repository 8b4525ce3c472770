/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The operations, each in the file of its name (op_*.c); dispatch.c has the table. */
#include "netconf/op_params.h"
#include "netconf/request.h"

extern const struct netconf_operation netconf__op_get;
extern const struct netconf_operation netconf__op_get_config;
extern const struct netconf_operation netconf__op_edit_config;
extern const struct netconf_operation netconf__op_commit;
extern const struct netconf_operation netconf__op_cancel_commit;
extern const struct netconf_operation netconf__op_discard_changes;
extern const struct netconf_operation netconf__op_lock;
extern const struct netconf_operation netconf__op_unlock;
extern const struct netconf_operation netconf__op_close_session;
extern const struct netconf_operation netconf__op_kill_session;
extern const struct netconf_operation netconf__op_validate;
extern const struct netconf_operation netconf__op_copy_config;
extern const struct netconf_operation netconf__op_delete_config;
extern const struct netconf_operation netconf__op_get_schema;
extern const struct netconf_operation netconf__op_get_data;
extern const struct netconf_operation netconf__op_edit_data;
extern const struct netconf_operation netconf__op_factory_reset;
extern const struct netconf_operation netconf__op_partial_lock;
extern const struct netconf_operation netconf__op_partial_unlock;
extern const struct netconf_operation netconf__op_list_versions;
extern const struct netconf_operation netconf__op_show_version;
extern const struct netconf_operation netconf__op_rollback;
extern const struct netconf_operation netconf__op_label_version;
extern const struct netconf_operation netconf__op_compare;
extern const struct netconf_operation netconf__op_compare_versions;

/* op_invoke.c: any rpc of the schema, and any action (RFC 7950 7.14, 7.15). */
extern const struct netconf_operation netconf__op_rpc;
extern const struct netconf_operation netconf__op_action;
#define NETCONF_YANG_NS "urn:ietf:params:xml:ns:yang:1"

/* What all calls of the store need. */
struct store_call netconf__store_call(struct netconf_request *request, enum store_wait wait);
/* op_commit.c, shared with cancel-commit: a persist or persist-id. NULL where it is not given or wrong. */
const char *netconf__persist_read(struct netconf_request *request, const struct netconf_param *param);
/* op_edit_config.c, shared with edit-data: sets the edit's options; applies the edit. */
void netconf__edit_options_read(struct netconf_request *request,
				const struct netconf_param *default_operation);
/* What is to be applied: <config>, which was decoded, or the file that <url> names. */
void netconf__edit_content_read(struct netconf_request *request, const struct netconf_param *config,
				const struct netconf_param *url);
enum status netconf__edit_run(struct netconf_request *request, enum store_wait wait);
/* op_copy_config.c, shared with validate: what <source> names, a datastore (written to *datastore) or
 * <config>. */
void netconf__source_read(struct netconf_request *request, const struct netconf_param *param,
			  enum store_datastore *datastore);
/* The root of the source; a reference. Fails: ST_REJECTED (diags). */
enum status netconf__source_root(struct netconf_request *request, enum store_datastore datastore,
				 const struct tree_record **root) MUST_USE;
/* What that root was made of: the content of <config> or of a file; NULL: it is a datastore's. */
const struct edit_tree *netconf__source_content(const struct netconf_request *request);
