/* SPDX-License-Identifier: Apache-2.0 */
/* Products of groups on gfx targets whose matrices have more than 2^32 bytes: one row of the last of many groups, and one column. */
#define _DEFAULT_SOURCE
#include "gcn/planned.h"
#include "group_ctx.h"

/* Offsets lie across a multiple of 2^32. */
static const uint64_t offsets_at = ((uint64_t)5 << 32) - 8;
enum { FAR_ROW = 300, FAR_GROUPS = 200, FAR_COLUMN = 192, FAR_PITCH = (1 << 24) - 8, FAR_K = 8 };

typedef struct far {
    gcn_code code;
    gcn_machine *machine;
    uint64_t arguments[4];
    int32_t offsets[FAR_GROUPS + 1];
    uint16_t a[FAR_K], b[FAR_K], d, want;
} far;

/* The last group has one row, and the tile one column: A, B and D are where these lie, and memory is nowhere else. */
static void far_make(far *f, gcn_target target, uint64_t *random)
{
    const zlay_gemm r = {.size = sizeof r, .m = 400, .n = FAR_COLUMN + 1, .k = FAR_K, .lda = FAR_PITCH, .ldb = FAR_PITCH, .ldd = FAR_PITCH,
                         .tile_m = 64, .tile_n = 64, .groups = FAR_GROUPS};
    uint64_t row = 2 * (uint64_t)FAR_PITCH, of_b = (FAR_GROUPS - 1) * r.n + FAR_COLUMN;
    zlay_plan *plan = wave_plan(ctx, gcn_target_name[target], &r);
    char *text = wave_text(ctx, plan);
    float sum = 0;
    *f = (far){.code = gcn_assemble(target, text, "gemm"), .machine = calloc(1, sizeof *f->machine)};
    for (int k = 0; k < FAR_K; k++) {
        f->a[k] = gcn_small(random), f->b[k] = gcn_small(random);
        sum += gcn_float((uint32_t)f->a[k] << 16) * gcn_float((uint32_t)f->b[k] << 16);
    }
    f->want = gcn_nearest(sum);
    for (int i = 0; i <= FAR_GROUPS; i++) f->offsets[i] = FAR_ROW + (i == FAR_GROUPS);
    /* The column carries into the upper half of D's address, too. */
    uint64_t d = ((uint64_t)1 << 44) - 256 - FAR_ROW * row % ((uint64_t)1 << 32);
    const uint64_t at[4] = {(uint64_t)1 << 42, (uint64_t)1 << 43, d, offsets_at};
    memcpy(f->arguments, at, sizeof at);
    gcn_machine *m = f->machine;
    m->threads[0] = 256, m->threads[1] = m->threads[2] = 1;
    m->kernarg = GEMM_ARGUMENTS;
    gcn_add_memory(m, GEMM_ARGUMENTS, f->arguments, sizeof f->arguments, false);
    gcn_add_memory(m, offsets_at, f->offsets, sizeof f->offsets, false);
    gcn_add_memory(m, at[0] + FAR_ROW * row, f->a, sizeof f->a, false);
    gcn_add_memory(m, at[1] + of_b * row, f->b, sizeof f->b, false);
    gcn_add_memory(m, at[2] + FAR_ROW * row + 2 * FAR_COLUMN, &f->d, sizeof f->d, true);
    free(text);
    zlay_plan_free(plan);
}

static bool far_right(far *f)
{
    gcn_machine *m = f->machine;
    m->code = &f->code;
    m->failed = false, m->stored = 0, f->d = 0x7fc1;
    gcn_run_group(m, FAR_COLUMN / 64, 0);
    return !m->failed && f->d == f->want && m->stored == sizeof f->d;
}

/* Addresses have 64 bits, and each part of their sums is needed. */
static void beyond(void **state)
{
    uint64_t random = test_seed("gcn groups beyond 2^32");
    (void)state;
    gcn_need_llvm("groups of gfx targets were run by nothing");
    for (gcn_target target = 0; target < GCN_TARGETS; target++) {
        far f;
        int tried = 0;
        far_make(&f, target, &random);
        if (!far_right(&f)) fail_msg("%s: %s", gcn_target_name[target], f.machine->failed ? f.machine->fault : "D is wrong");
        for (int i = gcn_find_line(&f.code, "s_mov_b32 s11, 0"), last = gcn_find_line(&f.code, "s_and_b32 s13"); i < last; i++) {
            const char *text = f.code.line[i].text;
            if (!strstr(text, "s_mul_hi") && !strstr(text, "s_addc") && !strstr(text, "s_mul_i32 s18, s11")) continue;
            f.code.line[i].gone = true;
            if (far_right(&f)) fail_msg("%s: without \"%s\" D is right", gcn_target_name[target], text);
            f.code.line[i].gone = false;
            tried++;
        }
        assert_int_equal(tried, 11); /* 4 products, 6 sums, the upper half of a group's bytes */
        free(f.machine);
        gcn_code_free(&f.code);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(beyond)};
    return cmocka_run_group_tests_name("gcn-groups-far", tests, open_ctx, close_ctx);
}
