/* SPDX-License-Identifier: Apache-2.0 */
/* F2 layouts inside: their text, forms that are being made, elimination.
 *
 * A value is packed: each output has bits of its own, those of the first lowest, and an output
 * whose size is no power of two as many as its greatest value needs.  Where all sizes are powers of
 * two, packed and flat values are the same. */
#ifndef ZL_ALGEBRA_F2_H
#define ZL_ALGEBRA_F2_H

#include "base/scan.h"
#include "algebra/layout/layout.h"

#include <zlay/f2.h>

/* What follows the word f2. */
zlay_status zl_f2_parse(zl_cursor *c, zlay_layout **out);

/* A layout of kind f2, or modular where an output's size is no power of two. */
zlay_status zl_layout_f2(zlay_ctx *ctx, zlay_layout **out, const zl_f2 *f2);
void zl_f2_print(zl_text *out, const zlay_layout *a);

/* ---- bits -------------------------------------------------------------------------- */

/* Shifts of 64 are 0: a dimension of no bits may stand behind all of them. */
static inline uint64_t zl_left(uint64_t value, unsigned n) { return n < 64 ? value << n : 0; }
static inline uint64_t zl_right(uint64_t value, unsigned n) { return n < 64 ? value >> n : 0; }
static inline uint64_t zl_ones(unsigned n) { return n < 64 ? ((uint64_t)1 << n) - 1 : UINT64_MAX; }

static inline uint64_t zl_field(uint64_t value, unsigned low, unsigned bits)
{
    return zl_right(value, low) & zl_ones(bits);
}

/* The size of a dimension; 0: 2^64. */
static inline uint64_t zl_dim_size(const zl_dim *dim)
{
    return dim->size ? dim->size : zl_left(1, dim->bits);
}

/* Does some output have a size that is no power of two?  Without one, flat values are bits of the
 * outputs.  `outs` may be NULL. */
static inline bool zl_has_modulus(const zl_f2 *outs)
{
    for (size_t i = 0; outs && i < outs->outs; i++)
        if (outs->out[i].size) return true;
    return false;
}

/* ---- forms: an F2 layout that is being made ------------------------------------------ */

enum { ZL_F2_DIMS = 64 }; /* inputs at most, and outputs */

typedef struct zl_f2_form {
    zlay_ctx *ctx;
    size_t ins, outs;
    unsigned bits, reach; /* of the inputs; of the outputs */
    zl_dim in[ZL_F2_DIMS], out[ZL_F2_DIMS];
    uint64_t basis[64];
} zl_f2_form;

void zl_f2_form_begin(zl_f2_form *f, zlay_ctx *ctx);

/* Add a dimension: EINVAL its name is there already, EOVERFLOW more than 64 bits, ELIMIT.  The
 * bases of an input are the caller's to write, from `bits` before the call on. */
zlay_status zl_f2_form_in(zl_f2_form *f, const zl_dim *dim);
zlay_status zl_f2_form_out(zl_f2_form *f, const zl_dim *dim);
zlay_status zl_f2_form_ins(zl_f2_form *f, const zl_f2 *a);
zlay_status zl_f2_form_outs(zl_f2_form *f, const zl_f2 *a);
zlay_status zl_f2_form_end(const zl_f2_form *f, zlay_layout **out);

/* The index of a name; `count` where it is none. */
size_t zl_dim_find(const zl_dim *dim, size_t count, const char *name);

static inline unsigned zl_dim_low(const zl_dim *dim, size_t i) { return zl_dim_bits(dim, i); }

/* A dimension of a checked name and a size, 0 meaning 2^64: EINVAL. */
zlay_status zl_dim_of(zlay_ctx *ctx, zl_dim *out, const zlay_dim *dim);
zlay_status zl_dim_in_of(zlay_ctx *ctx, zl_dim *out, const zlay_dim *dim);
void zl_dim_sized(zl_dim *out, uint64_t size);

/* ---- fields put in another order ------------------------------------------------------ */

/* `to` in terms of `from`: `names` as many, each found once: EINVAL. */
typedef struct zl_dim_order {
    size_t count;
    bool same; /* values stay as they are */
    unsigned low[ZL_F2_DIMS], bits[ZL_F2_DIMS], to[ZL_F2_DIMS], room[ZL_F2_DIMS];
} zl_dim_order;

/* Fields of `from`, found by name in `to`.  EINVAL unless the names are the same set. */
zlay_status zl_order_of(zlay_ctx *ctx, zl_dim_order *out, const zl_dim *from, size_t from_count,
                        const zl_dim *to, size_t to_count);

/* False when a field does not fit its place. */
bool zl_order_apply(const zl_dim_order *o, uint64_t value, uint64_t *out);

/* ---- elimination ------------------------------------------------------------------------ */

/* Gauss-Jordan over words: value[p] has bit p and no other pivot's bit, and is the XOR of the bases
 * of sources[p].  Bases that depend on those before them are left out, so a solution has 0 in every
 * free variable. */
typedef struct zl_echelon {
    uint64_t pivots, value[64], sources[64];
} zl_echelon;

bool zl_echelon_put(zl_echelon *e, uint64_t value, unsigned source);

/* What is left of a value; 0: it is the XOR of the bases of `sources`. */
uint64_t zl_echelon_reduce(const zl_echelon *e, uint64_t value, uint64_t *sources);

/* All bases in order; the mask of those that are free. */
uint64_t zl_echelon_of(zl_echelon *e, const zl_f2 *a);

/* ---- operations on what was checked ------------------------------------------------------- */

/* `layout` is f2: EINVAL for NULL, another kind, and modular unless allowed. */
zlay_status zl_f2_check(zlay_ctx *ctx, const zlay_layout *layout, const char *what, bool modular);

/* ZLAY_NONE about a value, written as a coordinate of the outputs. */
zlay_status zl_f2_none(zlay_ctx *ctx, const zl_f2 *a, uint64_t value, const char *format, ...)
    ZL_PRINTF(4, 5);

/* Public calls as parts of a call (zl_enter_part). */
zlay_status zl_f2_new(zlay_ctx *ctx, zlay_layout **out, const zlay_f2_bases *bases);
zlay_status zl_f2_transpose_ins(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                const char *const *names, size_t count);
zlay_status zl_f2_sublayout(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                            const char *const *ins, size_t in_count, const char *const *outs,
                            size_t out_count);
zlay_status zl_f2_composition(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *outer,
                              const zlay_layout *inner);
zlay_status zl_f2_lstsq(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                        const zlay_layout *b);

#endif
