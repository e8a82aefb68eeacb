/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on integer matrices, and the structure of an affine layout. A matrix is a list of
 * rows, with `shape` where it has none; entries are integers of JSON or, beyond 64 bits, texts. */
#include "base/arith.h"
#include "json/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- fields ------------------------------------------------------------------------------- */

/* The texts of the entries, and room for those of JSON's integers. */
typedef struct entries {
    const char **text;
    char (*own)[24];
} entries;

static zlay_status entries_begin(zl_call *call, entries *e, size_t count)
{
    e->text = zl_scratch(call->ctx, count, sizeof *e->text);
    e->own = zl_scratch(call->ctx, count, sizeof *e->own);
    return e->text && e->own ? ZLAY_OK : ZLAY_ENOMEM;
}

static bool put_entry(entries *e, size_t i, const json_t *value)
{
    e->text[i] = e->own[i];
    if (json_is_integer(value)) {
        snprintf(e->own[i], sizeof e->own[i], "%" PRId64, (int64_t)json_integer_value(value));
        return true;
    }
    e->text[i] = json_string_value(value);
    return e->text[i] && strlen(e->text[i]) == json_string_length(value);
}

static zlay_status make(zl_call *call, const char *name, zlay_zmat **out, const entries *e,
                        size_t rows, size_t cols)
{
    call->in_input = true;
    zlay_status status = zlay_zmat_new_text(call->ctx, out, rows, cols, e->text);
    if (status == ZLAY_EINVAL) return zl_wrong(call, name, "made of integers");
    if (!status) call->in_input = false;
    return status;
}

static zlay_status shape_of(zl_call *call, const json_t *list, size_t *rows, size_t *cols)
{
    const json_t *shape = json_object_get(call->request, "shape");
    uint64_t r = json_array_size(list), c = json_array_size(json_array_get(list, 0));
    if (!json_is_array(list)) return zl_wrong(call, "a", "a list of rows");
    *rows = zl_size_sat(r), *cols = zl_size_sat(c);
    if (!shape) return ZLAY_OK;
    if (json_array_size(shape) != 2 || !zl_json_u64(json_array_get(shape, 0), &r) ||
        !zl_json_u64(json_array_get(shape, 1), &c) || (*rows && r != *rows) ||
        (*rows && c != *cols) || (!*rows && r && c))
        return zl_wrong(call, "shape", "the [rows, columns] of 'a'");
    *rows = zl_size_sat(r), *cols = zl_size_sat(c);
    return ZLAY_OK;
}

static zlay_status fill_rows(zl_call *call, entries *e, const json_t *list, size_t cols)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *row = json_array_get(list, i);
        if (!json_is_array(row) || json_array_size(row) != cols)
            return zl_wrong(call, "a", "a list of rows of one length");
        for (size_t j = 0; j < cols; j++)
            if (!put_entry(e, i * cols + j, json_array_get(row, j)))
                return zl_wrong(call, "a", "a list of rows of integers");
    }
    return ZLAY_OK;
}

static zlay_status read_matrix(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    zlay_zmat **out = to;
    const json_t *list = json_object_get(object, field->name);
    size_t rows = 0, cols = 0;
    entries e = {0};
    zlay_status status = shape_of(call, list, &rows, &cols);
    if (status) return status;
    status = entries_begin(call, &e, rows && cols ? json_array_size(list) * cols : 0);
    if (!status) status = fill_rows(call, &e, list, cols);
    return status ? status : make(call, "a", out, &e, rows, cols);
}

/* A list of `rows` integers, or one integer for all of them. */
static zlay_status get_column(zl_call *call, const char *name, bool one, zlay_zmat **out,
                              size_t rows)
{
    const json_t *list = json_object_get(call->request, name);
    bool many = json_is_array(list);
    entries e = {0};
    if (!many && !one) return zl_wrong(call, name, "a list of integers");
    if (many && json_array_size(list) != rows)
        return zl_fail(call->ctx, ZLAY_EINVAL, "field '%s' has %zu entries, and 'a' %zu rows", name,
                       json_array_size(list), rows);
    zlay_status status = entries_begin(call, &e, rows);
    for (size_t i = 0; i < rows && !status; i++)
        if (!put_entry(&e, i, many ? json_array_get(list, i) : list))
            status = zl_wrong(call, name, "made of integers");
    return status ? status : make(call, name, out, &e, rows, 1);
}

static void drop_matrix(zl_call *call, const zl_field *field, void *from)
{
    (void)call, (void)field;
    zlay_zmat_free(*(zlay_zmat **)from);
}

/* The columns come after the matrix `a`, whose rows they have. */
typedef struct equations {
    zlay_zmat *a, *b, *mod;
} equations;

static zlay_status read_b(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    equations *e = to;
    (void)object;
    return get_column(call, field->name, false, &e->b, zlay_zmat_rows(e->a));
}

static zlay_status read_mod(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    equations *e = to;
    (void)object;
    return get_column(call, field->name, true, &e->mod, zlay_zmat_rows(e->a));
}

static void drop_b(zl_call *call, const zl_field *field, void *from)
{
    drop_matrix(call, field, &((equations *)from)->b);
}

static void drop_mod(zl_call *call, const zl_field *field, void *from)
{
    drop_matrix(call, field, &((equations *)from)->mod);
}

static const zl_field_kind as_matrix = {.read = read_matrix, .drop = drop_matrix, .type = "matrix"},
                           as_b = {.read = read_b, .drop = drop_b, .type = "integers"},
                           as_mod = {.read = read_mod, .drop = drop_mod};
typedef zlay_zmat *as_matrix_type;
typedef equations as_b_type, as_mod_type;

#define MATRIX_ROW {"a", ZL_NEEDS, ZL_AT(as_matrix, equations, a)}
#define SHAPE_ROW ZL_OWN("shape", ZL_MAY)
static const zl_field matrix_rows[] = {MATRIX_ROW, SHAPE_ROW};
static const zl_field system_rows[] = {
    MATRIX_ROW,
    {"b", ZL_NEEDS, ZL_WHOLE(as_b, equations)},
    {"mod", ZL_MAY, ZL_WHOLE(as_mod, equations)},
    SHAPE_ROW,
};
const zl_fields zl_matrix_fields = {ZL_ROWS(matrix_rows, equations)},
                zl_system_fields = {ZL_ROWS(system_rows, equations)};

static const zlay_zmat *asked_matrix(const void *asked) { return ((const equations *)asked)->a; }

/* ---- values ------------------------------------------------------------------------------- */

typedef struct place {
    const zlay_zmat *a;
    size_t row, col;
} place;

static zlay_status print_place(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    const place *p = value;
    (void)ctx;
    return zlay_zmat_print(out, p->a, p->row, p->col);
}

static json_t *entry_value(zl_call *call, const zlay_zmat *a, size_t row, size_t col)
{
    int64_t value;
    zlay_status status;
    place p = {a, row, col};
    if (!zlay_zmat_entry(&value, a, row, col)) return zl_json_int(value);
    json_t *text = zl_json_printed(call, print_place, &p, &status);
    if (!text) call->no_memory = true;
    return text;
}

static json_t *line_value(zl_call *call, const zlay_zmat *a, size_t i, bool column)
{
    json_t *list = json_array();
    size_t count = column ? zlay_zmat_rows(a) : zlay_zmat_cols(a);
    for (size_t j = 0; j < count; j++)
        zl_put_item(call, list, column ? entry_value(call, a, j, i) : entry_value(call, a, i, j));
    return list;
}

static json_t *matrix_value(zl_call *call, const zlay_zmat *a, bool columns)
{
    json_t *list = json_array();
    size_t count = columns ? zlay_zmat_cols(a) : zlay_zmat_rows(a);
    for (size_t i = 0; i < count; i++) zl_put_item(call, list, line_value(call, a, i, columns));
    return list;
}

/* ---- operations --------------------------------------------------------------------------- */

zlay_status zl_op_zmat_snf(zl_call *call, const void *asked)
{
    zlay_zmat *s = NULL, *u = NULL, *v = NULL;
    zlay_status status = zlay_zmat_snf(call->ctx, &s, &u, &v, asked_matrix(asked));
    if (!status) {
        call->value = json_object();
        zl_put_value(call, call->value, "s", line_value(call, s, 0, false));
        zl_put_value(call, call->value, "u", matrix_value(call, u, false));
        zl_put_value(call, call->value, "v", matrix_value(call, v, false));
    }
    zlay_zmat_free(s);
    zlay_zmat_free(u);
    zlay_zmat_free(v);
    return status;
}

zlay_status zl_op_zmat_hnf(zl_call *call, const void *asked)
{
    zlay_zmat *h = NULL, *u = NULL;
    zlay_status status = zlay_zmat_hnf(call->ctx, &h, &u, asked_matrix(asked));
    if (!status) {
        call->value = json_object();
        zl_put_value(call, call->value, "h", matrix_value(call, h, false));
        zl_put_value(call, call->value, "u", matrix_value(call, u, false));
    }
    zlay_zmat_free(h);
    zlay_zmat_free(u);
    return status;
}

zlay_status zl_op_zmat_rank(zl_call *call, const void *asked)
{
    size_t rank;
    zlay_status status = zlay_zmat_rank(call->ctx, &rank, asked_matrix(asked));
    if (!status) call->value = zl_json_uint(rank);
    return status;
}

typedef zlay_status matrix_op(zlay_ctx *ctx, zlay_zmat **out, const zlay_zmat *a);
typedef json_t *matrix_shower(zl_call *call, const zlay_zmat *a);

static zlay_status matrix_to(zl_call *call, const void *asked, matrix_op *op, matrix_shower *show)
{
    zlay_zmat *out = NULL;
    zlay_status status = op(call->ctx, &out, asked_matrix(asked));
    if (!status) call->value = show(call, out);
    zlay_zmat_free(out);
    return status;
}

static json_t *show_columns(zl_call *call, const zlay_zmat *a)
{
    return matrix_value(call, a, true);
}
static json_t *show_rows(zl_call *call, const zlay_zmat *a) { return matrix_value(call, a, false); }
static json_t *show_one(zl_call *call, const zlay_zmat *a) { return entry_value(call, a, 0, 0); }

static zlay_status determinant(zlay_ctx *ctx, zlay_zmat **out, const zlay_zmat *a)
{
    if (zlay_zmat_rows(a) == zlay_zmat_cols(a)) return zlay_zmat_det(ctx, out, a);
    return zl_fail(ctx, ZLAY_EINVAL, "field 'a' has %zu rows and %zu columns, and a determinant "
                   "wants as many", zlay_zmat_rows(a), zlay_zmat_cols(a));
}

zlay_status zl_op_zmat_kernel(zl_call *call, const void *asked)
{
    return matrix_to(call, asked, zlay_zmat_kernel, show_columns);
}

zlay_status zl_op_zmat_det(zl_call *call, const void *asked)
{
    return matrix_to(call, asked, determinant, show_one);
}

zlay_status zl_op_zmat_inverse(zl_call *call, const void *asked)
{
    return matrix_to(call, asked, zlay_zmat_inverse, show_rows);
}

/* ---- systems ------------------------------------------------------------------------------ */

static json_t *rational_value(zl_call *call, const zlay_zmat *w, size_t i, const zlay_zmat *den)
{
    zlay_status status;
    place above = {w, 0, i}, below = {den, 0, 0};
    json_t *up = zl_json_printed(call, print_place, &above, &status);
    json_t *down = zl_json_printed(call, print_place, &below, &status), *value = NULL;
    if (up && down) value = json_sprintf("%s/%s", json_string_value(up), json_string_value(down));
    if (!value) call->no_memory = true;
    json_decref(up);
    json_decref(down);
    return value;
}

/* Keeps the message of the ZLAY_NONE in its place. */
static zlay_status put_witness(zl_call *call, const equations *e)
{
    zlay_zmat *w, *den;
    zlay_status status = zlay_zmat_refute(call->ctx, &w, &den, e->a, e->b, e->mod);
    if (status) return status;
    call->witness = json_array();
    for (size_t i = 0; i < zlay_zmat_cols(w); i++)
        zl_put_item(call, call->witness, rational_value(call, w, i, den));
    zlay_zmat_free(w);
    zlay_zmat_free(den);
    return zl_fail(
        call->ctx, ZLAY_NONE,
        "no solution: w a is integral and w b is not, for the row w of rationals in witness");
}

zlay_status zl_op_zmat_solve(zl_call *call, const void *asked)
{
    const equations *e = asked;
    zlay_zmat *x, *kernel;
    zlay_status status = zlay_zmat_solve(call->ctx, &x, &kernel, e->a, e->b, e->mod);
    if (status == ZLAY_NONE) return put_witness(call, e);
    if (status) return status;
    call->value = json_object();
    zl_put_value(call, call->value, "x", line_value(call, x, 0, true));
    zl_put_value(call, call->value, "kernel", matrix_value(call, kernel, true));
    zlay_zmat_free(x);
    zlay_zmat_free(kernel);
    return ZLAY_OK;
}

/* ---- structure ---------------------------------------------------------------------------- */

static void put_matrix(zl_call *call, const char *key, const zlay_structure *from, int32_t which)
{
    const zlay_zmat *a = zlay_structure_matrix(from, which);
    bool columns = which == ZLAY_STRUCTURE_LATTICE;
    bool one = a && zlay_zmat_cols(a) == 1 &&
               (which == ZLAY_STRUCTURE_B || which == ZLAY_STRUCTURE_DIRECTION ||
                which == ZLAY_STRUCTURE_ORIGIN);
    json_t *value = !a ? json_null() : one ? line_value(call, a, 0, true) : NULL;
    if (which == ZLAY_STRUCTURE_S) value = line_value(call, a, 0, false);
    zl_put_value(call, call->value, key, value ? value : matrix_value(call, a, columns));
}

static void put_structure(zl_call *call, const zlay_structure *from)
{
    static const char *const keys[] = {"A",       "b",         "s",      "u",     "v",
                                       "lattice", "direction", "change", "origin"};
    zlay_structure_summary c;
    zlay_structure_info(&c, from);
    call->value = json_object();
    for (int32_t i = 0; i < 9; i++) put_matrix(call, keys[i], from, i);
    zl_put_value(call, call->value, "points", zl_json_uint(c.points));
    zl_put_value(call, call->value, "values", c.values ? zl_json_uint(c.values) : json_null());
    zl_put_value(call, call->value, "least", c.values ? zl_json_uint(c.least) : json_null());
    zl_put_value(call, call->value, "most", c.values ? zl_json_uint(c.most) : json_null());
    zl_put_value(call, call->value, "rank", zl_json_uint(c.rank));
    zl_put_value(call, call->value, "onto", json_boolean(c.onto));
    zl_put_value(call, call->value, "invertible", json_boolean(c.invertible));
    zl_put_value(call, call->value, "run", zl_json_uint(c.run));
    zl_put_value(call, call->value, "run_is_best", json_boolean(c.run_is_best));
}

zlay_status zl_op_layout_structure(zl_call *call, const void *asked)
{
    zlay_structure *found = NULL;
    zlay_status status = zlay_layout_structure(call->ctx, &found, zl_asked_layout(asked));
    if (!status) put_structure(call, found);
    zlay_structure_free(found);
    return status;
}
