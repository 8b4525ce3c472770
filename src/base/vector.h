/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once
/*
 * A growable array of fixed-size elements on the heap.
 *
 *     struct vector paths;
 *     vector_init(&paths, sizeof(char *));
 *     *(char **)vector_push(&paths) = path;
 */
#include <stddef.h>

struct vector {
	void *data;
	size_t length, capacity; /* elements */
	size_t element_size;	 /* bytes */
};

void vector_init(struct vector *vector, size_t element_size);
void vector_fini(struct vector *vector);
/* The new last element, zeroed. Valid until the next push. */
void *vector_push(struct vector *vector);
void vector_pop(struct vector *vector);
void *vector_at(const struct vector *vector, size_t index); /* Needs index < length */
void vector_clear(struct vector *vector);
/* Pushes all elements of another vector, which is of the same size of elements; its own stay. */
void vector_append(struct vector *vector, const struct vector *others);
