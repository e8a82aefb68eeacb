/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds in which a lane chooses between its own word and a word of another lane: exchanges and
 * movmatrix.
 *
 * An exchange is v -> v + w f(v), w = (x, u) with lane bits u, f linear and f(w) = 0. A map R has
 * the form P1 o exchange o P0 exactly when all lanes that move do so by one u: l' = l + u (s(x) +
 * t(l) + c). Then P0 may be the identity, and P1 is R after the exchange, for any z for which x
 * -> P x + z s(x) has an inverse. P1 needs as many selects as the rank of its part register <-
 * byte, lane. */
#include "synth/word/round.h"

typedef struct exchange {
    const zl_wanted *w;
    uint64_t by, form; /* u; the bits of s and t */
    bool always;       /* c */
    uint64_t z;
    unsigned selects;
} exchange;

static bool one_mask(exchange *e, const zl_wanted *w)
{
    *e = (exchange){.w = w, .by = w->map.constant & w->lanes};
    e->always = e->by;
    for (unsigned k = 0; k < w->bits; k++) {
        uint64_t moved = (w->map.basis[k] ^ (uint64_t)1 << k) & w->lanes;
        if (w->inner >> k & 1) moved = w->map.basis[k] & w->lanes;
        if (moved && e->by && moved != e->by) return false;
        e->by |= moved;
        if (moved) e->form |= (uint64_t)1 << k;
    }
    return e->form;
}

static uint64_t column(const exchange *e, unsigned k)
{
    return e->w->map.basis[k] ^ (e->form >> k & 1 ? e->z : 0);
}

static bool keeps_inner(const exchange *e)
{
    zl_space s;
    s.pivots = 0;
    for (uint64_t left = e->w->inner; left; left &= left - 1)
        if (!zl_space_put(&s, column(e, (unsigned)__builtin_ctzll(left)) & e->w->inner))
            return false;
    return true;
}

static unsigned selects(const exchange *e)
{
    zl_space s;
    s.pivots = 0;
    for (uint64_t left = e->w->plane; left; left &= left - 1)
        zl_space_put(&s, column(e, (unsigned)__builtin_ctzll(left)) & e->w->regs);
    return zl_space_rank(&s);
}

/* A vector z changes the rank by one at most. */
static void least_z(exchange *e)
{
    uint64_t best = 0;
    e->z = 0;
    unsigned plain = selects(e), bound = plain ? plain - 1 : 0;
    e->selects = UINT32_MAX;
    for (e->z = 0; e->z <= e->w->inner && e->selects > bound; e->z++) {
        unsigned now = selects(e);
        if (now >= e->selects || !keeps_inner(e)) continue;
        e->selects = now;
        best = e->z;
    }
    e->z = best;
}

void zl_transvection(zl_affine *out, unsigned bits, uint64_t by, uint64_t form, bool always)
{
    zl_map_same(out, bits);
    for (unsigned k = 0; k < bits; k++)
        if (form >> k & 1) out->basis[k] ^= by;
    out->constant = always ? by : 0;
}

/* The inner part x of w: A x = z + B u with A, B the columns that have z. */
static uint64_t inner_part(const exchange *e)
{
    zl_affine a, back;
    uint64_t goal = e->z;
    zl_map_same(&a, e->w->bits);
    for (unsigned k = 0; k < e->w->bits; k++) {
        if (e->w->inner >> k & 1) a.basis[k] = column(e, k) & e->w->inner;
        else if (e->by >> k & 1) goal ^= column(e, k) & e->w->inner;
    }
    zl_map_invert(&back, &a);
    return zl_xor_of(back.basis, goal);
}

bool zl_exchange_put(zl_word *word, uint32_t *least, const zl_wanted *w)
{
    exchange e;
    zl_affine map, back, rest, rest_back;
    uint32_t regs = 1u << w->slots.reg;
    if (!one_mask(&e, w)) return false;
    unsigned none = selects(&e);
    if ((2 + (none ? none - 1 : 0)) * regs >= *least) return false;
    least_z(&e);
    *least = regs * (2 + e.selects);
    zl_transvection(&map, w->bits, e.by | inner_part(&e), e.form, e.always);
    if (!zl_map_invert(&back, &map)) return false;
    zl_map_product(&rest, &w->map, &back);
    zl_map_product(&rest_back, &map, &w->inverse);
    return zl_word_put_known(word, w, ZL_STEP_EXCHANGE, &map, &back) &&
           zl_inner_put_known(word, w, &rest, &rest_back);
}

/* ---- movmatrix ---------------------------------------------------------------------------- */

/* Row i and column j of an 8 x 8 matrix change places; row i is in lanes 4 i to 4 i + 3, and a
 * register has two columns. */
static bool matrix_of(zl_affine *out, const zl_wanted *w)
{
    unsigned low = w->slots.byte + w->slots.reg, half = w->slots.byte - 1;
    const unsigned pair[3][2] = {{half, low + 2}, {low, low + 3}, {low + 1, low + 4}};
    if (!w->slots.byte || w->slots.lane != 5) return false;
    zl_map_same(out, w->bits);
    for (int i = 0; i < 3; i++) {
        out->basis[pair[i][0]] = (uint64_t)1 << pair[i][1];
        out->basis[pair[i][1]] = (uint64_t)1 << pair[i][0];
    }
    return true;
}

bool zl_matrix_put(zl_word *word, const zl_wanted *w, bool after)
{
    zl_affine matrix, rest;
    if (!matrix_of(&matrix, w)) return false;
    if (after) zl_map_product(&rest, &matrix, &w->map);
    else zl_map_product(&rest, &w->map, &matrix);
    if (!zl_map_stays(w, &rest)) return false;
    if (after)
        return zl_inner_put(word, w, &rest) && zl_word_put(word, w, ZL_STEP_MATRIX, &matrix);
    return zl_word_put(word, w, ZL_STEP_MATRIX, &matrix) && zl_inner_put(word, w, &rest);
}

bool zl_matrix_may(const zl_wanted *w)
{
    zl_affine matrix;
    if (!matrix_of(&matrix, w)) return false;
    uint64_t row = (uint64_t)1 << (w->slots.byte + w->slots.reg + 2), moved = 0;
    for (uint64_t left = w->inner; left; left &= left - 1)
        moved |= w->map.basis[__builtin_ctzll(left)];
    if (!(moved & row)) return false;
    for (uint64_t left = w->lanes; left; left &= left - 1)
        moved |= w->map.basis[__builtin_ctzll(left)] ^ matrix.basis[__builtin_ctzll(left)];
    return !(moved & w->lanes & ~row);
}

static bool bytes_stay(const zl_wanted *w, const zl_affine *map)
{
    uint64_t moved = 0;
    for (uint64_t left = w->bytes; left; left &= left - 1)
        moved |= map->basis[__builtin_ctzll(left)];
    return !(moved & w->lanes);
}

/* Selects that a movmatrix needs beside it. Bits that stay inner are those where the matrix's
 * byte bit is 0, which is not enough for all bytes. Where bytes stay inner, one of them is in a
 * register before; and one is behind, where they come from inner bits. */
unsigned zl_matrix_selects(const zl_wanted *w)
{
    return (unsigned)bytes_stay(w, &w->map) + bytes_stay(w, &w->inverse);
}

/* Whether a movmatrix can be part of a word. Where a lane has two registers, every round except a
 * movmatrix lowers the rank by one, so the movmatrix has to bring an inner bit to its row or take
 * one from there. */
bool zl_matrix_reaches(const zl_wanted *w)
{
    zl_affine matrix;
    if (!matrix_of(&matrix, w)) return false;
    uint64_t row = (uint64_t)1 << (w->slots.byte + w->slots.reg + 2), moved = 0;
    for (uint64_t left = w->inner; left; left &= left - 1) {
        int k = __builtin_ctzll(left);
        moved |= w->map.basis[k] | w->inverse.basis[k];
    }
    return moved & row;
}
