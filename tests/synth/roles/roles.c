/* SPDX-License-Identifier: Apache-2.0 */
/* Tile programs and their pipes: the one by hand, the four of the examples with the roles that are found, proofs, kernels, pipes
 * that are broken on purpose, what is refused and why, and memory that ends. tests/synth/roles/values.c executes such pipes. */
#define _POSIX_C_SOURCE 200809L
#include "assembler.h"
#include "ctx.h"
#include "heap.h"

#include <stdio.h>

enum { TEXT = 1 << 17, KERNEL = 1 << 20 };

static char program[TEXT], text[TEXT], changed[TEXT], proof[TEXT * 8], kernel[KERNEL];

static void read_file(const char *name)
{
    FILE *file = fopen(name, "r");
    assert_non_null(file);
    size_t length = fread(program, 1, sizeof program - 1, file);
    fclose(file);
    program[length] = 0;
}

static zlay_roles *made(zlay_ctx *ctx, const char *target)
{
    zlay_roles *roles;
    zlay_buf out = {text, sizeof text, 0};
    if (zlay_roles_synth(ctx, &roles, target_of(target), program, strlen(program))) fail_msg("%s", zlay_ctx_message(ctx));
    assert_int_equal(zlay_pipe_print(&out, zlay_roles_pipe(roles)), ZLAY_OK);
    return roles;
}

/* ---- by hand ------------------------------------------------------------------------------------- */

/* The program of zlay/roles.h. */
static void by_hand(void **state)
{
    static const char hand[] = "tiles product\nloop N 1..\nshared A 8192\nshared B 8192\nshared D 16384\nloop\n"
                               "  copy tensor 8192 -> A : cycles 100 latency 600\n  copy tensor 8192 -> B : cycles 100 latency 600\n"
                               "  mma A, B -> C fresh first : cycles 128 latency 200\nafter\n  write D from C\n  store D 16384\n";
    static const char *const lines[] = {"smem A[5] 8192", "bar A_full0[5] count 1", "bar A_read1[5] count 4", "role loads warps 0..3 elect", "role computes warps 4..7",
                                        "expect A_full0[i % 5] 16384", "mma A[0], B[0] -> C fresh", "store D[0] 16384"};
    zlay_roles_summary info;
    zlay_role role;
    strcpy(program, hand);
    zlay_roles *roles = made(*state, "sm_90a");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (!strstr(text, lines[i])) fail_msg("no '%s'", lines[i]);
    assert_int_equal(zlay_roles_info(&info, roles), ZLAY_OK);
    assert_int_equal(info.interval, 200);
    assert_int_equal(info.bound, 200);
    assert_int_equal(info.roles, 2);
    assert_int_equal(info.warps, 8);
    assert_int_equal(info.smem, 5 * 16384 + 16384);
    assert_int_equal(zlay_roles_nth(&role, roles, 0), ZLAY_OK);
    assert_int_equal(role.kind, ZLAY_ROLE_LOADS);
    assert_int_equal(role.operations, 2);
    assert_int_equal(zlay_roles_nth(&role, roles, 1), ZLAY_OK);
    assert_int_equal(role.kind, ZLAY_ROLE_COMPUTES);
    assert_int_equal(zlay_roles_nth(&role, roles, 2), ZLAY_NONE);
    zlay_roles_free(roles);
}

/* ---- the examples --------------------------------------------------------------------------------- */

typedef struct known {
    const char *file, *target;
    uint32_t roles, warps, interval;
    const char *lines[8]; /* of the pipe */
    const char *d;        /* how D lies; NULL: emit/attention/roles_run has the kernel */
} known;

static const known examples[] = {
    {"examples/gemm.tiles", "sm_90a", 2, 8, 200, {"role loads warps 0..3 elect", "role computes warps 4..7", "setmaxnreg dec 24"}, "(64,64):(64,1)"},
    {"examples/blackwell_gemm.tiles", "sm_100a", 4, 8, 200, {"role loads warps 0..0 elect", "role products warps 1..1 elect", "role computes warps 4..7", "role stores warps 2..2", "dealloc T"}, "(128,(64,2)):(64,(1,8192))"},
    {"examples/attention.tiles", "sm_90a", 2, 12, 2048,
     {"role loads warps 0..3 elect", "role computes warps 4..11 each 4", "sync named 2 + instance 256", "join named 3 - instance 256",
      "mma Q1[0], K1[i % 2] -> S\n    commit wgmma\n    wait V_full0[(i-1) % 2] parity (i-1) / 2 % 2\n    fence wgmma\n    mma P, V[(i-1) % 2] -> O", "waitgroup wgmma 1"}, NULL},
    {"examples/blackwell_attention.tiles", "sm_100a", 6, 16, 1024,
     {"role loads warps 0..0 elect", "role products warps 1..1 elect", "role computes0 warps 4..7", "role computes1 warps 8..11", "role computes2 warps 12..15", "role stores warps 2..2"}, "(128,64):(64,1)"},
};

static void proved(zlay_ctx *ctx, const zlay_pipe *pipe)
{
    zlay_answer answer;
    size_t count;
    zlay_buf out = {proof, sizeof proof, 0};
    assert_int_equal(zlay_pipe_verify(ctx, &answer, NULL, 0, &count, &out, pipe), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
    assert_int_equal(zlay_pipe_recheck(ctx, &answer, pipe, proof, out.need), ZLAY_OK);
    if (answer != ZLAY_YES) fail_msg("%s", zlay_ctx_message(ctx));
}

static void finds_roles(void **state)
{
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const known *k = &examples[i];
        zlay_roles_summary info;
        read_file(k->file);
        zlay_roles *roles = made(*state, k->target);
        assert_int_equal(zlay_roles_info(&info, roles), ZLAY_OK);
        if (info.roles != k->roles || info.warps != k->warps || info.interval != k->interval || info.bound != k->interval)
            fail_msg("%s: %u roles, %u warps, interval %llu, bound %llu", k->file, info.roles, info.warps, (unsigned long long)info.interval, (unsigned long long)info.bound);
        for (size_t l = 0; l < 8 && k->lines[l]; l++)
            if (!strstr(text, k->lines[l])) fail_msg("%s: no '%s' in\n%s", k->file, k->lines[l], text);
        proved(*state, zlay_roles_pipe(roles));
        zlay_roles_free(roles);
    }
}

/* Who computes what: each softmax has a warpgroup, and one corrects the sums of both. */
static void corrects_apart(void **state)
{
    read_file("examples/blackwell_attention.tiles");
    zlay_roles *roles = made(*state, "sm_100a");
    char *first = strstr(text, "role computes0"), *second = strstr(text, "role computes1"), *third = strstr(text, "role computes2");
    assert_true(first && second && third && first < second && second < third);
    char *softmax = strstr(first, "S_0, m_0, l_0, a_0 body softmax"), *other = strstr(second, "S_1, m_1, l_1, a_1 body softmax");
    assert_true(softmax && softmax < second && other && other < third);
    assert_null(strstr(third, "body softmax"));
    assert_true(strstr(first, "body rescale") > third);
    assert_non_null(strstr(third, "U0_0 body rescale reads A_0"));
    assert_non_null(strstr(third, "U1_1 body rescale reads A_1"));
    zlay_roles_free(roles);
}

/* Puts one text in the place of another, each time that it stands in the program. */
static void replace(const char *old, const char *with)
{
    changed[0] = 0;
    for (char *at = program, *next; *at; at = next + strlen(old)) {
        next = strstr(at, old);
        strncat(changed, at, next ? (size_t)(next - at) : strlen(at));
        if (!next) break;
        strcat(changed, with);
    }
    memcpy(program, changed, sizeof program);
}

/* The product with the values starts only when the tensor core has computed the scores. It is issued right behind them all the same,
 * so that the softmax runs beside it. But scores are not issued behind an earlier product that starts before them: their registers
 * would be taken beside those of its weights. */
static void products_queue(void **state)
{
    read_file("examples/attention.tiles");
    replace("cycles 512 latency 640", "cycles 704 latency 640");
    replace("cycles 900", "cycles 1400");
    zlay_roles *roles = made(*state, "sm_90a");
    assert_non_null(strstr(text, "-> S\n    commit wgmma\n    wait V_full0[(i-1) % 2] parity (i-1) / 2 % 2\n    fence wgmma\n    mma P, V[(i-1) % 2] -> O"));
    zlay_roles_free(roles);
    replace("instances 2", "instances 3");
    replace("cycles 704", "cycles 448");
    replace("cycles 1400", "cycles 800");
    roles = made(*state, "sm_90a");
    assert_null(strstr(text, "waitgroup wgmma 1"));
    zlay_roles_free(roles);
}

static zlay_pipe_operand operand_of(const char *smem, int32_t type, int32_t swizzle, const zlay_layout *layout)
{
    return (zlay_pipe_operand){.smem = smem, .type = type, .major = ZLAY_MAJOR_K, .swizzle = swizzle, .layout = layout};
}

static void prints_kernels(void **state)
{
    static const char *const rows[] = {"A_0", "A_1", "L_0", "L_1"}, *const tiles[] = {"D", "D_0", "D_1"};
    need_assembler();
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const known *k = &examples[i];
        zlay_pipe_operand list[6];
        uint32_t count = 0;
        if (!k->d) continue;
        read_file(k->file);
        zlay_roles *roles = made(*state, k->target);
        zlay_layout *row = read_layout(*state, "(128,1):(1,0)"), *tile = read_layout(*state, k->d);
        bool attention = strstr(text, "smem D_0") != NULL;
        for (int r = 0; r < 4 && attention; r++) list[count++] = operand_of(rows[r], ZLAY_TYPE_F32, ZLAY_SWIZZLE_NONE, row);
        for (int t = attention; t < (attention ? 3 : 1); t++) list[count++] = operand_of(tiles[t], ZLAY_TYPE_BF16, ZLAY_SWIZZLE_128B, tile);
        zlay_pipe_emit ask = {.size = sizeof ask, .target = target_of(k->target), .pipe = zlay_roles_pipe(roles), .name = "kernel", .name_length = 6, .operands = list, .operands_count = count};
        zlay_buf out = {kernel, sizeof kernel, 0};
        if (zlay_emit_pipe(*state, &out, NULL, NULL, 0, &ask)) fail_msg("%s: %s", k->file, zlay_ctx_message(*state));
        assert_true(assembles(k->target, kernel));
        zlay_layout_free(row);
        zlay_layout_free(tile);
        zlay_roles_free(roles);
    }
}

/* ---- broken on purpose -------------------------------------------------------------------------------- */

static bool is_right(zlay_ctx *ctx)
{
    zlay_pipe *pipe;
    zlay_answer answer = ZLAY_NO;
    size_t count;
    if (zlay_pipe_parse(ctx, &pipe, changed, strlen(changed))) fail_msg("%s", zlay_ctx_message(ctx));
    assert_int_equal(zlay_pipe_verify(ctx, &answer, NULL, 0, &count, NULL, pipe), ZLAY_OK);
    zlay_pipe_free(pipe);
    return answer == ZLAY_YES;
}

/* Leaves the line at `at` out, or puts 1 to the number at its end. */
static void change(const char *at, bool count)
{
    size_t before = (size_t)(at - text), length = strcspn(at, "\n");
    memcpy(changed, text, before);
    if (!count) {
        strcpy(changed + before, at + length + 1);
        return;
    }
    const char *number = at + length;
    while (number[-1] >= '0' && number[-1] <= '9') number--;
    snprintf(changed + before, sizeof changed - before, "%.*s%d%s", (int)(number - at), at, atoi(number) + 1, at + length);
}

static void broken(zlay_ctx *ctx, const char *word, bool count)
{
    for (const char *at = text; (at = strstr(at, word)); at += strcspn(at, "\n")) {
        if (memchr(at, 'N', strcspn(at, "\n"))) continue; /* nobody waits for what the last iteration frees */
        change(at, count);
        if (is_right(ctx)) fail_msg("right though changed: %.*s", (int)strcspn(at, "\n"), at);
    }
}

/* Each barrier's count, each arrival, each wait for what is full, and each turn. */
static void needs_its_barriers(void **state)
{
    for (size_t i = 0; i < 3; i++) {
        read_file(examples[i].file);
        zlay_roles *roles = made(*state, examples[i].target);
        broken(*state, "bar ", true);
        broken(*state, "arrive ", false);
        broken(*state, "wait K0_full", false);
        broken(*state, "wait A_", false);
        broken(*state, "wait V_", false);
        broken(*state, "join named", false);
        broken(*state, "sync named 2 +", false);
        broken(*state, "waitgroup wgmma 0", false);
        zlay_roles_free(roles);
    }
}

/* ---- what is refused ------------------------------------------------------------------------------------ */

#define R60 "rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr"
#define HEAD "tiles x\nloop N 1..\nshared A 8192\nshared B 8192\nshared D 16384\n"
#define COPIES "copy tensor 8192 -> A\ncopy tensor 8192 -> B\n"
#define TAIL "after\nwrite D from C\nstore D 16384\n"

static const struct refused {
    const char *target, *program;
    zlay_status status;
    const char *message;
} refusals[] = {
    {"sm_90a", "", ZLAY_EINVAL, "no name"},
    {"sm_90a", "tiles x\n", ZLAY_EINVAL, "no param"},
    {"sm_90a", "tiles x\nloop N\n", ZLAY_EINVAL, "line 2: expected LEAST.."},
    {"sm_90a", "tiles x\nloop N 1..\n", ZLAY_EINVAL, "no operation"},
    {"sm_90a", "tiles x\nloop N 1..\nloop M 1..\n", ZLAY_EINVAL, "line 3: a program has one loop"},
    {"sm_90a", "tiles x\nfoo\n", ZLAY_EINVAL, "foo"},
    {"sm_90a", "tiles x\nshared A 0\n", ZLAY_EINVAL, "bytes are from 1"},
    {"sm_90a", "tiles x\nshared A t\n", ZLAY_EINVAL, "sum of numbers and moves"},
    {"sm_90a", "tiles x\nshared A 8\nshared A 8\n", ZLAY_EINVAL, "line 3: two values have one name"},
    {"sm_90a", "tiles x\nshared A 8 stages 0\n", ZLAY_EINVAL, "from 1 to 32"},
    {"sm_90a", "tiles x\nshared A 8\ninstances 2\n", ZLAY_EINVAL, "instances stand before values"},
    {"sm_90a", "tiles x\nbody f\n", ZLAY_EINVAL, "a body has no end"},
    {"sm_90a", HEAD "loop\ncopy tensor 16 -> A\n", ZLAY_EINVAL, "line 7: a copy fills its whole stage"},
    {"sm_90a", HEAD "loop\ncopy tensor 8192 -> X\n", ZLAY_EINVAL, "'X' is no value"},
    {"sm_90a", HEAD "loop\nmove A\n", ZLAY_EINVAL, "expected copy, mma"},
    {"sm_90a", HEAD "loop\nmma A, B -> D fresh\n", ZLAY_EINVAL, "'D' is in shared memory"},
    {"sm_90a", HEAD "loop\n" COPIES "mma A, B -> C\n" TAIL, ZLAY_EINVAL, "line 9: nothing begins the sum of 'C'"},
    {"sm_90a", HEAD "loop\n" COPIES "mma A, A -> C fresh first\n" TAIL, ZLAY_EINVAL, "line 4: nothing reads 'B'"},
    {"sm_90a", HEAD "loop\ncopy tensor 8192 -> A\nmma A, B -> C fresh first\n" TAIL, ZLAY_EINVAL, "line 4: nothing writes 'B'"},
    {"sm_90a", HEAD "loop\n" COPIES "mma A, B -> C fresh first : cycles x\n" TAIL, ZLAY_EINVAL, "line 9: expected a number"},
    {"sm_90a", HEAD "loop\n" COPIES "mma A, B -> C fresh first : at 5\n" TAIL, ZLAY_EINVAL, "it has no `at`"},
    {"sm_90a", HEAD "interval 9\nloop\ncopy tensor 8192 -> A : at 0 latency 5\ncopy tensor 8192 -> B : at 0 latency 9\nmma A, B -> C fresh first : at 8\n" TAIL, ZLAY_NONE,
     "line 10 starts at 8 and waits for line 9 until 9"},
    {"sm_90a", HEAD "interval 9\nloop\n" COPIES "mma A, B -> C fresh first : cycles 10\n" TAIL, ZLAY_NONE, "at least 10"},
    {"sm_90a", "tiles x\nloop N 0..\nshared A 8192\nshared B 8192\nshared D 16384\nloop\n" COPIES "mma A, B -> C fresh first\n" TAIL, ZLAY_NONE, "N is 1 or more"},
    {"sm_90a", "tiles x\nloop N 1..\nshared A 131072\nshared B 131072\nshared D 16384\nloop\ncopy tensor 131072 -> A\ncopy tensor 131072 -> B\nmma A, B -> C fresh first\n" TAIL, ZLAY_NONE,
     "shared memory: the stages take "},
    {"sm_100a", HEAD "tmem T 512\ntmem U 512\nloop\n" COPIES "mma A, B -> T fresh first\nmma A, B -> U fresh first\nafter\ntld T -> C\ntld U -> E\nuse C, E\nwrite D from C\nstore D 16384\n", ZLAY_NONE,
     "tensor memory: the stages take 1024 columns"},
    {"sm_80", HEAD "loop\n" COPIES "mma A, B -> C fresh first\n" TAIL, ZLAY_ENOTSUP, "sm_80 has neither"},
    {"sm_90a", HEAD "loop\n" COPIES "mma A, B -> C fresh\n" TAIL, ZLAY_ENOTSUP, "line 9: the pipe of these operations would break the rule stage at 'mma A"},
    {"sm_90a", HEAD "loop\n" COPIES "mma A, B -> C fresh\n" TAIL, ZLAY_ENOTSUP, "that is when an index of a ring"},
    {"sm_90a", HEAD "loop\n" COPIES "mma A, B -> C fresh first\nafter\nuse C body f\nwrite D from C\nstore D 16384\n", ZLAY_EINVAL, "line 11: in the pipe of the program: no such body in"},
    {"sm_90a", HEAD "body f\nmatrix C f32\nC = bf17(C)\nend\nloop\n" COPIES "mma A, B -> C fresh first\n" TAIL, ZLAY_EINVAL, "line 8: in the pipe of the program: there is no 'bf17'"},
    {"sm_90a", "tiles x\nloop N 5..3\nshared A 8192\nshared D 16384\nloop\ncopy tensor 8192 -> A\nmma A, A -> C fresh first\n" TAIL, ZLAY_EINVAL, "line 2: in the pipe of the program: a number is out of range"},
    {"sm_90a", "tiles x\nloop N 1..\nmove t 8192\nmove t 8192\nshared A t\nshared D 16384\nloop\ncopy tensor t -> A\nmma A, A -> C fresh first\n" TAIL, ZLAY_EINVAL, "line 4: in the pipe of the program: a name is used twice"},
    {"sm_90a", HEAD "loop\ncopy tensor 8192 -> A\ncopy tensor 8192 -> B\nmma A, B -> C fresh first\nafter\nwrite D from C\nstore D 4096\n", ZLAY_ENOTSUP, "line 12: the pipe of these operations would break the rule bytes at 'store D[0] 4096'"},
    {"sm_90a", HEAD "loop\ncopy tensor 8192 -> B\nmma A, B -> C fresh first\n" TAIL "copy tensor 8192 -> A\n", ZLAY_EINVAL, "line 12: nothing reads what it copies into 'A'"},
    {"sm_90a", "tiles x\nloop i 1..\n", ZLAY_EINVAL, "line 2: 'i' is a name that the pipe gives"},
    {"sm_90a", "tiles x\nloop j 1..\n", ZLAY_EINVAL, "line 2: 'j' is a name that the pipe gives"},
    {"sm_90a", "tiles x\nloop N 1..\nshared loads 16\n", ZLAY_EINVAL, "line 3: 'loads' is a name that the pipe gives"},
    {"sm_90a", "tiles x\nloop N 1..\nshared computes12 16\n", ZLAY_EINVAL, "line 3: 'computes12' is a name that the pipe gives"},
    {"sm_100a", "tiles x\nloop N 1..\ntmem tmem_over 32\n", ZLAY_EINVAL, "line 3: 'tmem_over' is a name that the pipe gives"},
    {"sm_100a", "tiles x\nloop N 1..\ntmem T 96\n", ZLAY_EINVAL, "line 3: columns are a power of two"},
    {"sm_90a", "tiles x\nloop N 1..\ntmem T 32\n", ZLAY_EINVAL, "line 3: the target has no tensor memory"},
    {"sm_90a", "tiles x\nloop N 1..\ninstances 2\nshared A 8192 each\nloop\ncopy tensor 8192 -> A\n", ZLAY_ENOTSUP, "line 6: one thread copies for all instances, and each has its own 'A'"},
    {"sm_90a", HEAD "loop\n" COPIES "mma A, B -> C fresh first\nafter\nuse C at i, N\n", ZLAY_EINVAL, "line 11: `i` is an iteration of the loop"},
    {"sm_100a", "tiles x\nloop N 1..\ninstances 2\nshared A 8192\nshared D 8192 each\ntmem T 32 each\nloop\ncopy tensor 8192 -> A\nmma A, A -> T fresh first\nafter\ntld T -> " R60 "a\ntld T -> " R60
                "b\nuse " R60 "b\nwrite D from " R60 "a\nstore D 8192\n", ZLAY_EINVAL, "line 11: each instance has its own '" R60 "a', whose name has at most 60 letters"},
    {"sm_100a", "tiles x\nloop N 1..\ninstances 2\nshared " R60 "a 8192 each\n", ZLAY_EINVAL, "line 4: each instance has its own"},
};

/* ---- what is made -------------------------------------------------------------------------------------- */

#define STREAM "tiles x\nloop N 2..\nshared A 8192\nshared B 8192\nshared D 8192\n"
#define STREAMED "before\ncopy tensor 8192 -> B\nloop\ncopy tensor 8192 -> A : cycles 50 latency 300\nmma A, B -> T fresh : cycles 60 latency 100\n"
#define TWICE "tiles x\nloop N 2..\nshared A 8192\nshared B 8192\nshared D 8192 stages 1\nbefore\ncopy tensor 8192 -> B\nloop\n"

/* Programs that have a pipe, and a line of it. */
static const struct made {
    const char *target, *program, *line;
} makes[] = {
    /* Two products of one time: the wait stands before the one that begins first. */
    {"sm_90a",
     "tiles x\nloop N 5..\nshared K 8192 stages 1\nshared L 8192\nshared D 8192\nbefore\nuse O, P\nloop\ncopy bulk 8192 -> K : cycles 54 latency 159\ncopy bulk 8192 -> L : cycles 133\n"
     "mma P, K -> O : cycles 82 latency 80\nmma K, L + K, K -> S fresh : latency 180\nuse S, P : latency 169\nafter\nwrite D from O\nstore D 8192\n",
     "role computes"},
    /* Tiles that are stored in the loop: stores of the other stages may still read. */
    {"sm_90a", STREAM STREAMED "write D from T : cycles 30\nstore D 8192 : cycles 90 latency 300\n", "waitgroup bulk.read 2\n    sync role\n    write D[i % 3] from T"},
    {"sm_100a", STREAM "tmem T 32\n" STREAMED "tld T -> C : cycles 20\nwrite D from C : cycles 30\nstore D 8192 : cycles 90 latency 300\n",
     "waitgroup bulk.read 0\n    sync role\n    arrive D_read1"},
    /* Tensor memory has room for two stages, not for the four that the times want; a ring has at most 64. */
    {"sm_100a", STREAM "tmem T 256\n" STREAMED "tld T -> C : cycles 20 latency 300\nwrite D from C : cycles 30\nstore D 8192 : cycles 90 latency 300\n", "tmem T[2] 256"},
    {"sm_90a", "tiles x\nloop N 9..\nshared A 512\nshared D 512\nloop\ncopy bulk 512 -> A : cycles 10 latency 2000\nmma A, A -> C fresh first : cycles 10\nafter\nwrite D from C\nstore D 512\n", "smem A[64] 512"},
    /* Two roles write one stage, and one of them stores it for both. */
    {"sm_90a",
     TWICE "copy tensor 8192 -> A : cycles 50 latency 300\nmma B, B -> C fresh : cycles 60 latency 100\nwrite D from C : cycles 30\nstore D 8192 : cycles 20\n"
           "mma A, B -> S fresh : cycles 60 latency 100\nwrite D from S : cycles 30\nstore D 8192 : cycles 20\n",
     "waitgroup bulk.read 0\n    arrive D_full1"},
    /* A body at the end of the text, whose last line has no end. */
    {"sm_90a", STREAM STREAMED "use T, R body f : cycles 40\nwrite D from R : cycles 30\nstore D 8192 : cycles 90 latency 300\nbody f\nmatrix C f32\nmatrix R bf16\nR = bf16(C)\nend", "body f"},
    /* Times of any size take as long to find. */
    {"sm_90a", HEAD "loop\ncopy tensor 8192 -> A : cycles 1000000000\ncopy tensor 8192 -> B : cycles 1000000000\nmma A, B -> C fresh first : cycles 128 latency 200\n" TAIL, "role computes"},
    {"sm_100a",
     "tiles x\nloop N 2..\ninstances 2\nshared A 8192\nshared D 8192 each\ntmem T 32 each\nloop\ncopy tensor 8192 -> A : cycles 50\nmma A, A -> T fresh first : cycles 60\nafter\ntld T -> C\nuse C, " R60
     "\nwrite D from " R60 "\nstore D 8192\n",
     R60 "_1"},
};

static void makes_pipes(void **state)
{
    for (size_t i = 0; i < sizeof makes / sizeof *makes; i++) {
        strcpy(program, makes[i].program);
        zlay_roles *roles = made(*state, makes[i].target);
        if (!strstr(text, makes[i].line)) fail_msg("%zu: no '%s' in\n%s", i, makes[i].line, text);
        proved(*state, zlay_roles_pipe(roles));
        zlay_roles_free(roles);
    }
}

/* Where the stages that the times want do not fit, the interval is longer, and is not what is proved to be least. */
static void bounds_all_stages(void **state)
{
    zlay_roles_summary info;
    strcpy(program, "tiles x\nloop N 2..\nshared A 98304\nshared B 98304\nshared D 8192\nloop\ncopy tensor 98304 -> A : cycles 100 latency 600\ncopy tensor 98304 -> B : cycles 100 latency 600\n"
                    "mma A, B -> C fresh first : cycles 128 latency 200\nafter\nwrite D from C\nstore D 8192\n");
    zlay_roles *roles = made(*state, "sm_90a");
    assert_int_equal(zlay_roles_info(&info, roles), ZLAY_OK);
    assert_true(info.interval == 900 && info.bound == 200 && info.smem == 204800);
    zlay_roles_free(roles);
    replace("loop N", "interval 400\nloop N");
    assert_int_equal(zlay_roles_synth(*state, &roles, target_of("sm_90a"), program, strlen(program)), ZLAY_NONE);
    assert_non_null(strstr(zlay_ctx_message(*state), "shared memory: the stages take 598016 bytes, and a block has 232448"));
}

static void refuses(void **state)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const struct refused *r = &refusals[i];
        zlay_roles *roles = (zlay_roles *)state;
        zlay_status status = zlay_roles_synth(*state, &roles, target_of(r->target), r->program, strlen(r->program));
        if (status != r->status || roles || !strstr(zlay_ctx_message(*state), r->message))
            fail_msg("%zu: %s, '%s', not '%s'", i, zlay_status_name(status), zlay_ctx_message(*state), r->message);
    }
    zlay_roles *roles;
    zlay_roles_summary info;
    zlay_role role;
    assert_int_equal(zlay_roles_synth(NULL, &roles, target_of("sm_90a"), "", 0), ZLAY_EINVAL);
    assert_int_equal(zlay_roles_synth(*state, NULL, target_of("sm_90a"), "", 0), ZLAY_EINVAL);
    assert_int_equal(zlay_roles_synth(*state, &roles, NULL, "", 0), ZLAY_EINVAL);
    assert_int_equal(zlay_roles_info(&info, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_roles_nth(&role, NULL, 0), ZLAY_EINVAL);
    assert_null(zlay_roles_pipe(NULL));
    zlay_roles_free(NULL);
}

/* Every prefix of a program is read, or refused. */
static void reads_prefixes(void **state)
{
    read_file("examples/attention.tiles");
    for (size_t length = 0; length <= strlen(program); length += 7) {
        zlay_roles *roles;
        zlay_status status = zlay_roles_synth(*state, &roles, target_of("sm_90a"), program, length);
        assert_true(status != ZLAY_EINTERNAL);
        if (!status) zlay_roles_free(roles);
    }
}

/* The program in `text` with line `from` moved to where line `to` is. */
static void move_line(int from, int to)
{
    const char *lines[128];
    int count = 0;
    for (const char *at = text; *at; at += strcspn(at, "\n") + 1) lines[count++] = at;
    program[0] = 0;
    for (int i = 0, next = 0; i < count; i++) {
        if (next == from) next++;
        const char *line = i == to ? lines[from] : lines[next++];
        strncat(program, line, strcspn(line, "\n") + 1);
    }
}

/* With any line in the place of any other a program is refused, or has a proved pipe. */
static void moves_lines(void **state)
{
    static const char *const files[] = {"examples/gemm.tiles", "examples/blackwell_gemm.tiles"};
    int answered = 0;
    for (int x = 0; x < 2; x++) {
        static char whole[TEXT];
        int count = 0;
        read_file(files[x]);
        strcpy(whole, program);
        for (const char *at = whole; *at; at++) count += *at == '\n';
        for (int i = 0; i < count * count; i++) {
            zlay_roles *roles;
            strcpy(text, whole);
            move_line(i / count, i % count);
            zlay_status status = zlay_roles_synth(*state, &roles, target_of(x ? "sm_100a" : "sm_90a"), program, strlen(program));
            assert_true(status != ZLAY_EINTERNAL);
            if (!status) proved(*state, zlay_roles_pipe(roles)), zlay_roles_free(roles), answered++;
        }
    }
    assert_true(answered > 50);
}

static zlay_status work(zlay_ctx *ctx, void *given)
{
    zlay_roles *roles = NULL;
    zlay_status status = zlay_roles_synth(ctx, &roles, target_of(given), program, strlen(program));
    zlay_roles_free(roles);
    return status;
}

static void memory_ends(void **state)
{
    heap h;
    zlay_ctx *ctx = heap_open(&h, NULL);
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char target[8];
        read_file(examples[i].file);
        snprintf(target, sizeof target, "%s", examples[i].target);
        assert_int_equal(heap_fails_each(&h, ctx, work, target), ZLAY_OK);
    }
    heap_close(&h, ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),          cmocka_unit_test(finds_roles), cmocka_unit_test(corrects_apart), cmocka_unit_test(products_queue), cmocka_unit_test(prints_kernels),
        cmocka_unit_test(needs_its_barriers), cmocka_unit_test(makes_pipes), cmocka_unit_test(bounds_all_stages), cmocka_unit_test(refuses),   cmocka_unit_test(reads_prefixes), cmocka_unit_test(moves_lines), cmocka_unit_test(memory_ends),
    };
    return cmocka_run_group_tests_name("synth/roles/roles", tests, begin, end);
}
