/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of waves and their text, put to LLVM's assembler and linker.  A file that includes it defines
 * _DEFAULT_SOURCE first. */
#ifndef TEST_WAVE_GEMM_H
#define TEST_WAVE_GEMM_H

#include "test.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>
#include <zlay/zlay.h>

enum { WAVE_ROOM = 1 << 20, WAVE_TARGETS = 3 };
static const char *const wave_targets[WAVE_TARGETS] = {"gfx90a", "gfx942", "gfx950"};

static inline const zlay_target *wave_target(const char *name)
{
    const zlay_target *target = NULL;
    assert_int_equal(zlay_target_find(&target, name, strlen(name)), ZLAY_OK);
    return target;
}

static inline zlay_gemm wave_gemm(uint64_t m, uint64_t n, uint64_t k)
{
    return (zlay_gemm){.size = sizeof(zlay_gemm), .m = m, .n = n, .k = k};
}

static inline zlay_plan *wave_plan(zlay_ctx *ctx, const char *target, const zlay_gemm *gemm)
{
    zlay_plan *plan = NULL;
    if (zlay_gemm_synth(ctx, &plan, wave_target(target), gemm)) fail_msg("%s: %s", target, zlay_ctx_message(ctx));
    return plan;
}

/* The kernel's text, the caller's to free. */
static inline char *wave_text(zlay_ctx *ctx, const zlay_plan *plan)
{
    zlay_buf buf = {calloc(1, WAVE_ROOM), WAVE_ROOM - 1, 0};
    assert_non_null(buf.text);
    if (zlay_emit_assembly(ctx, &buf, plan, "gemm", 4)) fail_msg("%s", zlay_ctx_message(ctx));
    return buf.text;
}

static inline void wave_need_tools(void)
{
    if (system("command -v llvm-mc-22 >/dev/null && command -v ld.lld-22 >/dev/null && command -v llvm-objdump-22 >/dev/null")) skip();
}

/* A file of its own with a text; its name, at least 64 bytes. */
static inline void wave_file(char *name, const char *text, size_t length)
{
    strcpy(name, "/tmp/zlay-wave-XXXXXX.s");
    int file = mkstemps(name, 2);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, length), (ssize_t)length);
    close(file);
}

/* Assembled to `name`.o; what the assembler says goes nowhere. */
static inline bool wave_assembles(const char *cpu, const char *name)
{
    char command[300];
    snprintf(command, sizeof command, "llvm-mc-22 -triple=amdgcn-amd-amdhsa -mcpu=%s -filetype=obj -o %s.o %s 2>/dev/null",
             cpu, name, name);
    return system(command) == 0;
}

static inline bool wave_links(const char *name)
{
    char command[300];
    snprintf(command, sizeof command, "ld.lld-22 -shared -o %s.hsaco %s.o", name, name);
    return system(command) == 0;
}

static inline void wave_remove(const char *name)
{
    char other[80];
    snprintf(other, sizeof other, "%s.o", name);
    unlink(other);
    snprintf(other, sizeof other, "%s.hsaco", name);
    unlink(other);
    unlink(name);
}

#endif
