/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces that are an affine map over F2, whatever the size of the box.
 *
 * A value is written as K + the sum of t b over parities b of some input bits.  Different parities
 * are linearly independent as functions (they are characters, 1 - 2 b), so a function has one such
 * sum, and comparing sums decides.  The variables: a coordinate has its bits; floor(x / 2^k) of an
 * affine x is a shift; and floor(s / 2) of another s, as the carry of an XOR, stands in a row as -2
 * c floor(s / 2) = c (s mod 2) - c s, where s mod 2 is a parity.  A row with another division is
 * not known: a yes is proved, a no says nothing. */
#include "algebra/presburger/pieces.h"

enum { VARIABLES = 96, TERMS = 512, BITS = 62 };

typedef struct term {
    uint64_t mask; /* of input bits, whose parity it is */
    int64_t times;
} term;

typedef struct sum {
    int64_t constant;
    size_t count;
    term at[TERMS];
} sum;

enum { OTHER, WORD, CARRY };

typedef struct variable {
    int kind;
    zl_affine word;     /* of a carry: s mod 2 */
    const int64_t *row; /* of a carry: s */
} variable;

typedef struct reading {
    const zl_pieces *p;
    unsigned bits;
    variable at[VARIABLES];
} reading;

/* ---- sums of parities ------------------------------------------------------------------ */

static bool add_parity(sum *s, uint64_t mask, int64_t times)
{
    if (!mask) return true;
    for (size_t i = 0; i < s->count; i++)
        if (s->at[i].mask == mask) return zl_add(s->at[i].times, times, &s->at[i].times);
    if (s->count == TERMS) return false;
    s->at[s->count++] = (term){mask, times};
    return true;
}

/* A bit with a constant is 1 less its parity. */
static bool add_word(sum *s, const zl_affine *w, int64_t times)
{
    uint64_t support = zl_affine_support(w);
    int64_t here, minus;
    for (; support; support &= support - 1) {
        unsigned bit = (unsigned)__builtin_ctzll(support);
        bool set = w->constant >> bit & 1;
        if (bit > BITS || !zl_mul(times, (int64_t)1 << bit, &here) || !zl_sub(0, here, &minus))
            return false;
        if (set && !zl_add(s->constant, here, &s->constant)) return false;
        if (!add_parity(s, zl_affine_row(w, bit), set ? minus : here)) return false;
    }
    return true;
}

static bool at_bit(const sum *s, unsigned k, int64_t *value)
{
    *value = s->constant;
    for (size_t i = 0; i < s->count; i++)
        if (s->at[i].mask >> k & 1 && !zl_add(*value, s->at[i].times, value)) return false;
    return *value >= 0 && *value >> BITS == 0;
}

static bool is_zero(const sum *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->at[i].times) return false;
    return !s->constant;
}

/* The affine map with the same values at 0 and the powers of two, if it is the same function. */
static bool word_of(zl_affine *out, sum *s, unsigned bits)
{
    int64_t value;
    if (s->constant < 0 || s->constant >> BITS) return false;
    out->bits = bits;
    out->constant = (uint64_t)s->constant;
    for (unsigned k = 0; k < bits; k++) {
        if (!at_bit(s, k, &value)) return false;
        out->basis[k] = (uint64_t)value ^ out->constant;
    }
    return add_word(s, out, -1) && is_zero(s);
}

/* ---- rows --------------------------------------------------------------------------------- */

/* times * row, where every variable is a word. */
static bool add_words(const reading *r, sum *s, const int64_t *row, int64_t times)
{
    int64_t factor;
    if (!zl_mul(times, row[0], &factor) || !zl_add(s->constant, factor, &s->constant)) return false;
    for (size_t v = 0; v + 1 < zl_pieces_width(r->p); v++) {
        if (!row[1 + v]) continue;
        if (r->at[v].kind != WORD || !zl_mul(times, row[1 + v], &factor)) return false;
        if (!add_word(s, &r->at[v].word, factor)) return false;
    }
    return true;
}

static bool add_carry(const reading *r, sum *s, const variable *v, int64_t times)
{
    int64_t c = -(times / 2);
    return times % 2 == 0 && add_word(s, &v->word, c) && add_words(r, s, v->row, -c);
}

static bool row_word(const reading *r, const int64_t *row, zl_affine *out)
{
    sum s = {.constant = row[0]};
    for (size_t v = 0; v + 1 < zl_pieces_width(r->p); v++) {
        const variable *x = &r->at[v];
        if (!row[1 + v]) continue;
        if (x->kind == OTHER) return false;
        if (x->kind == WORD ? !add_word(&s, &x->word, row[1 + v])
                            : !add_carry(r, &s, x, row[1 + v]))
            return false;
    }
    return word_of(out, &s, r->bits);
}

/* ---- variables ----------------------------------------------------------------------------- */

static bool parity(const reading *r, const int64_t *row, zl_affine *out)
{
    *out = (zl_affine){.bits = r->bits, .constant = (uint64_t)row[0] & 1};
    for (size_t v = 0; v + 1 < zl_pieces_width(r->p); v++) {
        const zl_affine *x = &r->at[v].word;
        if (!row[1 + v]) continue;
        if (r->at[v].kind != WORD) return false;
        if (row[1 + v] % 2 == 0) continue;
        out->constant ^= x->constant & 1;
        for (unsigned k = 0; k < r->bits; k++) out->basis[k] ^= x->basis[k] & 1;
    }
    return true;
}

static void shift(zl_affine *w, int64_t den)
{
    int by = __builtin_ctzll((uint64_t)den);
    w->constant >>= by;
    for (unsigned k = 0; k < w->bits; k++) w->basis[k] >>= by;
}

static void read_division(reading *r, size_t q)
{
    const zl_pieces *p = r->p;
    variable *v = &r->at[p->dims + q];
    v->row = p->div + q * zl_pieces_width(p);
    v->kind = OTHER;
    if (p->den[q] & (p->den[q] - 1)) return;
    if (row_word(r, v->row, &v->word)) {
        shift(&v->word, p->den[q]);
        v->kind = WORD;
    } else if (p->den[q] == 2 && parity(r, v->row, &v->word)) {
        v->kind = CARRY;
    }
}

static bool read_dimensions(reading *r, uint64_t size)
{
    unsigned low = 0;
    r->bits = 0;
    if (!size || size & (size - 1) || size >> BITS) return false;
    r->bits = (unsigned)__builtin_ctzll(size);
    for (size_t i = 0; i < r->p->dims; i++) {
        uint64_t extent = r->p->extent[i];
        variable *v = &r->at[i];
        if (extent & (extent - 1)) return false;
        *v = (variable){.kind = WORD, .word = {.bits = r->bits}};
        for (uint64_t bit = 1; bit < extent; bit <<= 1) v->word.basis[low++] = bit;
    }
    return true;
}

static bool fits(const zl_pieces *p)
{
    if (p->params || p->count != 1 || p->piece[0].equals || p->piece[0].leasts) return false;
    for (size_t i = 0; i < p->outs && p->outs > 1; i++)
        if (!p->out_size[i] || p->out_size[i] & (p->out_size[i] - 1)) return false;
    return p->dims + p->divs <= VARIABLES;
}

/* Outputs side by side, the first in the low bits; no value beyond its size. */
static bool join(zl_affine *out, const zl_affine *word, unsigned low, unsigned width)
{
    if (zl_affine_support(word) >> width || low + width > BITS) return false;
    out->constant |= word->constant << low;
    for (unsigned k = 0; k < out->bits; k++) out->basis[k] |= word->basis[k] << low;
    return true;
}

bool zl_pieces_affine(zl_affine *out, const zlay_layout *a)
{
    const zl_pieces *p = &a->pieces;
    reading r = {.p = p};
    zl_affine word;
    unsigned low = 0;
    if (a->partial || !fits(p) || !read_dimensions(&r, a->size)) return false;
    for (size_t q = 0; q < p->divs; q++) read_division(&r, q);
    *out = (zl_affine){.bits = r.bits};
    for (size_t i = 0; i < p->outs; i++) {
        unsigned width = p->outs > 1 ? (unsigned)__builtin_ctzll(p->out_size[i]) : BITS;
        if (!row_word(&r, p->piece[0].value + i * zl_pieces_width(p), &word)) return false;
        if (!join(out, &word, low, width)) return false;
        low += width;
    }
    return true;
}
