/* SPDX-License-Identifier: Apache-2.0 */
/* Pipes as generated kernels on a Hopper GPU: what the rows of pipes.def leave in global memory, byte
 * by byte, against their relations; then mutants, each in a process of its own, for a wait that gives up
 * ends the context.
 *
 * With --print the kernels become files, PTX and CUDA C, for compilers where there is no device; with --cubins
 * FOLDER row I runs as FOLDER/I.cubin.
 *
 *   device-pipes [--mutant I | --print FOLDER | --cubins FOLDER]     Ends with `N passed, N failed`. */
#define _DEFAULT_SOURCE /* alarm */
#include "device/rig/cuda_now.h"
#include "pipe_bench.h"

#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 400, DYNAMIC_SMEM = 8 };

typedef struct device {
    cuda_now cuda;
    bool open;
    const char *cubins;
} device;

static void must(cuda_result result, const char *what)
{
    if (!result) return;
    printf("driver error %u: %s\n", result, what);
    exit(3);
}

/* Where there is no device texts are printed, and addresses are 0. */
static uint64_t place(bench *b, size_t bytes)
{
    device *d = b->runner;
    cuda_address at = 0;
    if (d->open) must(d->cuda.cuMemAlloc_v2(&at, bytes), "memory");
    return at;
}

/* Every buffer, to the device or back. */
static void each_buffer(bench *b, bool back)
{
    device *d = b->runner;
    for (unsigned i = 0; i <= b->buffers; i++) {
        buffer *one = i < b->buffers ? &b->buffer[i] : &b->sums;
        if (!one->was) continue;
        if (back) must(d->cuda.cuMemcpyDtoH_v2(one->got, one->at, one->bytes), "from the device");
        else must(d->cuda.cuMemcpyHtoD_v2(one->at, one->was, one->bytes), "to the device");
    }
}

/* Launch once; GAVE_UP where the driver reports a fault. */
static int launch_once(bench *b, const struct pipe_row *row, void *function)
{
    device *d = b->runner;
    arguments_make(b, row);
    each_buffer(b, false);
    must(d->cuda.cuLaunchKernel(function, b->blocks, 1, 1, b->launch.threads, 1, 1, b->launch.smem, NULL, b->parameter, NULL),
         "launch");
    if (d->cuda.cuCtxSynchronize()) return GAVE_UP;
    each_buffer(b, true);
    return RIGHT;
}

/* The text, or what a compiler made of the other one. */
static const void *image(bench *b, const struct pipe_row *row)
{
    static char cubin[KERNEL];
    char path[256];
    const device *d = b->runner;
    if (!d->cubins) return b->kernel;
    snprintf(path, sizeof path, "%s/%u.cubin", d->cubins, (unsigned)(row - rows));
    FILE *file = fopen(path, "rb");
    if (!file || !fread(cubin, 1, sizeof cubin, file)) {
        printf("no file %s\n", path);
        exit(3);
    }
    fclose(file);
    return cubin;
}

static int run(bench *b, const struct pipe_row *row)
{
    const device *d = b->runner;
    void *module = NULL, *function = NULL;
    if (kernel_make(b, row)) {
        printf("%s: %s\n", row->name, zlay_ctx_message(b->ctx));
        return WRONG;
    }
    must(d->cuda.cuModuleLoadData(&module, image(b, row)), row->name);
    must(d->cuda.cuModuleGetFunction(&function, module, "piped"), row->name);
    must(d->cuda.cuFuncSetAttribute(function, DYNAMIC_SMEM, (int)b->launch.smem), row->name);
    int answer = RIGHT;
    for (unsigned i = 0; answer == RIGHT && row_trips(b->text, i, &b->n, &b->t); i++) {
        answer = launch_once(b, row, function);
        if (!answer && !holds(b, row)) answer = WRONG;
        if (answer) printf("%s: N = %u, T = %u: %s\n", row->name, b->n, b->t, answer == WRONG ? "wrong" : "fault");
    }
    if (answer != GAVE_UP) must(d->cuda.cuModuleUnload(module), "unload");
    return answer;
}

/* ---- mutants -------------------------------------------------------------------------------- */

static int mutant(bench *b, const struct mutant_row *m)
{
    const struct pipe_row *row = mutant_text(b, m);
    if (row) return run(b, row);
    printf("no place for the mutant\n");
    return 3;
}

static bool is_later(const struct mutant_row *m)
{
    for (unsigned i = 0; i < ROWS; i++)
        if (!strcmp(rows[i].name, m->pipe)) return rows[i].later;
    return false;
}

static bool mutant_process(const char *self, unsigned i)
{
    static const char *const says[] = {"right", "wrong data", "a wait gave up", "did not run"};
    char number_text[12];
    snprintf(number_text, sizeof number_text, "%u", i);
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        execl(self, self, "--mutant", number_text, (char *)NULL);
        _exit(3);
    }
    int status = 0;
    waitpid(child, &status, 0);
    int got = WIFEXITED(status) ? WEXITSTATUS(status) & 3 : 3;
    bool good = got == WRONG || got == GAVE_UP || (mutants[i].outcome == MAY && got == RIGHT);
    printf("%s mutant of %s: %s -> %s: %s\n", good ? "ok" : "BAD", mutants[i].pipe, mutants[i].from, mutants[i].to, says[got]);
    return good;
}

/* Addresses of fragments are those of the process that runs them: such a row is printed as PTX alone. */
static int print_one(bench *b, const char *folder, unsigned i, const struct pipe_row *row)
{
    static const char *const names[] = {"ptx", "cu"};
    int last = is_kept(row->relation) || row->relation[0].kind == ATTENDED ? ZLAY_TEXT_PTX : ZLAY_TEXT_CUDA;
    for (b->language = ZLAY_TEXT_PTX; b->language <= last; b->language++) {
        char path[256];
        if (kernel_make(b, row)) return 1;
        snprintf(path, sizeof path, "%s/%u.%s", folder, i, names[b->language]);
        FILE *file = fopen(path, "w");
        if (!file) return 1;
        fputs(b->kernel, file);
        fclose(file);
    }
    return 0;
}

static int print_all(bench *b, const char *folder)
{
    int failed = 0;
    for (unsigned i = 0; i < ROWS + MUTANTS; i++) {
        const struct pipe_row *row = i < ROWS ? &rows[i] : mutant_text(b, &mutants[i - ROWS]);
        if (i < ROWS) row_text(b->text, row);
        if (row && row->later) continue;
        bool good = row && !print_one(b, folder, i, row);
        printf("%u %s%s%s%s\n", i, row ? row->name : "", i < ROWS ? "" : ", mutant", b->proved ? ", proved" : "", good ? "" : ": BAD");
        failed += !good;
    }
    return failed;
}

/* A kernel of the other language has no fragment. */
static bool is_run(const device *d, const struct pipe_row *row)
{
    return !row->later && !(d->cubins && (is_kept(row->relation) || row->relation[0].kind == ATTENDED));
}

int main(int argc, char **argv)
{
    static device d;
    static bench b = {.seed = 20240607, .place = place, .runner = &d};
    int passed = 0, failed = 0, proved = 0, ran = 0;
    alarm(SECONDS);
    if (zlay_ctx_new(&b.ctx, NULL, NULL) || zlay_target_find(&b.target, "sm_90a", 6)) return 3;
    bench_begin(&b);
    if (argc > 2 && !strcmp(argv[1], "--cubins")) d.cubins = argv[2];
    bool all = !(argc > 2 && !strcmp(argv[1], "--mutant"));
    if (argc > 2 && !strcmp(argv[1], "--print")) return print_all(&b, argv[2]);
    for (unsigned i = 0; all && !d.cubins && i < MUTANTS; i++) {
        if (is_later(&mutants[i])) continue;
        if (mutant_process(argv[0], i)) passed++;
        else failed++;
    }
    if (!cuda_open(&d.cuda)) return 3;
    d.open = true;
    if (!all) return mutant(&b, &mutants[(unsigned)atoi(argv[2]) % MUTANTS]);
    for (unsigned i = 0; i < ROWS; i++) {
        if (!is_run(&d, &rows[i])) continue;
        row_text(b.text, &rows[i]);
        int answer = run(&b, &rows[i]);
        printf("%s %s%s\n", answer ? "BAD" : "ok", rows[i].name, b.proved ? ", proved" : "");
        fflush(stdout);
        passed += !answer;
        failed += answer != RIGHT;
        proved += b.proved;
        ran++;
        if (answer == GAVE_UP) break;
    }
    printf("%d of %d pipes proved before they ran\n%d passed, %d failed\n", proved, ran, passed, failed);
    return failed != 0;
}
