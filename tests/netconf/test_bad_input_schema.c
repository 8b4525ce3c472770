/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Mutations that the schema itself gives: each node of the input of each rpc and action that is served,
 * augmented ones and those below containers and lists among them, is missing, doubled, in another namespace,
 * of another type, has an attribute, or content that it cannot have. Each is refused with the tag, the path
 * and the error-info of RFC 6241 Appendix A and RFC 7950 8.3.1, and nothing changes.
 *
 * test_bad_input.c has a table with valid values for all of what is built in; this test needs none, so that a
 * parameter that comes with a module is not forgotten.
 */
#include "helper_server.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "schema/schema.h"
#include "schema/type.h"

#define DEPTH_MAX 8
#define LEAST 600 /* mutations that the modules of the harness give */

static const char *const looks[] = {
	"<get-config><source><running/></source></get-config>",
	"<get-config><source><candidate/></source></get-config>",
	"<list-versions xmlns=\"urn:yare:history\"/>",
	"<get><filter><netconf-state "
	"xmlns=\"urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring\"><datastores/>"
	"</netconf-state></filter></get>",
};
#define LOOKS (sizeof(looks) / sizeof(looks[0]))

enum mutation {
	MISSING,
	DOUBLED,
	OTHER_NAMESPACE,
	OTHER_TYPE,
	ATTRIBUTE,
	INNER_ELEMENT,
	INNER_TEXT,
	UNKNOWN_SIBLING,
	MUTATIONS
};

static const char *const names[] = {"missing",	 "doubled",	  "other namespace", "other type",
				    "attribute", "inner element", "inner text",	     "unknown sibling"};

struct test {
	struct peer *peer;
	const struct schema_node *operation; /* rpc or action */
	const struct schema_node *node;	     /* that is mutated */
	enum mutation mutation;
	struct buffer request;
	unsigned count;
};

static void put(struct test *test, const char *format, const char *text)
{
	assert_int_equal(buffer_printf(&test->request, format, text), ST_OK);
}

static bool is_leaf(const struct schema_node *node)
{
	return node->kind == SCHEMA_LEAF || node->kind == SCHEMA_LEAF_LIST;
}

static bool is_any(const struct schema_node *node)
{
	return node->kind == SCHEMA_ANYDATA || node->kind == SCHEMA_ANYXML;
}

static enum schema_base base_of(const struct schema_node *leaf)
{
	return schema_type_base(schema_type_real(leaf->type));
}

/* What no value of the type is. */
static bool has_wrong_value(const struct schema_node *leaf)
{
	switch (base_of(leaf)) {
	case BASE_STRING:
	case BASE_UNION:
	case BASE_LEAFREF:
	case BASE_EMPTY:
		return false;
	default:
		return true;
	}
}

static const char *sample(const struct schema_node *leaf)
{
	enum schema_base base = base_of(leaf);
	if (base == BASE_EMPTY)
		return "";
	return base == BASE_BOOLEAN ? "true" : base == BASE_STRING ? "x" : "1";
}

static void put_open(struct test *test, const struct schema_node *node, const char *ns)
{
	put(test, "<%s", node->name);
	put(test, " xmlns=\"%s\"", ns);
	bool has_attribute = test->mutation == ATTRIBUTE && node == test->node;
	put(test, "%s>", has_attribute ? " a=\"b\"" : "");
}

static bool is_on_way(const struct test *test, const struct schema_node *node)
{
	for (const struct schema_node *up = test->node; up != NULL; up = up->parent)
		if (up == node)
			return true;
	return false;
}

static void put_node(struct test *test, const struct schema_node *node, unsigned depth);

/* What is mutated, what it is in, and what has to be there. */
static void put_children(struct test *test, const struct schema_node *parent, unsigned depth)
{
	for (uint16_t i = 0; i < parent->child_count && depth < DEPTH_MAX; i++) {
		const struct schema_node *child = parent->children[i];
		bool needed = (child->mandatory && child->in_case == NULL) || child->is_key;
		if (is_on_way(test, child) || needed)
			put_node(test, child, depth + 1);
	}
}

static void put_content(struct test *test, const struct schema_node *node, unsigned depth)
{
	bool mutated = node == test->node;
	if (mutated && test->mutation == OTHER_TYPE)
		put(test, "%s", "%%");
	else if (is_leaf(node))
		put(test, "%s", sample(node));
	else if (!is_any(node))
		put_children(test, node, depth);
	if (mutated && test->mutation == INNER_ELEMENT)
		put(test, "<x xmlns=\"%s\"/>", node->module->ns);
	if (mutated && test->mutation == INNER_TEXT)
		put(test, "%s", "text");
}

static void put_node(struct test *test, const struct schema_node *node, unsigned depth)
{
	bool mutated = node == test->node;
	if (mutated && test->mutation == MISSING)
		return;
	for (unsigned i = 0; i < (mutated && test->mutation == DOUBLED ? 2 : 1); i++) {
		put_open(test, node,
			 mutated && test->mutation == OTHER_NAMESPACE ? "urn:none" : node->module->ns);
		put_content(test, node, depth);
		put(test, "</%s>", node->name);
	}
	if (mutated && test->mutation == UNKNOWN_SIBLING)
		put(test, "<nothing xmlns=\"%s\"/>", test->operation->module->ns);
}

/* Parameters of what is built in have their content by other rules: datastores and files are choices of empty
 * elements. */
static bool is_opaque(const struct schema_node *node)
{
	return strcmp(node->module->name, "ietf-netconf") == 0 && node->parent->kind == SCHEMA_RPC;
}

static bool applies(const struct test *test)
{
	const struct schema_node *node = test->node;
	bool is_many = node->kind == SCHEMA_LIST || node->kind == SCHEMA_LEAF_LIST;
	switch (test->mutation) {
	case MISSING:
		return (node->mandatory && node->in_case == NULL) || node->is_key;
	case DOUBLED:
		return !is_many;
	case OTHER_NAMESPACE:
	case UNKNOWN_SIBLING:
		return true;
	case OTHER_TYPE:
		return is_leaf(node) && has_wrong_value(node);
	case ATTRIBUTE:
		return !is_any(node);
	case INNER_ELEMENT:
		return !is_any(node) && (is_leaf(node) || !is_opaque(node));
	case INNER_TEXT:
		return node->kind == SCHEMA_CONTAINER || node->kind == SCHEMA_LIST ||
		       (is_leaf(node) && base_of(node) == BASE_EMPTY);
	case MUTATIONS:
		break;
	}
	return false;
}

/* ---- What is expected. ---- */

static const char *tag_of(const struct test *test)
{
	static const char *const tags[] = {
		[MISSING] = "missing-element",
		[DOUBLED] = "bad-element",
		[OTHER_NAMESPACE] = "unknown-namespace",
		[OTHER_TYPE] = "invalid-value",
		[ATTRIBUTE] = "unknown-attribute",
		[INNER_ELEMENT] = "unknown-element",
		[INNER_TEXT] = "bad-element",
		[UNKNOWN_SIBLING] = "unknown-element",
	};
	return tags[test->mutation];
}

static const char *info_of(const struct test *test)
{
	switch (test->mutation) {
	case INNER_ELEMENT:
		return "x";
	case UNKNOWN_SIBLING:
		return "nothing";
	case OTHER_TYPE:
		return NULL;
	default:
		return test->node->name;
	}
}

/* Where the schema has the element. */
static bool is_at_parent(const struct test *test)
{
	/* An entry without its key has no path of its own. */
	bool is_key = test->mutation == MISSING && test->node->is_key;
	return test->mutation == OTHER_NAMESPACE || test->mutation == UNKNOWN_SIBLING || is_key;
}

/* The names to the node, "/rpc/op/a/b", or "/rpc/action/list/op/a/b". */
static void put_path(const struct schema_node *node, bool is_action, char *path, size_t size)
{
	if (node->parent != NULL && node->parent->kind != SCHEMA_ROOT)
		put_path(node->parent, is_action, path, size);
	else
		snprintf(path, size, "%s", is_action ? "/rpc/action" : "/rpc");
	size_t used = strlen(path);
	snprintf(path + used, size - used, "/%s", node->name);
}

/* The error's path without prefixes and predicates. */
static void plain_path(const char *from, const char *end, char *path, size_t size)
{
	size_t used = 0, name = 0;
	unsigned depth = 0;
	for (; from < end && used + 1 < size; from++) {
		depth += *from == '[';
		if (depth == 0 && *from == ':')
			used = name;
		else if (depth == 0)
			path[used++] = *from;
		if (depth == 0 && *from == '/')
			name = used;
		depth -= *from == ']';
	}
	path[used] = '\0';
}

static bool fits(const struct test *test, const char *error, const char *stop)
{
	char wanted[128], path[512], found[512] = "";
	size_t size = (size_t)(stop - error);
	snprintf(wanted, sizeof(wanted), "<error-tag>%s</error-tag>", tag_of(test));
	bool has_tag = memmem(error, size, wanted, strlen(wanted)) != NULL;
	/* Of a leaf it is a value that is none of the type, too. */
	bool is_value = test->mutation == INNER_TEXT && is_leaf(test->node) &&
			memmem(error, size, "invalid-value", strlen("invalid-value")) != NULL;
	if (!has_tag && !is_value)
		return false;
	snprintf(wanted, sizeof(wanted), "<bad-element>%s</bad-element>",
		 info_of(test) != NULL ? info_of(test) : "");
	if (info_of(test) != NULL && !is_value && memmem(error, size, wanted, strlen(wanted)) == NULL)
		return false;
	put_path(is_at_parent(test) ? test->node->parent : test->node, test->operation->kind == SCHEMA_ACTION,
		 path, sizeof(path));
	const char *at = memmem(error, size, "<error-path", strlen("<error-path"));
	if (at != NULL)
		at = strchr(at, '>') + 1;
	if (at != NULL)
		plain_path(at, strchr(at, '<'), found, sizeof(found));
	return strcmp(path, found) == 0;
}

/* What is of a capability that is not there cannot be wrong otherwise. */
static bool is_unsupported(const char *reply)
{
	return strstr(reply, "<error-tag>operation-not-supported</error-tag>") != NULL;
}

static void expect_refusal(struct test *test)
{
	assert_int_equal(buffer_append(&test->request, (struct bytes){"", 1}), ST_OK);
	const char *request = buffer_get(&test->request).data;
	char *reply = peer_call(test->peer, request);
	assert_non_null(reply);
	bool found = false;
	for (const char *at = strstr(reply, "<rpc-error>"); at != NULL && !found;
	     at = strstr(at + 1, "<rpc-error>"))
		found = fits(test, at, strstr(at, "</rpc-error>"));
	if (!found && !is_unsupported(reply))
		fail_msg("%s of %s\n%s\ngot %s\nwithout %s", names[test->mutation], test->node->name, request,
			 reply, tag_of(test));
	memory_free(reply);
	test->count++;
}

/* ---- The walk. ---- */

/* Around an action: the instance that it is on, entries with "a" as key. Opens or closes all from the top. */
static void put_way(struct test *test, const struct schema_node *node, bool opens)
{
	if (node == NULL || node->kind == SCHEMA_ROOT) {
		put(test, "%s", opens ? "<action xmlns=\"urn:ietf:params:xml:ns:yang:1\">" : "");
		return;
	}
	if (!opens)
		put(test, "</%s>", node->name);
	put_way(test, node->parent, opens);
	if (!opens)
		return;
	put_open(test, node, node->module->ns);
	for (uint16_t i = 0; i < node->key_count; i++) {
		put(test, "<%s>a", node->children[i]->name);
		put(test, "</%s>", node->children[i]->name);
	}
}

static void put_request(struct test *test)
{
	const struct schema_node *operation = test->operation;
	bool is_action = operation->kind == SCHEMA_ACTION;
	if (is_action)
		put_way(test, operation->parent, true);
	put_open(test, operation, operation->module->ns);
	put_children(test, operation, 0);
	put(test, "</%s>", operation->name);
	if (is_action)
		put_way(test, operation->parent, false);
	if (is_action)
		put(test, "%s", "</action>");
}

static void mutate(struct test *test, const struct schema_node *node)
{
	test->node = node;
	for (unsigned mutation = 0; mutation < MUTATIONS; mutation++) {
		test->mutation = (enum mutation)mutation;
		if (!applies(test))
			continue;
		buffer_clear(&test->request, SIZE_MAX);
		put_request(test);
		expect_refusal(test);
	}
}

static void mutate_below(struct test *test, const struct schema_node *parent, unsigned depth)
{
	for (uint16_t i = 0; i < parent->child_count && depth < DEPTH_MAX; i++) {
		mutate(test, parent->children[i]);
		if (!is_opaque(parent->children[i]))
			mutate_below(test, parent->children[i], depth + 1);
	}
}

static void look(struct peer *peer, char *seen[LOOKS])
{
	for (size_t i = 0; i < LOOKS; i++)
		seen[i] = peer_call(peer, looks[i]);
}

static void expect_same(struct test *test, char *before[LOOKS])
{
	char *after[LOOKS];
	look(test->peer, after);
	for (size_t i = 0; i < LOOKS; i++) {
		if (strcmp(strchr(before[i], '>'), strchr(after[i], '>')) != 0)
			fail_msg("%s has changed %s\nfrom %s\nto %s", test->operation->name, looks[i],
				 before[i], after[i]);
		memory_free(after[i]);
	}
}

static void every_node_of_every_operation(void **state)
{
	(void)state;
	struct harness h;
	assert_true(harness_init(&h, &(struct harness_options){.standard = true}));
	struct test test = {.peer = harness_connect(&h)};
	buffer_init(&test.request, SIZE_MAX);
	peer_hello(test.peer, true);
	peer_expect(test.peer,
		    "<edit-config><target><running/></target><config><server "
		    "xmlns=\"urn:yare:example:operations\"><name>a</name></server></config></edit-config>",
		    "<ok/>");
	char *before[LOOKS];
	look(test.peer, before);
	unsigned rpcs = 0, actions = 0, of_actions = 0;
	for (size_t i = 0; i < h.schema->node_count; i++) {
		test.operation = h.schema->nodes[i];
		bool is_action = test.operation->kind == SCHEMA_ACTION;
		if ((test.operation->kind != SCHEMA_RPC && !is_action) ||
		    !test.operation->module->implemented)
			continue;
		unsigned count = test.count;
		mutate_below(&test, test.operation, 0);
		expect_same(&test, before);
		rpcs += !is_action;
		actions += is_action;
		of_actions += is_action ? test.count - count : 0;
	}
	printf("%u mutations of %u rpcs and %u actions (%u)\n", test.count, rpcs, actions, of_actions);
	assert_true(rpcs >= 30 && test.count >= LEAST && actions >= 4 && of_actions >= 30);
	for (size_t i = 0; i < LOOKS; i++)
		memory_free(before[i]);
	buffer_fini(&test.request);
	harness_fini(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_node_of_every_operation)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
