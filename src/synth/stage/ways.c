/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the primitives that write each layout of a tile, with what each takes: tensor copies, by
 * one block or by all that share the tile, bulk copies of lines, cp.async, loads and stores by
 * threads.  A tensor map is legal as tensormap.check says.  A way that another one is no worse
 * than in any number is left out. */
#include "rules/rule.h"
#include "synth/stage/ask.h"

#include <stdio.h>
#include <string.h>
#include <zlay/bank.h>
#include <zlay/rule.h>
#include <zlay/tensormap.h>

enum {
    WAYS_MOST = ZL_STAGE_PLACES * 11,
    BOX_MOST = 256,
    SECTOR = 32,
    WAVEFRONT = 128,
    KILO = 1000,
    GRANULE = 16,
    GROUP = 8,
    ALIGN = 128,
    TENSOR = 0,
    BULK,
    CP_ASYNC,
    THREADS
};

static bool may(const zl_stage_lines *t, int primitive)
{
    return !t->tensor->primitives || t->tensor->primitives >> primitive & 1;
}

static void refuse(zl_stage_lines *t, int primitive, const char *rule)
{
    if (!t->refused[primitive]) t->refused[primitive] = rule;
}

/* ---- what every way takes -------------------------------------------------------------- */

/* Bytes of sectors that lines of so many bytes lie in, wherever they begin. */
static uint64_t sectors(const zl_stage_lines *t, uint64_t bytes)
{
    uint64_t apart = t->align < SECTOR ? t->align : SECTOR;
    return (bytes + SECTOR - apart + SECTOR - 1) / SECTOR * SECTOR * t->lines;
}

/* What a latency is longer where the tile comes from DRAM. */
static uint32_t far_of(const zl_stage_asked *a, const zl_stage_lines *t)
{
    return t->tensor->from_dram ? a->request.rates.far_cycles : 0;
}

static zl_stage_way begin(const zl_stage_asked *a, const zl_stage_lines *t, uint32_t place,
                          const zl_stage_reads *reads)
{
    const zl_stage_place *p = &t->place[place];
    return (zl_stage_way){.place = place,
                          .multicast = 1,
                          .buffer = (uint32_t)zl_round_up(p->size, p->align),
                          .reads = reads->wavefronts,
                          .instructions = reads->instructions,
                          .latency = a->request.rates.copy_cycles + far_of(a, t)};
}

static void finish(zl_stage_way *w, const zl_stage_asked *a, const zl_stage_lines *t,
                   uint64_t bytes)
{
    uint64_t shared = t->tensor->shared ? a->request.cluster : 1;
    w->l2 = (bytes + w->multicast - 1) / w->multicast;
    w->dram = t->tensor->from_dram ? (bytes + shared - 1) / shared : 0;
}

/* ---- tensor copies -------------------------------------------------------------------------- */

/* Lines of a box: the most that divide the lines. */
static uint32_t box_lines(uint32_t lines)
{
    uint32_t most = lines < BOX_MOST ? lines : BOX_MOST;
    while (lines % most) most--;
    return most;
}

static zlay_tensormap map_of(const zl_stage_lines *t, const zl_stage_place *p, uint32_t lines)
{
    static const int32_t types[] = {ZLAY_TYPE_U8, ZLAY_TYPE_U16, ZLAY_TYPE_U32, ZLAY_TYPE_U64};
    uint32_t wide = p->layout == ZLAY_STAGE_SPANS ? p->span : t->line;
    return (zlay_tensormap){.address = t->tensor->align ? t->tensor->align : GRANULE,
                            .rank = 2,
                            .type = types[__builtin_ctz(t->elem)],
                            .extent = {t->extent[0], t->extent[1]},
                            .stride = {t->pitch},
                            .box = {wide / t->elem, lines},
                            .step = {1, 1},
                            .swizzle =
                                p->layout == ZLAY_STAGE_SPANS ? p->swizzle : ZLAY_SWIZZLE_NONE};
}

/* What forbids tensor copies of a layout by so many blocks; NULL: nothing. */
static const char *tensor_rule(const zl_stage_asked *a, const zl_stage_lines *t,
                               const zl_stage_place *p, uint32_t blocks)
{
    zlay_verdict verdict;
    zlay_reason reason;
    zlay_rule rule;
    if (!(a->target->features & ZL_HAS_TMA)) return "the target has no tensor copies";
    if (p->layout != ZLAY_STAGE_SPANS && (p->layout != ZLAY_STAGE_ROWS || p->pad))
        return "no box has this layout";
    if (t->line % GRANULE && t->extent[0] * t->elem > t->line) return "COPY_COORDINATE_16";
    uint32_t share = t->lines / blocks, box = box_lines(share ? share : 1);
    bool several = t->lines != box || p->cuts > 1;
    if (t->lines % blocks) return "blocks share equal parts of the lines";
    if (several && p->layout == ZLAY_STAGE_SPANS && box % GROUP)
        return "boxes of a swizzle have a multiple of 8 lines";
    if (several && p->layout == ZLAY_STAGE_ROWS && (uint64_t)box * t->line % ALIGN)
        return "boxes begin at multiples of 128 bytes";
    zlay_tensormap map = map_of(t, p, box);
    if (zlay_tensormap_check(&verdict, &reason, 1, a->target, &map))
        return "no tensor map has these fields";
    if (verdict.answer == ZLAY_YES) return NULL;
    return zlay_rule_info(&rule, reason.rule) ? "a rule of tensor maps" : rule.id;
}

static bool by_tensor(zl_stage_way *w, const zl_stage_asked *a, zl_stage_lines *t, uint32_t blocks)
{
    const zl_stage_place *p = &t->place[w->place];
    const char *rule = tensor_rule(a, t, p, blocks);
    if (rule) {
        refuse(t, TENSOR, rule);
        return false;
    }
    bool spans = p->layout == ZLAY_STAGE_SPANS;
    uint32_t share = t->lines / blocks;
    w->kind = ZLAY_COPY_TENSOR_LOAD;
    w->multicast = blocks;
    w->copies = (spans ? p->cuts : 1) * (share / box_lines(share));
    w->expect = p->size;
    w->engine = (uint64_t)w->copies * a->request.rates.copy_each * a->request.rates.copy +
                (uint64_t)p->size * KILO;
    w->writes = (p->size + WAVEFRONT - 1) / WAVEFRONT;
    w->instructions += w->copies;
    finish(w, a, t, sectors(t, spans ? (uint64_t)p->span * p->cuts : t->line));
    return true;
}

/* ---- bulk copies
 * ------------------------------------------------------------------------------ */

static const char *bulk_rule(const zl_stage_asked *a, const zl_stage_lines *t,
                             const zl_stage_place *p)
{
    if (!(a->target->features & ZL_HAS_TMA)) return "the target has no bulk copies";
    if (t->align % GRANULE) return "lines begin at multiples of 16 bytes and have as many";
    return p->layout == ZLAY_STAGE_ROWS && p->pad % GRANULE == 0
               ? NULL
               : "lines lie whole, at multiples of 16 bytes";
}

static bool by_bulk(zl_stage_way *w, const zl_stage_asked *a, zl_stage_lines *t)
{
    const zl_stage_place *p = &t->place[w->place];
    const char *rule = bulk_rule(a, t, p);
    if (rule) {
        refuse(t, BULK, rule);
        return false;
    }
    uint32_t bytes = t->line * t->lines;
    w->kind = ZLAY_COPY_BULK_LOAD;
    w->copies = t->pitch == t->line && p->pitch == t->line ? 1 : t->lines;
    w->expect = bytes;
    w->engine = (uint64_t)w->copies * a->request.rates.copy_each * a->request.rates.copy +
                (uint64_t)bytes * KILO;
    w->writes = w->copies == 1 ? (bytes + WAVEFRONT - 1) / WAVEFRONT
                               : (uint64_t)(t->line + WAVEFRONT - 1) / WAVEFRONT * t->lines;
    w->instructions += w->copies;
    finish(w, a, t, sectors(t, t->line));
    return true;
}

/* ---- threads
 * ------------------------------------------------------------------------------------ */

/* Wavefronts of the stores: thread q of all takes the q-th chunk of so many bytes, lines first
 * to last. */
static zlay_status stores(uint64_t *out, const zl_stage_asked *a, const zl_stage_lines *t,
                          const zl_stage_place *p, uint32_t width, const char *access)
{
    uint32_t each = t->line / width, count = each * t->lines;
    int32_t number;
    zlay_status status = zlay_bank_find(&number, access, strlen(access));
    if (!status) status = zl_charge(a->ctx, count);
    for (uint32_t first = 0; first < count && !status; first += ZL_STAGE_WARP) {
        uint32_t address[ZLAY_BANK_LANES];
        for (uint32_t l = 0; l < ZL_STAGE_WARP; l++) {
            uint32_t q = first + l;
            address[l] =
                q < count ? zl_stage_offset(t, p, q / each, q % each * width) : ZLAY_BANK_INACTIVE;
        }
        status = zl_stage_bank(out, a, number, address);
    }
    return status;
}

static const char *threads_rule(const zl_stage_lines *t, const zl_stage_place *p, uint32_t width)
{
    if (t->align % width) return "lines begin at multiples of an access and have as many bytes";
    return p->grain % width ? "the layout tears the bytes of an access" : NULL;
}

/* ZLAY_NONE: a rule forbids it. */
static zlay_status by_threads(zl_stage_way *w, const zl_stage_asked *a, zl_stage_lines *t,
                              uint32_t width, bool async)
{
    const zl_stage_place *p = &t->place[w->place];
    const char *rule = async && !(a->target->features & ZL_HAS_CP_ASYNC)
                           ? "the target has no cp.async"
                           : threads_rule(t, p, width);
    uint32_t bytes = t->line * t->lines, all = width * a->request.threads,
             held = (bytes + all - 1) / all * ((width + 3) / 4);
    char access[24];
    if (!rule && !async && held > a->request.registers) {
        rule = "registers hold too few bytes in flight";
        t->refused[THREADS] = NULL; /* what forbids wider accesses is not the reason */
    }
    if (rule) {
        refuse(t, async ? CP_ASYNC : THREADS, rule);
        return ZLAY_NONE;
    }
    w->kind = async ? ZLAY_COPY_CP_ASYNC : ZLAY_COPY_THREAD_LOAD;
    w->by_threads = true;
    w->width = width;
    w->copies = (bytes / width + ZL_STAGE_WARP - 1) / ZL_STAGE_WARP;
    w->registers = async ? 0 : held;
    w->latency = a->request.rates.load_cycles + far_of(a, t);
    w->wait = async ? 0 : w->latency;
    w->instructions += (uint64_t)w->copies * (async ? 1 : 2);
    finish(w, a, t, sectors(t, t->line));
    snprintf(access, sizeof access, async ? "cp.async.ca.%u" : "st.shared.b%u",
             async ? width : 8 * width);
    return stores(&w->writes, a, t, p, width, access);
}

/* ---- the list
 * ----------------------------------------------------------------------------------- */

static void keep(zl_stage_lines *t, const zl_stage_way *w)
{
    t->way[t->ways++] = *w;
}

static zlay_status threads_put(const zl_stage_asked *a, zl_stage_lines *t, const zl_stage_way *from)
{
    for (int async = 1; async >= 0; async--)
        for (uint32_t width = 16; width >= (async && t->elem < 4 ? 4 : t->elem); width /= 2) {
            zl_stage_way w = *from;
            if (!may(t, async ? CP_ASYNC : THREADS) || (async && width < 4)) continue;
            zlay_status status = by_threads(&w, a, t, width, async);
            if (!status) keep(t, &w);
            else if (status != ZLAY_NONE) return status;
        }
    return ZLAY_OK;
}

static zlay_status place_put(const zl_stage_asked *a, const zl_stage_tile *tile, zl_stage_lines *t,
                             uint32_t place)
{
    zl_stage_reads reads;
    zl_stage_way w;
    zlay_status status = zl_stage_read_count(&reads, a, tile, t, &t->place[place]);
    if (status || !reads.fits) return status;
    uint32_t blocks = t->tensor->shared ? a->request.cluster : 1;
    for (uint32_t by = 1; by <= blocks && may(t, TENSOR); by += blocks > 1 ? blocks - 1 : 1) {
        w = begin(a, t, place, &reads);
        if (by_tensor(&w, a, t, by)) keep(t, &w);
    }
    w = begin(a, t, place, &reads);
    if (may(t, BULK) && by_bulk(&w, a, t)) keep(t, &w);
    w = begin(a, t, place, &reads);
    return threads_put(a, t, &w);
}

/* Whether x is no worse than y in any number, and better or first in bytes. */
static bool beats(const zl_stage_way *x, const zl_stage_way *y, bool first)
{
    return x->by_threads == y->by_threads && x->multicast == y->multicast &&
           !x->expect == !y->expect && x->buffer <= y->buffer && x->registers <= y->registers &&
           x->latency <= y->latency && x->reads + x->writes <= y->reads + y->writes &&
           x->engine <= y->engine && x->instructions <= y->instructions && x->l2 <= y->l2 &&
           x->dram <= y->dram && x->wait <= y->wait && (first || x->buffer < y->buffer);
}

static zlay_status thin(const zl_stage_asked *a, zl_stage_lines *t)
{
    t->kept = zl_scratch(a->ctx, t->ways, sizeof(const zl_stage_way *));
    if (!t->kept) return ZLAY_ENOMEM;
    for (uint32_t i = 0; i < t->ways; i++) {
        bool beaten = false;
        for (uint32_t j = 0; j < t->ways && !beaten; j++)
            beaten = j != i && beats(&t->way[j], &t->way[i], j < i);
        if (!beaten) t->kept[t->kept_count++] = &t->way[i];
    }
    return ZLAY_OK;
}

static zlay_status none_of(const zl_stage_asked *a, const zl_stage_lines *t)
{
    static const char *const unread = "no layout of its list can be read so";
    const char *rule[4];
    for (int i = 0; i < 4; i++)
        rule[i] = !may(t, i) ? "not asked for" : t->refused[i] ? t->refused[i] : unread;
    return zl_fail(a->ctx, ZLAY_NONE, "%s: tensor copies: %s; bulk: %s; cp.async: %s; threads: %s",
                   t->tensor->name, rule[0], rule[1], rule[2], rule[3]);
}

zlay_status zl_stage_ways(const zl_stage_asked *a, const zl_stage_tile *tile, zl_stage_lines *t)
{
    zlay_status status = zl_stage_places(a, t);
    t->way = zl_scratch(a->ctx, WAYS_MOST, sizeof *t->way);
    if (!t->way && !status) status = ZLAY_ENOMEM;
    for (uint32_t i = 0; i < t->places && !status; i++) status = place_put(a, tile, t, i);
    if (status) return status;
    return t->ways ? thin(a, t) : none_of(a, t);
}
