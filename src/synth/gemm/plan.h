/* SPDX-License-Identifier: Apache-2.0 */
/* The value behind zlay_plan, and the steps that fill it.  Operands are
 * numbered by ZLAY_OPERAND_*. */
#ifndef ZL_PLAN_H
#define ZL_PLAN_H

#include "algebra/text/format.h"
#include "base/arith.h"
#include "body/body.h"
#include "body/room.h"
#include "legality/matrix/sync.h"
#include "synth/gemm/wave/wave_gemm.h"
#include "target/target.h"
#include <zlay/candidates.h>
#include <zlay/plan.h>

#define ZL_ADDRESS      ((uint64_t)1 << 20) /* of an operand whose address the request leaves open */
#define ZL_COPIES       32 /* most boxes of one operand in a stage or a pass */
#define ZL_CERTIFICATES_GEMM 6 /* two for each operand */
#define ZL_CERTIFICATES 9 /* with those of block scales: of their stage, and of each operand's in global memory */

/* One operand of the planned (perhaps swapped) product, as a matrix of `outer`
 * x `inner`, inner contiguous. */
typedef struct zl_operand {
    int32_t type;          /* ZLAY_TYPE_* of the request; the map's is what a copy moves */
    uint32_t element;      /* bytes of an element: 1, 2 or 4; of e2m1 those of two, and all sizes here are of pairs */
    zlay_tensormap map;
    zlay_copy copies[ZL_COPIES];
    uint32_t copies_count;
    int32_t kind;          /* ZLAY_COPY_* of all copies */
    uint32_t width;        /* of a thread's access; 0 for tensor copies */
    uint32_t span;         /* bytes of a swizzled row of shared memory */
    uint32_t rows;         /* of a swizzled box in shared memory: those of the tile, of which a
                              tensor copy brings no more than the matrix has, in eights */
    uint32_t bytes;        /* that copies of a block bring to a stage or a pass */
    uint32_t parts;        /* blocks that load a part of a stage each, for all of them; with groups of rows
                              one block loads all, rows of a consumer each, of which a tile may have none */
    uint32_t slices;       /* boxes in which rows of groups are moved, those without rows not; else 1 */
    int32_t major;         /* ZLAY_MAJOR_*; D: K stands for row-contiguous */
    uint64_t pitch;        /* leading dimension, elements */
    uint64_t inner, outer; /* extents, elements */
    zlay_layout *smem;
} zl_operand;

/* Boxes beside each other along the inner dimension, each of all slices. */
static inline uint32_t zl_operand_boxes(const zl_operand *o) { return o->copies_count / o->slices; }

/* Scales that instructions apply: what brings those of a step. */
typedef struct zl_block_scales {
    zlay_tensormap map;
    zlay_copy copy;
} zl_block_scales;

/* Elements of the type that lie in one element of the plan: 2 of e2m1, else 1. */
static inline uint32_t zl_pack(int32_t type) { return zlay_type_bits(type) < 8 ? 2 : 1; }

/* What lays an operand out anew in a workspace, from which, or to which, tensor copies move it. */
typedef struct zl_repack {
    zlay_transfer *transfer; /* NULL: the operand moves from where it is */
    uint64_t offset, bytes;  /* in the workspace */
    uint32_t align;          /* of the operand's address, bytes, at most 16 */
} zl_repack;

/* Rows and columns of a tile, and the modelled nanoseconds of the product by such tiles. */
typedef struct zl_tile_shape {
    uint32_t m, n;
    uint64_t time;
} zl_tile_shape;

struct zlay_plan {
    zlay_allocator alloc;
    zlay_plan_summary info;
    zl_operand operand[3];
    const zlay_machine *machine; /* of the target, while the plan is laid out */
    uint32_t processors;         /* whose waves the model counts */
    zl_tile_shape shape; /* that choose.c took */
    uint64_t address[3];
    zl_repack repack[3]; /* whose operand is the matrix in the workspace */
    zlay_smemdesc desc[2];   /* step 0, consumer 0; from the operand's start */
    uint32_t step_start[2];  /* what the next step along K adds to `start` */
    uint32_t consumer_start; /* what the next consumer adds to A's `start` */
    uint32_t rows;           /* of a tile of D that a consumer stores */
    zl_sync_warps warps;     /* of mma.sync: how warps divide a tile */
    zlay_layout *certificate[ZL_CERTIFICATES][2];
    int32_t scales[2];   /* ZLAY_SCALES_* of the planned A and B */
    zl_block_scales blocks[2]; /* where instructions apply them (LINE_32, LINE_16) */
    bool quantises;      /* D has a scale for each row and 128 columns */
    zlay_body *epilogue; /* NULL: sums are converted */
    zlay_pipe *pipe; /* for wgmma, shared buffers in order of ZLAY_OPERAND_* */
    zl_wave_gemm wave; /* where matrix instructions read registers; else 0 */
};

/* Reads the types of the request's A, B and D, by ZLAY_OPERAND_*, with their
 * defaults; refuses those that no instruction of the target multiplies, or that
 * sums are not converted to. */
zlay_status zl_gemm_types(zlay_ctx *ctx, int32_t *type, const zlay_target *target,
                          const zlay_gemm *gemm);

/* Whether sums of a type are s32; the product of two types. */
static inline bool zl_gemm_integer(int32_t type)
{
    return type == ZLAY_TYPE_S8 || type == ZLAY_TYPE_U8;
}
/* The expression of a body that makes an element of D of a sum S; NULL: there is none, or none is needed. */
const char *zl_gemm_conversion(int32_t sum, int32_t d);
void zl_gemm_product(zlay_mma *out, const zlay_target *target, int32_t a, int32_t b, int32_t scales);

/* The type that the tensor map of an operand has: u8 of 8 bits, f32 of tf32. */
int32_t zl_gemm_map_type(int32_t type);

/* Prints "bf16" where A, B and D are bf16, else as "e4m3 x e5m2 to bf16". */
void zl_gemm_put_types(zl_text *out, const zlay_plan *plan);

/* Makes the plan's matrix instruction of its operands; then, where its columns are known, whether there is such a one. */
void zl_gemm_instruction(zlay_plan *plan);
zlay_status zl_gemm_instruction_check(zlay_ctx *ctx, const zlay_plan *plan);

/* Chooses tile and stages where the request leaves them open, and places
 * everything in shared memory. */
zlay_status zl_gemm_tile(zlay_ctx *ctx, zlay_plan *plan, const zlay_gemm *gemm);

/* The modelled nanoseconds of a plan by wgmma, with what its slowest path and its copies take, and no less than memory takes, and
 * what the product's are made of. */
uint64_t zl_gemm_modelled(zlay_gemm_terms *out, const zlay_plan *plan, const zlay_gemm *gemm);

/* A request that is laid out, without the certificates and the pipe; a time of 0 where the status is not, and of other
 * instructions. */
typedef struct zl_gemm_weight {
    zlay_plan_summary info;
    uint64_t time;
    zlay_gemm_terms terms;
} zl_gemm_weight;
zlay_status zl_gemm_weigh(zlay_ctx *ctx, zl_gemm_weight *out, const zlay_target *target, const zlay_gemm *gemm);
/* The part of a plan before its tile is chosen: operands, their orientation, and how the work is divided. */
zlay_status zl_gemm_prepare(zlay_ctx *ctx, zlay_plan *plan, const zlay_gemm *gemm);

/* The public call as a part of a call. */
zlay_status zl_gemm_candidates(zlay_ctx *ctx, zlay_gemm_candidate *out, size_t room, size_t *count, const zlay_target *target, const zlay_gemm *gemm);

/* The public call as a part of a call; *out is freed by the caller, whatever the status. */
zlay_status zl_gemm_synth(zlay_ctx *ctx, zlay_plan **out, const zlay_target *target, const zlay_gemm *gemm);

/* The greatest power of two that divides the address, the bytes from a row to the next and, of D,
 * those of a row, since a tensor copy stores whole 16 bytes. */
uint64_t zl_row_alignment(const zlay_plan *plan, int32_t operand);

/* Decides which operands are repacked, plans the copies, and lets the plan's operands be those in
 * the workspace. */
zlay_status zl_gemm_repack(zlay_ctx *ctx, zlay_plan *plan, const zlay_gemm *gemm);
void zl_gemm_repack_explain(zl_text *out, const zlay_plan *plan);

/* Lets the transposed product be planned, where the request says so or where it takes less time. */
zlay_status zl_gemm_swap(zlay_ctx *ctx, zlay_plan *plan, const zlay_gemm *gemm);
/* Whether columns of the planned D are contiguous: a tile leaves by one pass, in rows of columns. */
static inline bool zl_d_by_columns(const zlay_plan *plan) { return plan->operand[ZLAY_OPERAND_D].major == ZLAY_MAJOR_MN; }

/* Takes the number of blocks that share a tile from the request. */
zlay_status zl_gemm_split(zlay_ctx *ctx, zlay_plan *plan, const zlay_gemm *gemm);
/* Whether two stages of a tile of m x n x k fit shared memory beside the sums of other blocks, and there are barriers for all consumers. */
bool zl_split_fits(const zlay_plan *plan, uint32_t m, uint32_t n, uint32_t k);
/* Bytes of a consumer's sums from one block, of all of them, and of their barriers. */
uint32_t zl_split_bytes(const zlay_plan_summary *info);
uint32_t zl_split_smem(const zlay_plan_summary *info);
uint32_t zl_split_bars(const zlay_plan_summary *info);
/* Where the sums of a consumer lie: register r of thread t at word 512 (r / 4) + 4 t + r % 4. */
zlay_status zl_split_layout(zlay_ctx *ctx, zlay_layout **out, const zlay_plan_summary *info);
/* Print what a split adds to the pipe: buffers, barriers, the body that adds; and the events behind
 * the sums, of block `rank` and of block 0. */
void zl_split_declare(zl_text *out, const zlay_plan_summary *info);
void zl_split_declare_bars(zl_text *out, const zlay_plan_summary *info);
void zl_split_init_bars(zl_text *out, const zlay_plan_summary *info);
void zl_split_body(zl_text *out, const zlay_plan_summary *info);
void zl_split_send(zl_text *out, const zlay_plan_summary *info, uint32_t rank);
void zl_split_take(zl_text *out, const zlay_plan_summary *info);

/* Decides whether the steps of tiles are divided among all blocks of a grid; behind the tile, how many blocks and bytes of a
 * workspace that takes. */
zlay_status zl_gemm_stream(zlay_ctx *ctx, zlay_plan *plan, const zlay_gemm *gemm);
void zl_stream_plan(zlay_plan *plan);
static inline bool zl_stream(const zlay_plan_summary *info) { return info->stream_blocks != 0; }
/* Bytes of a block in the workspace: a flag for each consumer, in a line that nothing else shares, then the sums of each. */
enum { ZL_STREAM_FLAG = 128 };
uint32_t zl_stream_pitch(const zlay_plan_summary *info);
/* The loops over whole tiles, the head and the tail. Print what stream-K adds to the pipe: memory; the head's and the tail's
 * events behind the sums; the roles that stand for other blocks. */
extern const char *const zl_stream_whole, *const zl_stream_head, *const zl_stream_tail;
void zl_stream_declare(zl_text *out);
void zl_stream_leave(zl_text *out);
void zl_stream_take(zl_text *out);
void zl_stream_neighbours(zl_text *out, const zlay_plan_summary *info);

/* Decides what blocks of a cluster share; behind the operands, whether they can, and how many there are. */
zlay_status zl_gemm_multicast(zlay_ctx *ctx, zlay_plan *plan, const zlay_gemm *gemm);
zlay_status zl_multicast_check(zlay_ctx *ctx, zlay_plan *plan);
static inline bool zl_multicast(const zlay_plan_summary *info) { return info->multicast != ZLAY_MULTICAST_NONE; }
/* Rows and columns of tiles, or of pairs of them, that clusters take. */
static inline uint64_t zl_clusters_m(const zlay_plan_summary *info)
{
    return zl_ceil_div(info->tiles_m, info->multicast == ZLAY_MULTICAST_B ? info->cluster : 1);
}
static inline uint64_t zl_clusters_n(const zlay_plan_summary *info)
{
    return zl_ceil_div(info->tiles_n, info->multicast == ZLAY_MULTICAST_A ? info->cluster : 1);
}

/* Plans one operand: map, path, copies and descriptor. */
zlay_status zl_operand_plan(zlay_ctx *ctx, zlay_plan *plan, int32_t operand);

/* Makes the layout by which the copies place an operand: an element of the tile
 * -> its offset in the stage or, for D, in the staging. */
zlay_status zl_layout_placed(zlay_ctx *ctx, zlay_layout **out, const zl_operand *o);
/* The same before the swizzle. */
zlay_status zl_layout_unswizzled(zlay_ctx *ctx, zlay_layout **out, const zl_operand *o); /* of elements of its type */

/* Reads the request's epilogue; refuses one that is no body on the sums of these tiles, and
 * transposes it where the planned product is the transposed one. */
zlay_status zl_gemm_epilogue_read(zlay_ctx *ctx, zlay_plan *plan, const zlay_gemm *gemm);
zlay_status zl_gemm_epilogue(zlay_ctx *ctx, zlay_plan *plan);

/* Reads the request's scales, for the planned product, and refuses those that its
 * types or its tile_k do not have. */
zlay_status zl_gemm_scales(zlay_ctx *ctx, zlay_plan *plan, const zlay_gemm *gemm);
/* The same of the rows and columns of a tile, 0 where the request leaves them open. */
zlay_status zl_gemm_scales_tile(zlay_ctx *ctx, const zlay_plan *plan, uint32_t tile_m, uint32_t tile_n);
static inline bool zl_gemm_promoted(int32_t scales) { return scales == ZLAY_SCALES_LINE || scales == ZLAY_SCALES_BLOCK; }
static inline bool zl_gemm_scaled(const zlay_plan *plan)
{
    return zl_gemm_promoted(plan->scales[0]) || zl_gemm_promoted(plan->scales[1]);
}
/* Products with scales take even and odd steps of K from two rings of stages, for their sums are in two sets of registers:
 * how many rings there are, and what stands behind the names of one. */
static inline uint32_t zl_gemm_rings(const zlay_plan *plan) { return zl_gemm_scaled(plan) ? 2 : 1; }
const char *zl_gemm_ring(const zlay_plan *plan, uint32_t ring);
/* Whether each column of B has scales of its own: consumers copy those of a step to shared memory; bytes of all that they
 * have there, the copy of a ring's step, and where scales lie. */
static inline bool zl_gemm_by_columns(const zlay_plan *plan) { return plan->scales[ZLAY_OPERAND_B] == ZLAY_SCALES_LINE; }
void zl_gemm_scales_copy(zlay_tensormap *map, zlay_copy *copy, const zlay_plan *plan, uint32_t ring);
zlay_status zl_gemm_scales_layout(zlay_ctx *ctx, zlay_layout **out, const zlay_plan *plan);
uint32_t zl_gemm_scales_smem(const zlay_plan *plan);
/* Prints the moves and buffers of all scales; the copy of a step; the wait for it, with so many others in flight. */
void zl_gemm_scales_declare(zl_text *out, const zlay_plan *plan);
void zl_gemm_scales_fetch(zl_text *out, const zlay_plan *plan, uint32_t ring, const char *at);
void zl_gemm_scales_wait(zl_text *out, const zlay_plan *plan, int in_flight);
/* Whether a tile of so many rows, or columns, goes with the scales. */
bool zl_gemm_scales_rows(const zlay_plan *plan, uint32_t tile_m);
bool zl_gemm_scales_fit(const zlay_plan *plan, uint32_t tile_n);
/* Prints the bodies that begin the scaled sums of a tile and add the sums of a step; and the uses of them: at the beginning
 * of a tile, and where the products of a ring's step are complete. `at` is the innermost counter; NULL: behind the loop, where
 * no other step follows. */
void zl_gemm_scales_bodies(zl_text *out, const zlay_plan *plan);
void zl_gemm_scales_begin(zl_text *out, const zlay_plan *plan);
void zl_gemm_scales_add(zl_text *out, const zlay_plan *plan, uint32_t ring, const char *step, const char *at);
/* The same of a pass of D, by tcgen05: sums P<pass> to T<pass>. */
void zl_gemm_scales_add_pass(zl_text *out, const zlay_plan *plan, uint32_t pass, uint32_t ring, const char *step, const char *at);
void zl_gemm_scales_turn(zl_text *out, const zlay_plan *plan, const char *event); /* nothing where there are no turns */
/* Reads whether D has scales, and refuses a D that has none; whether a tile of so many columns is whole blocks, each the
 * fragment of a body; prints these bodies. */
zlay_status zl_gemm_quantise(zlay_ctx *ctx, zlay_plan *plan, const zlay_gemm *gemm);
bool zl_gemm_quantise_fit(const zlay_plan *plan, uint32_t tile_n);
void zl_gemm_quantise_bodies(zl_text *out, const zlay_plan *plan);
/* The one body of a plan of waves that has scales of D. */
zlay_status zl_wave_quantise(zlay_ctx *ctx, zlay_plan *plan);
/* Says of what sizes the arrays are. */
void zl_gemm_scales_explain(zl_text *out, const zlay_plan *plan);

/* Whether instructions apply scales, of blocks of 32 or 16 elements of K; A and B have the same. */
static inline bool zl_gemm_by_blocks(const zlay_plan *plan) { return plan->scales[0] >= ZLAY_SCALES_LINE_32; }
/* Elements of K in the 128 bytes of a step. */
static inline uint32_t zl_gemm_k_most(const zlay_plan *plan)
{
    return 128 / plan->operand[ZLAY_OPERAND_A].element * zl_pack(plan->operand[ZLAY_OPERAND_A].type);
}
/* Refuse requests of such scales: that the target, or one operand alone, does not have; of these types; of this tile. */
zlay_status zl_gemm_blocks_check(zlay_ctx *ctx, const zlay_target *target, const zlay_gemm *g);
zlay_status zl_gemm_blocks_types(zlay_ctx *ctx, const zlay_gemm *g, int32_t a, int32_t b);
zlay_status zl_gemm_blocks_tile(zlay_ctx *ctx, const zlay_plan *plan, uint32_t tile_n, uint32_t tile_k);
bool zl_gemm_blocks_fit(const zlay_plan *plan, uint32_t tile_n);
/* The kind of the instruction that applies them. */
void zl_gemm_blocks_product(zlay_mma *mma, int32_t scales);
/* Plans their maps and copies; bytes of a stage; the layout of a stage, and the certificates. */
zlay_status zl_gemm_blocks_plan(zlay_ctx *ctx, zlay_plan *plan);
uint32_t zl_gemm_blocks_bytes(const zlay_plan *plan);
zlay_status zl_gemm_blocks_layout(zlay_ctx *ctx, zlay_layout **out, const zlay_plan *plan);
zlay_status zl_gemm_blocks_certificates(zlay_ctx *ctx, zlay_plan *plan);
/* Print what they add to the pipe: moves and buffers; the loads of a stage; the copy to tensor memory; the product's scales. */
void zl_gemm_blocks_declare(zl_text *out, const zlay_plan *plan);
void zl_gemm_blocks_tmem(zl_text *out, const zlay_plan *plan);
void zl_gemm_blocks_load(zl_text *out, const zlay_plan *plan, const char *at);
void zl_gemm_blocks_copy(zl_text *out, const zlay_plan *plan, const char *at);
void zl_gemm_blocks_name(zl_text *out, const zlay_plan *plan, const char *at);
void zl_gemm_blocks_read(zlay_scales *out, const zlay_plan *plan, int32_t operand);
void zl_gemm_blocks_explain(zl_text *out, const zlay_plan *plan);

zlay_status zl_certificates_make(zlay_ctx *ctx, zlay_plan *plan);
/* Prints the rules that apply to the plan, with their values. */
void zl_plan_rules_write(zl_text *out, const void *plan);

/* Whether the target's matrix instructions read registers (MFMA); and the whole
 * plan for such a target. */
bool zl_wave_target(const zlay_target *target);
/* The instruction that multiplies two types there; whether there is one, else the rule says why. Types are by ZLAY_OPERAND_*. */
bool zl_wave_product(zlay_mma *out, const zlay_target *target, int32_t a, int32_t b);
zlay_status zl_wave_types_check(zlay_ctx *ctx, const zlay_target *target, const int32_t *type);
zlay_status zl_wave_gemm_plan(zlay_ctx *ctx, zlay_plan *plan, const zlay_gemm *gemm);
zlay_status zl_wave_gemm_lay(zlay_ctx *ctx, zlay_plan *plan);
/* Reads the body that makes elements of D of a plan's sums, and divides the block's waves as it asks;
 * then, where the tile is known, the registers that it takes, and the node of its result. */
zlay_status zl_wave_body_read(zlay_ctx *ctx, zlay_plan *plan, const zlay_gemm *gemm);
zlay_status zl_wave_body_plan(zlay_ctx *ctx, zlay_plan *plan);
int32_t zl_wave_output(const zlay_plan *plan);
/* Which elements of the tile of D a thread's sums are, in the order of its accumulators. */
zlay_status zl_wave_sums(zlay_ctx *ctx, zl_elements *out, const zlay_plan *plan);
/* With scales: prints the bodies that begin the sums of all steps and add those of a step, the first two of the pipe; takes the
 * registers of both; what one of them leaves; how many arrays of scales the kernel has. */
void zl_wave_scales_bodies(zl_text *out, const zlay_plan *plan);
zlay_status zl_wave_scales_plan(zlay_ctx *ctx, zlay_plan *plan);
void zl_wave_scales_outputs(zl_room_outputs *out, const zlay_body *body);
static inline uint32_t zl_wave_scales_arrays(const zlay_plan *plan)
{
    return (uint32_t)zl_gemm_promoted(plan->scales[0]) + zl_gemm_promoted(plan->scales[1]);
}
/* How many addresses the kernel takes first: of A, B and D, with groups that of their offsets; the i-th argument, ZLAY_NONE past
 * the last. */
static inline uint32_t zl_wave_pointers(const zlay_plan *plan) { return plan->info.groups ? 4 : 3; }
zlay_status zl_wave_argument_nth(zl_wave_argument *out, const zlay_plan *plan, uint32_t i);
void zl_wave_explain(zl_text *out, const zlay_plan *plan);
zlay_status zl_wave_certify(zlay_ctx *ctx, zlay_plan *plan);
zlay_status zl_wave_certificate(const zlay_layout **a, const zlay_layout **b, const zlay_plan *plan,
                                uint32_t i);

/* The column of the tile at which a pass of D begins: the last ends with the tile, where it stores columns of the one
 * before once more. */
static inline uint32_t zl_pass_column(const zlay_plan_summary *info, uint32_t pass)
{
    uint32_t first = pass * info->pass_n, last = info->tile_n - info->pass_n;
    return first < last ? first : last;
}

/* Whether a target's products have their sums in tensor memory (tcgen05). */
static inline bool zl_gemm_by_tmem(const zlay_target *target)
{
    return target->features & ZL_HAS_TCGEN05;
}
/* Whether they are by mma.sync, from registers: where there is neither wgmma nor tcgen05. */
static inline bool zl_gemm_by_sync(const zlay_target *target)
{
    return target->features & ZL_HAS_CP_ASYNC && !(target->features & (ZL_HAS_WGMMA | ZL_HAS_TCGEN05));
}
static inline bool zl_by_sync(const zlay_plan *plan) { return zl_gemm_by_sync(plan->info.target); }
static inline bool zl_by_wgmma(const zlay_plan *plan) { return plan->info.target->features & ZL_HAS_WGMMA; }
static inline bool zl_by_tmem(const zlay_plan *plan) { return zl_gemm_by_tmem(plan->info.target); }

static inline bool zl_by_waves(const zlay_plan *plan) { return plan->wave.shape.lanes != 0; }

static inline const zlay_body *zl_wave_body(const zlay_plan *plan)
{
    return plan->wave.narrow ? plan->wave.narrow : plan->epilogue;
}
/* The number of the register from which a body's values have theirs, an even one. */
static inline uint32_t zl_wave_body_first(const zlay_plan *plan)
{
    return (ZL_WAVE_BODY_OWN + plan->wave.body_rows + 1) / 2 * 2;
}

zlay_status zl_wave_gemm_pipe(zlay_ctx *ctx, zlay_plan *plan);

/* The pipe of a plan of wgmma; of tcgen05; of mma.sync. */
zlay_status zl_gemm_pipe(zlay_ctx *ctx, zlay_plan *plan);
zlay_status zl_tmem_gemm_pipe(zlay_ctx *ctx, zlay_plan *plan);
zlay_status zl_sync_gemm_pipe(zlay_ctx *ctx, zlay_plan *plan);

/* With tensor memory a block has two more warps, and barriers of its two tiles of sums; by mma.sync eight warps. */
enum { ZL_TMEM_THREADS = 64, ZL_TMEM_BARRIERS = 5, ZL_SYNC_WARPS = 8 };

/* The letter by which texts name an operand. */
static inline char zl_operand_name(int32_t operand) { return "ABD"[operand]; }

/* What a step along K adds to a descriptor's start: K-major, those of a row of the swizzle lie in it, those of the next in the
 * next box. */
static inline uint32_t zl_step_start(const zlay_plan *plan, int32_t operand, uint32_t step)
{
    const zl_operand *o = &plan->operand[operand];
    uint32_t within = o->major == ZLAY_MAJOR_K ? o->span / plan->step_start[operand] : plan->info.k_steps;
    return step % within * plan->step_start[operand] + (step / within ? step / within * o->copies[1].smem : 0);
}

static inline bool zl_by_tensor(const zl_operand *o)
{
    return o->kind == ZLAY_COPY_TENSOR_LOAD || o->kind == ZLAY_COPY_TENSOR_STORE;
}

#endif
