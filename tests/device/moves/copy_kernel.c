/* SPDX-License-Identifier: Apache-2.0 */
#include "copy_kernel.h"

#include <stdio.h>
#include <stdlib.h>

enum { DYNAMIC_SMEM = 8 };

void copy_must(cuda_result result, const char *what)
{
    if (!result) return;
    printf("%s: driver error %u\n", what, result);
    exit(2);
}

void copy_load(const cuda_now *cuda, copy_kernel *k, const char *text)
{
    copy_must(cuda->cuModuleLoadData(&k->module, text), text);
    copy_must(cuda->cuModuleGetFunction(&k->function, k->module, "moved"), "moved");
    if (k->smem)
        copy_must(cuda->cuFuncSetAttribute(k->function, DYNAMIC_SMEM, (int)k->smem), "smem");
}

void copy_launch(const cuda_now *cuda, const copy_kernel *k, void **parameters)
{
    copy_must(cuda->cuLaunchKernel(k->function, k->blocks, 1, 1, k->threads, 1, 1, k->smem, NULL,
                                   parameters, NULL), "launch");
}

void copy_of_transfer(const cuda_now *cuda, copy_kernel *k, zlay_ctx *ctx, const zlay_transfer *t)
{
    static char text[COPY_ROOM];
    zlay_buf buf = {text, sizeof text, 0};
    zlay_transfer_summary info;
    if (zlay_emit_transfer(ctx, &buf, t, "moved", 5) || zlay_transfer_info(&info, t)) exit(2);
    k->blocks = (unsigned)info.blocks;
    k->threads = info.threads;
    k->smem = 0;
    copy_load(cuda, k, text);
}
