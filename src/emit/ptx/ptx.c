/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a GEMM plan as a PTX kernel (zlay_emit_ptx): parameters, the dispatch of warps to roles,
 * registers of a role, and the loops over tiles and K. The events inside are those of the plan's
 * pipe, which event.c prints. A block takes tiles by its number and then by the grid's size (a
 * persistent kernel). */
#include "emit/emit.h"

#include <string.h>

enum { GROUP_M = 16, REG_PRODUCER_TENSOR = 40, REG_PRODUCER_THREADS = 56, REG_ALL = 504 };

/* Prints the head. Names of the text that a kernel could also have begin with `$`, which no
 * kernel's name does. */
static void head(zl_emit *e)
{
    const zlay_plan_summary *info = &e->plan->info;
    zl_putf(e->out, "// zlay %s: D[%llu,%llu] = A B, K = %llu, ", zlay_version(),
            (unsigned long long)info->m, (unsigned long long)info->n,
            (unsigned long long)info->k);
    zl_gemm_put_types(e->out, e->plan);
    zl_putf(e->out, "; tile %ux%ux%u, %u stages, %u bytes of shared memory\n", info->tile_m,
            info->tile_n, info->tile_k, info->stages, info->smem);
    zl_putf(e->out, ".version %u.%u\n.target %s\n.address_size 64\n\n", e->ptx / 10, e->ptx % 10,
            zlay_target_name(info->target));
    zl_puts(e->out, ".extern .shared .align 1024 .b8 $smem[];\n\n.visible .entry ");
    zl_put(e->out, e->name, e->name_length);
    zl_puts(
        e->out,
        "(\n    .param .align 128 .b8 tensor_a[128],\n    .param .align 128 .b8 tensor_b[128],\n"
        "    .param .align 128 .b8 tensor_d[128],\n    .param .u64 ptr_a,\n    .param .u64 ptr_b,\n"
        "    .param .u64 ptr_d)\n");
    zl_putf(e->out, "    .maxntid %u, 1, 1\n    .minnctapersm 1\n{\n", info->threads);
}

/* Prints a register with the address of an operand's tensor map, and a prefetch of the map. */
static void map_address(zl_emit *e, int32_t operand)
{
    char l = "abd"[operand];
    if (!zl_by_tensor(&e->plan->operand[operand])) return;
    zl_emit_line(e, ".reg .b64 map_%c;", l);
    zl_emit_line(e, "mov.b64 map_%c, tensor_%c;", l, l);
    zl_emit_line(e, "cvta.param.u64 map_%c, map_%c;", l, l);
    char guard_operand[] = "map_a";
    guard_operand[4] = l;
    zl_emit_form(e, "@one ", ZL_FORM_TENSOR_PREFETCH, (const char *const[]){guard_operand});
}

/* Prints what all threads do first. The start of dynamic shared memory is rounded up to 1024 bytes,
 * after which the 128-byte swizzle repeats. */
static void setup(zl_emit *e)
{
    const zlay_plan_summary *info = &e->plan->info;
    zl_emit_line(e, ".reg .pred one, leader, wrap, more;");
    zl_emit_line(e, ".reg .b32 tid, warp, lane, rtid, rwarp, smem, at, to, x0, x1;");
    zl_emit_line(e, ".reg .b32 slot, phase, other, tile, tm, tn, kt, group, rest, left;");
    for (uint32_t i = 0; i < e->pipe->bars_count; i++)
        zl_emit_line(e, ".reg .b32 bar_%s;", e->pipe->bars[i].name);
    zl_emit_line(e, "mov.u32 tid, %%tid.x;");
    zl_emit_line(e, "shr.u32 warp, tid, 5;");
    zl_emit_line(e, "and.b32 lane, tid, 31;");
    zl_emit_line(e, "setp.eq.u32 leader, lane, 0;");
    zl_emit_line(e, "setp.eq.u32 one, tid, 0;");
    zl_emit_line(e, "mov.u32 smem, $smem;");
    zl_emit_line(e, "add.u32 smem, smem, 1023;");
    zl_emit_line(e, "and.b32 smem, smem, -1024;");
    uint32_t at = info->smem_bar;
    for (uint32_t i = 0; i < e->pipe->bars_count; i++) {
        zl_emit_line(e, "add.u32 bar_%s, smem, %u;", e->pipe->bars[i].name, at);
        at += 8 * e->pipe->bars[i].stages;
    }
    for (int32_t operand = 0; operand < 3; operand++) map_address(e, operand);
    for (uint32_t i = 0; i < e->pipe->setup; i++) zl_emit_event(e, &e->pipe->events[i], NULL);
}

/* Prints tm and tn, the tile's row and column, from its number. Tiles are visited in groups of
 * GROUP_M rows, column by column, so that tiles computed at the same time share rows of A and
 * columns of B in L2. */
static void tile_indices(zl_emit *e)
{
    const zlay_plan_summary *info = &e->plan->info;
    unsigned long long tiles_m = info->tiles_m, tiles_n = info->tiles_n;
    zl_emit_line(e, "div.u32 group, tile, %llu;", GROUP_M * tiles_n);
    zl_emit_line(e, "mul.lo.u32 rest, group, %llu;", GROUP_M * tiles_n);
    zl_emit_line(e, "sub.u32 rest, tile, rest;");
    zl_emit_line(e, "mul.lo.u32 tm, group, %d;", GROUP_M);
    zl_emit_line(e, "sub.u32 left, %llu, tm;", tiles_m);
    zl_emit_line(e, "min.u32 left, left, %d;", GROUP_M);
    zl_emit_line(e, "div.u32 tn, rest, left;");
    zl_emit_line(e, "mul.lo.u32 left, tn, left;");
    zl_emit_line(e, "sub.u32 rest, rest, left;");
    zl_emit_line(e, "add.u32 tm, tm, rest;");
}

/* Advances to the next K step: its slot in the ring, and the phase where the ring begins anew. */
static void advance(zl_emit *e)
{
    zl_emit_line(e, "add.u32 slot, slot, 1;");
    zl_emit_line(e, "setp.eq.u32 wrap, slot, %u;", e->plan->info.stages);
    zl_emit_line(e, "@wrap xor.b32 phase, phase, 1;");
    zl_emit_line(e, "@wrap mov.u32 slot, 0;");
    zl_emit_line(e, "add.u32 kt, kt, 1;");
}

/* Whether a loop has an iteration. A loop over K runs from t*N + first to t*N + N; the first
 * positions are events of their own before it. */
static bool loop_runs(const zl_emit *e, const zl_event *loop)
{
    return loop->at[0].times < 0 || (uint64_t)loop->at[0].add < e->plan->info.tiles_k;
}

/* Begins the loop over tiles, or a loop over K; a loop over K is one whose first position is a
 * multiple of a param. */
static void loop_begin(zl_emit *e, const zl_event *loop, uint32_t id)
{
    const zlay_plan_summary *info = &e->plan->info;
    if (loop->at[0].times < 0) {
        zl_emit_line(e, "mov.u32 tile, %%ctaid.x;");
        zl_putf(e->out, "$loop%u:\n", id);
        zl_emit_line(e, "setp.ge.u32 more, tile, %llu;",
                     (unsigned long long)(info->tiles_m * info->tiles_n));
        zl_emit_line(e, "@more bra $done%u;", id);
        tile_indices(e);
        zl_emit_line(e, "mov.u32 kt, 0;");
        return;
    }
    for (int64_t i = 0; i < loop->at[0].add; i++) advance(e);
    if (loop_runs(e, loop)) zl_putf(e->out, "$loop%u:\n", id);
}

/* Ends a loop: the next tile is the grid's size further on; of K there are tiles_k steps. */
static void loop_end(zl_emit *e, const zl_event *loop, uint32_t id)
{
    const zlay_plan_summary *info = &e->plan->info;
    if (loop->at[0].times < 0) {
        zl_emit_line(e, "mov.u32 rest, %%nctaid.x;");
        zl_emit_line(e, "add.u32 tile, tile, rest;");
        zl_emit_line(e, "bra $loop%u;", id);
        zl_putf(e->out, "$done%u:\n", id);
        return;
    }
    if (!loop_runs(e, loop)) return;
    advance(e);
    zl_emit_line(e, "setp.lt.u32 more, kt, %llu;", (unsigned long long)info->tiles_k);
    zl_emit_line(e, "@more bra $loop%u;", id);
}

static void role_body(zl_emit *e)
{
    const zl_event *events = e->pipe->events;
    uint32_t i = e->role->begin;
    while (i < e->role->end) {
        const zl_event *event = &events[i];
        if (event->kind == ZL_EV_FOR) loop_begin(e, event, i);
        if (event->kind == ZL_EV_FOR && !loop_runs(e, event)) {
            i = (uint32_t)event->match;
            continue;
        }
        if (event->kind == ZL_EV_END) loop_end(e, &events[event->match], (uint32_t)event->match);
        i += zl_emit_event(e, event, i + 1 < e->role->end ? event + 1 : NULL);
    }
}

/* Whether a role has products: it is a consumer. */
static bool multiplies(const zl_emit *e)
{
    for (uint32_t i = e->role->begin; i < e->role->end; i++)
        if (e->pipe->events[i].kind == ZL_EV_MMA) return true;
    return false;
}

/* Prints the descriptor of an operand's first K step in stage 0: `desc` the word with the shared
 * address, `high` the other one. */
static void desc_setup(zl_emit *e, int32_t operand)
{
    const zlay_plan *plan = e->plan;
    char l = "ab"[operand];
    uint64_t bits = 0;
    zlay_smemdesc_pack(&bits, plan->info.target, &plan->desc[operand]);
    zl_emit_line(e, ".reg .b32 desc_%c, from_%c, high_%c;", l, l, l);
    zl_emit_line(e, "add.u32 desc_%c, smem, %u;", l,
                 operand == ZLAY_OPERAND_A ? plan->info.smem_a : plan->info.smem_b);
    if (operand == ZLAY_OPERAND_A)
        zl_emit_line(e, "mad.lo.u32 desc_a, instance, %u, desc_a;", plan->consumer_start);
    zl_emit_line(e, "shr.u32 desc_%c, desc_%c, 4;", l, l);
    zl_emit_line(e, "add.u32 desc_%c, desc_%c, 0x%08x;", l, l, (uint32_t)bits);
    zl_emit_line(e, "mov.u32 high_%c, 0x%08x;", l, (uint32_t)(bits >> 32));
}

/* With two consumers the producer gives registers back (setmaxnreg), which the consumers take. */
static void registers(zl_emit *e, bool consumer)
{
    const zlay_plan_summary *info = &e->plan->info;
    uint32_t producer = info->full_count == 1 ? REG_PRODUCER_TENSOR : REG_PRODUCER_THREADS;
    if (info->consumers != 2) return;
    char text[16];
    zl_text number = {text, sizeof text - 1, 0};
    zl_putf(&number, "%u", consumer ? (REG_ALL - producer) / 2 : producer);
    text[number.need] = 0;
    zl_emit_form(e, "", consumer ? ZL_FORM_SETMAXNREG_INC : ZL_FORM_SETMAXNREG_DEC,
                 (const char *const[]){text});
}

static void consumer_setup(zl_emit *e)
{
    const zlay_plan_summary *info = &e->plan->info;
    zl_emit_line(e, ".reg .%s acc<%u>;",
                 info->mma.d == ZLAY_TYPE_S32 ? "s32" : "f32", info->mma.n / 2);
    zl_emit_line(e, ".reg .b32 low, staging, rows;");
    zl_emit_line(e, ".reg .b64 da, db;");
    desc_setup(e, ZLAY_OPERAND_A);
    desc_setup(e, ZLAY_OPERAND_B);
    zl_emit_line(e, "mad.lo.u32 staging, instance, %u, smem;", info->pitch_d);
    zl_emit_line(e, "add.u32 staging, staging, %u;", info->smem_d);
    zl_emit_line(e, "mul.lo.u32 rows, instance, %u;", info->mma.m);
    zl_emit_write_setup(e);
    if (!zl_by_tensor(&e->plan->operand[ZLAY_OPERAND_D])) zl_emit_thread_setup(e, ZLAY_OPERAND_D);
}

static void producer_setup(zl_emit *e)
{
    for (int32_t operand = 0; operand < 2; operand++)
        if (!zl_by_tensor(&e->plan->operand[operand])) zl_emit_thread_setup(e, operand);
}

/* Prints one role: its thread numbers, its setup, and its events; each instance of it runs them. */
static void role(zl_emit *e, const zl_role *role, uint32_t number)
{
    e->role = role;
    zl_putf(e->out, "$role%u:\n", number);
    zl_emit_line(e, "{");
    zl_emit_line(e, ".reg .b32 instance, instance_bar;");
    bool consumer = multiplies(e);
    registers(e, consumer);
    zl_emit_line(e, "sub.u32 rwarp, warp, %u;", role->first_warp);
    zl_emit_line(e, "div.u32 instance, rwarp, %u;", role->each);
    zl_emit_line(e, "rem.u32 rwarp, rwarp, %u;", role->each);
    zl_emit_line(e, "mad.lo.u32 rtid, rwarp, 32, lane;");
    zl_emit_line(e, "add.u32 instance_bar, instance, %u;", number * 8 + 1);
    zl_emit_line(e, "setp.eq.u32 one, rtid, 0;");
    if (role->elect) zl_emit_line(e, "@!one bra $finish;");
    zl_emit_line(e, "mov.u32 slot, 0;");
    zl_emit_line(e, "mov.u32 phase, 0;");
    if (consumer) consumer_setup(e);
    else producer_setup(e);
    role_body(e);
    zl_emit_line(e, "bra $finish;");
    zl_emit_line(e, "}");
    e->role = NULL;
}

void zl_emit_kernel(zl_emit *e)
{
    head(e);
    setup(e);
    for (uint32_t i = 1; i < e->pipe->roles_count; i++) {
        zl_emit_line(e, "setp.ge.u32 more, warp, %u;", e->pipe->roles[i].first_warp);
        zl_emit_line(e, "@more bra $role%u;", i);
    }
    for (uint32_t i = 0; i < e->pipe->roles_count; i++) role(e, &e->pipe->roles[i], i);
    zl_puts(e->out, "$finish:\n    ret;\n}\n");
}

static void kernel_write(zl_text *out, const void *value)
{
    zl_emit e = *(const zl_emit *)value;
    e.out = out;
    zl_emit_kernel(&e);
}

/* The PTX version stands at the top and is known only at the end: the text is printed once to
 * nowhere. */
static uint32_t ptx_least(const zl_emit *e)
{
    zl_text nothing = {NULL, 0, 0};
    zl_emit count = *e;
    count.out = &nothing;
    zl_emit_kernel(&count);
    return count.ptx;
}

zlay_status zl_emit_text(zlay_ctx *ctx, zlay_buf *out, const zlay_plan *plan, const char *name,
                         size_t length, zl_writer *write)
{
    if (!out || !plan || !name) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_name_check(ctx, name, length);
    if (!status && zl_by_waves(plan))
        status = zl_fail(ctx, ZLAY_ENOTSUP, "%s has no PTX: zlay_emit_assembly prints its kernel",
                         zlay_target_name(plan->info.target));
    if (status) return zl_leave(ctx, status);
    zl_emit e = {.plan = plan, .pipe = plan->pipe, .name = name, .name_length = length};
    e.ptx = ptx_least(&e);
    return zl_leave(ctx, zl_print(out, write, &e));
}

zlay_status zlay_emit_ptx(zlay_ctx *ctx, zlay_buf *out, const zlay_plan *plan, const char *name,
                          size_t length)
{
    if (ctx && out && plan && name && !zl_by_waves(plan))
        return zl_pt_gemm(ctx, out, plan, name, length);
    return zl_emit_text(ctx, out, plan, name, length, kernel_write);
}
