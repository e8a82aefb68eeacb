/* SPDX-License-Identifier: Apache-2.0 */
/* Products of groups, packed attention and copies of rows on a GPU by the public runtime alone: rows of groups with B in both orders, an epilogue, rows of
 * K, and causal sequences. Data is random, every element is compared with sums in double on the host, memory beside D and rows of no
 * group must stay as they are, the same launch again leaves the same bits, and the counter of tiles is 0 behind it. Offsets come from
 * the host, as lengths, and from the device, where they may be wrong: they are bounded as the plan says.
 *
 *   device-groups [--launches N] [--seed N] [--dry]     --dry plans and prints kernels, and launches nothing
 *
 * Ends with `N passed, N failed`; status 1 where something is wrong, 2 where there is no device. */
#define _DEFAULT_SOURCE /* alarm */
#include "groups_world.h"

enum { GROUPS = 8, WORKSPACE = 256, SECONDS = 300, TIMED = 50 };
enum { BY_OFFSETS, BY_LENGTHS, BY_DEVICE };


static const char scaled[] = "body scaled\n  matrix S f32\n  matrix R bf16\n  scalar alpha f32\n  global scale f32\n  index i\n  index j\n"
                             "  R = bf16(S * (alpha * load(scale, i + row, 900)))\nend\n";

/* A product: a, b, and d between its margins, on the host. */
typedef struct product {
    zlay_gemm g;
    zlay_plan *plan;
    zlay_kernel *kernel;
    uint64_t rows, a_count, b_count, d_count;
    uint16_t *a, *b, *d, *first;
    float *scale, alpha;
    uint64_t at[5]; /* on the device, by AT_ */
} product;

enum { AT_A, AT_B, AT_D, AT_OFFSETS, AT_SCALE };

static char *printed(const world *w, const zlay_plan *plan, size_t *length)
{
    zlay_buf text = {NULL, 0, 0};
    if (zlay_emit_ptx(w->ctx, &text, plan, "gemm", 4) != ZLAY_EROOM) die(w, "PTX");
    text.room = text.need + 1;
    text.text = taken(text.room);
    must(w, zlay_emit_ptx(w->ctx, &text, plan, "gemm", 4), "PTX");
    *length = text.need;
    return text.text;
}

/* ---- a product ----------------------------------------------------------------- */

static bool in_k(const product *p) { return p->g.ragged == ZLAY_RAGGED_K; }

static void product_sizes(product *p)
{
    const zlay_gemm *g = &p->g;
    p->rows = in_k(p) ? g->k : g->m;
    p->a_count = g->m * g->k;
    p->b_count = g->n * g->k * (in_k(p) ? 1 : g->groups);
    p->d_count = g->m * g->n * (in_k(p) ? g->groups : 1);
}

static void product_make(world *w, product *p, bool dry)
{
    size_t length;
    must(w, zlay_gemm_synth(w->ctx, &p->plan, w->target, &p->g), "plan");
    char *text = printed(w, p->plan, &length);
    product_sizes(p);
    if (!dry) {
        must(w, zlay_kernel_load(w->ctx, &p->kernel, w->device, p->plan, text, length, "gemm"), "load");
        p->a = normals(w, p->a_count);
        p->b = normals(w, p->b_count);
        p->d = taken((p->d_count + 2 * BESIDE) * sizeof *p->d);
        p->first = taken((p->d_count + 2 * BESIDE) * sizeof *p->d);
        p->scale = taken(p->g.m * sizeof *p->scale);
        p->alpha = 0.5F;
        for (uint64_t i = 0; i < p->g.m; i++) p->scale[i] = (float)(1 + test_random(&w->seed) % 8) / 4;
        p->at[AT_A] = placed(w, p->a, p->a_count * sizeof *p->a);
        p->at[AT_B] = placed(w, p->b, p->b_count * sizeof *p->b);
        p->at[AT_D] = placed(w, NULL, (p->d_count + 2 * BESIDE) * sizeof *p->d);
        p->at[AT_OFFSETS] = placed(w, NULL, (GROUPS + 1) * sizeof(int32_t));
        p->at[AT_SCALE] = placed(w, p->scale, p->g.m * sizeof *p->scale);
        must(w, zlay_kernel_bind(w->ctx, p->kernel, p->at[AT_A], p->at[AT_B], p->at[AT_D] + BESIDE * sizeof *p->d), "bind");
        if (p->g.epilogue) {
            must(w, zlay_kernel_set(w->ctx, p->kernel, "x_alpha", &p->alpha, sizeof p->alpha), "alpha");
            must(w, zlay_kernel_set(w->ctx, p->kernel, "read_scale", &p->at[AT_SCALE], 8), "scale");
        }
    }
    free(text);
}

static void product_drop(world *w, product *p)
{
    zlay_kernel_free(p->kernel);
    for (size_t i = 0; i < sizeof p->at / sizeof *p->at; i++)
        if (w->device) zlay_device_free(w->device, p->at[i]);
    zlay_plan_free(p->plan);
    free(p->a), free(p->b), free(p->d), free(p->first), free(p->scale);
}

/* The offsets as the kernel bounds them. */
static void bounded(uint64_t *cuts, const product *p, const int64_t *offsets)
{
    int64_t at = 0, most = (int64_t)p->rows;
    for (uint32_t i = 0; i <= p->g.groups; i++) {
        int64_t here = offsets[i] < at ? at : offsets[i] > most ? most : offsets[i];
        cuts[i] = (uint64_t)(at = here);
    }
}

static double a_at(const product *p, uint64_t i, uint64_t k) { return (double)bf16_value(p->a[in_k(p) ? k * p->g.m + i : i * p->g.k + k]); }

static double b_at(const product *p, uint64_t group, uint64_t k, uint64_t j)
{
    if (in_k(p)) return (double)bf16_value(p->b[k * p->g.n + j]);
    uint64_t first = group * p->g.n * p->g.k;
    return (double)bf16_value(p->b[first + (p->g.b_order == ZLAY_ORDER_ROW ? k * p->g.n + j : j * p->g.k + k)]);
}

/* An element of D of a group, whose K is from `begin` to below `end`: bf16 keeps 8 bits, and each sum of f32 loses no more than the last
 * two bits of the sum of the magnitudes. */
static bool right(const product *p, uint64_t group, uint64_t i, uint64_t j, const uint64_t *k, float got)
{
    double sum = 0, size = 0, factor = p->g.epilogue ? (double)(p->alpha * p->scale[i]) : 1;
    for (uint64_t x = k[0]; x < k[1]; x++) {
        double term = a_at(p, i, x) * b_at(p, group, x, j);
        sum += term;
        size += fabs(term);
    }
    double room = fabs(sum) * ldexp(1, -8) + (double)(k[1] - k[0] + 16) * size * ldexp(1, -23);
    return fabs((double)got - sum * factor) <= room * factor;
}

static uint64_t wrong_of_rows(const product *p, const uint64_t *cuts, uint64_t *touched)
{
    uint64_t wrong = 0, group = 0;
    const uint64_t k[2] = {0, p->g.k};
    for (uint64_t i = 0; i < p->g.m; i++) {
        while (group < p->g.groups && i >= cuts[group + 1]) group++;
        bool none = group == p->g.groups || i < cuts[group];
        for (uint64_t j = 0; j < p->g.n; j++) {
            uint16_t cell = p->d[BESIDE + i * p->g.n + j];
            if (none) *touched += cell != CANARY;
            else wrong += !right(p, group, i, j, k, bf16_value(cell));
        }
    }
    return wrong;
}

static uint64_t wrong_of_k(const product *p, const uint64_t *cuts)
{
    uint64_t wrong = 0;
    for (uint64_t g = 0; g < p->g.groups; g++)
        for (uint64_t i = 0; i < p->g.m; i++)
            for (uint64_t j = 0; j < p->g.n; j++) wrong += !right(p, g, i, j, &cuts[g], bf16_value(p->d[BESIDE + (g * p->g.m + i) * p->g.n + j]));
    return wrong;
}

static void run(const world *w, const product *p, uint16_t *d)
{
    uint64_t bytes = (p->d_count + 2 * BESIDE) * sizeof *d;
    for (uint64_t i = 0; i < p->d_count + 2 * BESIDE; i++) d[i] = CANARY;
    must(w, zlay_device_upload(w->ctx, w->device, p->at[AT_D], d, bytes), "canaries");
    must(w, zlay_kernel_launch(w->ctx, p->kernel, NULL), "launch");
    must(w, zlay_device_wait(w->ctx, w->device), "wait");
    must(w, zlay_device_download(w->ctx, d, w->device, p->at[AT_D], bytes), "download");
}

/* What is wrong of D after a launch, as text; empty: nothing. */
static void judged(char *out, size_t room, const product *p, const int64_t *offsets)
{
    uint64_t cuts[GROUPS + 1], touched = 0;
    bounded(cuts, p, offsets);
    uint64_t wrong = in_k(p) ? wrong_of_k(p, cuts) : wrong_of_rows(p, cuts, &touched);
    for (uint64_t i = 0; i < BESIDE; i++) touched += (uint64_t)(p->d[i] != CANARY) + (p->d[BESIDE + p->d_count + i] != CANARY);
    *out = 0;
    if (wrong || touched)
        snprintf(out, room, "%llu elements wrong, %llu changed that are of no group", (unsigned long long)wrong, (unsigned long long)touched);
}

static void offsets_give(const world *w, const product *p, const int64_t *offsets, int how)
{
    uint64_t list[GROUPS + 1], groups = p->g.groups;
    int32_t words[GROUPS + 1];
    for (uint64_t i = 0; i <= groups; i++) {
        words[i] = (int32_t)offsets[i];
        list[i] = how == BY_LENGTHS ? (uint64_t)(i < groups ? offsets[i + 1] - offsets[i] : 0) : (uint64_t)offsets[i];
    }
    if (how == BY_OFFSETS) must(w, zlay_kernel_set_offsets(w->ctx, p->kernel, "offsets", list, groups + 1), "offsets");
    if (how == BY_LENGTHS) must(w, zlay_kernel_set_lengths(w->ctx, p->kernel, "offsets", list, groups), "lengths");
    if (how != BY_DEVICE) return;
    must(w, zlay_device_upload(w->ctx, w->device, p->at[AT_OFFSETS], words, (groups + 1) * sizeof *words), "offsets");
    must(w, zlay_kernel_set(w->ctx, p->kernel, "offsets", &p->at[AT_OFFSETS], 8), "offsets");
}

static void tried(world *w, const char *name, const char *what, product *p, const int64_t *offsets, int how)
{
    char wrong[200];
    offsets_give(w, p, offsets, how);
    run(w, p, p->d);
    judged(wrong, sizeof wrong, p, offsets);
    tell(w, name, what, wrong);
}

/* The same launch on a workspace of ours: the bits of before, and a counter of 0 behind each. */
static void repeated(world *w, const char *name, product *p, const int64_t *offsets)
{
    char wrong[200] = "", what[40];
    unsigned char counter[WORKSPACE];
    uint64_t own = placed(w, NULL, WORKSPACE);
    zlay_plan_summary info;
    must(w, zlay_plan_info(&info, p->plan), "plan");
    offsets_give(w, p, offsets, BY_OFFSETS);
    run(w, p, p->first);
    if (info.workspace) must(w, zlay_kernel_set_workspace(w->ctx, p->kernel, own, WORKSPACE), "workspace");
    for (unsigned i = 0; i < w->launches && !*wrong; i++) {
        run(w, p, p->d);
        if (memcmp(p->d, p->first, (p->d_count + 2 * BESIDE) * sizeof *p->d)) snprintf(wrong, sizeof wrong, "launch %u has other bits", i);
        must(w, zlay_device_download(w->ctx, counter, w->device, own, WORKSPACE), "counter");
        for (uint64_t b = 0; b < info.workspace && !*wrong; b++)
            if (counter[b]) snprintf(wrong, sizeof wrong, "launch %u leaves a counter that is not 0", i);
    }
    snprintf(what, sizeof what, "%u launches, equal bits", w->launches);
    tell(w, name, what, wrong);
    zlay_kernel_free(p->kernel);
    p->kernel = NULL;
    zlay_device_free(w->device, own);
}

static void timed(world *w, const char *name, const product *p)
{
    float ms = 0;
    const zlay_gemm *g = &p->g;
    must(w, zlay_kernel_measure(w->ctx, &ms, p->kernel, 3), "warm");
    must(w, zlay_kernel_measure(w->ctx, &ms, p->kernel, TIMED), "time");
    printf("%-28s %.2f us a launch, %.1f TFLOP/s\n", name, (double)ms * 1e3 / TIMED, 2e-9 * (double)g->m * (double)g->n * (double)g->k * TIMED / (double)ms);
}

/* ---- all products ----------------------------------------------------------------- */

#define GEMM(...) {.size = sizeof(zlay_gemm), __VA_ARGS__}
#define GRADIENT .ragged = ZLAY_RAGGED_K, .a_order = ZLAY_ORDER_COLUMN, .b_order = ZLAY_ORDER_ROW
static const struct {
    const char *name;
    zlay_gemm gemm;
    int64_t offsets[GROUPS + 1];
} products[] = {
    {"forward", GEMM(.m = 1100, .n = 520, .k = 264, .groups = 7), {3, 3, 300, 301, 420, 677, 1090, 1095}},
    {"forward, few rows", GEMM(.m = 70, .n = 1032, .k = 520, .groups = 8), {0, 1, 2, 3, 4, 40, 40, 69, 70}},
    {"forward, one group", GEMM(.m = 333, .n = 256, .k = 128, .groups = 1), {1, 333}},
    {"gradient of tokens", GEMM(.m = 1100, .n = 264, .k = 520, .b_order = ZLAY_ORDER_ROW, .groups = 7), {3, 3, 300, 301, 420, 677, 1090, 1095}},
    {"gradient of tokens, few rows", GEMM(.m = 70, .n = 520, .k = 264, .b_order = ZLAY_ORDER_ROW, .groups = 8), {0, 1, 2, 3, 4, 40, 40, 69, 70}},
    {"gradient of weights", GEMM(.m = 264, .n = 520, .k = 1100, .groups = 7, GRADIENT), {3, 3, 300, 301, 420, 677, 1090, 1095}},
    {"gradient of weights, few", GEMM(.m = 72, .n = 136, .k = 70, .groups = 8, GRADIENT), {0, 1, 2, 3, 4, 40, 40, 69, 70}},
    {"epilogue", GEMM(.m = 900, .n = 264, .k = 200, .groups = 5, .epilogue = scaled, .epilogue_length = sizeof scaled - 1), {0, 129, 129, 400, 401, 890}},
};

static void hostile(world *w, const char *name, product *p, const int64_t *offsets)
{
    enum { TRIES = 4 };
    int64_t list[GROUPS + 1], most = (int64_t)p->rows;
    for (int t = 0; t < TRIES; t++) {
        char what[40];
        for (uint32_t i = 0; i <= p->g.groups; i++)
            list[i] = t == 0   ? offsets[p->g.groups - i]
                       : t == 1 ? INT32_MAX
                       : t == 2 ? INT32_MIN
                                : offsets[i] + test_range(&w->seed, -most / 4, most / 4);
        snprintf(what, sizeof what, "offsets that are wrong, %d", t);
        tried(w, name, what, p, list, BY_DEVICE);
    }
}

static void product_tried(world *w, size_t row, bool dry)
{
    product p = {.g = products[row].gemm};
    const char *name = products[row].name;
    int64_t offsets[GROUPS + 1];
    memcpy(offsets, products[row].offsets, sizeof offsets);
    product_make(w, &p, dry);
    if (!dry) {
        tried(w, name, "offsets of the host", &p, offsets, BY_OFFSETS);
        tried(w, name, "offsets of the device", &p, offsets, BY_DEVICE);
        hostile(w, name, &p, offsets);
        for (uint32_t i = p.g.groups + 1; i-- > 0;) offsets[i] -= offsets[0];
        tried(w, name, "lengths", &p, offsets, BY_LENGTHS);
        repeated(w, name, &p, products[row].offsets);
    }
    product_drop(w, &p);
}

/* A size at which rates mean something: one kernel, nothing compared. */
static void rates(world *w)
{
    enum { ROWS = 8192, N = 2048, K = 2048, EIGHT = 8 };
    const zlay_gemm sizes[] = {GEMM(.m = ROWS, .n = N, .k = K, .groups = EIGHT), GEMM(.m = ROWS, .n = N, .k = K, .groups = EIGHT, .b_order = ZLAY_ORDER_ROW),
                               GEMM(.m = N, .n = K, .k = ROWS, .groups = EIGHT, GRADIENT)};
    static const char *const names[] = {"forward", "gradient of tokens", "gradient of weights"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        product p = {.g = sizes[i]};
        int64_t offsets[GROUPS + 1];
        for (int g = 0; g <= GROUPS; g++) offsets[g] = (int64_t)ROWS * g * g / (GROUPS * GROUPS);
        product_make(w, &p, false);
        offsets_give(w, &p, offsets, BY_OFFSETS);
        timed(w, names[i], &p);
        product_drop(w, &p);
    }
}

int main(int argc, char **argv)
{
    world w = {.seed = 20260601, .launches = 100};
    bool dry = false;
    zlay_device_summary info;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--dry")) dry = true;
        else if (i + 1 < argc && !strcmp(argv[i], "--launches")) w.launches = (unsigned)atoi(argv[++i]);
        else if (i + 1 < argc && !strcmp(argv[i], "--seed")) w.seed = strtoull(argv[++i], NULL, 0);
    }
    alarm(SECONDS);
    if (zlay_ctx_new(&w.ctx, NULL, NULL) || zlay_target_find(&w.target, "sm_90a", 6)) return 1;
    if (!dry && zlay_device_open(w.ctx, &w.device, 0)) {
        printf("no device: %s\n", zlay_ctx_message(w.ctx));
        zlay_ctx_free(w.ctx);
        return 2;
    }
    if (!dry && !zlay_device_info(&info, w.device)) printf("%s, seed %llu\n", info.name, (unsigned long long)w.seed);
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) product_tried(&w, i, dry);
    attention_tried(&w, dry);
    rows_tried(&w, dry);
    if (!dry) rates(&w);
    zlay_device_close(w.device);
    zlay_ctx_free(w.ctx);
    printf("%u passed, %u failed\n", w.passed, w.failed);
    return w.failed || (!dry && !w.passed);
}
