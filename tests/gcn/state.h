/* SPDX-License-Identifier: Apache-2.0 */
/* Registers, read and written with what is bad about them. */
#ifndef TEST_GCN_STATE_H
#define TEST_GCN_STATE_H

#include "hazard.h"

/* An operand of an instruction, for all lanes. */
typedef struct gcn_source {
    const gcn_operand *operand;
    const uint32_t *lanes[2];
    const uint8_t *bad[2];
    uint64_t same; /* in every lane, where lanes[0] is NULL */
    bool all_bad;
} gcn_source;

typedef struct gcn_result {
    uint64_t value[GCN_LANES];
    bool bad[GCN_LANES];
    bool high_bad[GCN_LANES]; /* the second register alone */
} gcn_result;

static inline uint64_t gcn_scalar(const gcn_wave *w, int first, int count, bool *bad)
{
    uint64_t value = 0;
    for (int i = 0; i < count && i < 2; i++) {
        value |= (uint64_t)w->s[first + i] << 32 * i;
        if (w->s_bad[first + i] || w->s_loading[first + i]) *bad = true;
    }
    return value;
}

static inline void gcn_set_scalar(gcn_wave *w, int first, int count, uint64_t value, bool bad)
{
    for (int i = 0; i < count; i++) {
        w->s[first + i] = (uint32_t)(value >> 32 * i);
        w->s_bad[first + i] = bad;
    }
}

static inline uint64_t gcn_exec(gcn_wave *w, const gcn_line *line)
{
    bool bad = false;
    uint64_t exec = gcn_scalar(w, GCN_EXEC, 2, &bad);
    if (bad) gcn_fault(w, line, "EXEC is bad");
    return exec;
}

/* An operand of a scalar instruction: a register, or a constant, whose sign is kept. */
static inline uint64_t gcn_scalar_operand(const gcn_wave *w, const gcn_operand *o, int width,
                                          bool *bad)
{
    uint64_t value = o->place == GCN_SCALAR ? gcn_scalar(w, o->first, width, bad) : o->number;
    return width == 1 ? (uint32_t)value : value;
}

static inline bool gcn_allocated(const gcn_wave *w, int first, int count)
{
    const gcn_kernel *k = &w->m->code->kernel;
    return first < GCN_AGPR ? first + count <= k->vgprs : first - GCN_AGPR + count <= k->agprs;
}

static inline bool gcn_scalars_too_soon(const gcn_wave *w, const gcn_operand *o, gcn_hazard hazard)
{
    bool soon = false;
    for (int i = 0; i < o->count; i++) soon |= gcn_too_soon(w, hazard, w->s_valu[o->first + i], 0);
    return soon;
}

static inline gcn_source gcn_read(gcn_wave *w, const gcn_line *line, const gcn_operand *o,
                                  int width, gcn_reader by)
{
    gcn_source s = {.operand = o};
    if (o->place == GCN_NUMBER) s.same = o->number;
    if (o->place == GCN_SCALAR) {
        s.same = gcn_scalar(w, o->first, width, &s.all_bad);
        if (by != GCN_BY_MEMORY) s.all_bad |= gcn_scalars_too_soon(w, o, GCN_H_SGPR_VECTOR);
    }
    if (o->place != GCN_VECTOR) return s;
    if (o->count != width) gcn_fault(w, line, "an operand has another number of registers");
    if (!gcn_allocated(w, o->first, o->count)) gcn_fault(w, line, "a register is not allocated");
    if (w->m->failed) return (gcn_source){.operand = o, .all_bad = true};
    for (int i = 0; i < width; i++) {
        int r = o->first + i;
        if (i < 2) s.lanes[i] = w->v[r], s.bad[i] = w->v_bad[r];
        s.all_bad |= w->v_loading[r] || gcn_read_too_soon(w, r, by, o->first, o->count);
    }
    return s;
}

/* `high_bad` of the second register. */
static inline uint64_t gcn_lane_words(const gcn_source *s, int lane, bool *bad, bool *high_bad)
{
    *bad |= s->all_bad;
    if (!s->lanes[0]) return s->same;
    uint64_t value = s->lanes[0][lane];
    *bad |= s->bad[0][lane];
    if (!s->lanes[1]) return value;
    *high_bad |= s->bad[1][lane];
    return value | (uint64_t)s->lanes[1][lane] << 32;
}

static inline uint64_t gcn_lane(const gcn_source *s, int lane, bool *bad) { return gcn_lane_words(s, lane, bad, bad); }

/* -v and |v| of floats. */
static inline uint64_t gcn_modified(const gcn_operand *o, uint64_t value)
{
    if (o->absolute) value &= 0x7fffffff;
    return o->negated ? value ^ 0x80000000u : value;
}

/* By a vector instruction, in the lanes that EXEC names. */
static inline void gcn_write(gcn_wave *w, const gcn_line *line, const gcn_result *result,
                             uint64_t exec)
{
    const gcn_operand *o = &line->operand[0];
    if (o->place != GCN_VECTOR) gcn_fault(w, line, "its destination is no vector register");
    if (!gcn_allocated(w, o->first, o->count)) gcn_fault(w, line, "a register is not allocated");
    if (w->m->failed) return;
    for (int i = 0; i < o->count; i++) {
        int r = o->first + i;
        bool soon = gcn_written_too_soon(w, r, false);
        for (int lane = 0; lane < GCN_LANES; lane++) {
            if (!(exec >> lane & 1)) continue;
            w->v[r][lane] = (uint32_t)(result->value[lane] >> 32 * i);
            w->v_bad[r][lane] = result->bad[lane] || (i && result->high_bad[lane]) || soon;
        }
        w->history[r].valu = w->now;
        if (line->form->flags & GCN_F_TRANS) w->history[r].trans = w->now;
    }
}

#endif
