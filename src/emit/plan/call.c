/* SPDX-License-Identifier: Apache-2.0 */
/* Prints how the kernel of a plan of groups is called, as a header of C and C++ for the host: what each argument is, a struct of them in
 * the kernel's order, the driver's calls that encode its maps, how shared memory and the workspace are prepared, and the launch. Numbers
 * are those of the plan, and arguments those of zlay_plan_argument_nth. */
#include "emit/plan/call.h"
#include "emit/function/tensormap.h"
#include "synth/gemm/groups.h"

#include <stdio.h>
#include <string.h>
#include <zlay/emit_pipe.h>

typedef unsigned long long ull;

enum { MAPS = 3, OPERANDS = 6 /* maps and addresses */, NAME = 96 };

/* Prints a prefix, zl_NAME and what follows. */
static void named(zl_text *out, const zl_call_text *t, const char *before, const char *after)
{
    zl_putf(out, "%szl_", before);
    zl_put(out, t->name, t->length);
    zl_puts(out, after);
}

/* The request's letter of a planned operand. */
static char letter_of(const zlay_plan_summary *info, int32_t operand)
{
    return operand == ZLAY_OPERAND_D ? 'D' : (operand == ZLAY_OPERAND_B) != (info->swapped != 0) ? 'B' : 'A';
}

static const char *type_of(const zlay_pipe_argument *a)
{
    if (a->kind == ZLAY_ARGUMENT_MAP) return "CUtensorMap";
    if (a->kind == ZLAY_ARGUMENT_POINTER) return "CUdeviceptr";
    return a->type == ZLAY_TYPE_F32 ? "float" : a->type == ZLAY_TYPE_S32 ? "int32_t" : "uint32_t";
}

/* ---- what each argument is ------------------------------------------------------------------ */

static void shape_put(zl_text *out, const zlay_plan_summary *info)
{
    ull groups = info->groups, rows = zl_groups_rows(info);
    ull m = info->swapped ? info->n : info->m, n = info->swapped ? info->m : info->n;
    if (zl_groups_in_k(info))
        zl_putf(out, " * D[g] = A[g] B[g] for %llu groups: rows of A and B that belong to group g are elements of K, of which all groups have\n"
                     " * at most %llu together; D is %llu matrices of %llu x %llu, and that of a group without rows is 0.\n", groups, rows, groups, m, n);
    else
        zl_putf(out, " * D[g] = A[g] B[g] for %llu groups: rows of A and D lie one below the other, at most %llu together; B is a matrix of\n"
                     " * K = %llu by N = %llu for each group. Rows of D that no group has stay as they are.\n", groups, rows, (ull)info->k, n);
}

static void argument_put(zl_text *out, const zlay_plan_summary *info, const zlay_pipe_argument *a, uint32_t i)
{
    zl_putf(out, " *   %-10s ", a->name);
    if (i < OPERANDS) {
        char letter = letter_of(info, (int32_t)(i % MAPS));
        zl_putf(out, i < MAPS ? "the map of the request's %c, 128 bytes by value\n" : "the address of the request's %c, a multiple of 16\n", letter);
    } else if (!strcmp(a->name, "offsets")) {
        zl_putf(out, "the address of %llu s32 on the device: group g has the rows from offsets[g] to below offsets[g + 1].\n"
                     " *              Each counts as at least the one before, at least 0 and at most %llu\n",
                (ull)info->groups + 1, (ull)zl_groups_rows(info));
    } else if (!strcmp(a->name, "workspace")) {
        zl_putf(out, "the address of %llu bytes on the device, a multiple of 256: 0 before the first launch, and each launch leaves them 0.\n"
                     " *              Launches that run at the same time have a workspace each\n", (ull)info->workspace);
    } else if (a->kind == ZLAY_ARGUMENT_POINTER) {
        zl_putf(out, "the address of an array of %s: scales, or an array of the epilogue\n", zlay_type_name(a->type));
    } else {
        zl_puts(out, "a scalar of the epilogue\n");
    }
}

static void opening_put(zl_text *out, const zl_call_text *t)
{
    const zlay_plan_summary *info = &t->plan->info;
    zlay_pipe_argument a;
    zl_putf(out, "/* zlay %s: how the kernel ", zlay_version());
    zl_put(out, t->name, t->length);
    zl_putf(out, " of a product of groups is called, %s; for the host, in C or C++.\n", zlay_target_name(info->target));
    shape_put(out, info);
    zl_puts(out, " *\n * Arguments, in the kernel's order:\n");
    for (uint32_t i = 0; !zlay_plan_argument_nth(&a, t->plan, i); i++) argument_put(out, info, &a, i);
    zl_putf(out, " *\n * A grid has any number of blocks along x, and those past %llu have no work; one for each processor is as good as more. A block is a\n"
                 " * cluster of its own and has %u threads and %u bytes of dynamic shared memory, which the kernel must be allowed before. Nothing is\n"
                 " * read on the host: a launch may be captured in a graph. */\n", (ull)info->clusters, info->threads, info->smem);
}

/* ---- code ------------------------------------------------------------------------------------ */

static void constants_put(zl_text *out, const zl_call_text *t)
{
    const zlay_plan_summary *info = &t->plan->info;
    const struct {
        const char *name;
        ull value;
    } rows[] = {{"_groups", info->groups}, {"_rows", zl_groups_rows(info)}, {"_threads", info->threads}, {"_cluster", info->cluster},
                {"_smem", info->smem},     {"_blocks", info->clusters > INT32_MAX ? INT32_MAX : info->clusters}, {"_workspace", info->workspace}};
    zl_puts(out, "enum {\n");
    for (size_t i = 0; i < ZL_COUNT(rows); i++) {
        named(out, t, "    ", rows[i].name);
        zl_putf(out, " = %llu%s\n", rows[i].value, i + 1 < ZL_COUNT(rows) ? "," : "");
    }
    zl_puts(out, "};\n\n");
}

static void struct_put(zl_text *out, const zl_call_text *t)
{
    zlay_pipe_argument a;
    zl_puts(out, "typedef struct ");
    named(out, t, "", "_arguments {\n");
    for (uint32_t i = 0; !zlay_plan_argument_nth(&a, t->plan, i); i++) zl_putf(out, "    %s %s;\n", type_of(&a), a.name);
    named(out, t, "} ", "_arguments;\n\n");
}

static void maps_put(zl_text *out, const zl_call_text *t)
{
    for (int32_t o = 0; o < MAPS; o++) {
        char name[NAME];
        zlay_tensormap map;
        if (zlay_plan_map(&map, t->plan, o)) return;
        int length = snprintf(name, sizeof name, "zl_%.*s_tensor_%c", (int)t->length, t->name, "abd"[o]);
        zl_tensormap_call_put(out, &map, name, (size_t)length);
    }
    zl_puts(out, "\n");
}

/* The maps and addresses of the request's A, B and D. */
static void bind_put(zl_text *out, const zl_call_text *t)
{
    static const char lower[] = {'a', 'b', 'd'};
    named(out, t, "/* Sets the maps and addresses of the request's A, B and D. */\nstatic inline __attribute__((unused)) CUresult ", "_bind(");
    named(out, t, "", "_arguments *x, CUdeviceptr a, CUdeviceptr b, CUdeviceptr d)\n{\n    CUresult result = CUDA_SUCCESS;\n");
    for (int32_t o = 0; o < MAPS; o++) {
        char of = (char)(letter_of(&t->plan->info, o) + ('a' - 'A'));
        zl_putf(out, "    x->ptr_%c = %c;\n    if (result == CUDA_SUCCESS) result = ", lower[o], of);
        named(out, t, "", "_tensor_");
        zl_putf(out, "%c_encode(&x->tensor_%c, (void *)(uintptr_t)%c);\n", lower[o], lower[o], of);
    }
    zl_puts(out, "    return result;\n}\n\n");
}

static void prepare_put(zl_text *out, const zl_call_text *t)
{
    bool counts = t->plan->info.workspace != 0;
    zl_puts(out, counts ? "/* Once, behind the kernel's load: its shared memory is allowed, and the workspace cleared. */\n"
                        : "/* Once, behind the kernel's load: its shared memory is allowed. */\n");
    named(out, t, "static inline __attribute__((unused)) CUresult ", "_prepare(CUfunction kernel");
    zl_puts(out, counts ? ", CUdeviceptr workspace)\n{\n" : ")\n{\n");
    named(out, t, "    CUresult result = cuFuncSetAttribute(kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, ", "_smem);\n");
    if (counts) {
        named(out, t, "    if (result == CUDA_SUCCESS) result = cuMemsetD8(workspace, 0, ", "_workspace);\n");
        zl_puts(out, "    if (result == CUDA_SUCCESS) result = cuCtxSynchronize();\n");
    }
    zl_puts(out, "    return result;\n}\n\n");
}

static void launch_put(zl_text *out, const zl_call_text *t)
{
    zlay_pipe_argument a;
    zl_puts(out, "/* Launches with a block for each processor of the device, and no more than have work. */\nstatic inline __attribute__((unused)) CUresult ");
    named(out, t, "", "_launch(CUfunction kernel, ");
    named(out, t, "", "_arguments *x, unsigned processors, CUstream stream)\n{\n    void *list[] = {");
    for (uint32_t i = 0; !zlay_plan_argument_nth(&a, t->plan, i); i++) zl_putf(out, "%s&x->%s", i ? ", " : "", a.name);
    named(out, t, "};\n    unsigned most = ", "_blocks, blocks = processors < most ? processors : most;\n");
    named(out, t, "    return cuLaunchKernel(kernel, blocks, 1, 1, ", "_threads, 1, 1, ");
    named(out, t, "", "_smem, stream, list, NULL);\n}\n");
}

void zl_call_write(zl_text *out, const void *value)
{
    const zl_call_text *t = value;
    opening_put(out, t);
    named(out, t, "#ifndef ", "_call_h\n");
    named(out, t, "#define ", "_call_h\n");
    zl_puts(out, "#include <cuda.h>\n#include <stddef.h>\n#include <stdint.h>\n\n");
    constants_put(out, t);
    struct_put(out, t);
    maps_put(out, t);
    bind_put(out, t);
    prepare_put(out, t);
    launch_put(out, t);
    zl_puts(out, "#endif\n");
}
