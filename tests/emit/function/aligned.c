/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of alignment beside functions: of CUDA C and HIP compiled for the host, of PTX executed by the model, each asked about
 * addresses of all remainders. Functions whose pointers need nothing have none. */
#define _GNU_SOURCE /* mkdtemp, dlopen */
#include "assembler.h"
#include "ctx.h"
#include "ptx/run.h"

#include <dlfcn.h>
#include <zlay/copy_synth.h>
#include <zlay/emit_function.h>

enum { ROOM = 1 << 18, ADDRESSES = 64, OUT = 1 << 20 };

typedef struct subject {
    const zlay_word *word;
    const zlay_convert *plan;
    const zlay_move *move;
    uint32_t bytes; /* that its pointers need */
} subject;

static char text[ROOM], kernel[2 * ROOM];
static px_machine machine;

static void print_one(zlay_ctx *ctx, const subject *s, int32_t language)
{
    zlay_buf buf = {text, sizeof text, 0};
    zlay_status status = s->word   ? zlay_emit_word_function(ctx, &buf, s->word, language, "turn", 4)
                         : s->plan ? zlay_emit_convert(ctx, &buf, s->plan, language, "turn", 4)
                                   : zlay_emit_copy(ctx, &buf, s->move, language, "turn", 4);
    if (status) fail_msg("%s", zlay_ctx_message(ctx));
}

/* The check alone, which stands behind the function. */
static const char *check_of(const char *head)
{
    const char *found = strstr(text, "\n}\n");
    assert_non_null(found);
    found = strstr(found, head);
    if (!found) fail_msg("no check:\n%s", text);
    return found;
}

static void asked_on_host(zlay_ctx *ctx, const subject *s, int32_t language)
{
    union { void *object; bool (*check)(const void *); } found;
    char folder[] = "/tmp/zlay-aligned-XXXXXX", path[64], command[300];
    print_one(ctx, s, language);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/c.cpp", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "#define __device__\n#define __forceinline__ inline\n%sextern \"C\" bool ask(const void *p) { return turn_aligned(p); }\n", check_of("static"));
    fclose(file);
    snprintf(command, sizeof command, "${CXX:-c++} -std=c++17 -O1 -Wall -Wextra -Werror -shared -fPIC -o %s/c.so %s", folder, path);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/c.so", folder);
    void *library = dlopen(path, RTLD_NOW);
    assert_non_null(library);
    found.object = dlsym(library, "ask");
    for (uintptr_t at = 0; at < ADDRESSES; at++) assert_int_equal(found.check((const void *)at), at % s->bytes == 0);
    dlclose(library);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

/* The body as that of a kernel whose thread t asks about address t. */
static void asked_in_model(zlay_ctx *ctx, const subject *s)
{
    static uint32_t answer[ADDRESSES];
    const uint64_t at = OUT;
    char *to = kernel;
    print_one(ctx, s, ZLAY_TEXT_PTX);
    to += sprintf(to, ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(\n.param .u64 to\n)\n{\n    .reg .b64 out;\n    .reg .b32 tid;\n    mov.u32 tid, %%tid.x;\n"
                      "    ld.param.u64 out, [to];\n    mad.wide.u32 out, tid, 4, out;\n");
    for (const char *line = strstr(check_of(".func"), "{\n") + 2, *end; *line && *line != '}'; line = end + 1) {
        end = strchr(line, '\n');
        if (!strncmp(line, "    ld.param.b32 ", 17)) to += sprintf(to, "    mov.u32 %%one, tid;\n");
        else if (!strncmp(line, "    st.param.b32 ", 17)) to += sprintf(to, "    st.global.b32 [out], %%one;\n");
        else to += sprintf(to, "%.*s\n", (int)(end - line), line);
    }
    sprintf(to, "}\n");
    machine.memories = 1;
    machine.memory[0] = (px_memory){OUT, sizeof answer, (uint8_t *)answer};
    memcpy(machine.param[0], &at, sizeof at);
    px_run(&machine, kernel, ADDRESSES, 1, 1);
    if (*machine.fault) fail_msg("%s\n%s", machine.fault, kernel);
    for (uint32_t t = 0; t < ADDRESSES; t++) assert_int_equal(answer[t], t % s->bytes == 0);
}

static void asked(zlay_ctx *ctx, const subject *s)
{
    asked_on_host(ctx, s, ZLAY_TEXT_CUDA);
    asked_in_model(ctx, s);
}

static void shared_memory_of_words_and_conversions(void **state)
{
    zlay_ctx *ctx = *state;
    zlay_layout *map = read_layout(ctx, "(2,32,2):(64,2,1)"), *src = read_layout(ctx, "f2{register: (1) (2) (256); lane: (4) (8) (16) (32) (64); warp: (128) -> t: 512}"),
                *dst = read_layout(ctx, "f2{register: (128) (64) (1); lane: (256) (2) (4) (8) (16); warp: (32) -> t: 512}");
    const zlay_slots slots = {.register_bits = 1, .lane_bits = 5, .warp_bits = 1};
    zlay_convert_request r = {.size = sizeof r, .elem_bits = 32, .src = src, .dst = dst};
    zlay_word *word = NULL;
    zlay_convert *plan = NULL;
    assert_int_equal(zlay_word_synth(ctx, &word, &slots, map), ZLAY_OK);
    assert_int_equal(zlay_convert_synth(ctx, &plan, target_of("sm_90a"), &r), ZLAY_OK);
    asked(ctx, &(subject){.word = word, .bytes = 4});
    asked(ctx, &(subject){.plan = plan, .bytes = 16});
    zlay_convert_free(plan);
    zlay_word_free(word);
    zlay_layout_free(map);
    zlay_layout_free(src);
    zlay_layout_free(dst);
}

/* Copies' two pointers, both of which each thread of the model asks about with one address; tests/emit/function/copy.c asks about the C. */
static void both_sides_of_copies(void **state)
{
    static const struct { uint64_t align[2]; uint32_t bits, bytes; } rows[] = {{{16, 4}, 16, 4}, {{16, 16}, 16, 16}, {{8, 16}, 64, 8}, {{2, 2}, 16, 2}};
    zlay_layout *a = read_layout(*state, "(8,64):(1,8)");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_copy_request r = {.size = sizeof r, .elem_bits = rows[i].bits, .path = ZLAY_PATH_THREADS, .source = {a, ZLAY_MOVE_GLOBAL, 0, rows[i].align[0]},
                               .dest = {a, ZLAY_MOVE_SHARED, 0, rows[i].align[1]}};
        zlay_move *move = NULL;
        if (zlay_copy_synth(*state, &move, target_of("sm_90a"), &r)) fail_msg("%s", zlay_ctx_message(*state));
        asked_in_model(*state, &(subject){.move = move, .bytes = rows[i].bytes});
        zlay_move_free(move);
    }
    zlay_layout_free(a);
}

static void none_without_pointers(void **state)
{
    zlay_ctx *ctx = *state;
    zlay_layout *map = read_layout(ctx, "(2,2,16):(2,1,4)");
    const zlay_slots slots = {.register_bits = 1, .lane_bits = 5};
    zlay_word *word = NULL;
    assert_int_equal(zlay_word_synth(ctx, &word, &slots, map), ZLAY_OK);
    print_one(ctx, &(subject){.word = word}, ZLAY_TEXT_CUDA);
    assert_null(strstr(text, "aligned("));
    zlay_word_free(word);
    zlay_layout_free(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_memory_of_words_and_conversions),
        cmocka_unit_test(both_sides_of_copies),
        cmocka_unit_test(none_without_pointers),
    };
    return cmocka_run_group_tests_name("checks of alignment", tests, begin, end);
}
