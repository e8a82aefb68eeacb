/* SPDX-License-Identifier: Apache-2.0 */
/* Finds where a fetch takes a factor of mma.sync from a stage, before anything is printed: which row of 16 bytes each lane
 * gives to ldmatrix, as a sum of what the bits of the thread's number add, and what each instruction adds. A matrix has 8
 * rows; of a factor whose K is not contiguous its rows are K, and ldmatrix transposes it. From PTX ISA 9.1, "ldmatrix" and
 * "Matrix Fragments for mma.m16n8k16" and its like. */
#include "emit/pipe/pipe.h"

enum { BYTE = 8, CHUNK = 16 /* bytes of a matrix's row */, EIGHT = 8, WARP_BITS = 5 };

/* A fetch while its places are found. */
typedef struct fetching {
    zl_pipe_text *k;
    zl_pt_placed *out;
    const zl_pt_product *product;
    const zlay_pipe_operand *operand;
    zl_pt_table stage;    /* its columns are K */
    uint32_t half;        /* elements of K in 16 bytes */
    int factor;           /* 0: A, 1: B */
} fetching;

typedef struct fetch_point {
    uint32_t row, k;
} fetch_point;

/* The product of the role that has the registers as a factor; NULL: none. */
static const zl_pt_product *product_of(const zl_pipe_text *k, const zl_event *event, int *factor)
{
    for (uint32_t i = k->role->begin; i < k->role->end; i++) {
        const zl_event *e = &k->pipe->events[i];
        if (e->kind != ZL_EV_MMA || e->acc_b < 0 || (e->acc_a != event->acc && e->acc_b != event->acc)) continue;
        *factor = e->acc_a != event->acc;
        return zl_pt_product_of(k, e);
    }
    return NULL;
}

static uint32_t byte_at(const fetching *f, fetch_point p)
{
    return (uint32_t)((uint64_t)f->stage.place[p.row + f->stage.rows * p.k] * zlay_type_bits(f->operand->type) / BYTE);
}

/* The lowest lanes give the rows of a matrix, the next two bits say which matrix: of A the next 8 rows, then the next 16
 * bytes of K; of B the other way round. */
static fetch_point lane_adds(const fetching *f, uint32_t bit)
{
    bool across = f->operand->major == ZLAY_MAJOR_MN;
    if (bit == 4 && f->out->matrices == 2) return (fetch_point){0, 0}; /* these lanes give no row */
    if (bit < 3) return across ? (fetch_point){0, 1u << bit} : (fetch_point){1u << bit, 0};
    bool along_k = (bit == 3) == (f->factor == 1);
    return along_k ? (fetch_point){0, f->half} : (fetch_point){EIGHT, 0};
}

/* Warps along rows come first; those along the other factor's rows share this one. */
static fetch_point warp_adds(const fetching *f, uint32_t bit)
{
    const zl_sync_warps *w = &f->product->warps;
    uint32_t first = 0, size = f->factor ? ZL_SYNC_COLUMNS : ZL_SYNC_ROWS;
    while (1u << first < w->grid[0]) first++;
    if ((bit < first) != !f->factor) return (fetch_point){0, 0};
    return (fetch_point){w->blocks[f->factor] * size << (f->factor ? bit - first : bit), 0};
}

static fetch_point adds(const fetching *f, uint32_t bit)
{
    return bit < WARP_BITS ? lane_adds(f, bit) : warp_adds(f, bit - WARP_BITS);
}

/* Where the first thread's row of group i begins: blocks of a step first, then steps. */
static fetch_point group_begins(const fetching *f, uint32_t i)
{
    uint32_t blocks = f->product->warps.blocks[f->factor];
    uint32_t taken = f->factor ? f->out->matrices / 2 : 1, each = blocks / taken;
    uint32_t size = f->factor ? ZL_SYNC_COLUMNS * taken : ZL_SYNC_ROWS;
    return (fetch_point){i % each * size, i / each * f->product->mma.k};
}

/* Whether every thread's place is what its bits add to that of thread 0, in bits that do not carry. */
static bool is_linear(const fetching *f, fetch_point first)
{
    uint32_t from = byte_at(f, first), threads = zl_pt_width(f->k);
    for (uint32_t t = 0; t < threads; t++) {
        fetch_point p = first;
        uint32_t sum = 0;
        for (uint32_t b = 0; t >> b; b++) {
            if (!(t >> b & 1)) continue;
            p.row += adds(f, b).row, p.k += adds(f, b).k;
            if (sum & f->out->thread[b]) return false;
            sum |= f->out->thread[b];
        }
        if (p.row >= f->stage.rows || p.k >= f->stage.columns || (sum & from) || byte_at(f, p) != (sum | from)) return false;
    }
    return true;
}

static void find_registers(fetching *f)
{
    zl_pt_placed *p = f->out;
    uint32_t each = f->factor ? 2 : 4;
    p->count = f->product->steps * f->product->warps.blocks[f->factor] * each;
    p->matrices = f->factor && f->product->warps.blocks[1] % 2 ? 2 : 4;
    p->number = zl_scratch(f->k->ctx, p->count, sizeof *p->number);
    p->byte = zl_scratch(f->k->ctx, p->count, sizeof *p->byte);
    if (!p->number || !p->byte) {
        f->k->status = ZLAY_ENOMEM;
        return;
    }
    for (uint32_t b = 0; 1u << b < zl_pt_width(f->k); b++) p->thread[b] = byte_at(f, adds(f, b));
    for (uint32_t i = 0; i < p->count; i++) {
        fetch_point first = group_begins(f, i / p->matrices);
        p->number[i] = i;
        p->byte[i] = byte_at(f, first);
        if (i % p->matrices == 0 && (p->byte[i] % CHUNK || !is_linear(f, first)))
            zl_pt_fail(f->k, "rows of 16 bytes of a factor are no sums of what thread and instruction add");
    }
}

static bool reads_places(fetching *f)
{
    const char *why = zl_pt_table_read(f->k, &f->stage, f->operand->layout);
    if (why) zl_pt_fail(f->k, "the layout of the stage %s", why);
    return !f->k->status;
}

void zl_pt_fetch_place(zl_pipe_text *k, zl_pt_placed *p)
{
    fetching f = {.k = k, .out = p, .operand = zl_pt_operand_of(k, p->event->smem[0])};
    f.product = product_of(k, p->event, &f.factor);
    if (!f.product || !f.operand) {
        zl_pt_fail(k, "%s is no factor of a product of two factors in registers, or its stage has no layout",
                   k->pipe->accs[p->event->acc].name);
        return;
    }
    uint32_t bits = zlay_type_bits(f.operand->type);
    f.half = CHUNK * BYTE / bits;
    p->transposed = f.operand->major == ZLAY_MAJOR_MN;
    if (p->transposed && bits != 16) zl_pt_fail(k, "ldmatrix transposes elements of 16 bits alone");
    if (p->event->part || k->pipe->smems[p->event->smem[0]].each)
        zl_pt_fail(k, "a fetch of a part, or of a stage of the instance's own");
    if (!k->status && reads_places(&f)) find_registers(&f);
}
