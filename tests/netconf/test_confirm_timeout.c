/* SPDX-License-Identifier: BSD-3-Clause */
/* How long a confirmed commit waits (RFC 6241 8.4): what a conversation would have to wait for to see. */
#include "helper_server.h"

#include <stdio.h>

#include "os/clock.h"
#include "store/internal.h"

#define SECOND_NS 1000000000u

/* What is pending after the commit is due so many seconds from now. */
static void commit_is_due_in(struct harness *h, struct peer *peer, const char *parameters, uint64_t seconds)
{
	char operation[256];
	snprintf(operation, sizeof(operation), "<commit><confirmed/>%s</commit>", parameters);
	uint64_t before_ns = os_clock_monotonic_ns();
	peer_expect(peer, operation, "<ok/>");
	assert_in_range(h->store->confirmed.due_ns, before_ns + seconds * SECOND_NS,
			os_clock_monotonic_ns() + seconds * SECOND_NS);
}

/* Behaviour case 55: 600 s where no time is named, also for a follow-up, whatever the time before it was. */
static void test_due(void **state)
{
	(void)state;
	struct harness h;
	assert_true(harness_init(&h, &(struct harness_options){0}));
	struct peer *peer = harness_connect(&h);
	peer_hello(peer, true);
	peer_expect(peer,
		    "<edit-config><target><candidate/></target><config><plain "
		    "xmlns=\"urn:yare:example?a&amp;b\"><value>v</value></plain></config></edit-config>",
		    "<ok/>");
	commit_is_due_in(&h, peer, "", 600);
	commit_is_due_in(&h, peer, "<confirm-timeout>5</confirm-timeout>", 5);
	commit_is_due_in(&h, peer, "", 600);
	commit_is_due_in(&h, peer, "<confirm-timeout>4294967295</confirm-timeout>", UINT32_MAX);
	peer_expect(peer, "<commit/>", "<ok/>");
	peer_expect(peer, "<cancel-commit/>", "operation-failed");
	harness_fini(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_due)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
