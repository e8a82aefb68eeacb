/* SPDX-License-Identifier: Apache-2.0 */
/* Loads and stores of global memory: by address, through a buffer's 128-bit word, to registers or to
 * LDS; scalar loads. Memory that a kernel reads does not change under it, so its bytes are taken at
 * the issue and arrive at the wait. Where public sources disagree, the run ends with a fault. */
#ifndef TEST_GCN_MEMORY_H
#define TEST_GCN_MEMORY_H

#include "lds.h"

typedef struct gcn_buffer {
    uint64_t base, records;
    uint32_t stride, soffset;
} gcn_buffer;

/* V#: base 47:0, stride 61:48, swizzles 63:62, records 95:64 (gem5's op_encodings.hh of Vega). */
static inline gcn_buffer gcn_buffer_of(gcn_wave *w, const gcn_line *line, int first)
{
    bool bad = false;
    uint64_t low = gcn_scalar(w, first, 2, &bad), high = gcn_scalar(w, first + 2, 2, &bad);
    gcn_buffer b = {low & 0xffffffffffff, (uint32_t)high, (uint32_t)(low >> 48) & 0x3fff, 0};
    for (int i = 0; i < 4; i++) bad |= gcn_too_soon(w, GCN_H_SGPR_MEMORY, w->s_valu[first + i], 0);
    if (bad) gcn_fault(w, line, "the buffer's word is bad");
    if (low >> 62) gcn_fault(w, line, "the buffer is swizzled");
    if (high >> 62 || high >> 55 & 1)
        gcn_fault(w, line, "the buffer's type is not 0, or it adds the lane");
    if (b.stride)
        gcn_fault(w, line, "bounds of a buffer with a stride are not settled by public sources");
    return b;
}

static inline uint32_t gcn_scalar_offset(gcn_wave *w, const gcn_line *line, const gcn_operand *o)
{
    bool bad = false;
    uint32_t value = (uint32_t)gcn_scalar_operand(w, o, 1, &bad);
    if (o->place == GCN_SCALAR) bad |= gcn_scalars_too_soon(w, o, GCN_H_SGPR_MEMORY);
    if (bad) gcn_fault(w, line, "a scalar offset is bad");
    return value;
}

/* Whether a lane is within: LLVM leaves soffset out of the test, gem5 subtracts it from the records. */
static inline bool gcn_within(gcn_wave *w, const gcn_line *line, const gcn_buffer *b,
                              uint64_t offset, uint64_t bytes)
{
    bool within = offset < b->records, also = offset + b->soffset < b->records;
    if (within != also) gcn_fault(w, line, "sources disagree: soffset in the bounds of a buffer");
    if (within && offset + bytes > b->records)
        gcn_fault(w, line, "it straddles the end of a buffer");
    return within;
}

/* Where a lane's bytes are; NULL where they are outside a buffer, or after a fault. */
static inline uint8_t *gcn_buffer_lane(gcn_wave *w, const gcn_access *a, const gcn_buffer *b,
                                       uint32_t voffset)
{
    uint64_t offset = (uint64_t)voffset + (uint32_t)a->line->offset,
             bytes = (uint64_t)a->line->form->bytes;
    if (!gcn_within(w, a->line, b, offset, bytes)) return NULL;
    uint64_t at = b->base + b->soffset + offset;
    if (at % (bytes < 4 ? bytes : 4)) gcn_fault(w, a->line, "a global address is not aligned");
    uint8_t *found = gcn_global(w->m, at, bytes, a->store);
    if (!found) gcn_fault(w, a->line, "no such memory");
    return found;
}

static inline void gcn_move_lane(gcn_wave *w, gcn_access *a, int lane, uint8_t *at)
{
    const gcn_form *f = a->line->form;
    size_t bytes = (size_t)f->bytes;
    if (w->m->failed) return;
    if (a->store) {
        for (int i = 0; i < (f->bytes + 3) / 4; i++)
            if (a->bad[lane][i] && at) gcn_fault(w, a->line, "what is bad is stored");
        if (at) memcpy(at, a->data[lane], bytes);
        w->m->stored += at ? bytes : 0;
        return;
    }
    if (at) memcpy(a->data[lane], at, bytes);
    if (f->flags & GCN_F_SIGNED)
        a->data[lane][0] =
            bytes == 2 ? (uint32_t)(int16_t)a->data[lane][0] : (uint32_t)(int8_t)a->data[lane][0];
}

/* LDS_ADDR = M0 + offset + lane * 4, or * 16 for more than 4 bytes (LLVM's AMDGPUUsage,
 * llvm.amdgcn.load.to.lds): the offset of the instruction moves both ends. */
static inline void gcn_direct(gcn_wave *w, gcn_access *a)
{
    bool bad = false, global = !strncmp(a->line->name, "global", 6);
    uint32_t m0 = (uint32_t)gcn_scalar(w, GCN_M0, 1, &bad),
             pitch = a->line->form->bytes > 4 ? 16 : 4;
    a->direct = true;
    a->registers = (a->line->form->bytes + 3) / 4;
    bad |= gcn_too_soon(w, GCN_H_M0, w->s_salu[GCN_M0], 0) ||
           gcn_too_soon(w, GCN_H_M0, w->s_valu[GCN_M0], 0);
    if (bad) gcn_fault(w, a->line, "M0 is bad");
    if (m0 % 4) gcn_fault(w, a->line, "M0 is no multiple of 4");
    uint32_t base = (global ? m0 & 0x3fffc : m0 & 0xffff) + (uint32_t)a->line->offset;
    for (int lane = 0; lane < GCN_LANES && !w->m->failed; lane++) {
        if (!(a->lanes >> lane & 1)) continue;
        a->at[lane] = base + (uint32_t)lane * pitch;
        if (!gcn_lds_holds(w, a->line, a->at[lane], 4 * (uint32_t)a->registers, pitch)) return;
        gcn_claim(w, a->at[lane], 4 * (uint32_t)a->registers, GCN_NOBODY, a->serial);
    }
}

static inline gcn_access *gcn_begin_memory(gcn_wave *w, const gcn_line *line)
{
    gcn_access *a = gcn_new_access(w, line, 0);
    a->store = line->form->flags & GCN_F_STORE;
    a->lanes = gcn_exec(w, line);
    if (gcn_exec_too_soon(w, GCN_H_EXEC_MEMORY)) gcn_fault(w, line, "EXEC was written just before");
    return a;
}

/* Takes what a store has to say out of its registers. */
static inline void gcn_stored(gcn_wave *w, gcn_access *a, const gcn_operand *o,
                              bool register_offset)
{
    const gcn_form *f = a->line->form;
    int words = (f->bytes + 3) / 4;
    gcn_source s = gcn_read(w, a->line, o, words, GCN_BY_MEMORY);
    for (int i = 0; i < words && !w->m->failed; i++) {
        if (f->bytes > 8 && !register_offset) w->history[o->first + i].store = w->now;
        for (int lane = 0; lane < GCN_LANES; lane++) {
            uint32_t value = w->v[o->first + i][lane];
            a->data[lane][i] = f->flags & GCN_F_HIGH ? value >> 16 : value;
            a->bad[lane][i] |= s.all_bad || w->v_bad[o->first + i][lane];
        }
    }
}

/* Where the bytes go to or come from is known; a load's register follows. */
static inline void gcn_finish_memory(gcn_wave *w, gcn_access *a)
{
    if (a->store || w->m->failed) return;
    if (a->line->lds || a->line->form->flags & GCN_F_DIRECT) {
        gcn_direct(w, a);
        return;
    }
    a->registers = (a->line->form->bytes + 3) / 4;
    gcn_loading(w, a, &a->line->operand[0]);
}

/* buffer_load DATA, OFFSET or off, RESOURCE, SOFFSET; to LDS there is no DATA. */
static inline void gcn_run_buffer(gcn_wave *w, const gcn_line *line)
{
    gcn_access *a = gcn_begin_memory(w, line);
    const gcn_operand *o = &line->operand[line->lds ? 0 : 1];
    if (line->idxen) gcn_fault(w, line, "an index into a buffer without a stride");
    gcn_buffer b = gcn_buffer_of(w, line, o[1].first);
    b.soffset = gcn_scalar_offset(w, line, &o[2]);
    if (a->store) gcn_stored(w, a, &line->operand[0], o[2].place == GCN_SCALAR);
    gcn_source s =
        line->offen ? gcn_read(w, line, &o[0], 1, GCN_BY_MEMORY) : (gcn_source){.same = 0};
    for (int lane = 0; lane < GCN_LANES && !w->m->failed; lane++) {
        bool bad = false;
        if (!(a->lanes >> lane & 1)) continue;
        uint32_t voffset = (uint32_t)gcn_lane(&s, lane, &bad);
        if (bad) gcn_fault(w, line, "an offset is bad");
        gcn_move_lane(w, a, lane, gcn_buffer_lane(w, a, &b, voffset));
    }
    gcn_finish_memory(w, a);
}

/* global_load DATA, ADDRESS, off, or 32 bits of offset and two SGPRs; a store has DATA second. */
static inline void gcn_run_global(gcn_wave *w, const gcn_line *line)
{
    gcn_access *a = gcn_begin_memory(w, line);
    bool direct = line->lds || line->form->flags & GCN_F_DIRECT;
    const gcn_operand *o = &line->operand[a->store || direct ? 0 : 1];
    const gcn_operand *base = &line->operand[a->store ? 2 : direct ? 1 : 2];
    bool bad_base = false, scalar = base->place == GCN_SCALAR;
    uint64_t from = scalar ? gcn_scalar(w, base->first, 2, &bad_base) : 0;
    if (scalar) bad_base |= gcn_scalars_too_soon(w, base, GCN_H_SGPR_MEMORY);
    if (a->store) gcn_stored(w, a, &line->operand[1], false);
    gcn_source s = gcn_read(w, line, o, scalar ? 1 : 2, GCN_BY_MEMORY);
    for (int lane = 0; lane < GCN_LANES && !w->m->failed; lane++) {
        bool bad = bad_base;
        if (!(a->lanes >> lane & 1)) continue;
        uint64_t at = from + gcn_lane(&s, lane, &bad) + (uint64_t)(int64_t)line->offset;
        uint64_t bytes = (uint64_t)line->form->bytes;
        uint8_t *found = bad ? NULL : gcn_global(w->m, at, bytes, a->store);
        if (!found) gcn_fault(w, line, bad ? "an address is bad" : "no such memory");
        if (at % (bytes < 4 ? bytes : 4)) gcn_fault(w, line, "a global address is not aligned");
        gcn_move_lane(w, a, lane, found);
    }
    gcn_finish_memory(w, a);
}

/* s_load DATA, BASE, OFFSET: a constant, or a register and a constant. */
static inline void gcn_run_scalar_load(gcn_wave *w, const gcn_line *line)
{
    gcn_access *a = gcn_new_access(w, line, 1);
    const gcn_operand *d = &line->operand[0];
    bool bad = false;
    uint64_t at = gcn_scalar(w, line->operand[1].first, 2, &bad) + (uint64_t)(int64_t)line->offset;
    at += (uint32_t)gcn_scalar_operand(w, &line->operand[2], 1, &bad);
    uint8_t *from = gcn_global(w->m, at & ~UINT64_C(3), (uint64_t)line->form->bytes, false);
    if (bad || !from) gcn_fault(w, line, bad ? "an address is bad" : "no such memory");
    if (d->count * 4 != line->form->bytes) gcn_fault(w, line, "another number of registers");
    a->scalar = true;
    if (w->m->failed) return;
    a->first = d->first;
    a->registers = d->count;
    memcpy(a->data, from, (size_t)line->form->bytes);
    for (int i = 0; i < d->count; i++) w->s_loading[d->first + i]++;
}

#endif
