/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

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
    default:
        return "nobody";
    }
}

static bool explain_pipe_rule(const char *name)
{
    zlay_pipe_rule rule;
    for (int32_t i = 1; zlay_pipe_rule_at(&rule, i) == ZLAY_OK; i++)
        if (!strcmp(rule.name, name)) {
            printf("%s\na rule of pipes (docs/pipe.md), broken when: %s\nsource: %s\n", rule.name,
                   rule.text, rule.source);
            return true;
        }
    return false;
}

/* An instruction form by its id or opcode; false: there is none. */
static bool explain_form(const char *name)
{
    char id[256], text[4096];
    zlay_buf id_buf = {id, sizeof id, 0}, text_buf = {text, sizeof text, 0};
    zlay_form form;
    uint32_t number;
    if (zlay_instruction_find(&number, name, strlen(name)) ||
        zlay_instruction_get(&form, number) || zlay_instruction_id(&id_buf, number) ||
        zlay_instruction_print(&text_buf, number, NULL, 0))
        return false;
    printf("%s\n%s\n", id, text);
    if (form.ptx) printf("PTX %u.%u; ", (unsigned)(form.ptx / 10), (unsigned)(form.ptx % 10));
    printf("targets %s\n", form.targets);
    return true;
}

int zl_explain(zlay_ctx *ctx, int argc, char **argv)
{
    zlay_rule rule;
    (void)ctx;
    if (argc != 1) {
        fprintf(stderr, "zlay: explain takes one RULE or FORM\n");
        return ZL_EXIT_ERROR;
    }
    if (zlay_rule_find(&rule, argv[0], strlen(argv[0])) == ZLAY_OK) {
        printf("%s\n%s\nenforced by %s; targets %s\nsource: %s\n", rule.id, rule.text,
               by_name(rule.by), rule.targets, rule.source);
        return ZL_EXIT_YES;
    }
    if (explain_form(argv[0]) || explain_pipe_rule(argv[0])) return ZL_EXIT_YES;
    fprintf(stderr, "zlay: no rule and no instruction form is called '%s'\n", argv[0]);
    return ZL_EXIT_NO;
}
