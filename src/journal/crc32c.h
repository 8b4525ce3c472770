/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* CRC-32C (Castagnoli, RFC 3720 B.4), the checksum of all that the journal writes. */
#include <stdint.h>
#include "base/bytes.h"

/* Goes on from the checksum of what came before (0: nothing), so that parts give the checksum of the whole.
 */
uint32_t crc32c(uint32_t before, struct bytes bytes);
/* The same by tables, wherever it runs; for tests. */
uint32_t crc32c_portable(uint32_t before, struct bytes bytes);
