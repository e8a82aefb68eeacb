/* SPDX-License-Identifier: Apache-2.0 */
/* One thread of a kernel's PTX, executed: integers are computed, barriers let it pass, and what
 * reaches memory, barriers or matrix instructions is shown to the test. An instruction that it does
 * not know fails the test. */
#ifndef TEST_PTX_H
#define TEST_PTX_H

#include "test.h"

#include <string.h>

enum { PTX_NAMES = 8192, PTX_STEPS = 50000000 };

typedef struct ptx_line {
    char *op;
    int kind;  /* index into ptx_ops; -1 a label */
    int guard; /* name, or -1 */
    int negated;
    int first, count; /* arguments, in ptx_program.args */
    int target;       /* line of a branch */
} ptx_line;

typedef struct ptx_program {
    char *text;
    ptx_line *lines;
    int lines_count, *args, args_count;
    char *names[PTX_NAMES];    /* hashed; NULL where none is */
    uint64_t first[PTX_NAMES]; /* values at the start: numbers and parameters */
} ptx_program;

/* What a test sees: the instruction, its values; registers by name through ptx_value. */
typedef struct ptx_run {
    const ptx_program *program;
    const ptx_line *line;
    uint64_t value[PTX_NAMES];
    void *test;
} ptx_run;

typedef void ptx_see(ptx_run *run);

static inline int ptx_place(const ptx_program *p, const char *text, size_t length)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    uint32_t at = hash % PTX_NAMES;
    for (int tries = 0; p->names[at]; at = (at + 1) % PTX_NAMES) {
        if (strlen(p->names[at]) == length && !memcmp(p->names[at], text, length)) break;
        if (++tries == PTX_NAMES) fail_msg("too many names");
    }
    return (int)at;
}

static inline char *ptx_copy(const char *text, size_t length)
{
    char *copy = calloc(1, length + 1);
    assert_non_null(copy);
    return memcpy(copy, text, length);
}

static inline int ptx_name(ptx_program *p, const char *text, size_t length)
{
    int at = ptx_place(p, text, length);
    if (p->names[at]) return at;
    p->names[at] = ptx_copy(text, length);
    if (strchr("-0123456789", text[0])) p->first[at] = strtoull(text, NULL, 0);
    return at;
}

static inline void ptx_set(ptx_program *p, const char *name, uint64_t value)
{
    p->first[ptx_name(p, name, strlen(name))] = value;
}

static inline uint64_t ptx_value(const ptx_run *run, const char *name)
{
    int at = ptx_place(run->program, name, strlen(name));
    if (!run->program->names[at]) fail_msg("no register %s", name);
    return run->value[at];
}

static inline uint64_t ptx_arg(const ptx_run *run, int i)
{
    assert_true(i < run->line->count);
    return run->value[run->program->args[run->line->first + i]];
}

/* ---- instructions ---------------------------------------------------------- */

typedef enum ptx_act {
    PTX_SKIP,
    PTX_SHOW,
    PTX_MOVE,
    PTX_JOIN,
    PTX_ADD,
    PTX_SUB,
    PTX_MUL,
    PTX_MAD,
    PTX_MAD64,
    PTX_DIV,
    PTX_REM,
    PTX_AND,
    PTX_XOR,
    PTX_SHL,
    PTX_SHR,
    PTX_MIN_U,
    PTX_MIN_S,
    PTX_MAX_S,
    PTX_LT_U,
    PTX_LT_S,
    PTX_GE_U,
    PTX_GE_S,
    PTX_GT_S,
    PTX_EQ,
    PTX_SELECT,
    PTX_ADD64,
    PTX_PACK,
    PTX_TRUE,
    PTX_ELECT,
    PTX_BRANCH,
    PTX_RETURN,
    PTX_LOAD
} ptx_act;

/* A load's register receives the address that it reads, as a tag. */
static const struct {
    const char *op;
    ptx_act act;
} ptx_ops[] = { /* the one shuffle gives a warp's number to its threads, which have it */
    {"{", PTX_SKIP}, {"}", PTX_SKIP}, {".reg", PTX_SKIP}, {"//", PTX_SKIP}, {"elect.sync", PTX_ELECT}, {"prefetch.tensormap", PTX_SKIP},
    {"bar.sync", PTX_SHOW}, {"setmaxnreg", PTX_SKIP}, {"mov.b64", PTX_JOIN}, {"mov.", PTX_MOVE},
    {"cvta.", PTX_MOVE}, {"shfl.sync.idx.b32 warp, warp, 0,", PTX_MOVE}, {"cvt.u64.u32", PTX_MOVE}, {"ld.param.u64", PTX_MOVE},
    {"add.u64", PTX_ADD64}, {"add.", PTX_ADD}, {"sub.", PTX_SUB}, {"mul.lo.u32", PTX_MUL},
    {"mad.lo.u64", PTX_MAD64}, {"mad.wide.u32", PTX_MAD64}, {"mad.lo.", PTX_MAD},
    {"div.u32", PTX_DIV}, {"rem.u32", PTX_REM}, {"and.", PTX_AND}, {"xor.b32", PTX_XOR},
    {"shl.b32", PTX_SHL}, {"shr.u32", PTX_SHR}, {"min.u32", PTX_MIN_U}, {"min.s32", PTX_MIN_S},
    {"max.s32", PTX_MAX_S}, {"setp.lt.u32", PTX_LT_U}, {"setp.lt.s32", PTX_LT_S},
    {"setp.ge.u32", PTX_GE_U}, {"setp.ge.s32", PTX_GE_S}, {"setp.gt.s32", PTX_GT_S}, {"setp.eq.u32", PTX_EQ},
    {"selp.b32", PTX_SELECT}, {"cvt.rn.bf16x2.f32", PTX_PACK}, {"bra", PTX_BRANCH},
    {"ret", PTX_RETURN}, {"ld.shared.", PTX_LOAD}, {"ld.global.", PTX_LOAD},
    {"mbarrier.try_wait", PTX_TRUE}, {"mbarrier.", PTX_SHOW}, {"fence.", PTX_SHOW},
    {"cp.async", PTX_SHOW}, {"wgmma.", PTX_SHOW}, {"stmatrix.", PTX_SHOW}, {"st.shared.", PTX_SHOW},
    {"st.global.", PTX_SHOW}};

static inline int ptx_kind(const char *op)
{
    for (size_t i = 0; i < sizeof ptx_ops / sizeof ptx_ops[0]; i++) {
        size_t length = strlen(ptx_ops[i].op);
        if (!strncmp(op, ptx_ops[i].op, length)) return (int)i;
    }
    return strncmp(op, "trap", 4) ? -2 : -3;
}

static inline uint64_t ptx_compute(const ptx_run *r, ptx_act act)
{
    uint64_t wide = r->line->count > 1 ? ptx_arg(r, 1) : 0;
    uint32_t a = (uint32_t)wide, b = r->line->count > 2 ? (uint32_t)ptx_arg(r, 2) : 0;
    uint32_t c = r->line->count > 3 ? (uint32_t)ptx_arg(r, 3) : 0;
    switch (act) {
    case PTX_MOVE:
        return wide;
    case PTX_JOIN:
        return r->line->count == 2 ? wide : a | (uint64_t)b << 32;
    case PTX_ADD:
        return (uint32_t)(a + b);
    case PTX_SUB:
        return (uint32_t)(a - b);
    case PTX_MUL:
        return (uint32_t)(a * b);
    case PTX_MAD:
        return (uint32_t)(a * b + c);
    case PTX_MAD64:
        return wide * ptx_arg(r, 2) + ptx_arg(r, 3);
    case PTX_ADD64:
        return wide + ptx_arg(r, 2);
    case PTX_DIV:
        return b ? a / b : UINT32_MAX;
    case PTX_REM:
        return b ? a % b : a;
    case PTX_AND:
        return a & b;
    case PTX_XOR:
        return a ^ b;
    case PTX_SHL:
        return (uint32_t)((uint64_t)a << b);
    case PTX_SHR:
        return a >> b;
    case PTX_MIN_U:
        return a < b ? a : b;
    case PTX_MIN_S:
        return (int32_t)a < (int32_t)b ? a : b;
    case PTX_MAX_S:
        return (int32_t)a > (int32_t)b ? a : b;
    case PTX_LT_U:
        return a < b;
    case PTX_LT_S:
        return (int32_t)a < (int32_t)b;
    case PTX_GE_U:
        return a >= b;
    case PTX_GE_S:
        return (int32_t)a >= (int32_t)b;
    case PTX_GT_S:
        return (int32_t)a > (int32_t)b;
    case PTX_EQ:
        return a == b;
    case PTX_SELECT:
        return c ? a : b;
    case PTX_PACK:
        return (uint32_t)(a << 16 | b);
    default:
        return 1;
    }
}

/* A vector's registers are the places one after the other. */
static inline void ptx_load(ptx_run *r)
{
    int last = r->line->count - 1;
    for (int i = 0; i < last; i++)
        r->value[r->program->args[r->line->first + i]] = ptx_arg(r, last) + (uint64_t)i * 4;
}

/* Execute until the kernel returns. */
static inline void ptx_execute(ptx_run *r, ptx_see *see)
{
    const ptx_program *p = r->program;
    int at = 0;
    for (long steps = 0; steps < PTX_STEPS; steps++) {
        const ptx_line *line = r->line = &p->lines[at++];
        if (line->kind == -1) continue;
        if (line->guard >= 0 && !r->value[line->guard] != !!line->negated) continue;
        assert_true(line->kind >= 0);
        ptx_act act = ptx_ops[line->kind].act;
        if (act == PTX_RETURN) return;
        if (act == PTX_SKIP) continue;
        if (act == PTX_SHOW || act == PTX_TRUE) see(r);
        if (act == PTX_SHOW) continue;
        if (act == PTX_BRANCH) at = line->target;
        else if (act == PTX_ELECT) r->value[p->args[line->first + 1]] = 1;
        else if (act == PTX_LOAD) ptx_load(r);
        else r->value[p->args[line->first]] = ptx_compute(r, act);
    }
    fail_msg("the kernel does not end");
}

static inline void ptx_thread(ptx_program *p, uint32_t thread, uint32_t block, uint32_t blocks,
                              ptx_see *see, void *test)
{
    ptx_run *run = calloc(1, sizeof *run);
    ptx_set(p, "%tid.x", thread);
    ptx_set(p, "%ctaid.x", block);
    ptx_set(p, "%nctaid.x", blocks);
    run->program = p;
    run->test = test;
    memcpy(run->value, p->first, sizeof run->value);
    ptx_execute(run, see);
    free(run);
}

/* ---- text -------------------------------------------------------------------- */

static inline void ptx_args(ptx_program *p, ptx_line *line, char *at)
{
    line->first = p->args_count;
    while (*(at += strspn(at, " ,;[]{}"))) {
        size_t length = strcspn(at, " ,;[]{}");
        p->args[p->args_count++] = ptx_name(p, at, length);
        at += length;
    }
    line->count = p->args_count - line->first;
}

static inline void ptx_read_instruction(ptx_program *p, char *text)
{
    text += strspn(text, " ");
    ptx_line *line = &p->lines[p->lines_count];
    *line = (ptx_line){.guard = -1, .target = -1, .kind = -1};
    size_t length = strlen(text);
    if (!length) return;
    p->lines_count++;
    line->op = text;
    if (text[length - 1] == ':') {
        text[length - 1] = 0;
        return;
    }
    if (*text == '@') {
        line->negated = text[1] == '!';
        text += 1 + line->negated;
        line->guard = ptx_name(p, text, strcspn(text, " "));
        text += strcspn(text, " ") + 1;
        line->op = text;
    }
    line->kind = ptx_kind(text);
    if (line->kind == -2) fail_msg("the test knows no \"%s\"", text);
    if (line->kind >= 0 && ptx_ops[line->kind].act != PTX_SKIP)
        ptx_args(p, line, text + strcspn(text, " ;"));
}

/* A line has one instruction, or two. */
static inline void ptx_read_line(ptx_program *p, char *text)
{
    char *second = strstr(text, "; ");
    if (second) *second = 0;
    ptx_read_instruction(p, text);
    if (second) ptx_read_instruction(p, second + 2);
}

/* A label of an inner block may stand in many; the one meant is the nearest. */
static inline int ptx_target(const ptx_program *p, int from)
{
    const char *name = p->names[p->args[p->lines[from].first]];
    for (int distance = 1; distance < p->lines_count; distance++)
        for (int way = -1; way <= 1; way += 2) {
            int at = from + way * distance;
            if (at >= 0 && at < p->lines_count && p->lines[at].kind == -1 &&
                !strcmp(p->lines[at].op, name))
                return at;
        }
    fail_msg("no label %s", name);
    return -1;
}

/* `text` is a kernel; the body between its outer braces is read. */
static inline ptx_program *ptx_parse(const char *text)
{
    ptx_program *p = calloc(1, sizeof *p);
    const char *body = strstr(text, "\n{\n") + 3;
    size_t length = strlen(body);
    p->text = ptx_copy(body, length);
    p->lines = calloc(length / 2, sizeof *p->lines);
    p->args = calloc(length, sizeof *p->args);
    char *rest = p->text;
    for (char *end; (end = strchr(rest, '\n')); rest = end + 1) {
        *end = 0;
        ptx_read_line(p, rest);
    }
    for (int i = 0; i < p->lines_count; i++)
        if (p->lines[i].kind >= 0 && ptx_ops[p->lines[i].kind].act == PTX_BRANCH)
            p->lines[i].target = ptx_target(p, i);
    return p;
}

static inline void ptx_free(ptx_program *p)
{
    for (int i = 0; i < PTX_NAMES; i++) free(p->names[i]);
    free(p->lines);
    free(p->args);
    free(p->text);
    free(p);
}

#endif
