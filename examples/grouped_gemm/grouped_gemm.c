/* SPDX-License-Identifier: Apache-2.0 */
/* A product of groups, as the experts of a mixture have it: each group has rows of its own number, and a matrix of B. One plan, its rules
 * printed, and one kernel for all; on a Hopper GPU it is launched twice, with lengths that the host gives and with offsets that only
 * the device has, and checked.
 *
 *   cc -o grouped_gemm grouped_gemm.c $(pkg-config --cflags --libs zlay-runtime)
 *   ./grouped_gemm [GROUPS ROWS N K]       ROWS: the most that all groups have together
 *
 * The last line is `0 of 2000 sampled elements wrong; ...`, or `not run: ` and why. */
#include "../gemm/product.h"

enum { SAMPLES = 1000 };

/* Lengths that differ, as a router makes them; some groups may have no rows, and some rows may be of no group. */
static void lengths_make(uint64_t *lengths, const zlay_gemm *g, uint64_t salt)
{
    uint64_t left = g->m;
    for (uint64_t i = 0; i < g->groups; i++) {
        uint64_t mean = 2 * left / (g->groups - i) + 1;
        lengths[i] = ((i + salt) * 2654435761u >> 8) % mean;
        if (lengths[i] > left) lengths[i] = left;
        left -= lengths[i];
    }
}

static char *ptx_make(zlay_ctx *ctx, const zlay_plan *plan, size_t *length)
{
    zlay_buf text = {NULL, 0, 0};
    zlay_emit_ptx(ctx, &text, plan, "experts", 7);
    text.room = text.need + 1;
    text.text = malloc(text.room);
    if (!text.text || failed(ctx, zlay_emit_ptx(ctx, &text, plan, "experts", 7), "PTX")) {
        free(text.text);
        return NULL;
    }
    *length = text.need;
    return text.text;
}

/* Sampled rows that a group has: row i of A times the group's matrix of B, whose rows are columns of D. */
static uint64_t rows_wrong(const zlay_gemm *g, const uint64_t *lengths, const uint16_t *d)
{
    uint64_t rows = 0, bad = 0;
    for (uint64_t i = 0; i < g->groups; i++) rows += lengths[i];
    for (uint64_t s = 0; rows && s < SAMPLES; s++) {
        uint64_t i = s * 7919 % rows, j = s * 104729 % g->n, group = 0, behind = lengths[0];
        int sum = 0;
        while (i >= behind) behind += lengths[++group];
        for (uint64_t k = 0; k < g->k; k++)
            sum += element(i * g->k + k) * element((group * g->n + j) * g->k + k + 1);
        bad += d[i * g->n + j] != to_bf16((float)sum);
    }
    return bad;
}

/* Memory of a run, on both sides. */
typedef struct memory {
    uint64_t a, b, d, offsets; /* on the device */
    uint64_t *lengths;
    int32_t *list;
    uint16_t *result;
} memory;

static int memory_make(zlay_ctx *ctx, zlay_device *device, const zlay_gemm *g, memory *m)
{
    m->lengths = calloc(g->groups, sizeof *m->lengths);
    m->list = calloc((size_t)g->groups + 1, sizeof *m->list);
    m->result = malloc(2 * g->m * g->n);
    m->a = upload(ctx, device, g->m * g->k, 0);
    m->b = upload(ctx, device, g->groups * g->n * g->k, 1);
    return m->lengths && m->list && m->result && m->a && m->b &&
           !failed(ctx, zlay_device_allocate(ctx, &m->d, device, 2 * g->m * g->n), "memory") &&
           !failed(ctx, zlay_device_allocate(ctx, &m->offsets, device, ((uint64_t)g->groups + 1) * sizeof *m->list), "memory");
}

static void memory_free(zlay_device *device, memory *m)
{
    zlay_device_free(device, m->a);
    zlay_device_free(device, m->b);
    zlay_device_free(device, m->d);
    zlay_device_free(device, m->offsets);
    free(m->lengths);
    free(m->list);
    free(m->result);
}

/* Where a kernel that ran before has left the offsets on the device, the host never sees them: it gives their address. */
static int offsets_on_device(zlay_ctx *ctx, zlay_device *device, zlay_kernel *kernel, const zlay_gemm *g, memory *m)
{
    for (uint64_t i = 0; i < g->groups; i++) m->list[i + 1] = m->list[i] + (int32_t)m->lengths[i];
    return !failed(ctx, zlay_device_upload(ctx, device, m->offsets, m->list, ((uint64_t)g->groups + 1) * sizeof *m->list), "offsets") &&
           !failed(ctx, zlay_kernel_set(ctx, kernel, "offsets", &m->offsets, sizeof m->offsets), "offsets");
}

static int launched(zlay_ctx *ctx, zlay_device *device, zlay_kernel *kernel, const zlay_gemm *g, memory *m, uint64_t *bad)
{
    int done = !failed(ctx, zlay_kernel_launch(ctx, kernel, NULL), "launch") && !failed(ctx, zlay_device_wait(ctx, device), "wait") &&
               !failed(ctx, zlay_device_download(ctx, m->result, device, m->d, 2 * g->m * g->n), "read");
    if (done) *bad += rows_wrong(g, m->lengths, m->result);
    return done;
}

static int kernel_launched(zlay_ctx *ctx, zlay_device *device, zlay_kernel *kernel, const zlay_gemm *g, memory *m)
{
    uint64_t bad = 0, rows = 0;
    float ms = 0;
    lengths_make(m->lengths, g, 1);
    int done = !failed(ctx, zlay_kernel_bind(ctx, kernel, m->a, m->b, m->d), "bind") &&
               !failed(ctx, zlay_kernel_set_lengths(ctx, kernel, "offsets", m->lengths, g->groups), "lengths") &&
               launched(ctx, device, kernel, g, m, &bad);
    lengths_make(m->lengths, g, 2);
    done = done && offsets_on_device(ctx, device, kernel, g, m) && launched(ctx, device, kernel, g, m, &bad) &&
           !failed(ctx, zlay_kernel_measure(ctx, &ms, kernel, 20), "time");
    for (uint64_t i = 0; i < g->groups; i++) rows += m->lengths[i];
    if (done)
        printf("%llu of %d sampled elements wrong; %.1f TFLOP/s of %llu rows on such numbers\n", (unsigned long long)bad, 2 * SAMPLES,
               2e-9 * (double)rows * (double)g->n * (double)g->k * 20 / (double)ms, (unsigned long long)rows);
    return done && !bad;
}

static int device_run(zlay_ctx *ctx, const zlay_plan *plan, const zlay_gemm *g, const char *ptx, size_t length)
{
    zlay_device *device;
    zlay_kernel *kernel = NULL;
    memory m = {0, 0, 0, 0, NULL, NULL, NULL};
    if (zlay_device_open(ctx, &device, 0)) {
        printf("not run: %s\n", zlay_ctx_message(ctx));
        return 1;
    }
    zlay_status status = zlay_kernel_load(ctx, &kernel, device, plan, ptx, length, "experts");
    if (status == ZLAY_ENOTSUP) printf("not run: %s\n", zlay_ctx_message(ctx)); /* a GPU of another kind */
    int good = status == ZLAY_ENOTSUP ||
               (!failed(ctx, status, "load") && memory_make(ctx, device, g, &m) && kernel_launched(ctx, device, kernel, g, &m));
    memory_free(device, &m);
    zlay_kernel_free(kernel);
    zlay_device_close(device);
    return good;
}

int main(int argc, char **argv)
{
    zlay_ctx *ctx;
    zlay_plan *plan = NULL;
    const zlay_target *target;
    uint64_t sizes[] = {16, 8192, 2048, 2048};
    for (int i = 1; i < argc && i < 5; i++) sizes[i - 1] = strtoull(argv[i], NULL, 10);
    zlay_gemm g = {.size = sizeof g, .m = sizes[1], .n = sizes[2], .k = sizes[3], .groups = (uint32_t)sizes[0]};
    if (!g.groups || g.groups != sizes[0]) {
        fprintf(stderr, "GROUPS: it is 1 to 4294967295\n");
        return 2;
    }
    if (zlay_ctx_new(&ctx, NULL, NULL) || zlay_target_find(&target, "sm_90a", 6)) return 2;
    size_t length = 0;
    char *ptx = NULL;
    int good = !failed(ctx, zlay_gemm_synth(ctx, &plan, target, &g), "plan") && rules_print(ctx, plan) && (ptx = ptx_make(ctx, plan, &length)) &&
               file_write("experts.ptx", ptx, length) && device_run(ctx, plan, &g, ptx, length);
    free(ptx);
    zlay_plan_free(plan);
    zlay_ctx_free(ctx);
    return good ? 0 : 2;
}
