/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
#include <stdint.h>

/*
 * Uses `size` bytes of memory, or half of what is free if that is less, and gives them back.
 *
 * Where this machine is a guest whose hypervisor takes free memory back, the next process that uses it waits
 * for the hypervisor, at up to 50 times of what a page costs otherwise, and which process that is, is chance.
 * After this it is no process that is measured next; for a second or so, since then the memory is taken back.
 */
void warm_memory(uint64_t size);
