/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles of a source whose extents and strides are products of unknowns.
 *
 * The request is answered for one *sample* of the unknowns: large numbers that share no factor by
 * chance. The strides, extents and address of the answer are read back as numbers times products
 * that occur in the source. What is read is a guess until it is proved: for every cell of the
 * tile, the element that the copies move and the element that the request names are equal as
 * polynomials in the unknowns. What the rules ask of the unknowns beyond the facts becomes the
 * guard. */
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

/* What was read of a map: an extent is a leaf's, `times` indices a cell or `part` cells an index, one
 * of which is 1; or a number. */
typedef struct zl_tm_read {
    zl_tm_sum address;
    uint32_t product[ZL_TM_RANK]; /* of each stride */
    int64_t factor[ZL_TM_RANK];
    int32_t leaf[ZL_TM_RANK];     /* whose extent it is; ZL_TM_NO_LEAF */
    int64_t times[ZL_TM_RANK], part[ZL_TM_RANK];
} zl_tm_read;

typedef struct zl_tm_symbolic {
    zlay_ctx *ctx;
    const zlay_target *target;
    zlay_tensormap_request request; /* its source is the one with names, under the facts */
    uint32_t element;               /* bytes */
    zl_symbols *s;
    int64_t value[ZL_SYMBOLS_MOST]; /* the sample */
    uint32_t products;
    zl_monomial product[ZL_TM_PRODUCTS]; /* of factor 1 */
    int64_t worth[ZL_TM_PRODUCTS];       /* in the sample */
    zl_tm_sum step[ZL_SYMBOL_LEAVES], offset; /* of the source, in bytes */
    zlay_move *move;
    zl_tm_read *read;               /* one a map */
} zl_tm_symbolic;

/* Pieces with parameters as extents and strides; ENOTSUP: they are none. */
zlay_status zl_tm_affine(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a);

/* Choose the sample: false where there is no number of 62 bits.  A loose one breaks the facts so
 * that no tile ends where the tensor does: its copies cut every edge. */
bool zl_tm_sample(zl_tm_symbolic *g, bool loose);

/* The numbers of the sample. */
bool zl_tm_monomial_at(int64_t *out, const zl_tm_symbolic *g, const zl_monomial *m);

/* Read the maps of the sample's move back; ELIMIT: they are no products of the source. */
zlay_status zl_tm_read_maps(zl_tm_symbolic *g);

/* Prove that they do what is asked, whatever the names are; ELIMIT where they may not. */
zlay_status zl_tm_prove(const zl_tm_symbolic *g);

/* ZLAY_NONE where no numbers that the facts allow have any copies; ELIMIT, with the message as it
 * was, where that is not seen. */
zlay_status zl_tm_never(const zl_tm_symbolic *g);

/* Texts, guard and certificate of the move. */
zlay_status zl_tm_put_texts(zl_tm_symbolic *g);
zlay_status zl_tm_put_guard(zl_tm_symbolic *g);
zlay_status zl_tm_put_certificate(zl_tm_symbolic *g);

/* A guard on its way. */
enum { ZL_TM_GUARD = 4096, ZL_TM_TEXT = 512 };

typedef struct zl_tm_guard {
    char text[ZL_TM_GUARD];
    size_t length;
} zl_tm_guard;

/* One condition more, unless it stands there; false: there is no room, and the status says so. */
bool zl_tm_guard_add(zl_tm_guard *to, const char *text);
zlay_status zl_tm_guard_full(const zl_tm_symbolic *g);

/* What the copies' coordinates ask of the extents, in every tile. */
zlay_status zl_tm_guard_copies(zl_tm_guard *to, const zl_tm_symbolic *g);

/* Replace whole words; false: there is no room. */
bool zl_tm_replace(char *out, size_t room, const char *text, const char *word, const char *by);

/* Ranges of names, as facts. */
zlay_status zl_tm_facts(zlay_ctx *ctx, zlay_facts **out, size_t count, const char *const *name,
                        const zlay_range *range);

/* The guard, and a condition before it. */
zlay_status zl_tm_guard_case(zlay_ctx *ctx, zlay_move *move, const char *condition);

/* The same of a request whose source stands under facts. */
zlay_status zl_tm_never_of(zlay_ctx *ctx, const zlay_target *target,
                           const zlay_tensormap_request *request);

/* Cells of the tile along a leaf that are inside the tensor for some numbers. */
uint64_t zl_tm_cells_inside(const zl_tm_symbolic *g, uint32_t leaf);

/* The facts allow one tile along a leaf at most. */
bool zl_tm_one_tile(const zl_tm_symbolic *g, uint32_t leaf);

/* Where the copies take the first cell from, what the next cell along each leaf adds, and what the
 * next tile does. */
zlay_status zl_tm_moved(zl_tm_sum *offset, zl_tm_sum *step, zl_tm_sum *next,
                        const zl_tm_symbolic *g);

/* A request without unknowns; modes of `own`, a bit each, move dimensions that no other mode moves. */
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

/* Where in its map a copy takes it from, and the byte of that element; false: it does not. */
bool zl_tm_brought(int64_t at[ZL_TM_RANK], int64_t *within, const zl_tm_cell *c,
                   const zlay_copy *copy);

/* The copy brings what the request names, or the fill where that is no element. */
bool zl_tm_proved_by(const zl_tm_cell *c, const zlay_copy *copy);

/* The same of all cells, without looking at each; false where that is not seen. */
bool zl_tm_prove_digits(const zl_tm_symbolic *g);

/* A source that stands under its facts, for all numbers that they allow. */
zlay_status zl_tm_synth_known(zlay_ctx *ctx, zlay_move **out, const zlay_target *target,
                              const zlay_tensormap_request *request);

/* The same for some of them, which the guard says; ZLAY_NONE where there is nothing for any; ELIMIT
 * with the message as it was. */
zlay_status zl_tm_synth_cases(zlay_ctx *ctx, zlay_move **out, const zlay_target *target,
                              const zlay_tensormap_request *request);

/* A request whose source has unknowns, and whose tile is a layout (tensormap_tile.c). */
zlay_status zl_tm_synth_tile(zlay_ctx *ctx, zlay_move **out, const zlay_target *target,
                             const zlay_tensormap_request *request);

/* A request whose source has unknowns, in tiles by shape. */
zlay_status zl_tm_synth_symbolic(zlay_ctx *ctx, zlay_move **out, const zlay_target *target,
                                 const zlay_tensormap_request *request);

#endif
