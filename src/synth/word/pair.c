/* SPDX-License-Identifier: Apache-2.0 */
/* Enumerates first rounds that lower the rank of lane <- byte by one, pair by pair of vectors (k,
 * k'). peel.c explains which pairs are enough. */
#include "synth/word/round.h"

enum { FORMS = 5 };

static bool odd(uint64_t x) { return __builtin_parityll(x); }

/* Finds a sum of some functionals that is 1 at both vectors; 0: there is none. */
static uint64_t one_at(const uint64_t *form, unsigned count, uint64_t k, uint64_t other)
{
    uint64_t a = 0, b = 0;
    for (unsigned i = 0; i < count; i++) {
        bool x = odd(form[i] & k), y = odd(form[i] & other);
        if (x && y) return form[i];
        if (x) a = form[i];
        if (y) b = form[i];
    }
    return a && b ? a ^ b : 0;
}

/* Lists functionals by `which`: those that are 0 on B, on R^-1 B, on what both have, on the
 * vectors that keep their lane, or all. */
static unsigned forms_of(uint64_t *out, const zl_wanted *w, unsigned which)
{
    uint64_t sum = 0;
    unsigned count = 0;
    for (uint64_t left = w->regs; left && which < 3; left &= left - 1) {
        uint64_t own = left & (0 - left);
        uint64_t then = zl_affine_row(&w->map, (unsigned)__builtin_ctzll(left));
        out[count++] = which ? then : own;
        sum ^= own ^ then;
    }
    for (uint64_t left = w->lanes; left && which == 3; left &= left - 1)
        out[count++] =
            zl_affine_row(&w->map, (unsigned)__builtin_ctzll(left)) ^ (left & (0 - left));
    for (unsigned k = 0; k < w->bits && which == 4; k++) out[count++] = (uint64_t)1 << k;
    if (which != 2) return count;
    out[0] = sum;
    return 1;
}

bool zl_pair_at(zl_word_pair *out, const zl_wanted *w, unsigned i, bool *past)
{
    uint64_t form[ZL_SLOT_BITS];
    unsigned which = i % FORMS, vectors = (unsigned)w->inner;
    uint64_t k = 1 + i / FORMS % vectors, to = 1 + i / FORMS / vectors;
    *past = to > w->inner;
    if (*past) return false;
    uint64_t other = zl_xor_of(w->inverse.basis, to);
    if (!(other & w->lanes) || !(zl_xor_of(w->map.basis, k) & w->lanes)) return false;
    unsigned count = forms_of(form, w, which);
    out->by = k ^ other;
    out->form = one_at(form, count, k, other);
    return out->form;
}

void zl_pair_map(zl_affine *out, const zl_wanted *w, const zl_word_pair *pair)
{
    zl_transvection(out, w->bits, pair->by, pair->form, false);
}
