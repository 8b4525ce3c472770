/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * Other servers to measure beside: each a script in --peers-dir that starts it on loopback (bench/README.md
 * says how). A script that says by `check` that all is installed is a peer, by the name of its file.
 */
#include "run.h"

/* Finds those installed; with --install installs those that are not, first. What fails is said. */
enum status peers_find(struct run *run, struct peers *peers) MUST_USE;
/* Measures one scenario at one size once on the peer, as rows of its name. One that fails or is left out says
 * so. */
void peers_measure(struct run *run, struct peer *peer, const char *scenario, scenario_fn *measure,
		   uint64_t n);
/* Rows "peers/SCENARIO": how many times as long as yared each peer took. */
void peers_compare(struct run *run, const struct peers *peers);
