/* SPDX-License-Identifier: Apache-2.0 */
/* stage.synth: chooses layouts, primitives, tile, barriers and depths of a stage together, by
 * branch and bound over the lists of layouts.c and ways.c under the equations of depth.c, and
 * proves the pipe of the answer. */
#include "synth/stage/ask.h"

#include <string.h>

const char *zlay_stage_kind_name(int32_t kind)
{
    switch (kind) {
    case ZLAY_COPY_TENSOR_LOAD: return "tensor";
    case ZLAY_COPY_BULK_LOAD: return "bulk";
    case ZLAY_COPY_CP_ASYNC: return "cp.async";
    case ZLAY_COPY_THREAD_LOAD: return "threads";
    default: return NULL;
    }
}

const char *zlay_stage_layout_name(int32_t layout)
{
    static const char *const names[] = {"spans", "rows", "xor", "own"};
    return layout >= 0 && (size_t)layout < ZL_COUNT(names) ? names[layout] : NULL;
}

const char *zlay_stage_unit_name(int32_t unit)
{
    static const char *const names[ZLAY_STAGE_UNITS] = {"engine", "issue",  "shared", "l2",
                                                        "dram",   "tensor", "wait"};
    return unit >= 0 && unit < ZLAY_STAGE_UNITS ? names[unit] : NULL;
}

/* ---- the answer --------------------------------------------------------------------------- */

static zlay_stage_choice choice_of(const zl_stage_asked *a, const zl_stage_result *r, uint32_t i)
{
    const zl_stage_way *w = r->way[i];
    const zl_stage_place *p = &a->tile[r->tile].lines[i].place[w->place];
    return (zlay_stage_choice){.layout = p->layout,
                               .swizzle = p->swizzle,
                               .pad = p->pad,
                               .bits = p->bits,
                               .shift = p->shift,
                               .kind = w->kind,
                               .width = w->width,
                               .multicast = w->multicast,
                               .copies = w->copies,
                               .ring = r->ring[i],
                               .depth = r->depth[r->ring[i]],
                               .full = zl_stage_full(a, r, r->ring[i]),
                               .empty = zl_stage_empty(a, r, r->ring[i]),
                               .expect = w->expect,
                               .buffer = w->buffer,
                               .registers = w->registers,
                               .latency = w->latency,
                               .reads = w->reads,
                               .writes = w->writes,
                               .global = w->l2};
}

static void info_put(zlay_stage *s, const zl_stage_asked *a, const zl_stage_found *found)
{
    const zl_stage_result *r = &found->best;
    zlay_stage_summary *info = &s->info;
    zl_stage_result turn;
    *info = (zlay_stage_summary){.target = a->target,
                                 .tile = r->tile,
                                 .barriers = r->barriers,
                                 .rings = r->rings,
                                 .cycles = r->cycles,
                                 .tensors = a->tile[r->tile].count,
                                 .bytes = r->bytes,
                                 .mbarriers = r->mbarriers,
                                 .registers = r->registers,
                                 .threads = a->request.threads,
                                 .consumers = a->tile[r->tile].consumers,
                                 .visited = found->visited,
                                 .optimal = found->whole,
                                 .rates = a->request.rates};
    memcpy(info->unit, r->unit, sizeof info->unit);
    for (uint32_t i = 0; i < a->request.count; i++)
        for (uint32_t t = 0; t < a->tile[i].count; t++)
            info->candidates += a->tile[i].lines[t].ways;
    if (!zl_stage_in_turn(&turn, a)) return;
    info->in_turn = turn.cycles;
    info->in_turn_tile = turn.tile;
    info->in_turn_work = a->tile[turn.tile].work;
}

static zlay_status answer_make(zlay_stage *s, const zl_stage_asked *a, const zl_stage_found *found)
{
    const zl_stage_result *r = &found->best;
    zlay_status status = ZLAY_OK;
    info_put(s, a, found);
    for (uint32_t i = 0; i < s->info.tensors && !status; i++) {
        const zl_stage_lines *t = &a->tile[r->tile].lines[i];
        s->choice[i] = choice_of(a, r, i);
        status = zl_stage_layout(a->ctx, &s->layout[i], t, &t->place[r->way[i]->place]);
    }
    return status ? status : zl_stage_write(a->ctx, &s->pipe, a, r);
}

/* ---- the search ----------------------------------------------------------------------------- */

static zlay_status ended(const zl_stage_asked *a, const zl_stage_found *found)
{
    return zl_fail(a->ctx, ZLAY_ELIMIT, "points: the search ends at %llu nodes",
                   (unsigned long long)found->visited);
}

/* NONE: no shared memory is enough. With registers enough the reason are the registers, else the
 * warps of a block. */
static zlay_status nothing_at_all(zl_stage_asked *a)
{
    zl_stage_found any;
    uint32_t registers = a->request.registers;
    a->request.registers = UINT32_MAX;
    zlay_status status = zl_stage_search(&any, a, true);
    a->request.registers = registers;
    if (status || (!any.some && !any.whole)) return status ? status : ended(a, &any);
    if (any.some)
        return zl_fail(
            a->ctx, ZLAY_NONE,
            "registers: %u of a thread hold no stage that threads copy, and nothing else copies it",
            registers);
    return zl_fail(a->ctx, ZLAY_NONE,
                   "threads: %u that produce and those that read are more than the %d warps of a block",
                   a->request.threads, ZL_STAGE_WARPS_MOST);
}

/* NONE, with the least bytes that would do, or what forbids all. */
static zlay_status nothing_fits(zl_stage_asked *a)
{
    zl_stage_found least;
    zlay_status status = zl_stage_search(&least, a, true);
    if (status || !least.whole) return status ? status : ended(a, &least);
    if (!least.some) return nothing_at_all(a);
    return zl_fail(a->ctx, ZLAY_NONE,
                   "smem: the least that would do is %llu bytes, and %llu are there",
                   (unsigned long long)least.best.bytes, (unsigned long long)a->request.smem);
}

/* Tiles of which a tensor has no way are left out; NONE where all are. */
static zlay_status ways_list(zl_stage_asked *a)
{
    uint32_t count = 0;
    zlay_status none = ZLAY_OK;
    for (uint32_t i = 0; i < a->request.count; i++) {
        zlay_status status = zl_stage_product(a, &a->tile[i]);
        for (uint32_t t = 0; t < a->tile[i].count && !status; t++)
            status = zl_stage_ways(a, &a->tile[i], &a->tile[i].lines[t]);
        if (status && status != ZLAY_NONE) return status;
        if (status) none = status;
        a->tile[i].possible = !status;
        count += !status;
    }
    return count ? ZLAY_OK : none;
}

static zlay_status synth(zlay_stage **out, zl_stage_asked *a, const zlay_target *target,
                         const zlay_stage_request *request)
{
    zl_stage_found found;
    zlay_status status = zl_stage_read(a, target, request);
    if (!status) status = ways_list(a);
    if (!status) status = zl_stage_search(&found, a, false);
    if (!status && !found.some)
        status = found.whole ? nothing_fits(a) : ended(a, &found);
    zlay_stage *s = status ? NULL : zl_alloc(a->ctx, 1, sizeof *s);
    if (!s) return status ? status : ZLAY_ENOMEM;
    s->alloc = zl_allocator(a->ctx);
    status = answer_make(s, a, &found);
    if (status) zlay_stage_free(s);
    else *out = s;
    return status;
}

zlay_status zlay_stage_synth(zlay_ctx *ctx, zlay_stage **out, const zlay_target *target,
                             const zlay_stage_request *request)
{
    if (out) *out = NULL;
    if (!ctx || !out || !target || !request) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    zl_stage_asked *a = zl_scratch(ctx, 1, sizeof *a);
    if (a) a->ctx = ctx;
    return zl_leave(ctx, a ? synth(out, a, target, request) : ZLAY_ENOMEM);
}

void zlay_stage_free(zlay_stage *stage)
{
    if (!stage) return;
    zlay_allocator alloc = stage->alloc;
    for (int i = 0; i < ZLAY_STAGE_TENSORS; i++) zlay_layout_free(stage->layout[i]);
    zlay_pipe_free(stage->pipe);
    zl_free(&alloc, stage, sizeof *stage);
}

zlay_status zlay_stage_info(zlay_stage_summary *out, const zlay_stage *stage)
{
    if (!out || !stage) return ZLAY_EINVAL;
    *out = stage->info;
    return ZLAY_OK;
}

zlay_status zlay_stage_choice_nth(zlay_stage_choice *out, const zlay_stage *stage, uint32_t i)
{
    if (!out || !stage) return ZLAY_EINVAL;
    if (i >= stage->info.tensors) return ZLAY_NONE;
    *out = stage->choice[i];
    return ZLAY_OK;
}

const zlay_layout *zlay_stage_layout(const zlay_stage *stage, uint32_t i)
{
    return stage && i < stage->info.tensors ? stage->layout[i] : NULL;
}

const zlay_pipe *zlay_stage_pipe(const zlay_stage *stage)
{
    return stage ? stage->pipe : NULL;
}
