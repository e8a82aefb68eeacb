/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts as affine maps over F2, with a reason where they are none. */
#ifndef ZL_SYNTH_BITS_H
#define ZL_SYNTH_BITS_H

#include "algebra/layout/layout.h"

/* ZLAY_NONE with an index that shows it, ENOTSUP, ELIMIT limits.points. */
zlay_status zl_bits_of(zlay_ctx *ctx, zl_affine *out, const zlay_layout *layout, const char *name);

#endif
