/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include <stdint.h>

/*
 * Uses `size` bytes of memory, or half of what is free if that is less, and gives them back.
 *
 * For what is measured right after. In a guest whose hypervisor takes free memory back, the first use of a page
 * waits for the hypervisor, at up to 50 times the price of a page otherwise; so what a server needs is made to
 * have been used. It is taken back again within seconds.
 */
void warm_memory(uint64_t size);
