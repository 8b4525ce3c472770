/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The SSH listener: its options become a service, which all its connections share. libssh's bind object
 * carries host key and algorithms; it is not made for several threads, so that each worker gets one of its
 * own.
 *
 * Algorithms. In SSH the client's order decides among what the server offers, so what matters is what is not
 * here: CBC, SHA-1, DSA, and compression (it would let a small packet grow to a large one, and costs more
 * than it saves where a server is fast).
 */
#include "base/log.h"
#include "base/memory.h"
#include "transport/ssh.h"

#define BACKLOG 512
#define AUTH_TIMEOUT_MS 60000

/* Fastest first, as measured on 64-byte and 32-KiB packets with OpenSSL 3.0 and AES instructions. */
static const char ciphers[] = "aes128-gcm@openssh.com,aes256-gcm@openssh.com,chacha20-poly1305@openssh.com,"
			      "aes128-ctr,aes192-ctr,aes256-ctr";
static const char macs[] =
	"hmac-sha2-256-etm@openssh.com,hmac-sha2-512-etm@openssh.com,hmac-sha2-256,hmac-sha2-512";
static const char key_types[] = "ssh-ed25519,ecdsa-sha2-nistp256,ecdsa-sha2-nistp384,ecdsa-sha2-nistp521,"
				"sk-ssh-ed25519@openssh.com,sk-ecdsa-sha2-nistp256@openssh.com,"
				"rsa-sha2-512,rsa-sha2-256";

static bool set_algorithms(ssh_bind bind)
{
	static const struct {
		enum ssh_bind_options_e option;
		const char *value;
	} settings[] = {
		{SSH_BIND_OPTIONS_CIPHERS_C_S, ciphers},
		{SSH_BIND_OPTIONS_CIPHERS_S_C, ciphers},
		{SSH_BIND_OPTIONS_HMAC_C_S, macs},
		{SSH_BIND_OPTIONS_HMAC_S_C, macs},
		{SSH_BIND_OPTIONS_PUBKEY_ACCEPTED_KEY_TYPES, key_types},
	};
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		if (ssh_bind_options_set(bind, settings[i].option, settings[i].value) != 0)
			return false;
	}
	return true;
}

static enum status new_bind(const char *host_key, ssh_bind *result)
{
	ssh_bind bind = ssh_bind_new();
	if (bind == NULL)
		return ST_LIMIT;
	bool process_config = false; /* no /etc/ssh/libssh_server_config: what is set is what is here */
	ssh_bind_options_set(bind, SSH_BIND_OPTIONS_PROCESS_CONFIG, &process_config);
	ssh_key key = NULL;
	/* The empty passphrase keeps libssh from asking for one on the terminal. */
	if (!set_algorithms(bind) || ssh_pki_import_privkey_file(host_key, "", NULL, NULL, &key) != SSH_OK ||
	    ssh_bind_options_set(bind, SSH_BIND_OPTIONS_IMPORT_KEY, key) != 0) {
		ssh_key_free(key);
		ssh_bind_free(bind);
		return ST_REJECTED;
	}
	*result = bind;
	return ST_OK;
}

static void free_service(struct transport_service *base)
{
	struct transport_ssh_service *service = (struct transport_ssh_service *)base;
	for (size_t i = 0; i < service->bind_count; i++)
		ssh_bind_free(service->binds[i]);
	memory_free(service->binds);
	transport__auth_free(service->auth);
	memory_free(service);
	ssh_finalize();
}

struct transport_ssh_limits transport_ssh_limits_default(void)
{
	return (struct transport_ssh_limits){
		.unauthenticated = 64, .login_attempts = 6, .login_size = 256 * 1024, .channels = 16};
}

static bool admit(struct transport_service *base, const char peer[OS_ADDRESS_SIZE])
{
	struct transport_ssh_service *service = (struct transport_ssh_service *)base;
	unsigned count = atomic_fetch_add(&service->unauthenticated, 1);
	if (count < service->limits.unauthenticated)
		return true;
	atomic_fetch_sub(&service->unauthenticated, 1);
	if (transport__log_gate(&service->full_gate))
		log_warning("%s refused: %u connections are not logged in yet", peer, count);
	return false;
}

static enum status new_service(struct netconf_server *server, const struct transport_ssh_options *options,
			       size_t workers, struct transport_ssh_service **result)
{
	if (ssh_init() != SSH_OK)
		return ST_IO;
	struct transport_ssh_service *service = memory_zalloc(sizeof(*service));
	service->base = (struct transport_service){
		.refs = 1,
		.server = server,
		.start = transport__ssh_connection_start,
		.admit = admit,
		.free = free_service,
	};
	service->auth_timeout_ms = options->auth_timeout_ms != 0 ? options->auth_timeout_ms : AUTH_TIMEOUT_MS;
	service->keepalive_s = options->keepalive_s;
	service->limits = options->limits;
	service->binds = memory_zalloc(workers * sizeof(ssh_bind));
	enum status status = transport__auth_new(options->authorized_keys, options->user, &service->auth);
	for (size_t i = 0; i < workers && status == ST_OK; i++) {
		status = new_bind(options->host_key, &service->binds[i]);
		if (status == ST_OK)
			service->bind_count++;
		else
			log_error("%s cannot be read, or is not a private key without a passphrase",
				  options->host_key);
	}
	if (status != ST_OK) {
		free_service(&service->base);
		return status;
	}
	*result = service;
	return ST_OK;
}

enum status transport_listen_ssh(struct transport_workers *workers, struct netconf_server *server,
				 const struct transport_ssh_options *options,
				 struct transport_listener **listener, char bound[OS_ADDRESS_SIZE])
{
	struct transport_ssh_service *service;
	enum status status = new_service(server, options, workers->count, &service);
	if (status != ST_OK)
		return status;
	int fd;
	status = os_listen_tcp(options->address, BACKLOG, &fd, bound);
	if (status != ST_OK) {
		log_error("cannot listen on %s: %s", options->address,
			  status == ST_REJECTED ? "not an address, as 127.0.0.1:830 or [::1]:830 is"
			  : status == ST_BUSY	? "the address is in use"
						: status_name(status));
		transport__service_unref(&service->base);
		return status;
	}
	return transport__listener_new(workers, &service->base, fd, NULL, listener);
}
