/* SPDX-License-Identifier: Apache-2.0 */
/* zlay_places_find as a part of another call, with what only its search knows. */
#ifndef ZL_SYNTH_PLACES_FIND_H
#define ZL_SYNTH_PLACES_FIND_H

#include <zlay/places.h>

/* By value and place: the steps, as bits, in which a value is alive there, 2t where operation t
 * reads and 2t + 1 where it writes; and what it takes there: bytes of shared memory, registers of
 * a thread, columns of tensor memory. */
typedef struct zl_places_lives {
    uint64_t steps[ZLAY_PLACES_VALUES][ZLAY_PLACE_KINDS];
    uint64_t room[ZLAY_PLACES_VALUES][ZLAY_PLACE_KINDS];
} zl_places_lives;

/* lives: NULL: not asked. */
zlay_status zl_places_find(zlay_ctx *ctx, zlay_places *out, zl_places_lives *lives,
                           const zlay_target *target, const zlay_places_request *request);

#endif
