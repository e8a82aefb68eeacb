/* SPDX-License-Identifier: Apache-2.0 */
/* Issued copies and their barriers as a subject of rules. */
#include "legality/rule.h"

enum { AXES = 3 };

/* Where the first box starts in its row, then what the i-th tile axis that moves it adds. */
static uint64_t start_bytes(const zl_issue *issue, uint32_t i)
{
    const int32_t *advance = issue->copy->advance[0];
    int64_t x = issue->copy->coordinate[0];
    for (uint32_t axis = 0; axis < AXES && i > 0; axis++) {
        if (!advance[axis]) continue;
        x = advance[axis];
        i--;
    }
    return (uint64_t)x * (zlay_tensormap_type_bits(issue->map->type) / 8);
}

static uint64_t value(zl_quantity q, const zl_subject *s, uint32_t i)
{
    const zl_issue *issue = s->value;
    const zlay_tensormap *m = issue->map;
    switch (q) {
    case ZL_Q_COPY_X_BYTES: return start_bytes(issue, i);
    case ZL_Q_COPY_AT: return zl_number(issue->copy->coordinate[i]);
    case ZL_Q_COPY_BYTES: return issue->copy->bytes;
    case ZL_Q_COPY_SMEM: return issue->copy->smem;
    case ZL_Q_COPY_ROW_BYTES:
        return zl_umul_sat(m->extent[0], zlay_tensormap_type_bits(m->type)) / 8;
    case ZL_Q_COPY_PITCH: return m->stride[0];
    case ZL_Q_COPY_ADDRESS: return m->address;
    case ZL_Q_COPY_WIDTH: return issue->copy->width;
    case ZL_Q_EXPECT: return issue->expect;
    default: return issue->count;
    }
}

static uint32_t starts_count(const zl_issue *issue)
{
    uint32_t count = 1;
    for (uint32_t axis = 0; axis < AXES; axis++) count += issue->copy->advance[0][axis] != 0;
    return count;
}

static uint32_t count(zl_entries entries, const zl_subject *s)
{
    const zl_issue *issue = s->value;
    switch (entries) {
    case ZL_ENTRIES_EACH: return zl_dims(issue->map);
    case ZL_ENTRIES_STARTS: return starts_count(issue);
    case ZL_ENTRIES_BARRIER: return issue->count > 0;
    default: return 1;
    }
}

static bool guard(zl_guard g, const zl_subject *s)
{
    const zlay_copy *copy = ((const zl_issue *)s->value)->copy;
    bool store = copy->kind == ZLAY_COPY_TENSOR_STORE;
    bool tensor = store || copy->kind == ZLAY_COPY_TENSOR_LOAD;
    bool threads = !tensor && copy->width > 0;
    switch (g) {
    case ZL_G_TENSOR: return tensor;
    case ZL_G_STORES: return store;
    case ZL_G_THREADS: return threads;
    case ZL_G_CP_ASYNC: return threads && copy->kind == ZLAY_COPY_CP_ASYNC;
    case ZL_G_LD_ST: return threads && copy->kind != ZLAY_COPY_CP_ASYNC;
    default: return copy->bytes > 0;
    }
}

/* The least power of two from `least` to 16 that is no less than a width. */
static uint64_t width_from(uint64_t least, uint32_t width)
{
    while (least < 16 && least < width) least *= 2;
    return least;
}

static uint64_t bound(uint64_t b, const zl_subject *s, uint32_t i)
{
    const zl_issue *issue = s->value;
    (void)i;
    switch (b) {
    case ZL_BOUND_WIDTH: return issue->copy->width;
    case ZL_BOUND_BOX_BYTES: return zl_box_bytes(issue->map);
    case ZL_BOUND_CP_WIDTH: return width_from(4, issue->copy->width);
    case ZL_BOUND_LD_WIDTH: return width_from(1, issue->copy->width);
    default: return b;
    }
}

static void fix(zlay_reason *r, const zl_rule *rule, const zl_subject *s)
{
    if (rule->quantity == ZL_Q_COPY_X_BYTES || rule->quantity == ZL_Q_COPY_ROW_BYTES) return;
    zl_fix_plain(r, rule, s);
}

const zl_subject_form zl_copy_form = {value, count, guard, bound, fix};
