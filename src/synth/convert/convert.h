/* SPDX-License-Identifier: Apache-2.0 */
/* Internal types of conversions. A slot is one 64-bit word with a field of bits
 * for each level: register, lane, warp, block. A place in shared memory is such
 * a word too: its low bits are the offset, and its block field may name a
 * block. */
#ifndef ZL_CONVERT_H
#define ZL_CONVERT_H

#include "algebra/find/table.h"
#include "legality/bank/bank.h"
#include <zlay/convert.h>

typedef enum zl_level { ZL_REGISTER, ZL_LANE, ZL_WARP, ZL_BLOCK, ZL_LEVELS } zl_level;

/* Where a level's bits begin in a slot, and the mask of its field. */
static const unsigned zl_level_low[ZL_LEVELS + 1] = {0, 24, 32, 44, 56};

static inline uint64_t zl_level_mask(zl_level level)
{
    return ((uint64_t)1 << zl_level_low[level + 1]) - ((uint64_t)1 << zl_level_low[level]);
}

static inline uint64_t zl_bit(unsigned k) { return (uint64_t)1 << k; }

#define ZL_REGISTERS zl_level_mask(ZL_REGISTER)
#define ZL_BLOCKS    zl_level_mask(ZL_BLOCK)
#define ZL_THREADS   (((uint64_t)1 << 56) - 1 - ZL_REGISTERS) /* all but registers */

/* ---- maps over F2 on the bits of a mask -------------------------------------------------- */

typedef struct zl_bitmap {
    uint64_t has; /* the bits that the map takes */
    uint64_t to[64];
} zl_bitmap;

static inline uint64_t zl_bitmap_at(const zl_bitmap *m, uint64_t x)
{
    uint64_t value = 0;
    for (; x; x &= x - 1) value ^= m->to[__builtin_ctzll(x)];
    return value;
}

static inline void zl_bitmap_put(zl_bitmap *m, unsigned bit, uint64_t to)
{
    m->has |= zl_bit(bit);
    m->to[bit] = to;
}

/* A linear map over F2, built from vectors and their images by elimination. */
typedef struct zl_solver {
    uint64_t pivots, value[64], image[64];
} zl_solver;

/* Adds a vector; false: it depends on those before it, and nothing changes. */
bool zl_solver_put(zl_solver *s, uint64_t value, uint64_t image);

/* The rest of a value that is outside the span; 0: the value is in the span,
 * and *image is its image. */
uint64_t zl_solver_reduce(const zl_solver *s, uint64_t value, uint64_t *image);

static inline bool zl_solver_spans(const zl_solver *s, uint64_t value)
{
    uint64_t image;
    return !zl_solver_reduce(s, value, &image);
}

/* Independent vectors without images; the lowest bit of each is its pivot. */
typedef struct zl_independent {
    uint64_t pivots, value[64];
} zl_independent;

static inline bool zl_independent_put(zl_independent *s, uint64_t value)
{
    for (uint64_t left; (left = value & s->pivots);) value ^= s->value[__builtin_ctzll(left)];
    if (!value) return false;
    s->value[__builtin_ctzll(value)] = value;
    s->pivots |= value & (0 - value);
    return true;
}

unsigned zl_bitmap_rank(const zl_bitmap *m);

/* The inverse on the bits of `onto`; false when the map is no bijection from
 * its bits onto them. */
bool zl_bitmap_invert(zl_bitmap *out, const zl_bitmap *m, uint64_t onto);

/* ---- the request ------------------------------------------------------------------------- */

typedef struct zl_conversion {
    zlay_ctx *ctx;
    const zlay_target *target;
    const zlay_convert_request *request;
    zlay_target_summary machine;
    uint32_t bits;       /* of an element */
    unsigned word;       /* log2 of the elements in 32 bits; 0 for wider ones */
    uint32_t words;      /* words of 32 bits in an element, at least 1 */
    uint32_t shown;      /* a mask of the levels that src or dst has */
    uint64_t extent[2][ZL_LEVELS]; /* of src, of dst */
    size_t dims[2];      /* input dimensions of src, of dst */
    zl_level order[2][ZL_LEVELS]; /* the level of each of them */
    zl_bitmap src, dst;  /* slot -> tensor index, without the constant */
    uint64_t constant;   /* the value of both at slot 0 */
    zl_bitmap from;      /* slot of dst -> nearest slot of src that holds its element */
    int32_t level;
} zl_conversion;

/* Reads the extents of both layouts; ZLAY_EINVAL where they do not fit the
 * target or each other. */
zlay_status zl_conversion_read(zl_conversion *c);
/* Reads both as maps over F2; *linear is false where one of them is none. */
zlay_status zl_conversion_bits(zl_conversion *c, bool *linear);

/* Makes the layout that has dst's inputs and outputs and takes slot bits to
 * these values, whose outputs stand in src's order. */
zlay_status zl_conversion_image(const zl_conversion *c, zlay_layout **out, const zl_bitmap *values);

/* Finds the nearest holders and the least level; ZLAY_NONE, with an element,
 * where no slot of src holds it. */
zlay_status zl_holders_find(zl_conversion *c);

/* ---- plans ------------------------------------------------------------------------------- */

typedef struct zl_convert_step {
    zlay_convert_step info;
    uint32_t cost; /* of a warp */
    bool offset_before, offset_after; /* places there are in shared memory */
    bool has_forward, has_back;
    uint64_t before, after; /* the bits that places have there */
    zl_bitmap forward, back; /* before -> after, after -> before */
    zlay_layout *map[2]; /* the same where it is not linear over F2 */
} zl_convert_step;

enum { ZL_CONVERT_STEPS = 16 };

/* The extents of a distribution, and the level of each input dimension. */
typedef struct zl_plan_side {
    uint64_t extent[ZL_LEVELS];
    size_t dims;
    zl_level order[ZL_LEVELS];
} zl_plan_side;

struct zlay_convert {
    zlay_allocator alloc;
    zlay_convert_summary info;
    uint32_t shown;
    zl_plan_side side[2]; /* src, dst */
    zl_convert_step step[ZL_CONVERT_STEPS];
    zlay_layout *shared, *certificate[2];
};

/* Adds a step whose back map is `back`, from places `before`; the forward map
 * is its inverse, where it has one. */
zl_convert_step *zl_step_add(zlay_convert *plan, int32_t op, const zl_bitmap *back,
                             uint64_t before);

/* Adds a step of moves inside lanes, unless the map is the identity; and the
 * number of its instructions. */
void zl_step_in_lane(const zl_conversion *c, zlay_convert *plan, const zl_bitmap *back,
                     uint64_t before);
uint32_t zl_in_lane_count(const zl_conversion *c, const zl_bitmap *back);

/* Composes all steps: slot of dst -> the slot of src whose value it gets. */
zlay_status zl_plan_compose(const zlay_convert *plan, const zl_conversion *c, zl_bitmap *out);

uint32_t zl_plan_cost(const zlay_convert *plan);

/* Shuffles that one exchange takes with the present holders, UINT32_MAX where
 * it cannot serve; *least is a lower bound for every plan. */
uint32_t zl_shuffle_rounds(const zl_conversion *c, uint32_t *least);

/* Chooses other holders, where several lanes hold an element and that saves
 * shuffles. */
void zl_holders_improve(zl_conversion *c);

/* Plans a bijection inside warps as the cheapest word that is found; *served is
 * false where the map is no bijection or takes too many steps. */
zlay_status zl_convert_by_word(const zl_conversion *c, zlay_convert *plan, bool *served);

/* Lower bounds of the cost of a word, and of a round trip within a warp. */
uint32_t zl_word_floor(const zl_conversion *c);
uint32_t zl_shared_floor(const zl_conversion *c);

/* Plans one exchange between lanes, for maps that are no bijection too; false
 * where it cannot serve. */
bool zl_convert_by_shuffles(const zl_conversion *c, zlay_convert *plan);

/* Shuffles alone, one for each word of dst, where every lane takes it whole from one word of src; 0:
 * that does not serve. */
uint32_t zl_direct_rounds(const zl_conversion *c);
void zl_convert_directly(const zl_conversion *c, zlay_convert *plan);

/* A plan without steps; NULL: no memory. */
zlay_convert *zl_convert_new(zlay_ctx *ctx);

/* Plans one round trip through shared memory, in *plan, which is made where it
 * is NULL. ZLAY_NONE: each costs `most` or more; UINT32_MAX is no limit. */
zlay_status zl_convert_by_shared(const zl_conversion *c, zlay_convert **plan, uint32_t most);

/* ---- layouts that are not linear over F2, by their points -------------------------------- */

enum { ZL_SRC, ZL_DST };
#define ZL_NOBODY UINT64_MAX

/* State of a conversion by points. A slot is a number here, with the register
 * fastest, then lane, warp and block. */
typedef struct zl_points {
    const zl_conversion *c;
    zlay_convert *plan;
    uint64_t slots[2];
    zl_table held[2]; /* tensor index of each slot of src, of dst */
    uint64_t *from;   /* slot of dst -> the nearest slot of src; ZL_NOBODY where dst is undefined */
} zl_points;

/* Slot of an index of src or dst, and back. */
uint64_t zl_slot_of(const zl_conversion *c, int side, uint64_t index);
uint64_t zl_index_of(const zl_conversion *c, int side, uint64_t slot);

zlay_status zl_convert_points(zl_conversion *c, zlay_convert *plan);
zlay_status zl_points_shared(zl_points *p);

/* Adds a step whose map in direction `way` (ZLAY_CONVERT_FORWARD or _BACK) is
 * this table over the indices of src or dst. */
zlay_status zl_points_step(zl_points *p, int32_t op, int32_t way, int side, const zl_table *map);

/* ---- costs ------------------------------------------------------------------------------- */

enum {
#define COST(name, units, of) ZL_COST_##name = units,
#include "synth/convert/costs.def"
#undef COST
};

typedef enum zl_step_name {
#define NAME(step, ptx, other) ZL_NAME_##step,
#include "synth/convert/names.def"
#undef NAME
    ZL_NAMES
} zl_step_name;

/* The instruction of a step on the target. */
const char *zl_convert_name(const zl_conversion *c, zl_step_name name);

#endif
