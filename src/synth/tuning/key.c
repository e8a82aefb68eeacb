/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the key of a request on a device: what decides which candidates there are and how fast they are. Operands count by the
 * alignment of their rows, which says what paths are legal; extents by a class, and exactly in the last word. */
#include "base/arith.h"
#include "base/scan.h"
#include "synth/attention/attention.h"
#include "synth/gemm/plan.h"
#include "synth/tuning/tuning.h"

#include <string.h>

enum { LINE = 128 /* bytes: alignments beyond make no difference */, NAME_MOST = 64 };

uint64_t zl_tuning_class(uint64_t extent)
{
    uint64_t power = 1;
    while (power < extent && power <= UINT64_MAX / 2) power *= 2;
    return power >= 4 && power / 4 * 3 >= extent ? power / 4 * 3 : power;
}

/* A device's name as a word: its first bytes, so that a key has room for all else. */
static void put_name(zl_text *out, const char *name)
{
    for (size_t i = 0; i < NAME_MOST && name[i]; i++) {
        char c = name[i];
        bool plain = zl_is_name_part(c) || strchr(".-()/+", c);
        zl_put(out, plain ? &name[i] : "_", 1);
    }
}

/* A number of a device; 0: any. */
static void put_number(zl_text *out, const char *name, int64_t number)
{
    if (number) zl_putf(out, " %s=%lld", name, (long long)number);
    else zl_putf(out, " %s=*", name);
}

static void put_device(zl_text *out, const char *what, const zlay_target *target, const zlay_tuning_device *d)
{
    zl_putf(out, "%s device=", what);
    if (d && d->name && *d->name) put_name(out, d->name);
    else zl_puts(out, "*");
    zl_putf(out, " arch=%s", zlay_target_name(target));
    put_number(out, "processors", d ? d->processors : 0);
    put_number(out, "driver", d ? d->driver : 0);
    zl_putf(out, " rules=%u", zlay_rules_version());
}

/* ---- GEMM --------------------------------------------------------------------------- */

static const char *const choices[] = {"never", "auto", "always"}, *const multicasts[] = {"none", "auto", "a", "b"};

static const char *order_of(int32_t order, int32_t normal)
{
    return (order ? order : normal) == ZLAY_ORDER_ROW ? "row" : "col";
}

/* What else the request has: scales, groups, an epilogue by its length. */
static void put_options(zl_text *out, const zlay_gemm *g)
{
    zl_puts(out, " options=");
    if (!g->a_scales && !g->b_scales && !g->d_scales && !g->groups && !g->epilogue) zl_puts(out, "-");
    if (g->a_scales || g->b_scales || g->d_scales) zl_putf(out, "s%d.%d.%d", g->a_scales, g->b_scales, g->d_scales);
    if (g->groups) zl_putf(out, "g%u.%d", g->groups, g->ragged);
    if (g->epilogue) zl_putf(out, "e%zu", g->epilogue_length);
}

/* What the request fixes and what it leaves open. */
static void put_asks(zl_text *out, const zlay_gemm *g)
{
    zl_putf(out, " asks=%s,%s,%s,", multicasts[g->multicast], choices[g->swap], choices[g->stream_k]);
    if (g->split_k == ZLAY_SPLIT_AUTO) zl_puts(out, "auto");
    else zl_putf(out, "%u", g->split_k ? g->split_k : 1);
    zl_putf(out, ",%s,", choices[g->repack]);
    if (g->tile_m || g->tile_n || g->tile_k) zl_putf(out, "%ux%ux%u,", g->tile_m, g->tile_n, g->tile_k);
    else zl_puts(out, "-,");
    if (g->stages) zl_putf(out, "%u", g->stages);
    else zl_puts(out, "-");
    if (g->band) zl_putf(out, ",band%u", g->band);
}

typedef struct gemm_key {
    const zlay_target *target;
    const zlay_gemm *gemm;
    const zlay_tuning_device *device;
    int32_t type[3];
    uint64_t align[3];
} gemm_key;

static void gemm_write(zl_text *out, const void *value)
{
    const gemm_key *k = value;
    const zlay_gemm *g = k->gemm;
    put_device(out, "gemm", k->target, k->device);
    zl_putf(out, " types=%s,%s,%s", zlay_type_name(k->type[0]), zlay_type_name(k->type[1]), zlay_type_name(k->type[2]));
    zl_putf(out, " orders=%s,%s,%s", order_of(g->a_order, ZLAY_ORDER_ROW), order_of(g->b_order, ZLAY_ORDER_COLUMN), order_of(g->d_order, ZLAY_ORDER_ROW));
    put_options(out, g);
    put_asks(out, g);
    zl_putf(out, " legal=%llu,%llu,%llu", (unsigned long long)k->align[0], (unsigned long long)k->align[1], (unsigned long long)k->align[2]);
    zl_putf(out, " class=%llux%llux%llu", (unsigned long long)zl_tuning_class(g->m), (unsigned long long)zl_tuning_class(g->n),
            (unsigned long long)zl_tuning_class(g->k));
    zl_putf(out, " shape=%llux%llux%llu", (unsigned long long)g->m, (unsigned long long)g->n, (unsigned long long)g->k);
}

/* The bytes at which rows of the request's A, B and D are aligned, at most a line. */
static uint64_t alignment(uint64_t address, uint64_t pitch, uint32_t bits)
{
    uint64_t bytes = address | LINE | pitch * bits / 8;
    return bytes & (~bytes + 1);
}

static void gemm_read(gemm_key *k, const zlay_gemm *g)
{
    bool a_rows = g->a_order != ZLAY_ORDER_COLUMN, b_columns = g->b_order != ZLAY_ORDER_ROW, d_rows = g->d_order != ZLAY_ORDER_COLUMN;
    k->align[0] = alignment(g->a_address, g->lda ? g->lda : a_rows ? g->k : g->m, zlay_type_bits(k->type[0]));
    k->align[1] = alignment(g->b_address, g->ldb ? g->ldb : b_columns ? g->k : g->n, zlay_type_bits(k->type[1]));
    k->align[2] = alignment(g->d_address, g->ldd ? g->ldd : d_rows ? g->n : g->m, zlay_type_bits(k->type[2]));
}

/* A request that is refused has no key. */
static zlay_status gemm_key_of(zlay_ctx *ctx, char *key, gemm_key *k, const zlay_gemm *gemm)
{
    zl_gemm_weight weight;
    zlay_gemm g = {0};
    zlay_buf buf = {key, ZLAY_TUNING_KEY, 0};
    zlay_status status = zl_gemm_weigh(ctx, &weight, k->target, gemm);
    if (status) return status;
    memcpy(&g, gemm, gemm->size);
    k->gemm = &g;
    status = zl_gemm_types(ctx, k->type, k->target, &g);
    if (!status) gemm_read(k, &g);
    return status ? status : zl_print(&buf, gemm_write, k);
}

zlay_status zlay_tuning_key_gemm(zlay_ctx *ctx, char *key, const zlay_target *target, const zlay_gemm *gemm, const zlay_tuning_device *device)
{
    if (!key || !target || !gemm) return ZLAY_EINVAL;
    *key = 0;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    gemm_key k = {.target = target, .device = device};
    return zl_leave(ctx, zl_whole(ctx, gemm_key_of(ctx, key, &k, gemm)));
}

/* ---- attention ----------------------------------------------------------------------- */

typedef struct attention_key {
    const zlay_target *target;
    const zlay_attention *request, *read;
    const zlay_tuning_device *device;
} attention_key;

static uint64_t strides_alignment(const zlay_attention_strides *s, int32_t type)
{
    return alignment(0, s->row | s->head | s->batch, zlay_type_bits(type));
}

static void attention_write(zl_text *out, const void *value)
{
    const attention_key *k = value;
    const zlay_attention *a = k->read, *r = k->request;
    const unsigned long long queries = zl_attention_mean(a, a->queries), keys = zl_attention_mean(a, a->keys), tiles = zl_umul_sat(a->batch, a->heads);
    put_device(out, "attention", k->target, k->device);
    zl_putf(out, " types=%s,%s options=d%u.g%llu.c%u.w%llu.t%u.s%u.l%u.q%d.k%d.p%llu.n%d", zlay_type_name(a->type), zlay_type_name(a->o_type), a->head,
            (unsigned long long)(a->heads / a->kv_heads), a->causal, (unsigned long long)zl_tuning_class(a->window), a->soft_cap, a->sinks, a->lse,
            a->q_lengths, a->k_lengths, (unsigned long long)a->splits, a->sequences != 0);
    zl_putf(out, " asks=%ux%u,%u,%d", r->tile_m, r->tile_n, r->stages, r->overlap);
    zl_putf(out, " legal=%llu,%llu,%llu,%llu", (unsigned long long)strides_alignment(&a->q, a->type), (unsigned long long)strides_alignment(&a->k, a->type),
            (unsigned long long)strides_alignment(&a->v, a->type), (unsigned long long)strides_alignment(&a->o, a->o_type));
    zl_putf(out, " class=%llux%llux%llu shape=%llux%llux%llux%llu", (unsigned long long)zl_tuning_class(tiles), (unsigned long long)zl_tuning_class(queries),
            (unsigned long long)zl_tuning_class(keys), (unsigned long long)a->batch, (unsigned long long)a->heads, (unsigned long long)a->queries,
            (unsigned long long)a->keys);
}

zlay_status zlay_tuning_key_attention(zlay_ctx *ctx, char *key, const zlay_target *target, const zlay_attention *attention, const zlay_tuning_device *device)
{
    if (!key || !target || !attention) return ZLAY_EINVAL;
    *key = 0;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    zlay_attention_plan *p = NULL;
    zlay_attention request = {0};
    zlay_buf buf = {key, ZLAY_TUNING_KEY, 0};
    status = zl_attention_read(ctx, &p, target, attention);
    if (!status) memcpy(&request, attention, attention->size);
    attention_key k = {target, &request, p ? &p->ask : NULL, device};
    if (!status) status = zl_print(&buf, attention_write, &k);
    status = zl_leave(ctx, zl_whole(ctx, status));
    zlay_attention_free(p);
    return status;
}
