/* SPDX-License-Identifier: Apache-2.0 */
/* Random layouts of every kind whose values the test knows without the library: each is drawn as numbers, written as
 * text for the library, and evaluated here from the numbers.  The refuters of decisions and of operations use them.
 *
 * Extents are 1 to 12, 96, 100, 1000 and those beside powers of two; strides are compact, with holes, 0, negative,
 * shared powers of two, or near the ends of 64 bits; pieces have residue classes, triangles and floor divisions. */
#ifndef TEST_KNOWN_H
#define TEST_KNOWN_H

#include "layouts/layout.h"

__extension__ typedef __int128 known_wide;

enum { KNOWN_MOST = 1100, KNOWN_MODES = 4, KNOWN_PIECES = 3 };

typedef enum known_kind { KNOWN_STRIDED, KNOWN_SWIZZLED, KNOWN_F2, KNOWN_MODULAR, KNOWN_PIECEWISE } known_kind;

/* c[0] + c[1] i + c[2] j + c[3] floor((c[4] i + c[5] j + c[6]) / c[7]) where low <= i < high, i mod m = r, and, of a
 * triangle, j + 1 <= i. */
typedef struct known_piece {
    int64_t low, high, m, r, c[8];
    bool triangle;
} known_piece;

typedef struct known {
    known_kind kind;
    int size, modes; /* points of the box; its modes or input dimensions */
    int64_t shape[KNOWN_MODES], stride[KNOWN_MODES], offset; /* shape of f2: the extents of its inputs */
    int swizzle[3];
    int outs, bits;
    uint64_t out_size[2], basis[12][2]; /* 0: 2^64 */
    int pieces;
    int64_t extent[2], corner[2]; /* of pieces: i and j are drawn below extent; the least corner of the hull */
    known_piece piece[KNOWN_PIECES];
    bool there[KNOWN_MOST];
    int64_t at[KNOWN_MOST], out[KNOWN_MOST][2]; /* flat; by output */
    char text[4096];
} known;

/* ---- strided and swizzled ------------------------------------------------------------------------------------ */

static inline int64_t known_swizzle(const int s[3], int64_t value)
{
    uint64_t v = (uint64_t)value, mask = (((uint64_t)1 << s[0]) - 1);
    if (s[2] >= 0) return (int64_t)(v ^ (v & mask << (s[1] + s[2])) >> s[2]);
    return (int64_t)(v ^ (v & mask << s[1]) << -s[2]);
}

/* Any integer, as CuTe's layouts go on: the last mode has no bound.  False past 64 bits. */
static inline bool known_strided(const known *k, int64_t index, int64_t *out)
{
    known_wide value = k->offset;
    for (int i = 0; i < k->modes; i++) {
        bool last = i + 1 == k->modes;
        value += (known_wide)(last ? index : index % k->shape[i]) * k->stride[i];
        index /= k->shape[i];
    }
    if (value < INT64_MIN || value > INT64_MAX) return false;
    *out = k->kind == KNOWN_SWIZZLED ? known_swizzle(k->swizzle, (int64_t)value) : (int64_t)value;
    return true;
}

static inline int64_t known_extent(uint64_t *seed, int64_t most)
{
    static const int64_t beside[] = {15, 16, 17, 31, 32, 33, 63, 64, 65, 96, 100, 127, 128, 129, 255, 256, 257, 511,
                                     512, 513, 1000, 1023, 1024, 1025};
    int64_t extent = test_range(seed, 0, 3) ? test_range(seed, 1, 12) : beside[test_range(seed, 0, 23)];
    return extent <= most ? extent : test_range(seed, 1, most < 12 ? most : 12);
}

static inline int64_t known_stride(uint64_t *seed, int64_t compact)
{
    switch (test_range(seed, 0, 11)) {
    case 0: case 1: return test_range(seed, -8, 8);
    case 2: return compact + test_range(seed, -1, 3);
    case 3: return -compact;
    case 4: return (int64_t)1 << test_range(seed, 0, 12);
    case 5: return compact * test_range(seed, 2, 3);
    case 6: return test_range(seed, 0, 40);
    case 7: return test_range(seed, 0, 3) ? 0 : ((int64_t)1 << test_range(seed, 30, 62)) - test_range(seed, 0, 1);
    case 8: return test_range(seed, 0, 5) ? compact : INT64_MIN + test_range(seed, 0, 1);
    default: return compact;
    }
}

/* Strides of a permutation of the modes, so that bijections are many. */
static inline void known_strides(uint64_t *seed, known *k)
{
    int order[KNOWN_MODES];
    int64_t compact = 1;
    for (int i = 0; i < k->modes; i++) order[i] = i;
    if (test_range(seed, 0, 1)) test_shuffle(seed, order, k->modes);
    bool plain = !test_range(seed, 0, 3);
    for (int i = 0; i < k->modes; i++) {
        int64_t stride = plain ? compact : known_stride(seed, compact);
        k->stride[order[i]] = stride;
        compact *= k->shape[order[i]];
    }
}

/* Every value fits 64 bits, and so does what each mode spans by itself. */
static inline bool known_in_range(const known *k)
{
    known_wide least = k->offset, most = k->offset;
    bool fits = true;
    for (int i = 0; i < k->modes; i++) {
        known_wide reach = (known_wide)(k->shape[i] - 1) * k->stride[i];
        fits = fits && reach >= INT64_MIN && reach <= INT64_MAX;
        least += reach < 0 ? reach : 0;
        most += reach > 0 ? reach : 0;
    }
    return fits && least >= INT64_MIN && most <= INT64_MAX;
}

static inline int known_tuple(char *text, const int64_t *n, const known *k, int nest)
{
    int at = 0;
    bool tuple = k->modes > 1 || nest & 1, inner = nest & 2 && k->modes > 2;
    at += sprintf(text + at, tuple ? "(" : "");
    for (int i = 0; i < k->modes; i++)
        at += sprintf(text + at, "%s%s%lld%s", i ? "," : "", inner && i == 1 ? "(" : "", (long long)n[i],
                      inner && i + 1 == k->modes ? ")" : "");
    return at + sprintf(text + at, tuple ? ")" : "");
}

static inline void known_strided_text(known *k, int nest)
{
    char *p = k->text;
    if (k->kind == KNOWN_SWIZZLED)
        p += sprintf(p, "Sw<%d,%d,%d> o %lld o ", k->swizzle[0], k->swizzle[1], k->swizzle[2], (long long)k->offset);
    else if (k->offset) p += sprintf(p, "%lld o ", (long long)k->offset);
    p += known_tuple(p, k->shape, k, nest);
    *p++ = ':';
    known_tuple(p, k->stride, k, nest);
}

static inline void known_values_strided(known *k)
{
    k->outs = 1;
    k->size = 1;
    for (int i = 0; i < k->modes; i++) k->size *= (int)k->shape[i];
    for (int i = 0; i < k->size; i++) {
        k->there[i] = known_strided(k, i, &k->at[i]);
        k->out[i][0] = k->at[i];
    }
}

static inline void known_draw_strided(uint64_t *seed, known *k, int most)
{
    do {
        int64_t left = most;
        k->modes = (int)test_range(seed, 1, KNOWN_MODES);
        for (int i = 0; i < k->modes; i++) left /= k->shape[i] = known_extent(seed, left);
        known_strides(seed, k);
        k->offset = test_range(seed, 0, 2) ? 0 : test_range(seed, -20, 40);
        if (!test_range(seed, 0, 15)) k->offset = test_range(seed, 0, 1) ? INT64_MAX - 600 : INT64_MIN + 600;
    } while (!known_in_range(k));
    if (k->kind == KNOWN_SWIZZLED) {
        k->swizzle[0] = (int)test_range(seed, 1, 3);
        k->swizzle[1] = (int)test_range(seed, 0, 4);
        k->swizzle[2] = (int)test_range(seed, k->swizzle[0], 5) * (test_range(seed, 0, 1) ? 1 : -1);
    }
    known_values_strided(k);
    known_strided_text(k, (int)test_range(seed, 0, 3));
}

/* ---- f2 and modular -------------------------------------------------------------------------------------------- */

static inline void known_bits_text(known *k)
{
    char *p = k->text + sprintf(k->text, "f2{");
    int bit = 0;
    for (int i = 0; i < k->modes; i++) {
        p += sprintf(p, "%si%d:", i ? "; " : "", i);
        for (int b = 0; (k->shape[i] - 1) >> b; b++, bit++) {
            p += sprintf(p, " (%llu", (unsigned long long)k->basis[bit][0]);
            p += k->outs == 2 ? sprintf(p, ",%llu)", (unsigned long long)k->basis[bit][1]) : sprintf(p, ")");
        }
    }
    p += sprintf(p, " -> ");
    for (int d = 0; d < k->outs; d++) {
        if (k->out_size[d]) p += sprintf(p, "%so%d: %llu", d ? ", " : "", d, (unsigned long long)k->out_size[d]);
        else p += sprintf(p, "%so%d: 18446744073709551616", d ? ", " : "", d);
    }
    sprintf(p, "}");
}

static inline uint64_t known_add(uint64_t a, uint64_t b, uint64_t size)
{
    if (!(size & (size - 1))) return a ^ b;
    return (a + b) % size;
}

static inline void known_values_bits(known *k)
{
    k->size = 1 << k->bits;
    for (int i = 0; i < k->size; i++) {
        k->there[i] = true;
        for (int d = 0; d < k->outs; d++) {
            uint64_t sum = 0;
            for (int b = 0; b < k->bits; b++)
                if (i >> b & 1) sum = known_add(sum, k->basis[b][d], k->out_size[d]);
            k->out[i][d] = (int64_t)sum;
        }
        k->at[i] = (int64_t)((uint64_t)k->out[i][0] + (k->outs == 2 ? k->out_size[0] * (uint64_t)k->out[i][1] : 0));
    }
}

static inline uint64_t known_out_size(uint64_t *seed, bool modular, bool first, int outs)
{
    static const uint64_t odd[] = {3, 5, 6, 7, 9, 10, 11, 12, 15, 17, 31, 33, 96, 100, 127, 129, 1000, 1023, 1025};
    if (modular && first) return odd[test_range(seed, 0, 18)];
    if (outs == 1 && !test_range(seed, 0, 9)) return 0;
    return (uint64_t)1 << test_range(seed, 0, test_range(seed, 0, 7) ? 9 : outs == 1 ? 63 : 30);
}

static inline uint64_t known_basis(uint64_t *seed, const known *k, int d, int bit)
{
    uint64_t size = k->out_size[d], one = (uint64_t)1 << (bit % 64);
    bool fits = !size || one < size;
    if (test_range(seed, 0, 2) && fits) return one;
    uint64_t value = test_random(seed);
    if (test_range(seed, 0, 1)) value &= test_random(seed) & 15;
    return size ? value % size : value;
}

static inline void known_draw_bits(uint64_t *seed, known *k, int most)
{
    int top = 0;
    while (top < 10 && 2 << top <= most) top++;
    k->bits = 0;
    k->modes = (int)test_range(seed, 1, 3);
    for (int i = 0; i < k->modes; i++) {
        int bits = (int)test_range(seed, 0, i ? 3 : 6);
        if (k->bits + bits > top) bits = top - k->bits;
        k->shape[i] = (int64_t)1 << bits;
        k->bits += bits;
    }
    k->outs = test_range(seed, 0, 3) ? 1 : 2;
    for (int d = 0; d < k->outs; d++)
        k->out_size[d] = known_out_size(seed, k->kind == KNOWN_MODULAR, d == 0, k->outs);
    for (int b = 0; b < k->bits; b++)
        for (int d = 0; d < k->outs; d++)
            k->basis[b][d] = known_basis(seed, k, d, k->outs == 2 && d ? b / 2 : b);
    known_values_bits(k);
    known_bits_text(k);
}

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

static inline int64_t known_floor(int64_t a, int64_t n) { return a / n - (a % n < 0); }

static inline bool known_holds(const known_piece *p, int64_t i, int64_t j)
{
    if (i < p->low || i >= p->high || i - p->m * known_floor(i, p->m) != p->r) return false;
    return !p->triangle || j + 1 <= i;
}

static inline bool known_piecewise(const known *k, int64_t i, int64_t j, int64_t *out)
{
    for (int n = 0; n < k->pieces; n++) {
        const known_piece *p = &k->piece[n];
        const int64_t *c = p->c;
        if (!known_holds(p, i, j)) continue;
        *out = c[0] + c[1] * i + c[2] * j + c[3] * known_floor(c[4] * i + c[5] * j + c[6], c[7]);
        return true;
    }
    return false;
}

static inline void known_pieces_text(known *k)
{
    char *p = k->text + sprintf(k->text, "{ ");
    for (int n = 0; n < k->pieces; n++) {
        const known_piece *q = &k->piece[n];
        const int64_t *c = q->c;
        const char *in = k->modes == 2 ? "[i,j]" : "[i]";
        p += sprintf(p, "%s%s -> [%lld + %lldi", n ? "; " : "", in, (long long)c[0], (long long)c[1]);
        if (k->modes == 2) p += sprintf(p, " + %lldj", (long long)c[2]);
        if (c[3]) {
            p += sprintf(p, " + %lld*floor((%lldi", (long long)c[3], (long long)c[4]);
            if (k->modes == 2) p += sprintf(p, " + %lldj", (long long)c[5]);
            p += sprintf(p, " + %lld)/%lld)", (long long)c[6], (long long)c[7]);
        }
        p += sprintf(p, "] : %lld <= i < %lld", (long long)q->low, (long long)q->high);
        if (k->modes == 2) p += sprintf(p, " and 0 <= j < %lld", (long long)k->extent[1]);
        if (q->m > 1) p += sprintf(p, " and (i mod %lld) = %lld", (long long)q->m, (long long)q->r);
        if (q->triangle) p += sprintf(p, " and j + 1 <= i");
    }
    sprintf(p, " }");
}

/* The box is the hull of the domain; false: the domain is empty. */
static inline bool known_values_pieces(known *k, int64_t first)
{
    int64_t low[2] = {INT64_MAX, INT64_MAX}, high[2] = {INT64_MIN, INT64_MIN}, value, x[2];
    for (x[0] = first; x[0] < first + k->extent[0]; x[0]++)
        for (x[1] = 0; x[1] < k->extent[1]; x[1]++)
            for (int d = 0; d < 2 && known_piecewise(k, x[0], x[1], &value); d++) {
                low[d] = x[d] < low[d] ? x[d] : low[d];
                high[d] = x[d] > high[d] ? x[d] : high[d];
            }
    if (low[0] > high[0]) return false;
    for (int d = 0; d < 2; d++) k->shape[d] = high[d] - low[d] + 1, k->corner[d] = low[d];
    k->size = (int)(k->shape[0] * k->shape[1]);
    for (int i = 0; i < k->size; i++) {
        k->there[i] = known_piecewise(k, low[0] + i % k->shape[0], low[1] + i / k->shape[0], &value);
        k->at[i] = k->out[i][0] = k->there[i] ? value : 0;
    }
    return true;
}

static inline void known_draw_piece(uint64_t *seed, known_piece *p, int64_t extent, bool two)
{
    for (int n = 0; n < 8; n++) p->c[n] = test_range(seed, -3, 5);
    p->c[1] = test_range(seed, 0, 2) ? test_range(seed, 1, 4) : test_range(seed, -40, 40);
    p->c[2] = two ? test_range(seed, 0, 1) ? extent * p->c[1] : test_range(seed, -40, 40) : 0;
    p->c[5] = two ? p->c[5] : 0;
    p->c[7] = test_range(seed, 2, 9);
    if (test_range(seed, 0, 1)) p->c[3] = 0;
    p->m = test_range(seed, 0, 2) ? 1 : test_range(seed, 2, 4);
    p->r = test_range(seed, 0, p->m - 1);
    p->triangle = two && !test_range(seed, 0, 5);
}

static inline void known_draw_pieces(uint64_t *seed, known *k, int most)
{
    int64_t first;
    do {
        k->modes = (int)test_range(seed, 1, 2);
        k->extent[1] = k->modes == 2 ? test_range(seed, 1, 12) : 1;
        k->extent[0] = known_extent(seed, most / k->extent[1]);
        first = test_range(seed, 0, 2) ? 0 : test_range(seed, -9, 9);
        k->pieces = (int)test_range(seed, 1, k->extent[0] < KNOWN_PIECES ? k->extent[0] : KNOWN_PIECES);
        for (int n = 0; n < k->pieces; n++) {
            known_piece *p = &k->piece[n];
            known_draw_piece(seed, p, k->extent[0], k->modes == 2);
            p->low = first + k->extent[0] * n / k->pieces;
            p->high = first + k->extent[0] * (n + 1) / k->pieces;
        }
    } while (!known_values_pieces(k, first));
    k->outs = 1;
    known_pieces_text(k);
}

/* ---- all kinds ----------------------------------------------------------------------------------------------------- */

static inline void known_draw(uint64_t *seed, known *k, int most)
{
    static const known_kind kinds[] = {KNOWN_STRIDED, KNOWN_STRIDED, KNOWN_SWIZZLED, KNOWN_F2, KNOWN_MODULAR,
                                       KNOWN_PIECEWISE};
    k->kind = kinds[test_range(seed, 0, 5)];
    k->out_size[0] = k->out_size[1] = 0;
    if (k->kind == KNOWN_PIECEWISE) known_draw_pieces(seed, k, most);
    else if (k->kind == KNOWN_F2 || k->kind == KNOWN_MODULAR) known_draw_bits(seed, k, most);
    else known_draw_strided(seed, k, most);
}

#endif
