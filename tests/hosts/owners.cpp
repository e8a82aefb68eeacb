// SPDX-License-Identifier: Apache-2.0
// zlay/zlay.hpp: values against those of the C API, both ways of errors, moved-from objects, and every allocation
// failing once.  Built without exceptions it runs the part that needs none.
#include <zlay/zlay.hpp>

#include "tap.hpp"

#include <cstdlib>
#include <cstring>
#include <vector>

using tap::ok;
using tap::same;

static_assert(!std::is_copy_constructible_v<zlay::layout> && !std::is_copy_assignable_v<zlay::layout>);
static_assert(std::is_nothrow_move_constructible_v<zlay::layout> && std::is_nothrow_move_assignable_v<zlay::layout>);
static_assert(std::is_nothrow_move_constructible_v<zlay::context> && !std::is_copy_constructible_v<zlay::context>);
static_assert(sizeof(zlay::layout) == sizeof(zlay_layout *));

// C++'s own memory: `new_fails` makes the next request fail.
static bool new_fails;
void *operator new(size_t size)
{
    void *at = new_fails ? nullptr : std::malloc(size ? size : 1);
#ifdef __cpp_exceptions
    if (!at) throw std::bad_alloc();
#else
    if (!at) std::abort();
#endif
    return at;
}
void operator delete(void *at) noexcept { std::free(at); }
void operator delete(void *at, size_t) noexcept { std::free(at); }

// Counts what is held, and fails the call of number `fails`.
struct heap {
    long held = 0, calls = 0, fails = -1;
    zlay_allocator hooks() { return {this, allocate, give_back}; }
    static void *allocate(void *user, size_t size)
    {
        heap *h = static_cast<heap *>(user);
        if (h->calls++ == h->fails) return nullptr;
        h->held += long(size);
        return std::malloc(size);
    }
    static void give_back(void *user, void *at, size_t size)
    {
        static_cast<heap *>(user)->held -= long(size);
        std::free(at);
    }
};

// Of a composition by results alone: its text, or the status of the first call that failed.
static zlay_status composed(std::string &out, const zlay_allocator *alloc)
{
    auto ctx = zlay::context::try_new(nullptr, alloc);
    if (!ctx) return ctx.status;
    auto a = (*ctx).try_make(zlay_layout_parse, "(6,2):(8,2)");
    if (!a) return a.status;
    auto b = (*ctx).try_make(zlay_layout_parse, std::string("(4,3):(3,1)"));
    if (!b) return b.status;
    auto c = (*ctx).try_make(zlay_layout_compose, *a, *b);
    if (!c) return c.status;
    auto text = zlay::try_text(zlay_layout_print, *c);
    out = *text;
    return text.status;
}

static void results()
{
    std::string text;
    ok(composed(text, nullptr) == ZLAY_OK && text == "((2,2),3):((24,2),8)", "a composition by results");

    auto made = zlay::context::try_new();
    zlay::context ctx = std::move(*made);
    auto bad = ctx.try_make(zlay_layout_parse, "(4,:1");
    ok(bad.status == ZLAY_EINVAL && *bad.message && !*bad, "a text that does not read has a status, a message and no layout");
    auto none = ctx.try_make(zlay_layout_left_inverse, *ctx.try_make(zlay_layout_parse, "4:0"));
    ok(none.status == ZLAY_NONE, "proved that there is none: its own status");
    zlay_limits huge = zlay::sized<zlay_limits>();
    huge.work = ~0ull;
    auto refused = zlay::context::try_new(&huge);
    ok(refused.status == ZLAY_ELIMIT && !*refused, "a context with a limit too large is none");
    ok((*refused).try_make(zlay_layout_parse, "4:1").status == ZLAY_EINVAL, "a call with it is refused");
}

static void memory_fails()
{
    heap whole;
    zlay_allocator hooks = whole.hooks();
    std::string text;
    bool good = composed(text, &hooks) == ZLAY_OK && whole.held == 0;
    for (long i = 0; i < whole.calls; i++) {
        heap h;
        h.fails = i;
        hooks = h.hooks();
        good = good && composed(text, &hooks) == ZLAY_ENOMEM && h.held == 0;
    }
    ok(good && whole.calls > 3, "each of " + std::to_string(whole.calls) + " allocations fails once: ENOMEM, nothing is left");
}

static void moves()
{
    heap h;
    zlay_allocator hooks = h.hooks();
    {
        auto made = zlay::context::try_new(nullptr, &hooks);
        zlay::context ctx = std::move(*made);
        ok(!*made && ctx, "a context that was moved away has no ctx");
        ok((*made).try_make(zlay_layout_parse, "4:1").status == ZLAY_EINVAL && !*(*made).message(), "and refuses calls");
        zlay::layout a = std::move(*ctx.try_make(zlay_layout_parse, "(4,8):(8,1)")), b = std::move(a);
        ok(!a && b && zlay_layout_size(a) == 0 && zlay_layout_size(b) == 32, "so has a layout that was moved away");
        ok(zlay::try_text(zlay_layout_print, a).status == ZLAY_EINVAL, "and it is printed by no one");
        zlay::layout &self = b;
        b = std::move(self);
        ok(b && zlay_layout_size(b) == 32, "moved to itself it stays");
        a = std::move(b);
        b = std::move(*ctx.try_make(zlay_layout_parse, "2:1"));
        b = std::move(a);
        ok(zlay_layout_size(b) == 32, "what was held before is freed");
        ok(zlay_layout_parse(ctx.get(), b.out(), "16:1", 4) == ZLAY_OK && zlay_layout_size(b) == 16, "out() is for a call of the C API");
        zlay_layout *mine = b.release();
        ok(!b && mine, "release() gives it away");
        zlay_layout_free(mine);
        std::vector<zlay::layout> many;
        for (int i = 0; i < 9; i++) many.push_back(std::move(*ctx.try_make(zlay_layout_parse, std::to_string(i + 1) + ":1")));
        uint64_t sum = 0;
        for (const zlay::layout &one : many) sum += zlay_layout_size(one);
        ok(sum == 45, "a vector of owners");
        b = std::move(many[4]);
        ctx = std::move(*made);
        ok(!ctx && zlay_layout_size(b) == 5, "a layout lives on behind its context");
    }
    ok(h.held == 0, "nothing is left");
}

#ifdef __cpp_exceptions
template <class F> static const char *thrown(zlay_status want, F f)
{
    static zlay::error last(ZLAY_OK, "");
    try {
        f();
    } catch (const zlay::error &e) {
        last = e;
        return e.status() == want ? last.what() : "";
    }
    return "";
}

static void exceptions()
{
    zlay::context ctx;
    zlay::layout a = ctx.make(zlay_layout_parse, "(6,2):(8,2)"), b = ctx.make(zlay_layout_parse, "(4,3):(3,1)");
    same(zlay::text(zlay_layout_print, ctx.make(zlay_layout_compose, a, b)), "((2,2),3):((24,2),8)", "the header's example");
    ok(ctx.value(zlay_layout_cosize, a) == 43, "a number");
    zlay_witness at;
    ok(ctx.value(zlay_layout_equal, &at, a, b) == ZLAY_NO && at.index == 1, "an answer and its witness");
    ok(ctx.value(zlay_layout_equal, nullptr, a, a) == ZLAY_YES, "without a witness");
    const char *says = thrown(ZLAY_EINVAL, [&] { ctx.make(zlay_layout_parse, "(4,:1"); });
    ok(!std::strncmp(says, "EINVAL: ", 8), "an error has the name of its status and the message");
    ok(*thrown(ZLAY_NONE, [&] { ctx.make(zlay_layout_left_inverse, ctx.make(zlay_layout_parse, "4:0")); }), "NONE is thrown too");
    ok(*thrown(ZLAY_NONE, [] { zlay::target("sm_1"); }), "a target that there is not");
    heap h;
    zlay_allocator hooks = h.hooks();
    h.fails = 0;
    same(thrown(ZLAY_ENOMEM, [&] { zlay::context none(nullptr, &hooks); }), "ENOMEM", "a context without memory");
}

static void others()
{
    zlay::context ctx;
    const zlay_target *target = zlay::target("sm_90a");
    zlay_tensormap map{};
    map.rank = 2, map.type = ZLAY_TYPE_BF16, map.swizzle = ZLAY_SWIZZLE_128B;
    map.extent[0] = 4100, map.extent[1] = 4096, map.stride[0] = 8200, map.box[0] = 64, map.box[1] = 128, map.step[0] = map.step[1] = 1;
    zlay_reason reason;
    ok(zlay::value(zlay_tensormap_check, &reason, 1, target, &map).answer == ZLAY_NO && reason.fix_value == 8208, "a verdict");

    zlay::pipe pipe = ctx.make(zlay_pipe_parse, "pipe p\nparam N 0..\nsmem A[2] 64\nrole r warps 0..0\n  for i in 0..N\n"
                                                "    write A[i % 2]\n  end\nend\n");
    ok(zlay::text(zlay_pipe_print, pipe).find("write A[i % 2]") != std::string::npos, "a pipe and its text");
    auto proof = zlay::sized<zlay_vector_request>();
    proof.elem_bytes = 2, proof.base_align = 16;
    ok(ctx.value(zlay_layout_vector_width, ctx.make(zlay_layout_parse, "(8,8):(1,8)"), &proof, nullptr) == 16, "a request");

    auto request = zlay::sized<zlay_gemm>();
    request.m = request.n = request.k = 512;
    zlay::plan plan = ctx.make(zlay_gemm_synth, target, &request);
    std::string ptx = ctx.text(zlay_emit_ptx, plan, std::string("kernel"));
    ok(ptx.size() > 4096 && ptx.find(".visible .entry kernel") != std::string::npos, "a text longer than the first buffer");
    ok(ctx.text(zlay_emit_ptx, plan, "kernel") == ptx, "a name as a literal");
    new_fails = true;
    auto starved = ctx.try_text(zlay_emit_ptx, plan, "kernel");
    new_fails = false;
    ok(starved.status == ZLAY_ENOMEM && (*starved).empty(), "std::string without memory is ENOMEM, and nothing is thrown");
}
#else
static void exceptions() {}
static void others() {}
#endif

int main()
{
    results();
    memory_fails();
    moves();
    exceptions();
    others();
    return tap::end();
}
