/* SPDX-License-Identifier: Apache-2.0 */
/* Registers, and arithmetic of whole numbers and addresses. */
#ifndef TEST_PTX_ALU_H
#define TEST_PTX_ALU_H

#include "ptx/async.h"
#include "ptx/number.h"

/* What an instruction does for a thread, or together with its warp; false: it has to wait. */
typedef bool px_step(px_machine *m, int thread, const px_line *l);

static inline uint64_t px_unready(px_machine *m, int thread, int name)
{
    const px_thread *t = &m->thread[thread];
    px_fault(m, "line %d reads a register %s", m->text.line[t->line].source + 1,
             t->state[name] == PX_BUSY ? "that is still being written" : "that holds nothing");
    return 0;
}

static inline uint64_t px_get(px_machine *m, int thread, const px_operand *o)
{
    const px_thread *t = &m->thread[thread];
    uint64_t value = (uint64_t)o->more;
    if (o->name >= 0) {
        if (t->state[o->name] != PX_READY && t->state[o->name] != PX_LENT) return px_unready(m, thread, o->name);
        value += t->value[o->name];
    }
    return o->inverted ? !value : value;
}

static inline void px_set(px_machine *m, int thread, const px_operand *o, uint64_t value)
{
    px_thread *t = &m->thread[thread];
    if (o->name == PX_SINK) return;
    if (t->state[o->name] == PX_BUSY || t->state[o->name] == PX_LENT)
        px_fault(m, "line %d writes what a product still uses", m->text.line[t->line].source + 1);
    t->value[o->name] = value;
    t->state[o->name] = PX_READY;
}

#define PX_IN(i)      px_get(m, thread, &l->operand[i])
#define PX_IN32(i)    ((uint32_t)PX_IN(i))
#define PX_OUT(value) px_set(m, thread, &l->operand[0], value)

/* ---- arithmetic --------------------------------------------------------------------- */

#define PX_ALU(name, expression)                                                                   \
    static inline bool name(px_machine *m, int thread, const px_line *l)                           \
    {                                                                                              \
        uint64_t a = PX_IN(1), b = l->count > 2 ? PX_IN(2) : 0, c = l->count > 3 ? PX_IN(3) : 0;   \
        (void)a, (void)b, (void)c;                                                                 \
        PX_OUT(expression);                                                                        \
        return true;                                                                               \
    }
#define PX_U(x) ((uint32_t)(x))
#define PX_S(x) ((int32_t)(uint32_t)(x))
PX_ALU(px_mov, a)
PX_ALU(px_add32, PX_U(a + b))
PX_ALU(px_add64, a + b)
PX_ALU(px_sub32, PX_U(a - b))
PX_ALU(px_mul32, PX_U(a * b))
PX_ALU(px_mad32, PX_U(a * b + c))
PX_ALU(px_mad64, a * b + c)
PX_ALU(px_mad_wide, (uint64_t)PX_U(a) * PX_U(b) + c)
PX_ALU(px_div32, PX_U(b) ? PX_U(a) / PX_U(b) : 0)
PX_ALU(px_rem32, PX_U(b) ? PX_U(a) % PX_U(b) : 0)
PX_ALU(px_min_u, PX_U(a) < PX_U(b) ? PX_U(a) : PX_U(b))
PX_ALU(px_min_s, PX_U(PX_S(a) < PX_S(b) ? a : b))
PX_ALU(px_max_s, PX_U(PX_S(a) > PX_S(b) ? a : b))
PX_ALU(px_and, PX_U(a & b))
PX_ALU(px_xor, PX_U(a ^ b))
PX_ALU(px_shr, PX_U(b) > 31 ? 0 : PX_U(a) >> PX_U(b))
PX_ALU(px_shl, PX_U(b) > 31 ? 0 : PX_U(a) << PX_U(b))
PX_ALU(px_wide, PX_U(a))
PX_ALU(px_eq, PX_U(a) == PX_U(b))
PX_ALU(px_lt_u, PX_U(a) < PX_U(b))
PX_ALU(px_ge_u, PX_U(a) >= PX_U(b))
PX_ALU(px_lt_s, PX_S(a) < PX_S(b))
PX_ALU(px_gt_s, PX_S(a) > PX_S(b))
PX_ALU(px_and_pred, a && b)
PX_ALU(px_ge_s, PX_S(a) >= PX_S(b))
PX_ALU(px_selp, c ? a : b)

static inline bool px_nothing(px_machine *m, int thread, const px_line *l)
{
    (void)m, (void)thread, (void)l;
    return true;
}

/* PTX ISA 9.1, setmaxnreg: 24 to 256, by 8. */
static inline bool px_setmaxnreg(px_machine *m, int thread, const px_line *l)
{
    uint64_t count = PX_IN(0);
    return count % 8 || count < 24 || count > 256 ? px_fault(m, "setmaxnreg %llu", (unsigned long long)count) : true;
}

static inline bool px_trap(px_machine *m, int thread, const px_line *l)
{
    (void)thread;
    return px_fault(m, "line %d traps", l->source + 1);
}

#endif
