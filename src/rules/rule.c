/* SPDX-License-Identifier: Apache-2.0 */
/* The rule table, and the walk over it that every check is. */
#include "rules/rows.h"

#include <string.h>

const zl_rule zl_rules[] = {
#define RULE(number, id, quantity, relation, lo, hi, when, by, field, targets, keeps, source,      \
             text)                                                                                 \
    {number,                                                                                       \
     #id,                                                                                          \
     ZL_Q_##quantity,                                                                              \
     ZLAY_REL_##relation,                                                                          \
     (uint64_t)(lo),                                                                               \
     (uint64_t)(hi),                                                                               \
     ZL_G_##when,                                                                                  \
     BY_##by,                                                                                      \
     ZLAY_FIELD_##field,                                                                           \
     targets,                                                                                      \
     ZLAY_KEEPS_##keeps,                                                                           \
     source,                                                                                       \
     text},
#define RULES(file, version)
#include "rules/rules.def"
#undef RULES
#undef RULE
};
const size_t zl_rules_count = ZL_COUNT(zl_rules);

/* tests/rules.list holds a digest of each file's rows: a change of either asks for the other. */
uint32_t zlay_rules_version(void)
{
    uint32_t sum = 0;
#define RULE(...)
#define RULES(file, version) sum += version;
#include "rules/rules.def"
#undef RULES
#undef RULE
    return sum;
}

/* Whose a rule is, apart from its row: a walk passes most rules by, and their rows fill pages. */
enum {
#define QUANTITY(name, subject, field, entries) OF_##name = ZL_SUBJECT_##subject,
#include "rules/quantities.def"
#undef QUANTITY
};

static const uint8_t subjects[] = {
#define RULES(file, version)
#define RULE(number, id, quantity, ...) OF_##quantity,
#include "rules/rules.def"
#undef RULES
#undef RULE
};

/* The subject and the field of each rule in one byte, which memchr finds; some differ and have the
 * same byte. */
#define KEY(subject, field) ((uint8_t)((uint32_t)(subject) * 16 + (uint32_t)(field)))

static const uint8_t keys[] = {
#define RULES(file, version)
#define RULE(number, id, quantity, relation, lo, hi, when, by, field, ...)                         \
    KEY(OF_##quantity, ZLAY_FIELD_##field),
#include "rules/rules.def"
#undef RULES
#undef RULE
};

/* The first row from `from` on that is about such a subject, or the number of rows. Rows of a
 * subject stand side by side but for a few gaps, which memchr passes many bytes at a time. */
static size_t next_row(size_t from, const zl_subject *s)
{
    size_t end = ZL_COUNT(subjects);
    if (from < end && subjects[from] == s->form->kind) return from;
    const uint8_t *at = from < end ? memchr(subjects + from, (int)s->form->kind, end - from) : NULL;
    return at ? (size_t)(at - subjects) : end;
}

static bool holds_here(const zl_rule *rule, const zl_subject *s)
{
    return rule->targets & (uint32_t)s->target->cls && zl_guard_holds(rule->when, s);
}

/* A driver enforces what it was seen to enforce; for another class its document speaks. */
static int32_t voice(const zl_rule *rule, const zl_subject *s)
{
    bool heard = rule->by != ZLAY_BY_DRIVER || zl_measured(s->target);
    return heard ? rule->by : ZLAY_BY_DOCUMENT;
}

/* Under strictness every row but advice refuses. */
int32_t zl_noted(const zl_rule *rule, const zl_subject *s)
{
    if (rule->by == ZLAY_BY_ADVICE) return ZLAY_NOTED_ADVICE;
    if (!(rule->noted & (uint32_t)s->target->cls) || zl_strict(s)) return 0;
    return rule->by == ZLAY_BY_PRACTICE ? ZLAY_NOTED_CONFLICT : ZLAY_NOTED_MEASURED;
}

void zl_reason_start(zlay_reason *r, const zl_rule *rule, const zl_subject *s, uint32_t i)
{
    memset(r, 0, sizeof *r);
    r->rule = rule->number;
    r->by = voice(rule, s);
    r->noted = zl_noted(rule, s);
    r->field = rule->field;
    r->index = zl_quantity_indexed(rule->quantity) ? (int32_t)i : -1;
    r->relation = rule->relation;
    r->lo = zl_bound(rule->lo, s, i);
    r->hi = zl_bound(rule->hi, s, i);
}

static bool judge(zlay_reason *r, const zl_rule *rule, const zl_subject *s, uint32_t i)
{
    zl_reason_start(r, rule, s, i);
    r->value = zl_quantity_value(rule->quantity, s, i);
    return zl_relation_holds(r->relation, r->value, r->lo, r->hi);
}

/* The one walk: numbers, and subjects with names in them, are judged by who visits. */
static inline zlay_status each_row(const zl_subject *s, zl_row_visit *visit, void *arg)
{
    for (size_t at = next_row(0, s); at < ZL_COUNT(subjects); at = next_row(at + 1, s)) {
        const zl_rule *rule = &zl_rules[at];
        uint32_t count = holds_here(rule, s) ? zl_quantity_count(rule->quantity, s) : 0;
        for (uint32_t i = 0; i < count; i++) {
            zlay_status status = visit(arg, rule, s, i);
            if (status) return status;
        }
    }
    return ZLAY_OK;
}

zlay_status zl_rows_visit(const zl_subject *s, zl_row_visit *visit, void *arg)
{
    return each_row(s, visit, arg);
}

typedef struct watcher {
    zl_row_seen *seen;
    void *arg;
    bool fixes;
} watcher;

static zlay_status visit_number(void *arg, const zl_rule *rule, const zl_subject *s, uint32_t i)
{
    const watcher *w = arg;
    zlay_reason r;
    bool held = judge(&r, rule, s, i);
    if (!held && w->fixes) zl_fix(&r, rule, s);
    w->seen(w->arg, &r, held);
    return ZLAY_OK;
}

void zl_walk(const zl_subject *s, zl_row_seen *seen, void *arg)
{
    each_row(s, visit_number, &(watcher){seen, arg, true});
}

void zl_walk_bare(const zl_subject *s, zl_row_seen *seen, void *arg)
{
    each_row(s, visit_number, &(watcher){seen, arg, false});
}

static size_t reasons_of_row(zlay_reason *reasons, size_t room, const zl_rule *rule,
                             const zl_subject *s)
{
    size_t found = 0;
    uint32_t count = zl_quantity_count(rule->quantity, s);
    for (uint32_t i = 0; i < count && found < room; i++) {
        zlay_reason r;
        if (judge(&r, rule, s, i)) continue;
        zl_fix(&r, rule, s);
        reasons[found++] = r;
    }
    return found;
}

void zl_reasons(zlay_reason *reasons, size_t room, const zl_subject *s, const uint64_t *marks,
                size_t words)
{
    size_t found = 0;
    for (size_t w = 0; w < words; w++)
        for (uint64_t left = marks[w]; left && found < room; left &= left - 1) {
            const zl_rule *rule = &zl_rules[64 * w + (size_t)__builtin_ctzll(left)];
            found += reasons_of_row(reasons + found, room - found, rule, s);
        }
}

/* One refusing rule of entry i of a field; false stops the walk. */
typedef bool judged(void *arg, const zl_rule *rule, const zl_subject *s, uint32_t i);

/* The same as next_row of such a field. */
static size_t next_row_of(size_t from, const zl_subject *s, int32_t field)
{
    size_t end = ZL_COUNT(keys);
    while (from < end) {
        const uint8_t *at = memchr(keys + from, KEY(s->form->kind, field), end - from);
        from = at ? (size_t)(at - keys) : end;
        if (!at || (subjects[from] == s->form->kind && zl_rules[from].field == field)) break;
        from++;
    }
    return from;
}

static bool entry_walk(const zl_subject *s, int32_t field, int32_t index, judged *see, void *arg)
{
    uint32_t i = index > 0 ? (uint32_t)index : 0;
    for (size_t at = next_row_of(0, s, field), end = ZL_COUNT(keys); at < end;
         at = next_row_of(at + 1, s, field)) {
        const zl_rule *rule = &zl_rules[at];
        if (zl_quantity_indexed(rule->quantity) != (index >= 0)) continue;
        if (zl_noted(rule, s) || !holds_here(rule, s)) continue;
        if (i < zl_quantity_count(rule->quantity, s) && !see(arg, rule, s, i)) return false;
    }
    return true;
}

static bool see_held(void *arg, const zl_rule *rule, const zl_subject *s, uint32_t i)
{
    (void)arg;
    return zl_relation_holds(rule->relation, zl_quantity_value(rule->quantity, s, i),
                             zl_bound(rule->lo, s, i), zl_bound(rule->hi, s, i));
}

bool zl_holds(const zl_subject *s, int32_t field, int32_t index)
{
    return entry_walk(s, field, index, see_held, NULL);
}

static bool see_bounds(void *arg, const zl_rule *rule, const zl_subject *s, uint32_t i)
{
    bool own = zl_quantity_field(rule->quantity) == rule->field;
    if (own && rule->relation != ZLAY_REL_SIGNED)
        zl_narrow(arg, rule->relation, zl_bound(rule->lo, s, i), zl_bound(rule->hi, s, i));
    return true;
}

zl_field_range zl_range_of(const zl_subject *s, int32_t field, int32_t index)
{
    zl_field_range range = ZL_RANGE_ALL;
    entry_walk(s, field, index, see_bounds, &range);
    return range;
}

/* Most units are powers of two, and a division takes as long as all the rest. */
static uint64_t whole(uint64_t value, uint64_t unit)
{
    return unit & (unit - 1) ? value / unit * unit : value & -unit;
}

bool zl_nearest(uint64_t *out, uint64_t value, uint64_t floor, zl_field_range range)
{
    uint64_t lo = floor > range.lo ? floor : range.lo, unit = range.unit;
    uint64_t down = whole(value < range.hi ? value : range.hi, unit);
    uint64_t from = value > lo ? value : lo, up = whole(from, unit);
    if (up < from && __builtin_add_overflow(up, unit, &up)) up = UINT64_MAX;
    bool above = whole(up, unit) == up && up <= range.hi, below = down >= lo;
    if (!above && !below) return false;
    *out = !below || (above && up - value <= value - down) ? up : down;
    return true;
}

static const char *classes_text(uint32_t targets)
{
#define CLASSES(name, text, classes)                                                               \
    if (targets == name) return text;
#include "target/classes.def"
#undef CLASSES
    return "";
}

static void describe(zlay_rule *out, const zl_rule *rule)
{
    out->number = rule->number;
    out->by = rule->by;
    out->id = rule->id;
    out->text = rule->text;
    out->source = rule->source;
    out->targets = classes_text(rule->targets);
}

zlay_status zlay_rule_find(zlay_rule *out, const char *id, size_t length)
{
    if (!out || !id) return ZLAY_EINVAL;
    for (size_t i = 0; i < zl_rules_count; i++)
        if (strlen(zl_rules[i].id) == length && !memcmp(zl_rules[i].id, id, length)) {
            describe(out, &zl_rules[i]);
            return ZLAY_OK;
        }
    return ZLAY_NONE;
}

zlay_status zlay_rule_info(zlay_rule *out, int32_t number)
{
    if (!out) return ZLAY_EINVAL;
    for (size_t i = 0; i < zl_rules_count; i++)
        if (zl_rules[i].number == number) {
            describe(out, &zl_rules[i]);
            return ZLAY_OK;
        }
    return ZLAY_NONE;
}

size_t zlay_rule_count(void)
{
    return zl_rules_count;
}

zlay_status zlay_rule_nth(zlay_rule *out, size_t i)
{
    if (!out) return ZLAY_EINVAL;
    if (i >= zl_rules_count) return ZLAY_NONE;
    describe(out, &zl_rules[i]);
    return ZLAY_OK;
}
