/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/decide/decide.h"
#include "algebra/find/finish.h"

zlay_status zl_decide_limit(zl_question *q, const char *name, uint64_t limit, uint64_t asked)
{
    q->answer = ZLAY_UNDECIDED;
    return zl_fail(q->ctx, ZLAY_OK, "limits.%s is %llu and the decision asked for %llu", name,
                   (unsigned long long)limit, (unsigned long long)asked);
}

zlay_status zl_decide_not_least(zlay_ctx *ctx)
{
    return zl_fail(ctx, ZLAY_OK,
                   "the witness is not known to be the least: that passes limits.points or "
                   "limits.isl_ops");
}

zlay_status zl_as_pieces(zlay_ctx *ctx, const zl_pieces **out, zlay_layout **made,
                         const zlay_layout *a)
{
    *made = NULL;
    *out = zl_is_pieces(a) ? &a->pieces : NULL;
    if (*out) return ZLAY_OK;
    zlay_status status = zl_lift(ctx, made, a);
    if (status == ZLAY_ELIMIT || status == ZLAY_EOVERFLOW) return zl_fail(ctx, ZLAY_OK, "%s", "");
    if (!status && zl_is_pieces(*made)) *out = &(*made)->pieces;
    return status;
}

static uint64_t size_of(const zlay_layout *a, size_t out)
{
    return zl_is_pieces(a) && a->pieces.outs == 1 ? 0 : zl_out_size(a, out);
}

size_t zlay_layout_out_sizes(uint64_t *sizes, size_t room, const zlay_layout *layout)
{
    size_t outs = zlay_layout_out_count(layout);
    if (room && !sizes) return 0;
    for (size_t i = 0; i < outs && i < room; i++) sizes[i] = size_of(layout, i);
    return outs;
}

/* ---- sets of values --------------------------------------------------------------------- */

/* Steps that a value is added in; where the slots pass the caches, a miss of 200 ns. */
enum { STEPS_NEAR = 6, STEPS_FAR = 30, NEAR = 1 << 16 };

zlay_status zl_values_new(zlay_ctx *ctx, zl_values *out, uint64_t count)
{
    *out = (zl_values){.slots = 8};
    while (out->slots / 2 < count) out->slots *= 2;
    if (zl_charge(ctx, count * (count > NEAR ? STEPS_FAR : STEPS_NEAR))) return ZLAY_ENOMEM;
    out->at = zl_scratch(ctx, out->slots, sizeof *out->at);
    return out->at ? ZLAY_OK : ZLAY_ENOMEM;
}

/* The value's slot, or the free one that it would have.  Eight values in a row have eight slots in
 * a row, for values come in rows and a slot far away is a miss of the caches; where a row begins is
 * mixed as splitmix64 does. */
static uint64_t slot_of(const zl_values *v, int64_t value)
{
    enum { ROW = 8 };
    uint64_t row = (uint64_t)value / ROW, hash = (row ^ row >> 30) * 0xbf58476d1ce4e5b9u;
    hash = (hash ^ hash >> 27) * 0x94d049bb133111ebu;
    uint64_t at = ((hash ^ hash >> 31) + (uint64_t)value % ROW) & (v->slots - 1);
    while (v->at[at].index && v->at[at].value != value) at = (at + 1) & (v->slots - 1);
    return at;
}

bool zl_values_add(zl_values *v, int64_t value, uint64_t *index)
{
    uint64_t at = slot_of(v, value);
    if (v->at[at].index) {
        *index = v->at[at].index - 1;
        return false;
    }
    v->at[at].index = *index + 1;
    v->at[at].value = value;
    return true;
}

bool zl_values_has(const zl_values *v, int64_t value) { return v->at[slot_of(v, value)].index; }

/* ---- spans over F2 ------------------------------------------------------------------------ */

void zl_span_begin(zl_f2_span *s)
{
    s->rank = 0;
    for (int p = 0; p < 64; p++) s->pivot[p] = 0;
}

bool zl_span_add(zl_f2_span *s, uint64_t vector, uint64_t *from)
{
    while (vector) {
        int p = 63 - __builtin_clzll(vector);
        if (!s->pivot[p]) {
            s->pivot[p] = vector;
            s->from[p] = *from;
            s->rank++;
            return true;
        }
        vector ^= s->pivot[p];
        *from ^= s->from[p];
    }
    return false;
}

bool zl_span_has(const zl_f2_span *s, uint64_t vector)
{
    while (vector) {
        int p = 63 - __builtin_clzll(vector);
        if (!s->pivot[p]) return false;
        vector ^= s->pivot[p];
    }
    return true;
}

void zl_span_of(zl_f2_span *s, const zl_affine *a)
{
    zl_span_begin(s);
    for (unsigned k = 0; k < a->bits; k++) {
        uint64_t from = (uint64_t)1 << k;
        zl_span_add(s, a->basis[k], &from);
    }
}
