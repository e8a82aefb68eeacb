/* SPDX-License-Identifier: Apache-2.0 */
/* Maps in isl's notation: [params] -> { tuple -> tuple : condition; ... } # box extents. */
#include "algebra/presburger/claims.h"
#include "algebra/presburger/text/map.h"
#include "algebra/presburger/text/parse.h"

#include <string.h>

/* What all basic maps of a text share. */
typedef struct whole {
    zlay_ctx *ctx;
    zl_world w; /* of the claims, each read in a world of its own */
    zl_claims claims;
    char *text; /* comments blanked out */
    size_t length, first;
    zl_name *param;
    uint64_t *extent, *out_size; /* of a comment, or NULL */
} whole;

/* One basic map. */
typedef struct item {
    zl_map_reader p;
    size_t outs;
    zl_row const **value;
    zl_cases cases;
} item;

/* ---- one basic map ---------------------------------------------------------------------- */

static zlay_status put_equal(item *m, zl_quasi *a, size_t v)
{
    zl_cases one;
    zl_quasi_put(a, v, -a->den);
    zlay_status status = zl_cases_row(&m->p.w, &one, a, true);
    return status ? status : zl_cases_and(&m->p.w, &m->cases, &one);
}

/* A word alone in its place, or before `=`: the name of that place. */
static size_t place_name(zl_map_reader *p)
{
    size_t length = zl_cursor_word(&p->c), at = p->c.at + length;
    while (length && at < p->c.length && p->c.text[at] == ' ') at++;
    char next = length && at < p->c.length ? p->c.text[at] : 0;
    if (next != ',' && next != ']' && next != '=') return 0;
    if (zl_reader_is_keyword(p->c.text + p->c.at, length)) return 0;
    return length;
}

/* An entry that says what variable v is: a name, `name = x`, or x. */
static zlay_status read_place(item *m, size_t v, zl_quasi *a)
{
    size_t length = place_name(&m->p);
    const char *text = m->p.c.text + m->p.c.at;
    if (length && !zl_reader_find(&m->p, text, length)) {
        zlay_status status = zl_reader_declare(&m->p, text, length, v);
        m->p.c.at += length;
        if (status || !zl_cursor_take(&m->p.c, '=')) return status;
    }
    zlay_status status = zl_read_expression(&m->p, a);
    return status ? status : put_equal(m, a, v);
}

static zlay_status read_in(item *m, size_t i)
{
    zl_quasi *a = zl_quasi_new(&m->p.w);
    if (!a) return ZLAY_ENOMEM;
    zlay_status status = read_place(m, m->p.w.params + i, a);
    zl_quasi_drop(&m->p.w, a);
    return status;
}

static bool is_new(item *m)
{
    size_t length = place_name(&m->p);
    return length && !zl_reader_find(&m->p, m->p.c.text + m->p.c.at, length);
}

/* x / n is a value where n divides x. */
static zlay_status whole_value(item *m, zl_quasi *a)
{
    zl_cases one;
    int64_t den = a->den;
    if (den == 1) return ZLAY_OK;
    zl_quasi *rest = zl_quasi_new(&m->p.w);
    if (!rest) return ZLAY_ENOMEM;
    zl_quasi_copy(rest, a);
    zlay_status status = zl_quasi_floor(&m->p.w, a);
    if (!status) status = zl_quasi_add(&m->p.w, rest, a, -1);
    if (!status) status = zl_cases_row(&m->p.w, &one, rest, true);
    zl_quasi_drop(&m->p.w, rest);
    return status ? status : zl_cases_and(&m->p.w, &m->cases, &one);
}

/* An output: an expression, or a new name that the condition defines. */
static zlay_status read_value(item *m, zl_quasi *a)
{
    size_t v;
    if (!is_new(m)) {
        zlay_status status = zl_read_expression(&m->p, a);
        return status ? status : whole_value(m, a);
    }
    zlay_status status = zl_world_free_variable(&m->p.w, &v);
    if (!status) status = read_place(m, v, a);
    zl_quasi_set(a, 0);
    zl_quasi_put(a, v, 1);
    return status;
}

static zlay_status read_out(item *m, size_t i)
{
    zl_quasi *a = zl_quasi_new(&m->p.w);
    if (!a) return ZLAY_ENOMEM;
    zlay_status status = read_value(m, a);
    m->value[i] = status ? NULL : zl_row_new(&m->p.w, a, false);
    zl_quasi_drop(&m->p.w, a);
    return status ? status : m->value[i] ? ZLAY_OK : ZLAY_ENOMEM;
}

static zlay_status read_tuple(item *m, size_t count, zlay_status (*entry)(item *m, size_t i))
{
    zlay_status status;
    if (zl_cursor_word(&m->p.c)) m->p.c.at += zl_cursor_word(&m->p.c);
    status = zl_cursor_want(&m->p.c, '[');
    for (size_t i = 0; i < count && !status; i++) {
        status = entry(m, i);
        if (!status && i + 1 < count) status = zl_cursor_want(&m->p.c, ',');
    }
    return status ? status : zl_cursor_want(&m->p.c, ']');
}

static zlay_status read_condition(item *m)
{
    zl_cases more;
    if (!zl_cursor_take(&m->p.c, ':')) return ZLAY_OK;
    zlay_status status = zl_read_formula(&m->p, &more);
    return status ? status : zl_cases_and(&m->p.w, &m->cases, &more);
}

static zlay_status solve_left(item *m, zl_claims *to, const zl_claim *claim, size_t byte)
{
    zlay_status status = zl_solve_by_isl(to, claim);
    if (status != ZLAY_NONE) return status;
    return zl_cursor_refuse(&m->p.c, ZLAY_EINVAL, byte, "the condition gives no single value");
}

static zlay_status put_case(item *m, zl_claims *to, size_t i, size_t byte)
{
    zl_claim claim = {{0}, zl_scratch(m->p.w.ctx, m->outs, sizeof *claim.value)};
    bool possible = true;
    size_t left;
    if (!claim.value) return ZLAY_ENOMEM;
    for (size_t r = 0; r < m->outs; r++) claim.value[r] = m->value[r];
    zlay_status status = zl_guard_put_all(&m->p.w, &claim.guard, &m->cases.at[i]);
    if (!status)
        status = zl_solve(&m->p.w, &claim.guard, claim.value, m->outs, 0, &possible, &left);
    if (status || !possible) return status;
    return left ? solve_left(m, to, &claim, byte) : zl_claims_put(to, claim);
}

/* Into the world of the whole text, which has the divisions of what is kept only. */
static zlay_status hand_over(item *m, whole *t, size_t byte)
{
    zl_claims own = {&m->p.w, m->outs, 0, 0, NULL};
    zl_pieces p;
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < m->cases.count && !status; i++) status = put_case(m, &own, i, byte);
    if (!status) status = zl_claims_dense(&own, &p, NULL, NULL);
    if (status) return status;
    t->w.idle = m->p.w.idle; /* the item needs no more forms */
    return zl_claims_import(&t->claims, &p, NULL);
}

static zlay_status read_map(item *m)
{
    m->value = zl_scratch(m->p.w.ctx, m->outs, sizeof *m->value);
    zlay_status status = m->value ? zl_cases_true(&m->p.w, &m->cases) : ZLAY_ENOMEM;
    if (!status) status = read_tuple(m, m->p.w.dims, read_in);
    if (!status && !zl_cursor_symbol(&m->p.c, "->")) status = zl_cursor_fail(&m->p.c, "'->'");
    if (!status) status = read_tuple(m, m->outs, read_out);
    if (!status && m->p.side.count) status = zl_cases_and(&m->p.w, &m->cases, &m->p.side);
    m->p.side = (zl_cases){0};
    return status ? status : read_condition(m);
}

static zlay_status read_item(zl_cursor *c, whole *t)
{
    item m = {.p = {.c = *c}, .outs = t->claims.outs};
    size_t byte = c->at;
    zlay_status status = ZLAY_OK;
    zl_world_begin(&m.p.w, t->ctx, t->w.params, t->w.dims, t->param);
    m.p.w.idle = t->w.idle;
    for (size_t i = 0; i < t->w.params && !status; i++)
        status = zl_reader_declare(&m.p, t->param[i].text, strlen(t->param[i].text), i);
    if (!status) status = read_map(&m);
    c->at = m.p.c.at;
    if (!status) status = zl_cursor_place(&m.p.c, hand_over(&m, t, byte), byte);
    return status;
}

/* ---- the whole text ----------------------------------------------------------------------- */

/* Entries of the tuple at the cursor, its name skipped; the cursor stays. */
static size_t count_places(const zl_cursor *c, size_t *end)
{
    size_t depth = 0, count = 0, at = c->at;
    while (at < c->length && c->text[at] != '[') at++;
    for (bool any = false; at < c->length; at++) {
        char x = c->text[at];
        if (x == '[' || x == '(') depth++;
        else if (x != ' ' && x != ']' && x != ')') any = true;
        if (x == ',' && depth == 1) count++;
        if ((x == ']' || x == ')') && !--depth) {
            *end = at + 1;
            return count + any;
        }
    }
    *end = at;
    return 0;
}

static zlay_status read_counts(zl_cursor *c, whole *t)
{
    zl_cursor out = *c;
    uint64_t most = zl_limits(t->ctx)->dims;
    zl_world_known(&t->w, t->w.params, count_places(c, &out.at));
    t->claims.outs = count_places(&out, &out.at);
    size_t count = t->w.dims > t->claims.outs ? t->w.dims : t->claims.outs;
    if (count > most || t->w.count >= ZL_PIECE_VARIABLES)
        return zl_fail(t->ctx, ZLAY_ELIMIT, "limits.dims is %llu and a tuple has %zu",
                       (unsigned long long)most, count);
    return t->claims.outs ? ZLAY_OK : zl_cursor_fail(c, "[...] -> [...], with an output");
}

static zlay_status read_param(zl_cursor *c, whole *t)
{
    zl_map_reader p = {.c = *c};
    size_t length = zl_cursor_word(&p.c), i = t->w.params;
    const char *text = c->text + p.c.at;
    bool fits = length && length < sizeof t->param->text - 3 && !memchr(text, '\'', length);
    if (!fits || zl_reader_is_keyword(text, length))
        return zl_cursor_fail(c, "the name of a parameter");
    for (size_t k = 0; k < i; k++)
        if (strlen(t->param[k].text) == length && !memcmp(t->param[k].text, text, length))
            return zl_cursor_fail(c, "a name that is not there already");
    memcpy(t->param[i].text, text, length);
    zl_world_known(&t->w, i + 1, 0);
    c->at = p.c.at + length;
    return ZLAY_OK;
}

static zlay_status read_params(zl_cursor *c, whole *t)
{
    uint64_t most = zl_limits(t->ctx)->dims;
    zlay_status status = ZLAY_OK;
    if (!zl_cursor_take(c, '[')) return ZLAY_OK;
    t->param = zl_scratch(t->w.ctx, most < 128 ? most : 128, sizeof *t->param);
    if (!t->param) return ZLAY_ENOMEM;
    if (zl_cursor_peek(c) != ']') do {
        if (t->w.params == (most < 128 ? most : 128))
            return zl_fail(t->ctx, ZLAY_ELIMIT, "limits.dims is %llu and there are more parameters",
                           (unsigned long long)most);
        status = read_param(c, t);
    } while (!status && zl_cursor_take(c, ','));
    if (!status) status = zl_cursor_want(c, ']');
    t->w.param = t->param;
    return status || zl_cursor_symbol(c, "->") ? status : zl_cursor_fail(c, "'->'");
}

static zlay_status read_items(zl_cursor *c, whole *t)
{
    zlay_status status = zl_cursor_want(c, '{');
    if (!status) status = read_counts(c, t);
    while (!status) {
        status = read_item(c, t);
        if (status || !zl_cursor_take(c, ';') || zl_cursor_peek(c) == '}') break;
    }
    if (!status) status = zl_cursor_want(c, '}');
    return status ? status : zl_cursor_end(c);
}

/* ---- comments: `# box 10,4` and `# out 8,8` behind the text keep what isl has no words for - */

static zlay_status read_sizes(zl_cursor *c, whole *t, uint64_t **out, size_t count)
{
    zlay_status status = ZLAY_OK;
    *out = zl_scratch(t->w.ctx, count, sizeof **out);
    if (!*out) return ZLAY_ENOMEM;
    for (size_t i = 0; i < count && !status; i++) {
        status = zl_cursor_unsigned(c, &(*out)[i]);
        if (!status && (!(*out)[i] || (*out)[i] > INT64_MAX))
            status = zl_cursor_refuse(c, ZLAY_EINVAL, c->at, "no size of 63 bits");
        if (!status && i + 1 < count) status = zl_cursor_want(c, ',');
    }
    return status;
}

static zlay_status read_comment(zl_cursor *c, whole *t, size_t dims)
{
    zlay_status status = ZLAY_OK;
    if (zl_cursor_symbol(c, "box ")) status = read_sizes(c, t, &t->extent, dims);
    if (!status && zl_cursor_symbol(c, "out "))
        status = read_sizes(c, t, &t->out_size, t->claims.outs);
    return status ? status : zl_cursor_end(c);
}

/* Comments become blanks, so that bytes keep their places; *last is where the last one begins. */
static void blank_comments(whole *t, const char *text, size_t *last)
{
    bool inside = false;
    *last = t->length;
    for (size_t i = 0; i < t->length; i++) {
        if (text[i] == '#' && !inside) *last = i;
        inside = text[i] != '\n' && (inside || text[i] == '#');
        t->text[i] = inside ? ' ' : text[i];
    }
}

static bool is_frame(const char *text, size_t length)
{
    return (length > 6 && !memcmp(text, "# box ", 6)) || (length > 6 && !memcmp(text, "# out ", 6));
}

static zlay_status read_text(whole *t, const char *text, zlay_layout **out)
{
    size_t last;
    blank_comments(t, text, &last);
    zl_cursor c = {.ctx = t->ctx,
                   .text = t->text,
                   .length = t->length,
                   .first = t->first,
                   .mark = '\''};
    zl_cursor comment = c;
    comment.text = text;
    comment.at = last + 1;
    zlay_status status = read_params(&c, t);
    if (!status) status = read_items(&c, t);
    if (!status && is_frame(text + last, t->length - last))
        status = read_comment(&comment, t, t->w.dims);
    zl_claims_frame frame = {t->extent, t->out_size};
    return status ? status : zl_claims_layout(&t->claims, out, &frame);
}

zlay_status zl_pieces_parse(zl_cursor *c, zlay_layout **out)
{
    whole t = {.ctx = c->ctx, .length = c->length, .first = c->first};
    zl_mark mark = zl_scratch_mark(c->ctx);
    zl_world_begin(&t.w, c->ctx, 0, 0, NULL);
    t.claims.w = &t.w;
    t.text = zl_scratch(t.w.ctx, c->length, 1);
    zlay_status status = t.text ? read_text(&t, c->text, out) : ZLAY_ENOMEM;
    zl_scratch_release(c->ctx, mark);
    return status;
}
