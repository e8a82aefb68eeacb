/* SPDX-License-Identifier: Apache-2.0 */
/* Finds out which elements the registers of a pipe hold that its bodies use. Sums of products and
 * loads from tensor memory say it; a body's matrices are alike, so each use passes it on to the
 * registers beside them, until nothing changes. */
#include "legality/matrix/matrix.h"
#include "emit/pipe/body/body.h"

#include <string.h>

enum { LANES = 128, ROWS_OF_WGMMA = 64, WORD_BITS = 32 };

const zlay_body *zl_pt_body_of(const zl_pipe_text *k, const zl_event *e)
{
    return e->kind == ZL_EV_USE && e->body >= 0 ? k->pipe->bodies[e->body].body : NULL;
}

zlay_status zl_pt_refuse(const zl_pipe_text *k, const zl_event *e, const char *name,
                          const char *what)
{
    return zl_fail(k->ctx, ZLAY_ENOTSUP, "line %u: %.64s %s", e->line, name, what);
}

/* ---- matrices ------------------------------------------------------------------------- */

/* The number of a matrix, which is added if there is none like it. */
static int32_t matrix_add(zl_pipe_text *k, const zl_pt_matrix_of *m)
{
    for (uint32_t i = 0; i < k->matrices_count; i++)
        if (k->matrices[i].divided == m->divided &&
            zl_elements_alike(&k->matrices[i].elements, &m->elements))
            return (int32_t)i;
    k->matrices[k->matrices_count] = *m;
    return (int32_t)k->matrices_count++;
}

zlay_status zl_pt_fragment_read(const zl_pipe_text *k, zl_elements *out, const zlay_mma *mma,
                                 int32_t fragment)
{
    zlay_layout *layout = NULL;
    uint32_t columns = fragment == ZLAY_FRAGMENT_D ? mma->n : mma->k;
    zlay_status status = zl_mma_fragment(k->ctx, &layout, k->ask->target, mma, fragment);
    if (!status) status = zl_elements_read(k->ctx, out, layout, ROWS_OF_WGMMA, columns);
    zlay_layout_free(layout);
    return status;
}

static zlay_status note(zl_pipe_text *k, int32_t acc, const zl_pt_matrix_of *m, int32_t type,
                        const zl_event *e)
{
    zl_pt_registers *r = &k->registers[acc];
    int32_t matrix = matrix_add(k, m);
    if ((r->matrix >= 0 && r->matrix != matrix) || (r->type >= 0 && r->type != type))
        return zl_pt_refuse(k, e, k->pipe->accs[acc].name,
                      "holds different matrices, and a body uses it");
    *r = (zl_pt_registers){matrix, type, ZLAY_BODY_MATRIX, false};
    return ZLAY_OK;
}

/* Warps divide rows and columns of a product by mma.sync. */
static zlay_status sync_read(const zl_pipe_text *k, zl_pt_matrix_of *m, const zl_sync_warps *w)
{
    zlay_layout *layout = NULL;
    zlay_status status = zl_sync_fragment(k->ctx, &layout, w);
    if (!status)
        status = zl_elements_read(k->ctx, &m->elements, layout, w->grid[0] * w->blocks[0] * ZL_SYNC_ROWS,
                                  w->grid[1] * w->blocks[1] * ZL_SYNC_COLUMNS);
    zlay_layout_free(layout);
    return status;
}

static zlay_status note_sync(zl_pipe_text *k, zl_pt_matrix_of *m, const zl_pt_product *p)
{
    zlay_status status = sync_read(k, m, &p->warps);
    m->divided = 0;
    return status ? status : note(k, p->event->acc, m, p->mma.d, p->event);
}

static zlay_status note_product(zl_pipe_text *k, zl_pt_matrix_of *m, const zl_pt_product *p)
{
    uint32_t parts = p->operand[0].parts;
    if (p->mma.instruction == ZLAY_MMA_SYNC) return note_sync(k, m, p);
    zlay_status status = zl_pt_fragment_read(k, &m->elements, &p->mma, ZLAY_FRAGMENT_D);
    m->divided = p->event->acc_a >= 0 ? -1 : p->operand[0].rows != 0;
    if (!status && parts > 1) status = zl_elements_repeat(k->ctx, &m->elements, parts, false);
    return status ? status : note(k, p->event->acc, m, p->mma.d, p->event);
}

/* A factor in registers of which nothing else says what they hold: as the product reads it, one step of K after the
 * other. */
static zlay_status note_factor(zl_pipe_text *k, zl_pt_matrix_of *m, const zl_pt_product *p)
{
    zlay_status status = zl_pt_fragment_read(k, &m->elements, &p->mma, ZLAY_FRAGMENT_A);
    m->divided = -1;
    if (!status) status = zl_elements_repeat(k->ctx, &m->elements, p->steps, true);
    return status ? status : note(k, p->event->acc_a, m, p->mma.a, p->event);
}

/* What sums in a stage of tensor memory are, as its products say: f32 where none does. */
static int32_t type_in_tmem(const zl_pipe_text *k, int32_t tmem)
{
    for (uint32_t i = 0; i < k->products_count; i++)
        if (k->products[i].event->tmem[0] == tmem) return k->products[i].mma.d;
    return ZLAY_TYPE_F32;
}

/* Thread t of the four warps has lane t, its registers the columns, which count from the stage's first. */
static zlay_status note_load(zl_pipe_text *k, zl_pt_matrix_of *m, const zl_event *e)
{
    uint32_t columns = e->columns[1] - e->columns[0] + 1;
    zl_elements *el = &m->elements;
    *m = (zl_pt_matrix_of){.divided = 0};
    if (columns > ZL_ELEMENT_VALUES) return ZLAY_OK;
    *el = (zl_elements){.values = columns, .threads = LANES};
    el->row.extent = LANES;
    el->row.count = 1;
    el->column.extent = e->columns[1] + 1;
    el->column.count = columns;
    for (uint32_t i = 0; i < columns; i++) {
        el->column.of[i] = (uint16_t)i;
        el->column.offset[i] = e->columns[0] + i;
    }
    for (uint32_t b = 0; 1u << b < LANES; b++) el->row.bit[b] = 1u << b;
    return note(k, e->acc, m, type_in_tmem(k, e->tmem[0]), e);
}

/* Registers of which the request says that they lie as sums of wgmma, which are those of mma.sync by four warps of 16 rows. */
static zlay_status note_stated(zl_pipe_text *k, zl_pt_matrix_of *m, const zlay_pipe_matrix *stated)
{
    const zl_sync_warps warps = {{ROWS_OF_WGMMA / ZL_SYNC_ROWS, 1}, {1, stated->columns / ZL_SYNC_COLUMNS}};
    zlay_status status = sync_read(k, m, &warps);
    m->divided = -1;
    for (uint32_t i = 0; i < k->pipe->accs_count && !status; i++)
        if (!strcmp(k->pipe->accs[i].name, stated->name))
            status = note(k, (int32_t)i, m, ZLAY_TYPE_F32, &k->pipe->events[0]);
    return status;
}

/* Whether a use asks which elements its registers hold. */
static bool asks(const zl_event *e)
{
    return e->kind == ZL_EV_USE && (e->body >= 0 || e->name[0]);
}

/* Whether an event writes registers by the layout of a stage. */
static bool places(const zl_pipe_text *k, const zl_event *e)
{
    if (e->kind != ZL_EV_WRITE || e->smem[0] < 0 || e->acc < 0) return false;
    for (uint32_t i = 0; i < k->ask->operands_count; i++)
        if (!strcmp(k->ask->operands[i].smem, k->pipe->smems[e->smem[0]].name)) return true;
    return false;
}

static bool used(const zl_pipe_text *k, int32_t acc)
{
    for (uint32_t i = 0; i < k->pipe->events_count; i++) {
        const zl_event *e = &k->pipe->events[i];
        if (e->acc == acc && places(k, e)) return true;
        for (uint32_t j = 0; asks(e) && j < e->uses; j++)
            if (e[j].acc == acc) return true;
    }
    return false;
}

static zlay_status note_all(zl_pipe_text *k, zl_pt_matrix_of *m)
{
    zlay_status status = ZLAY_OK;
    for (uint32_t i = 0; i < k->ask->matrices_count && !status; i++)
        status = note_stated(k, m, &k->ask->matrices[i]);
    for (uint32_t i = 0; i < k->products_count && !status; i++)
        if (!k->products[i].like && k->products[i].event->acc >= 0 &&
            used(k, k->products[i].event->acc))
            status = note_product(k, m, &k->products[i]);
    for (uint32_t i = 0; i < k->pipe->events_count && !status; i++)
        if (k->pipe->events[i].kind == ZL_EV_TLD && used(k, k->pipe->events[i].acc))
            status = note_load(k, m, &k->pipe->events[i]);
    return status;
}

/* ---- uses ------------------------------------------------------------------------------ */

void zl_pt_bind(const zl_event *event, const zlay_body *body, int32_t acc[ZL_BODY_OPERANDS])
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < body->operands_count; i++)
        acc[i] = body->operands[i].sort < ZLAY_BODY_SCALAR ? event[next++].acc : -1;
}

/* Whether registers of this sort say which matrix goes with them. */
static int32_t matrix_of(const zl_pipe_text *k, const zlay_body *body, const int32_t *acc)
{
    int32_t found = -1;
    for (uint32_t i = 0; i < body->operands_count; i++) {
        if (acc[i] < 0 || k->registers[acc[i]].matrix < 0) continue;
        if (body->operands[i].sort == ZLAY_BODY_MATRIX) return k->registers[acc[i]].matrix;
        found = k->registers[acc[i]].matrix;
    }
    return found;
}

static bool goes_with(const zl_pipe_text *k, int32_t sort, int32_t known, int32_t matrix)
{
    const zl_elements *a = &k->matrices[known].elements, *b = &k->matrices[matrix].elements;
    if (known == matrix) return true;
    if (sort == ZLAY_BODY_MATRIX || sort == ZLAY_BODY_COLUMN) return false;
    int d = k->matrices[known].divided, e = k->matrices[matrix].divided;
    return (d == e || d < 0 || e < 0) && zl_elements_rows_alike(a, b);
}

static zlay_status pass_on(zl_pipe_text *k, const zl_event *e, bool *changed)
{
    const zlay_body *body = zl_pt_body_of(k, e);
    int32_t acc[ZL_BODY_OPERANDS];
    zl_pt_bind(e, body, acc);
    int32_t matrix = matrix_of(k, body, acc);
    for (uint32_t i = 0; i < body->operands_count && matrix >= 0; i++) {
        const zlay_body_operand *o = &body->operands[i];
        if (acc[i] < 0) continue;
        zl_pt_registers *r = &k->registers[acc[i]];
        if (r->matrix < 0) {
            *r = (zl_pt_registers){matrix, o->type, o->sort, false};
            *changed = true;
        }
        if (r->type != o->type || r->sort != o->sort)
            return zl_pt_refuse(k, e, k->pipe->accs[acc[i]].name, "has another type or shape elsewhere");
        if (!goes_with(k, o->sort, r->matrix, matrix))
            return zl_pt_refuse(k, e, k->pipe->accs[acc[i]].name,
                          "lies in other threads than the matrix beside it");
    }
    return ZLAY_OK;
}

static zlay_status uses_known(zl_pipe_text *k)
{
    for (uint32_t i = 0; i < k->pipe->events_count; i++) {
        const zl_event *e = &k->pipe->events[i];
        if (!zl_pt_body_of(k, e) || zl_pt_fragment(k, e)) continue;
        if (k->registers[e->acc].matrix < 0)
            return zl_pt_refuse(k, e, k->pipe->accs[e->acc].name,
                          "is no sum of a product, and stands beside none: nothing says which "
                          "elements a thread has");
    }
    return ZLAY_OK;
}

/* Passes matrices on from register to register until nothing changes. */
static zlay_status pass_all(zl_pipe_text *k)
{
    zlay_status status = ZLAY_OK;
    for (bool changed = true; changed && !status;) {
        changed = false;
        for (uint32_t i = 0; i < k->pipe->events_count && !status; i++)
            if (zl_pt_body_of(k, &k->pipe->events[i])) status = pass_on(k, &k->pipe->events[i], &changed);
    }
    return status;
}

static zlay_status note_factors(zl_pipe_text *k, zl_pt_matrix_of *m)
{
    zlay_status status = ZLAY_OK;
    for (uint32_t i = 0; i < k->products_count && !status; i++) {
        const zl_pt_product *p = &k->products[i];
        if (p->like || p->event->acc_a < 0 || k->registers[p->event->acc_a].matrix >= 0) continue;
        if (used(k, p->event->acc_a)) status = note_factor(k, m, p);
    }
    return status ? status : pass_all(k);
}

/* ---- arguments --------------------------------------------------------------------------- */

static bool is_argument(const zlay_body_operand *o)
{
    return o->sort == ZLAY_BODY_SCALAR || zl_body_array(o);
}

/* The first operand of the pipe's bodies that is an argument of this name. */
static const zlay_body_operand *argument_of(const zl_pipe_text *k, const char *name)
{
    for (uint32_t b = 0; b < k->pipe->bodies_count; b++) {
        const zlay_body *body = k->pipe->bodies[b].body;
        for (uint32_t j = 0; j < body->operands_count; j++) {
            const zlay_body_operand *o = &body->operands[j];
            if (is_argument(o) && !strcmp(o->name, name)) return o;
        }
    }
    return NULL;
}

bool zl_pt_body_argument(const zl_pipe_text *k, uint32_t i, const zlay_body_operand **out)
{
    for (uint32_t b = 0; b < k->pipe->bodies_count; b++) {
        const zlay_body *body = k->pipe->bodies[b].body;
        for (uint32_t j = 0; j < body->operands_count; j++)
            if (argument_of(k, body->operands[j].name) == &body->operands[j] && !i--) {
                *out = &body->operands[j];
                return true;
            }
    }
    return false;
}

/* Nothing reads what bodies store: an array of lengths is no output. */
static zlay_status output_check(const zl_pipe_text *k, const zlay_body_operand *o)
{
    for (uint32_t i = 0; i < k->ask->lengths_count && o->sort == ZLAY_BODY_OUTPUT; i++)
        if (!strcmp(k->ask->lengths[i].name, o->name))
            return zl_fail(k->ctx, ZLAY_EINVAL, "lengths %.64s: a body stores to it", o->name);
    return ZLAY_OK;
}

/* One name is one argument, of one type. */
static zlay_status arguments_check(const zl_pipe_text *k)
{
    for (uint32_t b = 0; b < k->pipe->bodies_count; b++) {
        const zlay_body *body = k->pipe->bodies[b].body;
        for (uint32_t j = 0; j < body->operands_count; j++) {
            const zlay_body_operand *o = &body->operands[j], *first = argument_of(k, o->name);
            if (!first || !is_argument(o)) continue;
            if (first->sort != o->sort || first->type != o->type)
                return zl_fail(k->ctx, ZLAY_EINVAL, "body %s: %.64s is an argument of another sort or type elsewhere",
                               body->name, o->name);
            zlay_status status = output_check(k, o);
            if (status) return status;
        }
    }
    return ZLAY_OK;
}

zlay_status zl_pt_bodies(zl_pipe_text *k)
{
    k->matrices_count = 0;
    for (uint32_t i = 0; i < ZL_PT_NAMES; i++) k->registers[i] = (zl_pt_registers){-1, -1, -1, false};
    bool some = false;
    for (uint32_t i = 0; i < k->pipe->events_count; i++) 
        some |= asks(&k->pipe->events[i]) || places(k, &k->pipe->events[i]);
    if (!some) return ZLAY_OK;
    zl_pt_matrix_of *m = zl_scratch(k->ctx, 1 + k->pipe->accs_count, sizeof *m);
    if (!m) return ZLAY_ENOMEM;
    k->matrices = m + 1;
    zlay_status status = arguments_check(k);
    if (!status) status = note_all(k, m);
    if (!status) status = pass_all(k);
    if (!status) status = note_factors(k, m);
    return status ? status : uses_known(k);
}

uint32_t zl_pt_registers_of(const zl_pipe_text *k, int32_t acc)
{
    const zl_pt_registers *r = &k->registers[acc];
    if (r->matrix < 0) return 0;
    const zl_elements *e = &k->matrices[r->matrix].elements;
    switch (r->sort) {
    case ZLAY_BODY_MATRIX: return e->values * zlay_type_bits(r->type) / WORD_BITS;
    case ZLAY_BODY_COLUMN: return e->column.count;
    default: return e->row.count;
    }
}
