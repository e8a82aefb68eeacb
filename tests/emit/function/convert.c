/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of conversions: CUDA C and HIP are compiled by the host's compiler and run on coroutines (support/lanes.h), PTX is
 * executed by the model, and every element of every thread is the one that dst says. nvcc, clang and ptxas take all of them. */
#define _GNU_SOURCE /* mkdtemp, dlopen */
#include "assembler.h"
#include "ptx/run.h"

#include "ctx.h"

#include <dlfcn.h>

enum { PLANS = 96, KINDS = 12, TEXT_ROOM = 1 << 22, THREADS = 1024, REGISTERS = 128, IN = 1 << 20, OUT = 1 << 21 };
enum { REGISTER, LANE, WARP, BLOCK, LEVELS };

typedef struct job {
    uint32_t bits, lanes;   /* of an element; of a warp */
    uint64_t smem;          /* 0: the target's */
    uint64_t extent[2][LEVELS];
    int order[2][LEVELS];   /* the level of each dimension of src, of dst */
    zlay_layout *side[2];
    zlay_convert *plan;
} job;

static char text[TEXT_ROOM], all[2 * TEXT_ROOM], calls[TEXT_ROOM];
static px_machine machine;

/* ---- requests that are linear over F2 -------------------------------------------------------------- */

static uint32_t level_bits(const job *j, int side, int level) { return (uint32_t)__builtin_ctzll(j->extent[side][level]); }

/* A side: every bit of the tensor in some bit of a slot, in random order; `mixed` adds some to others. Levels stand in any order. */
static zlay_layout *draw_side(zlay_ctx *ctx, job *j, int side, uint32_t tensor, bool mixed, uint64_t *seed)
{
    static const char *const names[] = {"register", "lane", "warp", "block"};
    uint64_t basis[32] = {0};
    uint32_t bits = 0;
    char line[1024], *to = line;
    for (int l = 0; l < LEVELS; l++) bits += level_bits(j, side, l);
    for (uint32_t k = 0; k < tensor; k++) basis[k] = 1ull << k;
    for (uint32_t k = bits; k-- > 1;) {
        uint64_t i = test_random(seed) % (k + 1), held = basis[k];
        basis[k] = basis[i], basis[i] = held;
    }
    for (int n = 0; mixed && n < 6; n++) {
        uint64_t a = test_random(seed) % bits, b = test_random(seed) % bits;
        if (a != b) basis[a] ^= basis[b];
    }
    for (int l = LEVELS; l-- > 1;) {
        int i = (int)(test_random(seed) % (uint64_t)(l + 1)), held = j->order[side][l];
        j->order[side][l] = j->order[side][i], j->order[side][i] = held;
    }
    to += sprintf(to, "f2{");
    for (int d = 0, next = 0; d < LEVELS; d++) {
        to += sprintf(to, "%s%s:", d ? "; " : "", names[j->order[side][d]]);
        for (uint32_t k = 0; k < level_bits(j, side, j->order[side][d]); k++) to += sprintf(to, " (%llu)", (unsigned long long)basis[next++]);
    }
    sprintf(to, " -> t: %llu}", 1ull << tensor);
    return read_layout(ctx, line);
}

/* Fragments of mma.sync and of ldmatrix's transposes, among which plans choose stmatrix and ldmatrix. */
static const struct {
    uint32_t bits, warps;
    const char *src, *dst;
} known[] = {
    {16, 1, "f2{register: (1) (8) (128); lane: (2) (4) (16) (32) (64); warp: -> t: 256}", "f2{register: (1) (2) (4); lane: (8) (16) (32) (64) (128); warp: -> t: 256}"},
    {16, 4, "f2{register: (1) (8) (16); lane: (2) (4) (32) (64) (128); warp: (256) (512) -> t: 1024}",
     "f2{register: (32) (64) (128); lane: (256) (512) (1) (2) (4); warp: (8) (16) -> t: 1024}"},
    {8, 1, "f2{register: (1) (2) (16) (256); lane: (4) (8) (32) (64) (128); warp: -> t: 512}", "f2{register: (1) (2) (4) (8); lane: (16) (32) (64) (128) (256); warp: -> t: 512}"},
    {32, 2, "f2{register: (1); lane: (2) (4) (8) (16) (32); warp: (64) -> t: 128}", "f2{register: (1) (2) (4); lane: (8) (16) (32) (0) (0); warp: (64) -> t: 128}"},
};
enum { KNOWN = sizeof known / sizeof *known };

static void draw_known(zlay_ctx *ctx, job *j, int i)
{
    j->bits = known[i].bits;
    j->side[0] = read_layout(ctx, known[i].src), j->side[1] = read_layout(ctx, known[i].dst);
    for (int s = 0; s < 2; s++) {
        zlay_dim dim;
        assert_int_equal(zlay_f2_in_nth(&dim, j->side[s], 0), ZLAY_OK);
        const uint64_t extent[LEVELS] = {dim.size, 32, known[i].warps, 1};
        memcpy(j->extent[s], extent, sizeof extent);
    }
}

enum { PARTLY = 1, TRIPS, MANY, CLUSTER, FEW_LANES }; /* of slots: registers that elements fill in part; a small shared memory; 128 registers; blocks; lanes */

static void draw_bits(zlay_ctx *ctx, job *j, int i, int how, uint64_t *seed)
{
    static const uint32_t widths[] = {8, 16, 32, 64};
    j->bits = widths[i / KINDS % 4];
    int64_t least = j->bits == 8 ? 2 : j->bits == 16, bits[2], fewest, lost = how == FEW_LANES || (how == TRIPS && i / KINDS % 2) ? test_range(seed, 1, 3) : 0;
    int64_t warps = i / 4 % 3, blocks = how == CLUSTER ? 1 + i / KINDS % 2 : 0;
    if (how == PARTLY) j->bits = widths[i / KINDS % 2], least = 0;
    bits[0] = how == MANY ? 6 + (j->bits < 64) : how == TRIPS ? test_range(seed, 4, 5) : how == PARTLY ? test_range(seed, 0, 1) : test_range(seed, least, 4);
    bits[1] = i % 5 || how == MANY || how == TRIPS ? bits[0] : test_range(seed, least, 4);
    fewest = bits[0] < bits[1] ? bits[0] : bits[1];
    for (int s = 0; s < 2; s++) {
        const uint64_t extent[LEVELS] = {1ull << bits[s], j->lanes >> lost, 1ull << warps, 1ull << blocks};
        memcpy(j->extent[s], extent, sizeof extent);
    }
    uint32_t tensor = (uint32_t)(fewest + warps + blocks - lost) + (uint32_t)__builtin_ctz(j->lanes);
    for (int s = 0; s < 2; s++) j->side[s] = draw_side(ctx, j, s, tensor, i % 3 == 1, seed);
    if (how == TRIPS) j->smem = ((uint64_t)(j->bits / 8) << tensor) >> (1 + i % 2);
}

/* ---- requests of any sizes ------------------------------------------------------------------------- */

/* Strides of the levels in a random order; blocks, which exchange nothing, last. */
static void draw_strided(zlay_ctx *ctx, job *j, int i, uint64_t *seed)
{
    static const uint64_t registers[] = {1, 2, 3, 4, 5, 6, 8, 12, 16}, lanes[] = {32, 32, 24, 20, 7};
    static const uint32_t widths[] = {32, 16, 8, 64};
    uint64_t blocks = i / KINDS % 4 == 3 ? 2 : 1, n = registers[test_random(seed) % 9], l = lanes[test_random(seed) % 5], w = (uint64_t)test_range(seed, 1, 3);
    j->bits = widths[i / KINDS % 4];
    for (int s = 0; s < 2; s++) {
        const uint64_t extent[LEVELS] = {n, l, w, blocks}, first = test_random(seed) % 3, next = (first + 1 + test_random(seed) % 2) % 3;
        uint64_t stride[3];
        char line[200];
        stride[first] = 1, stride[next] = extent[first], stride[3 - first - next] = extent[first] * extent[next];
        memcpy(j->extent[s], extent, sizeof extent);
        sprintf(line, "(%llu,%llu,%llu,%llu):(%llu,%llu,%llu,%llu)", (unsigned long long)n, (unsigned long long)l, (unsigned long long)w, (unsigned long long)blocks,
                (unsigned long long)stride[0], (unsigned long long)stride[1], (unsigned long long)stride[2], (unsigned long long)(n * l * w));
        j->side[s] = read_layout(ctx, line);
    }
}

/* Slots without an element; and lanes turned round, or registers reversed, where no shared memory is needed. */
static void draw_pieces(zlay_ctx *ctx, job *j, int i, uint64_t *seed)
{
    static const uint32_t widths[] = {32, 16, 8, 64};
    int n = (int)test_range(seed, 1, 6), l = (int)test_range(seed, 9, 32), by = (int)test_range(seed, 1, 8);
    char line[2][400];
    j->bits = widths[i / KINDS % 4];
    for (int s = 0; s < 2; s++) memcpy(j->extent[s], (const uint64_t[]){(uint64_t)n, (uint64_t)l, 1, 1}, sizeof j->extent[s]);
    sprintf(line[0], "(%d,%d):(%d,1)", n, l, l);
    if (i / KINDS % 3 == 0) {
        int end = n * l - by;
        sprintf(line[0], "{ [r,t] -> [%dr + t] : 0 <= r < %d and 0 <= t < %d and %dr + t < %d }", l, n, l, l, end);
        sprintf(line[1], "{ [r,t] -> [r + %dt] : 0 <= r < %d and 0 <= t < %d and r + %dt < %d }", n, n, l, n, end);
    } else if (i / KINDS % 3 == 1) {
        sprintf(line[1], "{ [r,t] -> [%dr + t + %d] : 0 <= r < %d and 0 <= t < %d; [r,t] -> [%dr + t - %d] : 0 <= r < %d and %d <= t < %d }", l, by, n, l - by, l, l - by, n, l - by, l);
    } else {
        sprintf(line[1], "{ [r,t] -> [%d - %dr + t] : 0 <= r < %d and 0 <= t < %d }", (n - 1) * l, l, n, l);
    }
    for (int s = 0; s < 2; s++) j->side[s] = read_layout(ctx, line[s]);
}

/* ---- plans ----------------------------------------------------------------------------------------- */

static bool has_clusters(const char *target)
{
    zlay_target_summary info;
    zlay_target_info(&info, target_of(target));
    return info.cluster_most > 1;
}

static void plan(zlay_ctx *ctx, job *j, const char *target, int i)
{
    zlay_convert_request r = {.size = sizeof r, .elem_bits = j->bits, .src = j->side[0], .dst = j->side[1], .smem = j->smem};
    zlay_status status = zlay_convert_synth(ctx, &j->plan, target_of(target), &r);
    r.smem = 0; /* registers that cannot be taken piece by piece */
    if (status == ZLAY_ELIMIT && j->smem) status = zlay_convert_synth(ctx, &j->plan, target_of(target), &r);
    if (status) fail_msg("%d: %s", i, zlay_ctx_message(ctx));
}

/* A plan and its request. */
static void draw(zlay_ctx *ctx, job *j, const char *target, int i, uint64_t *seed)
{
    static const int hows[KINDS] = {0, PARTLY, 0, TRIPS, 0, CLUSTER, 0, FEW_LANES, MANY};
    zlay_target_summary info;
    zlay_target_info(&info, target_of(target));
    *j = (job){.lanes = info.lanes};
    for (int s = 0; s < 2; s++)
        for (int l = 0; l < LEVELS; l++) j->order[s][l] = l;
    int how = hows[i % KINDS];
    if (how == CLUSTER && !has_clusters(target)) how = 0;
    if (i < KNOWN && j->lanes == 32) draw_known(ctx, j, i);
    else if (i % KINDS == 9 || i % KINDS == 10) draw_strided(ctx, j, has_clusters(target) ? i : i % (3 * KINDS), seed);
    else if (i % KINDS == 11) draw_pieces(ctx, j, i, seed);
    else draw_bits(ctx, j, i, how, seed);
    plan(ctx, j, target, i);
}

static void drop(job *j)
{
    zlay_convert_free(j->plan);
    for (int s = 0; s < 2; s++) zlay_layout_free(j->side[s]);
}

/* The text's length; 0: the printer says that it has none. */
static size_t print_one(zlay_ctx *ctx, char *to, const job *j, int32_t language, int i)
{
    char name[16];
    int length = snprintf(name, sizeof name, "c%d", i);
    zlay_buf buf = {to, TEXT_ROOM, 0};
    zlay_status status = zlay_emit_convert(ctx, &buf, j->plan, language, name, (size_t)length);
    if (status == ZLAY_ENOTSUP) print_message("%d: %s\n", i, zlay_ctx_message(ctx));
    else if (status) fail_msg("%d: %s, %s", i, zlay_status_name(status), zlay_ctx_message(ctx));
    return status ? 0 : buf.need;
}

/* ---- what registers hold --------------------------------------------------------------------------- */

static uint32_t most_of(const job *j, int level)
{
    return (uint32_t)(j->extent[0][level] > j->extent[1][level] ? j->extent[0][level] : j->extent[1][level]);
}

static uint32_t threads_of(const job *j) { return j->lanes * most_of(j, WARP); } /* of a block */
static uint32_t words_of(const job *j, int side) { return ((uint32_t)j->extent[side][REGISTER] * j->bits + 31) / 32; }

/* The element's index in the tensor; false: there is none. */
static bool held_by(const job *j, int side, uint64_t thread, uint64_t element, int64_t *value)
{
    const uint64_t at[LEVELS] = {element, thread % j->lanes, thread / j->lanes % most_of(j, WARP), thread / threads_of(j)};
    uint64_t index = 0;
    for (int d = LEVELS; d-- > 0;) {
        int l = j->order[side][d];
        if (at[l] >= j->extent[side][l]) return false;
        index = index * j->extent[side][l] + at[l];
    }
    return zlay_layout_eval(value, 1, j->side[side], index) == ZLAY_OK;
}

/* Element e of thread t of a side holds bits that follow from its index in the tensor. Of src all else holds what nobody may see; of dst
 * the mask has the bits that count, and those above the last element are 0. */
static void fill(const job *j, int side, uint64_t salt, uint32_t *words, uint32_t *mask)
{
    uint32_t n = words_of(j, side), elements = (uint32_t)j->extent[side][REGISTER], rest = elements * j->bits % 32;
    uint32_t threads = threads_of(j) * most_of(j, BLOCK);
    assert_true(threads * n <= THREADS * REGISTERS);
    memset(words, side ? 0 : 0xee, n * threads * 4);
    memset(mask, 0, n * threads * 4);
    for (uint32_t t = 0; t < threads; t++) {
        if (rest) mask[t * n + n - 1] = ~0u << rest;
        for (uint32_t e = 0; e < elements; e++) {
            int64_t index;
            if (!held_by(j, side, t, e, &index)) continue;
            uint64_t seed = (uint64_t)index * 2654435761u + salt, value = test_random(&seed);
            memcpy((char *)(words + t * n) + e * j->bits / 8, &value, j->bits / 8);
            memset((char *)(mask + t * n) + e * j->bits / 8, 0xff, j->bits / 8);
        }
    }
}

static bool is_equal(const uint32_t *got, const uint32_t *wanted, const uint32_t *mask, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        if ((got[k] ^ wanted[k]) & mask[k]) return false;
    return true;
}

/* ---- the host's compiler -------------------------------------------------------------------------- */

typedef void run_function(unsigned *held, void *shared);

/* Registers of src, then those of dst in the same place. */
static void write_run(FILE *file, const job *j, int i)
{
    uint32_t n = words_of(j, 0), m = words_of(j, 1), most = n > m ? n : m;
    fprintf(file, "static void call_%d(unsigned *r, unsigned thread, void *shared) { unsigned to[%u]; (void)shared; c%d(to, *(const unsigned (*)[%u])r, thread%s); "
                  "memcpy(r, to, sizeof to); }\nextern \"C\" void run_%d(unsigned *held, void *shared) { lanes_run(call_%d, held, %u, %u, shared); }\n",
            i, m, i, n, strstr(text, "void *shared") ? ", shared" : "", i, i, most, threads_of(j));
}

static uint32_t from[THREADS * REGISTERS], wanted[THREADS * REGISTERS], held[THREADS * REGISTERS], mask[THREADS * REGISTERS];
static uint32_t memory[64 << 10] __attribute__((aligned(16)));

static void run_host(void *library, const job *j, int i)
{
    union { void *object; run_function *run; } found;
    uint32_t n = words_of(j, 0), m = words_of(j, 1), most = n > m ? n : m;
    char name[16];
    snprintf(name, sizeof name, "run_%d", i);
    found.object = dlsym(library, name);
    for (uint64_t salt = 1; found.object && salt < 3; salt++) {
        fill(j, 0, salt, from, mask);
        fill(j, 1, salt, wanted, mask);
        for (uint32_t t = 0; t < threads_of(j); t++) memcpy(held + t * most, from + t * n, n * 4);
        memset(memory, 0xa5, sizeof memory);
        found.run(held, memory);
        for (uint32_t t = 0; t < threads_of(j); t++)
            if (!is_equal(held + t * most, wanted + t * m, mask + t * m, m)) fail_msg("conversion %d, thread %u", i, t);
    }
}

static void ran_on_host(zlay_ctx *ctx, int32_t language, const char *target, int least)
{
    static job jobs[PLANS];
    char folder[] = "/tmp/zlay-function-XXXXXX", path[64], command[400];
    uint64_t seed = test_seed("conversions");
    int ran = 0, stored = 0;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/c.cpp", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("#include \"lanes.h\"\n", file);
    for (int i = 0; i < PLANS; i++) {
        draw(ctx, &jobs[i], target, i, &seed);
        if (!print_one(ctx, text, &jobs[i], language, i) || strstr(text, "asm") || most_of(&jobs[i], BLOCK) > 1) continue;
        fputs(text, file);
        write_run(file, &jobs[i], i);
        ran++;
        stored += strstr(text, "void *shared") != NULL;
    }
    fclose(file);
    snprintf(command, sizeof command, "${CXX:-c++} -std=c++17 -O1 -Wall -Wextra -Werror -Itests/support -shared -fPIC -o %s/c.so %s", folder, path);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/c.so", folder);
    void *library = dlopen(path, RTLD_NOW);
    assert_non_null(library);
    for (int i = 0; i < PLANS; i++) {
        run_host(library, &jobs[i], i);
        drop(&jobs[i]);
    }
    dlclose(library);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    print_message("%s: %d of %d ran, %d through shared memory\n", target, ran, PLANS, stored);
    assert_true(ran >= least && stored >= 4);
}

static void cuda_values(void **state) { ran_on_host(*state, ZLAY_TEXT_CUDA, "sm_80", 72); }
static void hip_values(void **state) { ran_on_host(*state, ZLAY_TEXT_HIP, "gfx942", 84); }

/* ---- PTX ------------------------------------------------------------------------------------------- */

/* The body of the function as that of a kernel, whose threads take their registers from arrays. */
static void write_kernel(char *out, const char *func, uint32_t threads, uint32_t n, uint32_t m)
{
    char *to = out + sprintf(out, ".version 8.0\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 $smem[];\n.visible .entry k(\n.param .u64 from,\n"
                                  ".param .u64 to\n)\n{\n    .reg .b64 in, out;\n    .reg .b32 tid, rank;\n    mov.u32 tid, %%tid.x;\n    mov.u32 rank, %%cluster_ctarank;\n    mad.lo.u32 tid, rank, %u, tid;\n    ld.param.u64 in, [from];\n"
                                  "    ld.param.u64 out, [to];\n    mad.wide.u32 in, tid, %u, in;\n    mad.wide.u32 out, tid, %u, out;\n", threads, 4 * n, 4 * m);
    for (const char *line = strstr(func, "{\n") + 2, *end; *line && *line != '}'; line = end + 1) {
        unsigned z, at;
        end = strchr(line, '\n');
        if (sscanf(line, " ld.param.b32 %%z%u, [source + %u]", &z, &at) == 2) to += sprintf(to, "    ld.global.b32 %%z%u, [in + %u];\n", z, at);
        else if (sscanf(line, " st.param.b32 [result + %u], %%z%u", &at, &z) == 2) to += sprintf(to, "    st.global.b32 [out + %u], %%z%u;\n", at, z);
        else if (strstr(line, "[thread]") && strstr(line, "[thread]") < end) to += sprintf(to, "    mov.u32 %%lin, tid;\n");
        else if (strstr(line, "[shared]") && strstr(line, "[shared]") < end) to += sprintf(to, "    mov.u32 %%shared, $smem;\n");
        else to += sprintf(to, "%.*s\n", (int)(end - line), line);
    }
    sprintf(to, "}\n");
}

static void run_ptx(const job *j, int i)
{
    static char kernel[TEXT_ROOM];
    const uint64_t at[2] = {IN, OUT};
    uint32_t n = words_of(j, 0), m = words_of(j, 1), blocks = most_of(j, BLOCK);
    write_kernel(kernel, text, threads_of(j), n, m);
    fill(j, 0, 5, from, mask);
    fill(j, 1, 5, wanted, mask);
    machine.memories = 2;
    machine.memory[0] = (px_memory){IN, sizeof from, (uint8_t *)from};
    machine.memory[1] = (px_memory){OUT, sizeof held, (uint8_t *)held};
    for (int p = 0; p < 2; p++) memcpy(machine.param[p], &at[p], sizeof at[p]);
    machine.when = PX_ANY_TIME;
    machine.random = 7;
    px_run(&machine, kernel, (int)threads_of(j), blocks, (int)blocks);
    if (*machine.fault) fail_msg("%d: %s\n%s", i, machine.fault, kernel);
    if (!is_equal(held, wanted, mask, threads_of(j) * blocks * m)) fail_msg("conversion %d\n%s", i, kernel);
}

static void ptx_values(void **state)
{
    uint64_t seed = test_seed("conversions");
    int ran = 0, matrices = 0, pieces = 0, remote = 0, guarded = 0;
    for (int i = 0; i < PLANS; i++) {
        job j;
        draw(*state, &j, "sm_90a", i, &seed);
        if (print_one(*state, text, &j, ZLAY_TEXT_PTX, i)) {
            run_ptx(&j, i);
            ran++;
            matrices += strstr(text, "matrix.sync.aligned.m8n8.x") != NULL;
            remote += strstr(text, "ld.shared::cluster") != NULL;
            guarded += strstr(text, "@!") != NULL;
            zlay_convert_summary info;
            zlay_convert_info(&info, j.plan);
            pieces += info.trips > 1;
        }
        drop(&j);
    }
    print_message("%d ran, %d with matrices, %d piece by piece, %d between blocks, %d with guards\n", ran, matrices, pieces, remote, guarded);
    assert_true(ran == PLANS && matrices >= 2 && pieces >= 3 && remote >= 3 && guarded >= 3);
}

/* ---- compilers -------------------------------------------------------------------------------------- */

/* All functions, and a kernel that calls each of them but the last, which stands alone. */
static void write_all(zlay_ctx *ctx, int32_t language, const char *target)
{
    uint64_t seed = test_seed("conversions");
    char *to = all, *call = calls;
    *calls = 0;
    for (int i = 0; i < PLANS; i++) {
        job j;
        draw(ctx, &j, target, i, &seed);
        size_t length = print_one(ctx, to, &j, language, i);
        uint32_t n = words_of(&j, 0), m = words_of(&j, 1);
        if (length && i + 1 < PLANS)
            call += sprintf(call, "    { unsigned to[%u], from[%u]; for (int i = 0; i < %u; i++) from[i] = p[i]; c%d(to, from, thread%s); for (int i = 0; i < %u; i++) p[i] = to[i]; }\n",
                            m, n, n, i, strstr(to, "void *shared") ? ", shared" : "", m);
        to += length;
        drop(&j);
    }
    if (language == ZLAY_TEXT_PTX) return;
    sprintf(to, "extern \"C\" __attribute__((global)) void k(unsigned *p, unsigned thread)\n{\n    __attribute__((shared)) static unsigned shared[8192] __attribute__((aligned(16)));\n    (void)shared;\n%s}\n", calls);
}

static void nvcc_takes_them(void **state)
{
    static const char *const targets[] = {"sm_80", "sm_90a", "sm_100a"};
    need_compiler();
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
        write_all(*state, ZLAY_TEXT_CUDA, targets[t]);
        assert_true(compiles(targets[t], all));
    }
}

static void ptxas_takes_them(void **state)
{
    static const char head[] = ".version 8.0\n.target sm_90a\n.address_size 64\n\n";
    need_assembler();
    write_all(*state, ZLAY_TEXT_PTX, "sm_90a");
    memmove(all + sizeof head - 1, all, strlen(all) + 1);
    memcpy(all, head, sizeof head - 1);
    assert_true(assembles("sm_90a", all));
}

static void clang_takes_them(void **state)
{
    static const char *const targets[] = {"gfx90a", "gfx942", "gfx950"};
    if (!has_hip_compiler()) skip();
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
        write_all(*state, ZLAY_TEXT_HIP, targets[t]);
        assert_true(compiles_hip(targets[t], all));
    }
}

/* ---- refusals --------------------------------------------------------------------------------------- */

static void refuse(zlay_ctx *ctx, const char *target, uint32_t bits, const char *src, const char *dst, int32_t language, const char *says)
{
    zlay_layout *side[2] = {read_layout(ctx, src), read_layout(ctx, dst)};
    zlay_convert_request r = {.size = sizeof r, .elem_bits = bits, .src = side[0], .dst = side[1]};
    zlay_convert *plan = NULL;
    zlay_buf buf = {NULL, 0, 0};
    assert_int_equal(zlay_convert_synth(ctx, &plan, target_of(target), &r), ZLAY_OK);
    assert_int_equal(zlay_emit_convert(ctx, &buf, plan, language, "c", 1), ZLAY_ENOTSUP);
    if (!strstr(zlay_ctx_message(ctx), says)) fail_msg("%s, not %s", zlay_ctx_message(ctx), says);
    assert_int_equal(zlay_emit_convert(ctx, &buf, plan, 5, "c", 1), ZLAY_EINVAL);
    assert_int_equal(zlay_emit_convert(ctx, &buf, plan, language, "__global__", 10), ZLAY_EINVAL);
    assert_int_equal(zlay_emit_convert(ctx, NULL, plan, language, "c", 1), ZLAY_EINVAL);
    zlay_convert_free(plan);
    for (int s = 0; s < 2; s++) zlay_layout_free(side[s]);
}

static void refused(void **state)
{
    static const char a[] = "f2{register: (1) (2); lane: (4) (8) (16) (32) (64) -> t: 128}", b[] = "f2{register: (64) (2); lane: (4) (8) (16) (32) (1) -> t: 128}";
    zlay_buf buf = {NULL, 0, 0};
    refuse(*state, "sm_90a", 32, a, b, ZLAY_TEXT_HIP, "sm_90a");
    refuse(*state, "gfx942", 32, a, b, ZLAY_TEXT_CUDA, "gfx942");
    refuse(*state, "sm_90a", 32, "(256,32):(1,256)", "(256,32):(32,1)", ZLAY_TEXT_CUDA, "255 registers");
    refuse(*state, "sm_90a", 16, "(510,31):(31,1)", "{ [r,t] -> [(37r + 1000t) mod 15810] : 0 <= r < 510 and 0 <= t < 31 }", ZLAY_TEXT_PTX, "operations");
    assert_int_equal(zlay_emit_convert(*state, &buf, NULL, ZLAY_TEXT_CUDA, "c", 1), ZLAY_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuda_values),
        cmocka_unit_test(hip_values),
        cmocka_unit_test(ptx_values),
        cmocka_unit_test(nvcc_takes_them),
        cmocka_unit_test(ptxas_takes_them),
        cmocka_unit_test(clang_takes_them),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests_name("functions of conversions", tests, begin, end);
}
