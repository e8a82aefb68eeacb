/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/show_ragged.h - pictures of ragged groups in tiles.
 *
 *  By hand: groups of 200, 0 and 70 rows in tiles of 128, 64 and 16 have the rows
 *
 *      group 0      128       64 8 of 16!
 *      group 1        .        .        .
 *      group 2       64 6 of 16!        .
 */
#ifndef ZLAY_SHOW_RAGGED_H
#define ZLAY_SHOW_RAGGED_H

#include <zlay/region.h>
#include <zlay/show.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Show a cover: a row for each group, and in it a cell for each part, in the order of
 *  zlay_region_part_nth.  2*128 are two tiles of 128 rows, 200 of 2*128 are 200 valid
 *  rows of them; with columns 200x64 of 2*128x64.  A part that wastes is marked; the
 *  shade and the key are the tile's number.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL; ZLAY_ELIMIT more cells than limits.points; ZLAY_ENOMEM.
 *  Out:     out  free it with zlay_picture_free.
 */
ZLAY_API zlay_status zlay_show_ragged(zlay_ctx *ctx, zlay_picture **out,
                                      const zlay_region *region);

#ifdef __cplusplus
}
#endif
#endif
