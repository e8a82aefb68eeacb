/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the instruction of each product of a pipe and the descriptors of its operands. Shapes
 * follow from the operands' layouts (rows and K), types from what the request binds; the target's
 * rules decide whether there is such an instruction. By default an operand's rows are 64 bf16 in
 * 128 swizzled bytes, as many as its stage holds. Descriptors are synthesised by
 * src/synth/smemdesc, and accepted where instructions along rows begin at even distances. Products with block scales are
 * in scaled.c. Of factors in
 * registers the operands are those of the fetches that make them. */
#include "synth/smemdesc/smemdesc.h"
#include "algebra/layout/layout.h"
#include "emit/pipe/pipe.h"
#include "legality/tcgen05/tcgen05.h"

#include <string.h>
#include <zlay/idesc.h>
#include <zlay/smemdesc_synth.h>

enum {
    ROW_BYTES = 128,
    ROW = 64,
    K_BITS = 256,  /* of one instruction */
    K_COLUMNS = 8, /* the same of a factor in tensor memory */
    ROWS_OF_WGMMA = 64,
    ROWS_OF_TMEM = 128
};

/* A smem as products read it: its operand, with a layout of this file where none is bound. */
typedef struct reading {
    zlay_pipe_operand operand;
    zlay_layout *own;
    uint32_t rows, k;
} reading;

/* Reads rows and K from the box of an operand's layout. */
static zlay_status shape_read(const zl_pipe_text *k, reading *r)
{
    uint64_t box[2];
    if (zlay_layout_box(box, 2, r->operand.layout) == 2 && box[0] <= UINT16_MAX &&
        box[1] <= UINT16_MAX) {
        r->rows = (uint32_t)box[0];
        r->k = (uint32_t)box[1];
        return ZLAY_OK;
    }
    return zl_fail(k->ctx, ZLAY_EINVAL, "operand %.64s: its layout has not two modes",
                   r->operand.smem);
}

/* Makes the layout of an operand that the request does not bind. */
static zlay_status rows_read(const zl_pipe_text *k, reading *r, int32_t smem)
{
    int64_t rows = k->pipe->smems[smem].bytes / ROW_BYTES;
    const int64_t shape[] = {rows, ROW}, stride[] = {ROW, 1};
    r->operand = (zlay_pipe_operand){.smem = k->pipe->smems[smem].name,
                                     .type = ZLAY_TYPE_BF16,
                                     .major = ZLAY_MAJOR_K,
                                     .swizzle = ZLAY_SWIZZLE_128B};
    if (rows < 1)
        return zl_fail(k->ctx, ZLAY_ENOTSUP, "smem %s: no row of %d bytes for a product",
                       r->operand.smem, ROW_BYTES);
    zlay_status status = zl_layout_new_strided(k->ctx, &r->own, 2, shape, stride, 0);
    r->operand.layout = r->own;
    return status;
}

/* How products read a shared buffer: as the request says, or by default. */
static zlay_status reading_of(const zl_pipe_text *k, reading *r, int32_t smem)
{
    zlay_status status = ZLAY_OK;
    const zlay_pipe_operand *bound = zl_pt_operand_of(k, smem);
    if (bound) r->operand = *bound;
    if (!r->operand.layout) status = rows_read(k, r, smem);
    return status ? status : shape_read(k, r);
}

/* Refuses an instruction that the target lacks, by the rule that says so. */
static zlay_status check(const zl_pipe_text *k, const zl_pt_product *p)
{
    zlay_verdict verdict;
    zlay_reason reason = {0};
    zlay_status status = zlay_mma_check(&verdict, &reason, 1, k->ask->target, &p->mma);
    if (status || verdict.answer == ZLAY_YES) return status;
    return zl_fail(k->ctx, ZLAY_ENOTSUP, "line %u: no product of %u x %u x %u on %s: rule %s",
                   p->event->line, p->mma.m, p->mma.n, p->mma.k, zlay_target_name(k->ask->target),
                   zl_pt_rule(reason.rule));
}

/* Along rows instructions begin at even places; along K they may not, for a row of K may be several
 * of the swizzle's. */
static bool is_even(const uint32_t *start, size_t count, const zl_pt_operand *o)
{
    for (size_t i = 0; i < count; i++)
        if (start[i] != i % o->parts * o->rows + o->step[i / o->parts]) return false;
    return true;
}

/* The operand's descriptor from src/synth/smemdesc, as steps along rows and K. */
static zlay_status describe(const zl_pipe_text *k, zl_pt_operand *out, const reading *r,
                            uint32_t each)
{
    zlay_smemdesc fields = {0};
    uint32_t start[ZL_PT_STEPS];
    size_t count = 0;
    zlay_smemdesc_request request = {.size = sizeof request,
                                     .type = r->operand.type,
                                     .major = r->operand.major,
                                     .swizzle = r->operand.swizzle,
                                     .mma_mn = each,
                                     .mma_k = K_BITS / zlay_type_bits(r->operand.type),
                                     .layout = r->operand.layout};
    zlay_status status =
        zl_smemdesc_find(k->ctx, &fields, start, ZL_PT_STEPS, &count, k->ask->target, &request);
    if (status) return status == ZLAY_NONE ? ZLAY_ENOTSUP : status;
    fields.start = 0;
    status = zlay_smemdesc_pack(&out->word, k->ask->target, &fields);
    if (status) return status;
    out->parts = r->rows / each;
    out->rows = out->parts > 1 ? start[1] - start[0] : 0;
    for (size_t i = 0; i * out->parts < count; i++) out->step[i] = start[i * out->parts];
    if (is_even(start, count, out)) return ZLAY_OK;
    return zl_fail(k->ctx, ZLAY_ENOTSUP, "operand %.64s: its instructions begin at uneven places",
                   r->operand.smem);
}

/* How many instances run the role that has the event. */
static uint32_t instances_at(const zl_pipe_text *k, const zl_event *event)
{
    uint32_t i = (uint32_t)(event - k->pipe->events);
    for (uint32_t r = 0; r < k->pipe->roles_count; r++)
        if (i >= k->pipe->roles[r].begin && i < k->pipe->roles[r].end)
            return zl_role_instances(&k->pipe->roles[r]);
    return 1;
}

/* The instruction: A from shared memory, registers or tensor memory, times B. */
static zlay_status instruction_of(const zl_pipe_text *k, zl_pt_product *p, const reading *a,
                           const reading *b)
{
    const zl_event *e = p->event;
    bool tmem = e->tmem[0] >= 0, shared = e->smem[0] >= 0;
    uint32_t group = tmem && k->pipe->tmems[e->tmem[0]].pair ? 2 : 1;
    uint32_t rows = !tmem ? ROWS_OF_WGMMA : shared ? a->rows : ROWS_OF_TMEM;
    int32_t type = b->operand.type, kind = zl_t5_kind(type);
    p->mma = (zlay_mma){.instruction = tmem ? ZLAY_MMA_TCGEN05 : ZLAY_MMA_WGMMA,
                        .kind = tmem ? kind : ZLAY_KIND_NONE,
                        .m = rows * group,
                        .n = b->rows * group,
                        .k = K_BITS / zlay_type_bits(type),
                        .a = shared ? a->operand.type : type,
                        .b = type,
                        .d = kind == ZLAY_KIND_I8 ? ZLAY_TYPE_S32 : ZLAY_TYPE_F32,
                        .a_source = shared ? ZLAY_SOURCE_SMEM
                                    : tmem ? ZLAY_SOURCE_TMEM
                                           : ZLAY_SOURCE_REG,
                        .a_major = shared ? a->operand.major : ZLAY_MAJOR_K,
                        .b_major = b->operand.major,
                        .cta_group = tmem ? group : 0};
    return tmem && shared && e->tmem[1] >= 0 ? zl_pt_scaled(k, p) : ZLAY_OK;
}

/* A sum takes one column for each of N; a factor in tensor memory 8 for each step of K. */
static zlay_status columns_fit(const zl_pipe_text *k, const zl_pt_product *p)
{
    const zl_event *e = p->event;
    const uint32_t needs[] = {p->mma.n, p->steps * K_COLUMNS};
    for (int i = 0; i < 2; i++) {
        const zl_tmem *t = e->tmem[i] >= 0 ? &k->pipe->tmems[e->tmem[i]] : NULL;
        if (t && (!i || e->smem[0] < 0) && needs[i] > t->columns)
            return zl_fail(k->ctx, ZLAY_ENOTSUP, "line %u: %u columns, a stage of tmem %s has %u",
                           e->line, needs[i], t->name, t->columns);
    }
    return ZLAY_OK;
}

/* Rows of A are divided among the instances of a role, unless one instruction takes all of
 * them. */
static zlay_status share_rows(const zl_pipe_text *k, zl_pt_product *p)
{
    uint32_t instances = instances_at(k, p->event), parts = p->operand[0].parts;
    if (parts == 1) return ZLAY_OK;
    if (parts % instances)
        return zl_fail(k->ctx, ZLAY_ENOTSUP, "line %u: %u rows of A for %u instances of its role",
                       p->event->line, parts * p->mma.m, instances);
    p->operand[0].parts = parts / instances;
    return ZLAY_OK;
}

static zlay_status product_read(const zl_pipe_text *k, zl_pt_product *p, const reading *a,
                                const reading *b)
{
    const zl_event *e = p->event;
    bool shared = e->smem[0] >= 0;
    zlay_status status = instruction_of(k, p, a, b);
    if (!status) status = check(k, p);
    if (status) return status;
    uint32_t group = p->mma.cta_group ? p->mma.cta_group : 1;
    p->steps = b->k / p->mma.k;
    p->operand[0].parts = 1;
    if (shared && e->tmem[1] >= 0) status = zl_pt_scales(k, p);
    if (!status) status = columns_fit(k, p);
    if (!status && shared && a->k != b->k)
        status =
            zl_fail(k->ctx, ZLAY_ENOTSUP, "line %u: %u of K in A, %u in B", e->line, a->k, b->k);
    if (!status && shared) status = describe(k, &p->operand[0], a, p->mma.m / group);
    if (!status) status = describe(k, &p->operand[1], b, p->mma.n / group);
    if (!status && e->tmem[0] >= 0) status = zl_pt_idescs(p);
    return status ? status : share_rows(k, p);
}

/* ---- factors in registers --------------------------------------------------------------- */

static const zl_role *role_at(const zl_pipe_text *k, const zl_event *event)
{
    const zl_role *role = k->pipe->roles;
    while (event >= k->pipe->events + role->end) role++;
    return role;
}

/* The operand that a role fetches into an accumulator; NULL: none, several, or one without a layout. */
static const zlay_pipe_operand *fetched(const zl_pipe_text *k, const zl_role *role, int32_t acc)
{
    int32_t smem = -1;
    for (uint32_t i = role->begin; i < role->end; i++) {
        const zl_event *e = &k->pipe->events[i];
        if (e->kind != ZL_EV_FETCH || e->acc != acc) continue;
        if (smem >= 0 && smem != e->smem[0]) return NULL;
        smem = e->smem[0];
    }
    return smem < 0 ? NULL : zl_pt_operand_of(k, smem);
}

/* A product by mma.sync, which the warps of the role's instance divide. */
static zlay_status sync_product(const zl_pipe_text *k, zl_pt_product *p)
{
    char id[ZL_SYNC_NAME];
    const zl_event *e = p->event;
    const zl_role *role = role_at(k, e);
    reading r[2] = {{.own = NULL}};
    zlay_status status = ZLAY_OK;
    for (int o = 0; o < 2 && !status; o++) {
        p->smem[o] = fetched(k, role, o ? e->acc_b : e->acc_a);
        if (!p->smem[o])
            return zl_fail(k->ctx, ZLAY_ENOTSUP, "line %u: no fetch of one operand with a layout makes %.64s",
                           e->line, k->pipe->accs[o ? e->acc_b : e->acc_a].name);
        r[o].operand = *p->smem[o];
        status = shape_read(k, &r[o]);
    }
    if (status) return status;
    p->mma = zl_sync_mma(p->smem[0]->type, p->smem[1]->type);
    p->steps = r[1].k / p->mma.k;
    if (!zl_sync_form(id, k->ask->target, p->mma.a, p->mma.b))
        return zl_fail(k->ctx, ZLAY_ENOTSUP, "line %u: no mma.sync of %s and %s on %s", e->line,
                       zlay_type_name(p->mma.a), zlay_type_name(p->mma.b), zlay_target_name(k->ask->target));
    if (r[0].k != r[1].k || r[0].k % p->mma.k)
        return zl_fail(k->ctx, ZLAY_ENOTSUP, "line %u: %u of K in A, %u in B, and %u in an instruction", e->line,
                       r[0].k, r[1].k, p->mma.k);
    if (zl_sync_grid(&p->warps, role->each, r[0].rows, r[1].rows)) return ZLAY_OK;
    return zl_fail(k->ctx, ZLAY_ENOTSUP, "line %u: %u warps do not divide a product of %u x %u", e->line, role->each,
                   r[0].rows, r[1].rows);
}

static zlay_status product(const zl_pipe_text *k, zl_pt_product *p)
{
    reading a = {.own = NULL}, b = {.own = NULL};
    const zl_event *e = p->event;
    if (e->acc_b >= 0) return sync_product(k, p);
    zlay_status status = reading_of(k, &b, e->smem[1]);
    if (!status && e->smem[0] >= 0) status = reading_of(k, &a, e->smem[0]);
    if (!status) status = product_read(k, p, &a, &b);
    zlay_layout_free(a.own);
    zlay_layout_free(b.own);
    return status;
}

/* Whether two products of one role have the same instructions and descriptors. */
static bool alike(const zl_pipe_text *k, const zl_event *a, const zl_event *b)
{
    const zl_role *role = role_at(k, a);
    return b >= k->pipe->events + role->begin && b < k->pipe->events + role->end &&
           a->acc == b->acc && a->acc_a == b->acc_a && a->acc_b == b->acc_b &&
           a->smem[0] == b->smem[0] && a->smem[1] == b->smem[1] && a->tmem[0] == b->tmem[0] &&
           a->tmem[1] == b->tmem[1];
}

/* Reads product i, or takes what an earlier one like it has. */
static zlay_status read_or_take(zl_pipe_text *k, uint32_t i)
{
    zl_pt_product *p = &k->products[i];
    if (zl_pt_fragment(k, p->event)) return ZLAY_OK;
    for (uint32_t j = 0; j < i; j++) {
        const zl_pt_product *q = &k->products[j];
        if (zl_pt_fragment(k, q->event) || !alike(k, q->event, p->event)) continue;
        const zl_event *event = p->event;
        *p = *q;
        p->event = event;
        p->like = q->event;
        return ZLAY_OK;
    }
    return product(k, p);
}

zlay_status zl_pt_products(zl_pipe_text *k)
{
    uint32_t count = 0;
    zlay_status status = ZLAY_OK;
    for (uint32_t i = 0; i < k->pipe->events_count; i++)
        count += k->pipe->events[i].kind == ZL_EV_MMA;
    if (!count) return ZLAY_OK;
    k->products = zl_scratch(k->ctx, count, sizeof *k->products);
    if (!k->products) return ZLAY_ENOMEM;
    k->products_count = count;
    count = 0;
    for (uint32_t i = 0; i < k->pipe->events_count; i++)
        if (k->pipe->events[i].kind == ZL_EV_MMA) k->products[count++].event = &k->pipe->events[i];
    for (uint32_t i = 0; i < count && !status; i++) status = read_or_take(k, i);
    return status;
}

const zl_pt_product *zl_pt_product_of(const zl_pipe_text *k, const zl_event *event)
{
    for (uint32_t i = 0; i < k->products_count; i++)
        if (k->products[i].event == event) return &k->products[i];
    return NULL;
}
