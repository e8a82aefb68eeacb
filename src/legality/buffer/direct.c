/* SPDX-License-Identifier: Apache-2.0 */
/* Loads to shared memory whose place M0 gives. Lanes in a row: LLVM 22, AMDGPUUsage, load.to.lds;
 * the offset at both ends: CDNA 3 ISA, 9.1.9 and 10.3, as ROCm/aiter, mla_global_load.hpp, cites
 * it; bits of M0: CK-Tile, amd_buffer_addressing.hpp. */
#include "base/request.h"
#include "rules/rule.h"

#include <zlay/direct.h>

enum { WORD = 4, THREE_WORDS = 12, WIDE = 16 };

/* Bits of M0 that a form reads. */
static const uint32_t m0_bits[] = {[ZLAY_DIRECT_BUFFER] = 0xffff, [ZLAY_DIRECT_GLOBAL] = 0x3fffc};

static const char source[] = "LLVM 22, AMDGPUUsage: 4 bytes a lane of up to 4, 16 of more";
static const char gap[] = "LLVM 22 has 16 bytes from lane to lane, ROCm's rocjitsu 12";

/* Where a word goes straight so do its parts, and where four do so do three. */
static bool has_width(const zlay_target *target, uint32_t bytes)
{
    uint64_t widths = zlay_target_direct(target);
    bool part = bytes == 1 || bytes == 2 || bytes == WORD;
    bool wide = bytes == THREE_WORDS || bytes == WIDE;
    return (part && widths >> WORD & 1) || (wide && widths >> WIDE & 1);
}

static zlay_status asked(const zlay_target *target, const zlay_direct *load)
{
    if (!target || !load || !zl_is_zero(load->reserved, sizeof load->reserved)) return ZLAY_EINVAL;
    if (!has_width(target, WORD)) return ZLAY_ENOTSUP;
    bool form = load->form == ZLAY_DIRECT_BUFFER || load->form == ZLAY_DIRECT_GLOBAL;
    return form && has_width(target, load->bytes) ? ZLAY_OK : ZLAY_EINVAL;
}

zlay_status zlay_direct_lands(zlay_direct_place *out, const zlay_target *target,
                              const zlay_direct *load)
{
    zlay_status status = out ? asked(target, load) : ZLAY_EINVAL;
    if (status) return status;
    uint32_t width = load->bytes < WORD ? WORD : load->bytes;
    bool known = load->bytes != THREE_WORDS;
    int64_t first = (int64_t)(load->m0 & m0_bits[load->form]) + load->offset;
    *out = (zlay_direct_place){.answer = known ? ZLAY_YES : ZLAY_UNDECIDED,
                               .stride = known ? width : 0,
                               .width = width,
                               .first = first,
                               .source = known ? source : NULL,
                               .gap = known ? NULL : gap};
    return ZLAY_OK;
}

zlay_status zlay_direct_m0(uint32_t *out, const zlay_target *target, const zlay_direct *load,
                           uint32_t first)
{
    zlay_status status = out ? asked(target, load) : ZLAY_EINVAL;
    if (status) return status;
    int64_t m0 = (int64_t)first - load->offset;
    if (m0 < 0 || m0 % WORD || m0 & ~(int64_t)m0_bits[load->form]) return ZLAY_NONE;
    *out = (uint32_t)m0;
    return ZLAY_OK;
}
