/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts applied to forms: strided and swizzled ones by mixed radix, pieces by substitution.
 *
 * A bit of x is floor(x / 2^k) - 2 floor(x / 2^(k+1)), and the XOR of bits their sum modulo 2. */
#include "algebra/presburger/draft.h"


/* ---- strided: every group of modes has a form of its own ------------------------------- */

typedef struct group {
    size_t first, end; /* modes */
    bool splits;       /* its form may have either sign */
    bool minus;        /* and is negative now: mirrored */
} group;

typedef struct strided {
    zl_draft *d;
    const zlay_layout *a;
    const zl_quasi *at;
    size_t count;
    group group[ZL_PIECE_VARIABLES];
    zl_quasi value;
} strided;

static void find_groups(strided *s)
{
    const zlay_layout *a = s->a;
    uint32_t outer = a->mode[0].open ? 1 : 0;
    size_t first = 0;
    for (size_t i = 0; i < s->count; i++, outer = 0) {
        group *g = &s->group[i];
        zl_value_range r = zl_draft_range(s->d, &s->at[i]);
        g->first = first;
        g->end = s->count == 1 ? a->modes
                               : zl_part_end(a->mode, first, a->mode[first].open - outer);
        g->splits = r.least < 0 && r.greatest >= 0;
        g->minus = r.greatest < 0;
        first = g->end;
    }
}

/* All digits but the last are remainders; the last has no bound. */
static zlay_status add_modes(strided *s, const group *g, const zl_quasi *form, int64_t sign)
{
    const zl_mode *mode = s->a->mode;
    zl_quasi rest, quotient;
    zlay_status status = ZLAY_OK;
    zl_quasi_copy(&rest, form);
    for (size_t i = g->first; i < g->end && !status; i++) {
        int64_t step = sign * mode[i].stride, back;
        status = zl_quasi_add(&s->d->w, &s->value, &rest, step);
        if (status || i + 1 == g->end) break;
        status = zl_draft_div(s->d, &quotient, &rest, mode[i].shape);
        if (!status && !zl_mul(step, -mode[i].shape, &back))
            status = zl_fail(s->d->w.ctx, ZLAY_EOVERFLOW, "a stride does not fit 64 bits");
        if (!status) status = zl_quasi_add(&s->d->w, &s->value, &quotient, back);
        if (!status) zl_quasi_copy(&rest, &quotient);
    }
    return status;
}

static zlay_status add_group(strided *s, size_t i, bool *dead)
{
    const group *g = &s->group[i];
    zl_quasi mirrored;
    zlay_status status = ZLAY_OK;
    if (!g->minus) {
        if (g->splits) status = zl_draft_guard(s->d, &s->at[i], false, dead);
        return status || *dead ? status : add_modes(s, g, &s->at[i], 1);
    }
    zl_quasi_set(&mirrored, 0);
    status = zl_quasi_add(&s->d->w, &mirrored, &s->at[i], -1);
    mirrored.constant--;
    if (!status && g->splits) status = zl_draft_guard(s->d, &mirrored, false, dead);
    mirrored.constant++;
    return status || *dead ? status : add_modes(s, g, &mirrored, -1);
}

static zlay_status bit_of(zl_draft *d, zl_quasi *out, const zl_quasi *form, int bit)
{
    zl_quasi low;
    zlay_status status = zl_draft_div(d, &low, form, (int64_t)1 << bit);
    return status ? status : zl_draft_mod(d, out, &low, 2);
}

/* The target bit t becomes s + t - 2 floor((s + t) / 2), so the value gains s - 2 floor(..). */
static zlay_status swizzle_bit(strided *s, zl_quasi *out, int from, int to)
{
    zl_quasi source, both, carry;
    zlay_status status = bit_of(s->d, &source, &s->value, from);
    if (!status) status = bit_of(s->d, &both, &s->value, to);
    if (!status) status = zl_quasi_add(&s->d->w, &both, &source, 1);
    if (!status) status = zl_draft_div(s->d, &carry, &both, 2);
    if (!status) status = zl_quasi_add(&s->d->w, &source, &carry, -2);
    return status ? status : zl_quasi_add(&s->d->w, out, &source, (int64_t)1 << to);
}

/* A swizzle permutes each aligned block of 2^(bits + base + |shift|) integers, so its values stay
 * between the ends of the outermost blocks that its arguments reach. */
static zl_value_range block_range(zl_value_range r, zl_swizzle w)
{
    int64_t block = (int64_t)1 << (w.bits + w.base + (w.shift < 0 ? -w.shift : w.shift));
    if (r.least > INT64_MIN) r.least &= -block;
    if (r.greatest < INT64_MAX) r.greatest |= block - 1;
    return r;
}

static zlay_status swizzle(strided *s)
{
    zl_swizzle w = s->a->swizzle;
    zl_quasi out;
    zl_value_range range = zl_draft_range(s->d, &s->value);
    zlay_status status = ZLAY_OK;
    zl_quasi_copy(&out, &s->value);
    for (int b = 0; b < w.bits && !status; b++) {
        int from = w.base + b + (w.shift > 0 ? w.shift : 0);
        int to = w.base + b - (w.shift < 0 ? w.shift : 0);
        status = swizzle_bit(s, &out, from, to);
    }
    zl_quasi_copy(&s->value, &out);
    if (!status && w.bits) zl_draft_know(s->d, &out, block_range(range, w));
    return status;
}

static zlay_status one_sign(strided *s, zl_visit *visit, void *env)
{
    bool dead = false;
    size_t before = s->d->guards.count;
    zlay_status status = ZLAY_OK;
    zl_quasi_set(&s->value, s->a->offset);
    for (size_t i = 0; i < s->count && !status && !dead; i++) status = add_group(s, i, &dead);
    if (!status && !dead) status = swizzle(s);
    if (!status && !dead) status = visit(s->d, &s->value, env);
    s->d->guards.count = before;
    return status;
}

/* The next choice of signs, as a binary number counts; false after the last. */
static bool next_signs(strided *s)
{
    for (size_t i = 0; i < s->count; i++) {
        group *g = &s->group[i];
        if (!g->splits) continue;
        g->minus = !g->minus;
        if (g->minus) return true;
    }
    return false;
}

static zlay_status limit_signs(const strided *s)
{
    uint64_t count = 1, limit = zl_limits(s->d->w.ctx)->pieces;
    for (size_t i = 0; i < s->count; i++)
        if (s->group[i].splits) count = zl_umul_sat(count, 2);
    if (count <= limit) return ZLAY_OK;
    return zl_fail(s->d->w.ctx, ZLAY_ELIMIT,
                   "limits.pieces is %llu and the signs alone ask for %llu",
                   (unsigned long long)limit, (unsigned long long)count);
}

static zlay_status strided_walk(zl_draft *d, const zlay_layout *a, const zl_quasi *at, size_t count,
                                zl_visit *visit, void *env)
{
    strided s;
    s.d = d;
    s.a = a;
    s.at = at;
    s.count = count;
    find_groups(&s);
    zlay_status status = limit_signs(&s);
    if (!status)
        do status = one_sign(&s, visit, env);
        while (!status && next_signs(&s));
    return status;
}

/* ---- pieces: forms for variables ---------------------------------------------------------- */

typedef struct substitution {
    zl_draft *d;
    const zl_pieces *p;
    zl_quasi *variable, *value;
    zl_visit *visit;
    void *env;
} substitution;

static zlay_status substitute(substitution *s, zl_quasi *out, const int64_t *row)
{
    zlay_status status = ZLAY_OK;
    zl_quasi_set(out, row[0]);
    for (size_t v = 0; v + 1 < zl_pieces_width(s->p) && !status; v++)
        if (row[1 + v]) status = zl_quasi_add(&s->d->w, out, &s->variable[v], row[1 + v]);
    return status;
}

static void name_params(substitution *s)
{
    for (size_t i = 0; i < s->p->params; i++) {
        const zl_world *w = &s->d->w;
        size_t j = zl_param_find(w->param, w->params, s->p->param[i].text);
        zl_quasi_set(&s->variable[i], 0);
        if (j < w->params) zl_quasi_put(&s->variable[i], j, 1);
    }
}

/* The coordinate of an index, inside the box. */
static zlay_status split_index(substitution *s, const zl_quasi *at, uint64_t size, bool *dead)
{
    const zl_pieces *p = s->p;
    zl_quasi rest, quotient;
    zl_quasi_copy(&rest, at);
    zlay_status status = size ? zl_draft_inside(s->d, at, size, dead) : ZLAY_OK;
    if (!size) s->d->leaves = true;
    for (size_t i = 0; i < p->dims && !status && !*dead; i++) {
        zl_quasi *out = &s->variable[p->params + i];
        zl_quasi_copy(out, &rest);
        if (i + 1 == p->dims) break;
        if (!p->extent[i])
            return zl_fail(s->d->w.ctx, ZLAY_ENOTSUP,
                           "an index into a box whose extent %zu depends on a parameter", i);
        status = zl_draft_div(s->d, &quotient, &rest, (int64_t)p->extent[i]);
        if (!status) status = zl_quasi_add(&s->d->w, out, &quotient, -(int64_t)p->extent[i]);
        if (!status) zl_quasi_copy(&rest, &quotient);
    }
    return status;
}

static zlay_status take_coordinate(substitution *s, const zl_quasi *at, bool *dead)
{
    const zl_pieces *p = s->p;
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < p->dims && !status && !*dead; i++) {
        zl_quasi_copy(&s->variable[p->params + i], &at[i]);
        if (p->extent[i]) status = zl_draft_inside(s->d, &at[i], p->extent[i], dead);
        else s->d->leaves = true;
    }
    return status;
}

static zlay_status divisions(substitution *s)
{
    const zl_pieces *p = s->p;
    zlay_status status = ZLAY_OK;
    for (size_t q = 0; q < p->divs && !status; q++) {
        zl_quasi num;
        status = substitute(s, &num, p->div + q * zl_pieces_width(p));
        if (!status)
            status = zl_draft_div(s->d, &s->variable[p->params + p->dims + q], &num, p->den[q]);
    }
    return status;
}

static zlay_status guards(substitution *s, const zl_piece *piece, bool *dead)
{
    zlay_status status = ZLAY_OK;
    for (size_t r = 0; r < piece->equals + piece->leasts && !status && !*dead; r++) {
        zl_quasi form;
        status = substitute(s, &form, piece->guard + r * zl_pieces_width(s->p));
        if (!status) status = zl_draft_guard(s->d, &form, r < piece->equals, dead);
    }
    return status;
}

static zlay_status one_piece(substitution *s, const zl_piece *piece)
{
    bool dead = false;
    size_t before = s->d->guards.count;
    zlay_status status = guards(s, piece, &dead);
    for (size_t r = 0; r < s->p->outs && !status && !dead; r++)
        status = substitute(s, &s->value[r], piece->value + r * zl_pieces_width(s->p));
    if (!status && !dead) status = s->visit(s->d, s->value, s->env);
    s->d->guards.count = before;
    return status;
}

static zlay_status all_pieces(substitution *s, const zlay_layout *a, const zl_quasi *at,
                              size_t count)
{
    bool dead = false;
    size_t before = s->d->guards.count;
    name_params(s);
    zlay_status status = count == s->p->dims && count != 1 ? take_coordinate(s, at, &dead)
                                                           : split_index(s, at, a->size, &dead);
    if (!status && !dead) status = divisions(s);
    for (size_t i = 0; i < s->p->count && !status && !dead; i++)
        status = one_piece(s, &s->p->piece[i]);
    s->d->guards.count = before;
    return status;
}

static zlay_status pieces_walk(zl_draft *d, const zlay_layout *a, const zl_quasi *at, size_t count,
                               zl_visit *visit, void *env)
{
    zlay_allocator alloc = zl_allocator(d->w.ctx);
    const zl_pieces *p = &a->pieces;
    size_t variables = p->params + p->dims + p->divs, forms = variables + p->outs;
    substitution s = {.d = d, .p = p, .visit = visit, .env = env};
    if (!(s.variable = zl_alloc(d->w.ctx, forms, sizeof *s.variable))) return ZLAY_ENOMEM;
    s.value = s.variable + variables;
    zlay_status status = all_pieces(&s, a, at, count);
    zl_free(&alloc, s.variable, forms * sizeof *s.variable);
    return status;
}

/* ---- any kind -------------------------------------------------------------------------------- */

zlay_status zl_draft_walk(zl_draft *d, const zlay_layout *a, const zl_quasi *at, size_t count,
                          zl_visit *visit, void *env)
{
    if (a->modes) return strided_walk(d, a, at, count, visit, env);
    if (zl_is_bits(a)) return zl_bits_walk(d, &a->f2, 0, at, count, visit, env);
    if (zl_is_pieces(a)) return pieces_walk(d, a, at, count, visit, env);
    return zl_without_parameters(d->w.ctx, a);
}

zlay_status zl_visit_piece(zl_draft *d, const zl_quasi *values, void *env)
{
    (void)env;
    return zl_draft_piece(d, values);
}

zlay_status zl_draft_apply(zl_draft *d, const zlay_layout *a, const zl_quasi *at, size_t count)
{
    return zl_draft_walk(d, a, at, count, zl_visit_piece, NULL);
}
