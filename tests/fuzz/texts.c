/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz targets of the smaller readers: every unpacker of descriptors, conditions of pieces, modes and slices, the
 * proof of a pipe, and measurements.  Any bits have fields that pack to the same bits; any text is read or refused with a
 * message. */
#include "fuzz.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlay/zlay.h>

#define STATE(condition)                                                                           \
    do {                                                                                           \
        if (!(condition) && !broken) broken = __LINE__;                                            \
    } while (0)

static zlay_ctx *ctx_new(void)
{
    zlay_ctx *ctx = NULL;
    zlay_limits limits = {.size = sizeof limits, .points = 4096, .isl_ops = 5000, .work = 1 << 24};
    return zlay_ctx_new(&ctx, NULL, &limits) ? NULL : ctx;
}

/* ---- bits ------------------------------------------------------------------------- */

static int buffer_holds(const zlay_target *target, const uint32_t *word)
{
    zlay_buffer_words words, again;
    zlay_buffer fields;
    int broken = 0;
    memcpy(words.word, word, sizeof words.word);
    zlay_status status = zlay_buffer_unpack(&fields, target, &words);
    STATE(status == ZLAY_OK || status == ZLAY_ENOTSUP);
    if (status) return broken;
    STATE(zlay_buffer_pack(&again, target, &fields) == ZLAY_OK);
    STATE(!memcmp(&again, &words, sizeof words));
    return broken;
}

static int tdm_holds(const zlay_target *target, const uint32_t *word)
{
    zlay_tdm_words words, again;
    zlay_tdm fields;
    int broken = 0;
    memcpy(&words, word, sizeof words);
    zlay_status status = zlay_tdm_unpack(&fields, target, &words);
    STATE(status == ZLAY_OK || status == ZLAY_ENOTSUP);
    if (status) return broken;
    STATE(zlay_tdm_pack(&again, target, &fields) == ZLAY_OK);
    STATE(!memcmp(&again, &words, sizeof words));
    return broken;
}

static int words_hold(const zlay_target *target, const uint32_t *word)
{
    zlay_waitcnt counts;
    zlay_smemdesc desc;
    uint32_t operand;
    uint64_t bits, again;
    int broken = 0;
    if (!zlay_waitcnt_unpack(&counts, target, word[0]))
        STATE(!zlay_waitcnt_pack(&operand, target, &counts) && operand == word[0]);
    memcpy(&bits, word, sizeof bits);
    if (!zlay_smemdesc_unpack(&desc, target, bits))
        STATE(!zlay_smemdesc_pack(&again, target, &desc) && again == bits);
    return broken;
}

static int idesc_holds(uint32_t word, int32_t kind)
{
    zlay_idesc fields;
    uint32_t again;
    int broken = 0;
    if (zlay_idesc_unpack(&fields, kind, word)) return 0;
    STATE(zlay_idesc_pack(&again, &fields) == ZLAY_OK && again == word);
    return broken;
}

static int tensormap_holds(const zlay_target *target, const uint32_t *word)
{
    uint64_t words[16], unexplained[16], again[16];
    zlay_tensormap map;
    int broken = 0;
    memcpy(words, word, sizeof words);
    if (zlay_tensormap_unpack(&map, unexplained, target, words)) return 0;
    if (zlay_tensormap_pack(again, target, &map)) return 0;
    for (int i = 0; i < 16; i++) STATE((again[i] ^ unexplained[i]) == words[i]);
    return broken;
}

int fuzz_unpack(const char *bytes, size_t size)
{
    uint32_t word[32] = {0};
    const zlay_target *target;
    int broken = 0;
    memcpy(word, bytes, size < sizeof word ? size : sizeof word);
    for (size_t i = 0; !broken && (target = zlay_target_nth(i)); i++) {
        broken = buffer_holds(target, word);
        if (!broken) broken = tdm_holds(target, word);
        if (!broken) broken = words_hold(target, word);
        if (!broken) broken = tensormap_holds(target, word);
    }
    for (int32_t kind = 0; !broken && kind < 16; kind++) broken = idesc_holds(word[0], kind);
    return broken;
}

/* ---- conditions ----------------------------------------------------------------------- */

/* The restricted layout has at each point the value of the whole one, or none. */
int fuzz_guard(const char *bytes, size_t size)
{
    static const char whole[] = "(5,(4,3)):(7,(1,40))";
    zlay_ctx *ctx = ctx_new();
    zlay_layout *layout = NULL, *made = NULL;
    int64_t one, other;
    int broken = 0;
    zlay_layout_parse(ctx, &layout, whole, sizeof whole - 1);
    zlay_status status = zlay_layout_restrict(ctx, &made, layout, bytes, size);
    STATE((made != NULL) == (status == ZLAY_OK));
    STATE(status == ZLAY_OK || *zlay_ctx_message(ctx));
    bool named = made && zlay_layout_param_nth(made, 0);
    for (uint64_t i = 0; made && !named && i < 60; i++)
        if (zlay_layout_eval(&one, 1, made, i) == ZLAY_OK)
            STATE(zlay_layout_eval(&other, 1, layout, i) == ZLAY_OK && one == other);
    zlay_layout_free(layout);
    zlay_layout_free(made);
    zlay_ctx_free(ctx);
    return broken;
}

/* ---- proofs ------------------------------------------------------------------------------- */

/* The length of the text before its first line that begins with "proof ". */
static size_t pipe_length(const char *text, size_t size)
{
    static const char word[] = "proof ";
    size_t length = sizeof word - 1;
    for (size_t i = 0; i + length <= size; i++)
        if ((!i || text[i - 1] == '\n') && !memcmp(text + i, word, length)) return i;
    return size;
}

/* A pipe and, behind it, what claims to be its proof: checked or refused. */
int fuzz_proof(const char *bytes, size_t size)
{
    zlay_ctx *ctx = ctx_new();
    zlay_pipe *pipe = NULL;
    zlay_answer answer = 7;
    size_t length = pipe_length(bytes, size);
    char *proof = calloc(1, size - length + 1);
    int broken = 0;
    if (!proof) return 0;
    memcpy(proof, bytes + length, size - length);
    if (!zlay_pipe_parse(ctx, &pipe, bytes, length)) {
        zlay_status status = zlay_pipe_recheck(ctx, &answer, pipe, proof, size - length);
        STATE((status == ZLAY_OK) == (answer != 7));
    }
    free(proof);
    zlay_pipe_free(pipe);
    zlay_ctx_free(ctx);
    return broken;
}

/* ---- measurements -------------------------------------------------------------------------- */

/* What is read of any text is printed as text that is read whole, to the same records. */
int fuzz_tuning(const char *bytes, size_t size)
{
    zlay_ctx *ctx = ctx_new();
    zlay_tuning *read = NULL, *again = NULL;
    size_t bad = 0;
    int broken = 0;
    STATE(zlay_tuning_parse(ctx, &read, NULL, 0, &bad, bytes, size) == ZLAY_OK);
    zlay_buf need = {NULL, 0, 0};
    if (!broken) zlay_tuning_print(&need, read);
    char *first = calloc(1, need.need + 1), *second = calloc(1, need.need + 1);
    zlay_buf one = {first, need.need + 1, 0}, other = {second, need.need + 1, 0};
    if (first && second && !broken) {
        STATE(zlay_tuning_print(&one, read) == ZLAY_OK);
        STATE(zlay_tuning_parse(ctx, &again, NULL, 0, &bad, first, one.need) == ZLAY_OK && !bad);
        STATE(!broken && zlay_tuning_print(&other, again) == ZLAY_OK && !strcmp(first, second));
    }
    free(first);
    free(second);
    zlay_tuning_free(read);
    zlay_tuning_free(again);
    zlay_ctx_free(ctx);
    return broken;
}
