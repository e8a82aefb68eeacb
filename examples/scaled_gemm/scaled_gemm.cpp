/* SPDX-License-Identifier: Apache-2.0 */
/* scaled_gemm.cpp: D = A B of e4m3 with a scale for each 1 x 128 of A and each 128 x 128 of B, as training and serving in 8 bits use
 * them. Numbers of N(0, 1) are quantised here, block by block; zlay plans the product, says which scale belongs where, and prints
 * the kernel, which adds the sums of each 128 of K in f32. On a Hopper GPU it runs, and elements are compared with double.
 * Build: c++ -std=c++17 scaled_gemm.cpp $(pkg-config --cflags --libs zlay zlay-runtime)
 * Run: ./scaled_gemm [M N K]   It prints one line, `0 of 1000 sampled elements wrong`, or `not run: ` and why. */
#include <zlay/zlay.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

namespace {

constexpr size_t BLOCK = 128;
constexpr float LARGEST = 448; /* of e4m3 */
constexpr unsigned SAMPLED = 1000;

/* ---- e4m3 ---- */

float value(uint8_t bits)
{
    const int exponent = bits >> 3 & 15, fraction = bits & 7;
    const float number = exponent ? std::ldexp(float(8 + fraction), exponent - 10) : std::ldexp(float(fraction), -9);
    return bits & 128 ? -number : number;
}

/* The nearest number that e4m3 has. 0x7f is NaN. */
uint8_t nearest(float number)
{
    static const std::vector<float> all = [] {
        std::vector<float> made(127);
        for (int i = 0; i < 127; i++) made[size_t(i)] = value(uint8_t(i));
        return made;
    }();
    const float size = std::min(std::fabs(number), LARGEST);
    const auto above = size_t(std::lower_bound(all.begin(), all.end(), size) - all.begin());
    const size_t which = above && size - all[above - 1] < all[above] - size ? above - 1 : above;
    return uint8_t(which | (std::signbit(number) ? 128 : 0));
}

/* A matrix of `rows` lines of K, its numbers, and the scale of each block of `high` lines and 128 of K. */
struct quantised {
    size_t rows, k, high;
    bool by_block; /* [block of K][line], else [block of lines][block of K], as docs/gemm.md says */
    std::vector<uint8_t> bits;
    std::vector<float> scale;

    size_t blocks() const { return (k + BLOCK - 1) / BLOCK; }
    float &scale_of(size_t row, size_t i) { return scale[by_block ? i / BLOCK * rows + row : row / high * blocks() + i / BLOCK]; }
    double number(size_t row, size_t i) { return double(value(bits[row * k + i])) * scale_of(row, i); }
};

quantised made(size_t rows, size_t k, size_t high, std::mt19937 &random)
{
    quantised m = {rows, k, high, high == 1, std::vector<uint8_t>(rows * k), {}};
    std::vector<float> numbers(rows * k);
    std::normal_distribution<float> normal;
    for (float &x : numbers) x = normal(random);
    m.scale.assign((rows + high - 1) / high * m.blocks(), 0);
    for (size_t r = 0; r < rows; r++)
        for (size_t i = 0; i < k; i++) m.scale_of(r, i) = std::max(m.scale_of(r, i), std::fabs(numbers[r * k + i]) / LARGEST);
    for (size_t r = 0; r < rows; r++)
        for (size_t i = 0; i < k; i++) m.bits[r * k + i] = nearest(numbers[r * k + i] / m.scale_of(r, i));
    return m;
}

/* ---- the device ---- */

struct world {
    const zlay::context &ctx;
    zlay_device *device;
    std::vector<uint64_t> taken;

    uint64_t with(const void *from, size_t bytes)
    {
        const uint64_t address = ctx.value(zlay_device_allocate, device, bytes);
        taken.push_back(address);
        if (zlay_device_upload(ctx.get(), device, address, from, bytes)) throw zlay::error(ZLAY_EDRIVER, ctx.message());
        return address;
    }
    ~world()
    {
        for (uint64_t address : taken) zlay_device_free(device, address);
    }
};

/* The tensor map of operand `o` at its address, or the address itself. */
void put(std::vector<unsigned char> &bytes, const zlay::plan &plan, const zlay_pipe_argument &a, uint32_t o, uint64_t address)
{
    uint64_t words[16] = {address};
    if (a.kind == ZLAY_ARGUMENT_MAP) {
        auto map = zlay::value(zlay_plan_map, plan, int32_t(o));
        map.address = address;
        zlay_tensormap_pack(words, zlay::target("sm_90a"), &map);
    }
    bytes.resize((bytes.size() + a.bytes - 1) / a.bytes * a.bytes);
    bytes.insert(bytes.end(), reinterpret_cast<unsigned char *>(words), reinterpret_cast<unsigned char *>(words) + a.bytes);
}

/* Maps of A, B and D, their addresses, then what the names say: the scales of A and of B. */
std::vector<unsigned char> packed(const zlay::plan &plan, const uint64_t (&address)[3], uint64_t sa, uint64_t sb)
{
    std::vector<unsigned char> bytes;
    zlay_pipe_argument a;
    for (uint32_t i = 0; !zlay_plan_argument_nth(&a, plan, i); i++)
        put(bytes, plan, a, i % 3, i < 6 ? address[i % 3] : std::string(a.name) == "read_sa" ? sa : sb);
    return bytes;
}

void run(world &w, const zlay::plan &plan, const std::string &text, const std::vector<unsigned char> &arguments)
{
    const auto info = zlay::value(zlay_plan_info, plan);
    const auto processors = zlay::value(zlay_device_info, w.device).processors;
    const zlay::device_module module = w.ctx.make(zlay_module_load, w.device, text.data(), text.size(), "product", info.smem);
    const zlay_launch launch = {{uint32_t(std::min<uint64_t>(info.clusters, processors)), 1, 1}, {info.threads, 1, 1}, info.smem, 0};
    zlay_status status = zlay_module_launch(w.ctx.get(), module.get(), &launch, arguments.data(), arguments.size(), nullptr);
    if (!status) status = zlay_device_wait(w.ctx.get(), w.device);
    if (status) throw zlay::error(status, w.ctx.message());
}

/* Elements of D, in f32, that are not the sum of the quantised numbers: sums of 128 have 13 bits or more, D all of f32. */
unsigned wrong(quantised &a, quantised &b, const std::vector<float> &d, std::mt19937 &random)
{
    unsigned count = 0;
    for (unsigned s = 0; s < SAMPLED; s++) {
        const size_t row = random() % a.rows, column = random() % b.rows;
        double sum = 0, size = 0;
        for (size_t i = 0; i < a.k; i++) {
            const double product = a.number(row, i) * b.number(column, i);
            sum += product, size += std::fabs(product);
        }
        count += !(std::fabs(d[row * b.rows + column] - sum) <= size * std::ldexp(1.0, -12));
    }
    return count;
}

} // namespace

int main(int argc, char **argv)
try {
    const zlay::context ctx;
    auto asked = zlay::sized<zlay_gemm>();
    uint64_t *const sizes[] = {&asked.m, &asked.n, &asked.k};
    asked.m = 1000, asked.n = 776, asked.k = 2064;
    for (int i = 1; i < argc && i < 4; i++) *sizes[i - 1] = std::strtoull(argv[i], nullptr, 10);
    asked.type = ZLAY_TYPE_E4M3, asked.d_type = ZLAY_TYPE_F32;
    asked.a_scales = ZLAY_SCALES_LINE, asked.b_scales = ZLAY_SCALES_BLOCK;
    const zlay::plan plan = ctx.make(zlay_gemm_synth, zlay::target("sm_90a"), &asked);
    const std::string text = ctx.text(zlay_emit_ptx, plan, "product");
    for (int32_t o = 0; o < 2; o++) {
        const auto s = zlay::value(zlay_plan_scales, plan, o);
        std::printf("scales of %c: [%llu][%llu], of %u x %u each\n", "AB"[o], static_cast<unsigned long long>(s.shape[0]),
                    static_cast<unsigned long long>(s.shape[1]), s.block[0], s.block[1]);
    }
    auto device = ctx.try_make(zlay_device_open, 0);
    if (!device) {
        std::printf("not run: %s\n", device.message);
        return 0;
    }
    std::mt19937 random(1);
    quantised a = made(asked.m, asked.k, 1, random), b = made(asked.n, asked.k, BLOCK, random);
    std::vector<float> d(asked.m * asked.n, NAN);
    world w = {ctx, (*device).get(), {}};
    const uint64_t address[3] = {w.with(a.bits.data(), a.bits.size()), w.with(b.bits.data(), b.bits.size()), w.with(d.data(), d.size() * sizeof d[0])};
    const auto arguments = packed(plan, address, w.with(a.scale.data(), a.scale.size() * sizeof(float)), w.with(b.scale.data(), b.scale.size() * sizeof(float)));
    run(w, plan, text, arguments);
    if (zlay_device_download(ctx.get(), d.data(), w.device, address[2], d.size() * sizeof d[0])) throw zlay::error(ZLAY_EDRIVER, ctx.message());
    const unsigned bad = wrong(a, b, d, random);
    std::printf("%u of %u sampled elements wrong\n", bad, SAMPLED);
    return bad != 0;
} catch (const zlay::error &refused) {
    std::fprintf(stderr, "scaled_gemm: %s\n", refused.what());
    return 2;
}
