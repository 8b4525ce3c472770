/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A client on libnetconf2's API, the library inside netopeer2-cli: at connect it learns the server's modules
 * by the YANG library and reads their texts by get-schema, into a libyang context of its own; every reply is
 * parsed and checked against that. So a session that works at all has passed what the server says of itself
 * through another implementation.
 *
 *     libnetconf2 ssh PORT USER KEY EMPTY_DIR | libnetconf2 unix PATH EMPTY_DIR
 *
 * KEY has KEY.pub beside it. EMPTY_DIR is where modules are searched (and kept by the library). Prints each
 * step that fails and exits with 1.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libyang/libyang.h>
#include <nc_client.h>

#define TIMEOUT_MS 20000
#define PERF "http://netconfcentral.org/ns/perf-test"
#define NC "urn:ietf:params:xml:ns:netconf:base:1.0"

static int failures;

static void check(int good, const char *format, ...)
{
	va_list args;
	if (good)
		return;
	failures++;
	va_start(args, format);
	printf("FAILED: ");
	vprintf(format, args);
	printf("\n");
	va_end(args);
}

static char *print(const struct lyd_node *tree)
{
	char *text = NULL;
	if (tree == NULL || lyd_print_mem(&text, tree, LYD_XML, LYD_PRINT_WITHSIBLINGS) != LY_SUCCESS)
		return strdup("");
	return text == NULL ? strdup("") : text;
}

/* Sends the rpc (taken) and gives the reply's envelope and content as texts, on the heap. */
static void call(struct nc_session *session, struct nc_rpc *rpc, char **envelope, char **content)
{
	uint64_t id;
	struct lyd_node *envp = NULL, *op = NULL;
	*envelope = *content = NULL;
	if (rpc == NULL) {
		check(0, "libnetconf2 makes no rpc");
	} else if (nc_send_rpc(session, rpc, TIMEOUT_MS, &id) != NC_MSG_RPC) {
		check(0, "the rpc was not sent");
	} else {
		NC_MSG_TYPE type = nc_recv_reply(session, rpc, id, TIMEOUT_MS, &envp, &op);
		check(type == NC_MSG_REPLY, "the reply is of type %d", type);
	}
	*envelope = print(envp);
	*content = print(op);
	lyd_free_tree(envp);
	lyd_free_tree(op);
	nc_rpc_free(rpc);
}

/* The reply is to contain the text, in its envelope or its content. */
static void expect(struct nc_session *session, struct nc_rpc *rpc, const char *what, const char *text)
{
	char *envelope, *content;
	call(session, rpc, &envelope, &content);
	check(strstr(envelope, text) != NULL || strstr(content, text) != NULL, "%s: no %s in\n%s\n%s", what,
	      text, envelope, content);
	free(envelope);
	free(content);
}

static void expect_ok(struct nc_session *session, struct nc_rpc *rpc, const char *what)
{
	expect(session, rpc, what, "<ok/>");
}

static struct nc_rpc *edit(NC_DATASTORE target, const char *config)
{
	return nc_rpc_edit(target, NC_RPC_EDIT_DFLTOP_MERGE, NC_RPC_EDIT_TESTOPT_UNKNOWN,
			   NC_RPC_EDIT_ERROPT_ROLLBACK, config, NC_PARAMTYPE_CONST);
}

static struct nc_rpc *get_config(NC_DATASTORE source)
{
	return nc_rpc_getconfig(source, NULL, NC_WD_UNKNOWN, NC_PARAMTYPE_CONST);
}

static struct nc_session *connect_session(char **arguments)
{
	if (strcmp(arguments[0], "unix") == 0) {
		nc_client_set_schema_searchpath(arguments[2]);
		return nc_connect_unix(arguments[1], NULL);
	}
	char public_key[4096];
	snprintf(public_key, sizeof(public_key), "%s.pub", arguments[3]);
	nc_client_set_schema_searchpath(arguments[4]);
	nc_client_ssh_set_username(arguments[2]);
	nc_client_ssh_set_auth_pref(NC_SSH_AUTH_PUBLICKEY, 10);
	nc_client_ssh_set_auth_pref(NC_SSH_AUTH_PASSWORD, -1);
	nc_client_ssh_set_auth_pref(NC_SSH_AUTH_INTERACTIVE, -1);
	if (nc_client_ssh_get_keypair_count() == 0)
		nc_client_ssh_add_keypair(public_key, arguments[3]);
	return nc_connect_ssh("127.0.0.1", (uint16_t)atoi(arguments[1]), NULL);
}

static int accept_host(const char *hostname, ssh_session session, void *arg)
{
	(void)hostname;
	(void)session;
	(void)arg;
	return 0;
}

static void silent(const struct nc_session *session, NC_VERB_LEVEL level, const char *message)
{
	(void)session;
	(void)level;
	if (getenv("VERBOSE") != NULL)
		printf("libnetconf2: %s\n", message);
}

/* What it knows of the server: our modules, implemented, with features. */
static void check_context(struct nc_session *session)
{
	const struct ly_ctx *context = nc_session_get_ctx(session);
	static const char *const names[] = {"perf-test", "ietf-netconf", "ietf-netconf-monitoring",
					    "ietf-yang-library", "yare-transport"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		check(ly_ctx_get_module_implemented(context, names[i]) != NULL, "%s is not in the context",
		      names[i]);
	static const char *const features[] = {"writable-running", "candidate", "confirmed-commit",
					       "rollback-on-error", "validate"};
	const struct lys_module *netconf = ly_ctx_get_module_implemented(context, "ietf-netconf");
	for (size_t i = 0; netconf != NULL && i < sizeof(features) / sizeof(features[0]); i++)
		check(lys_feature_value(netconf, features[i]) == LY_SUCCESS, "no feature %s", features[i]);
	check(netconf == NULL || lys_feature_value(netconf, "startup") != LY_SUCCESS,
	      "startup is no feature of ours");
	check(nc_session_cpblt(session, "urn:ietf:params:netconf:capability:yang-library:1.1") != NULL,
	      "no yang-library:1.1");
}

static void check_editing(struct nc_session *session)
{
	static const char a[] =
		"<top-container xmlns=\"" PERF "\"><local-list><name>a</name><type>ethernet</type>"
		"</local-list></top-container>";
	static const char b[] =
		"<top-container xmlns=\"" PERF "\"><local-list><name>b</name><type>l2vlan</type>"
		"</local-list></top-container>";
	static const char none[] =
		"<top-container xmlns=\"" PERF "\" xmlns:nc=\"" NC "\" nc:operation=\"remove\"/>";
	expect_ok(session, edit(NC_DATASTORE_RUNNING, a), "edit-config of running");
	expect(session, get_config(NC_DATASTORE_RUNNING), "get-config", "<name>a</name>");
	expect(session, nc_rpc_get("<top-container xmlns=\"" PERF "\"/>", NC_WD_UNKNOWN, NC_PARAMTYPE_CONST),
	       "get with a filter", "<name>a</name>");
	expect_ok(session, nc_rpc_lock(NC_DATASTORE_CANDIDATE), "lock");
	expect_ok(session, edit(NC_DATASTORE_CANDIDATE, b), "edit-config of the candidate");
	expect_ok(session, nc_rpc_discard(), "discard-changes");
	expect_ok(session, edit(NC_DATASTORE_CANDIDATE, b), "edit-config of the candidate");
	expect_ok(session, nc_rpc_validate(NC_DATASTORE_CANDIDATE, NULL, NC_PARAMTYPE_CONST), "validate");
	expect_ok(session, nc_rpc_commit(0, 0, NULL, NULL, NC_PARAMTYPE_CONST), "commit");
	expect_ok(session, nc_rpc_unlock(NC_DATASTORE_CANDIDATE), "unlock");
	expect(session, nc_rpc_unlock(NC_DATASTORE_CANDIDATE), "second unlock", "operation-failed");
	expect(session, get_config(NC_DATASTORE_RUNNING), "get-config", "<name>b</name>");
	expect_ok(session,
		  nc_rpc_copy(NC_DATASTORE_CANDIDATE, NULL, NC_DATASTORE_CONFIG, a, NC_WD_UNKNOWN,
			      NC_PARAMTYPE_CONST),
		  "copy-config of <config>");
	expect_ok(session,
		  nc_rpc_copy(NC_DATASTORE_RUNNING, NULL, NC_DATASTORE_CANDIDATE, NULL, NC_WD_UNKNOWN,
			      NC_PARAMTYPE_CONST),
		  "copy-config");
	expect_ok(session, nc_rpc_validate(NC_DATASTORE_CONFIG, b, NC_PARAMTYPE_CONST),
		  "validate of <config>");
	expect_ok(session, nc_rpc_discard(), "discard-changes");
	expect_ok(session, edit(NC_DATASTORE_RUNNING, none), "edit-config with remove");
}

static struct nc_rpc *commit(bool confirmed, const char *persist, const char *persist_id)
{
	return nc_rpc_commit(confirmed, confirmed ? 60 : 0, persist, persist_id, NC_PARAMTYPE_CONST);
}

static void check_confirmed_commit(struct nc_session *session)
{
	static const char c[] =
		"<top-container xmlns=\"" PERF "\"><local-list><name>c</name><type>l2vlan</type>"
		"</local-list></top-container>";
	static const char none[] =
		"<top-container xmlns=\"" PERF "\" xmlns:nc=\"" NC "\" nc:operation=\"remove\"/>";
	expect_ok(session, edit(NC_DATASTORE_CANDIDATE, c), "edit-config of the candidate");
	expect_ok(session, commit(true, NULL, NULL), "confirmed commit");
	expect(session, get_config(NC_DATASTORE_RUNNING), "get-config", "<name>c</name>");
	expect_ok(session, nc_rpc_cancel(NULL, NC_PARAMTYPE_CONST), "cancel-commit");
	expect(session, nc_rpc_cancel(NULL, NC_PARAMTYPE_CONST), "second cancel-commit", "operation-failed");
	expect_ok(session, edit(NC_DATASTORE_CANDIDATE, c), "edit-config of the candidate");
	expect_ok(session, commit(true, "x", NULL), "persistent confirmed commit");
	expect(session, commit(false, NULL, NULL), "commit without persist-id", "invalid-value");
	expect(session, nc_rpc_cancel("y", NC_PARAMTYPE_CONST), "cancel-commit of another", "invalid-value");
	expect_ok(session, commit(true, NULL, "x"), "follow-up");
	expect_ok(session, commit(false, NULL, "x"), "confirming commit");
	expect(session, get_config(NC_DATASTORE_RUNNING), "get-config", "<name>c</name>");
	expect_ok(session, edit(NC_DATASTORE_RUNNING, none), "edit-config with remove");
}

/* RFC 8526; content as it is in `b` of check_editing. */
static void check_nmda(struct nc_session *session)
{
	static const char d[] =
		"<top-container xmlns=\"" PERF "\"><local-list><name>d</name><type>l2vlan</type>"
		"</local-list></top-container>";
	static const char none[] =
		"<top-container xmlns=\"" PERF "\" xmlns:nc=\"" NC "\" nc:operation=\"remove\"/>";
	/* It sends a subtree as an empty filter here. */
	static const char filter[] = "/perf-test:top-container";
	static const char *const datastores[] = {"ietf-datastores:running", "ietf-datastores:intended",
						 "ietf-datastores:operational"};
	expect_ok(session,
		  nc_rpc_editdata("ietf-datastores:running", NC_RPC_EDIT_DFLTOP_MERGE, d, NC_PARAMTYPE_CONST),
		  "edit-data");
	for (size_t i = 0; i < sizeof(datastores) / sizeof(datastores[0]); i++)
		expect(session,
		       nc_rpc_getdata(datastores[i], filter, NULL, NULL, 0, 0, 0, 0, NC_WD_UNKNOWN,
				      NC_PARAMTYPE_CONST),
		       datastores[i], "<name>d</name>");
	char *origins[] = {"ietf-origin:intended"};
	expect(session,
	       nc_rpc_getdata("ietf-datastores:operational", filter, "true", origins, 1, 0, 0, 1,
			      NC_WD_UNKNOWN, NC_PARAMTYPE_CONST),
	       "get-data with origin", ":intended\"");
	expect(session,
	       nc_rpc_getdata("ietf-datastores:running", filter, NULL, NULL, 0, 0, 3, 0, NC_WD_UNKNOWN,
			      NC_PARAMTYPE_CONST),
	       "get-data of depth 3", "<name>d</name>");
	expect_ok(session,
		  nc_rpc_editdata("ietf-datastores:running", NC_RPC_EDIT_DFLTOP_MERGE, none,
				  NC_PARAMTYPE_CONST),
		  "edit-data with remove");
	expect(session,
	       nc_rpc_editdata("ietf-datastores:operational", NC_RPC_EDIT_DFLTOP_MERGE, d,
			       NC_PARAMTYPE_CONST),
	       "edit-data of operational", "invalid-value");
}

static void check_discovery(struct nc_session *session)
{
	expect(session, nc_rpc_getschema("perf-test", NULL, "yang", NC_PARAMTYPE_CONST), "get-schema",
	       "module perf-test");
	expect(session, nc_rpc_getschema("nonsense", NULL, "yang", NC_PARAMTYPE_CONST), "get-schema",
	       "invalid-value");
	/* All state at once: each value of it is read as the type that the model has for it. */
	expect(session, nc_rpc_get(NULL, NC_WD_UNKNOWN, NC_PARAMTYPE_CONST), "get", "</netconf-state>");
}

int main(int argc, char **argv)
{
	if (argc != 4 && argc != 6)
		return 2;
	nc_client_init();
	nc_set_print_clb_session(silent);
	if (getenv("VERBOSE") != NULL)
		nc_verbosity(NC_VERB_VERBOSE);
	nc_client_ssh_set_auth_hostkey_check_clb(accept_host, NULL);
	struct nc_session *session = connect_session(argv + 1), *victim = connect_session(argv + 1);
	check(session != NULL && victim != NULL, "no session");
	if (session != NULL && victim != NULL) {
		check_context(session);
		check_editing(session);
		check_confirmed_commit(session);
		check_nmda(session);
		check_discovery(session);
		expect_ok(session, nc_rpc_kill(nc_session_get_id(victim)), "kill-session");
		expect(session, nc_rpc_kill(nc_session_get_id(victim)), "second kill-session",
		       "invalid-value");
	}
	/* The victim's close-session finds nobody: it is told so. */
	nc_session_free(session, NULL);
	nc_session_free(victim, NULL);
	nc_client_destroy();
	printf(failures == 0 ? "libnetconf2 over %s: passed\n" : "libnetconf2 over %s: FAILED\n", argv[1]);
	return failures == 0 ? 0 : 1;
}
