/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * The return type of every function that may fail. 0 is success; results come back through
 * out-parameters that are written only on success. A bug is an ASSERT, never a status.
 */
enum status {
	ST_OK = 0,
	ST_REJECTED, /* the request is at fault; the caller's diag_list says how */
	ST_IO,	     /* the world failed: file, socket, device */
	ST_CORRUPT,  /* stored bytes are not what was written */
	ST_LIMIT,    /* a configured limit was reached */
	ST_BUSY,     /* held by somebody else; try again later */
	ST_ABSENT,   /* the file that was named does not exist */
};

#define MUST_USE __attribute__((warn_unused_result))
#define PRINTF_LIKE(format_index, args_index) __attribute__((format(printf, format_index, args_index)))

/* Name of a status for log lines, e.g. "io". Never NULL. */
const char *status_name(enum status status);
