/* SPDX-License-Identifier: Apache-2.0 */
/* The certificate of a plan: what `layout.equal` decides about its layouts,
 * independently of the planner that made them. */
#ifndef ZL_ALGEBRA_CERTIFICATE_H
#define ZL_ALGEBRA_CERTIFICATE_H

#include <zlay/decide.h>

/* What a plan may rely on, from the call that decided its `i`-th claim: OK after
 * YES; ELIMIT after UNDECIDED, and the message names the limit; EINTERNAL after
 * NO, for the planner is wrong then.  A status other than OK is passed on. */
zlay_status zl_certificate_claim(zlay_ctx *ctx, zlay_status status,
                                 zlay_answer answer, int i);

/* The same of the claim that two layouts are equal, which it decides as a part of
 * the running call. */
zlay_status zl_certificate_equal(zlay_ctx *ctx, const zlay_layout *a,
                                 const zlay_layout *b, int i);

#endif
