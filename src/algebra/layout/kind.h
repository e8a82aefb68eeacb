/* SPDX-License-Identifier: Apache-2.0 */
/* What a kind of layouts does by itself, one row a kind: no other file asks for the kind. */
#ifndef ZL_ALGEBRA_KIND_H
#define ZL_ALGEBRA_KIND_H

#include "algebra/presburger/draft.h"
#include "algebra/layout/layout.h"

typedef struct zl_kind {
    bool (*value)(const zlay_layout *a, uint64_t index, int64_t *out); /* NULL: `at` is total */
    int64_t (*at)(const zlay_layout *a, uint64_t index);
    zlay_status (*tuple)(const zlay_layout *a, uint64_t index, int64_t *values);
    bool (*at_integer)(const zlay_layout *a, int64_t value, int64_t *out);
    bool (*affine)(zl_affine *out, const zlay_layout *a);
    bool (*affine_of_integers)(zl_affine *out, const zlay_layout *a, unsigned bits);
    zlay_status (*box)(zl_modes *box, const zlay_layout *a);
    zlay_status (*copy)(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a);
    void (*print)(zl_text *out, const zlay_layout *a);
    zlay_status (*walk)(zl_draft *d, const zlay_layout *a, const zl_form *at, size_t count,
                        zl_visit *visit, void *env);
} zl_kind;

const zl_kind *zl_kind_of(const zlay_layout *a);

/* eval.c, affine.c, layout.c, print.c, f2.c, modular.c, pieces.c, symbol.c */
int64_t zl_modular_at(const zlay_layout *a, uint64_t index);
zlay_status zl_modular_tuple(const zlay_layout *a, uint64_t index, int64_t *values);
bool zl_modular_at_integer(const zlay_layout *a, int64_t value, int64_t *out);
bool zl_modular_affine(zl_affine *out, const zlay_layout *a);
bool zl_modular_affine_of_integers(zl_affine *out, const zlay_layout *a, unsigned bits);
bool zl_symbols_value(const zlay_layout *a, uint64_t index, int64_t *out);
int64_t zl_symbols_at(const zlay_layout *a, uint64_t index);
zlay_status zl_symbols_tuple(const zlay_layout *a, uint64_t index, int64_t *values);
bool zl_symbols_at_integer(const zlay_layout *a, int64_t value, int64_t *out);
bool zl_symbols_affine(zl_affine *out, const zlay_layout *a);
bool zl_symbols_affine_of_integers(zl_affine *out, const zlay_layout *a, unsigned bits);
zlay_status zl_symbols_box(zl_modes *box, const zlay_layout *a);
zlay_status zl_symbols_copy(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a);
void zl_symbols_print(zl_text *out, const zlay_layout *a);
zlay_status zl_symbols_walk(zl_draft *d, const zlay_layout *a, const zl_form *at, size_t count,
                            zl_visit *visit, void *env);
bool zl_pieces_value(const zlay_layout *a, uint64_t index, int64_t *out);
int64_t zl_pieces_flat_at(const zlay_layout *a, uint64_t index);
zlay_status zl_strided_tuple(const zlay_layout *a, uint64_t index, int64_t *values);
zlay_status zl_f2_tuple(const zlay_layout *a, uint64_t index, int64_t *values);
zlay_status zl_pieces_tuple(const zlay_layout *a, uint64_t index, int64_t *values);
bool zl_pieces_at_integer(const zlay_layout *a, int64_t value, int64_t *out);
bool zl_pieces_affine(zl_affine *out, const zlay_layout *a);
bool zl_pieces_affine_of_integers(zl_affine *out, const zlay_layout *a, unsigned bits);
zlay_status zl_pieces_box(zl_modes *box, const zlay_layout *a);
zlay_status zl_pieces_copy(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a);
void zl_pieces_print(zl_text *out, const zlay_layout *a);
int64_t zl_strided_at(const zlay_layout *a, uint64_t index);
int64_t zl_f2_at(const zlay_layout *a, uint64_t index);
bool zl_strided_at_integer(const zlay_layout *a, int64_t value, int64_t *out);
bool zl_f2_at_integer(const zlay_layout *a, int64_t value, int64_t *out);
bool zl_strided_affine(zl_affine *out, const zlay_layout *a);
bool zl_f2_affine(zl_affine *out, const zlay_layout *a);
bool zl_strided_affine_of_integers(zl_affine *out, const zlay_layout *a, unsigned bits);
bool zl_f2_affine_of_integers(zl_affine *out, const zlay_layout *a, unsigned bits);
zlay_status zl_strided_box(zl_modes *box, const zlay_layout *a);
zlay_status zl_f2_box(zl_modes *box, const zlay_layout *a);
zlay_status zl_strided_copy(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a);
zlay_status zl_f2_copy(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a);
void zl_strided_print(zl_text *out, const zlay_layout *a);
void zl_f2_print(zl_text *out, const zlay_layout *a);

/* apply.c, apply_bits.c */
zlay_status zl_strided_walk(zl_draft *d, const zlay_layout *a, const zl_form *at, size_t count,
                            zl_visit *visit, void *env);
zlay_status zl_f2_walk(zl_draft *d, const zlay_layout *a, const zl_form *at, size_t count,
                       zl_visit *visit, void *env);
zlay_status zl_pieces_walk(zl_draft *d, const zlay_layout *a, const zl_form *at, size_t count,
                           zl_visit *visit, void *env);

#endif
