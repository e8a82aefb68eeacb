/* SPDX-License-Identifier: Apache-2.0 */
/* A code object: assembled and linked by LLVM 22, disassembled, its kernel descriptor read from the
 * bytes (AMDGPUUsage, "Kernel Descriptor"). Who includes it defines _POSIX_C_SOURCE first. */
#ifndef TEST_GCN_OBJECT_H
#define TEST_GCN_OBJECT_H

#include "run.h"

#include <unistd.h>

/* Skip the test where LLVM 22 is not there. */
static inline void gcn_need_llvm(const char *what)
{
    if (!system("command -v llvm-mc-22 >/dev/null 2>&1 && command -v ld.lld-22 >/dev/null 2>&1 && "
                "command -v llvm-objdump-22 >/dev/null 2>&1 && command -v clang-22 >/dev/null 2>&1"))
        return;
    printf("SKIPPED: no LLVM 22 on this machine (llvm-22, clang-22, lld-22): %s\n", what);
    skip();
}

static inline char *gcn_file(const char *name, size_t *size)
{
    FILE *file = fopen(name, "rb");
    if (!file) fail_msg("cannot open %s", name);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = calloc(1, *size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static inline uint64_t gcn_number(const char *bytes, size_t size, size_t at, size_t count)
{
    uint64_t value = 0;
    if (at + count > size) fail_msg("the object ends before byte %zu", at + count);
    memcpy(&value, bytes + at, count);
    return value;
}

/* The section header i of a 64-bit ELF file. */
static inline size_t gcn_section(const char *elf, size_t size, size_t i)
{
    return gcn_number(elf, size, 40, 8) + i * gcn_number(elf, size, 58, 2);
}

/* Where in the file an address is. */
static inline size_t gcn_file_offset(const char *elf, size_t size, uint64_t address)
{
    for (size_t i = 0; i < gcn_number(elf, size, 60, 2); i++) {
        size_t s = gcn_section(elf, size, i);
        uint64_t from = gcn_number(elf, size, s + 16, 8), bytes = gcn_number(elf, size, s + 32, 8);
        bool loaded = gcn_number(elf, size, s + 8, 8) & 2;
        if (loaded && address >= from && address < from + bytes)
            return gcn_number(elf, size, s + 24, 8) + (address - from);
    }
    fail_msg("no section holds the address");
    return 0;
}

/* The address of a symbol. */
static inline uint64_t gcn_symbol(const char *elf, size_t size, const char *name)
{
    for (size_t i = 0; i < gcn_number(elf, size, 60, 2); i++) {
        size_t s = gcn_section(elf, size, i);
        if (gcn_number(elf, size, s + 4, 4) != 2) continue;
        size_t at = gcn_number(elf, size, s + 24, 8), bytes = gcn_number(elf, size, s + 32, 8);
        size_t strings = gcn_section(elf, size, gcn_number(elf, size, s + 40, 4));
        strings = gcn_number(elf, size, strings + 24, 8);
        for (size_t symbol = at; symbol < at + bytes; symbol += 24)
            if (!strcmp(elf + strings + gcn_number(elf, size, symbol, 4), name))
                return gcn_number(elf, size, symbol + 8, 8);
    }
    fail_msg("no symbol %s", name);
    return 0;
}

static inline void gcn_read_descriptor(gcn_code *code, const char *elf, size_t size,
                                       const char *name)
{
    char kd[100];
    snprintf(kd, sizeof kd, "%s.kd", name);
    uint64_t address = gcn_symbol(elf, size, kd);
    size_t at = gcn_file_offset(elf, size, address);
    gcn_kernel *k = &code->kernel;
    k->lds = (uint32_t)gcn_number(elf, size, at, 4);
    k->kernarg = (uint32_t)gcn_number(elf, size, at + 8, 4);
    k->rsrc3 = (uint32_t)gcn_number(elf, size, at + 44, 4);
    k->rsrc1 = (uint32_t)gcn_number(elf, size, at + 48, 4);
    k->rsrc2 = (uint32_t)gcn_number(elf, size, at + 52, 4);
    k->properties = (uint32_t)gcn_number(elf, size, at + 56, 2);
    int all = 8 * ((int)(k->rsrc1 & 63) + 1), accum = 4 * ((int)(k->rsrc3 & 63) + 1);
    k->vgprs = accum < all ? accum : all;
    k->agprs = all - k->vgprs;
    uint64_t entry = address + gcn_number(elf, size, at + 16, 8);
    k->entry = -1;
    for (int i = 0; i < code->lines; i++)
        if (code->line[i].at == entry) k->entry = i;
    assert_true(k->entry >= 0);
}

static inline void gcn_command(const char *format, const char *a, const char *b, const char *c)
{
    char command[400];
    snprintf(command, sizeof command, format, a, b, c);
    if (system(command)) fail_msg("failed: %s", command);
}

static inline char *gcn_disassembly(const char *directory, const char *object)
{
    char name[100];
    size_t size;
    gcn_command("llvm-objdump-22 -d %s/%s > %s/text", directory, object, directory);
    snprintf(name, sizeof name, "%s/text", directory);
    return gcn_file(name, &size);
}

static inline void gcn_write_file(const char *directory, const char *text)
{
    char name[100];
    snprintf(name, sizeof name, "%s/a.s", directory);
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* What the object `name` in a directory holds: a linked one has a kernel, another instructions alone. */
static inline gcn_code gcn_load(gcn_target target, const char *directory, const char *object,
                                const char *kernel)
{
    gcn_code code = {.target = target,
                     .kernel = {.entry = 0, .vgprs = 256, .agprs = 256, .lds = GCN_LDS}};
    char *lines = gcn_disassembly(directory, object), name[100];
    size_t size;
    gcn_read_code(&code, lines);
    free(lines);
    if (!kernel) return code;
    snprintf(name, sizeof name, "%s/%s", directory, object);
    char *elf = gcn_file(name, &size);
    gcn_read_descriptor(&code, elf, size, kernel);
    free(elf);
    return code;
}

/* Assembly text to what is executed; `kernel` NULL: instructions alone, not linked. */
static inline gcn_code gcn_assemble(gcn_target target, const char *text, const char *kernel)
{
    char directory[] = "/tmp/zlay-gcn-XXXXXX";
    assert_non_null(mkdtemp(directory));
    gcn_write_file(directory, text);
    gcn_command("llvm-mc-22 -triple=amdgcn-amd-amdhsa -mcpu=%s -filetype=obj -o %s/a.o %s/a.s",
                gcn_target_name[target], directory, directory);
    if (kernel) gcn_command("ld.lld-22 -shared -o %s/a.co %s/a.o%s", directory, directory, "");
    gcn_code code = gcn_load(target, directory, kernel ? "a.co" : "a.o", kernel);
    gcn_command("rm -r %s%s%s", directory, "", "");
    return code;
}

/* C of a file, compiled by clang. */
static inline gcn_code gcn_compile(gcn_target target, const char *file, const char *kernel)
{
    char directory[] = "/tmp/zlay-gcn-XXXXXX";
    assert_non_null(mkdtemp(directory));
    gcn_command("clang-22 -x c --target=amdgcn-amd-amdhsa -mcpu=%s -nogpulib -O2 -c -o %s/a.o %s",
                gcn_target_name[target], directory, file);
    gcn_command("ld.lld-22 -shared -o %s/a.co %s/a.o%s", directory, directory, "");
    gcn_code code = gcn_load(target, directory, "a.co", kernel);
    gcn_command("rm -r %s%s%s", directory, "", "");
    return code;
}

static inline void gcn_code_free(gcn_code *code) { free(code->line); }

#endif
