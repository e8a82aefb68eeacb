/* SPDX-License-Identifier: Apache-2.0 */
/* K, step by step: while a stage is multiplied its fragments are read ahead of their products, the
 * next stages are on their way, and each wait is for what comes next alone. */
#include "emit/wave.h"

#include <zlay/hazard.h>

enum { CHUNK = 16, WORDS = CHUNK / 4, ELEMENT = 2, SIDES_MOST = 96 };

/* What stands between products. */
typedef enum side_kind { READ, STAGE, WRITE, LOAD, ADVANCE } side_kind;

typedef struct side {
    side_kind kind;
    uint32_t i, read, set;
} side;

typedef struct sides {
    side list[SIDES_MOST];
    uint32_t count;
} sides;

/* What a step of K has behind it. */
typedef struct behind {
    bool load, next; /* tiles `ahead` steps, and one step, further on */
} behind;

static void add(sides *s, side one)
{
    if (s->count < SIDES_MOST) s->list[s->count++] = one;
}

/* ---- loads -------------------------------------------------------------------------------- */

static int32_t operand_of(const zl_wave_text *t, uint32_t load)
{
    return load < t->w->loads_a ? ZLAY_OPERAND_A : ZLAY_OPERAND_B;
}

static uint32_t part_bytes(const zl_wave_text *t) { return t->plan->info.threads * CHUNK; }

static void load(zl_wave_text *t, uint32_t i)
{
    int s = ZL_S_RESOURCE + 4 * operand_of(t, i);
    if (t->w->direct) {
        zl_wave_line(t, "s_add_u32 m0, s%d, 0x%x", ZL_S_LOAD, i * part_bytes(t));
        zl_wave_hold(t, ZLAY_FIRST_SALU_M0, ZLAY_THEN_M0, t->printed);
        zl_wave_line(t, "buffer_load_dwordx4 v%u, s[%d:%d], 0 offen lds", t->r->offset + i, s,
                     s + 3);
        t->global++;
        return;
    }
    uint32_t to = t->r->loaded + i * WORDS;
    zl_wave_line(t, "buffer_load_dwordx4 v[%u:%u], v%u, s[%d:%d], 0 offen", to, to + WORDS - 1,
                 t->r->offset + i, s, s + 3);
    t->load_last[i] = ++t->global;
}

/* The next tile of K: its resource begins so many bytes on and ends where it did. */
static void advance_operand(zl_wave_text *t, int32_t operand)
{
    int s = ZL_S_RESOURCE + 4 * operand;
    zl_wave_line(t, "s_add_u32 s%d, s%d, 0x%x", s, s, t->w->row_bytes);
    zl_wave_line(t, "s_addc_u32 s%d, s%d, 0", s + 1, s + 1);
    zl_wave_line(t, "s_sub_u32 s%d, s%d, 0x%x", s + 2, s + 2, t->w->row_bytes);
}

static void around(zl_wave_text *t, int stage, const char *first, const char *end)
{
    zl_wave_line(t, "s_add_u32 s%d, s%d, 0x%x", stage, stage, t->plan->info.stage_bytes);
    zl_wave_line(t, "s_cmp_eq_u32 s%d, %s", stage, end);
    zl_wave_line(t, "s_cselect_b32 s%d, %s, s%d", stage, first, stage);
}

static void around_stages(zl_wave_text *t, int stage)
{
    char end[16];
    zl_text number = {end, sizeof end - 1, 0};
    zl_putf(&number, "0x%x", t->plan->info.smem);
    end[number.need] = 0;
    around(t, stage, "0", end);
}

static void around_loads(zl_wave_text *t)
{
    char first[16], end[16];
    zl_text a = {first, sizeof first - 1, 0}, b = {end, sizeof end - 1, 0};
    zl_putf(&a, "s%d", ZL_S_LOAD_FIRST);
    zl_putf(&b, "s%d", ZL_S_LOAD_END);
    first[a.need] = end[b.need] = 0;
    around(t, ZL_S_LOAD, first, end);
}

static void advance(zl_wave_text *t)
{
    advance_operand(t, ZLAY_OPERAND_A);
    advance_operand(t, ZLAY_OPERAND_B);
    t->loaded++;
    if (!t->w->direct) return;
    around_loads(t);
    t->load_last[(t->tile_first + t->tiles++) % ZL_QUEUE] = t->global;
}

/* The last tile of K may end within a row's chunks: those past it take an offset outside. */
static void mask(zl_wave_text *t)
{
    const zlay_plan_info *info = &t->plan->info;
    zl_wave_line(t, "v_cmp_gt_u32 vcc, %u, v%u", (uint32_t)(info->k % info->tile_k), t->r->key);
    zl_wave_hold(t, ZLAY_FIRST_VALU_SGPR, ZLAY_THEN_VALU_SGPR, t->printed);
    for (uint32_t i = 0; i < zl_wave_loads(t->w); i++)
        zl_wave_line(t, "v_cndmask_b32 v%u, v%u, v%u, vcc", t->r->offset + i, t->r->nowhere,
                     t->r->offset + i);
}

static bool ragged(const zl_wave_text *t) { return t->plan->info.k % t->plan->info.tile_k != 0; }

static void mask_last(zl_wave_text *t)
{
    if (ragged(t) && t->loaded + 1 == t->plan->info.tiles_k) mask(t);
}

static void load_tile(zl_wave_text *t)
{
    mask_last(t);
    for (uint32_t i = 0; i < zl_wave_loads(t->w); i++) load(t, i);
    advance(t);
}

/* ---- from registers to shared memory -------------------------------------------------------- */

static void write_stage(zl_wave_text *t)
{
    zl_wave_line(t, "v_add_u32 v%u, s%d, v%u", t->r->write + 1, ZL_S_NEXT, t->r->write);
}

static void write(zl_wave_text *t, uint32_t at, uint32_t i)
{
    uint32_t from = t->r->loaded + i * WORDS;
    zl_wave_wait_global(t, t->load_last[i]);
    zl_wave_line(t, "ds_write_b128 v%u, v[%u:%u] offset:%u", at, from, from + WORDS - 1,
                 i * part_bytes(t));
    t->shared++;
}

/* ---- fragments ------------------------------------------------------------------------------ */

/* Of set 0 or 1: blocks along M, then along N. */
static uint32_t fragment(const zl_wave_text *t, uint32_t set, uint32_t i)
{
    return t->r->fragment + (set * (t->w->blocks_m + t->w->blocks_n) + i) * WORDS;
}

static void read(zl_wave_text *t, uint32_t set, uint32_t number, uint32_t i)
{
    bool a = i < t->w->blocks_m;
    uint32_t block = a ? i : i - t->w->blocks_m, to = fragment(t, set, i);
    zl_wave_line(t, "ds_read_b128 v[%u:%u], v%u offset:%u", to, to + WORDS - 1,
                 t->r->at[a ? ZLAY_OPERAND_A : ZLAY_OPERAND_B] + number,
                 block * t->plan->info.mma.m * t->w->row_bytes);
    t->read_last[set] = ++t->shared;
}

/* The stage behind the one that is multiplied is the one now. */
static void turn(zl_wave_text *t)
{
    zl_wave_line(t, "s_mov_b32 s%d, s%d", ZL_S_READ, ZL_S_NEXT);
    around_stages(t, ZL_S_NEXT);
    for (uint32_t operand = 0; operand < 2; operand++)
        for (uint32_t i = 0; i < t->w->reads; i++)
            zl_wave_line(t, "v_add_u32 v%u, s%d, v%u", t->r->at[operand] + i, ZL_S_READ,
                         t->r->read[operand] + i);
}

/* ---- products --------------------------------------------------------------------------------- */

static void side_print(zl_wave_text *t, const side *s)
{
    switch (s->kind) {
    case READ: read(t, s->set, s->read, s->i); break;
    case STAGE: write_stage(t); break;
    case WRITE: write(t, t->r->write + 1, s->i); break;
    case LOAD: load(t, s->i); break;
    case ADVANCE: advance(t); break;
    }
}

static void product(zl_wave_text *t, uint32_t set, uint32_t part, uint32_t m, uint32_t n)
{
    const zlay_mma *mma = &t->plan->info.mma;
    uint32_t words = WORDS / t->w->read_products, sums = mma->m * mma->n / t->w->lanes;
    uint32_t a = fragment(t, set, t->w->blocks_m + n) + part * words;
    uint32_t b = fragment(t, set, m) + part * words, d = (m * t->w->blocks_n + n) * sums;
    zl_wave_line(t, "v_mfma_f32_%ux%ux%u%s a[%u:%u], v[%u:%u], v[%u:%u], a[%u:%u]", mma->m, mma->n,
                 mma->k, t->w->read_products == 2 ? "bf16_1k" : "_bf16", d, d + sums - 1, a,
                 a + words - 1, b, b + words - 1, d, d + sums - 1);
    t->product = t->printed;
}

/* All products of one read, what stands beside them spread evenly between them. */
static void products(zl_wave_text *t, uint32_t set, const sides *s)
{
    const zlay_wave_gemm *w = t->w;
    uint32_t total = w->read_products * w->blocks_m * w->blocks_n, done = 0;
    for (uint32_t i = 0; i < total; i++) {
        uint32_t block = i % (w->blocks_m * w->blocks_n);
        product(t, set, i / (w->blocks_m * w->blocks_n), block / w->blocks_n, block % w->blocks_n);
        while (done < s->count && done * total < (i + 1) * s->count)
            side_print(t, &s->list[done++]);
    }
}

static void add_reads(const zl_wave_text *t, sides *s, uint32_t set, uint32_t number)
{
    for (uint32_t i = 0; i < t->w->blocks_m + t->w->blocks_n; i++)
        add(s, (side){READ, i, number, set});
}

/* Each write makes room for the load of the tile after the next. */
static void add_writes(const zl_wave_text *t, sides *s, const behind *step)
{
    if (!step->next) return;
    add(s, (side){.kind = STAGE});
    for (uint32_t i = 0; i < zl_wave_loads(t->w); i++) {
        add(s, (side){.kind = WRITE, .i = i});
        if (step->load) add(s, (side){.kind = LOAD, .i = i});
    }
    if (step->load) add(s, (side){.kind = ADVANCE});
}

static void add_loads(const zl_wave_text *t, sides *s, const behind *step)
{
    if (!step->load) return;
    for (uint32_t i = 0; i < zl_wave_loads(t->w); i++) add(s, (side){.kind = LOAD, .i = i});
    add(s, (side){.kind = ADVANCE});
}

/* All waves have read this stage and written the next one. */
static void meet(zl_wave_text *t)
{
    if (t->w->direct) {
        zl_wave_wait_global(t, t->load_last[t->tile_first++ % ZL_QUEUE]);
        t->tiles--;
    }
    zl_wave_wait_shared(t, t->shared);
    zl_wave_line(t, "s_barrier");
    turn(t);
}

static void step_print(zl_wave_text *t, const behind *step)
{
    uint32_t reads = t->w->reads;
    for (uint32_t i = 0; i < reads; i++) {
        sides s = {.count = 0};
        if (i + 1 < reads) add_reads(t, &s, (i + 1) % 2, i + 1);
        else if (step->next) add_reads(t, &s, 0, 0);
        if (!t->w->direct && i + 2 == reads) add_writes(t, &s, step);
        if (t->w->direct && i == 0) add_loads(t, &s, step);
        if (i + 1 == reads && step->next) meet(t);
        else zl_wave_wait_shared(t, t->read_last[i % 2]);
        products(t, i % 2, &s);
    }
}

/* ---- the loop ----------------------------------------------------------------------------------- */

/* Steps that load, then those that have nothing left to load. */
static void loop(zl_wave_text *t, uint64_t rounds)
{
    uint32_t label = t->label++;
    uint64_t loaded = t->loaded;
    if (!rounds) return;
    zl_wave_line(t, "s_mov_b32 s%d, 0x%llx", ZL_S_LEFT, (unsigned long long)rounds);
    zl_putf(t->out, ".Lloop%u:\n", label);
    if (ragged(t)) {
        zl_wave_line(t, "s_cmp_lg_u32 s%d, 1", ZL_S_LEFT);
        zl_wave_line(t, "s_cbranch_scc1 .Lwhole%u", label);
        mask(t);
        zl_putf(t->out, ".Lwhole%u:\n", label);
    }
    step_print(t, &(behind){.load = true, .next = true});
    zl_wave_line(t, "s_sub_u32 s%d, s%d, 1", ZL_S_LEFT, ZL_S_LEFT);
    zl_wave_line(t, "s_cmp_lg_u32 s%d, 0", ZL_S_LEFT);
    zl_wave_line(t, "s_cbranch_scc1 .Lloop%u", label);
    t->loaded = loaded + rounds;
}

static uint64_t lesser(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* The first stage is there, and its first fragments are on their way. */
static void begin(zl_wave_text *t)
{
    uint64_t tiles = t->plan->info.tiles_k;
    if (t->w->direct) {
        for (uint64_t i = 0; i < lesser(tiles, t->w->ahead); i++) load_tile(t);
        zl_wave_wait_global(t, t->load_last[t->tile_first++ % ZL_QUEUE]);
        t->tiles--;
    } else {
        load_tile(t);
        if (tiles > 1) mask_last(t);
        for (uint32_t i = 0; i < zl_wave_loads(t->w); i++) {
            write(t, t->r->write, i);
            if (tiles > 1) load(t, i);
        }
        if (tiles > 1) advance(t);
        zl_wave_wait_shared(t, t->shared);
    }
    zl_wave_line(t, "s_barrier");
    for (uint32_t i = 0; i < t->w->blocks_m + t->w->blocks_n; i++) read(t, 0, 0, i);
}

void zl_wave_multiply(zl_wave_text *t)
{
    uint64_t tiles = t->plan->info.tiles_k, ahead = t->w->ahead;
    begin(t);
    loop(t, tiles > ahead ? tiles - ahead : 0);
    for (uint64_t i = lesser(tiles, ahead); i-- > 0;)
        step_print(t, &(behind){.load = false, .next = i > 0});
}
