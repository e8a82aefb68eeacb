/* SPDX-License-Identifier: Apache-2.0 */
/* attention.cpp: causal attention of bf16, from a request to a result. zlay plans it, the proof of its pipe is made once more
 * here, and its kernel is printed as PTX. On a Hopper GPU it runs on random data, with the tensor maps that zlay writes without a
 * driver, and rows of the result are compared with a softmax in double.
 * Build: c++ -std=c++17 attention.cpp $(pkg-config --cflags --libs zlay zlay-runtime)
 * Run: ./attention [TOKENS]   It prints one line, `0 of 33 rows wrong`, or `not run: ` and why. */
#include <zlay/zlay.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

namespace {

constexpr uint32_t BATCH = 2, HEADS = 3, HEAD = 128, ROWS_SEEN = 32;

/* [batch][token][head][element] in bf16, on both sides. */
struct tensor {
    std::vector<uint16_t> bits;
    uint64_t address = 0;
};

float value(uint16_t bits)
{
    const uint32_t word = uint32_t(bits) << 16;
    float number;
    std::memcpy(&number, &word, sizeof number);
    return number;
}

/* The upper half of a float: a number near it that bf16 has. */
uint16_t bits_of(float number)
{
    uint32_t word;
    std::memcpy(&word, &number, sizeof word);
    return uint16_t(word >> 16);
}

struct world {
    const zlay::context &ctx;
    zlay_device *device;
    size_t tokens;
    tensor q, k, v, o;

    size_t index(size_t b, size_t token, size_t head) const { return ((b * tokens + token) * HEADS + head) * HEAD; }

    tensor made(std::mt19937 &random) const
    {
        tensor t;
        std::normal_distribution<float> normal;
        t.bits.resize(BATCH * tokens * HEADS * HEAD);
        for (uint16_t &x : t.bits) x = bits_of(normal(random));
        const size_t bytes = t.bits.size() * sizeof t.bits[0];
        t.address = ctx.value(zlay_device_allocate, device, bytes);
        if (zlay_device_upload(ctx.get(), device, t.address, t.bits.data(), bytes)) throw zlay::error(ZLAY_EDRIVER, ctx.message());
        return t;
    }

    uint64_t address_of(char name) const { return name == 'q' ? q.address : name == 'k' ? k.address : name == 'v' ? v.address : o.address; }
};

zlay_attention request(size_t tokens)
{
    auto asked = zlay::sized<zlay_attention>();
    asked.batch = BATCH, asked.heads = HEADS, asked.head = HEAD;
    asked.queries = asked.keys = tokens;
    asked.causal = 1;
    return asked;
}

/* ---- the kernel ---- */

struct kernel {
    std::string text;
    zlay_pipe_launch launch{};
    std::vector<zlay_pipe_argument> arguments;
};

kernel printed(const zlay::context &ctx, const zlay::attention &plan)
{
    kernel k;
    auto ask = zlay::sized<zlay_attention_emit>();
    ask.plan = plan, ask.name = "attention", ask.name_length = 9;
    k.arguments.resize(32);
    k.text = ctx.text(zlay_emit_attention, &k.launch, k.arguments.data(), k.arguments.size(), &ask);
    k.arguments.resize(k.launch.arguments);
    return k;
}

/* Proved again, by the verifier that proves any pipe. */
bool holds(const zlay::context &ctx, const zlay::attention &plan)
{
    zlay_answer answer = ZLAY_NO;
    size_t reasons = 0;
    return !zlay_pipe_verify(ctx.get(), &answer, nullptr, 0, &reasons, nullptr, zlay_attention_pipe(plan)) && answer == ZLAY_YES;
}

/* All maps of the plan's moves, in the order of the arguments, on the tensors' addresses. */
std::vector<zlay_tensormap> maps_of(const world &w, const zlay::attention &plan)
{
    std::vector<zlay_tensormap> maps;
    const zlay_move *move;
    char name;
    for (uint32_t i = 0; !zlay_attention_move_nth(&move, &name, plan, i); i++)
        for (uint32_t m = 0; m < zlay::value(zlay_move_info, move).maps; m++) {
            maps.push_back(zlay::value(zlay_move_map_nth, move, m));
            maps.back().address += w.address_of(name);
        }
    return maps;
}

/* Arguments stand one behind the other, each at a multiple of its alignment: 128 of a map. */
std::vector<unsigned char> packed(const world &w, const zlay::attention &plan, const kernel &k)
{
    const auto maps = maps_of(w, plan);
    const uint32_t tiles = uint32_t(zlay::value(zlay_attention_info, plan).tiles), tokens = uint32_t(w.tokens);
    const float scale = float(1 / std::log(2.0) / std::sqrt(double(HEAD))); /* of the scores, as powers of 2 */
    std::vector<unsigned char> bytes;
    size_t map = 0;
    for (const zlay_pipe_argument &a : k.arguments) {
        uint64_t words[16] = {0};
        const std::string name = a.name;
        if (a.kind == ZLAY_ARGUMENT_MAP) zlay_tensormap_pack(words, zlay::target("sm_90a"), &maps.at(map++));
        else if (name == "n_N") std::memcpy(words, &tiles, sizeof tiles);
        else if (name == "x_keys") std::memcpy(words, &tokens, sizeof tokens);
        else if (name == "x_scale") std::memcpy(words, &scale, sizeof scale);
        else if (name != "x_offset") throw zlay::error(ZLAY_EINVAL, a.name); /* keys - queries is 0 */
        bytes.resize((bytes.size() + a.bytes - 1) / a.bytes * a.bytes);
        bytes.insert(bytes.end(), reinterpret_cast<unsigned char *>(words), reinterpret_cast<unsigned char *>(words) + a.bytes);
    }
    return bytes;
}

void run(world &w, const zlay::attention &plan, const kernel &k)
{
    const auto info = zlay::value(zlay_attention_info, plan);
    const auto arguments = packed(w, plan, k);
    const zlay::device_module module = w.ctx.make(zlay_module_load, w.device, k.text.data(), k.text.size(), "attention", k.launch.smem);
    const zlay_launch launch = {{uint32_t(info.grid[0]), uint32_t(info.grid[1]), uint32_t(info.grid[2])}, {k.launch.threads, 1, 1}, k.launch.smem, 0};
    zlay_status status = zlay_module_launch(w.ctx.get(), module.get(), &launch, arguments.data(), arguments.size(), nullptr);
    if (!status) status = zlay_device_wait(w.ctx.get(), w.device);
    if (!status) status = zlay_device_download(w.ctx.get(), w.o.bits.data(), w.device, w.o.address, w.o.bits.size() * sizeof w.o.bits[0]);
    if (status) throw zlay::error(status, w.ctx.message());
}

/* ---- the same in double ---- */

/* Whether a row of the result is near the softmax of its scores times V: bf16 keeps 8 bits of it, and of the weights. */
bool is_right(const world &w, size_t b, size_t token, size_t head)
{
    std::vector<double> weight(token + 1), sum(HEAD);
    double all = 0;
    for (size_t key = 0; key <= token; key++) {
        double score = 0;
        for (size_t i = 0; i < HEAD; i++) score += double(value(w.q.bits[w.index(b, token, head) + i])) * value(w.k.bits[w.index(b, key, head) + i]);
        all += weight[key] = std::exp(score / std::sqrt(double(HEAD)));
        for (size_t i = 0; i < HEAD; i++) sum[i] += weight[key] * value(w.v.bits[w.index(b, key, head) + i]);
    }
    bool right = true;
    for (size_t i = 0; i < HEAD; i++)
        right &= std::fabs(value(w.o.bits[w.index(b, token, head) + i]) - sum[i] / all) < 0.02; /* V is N(0, 1) */
    return right;
}

unsigned wrong(const world &w)
{
    unsigned count = 0;
    for (unsigned i = 0; i < ROWS_SEEN; i++) count += !is_right(w, i % BATCH, w.tokens * i / ROWS_SEEN, i % HEADS);
    return count + !is_right(w, BATCH - 1, w.tokens - 1, HEADS - 1);
}

} // namespace

int main(int argc, char **argv)
try {
    const zlay::context ctx;
    const size_t tokens = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000;
    const auto asked = request(tokens);
    const zlay::attention plan = ctx.make(zlay_attention_synth, zlay::target("sm_90a"), &asked);
    const kernel k = printed(ctx, plan);
    std::printf("pipe %s; kernel of %zu bytes, %u threads, %u bytes of shared memory\n", holds(ctx, plan) ? "proved" : "not proved", k.text.size(),
                k.launch.threads, k.launch.smem);
    auto device = ctx.try_make(zlay_device_open, 0);
    if (!device) {
        std::printf("not run: %s\n", device.message);
        return 0;
    }
    std::mt19937 random(1);
    world w = {ctx, (*device).get(), tokens, {}, {}, {}, {}};
    for (tensor *t : {&w.q, &w.k, &w.v, &w.o}) *t = w.made(random);
    run(w, plan, k);
    const unsigned bad = wrong(w);
    for (const tensor *t : {&w.q, &w.k, &w.v, &w.o}) zlay_device_free(w.device, t->address);
    std::printf("%u of %u rows wrong\n", bad, ROWS_SEEN + 1);
    return bad != 0;
} catch (const zlay::error &refused) {
    std::fprintf(stderr, "attention: %s\n", refused.what());
    return 2;
}
