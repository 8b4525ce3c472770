/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A link over SSH. The host key is not verified: the program measures servers on loopback or in a laboratory,
 * and sends nothing but generated data. No configuration file of OpenSSH is read, so that cipher and options
 * are the same on every machine.
 */
#include "link.h"

#include <stdbool.h>
#include <libssh/libssh.h>

#include "base/memory.h"
#include "say.h"

#define WRITE_SIZE ((size_t)64 * 1024) /* bytes a call: libssh holds what it has not sent in memory */
#define CONNECT_TIMEOUT_S 30L
#define ROUNDS_MAX 8 /* of questions */

struct ssh_link {
	struct link base;
	ssh_session session;
	ssh_channel channel;
};

static long read_ssh(struct link *base, char *data, size_t size, int timeout_ms)
{
	struct ssh_link *link = (struct ssh_link *)base;
	int got = ssh_channel_read_timeout(link->channel, data, (uint32_t)size, 0, timeout_ms);
	if (got > 0)
		return got;
	if (got == SSH_ERROR)
		return -1;
	return ssh_channel_is_eof(link->channel) ? 0 : -2;
}

static enum status write_ssh(struct link *base, struct bytes bytes)
{
	struct ssh_link *link = (struct ssh_link *)base;
	while (bytes.size > 0) {
		size_t size = bytes.size < WRITE_SIZE ? bytes.size : WRITE_SIZE;
		int sent = ssh_channel_write(link->channel, bytes.data, (uint32_t)size);
		if (sent <= 0)
			return ST_IO;
		bytes.data += sent;
		bytes.size -= (size_t)sent;
	}
	return ST_OK;
}

static bool has_input_ssh(struct link *base)
{
	return ssh_channel_poll(((struct ssh_link *)base)->channel, 0) != 0;
}

static void close_ssh(struct link *base)
{
	struct ssh_link *link = (struct ssh_link *)base;
	if (link->channel != NULL) {
		ssh_channel_close(link->channel);
		ssh_channel_free(link->channel);
	}
	if (link->session != NULL) {
		ssh_disconnect(link->session);
		ssh_free(link->session);
	}
	memory_free(link);
}

static const struct link_ops ops = {
	.read = read_ssh, .write = write_ssh, .has_input = has_input_ssh, .close = close_ssh};

static bool set_options(ssh_session session, const struct target *target)
{
	bool process_config = false;
	int no_delay = 1;
	long timeout_s = CONNECT_TIMEOUT_S;
	return ssh_options_set(session, SSH_OPTIONS_PROCESS_CONFIG, &process_config) == SSH_OK &&
	       ssh_options_set(session, SSH_OPTIONS_HOST, target->host) == SSH_OK &&
	       ssh_options_set(session, SSH_OPTIONS_PORT, &target->port) == SSH_OK &&
	       ssh_options_set(session, SSH_OPTIONS_USER, target->user) == SSH_OK &&
	       ssh_options_set(session, SSH_OPTIONS_NODELAY, &no_delay) == SSH_OK &&
	       ssh_options_set(session, SSH_OPTIONS_TIMEOUT, &timeout_s) == SSH_OK &&
	       ssh_options_set(session, SSH_OPTIONS_CIPHERS_C_S, target->ciphers) == SSH_OK &&
	       ssh_options_set(session, SSH_OPTIONS_CIPHERS_S_C, target->ciphers) == SSH_OK &&
	       ssh_options_set(session, SSH_OPTIONS_COMPRESSION, "no") == SSH_OK;
}

/* Answers each question with the password (RFC 4256). */
static int answer_questions(ssh_session session, const char *password)
{
	int result = ssh_userauth_kbdint(session, NULL, NULL);
	for (unsigned round = 0; result == SSH_AUTH_INFO && round < ROUNDS_MAX; round++) {
		int count = ssh_userauth_kbdint_getnprompts(session);
		for (int i = 0; i < count; i++)
			if (ssh_userauth_kbdint_setanswer(session, (unsigned)i, password) < 0)
				return SSH_AUTH_ERROR;
		result = ssh_userauth_kbdint(session, NULL, NULL);
	}
	return result;
}

static int log_in_by_password(ssh_session session, const char *password)
{
	int offered = ssh_userauth_list(session, NULL), result = SSH_AUTH_DENIED;
	if ((offered & SSH_AUTH_METHOD_PASSWORD) != 0)
		result = ssh_userauth_password(session, NULL, password);
	if (result != SSH_AUTH_SUCCESS && (offered & SSH_AUTH_METHOD_INTERACTIVE) != 0)
		result = answer_questions(session, password);
	return result;
}

static enum status log_in_by_key(ssh_session session, const struct target *target, int *result)
{
	ssh_key key = NULL;
	if (ssh_pki_import_privkey_file(target->key, "", NULL, NULL, &key) != SSH_OK)
		return say_failed("%s is not a private key without a passphrase", target->key);
	*result = ssh_userauth_publickey(session, NULL, key);
	ssh_key_free(key);
	return ST_OK;
}

static enum status log_in(ssh_session session, const struct target *target)
{
	/* Also tells which methods there are. */
	int result = ssh_userauth_none(session, NULL);
	if (result != SSH_AUTH_SUCCESS && target->key != NULL) {
		enum status status = log_in_by_key(session, target, &result);
		if (status != ST_OK)
			return status;
	}
	if (result != SSH_AUTH_SUCCESS && target->password != NULL)
		result = log_in_by_password(session, target->password);
	if (result == SSH_AUTH_SUCCESS)
		return ST_OK;
	int offered = ssh_userauth_list(session, NULL);
	return say_failed("%s@%s:%u does not let us in; it offers:%s%s%s", target->user, target->host,
			  target->port, (offered & SSH_AUTH_METHOD_PUBLICKEY) != 0 ? " a key (--key)" : "",
			  (offered & SSH_AUTH_METHOD_PASSWORD) != 0 ? " a password (--password-file)" : "",
			  (offered & SSH_AUTH_METHOD_INTERACTIVE) != 0 ? " questions (--password-file)" : "");
}

static enum status connect_session(struct ssh_link *link, const struct target *target)
{
	link->session = ssh_new();
	if (link->session == NULL || !set_options(link->session, target))
		return say_failed("cannot set up SSH to %s", target->host);
	if (ssh_connect(link->session) != SSH_OK)
		return say_failed("%s:%u: %s", target->host, target->port, ssh_get_error(link->session));
	enum status status = log_in(link->session, target);
	if (status != ST_OK)
		return status;
	link->channel = ssh_channel_new(link->session);
	if (link->channel == NULL || ssh_channel_open_session(link->channel) != SSH_OK ||
	    ssh_channel_request_subsystem(link->channel, "netconf") != SSH_OK)
		return say_failed("%s:%u: no netconf subsystem: %s", target->host, target->port,
				  ssh_get_error(link->session));
	/* Connecting has its time limit; requests have that of the reader. */
	long timeout_s = 0;
	ssh_options_set(link->session, SSH_OPTIONS_TIMEOUT, &timeout_s);
	link->base.cipher = ssh_get_cipher_out(link->session);
	link->base.fd = ssh_get_fd(link->session);
	return ST_OK;
}

enum status link_open_ssh(const struct target *target, struct link **link)
{
	struct ssh_link *made = memory_zalloc(sizeof(*made));
	made->base.ops = &ops;
	enum status status = connect_session(made, target);
	if (status != ST_OK) {
		close_ssh(&made->base);
		return status;
	}
	*link = &made->base;
	return ST_OK;
}
