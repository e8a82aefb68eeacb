/* SPDX-License-Identifier: Apache-2.0 */
/* Headers of inline asm, as clang compiles them into a kernel: the interpreter of tests/gcn runs it in all
 * its schedules, and every word arrives where it has to. */
#define _DEFAULT_SOURCE
#include "gcn/object.h"
#include "gcn/run.h"
#include "plans/wave_gemm.h"

enum { IN = 0x10000, OUT = 0x100000, ARGUMENTS = 0x30000, THREADS = 128, ROUND = 2048, MOST = 20 };

static uint32_t in[THREADS * 4 + 4], out[MOST][ROUND / 4];

/* Words of each round; the first is a sum, the last three are gfx950's. */
static const uint32_t widths[] = {1, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 1, 4, 4, 3};

static void expect(uint32_t round)
{
    for (uint32_t t = 0; t < THREADS; t++)
        for (uint32_t word = 0; word < 4; word++) {
            uint32_t here = round ? in[(THREADS - 1 - t) * 4 + word + 4] : gcn_bits(8);
            uint32_t want = word < widths[round] ? here : 0xeeeeeeee;
            if (out[round][t * 4 + word] != want) fail_msg("round %u, thread %u, word %u", round, t, word);
        }
}

static void header_to(const char *name, gcn_target target)
{
    zlay_ctx *ctx;
    zlay_buf buf = {calloc(1, WAVE_ROOM), WAVE_ROOM - 1, 0};
    assert_non_null(buf.text);
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    assert_int_equal(zlay_emit_snippets(ctx, &buf, wave_target(gcn_target_name[target]), "t", 1), ZLAY_OK);
    zlay_ctx_free(ctx);
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    fputs(buf.text, file);
    fclose(file);
    free(buf.text);
}

static gcn_code compiled(gcn_target target, const char *more)
{
    char directory[] = "/tmp/zlay-gcn-XXXXXX", header[80], files[200];
    assert_non_null(mkdtemp(directory));
    snprintf(header, sizeof header, "%s/snippets.h", directory);
    header_to(header, target);
    snprintf(files, sizeof files, "%s -include %s tests/gcn/snippets.c", more, header);
    gcn_code code = gcn_compile(target, files, "snippets");
    gcn_command("rm -r %s%s%s", directory, "", "");
    return code;
}

static gcn_machine *machine(const gcn_code *code)
{
    static uint8_t arguments[64];
    uint64_t addresses[2] = {IN, OUT};
    uint32_t bytes = sizeof in;
    gcn_machine *m = calloc(1, sizeof *m);
    assert_non_null(m);
    memcpy(arguments, addresses, 16), memcpy(arguments + 16, &bytes, 4);
    m->code = code;
    m->threads[0] = THREADS, m->threads[1] = m->threads[2] = 1, m->kernarg = ARGUMENTS;
    gcn_add_memory(m, IN, in, sizeof in, false);
    gcn_add_memory(m, OUT, out, sizeof out, true);
    gcn_add_memory(m, ARGUMENTS, arguments, sizeof arguments, false);
    return m;
}

static void words_arrive(gcn_target target)
{
    gcn_code code = compiled(target, "");
    gcn_machine *m = machine(&code);
    for (int i = 0; gcn_schedule_of(&m->schedule, i, 2, 3); i++) {
        memset(out, 0xee, sizeof out);
        gcn_run_group(m, 0, 0);
        if (m->failed) fail_msg("%s, schedule %d: %s", gcn_target_name[target], i, m->fault);
        for (uint32_t round = 0; round < (target == GCN_950 ? 18 : 15); round++) expect(round);
    }
    free(m);
    gcn_code_free(&code);
}

/* Who says that no matrix instruction came before, and is wrong, stores what is not there yet. */
static void states_are_owed(gcn_target target)
{
    gcn_code code = compiled(target, "'-Dzl_t_before=\"\"'");
    gcn_machine *m = machine(&code);
    gcn_run_group(m, 0, 0);
    assert_true(m->failed);
    assert_non_null(strstr(m->fault, "global_store_dword"));
    free(m);
    gcn_code_free(&code);
}

static void snippets_run_right(void **state)
{
    (void)state;
    gcn_need_llvm("headers of inline asm were run by nothing");
    for (uint32_t i = 0; i < sizeof in / 4; i++) in[i] = i * 2654435761u;
    for (gcn_target target = 0; target < GCN_TARGETS; target++) {
        words_arrive(target);
        states_are_owed(target);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(snippets_run_right),
    };
    return cmocka_run_group_tests_name("gcn-snippets", tests, NULL, NULL);
}
