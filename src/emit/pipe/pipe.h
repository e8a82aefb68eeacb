/* SPDX-License-Identifier: Apache-2.0 */
/* A pipe's kernel while it is printed, in PTX or in CUDA C: the request, the places that its names
 * have (place.c), and where the text is. The setup, every role and every event are printed by loops
 * over the pipe's flat arrays. Each event computes its own addresses into scratch registers of
 * fixed names, so events do not depend on each other's text. */
#ifndef ZL_EMIT_PIPE_H
#define ZL_EMIT_PIPE_H

#include "base/base.h"
#include "emit/pipe/blocks/blocks.h"
#include "emit/pipe/placed.h"
#include "emit/pipe/say.h"
#include "legality/matrix/sync.h"
#include <zlay/mma.h>

enum {
    ZL_PT_NAMES = 64,      /* of a sort, as the parser has it */
    ZL_PT_REGISTERS = 256, /* of accumulators */
    ZL_PT_BLOCKS = 16,     /* open loops and branches */
    ZL_PT_RINGS = 8,       /* kept in registers by a role */
    ZL_PT_STEPS = 64,      /* of K, times instructions along rows */
    ZL_PT_BASES = 16,      /* of descriptors, kept by a role */
    ZL_PT_KEPT_ROWS = 2,   /* first rows of a thread, kept by a role */
    ZL_PT_OWN_BARS = 4,       /* numbers of barriers of an instance, kept by a role */
    ZL_PT_HALVES = 16,     /* registers v0 and on, of 16 bits */
    ZL_PT_ALIGN = 1024     /* of what products and tensor copies use */
};

/* How a stage's parts lie: `all` bytes of an index in global memory, `at` the place of one in its
 * stage and `further` in global memory. */
typedef struct zl_span_of {
    uint64_t at, further, bytes, all;
} zl_span_of;

/* The descriptors of a product's operand: the word without its start, and what is added to it, in
 * bytes, for each step of K and along rows of one instruction. */
typedef struct zl_pt_operand {
    uint64_t word;
    uint32_t step[ZL_PT_STEPS];
    uint32_t rows, parts; /* parts: instructions that its rows are */
} zl_pt_operand;

typedef struct zl_pt_product {
    const zl_event *event;
    const zl_event *like; /* an earlier product of the same factors and sums; NULL: it is the first */
    zlay_mma mma;
    uint32_t steps; /* along K */
    uint32_t idesc[ZL_PT_STEPS];
    uint32_t scales[2][ZL_PT_STEPS]; /* the first column of a factor's block scales in their stage, by step of K */
    zl_pt_operand operand[2];
    zl_sync_warps warps;             /* of mma.sync: how the role's warps divide it */
    const zlay_pipe_operand *smem[2]; /* and what its factors are fetched from */
} zl_pt_product;

/* Instructions read once: their texts with operands as `\1` and a letter, while they are short. */
enum { ZL_PT_SAYINGS = 64, ZL_PT_FEW = 12 };
typedef struct zl_pt_saying {
    char id[48], phrase[256], cls[ZL_PT_FEW];
    uint32_t form, count, ptx;
    bool pure;
} zl_pt_saying;

/* What the registers of an accumulator are, where products, loads from tensor memory or bodies say it. */
typedef struct zl_pt_registers {
    int32_t matrix; /* index into matrices; -1: not known */
    int32_t type;   /* ZLAY_TYPE_* of an element; -1 */
    int32_t sort;   /* ZLAY_BODY_MATRIX, _ROW, _COLUMN, _PART */
    bool folded;    /* a factor of bytes that a body makes of sums: its elements are those of zl_pb_at */
} zl_pt_registers;

/* A matrix in registers. */
typedef struct zl_pt_matrix_of {
    zl_elements elements;
    int divided; /* whether each instance of the role has rows of its own; -1: of a product whose first factor is in
                  * registers, nothing says it */
} zl_pt_matrix_of;

/* A position in a ring of stages that registers hold: slot<i>, phase<i>. */
typedef struct zl_pt_ring {
    uint32_t stages;
    int32_t owner;   /* depth of the loop that keeps it; -1: none */
    bool known, taken;
    bool lent;       /* the loop inside its owner's moves it */
    bool wanted, lender_wanted; /* last<i> is to hold the slot before: by who moves it, by its owner */
    bool before;     /* last<i> holds it */
    zl_pos family;   /* what it holds where an iteration of its owner begins */
    zl_pos at;       /* what it holds, where that is known */
} zl_pt_ring;

/* What descriptors of an operand have in common in a role: register base<i>. */
typedef struct zl_pt_base {
    int32_t smem;
    uint32_t low, instance; /* the word's lower half; bytes from one instance to the next */
} zl_pt_base;

/* What a planner binds to its pipe beside the request. */
typedef struct zl_pt_plan {
    zl_pt_tiles tiles;     /* param NULL: there are none */
    const zl_pt_sequences *sequences; /* NULL: blocks have the numbers of the grid */
    const zl_pt_units *units; /* NULL: a block takes whole tiles */
    const zlay_pipe_argument *arguments; /* of the kernel, in order: a map for each matrix, then an address for each; some stay unused. NULL:
                                          * they follow from the events */
    uint32_t arguments_count;
    const char *const *map, *const *address; /* of each move of the request: the arguments that are its map and address */
    uint32_t columns, part_columns; /* of a matrix that leaves in parts, and of a part: the last part ends with the
                                     * matrix, where it has columns of the one before once more */
    zl_writer *behind; /* prints what stands behind the kernel in its module, of behind_value */
    const void *behind_value;
} zl_pt_plan;

/* The first row of a thread in a matrix, which a register of the role holds: put<kept>. */
typedef struct zl_pt_row {
    const zl_element_axis *axis;
    int divided; /* rows of the role's instances are different */
    uint32_t kept;
} zl_pt_row;

struct zl_pipe_text {
    zl_text *out;
    const zlay_pipe_emit *ask;
    const zl_pt_plan *plan; /* NULL: nothing more is bound */
    const zlay_pipe *pipe;
    bool c, idle; /* CUDA C; what is printed is for an instance without rows */
    uint32_t ptx;
    zlay_ctx *ctx;
    zlay_status status; /* of the first event that cannot be printed; the rest is printed on */
    const zl_role *role;
    const zl_event *event;
    uint32_t loops, indent, labels;
    const zl_event *loop[ZL_PIPE_LOOPS]; /* around the event, the outermost first */
    uint32_t open[ZL_PT_BLOCKS], opened;
    zl_pt_ring ring[ZL_PT_RINGS];
    uint32_t rings, rings_most; /* of the role, of all roles */
    zl_pt_base base[ZL_PT_BASES];
    uint32_t bases, bases_most;
    const zl_event *own_bar[ZL_PT_OWN_BARS]; /* meetings at a barrier of the instance: register own<i> */
    uint32_t own_bars, own_bars_most;
    uint32_t role_bar[ZL_PT_NAMES]; /* of `sync role`, that of the first instance */
    uint32_t smem_at[ZL_PT_NAMES], smem_pitch[ZL_PT_NAMES], bar_at[ZL_PT_NAMES],
        tmem_at[ZL_PT_NAMES];
    uint32_t acc_registers[ZL_PT_NAMES];
    uint32_t width; /* columns of the products that are printed, 0: all of them (emit/pipe/tiles.h) */
    zl_pt_registers registers[ZL_PT_NAMES];
    zl_pt_matrix_of *matrices; /* ZL_PT_NAMES of them */
    uint32_t matrices_count;
    uint32_t smem, threads;
    uint32_t told_at; /* the words of the tile of packed sequences, in shared memory */
    zl_pt_product *products;
    uint32_t products_count;
    zl_pt_placed *placed;
    uint32_t placed_count, puts, puts_most; /* puts: registers of the role, of all roles */
    zl_pt_placed load[ZL_PT_LOADS];         /* what loads of the role's bodies in loops have in common */
    uint32_t loads;
    zl_pt_row kept_row[ZL_PT_KEPT_ROWS]; /* what loads of rows in the role's innermost loops have in common */
    uint32_t kept_rows;
    zl_pt_saying *sayings; /* ZL_PT_SAYINGS of them */
};

/* ---- what names are ------------------------------------------------------- */

zlay_status zl_pt_place(zl_pipe_text *k);

/* All that a pointer argument may stand for. */
enum { ZL_PT_IN, ZL_PT_OUT, ZL_PT_OTHER, ZL_PT_BASE, ZL_PT_POINTERS };
extern const char *const zl_pt_prefix[ZL_PT_POINTERS];
bool zl_pt_pointer(const zl_pipe_text *k, int what, uint32_t number);

uint32_t zl_pt_arguments(const zl_pipe_text *k, zlay_pipe_argument *out, size_t room);
/* The name of the argument that is a map of a move; and whether argument i, a map, is used. */
void zl_pt_map_name(const zl_pipe_text *k, char room[96], const zlay_pipe_move *move, uint32_t map);
bool zl_pt_map_used(const zl_pipe_text *k, uint32_t i);
/* The least and the most of a trip count; where it is a number of the request, that number. most 0: no limit. */
typedef struct zl_pt_bounds { int64_t least, most; } zl_pt_bounds;
zl_pt_bounds zl_pt_bounds_of(const zl_pipe_text *k, int32_t param);
/* The number that the request binds to a trip count, for all blocks; NULL: none. */
const zlay_pipe_count *zl_pt_fixed(const zl_pipe_text *k, int32_t param);
zl_span_of zl_pt_span(const zl_pipe_text *k, const zl_event *event);
const zlay_pipe_move *zl_pt_move(const zl_pipe_text *k, const zl_event *event);
const zlay_pipe_fragment *zl_pt_fragment(const zl_pipe_text *k, const zl_event *event);
bool zl_pt_mapped(const zl_event *event); /* a copy by a map also where no move is bound */
bool zl_pt_away(const zl_event *event);   /* it signals another block, from global memory */
uint32_t zl_pt_instances(const zl_pipe_text *k,
                         int32_t smem); /* of its role, where it is `each`; else 1 */
zlay_status zl_pt_products(zl_pipe_text *k);
const zl_pt_product *zl_pt_product_of(const zl_pipe_text *k, const zl_event *event);

/* ---- bodies ---------------------------------------------------------------- */

/* Which elements and types the registers are that bodies use. */
zlay_status zl_pt_bodies(zl_pipe_text *k);
/* Then whether factors that bodies make lie as products read them; it says of bytes that they are folded. */
zlay_status zl_pt_factors(zl_pipe_text *k);
uint32_t zl_pt_registers_of(const zl_pipe_text *k, int32_t acc); /* of a thread; 0: not known */
/* The registers that the operands of a body's use are, by operand; -1 of the others. */
void zl_pt_bind(const zl_event *event, const zlay_body *body, int32_t acc[ZL_BODY_OPERANDS]);
/* Scalars and arrays of bodies as arguments: the i-th of the pipe's, each name once; false: there is none. */
bool zl_pt_body_argument(const zl_pipe_text *k, uint32_t i, const zlay_body_operand **out);
void zl_pt_body(zl_pipe_text *k, const zl_event *event);
/* What a thread adds to the places that the role's bodies load from in loops is computed before its events. */
void zl_pt_loads(zl_pipe_text *k);
/* A call of the caller's function, and the structs that say which elements its registers are. */
void zl_pt_function_call(zl_pipe_text *k, const zl_event *event);
void zl_pt_function_head(zl_pipe_text *k);

/* ---- code ----------------------------------------------------------------- */

/* Whether a loop's counter counts from a multiple t*N on: registers count<depth>, end<depth> are less by that. */
bool zl_pt_relative(const zl_event *loop);
/* The register of a loop's counter, count<depth> or `to`; `room` holds its name. */
const char *zl_pt_counter(zl_pipe_text *k, char room[24], const char *to, int32_t depth);
/* The register of t*N, where N is a count of each iteration. */
const char *zl_pt_begun(const zl_pipe_text *k, char room[80], int32_t param);
/* Register `to`, or pos: a position's value. */
void zl_pt_value(zl_pipe_text *k, const char *to, const zl_pos *pos);
void zl_pt_pos(zl_pipe_text *k, const zl_pos *pos);
/* to = the position, modulo a param where one is named; a counter of a loop over t*N..t*N+N is its own count modulo N. */
void zl_pt_modulo(zl_pipe_text *k, const char *to, const zl_pos *pos, int32_t param);
/* The register or number that is a position modulo the stages; and how often the stages go round
 * until there, modulo 2, plus `flip`. `room` holds the name. */
const char *zl_pt_slot(zl_pipe_text *k, char room[24], const zl_pos *pos, uint32_t stages);
const char *zl_pt_parity(zl_pipe_text *k, char room[24], const zl_pos *pos, uint32_t stages, int32_t flip);

/* Rings in registers: what a loop needs is computed before it, moved where it turns, and left
 * behind it. */
void zl_pt_rings_begin(zl_pipe_text *k, const zl_event *loop);
void zl_pt_rings_turn(zl_pipe_text *k, const zl_event *loop);
void zl_pt_rings_end(zl_pipe_text *k, const zl_event *loop);
/* The ring that differs from a position by a number; -1: none does. */
int32_t zl_pt_ring_at(const zl_pipe_text *k, const zl_pos *pos, uint32_t stages);
const char *zl_pt_ring_name(char room[24], const char *what, uint32_t ring);
void zl_pt_wrap(zl_pipe_text *k, const char *to, uint32_t stages, const char *parity);
/* Whether a loop runs once at least, whatever its params are. */
bool zl_pt_runs(const zl_pipe_text *k, const zl_event *loop);

/* A number divided by the stages, rounded down, and what is left. */
static inline int64_t zl_pt_turns(int64_t by, uint32_t stages)
{
    return by >= 0 ? by / stages : -((stages - 1 - by) / stages);
}
static inline uint32_t zl_pt_rest(int64_t by, uint32_t stages)
{
    return (uint32_t)(by - zl_pt_turns(by, stages) * stages);
}

/* Register `to`: the shared address of a stage, or of the event's barrier. */
void zl_pt_stage(zl_pipe_text *k, const char *to, int32_t smem, const zl_pos *pos);
void zl_pt_bar(zl_pipe_text *k, const char *to);

/* Register gp: where index `pos` of a stage lies in global memory. */
void zl_pt_global(zl_pipe_text *k, int what, const zl_event *event);

/* to: the sum of what the bits of the thread's number in its instance add. */
void zl_pt_thread_sum(zl_pipe_text *k, const char *to, const char *temporary, const uint32_t bit[ZL_ELEMENT_BITS]);

/* The register of what counts along an axis, as zlay_pipe_count names it; NULL: there is none. `room` holds its name;
 * w0 may be used. */
const char *zl_pt_axis(zl_pipe_text *k, char room[24], const char *text);
/* The number of the block in a dimension of the grid, 0 to 2; of the second and third in `to`. */
const char *zl_pt_block(zl_pipe_text *k, const char *to, int dimension);
/* Trip counts that depend on the block: registers, also of the lengths that they read, and their computation. */
void zl_pt_counts_declare(zl_pipe_text *k);
void zl_pt_counts(zl_pipe_text *k);
void zl_pt_count(zl_pipe_text *k, const zlay_pipe_count *count);
/* Whether a count of the request is one of each iteration. */
bool zl_pt_of_iteration(const zl_pipe_text *k, const zlay_pipe_count *count);
/* The name of a param's register. */
const char *zl_pt_trips(char room[80], const char *param);
/* The param of a name; -1: there is none. */
int32_t zl_pt_param(const zl_pipe_text *k, const char *name);
/* Register `to` = `from` + a number, which may be below 0; returns `from` where it is 0, and then sets nothing. */
const char *zl_pt_further(zl_pipe_text *k, const char *to, const char *from, int64_t add);
/* Register `first_<param>`, where the block's trips of a param begin, NULL: at 0; `to` = where those end that begin late. */
const char *zl_pt_first(const zl_pipe_text *k, char room[80], int32_t param);
void zl_pt_last(zl_pipe_text *k, const char *to);
/* Registers of a sequence: the rows that the longest has more, the row behind it, of `NAME.end`; NULL: there is none. */
const char *zl_pt_lengths_left(const zl_pipe_text *k, char room[80], const char *name);
const char *zl_pt_lengths_end(const zl_pipe_text *k, char room[80], const char *text);
/* Register `to`: where a map or a flag of so many bytes lies. */
void zl_pt_other(zl_pipe_text *k, const char *to, int32_t other, const zl_pos *pos, uint32_t bytes);

/* Products with block scales: whether a tmem holds scales; the kind of a product whose types are known; the columns of its
 * steps' scales; its instruction descriptors, also of a product without scales. */
bool zl_pt_is_scales(const zl_pipe_text *k, int32_t tmem);
zlay_status zl_pt_scaled(const zl_pipe_text *k, zl_pt_product *p);
zlay_status zl_pt_scales(const zl_pipe_text *k, zl_pt_product *p);
zlay_status zl_pt_idescs(zl_pt_product *p);

/* Blocks of a cluster of the kernel: stream-K has none, though the pipe that is proved has. */
static inline uint32_t zl_pt_blocks(const zl_pipe_text *k) { return k->plan && k->plan->units ? 1 : k->pipe->blocks; }
/* The sequences among which blocks find their tiles; NULL: blocks have the numbers of the grid. */
static inline const zl_pt_sequences *zl_pt_sequences_of(const zl_pipe_text *k) { return k->plan ? k->plan->sequences : NULL; }

/* Whether the plan says which arguments there are. */
static inline bool zl_pt_arguments_bound(const zl_pipe_text *k) { return k->plan && k->plan->arguments; }

/* Predicate of the one thread of a role; NULL where its events are run by no other. */
const char *zl_pt_one(const zl_pipe_text *k);

/* Register `far`: what `near` is in the block that the event names; in block `rank` where it names
 * all. */
void zl_pt_peer(zl_pipe_text *k, const char *far, const char *near, uint32_t rank);

uint32_t zl_pt_width(const zl_pipe_text *k); /* threads of an instance */
static inline bool zl_pt_lone(const zl_pipe_text *k) { return k->role && k->role->elect; }      /* one thread runs the role */

void zl_pt_event(zl_pipe_text *k, const zl_event *event);
/* Whether an expectation of bytes and the arrival behind it are one instruction, and that. */
bool zl_pt_joins(const zl_pipe_text *k, const zl_event *event);
void zl_pt_expect_arrive(zl_pipe_text *k, const zl_event *event);
void zl_pt_copy(zl_pipe_text *k, const zl_event *event);
/* x<dim>: a coordinate of a copy of a move. */
void zl_pt_coordinate(zl_pipe_text *k, const zlay_pipe_move *move, const zlay_copy *copy, uint32_t dim);
/* Moves by threads of a role: their registers, what a thread computes before the role's events, and an event's boxes. */
bool zl_pt_by_threads(const zlay_pipe_move *move);
void zl_pt_rows_declare(zl_pipe_text *k);
void zl_pt_rows_begin(zl_pipe_text *k);
void zl_pt_rows(zl_pipe_text *k, const zl_event *event, const zlay_pipe_move *move);
void zl_pt_store(zl_pipe_text *k, const zl_event *event);
void zl_pt_threads(zl_pipe_text *k, const zl_event *event);
/* Registers to global memory; and what they left there, added to others. */
void zl_pt_write_global(zl_pipe_text *k, const zl_event *event);
void zl_pt_add_global(zl_pipe_text *k, const zl_event *event);
void zl_pt_matrix(zl_pipe_text *k, const zl_event *event);
void zl_pt_mma(zl_pipe_text *k, const zl_event *event);
/* Whether the target has an instruction, by its id. */
bool zl_pt_exists(const zl_pipe_text *k, const char *id);
/* Meetings of threads; the numbers of the instance's own barriers are computed before the events of its role. */
void zl_pt_own_bars(zl_pipe_text *k);
void zl_pt_meet(zl_pipe_text *k, const zl_event *event);
/* Descriptors: what those of a role have in common is computed before its events. Then the lower
 * half of an operand's at its stage, in `to` or in the register returned; and the whole one, so
 * many bytes further. */
void zl_pt_bases(zl_pipe_text *k);
const char *zl_pt_low(zl_pipe_text *k, char room[24], const char *to, const zl_pt_product *p, int operand);
void zl_pt_descriptor(zl_pipe_text *k, const char *to, const char *low, uint64_t word, uint32_t more);
void zl_pt_descriptor_from(zl_pipe_text *k, const char *to, const char *from, uint32_t more);
void zl_pt_tmem(zl_pipe_text *k, const zl_event *event);
/* The name of a register of accumulators; `room` holds it. */
const char *zl_pt_acc(const zl_pipe_text *k, char room[96], int32_t acc, uint32_t number);

/* The kernel up to its declarations, and what follows. The body is printed first: it finds PTX version and registers for the head. */
void zl_pt_kernel_head(zl_pipe_text *k);
void zl_pt_kernel_body(zl_pipe_text *k);
/* The column of the matrix at which the event's part begins, where a part has so many. */
uint32_t zl_pt_part_column(const zl_pipe_text *k, const zl_event *event, uint32_t columns);

/* zlay_emit_pipe as a part of a call (zl_enter_part), of a pipe to which a planner may bind more
 * (NULL: it does not). */
zlay_status zl_pt_print(zlay_ctx *ctx, zlay_buf *out, zlay_pipe_launch *launch,
                        zlay_pipe_argument *arguments, size_t room, const zlay_pipe_emit *request,
                        const zl_pt_plan *plan);

#endif
