/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what a function of the caller's is given (use .. by NAME), in CUDA C: arrays of registers,
 * by reference, and of the first of them that holds a matrix a struct whose functions say which
 * element a value of a thread is. */
#include "emit/pipe/pipe.h"

#include <stdio.h>

enum { NUMBERS_A_LINE = 16 };

static bool calls(const zl_event *e)
{
    return e->kind == ZL_EV_USE && e->name[0];
}

/* The first registers of a use of which the pipe says which elements they hold; -1. */
static int32_t matrix_of(const zl_pipe_text *k, const zl_event *e)
{
    for (uint32_t i = 0; i < e->uses; i++)
        if (k->registers[e[i].acc].matrix >= 0) return e[i].acc;
    return -1;
}

static void put_name(zl_pipe_text *k, int32_t acc)
{
    const zl_acc *a = &k->pipe->accs[acc];
    zl_putf(k->out, "%.*s_at_%s_%s", (int)k->ask->name_length, k->ask->name,
            k->pipe->roles[a->role].name, a->name);
}

/* What the bits of a thread's number add: those that go to bits side by side are moved together. */
static void put_thread(zl_pipe_text *k, const zl_element_axis *axis)
{
    for (uint32_t b = 0, run; b < ZL_ELEMENT_BITS; b += run) {
        run = zl_element_run(axis->bit, b);
        if (axis->bit[b])
            zl_putf(k->out, " + (thread >> %u & %u) * %u", b, (1u << run) - 1, axis->bit[b]);
    }
}

static void put_axis(zl_pipe_text *k, const zl_elements *e, const zl_element_axis *axis,
                     const char *name, const char *more)
{
    zl_putf(k->out,
            "    static __device__ __forceinline__ uint32_t %s(uint32_t value, uint32_t thread%s)\n"
            "    {\n        constexpr uint16_t of[%u] = {",
            name, *more ? ", uint32_t instance" : ", uint32_t", e->values);
    for (uint32_t v = 0; v < e->values; v++)
        zl_putf(k->out, "%s%u,", v % NUMBERS_A_LINE ? " " : "\n            ",
                axis->offset[axis->of[v]]);
    zl_puts(k->out, "\n        };\n        return of[value]");
    put_thread(k, axis);
    zl_putf(k->out, "%s;\n    }\n", more);
}

static void put_struct(zl_pipe_text *k, int32_t acc)
{
    char more[48] = "";
    const zl_pt_matrix_of *m = &k->matrices[k->registers[acc].matrix];
    snprintf(more, sizeof more, " + instance * %u", m->divided > 0 ? m->elements.row.extent : 0);
    zl_puts(k->out, "// Which element of its matrix a value of a thread is.\nstruct ");
    put_name(k, acc);
    zl_putf(k->out, " {\n    static constexpr uint32_t values = %u;\n", m->elements.values);
    put_axis(k, &m->elements, &m->elements.row, "row", more);
    put_axis(k, &m->elements, &m->elements.column, "column", "");
    zl_puts(k->out, "};\n\n");
}

void zl_pt_function_head(zl_pipe_text *k)
{
    for (uint32_t i = 0; i < k->pipe->events_count; i++) {
        const zl_event *e = &k->pipe->events[i];
        bool old = false;
        int32_t acc = calls(e) && !zl_pt_fragment(k, e) ? matrix_of(k, e) : -1;
        for (uint32_t j = 0; j < i; j++)
            old |= calls(&k->pipe->events[j]) && matrix_of(k, &k->pipe->events[j]) == acc;
        if (acc >= 0 && !old) put_struct(k, acc);
    }
}

void zl_pt_function_call(zl_pipe_text *k, const zl_event *event)
{
    int32_t matrix = matrix_of(k, event);
    if (!k->c) {
        zl_pt_fail(k, "%s is a function of CUDA C, and PTX calls none", event->name);
        return;
    }
    if (matrix < 0)
        zl_pt_fail(k, "nothing says which elements the registers of %s hold", event->name);
    for (uint32_t i = 0; i < event->uses; i++)
        if (!k->acc_registers[event[i].acc])
            zl_pt_fail(k, "%s: nothing says how many registers %s has", event->name,
                       k->pipe->accs[event[i].acc].name);
    if (k->status) return;
    zl_putf(k->out, "%*s::%s(", 4 * ((int)k->indent + 1), "", event->name);
    for (uint32_t i = 0; i < event->uses; i++)
        zl_putf(k->out, "acc_%s, ", k->pipe->accs[event[i].acc].name);
    put_name(k, matrix);
    zl_puts(k->out, "{}, rtid, instance);\n");
}
