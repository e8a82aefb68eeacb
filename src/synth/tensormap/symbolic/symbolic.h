/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles of a source whose extents and strides are products of unknowns.
 *
 * The request is answered for one *sample* of the unknowns: large numbers that
 * share no factor by chance. The strides, extents and address of the answer
 * are read back as numbers times products that occur in the source. What is
 * read is a guess until it is proved: for every cell of the tile, the element
 * that the copies move and the element that the request names are equal as
 * polynomials in the unknowns. Conditions of the rules that the facts do not
 * imply become the guard. */
#ifndef ZL_SYNTH_TENSORMAP_SYMBOLIC_H
#define ZL_SYNTH_TENSORMAP_SYMBOLIC_H

#include "algebra/symbolic/symbol.h"
#include "synth/tensormap/tensormap.h"

enum { ZL_TM_PRODUCTS = 32, ZL_TM_NUMBER = 0, ZL_TM_NO_LEAF = -1 };

/* Bytes as numbers times products of names; product ZL_TM_NUMBER is 1. */
typedef struct zl_tm_sum {
    int64_t of[ZL_TM_PRODUCTS];
} zl_tm_sum;

/* Adds a sum so many times; false: it passes 64 bits. */
bool zl_tm_sum_add(zl_tm_sum *sum, const zl_tm_sum *step, int64_t times);

/* What was read of a map. An extent is a number, or times / part of a leaf's
 * extent, where `times` or `part` is 1. */
typedef struct zl_tm_read {
    zl_tm_sum address;
    uint32_t product[ZL_TM_RANK]; /* of each stride */
    int64_t factor[ZL_TM_RANK];
    int32_t leaf[ZL_TM_RANK];     /* of each extent; ZL_TM_NO_LEAF: a number */
    int64_t times[ZL_TM_RANK], part[ZL_TM_RANK];
} zl_tm_read;

typedef struct zl_tm_symbolic {
    zlay_ctx *ctx;
    const zlay_target *target;
    zlay_tensormap_request request; /* with the source under its facts */
    uint32_t element;               /* bytes */
    zl_symbols *s;
    int64_t value[ZL_SYMBOLS_MOST]; /* the sample */
    uint32_t products;
    zl_monomial product[ZL_TM_PRODUCTS]; /* of factor 1 */
    int64_t worth[ZL_TM_PRODUCTS];       /* in the sample */
    zl_tm_sum step[ZL_SYMBOL_LEAVES], offset; /* of the source, in bytes */
    zlay_move *move;
    zl_tm_read *read;               /* one for each map */
} zl_tm_symbolic;

/* Rewrites pieces with parameters as extents and strides; ZLAY_ENOTSUP: they
 * have another form. */
zlay_status zl_tm_affine(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a);

/* Chooses the sample; false: there are no numbers of 62 bits. A loose sample
 * ignores the facts, so that no tile ends where the tensor does, and its copies
 * handle every edge. */
bool zl_tm_sample(zl_tm_symbolic *g, bool loose);

/* The value of a monomial in the sample; false: it passes 63 bits. */
bool zl_tm_monomial_at(int64_t *out, const zl_tm_symbolic *g, const zl_monomial *m);

/* Reads the maps of the sample's move back; ZLAY_ELIMIT: they have another
 * form. */
zlay_status zl_tm_read_maps(zl_tm_symbolic *g);

/* Proves that the maps do what the request says for all values of the names;
 * ZLAY_ELIMIT: not proved. */
zlay_status zl_tm_prove(const zl_tm_symbolic *g);

/* ZLAY_NONE: it is proved that no values which the facts allow have any copies.
 * ZLAY_ELIMIT: not proved; the message stays as it was. */
zlay_status zl_tm_never(const zl_tm_symbolic *g);

/* Puts the texts, the guard and the certificate into the move. */
zlay_status zl_tm_put_texts(zl_tm_symbolic *g);
zlay_status zl_tm_put_guard(zl_tm_symbolic *g);
zlay_status zl_tm_put_certificate(zl_tm_symbolic *g);

/* A guard under construction. */
enum { ZL_TM_GUARD = 4096, ZL_TM_TEXT = 512 };

typedef struct zl_tm_guard {
    char text[ZL_TM_GUARD];
    size_t length;
} zl_tm_guard;

/* Adds a condition unless the guard has it; false: there is no room. Then
 * zl_tm_guard_full makes the status. */
bool zl_tm_guard_add(zl_tm_guard *to, const char *text);
zlay_status zl_tm_guard_full(const zl_tm_symbolic *g);

/* Adds what the extents must satisfy so that the copies' coordinates are legal
 * in every tile. */
zlay_status zl_tm_guard_copies(zl_tm_guard *to, const zl_tm_symbolic *g);

/* Replaces whole words; false: there is no room. */
bool zl_tm_replace(char *out, size_t room, const char *text, const char *word, const char *by);

/* Makes facts from ranges of names. */
zlay_status zl_tm_facts(zlay_ctx *ctx, zlay_facts **out, size_t count, const char *const *name,
                        const zlay_range *range);

/* Puts a condition before the guard of a move. */
zlay_status zl_tm_guard_case(zlay_ctx *ctx, zlay_move *move, const char *condition);

/* zl_tm_never for a request whose source is under its facts. */
zlay_status zl_tm_never_of(zlay_ctx *ctx, const zlay_target *target,
                           const zlay_tensormap_request *request);

/* Cells of the tile along a leaf that are inside the tensor for some values. */
uint64_t zl_tm_cells_inside(const zl_tm_symbolic *g, uint32_t leaf);

/* Whether the facts allow at most one tile along a leaf. */
bool zl_tm_one_tile(const zl_tm_symbolic *g, uint32_t leaf);

/* Where the copies take the first cell from, and what the next cell and the
 * next tile along each leaf add. */
zlay_status zl_tm_moved(zl_tm_sum *offset, zl_tm_sum *step, zl_tm_sum *next,
                        const zl_tm_symbolic *g);

/* Plans a request without unknowns; modes in the mask `own` move dimensions
 * that no other mode moves. */
zlay_status zl_tm_synth(zlay_ctx *ctx, zlay_move **out, const zlay_target *target,
                        const zlay_tensormap_request *request, uint64_t own);

/* A cell of the tile. */
typedef struct zl_tm_cell {
    const zl_tm_symbolic *g;
    uint64_t index;
    int64_t at[ZL_SYMBOL_LEAVES]; /* its coordinate */
    int64_t place;                /* in shared memory, bytes */
} zl_tm_cell;

bool zl_tm_cell_at(zl_tm_cell *c, uint64_t index);
bool zl_tm_outside(const zl_tm_cell *c); /* no numbers put it inside the tensor */

/* The coordinates in its map from which a copy takes a cell, and the byte in
 * that element; false: the copy does not bring the cell. */
bool zl_tm_brought(int64_t at[ZL_TM_RANK], int64_t *within, const zl_tm_cell *c,
                   const zlay_copy *copy);

/* Whether a copy brings the element that the request names or, where there is
 * no element, the fill. */
bool zl_tm_proved_by(const zl_tm_cell *c, const zlay_copy *copy);

/* The same for all cells at once; false: not proved. */
bool zl_tm_prove_digits(const zl_tm_symbolic *g);

/* Plans a request whose source is under its facts, for all values that they
 * allow. */
zlay_status zl_tm_synth_known(zlay_ctx *ctx, zlay_move **out, const zlay_target *target,
                              const zlay_tensormap_request *request);

/* The same for some of these values, which the guard then states. ZLAY_NONE:
 * there are no copies for any value; ZLAY_ELIMIT, with the message as it
 * was. */
zlay_status zl_tm_synth_cases(zlay_ctx *ctx, zlay_move **out, const zlay_target *target,
                              const zlay_tensormap_request *request);

/* Plans a request whose source has unknowns and whose tile is a layout
 * (tile.c). */
zlay_status zl_tm_synth_tile(zlay_ctx *ctx, zlay_move **out, const zlay_target *target,
                             const zlay_tensormap_request *request);

/* Plans a request whose source has unknowns and whose tile is a shape. */
zlay_status zl_tm_synth_symbolic(zlay_ctx *ctx, zlay_move **out, const zlay_target *target,
                                 const zlay_tensormap_request *request);

#endif
