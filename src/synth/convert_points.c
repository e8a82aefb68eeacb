/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions of layouts that are not linear over F2, by their points. */
#include "synth/convert.h"

zlay_status zl_convert_points(zl_conversion *c, zlay_convert *plan)
{
    (void)plan;
    return zl_fail(c->ctx, ZLAY_ENOTSUP, "src and dst: not both linear over F2 with one constant");
}
