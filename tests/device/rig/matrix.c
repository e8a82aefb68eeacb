/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix.h"

enum {
    FLAG_K_OUTER = 1,
    FLAG_CHECK = 2,
    ROWS = 4,
    COLUMNS = 128 /* of a block of the reference */
};

static uint64_t round_up(uint64_t x, uint64_t to) { return (x + to - 1) / to * to; }

matrix matrix_new(rig *r, uint64_t outer, uint64_t inner, uint64_t pitch, uint64_t shift)
{
    matrix m = {.outer = outer, .inner = inner, .pitch = pitch, .margin = MARGIN + shift};
    m.cells = 2 * MARGIN + shift + outer * pitch;
    m.allocation = rig_alloc(r, 2 * m.cells);
    return m;
}

void matrix_free(rig *r, matrix *m)
{
    zlay_device_free(r->device, m->allocation);
    m->allocation = 0;
}

uint64_t matrix_address(const matrix *m) { return m->allocation + 2 * m->margin; }

static void cells_run(rig *r, const matrix *m, int flags)
{
    matrix v = *m;
    int kind = v.kind, all = flags | (v.k_outer ? FLAG_K_OUTER : 0);
    void *parameters[] = {&v.allocation, &v.cells, &v.margin, &v.outer, &v.inner,
                          &v.pitch,      &v.seed,  &kind,     &all,     &r->result};
    rig_run(r, SUPPORT_CELLS, v.cells, parameters);
}

void matrix_fill(rig *r, const matrix *m) { cells_run(r, m, 0); }

uint64_t matrix_changed(rig *r, const matrix *m)
{
    rig_result_clear(r);
    cells_run(r, m, FLAG_CHECK);
    return rig_result_read(r).bad;
}

uint64_t matrix_sum(rig *r, const matrix *m)
{
    matrix v = *m;
    void *parameters[] = {&v.allocation, &v.cells, &r->result};
    rig_result_clear(r);
    rig_run(r, SUPPORT_SUM, v.cells, parameters);
    return rig_result_read(r).sum;
}

/* An operand as float64, k rows of `pitch`. */
static uint64_t wide(rig *r, const matrix *m, uint64_t count, uint64_t k, uint64_t pitch)
{
    uint64_t out = rig_alloc(r, 8 * k * pitch), in = matrix_address(m);
    uint64_t stride_i = m->k_outer ? 1 : m->pitch, stride_k = m->k_outer ? m->pitch : 1;
    void *parameters[] = {&out, &in, &count, &pitch, &k, &stride_i, &stride_k};
    rig_run(r, SUPPORT_WIDE, k * pitch, parameters);
    return out;
}

product product_new(rig *r, const matrix *a, const matrix *b, uint64_t m, uint64_t n, uint64_t k)
{
    uint64_t rows = round_up(m, ROWS), columns = round_up(n, COLUMNS);
    product p = {.m = m, .n = n, .k = k, .pitch = columns};
    uint64_t wide_a = wide(r, a, m, k, rows), wide_b = wide(r, b, n, k, columns);
    p.r = rig_alloc(r, 8 * rows * columns);
    p.s = rig_alloc(r, 8 * rows * columns);
    void *parameters[] = {&wide_a, &wide_b, &rows, &columns, &k, &p.r, &p.s};
    rig_run_grid(r, SUPPORT_REFERENCE, (unsigned)(columns / COLUMNS), (unsigned)(rows / ROWS),
                 parameters);
    rig_must(r, zlay_device_wait(r->ctx, r->device), "reference");
    zlay_device_free(r->device, wide_a);
    zlay_device_free(r->device, wide_b);
    return p;
}

void product_free(rig *r, product *p)
{
    zlay_device_free(r->device, p->r);
    zlay_device_free(r->device, p->s);
}

rig_result product_compare(rig *r, const product *p, const matrix *d, int d_column, int exact)
{
    product v = *p;
    uint64_t at = matrix_address(d), si = d_column ? 1 : d->pitch, sj = d_column ? d->pitch : 1;
    double c = ((double)v.k / 16 + 8) / (1 << 22);
    void *parameters[] = {&at, &si, &sj, &v.r, &v.s, &v.pitch, &v.m, &v.n, &c, &exact, &r->result};
    rig_result_clear(r);
    rig_run(r, SUPPORT_COMPARE, v.m * v.n, parameters);
    return rig_result_read(r);
}
