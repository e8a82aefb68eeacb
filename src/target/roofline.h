/* SPDX-License-Identifier: Apache-2.0 */
/* What a machine's rates alone make of an amount of work: nanoseconds below which nothing does it. */
#ifndef ZL_ROOFLINE_H
#define ZL_ROOFLINE_H

#include <zlay/machine.h>

/* Of `work` units, of which an instruction of a form does `each`, by all processors; of bytes through DRAM. Rounded down, and
 * saturated, so that they stay bounds; ZLAY_NONE: the machine has no such rate; ZLAY_EINVAL: one below 1. */
zlay_status zl_roofline_said(zlay_ctx *ctx, zlay_status status, const zlay_machine *machine); /* the same with its message */
zlay_status zl_roofline_form(uint64_t *ns, const zlay_machine *machine, const zlay_machine_form *form, uint64_t work, uint64_t each);
zlay_status zl_roofline_dram(uint64_t *ns, const zlay_machine *machine, uint64_t bytes);

#endif
