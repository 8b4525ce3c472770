/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* The one place that makes <rpc-error> (RFC 6241 4.3) from diagnostics. */
#include "base/buffer.h"
#include "base/diag.h"

/* Appends an rpc-error for each record. `xmlns`: the errors declare the base namespace themselves. */
void netconf__rpc_errors_write(struct buffer *out, const struct diag_list *diags, bool xmlns);
