/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Compares XML documents as a reader of NETCONF would: by namespace and name, whatever the prefixes;
 * attributes in any order; blanks around text ignored. In what is expected, "*" as the whole text of an
 * element stands for any content; as a text beside elements, for further elements between them; as an
 * attribute's value, for any value. In what came, the prefixes of an <error-path> must be declared on it.
 */
#include <stdbool.h>

#include "base/bytes.h"

/* False also where one of them is not well-formed. */
bool xml_matches(struct bytes actual, struct bytes expected);
