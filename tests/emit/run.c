/* SPDX-License-Identifier: Apache-2.0 */
/* The PTX of kernels, executed thread by thread: every tile once, every wait in its phase, every
 * element of A, B and D where plan and request say. */
#include "plans.h"
#include "pipes/ptx.h"

#include <stdbool.h>

enum {
    A = ZLAY_OPERAND_A,
    B = ZLAY_OPERAND_B,
    D = ZLAY_OPERAND_D,
    ELEMENT = 2,
    WARPGROUP = 128,
    ROOM = 1 << 19,
    SMEM = 5120
}; /* where dynamic shared memory starts, a multiple of 1024 */

static const uint64_t global[] = {(uint64_t)1 << 40, (uint64_t)2 << 40, (uint64_t)3 << 40};

typedef struct kernel {
    zlay_gemm gemm;
    zlay_plan *plan;
    zlay_plan_summary info;
    zlay_tensormap map[3];
    ptx_program *program;
} kernel;

static void kernel_make(kernel *k, const zlay_gemm *g)
{
    char *text = malloc(ROOM);
    zlay_buf buf = {text, ROOM, 0};
    zlay_ctx *ctx = ctx_new();
    k->gemm = *g;
    k->plan = plan_of(g);
    k->info = info_of(k->plan);
    for (int32_t o = 0; o < 3; o++) k->map[o] = map_of(k->plan, o);
    assert_int_equal(zlay_emit_ptx(ctx, &buf, k->plan, "g", 1), ZLAY_OK);
    k->program = ptx_parse(text);
    static const char *const pointers[] = {"ptr_a", "ptr_b", "ptr_d"}, *const maps[] = {"tensor_a",
                                                                                        "tensor_b",
                                                                                        "tensor_d"};
    for (int o = 0; o < 3; o++) ptx_set(k->program, pointers[o], global[o]);
    for (int o = 0; o < 3; o++) ptx_set(k->program, maps[o], (uint64_t)o + 77);
    ptx_set(k->program, "$smem", SMEM);
    for (uint32_t i = 0; i < 128; i++) {
        char name[16];
        snprintf(name, sizeof name, "acc_C_%u", i);
        ptx_set(k->program, name, i);
    }
    zlay_ctx_free(ctx);
    free(text);
}

static void kernel_free(kernel *k)
{
    ptx_free(k->program);
    zlay_plan_free(k->plan);
}

static uint64_t tiles_of(const kernel *k) { return k->info.tiles_m * k->info.tiles_n; }

static void wrong(const kernel *k, const ptx_run *r, const char *what)
{
    fail_msg("%s: %s: tile %llu, %llu: %s", gemm_text(&k->gemm), what,
             (unsigned long long)ptx_value(r, "row"), (unsigned long long)ptx_value(r, "column"),
             r->line->op);
}

static bool is(const ptx_run *r, const char *op) { return !strncmp(r->line->op, op, strlen(op)); }

/* ---- the ring -------------------------------------------------------------- */

/* What one thread did so far: it waits for position `at` of the ring, its group of barriers
 * published or released `done` of them. */
typedef struct ring {
    const kernel *k;
    bool producer;
    uint64_t syncs;
    uint64_t waits, done, copies, steps;
    uint64_t *visits, count; /* tile indices in order, as tm + tiles_m * tn */
} ring;

static uint64_t bar_address(const kernel *k, bool empty, uint64_t position)
{
    return SMEM + k->info.smem_bar + 8 * ((empty ? k->info.stages : 0) + position % k->info.stages);
}

static void see_wait(ring *g, const ptx_run *r)
{
    const kernel *k = g->k;
    uint64_t position = g->waits++, round = position / k->info.stages;
    if (ptx_arg(r, 1) != bar_address(k, g->producer, position))
        wrong(k, r, "waits at another barrier");
    if (ptx_arg(r, 2) != (round + g->producer) % 2) wrong(k, r, "waits for another phase");
    if (!g->producer && g->steps != position * k->info.k_steps) wrong(k, r, "left out a wgmma");
    if (g->producer && g->copies) wrong(k, r, "left out a copy");
    if (position % k->info.tiles_k) return;
    assert_true(ptx_value(r, "row") < k->info.tiles_m && ptx_value(r, "column") < k->info.tiles_n);
    g->visits[g->count++] = ptx_value(r, "row") + k->info.tiles_m * ptx_value(r, "column");
}

static uint64_t tensor_loads(const kernel *k)
{
    uint64_t count = 0;
    for (int32_t o = 0; o < 2; o++)
        if (copy_of(k->plan, o, 0).kind == ZLAY_COPY_TENSOR_LOAD) count += copies_of(k->plan, o);
    return count;
}

/* Positions are published or released in order, and none before it was waited for. */
static void see_arrive(ring *g, const ptx_run *r)
{
    const kernel *k = g->k;
    bool expects = is(r, "mbarrier.arrive.expect_tx");
    uint64_t at = ptx_arg(r, 1);
    if (at != bar_address(k, !g->producer, g->done++)) wrong(k, r, "arrives at another barrier");
    if (g->done > g->waits) wrong(k, r, "arrives before it waited");
    if (expects != (g->producer && k->info.full_count == 1)) wrong(k, r, "arrives otherwise");
    if (expects && ptx_arg(r, 2) != k->info.expect_bytes) wrong(k, r, "expects other bytes");
    if (expects) g->copies = tensor_loads(k);
}

static void see_expect(ring *g, const ptx_run *r)
{
    if (ptx_arg(r, 0) != bar_address(g->k, false, g->waits - 1))
        wrong(g->k, r, "expects at another barrier");
    if (ptx_arg(r, 1) != g->k->info.expect_bytes) wrong(g->k, r, "expects other bytes");
    g->copies = tensor_loads(g->k);
}

/* A coordinate of a copy at step `kt` of its tile. */
static int64_t place_of(const zlay_copy *c, const ptx_run *r, int dim, uint64_t kt)
{
    return c->coordinate[dim] + c->advance[dim][0] * (int64_t)ptx_value(r, "row") +
           c->advance[dim][1] * (int64_t)ptx_value(r, "column") +
           c->advance[dim][2] * (int64_t)kt;
}

static uint64_t stage_address(const kernel *k, int32_t operand, uint64_t position)
{
    uint64_t slot = position % k->info.stages;
    return SMEM + (operand == A ? k->info.smem_a + slot * k->info.pitch_a
                                : k->info.smem_b + slot * k->info.pitch_b);
}

/* One of the plan's copies, to its place in the stage that was waited for. */
static void see_tensor_load(ring *g, const ptx_run *r)
{
    const kernel *k = g->k;
    int32_t operand = (int32_t)(ptx_arg(r, 1) - 77);
    bool found = false;
    uint64_t kt = (g->waits - 1) % k->info.tiles_k;
    for (uint32_t i = 0; i < copies_of(k->plan, operand); i++) {
        zlay_copy c = copy_of(k->plan, operand, i);
        found |= ptx_arg(r, 0) == stage_address(k, operand, g->waits - 1) + c.smem &&
                 (int32_t)ptx_arg(r, 2) == place_of(&c, r, 0, kt) &&
                 (int32_t)ptx_arg(r, 3) == place_of(&c, r, 1, kt);
    }
    if (!found) wrong(k, r, "a copy that the plan has not");
    if (ptx_arg(r, 4) != bar_address(k, false, g->waits - 1))
        wrong(k, r, "signals another barrier");
    if (!g->copies--) wrong(k, r, "a copy that nobody expects");
}

static bool k_inner(const kernel *k, int32_t operand)
{
    return operand == D ||
           (operand == A ? k->info.mma.a_major : k->info.mma.b_major) == ZLAY_MAJOR_K;
}

/* The descriptors of the step, each for the address where its stage lies. Nothing reads the leading offset of an operand
 * that is one row of the swizzle wide along M or N. */
static void see_multiply(ring *g, const ptx_run *r, uint32_t consumer)
{
    const kernel *k = g->k;
    uint32_t step = (uint32_t)(g->steps % k->info.k_steps), count = k->info.mma.n / 2;
    for (int32_t operand = 0; operand < 2; operand++) {
        zlay_smemdesc d;
        uint64_t bits;
        assert_int_equal(zlay_plan_desc(&d, k->plan, operand, consumer, step), ZLAY_OK);
        d.start += (uint32_t)stage_address(k, operand, g->waits - 1);
        if (!k_inner(k, operand) && (operand == A ? k->info.mma.m : k->info.mma.n) == 64) d.lbo = 16;
        assert_int_equal(zlay_smemdesc_pack(&bits, k->info.target, &d), ZLAY_OK);
        if (ptx_arg(r, (int)count + operand) != bits)
            wrong(k, r, operand ? "descriptor of B" : "descriptor of A");
    }
    if ((ptx_arg(r, (int)count + 2) == 0) != (g->steps % (k->info.tiles_k * k->info.k_steps) == 0))
        wrong(k, r, "accumulates or not");
    g->steps++;
}

/* All threads of the block once, then a consumer's warpgroup by itself. */
static void see_sync(ring *g, const ptx_run *r)
{
    const kernel *k = g->k;
    uint64_t first = ptx_arg(r, 0), threads = r->line->count > 1 ? ptx_arg(r, 1) : k->info.threads;
    if (!g->syncs++ && (first != 0 || threads != k->info.threads))
        wrong(k, r, "the block is not whole");
    if (g->syncs > 1 && (g->producer || threads != WARPGROUP))
        wrong(k, r, "another group of threads");
    if (g->syncs > 1 && (first != 1 + ptx_value(r, "instance")))
        wrong(k, r, "consumers share a barrier");
}

static void see_ring(ptx_run *r)
{
    ring *g = r->test;
    if (is(r, "mbarrier.init") || is(r, "fence.mbarrier_init")) return;
    if (is(r, "mbarrier.try_wait")) see_wait(g, r);
    else if (is(r, "mbarrier.arrive")) see_arrive(g, r);
    else if (is(r, "mbarrier.expect_tx")) see_expect(g, r);
    else if (is(r, "cp.async.bulk.tensor.2d.shared")) see_tensor_load(g, r);
    else if (is(r, "bar.sync")) see_sync(g, r);
    else if (is(r, "wgmma.mma_async")) see_multiply(g, r, (uint32_t)ptx_value(r, "instance"));
}

/* The first thread of a role in one block of `blocks`: the tiles it saw, in order. */
static void run_ring(const kernel *k, uint32_t role, uint32_t block, uint32_t blocks, ring *g)
{
    *g = (ring){.k = k, .producer = role == 0};
    g->visits = calloc(tiles_of(k) + 1, sizeof *g->visits);
    ptx_thread(k->program, role * WARPGROUP, block, blocks, see_ring, g);
    if (g->done != g->waits || g->waits != g->count * k->info.tiles_k || g->copies)
        fail_msg("%s: role %u ends in the middle", gemm_text(&k->gemm), role);
    if (role && g->steps != g->waits * k->info.k_steps)
        fail_msg("%s: too few wgmma", gemm_text(&k->gemm));
}

/* All blocks together compute each tile once, and the roles of a block agree. */
static void check_rings(const kernel *k, uint32_t blocks)
{
    unsigned char *seen = calloc(tiles_of(k), 1);
    for (uint32_t block = 0; block < blocks; block++) {
        ring producer, consumer;
        run_ring(k, 0, block, blocks, &producer);
        for (uint64_t i = 0; i < producer.count; i++)
            assert_int_equal(seen[producer.visits[i]]++, 0);
        for (uint32_t role = 1; role <= k->info.consumers; role++) {
            run_ring(k, role, block, blocks, &consumer);
            assert_int_equal(consumer.count, producer.count);
            assert_memory_equal(consumer.visits, producer.visits,
                                (producer.count + 1) * sizeof *producer.visits);
            free(consumer.visits);
        }
        free(producer.visits);
    }
    for (uint64_t i = 0; i < tiles_of(k); i++) assert_int_equal(seen[i], 1);
    free(seen);
}

static void test_rings(void **unused)
{
    (void)unused;
    for (uint32_t i = 0; i < VARIED; i++) {
        kernel k;
        zlay_gemm g = gemm_varied(i);
        if (g.k > 500) g.k /= 4;
        kernel_make(&k, &g);
        check_rings(&k, 1 + i % 4);
        kernel_free(&k);
    }
}

/* More rows of tiles than a group has, and a last group that is not whole. */
static void test_groups(void **unused)
{
    (void)unused;
    static const uint64_t sizes[][2] = {{16, 3}, {17, 1}, {40, 5}, {1, 40}, {33, 2}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        kernel k;
        zlay_gemm g = gemm_of(64 * sizes[i][0] - 1, 64 * sizes[i][1] - 7, 64);
        g.tile_m = g.tile_n = 64;
        kernel_make(&k, &g);
        assert_int_equal(tiles_of(&k), sizes[i][0] * sizes[i][1]);
        check_rings(&k, 7);
        kernel_free(&k);
    }
}

/* ---- elements moved by threads ------------------------------------------------ */

/* Which (mn, k) of a tile lies at an offset of shared memory, as mn + extent * k; found by asking
 * the layout of all. */
static uint32_t *inverse_of(const kernel *k, int32_t operand)
{
    const zlay_layout *layout = zlay_plan_smem(k->plan, operand);
    uint64_t size = zlay_layout_size(layout);
    uint32_t *inverse = calloc(size, sizeof *inverse);
    for (uint64_t i = 0; i < size; i++) {
        int64_t offset;
        assert_int_equal(zlay_layout_eval(&offset, 1, layout, i), ZLAY_OK);
        assert_true(offset >= 0 && (uint64_t)offset < size);
        inverse[offset] = (uint32_t)i;
    }
    return inverse;
}

typedef struct loads {
    const kernel *k;
    uint64_t waits, done;      /* of this thread */
    uint64_t groups, complete; /* of cp.async: committed, and waited for */
    uint64_t fenced;           /* positions whose writes a proxy fence has followed */
    uint32_t *inverse[2];
    unsigned char *seen[2]; /* of position x element: how often written */
} loads;

/* The global address of element (mn, k) of the planned product's operand, 0 outside it. */
static uint64_t element_address(const kernel *k, int32_t operand, uint64_t mn, uint64_t at_k)
{
    const zlay_tensormap *m = &k->map[operand];
    uint64_t inner = k_inner(k, operand) ? at_k : mn, outer = k_inner(k, operand) ? mn : at_k;
    if (inner >= m->extent[0] || outer >= m->extent[1]) return 0;
    return global[operand] + outer * m->stride[0] + inner * ELEMENT;
}

/* One element arrived at an offset of the stage: `from`, or zero. */
static void see_element(loads *l, const ptx_run *r, int32_t operand, uint64_t offset, uint64_t from)
{
    const kernel *k = l->k;
    uint64_t tile = operand == A ? k->info.tile_m : k->info.tile_n, size = tile * k->info.tile_k;
    uint32_t index = l->inverse[operand][offset / ELEMENT];
    uint64_t mn = index % tile + tile * ptx_value(r, operand == A ? "row" : "column");
    uint64_t at_k = index / tile + k->info.tile_k * ((l->waits - 1) % k->info.tiles_k);
    if (from != element_address(k, operand, mn, at_k)) wrong(k, r, "another element");
    if (l->seen[operand][(l->waits - 1) * size + offset / ELEMENT]++) wrong(k, r, "twice");
}

static bool any_async(const kernel *k)
{
    return copy_of(k->plan, A, 0).kind == ZLAY_COPY_CP_ASYNC ||
           copy_of(k->plan, B, 0).kind == ZLAY_COPY_CP_ASYNC;
}

/* A thread arrives for a stage when its copies have landed and a proxy fence has shown them to
 * wgmma. */
static void see_order(loads *l, const ptx_run *r)
{
    if (is(r, "mbarrier.try_wait")) l->waits++;
    if (is(r, "cp.async.commit_group")) l->groups++;
    if (is(r, "cp.async.wait_group")) l->complete = l->groups - ptx_arg(r, 0);
    if (is(r, "fence.proxy.async.shared::cta"))
        l->fenced = any_async(l->k) ? l->complete : l->waits;
    if (is(r, "mbarrier.arrive") && l->fenced <= l->done++)
        wrong(l->k, r, "a stage is not seen by wgmma");
}

static void see_load(ptx_run *r)
{
    loads *l = r->test;
    see_order(l, r);
    bool async = is(r, "cp.async.ca") || is(r, "cp.async.cg"), plain = is(r, "st.shared");
    if (!async && !plain) return;
    uint64_t to = ptx_arg(r, 0), position = l->waits - 1;
    int32_t operand = to >= SMEM + l->k->info.smem_b ? B : A;
    uint64_t offset = to - stage_address(l->k, operand, position);
    uint32_t bytes = operand == A ? l->k->info.pitch_a : l->k->info.pitch_b;
    uint64_t width = async ? ptx_arg(r, 2) : ELEMENT, whole = async ? ptx_arg(r, 3) : ELEMENT,
             from = ptx_arg(r, 1);
    if (offset >= bytes || offset % width || whole > width) wrong(l->k, r, "outside its stage");
    if (whole && from % width && from) wrong(l->k, r, "misaligned");
    for (uint64_t at = 0; at < width; at += ELEMENT)
        see_element(l, r, operand, offset + at, at < whole && from ? from + at : 0);
}

/* All threads of the producer in one block's only tile: each element of each step once, zeros
 * outside. */
static void check_loads(const kernel *k, uint32_t block)
{
    loads l = {.k = k};
    uint64_t size[2];
    for (int32_t o = 0; o < 2; o++) {
        size[o] = zlay_layout_size(zlay_plan_smem(k->plan, o)) * k->info.tiles_k;
        l.inverse[o] = inverse_of(k, o);
        l.seen[o] = calloc(size[o], 1);
    }
    for (uint32_t thread = 0; thread < WARPGROUP; thread++) {
        l.waits = l.done = l.groups = l.complete = l.fenced = 0;
        ptx_thread(k->program, thread, block, (uint32_t)tiles_of(k), see_load, &l);
    }
    for (int32_t o = 0; o < 2; o++) {
        bool tensor = copy_of(k->plan, o, 0).kind == ZLAY_COPY_TENSOR_LOAD;
        for (uint64_t i = 0; i < size[o]; i++)
            if (l.seen[o][i] != !tensor)
                fail_msg("%s: operand %d: an element is left out", gemm_text(&k->gemm), o);
        free(l.inverse[o]);
        free(l.seen[o]);
    }
}

/* ---- the way of D ----------------------------------------------------------------- */

typedef struct leaving {
    const kernel *k;
    uint32_t thread, stored; /* stmatrix of this thread so far */
    uint32_t *inverse;
    uint32_t (
        *rows)[32]; /* [number of a stmatrix x warp][lane]: the row address that the lane gave */
    uint32_t (*values)[32][4]; /* and its four pairs of accumulators */
    unsigned char *seen;       /* row x column of the tile: how often stored by threads */
    uint32_t tensor;           /* stores by tensor copies */
    bool synced, fenced, waited,
        read; /* since the staging was last written or read; which of both */
} leaving;

static uint32_t per_pass(const kernel *k) { return k->info.pass_n / 16; }

static void see_stmatrix(leaving *l, const ptx_run *r)
{
    uint32_t group = l->thread / 32 + l->k->info.consumers * 4 * l->stored++, lane = l->thread % 32;
    l->rows[group][lane] = (uint32_t)ptx_arg(r, 0);
    for (int i = 0; i < 4; i++) l->values[group][lane][i] = (uint32_t)ptx_arg(r, 1 + i);
}

static uint64_t staging(const leaving *l)
{
    return SMEM + l->k->info.smem_d + l->thread / WARPGROUP * (uint64_t)l->k->info.pitch_d;
}

static void see_tensor_store(leaving *l, const ptx_run *r)
{
    const kernel *k = l->k;
    uint32_t pass = l->stored / per_pass(k) - 1, consumer = l->thread / WARPGROUP;
    zlay_copy c = copy_of(k->plan, D, l->tensor++ % copies_of(k->plan, D));
    if (l->thread % WARPGROUP) wrong(k, r, "a second thread stores");
    if (ptx_arg(r, 0) != 77 + D || ptx_arg(r, 3) != staging(l) + c.smem)
        wrong(k, r, "stores from elsewhere");
    if (ptx_arg(r, 1) != (uint64_t)place_of(&c, r, 0, 0) + pass * k->info.pass_n ||
        ptx_arg(r, 2) != (uint64_t)place_of(&c, r, 1, 0) + consumer * k->info.mma.m)
        wrong(k, r, "stores elsewhere");
}

/* The first element of the access tells all: a vector lies in one row and in one chunk. */
static void see_guarded_store(leaving *l, const ptx_run *r)
{
    const kernel *k = l->k;
    uint32_t pass = l->stored / per_pass(k) - 1, consumer = l->thread / WARPGROUP,
             width = copy_of(k->plan, D, 0).width;
    uint64_t offset = ptx_arg(r, 1) - staging(l);
    if (offset >= k->info.pitch_d || offset % width) wrong(k, r, "reads outside its staging");
    for (uint32_t at = 0; at < width / ELEMENT; at++) {
        uint32_t index = l->inverse[offset / ELEMENT + at];
        uint64_t row = index % k->info.mma.m + consumer * k->info.mma.m,
                 column = index / k->info.mma.m + pass * k->info.pass_n;
        uint64_t m = row + ptx_value(r, "row") * k->info.tile_m,
                 n = column + ptx_value(r, "column") * k->info.tile_n;
        if (ptx_arg(r, 0) + at * ELEMENT != element_address(k, D, m, n))
            wrong(k, r, "stores elsewhere or outside");
        l->seen[row * k->info.tile_n + column]++;
    }
}

/* Staging is read after all have written and, by a tensor store, after a proxy fence; written again
 * after all have read, and a tensor store has. */
static void see_turns(leaving *l, const ptx_run *r)
{
    bool write = is(r, "stmatrix"), store = is(r, "cp.async.bulk.tensor.2d.global"),
         read = store || is(r, "st.global");
    if (is(r, "bar.sync")) l->synced = true;
    if (is(r, "fence.proxy")) l->fenced = !l->synced;
    if (is(r, "cp.async.bulk.wait_group.read")) l->waited = !l->synced;
    if (!write && !read) return;
    if (read != l->read && !l->synced) wrong(l->k, r, "no barrier before");
    if (store && !l->read && !l->fenced) wrong(l->k, r, "no fence before");
    if (write && l->read && l->tensor && !l->waited) wrong(l->k, r, "a store still reads");
    if (write || read != l->read) l->synced = l->fenced = l->waited = false;
    l->read = read;
}

static void see_leaving(ptx_run *r)
{
    leaving *l = r->test;
    see_turns(l, r);
    if (is(r, "stmatrix")) see_stmatrix(l, r);
    else if (is(r, "cp.async.bulk.tensor.2d.global")) see_tensor_store(l, r);
    else if (is(r, "st.global")) see_guarded_store(l, r);
}

/* PTX ISA, stmatrix: lanes 8 q to 8 q + 7 give the rows of matrix q; its element (row, c) is in
 * lane 4 row + c / 2. wgmma, register fragment of D: value i of a thread is row 16 warp + lane / 4
 * + 8 (i / 2 % 2), column 8 (i / 4) + 2 (lane % 4) + i % 2. What lies in the staging after a pass
 * is the tile, by the plan's layout. */
static void check_staged(const leaving *l, uint32_t warp, uint32_t number)
{
    const kernel *k = l->k;
    uint32_t group = warp + k->info.consumers * 4 * number, pass = number / per_pass(k);
    uint64_t base = SMEM + k->info.smem_d + warp / 4 * (uint64_t)k->info.pitch_d;
    for (uint32_t q = 0; q < 4; q++)
        for (uint32_t row = 0; row < 8; row++)
            for (uint32_t c = 0; c < 8; c++) {
                uint32_t lane = 4 * row + c / 2,
                         i = l->values[group][lane][q] >> 16 * (c % 2) & 0xffff;
                uint32_t m = 16 * (warp % 4) + lane / 4 + 8 * (i / 2 % 2),
                         n = 8 * (i / 4) + 2 * (lane % 4) + i % 2;
                uint64_t offset = l->rows[group][8 * q + row] + c * ELEMENT - base;
                assert_true(offset < k->info.pitch_d);
                if (l->inverse[offset / ELEMENT] != m + k->info.mma.m * (n - pass * k->info.pass_n))
                    fail_msg("%s: (%u, %u) of D is staged elsewhere", gemm_text(&k->gemm), m, n);
            }
}

static void check_stored(const leaving *l, uint32_t block)
{
    const kernel *k = l->k;
    bool tensor = copy_of(k->plan, D, 0).kind == ZLAY_COPY_TENSOR_STORE;
    assert_int_equal(l->tensor,
                     tensor ? k->info.consumers * k->info.passes * copies_of(k->plan, D) : 0);
    bool last = block + 1 == tiles_of(k);
    uint64_t m = last ? (k->info.tiles_m - 1) * k->info.tile_m : 0,
             n = last ? (k->info.tiles_n - 1) * k->info.tile_n : 0;
    for (uint32_t row = 0; row < k->info.tile_m; row++)
        for (uint32_t column = 0; column < k->info.tile_n; column++)
            if (l->seen[row * k->info.tile_n + column] !=
                (!tensor && m + row < k->info.m && n + column < k->info.n))
                fail_msg("%s: (%u, %u) is not stored once", gemm_text(&k->gemm), row, column);
}

/* All threads of the consumers in one block's only tile, which is the first or the last. */
static void check_leaving(const kernel *k, uint32_t block)
{
    uint32_t warps = 4 * k->info.consumers, numbers = k->info.passes * per_pass(k);
    leaving l = {.k = k, .inverse = inverse_of(k, D)};
    l.rows = calloc(warps * numbers, sizeof *l.rows);
    l.values = calloc(warps * numbers, sizeof *l.values);
    l.seen = calloc(k->info.tile_m, k->info.tile_n);
    for (l.thread = 0; l.thread < 32 * warps; l.thread++) {
        l.stored = 0;
        l.read = l.fenced = l.waited = false;
        l.synced = true;
        ptx_thread(k->program, WARPGROUP + l.thread, block, (uint32_t)tiles_of(k), see_leaving, &l);
        assert_int_equal(l.stored, numbers);
    }
    for (uint32_t warp = 0; warp < warps; warp++)
        for (uint32_t number = 0; number < numbers; number++) check_staged(&l, warp, number);
    check_stored(&l, block);
    free(l.inverse);
    free(l.rows);
    free(l.values);
    free(l.seen);
}

static void test_elements(void **unused)
{
    (void)unused;
    for (uint32_t i = 0; i < VARIED; i++) {
        kernel k;
        zlay_gemm g = gemm_varied(i);
        while (g.k > 200) g.k = g.k / 3 + 1;
        kernel_make(&k, &g);
        uint32_t last = (uint32_t)tiles_of(&k) - 1;
        if (k.info.full_count > 1) check_loads(&k, 0);
        if (k.info.full_count > 1) check_loads(&k, last);
        check_leaving(&k, 0);
        check_leaving(&k, last);
        kernel_free(&k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rings),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
