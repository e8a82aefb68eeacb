/* SPDX-License-Identifier: Apache-2.0 */
/* A tile of one operand on its way to the registers of a wave: what the
 * instruction takes (operand.c), where the tile lies in shared memory
 * (place.c), the layouts and what they prove (lay.c). */
#ifndef ZL_WAVE_H
#define ZL_WAVE_H

#include "algebra/text/format.h"
#include <zlay/bank.h>
#include <zlay/wave.h>

enum { ZL_WAVE_LAYOUTS = ZLAY_WAVE_ORDER + 1, ZL_WAVE_CERTIFICATES = 2, ZL_WAVE_BYTES = 16 };

/* The fragment of an instruction: lane (row, part), value (run, jump) ->
 * row + side * k. */
typedef struct zl_wave_operand {
    uint32_t side, k;         /* rows and K of an instruction */
    uint32_t lanes, each;     /* of a wave; values of a lane */
    uint32_t parts, run;      /* lanes that divide K; consecutive values of K */
    uint32_t part_k, jump_k;  /* what the next part, the next run adds to k */
} zl_wave_operand;

struct zlay_wave {
    zlay_allocator alloc;
    zlay_wave_summary info;
    zlay_mma mma;
    int32_t fragment;
    zl_wave_operand operand;
    uint32_t merged; /* instructions along K whose values one read brings */
    zlay_layout *layout[ZL_WAVE_LAYOUTS];
    zlay_layout *certificate[ZL_WAVE_CERTIFICATES][2];
};

/* Reads the fragment, its rows and parts; ZLAY_ENOTSUP: it has another form. */
zlay_status zl_wave_operand_read(zlay_ctx *ctx, zlay_wave *w);

/* Chooses the widths of accesses, and counts loads, reads and steps. */
zlay_status zl_wave_widths(zlay_ctx *ctx, zlay_wave *w, const zlay_wave_request *request);

/* Chooses the swizzle, and counts the wavefronts of the accesses. */
zlay_status zl_wave_place(zlay_wave *w);

/* Makes the layouts and the certificates, and checks that each pair is
 * equal. */
zlay_status zl_wave_lay(zlay_ctx *ctx, zlay_wave *w);

/* Element of shared memory under a swizzle, which is its own inverse. */
static inline uint32_t zl_wave_swizzled(const zlay_wave_summary *i, uint32_t element)
{
    uint32_t mask = ((1u << i->swizzle_bits) - 1) << i->swizzle_base;
    return element ^ (element >> i->swizzle_shift & mask);
}

/* The element of the tile with which a lane begins a read of a block of rows
 * in a part. */
uint32_t zl_wave_read_element(const zlay_wave *w, uint32_t lane, uint32_t read);

/* zlay_wave_synth as a part of a call (zl_enter_part). */
zlay_status zl_wave_find(zlay_ctx *ctx, zlay_wave **out, const zlay_target *target,
                         const zlay_wave_request *request);

#endif
