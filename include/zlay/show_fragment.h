/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/show_fragment.h - pictures of operands in registers: which thread has which
 *  element.
 *
 *  By hand: D of mma.sync m16n8 has its row 0 in lanes 0 to 3, two columns each, so
 *  the first row of its picture is T0V0 T0V1 T1V0 T1V1 T2V0 T2V1 T3V0 T3V1, and
 *  row 8 the same with V2 and V3.
 */
#ifndef ZLAY_SHOW_FRAGMENT_H
#define ZLAY_SHOW_FRAGMENT_H

#include <zlay/mma.h>
#include <zlay/show.h>
#include <zlay/tmem.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Show the fragment of zlay_mma_fragment: T5V3 has the element, value 3 of thread 5.
 *  Rows are m (of B n), columns k or n, of metadata groups of k; of mfma the blocks
 *  stand side by side.
 *
 *  Returns: as zlay_mma_fragment; ZLAY_ELIMIT more elements than limits.points.
 *  Out:     out  free it with zlay_picture_free.
 */
ZLAY_API zlay_status zlay_show_mma_fragment(zlay_ctx *ctx, zlay_picture **out,
                                            const zlay_target *target, const zlay_mma *mma,
                                            int32_t fragment);

/** Show the fragment of zlay_warp_fragment: of A 16 rows, of B 8 of the product's columns,
 *  of D 16 x 8, of matrices 8 rows with the matrices side by side.
 *
 *  Returns: as zlay_warp_fragment.
 */
ZLAY_API zlay_status zlay_show_warp_fragment(zlay_ctx *ctx, zlay_picture **out, int32_t fragment,
                                             uint32_t bits, uint32_t registers);

/** Show which register of which thread tcgen05.ld fills from each cell of tensor memory,
 *  or tcgen05.st stores there: rows are lanes behind the address, columns 32-bit columns.
 *
 *  Returns: as zlay_tmem_layout; ZLAY_EINVAL also for a shape of no ld.
 *  In:      map  address 0.
 */
ZLAY_API zlay_status zlay_show_tmem_registers(zlay_ctx *ctx, zlay_picture **out,
                                              const zlay_tmem_map *map);

#ifdef __cplusplus
}
#endif
#endif
