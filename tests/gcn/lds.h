/* SPDX-License-Identifier: Apache-2.0 */
/* Shared memory (LDS). From the issue of a write to its end its bytes are bad to all; the wave's own
 * reads come after its own writes, for LDS serves a wave in order; loads to LDS have no such order. */
#ifndef TEST_GCN_LDS_H
#define TEST_GCN_LDS_H

#include "queue.h"

/* Loads to LDS belong to no wave. */
enum { GCN_NOBODY = 255 };

static inline bool gcn_lds_holds(gcn_wave *w, const gcn_line *line, uint32_t at, uint32_t bytes,
                                 uint32_t align)
{
    if (at % align)
        gcn_fault(w, line, "an address in LDS is not aligned");
    else if (at + bytes > w->m->code->kernel.lds)
        gcn_fault(w, line, "it passes the end of LDS");
    return !w->m->failed;
}

/* A write begins: two at once leave nobody knows what. */
static inline void gcn_claim(gcn_wave *w, uint32_t at, uint32_t bytes, int owner, int serial)
{
    gcn_machine *m = w->m;
    for (uint32_t i = at; i < at + bytes; i++) {
        bool others = m->lds_writers[i] && (m->lds_owner[i] != owner || owner == GCN_NOBODY);
        m->lds_clash[i] = (uint8_t)((m->lds_writers[i] && m->lds_clash[i]) || others ||
                                    m->lds_stamp[i] == (uint32_t)serial);
        m->lds_writers[i]++;
        m->lds_owner[i] = (uint8_t)owner;
        m->lds_stamp[i] = (uint32_t)serial;
    }
}

static inline void gcn_put(gcn_wave *w, uint32_t at, const void *from, uint32_t bytes,
                           const uint8_t *bad)
{
    gcn_machine *m = w->m;
    memcpy(m->lds + at, from, bytes);
    for (uint32_t i = 0; i < bytes; i++) {
        m->lds_writers[at + i]--;
        m->lds_bad[at + i] = bad[i / 4] || m->lds_clash[at + i];
    }
}

/* What two waves do with a word of LDS, one of them writing, has a barrier between: it is passed behind
 * the end of the first and before the issue of the second. If that holds in one schedule, it holds in
 * all, for barriers are all that orders waves. Ends are those that waits prove, so LDS is to be read late. */
static inline void gcn_ordered(gcn_wave *w, const gcn_access *a, uint32_t at, uint32_t bytes, bool write)
{
    gcn_past *past = w->m->past;
    if (!past) return;
    for (uint32_t word = at / 4; word <= (at + bytes - 1) / 4; word++) {
        for (uint32_t other = 0; other < w->m->waves; other++) {
            bool beside = other != (uint32_t)w->number;
            bool wrote = past->end[1][other][word] >= a->barriers;
            bool read = write && past->end[0][other][word] >= a->barriers;
            if (beside && (wrote || read)) gcn_fault(w, a->line, "no barrier orders it behind another wave");
        }
        past->end[write][w->number][word] = (int16_t)w->barriers;
    }
}

/* Of an access with one address, or two of as many bytes each. */
static inline uint32_t gcn_lds_at(const gcn_access *a, int lane, int part)
{
    const gcn_form *f = a->line->form;
    if (!(f->flags & GCN_F_TWO)) return a->at[lane] + (uint32_t)a->line->offset;
    uint32_t unit = (uint32_t)f->bytes * (f->flags & GCN_F_WIDE ? 64 : 1);
    return a->at[lane] + (uint32_t)(part ? a->line->offset1 : a->line->offset) * unit;
}

static inline void gcn_get(gcn_wave *w, gcn_access *a, int lane, int part)
{
    const gcn_form *f = a->line->form;
    gcn_machine *m = w->m;
    uint32_t at = gcn_lds_at(a, lane, part), bytes = (uint32_t)f->bytes;
    int word = part * f->bytes / 4;
    memcpy(&a->data[lane][word], m->lds + at, bytes);
    for (uint32_t i = 0; i < bytes; i++)
        a->bad[lane][word + (int)i / 4] |= m->lds_bad[at + i] || m->lds_writers[at + i];
    if (bytes == 2 && f->flags & GCN_F_SIGNED)
        a->data[lane][0] = (uint32_t)(int16_t)a->data[lane][0];
    if (bytes == 1 && f->flags & GCN_F_SIGNED)
        a->data[lane][0] = (uint32_t)(int8_t)a->data[lane][0];
}

/* ds_read_b64_tr_b16: in each 16 lanes, element j of lane d is element d % 4 of lane 4 j + d / 4. */
static inline void gcn_transpose(gcn_access *a)
{
    gcn_access was = *a;
    for (int lane = 0; lane < GCN_LANES; lane++) {
        for (int j = 0; j < 4; j++) {
            int d = lane % 16, from = lane - d + 4 * j + d / 4, e = d % 4;
            uint32_t half = was.data[from][e / 2] >> 16 * (e % 2) & 0xffff;
            if (!(j % 2)) a->data[lane][j / 2] = 0, a->bad[lane][j / 2] = 0;
            a->data[lane][j / 2] |= half << 16 * (j % 2);
            a->bad[lane][j / 2] |= was.bad[from][e / 2];
        }
    }
}

static inline void gcn_sample_one(gcn_wave *w, gcn_access *a, int lane, int part)
{
    const gcn_form *f = a->line->form;
    gcn_ordered(w, a, gcn_lds_at(a, lane, part), (uint32_t)f->bytes, a->store);
    if (!a->store) {
        gcn_get(w, a, lane, part);
        return;
    }
    int word = part * f->bytes / 4;
    gcn_put(w, gcn_lds_at(a, lane, part), &a->data[lane][word], (uint32_t)f->bytes,
            &a->bad[lane][word]);
}

static inline void gcn_sample(gcn_wave *w, gcn_access *a)
{
    int parts = a->line->form->flags & GCN_F_TWO ? 2 : 1;
    if (a->sampled) return;
    a->sampled = true;
    for (int lane = 0; lane < GCN_LANES; lane++)
        for (int part = 0; part < parts && a->lanes >> lane & 1; part++)
            gcn_sample_one(w, a, lane, part);
    if (a->line->form->flags & GCN_F_TRANSPOSE) gcn_transpose(a);
}

/* What was loaded to LDS is there. Narrow loads fill four bytes, and 12 bytes have a pitch of 16. */
static inline void gcn_land(gcn_wave *w, gcn_access *a)
{
    for (int lane = 0; lane < GCN_LANES; lane++)
        if (a->lanes >> lane & 1) {
            gcn_ordered(w, a, a->at[lane], 4 * (uint32_t)a->registers, true);
            gcn_put(w, a->at[lane], a->data[lane], 4 * (uint32_t)a->registers, a->bad[lane]);
        }
}

/* In the order of the queue all that was issued before: LDS is served now. */
static inline void gcn_serve(gcn_wave *w)
{
    for (int i = 0; i < w->queued[1]; i++)
        if (w->queue[1][i]->lds) gcn_sample(w, w->queue[1][i]);
}

static inline void gcn_lds_data(gcn_wave *w, gcn_access *a, int part, int lane,
                                const gcn_operand *o)
{
    int words = (a->line->form->bytes + 3) / 4;
    for (int i = 0; i < words; i++) {
        uint32_t value = w->v[o->first + i][lane];
        bool high = a->line->form->flags & GCN_F_HIGH;
        a->data[lane][part * words + i] = high ? value >> 16 : value;
        a->bad[lane][part * words + i] |= w->v_bad[o->first + i][lane];
    }
}

static inline void gcn_lds_write(gcn_wave *w, gcn_access *a, int part)
{
    const gcn_line *line = a->line;
    const gcn_form *f = line->form;
    const gcn_operand *o = &line->operand[1 + part];
    gcn_source s = gcn_read(w, line, o, (f->bytes + 3) / 4, GCN_BY_MEMORY);
    for (int lane = 0; lane < GCN_LANES && !w->m->failed; lane++) {
        if (!(a->lanes >> lane & 1)) continue;
        int words = (f->bytes + 3) / 4;
        for (int i = 0; i < words && s.all_bad; i++) a->bad[lane][part * words + i] = 1;
        gcn_lds_data(w, a, part, lane, o);
        gcn_claim(w, gcn_lds_at(a, lane, part), (uint32_t)f->bytes, w->number, a->serial);
    }
}

static inline void gcn_lds_addresses(gcn_wave *w, gcn_access *a, const gcn_operand *o)
{
    const gcn_form *f = a->line->form;
    gcn_source s = gcn_read(w, a->line, o, 1, GCN_BY_MEMORY);
    uint32_t align = f->bytes > 8 ? 16 : (uint32_t)f->bytes;
    for (int lane = 0; lane < GCN_LANES; lane++) {
        bool bad = false;
        if (!(a->lanes >> lane & 1)) continue;
        a->at[lane] = (uint32_t)gcn_lane(&s, lane, &bad);
        if (bad) gcn_fault(w, a->line, "an address in LDS is bad");
        for (int part = 0; part < (f->flags & GCN_F_TWO ? 2 : 1); part++)
            if (!gcn_lds_holds(w, a->line, gcn_lds_at(a, lane, part), (uint32_t)f->bytes, align))
                return;
    }
}

static inline void gcn_run_lds(gcn_wave *w, const gcn_line *line)
{
    const gcn_form *f = line->form;
    int parts = f->flags & GCN_F_TWO ? 2 : 1;
    gcn_access *a = gcn_new_access(w, line, 1);
    a->lds = true;
    a->store = f->flags & GCN_F_STORE;
    a->lanes = gcn_exec(w, line);
    if (f->flags & GCN_F_TRANSPOSE && ~a->lanes)
        gcn_fault(w, line, "a transposing read without all lanes");
    gcn_lds_addresses(w, a, &line->operand[a->store ? 0 : 1]);
    a->registers = a->store ? 0 : parts * ((f->bytes + 3) / 4);
    if (!a->store) gcn_loading(w, a, &line->operand[0]);
    for (int part = 0; part < parts && a->store && !w->m->failed; part++) gcn_lds_write(w, a, part);
    if (w->m->see && !w->m->failed) w->m->see(w, a);
    if (w->m->schedule.early && !a->store && !w->m->failed) gcn_serve(w);
}

/* ds_bpermute_b32 D, ADDRESS, DATA: what the lane has in DATA whose number is the address / 4; no LDS is read. */
static inline void gcn_run_permute(gcn_wave *w, const gcn_line *line)
{
    gcn_access *a = gcn_new_access(w, line, 1);
    a->lanes = gcn_exec(w, line);
    a->registers = 1;
    gcn_source at = gcn_read(w, line, &line->operand[1], 1, GCN_BY_MEMORY);
    gcn_source data = gcn_read(w, line, &line->operand[2], 1, GCN_BY_MEMORY);
    gcn_loading(w, a, &line->operand[0]);
    for (int lane = 0; lane < GCN_LANES && !w->m->failed; lane++) {
        bool bad = false;
        int from = (int)(gcn_lane(&at, lane, &bad) / 4 % GCN_LANES);
        a->data[lane][0] = (uint32_t)gcn_lane(&data, from, &bad);
        a->bad[lane][0] |= bad || !(a->lanes >> from & 1);
    }
}

#endif
