/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the events of an AMD GEMM plan's pipe in their order, each by its row of events.def.
 * Events that may stand aside, as loads, address steps, shared-memory accesses and waits, are
 * collected and then spread evenly between the matrix instructions that follow them: software
 * pipelining inside one iteration. This is right because a product accesses only its complete
 * factors and its sums, so any other instruction may stand between two products. What an event's
 * registers hold is read from the plan (zl_wave_set), and where its operand lies from what the plan
 * binds (zl_wave_bound), never from a name. */
#include "emit/gcn/wave.h"

#include <stdio.h>
#include <zlay/hazard.h>

enum { CHUNK = 16, WORDS = CHUNK / 4, SIDES_MOST = 96, TEXT = 24 };

/* An instruction that may stand between products: the i-th of those that its event stands for. */
typedef struct side {
    const zl_event *event;
    uint32_t i;
} side;

typedef struct sides {
    side list[SIDES_MOST];
    uint32_t count;
} sides;

static const zlay_pipe *pipe_of(const zl_wave_text *t) { return t->plan->pipe; }

/* What an accumulator of the pipe holds. */
static const zl_wave_set *set_of(const zl_wave_text *t, int32_t acc)
{
    return &t->plan->wave.sets.at[acc];
}

/* ---- global memory ---------------------------------------------------------------------- */

/* Advances a part's buffer resource to the next tile of K; its end stays where it was. */
static void advance_part(zl_wave_text *t, uint32_t s)
{
    zl_wave_line(t, "s_add_u32 s%u, s%u, 0x%x", s, s, t->w->row_bytes);
    zl_wave_line(t, "s_addc_u32 s%u, s%u, 0", s + 1, s + 1);
    zl_wave_line(t, "s_sub_u32 s%u, s%u, 0x%x", s + 2, s + 2, t->w->row_bytes);
}

/* Advances all parts to the next tile of K, and with direct loads the stage that is loaded. */
static void advance(zl_wave_text *t)
{
    for (uint32_t i = 0; i < ZL_WAVE_STAGED; i++) advance_part(t, t->bound[i].resource);
    t->loaded++;
    if (!t->w->direct) return;
    zl_wave_line(t, "s_add_u32 s%d, s%d, 0x%x", ZL_S_LOAD, ZL_S_LOAD, t->plan->info.stage_bytes);
    zl_wave_line(t, "s_cmp_eq_u32 s%d, s%d", ZL_S_LOAD, ZL_S_LOAD_END);
    zl_wave_line(t, "s_cselect_b32 s%d, s%d, s%d", ZL_S_LOAD, ZL_S_LOAD_FIRST, ZL_S_LOAD);
}

/* Masks the loads of the last tile of K: chunks behind the end of K take an offset outside the
 * buffer resource, so that they read zero. */
static void mask(zl_wave_text *t)
{
    const zlay_plan_summary *info = &t->plan->info;
    zl_wave_line(t, "v_cmp_gt_u32 vcc, %u, v%u", (uint32_t)(info->k % info->tile_k), t->r->key);
    zl_wave_hold(t, ZLAY_FIRST_VALU_SGPR, ZLAY_THEN_VALU_SGPR, t->printed);
    for (uint32_t i = 0; i < zl_wave_loads(t->w); i++)
        zl_wave_line(t, "v_cndmask_b32 v%u, v%u, v%u, vcc", t->r->offset + i, t->r->nowhere,
                     t->r->offset + i);
}

/* Whether the last tile of K is only partly inside the matrices. */
static bool ragged(const zl_wave_text *t) { return t->plan->info.k % t->plan->info.tile_k != 0; }

/* The number of a load among those of its tile: of direct loads by the event's part of the stage. */
static uint32_t load_number(const zl_wave_text *t, const side *s)
{
    if (!t->w->direct) return set_of(t, s->event->acc)->number;
    return s->i + t->bound[s->event->part].first_load;
}

/* The part of the stage that a load of its tile brings. */
static const zl_wave_bound *part_of(const zl_wave_text *t, uint32_t load)
{
    uint32_t i = ZL_WAVE_STAGED - 1;
    while (t->bound[i].first_load > load) i--;
    return &t->bound[i];
}

/* Sets M0, the place in shared memory where load i lands. It is set one load ahead, so that a
 * product stands between the write of M0 and the load that reads it. */
static void place_load(zl_wave_text *t, uint32_t i)
{
    if (i && i == t->placed) return;
    zl_wave_line(t, "s_add_u32 m0, s%d, 0x%x", ZL_S_LOAD, i * t->plan->info.threads * CHUNK);
    t->placed = i;
    t->placed_at = t->printed;
}

/* Prints a load from global straight to shared memory, and sets M0 for the next one. */
static void load_direct(zl_wave_text *t, uint32_t i, uint32_t s)
{
    place_load(t, i);
    zl_wave_hold(t, ZLAY_FIRST_SALU_M0, ZLAY_THEN_M0, t->placed_at);
    zl_wave_form(t, ZL_WAVE_LOAD_DIRECT, (const uint32_t[]){t->r->offset + i, s, 0, 0});
    if (i + 1 < zl_wave_loads(t->w)) place_load(t, i + 1);
}

/* Prints one load of a tile; the first one of a ragged last tile is masked before, and behind the
 * last one of a tile the addresses advance. */
static void load_print(zl_wave_text *t, const side *one)
{
    uint32_t i = load_number(t, one);
    uint32_t s = part_of(t, i)->resource;
    uint32_t to = t->r->loaded + i * WORDS, from = t->r->offset + i;
    if (!i && ragged(t) && t->loaded + 1 == t->plan->info.tiles_k) mask(t);
    if (t->w->direct)
        load_direct(t, i, s);
    else
        zl_wave_form(t, ZL_WAVE_LOAD, (const uint32_t[]){to, from, s, 0, 0});
    if (i + 1 == zl_wave_loads(t->w)) advance(t);
}

/* ---- shared memory ------------------------------------------------------------------------ */

/* Stores into the stage after the one that is multiplied. */
static void put_print(zl_wave_text *t, const side *one)
{
    uint32_t i = set_of(t, one->event->acc)->number, from = t->r->loaded + i * WORDS, at = t->r->write + 1;
    if (!i) zl_wave_line(t, "v_add_u32 v%u, s%d, v%u", at, ZL_S_NEXT, t->r->write);
    zl_wave_form(t, ZL_WAVE_WRITE, (const uint32_t[]){at, from, i * t->plan->info.threads * CHUNK});
}

/* Advances the stage that is read, and the addresses of all reads of a tile, to the next stage. */
static void turn(zl_wave_text *t)
{
    const zlay_plan_summary *info = &t->plan->info;
    zl_wave_line(t, "s_mov_b32 s%d, s%d", ZL_S_READ, ZL_S_NEXT);
    zl_wave_line(t, "s_add_u32 s%d, s%d, 0x%x", ZL_S_NEXT, ZL_S_NEXT, info->stage_bytes);
    zl_wave_line(t, "s_cmp_eq_u32 s%d, 0x%x", ZL_S_NEXT, info->smem);
    zl_wave_line(t, "s_cselect_b32 s%d, 0, s%d", ZL_S_NEXT, ZL_S_NEXT);
    for (uint32_t part = 0; part < ZL_WAVE_STAGED; part++) {
        t->fetched[part] = 0;
        for (uint32_t i = 0; i < t->w->reads; i++)
            zl_wave_line(t, "v_add_u32 v%u, s%d, v%u", t->r->at[part] + i, ZL_S_READ,
                         t->r->read[part] + i);
    }
}

/* The first register of block i of a part, in one of the two sets of fragments. */
static uint32_t fragment(const zl_wave_text *t, const zl_wave_set *set, uint32_t i)
{
    uint32_t all = t->w->blocks_m + t->w->blocks_n, first = t->bound[set->operand].first_block;
    return t->r->fragment + (set->number * all + first + i) * WORDS;
}

/* Prints one read of a fragment from shared memory. A stage is read whole before the next one, so
 * behind the last read of a stage the addresses turn to the next. */
static void fetch_print(zl_wave_text *t, const side *one)
{
    const zl_wave_set *set = set_of(t, one->event->acc);
    uint32_t *fetched = &t->fetched[set->operand];
    if (!one->i && *fetched == t->w->reads) turn(t);
    if (!one->i) ++*fetched;
    zl_wave_form(t, ZL_WAVE_READ,
                 (const uint32_t[]){fragment(t, set, one->i), t->r->at[set->operand] + *fetched - 1,
                                    one->i * t->plan->info.mma.m * t->w->row_bytes});
}

void zl_wave_wait(zl_wave_text *t, const zl_event *e)
{
    bool memory = e->scope == ZL_QUEUE_MEMORY;
    uint32_t most = memory ? t->most.vmcnt : t->most.lgkmcnt;
    uint32_t count = e->count < most ? (uint32_t)e->count : most;
    zl_wave_form(t, memory ? ZL_WAVE_WAIT_GLOBAL : ZL_WAVE_WAIT_SHARED, &count);
}

static void wait_print(zl_wave_text *t, const side *one) { zl_wave_wait(t, one->event); }

/* ---- products ------------------------------------------------------------------------------- */

static void side_print(zl_wave_text *t, const side *s);

static void sides_print(zl_wave_text *t, sides *s)
{
    for (uint32_t i = 0; i < s->count; i++) side_print(t, &s->list[i]);
    s->count = 0;
}

/* Prints the matrix instruction of block (m, n) for one part of the fragments' K. The instruction's
 * first factor is the event's second, so the result is a block of D transposed and a lane holds
 * consecutive columns of D. */
static void product(zl_wave_text *t, const zl_event *e, uint32_t part, uint32_t block)
{
    const zlay_mma *mma = &t->plan->info.mma;
    uint32_t words = WORDS / t->w->read_products, sums = mma->m * mma->n / t->w->lanes;
    uint32_t n = t->w->blocks_n, d = block * sums;
    uint32_t a = fragment(t, set_of(t, e->acc_b), block % n) + part * words;
    uint32_t b = fragment(t, set_of(t, e->acc_a), block / n) + part * words;
    char to[TEXT];
    snprintf(to, sizeof to, "a[%u:%u]", d, d + sums - 1);
    zl_wave_line(t, "%s %s, v[%u:%u], v[%u:%u], %s", t->product_form.name, to, a, a + words - 1, b, b + words - 1,
                 e->fresh && !part ? "0" : to);
    t->product[block] = t->printed;
}

/* Prints all products of one read, with the side instructions spread evenly between them. */
static void products(zl_wave_text *t, const zl_event *e, sides *s)
{
    const zlay_wave_gemm *w = t->w;
    uint32_t blocks = w->blocks_m * w->blocks_n, total = w->read_products * blocks, done = 0;
    for (uint32_t i = 0; i < total; i++) {
        product(t, e, i / blocks, i % blocks);
        while (done * total < (i + 1) * s->count && done < s->count)
            side_print(t, &s->list[done++]);
    }
    s->count = 0;
}

/* Sums begin as zeros. A body is printed with the stores of its result, run by run. */
static void use_print(zl_wave_text *t, const side *one)
{
    if (one->event->joined) return;
    if (zl_wave_scales_is(t, one->event)) {
        zl_wave_scales(t, one->event);
        return;
    }
    if (one->event->body >= 0) {
        t->use = one->event;
        zl_wave_scales_end(t);
        return;
    }
    for (uint32_t i = 0; i < t->w->accumulators; i++)
        zl_wave_line(t, "v_accvgpr_write_b32 a%u, 0", i);
}

static void send_print(zl_wave_text *t, const side *one)
{
    (void)one;
    zl_wave_store(t);
}

static void sync_print(zl_wave_text *t, const side *one)
{
    (void)one;
    zl_wave_form(t, ZL_WAVE_BARRIER, NULL);
}

/* ---- the loop -------------------------------------------------------------------------- */

/* A position that the loop over K names as a number of tiles; N stands for all tiles of K. */
static uint64_t place(const zl_wave_text *t, const zl_pos *at)
{
    return (uint64_t)at->add + (at->plus < 0 ? 0 : t->plan->info.tiles_k);
}

/* Begins the loop over K; its last iteration loads the last tile. */
static void loop_begin(zl_wave_text *t, const side *one)
{
    const zl_event *e = one->event;
    uint64_t rounds = place(t, &e->bar_at) - place(t, &e->at[0]);
    zl_wave_line(t, "s_mov_b32 s%d, 0x%llx", ZL_S_LEFT, (unsigned long long)rounds);
    zl_putf(t->out, ".Lloop%u:\n", t->label);
    if (!ragged(t)) return;
    zl_wave_line(t, "s_cmp_lg_u32 s%d, 1", ZL_S_LEFT);
    zl_wave_line(t, "s_cbranch_scc1 .Lwhole%u", t->label);
    mask(t);
    zl_putf(t->out, ".Lwhole%u:\n", t->label);
}

/* Counts the loop down; behind it all tiles of K have been loaded. */
static void loop_end(zl_wave_text *t, const side *one)
{
    (void)one;
    zl_wave_line(t, "s_sub_u32 s%d, s%d, 1", ZL_S_LEFT, ZL_S_LEFT);
    zl_wave_line(t, "s_cmp_lg_u32 s%d, 0", ZL_S_LEFT);
    zl_wave_line(t, "s_cbranch_scc1 .Lloop%u", t->label++);
    t->loaded = t->plan->info.tiles_k;
}

/* ---- events ----------------------------------------------------------------------------- */

enum { ANY = -1, ALONE = 0, ASIDE };

static const struct event_row {
    zl_event_kind kind;
    int32_t scope;
    int way;
    void (*print)(zl_wave_text *t, const side *one);
} rows[] = {
#define WAVE_EVENT(kind, scope, way, print) {ZL_EV_##kind, scope, way, print},
#include "emit/gcn/events.def"
#undef WAVE_EVENT
};

/* The row of an event; NULL: the printer has none. */
static const struct event_row *row_of(const zl_event *e)
{
    for (size_t i = 0; i < ZL_COUNT(rows); i++)
        if (rows[i].kind == e->kind && (rows[i].scope == ANY || rows[i].scope == e->scope))
            return &rows[i];
    return NULL;
}

static void side_print(zl_wave_text *t, const side *s) { row_of(s->event)->print(t, s); }

/* Keeps the instructions of an event until the next products. */
static void aside(zl_wave_text *t, sides *s, const zl_event *e)
{
    for (uint32_t i = 0; i < e->times; i++) {
        if (s->count == SIDES_MOST) sides_print(t, s);
        s->list[s->count++] = (side){e, i};
    }
}

/* Prints an event: behind what still waits for a product, or between the next ones. */
static void event_print(zl_wave_text *t, sides *s, const zl_event *e)
{
    const struct event_row *row = row_of(e);
    if (e->kind == ZL_EV_MMA) {
        products(t, e, s);
    } else if (!row) {
        *t->refused = zl_forms[e->kind].word;
    } else if (row->way == ASIDE) {
        aside(t, s, e);
    } else {
        sides_print(t, s);
        row->print(t, &(side){e, 0});
    }
}

void zl_wave_events(zl_wave_text *t)
{
    const zl_role *role = &pipe_of(t)->roles[0];
    sides s = {.count = 0};
    for (uint32_t part = 0; part < ZL_WAVE_STAGED; part++) t->fetched[part] = t->w->reads;
    for (uint32_t i = role->begin; i < role->end; i++) event_print(t, &s, &pipe_of(t)->events[i]);
}
