/* SPDX-License-Identifier: Apache-2.0 */
/* What the fields of a matrix descriptor read, by the pictures of the PTX ISA: shared by the tests that look for fields one by one. */
#ifndef TEST_SMEMDESC_READS_H
#define TEST_SMEMDESC_READS_H

#include "tiles/smemdesc.h"

enum { PATTERNS = 5 };

/* An operand of 16 rows and the 32 bytes of K that one instruction reads; an element of a gap type is one of 16 in 16 bytes. */
typedef struct operand {
    const zlay_target *target;
    int32_t type, major;
    int bits, k; /* of an element; of an instruction */
} operand;

typedef struct fields {
    int pattern, base;
    int64_t start, lbo, sbo;
} fields;

/* Chunks of a row; rows of a group. */
static const int chunks[PATTERNS] = {1, 2, 4, 8, 8}, rows[PATTERNS] = {8, 8, 8, 8, 4};

/* The atoms of 32 bytes in four lines of 128: line i has atom j at j ^ i. */
static const int atoms[4][4] = {{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}};

static inline int64_t pictured(int64_t address, int p)
{
    if (p < 4) return (int64_t)by_picture((uint64_t)address, p);
    int64_t line = address / 128, atom = address / 32 % 4;
    return line * 128 + atoms[line % 4][atom] * 32 + address % 32;
}

/* The bit at which a descriptor reads element (mn, k). */
static inline int64_t reads(const operand *o, const fields *f, int mn, int k)
{
    int contiguous = o->major == ZLAY_MAJOR_K ? k : mn, across = o->major == ZLAY_MAJOR_K ? mn : k;
    int bit = contiguous * o->bits, along = bit / 128;
    bool exchanged = o->major == ZLAY_MAJOR_MN && !f->pattern;
    int64_t group = exchanged ? f->lbo : f->sbo, next = exchanged ? f->sbo : f->lbo, lines = 128 * (8 - f->base);
    int64_t inside = along % chunks[f->pattern] * 16 + bit % 128 / 8;
    int64_t plain = f->start + across % rows[f->pattern] * 16 * chunks[f->pattern] + across / rows[f->pattern] * group +
                    along / chunks[f->pattern] * next + inside;
    return (pictured(plain + lines, f->pattern) - lines) * 8 + bit % 8;
}

static inline bool has(const operand *o, int p)
{
    bool blackwell = strcmp(zlay_target_name(o->target), "sm_90a") != 0, words = o->bits == 32 && o->major == ZLAY_MAJOR_MN;
    return (p == 4) == words && (p < 4 || blackwell);
}

static inline int lines_of(int p) { return p && p < 4 ? 1 << p : 1; }

static inline operand draw_operand(uint64_t *s)
{
    static const struct {
        const char *target;
        int32_t type, major;
        int bits;
    } kinds[] = {{"sm_90a", ZLAY_TYPE_BF16, 0, 16},        {"sm_90a", ZLAY_TYPE_BF16, 1, 16},  {"sm_100a", ZLAY_TYPE_F16, 0, 16},
                 {"sm_100a", ZLAY_TYPE_F16, 1, 16},        {"sm_90a", ZLAY_TYPE_E4M3, 0, 8},   {"sm_100a", ZLAY_TYPE_E5M2, 1, 8},
                 {"sm_90a", ZLAY_TYPE_TF32, 0, 32},        {"sm_100a", ZLAY_TYPE_TF32, 1, 32}, {"sm_100a", ZLAY_TYPE_TF32, 0, 32},
                 {"sm_100a", ZLAY_TYPE_U4_ALIGN16, 0, 8}, {"sm_100a", ZLAY_TYPE_E3M2, 0, 8},  {"sm_100a", ZLAY_TYPE_E2M1, 0, 4}};
    size_t i = test_random(s) % (sizeof kinds / sizeof *kinds);
    return (operand){target_of(kinds[i].target), kinds[i].type, kinds[i].major, kinds[i].bits, 256 / kinds[i].bits};
}

#endif
