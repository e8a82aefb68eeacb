/* SPDX-License-Identifier: Apache-2.0 */
/* Finds every operand in registers that a given layout is: it goes through all fragments of matrix
 * instructions that have as many points, and compares each with the layout point by point. */
#include "legality/matrix/matrix.h"
#include "base/request.h"
#include "synth/fragment/recognise.h"

#include <string.h>
#include <zlay/fragment.h>

enum { WARP = 32, WAVE = 64, GROUP = 128, REGISTER = 32, POINTS_MOST = 1 << 15, ROWS_GROUP = 64 };

/* ---- the operands ----------------------------------------------------------------------- */

/* Of wgmma's A and metadata: a type of each width, sparse or not; D has one layout for each N. */
static const struct {
    int32_t fragment, type;
    uint32_t sparse, k;
} of_group[] = {
    {ZLAY_FRAGMENT_A, ZLAY_TYPE_TF32, 0, 8},         {ZLAY_FRAGMENT_A, ZLAY_TYPE_BF16, 0, 16},
    {ZLAY_FRAGMENT_A, ZLAY_TYPE_E4M3, 0, 32},        {ZLAY_FRAGMENT_A, ZLAY_TYPE_B1, 0, 256},
    {ZLAY_FRAGMENT_METADATA, ZLAY_TYPE_BF16, 1, 32},
    {ZLAY_FRAGMENT_METADATA, ZLAY_TYPE_E4M3, 1, 64},
};

enum { NS = 32, WIDTHS = 5, COUNTS = 3 };
static const uint32_t widths[WIDTHS] = {1, 4, 8, 16, 32}, counts[COUNTS] = {1, 2, 4};

/* Of instructions that read both operands from the registers of a wave. */
static const struct {
    int32_t type;
    uint32_t side, k, blocks, sums;
} of_wave[] = {
#define WAVE_OPERAND(type, side, k, blocks) {ZLAY_TYPE_##type, side, k, blocks, 0},
#define WAVE_SUMS(type, side, k, blocks)    {ZLAY_TYPE_##type, side, k, blocks, 1},
#include "synth/fragment/wave_fragments.def"
#undef WAVE_OPERAND
#undef WAVE_SUMS
};
static const int32_t wave_fragments[] = {ZLAY_FRAGMENT_A, ZLAY_FRAGMENT_B};
enum { WAVES = ZL_COUNT(wave_fragments) };

/* ZLAY_NONE past the last. */
enum { D_FIRST = ZL_COUNT(of_group), WARP_FIRST = D_FIRST + NS };
enum { WAVE_FIRST = WARP_FIRST + (ZLAY_WARP_TRANSPOSED + 1) * WIDTHS * COUNTS };
enum { LAST = WAVE_FIRST + ZL_COUNT(of_wave) * WAVES };

/* One that has warpgroups' products. */
static const zlay_target *any_target(void)
{
    const zlay_target *target;
    size_t i = 0;
    while ((target = zlay_target_nth(i)) && !(target->features & ZL_HAS_WGMMA)) i++;
    return target;
}

static zlay_status known_group(zlay_ctx *ctx, zlay_layout **out, zlay_fragment *f, uint32_t i)
{
    bool d = i >= D_FIRST;
    zlay_mma mma = {.m = ROWS_GROUP, .n = d ? 8 * (i - D_FIRST + 1) : 8};
    mma.k = d ? 16 : of_group[i].k;
    mma.a = mma.b = d ? ZLAY_TYPE_BF16 : of_group[i].type;
    mma.d = mma.a == ZLAY_TYPE_B1 ? ZLAY_TYPE_S32 : ZLAY_TYPE_F32;
    mma.sparse = d ? 0 : of_group[i].sparse;
    *f = (zlay_fragment){.lanes = GROUP, .rows = ROWS_GROUP};
    f->fragment = d ? ZLAY_FRAGMENT_D : of_group[i].fragment;
    f->bits = d ? REGISTER : f->fragment == ZLAY_FRAGMENT_METADATA ? 4 : zlay_type_bits(mma.a);
    return zl_mma_fragment(ctx, out, any_target(), &mma, f->fragment);
}

static zlay_status known_warp(zlay_ctx *ctx, zlay_layout **out, zlay_fragment *f, uint32_t i)
{
    int32_t which = (int32_t)(i / (WIDTHS * COUNTS));
    bool eight = which == ZLAY_WARP_B || which >= ZLAY_WARP_MATRICES;
    *f = (zlay_fragment){.lanes = WARP,
                         .fragment = which,
                         .bits = widths[i / COUNTS % WIDTHS],
                         .registers = counts[i % COUNTS],
                         .rows = eight ? 8 : 16};
    return zl_warp_fragment(ctx, out, which, f->bits, f->registers);
}

/* One that has the instruction; NULL: none. */
static const zlay_target *target_with(const zlay_mma *mma)
{
    const zlay_target *target;
    zlay_target_summary info;
    zlay_verdict verdict;
    for (size_t i = 0; (target = zlay_target_nth(i)); i++)
        if (!zlay_target_info(&info, target) && info.lanes == WAVE &&
            !zlay_mma_check(&verdict, NULL, 0, target, mma) && verdict.answer == ZLAY_YES)
            return target;
    return NULL;
}

static int32_t sum_of(int32_t type)
{
    return type == ZLAY_TYPE_F64 ? type : type == ZLAY_TYPE_S8 ? ZLAY_TYPE_S32 : ZLAY_TYPE_F32;
}

/* Where it has so many elements; sums stand once. */
static zlay_status known_wave(zlay_ctx *ctx, zlay_layout **out, zlay_fragment *f, uint32_t i,
                              uint64_t size)
{
    uint32_t row = i / WAVES, side = of_wave[row].side;
    bool sums = of_wave[row].sums;
    uint64_t depth = sums ? side : of_wave[row].k;
    if (side * depth * of_wave[row].blocks != size || (sums && i % WAVES)) return ZLAY_NONE;
    zlay_mma mma = {.instruction = ZLAY_MMA_MFMA, .m = side, .n = side, .k = of_wave[row].k};
    mma.blocks = of_wave[row].blocks;
    mma.a = mma.b = of_wave[row].type;
    mma.d = sum_of(mma.a);
    *f = (zlay_fragment){.lanes = WAVE, .rows = side, .blocks = mma.blocks};
    f->fragment = sums ? ZLAY_FRAGMENT_D : wave_fragments[i % WAVES];
    f->bits = zlay_type_bits(sums ? mma.d : mma.a);
    const zlay_target *target = target_with(&mma);
    return target ? zl_mma_fragment(ctx, out, target, &mma, f->fragment) : ZLAY_NONE;
}

/* Threads that a fragment's first coordinate has: some metadata is read of half of them. */
static uint64_t threads_of(const zlay_fragment *f, uint64_t size)
{
    uint64_t each = f->fragment == ZLAY_FRAGMENT_METADATA && f->lanes == GROUP ? 8 : 0;
    return each ? size / each : f->lanes;
}

/* Whether the i-th may have so many points: those of warps and sums of warpgroups, which are most, are not made where not. */
static bool may_have(uint32_t i, uint64_t size)
{
    uint32_t w = i - WARP_FIRST;
    if (i < D_FIRST || i >= WAVE_FIRST) return true;
    if (i < WARP_FIRST) return size == (uint64_t)ROWS_GROUP * 8 * (i - D_FIRST + 1);
    return size == (uint64_t)WARP * counts[w % COUNTS] * (REGISTER / widths[w / COUNTS % WIDTHS]);
}

/* The i-th of all; what it has follows from its points. */
static zlay_status known(zlay_ctx *ctx, zlay_layout **out, zlay_fragment *f, uint32_t i,
                         uint64_t asked)
{
    zlay_status status = i < WARP_FIRST   ? known_group(ctx, out, f, i)
                         : i < WAVE_FIRST ? known_warp(ctx, out, f, i - WARP_FIRST)
                                          : known_wave(ctx, out, f, i - WAVE_FIRST, asked);
    if (status) return status;
    uint64_t size = zlay_layout_size(*out);
    f->columns = (uint32_t)(size / f->rows);
    f->registers = (uint32_t)(size / threads_of(f, size) * f->bits / REGISTER);
    return ZLAY_OK;
}

/* ---- which of them a layout is ------------------------------------------------------------ */

typedef struct search {
    zlay_ctx *ctx;
    zl_compared asked;
    uint32_t bits;
    zlay_fragment *out;
    size_t room, found;
    zlay_fragment nearest; /* lanes 0: none has as many points */
    zl_difference where;
} search;

static const char *name_of(const zlay_fragment *f)
{
    static const char *const group[] = {"A of wgmma", "D of wgmma", "metadata of wgmma"};
    static const char *const warp[] = {"A of mma.sync", "B of mma.sync", "D of mma.sync",
                                       "matrices of ldmatrix", "transposed matrices of ldmatrix"};
    static const char *const wave[] = {"A of mfma", "D of mfma", "", "B of mfma"};
    return f->lanes == GROUP  ? group[f->fragment]
           : f->lanes == WAVE ? wave[f->fragment]
                              : warp[f->fragment];
}

static zlay_status compare(search *s, const zlay_fragment *f, const zlay_layout *layout)
{
    zl_difference where;
    uint64_t size = zlay_layout_size(layout);
    if (s->bits && s->bits != f->bits) return ZLAY_OK;
    s->asked.unit = f->rows;
    if (!zl_differs(&where, &s->asked, layout, threads_of(f, size))) return ZLAY_OK;
    if (where.at == size) {
        if (s->found < s->room) s->out[s->found] = *f;
        s->found++;
    } else if (!s->nearest.lanes || where.at > s->where.at) {
        s->nearest = *f;
        s->where = where;
    }
    return ZLAY_OK;
}

static zlay_status refuse(const search *s)
{
    const zlay_fragment *f = &s->nearest;
    uint64_t size = zlay_layout_size(s->asked.layout);
    if (!f->lanes)
        return zl_fail(s->ctx, ZLAY_NONE, "no operand in registers has %llu elements",
                       (unsigned long long)size);
    uint64_t threads = threads_of(f, size);
    unsigned long long thread = s->where.at % threads, value = s->where.at / threads;
    long long is = s->where.asked, want = s->where.known;
    if (s->where.undefined)
        return zl_fail(s->ctx, ZLAY_NONE, "%s, %u x %u, is the nearest: thread %llu, value %llu "
                       "holds nothing", name_of(f), f->rows, f->columns, thread, value);
    return zl_fail(s->ctx, ZLAY_NONE,
                   "%s, %u x %u, is the nearest: thread %llu, value %llu holds element %lld, and "
                   "there %lld", name_of(f), f->rows, f->columns, thread, value, is, want);
}

static zlay_status search_run(search *s)
{
    zlay_status status = zl_compared_check(s->ctx, &s->asked, POINTS_MOST);
    for (uint32_t i = 0; !status && i < LAST; i++) {
        zlay_layout *layout = NULL;
        zlay_fragment f;
        if (!may_have(i, zlay_layout_size(s->asked.layout))) continue;
        status = known(s->ctx, &layout, &f, i, zlay_layout_size(s->asked.layout));
        if (!status) status = compare(s, &f, layout);
        zlay_layout_free(layout);
        if (status == ZLAY_NONE) status = ZLAY_OK;
    }
    if (status) return status;
    if (!s->found) return refuse(s);
    return s->found > s->room ? zl_fail(s->ctx, ZLAY_EROOM, "room: %zu of %zu", s->room, s->found)
                              : ZLAY_OK;
}

zlay_status zlay_fragment_synth(zlay_ctx *ctx, zlay_fragment *out, size_t room, size_t *count,
                                const zlay_fragment_request *request)
{
    static const zl_request_form form = {"zlay_fragment_request",
                                         sizeof(zlay_fragment_request),
                                         sizeof request->size,
                                         {ZL_RESERVED(zlay_fragment_request, reserved)}};
    zlay_fragment_request r;
    zlay_fragment found[LAST];
    if (!ctx || !count || (room && !out) || !request) return ZLAY_EINVAL;
    if (zl_request_read(NULL, &r, request, &form) || !r.layout || r.value_first > 1)
        return ZLAY_EINVAL;
    search s = {.ctx = ctx, .bits = r.bits, .out = found, .room = room < LAST ? room : LAST};
    s.asked = (zl_compared){.layout = r.layout, .second_first = r.value_first};
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_leave(ctx, zl_whole(ctx, search_run(&s)));
    if (!status || status == ZLAY_EROOM) *count = s.found;
    if (!status) memcpy(out, found, s.found * sizeof *out);
    return status;
}
