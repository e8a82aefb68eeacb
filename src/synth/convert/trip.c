/* SPDX-License-Identifier: Apache-2.0 */
/* Turns the round trip through shared memory that shared.c chose into steps of the plan: permute,
 * store, barrier, load, permute.  It first splits a trip that is too large into pieces (cut.c), and
 * gives a lower bound of the cost of every round trip. */
#include "algebra/f2/f2.h"
#include "synth/convert/side.h"

static uint64_t cut_bits(const zl_trip *t, int which)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < t->cuts; i++) bits |= zl_bit(t->cut[which][i]);
    return bits;
}

/* Splits the trip into as few pieces as fit shared memory; one piece where it cannot be split. */
static void pieces_set(zl_trip *t)
{
    const zl_conversion *c = t->c;
    uint64_t most = c->request->smem ? c->request->smem : c->machine.smem;
    zl_bitmap held = c->src;
    held.has &= ~ZL_BLOCKS;
    unsigned bits = zl_bitmap_rank(&held), cuts = 0;
    while (bits < 60 && (uint64_t)(c->bits / 8) << bits >> cuts > most && cuts < bits) cuts++;
    if (!zl_trip_cut(t, cuts)) t->cuts = 0;
}

/* Reads the indices that both sides have of one piece and block. */
static void trip_begin(zl_trip *t)
{
    const zl_conversion *c = t->c;
    pieces_set(t);
    t->at[ZL_SRC].has = t->at[ZL_DST].has = 0;
    uint64_t src = c->src.has & ~ZL_BLOCKS & ~cut_bits(t, ZL_SRC);
    uint64_t dst = c->dst.has & ~ZL_BLOCKS & ~cut_bits(t, ZL_DST);
    for (uint64_t left = src; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        zl_bitmap_put(&t->at[ZL_SRC], k, c->src.to[k]);
    }
    for (uint64_t left = dst; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        uint64_t holder = c->from.to[k], block = holder & ZL_BLOCKS;
        zl_bitmap_put(&t->at[ZL_DST], k, zl_bitmap_at(&c->src, holder ^ block) | block);
    }
    for (int which = ZL_SRC; which <= ZL_DST; which++) {
        const zl_bitmap *at = &t->at[which];
        t->registers[which].pivots = 0;
        for (uint64_t left = at->has & ZL_REGISTERS; left; left &= left - 1) {
            unsigned k = (unsigned)__builtin_ctzll(left);
            zl_solver_put(&t->registers[which], at->to[k], zl_bit(k));
        }
    }
}

/* Adds the registers that number pieces, above those of an access. */
static void add_pieces(const zl_trip *t, int which, zl_bitmap *mid)
{
    for (unsigned i = 0; i < t->cuts; i++)
        zl_bitmap_put(mid, t->side[which].registers + i, zl_bit(t->cut[which][i]));
}

/* Adds block bits that the map keeps as they are. */
static void add_blocks(zl_bitmap *map, uint64_t blocks)
{
    for (blocks &= ZL_BLOCKS; blocks; blocks &= blocks - 1) {
        unsigned k = (unsigned)__builtin_ctzll(blocks);
        zl_bitmap_put(map, k, zl_bit(k));
    }
}

/* ---- steps ------------------------------------------------------------------------------- */

/* Adds the step that brings registers into the order of an access, or out of it, with the permutes
 * that the side counted. */
static void in_lane(const zl_trip *t, zlay_convert *plan, int which, const zl_bitmap *back,
                    uint64_t before)
{
    uint32_t steps = plan->info.steps, permutes = t->side[which].permutes << t->cuts;
    zl_step_in_lane(t->c, plan, back, before);
    if (plan->info.steps == steps && permutes) {
        zl_step_add(plan, ZLAY_CONVERT_PRMT, back, before);
        plan->step[steps].info.width = 4;
        plan->step[steps].info.name = zl_convert_name(t->c, ZL_NAME_PERMUTE);
    }
    if (plan->info.steps == steps) return;
    zl_convert_step *step = &plan->step[steps];
    step->info.instructions = permutes;
    step->cost = permutes * ZL_COST_PRMT;
    if (!permutes) step->info.op = ZLAY_CONVERT_REG, step->info.name = "";
}

/* Fills in a step's access and its cost.  All accesses of a block take as many wavefronts as the
 * first, because each has the first one's addresses XORed with one number. */
static zlay_status access_of(const zl_trip *t, zlay_convert *plan, zl_convert_step *step, int which)
{
    const zl_side *s = &t->side[which];
    zlay_bank bank;
    zlay_bank_access access;
    unsigned warps = (unsigned)__builtin_popcountll(s->kept & zl_level_mask(ZL_WARP));
    zlay_status status = zl_side_count(&bank, t, which);
    if (!status) status = zlay_bank_info(&access, t->c->target, s->form->access);
    if (status) return status;
    bool remote = step->info.op == ZLAY_CONVERT_DSMEM;
    step->info.access = s->form->access;
    step->info.name = access.name;
    step->info.width = s->form->matrices ? 4 * s->form->matrices : s->form->bytes;
    step->info.instructions = s->accesses << t->cuts;
    step->info.counted = bank.answer == ZLAY_YES && !remote;
    if (step->info.counted)
        step->info.wavefronts = (uint64_t)bank.wavefronts * s->accesses << (warps + t->cuts);
    uint32_t each = step->info.counted ? bank.wavefronts : s->phases;
    uint32_t unit = remote ? ZL_COST_REMOTE : ZL_COST_WAVEFRONT;
    step->cost = (s->accesses << t->cuts) * (ZL_COST_ACCESS + each * unit);
    plan->info.counted &= step->info.counted;
    plan->info.conflict_free &= step->info.counted && bank.wavefronts <= bank.distinct;
    return ZLAY_OK;
}

static zlay_status store_add(const zl_trip *t, zlay_convert *plan, uint64_t places)
{
    const zl_side *s = &t->side[ZL_SRC];
    uint64_t blocks = t->c->src.has & ZL_BLOCKS;
    zl_bitmap mid = s->mid;
    add_blocks(&mid, blocks);
    add_pieces(t, ZL_SRC, &mid);
    in_lane(t, plan, ZL_SRC, &mid, t->c->src.has);
    int32_t op = s->form->matrices ? ZLAY_CONVERT_STMATRIX : ZLAY_CONVERT_STORE;
    zl_convert_step *step = zl_step_add(plan, op, NULL, mid.has);
    step->after = places;
    step->offset_after = true;
    for (uint64_t left = mid.has & ~ZL_BLOCKS; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        uint64_t index = zl_bitmap_at(&t->c->src, mid.to[k]);
        zl_bitmap_put(&step->forward, k, zl_bitmap_at(&t->offset, index));
    }
    add_blocks(&step->forward, blocks);
    step->has_forward = true;
    step->has_back = zl_bitmap_invert(&step->back, &step->forward, places);
    uint64_t pieces = mid.has & ZL_REGISTERS & ~s->mid.has;
    uint64_t idle = mid.has & ~ZL_BLOCKS & ~s->kept & ~pieces;
    for (zl_level l = ZL_REGISTER; l < ZL_LEVELS; l++)
        step->info.idle[l] = (idle & zl_level_mask(l)) >> zl_level_low[l];
    return access_of(t, plan, step, ZL_SRC);
}

/* The place that a slot of dst reads: where its holder stored, in the holder's block. */
static uint64_t read_at(const zl_trip *t, uint64_t slot)
{
    uint64_t holder = zl_bitmap_at(&t->c->from, slot);
    uint64_t index = zl_bitmap_at(&t->c->src, holder & ~ZL_BLOCKS);
    return zl_bitmap_at(&t->offset, index) | (holder & ZL_BLOCKS);
}

static zlay_status load_add(const zl_trip *t, zlay_convert *plan, uint64_t places)
{
    const zl_conversion *c = t->c;
    const zl_side *s = &t->side[ZL_DST];
    zl_bitmap mid = s->mid, reads = {.has = 0}, post;
    add_blocks(&mid, c->dst.has);
    add_pieces(t, ZL_DST, &mid);
    for (uint64_t left = mid.has; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        zl_bitmap_put(&reads, k, read_at(t, mid.to[k]));
    }
    int32_t op = s->form->matrices ? ZLAY_CONVERT_LDMATRIX : ZLAY_CONVERT_LOAD;
    if (c->level == ZLAY_CONVERT_BLOCK) op = ZLAY_CONVERT_DSMEM;
    zl_convert_step *step = zl_step_add(plan, op, &reads, places);
    step->offset_before = true;
    zlay_status status = access_of(t, plan, step, ZL_DST);
    if (status || !zl_side_behind(s, s->at->has, &post)) return status ? status : ZLAY_EINTERNAL;
    add_blocks(&post, c->dst.has);
    for (unsigned i = 0; i < t->cuts; i++)
        zl_bitmap_put(&post, t->cut[ZL_DST][i], zl_bit(s->registers + i));
    in_lane(t, plan, ZL_DST, &post, mid.has);
    return ZLAY_OK;
}

/* Sets the barrier: of a warp, a block or a cluster, the least that contains every pair of slots
 * between which the steps move a value. */
static zlay_status sync_set(const zl_conversion *c, zlay_convert *plan, zl_convert_step *step)
{
    zl_bitmap from;
    uint64_t moved = 0;
    zlay_status status = zl_plan_compose(plan, c, &from);
    if (status) return status;
    for (uint64_t left = from.has; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        moved |= from.to[k] ^ (zl_bit(k) & ZL_THREADS);
    }
    bool warps = moved & zl_level_mask(ZL_WARP), blocks = moved & ZL_BLOCKS;
    step->cost = blocks ? ZL_COST_SYNC_CLUSTER : warps ? ZL_COST_SYNC_BLOCK : ZL_COST_SYNC_WARP;
    step->info.instructions = blocks ? 2 : 1;
    step->info.name = zl_convert_name(c, blocks  ? ZL_NAME_SYNC_CLUSTER
                                         : warps ? ZL_NAME_SYNC_BLOCK
                                                 : ZL_NAME_SYNC_WARP);
    return ZLAY_OK;
}

/* Bytes that come from other blocks, counted once for each slot that loads them. */
static uint64_t remote_of(const zl_conversion *c, const zl_side *loads)
{
    zl_solver moved;
    moved.pivots = 0;
    uint64_t slots = (loads->mid.has | (c->dst.has & ZL_BLOCKS));
    for (uint64_t left = slots; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        uint64_t slot = zl_bit(k) & ZL_BLOCKS ? zl_bit(k) : loads->mid.to[k];
        zl_solver_put(&moved, (zl_bitmap_at(&c->from, slot) ^ slot) & ZL_BLOCKS, 0);
    }
    unsigned bits = (unsigned)__builtin_popcountll(slots);
    unsigned rank = (unsigned)__builtin_popcountll(moved.pivots);
    return (((uint64_t)1 << bits) - ((uint64_t)1 << (bits - rank))) * (c->bits / 8);
}

/* Makes the layout of shared memory: tensor index -> offset. */
static zlay_status shared_make(const zl_trip *t, zlay_convert *plan)
{
    const zl_conversion *c = t->c;
    const zlay_layout *src = c->request->src;
    zl_dim in = {.name = "tensor"}, out = {.name = "offset", .bits = t->bits + t->cuts};
    uint64_t basis[64] = {0};
    zl_f2 f2 = {1, 1, &in, &out, basis};
    in.bits = zl_bit_length(t->offset.has);
    if (zl_is_bits(src)) {
        f2.ins = src->f2.outs;
        f2.in = src->f2.out;
        in.bits = zl_dim_bits(f2.in, f2.ins);
    }
    for (unsigned k = 0; k < in.bits; k++)
        if (t->offset.has >> k & 1) basis[k] = t->offset.to[k];
    return zl_layout_f2(c->ctx, &plan->shared, &f2);
}

/* Counts the barriers of all pieces: one after each piece is stored, and one before the next piece
 * is stored over it. */
static void trips_set(const zl_trip *t, zlay_convert *plan, zl_convert_step *sync)
{
    uint32_t trips = 1u << t->cuts;
    plan->info.trips = trips;
    sync->info.instructions *= 2 * trips - 1;
    sync->cost *= 2 * trips - 1;
}

static zlay_status steps_add(zl_trip *t, zlay_convert *plan)
{
    const zl_conversion *c = t->c;
    uint64_t places = zl_bit(t->bits + t->cuts) - 1;
    for (uint64_t left = c->src.has & ZL_BLOCKS; left; left &= left - 1) places |= left & -left;
    plan->info.counted = plan->info.conflict_free = 1;
    zlay_status status = store_add(t, plan, places);
    if (status) return status;
    zl_convert_step *store = &plan->step[plan->info.steps - 1];
    zl_convert_step *sync = zl_step_add(plan, ZLAY_CONVERT_SYNC, NULL, places);
    zl_convert_step *load = &plan->step[plan->info.steps];
    status = load_add(t, plan, places);
    if (!status) status = sync_set(c, plan, sync);
    if (status) return status;
    trips_set(t, plan, sync);
    plan->info.store = store->info.wavefronts;
    plan->info.load = load->info.wavefronts;
    plan->info.smem = (uint64_t)(c->bits / 8) << t->bits;
    if (c->level == ZLAY_CONVERT_BLOCK) plan->info.remote = remote_of(c, &t->side[ZL_DST]);
    return shared_make(t, plan);
}

static unsigned rank_within(const zl_bitmap *m, uint64_t bits)
{
    zl_bitmap part = *m;
    part.has &= bits;
    return zl_bitmap_rank(&part);
}

/* A lower bound: all that a warp wants is stored and loaded, a lane moves at most 16 bytes in an
 * access, and a wavefront moves at most one row of all banks. */
uint32_t zl_shared_floor(const zl_conversion *c)
{
    uint64_t lanes = zl_level_mask(ZL_LANE), row = c->machine.banks * c->machine.bank_bytes;
    uint64_t warp = (uint64_t)(c->bits / 8) << rank_within(&c->dst, ZL_REGISTERS | lanes);
    uint64_t lane = (uint64_t)(c->bits / 8) << rank_within(&c->dst, ZL_REGISTERS);
    uint64_t waves = row ? (warp + row - 1) / row : 1;
    uint64_t accesses = (lane + 15) / 16 + (warp / c->machine.lanes + 15) / 16;
    uint64_t taken = accesses * ZL_COST_ACCESS + 2 * waves * ZL_COST_WAVEFRONT;
    return (uint32_t)(ZL_COST_SYNC_WARP + taken);
}

zlay_status zl_convert_by_shared(const zl_conversion *c, zlay_convert **plan, uint32_t most)
{
    zl_trip tried = {.c = c}, t;
    trip_begin(&tried);
    zlay_status status =
        zl_trip_choose(&t, &tried, most < UINT32_MAX ? most - ZL_COST_SYNC_WARP : most);
    if (status == ZLAY_NONE && most < UINT32_MAX) return status;
    if (status == ZLAY_NONE)
        return zl_fail(c->ctx, ZLAY_ENOTSUP, "target: %s has no access for elements of %u bits",
                       zlay_target_name(c->target), c->bits);
    if (!status && !*plan) *plan = zl_convert_new(c->ctx);
    if (!status && !*plan) status = ZLAY_ENOMEM;
    return status ? status : steps_add(&t, *plan);
}
