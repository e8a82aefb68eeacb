/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor maps from layouts, against the 10 us that a kernel generator can spare a tile: how the
 * time grows with rank, with what shared memory asks for, and with the number of copies. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

typedef struct state {
    zlay_ctx *ctx;
    const zlay_target *target;
    zlay_tensormap_request request;
    zlay_layout *source, *smem;
    uint32_t copies;
} state;

typedef struct row {
    const char *name, *source, *smem;
    uint64_t shape[5];
    uint32_t axes, copies;
} row;

static const row rows[] = {
    {"tensormap.synth, rank 1, free", "1048576:1", NULL, {4096}, 1, 1},
    {"tensormap.synth, rank 2, free", "(4096,4096):(4096,1)", NULL, {128, 64}, 2, 1},
    {"tensormap.synth, rank 3, free", "(64,256,512):(131072,512,1)", NULL, {2, 64, 64}, 3, 1},
    {"tensormap.synth, rank 4, free", "(16,32,32,256):(262144,8192,256,1)", NULL, {1, 8, 8, 64},
     4, 1},
    {"tensormap.synth, rank 5, free", "(4,16,32,32,256):(4194304,262144,8192,256,1)", NULL,
     {1, 2, 8, 8, 64}, 5, 1},
    {"tensormap.synth, rank 2, Sw<3,3,3>", "(4096,4096):(4096,1)",
     "Sw<3,3,3> o 0 o (128,64):(64,1)", {128, 64}, 2, 1},
    {"tensormap.synth, rank 2, two halves", "(4096,4096):(4096,1)",
     "Sw<3,3,3> o 0 o (128,(64,2)):(64,(1,8192))", {128, 128}, 2, 1},
    {"tensormap.synth, 2 copies (1001 rows by 384)", "(1001,64):(64,1)", "(384,64):(64,1)",
     {384, 64}, 2, 2},
    {"tensormap.synth, 2 column panels", "(4096,4104):(4104,1)",
     "Sw<3,3,3> o 0 o (128,(64,2)):(64,(1,8192))", {128, 128}, 2, 2},
    {"tensormap.synth, 4 column panels", "(4096,4104):(4104,1)",
     "Sw<3,3,3> o 0 o (128,(64,4)):(64,(1,8192))", {128, 256}, 2, 4},
    {"tensormap.synth, 2 row boxes", "(4095,4104):(4104,1)",
     "Sw<3,3,3> o 0 o (512,64):(64,1)", {512, 64}, 2, 2},
    {"tensormap.synth, 4 panels by 2 boxes", "(4095,4104):(4104,1)",
     "Sw<2,3,3> o 0 o (512,(32,4)):(32,(1,16384))", {512, 128}, 2, 8},
    {"tensormap.synth, 8 panels of 3 modes", "(8,4095,4104):(16805880,4104,1)",
     "Sw<3,3,3> o 0 o (2,32,(64,8)):(2048,64,(1,4096))", {2, 32, 512}, 3, 8},
    {"tensormap.synth, 32 column panels", "(4096,4104):(4104,1)",
     "Sw<3,3,3> o 0 o (32,(64,32)):(64,(1,2048))", {32, 2048}, 2, 32},
    {"tensormap.synth, 4 copies (8 rows upside down)", "523776 o (1024,512):(-512,1)",
     "(8,64):(64,1)", {8, 64}, 2, 4},
    {"tensormap.synth, 32 copies (64 rows)", "523776 o (1024,512):(-512,1)", "(64,64):(64,1)",
     {64, 64}, 2, 32},
    {"tensormap.synth, 29 copies (Sw<3,6,3> source)", "Sw<3,6,3> o 0 o (128,64):(64,1)",
     "(128,64):(64,1)", {128, 64}, 2, 29},
    {"tensormap.synth, 57 copies (Sw<3,6,3> source)", "Sw<3,6,3> o 0 o (256,64):(64,1)",
     "(256,64):(64,1)", {256, 64}, 2, 57},
};

static bool work(void *value)
{
    state *s = value;
    zlay_move *move;
    zlay_move_summary info;
    bool right = !zlay_tensormap_synth(s->ctx, &move, s->target, &s->request) &&
                 !zlay_move_info(&info, move) && info.copies == s->copies;
    zlay_move_free(move);
    return right;
}

/* The certificate decided once more, as a user would. */
static bool certificate_work(void *value)
{
    const zlay_layout *a, *b;
    state *s = value;
    zlay_move *move;
    zlay_answer answer = ZLAY_NO;
    static int times = 256;
    if (zlay_tensormap_synth(s->ctx, &move, s->target, &s->request)) return false;
    bool right = !zlay_move_certificate(&a, &b, move);
    for (int i = 0; right && i < times; i++)
        right = !zlay_layout_equal(s->ctx, &answer, NULL, a, b) && answer == ZLAY_YES;
    zlay_move_free(move);
    return right;
}

static bool row_run(state *s, const row *r, bool json)
{
    s->request = (zlay_tensormap_request){.size = sizeof s->request, .type = ZLAY_TYPE_BF16,
                                          .axes = r->axes};
    memcpy(s->request.shape, r->shape, sizeof r->shape);
    s->source = s->smem = NULL;
    s->copies = r->copies;
    bool right = !zlay_layout_parse(s->ctx, &s->source, r->source, strlen(r->source)) &&
                 (!r->smem || !zlay_layout_parse(s->ctx, &s->smem, r->smem, strlen(r->smem)));
    s->request.source = s->source;
    s->request.smem = s->smem;
    double time = right ? bench_time(work, s) : -1;
    if (time >= 0) bench_line(r->name, time, "us", "a budget of 10 us", 10 / time, json);
    else fprintf(stderr, "zlay-bench: %s: a wrong result\n", r->name);
    double again = time >= 0 && r == &rows[1] ? bench_time(certificate_work, s) : 0;
    if (again > 0)
        bench_line("of it, deciding the certificate", (again - time) / 256, "us", "the whole",
                   time * 256 / (again - time), json);
    zlay_layout_free(s->source);
    zlay_layout_free(s->smem);
    return time >= 0;
}

bool bench_synth(zlay_ctx *ctx, bool json)
{
    state s = {.ctx = ctx};
    bool right = !zlay_target_find(&s.target, "sm_90a", 6);
    for (size_t i = 0; right && i < sizeof rows / sizeof rows[0]; i++)
        right = row_run(&s, &rows[i], json);
    return right;
}
