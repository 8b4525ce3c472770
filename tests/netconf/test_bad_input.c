/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every parameter of every operation that the server announces, missing, doubled, of a wrong type, in a wrong
 * namespace, in odd order: the error that RFC 6241 Appendix A and RFC 7950 8.3.1 give, and nothing changed.
 * The table has what each operation takes; that none is forgotten is held against the schema.
 */
#include "helper_server.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "schema/schema.h"

#define MONITORING "urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring"
#define NMDA "urn:ietf:params:xml:ns:yang:ietf-netconf-nmda"
#define COMPARE "urn:ietf:params:xml:ns:yang:ietf-nmda-compare"
#define PARTIAL "urn:ietf:params:xml:ns:netconf:partial-lock:1.0"
#define HISTORY "urn:yare:history"
#define DEFAULTS "urn:ietf:params:xml:ns:yang:ietf-netconf-with-defaults"
#define BASE "urn:ietf:params:xml:ns:netconf:base:1.0"
#define DS " xmlns:ds=\"urn:ietf:params:xml:ns:yang:ietf-datastores\""
#define PARAMS_MAX 12

enum kind { TEXT, EMPTY, ELEMENTS, ANY };

struct param {
	const char *name;
	enum kind kind;
	bool mandatory, repeats;
	const char *valid;	 /* its content */
	const char *wrong, *tag; /* a content that is refused with this tag; NULL: any may be */
	const char *attributes;	 /* of the element, for both */
	const char *ns, *prefix; /* NULL: the operation's own */
	bool alone;		 /* not together with the others: only refused by itself */
};

struct operation {
	const char *name, *ns, *prefix; /* NULL: base */
	bool runs;			/* calling it changes nothing */
	struct param params[PARAMS_MAX];
};

#define TARGET                                                                                               \
	{                                                                                                    \
		"target", ELEMENTS, true, .valid = "<candidate/>", .wrong = "<nowhere/>",                    \
					  .tag = "invalid-value"                                             \
	}
#define SOURCE                                                                                               \
	{                                                                                                    \
		"source", ELEMENTS, true, .valid = "<running/>", .wrong = "<nowhere/>",                      \
					  .tag = "invalid-value"                                             \
	}
#define WITH_DEFAULTS                                                                                        \
	{                                                                                                    \
		"with-defaults", TEXT, .valid = "trim", .wrong = "some", .tag = "invalid-value",             \
				       .ns = DEFAULTS, .prefix = "ncwd"                                      \
	}
#define NUMBER(name_)                                                                                        \
	{                                                                                                    \
		name_, TEXT, .valid = "1", .wrong = "one", .tag = "invalid-value"                            \
	}

static const struct operation operations[] = {
	{"get", .runs = true, .params = {{"filter", ANY, .valid = ""}, WITH_DEFAULTS}},
	{"get-config", .runs = true, .params = {SOURCE, {"filter", ANY, .valid = ""}, WITH_DEFAULTS}},
	{"edit-config", .runs = true,
	 .params = {TARGET,
		    {"default-operation", TEXT, .valid = "none", .wrong = "some", .tag = "invalid-value"},
		    {"test-option", TEXT, .valid = "test-only", .wrong = "some", .tag = "invalid-value"},
		    {"error-option", TEXT, .valid = "stop-on-error", .wrong = "some", .tag = "invalid-value"},
		    {"config", ANY, true, .valid = ""}}},
	{"copy-config", .params = {TARGET, SOURCE, WITH_DEFAULTS}},
	{"delete-config", .params = {{"target", ELEMENTS, true, .valid = "<running/>", .wrong = "<running/>",
				      .tag = "unknown-element"}}},
	{"lock", .params = {TARGET}},
	{"unlock", .params = {TARGET}},
	{.name = "close-session"},
	{"kill-session",
	 .params = {{"session-id", TEXT, true, .valid = "99", .wrong = "-1", .tag = "invalid-value"}}},
	{"commit", .params = {{"confirmed", EMPTY, .valid = ""},
			      {"confirm-timeout", TEXT, .valid = "1", .wrong = "0", .tag = "invalid-value"},
			      {"persist", TEXT, .valid = "a"},
			      {"persist-id", TEXT, .valid = "a"}}},
	{"cancel-commit", .params = {{"persist-id", TEXT, .valid = "a"}}},
	{"discard-changes", .runs = true},
	{"validate", .runs = true, .params = {SOURCE}},
	{"get-schema",
	 MONITORING,
	 "ncm",
	 true,
	 {{"identifier", TEXT, true, .valid = "example", .wrong = "none", .tag = "invalid-value"},
	  {"version", TEXT, .valid = "2024-01-01", .wrong = "2000-01-01", .tag = "invalid-value"},
	  {"format", TEXT, .valid = "yang", .wrong = "ncm:yin", .tag = "invalid-value"}}},
	{"get-data",
	 NMDA,
	 "ncds",
	 true,
	 {{"datastore", TEXT, true, .valid = "ds:operational", .wrong = "ds:none", .tag = "invalid-value",
	   .attributes = DS},
	  {"subtree-filter", ANY, .valid = ""},
	  {"xpath-filter", TEXT, .valid = "/none", .alone = true},
	  {"config-filter", TEXT, .valid = "true", .wrong = "maybe", .tag = "invalid-value"},
	  {"origin-filter", TEXT, .repeats = true, .valid = "or:intended", .wrong = "or:none",
	   .tag = "invalid-value", .attributes = " xmlns:or=\"urn:ietf:params:xml:ns:yang:ietf-origin\""},
	  {"negated-origin-filter", TEXT, .repeats = true, .valid = "or:intended", .wrong = "or:none",
	   .tag = "invalid-value", .alone = true,
	   .attributes = " xmlns:or=\"urn:ietf:params:xml:ns:yang:ietf-origin\""},
	  {"max-depth", TEXT, .valid = "3", .wrong = "0", .tag = "invalid-value"},
	  {"with-origin", EMPTY, .valid = ""},
	  {"with-defaults", TEXT, .valid = "trim", .wrong = "some", .tag = "invalid-value"}}},
	{"edit-data",
	 NMDA,
	 "ncds",
	 true,
	 {{"datastore", TEXT, true, .valid = "ds:candidate", .wrong = "ds:operational",
	   .tag = "invalid-value", .attributes = DS},
	  {"default-operation", TEXT, .valid = "none", .wrong = "some", .tag = "invalid-value"},
	  {"config", ANY, true, .valid = ""}}},
	{"partial-lock", PARTIAL, "pl",
	 .params = {{"select", TEXT, true, true, .valid = "/none", .wrong = "1 +", .tag = "invalid-value"}}},
	{"partial-unlock", PARTIAL, "pl",
	 .params = {{"lock-id", TEXT, true, .valid = "7", .wrong = "seven", .tag = "invalid-value"}}},
	{"compare",
	 COMPARE,
	 "cmp",
	 true,
	 {{"source", TEXT, true, .valid = "ds:running", .wrong = "ds:none", .tag = "invalid-value",
	   .attributes = DS},
	  {"target", TEXT, true, .valid = "ds:candidate", .wrong = "ds:none", .tag = "invalid-value",
	   .attributes = DS},
	  {"all", EMPTY, .valid = ""},
	  {"report-origin", EMPTY, .valid = "", .alone = true},
	  {"subtree-filter", ANY, .valid = ""},
	  {"xpath-filter", TEXT, .valid = "/none", .alone = true}}},
	{"list-versions", HISTORY, "yareh", true, {NUMBER("before"), NUMBER("count")}},
	{"show-version", HISTORY, "yareh", true, {NUMBER("version"), {"with-data", EMPTY, .valid = ""}}},
	{"compare-versions",
	 HISTORY,
	 "yareh",
	 true,
	 {{"source", TEXT, true, .valid = "1", .wrong = "one", .tag = "invalid-value"}, NUMBER("target")}},
	{"rollback", HISTORY, "yareh", .params = {NUMBER("version")}},
	{"label-version", HISTORY, "yareh",
	 .params = {{"version", TEXT, true, .valid = "1", .wrong = "one", .tag = "invalid-value"}}},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- Requests. ---- */

static void put(struct buffer *out, const char *text)
{
	assert_int_equal(buffer_append(out, bytes_of(text)), ST_OK);
}

static const char *ns_of(const struct operation *operation, const struct param *param)
{
	if (param != NULL && param->ns != NULL)
		return param->ns;
	return operation->ns != NULL ? operation->ns : BASE;
}

static void put_param(struct buffer *out, const struct operation *operation, const struct param *param,
		      const char *content)
{
	assert_int_equal(
		buffer_printf(out, "<%s xmlns=\"%s\"%s>%s</%s>", param->name, ns_of(operation, param),
			      param->attributes != NULL ? param->attributes : "", content, param->name),
		ST_OK);
}

static size_t param_count(const struct operation *operation)
{
	size_t count = 0;
	while (count < PARAMS_MAX && operation->params[count].name != NULL)
		count++;
	return count;
}

/* All parameters that go together but `left_out`, in order or from the last to the first. */
static void put_params(struct buffer *out, const struct operation *operation, const struct param *left_out,
		       bool backwards)
{
	size_t count = param_count(operation);
	for (size_t i = 0; i < count; i++) {
		const struct param *param = &operation->params[backwards ? count - 1 - i : i];
		if (param != left_out && !param->alone)
			put_param(out, operation, param, param->valid);
	}
}

static void begin(struct buffer *out, const struct operation *operation, const char *attributes)
{
	buffer_clear(out, SIZE_MAX);
	assert_int_equal(buffer_printf(out, "<%s xmlns=\"%s\"%s>", operation->name, ns_of(operation, NULL),
				       attributes),
			 ST_OK);
}

static const char *end(struct buffer *out, const struct operation *operation)
{
	assert_int_equal(buffer_printf(out, "</%s>", operation->name), ST_OK);
	assert_int_equal(buffer_append(out, (struct bytes){"", 1}), ST_OK);
	return buffer_get(out).data;
}

/* ---- Answers. ---- */

struct test {
	struct peer *peer;
	const struct operation *operation;
	struct buffer request;
};

static bool has(const char *error, size_t size, const char *text)
{
	return memmem(error, size, text, strlen(text)) != NULL;
}

/* Some rpc-error of the reply has the tag, the path of the operation or of the parameter, and the
 * bad-element. */
static void expect_error(struct test *test, const struct param *param, const char *tag, const char *bad)
{
	const struct operation *operation = test->operation;
	const char *prefix = operation->prefix != NULL ? operation->prefix : "nc";
	char wanted[3][256];
	snprintf(wanted[0], sizeof(wanted[0]), "<error-tag>%s</error-tag>", tag);
	if (param == NULL)
		snprintf(wanted[1], sizeof(wanted[1]), ">/nc:rpc/%s:%s</error-path>", prefix,
			 operation->name);
	else
		snprintf(wanted[1], sizeof(wanted[1]), ">/nc:rpc/%s:%s/%s:%s</error-path>", prefix,
			 operation->name, param->prefix != NULL ? param->prefix : prefix, param->name);
	snprintf(wanted[2], sizeof(wanted[2]), "<bad-element>%s</bad-element>", bad != NULL ? bad : "");
	const char *request = end(&test->request, operation);
	char *reply = peer_call(test->peer, request);
	assert_non_null(reply);
	bool found = false;
	for (const char *at = strstr(reply, "<rpc-error>"); at != NULL && !found;
	     at = strstr(at + 1, "<rpc-error>")) {
		const char *stop = strstr(at, "</rpc-error>");
		size_t size = (size_t)(stop - at);
		found = has(at, size, wanted[0]) && has(at, size, wanted[1]) &&
			(bad == NULL || has(at, size, wanted[2]));
	}
	if (!found)
		fail_msg("%s\ngot %s\nwithout %s %s %s", request, reply, tag, wanted[1], wanted[2]);
	memory_free(reply);
}

/* ---- Mutations. ---- */

static void start(struct test *test, const struct param *left_out)
{
	begin(&test->request, test->operation, "");
	put_params(&test->request, test->operation, left_out, false);
}

static void mutate_operation(struct test *test)
{
	begin(&test->request, test->operation, " a=\"b\"");
	put_params(&test->request, test->operation, NULL, false);
	expect_error(test, NULL, "unknown-attribute", test->operation->name);
	start(test, NULL);
	put(&test->request, "text");
	expect_error(test, NULL, "bad-element", test->operation->name);
	start(test, NULL);
	put(&test->request, "<nothing/>");
	expect_error(test, NULL, "unknown-element", "nothing");
	start(test, NULL);
	put(&test->request, "<nothing xmlns=\"urn:other\"/>");
	expect_error(test, NULL, "unknown-namespace", "nothing");
}

/* A parameter of that name in no namespace that has it, which the message tells; where it is needed it is
 * missing besides. */
static void mutate_namespace(struct test *test, const struct param *param)
{
	struct param other = *param;
	other.ns = "urn:other";
	start(test, param);
	put_param(&test->request, test->operation, &other, param->valid);
	expect_error(test, NULL, "unknown-namespace", param->name);
	start(test, param);
	put_param(&test->request, test->operation, &other, param->valid);
	char *reply = peer_call(test->peer, end(&test->request, test->operation));
	assert_non_null(reply);
	assert_non_null(strstr(reply, "The namespace of"));
	memory_free(reply);
	if (!param->mandatory || param->kind == ANY) /* <config>: one of two, which is asked for last */
		return;
	start(test, param);
	put_param(&test->request, test->operation, &other, param->valid);
	expect_error(test, param, "missing-element", param->name);
}

static void mutate_content(struct test *test, const struct param *param)
{
	const struct operation *operation = test->operation;
	if (param->tag != NULL) {
		start(test, param);
		put_param(&test->request, operation, param, param->wrong);
		expect_error(test, param, param->tag, NULL);
	}
	if (param->kind == ANY)
		return;
	start(test, param);
	struct param with = *param;
	with.attributes = " a=\"b\"";
	put_param(&test->request, operation, &with, "");
	expect_error(test, param, "unknown-attribute", param->name);
	start(test, param);
	put_param(&test->request, operation, param, param->kind == ELEMENTS ? "text<running/>" : "<x/>");
	expect_error(test, param, param->kind == ELEMENTS ? "bad-element" : "unknown-element",
		     param->kind == ELEMENTS ? param->name : "x");
	if (param->kind != EMPTY)
		return;
	start(test, param);
	put_param(&test->request, operation, param, "text");
	expect_error(test, param, "bad-element", param->name);
}

static void mutate_param(struct test *test, const struct param *param)
{
	if (param->mandatory) {
		start(test, param);
		expect_error(test, param, "missing-element", param->name);
	}
	if (!param->repeats) {
		start(test, param);
		put_param(&test->request, test->operation, param, param->valid);
		put_param(&test->request, test->operation, param, param->valid);
		expect_error(test, param, "bad-element", param->name);
	}
	mutate_namespace(test, param);
	mutate_content(test, param);
}

/* Without what is the same for no two replies: the message-id. */
static char *content_of(char *reply)
{
	char *content = strchr(strstr(reply, "<rpc-reply"), '>');
	return content != NULL ? content : reply;
}

static void reorder(struct test *test)
{
	if (!test->operation->runs)
		return;
	start(test, NULL);
	char *straight = peer_call(test->peer, end(&test->request, test->operation));
	begin(&test->request, test->operation, "");
	put_params(&test->request, test->operation, NULL, true);
	char *backwards = peer_call(test->peer, end(&test->request, test->operation));
	assert_null(strstr(straight, "<rpc-error>"));
	/* Counters differ where all state is read. */
	if (strstr(straight, "<in-rpcs>") == NULL)
		assert_string_equal(content_of(straight), content_of(backwards));
	else
		assert_null(strstr(backwards, "<rpc-error>"));
	memory_free(straight);
	memory_free(backwards);
}

/* ---- Nothing changed. ---- */

static const char *const looks[] = {
	"<get-config><source><running/></source></get-config>",
	"<get-config><source><candidate/></source></get-config>",
	"<list-versions xmlns=\"" HISTORY "\"/>",
	"<get><filter><netconf-state xmlns=\"" MONITORING "\"><datastores/></netconf-state></filter></get>",
};

static void look(struct peer *peer, char *seen[COUNT(looks)])
{
	for (size_t i = 0; i < COUNT(looks); i++)
		seen[i] = peer_call(peer, looks[i]);
}

static void expect_same(struct test *test, char *before[COUNT(looks)])
{
	char *after[COUNT(looks)];
	look(test->peer, after);
	for (size_t i = 0; i < COUNT(looks); i++) {
		if (strcmp(content_of(before[i]), content_of(after[i])) != 0)
			fail_msg("%s has changed %s\nfrom %s\nto %s", test->operation->name, looks[i],
				 before[i], after[i]);
		memory_free(after[i]);
	}
}

static void all_operations(void **state)
{
	(void)state;
	struct harness h;
	assert_true(harness_init(&h, &(struct harness_options){.standard = true}));
	struct test test = {.peer = harness_connect(&h)};
	buffer_init(&test.request, SIZE_MAX);
	peer_hello(test.peer, true);
	peer_expect(test.peer,
		    "<edit-config><target><running/></target><config><server "
		    "xmlns=\"urn:yare:example:operations\">"
		    "<name>a</name></server></config></edit-config>",
		    "<ok/>");
	char *before[COUNT(looks)];
	look(test.peer, before);
	for (size_t i = 0; i < COUNT(operations); i++) {
		test.operation = &operations[i];
		mutate_operation(&test);
		for (size_t k = 0; k < param_count(test.operation); k++)
			mutate_param(&test, &test.operation->params[k]);
		reorder(&test);
		expect_same(&test, before);
	}
	for (size_t i = 0; i < COUNT(looks); i++)
		memory_free(before[i]);
	buffer_fini(&test.request);
	harness_fini(&h);
}

static bool is_in_table(const struct schema_node *rpc)
{
	for (size_t i = 0; i < COUNT(operations); i++)
		if (strcmp(operations[i].name, rpc->name) == 0 &&
		    strcmp(ns_of(&operations[i], NULL), rpc->module->ns) == 0)
			return true;
	return false;
}

/* What the modules of the tests themselves have goes the general way: rpc-input.scn. */
static void none_is_forgotten(void **state)
{
	(void)state;
	struct harness h;
	assert_true(harness_init(&h, &(struct harness_options){.standard = true}));
	for (size_t i = 0; i < h.schema->rpc_count; i++) {
		const struct schema_node *rpc = h.schema->rpcs[i];
		if (strncmp(rpc->module->name, "example", 7) != 0 && !is_in_table(rpc))
			fail_msg("%s:%s is not tried", rpc->module->name, rpc->name);
	}
	harness_fini(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_operations),
		cmocka_unit_test(none_is_forgotten),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
