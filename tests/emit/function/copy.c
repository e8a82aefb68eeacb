/* SPDX-License-Identifier: Apache-2.0 */
/* Copies as functions: HIP, and CUDA C without inline asm, are compiled by the host's compiler and called thread by thread; all CUDA C is
 * compiled to PTX by nvcc and executed by the model of tests/support/tiles/ptx-machine.h. Every byte of the destination and around it is what
 * the request says. clang and ptxas take the texts. */
#define _GNU_SOURCE /* mkdtemp, dlopen */
#include "assembler.h"
#include "heap.h"
#include "tiles/move_trial.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <sys/mman.h>
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

/* The call, its arguments behind the thread called as the parameters are. */
static void put_call(FILE *file, const char *text, int i, const char *source, const char *dest)
{
    const char *at = strstr(strstr(text, "__device__ __forceinline__"), ", unsigned thread"), *end = strstr(at, ")\n{");
    fprintf(file, "f%d(%s, %s", i, source, dest);
    while (at < end) {
        const char *next = at + 2 + strcspn(at + 2, ",)"), *name = next;
        while (name[-1] != ' ') name--;
        fprintf(file, ", %.*s", (int)(next - name), name);
        at = next;
    }
    fprintf(file, ");\n");
}

static bool is_held(const trial *t, int s) { return (s ? t->to : t->from).space == ZLAY_MOVE_REGISTER; }

/* ---- the host's compiler ---------------------------------------------------------------------------- */

typedef void run_function(const void *source, void *dest, unsigned thread, long long ld, long long n);
typedef bool ask_function(const void *source, const void *dest);
static run_function *running;
static uint64_t shift[2]; /* of the sides' bases, bytes */
static uint8_t memory[2][2 * SPAN] __attribute__((aligned(4096)));

static uint8_t *base_of(int s) { return memory[s] + SPAN / 2 + shift[s]; }

static void on_host(const trial *t, const char *text, side *from, side *to)
{
    (void)text;
    memcpy(base_of(0), from->bytes[0], SPAN);
    memcpy(base_of(1), to->bytes[0], SPAN);
    for (unsigned thread = 0; thread < t->threads; thread++)
        running(base_of(0) + (is_held(t, 0) ? thread * from->held : 0), base_of(1) + (is_held(t, 1) ? thread * to->held : 0), thread, t->value[0], t->value[1]);
    memcpy(to->bytes[0], base_of(1), SPAN);
}

static void put_host(FILE *file, int i)
{
    char source[80] = "source", dest[80] = "dest";
    if (is_held(trials[i], 0)) sprintf(source, "*(const unsigned (*)[%u])source", (unsigned)trials[i]->from.held / 4);
    if (is_held(trials[i], 1)) sprintf(dest, "*(unsigned (*)[%u])dest", (unsigned)trials[i]->to.held / 4);
    fprintf(file, "%sextern \"C\" void run_%d(const void *source, void *dest, unsigned thread, long long name_ld, long long name_N)\n{\n    (void)name_ld, (void)name_N;\n    ", texts[i], i);
    put_call(file, texts[i], i, source, dest);
    fprintf(file, "}\nextern \"C\" bool ask_%d(const void *source, const void *dest) { (void)source, (void)dest; return ", i);
    if (!strstr(texts[i], "_aligned(")) fprintf(file, "true");
    else fprintf(file, "f%d_aligned(%s%s%s)", i, is_held(trials[i], 0) ? "" : "source", is_held(trials[i], 0) || is_held(trials[i], 1) ? "" : ", ", is_held(trials[i], 1) ? "" : "dest");
    fprintf(file, "; }\n");
}

/* A text for the host's compiler, and the library that it makes of it. */
static char folder[32];

static FILE *source_begin(void)
{
    char path[64];
    strcpy(folder, "/tmp/zlay-copy-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/c.cpp", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("#include \"lanes.h\"\nextern \"C\" { void (*fault)(); void __ubsan_handle_type_mismatch_v1(void *, void *) { fault(); } }\n", file);
    return file;
}

static void *library_of(FILE *file)
{
    char path[64], command[400];
    fclose(file);
    snprintf(command, sizeof command,
             "cd %s && ${CXX:-c++} -std=c++17 -O1 -Wall -Wextra -Werror -Wno-unknown-pragmas -fsanitize=alignment -I$OLDPWD/tests/support -fPIC -c -o c.o c.cpp && ${CXX:-c++} -shared -Wl,-Bsymbolic -o c.so c.o", folder);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/c.so", folder);
    void *library = dlopen(path, RTLD_NOW);
    assert_non_null(library);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    return library;
}

static void *symbol_of(void *library, const char *what, int i)
{
    char name[2 * NAME];
    snprintf(name, sizeof name, "%s_%d", what, i);
    return dlsym(library, name);
}

static jmp_buf fault_back;
static void fault_found(void) { longjmp(fault_back, 1); }

/* Whether every access is aligned and every byte right. */
static bool runs_right(int i)
{
    if (setjmp(fault_back)) return false;
    return !wrong_bytes_by(on_host, trials[i], NULL);
}

/* The check of alignment says of shifted bases whether every access is aligned, and every byte right. */
static void check_shifts(void *library, int i, uint64_t *seed, int *yes, int *no)
{
    union { void *object; ask_function *ask; } found = {symbol_of(library, "ask", i)};
    void (**fault)(void) = dlsym(library, "fault");
    assert_true(found.object && fault);
    *fault = fault_found;
    for (int k = 0; k < 6; k++) {
        for (int s = 0; s < 2; s++) shift[s] = is_held(trials[i], s) ? 0 : k ? 1ull << test_range(seed, 0, 5) : 0;
        bool says = found.ask(base_of(0), base_of(1));
        if (says != runs_right(i)) fail_msg("%s, bases %d and %d bytes off\n%s", says ? "aligned" : "not aligned", (int)shift[0], (int)shift[1], texts[i]);
        ++*(says ? yes : no);
    }
    shift[0] = shift[1] = 0;
}

static void on_the_host(zlay_ctx *ctx, int32_t language, const char *target, int each, int least)
{
    int ran = 0, by_kind[KINDS] = {0}, yes = 0, no = 0;
    uint64_t seed = test_seed("shifts");
    draw_all(ctx, language, target, each);
    FILE *file = source_begin();
    for (int i = 0; i < count; i++)
        if (!strstr(texts[i], "asm volatile")) put_host(file, i);
    void *library = library_of(file);
    for (int i = 0; i < count; i++) {
        union { void *object; run_function *run; } found = {symbol_of(library, "run", i)};
        running = found.run;
        if (!found.object) continue;
        uint64_t bad = wrong_bytes_by(on_host, trials[i], NULL);
        if (bad) fail_msg("%s: %s -> %s, %u bits: %d bytes\n%s", kinds[numbers[i]].name, requests[i].w.text[0], requests[i].w.text[1], trials[i]->bits, (int)bad, texts[i]);
        check_shifts(library, i, &seed, &yes, &no);
        ran++, by_kind[numbers[i]]++;
    }
    dlclose(library);
    for (size_t k = 0; k < KINDS; k++) print_message("%s%s %d", k ? ", " : "", kinds[k].name, by_kind[k]);
    print_message("\n%s: %d of %d ran; bases were aligned %d times, %d times not\n", target, ran, count, yes, no);
    assert_true(ran >= least && yes >= ran && no >= ran);
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

/* ---- far offsets -------------------------------------------------------------------------------------- */

/* Strides whose offsets leave 32 bits, rising and falling, and one whose last offsets pass 2^31 alone: memory that is there where it is touched. */
enum { FAR_ROWS = 64, FAR_BYTES = 16 };

static void far_offsets(void **state)
{
    static const struct {
        const char *layout;
        long long base, first, step; /* elements of 16 bits: of the pointer, of row 0, from row to row */
    } rows[] = {{"(8,64):(1,67108864)", 0, 0, 67108864}, {"4227858432 o (8,64):(1,-67108864)", 0, 4227858432, -67108864}, {"(8,64):(1,17039360)", 0, 0, 17039360},
                {"(8,64):(1,-67108864)", 4227858432, 4227858432, -67108864}};
    enum { FARS = 2 * sizeof rows / sizeof *rows };
    const size_t room = (size_t)10 << 30;
    static uint8_t near[2][FAR_ROWS * FAR_BYTES] __attribute__((aligned(256)));
    uint8_t *far = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (far == MAP_FAILED) {
        print_message("no room of 10 GiB in the address space: offsets beyond 32 bits were run by nothing\n");
        skip();
    }
    FILE *file = source_begin();
    zlay_layout *b = read_layout(*state, "(8,64):(1,8)");
    for (int i = 0; i < FARS; i++) {
        static char text[1 << 16];
        bool out = i % 2;
        zlay_layout *a = read_layout(*state, rows[i / 2].layout);
        zlay_copy_request r = {.size = sizeof r, .elem_bits = 16, .threads = 64, .source = {out ? b : a, out ? ZLAY_MOVE_SHARED : ZLAY_MOVE_GLOBAL, 0, 16},
                               .dest = {out ? a : b, out ? ZLAY_MOVE_GLOBAL : ZLAY_MOVE_SHARED, 0, 16}};
        zlay_move *move = NULL;
        if (zlay_copy_synth(*state, &move, target_of("gfx942"), &r)) fail_msg("%s", zlay_ctx_message(*state));
        assert_true(print_one(*state, text, move, ZLAY_TEXT_HIP, i));
        fprintf(file, "%sextern \"C\" void run_%d(const void *source, void *dest, unsigned thread, long long, long long) { f%d(source, dest, thread); }\n", text, i, i);
        zlay_move_free(move);
        zlay_layout_free(a);
    }
    void *library = library_of(file);
    for (int i = 0; i < FARS; i++) {
        union { void *object; run_function *run; } found = {symbol_of(library, "run", i)};
        assert_non_null(found.object);
        for (size_t k = 0; k < sizeof near[0]; k++) near[0][k] = (uint8_t)((size_t)i + k * 37 + k / 256);
        memset(near[1], 0, sizeof near[1]);
        uint8_t *row = far + 2 * rows[i / 2].first, *base = far + 2 * rows[i / 2].base;
        long long step = 2 * rows[i / 2].step;
        for (int k = 0; i % 2 == 0 && k < FAR_ROWS; k++) memcpy(row + k * step, near[0] + k * FAR_BYTES, FAR_BYTES);
        for (unsigned t = 0; t < 64; t++) found.run(i % 2 ? near[0] : base, i % 2 ? base : near[1], t, 0, 0);
        for (int k = 0; i % 2 && k < FAR_ROWS; k++) memcpy(near[1] + k * FAR_BYTES, row + k * step, FAR_BYTES);
        if (memcmp(near[0], near[1], sizeof near[0])) fail_msg("far %d", i);
    }
    dlclose(library);
    munmap(far, room);
    zlay_layout_free(b);
}

/* ---- tiles of tensors -------------------------------------------------------------------------------- */

enum { TENSOR = 1 << 14 };

static const struct {
    int32_t language;
    const char *target, *from, *to, *facts[4];
    uint32_t bits;
    uint64_t tile[2];
    int64_t m, k, ld;
    int32_t path;
    bool out; /* from shared memory to the tensor */
} tensors[] = {
    {ZLAY_TEXT_HIP, "gfx942", "(M,K):(ld,1)", "(32,64):(64,1)", {"M >= 1", "K = 0 mod 8", "K >= 8", "ld = 0 mod 8"}, 16, {32, 64}, 75, 88, 96, 0, false},
    {ZLAY_TEXT_HIP, "gfx90a", "(M,K):(1,ld)", "(32,16):(1,32)", {"M >= 1", "K >= 1", "ld >= 1", "M >= 1"}, 8, {32, 16}, 67, 43, 71, 0, false},
    {ZLAY_TEXT_HIP, "gfx950", "(32,24):(24,1)", "(M,K):(ld,1)", {"M >= 1", "K <= 46", "K >= 1", "ld >= 46"}, 32, {32, 24}, 70, 45, 47, ZLAY_PATH_THREADS, true},
    {ZLAY_TEXT_CUDA, "sm_90a", "(M,K):(ld,1)", "Sw<3,3,3> o 0 o (64,64):(64,1)", {"M >= 1", "K = 0 mod 8", "K >= 8", "ld = 0 mod 8"}, 16, {64, 64}, 75, 88, 96, ZLAY_PATH_THREADS, false},
    {ZLAY_TEXT_CUDA, "sm_80", "(M,K):(ld,1)", "(16,32):(1,16)", {"M >= 1", "K >= 1", "ld >= 1", "K >= 1"}, 64, {16, 32}, 33, 40, 41, ZLAY_PATH_THREADS, false},
    {ZLAY_TEXT_CUDA, "sm_90a", "(75,88):(96,1)", "(64,64):(64,1)", {"M >= 1", "M >= 1", "M >= 1", "M >= 1"}, 16, {64, 64}, 75, 88, 96, ZLAY_PATH_THREADS, false},
    {ZLAY_TEXT_HIP, "gfx942", "(48,32):(32,1)", "(70,45):(47,1)", {"M >= 1", "M >= 1", "M >= 1", "M >= 1"}, 32, {48, 32}, 70, 45, 47, 0, true},
};
enum { TENSORS = sizeof tensors / sizeof *tensors };

typedef void run_tile(const void *source, void *dest, unsigned thread, const long long *v);

static zlay_move *tile_move(zlay_ctx *ctx, int i, zlay_layout *layouts[2])
{
    size_t length[4];
    zlay_facts *facts = NULL;
    zlay_move *move = NULL;
    bool out = tensors[i].out;
    for (int f = 0; f < 4; f++) length[f] = strlen(tensors[i].facts[f]);
    assert_int_equal(zlay_facts_parse(ctx, &facts, 4, tensors[i].facts, length), ZLAY_OK);
    layouts[0] = read_layout(ctx, tensors[i].from), layouts[1] = read_layout(ctx, tensors[i].to);
    zlay_copy_request r = {.size = sizeof r, .elem_bits = tensors[i].bits, .threads = 128, .path = tensors[i].path, .facts = facts, .axes = 2,
                           .source = {layouts[0], out ? ZLAY_MOVE_SHARED : ZLAY_MOVE_GLOBAL, 0, 16}, .dest = {layouts[1], out ? ZLAY_MOVE_GLOBAL : ZLAY_MOVE_SHARED, 0, 16}};
    memcpy(r.tile, tensors[i].tile, sizeof tensors[i].tile);
    if (zlay_copy_synth(ctx, &move, target_of(tensors[i].target), &r)) fail_msg("tensor %d: %s", i, zlay_ctx_message(ctx));
    zlay_facts_free(facts);
    return move;
}

/* The element of the tensor at which a cell of a tile lies; of the other side that of the tile. */
static int64_t tensor_at(int i, const uint64_t *cell, const uint64_t *first)
{
    const char *text = tensors[i].out ? tensors[i].to : tensors[i].from;
    int64_t x = (int64_t)(cell[0] + first[0]), y = (int64_t)(cell[1] + first[1]);
    return strstr(text, ":(1,") ? x + y * tensors[i].ld : x * tensors[i].ld + y;
}

static int64_t cell_at(const zlay_layout *a, int i, int s, const uint64_t *cell, const uint64_t *first)
{
    int64_t at = 0;
    if (tensors[i].out == (s == 1)) return tensor_at(i, cell, first);
    assert_int_equal(zlay_layout_eval(&at, 1, a, cell[0] + tensors[i].tile[0] * cell[1]), ZLAY_OK);
    return at;
}

static void tile_compare(int i, zlay_layout *const layouts[2], run_tile *run, uint32_t threads, const uint64_t first[2])
{
    static uint8_t from[8 * TENSOR] __attribute__((aligned(256))), to[8 * TENSOR] __attribute__((aligned(256))), want[8 * TENSOR];
    uint32_t bytes = tensors[i].bits / 8;
    static const uint64_t origin[2] = {0};
    const long long v[] = {tensors[i].ld, tensors[i].m, tensors[i].k, tensors[i].m - (int64_t)first[0], tensors[i].k - (int64_t)first[1]};
    for (size_t b = 0; b < sizeof from; b++) from[b] = (uint8_t)(b * 167 >> 3), to[b] = (uint8_t)(b * 13);
    memcpy(want, to, sizeof to);
    for (uint64_t c = 0; c < tensors[i].tile[0] * tensors[i].tile[1]; c++) {
        const uint64_t cell[2] = {c % tensors[i].tile[0], c / tensors[i].tile[0]};
        if ((int64_t)cell[0] >= v[3] || (int64_t)cell[1] >= v[4]) continue;
        memcpy(want + cell_at(layouts[1], i, 1, cell, first) * bytes, from + cell_at(layouts[0], i, 0, cell, first) * bytes, bytes);
    }
    int64_t start = tensor_at(i, origin, first);
    bool out = tensors[i].out;
    for (unsigned t = 0; t < threads + 5; t++) run(from + (out ? 0 : start) * bytes, to + (out ? start : 0) * bytes, t, v);
    for (size_t b = 0; b < sizeof to; b++)
        if (to[b] != want[b]) fail_msg("tensor %d, tile at (%d,%d): byte %d", i, (int)first[0], (int)first[1], (int)b);
}

static void edges_are_kept(void **state)
{
    static char text[TENSORS][1 << 16];
    zlay_move *move[TENSORS];
    zlay_layout *layouts[TENSORS][2];
    FILE *file = source_begin();
    for (int i = 0; i < TENSORS; i++) {
        move[i] = tile_move(*state, i, layouts[i]);
        assert_true(print_one(*state, text[i], move[i], tensors[i].language, i));
        fprintf(file, "%sextern \"C\" void run_%d(const void *source, void *dest, unsigned thread, const long long *v)\n{\n"
                      "    const long long name_ld = v[0], name_M = v[1], name_K = v[2], left_0 = v[3], left_1 = v[4];\n"
                      "    (void)name_ld, (void)name_M, (void)name_K, (void)left_0, (void)left_1;\n    ", text[i], i);
        put_call(file, text[i], i, "source", "dest");
        fprintf(file, "}\n");
    }
    void *library = library_of(file);
    for (int i = 0; i < TENSORS; i++) {
        union { void *object; run_tile *run; } found = {symbol_of(library, "run", i)};
        zlay_move_summary info;
        assert_non_null(found.object);
        zlay_move_info(&info, move[i]);
        for (uint64_t x = 0; x < (uint64_t)tensors[i].m; x += tensors[i].tile[0])
            for (uint64_t y = 0; y < (uint64_t)tensors[i].k; y += tensors[i].tile[1]) tile_compare(i, layouts[i], found.run, info.threads, (const uint64_t[]){x, y});
        zlay_move_free(move[i]);
        for (int s = 0; s < 2; s++) zlay_layout_free(layouts[i][s]);
    }
    dlclose(library);
}

/* ---- compilers --------------------------------------------------------------------------------------- */

static void clang_takes_them(void **state)
{
    static char all[1 << 25];
    if (!has_hip_compiler()) skip();
    draw_all(*state, ZLAY_TEXT_HIP, "gfx942", 12);
    char *to = all;
    for (int i = 0; i < count; i++) {
        const trial *t = trials[i];
        char given[2][64];
        to += sprintf(to, "%s", texts[i]);
        if (i % 4 == 3) continue; /* it stands alone */
        for (int s = 0; s < 2; s++)
            if (is_held(t, s)) sprintf(given[s], "*(%sunsigned (*)[%u])%s", s ? "" : "const ", (unsigned)(s ? t->to : t->from).held / 4, s ? "dest" : "source");
            else strcpy(given[s], s ? "dest" : "source");
        to += sprintf(to, "extern \"C\" __attribute__((global)) void k%d(const void *source, void *dest, unsigned thread, long long name_ld, long long name_N)\n{\n"
                          "    (void)name_ld, (void)name_N;\n    ", i);
        FILE *file = fmemopen(to, 1000, "w");
        put_call(file, texts[i], i, given[0], given[1]);
        fclose(file);
        to += strlen(to);
        to += sprintf(to, "}\n");
    }
    assert_true(compiles_hip("gfx90a gfx942 gfx950", all));
    print_message("%d functions\n", count);
    drop_all();
}

/* ---- writes, refusals -------------------------------------------------------------------------------- */

/* PTX is what zlay_emit_move prints, and the check of alignment. */
static void ptx_is_the_move(void **state)
{
    static char mine[TEXT_ROOM];
    uint64_t seed = test_seed("moves"), taken = 0;
    for (uint64_t i = 0; i < 40; i++) {
        static trial t;
        drawn d = draw_kind(*state, i % KINDS, &seed);
        const char *const real[] = {d.real[0], d.real[1]};
        memcpy(t.value, d.value, sizeof d.value);
        if (trial_begin(*state, &t, &d.w, &seed, d.real[0][0] ? real : NULL)) {
            zlay_buf buf = {mine, sizeof mine, 0};
            assert_int_equal(zlay_emit_copy(*state, &buf, t.move, ZLAY_TEXT_PTX, "moved", 5), ZLAY_OK);
            size_t length = strlen(t.text);
            assert_memory_equal(mine, t.text, length);
            assert_true(!mine[length] || !strncmp(mine + length, ".func (.param .b32 value) moved_aligned(", 40));
            if (has_compiler()) assert_true(assembles(d.w.target, mine));
            taken++;
        }
        trial_end(&t);
        zlay_facts_free(d.facts);
    }
    assert_true(taken >= 20);
}

static void refuse(zlay_ctx *ctx, const zlay_move *move, int32_t language, const char *name, zlay_status expected, const char *says)
{
    zlay_buf buf = {NULL, 0, 0};
    zlay_status status = zlay_emit_copy(ctx, &buf, move, language, name, strlen(name));
    if (status != expected || !strstr(zlay_ctx_message(ctx), says)) fail_msg("%s: %s", zlay_status_name(status), zlay_ctx_message(ctx));
}

static void refused(void **state)
{
    zlay_ctx *ctx = *state;
    zlay_layout *a = read_layout(ctx, "(8,64):(1,8)");
    zlay_copy_request r = {.size = sizeof r, .elem_bits = 16, .source = {a, ZLAY_MOVE_GLOBAL, 0, 16}, .dest = {a, ZLAY_MOVE_SHARED, 0, 16}};
    zlay_move *nvidia = NULL, *amd = NULL;
    zlay_buf buf = {NULL, 0, 0};
    assert_int_equal(zlay_copy_synth(ctx, &nvidia, target_of("sm_90a"), &r), ZLAY_OK);
    assert_int_equal(zlay_copy_synth(ctx, &amd, target_of("gfx942"), &r), ZLAY_OK);
    refuse(ctx, nvidia, ZLAY_TEXT_CUDA, "f", ZLAY_EROOM, "");
    refuse(ctx, nvidia, ZLAY_TEXT_HIP, "f", ZLAY_ENOTSUP, "sm_90a");
    refuse(ctx, amd, ZLAY_TEXT_CUDA, "f", ZLAY_ENOTSUP, "gfx942");
    refuse(ctx, amd, ZLAY_TEXT_PTX, "f", ZLAY_ENOTSUP, "gfx942");
    refuse(ctx, nvidia, ZLAY_TEXT_CUDA, "__f", ZLAY_EINVAL, "name");
    refuse(ctx, nvidia, ZLAY_TEXT_CUDA, "uint4", ZLAY_EINVAL, "name");
    refuse(ctx, nvidia, 7, "f", ZLAY_EINVAL, "language");
    assert_int_equal(zlay_emit_copy(ctx, NULL, nvidia, ZLAY_TEXT_CUDA, "f", 1), ZLAY_EINVAL);
    assert_int_equal(zlay_emit_copy(ctx, &buf, NULL, ZLAY_TEXT_CUDA, "f", 1), ZLAY_EINVAL);
    assert_int_equal(zlay_emit_copy(ctx, &buf, nvidia, ZLAY_TEXT_CUDA, NULL, 1), ZLAY_EINVAL);
    zlay_move_free(nvidia);
    zlay_move_free(amd);
    zlay_layout_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hip_values),
        cmocka_unit_test(cuda_values),
        cmocka_unit_test(far_offsets),
        cmocka_unit_test(edges_are_kept),
        cmocka_unit_test(nvcc_values),
        cmocka_unit_test(clang_takes_them),
        cmocka_unit_test(ptx_is_the_move),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests_name("copies as functions", tests, begin, end);
}
