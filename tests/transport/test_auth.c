/* SPDX-License-Identifier: BSD-3-Clause */
/* authorized_keys: which lines are taken, and that changes of the file are seen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/memory.h"
#include "transport/ssh.h"

#define TEXT_SIZE 2048

struct fixture {
	char directory[64], path[128];
	ssh_key keys[3];
	char lines[3][TEXT_SIZE]; /* "type base64", no line end */
};

static void make_key(struct fixture *fixture, int at, enum ssh_keytypes_e type, int bits)
{
	char *base64;
	assert_int_equal(ssh_pki_generate(type, bits, &fixture->keys[at]), SSH_OK);
	assert_int_equal(ssh_pki_export_pubkey_base64(fixture->keys[at], &base64), SSH_OK);
	snprintf(fixture->lines[at], TEXT_SIZE, "%s %s",
		 type == SSH_KEYTYPE_ECDSA_P256 ? "ecdsa-sha2-nistp256" : ssh_key_type_to_char(type), base64);
	ssh_string_free_char(base64);
}

static int set_up(void **state)
{
	struct fixture *fixture = memory_zalloc(sizeof(*fixture));
	strcpy(fixture->directory, "/tmp/yare-auth-XXXXXX");
	assert_non_null(mkdtemp(fixture->directory));
	snprintf(fixture->path, sizeof(fixture->path), "%s/keys", fixture->directory);
	make_key(fixture, 0, SSH_KEYTYPE_ED25519, 0);
	make_key(fixture, 1, SSH_KEYTYPE_RSA, 2048);
	make_key(fixture, 2, SSH_KEYTYPE_ECDSA_P256, 256);
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	for (int i = 0; i < 3; i++)
		ssh_key_free(fixture->keys[i]);
	unlink(fixture->path);
	rmdir(fixture->directory);
	memory_free(fixture);
	return 0;
}

static void write_file(const struct fixture *fixture, const char *text)
{
	FILE *stream = fopen(fixture->path, "w");
	assert_non_null(stream);
	assert_int_equal(fwrite(text, 1, strlen(text), stream), strlen(text));
	assert_int_equal(fclose(stream), 0);
}

/* Which of the three keys are let in: bit i for key i. */
static unsigned allowed(struct transport_auth *auth, const struct fixture *fixture, const char *user)
{
	unsigned mask = 0;
	for (unsigned i = 0; i < 3; i++)
		mask |= transport__auth_allows(auth, user, fixture->keys[i]) ? 1u << i : 0;
	return mask;
}

/* Of a file with this text. */
static unsigned allowed_by(const struct fixture *fixture, const char *text)
{
	struct transport_auth *auth;
	write_file(fixture, text);
	assert_int_equal(transport__auth_new(fixture->path, NULL, &auth), ST_OK);
	unsigned mask = allowed(auth, fixture, "somebody");
	transport__auth_free(auth);
	return mask;
}

static void takes_keys_of_all_types(void **state)
{
	struct fixture *fixture = *state;
	char text[4 * TEXT_SIZE];
	snprintf(text, sizeof(text), "%s one\n%s\n%s three words here\n", fixture->lines[0],
		 fixture->lines[1], fixture->lines[2]);
	assert_int_equal(allowed_by(fixture, text), 7);
	assert_int_equal(allowed_by(fixture, fixture->lines[1]), 2); /* no line end */
}

static void skips_blanks_and_comments(void **state)
{
	struct fixture *fixture = *state;
	char text[4 * TEXT_SIZE];
	snprintf(text, sizeof(text), "\n  \t\r\n# %s\n  # x\n \t%s\t\tcomment\r\n#%s", fixture->lines[1],
		 fixture->lines[0], fixture->lines[2]);
	assert_int_equal(allowed_by(fixture, text), 1);
	assert_int_equal(allowed_by(fixture, ""), 0);
}

static void refuses_lines_with_options(void **state)
{
	struct fixture *fixture = *state;
	static const char *const options[] = {"restrict",
					      "from=\"10.0.0.1\"",
					      "command=\"echo a b\"",
					      "expiry-time=\"20200101\"",
					      "cert-authority",
					      "no-pty,no-X11-forwarding"};
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		char text[4 * TEXT_SIZE];
		snprintf(text, sizeof(text), "%s %s\n%s\n", options[i], fixture->lines[0], fixture->lines[1]);
		assert_int_equal(allowed_by(fixture, text), 2);
	}
}

static void refuses_broken_lines(void **state)
{
	struct fixture *fixture = *state;
	const char *data = strchr(fixture->lines[0], ' ') + 1;
	char text[4 * TEXT_SIZE];
	snprintf(text, sizeof(text),
		 "ssh-ed25519\nssh-ed25519 ####\nssh-ed25519 AAAA\nssh-rsa %s\nnonsense %s\n%.40s\n", data,
		 data, fixture->lines[0]);
	assert_int_equal(allowed_by(fixture, text), 0);
}

static void sees_changes_of_the_file(void **state)
{
	struct fixture *fixture = *state;
	struct transport_auth *auth;
	write_file(fixture, fixture->lines[0]);
	assert_int_equal(transport__auth_new(fixture->path, NULL, &auth), ST_OK);
	assert_int_equal(allowed(auth, fixture, "a"), 1);
	write_file(fixture, fixture->lines[2]);
	assert_int_equal(allowed(auth, fixture, "a"), 4);
	unlink(fixture->path);
	assert_int_equal(allowed(auth, fixture, "a"), 0);
	write_file(fixture, fixture->lines[1]);
	assert_int_equal(allowed(auth, fixture, "a"), 2);
	transport__auth_free(auth);
}

static void lets_in_one_user(void **state)
{
	struct fixture *fixture = *state;
	struct transport_auth *auth;
	write_file(fixture, fixture->lines[0]);
	assert_int_equal(transport__auth_new(fixture->path, "operator", &auth), ST_OK);
	assert_int_equal(allowed(auth, fixture, "operator"), 1);
	assert_int_equal(allowed(auth, fixture, "operator2"), 0);
	assert_int_equal(allowed(auth, fixture, ""), 0);
	transport__auth_free(auth);
}

static void needs_a_file_of_sane_size(void **state)
{
	struct fixture *fixture = *state;
	struct transport_auth *auth;
	assert_int_equal(transport__auth_new("/nonexistent/keys", NULL, &auth), ST_IO);
	size_t size = 1024 * 1024;
	char *text = memory_alloc(size + 2);
	memset(text, '#', size + 1);
	text[size + 1] = '\0';
	write_file(fixture, text);
	assert_int_equal(transport__auth_new(fixture->path, NULL, &auth), ST_LIMIT);
	text[size] = '\0';
	assert_int_equal(allowed_by(fixture, text), 0);
	memory_free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(takes_keys_of_all_types, set_up, tear_down),
		cmocka_unit_test_setup_teardown(skips_blanks_and_comments, set_up, tear_down),
		cmocka_unit_test_setup_teardown(refuses_lines_with_options, set_up, tear_down),
		cmocka_unit_test_setup_teardown(refuses_broken_lines, set_up, tear_down),
		cmocka_unit_test_setup_teardown(sees_changes_of_the_file, set_up, tear_down),
		cmocka_unit_test_setup_teardown(lets_in_one_user, set_up, tear_down),
		cmocka_unit_test_setup_teardown(needs_a_file_of_sane_size, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
