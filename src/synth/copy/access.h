/* SPDX-License-Identifier: Apache-2.0 */
/* One access of a warp, for which zl_copy_count counts sectors and wavefronts. */
#ifndef ZL_COPY_ACCESS_H
#define ZL_COPY_ACCESS_H

#include "synth/copy/copy.h"

enum { ZL_LANES_MOST = 64, ZL_SECTOR = 5, ZL_LINE = 7 }; /* log2 of bytes */

typedef struct zl_counting {
    const zl_copy *c;
    const zl_copy_way *way;
    const zl_move_part *part;
    const zl_copy_lane_bits *lanes;
    int side;
    uint64_t modulus;              /* of the residues, elements, a power of two */
    uint32_t ends;                 /* bit k: mode k's last, partial block */
    uint32_t active;               /* lanes */
    int64_t offset[ZL_LANES_MOST]; /* of each active lane, elements */
    uint8_t lane[ZL_LANES_MOST];   /* its number */
    uint32_t runs;                 /* of elements that the lanes take together, rising */
    int64_t run[ZL_LANES_MOST], length[ZL_LANES_MOST];
    uint64_t instructions, sectors, lines, wavefronts, permutes;
    bool uncounted, lines_too;
} zl_counting;

/* Whether an access is the union of its runs: no swizzle moves elements, and one instruction
 * makes it. */
bool zl_copy_has_runs(const zl_counting *n);
void zl_copy_runs(zl_counting *n);

/* Adds the counts of `times` accesses, whose lanes lie at their offsets from `base`. */
void zl_copy_access(zl_counting *n, int64_t base, uint64_t times);

#endif
