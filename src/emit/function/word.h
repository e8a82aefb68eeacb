/* SPDX-License-Identifier: Apache-2.0 */
/* A word as a function on the caller's registers. */
#ifndef ZL_EMIT_FUNCTION_WORD_H
#define ZL_EMIT_FUNCTION_WORD_H

#include "emit/ptx/word.h"

typedef struct zl_word_text {
    const zl_word *word;
    int32_t language;
    const char *name;
    size_t length;
    zl_word_lines *lines; /* those of the body */
} zl_word_text;

/* ENOTSUP: what the language or a function has no text for. */
zlay_status zl_word_function_check(zlay_ctx *ctx, const zl_word *word, int32_t language);

/* Bytes of shared memory that it takes; 0: none, and no such parameter. */
uint32_t zl_word_shared(const zl_word *word);

void zl_word_function_put(zl_text *out, const zl_word_text *t);

#endif
