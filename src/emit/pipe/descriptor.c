/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the descriptors of products' operands. What no stage changes, the address of the first
 * stage, the instance's rows and the word's lower half, is a register of the role, computed before
 * its events; a stage adds its slot, and a step of K a constant. */
#include "emit/pipe/pipe.h"

#include <stdio.h>
#include <stdlib.h>

enum { UNIT = 16 /* bytes, of an address in a descriptor */ };

/* How many bytes lie between the operands of two instances. */
static uint64_t instance_bytes(const zl_pipe_text *k, const zl_pt_product *p, int operand)
{
    int32_t smem = p->event->smem[operand];
    const zl_pt_operand *o = &p->operand[operand];
    uint64_t bytes = 0;
    if (zl_pt_instances(k, smem) > 1)
        bytes = (uint64_t)k->pipe->smems[smem].stages * k->smem_pitch[smem];
    bool shares = !operand && p->event->tmem[0] < 0 && zl_role_instances(k->role) > 1;
    return shares ? bytes + (uint64_t)o->rows * o->parts : bytes;
}

/* What descriptors of an operand have in common. */
static zl_pt_base base_of(const zl_pipe_text *k, const zl_pt_product *p, int operand)
{
    return (zl_pt_base){.smem = p->event->smem[operand],
                        .low = (uint32_t)p->operand[operand].word,
                        .instance = (uint32_t)instance_bytes(k, p, operand)};
}

/* The register of the role that holds it; -1: none. */
static int32_t kept(const zl_pipe_text *k, const zl_pt_base *base)
{
    for (uint32_t i = 0; i < k->bases; i++)
        if (k->base[i].smem == base->smem && k->base[i].low == base->low &&
            k->base[i].instance == base->instance)
            return (int32_t)i;
    return -1;
}

/* to = the lower half of the descriptor at the first stage. */
static void compute(zl_pipe_text *k, const char *to, const zl_pt_base *base)
{
    char room[24];
    zl_op(k, ADD, to, "smem", zl_pt_number(room, k->smem_at[base->smem]));
    if (base->instance) zl_op(k, MAD, to, "instance", zl_pt_number(room, base->instance), to);
    zl_op(k, SHR, to, to, "4");
    zl_op(k, ADD, to, to, zl_pt_number(room, base->low));
}

/* Computes the bases of all products of the role. */
void zl_pt_bases(zl_pipe_text *k)
{
    char name[24];
    k->bases = 0;
    for (uint32_t i = k->role->begin; i < k->role->end; i++) {
        const zl_event *e = &k->pipe->events[i];
        const zl_pt_product *p = zl_pt_product_of(k, e);
        if (!p || zl_pt_fragment(k, e)) continue;
        for (int o = 0; o < 2; o++) {
            if (e->smem[o] < 0) continue;
            zl_pt_base base = base_of(k, p, o);
            if (kept(k, &base) >= 0 || k->bases == ZL_PT_BASES) continue;
            k->base[k->bases++] = base;
            snprintf(name, sizeof name, "base%u", k->bases - 1);
            compute(k, name, &base);
            zl_pt_keep(k, name);
        }
    }
    if (k->bases > k->bases_most) k->bases_most = k->bases;
}

/* The lower half of an operand's descriptor at the event's stage. */
const char *zl_pt_low(zl_pipe_text *k, char room[24], const char *to, const zl_pt_product *p,
                      int operand)
{
    char name[24], number[24];
    zl_pt_base base = base_of(k, p, operand);
    uint32_t pitch = k->smem_pitch[base.smem] / UNIT;
    int32_t i = kept(k, &base);
    if (i < 0) compute(k, to, &base);
    if (i >= 0) snprintf(room, 24, "base%d", i);
    else snprintf(room, 24, "%s", to);
    const char *slot = zl_pt_slot(k, name, &p->event->at[operand],
                                  k->pipe->smems[base.smem].stages);
    uint64_t number_of = strtoul(slot, NULL, 10);
    if (slot[0] >= '0' && slot[0] <= '9' && !number_of) return room;
    if (slot[0] >= '0' && slot[0] <= '9')
        zl_op(k, ADD, to, room, zl_pt_number(number, number_of * pitch));
    else zl_op(k, MAD, to, slot, zl_pt_number(number, pitch), room);
    return to;
}

/* to = a descriptor so many bytes further than another. A sum of 64 bits is one instruction of the uniform path, where two
 * halves that are joined anew are three. */
void zl_pt_descriptor_from(zl_pipe_text *k, const char *to, const char *from, uint32_t more)
{
    char room[24];
    zl_op(k, SUM64, to, from, zl_pt_number(room, more / UNIT));
}

/* to = the whole descriptor, so many bytes further. */
void zl_pt_descriptor(zl_pipe_text *k, const char *to, const char *low, uint64_t word,
                      uint32_t more)
{
    char room[24];
    if (more) zl_op(k, ADD, "low", low, zl_pt_number(room, more / UNIT));
    zl_op(k, JOIN, to, more ? "low" : low, zl_pt_number(room, word >> 32));
}
