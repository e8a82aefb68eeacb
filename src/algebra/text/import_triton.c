/* SPDX-License-Identifier: Apache-2.0 */
/* Triton's texts of a linear layout as texts of zlay: the list that LinearLayout::toString prints,
 * and the attribute #ttg.linear<{..}>. */
#include "algebra/text/import.h"

#include <string.h>

/* [A-Za-z_][A-Za-z0-9_]*, its bytes in place. */
static zlay_status read_name(zl_cursor *c, const char **name, size_t *length)
{
    *length = zl_cursor_word(c);
    *name = c->text + c->at;
    if (!*length) return zl_cursor_fail(c, "a name");
    c->at += *length;
    return ZLAY_OK;
}

/* `(1, 2)` or `[1, 2]` as ` (1,2)`. */
static zlay_status basis(zl_cursor *c, zl_text *out, char open, char close)
{
    uint64_t value;
    bool more = false;
    zlay_status status = zl_cursor_want(c, open);
    zl_puts(out, " (");
    while (!status) {
        status = zl_cursor_unsigned(c, &value);
        if (status) return status;
        zl_putf(out, "%s%llu", more ? "," : "", (unsigned long long)value);
        more = true;
        if (zl_cursor_take(c, close)) break;
        status = zl_cursor_want(c, ',');
    }
    zl_puts(out, ")");
    return status;
}

/* ---- what toString prints ------------------------------------------------------------ */

static zlay_status list_sizes(zl_cursor *c, zl_text *out)
{
    const char *name;
    size_t length;
    uint64_t size;
    zlay_status status = zl_cursor_want(c, '[');
    for (bool more = false; !status; more = true) {
        if ((status = read_name(c, &name, &length))) return status;
        if (!zl_cursor_symbol(c, "(size")) return zl_cursor_fail(c, "'(size'");
        if ((status = zl_cursor_unsigned(c, &size))) return status;
        zl_puts(out, more ? ", " : " ");
        zl_put(out, name, length);
        zl_putf(out, ": %llu", (unsigned long long)size);
        if ((status = zl_cursor_want(c, ')')) || zl_cursor_take(c, ']')) break;
        status = zl_cursor_want(c, ',');
    }
    zl_puts(out, "}");
    return status;
}

static zlay_status power(zl_cursor *c, unsigned bit)
{
    uint64_t value;
    size_t at = c->at;
    zlay_status status = zl_cursor_want(c, '=');
    if (!status) status = zl_cursor_unsigned(c, &value);
    if (status) return status;
    if (bit > 63 || value != (uint64_t)1 << bit)
        return zl_cursor_refuse(c, ZLAY_EINVAL, at, "basis %u is not that of 2^%u", bit, bit);
    return zl_cursor_symbol(c, "->") ? ZLAY_OK : zl_cursor_fail(c, "'->'");
}

static bool at_same_name(zl_cursor *c, const char *name, size_t length)
{
    const char *next;
    size_t count;
    zl_cursor at = *c;
    if (zl_cursor_symbol(&at, "where") || !zl_cursor_peek(&at) || zl_cursor_take(&at, '-'))
        return false;
    if (read_name(&at, &next, &count) || count != length || memcmp(next, name, length))
        return false;
    *c = at;
    return true;
}

static zlay_status list_input(zl_cursor *c, zl_text *out)
{
    const char *name;
    size_t length;
    zlay_status status = read_name(c, &name, &length);
    if (status) return status;
    zl_put(out, name, length);
    zl_puts(out, ":");
    if (zl_cursor_symbol(c, "is a size 1 dimension")) return ZLAY_OK;
    unsigned bit = 0;
    do {
        status = power(c, bit++);
        if (!status) status = basis(c, out, '(', ')');
    } while (!status && at_same_name(c, name, length));
    return status;
}

zlay_status zl_import_triton_list(zl_cursor *c, zl_text *out)
{
    zlay_status status = ZLAY_OK;
    zl_puts(out, "f2{");
    for (bool more = false; !status && zl_cursor_take(c, '-'); more = true) {
        zl_puts(out, more ? "; " : "");
        status = list_input(c, out);
    }
    if (status) return status;
    zl_puts(out, " ->");
    if (!zl_cursor_symbol(c, "where out dims are:"))
        return zl_cursor_fail(c, "'where out dims are:'");
    return list_sizes(c, out);
}

zlay_status zl_import_triton_empty(zl_cursor *c, zl_text *out)
{
    zl_cursor_symbol(c, "(empty layout");
    if (!zl_cursor_symbol(c, "with out-dims")) return zl_cursor_fail(c, "'with out-dims'");
    zl_puts(out, "f2{->");
    zlay_status status = list_sizes(c, out);
    return status ? status : zl_cursor_want(c, ')');
}

/* ---- #ttg.linear<{register = [[0, 1], ...], lane = [...], ...}> ----------------------- */

enum { RANK_MOST = 64 };

typedef struct attribute {
    size_t rank;
    uint64_t most[RANK_MOST]; /* the greatest coordinate of each output */
} attribute;

static zlay_status note_basis(zl_cursor *c, attribute *a)
{
    size_t i = 0;
    uint64_t value;
    zlay_status status = zl_cursor_want(c, '[');
    for (; !status; i++) {
        if ((status = zl_cursor_unsigned(c, &value))) return status;
        if (i == RANK_MOST) return zl_cursor_fail(c, "64 coordinates at most");
        if (value > a->most[i]) a->most[i] = value;
        if (zl_cursor_take(c, ']')) break;
        status = zl_cursor_want(c, ',');
    }
    if (a->rank && a->rank != i + 1) return zl_cursor_fail(c, "bases of one length");
    a->rank = i + 1;
    return status;
}

typedef zlay_status each_basis(zl_cursor *c, attribute *a, zl_text *out);

static zlay_status note(zl_cursor *c, attribute *a, zl_text *out)
{
    (void)out;
    return note_basis(c, a);
}

static zlay_status write(zl_cursor *c, attribute *a, zl_text *out)
{
    (void)a;
    return basis(c, out, '[', ']');
}

static zlay_status bases(zl_cursor *c, attribute *a, zl_text *out, each_basis *each)
{
    zlay_status status = zl_cursor_want(c, '[');
    if (status || zl_cursor_take(c, ']')) return status;
    do status = each(c, a, out);
    while (!status && zl_cursor_take(c, ','));
    return status ? status : zl_cursor_want(c, ']');
}

static zlay_status inputs(zl_cursor *c, attribute *a, zl_text *out, each_basis *each)
{
    const char *name;
    size_t length;
    zlay_status status = ZLAY_OK;
    for (bool more = false; !status; more = true) {
        if ((status = read_name(c, &name, &length))) return status;
        zl_puts(out, more ? "; " : "");
        zl_put(out, name, length);
        zl_puts(out, ":");
        status = zl_cursor_want(c, '=');
        if (!status) status = bases(c, a, out, each);
        if (!zl_cursor_take(c, ',')) break;
    }
    return status ? status : zl_cursor_symbol(c, "}>") ? ZLAY_OK : zl_cursor_fail(c, "'}>'");
}

/* `#name = ` stands before an alias's definition. */
static zlay_status attribute_begin(zl_cursor *c)
{
    const char *name;
    size_t length;
    zl_cursor at = *c;
    if (zl_cursor_take(&at, '#') && !read_name(&at, &name, &length) &&
        zl_cursor_take(&at, '='))
        *c = at;
    return zl_cursor_symbol(c, "#ttg.linear<{") ? ZLAY_OK : zl_cursor_fail(c, "'#ttg.linear<{'");
}

/* The attribute has no output sizes: each is the least power of two that holds its coordinates. */
zlay_status zl_import_triton_attribute(zl_cursor *c, zl_text *out)
{
    attribute a = {0};
    zl_text nothing = {NULL, 0, 0};
    zlay_status status = attribute_begin(c);
    zl_cursor again = *c;
    if (!status) status = inputs(c, &a, &nothing, note);
    if (status) return status;
    if (!a.rank) return zl_cursor_fail(c, "a basis, for the outputs are counted on it");
    zl_puts(out, "f2{");
    status = inputs(&again, &a, out, write);
    zl_puts(out, " ->");
    for (size_t i = 0; i < a.rank; i++) {
        unsigned bits = zl_bit_length(a.most[i]);
        if (bits > 63) return zl_fail(c->ctx, ZLAY_EOVERFLOW, "output dim%zu has over 63 bits", i);
        zl_putf(out, "%s dim%zu: %llu", i ? "," : "", i, 1ull << bits);
    }
    zl_puts(out, "}");
    return status;
}
