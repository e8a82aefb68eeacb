/* SPDX-License-Identifier: Apache-2.0 */
/* The same values in other units. */
#include "algebra/ops/cute.h"

static zlay_status check(zlay_ctx *ctx, const zlay_layout *a, uint64_t n)
{
    if (!a) return zl_fail(ctx, ZLAY_EINVAL, "the layout is NULL");
    if (zl_parameter(a)) return zl_without_parameters(ctx, a);
    if (!n) return zl_fail(ctx, ZLAY_EINVAL, "a unit of 0");
    if (n > INT64_MAX) return zl_fail(ctx, ZLAY_EOVERFLOW, "a unit beyond 63 bits");
    return ZLAY_OK;
}

static zlay_status overflow(zlay_ctx *ctx)
{
    return zl_fail(ctx, ZLAY_EOVERFLOW, "a value does not fit 64 bits");
}

/* ---- up ------------------------------------------------------------------------------------ */

/* CuTe's rule for one mode: false where it has none. */
static bool up_mode(zl_mode *m, int64_t units)
{
    uint64_t d = zl_magnitude(m->stride), n = (uint64_t)units;
    if (!d) return true;
    if (m->stride == INT64_MIN || (d % n && n % d)) return false;
    m->shape = (int64_t)zl_ceil_div((uint64_t)m->shape, zl_ceil_div(n, d));
    m->stride = (m->stride < 0 ? -1 : 1) * (int64_t)zl_ceil_div(d, n);
    return true;
}

static zlay_status up_modes(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, int64_t n)
{
    zl_modes m;
    zl_modes_begin(&m, ctx);
    zlay_status status = zl_modes_append(&m, a->mode, a->modes);
    for (size_t i = 0; i < m.count && !status; i++)
        if (!up_mode(&m.at[i], n)) status = ZLAY_NONE;
    if (!status) status = zl_layout_strided(ctx, out, &m, (zl_swizzle){0, 0, 0});
    zl_modes_end(&m);
    return status;
}

static zlay_status split(zlay_ctx *ctx, uint64_t i, uint64_t k, uint64_t n)
{
    return zl_fail(ctx, ZLAY_NONE,
                   "the element of %llu at index %llu is split: index %llu is not its part %llu",
                   (unsigned long long)n, (unsigned long long)i, (unsigned long long)(i + k),
                   (unsigned long long)k);
}

/* a(n i + k) = a(n i) + k with a(n i) a multiple of n, or undefined together. */
static zlay_status up_element(zl_table *t, const zlay_layout *a, uint64_t i, uint64_t n)
{
    int64_t first, value;
    bool there = zl_value(a, i * n, &first);
    if (there && first % (int64_t)n) return split(t->ctx, i * n, 0, n);
    for (uint64_t k = 1; k < n; k++) {
        bool also = zl_value(a, i * n + k, &value);
        if (also != there || (there && value - first != (int64_t)k))
            return split(t->ctx, i * n, k, n);
    }
    if (there) zl_table_set(t, i, first / (int64_t)n);
    return ZLAY_OK;
}

static zlay_status up_values(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, uint64_t n)
{
    zl_table t;
    if (a->size % n)
        return zl_fail(ctx, ZLAY_NONE, "the last element of %llu is split: there are %llu points",
                       (unsigned long long)n, (unsigned long long)a->size);
    zlay_status status = zl_table_new(ctx, &t, a->size / n);
    for (uint64_t i = 0; i < t.size && !status; i++) {
        status = zl_charge_values(ctx, a, n);
        if (!status) status = up_element(&t, a, i, n);
    }
    if (!status) status = zl_cheapest_line(ctx, out, &t);
    zl_table_free(&t);
    return status;
}

static zlay_status upcast(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, uint64_t n)
{
    zlay_status status = check(ctx, a, n);
    if (status) return status;
    if (n == 1) return zl_layout_copy(ctx, out, a);
    if (zl_is_plain(a)) status = up_modes(ctx, out, a, (int64_t)n);
    return status == ZLAY_NONE || !zl_is_plain(a) ? up_values(ctx, out, a, n) : status;
}

zlay_status zlay_layout_upcast(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, uint64_t n)
{
    zlay_status status = zl_enter_layout(ctx, out);
    return status ? status : zl_leave(ctx, upcast(ctx, out, a, n));
}

/* ---- down ---------------------------------------------------------------------------------- */

static bool has_unit_stride(const zlay_layout *a)
{
    for (size_t i = 0; i < a->modes; i++)
        if (a->mode[i].stride == 1 || a->mode[i].stride == -1) return true;
    return false;
}

static zlay_status down_modes(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, int64_t n)
{
    zl_modes m;
    zl_modes_begin(&m, ctx);
    zlay_status status = zl_modes_append(&m, a->mode, a->modes);
    for (size_t i = 0; i < m.count && !status; i++) {
        bool unit = m.at[i].stride == 1 || m.at[i].stride == -1;
        int64_t *grown = unit ? &m.at[i].shape : &m.at[i].stride;
        if (!zl_mul(*grown, n, grown)) status = overflow(ctx);
    }
    if (!status) status = zl_layout_strided(ctx, out, &m, (zl_swizzle){0, 0, 0});
    zl_modes_end(&m);
    return status;
}

/* The parts of an element are a mode before the others, within the first of them. */
static zlay_status down_parts(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, int64_t n)
{
    zl_modes m;
    zl_modes_begin(&m, ctx);
    zlay_status status = zl_modes_leaf(&m, n, 1);
    if (!status) status = zl_parts_take(&m, a->mode, a->modes, 0);
    zl_modes_wrap(&m, 0);
    if (!status && zl_parts_count(a->mode, a->modes) > 1) {
        status = zl_parts_from(&m, a->mode, a->modes, 1);
        zl_modes_wrap(&m, 0);
    }
    for (size_t i = 1; i < m.count && !status; i++)
        if (!zl_mul(m.at[i].stride, n, &m.at[i].stride)) status = overflow(ctx);
    if (!status && !zl_mul(a->offset, n, &m.offset)) status = overflow(ctx);
    if (!status) status = zl_layout_strided(ctx, out, &m, (zl_swizzle){0, 0, 0});
    zl_modes_end(&m);
    return status;
}

static zlay_status down_table(zl_table *t, const zlay_layout *a, int64_t n)
{
    int64_t value;
    for (uint64_t i = 0; i < a->size; i++) {
        if (zl_charge_block(t->ctx, a, i)) return ZLAY_ENOMEM;
        if (!zl_value(a, i, &value)) continue;
        if (!zl_mul(value, n, &value)) return overflow(t->ctx);
        for (int64_t k = 0; k < n; k++, value += k < n)
            zl_table_set(t, i * (uint64_t)n + (uint64_t)k, value);
    }
    return ZLAY_OK;
}

static zlay_status down_values(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, int64_t n)
{
    zl_table t;
    zlay_status status = zl_table_new(ctx, &t, zl_umul_sat(a->size, (uint64_t)n));
    if (!status) status = down_table(&t, a, n);
    if (!status) status = zl_cheapest_line(ctx, out, &t);
    zl_table_free(&t);
    return status;
}

static zlay_status downcast(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, uint64_t n)
{
    zlay_status status = check(ctx, a, n);
    if (status) return status;
    if (n == 1) return zl_layout_copy(ctx, out, a);
    if (zl_is_plain(a) && has_unit_stride(a)) return down_modes(ctx, out, a, (int64_t)n);
    if (a->modes && !a->swizzle.bits) return down_parts(ctx, out, a, (int64_t)n);
    return down_values(ctx, out, a, (int64_t)n);
}

zlay_status zlay_layout_downcast(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                 uint64_t n)
{
    zlay_status status = zl_enter_layout(ctx, out);
    return status ? status : zl_leave(ctx, downcast(ctx, out, a, n));
}
