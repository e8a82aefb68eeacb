/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the commands: exit codes, flags, and the plan that the gemm commands start from. */
#ifndef ZL_CLI_H
#define ZL_CLI_H

#include "json/ops/ops.h"

#include <stdbool.h>
#include <zlay/zlay.h>

/* Exit codes. */
enum {
    ZL_EXIT_YES = 0, /* yes, or done */
    ZL_EXIT_NO = 1,  /* no, or proved that there is none */
    ZL_EXIT_ERROR = 2,
    ZL_EXIT_UNSURE = 3, /* undecided, depends, or not run */
};

typedef int zl_command(zlay_ctx *ctx, int argc, char **argv);

#define COMMAND(words, call, arguments, text) zl_command call;
#include "cli/commands.def"

typedef struct zl_options {
    zlay_gemm gemm;
    zlay_attention attention;
    uint64_t candidates, rounds; /* what stands before `target` is at least 1 where it is given */
    const char *target, *name, *out, *header, *image, *cache, *device;
    uint64_t model, seed;
    bool model_given;
} zl_options;

/* Whose flag it is. */
enum {
    ZL_OF_PLAN = 1,
    ZL_OF_RUN = 2,
    ZL_OF_PLAN_ATTENTION = 4,
    ZL_OF_TUNE = 8,
    ZL_OF_RUN_ATTENTION = 16,
    ZL_OF_TUNE_ATTENTION = 32,
    ZL_OF_GEMM = ZL_OF_PLAN | ZL_OF_RUN | ZL_OF_TUNE,
    ZL_OF_ATTENTION = ZL_OF_PLAN_ATTENTION | ZL_OF_RUN_ATTENTION | ZL_OF_TUNE_ATTENTION,
    ZL_OF_PLANS = ZL_OF_PLAN | ZL_OF_PLAN_ATTENTION,
    ZL_OF_TUNES = ZL_OF_TUNE | ZL_OF_TUNE_ATTENTION,
    ZL_OF_CACHED = ZL_OF_PLANS | ZL_OF_TUNES,
    ZL_OF_ALL = ZL_OF_GEMM | ZL_OF_ATTENTION
};

/* Read the flags after a command's words; false, and said on stderr. */
bool zl_options_read(zl_options *out, int command, int argc, char **argv);
void zl_options_help(int commands); /* those of the flags' commands */

/* An operation of zlay batch: fields, answer, one sentence. */
void zl_op_show(const zl_op *op);

/* Say on stderr why a call failed; the exit code of its status. */
int zl_cli_say(zlay_ctx *ctx, zlay_status status, const char *what);

/* Say on stderr that there is no such target, and which is meant; the exit code. */
int zl_no_target(const char *name);

/* Plan what the options ask for; on failure `*exit` is the program's. */
zlay_plan *zl_plan_of(zlay_ctx *ctx, const zl_options *options, int *exit);

/* A file's bytes in memory that free() takes, with a 0 behind them; NULL, and said. */
char *zl_file_read(const char *path, size_t most, size_t *length);

/* Put a file there whole or not at all: a new one, or in the place of a regular file; false, and
 * said. */
bool zl_file_write(const char *path, const char *text, size_t length);

/* Say on stderr that a file cannot be read or written, and why, where that is known. */
void zl_file_failed(const char *verb, const char *path, const char *why);

/* What `write` puts into a buffer that is made large enough, in memory that free() takes; NULL, and
 * said. */
typedef zlay_status zl_text_writer(zlay_ctx *ctx, zlay_buf *out, const void *value);
zl_text_writer zl_write_pipe, zl_write_proof; /* of a pipe */
char *zl_text_of(zlay_ctx *ctx, zl_text_writer *write, const void *value, size_t *length);

/* The text of a plan's kernel or header in memory that free() takes; NULL, and said. */
typedef zlay_status zl_emitter(zlay_ctx *ctx, zlay_buf *out, const zlay_plan *plan,
                               const char *name, size_t length);
char *zl_plan_text(zlay_ctx *ctx, zl_emitter *emit, const zlay_plan *plan, const char *name,
                   size_t *length);

/* The most bytes that a cache has; whether there is no file of a name. */
enum { ZL_CACHE_MOST = 1 << 26 };
bool zl_file_lacks(const char *path);

/* The records of a cache; a file that may lack and is not there has none. NULL, and said. */
zlay_tuning *zl_cache_read(zlay_ctx *ctx, const char *path, bool may_lack);

/* What the cache says of the request, in place of what it leaves open, and prints which it is and
 * where it was measured; then what else there is and by which bound nothing better exists. */
bool zl_choice_gemm(zlay_ctx *ctx, const zlay_target *target, zl_options *options);
bool zl_choice_attention(zlay_ctx *ctx, const zlay_target *target, zl_options *options);
int zl_rivals_gemm(zlay_ctx *ctx, const zlay_plan *plan, const zlay_target *target,
                   const zlay_gemm *asked, const zlay_gemm *chosen);
int zl_rivals_attention(zlay_ctx *ctx, const zlay_attention_plan *plan, const zlay_target *target,
                        const zlay_attention *asked, const zlay_attention *chosen);

/* Decide a pipe again and print a line and, if asked, the pipe and its proof. */
int zl_pipe_prove(zlay_ctx *ctx, const zlay_pipe *pipe, bool print);

/* Decide the certificates and the pipe again, print a line each and, if asked, the proof. */
int zl_plan_prove(zlay_ctx *ctx, const zlay_plan *plan, bool print);

/* Prints a stage that was chosen of tiles of these extents, and the text of its pipe. */
int zl_stage_print(zlay_ctx *ctx, const zlay_stage *stage, uint32_t (*extent)[3], bool pipe);

#endif
