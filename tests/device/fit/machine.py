# SPDX-License-Identifier: Apache-2.0
"""Measures what src/target/machine.def says of sm_90 by micro-benchmarks, and prints it as src/target/machine_h200.def.

    python3 tests/device/fit/machine.py [--build FOLDER] [--only-build] > src/target/machine_h200.def

Needs nvcc and a Hopper GPU.  The benchmarks are machine.cu; the kernels of wgmma, one for each type, N and place of A, are written
here and compiled in parts side by side."""
import argparse
import datetime
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
COLUMNS = (8, 16, 32, 64, 96, 128, 160, 192, 224, 256)
#        row     instruction's types   k   register, and what follows the operands in the text
TYPES = {"BF16": ("f32.bf16.bf16", 16, "f", ", 1, 1, 0, 0"), "F16": ("f32.f16.f16", 16, "f", ", 1, 1, 0, 0"),
         "TF32": ("f32.tf32.tf32", 8, "f", ", 1, 1"), "E4M3": ("f32.e4m3.e4m3", 32, "f", ", 1, 1"),
         "S8": ("s32.s8.s8", 32, "r", "")}
IN_REGISTERS = {"BF16": ", 1, 1, 0", "E4M3": ", 1, 1"}
PARTS = 8

PART = """
__device__ inline void product_{name}({ctype} *d, unsigned long long a, unsigned long long b, const unsigned *r)
{{
    asm volatile("{{ .reg .pred p; setp.eq.u32 p, 0, 0; wgmma.mma_async.sync.aligned.m64n{n}k{k}.{types} {{{places}}}, {a}, %{b}, p{tail}; }}"
        : {sums} : {sources}, "l"(b));
}}

__global__ void __launch_bounds__(256) kernel_{name}(span *s, unsigned *out, int rounds, int alone)
{{
    extern __shared__ __align__(1024) char memory[];
    {ctype} d[{count}] = {{}};
    unsigned r[4] = {{0x3c003c00u + threadIdx.x, 0x3c103c20u, 0x3c303c40u, 0x3c503c60u}};
    unsigned long long a = begin_tiles(memory), b = a + (8192 >> 4);
    long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < rounds; i++) {{
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        product_{name}(d, a, b, r);
        if (!alone) {{
            product_{name}(d, a + 2, b + 2, r);
            product_{name}(d, a + 4, b + 4, r);
            product_{name}(d, a + 6, b + 6, r);
        }}
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        if (alone) asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        else asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
    }}
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    long long end = clock64();
    {ctype} sum = 0;
    for (int i = 0; i < {count}; i++) sum += d[i];
    out[threadIdx.x] = (unsigned)sum;
    if (blockIdx.x) return;
    span_begin(s, begin);
    span_end(s, end);
}}

void run_{name}(span *s, unsigned *out, int rounds, int alone, int blocks, int threads, cudaStream_t stream)
{{
    MUST(cudaFuncSetAttribute(kernel_{name}, cudaFuncAttributeMaxDynamicSharedMemorySize, 43008));
    kernel_{name}<<<blocks, threads, 43008, stream>>>(s, out, rounds, alone);
}}
"""

HEAD = """/* written by tests/device/fit/machine.py */
#include "machine.h"

/* Random numbers of one size in shared memory, whose sums stay finite, for power sets the clock; and the descriptor of a tile with rows of 128 bytes, swizzled. */
__device__ inline unsigned long long begin_tiles(char *memory)
{
    unsigned base = ((unsigned)__cvta_generic_to_shared(memory) + 1023) & ~1023u;
    for (unsigned i = threadIdx.x; i < 40960 / 4; i += blockDim.x)
        asm volatile("st.shared.u32 [%0], %1;" :: "r"(base + 4 * i), "r"((drawn(i) & 0x80bf80bfu) | 0x3f003f00u) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    return (unsigned long long)(base >> 4) | 1ull << 16 | 64ull << 32 | 1ull << 62;
}
"""


def kernels():
    for kind in TYPES:
        for registers in (False, True) if kind in IN_REGISTERS else (False,):
            for n in COLUMNS:
                yield f"{kind.lower()}_{n}{'_r' if registers else ''}", kind, n, registers


def part(name, kind, n, registers):
    types, k, letter, tail = TYPES[kind]
    count = n // 2
    return PART.format(name=name, n=n, k=k, types=types, count=count, ctype="float" if letter == "f" else "unsigned",
                       tail=IN_REGISTERS[kind] if registers else tail, b=count + (4 if registers else 1),
                       places=", ".join(f"%{i}" for i in range(count)),
                       a="{" + ", ".join(f"%{count + i}" for i in range(4)) + "}" if registers else f"%{count}",
                       sums=", ".join(f'"+{letter}"(d[{i}])' for i in range(count)),
                       sources='"r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])' if registers else '"l"(a)')


def write_sources(folder):
    """The parts, and the rows of machine_wgmma.def by which machine.cu knows them."""
    texts = [HEAD] * PARTS
    rows = list(kernels())
    for i, row in enumerate(sorted(rows, key=lambda row: -row[2])):
        texts[i % PARTS] += part(*row)
    for i, text in enumerate(texts):
        (folder / f"part{i}.cu").write_text(text)
    (folder / "machine_wgmma.def").write_text("".join(
        f"PRODUCT({name}, {'WGMMA_REGISTERS' if registers else 'WGMMA'}, {kind}, {n}, {TYPES[kind][1]})\n"
        for name, kind, n, registers in rows))


def build(folder):
    folder.mkdir(parents=True, exist_ok=True)
    write_sources(folder)
    sources = [HERE / "machine.cu"] + [folder / f"part{i}.cu" for i in range(PARTS)]
    nvcc = ["nvcc", "-O2", "-std=c++17", "-diag-suppress=550", "-gencode=arch=compute_90a,code=sm_90a", f"-I{HERE}", f"-I{folder}"]
    calls = [subprocess.Popen([*nvcc, "-c", source, "-o", folder / f"{source.stem}.o"], stderr=subprocess.PIPE, text=True) for source in sources]
    for call in calls:  # ptxas tells of each fence that it adds
        said = "".join(line for line in call.communicate()[1].splitlines(True) if "C7519" not in line)
        sys.stderr.write(said)
        if call.returncode:
            sys.exit("machine.py: nvcc failed")
    program = folder / "machine"
    subprocess.run(["nvcc", *[folder / f"{source.stem}.o" for source in sources], "-o", program], check=True)
    return program


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build/device-machine")
    parser.add_argument("--only-build", action="store_true")
    options = parser.parse_args()
    program = build(pathlib.Path(options.build))
    if options.only_build:
        return
    about = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True, text=True)
    device = (about.stdout.splitlines() or ["unknown"])[0].replace(",", ", driver").replace("  ", " ")
    rows = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True, timeout=120).stdout
    print(f"""/* SPDX-License-Identifier: Apache-2.0 */
/* What micro-benchmarks say of sm_90: written by `make device-calibrate`, which runs tests/device/fit/machine.py.  Rates of L2 and DRAM
 * are in cycles of the clock under load.  Rows of wgmma: of groups of four, by two warpgroups. */
SOURCE(H200, "measured: {device}, {datetime.date.today()}, tests/device/fit/machine.py")
{rows}""", end="")


if __name__ == "__main__":
    main()
