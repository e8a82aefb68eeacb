#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/sass-convert.py BUILD: SASS instructions of conversions between register layouts that zlay prints, beside the same by hand, as
rows of docs/performance.md, with the registers that ptxas says. Each is inlined in a kernel of sm_90a that loads the registers of
a thread and stores them again; what the kernel needs without it is taken off. tests/emit/function/convert.c compares zlay's
conversions with their layouts; those by hand are not compared here. Needs nvcc and nvdisasm in the path."""
import json, pathlib, re, subprocess, sys, tempfile
# what, bits, src, dst, the body by hand
ROWS = [
    ("transpose of 2 registers and 2 lanes", 32,
     "f2{register: (1); lane: (2) (4) (8) (16) (32) -> t: 64}", "f2{register: (2); lane: (1) (4) (8) (16) (32) -> t: 64}",
     """bool odd = thread & 1;
        unsigned got = __shfl_xor_sync(~0u, odd ? from[0] : from[1], 1);
        to[0] = odd ? got : from[0]; to[1] = odd ? from[1] : got;"""),
    ("transpose of 4 registers and 4 lanes", 32,
     "f2{register: (1) (2); lane: (4) (8) (16) (32) (64) -> t: 128}", "f2{register: (4) (8); lane: (1) (2) (16) (32) (64) -> t: 128}",
     """unsigned r[4] = {from[0], from[1], from[2], from[3]};
        for (int k = 1; k < 4; k *= 2) {
            bool odd = thread & k;
            for (int i = 0; i < 4; i++) if (!(i & k)) {
                unsigned got = __shfl_xor_sync(~0u, odd ? r[i] : r[i + k], k);
                r[i] = odd ? got : r[i]; r[i + k] = odd ? r[i + k] : got;
            }
        }
        for (int i = 0; i < 4; i++) to[i] = r[i];"""),
    ("the same, as Triton's transferWithinWarp: selects, shuffles by index, selects", 32,
     "f2{register: (1) (2); lane: (4) (8) (16) (32) (64) -> t: 128}", "f2{register: (4) (8); lane: (1) (2) (16) (32) (64) -> t: 128}",
     """unsigned r[4], b0 = thread & 1, b1 = thread >> 1 & 1, t[4], u[4];
        for (int i = 0; i < 4; i++) t[i] = b0 ? from[i ^ 1] : from[i];
        for (int i = 0; i < 4; i++) r[i] = b1 ? t[i ^ 2] : t[i];
        for (int i = 0; i < 4; i++) r[i] = __shfl_sync(~0u, r[i], (int)(thread ^ i) & 31);
        for (int i = 0; i < 4; i++) u[i] = b0 ? r[i ^ 1] : r[i];
        for (int i = 0; i < 4; i++) to[i] = b1 ? u[i ^ 2] : u[i];"""),
    ("transpose of 8 registers and 8 lanes", 32,
     "f2{register: (1) (2) (4); lane: (8) (16) (32) (64) (128) -> t: 256}", "f2{register: (8) (16) (32); lane: (1) (2) (4) (64) (128) -> t: 256}",
     """unsigned r[8];
        for (int i = 0; i < 8; i++) r[i] = from[i];
        for (int k = 1; k < 8; k *= 2) {
            bool odd = thread & k;
            for (int i = 0; i < 8; i++) if (!(i & k)) {
                unsigned got = __shfl_xor_sync(~0u, odd ? r[i] : r[i + k], k);
                r[i] = odd ? got : r[i]; r[i + k] = odd ? r[i + k] : got;
            }
        }
        for (int i = 0; i < 8; i++) to[i] = r[i];"""),
    ("transpose of 2 halves and 2 lanes", 16,
     "f2{register: (1); lane: (2) (4) (8) (16) (32) -> t: 64}", "f2{register: (2); lane: (1) (4) (8) (16) (32) -> t: 64}",
     "to[0] = __byte_perm(from[0], __shfl_xor_sync(~0u, from[0], 1), thread & 1 ? 0x3276 : 0x5410);"),
    ("transpose of 4 bytes and 4 lanes", 8,
     "f2{register: (1) (2); lane: (4) (8) (16) (32) (64) -> t: 128}", "f2{register: (4) (8); lane: (1) (2) (16) (32) (64) -> t: 128}",
     """unsigned x = from[0];
        x = __byte_perm(x, __shfl_xor_sync(~0u, x, 1), thread & 1 ? 0x3715 : 0x6240);
        to[0] = __byte_perm(x, __shfl_xor_sync(~0u, x, 2), thread & 2 ? 0x3276 : 0x5410);"""),
    ("D of mma.m16n8 to A of m16k16, bf16", 16,
     "f2{register: (1) (128) (8); lane: (2) (4) (16) (32) (64) -> t: 256}", "f2{register: (1) (128) (8); lane: (2) (4) (16) (32) (64) -> t: 256}",
     "for (int i = 0; i < 4; i++) to[i] = from[i];"),
    ("D of mma.m16n8 to A of m16k32, fp8, k permuted (CUTLASS's ReorgCFp8toAFp8)", 8,
     "f2{register: (1) (8) (16); lane: (2) (4) (32) (64) (128) -> t: 256}", "f2{register: (1) (2) (8); lane: (4) (16) (32) (64) (128) -> t: 256}",
     """bool outer = thread % 4 == 0 || thread % 4 == 3;
        unsigned e0 = outer ? 0x3210 : 0x7654, e1 = outer ? 0x7654 : 0x3210, e4 = outer ? 0x5410 : 0x1054, e5 = outer ? 0x7632 : 0x3276;
        unsigned q = thread % 4 * 4, upper_lane = 0x2130u >> q & 3, lower_lane = 0x3021u >> q & 3;
        unsigned upper = __byte_perm(from[0], from[1], e0), lower = __byte_perm(from[0], from[1], e1);
        upper = __shfl_sync(~0u, upper, upper_lane, 4);
        lower = __shfl_sync(~0u, lower, lower_lane, 4);
        to[0] = __byte_perm(upper, lower, e4); to[1] = __byte_perm(upper, lower, e5);"""),
    ("the same, k in order", 8,
     "f2{register: (1) (8) (16); lane: (2) (4) (32) (64) (128) -> t: 256}", "f2{register: (1) (2) (16); lane: (4) (8) (32) (64) (128) -> t: 256}",
     """unsigned at = (thread & ~3u) | (thread << 1 & 2);
        bool high = thread & 2;
        unsigned a0 = __shfl_sync(~0u, from[0], at), b0 = __shfl_sync(~0u, from[0], at ^ 1);
        unsigned a1 = __shfl_sync(~0u, from[1], at), b1 = __shfl_sync(~0u, from[1], at ^ 1);
        unsigned e = high ? 0x7632 : 0x5410;
        to[0] = __byte_perm(a0, b0, e); to[1] = __byte_perm(a1, b1, e);"""),
    ("transpose of an 8 x 8 matrix of halves", 16,
     "f2{register: (1); lane: (2) (4) (8) (16) (32) -> t: 64}", "f2{register: (8); lane: (16) (32) (1) (2) (4) -> t: 64}",
     'asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(to[0]) : "r"(from[0]));'),
    ("four transposes of 8 x 8 matrices of halves", 16,
     "f2{register: (1) (64) (128); lane: (2) (4) (8) (16) (32) -> t: 256}", "f2{register: (8) (64) (128); lane: (16) (32) (1) (2) (4) -> t: 256}",
     """for (int i = 0; i < 4; i++)
            asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(to[i]) : "r"(from[i]));"""),
    ("4 words of a lane to words 32 apart", 32,
     "f2{register: (1) (2); lane: (4) (8) (16) (32) (64) -> t: 128}", "f2{register: (32) (64); lane: (1) (2) (4) (8) (16) -> t: 128}",
     """unsigned *s = (unsigned *)shared;
        ((uint4 *)s)[thread & 31] = make_uint4(from[0], from[1], from[2], from[3]);
        __syncwarp();
        for (int i = 0; i < 4; i++) to[i] = s[i * 32 + (thread & 31)];"""),
    ("words 32 apart to 4 words of a lane", 32,
     "f2{register: (32) (64); lane: (1) (2) (4) (8) (16) -> t: 128}", "f2{register: (1) (2); lane: (4) (8) (16) (32) (64) -> t: 128}",
     """unsigned *s = (unsigned *)shared;
        for (int i = 0; i < 4; i++) s[i * 32 + (thread & 31)] = from[i];
        __syncwarp();
        const uint4 v = ((const uint4 *)s)[thread & 31];
        to[0] = v.x; to[1] = v.y; to[2] = v.z; to[3] = v.w;"""),
    ("rows of 8 halves to A of mma.m16k16 by ldmatrix", 16,
     "f2{register: (1) (2) (4); lane: (8) (16) (32) (64) (128) -> t: 256}", "f2{register: (1) (128) (8); lane: (2) (4) (16) (32) (64) -> t: 256}",
     """const unsigned lane = thread & 31, row = lane >> 1, half = lane & 1;
        ((uint4 *)shared)[(row * 2 + half) ^ (row >> 2 & 1)] = make_uint4(from[0], from[1], from[2], from[3]);
        __syncwarp();
        const unsigned r = lane & 15, h = lane >> 4;
        const unsigned at = (unsigned)__cvta_generic_to_shared((uint4 *)shared + ((r * 2 + h) ^ (r >> 2 & 1)));
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"(at) : "memory");"""),
    ("doubles: transpose of 2 and 2 lanes", 64,
     "f2{register: (1); lane: (2) (4) (8) (16) (32) -> t: 64}", "f2{register: (2); lane: (1) (4) (8) (16) (32) -> t: 64}",
     """bool odd = thread & 1;
        for (int i = 0; i < 2; i++) {
            unsigned got = __shfl_xor_sync(~0u, odd ? from[i] : from[i + 2], 1);
            to[i] = odd ? got : from[i]; to[i + 2] = odd ? from[i + 2] : got;
        }"""),
    ("lanes turned by one bit, 2 registers", 32,
     "f2{register: (1); lane: (2) (4) (8) (16) (32) -> t: 64}", "f2{register: (1); lane: (4) (8) (16) (32) (2) -> t: 64}",
     """const unsigned lane = thread & 31, at = (lane << 1 & 30) | lane >> 4;
        to[0] = __shfl_sync(~0u, from[0], at); to[1] = __shfl_sync(~0u, from[1], at);"""),
    ("2 x 2 halves of a thread transposed", 16,
     "f2{register: (1) (2); lane: (4) (8) (16) (32) (64) -> t: 128}", "f2{register: (2) (1); lane: (4) (8) (16) (32) (64) -> t: 128}",
     "to[0] = __byte_perm(from[0], from[1], 0x5410); to[1] = __byte_perm(from[0], from[1], 0x7632);"),
    ("4 x 4 bytes of a thread transposed", 8,
     "f2{register: (1) (2) (4) (8); lane: (16) (32) (64) (128) (256) -> t: 512}", "f2{register: (4) (8) (1) (2); lane: (16) (32) (64) (128) (256) -> t: 512}",
     """unsigned a = __byte_perm(from[0], from[1], 0x5140), b = __byte_perm(from[2], from[3], 0x5140);
        unsigned c = __byte_perm(from[0], from[1], 0x7362), d = __byte_perm(from[2], from[3], 0x7362);
        to[0] = __byte_perm(a, b, 0x5410); to[1] = __byte_perm(a, b, 0x7632);
        to[2] = __byte_perm(c, d, 0x5410); to[3] = __byte_perm(c, d, 0x7632);"""),
    ("D of mma.m16n8 to A of m16k8, tf32", 32,
     "f2{register: (1) (64); lane: (2) (4) (8) (16) (32) -> t: 128}", "f2{register: (64) (4); lane: (1) (2) (8) (16) (32) -> t: 128}",
     """bool odd = thread & 1;
        const unsigned at = (thread & 28) | (thread >> 1 & 1);
        for (int i = 0; i < 4; i++) {
            unsigned a = __shfl_sync(~0u, from[i % 2 * 2], at + i / 2 * 2), b = __shfl_sync(~0u, from[i % 2 * 2 + 1], at + i / 2 * 2);
            to[i] = odd ? b : a;
        }"""),
    ("D to A of m16k32, fp8, k permuted, 128 columns (CUTLASS's ReorgCFp8toAFp8)", 8,
     "f2{register: (1) (8) (16) (32) (64); lane: (2) (4) (128) (256) (512) -> t: 1024}", "f2{register: (1) (2) (8) (32) (64); lane: (4) (16) (128) (256) (512) -> t: 1024}",
     """bool outer = thread % 4 == 0 || thread % 4 == 3;
        unsigned e0 = outer ? 0x3210 : 0x7654, e1 = outer ? 0x7654 : 0x3210, e4 = outer ? 0x5410 : 0x1054, e5 = outer ? 0x7632 : 0x3276;
        unsigned q = thread % 4 * 4, upper_lane = 0x2130u >> q & 3, lower_lane = 0x3021u >> q & 3;
        for (int i = 0; i < 8; i += 2) {
            unsigned upper = __byte_perm(from[i], from[i + 1], e0), lower = __byte_perm(from[i], from[i + 1], e1);
            upper = __shfl_sync(~0u, upper, upper_lane, 4);
            lower = __shfl_sync(~0u, lower, lower_lane, 4);
            to[i] = __byte_perm(upper, lower, e4); to[i + 1] = __byte_perm(upper, lower, e5);
        }"""),
    ("the same, k in order", 8,
     "f2{register: (1) (8) (16) (32) (64); lane: (2) (4) (128) (256) (512) -> t: 1024}", "f2{register: (1) (2) (16) (32) (64); lane: (4) (8) (128) (256) (512) -> t: 1024}",
     """unsigned at = (thread & ~3u) | (thread << 1 & 2), e = thread & 2 ? 0x7632 : 0x5410;
        for (int i = 0; i < 8; i++) to[i] = __byte_perm(__shfl_sync(~0u, from[i], at), __shfl_sync(~0u, from[i], at ^ 1), e);"""),
    ("one word of a lane to all lanes of its four", 32,
     "f2{register:; lane: (1) (2) (4) (8) (16) -> t: 32}", "f2{register: (1) (2); lane: (0) (0) (4) (8) (16) -> t: 32}",
     "for (int i = 0; i < 4; i++) to[i] = __shfl_sync(~0u, from[0], i, 4);"),
    ("D of wgmma, 4 warps, to rows of 8 halves", 16,
     "f2{register: (1) (256) (8) (16); lane: (2) (4) (32) (64) (128); warp: (512) (1024) -> t: 2048}", "f2{register: (1) (2) (4) (1024); lane: (8) (16) (32) (64) (128); warp: (256) (512) -> t: 2048}",
     """const unsigned lane = thread & 31, warp = thread >> 5, row = (lane & 7) + (lane & 8) + warp * 16, chunk = lane >> 4;
        unsigned char *s = (unsigned char *)shared;
        for (int i = 0; i < 2; i++) {
            const unsigned at = (unsigned)__cvta_generic_to_shared(s + row * 64 + ((((chunk + 2 * i) ^ (row >> 1)) & 3) * 16));
            asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" :: "r"(at), "r"(from[4 * i]), "r"(from[4 * i + 1]), "r"(from[4 * i + 2]), "r"(from[4 * i + 3]) : "memory");
        }
        __syncthreads();
        for (int i = 0; i < 2; i++) {
            const unsigned r = (thread >> 2) + 32 * i;
            const uint4 v = *(const uint4 *)(s + r * 64 + (((thread ^ (r >> 1)) & 3) * 16));
            to[4 * i] = v.x; to[4 * i + 1] = v.y; to[4 * i + 2] = v.z; to[4 * i + 3] = v.w;
        }"""),
    ("3 words of a lane to words 32 apart", 32, "(3,32):(1,3)", "(3,32):(32,1)",
     """unsigned *s = (unsigned *)shared, lane = thread & 31;
        for (int i = 0; i < 3; i++) s[lane * 3 + i] = from[i];
        __syncwarp();
        for (int i = 0; i < 3; i++) to[i] = s[i * 32 + lane];"""),
    ("halves of two lanes to pairs, 4 registers", 16,
     "f2{register: (1) (4) (8); lane: (2) (16) (32) (64) (128) -> t: 256}", "f2{register: (1) (2) (4); lane: (8) (16) (32) (64) (128) -> t: 256}",
     """bool odd = thread & 1;
        for (int i = 0; i < 2; i++) {
            unsigned got = __shfl_xor_sync(~0u, odd ? from[i] : from[i + 2], 1), own = odd ? from[i + 2] : from[i];
            to[2 * i] = odd ? got : own; to[2 * i + 1] = odd ? own : got;
        }"""),
]


def compile(folder, function, n, m):
    source, cubin = folder / "f.cu", folder / "f.cubin"
    source.write_text(function + f'''extern "C" __global__ void k(const unsigned *in, unsigned *out)
{{
    extern __shared__ __align__(16) unsigned char memory[];
    unsigned from[{n}], to[{m}], thread = threadIdx.x;
    for (int i = 0; i < {n}; i++) from[i] = in[thread + 1024 * i];
    f(to, from, thread, memory);
    for (int i = 0; i < {m}; i++) out[thread + 1024 * i] = to[i];
}}
''')
    said = subprocess.run(["nvcc", "-O3", "-arch=sm_90a", "-cubin", "-Xptxas", "-v", "-o", cubin, source], check=True, capture_output=True, text=True).stderr
    text = subprocess.run(["nvdisasm", "-c", cubin], check=True, capture_output=True, text=True).stdout
    lines = [line for line in text.split("\n") if re.search(r"/\*[0-9a-f]{4}\*/", line) and not re.search(r"\b(NOP|BRA)\b", line)]
    spills = sum(int(x) for x in re.findall(r"(\d+) bytes spill", said))
    return len(lines), sum("SHFL" in line for line in lines), int(re.search(r"Used (\d+) registers", said)[1]), spills


def main():
    zlay = pathlib.Path(sys.argv[1]) / "zlay"
    head = "static __device__ __forceinline__ void f(unsigned (&to)[{}], const unsigned (&from)[{}], unsigned thread, void *shared) {{ {} }}\n"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for what, bits, src, dst, body in ROWS:
            request = {"op": "emit", "what": "convert", "target": "sm_90a", "elem_bits": bits, "src": src, "dst": dst, "language": "cuda", "name": "f"}
            answer = json.loads(subprocess.run([zlay, "batch"], input=json.dumps(request), check=True, capture_output=True, text=True).stdout)
            text = answer["ok"]["text"]
            m, n = (int(x) for x in re.search(r"\(&to\)\[(\d+)\], const unsigned \(&from\)\[(\d+)\]", text).groups())
            if "void *shared" not in text: text = text.replace("unsigned thread)", "unsigned thread, void *)")
            bare = compile(folder, head.format(m, n, f"for (int i = 0; i < {m}; i++) to[i] = from[i % {n}];"), n, m)
            ours, hand = compile(folder, text, n, m), compile(folder, head.format(m, n, body), n, m)
            print(f"| {what} | {ours[0] - bare[0]} ({ours[1]} shfl, {ours[2]} regs) | {hand[0] - bare[0]} ({hand[1]} shfl, {hand[2]} regs) |" + (" SPILLS" if ours[3] else ""), flush=True)


main()
