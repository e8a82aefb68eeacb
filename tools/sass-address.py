#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/sass-address.py BUILD: SASS instructions of address functions that zlay prints, beside the form by hand, as rows of
docs/performance.md. Each is inlined in a kernel of sm_90a that loads two coordinates and stores the value; what the kernel needs
without it is taken off. Needs nvcc and nvdisasm in the path."""
import pathlib, re, subprocess, sys, tempfile

SWIZZLE = "return o ^ ((o & ({m} << {yyy})) >> {s});"  # cute::Swizzle<B,M,S>::apply
ROWS = [
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


def count(folder, function):
    word = "unsigned long long" if "long f(" in function else "unsigned"
    source, cubin = folder / "f.cu", folder / "f.cubin"
    source.write_text(function + f'extern "C" __global__ void k(unsigned *in, {word} *out) {{ *out = f(in[threadIdx.x], in[threadIdx.x + 1000]); }}\n')
    subprocess.run(["nvcc", "-O3", "-arch=sm_90a", "-cubin", "-o", cubin, source], check=True)
    text = subprocess.run(["nvdisasm", "-c", cubin], check=True, capture_output=True, text=True).stdout
    return sum(bool(re.search(r"/\*[0-9a-f]{4}\*/", line)) and not re.search(r"\b(NOP|BRA)\b", line) for line in text.split("\n"))


def main():
    zlay = pathlib.Path(sys.argv[1]) / "zlay"
    head = "static __device__ __forceinline__ {} f(unsigned x, unsigned y) {{ {} }}\n"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for what, layout, body in ROWS:
            word = "unsigned long long" if "long" in body else "unsigned"
            bare = count(folder, head.format(word, "return x ^ y;")) - 1
            text = subprocess.run([zlay, "emit", "layout", "cuda", layout, "f"], check=True, capture_output=True, text=True).stdout
            print(f"| {what} | `{layout}` | {count(folder, text) - bare} | {count(folder, head.format(word, body)) - bare} |")


main()
