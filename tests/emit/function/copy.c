/* SPDX-License-Identifier: Apache-2.0 */
/* Copies as functions: HIP, and CUDA C without inline asm, are compiled by the host's compiler and called thread by thread; all CUDA C is
 * compiled to PTX by nvcc and executed by the model of tests/support/tiles/ptx-machine.h. Every byte of the destination and around it is what
 * the request says. clang and ptxas take the texts. */
#define _GNU_SOURCE /* mkdtemp, dlopen */
#include "assembler.h"
#include "heap.h"
#include "tiles/move_trial.h"

#include <dlfcn.h>
#include <zlay/emit_function.h>

enum { FUNCTIONS = 600, EACH = 60, NAME = 16, PTX_ROOM = 1 << 25 };

static trial *trials[FUNCTIONS];
static drawn requests[FUNCTIONS];
static char *texts[FUNCTIONS];
static int count, numbers[FUNCTIONS];

/* ---- what is printed -------------------------------------------------------------------------------- */

static bool print_one(zlay_ctx *ctx, char *text, const zlay_move *move, int32_t language, int number)
{
    char name[NAME];
    zlay_buf buf = {text, TEXT_ROOM, 0};
    int length = snprintf(name, sizeof name, "f%d", number);
    zlay_status status = zlay_emit_copy(ctx, &buf, move, language, name, (size_t)length);
    if (status && status != ZLAY_ENOTSUP) fail_msg("%s", zlay_ctx_message(ctx));
    return !status;
}

/* HIP's plans stay in their block and wave. */
static bool served(drawn *d, size_t kind, const char *target)
{
    bool late = d->w.r.path == ZLAY_PATH_BULK || d->w.r.signal || d->w.r.source.space == ZLAY_MOVE_PEER || d->w.r.dest.space == ZLAY_MOVE_PEER;
    if (*target == 'g' && (late || kinds[kind].path == ZLAY_PATH_CP_ASYNC)) return false;
    if (late && !strcmp(target, "sm_80")) return false;
    d->w.target = target;
    return true;
}

static void draw_all(zlay_ctx *ctx, int32_t language, const char *target, int each)
{
    static trial spare;
    uint64_t seed = test_seed("copies");
    count = 0;
    for (size_t k = 0; k < KINDS; k++)
        for (int i = 0, made = 0; i < 4 * each && made < each && count < FUNCTIONS; i++) {
            drawn *d = &requests[count];
            *d = draw_kind(ctx, k, &seed);
            const char *const real[] = {d->real[0], d->real[1]};
            char *text = malloc(TEXT_ROOM);
            assert_non_null(text);
            memcpy(spare.value, d->value, sizeof d->value);
            bool asked = served(d, k, target), any = asked && trial_plan(ctx, &spare, &d->w, &seed, d->real[0][0] ? real : NULL);
            if (any && print_one(ctx, text, spare.move, language, count)) {
                trials[count] = malloc(sizeof spare);
                assert_non_null(trials[count]);
                *trials[count] = spare;
                texts[count] = realloc(text, strlen(text) + 1);
                numbers[count] = (int)k;
                count++, made++;
                continue;
            }
            if (any) print_message("%s: %s\n", kinds[k].name, zlay_ctx_message(ctx));
            if (asked) trial_end(&spare);
            zlay_facts_free(d->facts);
            free(text);
        }
}

static void drop_all(void)
{
    for (int i = 0; i < count; i++) {
        trial_end(trials[i]);
        zlay_facts_free(requests[i].facts);
        free(trials[i]);
        free(texts[i]);
    }
}

/* The signature alone. */
static bool takes(const char *text, const char *parameter)
{
    const char *head = strstr(text, "__device__ __forceinline__"), *found = strstr(head, parameter);
    return found && found < strstr(head, ")\n{");
}

static const char *const behind[][2] = {{"unsigned rank_source", "rank"}, {"unsigned rank_dest", "rank"}, {"unsigned bar", "bar"},
                                        {"long long name_ld", "ld"}, {"long long name_N", "n"}};

/* The call behind its two sides. */
static void put_call(FILE *file, int i, const char *source, const char *dest, const char *thread)
{
    static const char *const orders[][5] = {{"ld", "n"}, {"n", "ld"}};
    const char *text = texts[i], *head = strstr(text, "__device__ __forceinline__"), *ld = strstr(head, "name_ld"), *n = strstr(head, "name_N");
    fprintf(file, "f%d(%s, %s, %s", i, source, dest, thread);
    for (int k = 0; k < 3; k++)
        if (takes(text, behind[k][0])) fprintf(file, ", %s", behind[k][1]);
    bool has_ld = takes(text, "long long name_ld"), has_n = takes(text, "long long name_N");
    const char *const *order = orders[has_ld && has_n && n < ld];
    for (int k = 0; k < 2; k++)
        if (*order[k] == 'l' ? has_ld : has_n) fprintf(file, ", %s", order[k]);
    fprintf(file, ");\n");
}

static bool is_held(const trial *t, int s) { return (s ? t->to : t->from).space == ZLAY_MOVE_REGISTER; }

/* ---- the host's compiler ---------------------------------------------------------------------------- */

typedef void run_function(const void *source, void *dest, unsigned thread, long long ld, long long n);
static run_function *running;

static void on_host(const trial *t, const char *text, side *from, side *to)
{
    static uint8_t memory[2][2 * SPAN] __attribute__((aligned(4096)));
    (void)text;
    memcpy(memory[0] + SPAN / 2, from->bytes[0], SPAN);
    memcpy(memory[1] + SPAN / 2, to->bytes[0], SPAN);
    for (unsigned thread = 0; thread < t->threads; thread++)
        running(memory[0] + SPAN / 2 + (is_held(t, 0) ? thread * from->held : 0), memory[1] + SPAN / 2 + (is_held(t, 1) ? thread * to->held : 0), thread,
                t->value[0], t->value[1]);
    memcpy(to->bytes[0], memory[1] + SPAN / 2, SPAN);
}

static void put_host(FILE *file, int i)
{
    char source[80] = "source", dest[80] = "dest";
    if (is_held(trials[i], 0)) sprintf(source, "*(const unsigned (*)[%u])source", (unsigned)trials[i]->from.held / 4);
    if (is_held(trials[i], 1)) sprintf(dest, "*(unsigned (*)[%u])dest", (unsigned)trials[i]->to.held / 4);
    fprintf(file, "%sextern \"C\" void run_%d(const void *source, void *dest, unsigned thread, long long ld, long long n)\n{\n    (void)ld, (void)n;\n    ", texts[i], i);
    put_call(file, i, source, dest, "thread");
    fprintf(file, "}\n");
}

static void on_the_host(zlay_ctx *ctx, int32_t language, const char *target, int each, int least)
{
    char folder[] = "/tmp/zlay-copy-XXXXXX", path[64], command[400];
    int ran = 0, by_kind[KINDS] = {0};
    draw_all(ctx, language, target, each);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/c.cpp", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("#include \"lanes.h\"\n", file);
    for (int i = 0; i < count; i++)
        if (!strstr(texts[i], "asm volatile")) put_host(file, i);
    fclose(file);
    snprintf(command, sizeof command, "${CXX:-c++} -std=c++17 -O1 -Wall -Wextra -Werror -Wno-unknown-pragmas -Itests/support -shared -fPIC -o %s/c.so %s", folder, path);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/c.so", folder);
    void *library = dlopen(path, RTLD_NOW);
    assert_non_null(library);
    for (int i = 0; i < count; i++) {
        union { void *object; run_function *run; } found;
        char name[NAME + 8];
        snprintf(name, sizeof name, "run_%d", i);
        found.object = dlsym(library, name);
        running = found.run;
        if (!found.object) continue;
        uint64_t bad = wrong_bytes_by(on_host, trials[i], NULL);
        if (bad) fail_msg("%s: %s -> %s, %u bits: %d bytes\n%s", kinds[numbers[i]].name, requests[i].w.text[0], requests[i].w.text[1], trials[i]->bits, (int)bad, texts[i]);
        ran++, by_kind[numbers[i]]++;
    }
    dlclose(library);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    for (size_t k = 0; k < KINDS; k++) print_message("%s%s %d", k ? ", " : "", kinds[k].name, by_kind[k]);
    print_message("\n%s: %d of %d ran\n", target, ran, count);
    assert_true(ran >= least);
    drop_all();
}

static void hip_values(void **state) { on_the_host(*state, ZLAY_TEXT_HIP, "gfx942", EACH, 150); }
static void cuda_values(void **state) { on_the_host(*state, ZLAY_TEXT_CUDA, "sm_80", EACH, 100); }

/* ---- nvcc and the model ----------------------------------------------------------------------------- */

/* A side as the kernel's expression: shared memory by its address there, registers as an array. */
static void put_side(FILE *file, const trial *t, int s)
{
    const side *a = s ? &t->to : &t->from;
    if (a->space != ZLAY_MOVE_REGISTER) return;
    fprintf(file, "    unsigned held_%d[%u] = {0u};\n", s, (unsigned)a->held / 4);
    if (!s) fprintf(file, "    for (int i = 0; i < %u; i++) held_0[i] = ((const unsigned *)source)[thread * %uu + i];\n", (unsigned)a->held / 4, (unsigned)a->held / 4);
}

static void put_kernel(FILE *file, int i)
{
    const trial *t = trials[i];
    const char *name[2];
    for (int s = 0; s < 2; s++) {
        const side *a = s ? &t->to : &t->from;
        name[s] = is_held(t, s) ? (s ? "held_1" : "held_0") : side_is_shared(a) ? (s ? "smem + at_dest" : "smem + at_source") : s ? "dest" : "source";
    }
    fprintf(file, "%sextern \"C\" __global__ void k%d(const void *source, void *dest, unsigned at_source, unsigned at_dest, unsigned rank, unsigned bar, long long ld, long long n)\n{\n"
                  "    const unsigned thread = threadIdx.x;\n", texts[i], i);
    for (int s = 0; s < 2; s++) put_side(file, t, s);
    fprintf(file, "    ");
    put_call(file, i, name[0], name[1], "thread");
    if (is_held(t, 1))
        fprintf(file, "    for (int i = 0; i < %u; i++) ((unsigned *)dest)[thread * %uu + i] = held_1[i];\n", (unsigned)t->to.held / 4, (unsigned)t->to.held / 4);
    fprintf(file, "}\n");
}

/* Tables of bytes, as nvcc writes them. */
static void read_tables(pm_machine *m, const char *ptx, const char *kernel)
{
    char of[NAME];
    const char *global = ptx;
    sprintf(of, "%s_", kernel);
    of[0] = 'f';
    while ((global = strstr(global, "\n.global .align "))) {
        const char *at = strstr(global, ".b8 ") + 4;
        global++;
        if (strncmp(at, of, strlen(of))) continue;
        pm_table *table = &m->table[m->tables];
        size_t length = strcspn(at, "[");
        uint64_t bytes = strtoull(at + length + 1, NULL, 10);
        table->name = pm_name(m, at, length);
        table->memory = (pm_memory){(uint64_t)(PM_TABLES + m->tables++) << 32, bytes, calloc(bytes, 1)};
        assert_non_null(table->memory.bytes);
        at = strchr(at, '{');
        for (uint64_t i = 0; i < bytes && *at != '}'; i++) table->memory.bytes[i] = (uint8_t)strtol(at + 1, (char **)&at, 10);
    }
}

static const char *compiled; /* all kernels of one nvcc */
static char kernel_name[NAME];

static void set_all(pm_machine *m, uint32_t thread, int parameter, uint64_t value)
{
    char name[2 * NAME];
    snprintf(name, sizeof name, "%s_param_%d", kernel_name, parameter);
    pm_set(m, thread, name, value);
}

/* Sides in memory of blocks, as side_place, but registers are global memory. */
static void place(pm_machine *m, side *s, uint32_t blocks, int which)
{
    uint32_t each = m->threads / blocks;
    for (uint32_t b = 0; b < blocks; b++) {
        uint64_t at = s->at + (side_is_shared(s) ? 0 : b * (uint64_t)(2 * SPAN));
        for (uint32_t i = b * each; i < (b + 1) * each; i++) set_all(m, i, side_is_shared(s) ? 2 + which : which, at);
        if (side_is_shared(s)) memcpy(m->shared[b] + s->at, s->bytes[b], s->size);
        else m->memory[m->memories++] = (pm_memory){at, s->size, s->bytes[b]};
    }
}

static void in_model(const trial *t, const char *text, side *from, side *to)
{
    pm_machine *m = pm_new(text);
    m->returns = true;
    read_tables(m, compiled, kernel_name);
    pm_begin(m, 0, t->blocks, t->threads);
    place(m, from, t->blocks, 0);
    place(m, to, t->blocks, 1);
    for (uint32_t i = 0; i < m->threads; i++) {
        set_all(m, i, 4, 1 - i / (m->threads / t->blocks));
        set_all(m, i, 5, PM_BARRIERS);
        for (int n = 0; n < VALUES; n++) set_all(m, i, 6 + n, (uint64_t)t->value[n]);
    }
    pm_go(m);
    for (uint32_t i = 0; i < m->threads; i++) pm_land_all(m, &m->thread[i]);
    for (uint32_t b = 0; b < t->blocks; b++) {
        if (side_is_shared(to)) memcpy(to->bytes[b], m->shared[b] + to->at, to->size);
        if (t->landing && m->landed[b] != t->landing) memset(to->bytes[b], 0, SPAN);
    }
    pm_free(m);
}

static void replace_all(char *text, const char *what, const char *by)
{
    for (char *at = text; (at = strstr(at, what)); at += strlen(by)) {
        assert_true(strlen(by) == strlen(what));
        memcpy(at, by, strlen(by));
    }
}

static char *compile_all(const char *target)
{
    char name[] = "/tmp/zlay-copy-XXXXXX", command[300], *ptx = malloc(PTX_ROOM);
    int descriptor = mkstemp(name);
    assert_true(descriptor >= 0 && ptx);
    FILE *file = fdopen(descriptor, "w");
    assert_non_null(file);
    fputs("extern __shared__ __attribute__((aligned(1024))) unsigned char smem[];\n", file);
    for (int i = 0; i < count; i++) put_kernel(file, i);
    fclose(file);
    snprintf(command, sizeof command, ASSEMBLER_PATH "nvcc -Werror all-warnings -x cu -std=c++17 -arch=%s -ptx -o - %s", target, name);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t length = fread(ptx, 1, PTX_ROOM - 1, pipe);
    assert_true(length < PTX_ROOM - 1);
    ptx[length] = 0;
    assert_int_equal(pclose(pipe), 0);
    unlink(name);
    if (getenv("KEEP")) { FILE *k = fopen("/tmp/kept.ptx", "w"); fputs(ptx, k); fclose(k); }
    replace_all(ptx, "\t", " ");
    replace_all(ptx, "bra.uni", "bra    ");
    return ptx;
}

/* The kernel's own text, with its end. */
static char *kernel_of(const char *ptx, int i)
{
    char head[2 * NAME];
    snprintf(kernel_name, sizeof kernel_name, "k%d", i);
    snprintf(head, sizeof head, ".visible .entry k%d(", i);
    const char *at = strstr(ptx, head);
    assert_non_null(at);
    const char *end = strstr(at, "\n}\n");
    assert_non_null(end);
    return strndup(at, (size_t)(end + 3 - at));
}

/* What inline asm says in the texts. */
static const char *const words[] = {"cp.async.c", "cp.async.bulk.shared::cluster.global", "cp.async.bulk.shared::cluster.shared", "cp.async.bulk.global",
                                    "st.async", "ldmatrix", "stmatrix", "mapa", "ld.shared::cluster", "st.shared::cluster", "__funnelshift_r", "[iy", "#pragma", " & 1u) <<"};
enum { WORDS = sizeof words / sizeof *words };
static int said[WORDS];

static void count_words(void)
{
    for (int i = 0; i < count; i++)
        for (int w = 0; w < WORDS; w++) said[w] += strstr(texts[i], words[w]) != NULL;
}

static void by_nvcc(zlay_ctx *ctx, const char *target, int each)
{
    int by_kind[KINDS] = {0};
    draw_all(ctx, ZLAY_TEXT_CUDA, target, each);
    char *ptx = compile_all(target);
    compiled = ptx;
    for (int i = 0; i < count; i++) {
        char *text = kernel_of(ptx, i);
        uint64_t bad = wrong_bytes_by(in_model, trials[i], text);
        if (bad)
            fail_msg("%s: %s -> %s, %u bits: %d bytes\n%s\n%s", kinds[numbers[i]].name, requests[i].w.text[0], requests[i].w.text[1], trials[i]->bits, (int)bad, texts[i], text);
        by_kind[numbers[i]]++;
        free(text);
    }
    for (size_t k = 0; k < KINDS; k++) print_message("%s%s %d", k ? ", " : "", kinds[k].name, by_kind[k]);
    print_message("\n%s: %d\n", target, count);
    count_words();
    free(ptx);
    drop_all();
}

static void nvcc_values(void **state)
{
    need_compiler();
    by_nvcc(*state, "sm_80", getenv("EACH") ? atoi(getenv("EACH")) : 12);
    by_nvcc(*state, "sm_90a", getenv("EACH") ? atoi(getenv("EACH")) : 16);
    by_nvcc(*state, "sm_100a", getenv("EACH") ? atoi(getenv("EACH")) : 12);
    for (int w = 0; w < WORDS; w++) print_message("%s%s %d", w ? ", " : "", words[w], said[w]);
    print_message("\n");
    for (int w = 0; w < WORDS; w++)
        if (!said[w]) fail_msg("no text has %s", words[w]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hip_values),
        cmocka_unit_test(cuda_values),
        cmocka_unit_test(nvcc_values),
    };
    return cmocka_run_group_tests_name("copies as functions", tests, begin, end);
}
