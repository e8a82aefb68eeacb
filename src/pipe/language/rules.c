/* SPDX-License-Identifier: Apache-2.0 */
/* The table of pipe rules, from rules.def: name, when it is broken, and its source; looked up
 * by number for messages and documents. */
#include "pipe/language/pipe.h"

static const zlay_pipe_rule rules[] = {
#define PIPE_RULE(id, name, text, source) [ZLAY_PIPE_##id] = {name, text, source},
#include "pipe/language/rules.def"
};

static bool is_rule(int32_t rule)
{
    return rule > 0 && (size_t)rule < ZL_COUNT(rules);
}

const char *zlay_pipe_rule_name(int32_t rule)
{
    return is_rule(rule) ? rules[rule].name : NULL;
}

int32_t zlay_pipe_rule_count(void)
{
    return (int32_t)ZL_COUNT(rules) - 1;
}

zlay_status zlay_pipe_rule_info(zlay_pipe_rule *out, int32_t rule)
{
    if (!out) return ZLAY_EINVAL;
    if (!is_rule(rule)) return ZLAY_NONE;
    *out = rules[rule];
    return ZLAY_OK;
}
