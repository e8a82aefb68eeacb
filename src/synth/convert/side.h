/* SPDX-License-Identifier: Apache-2.0 */
/* The two sides of a round trip through shared memory: which slots store, which
 * slots load, and by which access. */
#ifndef ZL_CONVERT_SIDE_H
#define ZL_CONVERT_SIDE_H

#include "synth/convert/convert.h"

/* What a lane of an access holds: its own bytes, or part of 8 x 8 matrices. */
typedef enum zl_lane_holds { ZL_HOLDS_LANE, ZL_HOLDS_ROWS, ZL_HOLDS_COLUMNS } zl_lane_holds;

typedef struct zl_form_row {
    int32_t access;
    bool stores;
    uint32_t bytes; /* at one address */
    zl_lane_holds holds;
    uint32_t matrices;
} zl_form_row;

/* Most bits of an element's place in 16 bytes; most bits that number pieces. */
enum { ZL_UNITS = 5, ZL_CUTS = 8 };

/* Elements at one address: unit[i] is the tensor index of the element in place
 * 2^i, minus that of the first. */
typedef struct zl_units {
    unsigned count;
    uint64_t unit[ZL_UNITS];
} zl_units;

typedef struct zl_side {
    const zl_form_row *form;
    zl_banked banked;
    const zl_bitmap *at;  /* register, lane, warp -> tensor index and block */
    zl_units units;
    zl_bitmap mid;        /* slot in the access's order -> the side's slot */
    uint64_t kept;        /* the bits of mid that take part */
    unsigned registers;   /* bits of mid's registers */
    uint32_t accesses;    /* instructions of a warp */
    uint32_t phases;      /* of one instruction with all lanes */
    uint32_t permutes;    /* before a store or after a load */
} zl_side;

/* What all pairs of forms without fragments share: the units that both sides
 * could have at one address, in the order in which they are taken, and the
 * spans of the first elements' indices. */
typedef struct zl_starts {
    zl_units common;
    zl_solver own[2], both;
} zl_starts;

/* A round trip: both sides, and what they share. */
typedef struct zl_trip {
    const zl_conversion *c;
    zl_bitmap at[2];      /* as zl_side has it; of dst, by the holder */
    zl_solver registers[2]; /* span of what registers hold -> registers */
    const zl_starts *starts; /* while pairs are tried */
    zl_units units[2];      /* of the pair of forms that is tried */
    zl_solver place[2];     /* tensor index -> place at its address */
    zl_side side[2];
    uint32_t cost;
    bool free;            /* no access has a conflict */
    unsigned bits;        /* of an offset in a piece */
    unsigned cuts, cut[2][ZL_CUTS]; /* register bits that number the pieces */
    zl_bitmap offset;     /* tensor bit -> offset */
} zl_trip;

const zl_form_row *zl_form_at(size_t i);

/* Finds the units of a pair of forms, and the places at an address; false: no
 * layout has the elements of both sides together. */
bool zl_units_find(zl_trip *t, const zl_form_row *const form[2]);

/* log2 of the elements at one address; false: an element is wider. */
bool zl_form_width(const zl_conversion *c, const zl_form_row *form, unsigned *out);

/* Plans a side with a form and the trip's units; false: it cannot. */
bool zl_side_take(zl_trip *t, int which, const zl_form_row *form);

/* The register and lane bits whose elements lie at one address of a
 * fragment. */
uint64_t zl_fragment_units(const zl_conversion *c, const zl_form_row *form);

/* The fixed units of a fragment's form; false: no such fragment. */
bool zl_side_fragment(const zl_trip *t, int which, const zl_form_row *form, zl_units *out);

/* The tensor indices of an access's lane bits: rows of a fragment, else
 * lanes. */
unsigned zl_side_lanes(const zl_side *s, const zl_conversion *c, uint64_t *lane);

/* Slots of dst -> registers in the order of the access; false: the access does
 * not load some register. */
bool zl_side_behind(const zl_side *s, uint64_t dst, zl_bitmap *out);

/* Finds register bits that split the trip into 2^cuts pieces; false: there are
 * not enough. */
bool zl_trip_cut(zl_trip *t, unsigned cuts);

/* Phases of an access with all its lanes. */
uint32_t zl_side_phases(const zl_side *s, const zl_conversion *c);

void zl_starts_read(zl_starts *out, const zl_trip *t);

/* Chooses the best forms of both sides, and the offsets. ZLAY_NONE: no pair
 * serves, or none whose accesses and permutes cost less than `most`. `tried`
 * has the bits of both sides, and is the room in which pairs are tried. */
zlay_status zl_trip_choose(zl_trip *best, zl_trip *tried, uint32_t most);

/* Finds the offsets with the fewest wavefronts; ZLAY_NONE: no offsets have the
 * elements of both sides together. */
zlay_status zl_trip_place(zl_trip *t);

/* Exchanges bits of the offsets, so that addresses take fewer instructions. */
void zl_trip_tidy(zl_trip *t);

/* Counts the wavefronts of one access of a side, by its addresses. */
zlay_status zl_side_count(zlay_bank *out, const zl_trip *t, int which);

#endif
