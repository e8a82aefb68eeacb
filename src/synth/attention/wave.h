/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a plan of attention for targets whose matrix instructions read registers (MFMA).
 *
 * A wave has `side` queries, one in each lane of a row of lanes. It computes the transposed scores
 * S^T = K Q^T, so that a lane's values are scores of one query, and then O^T = V^T P^T. Registers
 * that hold four keys of S^T are, value by value, those that the instruction reads as P^T: the
 * weights are rounded where they stand and never leave their lanes. */
#ifndef ZL_SYNTH_ATTENTION_WAVE_H
#define ZL_SYNTH_ATTENTION_WAVE_H

#include "body/room.h"
#include "pipe/language/pipe.h"
#include <zlay/mma.h>
#include <zlay/wave.h>

/* The two operands that have a number for each step: arrays of zl_attention_wave. */
enum { ZL_KEYS = 0, ZL_VALUES = 1 };

/* What registers of the pipe hold. */
enum {
    ZL_AW_KEYS_LOADED = 0, /* on their way from global to shared memory */
    ZL_AW_VALUES_LOADED,
    ZL_AW_KEYS, /* two sets of fragments of keys, two of values */
    ZL_AW_KEYS_NEXT,
    ZL_AW_VALUES,
    ZL_AW_VALUES_NEXT,
    ZL_AW_QUERIES,
    ZL_AW_SCORES,
    ZL_AW_WEIGHTS,
    ZL_AW_SUMS,
    ZL_AW_RESULT,
    ZL_AW_TOP,
    ZL_AW_TOTAL,
    ZL_AW_FACTOR,
    ZL_AW_SETS
};
extern const char *const zl_attention_sets[ZL_AW_SETS];

/* Kernel arguments: addresses of 8 bytes, then scalars of 4. */
enum { ZL_AW_POINTERS = 4, ZL_AW_SCALARS = 4 };

enum { ZL_AW_CERTIFICATES = 2, ZL_AW_OFFSETS = 12 /* registers before those of the plan */ };

typedef struct zl_attention_wave {
    uint32_t waves; /* of a block; 0: the target has no MFMA */
    uint32_t lanes, element; /* of a wave; bytes */
    zlay_mma mma;            /* one instruction for both products */
    zlay_wave *keys;         /* tiles of keys to registers */
    zlay_layout *certificate[ZL_AW_CERTIFICATES][2];
    uint32_t smem[2];        /* bytes of a stage of keys, of values */
    uint32_t loads[2];       /* instructions of a thread for a tile of keys, of values */
    uint32_t blocks[2];      /* matrix instructions along the keys of a tile, along a head */
    uint32_t steps[2];       /* reads of a fragment along a head, along the keys of a tile */
    uint32_t set[ZL_AW_SETS]; /* first register of each */
    uint32_t offset[2], write, read[2], at; /* of loads; of stores, of reads in a stage; scratch of these */
    uint32_t query;          /* the lane's query: its offset in Q, then in O */
    uint32_t values;         /* first register of a body's values */
    uint32_t registers, masks;
    int32_t acc[ZL_AW_SETS]; /* of the pipe */
} zl_attention_wave;

struct zlay_attention_plan;

/* Plans all of it but the moves, which such a target does not have. */
zlay_status zl_attention_wave_plan(zlay_ctx *ctx, struct zlay_attention_plan *p);
void zl_attention_wave_free(zl_attention_wave *w);

/* Whether the target multiplies so. */
bool zl_attention_by_waves(const zlay_target *target);

/* The text of the pipe of such a plan. */
void zl_attention_wave_put(zl_text *out, const void *plan);

/* A use of a body: its operands in registers, the elements of the wave that a lane holds, what it leaves. */
typedef struct zl_attention_use {
    const zlay_body *body;
    uint32_t bound[ZL_BODY_OPERANDS]; /* set of an operand in registers, ZL_AW_* */
    zl_room_outputs outputs;
    zl_elements elements;
    zl_room room;
} zl_attention_use;
zlay_status zl_attention_use_read(zlay_ctx *ctx, zl_attention_use *out, const struct zlay_attention_plan *p,
                                  uint32_t event);

/* The i-th scalar argument: its name, and whether the plan has it. */
const char *zl_attention_scalar(const struct zlay_attention_plan *p, uint32_t i, int32_t *type);

#endif
