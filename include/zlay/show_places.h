/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/show_places.h - pictures of places: where values of a tile program lie, and when.
 *
 *  By hand: the product of zlay/places.h on sm_90a.  The row of A has `begins` in the
 *  column of global memory and `moved` in that of shared memory; the row of D has `made`
 *  in the column of registers.
 */
#ifndef ZLAY_SHOW_PLACES_H
#define ZLAY_SHOW_PLACES_H

#include <zlay/places.h>
#include <zlay/show.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Show what zlay_places_find chooses.  The first panel has a row for each value and a
 *  column for each place: `begins` or `made` where the value is first, `moved` where a move
 *  brings it, `may` where it may also be.  A panel for each memory of the block follows, in
 *  which values lie: rows are values with what they take of it, from the first byte or
 *  column to the last, of registers how many a thread has; columns are steps, in which an
 *  operation reads and then writes.  The key of a box is the value's number.
 *
 *  Returns: as zlay_places_find.
 *  Out:     out  free it with zlay_picture_free.
 *  In:      request  borrowed.
 */
ZLAY_API zlay_status zlay_show_places(zlay_ctx *ctx, zlay_picture **out,
                                      const zlay_target *target,
                                      const zlay_places_request *request);

#ifdef __cplusplus
}
#endif
#endif
