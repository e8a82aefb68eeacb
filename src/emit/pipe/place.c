/* SPDX-License-Identifier: Apache-2.0 */
/* Gives the names of a pipe their places in its kernel: shared buffers, mbarriers and tensor-memory
 * addresses follow each other in shared memory, roles that meet take named barriers, and
 * accumulators take as many registers as their events need. It also derives the kernel's arguments
 * from the events: a pointer for what a stage is filled from or stored to, a map for a tensor copy,
 * a count for a trip count. Places are in the order of the text. */
#include "emit/pipe/iteration.h"
#include "algebra/ops/cute.h"
#include "base/arith.h"

#include <stdio.h>
#include <string.h>
#include <zlay/target.h>

enum { BAR_BYTES = 8, WORD = 4, BYTE = 8 /* bits */, PLAIN_ALIGN = 128, TOLD_ALIGN = 16, TOLD_BYTES = 32, WARP = 32, BARRIERS = 16 };

/* ---- arguments -------------------------------------------------------------------- */

/* Whether an event fills a stage from the pointer in_<smem>. */
static bool from_global(const zl_pipe_text *k, const zl_event *e)
{
    if (zl_pt_fragment(k, e)) return false;
    switch (e->kind) {
    case ZL_EV_COPY: return e->scope != ZL_COPY_SHARED && !zl_pt_mapped(e) && !zl_pt_move(k, e);
    case ZL_EV_CPASYNC: return true;
    case ZL_EV_WRITE:
    case ZL_EV_STMATRIX: return e->acc < 0 && e->smem[0] >= 0;
    default: return false;
    }
}

/* Whether an event stores a stage to the pointer out_<smem>. */
static bool to_global(const zl_pipe_text *k, const zl_event *e)
{
    if (zl_pt_fragment(k, e)) return false;
    switch (e->kind) {
    case ZL_EV_STORE:
    case ZL_EV_REDUCE: return e->other < 0 && e->map < 0 && !zl_pt_move(k, e);
    case ZL_EV_READ: return e->smem[0] >= 0 && !e->joined; /* else a body loads from it */
    case ZL_EV_LDMATRIX: return true;
    default: return false;
    }
}

bool zl_pt_pointer(const zl_pipe_text *k, int what, uint32_t number)
{
    for (uint32_t i = 0; i < k->pipe->events_count; i++) {
        const zl_event *e = &k->pipe->events[i];
        int32_t n = (int32_t)number;
        if (what == ZL_PT_IN && e->smem[0] == n && from_global(k, e)) return true;
        if (what == ZL_PT_OUT && e->smem[0] == n && to_global(k, e)) return true;
        if (what == ZL_PT_OTHER && (e->other == n || e->map == n)) return true;
        if (what == ZL_PT_BASE && e->kind == ZL_EV_UPDATE && e->map == n) return true;
    }
    return false;
}

typedef struct list {
    zlay_pipe_argument *out;
    size_t room;
    uint32_t count;
} list;

/* Adds an argument to the list; past its room it is only counted. */
static void add(list *l, int32_t kind, uint32_t bytes, const char *prefix, const char *name)
{
    if (l->count < l->room) {
        zlay_pipe_argument *a = &l->out[l->count];
        memset(a, 0, sizeof *a);
        snprintf(a->name, sizeof a->name, "%s%.64s", prefix, name);
        a->kind = kind;
        a->bytes = bytes;
    }
    l->count++;
}

static void add_pointers(const zl_pipe_text *k, list *l, int what, uint32_t number,
                         const char *name)
{
    char prefix[16];
    if (!zl_pt_pointer(k, what, number)) return;
    add(l, ZLAY_ARGUMENT_POINTER, 8, zl_pt_prefix[what], name);
    snprintf(prefix, sizeof prefix, "step_%s", zl_pt_prefix[what]);
    if (what < ZL_PT_OTHER) add(l, ZLAY_ARGUMENT_STEP, 8, prefix, name);
}

static void add_maps(const zl_pipe_text *k, list *l)
{
    zlay_move_summary info;
    for (uint32_t i = 0; i < k->ask->moves_count; i++) {
        const zlay_pipe_move *move = &k->ask->moves[i];
        if (zlay_move_info(&info, move->move)) continue;
        for (uint32_t m = 0; m < info.maps; m++) {
            char name[96];
            zl_pt_map_name(k, name, move, m);
            add(l, ZLAY_ARGUMENT_MAP, 128, "", name);
            if (l->count <= l->room) {
                snprintf(l->out[l->count - 1].name, sizeof l->out->name, "%.79s", name);
                l->out[l->count - 1].map = m;
            }
        }
    }
}

/* Adds maps for stages whose copies need one and have no move. */
static void add_plain_maps(const zl_pipe_text *k, list *l)
{
    for (uint32_t i = 0; i < k->pipe->smems_count; i++) {
        bool wants = false;
        for (uint32_t j = 0; j < k->pipe->events_count; j++) {
            const zl_event *e = &k->pipe->events[j];
            wants |= e->kind == ZL_EV_COPY && e->smem[0] == (int32_t)i && e->map < 0 &&
                     zl_pt_mapped(e) && !zl_pt_move(k, e) && !zl_pt_fragment(k, e);
        }
        if (wants) add(l, ZLAY_ARGUMENT_MAP, 128, "map_", k->pipe->smems[i].name);
    }
}

/* A scalar is x_NAME, an array that bodies read read_NAME, one to which they store write_NAME. */
static void add_bodies(const zl_pipe_text *k, list *l)
{
    const zlay_body_operand *o;
    for (uint32_t i = 0; zl_pt_body_argument(k, i, &o); i++) {
        bool array = o->sort != ZLAY_BODY_SCALAR;
        const char *prefix = !array ? "x_" : o->sort == ZLAY_BODY_GLOBAL ? "read_" : "write_";
        add(l, array ? ZLAY_ARGUMENT_POINTER : ZLAY_ARGUMENT_SCALAR, array ? 8 : 4, prefix, o->name);
        if (l->count <= l->room) l->out[l->count - 1].type = o->type;
    }
}

/* Arrays of lengths that no body reads. */
static void add_lengths(const zl_pipe_text *k, list *l)
{
    const zlay_body_operand *o;
    for (uint32_t i = 0; i < k->ask->lengths_count; i++) {
        const char *name = k->ask->lengths[i].name;
        bool read = false;
        for (uint32_t j = 0; zl_pt_body_argument(k, j, &o); j++) read |= !strcmp(o->name, name);
        if (read) continue;
        add(l, ZLAY_ARGUMENT_POINTER, 8, "read_", name);
        if (l->count <= l->room) l->out[l->count - 1].type = ZLAY_TYPE_S32;
    }
}

uint32_t zl_pt_arguments(const zl_pipe_text *k, zlay_pipe_argument *out, size_t room)
{
    const zlay_pipe *pipe = k->pipe;
    list l = {out, room, 0};
    if (zl_pt_arguments_bound(k)) {
        for (uint32_t i = 0; i < k->plan->arguments_count; i++)
            if (l.count++ < room) out[i] = k->plan->arguments[i];
        add_bodies(k, &l);
        return l.count;
    }
    add_maps(k, &l);
    add_plain_maps(k, &l);
    for (uint32_t i = 0; i < pipe->params_count; i++) {
        if (zl_pt_fixed(k, (int32_t)i) || zl_pt_tiles_counted(k, (int32_t)i)) continue;
        if (zl_pt_listed(k, (int32_t)i)) add(&l, ZLAY_ARGUMENT_POINTER, 8, "counts_", pipe->params[i].name);
        else add(&l, ZLAY_ARGUMENT_COUNT, 4, "n_", pipe->params[i].name);
    }
    for (uint32_t i = 0; i < pipe->smems_count; i++)
        for (int what = ZL_PT_IN; what <= ZL_PT_OUT; what++)
            add_pointers(k, &l, what, i, pipe->smems[i].name);
    for (uint32_t i = 0; i < pipe->others_count; i++)
        for (int what = ZL_PT_OTHER; what <= ZL_PT_BASE; what++)
            add_pointers(k, &l, what, i, pipe->others[i].name);
    add_lengths(k, &l);
    if (zl_pt_sequences_of(k)) add(&l, ZLAY_ARGUMENT_POINTER, 8, "", ZL_PT_NEXT_TILE);
    add_bodies(k, &l);
    return l.count;
}

/* ---- places ------------------------------------------------------------------------ */

/* Whether a stage is read by products or filled by tensor copies, which need 1024 bytes. */
static bool aligned(const zl_pipe_text *k, int32_t smem)
{
    for (uint32_t i = 0; i < k->pipe->events_count; i++) {
        const zl_event *e = &k->pipe->events[i];
        if (e->smem[0] != smem && e->smem[1] != smem) continue;
        if (e->kind == ZL_EV_MMA || e->kind == ZL_EV_TCP || e->map >= 0 || zl_pt_move(k, e))
            return true;
    }
    return false;
}

/* Elements of a stage that its layout names: fewer than it has coordinates where several have one element. */
static uint64_t elements(zl_pipe_text *k, const zlay_layout *layout)
{
    uint64_t most, size = zlay_layout_size(layout);
    zlay_status status = zl_cosize(k->ctx, &most, layout);
    if (status == ZLAY_ENOMEM) k->status = status;
    return !status && most < size ? most : size;
}

/* The bytes of a stage: as many as its copies bring, or as its products read, which may be more
 * rows than the matrix has. */
static uint64_t stage_bytes(zl_pipe_text *k, const zl_smem *s)
{
    uint64_t bytes = (uint64_t)s->bytes, most = bytes;
    for (uint32_t i = 0; i < k->ask->operands_count; i++) {
        const zlay_pipe_operand *o = &k->ask->operands[i];
        if (strcmp(o->smem, s->name) != 0) continue;
        most = zl_umul_sat(elements(k, o->layout), zlay_type_bits(o->type)) / BYTE;
    }
    return most > bytes ? most : bytes;
}

static zlay_status place_shared(zl_pipe_text *k)
{
    const zlay_pipe *pipe = k->pipe;
    zlay_target_summary info = {0};
    uint64_t at = 0;
    zlay_target_info(&info, k->ask->target);
    for (uint32_t i = 0; i < pipe->smems_count && at <= info.smem; i++) {
        const zl_smem *s = &pipe->smems[i];
        uint64_t align = aligned(k, (int32_t)i) ? ZL_PT_ALIGN : PLAIN_ALIGN;
        at = zl_round_up(at, align);
        uint64_t bytes = stage_bytes(k, s);
        uint64_t pitch = bytes > info.smem ? info.smem + 1u : zl_round_up(bytes, align);
        k->smem_at[i] = (uint32_t)at;
        k->smem_pitch[i] = (uint32_t)pitch;
        at += zl_umul_sat(pitch, (uint64_t)s->stages * zl_pt_instances(k, (int32_t)i));
    }
    if (k->status) return k->status;
    for (uint32_t i = 0; i < pipe->bars_count && at <= info.smem; i++) {
        k->bar_at[i] = (uint32_t)at;
        at += (uint64_t)BAR_BYTES * pipe->bars[i].stages;
    }
    for (uint32_t i = 0; i < pipe->tmems_count && at <= info.smem; i++) {
        k->tmem_at[i] = (uint32_t)at;
        at += WORD;
    }
    if (zl_pt_sequences_of(k)) at = (k->told_at = (uint32_t)zl_round_up(at, TOLD_ALIGN)) + TOLD_BYTES;
    if (at > info.smem)
        return zl_fail(k->ctx, ZLAY_ENOTSUP,
                       "smem: %llu bytes of shared memory or more, and %s has %llu",
                       (unsigned long long)at, zlay_target_name(k->ask->target),
                       (unsigned long long)info.smem);
    k->smem = (uint32_t)at;
    return ZLAY_OK;
}

static zlay_status place_threads(zl_pipe_text *k)
{
    zlay_target_summary info = {0};
    uint32_t warps = zl_pipe_warps(k->pipe);
    zlay_target_info(&info, k->ask->target);
    if (!info.ptx)
        return zl_fail(k->ctx, ZLAY_ENOTSUP, "%s has no PTX", zlay_target_name(k->ask->target));
    if (k->pipe->blocks > 1 && k->pipe->blocks > info.cluster_most)
        return zl_fail(k->ctx, ZLAY_ENOTSUP, "cluster: %u blocks, and %s has at most %u",
                       k->pipe->blocks, zlay_target_name(k->ask->target), info.cluster_most);
    k->threads = warps * WARP;
    return ZLAY_OK;
}

/* The barrier numbers that the text itself uses, as a mask; 0 is that of the whole block. */
static uint32_t named_barriers(const zlay_pipe *pipe)
{
    uint32_t used = 1;
    for (const zl_role *role = pipe->roles; role < pipe->roles + pipe->roles_count; role++)
        for (uint32_t i = role->begin; i < role->end; i++) {
            const zl_event *e = &pipe->events[i];
            bool meets = e->kind == ZL_EV_SYNC || e->kind == ZL_EV_JOIN;
            for (uint32_t n = 0; meets && e->scope == ZL_SYNC_NAMED && n < zl_role_instances(role); n++)
                used |= 1u << zl_event_named(e, n);
        }
    return used;
}

/* Whether the warps of a role meet each other by a named barrier. */
static bool meets(const zlay_pipe *pipe, const zl_role *role)
{
    if (role->elect || role->each == 1) return false;
    for (uint32_t i = role->begin; i < role->end; i++)
        if (pipe->events[i].kind == ZL_EV_SYNC && pipe->events[i].scope == ZL_SYNC_ROLE)
            return true;
    return false;
}

static zlay_status place_barriers(zl_pipe_text *k)
{
    uint32_t used = named_barriers(k->pipe);
    for (uint32_t r = 0; r < k->pipe->roles_count; r++) {
        const zl_role *role = &k->pipe->roles[r];
        uint32_t count = zl_role_instances(role), at = 1;
        if (!meets(k->pipe, role)) continue;
        if (count >= BARRIERS) count = BARRIERS;
        while (at + count <= BARRIERS && (used >> at & ((1u << count) - 1))) at++;
        if (at + count > BARRIERS)
            return zl_fail(k->ctx, ZLAY_ELIMIT,
                           "role %s: no %u named barriers are left of the %d of a block",
                           role->name, count, BARRIERS);
        used |= ((1u << count) - 1) << at;
        k->role_bar[r] = at;
    }
    return ZLAY_OK;
}

static void grow(zl_pipe_text *k, int32_t acc, uint32_t registers)
{
    if (acc >= 0 && registers > k->acc_registers[acc]) k->acc_registers[acc] = registers;
}

/* Counts the registers of each accumulator: as many as the largest event on it accesses. */
static zlay_status place_registers(zl_pipe_text *k)
{
    for (uint32_t i = 0; i < k->products_count; i++) {
        const zl_pt_product *p = &k->products[i];
        if (p->mma.instruction == ZLAY_MMA_SYNC) {
            const uint32_t *blocks = p->warps.blocks;
            grow(k, p->event->acc, blocks[0] * blocks[1] * 4);
            grow(k, p->event->acc_a, p->steps * blocks[0] * 4);
            grow(k, p->event->acc_b, p->steps * blocks[1] * 2);
            continue;
        }
        grow(k, p->event->acc, p->mma.n / 2 * p->operand[0].parts);
        grow(k, p->event->acc_a, WORD * p->steps);
    }
    for (uint32_t i = 0; i < k->pipe->events_count; i++) {
        const zl_event *e = &k->pipe->events[i];
        if (e->kind == ZL_EV_TLD || e->kind == ZL_EV_TST)
            grow(k, e->acc, e->columns[1] - e->columns[0] + 1);
    }
    for (uint32_t i = 0; i < k->pipe->accs_count; i++)
        grow(k, (int32_t)i, zl_pt_registers_of(k, (int32_t)i));
    for (uint32_t i = 0; i < k->pipe->accs_count; i++)
        if (k->acc_registers[i] > ZL_PT_REGISTERS)
            return zl_fail(k->ctx, ZLAY_ENOTSUP,
                           "%s: %u registers of a thread, and at most %d are printed",
                           k->pipe->accs[i].name, k->acc_registers[i], ZL_PT_REGISTERS);
    return ZLAY_OK;
}

zlay_status zl_pt_place(zl_pipe_text *k)
{
    zlay_status status = place_threads(k);
    if (!status) status = place_shared(k);
    if (!status) status = place_barriers(k);
    if (!status) status = zl_pt_products(k);
    if (!status) status = zl_pt_bodies(k);
    if (!status) status = zl_pt_factors(k);
    if (!status) status = zl_pt_places(k);
    return status ? status : place_registers(k);
}
