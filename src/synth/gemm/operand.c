/* SPDX-License-Identifier: Apache-2.0 */
/* Plans one operand of a GEMM: its tensor map, the copies of one stage, and the matrix descriptor
 * of its first step. Tensor copies move the operand if every rule of the target allows it;
 * otherwise threads do, by cp.async or by loads and stores. */
#include "legality/copy/copy.h"
#include "synth/gemm/groups.h"

#include <string.h>

enum { ASYNC_LEAST = 4 /* bytes of cp.async */, SPAN_MOST = 128, EIGHT = 8 /* rows of a swizzle */ };
enum { PLANE_LOG = 34 };
enum { PROMOTE_128 = 2, PROMOTE_256 = 3 }; /* CU_TENSOR_MAP_L2_PROMOTION_* */

typedef struct axes {
    int inner, outer;
} axes; /* tile axes (m 0, n 1, k 2) of the two map dimensions */

static int32_t swizzle_of(uint32_t span)
{
    return span == 128 ? ZLAY_SWIZZLE_128B : span == 64 ? ZLAY_SWIZZLE_64B : ZLAY_SWIZZLE_32B;
}

/* In elements of the plan, two of e2m1 each along K. */
static uint32_t tile_extent(const zlay_plan_summary *info, int axis)
{
    return axis == 0 ? info->tile_m : axis == 1 ? info->tile_n : info->tile_k / zl_pack(info->mma.a);
}

static axes operand_axes(const zl_operand *o, int32_t operand)
{
    if (operand == ZLAY_OPERAND_D) return o->major == ZLAY_MAJOR_K ? (axes){1, 0} : (axes){0, 1};
    int mn = operand == ZLAY_OPERAND_A ? 0 : 1;
    return o->major == ZLAY_MAJOR_K ? (axes){2, mn} : (axes){mn, 2};
}

/* The bytes from one row to the next.  A matrix of one row does not use its pitch, so the pitch is
 * then rounded up to a legal one. */
static uint64_t row_bytes(const zl_operand *o)
{
    uint64_t bytes = o->pitch * o->element;
    return o->outer == 1 ? (o->inner * o->element + 15) / 16 * 16 : bytes;
}

uint64_t zl_row_alignment(const zlay_plan *plan, int32_t operand)
{
    const zl_operand *o = &plan->operand[operand];
    uint64_t all = plan->address[operand];
    if (o->outer > 1) all |= o->pitch * o->element;
    if (operand == ZLAY_OPERAND_D) all |= o->inner * o->element;
    return all & (~all + 1);
}

/* What no other tile, and no other cluster that shares it, reads is fetched in 256 bytes: 3 % less time where memory is the limit. */
static int32_t promotion(const zlay_plan *plan, int32_t operand)
{
    uint64_t tiles = operand == ZLAY_OPERAND_A   ? zl_clusters_n(&plan->info)
                     : operand == ZLAY_OPERAND_B ? zl_clusters_m(&plan->info)
                                                 : 0;
    bool once = tiles == 1;
    return once ? PROMOTE_256 : PROMOTE_128;
}

static void map_fill(zl_operand *o, uint64_t address, uint32_t box_outer, int32_t l2)
{
    zlay_tensormap *map = &o->map;
    memset(map, 0, sizeof *map);
    map->address = address;
    map->rank = 2;
    map->type = zl_gemm_map_type(o->type);
    map->extent[0] = o->inner;
    map->extent[1] = o->outer;
    map->stride[0] = row_bytes(o);
    map->box[0] = o->span / o->element;
    map->box[1] = box_outer;
    map->step[0] = map->step[1] = 1;
    map->swizzle = swizzle_of(o->span);
    map->l2 = l2;
}

/* ---- groups of rows ------------------------------------------------------------------------------
 * Rows of A and D lie below each other, group after group, B has a matrix for each group, and the kernel reads on the device
 * where groups begin (src/emit/pipe/blocks/tiles.c). Loads may bring rows of the group behind; no store may pass the end of its own.
 * The map of D ends rows where the kernel says, with strides that wrap around at 2^64 (as Triton's ragged stores): the row that
 * is r rows before the end e of its group is row 2^30 - r of 2^30, in plane 2^30 - e of planes that are 2^34 bytes less a row
 * apart, and e times 2^34 bytes further. Both multiples of 2^34 add up to 2^64, so that row e - r of D is what remains, and a
 * row from e on is outside of the map. Where groups have elements of K, the maps of A and B end rows so, for what lies behind would be
 * added, and D has the matrix for each. */

/* The group is the third dimension of the matrix that each has. */
static void map_of_each(zlay_tensormap *map, const zlay_plan *plan)
{
    map->rank = 3;
    map->extent[2] = plan->info.groups;
    map->stride[1] = map->stride[0] * map->extent[1];
    map->box[2] = map->step[2] = 1;
}

/* Rows end with a group. */
static void map_that_ends(zlay_tensormap *map)
{
    map->rank = 4;
    map->extent[1] = map->extent[2] = map->extent[3] = (uint64_t)1 << ZL_GROUPS_ROWS_LOG;
    map->stride[1] = ((uint64_t)1 << PLANE_LOG) - map->stride[0];
    map->stride[2] = (uint64_t)1 << PLANE_LOG;
    map->box[2] = map->box[3] = map->step[2] = map->step[3] = 1;
}

static void map_groups(zlay_tensormap *map, const zlay_plan *plan, int32_t operand)
{
    if (!plan->info.groups) return;
    bool in_k = zl_groups_in_k(&plan->info), is_d = operand == ZLAY_OPERAND_D;
    if (in_k ? is_d : !is_d && operand != zl_groups_ragged(&plan->info)) map_of_each(map, plan);
    if (is_d != in_k) map_that_ends(map);
}

void zl_groups_copy(zlay_copy *copy, const zlay_plan *plan, int32_t operand, int32_t column, int32_t begin, int32_t end, int32_t group)
{
    if (!plan->info.groups) return;
    bool in_k = zl_groups_in_k(&plan->info), is_d = operand == ZLAY_OPERAND_D;
    bool ragged = in_k ? !is_d : is_d || operand == zl_groups_ragged(&plan->info);
    if (ragged) copy->advance[1][begin] = 1;
    else copy->advance[2][group] = 1;
    if (ragged && zl_groups_turned(&plan->info)) copy->advance[1][column] = (int32_t)zl_groups_step(plan->info.tile_n);
    if (is_d == in_k) return;
    copy->coordinate[1] += 1 << ZL_GROUPS_ROWS_LOG;
    copy->coordinate[2] = 1 << ZL_GROUPS_ROWS_LOG;
    copy->advance[1][end] = copy->advance[2][end] = -1;
    copy->advance[3][end] = 1;
}
/* The widest access of a thread that the alignment of every row allows, and of which a box has one for each thread. A load of fewer bytes than
 * cp.async brings is of one element, so that none passes the end of a row. */
static uint32_t thread_width(const zl_operand *o, uint32_t threads, bool load)
{
    uint64_t all = o->map.address | o->map.stride[0] | (load ? 0 : o->inner * o->element);
    all |= o->map.box[1] * o->span / threads;
    uint32_t width = 16;
    while (width > o->element && all % width) width /= 2;
    return load && width < ASYNC_LEAST ? o->element : width;
}

static void see_broken(void *arg, const zlay_reason *reason, bool held)
{
    (void)reason;
    *(bool *)arg |= !held;
}

/* Whether the rules of an issued tensor copy allow it.  For example, they refuse a store of rows
 * that are no multiple of 16 bytes. */
static bool issue_holds(const zl_operand *o, const zlay_target *target, bool load)
{
    zlay_copy copy = {.kind = load ? ZLAY_COPY_TENSOR_LOAD : ZLAY_COPY_TENSOR_STORE};
    zl_issue issue;
    zl_issue_of(&issue, &o->map, &copy, 0, 0);
    zl_subject subject = {&zl_copy_form, target, &issue};
    bool broken = false;
    zl_walk(&subject, see_broken, &broken);
    return !broken;
}

static zlay_status path_choose(zl_operand *o, const zlay_target *target, bool load)
{
    uint32_t threads = zl_gemm_by_sync(target) ? ZL_SYNC_WARPS * 32 : 128;
    zlay_verdict verdict;
    zlay_status status = zlay_tensormap_check(&verdict, NULL, 0, target, &o->map);
    if (status) return status;
    if (!zl_gemm_by_sync(target) && verdict.answer == ZLAY_YES && issue_holds(o, target, load)) {
        o->kind = load ? ZLAY_COPY_TENSOR_LOAD : ZLAY_COPY_TENSOR_STORE;
        return ZLAY_OK;
    }
    o->width = thread_width(o, threads, load);
    o->kind = !load           ? ZLAY_COPY_THREAD_STORE
              : o->width >= ASYNC_LEAST ? ZLAY_COPY_CP_ASYNC
                              : ZLAY_COPY_THREAD_LOAD;
    return ZLAY_OK;
}

/* A tensor copy takes longer for rows outside of the matrix than for rows inside (measured:
 * docs/performance.md). Of a matrix with fewer rows than the tile it leaves them out: what products
 * make of the rest of a stage goes to rows of D that are not stored. */
static void rows_cut(zl_operand *o, bool load)
{
    uint64_t rows = (o->outer + EIGHT - 1) / EIGHT * EIGHT;
    if (load && zl_by_tensor(o) && o->major == ZLAY_MAJOR_K && rows < o->map.box[1])
        o->map.box[1] = (uint32_t)rows;
}

/* A block loads a part of the rows of an operand that it shares, with groups those of each consumer, or a copy moves a slice of
 * them. */
static void rows_divide(zl_operand *o, const zlay_plan *plan, int32_t operand)
{
    const zlay_plan_summary *info = &plan->info;
    bool whole = o->map.box[1] == o->rows && o->map.box[0] == info->tile_k, turned = zl_groups_turned(info);
    if (info->groups && !turned && !zl_groups_in_k(info) && operand == ZLAY_OPERAND_A && whole) o->parts = info->consumers;
    o->slices = turned && operand != ZLAY_OPERAND_A ? o->map.box[1] / zl_groups_slice(o->map.box[1], operand) : 1;
    o->map.box[1] /= o->parts * o->slices;
}

static void copies_fill(zl_operand *o, int32_t operand, const zlay_plan_summary *info, axes axis,
                        uint32_t inner)
{
    uint32_t box = o->map.box[0] * o->element * o->map.box[1], boxes = inner / o->map.box[0];
    o->copies_count = boxes * o->slices;
    o->bytes = box * o->copies_count;
    for (uint32_t c = 0; c < o->copies_count; c++) {
        uint32_t i = c % boxes, slice = c / boxes;
        zlay_copy *copy = &o->copies[c];
        memset(copy, 0, sizeof *copy);
        copy->kind = o->kind;
        copy->map = (uint32_t)operand;
        copy->width = o->width;
        copy->bytes = box;
        copy->smem = i * o->rows * o->span + slice * o->map.box[1] * o->span;
        copy->coordinate[0] = (int32_t)(i * o->map.box[0]);
        copy->coordinate[1] = (int32_t)(slice * o->map.box[1]);
        copy->advance[0][axis.inner] = (int32_t)tile_extent(info, axis.inner);
        copy->advance[1][axis.outer] = (int32_t)tile_extent(info, axis.outer);
    }
}

/* Sets the leading and stride byte offsets (LBO, SBO) of the canonical layouts.  K-major: SBO leads
 * to the next group of eight rows.  MN-major: LBO leads to the next swizzled row along MN, and SBO
 * to the next eight rows along K. */
static void desc_fill(zlay_plan *plan, int32_t operand)
{
    const zl_operand *o = &plan->operand[operand];
    const zlay_plan_summary *info = &plan->info;
    zlay_smemdesc *desc = &plan->desc[operand];
    memset(desc, 0, sizeof *desc);
    desc->swizzle = o->map.swizzle;
    desc->sbo = 8 * o->span;
    bool k_major = o->major == ZLAY_MAJOR_K;
    desc->lbo = k_major ? 16 : o->copies[0].bytes;
    plan->step_start[operand] = k_major ? info->mma.k / zl_pack(o->type) * o->element : info->mma.k * o->span;
    if (operand == ZLAY_OPERAND_A)
        plan->consumer_start =
            k_major ? info->mma.m * o->span : info->mma.m * o->element / o->span * desc->lbo;
}

static void sums_fill(zlay_plan_summary *info, const zl_operand *o, int32_t operand)
{
    info->copies += o->copies_count;
    if (operand == ZLAY_OPERAND_D) return;
    if (zl_by_tensor(o)) info->expect_bytes += o->bytes * o->parts;
    if (zl_gemm_by_sync(info->target)) return;
    if (info->full_count == 0) info->full_count = 1;
    if (!zl_by_tensor(o)) info->full_count = 128;
    info->empty_count = zl_gemm_by_tmem(info->target) ? 1 : 4 * info->consumers * (zl_multicast(info) ? info->cluster : 1);
}

zlay_status zl_operand_plan(zlay_ctx *ctx, zlay_plan *plan, int32_t operand)
{
    zl_operand *o = &plan->operand[operand];
    bool load = operand != ZLAY_OPERAND_D;
    axes axis = operand_axes(o, operand);
    const uint32_t stored[] = {plan->rows, plan->info.pass_n};
    uint32_t inner = load ? tile_extent(&plan->info, axis.inner) : stored[axis.inner];
    uint32_t outer = load ? tile_extent(&plan->info, axis.outer) : stored[axis.outer];
    o->span = inner * o->element < SPAN_MOST ? inner * o->element : SPAN_MOST;
    map_fill(o, plan->address[operand], outer, promotion(plan, operand));
    map_groups(&o->map, plan, operand);
    zlay_status status = path_choose(o, plan->info.target, load);
    if (status) return zl_fail(ctx, status, "the rule check of operand %d failed", operand);
    o->rows = outer;
    if (!zl_groups_turned(&plan->info) || operand == ZLAY_OPERAND_A) rows_cut(o, load);
    rows_divide(o, plan, operand);
    copies_fill(o, operand, &plan->info, axis, inner);
    sums_fill(&plan->info, o, operand);
    if (load && !zl_by_sync(plan)) desc_fill(plan, operand);
    return zl_layout_placed(ctx, &o->smem, o);
}
