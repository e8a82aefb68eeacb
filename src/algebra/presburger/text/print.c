/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces as isl reads them. */
#include "algebra/presburger/pieces.h"
#include "base/arith.h"

#include <inttypes.h>

static void print_row(zl_text *out, const zl_pieces *p, const int64_t *row);

/* Divisions stand in the text where they are used; their rows have earlier ones only. */
static void print_variable(zl_text *out, const zl_pieces *p, size_t v)
{
    size_t known = p->params + p->dims;
    if (v < p->params) {
        zl_puts(out, p->param[v].text);
    } else if (v < known) {
        zl_putf(out, "i%zu", v - p->params);
    } else {
        zl_puts(out, "floor((");
        print_row(out, p, p->div + (v - known) * zl_pieces_width(p));
        zl_putf(out, ")/%lld)", (long long)p->den[v - known]);
    }
}

static void print_row(zl_text *out, const zl_pieces *p, const int64_t *row)
{
    bool first = true;
    for (size_t v = 0; v + 1 < zl_pieces_width(p); v++) {
        int64_t c = row[1 + v];
        if (!c) continue;
        zl_puts(out, c < 0 ? (first ? "-" : " - ") : first ? "" : " + ");
        if (c != 1 && c != -1)
            zl_putf(out, v < p->params + p->dims ? "%" PRIu64 : "%" PRIu64 "*", zl_magnitude(c));
        print_variable(out, p, v);
        first = false;
    }
    if (first) zl_putf(out, "%lld", (long long)row[0]);
    else if (row[0] > 0) zl_putf(out, " + %lld", (long long)row[0]);
    else if (row[0] < 0) zl_putf(out, " - %" PRIu64, zl_magnitude(row[0]));
}

static void print_list(zl_text *out, const zl_pieces *p, const zl_piece *piece)
{
    size_t width = zl_pieces_width(p);
    zl_puts(out, "[");
    for (size_t i = 0; i < (piece ? p->outs : p->dims); i++) {
        zl_puts(out, i ? ", " : "");
        if (piece) print_row(out, p, piece->value + i * width);
        else zl_putf(out, "i%zu", i);
    }
    zl_puts(out, "]");
}

static void print_piece(zl_text *out, const zl_pieces *p, const zl_piece *piece)
{
    size_t width = zl_pieces_width(p);
    print_list(out, p, NULL);
    zl_puts(out, " -> ");
    print_list(out, p, piece);
    const char *before = " : ";
    for (size_t i = 0; i < p->dims; i++) {
        if (!p->extent[i]) continue;
        zl_putf(out, "%s0 <= i%zu < %llu", before, i, (unsigned long long)p->extent[i]);
        before = " and ";
    }
    for (size_t r = 0; r < piece->equals + piece->leasts; r++, before = " and ") {
        zl_puts(out, before);
        print_row(out, p, piece->guard + r * width);
        zl_puts(out, r < piece->equals ? " = 0" : " >= 0");
    }
}

/* No point is defined: the text keeps how many coordinates and outputs there are. */
static void print_nothing(zl_text *out, const zl_pieces *p)
{
    print_list(out, p, NULL);
    zl_puts(out, " -> [");
    for (size_t r = 0; r < p->outs; r++) zl_puts(out, r ? ", 0" : "0");
    zl_puts(out, "] : false");
}

/* Cells without a value may lie at the border, and values may not reach the output sizes: what isl
 * skips as a comment keeps both. */
static void print_sizes(zl_text *out, const char *what, const uint64_t *size, size_t count)
{
    zl_puts(out, what);
    for (size_t i = 0; i < count; i++)
        zl_putf(out, "%s%llu", i ? "," : "", (unsigned long long)size[i]);
}

static bool has_sizes(const zl_pieces *p)
{
    for (size_t i = 0; i < p->outs; i++)
        if (!p->out_size[i]) return false;
    return p->outs > 1;
}

void zl_pieces_print(zl_text *out, const zlay_layout *a)
{
    const zl_pieces *p = &a->pieces;
    for (size_t i = 0; i < p->params; i++)
        zl_putf(out, "%s%s", i ? ", " : "[", p->param[i].text);
    zl_puts(out, p->params ? "] -> { " : "{ ");
    for (size_t i = 0; i < p->count; i++) {
        zl_puts(out, i ? "; " : "");
        print_piece(out, p, &p->piece[i]);
    }
    if (!p->count) print_nothing(out, p);
    zl_puts(out, " }");
    bool box = a->partial && a->size && p->dims, outs = has_sizes(p);
    zl_puts(out, box || outs ? " #" : "");
    if (box) print_sizes(out, " box ", p->extent, p->dims);
    if (outs) print_sizes(out, " out ", p->out_size, p->outs);
}
