/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a kernel image before the driver takes it: an ELF file (cubin or code object) must be
 * of the right machine with all its headers and sections inside the image, since the driver
 * would read past its end; anything else must be PTX text. */
#include "runtime/image.h"

#include <elf.h>
#include <string.h>

static bool inside(uint64_t offset, uint64_t bytes, size_t length)
{
    return offset <= length && bytes <= length - offset;
}

static zlay_status truncated(zlay_ctx *ctx, const char *what, uint64_t offset, uint64_t bytes,
                             size_t length)
{
    return zl_fail(ctx, ZLAY_EINVAL,
                   "image: %s at byte %llu of %llu bytes passes the end of the image (%zu)", what,
                   (unsigned long long)offset, (unsigned long long)bytes, length);
}

static zlay_status section_check(zlay_ctx *ctx, const char *at, size_t length)
{
    Elf64_Shdr section;
    memcpy(&section, at, sizeof section);
    if (section.sh_type == SHT_NOBITS || inside(section.sh_offset, section.sh_size, length))
        return ZLAY_OK;
    return truncated(ctx, "a section", section.sh_offset, section.sh_size, length);
}

static zlay_status table_check(zlay_ctx *ctx, const char *what, uint64_t offset, uint64_t each,
                               uint64_t count, uint64_t least, size_t length)
{
    if (!count) return ZLAY_OK;
    if (each < least)
        return zl_fail(ctx, ZLAY_EINVAL, "image: %s has entries of %llu bytes", what,
                       (unsigned long long)each);
    return inside(offset, each * count, length)
               ? ZLAY_OK
               : truncated(ctx, what, offset, each * count, length);
}

static zlay_status elf_check(zlay_ctx *ctx, const char *image, size_t length,
                             uint16_t machine)
{
    Elf64_Ehdr head;
    if (length < sizeof head) return truncated(ctx, "the header", 0, sizeof head, length);
    memcpy(&head, image, sizeof head);
    if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_ident[EI_DATA] != ELFDATA2LSB ||
        head.e_machine != machine)
        return zl_fail(ctx, ZLAY_EINVAL,
                       "image: an ELF file of machine %u, not a 64-bit one of machine %u",
                       head.e_machine, machine);
    zlay_status status = table_check(ctx, "the section table", head.e_shoff, head.e_shentsize,
                                     head.e_shnum, sizeof(Elf64_Shdr), length);
    if (!status)
        status = table_check(ctx, "the program table", head.e_phoff, head.e_phentsize, head.e_phnum,
                             sizeof(Elf64_Phdr), length);
    for (unsigned i = 0; !status && i < head.e_shnum; i++)
        status = section_check(ctx, image + head.e_shoff + (size_t)i * head.e_shentsize, length);
    return status;
}

zlay_status zl_image_check(zlay_ctx *ctx, const void *image, size_t length, uint16_t machine,
                           bool takes_text)
{
    if (!length) return zl_fail(ctx, ZLAY_EINVAL, "image: it is empty");
    if (length >= SELFMAG && !memcmp(image, ELFMAG, SELFMAG))
        return elf_check(ctx, image, length, machine);
    if (!takes_text) return zl_fail(ctx, ZLAY_EINVAL, "image: not a code object (an ELF file)");
    const char *zero = memchr(image, 0, length);
    if (!zero) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_EINVAL, "image: neither a cubin nor PTX text: byte %zu is 0",
                   (size_t)(zero - (const char *)image));
}
