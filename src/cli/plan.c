/* SPDX-License-Identifier: Apache-2.0 */
/* zlay plan gemm: makes the plan of a GEMM request, decides its certificates, proves its pipe,
 * checks it in the CPU model, and prints it, its kernel or its header. */
#include "cli/cli.h"
#include "cli/model.h"
#include "cli/progress.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

zlay_plan *zl_plan_of(zlay_ctx *ctx, const zl_options *options, int *exit)
{
    const zlay_target *target;
    zlay_plan *plan = NULL;
    if (zlay_target_find(&target, options->target, strlen(options->target))) {
        *exit = zl_no_target(options->target);
        return NULL;
    }
    zl_progress_begin(ctx, "planning");
    zlay_status status = zlay_gemm_synth(ctx, &plan, target, &options->gemm);
    zl_progress_end();
    if (status) *exit = zl_cli_say(ctx, status, "no plan");
    return plan;
}

/* ---- text ------------------------------------------------------------------ */

typedef struct emission {
    zl_emitter *emit;
    const zlay_plan *plan;
    const char *name;
} emission;

static zlay_status emission_write(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    const emission *e = value;
    return e->emit(ctx, out, e->plan, e->name, strlen(e->name));
}

char *zl_plan_text(zlay_ctx *ctx, zl_emitter *emit, const zlay_plan *plan, const char *name,
                   size_t *length)
{
    emission e = {emit, plan, name};
    return zl_text_of(ctx, emission_write, &e, length);
}

static int emit_file(zlay_ctx *ctx, zl_emitter *emit, const zlay_plan *plan,
                     const zl_options *options, const char *path)
{
    size_t length;
    if (!path) return ZL_EXIT_YES;
    char *text = zl_plan_text(ctx, emit, plan, options->name, &length);
    bool done = text && zl_file_write(path, text, length);
    free(text);
    if (done) printf("wrote %s, %zu bytes\n", path, length);
    return done ? ZL_EXIT_YES : ZL_EXIT_ERROR;
}

/* ---- proofs ----------------------------------------------------------------- */

static int certificates_decide(zlay_ctx *ctx, const zlay_plan *plan)
{
    const zlay_layout *a, *b;
    uint32_t count = 0;
    for (; zlay_plan_certificate(&a, &b, plan, count) == ZLAY_OK; count++) {
        zlay_answer answer;
        zlay_status status = zlay_layout_equal(ctx, &answer, NULL, a, b);
        if (status) return zl_cli_say(ctx, status, "certificate");
        if (answer == ZLAY_YES) continue;
        printf("certificate %u: %s\n", count,
               answer == ZLAY_NO ? "the layouts differ" : zlay_ctx_message(ctx));
        return answer == ZLAY_NO ? ZL_EXIT_NO : ZL_EXIT_UNSURE;
    }
    printf("certificates: %u pairs of layouts, each equal (decided again)\n", count);
    return ZL_EXIT_YES;
}

static int pipe_refuted(zlay_ctx *ctx, const zlay_pipe *pipe, zlay_answer answer)
{
    zlay_pipe_reason reason;
    size_t count = 0;
    if (answer == ZLAY_UNDECIDED) {
        printf("pipe: undecided: %s\n", zlay_ctx_message(ctx));
        return ZL_EXIT_UNSURE;
    }
    zlay_pipe_verify(ctx, &answer, &reason, 1, &count, NULL, pipe);
    printf("pipe: no: rule %s at line %u, and %zu more\n", zlay_pipe_rule_name(reason.rule),
           reason.line, count - 1);
    return ZL_EXIT_NO;
}

static int proof_recheck(zlay_ctx *ctx, const zlay_pipe *pipe, const char *proof, size_t length,
                         bool print)
{
    zlay_answer answer;
    zlay_status status = zlay_pipe_recheck(ctx, &answer, pipe, proof, length);
    if (status) return zl_cli_say(ctx, status, "proof");
    if (print) printf("%s\n", proof);
    printf("pipe: proved for every number of tiles and steps; the proof, %zu bytes, %s\n", length,
           answer == ZLAY_YES  ? "holds when checked by itself"
           : answer == ZLAY_NO ? "FAILS when checked by itself"
                               : "is by runs, which the verifier alone checks");
    return answer == ZLAY_NO ? ZL_EXIT_NO : ZL_EXIT_YES;
}

int zl_pipe_prove(zlay_ctx *ctx, const zlay_pipe *pipe, bool print)
{
    zlay_answer answer;
    size_t count, length;
    zl_progress_begin(ctx, "verifying the pipe");
    zlay_status status = zlay_pipe_verify(ctx, &answer, NULL, 0, &count, NULL, pipe);
    zl_progress_end();
    if (status) return zl_cli_say(ctx, status, "pipe");
    if (answer != ZLAY_YES) return pipe_refuted(ctx, pipe, answer);
    char *text = print ? zl_text_of(ctx, zl_write_pipe, pipe, &length) : NULL;
    if (text) printf("\npipe\n%s\nproof\n", text);
    free(text);
    char *proof = zl_text_of(ctx, zl_write_proof, pipe, &length);
    if (!proof) return ZL_EXIT_ERROR;
    int exit = proof_recheck(ctx, pipe, proof, length, print);
    free(proof);
    return exit;
}

/* The two pairs of layouts of the copy that repacks an operand. */
static int copy_decide(zlay_ctx *ctx, const zlay_transfer *copy, char operand)
{
    const zlay_layout *a, *b;
    for (uint32_t i = 0; zlay_transfer_certificate(&a, &b, copy, i) == ZLAY_OK; i++) {
        zlay_answer answer;
        zlay_status status = zlay_layout_equal(ctx, &answer, NULL, a, b);
        if (status) return zl_cli_say(ctx, status, "certificate");
        if (answer == ZLAY_YES) continue;
        printf("certificate %u of the copy of %c does not hold\n", i, operand);
        return answer == ZLAY_NO ? ZL_EXIT_NO : ZL_EXIT_UNSURE;
    }
    printf("the copy of %c: 2 pairs of layouts, each equal (checked independently)\n", operand);
    return ZL_EXIT_YES;
}

static int copies_decide(zlay_ctx *ctx, const zlay_plan *plan)
{
    int worst = ZL_EXIT_YES;
    zlay_repack r;
    for (int32_t o = ZLAY_OPERAND_A; o <= ZLAY_OPERAND_D && !worst; o++)
        if (!zlay_plan_repack(&r, plan, o)) worst = copy_decide(ctx, r.transfer, "ABD"[o]);
    return worst;
}

int zl_plan_prove(zlay_ctx *ctx, const zlay_plan *plan, bool print)
{
    int pipe = zl_pipe_prove(ctx, zlay_plan_pipe(plan), print);
    int certificates = certificates_decide(ctx, plan), copies = copies_decide(ctx, plan);
    return pipe ? pipe : certificates ? certificates : copies;
}

/* ---- the model ---------------------------------------------------------------- */

static void report_wrong(const zl_model_report *r)
{
    if (r->fault)
        printf("  fault %d of operand %d in tile (%" PRIu64 ", %" PRIu64 "), K step %" PRIu64 "\n",
               r->fault, r->operand, r->tile_m, r->tile_n, r->tile_k);
    if (r->wrong)
        printf("  %" PRIu64 " elements are wrong; the first, D[%" PRIu64 ", %" PRIu64
               "], is %g and not %g\n",
               r->wrong, r->row, r->column, r->got, r->expected);
    if (r->changed) printf("  %" PRIu64 " elements outside were written\n", r->changed);
    if (r->stages_off)
        printf("  %" PRIu64 " stages bring %u bytes, not what their barrier expects\n",
               r->stages_off, r->bytes);
}

static int model_run(zlay_ctx *ctx, const zlay_plan *plan, const zl_options *options)
{
    zl_model_report r;
    if (!options->model_given) return ZL_EXIT_YES;
    zl_progress_begin(NULL, "running tiles in the model");
    zlay_status status = zl_model_run(ctx, &r, plan, &options->gemm, options->model);
    zl_progress_end();
    if (status == ZLAY_ELIMIT) {
        printf("model: not run: it takes %" PRIu64 " bytes, more than the limit sim_bytes\n",
               zl_model_bytes(plan, &options->gemm));
        return ZL_EXIT_UNSURE;
    }
    if (status == ZLAY_ENOTSUP) {
        printf("model: not run: it models wgmma without scales and groups alone; "
               "the tests execute other kernels' text\n");
        return ZL_EXIT_UNSURE;
    }
    if (status) return zl_cli_say(ctx, status, "model");
    printf("model: %" PRIu64 " of %" PRIu64 " tiles run, all %" PRIu64
           " edge tiles among them; %" PRIu64 " stages; %" PRIu64
           " elements of D %s a plain product; %" PRIu64 " others untouched\n",
           r.run, r.tiles, r.edges, r.stages, r.elements, r.wrong ? "compared with" : "equal",
           r.margins - r.changed);
    report_wrong(&r);
    return r.answer == ZLAY_YES ? ZL_EXIT_YES : ZL_EXIT_NO;
}

/* ---- zlay plan gemm ------------------------------------------------------------- */

static zlay_status explain_write(zlay_ctx *ctx, zlay_buf *out, const void *plan)
{
    (void)ctx;
    return zlay_plan_print(out, plan);
}

static int explained(zlay_ctx *ctx, const zlay_plan *plan)
{
    size_t length;
    char *text = zl_text_of(ctx, explain_write, plan, &length);
    if (!text) return ZL_EXIT_ERROR;
    fwrite(text, 1, length, stdout);
    free(text);
    return ZL_EXIT_YES;
}

static int plan_show(zlay_ctx *ctx, const zlay_plan *plan, const zl_options *options)
{
    int exit = zl_plan_prove(ctx, plan, true);
    zlay_wave_gemm wave;
    zl_emitter *kernel = zlay_plan_wave(&wave, plan) ? zlay_emit_ptx : zlay_emit_assembly;
    if (!exit) exit = emit_file(ctx, kernel, plan, options, options->out);
    if (!exit) exit = emit_file(ctx, zlay_emit_header, plan, options, options->header);
    return exit ? exit : model_run(ctx, plan, options);
}

int zl_plan_gemm(zlay_ctx *ctx, int argc, char **argv)
{
    zl_options options;
    int exit = ZL_EXIT_ERROR;
    if (!zl_options_read(&options, ZL_OF_PLAN, argc, argv)) return exit;
    const zlay_target *target;
    const zlay_gemm asked = options.gemm;
    if (zlay_target_find(&target, options.target, strlen(options.target)))
        return zl_no_target(options.target);
    if (options.cache && !zl_choice_gemm(ctx, target, &options)) return exit;
    zlay_plan *plan = zl_plan_of(ctx, &options, &exit);
    if (plan) exit = explained(ctx, plan);
    if (plan && !exit) exit = zl_rivals_gemm(ctx, plan, target, &asked, &options.gemm);
    if (plan && !exit) exit = plan_show(ctx, plan, &options);
    zlay_plan_free(plan);
    return exit;
}
