/* SPDX-License-Identifier: Apache-2.0 */
/* Attention: blocks of queries, each of which reads the keys and values that its rows see, from the last tile down. Rows of the order
 * are tiles of queries of a head, columns are heads of all batches. */
#include "base/request.h"
#include "synth/io/io.h"
#include "target/target.h"

#include <zlay/type.h>

enum { Q, K, V, O, TENSORS };
enum { WARPGROUP = 64 /* rows */, ROWS_MOST = 192, KEYS_STEP = 16, KEYS_MOST = 256, HEAD_MOST = 256, STAGES = 2, ALIGN = 1024,
       THREADS = 128, FILE = 65536 /* registers of a processor */, OTHERS = 24 /* of a thread, beside sums, and of a producer's */,
       EXTENT_BITS = 31, STAGES_MOST = 64, TILES_MOST = ROWS_MOST / WARPGROUP * (KEYS_MOST / KEYS_STEP) };

typedef struct attention {
    zlay_io_attention ask;
    uint64_t heads, share; /* of all batches; of queries that share one of keys */
    uint32_t bits;
    bool tmem;
    zl_io_shape tile[TILES_MOST];
    uint32_t tiles;
} attention;

/* ---- the request ------------------------------------------------------------------------------------ */

static zlay_status extents_check(zlay_ctx *ctx, const zlay_io_attention *a)
{
    const uint64_t extent[] = {a->batch, a->heads, a->kv_heads, a->queries, a->keys};
    static const char *const name[] = {"batch", "heads", "kv_heads", "queries", "keys"};
    for (int i = 0; i < 5; i++)
        if (!extent[i] || extent[i] >> EXTENT_BITS)
            return zl_fail(ctx, ZLAY_EINVAL, "%s: %llu is not in 1..2^%d - 1", name[i], (unsigned long long)extent[i], EXTENT_BITS);
    if (a->heads % a->kv_heads) return zl_fail(ctx, ZLAY_EINVAL, "kv_heads: it is no divisor of heads");
    if (!a->head || a->head > HEAD_MOST || a->head % 8) return zl_fail(ctx, ZLAY_EINVAL, "head: %u is no multiple of 8 in 8..%d", a->head, HEAD_MOST);
    if (a->causal > 1 || a->front > 1 || a->reserved0) return zl_fail(ctx, ZLAY_EINVAL, "causal, front: 0 or 1; reserved words are 0");
    if (a->causal && a->keys < a->queries) return zl_fail(ctx, ZLAY_EINVAL, "keys: causal attention has as many keys as queries, or more");
    if (a->stages > STAGES_MOST) return zl_fail(ctx, ZLAY_EINVAL, "stages: %u, of %d at most", a->stages, STAGES_MOST);
    return ZLAY_OK;
}

static zlay_status request_read(zlay_ctx *ctx, attention *a, const zlay_io_attention *request, const zlay_target *target)
{
    static const zl_request_form form = {"zlay_io_attention", sizeof(zlay_io_attention), offsetof(zlay_io_attention, reserved),
                                         {ZL_RESERVED(zlay_io_attention, reserved)}};
    zlay_io_attention *ask = &a->ask;
    zlay_status status = zl_request_read(ctx, ask, request, &form);
    if (status) return status;
    if (!ask->batch) ask->batch = 1;
    if (!ask->heads) ask->heads = 1;
    if (!ask->kv_heads) ask->kv_heads = ask->heads;
    if (!ask->stages) ask->stages = STAGES;
    status = extents_check(ctx, ask);
    if (status) return status;
    a->bits = zlay_type_bits(ask->type ? ask->type : ZLAY_TYPE_BF16);
    if (a->bits != 8 && a->bits != 16) return zl_fail(ctx, ZLAY_EINVAL, "type: elements of 8 or 16 bits");
    a->share = ask->heads / ask->kv_heads;
    a->tmem = target->features & ZL_HAS_TCGEN05;
    if (!a->tmem && !(target->features & ZL_HAS_WGMMA))
        return zl_fail(ctx, ZLAY_ENOTSUP, "target %s: tiles of wgmma and tcgen05 are known", target->name);
    return zl_umul(ask->batch, ask->heads, &a->heads) ? ZLAY_OK : zl_fail(ctx, ZLAY_EOVERFLOW, "batch times heads");
}

/* ---- what is legal ------------------------------------------------------------------------------------ */

/* Registers of a thread of a warpgroup, of so many and a producer: a multiple of 8 (setmaxnreg), 255 at most. */
static uint32_t registers_of(uint32_t groups)
{
    uint32_t each = (FILE / THREADS - OTHERS) / groups / 8 * 8;
    return zl_min32(each, 240);
}

/* Sums of the result and of the scores of a tile: in registers, or two tiles of scores in tensor memory. */
static bool sums_fit(const attention *a, uint32_t m, uint32_t n)
{
    if (a->tmem) return m == 2 * WARPGROUP && a->ask.head + 2 * n <= 512;
    return a->ask.head / 2 + n / 2 + OTHERS <= registers_of(m / WARPGROUP);
}

/* Q, the stages of K and V, and the result of each warpgroup in passes of 64 columns. */
static uint64_t smem_of(const attention *a, uint64_t m, uint64_t n)
{
    uint64_t row = (uint64_t)a->ask.head * a->bits / 8;
    return m * row + 2 * a->ask.stages * n * row + m * 128 + ALIGN;
}

static uint64_t bands_of(const attention *a, uint64_t rows)
{
    uint32_t count = 0;
    if (a->ask.band) return 1;
    while (zl_io_band(rows, count)) count++;
    return count;
}

/* Of the tiles of so many queries those with the most keys that fit: fewer keys move the same bytes. */
static uint64_t tiles_list(attention *a, const zlay_io_machine *machine, uint64_t *least)
{
    uint64_t ways = 0;
    *least = UINT64_MAX;
    for (uint32_t m = WARPGROUP; m <= ROWS_MOST; m += WARPGROUP)
        for (uint32_t n = KEYS_MOST; n; n -= KEYS_STEP) {
            if ((a->ask.tile_m && a->ask.tile_m != m) || (a->ask.tile_n && a->ask.tile_n != n) || !sums_fit(a, m, n)) continue;
            uint64_t smem = smem_of(a, m, n);
            *least = zl_umin(*least, smem);
            if (smem > machine->smem) continue;
            a->tile[a->tiles++] = (zl_io_shape){m, n, ways};
            ways += bands_of(a, zl_ceil_div(a->ask.queries, m));
            break;
        }
    return ways;
}

/* ---- ways --------------------------------------------------------------------------------------------- */

static void kernel_of(zl_io_kernel *out, const attention *a, const zl_io_shape *at, uint64_t band)
{
    uint64_t row = (uint64_t)a->ask.head * a->bits;
    *out = (zl_io_kernel){
        .rows = a->ask.queries, .columns = a->heads, .depth = a->ask.keys, .tile_m = at->m, .tile_n = 1, .step = at->n, .band = band,
        .down = true, .causal = a->ask.causal, .skew = a->ask.causal ? a->ask.keys - a->ask.queries : 0, .operands_count = 3,
        .operand = {{.tensor = Q, .by = ZL_IO_ROW | ZL_IO_COLUMN, .unit = row, .share = 1, .once = true},
                    {.tensor = K, .by = ZL_IO_COLUMN, .unit = row, .share = a->share, .sliced = true},
                    {.tensor = V, .by = ZL_IO_COLUMN, .unit = row, .share = a->share, .sliced = true}},
        .result = {.tensor = O, .by = ZL_IO_ROW | ZL_IO_COLUMN, .unit = row, .share = 1}};
}

/* Pairs of a query and a key that it sees, of a head. */
static uint64_t pairs_of(const attention *a)
{
    const zlay_io_attention *ask = &a->ask;
    uint64_t all = zl_umul_sat(ask->queries, ask->keys);
    return ask->causal ? all - ask->queries * (ask->queries - 1) / 2 : all;
}

static void way(zl_io_way *out, const void *of, uint64_t i)
{
    const attention *a = of;
    uint32_t t = 0;
    while (t + 1 < a->tiles && a->tile[t + 1].first <= i) t++;
    const zl_io_shape *at = &a->tile[t];
    uint64_t rows = zl_ceil_div(a->ask.queries, at->m), asked = zl_umin(a->ask.band, rows);
    uint64_t band = a->ask.band ? asked : zl_io_band(rows, (uint32_t)(i - at->first));
    *out = (zl_io_way){.kernels = 1,
                       .choice = {.tile_m = at->m, .tile_n = at->n, .tile_k = a->ask.head, .band = (uint32_t)band,
                                  .smem = (uint32_t)smem_of(a, at->m, at->n), .sums = at->m * (a->ask.head + at->n) * 4,
                                  .tiles = zl_umul_sat(rows, a->heads),
                                  .flops = zl_umul_sat(zl_umul_sat(4 * pairs_of(a), a->ask.head), a->heads)}};
    kernel_of(&out->kernel[0], a, at, band);
}

/* ---- bounds -------------------------------------------------------------------------------------------- */

/* A key that a block reads serves at most as many pairs as the block has rows. */
static void bounds_tell(const attention *a, const zl_io_problem *p, zlay_io_answer *out)
{
    uint64_t row = (uint64_t)a->ask.head * a->bits, once = p->bits[Q] + p->bits[K] + p->bits[V] + p->bits[O];
    uint64_t most = a->tmem ? 2 * WARPGROUP : ROWS_MOST;
    uint64_t keys = zl_umul_sat(zl_umul_sat(zl_ceil_div(pairs_of(a), most), a->heads), 2 * row);
    uint64_t sums = zl_uadd_sat(p->bits[Q] + p->bits[O], keys);
    out->hbm_by = ZLAY_IO_COMPULSORY;
    out->hbm_bound = once / 8;
    out->l2_by = sums > once ? ZLAY_IO_QUERIES : ZLAY_IO_COMPULSORY;
    out->l2_block = sums > once ? most : 0;
    out->l2_bound = zl_umax(sums, once) / 8;
}

static zlay_status tensors_count(zlay_ctx *ctx, zl_io_problem *p, const attention *a)
{
    uint64_t row = (uint64_t)a->ask.head * a->bits, sum = 0;
    for (int t = 0; t < TENSORS; t++) {
        uint64_t heads = t == Q || t == O ? a->heads : a->heads / a->share, rows = t == Q || t == O ? a->ask.queries : a->ask.keys;
        p->bits[t] = zl_umul_sat(zl_umul_sat(heads, rows), row);
        sum = zl_uadd_sat(sum, p->bits[t]);
    }
    return sum >> 62 ? zl_fail(ctx, ZLAY_EOVERFLOW, "the tensors have more than 2^62 bits") : ZLAY_OK;
}

static zlay_status no_tile(zlay_ctx *ctx, const attention *a, const zlay_io_machine *machine, uint64_t least)
{
    if (least == UINT64_MAX)
        return zl_fail(ctx, ZLAY_NONE, "tile: no tile of %u queries and %u keys (0: any) has sums that fit, with a head of %u", a->ask.tile_m,
                       a->ask.tile_n, a->ask.head);
    return zl_fail(ctx, ZLAY_NONE, "smem: %u bytes; Q, %u stages of keys and values, and the result need %llu", machine->smem, a->ask.stages,
                   (unsigned long long)least);
}

static zlay_status plan(zlay_ctx *ctx, zlay_io_answer *out, const zlay_target *target, const zlay_io_attention *request)
{
    attention a = {0};
    zl_io_problem p = {.ctx = ctx, .target = target, .tensors = TENSORS, .name = {"Q", "K", "V", "O"}, .way = way, .of = &a};
    uint64_t least;
    zlay_status status = request_read(ctx, &a, request, target);
    if (!status) status = zl_io_machine_of(ctx, &p.machine, target, &a.ask.machine);
    if (!status) status = tensors_count(ctx, &p, &a);
    if (status) return status;
    p.front = a.ask.front;
    p.ways = tiles_list(&a, &p.machine, &least);
    if (!p.ways) return no_tile(ctx, &a, &p.machine, least);
    status = zl_io_search(&p, out);
    if (!status) bounds_tell(&a, &p, out);
    return status;
}

zlay_status zlay_io_attention_plan(zlay_ctx *ctx, zlay_io_answer *out, const zlay_target *target, const zlay_io_attention *request)
{
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    if (!out || !target || !request) status = zl_fail(ctx, ZLAY_EINVAL, "an argument is NULL");
    zlay_io_answer found;
    if (!status) status = plan(ctx, &found, target, request);
    status = zl_leave(ctx, status);
    if (!status) *out = found;
    return status;
}
