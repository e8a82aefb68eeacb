/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the pipe of a stage as text, and has it parsed and proved.  One thread issues bulk and
 * tensor copies; all threads of the producer copy the other tensors, and tell of a stage when
 * the copies behind it are issued. Of each block of a cluster that shares a tensor one thread
 * issues a part of it to all. */
#include "pipe/order/verify.h"
#include "synth/stage/ask.h"

#include <stdio.h>
#include <string.h>

enum { READERS = 4 /* warps of a warpgroup */, COLUMNS_LEAST = 32 };

typedef struct stage_text {
    const zl_stage_asked *a;
    const zl_stage_result *r;
    const zl_stage_tile *tile;
    bool threads, async, multicast;
    bool product, tmem; /* of two tensors; by tcgen05 */
    bool alone;     /* a ring has no tensor that threads copy */
    uint32_t ahead; /* stages whose copies by threads are under way */
} stage_text;

/* Bytes of a stage that are written: gaps between lines that bulk copies write are not among
 * them. */
static uint32_t filled(const stage_text *s, uint32_t i)
{
    const zl_stage_way *w = s->r->way[i];
    return w->kind == ZLAY_COPY_BULK_LOAD ? w->expect : s->tile->lines[i].place[w->place].size;
}

static const char *name_of(const stage_text *s, uint32_t i)
{
    return s->tile->lines[i].tensor->name;
}

static bool ring_has(const stage_text *s, uint32_t ring, bool threads)
{
    for (uint32_t i = 0; i < s->tile->count; i++)
        if (s->r->ring[i] == ring && s->r->way[i]->by_threads == threads) return true;
    return false;
}

static bool ring_shared(const stage_text *s, uint32_t ring)
{
    for (uint32_t i = 0; i < s->tile->count; i++)
        if (s->r->ring[i] == ring && s->r->way[i]->multicast > 1) return true;
    return false;
}

static stage_text text_of(const zl_stage_asked *a, const zl_stage_result *r)
{
    stage_text s = {.a = a, .r = r, .tile = &a->tile[r->tile]};
    for (uint32_t i = 0; i < s.tile->count; i++) {
        const zl_stage_way *w = r->way[i];
        s.threads |= w->by_threads;
        s.async |= w->kind == ZLAY_COPY_CP_ASYNC;
        s.multicast |= w->multicast > 1;
        s.product |= s.tile->lines[i].described;
        if (w->kind == ZLAY_COPY_CP_ASYNC) s.ahead = r->depth[r->ring[i]] - 1;
    }
    for (uint32_t k = 0; k < r->rings; k++) s.alone |= !ring_has(&s, k, true);
    s.tmem = s.tile->tmem;
    return s;
}

/* ---- declarations
 * ----------------------------------------------------------------------------- */

uint32_t zl_stage_full(const zl_stage_asked *a, const zl_stage_result *r, uint32_t ring)
{
    stage_text s = text_of(a, r);
    return ring_has(&s, ring, true) ? a->request.threads : 1;
}

uint32_t zl_stage_empty(const zl_stage_asked *a, const zl_stage_result *r, uint32_t ring)
{
    stage_text s = text_of(a, r);
    return s.tile->consumers / ZL_STAGE_WARP * (ring_shared(&s, ring) ? a->request.cluster : 1);
}

/* Columns of tensor memory that hold the sums of a tile. */
static uint32_t columns_of(const stage_text *s)
{
    uint32_t columns = COLUMNS_LEAST, last = 0;
    for (uint32_t i = 0; i < s->tile->count; i++)
        if (s->tile->lines[i].described) last = (uint32_t)s->tile->lines[i].tensor->shape[0];
    while (columns < last) columns *= 2;
    return columns;
}

static void declare(zl_text *out, const stage_text *s)
{
    uint32_t least = s->product && !s->ahead ? 1 : s->ahead;
    zl_puts(out, "pipe stage\n");
    if (s->multicast) zl_putf(out, "cluster %u\n", s->a->request.cluster);
    zl_putf(out, "param N %u..\n", least);
    for (uint32_t i = 0; i < s->tile->count; i++)
        zl_putf(out, "smem %s[%u] %u\n", name_of(s, i), s->r->depth[s->r->ring[i]], filled(s, i));
    for (uint32_t k = 0; k < s->r->rings; k++)
        zl_putf(out, "bar full%u[%u] count %u\nbar empty%u[%u] count %u\n", k, s->r->depth[k],
                zl_stage_full(s->a, s->r, k), k, s->r->depth[k], zl_stage_empty(s->a, s->r, k));
    if (s->tmem)
        zl_putf(out, "tmem C[1] %u\nbar summed[1] count 1\nbar over[1] count %d\n", columns_of(s),
                READERS);
    for (uint32_t k = 0; k < s->r->rings; k++) zl_putf(out, "init full%u\ninit empty%u\n", k, k);
    if (s->tmem) zl_puts(out, "init summed\ninit over\nalloc C\nrelinquish\n");
    zl_putf(out, "fence mbarrier_init\nsync %s\n", s->multicast ? "cluster" : "cta");
}

/* ---- the producer
 * ------------------------------------------------------------------------------- */

/* Waits until the ring's stage is empty, and expects the bytes of its copies. */
static void stage_begin(zl_text *out, const stage_text *s, uint32_t ring, const char *at)
{
    uint32_t d = s->r->depth[ring], expect = 0;
    for (uint32_t i = 0; i < s->tile->count; i++)
        if (s->r->ring[i] == ring) expect += s->r->way[i]->expect;
    zl_putf(out, "wait empty%u[%s %% %u] parity (%s / %u + 1) %% 2\n", ring, at, d, at, d);
    if (expect) zl_putf(out, "expect full%u[%s %% %u] %u\n", ring, at, d, expect);
    if (!ring_has(s, ring, true)) zl_putf(out, "arrive full%u[%s %% %u]\n", ring, at, d);
}

static void copy_put(zl_text *out, const stage_text *s, uint32_t i, const char *at, uint32_t rank)
{
    const zl_stage_way *w = s->r->way[i];
    uint32_t ring = s->r->ring[i], d = s->r->depth[ring];
    const char *name = name_of(s, i);
    if (w->kind == ZLAY_COPY_CP_ASYNC) {
        zl_putf(out, "cpasync %u -> %s[%s %% %u]\n", filled(s, i), name, at, d);
    } else if (w->kind == ZLAY_COPY_THREAD_LOAD) {
        zl_putf(out, "write %s[%s %% %u] %u\n", name, at, d, filled(s, i));
    } else {
        zl_putf(out, "copy %s %u -> %s[%s %% %u]",
                w->kind == ZLAY_COPY_BULK_LOAD ? "bulk" : "tensor", w->expect / w->multicast, name,
                at, d);
        if (w->multicast > 1 && rank) zl_putf(out, " part %u", rank);
        zl_putf(out, " signal full%u[%s %% %u]", ring, at, d);
        if (w->multicast > 1) zl_putf(out, " multicast %u", (1u << w->multicast) - 1);
        zl_puts(out, "\n");
    }
}

/* A stage of the rings that threads write, or of the others. */
static void fill(zl_text *out, const stage_text *s, const char *at, uint32_t rank, bool threads)
{
    for (uint32_t k = 0; k < s->r->rings; k++) {
        if (ring_has(s, k, true) != threads) continue;
        stage_begin(out, s, k, at);
        for (uint32_t i = 0; i < s->tile->count; i++)
            if (s->r->ring[i] == k) copy_put(out, s, i, at, rank);
    }
    if (threads && s->async) zl_puts(out, "commit cpasync\n");
}

/* Tells of the stage that threads filled `ahead` stages before. */
static void publish(zl_text *out, const stage_text *s, const char *at)
{
    zl_puts(out, "fence proxy.async\n");
    for (uint32_t k = 0; k < s->r->rings; k++)
        if (ring_has(s, k, true))
            zl_putf(out, "arrive full%u[%s %% %u] threads\n", k, at, s->r->depth[k]);
}

/* A barrier must outlive its last arrival: a block that shares a tensor stays until all others have
 * left its last stages; one of tcgen05 until its products have. */
static void drain(zl_text *out, const stage_text *s, bool threads)
{
    for (uint32_t k = 0; k < s->r->rings; k++) {
        uint32_t d = s->r->depth[k];
        if (ring_has(s, k, true) == threads && (s->tmem || ring_shared(s, k)))
            zl_putf(out,
                    "for j%u in N..N+%u\nwait empty%u[j%u %% %u] parity (j%u / %u + 1) %% 2\nend\n",
                    k, d, k, k, d, k, d);
    }
}

static void produce_by_threads(zl_text *out, const stage_text *s)
{
    char at[24];
    zl_putf(out, "role producer warps 0..%u\n", s->a->request.threads / ZL_STAGE_WARP - 1);
    if (!s->ahead) {
        zl_puts(out, "for i in 0..N\n");
        fill(out, s, "i", 0, true);
        publish(out, s, "i");
        zl_puts(out, "end\n");
        drain(out, s, true);
        zl_puts(out, "end\n");
        return;
    }
    snprintf(at, sizeof at, "(i-%u)", s->ahead);
    zl_putf(out, "for p in 0..%u\n", s->ahead);
    fill(out, s, "p", 0, true);
    zl_putf(out, "end\nfor i in %u..N\n", s->ahead);
    fill(out, s, "i", 0, true);
    zl_putf(out, "waitgroup cpasync %u\n", s->ahead);
    publish(out, s, at);
    zl_putf(out, "end\nwaitgroup cpasync 0\nfor k in N-%u..N\n", s->ahead);
    publish(out, s, "k");
    zl_puts(out, "end\n");
    drain(out, s, true);
    zl_puts(out, "end\n");
}

/* One thread of a warp of its own: a ring that threads write may be deeper than its rings. */
static void produce_by_one(zl_text *out, const stage_text *s, uint32_t rank)
{
    uint32_t warp = s->threads ? s->a->request.threads / ZL_STAGE_WARP : 0;
    if (s->multicast) zl_putf(out, "role producer%u warps 0..0 elect cta %u\n", rank, rank);
    else zl_putf(out, "role copier warps %u..%u elect\n", warp, warp);
    zl_puts(out, "for i in 0..N\n");
    fill(out, s, "i", rank, false);
    zl_puts(out, "end\n");
    drain(out, s, false);
    zl_puts(out, "end\n");
}

/* ---- the readers
 * ---------------------------------------------------------------------------------- */

/* Products of a stage; those of tcgen05 are asynchronous, and commits of each ring tell of them. */
static void multiply(zl_text *out, const stage_text *s, const char *at, const char *fresh)
{
    uint32_t factor[2] = {0, 0}, count = 0;
    for (uint32_t i = 0; i < s->tile->count && count < 2; i++)
        if (s->tile->lines[i].described) factor[count++] = i;
    zl_puts(out, s->tmem ? "mma " : "fence wgmma\nmma ");
    for (uint32_t f = 0; f < 2; f++)
        zl_putf(out, "%s%s[%s %% %u]", f ? ", " : "", name_of(s, factor[f]), at,
                s->r->depth[s->r->ring[factor[f]]]);
    zl_putf(out, " -> C%s%s\n", s->tmem ? "[0]" : "", fresh);
    if (!s->tmem) zl_puts(out, "commit wgmma\nwaitgroup wgmma 0\n");
}

/* Tells that the stage of a ring has been read. */
static void leave(zl_text *out, const stage_text *s, uint32_t ring, const char *at)
{
    uint32_t d = s->r->depth[ring], all = (1u << s->a->request.cluster) - 1;
    bool shared = ring_shared(s, ring);
    if (!s->tmem) {
        zl_putf(out, "arrive empty%u[%s %% %u] warps%s\n", ring, at, d, shared ? " cta all" : "");
        return;
    }
    zl_putf(out, "commit tcgen05 signal empty%u[%s %% %u]", ring, at, d);
    if (shared) zl_putf(out, " multicast %u", all);
    zl_puts(out, "\n");
}

static void consume(zl_text *out, const stage_text *s, const char *at, const char *fresh)
{
    bool lanes = false;
    for (uint32_t k = 0; k < s->r->rings; k++)
        zl_putf(out, "wait full%u[%s %% %u] parity %s / %u %% 2\n", k, at, s->r->depth[k], at,
                s->r->depth[k]);
    for (uint32_t i = 0; i < s->tile->count; i++) {
        if (!s->tile->lines[i].lanes) continue;
        zl_putf(out, "read %s[%s %% %u]\n", name_of(s, i), at, s->r->depth[s->r->ring[i]]);
        lanes = true;
    }
    if (s->product) multiply(out, s, at, fresh);
    if (lanes) zl_puts(out, "sync warp\n");
    for (uint32_t k = 0; k < s->r->rings; k++) leave(out, s, k, at);
}

/* Warps of producers, and for wgmma those up to a whole warpgroup. */
static uint32_t warps_before(const stage_text *s)
{
    uint32_t first = s->threads ? s->a->request.threads / ZL_STAGE_WARP : 0;
    first += s->alone;
    return s->product && !s->tmem ? (uint32_t)zl_round_up(first, READERS) : first;
}

/* The first warp that reads the sums of tcgen05, behind the one that issues and the one that frees
 * them: a warpgroup. */
static uint32_t readers_first(const stage_text *s)
{
    return (uint32_t)zl_round_up(warps_before(s) + 2, READERS);
}

uint32_t zl_stage_warps(const zl_stage_asked *a, const zl_stage_result *r)
{
    stage_text s = text_of(a, r);
    return s.tmem ? readers_first(&s) + READERS
                  : warps_before(&s) + s.tile->consumers / ZL_STAGE_WARP;
}

/* Sums in tensor memory: a warpgroup reads them when the products are over, a warp frees them. */
static void sums_read(zl_text *out, const stage_text *s)
{
    uint32_t first = readers_first(s);
    zl_putf(out, "role reader warps %u..%u\n", first, first + READERS - 1);
    zl_puts(out, "wait summed[0] parity 0 / 1 % 2\nfence tcgen05.after\ntld C[0] -> R\ntwait ld\n"
                 "fence tcgen05.before\narrive over[0] warps\nuse R\nend\n");
    zl_putf(out, "role owner warps %u..%u\n", warps_before(s) + 1, warps_before(s) + 1);
    zl_puts(out, "wait over[0] parity 0 / 1 % 2\nfence tcgen05.after\ndealloc C\nend\n");
}

static void readers(zl_text *out, const stage_text *s)
{
    uint32_t first = warps_before(s), count = s->tile->consumers / ZL_STAGE_WARP;
    zl_putf(out, "role consumer warps %u..%u%s\n", first, first + count - 1,
            s->tmem ? " elect" : s->product ? " each 4" : "");
    if (s->product) consume(out, s, "0", " fresh");
    zl_putf(out, "for i in %d..N\n", s->product);
    consume(out, s, "i", "");
    zl_puts(out, "end\n");
    if (s->product) zl_puts(out, s->tmem ? "commit tcgen05 signal summed[0]\n" : "use C\n");
    zl_puts(out, "end\n");
    if (s->tmem) sums_read(out, s);
}

static void pipe_write(zl_text *out, const void *value)
{
    const stage_text *s = value;
    declare(out, s);
    for (uint32_t b = 0; b < (s->multicast ? s->a->request.cluster : 1); b++) {
        if (s->threads) produce_by_threads(out, s);
        if (s->alone) produce_by_one(out, s, b);
    }
    readers(out, s);
}

zlay_status zl_stage_write(zlay_ctx *ctx, zlay_pipe **out, const zl_stage_asked *a,
                           const zl_stage_result *r)
{
    stage_text s = text_of(a, r);
    return zl_pipe_proved(ctx, out, pipe_write, &s);
}
