/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the write of a matrix, or of rows, in registers into a stage that has a layout, and the fetch of a factor from one
 * (placed.c and fetch.c find the places). Every access adds a
 * constant to the thread's own place, by XOR within a row of 128 bytes, which the swizzle has, and else by the
 * instruction's offset. Of a write in a loop the few places within a row are registers of the role, computed before its
 * events. */
#include "emit/pipe/pipe.h"

#include <stdio.h>
#include <string.h>

enum { ROW = 128 /* bytes of swizzled rows */, CHUNK_BITS = 4, LINE_BITS = 7 };

/* ---- the thread's place -------------------------------------------------------------------- */

static bool alike(const zl_pt_placed *a, const zl_pt_placed *b)
{
    return a->event->smem[0] == b->event->smem[0] && a->instance == b->instance &&
           a->swizzled == b->swizzled && !memcmp(a->thread, b->thread, sizeof a->thread) &&
           a->chunks == b->chunks && !memcmp(a->chunk, b->chunk, sizeof a->chunk);
}

void zl_pt_thread_place(zl_pipe_text *k, const char *to, const zl_pt_placed *p, uint32_t begin)
{
    char room[24];
    int32_t smem = p->event->smem[0];
    uint32_t pitch = k->smem_pitch[smem] * k->pipe->smems[smem].stages;
    zl_pt_thread_sum(k, to, "near", p->thread);
    if (p->swizzled) {
        zl_op(k, SHR, "near", to, zl_pt_number(room, LINE_BITS));
        zl_op(k, AND, "near", "near", zl_pt_number(room, p->swizzled));
        zl_op(k, SHL, "near", "near", zl_pt_number(room, CHUNK_BITS));
        zl_op(k, XOR, to, to, "near");
    }
    zl_op(k, ADD, to, to, "smem");
    if (begin) zl_op(k, ADD, to, to, zl_pt_number(room, begin));
    if (zl_pt_instances(k, smem) > 1) zl_op(k, MAD, to, "instance", zl_pt_number(room, pitch), to);
    if (p->instance) zl_op(k, MAD, to, "instance", zl_pt_number(room, p->instance), to);
}

/* The first write of the role, up to this one, whose registers are the same. */
static const zl_pt_placed *first_alike(const zl_pipe_text *k, const zl_pt_placed *p)
{
    const zl_pt_placed *q = k->placed;
    while (q < p && (!q->looped || q->event < &k->pipe->events[k->role->begin] || !alike(q, p))) q++;
    return q;
}

static void keep(zl_pipe_text *k, zl_pt_placed *p)
{
    char first[24], name[24], room[24];
    p->kept = k->puts;
    k->puts += p->chunks;
    snprintf(first, sizeof first, "put%u", p->kept);
    zl_pt_thread_place(k, first, p, k->smem_at[p->event->smem[0]]);
    for (uint32_t i = p->chunks; i-- > 0;) {
        snprintf(name, sizeof name, "put%u", p->kept + i);
        if (i || p->chunk[i]) zl_op(k, XOR, name, first, zl_pt_number(room, p->chunk[i]));
        zl_pt_keep(k, name);
    }
}

void zl_pt_puts(zl_pipe_text *k)
{
    k->puts = 0;
    for (uint32_t i = 0; i < k->placed_count; i++) {
        zl_pt_placed *p = &k->placed[i];
        const zl_pt_placed *first = first_alike(k, p);
        if (!p->looped || p->event < &k->pipe->events[k->role->begin] ||
            p->event >= &k->pipe->events[k->role->end])
            continue;
        if (first < p) p->kept = first->kept;
        else keep(k, p);
    }
    if (k->puts > k->puts_most) k->puts_most = k->puts;
}

/* ---- accesses ------------------------------------------------------------------------------ */

/* The place within a row, in a register of the role or in `near`. */
static const char *row_place(zl_pipe_text *k, char room[24], const zl_pt_placed *p, uint32_t chunk)
{
    char number[24];
    uint32_t i = 0;
    while (p->chunk[i] != chunk) i++;
    snprintf(room, 24, "put%u", p->kept + i);
    if (p->looped) return room;
    zl_op(k, XOR, "near", "off", zl_pt_number(number, chunk));
    return "near";
}

/* The place of register i of a write; `slot`: of the stage. */
static const char *register_place(zl_pipe_text *k, char room[24], const zl_pt_placed *p, uint32_t i,
                                  const char *slot)
{
    char number[24];
    uint32_t chunk = p->byte[i] % ROW;
    const char *at = row_place(k, room, p, chunk);
    if (*slot != '0') zl_op(k, ADD, "near", at, "at"), at = "near";
    if (p->byte[i] == chunk) return at;
    zl_op(k, ADD, "near", at, zl_pt_number(number, p->byte[i] - chunk));
    return "near";
}

/* The form that stores or loads so many registers: as words side by side, or as matrices of 8 rows. */
static void form_of(char id[32], const zl_pt_placed *p, uint32_t count)
{
    const char *way = p->event->kind == ZL_EV_FETCH ? "ld" : "st";
    if (p->matrices) snprintf(id, 32, "%smatrix.x%u%s", way, count, p->transposed ? ".trans" : "");
    else if (count > 1) snprintf(id, 32, "st.s.v%u.b32", count);
    else snprintf(id, 32, "st.s.b32");
}

/* Stores two bytes at a time: a register's halves go to different places. */
static void store_halves(zl_pipe_text *k, const zl_pt_placed *p, const char *slot)
{
    static const char *const half[] = {"v0", "v1"};
    char name[96], room[24];
    for (uint32_t i = 0; i < p->count; i++) {
        uint32_t which = p->number[i] % 2;
        if (!which) zl_say(k, NULL, "mov.b32.unpack", 2, half[0], half[1], zl_pt_acc(k, name, p->event->acc, p->number[i] / 2));
        const char *at = register_place(k, room, p, i, slot);
        zl_say(k, NULL, "st.s.b16", 0, at, half[which]);
    }
}

static void access(zl_pipe_text *k, const zl_pt_placed *p, const char *slot)
{
    char id[32], names[4][96], room[24];
    bool load = p->event->kind == ZL_EV_FETCH;
    for (uint32_t i = 0, count; i < p->count; i += count) {
        const char *operands[6] = {NULL};
        count = zl_pt_together(p, i);
        operands[load ? count : 0] = register_place(k, room, p, i, slot);
        for (uint32_t j = 0; j < count; j++)
            operands[j + !load] = zl_pt_acc(k, names[j], p->event->acc, p->number[i + j]);
        form_of(id, p, count);
        zl_pt_say(k, NULL, id, load ? count : 0, operands);
    }
}

void zl_pt_put(zl_pipe_text *k, const zl_event *event)
{
    char name[24], number[24];
    const zl_pt_placed *p = k->placed;
    while (p->event != event) p++;
    int32_t smem = event->smem[0];
    if (!p->looped) zl_pt_thread_place(k, "off", p, k->smem_at[p->event->smem[0]]);
    const char *slot = zl_pt_slot(k, name, &event->at[0], k->pipe->smems[smem].stages);
    if (*slot != '0') zl_op(k, MUL, "at", slot, zl_pt_number(number, k->smem_pitch[smem]));
    if (p->sharing) {
        zl_op(k, AND, "near", "rtid", zl_pt_number(number, p->sharing));
        zl_op(k, EQ, "more", "near", "0");
        zl_pt_when(k, "more");
    }
    if (p->halves) store_halves(k, p, slot);
    else access(k, p, slot);
    if (p->sharing) zl_pt_when_end(k);
}
