/* SPDX-License-Identifier: BSD-3-Clause */
/* A growable array. The capacity doubles, so that a push costs O(1) on average; popping never shrinks. */
#include "base/vector.h"

#include <string.h>

#include "base/assert.h"
#include "base/memory.h"

#define CAPACITY_MIN 8 /* elements */

void vector_init(struct vector *vector, size_t element_size)
{
	ASSERT(element_size > 0);
	*vector = (struct vector){.element_size = element_size};
}

void vector_fini(struct vector *vector)
{
	memory_free(vector->data);
	*vector = (struct vector){.element_size = vector->element_size};
}

void *vector_push(struct vector *vector)
{
	if (vector->length == vector->capacity) {
		vector->capacity = vector->capacity ? vector->capacity * 2 : CAPACITY_MIN;
		vector->data = memory_resize(vector->data, vector->capacity, vector->element_size);
	}
	char *element = (char *)vector->data + vector->length * vector->element_size;
	vector->length++;
	return memset(element, 0, vector->element_size);
}

void vector_pop(struct vector *vector)
{
	ASSERT(vector->length > 0);
	vector->length--;
}

void *vector_at(const struct vector *vector, size_t index)
{
	ASSERT(index < vector->length);
	return (char *)vector->data + index * vector->element_size;
}

void vector_clear(struct vector *vector)
{
	vector->length = 0;
}

void vector_append(struct vector *vector, const struct vector *others)
{
	ASSERT(vector->element_size == others->element_size);
	if (others->length == 0)
		return;
	size_t length = vector->length + others->length;
	if (length > vector->capacity) {
		size_t twice = vector->capacity * 2;
		vector->capacity = twice > length ? twice : length;
		vector->data = memory_resize(vector->data, vector->capacity, vector->element_size);
	}
	memcpy((char *)vector->data + vector->length * vector->element_size, others->data,
	       others->length * vector->element_size);
	vector->length = length;
}
