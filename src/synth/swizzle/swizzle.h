/* SPDX-License-Identifier: Apache-2.0 */
/* The search for swizzles over F2: accesses as subspaces of the tile's index
 * bits.
 *
 * A tile has 2^n elements; a layout S takes the n bits of an element's index
 * to its offset. The bits of an offset are, from low to high: the inner bits,
 * which lie inside a vector or a 4-byte word; the bits of the bank, up to
 * `top`; and the rest. Let X be the indices whose offsets have inner bits
 * only, and K the indices whose offsets have no bit below `top`. A key is what
 * a bank serves at once: a word or a vector. Two lanes of a phase whose
 * indices differ by an element of X + K access the same bank; where they
 * differ by an element of X, they access the same key. So an access whose
 * phase spans Y, X included, takes 2^dim(Y intersect K) wavefronts a phase,
 * and has no conflict when Y and K have only 0 in common. Nothing else of S
 * matters: the search finds X and K, and S is made from them at the end. */
#ifndef ZL_SWIZZLE_H
#define ZL_SWIZZLE_H

#include "algebra/layout/layout.h"
#include "legality/bank/bank.h"

enum {
    ZL_TILE_BITS = 40,   /* most bits of a tile's index */
    ZL_ASKS_MOST = 16,   /* most accesses of a request */
    ZL_VECTOR_MOST = 8,  /* bits of an element's place in a vector or word */
    ZL_LANE_BITS = 6,
    ZL_STEPS_TRY = 64,   /* steps of one try, besides the vectors it tests */
    ZL_FORM_MODES = 8
};

/* What one access demands of the layout. */
typedef struct zl_bank_ask {
    uint32_t vector;   /* log2 of the elements of a lane's vector */
    uint32_t banks;    /* log2 of the banks */
    uint32_t apart;    /* 1: lanes of one word are served one by one */
    uint32_t phases;   /* that have a lane; two served as one count once */
    uint32_t repeats;  /* log2 of the instances */
    uint32_t together; /* vectors of `phase` */
    uint32_t starts;   /* vectors of `start` */
    uint32_t reserved;
    uint64_t unit[ZL_VECTOR_MOST];   /* index of element 2^i - index of 0 */
    uint64_t phase[ZL_LANE_BITS];    /* tile indices that span a phase */
    uint64_t start[ZL_TILE_BITS + 1]; /* those that span the vectors' starts */
} zl_bank_ask;

/* Reads an access from a map to tile indices, whose bits are lanes (low),
 * elements of a vector, and instances (high).
 *   ZLAY_NONE     it is no such map: a vector of 12 bytes, phases that are no
 *                 subspace, more bits than a tile may have
 *   ZLAY_EINVAL   the map has too few bits
 *   ZLAY_ENOTSUP  its phases are unknown, or a lane has two addresses */
zlay_status zl_bank_ask_of(zl_bank_ask *out, const zl_banked *banked, uint32_t elem_bits,
                           const zl_affine *map);

typedef struct zl_swizzle_problem {
    uint32_t bits;     /* of the tile's index */
    int32_t word;      /* log2 of elements in 4 bytes; negative: an element has several words */
    const zl_bank_ask *ask;
    uint32_t count;
    uint32_t modes;    /* of the shape, to try its forms first; or 0 */
    uint32_t mode_bits[ZL_FORM_MODES];
    uint32_t swizzles; /* 1: swizzled forms are tried before the plain ones */
    uint64_t steps;    /* most steps of a search */
} zl_swizzle_problem;

/* How a layout was found. */
enum { ZL_BY_FORM = 1, ZL_BY_COMPLEMENT, ZL_BY_SEARCH };

/* What is proved: nothing; no layout over F2 takes fewer wavefronts; no layout
 * at all does. */
enum { ZL_PROVED_NOT = 0, ZL_PROVED_F2, ZL_PROVED_LEAST };

/* A form is a layout that a tensor copy can write: rows of a contiguous mode,
 * each as long as a swizzle's span. */
typedef struct zl_swizzle_form {
    uint32_t mode, swizzle; /* the contiguous mode; ZLAY_SWIZZLE_* */
} zl_swizzle_form;

typedef struct zl_swizzle_found {
    uint64_t basis[ZL_TILE_BITS]; /* offset of each bit of the index */
    uint64_t wavefronts[ZL_ASKS_MOST], bound[ZL_ASKS_MOST];
    uint64_t sum, least; /* of wavefronts; of bounds */
    int32_t method, proved;
    int32_t formed; /* 1: the layout is `form` */
    zl_swizzle_form form;
    uint32_t clash, bit; /* with ZLAY_NONE: the access, and the vector's bit */
} zl_swizzle_found;

/* Finds the layout with the fewest wavefronts, summed over the accesses.
 *   ZLAY_NONE  no layout over F2 has every lane's vector consecutive and aligned
 * Allocates nothing. */
zlay_status zl_swizzle_find(zl_swizzle_found *out, const zl_swizzle_problem *problem);

/* Counts the wavefronts of each access under an invertible layout over F2;
 * false: a vector is not consecutive or not aligned. */
bool zl_swizzle_count(uint64_t *wavefronts, const zl_swizzle_problem *p, const uint64_t *basis);

/* Decides whether some layout over F2 has no conflict, by the subspaces
 * alone. */
zlay_answer zl_swizzle_decide(const zl_swizzle_problem *problem);

/* ---- parts of zl_swizzle_find ---------------------------------------------------- */

/* The inner bits of an offset: unit[j] is the index with offset 2^j, and bit j
 * is the parity of index & dual[j]. */
typedef struct zl_inner_frame {
    uint32_t bits, inner;
    uint32_t loose, reserved; /* loose: bits that number choices of duals */
    uint64_t unit[ZL_VECTOR_MOST], dual[ZL_VECTOR_MOST];
} zl_inner_frame;

/* zl_frame_units sets the units that vectors fix, the first ones; the caller
 * sets `inner` and the other units. zl_frame_duals then sets the duals: choice
 * 0 lets the lanes of narrower accesses differ as far as possible; choices 1,
 * 2, .. to 2^loose are all possible duals. False, with the clash in `out`:
 * there are none. */
bool zl_frame_units(zl_inner_frame *f, uint32_t *fixed, zl_swizzle_found *out,
                    const zl_swizzle_problem *p);
bool zl_frame_duals(zl_inner_frame *f, zl_swizzle_found *out, const zl_swizzle_problem *p,
                    uint64_t choice);

/* An index without its inner bits. */
uint64_t zl_frame_project(const zl_inner_frame *f, uint64_t index);

/* Visits the frame of every choice of inner units and duals that matters,
 * likely ones first, until `visit` returns true. ZLAY_NONE: there is no frame.
 * *all is true when every frame was visited. */
typedef bool zl_frame_visit(void *env, const zl_inner_frame *f);
zlay_status zl_frames_visit(bool *all, zl_swizzle_found *out, const zl_swizzle_problem *p,
                            zl_frame_visit *visit, void *env);

/* Bits of an offset inside a key of an access, and inside a row of all
 * banks. */
static inline uint32_t zl_key_bits(const zl_swizzle_problem *p, const zl_bank_ask *a)
{
    return p->word > (int32_t)a->vector ? (uint32_t)p->word : a->vector;
}

static inline uint32_t zl_top_bits(const zl_swizzle_problem *p, const zl_bank_ask *a)
{
    return (uint32_t)(p->word + (int32_t)a->banks);
}

/* A subspace of projected indices that K should have only 0 in common with. */
typedef struct zl_avoid {
    uint32_t count, depth; /* its vectors; K's first `depth` vectors count */
    uint64_t weight;       /* wavefronts without conflict */
    uint64_t vector[ZL_LANE_BITS];
} zl_avoid;

/* The subspace of an access: the span of a phase where all inner bits that
 * separate keys are 0. */
void zl_avoid_read(zl_avoid *out, const zl_inner_frame *f, const zl_swizzle_problem *p,
                   const zl_bank_ask *a);

/* Finds K, `depth` independent vectors, for at most two subspaces: none has
 * more in common with K than its size forces. */
void zl_complement_pair(uint64_t *k, uint32_t depth, const zl_inner_frame *f, const zl_avoid *avoid,
                        uint32_t count);

/* Finds K for any number of subspaces; true when no K takes fewer wavefronts.
 * Counts *steps down. */
bool zl_complement_search(uint64_t *k, uint32_t depth, const zl_inner_frame *f,
                          const zl_avoid *avoid, uint32_t count, uint64_t *steps);

/* A lower bound of an access's wavefronts under any layout: lanes of one
 * element share it or, where each lane is served by itself, wait for each
 * other. */
uint64_t zl_ask_bound(const zl_bank_ask *a);

/* Counts down, not below 0. */
static inline void zl_steps_take(uint64_t *steps, uint64_t count)
{
    *steps -= *steps < count ? *steps : count;
}

/* A set of numbers below 64, with each number n replaced by n ^ step. */
uint64_t zl_set_moved(uint64_t set, uint32_t step);

/* The rank of values over F2; the values are overwritten. */
uint32_t zl_rank_of(uint64_t *value, uint32_t count);

/* A form applied to a tile. */
typedef struct zl_form_place {
    const zl_swizzle_problem *p;
    uint32_t swizzle, row, span, low; /* bits: row of the mode, span of a row */
} zl_form_place;

/* Begins with a form; false: the tile has no such rows. Then the offset of an
 * index; and the next form to try. */
bool zl_form_begin(zl_form_place *out, const zl_swizzle_problem *p, zl_swizzle_form form);
uint64_t zl_form_offset(const zl_form_place *f, uint64_t index);
bool zl_form_next(zl_swizzle_form *form, const zl_swizzle_problem *p);

#endif
