/* SPDX-License-Identifier: Apache-2.0 */
/* tile_plan.cpp: what a kernel generator in C++ asks before it emits a line. A tile of a matrix whose sizes are not known
 * yet is planned by tensor copies, its certificate is decided independently of the planner, and the condition on the
 * sizes is printed as an expression of C, to be evaluated before a launch.
 * Build: c++ -std=c++17 tile_plan.cpp $(pkg-config --cflags --libs zlay zlay-runtime)
 * Run: ./tile_plan ['(M,K):(ld,1)' 'Sw<3,3,3> o 0 o (64,64):(64,1)']   a matrix of bf16, and where its tile is wanted
 * It prints one line: `1 copy of 8192 bytes, certificate holds, where ld % 8 == 0`. Status 2: there is no such plan. */
#include <zlay/zlay.hpp>

#include <cstdio>

/* The tile that is wanted has the box of its place in shared memory. */
static zlay::move planned(const zlay::context &ctx, const zlay::layout &source, const zlay::layout &place, const zlay::facts &facts)
{
    auto request = zlay::sized<zlay_tensormap_request>();
    request.type = ZLAY_TYPE_BF16;
    request.source = source;
    request.smem = place;
    request.axes = uint32_t(zlay_layout_box(request.shape, ZLAY_TILE_AXES, place));
    request.facts = facts;
    return ctx.make(zlay_tensormap_synth, zlay::target("sm_90a"), &request);
}

/* Two layouts that are equal exactly where the move does what was asked. */
static bool certified(const zlay::context &ctx, const zlay::move &move)
{
    const zlay_layout *b = nullptr, *a = zlay::value(zlay_move_certificate, &b, move); /* they live as long as the move */
    return ctx.value(zlay_layout_equal, nullptr, a, b) == ZLAY_YES;
}

int main(int argc, char **argv)
try {
    const zlay::context ctx;
    const char *const known[] = {"1 <= M < 2^31", "1 <= K < 2^31", "8 <= ld < 2^30"};
    const size_t lengths[] = {13, 13, 14};
    const zlay::layout source = ctx.make(zlay_layout_parse, argc > 1 ? argv[1] : "(M,K):(ld,1)");
    const zlay::layout place = ctx.make(zlay_layout_parse, argc > 2 ? argv[2] : "Sw<3,3,3> o 0 o (64,64):(64,1)");
    const zlay::move move = planned(ctx, source, place, ctx.make(zlay_facts_parse, 3, known, lengths));
    const auto info = zlay::value(zlay_move_info, move);
    const std::string guard = zlay::text(zlay_move_guard, move);
    std::printf("%u %s of %llu bytes, certificate %s, %s%s\n", info.copies, info.copies == 1 ? "copy" : "copies",
                static_cast<unsigned long long>(info.bytes), certified(ctx, move) ? "holds" : "fails",
                guard.empty() ? "for all sizes" : "where ", guard.c_str());
} catch (const zlay::error &refused) {
    std::fprintf(stderr, "tile_plan: %s\n", refused.what());
    return 2;
}
