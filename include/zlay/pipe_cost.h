/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/pipe_cost.h - how long a block runs a pipe, from the numbers of a machine.
 *
 *  A run of the pipe with a clock: the role that is earliest runs its next
 *  event.  Units serve in the order of requests, one at a time; a copy is there
 *  when its bytes have passed and the latency is over; a wait ends when the last
 *  arrival of its phase is there.  No number is taken from anywhere but the
 *  machine, so the same question has the same answer everywhere.
 *
 *  By hand.  A producer copies tiles of 16384 bytes into a ring of two stages,
 *  and a consumer multiplies each for 500 cycles.  The engine has 64 bytes a
 *  cycle, so a copy takes it 256 cycles; the products bound the pipe, and a trip
 *  more takes 500 cycles more.  With 16 bytes a cycle a copy takes 1024, and so
 *  does a trip: COPY bounds it.
 */
#ifndef ZLAY_PIPE_COST_H
#define ZLAY_PIPE_COST_H

#include <zlay/machine.h>
#include <zlay/pipe.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The instructions of the products that are summed in one name. */
typedef struct zlay_pipe_product {
    const char *name;  /* of the registers, the stage or the tensor memory that D is in; NULL: of
                          all that have no entry */
    int32_t op;        /* zlay_machine_op */
    int32_t type;      /* of A */
    int32_t m, n, k;   /* of one instruction */
    uint32_t count;    /* instructions of one `mma` of the text */
    uint32_t elements; /* of D that a thread has; 0: m n / 128 */
    uint32_t rows;     /* of D that a thread has a part of; 0: 2 */
} zlay_pipe_product;

/** What zlay_pipe_cycles reads. */
typedef struct zlay_pipe_cost_request {
    uint32_t size;               /* sizeof(zlay_pipe_cost_request); a shorter one reads as zeros */
    uint32_t params_count;       /* of `params` */
    const zlay_machine *machine; /* with numbers that you may have changed */
    const int64_t *params;       /* a value for each param, in the order of the text */
    const zlay_pipe_product *products;
    size_t products_count;
    uint64_t share_kilocycle; /* bytes per 1000 cycles that the block gets of L2 and DRAM; 0: as
                                    many as it can take */
    const char *steady;       /* the param one more of which is the interval; NULL: the last */
    uint64_t reserved[4];     /* 0 */
} zlay_pipe_cost_request;

/** How long, and why. */
typedef struct zlay_pipe_cost {
    int64_t cycles;   /* from the first event to the last one that is waited for, rounded up */
    int64_t interval; /* what one more trip adds; -1: the param ends at its value */
    int64_t busy[ZLAY_MACHINE_UNITS]; /* cycles in which a unit serves, of the busiest block */
    int32_t bound;                    /* the unit that is busy the longest in a trip; -1: none is */
    uint32_t reserved;                /* 0 */
    uint64_t facts;                   /* bits of the facts that were used and not measured */
    uint64_t ops;                     /* bits of the ops whose forms were used and not measured */
} zlay_pipe_cost;

/** Reckon how long a block, or a cluster, runs a pipe.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE the machine lacks a number that the pipe needs,
 *           or the run breaks a rule of pipes: the message says which;
 *           ZLAY_EINVAL a NULL, a param outside its range or without a value,
 *           a product of no name of the text, or two of one, or a reserved word
 *           that is not 0; ZLAY_EOVERFLOW a latency that passes 2^40 cycles, or times
 *           that pass 62 bits; ZLAY_ELIMIT the run has more events than limits.points,
 *           or than 32000 of one role;
 *           ZLAY_ENOTSUP an event that has no time here; ZLAY_ENOMEM.
 */
ZLAY_API zlay_status zlay_pipe_cycles(zlay_ctx *ctx, zlay_pipe_cost *out, const zlay_pipe *pipe,
                                      const zlay_pipe_cost_request *request);

#ifdef __cplusplus
}
#endif
#endif
