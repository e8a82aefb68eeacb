/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/stage.h - how the stages of a pipe lie in shared memory, what fills them,
 *  and which barriers tell of it, chosen together.
 *
 *  A request states tensors, the tile of each that a stage holds, and what reads
 *  it.  For each tensor the search chooses a layout of the tile and a primitive
 *  that writes it; for all of them it chooses the tile, the barriers and the
 *  depth of each ring.  All other numbers follow.  With L lines of W bytes a
 *  tile, and C the cycles of a stage:
 *
 *    bytes of a buffer   the layout's, rounded up to its alignment
 *    expect_tx           bytes that copies to this barrier write: with swizzled
 *                        lines of whole spans, else L W
 *    arrivals            full: 1, or the threads where one of the ring's tensors
 *                        is copied by threads; empty: the warps that read, with
 *                        tcgen05 one commit, times the blocks that share a
 *                        multicast tensor of the ring
 *    registers           ceil(L W / (w threads)) * ceil(w / 4), of loads and stores by
 *                        threads, of w bytes each
 *    cycles of a unit    engine, issue, shared, l2, dram, tensor, wait: sums over
 *                        the tensors (docs/stages.md has each of them)
 *    depth of a ring     max(2, 1 + ceil(latency / C)), at most 64
 *    bytes               sum over rings of depth * (buffers + 16) <= smem
 *
 *  C is the least number of cycles that is no less than each unit's and whose
 *  depths fit the shared memory.  The least C / work counts first, then the
 *  fewest bytes, then the fewest barriers, then the order in which tiles,
 *  barriers, layouts and primitives are listed here.
 *
 *  By hand: A and B of 128 x 64 bf16 on sm_90a, read by wgmma, brought by tensor
 *  copies with 1500 cycles of latency, 700 cycles of products.  Under a swizzle of
 *  128 bytes each takes 16384 bytes, 128 wavefronts to write and 128 to read, which
 *  two warpgroups do of B: 640 cycles of shared memory.  So C is 700, the ring has
 *  1 + ceil(1500 / 700) = 4 stages, and 4 * (2 * 16384 + 16) = 131136 bytes.  Where
 *  100000 are left, 3 stages fit, and C is 1500 / 2 = 750.
 */
#ifndef ZLAY_STAGE_H
#define ZLAY_STAGE_H

#include <zlay/copy.h>
#include <zlay/layout.h>
#include <zlay/pipe.h>
#include <zlay/target.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ZLAY_STAGE_TILES = 8, ZLAY_STAGE_TENSORS = 4, ZLAY_STAGE_ACCESSES = 4 };

/** How lines lie in a buffer, in the order of the search. */
enum {
    ZLAY_STAGE_SPANS = 0, /* cut in spans of a swizzle, all lines of a span together; the
                            widest first */
    ZLAY_STAGE_ROWS,     /* one behind the other, 16 bytes aligned, and `pad` more */
    ZLAY_STAGE_XOR,      /* rows, whose chunks of 16 bytes change places by
                            Sw<bits, 4, shift> of the byte offset */
    ZLAY_STAGE_OWN     /* the request's own, none of the above */
};

/** The accesses of descriptors: the products read the whole tile.  The first tensor
 *  that has one is A, (M, K), the second B, (N, K), of the same K; a tile whose types,
 *  M, N or orders no instruction has is left out.  With tcgen05 no other tensor is read. */
enum { ZLAY_STAGE_WGMMA = -1, ZLAY_STAGE_TCGEN05 = -2 };

/** An access that reads every stage. */
typedef struct zlay_stage_access {
    int32_t access;  /* number of zlay_bank_find, or ZLAY_STAGE_WGMMA, ZLAY_STAGE_TCGEN05 */
    uint32_t times;  /* how often; 0: once */
    const zlay_layout *layout; /* as zlay_swizzle_access has it; of products NULL */
} zlay_stage_access;

/** Primitives that a tensor may have, as bits. */
enum {
    ZLAY_STAGE_BY_TENSOR = 1,
    ZLAY_STAGE_BY_BULK = 2,
    ZLAY_STAGE_BY_CP_ASYNC = 4,
    ZLAY_STAGE_BY_THREADS = 8
};

/** A tensor, and its tile of a stage. */
typedef struct zlay_stage_tensor {
    const char *name;          /* of its buffer in the pipe */
    int32_t type;              /* ZLAY_TYPE_*, of 8, 16, 32 or 64 bits */
    uint32_t from_dram;        /* 1: the tile comes from DRAM, once for all blocks that share
                                  it; 0: L2 has it */
    const zlay_layout *source; /* (i, j) -> element offset; one stride is 1, and that mode
                                  is the lines' */
    uint64_t shape[2];         /* of the tile */
    uint32_t align;            /* bytes that divide the tensor's address; 0: 16 */
    uint32_t shared;           /* 1: all blocks of the cluster need the same tile */
    uint32_t primitives;       /* ZLAY_STAGE_BY_*; 0: any */
    int32_t swizzle;           /* where swizzle_fixed is 1: ZLAY_SWIZZLE_* of the layout */
    uint32_t swizzle_fixed;
    uint32_t count;            /* of accesses */
    const zlay_layout *smem;   /* tile -> element offset: the layout; NULL: chosen */
    const zlay_stage_access *accesses;
} zlay_stage_tensor;

/** What one candidate of a stage holds. */
typedef struct zlay_stage_tile {
    uint32_t work;    /* that a stage does, in any unit; 0: 1 */
    uint32_t cycles;  /* of its products in the tensor cores; 0: none */
    uint32_t count, reserved; /* of tensors; 0 */
    const zlay_stage_tensor *tensors;
} zlay_stage_tile;

/** How fast the processor is; bytes per 1000 cycles, cycles.  An entry that is 0
 *  is what zlay knows of the target. */
typedef struct zlay_stage_rates {
    uint32_t shared, copy, l2, dram; /* bytes per 1000 cycles of one processor */
    uint32_t issue;       /* instructions of warps a cycle */
    uint32_t copy_each;   /* cycles of the engine for each copy, besides its bytes */
    uint32_t copy_cycles; /* latency of a tensor or bulk copy */
    uint32_t load_cycles; /* of a load, and of cp.async, from L2 */
    uint32_t far_cycles;  /* more, where the tile comes from DRAM */
} zlay_stage_rates;

/** Which barriers a stage has, in the order of the search. */
enum {
    ZLAY_STAGE_ONE_RING = 0, /* one full and one empty barrier a stage */
    ZLAY_STAGE_RINGS         /* rings of their own for tensors that are copied by bulk or
                                tensor copies; one for all that threads copy */
};

/** What zlay_stage_synth reads. */
typedef struct zlay_stage_request {
    uint32_t size;       /* sizeof(zlay_stage_request) */
    uint32_t count;      /* of tiles */
    const zlay_stage_tile *tiles;
    uint64_t smem;       /* bytes that rings may take; 0: all of a block's */
    uint32_t threads;    /* that produce, whole warps; 0: 128 */
    uint32_t consumers;  /* threads that read, whole warps; 0: 128, with wgmma 2 M of A's tile,
                            with tcgen05 32 */
    uint32_t registers;  /* of a thread, for bytes in flight; 0: 64 */
    uint32_t cluster;    /* blocks, 1, 2 or 4; 0: 1 */
    uint32_t depth;      /* of every ring; 0: chosen */
    uint32_t barriers_fixed; /* 1: `barriers` counts */
    int32_t barriers;    /* ZLAY_STAGE_ONE_RING or _RINGS */
    uint32_t reserved0;  /* 0 */
    zlay_stage_rates rates;
    uint64_t reserved[4]; /* 0 */
} zlay_stage_request;

/** Units of a processor, whose cycles a stage takes. */
enum {
    ZLAY_STAGE_ENGINE = 0,
    ZLAY_STAGE_ISSUE,
    ZLAY_STAGE_SHARED,
    ZLAY_STAGE_L2,
    ZLAY_STAGE_DRAM,
    ZLAY_STAGE_TENSOR,
    ZLAY_STAGE_WAIT,  /* for loads by threads, which no ring hides */
    ZLAY_STAGE_UNITS
};

/** A stage that was chosen; immutable, read by any thread. */
typedef struct zlay_stage zlay_stage;

/** What was chosen for all tensors. */
typedef struct zlay_stage_summary {
    const zlay_target *target;
    uint32_t tile;        /* index in the request */
    int32_t barriers;     /* ZLAY_STAGE_ONE_RING or _RINGS */
    uint32_t rings, tensors;
    uint64_t cycles;      /* of a stage */
    uint64_t unit[ZLAY_STAGE_UNITS]; /* cycles of each unit */
    uint64_t bytes;       /* of all rings, barriers included */
    uint32_t mbarriers;
    uint32_t registers;   /* of a thread */
    uint32_t threads, consumers;
    uint64_t in_turn;     /* cycles of a stage where layouts are chosen first, then primitives,
                             then barriers, then the depth; 0: nothing fits then */
    uint32_t in_turn_tile, in_turn_work;
    uint64_t candidates;  /* pairs of layout and primitive of all tiles */
    uint64_t visited;     /* nodes of the search */
    uint32_t optimal;     /* 1: none is better; 0: the search met limits.points */
    uint32_t reserved0;
    zlay_stage_rates rates; /* that were used */
    uint64_t reserved[4];
} zlay_stage_summary;

/** What was chosen for a tensor. */
typedef struct zlay_stage_choice {
    int32_t layout;     /* ZLAY_STAGE_ROWS .. */
    int32_t swizzle;    /* of SPANS: ZLAY_SWIZZLE_*; else ZLAY_SWIZZLE_NONE */
    uint32_t pad;       /* of ROWS, bytes */
    uint32_t bits, shift; /* of XOR */
    int32_t kind;       /* ZLAY_COPY_TENSOR_LOAD, _BULK_LOAD, _CP_ASYNC, _THREAD_LOAD */
    uint32_t width;     /* bytes of a thread's access; else 0 */
    uint32_t multicast; /* blocks that each copy writes to */
    uint32_t copies;    /* that this block issues; of threads: instructions of warps */
    uint32_t ring;      /* 0 on */
    uint32_t depth;
    uint32_t full, empty; /* arrivals of its ring's barriers */
    uint32_t expect;    /* bytes that the full barrier expects for this tensor */
    uint32_t buffer;    /* bytes of one stage */
    uint32_t registers; /* of a thread */
    uint32_t latency;   /* cycles */
    uint64_t reads, writes; /* wavefronts of shared memory */
    uint64_t global;    /* bytes from L2 to this block */
    uint64_t reserved[4];
} zlay_stage_choice;

/** Choose layouts, primitives, tile, barriers and depths of a stage.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE nothing does: the message has the least bytes of
 *           shared memory that would do, or for a tensor the rule that forbids
 *           each primitive; ZLAY_EINVAL the message names the field;
 *           ZLAY_ENOTSUP an access, a type or a rate that is not known on the
 *           target; ZLAY_ELIMIT a tile of more than 2^20 bytes, limits.work;
 *           ZLAY_ENOMEM.
 *  Out:     out  free it with zlay_stage_free.  Its pipe was proved.
 */
ZLAY_API zlay_status zlay_stage_synth(zlay_ctx *ctx, zlay_stage **out, const zlay_target *target,
                                      const zlay_stage_request *request);

/** Free a stage; NULL is allowed. */
ZLAY_API void zlay_stage_free(zlay_stage *stage);

/** Read what was chosen.  Returns: ZLAY_OK; ZLAY_EINVAL a NULL. */
ZLAY_API zlay_status zlay_stage_info(zlay_stage_summary *out, const zlay_stage *stage);

/** The i-th tensor's choice.  Returns: ZLAY_OK; ZLAY_NONE past the last;
 *  ZLAY_EINVAL a NULL. */
ZLAY_API zlay_status zlay_stage_choice_nth(zlay_stage_choice *out, const zlay_stage *stage,
                                           uint32_t i);

/** The i-th tensor's layout, tile -> element offset in the buffer; lines of SPANS
 *  have whole spans.  Lives as long as the stage; NULL past the last. */
ZLAY_API const zlay_layout *zlay_stage_layout(const zlay_stage *stage, uint32_t i);

/** The pipe of the stage: a producer and the readers, proved; lives as long as the
 *  stage; NULL for NULL. */
ZLAY_API const zlay_pipe *zlay_stage_pipe(const zlay_stage *stage);

/** Names, as "tensor", "xor", "engine"; NULL for a number that is none. */
ZLAY_API const char *zlay_stage_kind_name(int32_t kind);
ZLAY_API const char *zlay_stage_layout_name(int32_t layout);
ZLAY_API const char *zlay_stage_unit_name(int32_t unit);

#ifdef __cplusplus
}
#endif
#endif
