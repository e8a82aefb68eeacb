/* SPDX-License-Identifier: Apache-2.0 */
/* Stages that have a layout, as an operand of the request binds it: where a write puts registers into one, where a fetch
 * finds factors, and where the threads of a body load from one. */
#ifndef ZL_EMIT_PIPE_PLACED_H
#define ZL_EMIT_PIPE_PLACED_H

#include "base/base.h"
#include "body/elements.h"
#include "pipe/language/pipe.h"
#include <zlay/emit_pipe.h>

enum { ZL_PT_CHUNKS = 32 /* words of a row of 128 bytes */, ZL_PT_LOADS = 8 /* places that a role's bodies load from */ };

typedef struct zl_pipe_text zl_pipe_text;

/* A stage's layout as a table. */
typedef struct zl_pt_table {
    const int64_t *place; /* row + rows * column -> element of the stage */
    uint64_t rows, columns;
} zl_pt_table;

/* Why the layout of a stage has no table; NULL: it was read, or there is no memory. */
const char *zl_pt_table_read(zl_pipe_text *k, zl_pt_table *out, const zlay_layout *layout);

/* Where a write puts registers into a stage that has a layout. */
typedef struct zl_pt_placed {
    const zl_event *event;
    uint32_t pack;                    /* elements of a register */
    uint32_t swizzled;                /* bits of a row's number that the swizzle adds to that of a chunk */
    uint32_t thread[ZL_ELEMENT_BITS]; /* bytes that each bit of the thread's number adds */
    uint32_t instance;                /* bytes that an instance adds */
    uint32_t *number, *byte, count;   /* of the registers that are written, and their swizzled places */
    uint32_t sharing;                 /* bits of the thread's number among threads that hold the same: the first writes */
    uint32_t matrices;                /* registers of an stmatrix or ldmatrix, 2 or 4; 0: they are stored as words */
    bool transposed, halves;          /* halves: the registers are halves of registers, of two bytes each */
    uint32_t chunk[ZL_PT_CHUNKS], chunks; /* different places within rows of 128 bytes */
    bool looped;   /* it is in a loop: registers put<kept>, one a chunk, or one of a load, are computed before the role's events */
    uint32_t kept;
} zl_pt_placed;

/* A write of a matrix or of rows in registers into a stage whose operand has a layout, by that layout. */
bool zl_pt_has_layout(const zl_pipe_text *k, const zl_event *event);
zlay_status zl_pt_places(zl_pipe_text *k);
/* How many registers of a write, from i on, are stored as one access: 1, 2 or 4, as words; or those of an stmatrix. */
static inline uint32_t zl_pt_together(const zl_pt_placed *p, uint32_t i)
{
    uint32_t wide = 1;
    if (p->matrices || p->halves) return p->matrices ? p->matrices : 1;
    while (wide < 4 && i + wide < p->count && p->byte[i + wide] == p->byte[i] + 4 * wide) wide++;
    return wide == 4 && p->byte[i] % 16 == 0 ? 4 : wide >= 2 && p->byte[i] % 8 == 0 ? 2 : 1;
}
/* The operand that the request binds to a smem; NULL: none. */
const zlay_pipe_operand *zl_pt_operand_of(const zl_pipe_text *k, int32_t smem);
/* The bits of a row's number that a swizzle adds to that of a chunk of 16 bytes, in rows of 128; what it makes of an offset. */
uint32_t zl_pt_swizzle_bits(int32_t swizzle);
uint32_t zl_pt_swizzle(uint32_t bits, uint32_t at);
/* to = the thread's place in stage 0, which begins so many bytes into shared memory: of a write, or of what a body loads. */
void zl_pt_thread_place(zl_pipe_text *k, const char *to, const zl_pt_placed *p, uint32_t begin);
/* What the writes of a role have in common is computed before its events. */
void zl_pt_puts(zl_pipe_text *k);
void zl_pt_put(zl_pipe_text *k, const zl_event *event);
/* Where the threads of a role find a factor of mma.sync that they fetch. */
void zl_pt_fetch_place(zl_pipe_text *k, zl_pt_placed *p);

#endif
