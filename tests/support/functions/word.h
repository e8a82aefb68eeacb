/* SPDX-License-Identifier: Apache-2.0 */
/* Words whose functions tests print, and what registers hold before and after them. */
#ifndef TEST_FUNCTIONS_WORD_H
#define TEST_FUNCTIONS_WORD_H

#include "plans/word.h"

#include <zlay/emit_function.h>

enum { WORDS = 36, WORD_TEXT = 1 << 21, WORD_THREADS = 256, WORDS_MOST = WORD_THREADS * 16, WORD_BYTES = 32 << 10 };

typedef struct word_job {
    zlay_slots slots;
    map_table map;
    zlay_word *word;
} word_job;

/* Words of one to four warps; some stay in their lanes, some in their warp. */
static inline void word_draw(zlay_ctx *ctx, word_job *j, uint32_t lanes, int i, uint64_t *seed)
{
    *j = (word_job){.slots = {(uint32_t)(i % 3), (uint32_t)test_range(seed, 0, 4), lanes, (uint32_t)test_range(seed, 0, i % 2), 0, {0}}};
    unsigned bits = slot_bits(&j->slots), inner = j->slots.byte_bits + j->slots.register_bits;
    unsigned moved = i % 4 == 0 ? inner : i % 4 == 3 ? bits : inner + lanes;
    map_draw(&j->map, seed, bits, moved, i % 3);
    j->map.constant = 0;
    zlay_layout *map = map_layout(ctx, &j->map);
    zlay_status status = zlay_word_synth(ctx, &j->word, &j->slots, map);
    if (status) fail_msg("%s", zlay_ctx_message(ctx));
    zlay_layout_free(map);
}

static inline size_t word_function(zlay_ctx *ctx, char *to, const word_job *j, int32_t language, int i)
{
    char name[16];
    int length = snprintf(name, sizeof name, "w%d", i);
    zlay_buf buf = {to, WORD_TEXT, 0};
    zlay_status status = zlay_emit_word_function(ctx, &buf, j->word, language, name, (size_t)length);
    if (status && !strstr(zlay_ctx_message(ctx), "movmatrix")) fail_msg("%d: %s", i, zlay_ctx_message(ctx));
    return status ? 0 : buf.need;
}

/* ---- what registers hold -------------------------------------------------------------------------- */

static inline uint32_t word_threads(const word_job *j) { return 1u << (j->slots.lane_bits + j->slots.warp_bits); }
static inline uint32_t word_registers(const word_job *j) { return 1u << j->slots.register_bits; }
static inline uint64_t word_slots_of(const word_job *j) { return (uint64_t)1 << slot_bits(&j->slots); }

static inline void put_unit(uint32_t *words, const zlay_slots *s, uint64_t slot, uint64_t value)
{
    unsigned width = 32u >> s->byte_bits;
    uint64_t byte = slot & ((1u << s->byte_bits) - 1), mask = ((uint64_t)1 << width) - 1;
    words[slot >> s->byte_bits] |= (uint32_t)((value & mask) << (width * byte));
}

/* The bits of a slot's number from `low` on, before and after. */
static inline void word_fill(const word_job *j, unsigned low, uint32_t *from, uint32_t *wanted)
{
    uint64_t words = word_slots_of(j) >> j->slots.byte_bits;
    memset(from, 0, words * 4);
    memset(wanted, 0, words * 4);
    for (uint64_t slot = 0; slot < word_slots_of(j); slot++) {
        put_unit(from, &j->slots, slot, slot >> low);
        put_unit(wanted, &j->slots, map_at(&j->map, slot), slot >> low);
    }
}

#endif
