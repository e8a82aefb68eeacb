/* SPDX-License-Identifier: Apache-2.0 */
/* Prints registers that leave to global memory, and their addition to registers of the same number in another thread, where such
 * have left: registers 4 q to 4 q + 3 of thread t of n lie at the words from 4 (q n + t) on, or register r at word r n + t where
 * their number is no multiple of 4. */
#include "emit/pipe/pipe.h"

#include <stdio.h>

enum { WORD = 4, VECTOR = 4 /* registers */, BATCH = 16 /* registers of an addition, during which as many are under way */ };

/* What a thread accesses. */
typedef struct leaving {
    int32_t acc;
    uint32_t count, together; /* registers, in all and of an access */
} leaving;

/* The thread's number in its instance: read anew where that is a part of its number in the block, so that it takes no register
 * during the products before. */
static const char *thread_of(zl_pipe_text *k)
{
    char room[24];
    uint32_t width = zl_pt_width(k);
    if (width & (width - 1) || k->role->first_warp % k->role->each) return "rtid";
    zl_op(k, TID, "w0");
    zl_op(k, AND, "w0", "w0", zl_pt_number(room, width - 1));
    return "w0";
}

/* gp = where the thread's first registers lie; false: nothing says how many registers there are. */
static bool place(zl_pipe_text *k, leaving *out, const zl_event *event, int32_t acc)
{
    char room[24];
    uint32_t count = k->acc_registers[acc];
    *out = (leaving){acc, count, count % VECTOR ? 1 : VECTOR};
    if (!count) zl_pt_fail(k, "%s has no registers that a product or a body counts", k->pipe->accs[acc].name);
    if (!count) return false;
    zl_pt_other(k, "gp", event->other, &event->other_at, count * zl_pt_width(k) * WORD);
    zl_op(k, FURTHER, "gp", thread_of(k), zl_pt_number(room, WORD * out->together));
    return true;
}

/* gp = the same of the next access. */
static void next(zl_pipe_text *k, const leaving *r)
{
    char room[24];
    zl_op(k, MORE, "gp", zl_pt_number(room, (uint64_t)zl_pt_width(k) * WORD * r->together));
}

void zl_pt_write_global(zl_pipe_text *k, const zl_event *event)
{
    leaving r;
    char names[VECTOR][96];
    if (!place(k, &r, event, event->acc)) return;
    for (uint32_t i = 0; i < r.count; i += r.together) {
        const char *operands[6] = {"gp"};
        for (uint32_t j = 0; j < r.together; j++) operands[1 + j] = zl_pt_acc(k, names[j], r.acc, i + j);
        zl_pt_say(k, NULL, r.together == 1 ? "st.g.b32" : "st.g.v4.b32", 0, operands);
        next(k, &r);
    }
}

static const char *part(const zl_pipe_text *k, char room[24], uint32_t number)
{
    snprintf(room, 24, k->c ? "part[%u]" : "part_%u", number);
    return room;
}

static void load(zl_pipe_text *k, const leaving *r, uint32_t first)
{
    char names[VECTOR][24];
    const char *operands[6] = {NULL};
    for (uint32_t j = 0; j < r->together; j++) operands[j] = part(k, names[j], first + j);
    operands[r->together] = "gp";
    zl_pt_say(k, NULL, r->together == 1 ? "ld.g.b32" : "ld.g.v4.b32", r->together, operands);
    next(k, r);
}

static void load_batch(zl_pipe_text *k, const leaving *r, uint32_t first)
{
    for (uint32_t i = first; i < r->count && i < first + BATCH; i += r->together) load(k, r, i % (2 * BATCH));
}

/* The type of sums in registers; -1: no product has them. */
static int32_t type_of(const zl_pipe_text *k, int32_t acc)
{
    for (uint32_t i = 0; i < k->products_count; i++)
        if (k->products[i].event->acc == acc) return k->products[i].mma.d;
    return -1;
}

static void sum(zl_pipe_text *k, const char *to, int32_t type, const char *with)
{
    if (type == ZLAY_TYPE_S32) zl_op(k, ADD, to, to, with);
    else zl_say(k, NULL, "add.rn.f32", 1, to, to, with);
}

void zl_pt_add_global(zl_pipe_text *k, const zl_event *event)
{
    leaving r;
    char room[24], name[96];
    int32_t acc = event[1].acc, type = type_of(k, acc);
    if (type != ZLAY_TYPE_F32 && type != ZLAY_TYPE_S32) {
        zl_pt_fail(k, "%s are no sums of f32 or s32, to which words are added", k->pipe->accs[acc].name);
        return;
    }
    if (!place(k, &r, event, acc)) return;
    zl_pt_line(k, "{");
    zl_pt_line(k, k->c ? "uint32_t part[%d];" : ".reg .b32 part_<%d>;", 2 * BATCH);
    load_batch(k, &r, 0);
    for (uint32_t i = 0; i < r.count; i += BATCH) {
        load_batch(k, &r, i + BATCH);
        for (uint32_t j = i; j < r.count && j < i + BATCH; j++)
            sum(k, zl_pt_acc(k, name, acc, j), type, part(k, room, j % (2 * BATCH)));
    }
    zl_pt_line(k, "}");
}
