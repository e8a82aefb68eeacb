/* SPDX-License-Identifier: Apache-2.0 */
/* ck_host.cpp: what a host of CK-Tile fixes before it launches a GEMM, asked of zlay first, for gfx942 and f16: the buffer resource of
 * A, the widest load along K, the tile of A in LDS in the three forms that CK's policies have (plain, with a row of padding, with
 * K0 XORed by the row), and a kernel. CK's descriptors are layouts: tests/oracle/ck_layout.c compares 1,000 with CK's own offsets.
 * Build: c++ -std=c++17 ck_host.cpp $(pkg-config --cflags --libs zlay zlay-runtime)
 * Run: ./ck_host [LDA]   4096 x 4096, rows of LDA elements (4096)
 * It prints one line: `resource as CK-Tile's; loads of 16 bytes; LDS read in 64 wavefronts plain, 8 padded, 8 XORed; kernel of ...`,
 * and writes gemm.s, which ../gemm_hip links and launches. Status 2: zlay refuses; the message says what. */
#include <zlay/zlay.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

constexpr uint32_t M = 4096, N = 4096, K = 4096, TILE_M = 128, PACK = 8; /* f16 of 16 bytes */

const zlay_target *gfx942;

/* CK-Tile's make_wave_buffer_resource: pointer, bytes, and the word 0x00020000 of gfx9. */
bool resource_is_cks(uint64_t at, uint32_t bytes)
{
    zlay_buffer buffer{};
    buffer.base = at, buffer.records = bytes, buffer.data_format = 4;
    if (zlay::value(zlay_buffer_check, nullptr, 0, gfx942, &buffer).answer != ZLAY_YES) return false;
    const auto packed = zlay::value(zlay_buffer_pack, gfx942, &buffer);
    return packed.word[0] == uint32_t(at) && packed.word[1] == uint32_t(at >> 32) && packed.word[2] == bytes && packed.word[3] == 0x00020000;
}

/* Bytes of the widest load along K, of rows that begin `lda` elements apart. */
uint64_t width(const zlay::context &ctx, uint64_t lda)
{
    const uint32_t along_k[] = {1};
    auto request = zlay::sized<zlay_vector_request>();
    request.elem_bytes = 2, request.base_align = 256;
    request.path = along_k, request.depth = 1;
    const std::string a = "(" + std::to_string(M) + "," + std::to_string(K) + "):(" + std::to_string(lda) + ",1)";
    return ctx.value(zlay_layout_vector_width, ctx.make(zlay_layout_parse, a), &request, nullptr);
}

/* Wavefronts in which a wave reads a tile (row, k): lane l has row l mod 32, and 8 of K, 16 bytes, from 8 (l / 32) on. */
uint32_t wavefronts(const zlay::context &ctx, const std::string &tile)
{
    const zlay::layout layout = ctx.make(zlay_layout_parse, tile);
    uint32_t addresses[ZLAY_BANK_LANES];
    for (uint32_t lane = 0; lane < ZLAY_BANK_LANES; lane++)
        addresses[lane] = 2 * uint32_t(zlay::value(zlay_layout_eval, 1, layout, lane % 32 + TILE_M * PACK * (lane / 32)));
    const auto count = zlay::value(zlay_bank_conflicts, gfx942, zlay::value(zlay_bank_find, "ds_read_b128"), addresses, ZLAY_BANK_LANES);
    if (count.answer != ZLAY_YES) throw zlay::error(ZLAY_NONE, "the phases of ds_read_b128 are not known");
    return count.wavefronts;
}

size_t kernel(const zlay::context &ctx, uint64_t lda)
{
    auto request = zlay::sized<zlay_gemm>();
    request.type = ZLAY_TYPE_F16;
    request.m = M, request.n = N, request.k = K, request.lda = lda;
    const zlay::plan plan = ctx.make(zlay_gemm_synth, gfx942, &request);
    const std::string text = ctx.text(zlay_emit_assembly, plan, "gemm");
    std::FILE *file = std::fopen("gemm.s", "w");
    const bool good = file && std::fwrite(text.data(), 1, text.size(), file) == text.size();
    if (!file || std::fclose(file) || !good) throw zlay::error(ZLAY_EINVAL, "gemm.s cannot be written");
    return text.size();
}

} // namespace

int main(int argc, char **argv)
try {
    const zlay::context ctx;
    const uint64_t lda = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : K;
    gfx942 = zlay::target("gfx942");
    const bool same = resource_is_cks(0x7f0012340000, 2 * M * K);
    const uint64_t load = width(ctx, lda);
    const uint32_t plain = wavefronts(ctx, "(128,(8,8)):(64,(1,8))"), padded = wavefronts(ctx, "(128,(8,8)):(8,(1,1032))"),
                   turned = wavefronts(ctx, "Sw<3,3,3> o 0 o (128,(8,8)):(64,(1,8))");
    const size_t bytes = kernel(ctx, lda);
    std::printf("resource %s; loads of %d bytes; LDS read in %u wavefronts plain, %u padded, %u XORed; kernel of %zu bytes\n",
                same ? "as CK-Tile's" : "unlike CK-Tile's", int(load), plain, padded, turned, bytes);
    return same ? 0 : 1;
} catch (const zlay::error &refused) {
    std::fprintf(stderr, "ck_host: %s\n", refused.what());
    return 2;
}
