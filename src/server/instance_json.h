/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/* YANG instance data files (RFC 9195) in JSON. */
#include <stdbool.h>
#include "base/bytes.h"

#define INSTANCE_DATA_NS "urn:ietf:params:xml:ns:yang:ietf-yang-instance-data"

/* Whether the text is JSON rather than XML: by its first character. */
bool instance_json_is_json(struct bytes text);
/* The value of content-data where the text is an instance-data-set, an empty object where it has none; else
 * the text as it is. What is around the value is not checked; the rest of the text is for a JSON reader. */
struct bytes instance_json_content(struct bytes text);
