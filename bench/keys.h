/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* SSH keys of a run. */
#include <stdbool.h>

/* Makes an Ed25519 key pair: the private key into `path` (mode 0600), the public one as an authorized_keys
 * file into `authorized` where that is not NULL. */
bool keys_make(const char *path, const char *authorized);
