/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that tensormap.replace takes on a target. */
#ifndef ZL_LEGALITY_REPLACE_H
#define ZL_LEGALITY_REPLACE_H

#include "target/target.h"

/* The last number of a type and of a swizzle that tensormap.replace takes; version 0: any. */
uint64_t zl_elemtype_last(const zlay_target *target, uint32_t ptx);
uint64_t zl_swizzle_last(const zlay_target *target, uint32_t ptx);

#endif
