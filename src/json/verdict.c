/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts and rules as JSON: a row a reason. */
#include "json/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const zl_named zl_keeps[] = {{"all", ZLAY_KEEPS_ALL},
                             {"bytes", ZLAY_KEEPS_BYTES},
                             {"values", ZLAY_KEEPS_VALUES},
                             {"nothing", ZLAY_KEEPS_NOTHING},
                             {NULL, 0}};

static const zl_named voices[] = {{"driver", ZLAY_BY_DRIVER},
                                  {"documented", ZLAY_BY_DOCUMENT},
                                  {"assembler", ZLAY_BY_ASSEMBLER},
                                  {"hardware", ZLAY_BY_HARDWARE},
                                  {"practice", ZLAY_BY_PRACTICE},
                                  {"advice", ZLAY_BY_ADVICE},
                                  {NULL, 0}};
static const zl_named relations[] = {{"range", ZLAY_REL_RANGE},
                                     {"multiple", ZLAY_REL_MULTIPLE},
                                     {"equal", ZLAY_REL_EQUAL},
                                     {"range", ZLAY_REL_SIGNED},
                                     {NULL, 0}};
static const zl_named answers[] = {{"no", ZLAY_NO},
                                   {"yes", ZLAY_YES},
                                   {"depends", ZLAY_DEPENDS},
                                   {"undecided", ZLAY_UNDECIDED},
                                   {NULL, 0}};
static json_t *field_value(int32_t field)
{
    const char *name = field ? zlay_field_name(field) : NULL;
    return name ? json_string(name) : json_null();
}

static json_t *index_value(int32_t index) { return index < 0 ? json_null() : json_integer(index); }

/* Enumerators are 32 signed bits of their own. */
static bool is_signed(const zlay_reason *r)
{
    switch (r->field) {
    case ZLAY_FIELD_MODE:
    case ZLAY_FIELD_TYPE:
    case ZLAY_FIELD_INTERLEAVE:
    case ZLAY_FIELD_SWIZZLE:
    case ZLAY_FIELD_L2:
    case ZLAY_FIELD_OOB:
    case ZLAY_FIELD_WIDE_MODE: return true;
    default: return r->relation == ZLAY_REL_SIGNED;
    }
}

static json_t *number_value(const zl_checked *c, const zlay_reason *r, uint64_t number)
{
    const zl_named *words = c->names ? c->names(r->field) : NULL;
    const char *name = words && number <= INT32_MAX ? zl_word_of(words, (int32_t)number) : NULL;
    if (name) return json_string(name);
    return is_signed(r) ? zl_json_int((int64_t)number) : zl_json_uint(number);
}

static json_t *bound_value(zl_call *call, const zl_checked *c, const zlay_reason *r)
{
    if (r->relation != ZLAY_REL_RANGE && r->relation != ZLAY_REL_SIGNED)
        return number_value(c, r, r->lo);
    json_t *bound = json_array();
    zl_put_item(call, bound, number_value(c, r, r->lo));
    zl_put_item(call, bound, number_value(c, r, r->hi));
    return bound;
}

static void fix_words(char *out, size_t room, const zl_checked *c, const zlay_reason *r)
{
    const char *field = zlay_field_name(r->field);
    const zl_named *words = c->names ? c->names(r->field) : NULL;
    const char *name =
        words && r->fix_value <= INT32_MAX ? zl_word_of(words, (int32_t)r->fix_value) : NULL;
    int length = snprintf(out, room, "set %s", field ? field : "the field");
    if (r->index >= 0) length += snprintf(out + length, room - (size_t)length, "[%d]", r->index);
    if (name) length += snprintf(out + length, room - (size_t)length, " to %s", name);
    else if (is_signed(r))
        length += snprintf(out + length, room - (size_t)length, " to %" PRId64,
                           (int64_t)r->fix_value);
    else length += snprintf(out + length, room - (size_t)length, " to %" PRIu64, r->fix_value);
    if (r->fix_split > 1)
        snprintf(out + length, room - (size_t)length, " and issue %d %s", r->fix_split,
                 c->issues ? c->issues : "copies");
}

static json_t *set_value(zl_call *call, const zl_checked *c, const zlay_reason *r)
{
    json_t *set = json_array(), *one = json_object();
    zl_put_value(call, one, "field", field_value(r->field));
    zl_put_value(call, one, "index", index_value(r->index));
    zl_put_value(call, one, "value", number_value(c, r, r->fix_value));
    zl_put_item(call, set, one);
    return set;
}

static json_t *fix_value(zl_call *call, const zl_checked *c, const zlay_reason *r)
{
    char text[160] = "take another path";
    bool path = r->fix_keeps == ZLAY_KEEPS_NOTHING;
    if (r->fix_keeps == ZLAY_KEEPS_NONE_GIVEN) return json_null();
    if (!path) fix_words(text, sizeof text, c, r);
    json_t *fix = json_object();
    zl_put_value(call, fix, "text", json_string(text));
    zl_put_value(call, fix, "keeps", zl_json_word(zl_keeps, r->fix_keeps));
    zl_put_value(call, fix, "set", path ? json_array() : set_value(call, c, r));
    zl_put_value(call, fix, "split", json_integer(r->fix_split > 1 ? r->fix_split : 1));
    return fix;
}

static json_t *reason_value(zl_call *call, const zl_checked *c, const zlay_reason *r)
{
    zlay_rule rule = {.id = "", .text = "", .source = ""};
    json_t *row = json_object();
    zlay_rule_info(&rule, r->rule);
    zl_put_value(call, row, "rule", json_string(rule.id));
    zl_put_value(call, row, "by", zl_json_word(voices, r->by));
    zl_put_value(call, row, "field", field_value(r->field));
    zl_put_value(call, row, "index", index_value(r->index));
    zl_put_value(call, row, "value", number_value(c, r, r->value));
    zl_put_value(call, row, "relation", zl_json_word(relations, r->relation));
    zl_put_value(call, row, "bound", bound_value(call, c, r));
    zl_put_value(call, row, "source", json_string(rule.source));
    zl_put_value(call, row, "text", json_string(rule.text));
    zl_put_value(call, row, "fix", fix_value(call, c, r));
    return row;
}

json_t *zl_json_verdict(zl_call *call, const zl_checked *checked)
{
    const zlay_verdict *v = &checked->verdict;
    json_t *value = json_object(), *broken = json_array(), *noted = json_array(),
           *conflict = json_array();
    for (size_t i = 0; i < v->reasons && i < checked->room; i++) {
        const zlay_reason *r = &checked->reasons[i];
        json_t *list = r->noted == ZLAY_NOTED_CONFLICT ? conflict : r->noted ? noted : broken;
        zl_put_item(call, list, reason_value(call, checked, r));
    }
    zl_put_value(call, value, "answer", zl_json_word(answers, v->answer));
    zl_put_value(call, value, "basis",
                 json_string(zlay_basis_name(v->basis)));
    zl_put_value(call, value, "broken", broken);
    zl_put_value(call, value, "noted", noted);
    if (json_array_size(conflict)) zl_put_value(call, value, "conflict", conflict);
    else json_decref(conflict);
    return value;
}

zlay_status zl_check_asked(zl_call *call, const void *asked, zl_checker *check)
{
    zlay_reason reasons[ZL_REASONS_MOST];
    zl_checked checked = {.reasons = reasons, .room = ZL_REASONS_MOST};
    zlay_status status = check(&checked, asked);
    if (!status) call->value = zl_json_verdict(call, &checked);
    return status;
}

zlay_status zl_run_check(zl_call *call, const void *asked)
{
    return zl_check_asked(call, asked, call->op->make.check);
}

void zl_none_explain(zl_call *call, const char *shows)
{
    const char *text = zlay_ctx_message(call->ctx), *end = strchr(text, ':');
    zlay_rule rule;
    if (!end) return;
    if (!zlay_rule_find(&rule, text, (size_t)(end - text))) call->rule = rule.number;
    if (!strncmp(end, shows, strlen(shows)))
        call->witness = zl_json_uint(strtoull(end + strlen(shows), NULL, 10));
}

typedef struct explained {
    zl_json_text rule;
} explained;

static const zl_field explain_rows[] = {{"rule", ZL_NEEDS, ZL_AT(zl_as_text, explained, rule)}};
const zl_fields zl_rule_fields = {ZL_ROWS(explain_rows, explained)};

zlay_status zl_op_rule_explain(zl_call *call, const void *asked)
{
    const zl_json_text *name = &((const explained *)asked)->rule;
    zlay_rule rule;
    char quoted[256];
    zlay_status status = zlay_rule_find(&rule, name->text, name->length);
    if (status) {
        zl_like like = zl_like_begin(name->text, name->length);
        for (size_t i = 0; zlay_rule_nth(&rule, i) == ZLAY_OK; i++) zl_like_offer(&like, rule.id);
        return zl_fail(call->ctx, status, "no rule is called '%s'%s",
                       zl_quote(quoted, name->text, name->length), like.hint);
    }
    call->value = json_object();
    zl_put_value(call, call->value, "text", json_string(rule.text));
    zl_put_value(call, call->value, "source", json_string(rule.source));
    zl_put_value(call, call->value, "by", zl_json_word(voices, rule.by));
    zl_put_value(call, call->value, "targets", json_string(rule.targets));
    return ZLAY_OK;
}
