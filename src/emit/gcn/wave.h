/* SPDX-License-Identifier: Apache-2.0 */
/* The text of an AMD kernel while it is printed: what the plan of a GEMM says, which scalar registers
 * hold what, and how far the text is. Wait states depend on which instructions were printed before,
 * so the state counts them. */
#ifndef ZL_EMIT_WAVE_H
#define ZL_EMIT_WAVE_H

#include "base/base.h"
#include "pipe/language/pipe.h"
#include "synth/gemm/plan.h"
#include <zlay/buffer.h>
#include <zlay/emit_pipe.h>
#include <zlay/instruction.h>
#include <zlay/mma.h>
#include <zlay/waitcnt.h>

/* Scalar registers by number.  A resource is four of them, from a multiple of four on. */
enum {
    ZL_S_ARGUMENTS = 0,
    ZL_S_TILE_N = 2,
    ZL_S_TILE_M = 3,    /* with groups the tile's first row, once it is found */
    ZL_S_POINTER = 4, /* pairs of A, B, D */
    ZL_S_WAVE = 10,
    ZL_S_GROUP = 11,
    ZL_S_RESOURCE = 12, /* of A, B, D */
    ZL_S_READ = 24,     /* the stage that is multiplied, bytes */
    ZL_S_NEXT,          /* the one behind it */
    ZL_S_LOAD,          /* the one that is loaded, with the wave's own part of each load */
    ZL_S_LOAD_FIRST,
    ZL_S_LOAD_END,
    ZL_S_LEFT,    /* rounds of the loop */
    ZL_S_COLUMNS, /* of D from the tile's first on */
    ZL_S_ROUND,
    ZL_S_PAIR,   /* constants of the rounding to bf16 */
    ZL_S_SCRATCH, /* two */
    ZL_S_HALF = ZL_S_SCRATCH + 2,
    ZL_S_EXEC, /* two: that of before a masked load */
    ZL_S_ARRAYS = ZL_WAVE_ARRAYS,
    /* Of the search for a tile's group, where others follow: the address of an offset, where a group begins, its tiles, where
     * it and up to seven more end; the rows that the group has from the tile's first on. */
    ZL_S_OFFSETS = ZL_S_RESOURCE,
    ZL_S_BEGINS = ZL_S_OFFSETS + 2,
    ZL_S_TALL,
    ZL_S_ENDS,
    ZL_S_ROWS = ZL_S_LEFT
};

typedef enum zl_wave_form_id {
#define WAVE_FORM(id, instruction) ZL_WAVE_##id,
#include "emit/gcn/forms.def"
#undef WAVE_FORM
    ZL_WAVE_FORMS
} zl_wave_form_id;

enum { ZL_WAVE_OPERANDS = 6 };

/* A form as zlay/instruction.h has it. */
typedef struct zl_wave_phrase {
    uint32_t form, count;
    zlay_operand operand[ZL_WAVE_OPERANDS];
} zl_wave_phrase;

enum { ZL_SUMS_MOST = 64, ZL_WAVE_STAGED = 2, ZL_WAVE_BOUND = 3 };

/* An operand of the kernel: the parts of a stage in their order, then what is stored. */
typedef struct zl_wave_bound {
    uint32_t element;                /* bytes */
    uint64_t row, spare;             /* bytes from a row to the next; behind its last element */
    uint64_t outer;                  /* rows of the matrix */
    uint32_t tile, rows;             /* scalar register of the block's tile, or of its first row; rows of a tile */
    uint64_t step, each;             /* bytes that one of `tile` adds; from the matrix of a group to the next, 0: one of all */
    bool ragged;                     /* a group has fewer rows than the matrix: ZL_S_ROWS */
    uint32_t waves, turn;            /* wave w has part w / turn % waves of the rows */
    uint32_t loads, first_load;      /* of a thread, among those of a stage */
    uint32_t blocks, first_block;    /* fragments of a read, among those of all parts */
    uint32_t smem;                   /* bytes from the stage's start */
    uint32_t pointer, resource;      /* first scalar registers */
} zl_wave_bound;

/* What the kernel descriptor and the metadata say of a kernel. */
typedef struct zl_wave_kernel {
    const char *name;
    size_t name_length;
    uint32_t smem, threads, lanes, registers, accumulators, scalars, argument_bytes;
    uint32_t third; /* 1: a grid of three dimensions */
} zl_wave_kernel;

typedef struct zl_wave_text {
    zl_text *out;
    const zlay_target *target;
    zl_wave_kernel kernel;
    const zlay_plan *plan; /* of a GEMM */
    const zlay_wave_gemm *w;
    const zl_wave_registers *r;
    zl_wave_bound bound[ZL_WAVE_BOUND];
    zlay_mma_form product_form;
    zlay_wave_launch launch;
    zlay_waitcnt most;    /* that a wait can name */
    uint32_t raw;         /* the last word of a resource of bytes */
    zl_wave_phrase phrases[ZL_WAVE_FORMS];
    zlay_ctx *ctx;
    zlay_status *status;  /* of the first thing that has no instruction; the rest is printed on */
    const char **refused; /* the first form whose operands no rule allows */
    uint32_t printed;               /* instructions and wait states so far */
    uint32_t product[ZL_SUMS_MOST]; /* the number of the last product into each result */
    uint32_t fetched[ZL_WAVE_STAGED]; /* reads of the present stage, of each part */
    uint32_t placed, placed_at;     /* the load to shared memory whose place was said, and where */
    uint32_t label;
    const zl_event *use; /* of the body that is printed with the stores of its result */
    uint64_t loaded; /* tiles of K whose loads were printed */
} zl_wave_text;

void zl_wave_line(zl_wave_text *t, const char *format, ...) ZL_PRINTF(2, 3);

/* Reads from the target what every kernel needs of it: the form of its matrix instruction, what waits can name, the last word
 * of a resource of bytes. */
zlay_status zl_wave_target_read(zl_wave_text *t, const zlay_target *target, const zlay_mma *mma);
/* Prints a frame text with what the kernel has in the place of its words; `arguments` prints their metadata. */
typedef void zl_wave_arguments(zl_wave_text *t);
void zl_wave_frame_put(zl_wave_text *t, const char *text, zl_wave_arguments *arguments);
/* The metadata of an argument. */
void zl_wave_argument_put(zl_wave_text *t, const zl_wave_argument *a);

/* Checks what a caller asks of a printer, and reads from the target what the kernel needs of it; the text has its ctx. */
zlay_status zl_wave_begin(zl_wave_text *t, const zlay_target *target, const zlay_mma *mma, const char *name, size_t length,
                          int32_t language);
/* Prints a kernel whose text is the first member of what `print` takes; what no instruction does, or breaks a rule, is its status. */
zlay_status zl_wave_print(zlay_buf *out, zl_wave_text *t, void (*print)(zl_text *out, const void *value));
/* An argument as the caller of a printer reads it. */
void zl_wave_argument_give(zlay_pipe_argument *out, const zl_wave_argument *a);

/* Look up all forms. */
void zl_wave_phrases_read(zl_wave_text *t);

/* A form with its operands in order: numbers of first registers, and constants. */
void zl_wave_form(zl_wave_text *t, zl_wave_form_id id, const uint32_t *values);

/* A wait; a count above the greatest that the instruction can name is lowered to it, which waits for more. */
void zl_wave_wait(zl_wave_text *t, const zl_event *e);

/* The wait states that an instruction yet to be printed owes to the one that was the `at`-th. */
void zl_wave_hold(zl_wave_text *t, uint32_t first, uint32_t then, uint32_t at);

/* The operands of the plan. */
void zl_wave_bind(zl_wave_text *t);

/* Finds the group and the first row of the block's tile, where groups have rows; a block that has no tile ends. */
void zl_wave_groups(zl_wave_text *t);

/* Addresses, resources, constants. */
void zl_wave_setup(zl_wave_text *t);

/* The events of the pipe. */
void zl_wave_events(zl_wave_text *t);

/* With scales: whether a use is of the bodies that begin and add sums; that; and the accumulators that all sums become. */
bool zl_wave_scales_is(const zl_wave_text *t, const zl_event *e);
void zl_wave_scales(zl_wave_text *t, const zl_event *e);
void zl_wave_scales_end(zl_wave_text *t);

/* The body of the event `use`, and the stores of its result. */
void zl_wave_store(zl_wave_text *t);

#endif
