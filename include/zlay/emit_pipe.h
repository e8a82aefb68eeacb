/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/emit_pipe.h - a pipe as a kernel, in PTX or in CUDA C.
 *
 *  What a pipe moves and computes is bound to its names by rules that make every
 *  pipe of copies a whole kernel; moves and fragments replace them.
 *
 *  A kernel by hand: the ring of docs/pipe.md has smem A[2] 16384, and its
 *  barriers lie behind both stages, full at 32768, empty at 32784.  Trip count N
 *  is argument n_N.  No move is bound, so index i of A is filled from byte
 *  16384 i of in_A, and what reads it writes it to byte 16384 i of out_A.  Its
 *  arguments are n_N, in_A, step_in_A, out_A, step_out_A: 256 threads, 32800
 *  bytes of shared memory.
 */
#ifndef ZLAY_EMIT_PIPE_H
#define ZLAY_EMIT_PIPE_H

#include <zlay/attention.h>
#include <zlay/weights.h>
#include <zlay/move.h>
#include <zlay/emit.h>
#include <zlay/pipe.h>
#include <zlay/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What an argument of a kernel is. */
enum {
    ZLAY_ARGUMENT_COUNT = 1, /* u32: a trip count; positions stay below 2^31 */
    ZLAY_ARGUMENT_POINTER,   /* u64: an address in global memory, of block 0 */
    ZLAY_ARGUMENT_STEP,      /* u64: bytes from a block's place to the next's */
    ZLAY_ARGUMENT_MAP,       /* CUtensorMap, by value */
    ZLAY_ARGUMENT_SCALAR     /* f32, s32 or u32: a scalar of a body */
};

/** One argument of a kernel, in the kernel's order. */
typedef struct zlay_pipe_argument {
    char name[80];
    int32_t kind;   /* ZLAY_ARGUMENT_* */
    uint32_t bytes; /* 4, 8 or 128 */
    uint32_t map;   /* of a map: which of its move */
    int32_t type;   /* of a scalar, and of a pointer that a body reads:
                       ZLAY_TYPE_*; else 0 */
} zlay_pipe_argument;

/** How a kernel is launched. */
typedef struct zlay_pipe_launch {
    uint32_t threads;   /* of a block */
    uint32_t cluster;   /* blocks; the grid is a multiple of it */
    uint32_t smem;      /* bytes of dynamic shared memory; of a gfx target of LDS, which its
                           descriptor has */
    uint32_t ptx;       /* version that the text needs, 86 of 8.6; of a gfx target 0 */
    uint32_t arguments; /* in all */
    uint32_t reserved[3]; /* 0 */
} zlay_pipe_launch;

enum { ZLAY_PIPE_AXES = 8 };

/** A move of the pipe bound to a plan: a copy of so many bytes is the tensor
 *  copies of the plan, each map an argument map_<name>_<index>. */
typedef struct zlay_pipe_move {
    const char *name;       /* of the pipe's text */
    const zlay_move *move;  /* of tensor copies */
    const char *axis[ZLAY_PIPE_AXES]; /* what counts the tiles along an axis: a
                               counter of a loop around the event;
                               "position % N", the position of the stage that
                               is filled, from 0 to N-1, or which of the N of an
                               iteration t of a loop from t*N on; "position % N
                               down", the last of them first; "block", "block.y" and
                               "block.z", the number of the block in the grid,
                               "block.y/4" a fourth of it, "block.y % 4" what
                               is left, "block instance" a tile for each
                               instance of the role; "block instance
                               below 9" is outside the tensor from tile 9 on, for
                               blocks that begin tiles which the tensor has not;
                               "position % N down of K" and "K.end": zlay_pipe_lengths;
                               NULL: 0 */
} zlay_pipe_move;

/** A trip count that depends on the block: the least of the argument n_<param>
 *  and (axis * times + add) / divide, rounded down, but never below the param's
 *  own least.  With `behind` the block begins later, by
 *  (axis * times + add - behind) / divide, 0 where that is below 0; bodies have
 *  where it ends as `block.last`.  That many trips fewer are left, and what
 *  counts an axis of a move by a loop up to the param is greater by it.  Where
 *  the pipe has blocks that wait for each other (clusters, flags), all of them
 *  must have the same. */
typedef struct zlay_pipe_count {
    const char *param; /* of the pipe's text */
    const char *axis;  /* "block", as an axis of a move; NULL: the count is the number
                          add / divide for all blocks, and no argument */
    uint32_t times, add, divide; /* products below 2^32; divide from 1 on */
    uint32_t behind; /* 0: begins at 0 */
    const char *plus, *minus; /* names of zlay_pipe_lengths, whose rows are added to `add`, or
                          taken from it, modulo 2^32; a sum below 0 is 0.  NULL: none */
    const char *part;  /* "block.y % 4" with 4 parts: the trips are cut into as many runs of equal
                          lengths, of which the block takes that of this number, and begins there
                          as with `behind`; a run without trips has the least of the param.
                          NULL: it takes all */
    uint32_t parts, reserved; /* of it; 0 */
} zlay_pipe_count;

/** Sequences of different lengths along an axis of the grid.  Sequence z has as
 *  many rows as an array of s32 in global memory says, the argument read_<name>:
 *  [z], or with `starts` [z + 1] - [z], and its rows lie behind those of the
 *  sequences before it.
 *
 *  A tensor map cannot know where a sequence ends.  But a dimension of `most`
 *  rows may begin `most` rows before the tensor, and one more, of the same
 *  stride, counts from there to the end of the sequence: row r of n is at
 *  coordinates most - n + r and (row behind the sequence), and what is past its
 *  last row is outside the map.  In a move "position % N of K" is a tile along the
 *  first of these dimensions, and "K.end" counts the other, where the name is K. */
typedef struct zlay_pipe_lengths {
    const char *name;
    const char *axis;   /* what counts sequences, as of a count: "block.z" */
    const char *tiles;  /* what counts tiles of `height` rows, as "block": a block whose tile begins
                           behind the rows has the least of each count; NULL: none does */
    uint32_t height;
    uint32_t starts;    /* 1: the array has where sequences begin, and one entry more */
    uint32_t most;      /* at least as many rows as any sequence has */
    uint32_t reserved;  /* 0 */
} zlay_pipe_lengths;

/** Text of the caller in the place of an event's own. */
typedef struct zlay_pipe_fragment {
    uint32_t line;     /* of the event, in the pipe's text */
    uint32_t reserved; /* 0 */
    const char *text;  /* of the kernel's language.  It reads `at`, the shared
                          address of the stage, `pos`, the index, `rtid`, the
                          thread in its role's instance, `instance`; it reads and
                          writes acc_<name>_0 .. in PTX, acc_<name>[] in C */
} zlay_pipe_fragment;

/** How products read the stages of a smem, in the place of rows of 64 bf16. */
typedef struct zlay_pipe_operand {
    const char *smem;   /* of the pipe's text */
    int32_t type;       /* ZLAY_TYPE_*: of 16 bits, tf32, or of 8 bits */
    int32_t major;      /* ZLAY_MAJOR_* */
    int32_t swizzle;    /* ZLAY_SWIZZLE_* */
    uint32_t reserved;  /* 0 */
    const zlay_layout *layout; /* (MN, K) -> element offset in the stage, before
                           swizzling, as zlay_smemdesc_synth has it */
} zlay_pipe_operand;

/** Registers of a warpgroup that hold a matrix of 64 rows of f32 as the sums of a
 *  product of wgmma do, though no product makes them: what a body loads. */
typedef struct zlay_pipe_matrix {
    const char *name;   /* of the registers, in the pipe's text */
    uint32_t columns;   /* a multiple of 8, up to 256 */
    uint32_t reserved;  /* 0 */
} zlay_pipe_matrix;

/** What is printed. */
typedef struct zlay_pipe_emit {
    uint32_t size;      /* sizeof(zlay_pipe_emit) */
    int32_t language;   /* ZLAY_TEXT_* */
    const zlay_target *target;
    const zlay_pipe *pipe;
    const char *name;   /* the kernel's */
    size_t name_length;
    const zlay_pipe_move *moves;
    const zlay_pipe_fragment *fragments;
    const zlay_pipe_operand *operands;
    uint32_t moves_count, fragments_count, operands_count;
    uint32_t unchecked; /* 1: print also what zlay_pipe_verify does not prove */
    uint32_t tries;     /* of a wait before it traps; 0: 2^26 */
    uint32_t counts_count;
    const zlay_pipe_count *counts;
    uint32_t descending; /* 1: blocks of x take their numbers from the last down,
                            for what begins first should be what takes longest;
                            not with clusters */
    uint32_t lengths_count;
    const zlay_pipe_lengths *lengths;
    const zlay_pipe_matrix *matrices;
    uint32_t matrices_count;
    uint32_t reserved0;   /* 0 */
    uint64_t reserved[2]; /* 0 */
} zlay_pipe_emit;

/** Print a pipe as a kernel.
 *
 *  A copy into a stage without a bound move reads in_<smem>, a store, a
 *  reduction (adding u32) and a read write out_<smem> or the global memory that
 *  the text names; index e lies at byte e * stage.  A position without a counter
 *  counts as the innermost counter there.  Parts of a stage lie in it one after
 *  the other where they fit together; else each takes the whole stage and index
 *  e has all parts one after the other.  A product without a fragment reads rows
 *  of 64 bf16 in 128 swizzled bytes, as many as the stage has, K-major; its sums
 *  are f32.  `write .. from` stores accumulators, thread t's register r at word
 *  r * threads + t.  `use` is nothing.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE the pipe is proved wrong (the message has the
 *           rule and the line); ZLAY_ELIMIT its verdict is UNDECIDED, or named
 *           barriers run out; ZLAY_EINVAL a NULL, no name, a reserved word
 *           that is not 0, a move, smem or line that there is not; ZLAY_ENOTSUP the
 *           target lacks an instruction, or has rules against it (the message
 *           names line and rule); ZLAY_EROOM (with `need`); ZLAY_ENOMEM.
 *  Out:     out        the text, its `.version` the least that it needs.
 *           launch     may be NULL.
 *           arguments  the first `room`; NULL with room 0.
 */
ZLAY_API zlay_status zlay_emit_pipe(zlay_ctx *ctx, zlay_buf *out, zlay_pipe_launch *launch,
                                    zlay_pipe_argument *arguments, size_t room,
                                    const zlay_pipe_emit *request);

/** The i-th argument of the kernel that zlay_emit_ptx or zlay_emit_assembly prints of
 *  a plan: three maps, which a plan of waves has not, and three addresses, of A, B and
 *  D, then maps of scales, the offsets of groups, the workspace of groups or of stream-K,
 *  the scales, then what an epilogue reads.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE past the last; ZLAY_EINVAL a NULL.
 */
ZLAY_API zlay_status zlay_plan_argument_nth(zlay_pipe_argument *out, const zlay_plan *plan,
                                            uint32_t i);

/** What kernel of attention is printed. */
typedef struct zlay_attention_emit {
    uint32_t size;     /* sizeof(zlay_attention_emit) */
    int32_t language;  /* ZLAY_TEXT_* */
    const zlay_attention_plan *plan;
    const char *name;
    size_t name_length;
    const zlay_pipe *pipe; /* printed in the place of the plan's, whose moves and stages
                              it names (zlay/roles.h makes such); NULL: the plan's */
    uint64_t reserved[3]; /* 0 */
} zlay_attention_emit;

/** Print the kernel of a plan of attention.
 *
 *  Its arguments are the maps of the plan's moves (map_<move>_<number>), n_N and
 *  the scalars that zlay_attention_synth names.  The grid is the plan's.  Of a gfx
 *  target the text is AMDGCN assembly, asked for as ZLAY_TEXT_PTX, and the arguments
 *  are the addresses ptr_q, ptr_k, ptr_v, ptr_o, then the scalars without n_N.
 *
 *  Returns: as zlay_emit_pipe; ZLAY_ENOTSUP also ZLAY_TEXT_CUDA of a gfx target.
 *  Out:     as zlay_emit_pipe.
 */
ZLAY_API zlay_status zlay_emit_attention(zlay_ctx *ctx, zlay_buf *out, zlay_pipe_launch *launch,
                                         zlay_pipe_argument *arguments, size_t room,
                                         const zlay_attention_emit *request);

/** What kernel of a product with weights of 4 or 8 bits is printed. */
typedef struct zlay_weights_emit {
    uint32_t size;     /* sizeof(zlay_weights_emit) */
    int32_t language;  /* ZLAY_TEXT_* */
    const zlay_weights_plan *plan;
    const char *name;
    size_t name_length;
    uint64_t reserved[4]; /* 0 */
} zlay_weights_emit;

/** Print the kernel of a plan of a product with weights of 4 or 8 bits.
 *
 *  Its arguments are the maps of the plan's moves (map_<move>_<number>), n_N and,
 *  where groups of 16 share a scale, x_factor, an f32 that multiplies D.
 *  Of gfx targets the text is assembly (language: ZLAY_TEXT_PTX), and the arguments are
 *  addresses: ptr_a, ptr_b, packed, ptr_s, with zeros ptr_z, ptr_d.
 *  The grid is the plan's.
 *
 *  Returns: as zlay_emit_pipe.
 *  Out:     as zlay_emit_pipe.
 */
ZLAY_API zlay_status zlay_emit_weights(zlay_ctx *ctx, zlay_buf *out, zlay_pipe_launch *launch,
                                       zlay_pipe_argument *arguments, size_t room,
                                       const zlay_weights_emit *request);

#ifdef __cplusplus
}
#endif
#endif
