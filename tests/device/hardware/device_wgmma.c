/* SPDX-License-Identifier: Apache-2.0 */
/* What wgmma reads on a Hopper GPU against the layouts that zlay gives: every type, major-ness,
 * swizzle and operand, dense and sparse, at tight, padded and shifted places; fragments of A and D.
 * Ends with `N passed, N failed`.
 *
 *   device-wgmma [--cases N] [--seed N] [--ptx FILE]
 *
 * --ptx writes the kernels and ends. */
#include "device/rig/cuda_now.h"
#include "probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JOBS_MOST = 256, FORMS_MOST = 160, DYNAMIC_SMEM = 8, SUMS_MOST = 128, CELLS = 256 * 256 };

typedef struct bench {
    cuda_now cuda;
    zlay_ctx *ctx;
    const zlay_target *target;
    uint64_t seed, cases;
    probe_form form[FORMS_MOST];
    size_t forms;
    void *module;
    cuda_address image[PROBE_TYPES][24], jobs, out, registers, metadata;
    uint32_t *sums;
    uint64_t passed, failed, elements;
} bench;

static void must(unsigned status, const char *what)
{
    if (!status) return;
    printf("%s: error %u\n", what, status);
    exit(2);
}

static uint64_t drawn(bench *b, uint64_t n)
{
    b->seed = b->seed * 6364136223846793005u + 1442695040888963407u;
    return (b->seed >> 33) % n;
}

/* ---- forms ------------------------------------------------------------------------ */

static uint32_t depth(int32_t type) { return 256 / probe_type_of(type)->bits; }

static void form_add(bench *b, int what, int32_t type, uint32_t n, uint32_t sparse, int32_t major,
                     int32_t d)
{
    zlay_mma m = {.m = 64, .n = n, .a = type, .b = type, .d = d, .sparse = sparse};
    m.k = depth(type) << sparse;
    if (what == PROBE_A) m.a_major = major;
    if (what == PROBE_B) m.b_major = major;
    if (what == PROBE_REGISTERS) m.a_source = ZLAY_SOURCE_REG;
    b->form[b->forms++] = (probe_form){m, what};
}

static void forms_of(bench *b, int32_t type, uint32_t sparse)
{
    bool integer = type == ZLAY_TYPE_S8 || type == ZLAY_TYPE_U8 || type == ZLAY_TYPE_B1;
    bool half = type == ZLAY_TYPE_F16 || type == ZLAY_TYPE_BF16;
    int32_t d = integer ? ZLAY_TYPE_S32 : ZLAY_TYPE_F32;
    static const uint32_t columns[] = {8, 24, 96, 256};
    for (int32_t major = 0; major <= half; major++) {
        form_add(b, PROBE_A, type, depth(type), sparse, major, d);
        for (int i = sparse ? 1 : 0; i < 4; i++)
            form_add(b, PROBE_B, type, columns[i], sparse, major, d);
    }
    form_add(b, PROBE_REGISTERS, type, depth(type), sparse, 0, d);
    if (type == ZLAY_TYPE_F16 || type == ZLAY_TYPE_E4M3)
        form_add(b, PROBE_REGISTERS, type, depth(type), sparse, 0, ZLAY_TYPE_F16);
    if (sparse) form_add(b, PROBE_METADATA, type, 2 * depth(type), sparse, 0, d);
    if (sparse && (half || type == ZLAY_TYPE_TF32)) {
        form_add(b, PROBE_METADATA, type, 2 * depth(type), sparse, 0, d);
        b->form[b->forms - 1].mma.selector = 1;
    }
}

static void forms_all(bench *b)
{
    for (int i = 0; i < PROBE_TYPES; i++) forms_of(b, probe_types[i].type, 0);
    for (int i = 0; i < PROBE_TYPES - 1; i++) forms_of(b, probe_types[i].type, 1);
}

/* ---- the machine --------------------------------------------------------------------- */

static cuda_address buffer(bench *b, const void *from, size_t size)
{
    cuda_address at = 0;
    must(b->cuda.cuMemAlloc_v2(&at, size), "memory");
    if (from) must(b->cuda.cuMemcpyHtoD_v2(at, from, size), "copy");
    return at;
}

static void images_make(bench *b)
{
    uint8_t *bytes = malloc(PROBE_BYTES);
    for (int i = 0; i < PROBE_TYPES; i++)
        for (uint32_t round = 0; round < probe_types[i].rounds; round++) {
            probe_image(bytes, &probe_types[i], round);
            b->image[i][round] = buffer(b, bytes, PROBE_BYTES);
        }
    free(bytes);
}

/* Metadata that keeps the first pair of each group, then the second. */
static void machine_open(bench *b)
{
    static uint32_t words[2 * PROBE_THREADS];
    char *text = probe_text(b->form, b->forms);
    if (!cuda_open(&b->cuda)) exit(2);
    must(b->cuda.cuModuleLoadData(&b->module, text), "kernels");
    free(text);
    images_make(b);
    for (int i = 0; i < 2 * PROBE_THREADS; i++)
        words[i] = i < PROBE_THREADS ? 0x44444444 : 0xeeeeeeee;
    b->metadata = buffer(b, words, sizeof words);
    b->jobs = buffer(b, NULL, 1024 * sizeof(probe_job));
    b->registers = buffer(b, NULL, 24 * PROBE_THREADS * 16);
    b->sums = malloc((size_t)1024 * PROBE_THREADS * SUMS_MOST * 4);
    b->out = buffer(b, NULL, (size_t)1024 * PROBE_THREADS * SUMS_MOST * 4);
}

static uint32_t sums_of(const zlay_mma *m) { return m->d == ZLAY_TYPE_F16 ? m->n / 4 : m->n / 2; }

/* D of every job, as the threads hold it, into b->sums. */
static void launch(bench *b, size_t form, cuda_address image, const probe_job *jobs, uint32_t count)
{
    char name[32];
    void *kernel, *parameters[] = {&image, &b->jobs, &b->out};
    size_t size = (size_t)count * PROBE_THREADS * sums_of(&b->form[form].mma) * 4;
    snprintf(name, sizeof name, "probe%zu", form);
    must(b->cuda.cuModuleGetFunction(&kernel, b->module, name), name);
    must(b->cuda.cuFuncSetAttribute(kernel, DYNAMIC_SMEM, PROBE_BYTES), "shared memory");
    must(b->cuda.cuMemcpyHtoD_v2(b->jobs, jobs, count * sizeof *jobs), "jobs");
    must(b->cuda.cuLaunchKernel(kernel, count, 1, 1, PROBE_THREADS, 1, 1, PROBE_BYTES, NULL,
                                parameters, NULL),
         "launch");
    must(b->cuda.cuCtxSynchronize(), name);
    must(b->cuda.cuMemcpyDtoH_v2(b->sums, b->out, size), "sums");
}

/* ---- D by its fragment ----------------------------------------------------------------- */

/* Where D's element m + 64 n of a job lies among b->sums: thread and value of each element. */
static void places_of(bench *b, const zlay_mma *m, uint32_t *place)
{
    zlay_layout *d = NULL;
    must((unsigned)zlay_mma_fragment(b->ctx, &d, b->target, m, ZLAY_FRAGMENT_D), "fragment");
    for (uint64_t x = 0; x < 64u * m->n; x++) {
        int64_t at;
        must((unsigned)zlay_layout_eval(&at, 1, d, x), "fragment");
        place[at] = (uint32_t)x;
    }
    zlay_layout_free(d);
}

static uint32_t sum_at(const bench *b, const zlay_mma *m, uint32_t job, uint32_t place)
{
    uint32_t thread = place % PROBE_THREADS, value = place / PROBE_THREADS;
    uint32_t each = m->d == ZLAY_TYPE_F16 ? 2 : 1, words = sums_of(m);
    uint32_t word = b->sums[((size_t)job * PROBE_THREADS + thread) * words + value / each];
    return probe_decode(m->d, word, value % each);
}

/* ---- descriptors ------------------------------------------------------------------------- */

/* The byte of an element by the sum of the PTX ISA's canonical layouts written out, for keeping
 * questions inside shared memory. */
static uint64_t near_byte(const zlay_smemdesc_operand *o, uint32_t bits, uint32_t mn, uint32_t k)
{
    bool k_major = o->major == ZLAY_MAJOR_K, turned = !k_major && !o->desc.swizzle;
    uint32_t lead = k_major ? k : mn, other = k_major ? mn : k, row = 1u << o->desc.swizzle;
    uint32_t chunk = lead * bits / 128, byte = lead * bits / 8 % 16;
    return o->desc.start + (uint64_t)(other / 8) * (turned ? o->desc.lbo : o->desc.sbo) +
           other % 8 * 16 * row + (uint64_t)(chunk / row) * (turned ? o->desc.sbo : o->desc.lbo) +
           chunk % row * 16 + byte;
}

/* A swizzle moves an element inside its 128 bytes. */
static bool inside(const zlay_smemdesc_operand *o, uint32_t bits)
{
    uint64_t last = near_byte(o, bits, o->mn - 1, o->k - 1);
    return o->desc.start >= PROBE_FREE && last + 128 <= PROBE_END;
}

static void fields_draw(bench *b, zlay_smemdesc_operand *q, uint32_t i)
{
    zlay_smemdesc *d = &q->desc;
    uint32_t row = 16u << d->swizzle, tight = 8 * row;
    bool k_major = q->major == ZLAY_MAJOR_K;
    uint32_t many = (q->mn + 7) / 8;
    d->sbo = tight;
    d->lbo = k_major || !d->swizzle ? tight * many : tight * (q->k / 8);
    if (i % 3 == 1) d->sbo += 16 * (uint32_t)drawn(b, 64), d->lbo += 16 * (uint32_t)drawn(b, 64);
    if (i % 3 == 2) d->sbo = 16 * (uint32_t)drawn(b, 256), d->lbo = 16 * (uint32_t)drawn(b, 1024);
    d->start = PROBE_FREE + (i < 3 ? 0 : 128 * (uint32_t)drawn(b, 256));
    if (i % 2 && i > 3) d->start += 16 * (uint32_t)drawn(b, 8);
    if (i >= 6) d->base_offset = (uint32_t)drawn(b, 8);
}

/* The i-th of the questions about an operand; those that leave shared memory are drawn again. */
static zlay_smemdesc_operand question_draw(bench *b, const probe_form *f, uint32_t i)
{
    zlay_smemdesc_operand q;
    uint32_t bits = probe_type_of(f->mma.a)->bits, tries = 0;
    do {
        memset(&q, 0, sizeof q);
        q.type = f->mma.a;
        q.major = f->what == PROBE_A ? f->mma.a_major : f->mma.b_major;
        q.mn = f->what == PROBE_A ? 64 : f->mma.n;
        q.k = f->what == PROBE_A && f->mma.sparse ? f->mma.k / 2 : f->mma.k;
        q.desc.swizzle = (int32_t)(i % 4);
        fields_draw(b, &q, i / 4);
    } while (!inside(&q, bits) && ++tries < 1000);
    must(tries >= 1000, "no place for a question");
    return q;
}

static uint32_t parts_of(const probe_form *f)
{
    if (f->what == PROBE_A) return 1;
    return f->mma.sparse ? 2 : f->mma.a == ZLAY_TYPE_B1 ? 4 : 1;
}

static probe_job job_of(bench *b, const probe_form *f, const zlay_smemdesc_operand *q,
                        uint32_t part)
{
    probe_job job = {.registers = b->registers, .metadata = b->metadata};
    uint64_t bits;
    uint32_t d = depth(f->mma.a), rows = d < 8 ? 8 : d;
    must((unsigned)zlay_smemdesc_pack(&bits, b->target, &q->desc), "descriptor");
    job.desc_a = job.desc_b = bits;
    if (f->what == PROBE_A)
        job.desc_b =
            f->mma.sparse ? probe_ones(PROBE_ONES_SPARSE, rows) : probe_ones(PROBE_ONES_B, d);
    else job.desc_a = probe_ones(PROBE_ONES_A + (f->mma.sparse ? 0 : part * 2048), 64);
    if (f->mma.sparse && part) job.metadata += PROBE_THREADS * 4;
    return job;
}

/* Which element of the operand D's (m, n) is in a part; false: none. */
static bool element_of(const probe_form *f, uint32_t part, uint32_t m, uint32_t n, uint32_t *mn,
                       uint32_t *k)
{
    uint32_t d = depth(f->mma.a);
    *mn = f->what == PROBE_A ? m : n;
    *k = f->what == PROBE_A ? n : m + 64 * part;
    if (f->what == PROBE_A) return n < d;
    if (!f->mma.sparse) return *k < d;
    *k = m < d ? probe_sparse_k(f->mma.a, m, part) : 0;
    return m < d;
}

/* The element number that all rounds together say, in found[job][m + 64 n]. */
static void ask(bench *b, size_t form, const probe_job *jobs, uint32_t count, uint32_t *found)
{
    static uint32_t place[64 * 256];
    const zlay_mma *m = &b->form[form].mma;
    const probe_type *t = probe_type_of(m->a);
    places_of(b, m, place);
    memset(found, 0, (size_t)count * 64 * m->n * sizeof *found);
    for (uint32_t round = 0; round < t->rounds; round++) {
        launch(b, form, b->image[t - probe_types][round], jobs, count);
        for (uint32_t job = 0; job < count; job++)
            for (uint32_t x = 0; x < 64 * m->n; x++)
                found[job * 64 * m->n + x] += sum_at(b, m, job, place[x]) << round * t->digit;
    }
}

typedef struct tally {
    uint64_t right, wrong;
} tally;

static void compare(const probe_form *f, const zlay_smemdesc_operand *q, uint32_t part,
                    const uint32_t *found, const int64_t *address, tally *t)
{
    uint32_t bits = probe_type_of(f->mma.a)->bits, mn, k;
    for (uint32_t x = 0; x < 64 * f->mma.n; x++) {
        if (!element_of(f, part, x % 64, x / 64, &mn, &k)) continue;
        uint64_t want = (uint64_t)address[mn + k * q->mn];
        bool right = found[x] == (bits == 1 ? 8 * want + k % 8 : want / (bits / 8));
        right ? t->right++ : t->wrong++;
        if (!right && t->wrong < 4)
            printf("  (%u, %u): read element %u, the layout says byte %llu\n", mn, k, found[x],
                   (unsigned long long)want);
    }
}

static int64_t *addresses_of(bench *b, const zlay_smemdesc_operand *q)
{
    zlay_layout *layout = NULL;
    uint64_t count = (uint64_t)q->mn * q->k;
    int64_t *address = malloc(count * sizeof *address);
    must((unsigned)zlay_smemdesc_layout(b->ctx, &layout, b->target, q), "layout");
    for (uint64_t x = 0; x < count; x++)
        must((unsigned)zlay_layout_eval(&address[x], 1, layout, x), "layout");
    zlay_layout_free(layout);
    return address;
}

static void form_report(bench *b, const probe_form *f, const tally *t, uint32_t questions)
{
    static const char *const what[] = {"A", "B", "A in registers", "metadata"};
    const zlay_mma *m = &f->mma;
    bool good = t->right && !t->wrong;
    good ? b->passed++ : b->failed++;
    b->elements += t->right;
    printf("%s %s m64n%uk%u %s%s %s: %u questions, %llu elements as the layout says, %llu not\n",
           good ? "ok" : "FAILED", probe_type_of(m->a)->name, m->n, m->k,
           m->sparse ? "sparse " : "", what[f->what],
           (f->what == PROBE_A ? m->a_major : m->b_major) ? "MN-major" : "K-major", questions,
           (unsigned long long)t->right, (unsigned long long)t->wrong);
}

static void descriptors_ask(bench *b, size_t form)
{
    const probe_form *f = &b->form[form];
    static zlay_smemdesc_operand q[JOBS_MOST];
    static probe_job jobs[JOBS_MOST];
    uint32_t parts = parts_of(f), count = (uint32_t)b->cases;
    if (count * parts > JOBS_MOST) count = JOBS_MOST / parts;
    uint32_t *found = malloc((size_t)count * parts * 64 * f->mma.n * sizeof *found);
    tally t = {0, 0};
    for (uint32_t i = 0; i < count; i++) {
        q[i] = question_draw(b, f, i);
        for (uint32_t p = 0; p < parts; p++) jobs[i * parts + p] = job_of(b, f, &q[i], p);
    }
    ask(b, form, jobs, count * parts, found);
    for (uint32_t i = 0; i < count; i++) {
        int64_t *address = addresses_of(b, &q[i]);
        uint64_t before = t.wrong;
        for (uint32_t p = 0; p < parts; p++)
            compare(f, &q[i], p, found + (size_t)(i * parts + p) * 64 * f->mma.n, address, &t);
        if (t.wrong > before)
            printf("  start %u lbo %u sbo %u base %u swizzle %d\n", q[i].desc.start, q[i].desc.lbo,
                   q[i].desc.sbo, q[i].desc.base_offset, q[i].desc.swizzle);
        free(address);
    }
    free(found);
    form_report(b, f, &t, count);
}

/* ---- A in registers ------------------------------------------------------------------------ */

/* Registers of one round: element m + 64 k says its own number. */
static void registers_fill(bench *b, const zlay_mma *m, uint32_t round)
{
    static uint32_t words[PROBE_THREADS * 4];
    const probe_type *t = probe_type_of(m->a);
    uint32_t each = 32 / t->bits;
    zlay_layout *a = NULL;
    must((unsigned)zlay_mma_fragment(b->ctx, &a, b->target, m, ZLAY_FRAGMENT_A), "fragment");
    memset(words, 0, sizeof words);
    for (uint64_t x = 0; x < 64ull * depth(m->a); x++) {
        int64_t at;
        uint32_t thread = (uint32_t)x % PROBE_THREADS, value = (uint32_t)x / PROBE_THREADS;
        must((unsigned)zlay_layout_eval(&at, 1, a, x), "fragment");
        uint32_t digit = (uint32_t)(at >> round * t->digit) & ((1u << t->digit) - 1);
        words[4 * thread + value / each] |= probe_encode(m->a, digit) << value % each * t->bits;
    }
    zlay_layout_free(a);
    must(b->cuda.cuMemcpyHtoD_v2(b->registers, words, sizeof words), "registers");
}

static void registers_ask(bench *b, size_t form)
{
    static uint32_t place[64 * 256], found[64 * 256];
    const probe_form *f = &b->form[form];
    const zlay_mma *m = &f->mma;
    const probe_type *t = probe_type_of(m->a);
    uint32_t d = depth(m->a), rows = d < 8 ? 8 : d;
    tally all = {0, 0};
    probe_job job = {.registers = b->registers, .metadata = b->metadata};
    job.desc_b = m->sparse ? probe_ones(PROBE_ONES_SPARSE, rows) : probe_ones(PROBE_ONES_B, d);
    places_of(b, m, place);
    memset(found, 0, sizeof found);
    for (uint32_t round = 0; round * t->digit < 14; round++) {
        registers_fill(b, m, round);
        launch(b, form, b->image[t - probe_types][0], &job, 1);
        for (uint32_t x = 0; x < 64 * d; x++)
            found[x] += sum_at(b, m, 0, place[x]) << round * t->digit;
    }
    for (uint32_t x = 0; x < 64 * d; x++) found[x] == x ? all.right++ : all.wrong++;
    form_report(b, f, &all, 1);
}

/* ---- metadata -------------------------------------------------------------------------------- */

/* The row and group of a thread's nibble by the layout; -1: nobody reads it. */
static int64_t nibble_place(bench *b, const zlay_mma *m, uint32_t thread, uint32_t nibble)
{
    bool half = probe_type_of(m->a)->bits > 8;
    int64_t at = -1;
    zlay_layout *layout = NULL;
    uint32_t among = half ? thread / 4 * 2 + thread % 2 : thread, threads = half ? 64 : 128;
    if (half && thread % 4 / 2 != m->selector) return -1;
    must((unsigned)zlay_mma_fragment(b->ctx, &layout, b->target, m, ZLAY_FRAGMENT_METADATA),
         "metadata");
    must((unsigned)zlay_layout_eval(&at, 1, layout, among + threads * nibble), "metadata");
    zlay_layout_free(layout);
    return at;
}

static void metadata_compare(bench *b, const zlay_mma *m, uint32_t i, const uint32_t *place,
                             tally *t)
{
    uint32_t group = m->a == ZLAY_TYPE_TF32 ? 2 : 4;
    int64_t at = nibble_place(b, m, i / 8, i % 8);
    for (uint32_t row = 0; row < 64; row++)
        for (uint32_t g = 0; g < m->k / group; g++) {
            bool turned = sum_at(b, m, i, place[row + 64 * (g * group)]) == 0;
            turned == (at == (int64_t)(row + 64 * g)) ? t->right++ : t->wrong++;
        }
}

/* A of ones and B with a 1 in row n at k = n: D's row says which k the metadata keep.  One nibble
 * of one thread is turned from the first pair to the second; what moves is what that nibble speaks
 * of. */
static void metadata_ask(bench *b, size_t form)
{
    static uint32_t words[1024][PROBE_THREADS], place[64 * 256];
    static probe_job jobs[1024];
    const zlay_mma *m = &b->form[form].mma;
    const probe_type *t = probe_type_of(m->a);
    uint8_t *bytes = calloc(1, PROBE_BYTES);
    tally all = {0, 0};
    for (uint32_t i = 0; i < 1024; i++)
        for (uint32_t thread = 0; thread < PROBE_THREADS; thread++)
            words[i][thread] = 0x44444444u ^ (thread == i / 8 ? 0xau << i % 8 * 4 : 0);
    for (uint32_t k = 0; k < m->k; k++) {
        uint32_t one = probe_encode(m->a, 1), at = PROBE_ONES_B - PROBE_ORIGIN;
        uint32_t byte = at + k * 16 + k * t->bits / 128 * m->k * 16 + k * t->bits / 8 % 16;
        memcpy(bytes + byte, &one, t->bits / 8);
    }
    for (uint32_t i = 0; i < 2048 * 8 / t->bits; i++) {
        uint32_t one = probe_encode(m->a, 1);
        memcpy(bytes + PROBE_ONES_A - PROBE_ORIGIN + i * t->bits / 8, &one, t->bits / 8);
    }
    cuda_address image = buffer(b, bytes, PROBE_BYTES), meta = buffer(b, words, sizeof words);
    for (uint32_t i = 0; i < 1024; i++)
        jobs[i] = (probe_job){probe_ones(PROBE_ONES_A, 64), probe_ones(PROBE_ONES_B, m->k),
                              b->registers, meta + i * PROBE_THREADS * 4};
    places_of(b, m, place);
    launch(b, form, image, jobs, 1024);
    for (uint32_t i = 0; i < 1024; i++) metadata_compare(b, &b->form[form].mma, i, place, &all);
    form_report(b, &b->form[form], &all, 1024);
    free(bytes);
}

/* ---- one warp ----------------------------------------------------------------------------------
 */

enum { LANES = 32, WORDS = 8 };

static zlay_layout *warp_layout(bench *b, int32_t which, uint32_t bits, uint32_t registers)
{
    zlay_layout *layout = NULL;
    must((unsigned)zlay_warp_fragment(b->ctx, &layout, which, bits, registers), "fragment");
    return layout;
}

static int64_t place_in(const zlay_layout *layout, uint32_t lane, uint32_t value)
{
    int64_t at = -1;
    must((unsigned)zlay_layout_eval(&at, 1, layout, lane + LANES * value), "fragment");
    return at;
}

static void warp_launch(bench *b, int entry, const uint32_t *in, uint32_t *out)
{
    char name[16];
    void *kernel, *parameters[] = {&b->registers, &b->out};
    snprintf(name, sizeof name, "warp%d", entry);
    must(b->cuda.cuModuleGetFunction(&kernel, b->module, name), name);
    must(b->cuda.cuMemcpyHtoD_v2(b->registers, in, LANES * WORDS * 4), "registers");
    must(b->cuda.cuLaunchKernel(kernel, 1, 1, 1, LANES, 1, 1, 0, NULL, parameters, NULL), "launch");
    must(b->cuda.cuCtxSynchronize(), name);
    must(b->cuda.cuMemcpyDtoH_v2(out, b->out, LANES * 16), "sums");
}

/* An operand's small numbers, by element, into the registers that the layout names. */
static void warp_fill(uint32_t *in, uint32_t first, const zlay_layout *layout,
                      const uint8_t *numbers, const probe_type *t)
{
    uint32_t each = 32 / t->bits, values = (uint32_t)(zlay_layout_size(layout) / LANES);
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t v = 0; v < values; v++)
            in[lane * WORDS + first + v / each] |=
                probe_encode(t->type, numbers[place_in(layout, lane, v)]) << v % each * t->bits;
}

static uint32_t product(const uint8_t *a, const uint8_t *b, uint32_t m, uint32_t n, uint32_t k)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < k; i++) sum += (uint32_t)a[m + 16 * i] * b[n + 8 * i];
    return sum;
}

/* Random products by mma.sync: what the lanes hold of A and B, and get of D, is what the layouts
 * say. */
static void products_ask(bench *b, int entry, int32_t type)
{
    const probe_type *t = probe_type_of(type);
    uint32_t k = 256 / t->bits, most = t->bits == 1 ? 2 : 4;
    int32_t d_type = type == ZLAY_TYPE_S8 || type == ZLAY_TYPE_B1 ? ZLAY_TYPE_S32 : ZLAY_TYPE_F32;
    zlay_layout *la = warp_layout(b, ZLAY_WARP_A, t->bits, 4),
                *lb = warp_layout(b, ZLAY_WARP_B, t->bits, 2);
    zlay_layout *ld = warp_layout(b, ZLAY_WARP_D, 32, 4);
    uint64_t wrong = 0;
    for (int round = 0; round < 64; round++) {
        uint8_t na[16 * 256], nb[8 * 256];
        uint32_t in[LANES * WORDS] = {0}, out[LANES * 4];
        for (uint32_t i = 0; i < 16 * k; i++) na[i] = (uint8_t)drawn(b, most);
        for (uint32_t i = 0; i < 8 * k; i++) nb[i] = (uint8_t)drawn(b, most);
        warp_fill(in, 0, la, na, t);
        warp_fill(in, 4, lb, nb, t);
        warp_launch(b, entry, in, out);
        for (uint32_t x = 0; x < LANES * 4; x++) {
            uint32_t at = (uint32_t)place_in(ld, x / 4, x % 4);
            wrong += probe_decode(d_type, out[x], 0) != product(na, nb, at % 16, at / 16, k);
        }
    }
    printf("%s mma.sync %s: %llu of 8192 sums are not the product\n", wrong ? "FAILED" : "ok",
           t->name, (unsigned long long)wrong);
    wrong ? b->failed++ : b->passed++;
    zlay_layout_free(la);
    zlay_layout_free(lb);
    zlay_layout_free(ld);
}

/* Row r of matrix i is the 16 bytes that lane 8 i + r names: its cells are numbered. */
static void matrices_ask(bench *b, int entry, int32_t which)
{
    uint32_t in[LANES * WORDS] = {0}, out[LANES * 4], wrong = 0;
    zlay_layout *layout = warp_layout(b, which, 16, 4);
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t c = 0; c < 8; c++)
            in[lane * WORDS + c / 2] |= (lane % 8 + 8 * c + 64 * (lane / 8)) << c % 2 * 16;
    warp_launch(b, entry, in, out);
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t v = 0; v < 8; v++)
            wrong += (out[4 * lane + v / 2] >> v % 2 * 16 & 0xffff) !=
                     (uint64_t)place_in(layout, lane, v);
    printf("%s ldmatrix %s: %u of 256 elements elsewhere\n", wrong ? "FAILED" : "ok",
           which == ZLAY_WARP_MATRICES ? "x4" : "x4.trans", wrong);
    wrong ? b->failed++ : b->passed++;
    zlay_layout_free(layout);
}

static void warps_ask(bench *b)
{
    products_ask(b, 0, ZLAY_TYPE_BF16);
    products_ask(b, 1, ZLAY_TYPE_TF32);
    products_ask(b, 2, ZLAY_TYPE_S8);
    products_ask(b, 3, ZLAY_TYPE_B1);
    matrices_ask(b, 4, ZLAY_WARP_MATRICES);
    matrices_ask(b, 5, ZLAY_WARP_TRANSPOSED);
}

/* ---- main --------------------------------------------------------------------------------------
 */

static void ptx_write(const bench *b, const char *path)
{
    char *text = probe_text(b->form, b->forms);
    FILE *to = fopen(path, "w");
    if (!to || fputs(text, to) < 0 || fclose(to)) must(1, path);
    free(text);
    exit(0);
}

int main(int argc, char **argv)
{
    static bench b = {.seed = 20251121, .cases = 48};
    forms_all(&b);
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--cases")) b.cases = strtoull(argv[i + 1], NULL, 10);
        else if (!strcmp(argv[i], "--seed")) b.seed = strtoull(argv[i + 1], NULL, 10);
        else if (!strcmp(argv[i], "--ptx")) ptx_write(&b, argv[i + 1]);
    }
    if (b.cases > JOBS_MOST) b.cases = JOBS_MOST;
    must((unsigned)zlay_ctx_new(&b.ctx, NULL, NULL), "ctx");
    must((unsigned)zlay_target_find(&b.target, "sm_90a", 6), "target");
    machine_open(&b);
    for (size_t i = 0; i < b.forms; i++) {
        if (b.form[i].what == PROBE_METADATA) metadata_ask(&b, i);
        else if (b.form[i].what == PROBE_REGISTERS) registers_ask(&b, i);
        else descriptors_ask(&b, i);
        fflush(stdout);
    }
    warps_ask(&b);
    printf("%llu elements read where the layouts say\n%llu passed, %llu failed\n",
           (unsigned long long)b.elements, (unsigned long long)b.passed,
           (unsigned long long)b.failed);
    return b.failed != 0;
}
