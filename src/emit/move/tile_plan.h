/* SPDX-License-Identifier: Apache-2.0 */
/* What the accesses of a move by threads are, before a language says them: the values that a thread
 * holds, the vectors of both sides and the bytes that change places between them (tile_plan.c), and
 * coordinates, ends, names and points (tile_accesses.c). */
#ifndef ZL_EMIT_TILE_PLAN_H
#define ZL_EMIT_TILE_PLAN_H

#include "algebra/layout/layout.h"
#include "base/base.h"
#include "emit/emit.h"
#include "synth/move/move.h"

enum {
    ZL_TILE_VALUES = 1024, /* that a thread holds at once, of a byte at least */
    ZL_TILE_WORDS = 256,   /* registers of them: no thread has more */
    ZL_TILE_UNROLLED = 64, /* stores; more are a loop over accesses */
    ZL_TILE_SIDES = 2,
    ZL_TILE_TEXT = 256, /* of a step in names */
    ZL_TILE_WORD = 4    /* bytes of a register */
};

/* ---- steps -------------------------------------------------------------------------- */

/* Whether the offsets are those of two layouts at the points that threads take. */
static inline bool zl_tile_listed(const zl_move_part *p) { return p->part.combine > 1; }

/* How much the next coordinate of a mode adds to a side's offset, or to the number of a listed
 * point. */
static inline int64_t zl_tile_step(const zl_move_part *p, int side, uint32_t mode)
{
    if (zl_tile_listed(p)) return 1;
    return side ? p->mode[mode].dest : p->mode[mode].source;
}

static inline int64_t zl_tile_add(const zl_move_part *p, int64_t a, int64_t b)
{
    return p->part.combine == 1 ? a ^ b : a + b;
}

/* Steps that are texts over names, known when the function runs. */
bool zl_tile_named(const zlay_move *move, int side);

/* Names of the layouts, those of the source first, each once; NULL past the last. */
const char *zl_tile_name(const zlay_move *move, size_t i);

/* ---- values of a thread ------------------------------------------------------------- */

/* What a thread holds at once: where each value lies beside the first, elements; in the order of
 * the values.  Elements of less than a byte go by bytes. */
typedef struct zl_tile_block {
    uint32_t count, bytes; /* values; bytes of each */
    uint32_t unit;         /* elements of each */
    int64_t at[ZL_TILE_SIDES][ZL_TILE_VALUES];
} zl_tile_block;

/* false: there are too many values, or no whole bytes. */
bool zl_tile_block_of(zl_tile_block *out, const zlay_move *move, const zl_move_part *part);

/* The coordinate in a mode of a value of a block. */
uint64_t zl_tile_coordinate(const zl_move_part *p, uint32_t mode, uint64_t value, uint32_t unit);

/* Vectors of a side: the first value of each, rising, and the vector and the place in it of each
 * value. */
typedef struct zl_tile_vectors {
    uint32_t count, values;
    uint16_t first[ZL_TILE_VALUES];
    uint16_t vector[ZL_TILE_VALUES], place[ZL_TILE_VALUES];
} zl_tile_vectors;

/* false: they are no whole vectors. */
bool zl_tile_vectors_of(zl_tile_vectors *out, const zl_tile_block *b, int side, uint32_t bytes);

/* Whether a part is one instruction for each access, without registers. */
bool zl_tile_is_one(int32_t kind);

static inline uint32_t zl_words_of(uint32_t bytes) { return (bytes + 3) / 4; }

/* Bytes of the fragments of a thread. */
uint32_t zl_tile_held_bytes(const zlay_move *move);

/* ENOTSUP: a move without threads, 2^32 accesses of a thread, too many registers. */
zlay_status zl_tile_check(zlay_ctx *ctx, const zlay_move *move);

/* Prints the function as PTX, with the version that it needs; ENOTSUP where it has none. */
zlay_status zl_tile_ptx_check(zlay_ctx *ctx, const zlay_move *move);
void zl_tile_put(zl_text *out, const zlay_move *move, const char *name, size_t length);

/* ---- bytes -------------------------------------------------------------------------- */

/* The vectors that are loaded and stored of a block, and bytes of each; of fragments all that a
 * thread holds is one. */
typedef struct zl_tile_passage {
    const zl_tile_block *b;
    uint32_t width[ZL_TILE_SIDES];
    zl_tile_vectors side[ZL_TILE_SIDES];
} zl_tile_passage;

/* false: some would not be whole. */
bool zl_tile_passage_of(zl_tile_passage *out, const zlay_move *move, const zl_move_part *p,
                        const zl_tile_block *b);

/* For each byte of a stored word: the loaded word and byte it comes from. */
enum { ZL_NO_BYTE = 0xffff /* beyond what is stored */ };
typedef struct zl_tile_origin {
    uint32_t word[ZL_TILE_WORD], byte[ZL_TILE_WORD];
} zl_tile_origin;

/* false: a byte is not loaded. */
bool zl_tile_origin_of(zl_tile_origin *out, const zl_tile_passage *p, uint32_t vector,
                       uint32_t word);

/* Whether a stored word is a loaded one, unchanged. */
bool zl_tile_is_loaded(const zl_tile_origin *o);

/* The loaded words that a word's bytes come from, each once; how many there are. */
uint32_t zl_tile_sources_of(uint32_t words[ZL_TILE_WORD], const zl_tile_origin *o);

/* prmt's selector: bytes of `low` from the first operand, of `high` from the second; the others
 * stay. */
uint32_t zl_tile_selector_of(const zl_tile_origin *o, uint32_t low, uint32_t high);

/* ---- accesses ----------------------------------------------------------------------- */

/* Whether some thread or access may lie beyond the extent of a mode. */
bool zl_tile_is_checked(const zl_move_part *p, uint32_t mode);

/* Whether the coordinate of a mode is compared with an extent or edge. */
bool zl_tile_is_kept(const zlay_move *move, const zl_move_part *p, uint32_t mode);

/* Whether tiles leave their tensor along an axis; the i-th such axis. */
bool zl_tile_has_edge(const zlay_move *move, uint32_t axis);
bool zl_tile_edge(const zlay_move *move, uint32_t i, uint32_t *axis);

/* The coordinates of an access that are known when the text is printed, and what they add to the
 * offsets; false: beyond an extent. */
bool zl_tile_access_at(const zl_move_part *p, uint64_t access, uint64_t *at, int64_t *more);

/* The stores of a thread, over all accesses. */
uint64_t zl_tile_stores_of(const zlay_move *move, const zl_move_part *p);

/* Whether the accesses of a thread are a loop over their numbers; else they stand one after the
 * other. */
bool zl_tile_is_looped(const zlay_move *move, const zl_move_part *p);

/* Whether a part signals an mbarrier, which is then a parameter. */
bool zl_tile_has_barrier(const zlay_move *move);

/* ---- instruction forms -------------------------------------------------------------- */

/* The form of a load or store of so many bytes; of a part that is one instruction for each access; of
 * ldmatrix or stmatrix of so many matrices. */
zl_form_id zl_tile_form(const zlay_move *move, const zl_move_part *p, int side, uint32_t bytes);
zl_form_id zl_tile_one_form(const zl_move_part *p);
zl_form_id zl_tile_matrix_form(const zl_move_part *p, bool store, uint32_t count);

/* ---- vectors without common strides ------------------------------------------------- */

enum { ZL_VECTOR_BITS = 64 };

/* Elements of a vector of a listed part; its vectors, over all threads; the byte at which the n-th
 * begins. */
uint64_t zl_vector_points(const zlay_move *move, const zl_move_part *p);
uint64_t zl_vectors_of(const zlay_move *move, const zl_move_part *p);
int64_t zl_vector_byte(const zlay_move *move, const zl_move_part *p, int side, uint64_t n);

/* Finds the masks whose XOR under the bits of n, with `first`, is the n-th byte; false: there are
 * none. */
bool zl_vector_masks(const zlay_move *move, const zl_move_part *p, int side, int64_t *first,
                     int64_t mask[ZL_VECTOR_BITS]);

#endif
