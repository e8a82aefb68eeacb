/* SPDX-License-Identifier: Apache-2.0 */
/* When a rule applies. */
#include "legality/rule.h"

static bool map_guard(zl_guard guard, const zlay_tensormap *m)
{
    bool packed16 = m->type == ZLAY_TMAP_U4_ALIGN16 || m->type == ZLAY_TMAP_U6_ALIGN16;
    switch (guard) {
    case ZL_G_PLAIN: return m->interleave == 0;
    case ZL_G_INTERLEAVED: return m->interleave != 0;
    case ZL_G_COARSE: return m->interleave == 2 || packed16;
    case ZL_G_PACKED16: return packed16;
    case ZL_G_PACKED8: return m->type == ZLAY_TMAP_U4_ALIGN8;
    case ZL_G_SWIZZLED: return m->swizzle != ZLAY_SWIZZLE_NONE;
    case ZL_G_SWIZZLE_32: return m->interleave == 0 && m->swizzle == ZLAY_SWIZZLE_32B;
    case ZL_G_SWIZZLE_64: return m->interleave == 0 && m->swizzle == ZLAY_SWIZZLE_64B;
    case ZL_G_SWIZZLE_128: return m->interleave == 0 && m->swizzle >= 3 && m->swizzle <= 6;
    case ZL_G_FILLS_NAN: return m->oob == 1;
    case ZL_G_INTERLEAVE_32: return m->interleave == 2;
    default: return m->type == ZLAY_TMAP_U6_ALIGN16;
    }
}

static bool copy_guard(zl_guard guard, const zlay_copy *copy)
{
    bool store = copy->kind == ZLAY_COPY_TENSOR_STORE;
    bool tensor = store || copy->kind == ZLAY_COPY_TENSOR_LOAD;
    bool threads = !tensor && copy->width > 0;
    switch (guard) {
    case ZL_G_TENSOR: return tensor;
    case ZL_G_STORES: return store;
    case ZL_G_THREADS: return threads;
    case ZL_G_CP_ASYNC: return threads && copy->kind == ZLAY_COPY_CP_ASYNC;
    case ZL_G_LD_ST: return threads && copy->kind != ZLAY_COPY_CP_ASYNC;
    default: return copy->bytes > 0;
    }
}

bool zl_guard_holds(zl_guard guard, const zl_subject *s)
{
    if (guard == ZL_G_ALWAYS) return true;
    if (s->kind == ZL_SUBJECT_COPY) return copy_guard(guard, ((const zl_issue *)s->value)->copy);
    return map_guard(guard, s->value);
}
