/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts of the pipes in tests/pipes, proved for every trip count, against a budget of 10 ms, and how they
 * grow with their stages; then the time of reckoning how long a kernel runs.  Run from the root of the sources. */
#include "bench.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 1 << 14 };

typedef struct state {
    zlay_ctx *ctx;
    char text[TEXT];
    size_t length;
    const zlay_target *target;
} state;

static bool verify_work(void *value)
{
    const state *s = value;
    zlay_pipe *pipe = NULL;
    zlay_answer answer = ZLAY_NO;
    size_t count;
    bool right = zlay_pipe_parse(s->ctx, &pipe, s->text, s->length) == ZLAY_OK &&
                 zlay_pipe_verify(s->ctx, &answer, NULL, 0, &count, NULL, pipe) == ZLAY_OK;
    zlay_pipe_free(pipe);
    return right && answer == ZLAY_YES;
}

size_t bench_stages(char *out, size_t room, const char *raw, unsigned stages)
{
    size_t length = 0;
    while (*raw && length + 16 < room) {
        bool less = raw[0] == '$' && raw[1] == '-' && raw[2] >= '0' && raw[2] <= '9';
        if (*raw != '$') out[length++] = *raw++;
        else {
            unsigned number = less ? stages - (unsigned)(raw[2] - '0') : stages;
            length += (size_t)snprintf(out + length, 12, "%u", number);
            raw += less ? 3 : 1;
        }
    }
    out[length] = 0;
    return length;
}

static bool read_raw(const char *path, char *raw)
{
    FILE *file = fopen(path, "r");
    if (!file) return false;
    raw[fread(raw, 1, TEXT - 1, file)] = 0;
    fclose(file);
    return true;
}

static bool row(state *s, const char *path, unsigned stages, bool json)
{
    static char raw[TEXT];
    char name[96];
    const char *base = strrchr(path, '/') + 1;
    if (!read_raw(path, raw)) return false;
    s->length = bench_stages(s->text, TEXT, raw, stages);
    double time = bench_time(verify_work, s);
    snprintf(name, sizeof name, "pipe %.*s, %u stages", (int)(strlen(base) - 5), base, stages);
    if (time >= 0) bench_line(name, time, "us", "a budget of 10 ms", 10000 / time, json);
    return time >= 0;
}

/* ---- how long a kernel runs ------------------------------------------------------ */

typedef struct kernel {
    zlay_ctx *ctx;
    zlay_plan *plan;
    zlay_machine machine;
} kernel;

static bool cycles_work(void *value)
{
    const kernel *k = value;
    zlay_kernel_cost cost;
    return !zlay_gemm_cycles(k->ctx, &cost, &k->machine, k->plan) && cost.cycles > 0;
}

/* Reckoning is to be cheap beside one launch that is timed, with what lets the clock settle. */
static bool cycles_row(zlay_ctx *ctx, bool json)
{
    const zlay_gemm gemm = {.size = sizeof gemm, .m = 4096, .n = 4096, .k = 4096};
    const zlay_target *target;
    kernel *k = malloc(sizeof *k);
    bool right = k && !zlay_target_find(&target, "sm_90a", 6) && !zlay_machine_find(&k->machine, target) &&
                 !zlay_gemm_synth(ctx, &k->plan, target, &gemm);
    if (right) k->ctx = ctx;
    double time = right ? bench_time(cycles_work, k) : -1;
    if (time >= 0) bench_line("gemm.cycles, 4096 x 4096 x 4096 on sm_90a", time, "us", "a budget of 10 ms", 10000 / time, json);
    if (right) zlay_plan_free(k->plan);
    free(k);
    return time >= 0;
}

static bool roles_work(void *value)
{
    const state *s = value;
    zlay_roles *roles;
    if (zlay_roles_synth(s->ctx, &roles, s->target, s->text, s->length)) return false;
    zlay_roles_free(roles);
    return true;
}

/* Pipes of attention, found and proved, against a budget of 1 s. */
static bool roles_row(state *s, const char *file, const char *target, bool json)
{
    char path[64], name[96];
    snprintf(path, sizeof path, "examples/%s.tiles", file);
    if (!read_raw(path, s->text) || zlay_target_find(&s->target, target, strlen(target))) return false;
    s->length = strlen(s->text);
    double time = bench_time(roles_work, s);
    snprintf(name, sizeof name, "roles of %s", file);
    if (time >= 0) bench_line(name, time, "us", "a budget of 1 s", 1e6 / time, json);
    return time >= 0;
}

/* Producers of threads publish a stage when they have filled the next: with two stages they deadlock. */
static unsigned least_stages(const char *path)
{
    return strstr(path, "gemm_cpasync") || strstr(path, "gemm_loads") ? 4 : 2;
}

bool bench_pipe(zlay_ctx *ctx, bool json)
{
    state *s = malloc(sizeof *s);
    glob_t files;
    bool right = s && !glob("tests/pipes/*.pipe", 0, NULL, &files);
    if (!right) {
        fprintf(stderr, "no tests/pipes here\n");
        free(s);
        return false;
    }
    s->ctx = ctx;
    for (size_t i = 0; i < files.gl_pathc; i++) {
        for (unsigned stages = least_stages(files.gl_pathv[i]); stages <= 8; stages += 2)
            right = row(s, files.gl_pathv[i], stages, json) && right;
    }
    globfree(&files);
    right = roles_row(s, "attention", "sm_90a", json) && roles_row(s, "blackwell_attention", "sm_100a", json) && right;
    free(s);
    return cycles_row(ctx, json) && right;
}
