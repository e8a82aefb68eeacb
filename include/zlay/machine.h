/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/machine.h - how fast a target is: units, latencies, rates, capacities.
 *
 *  A machine is a plain struct: copy it, change a number, and give it to what
 *  reckons with it.  Each number has its basis and its source.  What is neither measured
 *  nor documented has basis 0, and a query of it answers NONE.
 *
 *  Times are in cycles of the processor's clock, or in thousandths of a cycle
 *  (names in _milli); rates are in bytes per 1000 cycles (names in
 *  _KILOCYCLE); both are exact integers.
 *
 *  By hand: on sm_80 a warp's fma of 32 lanes takes one of 4 FMA pipes.  The
 *  multiprocessor has 64 lanes of them, a pipe 16, so the instruction occupies
 *  its pipe for 2 cycles: occupancy_milli 2000.
 */
#ifndef ZLAY_MACHINE_H
#define ZLAY_MACHINE_H

#include <zlay/target.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Numbers of a machine; the name ends in the unit where it is no plain count. */
typedef enum zlay_machine_fact {
    ZLAY_MACHINE_PROCESSORS = 0,         /* multiprocessors, compute units */
    ZLAY_MACHINE_CLOCK_KHZ,              /* of a processor under load */
    ZLAY_MACHINE_DRAM_KILOCYCLE,         /* bytes per 1000 cycles: DRAM, of all processors */
    ZLAY_MACHINE_L2_KILOCYCLE,           /* L2, of all processors */
    ZLAY_MACHINE_L2_TOGETHER_KILOCYCLE,  /* the same, where twelve of them read the same lines */
    ZLAY_MACHINE_L2_PROCESSOR_KILOCYCLE, /* L2, what one processor can read */
    ZLAY_MACHINE_L1_KILOCYCLE,           /* L1, of a processor */
    ZLAY_MACHINE_SHARED_KILOCYCLE,       /* shared memory, of a processor */
    ZLAY_MACHINE_COPY_KILOCYCLE, /* tensor copies from L2 to shared memory, of a processor */
    ZLAY_MACHINE_DRAM_CYCLES,    /* latency of a load that misses L2 */
    ZLAY_MACHINE_L2_CYCLES,      /* of one that hits L2 */
    ZLAY_MACHINE_L1_CYCLES,
    ZLAY_MACHINE_SHARED_CYCLES,
    ZLAY_MACHINE_COPY_CYCLES,        /* tensor copy, from L2, to its first bytes seen by a wait */
    ZLAY_MACHINE_MBARRIER_CYCLES,    /* an arrival to the end of another warp's wait */
    ZLAY_MACHINE_ARRIVE_CYCLES,      /* what an arrival at an mbarrier takes its thread */
    ZLAY_MACHINE_WAIT_CYCLES,        /* what a wait takes whose phase is complete */
    ZLAY_MACHINE_BARRIER_CYCLES,     /* a named barrier of 128 threads */
    ZLAY_MACHINE_BLOCK_CYCLES,       /* end of a block to the start of the next in its place */
    ZLAY_MACHINE_LAUNCH_NS,          /* a launch in a graph */
    ZLAY_MACHINE_L2_BYTES,           /* capacity */
    ZLAY_MACHINE_SHARED_BLOCK_BYTES, /* of a block, as zlay_target_info */
    ZLAY_MACHINE_SHARED_BYTES,       /* of a processor */
    ZLAY_MACHINE_REGISTERS,          /* of 32 bits, of a processor */
    ZLAY_MACHINE_TMEM_COLUMNS,       /* of 32 bits, 128 lanes */
    ZLAY_MACHINE_BARRIERS,           /* named barriers of a block */
    ZLAY_MACHINE_BLOCKS,             /* resident blocks of a processor, at most */
    ZLAY_MACHINE_WARPS,              /* resident warps of a processor, at most */
    ZLAY_MACHINE_CLOCK_MOST_KHZ,     /* the highest clock that the device runs at */
    ZLAY_MACHINE_FACTS
} zlay_machine_fact;

/** Units of a processor.  An instruction occupies one or more of a kind. */
typedef enum zlay_machine_unit {
    ZLAY_UNIT_ISSUE = 0, /* schedulers */
    ZLAY_UNIT_FMA,
    ZLAY_UNIT_INTEGER,
    ZLAY_UNIT_SPECIAL, /* exp2, rcp */
    ZLAY_UNIT_CONVERT,
    ZLAY_UNIT_SHUFFLE,
    ZLAY_UNIT_TENSOR,
    ZLAY_UNIT_SHARED, /* the path to shared memory */
    ZLAY_UNIT_COPY,   /* the engine of bulk and tensor copies */
    ZLAY_UNIT_GLOBAL, /* the path to L2 */
    ZLAY_MACHINE_UNITS
} zlay_machine_unit;

/** What instructions do, as far as their cost goes. */
typedef enum zlay_machine_op {
    ZLAY_OP_WGMMA = 0,       /* A and B in shared memory */
    ZLAY_OP_WGMMA_REGISTERS, /* A in registers */
    ZLAY_OP_TCGEN05,
    ZLAY_OP_MMA_SYNC,
    ZLAY_OP_MFMA,
    ZLAY_OP_LD_SHARED, /* a wavefront of a load */
    ZLAY_OP_ST_SHARED,
    ZLAY_OP_LDMATRIX,  /* .x4 */
    ZLAY_OP_STMATRIX,  /* .x4 */
    ZLAY_OP_LD_GLOBAL, /* of 16 bytes a lane */
    ZLAY_OP_ST_GLOBAL,
    ZLAY_OP_EX2,
    ZLAY_OP_RCP,
    ZLAY_OP_FMA,     /* f32: fma, mul, add */
    ZLAY_OP_INTEGER, /* 32 bits: add, compare, select, logic */
    ZLAY_OP_CVT,     /* two f32 to a pair of 16 bits */
    ZLAY_OP_SHFL,
    ZLAY_OP_CP_ASYNC,    /* of 16 bytes a lane */
    ZLAY_OP_BULK,        /* m: bytes */
    ZLAY_OP_TENSOR_COPY, /* m: bytes of a row of the box, n: rows */
    ZLAY_OP_TMEM_LD,     /* of a warp: m columns of 32 lanes */
    ZLAY_OP_TMEM_ST,
    ZLAY_MACHINE_OPS
} zlay_machine_op;

/** A number and who says so. */
typedef struct zlay_machine_value {
    int64_t value;
    int32_t basis;      /* ZLAY_BASIS_*; 0: it is not known, and value is 0 */
    const char *source; /* NULL with basis 0 */
} zlay_machine_value;

/** An instruction form: what it occupies, and when its result is there. */
typedef struct zlay_machine_form {
    int32_t op;              /* zlay_machine_op */
    int32_t type;            /* of A, ZLAY_TYPE_*; -1: any */
    int32_t m, n, k;         /* as the instruction has them; 0: it has none */
    int32_t unit;            /* zlay_machine_unit */
    int32_t units;           /* of that kind, taken together */
    int32_t basis;           /* ZLAY_BASIS_* */
    int64_t occupancy_milli; /* thousandths of a cycle of each unit, of one instruction */
    int64_t latency;         /* cycles, issue to use of its result; 0: not known */
    const char *source;
} zlay_machine_form;

enum { ZLAY_MACHINE_FORMS_MOST = 256 };

/** A machine, by value. */
typedef struct zlay_machine {
    const zlay_target *target;
    zlay_machine_value facts[ZLAY_MACHINE_FACTS];
    zlay_machine_value units[ZLAY_MACHINE_UNITS]; /* how many a processor has */
    uint32_t forms_count;
    zlay_machine_form forms[ZLAY_MACHINE_FORMS_MOST];
} zlay_machine;

/** Read the rows of a target into a machine.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE the tables have no row of the target's
 *           architecture, *out has basis 0 but for what zlay_target_info has;
 *           ZLAY_EINVAL a NULL.
 */
ZLAY_API zlay_status zlay_machine_find(zlay_machine *out, const zlay_target *target);

/** Read a number.  Returns: ZLAY_OK; ZLAY_NONE it is not known; ZLAY_EINVAL a NULL,
 *  or no zlay_machine_fact. */
ZLAY_API zlay_status zlay_machine_get(int64_t *out, const zlay_machine *machine, int32_t fact);

/** How many units of a kind a processor has.  Returns as zlay_machine_get. */
ZLAY_API zlay_status zlay_machine_unit_count(int64_t *out, const zlay_machine *machine,
                                             int32_t unit);

/** Find what an instruction costs.
 *
 *  A row of the same op, m and k, whose type has as many bits where none has
 *  the type itself.  Where n lies between two rows the costs are those between
 *  them, rounded up, and the basis is ZLAY_BASIS_RECKONED.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE no row; ZLAY_EINVAL a NULL, or no
 *           zlay_machine_op.
 *  In:      type     of A; -1 where the op has none.
 *           m, n, k  of the instruction; 0 where it has none.
 */
ZLAY_API zlay_status zlay_machine_form_find(zlay_machine_form *out, const zlay_machine *machine,
                                            int32_t op, int32_t type, int32_t m, int32_t n,
                                            int32_t k);

/** Names, as "clock_khz", "tensor", "wgmma"; NULL for a number that is none. */
ZLAY_API const char *zlay_machine_fact_name(int32_t fact);
ZLAY_API const char *zlay_machine_unit_name(int32_t unit);
ZLAY_API const char *zlay_machine_op_name(int32_t op);

#ifdef __cplusplus
}
#endif
#endif
