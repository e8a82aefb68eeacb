/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the products of a pipe's kernel (wgmma, tcgen05.mma and mma.sync) and its accesses of tensor memory
 * (alloc, ld, st, cp). A product is one instruction for each step of K and each part of the rows;
 * its descriptors are the words that product.c found plus the stage's address. wgmma is the one
 * instruction that is not printed by its form: its list of registers is as long as the tile. */
#include "emit/pipe/pipe.h"

#include <stdio.h>
#include <zlay/smemdesc.h>

enum {
    REGISTERS_A = 4,  /* of a step of K, A in registers */
    COLUMNS_A = 8,    /* of a step of K, A in tensor memory */
    LANES = 32 << 16, /* of a warp, in an address */
    LOAD_MOST = 128,  /* columns of one load */
    WARPS = 4,
    LANES_ALL = 128,
    ROWS = 4096,
    ROWS_COLUMNS = 8,
    FACTORS = 512,
    FACTORS_COLUMNS = 4, /* of one tcp */
    PTX_WGMMA = 80,      /* versions of the ISA */
    PTX_MIXED = 84       /* s8 with u8 */
};

/* ---- wgmma --------------------------------------------------------------------------- */

/* Prints registers of an accumulator, or in CUDA C the places of them in the asm. */
static void put_vector(zl_pipe_text *k, int32_t acc, uint32_t first, uint32_t count, uint32_t place)
{
    char name[96];
    for (uint32_t i = 0; i < count; i++) {
        if (i) zl_puts(k->out, ", ");
        if (k->c) zl_putf(k->out, "%%%u", place + i);
        else zl_puts(k->out, zl_pt_acc(k, name, acc, first + i));
    }
}

/* Prints the operands of an asm that bind registers of an accumulator. */
static void put_bound(zl_pipe_text *k, const char *how, int32_t acc, uint32_t first, uint32_t count)
{
    char name[96];
    for (uint32_t i = 0; i < count; i++)
        zl_putf(k->out, i ? ", \"%s\"(%s)" : "\"%s\"(%s)", how, zl_pt_acc(k, name, acc, first + i));
}

/* Prints the operands of a wgmma: the sums, A as registers or descriptor, and the descriptor of
 * B. */
static void put_operands(zl_pipe_text *k, const zl_pt_product *p, uint32_t first, uint32_t step)
{
    uint32_t sums = p->mma.n / 2, next = sums;
    bool registers = p->event->acc_a >= 0;
    zl_puts(k->out, "{");
    put_vector(k, p->event->acc, first, sums, 0);
    zl_puts(k->out, "}, ");
    if (registers) {
        zl_puts(k->out, "{");
        put_vector(k, p->event->acc_a, step * REGISTERS_A, REGISTERS_A, next);
        zl_puts(k->out, "}");
        next += REGISTERS_A;
    } else if (k->c) {
        zl_putf(k->out, "%%%u", next++);
    } else {
        zl_puts(k->out, "da");
    }
    if (k->c) zl_putf(k->out, ", %%%u", next);
    else zl_puts(k->out, ", db");
}

/* Sign modifiers exist for floats only, and only 16-bit types may be transposed. */
static void put_modifiers(zl_pipe_text *k, const zlay_mma *mma, bool fresh)
{
    zl_putf(k->out, ", %d", !fresh);
    if (mma->d != ZLAY_TYPE_S32) zl_puts(k->out, ", 1, 1");
    if (zlay_type_bits(mma->b) == 16 && mma->a_source == ZLAY_SOURCE_SMEM)
        zl_putf(k->out, ", %d", mma->a_major);
    if (zlay_type_bits(mma->b) == 16) zl_putf(k->out, ", %d", mma->b_major);
    zl_puts(k->out, ";");
}

/* Prints one wgmma, in CUDA C as inline asm. */
static void put_wgmma(zl_pipe_text *k, const zl_pt_product *p, uint32_t first, uint32_t step,
                      bool fresh)
{
    bool registers = p->event->acc_a >= 0;
    zl_puts(k->out, k->c ? "        asm volatile(\"" : "    ");
    zl_putf(k->out, "wgmma.mma_async.sync.aligned.m%un%uk%u.%s.%s.%s ", p->mma.m, p->mma.n,
            p->mma.k, zlay_type_name(p->mma.d), zlay_type_name(p->mma.a), zlay_type_name(p->mma.b));
    put_operands(k, p, first, step);
    put_modifiers(k, &p->mma, fresh);
    if (!k->c) {
        zl_puts(k->out, "\n");
        return;
    }
    zl_puts(k->out, "\" : ");
    put_bound(k, "+r", p->event->acc, first, p->mma.n / 2);
    zl_puts(k->out, " : ");
    if (registers) put_bound(k, "r", p->event->acc_a, step * REGISTERS_A, REGISTERS_A);
    else zl_puts(k->out, "\"l\"(da)");
    zl_puts(k->out, ", \"l\"(db) : \"memory\");\n");
}

/* Whether a fence stands directly before a product. One stands before a product that begins sums;
 * a product that goes on has one printed, for the compiler would put it in, and make products wait
 * for each other where it cannot. */
static bool fenced(const zl_pipe_text *k, const zl_event *event)
{
    const zl_event *before = event - 1;
    return event->fresh || (before >= &k->pipe->events[k->role->begin] &&
                            before->kind == ZL_EV_FENCE && before->scope == ZL_FENCE_WGMMA);
}

/* Whether registers are what a body of the role makes of a stage, as of packed weights. */
static bool loaded(const zl_pipe_text *k, int32_t acc)
{
    bool stage = false, own = false;
    int32_t bound[ZL_BODY_OPERANDS];
    for (uint32_t i = k->role->begin; i < k->role->end && !(stage && own); i++) {
        const zl_event *e = &k->pipe->events[i];
        if (e->kind != ZL_EV_USE || e->body < 0) continue;
        const zlay_body *body = k->pipe->bodies[e->body].body;
        zl_pt_bind(e, body, bound);
        stage = own = false;
        for (uint32_t o = 0; o < body->operands_count; o++) {
            stage |= body->operands[o].sort == ZLAY_BODY_SHARED;
            own |= bound[o] == acc;
        }
    }
    return stage && own;
}

/* db = the descriptor of B at a step. Beside a factor that is loaded `da` keeps that of the first step. Beside one that stands
 * in registers for long, as in attention, ptxas serialises products with such sums (C7511). */
static void factor_of_step(zl_pipe_text *k, const zl_pt_product *p, const char *low, uint32_t step)
{
    const zl_pt_operand *b = &p->operand[1];
    if (p->event->acc_a < 0 || !loaded(k, p->event->acc_a)) {
        zl_pt_descriptor(k, "db", low, b->word, b->step[step]);
        return;
    }
    if (!step) zl_pt_descriptor(k, "da", low, b->word, b->step[0]);
    zl_pt_descriptor_from(k, "db", "da", b->step[step] - b->step[0]);
}

/* Prints the products of a stage by wgmma; each instance of a role has rows of its own. */
static void wgmma(zl_pipe_text *k, const zl_event *event, const zl_pt_product *product)
{
    char room_a[24], room_b[24];
    zl_pt_product own = *product, *p = &own;
    const zl_pt_operand *a = &p->operand[0];
    bool shared = event->smem[0] >= 0;
    const char *low_a = shared ? zl_pt_low(k, room_a, "at", p, 0) : NULL;
    const char *low_b = zl_pt_low(k, room_b, "to", p, 1);
    uint32_t least = p->mma.a != p->mma.b && p->mma.d == ZLAY_TYPE_S32 ? PTX_MIXED : PTX_WGMMA;
    if (k->ptx < least) k->ptx = least;
    if (k->width) p->mma.n = k->width;
    if (!fenced(k, event)) zl_say_plain(k, NULL, "wgmma.fence");
    for (uint32_t part = 0; part < a->parts; part++)
        for (uint32_t step = 0; step < p->steps; step++) {
            if (shared) zl_pt_descriptor(k, "da", low_a, a->word, part * a->rows + a->step[step]);
            factor_of_step(k, p, low_b, step);
            put_wgmma(k, p, part * p->mma.n / 2, step, event->fresh && !step);
        }
}

/* ---- tcgen05 --------------------------------------------------------------------------- */

/* to = the address of a stage of tensor memory: the allocation's address from shared memory plus
 * columns. */
static void tmem_address(zl_pipe_text *k, const char *to, int32_t tmem, const zl_pos *pos)
{
    char room[24], name[24];
    const zl_tmem *t = &k->pipe->tmems[tmem];
    zl_op(k, ADD, "near", "smem", zl_pt_number(room, k->tmem_at[tmem]));
    zl_say(k, NULL, "ld.s.b32", 1, to, "near");
    if (t->stages == 1) return;
    zl_op(k, MOV, "slot", zl_pt_slot(k, name, pos, t->stages));
    zl_op(k, MAD, to, "slot", zl_pt_number(room, t->columns), to);
}

/* Prints the products of a stage by tcgen05.mma, which one thread issues. */
static void tcgen05(zl_pipe_text *k, const zl_event *event, const zl_pt_product *p)
{
    static const char *const kinds[] = {"", "f16", "tf32", "f8f6f4", "i8", "mxf8f6f4.block32", "mxf4.block32",
                                        "mxf4nvf4.block16"};
    char id[64], idesc[24], room[24], room_a[24], room_b[24];
    const zl_pt_operand *a = &p->operand[0], *b = &p->operand[1];
    bool shared = event->smem[0] >= 0, scaled = shared && event->tmem[1] >= 0;
    const char *low_a = shared ? zl_pt_low(k, room_a, "at", p, 0) : NULL;
    if (!shared) tmem_address(k, "at", event->tmem[1], &event->tmem_at[1]);
    const char *low_b = zl_pt_low(k, room_b, "to", p, 1);
    tmem_address(k, "taddr", event->tmem[0], &event->tmem_at[0]);
    if (scaled) tmem_address(k, "far", event->tmem[1], &event->tmem_at[1]);
    snprintf(id, sizeof id, "tcgen05.mma.cg%u.%s.%s", p->mma.cta_group, kinds[p->mma.kind],
             shared ? "ss" : "ts");
    for (uint32_t step = 0; step < p->steps; step++) {
        if (!step || p->idesc[step] != p->idesc[step - 1]) zl_op(k, MOV, "index", zl_pt_number(idesc, p->idesc[step]));
        if (scaled) zl_op(k, ADD, "x0", "far", zl_pt_number(room, p->scales[0][step]));
        if (scaled) zl_op(k, ADD, "x1", "far", zl_pt_number(room, p->scales[1][step]));
        if (shared) zl_pt_descriptor(k, "da", low_a, a->word, a->step[step]);
        else if (step) zl_op(k, ADD, "at", "at", zl_pt_number(room, COLUMNS_A));
        zl_pt_descriptor(k, "db", low_b, b->word, b->step[step]);
        zl_op(k, MOV, "w0", event->fresh && !step ? "0" : "1");
        zl_op(k, EQ, "more", "w0", "1");
        if (scaled) zl_say(k, zl_pt_one(k), id, 0, "taddr", "da", "db", "index", "x0", "x1", "more");
        else zl_say(k, zl_pt_one(k), id, 0, "taddr", shared ? "da" : "at", "db", "index", "more");
    }
}

/* ---- mma.sync --------------------------------------------------------------------------- */

/* Prints one instruction: registers of a block of sums, of a block of rows and of one of columns at a step of K. */
static void say_sync(zl_pipe_text *k, const zl_pt_product *p, const char *id, uint32_t step, uint32_t row, uint32_t column)
{
    char names[10][96];
    const char *operands[14];
    const uint32_t *blocks = p->warps.blocks;
    for (uint32_t i = 0; i < 4; i++) {
        operands[i] = operands[10 + i] = zl_pt_acc(k, names[i], p->event->acc, 4 * (row * blocks[1] + column) + i);
        operands[4 + i] = zl_pt_acc(k, names[4 + i], p->event->acc_a, 4 * (step * blocks[0] + row) + i);
    }
    for (uint32_t i = 0; i < 2; i++)
        operands[8 + i] = zl_pt_acc(k, names[8 + i], p->event->acc_b, 2 * (step * blocks[1] + column) + i);
    zl_pt_say(k, NULL, id, 4, operands);
}

/* Prints the products of a stage by mma.sync; sums that begin are zeros before. */
static void sync(zl_pipe_text *k, const zl_event *event, const zl_pt_product *p)
{
    char id[ZL_SYNC_NAME], name[96];
    const uint32_t *blocks = p->warps.blocks;
    zl_sync_form(id, k->ask->target, p->mma.a, p->mma.b);
    for (uint32_t i = 0; event->fresh && i < blocks[0] * blocks[1] * 4; i++)
        zl_op(k, MOV, zl_pt_acc(k, name, event->acc, i), "0");
    for (uint32_t step = 0; step < p->steps; step++)
        for (uint32_t row = 0; row < blocks[0]; row++)
            for (uint32_t column = 0; column < blocks[1]; column++) say_sync(k, p, id, step, row, column);
}

void zl_pt_mma(zl_pipe_text *k, const zl_event *event)
{
    const zl_pt_product *p = zl_pt_product_of(k, event);
    if (event->acc_b >= 0) sync(k, event, p);
    else if (event->tmem[0] >= 0) tcgen05(k, event, p);
    else wgmma(k, event, p);
}

/* taddr: the first column of the warp's lanes. */
static void warp_address(zl_pipe_text *k, const zl_event *event)
{
    char room[24];
    tmem_address(k, "taddr", event->tmem[0], &event->tmem_at[0]);
    zl_op(k, AND, "w0", "warp", zl_pt_number(room, WARPS - 1));
    zl_op(k, MAD, "taddr", "w0", zl_pt_number(room, LANES), "taddr");
    if (event->columns[0]) zl_op(k, ADD, "taddr", "taddr", zl_pt_number(room, event->columns[0]));
}

/* Prints one load or store of so many columns of the warp's lanes. */
static void load_columns(zl_pipe_text *k, const zl_event *event, uint32_t first, uint32_t count)
{
    char names[LOAD_MOST][96], id[32];
    const char *operands[LOAD_MOST + 2];
    bool load = event->kind == ZL_EV_TLD;
    for (uint32_t i = 0; i < count; i++)
        operands[i + !load] = zl_pt_acc(k, names[i], event->acc, first + i);
    operands[load ? count : 0] = "taddr";
    snprintf(id, sizeof id, "tcgen05.%s.32x32b.x%u", load ? "ld" : "st", count);
    zl_pt_say(k, NULL, id, load ? count : 0, operands);
}

/* Each warp that has lanes of the event accesses its columns, in powers of two. */
static void load_store(zl_pipe_text *k, const zl_event *event)
{
    char room[24], first[24];
    uint32_t left = event->columns[1] - event->columns[0] + 1, at = 0;
    bool some = event->lanes[0] || event->lanes[1] < LANES_ALL - 1;
    warp_address(k, event);
    if (some) {
        zl_op(k, MUL, "w0", "w0", "32");
        zl_op(k, LT, "more", "w0", zl_pt_number(room, event->lanes[1] + 1));
        if (event->lanes[0]) zl_op(k, BELOW, "more", zl_pt_number(first, event->lanes[0]), "w0");
        zl_pt_when(k, "more");
    }
    while (left) {
        uint32_t n = 1;
        while (n * 2 <= left && n * 2 <= LOAD_MOST) n *= 2;
        load_columns(k, event, at, n);
        left -= n;
        at += n;
        if (left) zl_op(k, ADD, "taddr", "taddr", zl_pt_number(room, n));
    }
    if (some) zl_pt_when_end(k);
}

/* Prints copies from shared to tensor memory. In shared memory core matrices of 8 rows of 16 bytes
 * lie one after the other, along K first. */
static void copy_in(zl_pipe_text *k, const zl_event *event)
{
    char id[64], room[24];
    uint64_t word = 0, bytes = (uint64_t)k->pipe->smems[event->smem[0]].bytes;
    bool rows = bytes % ROWS == 0 && !zl_pt_is_scales(k, event->tmem[0]), pair = k->pipe->tmems[event->tmem[0]].pair;
    const zlay_smemdesc fields = {
        .lbo = 128, .sbo = rows ? 256 : 128, .swizzle = ZLAY_SWIZZLE_NONE};
    if (bytes % FACTORS)
        zl_pt_fail(k, "tcp of %llu bytes, no multiple of 512", (unsigned long long)bytes);
    zlay_smemdesc_pack(&word, k->ask->target, &fields);
    zl_pt_stage(k, "at", event->smem[0], &event->at[0]);
    tmem_address(k, "taddr", event->tmem[0], &event->tmem_at[0]);
    snprintf(id, sizeof id, "tcgen05.cp.cg%d.%s", pair ? 2 : 1, rows ? "128x256b" : "32x128b");
    uint32_t each = rows ? ROWS : FACTORS;
    zl_op(k, SHR, "at", "at", "4");
    zl_op(k, ADD, "at", "at", zl_pt_number(room, (uint32_t)word));
    for (uint32_t more = 0; more + each <= bytes; more += each) {
        zl_pt_descriptor(k, "da", "at", word, more);
        zl_say(k, zl_pt_one(k), id, 0, "taddr", "da");
        zl_op(k, ADD, "taddr", "taddr", zl_pt_number(room, rows ? ROWS_COLUMNS : FACTORS_COLUMNS));
    }
}

/* Prints what the first warp of a role runs alone. */
static void by_warp(zl_pipe_text *k, const zl_event *event)
{
    char id[64], columns[24], room[24];
    const zl_tmem *t = event->tmem[0] >= 0 ? &k->pipe->tmems[event->tmem[0]] : NULL;
    bool pair = t ? t->pair : k->pipe->tmems_count && k->pipe->tmems[0].pair;
    zl_op(k, EQ, "more", k->role ? "rwarp" : "warp", "0");
    zl_pt_when(k, "more");
    if (t) zl_op(k, ADD, "at", "smem", zl_pt_number(room, k->tmem_at[event->tmem[0]]));
    if (t) zl_pt_number(columns, (uint64_t)t->columns * t->stages);
    snprintf(id, sizeof id, "tcgen05.%s.cg%d",
             !t                           ? "relinquish"
             : event->kind == ZL_EV_ALLOC ? "alloc"
                                          : "dealloc",
             pair ? 2 : 1);
    if (event->kind == ZL_EV_DEALLOC) zl_say(k, NULL, "ld.s.b32", 1, "taddr", "at");
    if (event->kind == ZL_EV_ALLOC) zl_say(k, NULL, id, 0, "at", columns);
    else if (t) zl_say(k, NULL, id, 0, "taddr", columns);
    else zl_say_plain(k, NULL, id);
    zl_pt_when_end(k);
}

void zl_pt_tmem(zl_pipe_text *k, const zl_event *event)
{
    if (event->kind == ZL_EV_TCP) copy_in(k, event);
    else if (event->kind == ZL_EV_TLD || event->kind == ZL_EV_TST) load_store(k, event);
    else by_warp(k, event);
}
