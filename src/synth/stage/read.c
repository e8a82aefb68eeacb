/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a request of stage.synth: checks each field, puts defaults in the places of zeros, and
 * reads from the strides of a tensor which mode is contiguous and where lines begin. */
#include "algebra/layout/layout.h"
#include "base/request.h"
#include "synth/stage/ask.h"

#include <string.h>
#include <zlay/bank.h>
#include <zlay/machine.h>

enum {
    TILE_MOST = 1 << 20,
    GRANULE = 16,
    THREADS = 128,
    REGISTERS = 64,
    WARPGROUP_ROWS = 64,
    CONSUMERS_MOST = 512,

    RATE_MOST = 1 << 24,
    PRIMITIVES_ALL = 15
};

/* What is said where the machine says nothing. */
static void rates_usual(zlay_stage_rates *out, const zlay_target *target)
{
    static const struct {
        uint32_t feature, copy, l2, copy_each, copy_cycles, load_cycles, far_cycles;
    } rows[] = {
#define RATES(feature, ...) {feature, __VA_ARGS__},
#include "synth/stage/rates.def"
#undef RATES
    };
    for (size_t i = 0; i < ZL_COUNT(rows); i++)
        if (target->features & rows[i].feature) {
            *out = (zlay_stage_rates){.copy = rows[i].copy,
                                      .l2 = rows[i].l2,
                                      .copy_each = rows[i].copy_each,
                                      .copy_cycles = rows[i].copy_cycles,
                                      .load_cycles = rows[i].load_cycles,
                                      .far_cycles = rows[i].far_cycles};
            return;
        }
}

static void fact_put(uint32_t *out, const zlay_machine *m, int32_t fact, int64_t divide)
{
    int64_t value;
    if (divide > 0 && !zlay_machine_get(&value, m, fact) && value / divide)
        *out = (uint32_t)(value / divide);
}

/* Rates of the target: the machine's, else those of rates.def. */
static void rates_known(zlay_stage_rates *out, zlay_machine *m, const zlay_target *target)
{
    int64_t processors = 0, issue = 0;
    *out = (zlay_stage_rates){0};
    rates_usual(out, target);
    if (zlay_machine_find(m, target)) return;
    if (zlay_machine_get(&processors, m, ZLAY_MACHINE_PROCESSORS)) processors = 0;
    fact_put(&out->shared, m, ZLAY_MACHINE_SHARED_KILOCYCLE, 1);
    fact_put(&out->copy, m, ZLAY_MACHINE_COPY_KILOCYCLE, 1);
    fact_put(&out->l2, m, ZLAY_MACHINE_L2_KILOCYCLE, processors);
    fact_put(&out->l2, m, ZLAY_MACHINE_L2_PROCESSOR_KILOCYCLE, 1);
    fact_put(&out->dram, m, ZLAY_MACHINE_DRAM_KILOCYCLE, processors);
    fact_put(&out->copy_cycles, m, ZLAY_MACHINE_COPY_CYCLES, 1);
    fact_put(&out->load_cycles, m, ZLAY_MACHINE_L2_CYCLES, 1);
    int64_t near, far;
    if (!zlay_machine_get(&near, m, ZLAY_MACHINE_L2_CYCLES) &&
        !zlay_machine_get(&far, m, ZLAY_MACHINE_DRAM_CYCLES) && far > near)
        out->far_cycles = (uint32_t)(far - near);
    if (!zlay_machine_unit_count(&issue, m, ZLAY_UNIT_ISSUE)) out->issue = (uint32_t)issue;
}

static zlay_status rates_read(zl_stage_asked *a)
{
    static const char *const names[] = {"shared_rate", "copy_rate",   "l2_rate",
                                        "dram_rate",   "issue_rate",  "copy_each",
                                        "copy_cycles", "load_cycles", "far_cycles"};
    uint32_t rates[ZL_COUNT(names)], usual[ZL_COUNT(names)];
    zlay_stage_rates known;
    zlay_machine *machine = zl_scratch(a->ctx, 1, sizeof *machine);
    if (!machine) return ZLAY_ENOMEM;
    rates_known(&known, machine, a->target);
    memcpy(rates, &a->request.rates, sizeof rates);
    memcpy(usual, &known, sizeof usual);
    for (size_t i = 0; i < ZL_COUNT(names); i++) {
        if (!rates[i]) rates[i] = usual[i];
        if (!rates[i])
            return zl_fail(a->ctx, ZLAY_ENOTSUP,
                           "rates: %s is not known of %s, and the request does not say it", names[i],
                           zlay_target_name(a->target));
        if (rates[i] > RATE_MOST)
            return zl_fail(a->ctx, ZLAY_EINVAL, "rates: %s is at most 2^24", names[i]);
    }
    memcpy(&a->request.rates, rates, sizeof rates);
    return ZLAY_OK;
}

static zlay_status defaults(zl_stage_asked *a)
{
    zlay_stage_request *r = &a->request;
    zlay_target_summary info;
    if (zlay_target_info(&info, a->target) || !info.ptx)
        return zl_fail(a->ctx, ZLAY_ENOTSUP, "target: %s has no stages that barriers tell of",
                       zlay_target_name(a->target));
    if (!r->smem) r->smem = info.smem;
    if (!r->threads) r->threads = THREADS;
    if (!r->registers) r->registers = REGISTERS;
    if (!r->cluster) r->cluster = 1;
    if (r->smem > info.smem)
        return zl_fail(a->ctx, ZLAY_EINVAL, "smem: a block of %s has %llu bytes",
                       zlay_target_name(a->target), (unsigned long long)info.smem);
    if (r->threads % ZL_STAGE_WARP || r->threads > CONSUMERS_MOST)
        return zl_fail(a->ctx, ZLAY_EINVAL, "threads: whole warps, at most %d", CONSUMERS_MOST);
    if (r->consumers % ZL_STAGE_WARP || r->consumers > CONSUMERS_MOST)
        return zl_fail(a->ctx, ZLAY_EINVAL, "consumers: whole warps, at most %d", CONSUMERS_MOST);
    if (r->cluster != 1 && r->cluster != 2 && r->cluster != 4)
        return zl_fail(a->ctx, ZLAY_EINVAL, "cluster: 1, 2 or 4 blocks");
    if (r->cluster > 1 && !(a->target->features & ZL_HAS_CLUSTER))
        return zl_fail(a->ctx, ZLAY_EINVAL, "cluster: %s has none", zlay_target_name(a->target));
    if (r->depth == 1 || r->depth > ZL_STAGE_MOST_DEPTH)
        return zl_fail(a->ctx, ZLAY_EINVAL, "depth: 2 to %d", ZL_STAGE_MOST_DEPTH);
    if (r->barriers_fixed > 1 || r->barriers < 0 || r->barriers > ZLAY_STAGE_RINGS)
        return zl_fail(a->ctx, ZLAY_EINVAL, "barriers: %d", (int)r->barriers);
    return rates_read(a);
}

/* ---- a tensor ------------------------------------------------------------------ */

/* The largest power of two that divides a number, at most `most`. */
static uint64_t twos(uint64_t number, uint64_t most)
{
    uint64_t low = number & (~number + 1);
    return low && low < most ? low : most;
}

static zlay_status lines_read(zl_stage_asked *a, zl_stage_lines *t)
{
    const zlay_stage_tensor *x = t->tensor;
    const zlay_layout *s = x->source;
    if (!s || s->kind != ZLAY_LAYOUT_STRIDED || s->modes != 2 || s->offset)
        return zl_fail(a->ctx, ZLAY_EINVAL, "%s: source: a strided layout of two modes", x->name);
    t->mode = s->mode[0].stride == 1 ? 0 : 1;
    const zl_mode *line = &s->mode[t->mode], *other = &s->mode[1 - t->mode];
    if (line->stride != 1 || other->stride < line->shape)
        return zl_fail(a->ctx, ZLAY_EINVAL,
                       "%s: source: one stride is 1, and the other no less than that mode's extent",
                       x->name);
    if (!x->shape[0] || !x->shape[1] || x->shape[t->mode] > (uint64_t)line->shape ||
        x->shape[1 - t->mode] > (uint64_t)other->shape)
        return zl_fail(a->ctx, ZLAY_EINVAL, "%s: shape: a tile inside of the tensor", x->name);
    if (zl_umul_sat(zl_umul_sat(x->shape[0], x->shape[1]), t->elem) > TILE_MOST)
        return zl_fail(a->ctx, ZLAY_ELIMIT, "%s: shape: a tile has at most 2^20 bytes", x->name);
    t->line = (uint32_t)x->shape[t->mode] * t->elem;
    t->lines = (uint32_t)x->shape[1 - t->mode];
    t->pitch = zl_umul_sat((uint64_t)other->stride, t->elem);
    t->extent[0] = (uint64_t)line->shape;
    t->extent[1] = (uint64_t)other->shape;
    t->align = twos(t->pitch | t->line | (x->align ? x->align : GRANULE), 1 << 10);
    return ZLAY_OK;
}

static zlay_status access_read(zl_stage_asked *a, zl_stage_lines *t, const zlay_stage_access *x)
{
    const char *name = t->tensor->name;
    zlay_bank_access info;
    if (x->access == ZLAY_STAGE_WGMMA || x->access == ZLAY_STAGE_TCGEN05) {
        bool tmem = x->access == ZLAY_STAGE_TCGEN05;
        const char *by = tmem ? "tcgen05" : "wgmma";
        t->described = true;
        if (!(a->target->features & (tmem ? ZL_HAS_TCGEN05 : ZL_HAS_WGMMA)))
            return zl_fail(a->ctx, ZLAY_ENOTSUP, "%s: %s has no %s", name,
                           zlay_target_name(a->target), by);
        return x->layout ? zl_fail(a->ctx, ZLAY_EINVAL,
                                   "%s: %s reads the whole tile, without a layout", name, by)
                         : ZLAY_OK;
    }
    t->lanes = true;
    zlay_status status = zlay_bank_info(&info, a->target, x->access);
    if (status)
        return zl_fail(a->ctx, status == ZLAY_NONE ? ZLAY_ENOTSUP : status,
                       "%s: no such access on %s", name, zlay_target_name(a->target));
    if (info.parts != 1 || info.stores || info.bytes % t->elem)
        return zl_fail(a->ctx, ZLAY_ENOTSUP, "%s: %s reads no elements of %u bytes at one address",
                       name, info.name, t->elem);
    if (!x->layout)
        return zl_fail(a->ctx, ZLAY_EINVAL, "%s: %s needs the layout of its lanes", name,
                       info.name);
    zlay_status known = zl_without_parameters(a->ctx, x->layout);
    if (known) return known;
    if (zlay_layout_size(x->layout) % ((uint64_t)info.rows * (info.bytes / t->elem)) ||
        !zlay_layout_size(x->layout))
        return zl_fail(a->ctx, ZLAY_EINVAL,
                       "%s: the layout of %s has whole instructions of %u lanes and %u elements",
                       name, info.name, info.rows, info.bytes / t->elem);
    return ZLAY_OK;
}

static zlay_status tensor_read(zl_stage_asked *a, zl_stage_lines *t, const zlay_stage_tensor *x)
{
    uint32_t bits = x->type >= 0 ? zlay_type_bits(x->type) : 0;
    t->tensor = x;
    t->elem = bits / 8;
    if (!x->name || !zl_is_name(x->name, strlen(x->name)))
        return zl_fail(a->ctx, ZLAY_EINVAL, "name: a tensor has a name of C");
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
        return zl_fail(a->ctx, ZLAY_ENOTSUP, "%s: type: elements of 8, 16, 32 or 64 bits", x->name);
    if (x->from_dram > 1 || x->shared > 1 || x->swizzle_fixed > 1)
        return zl_fail(a->ctx, ZLAY_EINVAL, "%s: a switch that is neither 0 nor 1", x->name);
    if (x->primitives > PRIMITIVES_ALL)
        return zl_fail(a->ctx, ZLAY_EINVAL, "%s: primitives: a bit that none has", x->name);
    if (x->swizzle < 0 || x->swizzle > ZLAY_SWIZZLE_128B)
        return zl_fail(a->ctx, ZLAY_EINVAL, "%s: swizzle: none, 32B, 64B or 128B", x->name);
    if (x->align & (x->align - 1))
        return zl_fail(a->ctx, ZLAY_EINVAL, "%s: align: a power of two", x->name);
    if (x->count > ZLAY_STAGE_ACCESSES || !x->count || !x->accesses)
        return zl_fail(a->ctx, ZLAY_EINVAL, "%s: accesses: 1 to %d", x->name, ZLAY_STAGE_ACCESSES);
    zlay_status status = lines_read(a, t);
    for (uint32_t i = 0; i < x->count && !status; i++) status = access_read(a, t, &x->accesses[i]);
    return status;
}

/* ---- a tile ---------------------------------------------------------------------- */

/* The threads that a product wants: wgmma has a warpgroup for 64 rows of A; a warp issues products
 * of tcgen05. */
static zlay_status product_threads(const zl_stage_asked *a, zl_stage_tile *tile, uint32_t rows)
{
    uint32_t threads = tile->tmem ? ZL_STAGE_WARP : 2 * rows;
    if (!tile->tmem && (rows % WARPGROUP_ROWS || threads > CONSUMERS_MOST))
        return zl_fail(a->ctx, ZLAY_ENOTSUP,
                       "wgmma: A has %u rows; 64, 128, 192 or 256 are read by whole warpgroups",
                       rows);
    if (a->request.consumers && a->request.consumers != threads)
        return zl_fail(a->ctx, ZLAY_EINVAL, "consumers: %s has %u for %u rows of A",
                       tile->tmem ? "tcgen05" : "wgmma", threads, rows);
    tile->consumers = threads;
    return ZLAY_OK;
}

/* The threads that read, and what the two tensors of a product have in common. */
static zlay_status consumers_read(const zl_stage_asked *a, zl_stage_tile *tile)
{
    uint32_t count = 0, rows = 0;
    uint64_t k[ZLAY_STAGE_TENSORS];
    bool lanes = false;
    tile->tmem = a->target->features & ZL_HAS_TCGEN05;
    const char *by = tile->tmem ? "tcgen05" : "wgmma";
    for (uint32_t i = tile->count; i--;) {
        lanes |= tile->lines[i].lanes;
        if (!tile->lines[i].described) continue;
        k[count++] = tile->lines[i].tensor->shape[1];
        rows = (uint32_t)tile->lines[i].tensor->shape[0];
    }
    tile->consumers = a->request.consumers ? a->request.consumers : THREADS;
    tile->tmem = tile->tmem && count;
    if (!count) return ZLAY_OK;
    if (count != 2)
        return zl_fail(a->ctx, ZLAY_ENOTSUP, "%s reads two tensors, and %u are named", by, count);
    if (tile->tmem && lanes)
        return zl_fail(a->ctx, ZLAY_ENOTSUP,
                       "tcgen05: one thread issues its products, and lanes read nothing beside");
    if (k[0] != k[1])
        return zl_fail(a->ctx, ZLAY_EINVAL, "shape: %s reads K of %llu and of %llu", by,
                       (unsigned long long)k[1], (unsigned long long)k[0]);
    return product_threads(a, tile, rows);
}

/* Whether the stage's pipe has a name of its own: one of these, with a number behind it where
 * `numbered`; those of the sums of a product with it alone. */
static bool is_taken(const char *name, bool product)
{
    static const struct {
        const char *name;
        bool numbered, product;
    } rows[] = {{"N", false, false},       {"i", false, false},     {"p", false, false},
                {"k", false, false},       {"j", true, false},      {"full", true, false},
                {"empty", true, false},    {"producer", true, false}, {"producer", false, false},
                {"consumer", false, false}, {"copier", false, false}, {"C", false, true},
                {"R", false, true},        {"summed", false, true}, {"over", false, true},
                {"reader", false, true},   {"owner", false, true}};
    for (size_t i = 0; i < ZL_COUNT(rows); i++) {
        size_t length = strlen(rows[i].name);
        const char *rest = name + length;
        if (strncmp(name, rows[i].name, length) || (rows[i].product && !product)) continue;
        if (rows[i].numbered ? *rest && !rest[strspn(rest, "0123456789")] : !*rest) return true;
    }
    return false;
}

static zlay_status names_differ(const zl_stage_asked *a, const zl_stage_tile *tile)
{
    bool product = false;
    for (uint32_t i = 0; i < tile->count; i++) product |= tile->lines[i].described;
    for (uint32_t i = 0; i < tile->count; i++)
        if (is_taken(tile->lines[i].tensor->name, product))
            return zl_fail(a->ctx, ZLAY_EINVAL, "name: %s is one that the pipe of a stage has itself",
                           tile->lines[i].tensor->name);
    for (uint32_t i = 0; i < tile->count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (!strcmp(tile->lines[i].tensor->name, tile->lines[j].tensor->name))
                return zl_fail(a->ctx, ZLAY_EINVAL, "name: two tensors are called %s",
                               tile->lines[i].tensor->name);
    return ZLAY_OK;
}

static zlay_status tile_read(zl_stage_asked *a, zl_stage_tile *tile, const zlay_stage_tile *x)
{
    tile->work = x->work ? x->work : 1;
    tile->cycles = x->cycles;
    tile->count = x->count;
    if (!x->count || x->count > ZLAY_STAGE_TENSORS || !x->tensors || x->reserved)
        return zl_fail(a->ctx, ZLAY_EINVAL, "tensors: 1 to %d", ZLAY_STAGE_TENSORS);
    if (x->cycles > RATE_MOST) return zl_fail(a->ctx, ZLAY_EINVAL, "cycles: at most 2^24");
    tile->lines = zl_scratch(a->ctx, x->count, sizeof *tile->lines);
    zlay_status status = tile->lines ? ZLAY_OK : ZLAY_ENOMEM;
    for (uint32_t i = 0; i < x->count && !status; i++)
        status = tensor_read(a, &tile->lines[i], &x->tensors[i]);
    if (!status) status = names_differ(a, tile);
    return status ? status : consumers_read(a, tile);
}

zlay_status zl_stage_read(zl_stage_asked *out, const zlay_target *target,
                          const zlay_stage_request *request)
{
    static const zl_request_form form = {
        "stage.synth",
        sizeof(zlay_stage_request),
        sizeof(zlay_stage_request),
        {ZL_RESERVED(zlay_stage_request, reserved0), ZL_RESERVED(zlay_stage_request, reserved)}};
    zlay_status status = zl_request_read(out->ctx, &out->request, request, &form);
    if (status) return status;
    out->target = target;
    if (!request->count || request->count > ZLAY_STAGE_TILES || !request->tiles)
        return zl_fail(out->ctx, ZLAY_EINVAL, "tiles: 1 to %d", ZLAY_STAGE_TILES);
    status = defaults(out);
    for (uint32_t i = 0; i < request->count && !status; i++)
        status = tile_read(out, &out->tile[i], &request->tiles[i]);
    return status;
}
