/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/barrier.h - mbarriers and groups: may this operation be done now?
 *
 *  One barrier by hand.  It is made for one arrival, so a phase ends when that
 *  arrival came and as many bytes as were announced.  Its counter of bytes
 *  holds less than 2^20: a phase that has announced 2^20 - 1 takes not one more
 *  (BARRIER_TX, fault 719).  While it is in phase 3, a thread may ask for phase
 *  3, or for phase 2, which is over.  Asking for phase 1 by parity asks for 3,
 *  since both are odd, and the thread waits for the wrong one (BARRIER_PHASE).
 */
#ifndef ZLAY_BARRIER_H
#define ZLAY_BARRIER_H

#include <zlay/rule.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What is done to a barrier, or waited for. */
enum {
    ZLAY_BARRIER_INIT = 1,
    ZLAY_BARRIER_INVAL,
    ZLAY_BARRIER_ARRIVE,
    ZLAY_BARRIER_ARRIVE_DROP,
    ZLAY_BARRIER_ARRIVE_EXPECT_TX,
    ZLAY_BARRIER_ARRIVE_DROP_EXPECT_TX,
    ZLAY_BARRIER_ARRIVE_NO_COMPLETE,
    ZLAY_BARRIER_ARRIVE_DROP_NO_COMPLETE,
    ZLAY_BARRIER_EXPECT_TX,
    ZLAY_BARRIER_COMPLETE_TX,
    ZLAY_BARRIER_TEST_WAIT,
    ZLAY_BARRIER_TRY_WAIT,
    ZLAY_BARRIER_WAIT_GROUP,      /* cp.async.wait_group */
    ZLAY_BARRIER_WAIT_BULK_GROUP, /* cp.async.bulk.wait_group */
    ZLAY_BARRIER_SYNC,            /* bar.sync of a named barrier */
    ZLAY_BARRIER_OPS              /* one more than the last */
};

/** Memory order of an operation; NONE where it is not written. */
enum { ZLAY_SEM_NONE = 0, ZLAY_SEM_RELEASE, ZLAY_SEM_ACQUIRE, ZLAY_SEM_RELAXED };

/** Its scope; NONE where it is not written. */
enum { ZLAY_SCOPE_NONE = 0, ZLAY_SCOPE_CTA, ZLAY_SCOPE_CLUSTER, ZLAY_SCOPE_GPU, ZLAY_SCOPE_SYS };

/** Which fields are known; rules ask of those only. */
enum {
    ZLAY_BARRIER_GIVEN_COUNT = 1,   /* the operand `count` is written */
    ZLAY_BARRIER_GIVEN_PENDING = 2,
    ZLAY_BARRIER_GIVEN_TX = 4,
    ZLAY_BARRIER_GIVEN_PARITY = 8,  /* .parity, with the operand `parity` */
    ZLAY_BARRIER_GIVEN_PHASES = 16, /* `phase` and `waited` */
    ZLAY_BARRIER_GIVEN_STATE = 32,  /* the operation returns a state, not '_' */
    ZLAY_BARRIER_GIVEN_REMOTE = 64  /* other blocks arrive at the barrier */
};

/** One operation and the state that it meets.  128 bytes. */
typedef struct zlay_barrier {
    int32_t op;        /* ZLAY_BARRIER_* */
    int32_t space;     /* 0: of this block, 1: shared::cluster */
    int32_t sem;       /* ZLAY_SEM_* */
    int32_t scope;     /* ZLAY_SCOPE_* */
    uint64_t address;  /* shared address of the object */
    uint64_t count; /* arrivals: made with, or counted; groups left to wait for; threads of SYNC */
    uint64_t bytes;    /* announced or completed */
    uint64_t pending;  /* arrivals that the phase still awaits */
    uint64_t tx;       /* bytes that it still awaits */
    uint64_t parity;   /* of the phase in question */
    uint64_t phase;    /* that the barrier is in, from 0 */
    uint64_t waited;   /* phase in question */
    uint32_t given;    /* ZLAY_BARRIER_GIVEN_* */
    uint32_t name;     /* number of a named barrier */
    uint32_t reserved[10]; /* 0 */
} zlay_barrier;

/** Check an operation on a barrier against every rule of its target.
 *
 *  Returns: ZLAY_OK      the question is answered, in *out.
 *           ZLAY_EINVAL  a NULL, an unknown bit of `given`, or a reserved word
 *                        that is not 0.
 *  Out:     out, reasons  as zlay_tensormap_check.
 *  In:      barrier  any value of any field has a verdict.
 */
ZLAY_API zlay_status zlay_barrier_check(zlay_verdict *out, zlay_reason *reasons, size_t room,
                                        const zlay_target *target, const zlay_barrier *barrier);

#ifdef __cplusplus
}
#endif
#endif
