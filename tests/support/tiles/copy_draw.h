/* SPDX-License-Identifier: Apache-2.0 */
/* Random requests of copies by threads: strided and swizzled sides, padded, flipped, permuted; sides
 * without common strides; fragments; pitches that have names. */
#ifndef TEST_COPY_DRAW_H
#define TEST_COPY_DRAW_H

#include "random.h"

#include <stdbool.h>
#include <stdio.h>
#include <zlay/copy_synth.h>
#include <zlay/move.h>

enum { TILE_MOST = 4096 };

typedef struct wanted {
    char text[2][256];
    const char *target;
    zlay_copy_request r;
} wanted;

static inline void put_text(char *out, int modes, const int64_t *shape, const int64_t *stride,
                     int64_t offset, const char *swizzle)
{
    char *at = out + sprintf(out, "%s%lld o (", swizzle, (long long)offset);
    for (int i = 0; i < modes; i++) at += sprintf(at, "%s%lld", i ? "," : "", (long long)shape[i]);
    at += sprintf(at, "):(");
    for (int i = 0; i < modes; i++) at += sprintf(at, "%s%lld", i ? "," : "", (long long)stride[i]);
    sprintf(at, ")");
}

/* Compact strides in a random order of modes, padded now and then. */
static inline void draw_strides(uint64_t *seed, int modes, const int64_t *shape, int64_t *stride)
{
    int order[4] = {0, 1, 2, 3};
    int64_t next = test_range(seed, 0, 7) ? 1 : test_range(seed, 1, 3);
    test_shuffle(seed, order, modes);
    for (int i = 0; i < modes; i++) {
        stride[order[i]] = next;
        next *= shape[order[i]];
        if (!test_range(seed, 0, 2)) next += test_range(seed, 0, 5);
        if (!test_range(seed, 0, 2)) next = (next + 7) / 8 * 8;
    }
}

static inline int64_t draw_extent(uint64_t *seed)
{
    return test_range(seed, 0, 1) ? (int64_t)1 << test_range(seed, 0, 5) : test_range(seed, 1, 21);
}

static inline wanted draw(uint64_t *seed)
{
    static const char *const targets[] = {"sm_80", "sm_90a", "sm_100a", "gfx942"};
    static const int32_t spaces[][2] = {{ZLAY_MOVE_GLOBAL, ZLAY_MOVE_SHARED},
                                        {ZLAY_MOVE_SHARED, ZLAY_MOVE_GLOBAL},
                                        {ZLAY_MOVE_GLOBAL, ZLAY_MOVE_GLOBAL},
                                        {ZLAY_MOVE_SHARED, ZLAY_MOVE_SHARED},
                                        {ZLAY_MOVE_SHARED, ZLAY_MOVE_PEER}};
    static const uint32_t threads[] = {0, 1, 7, 32, 64, 96, 128, 256};
    wanted w = {.target = targets[test_range(seed, 0, 3)], .r = {.size = sizeof w.r}};
    int modes = (int)test_range(seed, 1, 3), spot = (int)test_range(seed, 0, 4);
    int64_t shape[3], stride[3];
    int64_t points = 1;
    for (int i = 0; i < modes; points *= shape[i++])
        do shape[i] = draw_extent(seed);
        while (points * shape[i] > TILE_MOST);
    for (int s = 0; s < 2; s++) {
        const char *swizzle = test_range(seed, 0, 3) ? "" : "Sw<2,3,3> o ";
        int64_t offset = test_range(seed, 0, 2) ? 0 : test_range(seed, 0, 20);
        zlay_copy_side *side = s ? &w.r.dest : &w.r.source;
        draw_strides(seed, modes, shape, stride);
        if (!s && !test_range(seed, 0, 5)) stride[0] = test_range(seed, 0, 4);
        for (int i = 0; i < modes && !*swizzle; i++) {
            if (test_range(seed, 0, 9)) continue;
            offset += (shape[i] - 1) * stride[i];
            stride[i] = -stride[i];
        }
        put_text(w.text[s], modes, shape, stride, offset, swizzle);
        side->space = spaces[spot][s];
        side->align = (uint64_t)16 << test_range(seed, 0, 3);
    }
    w.r.elem_bits = 8u << test_range(seed, 0, 3);
    w.r.threads = threads[test_range(seed, 0, 7)];
    if (test_range(seed, 0, 1)) w.r.path = (int32_t)test_range(seed, ZLAY_PATH_BULK, ZLAY_PATH_REALIGN);
    if (spot == 4 && !w.r.path) w.r.signal = (uint32_t)test_range(seed, 0, 1);
    if (spot == 4 || w.r.path == ZLAY_PATH_BULK) w.target = targets[test_range(seed, 1, 2)];
    return w;
}

/* ---- layouts without common strides -------------------------------------------------- */

/* An invertible bit matrix over `bits` bits as a layout of one or two inputs: products of random
 * shears of a permutation; the low `same` bits stay, so that some accesses are wide. */
static inline void draw_matrix(uint64_t *seed, char *out, int bits, int same)
{
    uint64_t basis[12];
    int cut = (int)test_range(seed, 0, bits);
    for (int i = 0; i < bits; i++) basis[i] = (uint64_t)1 << i;
    for (int n = 0; n < 3 * bits; n++) {
        int i = (int)test_range(seed, same, bits - 1), j = (int)test_range(seed, same, bits - 1);
        if (i != j) basis[i] ^= basis[j];
    }
    char *at = out + sprintf(out, "f2{a:");
    for (int i = 0; i < bits; i++) {
        if (i == cut) at += sprintf(at, "; b:");
        at += sprintf(at, " (%llu)", (unsigned long long)basis[i]);
    }
    sprintf(at, "%s -> o: %d}", cut == bits ? "; b:" : "", 1 << bits);
}

/* Rows of a matrix that end where a guard says, against other rows, or boxes that cross. */
static inline void draw_pieces(uint64_t *seed, wanted *w)
{
    int rows = (int)test_range(seed, 2, 9), columns = (int)test_range(seed, 2, 40);
    int pitch[2] = {columns + (int)test_range(seed, 0, 8), columns + (int)test_range(seed, 0, 8)};
    if (!test_range(seed, 0, 2)) {
        sprintf(w->text[0], "(%d,%d):(1,%d)", 2 * columns, 3 * rows, 2 * pitch[0]);
        sprintf(w->text[1], "(%d,%d):(1,%d)", 3 * columns, 2 * rows, 3 * pitch[1]);
        return;
    }
    int most = rows > columns ? rows : columns;
    for (int s = 0; s < 2; s++)
        sprintf(w->text[s], "{ [j,i] -> [%di + j] : 0 <= i < %d and 0 <= j < %d and i + j < %d }",
                pitch[s], rows, columns, s ? rows + columns : most);
}

/* ---- fragments ------------------------------------------------------------------------ */

static inline void put_bits(char *out, const int *place, int bits)
{
    char *at = out + sprintf(out, "(2");
    for (int i = 1; i < bits; i++) at += sprintf(at, ",2");
    at += sprintf(at, "):(%d", 1 << place[0]);
    for (int i = 1; i < bits; i++) at += sprintf(at, ",%d", 1 << place[i]);
    sprintf(at, ")");
}

/* Bits of a tile at random among those of register, lane and warp, and of memory; in every second
 * case so that words are those of matrices, whose rows lie anywhere. */
static inline void draw_bits(uint64_t *seed, char *memory, char *slots, int held)
{
    int place[2][9], bits = held + (int)test_range(seed, 5, 8 - held + 1), next = 6;
    bool matrices = test_range(seed, 0, 1) && held;
    for (int i = 0; i < bits; i++) place[0][i] = place[1][i] = i;
    if (matrices) {
        for (int i = 1; i < 6; i++) place[1][i] = held - 1 + i;
        for (int i = 1; i < bits; i++)
            if (i < held || i >= held + 5) place[1][next++] = i;
    }
    test_shuffle(seed, place[0] + (matrices ? 3 : 0), matrices ? bits - 3 : bits);
    test_shuffle(seed, place[1] + (matrices ? 6 : 0), matrices ? bits - 6 : bits);
    put_bits(memory, place[0], bits);
    put_bits(slots, place[1], bits);
}

/* ---- pitches that are names ------------------------------------------------------------ */

typedef struct pitched {
    int64_t rows, columns, mod[2], rem[2], value[2]; /* of the pitches ld and N */
    int times;
    bool turned; /* the destination is contiguous along the other mode */
    zlay_copy_request r;
} pitched;

static inline pitched draw_pitched(uint64_t *seed)
{
    pitched p = {.rows = test_range(seed, 1, 20),
                 .columns = draw_extent(seed),
                 .times = (int)test_range(seed, 1, 2),
                 .turned = !test_range(seed, 0, 3),
                 .r = {.size = sizeof p.r,
                       .elem_bits = 8u << test_range(seed, 0, 2),
                       .source = {NULL, ZLAY_MOVE_GLOBAL, 0, 64},
                       .dest = {NULL, ZLAY_MOVE_GLOBAL, 0, 64}}};
    for (int i = 0; i < 2; i++) {
        p.mod[i] = (int64_t)1 << test_range(seed, 0, 5);
        p.rem[i] = test_range(seed, 0, 1) ? 0 : test_range(seed, 0, p.mod[i] - 1);
        p.value[i] = (test_range(seed, 64, 200) + p.mod[i]) / p.mod[i] * p.mod[i] + p.rem[i];
    }
    return p;
}

#endif
