/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * A byte stream to a server: an SSH channel with the netconf subsystem, or a UNIX socket. Blocking, one
 * thread at a time; different links may be used by different threads.
 */
#include <stdbool.h>

#include "base/bytes.h"
#include "base/status.h"

struct target {
	enum { TARGET_SSH, TARGET_UNIX } kind;
	/* TARGET_SSH */
	const char *host;
	unsigned port;
	const char *user;
	const char *key;      /* private key file without a passphrase; NULL: by password */
	const char *password; /* NULL: none */
	const char *ciphers;  /* preference, as libssh writes it */
	/* TARGET_UNIX */
	const char *path;
};

struct link;

struct link_ops {
	long (*read)(struct link *link, char *data, size_t size, int timeout_ms);
	enum status (*write)(struct link *link, struct bytes bytes);
	/* Whether a read would find something that the descriptor does not show. */
	bool (*has_input)(struct link *link);
	void (*close)(struct link *link); /* frees */
};

struct link {
	const struct link_ops *ops;
	int fd;		    /* readable when there is something new to read */
	const char *cipher; /* "none" without encryption; valid as long as the link */
};

/* Connects and logs in. What fails is said. */
enum status link_open(const struct target *target, struct link **link) MUST_USE;
enum status link_open_ssh(const struct target *target, struct link **link) MUST_USE;
enum status link_open_unix(const struct target *target, struct link **link) MUST_USE;
void link_close(struct link *link); /* NULL is allowed */

/* >0: bytes, what is there; 0: the end; -1: failed, -2: nothing came in time. */
long link_read(struct link *link, char *data, size_t size, int timeout_ms);
/* All of it. */
enum status link_write(struct link *link, struct bytes bytes) MUST_USE;
