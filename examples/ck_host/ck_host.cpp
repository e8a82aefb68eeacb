/* SPDX-License-Identifier: Apache-2.0 */
/* ck_host.cpp: what a host of CK-Tile fixes before it launches a GEMM, asked of zlay first, for gfx942 and f16: the buffer resource of
 * A, the widest load along K, the tile of A in LDS in the three forms that CK's policies have (plain, with a row of padding, with
 * K0 XORed by the row), and a kernel. CK's descriptors are layouts: tests/oracle/ck_layout.c compares 1,000 with CK's own offsets.
 * Build: c++ -std=c++17 ck_host.cpp $(pkg-config --cflags --libs zlay zlay-runtime)
 * Run: ./ck_host [LDA]   4096 x 4096, rows of LDA elements (4096)
 * It prints one line: `resource as CK-Tile's; loads of 16 bytes; LDS read in 64 wavefronts plain, 8 padded, 8 XORed; kernel of ... bytes,
 * linked; 0 of 1000 sampled elements wrong`, or `not linked` where LLVM 22 is missing, and `not run: ` and why. Status 2: zlay refuses. */
#include <zlay/zlay.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

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

zlay_gemm request(uint64_t lda)
{
    auto request = zlay::sized<zlay_gemm>();
    request.type = ZLAY_TYPE_F16;
    request.m = M, request.n = N, request.k = K, request.lda = lda;
    return request;
}

/* The kernel as assembly in gemm.s, and the code object that LLVM makes of it; empty where there is no LLVM 22. */
std::string linked(const std::string &assembly)
{
    std::ofstream("gemm.s") << assembly;
    if (std::system("llvm-mc-22 -triple=amdgcn-amd-amdhsa -mcpu=gfx942 -filetype=obj -o gemm.o gemm.s && ld.lld-22 -shared -o gemm.hsaco gemm.o")) return "";
    std::ifstream image("gemm.hsaco", std::ios::binary);
    return {std::istreambuf_iterator<char>(image), {}};
}

/* Small integers, as f16 and back. */
int element(uint64_t x) { return int(x * 2654435761u >> 7 & 7) - 3; }
constexpr uint16_t HALF[] = {0xc200, 0xc000, 0xbc00, 0, 0x3c00, 0x4000, 0x4200, 0x4400}; /* -3 to 4 */
double value(uint16_t h)
{
    const int exponent = h >> 10 & 31, fraction = h & 1023;
    return (h >> 15 ? -1 : 1) * std::ldexp(exponent ? 1024 + fraction : fraction, (exponent ? exponent : 1) - 25);
}

struct memory { /* of the device */
    const zlay::context &ctx;
    zlay_device *device;
    uint64_t address = 0, bytes;
    memory(const zlay::context &c, zlay_device *d, uint64_t size) : ctx(c), device(d), bytes(size) { must(zlay_device_allocate(ctx.get(), &address, device, bytes)); }
    ~memory() { zlay_device_free(device, address); }
    memory(const memory &) = delete;
    void must(zlay_status status) const { if (status) throw zlay::error(status, ctx.message()); }
    void fill(uint64_t pitch, uint64_t salt) const
    {
        std::vector<uint16_t> cells(bytes / 2);
        for (size_t i = 0; i < cells.size(); i++) cells[i] = HALF[3 + (i % pitch < K ? element(i / pitch * K + i % pitch + salt) : 0)];
        must(zlay_device_upload(ctx.get(), device, address, cells.data(), bytes));
    }
};

unsigned wrong(const std::vector<uint16_t> &d)
{
    unsigned bad = 0;
    for (uint64_t s = 0; s < 1000; s++) {
        const uint64_t i = s * 7919 % M, j = s * 104729 % N;
        int sum = 0;
        for (uint64_t k = 0; k < K; k++) sum += element(i * K + k) * element(j * K + k + 1);
        bad += std::fabs(value(d[i * N + j]) - sum) > std::fabs(sum) / 2048; /* f16 has 11 bits */
    }
    return bad;
}

struct outcome {
    bool right;
    std::string says;
};

outcome run(const zlay::context &ctx, const zlay::plan &plan, const std::string &image, uint64_t lda)
{
    auto device = ctx.try_make(zlay_device_open_hip, 0);
    if (!device) return {true, "not run: " + std::string(device.message)};
    const zlay::kernel kernel = ctx.make(zlay_kernel_load, (*device).get(), plan, image.data(), image.size(), "gemm");
    const memory a(ctx, (*device).get(), 2 * M * lda), b(ctx, (*device).get(), 2ull * N * K), d(ctx, (*device).get(), 2ull * M * N);
    std::vector<uint16_t> result(size_t(M) * N);
    a.fill(lda, 0), b.fill(K, 1);
    d.must(zlay_kernel_bind(ctx.get(), kernel.get(), a.address, b.address, d.address));
    d.must(zlay_kernel_launch(ctx.get(), kernel.get(), nullptr));
    d.must(zlay_device_download(ctx.get(), result.data(), (*device).get(), d.address, d.bytes));
    const unsigned bad = wrong(result);
    return {!bad, std::to_string(bad) + " of 1000 sampled elements wrong"};
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
    const auto asked = request(lda);
    const zlay::plan plan = ctx.make(zlay_gemm_synth, gfx942, &asked);
    const std::string text = ctx.text(zlay_emit_assembly, plan, "gemm"), image = linked(text);
    const outcome ran = image.empty() ? outcome{true, "not run: no llvm-mc-22 and ld.lld-22"} : run(ctx, plan, image, lda);
    std::printf("resource %s; loads of %d bytes; LDS read in %u wavefronts plain, %u padded, %u XORed; kernel of %zu bytes, %s; %s\n",
                same ? "as CK-Tile's" : "unlike CK-Tile's", int(load), plain, padded, turned, text.size(), image.empty() ? "not linked" : "linked", ran.says.c_str());
    return same && ran.right ? 0 : 1;
} catch (const zlay::error &refused) {
    std::fprintf(stderr, "ck_host: %s\n", refused.what());
    return 2;
}
