/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the texts of conditions: it adds conditions to a conjunction, replaces names in a text,
 * and makes facts from ranges of names. */
#include "algebra/facts/facts.h"
#include "base/scan.h"
#include "synth/tensormap/symbolic/symbolic.h"

#include <string.h>

zlay_status zl_tm_guard_full(const zl_tm_symbolic *g)
{
    return zl_fail(g->ctx, ZLAY_ELIMIT, "the guard has over %d bytes", ZL_TM_GUARD);
}

bool zl_tm_guard_add(zl_tm_guard *to, const char *text)
{
    size_t length = strlen(text);
    if (strstr(to->text, text)) return true;
    if (to->length + length + 5 > sizeof to->text) return false;
    if (to->length) memcpy(to->text + to->length, " && ", 4), to->length += 4;
    memcpy(to->text + to->length, text, length + 1);
    to->length += length;
    return true;
}

bool zl_tm_replace(char *out, size_t room, const char *text, const char *word, const char *by)
{
    zl_text to = {out, room, 0};
    size_t length = strlen(word);
    for (const char *at = text; *at;) {
        bool whole = !strncmp(at, word, length) && !zl_is_name_part(at[length]) &&
                     (at == text || !zl_is_name_part(at[-1]));
        if (whole) zl_puts(&to, by);
        else zl_put(&to, at, 1);
        at += whole ? length : 1;
    }
    zl_put(&to, "", 1);
    return to.need <= room;
}

/* Writes the residue and the bounds of one name as facts. */
static void facts_put(zl_text *out, const char *name, zlay_range r)
{
    zl_putf(out, "%s mod %lld = %lld", name, (long long)(r.mod ? r.mod : 1),
            (long long)(r.mod ? r.rem : 0));
    if (r.lo > INT64_MIN) zl_putf(out, " and %s >= %lld", name, (long long)r.lo);
    if (r.hi < INT64_MAX) zl_putf(out, " and %s <= %lld", name, (long long)r.hi);
}

zlay_status zl_tm_facts(zlay_ctx *ctx, zlay_facts **out, size_t count, const char *const *name,
                        const zlay_range *range)
{
    enum { MOST = ZL_SYMBOLS_MOST + ZL_TM_PRODUCTS };
    static const size_t room = 256;
    char text[MOST][256];
    const char *list[MOST];
    size_t length[MOST];
    for (size_t i = 0; i < count; i++) {
        zl_text to = {text[i], room, 0};
        facts_put(&to, name[i], range[i]);
        list[i] = text[i];
        length[i] = to.need;
        if (to.need > room) return zl_fail(ctx, ZLAY_ELIMIT, "a fact has over 256 bytes");
    }
    return zl_facts_parse(ctx, out, count, list, length);
}
