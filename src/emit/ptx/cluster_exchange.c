/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a kernel that exchanges registers between the blocks of a cluster through distributed
 * shared memory. All maps are linear over F2: elements that a block wants are numbered by the
 * bits of its slots on which they depend, so the source of an element is an XOR of masks
 * selected by the bits of its number. */
#include "emit/ptx/cluster.h"
#include "synth/cluster/cluster.h"

#include <string.h>
#include <zlay/block.h>

/* The mbarrier lies first in shared memory. What the block holds follows at BASE, which bulk copies
 * may begin at. */
enum { WORD = 4, BITS = 64, BASE = 16, RUN_LEAST = 16, RUN_MOST = 8192 };

/* The exchange as masks over F2; q is the number of a wanted element. For each bit of q, and for
 * each bit of the block's rank: the place of the element's source, and its block, as XORs. For each
 * bit of a slot of dest: the q that it adds. */
typedef struct masks {
    uint32_t held, slots, wanted; /* bits: of source's slots, of dest's, of q */
    uint32_t ranks;
    uint64_t place[BITS], block[BITS];           /* by bit of q */
    uint64_t rank_place[BITS], rank_block[BITS]; /* by bit of the rank */
    uint64_t q[BITS];                            /* by bit of the slot */
    uint32_t run; /* low bits of q whose elements lie in a row on both sides, in one block */
} masks;

/* Splits the source of an element into its place in a block and the block. */
static void served(uint64_t *place, uint64_t *block, const zlay_layout *route, uint32_t bit,
                   uint32_t held)
{
    uint64_t packed = route->f2.basis[bit];
    *place = packed & (((uint64_t)1 << held) - 1);
    *block = packed >> held;
}

/* Numbers the wanted elements by row reduction: a column that earlier ones do not span is the
 * next bit of q. */
static void number_wanted(masks *m, const zlay_exchange *x)
{
    uint64_t vector[BITS], made[BITS], pivot[BITS];
    uint32_t count = 0;
    for (uint32_t bit = 0; bit < m->slots; bit++) {
        uint64_t v = x->dest->f2.basis[bit], q = 0;
        for (uint32_t i = 0; i < count; i++)
            if (v & pivot[i]) v ^= vector[i], q ^= made[i];
        if (!v) {
            m->q[bit] = q;
            continue;
        }
        vector[count] = v;
        pivot[count] = v & -v;
        made[count] = q ^ (uint64_t)1 << count;
        m->q[bit] = (uint64_t)1 << count;
        served(&m->place[count], &m->block[count], x->route, bit, m->held);
        count++;
    }
    m->wanted = count;
}

/* Whether the low `run` bits of q are consecutive places of one block, and all other bits add
 * multiples of that run. */
static bool runs(const masks *m, uint32_t run)
{
    uint64_t inside = ((uint64_t)1 << run) - 1;
    for (uint32_t i = 0; i < run; i++)
        if (m->place[i] != (uint64_t)1 << i || m->block[i]) return false;
    for (uint32_t i = run; i < m->wanted; i++)
        if (m->place[i] & inside) return false;
    for (uint32_t i = 0; i < m->ranks; i++)
        if (m->rank_place[i] & inside) return false;
    return true;
}

/* The longest run that a bulk copy may move; 0: single words. */
static void run_find(masks *m)
{
    for (uint32_t run = 1; run <= m->wanted && (uint64_t)WORD << run <= RUN_MOST; run++)
        if ((uint64_t)WORD << run >= RUN_LEAST && runs(m, run)) m->run = run;
}

static void masks_make(masks *m, const zlay_exchange *x)
{
    *m = (masks){.ranks = (uint32_t)__builtin_ctz(x->info.blocks)};
    m->held = (uint32_t)__builtin_ctzll(x->source->size) - m->ranks;
    m->slots = (uint32_t)__builtin_ctzll(x->dest->size) - m->ranks;
    for (uint32_t i = 0; i < m->ranks; i++)
        served(&m->rank_place[i], &m->rank_block[i], x->route, m->slots + i, m->held);
    number_wanted(m, x);
    run_find(m);
}

/* out ^= the masks selected by the bits of `by`. */
static void combine(zl_cluster_text *k, const char *out, const char *by, const uint64_t *mask,
                    uint32_t count)
{
    zl_emit *e = &k->e;
    for (uint32_t i = 0; i < count; i++) {
        if (!mask[i]) continue;
        zl_emit_line(e, "shr.u32 z, %s, %u;", by, i);
        zl_emit_line(e, "and.b32 z, z, 1;");
        zl_emit_line(e, "mul.lo.u32 z, z, %llu;", (unsigned long long)mask[i]);
        zl_emit_line(e, "xor.b32 %s, %s, z;", out, out);
    }
}

/* w1, w2 = the place and the block where element q of the block `rank` comes from. */
static void server(zl_cluster_text *k, const masks *m, const char *q, const char *rank)
{
    zl_emit *e = &k->e;
    zl_emit_line(e, "mov.u32 w1, 0;");
    zl_emit_line(e, "mov.u32 w2, 0;");
    combine(k, "w1", q, m->place, m->wanted);
    combine(k, "w1", rank, m->rank_place, m->ranks);
    combine(k, "w2", q, m->block, m->wanted);
    combine(k, "w2", rank, m->rank_block, m->ranks);
}

/* out = the shared address of the word of a number, behind an offset. */
static void shared_word(zl_cluster_text *k, const char *out, const char *index, uint64_t base)
{
    zl_emit_line(&k->e, "mad.lo.u32 %s, %s, %d, smem;", out, index, WORD);
    zl_emit_line(&k->e, "add.u32 %s, %s, %llu;", out, out, (unsigned long long)base);
}

/* Copies what the block holds from global to shared memory. */
static void bring(zl_cluster_text *k, const masks *m)
{
    zl_emit *e = &k->e;
    zl_emit_line(e, "shl.b32 z, rank, %u;", m->held);
    zl_emit_line(e, "mad.wide.u32 from, z, %d, from;", WORD);
    zl_cluster_loop(k, "bring", (uint64_t)1 << m->held);
    zl_emit_line(e, "mad.wide.u32 d, at, %d, from;", WORD);
    zl_emit_form(e, "", ZL_FORM_LD_GLOBAL_4, (const char *const[]){"w0", "d"});
    shared_word(k, "z", "at", BASE);
    zl_emit_form(e, "", ZL_FORM_ST_SHARED_4, (const char *const[]){"z", "w0"});
    zl_cluster_next(k, "bring", (uint64_t)1 << m->held);
}

/* Copies the elements that a block already holds, within its shared memory. */
static void stay(zl_cluster_text *k, const masks *m, uint64_t landing)
{
    zl_emit *e = &k->e;
    server(k, m, "at", "rank");
    zl_emit_line(e, "setp.eq.u32 q, w2, rank;");
    shared_word(k, "w3", "w1", BASE);
    shared_word(k, "w4", "at", landing);
    zl_emit_form(e, "@q ", ZL_FORM_LD_SHARED_4, (const char *const[]){"w0", "w3"});
    zl_emit_form(e, "@q ", ZL_FORM_ST_SHARED_4, (const char *const[]){"w4", "w0"});
}

/* For the partner at distance `step`: pushes what this block serves it, counted by the
 * partner's mbarrier. */
static void push(zl_cluster_text *k, const masks *m, uint64_t landing, uint32_t step)
{
    zl_emit *e = &k->e;
    zl_emit_line(e, "xor.b32 w5, rank, %u;", step);
    server(k, m, "w7", "w5");
    zl_emit_line(e, "setp.eq.u32 q, w2, rank;");
    shared_word(k, "w3", "w1", BASE);
    shared_word(k, "w4", "w7", landing);
    zl_emit_form(e, "", ZL_FORM_MAPA, (const char *const[]){"w4", "w4", "w5"});
    zl_emit_form(e, "", ZL_FORM_MAPA, (const char *const[]){"w6", "bar", "w5"});
    if (m->run) {
        zl_emit_line(e, "mov.u32 w0, %u;", (uint32_t)WORD << m->run);
        zl_emit_form(e, "@q ", ZL_FORM_BULK_PEER, (const char *const[]){"w4", "w3", "w0", "w6"});
        return;
    }
    zl_emit_form(e, "@q ", ZL_FORM_LD_SHARED_4, (const char *const[]){"w0", "w3"});
    zl_emit_form(e, "@q ", ZL_FORM_STORE_ASYNC_4, (const char *const[]){"w4", "w0", "w6"});
}

/* A thread a word, or a run, at a time. */
static void push_all(zl_cluster_text *k, const masks *m, const zlay_exchange_summary *info,
                     uint64_t landing)
{
    uint64_t pushes = (uint64_t)1 << (m->wanted - m->run);
    zl_cluster_loop(k, "push", pushes);
    zl_emit_line(&k->e, "shl.b32 w7, at, %u;", m->run);
    for (uint32_t step = 1; step < info->blocks; step++)
        if (info->partners >> step & 1) push(k, m, landing, step);
    zl_cluster_next(k, "push", pushes);
}

/* Stores to global memory, for every slot of dest, the element that has landed for it. */
static void leave(zl_cluster_text *k, const masks *m, uint64_t landing)
{
    zl_emit *e = &k->e;
    zl_emit_line(e, "shl.b32 z, rank, %u;", m->slots);
    zl_emit_line(e, "mad.wide.u32 to, z, %d, to;", WORD);
    zl_cluster_loop(k, "leave", (uint64_t)1 << m->slots);
    zl_emit_line(e, "mov.u32 w1, 0;");
    combine(k, "w1", "at", m->q, m->slots);
    shared_word(k, "w1", "w1", landing);
    zl_emit_form(e, "", ZL_FORM_LD_SHARED_4, (const char *const[]){"w0", "w1"});
    zl_emit_line(e, "mad.wide.u32 d, at, %d, to;", WORD);
    zl_emit_form(e, "", ZL_FORM_ST_GLOBAL_4, (const char *const[]){"d", "w0"});
    zl_cluster_next(k, "leave", (uint64_t)1 << m->slots);
}

/* Counts the elements that a block receives from others. The sources of all q are spread evenly
 * over the blocks that some q reaches, its own perhaps among them. */
static uint64_t incoming(const masks *m, uint32_t rank)
{
    uint32_t reached = 1, home = rank;
    for (uint32_t i = 0; i < m->wanted; i++) {
        uint32_t more = 0;
        for (uint32_t block = 0; block < 16; block++)
            if (reached >> block & 1) more |= 1u << (block ^ m->block[i]);
        reached |= more;
    }
    for (uint32_t i = 0; i < m->ranks; i++)
        if (rank >> i & 1) home ^= (uint32_t)m->rank_block[i];
    uint64_t all = (uint64_t)1 << m->wanted;
    return reached >> home & 1 ? all - all / (uint32_t)__builtin_popcount(reached) : all;
}

/* Expects the bytes that other blocks push to this one; blocks may differ in how many. */
static void expect(zl_cluster_text *k, const masks *m)
{
    zl_emit *e = &k->e;
    zl_emit_line(e, "mov.u32 z, %llu;", (unsigned long long)(incoming(m, 0) * WORD));
    for (uint32_t rank = 1; rank < k->blocks; rank++) {
        if (incoming(m, rank) == incoming(m, 0)) continue;
        zl_emit_line(e, "setp.eq.u32 p, rank, %u;", rank);
        zl_emit_line(e, "selp.b32 z, %llu, z, p;",
                     (unsigned long long)(incoming(m, rank) * WORD));
    }
    zl_cluster_expect(k);
}

/* The offset of what a block receives, aligned for bulk copies. */
static uint64_t landing_of(const masks *m)
{
    uint64_t held = (uint64_t)WORD << m->held;
    return BASE + (held < BASE ? BASE : held);
}

static void body(zl_cluster_text *k)
{
    const zlay_exchange *x = k->plan;
    masks m;
    zl_emit *e = &k->e;
    masks_make(&m, x);
    uint64_t landing = landing_of(&m), elements = (uint64_t)1 << m.wanted;
    zl_emit_line(e, "ld.param.u64 from, [ptr_from];");
    zl_emit_line(e, "cvta.to.global.u64 from, from;");
    zl_emit_line(e, "ld.param.u64 to, [ptr_to];");
    zl_emit_line(e, "cvta.to.global.u64 to, to;");
    zl_emit_line(e, "mov.u32 bar, smem;");
    expect(k, &m);
    bring(k, &m);
    if (m.run) zl_emit_form(e, "", ZL_FORM_FENCE_PROXY, NULL);
    zl_cluster_meet(k);
    push_all(k, &m, &x->info, landing);
    zl_cluster_loop(k, "stay", elements);
    stay(k, &m, landing);
    zl_cluster_next(k, "stay", elements);
    zl_cluster_wait(k);
    zl_emit_form(e, "", ZL_FORM_BAR_SYNC_ALL, (const char *const[]){"0"});
    leave(k, &m, landing);
    zl_cluster_meet(k);
}

static bool block_is_last(const zlay_layout *a)
{
    return !strcmp(a->f2.in[a->f2.ins - 1].name, "block");
}

/* Whether the exchange can be printed: its last input is the block, and it fits shared memory. */
static zlay_status supported(zlay_ctx *ctx, const zlay_target *target, const zlay_exchange *x)
{
    zlay_verdict verdict;
    if (!block_is_last(x->source) || !block_is_last(x->dest))
        return zl_fail(ctx, ZLAY_ENOTSUP, "the last input of source and dest has to be 'block'");
    zlay_status status = zlay_smem_check(&verdict, NULL, 0, target, x->info.smem);
    if (status || verdict.answer == ZLAY_YES) return status;
    return zl_fail(ctx, ZLAY_ENOTSUP, "%llu bytes of shared memory are more than a block has",
                   (unsigned long long)x->info.smem);
}

zlay_status zlay_emit_exchange(zlay_ctx *ctx, zlay_buf *out, const zlay_target *target,
                               const zlay_exchange *exchange, const char *name, size_t length)
{
    if (!out || !target || !exchange || !name) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    zl_cluster_text k = {.target = target, .blocks = exchange->info.blocks, .body = body,
                         .plan = exchange,
                         .parameters = "\n    .param .u64 ptr_from,\n    .param .u64 ptr_to"};
    status = supported(ctx, target, exchange);
    if (!status) status = zl_cluster_print(ctx, out, &k, name, length);
    return zl_leave(ctx, status);
}
