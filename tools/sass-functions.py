#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/sass-functions.py BUILD [addresses|conversions]: SASS instructions of functions that zlay prints, as rows of
docs/performance.md. Each is inlined in a kernel of sm_90a; what the kernel needs without it is taken off.
Addresses stand beside the form by hand: the kernel loads two coordinates and stores the value.
Conversions stand beside Triton's convert_layout between the same layouts: the kernel loads every register with a load of its own and
stores every register. Both are assembled by the same ptxas. Needs nvcc, ptxas and nvdisasm in the path; conversions need the
package triton, 3.6 or later."""
import importlib.util, json, pathlib, re, subprocess, sys, tempfile

SWIZZLE = "return o ^ ((o & ({m} << {yyy})) >> {s});"  # cute::Swizzle<B,M,S>::apply
ADDRESSES = [
    ("row-major", "(64,64):(64,1)", "return x * 64 + y;"),
    ("row-major, 1001 columns", "(37,1001):(1001,1)", "return x * 1001 + y;"),
    ("more than 2^32 elements", "(100000,65536):(65536,1)", "return (unsigned long long)x * 65536 + y;"),
    ("128 B swizzle of bf16", "Sw<3,3,3> o 0 o (64,64):(64,1)", "unsigned o = x * 64 + y; " + SWIZZLE.format(m=7, yyy=6, s=3)),
    ("128 B swizzle of bytes", "Sw<3,4,3> o 0 o (128,128):(128,1)", "unsigned o = x * 128 + y; " + SWIZZLE.format(m=7, yyy=7, s=3)),
    ("64 B swizzle of bytes", "Sw<2,4,3> o 0 o (64,64):(64,1)", "unsigned o = x * 64 + y; " + SWIZZLE.format(m=3, yyy=7, s=3)),
    ("8 x 64 atoms, K-major", "((8,8),(64,2)):((64,512),(1,4096))", "return x % 8 * 64 + x / 8 * 512 + y % 64 + y / 64 * 4096;"),
    ("the same, swizzled", "Sw<3,3,3> o 0 o ((8,8),(64,2)):((64,512),(1,4096))",
     "unsigned o = x % 8 * 64 + x / 8 * 512 + y % 64 + y / 64 * 4096; " + SWIZZLE.format(m=7, yyy=6, s=3)),
    ("rows of ldmatrix.x4, swizzled", "Sw<3,3,3> o 0 o ((8,2,2),4):((64,512,8),16)",
     "unsigned o = x % 8 * 64 + x / 8 % 2 * 512 + x / 16 * 8 + y * 16; " + SWIZZLE.format(m=7, yyy=6, s=3)),
    ("D of mma.m16n8, row-major", "((4,8),(2,2)):((2,8),(1,64))", "return x % 4 * 2 + x / 4 * 8 + y % 2 + y / 2 * 64;"),
    ("D of wgmma, column-major", "((4,8,4),(2,2,4)):((128,1,16),(64,8,512))",
     "return x % 4 * 128 + x / 4 % 8 + x / 32 * 16 + y % 2 * 64 + y / 2 % 2 * 8 + y / 4 * 512;"),
    ("digits of an odd size", "((3,50),7):((350,7),1)", "return x % 3 * 350 + x / 3 * 7 + y;"),
    ("lanes permuted by bits", "f2{lane: (1) (2) (16) (8) (4); reg: (32) (64) -> o: 128}",
     "return (x & 3) | (x >> 2 & 1) << 4 | (x & 8) | (x >> 4 & 1) << 2 | y << 5;"),
    ("a pad of 2 behind 32 columns", "{ [i,j] -> [66i + j] : 0 <= i < 64 and 0 <= j < 32; [i,j] -> [66i + j + 2] : 0 <= i < 64 and 32 <= j < 64 }",
     "return x * 66 + (y < 32 ? y : y + 2);"),
]

CONVERSIONS = [  # what, bits of an element, src, dst
    ("f32, 2 registers, 2 lanes", 32, "register: (1); lane: (2) (4) (8) (16) (32)", "register: (2); lane: (1) (4) (8) (16) (32)"),
    ("f32, 4 x 4", 32, "register: (1) (2); lane: (4) (8) (16) (32) (64)", "register: (4) (8); lane: (1) (2) (16) (32) (64)"),
    ("f32, 8 x 8", 32, "register: (1) (2) (4); lane: (8) (16) (32) (64) (128)", "register: (8) (16) (32); lane: (1) (2) (4) (64) (128)"),
    ("f32, 32 x 32", 32, "register: (1) (2) (4) (8) (16); lane: (32) (64) (128) (256) (512)", "register: (32) (64) (128) (256) (512); lane: (1) (2) (4) (8) (16)"),
    ("f32, D of mma to rows of 16 B", 32, "register: (1) (8); lane: (2) (4) (16) (32) (64)", "register: (1) (2); lane: (4) (8) (16) (32) (64)"),
    ("f32, D of mma turned", 32, "register: (1) (8); lane: (2) (4) (16) (32) (64)", "register: (16) (32); lane: (64) (1) (2) (4) (8)"),
    ("64 bits, 4 x 4", 64, "register: (1) (2); lane: (4) (8) (16) (32) (64)", "register: (4) (8); lane: (1) (2) (16) (32) (64)"),
    ("bf16, 2 registers, 2 lanes", 16, "register: (1) (2); lane: (4) (8) (16) (32) (64)", "register: (1) (4); lane: (2) (8) (16) (32) (64)"),
    ("bf16, D of mma to rows of 16 B", 16, "register: (1) (8) (128); lane: (2) (4) (16) (32) (64)", "register: (1) (2) (4); lane: (8) (16) (32) (64) (128)"),
    ("bf16, 8 x 8", 16, "register: (1) (2) (4); lane: (8) (16) (32) (64) (128)", "register: (8) (16) (32); lane: (1) (2) (4) (64) (128)"),
    ("bf16, D of mma turned (movmatrix)", 16, "register: (1); lane: (2) (4) (8) (16) (32)", "register: (8); lane: (16) (32) (1) (2) (4)"),
    ("8 bits, D of wgmma to A", 8, "register: (1) (8) (16) (256); lane: (2) (4) (32) (64) (128)", "register: (1) (2) (16) (256); lane: (4) (8) (32) (64) (128)"),
    ("8 bits, 16 x 16", 8, "register: (1) (2) (4) (8); lane: (16) (32) (64) (128) (256)", "register: (16) (32) (64) (128); lane: (1) (2) (4) (8) (256)"),
    ("8 bits, bytes turned in a lane", 8, "register: (1) (2) (4) (8); lane: (16) (32) (64) (128) (256)", "register: (4) (8) (1) (2); lane: (16) (32) (64) (128) (256)"),
    ("f32 across 4 warps", 32, "register: (1) (2) (4); lane: (8) (16) (32) (64) (128); warp: (256) (512)", "register: (128) (256) (512); lane: (1) (2) (4) (8) (16); warp: (32) (64)"),
    ("bf16 across 4 warps", 16, "register: (1) (2) (4); lane: (8) (16) (32) (64) (128); warp: (256) (512)", "register: (128) (256) (512); lane: (1) (2) (4) (8) (16); warp: (32) (64)"),
    ("bf16, D of wgmma 64 x 64 to rows of 16 B", 16, "register: (1) (512) (8) (16) (32); lane: (2) (4) (64) (128) (256); warp: (1024) (2048)",
     "register: (1) (2) (4) (1024) (2048); lane: (8) (16) (32) (64) (128); warp: (256) (512)"),
]

# Words of 32 bits are loaded and stored one by one, of 64 bits two.
TRITON = """
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
@gluon.jit
def k(at, SRC: gl.constexpr, DST: gl.constexpr):
    p = gl.full([{count}], 0, gl.int64, layout=SRC) + at
    x = gl.inline_asm_elementwise("{load}", "={letter}{pointers}", [p], gl.int{bits}, False, {pack})
    y = gl.convert_layout(x, DST)
    q = gl.full([{count}], 0, gl.int64, layout=DST) + at
    gl.inline_asm_elementwise("{store}", "={letter}{pointers},{letter}", [q, y], gl.int{bits}, False, {pack})
"""
LOAD = {32: "ld.volatile.global.b32 $0, [$1];", 64: "{ .reg .b32 a, b; ld.volatile.global.b32 a, [$1]; ld.volatile.global.b32 b, [$1]; mov.b64 $0, {a, b}; }"}
STORE = {32: "{ st.volatile.global.b32 [$1], $LAST; mov.b32 $0, $LAST; }",
         64: "{ .reg .b32 a, b; mov.b64 {a, b}, $LAST; st.volatile.global.b32 [$1], a; st.volatile.global.b32 [$1], b; mov.b64 $0, $LAST; }"}

CUDA = """
extern "C" __global__ void __launch_bounds__({threads}) k(unsigned long long at)
{{
    {memory}
    unsigned from[{words}], to[{words}];
#pragma unroll
    for (int i = 0; i < {words}; i++) asm volatile("ld.volatile.global.b32 %0, [%1];" : "=r"(from[i]) : "l"(at));
    {call}
#pragma unroll
    for (int i = 0; i < {words}; i++) asm volatile("st.volatile.global.b32 [%0], %1;" : : "l"(at), "r"(to[i]));
}}
"""


def instructions(cubin):
    text = subprocess.run(["nvdisasm", "-c", cubin], check=True, capture_output=True, text=True).stdout
    return sum(bool(re.search(r"/\*[0-9a-f]{4}\*/", line)) and not re.search(r"\b(NOP|BRA)\b", line) for line in text.split("\n"))


def of_cuda(folder, source):
    (folder / "f.cu").write_text(source)
    subprocess.run(["nvcc", "-O3", "-gencode", "arch=compute_90a,code=sm_90a", "-cubin", "-o", folder / "f.cubin", folder / "f.cu"], check=True)
    return instructions(folder / "f.cubin")


def of_address(folder, function):
    word = "unsigned long long" if "long f(" in function else "unsigned"
    return of_cuda(folder, function + f'extern "C" __global__ void k(unsigned *in, {word} *out) {{ *out = f(in[threadIdx.x], in[threadIdx.x + 1000]); }}\n')


def addresses(zlay, folder):
    head = "static __device__ __forceinline__ {} f(unsigned x, unsigned y) {{ {} }}\n"
    for what, layout, body in ADDRESSES:
        word = "unsigned long long" if "long" in body else "unsigned"
        bare = of_address(folder, head.format(word, "return x ^ y;")) - 1
        text = subprocess.run([zlay, "emit", "layout", "cuda", layout, "f"], check=True, capture_output=True, text=True).stdout
        print(f"| {what} | `{layout}` | {of_address(folder, text) - bare} | {of_address(folder, head.format(word, body)) - bare} |", flush=True)


def levels(side):
    return {name: [int(basis) for basis in re.findall(r"\d+", part)] for name, part in re.findall(r"(\w+):([ ()\d]*)", side)}


def of_triton(folder, bits, sides, count, warps):
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.experimental.gluon import language as gl
    from triton.experimental.gluon._runtime import GluonASTSource
    layout = [gl.DistributedLinearLayout(*[[[basis] for basis in side.get(level, [])] for level in ("register", "lane", "warp", "block")], [count])
              for side in sides]
    pack, word = max(1, 32 // bits), max(32, bits)
    (folder / "k.py").write_text(TRITON.format(count=count, bits=bits, load=LOAD[word], store=STORE[word].replace("LAST", str(1 + pack)), letter="l" if word == 64 else "r",
                                               pointers=",l" * pack, pack=pack))
    spec = importlib.util.spec_from_file_location("k", folder / "k.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    source = GluonASTSource(module.k, {"at": "i64", "SRC": "constexpr", "DST": "constexpr"}, {"SRC": layout[0], "DST": layout[1]})
    made = triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": warps})
    (folder / "t.ptx").write_text(made.asm["ptx"])
    subprocess.run(["ptxas", "-arch=sm_90a", "-o", folder / "t.cubin", folder / "t.ptx"], check=True)
    return instructions(folder / "t.cubin")


def of_zlay(folder, text, words, threads, shared):
    call = f"f(to, from, threadIdx.x{', shared' if shared else ''});" if text else "for (int i = 0; i < %d; i++) to[i] = from[i];" % words
    memory = f"__shared__ __align__(16) unsigned char shared[{shared}];" if shared else ""
    return of_cuda(folder, text + CUDA.format(threads=threads, words=words, call=call, memory=memory))


def conversions(zlay, folder):
    batch = subprocess.Popen([zlay, "batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    def ask(**request):
        batch.stdin.write(json.dumps(request) + "\n")
        return json.loads(batch.stdout.readline())["ok"]
    for what, bits, *texts in CONVERSIONS:
        sides = [levels(text) for text in texts]
        count, warps = 1 << sum(map(len, sides[0].values())), 1 << len(sides[0].get("warp", []))
        words = (bits << len(sides[0]["register"])) // 32
        asked = {"target": "sm_90a", "elem_bits": bits, **{side: f"f2{{{text} -> t: {count}}}" for side, text in zip(("src", "dst"), texts)}}
        plan = ask(op="convert.synth", **asked)
        text = ask(op="emit", what="convert", language="cuda", name="f", **asked)["text"]
        bare = [of_zlay(folder, "", words, 32 * warps, 0), of_triton(folder, bits, [sides[0]] * 2, count, warps)]
        ours = of_zlay(folder, text, words, 32 * warps, plan["smem"]) - bare[0]
        theirs = of_triton(folder, bits, sides, count, warps) - bare[1]
        print(f"| {what} | {' '.join(step['op'] for step in plan['plan'])} | {ours} | {theirs} |", flush=True)


def main():
    zlay = pathlib.Path(sys.argv[1]) / "zlay"
    with tempfile.TemporaryDirectory() as name:
        for what in sys.argv[2:] or ["addresses", "conversions"]:
            {"addresses": addresses, "conversions": conversions}[what](zlay, pathlib.Path(name))


main()
