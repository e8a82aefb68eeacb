/* SPDX-License-Identifier: Apache-2.0 */
/* Words on a GPU: each emitted kernel moves values that name their slots, and every slot must have
 * the value that the map sends there.  All classes of bit permutations (how many bits of each coordinate
 * go to each other) for registers of 1, 2 and 4 parts, up to 16 of them; then random maps; then a
 * tenth as many of the slots of clusters of 2 to 8 blocks.
 *
 *   device-words [--count N] [--ptx DIR]     --ptx writes the kernels and runs nothing */
#include "device/rig/cuda_now.h"
#include "random.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlay/zlay.h>

enum { LANE_BITS = 5, BITS_MOST = 14, WORDS_MOST = 1 << 12, TEXT = 1 << 20, KINDS = 3 };

typedef struct map {
    unsigned bits;
    uint64_t basis[BITS_MOST];
} map;

typedef struct run {
    zlay_ctx *ctx;
    cuda_now cuda;
    cuda_address from, to;
    const char *folder;
    char *text;
    uint64_t seed;
    unsigned done, wrong, optimal, clusters;
} run;

static uint64_t map_at(const map *m, uint64_t x)
{
    uint64_t y = 0;
    for (unsigned k = 0; k < m->bits; k++)
        if (x >> k & 1) y ^= m->basis[k];
    return y;
}

static _Noreturn void die(const char *what, const char *why)
{
    printf("%s: %s\n", what, why);
    exit(2);
}

static void must(cuda_result result, const char *what)
{
    char text[32];
    snprintf(text, sizeof text, "CUDA error %u", result);
    if (result) die(what, text);
}

/* ---- one word ------------------------------------------------------------------------------- */

static zlay_layout *layout_of(zlay_ctx *ctx, const map *m)
{
    zlay_dim dim = {"slot", (uint64_t)1 << m->bits};
    zlay_f2_bases bases = {sizeof bases, 0, 1, 1, &dim, &dim, m->basis};
    zlay_layout *made = NULL;
    if (zlay_f2_new(ctx, &made, &bases)) die("map", zlay_ctx_message(ctx));
    return made;
}

static void word_text(run *r, const zlay_slots *slots, const map *m)
{
    zlay_word *word;
    zlay_word_summary info;
    zlay_buf buf = {r->text, TEXT, 0};
    zlay_layout *layout = layout_of(r->ctx, m);
    if (zlay_word_synth(r->ctx, &word, slots, layout)) die("word", zlay_ctx_message(r->ctx));
    if (zlay_emit_word(r->ctx, &buf, word, "word", 4)) die("text", zlay_ctx_message(r->ctx));
    zlay_word_info(&info, word);
    r->optimal += info.optimal;
    zlay_word_free(word);
    zlay_layout_free(layout);
}

static void write_text(const run *r)
{
    char path[512];
    snprintf(path, sizeof path, "%s/word%u.ptx", r->folder, r->done);
    FILE *file = fopen(path, "w");
    if (!file || fputs(r->text, file) < 0 || fclose(file)) die(path, "cannot be written");
}

static void put_unit(uint32_t *words, unsigned parts, uint64_t slot, uint64_t value)
{
    unsigned width = 32u >> parts;
    uint64_t byte = slot & ((1u << parts) - 1), mask = ((uint64_t)1 << width) - 1;
    words[slot >> parts] |= (uint32_t)((value & mask) << (width * byte));
}

/* Slots by their numbers, `width` bits of them at a time. */
static bool word_runs(run *r, const zlay_slots *s, const map *m, void *function)
{
    static uint32_t from[WORDS_MOST], to[WORDS_MOST], wanted[WORDS_MOST];
    size_t size = (size_t)1 << m->bits, bytes = (size >> s->byte_bits) * 4;
    void *parameters[] = {&r->from, &r->to};
    bool right = true;
    for (unsigned low = 0; low < m->bits && right; low += 32u >> s->byte_bits) {
        memset(from, 0, bytes);
        memset(wanted, 0, bytes);
        memset(to, 0xa5, bytes);
        for (uint64_t slot = 0; slot < size; slot++) {
            put_unit(from, s->byte_bits, slot, slot >> low);
            put_unit(wanted, s->byte_bits, map_at(m, slot), slot >> low);
        }
        must(r->cuda.cuMemcpyHtoD_v2(r->from, from, bytes), "input");
        must(r->cuda.cuMemcpyHtoD_v2(r->to, to, bytes), "output");
        must(r->cuda.cuLaunchKernel(function, 1u << s->block_bits, 1, 1, 32u << s->warp_bits, 1, 1, 0, NULL,
                                    parameters, NULL), "launch");
        must(r->cuda.cuCtxSynchronize(), "kernel");
        must(r->cuda.cuMemcpyDtoH_v2(to, r->to, bytes), "answer");
        right = !memcmp(to, wanted, bytes);
    }
    return right;
}

static void word_do(run *r, const zlay_slots *slots, const map *m)
{
    void *module, *function;
    word_text(r, slots, m);
    if (r->folder) {
        write_text(r);
    } else {
        must(r->cuda.cuModuleLoadData(&module, r->text), "module");
        must(r->cuda.cuModuleGetFunction(&function, module, "word"), "function");
        if (!word_runs(r, slots, m, function)) {
            printf("WRONG %u+%u+%u bits:", slots->byte_bits, slots->register_bits, slots->lane_bits);
            for (unsigned k = 0; k < m->bits; k++) printf(" %llx", (unsigned long long)m->basis[k]);
            printf("\n");
            r->wrong++;
        }
    }
    r->done++;
}

/* ---- which ------------------------------------------------------------------------------------ */

/* A permutation that sends `crossing[i][j]` bits of coordinate i to coordinate j. */
static void permutation(map *m, const unsigned size[KINDS], unsigned crossing[KINDS][KINDS])
{
    unsigned from[KINDS], to[KINDS], low = 0;
    for (int i = 0; i < KINDS; low += size[i++]) from[i] = to[i] = low;
    m->bits = low;
    for (int i = 0; i < KINDS; i++)
        for (int j = KINDS - 1; j >= 0; j--)
            for (unsigned n = crossing[i][j]; n > 0; n--)
                m->basis[from[i]++] = (uint64_t)1 << to[j]++;
}

static unsigned rest(const unsigned *row, unsigned size) { return size - row[0] - row[1]; }

/* The last row and column follow from the others. */
static bool completed(const unsigned size[KINDS], unsigned c[KINDS][KINDS])
{
    for (int i = 0; i < 2; i++) {
        if (c[i][0] + c[i][1] > size[i] || c[0][i] + c[1][i] > size[i]) return false;
        c[i][2] = rest(c[i], size[i]);
        c[2][i] = size[i] - c[0][i] - c[1][i];
    }
    if (c[0][2] + c[1][2] > size[2] || c[2][0] + c[2][1] > size[2]) return false;
    c[2][2] = size[2] - c[0][2] - c[1][2];
    return true;
}

static void classes(run *r, const zlay_slots *slots)
{
    const unsigned size[KINDS] = {slots->byte_bits, slots->register_bits, LANE_BITS};
    for (unsigned code = 0; code < 3 * 5 * 3 * 5; code++) {
        unsigned c[KINDS][KINDS] = {{code % 3, code / 3 % 5, 0}, {code / 15 % 3, code / 45, 0}};
        map m = {0, {0}};
        if (!completed(size, c)) continue;
        permutation(&m, size, c);
        word_do(r, slots, &m);
    }
}

/* A bijection of everything below the warps, which also turns lanes by their warp; or one of all,
 * which goes through shared memory. */
static void random_map(run *r, const zlay_slots *slots, bool sparse, bool crosses)
{
    unsigned above = slots->warp_bits + slots->block_bits;
    map m = {slots->byte_bits + slots->register_bits + LANE_BITS + above, {0}};
    unsigned inner = crosses ? m.bits : m.bits - above;
    for (unsigned k = 0; k < m.bits; k++) m.basis[k] = (uint64_t)1 << k;
    for (unsigned k = inner; k-- > 1;) {
        uint64_t j = test_random(&r->seed) % (k + 1), held = m.basis[k];
        m.basis[k] = m.basis[j];
        m.basis[j] = held;
    }
    for (int n = sparse ? 3 : 60; n > 0; n--) {
        uint64_t i = test_random(&r->seed) % inner, j = test_random(&r->seed) % inner;
        if (i != j) m.basis[i] ^= m.basis[j];
    }
    if (above && !crosses) m.basis[inner] ^= test_random(&r->seed) & (((uint64_t)1 << inner) - 1);
    word_do(r, slots, &m);
}

int main(int argc, char **argv)
{
    static run r;
    unsigned count = 1000;
    r.seed = 20251121;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--count")) count = (unsigned)strtoul(argv[i + 1], NULL, 10);
        else if (!strcmp(argv[i], "--ptx")) r.folder = argv[i + 1];
        else die(argv[i], "is no flag");
    }
    r.text = malloc(TEXT);
    if (!r.text || zlay_ctx_new(&r.ctx, NULL, NULL)) die("ctx", "no memory");
    if (!r.folder) {
        if (!cuda_open(&r.cuda)) return 77;
        must(r.cuda.cuMemAlloc_v2(&r.from, WORDS_MOST * 4), "memory");
        must(r.cuda.cuMemAlloc_v2(&r.to, WORDS_MOST * 4), "memory");
    }
    for (unsigned byte = 0; byte < 3; byte++)
        for (unsigned reg = 0; reg < 5; reg++) {
            zlay_slots slots = {byte, reg, LANE_BITS, 0, 0, {0}};
            classes(&r, &slots);
        }
    printf("classes of bit permutations: %u\n", r.done);
    while (r.done < count) {
        zlay_slots slots = {r.done % 3, (uint32_t)(test_random(&r.seed) % 4), LANE_BITS,
                            r.done % 5 == 0, 0, {0}};
        random_map(&r, &slots, r.done % 2, r.done % 10 == 0);
    }
    for (; r.clusters < count / 10; r.clusters++) {
        zlay_slots slots = {r.done % 3, (uint32_t)(test_random(&r.seed) % 4), LANE_BITS,
                            r.done % 2, 1 + r.done % 3, {0}};
        random_map(&r, &slots, r.done % 2, r.clusters % 4);
    }
    printf("%u words, %u of clusters, %u wrong; %u proved least\n", r.done, r.clusters, r.wrong,
           r.optimal);
    return r.wrong ? 1 : 0;
}
