/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "use_run.h"
#include "device/rig/cuda_now.h"
#include "device/rig/use_kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FAULTS_MOST = 100, DYNAMIC_SMEM = 8 };

typedef struct worker {
    cuda_now cuda;
    void *kernel;
    cuda_address global, init, stored, out;
} worker;

static cuda_address buffer(worker *w, size_t size, uint32_t salt)
{
    cuda_address at = 0;
    uint8_t *bytes = malloc(size);
    if (!bytes || w->cuda.cuMemAlloc_v2(&at, size)) _exit(3);
    use_fill(bytes, size, salt);
    if (w->cuda.cuMemcpyHtoD_v2(at, bytes, size)) _exit(3);
    free(bytes);
    return at;
}

static int worker_open(worker *w)
{
    static char ptx[sizeof use_ptx_begin + sizeof use_ptx_end];
    void *module = NULL;
    if (!cuda_open(&w->cuda)) return 0;
    strcpy(ptx, use_ptx_begin);
    strcat(ptx, use_ptx_end);
    if (w->cuda.cuModuleLoadData(&module, ptx) ||
        w->cuda.cuModuleGetFunction(&w->kernel, module, "use") ||
        w->cuda.cuFuncSetAttribute(w->kernel, DYNAMIC_SMEM, USE_SMEM + 64))
        return 0;
    w->global = buffer(w, USE_GLOBAL, USE_SALT_GLOBAL);
    w->init = buffer(w, USE_SMEM, USE_SALT_SMEM);
    w->stored = buffer(w, USE_SMEM, USE_SALT_STORED);
    w->out = buffer(w, USE_SMEM + 64, 0);
    return 1;
}

static cuda_result use_encode(const worker *w, const use_case *u, void *bits)
{
    const zlay_tensormap *m = &u->map;
    void *at = (void *)(uintptr_t)(m->address + (u->kind >= USE_STORE ? w->stored : w->global));
    if (m->mode)
        return w->cuda.cuTensorMapEncodeIm2col(
            bits, (unsigned)m->type, m->rank, at, m->extent, m->stride, m->lower, m->upper,
            m->channels, m->pixels, m->step, (unsigned)m->interleave, (unsigned)m->swizzle,
            (unsigned)m->l2, (unsigned)m->oob);
    return w->cuda.cuTensorMapEncodeTiled(bits, (unsigned)m->type, m->rank, at, m->extent,
                                          m->stride, m->box, m->step, (unsigned)m->interleave,
                                          (unsigned)m->swizzle, (unsigned)m->l2, (unsigned)m->oob);
}

static cuda_result use_launch(const worker *w, const use_case *u, void *bits, uint32_t more)
{
    uint32_t kind = (uint32_t)u->kind, op = kind * 10 + u->map.rank, size = USE_SMEM;
    uint32_t expect = kind < USE_STORE ? (uint32_t)use_bytes(&u->map) + more : 0, at = u->at;
    int32_t c[5];
    uint32_t o[3] = {u->offset[0], u->offset[1], u->offset[2]};
    cuda_address out = w->out, init = w->init;
    memcpy(c, u->coordinate, sizeof c);
    void *parameters[] = {bits,  &out,  &init, &op,   &at,   &expect, &size, &c[0],
                          &c[1], &c[2], &c[3], &c[4], &o[0], &o[1],   &o[2]};
    cuda_result e = w->cuda.cuLaunchKernel(w->kernel, 1, 1, 1, 128, 1, 1, USE_SMEM + 64, NULL,
                                           parameters, NULL);
    return e ? e : w->cuda.cuCtxSynchronize();
}

static void use_one(worker *w, use_result *r, const use_case *u)
{
    _Alignas(128) unsigned char bits[128];
    uint8_t tail[16], fill[USE_SMEM];
    int store = u->kind >= USE_STORE;
    r->refused = use_encode(w, u, bits);
    if (r->refused) return;
    use_fill(fill, sizeof fill, USE_SALT_STORED);
    if (store && w->cuda.cuMemcpyHtoD_v2(w->stored, fill, sizeof fill)) _exit(3);
    if (u->kind < USE_STORE) {
        r->fault = use_launch(w, u, bits, 16);
        if (r->fault || w->cuda.cuMemcpyDtoH_v2(&r->late, w->out + USE_SMEM, 4)) _exit(4);
    }
    r->fault = use_launch(w, u, bits, 0);
    if (r->fault) _exit(4);
    if (w->cuda.cuMemcpyDtoH_v2(r->bytes, store ? w->stored : w->out, USE_SMEM) ||
        w->cuda.cuMemcpyDtoH_v2(tail, w->out + USE_SMEM, sizeof tail))
        _exit(3);
    memcpy(&r->landed, tail, 4);
    memcpy(&r->base, tail + 4, 4);
}

static int work(use_result *results, uint64_t *next, use_source *source, uint64_t seed,
                uint64_t count)
{
    worker w;
    if (!worker_open(&w)) return 2;
    while (*next < count) {
        use_case u = source(seed, *next);
        use_one(&w, &results[(*next)++], &u);
    }
    return 0;
}

static void *shared(size_t size)
{
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

int use_run(use_result *results, use_source *source, uint64_t seed, uint64_t count)
{
    uint64_t *next = shared(sizeof *next);
    use_result *all = shared(count * sizeof *all);
    int status = 1;
    if (!next || !all) return 0;
    for (int faults = 0; *next < count && faults < FAULTS_MOST; faults++) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) _exit(work(all, next, source, seed, count));
        if (child < 0 || waitpid(child, &status, 0) < 0) return 0;
        if (WIFEXITED(status) && WEXITSTATUS(status) == 2) return 0;
    }
    memcpy(results, all, count * sizeof *all);
    return *next == count;
}
