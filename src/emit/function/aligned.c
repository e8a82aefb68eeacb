/* SPDX-License-Identifier: Apache-2.0 */
/* NAME_aligned: a check of the addresses that are given to the function NAME. It computes a value
 * and does nothing else, so that the caller decides what happens where it is false. */
#include "emit/function/aligned.h"

#include <zlay/emit.h>

static bool any_needed(const zl_aligned_pointer *pointer, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (pointer[i].bytes > 1) return true;
    return false;
}

static void head_put(zl_text *out, const char *before, const char *name, size_t length)
{
    zl_puts(out, before);
    zl_put(out, name, length);
    zl_puts(out, "_aligned(");
}

/* A parameter of which nothing is needed has no name, as the compilers ask. */
static void c_put(zl_text *out, const zl_aligned_pointer *pointer, uint32_t count)
{
    const char *both = "";
    for (uint32_t i = 0; i < count; i++)
        zl_putf(out, "%sconst void *%s", i ? ", " : "", pointer[i].bytes > 1 ? pointer[i].name : "");
    zl_puts(out, ")\n{\n    return ");
    for (uint32_t i = 0; i < count; i++) {
        if (pointer[i].bytes <= 1) continue;
        zl_putf(out, "%s((unsigned long long)%s & %uull) == 0ull", both, pointer[i].name,
                (unsigned)pointer[i].bytes - 1);
        both = " && ";
    }
    zl_puts(out, ";\n}\n");
}

/* `all` gathers the low bits that must be 0. */
static void ptx_put(zl_text *out, const zl_aligned_pointer *pointer, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        zl_putf(out, "%s.param .b%d %s", i ? ", " : "", pointer[i].shared ? 32 : 64,
                pointer[i].name);
    zl_puts(out, ")\n{\n    .reg .b32 %one, %all;\n    .reg .pred %p;\n    mov.u32 %all, 0;\n");
    for (uint32_t i = 0; i < count; i++) {
        if (pointer[i].bytes <= 1) continue;
        zl_putf(out, "    ld.param.b32 %%one, [%s];\n    and.b32 %%one, %%one, %u;\n"
                "    or.b32 %%all, %%all, %%one;\n", pointer[i].name, (unsigned)pointer[i].bytes - 1);
    }
    zl_puts(out, "    setp.eq.u32 %p, %all, 0;\n    selp.b32 %one, 1, 0, %p;\n"
                 "    st.param.b32 [value], %one;\n    ret;\n}\n");
}

void zl_aligned_put(zl_text *out, int32_t language, const char *name, size_t length,
                    const zl_aligned_pointer *pointer, uint32_t count)
{
    bool ptx = language == ZLAY_TEXT_PTX;
    if (!any_needed(pointer, count)) return;
    head_put(out, ptx ? ".func (.param .b32 value) " :
                        "static __device__ __forceinline__ __attribute__((unused)) bool ",
             name, length);
    (ptx ? ptx_put : c_put)(out, pointer, count);
}
