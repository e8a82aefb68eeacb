/* SPDX-License-Identifier: Apache-2.0 */
/* Shows the bits of a descriptor: its fields, as the rows of its unpacker have them, with the
 * verdict of its check. */
#include "base/request.h"
#include "legality/buffer/words.h"
#include "legality/descriptor/smemdesc.h"
#include "legality/tcgen05/tcgen05.h"
#include "legality/tensormap/bits.h"
#include "show/picture.h"

#include <zlay/show_hardware.h>
#include <zlay/tensormap_bits.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { WORD = 64, IDESC_BITS = 32, REASONS = 64, TEXT = 256, HALF = 32 };
enum { FIELDS = 2 * ZL_BIT_FIELDS_MOST };

typedef zlay_show_descriptor_request request;

/* What the bits say: their fields, cut where a word ends, and the bits that are not what the
 * target asks for. */
typedef struct shown_bits {
    const request *r;
    zl_bit_field field[FIELDS];
    size_t count;
    uint64_t wrong[ZL_MAP_WORDS];
    zlay_verdict verdict;
    zlay_reason reasons[REASONS];
} shown_bits;

/* ---- what the bits are --------------------------------------------------------------------- */

static zlay_status decode_map(shown_bits *d)
{
    zlay_tensormap map;
    zlay_status status = zlay_tensormap_unpack(&map, d->wrong, d->r->target, d->r->words);
    if (status) return status;
    d->count = zl_map_bit_fields(d->field, &map);
    return zlay_tensormap_check(&d->verdict, d->reasons, REASONS, d->r->target, &map);
}

static zlay_status decode_smemdesc(shown_bits *d)
{
    zlay_smemdesc fields;
    zlay_status status = zlay_smemdesc_unpack(&fields, d->r->target, d->r->words[0]);
    if (status) return status;
    d->wrong[0] = fields.other;
    d->count = zl_desc_bit_fields(d->field, d->r->target, &fields);
    return zlay_smemdesc_check(&d->verdict, d->reasons, REASONS, d->r->target, &fields);
}

static zlay_status decode_idesc(shown_bits *d)
{
    zlay_idesc fields;
    zlay_status status = d->r->words[0] > UINT32_MAX
                             ? ZLAY_EINVAL
                             : zlay_idesc_unpack(&fields, d->r->kind, (uint32_t)d->r->words[0]);
    if (status) return status;
    d->wrong[0] = fields.must_be_zero;
    d->count = zl_idesc_bit_fields(d->field, &fields);
    return zlay_idesc_check(&d->verdict, d->reasons, REASONS, d->r->target, &fields, NULL);
}

static zlay_status decode_buffer(shown_bits *d)
{
    const uint64_t *w = d->r->words;
    const zlay_buffer_words words = {
        {(uint32_t)w[0], (uint32_t)(w[0] >> HALF), (uint32_t)w[1], (uint32_t)(w[1] >> HALF)}};
    zlay_buffer buffer;
    zlay_status status = zlay_buffer_unpack(&buffer, d->r->target, &words);
    if (status) return status;
    d->wrong[1] = (uint64_t)buffer.other << HALF;
    d->count = zl_buffer_bit_fields(d->field, d->r->target, &buffer);
    return zlay_buffer_check(&d->verdict, d->reasons, REASONS, d->r->target, &buffer);
}

static const struct {
    const char *name;
    uint64_t words;
    uint32_t columns;
    zlay_status (*decode)(shown_bits *d);
} forms[] = {
    [ZLAY_BITS_TENSORMAP] = {"tensor map", ZL_MAP_WORDS, WORD, decode_map},
    [ZLAY_BITS_SMEMDESC] = {"matrix descriptor", 1, WORD, decode_smemdesc},
    [ZLAY_BITS_IDESC] = {"instruction descriptor", 1, IDESC_BITS, decode_idesc},
    [ZLAY_BITS_BUFFER] = {"buffer resource", 2, WORD, decode_buffer},
};

/* ---- fields -------------------------------------------------------------------------------- */

/* Fields are in the order of their bits, and none crosses a word. */
static void cut_and_sort(shown_bits *d)
{
    for (size_t i = 0, count = d->count; i < count; i++) {
        zl_bit_field *f = &d->field[i], *rest = &d->field[d->count];
        uint32_t here = WORD - f->at % WORD;
        if (f->width <= here) continue;
        *rest = *f;
        rest->at += here;
        rest->width -= here;
        rest->shift += here;
        f->width = here;
        d->count++;
    }
    for (size_t i = 1; i < d->count; i++) {
        zl_bit_field f = d->field[i];
        size_t j = i;
        for (; j && d->field[j - 1].at > f.at; j--) d->field[j] = d->field[j - 1];
        d->field[j] = f;
    }
}

static uint64_t bits_at(const uint64_t *words, uint32_t at, uint32_t width)
{
    return words[at / WORD] >> at % WORD & zl_bits_mask(width);
}

static bool same_field(const zl_bit_field *a, const zl_bit_field *b)
{
    return !strcmp(a->name, b->name) && a->entry == b->entry;
}

/* Whether a rule that refuses names the field. */
static bool is_refused(const shown_bits *d, const zl_bit_field *f)
{
    for (uint32_t i = 0; i < d->verdict.reasons && i < REASONS; i++) {
        const zlay_reason *r = &d->reasons[i];
        const char *name = zlay_field_name(r->field);
        if (r->noted || !name || strcmp(name, f->name)) continue;
        if (r->index < 0 || f->entry < 0 || r->index == f->entry) return true;
    }
    return false;
}

/* The value, and how the bits say it. */
static void tip_of(char out[TEXT], const zl_bit_field *f, uint64_t bits)
{
    char value[TEXT / 4], less[TEXT / 8] = "", shift[TEXT / 8] = "";
    snprintf(value, sizeof value, "%" PRId64, f->value);
    if (f->less) snprintf(less, sizeof less, " + %u", (unsigned)f->less);
    if (f->shift) snprintf(shift, sizeof shift, " << %u", (unsigned)f->shift);
    snprintf(out, TEXT, "%s (0x%" PRIx64 "%s%s): %s",
             f->nothing ? "nothing"
             : f->word  ? f->word
                        : value,
             bits, shift, less, f->means);
}

static void put_field(zl_sketch *s, const shown_bits *d, size_t i, uint32_t columns)
{
    const zl_bit_field *f = &d->field[i];
    char label[TEXT / 4], tip[TEXT];
    size_t first = 0;
    while (!same_field(&d->field[first], f)) first++;
    if (f->entry < 0) snprintf(label, sizeof label, "%s", f->name);
    else snprintf(label, sizeof label, "%s[%d]", f->name, (int)f->entry);
    tip_of(tip, f, bits_at(d->r->words, f->at, f->width));
    const zlay_box box = {.row = f->at / columns,
                          .column = f->at % columns,
                          .width = f->width,
                          .shade = zl_sketch_shade((int64_t)first),
                          .marked =
                              f->nothing || bits_at(d->wrong, f->at, f->width) || is_refused(d, f),
                          .key = (int64_t)first,
                          .step = -1,
                          .label = label,
                          .tip = tip};
    zl_sketch_box(s, &box);
}

/* Bits from `at` on that no field has, where some of them are set or should be. */
static void put_gap(zl_sketch *s, const shown_bits *d, uint32_t at, uint32_t width,
                    uint32_t columns)
{
    char tip[TEXT];
    uint64_t bits = width ? bits_at(d->r->words, at, width) : 0,
             wrong = width ? bits_at(d->wrong, at, width) : 0;
    if (!(bits | wrong)) return;
    if (wrong)
        snprintf(tip, sizeof tip,
                 "0x%" PRIx64 ": no field has these bits, which should be 0x%" PRIx64, bits,
                 bits ^ wrong);
    else snprintf(tip, sizeof tip, "0x%" PRIx64 ": always so", bits);
    const zlay_box box = {.row = at / columns,
                          .column = at % columns,
                          .width = width,
                          .shade = -1,
                          .marked = wrong != 0,
                          .key = -1,
                          .step = -1,
                          .label = "reserved",
                          .tip = tip};
    zl_sketch_box(s, &box);
}

static void put_word(zl_sketch *s, const shown_bits *d, uint32_t word, uint32_t columns)
{
    uint32_t at = word * columns, end = at + columns;
    for (size_t i = 0; i < d->count && !s->status; i++) {
        const zl_bit_field *f = &d->field[i];
        if (f->at < word * columns || f->at >= end) continue;
        if (f->at > at) put_gap(s, d, at, f->at - at, columns);
        put_field(s, d, i, columns);
        at = f->at + f->width;
    }
    put_gap(s, d, at, end - at, columns);
}

/* ---- the verdict --------------------------------------------------------------------------- */

static void put_verdict(zl_sketch *s, const shown_bits *d)
{
    const char *target = zlay_target_name(d->r->target);
    if (d->verdict.answer == ZLAY_YES) zl_sketch_note(s, "yes: every rule of %s holds", target);
    for (uint32_t i = 0; i < d->verdict.reasons && i < REASONS; i++) {
        const zlay_reason *r = &d->reasons[i];
        const char *field = zlay_field_name(r->field);
        char index[TEXT / 8] = "";
        zlay_rule rule;
        if (zlay_rule_info(&rule, r->rule)) continue;
        if (r->index >= 0) snprintf(index, sizeof index, "[%d]", (int)r->index);
        zl_sketch_note(s, "%s: %s%s%s%s: %s", r->noted ? "noted" : "no", field ? field : "",
                       field ? index : "", field ? ": " : "", rule.id, rule.text);
    }
}

static zlay_status refuse(zlay_ctx *ctx, const request *r, zlay_status status)
{
    const char *what = forms[r->what].name, *target = zlay_target_name(r->target);
    if (status == ZLAY_EINVAL) return zl_fail(ctx, status, "kind or words: no %s has them", what);
    if (r->what == ZLAY_BITS_TENSORMAP)
        return zl_fail(ctx, status, "the bits of tensor maps were read on sm_90 alone, not on %s",
                       target);
    return zl_fail(ctx, status, "%s has no %s", target, what);
}

static zlay_status show(zlay_ctx *ctx, zlay_picture **out, const request *r)
{
    if (r->what < 1 || r->what >= (int32_t)ZL_COUNT(forms))
        return zl_fail(ctx, ZLAY_EINVAL, "what: %d is none of ZLAY_BITS_*", (int)r->what);
    if (!r->target || !r->words || r->count != forms[r->what].words)
        return zl_fail(ctx, ZLAY_EINVAL, "a %s has a target and %" PRIu64 " words",
                       forms[r->what].name, forms[r->what].words);
    shown_bits *d = zl_scratch(ctx, 1, sizeof *d);
    if (!d) return ZLAY_ENOMEM;
    d->r = r;
    zlay_status status = forms[r->what].decode(d);
    if (status) return refuse(ctx, r, status);
    cut_and_sort(d);
    uint32_t columns = forms[r->what].columns;
    zl_sketch s =
        zl_sketch_begin(ctx, "%s of %s", forms[r->what].name, zlay_target_name(r->target));
    zl_sketch_panel(&s, ZLAY_PANEL_BITS, columns, r->count, "%s", "");
    for (uint32_t w = 0; w < r->count && !s.status; w++) put_word(&s, d, w, columns);
    put_verdict(&s, d);
    return zl_sketch_end(&s, out);
}

zlay_status zlay_show_descriptor(zlay_ctx *ctx, zlay_picture **out, const request *asked)
{
    static const zl_request_form form = {
        "zlay_show_descriptor_request",
        sizeof(request),
        sizeof asked->size,
        {ZL_RESERVED(request, reserved32), ZL_RESERVED(request, reserved)}};
    request r = {.size = sizeof r};
    if (!ctx || !out || !asked) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_request_read(ctx, &r, asked, &form);
    return zl_leave(ctx, status ? status : show(ctx, out, &r));
}
