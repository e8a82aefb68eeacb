/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what the threads of a role move themselves: stages from and to global memory by loads,
 * stores and cp.async, stages by ldmatrix and stmatrix, and accumulators to stages or to global
 * memory. Threads take turns: thread t of n moves vector t, then t + n. A vector is 16 bytes where
 * all places are multiples of 16, else 4. */
#include "emit/pipe/pipe.h"

#include <stdio.h>

enum { VECTOR = 16, WORD = 4, MATRICES = 512, MATRIX = 128, WARP = 32 };

/* The bytes of a thread's access. */
static uint32_t width_of(zl_pipe_text *k, zl_span_of span)
{
    uint64_t all = span.at | span.further | span.bytes | span.all;
    if (all % VECTOR == 0) return VECTOR;
    if (all % WORD == 0) return WORD;
    zl_pt_fail(k, "%llu bytes by threads: no multiple of 4", (unsigned long long)span.bytes);
    return WORD;
}

/* What the threads of an instance access at once. */
static uint64_t turn_of(const zl_pipe_text *k, uint32_t width)
{
    return (uint64_t)width * zl_pt_width(k);
}

typedef struct turns {
    char step[24], last[24];
    zl_pt_range range;
} turns;

/* The loop in which threads take turns: off from the thread's first place on, so many bytes further each time. */
static void turns_of(turns *t, uint64_t bytes, uint64_t step)
{
    t->range = (zl_pt_range){.counter = "off",
                             .step = zl_pt_number(t->step, step),
                             .last = zl_pt_number(t->last, bytes),
                             .runs = bytes >= step};
}

static void turns_begin(zl_pipe_text *k, zl_span_of span, uint32_t width)
{
    char room[24];
    turns t;
    turns_of(&t, span.bytes, turn_of(k, width));
    if (zl_pt_lone(k)) zl_op(k, MOV, "off", "0");
    else zl_op(k, MUL, "off", "rtid", zl_pt_number(room, width));
    zl_pt_while(k, &t.range);
    zl_op(k, ADD, "to", "at", "off");
    zl_op(k, WIDEN, "wide", "off");
    zl_op(k, SUM64, "gq", "gp", "wide");
}

/* Ends the loop of turns. */
static void turns_end(zl_pipe_text *k, zl_span_of span, uint32_t width)
{
    turns t;
    turns_of(&t, span.bytes, turn_of(k, width));
    zl_pt_while_end(k, &t.range);
}

/* Prints one load or store of a vector through the registers w0 to w3. */
static void access(zl_pipe_text *k, bool load, bool global, bool peer, uint32_t width,
                   const char *address)
{
    static const char *const vector[] = {"w0", "w1", "w2", "w3"};
    const char *operands[6] = {0};
    char id[48];
    uint32_t n = 0, count = width / WORD;
    snprintf(id, sizeof id, "%s.%s%s.%sb32", load ? "ld" : "st", global ? "g" : "s",
             peer ? ".cluster" : "", count == 4 ? "v4." : "");
    if (!load) operands[n++] = address;
    for (uint32_t i = 0; i < count; i++) operands[n++] = vector[i];
    if (load) operands[n++] = address;
    zl_pt_say(k, NULL, id, load ? count : 0, operands);
}

/* at = the address of the event's part of a stage; whether it is in another block. */
static bool stage_place(zl_pipe_text *k, const zl_event *event, zl_span_of span)
{
    char room[24];
    zl_pt_stage(k, "at", event->smem[0], &event->at[0]);
    if (span.at) zl_op(k, ADD, "at", "at", zl_pt_number(room, span.at));
    if (event->cta == ZL_CTA_OWN) return false;
    if (event->cta == ZL_CTA_ALL) zl_pt_fail(k, "threads read and write one block at a time");
    zl_pt_peer(k, "at", "at", 0);
    return true;
}

/* Prints a read of a stage to global memory, or a write from there. */
static void move_stage(zl_pipe_text *k, const zl_event *event)
{
    zl_span_of span = zl_pt_span(k, event);
    bool read = event->kind == ZL_EV_READ, peer = stage_place(k, event, span);
    uint32_t width = width_of(k, span);
    zl_pt_global(k, read ? ZL_PT_OUT : ZL_PT_IN, event);
    turns_begin(k, span, width);
    access(k, true, !read, read && peer, width, read ? "to" : "gq");
    access(k, false, read, !read && peer, width, read ? "gq" : "to");
    turns_end(k, span, width);
}

static void copy_async(zl_pipe_text *k, const zl_event *event)
{
    zl_span_of span = zl_pt_span(k, event);
    stage_place(k, event, span);
    uint32_t width = width_of(k, span);
    zl_pt_global(k, ZL_PT_IN, event);
    turns_begin(k, span, width);
    zl_say(k, NULL, width == VECTOR ? "cp_async.16" : "cp_async.ca.4", 0, "to", "gq");
    turns_end(k, span, width);
}

/* ---- accumulators ------------------------------------------------------------------------ */

/* Whether an accumulator has the registers that an event writes. */
static bool has_registers(zl_pipe_text *k, int32_t acc, uint32_t first, uint32_t count)
{
    if (count && first + count <= k->acc_registers[acc]) return true;
    zl_pt_fail(k, "%s has %u registers, and %u to %u are written", k->pipe->accs[acc].name,
               k->acc_registers[acc], first, first + count);
    return false;
}

/* Stores registers to a stage: register r of thread t at word r * threads + t. */
static void write_registers(zl_pipe_text *k, const zl_event *event)
{
    char room[24], name[96];
    zl_span_of span = zl_pt_span(k, event);
    uint32_t pitch = zl_pt_width(k) * WORD, count = (uint32_t)(span.bytes / pitch);
    uint32_t first = (uint32_t)event->part * count;
    bool peer = stage_place(k, event, span);
    if (!has_registers(k, event->acc, first, count)) return;
    zl_op(k, MAD, "at", "rtid", zl_pt_number(room, WORD), "at");
    for (uint32_t r = 0; r < count; r++) {
        zl_say(k, NULL, peer ? "st.s.cluster.b32" : "st.s.b32", 0, "at",
               zl_pt_acc(k, name, event->acc, first + r));
        if (r + 1 < count) zl_op(k, ADD, "at", "at", zl_pt_number(room, pitch));
    }
}

void zl_pt_threads(zl_pipe_text *k, const zl_event *event)
{
    const zlay_pipe_move *move = zl_pt_move(k, event);
    if (move && zl_pt_by_threads(move)) zl_pt_rows(k, event, move);
    else if (event->kind == ZL_EV_CPASYNC) copy_async(k, event);
    else if (zl_pt_has_layout(k, event)) zl_pt_put(k, event);
    else if (event->smem[0] >= 0 && event->acc >= 0) write_registers(k, event);
    else if (event->smem[0] >= 0) move_stage(k, event);
    else if (event->uses) zl_pt_add_global(k, event);
    else if (event->acc >= 0) zl_pt_write_global(k, event);
}

/* ---- matrices ------------------------------------------------------------------------------ */

/* The bytes of one ldmatrix or stmatrix: four matrices where the part has whole fours, else one. */
static uint32_t matrices_of(zl_pipe_text *k, uint64_t bytes)
{
    if (bytes % MATRICES == 0) return MATRICES;
    if (bytes % MATRIX == 0) return MATRIX;
    zl_pt_fail(k, "%llu bytes by matrices of 128", (unsigned long long)bytes);
    return MATRIX;
}

/* Prints one ldmatrix or stmatrix between `near` and registers. */
static void say_matrices(zl_pipe_text *k, bool load, uint32_t chunk, const char *const *w)
{
    char id[32];
    const char *operands[6] = {0};
    uint32_t n = 0, count = chunk / MATRIX;
    snprintf(id, sizeof id, "%s.x%u", load ? "ldmatrix" : "stmatrix", count);
    if (!load) operands[n++] = "near";
    for (uint32_t i = 0; i < count; i++) operands[n++] = w[i];
    if (load) operands[n++] = "near";
    zl_pt_say(k, NULL, id, load ? count : 0, operands);
}

/* near: the row of the lane in the chunk at `to`; gq: the place of the lane's registers. */
static void matrix_places(zl_pipe_text *k, uint32_t chunk)
{
    char room[24];
    zl_op(k, AND, "near", "lane", chunk == MATRICES ? "31" : "7");
    zl_op(k, MAD, "near", "near", "16", "to");
    zl_op(k, FURTHER, "gq", "lane", zl_pt_number(room, chunk / WARP));
}

/* Stores an accumulator to a stage by stmatrix; warps take turns. */
static void matrix_registers(zl_pipe_text *k, const zl_event *event, zl_span_of span,
                             uint32_t chunk)
{
    char room[24], names[4][96];
    const char *w[4];
    uint32_t each = chunk / MATRIX, warps = zl_pt_width(k) / WARP;
    uint32_t count = (uint32_t)(span.bytes / chunk / (warps ? warps : 1)),
             first = (uint32_t)event->part * count;
    if (!has_registers(k, event->acc, first * each, count * each)) return;
    zl_op(k, MAD, "to", "rwarp", zl_pt_number(room, chunk), "at");
    for (uint32_t c = 0; c < count; c++) {
        for (uint32_t i = 0; i < each; i++)
            w[i] = zl_pt_acc(k, names[i], event->acc, (first + c) * each + i);
        zl_op(k, AND, "near", "lane", chunk == MATRICES ? "31" : "7");
        zl_op(k, MAD, "near", "near", "16", "to");
        say_matrices(k, false, chunk, w);
        zl_op(k, ADD, "to", "to", zl_pt_number(room, (uint64_t)chunk * warps));
    }
}

void zl_pt_matrix(zl_pipe_text *k, const zl_event *event)
{
    static const char *const w[] = {"w0", "w1", "w2", "w3"};
    char room[24];
    turns t;
    zl_span_of span = zl_pt_span(k, event);
    bool load = event->kind == ZL_EV_LDMATRIX;
    uint32_t chunk = matrices_of(k, span.bytes);
    stage_place(k, event, span);
    if (event->acc >= 0) {
        matrix_registers(k, event, span, chunk);
        return;
    }
    zl_pt_global(k, load ? ZL_PT_OUT : ZL_PT_IN, event);
    zl_op(k, MUL, "off", "rwarp", zl_pt_number(room, chunk));
    turns_of(&t, span.bytes, (uint64_t)chunk * (zl_pt_width(k) / WARP));
    zl_pt_while(k, &t.range);
    zl_op(k, ADD, "to", "at", "off");
    zl_op(k, WIDEN, "wide", "off");
    zl_op(k, SUM64, "gq", "gp", "wide");
    matrix_places(k, chunk);
    if (!load) access(k, true, true, false, chunk / WARP, "gq");
    say_matrices(k, load, chunk, w);
    if (load) access(k, false, true, false, chunk / WARP, "gq");
    zl_pt_while_end(k, &t.range);
}
