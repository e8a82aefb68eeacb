/* SPDX-License-Identifier: Apache-2.0 */
/* Swizzles over F2 inside: accesses as subspaces of the tile's index bits.
 *
 * A tile has 2^n elements; a layout S takes the n bits of an element's index to its offset.  From
 * low to high an offset's bits are those inside a vector or a 4-byte word (`inner` of them), those
 * of the bank, up to `top`, and the rest.  Let X be the indices that differ in the inner bits alone
 * and K those whose offset has no bit below `top`.  Lanes of one phase that differ by an index in
 * X + K ask for one bank, those that differ in X for one key of it.  So an access whose phase spans
 * Y, X included, takes 2^dim(Y and K) wavefronts a phase, and it has no conflict when Y and K meet
 * in 0 alone.  Nothing else of S matters, and S is made from X and K at the end. */
#ifndef ZL_SWIZZLE_H
#define ZL_SWIZZLE_H

#include "algebra/layout/layout.h"
#include "legality/bank/bank.h"

enum {
    ZL_TILE_BITS = 40,   /* of a tile's index at most */
    ZL_ASKS_MOST = 16,   /* accesses of a request */
    ZL_VECTOR_MOST = 8,  /* bits of an element's place in a vector or word */
    ZL_LANE_BITS = 6,
    ZL_STEPS_TRY = 64,   /* what a try counts beside the vectors that it asks */
    ZL_FORM_MODES = 8
};

/* What one access asks of the layout. */
typedef struct zl_bank_ask {
    uint32_t vector;   /* bits of a lane's vector */
    uint32_t banks;    /* bits of a bank's number */
    uint32_t apart;    /* 1: lanes of one word are served one by one */
    uint32_t phases;   /* that have a lane, those that are always served together once */
    uint32_t repeats;  /* bits of the instances after the first */
    uint32_t together; /* vectors that span the lanes of a phase */
    uint32_t starts;   /* vectors that span where vectors start */
    uint32_t reserved;
    uint64_t unit[ZL_VECTOR_MOST];   /* the element 2^i of a lane's vector, less its first */
    uint64_t phase[ZL_LANE_BITS];    /* as tile indices */
    uint64_t start[ZL_TILE_BITS + 1];
} zl_bank_ask;

/* Read an access off a map of its lanes, low, its vector's elements and its instances, high, to
 * tile indices.
 *   ZLAY_NONE     it is no such map: a vector of 12 bytes, phases that are no subspace, more bits
 *                 than a tile may have
 *   ZLAY_EINVAL   the map has too few bits
 *   ZLAY_ENOTSUP  nobody knows its phases, or a lane has two addresses */
zlay_status zl_bank_ask_of(zl_bank_ask *out, const zl_banked *banked, uint32_t elem_bits,
                           const zl_affine *map);

typedef struct zl_swizzle_problem {
    uint32_t bits;     /* of the tile's index */
    int32_t word;      /* log2 of elements in 4 bytes; negative: an element has several words */
    const zl_bank_ask *ask;
    uint32_t count;
    uint32_t modes;    /* of the shape, whose forms are tried first; 0: none are */
    uint32_t mode_bits[ZL_FORM_MODES];
    uint32_t swizzles; /* 1: the forms of tensor copies are tried, swizzled ones first */
    uint64_t steps;    /* of a search at most */
} zl_swizzle_problem;

/* How a layout was found. */
enum { ZL_BY_FORM = 1, ZL_BY_COMPLEMENT, ZL_BY_SEARCH };

/* What is proved of it. */
enum { ZL_PROVED_NOT = 0, ZL_PROVED_F2, ZL_PROVED_LEAST };

/* A form: rows of a contiguous mode, each as long as a swizzle's span. */
typedef struct zl_swizzle_form {
    uint32_t mode, swizzle; /* the contiguous mode; ZLAY_SWIZZLE_* */
} zl_swizzle_form;

typedef struct zl_swizzle_found {
    uint64_t basis[ZL_TILE_BITS]; /* offset of each bit of the index */
    uint64_t wavefronts[ZL_ASKS_MOST], bound[ZL_ASKS_MOST];
    uint64_t sum, least; /* of them */
    int32_t method, proved;
    int32_t formed; /* 1: it is `form` */
    zl_swizzle_form form;
    uint32_t clash, bit; /* with ZLAY_NONE: the access, and which bit of its vector */
} zl_swizzle_found;

/* The layout of the fewest wavefronts, summed over the accesses.
 *   ZLAY_NONE  no layout over F2 has every lane's vector consecutive and aligned
 * Allocates nothing. */
zlay_status zl_swizzle_find(zl_swizzle_found *out, const zl_swizzle_problem *problem);

/* Wavefronts of each access under any invertible layout over F2; false: a vector is not
 * consecutive or not aligned. */
bool zl_swizzle_count(uint64_t *wavefronts, const zl_swizzle_problem *p, const uint64_t *basis);

/* Whether some layout over F2 has no conflict, by the subspaces alone. */
zlay_answer zl_swizzle_decide(const zl_swizzle_problem *problem);

/* ---- parts of zl_swizzle_find ---------------------------------------------------- */

/* The inner bits: unit[j] has offset 2^j, and dual[j] is the mask whose parity is bit j. */
typedef struct zl_inner_frame {
    uint32_t bits, inner;
    uint32_t loose, reserved; /* bits of a choice of the duals */
    uint64_t unit[ZL_VECTOR_MOST], dual[ZL_VECTOR_MOST];
} zl_inner_frame;

/* The units that vectors fix, from the first on; `inner` and the units past them are the caller's.
 * Then the duals: choice 0 tells the lanes of narrower accesses apart as far as it goes, 1, 2, ...
 * are all that there are, up to 2^loose.  False with the clash in `out`. */
bool zl_frame_units(zl_inner_frame *f, uint32_t *fixed, zl_swizzle_found *out,
                    const zl_swizzle_problem *p);
bool zl_frame_duals(zl_inner_frame *f, zl_swizzle_found *out, const zl_swizzle_problem *p,
                    uint64_t choice);

/* An index without its inner bits. */
uint64_t zl_frame_project(const zl_inner_frame *f, uint64_t index);

/* Visit a frame for every choice of inner units and duals that matters, the likely ones first,
 * until `visit` says true.  ZLAY_NONE: there is no frame; else `*all`: each was visited. */
typedef bool zl_frame_visit(void *env, const zl_inner_frame *f);
zlay_status zl_frames_visit(bool *all, zl_swizzle_found *out, const zl_swizzle_problem *p,
                            zl_frame_visit *visit, void *env);

/* Bits of an offset below an access's keys, and below its next row of banks. */
static inline uint32_t zl_key_bits(const zl_swizzle_problem *p, const zl_bank_ask *a)
{
    return p->word > (int32_t)a->vector ? (uint32_t)p->word : a->vector;
}

static inline uint32_t zl_top_bits(const zl_swizzle_problem *p, const zl_bank_ask *a)
{
    return (uint32_t)(p->word + (int32_t)a->banks);
}

/* A subspace of projected indices that K should avoid, and how long K is for it. */
typedef struct zl_avoid {
    uint32_t count, depth; /* vectors; the first so many of K count */
    uint64_t weight;       /* wavefronts where it avoids all */
    uint64_t vector[ZL_LANE_BITS];
} zl_avoid;

/* What an access spans where all inner bits are 0. */
void zl_avoid_read(zl_avoid *out, const zl_inner_frame *f, const zl_swizzle_problem *p,
                   const zl_bank_ask *a);

/* K, `depth` vectors, each outside those before it.  Of two subspaces at most: none has more in
 * common with K than its own size forces. */
void zl_complement_pair(uint64_t *k, uint32_t depth, const zl_inner_frame *f, const zl_avoid *avoid,
                        uint32_t count);

/* Of more: true when no K takes fewer wavefronts.  Steps are counted down. */
bool zl_complement_search(uint64_t *k, uint32_t depth, const zl_inner_frame *f,
                          const zl_avoid *avoid, uint32_t count, uint64_t *steps);

/* What an access takes at least under any layout: lanes of one element share it, or where each is
 * served by itself wait for each other. */
uint64_t zl_ask_bound(const zl_bank_ask *a);

/* Count down, to 0 at least. */
static inline void zl_steps_take(uint64_t *steps, uint64_t count)
{
    *steps -= *steps < count ? *steps : count;
}

/* A set of numbers below 64, each moved to itself ^ step. */
uint64_t zl_set_moved(uint64_t set, uint32_t step);

/* Rank of values, which are used up. */
uint32_t zl_rank_of(uint64_t *value, uint32_t count);

/* Where a form puts an element; false: the tile has no such rows.  Then the next form to try. */
typedef struct zl_form_place {
    const zl_swizzle_problem *p;
    uint32_t swizzle, row, span, low; /* bits of the mode, of a row, below the mode */
} zl_form_place;

bool zl_form_begin(zl_form_place *out, const zl_swizzle_problem *p, zl_swizzle_form form);
uint64_t zl_form_offset(const zl_form_place *f, uint64_t index);
bool zl_form_next(zl_swizzle_form *form, const zl_swizzle_problem *p);

#endif
