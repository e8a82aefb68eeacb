/* SPDX-License-Identifier: Apache-2.0 */
/* The building blocks of a word: maps inside a lane, one round of shuffles, exchanges between
 * lanes; and the state of a search over them. */
#ifndef ZL_SYNTH_WORD_ROUND_H
#define ZL_SYNTH_WORD_ROUND_H

#include "synth/word/space.h"

/* A map to be made, with the bits that it is about. */
typedef struct zl_wanted {
    zl_slots slots;
    unsigned bits;
    uint64_t bytes, regs, lanes; /* all above the registers are lanes here */
    uint64_t inner, plane;       /* bytes and registers; bytes and lanes */
    zl_affine map, inverse;
} zl_wanted;

/* False: the map is no bijection. */
bool zl_wanted_of(zl_wanted *out, const zl_slots *slots, const zl_affine *map);

/* ---- in a lane ------------------------------------------------------------------------ */

/* Every lane keeps its values. */
bool zl_map_stays(const zl_wanted *w, const zl_affine *map);

/* Selects that a map inside lanes needs of every register: the rank of register <- byte, lane of
 * the way back. */
unsigned zl_inner_rank(const zl_wanted *w, const zl_affine *map);
unsigned zl_inner_rank_back(const zl_wanted *w, const zl_affine *back); /* from the way back itself */

/* The map F that is the identity on nothing but as much as can be, with F(plane) = y: the bytes go
 * to what y has of inner bits, each lane bit to a vector of y above it. */
void zl_frame(zl_affine *out, const zl_wanted *w, const zl_space *y);

/* A map inside lanes as steps of rank 0 or 1. */
bool zl_inner_put(zl_word *word, const zl_wanted *w, const zl_affine *map);
bool zl_inner_put_known(zl_word *word, const zl_wanted *w, const zl_affine *map,
                        const zl_affine *back);

/* ---- rounds -------------------------------------------------------------------------------- */

/* Which parts of a register stay together through the shuffle: 0 to 3 by what is near bytes, others
 * drawn; the most selects a register; and whether the lanes of a shuffle differ by a
 * mask of the register alone. */
typedef struct zl_round_way {
    unsigned draw, selects;
    bool fixed;
} zl_round_way;

/* The whole map in one round of shuffles; false: not in this way. */
bool zl_round_put(zl_word *word, const zl_wanted *w, zl_round_way way);

/* Selects a register that no one round goes below: exact where registers have no parts. */
unsigned zl_round_selects(const zl_wanted *w);

/* Registers whose bytes change places where no word parts. */
uint32_t zl_round_ordered(const zl_wanted *w);

/* The whole map around one exchange, where it has that form; `*least` instructions, or those of
 * the word where it is put. */
bool zl_exchange_put(zl_word *word, uint32_t *least, const zl_wanted *w);

/* The whole map as a movmatrix and what stays in lanes, before it or after it. */
bool zl_matrix_put(zl_word *word, const zl_wanted *w, bool after);

/* Whether some word of one movmatrix might do it; whether one of two rounds might have one. */
bool zl_matrix_may(const zl_wanted *w);
unsigned zl_matrix_selects(const zl_wanted *w); /* beside it, at least */
bool zl_matrix_reaches(const zl_wanted *w);

/* Lanes of one register whose parts cross: exchanges, and a shuffle before them where lanes need
 * it. / */
bool zl_lone_put(zl_word *word, const zl_wanted *w);
bool zl_lone_shuffles(const zl_wanted *w);

/* v -> v + by (form(v) + always). */
void zl_transvection(zl_affine *out, unsigned bits, uint64_t by, uint64_t form, bool always);

/* Registers of a lane that are touched, from the way back. */
uint32_t zl_touched(const zl_wanted *w, const zl_affine *back);

/* ---- the search ---------------------------------------------------------------------------- */

typedef struct zl_search {
    zl_word_aim aim;
    zl_word best, trial, whole, piece;
    bool found;
    uint32_t floor; /* no word of several rounds that begins with a pair costs less; 0: not known */
    uint32_t least; /* what no word of one round costs less than */
} zl_search;

bool zl_word_less(const zl_word_aim *aim, const zl_word *a, const zl_word *b);

/* Instructions as the aim counts them; the least of them, and of rounds, that a map can take. */
uint32_t zl_word_cost(const zl_word_aim *aim, const zl_word *word);
uint32_t zl_rounds_floor(const zl_wanted *w, const zl_word_aim *aim, uint32_t *rounds);

/* The rank of lane <- byte, register. */
unsigned zl_crossing_rank(const zl_wanted *w);

/* A map of a rank of at most the registers' bits, into `best`; false: not found. */
bool zl_round_search(zl_search *s, const zl_wanted *w);

/* v -> v + by form(v), which takes an inner vector to another lane. */
typedef struct zl_pair {
    uint64_t by, form;
} zl_pair;

/* The i-th of a list; false: it is none, or past the last. */
bool zl_pair_at(zl_pair *out, const zl_wanted *w, unsigned i, bool *past);
void zl_pair_map(zl_affine *out, const zl_wanted *w, const zl_pair *pair);

/* A map of any rank; false: no room. */
bool zl_rounds_put(zl_word *out, zl_search *s, const zl_wanted *w);

/* ---- through shared memory ---------------------------------------------------------------- */

/* Bits of warps and blocks. */
static inline uint64_t zl_above_lanes(const zl_wanted *w)
{
    return zl_ones(w->bits) & ~zl_ones(w->bits - w->slots.block - w->slots.warp);
}

/* These bits of a slot stay as they are. */
bool zl_map_keeps(const zl_affine *map, uint64_t bits);

/* A map that leaves its warp. */
void zl_word_leave(zl_word *out, const zl_wanted *w);

/* ---- words -------------------------------------------------------------------------------- */

/* Add a step, joined to the one before where both are one; false: no room. */
bool zl_word_put(zl_word *word, const zl_wanted *w, zl_step_id id, const zl_affine *map);

/* The same where the map's inverse is known. */
bool zl_word_put_known(zl_word *word, const zl_wanted *w, zl_step_id id, const zl_affine *map,
                       const zl_affine *back);

/* Sum what the steps cost. */
void zl_word_count(zl_word *word);

#endif
