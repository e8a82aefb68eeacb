/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the coordinates of a ragged map as a function of C, from the forms that are proved. */
#include "synth/ragged/ragged.h"

typedef struct printed {
    const zlay_ragged_map *r;
    const char *name;
    int length;
} printed;

static void put_form(zl_text *out, const int64_t *form)
{
    static const char *const name[ZL_RAGGED_TERMS] = {"", "offset", "row", "n"};
    bool any = false;
    for (int i = 0; i < ZL_RAGGED_TERMS; i++) {
        if (!form[i]) continue;
        if (i == ZL_RAGGED_ONE) zl_putf(out, "%lld", (long long)form[i]);
        else zl_putf(out, "%s%s", form[i] < 0 ? any ? " - " : "-" : any ? " + " : "", name[i]);
        any = true;
    }
    if (!any) zl_puts(out, "0");
}

static void put_line(zl_text *out, const char *indent, const char *to, const int64_t *form)
{
    zl_putf(out, "%s%s = ", indent, to);
    put_form(out, form);
    zl_puts(out, ";\n");
}

static void put_head(zl_text *out, const printed *p)
{
    zl_puts(out, "#if defined __CUDACC__ || defined __HIPCC__\n__host__ __device__\n#endif\n");
    zl_putf(out, "static inline int %.*s(int coordinate[5], int *skip, int store, long long offset, "
            "long long length", p->length, p->name);
    for (uint32_t i = 0; i < p->r->rank; i++) zl_putf(out, ", long long at%u", i);
    zl_puts(out, ")\n{\n");
}

static void put_cuts(zl_text *out, const zlay_ragged_map *r)
{
    zl_ragged_form end = zl_ragged_cut_end(r), begin = zl_ragged_cut_begin(r);
    zl_putf(out, "    long long row = at%u, first = row < 0 ? -row : 0;\n", r->dim);
    zl_putf(out, "    long long last = length - row < %u ? length - row : %u;\n", r->box, r->box);
    zl_puts(out, "    long long n = last - first, window, along, wrap;\n");
    zl_puts(out, "    if (n <= 0) row = 0, first = 0, n = 0;\n");
    zl_puts(out, "    *skip = store ? (int)first : 0;\n");
    zl_puts(out, "    if (!store && first) {\n");
    zl_putf(out, "        if (last < %u) return 0;\n", r->box);
    put_line(out, "        ", "window", begin.window);
    put_line(out, "        ", "along", begin.offset);
    zl_putf(out, "        wrap = %u;\n    } else {\n", begin.wrap);
    zl_putf(out, "        if (store && first %% %u) return 0;\n", r->skip_unit);
    zl_puts(out, "        if (row < 0) row = 0;\n");
    put_line(out, "        ", "window", end.window);
    put_line(out, "        ", "along", end.offset);
    zl_putf(out, "        wrap = %u;\n    }\n", end.wrap);
}

static void put_coordinates(zl_text *out, const zlay_ragged_map *r)
{
    for (uint32_t i = 0; i < r->rank; i++) {
        if (zl_ragged_shares(r, i)) continue;
        zl_putf(out, "    coordinate[%u] = (int)", r->place[i]);
        if (i == r->dim) zl_puts(out, "window;\n");
        else zl_putf(out, "at%u;\n", i);
    }
    zl_putf(out, "    coordinate[%u] = (int)(along", r->offset);
    if (r->unit > 1) zl_putf(out, " / %u", r->unit);
    if (r->scale[r->dim] > 1) zl_putf(out, " * %u", r->scale[r->dim]);
    for (uint32_t i = 0; i < r->rank; i++)
        if (zl_ragged_shares(r, i)) zl_putf(out, " + at%u * %u", i, r->scale[i]);
    zl_puts(out, ");\n");
    if (r->base == ZLAY_RAGGED_WRAP)
        zl_putf(out, "    coordinate[%u] = (int)wrap;\n", r->offset + 1);
    else zl_puts(out, "    (void)wrap;\n");
    for (uint32_t d = r->map.rank; d < 5; d++) zl_putf(out, "    coordinate[%u] = 0;\n", d);
    zl_puts(out, "    return 1;\n}\n");
}

static void write(zl_text *out, const void *value)
{
    const printed *p = value;
    put_head(out, p);
    put_cuts(out, p->r);
    put_coordinates(out, p->r);
}

zlay_status zlay_ragged_map_print(zlay_buf *out, const zlay_ragged_map *ragged, const char *name,
                                  size_t length)
{
    printed p = {ragged, name, (int)length};
    if (!out || !ragged || !name || length > 64 || !zl_is_name(name, length) ||
        ragged->rank > ZLAY_RAGGED_RANK)
        return ZLAY_EINVAL;
    return zl_print(out, write, &p);
}
