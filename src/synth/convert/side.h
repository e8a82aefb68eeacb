/* SPDX-License-Identifier: Apache-2.0 */
/* The two sides of a round trip through shared memory: who stores, who loads, by which access. */
#ifndef ZL_CONVERT_SIDE_H
#define ZL_CONVERT_SIDE_H

#include "synth/convert/convert.h"

/* What one lane of an access holds. */
typedef enum zl_lane_holds { ZL_HOLDS_LANE, ZL_HOLDS_ROWS, ZL_HOLDS_COLUMNS } zl_lane_holds;

typedef struct zl_form_row {
    int32_t access;
    bool stores;
    uint32_t bytes; /* at one address */
    zl_lane_holds holds;
    uint32_t matrices;
} zl_form_row;

enum { ZL_UNITS = 5, ZL_CUTS = 8 }; /* bits of an element's place in 16 bytes; of a piece */

/* Elements at one address: unit[i] is the index of the one in place 2^i, less that of the first. */
typedef struct zl_units {
    unsigned count;
    uint64_t unit[ZL_UNITS];
} zl_units;

typedef struct zl_side {
    const zl_form_row *form;
    zl_banked banked;
    const zl_bitmap *at;  /* registers, lanes and warps -> tensor index, and its block */
    zl_units units;
    zl_bitmap mid;        /* registers as the access wants them, and threads -> own slot */
    uint64_t kept;        /* of them: those that take part */
    unsigned registers;   /* bits of mid's registers */
    uint32_t accesses;    /* instructions of a warp */
    uint32_t phases;      /* of one, with a lane */
    uint32_t permutes;    /* before a store or after a load */
} zl_side;

/* What pairs of forms without fragments begin with: units that both sides could have at one
 * address, in the order in which they are taken, and the spans of the first elements' indices. */
typedef struct zl_starts {
    zl_units common;
    zl_solver own[2], both;
} zl_starts;

/* What both sides share. */
typedef struct zl_trip {
    const zl_conversion *c;
    zl_bitmap at[2];      /* as zl_side has it; of dst by the holder, and which block it is in */
    zl_solver registers[2]; /* span of what registers hold -> registers */
    const zl_starts *starts; /* while pairs are looked at */
    zl_units units[2];      /* of a pair of forms that is looked at */
    zl_solver place[2];     /* tensor index -> place at its address, by those units */
    zl_side side[2];
    uint32_t cost;
    bool free;            /* no access has a conflict */
    unsigned bits;        /* of an offset in a piece */
    unsigned cuts, cut[2][ZL_CUTS]; /* register bits that number the pieces, above the offset */
    zl_bitmap offset;     /* tensor bit -> offset */
} zl_trip;

const zl_form_row *zl_form_at(size_t i);

/* Units of a pair of forms, and places by them; false: no layout has both sides' elements together.
 */
bool zl_units_find(zl_trip *t, const zl_form_row *const form[2]);

/* log2 of the elements at one address; false: an element is wider. */
bool zl_form_width(const zl_conversion *c, const zl_form_row *form, unsigned *out);

/* Take a side by a form with the trip's units; false: it cannot. */
bool zl_side_take(zl_trip *t, int which, const zl_form_row *form);

/* Register and lane bits that a fragment's units are. */
uint64_t zl_fragment_units(const zl_conversion *c, const zl_form_row *form);

/* The fixed units of a fragment's form; false: no such fragment. */
bool zl_side_fragment(const zl_trip *t, int which, const zl_form_row *form, zl_units *out);

/* The tensor indices of an access's lane bits: rows of a fragment, else lanes. */
unsigned zl_side_lanes(const zl_side *s, const zl_conversion *c, uint64_t *lane);

/* Slots of dst -> registers as the access leaves them; false: some register is not among them. */
bool zl_side_behind(const zl_side *s, uint64_t dst, zl_bitmap *out);

/* Register bits by which 2^cuts pieces go one after the other; false: there are none. */
bool zl_trip_cut(zl_trip *t, unsigned cuts);

/* Phases of an access with all its lanes. */
uint32_t zl_side_phases(const zl_side *s, const zl_conversion *c);

void zl_starts_read(zl_starts *out, const zl_trip *t);

/* The best forms for both, and where the elements lie; ZLAY_NONE: there are none, or none whose
 * accesses and permutes cost less than `most`.  `tried` has the bits of both sides; pairs are tried in
 * it. */
zlay_status zl_trip_choose(zl_trip *best, zl_trip *tried, uint32_t most);

/* Offsets of the fewest wavefronts; ZLAY_NONE: none has both sides' elements together. */
zlay_status zl_trip_place(zl_trip *t);

/* Wavefronts of one access of a side, by its addresses. */
zlay_status zl_side_count(zlay_bank *out, const zl_trip *t, int which);

#endif
