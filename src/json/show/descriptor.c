/* SPDX-License-Identifier: Apache-2.0 */
/* show.tensormap, .smemdesc, .idesc and .buffer: the bits of a descriptor, field by
 * field. */
#include "json/show/show.h"

#include <zlay/show_hardware.h>

enum { WORDS = 16, HALF = 32 };

typedef struct asked {
    const zlay_target *target;
    uint64_t words[WORDS]; /* of a tensor map */
    uint64_t desc;
    zlay_buffer_words buffer;
    int32_t kind;
    zl_show_asked form;
} asked;

#define FORM ZL_PART(zl_form_fields, asked, form)
static const zl_field map_rows[] = {
    ZL_TARGET(asked), {"words", ZL_NEEDS, ZL_AT(zl_as_map_words, asked, words)}, FORM};
static const zl_field smemdesc_rows[] = {
    ZL_TARGET(asked), {"desc", ZL_NEEDS, ZL_AT(zl_as_u64, asked, desc)}, FORM};
static const zl_field idesc_rows[] = {
    ZL_TARGET(asked),
    {"kind", ZL_NEEDS, ZL_AT(zl_as_word, asked, kind), .of = zl_kinds},
    {"desc", ZL_NEEDS, ZL_AT(zl_as_u64, asked, desc)},
    FORM,
};
static const zl_field buffer_rows[] = {
    ZL_TARGET(asked), {"desc", ZL_NEEDS, ZL_AT(zl_as_buffer_words, asked, buffer)}, FORM};
#undef FORM
const zl_fields zl_show_tensormap_fields = {ZL_ROWS(map_rows, asked)},
                zl_show_smemdesc_fields = {ZL_ROWS(smemdesc_rows, asked)},
                zl_show_idesc_fields = {ZL_ROWS(idesc_rows, asked)},
                zl_show_buffer_fields = {ZL_ROWS(buffer_rows, asked)};

static zlay_status show(zl_call *call, const asked *a, int32_t what, const uint64_t *words,
                        uint64_t count)
{
    zlay_picture *picture = NULL;
    const zlay_show_descriptor_request request = {.size = sizeof request,
                                                  .what = what,
                                                  .target = a->target,
                                                  .words = words,
                                                  .count = count,
                                                  .kind = a->kind};
    zlay_status status = zlay_show_descriptor(call->ctx, &picture, &request);
    return zl_put_picture(call, status, picture, &a->form);
}

zlay_status zl_op_show_tensormap(zl_call *call, const void *value)
{
    const asked *a = value;
    return show(call, a, ZLAY_BITS_TENSORMAP, a->words, WORDS);
}

zlay_status zl_op_show_smemdesc(zl_call *call, const void *value)
{
    const asked *a = value;
    return show(call, a, ZLAY_BITS_SMEMDESC, &a->desc, 1);
}

zlay_status zl_op_show_idesc(zl_call *call, const void *value)
{
    const asked *a = value;
    return show(call, a, ZLAY_BITS_IDESC, &a->desc, 1);
}

zlay_status zl_op_show_buffer(zl_call *call, const void *value)
{
    const asked *a = value;
    const uint32_t *w = a->buffer.word;
    const uint64_t words[] = {(uint64_t)w[1] << HALF | w[0], (uint64_t)w[3] << HALF | w[2]};
    return show(call, a, ZLAY_BITS_BUFFER, words, ZL_COUNT(words));
}
