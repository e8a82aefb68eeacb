// SPDX-License-Identifier: Apache-2.0
// zlay/cute.hpp on CUTLASS's own headers: for each layout of CuTe the values of zlay's layout of its text are CuTe's at every
// index, and the layout that comes back is CuTe's again. Static, nested, swizzled and random layouts; refusals by their status.
#include <zlay/cute.hpp>

#include "tap.hpp"

#include <random>

using namespace cute;
using tap::ok;
using tap::same;

// What CuTe has at an index; of a swizzle of pointers in elements of N bits, N a whole number of bytes.
template <class L> static int64_t value_of(const L &a, int i) { return a(i); }
template <class A, int N, class B> static int64_t value_of(const ComposedLayout<A, smem_ptr_flag_bits<N>, B> &a, int i)
{
    return int64_t(a.layout_a()(a.layout_b()(i) * (N / 8))) / (N / 8);
}

template <class L> static bool agrees(const zlay::context &ctx, const L &a)
{
    zlay::layout made = zlay::cute_layout(ctx, a);
    bool good = int64_t(zlay_layout_size(made)) == int64_t(size(a));
    for (int i = 0; good && i < int(size(a)); i++) good = zlay::value(zlay_layout_eval, 1, made, i) == value_of(a, i);
    const L back = zlay::cute_from<L>(made);
    const auto loose = zlay::cute_from<zlay::cute_dynamic<L>>(made);
    return good && zlay::cute_text(back) == zlay::cute_text(a) && zlay::cute_text(loose) == zlay::cute_text(a);
}

template <class L> static void check(const zlay::context &ctx, const L &a, const char *text)
{
    same(zlay::cute_text(a), text, text);
    ok(agrees(ctx, a), "its values, and both ways back");
}

static void layouts(const zlay::context &ctx)
{
    check(ctx, make_layout(Int<8>{}), "8:1");
    check(ctx, make_layout(12, -3), "12:-3");
    check(ctx, make_layout(make_shape(Int<8>{}), make_stride(5)), "(8):(5)");
    check(ctx, make_layout(make_shape(Int<8>{}, 4), make_stride(Int<1>{}, 8l)), "(8,4):(1,8)");
    check(ctx, make_layout(make_shape(make_shape(Int<2>{}, 3), make_shape(make_shape(4, Int<1>{}), 5)), LayoutRight{}),
          "((2,3),((4,1),5)):((60,20),((5,0),1))");
    check(ctx, make_layout(make_shape(4, Int<3>{}), make_stride(Int<0>{}, 7)), "(4,3):(0,7)");
    const auto tile = make_layout(make_shape(Int<64>{}, Int<64>{}), make_stride(Int<64>{}, Int<1>{}));
    check(ctx, composition(Swizzle<3, 3, 3>{}, Int<0>{}, tile), "Sw<3,3,3> o 0 o (64,64):(64,1)");
    check(ctx, composition(Swizzle<2, 4, 3>{}, 48, tile), "Sw<2,4,3> o 48 o (64,64):(64,1)");
    check(ctx, composition(Swizzle<2, 0, -3>{}, Int<0>{}, make_layout(make_shape(8, Int<8>{}))), "Sw<2,0,-3> o 0 o (8,8):(1,8)");
}

// Their texts name pointers or say what is not needed, so zlay prints others.
static void swizzles_of_pointers(const zlay::context &ctx)
{
    const auto atom = composition(Swizzle<3, 4, 3>{}, smem_ptr_flag_bits<16>{}, make_layout(make_shape(Int<8>{}, Int<64>{}), make_stride(Int<64>{}, Int<1>{})));
    same(zlay::cute_text(atom), "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)", "a swizzle of pointers, as CuTe prints it");
    same(zlay::text(zlay_layout_print, zlay::cute_layout(ctx, atom)), "Sw<3,3,3> o 0 o (8,64):(64,1)", "in elements");
    ok(agrees(ctx, atom), "its values, and both ways back");
    const auto bytes = composition(Swizzle<1, 4, 3>{}, smem_ptr_flag_bits<8>{}, make_layout(make_shape(Int<8>{}, Int<32>{}), LayoutRight{}));
    ok(agrees(ctx, bytes), "of bytes");
    const auto halves = composition(Swizzle<2, 4, 3>{}, smem_ptr_flag_bits<4>{}, make_layout(make_shape(Int<8>{}, Int<64>{}), LayoutRight{}));
    same(zlay::text(zlay_layout_print, zlay::cute_layout(ctx, halves)), "Sw<2,5,3> o 0 o (8,64):(64,1)", "of 4 bits");
    same(zlay::cute_text(zlay::cute_from<decltype(halves)>(ctx, "Sw<2,5,3> o 0 o (8,64):(64,1)")), zlay::cute_text(halves), "and back");
    const auto still = make_composed_layout(Swizzle<0, 4, 3>{}, 6, make_layout(make_shape(4, 5)));
    ok(agrees(ctx, still), "a swizzle of no bits with an offset");
}

static void random_layouts(const zlay::context &ctx)
{
    std::mt19937 draw(18);
    const auto extent = [&] { return int64_t(draw() % 5 + 1); };
    const auto stride = [&] { return int64_t(draw() % 4001) - 2000; };
    int good = 0;
    for (int i = 0; i < 500; i++) {
        const auto flat = make_layout(make_shape(extent(), extent(), extent()), make_stride(stride(), stride(), stride()));
        const auto nested = make_layout(make_shape(make_shape(extent(), extent()), make_shape(extent(), extent())),
                                        make_stride(make_stride(stride(), stride()), make_stride(stride(), stride())));
        const auto inner = make_layout(make_shape(extent(), extent()), make_stride(stride() & 511, stride() & 511));
        good += agrees(ctx, flat) && agrees(ctx, nested) && agrees(ctx, composition(Swizzle<2, 1, 3>{}, stride() & 255, inner));
    }
    ok(good == 500, "1,500 random layouts: flat, nested, swizzled");
}

template <class L> static bool refused(const zlay::context &ctx, const char *text, zlay_status status = ZLAY_NONE)
{
    const auto read = zlay::try_cute_from<L>(ctx, text);
    return read.status == status && *read.message;
}

static void refusals(const zlay::context &ctx)
{
    using fixed = Layout<Shape<Int<8>, int>, Stride<Int<1>, int>>;
    ok(zlay::try_cute_from<fixed>(ctx, "(8,4):(1,8)").status == ZLAY_OK, "static integers that are the same");
    ok(refused<fixed>(ctx, "(9,4):(1,8)") && refused<fixed>(ctx, "(8,4):(2,8)"), "other static integers");
    ok(refused<zlay::cute_flat<2>>(ctx, "(8,4,2):(1,8,64)") && refused<zlay::cute_flat<3>>(ctx, "(8,4):(1,8)"), "more modes, fewer modes");
    ok(refused<zlay::cute_flat<2>>(ctx, "(8,(4,2)):(1,(8,64))"), "another nesting");
    ok(refused<fixed>(ctx, "(8,4):(1,4294967296)"), "a stride that int does not hold");
    ok(refused<Layout<unsigned, unsigned>>(ctx, "8:-1") && refused<Layout<uint64_t, uint64_t>>(ctx, "8:-1"), "a negative one that is unsigned");
    ok(refused<zlay::cute_flat<2>>(ctx, "Sw<3,3,3> o 0 o (64,64):(64,1)") && refused<zlay::cute_flat<1>>(ctx, "7 o 8:1"),
       "a swizzle and an offset that the type has not");
    using turned = ComposedLayout<Swizzle<3, 3, 3>, Int<0>, zlay::cute_flat<2>>;
    ok(refused<turned>(ctx, "Sw<3,4,3> o 0 o (64,64):(64,1)") && refused<turned>(ctx, "Sw<3,3,3> o 8 o (64,64):(64,1)") &&
           refused<turned>(ctx, "(64,64):(64,1)"),
       "another swizzle, another offset, none");
    ok(refused<zlay::cute_flat<1>>(ctx, "f2{in0: (1) -> out0: 2}"), "a layout of another kind");
    ok(refused<zlay::cute_flat<1>>(ctx, "(8,", ZLAY_EINVAL), "a text that does not read");
    ok(zlay::try_cute_from<zlay::cute_flat<1>>(nullptr).status == ZLAY_EINVAL, "no layout");
    same(zlay::cute_text(zlay::cute_from<zlay::cute_flat<1>>(ctx, "8:2")), "(8):(2)", "one mode without parentheses");
}

// A rank that is known at run time only.
static void visits(const zlay::context &ctx)
{
    const auto ranks = [&](const char *text, zlay_status want) {
        std::string seen;
        const zlay::layout a = ctx.make(zlay_layout_parse, text);
        const zlay_status status = zlay::cute_visit<4>(ctx, a, [&](const auto &b) { seen = zlay::cute_text(b); });
        return status == want ? seen : "another status";
    };
    same(ranks("8:2", ZLAY_OK), "(8):(2)", "a visit of rank 1");
    same(ranks("((2,3),(4,5)):((1,2),(6,-24))", ZLAY_OK), "(2,3,4,5):(1,2,6,-24)", "of rank 4, flattened");
    same(ranks("(2,2,2,2,2):(1,2,4,8,16)", ZLAY_NONE) + ranks("Sw<1,0,3> o 0 o 16:1", ZLAY_NONE) + ranks("3 o 4:1", ZLAY_NONE), "",
         "more modes, a swizzle, an offset: none");
}

int main()
{
    zlay::context ctx;
    layouts(ctx);
    swizzles_of_pointers(ctx);
    random_layouts(ctx);
    refusals(ctx);
    visits(ctx);
    return tap::end();
}
