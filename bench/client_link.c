/* SPDX-License-Identifier: BSD-3-Clause */
/* The two kinds of links behind one set of calls, so that a floor and a server are driven by the same code.
 */
#include "link.h"

enum status link_open(const struct target *target, struct link **link)
{
	return target->kind == TARGET_SSH ? link_open_ssh(target, link) : link_open_unix(target, link);
}

void link_close(struct link *link)
{
	if (link != NULL)
		link->ops->close(link);
}

long link_read(struct link *link, char *data, size_t size, int timeout_ms)
{
	return link->ops->read(link, data, size, timeout_ms);
}

enum status link_write(struct link *link, struct bytes bytes)
{
	return link->ops->write(link, bytes);
}
