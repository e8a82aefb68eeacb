/* SPDX-License-Identifier: Apache-2.0 */
/* Fields in descriptors of 32-bit words: `width` bits from bit `at` of the first word on. */
#ifndef ZL_WORDS_H
#define ZL_WORDS_H

#include "base/words.h"

#include <zlay/buffer.h>

enum { ZL_WORD_BITS = 32 };

static inline void zl_words_put(uint32_t *word, uint32_t at, uint32_t width, uint64_t value)
{
    for (uint32_t i = 0; i < width; i++)
        word[(at + i) / ZL_WORD_BITS] |= (uint32_t)(value >> i & 1) << (at + i) % ZL_WORD_BITS;
}

static inline uint64_t zl_words_get(const uint32_t *word, uint32_t at, uint32_t width)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < width; i++)
        value |= (uint64_t)(word[(at + i) / ZL_WORD_BITS] >> (at + i) % ZL_WORD_BITS & 1) << i;
    return value;
}

/* The fields of a buffer resource, of a target that has buffers; returns how many. */
size_t zl_buffer_bit_fields(zl_bit_field *out, const zlay_target *target,
                            const zlay_buffer *buffer);

#endif
