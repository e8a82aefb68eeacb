/* SPDX-License-Identifier: Apache-2.0 */
/* From a layout to its table of values, and from a table to the cheapest layout that has it: the
 * exact method of every operation on every kind, up to limits.points. */
#ifndef ZL_ALGEBRA_FIND_TABLE_H
#define ZL_ALGEBRA_FIND_TABLE_H

#include "algebra/layout/function.h"
#include "algebra/layout/table.h"

/* All values of a layout. */
zlay_status zl_table_of(zlay_ctx *ctx, zl_table *out, const zlay_layout *a);

/* Values that are asked one by one: those of many pieces come from a table, up to limits.points,
 * for each point would look through the pieces; those of others from zl_value. */
typedef struct zl_value_reader {
    const zlay_layout *a;
    zl_table t; /* empty: not used */
} zl_value_reader;

zlay_status zl_reader_begin(zlay_ctx *ctx, zl_value_reader *out, const zlay_layout *a);
void zl_reader_end(zl_value_reader *r);

/* Counts the values of a loop over indices i in limits.work, a block at a time. */
static inline zlay_status zl_reader_charge(zlay_ctx *ctx, const zl_value_reader *r, uint64_t i)
{
    enum { BLOCK = 1024 };
    if (!r->t.value) return zl_charge_block(ctx, r->a, i);
    return i % BLOCK ? ZLAY_OK : zl_charge(ctx, r->a->size - i < BLOCK ? r->a->size - i : BLOCK);
}

static inline bool zl_reader_value(const zl_value_reader *r, uint64_t index, int64_t *out)
{
    if (!r->t.value) return zl_value(r->a, index, out);
    *out = r->t.value[index];
    return r->t.there[index];
}

/* The first form that equals the table on the box: strided, swizzled, f2, modular, pieces.
 * `names`: a layout whose input dimensions name those of an f2 result, or NULL; `outs` output
 * dimensions to keep, or NULL for one integer.  ELIMIT when no form within limits.pieces is found.
 */
zlay_status zl_cheapest(zlay_ctx *ctx, zlay_layout **out, const zl_table *t, const zl_modes *box,
                        const zlay_layout *names, const zl_f2 *outs);

/* The same on one mode, with one integer as its value. */
zlay_status zl_cheapest_line(zlay_ctx *ctx, zlay_layout **out, const zl_table *t);

/* The same without pieces: ZLAY_NONE where nothing cheaper equals the table. */
zlay_status zl_cheaper(zlay_ctx *ctx, zlay_layout **out, const zl_table *t, const zl_modes *box,
                       const zlay_layout *names, const zl_f2 *outs);

/* Replace pieces that equal the table by fewer ones, where some are found; ZLAY_NONE when done. */
zlay_status zl_fewer_pieces(zlay_layout **made, const zl_table *t, const zl_modes *box,
                            const zl_f2 *outs);

/* Methods of zl_cheapest in their own files; ZLAY_NONE where a table has no such form. */
zlay_status zl_find_modular(zlay_ctx *ctx, zlay_layout **out, const zl_function *f,
                            const zl_modes *box, const zlay_layout *names, const zl_f2 *outs);
zlay_status zl_find_pieces(zlay_ctx *ctx, zlay_layout **out, const zl_table *t,
                           const zl_modes *box, const zl_f2 *outs);

#endif
