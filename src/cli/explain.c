/* SPDX-License-Identifier: Apache-2.0 */
/* zlay explain: prints what a name stands for: a rule with its source, an instruction form, an
 * operation of zlay batch. */
#include "cli/cli.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *by_name(int32_t by)
{
    switch (by) {
    case ZLAY_BY_DRIVER:
        return "the driver";
    case ZLAY_BY_DOCUMENT:
        return "the documents";
    case ZLAY_BY_ASSEMBLER:
        return "the assembler";
    case ZLAY_BY_HARDWARE:
        return "the hardware";
    case ZLAY_BY_PRACTICE:
        return "published kernels alone";
    case ZLAY_BY_ADVICE:
        return "nothing; it is advice";
    default:
        return "nothing";
    }
}

static bool explain_pipe_rule(const char *name)
{
    zlay_pipe_rule rule;
    for (int32_t i = 1; zlay_pipe_rule_info(&rule, i) == ZLAY_OK; i++)
        if (!strcmp(rule.name, name)) {
            printf("%s\na rule of pipes (docs/pipe.md), broken when: %s\nsource: %s\n", rule.name,
                   rule.text, rule.source);
            return true;
        }
    return false;
}

/* Explains an instruction form by its id or opcode; false: there is none. */
static bool explain_form(const char *name)
{
    char id[256], text[4096];
    zlay_buf id_buf = {id, sizeof id, 0}, text_buf = {text, sizeof text, 0};
    zlay_form form;
    uint32_t number;
    if (zlay_instruction_find(&number, name, strlen(name)) ||
        zlay_instruction_info(&form, number) || zlay_instruction_id(&id_buf, number) ||
        zlay_instruction_print(&text_buf, number, NULL, 0))
        return false;
    printf("%s\n%s\n", id, text);
    if (form.ptx) printf("PTX %u.%u; ", (unsigned)(form.ptx / 10), (unsigned)(form.ptx % 10));
    printf("targets %s\n", form.targets);
    return true;
}

static bool explain_rule(const char *name)
{
    zlay_rule rule;
    if (zlay_rule_find(&rule, name, strlen(name))) return false;
    printf("%s\n%s\nenforced by %s; targets %s\nsource: %s\n", rule.id, rule.text,
           by_name(rule.by), rule.targets, rule.source);
    return true;
}

void zl_op_show(const zl_op *op)
{
    char needed[ZL_NAMES_MOST] = "", optional[ZL_NAMES_MOST] = "";
    zl_text first = {needed, sizeof needed - 1, 0}, second = {optional, sizeof optional - 1, 0};
    zl_op_names(&first, op, true);
    zl_op_names(&second, op, false);
    printf("  %s  %s%s%s%s: %s\n      %s\n", op->name, needed, second.need ? " [" : "", optional,
           second.need ? "]" : "", op->ok, op->text);
}

static const struct {
    const char *name, *field;
    int number;
} enumerators[] = {
#define CUDA_TYPE(name, number)       {name, "type", number},
#define CUDA_INTERLEAVE(name, number) {name, "interleave", number},
#define CUDA_SWIZZLE(name, number)    {name, "swizzle", number},
#define CUDA_L2(name, number)         {name, "l2", number},
#define CUDA_OOB(name, number)        {name, "oob", number},
#define CUDA_WIDE_MODE(name, number)  {name, "wide_mode", number},
#include "base/cuda.def"
};

static bool explain_enumerator(const char *name)
{
    for (size_t i = 0; i < ZL_COUNT(enumerators); i++)
        if (!strcmp(enumerators[i].name, name)) {
            printf("%s\na name of cuda.h: of the field %s of a tensor map the number %d\n", name,
                   enumerators[i].field, enumerators[i].number);
            return true;
        }
    return false;
}

static bool explain_op(const char *name)
{
    const zl_op *op = zl_op_find(name);
    if (op) puts("an operation of zlay batch (docs/batch.md): name, fields [optional]: answer");
    if (op) zl_op_show(op);
    return op;
}

/* ---- names that contain what no name is ----------------------------------------- */

enum { NEAR_MOST = 12 };

typedef struct near {
    const char *part;
    uint32_t count;
    zl_like like;
    zl_text names; /* the first NEAR_MOST */
    char room[4096];
} near;

static bool begins(const char *text, const char *part)
{
    while (*part && tolower((unsigned char)*text) == tolower((unsigned char)*part)) text++, part++;
    return !*part;
}

static void offer(near *n, const char *name)
{
    const char *at = name;
    zl_like_offer(&n->like, name);
    while (*at && !begins(at, n->part)) at++;
    if (!*n->part || !*at || ++n->count > NEAR_MOST) return;
    zl_putf(&n->names, "%s%s", n->count == 1 ? "zlay: these names contain it: " : ", ", name);
}

static void offer_forms(near *n)
{
    uint32_t form;
    for (size_t i = 0; zlay_instruction_nth(&form, i) == ZLAY_OK; i++) {
        char id[256];
        zlay_buf buf = {id, sizeof id, 0};
        if (!zlay_instruction_id(&buf, form)) offer(n, id);
    }
}

static void offer_all(const char *part)
{
    near n = {.part = part, .like = zl_like_begin(part, strlen(part))};
    n.names = (zl_text){n.room, sizeof n.room - 1, 0};
    zlay_rule rule;
    zlay_pipe_rule pipe_rule;
    for (size_t i = 0; zlay_rule_nth(&rule, i) == ZLAY_OK; i++) offer(&n, rule.id);
    for (int32_t i = 1; zlay_pipe_rule_info(&pipe_rule, i) == ZLAY_OK; i++)
        offer(&n, pipe_rule.name);
    for (size_t i = 0; zl_op_at(i); i++) offer(&n, zl_op_at(i)->name);
    for (size_t i = 0; i < ZL_COUNT(enumerators); i++) offer(&n, enumerators[i].name);
    offer_forms(&n);
    if (n.count > NEAR_MOST) zl_putf(&n.names, " and %" PRIu32 " more", n.count - NEAR_MOST);
    fprintf(stderr, "zlay: no rule, form, operation or enumerator is called '%s'%s\n", part,
            n.like.hint);
    if (n.count) fprintf(stderr, "%s\n", n.room);
}

int zl_explain(zlay_ctx *ctx, int argc, char **argv)
{
    (void)ctx;
    if (argc != 1) {
        fprintf(stderr, "zlay: explain takes one RULE, FORM or OPERATION\n");
        return ZL_EXIT_ERROR;
    }
    if (explain_rule(argv[0]) || explain_form(argv[0]) || explain_pipe_rule(argv[0]) ||
        explain_op(argv[0]) || explain_enumerator(argv[0]))
        return ZL_EXIT_YES;
    offer_all(argv[0]);
    return ZL_EXIT_NO;
}
