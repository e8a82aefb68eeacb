/* SPDX-License-Identifier: Apache-2.0 */
/* A planned GEMM of any types with any body, run whole: factors of small integers, whose sums are exact whatever their
 * order, scalars and arrays of the body by name, and every element of D read back as a number. Who includes it defines
 * _DEFAULT_SOURCE first. */
#ifndef TEST_GCN_TYPED_H
#define TEST_GCN_TYPED_H

#include "planned.h"

#include <zlay/emit_pipe.h>

enum { TYPED_ARRAYS = 0x5000000, TYPED_STEP = 0x400000, TYPED_NAMES = 8 };

typedef struct typed_matrix {
    int32_t type; /* ZLAY_TYPE_* */
    uint32_t rows, columns, pitch;
    uint8_t *bytes;
    uint64_t size;
} typed_matrix;

/* A scalar of 4 bytes, or an array. */
typedef struct typed_given {
    const char *name;
    const void *at;
    uint64_t bytes; /* 0: a scalar */
} typed_given;

typedef struct typed {
    gcn_target target;
    zlay_plan_summary info;
    typed_matrix a, b, d;
    uint8_t arguments[256];
    uint64_t written; /* bytes of the body's outputs, each of which is stored once */
    gcn_code code;
    gcn_machine *machine;
} typed;

static inline uint32_t typed_bytes(int32_t type) { return zlay_type_bits(type) / 8; }

static inline double typed_decode(int32_t type, gcn_target target, uint32_t bits)
{
    bool fnuz = type == ZLAY_TYPE_E4M3_FNUZ || type == ZLAY_TYPE_E5M2_FNUZ;
    assert_true(!fnuz || target == GCN_942);
    switch (type) {
    case ZLAY_TYPE_BF16: return gcn_decode(GCN_BF16, target, bits);
    case ZLAY_TYPE_F16: return gcn_decode(GCN_F16, target, bits);
    case ZLAY_TYPE_F32:
    case ZLAY_TYPE_TF32: return gcn_decode(GCN_F32, target, bits);
    case ZLAY_TYPE_S8: return gcn_decode(GCN_I8, target, bits);
    case ZLAY_TYPE_S32: return (double)(int32_t)bits;
    case ZLAY_TYPE_U8: return (double)bits;
    case ZLAY_TYPE_E4M3:
    case ZLAY_TYPE_E4M3_FNUZ: return gcn_decode(GCN_FP8, target, bits);
    default: return gcn_decode(GCN_BF8, target, bits);
    }
}

static inline double typed_at(const typed_matrix *m, gcn_target target, uint32_t row, uint32_t column)
{
    uint32_t bits = 0;
    memcpy(&bits, m->bytes + ((uint64_t)row * m->pitch + column) * typed_bytes(m->type), typed_bytes(m->type));
    return typed_decode(m->type, target, bits);
}

/* The bits of a small integer: the first that are decoded to it. */
static inline uint32_t typed_small(int32_t type, gcn_target target, int value)
{
    uint32_t bits = 0, step = typed_bytes(type) == 4 ? 1u << 16 : 1;
    for (;; bits += step) {
        double is = typed_decode(type, target, bits);
        if (!isnan(is) && !(fabs(is - value) > 0)) return bits;
    }
}

static inline typed_matrix typed_matrix_of(int32_t type, uint32_t rows, uint32_t columns, uint32_t pitch)
{
    typed_matrix m = {type, rows, columns, pitch ? pitch : columns, NULL, 0};
    m.size = (uint64_t)m.rows * m.pitch * typed_bytes(type);
    m.bytes = calloc(1, m.size);
    assert_non_null(m.bytes);
    return m;
}

static inline void typed_fill(typed_matrix *m, gcn_target target, uint64_t *random)
{
    uint32_t bits[9];
    for (int value = -4; value <= 4; value++) bits[value + 4] = typed_small(m->type, target, value);
    for (uint64_t i = 0; i < m->size / typed_bytes(m->type); i++)
        memcpy(m->bytes + i * typed_bytes(m->type), &bits[test_range(random, 0, 8)], typed_bytes(m->type));
}

/* Writes the arguments of the body behind the addresses, each at the next multiple of its bytes. */
static inline void typed_give(typed *t, const zlay_plan *plan, const typed_given *given, size_t count)
{
    zlay_pipe_argument argument;
    zlay_wave_launch launch;
    uint32_t at = 24;
    assert_int_equal(zlay_plan_launch(&launch, plan), ZLAY_OK);
    for (uint32_t i = 3; !zlay_plan_argument_nth(&argument, plan, i); i++) {
        size_t j = 0;
        while (j < count && strcmp(given[j].name, argument.name) != 0) j++;
        if (j == count) fail_msg("no value for %s", argument.name);
        uint64_t address = TYPED_ARRAYS + j * TYPED_STEP;
        at = (at + argument.bytes - 1) / argument.bytes * argument.bytes;
        memcpy(t->arguments + at, given[j].bytes ? (const void *)&address : given[j].at, argument.bytes);
        bool written = !strncmp(argument.name, "write_", 6);
        if (written) t->written += given[j].bytes;
        if (given[j].bytes) gcn_add_memory(t->machine, address, (void *)(uintptr_t)given[j].at, given[j].bytes, written);
        at += argument.bytes;
    }
    assert_int_equal(at, launch.argument_bytes);
}

static inline void typed_machine(typed *t)
{
    gcn_machine *m = t->machine = calloc(1, sizeof *m);
    assert_non_null(m);
    uint64_t addresses[3] = {GEMM_A, GEMM_B, GEMM_D};
    memcpy(t->arguments, addresses, sizeof addresses);
    m->code = &t->code;
    m->threads[0] = t->info.threads, m->threads[1] = m->threads[2] = 1;
    m->kernarg = GEMM_ARGUMENTS;
    gcn_add_memory(m, GEMM_A, t->a.bytes, t->a.size, false);
    gcn_add_memory(m, GEMM_B, t->b.bytes, t->b.size, false);
    gcn_add_memory(m, GEMM_D, t->d.bytes, t->d.size, true);
    gcn_add_memory(m, GEMM_ARGUMENTS, t->arguments, sizeof t->arguments, false);
}

/* Plans, prints and assembles a request whose A and B have the types given; D is row-major. */
static inline void typed_make(typed *t, zlay_ctx *ctx, gcn_target target, const zlay_gemm *r, const int32_t type[3],
                              uint64_t *random, const typed_given *given, size_t count)
{
    *t = (typed){.target = target};
    zlay_plan *plan = wave_plan(ctx, gcn_target_name[target], r);
    assert_int_equal(zlay_plan_info(&t->info, plan), ZLAY_OK);
    char *text = wave_text(ctx, plan);
    t->code = gcn_assemble(target, text, "gemm");
    free(text);
    t->a = typed_matrix_of(type[0], (uint32_t)r->m, (uint32_t)r->k, (uint32_t)r->lda);
    t->b = typed_matrix_of(type[1], (uint32_t)r->n * (r->groups ? r->groups : 1), (uint32_t)r->k, (uint32_t)r->ldb);
    t->d = typed_matrix_of(type[2], (uint32_t)r->m, (uint32_t)r->n, (uint32_t)r->ldd);
    typed_fill(&t->a, target, random);
    typed_fill(&t->b, target, random);
    typed_machine(t);
    typed_give(t, plan, given, count);
    zlay_plan_free(plan);
}

/* Runs all blocks in one schedule; each element of D and of the outputs is stored once. */
static inline void typed_run(typed *t, int schedule, const char *what)
{
    int waves = (int)(t->info.threads / GCN_LANES);
    gcn_machine *m = t->machine;
    assert_true(gcn_schedule_of(&m->schedule, schedule, waves, 7));
    m->stored = 0;
    for (uint32_t y = 0; y < t->info.tiles_m && !m->failed; y++)
        for (uint32_t x = 0; x < t->info.tiles_n && !m->failed; x++) gcn_run_group(m, x, y);
    if (m->failed) fail_msg("%s, %s: %s", gcn_target_name[t->target], what, m->fault);
    assert_int_equal(m->stored, (uint64_t)t->d.rows * t->d.columns * typed_bytes(t->d.type) + t->written);
}

static inline double typed_sum(const typed *t, uint32_t i, uint32_t j)
{
    double sum = 0;
    for (uint32_t k = 0; k < t->a.columns; k++) sum += typed_at(&t->a, t->target, i, k) * typed_at(&t->b, t->target, j, k);
    return sum;
}

static inline void typed_free(typed *t)
{
    free(t->a.bytes), free(t->b.bytes), free(t->d.bytes), free(t->machine);
    gcn_code_free(&t->code);
}

#endif
