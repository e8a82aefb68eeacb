/* SPDX-License-Identifier: Apache-2.0 */
/* Plans attention forward: reads the request, chooses tiles that fit a block's shared memory and
 * registers, asks zlay_tensormap_synth for the tensor maps of each tensor, and has the pipe that
 * pipe.c writes parsed and proved. */
#include "algebra/text/format.h"
#include "base/request.h"
#include "pipe/language/parse.h"
#include "pipe/order/verify.h"
#include "synth/attention/attention.h"
#include "synth/tensormap/tensormap.h"
#include <stdio.h>
#include <zlay/mma.h>
#include <zlay/smemdesc.h>
#include <zlay/target.h>
#include <zlay/tensormap_synth.h>

enum { STAGES = 2, THREADS = 128, EXTENT_MOST = 1 << 30, AXES = 4, LSE_AXES = 3 };
enum { GRANULE = 4 /* f32 of the 16 bytes that a tensor store writes whole */ };

/* The tiles of a head, the first row that serves: measured on an H200 (docs/performance.md). Long
 * rows of keys pay for wider tiles, of which the last is filled worse. What fits one warpgroup has
 * one. */
static const struct form {
    uint32_t head, tile_m, tile_n;
    uint32_t overlap; /* the softmax runs beside the product of the tile before */
    uint64_t queries; /* at most */
    uint64_t keys;    /* that a row of queries sees, on the average, at least */
} forms[] = {
    {64, 64, 128, 1, 64, 0},
    {64, 192, 176, 0, EXTENT_MOST, 0},
    {128, 64, 128, 1, 64, 0},
    {128, 128, 176, 1, EXTENT_MOST, 8192},
    {128, 128, 128, 1, EXTENT_MOST, 0},
    {256, 64, 64, 1, 64, 0},
    {256, 128, 64, 1, EXTENT_MOST, 0},
};

/* ---- the request ------------------------------------------------------------------------- */

static zlay_status extent(zlay_ctx *ctx, const char *field, uint64_t value)
{
    if (value >= 1 && value <= EXTENT_MOST) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_EINVAL, "%s: %llu is not in 1..%d", field, (unsigned long long)value,
                   EXTENT_MOST);
}

static void dense(zlay_attention_strides *s, uint64_t rows, uint64_t heads, uint64_t head)
{
    if (!s->head) s->head = head;
    if (!s->row) s->row = heads * head;
    if (!s->batch) s->batch = zl_umul_sat(rows, s->row);
}

static zlay_status strides(zlay_ctx *ctx, zlay_attention *a)
{
    zlay_attention_strides *all[] = {&a->q, &a->k, &a->v, &a->o};
    for (int i = 0; i < 4; i++) {
        bool query = i == 0 || i == 3;
        dense(all[i], query ? a->queries : a->keys, query ? a->heads : a->kv_heads, a->head);
        if (all[i]->row > INT64_MAX / 2 || all[i]->head > INT64_MAX / 2 ||
            all[i]->batch > INT64_MAX / 2)
            return zl_fail(ctx, ZLAY_EOVERFLOW, "%c: a stride passes 2^62", "qkvo"[i]);
    }
    return ZLAY_OK;
}

static uint64_t lse_rows(const zlay_attention *a)
{
    return (a->queries + GRANULE - 1) / GRANULE * GRANULE;
}

/* The log-sum-exp is a number for each row; rows are adjacent, those of a head a multiple of 4. */
static zlay_status lse_strides(zlay_ctx *ctx, zlay_attention *a)
{
    zlay_attention_strides *l = &a->l;
    if (!a->lse && (l->row || l->head || l->batch))
        return zl_fail(ctx, ZLAY_EINVAL, "l: strides of the log-sum-exp, without `lse`");
    if (l->row > 1)
        return zl_fail(ctx, ZLAY_ENOTSUP, "l: rows of the log-sum-exp are adjacent, not %llu apart",
                       (unsigned long long)l->row);
    l->row = 1;
    if (!l->head) l->head = lse_rows(a);
    if (!l->batch) l->batch = zl_umul_sat(a->heads, l->head);
    if (l->head < lse_rows(a) || l->batch < lse_rows(a))
        return zl_fail(ctx, ZLAY_EINVAL, "l: a head has %llu rows, and the next begins before",
                       (unsigned long long)lse_rows(a));
    if (l->head <= INT64_MAX / 2 && l->batch <= INT64_MAX / 2) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_EOVERFLOW, "l: a stride passes 2^62");
}

static zlay_status supported(zlay_ctx *ctx, const zlay_attention *a)
{
    if (a->type != ZLAY_TYPE_BF16 && a->type != ZLAY_TYPE_F16)
        return zl_fail(ctx, ZLAY_ENOTSUP, "type: %d; attention of this version is bf16 or f16",
                       a->type);
    if (a->head != 64 && a->head != 128 && a->head != 256)
        return zl_fail(ctx, ZLAY_ENOTSUP,
                       "head: %u; rows of 64, 128 and 256 elements are planned, "
                       "the next is %u",
                       a->head,
                       a->head <= 64    ? 64
                       : a->head <= 128 ? 128
                                        : 256);
    if (a->causal > 1 || a->soft_cap > 1 || a->sinks > 1 || a->lse > 1)
        return zl_fail(ctx, ZLAY_EINVAL, "causal, soft_cap, sinks, lse: each is 0 or 1");
    if (a->heads % a->kv_heads)
        return zl_fail(ctx, ZLAY_EINVAL, "kv_heads: %llu does not divide the %llu heads",
                       (unsigned long long)a->kv_heads, (unsigned long long)a->heads);
    if (a->causal && a->keys < a->queries)
        return zl_fail(ctx, ZLAY_ENOTSUP, "causal: %llu keys for %llu queries: the first see none",
                       (unsigned long long)a->keys, (unsigned long long)a->queries);
    if (a->window && !a->causal)
        return zl_fail(ctx, ZLAY_ENOTSUP, "window: %llu, and the request is not causal",
                       (unsigned long long)a->window);
    return ZLAY_OK;
}

static zlay_status ask_read(zlay_ctx *ctx, zlay_attention *a, const zlay_attention *request)
{
    static const zl_request_form form = {
        "zlay_attention",
        sizeof(zlay_attention),
        sizeof request->size,
        {ZL_RESERVED(zlay_attention, reserved0), ZL_RESERVED(zlay_attention, reserved)}};
    zlay_status status = zl_request_read(ctx, a, request, &form);
    if (status) return status;
    if (!a->type) a->type = ZLAY_TYPE_BF16;
    if (!a->batch) a->batch = 1;
    if (!a->heads) a->heads = 1;
    if (!a->kv_heads) a->kv_heads = a->heads;
    status = extent(ctx, "batch", a->batch);
    if (!status) status = extent(ctx, "heads", a->heads);
    if (!status) status = extent(ctx, "kv_heads", a->kv_heads);
    if (!status) status = extent(ctx, "queries", a->queries);
    if (!status) status = extent(ctx, "keys", a->keys);
    if (!status) status = supported(ctx, a);
    if (!status && a->window >= a->keys) a->window = 0; /* all keys */
    if (!status) status = strides(ctx, a);
    return status ? status : lse_strides(ctx, a);
}

/* The products exist on the target. */
static zlay_status target_check(zlay_ctx *ctx, const zlay_target *target, const zlay_attention *a)
{
    zlay_verdict verdict;
    zlay_reason reason;
    zlay_mma mma = {.instruction = ZLAY_MMA_WGMMA,
                    .m = 64,
                    .n = 64,
                    .k = 16,
                    .a = a->type,
                    .b = a->type,
                    .d = ZLAY_TYPE_F32,
                    .a_source = ZLAY_SOURCE_SMEM};
    zlay_status status = zlay_mma_check(&verdict, &reason, 1, target, &mma);
    if (status || verdict.answer == ZLAY_YES) return status;
    return zl_fail(ctx, ZLAY_ENOTSUP, "%s: attention is planned for targets with wgmma",
                   zlay_target_name(target));
}

/* ---- moves ---------------------------------------------------------------------------------- */

typedef struct tile {
    const char *name;
    char tensor;
    uint32_t panel, panels;     /* first panel of 64 elements; how many */
    uint64_t rows, heads, high; /* of the tensor, and rows of a tile */
    const zlay_attention_strides *strides;
    const char *axis[AXES];
    int32_t direction;
} tile;

/* (row, column, head, batch) of the tensor, from the panel on. */
static zlay_status source_make(zlay_ctx *ctx, zlay_layout **out, const zlay_attention_plan *p,
                               const tile *t)
{
    const int64_t shape[] = {(int64_t)t->rows, (int64_t)t->panels * ZL_ATTENTION_COLUMNS,
                             (int64_t)t->heads, (int64_t)p->ask.batch};
    const int64_t stride[] = {(int64_t)t->strides->row, 1, (int64_t)t->strides->head,
                              (int64_t)t->strides->batch};
    return zl_layout_new_strided(ctx, out, AXES, shape, stride,
                                 (int64_t)t->panel * ZL_ATTENTION_COLUMNS);
}

/* Panels of 64 columns, one after the other, rows of 128 swizzled bytes. */
static zlay_status place_make(zlay_ctx *ctx, zlay_layout **out, uint64_t high, uint32_t panels,
                              bool swizzled)
{
    char text[160];
    unsigned long long rows = high;
    int length = snprintf(text, sizeof text,
                          swizzled ? "Sw<3,3,3> o 0 o (%llu,(64,%u),1,1):(64,(1,%llu),0,0)"
                                   : "(%llu,(64,%u)):(64,(1,%llu))",
                          rows, panels, rows * ZL_ATTENTION_COLUMNS);
    return zl_layout_parse(ctx, out, text, (size_t)length);
}

static void move_name(zl_attention_move *m, const tile *t)
{
    snprintf(m->name, sizeof m->name, "%s", t->name);
    m->tensor = t->tensor;
    for (int i = 0; i < AXES; i++)
        if (t->axis[i]) snprintf(m->axis[i], sizeof m->axis[i], "%s", t->axis[i]);
}

static zlay_status move_add(zlay_ctx *ctx, zlay_attention_plan *p, const tile *t)
{
    zl_attention_move *m = &p->moves[p->moves_count];
    zlay_layout *source = NULL, *smem = NULL;
    zlay_tensormap_request r = {
        .size = sizeof r,
        .type = p->ask.type,
        .axes = AXES,
        .direction = t->direction,
        .shape = {t->high, (uint64_t)t->panels * ZL_ATTENTION_COLUMNS, 1, 1}};
    move_name(m, t);
    zlay_status status = source_make(ctx, &source, p, t);
    if (!status) status = place_make(ctx, &smem, t->high, t->panels, true);
    r.source = source;
    r.smem = smem;
    if (!status) status = zl_tm_find(ctx, &m->move, p->target, &r);
    zlay_layout_free(source);
    zlay_layout_free(smem);
    if (!status) p->moves_count++;
    return status;
}

static zlay_status operand_add(zlay_ctx *ctx, zlay_attention_plan *p, const char *smem,
                               int32_t major, const char *text, int length)
{
    zl_attention_operand *o = &p->operands[p->operands_count];
    zlay_status status = zl_layout_parse(ctx, &o->layout, text, (size_t)length);
    if (status) return status;
    snprintf(o->smem, sizeof o->smem, "%s", smem);
    o->type = p->ask.type;
    o->major = major;
    o->swizzle = ZLAY_SWIZZLE_128B;
    p->operands_count++;
    return ZLAY_OK;
}

/* The key head of a block, whose y is its query head. */
static void kv_head_put(char *out, size_t room, const zlay_attention_plan *p)
{
    snprintf(out, room, "block.y/%llu", (unsigned long long)(p->ask.heads / p->ask.kv_heads));
}

/* A panel of Q or K: rows of 64 elements, K of the product. */
static zlay_status panel_add(zlay_ctx *ctx, zlay_attention_plan *p, char tensor, uint32_t c)
{
    char head[32], text[64];
    bool query = tensor == 'q';
    uint32_t high = query ? p->info.tile_m : p->info.tile_n;
    char letter = query ? 'Q' : 'K', digit = (char)('0' + c);
    char smem[] = {letter, digit, '\0'}, name[] = {'t', letter, digit, '\0'};
    kv_head_put(head, sizeof head, p);
    tile t = {.name = name,
              .tensor = tensor,
              .panel = c,
              .panels = 1,
              .high = high,
              .rows = query ? p->ask.queries : p->ask.keys,
              .heads = query ? p->ask.heads : p->ask.kv_heads,
              .strides = query ? &p->ask.q : &p->ask.k,
              .axis = {query ? "block" : "i down", NULL, query ? "block.y" : head, "block.z"}};
    zlay_status status = move_add(ctx, p, &t);
    if (status) return status;
    int length = snprintf(text, sizeof text, "(%u,64):(64,1)", high);
    return operand_add(ctx, p, smem, ZLAY_MAJOR_K, text, length);
}

/* V is read across: columns of the head are rows of the product's second factor. */
static zlay_status values_add(zlay_ctx *ctx, zlay_attention_plan *p)
{
    char head[32], text[96];
    uint32_t n = p->info.tile_n;
    kv_head_put(head, sizeof head, p);
    tile t = {.name = "tV",
              .tensor = 'v',
              .panels = p->panels,
              .high = n,
              .rows = p->ask.keys,
              .heads = p->ask.kv_heads,
              .strides = &p->ask.v,
              .axis = {"i down", NULL, head, "block.z"}};
    zlay_status status = move_add(ctx, p, &t);
    if (status) return status;
    int length = snprintf(text, sizeof text, "((64,%u),%u):((1,%u),64)", p->panels, n,
                          n * ZL_ATTENTION_COLUMNS);
    return operand_add(ctx, p, "V", ZLAY_MAJOR_MN, text, length);
}

/* Blocks of several warpgroups may have tiles of 64 rows that the tensor does not have. Where a
 * dimension of the map holds heads or batches behind the rows, those would be rows of the next. */
static void rows_limit(zlay_attention_plan *p, zl_attention_move *m)
{
    uint64_t tiles = (p->ask.queries + ZL_ATTENTION_COLUMNS - 1) / ZL_ATTENTION_COLUMNS;
    zlay_copy copy;
    bool shared = false;
    if (p->info.grid[0] * (p->info.tile_m / ZL_ATTENTION_COLUMNS) == tiles) return;
    for (uint32_t i = 0; !zlay_move_copy_nth(&copy, m->move, i); i++)
        for (uint32_t dim = 0; dim < ZL_COUNT(copy.advance); dim++)
            for (int axis = 1; axis < AXES; axis++)
                shared |= copy.advance[dim][0] && copy.advance[dim][axis];
    if (shared)
        snprintf(m->axis[0], sizeof m->axis[0], "block instance below %llu",
                 (unsigned long long)tiles);
}

/* The result leaves a panel of 64 columns at a time, through one buffer. */
static zlay_status result_add(zlay_ctx *ctx, zlay_attention_plan *p, uint32_t c)
{
    static const char layout[] = "(64,64):(64,1)";
    char name[] = {'t', 'O', (char)('0' + c), '\0'};
    tile t = {.name = name,
              .tensor = 'o',
              .panel = c,
              .panels = 1,
              .high = ZL_ATTENTION_COLUMNS,
              .rows = p->ask.queries,
              .heads = p->ask.heads,
              .strides = &p->ask.o,
              .direction = ZLAY_DIRECTION_STORE,
              .axis = {"block instance", NULL, "block.y", "block.z"}};
    zlay_status status = move_add(ctx, p, &t);
    if (!status) rows_limit(p, &p->moves[p->moves_count - 1]);
    return status || c ? status : operand_add(ctx, p, "D", ZLAY_MAJOR_K, layout, sizeof layout - 1);
}

/* The log-sum-exp leaves 64 rows of one head at a time. */
static zlay_status lse_add(zlay_ctx *ctx, zlay_attention_plan *p)
{
    static const char place[] = "(64,1,1):(1,0,0)", layout[] = "(64,1):(1,0)";
    static const tile t = {
        .name = "tL", .tensor = 'l', .axis = {"block instance", "block.y", "block.z"}};
    const int64_t shape[] = {(int64_t)lse_rows(&p->ask), (int64_t)p->ask.heads,
                             (int64_t)p->ask.batch};
    const int64_t stride[] = {1, (int64_t)p->ask.l.head, (int64_t)p->ask.l.batch};
    zl_attention_move *m = &p->moves[p->moves_count];
    zlay_layout *source = NULL, *smem = NULL;
    zlay_tensormap_request r = {.size = sizeof r,
                                .type = ZLAY_TYPE_F32,
                                .axes = LSE_AXES,
                                .direction = ZLAY_DIRECTION_STORE,
                                .shape = {ZL_ATTENTION_COLUMNS, 1, 1}};
    move_name(m, &t);
    zlay_status status = zlay_layout_new_strided(ctx, &source, LSE_AXES, shape, stride, 0);
    if (!status) status = zlay_layout_parse(ctx, &smem, place, sizeof place - 1);
    r.source = source;
    r.smem = smem;
    if (!status) status = zlay_tensormap_synth(ctx, &m->move, p->target, &r);
    zlay_layout_free(source);
    zlay_layout_free(smem);
    if (status) return status;
    p->moves_count++;
    rows_limit(p, m);
    zl_attention_operand *o = &p->operands[p->operands_count];
    status = operand_add(ctx, p, "L", ZLAY_MAJOR_K, layout, sizeof layout - 1);
    o->type = ZLAY_TYPE_F32;
    o->swizzle = ZLAY_SWIZZLE_NONE;
    return status;
}

static zlay_status moves_make(zlay_ctx *ctx, zlay_attention_plan *p)
{
    zlay_status status = ZLAY_OK;
    for (uint32_t c = 0; c < p->panels && !status; c++) status = panel_add(ctx, p, 'q', c);
    for (uint32_t c = 0; c < p->panels && !status; c++) status = panel_add(ctx, p, 'k', c);
    if (!status) status = values_add(ctx, p);
    for (uint32_t c = 0; c < p->panels && !status; c++) status = result_add(ctx, p, c);
    if (!status && p->ask.lse) status = lse_add(ctx, p);
    return status;
}

/* ---- the plan -------------------------------------------------------------------------------- */

static const struct form *form_of(const zlay_attention *a)
{
    const struct form *f = forms;
    uint64_t keys = a->causal ? a->keys - a->queries / 2 : a->keys;
    if (a->window && a->window < keys) keys = a->window;
    while (f->head != a->head || a->queries > f->queries || keys < f->keys) f++;
    return f;
}

/* How many tiles from the last down hold a key that some query of the block may not see: beside
 * the last of all, those that the diagonal of m queries crosses. */
static uint32_t masked_of(const zlay_attention *a, uint32_t m, uint32_t n)
{
    uint64_t skew = a->keys - a->queries;
    if (!a->causal) return 1;
    if (m % n) return (m - 2) / n + 2;
    return (uint32_t)((m - 1 + skew) / n + 1 - (skew + 1) / n);
}

/* How many tiles from the first up hold a key before the window of some query of the block: keys
 * from that of the first query on, m - 1 of them. */
static uint32_t masked_last_of(const zlay_attention *a, uint32_t m, uint32_t n)
{
    int64_t first = (int64_t)(a->keys - a->queries) - (int64_t)a->window + 1;
    if (!a->window) return 0;
    if (m % n) return (m - 2) / n + 2;
    return (uint32_t)(((first % n + n) % n + m - 2) / n + 1);
}

static void tile_choose(zlay_attention_plan *p)
{
    const zlay_attention *a = &p->ask;
    const struct form *f = form_of(a);
    uint32_t m = f->tile_m, n = f->tile_n;
    p->panels = a->head / ZL_ATTENTION_COLUMNS;
    p->info = (zlay_attention_summary){.tile_m = m,
                                       .tile_n = n,
                                       .stages = STAGES,
                                       .grid = {(a->queries + m - 1) / m, a->heads, a->batch},
                                       .tiles = (a->keys + n - 1) / n,
                                       .threads = THREADS + m * 2};
    p->overlap = f->overlap;
    p->masked = masked_of(a, m, n);
    p->masked_last = masked_last_of(a, m, n);
    p->count_times = m;
    p->count_add = (uint32_t)(m + n - 1 + (a->causal ? a->keys - a->queries : 0));
    p->count_behind = (uint32_t)(a->window ? m + n + a->window - 2 : 0);
}

static zlay_status prove(zlay_ctx *ctx, const zlay_attention_plan *p)
{
    zlay_answer answer;
    zlay_pipe_reason reason = {0};
    size_t count;
    zlay_status status = zl_verify_part(ctx, &answer, &reason, 1, &count, NULL, p->pipe);
    if (status || answer == ZLAY_YES) return status;
    if (answer != ZLAY_NO) return ZLAY_ELIMIT;
    return zl_fail(ctx, ZLAY_EINTERNAL,
                   "the pipe of the plan breaks rule %s in line %u; please report "
                   "this request",
                   zlay_pipe_rule_name(reason.rule), reason.line);
}

static zlay_status pipe_make(zlay_ctx *ctx, zlay_attention_plan *p)
{
    size_t length;
    const char *text = zl_print_scratch(ctx, &length, zl_attention_pipe_put, p);
    if (!text) return ZLAY_ENOMEM;
    zlay_status status = zl_pipe_parse(ctx, &p->pipe, text, length);
    return status ? status : prove(ctx, p);
}

zlay_status zlay_attention_synth(zlay_ctx *ctx, zlay_attention_plan **out,
                                 const zlay_target *target, const zlay_attention *attention)
{
    zlay_attention_plan *p;
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    if (!target || !attention) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    p = zl_alloc(ctx, 1, sizeof *p);
    if (!p) return zl_leave(ctx, ZLAY_ENOMEM);
    p->alloc = zl_allocator(ctx);
    p->target = target;
    status = ask_read(ctx, &p->ask, attention);
    if (!status) status = target_check(ctx, target, &p->ask);
    if (!status) tile_choose(p);
    if (!status) status = moves_make(ctx, p);
    if (!status) status = pipe_make(ctx, p);
    status = zl_leave(ctx, zl_whole(ctx, status));
    if (status) zlay_attention_free(p);
    else *out = p;
    return status;
}

void zlay_attention_free(zlay_attention_plan *plan)
{
    if (!plan) return;
    zlay_allocator alloc = plan->alloc;
    for (uint32_t i = 0; i < plan->moves_count; i++) zlay_move_free(plan->moves[i].move);
    for (uint32_t i = 0; i < plan->operands_count; i++) zlay_layout_free(plan->operands[i].layout);
    zlay_pipe_free(plan->pipe);
    zl_free(&alloc, plan, sizeof *plan);
}

zlay_status zlay_attention_info(zlay_attention_summary *out, const zlay_attention_plan *plan)
{
    if (!out || !plan) return ZLAY_EINVAL;
    *out = plan->info;
    out->moves = plan->moves_count;
    return ZLAY_OK;
}

const zlay_pipe *zlay_attention_pipe(const zlay_attention_plan *plan)
{
    return plan ? plan->pipe : NULL;
}

zlay_status zlay_attention_move_nth(const zlay_move **move, char *tensor,
                                    const zlay_attention_plan *plan, uint32_t i)
{
    if (!move || !tensor || !plan) return ZLAY_EINVAL;
    if (i >= plan->moves_count) return ZLAY_NONE;
    *move = plan->moves[i].move;
    *tensor = plan->moves[i].tensor;
    return ZLAY_OK;
}
