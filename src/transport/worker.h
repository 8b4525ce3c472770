/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Workers: threads with an event loop each. A connection stays with one worker for life. Accepting sockets
 * live on the first worker, which hands connections out round robin.
 */
#include "netconf/server.h"
#include "os/loop.h"

struct transport_worker;
struct transport_workers;

enum status transport_workers_start(size_t count, struct transport_workers **workers) MUST_USE;
/* Closes all connections after what is in flight was answered, at most `grace_ms`; ends the threads. */
void transport_workers_stop(struct transport_workers *workers, uint64_t grace_ms);
