/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * `yare explain --counters PATH`: what the constraints of a running server have cost.
 */
#include "base/buffer.h"
#include "codec/element.h"

/*
 * Takes: an rpc-reply of <get> with the data of yare-constraints. Appends a line for each constraint that was
 * evaluated, of the class or (NULL) of all, the dearest first: by time where the server measures it, else by
 * number. The buffer has no limit. Fails: ST_REJECTED where the reply is an error or has no such data.
 */
enum status explain_counters(const struct element *reply, const char *only_class, struct arena *arena,
			     struct buffer *out) MUST_USE;
