/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor maps with unknowns and values for them, and the map that the values make by arithmetic of the test's own. */
#ifndef TEST_FILL_WORLD_H
#define TEST_FILL_WORLD_H

#include "legality.h"

#include <stdio.h>

enum { FILL_NAMES = 3, FILL_OPEN = 10, FILL_WORDS = 16 };
__extension__ typedef __int128 fill_wide;
static const char *const fill_names[FILL_NAMES] = {"ld", "M", "at"};

typedef struct fill_world {
    zlay_tensormap map;
    zlay_given given[FILL_OPEN];
    char text[FILL_OPEN][128];
    int64_t times[FILL_OPEN][FILL_NAMES], rest[FILL_OPEN];
    uint32_t count;
} fill_world;

#define FILL_PICK(s, ...)                                                                          \
    ((const int64_t[]){__VA_ARGS__})[test_random(s) % (sizeof((const int64_t[]){__VA_ARGS__}) / 8)]

static inline void fill_open(uint64_t *s, fill_world *w, int32_t field, int32_t index)
{
    uint32_t k = w->count;
    bool mark = test_range(s, 0, 2) > 0, mixed = test_range(s, 0, 3) == 0;
    int64_t one = test_range(s, 0, FILL_NAMES - 1);
    for (uint32_t i = 0; i < k; i++)
        if (w->given[i].field == field && w->given[i].index == index) return;
    memset(w->times[k], 0, sizeof w->times[k]);
    w->times[k][one] = mark ? 1 : FILL_PICK(s, 1, 2, 16, 24, -1, -16, 3, (int64_t)1 << 40, ((int64_t)1 << 57) + 8);
    w->rest[k] = mark ? 0 : FILL_PICK(s, 0, 0, 16, -16, 1, (int64_t)1 << 20, -((int64_t)1 << 57));
    if (mixed) w->times[k][(one + 1) % FILL_NAMES] = FILL_PICK(s, 1, -1, 16, -32, -((int64_t)1 << 57));
    sprintf(w->text[k], "%lld", (long long)w->rest[k]);
    for (int i = 0; i < FILL_NAMES; i++)
        if (w->times[k][i])
            sprintf(w->text[k] + strlen(w->text[k]), " + %lld*%s", (long long)w->times[k][i], fill_names[i]);
    w->given[k].field = field;
    w->given[k].index = index;
    w->count++;
}

/* The texts lie in the world, which may have moved since it was drawn. */
static inline void fill_texts(fill_world *w)
{
    for (uint32_t k = 0; k < w->count; k++)
        w->given[k].text = w->text[k], w->given[k].length = strlen(w->text[k]);
}

static inline void fill_draw(uint64_t *s, fill_world *w)
{
    static const int32_t fields[] = {ZLAY_FIELD_ADDRESS, ZLAY_FIELD_EXTENT, ZLAY_FIELD_STRIDE, ZLAY_FIELD_STRIDE};
    memset(w, 0, sizeof *w);
    int64_t shape = test_range(s, 0, 7);
    w->map = shape < 2 ? legal_map() : shape < 4 ? legal_map3() : legal_columns(1, (uint32_t)shape % 3 + 3);
    if (shape < 2) w->map.swizzle = (int32_t)FILL_PICK(s, 0, 3);
    if (shape >= 2 && shape < 4 && test_range(s, 0, 1)) {
        w->map.interleave = (int32_t)FILL_PICK(s, 1, 2);
        w->map.swizzle = w->map.interleave == 2;
        w->map.box[1] = 1;
    }
    if (shape == 3) w->map.l2 = 3;
    if (w->map.mode) w->map.upper[0] = (int32_t)FILL_PICK(s, -1, 0, 5);
    for (int64_t k = test_range(s, 0, 4); k >= 0; k--) {
        int32_t field = fields[test_range(s, 0, 3)];
        uint32_t entries = w->map.rank - (field == ZLAY_FIELD_STRIDE);
        fill_open(s, w, field, field == ZLAY_FIELD_ADDRESS ? 0 : (int32_t)(test_random(s) % entries));
    }
}

/* Numbers at the edges of the rules and of 64 bits, and any. */
static inline int64_t fill_value(uint64_t *s)
{
    static const int shifts[] = {0, 4, 5, 7, 12, 20, 30, 31, 32, 36, 39, 40, 56, 57, 58, 62, 63};
    int64_t kind = test_range(s, 0, 5);
    uint64_t power = 1ull << shifts[test_random(s) % (sizeof shifts / sizeof *shifts)];
    if (kind == 0) return (int64_t)test_random(s);
    if (kind == 1) return test_range(s, 1, 4096);
    if (kind == 2) return 16 * test_range(s, 1, 1 << 20);
    if (kind == 3) return (int64_t)(0 - power + (uint64_t)test_range(s, -1, 1));
    return (int64_t)(power + (uint64_t)FILL_PICK(s, -32, -16, -8, -1, 0, 1, 8, 16));
}

/* false: an entry is no number of 64 bits, signed or not. */
static inline bool fill_whole(zlay_tensormap *m, const fill_world *w, const int64_t *value)
{
    *m = w->map;
    for (uint32_t k = 0; k < w->count; k++) {
        fill_wide v = w->rest[k];
        for (int i = 0; i < FILL_NAMES; i++) v += (fill_wide)w->times[k][i] * value[i];
        if (v < INT64_MIN || v > (fill_wide)UINT64_MAX) return false;
        map_set(m, w->given[k].field, w->given[k].index, (uint64_t)v);
    }
    return true;
}

/* The values in the order of the prepared map. */
static inline void fill_order(int64_t *out, const zlay_fill *fill, const int64_t *value)
{
    for (size_t i = 0; i < zlay_fill_name_count(fill); i++)
        for (int k = 0; k < FILL_NAMES; k++)
            if (!strcmp(zlay_fill_name_nth(fill, i), fill_names[k])) out[i] = value[k];
}

static inline zlay_status fill_prepared(zlay_ctx *ctx, zlay_fill **fill, fill_world *w, zlay_verdict *v)
{
    fill_texts(w);
    zlay_tensormap_question q = {sizeof q, w->count, target_of("sm_90a"), &w->map, w->given, NULL};
    return zlay_fill_prepare(ctx, fill, v, NULL, 0, NULL, &q);
}

#endif
