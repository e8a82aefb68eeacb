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

/* Whether every lane keeps its values. */
bool zl_map_stays(const zl_wanted *w, const zl_affine *map);

/* The selects of every register that a map inside lanes needs: the rank of register <- byte, lane
 * of its inverse. */
unsigned zl_inner_rank(const zl_wanted *w, const zl_affine *map);
unsigned zl_inner_rank_back(const zl_wanted *w, const zl_affine *back); /* from the inverse */

/* The map F with F(plane) = y that moves as few bits as possible: the bytes go to the inner bits
 * of y, each lane bit to a vector of y above it. */
void zl_plane_frame(zl_affine *out, const zl_wanted *w, const zl_space *y);

/* Puts a map inside lanes as steps of rank 0 or 1. */
bool zl_inner_put(zl_word *word, const zl_wanted *w, const zl_affine *map);
bool zl_inner_put_known(zl_word *word, const zl_wanted *w, const zl_affine *map,
                        const zl_affine *back);

/* ---- rounds -------------------------------------------------------------------------------- */

/* How a round is searched: which parts of a register stay together through the shuffle (0 to 3
 * choose them near the bytes, other numbers draw them); the most selects a register; whether the
 * lanes of a shuffle differ by a mask that depends on the register alone. */
typedef struct zl_round_way {
    unsigned draw, selects;
    bool fixed;
} zl_round_way;

/* Puts the whole map in one round of shuffles; false: this way has none. */
bool zl_round_put(zl_word *word, const zl_wanted *w, zl_round_way way);

/* A lower bound for the selects of a register in one round: exact where registers have no parts. */
unsigned zl_round_selects(const zl_wanted *w);

/* The number of registers whose bytes are permuted, where no word's parts go to different
 * places. */
uint32_t zl_round_ordered(const zl_wanted *w);

/* Puts the whole map around one exchange, where it has that form. `*least` gets a lower bound for
 * its instructions, or their number where the word is put. */
bool zl_exchange_put(zl_word *word, uint32_t *least, const zl_wanted *w);

/* Puts the whole map as a movmatrix and a map inside lanes, before it or after it. */
bool zl_matrix_put(zl_word *word, const zl_wanted *w, bool after);

/* Whether a word with one movmatrix may make the map; whether a word of two rounds may have one. */
bool zl_matrix_may(const zl_wanted *w);
unsigned zl_matrix_selects(const zl_wanted *w); /* beside it, at least */
bool zl_matrix_reaches(const zl_wanted *w);

/* Puts words for lanes of one register whose parts cross: exchanges, and a shuffle before them
 * where the lanes need it. */
bool zl_lone_put(zl_word *word, const zl_wanted *w);

/* The same with each exchange between the part of the maps inside lanes that belongs to it, so that its
 * choice depends on few bits of the lane; false: there is none. */
bool zl_lone_swaps_put(zl_word *word, const zl_wanted *w);
bool zl_lone_shuffles(const zl_wanted *w);

/* v -> v + by (form(v) + always). */
void zl_transvection(zl_affine *out, unsigned bits, uint64_t by, uint64_t form, bool always);

/* The number of registers of a lane that a map changes, from its inverse. */
uint32_t zl_touched(const zl_wanted *w, const zl_affine *back);

/* ---- the search ---------------------------------------------------------------------------- */

typedef struct zl_word_search {
    zl_word_aim aim;
    zl_word best, trial, whole, piece;
    bool found;
    uint32_t floor; /* no word of several rounds that begins with a pair costs less; 0: not known */
    uint32_t least; /* a lower bound for words of one round */
} zl_word_search;

bool zl_word_less(const zl_word_aim *aim, const zl_word *a, const zl_word *b);

/* The instructions of a word as the aim counts them; lower bounds for the instructions and the
 * rounds of a map. */
uint32_t zl_word_cost(const zl_word_aim *aim, const zl_word *word);
uint32_t zl_rounds_floor(const zl_wanted *w, const zl_word_aim *aim, uint32_t *rounds);

/* The rank of lane <- byte, register. */
unsigned zl_crossing_rank(const zl_wanted *w);

/* Searches words of one round, for a map whose rank is at most the number of register bits;
 * `best` gets the least. False: none is found. */
bool zl_round_search(zl_word_search *s, const zl_wanted *w);

/* The word for lanes of one register; false: there is none. */
bool zl_lone_search(zl_word *out, zl_word_search *s, const zl_wanted *w);

/* v -> v + by form(v), which takes an inner vector to another lane. */
typedef struct zl_word_pair {
    uint64_t by, form;
} zl_word_pair;

/* The i-th pair of a list; false: it is not usable, or past the last. */
bool zl_pair_at(zl_word_pair *out, const zl_wanted *w, unsigned i, bool *past);
void zl_pair_map(zl_affine *out, const zl_wanted *w, const zl_word_pair *pair);

/* Puts a map of any rank; false: the word has no room for it. */
bool zl_rounds_put(zl_word *out, zl_word_search *s, const zl_wanted *w);

/* ---- through shared memory ---------------------------------------------------------------- */

/* The bits of warps and blocks. */
static inline uint64_t zl_above_lanes(const zl_wanted *w)
{
    return zl_ones(w->bits) & ~zl_ones(w->bits - w->slots.block - w->slots.warp);
}

/* Whether these bits of a slot stay as they are. */
bool zl_map_keeps(const zl_affine *map, uint64_t bits);

/* Makes the word of a map that leaves its warp: through shared memory. */
void zl_word_leave(zl_word *out, const zl_wanted *w);

/* ---- words -------------------------------------------------------------------------------- */

/* Adds a step, and joins it to the step before where both are one step; false: the word has no
 * room. */
bool zl_word_put(zl_word *word, const zl_wanted *w, zl_step_id id, const zl_affine *map);

/* The same with a known inverse. */
bool zl_word_put_known(zl_word *word, const zl_wanted *w, zl_step_id id, const zl_affine *map,
                       const zl_affine *back);

/* Sums the cost of the steps. */
void zl_word_count(zl_word *word);

#endif
