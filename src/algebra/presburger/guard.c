/* SPDX-License-Identifier: Apache-2.0 */
/* Conjunctions and disjunctions of rows. */
#include "algebra/presburger/quasi.h"
#include "algebra/facts/facts.h"
#include "base/arith.h"

#include <string.h>

static uint64_t content(const zl_quasi *a)
{
    uint64_t common = 0;
    for (size_t v = 0; v < a->used; v++) common = zl_gcd(common, zl_magnitude(a->at[v]));
    return common;
}

static void negate_all(zl_quasi *a)
{
    for (size_t v = 0; v < a->used; v++) a->at[v] = -a->at[v];
    a->constant = -a->constant;
}

/* The first variable of an equality has a positive coefficient, where all can change their sign. */
static void set_sign(zl_quasi *a)
{
    size_t first = 0;
    while (!a->at[first]) first++;
    if (a->at[first] > 0 || a->constant == INT64_MIN) return;
    for (size_t v = 0; v < a->used; v++)
        if (a->at[v] == INT64_MIN) return;
    negate_all(a);
}

zl_holds zl_condition_reduce(zl_quasi *a, bool equal)
{
    uint64_t common = content(a);
    if (!common) return (equal ? a->constant : a->constant < 0) ? ZL_HOLDS_NEVER : ZL_HOLDS_ALWAYS;
    if (common <= INT64_MAX && common > 1) {
        int64_t by = (int64_t)common;
        if (equal && a->constant % by) return ZL_HOLDS_NEVER;
        for (size_t v = 0; v < a->used; v++) a->at[v] /= by;
        a->constant = zl_floor_div(a->constant, by);
    }
    return ZL_HOLDS_SOMETIMES;
}

zlay_status zl_guard_put_row(zl_world *w, zl_guard *guard, const zl_row *row)
{
    if (guard->count == guard->room) {
        size_t room = guard->room ? 2 * guard->room : 4;
        const zl_row **more = zl_scratch(w->ctx, room, sizeof *more);
        if (!more) return ZLAY_ENOMEM;
        if (guard->count) memcpy(more, guard->row, guard->count * sizeof *more);
        guard->row = more;
        guard->room = room;
    }
    guard->row[guard->count++] = row;
    return ZLAY_OK;
}

zlay_status zl_guard_put_all(zl_world *w, zl_guard *guard, const zl_guard *more)
{
    zlay_status status = ZLAY_OK;
    for (size_t r = 0; r < more->count && !status; r++)
        status = zl_guard_put_row(w, guard, more->row[r]);
    return status;
}

static zlay_status put_form(zl_world *w, zl_guard *guard, zl_quasi *a, bool equal, bool *possible)
{
    zl_holds now = zl_condition_reduce(a, equal);
    if (now == ZL_HOLDS_NEVER) *possible = false;
    if (now != ZL_HOLDS_SOMETIMES) return ZLAY_OK;
    if (equal) set_sign(a);
    const zl_row *row = zl_row_new(w, a, equal);
    return row ? zl_guard_put_row(w, guard, row) : ZLAY_ENOMEM;
}

/* The denominator is positive, so the numerator decides. */
zlay_status zl_guard_put(zl_world *w, zl_guard *guard, const zl_quasi *a, bool equal,
                         bool *possible)
{
    zl_quasi *copy = zl_quasi_new(w);
    if (!copy) return ZLAY_ENOMEM;
    zl_quasi_copy(copy, a);
    zlay_status status = put_form(w, guard, copy, equal, possible);
    zl_quasi_drop(w, copy);
    return status;
}

/* ---- disjunctions ----------------------------------------------------------------------- */

static zlay_status guards_limit(zl_world *w, size_t count)
{
    unsigned long long most = (unsigned long long)zl_limits(w->ctx)->pieces;
    if (count <= most) return ZLAY_OK;
    return zl_fail(w->ctx, ZLAY_ELIMIT, "limits.pieces is %llu and a condition has more cases",
                   most);
}

static zlay_status cases_room(zl_world *w, zl_cases *cases)
{
    if (cases->count < cases->room) return ZLAY_OK;
    zlay_status status = guards_limit(w, cases->count + 1);
    size_t room = cases->room ? 2 * cases->room : 2;
    zl_guard *more = status ? NULL : zl_scratch(w->ctx, room, sizeof *more);
    if (!more) return status ? status : ZLAY_ENOMEM;
    if (cases->count) memcpy(more, cases->at, cases->count * sizeof *more);
    cases->at = more;
    cases->room = room;
    return ZLAY_OK;
}

zlay_status zl_cases_put(zl_world *w, zl_cases *cases, zl_guard guard)
{
    zlay_status status = cases_room(w, cases);
    if (!status) cases->at[cases->count++] = guard;
    return status;
}

zlay_status zl_cases_true(zl_world *w, zl_cases *cases)
{
    *cases = (zl_cases){0};
    return zl_cases_put(w, cases, (zl_guard){0});
}

zlay_status zl_cases_row(zl_world *w, zl_cases *cases, const zl_quasi *a, bool equal)
{
    zl_guard guard = {0};
    bool possible = true;
    *cases = (zl_cases){0};
    zlay_status status = zl_guard_put(w, &guard, a, equal, &possible);
    return status || !possible ? status : zl_cases_put(w, cases, guard);
}

zlay_status zl_cases_or(zl_world *w, zl_cases *a, const zl_cases *b)
{
    zlay_status status = guards_limit(w, a->count + b->count);
    for (size_t i = 0; i < b->count && !status; i++) status = zl_cases_put(w, a, b->at[i]);
    return status;
}

/* a == 0 or a >= 0 contradicts b: their forms add up to, or differ by, a constant of wrong sign. */
static bool contradict(const zl_row *a, const zl_row *b)
{
    int64_t sum, difference;
    bool opposite = true, alike = a->equal || b->equal;
    size_t used = a->used;
    if (used != b->used || a->direction != b->direction) return false;
    for (size_t v = 0; v < used && (opposite || alike); v++) {
        opposite = opposite && zl_add(zl_row_factor(a, v), zl_row_factor(b, v), &sum) && !sum;
        alike = alike && zl_row_factor(a, v) == zl_row_factor(b, v);
    }
    if (opposite && zl_add(a->constant, b->constant, &sum))
        return a->equal && b->equal ? sum != 0 : sum < 0;
    if (!alike || !zl_sub(a->constant, b->constant, &difference)) return false;
    if (a->equal && b->equal) return difference != 0;
    return a->equal ? difference > 0 : difference < 0;
}

bool zl_guards_contradict(const zl_guard *a, const zl_guard *b)
{
    if (a->count * b->count > 4096) return false;
    for (size_t r = 0; r < a->count; r++)
        for (size_t s = 0; s < b->count; s++)
            if (contradict(a->row[r], b->row[s])) return true;
    return false;
}

static zlay_status product(zl_world *w, zl_cases *out, const zl_cases *a, const zl_cases *b)
{
    zlay_status status = guards_limit(w, a->count * b->count);
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < b->count && !status; j++) {
            zl_guard both = {0};
            status = zl_guard_put_all(w, &both, &a->at[i]);
            if (!status) status = zl_guard_put_all(w, &both, &b->at[j]);
            if (!status) status = zl_cases_put(w, out, both);
        }
    return status;
}

zlay_status zl_cases_and(zl_world *w, zl_cases *a, const zl_cases *b)
{
    zl_cases out = {0};
    zlay_status status = ZLAY_OK;
    if (b->count == 1) {
        for (size_t i = 0; i < a->count && !status; i++)
            status = zl_guard_put_all(w, &a->at[i], &b->at[0]);
        return status;
    }
    status = product(w, &out, a, b);
    *a = out;
    return status;
}

/* What is not row >= 0: -row - 1 >= 0; what is not row == 0: that, or row - 1 >= 0. */
static zlay_status opposite(zl_world *w, zl_cases *out, const zl_row *row, zl_quasi *a)
{
    zl_cases more;
    zl_quasi_of_row(a, row);
    a->constant = 0;
    zlay_status status = zl_quasi_scale(w, a, -1);
    a->constant = ~row->constant;
    if (!status) status = zl_cases_row(w, out, a, false);
    if (status || !row->equal) return status;
    zl_quasi_of_row(a, row);
    if (!zl_sub(a->constant, 1, &a->constant))
        return zl_fail(w->ctx, ZLAY_EOVERFLOW, "a condition does not fit 64 bits");
    status = zl_cases_row(w, &more, a, false);
    return status ? status : zl_cases_or(w, out, &more);
}

/* not (r1 and r2 and ...) = not r1, or r1 and not r2, or ... : no two of them hold. */
static zlay_status complement(zl_world *w, zl_cases *out, const zl_guard *guard, zl_quasi *a)
{
    zl_guard before = {0};
    zl_cases last;
    zlay_status status = ZLAY_OK;
    *out = (zl_cases){0};
    for (size_t r = 0; r < guard->count && !status; r++) {
        status = opposite(w, &last, guard->row[r], a);
        for (size_t i = 0; i < last.count && !status; i++)
            status = zl_guard_put_all(w, &last.at[i], &before);
        if (!status) status = zl_cases_or(w, out, &last);
        if (!status) status = zl_guard_put_row(w, &before, guard->row[r]);
    }
    return status;
}

enum { MANY = 16 }; /* guards from which on it is worth to see which can hold */

static zlay_status prune(zl_world *w, zl_cases *a, size_t many)
{
    size_t kept = 0;
    zlay_range *range = a->count > many ? zl_world_ranges(w) : NULL;
    if (a->count <= many) return ZLAY_OK;
    if (!range) return ZLAY_ENOMEM;
    for (size_t i = 0; i < a->count; i++) {
        for (size_t v = 0; v < w->count; v++) range[v] = zl_range_all();
        if (zl_guard_ranges(w, &a->at[i], range)) a->at[kept++] = a->at[i];
    }
    a->count = kept;
    return ZLAY_OK;
}

/* Guards that contradict b are what they are without it: `kept`, the others stay in *a. */
static zlay_status part_contradicted(zl_world *w, zl_cases *kept, zl_cases *a, const zl_guard *b)
{
    size_t left = 0;
    zlay_status status = ZLAY_OK;
    *kept = (zl_cases){0};
    for (size_t i = 0; i < a->count && !status; i++) {
        if (zl_guards_contradict(&a->at[i], b)) status = zl_cases_put(w, kept, a->at[i]);
        else a->at[left++] = a->at[i];
    }
    a->count = left;
    return status;
}

static zlay_status without(zl_world *w, zl_cases *a, const zl_guard *b)
{
    zl_cases rest;
    zl_quasi *form = zl_quasi_new(w);
    if (!form) return ZLAY_ENOMEM;
    zlay_status status = complement(w, &rest, b, form);
    zl_quasi_drop(w, form);
    if (status || rest.count == 1) return status ? status : zl_cases_and(w, a, &rest);
    zl_cases out = {0};
    status = product(w, &out, a, &rest);
    *a = out;
    return status ? status : prune(w, a, MANY);
}

zlay_status zl_cases_without(zl_world *w, zl_cases *a, const zl_guard *b)
{
    zl_cases kept;
    zlay_status status = part_contradicted(w, &kept, a, b);
    if (!status && a->count) status = without(w, a, b);
    return status ? status : zl_cases_or(w, a, &kept);
}

/* What b adds to the guards of a; rows that contradict each other say at once that nothing is to be
 * taken away. */
static zlay_status added(zl_world *w, zl_cases *out, const zl_cases *a, const zl_guard *b)
{
    zl_guard own = {0};
    *out = (zl_cases){0};
    zlay_status status = zl_guard_put_all(w, &own, b);
    if (!status) status = zl_cases_put(w, out, own);
    for (size_t i = 0; i < a->count && !status; i++)
        if (!zl_guards_contradict(&a->at[i], b)) status = zl_cases_without(w, out, &a->at[i]);
    return status;
}

enum { PARTS_MOST = 4 }; /* of one guard, beyond which it stays whole and overlaps */

zlay_status zl_cases_or_apart(zl_world *w, zl_cases *a, const zl_cases *b)
{
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < b->count && !status; i++) {
        zl_cases parts;
        status = added(w, &parts, a, &b->at[i]);
        if (!status && parts.count > 1) status = prune(w, &parts, 1);
        bool many = status == ZLAY_ELIMIT || (!status && parts.count > PARTS_MOST);
        if (many) status = zl_cases_put(w, a, b->at[i]);
        else if (!status) status = zl_cases_or(w, a, &parts);
    }
    return status;
}

zlay_status zl_cases_not(zl_world *w, zl_cases *a)
{
    zl_cases out;
    zlay_status status = zl_cases_true(w, &out);
    for (size_t i = 0; i < a->count && !status; i++) status = zl_cases_without(w, &out, &a->at[i]);
    *a = out;
    return status;
}
