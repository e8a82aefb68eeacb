/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the events of a GEMM plan's pipe as PTX. A role keeps `slot` and `phase` of its
 * current position, which every loop over positions advances, and the tile indices tm, tn, kt;
 * thread 0 of the role (`one`) does what one thread does. */
#include "emit/emit.h"

#include <stdio.h>
#include <string.h>

enum { TRIES = 1 << 26, BAR_BYTES = 8 };

static const zl_bar *bar_of(const zl_emit *e, const zl_event *event)
{
    return &e->pipe->bars[event->bar];
}

/* The register that holds the ring's slot of a position near the current one: `slot` itself, or
 * `other`, which is computed from it modulo the stages. */
static const char *slot_of(zl_emit *e, const zl_pos *at, uint32_t stages)
{
    if (at->add == 0) return "slot";
    zl_emit_line(e, "add.s32 other, slot, %lld;", (long long)at->add);
    if (at->add < 0) {
        zl_emit_line(e, "setp.lt.s32 wrap, other, 0;");
        zl_emit_line(e, "@wrap add.s32 other, other, %u;", stages);
    } else {
        zl_emit_line(e, "setp.ge.s32 wrap, other, %u;", stages);
        zl_emit_line(e, "@wrap sub.s32 other, other, %u;", stages);
    }
    return "other";
}

/* at = the shared address of the event's mbarrier. */
static void bar_address(zl_emit *e, const zl_event *event)
{
    const zl_bar *bar = bar_of(e, event);
    const char *slot = slot_of(e, &event->bar_at, bar->stages);
    zl_emit_line(e, "mad.lo.u32 at, %s, %d, bar_%s;", slot, BAR_BYTES, bar->name);
}

/* The guard of an event that one thread runs; none where one thread runs the whole role. */
static const char *guard_one(const zl_emit *e) { return e->role && e->role->elect ? "" : "@one "; }

/* Prints a wait for a phase: try, and trap after TRIES tries, so that a wrong kernel ends. */
static void emit_wait(zl_emit *e, const zl_event *event)
{
    bar_address(e, event);
    zl_emit_line(e, "{");
    zl_emit_line(e, ".reg .pred done;");
    zl_emit_line(e, ".reg .b32 parity, tries;");
    zl_emit_line(e, "xor.b32 parity, phase, %d;", event->flip);
    zl_emit_line(e, "mov.u32 tries, 0;");
    zl_puts(e->out, "  $again:\n");
    zl_emit_form(e, "", ZL_FORM_MBAR_TRY_WAIT, (const char *const[]){"done", "at", "parity"});
    zl_emit_line(e, "@done bra $passed;");
    zl_emit_line(e, "add.u32 tries, tries, 1;");
    zl_emit_line(e, "setp.lt.u32 done, tries, %d;", TRIES);
    zl_emit_line(e, "@done bra $again;");
    zl_emit_line(e, "trap;");
    zl_puts(e->out, "  $passed:\n");
    zl_emit_line(e, "}");
}

/* Prints one tensor copy of a stage, at coordinates that the plan's copy says as multiples of the
 * tile indices. */
static void emit_box(zl_emit *e, const zl_event *event, const zlay_copy *copy)
{
    static const char *const tile[3] = {"tm", "tn", "kt"};
    int32_t operand = event->smem[0];
    const zlay_plan_summary *info = &e->plan->info;
    bool a = operand == ZLAY_OPERAND_A;
    bar_address(e, event);
    zl_emit_line(e, "mad.lo.u32 to, %s, %u, smem;", slot_of(e, &event->at[0], info->stages),
                 a ? info->pitch_a : info->pitch_b);
    zl_emit_line(e, "add.u32 to, to, %u;", (a ? info->smem_a : info->smem_b) + copy->smem);
    for (int dim = 0; dim < 2; dim++) {
        zl_emit_line(e, "mov.u32 x%d, %d;", dim, copy->coordinate[dim]);
        for (int axis = 0; axis < 3; axis++)
            if (copy->advance[dim][axis])
                zl_emit_line(e, "mad.lo.s32 x%d, %s, %d, x%d;", dim, tile[axis],
                             copy->advance[dim][axis], dim);
    }
    zl_emit_form(e, guard_one(e), ZL_FORM_TENSOR_LOAD_2D,
                 (const char *const[]){"to", a ? "map_a" : "map_b", "x0", "x1", "at"});
}

static void emit_copy(zl_emit *e, const zl_event *event)
{
    const zl_operand *o = &e->plan->operand[event->smem[0]];
    for (uint32_t i = 0; i < o->copies_count; i++) emit_box(e, event, &o->copies[i]);
}

/* Prints the tensor copies of a pass of D from the staging of a consumer. */
static void emit_store(zl_emit *e, const zl_event *event)
{
    const zl_operand *d = &e->plan->operand[ZLAY_OPERAND_D];
    const zlay_plan_summary *info = &e->plan->info;
    zl_emit_line(e, "mad.lo.s32 x1, tm, %u, rows;", info->tile_m);
    for (uint32_t i = 0; i < d->copies_count; i++) {
        zl_emit_line(e, "add.u32 to, staging, %u;", d->copies[i].smem);
        zl_emit_line(e, "mov.u32 x0, %d;",
                     (int32_t)zl_pass_column(info, (uint32_t)event->part) + d->copies[i].coordinate[0]);
        zl_emit_line(e, "mad.lo.s32 x0, tn, %u, x0;", info->tile_n);
        zl_emit_form(e, guard_one(e), ZL_FORM_TENSOR_STORE_2D,
                     (const char *const[]){"map_d", "x0", "x1", "to"});
    }
}

void zl_emit_wgmma_name(zl_text *out, const zlay_mma *mma)
{
    zl_putf(out, "wgmma.mma_async.sync.aligned.m%un%uk%u.%s.%s.%s", mma->m, mma->n, mma->k,
            zlay_type_name(mma->d), zlay_type_name(mma->a), zlay_type_name(mma->b));
}

void zl_emit_wgmma_end(zl_text *out, const zlay_mma *mma)
{
    bool transposes = zlay_type_bits(mma->a) == 16;
    if (!zl_gemm_integer(mma->a)) zl_puts(out, ", 1, 1");
    if (transposes) zl_putf(out, ", %d, %d", mma->a_major, mma->b_major);
}

/* Prints one matrix instruction; the first one of a tile overwrites the sums instead of adding. */
static void wgmma(zl_emit *e, bool overwrite)
{
    const zlay_mma *mma = &e->plan->info.mma;
    uint32_t least = mma->a != mma->b && zl_gemm_integer(mma->a) ? 84 : 80;
    zl_puts(e->out, "    ");
    zl_emit_wgmma_name(e->out, mma);
    zl_puts(e->out, " {");
    for (uint32_t i = 0; i < mma->n / 2; i++) zl_putf(e->out, i ? ", acc%u" : "acc%u", i);
    zl_putf(e->out, "}, da, db, %d", !overwrite);
    zl_emit_wgmma_end(e->out, mma);
    zl_puts(e->out, ";\n");
    if (e->ptx < least) e->ptx = least;
}

/* Prints the products of a stage, one for each K step; `from` is the operand's descriptor in this
 * stage. */
static void emit_mma(zl_emit *e, const zl_event *event)
{
    const zlay_plan_summary *info = &e->plan->info;
    const char *slot = slot_of(e, &event->at[0], info->stages);
    zl_emit_line(e, "mad.lo.u32 from_a, %s, %u, desc_a;", slot, info->pitch_a / 16);
    zl_emit_line(e, "mad.lo.u32 from_b, %s, %u, desc_b;", slot, info->pitch_b / 16);
    for (uint32_t step = 0; step < info->k_steps; step++) {
        zl_emit_line(e, "add.u32 low, from_a, %u;",
                     step * e->plan->step_start[ZLAY_OPERAND_A] / 16);
        zl_emit_line(e, "mov.b64 da, {low, high_a};");
        zl_emit_line(e, "add.u32 low, from_b, %u;",
                     step * e->plan->step_start[ZLAY_OPERAND_B] / 16);
        zl_emit_line(e, "mov.b64 db, {low, high_b};");
        wgmma(e, event->fresh && step == 0);
    }
}

static void emit_number_form(zl_emit *e, const char *guard, zl_form_id id, int64_t number)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)number);
    zl_emit_form(e, guard, id, (const char *const[]){text});
}

static void emit_commit(zl_emit *e, const zl_event *event)
{
    if (event->scope == ZL_GROUP_WGMMA) zl_emit_form(e, "", ZL_FORM_WGMMA_COMMIT, NULL);
    else if (event->scope == ZL_GROUP_CPASYNC) zl_emit_form(e, "", ZL_FORM_CP_ASYNC_COMMIT, NULL);
    else zl_emit_form(e, guard_one(e), ZL_FORM_BULK_COMMIT, NULL);
}

static void emit_waitgroup(zl_emit *e, const zl_event *event)
{
    static const zl_form_id form[] = {ZL_FORM_WGMMA_WAIT, ZL_FORM_BULK_WAIT, ZL_FORM_BULK_WAIT_READ,
                                      ZL_FORM_CP_ASYNC_WAIT};
    bool bulk = event->scope == ZL_GROUP_BULK || event->scope == ZL_GROUP_BULK_READ;
    emit_number_form(e, bulk ? guard_one(e) : "", form[event->scope], event->count);
}

static void emit_fence(zl_emit *e, const zl_event *event)
{
    static const zl_form_id form[] = {ZL_FORM_WGMMA_FENCE, ZL_FORM_FENCE_PROXY,
                                      ZL_FORM_FENCE_MBAR_INIT};
    zl_emit_form(e, event->scope == ZL_FENCE_MBARRIER ? "@one " : "", form[event->scope], NULL);
}

/* Prints an arrival of one thread, of one lane of each warp, or of every thread. */
static void emit_arrive(zl_emit *e, const zl_event *event)
{
    const char *guard = event->scope == ZL_BY_THREADS ? ""
                        : event->scope == ZL_BY_WARPS ? "@leader "
                                                      : guard_one(e);
    bar_address(e, event);
    zl_emit_form(e, guard, ZL_FORM_MBAR_ARRIVE, (const char *const[]){"at"});
}

/* An expectation and an arrival of one thread at one mbarrier become one instruction. */
static uint32_t emit_expect(zl_emit *e, const zl_event *event, const zl_event *next)
{
    char bytes[24];
    bool both = next && next->kind == ZL_EV_ARRIVE && next->scope == ZL_BY_ONE &&
                next->bar == event->bar && zl_pos_equal(&next->bar_at, &event->bar_at);
    snprintf(bytes, sizeof bytes, "%lld", (long long)event->count);
    bar_address(e, event);
    zl_emit_form(e, guard_one(e), both ? ZL_FORM_MBAR_ARRIVE_EXPECT : ZL_FORM_MBAR_EXPECT,
                 (const char *const[]){"at", bytes});
    return both ? 2 : 1;
}

static void emit_init(zl_emit *e, const zl_event *event)
{
    const zl_bar *bar = bar_of(e, event);
    char count[24];
    snprintf(count, sizeof count, "%lld", (long long)bar->count);
    for (uint32_t slot = 0; slot < bar->stages; slot++) {
        zl_emit_line(e, "add.u32 at, bar_%s, %u;", bar->name, slot * BAR_BYTES);
        zl_emit_form(e, "@one ", ZL_FORM_MBAR_INIT, (const char *const[]){"at", count});
    }
}

/* Prints a barrier of the block (number 0), or of the role's instance, which has a number of its
 * own. */
static void emit_sync(zl_emit *e, const zl_event *event)
{
    char threads[24];
    bool cta = event->scope == ZL_SYNC_CTA;
    snprintf(threads, sizeof threads, "%u", cta ? e->plan->info.threads : e->role->each * 32);
    zl_emit_form(e, "", ZL_FORM_BAR_SYNC,
                 (const char *const[]){cta ? "0" : "instance_bar", threads});
}

/* Prints what threads move themselves: an operand's stage, the staging of D from accumulators, or D
 * from its staging. */
static void emit_generic(zl_emit *e, const zl_event *event)
{
    int32_t operand = event->smem[0];
    const zl_operand *o = &e->plan->operand[operand];
    if (operand != ZLAY_OPERAND_D) {
        const char *slot = slot_of(e, &event->at[0], e->plan->info.stages);
        for (uint32_t i = 0; i < o->copies_count; i++)
            zl_emit_thread_load(e, operand, &o->copies[i], slot);
    } else if (event->kind == ZL_EV_WRITE) {
        zl_emit_write(e, event->part);
    } else {
        for (uint32_t i = 0; i < o->copies_count; i++)
            zl_emit_thread_store(e, &o->copies[i], event->part);
    }
}

uint32_t zl_emit_event(zl_emit *e, const zl_event *event, const zl_event *next)
{
    switch (event->kind) {
    case ZL_EV_EXPECT: return emit_expect(e, event, next);
    case ZL_EV_ARRIVE: emit_arrive(e, event); break;
    case ZL_EV_WAIT: emit_wait(e, event); break;
    case ZL_EV_COPY: emit_copy(e, event); break;
    case ZL_EV_STORE: emit_store(e, event); break;
    case ZL_EV_COMMIT: emit_commit(e, event); break;
    case ZL_EV_WAITGROUP: emit_waitgroup(e, event); break;
    case ZL_EV_CPASYNC:
    case ZL_EV_READ:
    case ZL_EV_WRITE: emit_generic(e, event); break;
    case ZL_EV_FENCE: emit_fence(e, event); break;
    case ZL_EV_MMA: emit_mma(e, event); break;
    case ZL_EV_SYNC: emit_sync(e, event); break;
    case ZL_EV_INIT: emit_init(e, event); break;
    default: break; /* loops are the caller's, and a plan's pipe has no others */
    }
    return 1;
}
