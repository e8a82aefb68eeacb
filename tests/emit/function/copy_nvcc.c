/* SPDX-License-Identifier: Apache-2.0 */
/* Copies as functions of CUDA C, inline asm too: compiled to PTX by nvcc and executed by the model of tests/support/tiles/ptx-machine.h. Every byte
 * of the destination and around it is what the request says. */
#define _GNU_SOURCE /* mkdtemp, dlopen */
#include "functions/copy.h"

enum { PTX_ROOM = 1 << 25 };

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
    fprintf(file, "%sextern \"C\" __global__ void k%d(const void *source, void *dest, unsigned at_source, unsigned at_dest, unsigned rank, unsigned bar, long long name_ld, long long name_N)\n{\n"
                  "    const unsigned thread = threadIdx.x, rank_source = rank, rank_dest = rank;\n    (void)rank_source, (void)rank_dest;\n", texts[i], i);
    for (int s = 0; s < 2; s++) put_side(file, t, s);
    fprintf(file, "    ");
    put_call(file, texts[i], i, name[0], name[1]);
    if (is_held(t, 1))
        fprintf(file, "    for (int i = 0; i < %u; i++) ((unsigned *)dest)[thread * %uu + i] = held_1[i];\n", (unsigned)t->to.held / 4, (unsigned)t->to.held / 4);
    fprintf(file, "}\n");
}

/* Tables of bytes, as nvcc writes them. */
static void read_tables(pm_machine *m, const char *ptx, const char *kernel)
{
    char of[2 * NAME];
    const char *global = ptx;
    snprintf(of, sizeof of, "%s_", kernel);
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
                                    "st.async", "ldmatrix", "stmatrix", "mapa", "ld.shared::cluster", "st.shared::cluster", "v8.b32", "__funnelshift_r", "_dest0[", "#pragma", "_dest0(unsigned i0)"};
enum { WORDS = sizeof words / sizeof *words };
static int said[WORDS];

/* How often a text has another one. */
static int often(const char *text, const char *what)
{
    int n = 0;
    for (; (text = strstr(text, what)); text++) n++;
    return n;
}

/* Bulk copies, and rows of matrices, need 16 bytes. */
static void check_needs(const char *text)
{
    if (strstr(text, "cp.async.bulk")) assert_int_equal(often(text, " & 15ull) == 0ull"), 2);
    if (strstr(text, "matrix.sync")) assert_int_equal(often(text, " & 15ull) == 0ull"), 1);
}

static void count_words(void)
{
    for (int i = 0; i < count; i++) check_needs(texts[i]);
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
    by_nvcc(*state, "sm_80", 40);
    by_nvcc(*state, "sm_90a", 40);
    by_nvcc(*state, "sm_100a", 40);
    for (int w = 0; w < WORDS; w++) print_message("%s%s %d", w ? ", " : "", words[w], said[w]);
    print_message("\n");
    for (int w = 0; w < WORDS; w++)
        if (!said[w]) fail_msg("no text has %s", words[w]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nvcc_values),
    };
    return cmocka_run_group_tests_name("emit/function/copy_nvcc", tests, begin, end);
}
