/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors of attention that a command fills, its kernel with all arguments set, and rows of its
 * result by the definition, softmax(Q K^T scale) V in double. A row is right where each element is
 * as near as the kernel's roundings allow: weights are rounded to the elements of V, the result to
 * those of O (docs/attention.md). */
#include "cli/device/tensors.h"

#include "base/arith.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ARGUMENTS = 32,
    ACROSS = 16, /* keys whose multiple a row of V of e4m3 has */
    LSE_ROWS = 4,
    GREATEST = 4, /* of the values that are filled in */
    SAMPLE = 5, HEADS = 4 /* rows of a head, and heads, that are compared */
};
static const double CAP = 30; /* of scores */

/* ---- the request ----------------------------------------------------------------------------- */

static bool is_across(const zlay_attention *a) { return a->type == ZLAY_TYPE_E4M3; }

static void dense(zlay_attention_strides *s, uint64_t rows, uint64_t heads, uint64_t head)
{
    if (!s->head) s->head = head;
    if (!s->row) s->row = heads * head;
    if (!s->batch) s->batch = zl_umul_sat(rows, s->row);
}

/* The request with its defaults, as zlay/attention.h has them; u8 stands for no type. */
static zlay_attention whole_of(const zlay_attention *asked)
{
    zlay_attention a = *asked;
    if (!a.type) a.type = ZLAY_TYPE_BF16;
    if (!a.o_type) a.o_type = is_across(&a) ? ZLAY_TYPE_BF16 : a.type;
    if (!a.batch) a.batch = 1;
    if (!a.heads) a.heads = 1;
    if (!a.kv_heads) a.kv_heads = a.heads;
    if (is_across(&a)) {
        if (!a.v.row) a.v.row = zl_round_up(a.keys, ACROSS);
        if (!a.v.head) a.v.head = zl_umul_sat(a.v.row, a.head);
        if (!a.v.batch) a.v.batch = zl_umul_sat(a.v.head, a.kv_heads);
    }
    dense(&a.q, a.queries, a.heads, a.head);
    dense(&a.k, a.keys, a.kv_heads, a.head);
    dense(&a.v, a.keys, a.kv_heads, a.head);
    dense(&a.o, a.queries, a.heads, a.head);
    a.l.row = 1;
    if (!a.l.head) a.l.head = zl_round_up(a.queries, LSE_ROWS);
    if (!a.l.batch) a.l.batch = zl_umul_sat(a.heads, a.l.head);
    return a;
}

static uint64_t span(const zlay_attention_strides *s, uint64_t batch, uint64_t heads, uint64_t rows,
                     uint64_t last)
{
    uint64_t outer = zl_uadd_sat(zl_umul_sat(batch - 1, s->batch), zl_umul_sat(heads - 1, s->head));
    return zl_uadd_sat(zl_uadd_sat(outer, zl_umul_sat(rows - 1, s->row)), last);
}

/* K of e4m3 and an odd number of keys is read one row further. */
static void counts_of(uint64_t *count, const zlay_attention *a)
{
    uint64_t odd = is_across(a) ? a->keys % 2 : 0;
    count[ZL_TENSOR_Q] = span(&a->q, a->batch, a->heads, a->queries, a->head);
    count[ZL_TENSOR_K] = span(&a->k, a->batch, a->kv_heads, a->keys + odd, a->head);
    count[ZL_TENSOR_V] = is_across(a) ? span(&a->v, a->batch, a->kv_heads, a->head, a->keys)
                                      : span(&a->v, a->batch, a->kv_heads, a->keys, a->head);
    count[ZL_TENSOR_O] = span(&a->o, a->batch, a->heads, a->queries, a->head);
    count[ZL_TENSOR_L] = a->lse ? span(&a->l, a->batch, a->heads, a->queries, 1) : 0;
    count[ZL_TENSOR_SINKS] = a->sinks ? a->heads : 0;
}

zlay_status zl_tensors_make(zl_matrix *tensor, const zlay_attention *asked)
{
    zlay_attention a = whole_of(asked);
    const int32_t type[ZL_TENSORS] = {a.type,   a.type,        a.type,
                                      a.o_type, ZLAY_TYPE_F32, ZLAY_TYPE_F32};
    uint64_t count[ZL_TENSORS];
    counts_of(count, &a);
    for (uint32_t i = 0; i < ZL_TENSORS; i++) {
        if (!count[i]) continue;
        if (!zl_matrix_describe(&tensor[i], type[i], 1, count[i], ZLAY_ORDER_ROW, 0))
            return ZLAY_EOVERFLOW;
        if (!zl_matrix_alloc(&tensor[i])) return ZLAY_ENOMEM;
        if (i != ZL_TENSOR_O && i != ZL_TENSOR_L) zl_matrix_fill(&tensor[i], i + 1);
    }
    return ZLAY_OK;
}

const char *zl_tensors_refused(const zlay_attention_plan *plan, const zlay_attention *asked)
{
    if (asked->sequences || asked->q_lengths || asked->k_lengths)
        return "this command fills no lengths of sequences (zlay_kernel_set_lengths)";
    if (zlay_attention_merge(plan)) return "this command runs one kernel, and splits have two";
    return NULL;
}

/* ---- the kernel ------------------------------------------------------------------------------ */

typedef struct emission {
    const zlay_attention_plan *plan;
    const char *name;
    zlay_pipe_launch *launch;
    zlay_pipe_argument *arguments;
    size_t room;
} emission;

static zlay_status text_write(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    const emission *e = value;
    const zlay_attention_emit ask = {.size = sizeof ask,
                                     .language = ZLAY_TEXT_PTX,
                                     .plan = e->plan,
                                     .name = e->name,
                                     .name_length = strlen(e->name)};
    return zlay_emit_attention(ctx, out, e->launch, e->arguments, e->room, &ask);
}

char *zl_attention_text(zlay_ctx *ctx, const zlay_attention_plan *plan, const char *name,
                        zlay_pipe_launch *launch, zlay_pipe_argument *arguments, size_t room,
                        size_t *length)
{
    const emission e = {plan, name, launch, arguments, room};
    return zl_text_of(ctx, text_write, &e, length);
}

static zlay_status scalars_set(zlay_ctx *ctx, zlay_kernel *kernel, const zlay_attention *a,
                               const zlay_pipe_argument *arguments, uint32_t count)
{
    double scale = 1 / sqrt(a->head), log2e = 1.4426950408889634;
    float x_scale = (float)(log2e * (a->soft_cap ? CAP : scale)), one = 1;
    float inner = (float)(scale / CAP);
    int32_t keys = (int32_t)a->keys, offset = (int32_t)(a->keys - a->queries);
    const struct {
        const char *name;
        const void *value;
    } scalars[] = {{"x_scale", &x_scale}, {"x_inner", &inner}, {"x_v_scale", &one},
                   {"x_keys", &keys}, {"x_offset", &offset}};
    zlay_status status = ZLAY_OK;
    for (uint32_t i = 0; i < count; i++)
        for (size_t s = 0; s < sizeof scalars / sizeof *scalars && !status; s++)
            if (!strcmp(arguments[i].name, scalars[s].name))
                status = zlay_kernel_set(ctx, kernel, scalars[s].name, scalars[s].value, 4);
    return status;
}

zlay_status zl_tensors_load(zlay_ctx *ctx, zlay_kernel **out, zlay_device *device,
                            const zlay_attention_plan *plan, const zl_options *options)
{
    zlay_pipe_launch launch;
    zlay_pipe_argument arguments[ARGUMENTS];
    size_t length;
    char *text =
        zl_attention_text(ctx, plan, options->name, &launch, arguments, ARGUMENTS, &length);
    if (!text) return ZLAY_ENOMEM;
    const zlay_attention_kernel request = {.size = sizeof request,
                                           .plan = plan,
                                           .launch = &launch,
                                           .arguments = arguments,
                                           .image = text,
                                           .length = length,
                                           .name = options->name};
    zlay_status status = zlay_kernel_load_attention(ctx, out, device, &request);
    if (!status) status = scalars_set(ctx, *out, &options->attention, arguments, launch.arguments);
    free(text);
    return status;
}

static bool is_moved(const zlay_attention_plan *plan, char which)
{
    const zlay_move *move;
    char tensor;
    for (uint32_t i = 0; !zlay_attention_move_nth(&move, &tensor, plan, i); i++)
        if (tensor == which) return true;
    return false;
}

zlay_status zl_tensors_bind(zlay_ctx *ctx, zlay_kernel *kernel, const zlay_attention_plan *plan,
                            const uint64_t *address)
{
    static const char *const names[ZL_TENSORS] = {"q", "k", "v", "o", "l", "read_sinks"};
    zlay_status status = ZLAY_OK;
    for (uint32_t i = 0; i < ZL_TENSORS && !status; i++)
        if (i == ZL_TENSOR_SINKS ? address[i] != 0 : is_moved(plan, *names[i]))
            status = zlay_kernel_set(ctx, kernel, names[i], &address[i], sizeof address[i]);
    return status;
}

/* ---- the result ------------------------------------------------------------------------------ */

/* What a number rounded to a type is off by, of it. */
static double unit_of(int32_t type)
{
    return type == ZLAY_TYPE_E4M3 ? 0x1p-4 : type == ZLAY_TYPE_F16 ? 0x1p-11 : 0x1p-8;
}

/* The same of a weight and of the sum of all, each off once; tanh.approx is off by 2^-11 of 1. Sums
 * of e4m3 have 14 bits, over all keys. */
static double weight_unit(const zlay_attention *a)
{
    double sums = is_across(a) ? (double)(a->keys / 32 + 1) * 0x1p-13 : 0;
    return 2 * unit_of(a->type) + (a->soft_cap ? CAP * 0x1p-9 : 0) + sums + 0x1p-12;
}

/* What the least weights are off by, of the greatest. */
static double weight_least(const zlay_attention *a)
{
    return is_across(a) ? 0x1p-18 : a->type == ZLAY_TYPE_F16 ? 0x1p-25 : 0;
}

double zl_tensors_error(const zlay_attention *asked)
{
    zlay_attention a = whole_of(asked);
    double least = weight_least(&a) * (double)a.keys;
    return 2 * GREATEST * (weight_unit(&a) + least + unit_of(a.o_type));
}

static double element(const zl_matrix *m, uint64_t at) { return zl_matrix_value(m, 0, at); }

/* One row: its place, and what the definition makes of it. */
typedef struct row {
    uint64_t batch, head, query;
    uint64_t first, end; /* keys that it sees */
    double *weights;     /* of keys, the greatest is 1 */
    double sum, most;    /* of weights and the sink; the greatest score */
} row;

static void keys_seen(row *r, const zlay_attention *a)
{
    r->first = 0;
    r->end = a->causal ? r->query + 1 + a->keys - a->queries : a->keys;
    if (a->window && r->end > a->window) r->first = r->end - a->window;
}

static void weights_make(row *r, const zl_matrix *t, const zlay_attention *a)
{
    uint64_t of = r->head / (a->heads / a->kv_heads);
    uint64_t q = r->batch * a->q.batch + r->head * a->q.head + r->query * a->q.row;
    uint64_t k = r->batch * a->k.batch + of * a->k.head;
    double scale = 1 / sqrt(a->head);
    double sink = a->sinks ? element(&t[ZL_TENSOR_SINKS], r->head) : -(double)INFINITY;
    r->most = sink;
    for (uint64_t j = r->first; j < r->end; j++) {
        double score = 0;
        for (uint64_t e = 0; e < a->head; e++)
            score += element(&t[ZL_TENSOR_Q], q + e) *
                     element(&t[ZL_TENSOR_K], k + j * a->k.row + e);
        score *= scale;
        if (a->soft_cap) score = CAP * tanh(score / CAP);
        r->weights[j] = score;
        r->most = fmax(r->most, score);
    }
    r->sum = exp(sink - r->most);
    for (uint64_t j = r->first; j < r->end; j++)
        r->sum += r->weights[j] = exp(r->weights[j] - r->most);
}

/* Counts a number; its error is given as a part of what it may be off by. */
static void count_one(zl_tensors_report *out, double error, double bound)
{
    double part = error == 0 ? 0 : error / bound;
    out->compared++;
    out->wrong += !(part <= 1);
    if (!(part <= out->worst)) out->worst = part;
}

static void row_compare(zl_tensors_report *out, row *r, const zl_matrix *t, const zlay_attention *a)
{
    uint64_t of = r->head / (a->heads / a->kv_heads), v = r->batch * a->v.batch + of * a->v.head;
    uint64_t o = r->batch * a->o.batch + r->head * a->o.head + r->query * a->o.row;
    double unit = weight_unit(a), least = weight_least(a);
    keys_seen(r, a);
    weights_make(r, t, a);
    for (uint64_t e = 0; e < a->head; e++) {
        double sum = 0, size = 0, values = 0;
        for (uint64_t j = r->first; j < r->end; j++) {
            uint64_t place = is_across(a) ? e * a->v.row + j : j * a->v.row + e;
            double value = element(&t[ZL_TENSOR_V], v + place);
            sum += r->weights[j] * value;
            size += r->weights[j] * fabs(value);
            values += fabs(value);
        }
        double bound = (unit * size + least * values + unit_of(a->o_type) * fabs(sum)) / r->sum;
        count_one(out, fabs(element(&t[ZL_TENSOR_O], o + e) - sum / r->sum), bound);
    }
    out->rows++;
    if (!a->lse) return;
    uint64_t l = r->batch * a->l.batch + r->head * a->l.head + r->query;
    double right = r->most + log(r->sum);
    count_one(out, fabs(element(&t[ZL_TENSOR_L], l) - right), unit + 0x1p-20 * fabs(right));
}

/* The i-th of `count` places at equal distances, the ends included; fewer than `count` are all. */
static uint64_t place(uint64_t extent, uint64_t i, uint64_t count)
{
    return count < 2 ? 0 : i == count - 1 ? extent - 1 : (extent - 1) / (count - 1) * i;
}

bool zl_tensors_compare(zl_tensors_report *out, const zl_matrix *tensor,
                        const zlay_attention *asked)
{
    zlay_attention a = whole_of(asked);
    uint64_t heads = zl_umin(a.heads, HEADS), rows = zl_umin(a.queries, SAMPLE);
    row r = {.weights = calloc(a.keys, sizeof *r.weights)};
    *out = (zl_tensors_report){0};
    for (uint64_t b = 0; r.weights && b < zl_umin(a.batch, 2); b++)
        for (uint64_t h = 0; h < heads; h++)
            for (uint64_t q = 0; q < rows; q++) {
                r.batch = b * (a.batch - 1);
                r.head = place(a.heads, h, heads);
                r.query = place(a.queries, q, rows);
                row_compare(out, &r, tensor, &a);
            }
    bool done = r.weights;
    free(r.weights);
    return done;
}
