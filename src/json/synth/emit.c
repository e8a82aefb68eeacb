/* SPDX-License-Identifier: Apache-2.0 */
/* emit: finds the table of fields and the runner that `what` asks for. */
#include "json/synth/emit.h"

#include <string.h>

/* ---- fields ------------------------------------------------------------------------------- */

static const zl_field emit_rows[] = {
    ZL_OWN_OF(zl_as_own_text, "target", ZL_MAY),
    {"what", ZL_NEEDS, ZL_WHOLE(zl_as_text, zl_json_text)},
    ZL_OWN_OF(zl_as_own_text, "name", ZL_NEEDS),
    ZL_OTHERS(zl_emit_gemm_fields),
    ZL_OTHERS(zl_emit_copy_fields),
    ZL_OTHERS(zl_emit_move_fields),
    ZL_OTHERS(zl_emit_pipe_fields),
    ZL_OTHERS(zl_emit_attention_fields),
    ZL_OTHERS(zl_emit_weights_fields),
    ZL_OTHERS(zl_emit_layout_fields),
    ZL_OTHERS(zl_emit_word_fields),
    ZL_OTHERS(zl_emit_convert_fields),
    ZL_OTHERS(zl_emit_tensormap_fields),
    ZL_OTHERS(zl_emit_smemdesc_fields),
    ZL_OTHERS(zl_emit_idesc_fields),
    ZL_OTHERS(zl_emit_ring_fields),
    ZL_OTHERS(zl_emit_wave_fields),
    ZL_OTHERS(zl_emit_ragged_fields),
    ZL_OTHERS(zl_emit_selector_fields),
};
const zl_fields zl_emit_fields = {ZL_ROWS(emit_rows, zl_json_text)};

/* Of a target alone there are snippets. */
typedef struct target_asked {
    zl_emit_head head;
    const zlay_target *target;
} target_asked;

static const zl_field snippets_rows[] = {
    ZL_PART(zl_emit_head_fields, target_asked, head),
    ZL_TARGET(target_asked),
};
static const zl_fields snippets_fields = {ZL_ROWS(snippets_rows, target_asked)};

static zlay_status emit_snippets(zl_call *call, const void *value)
{
    const target_asked *a = value;
    return zl_put_text(call, ZL_SNIPPETS_OF_TARGET, a->target, &a->head);
}

static const struct {
    const char *what;
    const zl_fields *fields;
    zl_op_run *run;
} texts[] = {
    {"gemm", &zl_emit_gemm_fields, zl_emit_gemm},
    {"header", &zl_emit_gemm_fields, zl_emit_header},
    {"copy", &zl_emit_copy_fields, zl_emit_copy},
    {"transpose", &zl_emit_copy_fields, zl_emit_transpose},
    {"move", &zl_emit_move_fields, zl_emit_move},
    {"pipe", &zl_emit_pipe_fields, zl_emit_pipe},
    {"attention", &zl_emit_attention_fields, zl_emit_attention},
    {"weights", &zl_emit_weights_fields, zl_emit_weights},
    {"snippets", &snippets_fields, emit_snippets},
    {"layout", &zl_emit_layout_fields, zl_emit_layout},
    {"word", &zl_emit_word_fields, zl_emit_word},
    {"convert", &zl_emit_convert_fields, zl_emit_convert},
    {"tensormap", &zl_emit_tensormap_fields, zl_emit_tensormap},
    {"smemdesc", &zl_emit_smemdesc_fields, zl_emit_smemdesc},
    {"idesc", &zl_emit_idesc_fields, zl_emit_idesc},
    {"ring", &zl_emit_ring_fields, zl_emit_ring},
    {"wave", &zl_emit_wave_fields, zl_emit_wave},
    {"ragged", &zl_emit_ragged_fields, zl_emit_ragged},
    {"selector", &zl_emit_selector_fields, zl_emit_selector},
};

zlay_status zl_op_emit(zl_call *call, const void *asked)
{
    const zl_json_text *what = asked;
    for (size_t i = 0; i < ZL_COUNT(texts); i++) {
        if (strcmp(texts[i].what, what->text)) continue;
        zlay_status status = zl_names_check(call, call->request, "emit", texts[i].fields);
        return status ? status : zl_run_fields(call, texts[i].fields, texts[i].run);
    }
    return zl_fail(call->ctx, ZLAY_ENOTSUP,
                   "field 'what': 'gemm', 'header', 'copy', 'transpose', 'move', 'pipe', "
                   "'attention', 'weights', 'snippets', 'layout', 'word', 'convert', 'tensormap', "
                   "'smemdesc', 'idesc', 'ring', 'wave', 'ragged' and 'selector' are done");
}
