/* SPDX-License-Identifier: Apache-2.0 */
/* An expression as steps in postfix order, written while it is parsed; zl_linear_exact runs it. */
#include "algebra/facts/form.h"

static zl_linear_step *record(zl_linears *f, int op)
{
    f->whole = f->whole && f->steps < ZL_STEPS_MOST && f->u->count <= 64;
    if (!f->whole) return NULL;
    zl_linear_step *step = &f->step[f->steps];
    *step = (zl_linear_step){.op = op, .first = f->steps++};
    return step;
}

void zl_step_operand(zl_linears *f, zlay_range range, size_t place, bool name)
{
    zl_linear_step *step = record(f, name ? ZL_STEP_NAME : ZL_STEP_NUMBER);
    if (!step) return;
    if (name) step->names = (uint64_t)1 << place;
    else f->whole = zl_range_is_constant(range);
    step->number = range.rem;
    step->range = range;
}

void zl_step_operator(zl_linears *f, int op)
{
    zl_linear_step *step = record(f, op);
    if (!step) return;
    const zl_linear_step *last = step - 1;
    step->first = last->first;
    step->names = last->names;
    if (op == ZL_LINEAR_NEG) return;
    const zl_linear_step *other = &f->step[last->first - 1];
    step->first = other->first;
    step->names |= other->names;
}
