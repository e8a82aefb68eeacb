/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/pipe_build.h - a pipe from structs, line by line.
 *
 *  Each call is a line of docs/pipe.md: declarations, setup events, then roles
 *  with their events.  By hand, a ring of one stage whose bytes come from a move
 *  (one copy of 64 x 64 bf16, 8192 bytes):
 *
 *      zlay_pipe_builder *b;
 *      zlay_pipe *pipe;
 *      zlay_pipe_builder_new(ctx, &b, "ring", 1, 0);
 *      zlay_pipe_builder_move(ctx, b, "tile", move);
 *      zlay_pipe_builder_smem(ctx, b, "A", 1, zlay_move_smem(move), 16);
 *      zlay_pipe_builder_declare(ctx, b, &(zlay_pipe_declaration){.size =
 *          sizeof(zlay_pipe_declaration), .word = "bar", .name = "full",
 *          .stages = 1, .count = 1});
 *      ...
 *      zlay_pipe_builder_finish(ctx, &pipe, b);
 *
 *  The pipe is the one that zlay_pipe_parse reads from the same lines, here
 *
 *      move tile 8192
 *      smem A[1] 8192
 *      bar full[1] count 1
 */
#ifndef ZLAY_PIPE_BUILD_H
#define ZLAY_PIPE_BUILD_H

#include <zlay/body.h>
#include <zlay/layout.h>
#include <zlay/move.h>
#include <zlay/pipe.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A pipe that is being built; for one thread at a time. */
typedef struct zlay_pipe_builder zlay_pipe_builder;

/** A position: counter * times + plus + add; a NULL name is left out. */
typedef struct zlay_pipe_at {
    const char *counter; /* of a loop around it */
    const char *times;   /* a param that multiplies the counter, or a number
                            from 1 on in digits */
    const char *plus;    /* a param */
    int64_t add;
} zlay_pipe_at;

/** A number of bytes: times[i] of each move that is named, and `add`. */
typedef struct zlay_pipe_bytes {
    const char *move[4];
    uint32_t times[4]; /* 0: 1 */
    int64_t add;
} zlay_pipe_bytes;

/** A declaration.  A field that its word does not have is 0. */
typedef struct zlay_pipe_declaration {
    uint32_t size;         /* sizeof(zlay_pipe_declaration) */
    uint32_t stages;       /* all but param and move */
    const char *word;      /* param, move, smem, tmem, map, global, flag, bar */
    const char *name;
    zlay_pipe_bytes bytes; /* of move and smem */
    int64_t least, most;   /* of param; most 0: any */
    int64_t count;         /* of bar: arrivals of a phase; of tmem: columns */
    uint32_t each;         /* of smem, global and flag, 1: one for each instance */
    uint32_t pair;         /* of tmem, 1: in both blocks of a pair */
    const char *of;        /* of param: the param whose iterations have a count each;
                              NULL: it is one for all */
    uint64_t reserved[3];  /* 0 */
} zlay_pipe_declaration;

/** A role. */
typedef struct zlay_pipe_role {
    uint32_t size;         /* sizeof(zlay_pipe_role) */
    uint32_t first_warp, last_warp;
    uint32_t each;         /* warps of an instance; 0: all */
    const char *name;
    uint32_t elect;        /* 1: one thread runs it */
    uint32_t pinned;       /* 1: block `cta` alone runs it */
    uint32_t cta;
    uint32_t reserved0;    /* 0 */
    uint64_t reserved[4];  /* 0 */
} zlay_pipe_role;

/** Whose memory or barrier an event works on. */
enum {
    ZLAY_PIPE_CTA_OWN = 0,
    ZLAY_PIPE_CTA_RANK, /* of block `cta` */
    ZLAY_PIPE_CTA_NEXT, /* of the block `cta` ranks on, modulo the cluster */
    ZLAY_PIPE_CTA_EVERY /* of every block */
};

/** An event, or a loop.  A field that its word does not have is 0. */
typedef struct zlay_pipe_event {
    uint32_t size;         /* sizeof(zlay_pipe_event) */
    uint32_t named;        /* of sync and join named: the barrier's number */
    const char *word;      /* for, init, expect, arrive, wait, copy, .. */
    const char *way;       /* which: tensor, wgmma, proxy.async, named, ld, inc, .. */
    const char *name;      /* of a loop's counter */
    zlay_pipe_at first, last; /* of a loop; last is left out */
    int64_t step;          /* of a loop; 0: 1 */
    const char *bar;
    zlay_pipe_at bar_at;
    zlay_pipe_at phase;    /* of wait: index whose phase it waits for */
    uint32_t before;       /* of wait, 1: for the phase before that one */
    uint32_t part;
    zlay_pipe_bytes bytes;
    int64_t number;        /* groups or instructions left, registers, threads
                              of a named barrier, a flag's count */
    const char *smem[2];   /* mma: A, B; copy: to, from */
    zlay_pipe_at at[2];
    const char *tmem[2];   /* mma: the sum; A, or behind A in shared memory the scales of both */
    zlay_pipe_at tmem_at[2];
    const char *acc;       /* registers; of mma its sum; of read those that a global is added to */
    const char *acc_a;     /* of mma: A in registers */
    const char *map;
    zlay_pipe_at map_at;
    const char *other;     /* a global, or a flag */
    zlay_pipe_at other_at;
    const char *scope;     /* of arrive: warps, threads; NULL: one thread */
    uint32_t times;        /* of arrive, raise; instructions of load, put, ..; 0: 1 */
    uint32_t fresh;        /* of mma, 1: it begins a sum */
    uint32_t multicast;    /* mask of blocks; 0: none */
    int32_t where;         /* ZLAY_PIPE_CTA_* */
    uint32_t cta;
    uint32_t first_lane, lanes;     /* of tld and tst; 0 lanes: all */
    uint32_t first_column, columns; /* of tld and tst; 0 columns: all */
    uint32_t signalled;    /* of copy: 1 + the block whose barrier it signals; 0: the memory's */
    const char *acc_b;     /* of mma: B in registers, as A is */
    const char *const *accs; /* of use: the registers behind `acc` */
    const char *body;      /* of use: a body of the pipe */
    const char *by;        /* of use: a function of the caller's */
    zlay_pipe_at index[4]; /* of use: values of the body's indices, in order */
    uint32_t accs_count, indices;
    uint32_t blocks;       /* of use, two bits each: index i is a position (0), or the number
                              of the block in dimension 1, 2 or 3 of the grid */
    uint32_t when;         /* of use, 1: the body runs where `first` is below `last` */
    const char *const *modulo; /* of use: for each index the param that it is taken modulo,
                                  or NULL; NULL: for none */
    const char *const *reads;     /* of use: stages that the body loads from, in order */
    const zlay_pipe_at *reads_at; /* and their indices */
    uint32_t reads_count;
    int32_t named_step;    /* of sync and join named: what each instance of the role adds to
                              `named`: 1 or -1; 0: all have one barrier */
    uint32_t clear;        /* of await, 1: the flag is 0 again behind it */
    uint32_t reserved0;    /* 0 */
    uint64_t reserved[1];  /* 0 */
} zlay_pipe_event;

/** Begin a pipe.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL; ZLAY_ENOMEM.
 *  Out:     out  free it with zlay_pipe_builder_free.
 *  In:      blocks     of the cluster; 0: 1.
 *           registers  of a thread at launch; 0: not said.
 */
ZLAY_API zlay_status zlay_pipe_builder_new(zlay_ctx *ctx, zlay_pipe_builder **out,
                                           const char *name, uint32_t blocks,
                                           uint32_t registers);

/** Free a builder; NULL is allowed. */
ZLAY_API void zlay_pipe_builder_free(zlay_pipe_builder *builder);

/** Add a declaration.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL the message has the line and what is wrong;
 *           ZLAY_ELIMIT; ZLAY_ENOMEM.  After a failure every later call fails.
 *  In:      ctx  the one of zlay_pipe_builder_new, in every call.
 */
ZLAY_API zlay_status zlay_pipe_builder_declare(zlay_ctx *ctx, zlay_pipe_builder *builder,
                                               const zlay_pipe_declaration *declaration);

/** Add `move NAME BYTES`: the bytes that a tile of the move counts.  Returns as
 *  zlay_pipe_builder_declare. */
ZLAY_API zlay_status zlay_pipe_builder_move(zlay_ctx *ctx, zlay_pipe_builder *builder,
                                            const char *name, const zlay_move *move);

/** Add `smem NAME[stages] BYTES`: the room that a layout of elements of so many
 *  bits takes, from offset 0 to its last element.  Returns as
 *  zlay_pipe_builder_declare; ZLAY_EOVERFLOW. */
ZLAY_API zlay_status zlay_pipe_builder_smem(zlay_ctx *ctx, zlay_pipe_builder *builder,
                                            const char *name, uint32_t stages,
                                            const zlay_layout *layout, uint32_t elem_bits);

/** Add a body, `body NAME` to `end`.  Returns as zlay_pipe_builder_declare. */
ZLAY_API zlay_status zlay_pipe_builder_body(zlay_ctx *ctx, zlay_pipe_builder *builder,
                                            const zlay_body *body);

/** Begin a role.  Returns as zlay_pipe_builder_declare. */
ZLAY_API zlay_status zlay_pipe_builder_role(zlay_ctx *ctx, zlay_pipe_builder *builder,
                                            const zlay_pipe_role *role);

/** Add an event to the setup or to the role that is open, or begin a loop.
 *  Returns as zlay_pipe_builder_declare. */
ZLAY_API zlay_status zlay_pipe_builder_event(zlay_ctx *ctx, zlay_pipe_builder *builder,
                                             const zlay_pipe_event *event);

/** End the innermost loop, or the role.  Returns as zlay_pipe_builder_declare. */
ZLAY_API zlay_status zlay_pipe_builder_end(zlay_ctx *ctx, zlay_pipe_builder *builder);

/** The pipe; the builder is then empty and takes nothing more.
 *
 *  Returns: as zlay_pipe_builder_declare.
 *  Out:     out  free it with zlay_pipe_free.
 */
ZLAY_API zlay_status zlay_pipe_builder_finish(zlay_ctx *ctx, zlay_pipe **out,
                                              zlay_pipe_builder *builder);

#ifdef __cplusplus
}
#endif
#endif
