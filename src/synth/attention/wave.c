/* SPDX-License-Identifier: Apache-2.0 */
/* Plans attention for targets whose matrix instructions read registers. The instruction is searched
 * for: one whose sums, as the transposed scores of a tile, lie where the same instruction reads them
 * as the weights of the next product (paired). Tiles of keys get to registers as a plan of one operand
 * says (synth/wave); tiles of values are transposed four keys by four elements on their way through
 * registers, and lie in shared memory as granules of four keys of one element. */
#include "algebra/decide/certificate.h"
#include "algebra/ops/cute.h"
#include "algebra/text/format.h"
#include "base/arith.h"
#include "legality/matrix/matrix.h"
#include "pipe/order/verify.h"
#include "synth/attention/attention.h"
#include "synth/wave/wave.h"
#include <zlay/target.h>

#include <string.h>

enum {
    SIDE = 32,
    K_MOST = 16,
    GRANULE = 4, /* keys of one element that lie side by side */
    CHUNK = 16,
    STAGES = 2,
    ALIGN = 4, /* registers */
    REGISTERS_MOST = 256,
    TEXT = 256
};
/* Tiles of a head: with two stages of keys and values two blocks fit the shared memory of a compute unit. */
static const struct form {
    uint32_t head, tile_n;
} forms[] = {{64, 64}, {128, 32}};

/* ---- the instruction --------------------------------------------------------------------- */

static zlay_mma product_of(int32_t type, uint32_t k)
{
    return (zlay_mma){.instruction = ZLAY_MMA_MFMA,
                      .m = SIDE,
                      .n = SIDE,
                      .k = k,
                      .a = type,
                      .b = type,
                      .d = ZLAY_TYPE_F32,
                      .blocks = 1};
}

static bool exists(const zlay_target *target, const zlay_mma *mma)
{
    zlay_verdict verdict;
    return !zlay_mma_check(&verdict, NULL, 0, target, mma) && verdict.answer == ZLAY_YES;
}

bool zl_attention_by_waves(const zlay_target *target)
{
    zlay_mma mma = product_of(ZLAY_TYPE_F16, 8);
    return exists(target, &mma);
}

/* A fragment's text with a mode more: shape and stride. */
static zlay_status extended(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *fragment,
                            const char *shape, const char *stride)
{
    char text[TEXT];
    zlay_buf buf = {text, sizeof text, 0};
    zlay_status status = zlay_layout_print(&buf, fragment);
    const char *colon = status ? NULL : strchr(text, ':');
    if (!colon) return zl_fail(ctx, ZLAY_EINTERNAL, "a fragment is no strided layout");
    return zl_layout_format(ctx, out, "(%.*s,%s):(%s,%s)", (int)(colon - text), text, shape,
                            colon + 1, stride);
}

/* A pair of layouts (lane, value) -> query + side * key: of the values that an instruction leaves as
 * transposed scores, and of those that instructions for side / k steps of keys read as weights. */
static zlay_status pair_make(zlay_ctx *ctx, zlay_layout *pair[2], const zlay_target *target, const zlay_mma *mma)
{
    char shape[TEXT], stride[TEXT];
    zlay_layout *sums = NULL, *factor = NULL, *turned = NULL;
    zl_text shape_text = {shape, sizeof shape - 1, 0}, stride_text = {stride, sizeof stride - 1, 0};
    zl_putf(&shape_text, "%u", mma->m / mma->k);
    zl_putf(&stride_text, "%u", mma->n * mma->k);
    shape[shape_text.need] = stride[stride_text.need] = 0;
    zlay_status status = zl_mma_fragment(ctx, &sums, target, mma, ZLAY_FRAGMENT_D);
    if (!status) status = zl_layout_format(ctx, &turned, "(%u,%u):(%u,1)", mma->m, mma->n, mma->n);
    if (!status) status = zl_layout_compose(ctx, &pair[0], turned, sums);
    if (!status) status = zl_mma_fragment(ctx, &factor, target, mma, ZLAY_FRAGMENT_B);
    if (!status) status = extended(ctx, &pair[1], factor, shape, stride);
    zlay_layout_free(sums);
    zlay_layout_free(factor);
    zlay_layout_free(turned);
    return status;
}

static void pair_free(zlay_layout *pair[2])
{
    for (int i = 0; i < 2; i++) {
        zlay_layout_free(pair[i]);
        pair[i] = NULL;
    }
}

/* Whether both layouts of a pair have the same values. */
static bool paired(zlay_layout *const pair[2])
{
    uint64_t size = zlay_layout_size(pair[0]);
    if (zlay_layout_size(pair[1]) != size) return false;
    for (uint64_t i = 0; i < size; i++) {
        int64_t a = 0, b = 0;
        zlay_layout_eval(&a, 1, pair[0], i);
        zlay_layout_eval(&b, 1, pair[1], i);
        if (a != b) return false;
    }
    return true;
}

/* The greatest K whose fragments pair. */
static zlay_status instruction_find(zlay_ctx *ctx, zlay_attention_plan *p)
{
    zl_attention_wave *w = &p->wave;
    for (uint32_t k = K_MOST; k; k /= 2) {
        w->mma = product_of(p->ask.type, k);
        if (!exists(p->target, &w->mma)) continue;
        zlay_status status = pair_make(ctx, w->certificate[0], p->target, &w->mma);
        if (status) return status;
        if (paired(w->certificate[0])) return zl_certificate_equal(ctx, w->certificate[0][0], w->certificate[0][1], 0);
        pair_free(w->certificate[0]);
    }
    return zl_fail(ctx, ZLAY_ENOTSUP, "%s: no matrix instruction of %s reads its own sums as a factor",
                   zlay_target_name(p->target), zlay_type_name(p->ask.type));
}

/* ---- the request --------------------------------------------------------------------------- */

/* What plans for these targets do not have yet. */
static zlay_status supported(zlay_ctx *ctx, const zlay_attention_plan *p)
{
    const zlay_attention *a = &p->ask;
    const char *target = zlay_target_name(p->target);
    if (a->head > forms[ZL_COUNT(forms) - 1].head)
        return zl_fail(ctx, ZLAY_ENOTSUP, "head: %u; on %s 64 and 128 are planned", a->head, target);
    const struct {
        bool asked;
        const char *field, *works;
    } fields[] = {
        {zl_attention_bytes(a), "type e4m3", "bf16"},
        {a->splits > 1, "splits", "1"},
        {a->sequences != 0, "sequences", "0"},
        {a->q_lengths || a->k_lengths, "q_lengths, k_lengths", "equal"},
        {a->window != 0, "window", "0"},
        {a->sinks != 0, "sinks", "0"},
        {a->lse != 0, "lse", "0"},
    };
    for (size_t i = 0; i < ZL_COUNT(fields); i++)
        if (fields[i].asked)
            return zl_fail(ctx, ZLAY_ENOTSUP, "%s: not planned on %s; the nearest that works is %s",
                           fields[i].field, target, fields[i].works);
    return ZLAY_OK;
}

/* A head's rows lie in one buffer resource; heads and batches are so far apart as 32 bits count. */
static zlay_status reach_check(zlay_ctx *ctx, const zlay_attention_plan *p)
{
    const zlay_attention *a = &p->ask;
    const zlay_attention_strides *all[] = {&a->q, &a->k, &a->v, &a->o};
    if (a->heads > UINT16_MAX)
        return zl_fail(ctx, ZLAY_ENOTSUP, "heads: %llu; on %s at most 65535", (unsigned long long)a->heads,
                       zlay_target_name(p->target));
    for (int i = 0; i < 4; i++) {
        uint64_t rows = i == 0 || i == 3 ? a->queries + p->info.tile_m : a->keys + p->info.tile_n;
        uint64_t bytes = zl_umul_sat(zl_umul_sat(all[i]->row, rows), p->wave.element);
        if (bytes > INT32_MAX)
            return zl_fail(ctx, ZLAY_ENOTSUP,
                           "%c: the rows of a head span %llu bytes; a buffer is addressed with 2^31 - 1",
                           "qkvo"[i], (unsigned long long)bytes);
        if (all[i]->head > UINT32_MAX / p->wave.element || all[i]->batch > UINT32_MAX / p->wave.element)
            return zl_fail(ctx, ZLAY_ENOTSUP, "%c: heads or batches are 2^32 bytes apart or more", "qkvo"[i]);
        if (all[i]->row * p->wave.element % CHUNK || all[i]->head * p->wave.element % CHUNK ||
            all[i]->batch * p->wave.element % CHUNK)
            return zl_fail(ctx, ZLAY_ENOTSUP, "%c: strides are multiples of 16 bytes", "qkvo"[i]);
    }
    return ZLAY_OK;
}

/* ---- tiles --------------------------------------------------------------------------------- */

static void tile_choose(zlay_attention_plan *p)
{
    const zlay_attention *a = &p->ask;
    zl_attention_wave *w = &p->wave;
    const struct form *f = forms;
    while (f->head != a->head) f++;
    uint32_t n = f->tile_n, waves = a->queries > 2 * SIDE ? 4 : 2, m = waves * SIDE;
    uint64_t skew = a->keys - a->queries;
    w->waves = waves;
    w->element = zlay_type_bits(a->type) / 8;
    p->info = (zlay_attention_summary){.tile_m = m,
                                       .tile_n = n,
                                       .stages = STAGES,
                                       .grid = {(a->queries + m - 1) / m, a->heads, a->batch},
                                       .tiles = (a->keys + n - 1) / n,
                                       .threads = waves * w->lanes};
    p->masked = a->causal ? (uint32_t)((m - 1 + skew) / n + 1 - (skew + 1) / n) : 1;
    p->count_times = m;
    p->count_add = (uint32_t)(m + n - 1 + (a->causal ? skew : 0));
    w->blocks[ZL_KEYS] = n / SIDE;
    w->blocks[ZL_VALUES] = a->head / SIDE;
    w->steps[ZL_VALUES] = n / w->mma.k;
    w->smem[ZL_KEYS] = w->smem[ZL_VALUES] = n * a->head * w->element;
    w->loads[ZL_VALUES] = w->smem[ZL_VALUES] / (p->info.threads * w->element * GRANULE);
}

static zlay_status keys_plan(zlay_ctx *ctx, zlay_attention_plan *p)
{
    zl_attention_wave *w = &p->wave;
    zlay_wave_request r = {.size = sizeof r,
                           .fragment = ZLAY_FRAGMENT_A,
                           .rows = p->info.tile_n,
                           .depth = p->ask.head,
                           .threads = p->info.threads,
                           .any_order = 1,
                           .path = ZLAY_WAVE_PATH_REGISTERS,
                           .mma = w->mma};
    zlay_status status = zl_wave_find(ctx, &w->keys, p->target, &r);
    if (status) return status;
    const zlay_wave_summary *i = &w->keys->info;
    w->loads[ZL_KEYS] = i->loads;
    w->steps[ZL_KEYS] = i->reads;
    bool alike = i->swizzle_base + i->swizzle_shift + i->swizzle_bits <= zl_log2(SIDE * i->depth);
    if (i->load_bytes == CHUNK && i->read_bytes == CHUNK && i->read_xor && i->load_rows && alike) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_EINTERNAL, "keys: not read by 16 bytes that differ by one XOR, alike in all blocks");
}

/* The pair of places of values in shared memory, (lane, value, (step, block)): those that the instruction
 * wants as V^T, and those that lanes read. */
static zlay_status values_certify(zlay_ctx *ctx, zlay_attention_plan *p)
{
    char shape[TEXT], stride[TEXT];
    zl_attention_wave *w = &p->wave;
    zlay_layout **pair = w->certificate[1], *fragment = NULL, *wanted = NULL, *place = NULL;
    uint32_t n = p->info.tile_n, head = p->ask.head, k = w->mma.k;
    zl_text shape_text = {shape, sizeof shape - 1, 0}, stride_text = {stride, sizeof stride - 1, 0};
    zl_putf(&shape_text, "%u,%u", n / k, head / SIDE);
    zl_putf(&stride_text, "%u,%u", SIDE * k, SIDE * n);
    shape[shape_text.need] = stride[stride_text.need] = 0;
    zlay_status status = zl_mma_fragment(ctx, &fragment, p->target, &w->mma, ZLAY_FRAGMENT_A);
    if (!status) status = extended(ctx, &wanted, fragment, shape, stride);
    if (!status)
        status = zl_layout_format(ctx, &place, "(%u,(%u,%u),%u):(%u,(1,%u),%u)", SIDE, GRANULE, n / GRANULE,
                                  head / SIDE, GRANULE, GRANULE * head, SIDE * GRANULE);
    if (!status) status = zl_layout_compose(ctx, &pair[0], place, wanted);
    if (!status)
        status = zl_layout_format(ctx, &pair[1], "((%u,%u),%u,%u,%u):((%u,%u),1,%u,%u)", SIDE, w->lanes / SIDE,
                                  GRANULE, n / k, head / SIDE, GRANULE, GRANULE * head, k * head, SIDE * GRANULE);
    zlay_layout_free(fragment);
    zlay_layout_free(wanted);
    zlay_layout_free(place);
    return status ? status : zl_certificate_equal(ctx, pair[0], pair[1], 1);
}

/* ---- registers ------------------------------------------------------------------------------ */

static uint32_t take(uint32_t *next, uint32_t count)
{
    uint32_t at = *next;
    *next += (count + ALIGN - 1) / ALIGN * ALIGN;
    return at;
}

/* Fragments of values come when those of keys have been multiplied, and have their registers. The result is packed in
 * the place of the sums: a run of four is read before it is written. */
static void registers_choose(zlay_attention_plan *p)
{
    zl_attention_wave *w = &p->wave;
    uint32_t next = ZL_AW_OFFSETS, sums = SIDE * SIDE / w->lanes;
    uint32_t words = CHUNK / 4, half = GRANULE * w->element / 4;
    w->query = take(&next, 1);
    w->write = take(&next, 1);
    w->at = take(&next, 1);
    w->offset[ZL_KEYS] = take(&next, w->loads[ZL_KEYS]);
    w->offset[ZL_VALUES] = take(&next, w->loads[ZL_VALUES]);
    w->read[ZL_KEYS] = take(&next, w->steps[ZL_KEYS]);
    w->read[ZL_VALUES] = take(&next, 1);
    w->set[ZL_AW_KEYS_LOADED] = take(&next, w->loads[ZL_KEYS] * words);
    w->set[ZL_AW_VALUES_LOADED] = take(&next, w->loads[ZL_VALUES] * half);
    for (uint32_t i = 0; i < 2; i++)
        w->set[ZL_AW_KEYS + i] = w->set[ZL_AW_VALUES + i] =
            take(&next, zl_max32(w->blocks[ZL_KEYS] * words, w->blocks[ZL_VALUES] * half));
    w->set[ZL_AW_QUERIES] = take(&next, w->steps[ZL_KEYS] * words);
    w->set[ZL_AW_SCORES] = take(&next, w->blocks[ZL_KEYS] * sums);
    w->set[ZL_AW_WEIGHTS] = take(&next, w->blocks[ZL_KEYS] * sums / 2);
    w->set[ZL_AW_SUMS] = w->set[ZL_AW_RESULT] = take(&next, w->blocks[ZL_VALUES] * sums);
    w->set[ZL_AW_TOP] = take(&next, 3);
    w->set[ZL_AW_TOTAL] = w->set[ZL_AW_TOP] + 1;
    w->set[ZL_AW_FACTOR] = w->set[ZL_AW_TOP] + 2;
    w->values = next;
}

/* ---- bodies --------------------------------------------------------------------------------- */

/* The registers and masks that the bodies take beside the plan's. */
static zlay_status rooms_plan(zlay_ctx *ctx, zlay_attention_plan *p)
{
    zl_attention_wave *w = &p->wave;
    zl_mark mark = zl_scratch_mark(ctx);
    zl_attention_use *use = zl_scratch(ctx, 1, sizeof *use);
    uint32_t most = 2 * GRANULE; /* a group of values is transposed there */
    if (!use) return ZLAY_ENOMEM;
    for (uint32_t i = 0; i < p->pipe->events_count; i++) {
        const zl_event *e = &p->pipe->events[i];
        if (e->kind != ZL_EV_USE || e->joined || e->body < 0) continue;
        zlay_status status = zl_attention_use_read(ctx, use, p, i);
        if (status) return status;
        if (use->room.registers > most) most = use->room.registers;
        if (use->room.masks > w->masks) w->masks = use->room.masks;
    }
    zl_scratch_release(ctx, mark);
    w->registers = w->values;
    take(&w->registers, most);
    if (w->registers <= REGISTERS_MOST) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_NONE, "head: %u; the kernel takes %u registers, a lane has %d", p->ask.head,
                   w->registers, REGISTERS_MOST);
}

static void sets_bind(zlay_attention_plan *p)
{
    for (int32_t i = 0; i < ZL_AW_SETS; i++) {
        p->wave.acc[i] = -1;
        for (uint32_t a = 0; a < p->pipe->accs_count; a++)
            if (!strcmp(p->pipe->accs[a].name, zl_attention_sets[i])) p->wave.acc[i] = (int32_t)a;
    }
}

const char *zl_attention_scalar(const zlay_attention_plan *p, uint32_t i, int32_t *type)
{
    const struct {
        const char *name;
        int32_t type;
        bool has;
    } scalars[ZL_AW_SCALARS] = {{"keys", ZLAY_TYPE_S32, true},
                                {"offset", ZLAY_TYPE_S32, p->ask.causal},
                                {"scale", ZLAY_TYPE_F32, true},
                                {"inner", ZLAY_TYPE_F32, p->ask.soft_cap}};
    *type = scalars[i].type;
    return scalars[i].has ? scalars[i].name : NULL;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static zlay_status lanes_read(zlay_attention_plan *p)
{
    zlay_target_summary target;
    zlay_status status = zlay_target_info(&target, p->target);
    p->wave.lanes = target.lanes;
    return status;
}

zlay_status zl_attention_wave_plan(zlay_ctx *ctx, zlay_attention_plan *p)
{
    zlay_status status = supported(ctx, p);
    if (!status) status = lanes_read(p);
    if (!status) status = instruction_find(ctx, p);
    if (!status) tile_choose(p);
    if (!status) status = reach_check(ctx, p);
    if (!status) status = keys_plan(ctx, p);
    if (!status) status = values_certify(ctx, p);
    if (!status) registers_choose(p);
    if (!status) status = zl_pipe_proved(ctx, &p->pipe, zl_attention_wave_put, p);
    if (!status) sets_bind(p);
    return status ? status : rooms_plan(ctx, p);
}

void zl_attention_wave_free(zl_attention_wave *w)
{
    zlay_wave_free(w->keys);
    for (int i = 0; i < ZL_AW_CERTIFICATES; i++) pair_free(w->certificate[i]);
}
