/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ed25519 for host and client: the type that costs least at connect, and the same for the measured server and
 * the echo server. In a file of its own because libssh's headers declare names that base/buffer.h has, too.
 */
#include "keys.h"

#include <libssh/libssh.h>
#include <stdio.h>
#include <sys/stat.h>

bool keys_make(const char *path, const char *authorized)
{
	ssh_key key = NULL;
	char *text = NULL;
	bool good = ssh_pki_generate(SSH_KEYTYPE_ED25519, 0, &key) == SSH_OK &&
		    ssh_pki_export_privkey_file(key, NULL, NULL, NULL, path) == SSH_OK &&
		    chmod(path, 0600) == 0 && ssh_pki_export_pubkey_base64(key, &text) == SSH_OK;
	if (good && authorized != NULL) {
		FILE *file = fopen(authorized, "we");
		good = file != NULL && fprintf(file, "ssh-ed25519 %s bench\n", text) > 0;
		if (file != NULL)
			good = fclose(file) == 0 && good;
	}
	ssh_string_free_char(text);
	ssh_key_free(key);
	return good;
}
