/* SPDX-License-Identifier: BSD-3-Clause */
/* The zoo set, which has every kind of statement once: what the files say must be what the arrays hold. */
#include "helper_schema.h"

static struct schema *schema;
static const struct schema_module *zoo, *more, *types;

static int load_zoo(void **state)
{
	(void)state;
	const char *modules[] = {"zoo-types:*", "constraints-zoo:*", "zoo-more:*", "zoo-deviations", NULL};
	schema = helper_load(helper_shared("yang/zoo"), modules, false);
	zoo = schema_module_find(schema, bytes_of("constraints-zoo"));
	more = schema_module_find(schema, bytes_of("zoo-more"));
	types = schema_module_find(schema, bytes_of("zoo-types"));
	return zoo == NULL || more == NULL || types == NULL;
}

static int unload_zoo(void **state)
{
	(void)state;
	schema_unref(schema);
	return 0;
}

static const struct schema_node *node(const char *path)
{
	return helper_node(schema, path);
}

static const struct schema_node *absent(const char *parent, const char *name)
{
	return schema_child_find(schema, *parent == '\0' ? schema->root : node(parent), zoo, bytes_of(name));
}

static void test_modules(void **state)
{
	(void)state;
	assert_true(zoo->yang_1_1);
	assert_int_equal(zoo->feature_count, 2);
	assert_string_equal(zoo->features[0], "night-house");
	assert_int_equal(types->feature_count, 1);
	assert_string_equal(types->filepath + strlen(types->filepath) - 25, "zoo-types@2026-01-01.yang");
	/* Built into libyang and not asked for: neither implemented nor in the tree. */
	const struct schema_module *mount = schema_module_find(schema, bytes_of("ietf-yang-schema-mount"));
	assert_non_null(mount);
	assert_false(mount->implemented);
	assert_null(schema_child_find(schema, schema->root, mount, bytes_of("schema-mounts")));
	assert_int_equal(schema->rpc_count, 1);
	assert_int_equal(schema->notification_count, 1);
	/* Top level: one record, in the order of modules. */
	static const char *const names[] = {"park", "ticketing", "types", "night", "stats"};
	assert_int_equal(schema->root->child_count, 5);
	for (size_t i = 0; i < 5; i++)
		assert_string_equal(schema->root->children[i]->name, names[i]);
	assert_true(schema->root->implicit_below); /* the deviation's default of types/u8 */
}

static void test_park(void **state)
{
	(void)state;
	const struct schema_node *park = node("constraints-zoo:park");
	assert_true(park->presence);
	assert_true(park->implicit_below);
	assert_int_equal(park->must_count, 2);
	assert_string_equal(park->musts[0].error_app_tag, "no-keeper");
	assert_ptr_equal(schema_xpath_prefix(schema, &park->musts[1], bytes_of("z")), zoo);
	assert_true(node("constraints-zoo:park/name")->mandatory);
	assert_null(absent("constraints-zoo:park", "old-map"));

	const struct schema_node *days = node("constraints-zoo:park/opening-day");
	assert_int_equal(days->default_count, 2);
	assert_true(bytes_equal(value_bytes(&days->defaults[1]), bytes_of("sun")));
	assert_int_equal(node("constraints-zoo:park/motto")->max_elements, 2);
	assert_true(node("constraints-zoo:park/motto")->user_ordered);
	assert_string_equal(node("constraints-zoo:park/motto")->musts[0].error_app_tag, "dull-motto");

	const struct schema_node *enclosure = node("constraints-zoo:park/enclosure");
	assert_int_equal(enclosure->min_elements, 1);
	assert_int_equal(enclosure->max_elements, 6);
	assert_true(enclosure->user_ordered);
	assert_int_equal(enclosure->unique_count, 2);
	assert_int_equal(enclosure->uniques[1].leaf_count, 2);
	assert_ptr_equal(enclosure->uniques[1].leafs[0], node("constraints-zoo:park/enclosure/position/row"));
	assert_ptr_equal(enclosure->uniques[1].leafs[1],
			 node("constraints-zoo:park/enclosure/position/column"));
	assert_null(enclosure->uniques[0].error_app_tag);

	const struct schema_node *depth = node("constraints-zoo:park/enclosure/depth");
	assert_int_equal(depth->when_count, 1);
	assert_string_equal(depth->whens[0].expression, "derived-from-or-self(../kind, 'zt:water')");
	assert_ptr_equal(depth->whens[0].context, depth);
	assert_false(depth->whens[0].context_is_parent);
	assert_ptr_equal(schema_xpath_prefix(schema, &depth->whens[0], bytes_of("zt")), types);
	assert_ptr_equal(schema_xpath_prefix(schema, &depth->whens[0], bytes_of("")), zoo);
	assert_false(node("constraints-zoo:park/enclosure/position")->implicit_below);

	const struct schema_node *care = node("constraints-zoo:park/enclosure/animal/care");
	assert_int_equal(care->default_count, 1);
	assert_true(bytes_equal(value_bytes(&care->defaults[0]), bytes_of("feed clean")));
	const struct schema_node *shift = node("constraints-zoo:park/keeper/shift");
	assert_int_equal(shift->key_count, 2);
	assert_string_equal(shift->children[0]->name, "day");
	assert_string_equal(shift->children[1]->name, "slot");
	assert_int_equal(schema_type_base(schema_type_real(shift->children[0]->type)), BASE_ENUMERATION);
	assert_false(schema_type_require_instance(node("constraints-zoo:park/keeper/last-employer")->type));
	const struct schema_type *boss = node("constraints-zoo:park/keeper/boss-of-boss")->type;
	assert_int_equal(schema_type_base(schema_type_real(boss)), BASE_STRING);
	const struct schema_type *contact = node("constraints-zoo:park/keeper/contact")->type;
	assert_int_equal(schema_type_member_count(contact), 4);
	assert_int_equal(schema_type_base(schema_type_member(contact, 0)), BASE_LEAFREF);
	assert_int_equal(schema_type_base(schema_type_member(contact, 2)), BASE_UINT16);
	assert_true(schema_type_has_reference(contact));
	assert_true(schema_type_has_reference(node("constraints-zoo:park/keeper/focus")->type));
	assert_false(schema_type_has_reference(node("constraints-zoo:park/keeper/wish")->type));
}

static void test_choices(void **state)
{
	(void)state;
	const struct schema_node *ticketing = node("constraints-zoo:ticketing");
	static const char *const names[] = {"pricing",	"sponsor",  "public-sponsor",
					    "audience", "discount", "extra"};
	/* public-sponsor is a shorthand case of sponsor: a choice in a case of a choice in a case. */
	assert_int_equal(ticketing->choice_count, 6);
	for (size_t i = 0; i < 6; i++)
		assert_string_equal(ticketing->choices[i]->name, names[i]);
	const struct schema_choice *pricing = ticketing->choices[0], *sponsor = ticketing->choices[1];
	assert_true(pricing->mandatory);
	assert_int_equal(pricing->case_count, 4);
	assert_string_equal(pricing->cases[3].name, "auction");
	assert_null(pricing->default_case);
	assert_null(pricing->outer);
	assert_ptr_equal(sponsor->outer, &pricing->cases[2]);
	assert_true(sponsor->mandatory);
	assert_string_equal(sponsor->cases[2].name, "public-sponsor");
	assert_ptr_equal(ticketing->choices[2]->outer, &sponsor->cases[2]);
	const struct schema_node *city = node("constraints-zoo:ticketing/city");
	assert_ptr_equal(city->in_case->choice, ticketing->choices[2]);
	/* free: free, sponsor-name, sponsor-company, city, state */
	assert_int_equal(pricing->cases[2].slot_count, 5);
	assert_ptr_equal(ticketing->children[pricing->cases[2].slots[3]], city);
	assert_int_equal(sponsor->cases[2].slot_count, 2);
	const struct schema_choice *audience = ticketing->choices[3];
	assert_ptr_equal(audience->default_case, &audience->cases[0]);
	/* The augment's nodes are of its module. */
	const struct schema_node *bid = node("constraints-zoo:ticketing/zoo-more:bid");
	assert_ptr_equal(bid->in_case, &pricing->cases[3]);
	assert_ptr_equal(bid->module, more);
	assert_null(absent("constraints-zoo:ticketing", "bid"));
	assert_null(node("constraints-zoo:ticketing/season")->in_case);
}

static void test_whens(void **state)
{
	(void)state;
	const struct schema_node *ticketing = node("constraints-zoo:ticketing");
	const struct schema_node *percent =
		node("constraints-zoo:ticketing/percent"); /* when on its choice */
	assert_int_equal(percent->when_count, 1);
	assert_ptr_equal(percent->whens[0].context, ticketing);
	assert_true(percent->whens[0].context_is_parent);
	const struct schema_node *fee = node("constraints-zoo:ticketing/heating-fee"); /* when on its case */
	assert_int_equal(fee->when_count, 1);
	assert_ptr_equal(fee->whens[0].context, ticketing);
	const struct schema_node *phone = node("constraints-zoo:ticketing/phone"); /* when on uses, refined */
	assert_int_equal(phone->when_count, 1);
	assert_string_equal(phone->whens[0].expression, "help-desk = 'true'");
	assert_ptr_equal(phone->whens[0].context, ticketing);
	assert_true(phone->mandatory);
	assert_ptr_equal(phone->module, zoo);
	const struct schema_node *office = node("constraints-zoo:ticketing/office");
	assert_int_equal(office->when_count, 1);
	assert_int_equal(node("constraints-zoo:ticketing/office/floor")->when_count, 0);
	/* A must of a grouping: names without prefix are of the module that uses it. */
	assert_ptr_equal(schema_xpath_prefix(schema, &office->musts[0], bytes_of("")), zoo);
	assert_string_equal(node("constraints-zoo:ticketing/office/floor")->musts[0].error_app_tag,
			    "basement");
	assert_true(office->implicit_below);

	const struct schema_node *pump =
		node("constraints-zoo:park/enclosure/zoo-more:pump"); /* when on augment */
	assert_int_equal(pump->when_count, 1);
	assert_ptr_equal(pump->whens[0].context, node("constraints-zoo:park/enclosure"));
	assert_ptr_equal(schema_xpath_prefix(schema, &pump->whens[0], bytes_of("")), more);
	assert_ptr_equal(schema_xpath_prefix(schema, &pump->whens[0], bytes_of("z")), zoo);
	assert_true(pump->implicit_below);
	const struct schema_node *secretary =
		node("constraints-zoo:park/keeper/zoo-more:office/zoo-more:secretary");
	assert_int_equal(secretary->when_count, 0);
	const struct schema_node *payment = node("constraints-zoo:ticketing/online/payment");
	assert_ptr_equal(payment->whens[0].context, payment);
}

static void test_operations(void **state)
{
	(void)state;
	const struct schema_node *feed = schema_rpc_find(schema, zoo, bytes_of("feed"));
	assert_non_null(feed);
	assert_null(schema_rpc_find(schema, more, bytes_of("feed")));
	assert_null(schema_child_find(schema, schema->root, zoo, bytes_of("feed")));
	assert_int_equal(feed->child_count, 4);
	assert_int_equal(feed->must_count, 1);
	assert_ptr_equal(feed->musts[0].context, feed);
	assert_ptr_equal(feed->children[3]->module, more);
	assert_int_equal(feed->output->child_count, 1);
	assert_ptr_equal(feed->output->parent, feed);
	assert_string_equal(feed->output->children[0]->name, "left-over");

	const struct schema_node *enclosure = node("constraints-zoo:park/enclosure");
	assert_null(absent("constraints-zoo:park/enclosure", "clean"));
	const struct schema_node *clean = schema_action_find(schema, enclosure, zoo, bytes_of("clean"));
	assert_non_null(clean);
	assert_int_equal(clean->kind, SCHEMA_ACTION);
	assert_ptr_equal(clean->parent, enclosure);
	assert_ptr_equal(enclosure->actions[0], clean);
	assert_int_equal(clean->child_count, 2);
	const struct schema_node *leak = schema_notification_find(schema, enclosure, zoo, bytes_of("leak"));
	assert_non_null(leak);
	assert_int_equal(leak->must_count, 1);
	assert_true(leak->children[0]->mandatory);
	const struct schema_node *escape =
		schema_notification_find(schema, schema->root, zoo, bytes_of("escape"));
	assert_ptr_equal(escape, schema->notifications[0]);
	assert_null(escape->parent);
	assert_int_equal(escape->children[2]->min_elements, 1);
}

static void test_types_and_state(void **state)
{
	(void)state;
	const struct schema_node *u8 = node("constraints-zoo:types/u8");
	assert_int_equal(u8->default_count, 1);
	assert_true(bytes_equal(value_bytes(&u8->defaults[0]), bytes_of("7")));
	assert_int_equal(node("constraints-zoo:ticketing/help-desk")->default_count, 0);
	assert_int_equal(schema_type_base(node("constraints-zoo:park/country")->type), BASE_ENUMERATION);
	const struct schema_type *either = node("constraints-zoo:types/either")->type;
	assert_int_equal(schema_type_member_count(either), 5);
	assert_int_equal(schema_type_base(schema_type_member(either, 4)), BASE_EMPTY);
	assert_int_equal(node("constraints-zoo:types/note")->kind, SCHEMA_ANYDATA);
	assert_int_equal(node("constraints-zoo:types/legacy-note")->kind, SCHEMA_ANYXML);
	const struct schema_node *reading = node("constraints-zoo:stats/reading");
	assert_false(reading->config);
	assert_int_equal(reading->key_count, 0);
	assert_false(node("constraints-zoo:stats")->config);

	int32_t number;
	struct value value = value_new(bytes_of("keeper"), 0);
	const struct schema_type *level = node("constraints-zoo:park/keeper/level")->type;
	assert_true(schema_enum_number(level, value, &number));
	assert_int_equal(number, 5);
	assert_false(schema_enum_number(u8->type, value, &number));
	assert_false(schema_enum_number(level, VALUE_NONE, &number));
}

static void test_identities(void **state)
{
	(void)state;
	static const struct {
		const char *value, *base;
		bool derived, or_self;
	} cases[] = {
		{"zoo-types:lion", "zoo-types:animal", true, true},
		{"zoo-types:lion", "zoo-types:flying", false, false},
		{"zoo-types:bat", "zoo-types:flying", true, true},
		{"zoo-more:vampire-bat", "zoo-types:flying", true, true},
		{"zoo-more:vampire-bat", "zoo-types:animal", true, true},
		{"zoo-types:animal", "zoo-types:animal", false, true},
		{"zoo-types:animal", "zoo-types:lion", false, false},
		{"zoo-types:unknown", "zoo-types:animal", false, false},
		{"nowhere:lion", "zoo-types:animal", false, false},
		{"lion", "zoo-types:animal", false, false},
		{"", "", false, false},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes value = bytes_of(cases[i].value), base = bytes_of(cases[i].base);
		assert_int_equal(schema_identity_derived(schema, value, base, false), cases[i].derived);
		assert_int_equal(schema_identity_derived(schema, value, base, true), cases[i].or_self);
	}
	const char *map = "zt=zoo-types zm=zoo-more z=constraints-zoo =constraints-zoo";
	const char *ident = "constraints-zoo:types/ident"; /* bases mammal and flying: both are needed */
	assert_string_equal(helper_canonical(schema, ident, "zt:bat", map), "zoo-types:bat");
	assert_string_equal(helper_canonical(schema, ident, "zm:vampire-bat", map), "zoo-more:vampire-bat");
	assert_null(helper_canonical(schema, ident, "zt:lion", map));
	assert_null(helper_canonical(schema, ident, "zt:eagle", map));
	assert_null(helper_canonical(schema, ident, "bat", map)); /* the default namespace has none */
	assert_string_equal(helper_canonical(schema, ident, "bat", "=zoo-types"), "zoo-types:bat");
}

static void test_features_off(void **state)
{
	(void)state;
	const char *modules[] = {"zoo-types", "constraints-zoo:night-house", NULL};
	struct schema *plain = helper_load(helper_shared("yang/zoo"), modules, false);
	const struct schema_node *night = helper_node(plain, "constraints-zoo:night");
	assert_int_equal(night->child_count, 2); /* lux, plain-tour */
	assert_string_equal(night->children[1]->name, "plain-tour");
	assert_null(helper_canonical(plain, "constraints-zoo:ticketing/online/payment", "crypto", NULL));
	assert_non_null(helper_canonical(plain, "constraints-zoo:ticketing/online/payment", "card", NULL));
	assert_non_null(helper_canonical(schema, "constraints-zoo:ticketing/online/payment", "crypto", NULL));
	schema_unref(plain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_modules),	   cmocka_unit_test(test_park),
		cmocka_unit_test(test_choices),	   cmocka_unit_test(test_whens),
		cmocka_unit_test(test_operations), cmocka_unit_test(test_types_and_state),
		cmocka_unit_test(test_identities), cmocka_unit_test(test_features_off),
	};
	if (helper_shared_absent())
		return 0;
	return cmocka_run_group_tests(tests, load_zoo, unload_zoo);
}
