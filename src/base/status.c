/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of status codes for log lines. No default case: the compiler points here when a code is added. */
#include "base/status.h"

const char *status_name(enum status status)
{
	switch (status) {
	case ST_OK:
		return "ok";
	case ST_REJECTED:
		return "rejected";
	case ST_IO:
		return "io";
	case ST_CORRUPT:
		return "corrupt";
	case ST_LIMIT:
		return "limit";
	case ST_BUSY:
		return "busy";
	case ST_ABSENT:
		return "absent";
	}
	return "unknown";
}
